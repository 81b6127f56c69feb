// Help, wrong usage, and the words the program finds for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

// Commands as --help lists them.
Words Commands() {
  std::istringstream help(Plexus({"--help"}).out);
  Words commands;
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (line == "Files:" || line == "Look:" || line == "Ask:" || line == "Change:" ||
        line == "Care:" || line == "Help:")
      listed = true;
    else if (line.empty())
      listed = false;
    else if (listed && line.starts_with("  ") && line[2] != ' ')
      commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return commands;
}

class Usage : public ProgramTest {};

TEST_F(Usage, HelpListsEveryCommandOfTheContract) {
  const auto commands = Commands();
  const std::set<std::string> listed(commands.begin(), commands.end());
  for (const char* name :
       {"import",     "export",  "get",        "neighbors", "link",      "unlink",      "remove",
        "purge",      "history", "kinds",      "stats",     "pagerank",  "traverse",    "match",
        "path",       "compact", "checkpoint", "verify",    "trim",      "backup",      "restore",
        "components", "bfs",     "find",       "frontier",  "ancestors", "descendants", "distances",
        "triangles",  "kcore",   "betweenness"})
    EXPECT_TRUE(listed.contains(name)) << name;
}

TEST_F(Usage, ListsTakeNamesWithCommas) {
  Import(R"({"node":"a","scope":"x,y"}
{"edge":["a","b"],"kind":"one,two"}
{"edge":["a","c"],"kind":"one"}
)");
  ExpectReplies({
      {{"neighbors", "a", "--kinds", R"("one,two")"}, "neighbors", "kind", "one,two"},
      {{"neighbors", "a", "--kinds", R"("one,two",one)"}, "neighbors", "key", "b, c"},
      {{"neighbors", "a", "--kinds", R"("one,two")", "--kinds", "one"}, "neighbors", "key", "b, c"},
      {{"list", "--scope", R"("x,y")"}, "results", "key", "a"},
      {{"list", "--scope", R"("x,y",user)"}, "results", "key", "a, b, c"},
  });
}

TEST_F(Usage, VersionIsOneLine) {
  const Finished version = Plexus({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(version.out.starts_with("plexus ")) << version.out;
  EXPECT_EQ(std::ranges::count(version.out, '\n'), 1);
}

TEST_F(Usage, HelpIsACommand) {
  ASSERT_EQ(Run({"put", "a"}).code, 0);
  EXPECT_EQ(Run({"help", "get"}).out, Run({"get", "--help"}).out);
  EXPECT_EQ(Plexus({"help", "ledger", "recent"}).out, Plexus({"ledger", "recent", "--help"}).out);
  EXPECT_EQ(Plexus({"help"}).out, Plexus({"--help"}).out);
}

}  // namespace
}  // namespace plexus::testing
