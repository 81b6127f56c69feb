// EdgeLoad: edges of one kind for an empty graph, loaded at once.
//
// The same as applying the batches one by one, to the bit: the same ids, versions, counts,
// records and sequence numbers, where each batch first names its new nodes in the order of their
// ids, as ends of edges (without created_at). So an import that gives ids in the order in which
// edges name nodes loads the graph that it would write, and a node that no edge names is in the
// graph, too. But nothing is looked up and nothing merged: the edges are partitioned by source
// once, sorted in the cache, and become the base of the first state, without a delta. What each
// batch has changed falls out in the order of its record.
//
// Peak memory 38 bytes an edge, with weights 78 (30 of them stay), beside the keys. Not
// thread-safe.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/bulk/topology.h"
#include "engine/error.h"
#include "engine/graph.h"
#include "engine/parallel.h"
#include "engine/state.h"

namespace plexus {

// What one WriteBatch would link, in order, with kLink. Self-loops and repetitions may be among it.
struct LoadBatch {
  AlignedArray<NodePair> edges = {};
  // Parallel to edges; each finite and >= 0, or NaN: not stated. Empty: none is.
  AlignedArray<float> weights = {};
  // Of this batch and those before it: its edges' ids lie below. The last batch's is the number of
  // keys.
  NodeId nodes = 0;
};

struct EdgeLoad {
  std::int64_t time_ms = kNoTime;       // as of a WriteBatch
  StringTable keys = {};                // of facts, by id; each passes CheckKey
  std::vector<LoadBatch> batches = {};  // at most kMaxLoadBatches
};
inline constexpr std::size_t kMaxLoadBatches = 1 << 14;

// An EdgeLoad made ready: the state, and what each batch has put into the log.
class LoadedEdges {
 public:
  // `empty`: a state at sequence 0. kInvalidArgument for what is not as the structs above say:
  // names the batch, the edge and the value. kResourceExhausted above Limits::kMaxArcs edges.
  // Throws std::bad_alloc. Takes O(edges) time; the result does not depend on threads.
  static Result<LoadedEdges> Make(EdgeLoad load, const GraphState& empty, Executor& executor);

  std::size_t batch_count() const { return batches_.size(); }
  std::uint64_t change_count(std::size_t batch) const { return batches_[batch].edges.size(); }
  std::uint64_t key_bytes(std::size_t batch) const;  // of the nodes it names first
  // False: the batch changes nothing, it has neither record nor sequence number.
  bool HasRecord(std::size_t batch) const {
    return change_count(batch) > 0 || FirstNode(batch) != batches_[batch].nodes;
  }
  // The record of a batch, but for its sequence number. Keeps the memory of `record`.
  void FillRecord(std::size_t batch, Record& record) const;
  // The same without its edges.
  void FillNodes(std::size_t batch, Record& record) const;
  // What a batch changes, by (source, target), with full weights (none: all are 1) whose sign
  // says what FlagsOf does. All are of kLink, created at time_ms().
  const LoadBatch& batch(std::size_t batch) const { return batches_[batch]; }
  static std::uint16_t FlagsOf(float weight) {
    return std::signbit(weight) ? 0 : EdgeChange::kIsNew;
  }
  std::int64_t time_ms() const { return time_ms_; }

  // What all of it amounts to.
  const ApplyReport& report() const { return report_; }
  GraphState TakeState() { return std::move(state_); }
  // What the batches before `batch` amount to, built anew; `empty` as for Make.
  Result<GraphState> StateBefore(std::size_t batch, const GraphState& empty,
                                 Executor& executor) const;

 private:
  static Status Check(const EdgeLoad& load, const StringTable::View& keys, Executor& executor);
  template <class Entry>
  struct Arcs;
  template <class Entry, class Bits>
  std::shared_ptr<Csr> Build(const Bits& bits, NodeId nodes, Executor& executor);
  NodeId FirstNode(std::size_t batch) const { return batch == 0 ? 0 : batches_[batch - 1].nodes; }

  std::int64_t time_ms_ = 0;
  std::vector<LoadBatch> batches_;
  StringTable::View keys_;
  GraphState state_;
  ApplyReport report_;
};

}  // namespace plexus
