// Prefix filtering from the visible side (near_words.h): the rarest of a memory's tags and terms
// name the few nodes that can share enough of them; those that are hidden are compared whole.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/memory/conflicts/internal/near_words.h"
#include "algorithms/memory/visibility/internal/suppression.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/out_of_memory.h"
#include "engine/vectors/vector_view.h"

namespace plexus::memory {
namespace {

using internal::WordSets;

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
    std::ranges::sort(result.pairs, {}, [](const NearDuplicate& p) {
      return std::tuple(-std::max(p.jaccard, p.cosine.value_or(0)), p.superseded, p.visible);
    });
    if (options_.top != 0 && result.pairs.size() > options_.top) result.pairs.resize(options_.top);
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
  if (!(options.min_jaccard > 0 && options.min_jaccard <= 1))
    return Invalid("the least Jaccard index is above 0 and at most 1");
  if (!(options.min_cosine > 0 && std::isfinite(options.min_cosine)))
    return Invalid("min_cosine is a finite number above 0");
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

}  // namespace plexus::memory
