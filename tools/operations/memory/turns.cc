// build: edges between turns, by recipes; session: the turns around one.
#include "algorithms/memory/turns/turns.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/vocabulary.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/memory/build_reason.h"
#include "tools/operations/memory/build_record.h"
#include "tools/operations/memory/trajectories.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/reply/text_field.h"

namespace plexus::tools {
namespace {

struct Built {
  memory::EdgeRecipe recipe;
  memory::BuildReport report;
  std::string why = {};  // Why there is nothing.
};

std::vector<std::string> RecipeNames() {
  std::vector<std::string> names;
  for (const memory::EdgeRecipe& recipe : memory::BuiltinRecipes()) names.emplace_back(recipe.name);
  return names;
}

bool TakesTrajectories(const memory::EdgeRecipe& recipe) {
  return recipe.weight == memory::PairWeight::kReward;
}

// The rows that are asked for, each once, with the request's limits.
Result<std::vector<memory::EdgeRecipe>> ReadRecipes(const Request& request) {
  std::vector<memory::EdgeRecipe> recipes;
  const auto any = [&](auto&& holds) {
    for (const memory::EdgeRecipe& recipe : recipes)
      if (holds(recipe)) return true;
    return false;
  };
  for (const std::string& name : request.List("recipes")) {
    const memory::EdgeRecipe* found = memory::FindRecipe(name);
    if (!found) return Invalid(request.Name("recipes"), ": no recipe '", name, "'");
    if (any([&](const memory::EdgeRecipe& recipe) { return recipe.name == name; })) continue;
    memory::EdgeRecipe recipe = *found;
    if (const auto above = request.MaybeNumber("above"))
      if (recipe.weight == memory::PairWeight::kCosine) recipe.above = *above;
    if (const auto window = request.MaybeCount("window"))
      recipe.window = static_cast<std::size_t>(*window);
    if (const auto top = request.MaybeCount("top")) recipe.top = static_cast<std::size_t>(*top);
    recipes.push_back(recipe);
  }
  struct Option {
    const char* name;
    bool used;
    const char* recipes;
  };
  const auto source_is = [&](memory::PairSource a, memory::PairSource b) {
    return any([&](const memory::EdgeRecipe& r) { return r.source == a || r.source == b; });
  };
  const bool cosine =
      any([](const memory::EdgeRecipe& r) { return r.weight == memory::PairWeight::kCosine; });
  const Option options[] = {
      {"from", any(TakesTrajectories), "causal and trajectory"},
      {"above", cosine, "referential, categorical and similar"},
      {"space", cosine, "referential, categorical and similar"},
      {"window", source_is(memory::PairSource::kSharing, memory::PairSource::kComposed),
       "referential, categorical and co-retrieval"},
      {"top", source_is(memory::PairSource::kNearest, memory::PairSource::kNearest), "similar"}};
  for (const Option& option : options)
    if (request.Given(option.name) && !option.used)
      return Invalid(request.Name(option.name), " goes with ", option.recipes);
  return recipes;
}

// What the request selects: null where it is all turns.
Result<std::optional<NodeSubset>> SelectedTurns(const Workspace& workspace,
                                                const Request& request) {
  if (!workspace.scope()) return std::nullopt;
  if (request.Given("node_kinds")) return *workspace.scope();
  std::vector<NodeId> turns;
  for (const NodeId node : workspace.scope()->ToList())
    if (workspace.snapshot().node_kind(node) == builtin::kTurn) turns.push_back(node);
  PLEXUS_ASSIGN(NodeSubset subset, NodeSubset::Of(workspace.snapshot(), turns));
  return subset;
}

class Builder {
 public:
  Builder(Workspace& workspace, const Request& request)
      : workspace_(workspace), request_(request) {}

  Result<std::vector<Built>> Run() {
    PLEXUS_ASSIGN(const std::vector<memory::EdgeRecipe> recipes, ReadRecipes(request_));
    if (request_.Given("from"))
      PLEXUS_SET(lines_, ParseTrajectories(request_.Source("from"), request_.Text("from")));
    for (const memory::EdgeRecipe& recipe : recipes) {
      if (recipe.weight != memory::PairWeight::kCosine || space_) continue;
      Result<SpaceId> space = FindSpace(workspace_.schema(), request_);
      const bool others = recipes.size() > 1 && workspace_.schema().spaces().empty();
      if (!space && !others) return std::unexpected(space.error());
      if (space) space_ = *space;  // without vectors the other recipes are built
    }
    PLEXUS_ASSIGN(turns_, SelectedTurns(workspace_, request_));
    std::vector<Built> built;
    for (const memory::EdgeRecipe& recipe : recipes) {
      memory::BuildReport report;
      if (recipe.weight != memory::PairWeight::kCosine || space_) PLEXUS_SET(report, Build(recipe));
      built.push_back({recipe, std::move(report)});
      const memory::BuildReport& r = built.back().report;
      if (r.added + r.changed + r.same + r.removed + r.dropped == 0 && !r.truncated)
        built.back().why = WhyNoPairs(workspace_.snapshot(), recipe, lines_, space_);
      if (built.back().report.truncated) break;
    }
    return built;
  }

 private:
  Result<memory::BuildReport> Build(const memory::EdgeRecipe& recipe) {
    const Snapshot snapshot =
        IsDryRun(request_) ? workspace_.snapshot() : workspace_.graph().snapshot();
    memory::BuildOptions options;
    options.trajectories = lines_;
    options.refuse_unknown = workspace_.options().strict;
    options.space = space_.value_or(SpaceId{});
    options.turns = turns_ ? &*turns_ : nullptr;
    options.batch_edges = static_cast<std::size_t>(request_.Count("batch_edges"));
    options.now_ms = workspace_.now_ms();
    options.progress = workspace_.progress();
    options.run.executor = &workspace_.executor();
    PLEXUS_ASSIGN(options.run.budget, MakeBudget(request_));
    // What a file says is no change of the graph; other turns are another question.
    const bool recorded = !turns_ && recipe.source != memory::PairSource::kCorrections;
    const std::string space = space_ ? snapshot.schema().spaces()[*space_].name : std::string();
    BuildRecord record;
    if (recorded) PLEXUS_SET(record, ReadBuildRecord(workspace_, snapshot, recipe, space));
    if (record.changes) options.changes = &*record.changes;
    if (IsDryRun(request_)) return memory::BuildEdges(snapshot, recipe, options, {});
    Sequence sequence = snapshot.sequence();
    PLEXUS_ASSIGN(
        memory::BuildReport report,
        memory::BuildEdges(snapshot, recipe, options, [&](const WriteBatch& batch) -> Status {
          PLEXUS_ASSIGN(const ApplyReport applied, workspace_.graph().Apply(batch));
          sequence = applied.sequence;
          return {};
        }));
    if (recorded && !report.truncated)
      PLEXUS_TRY(WriteBuildRecord(workspace_, recipe, space, record, report, sequence));
    return report;
  }

  Workspace& workspace_;
  const Request& request_;
  std::vector<memory::TurnTrajectory> lines_;
  std::optional<SpaceId> space_;
  std::optional<NodeSubset> turns_;
};

void WriteReport(ReplyWriter& json, const memory::BuildReport& report) {
  json.Field("new", report.added);
  json.Field("changed", report.changed);
  json.Field("same", report.same);
  json.Field("removed", report.removed);
  json.Field("dropped", report.dropped);
  json.Field("skipped", report.skipped);
  json.Field("capped", report.capped);
  json.Field("truncated", report.truncated);
}

memory::BuildReport Sum(const std::vector<Built>& list) {
  memory::BuildReport sum;
  for (const Built& built : list) {
    const memory::BuildReport& r = built.report;
    sum.added += r.added;
    sum.changed += r.changed;
    sum.same += r.same;
    sum.removed += r.removed;
    sum.dropped += r.dropped;
    sum.skipped += r.skipped;
    sum.capped += r.capped;
    sum.truncated |= r.truncated;
    for (const std::string& name : r.unknown)
      if (std::ranges::find(sum.unknown, name) == sum.unknown.end()) sum.unknown.push_back(name);
  }
  return sum;
}

Result<Reply> RunBuild(Workspace& workspace, const Request& request) {
  PLEXUS_ASSIGN(std::vector<Built> list, Builder(workspace, request).Run());
  const bool dry = IsDryRun(request);
  const Sequence sequence =
      dry ? workspace.snapshot().sequence() : workspace.graph().snapshot().sequence();
  memory::BuildReport sum = Sum(list);
  for (const std::string& name : sum.unknown)
    workspace.notes().push_back(
        {"no session and no turn '" + Escaped(name) + "'; it was skipped", Note::kWarning});
  std::string closing = "sequence " + std::to_string(sequence) + "\n";
  closing += Truncated(sum.truncated, "what was made stays, the same command continues");
  if (sum.capped > 0)
    closing += Grouped(sum.capped) + " pairs of large groups were not looked at; see " +
               request.Name("window") + "\n";
  closing += DryRunClosing(request);
  Progress* const progress = workspace.progress();
  const bool interrupted = sum.truncated && progress && !progress->Report("building", 0, 0);
  const Snapshot snapshot = workspace.snapshot();
  Reply reply(
      [sequence, dry, snapshot, list = std::move(list), sum = std::move(sum)](ReplyWriter& json) {
        json.Field("sequence", sequence);
        if (dry) json.Field("dry_run", true);
        WriteReport(json, sum);
        json.Objects("recipes", list, [&](const Built& built) {
          json.Field("recipe", built.recipe.name);
          json.Field("kind", snapshot.schema().edge_kind(built.recipe.kind).name);
          WriteReport(json, built.report);
          json.Field("rewards", built.report.rewards);
          json.Field("groups", built.report.groups);
          json.Field("batches", built.report.batches);
          if (!built.why.empty()) json.Field("why", built.why);
        });
        json.Values("unknown", sum.unknown);
      });
  reply.closing = std::move(closing);
  if (interrupted) reply.failure = Error{ErrorCode::kCancelled, ""};
  return reply;
}

Result<Reply> RunSession(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const NodeId meant, FindAliveNode(snapshot, request.Text("key")));
  PLEXUS_ASSIGN(memory::SessionResult result,
                memory::Session(snapshot, meant, request.Count("back"), request.Count("forward"),
                                workspace.scope()));
  const NodeId turn = std::ranges::find(result.turns, 0, &memory::SessionTurn::position)->node;
  std::string closing;
  if (result.session == kNoNode) closing += "in no session: along temporal edges\n";
  if (result.more_before + result.more_after > 0) closing += "the session continues\n";
  Reply reply([snapshot, turn, result = std::move(result),
               max_chars = request.MaybeCount("max_chars")](ReplyWriter& json) {
    json.Node("key", snapshot, turn);
    if (result.session != kNoNode) json.Node("session", snapshot, result.session);
    json.Field("more_before", result.more_before);
    json.Field("more_after", result.more_after);
    json.Objects("turns", result.turns, [&](const memory::SessionTurn& t) {
      json.Field("position", t.position);
      json.Node("key", snapshot, t.node);
      if (const auto at = snapshot.i64(builtin::kCreatedAt, t.node)) json.Time("created_at", *at);
      WriteText(json, WholeText(snapshot, t.node), max_chars);
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

std::string RecipeHelp() {
  std::string help = "one or more of";
  for (const memory::EdgeRecipe& recipe : memory::BuiltinRecipes())
    help += (&recipe == &memory::BuiltinRecipes().front() ? " " : "; ") + std::string(recipe.name) +
            ": " + std::string(recipe.summary);
  return help;
}

const char* const kCounts =
    "new:n, changed:n, same:n, removed:n, dropped:n, skipped:n, capped:n, truncated:b";

Operation BuildRow() {
  Parameter recipes = Repeated("recipes", "RECIPE", RecipeHelp()).Positional().Required();
  recipes.choices = RecipeNames();
  return {
      .name = "build",
      .group = "Change",
      .title = "Edges between turns",
      .summary = "Make edges between turns of their sessions, files, inscriptions and vectors",
      .effect = Effect::kWrite,
      .parameters =
          Parameters{
              std::move(recipes),
              Text("from", "FILE",
                   "causal, trajectory: JSON lines or a table of session_id, correction_of, "
                   "reward, skill, domain; unknown sessions are skipped, and refused with the "
                   "program's --strict; - is stdin")
                  .Lines()
                  .MayBeEmpty(),
              Number("above", "X", "keep cosines above X (default: the recipe's)").Between(0, 1),
              Count("window", "N",
                    "of one group: compare each turn with the N turns before it; co-retrieval: "
                    "take N members of an event (default 64; categorical 16)")
                  .Between(1, memory::EdgeRecipe::kMaxWindow),
              Count("top", "K", "similar: the K nearest of each turn; 0 = all above (default 10)")
                  .Between(0, 1000),
              Text("space", "NAME", "the vector space (default: default, or the only one)"),
              Count("batch_edges", "N", "edges of a batch, each made durable by itself")
                  .Default(std::uint64_t{65'536})
                  .Between(1, 1 << 20),
              DryRunParameter()},
      .reply = std::string("sequence:n, dry_run?:b, ") + kCounts +
               ", recipes:[{recipe:s, kind:s, " + kCounts +
               ", rewards:n, groups:n, batches:n, why?:s}], unknown:[s]",
      .tables =
          "recipes: recipe, new, changed, same, removed, dropped, skipped, capped, "
          "why = why nothing",
      .examples = {{"plexus build --db g temporal referential categorical",
                    "again after every import: only what changed is looked at"},
                   {"plexus build --db g causal trajectory --from trajectories.jsonl --dry-run",
                    "what a file of rewards and corrections would make"}},
      .run = RunBuild,
      .access = ChangesGraph,
      .reach = Reach::kGraph};
}

Operation SessionRow() {
  return {
      .name = "session",
      .group = "Ask",
      .title = "A session",
      .summary = "List the turns before and after a turn of a session, in order",
      .parameters = Parameters{Text("key", "KEY", "a turn, or session:NAME for its first turn")
                                   .Named(Means::kKey)
                                   .Positional()
                                   .Required(),
                               Count("back", "N", "turns before it").Default(std::uint64_t{20}),
                               Count("forward", "N", "turns after it").Default(std::uint64_t{20}),
                               MaxCharsParameter()},
      .reply =
          "key:k, session?:k, more_before:n, more_after:n, "
          "turns:[{position:i, key:k, created_at?:t, text:s, text_cut?:b}]",
      .tables = "turns: position, key, created_at = at",
      .examples = {{"plexus session --db g t3", "at most 20 turns back and 20 forward"},
                   {"plexus session --db g session:s1 --forward 100 --json",
                    "a session from its first turn on"}},
      .run = RunSession};
}

}  // namespace

void AddTurns(Rows& rows) {
  rows.push_back(BuildRow());
  rows.push_back(SessionRow());
}

}  // namespace plexus::tools
