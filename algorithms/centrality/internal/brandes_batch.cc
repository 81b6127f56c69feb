// The sweeps, compiled for three instruction levels and picked at run time. Additions of a
// lane are the same in all of them.
#include "algorithms/centrality/internal/brandes_batch.h"

#include <algorithm>
#include <atomic>

#include "algorithms/common/internal/simd_dispatch.h"

namespace plexus::centrality::internal {

namespace {

constexpr std::size_t kLanes = BrandesBatch::kLanes;
constexpr std::size_t kMaxLevels = 64;
constexpr double kMaxPaths = 1e290;
constexpr std::uint64_t kPushShare = 64;  // pushed while a level has fewer than arcs / 64
constexpr std::size_t kGrain = 1024;
constexpr std::size_t kChunk = 128, kAhead = 12;  // of a row; fetched before they are needed

using Eight = double __attribute__((vector_size(64), may_alias));
using Bits = std::int64_t __attribute__((vector_size(64), may_alias));

// Eight lanes' masks by byte.
struct alignas(64) Expansion {
  std::int64_t lanes[256][8];
};
constexpr Expansion MakeExpansion() {
  Expansion e{};
  for (int byte = 0; byte < 256; ++byte)
    for (int lane = 0; lane < 8; ++lane) e.lanes[byte][lane] = (byte >> lane) & 1 ? -1 : 0;
  return e;
}
constexpr Expansion kExpansion = MakeExpansion();

// What a block of nodes works on. Of other nodes only `from` and `given` are read.
struct Sweep {
  CsrView rows;
  const std::uint16_t* from = nullptr;  // lanes that neighbours give; null: nothing
  std::uint16_t* here = nullptr;        // lanes found (forward), lanes wanted (backward)
  const double* given = nullptr;        // values of the neighbours' level
  double* values = nullptr;             // of this one's
  std::uint16_t* seen = nullptr;        // at levels of this parity
  const std::uint16_t* seen_other = nullptr;
  double* scores = nullptr;
  std::uint16_t all = 0;
};

// Adds the values of a row's neighbours under wanted lanes; returns the lanes found.
[[gnu::always_inline]] inline std::uint16_t AddRow(const Sweep& s, NodeId v, std::uint16_t wanted,
                                                   Eight& low, Eight& high) {
  NodeId nodes[kChunk];
  std::uint16_t masks[kChunk];
  unsigned met = 0;
  const NodeId* const neighbors = s.rows.neighbors.data();
  const std::uint32_t end = s.rows.offsets[v + 1];
  for (std::uint32_t a = s.rows.offsets[v]; a < end;) {
    const std::uint32_t stop = std::min<std::uint32_t>(end, a + kChunk);
    std::size_t count = 0;
    for (; a < stop; ++a) {
      const NodeId u = neighbors[a];
      const auto mask = static_cast<std::uint16_t>(s.from[u] & wanted);
      nodes[count] = u;
      masks[count] = mask;
      count += mask != 0;
    }
    const auto fetch = [&](std::size_t i) {
      const double* const at = s.given + std::size_t{nodes[i]} * kLanes;
      __builtin_prefetch(at);
      __builtin_prefetch(at + 8);
    };
    for (std::size_t i = 0; i < std::min(count, kAhead); ++i) fetch(i);
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) fetch(i + kAhead);
      const auto* const at =
          reinterpret_cast<const Bits*>(s.given + std::size_t{nodes[i]} * kLanes);
      low += reinterpret_cast<Eight>(
          at[0] & *reinterpret_cast<const Bits*>(kExpansion.lanes[masks[i] & 255]));
      high += reinterpret_cast<Eight>(
          at[1] & *reinterpret_cast<const Bits*>(kExpansion.lanes[masks[i] >> 8]));
      met |= masks[i];
    }
  }
  return static_cast<std::uint16_t>(met);
}

// Numbers of paths to the nodes that lanes reach now. Appends them; false when too many.
[[gnu::always_inline]] inline bool ForwardBlock(const Sweep& s, NodeId begin, NodeId end,
                                                std::vector<NodeId>& found) {
  bool fits = true;
  for (NodeId v = begin; v < end; ++v) {
    const auto wanted = static_cast<std::uint16_t>(s.all & ~(s.seen[v] | s.seen_other[v]));
    s.here[v] = 0;
    if (wanted == 0) continue;
    Eight low = {}, high = {};
    const std::uint16_t met = AddRow(s, v, wanted, low, high);
    if (met == 0) continue;
    auto* const at = reinterpret_cast<Eight*>(s.values + std::size_t{v} * kLanes);
    for (int i = 0; i < 8; ++i) fits &= low[i] <= kMaxPaths && high[i] <= kMaxPaths;
    // Lanes that came before keep theirs; memory not yet written has no meaning.
    at[0] = s.seen[v] == 0 ? low : at[0] + low;
    at[1] = s.seen[v] == 0 ? high : at[1] + high;
    s.here[v] = met;
    s.seen[v] = static_cast<std::uint16_t>(s.seen[v] | met);
    found.push_back(v);
  }
  return fits;
}

// Dependencies of the nodes of one level, and what they hand on.
[[gnu::always_inline]] inline void BackwardBlock(const Sweep& s, NodeId begin, NodeId end) {
  for (NodeId v = begin; v < end; ++v) {
    const std::uint16_t wanted = s.here[v];
    if (wanted == 0) continue;
    Eight sums[2] = {};
    if (s.from) AddRow(s, v, wanted, sums[0], sums[1]);
    auto* const at = reinterpret_cast<Eight*>(s.values + std::size_t{v} * kLanes);
    double score = 0;
    for (int half = 0; half < 2; ++half) {
      const Bits mask =
          *reinterpret_cast<const Bits*>(kExpansion.lanes[half == 0 ? wanted & 255 : wanted >> 8]);
      const Eight paths = at[half];
      const Eight dependency =
          reinterpret_cast<Eight>(reinterpret_cast<Bits>(paths * sums[half]) & mask);
      const Eight share = (1.0 + dependency) / paths;
      at[half] = reinterpret_cast<Eight>((reinterpret_cast<Bits>(share) & mask) |
                                         (reinterpret_cast<Bits>(paths) & ~mask));
      for (int i = 0; i < 8; ++i) score += dependency[i];
    }
    s.scores[v] += score;
  }
}

struct Kernels {
  bool (*forward)(const Sweep&, NodeId, NodeId, std::vector<NodeId>&);
  void (*backward)(const Sweep&, NodeId, NodeId);
};

bool ForwardScalar(const Sweep& s, NodeId begin, NodeId end, std::vector<NodeId>& found) {
  return ForwardBlock(s, begin, end, found);
}
void BackwardScalar(const Sweep& s, NodeId begin, NodeId end) { BackwardBlock(s, begin, end); }
constexpr Kernels kScalar{&ForwardScalar, &BackwardScalar};

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) bool ForwardAvx2(const Sweep& s, NodeId begin, NodeId end,
                                                 std::vector<NodeId>& found) {
  return ForwardBlock(s, begin, end, found);
}
__attribute__((target("avx2"))) void BackwardAvx2(const Sweep& s, NodeId begin, NodeId end) {
  BackwardBlock(s, begin, end);
}
__attribute__((target("avx512f,avx512dq"))) bool ForwardAvx512(const Sweep& s, NodeId begin,
                                                               NodeId end,
                                                               std::vector<NodeId>& found) {
  return ForwardBlock(s, begin, end, found);
}
__attribute__((target("avx512f,avx512dq"))) void BackwardAvx512(const Sweep& s, NodeId begin,
                                                                NodeId end) {
  BackwardBlock(s, begin, end);
}
constexpr Kernels kAvx2{&ForwardAvx2, &BackwardAvx2}, kAvx512{&ForwardAvx512, &BackwardAvx512};
constexpr common_internal::SimdTable<const Kernels*> kKernels{&kScalar, &kAvx2, &kAvx512};
#else
constexpr common_internal::SimdTable<const Kernels*> kKernels{&kScalar};
#endif

}  // namespace

BrandesBatch::BrandesBatch(const CsrView& out, const CsrView& in, Executor& executor)
    : out_(out), in_(in), executor_(executor) {
  for (int parity : {0, 1}) {
    values_[parity] = AlignedArray<double>(std::size_t{out.node_count()} * kLanes);
    seen_[parity] = Level(out.node_count());
  }
  block_found_.resize((std::size_t{out.node_count()} + kGrain - 1) / kGrain);
  for (auto& block : block_found_) block.reserve(kGrain);
}

bool BrandesBatch::Add(std::span<const NodeId> sources, std::uint32_t max_hops,
                       const Budget& budget, std::vector<double>& scores) {
  if (!Forward(sources, max_hops, budget)) return false;
  const Kernels& kernels = *kKernels.Find(SimdLevel::kBest);
  for (std::size_t d = depth_; d-- > 1;) {
    Sweep sweep;
    sweep.rows = out_;
    sweep.from = d + 1 < depth_ ? levels_[d + 1].data() : nullptr;
    sweep.here = levels_[d].data();
    sweep.given = values_[(d + 1) & 1].data();
    sweep.values = values_[d & 1].data();
    sweep.scores = scores.data();
    ParallelFor(executor_, out_.node_count(), kGrain, [&](std::size_t begin, std::size_t end) {
      kernels.backward(sweep, static_cast<NodeId>(begin), static_cast<NodeId>(end));
    });
  }
  return true;
}

bool BrandesBatch::Forward(std::span<const NodeId> sources, std::uint32_t max_hops,
                           const Budget& budget) {
  const auto level = [&](std::size_t d) {
    if (levels_.size() <= d) levels_.emplace_back(out_.node_count());
  };
  level(0);
  for (Level& seen : seen_) std::fill(seen.begin(), seen.end(), std::uint16_t{0});
  std::fill(levels_[0].begin(), levels_[0].end(), std::uint16_t{0});
  front_.clear();
  for (std::size_t s = 0; s < sources.size(); ++s) {
    double* const at = values_[0].data() + std::size_t{sources[s]} * kLanes;
    if (levels_[0][sources[s]] == 0) {
      front_.push_back(sources[s]);
      std::fill_n(at, kLanes, 0.0);
    }
    at[s] = 1;
    levels_[0][sources[s]] = static_cast<std::uint16_t>(levels_[0][sources[s]] | (1u << s));
  }
  std::sort(front_.begin(), front_.end());
  for (const NodeId v : front_) seen_[0][v] = levels_[0][v];
  const auto all = static_cast<std::uint16_t>((1u << sources.size()) - 1);
  for (depth_ = 1; depth_ <= max_hops; ++depth_) {
    if (depth_ == kMaxLevels || budget.Interrupted()) return false;
    level(depth_);
    std::uint64_t arcs = 0;
    for (const NodeId u : front_) arcs += out_.degree(u);
    found_.clear();
    if (!(arcs * kPushShare < out_.arc_count() ? Push(depth_) : Pull(depth_, all))) return false;
    if (found_.empty()) break;
    front_.swap(found_);
  }
  return true;
}

bool BrandesBatch::Push(std::size_t depth) {
  Level &now = levels_[depth - 1], &next = levels_[depth];
  Level& seen = seen_[depth & 1];
  const Level& seen_other = seen_[(depth + 1) & 1];
  std::fill(next.begin(), next.end(), std::uint16_t{0});
  bool fits = true;
  for (const NodeId u : front_)
    for (std::uint32_t a = out_.offsets[u]; a < out_.offsets[u + 1]; ++a) {
      const NodeId v = out_.neighbors[a];
      unsigned lanes = now[u] & ~static_cast<unsigned>(seen[v] | seen_other[v]);
      if (lanes == 0) continue;
      double* const to = values_[depth & 1].data() + std::size_t{v} * kLanes;
      const double* const from = values_[(depth + 1) & 1].data() + std::size_t{u} * kLanes;
      if (next[v] == 0) {
        found_.push_back(v);
        if (seen[v] == 0) std::fill_n(to, kLanes, 0.0);
      }
      next[v] = static_cast<std::uint16_t>(next[v] | lanes);
      for (std::size_t i = 0; lanes != 0; ++i, lanes >>= 1)
        if (lanes & 1) {
          to[i] += from[i];
          fits &= to[i] <= kMaxPaths;
        }
    }
  std::sort(found_.begin(), found_.end());
  for (const NodeId v : found_) seen[v] = static_cast<std::uint16_t>(seen[v] | next[v]);
  return fits;
}

bool BrandesBatch::Pull(std::size_t depth, std::uint16_t all) {
  const Kernels& kernels = *kKernels.Find(SimdLevel::kBest);
  Sweep sweep;
  sweep.rows = in_;
  sweep.from = levels_[depth - 1].data();
  sweep.here = levels_[depth].data();
  sweep.given = values_[(depth + 1) & 1].data();
  sweep.values = values_[depth & 1].data();
  sweep.seen = seen_[depth & 1].data();
  sweep.seen_other = seen_[(depth + 1) & 1].data();
  sweep.all = all;
  std::atomic<bool> fits = true;
  ParallelFor(executor_, in_.node_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<NodeId>& found = block_found_[begin / kGrain];
    found.clear();
    if (!kernels.forward(sweep, static_cast<NodeId>(begin), static_cast<NodeId>(end), found))
      fits = false;
  });
  for (const auto& block : block_found_) found_.insert(found_.end(), block.begin(), block.end());
  return fits;
}

}  // namespace plexus::centrality::internal
