// What is later is removed from a copy of the graph in RAM.
#include "tools/operations/scope/event_time.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/vocabulary.h"
#include "tools/operations/framework/time_limit.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kBatchChanges = std::size_t{1} << 20;

bool HasOwnTime(const Snapshot& snapshot, NodeId node) {
  const NodeKindId kind = snapshot.node_kind(node);
  return snapshot.is_fact(node) || kind == builtin::kEvent || kind == builtin::kOutcome;
}

// Of ascending times those at which a batch was written.
class BatchTimes {
 public:
  BatchTimes(Database& database, TimeLimit& limit) : database_(database), limit_(limit) {}

  Result<std::vector<std::int64_t>> Of(std::span<const std::int64_t> times) {
    if (times.empty()) return std::move(found_);
    PLEXUS_ASSIGN(const Sequence before, LastAt(times.front() - 1));
    PLEXUS_ASSIGN(const Sequence last, LastAt(times.back()));
    PLEXUS_TRY(Look(times, before, last));
    return std::move(found_);
  }

 private:
  // 0: none, or it is trimmed.
  Result<Sequence> LastAt(std::int64_t time) {
    Result<Sequence> last = database_.SequenceAtTime(time);
    if (!last && last.error().code == ErrorCode::kNotFound) return Sequence{0};
    return last;
  }
  // `before` the first and at the last of them; where both are the same no batch is between.
  Status Look(std::span<const std::int64_t> times, Sequence before, Sequence last) {
    if (before == last || limit_.Up()) return {};
    if (times.size() == 1) {
      found_.push_back(times[0]);
      return {};
    }
    const std::size_t half = times.size() / 2;
    PLEXUS_ASSIGN(const Sequence left, LastAt(times[half - 1]));
    PLEXUS_ASSIGN(const Sequence right, LastAt(times[half] - 1));
    PLEXUS_TRY(Look(times.first(half), before, left));
    return Look(times.subspan(half), right, last);
  }

  Database& database_;
  TimeLimit& limit_;
  std::vector<std::int64_t> found_;
};

// What is there at a time.
class Then {
 public:
  Then(const Snapshot& snapshot, std::int64_t time_ms, TimeLimit& limit)
      : snapshot_(snapshot), time_ms_(time_ms), limit_(limit), later_(snapshot.node_count()) {}

  Status Find(Database* database) {
    std::vector<std::int64_t> times;
    for (NodeId v = 0; v < later_.size() && !limit_.Up(); ++v) {
      if (!snapshot_.alive(v) || !HasOwnTime(snapshot_, v)) continue;
      const auto at = snapshot_.i64(builtin::kCreatedAt, v);
      later_[v] = at && *at > time_ms_;
      if (later_[v]) times.push_back(*at);
    }
    ForEachRelation([&](const Edge& edge) {
      if (edge.created_at > time_ms_) times.push_back(edge.created_at);
    });
    std::ranges::sort(times);
    const auto doubles = std::ranges::unique(times);
    times.erase(doubles.begin(), doubles.end());
    if (database)
      PLEXUS_SET(batches_, BatchTimes(*database, limit_).Of(times));
    else
      batches_ = {snapshot_.time_ms()};
    KeepMembers();
    KeepEnds();
    return {};
  }

  bool later(NodeId node) const { return later_[node]; }
  // Of an edge whose ends are there.
  bool later(const Edge& edge) const {
    return edge.created_at > time_ms_ && !IsBatch(edge.created_at);
  }

 private:
  bool IsBatch(std::int64_t time) const { return std::ranges::binary_search(batches_, time); }

  template <class Fn>
  void ForEachRelation(Fn&& fn) {
    const ArcFilter relations = ArcFilter::Kinds(snapshot_.schema(), EdgeKinds{});
    for (NodeId v = 0; v < later_.size() && !limit_.Up(); ++v) {
      if (!snapshot_.alive(v) || !snapshot_.is_fact(v)) continue;
      snapshot_.ForEachArc(Direction::kOut, v, relations, [&](const Arc& arc) {
        if (const Edge edge = snapshot_.edge(arc, v); edge.source == v) fn(edge);
      });
    }
  }

  void KeepMembers() {
    const ArcFilter members = ArcFilter::Kind(snapshot_.schema(), builtin::kMember);
    for (NodeId v = 0; v < later_.size() && !limit_.Up(); ++v)
      if (snapshot_.alive(v) && snapshot_.node_kind(v) == builtin::kEvent && !later_[v])
        snapshot_.ForEachArc(Direction::kOut, v, members,
                             [&](const Arc& arc) { later_[arc.neighbor] = false; });
  }

  // Ends of earlier edges that have no time of their own.
  void KeepEnds() {
    std::vector<NodeId> kept;
    const auto may_be = [&](NodeId v) {
      return !later_[v] || IsBatch(*snapshot_.i64(builtin::kCreatedAt, v));
    };
    ForEachRelation([&](const Edge& edge) {
      if (edge.created_at > time_ms_ || !may_be(edge.source) || !may_be(edge.target)) return;
      kept.insert(kept.end(), {edge.source, edge.target});
    });
    for (const NodeId node : kept) later_[node] = false;
  }

  const Snapshot& snapshot_;
  const std::int64_t time_ms_;
  TimeLimit& limit_;
  std::vector<bool> later_;            // by node: alive, and later
  std::vector<std::int64_t> batches_;  // ascending
};

}  // namespace

Result<Snapshot> AtEventTime(const Snapshot& snapshot, std::int64_t time_ms, Database* database,
                             const Budget& budget, Executor& executor) {
  TimeLimit limit(budget);
  Then there(snapshot, time_ms, limit);
  PLEXUS_TRY(there.Find(database));
  GraphOptions options;
  options.maintenance = Maintenance::kManual;
  options.executor = &executor;
  const std::unique_ptr<Graph> then = Graph::InMemory(options, snapshot);
  if (!then) return Exhausted("no memory for a copy of the graph");
  const ArcFilter relations = ArcFilter::Kinds(snapshot.schema(), EdgeKinds{});
  WriteBatch batch(snapshot.time_ms());
  std::size_t changes = 0;
  Status applied;
  const auto changed = [&] {
    if (++changes % kBatchChanges != 0) return;
    if (const auto done = then->Apply(batch); !done) applied = std::unexpected(done.error());
    batch = WriteBatch(snapshot.time_ms());
  };
  for (NodeId v = 0; v < snapshot.node_count() && applied && !limit.Up(); ++v) {
    if (there.later(v)) {
      batch.RemoveNode(NodeRef::Id(v));
      changed();
      continue;
    }
    if (!snapshot.is_fact(v)) continue;
    snapshot.ForEachArc(Direction::kOut, v, relations, [&](const Arc& arc) {
      if (there.later(arc.neighbor)) return true;  // it goes with the node
      const Edge edge = snapshot.edge(arc, v);
      if (edge.source != v || !there.later(edge)) return true;
      batch.Unlink(NodeRef::Id(v), edge.kind, NodeRef::Id(edge.target),
                   snapshot.string(edge.label));
      changed();
      return applied.has_value();
    });
  }
  PLEXUS_TRY(applied);
  if (limit.was_up()) return Cancelled("not all records were looked at for their times");
  if (changes == 0) return snapshot;
  PLEXUS_TRY(then->Apply(batch));
  // Cursors and replies name the sequence.
  return then->snapshot().Numbered(snapshot.sequence(), std::min(time_ms, snapshot.time_ms()));
}

}  // namespace plexus::tools
