// One mutex: who uses the writer holds it, and so does who closes it.
#include "tools/cli/shell/kept_writer.h"

#include <algorithm>
#include <system_error>

#include "tools/cli/output.h"

namespace plexus::tools {
namespace {

constexpr std::chrono::milliseconds kLook{20};
// Others look for the lock every 2 ms.
constexpr std::chrono::milliseconds kGiveWay{10};

}  // namespace

KeptWriter::Use::~Use() {
  if (!guard_.owns_lock()) return;
  writer_->used_ = Clock::now();
  if (!writer_->watcher_.joinable()) writer_->CloseNow();
}

KeptWriter::~KeptWriter() {
  if (!watcher_.joinable()) return;
  {
    const std::lock_guard guard(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  watcher_.join();
}

Result<KeptWriter::Use> KeptWriter::Ready(const Open& open) {
  Use use(this);
  GiveWay();
  PLEXUS_TRY(Failure());
  if (use) return use;
  PLEXUS_ASSIGN(workspace_, open());
  if (!use) return use;
  EndOnLostReader(false);
  opened_ = Clock::now();
  StartWatcher();
  wake_.notify_one();
  return use;
}

void KeptWriter::StartWatcher() {
  if (watcher_.joinable()) return;
  try {
    watcher_ = std::thread([this] { Watch(); });
  } catch (const std::system_error&) {  // no thread is left: ~Use closes
  }
}

Status KeptWriter::TakeFailure() {
  const std::lock_guard guard(mutex_);
  return Failure();
}

KeptWriter::Use KeptWriter::IfOpen() {
  Use use(this);
  GiveWay();
  return use;
}

void KeptWriter::GiveWay() {
  const auto open = Clock::now() - opened_;
  if (!workspace_ || open <= limits_.in_row || (open <= limits_.most && !workspace_->Wanted()))
    return;
  CloseNow();
  std::this_thread::sleep_for(kGiveWay);
}

Status KeptWriter::Close() {
  const std::lock_guard guard(mutex_);
  CloseNow();
  return Failure();
}

void KeptWriter::Answers(bool line) {
  const std::lock_guard guard(mutex_);
  answers_ = line;
  if (!line) answered_ = Clock::now();
}

void KeptWriter::CloseNow() {
  if (!workspace_) return;
  if (Status closed = std::exchange(workspace_, nullptr)->Close(); !closed)
    failure_ = std::move(closed);
  EndOnLostReader(true);
}

void KeptWriter::Watch() {
  std::unique_lock guard(mutex_);
  while (!ends_) {
    if (!workspace_) {
      wake_.wait(guard);
      continue;
    }
    wake_.wait_for(guard, kLook);
    if (!workspace_) continue;
    const Clock::time_point now = Clock::now();
    const bool idle = !answers_ && now - std::max(used_, answered_) >= limits_.idle;
    if (idle || (now - used_ >= limits_.yields && workspace_->Wanted())) CloseNow();
  }
}

}  // namespace plexus::tools
