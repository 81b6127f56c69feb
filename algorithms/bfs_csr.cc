// Whole-graph breadth-first search on bare arrays, direction-optimising.
//
// Top-down, a level's nodes claim their unvisited neighbours; the parent is the
// smallest claimant, by an atomic minimum, so that it does not depend on who came
// first. Bottom-up, unvisited nodes scan their in-row for a member of the level
// and take the first. The switch follows Beamer's rule (alpha 15, beta 18) on
// counts that are the same at any thread count.
#include <algorithm>
#include <atomic>
#include <bit>

#include "algorithms/bfs.h"

namespace plexus {

namespace {

constexpr std::uint64_t kAlpha = 15, kBeta = 18;
constexpr std::size_t kDownGrain = 256;    // level nodes a block, top-down
constexpr std::size_t kUpGrain = 64 * 64;  // nodes a block, bottom-up: whole words

using Bits = std::vector<std::uint64_t>;

bool Test(const Bits& bits, NodeId v) { return (bits[v / 64] >> (v % 64)) & 1; }

class CsrSearch {
 public:
  CsrSearch(const CsrView& out, const CsrView& in, Executor& executor)
      : out_(out), in_(in), executor_(executor), n_(out.node_count()), visited_((n_ + 63) / 64) {
    result_.parents.resize(n_);
    result_.depths.resize(n_);
    ParallelFor(executor_, n_, 1 << 16, [&](std::size_t begin, std::size_t end) {
      std::fill(result_.parents.begin() + begin, result_.parents.begin() + end, kNoNode);
      std::fill(result_.depths.begin() + begin, result_.depths.begin() + end, kUnreached);
    });
  }

  BfsCsrResult Run(NodeId source) {
    result_.parents[source] = source;
    result_.depths[source] = 0;
    visited_[source / 64] |= std::uint64_t{1} << (source % 64);
    result_.reached = 1;
    std::vector<NodeId> level{source};
    std::uint64_t unseen_arcs = out_.arc_count();
    std::uint64_t scout = out_.degree(source);  // arcs leaving the level
    std::uint32_t depth = 0;
    while (!level.empty()) {
      if (scout > unseen_arcs / kAlpha) {
        depth = BottomUp(level, depth);
        scout = 1;
        continue;
      }
      unseen_arcs -= std::min(unseen_arcs, scout);
      level = TopDown(level, ++depth, scout);
      result_.reached += level.size();
    }
    return std::move(result_);
  }

 private:
  // One level down; `scout` becomes the arcs leaving the new level.
  std::vector<NodeId> TopDown(const std::vector<NodeId>& level, std::uint32_t depth,
                              std::uint64_t& scout) {
    const std::size_t blocks = (level.size() + kDownGrain - 1) / kDownGrain;
    std::vector<std::vector<NodeId>> found(blocks);
    ParallelFor(executor_, level.size(), kDownGrain, [&](std::size_t begin, std::size_t end) {
      std::vector<NodeId>& mine = found[begin / kDownGrain];
      for (std::size_t i = begin; i < end; ++i) {
        const NodeId u = level[i];
        for (std::uint32_t a = out_.offsets[u]; a < out_.offsets[u + 1]; ++a) {
          const NodeId v = out_.neighbors[a];
          if (Test(visited_, v)) continue;  // settled before this level
          std::atomic_ref<NodeId> parent(result_.parents[v]);
          NodeId old = parent.load(std::memory_order_relaxed);
          while (u < old && !parent.compare_exchange_weak(old, u, std::memory_order_relaxed)) {
          }
          if (old == kNoNode) mine.push_back(v);  // exactly one claimant saw it free
        }
      }
    });
    std::vector<NodeId> next;
    for (const auto& block : found) next.insert(next.end(), block.begin(), block.end());
    scout = 0;
    for (NodeId v : next) {
      result_.depths[v] = depth;
      visited_[v / 64] |= std::uint64_t{1} << (v % 64);
      scout += out_.degree(v);
    }
    return next;
  }

  // Levels from the other side until they get small again; returns the depth of
  // the level it leaves in `level`.
  std::uint32_t BottomUp(std::vector<NodeId>& level, std::uint32_t depth) {
    Bits front(visited_.size()), next(visited_.size());
    for (NodeId v : level) front[v / 64] |= std::uint64_t{1} << (v % 64);
    std::uint64_t awake = level.size(), before;
    do {
      before = awake;
      ++depth;
      awake = ParallelReduce(
          executor_, n_, kUpGrain, std::uint64_t{0},
          [&](std::size_t begin, std::size_t end) { return Wake(front, next, begin, end, depth); },
          [](std::uint64_t a, std::uint64_t b) { return a + b; });
      result_.reached += awake;
      std::swap(front, next);
    } while (awake >= before || awake > n_ / kBeta);
    level.clear();
    for (std::size_t w = 0; w < front.size(); ++w)
      for (std::uint64_t bits = front[w]; bits; bits &= bits - 1)
        level.push_back(static_cast<NodeId>(w * 64 + std::countr_zero(bits)));
    return depth;
  }

  // Unvisited nodes of whole words look for a parent in `front`.
  std::uint64_t Wake(const Bits& front, Bits& next, std::size_t begin, std::size_t end,
                     std::uint32_t depth) {
    std::uint64_t count = 0;
    for (std::size_t w = begin / 64; w < (end + 63) / 64; ++w) {
      std::uint64_t woken = 0;
      std::uint64_t idle = ~visited_[w];
      if (w == n_ / 64 && n_ % 64) idle &= (std::uint64_t{1} << (n_ % 64)) - 1;
      for (; idle; idle &= idle - 1) {
        const NodeId v = static_cast<NodeId>(w * 64 + std::countr_zero(idle));
        for (std::uint32_t a = in_.offsets[v]; a < in_.offsets[v + 1]; ++a) {
          const NodeId u = in_.neighbors[a];
          if (!Test(front, u)) continue;
          result_.parents[v] = u;
          result_.depths[v] = depth;
          woken |= idle & -idle;
          break;
        }
      }
      next[w] = woken;
      visited_[w] |= woken;  // front, not visited_, is what the scan tests
      count += static_cast<std::uint64_t>(std::popcount(woken));
    }
    return count;
  }

  const CsrView& out_;
  const CsrView& in_;
  Executor& executor_;
  const std::size_t n_;
  Bits visited_;
  BfsCsrResult result_;
};

}  // namespace

BfsCsrResult BfsCsr(const CsrView& out, const CsrView& in, NodeId source, Executor* executor) {
  PLEXUS_CHECK(source < out.node_count(), "the source is a node");
  return CsrSearch(out, in, executor ? *executor : DefaultExecutor()).Run(source);
}

}  // namespace plexus
