// The world of a snapshot, by the order of the sequences that writers noted.
#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/service/script.h"

namespace plexus::service_test {

Timeline::Timeline(const Settings& settings) : settings_(&settings) {
  world_.Do(SetupOps(settings), kFirstTimeMs);
  base_ = world_;
  epoch_ = TheBoard().epoch;
}

std::array<Step, kWriters> Timeline::StepsOf(const Snapshot& snapshot) {
  std::array<Step, kWriters> steps = {};
  const auto column = snapshot.schema().FindColumn(kStepColumn);
  for (int w = 0; w < kWriters && column; ++w)
    if (const auto node = snapshot.Find(WriterKey(w)))
      steps[static_cast<std::size_t>(w)] =
          static_cast<Step>(snapshot.i64(*column, *node).value_or(0));
  return steps;
}

void Timeline::Purge(int writer, Step step) {
  const auto w = static_cast<std::size_t>(writer);
  if (world_.purged[w] >= step) return;
  for (const std::string& key : VictimsOf(writer, step)) world_.Remove(key);
  world_.purged[w] = step;
}

// A step is noted after Apply returned: a snapshot may be faster, and a killed service notes its
// last steps when it is started again.
bool Timeline::Reach(const std::array<Step, kWriters>& steps) {
  const auto due = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  Board& board = TheBoard();
  for (;;) {
    std::uint64_t first = 0;
    std::size_t who = 0;
    bool unknown = false;
    for (std::size_t w = 0; w < kWriters; ++w) {
      if (world_.steps[w] >= steps[w]) continue;
      const std::uint64_t at = board.sequences[w][world_.steps[w] + 1];
      unknown |= at == 0;
      if (first == 0 || at < first) first = at, who = w;
    }
    if (unknown) {
      if (board.stop > 0) return false;
      if (std::chrono::steady_clock::now() > due) {
        Wrong(*settings_, "timeline", "a step that a snapshot shows was never noted");
        return false;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      continue;
    }
    if (first == 0) return true;
    const Step step = world_.steps[who] + 1;
    if (PurgesAfter(step - 1)) Purge(static_cast<int>(who), step - 1);
    world_.Do(OpsOf(*settings_, static_cast<int>(who), step), TimeOf(static_cast<int>(who), step));
    world_.steps[who] = step;
    world_.sequence = first;
    if (first % 512 == 0 && keep_) {
      copies_.push_back(world_);
      if (copies_.size() > 16) copies_.erase(copies_.begin());
    }
    if (first % 1024 == 0) {
      bool safe = true;
      for (std::size_t w = 0; w < kWriters; ++w) safe &= world_.steps[w] <= board.acked[w];
      if (safe) base_ = world_;
    }
  }
}

const World* Timeline::To(const Snapshot& snapshot) {
  const auto steps = StepsOf(snapshot);
  if (epoch_ != TheBoard().epoch) {
    epoch_ = TheBoard().epoch;
    copies_.clear();
    world_ = base_;
  }
  const auto behind = [&](const World& world) {
    bool in_order = true;
    for (std::size_t w = 0; w < kWriters; ++w) in_order &= world.steps[w] <= steps[w];
    return in_order;
  };
  if (!behind(world_)) {
    world_ = base_;
    for (const World& copy : copies_)
      if (behind(copy)) world_ = copy;
    if (!behind(world_)) {  // base_ may be ahead of the past
      world_ = World();
      world_.Do(SetupOps(*settings_), kFirstTimeMs);
    }
  }
  if (!Reach(steps)) return nullptr;
  // The purge that belongs to a writer's last step: done or not, as the snapshot shows.
  for (int w = 0; w < kWriters; ++w) {
    const Step step = steps[static_cast<std::size_t>(w)];
    if (!PurgesAfter(step) || world_.purged[static_cast<std::size_t>(w)] >= step) continue;
    std::size_t gone = 0;
    for (const std::string& key : VictimsOf(w, step)) {
      const auto node = snapshot.Find(key);
      gone += !node || !snapshot.alive(*node);
    }
    if (gone == kVictims)
      Purge(w, step);
    else if (gone != 0)
      Wrong(*settings_, "purge of step " + std::to_string(step),
            "is there for " + std::to_string(gone) + " of its nodes");
  }
  return &world_;
}

void Timeline::ToSafe() {
  Board& board = TheBoard();
  std::uint64_t least = ~0ull;
  for (std::size_t w = 0; w < kWriters; ++w)
    least = std::min(least, board.acked[w] == 0 ? 0 : board.sequences[w][board.acked[w]].load());
  std::array<Step, kWriters> steps = world_.steps;
  for (std::size_t w = 0; w < kWriters; ++w)
    while (steps[w] < board.acked[w] && board.sequences[w][steps[w] + 1] <= least) ++steps[w];
  epoch_ = board.epoch;
  if (Reach(steps)) base_ = world_;
}

}  // namespace plexus::service_test
