// What the tests of kernels without memory share: a graph in two sizes, answers as bytes, the
// sampling of allocations that fail.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "algorithms/centrality/betweenness.h"
#include "algorithms/centrality/closeness.h"
#include "algorithms/centrality/hits.h"
#include "algorithms/centrality/katz.h"
#include "algorithms/common/dense_view.h"
#include "algorithms/common/score_ranking.h"
#include "algorithms/community/kcore.h"
#include "algorithms/community/label_propagation.h"
#include "algorithms/community/leiden.h"
#include "algorithms/community/triangles.h"
#include "algorithms/connectivity/biconnectivity.h"
#include "algorithms/connectivity/components.h"
#include "algorithms/connectivity/dominators.h"
#include "algorithms/connectivity/max_flow.h"
#include "algorithms/connectivity/spanning_forest.h"
#include "algorithms/connectivity/topological_order.h"
#include "algorithms/memory/never_composed.h"
#include "algorithms/memory/visibility.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/pagerank/pagerank_batch.h"
#include "algorithms/pagerank/pagerank_push.h"
#include "algorithms/paths/distances.h"
#include "algorithms/paths/shortest_path.h"
#include "algorithms/retrieval/bm25.h"
#include "algorithms/retrieval/nearest_neighbors.h"
#include "algorithms/retrieval/remove_nodes.h"
#include "algorithms/retrieval/rerank.h"
#include "algorithms/retrieval/scan_nodes.h"
#include "algorithms/retrieval/term_index.h"
#include "algorithms/retrieval/text_vectors.h"
#include "algorithms/similarity/frontier.h"
#include "algorithms/similarity/similarity.h"
#include "algorithms/traversal/bfs.h"
#include "algorithms/traversal/multi_bfs.h"
#include "algorithms/traversal/pattern.h"
#include "algorithms/traversal/traverse.h"
#include "engine/graph.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"
#include "tests/support/failing_memory.h"

namespace plexus {

using testing::FailingMemory;
using testing::Failure;

// --- answers as bytes, to be compared

template <class T>
  requires(std::is_arithmetic_v<T>)
void Add(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}
void Add(std::string& out, const BfsNode& n) {
  Add(out, n.node), Add(out, n.depth), Add(out, n.parent);
}
void Add(std::string& out, const PathEdge& e) {
  Add(out, e.source), Add(out, e.target), Add(out, e.weight);
}
void Add(std::string& out, const ScoredNode& n) { Add(out, n.node), Add(out, n.score); }
void Add(std::string& out, const NearestHit& n) { Add(out, n.node); }
void Add(std::string& out, const SimilarNeighbor& n) { Add(out, n.node), Add(out, n.score); }
void Add(std::string& out, const PairSimilarity& p) {
  Add(out, p.a), Add(out, p.b), Add(out, p.score);
}
void Add(std::string& out, const RerankHit& h) { Add(out, h.node), Add(out, h.score); }
void Add(std::string& out, const OrderedNode& n) { Add(out, n.node), Add(out, n.level); }
void Add(std::string& out, const Bm25Match& m) { Add(out, m.node), Add(out, m.score); }
template <class T>
void Add(std::string& out, const std::vector<T>& list);
void Add(std::string& out, const FrontierSet& s) { Add(out, s.members), Add(out, s.score); }
void Add(std::string& out, const NeverComposedSet& s) {
  Add(out, s.members), Add(out, s.score), Add(out, s.proof);
}
void Add(std::string& out, const FoundPath& p) { Add(out, p.cost), Add(out, p.nodes); }
void Add(std::string& out, const TraverseHit& h) {
  Add(out, h.node), Add(out, h.score), Add(out, h.path);
}
void Add(std::string& out, const NodeSubset& s) { Add(out, s.ToList()); }
template <class T>
void Add(std::string& out, const AlignedArray<T>& list) {
  for (std::size_t i = 0; i < list.size(); ++i) Add(out, list[i]);
}
template <class T>
void Add(std::string& out, const std::vector<T>& list) {
  Add(out, list.size());
  for (const auto& item : list) Add(out, item);
}
template <class... T>
std::string Bytes(const T&... parts) {
  std::string out;
  (Add(out, parts), ...);
  return out;
}

// --- the graph

constexpr SpaceId kSpace{0};

struct Fixture {
  std::unique_ptr<Graph> graph;
  GraphState state;  // with a delta
  NodeId facts = 0;

  explicit Fixture(NodeId nodes) : facts(nodes) {
    GraphOptions options;
    options.executor = &SerialExecutor();
    graph = Graph::InMemory(options);
    WriteBatch batch(1000);
    VectorSpace space;
    space.name = "v";
    space.dimensions = 8;
    batch.DefineSpace(space);
    std::vector<NodeRef> refs;
    for (NodeId i = 0; i < nodes; ++i)
      refs.push_back(batch.UpsertNode("fact " + std::to_string(i), kMemory));
    auto draw = [state = std::uint64_t{1}](std::uint64_t below) mutable {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      return (state >> 33) % below;
    };
    const EdgeKindId kinds[] = {kSupports, kCauses, kDependsOn, kSupersedes};
    for (NodeId i = 1; i < nodes; ++i) {
      for (int k = 0; k < 3; ++k) {
        const auto j = static_cast<NodeId>(draw(i));
        batch.Link(refs[i], kinds[draw(k == 0 && i % 16 == 0 ? 4 : 3)], refs[j],
                   0.25f + static_cast<float>(draw(3)) / 4);
      }
      const NodeRef tag = batch.IndexNode(kTag, "tag " + std::to_string(draw(1 + nodes / 8)));
      batch.Link(refs[i], kHasTag, tag);
      batch.Link(refs[i], kHasTag,
                 batch.IndexNode(kTag, "tag " + std::to_string(draw(1 + nodes / 8))));
    }
    const NodeId texts = std::min<NodeId>(nodes, 200);
    const std::string words[] = {"graph",    "engine",  "memory",   "vector",
                                 "frontier", "journal", "snapshot", "delta"};
    for (NodeId i = 0; i < texts; ++i) {
      std::string text;
      for (int w = 0; w < 6; ++w) text += words[draw(8)] + " ";
      batch.SetPayload(refs[i], NodeField::kText, text);
      std::vector<float> values(8);
      for (float& v : values) v = static_cast<float>(draw(100)) / 100.0f + 0.01f;
      batch.SetVector(refs[i], batch.SpaceNamed("v"), values);
    }
    EXPECT_TRUE(AddTerms(graph->snapshot(), {}, batch, &SerialExecutor()));
    EXPECT_TRUE(graph->Apply(batch));
    EXPECT_TRUE(graph->Compact());
    WriteBatch more(2000);
    for (NodeId i = 0; i < nodes; i += 7)
      more.Link(more.Node("fact " + std::to_string(i)), NameRef(kSupports),
                more.Node("fact " + std::to_string(nodes - 1 - i / 2)), 0.5f);
    EXPECT_TRUE(graph->Apply(more));
    state = graph->snapshot().state();
  }
  // Nothing is derived of it yet: of every second one of its base, either, which has no delta then.
  Snapshot Fresh(int number) const {
    Snapshot snapshot(std::make_shared<const GraphState>(state));
    return number % 2 == 0 ? *snapshot.Compacted(SerialExecutor()) : snapshot;
  }
};

Fixture& Small() {
  static Fixture* const small = new Fixture(48);
  return *small;
}
Fixture& Large() {
  static Fixture* const large = new Fixture(9'000);
  return *large;
}

struct Sampling {
  Fixture& fixture;
  Executor& executor;
  Failure failure;
  std::int64_t all = 50;  // as many are tried one by one
  double growth = 1.25;   // then so far apart
};

// ask(snapshot, executor) -> a Result; tell(its value) -> bytes.
template <class Ask, class Tell>
void Sample(const char* name, const Sampling& sampling, const Ask& ask, const Tell& tell) {
  std::string want[2];
  for (int half : {0, 1}) {
    const Snapshot snapshot = sampling.fixture.Fresh(half);
    auto answer = ask(snapshot, sampling.executor);
    ASSERT_TRUE(answer) << name << ": " << answer.error().message;
    want[half] = tell(*answer);
  }
  int number = 0;
  std::int64_t n = 1;
  for (bool reached = true; reached; ++number) {
    const Snapshot snapshot = sampling.fixture.Fresh(number);
    auto answer = [&] {
      FailingMemory failing(n, sampling.failure);
      auto got = ask(snapshot, sampling.executor);
      reached = failing.failed();
      return got;
    }();
    if (answer)  // it did without, or none was left
      EXPECT_EQ(tell(*answer) == want[number % 2], true) << name << " without allocation " << n;
    else
      EXPECT_EQ(answer.error().code, ErrorCode::kResourceExhausted)
          << name << " " << n << ": " << answer.error().message;
    auto again = ask(snapshot, sampling.executor);
    ASSERT_TRUE(again) << name << " after allocation " << n;
    EXPECT_EQ(tell(*again) == want[number % 2], true) << name << " after allocation " << n;
    n = testing::NextAllocation(n, sampling.all, sampling.growth);
  }
  EXPECT_GT(n, 2) << name << " allocates nothing";
}

template <class Ask, class Tell>
void FailsOn(Fixture& small, Fixture& large, const char* name, const Ask& ask, const Tell& tell) {
  SCOPED_TRACE(name);
  Sample(name, {small, SerialExecutor(), Failure::kOnce}, ask, tell);
  Sample(name, {small, SerialExecutor(), Failure::kFromThenOn, 12, 1.5}, ask, tell);
  static Executor* const pool = MakeTbbExecutor(2).release();
  Sample(name, {large, *pool, Failure::kOnce, 3, 2.0}, ask, tell);
  static Executor* const threads = MakeThreadExecutor(2).release();
  Sample(name, {large, *threads, Failure::kFromThenOn, 2, 4.0}, ask, tell);
}

template <class Ask, class Tell>
void Fails(const char* name, const Ask& ask, const Tell& tell) {
  FailsOn(Small(), Large(), name, ask, tell);
}

// ASK(Options): the kernel's options, by the executor that is sampled.
#define ASK []([[maybe_unused]] const Snapshot& s, [[maybe_unused]] Executor& executor)
template <class Options>
Options With(Executor& executor) {
  Options options;
  if constexpr (requires { options.run; })
    options.run.executor = &executor;
  else
    options.executor = &executor;
  return options;
}

}  // namespace plexus
