// The names of vestige's ComposedGraph, for sets of any size; see candidate_reply.h.
#include "tools/operations/reply/candidate_reply.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/memory/ledger_index.h"
#include "algorithms/memory/recall/recall_use.h"
#include "engine/vocabulary.h"

namespace plexus::tools {
namespace {

std::string_view LevelName(SetLevel level) {
  switch (level) {
    case SetLevel::kOpen:
      return "open";
    case SetLevel::kPartial:
      return "partial";
    case SetLevel::kClosedWedge:
      break;
  }
  return "closed_wedge";
}

// The node's text in one line, cut at a character.
std::string Preview(const Snapshot& snapshot, NodeId node) {
  const auto text = snapshot.Payload(node, NodeField::kText);
  return text ? PreviewOf(*text) : "";
}

// The events behind the prior outcomes, by id, the newest ten first: what a success came of, which
// door was closed.
std::vector<std::string> PriorEvents(const Snapshot& snapshot, const NeverComposedSet& set,
                                     const NodeSubset* inside) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> ids;
  if (set.prior_outcomes.empty()) return ids;
  const auto index = LedgerIndex::Of(snapshot);
  if (!index) return ids;
  const auto shown = [&](NodeId event) {
    return !inside || std::ranges::all_of((*index)->members(event),
                                          [&](NodeId v) { return inside->contains(v); });
  };
  std::vector<NodeId> events;
  for (const NodeId member : set.members)
    for (const NodeId event : (*index)->events(member))
      if ((*index)->event_outcomes(event) != 0 && shown(event)) events.push_back(event);
  std::ranges::sort(events, [&](NodeId a, NodeId b) {
    const std::int64_t at = snapshot.i64(kCreatedAt, a).value_or(kNoTime),
                       bt = snapshot.i64(kCreatedAt, b).value_or(kNoTime);
    return at != bt ? at > bt : a > b;
  });
  events.erase(std::unique(events.begin(), events.end()), events.end());
  for (const NodeId event : std::span(events).first(std::min(kMost, events.size())))
    ids.emplace_back(DisplayName(snapshot.key(event)));
  return ids;
}

}  // namespace

std::string CandidateShape(bool of_every_lens) {
  // ! follows what the lens rare does not have.
  std::string shape;
  for (const char c : std::string_view(
           "{ids:[k], score:x, bridgeScore!:x, noveltyScore!:x, trustScore!:x, leastTrust!:x, "
           "outcomeScoreAdjustment!:x, anchor!:x, nodeTypes!:[s], previews!:[s], "
           "firstNodeType?:s, secondNodeType?:s, firstPreview?:s, secondPreview?:s, cosine?:x, "
           "structuralFit?:x, sharedTags!:[s], sharedTerms!:[s], boundaryTags!:[s], "
           "priorOutcomes!:[s], priorEvents!:[s], outcomeSignal!:s, level!:s, proof?:[k], "
           "partners?:[k], hops?:n, divergence?:x, terms!:[{name:s, value:x, weight:x}], "
           "reason!:s, "
           "compositionQuestion!:s}")) {
    if (c != '!')
      shape += c;
    else if (of_every_lens)
      shape += '?';
  }
  return shape;
}

void WriteCandidate(ReplyWriter& json, const Snapshot& snapshot, const NeverComposedSet& set,
                    const NodeSubset* inside) {
  json.Nodes("ids", snapshot, set.members);
  json.Field("score", set.score);
  json.Field("bridgeScore", set.bridge);
  json.Field("noveltyScore", set.novelty);
  json.Field("trustScore", set.mean_trust);
  json.Field("leastTrust", set.least_trust);
  json.Field("outcomeScoreAdjustment", set.adjustment);
  json.Field("anchor", set.anchor);
  json.Values("nodeTypes", set.types);
  std::vector<std::string> previews;
  for (const NodeId v : set.members) previews.push_back(Preview(snapshot, v));
  json.Values("previews", previews);
  if (set.types.size() == 2) {
    json.Field("firstNodeType", set.types[0]);
    json.Field("secondNodeType", set.types[1]);
    json.Field("firstPreview", previews[0]);
    json.Field("secondPreview", previews[1]);
  }
  if (set.cosine) json.Field("cosine", *set.cosine);
  if (set.structural_fit) json.Field("structuralFit", *set.structural_fit);
  json.Values("sharedTags", set.shared_tags);
  json.Values("sharedTerms", set.shared_terms);
  json.Values("boundaryTags", set.boundary_tags);
  json.Values("priorOutcomes", set.prior_outcomes);
  json.Values("priorEvents", PriorEvents(snapshot, set, inside));
  json.Field("outcomeSignal", set.outcome_signal);
  json.Field("level", LevelName(set.level));
  if (!set.proof.empty()) json.Nodes("proof", snapshot, set.proof);
  if (!set.partners.empty()) json.Nodes("partners", snapshot, set.partners);
  if (set.hops > 0) json.Field("hops", set.hops);
  if (set.divergence != 0) json.Field("divergence", set.divergence);
  json.Objects("terms", set.terms, [&](const ScoreTerm& term) {
    json.Field("name", term.name);
    json.Field("value", term.value);
    json.Field("weight", term.weight);
  });
  json.Field("reason", set.reason);
  json.Field("compositionQuestion", set.question);
}

}  // namespace plexus::tools
