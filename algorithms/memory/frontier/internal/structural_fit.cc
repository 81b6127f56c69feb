// Counting the edges around a node, and the cosine of two such counts.
#include "algorithms/memory/frontier/internal/structural_fit.h"

#include <algorithm>
#include <cmath>

#include "engine/vocabulary.h"

namespace plexus::memory::internal {

namespace {

constexpr std::uint32_t kSlots = 6;  // of a kind: direction (out, in, symmetric) and hop

// fn(neighbor, slot of hop 1) for the walked arcs of a row, loops left out.
template <class Fn>
void ForEachWalked(const common_internal::Selection& walked, NodeId node, Fn&& fn) {
  const Schema& schema = walked.snapshot->schema();
  walked.snapshot->ForEachArc(Direction::kBoth, node, walked.filter, [&](const Arc& arc) {
    if (arc.neighbor == node || !walked.contains(arc.neighbor)) return;
    const std::uint32_t direction = schema.edge_kind(arc.kind).symmetric   ? 2
                                    : arc.ref.direction == Direction::kOut ? 0
                                                                           : 1;
    fn(arc.neighbor, std::uint32_t{arc.kind.value()} * kSlots + direction * 2);
  });
}

}  // namespace

Result<common_internal::Selection> SelectWalked(const Snapshot& snapshot, const EdgeKinds& kinds,
                                                std::int64_t now_ms, const NodeSubset* inside) {
  GraphFilter filter{.kinds = kinds, .valid_at = now_ms, .subset = inside};
  const auto& all = snapshot.schema().edge_kinds();
  for (std::size_t k = 0; !kinds.given() && k < all.size(); ++k)
    if (!all[k].name.empty() && all[k].plane == Plane::kFact && !all[k].suppresses &&
        EdgeKindId(k) != builtin::kContradicts)
      filter.kinds.push_back(EdgeKindId(k));
  return common_internal::Select(snapshot, filter);
}

std::vector<NodeId> WalkedNeighbors(const common_internal::Selection& walked, NodeId node) {
  std::vector<NodeId> neighbors;
  ForEachWalked(walked, node, [&](NodeId v, std::uint32_t) { neighbors.push_back(v); });
  std::sort(neighbors.begin(), neighbors.end());
  neighbors.erase(std::unique(neighbors.begin(), neighbors.end()), neighbors.end());
  return neighbors;
}

StructuralProfile ProfileOf(const common_internal::Selection& walked, NodeId node) {
  std::vector<double> counts(walked.snapshot->schema().edge_kinds().size() * kSlots);
  ForEachWalked(walked, node, [&](NodeId, std::uint32_t slot) { counts[slot] += 1; });
  for (const NodeId v : WalkedNeighbors(walked, node))
    ForEachWalked(walked, v, [&](NodeId back, std::uint32_t slot) {
      if (back != node) counts[slot + 1] += 1;
    });
  StructuralProfile profile;
  for (std::uint32_t slot = 0; slot < counts.size(); ++slot) {
    if (counts[slot] == 0) continue;
    profile.counts.emplace_back(slot, counts[slot]);
    profile.squares += counts[slot] * counts[slot];
  }
  return profile;
}

double FitOf(const StructuralProfile& a, const StructuralProfile& b) {
  if (a.counts.empty() || b.counts.empty()) return 0;
  double product = 0;
  auto at = b.counts.begin();
  for (const auto& [slot, count] : a.counts) {
    while (at != b.counts.end() && at->first < slot) ++at;
    if (at == b.counts.end()) break;
    if (at->first == slot) product += count * at->second;
  }
  return product / std::sqrt(a.squares * b.squares);  // of whole numbers: rounded once
}

double StructuralFit::operator()(std::span<const NodeId> members) {
  if (kept_.size() > kMaxKept) kept_.clear();
  for (const NodeId v : members)
    if (!kept_.contains(v)) kept_.emplace(v, ProfileOf(*walked_, v));
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = i + 1; j < members.size(); ++j) {
      sum += FitOf(kept_.at(members[i]), kept_.at(members[j]));
      pairs += 1;
    }
  return sum / pairs;
}

}  // namespace plexus::memory::internal
