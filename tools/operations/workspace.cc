// The one place where the program opens a graph.
#include "tools/operations/workspace.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "algorithms/retrieval/where.h"
#include "engine/times.h"
#include "engine/vocabulary.h"
#include "tools/operations/arguments.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/iso_times.h"
#include "tools/operations/reply/node_details.h"
#include "tools/operations/reply/node_list.h"

namespace plexus::tools {
namespace {

// The alive nodes of these kinds, of either plane; facts of `scope` alone where it is given.
Result<NodeSubset> OfKinds(const Snapshot& snapshot, const std::vector<std::string>& kinds,
                           const std::optional<NodeSubset>& scope) {
  PLEXUS_ASSIGN(const std::vector<std::uint8_t> named, NodeKindMask(snapshot.schema(), kinds));
  std::vector<std::uint64_t> words((std::size_t{snapshot.node_count()} + 63) / 64, 0);
  for (NodeId v = 0; v < snapshot.node_count(); ++v) {
    if (!snapshot.alive(v) || !named[snapshot.node_kind(v)]) continue;
    if (!scope || scope->contains(v)) words[v / 64] |= std::uint64_t{1} << (v % 64);
  }
  return NodeSubset(snapshot.node_count(), std::move(words));
}

bool IsDry(const Request& request) { return request.Has("dry_run") && request.Flag("dry_run"); }

// How the graph would be open if the request were no dry run.
Access AccessToWrite(const Request& request) {
  return request.operation().AccessFor(IsDry(request) ? request.Without("dry_run") : request);
}

bool WasMoved(Workspace& workspace, const Request& request, Sequence before) {
  const Snapshot after = workspace.graph().snapshot();
  const bool wrote =
      IsDry(request) ? AccessToWrite(request) != Access::kRead : after.sequence() != before;
  if (!wrote || after.time_ms() <= workspace.now_ms()) return false;
  workspace.notes().push_back({"now lies before " + IsoTime(after.time_ms()) +
                                   ", the graph's time; what is written has that",
                               Note::kForPeople});
  return true;
}

}  // namespace

Result<std::unique_ptr<Workspace>> Workspace::Open(const WorkspaceOptions& options) {
  std::unique_ptr<Workspace> workspace(new Workspace());
  Workspace& made = *workspace;
  made.options_ = options;
  if (options.access != Access::kNothing) PLEXUS_TRY(made.CheckDirectory());
  if (options.threads > 0) made.own_executor_ = MakeTbbExecutor(options.threads);
  made.executor_ = made.own_executor_ ? made.own_executor_.get() : &DefaultExecutor();
  if (options.access == Access::kNothing) return workspace;

  std::error_code unknown;
  if (options.access == Access::kPreview && !std::filesystem::exists(options.directory, unknown)) {
    GraphOptions empty;
    empty.executor = made.executor_;
    made.own_graph_ = Graph::InMemory(empty);
    made.graph_ = made.own_graph_.get();
    if (!made.graph_) return Fail(ErrorCode::kResourceExhausted, "no memory for an empty graph");
    return workspace;
  }
  const bool reads = options.access == Access::kRead || options.access == Access::kPreview;
  OpenOptions open;
  open.create = options.access == Access::kCreate;
  open.read_only = reads;
  open.strict = options.strict;
  open.graph.executor = made.executor_;
  open.graph.return_freed_memory = !options.one_request;
  open.graph.now_ms = [&made] { return made.options_.clock_ms; };
  open.lock_wait_ms = options.lock_wait_ms;
  bool noted = !options.note;
  open.on_lock_wait = [&](const std::string& holder, std::int64_t waited_ms) {
    if (!noted && waited_ms >= 1000) {
      options.note("waiting for " + holder + ", who writes to " + options.directory);
      noted = true;
    }
    return true;  // nothing is open yet: Ctrl-C ends the program at once
  };
  made.made_directory_ = open.create && !std::filesystem::exists(options.directory);
  PLEXUS_ASSIGN(made.database_, Database::Open(options.directory, open));
  made.open_for_writing_ = !reads;
  if (made.database_->report().tail_dropped)
    made.warnings_.push_back(made.database_->report().tail_message);
  made.NoteDamage();
  return workspace;
}

Status Workspace::CheckDirectory() const {
  if (!options_.directory.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "which graph? --db DIR (or PLEXUS_DB) names its directory");
}

std::unique_ptr<Workspace> Workspace::Of(Graph& graph, std::int64_t clock_ms) {
  std::unique_ptr<Workspace> workspace(new Workspace());
  workspace->options_.access = Access::kWrite;
  workspace->options_.clock_ms = clock_ms;
  workspace->executor_ = &DefaultExecutor();
  workspace->graph_ = &graph;
  return workspace;
}

void Workspace::NoteDamage() {
  const std::vector<DamagedCheckpoint> damaged = database_->damaged_checkpoints();
  for (; damage_noted_ < damaged.size(); ++damage_noted_)
    warnings_.push_back(DamageMessage(damaged[damage_noted_]));
}

Status Workspace::Refresh(std::int64_t clock_ms) {
  options_.clock_ms = clock_ms;
  warnings_.clear();
  return database_ ? database_->Refresh() : Status();
}

Result<Sequence> Workspace::SequenceAt(std::string_view moment) {
  PLEXUS_ASSIGN(const Moment when, ParseMoment(moment, now_ms()));
  return SequenceAt(moment, when);
}

Result<Sequence> Workspace::SequenceAt(std::string_view moment, const Moment& when) {
  if (const Sequence* sequence = std::get_if<Sequence>(&when.value)) return *sequence;
  const std::int64_t time = std::get<std::int64_t>(when.value);
  const std::int64_t known = std::max(options_.clock_ms, graph().snapshot().time_ms());
  if (time > known)
    return Fail(ErrorCode::kNotFound,
                Quoted(moment) + " lies in the future, it is " + IsoTime(known));
  Result<Sequence> found = database_->SequenceAtTime(time);
  if (!found) found.error().message = Quoted(moment) + ": " + found.error().message;
  return found;
}

Result<View> Workspace::Seen(std::string_view as_of, const Request& request) {
  View view;
  const std::string& now = request.Text("now");
  view.now_ms = options_.clock_ms;
  if (!now.empty()) {
    PLEXUS_ASSIGN(view.now_ms, ParseTime(now, kNoTime));
  }
  if (!graph_ && !database_) return view;
  view.snapshot = graph().snapshot();
  if (!as_of.empty()) {
    if (!database_)
      return Fail(ErrorCode::kFailedPrecondition, "a graph in RAM alone has no history");
    PLEXUS_ASSIGN(const Moment when, ParseMoment(as_of, view.now_ms));
    PLEXUS_ASSIGN(const Sequence sequence, SequenceAt(as_of, when));
    PLEXUS_ASSIGN(view.snapshot, database_->AsOf(sequence));
    NoteDamage();
    // What was visible and valid then is judged by the clock of then.
    const std::int64_t* asked = std::get_if<std::int64_t>(&when.value);
    if (now.empty()) view.now_ms = asked ? *asked : view.snapshot.time_ms();
  }
  const std::vector<std::string>& scopes = request.List("scope");
  if (!scopes.empty()) {
    const std::vector<std::string_view> names(scopes.begin(), scopes.end());
    view.scope = NodeSubset::InScopes(view.snapshot, names);
  }
  if (request.Given("node_kinds")) {
    PLEXUS_ASSIGN(view.scope, OfKinds(view.snapshot, request.List("node_kinds"), view.scope));
  }
  if (request.Given("where")) {
    WhereOptions options;
    options.now_ms = view.now_ms;
    options.subset = view.scope ? &*view.scope : nullptr;
    options.make_orders = !options_.one_request;
    options.run.executor = &executor();
    PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
    Result<WhereResult> found = EvaluateWhere(view.snapshot, request.Text("where"), options);
    if (!found && found.error().code == ErrorCode::kCancelled &&
        options.run.budget.Interrupted())  // part of a selection selects something else
      return Fail(ErrorCode::kResourceExhausted,
                  request.Name("max_seconds") + ": the time was up before " +
                      request.Name("where") + " had looked at all nodes");
    PLEXUS_TRY(found);
    view.scope = std::move(found->nodes);
  }
  return view;
}

Result<View> Workspace::ViewAt(std::string_view as_of, const Request& request) {
  return Seen(as_of, request);
}

// Elsewhere a selection would be ignored.
bool SelectsNodes(const Operation& operation) {
  constexpr std::string_view kOthers[] = {"list",  "find",  "neighbors", "export",
                                          "terms", "embed", "build"};
  // A check judges the graph as it is and all of it: less would be a way round its rules.
  if (operation.name == "decisions_check") return false;
  return operation.group == "Ask" ||
         std::ranges::find(kOthers, operation.name) != std::end(kOthers);
}

Status CheckCommon(const Request& request) {
  const Operation& operation = request.operation();
  const auto refuse = [&](const char* parameter) {
    return Fail(ErrorCode::kInvalidArgument,
                "'" + CommandName(operation.name) + "' does not take " + request.Name(parameter));
  };
  for (const char* selects : {"where", "node_kinds", "scope"})
    if (request.Given(selects) && !SelectsNodes(operation)) return refuse(selects);
  if (!request.Given("as_of")) return {};
  PLEXUS_TRY(ParseMoment(request.Text("as_of"), 0));  // whether it can be read
  if (operation.name == "decisions_check") return refuse("as_of");
  // A dry run shows what would be written, which is the present: it is no way to write the past.
  const bool dry = IsDry(request);
  const Access access = AccessToWrite(request);
  if (access == Access::kRead) return {};
  if (access == Access::kNothing) return refuse("as_of");
  return Fail(ErrorCode::kInvalidArgument,
              request.Name("as_of") + " reads the past; this command writes" +
                  (dry ? ", and " + request.Name("dry_run") + " shows what it would write now"
                       : std::string()));
}

Status Workspace::Look(const Request& request) {
  notes_.clear();
  PLEXUS_TRY(CheckCommon(request));
  const Access access = request.operation().AccessFor(request);
  PLEXUS_ASSIGN(view_, Seen(request.Text("as_of"), request));
  if (access != Access::kRead && request.Given("now"))
    WarnOfSeconds(*this, request.Name("now"), view_.now_ms);
  if (request.Given("scope")) NoteUnknownScopes(request.List("scope"));
  if (request.Given("where")) NoteUnknownNames(request);
  return {};
}

// A misspelt column is taken for a property: say so where it is near a name, or nothing is left.
void Workspace::NoteUnknownNames(const Request& request) {
  const Result<WhereExpression> where =
      WhereExpression::Compile(request.Text("where"), schema(), now_ms());
  if (!where) return;
  const std::vector<std::string> known = NamesOfValues(schema());
  for (const std::string& name : where->BareProperties()) {
    const std::string near = DidYouMean(name, known);
    if (near.empty() && view_.scope && view_.scope->count() > 0) continue;
    notes_.push_back({request.Name("where") + ": " + Quoted(name) +
                      " is no column and taken for a property" + near});
  }
}

// A misspelt scope selects nothing: say so.
void Workspace::NoteUnknownScopes(const std::vector<std::string>& scopes) {
  const Snapshot& snapshot = view_.snapshot;
  std::vector<bool> met;                                          // by StringId
  std::vector<std::string> names = {std::string(kDefaultScope)};  // of nodes without a scope, too
  for (NodeId v = 0; v < snapshot.node_count(); ++v) {
    if (!snapshot.alive(v)) continue;
    const auto id = snapshot.string_column(kScope, v);
    if (!id) continue;
    if (*id >= met.size()) met.resize(*id + std::size_t{1});
    if (met[*id]) continue;
    met[*id] = true;
    names.emplace_back(snapshot.string(*id));
  }
  for (const std::string& scope : scopes)
    if (std::ranges::find(names, scope) == names.end())
      notes_.push_back({"no node has the scope " + Quoted(scope) + DidYouMean(scope, names)});
}

Result<std::int64_t> Workspace::ValidAt(std::string_view given) const {
  if (given.empty()) return kNoTime;
  return ParseTime(given, now_ms());
}

Workspace::~Workspace() {
  if (open_for_writing_) (void)Abandon();
}

Status Workspace::Abandon() {
  if (!open_for_writing_ || !database_->report().created || graph().snapshot().sequence() != 0)
    return Close();
  open_for_writing_ = false;
  view_.snapshot = {};
  PLEXUS_TRY(database_->Discard());
  std::error_code not_empty;  // somebody else's files stay
  if (made_directory_) std::filesystem::remove(options_.directory, not_empty);
  return {};
}

Status Workspace::Close() {
  open_for_writing_ = false;
  return database_ ? database_->Close() : Status();
}

Result<Reply> Answer(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(request.Check());
  request.Begin(workspace.options().cancel);
  PLEXUS_TRY(workspace.Look(request));
  const bool may_apply = request.operation().MayApply() && workspace.has_graph();
  const Sequence before = may_apply ? workspace.graph().snapshot().sequence() : 0;
  PLEXUS_ASSIGN(Reply reply, request.operation().run(workspace, request));
  reply.time_moved = may_apply && WasMoved(workspace, request, before);
  if (request.Given("details") && reply.members)
    reply.members = [members = std::move(reply.members),
                     with = request.List("details")](ReplyWriter& writer) mutable {
      NodeDetails details(writer, with);
      members(details);
    };
  if (request.Text("times") == "iso" && reply.members)
    reply.members = [members = std::move(reply.members)](ReplyWriter& writer) mutable {
      IsoTimes times(writer);
      members(times);
    };
  return reply;
}

void WarnOfSeconds(Workspace& workspace, const std::string& option, std::int64_t time_ms) {
  if (LooksLikeSeconds(time_ms))
    workspace.notes().push_back({option + ": " + SecondsWarning(time_ms), Note::kWarning});
}

}  // namespace plexus::tools
