// Groups: counting sort, then each by time. Edges: compare, count, fill, hand over.
#include <algorithm>
#include <utility>

#include "algorithms/memory/ledger/internal/ledger_read.h"
#include "algorithms/memory/turns/internal/sources.h"

namespace plexus::memory::internal {

namespace {

struct Membership {
  NodeId group, turn;
};

std::vector<Membership> ReadMemberships(const Snapshot& snapshot, EdgeKindId kind,
                                        const NodeSubset& turns, bool one_each,
                                        std::uint64_t& more) {
  const ArcFilter filter = ArcFilter::Kind(snapshot.schema(), kind);
  std::vector<Membership> list;
  snapshot.ScanArcs(Direction::kOut, 0, std::min(turns.capacity(), snapshot.node_count()), filter,
                    [&](NodeId turn, const Arc& arc) {
                      if (!turns.contains(turn)) return;
                      if (!list.empty() && list.back().turn == turn) {
                        if (list.back().group == arc.neighbor) return;  // another label
                        if (one_each) {
                          ++more;
                          return;
                        }
                      }
                      list.push_back({arc.neighbor, turn});
                    });
  return list;
}

}  // namespace

std::int64_t TurnTime(const Snapshot& snapshot, NodeId turn) {
  return snapshot.i64(builtin::kCreatedAt, turn).value_or(kNoTime);
}

bool EarlierTurn(const Snapshot& snapshot, NodeId a, NodeId b) {
  const std::int64_t at = TurnTime(snapshot, a), bt = TurnTime(snapshot, b);
  return at != bt ? at < bt : a < b;
}

TurnGroups ReadTurnGroups(const Snapshot& snapshot, EdgeKindId kind, const NodeSubset& turns,
                          bool one_each, Executor& executor) {
  TurnGroups groups;
  const std::vector<Membership> list =
      ReadMemberships(snapshot, kind, turns, one_each, groups.more);
  std::vector<std::uint64_t> count(snapshot.node_count(), 0);
  for (const Membership& m : list) ++count[m.group];
  for (NodeId node = 0; node < snapshot.node_count(); ++node) {
    if (count[node] == 0) continue;
    groups.nodes.push_back(node);
    groups.begins.push_back(groups.begins.back() + count[node]);
    count[node] = groups.begins.end()[-2];  // where the next of its turns goes
  }
  groups.turns.resize(list.size());
  for (const Membership& m : list) groups.turns[count[m.group]++] = m.turn;
  ParallelFor(executor, groups.size(), 256, [&](std::size_t begin, std::size_t end) {
    std::vector<std::pair<std::int64_t, NodeId>> timed;
    for (std::size_t g = begin; g < end; ++g) {
      const std::span own = std::span(groups.turns)
                                .subspan(groups.begins[g], groups.begins[g + 1] - groups.begins[g]);
      timed.clear();
      for (const NodeId turn : own) timed.emplace_back(TurnTime(snapshot, turn), turn);
      std::ranges::sort(timed);
      for (std::size_t i = 0; i < own.size(); ++i) own[i] = timed[i].second;
    }
  });
  return groups;
}

TouchedNodes::TouchedNodes(const Snapshot& snapshot, const EdgeRecipe& recipe,
                           const BuildOptions& options)
    : all_(options.changes == nullptr) {
  if (all_) return;
  touched_.resize(snapshot.node_count(), 0);
  const auto touch = [&](NodeId node) {
    if (node >= touched_.size()) return;
    touched_[node] = 1;
    any_ = true;
  };
  // A turn that is another one, or in another session, may have left any that it has an edge to.
  const auto touch_groups = [&](NodeId turn) {
    if (recipe.groups == kNoEdgeKind || turn >= touched_.size()) return;
    snapshot.ForEachArc(Direction::kOut, turn, ArcFilter::Kind(snapshot.schema(), recipe.groups),
                        [&](const Arc& arc) { touch(arc.neighbor); });
  };
  const bool events = recipe.source == PairSource::kComposed;
  for (const StateChanges::Edge& edge : options.changes->edges)
    if (edge.kind == recipe.kind || edge.kind == recipe.groups ||
        (events && (edge.kind == builtin::kMember || edge.kind == builtin::kLabels))) {
      touch(edge.source);
      touch(edge.target);
      if (edge.kind == recipe.groups) touch_groups(edge.source);
    }
  for (const NodeId node : options.changes->nodes) {
    touch(node);
    touch_groups(node);
  }
  for (const StateChanges::Column& change : options.changes->columns)
    if (change.column == builtin::kCreatedAt) touch(change.node);
  if (recipe.weight == PairWeight::kCosine)
    for (const StateChanges::Vector& change : options.changes->vectors)
      if (change.space == options.space) touch(change.node);
  if (recipe.weight == PairWeight::kReward)
    for (const StateChanges::Payload& change : options.changes->payloads)
      if (change.field == NodeField::kProperties) touch(change.node);
}

bool TouchedNodes::group(const TurnGroups& groups, std::size_t index) const {
  if (all_ || touched_[groups.nodes[index]]) return true;
  return any_ && std::ranges::any_of(groups[index], [&](NodeId turn) { return touched_[turn]; });
}

void FirstError::Note(std::size_t index, Error error) {
  const std::lock_guard lock(mutex_);
  if (error_ && index_ <= index) return;
  index_ = index;
  error_ = std::move(error);
}

Status FirstError::Take() {
  if (error_) return std::unexpected(*std::move(error_));
  return {};
}

EdgeWriter::EdgeWriter(const Snapshot& snapshot, const EdgeRecipe& recipe,
                       const BuildOptions& options, const ApplyBatch& apply, BuildReport& report)
    : snapshot_(snapshot),
      recipe_(recipe),
      options_(options),
      apply_(apply),
      report_(report),
      executor_(options.run.executor ? *options.run.executor : DefaultExecutor()),
      created_by_("build:" + std::string(recipe.name)),
      owner_(snapshot.FindString(created_by_)),
      batch_(options.now_ms) {}

Result<EdgeWriter::State> EdgeWriter::StateOf(const BuiltEdge& edge) const {
  const auto label = edge.label.empty() ? StringId{0} : snapshot_.FindString(edge.label);
  if (!label) return State::kNew;
  const auto stored = snapshot_.FindEdge(edge.source, recipe_.kind, edge.target, *label);
  if (!stored) return State::kNew;
  if (stored->weight != edge.weight) return State::kChanged;
  if (edge.properties.empty()) return State::kSame;
  if (!stored->properties) return State::kChanged;
  PLEXUS_ASSIGN(const std::string bytes, snapshot_.PayloadOrEmpty(stored->properties));
  return bytes == edge.properties ? State::kSame : State::kChanged;
}

Status EdgeWriter::Add(std::vector<BuiltEdge>& edges) {
  std::vector<State> states(edges.size());
  FirstError error;
  ParallelFor(executor_, edges.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Result<State> state = StateOf(edges[i]);
      if (!state) return error.Note(i, std::move(state.error()));
      states[i] = *state;
    }
  });
  PLEXUS_TRY(error.Take());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const BuiltEdge& edge = edges[i];
    if (states[i] == State::kSame) {
      ++report_.same;
      continue;
    }
    ++(states[i] == State::kNew ? report_.added : report_.changed);
    WriteBatch::EdgeInput input;
    input.source = NodeRef::Id(edge.source);
    input.target = NodeRef::Id(edge.target);
    input.kind = recipe_.kind;
    input.label = edge.label;
    input.weight = edge.weight;
    input.created_by = created_by_;
    if (!edge.properties.empty()) input.properties = edge.properties;
    batch_.ExpectNode(input.source);
    batch_.ExpectNode(input.target);
    batch_.Link(input);
    PLEXUS_TRY(FinishWhenFull());
  }
  edges.clear();
  return {};
}

Status EdgeWriter::Unlink(NodeId source, NodeId target, std::string_view label) {
  ++report_.removed;
  batch_.Unlink(NodeRef::Id(source), recipe_.kind, NodeRef::Id(target), label);
  return FinishWhenFull();
}

Status EdgeWriter::SetProperties(NodeId node, std::string_view bytes) {
  batch_.ExpectNode(NodeRef::Id(node));
  batch_.ExpectPayload(NodeRef::Id(node), NodeField::kProperties,
                       snapshot_.payload_ref(node, NodeField::kProperties));
  batch_.SetPayload(NodeRef::Id(node), NodeField::kProperties, bytes);
  return FinishWhenFull();
}

Status EdgeWriter::FinishWhenFull() {
  return ++in_batch_ < options_.batch_edges ? Status() : Finish();
}

Status EdgeWriter::Finish() {
  if (in_batch_ == 0) return {};
  if (apply_) PLEXUS_TRY(apply_(batch_));
  ++report_.batches;
  batch_.Clear();
  in_batch_ = 0;
  return {};
}

bool EdgeWriter::Stopped() {
  if (report_.truncated) return true;
  report_.truncated = options_.run.budget.Interrupted() ||
                      (options_.progress && !options_.progress->Report("building", done_, total_));
  return report_.truncated;
}

}  // namespace plexus::memory::internal
