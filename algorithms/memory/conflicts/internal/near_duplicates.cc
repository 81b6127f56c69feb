// Near-duplicates: of all superseded memories by a join and the exact scan. From the visible side
// by prefix filtering (near_words.h): the rarest of a memory's tags and terms name the few nodes
// that can share enough of them; those that are hidden are compared whole.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/memory/conflicts/internal/near_words.h"
#include "algorithms/memory/visibility/internal/suppression.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/out_of_memory.h"
#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"

namespace plexus::memory {
namespace {

using internal::WordSets;

Status CheckMeasures(const NearDuplicatesOptions& options) {
  if (!(options.min_jaccard > 0 && options.min_jaccard <= 1))
    return Invalid("the least Jaccard index is above 0 and at most 1");
  if (!(options.min_cosine > 0 && std::isfinite(options.min_cosine)))
    return Invalid("min_cosine is a finite number above 0");
  return {};
}

// By the greater of both measures, ties by ids; the first `top`, 0: all.
void Rank(std::vector<NearDuplicate>& pairs, std::size_t top) {
  std::ranges::sort(pairs, {}, [](const NearDuplicate& p) {
    return std::tuple(-std::max(p.jaccard, p.cosine.value_or(0)), p.superseded, p.visible);
  });
  if (top != 0 && pairs.size() > top) pairs.resize(top);
}

class Search {
 public:
  Search(const Snapshot& snapshot, const Visible& visible, const NearDuplicatesOptions& options)
      : snapshot_(snapshot),
        options_(options),
        visible_(visible),
        sets_(snapshot),
        budget_(options.run.budget) {}

  // Hidden nodes that share enough with a visible one; may be expired and not superseded.
  void ByTerms(NodeId node) {
    sets_.Read(node, own_);
    if (own_.empty()) return;
    std::unordered_set<NodeId> looked_at;
    const std::span prefix(own_.data(), WordSets::Prefix(own_.size(), options_.min_jaccard));
    for (const WordSets::Key shared : prefix) {
      snapshot_.ForEachArc(Direction::kIn, WordSets::NodeOf(shared), sets_.filter(),
                           [&](const Arc& arc) {
                             if (!Spend(1)) return false;
                             if (!Hidden(arc.neighbor) || !looked_at.insert(arc.neighbor).second)
                               return true;
                             sets_.Read(arc.neighbor, theirs_);
                             if (!Spend(theirs_.size())) return false;
                             const auto words = internal::CompareWords(own_, theirs_);
                             if (words.jaccard < options_.min_jaccard) return true;
                             NearDuplicate& pair = Pair(arc.neighbor, node);
                             pair.jaccard = words.jaccard;
                             pair.shared = words.shared;
                             return true;
                           });
      if (truncated_) return;
    }
  }

  Status ByVectors(std::span<const NodeId> nodes) {
    const auto space = snapshot_.schema().FindSpace(options_.space);
    if (!space || !(options_.min_cosine <= 1)) return {};
    PLEXUS_ASSIGN(const VectorView* vectors, snapshot_.vectors(*space));
    PLEXUS_ASSIGN(const NodeSubset hidden, HiddenWithVector(*vectors));
    VectorBuffer values;
    for (const NodeId node : nodes) {
      if (!vectors->has(node) || hidden.count() == 0) continue;
      retrieval::NearestOptions nearest;
      nearest.metric = Metric::kCosine;
      nearest.subset = &hidden;
      nearest.top = 0;  // All, so no pre-filter.
      nearest.run = options_.run;
      nearest.run.budget = budget_;
      PLEXUS_ASSIGN(const retrieval::NearestResult found,
                    retrieval::Nearest(snapshot_, *space, vectors->vector(node, values), nearest));
      truncated_ = truncated_ || found.truncated;
      if (budget_.nodes != Budget::kUnlimited)
        budget_.nodes -= std::min(budget_.nodes, found.measured);
      for (const retrieval::NearestHit& hit : found.hits) {
        if (hit.measure < options_.min_cosine) break;  // nearest come first
        Pair(hit.node, node).cosine = hit.measure;
      }
    }
    return {};
  }

  // Only superseded ones, without the visible nodes that replaced them.
  Result<NearDuplicatesResult> Settle() {
    std::vector<NodeId> old;
    for (const auto& [key, pair] : pairs_) old.push_back(pair.superseded);
    PLEXUS_ASSIGN(const SupersessionHeads heads, HeadsOf(snapshot_, visible_.now_ms, old));
    NearDuplicatesResult result;
    result.truncated = truncated_;
    const internal::Suppression active(snapshot_, visible_.now_ms);
    NodeId old_before = kNoNode;  // pairs of one old memory stand together
    std::unordered_set<NodeId> newer;
    for (auto& [key, pair] : pairs_) {
      pair.superseded_by = heads.HeadOf(pair.superseded);
      if (pair.superseded_by == pair.superseded) continue;
      if (pair.superseded != old_before) newer = ReplacedBy(active, pair.superseded);
      old_before = pair.superseded;
      if (newer.contains(pair.visible)) continue;
      if (!visible_.in_scope(pair.superseded_by)) pair.superseded_by = kNoNode;
      result.pairs.push_back(pair);
    }
    Rank(result.pairs, options_.top);
    return result;
  }

 private:
  bool Spend(std::uint64_t arcs) {
    if (budget_.edges < arcs || (reads_++ % 1024 == 0 && budget_.Interrupted())) truncated_ = true;
    if (!truncated_ && budget_.edges != Budget::kUnlimited) budget_.edges -= arcs;
    return !truncated_;
  }

  bool Hidden(NodeId node) const {
    return !visible_.contains(node) && snapshot_.alive(node) && snapshot_.is_fact(node) &&
           visible_.in_scope(node);
  }

  Result<NodeSubset> HiddenWithVector(const VectorView& vectors) const {
    std::vector<NodeId> nodes;
    const NodeId count = snapshot_.node_count();
    for (std::size_t w = 0; w * 64 < count; ++w) {
      std::uint64_t bits =
          w < visible_.nodes.word_count() ? ~visible_.nodes.word(w) : ~std::uint64_t{0};
      for (; bits != 0; bits &= bits - 1) {
        const auto node = static_cast<NodeId>(w * 64 + std::countr_zero(bits));
        if (node < count && Hidden(node) && vectors.has(node)) nodes.push_back(node);
      }
    }
    return NodeSubset::Of(snapshot_, nodes);
  }

  NearDuplicate& Pair(NodeId old, NodeId visible) {
    NearDuplicate& pair = pairs_[{old, visible}];
    pair.superseded = old;
    pair.visible = visible;
    return pair;
  }

  const Snapshot& snapshot_;
  const NearDuplicatesOptions& options_;
  const Visible& visible_;
  const WordSets sets_;
  std::vector<WordSets::Key> own_, theirs_;
  Budget budget_;  // What is left.
  std::map<std::pair<NodeId, NodeId>, NearDuplicate> pairs_;
  bool truncated_ = false;
  std::uint64_t reads_ = 0;
};

}  // namespace

Result<NearDuplicatesResult> NearSuperseded(const Snapshot& snapshot, std::span<const NodeId> nodes,
                                            const Visible& visible,
                                            const NearDuplicatesOptions& options) try {
  PLEXUS_TRY(CheckMeasures(options));
  for (const NodeId node : nodes)
    if (node >= snapshot.node_count()) return Invalid("no node ", node);
  std::vector<NodeId> asked;
  for (const NodeId node : nodes)
    if (visible.contains(node)) asked.push_back(node);
  Search search(snapshot, visible, options);
  for (const NodeId node : asked) search.ByTerms(node);
  PLEXUS_TRY(search.ByVectors(asked));
  return search.Settle();
}
PLEXUS_CATCH_NO_MEMORY

Result<NearDuplicatesResult> NearDuplicates(const Snapshot& snapshot,
                                            const NearDuplicatesOptions& options) try {
  PLEXUS_TRY(CheckMeasures(options));
  if (options.of != kNoNode && options.of >= snapshot.node_count())
    return Invalid("no node ", options.of);
  PLEXUS_ASSIGN(const Visible visible, VisibleIn(snapshot, options.now_ms, options.subset,
                                                 {.run = {.executor = options.run.executor}}));
  const NodeId of[] = {options.of};
  const std::int64_t at = visible.now_ms;
  PLEXUS_ASSIGN(const SupersessionHeads heads,
                options.of == kNoNode ? AllHeads(snapshot, at) : HeadsOf(snapshot, at, of));
  const internal::Suppression active(snapshot, at);
  std::vector<NodeId> old, head;
  for (std::size_t i = 0; i < heads.nodes.size(); ++i) {
    const NodeId node = heads.nodes[i];
    if (heads.heads[i] == node || !snapshot.alive(node) || !snapshot.is_fact(node)) continue;
    if (options.of != kNoNode && options.of != node) continue;
    if (!visible.in_scope(node)) continue;
    old.push_back(node);
    head.push_back(heads.heads[i]);
  }
  NearDuplicatesResult result;
  RunOptions run = options.run;
  const internal::WordPairs words =
      internal::JoinByWords(snapshot, old, visible.nodes, options.min_jaccard, run);
  result.truncated = words.truncated;
  if (run.budget.edges != Budget::kUnlimited)
    run.budget.edges -= std::min(run.budget.edges, words.edges);
  auto by_words = words.pairs.begin();
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (run.budget.Interrupted()) {
      result.truncated = true;
      break;
    }
    std::unordered_map<NodeId, NearDuplicate> found;
    const auto pair = [&](NodeId other) -> NearDuplicate& {
      NearDuplicate& made = found[other];
      made.superseded = old[i];
      made.visible = other;
      made.superseded_by = head[i];
      return made;
    };
    for (; by_words != words.pairs.end() && by_words->old == i; ++by_words) {
      NearDuplicate& made = pair(by_words->other);
      made.jaccard = by_words->words.jaccard;
      made.shared = by_words->words.shared;
    }
    const auto newer = ReplacedBy(active, old[i]);
    PLEXUS_ASSIGN(
        const retrieval::NearestResult nearest,
        internal::NearVectors(snapshot, old[i], options.space, options.min_cosine, visible.nodes,
                              options.top == 0 ? 0 : options.top + 1 + newer.size(), run));
    if (run.budget.nodes != Budget::kUnlimited)
      run.budget.nodes -= std::min(run.budget.nodes, nearest.measured);
    result.truncated = result.truncated || nearest.truncated;
    for (const retrieval::NearestHit& hit : nearest.hits) pair(hit.node).cosine = hit.measure;
    for (auto& [other, made] : found) {
      if (other == old[i] || other == head[i] || !visible.contains(other) || newer.contains(other))
        continue;
      if (!visible.in_scope(made.superseded_by)) made.superseded_by = kNoNode;
      result.pairs.push_back(made);
    }
  }
  Rank(result.pairs, options.top);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
