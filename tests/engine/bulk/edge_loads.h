// Loads that a host may hand to Graph::Load, right and wrong, each with what is said of it.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/bulk/edge_load.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"

namespace plexus::testing {

struct LoadCase {
  std::string name;
  std::function<EdgeLoad()> make;
  std::string error;  // part of its message; "": it is loaded
};

inline LoadBatch BatchOf(const std::vector<NodePair>& edges, NodeId nodes,
                         const std::vector<float>& weights = {}) {
  LoadBatch batch;
  batch.edges = AlignedArray<NodePair>(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) batch.edges[i] = edges[i];
  batch.weights = AlignedArray<float>(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) batch.weights[i] = weights[i];
  batch.nodes = nodes;
  return batch;
}

inline EdgeLoad LoadOf(const std::vector<std::string_view>& keys, std::vector<LoadBatch> batches) {
  EdgeLoad load;
  load.time_ms = 5;
  for (const std::string_view key : keys) load.keys.Insert(key);
  load.batches = std::move(batches);
  return load;
}

inline std::vector<LoadCase> LoadCases() {
  using namespace std::string_view_literals;
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  std::vector<LoadCase> cases;
  const auto add = [&](std::string name, std::string error, std::vector<std::string_view> keys,
                       auto batches) {
    cases.push_back({std::move(name),
                     [keys = std::move(keys), batches] { return LoadOf(keys, batches()); },
                     std::move(error)});
  };
  const auto one = [](std::vector<NodePair> edges, NodeId nodes, std::vector<float> weights = {}) {
    return [=] {
      std::vector<LoadBatch> batches;
      batches.push_back(BatchOf(edges, nodes, weights));
      return batches;
    };
  };
  const auto two = [](std::vector<NodePair> first, NodeId nodes, std::vector<NodePair> second,
                      NodeId all) {
    return [=] {
      std::vector<LoadBatch> batches;
      batches.push_back(BatchOf(first, nodes));
      batches.push_back(BatchOf(second, all));
      return batches;
    };
  };
  // --- right
  add("an isolated key", "", {"a", "b", "c"}, one({{0, 1}}, 3));
  add("ids out of order of appearance", "", {"a", "b", "c"}, one({{2, 0}, {1, 2}}, 3));
  add("a batch of isolated keys", "", {"a", "b", "c"}, two({{0, 1}}, 2, {}, 3));
  add("an edge twice, and self-loops", "", {"a", "b"},
      one({{0, 1}, {1, 1}, {0, 1}, {0, 0}}, 2, {1, 0, 2, -0.0f}));
  add("weights that are not stated", "", {"a", "b"},
      one({{0, 1}, {1, 0}}, 2, {std::nanf(""), 0.5f}));
  // --- wrong
  add("an id past the keys", "batch 0, edge 1: target 7", {"a", "b"}, one({{1, 0}, {0, 7}}, 2));
  add("an id of a later batch", "batch 0, edge 0: source 2", {"a", "b", "c"},
      two({{2, 0}}, 2, {{0, 1}}, 3));
  add("nodes too small", "batch 0, edge 0: target 2", {"a", "b", "c"}, one({{0, 2}}, 1));
  add("nodes too small for the keys", "name 2 nodes, but there are 3 keys", {"a", "b", "c"},
      one({{0, 1}}, 2));
  add("nodes larger than the keys", "batch 0 has `nodes` 9", {"a", "b"}, one({{0, 1}}, 9));
  add("nodes that shrink", "batch 1 has `nodes` 1", {"a", "b"}, two({{0, 1}}, 2, {}, 1));
  add("keys without batches", "name 0 nodes, but there are 1 keys", {"a"},
      [] { return std::vector<LoadBatch>(); });
  add("an empty key", "key 1: node key is empty", {"a", "", "c"}, one({{0, 1}, {1, 2}}, 3));
  add("a key that is no UTF-8", "key 1: node key is not valid UTF-8", {"a", "\xff\xfe"},
      one({{0, 1}}, 2));
  add("a key with NUL", "key 0: node key contains a NUL", {"a\0b"sv, "b"}, one({{0, 1}}, 2));
  add("an index node's key", "key 1: node key contains U+001F", {"a", "tag\x1fx"},
      one({{0, 1}}, 2));
  add("a negative weight", "batch 0, edge 0: weight -3", {"a", "b"}, one({{0, 1}}, 2, {-3}));
  add("an infinite weight", "batch 0, edge 1: weight inf", {"a", "b"},
      one({{0, 1}, {1, 0}}, 2, {1, kInfinite}));
  add("fewer weights than edges", "batch 0 has 1 weights, but 2 edges", {"a", "b"},
      one({{0, 1}, {1, 0}}, 2, {3}));
  add("more weights than edges", "batch 0 has 2 weights, but 1 edges", {"a", "b"},
      one({{0, 1}}, 2, {3, 4}));
  add("too many batches", "the limit is 16384", {},
      [] { return std::vector<LoadBatch>(kMaxLoadBatches + 1); });
  return cases;
}

// The same by Apply, a batch each: what Load promises.
inline std::vector<WriteBatch> BatchesOf(const EdgeLoad& load, const StringTable::View& keys) {
  std::vector<WriteBatch> batches;
  NodeId first = 0;
  for (const LoadBatch& from : load.batches) {
    WriteBatch& to = batches.emplace_back(load.time_ms);
    for (NodeId v = first; v < from.nodes; ++v)
      to.ClearColumn(to.UpsertNode(keys[v]), kCreatedAt);  // as the end of an edge has none
    first = from.nodes;
    for (std::size_t i = 0; i < from.edges.size(); ++i) {
      WriteBatch::EdgeInput edge;
      edge.source = to.Node(keys[from.edges[i].source]);
      edge.target = to.Node(keys[from.edges[i].target]);
      edge.kind = kLink;
      if (!from.weights.empty() && !std::isnan(from.weights[i])) edge.weight = from.weights[i];
      to.Link(edge);
    }
  }
  return batches;
}

}  // namespace plexus::testing
