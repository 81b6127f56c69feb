// The table of all operations: every door looks rows up here.
//
// A family is a file that adds its rows; registry.cc calls each once. The table is made at the
// first call, is const from then on, and may be read from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "tools/operations/framework/operation.h"

namespace plexus::tools {

// In the order of help.
const std::vector<Operation>& AllOperations();
// By name, with '-' or '_'; null if it does not exist.
const Operation* FindOperation(std::string_view name);

// "no operation ...; did you mean ...".
std::string NoSuchOperation(std::string_view name);

using Rows = std::vector<Operation>;
// Files.
void AddImport(Rows& rows);
void AddExport(Rows& rows);
// Look.
void AddGet(Rows& rows);
void AddList(Rows& rows);
void AddFind(Rows& rows);
void AddHistory(Rows& rows);
void AddLog(Rows& rows);
void AddStats(Rows& rows);
void AddKinds(Rows& rows);
void AddLedger(Rows& rows);
// Change.
void AddRemember(Rows& rows);  // and correct
void AddPut(Rows& rows);
void AddEdit(Rows& rows);
void AddUndo(Rows& rows);
void AddLedgerWrites(Rows& rows);
void AddTerms(Rows& rows);
void AddEmbed(Rows& rows);
void AddConcepts(Rows& rows);
void AddDecisionsUnlink(Rows& rows);
void AddDecisionsRules(Rows& rows);
void AddTurns(Rows& rows);  // and session, which asks
// Ask.
void AddPageRank(Rows& rows);
void AddTraverse(Rows& rows);
void AddNeighborhood(Rows& rows);
void AddPath(Rows& rows);
void AddDistances(Rows& rows);
void AddBfs(Rows& rows);
void AddComponents(Rows& rows);
void AddCommunities(Rows& rows);
void AddCohesion(Rows& rows);
void AddPathCentrality(Rows& rows);
void AddSpectralCentrality(Rows& rows);
void AddConnectivity(Rows& rows);
void AddFlow(Rows& rows);
void AddSearch(Rows& rows);
void AddSimilar(Rows& rows);
void AddTopologicalOrder(Rows& rows);
void AddRerank(Rows& rows);
void AddFrontier(Rows& rows);
void AddConceptRecall(Rows& rows);
void AddRecall(Rows& rows);
void AddRetrieve(Rows& rows);
void AddBounty(Rows& rows);
void AddConflicts(Rows& rows);
void AddConflictsResolve(Rows& rows);  // by AddConflicts
void AddDecisions(Rows& rows);
void AddDecisionsCheck(Rows& rows);  // by AddDecisions
void AddDecisionsFold(Rows& rows);   // by AddDecisions
void AddDecisionsQueue(Rows& rows);  // by AddDecisions
void AddDecisionsState(Rows& rows);  // by AddDecisions
// Care.
void AddMaintenance(Rows& rows);
void AddBackup(Rows& rows);
void AddRepair(Rows& rows);
// What the program itself knows.
void AddSchema(Rows& rows);

}  // namespace plexus::tools
