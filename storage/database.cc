// Database: checkpoints, closing, and the members that are one line each.
#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/arrays/freed_memory.h"
#include "engine/out_of_memory.h"
#include "storage/base/fail_points.h"
#include "storage/checkpoint/checkpoint.h"
#include "storage/database.h"
#include "storage/database_impl.h"

namespace plexus {

using namespace storage_internal;

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
  CloseAtProcessEnd(impl_.get());
}
Database::~Database() {
  if (!impl_ || !impl_->Copied()) return;
  impl_->lock.Release();  // this process's copy of the descriptor
  (void)impl_.release();  // RocksDB would write, and wait for threads that are not here
}

Database::Impl::~Impl() {
  LeaveOut(this);
  (void)OrNoMemory([&] { return CloseNow(); });
  // The graph's journal and the store may be held by snapshots for longer.
  graph.reset();
  journal.reset();
  if (store) store->Attach(nullptr);
  rocks.reset();
}

Graph& Database::graph() { return *impl_->graph; }
Snapshot Database::snapshot() const { return impl_->graph->snapshot(); }
OpenReport Database::report() const {
  if (!impl_->owner.Here()) return impl_->report;  // a child of fork does not change it
  const ReaderLock open(impl_->renewal);
  return impl_->report;
}
const std::string& Database::directory() const { return impl_->directory; }
bool Database::read_only() const { return impl_->options.read_only; }

void Database::Impl::NoteAnchor() {
  const MutexLock guard(noted_mutex);
  noted = {anchor.graph_id,   anchor.checkpoint_id, floor(),
           anchor.generation, anchor.source,        anchor.marks};
}

Database::Impl::Noted Database::Impl::NotedAnchor() const {
  const MutexLock guard(noted_mutex);
  return noted;
}

LoadRequest Database::Impl::Request() const {
  const Noted at = NotedAnchor();
  LoadRequest request;
  request.graph_id = at.graph_id;
  request.floor = at.floor;
  request.last_checkpoint = at.checkpoint_id;
  request.payloads = store;
  request.executor = options.graph.executor;
  request.strict = options.strict;
  return request;
}

std::vector<DamagedCheckpoint> Database::damaged_checkpoints() const {
  std::vector<DamagedCheckpoint> damaged = report().damaged_checkpoints;
  if (impl_->Copied()) return damaged;
  MutexLock guard(impl_->past_mutex);
  MergeDamage(damaged, impl_->past_damage);
  return damaged;
}

std::map<NodeId, Sequence> Database::Impl::Purged() {
  MutexLock guard(purge_mutex);
  return purged;
}

Status Database::Impl::Usable() const {
  if (Copied()) return owner.Check("the database");
  if (closed) return FailedPrecondition(directory, ": the database is closed");
  return {};
}

Status Database::Impl::Writable() const {
  PLEXUS_TRY(Usable());
  if (options.read_only)
    return Fail(ErrorCode::kReadOnly, directory + ": the database is open read-only");
  return {};
}

Result<std::uint64_t> Database::Impl::HashAt(Sequence sequence) {
  const RocksJournal::Position at = journal->position();
  if (at.sequence == sequence) return at.hash;
  if (sequence == floor().sequence) return floor().hash;
  PLEXUS_ASSIGN(const RecordHead head, ReadRecordHead(rocks, sequence));
  return head.running_hash;
}

Status Database::Impl::CheckpointNow(Progress* progress, bool even_if_same) {
  PLEXUS_TRY(files->CheckHome());
  PLEXUS_TRY(ScrubNow(progress));
  PLEXUS_TRY(RewriteForgotten(progress));  // a checkpoint is what the log makes
  if (!to_forget.empty()) return {};       // received files are about to take the place of all
  const std::uint64_t tail_before = journal->tail_bytes();
  const Snapshot snapshot = graph->snapshot();
  if (snapshot.sequence() == 0) return {};
  if (snapshot.sequence() == anchor.checkpoint_sequence && !even_if_same) return {};
  PLEXUS_TRY(journal->FlushBulk());
  PLEXUS_TRY(journal->WaitDurable(snapshot.sequence()));
  PLEXUS_ASSIGN(const Snapshot compacted, snapshot.Compacted(executor()));
  PLEXUS_ASSIGN(const std::uint64_t hash, HashAt(snapshot.sequence()));
  PLEXUS_ASSIGN(const Manifest manifest,
                WriteCheckpoint(rocks, compacted, anchor.graph_id, NextCheckpointId(), hash,
                                scratch_path("checkpoint"), executor(), progress));
  PLEXUS_TRY(DropUnfinished(manifest.id));
  Anchor next = anchor;
  next.sequence = std::max(next.sequence, manifest.sequence);
  if (next.sequence == manifest.sequence) next.log_hash = hash;
  next.checkpoint_id = manifest.id;
  next.checkpoint_sequence = manifest.sequence;
  next.checkpoint_digest = manifest.digest;
  PLEXUS_TRY(WriteAnchor(directory, next, *files));
  anchor = std::move(next);
  NoteAnchor();
  checkpoint_bytes = manifest.total_bytes();
  const std::uint64_t tail_now = journal->tail_bytes();
  journal->ResetTail(tail_now - std::min(tail_now, tail_before));
  FailPoint(options.hooks, "checkpoint.anchored");
  [[maybe_unused]] static const bool registered = (RegisterProcessEnd(), true);
  // Who reads old ones may take minutes: then the next checkpoint drops them.
  if (!erase_mutex.try_lock_for(std::chrono::seconds(verifications > 0 ? 0 : 1))) return {};
  const MutexLock erasing(erase_mutex, std::adopt_lock);
  return DropOldCheckpoints();
}

std::uint64_t Database::Impl::NextCheckpointId() const {
  std::uint64_t last = anchor.checkpoint_id;
  std::vector<DamagedCheckpoint> damaged;
  if (const auto manifests = ListSoundCheckpoints(rocks, damaged))
    for (const Manifest& m : *manifests) last = std::max(last, m.id);
  for (const DamagedCheckpoint& d : damaged) last = std::max(last, d.id);
  return last + 1;
}

Status Database::Impl::DropUnfinished(std::uint64_t fresh) {
  std::vector<DamagedCheckpoint> damaged;
  PLEXUS_ASSIGN(std::vector<Manifest> manifests, ListSoundCheckpoints(rocks, damaged));
  std::erase_if(manifests, [&](const Manifest& m) {
    maintenance.AssertHeld();
    return m.id == fresh || InForce(m, anchor.checkpoint_id, anchor.floor_sequence);
  });
  if (manifests.empty()) return {};
  // An anchor whose writing failed at its last sync may be the file's, and name one of them.
  PLEXUS_TRY(WriteAnchor(directory, anchor, *files));
  for (const Manifest& m : manifests) PLEXUS_TRY(DropCheckpoint(rocks, m.id));
  return {};
}

Status Database::Impl::ReplaceDamaged() {
  if (report.damaged_checkpoints.empty()) return {};
  PLEXUS_TRY(CheckpointNow(nullptr, true));
  std::vector<DamagedCheckpoint> unread;
  PLEXUS_ASSIGN(const std::vector<Manifest> manifests, ListSoundCheckpoints(rocks, unread));
  for (const DamagedCheckpoint& d : report.damaged_checkpoints) {
    bool of_floor = false;  // nothing else records how the history begins
    for (const Manifest& m : manifests)
      of_floor |= m.id == d.id && anchor.floor_sequence > 0 && m.sequence == anchor.floor_sequence;
    if (!of_floor && d.id != anchor.checkpoint_id) PLEXUS_TRY(DropCheckpoint(rocks, d.id));
  }
  return {};
}

Status Database::Impl::DropOldCheckpoints() {
  std::vector<DamagedCheckpoint> damaged;
  PLEXUS_ASSIGN(std::vector<Manifest> manifests, ListSoundCheckpoints(rocks, damaged));
  std::ranges::sort(manifests, std::greater<>(),
                    [](const Manifest& m) { return std::pair(m.sequence, m.id); });
  int kept = 0;
  for (const Manifest& m : manifests) {
    const bool floor_needs_it = anchor.floor_sequence > 0 && m.sequence == anchor.floor_sequence;
    const bool below_floor = m.sequence < anchor.floor_sequence;
    if (m.id == anchor.checkpoint_id || (kept < options.checkpoints_kept && !below_floor)) {
      ++kept;
      continue;
    }
    if (!floor_needs_it) PLEXUS_TRY(DropCheckpoint(rocks, m.id));
  }
  return {};
}

// Replaying a record costs about as much as reading 4 KiB of a checkpoint, and a byte of
// it (an edge of a large batch takes 4 to 12) as 16 bytes.
bool Database::Impl::CheckpointEarned() const {
  constexpr std::uint64_t kRecordCost = 4096, kByteCost = 16, kLeast = std::uint64_t{4} << 20;
  switch (options.checkpoint_on_close) {
    case CheckpointOnClose::kNever:
      return false;
    case CheckpointOnClose::kAlways:
      return true;
    case CheckpointOnClose::kWhenReplayIsSlower:
      break;
  }
  const std::uint64_t tail = journal->tail_bytes();
  const std::uint64_t records = journal->position().sequence - anchor.checkpoint_sequence;
  return tail >= options.checkpoint_log_bytes ||
         records * kRecordCost + tail * kByteCost >= std::max(checkpoint_bytes, kLeast);
}

Status Database::Checkpoint(Progress* progress) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Writable());
  const ReturnFreedMemoryAtEnd freed(d.options.graph.return_freed_memory);
  LogScope log(d.options.graph.on_log, "checkpoint");
  const MutexLock guard(d.maintenance);
  PLEXUS_TRY(d.Writable());  // it may have been closed while this waited
  return log.Done(d.CheckpointNow(progress));
}
PLEXUS_CATCH_NO_MEMORY

// --- bulk mode

Status Database::BeginBulk() try {
  const MutexLock guard(impl_->maintenance);
  PLEXUS_TRY(impl_->Writable());
  PLEXUS_TRY(impl_->journal->BeginBulk());
  [[maybe_unused]] static const bool registered = (RegisterProcessEnd(), true);
  return {};
}
PLEXUS_CATCH_NO_MEMORY

Status Database::EndBulk(Progress* progress) try {
  {
    const MutexLock guard(impl_->maintenance);
    PLEXUS_TRY(impl_->Writable());
    PLEXUS_TRY(impl_->journal->EndBulk());
  }
  return Checkpoint(progress);
}
PLEXUS_CATCH_NO_MEMORY

// --- closing

bool Database::Wanted() const {
  Impl& d = *impl_;
  if (d.options.read_only || d.Copied()) return false;
  if (!d.closing.try_lock()) return false;
  const MutexLock open(d.closing, std::adopt_lock);
  return !d.closed && d.lock.IsWanted();
}

Status Database::Close() try {
  return OrNoMemory([&] {
    if (impl_->closed || impl_->Copied()) return impl_->CloseNow();
    LogScope log(impl_->options.graph.on_log, "close");
    return log.Done(impl_->CloseNow());
  });
}
PLEXUS_CATCH_NO_MEMORY

Status Database::Impl::CloseNow() {
  if (Copied()) return owner.Check("the database");
  const MutexLock one(closing);
  const bool was_closed = closed.exchange(true);
  StopKeeper();  // also when a rewrite that failed has closed the rest
  if (was_closed) return {};
  if (options.read_only) return CloseFiles();
  const MutexLock guard(maintenance);  // a rewrite replaces the journal
  return journal ? CloseWriter() : CloseFiles();
}

Status Database::Impl::CloseFiles() {
  const auto shut = [&] {
    if (store) store->Attach(nullptr);
    Status status = rocks ? rocks->Close() : Status();
    lock.Release();
    return status;
  };
  if (!owner.Here()) return shut();  // in a child of fork who reads is not there
  const MutexLock erasing(erase_mutex);
  const MutexLock renewing(renewal);
  return shut();
}

Status Database::Impl::CloseWriter() {
  if (!rocks)  // a rewrite failed half way, and has closed the rest
    return FailedPrecondition(directory, ": the database is closed");
  Status status = files->CheckHome();
  const bool failed = graph && graph->read_only();
  // What other threads append from here on is refused: the log's end stays where it is.
  journal->StopAppends();
  if (graph) (void)graph->read_only();  // waits until the last batch is in the graph, too
  if (status && graph && !failed) {
    if (journal->bulk()) status = journal->EndBulk();
    if (status) status = ScrubNow(nullptr);
    if (status) status = ForgetWords(nullptr);  // may renew graph and journal, as the next
    if (status) status = RewriteForgotten(nullptr);
    if (status && CheckpointEarned()) status = CheckpointNow(nullptr);
  }
  const MutexLock erasing(erase_mutex);
  const MutexLock renewing(renewal);
  const RocksJournal::Position end = journal->position();
  if (Status synced = journal->Close(); status && !synced) status = synced;
  if (status && failed)
    status = Fail(ErrorCode::kReadOnly, directory + ": a write had failed, reopen to go on");
  store->Attach(nullptr);
  bool no_purges = false;
  if (status && rocks) {
    if (anchor.checkpoint_sequence == end.sequence) {  // else the next opening looks anyway
      const auto any = OrNoMemory([&] { return HasPurges(rocks); });
      no_purges = any && !*any;
    }
    status = rocks->Settle();
    // The journal knows of its own records only, and RocksDB's Close syncs no log.
    if (status) status = Check(rocks->db()->SyncRest(), rocks->path());
  }
  if (rocks)  // none: a rewrite failed half way
    if (Status shut = rocks->Close(); status && !shut) status = shut;
  if (status) {
    Anchor last = anchor;
    last.clean = true;
    last.sequence = end.sequence;
    last.log_hash = end.hash;
    last.no_purges = no_purges;
    auto listed = ListGeneration(generation_path(), *files);
    if (listed) {
      last.files = *std::move(listed);
      FailPoint(options.hooks, "close.before_anchor");
      status = files->CheckHome();
      // A deleted file that came back after a power loss would not be on the list.
      if (status) status = files->SyncDirectory(generation_path());
      if (status) status = WriteAnchor(directory, last, *files);
      if (status) anchor = std::move(last);
    } else {
      status = std::unexpected(listed.error());
    }
  }
  lock.Release();
  return status;
}

StorageStats Database::stats() const {
  Impl& d = *impl_;
  StorageStats s;
  if (d.Copied()) return s;
  {
    MutexLock guard(d.keeper_mutex);
    s.background_failures = d.keeper_failures;
    s.background_error = d.keeper_error;
  }
  s.disk_bytes = d.files->TreeBytes(d.directory);
  s.history_floor = d.NotedAnchor().floor.sequence;
  {
    MutexLock guard(d.past_mutex);
    for (const Snapshot& state : d.past) s.past_cache_bytes += metrics::MeasureBytes(state).total;
  }
  const ReaderLock open(d.renewal);  // not `maintenance`: a backup may hold that for minutes
  s.payload_cache_hits = d.store->hits();
  s.payload_cache_misses = d.store->misses();
  s.payload_cache_bytes = d.store->cache_bytes();
  if (d.closed) return s;
  const Rocks::Memory memory = d.rocks->MeasureMemory();
  s.memtable_bytes = memory.memtables;
  s.table_reader_bytes = memory.table_readers;
  s.block_cache_bytes = memory.block_cache;
  // Only files: what memtables hold is in the write-ahead log as well.
  const auto files = [&](rocksdb::ColumnFamilyHandle* family) {
    return d.rocks->Property(family, rocksdb::DB::Properties::kTotalSstFilesSize);
  };
  s.log_bytes = files(d.rocks->log());
  s.payload_bytes = files(d.rocks->payload());
  s.checkpoint_bytes = files(d.rocks->checkpoint());
  if (d.journal) {
    s.tail_bytes = d.journal->tail_bytes();
    s.synced_sequence = d.journal->synced();
  } else {
    s.synced_sequence = d.report.sequence;
  }
  std::vector<DamagedCheckpoint> damaged;
  if (auto manifests = ListSoundCheckpoints(d.rocks, damaged))
    for (const Manifest& m : *manifests) s.checkpoints.push_back(m.sequence);
  std::sort(s.checkpoints.begin(), s.checkpoints.end());
  return s;
}

// --- Taking back the creation of a database that nothing was written to.
//
// Order: the anchor first says "being made" again (generation 0), so that a crash at any
// later point leaves what the next creating open begins again. The lock is held to the end.

Status Database::Discard() try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Writable());
  if (!d.report.created || d.graph->snapshot().sequence() != 0 ||
      d.journal->position().sequence != 0)
    return FailedPrecondition(d.directory, ": holds more than an empty graph made by this open");
  const MutexLock one(d.closing);
  if (d.closed.exchange(true)) return d.Usable();
  d.StopKeeper();
  MutexLock guard(d.maintenance);
  const MutexLock erasing(d.erase_mutex);
  const MutexLock renewing(d.renewal);
  Status status = d.journal->Close();
  d.store->Attach(nullptr);
  if (Status shut = d.rocks->Close(); status && !shut) status = shut;
  Anchor making = d.anchor;
  making.generation = 0;
  making.clean = false;
  making.files.clear();
  if (status) status = WriteAnchor(d.directory, making, *d.files);
  if (status) status = d.files->RemoveFolder(d.generation_path());
  for (const char* name : {"bulk", "checkpoint"})
    if (status) status = d.files->RemoveFolder(d.scratch_path(name));
  if (status) status = d.files->Remove(d.directory + "/" + kAnchorName);
  if (status) status = d.files->Remove(d.directory + "/" + kLockFileName);
  d.lock.Release();
  return status;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus

// --- StorageStats as metrics.

namespace plexus::metrics {

Result<std::vector<MetricRow>> DatabaseMetrics(Database& database) try {
  PLEXUS_ASSIGN(std::vector<MetricRow> rows, GraphMetrics(database.graph()));
  const StorageStats stats = database.stats();
  using Parts = std::vector<std::pair<const char*, std::uint64_t>>;
  const auto family = [&](std::string_view name, std::string_view help, std::string_view label,
                          const Parts& parts) {
    for (const auto& [part, value] : parts)
      rows.push_back({name, help, MetricType::kGauge, {{label, part}}, static_cast<double>(value)});
  };
  const auto add = [&](std::string_view name, std::string_view help, std::uint64_t value,
                       MetricType type = MetricType::kGauge) {
    rows.push_back({name, help, type, {}, static_cast<double>(value)});
  };
  add("plexus_disk_bytes", "All files of the directory.", stats.disk_bytes);
  family("plexus_stored_bytes", "Sorted files, by column family.", "part",
         {{"log", stats.log_bytes},
          {"payload", stats.payload_bytes},
          {"checkpoint", stats.checkpoint_bytes}});
  add("plexus_log_tail_bytes", "Log behind the newest checkpoint.", stats.tail_bytes);
  family("plexus_cache_bytes", "Memory of storage beside the graph.", "part",
         {{"memtables", stats.memtable_bytes},
          {"table_readers", stats.table_reader_bytes},
          {"block_cache", stats.block_cache_bytes},
          {"payload_cache", stats.payload_cache_bytes},
          {"past_cache", stats.past_cache_bytes}});
  add("plexus_payload_cache_hits_total", "Payloads found in the cache.", stats.payload_cache_hits,
      MetricType::kCounter);
  add("plexus_payload_cache_misses_total", "Payloads read from files.", stats.payload_cache_misses,
      MetricType::kCounter);
  add("plexus_checkpoints", "Checkpoints kept.", stats.checkpoints.size());
  add("plexus_checkpoint_sequence", "Batch of the newest checkpoint, 0 without one.",
      stats.checkpoints.empty() ? 0 : stats.checkpoints.back());
  add("plexus_history_floor", "Batch down to which the past is kept, 0 = the beginning.",
      stats.history_floor);
  add("plexus_synced_sequence", "Last batch that survives power loss.", stats.synced_sequence);
  add("plexus_background_failures_total", "Checkpoints in the background that failed.",
      stats.background_failures, MetricType::kCounter);
  return rows;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::metrics
