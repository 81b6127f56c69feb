// Checker: is what a snapshot shows what the model says?
//
// One for each thread or process that asks: it keeps a model and moves it to the snapshot's step.
// Cheap looks: which step, how many nodes and edges, sums. Questions: single memories, nearest
// vectors, BM25, walks, each against a search through the whole model. Full: every memory, text,
// vector, tag, term and edge, and that there are no others.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "bench/soak/model.h"
#include "engine/snapshot.h"

namespace plexus::bench::soak {

// What may be missing without being wrong.
struct Allowed {
  bool no_texts = false;  // a replica without a store of its own
  // Texts, vectors, tags and terms of memories that end by a purge: a view of the past, or a
  // snapshot that was taken before a purge and is read after it.
  std::function<bool()> victims;
  bool victims_gone = false;  // a view of the past: after hard purges they never were
  // A view of the past: a trim drops vectors that it has not read yet.
  std::function<bool()> trimmed;
};

class Checker {
 public:
  Checker(const Scenario& scenario, std::string who, std::uint64_t seed)
      : model_(scenario), who_(std::move(who)), random_(MixNumbers(scenario.seed, seed, 77)) {}

  // Moves the model to the snapshot and looks at counts and sums. False: wrong.
  // `forward`: snapshots come in order; else the model is made for this one.
  bool Look(const Snapshot& snapshot, const Allowed& allowed = {}, bool forward = true);
  // One question of a kind that is drawn. After Look of the same snapshot.
  bool Ask(const Snapshot& snapshot, const Allowed& allowed = {});
  bool Full(const Snapshot& snapshot, const Allowed& allowed = {});

  Step step() const { return model_.step(); }
  const Model& model() const { return model_; }
  // The step that a snapshot shows; 0 before the first.
  static Step StepOf(const Snapshot& snapshot);

 private:
  bool Bad(const Snapshot& snapshot, const std::string& what) const;
  bool PurgeDone(const Snapshot& snapshot);
  bool Memories(const Snapshot& snapshot, const Allowed& allowed, int count);
  bool One(const Snapshot& snapshot, Number n, const Memory& m, const Allowed& allowed);
  bool Content(const Snapshot& snapshot, NodeId node, Number n, const Memory& m,
               const Allowed& allowed);
  bool Edges(const Snapshot& snapshot, NodeId node, Number n, const Memory& m,
             const Allowed& allowed);
  bool Nearest(const Snapshot& snapshot, const Allowed& allowed);
  bool Bm25(const Snapshot& snapshot, const Allowed& allowed);
  bool Walk(const Snapshot& snapshot);
  bool Missing(Number n, const Allowed& allowed) const {
    return allowed.victims && model_.Victim(n) && allowed.victims();
  }

  Model model_;
  std::string who_;
  std::mt19937_64 random_;
};

}  // namespace plexus::bench::soak
