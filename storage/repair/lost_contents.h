// LostContents: which of the payloads that cannot be read the present state still had. Internal.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>

#include "engine/record.h"
#include "engine/snapshot.h"
#include "engine/state.h"
#include "storage/repair.h"
#include "storage/repair/salvage.h"

namespace plexus::storage_internal {

class LostContents {
 public:
  using IsLost = std::function<bool(PayloadRef)>;

  // What a checkpoint refers to. Vectors are looked up in its sections, as the state has none
  // that is lost.
  Status AddState(const GraphState& state, const Manifest& manifest, const Salvage& salvage,
                  const IsLost& lost);
  // The next record.
  void Add(const Record& record, const IsLost& lost);
  // Fills in what the state of `now` lacks.
  void FillReport(const Snapshot& now, RepairReport& report) const;

 private:
  enum Sort { kField, kVector, kEdge };
  // Sort, node, then: field; space; or kind, target, label.
  using Slot = std::tuple<int, NodeId, std::uint32_t, NodeId, StringId>;
  void Set(const Slot& slot, bool lost);
  void Forget(NodeId node);

  std::map<Slot, bool> slots_;  // present ones that are lost
  std::uint64_t old_ = 0;
};

}  // namespace plexus::storage_internal
