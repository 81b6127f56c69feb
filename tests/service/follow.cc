// Those who follow: views that refresh, a replica in RAM by the feed.
#include <chrono>
#include <mutex>
#include <thread>

#include "engine/state.h"
#include "tests/service/service.h"

namespace plexus::service_test {

namespace {

OpenOptions ReadOnly() {
  OpenOptions options;
  options.read_only = true;
  return options;
}

void Sleep(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// Refreshes a view again and again, while another thread reads it.
class Follower {
 public:
  // `opened`: made before the view was opened.
  Follower(const Settings& settings, const Looker& looker, Database& view, const Since& opened)
      : settings_(settings), looker_(looker), view_(view), before_refresh_(opened) {}

  void Run(const std::function<bool()>& ends) {
    Looker second = looker_;
    std::jthread reader;
    if (settings_.Has("beside"))
      reader = std::jthread([&, this] {
        for (; !ends() && !ended_; Sleep(15)) {
          const Since since = BeforeRefresh();  // the snapshot may be as old
          second.Look(view_.snapshot(), since, second.Draw(), {}, ends);
        }
      });
    for (std::uint64_t round = 0; !ends(); ++round) {
      const Since since;
      const Step applied[kWriters] = {TheBoard().acked[0], TheBoard().acked[1]};
      const std::uint64_t epoch = TheBoard().epoch;
      if (const Status refreshed = view_.Refresh(); !refreshed) {
        Wrong(settings_, "follower", "refresh: " + refreshed.error().ToString());
        break;
      }
      ++TheBoard().refreshes;
      {
        const std::lock_guard lock(mutex_);
        before_refresh_ = since;
      }
      const Snapshot snapshot = view_.snapshot();
      const auto steps = Timeline::StepsOf(snapshot);
      for (std::size_t w = 0; w < kWriters; ++w)
        if (steps[w] < applied[w] && epoch == TheBoard().epoch)
          looker_.Bad("refreshed, it lacks a step that was acknowledged before");
      looker_.Look(snapshot, since, looker_.Draw(), {}, ends);
      Sleep(5 + static_cast<int>(looker_.chance().Below(20)));
    }
    ended_ = true;
  }

 private:
  Since BeforeRefresh() {
    const std::lock_guard lock(mutex_);
    return before_refresh_;
  }

  const Settings& settings_;
  Looker looker_;
  Database& view_;
  std::mutex mutex_;
  Since before_refresh_;  // of the refresh that has ended last
  std::atomic<bool> ended_{false};
};

// A graph in RAM that replays the feed. It begins with the log, or above a floor with a view.
class Replica {
 public:
  Replica(const Settings& settings, Looker looker) : settings_(settings), looker_(looker) {}

  // An error that the caller judges. Every second time it stays behind: in between lies a moment
  // whose nodes a later record may purge.
  Status Pull(Database& source) {
    behind_ = ++pulls_ % 2 == 0;
    const std::uint64_t most = behind_ ? 1 + looker_.chance().Below(8) : 64;
    for (bool more = true; more;) {
      if (!graph_) PLEXUS_TRY(Begin(source));
      const auto changes =
          source.ChangesSince(graph_->snapshot().sequence(), {.max_records = most});
      // Trimmed, or it began with a view that is further than what is durable.
      if (!changes && changes.error().code == ErrorCode::kFailedPrecondition &&
          view_tried_++ < 20) {
        graph_.reset();
        Sleep(2);
        continue;
      }
      if (!changes && changes.error().code == ErrorCode::kNotFound && view_) return {};
      if (!changes) return std::unexpected(changes.error());
      view_tried_ = 0;
      if (changes->generation != generation_) {
        graph_.reset();
        continue;
      }
      PLEXUS_TRY(graph_->Replay(changes->records));
      TheBoard().replayed += changes->records.size();
      more = changes->has_more && !behind_;
    }
    return {};
  }

  void Look(const Since& since, const std::function<bool()>& ends) {
    if (!graph_) return;
    const Snapshot snapshot = graph_->snapshot();
    Allowed allowed;
    allowed.no_texts = no_texts_;
    if (behind_) allowed.victims = Victims::kMayLackContent;
    if (!settings_.Has("cleared")) allowed.victims = Victims::kIgnored;
    if (snapshot.sequence() > 0) looker_.Look(snapshot, since, looker_.Draw(), allowed, ends);
  }

 private:
  Status Begin(Database& source) {
    ++TheBoard().restarts;
    graph_.reset();
    view_.reset();
    no_texts_ = false;
    const auto all = source.ChangesSince(0, {.max_records = 1});
    if (all) {
      generation_ = all->generation;
      graph_ = Graph::InMemory();
      return {};
    }
    if (all.error().code != ErrorCode::kFailedPrecondition) return std::unexpected(all.error());
    PLEXUS_ASSIGN(view_, Database::Open(settings_.database(), ReadOnly()));
    const Snapshot snapshot = view_->snapshot();
    PLEXUS_ASSIGN(const Changes none, view_->ChangesSince(snapshot.sequence()));
    generation_ = none.generation;
    graph_ = Graph::Open(snapshot, nullptr);
    no_texts_ = true;  // nobody keeps those of the records to come
    return {};
  }

  const Settings& settings_;
  Looker looker_;
  std::unique_ptr<Database> view_;
  std::unique_ptr<Graph> graph_;
  std::uint64_t generation_ = 0;
  int view_tried_ = 0;
  bool no_texts_ = false, behind_ = false;
  std::uint64_t pulls_ = 0;
};

}  // namespace

void Service::Feed() {
  Replica replica(settings_, NewLooker("replica", 33));
  for (; !Ends(); Pause(25)) {
    const Since since;
    {
      const auto entered = Enter();
      if (const Status pulled = replica.Pull(*database_); !pulled) {
        if (pulled.error().code == ErrorCode::kFailedPrecondition && since.Purged()) continue;
        if (!Expected("replica", pulled.error())) return;
        continue;
      }
    }
    replica.Look(since, [this] { return closing_ || Ends(); });
  }
}

void Service::Follow() {
  const Since opened;
  const auto view = Database::Open(settings_.database(), ReadOnly());
  if (!view) return (void)Expected("follower's opening", view.error());
  Follower(settings_, NewLooker("follower in a thread", 34), **view, opened).Run([this] {
    return Ends();
  });
}

int RunFollower(const Settings& settings, const Timeline& base) {
  const auto ends = [] { return TheBoard().stop > 0; };
  while (TheBoard().open == 0 && !ends()) Sleep(2);
  if (ends()) return 0;
  const Since opened;
  const auto view = Database::Open(settings.database(), ReadOnly());
  if (!view) return Wrong(settings, "follower's opening", view.error().ToString()), 1;
  Follower(settings, Looker(settings, base, "follower in a process", 35), **view, opened).Run(ends);
  return 0;
}

int RunCheck(const Settings& settings, const Timeline& base) {
  const auto database = Database::Open(settings.database(), ReadOnly());
  if (!database) return Wrong(settings, "at the end", database.error().ToString()), 1;
  Looker looker(settings, base, "at the end", 36);
  const Snapshot snapshot = (*database)->snapshot();
  looker.Look(snapshot, Since(), Looker::How::kFull);
  for (int i = 0; i < 50; ++i) looker.Look(snapshot, Since(), Looker::How::kAsk);
  const auto report = (*database)->Verify();
  if (!report) looker.Bad("verify: " + report.error().ToString());
  if (report && !report->ok)
    looker.Bad("verify: " + report->problems[0].where + ": " + report->problems[0].what);
  return 0;
}

}  // namespace plexus::service_test
