// A workspace without a wall is made for each request; those behind one are kept.
#include "tools/server/service.h"

#include <chrono>
#include <sstream>
#include <utility>

#include "tools/cli/line_limit.h"
#include "tools/operations/change.h"
#include "tools/operations/registry.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools::server {
namespace {

// The clock of the request that this thread answers: the graph asks the thread that writes.
thread_local std::optional<std::int64_t> request_clock;

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
Status Take(Lock& lock, const Request& request, const Caller& caller) {
  using namespace std::chrono;
  const std::optional<double> most = request.MaybeNumber("max_seconds");
  const auto start = steady_clock::now();
  while (!lock.try_lock_for(milliseconds(20))) {
    if (caller.cancel && caller.cancel->load())
      return Fail(ErrorCode::kCancelled, "the request was cancelled while it waited for its turn");
    if (most && *most > 0 && steady_clock::now() - start > duration<double>(*most))
      return Fail(ErrorCode::kLocked,
                  "another request writes and is not done within max_seconds: try again");
  }
  return {};
}

}  // namespace

Status CheckRights(const Operation& operation, const Caller& caller) {
  const auto refuse = [&](const char* right) {
    return Fail(ErrorCode::kFailedPrecondition,
                "'" + CommandName(operation.name) + "' needs the right to " + right);
  };
  // Care is also what only reads: verify loads the graph once more.
  if (operation.effect == Effect::kDestroy || operation.group == "Care")
    return caller.may_destroy ? Status() : Status(refuse("administer"));
  if (operation.effect == Effect::kRead) return caller.may_read ? Status() : Status(refuse("read"));
  return caller.may_write ? Status() : Status(refuse("write"));
}

std::string ErrorJson(const Error& error) {
  std::ostringstream text;
  JsonWriter json(text);
  WriteError(error, json);
  return std::move(text).str();
}

Result<std::unique_ptr<Service>> Service::Open(const ServiceOptions& options) {
  std::unique_ptr<Service> service(new Service(options));
  PLEXUS_TRY(service->OpenDatabase());
  service->NoteSequence();
  service->without_terms_ = service->sequence() == 0;
  return service;
}

Status Service::OpenDatabase() {
  OpenOptions open;
  open.create = options_.create;
  open.lock_wait_ms = options_.lock_wait_ms;
  open.graph.now_ms = [] { return request_clock ? *request_clock : ClockMs(); };
  PLEXUS_ASSIGN(database_, Database::Open(options_.directory, open));
  const OpenReport report = database_->report();
  opening_ = report.tail_dropped ? report.tail_message : std::string();
  for (const DamagedCheckpoint& damaged : report.damaged_checkpoints)
    opening_ += (opening_.empty() ? "" : "; ") + DamageMessage(damaged);
  return {};
}

Service::~Service() { (void)Close(); }

Result<std::unique_ptr<Workspace>> Service::Borrow(const Caller& caller) {
  if (!caller.wall.empty()) {
    const std::lock_guard lock(idle_mutex_);
    std::vector<std::unique_ptr<Workspace>>& idle = idle_[caller.wall];
    if (!idle.empty()) {
      std::unique_ptr<Workspace> workspace = std::move(idle.back());
      idle.pop_back();
      return workspace;
    }
  }
  WorkspaceOptions options;
  options.access = Access::kWrite;
  options.clock_ms = ClockMs();
  options.one_request = false;
  options.wall = caller.wall;
  options.paths = caller.paths;
  options.input = caller.input;
  return Workspace::Over(*database_, options);
}

void Service::GiveBack(std::unique_ptr<Workspace> workspace) {
  constexpr std::size_t kMostIdle = 4;
  if (workspace->options().wall.empty()) return;
  workspace->SetCaller(nullptr, nullptr);
  const std::lock_guard lock(idle_mutex_);
  std::vector<std::unique_ptr<Workspace>>& idle = idle_[workspace->options().wall];
  if (idle.size() < kMostIdle) idle.push_back(std::move(workspace));
}

Status Service::Run(Request request, const Caller& caller, const Write& write) {
  PLEXUS_TRY(CheckRights(request.operation(), caller));
  const Access access = request.operation().AccessFor(request);
  if (Writes(access) && !caller.may_write)
    return Fail(ErrorCode::kFailedPrecondition, "this request needs the right to write");
  if (options_.max_seconds > 0 && !caller.own_time) {
    const std::optional<double> asked = request.MaybeNumber("max_seconds");
    if (!asked || *asked > options_.max_seconds)
      PLEXUS_TRY(request.Set("max_seconds", options_.max_seconds));
  }
  // An export is written as it is read, and no reply.
  if (!caller.own_time && (request.operation().name != "export" || request.Given("max_bytes"))) {
    const std::uint64_t asked = request.Count("max_bytes");
    if (asked == 0 || asked > options_.max_bytes)
      PLEXUS_TRY(request.Set("max_bytes", options_.max_bytes));
  }
  if (ReplacesFiles(request)) {
    PLEXUS_TRY(request.Check());
    return Fail(ErrorCode::kFailedPrecondition,
                "'" + CommandName(request.operation().name) +
                    "' replaces the files of a graph: end the server and run it from the command "
                    "line");
  }
  return IsImport(request) ? RunImport(request, caller, write) : RunShared(request, caller, write);
}

Status Service::RunShared(const Request& request, const Caller& caller, const Write& write) {
  std::shared_lock shared(open_, std::defer_lock);
  std::unique_lock one_writer(write_mutex_, std::defer_lock);
  // The turn comes first: who waits for it must not hold up an import.
  if (Writes(request.operation().AccessFor(request))) PLEXUS_TRY(Take(one_writer, request, caller));
  PLEXUS_TRY(Take(shared, request, caller));
  return RunNow(request, caller, write);
}

Status Service::RunImport(const Request& request, const Caller& caller, const Write& write) {
  std::unique_lock one_writer(write_mutex_, std::defer_lock);
  std::unique_lock alone(open_, std::defer_lock);
  PLEXUS_TRY(Take(one_writer, request, caller));
  PLEXUS_TRY(Take(alone, request, caller));
  return RunNow(request, caller, write);
}

Status Service::RunNow(const Request& request, const Caller& caller, const Write& write) {
  PLEXUS_ASSIGN(const std::int64_t clock, ClockOf(request));
  if (closed_) return std::unexpected(Closed());
  PLEXUS_ASSIGN(std::unique_ptr<Workspace> workspace, Borrow(caller));
  workspace->SetClock(clock);
  workspace->SetCaller(caller.progress, caller.cancel);
  const Sequence before = database_->graph().snapshot().sequence();
  Status done;
  {
    const ClockOfRequest here(clock);
    Result<Reply> reply = Answer(*workspace, request);
    done = reply ? write(*reply, *workspace) : std::unexpected(reply.error());
  }
  GiveBack(std::move(workspace));
  const bool writes = Writes(request.operation().AccessFor(request));
  if (writes && database_->graph().snapshot().sequence() != before) {
    if (without_terms_ && caller.keeps_terms) MakeTerms();
    NoteSequence();
  }
  return done;
}

// A graph that begins here is searched by words from its first text on. REQUIRES open_.
void Service::MakeTerms() {
  WorkspaceOptions options;
  options.access = Access::kWrite;
  options.clock_ms = ClockMs();
  options.one_request = false;
  const Result<std::unique_ptr<Workspace>> workspace = Workspace::Over(*database_, options);
  if (!workspace) return;
  const Sequence before = database_->graph().snapshot().sequence();
  const Result<Reply> made = Answer(**workspace, Request(*FindOperation("terms")));
  if (!made || database_->graph().snapshot().sequence() != before) without_terms_ = false;
}

Result<Answered> Service::Ask(Request request, const Caller& caller, std::ostream* out) {
  Answered answered;
  const bool limited = request.Given("max_bytes");
  PLEXUS_TRY(Run(std::move(request), caller, [&](Reply& reply, Workspace& workspace) -> Status {
    answered.failure = reply.failure;
    if (reply.stream && (out || !reply.members)) {
      if (!out)
        return Fail(ErrorCode::kInvalidArgument,
                    "this reply has a format of its own, which this door does not take");
      answered.streamed = true;
      LineLimit file(*out, limited ? reply.limit.bytes : 0, false);
      PLEXUS_TRY(reply.stream(file));
      if (!file.cut()) return {};
      return Fail(ErrorCode::kResourceExhausted, "max_bytes: what was written is not all there is");
    }
    std::ostringstream text;
    JsonWriter json(text);
    std::vector<std::string> warnings = workspace.warnings();
    // Such as what a dry run there cannot know.
    if (!workspace.options().wall.empty())
      for (const Note& note : workspace.notes())
        if (note.level != Note::kForPeople) warnings.push_back(note.text);
    WriteReply(reply, warnings, json);
    answered.json = std::move(text).str();
    answered.truncated = reply.truncated;
    return {};
  }));
  return answered;
}

Result<Snapshot> Service::snapshot() {
  const std::shared_lock shared(open_);
  if (closed_) return std::unexpected(Closed());
  return database_->snapshot();
}

// REQUIRES open_. Batches of several threads end in any order.
void Service::NoteSequence() {
  sequence_.store(database_->graph().snapshot().sequence());
  WakeWaiting();
}

Result<Changes> Service::ChangesSince(Sequence since, const ChangesOptions& options) {
  const std::shared_lock shared(open_);
  if (closed_) return std::unexpected(Closed());
  return database_->ChangesSince(since, options);
}

Result<StorageStats> Service::stats() {
  const std::shared_lock shared(open_);
  if (closed_) return std::unexpected(Closed());
  return database_->stats();
}

Sequence Service::AwaitChange(Sequence seen, int milliseconds, const std::function<bool()>& stop) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  std::unique_lock lock(change_mutex_);
  Sequence now = seen;
  changed_.wait_until(lock, until, [&] { return stop() || (now = sequence()) != seen; });
  return now;
}

void Service::WakeWaiting() {
  { const std::lock_guard lock(change_mutex_); }
  changed_.notify_all();
}

Status Service::Close() {
  const std::unique_lock alone(open_);
  if (closed_) return {};
  closed_ = true;
  {
    const std::lock_guard lock(idle_mutex_);
    idle_.clear();
  }
  const Status closed = database_ ? database_->Close() : Status();
  WakeWaiting();
  return closed;
}

}  // namespace plexus::tools::server
