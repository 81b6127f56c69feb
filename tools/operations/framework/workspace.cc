// The one place where the program opens a graph.
#include "tools/operations/framework/workspace.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "algorithms/common/common.h"
#include "algorithms/retrieval/scan.h"
#include "engine/times.h"
#include "engine/vocabulary.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/iso_times.h"
#include "tools/operations/reply/node_details.h"
#include "tools/operations/reply/node_list.h"
#include "tools/operations/scope/event_time.h"
#include "tools/operations/structure/no_edges_note.h"

namespace plexus::tools {
namespace {

// The alive nodes of these kinds, of either plane; only facts of `scope` where it is given.
Result<NodeSubset> OfKinds(const Snapshot& snapshot, const std::vector<std::string>& kinds,
                           const std::optional<NodeSubset>& scope, bool keep_orders) {
  PLEXUS_ASSIGN(const std::vector<NodeKindId> named, FindNodeKinds(snapshot.schema(), kinds));
  NodeSubset of_kinds = NodeSubset::OfKinds(snapshot, named, keep_orders);
  return scope ? of_kinds.Intersect(*scope) : of_kinds;
}

// The parameter of the expression that selects nodes; null: it is about edges (list).
const char* WhereOfNodes(const Request& request) {
  return request.Has("edges") && request.Flag("edges") ? nullptr : "where";
}

bool WasMoved(Workspace& workspace, const Request& request, Sequence before) {
  const Snapshot after = workspace.graph().snapshot();
  const bool wrote =
      IsDryRun(request) ? AccessToWrite(request) != Access::kRead : after.sequence() != before;
  if (!wrote || after.time_ms() <= workspace.now_ms()) return false;
  workspace.notes().push_back({"now lies before " + IsoTime(after.time_ms()) +
                                   ", the graph's time; what is written has that",
                               Note::kForPeople});
  return true;
}

// Whether it says "-" and nothing else; of one file, where the list of files does, too.
bool IsInput(const Request& request, const Parameter& parameter) {
  const std::vector<std::string> input = {"-"};
  if (parameter.type == Type::kList) return request.List(parameter.name) == input;
  return parameter.means == Means::kFile && request.Text(parameter.name) == "-" &&
         request.Has("files") && request.List("files") == input;
}

}  // namespace

Result<std::unique_ptr<Workspace>> Workspace::Open(const WorkspaceOptions& options) {
  std::unique_ptr<Workspace> workspace(new Workspace(options));
  Workspace& made = *workspace;
  if (options.access != Access::kNothing) PLEXUS_TRY(made.CheckDirectory());
  if (options.threads > 0) made.own_executor_ = MakeTbbExecutor(options.threads);
  if (made.own_executor_) made.executor_ = made.own_executor_.get();
  if (options.access == Access::kNothing) return workspace;

  std::error_code unknown;
  if (options.access == Access::kPreview && !std::filesystem::exists(options.directory, unknown)) {
    GraphOptions empty;
    empty.executor = made.executor_;
    made.own_graph_ = Graph::InMemory(empty);
    made.graph_ = made.own_graph_.get();
    if (!made.graph_) return Exhausted("no memory for an empty graph");
    PLEXUS_TRY(made.RaiseWall());
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
  made.made_directory_ = open.create && !std::filesystem::exists(options.directory, unknown);
  PLEXUS_ASSIGN(made.own_database_, Database::Open(options.directory, open));
  made.database_ = made.own_database_.get();
  made.open_for_writing_ = !reads;
  if (made.database_->report().tail_dropped)
    made.warnings_.push_back(made.database_->report().tail_message);
  made.NoteDamage();
  PLEXUS_TRY(made.RaiseWall());
  return workspace;
}

Status Workspace::RaiseWall() {
  if (options_.wall.empty()) return {};
  PLEXUS_ASSIGN(scoped_, ScopedGraph::Make(whole(), options_.wall, executor()));
  return {};
}

Status Workspace::CheckDirectory() const {
  if (!options_.directory.empty()) return {};
  return Invalid("which graph? --db DIR (or PLEXUS_DB) names its directory");
}

Result<std::unique_ptr<Workspace>> Workspace::Over(Database& database,
                                                   const WorkspaceOptions& options) {
  std::unique_ptr<Workspace> workspace(new Workspace(options));
  workspace->options_.directory = database.directory();
  workspace->database_ = &database;
  workspace->NoteDamage();
  PLEXUS_TRY(workspace->RaiseWall());
  return workspace;
}

Result<std::unique_ptr<Workspace>> Workspace::Over(Graph& graph, const WorkspaceOptions& options) {
  std::unique_ptr<Workspace> workspace(new Workspace(options));
  workspace->graph_ = &graph;
  PLEXUS_TRY(workspace->RaiseWall());
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
  if (database_ && database_->read_only()) PLEXUS_TRY(database_->Refresh());
  return scoped_ ? scoped_->Refresh() : Status();
}

Result<Sequence> Workspace::SequenceAt(std::string_view moment) {
  PLEXUS_ASSIGN(const Moment when, ParseMoment(moment, now_ms()));
  return SequenceAt(moment, when);
}

Result<Sequence> Workspace::SequenceAt(std::string_view moment, const Moment& when) {
  if (const Sequence* sequence = std::get_if<Sequence>(&when.value)) return *sequence;
  const std::int64_t time = std::get<std::int64_t>(when.value);
  const std::int64_t known = std::max(options_.clock_ms, graph().snapshot().time_ms());
  if (time > known) return NotFound(Quoted(moment), " lies in the future, it is ", IsoTime(known));
  Result<Sequence> found = database_->SequenceAtTime(time);
  if (!found) found.error().message = Quoted(moment) + ": " + found.error().message;
  return found;
}

namespace {

// Of the scopes that the request names, if any.
Result<std::optional<NodeSubset>> InScopes(const Snapshot& snapshot, const Request& request,
                                           bool orders) {
  const std::vector<std::string>& scopes = request.List("scope");
  if (scopes.empty()) return std::nullopt;
  const std::vector<std::string_view> names(scopes.begin(), scopes.end());
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
  PLEXUS_ASSIGN(NodeSubset in, NodeSubset::InScopes(snapshot, names, orders, budget));
  return in;
}

}  // namespace

Result<View> Workspace::ViewAt(std::string_view as_of, const Request& request) {
  View view;
  const std::string& now = request.Text("now");
  view.now_ms = options_.clock_ms;
  if (!now.empty()) PLEXUS_SET(view.now_ms, ParseTime(now, options_.clock_ms));
  if (!graph_ && !database_) return view;
  view.snapshot = graph().snapshot();
  if (!as_of.empty()) {
    if (!has_database())
      return FailedPrecondition(scoped_ ? "a session of a scope has no history: leave " +
                                              request.Name("as_of") + " out"
                                        : "a graph that is only in RAM has no history");
    PLEXUS_ASSIGN(const Moment when, ParseMoment(as_of, view.now_ms));
    PLEXUS_ASSIGN(const Sequence sequence, SequenceAt(as_of, when));
    PLEXUS_ASSIGN(view.snapshot, database_->AsOf(sequence, timed_progress()));
    NoteDamage();
    view.past = true;
    // What was visible and valid then is judged by the clock of then.
    const std::int64_t* asked = std::get_if<std::int64_t>(&when.value);
    if (now.empty()) view.now_ms = asked ? *asked : view.snapshot.time_ms();
  }
  if (request.Given("event_time")) {
    PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
    PLEXUS_ASSIGN(const std::int64_t then, ParseTime(request.Text("event_time"), view.now_ms));
    Database* const log = has_database() ? database_ : nullptr;
    PLEXUS_ASSIGN(view.snapshot, AtEventTime(view.snapshot, then, log, budget, executor()));
    view.past = true;
    if (now.empty()) view.now_ms = then;
  }
  PLEXUS_ASSIGN(view.scope, InScopes(view.snapshot, request, KeepsOrders(view)));
  PLEXUS_ASSIGN(view.scope, Selected(view, request, "node_kinds", WhereOfNodes(request),
                                     std::move(view.scope)));
  if (request.Has("show_kinds"))
    PLEXUS_SET(view.shown, Selected(view, request, "show_kinds", "show_where", {}));
  return view;
}

// Of `among` the nodes that a parameter of kinds and one of an expression select.
Result<std::optional<NodeSubset>> Workspace::Selected(const View& view, const Request& request,
                                                      const char* kinds, const char* where,
                                                      std::optional<NodeSubset> among) {
  if (request.Given(kinds))
    PLEXUS_SET(among, OfKinds(view.snapshot, request.List(kinds), among, KeepsOrders(view)));
  if (!where || !request.Given(where)) return among;
  retrieval::WhereOptions options;
  options.now_ms = view.now_ms;
  options.subset = among ? &*among : nullptr;
  options.make_orders = KeepsOrders(view);
  options.run.executor = &executor();
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
  Result<retrieval::WhereResult> found =
      retrieval::EvaluateWhere(view.snapshot, request.Text(where), options);
  // Part of a selection selects something else.
  if (!found && found.error().code == ErrorCode::kCancelled)
    found.error().message = request.Name(where) + " had not looked at all nodes";
  PLEXUS_TRY(found);
  return std::optional(std::move(found->nodes));
}

namespace {

// A session of a scope has a sequence of its own, and reads no file of a graph.
Status CheckBehindWall(const Request& request) {
  const auto refuse = [&](std::string_view name, const std::string& why) {
    return FailedPrecondition(request.Name(name), why, ": not in a session of a scope");
  };
  for (const char* name : {"expect_sequence", "follow"})
    if (request.Has(name) && request.Given(name))
      return refuse(name, " needs the sequence or the records of the whole graph");
  for (const Parameter& parameter : request.operation().parameters) {
    if (parameter.means != Means::kFile || !request.Given(parameter.name)) continue;
    const std::vector<std::string> files = parameter.type == Type::kList
                                               ? request.List(parameter.name)
                                               : std::vector{request.Text(parameter.name)};
    for (const std::string& file : files)
      if (!Database::FolderAround(file).empty())
        return refuse(parameter.name, " is a file of a graph");
  }
  return {};
}

}  // namespace

// What this door does not open.
Status Workspace::CheckDoor(const Request& request) const {
  const Operation& operation = request.operation();
  const std::string name = "'" + CommandName(operation.name) + "'";
  if (!options_.wall.empty() && operation.reach != Reach::kScope)
    return FailedPrecondition(name, " is about the whole graph: not in a session of a scope");
  if (has_graph() && !database_ && operation.reach == Reach::kDirectory)
    return FailedPrecondition(name,
                              " is about the directory of a graph, and this one is only in RAM");
  if (!options_.wall.empty()) PLEXUS_TRY(CheckBehindWall(request));
  if (options_.paths) return {};
  for (const Parameter& parameter : operation.parameters)
    if ((parameter.means == Means::kFile || parameter.means == Means::kPath) &&
        request.Given(parameter.name) && !(input() >= 0 && IsInput(request, parameter)))
      return FailedPrecondition(request.Name(parameter.name),
                                " is a path of the server: not through this door");
  return {};
}

Status Workspace::Look(const Request& request) {
  notes_.clear();
  PLEXUS_TRY(CheckCommon(request));
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
  timed_progress_ = TimedProgress(progress(), budget);
  PLEXUS_TRY(CheckDoor(request));
  if (scoped_) PLEXUS_TRY(scoped_->Refresh());
  const Access access = request.operation().AccessFor(request);
  PLEXUS_ASSIGN(view_, ViewAt(request.Text("as_of"), request));
  // A slip is found before anything is written.
  if (request.Given("node_columns"))
    for (const std::string& name : request.List("node_columns"))
      PLEXUS_TRY(NodeColumn::Named(view_.snapshot, name));
  if (access != Access::kRead && request.Given("now"))
    WarnOfSeconds(*this, request.Name("now"), view_.now_ms);
  if (request.Given("scope")) NoteUnknownScopes(request.List("scope"), budget);
  if (request.Given("where") && WhereOfNodes(request))
    NoteUnknownNames(request, "where", view_.scope);
  if (request.Has("show_where") && request.Given("show_where"))
    NoteUnknownNames(request, "show_where", view_.shown);
  NoteNoEdges(*this, request, budget);
  return {};
}

// A misspelt column is taken for a property: say so where it is near a name, or nothing is left.
void Workspace::NoteUnknownNames(const Request& request, const char* where,
                                 const std::optional<NodeSubset>& selected) {
  const Result<retrieval::WhereExpression> expression =
      retrieval::WhereExpression::Compile(request.Text(where), schema(), now_ms());
  if (!expression) return;
  const std::vector<std::string> known = NamesInExpressions(schema());
  for (const std::string& name : expression->BareProperties()) {
    const std::string near = DidYouMean(name, known);
    if (near.empty() && selected && selected->count() > 0) continue;
    notes_.push_back({request.Name(where) + ": " + Quoted(name) +
                      " is no column and taken for a property" + near});
  }
}

// A misspelt scope selects nothing: say so. Nothing is said where the time is up.
void Workspace::NoteUnknownScopes(const std::vector<std::string>& scopes, const Budget& budget) {
  const Snapshot& snapshot = view_.snapshot;
  const std::vector<std::string_view> asked(scopes.begin(), scopes.end());
  const auto unused = UnusedScopes(snapshot, asked, budget);
  if (!unused || unused->empty()) return;
  const auto used = ScopesInUse(snapshot, budget);
  if (!used) return;
  std::vector<std::string> names = {
      std::string(builtin::kDefaultScope)};  // of nodes without a scope, too
  for (const StringId id : *used) names.emplace_back(snapshot.string(id));
  for (const std::string_view scope : *unused)
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
  if (!open_for_writing_ || !database_->report().created || whole().snapshot().sequence() != 0)
    return Close();
  open_for_writing_ = false;
  view_.snapshot = {};
  PLEXUS_TRY(database_->Discard());
  std::error_code not_empty;  // other files stay
  if (made_directory_) std::filesystem::remove(options_.directory, not_empty);
  return {};
}

Status Workspace::Close() {
  open_for_writing_ = false;
  return own_database_ ? own_database_->Close() : Status();
}

namespace {

// What is asked there is judged by the scope's part; what is written is judged by the whole graph,
// which knows what others have.
void NoteWall(Workspace& workspace, const Request& request) {
  if (workspace.options().wall.empty()) return;
  if (IsDryRun(request) && AccessToWrite(request) != Access::kRead)
    workspace.notes().push_back(
        {"a dry run in a session of a scope knows what the scope sees: the write itself is refused "
         "where a key or a word is of others"});
  if (request.Has("on_error") && request.Text("on_error") == "skip")
    workspace.notes().push_back(
        {request.Name("on_error", "skip") +
         " in a session of a scope skips what cannot be read; a key or a word of others ends it"});
}

Result<Reply> AnswerInTime(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(workspace.Look(request));
  const bool may_apply = request.operation().MayApply() && workspace.has_graph();
  const Sequence before = may_apply ? workspace.graph().snapshot().sequence() : 0;
  PLEXUS_ASSIGN(Reply reply, request.operation().run(workspace, request));
  NoteWall(workspace, request);
  reply.time_moved = may_apply && WasMoved(workspace, request, before);
  return reply;
}

// How long the reply may be, and what its parts that run later say when the time is up.
Status Bound(const Workspace& workspace, Reply& reply, const Request& request) {
  reply.limit.bytes = MostBytes(request);
  reply.limit.seconds = request.MaybeNumber("max_seconds");
  PLEXUS_ASSIGN(reply.limit.budget, MakeBudget(request));
  if (reply.stream)
    reply.stream = [stream = std::move(reply.stream), request](std::ostream& out) mutable {
      const Status written = stream(out);
      return written ? written : std::unexpected(TimedError(request, written.error()));
    };
  if ((request.Given("details") || request.Given("node_columns")) && reply.members) {
    NodeDetailOptions with{request.List("details"), request.List("node_columns")};
    with.of_columns.now_ms = workspace.now_ms();
    PLEXUS_ASSIGN(auto in_scopes,
                  InScopes(workspace.snapshot(), request, workspace.keeps_orders()));
    if (in_scopes) with.among = std::make_shared<const NodeSubset>(*std::move(in_scopes));
    with.of_columns.among = with.among.get();
    reply.members = [members = std::move(reply.members),
                     with = std::move(with)](ReplyWriter& writer) mutable {
      NodeDetails details(writer, with);
      members(details);
    };
  }
  if (request.Text("times") == "iso" && reply.members)
    reply.members = [members = std::move(reply.members)](ReplyWriter& writer) mutable {
      IsoTimes times(writer);
      members(times);
    };
  return {};
}

}  // namespace

Result<Reply> Answer(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(request.Check());
  request.Begin(workspace.options().cancel);
  Result<Reply> reply = AnswerInTime(workspace, request);
  if (!reply) return std::unexpected(TimedError(request, std::move(reply.error())));
  PLEXUS_TRY(Bound(workspace, *reply, request));
  return reply;
}

void WarnOfSeconds(Workspace& workspace, const std::string& option, std::int64_t time_ms) {
  if (LooksLikeSeconds(time_ms))
    workspace.notes().push_back({option + ": " + SecondsWarning(time_ms), Note::kWarning});
}

}  // namespace plexus::tools
