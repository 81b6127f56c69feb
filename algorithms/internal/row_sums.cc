// Running sums over groups of rows, and the groups that the delta touches.
#include "algorithms/internal/row_sums.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "algorithms/internal/collect.h"
#include "algorithms/internal/pull_sum.h"

namespace plexus::internal {

namespace {

// sums[r] = sum of term(i) over [end(r - 1), end(r)), by differences of a running sum that
// begins anew every `chunk` arcs; what a row has from the chunks before is carried apart,
// so that a long row's roundings are those of its chunks. ahead(i) asks for
// what the terms from i on will need later.
template <class Term, class End, class Ahead>
void SumRows(std::uint32_t count, std::size_t rows, std::uint32_t chunk, double* running, double* sums,
             Term&& term, End&& end, Ahead&& ahead) {
  double carried = 0;  // of the row at work
  std::uint32_t at = 0;
  for (std::size_t row = 0; row < rows;) {
    const std::uint32_t stop = count - at > chunk ? at + chunk : count;
    double* to = running;
    double sum = *to = 0, start = -carried;
    std::uint32_t i = at;
    for (; i + 4 <= stop; i += 4, to += 4) {
      ahead(i);
      const double a = term(i), b = term(i + 1), c = term(i + 2), d = term(i + 3);
      const double first = a + b, second = c + d;
      to[1] = sum + a;
      to[2] = sum + first;
      to[3] = sum + (first + c);
      sum += first + second;
      to[4] = sum;
    }
    for (; i < stop; ++i) *++to = sum += term(i);
    for (; row < rows && end(row) <= stop; ++row) {
      const double here = running[end(row) - at];
      sums[row] = here - start;
      start = here;
    }
    carried = sum - start;
    at = stop;
  }
}

}  // namespace

RowSums::RowSums(const LiveRows& rows, bool weighted, Executor& executor)
    : rows_(rows), weighted_(weighted) {
  const std::size_t groups = (rows.node_count + kGroup - 1) / kGroup;
  auto group_end = [&](std::size_t group) { return std::min<std::size_t>((group + 1) * kGroup, rows.node_count); };
  touched_ = Collect<std::size_t>(executor, rows.live ? groups : 0, [&](std::size_t group) {
    for (std::size_t v = group * kGroup; v < group_end(group); ++v)
      if (!rows.clean(Direction::kIn, static_cast<NodeId>(v))) return true;
    return false;
  });
  for (const std::size_t group : touched_) {
    std::uint64_t arcs = 0;
    for (std::size_t v = group * kGroup; v < group_end(group); ++v)
      arcs += rows.Degree(Direction::kIn, static_cast<NodeId>(v));
    most_arcs_ = std::max(most_arcs_, arcs);
  }
  longest_ = ParallelReduce(
      executor, rows.node_count, 128 * kGroup, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::uint64_t longest = 0;
        for (std::size_t v = begin; v < end; ++v)
          longest = std::max(longest, rows.Degree(Direction::kIn, static_cast<NodeId>(v)));
        return longest;
      },
      [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
}

void RowSums::Reserve(const Executor& executor, std::size_t blocks) {
  pool_.Reserve(executor, blocks);
  for (const auto& scratch : pool_.idle()) scratch->terms.resize(most_arcs_);
}

void RowSums::Pull(std::size_t begin, std::size_t end, const double* values, double* sums) {
  std::unique_ptr<Scratch> scratch = pool_.Take();
  auto touched = std::lower_bound(touched_.begin(), touched_.end(), begin / kGroup);
  const bool weighted = weighted_ && !rows_.in.weights.empty();
  for (std::size_t at = begin; at < end; at += kGroup) {
    const std::size_t stop = std::min(at + kGroup, end);
    double* const to = sums + (at - begin);
    if (touched != touched_.end() && *touched == at / kGroup) {
      PullTouched(at, stop, values, to, *scratch);
      ++touched;
    } else if (weighted) {
      PullClean<true>(at, stop, values, to, *scratch);
    } else {
      PullClean<false>(at, stop, values, to, *scratch);
    }
  }
  pool_.Give(std::move(scratch));
}

template <bool kWeighted>
void RowSums::PullClean(std::size_t begin, std::size_t end, const double* values, double* sums,
                        Scratch& scratch) const {
  const std::uint32_t* const ends = rows_.in.offsets.data() + begin + 1;
  for (std::size_t ahead = 0; ahead < kGroup; ahead += 16) __builtin_prefetch(ends + kPullAhead + ahead);
  const std::uint32_t first = ends[-1];
  const NodeId* const neighbors = rows_.in.neighbors.data() + first;
  const float* const weights = kWeighted ? rows_.in.weights.data() + first : nullptr;
  SumRows(
      rows_.in.offsets[end] - first, end - begin, kChunk, scratch.running.data(), sums,
      [=](std::uint32_t i) {
        double value = values[neighbors[i]];
        if constexpr (kWeighted) value *= static_cast<double>(weights[i]);
        return value;
      },
      [=](std::size_t row) { return ends[row] - first; },
      [=](std::uint32_t i) {
        __builtin_prefetch(neighbors + i + kPullAhead);
        if constexpr (kWeighted) __builtin_prefetch(weights + i + kPullAhead);
      });
}

void RowSums::PullTouched(std::size_t begin, std::size_t end, const double* values, double* sums,
                          Scratch& scratch) const {
  if (scratch.terms.size() < most_arcs_) scratch.terms.resize(most_arcs_);
  double* to = scratch.terms.data();
  for (std::size_t v = begin; v < end; ++v) {
    const NodeId node = static_cast<NodeId>(v);
    if (!weighted_ && rows_.clean(Direction::kIn, node)) {
      const std::uint32_t stop = rows_.in.offsets[v + 1];
      for (std::uint32_t a = rows_.in.offsets[v]; a < stop; ++a) *to++ = values[rows_.in.neighbors[a]];
    } else {
      rows_.ForEachArc(Direction::kIn, node,
                       [&](NodeId u, double weight) { *to++ = weighted_ ? values[u] * weight : values[u]; });
    }
    scratch.ends[v - begin] = static_cast<std::uint32_t>(to - scratch.terms.data());
  }
  SumRows(
      scratch.ends[end - begin - 1], end - begin, kChunk, scratch.running.data(), sums,
      [&](std::uint32_t i) { return scratch.terms[i]; }, [&](std::size_t row) { return scratch.ends[row]; },
      [](std::uint32_t) {});
}

}  // namespace plexus::internal
