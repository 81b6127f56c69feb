// Service: one graph directory, open for writing, that answers requests of many threads.
//
// Every request runs on a workspace of its own over the one database, so reads run at the
// same time as others and as a write. An import may write in bulk, and runs while nothing else
// does. What replaces the files of the directory (restore, repair) is refused. A caller has rights
// and a wall of scopes, which no request can widen. Waiting for a turn ends with the time of the
// request, as kLocked.
//
// Thread-safety: all members may be called from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/monitoring/progress.h"
#include "storage/database.h"
#include "tools/operations/workspace.h"

namespace plexus::tools::server {

struct ServiceOptions {
  std::string directory;
  bool create = true;
  std::int64_t lock_wait_ms = 0;
  double max_seconds =
      60;  // of a request that says nothing, and the most of one that does; 0: none
  std::uint64_t max_bytes = std::uint64_t{16} << 20;  // the same, of a reply
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
};

// kFailedPrecondition: the caller may not run this operation.
Status CheckRights(const Operation& operation, const Caller& caller);

struct Answered {
  std::string json;              // the reply; empty where `streamed`
  bool streamed = false;         // what the operation wrote is a format of its own
  std::optional<Error> failure;  // with the reply: nothing found, damage, a cycle
  bool truncated = false;
};

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

  const std::string& directory() const { return options_.directory; }
  Result<Snapshot> snapshot();
  Sequence sequence() const { return sequence_.load(); }
  Result<Changes> ChangesSince(Sequence since, const ChangesOptions& options);
  Result<StorageStats> stats();
  // What opening found, for a log.
  const std::string& opening() const { return opening_; }

  // Waits until the graph has another sequence than `seen`, at most so long. Returns the sequence.
  Sequence AwaitChange(Sequence seen, int milliseconds, const std::function<bool()>& stop);
  void WakeWaiting();

  // Waits for what is under way and closes the directory. Later requests are
  // kFailedPrecondition. Reports errors of this call only.
  Status Close();

 private:
  explicit Service(ServiceOptions options) : options_(std::move(options)) {}
  Status OpenDatabase();
  void NoteSequence();
  void MakeTerms();
  Status RunShared(const Request& request, const Caller& caller, const Write& write);
  Status RunImport(const Request& request, const Caller& caller, const Write& write);
  // REQUIRES open_, and for what writes the turn.
  Status RunNow(const Request& request, const Caller& caller, const Write& write);
  Result<std::unique_ptr<Workspace>> Borrow(const Caller& caller);
  void GiveBack(std::unique_ptr<Workspace> workspace);

  ServiceOptions options_;
  std::string opening_;
  std::shared_timed_mutex open_;  // shared by requests; held by what runs while nothing else does
  std::unique_ptr<Database> database_;
  bool closed_ = false;
  std::atomic<Sequence> sequence_ = 0;
  std::atomic<bool> without_terms_ = false;  // the graph began here, and has no words yet
  std::mutex idle_mutex_;
  // By wall: those behind one keep a copy of what they see.
  std::map<std::vector<std::string>, std::vector<std::unique_ptr<Workspace>>> idle_;
  // Operations expect what they have read: two that write at a time would be a conflict.
  std::timed_mutex write_mutex_;
  std::mutex change_mutex_;
  std::condition_variable changed_;
};

}  // namespace plexus::tools::server
