// Edges of a load on their way into their rows, and what lines of one identity make of it.
// Private to the engine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/adjacency/csr.h"
#include "engine/adjacency/run.h"
#include "engine/bulk/edge_load.h"

namespace plexus::engine_internal {

// How many bits of a key are what, from the highest down: the row within the part, the kind's rank
// among those in use, the target, the label, the batch.
struct KeyBits {
  int row = 0, kind = 0, target = 0, label = 0, batch = 0;

  int identity() const { return row + kind + target + label; }
  int all() const { return identity() + batch; }
  std::uint64_t Make(std::uint64_t in_row, std::uint64_t of_kind, std::uint64_t to,
                     std::uint64_t named, std::uint64_t in_batch) const {
    return (((((((in_row << kind) | of_kind) << target) | to) << label) | named) << batch) |
           in_batch;
  }
  NodeId Row(std::uint64_t key) const {
    return static_cast<NodeId>(key >> (kind + target + label + batch));
  }
  std::size_t Kind(std::uint64_t key) const { return Part(key >> (target + label + batch), kind); }
  NodeId Target(std::uint64_t key) const {
    return static_cast<NodeId>(Part(key >> (label + batch), target));
  }
  StringId Label(std::uint64_t key) const {
    return static_cast<StringId>(Part(key >> batch, label));
  }

 private:
  static std::uint64_t Part(std::uint64_t key, int bits) {
    return key & ((std::uint64_t{1} << bits) - 1);
  }
};

// The value of an edge after the lines of a batch.
struct LoadValue {
  float weight = 1;
  std::uint32_t unused = 0;  // as of WeightedEntry
  std::int64_t created_at = 0, valid_from = kNoTime, valid_until = kNoTime;
  bool operator==(const LoadValue&) const = default;
};

// Once it was looked at, an entry is a change. What lies of it in a scratch is `Stored`.
struct PlainEntry {
  static constexpr bool kHasWeights = false;
  static constexpr bool kHasValues = false;
  using Stored = PlainEntry;
  std::uint64_t key;
  static PlainEntry Of(std::uint64_t key, const LoadBatch&, std::size_t, std::size_t) {
    return {key};
  }
  std::size_t Batch(const KeyBits& bits) const {
    return key & ((std::uint64_t{1} << bits.batch) - 1);
  }
  float weight() const { return 1; }
  void MakeStated() {}
  void Take(float&) const {}
  static PlainEntry Change(std::uint64_t key, float) { return {key}; }
};

struct WeightedEntry {
  static constexpr bool kHasWeights = true;
  static constexpr bool kHasValues = false;
  using Stored = WeightedEntry;
  std::uint64_t key;
  float stated;              // NaN: not; of a change: negative where the edge is not new
  std::uint32_t unused = 0;  // all bytes that are written have a value
  static WeightedEntry Of(std::uint64_t key, const LoadBatch& batch, std::size_t,
                          std::size_t edge) {
    return {key, batch.weights.empty() ? std::nanf("") : batch.weights[edge]};
  }
  std::size_t Batch(const KeyBits& bits) const {
    return key & ((std::uint64_t{1} << bits.batch) - 1);
  }
  float weight() const { return stated; }
  void MakeStated() { stated = std::abs(stated); }  // of a change: as a line that says the same
  void Take(float& weight) const {
    if (!std::isnan(stated)) weight = stated + 0.0f;  // -0: the sign says something else
  }
  static WeightedEntry Change(std::uint64_t key, float weight) { return {key, weight}; }
};

struct StoredValued {
  std::uint64_t key;
  LoadValue value;
  std::uint16_t batch, is_new;
  std::uint32_t unused = 0;
};

// With times or labels: the values stay where they are, in the batch, and its number is next to the
// key.
struct ValuedEntry {
  static constexpr bool kHasWeights = true;
  static constexpr bool kHasValues = true;
  using Stored = StoredValued;
  std::uint64_t key;
  std::uint32_t at;  // in the batch; of a change: in the values of its part
  std::uint16_t batch, is_new;
  static ValuedEntry Of(std::uint64_t key, const LoadBatch&, std::size_t batch, std::size_t edge) {
    return {key, static_cast<std::uint32_t>(edge), static_cast<std::uint16_t>(batch), 0};
  }
  std::size_t Batch(const KeyBits&) const { return batch; }
  void MakeStated() { is_new = 0; }
};
static_assert(kMaxLoadBatches <= 1 << 16);

// Leaves the changes at the front of entries[0, n), which are sorted; returns how many.
// What lines of one batch make of an identity is decided as BatchResolver does. exists(key): the
// edge was there before (then no entry states a weight). note_same(key): a batch states an edge as
// it is.
template <class Entry, class Exists, class NoteSame>
std::size_t KeepChanges(Entry* entries, std::size_t n, const KeyBits& bits, Exists&& exists,
                        NoteSame&& note_same) {
  std::size_t kept = 0;
  for (std::size_t begin = 0; begin < n;) {
    const std::uint64_t identity = entries[begin].key >> bits.batch;
    float now = 1;
    for (bool existed = exists(entries[begin].key);
         begin < n && entries[begin].key >> bits.batch == identity; existed = true) {
      const std::uint64_t key = entries[begin].key;
      const float before = now;
      for (; begin < n && entries[begin].key == key; ++begin) entries[begin].Take(now);
      if (existed && now == before) {
        note_same(key);
        continue;
      }
      entries[kept++] = Entry::Change(key, existed ? -now : now);
    }
  }
  return kept;
}

// What a line states: NaN and kNoTime where it does not.
inline LoadValue StatedBy(const LoadBatch& batch, std::size_t edge) {
  const auto time = [&](const AlignedArray<std::int64_t>& times) {
    return times.empty() ? kNoTime : times[edge];
  };
  return {.weight = batch.weights.empty() ? std::nanf("") : batch.weights[edge],
          .created_at = time(batch.created_at),
          .valid_from = time(batch.valid_from),
          .valid_until = time(batch.valid_until)};
}

inline void TakeStated(const LoadValue& stated, LoadValue& value) {
  if (!std::isnan(stated.weight)) value.weight = stated.weight + 0.0f;  // -0 is 0
  if (stated.created_at != kNoTime) value.created_at = stated.created_at;
  if (stated.valid_from != kNoTime) value.valid_from = stated.valid_from;
  if (stated.valid_until != kNoTime) value.valid_until = stated.valid_until;
}

// The same of entries with values, which go to `values`. stated(entry): what it states.
// exists(key, value): puts the value of an edge that was there before. `inverted`: set where an
// edge ends before it begins.
template <class Stated, class Exists, class NoteSame>
std::size_t KeepChanges(ValuedEntry* entries, std::size_t n, Stated&& stated, std::int64_t time_ms,
                        std::vector<LoadValue>& values, bool& inverted, Exists&& exists,
                        NoteSame&& note_same) {
  values.reserve(values.size() + n);  // growing would take up to three times as much
  std::size_t kept = 0;
  for (std::size_t begin = 0; begin < n;) {
    const std::uint64_t key = entries[begin].key;
    LoadValue now{.created_at = time_ms};
    for (bool existed = exists(key, now); begin < n && entries[begin].key == key; existed = true) {
      const std::uint16_t batch = entries[begin].batch;
      const LoadValue before = now;
      for (; begin < n && entries[begin].key == key && entries[begin].batch == batch; ++begin)
        TakeStated(stated(entries[begin]), now);
      if (existed && now == before) {
        note_same(key);
        continue;
      }
      const bool same_times =
          existed && now.valid_from == before.valid_from && now.valid_until == before.valid_until;
      inverted |= now.valid_from != kNoTime && now.valid_until != kNoTime &&
                  now.valid_from > now.valid_until && !same_times;
      entries[kept++] = {key, static_cast<std::uint32_t>(values.size()), batch, !existed};
      values.push_back(now);
    }
  }
  return kept;
}

// The edges that are there before a load, looked up in the order of its keys: a part of the rows
// is walked once with them.
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
