// What all steps of a load know: the kinds in use, the bits of a key, and how rows are cut into
// parts. Private to the engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/bulk/edge_load.h"
#include "engine/bulk/load_entries.h"
#include "engine/bulk/load_rows.h"
#include "engine/monitoring/monitoring.h"
#include "engine/parallel.h"
#include "engine/vocabulary.h"

namespace plexus::engine_internal {

// The kinds that some edge has, by id; a kind's rank is its place among them.
struct UsedKinds {
  std::vector<KindId> kinds;
  std::vector<KindId> rank;             // by id
  std::vector<std::uint8_t> symmetric;  // by rank
  bool any_symmetric = false;

  UsedKinds(const std::vector<LoadBatch>& batches, const Schema& schema, Executor& executor);
};

struct LoadPlan {
  LoadPlan(const std::vector<LoadBatch>& batches, const LoadShape& shape, Executor& on)
      : used(batches, *shape.schema, on),
        nodes(shape.nodes),
        time_ms(shape.time_ms),
        wide_kinds(shape.schema->edge_kinds().size() > 256),
        base(shape.base),
        merges(shape.merges),
        executor(on) {}

  std::size_t FirstRow(std::size_t part) const {
    return std::min<std::size_t>(nodes, part << bits.row);
  }
  bool IsMirror(std::size_t row, std::uint64_t key) const {
    return used.any_symmetric && used.symmetric[bits.Kind(key)] && row > bits.Target(key);
  }
  template <class Entry>
  bool SameEdge(const Entry& a, const Entry& b) const {
    return a.key >> bits.batch == b.key >> bits.batch;
  }
  std::size_t threads() const {
    return static_cast<std::size_t>(std::max(1, executor.thread_count()));
  }
  // kCancelled when who watches says stop. `done` of `total` arcs or edges.
  Status Report(std::uint64_t done, std::uint64_t total, std::string_view phase = "sorting") const {
    if (!progress || total == 0 || progress->Report(phase, done, total)) return {};
    return Cancelled("loading was stopped");
  }
  // fn(row, kind's rank, target, edge) of a batch's arcs, in order.
  template <class Fn>
  void ForEachArc(const LoadBatch& batch, Fn&& fn) const;

  const UsedKinds used;
  KeyBits bits;
  std::size_t parts = 1;
  NodeId nodes;
  std::int64_t time_ms;
  bool wide_kinds;
  const Csr* base;  // null: no edges of these kinds are there before
  bool merges;
  // Of entries with values: which arrays the changes of batches have.
  bool any_kinds = false, any_labels = false, any_valid = false;
  Progress* progress = nullptr;
  Executor& executor;
};

template <class Fn>
void LoadPlan::ForEachArc(const LoadBatch& batch, Fn&& fn) const {
  if (batch.kinds.empty()) {
    const KindId link = used.rank[builtin::kLink.value()];
    for (std::size_t i = 0; i < batch.edges.size(); ++i)
      fn(batch.edges[i].source, link, batch.edges[i].target, i);
    return;
  }
  for (std::size_t i = 0; i < batch.edges.size(); ++i) {
    const NodePair e = batch.edges[i];
    const KindId rank = used.rank[batch.kinds[i]];
    if (!used.symmetric[rank] || e.source == e.target) {
      fn(e.source, rank, e.target, i);
    } else {
      fn(e.source, rank, e.target, i);
      fn(e.target, rank, e.source, i);
    }
  }
}

}  // namespace plexus::engine_internal
