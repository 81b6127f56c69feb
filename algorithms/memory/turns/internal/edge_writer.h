// EdgeWriter: pairs become operations of batches where the graph lacks them.
//
// What is stored already is compared on all threads; batches are filled in order by one. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "algorithms/memory/turns/turns.h"

namespace plexus::memory::internal {

struct BuiltEdge {
  NodeId source = kNoNode, target = kNoNode;
  float weight = 0;
  std::string_view label;
  std::string properties;  // "": what is stored stays
};

class EdgeWriter {
 public:
  EdgeWriter(const Snapshot& snapshot, const EdgeRecipe& recipe, const BuildOptions& options,
             const ApplyBatch& apply, BuildReport& report);

  // Any number of edges, each identity once in a run.
  Status Add(std::span<const BuiltEdge> edges);
  Status Unlink(NodeId source, NodeId target, std::string_view label);
  // Made of the stored ones, which the batch expects to be there still.
  Status SetProperties(NodeId node, std::string_view bytes);
  // Hands over what is left.
  Status Finish();

  // Stored by this recipe.
  bool Owns(const Edge& edge) const { return owner_ && edge.created_by == *owner_; }
  // True: stop, the report says truncated.
  bool Stopped();
  void Expect(std::uint64_t total) { total_ = total; }
  void Done(std::uint64_t steps) { done_ += steps; }

  const Snapshot& snapshot() const { return snapshot_; }
  const EdgeRecipe& recipe() const { return recipe_; }
  const BuildOptions& options() const { return options_; }
  BuildReport& report() { return report_; }
  Executor& executor() const { return executor_; }

 private:
  enum class State : std::uint8_t { kNew, kChanged, kSame };
  Result<State> StateOf(const BuiltEdge& edge) const;
  Status Flush();
  Status FlushWhenFull();

  const Snapshot& snapshot_;
  const EdgeRecipe& recipe_;
  const BuildOptions& options_;
  const ApplyBatch& apply_;
  BuildReport& report_;
  Executor& executor_;
  std::string created_by_;
  std::optional<StringId> owner_;  // of created_by_, if the graph has it
  WriteBatch batch_;
  std::size_t in_batch_ = 0;
  std::uint64_t done_ = 0, total_ = 0;
};

// The first error, by index, of work on many threads.
class FirstError {
 public:
  void Note(std::size_t index, Error error);
  Status Take();

 private:
  std::mutex mutex_;
  std::size_t index_ = 0;
  std::optional<Error> error_;
};

}  // namespace plexus::memory::internal
