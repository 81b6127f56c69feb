// Graph: what keeps the delta small, by the caller or by a thread of the graph.
#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "engine/arrays/freed_memory.h"
#include "engine/compaction/run_compaction.h"
#include "engine/compaction/vector_compaction.h"
#include "engine/internal/graph_impl.h"
#include "engine/out_of_memory.h"

namespace plexus {

// The thread starts with its first work, so a short session starts
// none. False without a thread: kManual, or the system has none left.
bool Graph::Impl::WakeMaintenance() noexcept {
  if (options_.maintenance == Maintenance::kManual) return false;
  if (!thread_.joinable()) try {
      thread_ = std::thread([this] { MaintenanceLoop(); });
    } catch (const std::exception&) {
      return false;
    }
  wanted_ = true;
  maintenance_.notify_one();
  return true;
}

namespace {
// Dead rows of vectors, kept until they are more than these bytes and this part of the live
// ones. Above the second pair a writer without a maintenance thread compacts itself.
constexpr std::uint64_t kDeadBytes = std::uint64_t{4} << 20, kDeadPart = 6;
constexpr std::uint64_t kMaxDeadBytes = std::uint64_t{64} << 20, kMaxDeadPart = 1;
// Keys of removed nodes, and new strings, that are not packed.
constexpr PackLimits kPackLimits = {1 << 16, 8};
}  // namespace

bool Graph::Impl::CompactionDue() const {
  return writer_.delta_arcs() > Limit(options_.delta_soft_arcs, 8) ||
         writer_.WorthPacking(kPackLimits) ||
         writer_.SpaceToCompact(SpaceId(), unfit_spaces_, kDeadBytes, kDeadPart) <
             writer_.space_count();
}

std::uint64_t Graph::Impl::Limit(std::uint64_t least, std::uint64_t divisor) const {
  return std::max(least, Current()->base->arc_count() / divisor);
}

void Graph::Impl::LogEvent(LogLevel level, std::string_view event, std::string_view message,
                           std::initializer_list<LogField> fields) {
  if (!options_.on_log) return;
  const MutexUnlock unlocked(writer_mutex_);
  Log(options_.on_log, level, event, message, fields);
}

namespace {
std::uint64_t Ms(std::chrono::steady_clock::duration time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}
}  // namespace

// The hard limit on the delta: a steady writer must not slow readers down.
Status Graph::Impl::WaitForRoom() {
  if (options_.maintenance == Maintenance::kManual)
    PLEXUS_TRY(CompactVectors(kMaxDeadBytes, kMaxDeadPart));
  if (writer_.delta_arcs() <= Limit(options_.delta_hard_arcs, 2)) return {};
  const auto start = std::chrono::steady_clock::now();
  ++stats_.stalls;
  Status result;
  last_compaction_ = {};
  if (!WakeMaintenance()) {
    result = FoldHoldingLock(executor_);
  } else {
    ++waiting_;
    while (last_compaction_ && !stop_ && writer_.delta_arcs() > Limit(options_.delta_hard_arcs, 2))
      writer_mutex_.Wait(compacted_);
    --waiting_;
    result = last_compaction_;
  }
  const auto waited = std::chrono::steady_clock::now() - start;
  stats_.stall_ns += static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(waited).count());
  LogEvent(LogLevel::kWarning, "stall.ended", "a writer waited for the delta",
           {{"ms", Ms(waited)}});
  return result;
}

// What `work` throws is no memory.
template <class Work>
Status Graph::Impl::Compacting(Work&& work) {
  compacting_ = true;
  Status result;
  try {
    result = work();
  } catch (const std::exception&) {
    result = OutOfMemory();
  }
  compacting_ = false;
  compacted_.notify_all();
  return result;
}

// Pins the runs, merges them into one, folds that into a new base and installs it,
// holding the lock only between the steps.
Status Graph::Impl::FoldHoldingLock(Executor& executor) {
  while (compacting_) writer_mutex_.Wait(compacted_);
  if (read_only_) return {};  // the writer may hold what was never journalled
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t delta_arcs = writer_.delta_arcs();
  const Status result = Compacting([&]() -> Status {
    writer_mutex_.AssertHeld();
    std::size_t runs = writer_.PinRuns();
    auto state = writer_.Publish();
    MutexUnlock unlocked(writer_mutex_);
    Log(options_.on_log, LogLevel::kInfo, "compaction.began", "folding the delta into the base",
        {{"delta_arcs", delta_arcs}, {"runs", runs}});
    if (runs > 1) {
      auto merged = MergeRuns(std::span(state->runs).first(runs), executor);
      unlocked.Lock();
      if (!read_only_) {
        writer_.ReplacePinned(std::move(merged));
        runs = 1;
        Publish();
        state = writer_.Publish();
        compacted_.notify_all();  // versions that fell together may have made room
      }
      unlocked.Unlock();
    }
    auto base = CompactRuns(*state, runs, executor);
    unlocked.Lock();
    if (!base) return std::unexpected(base.error());
    if (!read_only_) {
      writer_.InstallBase(std::move(*base), runs);
      ++stats_.compactions;
      Publish();
    }
    return {};
  });
  writer_.UnpinRuns();
  const auto took = std::chrono::steady_clock::now() - start;
  if (result)
    LogEvent(
        LogLevel::kInfo, "compaction.ended", "the delta is folded into the base",
        {{"delta_arcs", delta_arcs}, {"arcs", Current()->base->arc_count()}, {"ms", Ms(took)}});
  else
    LogEvent(LogLevel::kError, "compaction.failed", result.error().message, {{"ms", Ms(took)}});
  return result;
}

// Copies live vectors without the lock, what changed meanwhile in turns that get shorter, and
// the last of it, with the lock. Snapshots keep the old rows as long as they live.
Status Graph::Impl::CompactVectors(std::uint64_t least, std::uint64_t divisor) {
  constexpr std::uint64_t kMaxLag = 64;
  constexpr int kMaxCatchUps = 8;
  for (SpaceId space{};; ++space) {
    while (compacting_) writer_mutex_.Wait(compacted_);
    if (read_only_) return {};
    space = writer_.SpaceToCompact(space, unfit_spaces_, least, divisor);
    if (space >= writer_.space_count()) return {};
    const auto start = std::chrono::steady_clock::now();
    bool installed = false;
    const Status result = Compacting([&]() -> Status {
      writer_mutex_.AssertHeld();
      auto state = writer_.Publish();
      MutexUnlock unlocked(writer_mutex_);
      std::optional<VectorCompaction> compaction = VectorCompaction::Make(state->spaces[space]);
      for (int round = 0; compaction && round < kMaxCatchUps; ++round) {
        state = Published();
        if (compaction->CatchUp(state->spaces[space]) < kMaxLag) break;
      }
      unlocked.Lock();
      if (!compaction) {
        unfit_spaces_ |= std::uint64_t{1} << space.value();
      } else if (!read_only_) {
        state = writer_.Publish();
        compaction->CatchUp(state->spaces[space]);
        state.reset();
        writer_.InstallVectors(space, std::move(*compaction).Take());
        ++stats_.vector_compactions;
        Publish();
        installed = true;
      }
      return {};
    });
    const std::uint64_t ms = Ms(std::chrono::steady_clock::now() - start);
    if (installed)
      LogEvent(LogLevel::kInfo, "vector_compaction.ended", "dead rows of vectors are dropped",
               {{"space", space.value()}, {"ms", ms}});
    else if (!result)
      LogEvent(LogLevel::kError, "vector_compaction.failed", result.error().message, {{"ms", ms}});
    PLEXUS_TRY(result);
  }
}

// All of it without the lock, but for what came meanwhile.
Status Graph::Impl::PackState(const PackLimits& limits) {
  constexpr std::uint64_t kMaxLag = 1024;
  constexpr int kMaxCatchUps = 8;
  while (compacting_) writer_mutex_.Wait(compacted_);
  if (read_only_) return {};
  const auto start = std::chrono::steady_clock::now();
  bool installed = false;
  const Status result = Compacting([&]() -> Status {
    writer_mutex_.AssertHeld();
    auto state = writer_.Publish();
    MutexUnlock unlocked(writer_mutex_);
    StatePacking packing = StatePacking::Make(*state, limits);
    for (int round = 0; round < kMaxCatchUps; ++round) {
      state = Published();
      if (packing.CatchUp(*state) < kMaxLag) break;
    }
    state.reset();
    unlocked.Lock();
    if (!read_only_) {
      writer_.InstallPacked(std::move(packing));
      ++stats_.packings;
      Publish();
      installed = true;
    }
    return {};
  });
  const std::uint64_t ms = Ms(std::chrono::steady_clock::now() - start);
  if (!result)
    LogEvent(LogLevel::kError, "packing.failed", result.error().message, {{"ms", ms}});
  else if (installed)
    LogEvent(LogLevel::kInfo, "packing.ended",
             "what removed nodes and unused strings leave is packed", {{"ms", ms}});
  return result;
}

// Background work runs on its one thread, beside writer and readers, unless a
// writer waits for it: then free threads of the graph's executor join in.
class BackgroundExecutor : public Executor {
 public:
  BackgroundExecutor(Executor& all, const std::atomic<int>& waiting)
      : all_(all), waiting_(waiting) {}
  int thread_count() const override { return all_.thread_count(); }
  void Run(std::size_t blocks, BlockTask task) override {
    RunWithHelpers(all_, blocks, task, [this] { return waiting_ > 0; });
  }
  bool Enqueue(std::function<void()> task) override {
    return waiting_ > 0 && all_.Enqueue(std::move(task));
  }

 private:
  Executor& all_;
  const std::atomic<int>& waiting_;
};

void Graph::Impl::TellCompacted() noexcept {
  try {
    options_.on_compacted(Snapshot(Published()));
  } catch (...) {  // a callback that does not keep its word
  }
}

// Works when it is woken, and when the writers pause: what a load left in the delta is folded
// then, and freed memory goes back to the system.
void Graph::Impl::MaintenanceLoop() {
  constexpr std::chrono::milliseconds kPause(1000);
  BackgroundExecutor background(executor_, waiting_);
  MutexLock lock(writer_mutex_);
  std::uint64_t batches = 0;  // when it looked last
  while (true) {
    const auto until = std::chrono::steady_clock::now() + kPause;
    if (tidy_)
      while (!stop_ && !wanted_ && tidy_) writer_mutex_.Wait(maintenance_);
    else
      while (!stop_ && !wanted_ && writer_mutex_.WaitUntil(maintenance_, until)) continue;
    if (stop_) return;
    const bool pausing = !wanted_ && !tidy_ && stats_.batches == batches;
    batches = stats_.batches;
    if (!wanted_ && !pausing) continue;
    wanted_ = false;
    tidy_ = pausing;
    const auto count = [&] {
      writer_mutex_.AssertHeld();
      return stats_.compactions + stats_.vector_compactions + stats_.packings;
    };
    const std::uint64_t before = count();
    const std::uint64_t arcs =
        pausing ? Limit(options_.delta_soft_arcs / 2, 16) : Limit(options_.delta_soft_arcs, 8);
    last_compaction_ = CompactVectors(kDeadBytes, kDeadPart);
    if (last_compaction_ && (waiting_ > 0 || writer_.delta_arcs() > arcs))
      last_compaction_ = FoldHoldingLock(background);
    if (last_compaction_ && writer_.WorthPacking(kPackLimits))
      last_compaction_ = PackState(kPackLimits);
    compacted_.notify_all();
    if (!last_compaction_) {
      ++stats_.compaction_failures;
      continue;
    }
    const bool compacted = !pausing || count() > before;
    lock.Unlock();
    if (options_.return_freed_memory) pausing ? ReturnFreedMemory() : ReturnMoreFreedMemory();
    if (options_.on_compacted && compacted) TellCompacted();
    lock.Lock();
  }
}

}  // namespace plexus
