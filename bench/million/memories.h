// A seeded graph of a long-lived agent platform, as JSON lines: what bench/million asks.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "bench/graphs/zipf.h"
#include "bench/support.h"

namespace plexus::bench {

// For M memories: M texts of 14 words, 3 M edges (a third to ten hubs, one in 50 contradicts, one
// in 50 supersedes), M / 500 scopes and tags, M / 10 decisions and turns, M / 20 concepts, M / 5
// events. Keys are a letter and a number: m, d, c, t, e.
class Memories {
 public:
  static constexpr std::uint64_t kSeed = 37;
  static constexpr std::int64_t kTime = 1'700'000'000'000;
  static constexpr std::int64_t kNow = kTime + 400 * std::int64_t{86'400'000};
  static constexpr std::size_t kWords = 14, kVocabulary = 50'000, kHubs = 10;

  explicit Memories(std::uint64_t count) : count_(count) {}

  std::uint64_t count() const { return count_; }
  std::uint64_t scopes() const { return count_ / 500 + 1; }
  // The lines of a file that `plexus import` takes; the same for the same count.
  void Write(std::ostream& out) const;
  // Two words that a memory has.
  std::string Question(std::uint64_t memory) const;
  static std::string Scope(std::uint64_t number) { return "scope" + std::to_string(number); }
  // Scope number of a memory.
  std::uint64_t ScopeOf(std::uint64_t memory) const { return memory * 7919 % scopes(); }

 private:
  std::string Text(std::uint64_t node, std::size_t words) const;
  void WriteEdges(std::ostream& out) const;
  void WriteOthers(std::ostream& out) const;

  std::uint64_t count_;
  Zipf zipf_{kVocabulary, 50};
};

}  // namespace plexus::bench
