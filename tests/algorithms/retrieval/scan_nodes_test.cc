// Scans against reading every node; orders that are carried; removal by scans.
#include "algorithms/retrieval/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "algorithms/common/internal/node_order.h"
#include "engine/graph.h"
#include "engine/state.h"
#include "engine/vocabulary.h"

namespace plexus {
using namespace builtin;
using namespace retrieval;
namespace {

using common_internal::NodeOrder;

class Script {
 public:
  explicit Script(std::uint64_t seed) : random_(seed) {}
  std::uint64_t Below(std::uint64_t n) { return random_() % n; }

  WriteBatch Next(std::uint64_t most) {
    WriteBatch batch(static_cast<std::int64_t>(1000 + ++step_));
    batch.DefineNodeKind({"robot", Plane::kFact});
    for (std::uint64_t i = 0, n = 1 + Below(12); i < n; ++i) {
      const NodeRef node = batch.Node("n" + std::to_string(Below(most)));
      switch (Below(9)) {
        case 0:
          batch.RemoveNode(node);
          break;
        case 1:
          batch.UpsertNode(node, batch.NodeKindNamed("robot"));
          break;
        case 2:
          batch.UpsertNode(node, batch.NodeKindNamed("node"));
          break;
        case 3:
          batch.SetI64(node, kAccessCount, static_cast<std::int64_t>(Below(7)) - 3);
          break;
        case 4:
          batch.SetF64(node, kTrust, Below(6) == 0 ? -0.0 : static_cast<double>(Below(5)) / 4);
          break;
        case 5:
          batch.SetString(node, kScope, "s" + std::to_string(Below(3)));
          break;
        case 6:
          batch.ClearColumn(node, kTrust);
          break;
        case 7:
          batch.PurgeNode(node);
          break;
        default: {
          WriteBatch::EdgeInput tag;
          tag.source = node;
          tag.target = batch.IndexNode(kTag, "t" + std::to_string(Below(4)));
          tag.kind = kHasTag;
          batch.Link(tag);
        }
      }
    }
    return batch;
  }

 private:
  std::mt19937_64 random_;
  std::uint64_t step_ = 0;
};

double Number(const ColumnValue& value) {
  const double* number = std::get_if<double>(&value);
  return number ? *number : static_cast<double>(std::get<std::int64_t>(value));
}

// What the scan says, from every node.
std::vector<NodeId> Slow(const Snapshot& s, const NodeScan& scan) {
  std::vector<std::pair<double, NodeId>> found;
  for (NodeId v = 0; v < s.node_count(); ++v) {
    if (!s.alive(v) || (scan.facts_only && !s.is_fact(v))) continue;
    if (scan.kind && s.node_kind(v) != *scan.kind) continue;
    if (scan.tag && !s.FindEdge(v, kHasTag, *scan.tag)) continue;
    double value = 0;
    if (scan.column) {
      const ColumnType type = s.schema().columns()[*scan.column].type;
      if (s.column_bits(*scan.column, v) == AbsentBits(type)) continue;
      if (type == ColumnType::kString) {
        const StringId id = *s.string_column(*scan.column, v);
        if (scan.equals && s.string(id) != std::get<std::string>(*scan.equals)) continue;
        value = id;
      } else {
        value = type == ColumnType::kF64 ? *s.f64(*scan.column, v)
                                         : static_cast<double>(*s.i64(*scan.column, v));
        if (scan.from && value < Number(*scan.from)) continue;
        if (scan.to && value >= Number(*scan.to)) continue;
        if (scan.equals && value != Number(*scan.equals)) continue;
      }
    }
    found.push_back({value, v});
  }
  std::sort(found.begin(), found.end());
  if (scan.descending) std::reverse(found.begin(), found.end());
  std::vector<NodeId> nodes;
  for (const auto& [value, node] : found) nodes.push_back(node);
  return nodes;
}

void ExpectSame(const Snapshot& s, NodeScan scan) {
  const std::vector<NodeId> expected = Slow(s, scan);
  scan.limit = 0;
  const auto all = ScanNodes(s, scan);
  ASSERT_TRUE(all) << all.error().ToString();
  ASSERT_EQ(all->nodes, expected);
  ASSERT_FALSE(all->more);
  std::vector<NodeId> paged;
  scan.limit = 3;
  for (bool more = true; more;) {
    const auto page = ScanNodes(s, scan);
    ASSERT_TRUE(page);
    ASSERT_LE(page->nodes.size(), 3u);
    ASSERT_TRUE(!page->more || page->nodes.size() == 3u);
    paged.insert(paged.end(), page->nodes.begin(), page->nodes.end());
    scan.after = page->last;
    more = page->more;
  }
  ASSERT_EQ(paged, expected);
}

NodeScan RandomScan(Script& script, const Snapshot& s) {
  NodeScan scan;
  const auto chance = [&](int n) { return script.Below(static_cast<std::uint64_t>(n)) == 0; };
  if (chance(3)) scan.kind = static_cast<NodeKindId>(script.Below(s.schema().node_kinds().size()));
  if (chance(3))
    if (const auto tag =
            s.Find(std::string("tag") + kIndexSeparator + "t" + std::to_string(script.Below(4))))
      scan.tag = *tag;
  scan.descending = chance(2);
  scan.facts_only = !chance(3);
  switch (script.Below(5)) {
    case 0:
      scan.column = kAccessCount;
      if (chance(2)) scan.from = static_cast<std::int64_t>(script.Below(8)) - 4;
      if (chance(2)) scan.to = static_cast<std::int64_t>(script.Below(8)) - 4;
      if (chance(4)) scan.equals = static_cast<std::int64_t>(script.Below(8)) - 4;
      break;
    case 1:
      scan.column = kTrust;
      if (chance(2)) scan.from = static_cast<double>(script.Below(5)) / 4;
      if (chance(2)) scan.to = static_cast<double>(script.Below(5)) / 4;
      if (chance(4)) scan.equals = 0.0;
      break;
    case 2:
      scan.column = kScope;
      if (chance(2)) scan.equals = "s" + std::to_string(script.Below(4));
      break;
    case 3:
      scan.column = kCreatedAt;
      scan.to = static_cast<std::int64_t>(1000 + script.Below(200));
      break;
    default:
      break;
  }
  return scan;
}

TEST(ScanNodes, EqualsReadingEveryNode) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Script script(seed);
    auto graph = Graph::InMemory();
    for (int step = 0; step < 80; ++step) {
      (void)graph->Apply(script.Next(seed % 2 ? 12 : 300));
      const Snapshot s = graph->snapshot();
      for (int i = 0; i < 6; ++i) ExpectSame(s, RandomScan(script, s));
      if (HasFailure()) return;
    }
  }
}

// The orders of a graph that is large enough for many blocks, carried and made anew.
TEST(NodeOrder, CarriedEqualsMadeAnew) {
  Script script(5);
  auto graph = Graph::InMemory();
  WriteBatch fill(1);
  for (int i = 0; i < 20'000; ++i)
    fill.SetI64(fill.UpsertNode("n" + std::to_string(i)), kAccessCount,
                static_cast<std::int64_t>(script.Below(5000)));
  ASSERT_TRUE(graph->Apply(fill));
  int carried = 0;
  for (int step = 0; step < 60; ++step) {
    (void)NodeOrder::OfColumn(graph->snapshot(), kAccessCount);
    (void)NodeOrder::OfKinds(graph->snapshot());
    WriteBatch batch(1);
    if (step % 10 == 9) {  // a whole range goes, so blocks do
      for (int i = step * 100; i < step * 100 + 900; ++i)
        batch.RemoveNode(batch.Node("n" + std::to_string(i)));
    }
    for (int i = 0; i < 40; ++i)
      batch.SetI64(batch.Node("n" + std::to_string(script.Below(21'000))), kAccessCount,
                   step % 2 ? 77 : static_cast<std::int64_t>(script.Below(5000)));
    ASSERT_TRUE(graph->Apply(batch));
    const Snapshot s = graph->snapshot();
    carried +=
        s.state().derived.kept.Find<NodeOrder>(std::uint32_t{kAccessCount.value()} + 1) != nullptr;
    const auto order = NodeOrder::OfColumn(s, kAccessCount);
    GraphState copy = s.state();  // keeps nothing
    const Snapshot anew(std::make_shared<const FrozenState>(std::move(copy)));
    const auto expected = NodeOrder::OfColumn(anew, kAccessCount);
    ASSERT_EQ(order->size(), expected->size());
    std::vector<NodeOrder::Entry> a, b;
    order->ForEach(0, order->size(), false, [&](NodeOrder::Entry e) {
      a.push_back(e);
      return true;
    });
    expected->ForEach(0, expected->size(), true, [&](NodeOrder::Entry e) {
      b.push_back(e);
      return true;
    });
    std::reverse(b.begin(), b.end());
    ASSERT_EQ(a, b);
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t rank = script.Below(a.size());
      ASSERT_EQ(order->At(rank), a[rank]);
      ASSERT_EQ(order->Rank(a[rank]), rank);
    }
    ASSERT_EQ(NodeOrder::OfKinds(s)->size(), NodeOrder::OfKinds(anew)->size());
  }
  EXPECT_GT(carried, 50);
}

TEST(ScanNodes, RefusesWhatMakesNoSense) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  batch.UpsertNode("a");
  ASSERT_TRUE(graph->Apply(batch));
  const Snapshot s = graph->snapshot();
  const auto refused = [&](const NodeScan& scan) {
    const auto page = ScanNodes(s, scan);
    return !page && page.error().code == ErrorCode::kInvalidArgument;
  };
  NodeScan scan;
  EXPECT_EQ(ScanNodes(s, scan)->nodes.size(), 1u);
  scan.kind = NodeKindId{999};
  EXPECT_TRUE(refused(scan));
  scan = {};
  scan.tag = 999;
  EXPECT_TRUE(refused(scan));
  scan = {};
  scan.column = ColumnId{999};
  EXPECT_TRUE(refused(scan));
  scan = {};
  scan.from = 1.0;
  EXPECT_TRUE(refused(scan)) << "no column";
  scan.column = kAccessCount;
  EXPECT_TRUE(refused(scan)) << "another type";
  scan.column = kTrust;
  EXPECT_FALSE(refused(scan));
  scan.from = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refused(scan));
  scan.column = kScope;
  scan.from = "a";
  EXPECT_TRUE(refused(scan)) << "strings have no order";
}

TEST(RemoveNodes, ByPredicateAndByAge) {
  auto graph = Graph::InMemory();
  for (int i = 0; i < 500; ++i) {
    WriteBatch batch(i * 10);
    batch.DefineNodeKind({"visit", Plane::kFact});
    batch.SetI64(batch.UpsertNode("s" + std::to_string(i), batch.NodeKindNamed("visit")),
                 kAccessCount, i % 5);
    batch.UpsertNode("m" + std::to_string(i));
    ASSERT_TRUE(graph->Apply(batch));
  }
  const NodeKindId visit = *graph->snapshot().schema().FindNodeKind("visit");
  RemoveOptions options;
  options.now_ms = 5000;
  options.batch_nodes = 7;
  NodeScan scan;
  scan.kind = visit;
  auto report = RemoveNodes(*graph, scan, options, [](const Snapshot& s, NodeId v) {
    return *s.i64(kAccessCount, v) == 2;
  });
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_EQ(report->removed, 100u);
  EXPECT_EQ(report->sequence, graph->snapshot().sequence());
  // 200 of the 500 are older than 3000 ms at 5000, of which a fifth has gone.
  const TimeToLive lives[] = {{visit, 3000}};
  report = RemoveExpired(*graph, lives, options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->removed, 201u - 40u);  // created at 0, 10, ..., 2000
  EXPECT_EQ(RemoveExpired(*graph, lives, options)->removed, 0u);
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(s.CountNodes(Plane::kFact), 1000u - 100u - 161u);
  EXPECT_TRUE(s.alive(*s.Find("m0"))) << "another kind";
  options.purge = true;
  EXPECT_EQ(RemoveExpired(*graph, {{{visit, 0}}}, options)->removed, 239u);
  EXPECT_TRUE(graph->snapshot().purged(*s.Find("s499")));
  EXPECT_FALSE(RemoveExpired(*graph, {{{visit, -1}}}, options));
}

// Beside a writer that makes nodes worth keeping: none of those is removed.
TEST(RemoveNodes, BesideAWriter) {
  auto graph = Graph::InMemory();
  WriteBatch fill(1);
  for (int i = 0; i < 400; ++i)
    fill.SetI64(fill.UpsertNode("n" + std::to_string(i)), kAccessCount, 0);
  ASSERT_TRUE(graph->Apply(fill));
  std::vector<bool> saved(400, false);
  std::thread writer([&] {
    for (int i = 0; i < 400; i += 2) {
      WriteBatch batch(1);
      const NodeRef node = batch.Node("n" + std::to_string(i));
      batch.ExpectNode(node);
      batch.SetI64(node, kAccessCount, 1);
      saved[static_cast<std::size_t>(i)] = graph->Apply(batch).has_value();
    }
  });
  RemoveOptions options;
  options.now_ms = 1;
  options.batch_nodes = 10;
  const auto report = RemoveNodes(
      *graph, {}, options, [](const Snapshot& s, NodeId v) { return s.i64(kAccessCount, v) == 0; });
  writer.join();
  ASSERT_TRUE(report) << report.error().ToString();
  const Snapshot s = graph->snapshot();
  for (int i = 0; i < 400; ++i)
    EXPECT_EQ(s.alive(*s.Find("n" + std::to_string(i))), bool{saved[static_cast<std::size_t>(i)]})
        << i;
}

}  // namespace
}  // namespace plexus
