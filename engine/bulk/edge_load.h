// EdgeLoad: many edges, loaded at once.
//
// The same as applying the batches one by one, to the bit: the same ids, versions, counts,
// records and sequence numbers, where each batch first names its new nodes in the order of their
// ids, as ends of edges (without created_at), and defines the kinds and labels that it is the first
// to use. So an import that gives ids in the order in which edges name nodes loads the graph that
// it would write, and a node that no edge names is in the graph, too. But nothing is looked up and
// nothing merged: the edges are partitioned by source once, sorted in the cache, and become the
// base of the next state, without a delta. What each batch has changed falls out in the order of
// its record. A graph whose new facts get a scope (GraphOptions::scope) is not loaded so:
// kFailedPrecondition; index nodes have none.
//
// Into a graph that is not empty: the keys begin with those of the graph, in the order of their
// ids, the strings with its strings, and kinds of its own are not defined again. Its delta is
// folded in first. The load is sorted apart, its edges decide what is new, and both are merged
// once: that takes the time and memory of a compaction, so it is for loads of a tenth of the graph
// and more. What is derived from the states before is derived again. Edges that name a removed node
// (kInvalidArgument), and other values for an edge with properties or a created_by
// (kFailedPrecondition), are for Apply.
//
// Peak memory 38 bytes an edge, with weights or kinds 60, with labels or times 130 (14 to 28 of
// them stay), without the keys; an edge of a symmetric kind counts twice. With a scratch it takes
// what `memory` says on top of the graph, or somewhat more where few nodes have most of the edges;
// the result is the same to the bit. Not thread-safe.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/bulk/load.h"
#include "engine/error.h"
#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/parallel.h"
#include "engine/state.h"

namespace plexus {

// A batch of a load whose arrays lie in the scratch.
struct StoredBatch {
  std::uint64_t at = 0;
  std::uint64_t edges = 0;         // 0: it is not there
  std::uint8_t columns = 0;        // which arrays it has
  std::vector<KindId> kinds = {};  // that its edges have, ascending; empty: builtin::kLink
  StringId strings = 0;            // the largest label and 1
};

// What one WriteBatch would link, in order. Self-loops and repetitions may be among it. Arrays
// after `edges` are parallel to it, or empty.
struct LoadBatch {
  AlignedArray<NodePair> edges = {};
  // Each finite and >= 0, or NaN: not stated. Empty: none is.
  AlignedArray<float> weights = {};
  // Of this batch and those before it: its edges' ids lie below. The last batch's is the number of
  // keys.
  NodeId nodes = 0;
  AlignedArray<KindId> kinds = {};     // edge kinds of EdgeLoad::plane; empty: builtin::kLink
  AlignedArray<StringId> labels = {};  // ids in EdgeLoad::strings
  // kNoTime: not stated.
  AlignedArray<std::int64_t> created_at = {}, valid_from = {}, valid_until = {};
  // Set: the arrays above are empty and lie in EdgeLoad::scratch (stored_batch.h).
  StoredBatch stored = {};
  std::size_t edge_count() const { return stored.edges > 0 ? stored.edges : edges.size(); }
};

struct EdgeLoad {
  std::int64_t time_ms = kNoTime;       // as of a WriteBatch
  StringTable keys = {};                // by id; new ones are of `plane`, and pass CheckKey
  std::vector<LoadBatch> batches = {};  // at most kMaxLoadBatches
  // New kinds: their ids follow those of the graph, in this order.
  std::vector<NodeKind> node_kind_definitions = {};
  std::vector<EdgeKind> edge_kind_definitions = {};
  AlignedArray<KindId> node_kinds = {};  // of new nodes, of `plane`; empty: kNode
  StringTable strings = {};              // labels by id; the first is ""
  // Not null: gets how many edges of batches before it each batch changes.
  std::vector<std::uint64_t>* changed_of = nullptr;
  // Bytes that arrays may take on top of the graph. What passes them goes to the scratch, where
  // there is one.
  std::uint64_t memory = ~std::uint64_t{0};
  std::shared_ptr<LoadScratch> scratch = {};
  // Of all edges and new nodes. The old ends of index edges may be facts.
  Plane plane = Plane::kFact;
  // The sequence that the graph must be at, else kConflict.
  std::optional<Sequence> after = {};
};
inline constexpr std::size_t kMaxLoadBatches = 1 << 14;

namespace engine_internal {
class LoadRuns;         // load_rows.h
class WatchedExecutor;  // edge_load.cc
}  // namespace engine_internal

// The first i below `count` with wrong(i); `count` when there is none.
template <class Wrong>
std::size_t FirstWrong(std::size_t count, Executor& executor, Wrong&& wrong) {
  return ParallelReduce(
      executor, count, std::size_t{1} << 16, count,
      [&](std::size_t begin, std::size_t end) {
        bool any = false;  // no branch in the common case
        for (std::size_t i = begin; i < end; ++i) any |= wrong(i);
        if (!any) return count;
        while (!wrong(begin)) ++begin;
        return begin;
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); });
}

// An EdgeLoad made ready: the state, and what each batch has put into the log.
class LoadedEdges {
 public:
  // `start`: a state without runs, which must stay. kInvalidArgument for what is not as the structs
  // above say: names the batch, the edge and the value; kFailedPrecondition for other keys than its
  // own at the front. kResourceExhausted above Limits::kMaxArcs edges. What fails in the scratch.
  // Throws std::bad_alloc. Takes O(edges) time; the result does not depend on threads. `progress`
  // may be null, and stops it (kCancelled) within a block of work.
  static Result<LoadedEdges> Make(EdgeLoad load, const GraphState& start, Executor& executor,
                                  Progress* progress = nullptr);

  std::size_t batch_count() const { return batches_.size(); }
  std::uint64_t change_count(std::size_t batch) const {
    return runs_ ? run_changes_[batch] : batches_[batch].edges.size();
  }
  std::uint64_t key_bytes(std::size_t batch) const;  // of the nodes it names first
  // False: the batch changes nothing, it has neither record nor sequence number.
  bool HasRecord(std::size_t batch) const {
    return change_count(batch) > 0 || FirstNode(batch) != batches_[batch].nodes ||
           Before(batch) != after_[batch];
  }
  // Brings the changes of a batch and of those behind it from the scratch, where they lie there, in
  // the place of others. Returns the end of those that are at hand: only they have records now.
  Result<std::size_t> Fetch(std::size_t batch);
  // The record of a batch, but for its sequence number. Keeps the memory of `record`.
  void FillRecord(std::size_t batch, Record& record) const;
  // The same without its edges (with their extras).
  void FillNodes(std::size_t batch, Record& record) const;
  // What a batch changes, by identity, with full values; the weight's sign says whether the edge is
  // new (none: all are 1 and new). No created_at: all are of time_ms(). No kinds: all are
  // builtin::kLink.
  const LoadBatch& batch(std::size_t batch) const { return batches_[batch]; }
  static std::uint16_t FlagsOf(const LoadBatch& batch, std::size_t edge);
  std::int64_t time_ms() const { return time_ms_; }

  // What all of it amounts to.
  const ApplyReport& report() const { return report_; }
  GraphState TakeState() { return std::move(state_); }
  // What the batches before `batch` amount to, built again; `start` as for Make.
  Result<GraphState> StateBefore(std::size_t batch, const GraphState& start, Executor& executor);

 private:
  // How many strings and kinds there are once some batches were applied.
  struct Known {
    StringId strings = 0;
    std::size_t node_kinds = 0, edge_kinds = 0;
    bool operator==(const Known&) const = default;
  };

  Status Build(EdgeLoad load, const GraphState& start, Executor& executor, Progress* progress);
  Status Check(const EdgeLoad& load, const GraphState& start, const Schema& schema,
               Executor& executor);
  void NoteKnown(const EdgeLoad& load, const Schema& schema, Executor& executor);
  void CountChanged(std::vector<std::uint64_t>& changed) const;
  Result<std::shared_ptr<Csr>> RowsBefore(std::size_t batch, const Schema& schema,
                                          Executor& executor);
  NodeId FirstNode(std::size_t batch) const {
    return batch == 0 ? first_node_ : batches_[batch - 1].nodes;
  }
  const Known& Before(std::size_t batch) const { return batch == 0 ? start_ : after_[batch - 1]; }
  GraphState StateOf(const GraphState& start, std::size_t batches, Sequence sequence,
                     std::shared_ptr<Csr> base) const;
  // REQUIRES a new node.
  KindId KindOfNode(NodeId v) const {
    return node_kinds_.empty() ? kNodeKind : node_kinds_[v - first_node_];
  }

  static constexpr KindId kNodeKind = 0;
  std::int64_t time_ms_ = 0;
  NodeId first_node_ = 0;  // new
  std::uint64_t memory_ = 0;
  std::vector<LoadBatch> batches_;
  std::shared_ptr<engine_internal::WatchedExecutor> watched_;  // runs_ work on it; may be null
  std::shared_ptr<engine_internal::LoadRuns> runs_;  // where the changes lie in the scratch
  std::vector<std::uint64_t> run_changes_;           // of each batch, then
  std::vector<NodeKind> node_kind_definitions_;
  std::vector<EdgeKind> edge_kind_definitions_;
  std::size_t first_column_ = 0, first_space_ = 0;
  StringTable::View keys_, strings_;
  AlignedArray<KindId> node_kinds_;
  Known start_;               // before the first batch
  std::vector<Known> after_;  // each batch
  GraphState state_;
  ApplyReport report_;
};

inline std::uint16_t LoadedEdges::FlagsOf(const LoadBatch& batch, std::size_t edge) {
  const bool is_new = batch.weights.empty() || !std::signbit(batch.weights[edge]);
  const auto has = [&](const AlignedArray<std::int64_t>& times) {
    return !times.empty() && times[edge] != kNoTime;
  };
  const bool extra = has(batch.valid_from) || has(batch.valid_until);
  return static_cast<std::uint16_t>((is_new ? EdgeChange::kIsNew : 0) |
                                    (extra ? EdgeChange::kHasExtra : 0));
}

}  // namespace plexus
