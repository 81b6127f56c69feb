// Running sums over groups of rows, and the groups that the delta touches.
#include "algorithms/internal/row_sums.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "algorithms/internal/pagerank_pull.h"

namespace plexus::internal {

namespace {

// sums[r] = sum of term(i) over [end(r - 1), end(r)), by differences of a running sum that
// begins anew, with what the row at work has so far, every `chunk` arcs. ahead(i) asks for
// what the terms from i on will need later.
template <class Term, class End, class Ahead>
void SumRows(std::uint32_t count, std::size_t rows, std::uint32_t chunk, double* running, double* sums,
             Term&& term, End&& end, Ahead&& ahead) {
  double sum = 0, start = 0;
  std::uint32_t at = 0;
  for (std::size_t row = 0; row < rows;) {
    const std::uint32_t stop = count - at > chunk ? at + chunk : count;
    double* to = running;
    *to = sum;
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
    sum -= start;
    start = 0;
    at = stop;
  }
}

}  // namespace

RowSums::RowSums(const LiveRows& rows, bool weighted, Executor& executor)
    : rows_(rows), weighted_(weighted) {
  constexpr std::size_t kGrain = 128 * kGroup;
  struct Part {
    std::vector<std::size_t> touched;
    std::uint64_t most_arcs = 0, longest = 0;
  };
  Part all = ParallelReduce(
      executor, rows.node_count, kGrain, Part{},
      [&](std::size_t begin, std::size_t end) {
        Part part;
        for (std::size_t at = begin; at < end; at += kGroup) {
          std::uint64_t arcs = 0;
          bool clean = true;
          for (std::size_t v = at; v < std::min(at + kGroup, end); ++v) {
            const std::uint64_t degree = rows.Degree(Direction::kIn, static_cast<NodeId>(v));
            arcs += degree;
            part.longest = std::max(part.longest, degree);
            clean &= rows.clean(Direction::kIn, static_cast<NodeId>(v));
          }
          if (clean) continue;
          part.touched.push_back(at / kGroup);
          part.most_arcs = std::max(part.most_arcs, arcs);
        }
        return part;
      },
      [](Part a, const Part& b) {
        a.touched.insert(a.touched.end(), b.touched.begin(), b.touched.end());
        a.most_arcs = std::max(a.most_arcs, b.most_arcs);
        a.longest = std::max(a.longest, b.longest);
        return a;
      });
  touched_ = std::move(all.touched);
  most_arcs_ = all.most_arcs;
  longest_ = all.longest;
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
