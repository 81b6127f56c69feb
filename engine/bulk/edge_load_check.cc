// What a load may hold. One pass over it, in parallel; what is wrong is looked for again, to name
// it.
#include <algorithm>
#include <limits>
#include <string>

#include "engine/bulk/edge_load.h"
#include "engine/schema.h"

namespace plexus {

namespace {

constexpr std::size_t kGrain = std::size_t{1} << 16;
constexpr float kMostWeight = std::numeric_limits<float>::max();

// The first i below `count` with wrong(i); `count` when there is none.
template <class Wrong>
std::size_t FirstWrong(std::size_t count, Executor& executor, Wrong&& wrong) {
  return ParallelReduce(
      executor, count, kGrain, count,
      [&](std::size_t begin, std::size_t end) {
        bool any = false;  // no branch in the common case
        for (std::size_t i = begin; i < end; ++i) any |= wrong(i);
        if (!any) return count;
        while (!wrong(begin)) ++begin;
        return begin;
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); });
}

Error Wrong(const std::string& what) { return {ErrorCode::kInvalidArgument, what}; }

Status CheckBatch(const LoadBatch& batch, const std::string& name, Executor& executor) {
  const auto& [edges, weights, nodes] = batch;
  if (!weights.empty() && weights.size() != edges.size())
    return std::unexpected(Wrong(name + " has " + std::to_string(weights.size()) +
                                 " weights, but " + std::to_string(edges.size()) + " edges"));
  const auto edge = [&](std::size_t i) { return name + ", edge " + std::to_string(i) + ": "; };
  std::size_t at = FirstWrong(edges.size(), executor, [&](std::size_t i) {
    return (edges[i].source >= nodes) | (edges[i].target >= nodes);
  });
  if (at < edges.size()) {
    const bool source = edges[at].source >= nodes;
    return std::unexpected(Wrong(edge(at) + (source ? "source " : "target ") +
                                 std::to_string(source ? edges[at].source : edges[at].target) +
                                 " is no id below the " + std::to_string(nodes) +
                                 " nodes of the batches up to it"));
  }
  at = FirstWrong(weights.size(), executor,
                  [&](std::size_t i) { return (weights[i] < 0) | (weights[i] > kMostWeight); });
  if (at < weights.size())
    return std::unexpected(Wrong(edge(at) + "weight " + std::to_string(weights[at]) +
                                 " must be finite and >= 0, or NaN for none"));
  return {};
}

}  // namespace

Status LoadedEdges::Check(const EdgeLoad& load, const StringTable::View& keys, Executor& executor) {
  const auto& batches = load.batches;
  if (batches.size() > kMaxLoadBatches)
    return std::unexpected(Wrong("a load of " + std::to_string(batches.size()) +
                                 " batches; the limit is " + std::to_string(kMaxLoadBatches)));
  const std::size_t bad = FirstWrong(keys.size(), executor, [&](std::size_t v) {
    return !CheckKey(keys[static_cast<NodeId>(v)], false).has_value();
  });
  if (bad < keys.size()) {
    const Status why = CheckKey(keys[static_cast<NodeId>(bad)], false);
    return std::unexpected(
        Error{why.error().code, "key " + std::to_string(bad) + ": " + why.error().message});
  }
  NodeId before = 0;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const std::string name = "batch " + std::to_string(b);
    const NodeId nodes = batches[b].nodes;
    if (nodes < before || nodes > keys.size())
      return std::unexpected(Wrong(name + " has `nodes` " + std::to_string(nodes) +
                                   ", which must be from " + std::to_string(before) +
                                   ", of the batch before, to " + std::to_string(keys.size()) +
                                   ", the number of keys"));
    PLEXUS_TRY(CheckBatch(batches[b], name, executor));
    before = nodes;
  }
  if (before != keys.size())
    return std::unexpected(Wrong("the batches name " + std::to_string(before) +
                                 " nodes, but there are " + std::to_string(keys.size()) + " keys"));
  return {};
}

}  // namespace plexus
