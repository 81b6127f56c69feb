// A workspace without a wall is made for each request; those behind one are kept.
#include "tools/server/service.h"

#include <algorithm>
#include <ranges>

#include "tools/cli/line_limit.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/time_limit.h"
#include "tools/operations/reply/json_writer.h"
#include "tools/server/server_log.h"

namespace plexus::tools::server {
namespace {

// The clock of the request that this thread answers: the graph asks the thread that writes.
thread_local std::optional<std::int64_t> request_clock;

std::int64_t NowMs() { return request_clock ? *request_clock : ClockMs(); }

class ClockOfRequest {
 public:
  explicit ClockOfRequest(std::int64_t clock_ms) { request_clock = clock_ms; }
  ~ClockOfRequest() { request_clock.reset(); }
  ClockOfRequest(const ClockOfRequest&) = delete;
  ClockOfRequest& operator=(const ClockOfRequest&) = delete;
};

Error Closed() { return {ErrorCode::kLocked, "the server is closing: try again"}; }

bool Writes(Access access) { return access == Access::kWrite || access == Access::kCreate; }

// What opens the directory by its own means and replaces its files.
bool ReplacesFiles(const Request& request) {
  const Operation& operation = request.operation();
  return operation.AccessFor(request) == Access::kNothing && operation.effect != Effect::kRead;
}

// Bulk mode needs its caller to be the only one. A followed file has none, and takes long.
bool IsImport(const Request& request) {
  return Writes(request.operation().AccessFor(request)) && request.operation().group == "Files" &&
         !IsDryRun(request) && !request.Flag("follow");
}

// Takes the lock within the time of the request, and as long as that is not cancelled.
template <class Lock>
Status Take(Lock& lock, std::optional<double> most, const Caller& caller) {
  using namespace std::chrono;
  const auto start = steady_clock::now();
  while (!lock.try_lock_for(milliseconds(20))) {
    if (caller.cancel && caller.cancel->load())
      return Cancelled("the request was cancelled while it waited for its turn");
    if (most && *most > 0 && steady_clock::now() - start > duration<double>(*most))
      return Fail(ErrorCode::kLocked,
                  "another request writes and is not done within max_seconds: try again");
  }
  return {};
}

}  // namespace

Status CheckRights(const Operation& operation, const Caller& caller) {
  const auto refuse = [&](const char* right) {
    return FailedPrecondition("'", CommandName(operation.name), "' needs the right to ", right);
  };
  // Care is also what only reads: verify loads the graph once more.
  if (operation.effect == Effect::kDestroy || operation.group == "Care")
    return caller.may_destroy ? Status() : Status(refuse("administer"));
  if (operation.effect == Effect::kRead) return caller.may_read ? Status() : Status(refuse("read"));
  return caller.may_write ? Status() : Status(refuse("write"));
}

std::string ErrorJson(const Error& error) {
  return JsonText([&](JsonWriter& json) { WriteError(error, json); });
}

Result<std::unique_ptr<Service>> Service::Open(const ServiceOptions& options) {
  std::unique_ptr<Service> service(new Service(options));
  if (options.in_memory) {
    GraphOptions graph;
    graph.on_log = options.on_log;
    graph.now_ms = NowMs;
    service->in_memory_ = Graph::InMemory(graph);
    if (!service->in_memory_) return Exhausted("no memory for an empty graph");
  } else {
    PLEXUS_ASSIGN(service->database_,
                  service->OpenDatabase(options.read_only, options.create && !options.read_only));
    PLEXUS_ASSIGN(service->identity_, replica::IdentifyGraph(options.directory));
    const OpenReport report = service->database_->report();
    service->opening_ = report.tail_dropped ? report.tail_message : std::string();
    for (const DamagedCheckpoint& damaged : report.damaged_checkpoints)
      service->opening_ += (service->opening_.empty() ? "" : "; ") + DamageMessage(damaged);
  }
  service->NoteSequence();
  service->without_terms_ = service->sequence() == 0;
  return service;
}

Result<std::unique_ptr<Database>> Service::OpenDatabase(bool read_only, bool create) const {
  OpenOptions open;
  open.create = create;
  open.read_only = read_only;
  open.strict = options_.strict;
  open.graph.on_log = options_.on_log;
  open.lock_wait_ms = database_ ? 0 : options_.lock_wait_ms;  // others wait for an opening
  open.graph.now_ms = NowMs;
  if (options_.follows && !read_only) open.replica_of = options_.follows->source();
  return Database::Open(options_.directory, open);
}

Status Service::MakeWritable(std::optional<double> max_seconds, const Caller& caller) {
  {
    const std::shared_lock shared(open_);
    if (!database_ || closed_ || options_.read_only) return {};
    if (!database_->read_only() && !database_->graph().read_only()) return {};
  }
  // Opening takes long where there is much to read, and others wait for it.
  const auto now = std::chrono::steady_clock::now();
  if (now < next_opening_)
    return Exhausted("a write failed a moment ago; the graph is opened again soon: try again");
  std::unique_lock nothing_else(open_, std::defer_lock);
  PLEXUS_TRY(Take(nothing_else, max_seconds, caller));
  if (closed_) return std::unexpected(Closed());
  const Status opened = OpenAgain();
  next_opening_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  LogInfo(opened ? "the graph is open for writing again" : "the graph is still read-only",
          {{"db", options_.directory}});
  if (opened) return {};
  return Exhausted("a write failed, and the graph cannot be written again yet: ",
                   opened.error().message);
}

Status Service::CheckIdentity() const {
  PLEXUS_ASSIGN(const replica::GraphIdentity now, replica::IdentifyGraph(options_.directory));
  if (now == identity_) return {};
  return FailedPrecondition(options_.directory,
                            ": is not the graph that was opened; put that back, or end the "
                            "server");
}

Status Service::OpenAgain() {
  // While its files are elsewhere it keeps them, and their lock.
  PLEXUS_TRY(CheckIdentity());
  DropIdle();
  if (!database_->read_only()) {
    durable_ = std::max(durable_, database_->stats().synced_sequence);
    (void)database_->Close();  // what failed has been said
  }
  const auto open = [&](bool read_only) -> Status {
    PLEXUS_ASSIGN(std::unique_ptr<Database> opened, OpenDatabase(read_only, false));
    PLEXUS_TRY(CheckIdentity());
    if (opened->snapshot().sequence() < durable_)
      return Corrupted(options_.directory, ": lacks batches that were durable");
    database_ = std::move(opened);
    ++openings_;
    NoteSequence();
    return {};
  };
  const Status opened = open(false);
  if (!opened && !database_->read_only()) (void)open(true);  // for those who read
  return opened;
}

Status Service::FollowOther() {
  if (!database_ || options_.read_only || !database_->read_only()) return {};
  PLEXUS_TRY(database_->Refresh());
  NoteSequence();
  return {};
}

Service::~Service() { (void)Close(); }

Result<Database*> Service::History() {
  if (closed_) return std::unexpected(Closed());
  if (!database_) return FailedPrecondition("a graph in RAM has no history");
  return database_.get();
}

Result<std::unique_ptr<Workspace>> Service::WorkspaceOf(const Caller& caller) {
  WorkspaceOptions options;
  options.access = Access::kWrite;
  options.clock_ms = ClockMs();
  options.one_request = false;
  options.wall = caller.wall;
  options.paths = caller.paths;
  options.input = caller.input;
  return database_ ? Workspace::Over(*database_, options) : Workspace::Over(*in_memory_, options);
}

Result<std::unique_ptr<Workspace>> Service::Borrow(const Caller& caller) {
  if (!caller.wall.empty() && caller.input < 0) {
    const std::lock_guard lock(idle_mutex_);
    const auto newest = std::ranges::find_if(idle_ | std::views::reverse, [&](const Idle& one) {
      return one.workspace->options().wall == caller.wall &&
             one.workspace->options().paths == caller.paths;
    });
    if (newest != idle_.rend()) {
      std::unique_ptr<Workspace> workspace = std::move(newest->workspace);
      idle_.erase(std::prev(newest.base()));
      return workspace;
    }
    ++copies_made_;
  }
  return WorkspaceOf(caller);
}

void Service::GiveBack(std::unique_ptr<Workspace> workspace) {
  if (workspace->options().wall.empty() || workspace->input() >= 0) return;
  workspace->SetCaller(nullptr, nullptr);
  const std::uint64_t bytes = metrics::MeasureBytes(workspace->graph().snapshot()).total;
  std::list<Idle> dropped;  // ends without the lock
  const std::lock_guard lock(idle_mutex_);
  idle_.push_back({std::move(workspace), bytes});
  std::size_t of_wall = 0;
  std::uint64_t all = 0;
  for (const Idle& one : idle_) {
    of_wall += one.workspace->options().wall == idle_.back().workspace->options().wall;
    all += one.bytes;
  }
  const auto drop = [&](auto at) {
    all -= at->bytes;
    dropped.splice(dropped.end(), idle_, at);
  };
  if (of_wall > options_.max_idle_of_wall)
    drop(std::ranges::find_if(idle_, [&](const Idle& one) {
      return one.workspace->options().wall == idle_.back().workspace->options().wall;
    }));
  while (idle_.size() > 1 && (idle_.size() > options_.max_idle || all > options_.max_idle_bytes))
    drop(idle_.begin());
}

void Service::DropIdle() {
  const std::lock_guard lock(idle_mutex_);
  idle_.clear();
}

Service::Copies Service::copies() const {
  const std::lock_guard lock(idle_mutex_);
  return {idle_.size(), copies_made_};
}

Status Service::Run(Request request, const Caller& caller, const Write& write) {
  return RunAny(std::move(request), caller,
                [&](Result<Reply> reply, Workspace& workspace) -> Status {
                  if (!reply) return std::unexpected(reply.error());
                  return write(*reply, workspace);
                });
}

Status Service::RunAny(Request request, const Caller& caller, const WriteAny& write) {
  PLEXUS_TRY(CheckRights(request.operation(), caller));
  const Access access = request.operation().AccessFor(request);
  if (Writes(access) && !caller.may_write)
    return FailedPrecondition("this request needs the right to write");
  if (options_.max_seconds > 0 && !caller.own_time) {
    const std::optional<double> asked = request.MaybeNumber("max_seconds");
    if (!asked || *asked > options_.max_seconds)
      PLEXUS_TRY(request.Set("max_seconds", options_.max_seconds));
  }
  // An export is written as it is read, and no reply.
  if (!caller.own_time && (request.operation().name != "export" || request.Given("max_bytes"))) {
    const std::uint64_t asked = MostBytes(request);
    if (asked == 0 || asked > options_.max_bytes)
      PLEXUS_TRY(request.Set("max_bytes", options_.max_bytes));
  }
  if (ReplacesFiles(request)) {
    PLEXUS_TRY(request.Check());
    return FailedPrecondition(
        "'", CommandName(request.operation().name),
        "' replaces the files of a graph: end the server and run it from the command "
        "line");
  }
  const bool writes = Writes(request.operation().AccessFor(request));
  if (writes && follows()) return RefuseToWrite();
  return InTurn(writes, IsImport(request), request.MaybeNumber("max_seconds"), caller,
                [&]() -> Status {
                  PLEXUS_ASSIGN(const std::int64_t clock, ClockOf(request));
                  return RunNow(writes, clock, caller, [&](Workspace& workspace) {
                    if (follows() && request.operation().name == "stats")
                      workspace.warnings().push_back(LagSentence());
                    return write(Answer(workspace, request), workspace);
                  });
                });
}

Status Service::Use(bool writes, const Caller& caller, const Work& work) {
  if (!(writes ? caller.may_write : caller.may_read))
    return FailedPrecondition("this request needs the right to ", (writes ? "write" : "read"));
  if (writes && follows()) return RefuseToWrite();
  return InTurn(writes, false, options_.max_seconds, caller, [&] {
    return RunNow(writes, ClockMs(), caller,
                  [&](Workspace& workspace) { return work(workspace, graph()); });
  });
}

Status Service::InTurn(bool writes, bool exclusive, std::optional<double> max_seconds,
                       const Caller& caller, const std::function<Status()>& run) {
  std::unique_lock one_writer(write_mutex_, std::defer_lock);
  std::shared_lock shared(open_, std::defer_lock);
  std::unique_lock nothing_else(open_, std::defer_lock);
  // The turn comes first: who waits for it must not hold up an import.
  if (writes) {
    PLEXUS_TRY(Take(one_writer, max_seconds, caller));
    PLEXUS_TRY(MakeWritable(max_seconds, caller));
  }
  PLEXUS_TRY(exclusive ? Take(nothing_else, max_seconds, caller)
                       : Take(shared, max_seconds, caller));
  return run();
}

Status Service::RunNow(bool writes, std::int64_t clock_ms, const Caller& caller,
                       const std::function<Status(Workspace&)>& run) {
  if (closed_) return std::unexpected(Closed());
  PLEXUS_TRY(FollowOther());
  PLEXUS_ASSIGN(std::unique_ptr<Workspace> workspace, Borrow(caller));
  workspace->SetClock(clock_ms);
  workspace->SetCaller(caller.progress, caller.cancel);
  const Sequence before = graph().snapshot().sequence();
  Status done;
  {
    const ClockOfRequest here(clock_ms);
    done = run(*workspace);
  }
  GiveBack(std::move(workspace));
  if (writes && graph().snapshot().sequence() != before) {
    if (without_terms_ && caller.keeps_terms) MakeTerms();
    NoteSequence();
  }
  return done;
}

// A graph that begins here is searched by words from its first text on. REQUIRES open_.
void Service::MakeTerms() {
  const Result<std::unique_ptr<Workspace>> workspace = WorkspaceOf({.paths = true});
  if (!workspace) return;
  const Sequence before = graph().snapshot().sequence();
  const Result<Reply> made = Answer(**workspace, Request(*FindOperation("terms")));
  if (!made || graph().snapshot().sequence() != before) without_terms_ = false;
}

Result<Answered> Service::Ask(Request request, const Caller& caller, std::ostream* out) {
  Answered answered;
  const bool limited = request.Given("max_bytes");
  PLEXUS_TRY(Run(std::move(request), caller, [&](Reply& reply, Workspace& workspace) -> Status {
    answered.failure = reply.failure;
    if (reply.stream && (out || !reply.members)) {
      if (!out) return Invalid("this reply has a format of its own, which this door does not take");
      LineLimit file(*out, limited ? reply.limit.bytes : 0, false);
      const Status written = reply.stream(file);
      if (!written || !file.cut()) return written;
      return Exhausted("max_bytes: what was written is not all there is");
    }
    std::vector<std::string> warnings = workspace.warnings();
    // Such as what a dry run there cannot know.
    if (!workspace.options().wall.empty() && !reply.says_notes)
      for (const Note& note : workspace.notes())
        if (note.level != Note::kForPeople) warnings.push_back(note.text);
    answered.json = JsonText([&](JsonWriter& json) { WriteReply(reply, warnings, json); });
    answered.truncated = reply.truncated;
    return {};
  }));
  return answered;
}

Status Service::Change(const Caller& caller, bool exclusive,
                       const std::function<Status(Graph&, Database*)>& write) {
  if (!caller.may_write) return FailedPrecondition("this needs the right to write");
  if (follows()) return RefuseToWrite();
  return InTurn(true, exclusive, std::nullopt, caller, [&]() -> Status {
    if (closed_) return std::unexpected(Closed());
    const Status done = write(graph(), database_.get());
    NoteSequence();
    return done;
  });
}

Status Service::Refresh() {
  const std::shared_lock shared(open_);
  if (closed_) return std::unexpected(Closed());
  if (database_ && database_->read_only()) PLEXUS_TRY(database_->Refresh());
  NoteSequence();
  return {};
}

Result<Snapshot> Service::snapshot() {
  const std::shared_lock shared(open_);
  if (closed_) return std::unexpected(Closed());
  PLEXUS_TRY(FollowOther());
  return graph().snapshot();
}

// REQUIRES open_. Batches of several threads end in any order.
void Service::NoteSequence() {
  sequence_.store(graph().snapshot().sequence());
  WakeWaiting();
}

Result<Changes> Service::ChangesSince(Sequence since, const ChangesOptions& options) {
  const std::shared_lock shared(open_);
  if (closed_) return std::unexpected(Closed());
  PLEXUS_TRY(FollowOther());
  PLEXUS_ASSIGN(Database* const database, History());
  return database->ChangesSince(since, options);
}

Result<StorageStats> Service::stats() {
  const std::shared_lock shared(open_);
  PLEXUS_ASSIGN(Database* const database, History());
  return database->stats();
}

Sequence Service::AwaitChange(Sequence seen, int milliseconds, const std::function<bool()>& stop) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  std::unique_lock lock(change_mutex_);
  Sequence now = seen;
  changed_.wait_until(lock, until, [&] { return stop() || (now = sequence()) != seen; });
  return now;
}

void Service::WakeWaiting() {
  {
    const std::lock_guard lock(change_mutex_);
  }
  changed_.notify_all();
}

Status Service::Close() {
  const std::unique_lock alone(open_);
  if (closed_) return {};
  closed_ = true;
  DropIdle();
  const Status closed = database_ ? database_->Close() : Status();
  WakeWaiting();
  return closed;
}

}  // namespace plexus::tools::server
