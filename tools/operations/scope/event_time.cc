// What is later is removed from a copy of the graph in RAM.
#include "tools/operations/scope/event_time.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "engine/vocabulary.h"
#include "tools/operations/scratch_graph.h"
#include "tools/operations/time_limit.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kBatchChanges = std::size_t{1} << 20;

bool HasOwnTime(const Snapshot& snapshot, NodeId node) {
  const NodeKindId kind = snapshot.node_kind(node);
  return snapshot.is_fact(node) || kind == kEvent || kind == kOutcome;
}

// By node: alive, and later than the time.
std::vector<bool> Later(const Snapshot& snapshot, std::int64_t time_ms, TimeLimit& limit) {
  std::vector<bool> later(snapshot.node_count());
  for (NodeId v = 0; v < later.size() && !limit.Up(); ++v) {
    if (!snapshot.alive(v) || !HasOwnTime(snapshot, v)) continue;
    const auto at = snapshot.i64(kCreatedAt, v);
    later[v] = at && *at > time_ms;
  }
  constexpr EdgeKindId kMembers[] = {kMember};
  const ArcFilter members = ArcFilter::Kinds(snapshot.schema(), kMembers);
  for (NodeId v = 0; v < later.size() && !limit.Up(); ++v)
    if (snapshot.alive(v) && snapshot.node_kind(v) == kEvent && !later[v])
      snapshot.ForEachArc(Direction::kOut, v, members,
                          [&](const Arc& arc) { later[arc.neighbor] = false; });
  return later;
}

}  // namespace

Result<Snapshot> AtEventTime(const Snapshot& snapshot, std::int64_t time_ms, const Budget& budget,
                             Executor& executor) {
  TimeLimit limit(budget);
  const std::vector<bool> later = Later(snapshot, time_ms, limit);
  GraphOptions options;
  options.maintenance = Maintenance::kManual;
  options.executor = &executor;
  const std::unique_ptr<Graph> then = ScratchGraph(snapshot, options);
  if (!then) return Fail(ErrorCode::kResourceExhausted, "no memory for a copy of the graph");
  const ArcFilter relations = ArcFilter::Kinds(snapshot.schema(), EdgeKinds{});
  WriteBatch batch(snapshot.time_ms());
  std::size_t changes = 0;
  Status applied;
  const auto changed = [&] {
    if (++changes % kBatchChanges != 0) return;
    if (const auto done = then->Apply(batch); !done) applied = std::unexpected(done.error());
    batch = WriteBatch(snapshot.time_ms());
  };
  for (NodeId v = 0; v < later.size() && applied && !limit.Up(); ++v) {
    if (later[v]) {
      batch.RemoveNode(NodeRef::Id(v));
      changed();
      continue;
    }
    if (!snapshot.is_fact(v)) continue;
    snapshot.ForEachArc(Direction::kOut, v, relations, [&](const Arc& arc) {
      if (later[arc.neighbor]) return true;  // it goes with the node
      const Edge edge = snapshot.edge(arc, v);
      if (edge.source != v || edge.created_at <= time_ms) return true;
      batch.Unlink(NodeRef::Id(v), edge.kind, NodeRef::Id(edge.target),
                   snapshot.string(edge.label));
      changed();
      return applied.has_value();
    });
  }
  PLEXUS_TRY(applied);
  if (limit.was_up())
    return Fail(ErrorCode::kCancelled, "not all records were looked at for their times");
  if (changes == 0) return snapshot;
  PLEXUS_TRY(then->Apply(batch));
  auto state = std::make_shared<GraphState>(then->snapshot().state());
  state->sequence = snapshot.sequence();  // what cursors and replies name
  state->time_ms = std::min(time_ms, snapshot.time_ms());
  return Snapshot(std::move(state));
}

}  // namespace plexus::tools
