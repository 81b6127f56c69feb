// The families, in the order of help.
#include "tools/operations/framework/registry.h"

#include <algorithm>

#include "tools/operations/framework/arguments.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

constexpr Family* kFamilies[] = {AddImport,
                                 AddExport,
                                 AddGet,
                                 AddList,
                                 AddFind,
                                 AddHistory,
                                 AddLog,
                                 AddStats,
                                 AddKinds,
                                 AddLedger,
                                 AddSchema,
                                 AddRemember,
                                 AddPut,
                                 AddEdit,
                                 AddUndo,
                                 AddLedgerWrites,
                                 AddTerms,
                                 AddEmbed,
                                 AddConcepts,
                                 AddDecisionsUnlink,
                                 AddDecisionsRules,
                                 AddTurns,
                                 AddPageRank,
                                 AddTraverse,
                                 AddNeighborhood,
                                 AddPath,
                                 AddDistances,
                                 AddBfs,
                                 AddComponents,
                                 AddCommunities,
                                 AddCohesion,
                                 AddPathCentrality,
                                 AddSpectralCentrality,
                                 AddConnectivity,
                                 AddFlow,
                                 AddSearch,
                                 AddSimilar,
                                 AddTopologicalOrder,
                                 AddRerank,
                                 AddFrontier,
                                 AddConceptRecall,
                                 AddRecall,
                                 AddRetrieve,
                                 AddBounty,
                                 AddConflicts,
                                 AddDecisions,
                                 AddMaintenance,
                                 AddBackup,
                                 AddRepair};

}  // namespace

const std::vector<Operation>& AllOperations() {
  static const Rows rows = [] {
    Rows made;
    for (Family* const add : kFamilies) add(made);
    return made;
  }();
  return rows;
}

const Operation* FindOperation(std::string_view name) {
  std::string wanted(name);
  std::ranges::replace(wanted, '-', '_');
  std::ranges::replace(wanted, ' ', '_');  // a command of two words
  const auto at = std::ranges::find(AllOperations(), wanted, &Operation::name);
  return at == AllOperations().end() ? nullptr : &*at;
}

std::string NoSuchOperation(std::string_view name) {
  std::vector<std::string> names;
  for (const Operation& operation : AllOperations()) names.push_back(operation.name);
  return "no operation " + Quoted(name) + DidYouMean(name, names);
}

}  // namespace plexus::tools
