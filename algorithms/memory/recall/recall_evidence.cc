// Roles, values and the confidence of what a recall found; see recall.h.
#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "algorithms/memory/internal/property_patch.h"
#include "algorithms/memory/ledger/internal/ledger_read.h"
#include "algorithms/memory/ledger/internal/trust.h"
#include "algorithms/memory/recall/recall.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::memory {
namespace {

class Evidence {
 public:
  Evidence(const Snapshot& snapshot, std::span<const RecallHit> hits,
           const EvidenceOptions& options)
      : snapshot_(snapshot), options_(options) {
    // What no longer holds is no measure of what does.
    const auto holds = [](const RecallHit& hit) { return !hit.superseded_by; };
    const auto best = std::ranges::find_if(hits, holds);
    if (!hits.empty()) top_ = best == hits.end() ? hits.front().score : best->score;
    for (const RecallHit& hit : hits)
      if (hit.score >= options.min_share * top_) hits_.push_back(&hit);
  }

  Status Add(NewEvent& event) {
    std::unordered_set<NodeId> named;
    for (const RecallHit* hit : hits_) {
      if (event.members.size() == kMaxEventMembers) break;
      PLEXUS_TRY(AddHit(*hit, named, event));
      named.insert(hit->node);
    }
    for (const RecallHit* hit : hits_)
      for (const NodeId other : hit->contradicted_by)
        if (event.members.size() < kMaxEventMembers && named.insert(other).second)
          PLEXUS_TRY(AddMember(other, "contradicting", std::nullopt, event));
    if (event.members.empty()) return {};
    const double confidence =
        best_ + std::min(0.03 * static_cast<double>(evidence_), 0.2) - 0.1 * contradictions_;
    event.confidence = std::clamp(confidence, 0.0, 1.0);
    event.status = contradictions_ > 0       ? "contradictions_found"
                   : evidence_ == 0          ? "no_evidence"
                   : *event.confidence > 0.7 ? "resolved"
                                             : "partial_evidence";
    const auto first = std::ranges::find(event.members, "primary", &NewMember::role);
    event.output_preview = (first == event.members.end() ? event.members.front() : *first).preview;
    return {};
  }

 private:
  Status AddHit(const RecallHit& hit, const std::unordered_set<NodeId>& named, NewEvent& event) {
    const bool disputed = !hit.contradicted_by.empty();
    const bool second = std::ranges::any_of(hit.contradicted_by,
                                            [&](NodeId other) { return named.contains(other); });
    std::string role = "supporting";
    if (hit.superseded_by) {
      role = "superseded";
    } else if (second || (disputed && primary_)) {
      role = "contradicting";
    } else if (!std::exchange(primary_, true)) {
      role = "primary";
    }
    if (disputed && !second) ++contradictions_;
    if (role == "primary" || role == "supporting") {
      ++evidence_;
      best_ = std::max(best_, Value(hit));
    }
    return AddMember(hit.node, role, hit.score, event);
  }

  // In [0, 1], as the origin's rank of a memory.
  double Value(const RecallHit& hit) const {
    const double relevance = top_ > 0 ? std::clamp(hit.score / top_, 0.0, 1.0) : 1;
    return 0.5 * relevance + 0.2 * internal::TrustOf(snapshot_, hit.node) +
           0.3 * ShareOfTerms(hit.node);
  }
  // Of a question without words: all.
  double ShareOfTerms(NodeId node) const {
    if (options_.terms.empty()) return 1;
    std::unordered_set<std::string_view> wanted(options_.terms.begin(), options_.terms.end());
    const auto all = static_cast<double>(wanted.size());
    snapshot_.ForEachArc(
        Direction::kOut, node, ArcFilter::Kind(snapshot_.schema(), builtin::kHasTerm),
        [&](const Arc& arc) { wanted.erase(DisplayName(snapshot_.key(arc.neighbor))); });
    return 1 - static_cast<double>(wanted.size()) / all;
  }

  Status AddMember(NodeId node, std::string role, std::optional<double> score, NewEvent& event) {
    NewMember member;
    member.key = snapshot_.key(node);
    member.role = std::move(role);
    member.rank = static_cast<double>(event.members.size());
    member.score = score;
    member.trust = internal::TrustOf(snapshot_, node);
    PLEXUS_ASSIGN(const std::string text, snapshot_.PayloadOrEmpty(node, NodeField::kText));
    if (IsValidUtf8(text)) member.preview = PreviewOf(text);
    event.members.push_back(std::move(member));
    return {};
  }

  const Snapshot& snapshot_;
  const EvidenceOptions& options_;
  std::vector<const RecallHit*> hits_;
  bool primary_ = false;
  std::size_t evidence_ = 0;
  int contradictions_ = 0;
  double best_ = 0;
  double top_ = 0;  // The best score of what holds.
};

// The caller's properties and the counts.
Result<std::string> Properties(const EvidenceOptions& options) {
  internal::PropertyPatch counts;
  if (options.analyzed > 0)
    counts.ints.emplace_back("analyzed", static_cast<std::int64_t>(options.analyzed));
  if (options.expanded > 0)
    counts.ints.emplace_back("expanded", static_cast<std::int64_t>(options.expanded));
  return internal::Patched(options.props, counts);
}

}  // namespace

Result<NewEvent> EventOfRecall(const Snapshot& snapshot, std::span<const RecallHit> hits,
                               std::string_view query, std::int64_t now_ms,
                               const EvidenceOptions& options) try {
  if (!(options.min_share >= 0 && options.min_share <= 1))
    return Invalid("the least share of the best score is 0 to 1");
  NewEvent event;
  event.tool = options.tool;
  event.mode = options.mode;
  event.query = query;
  event.created_at = now_ms;
  PLEXUS_ASSIGN(event.props, Properties(options));
  PLEXUS_TRY(Evidence(snapshot, hits, options).Add(event));
  return event;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
