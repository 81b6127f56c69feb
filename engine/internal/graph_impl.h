// The inside of a Graph, shared by the files that implement it: graph.cc (writers, readers)
// and graph_maintenance.cc (compaction).
//
// Three locks: `queue_mutex_` orders writers and is held together with no other; `writer_mutex_`
// guards the StateWriter (the leader holds it while it resolves, journals and publishes; compaction
// only to pin and to install); `published_mutex_`, taken after it, guards a pointer for the length
// of a copy.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "engine/arrays/owner.h"
#include "engine/graph.h"
#include "engine/internal/memory_store.h"
#include "engine/mutex.h"
#include "engine/writer/state_writer.h"

namespace plexus {

class LoadedEdges;  // engine/bulk/edge_load.h

class Graph::Impl {
 public:
  // `memory`: the journal of a graph in RAM; without it one that writes files, or none.
  Impl(GraphState state, std::shared_ptr<Journal> journal, std::shared_ptr<MemoryStore> memory,
       const GraphOptions& options);
  ~Impl();

  std::shared_ptr<const FrozenState> Published() const {
    if (Copied()) [[unlikely]]  // a thread that is not there may hold the lock, but none writes
      return Current();
    MutexLock lock(published_mutex_);
    return Current();
  }
  // REQUIRES that nothing is published meanwhile: who holds either mutex of the two that Publish
  // holds may read, and the analysis knows no "either".
  const std::shared_ptr<const FrozenState>& Current() const PLEXUS_NO_THREAD_SAFETY_ANALYSIS {
    return published_[current_];
  }
  Result<ApplyReport> Apply(const WriteBatch& batch, const ApplyOptions& options);
  Result<ApplyReport> Load(EdgeLoad load, Durability durability, Progress* progress);
  Status Replay(std::span<const Record> records, const ReplayOptions& options);
  Result<std::size_t> JournalLoad(LoadedEdges& loaded, Sequence before, Durability durability,
                                  Progress* progress);
  Status Renew(const std::function<Result<std::optional<Renewal>>()>& make);
  Status Compact();
  Status WaitDurable(Sequence sequence);
  // Whether this is a child's copy of what only the parent may use.
  bool Copied() const { return one_process_ && !owner_.Here(); }
  Status CheckProcess() const { return one_process_ ? owner_.Check("the graph") : Status(); }

  // The turn of the writer that leads, without a lock, for work that is no batch.
  class Turn {
   public:
    explicit Turn(Impl& impl) : impl_(impl) {
      const MutexLock queue(impl.queue_mutex_);
      while (impl.leading_) impl.queue_mutex_.Wait(impl.queue_changed_);
      impl.leading_ = true;
    }
    ~Turn() {
      if (journals) {
        const MutexLock lock(impl_.writer_mutex_);
        impl_.read_only_ = true;
      }
      {
        const MutexLock queue(impl_.queue_mutex_);
        impl_.leading_ = false;
      }
      impl_.queue_changed_.notify_all();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    bool journals = false;  // the writer may be behind the journal

   private:
    Impl& impl_;
  };

  struct Request {
    const WriteBatch* batch;
    Durability durability;
    Result<ApplyReport> result = ApplyReport();
    bool done = false;
    std::int64_t time_ms = kNoTime;
  };

  Result<std::int64_t> MayWrite(std::int64_t time_ms) const;
  bool FoldsBesideSync(const Record& record, Durability durability) const;
  void RunGroup(const std::vector<Request*>& group) PLEXUS_EXCLUDES(queue_mutex_, writer_mutex_);
  void RefuseAll(const std::vector<Request*>& group, const Error& error);
  // These give the mutex up for what takes long.
  Status WaitForRoom() PLEXUS_REQUIRES(writer_mutex_);
  template <class Work>
  Status Compacting(Work&& work) PLEXUS_REQUIRES(writer_mutex_);
  Status FoldHoldingLock(Executor& executor) PLEXUS_REQUIRES(writer_mutex_);
  Status CompactVectors(std::uint64_t least, std::uint64_t divisor) PLEXUS_REQUIRES(writer_mutex_);
  Status PackState(const PackLimits& limits) PLEXUS_REQUIRES(writer_mutex_);
  void Publish() PLEXUS_REQUIRES(writer_mutex_) PLEXUS_EXCLUDES(published_mutex_);
  // Without a journal the old one stays.
  void Install(StateWriter next, std::shared_ptr<Journal> journal) PLEXUS_EXCLUDES(writer_mutex_);
  // Of `batches` that are in the journal, as RunGroup does. kResourceExhausted: read-only from now
  // on.
  Status PublishApplied(std::size_t batches) PLEXUS_REQUIRES(writer_mutex_);
  bool CompactionDue() const PLEXUS_REQUIRES(writer_mutex_);
  std::uint64_t Limit(std::uint64_t least, std::uint64_t divisor) const
      PLEXUS_REQUIRES(writer_mutex_);
  bool WakeMaintenance() noexcept PLEXUS_REQUIRES(writer_mutex_);
  void MaintenanceLoop() PLEXUS_EXCLUDES(writer_mutex_);
  void TellCompacted() noexcept;
  // Tells the host, without the mutex.
  void LogEvent(LogLevel level, std::string_view event, std::string_view message,
                std::initializer_list<LogField> fields = {}) PLEXUS_REQUIRES(writer_mutex_);

  GraphOptions options_;
  const Owner owner_;
  const bool one_process_;  // files or a thread, which a child of fork does not have
  Executor& executor_;
  // Changed by who has the writers' turn, under published_mutex_; others ask SharedJournal().
  std::shared_ptr<Journal> journal_;
  std::shared_ptr<Journal> SharedJournal() const {
    const MutexLock lock(published_mutex_);
    return journal_;
  }
  // REQUIRES the writers' turn: another journal may take its place outside of it.
  Status Accepts() const { return journal_ ? journal_->Accepts() : Status(); }
  const std::shared_ptr<MemoryStore> memory_;  // the journal of a graph in RAM, else null

  Mutex queue_mutex_;
  std::condition_variable queue_changed_;
  std::deque<Request*> queue_ PLEXUS_GUARDED_BY(queue_mutex_);
  bool leading_ PLEXUS_GUARDED_BY(queue_mutex_) = false;

  mutable Mutex writer_mutex_ PLEXUS_ACQUIRED_BEFORE(published_mutex_);
  std::condition_variable compacted_;
  StateWriter writer_ PLEXUS_GUARDED_BY(writer_mutex_);
  bool read_only_ PLEXUS_GUARDED_BY(writer_mutex_) = false;
  bool compacting_ PLEXUS_GUARDED_BY(writer_mutex_) = false;
  bool stop_ PLEXUS_GUARDED_BY(writer_mutex_) = false;
  // A bit for each space that cannot be compacted.
  std::uint64_t unfit_spaces_ PLEXUS_GUARDED_BY(writer_mutex_) = 0;
  bool wanted_ PLEXUS_GUARDED_BY(writer_mutex_) = false;  // the maintenance thread has work
  // It has looked since the last batch, when the writers paused.
  bool tidy_ PLEXUS_GUARDED_BY(writer_mutex_) = true;
  std::atomic<int> waiting_{0};  // writers that wait for it
  std::atomic<std::uint64_t> renewals_{0};  // states that Renew has put in place
  std::condition_variable maintenance_;
  Status last_compaction_ PLEXUS_GUARDED_BY(writer_mutex_);
  GraphStats stats_ PLEXUS_GUARDED_BY(writer_mutex_);

  mutable Mutex published_mutex_;
  // The current one is whole at any moment, so also where a fork copies it.
  std::shared_ptr<const FrozenState> published_[2] PLEXUS_GUARDED_BY(published_mutex_);
  std::atomic<int> current_{0};
  std::thread thread_;
};

inline constexpr std::size_t kGroupBatches = 256;

Error ReadOnlyError();
}  // namespace plexus
