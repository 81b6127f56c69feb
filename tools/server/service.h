// Service: one graph directory, open for writing, or a graph in RAM, that answers requests of many
// threads.
//
// Every request runs on a workspace of its own over the one database, so reads run at the
// same time as others and as a write. An import may write in bulk, and runs while nothing else
// does. What replaces the files of the directory (restore, repair) is refused. A caller has rights
// and a wall of scopes, which no request can widen. Waiting for a turn ends with the time of the
// request, as kLocked. After a write that failed, such as on a full disk, the graph is opened again
// before the next one; reads go on meanwhile. Only the same graph in the same directory is, with
// all that was durable in it; none is created. Until that can be, writes are kResourceExhausted.
//
// A replica (`follows`) is written by who follows its source only; requests that write are refused.
//
// Thread-safety: all members may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "storage/database.h"
#include "storage/replica.h"
#include "tools/operations/framework/workspace.h"
#include "tools/server/http/rate_limit.h"

namespace plexus::tools::server {

// How far a replica is behind its source, for whoever asks. Thread-safe.
class FollowStatus {
 public:
  using Clock = std::chrono::steady_clock;
  struct Lag {
    std::string state;  // "following", or why it is not
    bool connected = false;
    Sequence source_sequence = 0;  // as last heard
    std::uint64_t sequences = 0;   // of it that are not here
    // Since the replica last had all that the source had said; 0 while it has.
    double seconds = 0;
    std::uint64_t copies = 0;  // of all files that were taken
  };

  explicit FollowStatus(std::string source) : source_(std::move(source)) {}
  const std::string& source() const { return source_; }

  // The source ends at `last`, and the replica has all up to `here`.
  void Update(Sequence last, Sequence here) {
    const std::lock_guard lock(mutex_);
    source_sequence_ = last;
    connected_ = true;
    state_ = "following";
    if (here >= last) level_ = Clock::now();
  }
  // Whether that is another state than the last.
  bool Lost(std::string why) {
    const std::lock_guard lock(mutex_);
    connected_ = false;
    return std::exchange(state_, why) != why;
  }
  void Copied() {
    const std::lock_guard lock(mutex_);
    ++copies_;
  }
  Lag Now(Sequence here) const {
    const std::lock_guard lock(mutex_);
    Lag lag{state_, connected_, source_sequence_};
    lag.copies = copies_;
    if (source_sequence_ > here) lag.sequences = source_sequence_ - here;
    if (lag.sequences > 0 || !connected_)
      lag.seconds = std::chrono::duration<double>(Clock::now() - level_).count();
    return lag;
  }

 private:
  const std::string source_;
  mutable std::mutex mutex_;
  std::string state_ = "starting";
  bool connected_ = false;
  Sequence source_sequence_ = 0;
  std::uint64_t copies_ = 0;
  Clock::time_point level_ = Clock::now();
};

struct ServiceOptions {
  std::string directory;
  bool in_memory = false;  // a graph without a directory and without history; gone at the end
  bool create = true;
  bool read_only = false;  // works next to another process that writes; see Refresh
  bool strict = false;     // refuse a graph that lost its tail in a crash
  std::int64_t lock_wait_ms = 0;
  double max_seconds =
      60;  // of a request that says nothing, and the most of one that does; 0: none
  std::uint64_t max_bytes = std::uint64_t{16} << 20;  // the same, of a reply
  LogCallback on_log = {};                            // engine/monitoring/monitoring.h
  std::shared_ptr<FollowStatus> follows = {};         // of a replica; null: it is none
  // Copies behind walls that are kept for the next request, the longest unused dropped first; bytes
  // without texts (monitoring/monitoring.h).
  std::size_t max_idle = 32, max_idle_of_wall = 4;
  std::uint64_t max_idle_bytes = std::uint64_t{256} << 20;
};

// Who asks, and what it may.
struct Caller {
  bool may_read = true, may_write = true, may_destroy = true;
  std::vector<std::string> wall = {};    // scopes; empty: everything
  std::vector<std::string> graphs = {};  // names below a root; empty: all
  bool paths = false;                    // whether parameters may be paths of this machine
  bool keeps_terms = false;              // what it writes first is to be found by words
  bool own_time = false;                 // max_seconds of the service do not hold
  int input = -1;                        // what "-" means
  Progress* progress = nullptr;
  const std::atomic<bool>* cancel = nullptr;
  std::shared_ptr<RateLimit> rate = {};  // of HTTP; null: none
};

// kFailedPrecondition: the caller may not run this operation.
Status CheckRights(const Operation& operation, const Caller& caller);

struct Answered {
  std::string json;              // the reply; empty where it has a format of its own
  std::optional<Error> failure;  // with the reply: nothing found, damage, a cycle
  bool truncated = false;
};

inline constexpr int kSequenceWaitMs = 2000;  // that a request waits for a record, at most

inline constexpr const char* kNoMemory = "there is no memory for this request now: try again";
// {"error":{"code":..,"message":..}}: what every door says of a failure.
std::string ErrorJson(const Error& error);

class Service {
 public:
  // Errors: Database's; kLocked names who holds the directory.
  static Result<std::unique_ptr<Service>> Open(const ServiceOptions& options);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // The reply as the bytes of every door. `out` takes what has a format of its own, such as
  // an export; without it that is refused.
  Result<Answered> Ask(Request request, const Caller& caller, std::ostream* out = nullptr);
  // The same, where the caller writes the reply: `write` runs while the graph is open.
  using Write = std::function<Status(Reply&, Workspace&)>;
  Status Run(Request request, const Caller& caller, const Write& write);
  // And where it writes failures of the operation, too, which have warnings.
  using WriteAny = std::function<Status(Result<Reply>, Workspace&)>;
  Status RunAny(Request request, const Caller& caller, const WriteAny& write);
  // What is no operation: `work` runs on a workspace that has not looked yet, in turn where it
  // writes. `whole` is the graph without the caller's wall.
  using Work = std::function<Status(Workspace&, const Graph& whole)>;
  Status Use(bool writes, const Caller& caller, const Work& work);

  // Calls `write` in the turn of a request that writes; `exclusive`: while nothing else runs, as
  // bulk mode needs it. Without a directory the database is null.
  Status Change(const Caller& caller, bool exclusive,
                const std::function<Status(Graph&, Database*)>& write);
  // read_only: brings the graph up to what its writer has made durable.
  Status Refresh();

  const std::string& directory() const { return options_.directory; }
  double max_seconds() const { return options_.max_seconds; }
  Result<Snapshot> snapshot();
  Sequence sequence() const { return sequence_.load(); }
  // How often the graph was opened: what was read before the last time may never have been durable.
  std::uint64_t openings() const { return openings_.load(); }
  Result<Changes> ChangesSince(Sequence since, const ChangesOptions& options);
  Result<StorageStats> stats();
  // Of a source and its replica (storage/replica.h).
  Result<replica::GraphLineage> ReadLineage();
  Result<replica::ForgottenIds> Forgotten();
  Status SendFiles(const std::function<Status(std::string_view)>& send);
  Status Follow(const Changes& changes);
  Status Forget(const replica::ForgottenIds& forgotten);
  // The received files take the place of those in force while nothing else runs; 0: opens those in
  // force again.
  Status SwapFiles(std::uint64_t generation);
  // Whether a write of it has failed, so that it is to be opened again.
  bool BrokenReplica();
  // Null: it is no replica.
  const std::shared_ptr<FollowStatus>& follows() const { return options_.follows; }
  // Copies behind walls: those that wait for a request, and those ever made.
  struct Copies {
    std::size_t idle;
    std::uint64_t made;
  };
  Copies copies() const;
  // What opening found, for a log.
  const std::string& opening() const { return opening_; }

  // Waits until the graph has another sequence than `seen`, at most so long. Returns the sequence.
  Sequence AwaitChange(Sequence seen, int milliseconds, const std::function<bool()>& stop);
  void WakeWaiting();
  // Waits until the graph has record `least`. kLocked, which names the record that it has: not
  // within `milliseconds`, or too many requests wait.
  Status AwaitSequence(Sequence least, int milliseconds, const std::function<bool()>& stop);

  // Waits for what is under way and closes the directory. Later requests are
  // kFailedPrecondition. Reports errors of this call only.
  Status Close();

 private:
  explicit Service(ServiceOptions options) : options_(std::move(options)) {}
  Result<std::unique_ptr<Database>> OpenDatabase(bool read_only, bool create) const;
  // With the turn: opens the graph again where a write has failed. kResourceExhausted: not yet.
  Status MakeWritable(std::optional<double> max_seconds, const Caller& caller);
  // REQUIRES the turn and all of open_. After an error it is read-only.
  Status OpenAgain();
  // Whether the directory is still the one that was opened.
  Status CheckIdentity() const;
  // REQUIRES open_. Where the graph is read-only until it can be opened again, another may write.
  Status FollowOther();
  // REQUIRES open_. A hard purge renews the graph of a database.
  Graph& graph() { return database_ ? database_->graph() : *in_memory_; }
  // kFailedPrecondition: there is no history. REQUIRES open_.
  Result<Database*> History();
  Result<std::unique_ptr<Workspace>> WorkspaceOf(const Caller& caller);
  void NoteSequence();
  std::string LagSentence() const;
  Status RefuseToWrite() const;  // of a replica
  void MakeTerms();
  // With open_ held, and for what writes the turn; `exclusive`: while nothing else runs.
  Status InTurn(bool writes, bool exclusive, std::optional<double> max_seconds,
                const Caller& caller, const std::function<Status()>& run);
  // REQUIRES open_, and for what writes the turn.
  Status RunNow(bool writes, std::int64_t clock_ms, const Caller& caller,
                const std::function<Status(Workspace&)>& run);
  Result<std::unique_ptr<Workspace>> Borrow(const Caller& caller);
  void GiveBack(std::unique_ptr<Workspace> workspace);
  void DropIdle();

  ServiceOptions options_;
  std::string opening_;
  std::shared_timed_mutex open_;  // shared by requests; held by what runs while nothing else does
  std::unique_ptr<Database> database_;
  std::unique_ptr<Graph> in_memory_;  // without a database
  bool closed_ = false;
  std::chrono::steady_clock::time_point next_opening_ = {};  // behind the turn
  replica::GraphIdentity identity_;
  Sequence durable_ = 0;  // behind the turn: what an opening after the first must have
  std::atomic<std::uint64_t> openings_ = 1;
  std::atomic<Sequence> sequence_ = 0;
  std::atomic<bool> without_terms_ = false;  // the graph began here, and has no words yet
  mutable std::mutex idle_mutex_;
  // Those behind a wall keep a copy of what they see; the one used last comes last.
  struct Idle {
    std::unique_ptr<Workspace> workspace;
    std::uint64_t bytes;
  };
  std::list<Idle> idle_;
  std::uint64_t copies_made_ = 0;
  // Operations expect what they have read: two that write at a time would be a conflict.
  std::timed_mutex write_mutex_;
  std::atomic<int> waiting_ = 0;  // in AwaitSequence
  std::mutex change_mutex_;
  std::condition_variable changed_;
};

}  // namespace plexus::tools::server
