// The soak's model: what the database must hold after step s, in plain maps.
//
// A step is one batch: some memories end, some are made, some are embedded anew, rewritten, counted
// up, linked otherwise. What it does is a function of (seed, step): targets are drawn by their
// number and a draw that meets no live memory does nothing. No memory lives longer than
// Scenario::horizon() steps, so Model::At replays that many and not all: every process and thread
// keeps a model of its own, and nothing but the step's number has to be told.
//
// Some memories end by a purge. Those that are due wait for the next step that is a multiple of
// purge_every; the writer purges them after its batch, so a snapshot at such a step is before or
// after the purge and shows which. Most keys are used again and again; each fresh_part-th memory
// has a key that never comes back, which is a permanent id.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/vocabulary.h"
#include "engine/write_batch.h"

namespace plexus::bench::soak {

using Step = std::uint64_t;
using Number = std::uint64_t;  // of a memory, in order of making
using EdgeKindOf = std::remove_cvref_t<decltype(builtin::kLink)>;

struct Scenario {
  std::uint64_t seed = 1;
  std::uint32_t per_step = 4;  // memories made by a step
  std::uint32_t life = 4'000;  // a memory lives between half of these steps and all
  std::uint32_t dimensions = 64;
  std::uint32_t fresh_part = 32;      // each so-many-th memory has a key of its own
  std::uint32_t purge_every = 5'000;  // steps
  std::uint32_t hard_part = 3;        // each so-many-th purge is a hard one
  Step horizon() const { return Step{life} + purge_every + 1; }
  bool PurgesAt(Step s) const { return s > 0 && s % purge_every == 0; }
  bool HardAt(Step s) const { return PurgesAt(s) && s / purge_every % hard_part == 0; }
};

inline constexpr std::int64_t kFirstTimeMs = 1'700'000'000'000;
inline constexpr const char* kControlKey = "soak";  // its column tells the step
inline constexpr const char* kStepColumn = "soak_step";
inline constexpr const char* kSpace = "soak_space";
inline constexpr int kSlots = 2;  // edges that a memory has at most

struct ModelEdge {
  Number target = 0;
  bool present = false;
  float weight = 1;
};

struct Memory {
  Step made = 0;
  Step ends = 0;
  std::uint32_t text_version = 0, vector_version = 0, tag_version = 0;
  std::int64_t count = 0;  // the access_count column
  double trust = 0;
  std::array<ModelEdge, kSlots> edges;
  std::vector<std::pair<Number, int>> in;  // (source, slot) of edges that end here
};

// What one step did, for the writer.
struct StepOps {
  std::vector<Number> removed, made, embedded, rewritten, retagged, counted, trusted;
  std::vector<std::pair<Number, int>> weighed, unlinked;
};

class Model {
 public:
  explicit Model(const Scenario& scenario, Step step = 0) : scenario_(scenario), step_(step) {}
  // As it is after `step`; `purged`: also after the purge that belongs to the step. O(horizon).
  static Model At(const Scenario& scenario, Step step, bool purged);

  // The next step. Does the purge of the last one first, if nobody did.
  const StepOps& Next();
  // REQUIRES (step, purged) not before this one. Far ahead it begins again.
  void Advance(Step step, bool purged);
  // Victims of the purge that belongs to the present step and was not done.
  const std::vector<Number>& due() const { return due_; }
  void FinishPurge();

  Step step() const { return step_; }
  bool purged() const { return due_.empty(); }
  const Scenario& scenario() const { return scenario_; }
  const std::map<Number, Memory>& memories() const { return memories_; }
  std::uint64_t edge_count() const { return edge_count_; }
  std::int64_t count_sum() const { return count_sum_; }
  const Memory* Find(Number n) const;
  // A live memory by a number that was drawn, or 0 when none exists near it.
  Number Draw(std::uint64_t drawn) const;

  // --- what follows from the number alone, and the versions.
  std::string Key(Number n) const;
  bool Fresh(Number n) const { return n % scenario_.fresh_part == 0; }
  bool Victim(Number n) const { return n % (2 * scenario_.fresh_part) == 0; }
  std::vector<std::string> Words(Number n, std::uint32_t version) const;
  // A word that only this victim has.
  std::string SecretWord(Number n) const;
  std::string Text(Number n, const Memory& m) const;
  std::array<std::string, 2> Tags(Number n, const Memory& m) const;
  std::vector<float> Vector(Number n, const Memory& m) const;
  static EdgeKindOf Kind(Number n, int slot);
  static bool Symmetric(Number n, int slot);
  std::string Word(std::uint64_t rank) const;  // of the vocabulary
  static constexpr std::uint64_t kVocabulary = 3'000, kTags = 64;

 private:
  void Remove(Number n);
  void Unlink(Number n, int slot);
  Number DrawAny(std::uint64_t drawn) const;  // made before this step, maybe dead
  std::uint64_t Hash(std::uint64_t a, std::uint64_t b, std::uint64_t c) const;

  Scenario scenario_;
  Step step_ = 0;
  std::map<Number, Memory> memories_;
  std::multimap<Step, Number> ending_;
  std::vector<Number> due_;
  std::uint64_t edge_count_ = 0;
  std::int64_t count_sum_ = 0;
  StepOps ops_;
};

// The batch of the step that `model` has just made.
WriteBatch BatchOf(const Model& model, const StepOps& ops);

// SplitMix64's finisher over three numbers: the soak's only source of chance.
std::uint64_t MixNumbers(std::uint64_t a, std::uint64_t b, std::uint64_t c);

}  // namespace plexus::bench::soak
