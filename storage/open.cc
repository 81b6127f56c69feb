// The guarded open: lock, look, compare, load, and only then write.
//
// 1. Take our lock. 2. Read the anchor; after a clean close compare every file with
// it. If the checkpoint it names holds all that the log does, load that and go on with 6.
// 3. Open RocksDB read-only with kAbsoluteConsistency; after a crash, when that
// fails, once more with kTolerateCorruptedTailRecords. 4. Compare the log's end and
// the checkpoint with the anchor. 5. Load checkpoint and tail through that look.
// 6. Mark the anchor as open, then open RocksDB for writing. A file that RocksDB
// would have misread or deleted was refused before step 6. Read-only it is steps 2 to 5
// over the files of one moment (pinned_files.h), without the lock.
#include <sys/random.h>
#include <unistd.h>

#include <chrono>
#include <exception>

#include "engine/arrays/freed_memory.h"
#include "engine/out_of_memory.h"
#include "storage/base/plain_files.h"
#include "storage/database_impl.h"

namespace plexus {

using namespace storage_internal;

namespace {

constexpr int kLooks = 4;  // that damage is confirmed by when a writer continues

// The journal of a read-only graph: Apply fails.
class RefusingJournal : public Journal {
 public:
  Status Accepts() const override {
    return Fail(ErrorCode::kReadOnly, "the database is open read-only");
  }
  Status Append(std::span<const Record>, Durability) override { return Accepts(); }
  Status WaitDurable(Sequence) override { return {}; }
};

// The end of a log, against what the anchor promises. `hash`: of the anchor's record.
Status CompareEnd(const std::string& path, const Anchor& anchor, Sequence end, std::uint64_t hash) {
  if (end < anchor.sequence)
    return Corrupted(path, ": the log ends at record ", end, ", the anchor has seen ",
                     anchor.sequence);
  if (anchor.clean && end != anchor.sequence)
    return Corrupted(path, ": the log goes on to record ", end, " after a close at ",
                     anchor.sequence);
  if (anchor.sequence > 0 && hash != anchor.log_hash)
    return Corrupted(path, ": log record ", anchor.sequence,
                     ": its running hash is not the anchor's");
  return {};
}

// The log's end as the look sees it. After a clean close it is what loading comes to.
Status CompareLog(const std::shared_ptr<Rocks>& rocks, const Anchor& anchor) {
  PLEXUS_ASSIGN(const std::optional<RecordHead> last, LastRecord(rocks));
  const LogPoint floor = FloorOf(anchor);
  const LogPoint end = last && last->sequence > floor.sequence
                           ? LogPoint{last->sequence, last->running_hash}
                           : floor;
  std::uint64_t hash = floor.hash;
  if (end.sequence == anchor.sequence) {
    hash = end.hash;
  } else if (anchor.sequence > floor.sequence && end.sequence > anchor.sequence) {
    PLEXUS_ASSIGN(const RecordHead head, ReadRecordHead(rocks, anchor.sequence));
    hash = head.running_hash;
  }
  return CompareEnd(rocks->path(), anchor, end.sequence, hash);
}

// That the anchor's checkpoint is there.
Status CompareCheckpoint(const std::shared_ptr<Rocks>& rocks, const Anchor& anchor, bool strict,
                         std::vector<DamagedCheckpoint>& damaged) {
  if (anchor.checkpoint_id == 0) return {};
  PLEXUS_ASSIGN(const std::vector<Manifest> manifests,
                strict ? ListCheckpoints(rocks) : ListSoundCheckpoints(rocks, damaged));
  for (const Manifest& m : manifests)
    if (m.id == anchor.checkpoint_id && m.digest == anchor.checkpoint_digest) return {};
  const std::string what =
      "checkpoint " + std::to_string(anchor.checkpoint_id) + " of the anchor is missing or another";
  if (strict) return Corrupted(rocks->path(), ": ", what);
  MergeDamage(damaged,
              {DescribeDamage(rocks, anchor.checkpoint_id, anchor.checkpoint_sequence, what)});
  return {};
}

// The log's end instead of the graph.
Result<Loaded> FindEnd(const std::shared_ptr<Rocks>& rocks, const LoadRequest& request) {
  PLEXUS_ASSIGN(const std::optional<RecordHead> last, LastRecord(rocks));
  Loaded loaded;
  loaded.point = request.floor;
  if (last && last->sequence > request.floor.sequence)
    loaded.point = {last->sequence, last->running_hash};
  GraphState nothing = EmptyState();
  nothing.sequence = loaded.point.sequence;
  nothing.payload_store = request.payloads;
  loaded.state = std::make_shared<const FrozenState>(std::move(nothing));
  return loaded;
}

// What RocksDB calls an I/O error is mostly a file that its MANIFEST names and that is not there:
// damage, unless the system refuses.
Error ErrorOfOpening(Error error) {
  bool refused = false;
  for (const char* text :
       {"Permission denied", "Input/output error", "Too many open files", "Cannot allocate memory"})
    refused |= error.message.find(text) != std::string::npos;
  if (!refused && (error.code == ErrorCode::kIo || error.code == ErrorCode::kNotFound))
    error.code = ErrorCode::kCorruption;
  return error;
}

GraphId RandomId() {
  GraphId id;
  if (getrandom(&id, sizeof id, 0) != sizeof id || id == GraphId{}) {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    id = {static_cast<std::uint64_t>(now), static_cast<std::uint64_t>(getpid())};
  }
  return id;
}

}  // namespace

// A new database: an anchor of generation 0 ("being made"), RocksDB, the real
// anchor. A crash in between is recognised by the 0 and begun again.
Status Database::Impl::CreateIfAsked() {
  PLEXUS_TRY(MustBePlain(directory, 0, *files));
  auto found = ReadAnchor(directory, *files);
  if (found && found->generation != 0) {
    anchor = *std::move(found);
    return {};
  }
  if (!found && found.error().code != ErrorCode::kNotFound) return std::unexpected(found.error());
  if (!options.create) {
    if (found) return NotFound(directory, ": was never completely created");
    return std::unexpected(found.error());
  }
  const std::string path = GenerationPath(directory, 1);
  if (!found) {
    PLEXUS_TRY(MustBePlainDirectory(path));
    anchor = {};
    anchor.generation = 0;
    anchor.graph_id = RandomId();
    PLEXUS_TRY(WriteAnchor(directory, anchor, *files));
  } else {
    anchor = *std::move(found);
  }
  PLEXUS_TRY(files->RemoveFolder(path));
  {
    PLEXUS_ASSIGN(std::shared_ptr<Rocks> made, Rocks::Open(path, Rocks::Mode::kCreate, files));
    PLEXUS_TRY(made->FlushAll());
    PLEXUS_TRY(made->Close());
  }
  FailPoint(options.hooks, "open.created");
  anchor.generation = 1;
  anchor.log_hash = FirstHash(anchor.graph_id);
  report.created = true;
  return WriteAnchor(directory, anchor, *files);
}

void Database::Impl::NoteLoaded(const Loaded& loaded) {
  point = loaded.point;
  report.sequence = loaded.point.sequence;
  report.checkpoint_sequence = loaded.checkpoint_sequence;
  report.checkpoint_bytes = loaded.checkpoint_bytes;
  report.replayed_records = loaded.replayed_records;
}

// The anchor proves the files that RocksDB would open, and they hold nothing that the checkpoint
// does not: RocksDB is opened by who first asks it for more. Where this fails, the look says why.
Result<Loaded> Database::Impl::LoadWithoutLook(const ClosedCheckpoint& from,
                                               const std::shared_ptr<Files>& through) {
  // RocksDB has no digests of its own for all that it reads then: a list of files that seems to end
  // early hides records. What is changed in sorted files it finds by itself.
  const std::string path = generation_path();
  const auto listed = anchor.files;
  const auto compare = [path, listed, through] {
    std::vector<ChangedFile> changed;
    return CompareGeneration(path, listed, *through, &changed);
  };
  rocks = Rocks::OpenLater(path, through, compare);
  store->Attach(rocks);
  NoteAnchor();
  LoadRequest request = Request();
  request.closed = &from;
  request.target = anchor.sequence;
  auto loaded = LoadClosed(rocks, request);
  if (loaded && loaded->point.hash == anchor.log_hash) {
    at_log_end = true;
    const MutexLock guard(purge_mutex);
    purged.clear();
    to_scrub.clear();
    NoteLoaded(*loaded);
    return loaded;
  }
  store->Attach(nullptr);
  rocks.reset();
  return Corrupted("not the checkpoint of the anchor");
}

Result<Loaded> Database::Impl::OpenReadOnlyAndLoad(bool live_writer,
                                                   std::shared_ptr<Files> through) {
  const std::string path = generation_path();
  if (!through) through = files;
  PLEXUS_TRY(MustBePlain(directory, anchor.generation, *files));
  if (!through->Exists(path)) return Corrupted(path, ": is missing, the anchor names it");
  std::vector<ChangedFile> changed;
  std::unique_ptr<ClosedCheckpoint> closed_one;
  if (anchor.clean) {
    PLEXUS_TRY(
        CompareGeneration(path, anchor.files, *through, options.strict ? nullptr : &changed));
    if (changed.empty()) closed_one = FindClosedCheckpoint(path, anchor, through);
    if (closed_one && !without_graph && anchor.no_purges &&
        anchor.checkpoint_sequence == anchor.sequence)
      if (auto loaded = LoadWithoutLook(*closed_one, through)) return *std::move(loaded);
  }
  auto look = Rocks::Open(path, Rocks::Mode::kReadOnly, through);
  at_log_end = look.has_value();
  if (!look && !anchor.clean) {
    const std::string why = look.error().message;
    look = Rocks::Open(path, Rocks::Mode::kReadOnlyTolerant, through);
    if (look && !live_writer) {
      report.tail_dropped = true;
      report.tail_message = "a torn end of the write-ahead log was left out: " + why;
      if (options.strict) return Corrupted(report.tail_message);
    }
  }
  if (!look) {
    if (!changed.empty()) return Corrupted(changed.front().message);
    return std::unexpected(ErrorOfOpening(look.error()));
  }
  rocks = *look;
  PLEXUS_ASSIGN(const std::vector<DamagedCheckpoint> of_files, DamageOfFiles(rocks, changed));
  std::vector<DamagedCheckpoint> damaged;
  if (!anchor.clean) PLEXUS_TRY(CompareLog(rocks, anchor));
  PLEXUS_TRY(CompareCheckpoint(rocks, anchor, options.strict, damaged));
  store->Attach(rocks);
  NoteAnchor();
  LoadRequest request = Request();
  request.closed = closed_one.get();
  for (const DamagedCheckpoint& d : damaged)
    if (d.id == anchor.checkpoint_id) request.without = d.id;
  PLEXUS_ASSIGN(Loaded loaded, without_graph ? FindEnd(rocks, request) : LoadState(rocks, request));
  if (anchor.clean) PLEXUS_TRY(CompareEnd(path, anchor, loaded.point.sequence, loaded.point.hash));
  {
    const MutexLock guard(purge_mutex);
    PLEXUS_ASSIGN(purged, ReadPurges(rocks, kPurgedPrefix, loaded.point.sequence));
    PLEXUS_ASSIGN(to_scrub, ReadPurges(rocks, kScrubPrefix, loaded.point.sequence));
  }
  NoteLoaded(loaded);
  report.damaged_checkpoints = loaded.damaged;
  MergeDamage(report.damaged_checkpoints, damaged);
  MergeDamage(report.damaged_checkpoints, of_files);
  for (DamagedCheckpoint& d : report.damaged_checkpoints) {
    d.read_instead = loaded.checkpoint_sequence;
    d.replayed = loaded.replayed_records;
  }
  return loaded;
}

void Database::Impl::StartGraph(const Loaded& loaded, std::shared_ptr<Journal> to) {
  graph = Graph::Open(Snapshot(loaded.state), std::move(to), options.graph);
  if (!graph) throw std::bad_alloc();
  shown_generation = anchor.generation;
}

Status Database::Impl::AttachWriter(const Loaded& loaded) {
  // After a crash what was recovered goes to sorted files: a torn end must not stay behind.
  const Rocks::Mode mode = anchor.clean ? Rocks::Mode::kWriteClean : Rocks::Mode::kWrite;
  anchor.clean = false;
  anchor.files.clear();
  anchor.no_purges = false;
  PLEXUS_TRY(WriteAnchor(directory, anchor, *files));
  for (const char* name : kScratchNames) PLEXUS_TRY(files->RemoveFolder(directory + "/" + name));
  // Left over by a hard purge that a crash ended before or after its switch.
  PLEXUS_ASSIGN(const std::vector<std::string> names, files->List(directory));
  for (const std::string& name : names)
    if (GenerationOf(name) > 0 && GenerationOf(name) != anchor.generation)
      PLEXUS_TRY(files->RemoveFolder(directory + "/" + name));
  auto opened = Rocks::Open(generation_path(), mode, files);
  if (!opened) {  // a file that its MANIFEST names and that is not there is damage
    Error error = opened.error();
    if (error.code == ErrorCode::kNotFound || error.message.contains("No such file"))
      error.code = ErrorCode::kCorruption;
    return std::unexpected(std::move(error));
  }
  rocks = *std::move(opened);
  PLEXUS_ASSIGN(const Sequence end,
                LastSequence(rocks, anchor.floor_sequence, loaded.point.sequence));
  if (end != loaded.point.sequence)
    return Corrupted(rocks->path(), ": opened for writing it ends at record ", end,
                     ", before it was ", loaded.point.sequence);
  store->Attach(rocks);
  store->Own();
  RocksJournal::Options to;
  to.durability = options.graph.durability == Durability::kDefault ? Durability::kSync
                                                                   : options.graph.durability;
  to.bulk_scratch = scratch_path("bulk");
  to.executor = options.graph.executor;
  to.on_purge = [this](NodeId node, Sequence sequence) {
    {
      MutexLock guard(purge_mutex);
      purged[node] = sequence;
      to_scrub[node] = sequence;
    }
    MutexLock guard(past_mutex);
    past.clear();
  };
  to.on_append = [this](std::uint64_t tail_bytes) {
    try {
      OnAppended(tail_bytes);
    } catch (const std::exception&) {  // the record is written; the next one tries again
    }
  };
  // Who reads a payload may hold neither locks nor the database.
  to.on_bulk = [this](Sequence first_pending, std::weak_ptr<RocksJournal> to_flush) {
    store->SetPending(first_pending, [to_flush = std::move(to_flush)]() -> Status {
      const auto pending = to_flush.lock();
      return pending ? pending->FlushBulk() : Status();
    });
  };
  journal = std::make_shared<RocksJournal>(rocks, loaded.point.sequence, loaded.point.hash,
                                           std::move(to));
  journal->ResetTail(loaded.tail_bytes);
  if (closed) journal->StopAppends();  // rewritten by Close: no other opening may go on
  checkpoint_bytes = loaded.checkpoint_bytes;
  return {};
}

// The anchor of a clean close, if the files are as it says. An old MANIFEST that is gone may come
// back after a power loss: then the anchor stays open, and the next opening looks.
Status Database::Impl::PutBack(Anchor before) {
  const std::string path = generation_path();
  if (!CompareGeneration(path, before.files, *files)) return {};
  PLEXUS_TRY(files->SyncDirectory(path));
  PLEXUS_TRY(WriteAnchor(directory, before, *files));
  anchor = std::move(before);
  return {};
}

Status Database::Impl::OpenForWriting() {
  PLEXUS_TRY(MayWriteHere(directory));
  if (options.create && !files->Exists(directory + "/" + kAnchorName))
    PLEXUS_TRY(MustBeOutside(directory));
  if (options.create && !files->Exists(directory)) PLEXUS_TRY(files->MakeDirectory(directory));
  if (!files->Exists(directory)) return NotFound(directory, ": does not exist");
  if (!options.create && !files->Exists(directory + "/" + kAnchorName))
    return std::unexpected(NoAnchor(directory));
  PLEXUS_ASSIGN(lock, LockFile::Take(directory, options.lock_wait_ms, options.on_lock_wait));
  files->SetHome(directory);
  PLEXUS_TRY(CreateIfAsked());
  if (!anchor.source.empty() && !options.replica_of)
    return Fail(ErrorCode::kReadOnly, directory + ": is a replica of " + anchor.source +
                                          ", which takes the writes; 'plexus promote --db " +
                                          directory + "' makes it a writer");
  if (!anchor.source.empty() && !options.replica_of->empty()) anchor.source = *options.replica_of;
  report.was_clean = anchor.clean;
  PLEXUS_ASSIGN(const Loaded loaded, OpenReadOnlyAndLoad(false));
  // The look must be closed before RocksDB opens the same files for writing.
  store->Attach(nullptr);
  const bool looked = !rocks->waits();
  PLEXUS_TRY(rocks->Close());
  rocks.reset();
  const Anchor before = anchor;
  if (Status attached = AttachWriter(loaded); !attached) {
    // RocksDB found what a look would have found, and has changed nothing.
    if (!looked && !rocks) (void)PutBack(before);
    return attached;
  }
  PLEXUS_TRY(ErasePurges());
  PLEXUS_TRY(BeginReplica());
  StartGraph(loaded, journal);
  const std::uint64_t generation = anchor.generation;
  const std::size_t unfinished = [&] {
    const MutexLock guard(purge_mutex);
    return to_scrub.size();
  }();
  if (unfinished > 0) {
    report.finished_purges = unfinished;
    PLEXUS_TRY(ScrubNow(nullptr));
    PLEXUS_TRY(ForgetWords(nullptr));
  }
  PLEXUS_TRY(FinishForgetting());
  // A new generation was written without the damaged checkpoints.
  return anchor.generation == generation ? ReplaceDamaged() : Status();
}

// One moment of the directory is held and read; a writer that continues cannot hurt it. What
// is damaged there is damaged. As a second look costs little where it matters, an alarm
// is given only when nothing has changed since, or other moments show damage as well.
Status Database::Impl::OpenForReading() {
  for (int look = 1;; ++look) {
    report = {};
    rocks.reset();
    PLEXUS_ASSIGN(pinned, PinnedFiles::Take(directory));
    anchor = pinned->anchor();
    if (anchor.generation == 0) return NotFound(directory, ": is just being created");
    report.was_clean = anchor.clean;
    // A writer that finished in between counts: its log may have been half written.
    report.live_writer = !anchor.clean && (LockFile::IsHeld(directory) || pinned->Moved());
    auto loaded = OpenReadOnlyAndLoad(report.live_writer, std::make_shared<Files>(*files, pinned));
    if (loaded) {
      StartGraph(*loaded, std::make_shared<RefusingJournal>());
      return {};
    }
    store->Attach(nullptr);
    if (loaded.error().code != ErrorCode::kCorruption || look == kLooks || !pinned->Moved())
      return std::unexpected(loaded.error());
  }
}

namespace {
// Not opened yet.
std::unique_ptr<Database::Impl> MakeImpl(const std::string& directory, const OpenOptions& options) {
  Rocks::when_first_opened = RegisterProcessEnd;
  auto impl = std::make_unique<Database::Impl>();
  impl->directory = directory;
  impl->options = options;
  impl->files = std::make_shared<Files>(options.hooks);
  impl->store = std::make_shared<RocksPayloadStore>(options.payload_cache_bytes);
  return impl;
}

// What was found, and what of it is no good.
void LogOpened(const Database::Impl& d, std::uint64_t ms) {
  const LogCallback& log = d.options.graph.on_log;
  const OpenReport& r = d.report;
  if (r.tail_dropped) Log(log, LogLevel::kWarning, "open.tail_dropped", r.tail_message);
  for (const DamagedCheckpoint& damaged : r.damaged_checkpoints)
    Log(log, LogLevel::kWarning, "checkpoint.damaged", DamageMessage(damaged));
  Log(log, LogLevel::kInfo, "open.ended", d.directory,
      {{"sequence", r.sequence},
       {"checkpoint", r.checkpoint_sequence},
       {"replayed", r.replayed_records},
       {"ms", ms}});
}
}  // namespace

Result<std::unique_ptr<Database>> Database::Open(const std::string& directory,
                                                 const OpenOptions& options) try {
  const auto start = std::chrono::steady_clock::now();
  std::unique_ptr<Impl> impl = MakeImpl(directory, options);
  while (impl->directory.size() > 1 && impl->directory.back() == '/') impl->directory.pop_back();
  if (impl->options.checkpoints_kept < 1) impl->options.checkpoints_kept = 1;
  impl->erase_mutex.hooks = options.hooks;
  Status opened;
  {
    const MutexLock guard(impl->maintenance);
    opened = options.read_only ? impl->OpenForReading() : impl->OpenForWriting();
  }
  if (opened && !options.read_only) impl->OnAppended(impl->journal->tail_bytes());
  if (!opened && opened.error().code == ErrorCode::kCorruption)
    return Corrupted(opened.error().message, "; 'plexus repair --db ", impl->directory,
                     " --to NEW' saves what can be saved");
  PLEXUS_TRY(opened);
  if (options.graph.return_freed_memory) ReturnMoreFreedMemory();
  LogOpened(*impl, MsSince(start));
  return std::unique_ptr<Database>(new Database(std::move(impl)));
}
PLEXUS_CATCH_NO_MEMORY

Result<std::unique_ptr<Database>> Database::Impl::OpenWithoutGraph(const std::string& directory,
                                                                   Executor& executor) {
  OpenOptions options;
  options.read_only = true;
  options.graph.executor = &executor;
  std::unique_ptr<Impl> impl = MakeImpl(directory, options);
  impl->without_graph = true;
  {
    const MutexLock guard(impl->maintenance);
    PLEXUS_TRY(impl->OpenForReading());
  }
  return std::unique_ptr<Database>(new Database(std::move(impl)));
}

std::string Database::FolderAround(const std::string& path) {
  return storage_internal::GraphAround(path);
}

bool Database::Exists(const std::string& directory) {
  return Files().Exists(directory + "/" + kAnchorName);
}

}  // namespace plexus
