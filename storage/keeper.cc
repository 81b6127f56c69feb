// The keeper: the thread that moves the anchor on and writes checkpoints when they are due.
#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/arrays/freed_memory.h"
#include "engine/out_of_memory.h"
#include "storage/database_impl.h"

namespace plexus {

using namespace storage_internal;

// A record that left the write-ahead log is known to RocksDB's MANIFEST only; if
// that were damaged after a crash, the anchor must still know of the record.
void Database::Impl::MoveAnchor() {
  if (closed || !rocks || !files->CheckHome()) return;
  const RocksJournal::Position at = journal->position();
  if (journal->bulk() || !journal->WaitDurable(at.sequence)) return;
  Anchor next = anchor;
  next.sequence = at.sequence;
  next.log_hash = at.hash;
  if (WriteAnchor(directory, next, *files)) anchor = std::move(next);  // else the old bound holds
}

void Database::Impl::MoveAnchorInBackground() noexcept {
  try {
    const MutexLock alone(maintenance);
    MoveAnchor();
  } catch (const std::exception&) {  // without memory the old bound holds
  }
}

void Database::Impl::OnAppended(std::uint64_t tail_bytes) {
  constexpr std::uint64_t kAnchorStep = std::uint64_t{16} << 20;
  if (tail_bytes < anchored_bytes) anchored_bytes = 0;  // a checkpoint came between
  const bool manual = options.graph.maintenance == Maintenance::kManual;
  if (tail_bytes - anchored_bytes >= kAnchorStep) {
    anchored_bytes = tail_bytes;
    // It syncs files: the writer does not wait where another thread can do it.
    if (!manual) {
      WakeKeeper(&Impl::anchor_due);
    } else if (maintenance.try_lock()) {  // else a checkpoint, say, moves it as well
      const MutexLock alone(maintenance, std::adopt_lock);
      MoveAnchor();
    }
  }
  if (!manual && tail_bytes >= options.checkpoint_log_bytes) WakeKeeper(&Impl::checkpoint_due);
}

void Database::Impl::WakeKeeper(bool Impl::* due) {
  MutexLock guard(keeper_mutex);
  if (keeper_stop) return;
  this->*due = true;
  keeper_wake.notify_all();
  if (keeper.joinable()) return;
  try {
    keeper = std::thread([this] { CheckpointLoop(); });
  } catch (const std::exception&) {  // the next append tries again
    guard.Unlock();
    LogFailure({ErrorCode::kResourceExhausted, "no thread for checkpoints"});
  }
}

void Database::Impl::CheckpointLoop() {
  constexpr std::chrono::milliseconds kEarlyPause(50), kFirstPause(100), kLongestPause(60'000);
  std::chrono::milliseconds pause = kFirstPause;
  MutexLock guard(keeper_mutex);
  for (;;) {
    while (!keeper_stop && !checkpoint_due && !anchor_due) keeper_mutex.Wait(keeper_wake);
    if (keeper_stop) return;
    const bool checkpoint = std::exchange(checkpoint_due, false);
    const bool move = std::exchange(anchor_due, false);
    guard.Unlock();
    if (!checkpoint) {
      MoveAnchorInBackground();
      guard.Lock();
      continue;
    }
    bool early = false;
    const auto start = std::chrono::steady_clock::now();
    const Status status = CheckpointInBackground(early);
    const std::uint64_t ms = MsSince(start);
    if (move) MoveAnchorInBackground();  // also where there was no checkpoint to write
    if (!status)
      LogFailure(status.error());
    else if (!early)
      Log(options.graph.on_log, LogLevel::kInfo, "checkpoint.ended", "in the background",
          {{"ms", ms}});
    if (options.graph.return_freed_memory) ReturnFreedMemory();
    guard.Lock();
    if (status) {
      pause = kFirstPause;
      keeper_error.clear();
      if (!early) continue;
    } else if (files->lost()) {
      continue;  // and never again: nothing will change that
    }
    checkpoint_due = true;
    // A full disk must not be hammered. The anchor does not wait.
    const auto until = std::chrono::steady_clock::now() + (early ? kEarlyPause : pause);
    while (!keeper_stop && (anchor_due || keeper_mutex.WaitUntil(keeper_wake, until))) {
      if (!std::exchange(anchor_due, false)) continue;
      guard.Unlock();
      MoveAnchorInBackground();
      guard.Lock();
    }
    if (!status) pause = std::min(2 * pause, kLongestPause);
  }
}

// Nothing may leave the thread: it would end the host. `early`: there is nothing to write down yet.
Status Database::Impl::CheckpointInBackground(bool& early) {
  try {
    // Graph, journal and files are renewed under this lock; no files: renewing them failed.
    MutexLock alone(maintenance);
    if (!rocks || journal->bulk()) return {};
    // The records of a load are in the journal before readers see the first of them.
    early = graph->snapshot().sequence() == 0;
    return early ? Status() : CheckpointNow(nullptr);
  } catch (const std::exception&) {
    return OutOfMemory();
  }
}

void Database::Impl::LogFailure(const Error& error) noexcept {
  {
    MutexLock guard(keeper_mutex);
    ++keeper_failures;
    try {
      keeper_error = error.message;
    } catch (const std::bad_alloc&) {
      keeper_error = kOutOfMemory;  // short enough to need none
    }
  }
  Log(options.graph.on_log, LogLevel::kError, "background.failed", error.message);
  if (!options.on_background_error) return;
  try {
    options.on_background_error(error);
  } catch (...) {  // a callback that does not keep its word
  }
}

void Database::Impl::StopKeeper() {
  {
    MutexLock guard(keeper_mutex);
    keeper_stop = true;
    keeper_wake.notify_all();
  }
  if (keeper.joinable()) keeper.join();  // none starts after keeper_stop
}

}  // namespace plexus
