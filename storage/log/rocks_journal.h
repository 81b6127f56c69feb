// RocksJournal: the Journal over RocksDB.
//
// A group of records with its payloads is one RocksDB write: one record of the
// write-ahead log, one fsync, wholly there or not at all (very large groups are cut
// between records). After a failed write or fsync it refuses everything: what the
// disk holds is known again only after reopening. A thread, started when it is first needed, fsyncs
// kBuffered writes within 50 ms, and what BeginAppend wrote at once.
//
// Append is called by one thread at a time (Graph's leader); the rest is
// thread-safe.
//
// Closing during an append: StopAppends waits for the one under way and refuses later ones, so
// that the position is the log's end from then on; Close does so first.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/mutex.h"
#include "engine/record.h"
#include "storage/encoding/record_codec.h"
#include "storage/log/bulk_writer.h"
#include "storage/log/rocks_db.h"

namespace plexus::storage_internal {

// Meta family: "purged/" + node (4 bytes, big-endian) -> sequence of its last purge
// (8 bytes, little-endian); "scrub/" + node: its bytes are still to be erased. "replayed" ->
// sequence of the last record that came from another graph. "forget/" + node, of a replica -> the
// sequence when its source had forgotten the node: the log is to be written again without it;
// "blank/" + id of an interned string: likewise.
inline constexpr char kPurgedPrefix[] = "purged/";
inline constexpr char kScrubPrefix[] = "scrub/";
inline constexpr char kForgetPrefix[] = "forget/";
inline constexpr char kBlankPrefix[] = "blank/";
inline constexpr char kReplayedKey[] = "replayed";
// Of a replica: Origin, as of the record that "replayed" says or of a later one.
inline constexpr char kOriginKey[] = "origin";
// Where a replica's records come from: the source's generation, and a record there with its
// running hash. A group of records that is written in parts has the point behind all of them.
struct Origin {
  std::uint64_t generation = 0;
  Sequence sequence = 0;
  std::uint64_t hash = 0;
  bool operator==(const Origin&) const = default;
};
std::string OriginValue(const Origin& origin);
std::optional<Origin> ParseOrigin(std::string_view value);
inline constexpr std::size_t kNodeMetaKeyBytes = 11;  // at most
std::string NodeMetaKey(const char* prefix, NodeId node);
std::string MetaValue(Sequence sequence);
std::optional<Sequence> ParseMetaValue(std::string_view value);  // nothing: it is broken

class RocksJournal : public Journal, public std::enable_shared_from_this<RocksJournal> {
 public:
  // `sequence` and `hash` describe the last record in the log. `purged` is called for every purge
  // as it is appended; `grown` with the log's new tail size.
  struct Options {
    Durability durability = Durability::kSync;  // what kDefault means
    std::string bulk_scratch;
    Executor* executor = nullptr;  // encodes and writes in bulk mode; null: DefaultExecutor()
    std::function<void(NodeId, Sequence)> on_purge;
    std::function<void(std::uint64_t tail_bytes)> on_append;
    // `journal` ingests what is pending, by FlushBulk.
    std::function<void(Sequence first_pending, std::weak_ptr<RocksJournal> journal)> on_bulk;
  };
  RocksJournal(std::shared_ptr<Rocks> rocks, Sequence sequence, std::uint64_t hash,
               Options options);
  ~RocksJournal() override;

  Status Accepts() const override;
  Status Append(std::span<const Record> group, Durability durability) override {
    return AppendGroup(group, durability, false);
  }
  Status AppendReplayed(std::span<const Record> group, Durability durability) override {
    return AppendGroup(group, durability, true);
  }
  Status AppendLoad(const LoadedEdges& loaded, std::span<const std::size_t> batches, Sequence first,
                    Durability durability) override;
  // A thread fsyncs between the two.
  Status BeginAppend(std::span<const Record> group, Durability durability) override;
  Status EndAppend() override;
  Status WaitDurable(Sequence sequence) override;

  Status BeginBulk();
  Status FlushBulk();  // ingests what is pending
  Status EndBulk();

  struct Position {
    Sequence sequence = 0;
    std::uint64_t hash = 0;
  };
  Position position() const { return Locked(&RocksJournal::position_); }
  Sequence synced() const { return Locked(&RocksJournal::synced_); }
  std::uint64_t tail_bytes() const { return Locked(&RocksJournal::tail_bytes_); }
  void ResetTail(std::uint64_t bytes);
  bool bulk() const;
  // Returns when no append is under way; later ones, and BeginBulk, are refused.
  void StopAppends();
  // Stops appends and the thread, and syncs.
  Status Close();
  // Goes with the groups that are replayed from here on.
  void SetOrigin(const Origin& origin);

 private:
  class Appending;
  template <class T>
  T Locked(T RocksJournal::* member) const {
    const MutexLock lock(mutex_);
    return this->*member;
  }
  Status AppendGroup(std::span<const Record> group, Durability durability, bool replayed);
  Status WriteGroup(std::span<const Record> group, Durability durability, bool replayed,
                    Position at);
  template <class Encode>
  Status AddBulkRecords(Sequence first, std::size_t count, Encode&& encode) PLEXUS_REQUIRES(mutex_);
  Status AddBulk(std::span<const Record> group, bool replayed) PLEXUS_REQUIRES(mutex_);
  template <class Add>
  Status AppendBulk(Add&& add) PLEXUS_REQUIRES(mutex_);
  Status IngestBulk() PLEXUS_REQUIRES(mutex_);
  Status Write(rocksdb::WriteBatch& batch, bool sync);
  Status Sync() PLEXUS_REQUIRES(mutex_);                   // without the mutex while the disk works
  Status Refused() const PLEXUS_REQUIRES(mutex_);          // of all that writes
  Status RefusedToAppend() const PLEXUS_REQUIRES(mutex_);  // and of what makes the log longer
  void FailWith(const Error& error) noexcept PLEXUS_REQUIRES(mutex_);
  void WakeSyncer(bool& wanted) PLEXUS_REQUIRES(mutex_);
  void SyncLoop() PLEXUS_EXCLUDES(mutex_);

  std::shared_ptr<Rocks> rocks_;
  const Options options_;
  mutable Mutex mutex_;
  std::condition_variable wake_, synced_changed_, append_ended_;
  Position position_ PLEXUS_GUARDED_BY(mutex_);
  Sequence synced_ PLEXUS_GUARDED_BY(mutex_) = 0;
  bool syncing_ PLEXUS_GUARDED_BY(mutex_) = false;
  Sequence unsynced_ = 0;  // of BeginAppend, until EndAppend; only the appending thread
  std::uint64_t tail_bytes_ PLEXUS_GUARDED_BY(mutex_) = 0;
  std::string origin_ PLEXUS_GUARDED_BY(mutex_);  // OriginValue; empty: none was said
  std::unique_ptr<BulkWriter> bulk_ PLEXUS_GUARDED_BY(mutex_) PLEXUS_PT_GUARDED_BY(mutex_);
  std::vector<RecordEncoder> encoders_ PLEXUS_GUARDED_BY(mutex_);  // of bulk mode
  std::optional<Error> failure_ PLEXUS_GUARDED_BY(mutex_);
  bool appending_ PLEXUS_GUARDED_BY(mutex_) = false;  // outside of the mutex
  std::atomic<bool> stopped_{false};                  // appends are refused; set under the mutex
  bool closed_ PLEXUS_GUARDED_BY(mutex_) = false;
  bool sync_wanted_ PLEXUS_GUARDED_BY(mutex_) = false;
  bool sync_now_ PLEXUS_GUARDED_BY(mutex_) = false;
  std::thread syncer_;
};

}  // namespace plexus::storage_internal
