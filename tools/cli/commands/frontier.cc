// frontier: pairs and triples that share much and were never put together, with what
// they share.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/memory/visibility.h"
#include "algorithms/similarity/frontier.h"
#include "engine/vocabulary.h"
#include "tools/cli/arguments.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/names.h"
#include "tools/operations/reply.h"
#include "tools/operations/term_operations.h"
#include "tools/operations/term_record.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kSharedShown = 8;  // in tables; --json has all

struct FrontierArguments : BudgetOption {
  std::optional<std::uint64_t> arity, top, max_compared;
  std::vector<std::string> tags, kinds;
  std::string mask = "events", match = "either";
  bool include_superseded = false;
};

// Facts that carry one of the tags (names or keys of tags) now. kNotFound names a tag
// that the graph does not have.
Result<NodeSubset> Carriers(Session& session, const std::vector<std::string>& tags) {
  const Snapshot& snapshot = session.snapshot();
  constexpr EdgeKindId kKinds[] = {kHasTag};
  const ArcFilter filter = ArcFilter::Kinds(snapshot.schema(), kKinds).ValidAt(session.now_ms());
  std::vector<NodeId> carriers;
  for (const std::string& tag : tags) {
    auto node = snapshot.Find(IndexKey("tag", tag));
    if (!node) {
      PLEXUS_ASSIGN(node, FindAliveNode(snapshot, tag.starts_with("tag:") ? tag : "tag:" + tag));
    }
    snapshot.ForEachArc(Direction::kIn, *node, filter,
                        [&](const Arc& arc) { carriers.push_back(arc.neighbor); });
  }
  return NodeSubset::Of(snapshot, carriers);
}

Result<FrontierOptions> Options(Session& session, const FrontierArguments& given) {
  FrontierOptions options;
  const std::uint64_t arity = given.arity.value_or(2);
  if (arity != 2 && arity != 3)
    return Fail(ErrorCode::kInvalidArgument, "--arity is 2 (pairs) or 3 (triples)");
  options.arity = static_cast<int>(arity);
  options.top = given.top.value_or(100);
  if (options.top > kMaxFrontierTop)
    return Fail(ErrorCode::kInvalidArgument, "--top is at most " + std::to_string(kMaxFrontierTop));
  options.mask = given.mask == "linked" ? FrontierMask::kLinked : FrontierMask::kEvents;
  PLEXUS_ASSIGN(options.filter.kinds, FindEdgeKinds(session.schema(), given.kinds));
  options.filter.valid_at = session.now_ms();
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  if (given.max_compared) options.run.budget.edges = *given.max_compared;
  options.run.executor = &session.executor();
  return options;
}

void WriteSets(const Snapshot& snapshot, const FrontierResult& result) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("truncated", result.truncated);
  json.BeginArray("candidates");
  for (const FrontierSet& set : result.sets) {
    json.BeginObject();
    json.BeginArray("ids");
    for (NodeId member : set.members) json.Value(snapshot.key(member));
    json.EndArray();
    json.Field("score", set.score);
    json.BeginArray("shared");
    for (const SharedNeighbor& t : set.shared) {
      json.BeginObject();
      json.Field("key", snapshot.key(t.node));
      json.Field("weight", t.share);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.Field("facts", result.facts);
  json.Field("neighbors", result.neighbors);
  json.Field("wedges", result.wedges);
  json.Field("compared", result.compared);
  json.Field("scored", result.scored);
  json.EndObject();
  Out() << '\n';
}

// A set is its members, a line each, and a line of what they share.
void PrintSets(const Globals& globals, const Snapshot& snapshot, const FrontierResult& result) {
  for (const FrontierSet& set : result.sets) {
    std::string lead = Number(set.score, 4) + "  ";
    for (NodeId member : set.members) {
      const std::string shown =
          globals.names ? ShownName(snapshot, member)
                        : ShownKey(snapshot, member) + "  " + TextHead(snapshot, member);
      Out() << lead << Escaped(Cut(shown, 90)) << '\n';
      lead.assign(lead.size(), ' ');
    }
    Out() << lead << "share ";
    for (std::size_t i = 0; i < std::min(kSharedShown, set.shared.size()); ++i)
      Out() << (i ? ", " : "") << Escaped(ShownKey(snapshot, set.shared[i].node)) << ' '
            << Number(set.shared[i].share, 3);
    if (set.shared.size() > kSharedShown)
      Out() << ", and " << set.shared.size() - kSharedShown << " more";
    Out() << '\n';
  }
  if (result.sets.empty())
    Out() << "nothing shares a tag, term or file that is not together already\n";
  PrintTruncated(result.truncated, "the best of what was compared");
}

Result<int> RunFrontier(const Globals& globals, const FrontierArguments& given) {
  PLEXUS_TRY(Needs(given.match == "both", "--match both", !given.tags.empty(), "--tags"));
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(FrontierOptions options, Options(*session, given));
  VisibleOptions visible;
  visible.include_superseded = given.include_superseded;
  visible.executor = &session->executor();
  PLEXUS_ASSIGN(const auto shown, VisibleNodes(snapshot, session->now_ms(), visible));
  NodeSubset subset = *shown;
  if (session->scope()) subset = subset.Intersect(*session->scope());
  NodeSubset carriers;
  if (!given.tags.empty()) {
    PLEXUS_ASSIGN(carriers, Carriers(*session, given.tags));
    if (given.match == "both")
      subset = subset.Intersect(carriers);
    else
      options.anchors = &carriers;
  }
  options.filter.subset = &subset;

  if (HasTerms(snapshot)) {  // where sets share terms, those of newer texts are missing
    PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(snapshot));
    PLEXUS_ASSIGN(const NotIndexed not_indexed, CountNotIndexed(snapshot, record, &subset));
    NoteNotIndexed(globals, not_indexed);
  }
  PLEXUS_ASSIGN(const FrontierResult result, Frontier(snapshot, options));
  if (globals.json)
    WriteSets(snapshot, result);
  else
    PrintSets(globals, snapshot, result);
  return kDone;
}

}  // namespace

void AddFrontier(Cli& cli) {
  static FrontierArguments given;
  Command& command = cli.Add("Ask", "frontier", "Find what shares much and was never put together",
                             [](const Globals& globals) { return RunFrontier(globals, given); });
  command.Option("--arity", "M", given.arity, "sets of M members, 2 or 3 (default 2)")
      .Option("--top", "K", given.top, "the K best; 0 = all (default 100)")
      .List("--tags", "A,B", given.tags, "a member must carry one of these tags")
      .Choice("--match", given.match, {"either", "both"},
              "--tags: one member is enough, or all must carry one (default either)")
      .List("--kinds", "A,B", given.kinds,
            "edge kinds whose ends are shared, e.g. has_tag,mentions (default: all but events')")
      .Choice("--mask", given.mask, {"events", "linked"},
              "leave out what is in one event, or that and what an edge joins (default events)")
      .Option("--max-compared", "N", given.max_compared,
              "stop after about N comparisons and say truncated");
  AddMaxSeconds(command, given)
      .Flag("--include-superseded", given.include_superseded, "do not hide what was superseded")
      .Example("plexus frontier --db g --top 20 --names",
               "the 20 best untried pairs and what they share")
      .Example("plexus frontier --db g --arity 3 --tags rust --mask linked --json",
               "triples with a member tagged rust, none of them linked");
}

}  // namespace plexus::tools
