// Rounds of filter-Kruskal: of the arcs that still join two trees the lightest are taken
// out, sorted and joined; the others are tested again. Which arcs
// are left is a bit each. An arc's rank is (weight, position), so no two are equal.
#include "algorithms/connectivity/connectivity.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <span>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stored_edges.h"
#include "algorithms/connectivity/internal/connectivity_csr.h"
#include "algorithms/connectivity/internal/union_find.h"
#include "engine/arrays/aligned_array.h"
#include "engine/bulk/radix_sort.h"
#include "engine/out_of_memory.h"

namespace plexus::connectivity {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;  // arcs; a multiple of 64
constexpr std::size_t kSamples = 4096;
constexpr std::size_t kPollInterval = std::size_t{1}
                                      << 16;  // edges joined between looks at the budget

class FilterKruskal {
 public:
  FilterKruskal(const CsrView& rows, bool maximum, const Budget& budget, Executor& executor)
      : rows_(rows),
        maximum_(maximum),
        budget_(budget),
        executor_(executor),
        arcs_(rows.arc_count()),
        parents_(rows.node_count()),
        left_((arcs_ + 63) / 64),
        counts_((arcs_ + kBlock - 1) / kBlock) {
    std::iota(parents_.begin(), parents_.end(), NodeId{0});
  }

  SpanningForestCsrResult Run() {
    for (bool first = true; arcs_ > 0; first = false) {
      const std::uint64_t left = Filter(first);
      if (left == 0) break;
      const std::uint64_t bound = Bound(left);
      TakeLight(bound);
      if (!Join() || chosen_.size() + 1 == rows_.node_count()) break;
      if (bound == kAll) break;
    }
    std::sort(chosen_.begin(), chosen_.end());
    return {std::move(chosen_), truncated_};
  }

 private:
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  struct Light {
    NodeId u, v;
    std::uint32_t position;
  };

  // Order of the weight as an unsigned number.
  std::uint32_t Order(std::size_t arc) const {
    if (rows_.weights.empty()) return 0;
    const auto bits = std::bit_cast<std::uint32_t>(rows_.weights[arc] + 0.0f);  // no -0
    const std::uint32_t order = bits >> 31 ? ~bits : bits | 0x80000000u;
    return maximum_ ? ~order : order;
  }
  std::uint64_t Rank(std::size_t arc) const { return std::uint64_t{Order(arc)} << 32 | arc; }

  // fn(u, arc) for the arcs of a block that are left; `first`: for all of them.
  template <class Fn>
  void ForEachLeft(std::size_t begin, std::size_t end, bool first, Fn&& fn) const {
    const auto& offsets = rows_.offsets;
    auto u = static_cast<NodeId>(std::upper_bound(offsets.begin(), offsets.end(), begin) -
                                 offsets.begin() - 1);
    for (std::size_t word = begin / 64; word * 64 < end; ++word) {
      const std::size_t from = word * 64;
      std::uint64_t bits = first ? ~std::uint64_t{0} : left_[word];
      if (end - from < 64) bits &= (std::uint64_t{1} << (end - from)) - 1;
      for (; bits; bits &= bits - 1) {
        const std::size_t arc = from + static_cast<std::size_t>(std::countr_zero(bits));
        while (offsets[u + std::size_t{1}] <= arc) ++u;
        fn(u, arc);
      }
    }
  }

  // Drops what runs inside a tree; how many are left. counts_ becomes their prefix sums.
  std::uint64_t Filter(bool first) {
    // A parent is smaller than its node: in order of ids it has been taken to the root.
    if (!first)
      for (NodeId& parent : parents_) parent = parents_[parent];
    ParallelFor(executor_, arcs_, kBlock, [&](std::size_t begin, std::size_t end) {
      std::uint64_t count = 0;
      std::size_t word = begin / 64;
      std::uint64_t bits = 0;
      ForEachLeft(begin, end, first, [&](NodeId u, std::size_t arc) {
        for (; word < arc / 64; ++word, bits = 0) left_[word] = bits;
        const NodeId v = rows_.neighbors[arc];
        const bool joins = first ? u != v : parents_[u] != parents_[v];
        bits |= std::uint64_t{joins} << (arc % 64);
        count += joins;
      });
      for (; word * 64 < end; ++word, bits = 0) left_[word] = bits;
      counts_[begin / kBlock] = count;
    });
    return Sum();
  }

  std::uint64_t Sum() {
    std::uint64_t sum = 0;
    for (std::uint64_t& count : counts_) sum += std::exchange(count, sum);
    return sum;
  }

  // The rank up to which arcs are light: a few for every node, by a sample.
  std::uint64_t Bound(std::uint64_t left) const {
    const std::uint64_t want =
        std::max<std::uint64_t>(2 * std::uint64_t{rows_.node_count()}, left / 16);
    if (left <= want + want / 2) return kAll;
    const std::uint64_t stride = left / kSamples + 1;
    std::vector<std::uint64_t> sample((left + stride - 1) / stride);
    ParallelFor(executor_, arcs_, kBlock, [&](std::size_t begin, std::size_t end) {
      std::uint64_t index = counts_[begin / kBlock];
      ForEachLeft(begin, end, false, [&](NodeId, std::size_t arc) {
        if (index % stride == 0) sample[index / stride] = Rank(arc);
        ++index;
      });
    });
    const auto at = static_cast<std::size_t>(want * sample.size() / left);
    std::nth_element(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(at),
                     sample.end());
    return sample[at];
  }

  // Moves arcs up to `bound` from left_ to light_, in order of position.
  void TakeLight(std::uint64_t bound) {
    ParallelFor(executor_, arcs_, kBlock, [&](std::size_t begin, std::size_t end) {
      std::uint64_t count = 0;
      ForEachLeft(begin, end, false, [&](NodeId, std::size_t arc) { count += Rank(arc) <= bound; });
      counts_[begin / kBlock] = count;
    });
    const std::uint64_t light = Sum();
    light_ = AlignedArray<Light>(light);
    order_.resize(light);
    ParallelFor(executor_, arcs_, kBlock, [&](std::size_t begin, std::size_t end) {
      std::uint64_t at = counts_[begin / kBlock];
      ForEachLeft(begin, end, false, [&](NodeId u, std::size_t arc) {
        if (Rank(arc) > bound) return;
        light_[at] = {u, rows_.neighbors[arc], static_cast<std::uint32_t>(arc)};
        order_[at] = {Order(arc), static_cast<std::uint32_t>(at)};
        ++at;
        left_[arc / 64] &= ~(std::uint64_t{1} << (arc % 64));
      });
    });
  }

  // Kruskal over light_. False: the budget ran out.
  bool Join() {
    StableSortBy(order_, scratch_, [](const KeyedPosition& k) { return k.key; });
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i % kPollInterval == 0 && budget_.Interrupted()) {
        truncated_ = true;
        return false;
      }
      if (i + 32 < order_.size()) __builtin_prefetch(&light_[order_[i + 32].position]);
      if (i + 8 < order_.size()) {
        const Light& ahead = light_[order_[i + 8].position];
        __builtin_prefetch(&parents_[ahead.u]);
        __builtin_prefetch(&parents_[ahead.v]);
      }
      const Light& edge = light_[order_[i].position];
      const std::span<NodeId> parents(parents_.data(), parents_.size());
      const NodeId a = internal::RootHalving(parents, edge.u),
                   b = internal::RootHalving(parents, edge.v);
      if (a == b) continue;
      parents_[std::max(a, b)] = std::min(a, b);
      chosen_.push_back(edge.position);
      if (chosen_.size() + 1 == rows_.node_count()) break;
    }
    return true;
  }

  const CsrView rows_;
  const bool maximum_;
  const Budget& budget_;
  Executor& executor_;
  const std::size_t arcs_;
  AlignedArray<NodeId> parents_;
  std::vector<std::uint64_t> left_;    // arcs that may still join two trees
  std::vector<std::uint64_t> counts_;  // by block of arcs
  AlignedArray<Light> light_;
  std::vector<KeyedPosition> order_, scratch_;
  std::vector<std::uint32_t> chosen_;
  bool truncated_ = false;
};

}  // namespace

Result<SpanningForestCsrResult> SpanningForestCsr(const CsrView& rows,
                                                  const SpanningForestCsrOptions& options) try {
  return FilterKruskal(rows, options.maximum, options.run.budget,
                       common_internal::Pick(options.run.executor))
      .Run();
}
PLEXUS_CATCH_NO_MEMORY

Result<SpanningForestResult> SpanningForest(const Snapshot& snapshot,
                                            const SpanningForestOptions& options) try {
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.in = false;
  wanted.weights = options.weighted;
  PLEXUS_ASSIGN(const auto made, common_internal::ViewInTime(snapshot, wanted, options.run));
  SpanningForestResult result;
  result.truncated = !made;
  if (!made) return result;
  const DenseView& view = *made;
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, options.filter));
  PLEXUS_ASSIGN(
      const SpanningForestCsrResult chosen,
      SpanningForestCsr(view.out(), {options.maximum, options.run.budget, options.run.executor}));
  result.truncated = chosen.truncated;
  result.edges = common_internal::EdgesAt(selection, view, chosen.arcs,
                                          common_internal::Pick(options.run.executor));
  result.nodes = view.node_count();
  result.trees = result.nodes - result.edges.size();
  for (const PathEdge& edge : result.edges)
    result.weight += options.weighted ? static_cast<double>(edge.weight) : 1.0;
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::connectivity
