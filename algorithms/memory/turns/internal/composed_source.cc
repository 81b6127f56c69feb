// Composed: facts that were members of one event, by how many of their events they share.
//
// An event whose outcomes close it, and none of which says that it helped, ties nobody.
//
// Nearest: the pairs of an exact join of all vectors with each other.
#include <algorithm>

#include "algorithms/memory/ledger/internal/prior_outcomes.h"
#include "algorithms/memory/ledger/ledger.h"
#include "algorithms/memory/turns/internal/sources.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/properties/properties.h"

namespace plexus::memory::internal {

namespace {

class Composed {
 public:
  Composed(EdgeWriter& writer, const LedgerIndex& index)
      : writer_(writer), snapshot_(writer.snapshot()), index_(index) {}

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
      PLEXUS_TRY(writer_.Add(edges_));
      if (writer_.Stopped()) return {};
    }
    return writer_.Add(edges_);
  }

 private:
  static std::uint64_t Pairs(std::uint64_t members) {
    return members < 2 ? 0 : members * (members - 1) / 2;
  }
  bool Ties(NodeId event) const {
    const OutcomeSet outcomes = index_.event_outcomes(event);
    return IsSuccess(outcomes) || !(IsClosed(outcomes) || IsDuplicate(outcomes));
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

  EdgeWriter& writer_;
  const Snapshot& snapshot_;
  const LedgerIndex& index_;
  std::vector<NodeId> others_;
  std::vector<BuiltEdge> edges_;
};

}  // namespace

bool CountUntouched(EdgeWriter& writer) {
  if (TouchedNodes(writer.snapshot(), writer.recipe(), writer.options()).any()) return false;
  const Snapshot& snapshot = writer.snapshot();
  snapshot.ForEachEdge(
      ArcFilter::Kind(snapshot.schema(), writer.recipe().kind), [&](const Edge& edge) {
        writer.report().same +=
            snapshot.string(edge.label) == writer.recipe().label && writer.Owns(edge);
      });
  return true;
}

Status BuildComposed(EdgeWriter& writer) {
  if (CountUntouched(writer)) return {};
  PLEXUS_ASSIGN(const auto index, LedgerIndex::Of(writer.snapshot(), &writer.executor()));
  return Composed(writer, *index).Run();
}

namespace {

// A pair that both turns have among their nearest comes twice, its cosine the same.
void KeepOnce(std::vector<retrieval::VectorJoinPair>& pairs) {
  for (retrieval::VectorJoinPair& pair : pairs)
    if (pair.a > pair.b) std::swap(pair.a, pair.b);
  const auto ends = [](const retrieval::VectorJoinPair& p) { return std::pair(p.a, p.b); };
  std::ranges::sort(pairs,
                    [&](const retrieval::VectorJoinPair& a, const retrieval::VectorJoinPair& b) {
                      return ends(a) != ends(b) ? ends(a) < ends(b) : a.cosine > b.cosine;
                    });
  const auto rest = std::ranges::unique(pairs, {}, ends);
  pairs.erase(rest.begin(), rest.end());
}

}  // namespace

Status BuildNearest(EdgeWriter& writer, const NodeSubset& turns) {
  const EdgeRecipe& recipe = writer.recipe();
  if (CountUntouched(writer)) return {};
  retrieval::VectorJoinOptions options;
  options.top = recipe.top;
  options.above = recipe.above;
  options.subset = &turns;
  options.run = writer.options().run;
  std::vector<retrieval::VectorJoinPair> pairs;
  std::vector<BuiltEdge> edges;
  const auto write = [&]() -> Status {
    for (std::size_t at = 0; at < pairs.size() && !writer.Stopped(); at += kPiece) {
      for (std::size_t i = at; i < std::min(pairs.size(), at + kPiece); ++i)
        edges.push_back(
            {pairs[i].a, pairs[i].b, static_cast<float>(pairs[i].cosine), recipe.label, {}});
      PLEXUS_TRY(writer.Add(edges));
    }
    pairs.clear();
    return {};
  };
  writer.Expect(turns.count());
  PLEXUS_ASSIGN(
      const retrieval::VectorJoinResult joined,
      retrieval::JoinVectors(writer.snapshot(), writer.options().space, options,
                             [&](std::span<const retrieval::VectorJoinPair> some) -> Result<bool> {
                               pairs.insert(pairs.end(), some.begin(), some.end());
                               if (recipe.top == 0 && pairs.size() >= kPiece) PLEXUS_TRY(write());
                               return !writer.Stopped();
                             }));
  writer.report().groups = joined.measured;
  writer.report().skipped = turns.count() - joined.measured;
  // Half of a list of nearest ones is no list.
  if (joined.truncated && recipe.top != 0) pairs.clear();
  if (recipe.top != 0) KeepOnce(pairs);
  PLEXUS_TRY(write());
  writer.report().truncated |= joined.truncated;
  return {};
}

}  // namespace plexus::memory::internal
