// The inside of a Database, shared by the files that implement its members.
#pragma once

#include <atomic>
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>

#include "engine/arrays/owner.h"
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
  storage_internal::LogPoint point;  // read-only: of the last record that the view has
  Owner owner;
  std::shared_ptr<storage_internal::Files> files;
  storage_internal::LockFile lock;  // held until everything below is gone
  std::shared_ptr<storage_internal::Rocks> rocks;
  std::shared_ptr<storage_internal::RocksPayloadStore> store;
  std::shared_ptr<storage_internal::RocksJournal> journal;  // null when read-only
  std::unique_ptr<Graph> graph;
  std::atomic<bool> closed{false};
  std::recursive_mutex closing;  // who comes second returns when it is closed

  // Serialises what rewrites files: checkpoint, trim, scrub, close; of a backup and a verification
  // only the beginning.
  std::mutex maintenance;
  Result<std::unique_lock<std::mutex>> Maintain();  // of what is open still, for writing
  std::mutex backup;                                // one at a time; taken before `maintenance`
  std::mutex past_load;  // the same of AsOf, which does not take `maintenance`
  // Shared by who reads the log and checkpoints at length, alone by who erases of them or closes
  // them. Taken after `maintenance`. The floor does not move while it is held. By the three members
  // below: who waits to erase holds the gate, so that others do not begin to read.
  std::shared_timed_mutex erase_mutex;
  std::mutex erase_gate;
  Result<std::shared_lock<std::shared_timed_mutex>> KeepHistory();  // of what is open still
  std::unique_lock<std::shared_timed_mutex> Erasing();
  std::unique_lock<std::shared_timed_mutex> TryErasing();  // waits a second; not held: in vain
  std::atomic<int> verifications{0};                       // that go on: waiting would be in vain
  // Taken beside `maintenance` to renew or close `rocks`, `journal`, `store` and `report`, so that
  // reading them needs only this.
  mutable std::shared_mutex renewal;
  // Of the anchor, for threads that do not hold `maintenance`; moved on by NoteAnchor.
  mutable std::mutex noted_mutex;
  struct Noted {
    storage_internal::GraphId graph_id;
    std::uint64_t checkpoint_id = 0;
    storage_internal::LogPoint floor;
    std::uint64_t generation = 0;
    std::string source = {};
    std::vector<storage_internal::AnchorMark> marks = {};
  };
  Noted noted;
  std::atomic<std::uint64_t> shown_generation{0};  // the graph's state is of it, or of a later one
  storage_internal::Anchor anchor;     // guarded by `maintenance`
  std::uint64_t checkpoint_bytes = 0;  // of the newest one; guarded by `maintenance`
  // Read-only: the files as they were at the view's moment.
  std::shared_ptr<const storage_internal::PinnedFiles> pinned;
  // Read-only: all that the newest log of `pinned` holds is in the view.
  bool at_log_end = false;
  // Read-only: records of the view that `rocks` was opened before (follow.cc), as they are stored,
  // the first of them follows `news_after`. Guarded by `renewal`.
  std::vector<std::string> news;
  storage_internal::LogPoint news_after;
  std::uint64_t news_bytes = 0;  // with their payloads

  std::mutex purge_mutex;
  std::map<NodeId, Sequence> purged;    // last purge of those purged after the floor, and others
  std::map<NodeId, Sequence> to_scrub;  // bytes are still to be erased
  bool words_wait = false;  // terms or tags that only purged nodes had; guarded by `maintenance`
  std::set<NodeId> words_found;  // those, as of a record; guarded by `maintenance`
  static constexpr Sequence kNever = ~Sequence{0};
  Sequence words_found_at = kNever;
  // Of a replica: the graph lacks them, the log has them still. Guarded by `maintenance`.
  std::set<NodeId> to_forget;

  // The last few states of the past, newest use first.
  std::mutex past_mutex;
  std::list<Snapshot> past;
  std::vector<DamagedCheckpoint> past_damage;  // found by AsOf
  bool KeepPast(const Snapshot& state);

  std::mutex node_records_mutex;  // taken after erase_mutex
  storage_internal::NodeRecords node_records;

  // Writes checkpoints when one is due, with Maintenance::kBackground.
  std::thread keeper;
  std::mutex keeper_mutex;
  std::condition_variable keeper_wake;
  bool keeper_stop = false, checkpoint_due = false, anchor_due = false;
  std::uint64_t keeper_failures = 0;  // guarded by keeper_mutex, as the next
  std::string keeper_error;

  // Log bytes at the last look of the anchor; one appending thread touches it.
  std::uint64_t anchored_bytes = 0;

  ~Impl();

  Executor& executor() const {
    return options.graph.executor ? *options.graph.executor : DefaultExecutor();
  }
  std::string generation_path() const {
    return storage_internal::GenerationPath(directory, anchor.generation);
  }
  std::string scratch_path(const char* name) const { return directory + "/" + name + ".tmp"; }
  storage_internal::LogPoint floor() const;
  void NoteAnchor();  // REQUIRES `maintenance` held, or no other caller
  Noted NotedAnchor() const;
  storage_internal::LoadRequest Request() const;  // without a target, as of NotedAnchor
  std::map<NodeId, Sequence> Purged();
  // Those at or before the floor: they mask no state that can be asked for any more.
  void ForgetPurges(Sequence floor);
  Status ErasePurges();  // the same in the files, before anything is appended

  // open.cc
  // Read-only and for Verify: the snapshot has the sequence of the log's end, and nothing in it.
  static Result<std::unique_ptr<Database>> OpenWithoutGraph(const std::string& directory,
                                                            Executor& executor);
  bool without_graph = false;
  Status OpenForWriting();
  Status OpenForReading();
  // Opens the closed files read-only, compares them with the anchor and loads the state. Reads
  // `through` other Files when another process may be writing.
  Result<storage_internal::Loaded> OpenReadOnlyAndLoad(
      bool live_writer, std::shared_ptr<storage_internal::Files> through = nullptr);
  Result<storage_internal::Loaded> LoadWithoutLook(
      const storage_internal::ClosedCheckpoint& from,
      const std::shared_ptr<storage_internal::Files>& through);
  void NoteLoaded(const storage_internal::Loaded& loaded);
  Status PutBack(storage_internal::Anchor before);
  void StartGraph(const storage_internal::Loaded& loaded, std::shared_ptr<Journal> journal);
  // follow.cc
  Result<bool> Follow();
  std::optional<bool> FollowLog(const std::shared_ptr<const storage_internal::PinnedFiles>& grown);
  Status ReadAnew();
  // For who reads log or checkpoints at length, also where other files take the place of these
  // meanwhile. A view's are opened at the view's moment first when they lack some of its records.
  struct Reading {
    std::shared_ptr<storage_internal::Rocks> rocks;
    storage_internal::LoadRequest request;  // without a target
    Snapshot now;                           // they have all of its records
  };
  Result<Reading> WholeLog();
  // Whether the past of that number can be had (as_of.cc).
  Status CheckReached(const Reading& reading, Sequence sequence) const;
  Result<bool> Continues(const std::shared_ptr<storage_internal::Rocks>& now,
                         const storage_internal::Anchor& next) const;
  Status CreateIfAsked();
  // replica.cc. Notes where files that came from a source are there; REQUIRES the journal.
  Status BeginReplica();
  Status WriteOrigin(const storage_internal::Origin& origin);
  Result<std::optional<storage_internal::Origin>> ReadOrigin();
  // The four below REQUIRE `maintenance` held. Readers see none of the nodes from here on; of the
  // first also after a crash, by one fsync.
  Status ShowWithout(const std::set<NodeId>& nodes);
  Status Hide(const std::set<NodeId>& nodes);
  Status RewriteForgotten(Progress* progress);  // the log without `to_forget`
  Status FinishForgetting();                    // what a crash has left of it
  Status AttachWriter(const storage_internal::Loaded& loaded);

  // database.cc. The three below REQUIRE `maintenance` held.
  Status CheckpointNow(Progress* progress, bool even_if_same = false);
  Status DropOldCheckpoints();  // REQUIRES `erase_mutex` held exclusively, too
  // After damage was bypassed: a new checkpoint, and then the damaged ones are dropped.
  Status ReplaceDamaged();
  std::uint64_t NextCheckpointId() const;
  // Drops what checkpoints and trims left behind that did not come to their end, before the anchor
  // names `fresh`, a larger id.
  Status DropUnfinished(std::uint64_t fresh);
  Result<std::uint64_t> HashAt(Sequence sequence);
  Status CloseNow();
  // Whether Close is to write a checkpoint. REQUIRES `maintenance` held.
  bool CheckpointEarned() const;
  // Whether this is a child's copy of a database that the parent opened for writing.
  bool Copied() const { return !options.read_only && !owner.Here(); }
  Status Usable() const;    // open, and this process's own
  Status Writable() const;  // and not read-only

  // keeper.cc. After each append: lets the anchor's lower bound move on before RocksDB flushes log
  // records out of the write-ahead log, and a checkpoint be written when one is due.
  void OnAppended(std::uint64_t tail_bytes);
  void WakeKeeper(bool& due);
  void MoveAnchor(bool try_only);  // nothing, where `try_only` would have to wait for `maintenance`
  void MoveAnchorInBackground() noexcept;
  void CheckpointLoop();
  Status CheckpointInBackground(bool& early);
  void LogFailure(const Error& error) noexcept;
  void StopKeeper();

  // scrub.cc. REQUIRES `maintenance` held.
  Status ScrubNow(Progress* progress);
  // Writes the log again without the terms and tags that only purged nodes had, when ScrubNow
  // has seen any.
  Status ForgetWords(Progress* progress);
  Result<std::set<NodeId>> FindPurgedWords();
  Status DropScrubMarks();
  Result<bool> IsReplica();  // its last record came from another graph
  // hard_purge.cc. A new generation without `nodes`, what refers to them and the words that only
  // purged nodes had; or without these nodes only, alive or not, as the source of a replica has
  // done. REQUIRES `maintenance` held. Writers of the graph wait meanwhile.
  enum class Rewrite { kWithWhatRefers, kOnlyThese };
  Status RewriteWithout(const std::set<NodeId>& nodes, Progress* progress,
                        Rewrite rewrite = Rewrite::kWithWhatRefers);
  Result<std::optional<Graph::Renewal>> MakeGeneration(const std::set<NodeId>& nodes,
                                                       Rewrite rewrite, Progress* progress,
                                                       bool& switched);
  void GiveUp();
};

namespace storage_internal {

// Fills in the payloads of the record's vectors; those that were purged are removed. Adds to
// `bytes`.
Status FetchVectors(const PayloadStore& store, Record& record, std::uint64_t& bytes);

}  // namespace storage_internal

}  // namespace plexus
