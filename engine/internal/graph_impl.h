// The inside of a Graph, shared by the files that implement it: graph.cc (writers, readers)
// and graph_maintenance.cc (compaction).
//
// Three locks, taken in this order and never held across another's wait:
// `queue_mutex_` orders writers, `writer_mutex_` guards the StateWriter (the leader
// holds it while it resolves, journals and publishes; compaction only to pin and
// to install), `published_mutex_` guards a pointer for the length of a copy.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/arrays/owner.h"
#include "engine/graph.h"
#include "engine/internal/memory_store.h"
#include "engine/state_writer.h"

namespace plexus {

class LoadedEdges;  // engine/bulk/edge_load.h

class Graph::Impl {
 public:
  // `memory`: the journal of a graph in RAM; without it one that writes files, or none.
  Impl(GraphState state, std::shared_ptr<Journal> journal, std::shared_ptr<MemoryStore> memory,
       const GraphOptions& options);
  ~Impl();

  std::shared_ptr<const GraphState> Published() const {
    if (Copied()) [[unlikely]]  // a thread that is not there may hold the lock, but none writes
      return Current();
    std::lock_guard lock(published_mutex_);
    return Current();
  }
  // REQUIRES that nothing is published meanwhile.
  const std::shared_ptr<const GraphState>& Current() const { return published_[current_]; }
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
      std::unique_lock queue(impl.queue_mutex_);
      impl.queue_changed_.wait(queue, [&] { return !impl.leading_; });
      impl.leading_ = true;
    }
    ~Turn() {
      if (journals) {
        const std::lock_guard lock(impl_.writer_mutex_);
        impl_.read_only_ = true;
      }
      {
        const std::lock_guard queue(impl_.queue_mutex_);
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
  void RunGroup(const std::vector<Request*>& group);
  void RefuseAll(const std::vector<Request*>& group, const Error& error);
  Status WaitForRoom(std::unique_lock<std::mutex>& lock);
  template <class Work>
  Status Compacting(std::unique_lock<std::mutex>& lock, Work&& work);
  Status FoldHoldingLock(std::unique_lock<std::mutex>& lock, Executor& executor);
  Status CompactVectors(std::unique_lock<std::mutex>& lock, std::uint64_t least,
                        std::uint64_t divisor);
  Status PackState(std::unique_lock<std::mutex>& lock, const PackLimits& limits);
  void Publish();
  void Install(StateWriter next, std::shared_ptr<Journal> journal);  // null: the journal stays
  // Of `batches` that are in the journal, as RunGroup does. kResourceExhausted: read-only from now
  // on.
  Status PublishApplied(std::size_t batches);
  bool CompactionDue() const;
  std::uint64_t Limit(std::uint64_t least, std::uint64_t divisor) const;
  bool WakeMaintenance() noexcept;
  void MaintenanceLoop();
  void TellCompacted() noexcept;
  // Tells the host, without the lock.
  void LogEvent(std::unique_lock<std::mutex>& lock, LogLevel level, std::string_view event,
                std::string_view message, std::initializer_list<LogField> fields = {});

  GraphOptions options_;
  const Owner owner_;
  const bool one_process_;  // files or a thread, which a child of fork does not have
  Executor& executor_;
  // Changed by who has the writers' turn, under published_mutex_; others ask SharedJournal().
  std::shared_ptr<Journal> journal_;
  std::shared_ptr<Journal> SharedJournal() const {
    const std::lock_guard lock(published_mutex_);
    return journal_;
  }
  // REQUIRES the writers' turn: another journal may take its place outside of it.
  Status Accepts() const { return journal_ ? journal_->Accepts() : Status(); }
  const std::shared_ptr<MemoryStore> memory_;  // the journal of a graph in RAM, else null

  std::mutex queue_mutex_;
  std::condition_variable queue_changed_;
  std::deque<Request*> queue_;
  bool leading_ = false;

  mutable std::mutex writer_mutex_;
  std::condition_variable compacted_;
  StateWriter writer_;
  bool read_only_ = false;
  bool compacting_ = false;
  bool stop_ = false;
  std::uint64_t unfit_spaces_ = 0;  // a bit for each space that cannot be compacted
  bool wanted_ = false;             // the maintenance thread has work
  bool tidy_ = true;                // it has looked since the last batch, when the writers paused
  std::atomic<int> waiting_{0};     // writers that wait for it
  std::condition_variable maintenance_;
  Status last_compaction_;
  GraphStats stats_;

  mutable std::mutex published_mutex_;
  // The current one is whole at any moment, so also where a fork copies it.
  std::shared_ptr<const GraphState> published_[2];
  std::atomic<int> current_{0};
  std::thread thread_;
};

inline constexpr std::size_t kGroupBatches = 256;

Error ReadOnlyError();
// Short enough to be made without memory.
inline Error NoMemory() { return {ErrorCode::kResourceExhausted, "out of memory"}; }

}  // namespace plexus
