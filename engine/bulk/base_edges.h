// The edges that are there before a load, looked up in the order of its keys: a part of the rows
// is walked once with them. Private to the engine.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/adjacency/csr.h"
#include "engine/adjacency/run.h"
#include "engine/bulk/load_entries.h"

namespace plexus::engine_internal {

class BaseEdges {
 public:
  // Of keys in the part that begins with `first_row`; `kinds`: by rank. `base` may be null.
  BaseEdges(const Csr* base, const KeyBits& bits, const std::vector<KindId>& kinds,
            std::size_t first_row)
      : base_(base), bits_(bits), kinds_(kinds), first_row_(first_row) {}

  // Whether the edge is there; `value`, which may be null, becomes its value then.
  // REQUIRES keys that ascend.
  bool Find(std::uint64_t key, LoadValue* value) {
    if (!base_) return false;
    const std::size_t row = first_row_ + bits_.Row(key);
    if (row >= base_->node_count) return false;
    if (row != row_) {
      row_ = row;
      at_ = base_->out_offsets[row];
    }
    const StoredCsrView out = base_->out();
    const EdgeSlot end = out.offsets[row + 1];
    const std::uint64_t order = ArcOrder(kinds_[bits_.Kind(key)], bits_.Target(key));
    const StringId label = bits_.Label(key);
    for (; at_ < end; ++at_) {
      const std::uint64_t here = ArcOrder(out.kind(at_), out.neighbors[at_]);
      if (here < order) continue;
      if (here > order) return false;
      const StringId named = base_->labels.Get(at_, 0);
      if (named < label) continue;
      if (named > label) return false;
      if (value)
        *value = {.weight = out.weights[at_],
                  .created_at = base_->out_created_at[at_],
                  .valid_from = base_->valid_from.Get(at_, kNoTime),
                  .valid_until = base_->valid_until.Get(at_, kNoTime)};
      return true;
    }
    return false;
  }

 private:
  const Csr* base_;
  const KeyBits& bits_;
  const std::vector<KindId>& kinds_;
  const std::size_t first_row_;
  std::size_t row_ = ~std::size_t{0};
  EdgeSlot at_ = 0;
};

}  // namespace plexus::engine_internal
