// Candidates for a conflict, near-duplicates and suggested edges, each of its own question.
#include "tools/operations/memory/memory_around.h"

#include <algorithm>
#include <string>

#include "algorithms/memory/visibility/visibility.h"
#include "engine/vocabulary.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/memory/conflict_reply.h"
#include "tools/operations/reply/text_field.h"

namespace plexus::tools {
namespace {

constexpr double kSameSubject = 0.2, kNearDuplicate = 0.5, kNearVector = 0.95;

std::uint64_t Marks(const Snapshot& snapshot, NodeId node) {
  const EdgeKindId kinds[] = {builtin::kHasTag, builtin::kHasTerm};
  return snapshot.Degree(Direction::kOut, node, ArcFilter::Kinds(snapshot.schema(), kinds));
}

// Shared tags and terms, of all of both.
double Jaccard(const Snapshot& snapshot, NodeId a, const memory::ConflictCandidate& b) {
  const std::uint64_t all = Marks(snapshot, a) + Marks(snapshot, b.node) - b.shared;
  return all == 0 ? 0 : static_cast<double>(b.shared) / static_cast<double>(all);
}

Status AddCandidates(const Snapshot& snapshot, NodeId memory, const RunOptions& run,
                     std::int64_t now_ms, std::size_t top, MemoryAround& around) {
  memory::ConflictCandidatesOptions options;
  options.now_ms = now_ms;
  options.run = run;
  options.top = std::min<std::size_t>(4 * top, memory::kMaxConflictCandidates);
  if (const auto text = snapshot.schema().FindSpace("text"))
    options.space = snapshot.schema().spaces()[*text].name;
  PLEXUS_ASSIGN(memory::ConflictCandidatesResult found,
                memory::ConflictCandidates(snapshot, memory, options));
  around.truncated = around.truncated || found.truncated;
  for (memory::ConflictCandidate& one : found.candidates) {
    const double jaccard = Jaccard(snapshot, memory, one);
    const bool duplicate = jaccard >= kNearDuplicate || one.cosine.value_or(0) >= kNearVector;
    if (duplicate) around.near_duplicates.push_back({one.node, kNoNode, jaccard, one.cosine});
    if (one.evidence.empty() && (duplicate || jaccard < kSameSubject)) continue;
    if (around.may_contradict.size() < top) around.may_contradict.push_back(std::move(one));
  }
  return {};
}

Status AddSuperseded(const Snapshot& snapshot, NodeId memory, const RunOptions& run,
                     const memory::Visible& visible, MemoryAround& around) {
  memory::NearDuplicatesOptions options;
  options.run = run;
  options.min_jaccard = kNearDuplicate;
  options.space = "text";
  const NodeId nodes[] = {memory};
  PLEXUS_ASSIGN(const memory::NearDuplicatesResult found,
                memory::NearSuperseded(snapshot, nodes, visible, options));
  around.truncated = around.truncated || found.truncated;
  for (const memory::NearDuplicate& pair : found.pairs)
    around.near_duplicates.push_back(
        {pair.superseded, pair.superseded_by, pair.jaccard, pair.cosine});
  return {};
}

Status AddSuggested(const Snapshot& snapshot, NodeId memory, const RunOptions& run,
                    const memory::Visible& visible, std::size_t top, MemoryAround& around) {
  const NodeSubset::Change self[] = {{memory, true}};
  const NodeSubset memories = visible.nodes.With(snapshot.node_count(), self);
  memory::SuggestOptions options;
  options.decisions.now_ms = visible.now_ms;
  options.decisions.subset = &memories;
  options.decisions.run = run;
  options.top = top;
  options.min_shared = kSameSubject;
  PLEXUS_ASSIGN(memory::SuggestResult found, memory::SuggestEdges(snapshot, memory, options));
  const auto repeats = [&](const memory::SuggestedEdge& edge) {
    return std::ranges::find(around.near_duplicates, edge.other, &MemoryAround::Repeated::node) !=
           around.near_duplicates.end();
  };
  std::erase_if(found.edges, repeats);
  around.suggested = std::move(found.edges);
  around.truncated = around.truncated || found.truncated;
  return {};
}

}  // namespace

Result<MemoryAround> LookAround(const Workspace& workspace, const Request& request,
                                const Snapshot& snapshot, NodeId memory) {
  MemoryAround around;
  const std::size_t top = request.Count("top");
  RunOptions run;
  PLEXUS_ASSIGN(run.budget, MakeBudget(request));
  run.executor = &workspace.executor();
  const std::int64_t now_ms = workspace.now_ms();
  PLEXUS_TRY(AddCandidates(snapshot, memory, run, now_ms, top, around));
  const auto found = memory::VisibleIn(snapshot, now_ms, nullptr, {.run = run});
  if (memory::RanOut(found)) {
    around.truncated = true;
    return around;
  }
  PLEXUS_ASSIGN(const memory::Visible visible, found);
  PLEXUS_TRY(AddSuperseded(snapshot, memory, run, visible, around));
  std::ranges::stable_sort(around.near_duplicates, std::ranges::greater{},
                           &MemoryAround::Repeated::jaccard);
  if (around.near_duplicates.size() > top) around.near_duplicates.resize(top);
  PLEXUS_TRY(AddSuggested(snapshot, memory, run, visible, top, around));
  return around;
}

void WriteAround(ReplyWriter& json, const Snapshot& snapshot, const MemoryAround& around) {
  json.Objects("may_contradict", around.may_contradict,
               [&](const memory::ConflictCandidate& candidate) {
                 json.Node("key", snapshot, candidate.node);
                 json.Field("score", candidate.overlap);
                 json.Field("text", WholeText(snapshot, candidate.node));
                 const std::string why = ShownEvidence(candidate.evidence);
                 if (!why.empty()) json.Field("why", why);
               });
  json.Objects("near_duplicates", around.near_duplicates, [&](const MemoryAround::Repeated& one) {
    json.Node("key", snapshot, one.node);
    json.Field("jaccard", one.jaccard);
    if (one.cosine) json.Field("cosine", *one.cosine);
    if (one.superseded_by != kNoNode) json.Node("superseded_by", snapshot, one.superseded_by);
    json.Field("text", WholeText(snapshot, one.node));
  });
  json.Objects("suggested", around.suggested, [&](const memory::SuggestedEdge& edge) {
    json.Node("source", snapshot, edge.node);
    json.Field("kind", edge.relation);
    json.Node("target", snapshot, edge.other);
    json.Field("reason", edge.reason);
  });
}

const char* const kAroundShape =
    "may_contradict:[{key:k, score:x, text:s, why?:s}], near_duplicates:[{key:k, jaccard:x, "
    "cosine?:x, superseded_by?:k, text:s}], suggested:[{source:k, kind:s, target:k, reason:s}]";

const char* const kAroundTables =
    "may_contradict: score.4 = overlap, why = evidence, key; "
    "near_duplicates: jaccard.3, superseded_by, key; suggested: kind = suggested, target node, "
    "reason = why";

}  // namespace plexus::tools
