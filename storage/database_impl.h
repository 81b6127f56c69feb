// The inside of a Database, shared by the files that implement its members.
//
// The order of locks, each taken before those after it: that of process_end.cc, `closing`, `backup`
// or `past_load`, `maintenance`, the turn of the graph's writers (a view's ReadAnew takes it last),
// `erase_mutex`, `renewal`, `node_records_mutex`, `past_mutex`, `purge_mutex`. `noted_mutex` and
// `keeper_mutex` are held together with none after them. Who writes to the graph holds its mutexes
// and the journal's, and takes only `past_mutex`, `purge_mutex`, `keeper_mutex` and, in bulk mode,
// the store's then; of `maintenance` it asks whether it is free. clang checks the part of the order
// that this class has.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "engine/arrays/owner.h"
#include "engine/monitoring/monitoring.h"
#include "engine/mutex.h"
#include "storage/base/erase_mutex.h"
#include "storage/base/lock_file.h"
#include "storage/database.h"
#include "storage/encoding/anchor.h"
#include "storage/log/node_records.h"
#include "storage/log/payload_store.h"
#include "storage/log/rocks_journal.h"
#include "storage/state_loader.h"
#include "storage/view/pinned_files.h"

namespace plexus {

class Database::Impl {
 public:
  std::string directory;
  OpenOptions options;
  OpenReport report;
  Owner owner;
  std::shared_ptr<storage_internal::Files> files;
  storage_internal::LockFile lock;  // held until everything below is gone
  std::shared_ptr<storage_internal::Rocks> rocks;
  std::shared_ptr<storage_internal::RocksPayloadStore> store;
  std::shared_ptr<storage_internal::RocksJournal> journal;  // null when read-only
  std::unique_ptr<Graph> graph;
  std::atomic<bool> closed{false};
  // Who comes second returns when it is closed.
  BasicMutex<std::recursive_mutex> closing PLEXUS_ACQUIRED_BEFORE(maintenance);

  // One backup at a time.
  Mutex backup PLEXUS_ACQUIRED_BEFORE(maintenance);
  Mutex past_load PLEXUS_ACQUIRED_BEFORE(erase_mutex);  // one AsOf, which does not maintain
  // Serialises what rewrites files: checkpoint, trim, scrub, close; of a backup and a verification
  // only the beginning.
  Mutex maintenance PLEXUS_ACQUIRED_BEFORE(erase_mutex);
  // Held shared the floor does not move.
  storage_internal::EraseMutex erase_mutex PLEXUS_ACQUIRED_BEFORE(renewal, node_records_mutex);
  std::atomic<int> verifications{0};  // that go on: to wait for who reads would be in vain
  // Taken beside `maintenance` to renew or close `rocks`, `journal`, `store` and `report`, so that
  // reading them needs either. The analysis knows no "either": it does not check these four.
  mutable SharedMutex renewal PLEXUS_ACQUIRED_BEFORE(past_mutex, purge_mutex, noted_mutex);
  // Of the anchor, for threads that do not hold `maintenance`; moved on by NoteAnchor.
  mutable Mutex noted_mutex;
  struct Noted {
    storage_internal::GraphId graph_id;
    std::uint64_t checkpoint_id = 0;
    storage_internal::LogPoint floor;
    std::uint64_t generation = 0;
    std::string source = {};
    std::vector<storage_internal::AnchorMark> marks = {};
  };
  Noted noted PLEXUS_GUARDED_BY(noted_mutex);
  std::atomic<std::uint64_t> shown_generation{0};  // the graph's state is of it, or of a later one
  storage_internal::Anchor anchor PLEXUS_GUARDED_BY(maintenance);
  std::uint64_t checkpoint_bytes PLEXUS_GUARDED_BY(maintenance) = 0;  // of the newest one
  // Read-only: the files as they were at the view's moment.
  std::shared_ptr<const storage_internal::PinnedFiles> pinned;
  // Read-only: all that the newest log of `pinned` holds is in the view.
  bool at_log_end PLEXUS_GUARDED_BY(maintenance) = false;
  // Read-only: of the last record that the view has.
  storage_internal::LogPoint point PLEXUS_GUARDED_BY(maintenance);
  // Read-only: records of the view that `rocks` was opened before (follow.cc), as they are stored,
  // the first of them follows `news_after`.
  std::vector<std::string> news PLEXUS_GUARDED_BY(renewal);
  storage_internal::LogPoint news_after PLEXUS_GUARDED_BY(renewal);
  std::uint64_t news_bytes PLEXUS_GUARDED_BY(renewal) = 0;  // with their payloads

  Mutex purge_mutex;
  // Last purge of those purged after the floor, and others.
  std::map<NodeId, Sequence> purged PLEXUS_GUARDED_BY(purge_mutex);
  // Bytes are still to be erased.
  std::map<NodeId, Sequence> to_scrub PLEXUS_GUARDED_BY(purge_mutex);
  // Terms or tags that only purged nodes had; those, as of a record.
  bool words_wait PLEXUS_GUARDED_BY(maintenance) = false;
  std::set<NodeId> words_found PLEXUS_GUARDED_BY(maintenance);
  static constexpr Sequence kNever = ~Sequence{0};
  Sequence words_found_at PLEXUS_GUARDED_BY(maintenance) = kNever;
  // Of a replica: the graph lacks them, the log has them still.
  struct ToForget {
    std::set<NodeId> nodes = {};
    std::vector<bool> strings = {};  // by id; empty: none
    bool empty() const { return nodes.empty() && strings.empty(); }
    void AddString(StringId id) {
      if (id >= strings.size()) strings.resize(std::size_t{id} + 1);
      strings[id] = true;
    }
  };
  ToForget to_forget PLEXUS_GUARDED_BY(maintenance);

  // The last few states of the past, newest use first.
  Mutex past_mutex PLEXUS_ACQUIRED_BEFORE(purge_mutex);
  std::list<Snapshot> past PLEXUS_GUARDED_BY(past_mutex);
  std::vector<DamagedCheckpoint> past_damage PLEXUS_GUARDED_BY(past_mutex);  // found by AsOf
  // True: older ones were dropped.
  bool KeepPast(const Snapshot& state) PLEXUS_REQUIRES(past_mutex);

  Mutex node_records_mutex;
  storage_internal::NodeRecords node_records PLEXUS_GUARDED_BY(node_records_mutex);

  // Writes checkpoints when one is due, with Maintenance::kBackground.
  std::thread keeper;
  Mutex keeper_mutex;
  std::condition_variable keeper_wake;
  bool keeper_stop PLEXUS_GUARDED_BY(keeper_mutex) = false;
  bool checkpoint_due PLEXUS_GUARDED_BY(keeper_mutex) = false;
  bool anchor_due PLEXUS_GUARDED_BY(keeper_mutex) = false;
  std::uint64_t keeper_failures PLEXUS_GUARDED_BY(keeper_mutex) = 0;
  std::string keeper_error PLEXUS_GUARDED_BY(keeper_mutex);

  // Log bytes at the last look of the anchor; one appending thread touches it.
  std::uint64_t anchored_bytes = 0;

  ~Impl();

  Executor& executor() const {
    return options.graph.executor ? *options.graph.executor : DefaultExecutor();
  }
  std::string generation_path() const PLEXUS_REQUIRES(maintenance) {
    return storage_internal::GenerationPath(directory, anchor.generation);
  }
  std::string scratch_path(const char* name) const { return directory + "/" + name + ".tmp"; }
  storage_internal::LogPoint floor() const PLEXUS_REQUIRES(maintenance) {
    return storage_internal::FloorOf(anchor);
  }
  void NoteAnchor() PLEXUS_REQUIRES(maintenance);
  Noted NotedAnchor() const;
  storage_internal::LoadRequest Request() const;  // without a target, as of NotedAnchor
  std::map<NodeId, Sequence> Purged() PLEXUS_EXCLUDES(purge_mutex);
  // Those at or before the floor: they mask no state that can be asked for any more.
  void ForgetPurges(Sequence floor);
  // The same in the files, before anything is appended.
  Status ErasePurges() PLEXUS_REQUIRES(maintenance);

  // open.cc
  // Read-only and for Verify: the snapshot has the sequence of the log's end, and nothing in it.
  static Result<std::unique_ptr<Database>> OpenWithoutGraph(const std::string& directory,
                                                            Executor& executor);
  bool without_graph = false;
  Status OpenForWriting() PLEXUS_REQUIRES(maintenance);
  Status OpenForReading() PLEXUS_REQUIRES(maintenance);
  // Opens the closed files read-only, compares them with the anchor and loads the state. Reads
  // `through` other Files when another process may be writing.
  Result<storage_internal::Loaded> OpenReadOnlyAndLoad(
      bool live_writer, std::shared_ptr<storage_internal::Files> through = nullptr)
      PLEXUS_REQUIRES(maintenance);
  Result<storage_internal::Loaded> LoadWithoutLook(
      const storage_internal::ClosedCheckpoint& from,
      const std::shared_ptr<storage_internal::Files>& through) PLEXUS_REQUIRES(maintenance);
  void NoteLoaded(const storage_internal::Loaded& loaded) PLEXUS_REQUIRES(maintenance);
  Status PutBack(storage_internal::Anchor before) PLEXUS_REQUIRES(maintenance);
  void StartGraph(const storage_internal::Loaded& loaded, std::shared_ptr<Journal> journal)
      PLEXUS_REQUIRES(maintenance);
  // follow.cc
  Result<bool> Follow() PLEXUS_REQUIRES(maintenance);
  std::optional<bool> FollowLog(const std::shared_ptr<const storage_internal::PinnedFiles>& grown)
      PLEXUS_REQUIRES(maintenance);
  Status ReadAnew() PLEXUS_REQUIRES(maintenance);
  // For who reads log or checkpoints at length, also where other files take the place of these
  // meanwhile. A view's are opened at the view's moment first when they lack some of its records.
  struct Reading {
    std::shared_ptr<storage_internal::Rocks> rocks;
    storage_internal::LoadRequest request;  // without a target
    Snapshot now;                           // they have all of its records
  };
  Result<Reading> WholeLog() PLEXUS_EXCLUDES(renewal);
  // Whether the past of that number can be had (as_of.cc).
  Status CheckReached(const Reading& reading, Sequence sequence) const;
  Result<bool> Continues(const std::shared_ptr<storage_internal::Rocks>& now,
                         const storage_internal::Anchor& next) const PLEXUS_REQUIRES(maintenance);
  Status CreateIfAsked() PLEXUS_REQUIRES(maintenance);
  // replica.cc. Notes where files that came from a source are there; REQUIRES the journal.
  Status BeginReplica() PLEXUS_REQUIRES(maintenance);
  Status WriteOrigin(const storage_internal::Origin& origin);
  Result<std::optional<storage_internal::Origin>> ReadOrigin();
  // Readers see none of these from here on; of the first also after a crash, by one fsync.
  Status ShowWithout(const ToForget& more) PLEXUS_REQUIRES(maintenance);
  Status Hide(const ToForget& what) PLEXUS_REQUIRES(maintenance);
  // The log without `to_forget`; what a crash has left of it.
  Status RewriteForgotten(Progress* progress) PLEXUS_REQUIRES(maintenance);
  Status FinishForgetting() PLEXUS_REQUIRES(maintenance);
  Status AttachWriter(const storage_internal::Loaded& loaded) PLEXUS_REQUIRES(maintenance);

  // database.cc
  Status CheckpointNow(Progress* progress, bool even_if_same = false) PLEXUS_REQUIRES(maintenance);
  Status DropOldCheckpoints() PLEXUS_REQUIRES(maintenance, erase_mutex);
  // After damage was bypassed: a new checkpoint, and then the damaged ones are dropped.
  Status ReplaceDamaged() PLEXUS_REQUIRES(maintenance);
  std::uint64_t NextCheckpointId() const PLEXUS_REQUIRES(maintenance);
  // Drops what checkpoints and trims left behind that did not come to their end, before the anchor
  // names `fresh`, a larger id.
  Status DropUnfinished(std::uint64_t fresh) PLEXUS_REQUIRES(maintenance);
  Result<std::uint64_t> HashAt(Sequence sequence) PLEXUS_REQUIRES(maintenance);
  Status CloseNow() PLEXUS_EXCLUDES(maintenance);
  Status CloseWriter() PLEXUS_REQUIRES(maintenance);
  Status CloseFiles();  // of a view, or of what was not opened wholly
  // Whether Close is to write a checkpoint.
  bool CheckpointEarned() const PLEXUS_REQUIRES(maintenance);
  // Whether this is a child's copy of a database that the parent opened for writing.
  bool Copied() const { return !options.read_only && !owner.Here(); }
  Status Usable() const;    // open, and this process's own
  Status Writable() const;  // and not read-only

  // keeper.cc. After each append: lets the anchor's lower bound move on before RocksDB flushes log
  // records out of the write-ahead log, and a checkpoint be written when one is due.
  void OnAppended(std::uint64_t tail_bytes);
  void WakeKeeper(bool Impl::* due) PLEXUS_EXCLUDES(keeper_mutex);
  void MoveAnchor() PLEXUS_REQUIRES(maintenance);
  void MoveAnchorInBackground() noexcept;
  void CheckpointLoop();
  Status CheckpointInBackground(bool& early);
  void LogFailure(const Error& error) noexcept;
  void StopKeeper();

  // scrub.cc
  Status ScrubNow(Progress* progress) PLEXUS_REQUIRES(maintenance);
  // Writes the log again without the terms and tags that only purged nodes had, when ScrubNow
  // has seen any.
  Status ForgetWords(Progress* progress) PLEXUS_REQUIRES(maintenance);
  Result<std::set<NodeId>> FindPurgedWords() PLEXUS_REQUIRES(maintenance);
  Status DropScrubMarks();
  Result<bool> IsReplica() PLEXUS_REQUIRES(maintenance);  // its last record came from another graph
  // hard_purge.cc. A new generation without `nodes`, what refers to them and the words that only
  // purged nodes had; or without `to_forget` only, alive or not, as the source of a replica has
  // done. Writers of the graph wait meanwhile.
  enum class Rewrite { kWithWhatRefers, kToForget };
  Status RewriteWithout(const std::set<NodeId>& nodes, Progress* progress,
                        Rewrite rewrite = Rewrite::kWithWhatRefers) PLEXUS_REQUIRES(maintenance);
  Result<std::optional<Graph::Renewal>> MakeGeneration(const std::set<NodeId>& nodes,
                                                       Rewrite rewrite, Progress* progress,
                                                       bool& switched) PLEXUS_REQUIRES(maintenance);
  void GiveUp() PLEXUS_REQUIRES(erase_mutex, renewal);
};

namespace storage_internal {

// backup.cc. The directory of a copy that is to be made: kAlreadyExists where something is in it.
Status MustBeNew(const std::string& directory, const Files& files);
// After an error nothing of `directory` is left but itself, if it was there before.
Status OrNothing(const std::string& directory, bool was_there, Status status);

// Fills in the payloads of the record's vectors; those that were purged are removed. Adds to
// `bytes`.
Status FetchVectors(const PayloadStore& store, Record& record, std::uint64_t& bytes);

// --- The end of the process: databases that are open then are closed before RocksDB's own objects
// of static storage, which closing needs, are gone. So a Database may be an object of static
// storage.

// From now until it is left out, `database` is closed when the process ends by exit() or by
// returning from main. The handler is registered now, once more, when RocksDB is used in a new
// way: it is to run before what that made static ends. In a child of fork exit() closes what
// the child opened and then ends at once, without the destructors of older static objects:
// RocksDB's would wait for threads that only the parent has. Thread-safe.
void CloseAtProcessEnd(Database::Impl* database);
void LeaveOut(Database::Impl* database);  // waits while the handler closes it
void RegisterProcessEnd();

// kFailedPrecondition in a child of a process that has opened a database: RocksDB writes with
// threads that are not there.
Status MayWriteHere(const std::string& directory);

inline std::uint64_t MsSince(std::chrono::steady_clock::time_point start) {
  const auto took = std::chrono::steady_clock::now() - start;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
}

// Logs that maintenance began, and that it ended or failed and after how long. Made before the
// locks of the work are taken, so that it ends after them.
class LogScope {
 public:
  // `what` is text of the program's own.
  LogScope(const LogCallback& log, std::string_view what) : log_(log), what_(what) {
    if (log_) LogEvent(LogLevel::kInfo, ".began", {});
  }
  ~LogScope() {
    if (!log_) return;
    LogEvent(done_ ? LogLevel::kInfo : LogLevel::kError, done_ ? ".ended" : ".failed",
             {{"ms", MsSince(began_)}});
  }
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

  // Before the work's last result is returned.
  template <class Outcome>
  Outcome Done(Outcome outcome) {
    done_ = outcome.has_value();
    return outcome;
  }

 private:
  void LogEvent(LogLevel level, std::string_view end,
                std::initializer_list<LogField> fields) noexcept {
    try {
      Log(log_, level, std::string(what_) += end, what_, fields);
    } catch (...) {  // no memory
    }
  }

  const LogCallback log_;  // a copy: the work may renew the database's parts
  const std::string_view what_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool done_ = false;
};

}  // namespace storage_internal

}  // namespace plexus
