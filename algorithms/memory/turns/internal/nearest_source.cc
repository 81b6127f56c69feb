// Nearest: the pairs of an exact join of all vectors with each other.
#include <algorithm>

#include "algorithms/memory/turns/internal/sources.h"
#include "algorithms/retrieval/vectors.h"

namespace plexus::memory::internal {
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
  const TouchedNodes touched(writer.snapshot(), recipe, writer.options());
  if (!touched.any()) {
    writer.report().same = CountStored(writer, recipe.label);
    return {};
  }
  retrieval::VectorJoinOptions options;
  options.top = recipe.top;
  options.above = recipe.above;
  options.subset = &turns;
  options.run = writer.options().run;
  std::vector<retrieval::VectorJoinPair> pairs;
  std::vector<BuiltEdge> edges;
  const auto write = [&]() -> Status {
    for (std::size_t at = 0; at < pairs.size() && !writer.Stopped(); at += kPiece) {
      edges.clear();
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
