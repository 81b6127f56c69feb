// Graph: the queue of writers and the published state.
#include "engine/graph.h"

#include <algorithm>
#include <exception>

#include "engine/arrays/freed_memory.h"
#include "engine/bulk/edge_load.h"
#include "engine/internal/graph_impl.h"
#include "engine/internal/memory_store.h"
#include "engine/out_of_memory.h"
#include "engine/times.h"
#include "engine/vocabulary.h"

namespace plexus {

namespace {
constexpr std::size_t kGroupOps = std::size_t{1} << 20;
// A record of so many edges is folded in while the disk writes it.
constexpr std::size_t kOverlapEdges = 256;
}  // namespace

Error ReadOnlyError() {
  return {ErrorCode::kReadOnly,
          "the graph is read-only since a write to its journal failed; reopen it"};
}

Graph::Impl::Impl(GraphState state, std::shared_ptr<Journal> journal,
                  std::shared_ptr<MemoryStore> memory, const GraphOptions& options)
    : options_(options),
      one_process_((journal && !memory) || options.maintenance == Maintenance::kBackground),
      executor_(options.executor ? *options.executor : DefaultExecutor()),
      journal_(std::move(journal)),
      memory_(std::move(memory)),
      writer_(std::move(state), &executor_),
      published_{writer_.Publish(), nullptr} {}

Graph::Impl::~Impl() {
  {
    MutexLock lock(writer_mutex_);
    stop_ = true;
  }
  maintenance_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Graph::Impl::Publish() {
  auto next = writer_.Publish();
  MutexLock lock(published_mutex_);
  const int now = current_;
  published_[1 - now] = std::move(next);
  current_ = 1 - now;
  next = std::move(published_[now]);
}  // the old state, if this was its last owner, is freed after the lock

// The caller's process and time, before any lock is taken. Returns the time, the clock's when the
// caller has none.
Result<std::int64_t> Graph::Impl::MayWrite(std::int64_t time_ms) const {
  PLEXUS_TRY(CheckProcess());
  const auto now = options_.now_ms ? std::optional(options_.now_ms()) : std::nullopt;
  if (time_ms == kNoTime && now) time_ms = *now;
  PLEXUS_TRY(CheckBatchTime(time_ms, now, options_.max_ahead_ms));
  return time_ms;
}

Result<ApplyReport> Graph::Impl::Apply(const WriteBatch& batch, const ApplyOptions& options) {
  PLEXUS_ASSIGN(const std::int64_t time_ms, MayWrite(batch.time_ms()));
  Request request{&batch, options.durability == Durability::kDefault ? options_.durability
                                                                     : options.durability};
  request.time_ms = time_ms;
  std::vector<Request*> group;
  group.reserve(kGroupBatches);  // so that nothing below fails while others wait for us
  MutexLock lock(queue_mutex_);
  queue_.push_back(&request);
  while (!request.done && (leading_ || queue_.front() != &request))
    queue_mutex_.Wait(queue_changed_);
  if (request.done) return std::move(request.result);
  // This writer leads: it takes the batches that wait behind it and commits for all.
  leading_ = true;
  std::size_t ops = 0;
  while (!queue_.empty() && group.size() < kGroupBatches && (group.empty() || ops < kGroupOps)) {
    ops += queue_.front()->batch->op_count();
    group.push_back(queue_.front());
    queue_.pop_front();
  }
  lock.Unlock();
  try {
    RunGroup(group);
  } catch (const std::exception&) {  // the waiting writers must get the error
    RefuseAll(group, OutOfMemory().error());
  }
  lock.Lock();
  leading_ = false;
  for (Request* r : group) r->done = true;
  lock.Unlock();
  queue_changed_.notify_all();
  return std::move(request.result);
}

void Graph::Impl::RefuseAll(const std::vector<Request*>& group, const Error& error) {
  for (Request* r : group)
    // A conflict may be with a batch of this group, which fails now.
    if (r->result || r->result.error().code == ErrorCode::kConflict)
      r->result = std::unexpected(error);
}

bool Graph::Impl::FoldsBesideSync(const Record& record, Durability durability) const {
  return journal_ && !memory_ && durability == Durability::kSync &&
         record.edges.size() >= kOverlapEdges;
}

void Graph::Impl::RunGroup(const std::vector<Request*>& group) {
  MutexLock lock(writer_mutex_);
  if (const Status accepts = Accepts(); !accepts) return RefuseAll(group, accepts.error());
  if (read_only_) return RefuseAll(group, ReadOnlyError());
  if (auto room = WaitForRoom(); !room) return RefuseAll(group, room.error());
  std::vector<Record> records;
  records.reserve(group.size());  // PendingPayloads points into it
  auto store = Published()->payload_store;
  std::shared_ptr<PendingPayloads> pending;
  Durability durability = Durability::kNone;
  Status failed;
  bool journaled = false;
  try {
    for (Request* r : group) {
      ApplyReport report;
      auto record =
          writer_.Resolve(*r->batch, &report, pending, nullptr, r->time_ms, options_.scope);
      if (!record) {
        r->result = std::unexpected(record.error());
        continue;
      }
      r->result = std::move(report);
      durability = std::min(durability, r->durability);
      if (record->sequence == 0) continue;
      records.push_back(std::move(*record));
      if (r == group.back() && FoldsBesideSync(records.back(), durability)) {
        journaled = true;
        failed = journal_->BeginAppend(records, durability);
        if (!failed) break;
      }
      failed = writer_.Apply(records.back());
      if (!failed) break;
      if (records.back().payloads.empty()) continue;
      if (!pending) pending = std::make_shared<PendingPayloads>(store);
      pending->Add(records.back());
    }
    if (failed && journal_ && !records.empty())
      failed = journaled ? journal_->EndAppend() : journal_->Append(records, durability);
  } catch (const std::exception&) {
    failed = OutOfMemory();
  }
  if (!failed) {
    // The writer may be ahead of the journal now: it must not be used again.
    read_only_ = true;
    RefuseAll(group, failed.error());
    return LogEvent(LogLevel::kError, "journal.failed", failed.error().message);
  }
  if (records.empty()) return;
  if (auto published = PublishApplied(records.size()); !published)
    RefuseAll(group, published.error());
}

Status Graph::Impl::PublishApplied(std::size_t batches) {
  stats_.batches += batches;
  ++stats_.groups;
  try {
    if (memory_ && memory_->EpochDue()) writer_.SetPayloadStore(memory_->NextEpoch());
    Publish();
  } catch (const std::exception&) {  // in the journal, but not in the state: reopen
    read_only_ = true;
    return OutOfMemory();
  }
  if (CompactionDue()) WakeMaintenance();
  if (tidy_) {
    tidy_ = false;
    maintenance_.notify_one();
  }
  return {};
}

// The records of `loaded`, which follow `before`, some of them at a time. Returns how many batches
// the journal has: all, unless progress cancelled.
Result<std::size_t> Graph::Impl::JournalLoad(LoadedEdges& loaded, Sequence before,
                                             Durability durability, Progress* progress) {
  constexpr std::uint64_t kChanges = 1 << 21, kChangeBytes = 32;
  Sequence sequence = before;
  std::size_t next = 0;
  while (next < loaded.batch_count()) {
    if (progress && !progress->Report("writing", next, loaded.batch_count())) break;
    std::vector<std::size_t> group;
    PLEXUS_ASSIGN(const std::size_t fetched, loaded.Fetch(next));
    for (std::uint64_t changes = 0;
         next < fetched && group.size() < kGroupBatches && changes < kChanges; ++next) {
      if (loaded.HasRecord(next)) group.push_back(next);
      changes += loaded.change_count(next) + loaded.key_bytes(next) / kChangeBytes;
    }
    if (group.empty()) continue;
    PLEXUS_TRY(journal_->AppendLoad(loaded, group, sequence + 1, durability));
    sequence += group.size();
    const MutexLock lock(writer_mutex_);
    stats_.batches += group.size();
    ++stats_.groups;
  }
  return next;
}

// REQUIRES the writers' turn. Throws std::bad_alloc only before anything changed.
void Graph::Impl::Install(StateWriter next, std::shared_ptr<Journal> journal) {
  (void)next.Publish();  // so that publishing it below needs no memory
  MutexLock lock(writer_mutex_);
  while (compacting_) writer_mutex_.Wait(compacted_);
  std::swap(writer_, next);
  unfit_spaces_ = 0;
  Publish();
  lock.Unlock();
  if (!journal) return;
  const MutexLock published(published_mutex_);
  journal_.swap(journal);
}  // what was there before is freed after the locks

Status Graph::Impl::Renew(const std::function<Result<std::optional<Renewal>>()>& make) {
  PLEXUS_TRY(CheckProcess());
  Turn turn(*this);
  PLEXUS_ASSIGN(std::optional<Renewal> next, make());
  if (!next) return {};
  turn.journals = true;  // `make` may have ended the old journal
  Install(StateWriter(next->snapshot.state(), &executor_), std::move(next->journal));
  ++renewals_;
  turn.journals = false;
  return {};
}

// Takes the turn of the writer that leads, but no lock, so that the progress callback may read the
// graph.
Result<ApplyReport> Graph::Impl::Load(EdgeLoad load, Durability durability, Progress* progress) {
  PLEXUS_ASSIGN(load.time_ms, MayWrite(load.time_ms));
  if (!options_.scope.empty() && options_.scope != builtin::kDefaultScope &&
      load.plane == Plane::kFact)
    return FailedPrecondition("a load gives its nodes no scope");
  if (const MutexLock lock(writer_mutex_); !Published()->runs.empty())
    PLEXUS_TRY(FoldHoldingLock(executor_));
  const std::uint64_t renewals = renewals_;
  const auto start = Published();
  const auto written = [] {
    return FailedPrecondition("the graph was written to while it was loaded");
  };
  if (load.after && *load.after != start->sequence)
    return Fail(ErrorCode::kConflict, "the graph is at sequence " +
                                          std::to_string(start->sequence) + ", the load expects " +
                                          std::to_string(*load.after));
  if (!start->runs.empty()) return written();
  PLEXUS_ASSIGN(LoadedEdges loaded,
                LoadedEdges::Make(std::move(load), *start, executor_, progress));
  Turn turn(*this);
  PLEXUS_TRY(Accepts());
  {
    const MutexLock lock(writer_mutex_);
    if (read_only_) return std::unexpected(ReadOnlyError());
    if (writer_.sequence() != start->sequence || renewals != renewals_) return written();
  }
  StateWriter next(loaded.TakeState(), &executor_);
  bool cancelled = false;
  if (journal_) {
    turn.journals = true;
    // One fsync for all: a crash before leaves a prefix.
    const Durability each = durability == Durability::kSync ? Durability::kNone : durability;
    PLEXUS_ASSIGN(const std::size_t done, JournalLoad(loaded, start->sequence, each, progress));
    cancelled = done < loaded.batch_count();
    if (cancelled) {
      next = StateWriter(EmptyState(), &executor_);  // its memory goes before more is made
      PLEXUS_ASSIGN(GraphState state, loaded.StateBefore(done, *start, executor_));
      next = StateWriter(std::move(state), &executor_);
    }
    if (durability == Durability::kSync) PLEXUS_TRY(journal_->WaitDurable(next.sequence()));
  }
  Install(std::move(next), nullptr);
  turn.journals = false;
  if (options_.return_freed_memory) ReturnFreedMemory();
  if (cancelled) return Cancelled("loading was stopped");
  return loaded.report();
}

Status Graph::Impl::Compact() {
  PLEXUS_TRY(CheckProcess());
  MutexLock lock(writer_mutex_);
  PLEXUS_TRY(CompactVectors(0, ~std::uint64_t{0}));
  PLEXUS_TRY(FoldHoldingLock(executor_));
  PLEXUS_TRY(PackState({0, 64}));
  lock.Unlock();
  if (options_.return_freed_memory) ReturnFreedMemory();
  return {};
}

Status Graph::Impl::WaitDurable(Sequence sequence) {
  PLEXUS_TRY(CheckProcess());
  const auto journal = SharedJournal();
  return journal ? journal->WaitDurable(sequence) : Status();
}

Graph::Graph(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Graph::~Graph() {
  // Its threads are not there to be joined, its locks may be held by them for ever.
  if (impl_ && impl_->Copied()) (void)impl_.release();
}

namespace {
// A base keeps what is computed of it, and all empty snapshots have one.
GraphState StateOf(const Snapshot& start) {
  GraphState state = start.state();
  if (state.base == Snapshot().state().base) state.base = EmptyState().base;
  return state;
}
}  // namespace

std::unique_ptr<Graph> Graph::InMemory(const GraphOptions& options) try {
  return InMemory(options, Snapshot());
} catch (const std::exception&) {
  return nullptr;
}

std::unique_ptr<Graph> Graph::InMemory(const GraphOptions& options, const Snapshot& start) try {
  GraphState state = StateOf(start);
  auto store = std::make_shared<MemoryStore>(state.payload_store, state.sequence);
  state.payload_store = store->NextEpoch();
  return std::unique_ptr<Graph>(
      new Graph(std::make_unique<Impl>(std::move(state), store, store, options)));
} catch (const std::exception&) {
  return nullptr;
}

std::unique_ptr<Graph> Graph::Open(const Snapshot& start, std::shared_ptr<Journal> journal,
                                   const GraphOptions& options,
                                   std::shared_ptr<const PayloadStore> payloads) try {
  GraphState state = StateOf(start);
  if (payloads) state.payload_store = std::move(payloads);
  return std::unique_ptr<Graph>(
      new Graph(std::make_unique<Impl>(std::move(state), std::move(journal), nullptr, options)));
} catch (const std::exception&) {
  return nullptr;
}

Snapshot Graph::snapshot() const { return Snapshot(impl_->Published()); }

Result<ApplyReport> Graph::Apply(const WriteBatch& batch, const ApplyOptions& options) {
  return OrNoMemory([&] { return impl_->Apply(batch, options); });
}

Result<ApplyReport> Graph::Load(EdgeLoad load, const ApplyOptions& options, Progress* progress) {
  const Durability durability =
      options.durability == Durability::kDefault ? impl_->options_.durability : options.durability;
  return OrNoMemory([&] { return impl_->Load(std::move(load), durability, progress); });
}

Status Graph::WaitDurable(Sequence sequence) {
  return OrNoMemory([&] { return impl_->WaitDurable(sequence); });
}

Status Graph::Replay(std::span<const Record> records, const ReplayOptions& options) {
  return OrNoMemory([&] { return impl_->Replay(records, options); });
}

Status Graph::Renew(const std::function<Result<std::optional<Renewal>>()>& make) {
  return OrNoMemory([&] { return impl_->Renew(make); });
}

Status Graph::Compact() {
  return OrNoMemory([&] { return impl_->Compact(); });
}

// In a child of fork a thread that is not there may hold the lock for ever.
bool Graph::read_only() const {
  if (impl_->Copied()) return true;
  MutexLock lock(impl_->writer_mutex_);
  return impl_->read_only_;
}

GraphStats Graph::stats() const {
  if (impl_->Copied()) return {};
  MutexLock lock(impl_->writer_mutex_);
  return impl_->stats_;
}

Status Graph::CheckProcess() const {
  return OrNoMemory([&] { return impl_->CheckProcess(); });
}

const GraphOptions& Graph::options() const { return impl_->options_; }

}  // namespace plexus
