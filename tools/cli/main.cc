// plexus: the command line. Commands live in commands/*.cc; tools/REPLIES.md is the contract of
// their options, replies and exit codes.
#include "tools/cli/cli.h"

// A family a line, in the order of --help.
int main(int argc, char** argv) {
  plexus::tools::Cli cli;
  plexus::tools::AddImport(cli);
  plexus::tools::AddExport(cli);
  plexus::tools::AddRead(cli);
  plexus::tools::AddFind(cli);
  plexus::tools::AddHistory(cli);
  plexus::tools::AddStats(cli);
  plexus::tools::AddKinds(cli);
  plexus::tools::AddWrite(cli);
  plexus::tools::AddTerms(cli);
  plexus::tools::AddEmbed(cli);
  plexus::tools::AddPageRank(cli);
  plexus::tools::AddTraverse(cli);
  plexus::tools::AddPath(cli);
  plexus::tools::AddMatch(cli);
  plexus::tools::AddReach(cli);
  plexus::tools::AddComponents(cli);
  plexus::tools::AddCommunities(cli);
  plexus::tools::AddStructure(cli);
  plexus::tools::AddCentrality(cli);
  plexus::tools::AddConnections(cli);
  plexus::tools::AddSearch(cli);
  plexus::tools::AddSimilar(cli);
  plexus::tools::AddTopo(cli);
  plexus::tools::AddRerank(cli);
  plexus::tools::AddFrontier(cli);
  plexus::tools::AddMaintain(cli);
  plexus::tools::AddBackup(cli);
  plexus::tools::AddRepair(cli);
  return cli.Main(argc, argv);
}
