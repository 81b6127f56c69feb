// Pairs: both rows, what they share, the shared ones' degrees. Lists: every neighbour's
// row once into an accumulator of what is touched.
#include "algorithms/similarity/similarity.h"

#include <algorithm>
#include <iterator>

#include "algorithms/common/internal/node_map.h"
#include "algorithms/common/internal/object_pool.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/top_k.h"
#include "algorithms/similarity/internal/neighbor_weight.h"
#include "engine/out_of_memory.h"

namespace plexus::similarity {

namespace {

using common_internal::NodeMap;
using common_internal::Selection;

constexpr std::size_t kPairBlock = 64;  // pairs that share a cache of degrees
constexpr std::size_t kRoundBlocks =
    64;  // blocks between two looks at what is spent; each looks at the clock

// The neighbours of single nodes, each once, straight from a Snapshot: for queries that touch few
// rows and must not copy the graph. Kinds and parallel edges collapse, loops do not count. One per
// thread: it holds scratch memory.
class NeighborRows {
 public:
  // Looks at the budget's deadline and cancel flag every kPollInterval arcs; null: never.
  explicit NeighborRows(const Selection& selection, const Budget* budget = nullptr)
      : selection_(&selection), budget_(budget) {}

  // The budget interrupted a row: that call returned a part of it.
  bool interrupted() const { return interrupted_; }
  // Length() reads the row, as kinds or times are to be looked at.
  bool length_reads() const {
    return !selection_->filter.all_kinds() || selection_->filter.checks_time();
  }

  // fn(NodeId) for every arc to a selected node but `node` itself, doubles as they come;
  // false stops. Returns the arcs looked at.
  template <class Fn>
  std::uint64_t ForEach(NodeId node, Direction direction, Fn&& fn) {
    return Walk(node, direction, Budget::kUnlimited, [&](const Arc& arc) {
      return arc.neighbor == node || !selection_->contains(arc.neighbor) || fn(arc.neighbor);
    });
  }

  // N(node), ascending; `also` counts as selected. Returns the arcs looked at; at most
  // `limit`, or limit + 1 when the row has more (then `out` is a part of it).
  std::uint64_t Gather(NodeId node, Direction direction, NodeId also, std::vector<NodeId>& out,
                       std::uint64_t limit = Budget::kUnlimited) {
    out.clear();
    const std::uint64_t arcs = Walk(node, direction, limit, [&](const Arc& arc) {
      if (arc.neighbor != node && (arc.neighbor == also || selection_->contains(arc.neighbor)))
        out.push_back(arc.neighbor);
      return true;
    });
    Unite(out);
    return arcs;
  }

  // Arcs of the row, loops and what is not selected included; limit + 1 for more than `limit`.
  // Under kBoth a loop, and a symmetric edge, counts twice: an upper bound then.
  std::uint64_t Length(NodeId node, Direction direction, std::uint64_t limit) {
    if (direction == Direction::kBoth) {
      const std::uint64_t out = Length(node, Direction::kOut, limit);
      return out > limit ? out : out + Length(node, Direction::kIn, limit - out);
    }
    if (!length_reads()) return selection_->snapshot->Degree(direction, node, selection_->filter);
    return Walk(node, direction, limit, [](const Arc&) { return true; });
  }

 private:
  static constexpr std::uint32_t kPollInterval = 1 << 16;

  template <class Fn>
  std::uint64_t Walk(NodeId node, Direction direction, std::uint64_t limit, Fn&& fn) {
    std::uint64_t arcs = 0;
    selection_->snapshot->ForEachArc(direction, node, selection_->filter, [&](const Arc& arc) {
      if (arcs++ == limit) return false;
      if (++since_poll_ >= kPollInterval) {
        since_poll_ = 0;
        interrupted_ = interrupted_ || (budget_ && budget_->Interrupted());
      }
      return !interrupted_ && fn(arc);
    });
    return arcs;
  }

  // A row is a few ascending stretches, one a kind and direction: merged, not sorted.
  void Unite(std::vector<NodeId>& row) {
    begins_.assign(1, 0);
    for (std::size_t i = 1; i < row.size(); ++i)
      if (row[i] < row[i - 1]) begins_.push_back(i);
    begins_.push_back(row.size());
    const auto at = [&](std::size_t i) {
      return row.begin() + static_cast<std::ptrdiff_t>(begins_[i]);
    };
    while (begins_.size() > 2) {
      std::size_t kept = 1;
      for (std::size_t i = 0; i + 2 < begins_.size(); i += 2) {
        std::inplace_merge(at(i), at(i + 1), at(i + 2));
        begins_[kept++] = begins_[i + 2];
      }
      if (begins_[kept - 1] != row.size()) begins_[kept++] = row.size();
      begins_.resize(kept);
    }
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }

  const Selection* selection_;
  const Budget* budget_;
  std::uint32_t since_poll_ = 0;
  bool interrupted_ = false;
  std::vector<std::size_t> begins_;
};

Status CheckNode(const Snapshot& snapshot, NodeId node) {
  if (node >= snapshot.node_count() || !snapshot.alive(node))
    return common_internal::NotSelected(snapshot, "", node, {});
  return {};
}

double Ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

double SetScore(SimilarityMeasure measure, std::uint64_t shared, std::uint64_t a, std::uint64_t b) {
  return measure == SimilarityMeasure::kJaccard ? Ratio(shared, a + b - shared)
                                                : Ratio(shared, std::min(a, b));
}

// A shared neighbour; sums are taken over rising length, then id, for every caller.
struct Shared {
  std::uint64_t length;
  NodeId node;
  bool operator<(const Shared& other) const {
    return length != other.length ? length < other.length : node < other.node;
  }
};

// Judges pairs one after the other; remembers degrees between Forget()s.
class PairJudge {
 public:
  PairJudge(const Selection& selection, const SimilarityOptions& options)
      : selection_(selection), options_(options), rows_(selection, &options.run.budget) {}

  // False once the budget interrupted a pair: what was judged since is void.
  bool whole() const { return !rows_.interrupted(); }
  void Forget() {
    places_.Reset(selection_.snapshot->node_count());
    known_.clear();
  }
  // Adds to `edges` the arcs looked at.
  PairSimilarity Judge(NodePair pair, std::uint64_t& edges) {
    PairSimilarity result{.a = pair.source, .b = pair.target};
    edges += rows_.Gather(result.a, options_.direction, result.b, row_a_);
    edges += rows_.Gather(result.b, options_.direction, result.a, row_b_);
    result.neighbors_a = row_a_.size();
    result.neighbors_b = row_b_.size();
    shared_.clear();
    Intersect();
    result.shared = shared_.size();
    if (options_.measure == SimilarityMeasure::kCommon)
      result.score = static_cast<double>(result.shared);
    else if (internal::IsSum(options_.measure))
      result.score = Sum(result, edges);
    else
      result.score =
          SetScore(options_.measure, result.shared, result.neighbors_a, result.neighbors_b);
    return result;
  }

 private:
  // The shorter row is looked up in the longer one where that is much longer.
  void Intersect() {
    const std::vector<NodeId>& few = row_a_.size() < row_b_.size() ? row_a_ : row_b_;
    const std::vector<NodeId>& many = row_a_.size() < row_b_.size() ? row_b_ : row_a_;
    if (many.size() / 16 < few.size()) {
      std::set_intersection(few.begin(), few.end(), many.begin(), many.end(),
                            std::back_inserter(shared_));
      return;
    }
    auto at = many.begin();
    for (const NodeId w : few) {
      at = std::lower_bound(at, many.end(), w);
      if (at == many.end()) return;
      if (*at == w) shared_.push_back(w);
    }
  }

  double Sum(const PairSimilarity& pair, std::uint64_t& edges) {
    const Direction back = Opposite(options_.direction);
    const std::uint64_t outside = !selection_.contains(pair.a) + !selection_.contains(pair.b);
    order_.clear();
    for (const NodeId w : shared_) {
      std::uint32_t& place = places_.at(w);
      if (place == NodeMap::kAbsent) {
        place = static_cast<std::uint32_t>(known_.size());
        const std::uint64_t length = rows_.Length(w, back, Budget::kUnlimited);
        if (rows_.length_reads()) edges += length;
        edges += rows_.Gather(w, back, kNoNode, row_a_);
        known_.push_back({length, row_a_.size()});
      }
      order_.push_back({known_[place].length, w});
    }
    if (rows_.interrupted()) return 0;  // what is known are parts
    std::sort(order_.begin(), order_.end());
    double sum = 0;
    for (const Shared& w : order_)
      sum +=
          internal::NeighborWeight(options_.measure, known_[places_.get(w.node)].degree + outside);
    return sum;
  }

  const Selection& selection_;
  const SimilarityOptions& options_;
  NeighborRows rows_;
  struct Known {
    std::uint64_t length, degree;  // the degree is among the selected nodes
  };
  NodeMap places_;  // shared node -> its place in known_
  std::vector<Known> known_;
  std::vector<NodeId> row_a_, row_b_, shared_;
  std::vector<Shared> order_;
};

struct Judged {
  PairSimilarity pair;
  std::uint64_t edges = 0;
};

// Everything within two steps of a node.
class TwoSteps {
 public:
  TwoSteps(const Selection& selection, NodeId node, const SimilarityOptions& options)
      : node_(node),
        options_(options),
        rows_(selection, &options.run.budget),
        places_(selection.snapshot->node_count()) {}

  SimilarNodesResult Run() {
    result_.edges = rows_.Gather(node_, options_.direction, kNoNode, near_, Left());
    if (Overrun()) return std::move(result_);  // without its neighbours there is no score
    result_.neighbors = near_.size();
    Accumulate();
    result_.candidates = found_.size();
    if (options_.measure == SimilarityMeasure::kCommon || internal::IsSum(options_.measure))
      RankSums();
    else
      RankSets();
    return std::move(result_);
  }

 private:
  struct Candidate {
    NodeId node;
    std::uint32_t last;  // the neighbour that was counted last, against doubles
    std::uint32_t shared;
    double sum;
  };
  static bool Better(const SimilarNeighbor& a, const SimilarNeighbor& b) {
    return a.score != b.score ? a.score > b.score : a.node < b.node;
  }
  std::uint64_t Left() const {
    return options_.run.budget.edges - std::min(options_.run.budget.edges, result_.edges);
  }

  // After a row was read within Left(): whether it had more, or the budget interrupted it.
  bool Overrun() {
    if (result_.edges > options_.run.budget.edges || rows_.interrupted() ||
        options_.run.budget.Interrupted())
      result_.truncated = true;
    result_.edges = std::min(result_.edges, options_.run.budget.edges);
    return result_.truncated;
  }

  void Accumulate() {
    const Direction back = Opposite(options_.direction);
    std::vector<Shared> order;
    for (const NodeId w : near_) {
      order.push_back({rows_.Length(w, back, Left()), w});
      // A row that does not fit is not followed below, but it has been read.
      if (rows_.length_reads()) result_.edges += std::min(order.back().length, Left());
      if (rows_.interrupted() || (order.size() % 4096 == 0 && options_.run.budget.Interrupted())) {
        result_.truncated = true;
        return;
      }
    }
    std::sort(order.begin(), order.end());
    std::vector<std::uint32_t> here;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      if (order[i].length > Left() || options_.run.budget.Interrupted()) {
        result_.truncated = true;
        return;
      }
      here.clear();
      result_.edges += rows_.ForEach(order[i].node, back, [&](NodeId b) {
        if (b == node_) return true;
        std::uint32_t& place = places_.at(b);
        if (place == NodeMap::kAbsent) {
          place = static_cast<std::uint32_t>(found_.size());
          found_.push_back({b, i, 0, 0});
        } else if (found_[place].last == i) {
          return true;
        }
        found_[place].last = i;
        here.push_back(place);
        return true;
      });
      if (rows_.interrupted()) {  // a part of a row: as if not looked at
        std::erase_if(found_, [](const Candidate& c) { return c.shared == 0; });
        result_.truncated = true;
        return;
      }
      // d counts the queried node, whether it is selected or not.
      const double share = internal::IsSum(options_.measure) && !here.empty()
                               ? internal::NeighborWeight(options_.measure, here.size() + 1)
                               : 0.0;
      for (const std::uint32_t place : here) {
        ++found_[place].shared;
        found_[place].sum += share;
      }
    }
  }

  void RankSums() {
    for (const Candidate& c : found_)
      if (c.shared >= options_.min_shared)
        result_.hits.push_back(
            {c.node, internal::IsSum(options_.measure) ? c.sum : static_cast<double>(c.shared),
             c.shared, 0});
    common_internal::SortTopK(result_.hits, options_.top, Better);
  }

  // Candidates in an order in which, once one cannot enter a full list, no later one can:
  // |N(a) or N(b)| >= |N(a)| bounds Jaccard's by what is shared; overlaps are at most 1.
  void RankSets() {
    const bool jaccard = options_.measure == SimilarityMeasure::kJaccard;
    std::sort(found_.begin(), found_.end(), [&](const Candidate& a, const Candidate& b) {
      return jaccard && a.shared != b.shared ? a.shared > b.shared : a.node < b.node;
    });
    std::vector<SimilarNeighbor>& best = result_.hits;  // a heap, the worst in front
    const bool bounded = options_.top != 0;
    std::uint32_t looked_at = 0;
    for (const Candidate& c : found_) {
      if (c.shared < options_.min_shared) continue;
      if (bounded && best.size() == options_.top) {
        const double most = jaccard ? Ratio(c.shared, near_.size()) : 1.0;
        if (!Better({c.node, most, 0, 0}, best.front())) break;
      }
      if (Left() == 0 || (looked_at++ % 256 == 255 && options_.run.budget.Interrupted())) {
        result_.truncated = true;
        break;
      }
      result_.edges += rows_.Gather(c.node, options_.direction, node_, row_, Left());
      if (result_.edges > options_.run.budget.edges || rows_.interrupted()) {
        result_.edges = std::min(result_.edges, options_.run.budget.edges);
        result_.truncated = true;
        break;
      }
      const SimilarNeighbor entry{c.node,
                                  SetScore(options_.measure, c.shared, near_.size(), row_.size()),
                                  c.shared, row_.size()};
      if (bounded && best.size() == options_.top) {
        if (!Better(entry, best.front())) continue;
        std::pop_heap(best.begin(), best.end(), Better);
        best.pop_back();
      }
      best.push_back(entry);
      std::push_heap(best.begin(), best.end(), Better);
    }
    std::sort(best.begin(), best.end(), Better);
  }

  const NodeId node_;
  const SimilarityOptions& options_;
  NeighborRows rows_;
  NodeMap places_;  // node -> its place in found_
  std::vector<NodeId> near_, row_;
  std::vector<Candidate> found_;
  SimilarNodesResult result_;
};

}  // namespace

Result<PairSimilaritiesResult> PairSimilarities(const Snapshot& snapshot,
                                                std::span<const NodePair> pairs,
                                                const SimilarityOptions& options) try {
  for (const NodePair& pair : pairs) {
    PLEXUS_TRY(CheckNode(snapshot, pair.source));
    PLEXUS_TRY(CheckNode(snapshot, pair.target));
    if (pair.source == pair.target)
      return Invalid("node '", snapshot.key(pair.source), "' is compared with itself");
  }
  PLEXUS_ASSIGN(const Selection selection, common_internal::Select(snapshot, options.filter));
  Executor& executor = common_internal::Pick(options.run.executor);
  common_internal::ObjectPool<PairJudge> judges;
  PairSimilaritiesResult result;
  std::uint64_t spent = 0;
  std::vector<Judged> round(std::min(pairs.size(), kPairBlock * kRoundBlocks));
  std::vector<std::uint8_t> done(kRoundBlocks);  // by block of the round: not interrupted
  for (std::size_t first = 0; first < pairs.size() && !result.truncated; first += round.size()) {
    const std::size_t count = std::min(round.size(), pairs.size() - first);
    const std::uint64_t left = options.run.budget.edges - spent;
    ParallelFor(executor, count, kPairBlock, [&](std::size_t begin, std::size_t end) {
      done[begin / kPairBlock] = false;
      if (options.run.budget.Interrupted()) return;
      const auto judge =
          judges.Acquire([&] { return std::make_unique<PairJudge>(selection, options); });
      judge->Forget();
      std::uint64_t here = 0;
      for (std::size_t i = begin; i < end; ++i) {
        round[i] = {};
        // Past what is left nothing of this block will be kept.
        if (here <= left) round[i].pair = judge->Judge(pairs[first + i], round[i].edges);
        here += round[i].edges;
      }
      done[begin / kPairBlock] = judge->whole();
    });
    for (std::size_t i = 0; i < count; ++i) {
      if (!done[i / kPairBlock] || round[i].edges > options.run.budget.edges - spent) {
        result.truncated = true;
        break;
      }
      spent += round[i].edges;
      result.pairs.push_back(round[i].pair);
    }
  }
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<SimilarNodesResult> SimilarNodes(const Snapshot& snapshot, NodeId node,
                                        const SimilarityOptions& options) try {
  if (options.min_shared == 0) return Invalid("min_shared is 1 or more");
  PLEXUS_TRY(CheckNode(snapshot, node));
  PLEXUS_ASSIGN(const Selection selection, common_internal::Select(snapshot, options.filter));
  return TwoSteps(selection, node, options).Run();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::similarity
