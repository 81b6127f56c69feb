// The allocator fails at each n-th allocation of a call: the call is an error, the program goes
// on, and the graph shows what it showed. A program of its own: it replaces operator new.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/graph.h"
#include "engine/monitoring/metrics.h"
#include "engine/properties/properties.h"
#include "engine/vocabulary.h"
#include "tests/support/failing_memory.h"

namespace plexus {
namespace {

using testing::FailingMemory;
using testing::Failure;

WriteBatch SomeBatch(int number) {
  WriteBatch batch(1000 * number);
  const NodeRef hub = batch.UpsertNode("hub");
  for (int i = 0; i < 20; ++i) {
    const std::string key = "a node with a long key, number " + std::to_string(number * 10 + i);
    batch.Link(hub, kSupports, batch.UpsertNode(key), 0.5f);
  }
  return batch;
}

GraphOptions With(Executor& executor) {
  GraphOptions options;
  options.executor = &executor;
  options.return_freed_memory = false;
  return options;
}

struct Answer {
  Status status;
  bool reached = false;
};
template <class Call>
Answer Failing(long n, Call&& call, Failure failure = Failure::kOnce) {
  Answer answer;
  auto result = [&] {
    FailingMemory failing(n, failure);
    auto got = call();
    answer.reached = failing.failed();
    return got;
  }();
  if (!result) answer.status = std::unexpected(result.error());
  return answer;
}

void ExpectNoMemory(const Answer& answer, long n) {
  if (answer.status) return;
  EXPECT_EQ(answer.status.error().code, ErrorCode::kResourceExhausted) << n;
}

// Whether the n-th allocation was reached.
bool ApplyFailsAt(long n, Failure failure) {
  const auto graph = Graph::InMemory(With(SerialExecutor()));
  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(graph->Apply(SomeBatch(i)));
  const NodeId nodes = graph->snapshot().node_count();
  const WriteBatch batch = SomeBatch(9);
  const Answer applied = Failing(n, [&] { return graph->Apply(batch); }, failure);
  if (applied.status) {
    EXPECT_EQ(graph->snapshot().sequence(), 4u) << n;
    return applied.reached;
  }
  EXPECT_EQ(applied.status.error().code, ErrorCode::kResourceExhausted) << n;
  EXPECT_EQ(graph->snapshot().sequence(), 3u) << n;
  EXPECT_EQ(graph->snapshot().node_count(), nodes) << n;
  const auto again = graph->Apply(batch);  // as before, or refused by name
  EXPECT_TRUE(again || again.error().code == ErrorCode::kReadOnly) << n;
  return applied.reached;
}

TEST(NoMemory, ApplyInRam) {
  for (const Failure failure : {Failure::kOnce, Failure::kFromThenOn}) {
    long n = 1;
    while (ApplyFailsAt(n, failure)) ASSERT_LT(++n, 5'000);
    EXPECT_GT(n, 10);
  }
}

std::vector<std::pair<NodeId, float>> ArcsOf(const Snapshot& s) {
  std::vector<std::pair<NodeId, float>> arcs;
  for (NodeId v = 0; v < s.node_count(); ++v)
    for (const Direction d : {Direction::kOut, Direction::kIn})
      s.ForEachArc(d, v, ArcFilter::All(),
                   [&](const Arc& arc) { arcs.emplace_back(arc.neighbor, arc.weight); });
  return arcs;
}

TEST(NoMemory, Compact) {
  const std::unique_ptr<Executor> executors[] = {MakeThreadExecutor(2), MakeTbbExecutor(2)};
  for (const auto& executor : executors)
    for (const Failure failure : {Failure::kOnce, Failure::kFromThenOn}) {
      long n = 1;
      for (bool reached = true; reached; ++n) {
        ASSERT_LT(n, 5'000);
        const auto graph = Graph::InMemory(With(*executor));
        for (int i = 1; i <= 5; ++i) ASSERT_TRUE(graph->Apply(SomeBatch(i)));
        const auto before = ArcsOf(graph->snapshot());
        const Answer compacted = Failing(n, [&] { return graph->Compact(); }, failure);
        reached = compacted.reached;
        ExpectNoMemory(compacted, n);
        EXPECT_EQ(ArcsOf(graph->snapshot()), before) << n;
        ASSERT_TRUE(graph->Apply(SomeBatch(6))) << n;
        ASSERT_TRUE(graph->Compact()) << n;
        EXPECT_FALSE(graph->snapshot().has_delta()) << n;
      }
      EXPECT_GT(n, 10);
    }
}

// Also of a background compaction: the thread lives on, and the next one is done.
TEST(NoMemory, CompactInTheBackground) {
  for (long n = 1; n < 40; ++n) {
    GraphOptions options = With(SerialExecutor());
    options.maintenance = Maintenance::kBackground;
    options.delta_soft_arcs = options.delta_hard_arcs = 1;
    const auto graph = Graph::InMemory(options);
    ASSERT_TRUE(graph->Apply(SomeBatch(1)));
    ASSERT_TRUE(graph->Compact());
    const WriteBatch second = SomeBatch(2), third = SomeBatch(3);
    for (const WriteBatch* batch : {&second, &third}) {
      if (graph->read_only()) break;  // it may be ahead of its journal
      const Answer applied = Failing(n, [&] { return graph->Apply(*batch); });
      ExpectNoMemory(applied, n);
    }
    if (graph->read_only()) continue;
    ASSERT_TRUE(graph->Apply(SomeBatch(4))) << n;
    ASSERT_TRUE(graph->Compact()) << n;
  }
}

TEST(NoMemory, MadeAndMeasured) {
  // oneTBB waits for ever for its own first use when memory runs out during that.
  (void)DefaultExecutor();
  for (long n = 1;; ++n) {
    ASSERT_LT(n, 10'000);
    FailingMemory failing(n, Failure::kOnce);
    const auto graph = Graph::InMemory();
    if (!failing.failed()) break;
  }
  const auto graph = Graph::InMemory(With(SerialExecutor()));
  ASSERT_TRUE(graph->Apply(SomeBatch(1)));
  for (long n = 1;; ++n) {
    const Answer answer = Failing(n, [&] { return GraphMetrics(*graph); });
    ExpectNoMemory(answer, n);
    if (!answer.reached) break;
  }
}

TEST(NoMemory, Properties) {
  std::string bytes;
  for (long n = 1;; ++n) {
    const Answer made = Failing(n, [&] {
      PropertyMapBuilder builder;
      builder.String("a long name of a property", "a long text that fits no string inside")
          .BeginList("l")
          .Int(1)
          .End();
      auto got = builder.Finish();
      if (got) bytes = std::move(*got);
      return got;
    });
    ExpectNoMemory(made, n);
    if (!made.reached) break;
  }
  for (long n = 1;; ++n) {
    const Answer read = Failing(n, [&] { return PropertyMap::Read(bytes); });
    ExpectNoMemory(read, n);
    if (!read.reached) break;
  }
}

}  // namespace
}  // namespace plexus
