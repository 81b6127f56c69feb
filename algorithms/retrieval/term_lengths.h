// TermLengths: the length of each fact's text in terms, and the mean length.
//
// BM25 needs the lengths of all facts before the first score. They are counted once over all
// has_term arcs, then carried from state to state by the facts that a batch changed
// (engine/lineage.h). Lengths are added in a fixed order (blocks of nodes, groups of blocks, then
// the groups), so counted and carried means have the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/arrays/paged_array.h"
#include "engine/lineage.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus {

class TermLengths final : public Carried {
 public:
  static constexpr std::string_view kName = "term lengths";

  // Those of the snapshot: kept, carried, or counted now, O(nodes + has_term arcs) in parallel.
  // What an executor that stopped half way left undone is wrong, so nothing is kept when
  // `stopped()`.
  template <class Stopped>
  // Computes: the lengths of the snapshot, kept, carried or counted now. Nothing is kept when
  //   `stopped()`, because a stopped executor leaves wrong lengths.
  // Complexity: O(nodes + has_term arcs) when counted, in parallel.
  // Threads: thread-safe.
  static std::shared_ptr<const TermLengths> Of(const Snapshot& snapshot, Executor& executor,
                                               Stopped&& stopped) {
    if (auto known = FindDerived<TermLengths>(snapshot)) return known;
    auto made = Make(snapshot, executor);
    return stopped() ? made : KeepDerived<TermLengths>(snapshot, std::move(made));
  }
  // Counts the lengths and does not keep them.
  static std::shared_ptr<const TermLengths> Make(const Snapshot& snapshot, Executor& executor);

  std::uint64_t documents() const { return documents_; }  // Alive facts with a term.
  double average() const { return average_; }             // Their mean length, 0 without any.
  float operator[](NodeId node) const { return lengths_[node] + 0.0f; }  // 0: no terms.

  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override;
  std::uint64_t size_bytes() const override;

 private:
  static constexpr std::size_t kBlock = 1024;  // nodes
  static constexpr std::size_t kGroup = 1024;  // blocks

  void Total(double sum);

  PagedArray<float>::View lengths_;  // -0: terms that weigh nothing; +0: no terms
  PagedArray<double>::View blocks_;  // sums of lengths
  std::vector<double> groups_;       // sums of blocks
  std::uint64_t documents_ = 0;
  double average_ = 0;
};

}  // namespace plexus
