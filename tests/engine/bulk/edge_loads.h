// Loads that a host may hand to Graph::Load, right and wrong, each with what is said of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <span>
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

template <class T>
AlignedArray<T> ArrayOf(const std::vector<T>& values) {
  return AlignedArray<T>(std::span<const T>(values));
}

inline EdgeKind KindNamed(std::string name, bool acyclic = false) {
  EdgeKind kind;
  kind.name = std::move(name);
  kind.acyclic = acyclic;
  return kind;
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
  const auto with = [&](std::string name, std::string error, auto change) {
    cases.push_back({std::move(name),
                     [change] {
                       std::vector<LoadBatch> batches;
                       batches.push_back(BatchOf({{0, 1}, {1, 0}, {2, 2}}, 3));
                       EdgeLoad load = LoadOf({"a", "b", "c"}, std::move(batches));
                       load.node_kind_definitions = {{"person", Plane::kFact}};
                       EdgeKind knows = KindNamed("knows"), near = KindNamed("near"),
                                owns = KindNamed("owns");
                       near.symmetric = true;
                       owns.source_kind = builtin::kFirstUserNodeKind;
                       load.edge_kind_definitions = {knows, near, owns};
                       for (const char* text : {"", "blue", "red"}) load.strings.Insert(text);
                       change(load, load.batches[0]);
                       return load;
                     },
                     std::move(error)});
  };
  constexpr KindId kKnows = builtin::kFirstUserEdgeKind.value(), kNear = kKnows + 1,
                   kOwns = kKnows + 2;
  constexpr KindId kPerson = builtin::kFirstUserNodeKind.value();
  with("definitions alone", "", [](EdgeLoad&, LoadBatch&) {});
  with("kinds, one of them symmetric", "", [=](EdgeLoad&, LoadBatch& b) {
    b.kinds = ArrayOf<KindId>({kNear, kNear, kKnows});
  });
  with("kinds of nodes that a kind of edges wants", "", [=](EdgeLoad& load, LoadBatch& b) {
    load.node_kinds = ArrayOf<KindId>({kPerson, 1, kPerson});
    b.kinds = ArrayOf<KindId>({kOwns, kKnows, kOwns});
  });
  with("labels and times", "", [=](EdgeLoad&, LoadBatch& b) {
    b.labels = ArrayOf<StringId>({1, 0, 2});
    b.created_at = ArrayOf<std::int64_t>({kNoTime, 7, -7});
    b.valid_from = ArrayOf<std::int64_t>({kNoTime, 7, 8});
    b.valid_until = ArrayOf<std::int64_t>({9, kNoTime, 8});
  });
  // --- wrong
  with("an unknown kind", "batch 0, edge 1: unknown edge kind 999", [=](EdgeLoad&, LoadBatch& b) {
    b.kinds = ArrayOf<KindId>({0, 999, 0});
  });
  with("a kind of the index plane", "edge 2: an edge of kind 'has_tag' is of the index plane",
       [=](EdgeLoad&, LoadBatch& b) {
         b.kinds = ArrayOf<KindId>({0, 0, builtin::kHasTag.value()});
       });
  with("a self-loop where there is none", "edge 2: an edge of kind 'causes' cannot be a self-loop",
       [=](EdgeLoad&, LoadBatch& b) {
         b.kinds = ArrayOf<KindId>({2, 2, 2});
       });
  with("an end of another kind", "edge 0: an edge of kind 'owns' wants its source to be of kind",
       [=](EdgeLoad&, LoadBatch& b) {
         b.kinds = ArrayOf<KindId>({kOwns, 0, 0});
       });
  with("fewer kinds than edges", "batch 0 has 1 kinds, but 3 edges",
       [=](EdgeLoad&, LoadBatch& b) { b.kinds = ArrayOf<KindId>({0}); });
  with("fewer node kinds than keys", "there are 1 node kinds, but 3 keys",
       [=](EdgeLoad& load, LoadBatch&) { load.node_kinds = ArrayOf<KindId>({0}); });
  with("a node kind of the index plane", "node 1: node kind 6 is unknown or of the index plane",
       [=](EdgeLoad& load, LoadBatch&) {
         load.node_kinds = ArrayOf<KindId>({0, 6, 0});
       });
  with("a label that is none", "batch 0, edge 2: label 3 is no id of the 3 strings",
       [=](EdgeLoad&, LoadBatch& b) {
         b.labels = ArrayOf<StringId>({0, 1, 3});
       });
  with("a string that is no UTF-8", "string 3 is no label",
       [=](EdgeLoad& load, LoadBatch&) { load.strings.Insert("\xff"); });
  with("a time that is none", "batch 0, edge 0: created_at", [=](EdgeLoad&, LoadBatch& b) {
    b.created_at = ArrayOf<std::int64_t>({kMaxTimeMs + 1, 0, 0});
  });
  with("an edge that ends before it begins", "valid until a time that is before",
       [=](EdgeLoad&, LoadBatch& b) {
         b.valid_from = ArrayOf<std::int64_t>({9, kNoTime, kNoTime});
         b.valid_until = ArrayOf<std::int64_t>({8, kNoTime, kNoTime});
       });
  with("a kind that is defined already", "'link' is already defined",
       [=](EdgeLoad& load, LoadBatch&) {
         load.edge_kind_definitions.push_back(KindNamed("link", true));
       });
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
  std::size_t node_kinds = 0, edge_kinds = 0;  // defined so far
  const Schema builtin;
  const auto node_kind = [&](KindId kind) -> const NodeKind& {
    return kind < builtin.node_kinds().size()
               ? builtin.node_kinds()[kind]
               : load.node_kind_definitions[kind - builtin.node_kinds().size()];
  };
  const auto edge_kind = [&](KindId kind) -> const EdgeKind& {
    return kind < builtin.edge_kinds().size()
               ? builtin.edge_kinds()[kind]
               : load.edge_kind_definitions[kind - builtin.edge_kinds().size()];
  };
  for (const LoadBatch& from : load.batches) {
    WriteBatch& to = batches.emplace_back(load.time_ms);
    const bool last = &from == &load.batches.back();
    std::size_t of_nodes = last ? load.node_kind_definitions.size() : 0,
                of_edges = last ? load.edge_kind_definitions.size() : 0;
    for (NodeId v = first; v < from.nodes && !load.node_kinds.empty(); ++v)
      if (load.node_kinds[v] >= builtin.node_kinds().size())
        of_nodes = std::max(of_nodes, load.node_kinds[v] - builtin.node_kinds().size() + 1);
    for (const KindId kind : from.kinds)
      if (kind >= builtin.edge_kinds().size())
        of_edges = std::max(of_edges, kind - builtin.edge_kinds().size() + 1);
    for (; node_kinds < of_nodes; ++node_kinds)
      to.DefineNodeKind(load.node_kind_definitions[node_kinds]);
    for (; edge_kinds < of_edges; ++edge_kinds)
      to.DefineEdgeKind(load.edge_kind_definitions[edge_kinds]);
    for (NodeId v = first; v < from.nodes; ++v) {
      const NodeRef node =
          load.node_kinds.empty()
              ? to.UpsertNode(keys[v])
              : to.UpsertNode(keys[v], to.NodeKindNamed(node_kind(load.node_kinds[v]).name));
      to.ClearColumn(node, builtin::kCreatedAt);  // as the end of an edge has none
    }
    first = from.nodes;
    for (std::size_t i = 0; i < from.edges.size(); ++i) {
      WriteBatch::EdgeInput edge;
      edge.source = to.Node(keys[from.edges[i].source]);
      edge.target = to.Node(keys[from.edges[i].target]);
      edge.kind = builtin::kLink;
      if (!from.kinds.empty()) edge.kind = to.EdgeKindNamed(edge_kind(from.kinds[i]).name);
      if (!from.labels.empty()) edge.label = load.strings[from.labels[i]];
      if (!from.weights.empty() && !std::isnan(from.weights[i])) edge.weight = from.weights[i];
      const auto time = [&](const AlignedArray<std::int64_t>& times,
                            std::optional<std::int64_t>& set) {
        if (!times.empty() && times[i] != kNoTime) set = times[i];
      };
      time(from.created_at, edge.created_at);
      time(from.valid_from, edge.valid_from);
      time(from.valid_until, edge.valid_until);
      to.Link(edge);
    }
  }
  return batches;
}

// Edges of many kinds with repetitions, self-loops and whatever the round's bits say.
inline EdgeLoad RandomLoad(std::uint64_t seed, std::size_t most_edges) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  EdgeLoad load;
  load.time_ms = 1'000'000;
  const bool weights = seed & 1, times = seed & 2, labels = seed & 4, kinds = seed % 5 != 0;
  const bool node_kinds = seed % 3 == 0, many_kinds = seed % 16 == 9;
  const std::uint64_t keys = 1 + below(seed % 2 ? 12 : 400);
  constexpr KindId kUser = builtin::kFirstUserEdgeKind.value();
  if (node_kinds) load.node_kind_definitions = {{"person", Plane::kFact}, {"place", Plane::kFact}};
  EdgeKind near = KindNamed("near"), strict = KindNamed("strict"), owns = KindNamed("owns");
  near.symmetric = true;
  strict.self_loops = false;
  owns.source_kind = node_kinds ? builtin::kFirstUserNodeKind : builtin::kNode;
  load.edge_kind_definitions = {KindNamed("knows"), near, strict, owns};
  for (int i = 0; many_kinds && i < 300; ++i)
    load.edge_kind_definitions.push_back(KindNamed("kind " + std::to_string(i)));
  load.strings.Insert("");
  std::vector<KindId> of;
  for (std::uint64_t b = 0; b <= below(6); ++b) {
    const std::size_t count = below(5) ? below(most_edges) + 1 : below(3);
    LoadBatch& batch = load.batches.emplace_back();
    batch.edges = AlignedArray<NodePair>(count);
    const auto make = [&]<class T>(bool has, AlignedArray<T>& array) {
      array = AlignedArray<T>(has && below(6) ? count : 0);
    };
    make(weights, batch.weights);
    make(kinds, batch.kinds);
    make(labels, batch.labels);
    make(times, batch.created_at);
    make(times, batch.valid_from);
    make(times, batch.valid_until);
    const auto key = [&] {
      const NodeId id = load.keys.Insert("key " + std::to_string(below(keys))).id;
      if (id == of.size())
        of.push_back(static_cast<KindId>(
            node_kinds && below(2) ? builtin::kFirstUserNodeKind.value() + below(2) : below(3)));
      return id;
    };
    for (std::size_t i = 0; i < count; ++i) {
      const NodeId source = key();
      batch.edges[i] = {source, below(9) ? key() : source};
      const bool loop = batch.edges[i].source == batch.edges[i].target;
      const KindId source_kind = node_kinds ? of[source] : builtin::kNode.value();
      if (!batch.kinds.empty()) {
        const KindId any[] = {builtin::kLink.value(),
                              builtin::kCauses.value(),
                              builtin::kContradicts.value(),
                              kUser,
                              kUser + 1,
                              kUser + 2,
                              kUser + 3};
        KindId kind = many_kinds && below(2) ? static_cast<KindId>(kUser + 4 + below(300))
                                             : any[below(std::size(any))];
        const bool no_loops =
            kind == builtin::kCauses || kind == builtin::kContradicts || kind == KindId{kUser + 2};
        if (loop && no_loops) kind = kUser;
        if (kind == KindId{kUser + 3} && owns.source_kind != source_kind) kind = kUser + 1;
        batch.kinds[i] = kind;
      }
      if (!batch.weights.empty())
        batch.weights[i] = below(3) ? static_cast<float>(below(4)) / 2 : std::nanf("");
      if (!batch.labels.empty())
        batch.labels[i] = below(2) ? 0 : load.strings.Insert("l" + std::to_string(below(9))).id;
      const auto time = [&](AlignedArray<std::int64_t>& array, std::int64_t from) {
        if (!array.empty())
          array[i] = below(2) ? kNoTime : from + static_cast<std::int64_t>(below(3));
      };
      time(batch.created_at, 500);
      time(batch.valid_from, 100);
      time(batch.valid_until, 200);
    }
    batch.nodes = load.keys.size();
  }
  if (node_kinds) load.node_kinds = ArrayOf<KindId>(of);
  return load;
}

}  // namespace plexus::testing
