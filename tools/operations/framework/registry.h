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
using Family = void(Rows& rows);
// Files.
Family AddImport, AddExport;
// Look.
Family AddGet, AddList, AddFind, AddHistory, AddLog, AddStats, AddKinds, AddLedger;
// Change.
Family AddRemember, AddPut, AddEdit, AddUndo, AddLedgerWrites, AddTerms, AddEmbed, AddConcepts,
    AddDecisionsUnlink, AddDecisionsRules, AddTurns;
// Ask.
Family AddPageRank, AddTraverse, AddNeighborhood, AddPath, AddDistances, AddBfs, AddComponents,
    AddCommunities, AddCohesion, AddPathCentrality, AddSpectralCentrality, AddConnectivity, AddFlow,
    AddSearch, AddSimilar, AddTopologicalOrder, AddRerank, AddFrontier, AddConceptRecall, AddRecall,
    AddRetrieve, AddBounty, AddConflicts, AddDecisions;
// By AddConflicts and AddDecisions.
Family AddConflictsResolve, AddDecisionsCheck, AddDecisionsFold, AddDecisionsQueue,
    AddDecisionsState;
// Care.
Family AddMaintenance, AddBackup, AddRepair;
// What the program itself knows.
Family AddSchema;

}  // namespace plexus::tools
