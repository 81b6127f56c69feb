// The same operations give the same rows in the same order with the same bits: at
// one and two threads, clean, with a delta, compacted, replayed, continued.
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "engine/writer/state_writer.h"
#include "tests/support/dump.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;

// Batches of links, updates, unlinks and removals that depend on the seed alone.
std::vector<WriteBatch> Script(std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<WriteBatch> batches;
  const EdgeKindId kinds[] = {kLink, kSupports, kContradicts, kSimilar};
  for (int n = 0; n < 60; ++n) {
    WriteBatch b(1000 + n);
    b.set_links_revive(true);
    auto key = [&] { return "n" + std::to_string(rng() % 300); };
    for (int k = 0; k < 60; ++k) {
      const std::string source = key();
      std::string target = key();
      if (source == target) target += "x";
      NodeRef from = b.Node(source);
      NodeRef to = b.Node(target);
      const std::uint64_t what = rng() % 20;
      if (what == 0) {
        b.RemoveNode(from);
      } else if (what < 4) {
        b.Unlink(from, kinds[rng() % 4], to);
      } else if (what < 6) {
        b.SetF64(from, kTrust, static_cast<double>(rng() % 1000) / 1000);
      } else {
        const std::string label = rng() % 5 == 0 ? "l" + std::to_string(rng() % 3) : "";
        WriteBatch::EdgeInput in;
        in.source = from;
        in.target = to;
        in.kind = kinds[rng() % 4];
        in.label = label;
        in.weight = static_cast<float>(rng() % 1000) / 7;
        if (rng() % 4 == 0) in.valid_from = static_cast<std::int64_t>(rng() % 50);
        b.Link(in);
      }
    }
    batches.push_back(std::move(b));
  }
  return batches;
}

// Applies the script; `after` runs behind each batch.
std::unique_ptr<Graph> Play(const std::vector<WriteBatch>& script,
                            const std::shared_ptr<FakeStore>& store, Executor& executor,
                            const std::function<void(Graph&, std::size_t)>& after) {
  GraphOptions options;
  options.executor = &executor;
  auto graph = Graph::Open(Snapshot(), store, options, store);
  for (std::size_t i = 0; i < script.size(); ++i) {
    EXPECT_TRUE(graph->Apply(script[i]));
    if (after) after(*graph, i);
  }
  return graph;
}

// Sums over rows in row order, as a kernel would add them up.
std::vector<double> RowSums(const Snapshot& s) {
  std::vector<double> sums;
  for (Direction d : {Direction::kOut, Direction::kIn, Direction::kBoth})
    for (NodeId v = 0; v < s.node_count(); ++v) {
      double sum = 0.1;
      s.ForEachArc(d, v, ArcFilter::All(), [&](const Arc& a) { sum = sum * 0.999 + a.weight; });
      sums.push_back(sum);
    }
  return sums;
}

TEST(Determinism, EveryWayToTheSameGraph) {
  for (std::uint64_t seed : {1u, 2u, 3u}) {
    const auto script = Script(seed);
    auto two = MakeThreadExecutor(2);
    auto store = std::make_shared<FakeStore>();
    auto plain = Play(script, store, SerialExecutor(), nullptr);
    Snapshot reference = plain->snapshot();
    ASSERT_TRUE(reference.has_delta());
    const std::string text = Dump(reference);
    const std::vector<double> sums = RowSums(reference);
    auto check = [&](const char* way, const Snapshot& s) {
      EXPECT_TRUE(SameText(text, Dump(s))) << way;
      EXPECT_TRUE(sums == RowSums(s)) << way << ": sums in row order differ";
    };
    auto own = [] { return std::make_shared<FakeStore>(); };
    check("two threads", Play(script, own(), *two, nullptr)->snapshot());
    check("default executor", Play(script, own(), DefaultExecutor(), nullptr)->snapshot());
    check("compacted after every batch", Play(script, own(), *two, [](Graph& g, std::size_t) {
                                           EXPECT_TRUE(g.Compact());
                                         })->snapshot());
    check("compacted now and then", Play(script, own(), *two, [](Graph& g, std::size_t i) {
                                      EXPECT_TRUE(i % 7 || g.Compact());
                                    })->snapshot());
    for (Executor* executor : {&SerialExecutor(), two.get(), &DefaultExecutor()}) {
      auto compacted = reference.Compacted(*executor);
      ASSERT_TRUE(compacted);
      check("compacted copy", *compacted);
    }
    {
      StateWriter writer(WriterHarness::FirstState(store));
      for (const Record& record : store->Records()) ASSERT_TRUE(writer.Apply(record));
      check("replayed", Snapshot(writer.Publish()));
    }
    // Replay on top of a compacted state from the middle.
    auto half_store = own();
    Snapshot half;
    Play(script, half_store, *two, [&](Graph& g, std::size_t i) {
      if (i != script.size() / 2) return;
      EXPECT_TRUE(g.Compact());
      half = g.snapshot();
    });
    StateWriter writer(half.state());
    for (const Record& record : half_store->Records()) {
      if (record.sequence <= half.sequence()) continue;
      ASSERT_TRUE(writer.Apply(record));
    }
    check("continued from the middle", Snapshot(writer.Publish()));
  }
}

// Records are the same bytes whatever the layout was when they were resolved, so
// logs of equal histories are equal.
TEST(Determinism, RecordsDoNotDependOnTheLayout) {
  const auto script = Script(4);
  auto two = MakeThreadExecutor(2);
  auto a = std::make_shared<FakeStore>(), b = std::make_shared<FakeStore>();
  Play(script, a, SerialExecutor(), nullptr);
  Play(script, b, *two, [](Graph& g, std::size_t i) { EXPECT_TRUE(i % 3 || g.Compact()); });
  auto left = a->Records(), right = b->Records();
  ASSERT_EQ(left.size(), right.size());
  auto same = [](const auto& x, const auto& y) {
    using T = typename std::decay_t<decltype(x)>::value_type;
    return x.size() == y.size() &&
           (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
  };
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Record &x = left[i], &y = right[i];
    EXPECT_EQ(x.sequence, y.sequence);
    EXPECT_EQ(x.time_ms, y.time_ms);
    EXPECT_EQ(x.key_bytes, y.key_bytes);
    EXPECT_EQ(x.string_bytes, y.string_bytes);
    EXPECT_TRUE(same(x.node_changes, y.node_changes) && same(x.edges, y.edges) &&
                same(x.edge_extras, y.edge_extras) && same(x.columns, y.columns) &&
                same(x.node_kinds, y.node_kinds))
        << "record " << x.sequence;
  }
}

}  // namespace
}  // namespace plexus
