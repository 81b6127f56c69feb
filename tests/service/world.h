// The world: what the database must hold, in plain maps by key. Slow and obvious.
//
// tests/model has ids in order of appearance and copies itself with every batch. Here keys are
// forgotten and come back with other ids, words make nodes by themselves, and some ten threads each
// follow hundreds of batches a second; so this one knows keys alone and changes in place.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/vocabulary.h"
#include "tests/service/settings.h"

namespace plexus::service_test {

inline constexpr std::int64_t kFirstTimeMs = 1'700'000'000'000;
inline constexpr int kSpaces = 3;
inline constexpr const char* kSpaceNames[kSpaces] = {"plain", "narrow", "signs"};
inline constexpr std::size_t kDimensions[kSpaces] = {24, 32, 32};
inline constexpr EdgeKindId kKinds[] = {builtin::kLink, builtin::kSupports, builtin::kCauses,
                                        builtin::kContradicts, builtin::kSupersedes};
inline constexpr const char* kStepColumn = "service_step";
inline constexpr const char* kCounterKey = "counter";

struct WorldEdge {
  std::string source;
  EdgeKindId kind{};
  std::string target, label;
  auto operator<=>(const WorldEdge&) const = default;
};

struct WorldEdgeValue {
  float weight = 1;
  std::int64_t created_at = 0, valid_from = kNoTime, valid_until = kNoTime;
  bool operator==(const WorldEdgeValue&) const = default;
  bool ValidAt(std::int64_t at) const {
    return (valid_from == kNoTime || valid_from <= at) &&
           (valid_until == kNoTime || at < valid_until);
  }
};

struct WorldNode {
  bool alive = false;
  std::int64_t created_at = 0;
  std::optional<std::string> text, scope;
  std::map<std::string, double> terms;  // of the text, with frequencies
  std::array<std::vector<float>, kSpaces> vectors;
  std::set<std::string> tags;
  std::optional<double> trust;
  std::optional<std::int64_t> count;
};

struct WorldEvent {
  std::int64_t created_at = 0;
  std::set<std::pair<std::string, std::string>> members;    // key, role
  std::set<std::pair<std::string, std::int64_t>> outcomes;  // type, time
};

// One change of a batch.
struct Op {
  enum What {
    kMake,
    kRemove,
    kText,
    kClearText,
    kVector,
    kClearVector,
    kTag,
    kUntag,
    kConnect,
    kCut,
    kTrustIs,
    kCount,
    kScopeIs,
    kClearTrust,
    kUse,
    kOutcome
  };
  What what = kMake;
  std::string key, other, text;  // text: also a label, a tag, an event's id, an outcome's type
  int number = 0;                // the space, or the edge's kind
  std::vector<float> values;
  double value = 0;
  std::int64_t from = kNoTime, until = kNoTime;
  std::vector<std::pair<std::string, std::string>> members;
};

struct World {
  std::map<std::string, WorldNode> nodes;
  std::map<WorldEdge, WorldEdgeValue> edges;
  std::map<std::string, WorldEvent> events;  // by id
  std::int64_t time_ms = 0;
  std::array<Step, kWriters> steps = {}, purged = {};
  std::uint64_t sequence = 0;  // of the last step

  void Do(const std::vector<Op>& ops, std::int64_t time);
  void Remove(const std::string& key);

 private:
  WorldNode& Make(const std::string& key);
};

// An edge as it is stored in the world: of symmetric kinds the smaller key is the source.
WorldEdge Stored(std::string source, EdgeKindId kind, std::string target, std::string label);
bool Symmetric(EdgeKindId kind);
// The words of a text, which blanks separate.
std::map<std::string, double> WordsOf(const std::string& text);
// "" for keys that no purge takes; such keys are their writer's alone.
bool IsVictim(const std::string& key);

}  // namespace plexus::service_test
