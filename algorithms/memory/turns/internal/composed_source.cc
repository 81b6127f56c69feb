// Composed: facts that were members of one event, by how many of their events they share.
//
// An event whose outcomes close it, and none of which says that it helped, ties nobody.
#include <algorithm>

#include "algorithms/memory/ledger/internal/outcome_types.h"
#include "algorithms/memory/ledger/ledger.h"
#include "algorithms/memory/turns/internal/sources.h"
#include "engine/properties/properties.h"

namespace plexus::memory::internal {
namespace {

OutcomeSet Types(std::initializer_list<std::string_view> names) {
  OutcomeSet set = 0;
  for (const std::string_view name : names) set |= OutcomeBit(name);
  return set;
}

class Composed {
 public:
  Composed(EdgeWriter& writer, const LedgerIndex& index)
      : writer_(writer),
        snapshot_(writer.snapshot()),
        index_(index),
        closing_(Types({"dead_end", "rejected", "bad_severity", "user_demoted", "closed_by_scope",
                        "closed_by_duplicate", "closed_by_false_assumption", "closed_by_user",
                        "expired_lane", "duplicate_risk", "unhelpful", "failed", "wrong"})),
        helping_(Types({"accepted", "helpful", "submitted", "user_promoted", "success"})) {}

  Status Run() {
    std::vector<std::uint32_t> events(snapshot_.node_count(), 0);
    for (const NodeId event : index_.newest()) {
      if (!Ties(event)) {
        ++writer_.report().skipped;
        continue;
      }
      ++writer_.report().groups;
      std::uint64_t all = 0;
      for (const NodeId member : index_.members(event)) all += Counts(member);
      const std::vector<NodeId> taken = Taken(event);
      for (const NodeId member : taken) ++events[member];
      writer_.report().capped += Pairs(all) - Pairs(taken.size());
    }
    writer_.Expect(snapshot_.node_count());
    for (NodeId node = 0; node < snapshot_.node_count(); ++node) {
      writer_.Done(1);
      if (events[node] > 0) PLEXUS_TRY(Take(node, events));
      if (edges_.size() < kPiece && node % kLook != 0) continue;
      PLEXUS_TRY(Flush());
      if (writer_.Stopped()) return {};
    }
    return Flush();
  }

 private:
  static std::uint64_t Pairs(std::uint64_t members) {
    return members < 2 ? 0 : members * (members - 1) / 2;
  }
  bool Ties(NodeId event) const {
    const OutcomeSet outcomes = index_.event_outcomes(event);
    return (outcomes & helping_) != 0 || (outcomes & closing_) == 0;
  }
  bool Counts(NodeId member) const {
    const NodeSubset* within = writer_.options().turns;
    return snapshot_.alive(member) && snapshot_.is_fact(member) &&
           (!within || within->contains(member));
  }
  // The first `window` members that count, by id.
  std::vector<NodeId> Taken(NodeId event) const {
    std::vector<NodeId> taken;
    for (const NodeId member : index_.members(event)) {
      if (taken.size() == writer_.recipe().window) break;
      if (Counts(member)) taken.push_back(member);
    }
    return taken;
  }

  // Edges of `node` with those of larger ids.
  Status Take(NodeId node, const std::vector<std::uint32_t>& events) {
    others_.clear();
    for (const NodeId event : index_.events(node)) {
      if (!Ties(event)) continue;
      const std::vector<NodeId> taken = Taken(event);
      if (!std::ranges::binary_search(taken, node)) continue;
      others_.insert(others_.end(), std::ranges::upper_bound(taken, node), taken.end());
    }
    std::ranges::sort(others_);
    for (std::size_t i = 0; i < others_.size();) {
      std::size_t end = i;
      while (end < others_.size() && others_[end] == others_[i]) ++end;
      const std::uint64_t both = end - i;
      const std::uint64_t either = std::uint64_t{events[node]} + events[others_[i]] - both;
      PropertyMapBuilder made;
      made.Int("events", static_cast<std::int64_t>(both));
      PLEXUS_ASSIGN(std::string properties, made.Finish());
      edges_.push_back({node, others_[i],
                        static_cast<float>(static_cast<double>(both) / static_cast<double>(either)),
                        writer_.recipe().label, std::move(properties)});
      i = end;
    }
    return {};
  }

  Status Flush() {
    PLEXUS_TRY(writer_.Add(edges_));
    edges_.clear();
    return {};
  }

  EdgeWriter& writer_;
  const Snapshot& snapshot_;
  const LedgerIndex& index_;
  const OutcomeSet closing_, helping_;
  std::vector<NodeId> others_;
  std::vector<BuiltEdge> edges_;
};

}  // namespace

std::uint64_t CountStored(const EdgeWriter& writer, std::string_view label) {
  const Snapshot& snapshot = writer.snapshot();
  std::uint64_t count = 0;
  snapshot.ForEachEdge(ArcFilter::Kind(snapshot.schema(), writer.recipe().kind),
                       [&](const Edge& edge) {
                         count += snapshot.string(edge.label) == label && writer.Owns(edge);
                       });
  return count;
}

Status BuildComposed(EdgeWriter& writer) {
  const TouchedNodes touched(writer.snapshot(), writer.recipe(), writer.options());
  if (!touched.any()) {
    writer.report().same = CountStored(writer, writer.recipe().label);
    return {};
  }
  PLEXUS_ASSIGN(const auto index, LedgerIndex::Of(writer.snapshot(), &writer.executor()));
  return Composed(writer, *index).Run();
}

}  // namespace plexus::memory::internal
