// Running sums over groups of rows, and the groups that the delta touches.
#include "algorithms/pagerank/internal/csr_spmv.h"

#include <memory>

#include "algorithms/common/internal/row_dot.h"
#include "engine/state.h"

namespace plexus::pagerank::internal {

namespace {

// sums[r] = sum of term(i) over [end(r - 1), end(r)), by differences of a running sum that
// begins again every `chunk` arcs; what a row has from the chunks before is carried separately,
// so that a long row's roundings are those of its chunks. ahead(i) prefetches what the terms from i
// on will need later.
template <class Term, class End, class Ahead>
void SumRows(std::uint32_t count, std::size_t rows, std::uint32_t chunk, double* running,
             double* sums, Term&& term, End&& end, Ahead&& ahead) {
  double carried = 0;  // of the row at work
  std::uint32_t at = 0;
  for (std::size_t row = 0; row < rows;) {
    const std::uint32_t stop = count - at > chunk ? at + chunk : count;
    double* to = running;
    double sum = *to = 0, start = -carried;
    std::uint32_t i = at;
    for (; i + 8 <= stop; i += 8, to += 8) {
      ahead(i);
      const double a = term(i), b = term(i + 1), c = term(i + 2), d = term(i + 3);
      const double e = term(i + 4), f = term(i + 5), g = term(i + 6), h = term(i + 7);
      const double ab = a + b, abc = ab + c, abcd = abc + d, ef = e + f, efg = ef + g,
                   efgh = efg + h;
      const double half = sum + abcd;
      to[1] = sum + a;
      to[2] = sum + ab;
      to[3] = sum + abc;
      to[4] = half;
      to[5] = half + e;
      to[6] = half + ef;
      to[7] = half + efg;
      to[8] = sum += abcd + efgh;
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

void MergeRows(const Run& run, Direction direction, std::vector<NodeId>& into) {
  const AlignedArray<NodeId>& rows = run.side(direction).rows;
  const std::size_t middle = into.size();
  into.insert(into.end(), rows.begin(), rows.end());
  std::inplace_merge(into.begin(), into.begin() + static_cast<std::ptrdiff_t>(middle), into.end());
}

}  // namespace

std::vector<NodeId> LiveCsr::TouchedSince(const Snapshot& earlier, Direction direction) const {
  const auto& runs_then = earlier.state().runs;
  std::vector<NodeId> touched;
  for (const std::shared_ptr<const Run>& run : state()->state().runs)
    if (std::find(runs_then.begin(), runs_then.end(), run) == runs_then.end())
      MergeRows(*run, direction, touched);
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  if (!numbering) return touched;
  std::size_t selected = 0;
  for (const NodeId node : touched)
    if (const NodeId v = numbering->dense(node); v != kNoNode) touched[selected++] = v;
  touched.resize(selected);
  return touched;
}

NodeId LiveCsr::CountIn(const Snapshot& earlier) const {
  if (!numbering) return earlier.node_count();
  NodeId low = 0;
  for (NodeId high = node_count; low < high;) {
    const NodeId middle = low + (high - low) / 2;
    if (numbering->node(middle) < earlier.node_count())
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::vector<NodeId> LiveCsr::Touched(Direction direction) const {
  std::vector<NodeId> touched;
  if (!live) return touched;
  for (const std::shared_ptr<const Run>& run : live->state().runs)
    MergeRows(*run, direction, touched);
  for (NodeId v = live->state().base->node_count; v < node_count; ++v) touched.push_back(v);
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  return touched;
}

CsrSpmv::CsrSpmv(const LiveCsr& rows, bool weighted, Executor& executor)
    : rows_(rows), weighted_(weighted), touched_(rows.Touched(Direction::kIn)) {
  struct Extremes {
    std::uint64_t touched = 0, row = 0;
  };
  const std::size_t groups = (rows.node_count + kGroup - 1) / kGroup;
  const Extremes most = ParallelReduce(
      executor, groups, 128, Extremes{},
      [&](std::size_t begin, std::size_t end) {
        Extremes part;
        auto touched = std::lower_bound(touched_.begin(), touched_.end(), begin * kGroup);
        for (std::size_t group = begin; group < end; ++group) {
          const std::size_t stop = std::min<std::size_t>((group + 1) * kGroup, rows_.node_count);
          if (touched == touched_.end() || *touched >= stop) {
            std::uint32_t longest = 0;
            for (std::size_t v = group * kGroup; v < stop; ++v)
              longest = std::max(longest, rows_.in.offsets[v + 1] - rows_.in.offsets[v]);
            part.row = std::max<std::uint64_t>(part.row, longest);
            continue;
          }
          std::uint64_t arcs = 0;
          for (std::size_t v = group * kGroup; v < stop; ++v) {
            const NodeId node = static_cast<NodeId>(v);
            const bool live = touched != touched_.end() && *touched == node;
            const std::uint64_t degree =
                live ? rows_.Degree(Direction::kIn, node) : rows_.in.degree(node);
            touched += live;
            arcs += degree;
            part.row = std::max(part.row, degree);
          }
          part.touched = std::max(part.touched, arcs);
        }
        return part;
      },
      [](Extremes a, const Extremes& b) {
        return Extremes{std::max(a.touched, b.touched), std::max(a.row, b.row)};
      });
  max_arcs_ = most.touched;
  longest_ = most.row;
}

void CsrSpmv::Reserve(const Executor& executor, std::size_t at_once) {
  pool_.Reserve(executor, at_once);
  for (const auto& scratch : pool_.idle()) scratch->terms.resize(max_arcs_);
}

template <class Values>
void CsrSpmv::PullBlock(std::size_t block, Values values, double* sums) {
  const std::size_t begin = first_row(block), end = first_row(block + 1);
  const auto scratch = pool_.Acquire();
  auto touched = std::lower_bound(touched_.begin(), touched_.end(), begin);
  const bool weighted = weighted_ && !rows_.in.weights.empty();
  for (std::size_t at = begin; at < end; at += kGroup) {
    const std::size_t stop = std::min(at + kGroup, end);
    double* const to = sums + (at - begin);
    if (touched != touched_.end() && *touched < stop) {
      const auto first = touched;
      while (touched != touched_.end() && *touched < stop) ++touched;
      PullTouched(at, stop, {first, touched}, values, to, *scratch);
    } else if (weighted) {
      PullClean<true>(at, stop, values, to, *scratch);
    } else {
      PullClean<false>(at, stop, values, to, *scratch);
    }
  }
}

template <bool kWeighted, class Values>
void CsrSpmv::PullClean(std::size_t begin, std::size_t end, Values values, double* sums,
                        Scratch& scratch) const {
  const std::uint32_t* const ends = rows_.in.offsets.data() + begin + 1;
  for (std::size_t ahead = 0; ahead < kGroup; ahead += 16)
    __builtin_prefetch(ends + common_internal::kPullAhead + ahead);
  const std::uint32_t first = ends[-1];
  const NodeId* const neighbors = rows_.in.neighbors.data() + first;
  const float* const weights = kWeighted ? rows_.in.weights.data() + first : nullptr;
  SumRows(
      rows_.in.offsets[end] - first, end - begin, kChunk, scratch.running.data(), sums,
      [=](std::uint32_t i) {
        double value = static_cast<double>(values[neighbors[i]]);
        if constexpr (kWeighted) value *= static_cast<double>(weights[i]);
        return value;
      },
      [=](std::size_t row) { return ends[row] - first; },
      [=](std::uint32_t i) {
        __builtin_prefetch(neighbors + i + common_internal::kPullAhead);
        if constexpr (kWeighted) __builtin_prefetch(weights + i + common_internal::kPullAhead);
      });
}

template <class Values>
void CsrSpmv::PullTouched(std::size_t begin, std::size_t end, std::span<const NodeId> touched,
                          Values values, double* sums, Scratch& scratch) const {
  if (scratch.terms.size() < max_arcs_) scratch.terms.resize(max_arcs_);
  double* to = scratch.terms.data();
  const auto here = [&] { return static_cast<std::uint32_t>(to - scratch.terms.data()); };
  for (std::size_t v = begin; v < end;) {
    const std::size_t stop = touched.empty() ? end : touched.front();
    if (v < stop) {  // the rows between two that are touched
      const std::uint32_t *const offsets = rows_.in.offsets.data(), first = offsets[v];
      const NodeId* const neighbors = rows_.in.neighbors.data();
      const bool ones = !weighted_ || rows_.in.weights.empty();
      const std::uint32_t before = here();
      for (std::uint32_t a = first; a < offsets[stop]; ++a) {
        __builtin_prefetch(neighbors + a + common_internal::kPullAhead);
        const double value = static_cast<double>(values[neighbors[a]]);
        *to++ = ones ? value : value * static_cast<double>(rows_.in.weights[a]);
      }
      for (; v < stop; ++v) scratch.ends[v - begin] = before + (offsets[v + 1] - first);
    } else {
      rows_.ForEachArc(Direction::kIn, static_cast<NodeId>(v), [&](NodeId u, double weight) {
        const double value = static_cast<double>(values[u]);
        *to++ = weighted_ ? value * weight : value;
      });
      scratch.ends[v++ - begin] = here();
      touched = touched.subspan(1);
    }
  }
  SumRows(
      scratch.ends[end - begin - 1], end - begin, kChunk, scratch.running.data(), sums,
      [&](std::uint32_t i) { return scratch.terms[i]; },
      [&](std::size_t row) { return scratch.ends[row]; }, [](std::uint32_t) {});
}

template void CsrSpmv::PullBlock(std::size_t, const float*, double*);
template void CsrSpmv::PullBlock(std::size_t, const double*, double*);

}  // namespace plexus::pagerank::internal
