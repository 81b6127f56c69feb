// KeptWriter: a shell's opening for writing, kept from line to line.
//
// Opening loads the graph, so one opening serves all lines that write, over the questions between
// them. A thread looks whether another process waits (Database::Wanted), and closes what is not in
// use; in steady use it is closed now and then, for those who wait without a sign. Who does not
// wait is refused meanwhile. Not thread-safe but for that thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/error.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

class KeptWriter {
 public:
  using Milliseconds = std::chrono::milliseconds;
  struct Limits {
    Milliseconds idle{1'000};    // without a line it is closed
    Milliseconds yields{100};    // and after so long where another process waits
    Milliseconds in_row{1'000};  // used without such a pause, it is closed for one that waits, too
    Milliseconds most{10'000};   // and after so long in any case
  };
  using Open = std::function<Result<std::unique_ptr<Workspace>>()>;

  KeptWriter() = default;
  explicit KeptWriter(Limits limits) : limits_(limits) {}
  KeptWriter(const KeptWriter&) = delete;
  KeptWriter& operator=(const KeptWriter&) = delete;
  ~KeptWriter();

  // As long as one lives a line is being answered, whether it uses the writer or not.
  class Line {
   public:
    explicit Line(KeptWriter& writer) : writer_(writer) { writer_.Answers(true); }
    ~Line() { writer_.Answers(false); }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

   private:
    KeptWriter& writer_;
  };

  // It stays open as long as this lives; null inside: it is not open. One at a time.
  class Use {
   public:
    Workspace* operator->() const { return writer_->workspace_.get(); }
    Workspace& operator*() const { return *writer_->workspace_; }
    explicit operator bool() const { return writer_->workspace_ != nullptr; }
    Use(Use&&) = default;
    ~Use();

   private:
    friend class KeptWriter;
    explicit Use(KeptWriter* writer) : guard_(writer->mutex_), writer_(writer) {}
    std::unique_lock<std::mutex> guard_;
    KeptWriter* writer_;
  };

  // The one that is open, or what `open` makes, which may be nothing. Errors: those of `open`; of a
  // close, Close()'s.
  Result<Use> Ready(const Open& open);
  Use IfOpen();
  // Lets others write; what was acknowledged is durable already. Errors: Workspace::Close's, also
  // where it was closed meanwhile, said once.
  Status Close();
  // Of a close by the thread; said once.
  Status TakeFailure();

 private:
  using Clock = std::chrono::steady_clock;
  void Watch();
  void Answers(bool line);
  // REQUIRES mutex_ held, all.
  void GiveWay();
  void CloseNow();
  void StartWatcher();
  Status Failure() { return std::exchange(failure_, Status()); }

  const Limits limits_ = {};
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::unique_ptr<Workspace> workspace_;
  Clock::time_point opened_, used_, answered_;
  bool answers_ = false;  // a line
  Status failure_;        // of a close, not yet returned
  bool ends_ = false;
  std::thread watcher_;  // runs from the first opening on; where none can, nothing is kept
};

}  // namespace plexus::tools
