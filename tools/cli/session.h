// Session: one opened graph and what the global options say about it.
//
// Reading opens read-only, so it needs no write access and works beside a live
// writer; the snapshot is the one that --as-of asks for. Writing takes the lock,
// lets Ctrl-C ask instead of end (signals.h), and must be closed by Close() so
// that errors are heard. The library never reads a clock: now_ms() comes from here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "algorithms/common/node_subset.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "storage/database.h"
#include "tools/cli/cli.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/signals.h"

namespace plexus::tools {

enum class Access {
  kRead,
  kWrite,   // the graph must exist
  kCreate,  // made when it does not
};

class Session {
 public:
  // Errors: kInvalidArgument for --db missing, a --now or --as-of that cannot be
  // read, or --as-of with writing; Database's own.
  static Result<std::unique_ptr<Session>> Open(const Globals& globals, Access access);

  storage::Database& database() { return *database_; }
  Graph& graph() { return database_->graph(); }
  // Reading: at --as-of. Writing: as it was at Open.
  const Snapshot& snapshot() const { return snapshot_; }
  const Schema& schema() const { return snapshot_.schema(); }
  const Globals& globals() const { return globals_; }
  // --now; without it the time of --as-of (a sequence's is that of its batch), or the clock.
  std::int64_t now_ms() const { return now_ms_; }
  // --valid-at: a time, or "now"; "" is kNoTime, valid times are not looked at.
  Result<std::int64_t> ValidAt(std::string_view given) const;
  Executor& executor() { return *executor_; }
  Progress* progress() { return progress_.get(); }
  // The facts that --scope and --where select; null = all nodes.
  const NodeSubset* scope() const { return scope_ ? &*scope_ : nullptr; }

  // Wipes the progress bar, before results are printed.
  void EndProgress() { progress_ = std::make_unique<ProgressBar>(false); }
  Status Close();
  // Close for work that failed: a graph that this session made, and that is still empty, is
  // taken back, directory and all.
  Status Abandon();
  ~Session();

 private:
  Session() = default;
  Status Begin(const Globals& globals, Access access);

  Globals globals_;
  std::int64_t now_ms_ = 0;
  std::unique_ptr<Executor> own_executor_;  // outlives the database
  Executor* executor_ = nullptr;
  std::unique_ptr<storage::Database> database_;
  std::unique_ptr<ProgressBar> progress_;
  std::optional<SignalGuard> guard_;
  Snapshot snapshot_;
  std::optional<NodeSubset> scope_;
  bool made_directory_ = false;
  bool open_for_writing_ = false;
};

// What an option's time looks like, on stderr, when it is most likely seconds.
void WarnOfSeconds(std::string_view option, std::int64_t time_ms);
// --now, or the wall clock.
Result<std::int64_t> NowMs(const Globals& globals);
// --as-of and times of --before: the sequence that a moment means in this graph.
Result<Sequence> SequenceAt(storage::Database& database, std::string_view moment);

}  // namespace plexus::tools
