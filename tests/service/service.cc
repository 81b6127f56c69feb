// Opening with a whole compare, readers, and the end of a life.
#include "tests/service/service.h"

#include <chrono>
#include <thread>
#include <vector>

#include "algorithms/retrieval/terms.h"

namespace plexus::service_test {

OpenOptions ServiceOptions(const Settings& settings) {
  OpenOptions options;
  options.create = true;
  options.graph.delta_soft_arcs = 2'000;  // compactions all the time
  options.checkpoint_log_bytes = std::uint64_t{1} << 20;
  options.payload_cache_bytes = std::uint64_t{1} << 20;
  options.past_cache_bytes = 0;
  options.on_background_error = [&settings](const Error& e) {
    Wrong(settings, "in the background", e.ToString());
  };
  return options;
}

bool Service::Expected(const std::string& who, const Error& error) {
  if (closing_ || Ends()) return true;
  Wrong(settings_, who, error.ToString());
  return false;
}

void Service::Pause(int milliseconds) const {
  for (int i = 0; i < milliseconds && !Ends(); i += 5)
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(5, milliseconds - i)));
}

// A killed service had applied at most one step of each writer that it had not noted.
void Service::NoteLastSteps(const Snapshot& snapshot) {
  Board& board = TheBoard();
  const auto steps = Timeline::StepsOf(snapshot);
  for (std::size_t w = 0; w < kWriters; ++w) {
    for (Step lost = steps[w] + 1; board.sequences[w][lost] != 0; ++lost)
      board.sequences[w][lost] = 0;
    if (steps[w] < board.acked[w])
      Wrong(settings_, "opening",
            "writer " + std::to_string(w) + " is at step " + std::to_string(steps[w]) + ", " +
                std::to_string(board.acked[w].load()) + " was acknowledged");
    board.applied[w] = board.acked[w] = steps[w];
    if (steps[w] == 0 || board.sequences[w][steps[w]] != 0) continue;
    Sequence at = snapshot.sequence();
    while (at > 1) {
      const auto past = database_->AsOf(at - 1);
      if (!past) return Wrong(settings_, "opening", "as of: " + past.error().ToString());
      if (Timeline::StepsOf(*past)[w] < steps[w]) break;
      --at;
    }
    board.sequences[w][steps[w]] = at;
  }
}

bool Service::Open() {
  auto opened = Database::Open(settings_.database(), ServiceOptions(settings_));
  if (!opened) {
    Wrong(settings_, "opening", opened.error().ToString());
    return false;
  }
  database_ = *std::move(opened);
  if (!database_->snapshot().Find(kCounterKey)) {
    if (TheBoard().acked[0] > 0 || TheBoard().acked[1] > 0) {
      Wrong(settings_, "opening", "all is gone");
      return false;
    }
    WriteBatch batch(kFirstTimeMs);
    FillSetup(settings_, batch);
    const auto terms = retrieval::AddTerms(database_->snapshot(), retrieval::TermOptions(), batch);
    const auto applied = database_->graph().Apply(batch);
    if (!terms || !applied) {
      Wrong(settings_, "setup", (terms ? applied.error() : terms.error()).ToString());
      return false;
    }
  }
  TheBoard().purges_ended = TheBoard().purges_begun.load();
  const Snapshot snapshot = database_->snapshot();
  NoteLastSteps(snapshot);
  Looker looker = NewLooker("after opening", 1);
  if (!looker.Look(snapshot, Since(), Looker::How::kFull)) return false;
  const World& world = looker.timeline().world();
  for (std::size_t w = 0; w < kWriters; ++w)
    if (world.purged[w] < TheBoard().purged[w])
      Wrong(settings_, "opening", "an acknowledged purge is not there");
  base_ = looker.timeline();
  TheBoard().open = TheBoard().epoch.load();
  return true;
}

void Service::Read(std::uint64_t number) {
  Looker looker = NewLooker("reader " + std::to_string(number), 10 + number);
  while (!Ends()) {
    const auto start = std::chrono::steady_clock::now();
    const Step applied[kWriters] = {TheBoard().applied[0], TheBoard().applied[1]};
    const Since since;
    Snapshot snapshot;
    {
      const auto entered = Enter();
      snapshot = database_->snapshot();
    }
    for (std::size_t w = 0; w < kWriters; ++w)
      if (Timeline::StepsOf(snapshot)[w] < applied[w])
        looker.Bad("a snapshot is older than a step applied before it");
    looker.Look(snapshot, since, looker.Draw(), {}, [this] { return closing_ || Ends(); });
    const auto took = std::chrono::steady_clock::now() - start;
    Pause(1 + static_cast<int>(
                  2 * std::chrono::duration_cast<std::chrono::milliseconds>(took).count()));
  }
}

int Service::Run() {
  const std::uint64_t before = TheBoard().wrong;
  if (!Open()) return 1;
  {
    std::vector<std::jthread> threads;
    std::vector<std::jthread> writers;
    for (int w = 0; w < kWriters; ++w) writers.emplace_back([this, w] { Write(w); });
    for (std::uint64_t r = 1; r <= 3; ++r) threads.emplace_back([this, r] { Read(r); });
    threads.emplace_back([this] { Keep(); });
    threads.emplace_back([this] { LookBack(); });
    threads.emplace_back([this] { KeepFrontier(); });
    threads.emplace_back([this] { Feed(); });
    threads.emplace_back([this] { Follow(); });
    while (!Ends() && TheBoard().closing == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!settings_.Has("close")) {
      ended_ = true;
      writers.clear();
      threads.clear();
    }
    closing_ = true;
    if (const Status closed = database_->Close(); !closed)
      Wrong(settings_, "close", closed.error().ToString());
    // They go on for a moment: all they may meet are errors.
    if (settings_.Has("close")) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ended_ = true;
  }
  // Close makes everything durable that was applied, at any durability.
  for (std::size_t w = 0; w < kWriters; ++w) TheBoard().acked[w] = TheBoard().applied[w].load();
  ++TheBoard().closes;
  database_.reset();
  return TheBoard().wrong == before ? 0 : 1;
}

}  // namespace plexus::service_test
