// conflicts: the queue of open ones, candidates for one, near-duplicates, what replaced what.
#include "algorithms/memory/conflicts/conflicts.h"

#include <string>
#include <utility>
#include <vector>

#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/memory/conflict_reply.h"
#include "tools/operations/names.h"
#include "tools/operations/proposal.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

Result<Reply> RunList(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  memory::OpenConflictsOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  options.now_ms = workspace.now_ms();
  if (request.Given("key")) PLEXUS_SET(options.of, FindAliveNode(snapshot, request.Text("key")));
  PLEXUS_ASSIGN(memory::OpenConflictsResult result, memory::OpenConflicts(snapshot, options));
  if (request.Given("since")) {
    PLEXUS_ASSIGN(const std::int64_t since, ParseTime(request.Text("since"), workspace.now_ms()));
    std::erase_if(result.conflicts, [&](const memory::Conflict& c) { return c.since < since; });
  }
  return ConflictsReply(workspace, request, std::move(result));
}

Reply CandidatesReply(const Snapshot& snapshot, memory::ConflictCandidatesResult result) {
  std::string closing = Truncated(result.truncated, "not all candidates were looked at");
  if (result.without_terms) closing += "the memory has no terms: only tags and vectors count\n";
  Reply reply([snapshot, result = std::move(result)](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    json.Field("without_terms", result.without_terms);
    json.Objects("candidates", result.candidates, [&](const memory::ConflictCandidate& candidate) {
      json.Node("key", snapshot, candidate.node);
      json.Field("score", candidate.overlap);
      json.Field("shared", candidate.shared);
      if (candidate.cosine) json.Field("cosine", *candidate.cosine);
      json.Nodes("shared_tags", snapshot, candidate.shared_tags);
      const std::string shown = ShownEvidence(candidate.evidence);
      json.Objects("evidence", candidate.evidence, [&](const memory::ConflictEvidence& evidence) {
        json.Field("kind", EvidenceName(evidence.kind));
        json.Values("this", evidence.a);
        json.Values("other", evidence.b);
      });
      if (!shown.empty()) json.Field("why", shown);
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

Result<Reply> RunCandidates(Workspace& workspace, const Request& request) {
  memory::ConflictCandidatesOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  options.now_ms = workspace.now_ms();
  options.top = request.Count("top");
  options.include_judged = request.Flag("include_judged");
  options.space = request.Text("space");
  options.min_cosine = request.Number("min_cosine");
  Snapshot snapshot = workspace.snapshot();
  if (request.Given("proposal")) {
    PLEXUS_ASSIGN(const PreviewResult proposal, ReadProposal(workspace, request.Source("proposal"),
                                                             request.Text("proposal"), true));
    snapshot = proposal.snapshot;
  }
  PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, request.Text("key")));
  PLEXUS_ASSIGN(memory::ConflictCandidatesResult result,
                memory::ConflictCandidates(snapshot, node, options));
  return CandidatesReply(snapshot, std::move(result));
}

Result<Reply> RunDuplicates(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  memory::NearDuplicatesOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  options.now_ms = workspace.now_ms();
  options.top = request.Count("top");
  options.min_jaccard = request.Number("least");
  options.space = request.Text("space");
  options.min_cosine = request.Number("min_cosine");
  if (request.Given("key")) PLEXUS_SET(options.of, FindAliveNode(snapshot, request.Text("key")));
  PLEXUS_ASSIGN(memory::NearDuplicatesResult result, memory::NearDuplicates(snapshot, options));
  std::string closing = Truncated(result.truncated, "not all pairs were looked at");
  Reply reply([snapshot, result = std::move(result)](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    json.Objects("pairs", result.pairs, [&](const memory::NearDuplicate& pair) {
      json.Node("key", snapshot, pair.visible);
      json.Node("superseded", snapshot, pair.superseded);
      if (pair.superseded_by != kNoNode) json.Node("superseded_by", snapshot, pair.superseded_by);
      json.Field("jaccard", pair.jaccard);
      json.Field("shared", pair.shared);
      if (pair.cosine) json.Field("cosine", *pair.cosine);
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

Result<Reply> RunChain(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, request.Text("key")));
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
  PLEXUS_ASSIGN(memory::SupersessionWalk walk,
                memory::WalkSupersession(snapshot, node, workspace.now_ms(),
                                         request.Count("max_steps"), budget));
  const auto outside = [&](NodeId v) {
    return workspace.scope() && !workspace.scope()->contains(v);
  };
  for (auto* steps : {&walk.newer, &walk.older})
    std::erase_if(*steps, [&](const memory::SupersessionStep& step) {
      return outside(step.newer) || outside(step.older);
    });
  const bool shown = !outside(walk.head);
  std::string headline = shown ? "the head is " + Escaped(ShownKey(snapshot, walk.head)) + "\n"
                               : std::string("the head is outside of what was asked for\n");
  std::string closing = walk.truncated ? "truncated: there are more steps\n" : "";
  Reply reply([snapshot, shown, walk = std::move(walk)](ReplyWriter& json) {
    json.Field("truncated", walk.truncated);
    if (shown) json.Node("head", snapshot, walk.head);
    const auto write = [&](const memory::SupersessionStep& step) {
      json.Node("newer", snapshot, step.newer);
      json.Node("older", snapshot, step.older);
      json.Time("created_at", step.created_at);
      json.Field("hops", step.hops);
      json.Field("in_cycle", step.in_cycle);
    };
    json.Objects("replaced_by", walk.newer, write);
    json.Objects("replaced", walk.older, write);
  });
  reply.headline = std::move(headline);
  reply.closing = std::move(closing);
  return reply;
}

Parameter Space() { return Text("space", "NAME", "the vector space").Default("default"); }

void AddAsked(Rows& rows) {
  rows.push_back(
      {.name = "conflicts_candidates",
       .group = "Ask",
       .title = "What may contradict a memory",
       .summary = "Find memories that a memory may contradict, with the evidence",
       .parameters =
           Parameters{Text("key", "KEY", "the memory").Named(Means::kKey).Positional(),
                      Text("proposal", "FILE",
                           "JSON lines, read as if they were imported; KEY may be one of them")
                          .Lines(),
                      Count("top", "K", "the K best").Default(std::uint64_t{20}).Between(1, 1000),
                      Flag("include_judged", "also pairs that are linked already"), Space(),
                      Number("min_cosine", "X", "vectors nearer than this count; above 1: none")
                          .Default(0.8),
                      MaxEdges()},
       .reply = "truncated:b, without_terms:b, candidates:[{key:k, score:x, shared:n, cosine?:x, "
                "shared_tags:[k], evidence:[{kind:s, this:[s], other:[s]}], why?:s}]",
       .tables = "candidates: score.4 = overlap, cosine.3, why = evidence, key",
       .examples = {{"plexus conflicts candidates --db g m7", "what m7 may contradict"},
                    {"plexus conflicts candidates --db g new --proposal new.jsonl --json",
                     "of a memory that is not written yet"}},
       .run = RunCandidates});
  rows.push_back(
      {.name = "conflicts_duplicates",
       .group = "Ask",
       .title = "Near-duplicates of what was superseded",
       .summary = "Find visible memories that repeat what a superseded one says",
       .parameters =
           Parameters{Optional(Text("key", "KEY", "only of this superseded memory")
                                   .Named(Means::kKey)
                                   .Positional()),
                      Number("least", "X", "the least share of common tags and terms")
                          .Default(0.5)
                          .Between(0, 1),
                      Space(),
                      Number("min_cosine", "X", "vectors nearer than this count; above 1: none")
                          .Default(0.95),
                      MaxEdges(), Top(100)},
       .reply = "truncated:b, pairs:[{key:k, superseded:k, superseded_by?:k, jaccard:x, shared:n, "
                "cosine?:x}]",
       .tables = "pairs: jaccard.3, cosine.3, superseded, superseded_by = by, key",
       .examples = {{"plexus conflicts duplicates --db g",
                     "what was left behind when facts changed"},
                    {"plexus conflicts duplicates --db g m1 --least 0.3 --json",
                     "what repeats m1"}},
       .run = RunDuplicates});
}

}  // namespace

void AddConflicts(Rows& rows) {
  rows.push_back(
      {.name = "conflicts_list",
       .group = "Ask",
       .title = "Open conflicts",
       .summary = "List the pairs of visible memories that contradict each other, the oldest first",
       .parameters =
           Parameters{Optional(Text("key", "KEY", "only conflicts of this memory")
                                   .Named(Means::kKey)
                                   .Positional()),
                      Text("since", "TIME", "only conflicts since then").Named(Means::kTime),
                      TopForPeople()},
       .reply = kConflictsShape,
       .tables = kConflictsTable,
       .examples = {{"plexus conflicts list --db g", "the open conflicts"},
                    {"plexus conflicts list --db g m1 --json", "the conflicts of m1"}},
       .run = RunList});
  AddAsked(rows);
  rows.push_back(
      {.name = "conflicts_chain",
       .group = "Ask",
       .title = "What replaced what",
       .summary = "List what replaced a memory and what it replaced, step by step, with dates",
       .parameters = Parameters{Text("key", "KEY", "the memory").Named(Means::kKey).Positional(),
                                Count("max_steps", "N", "on each side")
                                    .Default(std::uint64_t{1000})
                                    .Between(1, 1'000'000)},
       .reply = "truncated:b, head?:k, "
                "replaced_by:[{newer:k, older:k, created_at:t, hops:n, in_cycle:b}], "
                "replaced:[{newer:k, older:k, created_at:t, hops:n, in_cycle:b}]",
       .tables = "replaced_by: created_at = replaced at, newer node, older node, "
                 "in_cycle = cycle; replaced: created_at = replaced at, newer node, "
                 "older node, in_cycle = cycle",
       .examples = {{"plexus conflicts chain --db g m1", "what m1 became, step by step"},
                    {"plexus conflicts chain --db g m1 --max-steps 5 --json", "the nearest steps"}},
       .run = RunChain});
  AddConflictsResolve(rows);
}

}  // namespace plexus::tools
