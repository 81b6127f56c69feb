// Whole-graph breadth-first search on bare arrays, direction-optimising.
//
// Top-down, a level's nodes claim their unvisited neighbours; the parent is the
// smallest claimant, by an atomic minimum, so that it does not depend on timing. Bottom-up,
// unvisited nodes scan their in-row for a member of the level and take the first. The switch
// follows Beamer's rule (alpha 15, beta 18) on counts that are the same at any thread count. The
// set of nodes visited before this level, which both read most, is one bit a node and stays in the
// second cache level.
//
// Levels lie one behind another in one queue; their order depends on timing, what is
// made of them does not. Small levels, of which a road network has thousands, are one
// thread's: waking a second costs more than they do. Levels that are everywhere are marked
// visited by a sweep over all nodes instead of node by node.
#include <algorithm>
#include <atomic>
#include <bit>

#include "algorithms/traversal/internal/bfs_csr.h"

#include "engine/out_of_memory.h"

namespace plexus::traversal {

namespace {

constexpr std::uint64_t kAlpha = 15, kBeta = 18;
constexpr std::size_t kDownGrain = 128;    // level nodes a block, top-down
constexpr std::size_t kUpGrain = 64 * 64;  // nodes a block, bottom-up: whole words
constexpr std::size_t kFillGrain =
    1 << 19;  // parents of a huge page; a small graph's are one thread's
constexpr std::uint64_t kSerialNodes = 16384, kSerialArcs = 20480;  // a level of one thread
constexpr std::size_t kBuffer = 1024;  // nodes a task keeps before it writes them
constexpr std::size_t kMarkGrain = 1024;
constexpr std::size_t kMaxClaims = 512;  // claims buffered before they are made
constexpr std::size_t kClaimAhead = 16, kRowAhead = 16, kOffsetAhead = 32;
constexpr std::size_t kSweepShare =
    32;  // a level of more than one node in so many is marked by a sweep
constexpr std::size_t kSweepGrain = 64 * 256;
constexpr std::uint32_t kStride = 4;  // arcs looked at together: short rows all end at one branch

struct PendingClaim {
  NodeId node, by;
};

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
        visited_((n_ + 63) / 64, 0),
        queue_(n_ + 1) {
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
    queue_[0] = source;
    end_ = 1;
    std::uint64_t unseen_arcs = out_.arc_count();
    arcs_ = out_.degree(source);
    bool pulled = false;  // the level is what pulling left: small
    while (begin_ < end_) {
      if (!pulled && arcs_ > unseen_arcs / kAlpha) {
        BottomUp();
        pulled = true;
        continue;
      }
      unseen_arcs -= std::min(unseen_arcs, pulled ? 1 : arcs_);
      TopDown();
      pulled = false;
    }
    return std::move(result_);
  }

 private:
  void TopDown() {
    ++depth_;
    swept_ = false;
    const std::size_t begin = begin_, size = end_ - begin_;
    const bool serial = size <= kSerialNodes && arcs_ <= kSerialArcs;
    begin_ = end_;
    if (serial) {
      Claim(begin, begin + size, [this](NodeId v, NodeId by) {
        NodeId& parent = result_.parents[v];
        queue_[end_] = v;
        end_ += parent == kNoNode;
        parent = std::min(parent, by);
      });
      result_.reached += end_ - begin_;
      arcs_ = MarkVisitedSerial();
      return;
    }
    std::atomic<std::size_t> end = end_;
    ParallelFor(executor_, size, kDownGrain, [&](std::size_t first, std::size_t past) {
      NodeId mine[kBuffer];
      std::size_t count = 0;
      auto write = [&] {
        std::copy_n(mine, count, queue_.begin() + end.fetch_add(count, std::memory_order_relaxed));
        count = 0;
      };
      Claim(begin + first, begin + past, [&](NodeId v, NodeId by) {
        if (!ClaimShared(result_.parents[v], by)) return;
        mine[count++] = v;
        if (count == kBuffer) write();
      });
      write();
    });
    end_ = end;
    result_.reached += end_ - begin_;
    auto sum = [](std::uint64_t a, std::uint64_t b) { return a + b; };
    if (end_ - begin_ > n_ / kSweepShare) {
      if (front_.empty()) front_ = Bits(visited_.size());
      arcs_ = ParallelReduce(
          executor_, n_, kSweepGrain, std::uint64_t{0},
          [&](std::size_t first, std::size_t past) { return Sweep(first, past); }, sum);
      swept_ = true;
      return;
    }
    arcs_ = ParallelReduce(
        executor_, end_ - begin_, kMarkGrain, std::uint64_t{0},
        [&](std::size_t first, std::size_t past) {
          return MarkVisited(begin_ + first, begin_ + past);
        },
        sum);
  }

  // Exactly one claimant of a node sees it free.
  static bool ClaimShared(NodeId& parent, NodeId by) {
    std::atomic_ref<NodeId> shared(parent);
    NodeId old = shared.load(std::memory_order_relaxed);
    while (by < old && !shared.compare_exchange_weak(old, by, std::memory_order_relaxed)) {
    }
    return old == kNoNode;
  }

  // claim(v, u) for every arc u -> v from places [first, past) of the queue to an unvisited node.
  // Whether a node is visited is hard to predict, so no branch depends on it: claims are buffered
  // and their parents prefetched. An arc may come twice.
  template <class Try>
  void Claim(std::size_t first, std::size_t past, Try&& claim) {
    PendingClaim claims[kMaxClaims];
    std::size_t claimed = 0;
    auto apply = [&] {
      for (std::size_t i = 0; i < claimed; ++i) {
        if (i + kClaimAhead < claimed)
          __builtin_prefetch(&result_.parents[claims[i + kClaimAhead].node], 1);
        claim(claims[i].node, claims[i].by);
      }
      claimed = 0;
    };
    for (std::size_t i = first; i < past; ++i) {
      if (i + kOffsetAhead < past) __builtin_prefetch(&out_.offsets[queue_[i + kOffsetAhead]]);
      if (i + kRowAhead < past)
        __builtin_prefetch(out_.neighbors.data() + out_.offsets[queue_[i + kRowAhead]]);
      const NodeId u = queue_[i];
      const std::uint32_t row = out_.offsets[u], row_end = out_.offsets[u + 1];
      if (row_end - row == 1) {
        const NodeId v = out_.neighbors[row];
        claims[claimed] = {v, u};
        claimed += !Test(visited_, v);
        if (claimed > kMaxClaims - kStride) apply();
        continue;
      }
      for (std::uint32_t a = row; a < row_end; a += std::min(kStride, row_end - a)) {
        for (std::uint32_t j = 0; j < kStride; ++j) {
          const NodeId v = out_.neighbors[a + std::min(j, row_end - 1 - a)];
          claims[claimed] = {v, u};
          claimed += !Test(visited_, v);
        }
        if (claimed > kMaxClaims - kStride) apply();
      }
    }
    apply();
  }

  // What was claimed, places [first, past) of the queue, counts as visited from here on.
  // Returns how many arcs leave it.
  std::uint64_t MarkVisited(std::size_t first, std::size_t past) {
    std::uint64_t arcs = 0;
    for (std::size_t i = first; i < past; ++i) {
      const NodeId v = queue_[i];
      arcs += out_.degree(v);
      if (!result_.depths.empty()) result_.depths[v] = depth_;
      std::atomic_ref(visited_[v / 64]).fetch_or(Bit(v), std::memory_order_relaxed);
    }
    return arcs;
  }

  // The same for the whole level by one thread. Nodes without out arcs leave the queue.
  std::uint64_t MarkVisitedSerial() {
    std::uint64_t arcs = 0;
    std::size_t kept = begin_;
    for (std::size_t i = begin_; i < end_; ++i) {
      const NodeId v = queue_[i];
      const std::uint32_t row = out_.offsets[v], row_end = out_.offsets[v + 1];
      __builtin_prefetch(out_.neighbors.data() + row);  // is read soon
      arcs += row_end - row;
      if (!result_.depths.empty()) result_.depths[v] = depth_;
      visited_[v / 64] |= Bit(v);
      queue_[kept] = v;
      kept += row_end != row;
    }
    end_ = kept;
    return arcs;
  }

  // MarkVisited for a large level: the nodes that have a parent and were not visited are its
  // members. Each word is one block's, where marking node by node would have the threads take lines
  // from each other. Leaves the level in front_.
  std::uint64_t Sweep(std::size_t begin, std::size_t end) {
    std::uint64_t arcs = 0;
    for (std::size_t at = begin; at < end; at += 64) {
      std::uint64_t reached = 0;
      for (std::size_t v = at, past = std::min(at + 64, end); v < past; ++v)
        reached |= std::uint64_t{result_.parents[v] != kNoNode} << (v - at);
      const std::uint64_t fresh = reached & ~visited_[at / 64];
      front_[at / 64] = fresh;
      visited_[at / 64] |= fresh;
      for (std::uint64_t bits = fresh; bits; bits &= bits - 1) {
        const auto v = static_cast<NodeId>(at + std::countr_zero(bits));
        arcs += out_.degree(v);
        if (!result_.depths.empty()) result_.depths[v] = depth_;
      }
    }
    return arcs;
  }

  // Levels from the other side until they get small again.
  void BottomUp() {
    if (front_.empty()) front_ = Bits(visited_.size());
    if (!swept_) {
      std::fill(front_.begin(), front_.end(), 0);
      for (std::size_t i = begin_; i < end_; ++i) front_[queue_[i] / 64] |= Bit(queue_[i]);
    }
    Bits& front = front_;
    Bits next(visited_.size());
    std::uint64_t size = end_ - begin_, before;
    do {
      before = size;
      ++depth_;
      size = ParallelSum(executor_, n_, kUpGrain, [&](std::size_t begin, std::size_t end) {
        return FindParents(front, next, begin, end);
      });
      result_.reached += size;
      std::swap(front, next);
      // Growing is a reason to stay only while the levels are not small: a chain behind a
      // fan has levels of one node, and each would look at all nodes.
    } while (size > n_ / kBeta || (size >= before && size > n_ / 256));
    begin_ = end_;
    arcs_ = 0;
    for (std::size_t w = 0; w < front.size(); ++w)
      for (std::uint64_t bits = front[w]; bits; bits &= bits - 1) {
        const auto v = static_cast<NodeId>(w * 64 + std::countr_zero(bits));
        queue_[end_++] = v;
        arcs_ += out_.degree(v);
      }
  }

  // Unvisited nodes of whole words look for a parent in `front`.
  std::uint64_t FindParents(const Bits& front, Bits& next, std::size_t begin, std::size_t end) {
    std::uint64_t count = 0;
    const bool keep_depths = !result_.depths.empty();
    for (std::size_t w = begin / 64; w < (end + 63) / 64; ++w) {
      std::uint64_t found = 0, unreachable = 0;
      std::uint64_t unvisited = ~visited_[w];
      if (w == n_ / 64 && n_ % 64) unvisited &= (std::uint64_t{1} << (n_ % 64)) - 1;
      for (; unvisited; unvisited &= unvisited - 1) {
        const NodeId v = static_cast<NodeId>(w * 64 + std::countr_zero(unvisited));
        const std::uint32_t past = in_.offsets[v + 1];
        std::uint32_t a = in_.offsets[v];
        if (a == past)
          unreachable |= unvisited & -unvisited;  // no arc enters it: never scanned again
        for (; a < past; ++a) {
          const NodeId u = in_.neighbors[a];
          if (!Test(front, u)) continue;
          result_.parents[v] = u;
          if (keep_depths) result_.depths[v] = depth_;
          found |= unvisited & -unvisited;
          break;
        }
      }
      next[w] = found;
      visited_[w] |= found | unreachable;  // front, not visited_, is what the scan tests
      count += static_cast<std::uint64_t>(std::popcount(found));
    }
    return count;
  }

  const CsrView& out_;
  const CsrView& in_;
  Executor& executor_;
  const std::size_t n_;
  Bits visited_;  // in an earlier level
  AlignedArray<NodeId>
      queue_;  // every node once at most, and a place to write in vain; the level is [begin_, end_)
  Bits front_;  // the level as bits, where it was swept or is pulled
  bool swept_ = false;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t arcs_ = 0;  // that leave the level
  std::uint32_t depth_ = 0;
  BfsCsrResult result_;
};

}  // namespace

Result<BfsCsrResult> BfsCsr(const CsrView& out, const CsrView& in, NodeId source,
                            const BfsCsrOptions& options) try {
  PLEXUS_CHECK(source < out.node_count(), "the source is a node");
  return CsrSearch(out, in, options).Run(source);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::traversal
