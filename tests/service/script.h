// What the writers do: each step is a function of (seed, writer, step) and nothing else.
//
// Both writers write the same memories, so what a step makes of the world depends on the order, and
// the order is the log's. Each step sets a column of its writer's own node and expects the step
// before it there. Every kPurgeEvery-th step is followed by a purge of its writer's own victims,
// which nobody else names and which never come back: a snapshot shows whether it is before or
// after.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"
#include "tests/service/settings.h"
#include "tests/service/world.h"

namespace plexus::service_test {

inline constexpr Step kPurgeEvery = 250;
inline constexpr int kVictims = 3, kPinned = 12, kWords = 150, kTags = 10;

// SplitMix64: the only source of chance.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) { Next(); }
  Chance(std::uint64_t a, std::uint64_t b, std::uint64_t c)
      : Chance(a * 0x9E3779B97F4A7C15ull + b * 0xC2B2AE3D27D4EB4Full + c) {}
  std::uint64_t Next();
  std::uint64_t Below(std::uint64_t n) { return Next() % n; }
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }

 private:
  std::uint64_t state_;
};

inline bool PurgesAfter(Step s) { return s > 0 && s % kPurgeEvery == 0; }
inline bool HardAfter(Step s) { return PurgesAfter(s) && s / kPurgeEvery % 3 == 2; }
std::vector<std::string> VictimsOf(int writer, Step purge);
std::string WriterKey(int writer);
std::string MemoryKey(std::uint64_t number);
std::string PinnedKey(std::uint64_t number);
std::string TagName(std::uint64_t number);
std::string Word(std::uint64_t number);  // of the vocabulary, below kWords
// A vector of that space; many nodes have the same ones.
std::vector<float> DrawVector(Chance& chance, int space);

std::vector<Op> SetupOps(const Settings& settings);
std::vector<Op> OpsOf(const Settings& settings, int writer, Step step);
std::int64_t TimeOf(int writer, Step step);

void FillSetup(const Settings& settings, WriteBatch& batch);
// Adds the step's operations; terms are the caller's. What is conditional reads `snapshot`.
Status Fill(const Snapshot& snapshot, int writer, Step step, const std::vector<Op>& ops,
            WriteBatch& batch);

// Moves a world along the order that the board knows.
class Timeline {
 public:
  explicit Timeline(const Settings& settings);

  // The world of a snapshot. Null: the test ends. Also moves back, to a copy that is not lost.
  const World* To(const Snapshot& snapshot);
  // The steps that a snapshot shows.
  static std::array<Step, kWriters> StepsOf(const Snapshot& snapshot);
  // As far as nothing can be lost: what a process that is forked next begins with.
  void ToSafe();
  void KeepCopies() { keep_ = true; }  // for snapshots that do not come in order
  const World& world() const { return world_; }

 private:
  bool Reach(const std::array<Step, kWriters>& steps);
  void Purge(int writer, Step step);

  const Settings* settings_;
  World world_, base_;
  std::vector<World> copies_;
  bool keep_ = false;
  std::uint64_t epoch_ = 0;
};

}  // namespace plexus::service_test
