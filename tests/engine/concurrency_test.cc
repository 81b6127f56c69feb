// One writer, four readers, compaction in the background: every snapshot is whole.
//
// Each batch moves weight between edges and moves edges between nodes, so that in
// every snapshot the total weight is the same and so is the number of edges; and
// each node's degree column, written in the same batch, equals its row. Readers
// check that while the writer runs. The journal is in memory and the executor
// plain threads, so that ThreadSanitizer sees everything.
//
// PLEXUS_CONCURRENCY_BATCHES: how many (1,000 unless told).
#include <atomic>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/support/row_totals.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;

constexpr NodeId kNodes = 400;
constexpr int kEdges = 1500;
constexpr float kWeight = 8;  // of each edge at first; moved in whole units, so sums are exact
constexpr double kTotal = double{kEdges} * kWeight;

std::string Key(NodeId v) { return "n" + std::to_string(v); }

struct Rows {
  NodeId source, target;
  float weight;
  bool symmetric;
};

// The writer's own picture, from which it makes batches that keep the invariants.
class Mover {
 public:
  explicit Mover(std::uint64_t seed) : rng_(seed), degree_(kNodes, 0) {
    for (int i = 0; i < kEdges; ++i) edges_.push_back(Fresh(kWeight));
  }

  WriteBatch Nodes() {
    WriteBatch batch(1);
    for (NodeId v = 0; v < kNodes; ++v) batch.UpsertNode(Key(v));
    return batch;
  }

  WriteBatch Edges() {
    WriteBatch batch(1);
    for (std::size_t i = 0; i < edges_.size(); ++i) Put(batch, i);
    for (NodeId v = 0; v < kNodes; ++v) WriteDegree(batch, v);
    return batch;
  }

  WriteBatch Next() {
    WriteBatch batch(1);
    for (int k = 0; k < 8; ++k) {
      const std::size_t a = rng_() % edges_.size(), b = rng_() % edges_.size();
      if (k % 2 == 0) {  // a unit of weight from a to b
        if (edges_[a].weight < 1 || a == b) continue;
        edges_[a].weight -= 1;
        edges_[b].weight += 1;
        Put(batch, a);
        Put(batch, b);
      } else {  // edge a goes elsewhere with its weight
        Rows old = edges_[a];
        Count(old, -1);
        batch.Unlink(NodeRef::Id(old.source), Kind(old), NodeRef::Id(old.target), Label(a));
        edges_[a] = Fresh(old.weight);
        Put(batch, a);
        for (NodeId v : {old.source, old.target, edges_[a].source, edges_[a].target})
          WriteDegree(batch, v);
      }
    }
    // A node's removal and return: its edges go, so they are put again.
    if (rng_() % 16 == 0) {
      const NodeId v = static_cast<NodeId>(rng_() % kNodes);
      batch.RemoveNode(NodeRef::Id(v));
      batch.UpsertNode(NodeRef::Id(v));
      for (std::size_t i = 0; i < edges_.size(); ++i)
        if (edges_[i].source == v || edges_[i].target == v) Put(batch, i);
      WriteDegree(batch, v);
    }
    if (rng_() % 32 == 0) batch.UpsertNode("extra" + std::to_string(rng_() % 5000));
    return batch;
  }

 private:
  static EdgeKindId Kind(const Rows& e) { return e.symmetric ? kContradicts : kLink; }
  static std::string Label(std::size_t i) { return "e" + std::to_string(i); }

  Rows Fresh(float weight) {
    Rows e{static_cast<NodeId>(rng_() % kNodes), static_cast<NodeId>(rng_() % kNodes), weight,
           rng_() % 3 == 0};
    if (e.source == e.target) e.target = (e.source + 1) % kNodes;
    Count(e, 1);
    return e;
  }
  void Count(const Rows& e, int by) {
    degree_[e.source] += by;
    if (e.symmetric) degree_[e.target] += by;
  }
  void Put(WriteBatch& batch, std::size_t i) {
    const std::string label = Label(i);
    batch.Link({.source = NodeRef::Id(edges_[i].source),
                .target = NodeRef::Id(edges_[i].target),
                .kind = Kind(edges_[i]),
                .label = label,
                .weight = edges_[i].weight});
  }
  void WriteDegree(WriteBatch& batch, NodeId v) {
    batch.SetI64(NodeRef::Id(v), kAccessCount, degree_[v]);
  }

  std::mt19937_64 rng_;
  std::vector<Rows> edges_;
  std::vector<std::int64_t> degree_;
};

// "" when the snapshot is whole.
std::string Check(const Snapshot& s) {
  double out_total = 0, in_total = 0, edge_total = 0;
  std::uint64_t edges = 0;
  const ArcFilter all = ArcFilter::All();
  for (NodeId v = 0; v < s.node_count(); ++v) {
    std::int64_t degree = 0;
    std::uint64_t previous = 0;
    bool ordered = true;
    s.ForEachArc(Direction::kOut, v, all, [&](const Arc& a) {
      const std::uint64_t order = engine_internal::ArcOrder(a.kind, a.neighbor);
      ordered &= degree == 0 || previous <= order;
      previous = order;
      ++degree;
      out_total += a.weight;
    });
    s.ForEachArc(Direction::kIn, v, all, [&](const Arc& a) { in_total += a.weight; });
    if (!ordered) return "row of " + std::to_string(v) + " is out of order";
    if (v < kNodes && s.i64(kAccessCount, v) != degree)
      return "degree of " + std::to_string(v) + " is " + std::to_string(degree) +
             ", its column says " + std::to_string(s.i64(kAccessCount, v).value_or(-1));
    if (v < kNodes && s.Find(Key(v)) != v) return "key of " + std::to_string(v) + " is lost";
  }
  double scanned = 0;
  s.ScanArcs(Direction::kIn, 0, s.node_count(), all,
             [&](NodeId, const Arc& a) { scanned += a.weight; });
  if (scanned != in_total) return "a scan of the in rows sums to " + std::to_string(scanned);
  s.ForEachEdge(all, [&](const Edge& e) {
    ++edges;
    edge_total += e.weight;
  });
  if (edges != kEdges) return std::to_string(edges) + " edges";
  if (s.CountEdges(Plane::kFact) != kEdges)
    return "counted " + std::to_string(s.CountEdges(Plane::kFact));
  if (edge_total != kTotal) return "weights sum to " + std::to_string(edge_total);
  if (out_total != in_total)
    return "out rows sum to " + std::to_string(out_total) + ", in rows to " +
           std::to_string(in_total);
  return "";
}

// The same of a derived value: made by whoever finds none, carried by the writer and by readers.
std::string CheckDerived(const Snapshot& s) {
  auto kept = FindDerived<RowTotals>(s);
  if (!kept) kept = KeepDerived(s, RowTotals::Make(s));
  return kept->totals == RowTotals::Make(s)->totals
             ? ""
             : "row totals that were carried are not those of the rows";
}

TEST(Concurrency, OneWriterFourReadersAndCompaction) {
  const char* text = std::getenv("PLEXUS_CONCURRENCY_BATCHES");
  const std::uint64_t wanted = text ? std::strtoull(text, nullptr, 10) : 1000;
  auto executor = MakeThreadExecutor(2);
  auto store = std::make_shared<FakeStore>();
  GraphOptions options;
  options.maintenance = Maintenance::kBackground;
  options.delta_soft_arcs = 600;
  options.delta_hard_arcs = 6000;
  options.executor = executor.get();
  auto graph = Graph::Open(Snapshot(), store, options, store);
  Mover mover(42);
  ASSERT_TRUE(graph->Apply(mover.Nodes()));
  ASSERT_TRUE(graph->Apply(mover.Edges()));
  ASSERT_EQ(Check(graph->snapshot()), "");

  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> checked = 0;
  std::mutex mutex;
  std::string problem;
  auto report = [&](const std::string& what) {
    std::lock_guard lock(mutex);
    if (problem.empty()) problem = what;
    stop = true;
  };
  std::vector<std::thread> readers;
  for (int r = 0; r < 4; ++r) {
    readers.emplace_back([&, r] {
      Snapshot old = graph->snapshot();
      Sequence last = 0;
      for (std::uint64_t round = 0; !stop; ++round) {
        Snapshot s = graph->snapshot();
        if (s.sequence() < last) report("a snapshot went back in time");
        last = s.sequence();
        if (auto bad = Check(s); !bad.empty())
          report("sequence " + std::to_string(s.sequence()) + ": " + bad);
        if (auto bad = CheckDerived(s); !bad.empty())
          report("sequence " + std::to_string(s.sequence()) + ": " + bad);
        if (round % 8 == static_cast<std::uint64_t>(r)) {
          if (auto bad = Check(old) + CheckDerived(old); !bad.empty())
            report("old snapshot: " + bad);
          old = s;
        }
        if (r == 0 && round % 16 == 0) {
          auto pure = s.Compacted(SerialExecutor());
          if (!pure)
            report(pure.error().ToString());
          else if (auto bad = Check(*pure); !bad.empty())
            report("compacted: " + bad);
        }
        ++checked;
      }
    });
  }
  std::uint64_t batches = 0;
  // A snapshot is checked for each tenth batch, however slow the readers are.
  while (!stop && (batches < wanted || checked < wanted / 10)) {
    if (batches > 20 * checked + 50) {
      std::this_thread::yield();
      continue;
    }
    auto applied = graph->Apply(mover.Next());
    if (!applied) report(applied.error().ToString());
    if (++batches % 100 == 0) (void)graph->Compact();
  }
  stop = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(problem, "");
  EXPECT_EQ(Check(graph->snapshot()), "");
  EXPECT_GT(graph->stats().compactions, 0u);
  EXPECT_EQ(store->violations(), 0);
  RecordProperty("batches", std::to_string(batches));
  RecordProperty("snapshots_checked", std::to_string(checked.load()));
}

// Several writers beside readers and explicit compactions: each writer's nodes
// carry its own counter, and no snapshot shows half a batch.
TEST(Concurrency, SeveralWritersNoHalfBatch) {
  auto executor = MakeThreadExecutor(2);
  GraphOptions options;
  options.maintenance = Maintenance::kBackground;
  options.delta_soft_arcs = 100;
  options.executor = executor.get();
  auto graph = Graph::InMemory(options);
  constexpr int kWriters = 3, kWidth = 12, kRounds = 120;
  std::atomic<bool> stop = false;
  std::atomic<int> torn = 0, failed = 0;
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      for (int round = 1; round <= kRounds; ++round) {
        WriteBatch batch(1);
        for (int i = 0; i < kWidth; ++i) {
          NodeRef node = batch.Node(std::to_string(w) + "/" + std::to_string(i));
          batch.SetI64(node, kAccessCount, round);
          batch.Link(node, kLink, batch.Node("common"), static_cast<float>(round));
        }
        if (!graph->Apply(batch)) ++failed;
      }
    });
  }
  for (int r = 0; r < 2; ++r) {
    threads.emplace_back([&] {
      while (!stop) {
        Snapshot s = graph->snapshot();
        for (int w = 0; w < kWriters; ++w) {
          auto first = s.Find(std::to_string(w) + "/0");
          const std::int64_t round = first ? s.i64(kAccessCount, *first).value_or(-1) : -1;
          for (int i = 0; i < kWidth; ++i) {
            auto id = s.Find(std::to_string(w) + "/" + std::to_string(i));
            if (id.has_value() != first.has_value()) ++torn;
            if (!id) continue;
            if (s.i64(kAccessCount, *id).value_or(-2) != round) ++torn;
            auto e = s.FindEdge(*id, kLink, *s.Find("common"));
            if (!e || e->weight != static_cast<float>(round)) ++torn;
          }
        }
      }
    });
  }
  for (int w = 0; w < kWriters; ++w) threads[static_cast<std::size_t>(w)].join();
  EXPECT_TRUE(graph->Compact());
  stop = true;
  for (std::size_t t = kWriters; t < threads.size(); ++t) threads[t].join();
  EXPECT_EQ(torn.load(), 0);
  EXPECT_EQ(failed.load(), 0);
  EXPECT_EQ(graph->snapshot().CountEdges(Plane::kFact), std::uint64_t{kWriters * kWidth});
}

// Keys, labels and columns that are packed and come back beside readers. An alive node's column and
// its edge's label say its number; a removed one has neither, and its key and id stay.
TEST(Concurrency, ReadersBesidePacking) {
  auto executor = MakeThreadExecutor(2);
  GraphOptions options;
  options.executor = executor.get();
  auto graph = Graph::InMemory(options);
  constexpr NodeId kStep = 400, kRounds = 12, kBack = 60;
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0, failed = 0;
  const auto check = [&](const Snapshot& s, NodeId v) {
    const auto number = s.i64(kAccessCount, v);
    if (s.Find(Key(v)) != v || s.key(v) != Key(v)) ++wrong;
    if (s.alive(v) ? number != v : number.has_value()) ++wrong;
    s.ForEachArc(Direction::kOut, v, ArcFilter::All(), [&](const Arc& a) {
      if (s.string(s.edge(a, v).label) != "label of " + Key(v)) ++wrong;
    });
  };
  std::vector<std::thread> threads;
  for (NodeId r = 0; r < 4; ++r)
    threads.emplace_back([&, r] {
      Snapshot old = graph->snapshot();
      for (NodeId round = 0; !stop; ++round) {
        const Snapshot s = graph->snapshot();
        for (NodeId v = r; v < s.node_count(); v += 7) check(s, v);
        for (NodeId v = r; v < old.node_count(); v += 13) check(old, v);
        if (s.Find("nobody")) ++wrong;
        if (round % 4 == r) old = s;
      }
    });
  threads.emplace_back([&] {
    while (!stop)
      if (!graph->Compact()) ++failed;
  });
  const auto add = [&](WriteBatch& batch, NodeId v) {
    const NodeRef node = batch.UpsertNode(Key(v));
    const std::string label = "label of " + Key(v);
    batch.SetI64(node, kAccessCount, v);
    if (v > 0)
      batch.Link({.source = node, .target = batch.Node(Key(0)), .kind = kLink, .label = label});
  };
  for (NodeId round = 0; round < kRounds; ++round) {
    WriteBatch batch(1);
    for (NodeId v = round * kStep; v < (round + 1) * kStep; ++v) add(batch, v);
    for (NodeId v = round * 7 + 1; round > 2 && v < round * 7 + kBack; ++v) add(batch, v);
    if (!graph->Apply(batch)) ++failed;
    WriteBatch removal(1);
    for (NodeId v = round * kStep + 1; v < (round + 1) * kStep - 10; ++v)
      removal.RemoveNode(removal.Node(Key(v)));
    if (!graph->Apply(removal)) ++failed;
  }
  EXPECT_TRUE(graph->Compact());
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(failed.load(), 0);
  const Snapshot end = graph->snapshot();
  for (NodeId v = 0; v < end.node_count(); ++v) check(end, v);
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_GT(end.state().keys.packed_count(), kRounds * kStep * 9 / 10);
}

}  // namespace
}  // namespace plexus
