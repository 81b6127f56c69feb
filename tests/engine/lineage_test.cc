// Derived data: kept with its part, carried by the writer, caught up by readers, cut where too
// much changed, copied to nobody.
#include "engine/lineage.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/vocabulary.h"
#include "tests/support/row_totals.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;

struct Number final : Derived {
  static constexpr std::string_view kName = "a number of a test";
  explicit Number(int n) : value(n) {}
  int value;
  std::uint64_t size_bytes() const override { return 7; }
};

WriteBatch Nodes(int count) {
  WriteBatch batch(1);
  for (int i = 0; i < count; ++i) batch.UpsertNode("n" + std::to_string(i));
  return batch;
}

WriteBatch RandomLinks(std::mt19937_64& random, NodeId nodes, int count) {
  WriteBatch batch(1);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t from = random() % nodes, to = (from + 1 + random() % (nodes - 1)) % nodes;
    const NodeRef a = batch.UpsertNode("n" + std::to_string(from)),
                  b = batch.UpsertNode("n" + std::to_string(to));
    const EdgeKindId kind = random() % 3 ? kLink : kRelatesTo;
    if (random() % 4)
      batch.Link(a, kind, b, static_cast<float>(random() % 9));
    else
      batch.Unlink(a, kind, b);
  }
  return batch;
}

// What the writer carried to a state, looked at without asking for it.
std::shared_ptr<const RowTotals> Carried(const Snapshot& s) {
  return s.state().derived.kept.Find<RowTotals>();
}

TEST(DerivedData, TheFirstToKeepWinsAndACopyIsEmpty) {
  DerivedData data;
  EXPECT_EQ(data.Find<Number>(), nullptr);
  const auto one = std::make_shared<const Number>(1);
  EXPECT_EQ(data.Keep<Number>(one), one);
  EXPECT_EQ(data.Keep<Number>(std::make_shared<const Number>(2)), one);
  EXPECT_EQ(data.Keep<Number>(std::make_shared<const Number>(3), 1)->value, 3);
  EXPECT_EQ(data.Find<Number>(), one);
  EXPECT_EQ(data.Find<Number>(1)->value, 3);
  EXPECT_EQ(data.size_bytes(), 14u);
  const DerivedData copy = data;
  EXPECT_EQ(copy.Find<Number>(), nullptr);
  data = copy;
  EXPECT_EQ(data.Find<Number>(), nullptr);
  for (std::uint32_t i = 0; i < 2 * DerivedData::kMaxValues; ++i) data.Keep<Number>(one, i);
  EXPECT_EQ(data.size_bytes(), 7 * DerivedData::kMaxValues) << "bounded";
}

TEST(DerivedData, LivesWithItsPart) {
  auto base = std::make_shared<Csr>();
  auto number = std::make_shared<const Number>(1);
  const std::weak_ptr<const Number> watch = number;
  base->derived.Keep<Number>(std::move(number));
  EXPECT_FALSE(watch.expired());
  base.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Lineage, TheWriterCarriesWhatWasAskedFor) {
  WriterHarness live;
  ASSERT_TRUE(live.Apply(Nodes(50)));
  EXPECT_EQ(FindDerived<RowTotals>(live.snapshot()), nullptr);
  KeepDerived(live.snapshot(), RowTotals::Make(live.snapshot()));
  std::mt19937_64 random(1);
  for (int step = 1; step <= 200; ++step) {
    if (step % 50 == 0) {
      const auto before = Carried(live.snapshot());
      live.Compact();
      EXPECT_EQ(Carried(live.snapshot()), before) << "compaction changes nothing";
    }
    ASSERT_TRUE(live.Apply(RandomLinks(random, 50, 6)));
    if (step % 7 == 0) {
      ASSERT_TRUE(live.Do(
          [&](WriteBatch& b) { b.RemoveNode(NodeRef::Id(static_cast<NodeId>(random() % 50))); }));
    }
    if (step % 7 == 1) {
      ASSERT_TRUE(live.Apply(Nodes(50 + step)));
    }
    const Snapshot now = live.snapshot();
    const auto carried = Carried(now);
    ASSERT_TRUE(carried) << step;
    ASSERT_EQ(carried->totals, RowTotals::Make(now)->totals) << step;
    EXPECT_EQ(FindDerived<RowTotals>(now), carried);
  }
}

// A reader that takes long: thirty states are published before its value is there.
TEST(Lineage, ASlowFirstComputationIsAdopted) {
  WriterHarness live;
  ASSERT_TRUE(live.Apply(Nodes(50)));
  std::mt19937_64 random(2);
  ASSERT_TRUE(live.Apply(RandomLinks(random, 50, 20)));
  const Snapshot old = live.snapshot();
  std::vector<Snapshot> later;
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(live.Apply(RandomLinks(random, 50, 4)));
    later.push_back(live.snapshot());
    EXPECT_EQ(FindDerived<RowTotals>(later.back()), nullptr);
  }
  KeepDerived(old, RowTotals::Make(old));
  // A reader of a state in between catches up by itself ...
  const auto caught_up = FindDerived<RowTotals>(later[12]);
  ASSERT_TRUE(caught_up);
  EXPECT_EQ(caught_up->totals, RowTotals::Make(later[12])->totals);
  EXPECT_EQ(caught_up->carried, 1) << "in one step";
  EXPECT_EQ(FindDerived<RowTotals>(later[5]), nullptr) << "never backwards";
  // ... and so does the writer.
  ASSERT_TRUE(live.Apply(RandomLinks(random, 50, 4)));
  const auto carried = Carried(live.snapshot());
  ASSERT_TRUE(carried);
  EXPECT_EQ(carried->totals, RowTotals::Make(live.snapshot())->totals);
  EXPECT_EQ(carried->carried, 2);
}

TEST(Lineage, TooMuchChangeCutsTheChain) {
  WriterHarness live;
  ASSERT_TRUE(live.Apply(Nodes(300)));
  KeepDerived(live.snapshot(), RowTotals::Make(live.snapshot()));
  const Snapshot old = live.snapshot();
  std::mt19937_64 random(3);
  ASSERT_TRUE(live.Apply(RandomLinks(random, 300, 30'000)));  // one step of more than the limit
  EXPECT_EQ(FindDerived<RowTotals>(live.snapshot()), nullptr);
  EXPECT_TRUE(FindDerived<RowTotals>(old));
  KeepDerived(live.snapshot(), RowTotals::Make(live.snapshot()));
  ASSERT_TRUE(live.Apply(RandomLinks(random, 300, 10)));
  EXPECT_TRUE(Carried(live.snapshot())) << "goes on from there";
  // Many steps: what is older than the limit is forgotten, and the bytes are bounded.
  const Snapshot middle = live.snapshot();
  WriterHarness idle;
  ASSERT_TRUE(idle.Apply(Nodes(300)));
  const Snapshot first = idle.snapshot();
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(idle.Apply(RandomLinks(random, 300, 400)));
  const Lineage& lineage = *idle.snapshot().state().derived.lineage;
  EXPECT_LE(lineage.size_bytes(), ChangeLimit(300) * 2 * sizeof(StateChanges::Edge));
  KeepDerived(first, RowTotals::Make(first));
  EXPECT_EQ(FindDerived<RowTotals>(idle.snapshot()), nullptr) << "too old to be adopted";
}

TEST(Lineage, ValuesNobodyAsksForWaitForAReader) {
  WriterHarness live;
  ASSERT_TRUE(live.Apply(Nodes(20)));
  KeepDerived(live.snapshot(), RowTotals::Make(live.snapshot()));
  std::mt19937_64 random(4);
  int carried = 0;
  const int steps = Lineage::kIdleSteps + 20;
  for (int i = 0; i < steps; ++i) {
    WriteBatch batch(1);
    batch.Link(NodeRef::Id(static_cast<NodeId>(random() % 20)), kLink, NodeRef::Id(3),
               static_cast<float>(i + 1));
    ASSERT_TRUE(live.Apply(batch));
    carried += Carried(live.snapshot()) != nullptr;
  }
  EXPECT_LT(carried, steps);
  EXPECT_GE(carried, Lineage::kIdleSteps);
  const auto found = FindDerived<RowTotals>(live.snapshot());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->totals, RowTotals::Make(live.snapshot())->totals);
}

TEST(Lineage, CopiesAndContinuedStatesStandAlone) {
  WriterHarness live;
  ASSERT_TRUE(live.Apply(Nodes(20)));
  const Snapshot first = live.snapshot();
  KeepDerived(first, RowTotals::Make(first));
  const Snapshot copy(std::make_shared<const FrozenState>(first.state()));
  EXPECT_EQ(FindDerived<RowTotals>(copy), nullptr);
  StateWriter other(first.state());
  Record record;
  {
    WriteBatch batch(1);
    batch.Link(NodeRef::Id(1), kLink, NodeRef::Id(2), 5);
    ApplyReport report;
    auto resolved = other.Resolve(batch, &report);
    ASSERT_TRUE(resolved);
    ASSERT_TRUE(other.Apply(*resolved));
  }
  const Snapshot continued(other.Publish());
  EXPECT_EQ(FindDerived<RowTotals>(continued), nullptr);
  KeepDerived(continued, RowTotals::Make(continued));
  ASSERT_TRUE(live.Do([](WriteBatch& b) { b.Link(NodeRef::Id(3), kLink, NodeRef::Id(4), 2); }));
  EXPECT_EQ(Carried(live.snapshot())->totals, RowTotals::Make(live.snapshot())->totals);
  EXPECT_EQ(FindDerived<RowTotals>(continued)->totals, RowTotals::Make(continued)->totals);
}

TEST(Lineage, BytesAreInStats) {
  WriterHarness live;
  ASSERT_TRUE(live.Apply(Nodes(100)));
  const metrics::GraphBytes before = metrics::MeasureBytes(live.snapshot());
  KeepDerived(live.snapshot(), RowTotals::Make(live.snapshot()));
  const metrics::GraphBytes after = metrics::MeasureBytes(live.snapshot());
  EXPECT_GE(after.derived, before.derived + 100 * sizeof(double));
  EXPECT_EQ(after.total - before.total, after.derived - before.derived);
}

// Which node each row of the space belongs to: true of the rows of one state alone.
struct RowOwners final : plexus::Carried {
  static constexpr std::string_view kName = "row owners of a test";
  std::vector<NodeId> owners;
  static std::shared_ptr<const RowOwners> Make(const Snapshot& s) {
    auto made = std::make_shared<RowOwners>();
    const VectorView& view = *s.space(SpaceId());
    for (std::uint32_t row = 0; row < view.row_count(); ++row)
      made->owners.push_back(view.node_of_row(row));
    return made;
  }
  std::shared_ptr<const plexus::Carried> Carry(const Snapshot& now,
                                               const StateChanges&) const override {
    return Make(now);
  }
  MadeOf made_of() const override { return MadeOf::kVectorRows; }
  std::uint64_t size_bytes() const override { return owners.capacity() * sizeof(NodeId); }
};

// A compaction of vectors changes no content, but moves rows: what is made of rows is carried, what
// is not stays as it is, and neither is read by a state of the other side.
TEST(Lineage, ValuesMadeOfRowsFollowThem) {
  const auto graph = Graph::InMemory();
  int written = 0;
  const auto embed = [&](int from, int to) {
    WriteBatch batch(1);
    if (from == 0) batch.DefineSpace({"s", 4, Metric::kCosine});
    for (int i = from; i < to; i += 2) {
      const float values[] = {static_cast<float>(++written), 1, 2, 3};
      batch.SetVector(batch.UpsertNode("n" + std::to_string(i)), batch.SpaceNamed("s"), values);
    }
    ASSERT_TRUE(graph->Apply(batch));
  };
  embed(0, 200);
  embed(1, 200);
  for (const bool late : {false, true}) {  // `late`: of the old state, after the move
    embed(50 + late, 150);
    const Snapshot before = graph->snapshot();
    const auto keep = [&] {
      KeepDerived(before, RowOwners::Make(before));
      KeepDerived(before, RowTotals::Make(before));
    };
    if (!late) keep();
    ASSERT_TRUE(graph->Compact());
    const Snapshot after = graph->snapshot();
    if (late) {
      KeepDerived(after, RowOwners::Make(after));
      keep();
    }
    ASSERT_NE(RowOwners::Make(before)->owners, RowOwners::Make(after)->owners);
    for (int again = 0; again < 2; ++again) {
      const auto moved = FindDerived<RowOwners>(after), old = FindDerived<RowOwners>(before);
      ASSERT_TRUE(moved);
      EXPECT_EQ(moved->owners, RowOwners::Make(after)->owners);
      if (old) {
        EXPECT_EQ(old->owners, RowOwners::Make(before)->owners);
      }
    }
    if (!late) {
      EXPECT_EQ(Carried(after), Carried(before)) << "no row is in it";
    }
    embed(0, 2);
    EXPECT_EQ(FindDerived<RowOwners>(graph->snapshot())->owners,
              RowOwners::Make(graph->snapshot())->owners);
  }
}

// A batch that is refused, and batches in one group, leave no state between that readers could see.
TEST(Lineage, FollowsAGraph) {
  auto graph = Graph::InMemory();
  ASSERT_TRUE(graph->Apply(Nodes(40)));
  KeepDerived(graph->snapshot(), RowTotals::Make(graph->snapshot()));
  std::mt19937_64 random(5);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(graph->Apply(RandomLinks(random, 40, 5)));
    if (i % 10 == 0) {
      WriteBatch bad(1);
      bad.Link(NodeRef::Id(1), kLink, NodeRef::Id(4'000'000), 1);
      EXPECT_FALSE(graph->Apply(bad));
    }
    if (i % 25 == 0) {
      ASSERT_TRUE(graph->Compact());
    }
    const Snapshot now = graph->snapshot();
    const auto carried = Carried(now);
    ASSERT_TRUE(carried);
    ASSERT_EQ(carried->totals, RowTotals::Make(now)->totals);
  }
}

}  // namespace
}  // namespace plexus
