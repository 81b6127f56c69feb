// TermLengths: how long each fact's text is, in terms, and how long texts are on average; the
// same of events' texts, apart.
//
// What BM25 needs of all of them before the first score. Counted once over all has_term arcs, then
// carried from state to state by the facts that a batch changed (engine/lineage.h).
//
// The average must come out with the same bits either way, so lengths are added up in one fixed
// order: by block of kBlock nodes, by group of kGroup blocks, then over the groups. A change adds
// up its blocks and groups again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "algorithms/common/internal/stoppable_executor.h"
#include "engine/arrays/views.h"
#include "engine/lineage.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::retrieval::internal {

class TermLengths final : public Carried {
 public:
  static constexpr std::string_view kName = "term lengths";

  // Computes: the lengths of the snapshot's facts, or events. They are kept with its state and
  //   carried to later ones, unless the executor stopped and left work undone.
  // Complexity: O(1) when they are kept, else O(nodes + has_term arcs).
  // Errors: none; throws std::bad_alloc.
  // Threads: parallel. The same bits at any thread count.
  static std::shared_ptr<const TermLengths> Of(const Snapshot& snapshot,
                                               common_internal::StoppableExecutor& executor,
                                               bool of_events = false);

  std::uint64_t documents() const { return documents_; }  // Alive facts (events) with a term.
  double average() const { return average_; }             // Their mean length. 0 without documents.
  float operator[](NodeId node) const { return lengths_[node] + 0.0f; }  // 0: no terms.

  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override;
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override;

 private:
  static constexpr std::size_t kBlock = 1024;  // nodes
  static constexpr std::size_t kGroup = 1024;  // blocks

  // Counts them, and keeps nothing.
  static std::shared_ptr<const TermLengths> Make(const Snapshot& snapshot, Executor& executor,
                                                 bool of_events);
  void Total(double sum);

  PagedView<float> lengths_;    // -0: terms that weigh nothing; +0: no terms
  PagedView<double> blocks_;    // sums of lengths
  std::vector<double> groups_;  // sums of blocks
  bool of_events_ = false;      // else of facts
  std::uint64_t documents_ = 0;
  double average_ = 0;
};

}  // namespace plexus::retrieval::internal
