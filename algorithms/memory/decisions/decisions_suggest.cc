// One search after the other: opposing outcomes in the category, keys in the text, shared tags and
// terms, near vectors, equal properties.
#include "algorithms/memory/decisions/decisions.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <optional>
#include <unordered_set>

#include "algorithms/memory/conflicts/internal/near_words.h"
#include "algorithms/memory/internal/outcome_column.h"
#include "algorithms/memory/ledger/internal/ledger_read.h"
#include "algorithms/similarity/similarity.h"
#include "engine/out_of_memory.h"
#include "engine/properties/properties.h"
#include "engine/vocabulary.h"

namespace plexus::memory {
namespace {

using internal::IsRecorded;
using internal::OpposingOutcomes;
using internal::OutcomeOf;
using internal::StringColumn;
using internal::StringOf;

bool IsAsciiPunctuation(char c) {
  return static_cast<unsigned char>(c) < 0x80 && std::ispunct(static_cast<unsigned char>(c)) != 0;
}
bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string Shown(const Snapshot& snapshot, NodeId node) {
  return std::string(DisplayName(snapshot.key(node)));
}

std::string Share(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

class Suggest {
 public:
  Suggest(const Snapshot& snapshot, NodeId node, const NodeSubset& decisions,
          const SuggestOptions& options)
      : snapshot_(snapshot), node_(node), decisions_(decisions), options_(options) {
    result_.batch.set_time_ms(options.decisions.now_ms);
  }

  Result<SuggestResult> Run() {
    snapshot_.ForEachArc(Direction::kBoth, node_, ArcFilter::Kinds(snapshot_.schema(), {}),
                         [&](const Arc& arc) { linked_.insert(arc.neighbor); });
    PLEXUS_TRY(Opposing());
    PLEXUS_TRY(Named());
    PLEXUS_TRY(Sharing());
    PLEXUS_TRY(Near());
    for (const std::string& property : options_.properties) PLEXUS_TRY(Same(property));
    static constexpr std::string_view kOrder[] = {"contradicts", "caused_by", "relates_to",
                                                  "refines"};
    std::ranges::stable_sort(result_.edges, {}, [](const SuggestedEdge& e) {
      return std::ranges::find(kOrder, e.relation) - std::begin(kOrder);
    });
    Cut();
    for (const SuggestedEdge& e : result_.edges) PLEXUS_TRY(Link(e));
    return std::move(result_);
  }

 private:
  bool Suggested(NodeId other) const {
    return std::ranges::find(result_.edges, other, &SuggestedEdge::other) != result_.edges.end();
  }
  bool Linked(NodeId other) const { return linked_.contains(other); }
  Result<bool> IsActive(NodeId other) const {
    const NodeId nodes[] = {other};
    PLEXUS_ASSIGN(const auto states,
                  StatusOf(snapshot_, nodes, snapshot_.TimeOr(options_.decisions.now_ms)));
    return states[0].active;
  }
  std::int64_t CreatedAt(NodeId node) const {
    return snapshot_.i64(builtin::kCreatedAt, node).value_or(kNoTime);
  }

  Status Opposing() {
    const std::string_view category = StringOf(snapshot_, builtin::kCategory, node_);
    const std::string_view outcome = OutcomeOf(snapshot_, node_);
    if (category.empty() || !IsRecorded(outcome)) return {};
    const StringColumn categories(snapshot_, builtin::kCategory),
        outcomes(snapshot_, builtin::kDecisionOutcome);
    std::vector<NodeId> others;
    for (const NodeId other : decisions_.ToList())
      if (other != node_ && OpposingOutcomes(outcome, outcomes[other]) &&
          categories[other] == category && !snapshot_.FindEdge(node_, builtin::kContradicts, other))
        others.push_back(other);
    PLEXUS_ASSIGN(const auto states,
                  StatusOf(snapshot_, others, snapshot_.TimeOr(options_.decisions.now_ms)));
    std::vector<NodeId> active;
    for (const DecisionStatus& state : states)
      if (state.active) active.push_back(state.node);
    std::ranges::sort(active, [&](NodeId a, NodeId b) {  // the newest first
      const std::int64_t at = CreatedAt(a), bt = CreatedAt(b);
      return at != bt ? at > bt : a < b;
    });
    if (active.size() > options_.top) {
      active.resize(options_.top);
      result_.truncated = true;
    }
    for (const NodeId other : active) {
      const std::string_view theirs = OutcomeOf(snapshot_, other);
      result_.edges.push_back({node_,
                               other,
                               "contradicts",
                               "opposing outcomes in category '" + std::string(category) + "'",
                               {{"category", std::string(category)},
                                {"outcome", std::string(outcome)},
                                {"other_outcome", std::string(theirs)}}});
    }
    return {};
  }

  Status Named() {
    PLEXUS_ASSIGN(const std::string text, snapshot_.PayloadOrEmpty(node_, NodeField::kText));
    std::unordered_set<NodeId> seen;
    for (std::size_t at = 0; at < text.size();) {
      if (IsBlank(text[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && !IsBlank(text[end])) ++end;
      const std::string_view word = std::string_view(text).substr(at, end - at);
      at = end;
      const auto other = Key(word);
      if (!other || *other == node_ || !snapshot_.alive(*other) || !decisions_.contains(*other) ||
          !seen.insert(*other).second)
        continue;
      const std::string_view outcome = OutcomeOf(snapshot_, *other);
      const std::string key = Shown(snapshot_, *other);
      if (IsRecorded(outcome)) {
        if (snapshot_.FindEdge(*other, builtin::kCauses, node_)) continue;
        result_.edges.push_back({node_,
                                 *other,
                                 "caused_by",
                                 "the text names '" + key + "', whose outcome is recorded",
                                 {{"word", std::string(word)}, {"outcome", std::string(outcome)}}});
      } else if (!Linked(*other) && !Suggested(*other)) {
        result_.edges.push_back({node_,
                                 *other,
                                 "relates_to",
                                 "the text names '" + key + "'",
                                 {{"word", std::string(word)}}});
      }
    }
    return {};
  }

  // The word as it is, or without the punctuation around it.
  std::optional<NodeId> Key(std::string_view word) const {
    if (word.size() > Limits::kMaxKeyBytes + 16) return std::nullopt;
    if (const auto node = snapshot_.Find(word)) return node;
    while (!word.empty() && IsAsciiPunctuation(word.front())) word.remove_prefix(1);
    while (!word.empty() && IsAsciiPunctuation(word.back())) word.remove_suffix(1);
    if (word.ends_with("'s")) word.remove_suffix(2);
    return word.empty() ? std::nullopt : snapshot_.Find(word);
  }

  Status Sharing() {
    similarity::SimilarityOptions options;
    options.direction = Direction::kOut;
    options.filter.kinds = {builtin::kHasTag, builtin::kHasTerm};
    options.top = 0;
    options.min_shared = 2;
    options.run = options_.decisions.run;
    PLEXUS_ASSIGN(const similarity::SimilarNodesResult similar,
                  similarity::SimilarNodes(snapshot_, node_, options));
    result_.truncated = result_.truncated || similar.truncated;
    for (const similarity::SimilarNeighbor& near : similar.hits) {
      if (near.score < options_.min_shared) continue;
      PLEXUS_TRY(Relate(near.node, "shares tags and terms",
                        {{"jaccard", Share(near.score)}, {"shared", std::to_string(near.shared)}}));
    }
    return {};
  }

  // Only active decisions are looked at, so that others do not fill the list.
  Status Near() {
    if (!snapshot_.schema().FindSpace(options_.space) || options_.min_cosine > 1) return {};
    PLEXUS_ASSIGN(const auto states, StatusOf(snapshot_, decisions_.ToList(),
                                              snapshot_.TimeOr(options_.decisions.now_ms)));
    std::vector<NodeId> nodes;
    for (const DecisionStatus& state : states)
      if (state.active) nodes.push_back(state.node);
    PLEXUS_ASSIGN(const NodeSubset active, NodeSubset::Of(snapshot_, nodes));
    PLEXUS_ASSIGN(
        const retrieval::NearestResult nearest,
        internal::NearVectors(snapshot_, node_, options_.space, options_.min_cosine, active,
                              options_.top + linked_.size() + result_.edges.size(),
                              options_.decisions.run));
    result_.truncated = result_.truncated || nearest.truncated;
    for (const retrieval::NearestHit& hit : nearest.hits)
      PLEXUS_TRY(Relate(hit.node, "has a near vector",
                        {{"cosine", Share(hit.measure)}, {"space", options_.space}}));
    return {};
  }

  // A value as a node has it: of the column, else of the property of that name.
  Result<std::string> TextOf(NodeId node, const std::string& name) const {
    if (const auto column = snapshot_.schema().FindColumn(name);
        column && snapshot_.schema().columns()[*column].type == ColumnType::kString) {
      const auto text = snapshot_.string_column(*column, node);
      if (text) return std::string(snapshot_.string(*text));
    }
    PLEXUS_ASSIGN(const PropertyMap map, internal::PropertiesOf(snapshot_, node));
    return internal::TextOf(map.root(), name);
  }

  Status Same(const std::string& property) {
    PLEXUS_ASSIGN(const std::string own, TextOf(node_, property));
    if (own.empty()) return {};
    std::uint64_t looked = 0;
    for (const NodeId other : decisions_.ToList()) {
      if (looked++ % 64 == 0 && options_.decisions.run.budget.Interrupted()) {
        result_.truncated = true;
        break;
      }
      PLEXUS_ASSIGN(const std::string theirs, TextOf(other, property));
      if (theirs == own) PLEXUS_TRY(Relate(other, "has the same " + property, {{property, own}}));
    }
    return {};
  }

  // Unless the pair is linked or suggested already, or the other one is not active.
  Status Relate(NodeId other, const std::string& reason,
                std::vector<std::pair<std::string, std::string>> evidence) {
    if (other == node_ || !decisions_.contains(other) || Suggested(other) || Linked(other))
      return {};
    PLEXUS_ASSIGN(const bool active, IsActive(other));
    if (!active) return {};
    const std::string_view category = StringOf(snapshot_, builtin::kCategory, node_);
    const bool newer = !category.empty() &&
                       StringOf(snapshot_, builtin::kCategory, other) == category &&
                       CreatedAt(other) < CreatedAt(node_);
    std::size_t& count = newer ? refines_ : relates_;
    if (count == options_.top) {
      result_.truncated = true;
      return {};
    }
    ++count;
    if (newer) evidence.emplace_back("category", category);
    result_.edges.push_back({node_, other, newer ? "refines" : "relates_to",
                             newer ? "newer in the same category, and " + reason : reason,
                             std::move(evidence)});
    return {};
  }

  // `top` of each relation; they stand together.
  void Cut() {
    std::vector<SuggestedEdge> kept;
    std::size_t count = 0;
    for (SuggestedEdge& e : result_.edges) {
      count = !kept.empty() && kept.back().relation == e.relation ? count + 1 : 1;
      if (count > options_.top)
        result_.truncated = true;
      else
        kept.push_back(std::move(e));
    }
    result_.edges = std::move(kept);
  }

  Status Link(const SuggestedEdge& e) {
    PropertyMapBuilder made;
    made.String("reason", e.reason);
    PLEXUS_ASSIGN(const std::string properties, made.Finish());
    WriteBatch::EdgeInput edge;
    const bool back = e.relation == "caused_by";
    edge.source = NodeRef::Id(back ? e.other : e.node);
    edge.target = NodeRef::Id(back ? e.node : e.other);
    edge.kind = back                          ? builtin::kCauses
                : e.relation == "contradicts" ? builtin::kContradicts
                : e.relation == "refines"     ? builtin::kRefines
                                              : builtin::kRelatesTo;
    if (!options_.created_by.empty()) edge.created_by = options_.created_by;
    edge.properties = properties;
    result_.batch.ExpectNode(edge.source);
    result_.batch.ExpectNode(edge.target);
    result_.batch.ExpectNoEdge(edge.source, edge.kind, edge.target);
    result_.batch.Link(edge);
    return {};
  }

  const Snapshot& snapshot_;
  const NodeId node_;
  const NodeSubset& decisions_;
  const SuggestOptions& options_;
  std::unordered_set<NodeId> linked_;      // by any edge between facts
  std::size_t relates_ = 0, refines_ = 0;  // found by Relate
  SuggestResult result_;
};

}  // namespace

Result<SuggestResult> SuggestEdges(const Snapshot& snapshot, NodeId node,
                                   const SuggestOptions& options) try {
  if (options.top == 0 || options.top > 1000) return Invalid("top is 1 to 1000");
  if (!(options.min_shared > 0 && options.min_shared <= 1))
    return Invalid("min_shared is above 0 and at most 1");
  if (!(options.min_cosine > 0)) return Invalid("min_cosine is above 0");
  if (node >= snapshot.node_count()) return Invalid("no node ", node);
  if (!snapshot.alive(node)) return NotFound("'", Shown(snapshot, node), "' was removed");
  PLEXUS_ASSIGN(const NodeSubset all, Decisions(snapshot));
  const NodeSubset& decisions = options.decisions.subset ? *options.decisions.subset : all;
  if (!decisions.contains(node))
    return Invalid("'", Shown(snapshot, node), "' is not one of the decisions");
  return Suggest(snapshot, node, decisions, options).Run();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
