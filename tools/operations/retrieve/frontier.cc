// frontier: pairs and sets that share much and were never put together, with what they share. The
// lens rare is asked here, the others in frontier_lenses.cc.
#include "algorithms/retrieval/terms.h"
#include "algorithms/similarity/similarity.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/vocabulary.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/candidate_reply.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/retrieve/frontier_lenses.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools {
namespace {

// Facts that carry one of the tags (names or keys of tags) now. kNotFound names a tag
// that the graph does not have.
Result<NodeSubset> Carriers(const Workspace& workspace, const std::vector<std::string>& tags) {
  const Snapshot& snapshot = workspace.snapshot();
  const ArcFilter filter =
      ArcFilter::Kind(snapshot.schema(), builtin::kHasTag).ValidAt(workspace.now_ms());
  std::vector<NodeId> carriers;
  for (const std::string& tag : tags) {
    auto node = snapshot.Find(IndexKey("tag", tag));
    if (!node)
      PLEXUS_SET(node, FindAliveNode(snapshot, tag.starts_with("tag:") ? tag : "tag:" + tag));
    snapshot.ForEachArc(Direction::kIn, *node, filter,
                        [&](const Arc& arc) { carriers.push_back(arc.neighbor); });
  }
  return NodeSubset::Of(snapshot, carriers);
}

Result<Reply> RunFrontier(Workspace& workspace, const Request& request) {
  const bool all = request.Text("match") == "both";
  if (all && !request.Given("tags"))
    return Invalid(request.Name("match", "both"), " needs ", request.Name("tags"));
  PLEXUS_ASSIGN(const bool rare, AsksRare(workspace, request));
  if (!rare) return AskLens(workspace, request);
  PLEXUS_TRY(CheckRare(request));
  if (request.Count("arity") > 3)
    return Invalid("the lens rare has sets of 2 or 3 members; ", request.Name("lens", "surface"),
                   " has up to 5");
  const Snapshot& snapshot = workspace.snapshot();
  similarity::FrontierOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  options.arity = static_cast<int>(request.Count("arity"));
  options.top = request.Count("top");
  options.mask = request.Text("mask") == "linked" ? similarity::FrontierMask::kLinked
                                                  : similarity::FrontierMask::kEvents;
  options.filter.valid_at = workspace.now_ms();
  if (const auto compared = request.MaybeCount("max_compared"))
    options.run.budget.edges = *compared;
  PLEXUS_ASSIGN(NodeSubset subset, MemoriesInScope(workspace, request));
  NodeSubset carriers;
  if (request.Given("tags")) {
    PLEXUS_ASSIGN(carriers, Carriers(workspace, request.List("tags")));
    if (all)
      subset = subset.Intersect(carriers);
    else
      options.anchors = &carriers;
  }
  options.filter.subset = &subset;
  options.inside = workspace.scope();

  if (retrieval::HasTerms(snapshot)) {  // where sets share terms, those of newer texts are missing
    PLEXUS_ASSIGN(const retrieval::TermRecord record, retrieval::ReadTermRecord(snapshot));
    PLEXUS_ASSIGN(const retrieval::NotIndexed not_indexed,
                  retrieval::CountNotIndexed(snapshot, record, &subset));
    NoteNotIndexed(workspace, request, not_indexed);
  }
  PLEXUS_ASSIGN(similarity::FrontierResult result, similarity::Frontier(snapshot, options));
  std::string closing;
  if (result.sets.empty())
    closing = "nothing shares a tag, term or file that is not together already\n";
  closing += Truncated(result.truncated, "the best of what was compared");
  Reply reply([snapshot, result = std::move(result)](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    json.Field("lens", "rare");
    json.Objects("candidates", result.sets, [&](const similarity::FrontierSet& set) {
      json.Nodes("ids", snapshot, set.members);
      json.Field("score", set.score);
      json.Objects("shared", set.shared, [&](const similarity::SharedNeighbor& shared) {
        json.Node("key", snapshot, shared.node);
        json.Field("weight", shared.share);
      });
    });
    json.Field("facts", result.facts);
    json.Field("neighbors", result.neighbors);
    json.Field("wedges", result.wedges);
    json.Field("compared", result.compared);
    json.Field("scored", result.scored);
  });
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace

void AddFrontier(Rows& rows) {
  const std::string candidate = CandidateShape(/*of_every_lens=*/true);
  rows.push_back(
      {.name = "frontier",
       .group = "Ask",
       .title = "Untried combinations",
       .summary = "Find sets with much in common that no event has together",
       .parameters =
           Parameters{
               Count("arity", "M", "sets of M members: 2 to 5, of the lens rare 2 or 3")
                   .Between(2, 5)
                   .Default(std::uint64_t{2}),
               Count("top", "K", "the K best; 0 = all")
                   .Between(0, static_cast<double>(similarity::kMaxFrontierTop))
                   .Default(std::uint64_t{100}),
               List("tags", "A,B",
                    "a member must carry one of these tags; of other lenses than rare also one "
                    "that begins with A: or B:"),
               Choice("match", {"either", "both"},
                      "of tags: one member is enough, or all must carry one"),
               KindsParameter(
                   "edge kinds whose ends are shared, e.g. has_tag,mentions (default: all but "
                   "events); of other lenses the edges that they walk"),
               Choice("mask", {"events", "linked"},
                      "leave out sets of one event, or also sets that an edge joins"),
               Count("max_compared", "N", "stop after about N comparisons and say truncated"),
               IncludeSuperseded()} +
           LensParameters(),
       .reply = "truncated:b, lens:s, candidates:[" + candidate.substr(0, candidate.size() - 1) +
                ", shared?:[{key:k, weight:x}]}], facts?:n, neighbors?:n, wedges?:n, compared:n, "
                "scored:n, " +
                std::string(LensReplyShape()),
       .tables = "candidates: score.4, ids nodes, outcomeSignal = signal, reason, "
                 "shared.3 shares = share",
       .examples =
           {{"plexus frontier --db g --top 20 --names",
             "the 20 best untried pairs and what they share"},
            {"plexus frontier --db g --arity 3 --tags rust --mask linked --json",
             "triples with a member tagged rust, none of them linked"},
            {"plexus frontier --db g --lens likely --top 10 --json",
             "what the ledger lets expect next, with the partners that say so"},
            {"plexus frontier --db g --lens surface --top 10 --json",
             "pairs by tags, terms, types, novelty, trust and outcomes, each with a question"}},
       .run = RunFrontier});
}

}  // namespace plexus::tools
