// How far a recipe was built: the record inscription:plexus.build.NAME, and what changed since.
//
// The record says with which options the edges were made, and how many there were; its sequence is
// that of its properties. Where it is lost, or does not fit the graph, all is looked at again.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "algorithms/memory/turns/turns.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/graph_record.h"

namespace plexus::tools {

struct BuildRecord {
  std::optional<GraphRecord> stored;
  std::optional<StateChanges> changes;  // none: look at everything
};

// Reads the record of the recipe, and the log since. O(edges of its kind + log since).
Result<BuildRecord> ReadBuildRecord(Workspace& workspace, const Snapshot& snapshot,
                                    const memory::EdgeRecipe& recipe, const std::string& space);
// Writes it, where something is to be written: after edges, a lost record, or much log. `sequence`:
// of the last batch of the run; if others wrote meanwhile, nothing is.
Status WriteBuildRecord(Workspace& workspace, const memory::EdgeRecipe& recipe,
                        const std::string& space, const BuildRecord& before,
                        const memory::BuildReport& report, Sequence sequence);

}  // namespace plexus::tools
