// The names of vestige's ComposedGraph, for sets of any size; see candidate_reply.h.
#include "tools/operations/reply/candidate_reply.h"

#include <string_view>
#include <vector>

#include "algorithms/memory/recall/recall.h"
#include "engine/vocabulary.h"

namespace plexus::tools {
namespace {

std::string_view LevelName(memory::SetLevel level) {
  switch (level) {
    case memory::SetLevel::kOpen:
      return "open";
    case memory::SetLevel::kPartial:
      return "partial";
    case memory::SetLevel::kClosedWedge:
      break;
  }
  return "closed_wedge";
}

// The node's text in one line, cut at a character.
std::string Preview(const Snapshot& snapshot, NodeId node) {
  const auto text = snapshot.Payload(node, NodeField::kText);
  return text ? memory::PreviewOf(*text) : "";
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

void WriteCandidate(ReplyWriter& json, const Snapshot& snapshot,
                    const memory::NeverComposedSet& set) {
  json.Nodes("ids", snapshot, set.members);
  json.Field("score", set.score);
  json.Field("bridgeScore", set.bridge);
  json.Field("noveltyScore", set.novelty);
  json.Field("trustScore", set.mean_trust);
  json.Field("leastTrust", set.min_trust);
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
  std::vector<std::string> events;
  for (const NodeId event : set.prior_events) events.emplace_back(DisplayName(snapshot.key(event)));
  json.Values("priorEvents", events);
  json.Field("outcomeSignal", set.outcome_signal);
  json.Field("level", LevelName(set.level));
  if (!set.proof.empty()) json.Nodes("proof", snapshot, set.proof);
  if (!set.partners.empty()) json.Nodes("partners", snapshot, set.partners);
  if (set.hops > 0) json.Field("hops", set.hops);
  if (set.divergence != 0) json.Field("divergence", set.divergence);
  json.Objects("terms", set.terms, [&](const retrieval::ScoreTerm& term) {
    json.Field("name", term.name);
    json.Field("value", term.value);
    json.Field("weight", term.weight);
  });
  json.Field("reason", set.reason);
  json.Field("compositionQuestion", set.question);
}

}  // namespace plexus::tools
