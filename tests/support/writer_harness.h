// WriterHarness: a StateWriter with a FakeStore, the shortest way from a batch to a
// snapshot. No threads, no groups; those are Graph's, tested in graph_test.cc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/compaction/run_compaction.h"
#include "engine/graph.h"
#include "engine/writer/state_writer.h"
#include "tests/support/edge_model.h"
#include "tests/support/fakes.h"

namespace plexus::testing {

// Replays on `replica` the records of `store` that it has not.
inline Status ReplayNew(Graph& replica, const FakeStore& store) {
  const std::vector<Record> all = store.Records();
  return replica.Replay(std::span(all).subspan(replica.snapshot().sequence()));
}

class WriterHarness {
 public:
  WriterHarness() : store(std::make_shared<FakeStore>()), writer(FirstState(store)) {}

  static GraphState FirstState(std::shared_ptr<const PayloadStore> store) {
    GraphState state = EmptyState();
    state.payload_store = std::move(store);
    return state;
  }

  Result<ApplyReport> Apply(const WriteBatch& batch) {
    ApplyReport report;
    PLEXUS_ASSIGN(record, writer.Resolve(batch, &report));
    if (record.sequence == 0) return report;
    PLEXUS_TRY(store->Append({&record, 1}, Durability::kSync));
    PLEXUS_TRY(writer.Apply(record));
    return report;
  }
  // Fills a batch by `fill(batch)` and applies it.
  template <class Fill>
  Result<ApplyReport> Do(Fill&& fill, std::int64_t time_ms = 1000) {
    WriteBatch batch(time_ms);
    batch.set_links_revive(true);  // what is refused without it: write_defaults_test.cc
    fill(batch);
    return Apply(batch);
  }

  Snapshot snapshot() { return Snapshot(writer.Publish()); }

  // Folds all runs into a new base.
  void Compact() {
    auto state = writer.Publish();
    auto base = CompactRuns(*state, state->runs.size(), SerialExecutor());
    writer.InstallBase(*base, state->runs.size());
  }

  NodeId Id(std::string_view key) { return snapshot().Find(key).value_or(kNoNode); }
  bool Alive(std::string_view key) {
    NodeId id = Id(key);
    return id != kNoNode && snapshot().alive(id);
  }
  std::optional<Edge> Find(std::string_view source, EdgeKindId kind, std::string_view target,
                           std::string_view label = {}) {
    Snapshot s = snapshot();
    auto a = s.Find(source), b = s.Find(target);
    auto l = s.FindString(label);
    if (!a || !b || !l) return std::nullopt;
    return s.FindEdge(*a, kind, *b, *l);
  }

  std::shared_ptr<FakeStore> store;
  StateWriter writer;
  Record record;  // of the last batch
};

inline bool operator==(const ChangeCounts& a, const ChangeCounts& b) {
  return a.added == b.added && a.changed == b.changed && a.same == b.same && a.removed == b.removed;
}
// Counts as "new/changed/same/removed".
inline std::string Text(const ChangeCounts& c) {
  return std::to_string(c.added) + '/' + std::to_string(c.changed) + '/' + std::to_string(c.same) +
         '/' + std::to_string(c.removed);
}

}  // namespace plexus::testing
