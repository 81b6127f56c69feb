// VisibleSet: the visible nodes of one state at one time, and how to bring them to the next.
//
// Found from nothing once, O(nodes). Then carried to later states by what a batch changed
// (engine/lineage.h), and to other times by the valid times in between: when a query has another
// time, and to the time of the new state if the last query was not about the past. Both end in the
// same step: some nodes and some suppressing edges are looked at again. That is local, because
// whether a node is superseded depends only on its strong component among the active suppressing
// edges and on the edges that enter it:
//   - components of several nodes (cycles) are kept by name; all other nodes are in no cycle;
//   - an edge in a cycle that changed makes the cycle's nodes be sorted again among themselves;
//   - an edge source -> target that is there now can only have closed a cycle if target reaches
//     source: both ends are searched in turn, so that an end with nothing before it answers at
//     once;
//   - then only the targets of changed edges and the nodes of changed cycles can have changed.
// A search that grows too large, or too much change, stops: the set is found from nothing.
// Private to algorithms/memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/memory/visibility/internal/suppression.h"
#include "engine/lineage.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::memory::internal {

class VisibleSet final : public Carried {
 public:
  static constexpr std::string_view kName = "visible nodes";

  // O(nodes + suppressing edges), in parallel. Null: the budget ran out.
  static std::shared_ptr<const VisibleSet> Make(const Snapshot& snapshot, std::int64_t now,
                                                bool include_superseded, Executor& executor,
                                                const Budget& budget = {});
  // The set of the same state at another time. Null: too far, or too much to do.
  std::shared_ptr<const VisibleSet> AtTime(const Snapshot& snapshot, std::int64_t now) const;
  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override;

  const std::shared_ptr<const NodeSubset>& nodes() const { return nodes_; }
  bool Holds(std::int64_t now) const;  // the set is the same at `now`
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override;

  // Asked for since the set kept with it was made: VisibleNodes replaces the other.
  mutable std::atomic<bool> recent = true;

 private:
  // A time at which a node or an edge begins or ceases to be valid; `target` kNoNode: a node.
  struct Moment {
    std::int64_t time;
    NodeId node, target;
    auto operator<=>(const Moment&) const = default;
  };
  // A node of a cycle, which goes by its smallest node.
  struct CycleNode {
    NodeId node, cycle;
    auto operator<=>(const CycleNode&) const = default;
  };
  using Moments = std::vector<Moment>;
  using Cycles = std::vector<CycleNode>;  // ascending
  struct Arc {
    NodeId source, target;
    auto operator<=>(const Arc&) const = default;
  };
  class Recheck;

  // Cycles of the graph of these edges, which ascend by source.
  static Cycles FindCycles(const std::vector<SuppressingEdge>& edges);
  static NodeId CycleOf(const Cycles& cycles, NodeId node);  // kNoNode: in no cycle
  // Adds what is found to what is known, and keeps those near at_.
  void KeepMoments(Moments found, const std::shared_ptr<const Moments>& known);
  bool Knows(std::int64_t now) const { return floor_ <= now && (!horizon_ || now < *horizon_); }
  // What begins or ends between at_ and `now`.
  std::span<const Moment> Between(std::int64_t now) const;
  static void AddTo(std::span<const Moment> moments, std::vector<NodeId>& nodes,
                    std::vector<Arc>& arcs);
  // This set with another look at some nodes and edges, of that state and time.
  std::shared_ptr<const VisibleSet> Rechecked(const Snapshot& snapshot, std::int64_t now,
                                              std::vector<NodeId> nodes,
                                              std::vector<Arc> arcs) const;

  bool include_superseded_ = false;
  bool follows_clock_ = false;  // the last query was for a time not before that of its state
  std::int64_t at_ = 0;
  // Moments, ascending, are known after floor_ and before horizon_ (none: all of the future).
  std::int64_t floor_ = 0;
  std::optional<std::int64_t> horizon_;
  std::shared_ptr<const Moments> moments_;
  std::shared_ptr<const Cycles> cycles_;
  std::shared_ptr<const NodeSubset> nodes_;
};

}  // namespace plexus::memory::internal
