// RepairPlan: where a new database may begin and how far the log carries it. Internal.
#pragma once

#include <optional>
#include <vector>

#include "engine/state.h"
#include "storage/encoding/anchor.h"
#include "storage/log/log_reader.h"
#include "storage/repair.h"
#include "storage/repair/salvage.h"

namespace plexus::storage_internal {

struct RepairPlan {
  GraphId graph_id;
  bool new_chain = false;           // the graph's id is lost: running hashes are made again
  std::optional<Manifest> base;     // the checkpoint it begins with; none: the empty graph
  std::optional<GraphState> state;  // of the base, its lost vectors left out
  LogPoint start, end;
  std::vector<const Salvage::FoundRecord*> records;  // start.sequence + 1 ... end.sequence
};

// `anchor` is null when it is lost. Adds damaged checkpoints and lost records to `report`.
// kCorruption when nothing can be saved.
Result<RepairPlan> MakeRepairPlan(const Salvage& salvage, const Anchor* anchor,
                                  const RepairOptions& options, RepairReport& report);

}  // namespace plexus::storage_internal
