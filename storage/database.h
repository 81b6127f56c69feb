// Database: a Graph that lives in a directory.
//
// Opening takes our lock, looks at the files without writing, checks them against
// the anchor (anchor.h), loads the newest checkpoint, replays the log's tail and
// only then opens for writing. Applied batches go through the journal into
// RocksDB; checkpoints are written from a Snapshot while writes go on. Bytes:
// storage/FORMAT.md; reasons: storage/README.md.
//
// Damage is refused with the name of the file and the offset: never served, never
// deleted, never a crash. One writing process per directory; any number of
// read-only ones next to it.
//
// Threads: all members may be called from any thread during queries and Apply, but
// for BeginBulk, EndBulk and Discard, which no other call may overlap. Readers never wait:
// snapshots stay as they are, with their payloads, also over Refresh, Purge, Scrub and HardPurge
// (less the bytes that these erase). Writers wait while the log is rewritten.
// Close may be called during all others, and so may exit(): what is under way ends first, or
// is kFailedPrecondition, as are later calls. A batch that was acknowledged is in the files.
//
// fork: the process that opened a database for writing owns it. In a child every call that
// returns a Status or a Result is kFailedPrecondition (and says so), stats() is empty, payloads
// cannot be read, and the destructor touches neither files nor the lock; it leaks the memory.
//
// When such a child ends by exit(), static objects older than the first Open are not destroyed.
// It may open databases read-only, not for writing.
//
// Memory: when it runs out, calls are kResourceExhausted. Where there was none inside of a call
// of RocksDB, on whatever thread, the database can be used no longer: later calls are
// kFailedPrecondition or kReadOnly, Close is an error and leaves the files as a crash would. The
// memory of RocksDB is not given back. It can be opened again at once, in the same process, whose
// exit() then ends without the destructors of static objects older than the first Open.
//
// A Database may be an object of static storage: exit() and returning from main close what is open.
//
// Files: a directory that is moved, replaced or deleted while it is open for writing, or a file in
// it, is kIo at the next fsync, checkpoint or Close, with its name; the graph is read-only then.
// Nothing is written to what is at the old path.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/record.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/write_batch.h"

namespace plexus {

namespace storage_internal {
struct TestHooks;  // base/fail_points.h, for fault injection only
}  // namespace storage_internal

// When Close writes a checkpoint, if records follow the last one.
enum class CheckpointOnClose {
  kNever,
  // When replaying those records takes about as long as reading the checkpoint does, and
  // they are not few: so opening never takes more than about twice the time, and many
  // short sessions write in proportion to what they add. Close leaves less than
  // max(checkpoint, 4 MiB) / 16 bytes and / 4,096 records behind it.
  kWhenReplayIsSlower,
  kAlways,
};

struct OpenOptions {
  bool create = false;     // make the database when the directory has none
  bool read_only = false;  // view of one moment, takes no lock, writes nothing
  bool strict = false;     // refuse a torn tail, and a checkpoint that cannot be read
  GraphOptions graph = {};  // durability, maintenance, executor
  // A checkpoint is due when the log behind the last one passes this. Written by a thread that
  // starts when the first is due; with Maintenance::kManual when Checkpoint or Close is called.
  std::uint64_t checkpoint_log_bytes = std::uint64_t{256} << 20;
  CheckpointOnClose checkpoint_on_close = CheckpointOnClose::kWhenReplayIsSlower;
  int checkpoints_kept = 2;  // at least 1; the history floor's is kept besides
  std::uint64_t payload_cache_bytes = std::uint64_t{64} << 20;
  // Graphs of the past that AsOf keeps for the next question: the last one, whatever it takes, and
  // up to three before it while all fit. A trim or a purge drops them. 0: keeps none.
  std::uint64_t past_cache_bytes = std::uint64_t{256} << 20;
  // Writing: how long to wait for another writer to close; 0: not. While waiting
  // on_lock_wait is called every few milliseconds with who holds the lock and for how long
  // it was waited; false stops it (kCancelled).
  std::int64_t lock_wait_ms = 0;
  std::function<bool(const std::string& holder, std::int64_t waited_ms)> on_lock_wait = {};
  // Maintenance::kBackground: called when a checkpoint in the background failed, each time, by
  // the thread that writes them, which holds no lock. It is tried again after a pause that
  // grows from 0.1 s to a minute. Must neither close the database nor throw (what it throws is
  // dropped).
  std::function<void(const Error&)> on_background_error = {};
  // Writing: who follows a source opens a replica by this; for others it is read-only. Not empty:
  // the name of the source from now on. Only Follow may write it: else it is unlike its source.
  std::optional<std::string> replica_of = {};
  storage_internal::TestHooks* hooks = nullptr;
};

// A checkpoint that cannot be read. It is derived data: an older one, or the log from the
// history floor, makes the same graph. Each byte of that was checked by its digest, and the
// log's running hash ends where the anchor says.
struct DamagedCheckpoint {
  std::uint64_t id = 0;
  Sequence sequence = 0;       // 0 when it is not known
  std::string file = {};       // the sorted file it lies in; empty when it is not known
  std::string what = {};       // section and offset, and what is wrong there
  Sequence read_instead = 0;   // the checkpoint used in its place, 0 = none
  std::uint64_t replayed = 0;  // records of the log replayed over that
  bool operator==(const DamagedCheckpoint&) const = default;
};

// What opening found and did.
struct OpenReport {
  bool created = false;       // the database is new
  bool was_clean = false;     // the last writer closed it
  bool live_writer = false;   // read-only, and a writer had it open in that moment
  bool tail_dropped = false;  // a torn end of the write-ahead log was left out
  std::string tail_message;   // what was dropped, for people; empty when nothing
  // Damage that opening bypassed. A writing open writes a whole checkpoint, then drops these.
  std::vector<DamagedCheckpoint> damaged_checkpoints;
  Sequence sequence = 0;             // last record
  Sequence checkpoint_sequence = 0;  // where loading began, 0 = from nothing
  std::uint64_t checkpoint_bytes = 0;
  std::uint64_t replayed_records = 0;
  std::uint64_t finished_purges = 0;  // scrubbing that a crash had interrupted
};

// One sentence for people: what is damaged, and what was read instead.
std::string DamageMessage(const DamagedCheckpoint& damaged);

struct VerifyOptions {
  bool against_replay = true;  // replay the log and compare every checkpoint with it
  // It must not wait for other calls of this database: a trim may wait for the verification, and
  // they for the trim.
  Progress* progress = nullptr;
};

struct VerifyProblem {
  std::string where = {};    // "log record 12", "checkpoint 3, out_neighbors", "000012.sst"
  std::uint64_t offset = 0;  // byte or index inside `where`, 0 when it means nothing
  std::string what = {};
};

struct VerifyReport {
  bool ok = true;  // no problems
  std::uint64_t records = 0, payloads = 0, checkpoints = 0, sections = 0, bytes = 0;
  std::uint64_t nodes = 0, edges = 0, vectors = 0;
  std::vector<VerifyProblem> problems;  // the first 1,000
  std::vector<std::string> notes;       // no damage: cycles of acyclic kinds, pending purges
};

// One thing that happened to a node, oldest first.
struct HistoryEntry {
  enum class What : std::uint8_t {
    kCreated,
    kKindSet,
    kRemoved,
    kPurged,
    kRevived,
    kColumnSet,
    kColumnCleared,
    kPayloadSet,
    kPayloadCleared,
    kVectorSet,
    kVectorRemoved,
    kLinked,
    kUpdated,
    kUnlinked,
    kKeyForgotten
  };
  What what = What::kCreated;
  Sequence sequence = 0;
  std::int64_t time_ms = 0;
  NodeKindId node_kind{};                 // kCreated, kKindSet
  EdgeKindId edge_kind{};                 // edges
  ColumnId column{};                      // kColumn*
  std::uint64_t bits = 0;                 // kColumnSet: the f64, i64 or StringId
  NodeField field = NodeField::kText;     // kPayload*
  SpaceId space{};                        // kVector*
  PayloadRef ref;                         // kPayloadSet, kVectorSet, edges: properties
  Direction direction = Direction::kOut;  // edges: kOut when the node is the source
  NodeId other = kNoNode;                 // edges: the other end
  StringId label = 0;                     // edges
  float weight = 0;                       // edges
  std::uint64_t erased = 0;               // kPurged: how many entries before it are left out
};
// Short stable name, e.g. "unlinked".
std::string_view HistoryWhatName(HistoryEntry::What what);

struct ChangesOptions {
  std::uint64_t max_records = 1024;  // at least 1
  std::uint64_t max_bytes = std::uint64_t{16}
                            << 20;  // of records and payloads; one record may pass it
};

// A piece of the log, in order.
struct Changes {
  std::vector<Record> records = {};  // with their payloads, but for what was purged since
  Sequence next = 0;            // ask for what comes after it; `since` when there was nothing
  bool has_more = false;        // more records are available now
  // Another number: a hard purge, or a scrub of words, wrote the log again since. The new log holds
  // neither what was erased nor its purge. So a replica that continues in spite of another number
  // KEEPS what was purged: keys, edges, columns, texts, vectors, words, and its own history of
  // them. It has to begin again, from nothing or from a backup or view of since then, and its old
  // files have to be deleted.
  std::uint64_t generation = 0;
  // The source's running hash after `since` and after `next`, and its last durable record.
  std::uint64_t since_hash = 0, next_hash = 0;
  Sequence last = 0;
};

// replica.h
namespace replica {
struct GraphLineage;
struct ForgottenIds;
}  // namespace replica

struct StorageStats {
  std::uint64_t disk_bytes = 0;  // all files of the directory
  // Sorted files of the column families; what is only in the write-ahead log is not in them.
  std::uint64_t log_bytes = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t checkpoint_bytes = 0;
  std::uint64_t tail_bytes = 0;  // log behind the newest checkpoint, encoded
  std::uint64_t payload_cache_hits = 0, payload_cache_misses = 0;
  // In RAM next to the graph: RocksDB's memtables, indexes and filters of open files, blocks kept;
  // payloads kept; graphs of the past kept.
  std::uint64_t memtable_bytes = 0, table_reader_bytes = 0, block_cache_bytes = 0,
                payload_cache_bytes = 0, past_cache_bytes = 0;
  std::vector<Sequence> checkpoints = {};  // ascending
  Sequence history_floor = 0;         // AsOf reaches down to here; 0 = the beginning
  Sequence synced_sequence = 0;       // survives power loss
  std::uint64_t background_failures =
      0;                         // checkpoints in the background that failed, since opening
  std::string background_error = {};  // why the last of them failed; empty after one succeeded
};

// Errors: of all members kFailedPrecondition after Close (but Close) and, opened for writing, in a
//   child of fork; kIo; kCorruption: damage, with file and offset; kReadOnly where a read-only
//   database would be written; kCancelled where `progress` says stop; kResourceExhausted without
//   memory. A member names those of its own.
class Database {
 public:
  class Impl;  // database_impl.h, for the files that implement this class

  // Computes: the graph of the directory: the newest checkpoint and the records after it.
  // Complexity: O(checkpoint + records after it), parallel. Memory: the graph; vectors, texts and
  //   properties stay on disk until they are read.
  // Errors: kNotFound (no database and not `create`), kLocked (names the holder; read-only:
  // ten seconds went by without a moment in which no file changed),
  // kCorruption (damage: names file and offset), kUnsupported (a newer format), kIo,
  // kReadOnly (opened for writing: a directory that cannot be written, or a replica, whose source
  // is named), kFailedPrecondition (for writing in a child of fork).
  static Result<std::unique_ptr<Database>> Open(const std::string& directory,
                                                const OpenOptions& options = {});
  // True when `directory` holds a Plexus database (its anchor file is there).
  static bool Exists(const std::string& directory);
  // The folder of a graph that `path` names or lies in, links resolved; "" when none exists.
  // Only the graph writes there: Backup, Restore and Repair refuse it (kInvalidArgument).
  static std::string FolderAround(const std::string& path);
  ~Database();  // as Close, errors are lost

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // The live graph, the same object as long as the database. A read-only database's Apply fails
  // with kReadOnly.
  Graph& graph();
  Snapshot snapshot() const;
  OpenReport report() const;
  // The damage that was bypassed since opening: the report's, and what AsOf met.
  std::vector<DamagedCheckpoint> damaged_checkpoints() const;
  const std::string& directory() const;
  bool read_only() const;
  // Waits for no checkpoint, backup or verification; while files are renewed (a hard purge's end,
  // Close), until they are.
  StorageStats stats() const;

  // The graph as it was after record `sequence`: the nearest checkpoint at or
  // before it plus replay; the last few are cached. 0 is the empty graph. Purged
  // nodes show no payloads, vectors, tags or terms at any sequence. Complexity: O(checkpoint +
  // records after it). Memory: one more graph (past_cache_bytes). Errors:
  // kNotFound: below the history floor (the message names it), or in the future; kCancelled.
  Result<Snapshot> AsOf(Sequence sequence, Progress* progress = nullptr);
  // The last record whose time is <= time_ms. kNotFound before the first record.
  Result<Snapshot> AsOfTime(std::int64_t time_ms);
  Result<Sequence> SequenceAtTime(std::int64_t time_ms);

  // Writes a checkpoint of the current snapshot unless the newest has its
  // sequence already, and drops all but the newest few; with the next one, where AsOf, History or
  // Verify read for long. Complexity: O(nodes + arcs + columns), and
  // what a scrub costs where one is due.
  Status Checkpoint(Progress* progress = nullptr);

  // Forgets the log up to and including `before`: a checkpoint there becomes the
  // history floor, payloads that nothing above needs are deleted. Waits for AsOf, History and
  // Verify before it deletes.
  // `forget_keys`: keys of facts that were removed by then, and not made again since, leave memory,
  // and the files with the next trim; one more record says so (WriteBatch::ForgetKey). For keys
  // that are never reused. A replica, whose last record is one that it replayed, leaves it to
  // its source.
  Status Trim(Sequence before, Progress* progress = nullptr, bool forget_keys = false);

  // Purges nodes: Apply with PurgeNode, then Scrub. Terms that only they have are
  // removed with them, and terms without a user (words of replaced texts, theirs or
  // another's). Columns and edges stay in the history, and with them their interned strings. (A
  // term that another writer links in that moment goes too; indexing restores it.) kNotFound names
  // a missing key.
  Result<ApplyReport> Purge(std::span<const std::string_view> keys, std::int64_t now_ms,
                            Progress* progress = nullptr);
  // Erases the bytes of nodes purged by Apply (also done by Checkpoint, Close and
  // the next Open): payloads of every version, write-ahead logs. O(log). Terms and tags that
  // only purged nodes ever had are keys in the log: when there are any, log and payloads are
  // rewritten with placeholders for those keys (by Scrub, Close and the next Open, not by
  // Checkpoint), at the cost of a HardPurge. Not in a replica
  // (its last record came by Graph::Replay): its source forgets them, and it begins again.
  Status Scrub(Progress* progress = nullptr);
  // Rewrites log, payloads and checkpoint into a new generation without the keys,
  // edges and bytes of `nodes`, of the events they are members of and of terms that
  // no other node is known to have had (below the history floor that is not known). Terms that
  // no node has are removed from the live graph, too. Node ids stay; the key becomes a
  // placeholder. So does each interned string (a value of a string column, a label, a created_by)
  // that nothing else has or had above the history floor; it is a new one when it comes again. A
  // replica's are its source's to forget. Snapshots from before have all of them still.
  // kConflict: another writer made one of them again meanwhile. O(log + nodes + arcs)
  // time; files of payloads that none of them had are linked, not copied, and no second graph is
  // held.
  Status HardPurge(std::span<const NodeId> nodes, Progress* progress = nullptr);

  // Bulk mode for big imports: records and payloads are written as sorted files
  // and ingested in large steps, each step wholly there or not at all. Batches are
  // visible at once but durable only when EndBulk or WaitDurable returns.
  Status BeginBulk();
  // Ingests what is left and writes a checkpoint.
  Status EndBulk(Progress* progress = nullptr);

  // Checks everything there is to check; problems are in the report, an error
  // means that checking itself could not go on. Complexity: O(bytes on disk), and the
  // log up to 16 times. Memory: no second graph (storage/verify/verify.h).
  Result<VerifyReport> Verify(const VerifyOptions& options = {});

  // A verified copy of the database in the new directory `to` (hard links where
  // the file system allows). Writes may go on, of this or, from a read-only database, of
  // another process: read-only it copies the moment that it shows. Complexity: O(bytes).
  // kAlreadyExists when `to` holds something. After an error nothing of the copy is left.
  Status Backup(const std::string& to, Progress* progress = nullptr);
  // Makes the new database `to` from a backup or a closed database, verified. After an
  // error nothing of it is left.
  static Status Restore(const std::string& from, const std::string& to,
                        Progress* progress = nullptr);

  // What the log says about a node, oldest first. O(records that name it); the first call: O(log).
  // Before a purge it says nothing of tags, terms, payloads, vectors, of either end of an edge.
  Result<std::vector<HistoryEntry>> History(NodeId node, Progress* progress = nullptr);

  // The nodes that the records after `after`, up to `until`, say something of or of an edge at
  // them, ascending: the two states differ in no other node, nor in an edge of others. Nothing:
  // they are more than `most`; or something was purged after `after`, and the states are not what
  // the records made. O(those records). Errors: those of AsOf(after).
  Result<std::optional<std::vector<NodeId>>> NodesChanged(Sequence after, Sequence until,
                                                          std::size_t most,
                                                          Progress* progress = nullptr);

  // Read-only: brings the view up to all that was acknowledged before the call. O(what is new): the
  // records go into the same graph, whose snapshots stay, and whose kept values (PageRank, ...) are
  // carried on. After a checkpoint, trim, purge, compaction of files or session of the writer, and
  // every 8 MiB, O(what the write-ahead log holds) besides. Where the log does not go on from the
  // view (a hard purge, a crash or a trim took what it had) it is opened again. Nothing new: a look
  // at file sizes. AsOf, AsOfTime, SequenceAtTime, History, NodesChanged and Verify, and
  // ChangesSince from before the last refreshes, take O(what the write-ahead log holds) once after
  // it. After an error the view is as it was, or whole batches further.
  Status Refresh();

  // The records after `since`, for replicas (Graph::Replay), caches and hosts that follow: in
  // order, bounded, only those that survive power loss. `since`: the follower's own sequence, 0 at
  // first; a follower can stop at any record and resume without missing or repeating one. Records
  // omit the tags, terms, payloads and vectors of nodes purged since; where a record changed one,
  // it says that it ended: the payload is cleared, the vector removed, all tags and terms taken
  // away (Record::words_dropped). So a follower has at each sequence what the source had then, or
  // nothing where the source has purged it since. A host that keeps these by itself takes all that
  // it has of them from a node that a record removes or purges, but for what that record sets, as
  // Graph::Replay does. All else is reported: members of events outlive their removal. See
  // Changes::generation for hard purges. Waits for no maintenance; any thread. kNotFound: `since`
  // lies in the future; kFailedPrecondition: below the history floor. Then begin with a Backup,
  // made after Scrub and not in bulk mode: a copy made during a pending word purge completes it
  // independently, when its source may still use the words (Backup forgets pending words first,
  // but for bulk mode). Or with a read-only view's snapshot: a
  // graph in RAM over that lacks texts and properties of later records. A view may show a batch
  // that its writer has not acknowledged yet: the writer then makes it durable first, or says
  // kNotFound while that batch is still being written.
  Result<Changes> ChangesSince(Sequence since, const ChangesOptions& options = {});

  // Replicas over a network; replica.h has the contracts.
  Result<replica::GraphLineage> ReadLineage();
  Result<replica::ForgottenIds> Forgotten();
  Status Follow(const Changes& changes);
  Status Forget(const replica::ForgottenIds& forgotten, Progress* progress = nullptr);
  Status SendFiles(const std::function<Status(std::string_view)>& send,
                   Progress* progress = nullptr);
  Status Promote();

  // Deletes a database that this open made (report().created) and in which nothing was applied, and
  // closes it; the directory itself stays. kFailedPrecondition for any other: nothing is deleted.
  Status Discard();

  // Whether another process waits for this one to close (OpenOptions::lock_wait_ms). Where its file
  // system has no locks of open files it is not known: false.
  bool Wanted() const;

  // Waits for maintenance and the batch that is being written, refuses later ones, makes
  // everything durable, writes a checkpoint as checkpoint_on_close says, and marks the anchor
  // clean. Later calls do nothing; one meanwhile waits until it is done. Snapshots stay usable but
  // for their payloads. Reports errors of this call only.
  Status Close();

 private:
  explicit Database(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The batch that Purge applies: it purges the nodes and removes the terms that no other node has.
// A dry run shows it. Complexity: O(nodes + arcs of terms). Errors: kNotFound names a missing key;
// kResourceExhausted. Threads: thread-safe.
Result<WriteBatch> PurgeBatch(const Snapshot& now, std::span<const std::string_view> keys,
                              std::int64_t now_ms);

namespace metrics {

// Metrics: besides the graph's, bytes on disk by part, the log's tail, other caches, checkpoints,
// the history floor, what is durable, failures in the background. Waits as Database::stats does.
// Complexity: O(files + checkpoints + graphs of the past kept), and GraphMetrics. Threads:
// thread-safe.
// Errors: kResourceExhausted: no memory; kFailedPrecondition: in a child of fork.
Result<std::vector<MetricRow>> DatabaseMetrics(Database& database);

}  // namespace metrics

}  // namespace plexus
