// Scan or gather, a small best-list per block, one merge at the end.
//
// The scan measures a stretch of rows first and looks up which node a row belongs to only
// when its rank would enter the block's list: measuring is bound by memory, asking by
// latency. Blocks are cut by row, and the k best of a union are the k best of the
// parts' k best, so neither blocks nor threads show in the answer. Many queries share the pass:
// each stretch is measured for all of them while it is in cache.
#include "algorithms/retrieval/vectors.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "algorithms/common/internal/top_k.h"
#include "algorithms/retrieval/internal/best_list.h"
#include "algorithms/retrieval/internal/vectors/candidate_search.h"
#include "algorithms/retrieval/internal/vectors/narrow_rows.h"
#include "algorithms/retrieval/internal/vectors/row_reader.h"
#include "engine/out_of_memory.h"

namespace plexus::retrieval {

namespace internal {

Result<SpaceQuery> SpaceQuery::Make(const Snapshot& snapshot, SpaceId space,
                                    std::span<const float> query, std::optional<Metric> metric,
                                    SimdLevel level) try {
  PLEXUS_ASSIGN(const VectorView* view, snapshot.vectors(space));
  const VectorSpace& defined = snapshot.schema().spaces()[space];
  if (query.size() != defined.dimensions)
    return Invalid("the query has ", query.size(), " values, space '", defined.name, "' has ",
                   defined.dimensions, " dimensions");
  for (std::size_t i = 0; i < query.size(); ++i)
    if (!std::isfinite(query[i]))
      return Invalid("value ", i, " of the query is not a finite number");
  return SpaceQuery(*view, space, query, metric.value_or(defined.metric), level);
}
PLEXUS_CATCH_NO_MEMORY

void SpaceQuery::RankMany(std::span<const SpaceQuery> queries, Rows rows, std::span<double> ranks) {
  if (queries.size() == 1) return queries[0].Rank(rows, ranks.data());
  constexpr std::size_t kMost = 16;
  const VectorQuery* measured[kMost] = {};
  double* out[kMost] = {};
  PLEXUS_CHECK(queries.size() <= kMost, "at most 16 queries in one pass");
  for (std::size_t q = 0; q < queries.size(); ++q) {
    measured[q] = &queries[q].query_;
    out[q] = ranks.data() + q * rows.count;
  }
  VectorQuery::MeasureMany({measured, queries.size()}, rows, out);
  if (queries[0].metric_ == Metric::kL2)
    for (double& rank : ranks.first(queries.size() * rows.count)) rank = -rank;
}

std::vector<RankedNode> SpaceQuery::RankNodes(std::span<const NodeId> nodes,
                                              Executor& executor) const {
  std::vector<RankedNode> ranked(nodes.size());
  ParallelFor(executor, nodes.size(), 512, [&](std::size_t begin, std::size_t end) {
    constexpr std::size_t kAhead = 8, kLines = 16;
    RowReader reader(*view_, level_);
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kAhead < end) {
        // Of long rows the first lines are enough: the hardware continues by itself.
        const std::string_view next = view_->bytes(nodes[i + kAhead]);
        for (std::size_t line = 0; line < kLines && line * 64 < next.size(); ++line)
          __builtin_prefetch(next.data() + line * 64);
      }
      ranked[i].node = nodes[i];
      Rank({reader.Vector(nodes[i]), view_->stride(), 1}, &ranked[i].rank);
    }
  });
  return ranked;
}

namespace {

// Rows measured before any is looked at: more queries want them in a nearer cache.
std::uint32_t Stretch(std::size_t queries) { return queries == 1 ? 256 : 64; }

// best[q] of queries[q].
std::vector<std::vector<RankedNode>> ScanBlock(std::span<const SpaceQuery> queries,
                                               const common_internal::Selection& selection,
                                               NodeId skip, std::size_t top, std::uint32_t begin,
                                               std::uint32_t end) {
  const VectorView& view = queries[0].view();
  const std::uint32_t stretch = Stretch(queries.size());
  RowReader reader(view, queries[0].level());
  std::vector<BestList<RankedNode>> best(queries.size(), BestList<RankedNode>(top));
  std::vector<double> ranks(queries.size() * stretch);
  for (std::uint32_t row = begin; row < end;) {
    VectorView::Stretch stored = view.rows_from(row);
    stored.count = std::min({stretch, end - row, stored.count});
    const Rows rows = reader.Read(stored);
    const auto count = static_cast<std::uint32_t>(rows.count);
    SpaceQuery::RankMany(queries, rows, ranks);
    for (std::size_t q = 0; q < queries.size(); ++q)
      for (std::uint32_t i = 0; i < count; ++i) {
        const double rank = ranks[q * count + i];
        if (best[q].full() && rank < best[q].worst().rank) continue;
        const NodeId node = view.node_of_row(row + i);
        if (node != kNoNode && node != skip && selection.contains(node)) best[q].Add({rank, node});
      }
    row += count;
  }
  std::vector<std::vector<RankedNode>> lists;
  for (BestList<RankedNode>& list : best) lists.push_back(list.Take());
  return lists;
}

// Of the first `rows` rows.
std::vector<NearestRanks> Scan(std::span<const SpaceQuery> queries,
                               const common_internal::Selection& selection, std::uint32_t rows,
                               const NearestOptions& options, Executor& executor) {
  const std::size_t grain =
      std::max<std::size_t>(4096, 16 * std::min<std::size_t>(options.top, rows));
  struct Part {
    std::vector<std::vector<RankedNode>> best;  // by query
    std::size_t measured = 0;
  };
  std::vector<Part> parts((rows + grain - 1) / grain);
  ParallelFor(executor, rows, grain, [&](std::size_t begin, std::size_t end) {
    parts[begin / grain] = {
        ScanBlock(queries, selection, options.skip, options.top, static_cast<std::uint32_t>(begin),
                  static_cast<std::uint32_t>(end)),
        end - begin};
  });
  std::vector<NearestRanks> all(queries.size());
  for (const Part& part : parts)
    for (std::size_t q = 0; q < part.best.size(); ++q) {
      all[q].ranked.insert(all[q].ranked.end(), part.best[q].begin(), part.best[q].end());
      all[q].measured += part.measured;
    }
  for (NearestRanks& found : all) found.exact = found.measured;
  return all;
}

// The same by way of narrow rows; absent where that does not pay, or the executor was stopped.
std::optional<NearestRanks> ScanNarrow(const Snapshot& snapshot, const SpaceQuery& query,
                                       const common_internal::Selection& selection,
                                       std::uint32_t rows, const NearestOptions& options,
                                       common_internal::StoppableExecutor& executor) {
  if (options.top == 0 || options.top > rows / 16) return std::nullopt;
  const auto narrow =
      NarrowRows::Of(snapshot, query.space(), executor, [&] { return executor.stopped(); });
  if (executor.stopped()) return std::nullopt;
  const NarrowQuery bounds(query.query(), narrow->stride(), query.metric(), options.level);
  const auto nodes = NarrowCandidates(query.view(), *narrow, bounds, selection, options.skip,
                                      options.top, rows, executor);
  if (!nodes || executor.stopped()) return std::nullopt;
  NearestRanks found{.ranked = query.RankNodes(*nodes, executor), .measured = rows};
  found.exact = found.ranked.size();
  return found;
}

}  // namespace

NearestRanks RankNodesWithin(const SpaceQuery& query, std::vector<NodeId> nodes,
                             const Budget& budget, common_internal::StoppableExecutor& executor) {
  NearestRanks found;
  if (nodes.size() > budget.nodes) {
    nodes.resize(budget.nodes);
    found.truncated = true;
  }
  if (!executor.stopped()) found.ranked = query.RankNodes(nodes, executor);
  std::erase_if(found.ranked, [](const RankedNode& r) { return r.node == kNoNode; });
  found.measured = found.exact = found.ranked.size();
  found.truncated |= executor.stopped();
  return found;
}

Result<std::vector<NearestRanks>> RankNearestMany(const Snapshot& snapshot,
                                                  std::span<const SpaceQuery> queries,
                                                  const NearestOptions& options) {
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, GraphFilter{.subset = options.subset}));
  common_internal::StoppableExecutor executor(common_internal::Pick(options.run.executor),
                                              options.run.budget);
  std::vector<NearestRanks> all(queries.size());
  if (queries.empty()) return all;
  const VectorView& view = queries[0].view();
  const Prefilter prefilter =
      options.prefilter.value_or(snapshot.schema().spaces()[queries[0].space()].prefilter);
  const auto rows = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(view.row_count(), options.run.budget.nodes));
  if (options.subset && options.subset->count() < view.row_count() / 4) {
    std::vector<NodeId> nodes = options.subset->ToList();
    std::erase_if(nodes, [&](NodeId v) {
      return v >= snapshot.node_count() || v == options.skip || !view.has(v) ||
             !selection.contains(v);
    });
    for (std::size_t q = 0; q < queries.size(); ++q)
      all[q] = RankNodesWithin(queries[q], nodes, options.run.budget, executor);
  } else if (prefilter != Prefilter::kNone) {
    for (std::size_t q = 0; q < queries.size() && !executor.stopped(); ++q) {
      std::optional<NearestRanks> narrow =
          ScanNarrow(snapshot, queries[q], selection, rows, options, executor);
      all[q] = narrow ? std::move(*narrow)
                      : Scan(queries.subspan(q, 1), selection, rows, options, executor)[0];
      all[q].truncated = rows < view.row_count();
    }
  } else if (!executor.stopped()) {
    constexpr std::size_t kAtOnce = 16;
    for (std::size_t q = 0; q < queries.size(); q += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, queries.size() - q);
      std::ranges::move(Scan(queries.subspan(q, count), selection, rows, options, executor),
                        all.begin() + static_cast<std::ptrdiff_t>(q));
    }
    for (NearestRanks& found : all) found.truncated = rows < view.row_count();
  }
  for (NearestRanks& found : all) {
    found.truncated |= executor.stopped();
    common_internal::SortTopK(found.ranked, options.top);
  }
  return all;
}

Result<NearestRanks> RankNearest(const Snapshot& snapshot, const SpaceQuery& query,
                                 const NearestOptions& options) {
  PLEXUS_ASSIGN(std::vector<NearestRanks> all, RankNearestMany(snapshot, {&query, 1}, options));
  return std::move(all[0]);
}

}  // namespace internal

Result<std::vector<NearestResult>> NearestMany(const Snapshot& snapshot, SpaceId space,
                                               std::span<const std::span<const float>> queries,
                                               const NearestOptions& options) try {
  std::vector<internal::SpaceQuery> prepared;
  for (const std::span<const float> query : queries) {
    PLEXUS_ASSIGN(
        internal::SpaceQuery made,
        internal::SpaceQuery::Make(snapshot, space, query, options.metric, options.level));
    prepared.push_back(std::move(made));
  }
  PLEXUS_ASSIGN(const std::vector<internal::NearestRanks> all,
                internal::RankNearestMany(snapshot, prepared, options));
  std::vector<NearestResult> results(all.size());
  for (std::size_t q = 0; q < all.size(); ++q) {
    results[q].measured = all[q].measured;
    results[q].exact = all[q].exact;
    results[q].truncated = all[q].truncated;
    results[q].hits.reserve(all[q].ranked.size());
    for (const internal::RankedNode& r : all[q].ranked)
      results[q].hits.push_back(prepared[q].ToSimilar(r));
  }
  return results;
}
PLEXUS_CATCH_NO_MEMORY

Result<NearestResult> Nearest(const Snapshot& snapshot, SpaceId space, std::span<const float> query,
                              const NearestOptions& options) {
  PLEXUS_ASSIGN(std::vector<NearestResult> results,
                NearestMany(snapshot, space, {&query, 1}, options));
  return std::move(results[0]);
}

}  // namespace plexus::retrieval
