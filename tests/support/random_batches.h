// RandomBatches: batches over few keys that do all that a batch can do, often to the same nodes.
//
// Facts of built-in and own kinds with columns, texts, properties and vectors of two spaces; typed,
// symmetric and labelled edges with all their attributes; tags, terms, events with members and
// outcomes; removals and purges of any of them, with what comes back in the same batch; some of
// their keys are forgotten. Values come from few choices, so that some operations state what is
// there already. All apply, in order, to an empty graph. The same seed gives the same batches.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "engine/write_batch.h"

namespace plexus::testing {

class RandomBatches {
 public:
  explicit RandomBatches(std::uint64_t seed) : random_(seed * 1'000'003 + 1) {}
  WriteBatch Next(std::int64_t time_ms);

 private:
  std::uint64_t Below(std::uint64_t n) { return random_() % n; }
  std::string Name(const char* prefix, std::uint64_t n) {
    return prefix + std::to_string(Below(n));
  }
  NodeRef Fact(WriteBatch& batch) { return batch.UpsertNode(Name("n", 6)); }
  NodeRef Word(WriteBatch& batch, bool term);
  NodeRef Event(WriteBatch& batch);
  NodeRef Outcome(WriteBatch& batch);
  NodeRef Any(WriteBatch& batch);

  void Operation(WriteBatch& batch);
  void Link(WriteBatch& batch, NodeRef source, EdgeKindRef kind, NodeRef target);
  void FactEdge(WriteBatch& batch, bool unlink);
  void WordEdge(WriteBatch& batch, NodeRef node, bool unlink);
  void EventEdge(WriteBatch& batch, bool unlink);
  void Column(WriteBatch& batch);
  void Payload(WriteBatch& batch, NodeRef node);
  void Vector(WriteBatch& batch, NodeRef node);
  void Remove(WriteBatch& batch, NodeRef node);

  std::mt19937_64 random_;
  bool defined_ = false;
};

}  // namespace plexus::testing
