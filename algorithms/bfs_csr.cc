// Whole-graph breadth-first search on bare arrays, direction-optimising.
//
// Top-down, a level's nodes claim their unvisited neighbours; the parent is the
// smallest claimant, by an atomic minimum, so that it does not depend on who came
// first. Bottom-up, unvisited nodes scan their in-row for a member of the level
// and take the first. The switch follows Beamer's rule (alpha 15, beta 18) on
// counts that are the same at any thread count. What both look at most, who was
// visited before this level, is one bit a node and stays in the second cache level.
#include <algorithm>
#include <atomic>
#include <bit>

#include "algorithms/bfs.h"

namespace plexus {

namespace {

constexpr std::uint64_t kAlpha = 15, kBeta = 18;
constexpr std::size_t kDownGrain = 128;    // level nodes a block, top-down
constexpr std::size_t kUpGrain = 64 * 64;  // nodes a block, bottom-up: whole words
constexpr std::size_t kFillGrain = 1 << 16;

using Bits = AlignedArray<std::uint64_t>;

bool Test(const Bits& bits, NodeId v) { return (bits[v / 64] >> (v % 64)) & 1; }
std::uint64_t Bit(NodeId v) { return std::uint64_t{1} << (v % 64); }

class CsrSearch {
 public:
  CsrSearch(const CsrView& out, const CsrView& in, const BfsCsrOptions& options)
      : out_(out),
        in_(in),
        executor_(options.executor ? *options.executor : DefaultExecutor()),
        n_(out.node_count()),
        visited_((n_ + 63) / 64, 0) {
    result_.parents = AlignedArray<NodeId>(n_);
    if (options.depths) result_.depths = AlignedArray<std::uint32_t>(n_);
    ParallelFor(executor_, n_, kFillGrain, [&](std::size_t begin, std::size_t end) {
      std::fill(result_.parents.begin() + begin, result_.parents.begin() + end, kNoNode);
      if (!result_.depths.empty())
        std::fill(result_.depths.begin() + begin, result_.depths.begin() + end, kUnreached);
    });
  }

  BfsCsrResult Run(NodeId source) {
    result_.parents[source] = source;
    if (!result_.depths.empty()) result_.depths[source] = 0;
    visited_[source / 64] |= Bit(source);
    result_.reached = 1;
    level_.assign(1, {source});
    std::uint64_t unseen_arcs = out_.arc_count();
    scout_ = out_.degree(source);
    while (level_size_ > 0) {
      if (scout_ > unseen_arcs / kAlpha) {
        BottomUp();
        scout_ = 1;
        continue;
      }
      unseen_arcs -= std::min(unseen_arcs, scout_);
      TopDown();
      result_.reached += level_size_;
    }
    return std::move(result_);
  }

 private:
  using List = std::vector<NodeId>;

  void TopDown() {
    ++depth_;
    List nodes = std::move(level_.front());
    for (std::size_t i = 1; i < level_.size(); ++i)
      nodes.insert(nodes.end(), level_[i].begin(), level_[i].end());
    const std::size_t blocks = (nodes.size() + kDownGrain - 1) / kDownGrain;
    level_.assign(blocks, {});
    if (blocks == 1) {
      for (NodeId u : nodes) Claim(u, level_[0], [](NodeId& parent, NodeId by) {
        const NodeId old = parent;
        parent = std::min(old, by);
        return old == kNoNode;
      });
    } else {
      ParallelFor(executor_, nodes.size(), kDownGrain, [&](std::size_t begin, std::size_t end) {
        List& mine = level_[begin / kDownGrain];
        for (std::size_t i = begin; i < end; ++i) Claim(nodes[i], mine, ClaimShared);
      });
    }
    Settle();
  }

  // Exactly one of those who claim a node sees it free.
  static bool ClaimShared(NodeId& parent, NodeId by) {
    std::atomic_ref<NodeId> shared(parent);
    NodeId old = shared.load(std::memory_order_relaxed);
    while (by < old && !shared.compare_exchange_weak(old, by, std::memory_order_relaxed)) {
    }
    return old == kNoNode;
  }

  template <class Try>
  void Claim(NodeId u, List& mine, Try&& claim) {
    for (std::uint32_t a = out_.offsets[u]; a < out_.offsets[u + 1]; ++a) {
      const NodeId v = out_.neighbors[a];
      if (!Test(visited_, v) && claim(result_.parents[v], u)) mine.push_back(v);
    }
  }

  // What was claimed counts as visited from here on.
  void Settle() {
    const bool shared = level_.size() > 1;
    struct Sum {
      std::uint64_t nodes = 0, arcs = 0;
    };
    const Sum sum = ParallelReduce(
        executor_, level_.size(), 1, Sum{},
        [&](std::size_t block, std::size_t) {
          Sum mine{level_[block].size(), 0};
          for (NodeId v : level_[block]) {
            mine.arcs += out_.degree(v);
            if (!result_.depths.empty()) result_.depths[v] = depth_;
            if (shared)
              std::atomic_ref(visited_[v / 64]).fetch_or(Bit(v), std::memory_order_relaxed);
            else
              visited_[v / 64] |= Bit(v);
          }
          return mine;
        },
        [](Sum a, Sum b) { return Sum{a.nodes + b.nodes, a.arcs + b.arcs}; });
    level_size_ = sum.nodes;
    scout_ = sum.arcs;
  }

  // Levels from the other side until they get small again.
  void BottomUp() {
    Bits front(visited_.size(), 0), next(visited_.size());
    for (const List& block : level_)
      for (NodeId v : block) front[v / 64] |= Bit(v);
    std::uint64_t awake = level_size_, before;
    do {
      before = awake;
      ++depth_;
      awake = ParallelReduce(
          executor_, n_, kUpGrain, std::uint64_t{0},
          [&](std::size_t begin, std::size_t end) { return Wake(front, next, begin, end); },
          [](std::uint64_t a, std::uint64_t b) { return a + b; });
      result_.reached += awake;
      std::swap(front, next);
      // Growing is a reason to stay only while the levels are not small: a chain behind a
      // fan has levels of one node, and each would look at all nodes.
    } while (awake > n_ / kBeta || (awake >= before && awake > n_ / 256));
    level_.assign(1, {});
    level_size_ = awake;
    for (std::size_t w = 0; w < front.size(); ++w)
      for (std::uint64_t bits = front[w]; bits; bits &= bits - 1)
        level_[0].push_back(static_cast<NodeId>(w * 64 + std::countr_zero(bits)));
  }

  // Unvisited nodes of whole words look for a parent in `front`.
  std::uint64_t Wake(const Bits& front, Bits& next, std::size_t begin, std::size_t end) {
    std::uint64_t count = 0;
    const bool keep_depths = !result_.depths.empty();
    for (std::size_t w = begin / 64; w < (end + 63) / 64; ++w) {
      std::uint64_t woken = 0, hopeless = 0;
      std::uint64_t idle = ~visited_[w];
      if (w == n_ / 64 && n_ % 64) idle &= (std::uint64_t{1} << (n_ % 64)) - 1;
      for (; idle; idle &= idle - 1) {
        const NodeId v = static_cast<NodeId>(w * 64 + std::countr_zero(idle));
        const std::uint32_t past = in_.offsets[v + 1];
        std::uint32_t a = in_.offsets[v];
        if (a == past) hopeless |= idle & -idle;  // nothing points at it: never ask again
        for (; a < past; ++a) {
          const NodeId u = in_.neighbors[a];
          if (!Test(front, u)) continue;
          result_.parents[v] = u;
          if (keep_depths) result_.depths[v] = depth_;
          woken |= idle & -idle;
          break;
        }
      }
      next[w] = woken;
      visited_[w] |= woken | hopeless;  // front, not visited_, is what the scan tests
      count += static_cast<std::uint64_t>(std::popcount(woken));
    }
    return count;
  }

  const CsrView& out_;
  const CsrView& in_;
  Executor& executor_;
  const std::size_t n_;
  Bits visited_;             // in an earlier level
  std::vector<List> level_;  // in the order found, cut into blocks
  std::uint64_t level_size_ = 1;
  std::uint64_t scout_ = 0;  // arcs that leave the level
  std::uint32_t depth_ = 0;
  BfsCsrResult result_;
};

}  // namespace

BfsCsrResult BfsCsr(const CsrView& out, const CsrView& in, NodeId source,
                    const BfsCsrOptions& options) {
  PLEXUS_CHECK(source < out.node_count(), "the source is a node");
  return CsrSearch(out, in, options).Run(source);
}

}  // namespace plexus
