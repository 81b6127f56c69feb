// Folding runs into a base: the same as applying them one by one, at any split,
// with any number of threads, sparse columns included.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/compaction/run_compaction.h"
#include "engine/writer/state_writer.h"
#include "tests/support/edge_model.h"

namespace plexus {
namespace {

using namespace testing;

// A state of a base and runs, with as many nodes as are asked for.
GraphState MakeState(NodeId nodes, std::shared_ptr<const Schema> schema,
                     std::shared_ptr<const Csr> base,
                     std::vector<std::shared_ptr<const plexus::Run>> runs) {
  GraphState state = EmptyState();
  StringTable keys;
  for (NodeId v = 0; v < nodes; ++v) keys.Insert("n" + std::to_string(v));
  state.keys = keys.Publish();
  state.schema = std::move(schema);
  state.base = std::move(base);
  auto dirty = std::make_shared<DirtyBits>(nodes);
  for (const auto& run : runs) {
    state.sequence = run->last;
    for (Direction d : {Direction::kOut, Direction::kIn})
      for (NodeId row : run->side(d).rows) dirty->set(d, row);
  }
  state.dirty = dirty;
  state.runs = std::move(runs);
  return state;
}

void CheckRows(const Snapshot& s, const EdgeMap& map, NodeId nodes) {
  for (Direction d : {Direction::kOut, Direction::kIn}) {
    auto rows = ModelRows(map, s.schema(), d, nodes);
    std::vector<Row> scanned(nodes);
    s.ScanArcs(d, 0, nodes, ArcFilter::All(), [&](NodeId v, const Arc& arc) {
      Edge e = s.edge(arc, v);
      scanned[v].push_back({arc.kind, arc.neighbor, e.label, ValueOf(e)});
    });
    for (NodeId v = 0; v < nodes; ++v) {
      ASSERT_EQ(SnapshotRow(s, d, v), rows[v]) << "node " << v;
      ASSERT_EQ(scanned[v], rows[v]) << "scan, node " << v;
    }
  }
}

struct Case {
  NodeId base_nodes, nodes;
  std::size_t base_edges, run_edges;
  int runs;
};

TEST(CompactRuns, EqualsApplyingTheRuns) {
  const Case cases[] = {{0, 10, 0, 30, 3},
                        {10, 10, 60, 20, 5},
                        {10, 40, 60, 40, 4},
                        {2000, 2000, 4000, 50, 6},
                        {17'000, 34'000, 12'000, 2000, 3},
                        {20'000, 20'000, 5, 40'000, 2}};
  std::uint64_t seed = 0;
  for (const Case& c : cases) {
    for (bool many_kinds : {false, true}) {
      SCOPED_TRACE("seed " + std::to_string(++seed));
      std::mt19937_64 rng(seed);
      auto schema = std::make_shared<Schema>();
      const Schema before = *schema;
      ChangeOptions o;
      Changes base_changes = RandomChanges(
          rng, *schema, {.nodes = std::max<NodeId>(1, c.base_nodes), .count = c.base_edges});
      auto base = BuildCsr(c.base_nodes, base_changes.edges, base_changes.extras, before, 1,
                           SerialExecutor());
      ASSERT_TRUE(base);
      if (many_kinds)  // the 256th kind comes after the base was made
        for (int i = 0; i < 300; ++i)
          o.kinds.push_back(*schema->Define(
              EdgeKind{.name = "k" + std::to_string(i), .inverse = "", .symmetric = i % 5 == 0}));
      EdgeMap map;
      ApplyChanges(map, base_changes);
      std::vector<std::shared_ptr<const plexus::Run>> runs;
      std::vector<EdgeMap> after{map};
      o.nodes = c.nodes;
      o.count = c.run_edges;
      o.tombstones = 0.3;
      for (int r = 0; r < c.runs; ++r) {
        Changes changes = RandomChanges(rng, *schema, o);
        // Half of the changes hit edges that are there.
        for (const auto& [id, value] : map) {
          if (changes.edges.size() >= 2 * c.run_edges || rng() % 4) continue;
          EdgeChange e{
              .source = id.source, .target = id.target, .label = id.label, .kind = id.kind};
          if (rng() % 2) e.flags = EdgeChange::kTombstone, e.weight = 0;
          changes.edges.push_back(e);
        }
        changes = Canonical(changes);
        ApplyChanges(map, changes);
        after.push_back(map);
        runs.push_back(
            MakeRun(static_cast<Sequence>(r) + 2, changes.edges, changes.extras, *schema));
      }
      GraphState state = MakeState(c.nodes, schema, *base, runs);
      Snapshot dirty(std::make_shared<FrozenState>(state));
      CheckRows(dirty, map, c.nodes);
      // Fold a part: the rest stays on top of the new base.
      for (std::size_t fold = 0; fold <= runs.size(); ++fold) {
        auto folded = CompactRuns(state, fold, DefaultExecutor());
        ASSERT_TRUE(folded);
        EXPECT_EQ((*folded)->node_count, c.nodes);
        GraphState rest = MakeState(c.nodes, schema, *folded,
                                    {runs.begin() + static_cast<std::ptrdiff_t>(fold), runs.end()});
        CheckRows(Snapshot(std::make_shared<FrozenState>(rest)), map, c.nodes);
        // The folded base itself is the graph of that moment.
        CheckRows(Snapshot(std::make_shared<FrozenState>(MakeState(c.nodes, schema, *folded, {}))),
                  after[fold], c.nodes);
      }
      // The same bits as building anew, at one, two and three threads.
      auto one = CompactRuns(state, runs.size(), SerialExecutor());
      EdgeList list = ListEdges(**one, *schema);
      auto rebuilt = BuildCsr(c.nodes, list.edges, list.extras, *schema, 1, SerialExecutor());
      ASSERT_TRUE(rebuilt);
      EXPECT_TRUE(CsrBytes(**one) == CsrBytes(**rebuilt));
      for (int threads : {2, 3}) {
        auto executor = MakeThreadExecutor(threads);
        auto again = CompactRuns(state, runs.size(), *executor);
        ASSERT_TRUE(again);
        EXPECT_TRUE(CsrBytes(**one) == CsrBytes(**again));
      }
    }
  }
}

}  // namespace
}  // namespace plexus
