// Breadth-first search on a Snapshot: level by level, in the space it touches.
//
// A level is pushed from its nodes in id order. When it holds more than one node
// in 16 it is pulled instead: unvisited nodes look back for a member of it, in
// parallel. The choice depends only on counts, and the parent is the smallest
// neighbour one level up either way, so a search cut by a budget and gone on with ends
// with the same bits as one without. Memory is kept per thread between small searches.
#include "algorithms/traversal/traversal.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <utility>

#include "algorithms/common/internal/interruptible_arcs.h"
#include "algorithms/common/internal/node_map.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/traversal/internal/bucket_top_k.h"
#include "algorithms/traversal/internal/resume_token.h"
#include "algorithms/traversal/internal/row_descriptors.h"
#include "algorithms/traversal/internal/row_prefetch.h"
#include "engine/internal/prefetch.h"
#include "engine/out_of_memory.h"

namespace plexus::traversal {

namespace {

constexpr std::size_t kPullGrain = 2048;
constexpr std::uint32_t kCheckEvery = 4096;  // arcs between two polls of the budget
constexpr NodeId kMinPullNodes = 2048;
constexpr std::uint64_t kPullShare = 16;
constexpr std::size_t kRowsAhead = 64;    // nodes of the next level whose rows are prefetched
constexpr std::size_t kPrefetchLead = 8;  // an offset has arrived when so many nodes came after it

// Which nodes a search has visited, one bit each, at no cost for the rest.
//
// A bitmap that is kept between searches and cleaned word by word: the words that a
// search touched are listed. So the cost of a small search depends on its own nodes only, and a set
// of 300,000 nodes fits the first cache levels. Graphs of over 8 million nodes would make the kept
// memory large and its first cleaning slow; they get a hash table, until a search is so large that
// the bitmap is worth it. Single-threaded to write, shared to read.
class VisitedSet {
 public:
  static constexpr NodeId kMaxBitmapNodes = NodeId{1} << 23;

  // Empty again, for ids below node_count.
  void Reset(NodeId node_count) {
    if (touched_.size() * 8 > words_.size())
      std::fill(words_.begin(), words_.end(), 0);
    else
      for (const std::uint32_t word : touched_) words_[word] = 0;
    touched_.clear();
    node_count_ = node_count;
    bits_ = node_count <= kMaxBitmapNodes;
    if (bits_)
      Grow();
    else
      map_.Reset(node_count);
  }

  // True when it was not there.
  bool Insert(NodeId node) {
    if (bits_) {
      std::uint64_t& word = words_[node / 64];
      if (word == 0) touched_.push_back(node / 64);
      const std::uint64_t bit = std::uint64_t{1} << (node % 64);
      if (word & bit) return false;
      word |= bit;
      return true;
    }
    std::uint32_t& value = map_.at(node);
    return value == common_internal::NodeMap::kAbsent ? (value = 0, true) : false;
  }
  bool contains(NodeId node) const {
    return bits_ ? words_[node / 64] >> (node % 64) & 1
                 : map_.get(node) != common_internal::NodeMap::kAbsent;
  }
  // Worth the whole array now: many nodes are about to be visited.
  void MakeDense() { map_.MakeDense(); }

  std::size_t size_bytes() const {
    return words_.capacity() * 8 + touched_.capacity() * 4 + map_.size_bytes();
  }

 private:
  void Grow() {
    const std::size_t words = (std::size_t{node_count_} + 63) / 64;
    if (words_.size() < words) words_.resize(words, 0);
  }

  NodeId node_count_ = 0;
  bool bits_ = true;
  std::vector<std::uint64_t> words_;  // zero but for the words listed
  std::vector<std::uint32_t> touched_;
  common_internal::NodeMap map_;
};

struct Scratch {
  VisitedSet visited;  // reached, or visited and not selected
  std::vector<BfsNode> nodes, spare;
  std::vector<std::uint32_t> next;
};
constexpr std::size_t kKeptBytes = 1 << 20;
thread_local std::unique_ptr<Scratch> kept_scratch;

// By id. Ids of a level are spread as a rule: about two equal steps a node, then what
// shares a step.
void SortLevel(std::vector<BfsNode>& nodes, std::size_t begin, Scratch& scratch) {
  auto less = [](const BfsNode& a, const BfsNode& b) { return a.node < b.node; };
  BfsNode* const first = nodes.data() + begin;
  const std::size_t count = nodes.size() - begin;
  if (std::is_sorted(first, first + count, less)) return;
  if (count < 16) return std::sort(first, first + count, less);
  const auto [low, high] = std::minmax_element(first, first + count, less);
  const NodeId least = low->node;
  const std::size_t steps = std::min<std::size_t>(std::bit_ceil(count) * 2, std::size_t{1} << 16);
  int shift = 0;
  while ((high->node - least) >> shift >= steps) ++shift;
  std::vector<std::uint32_t>& next = scratch.next;
  next.assign(steps + 1, 0);
  for (std::size_t i = 0; i < count; ++i) ++next[((first[i].node - least) >> shift) + 1];
  std::uint32_t crowd = 0;
  for (std::size_t s = 0; s < steps; ++s) {
    crowd = std::max(crowd, next[s + 1]);
    next[s + 1] += next[s];
  }
  scratch.spare.assign(first, first + count);
  // Within a step the id's lower bits are left to order.
  for (const BfsNode& n : scratch.spare) first[next[(n.node - least) >> shift]++] = n;
  if (crowd <= 16)
    return internal::InsertionSort(first, first + count,
                                   less);  // nothing is far from its place
  for (std::size_t s = 0, from = 0; s < steps; from = next[s++])
    internal::SortBucket(first + from, first + next[s], less);
}

class Search {
 public:
  Search(const common_internal::Selection& selection, const BfsOptions& options,
         const Budget& budget, Executor& executor)
      : selection_(selection),
        options_(options),
        budget_(budget),
        executor_(executor),
        scratch_(kept_scratch ? std::move(kept_scratch) : std::make_unique<Scratch>()),
        visited_(scratch_->visited),
        nodes_(scratch_->nodes) {
    visited_.Reset(selection.snapshot->node_count());
    nodes_.clear();
    if (BaseRowsRead()) {
      row_descriptors_ = internal::RowDescriptors::Of(*selection.snapshot);
      if (row_descriptors_) descriptors_ = row_descriptors_->get(options.direction);
    }
    one_sorted_row_ = common_internal::OneSortedRow(selection, options.direction);
  }
  // Keeps the memory for the next search of this thread, but for large lists.
  ~Search() {
    if ((nodes_.capacity() + scratch_->spare.capacity()) * sizeof(BfsNode) > kKeptBytes)
      scratch_->nodes = {}, scratch_->spare = {}, scratch_->next = {};
    if (scratch_->visited.size_bytes() <= 2 * kKeptBytes) kept_scratch = std::move(scratch_);
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  void Run(std::span<const NodeId> sources) {
    for (NodeId v : sources) {
      if (visited_.contains(v)) continue;
      if (!Add({v, 0, kNoNode})) break;
    }
    SortLevel(nodes_, 0, *scratch_);
    if (result_.truncated) return;
    std::size_t begin = 0;
    for (std::uint32_t depth = 0; depth < options_.max_depth; ++depth) {
      const std::size_t end = nodes_.size();
      if (begin == end) return;
      const bool pull = PullFits(end - begin);
      const bool go_on = pull ? Pull(begin, end, depth + 1) : Push(begin, end, depth + 1);
      if (!pull) SortLevel(nodes_, end, *scratch_);
      if (!go_on) {
        result_.truncated = true;
        return;
      }
      begin = end;
    }
  }

  void RecordTraversal() {
    if (row_descriptors_ && !descriptors_)
      row_descriptors_->AddTraversedArcs(selection_.snapshot->base(), options_.direction,
                                         base_arcs_, budget_, executor_);
  }

  // Small ones are copied, so that the memory is kept.
  BfsResult Take() {
    if (nodes_.capacity() * sizeof(BfsNode) > kKeptBytes / 2)
      result_.nodes = std::move(nodes_);
    else
      result_.nodes = nodes_;
    return std::move(result_);
  }

 private:
  // False when the budget holds no more nodes.
  bool Add(BfsNode node) {
    if (nodes_.size() >= budget_.nodes) {
      result_.truncated = true;
      return false;
    }
    visited_.Insert(node.node);
    nodes_.push_back(node);
    return true;
  }

  bool Interrupted() {
    if (scanned_ < next_check_) return false;
    next_check_ = scanned_ + kCheckEvery;
    return budget_.Interrupted();
  }

  // The node at the end of an arc. False when the budget holds no more nodes.
  bool Visit(NodeId node, std::uint32_t depth, NodeId from) {
    if (!visited_.Insert(node)) return true;
    if (!selection_.contains(node)) return true;
    if (nodes_.size() >= budget_.nodes) return false;
    nodes_.push_back({node, depth, from});
    return true;
  }

  bool BaseRowsRead() const {
    return options_.direction != Direction::kBoth && !selection_.filter.checks_time();
  }

  bool Push(std::size_t begin, std::size_t end, std::uint32_t depth) {
    const Snapshot& snapshot = *selection_.snapshot;
    const Direction direction = options_.direction;
    const bool all_kinds = selection_.filter.all_kinds();
    const internal::RowPrefetch prefetch(snapshot, direction, !all_kinds, false);
    const engine_internal::BaseRows rows(snapshot, direction);
    const bool base_rows = BaseRowsRead();
    const bool last = depth == options_.max_depth;
    // The descriptor (or offset) of a row and, when that has come, the row.
    auto prefetch_descriptor = [&](NodeId v) {
      if (!descriptors_)
        prefetch.Offsets(v);
      else if (v < rows.nodes)
        Prefetch(&descriptors_[v]);
    };
    auto prefetch_row = [&](NodeId v) {
      if (!descriptors_) return prefetch.Arcs(v);
      if (v >= rows.nodes) return;
      const internal::RowDescriptor& descriptor = descriptors_[v];
      if (!all_kinds) Prefetch(&rows.low[descriptor.begin]);
      if (descriptor.degree < 2) return;
      Prefetch(&rows.neighbors[descriptor.begin + 1]);
      Prefetch(&rows.neighbors[descriptor.begin + std::min(descriptor.degree - 1, 16u)]);
    };
    constexpr std::size_t kFar = internal::RowPrefetch::kFar, kNear = internal::RowPrefetch::kNear;
    // The first rows of the next level are prefetched as soon as their offsets have come, so
    // that levels of few nodes do not wait for memory one after the other.
    std::size_t prefetched = end;
    auto prefetch_next = [&](std::size_t past) {
      for (past = std::min(past, end + kRowsAhead); !last && prefetched < past; ++prefetched)
        prefetch_row(nodes_[prefetched].node);
    };
    for (std::size_t j = begin; j < std::min(end, begin + kFar); ++j)
      prefetch_descriptor(nodes_[j].node);
    for (std::size_t j = begin; j < std::min(end, begin + kNear); ++j) prefetch_row(nodes_[j].node);
    for (std::size_t i = begin; i < end; ++i) {
      if (nodes_.size() > end + kPrefetchLead) prefetch_next(nodes_.size() - kPrefetchLead);
      if (i + kFar < end) prefetch_descriptor(nodes_[i + kFar].node);
      if (i + kNear < end) prefetch_row(nodes_[i + kNear].node);
      const NodeId from = nodes_[i].node;
      if (Interrupted()) return false;
      if (base_rows && snapshot.clean(direction, from)) {
        const std::uint32_t first = descriptors_ ? descriptors_[from].begin : rows.offsets[from];
        const std::uint32_t past =
            descriptors_ ? first + descriptors_[from].degree : rows.offsets[from + 1];
        const auto push_arcs = [&](std::uint32_t a, std::uint32_t end_arc) {
          base_arcs_ += end_arc - a;
          while (a < end_arc) {
            const std::uint32_t stop = a + std::min(end_arc - a, kCheckEvery);
            scanned_ += stop - a;
            for (; a < stop; ++a) {
              if (!all_kinds && !selection_.filter.allows(rows.kind(a))) continue;
              const NodeId node =
                  descriptors_ && a == first ? descriptors_[from].first : rows.neighbors[a];
              ++result_.edges;
              const std::size_t before = nodes_.size();
              if (!Visit(node, depth, from)) return false;
              if (!last && nodes_.size() != before) prefetch_descriptor(node);
            }
            if (a < end_arc && Interrupted()) return false;
          }
          return true;
        };
        if (budget_.edges - result_.edges >= past - first) {
          const std::span<const ArcFilter::Range> ranges = selection_.filter.ranges();
          bool go_on = true;
          if (ranges.empty() || past - first <= common_internal::kSearchedRow) {
            go_on = push_arcs(first, past);
          } else {
            for (std::size_t r = 0; r < ranges.size() && go_on; ++r) {
              const auto [begin_arc, end_arc] = rows.Part(first, past, ranges[r]);
              go_on = push_arcs(begin_arc, end_arc);
            }
          }
          if (!go_on) return false;
          continue;
        }
      }
      const bool whole = common_internal::ForEachArcInterruptible(
          snapshot, direction, from, selection_.filter,
          [&] {
            ++scanned_;
            return !Interrupted();
          },
          [&](const Arc& arc) {
            if (result_.edges >= budget_.edges) return false;
            ++result_.edges;
            return Visit(arc.neighbor, depth, from);
          });
      if (!whole) return false;
    }
    prefetch_next(nodes_.size());
    return true;
  }

  // Pulling cannot stop half way through a level, so it needs an open budget.
  bool PullFits(std::size_t level) const {
    const NodeId n = selection_.snapshot->node_count();
    return n >= kMinPullNodes && level * kPullShare > n && budget_.edges == Budget::kUnlimited &&
           budget_.nodes >= n;
  }

  bool Pull(std::size_t begin, std::size_t end, std::uint32_t depth) {
    const Snapshot& snapshot = *selection_.snapshot;
    const NodeId n = snapshot.node_count();
    std::vector<std::uint64_t> level((std::size_t{n} + 63) / 64);
    for (std::size_t i = begin; i < end; ++i)
      level[nodes_[i].node / 64] |= std::uint64_t{1} << (nodes_[i].node % 64);
    visited_.MakeDense();

    struct Found {
      std::vector<BfsNode> nodes;
      std::uint64_t edges = 0, scanned = 0;
    };
    std::vector<Found> found((n + kPullGrain - 1) / kPullGrain);
    std::atomic<bool> stop = false;
    const Direction back = Opposite(options_.direction);
    ParallelFor(executor_, n, kPullGrain, [&](std::size_t first, std::size_t past) {
      if (stop.load(std::memory_order_relaxed) || budget_.Interrupted()) {
        stop = true;
        return;
      }
      Found& mine = found[first / kPullGrain];
      for (auto v = static_cast<NodeId>(first); v < past; ++v) {
        if (visited_.contains(v) || !selection_.contains(v)) continue;
        NodeId parent =
            kNoNode;  // the first is the smallest where a row is sorted by neighbour only
        bool interrupted = false;
        common_internal::ForEachArcInterruptible(
            snapshot, back, v, selection_.filter,
            [&] {
              return ++mine.scanned % kCheckEvery != 0 || !(interrupted = budget_.Interrupted());
            },
            [&](const Arc& arc) {
              ++mine.edges;
              if (arc.neighbor >= parent ||
                  !((level[arc.neighbor / 64] >> (arc.neighbor % 64)) & 1))
                return true;
              parent = arc.neighbor;
              return !one_sorted_row_;
            });
        if (interrupted) {
          stop = true;
          return;
        }
        if (parent != kNoNode) mine.nodes.push_back({v, depth, parent});
      }
    });
    for (const Found& block : found) {
      result_.edges += block.edges;
      for (const BfsNode& node : block.nodes) Add(node);
    }
    return !stop;
  }

  const common_internal::Selection& selection_;
  const BfsOptions& options_;
  const Budget& budget_;
  Executor& executor_;
  std::unique_ptr<Scratch> scratch_;
  VisitedSet& visited_;
  std::vector<BfsNode>& nodes_;
  bool one_sorted_row_;
  std::shared_ptr<const internal::RowDescriptors> row_descriptors_;
  const internal::RowDescriptor* descriptors_ = nullptr;  // by node of the base, when they are made
  std::uint64_t base_arcs_ = 0;  // of base rows pushed as they are
  std::uint64_t scanned_ = 0,
                next_check_ = 0;  // arcs passed over too: by them the clock is looked at
  BfsResult result_;
};

internal::QueryDigest MakeDigest(const Snapshot& snapshot, std::span<const NodeId> sources,
                                 const BfsOptions& o) {
  internal::QueryDigest digest(snapshot, internal::SearchKind::kBfs);
  digest.Add(std::uint64_t{o.max_depth});
  digest.Add(static_cast<std::uint64_t>(o.direction));
  digest.Add(o.filter.kinds);
  digest.Add(static_cast<std::uint64_t>(o.filter.valid_at));
  digest.Add(o.filter.subset);
  for (NodeId v : sources) digest.AddNode(v);
  return digest;
}

}  // namespace

Result<BfsResult> Bfs(const Snapshot& snapshot, std::span<const NodeId> sources,
                      const BfsOptions& options) try {
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, options.filter));
  for (NodeId v : sources) {
    if (v >= snapshot.node_count() || !snapshot.alive(v))
      return common_internal::NotSelected(snapshot, "source", v, options.filter.kinds);
  }
  Budget budget = options.run.budget;
  if (!options.resume.empty())
    PLEXUS_SET(budget, MakeDigest(snapshot, sources, options).BudgetFrom(options.resume, budget));
  Search search(selection, options, budget, common_internal::Pick(options.run.executor));
  search.Run(sources);
  BfsResult result = search.Take();
  search.RecordTraversal();
  if (result.truncated)
    result.resume =
        MakeDigest(snapshot, sources, options).TokenAt({result.nodes.size(), result.edges});
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::traversal
