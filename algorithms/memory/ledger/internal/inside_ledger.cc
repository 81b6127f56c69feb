// A ledger cut to a set of nodes: the rows of members made anew, those of events as they are.
#include "algorithms/memory/ledger/internal/inside_ledger.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/vocabulary.h"

namespace plexus::memory::internal {

namespace {

class CutLedger final : public LedgerIndex {
 public:
  CutLedger(std::shared_ptr<const LedgerIndex> whole, const NodeSubset& inside, NodeId nodes)
      : whole_(std::move(whole)), begins_(std::size_t{nodes} + 1, 0), outcomes_(nodes, 0) {
    std::vector<std::uint64_t> words((std::size_t{nodes} + 63) / 64, 0);
    for (const NodeId event : whole_->newest()) {
      if (!IsInside(*whole_, event, inside)) continue;
      newest_.push_back(event);
      words[event / 64] |= std::uint64_t{1} << (event % 64);
      for (const NodeId member : whole_->members(event)) {
        ++begins_[std::size_t{member} + 1];
        outcomes_[member] |= whole_->event_outcomes(event);
      }
    }
    shown_ = NodeSubset(nodes, std::move(words));
    for (std::size_t v = 0; v < nodes; ++v) begins_[v + 1] += begins_[v];
    events_.resize(begins_[nodes]);
    std::vector<std::size_t> ends(begins_.begin(), begins_.end() - 1);
    for (const NodeId event : shown_.ToList())
      for (const NodeId member : whole_->members(event)) events_[ends[member]++] = event;
  }

  std::span<const NodeId> newest() const override { return newest_; }
  std::span<const NodeId> events(NodeId member) const override {
    return std::span(events_).subspan(begins_[member], begins_[member + 1] - begins_[member]);
  }
  std::span<const NodeId> members(NodeId event) const override {
    return shown_.contains(event) ? whole_->members(event) : std::span<const NodeId>();
  }
  std::span<const NodeId> labels(NodeId event) const override {
    return shown_.contains(event) ? whole_->labels(event) : std::span<const NodeId>();
  }
  OutcomeSet event_outcomes(NodeId event) const override {
    return shown_.contains(event) ? whole_->event_outcomes(event) : 0;
  }
  OutcomeSet member_outcomes(NodeId member) const override { return outcomes_[member]; }

 private:
  std::shared_ptr<const LedgerIndex> whole_;
  NodeSubset shown_;  // the events
  std::vector<NodeId> newest_, events_;
  std::vector<std::size_t> begins_;   // of a member's events
  std::vector<OutcomeSet> outcomes_;  // by member
};

}  // namespace

bool IsInside(const LedgerIndex& ledger, NodeId event, const NodeSubset& inside) {
  return std::ranges::all_of(ledger.members(event),
                             [&](NodeId member) { return inside.contains(member); });
}

Result<std::shared_ptr<const LedgerIndex>> LedgerInside(const Snapshot& snapshot,
                                                        const NodeSubset* inside,
                                                        Executor* executor) {
  PLEXUS_ASSIGN(std::shared_ptr<const LedgerIndex> whole, LedgerIndex::Of(snapshot, executor));
  if (!inside) return whole;
  return std::make_shared<const CutLedger>(std::move(whole), *inside, snapshot.node_count());
}

Result<NodeSubset> WalkableInside(const Snapshot& snapshot, const NodeSubset& inside,
                                  Executor* executor) {
  PLEXUS_ASSIGN(const auto ledger, LedgerInside(snapshot, &inside, executor));
  const NodeId nodes = snapshot.node_count();
  std::vector<std::uint64_t> words((std::size_t{nodes} + 63) / 64, 0);
  const auto add = [&](NodeId v) { words[v / 64] |= std::uint64_t{1} << (v % 64); };
  for (NodeId v = 0; v < nodes; ++v) {
    const NodeKindId kind = snapshot.node_kind(v);
    if (snapshot.alive(v) && !snapshot.is_fact(v) && kind != builtin::kEvent &&
        kind != builtin::kOutcome)
      add(v);
  }
  for (const NodeId event : ledger->newest()) {
    add(event);
    for (const NodeId label : ledger->labels(event)) add(label);
  }
  return NodeSubset(nodes, std::move(words)).Unite(inside);
}

}  // namespace plexus::memory::internal
