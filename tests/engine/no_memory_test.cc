// The allocator fails at each n-th allocation of a call: the call is an error, the program goes
// on, and the graph shows what it showed. A program of its own: it replaces operator new.
#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/bulk/edge_load.h"
#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/properties/properties.h"
#include "engine/vocabulary.h"
#include "tests/support/failing_memory.h"

namespace plexus {
using namespace builtin;
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
  WriteBatch batch = SomeBatch(9);
  batch.DefineNodeKind({"a kind of nodes with a long name"});
  batch.DefineEdgeKind({"a kind of edges with a long name", ""});
  batch.DefineColumn({"a column with a long name"});
  batch.DefineSpace({"a space with a long name", 4});
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

// Lets the first allocation fail that follows an event of the maintenance thread, after the writer
// has done its work. The writer then waits without asking for memory.
class FailsAfter {
 public:
  explicit FailsAfter(std::string_view event) : event_(event) {}
  void Log(const LogEntry& entry) {
    if (entry.event.ends_with(".failed")) {
      failed_ = true;
      failed_.notify_all();
    }
    if (entry.event != event_ || began_.exchange(true)) return;
    ready_.wait(false);
    failing_.emplace(1, Failure::kOnce);
  }
  void Wait() {
    ready_ = true;
    ready_.notify_all();
    failed_.wait(false);
  }

 private:
  const std::string_view event_;
  std::atomic<bool> began_ = false, ready_ = false, failed_ = false;
  std::optional<FailingMemory> failing_;
};

double MetricOf(const Graph& graph, std::string_view name) {
  const auto rows = metrics::GraphMetrics(graph);
  EXPECT_TRUE(rows);
  for (const metrics::MetricRow& row : *rows)
    if (row.name == name) return row.value;
  ADD_FAILURE() << name;
  return -1;
}

// They are counted, logged and tried again, and what the host is called with may throw.
TEST(NoMemory, BackgroundFailuresAreCounted) {
  for (const bool packing : {false, true}) {
    FailsAfter failing(packing ? "compaction.ended" : "compaction.began");
    std::atomic<int> told = 0, packing_failures = 0;
    GraphOptions options = With(SerialExecutor());
    options.maintenance = Maintenance::kBackground;
    options.delta_soft_arcs = 1;
    options.on_log = [&](const LogEntry& entry) {
      failing.Log(entry);
      if (entry.event == "packing.failed") ++packing_failures;
      throw std::exception();  // it does not keep its word, and asks for no memory
    };
    options.on_compacted = [&](const Snapshot&) {
      ++told;
      throw std::exception();  // it does not keep its word, and asks for no memory
    };
    const auto graph = Graph::InMemory(options);
    const auto key = [](int i) { return "a node that goes " + std::to_string(i); };
    const int nodes = packing ? 80'000 : 10;
    WriteBatch made(1), removed(2);
    for (int i = 0; i < nodes; ++i) {
      made.UpsertNode(key(i));
      removed.RemoveNode(removed.Node(key(i)));
    }
    const NodeRef hub = removed.UpsertNode("hub");
    for (int i = 0; i < 10; ++i)
      removed.Link(hub, kSupports, removed.UpsertNode("other " + std::to_string(i)));
    ASSERT_TRUE(graph->Apply(made));
    ASSERT_TRUE(graph->Apply(removed));
    failing.Wait();
    for (int i = 0; told == 0; ++i) {
      ASSERT_TRUE(graph->Apply(SomeBatch(3 + i)));
      std::this_thread::yield();
    }
    EXPECT_EQ(graph->stats().compaction_failures, 1u);
    EXPECT_EQ(MetricOf(*graph, "plexus_compaction_failures_total"), 1);
    EXPECT_EQ(packing_failures, packing ? 1 : 0);
    EXPECT_EQ(graph->stats().packings, packing ? 1u : 0u);
    EXPECT_TRUE(graph->Compact());
  }
}

// `values`: with kinds, labels and times.
EdgeLoad SomeLoad(bool values) {
  EdgeLoad load;
  load.time_ms = 1000;
  EdgeKind near;
  near.name = "near, a kind with a long name";
  near.symmetric = true;
  if (values) load.edge_kind_definitions.push_back(near);
  for (const char* label : {"", "a label with a long text"}) load.strings.Insert(label);
  for (int b = 0; b < 3; ++b) {
    AlignedArray<NodePair> pairs(40);
    AlignedArray<float> weights(40);
    for (int i = 0; i < 40; ++i) {
      const auto id = [&](int k) {
        return load.keys.Insert("a node with a long key, number " + std::to_string(k)).id;
      };
      const NodeId source = id(i % 7);
      pairs[i] = {source, id(b * 10 + i)};
      weights[i] = static_cast<float>(i % 3);
    }
    load.batches.push_back({std::move(pairs), std::move(weights), load.keys.size()});
    if (!values) continue;
    LoadBatch& batch = load.batches.back();
    batch.kinds = AlignedArray<KindId>(40, kFirstUserEdgeKind.value());
    batch.labels = AlignedArray<StringId>(40, b % 2);
    batch.valid_from = AlignedArray<std::int64_t>(40, 7);
  }
  return load;
}

// All of it is there, or nothing: then the graph takes it again, or says that it is read-only.
TEST(NoMemory, Load) {
  const std::unique_ptr<Executor> threads = MakeThreadExecutor(2);
  for (const bool journaled : {true, false})
    for (Executor* executor : {&SerialExecutor(), threads.get()})
      for (const Failure failure : {Failure::kOnce, Failure::kFromThenOn}) {
        const bool values = journaled == (failure == Failure::kOnce);
        long n = 1;
        for (bool reached = true; reached; ++n) {
          ASSERT_LT(n, 5'000);
          const auto graph = journaled ? Graph::InMemory(With(*executor))
                                       : Graph::Open(Snapshot(), nullptr, With(*executor));
          EdgeLoad load = SomeLoad(values);
          const Answer loaded = Failing(n, [&] { return graph->Load(std::move(load)); }, failure);
          reached = loaded.reached;
          ExpectNoMemory(loaded, n);
          ASSERT_EQ(graph->snapshot().sequence(), loaded.status ? 3u : 0u) << n;
          if (loaded.status) continue;
          const auto again = graph->Load(SomeLoad(values));
          ASSERT_TRUE(again || again.error().code == ErrorCode::kReadOnly) << n;
          EXPECT_EQ(graph->read_only(), !again) << n;
        }
        EXPECT_GT(n, 10);
      }
}

// Of payloads in RAM and of vectors.
TEST(NoMemory, Reading) {
  const auto graph = Graph::InMemory(With(SerialExecutor()));
  WriteBatch batch(1);
  VectorSpace space;
  space.name = "v";
  space.dimensions = 4;
  batch.DefineSpace(space);
  const NodeRef node = batch.UpsertNode("node");
  const std::string text = "a text that fits no string inside of itself";
  batch.SetPayload(node, NodeField::kText, text);
  batch.SetVector(node, batch.SpaceNamed("v"), std::vector<float>(4, 0.5f));
  ASSERT_TRUE(graph->Apply(batch));
  const Snapshot s = graph->snapshot();
  for (long n = 1;; ++n) {
    const Answer read = Failing(n, [&] { return s.Payload(0, NodeField::kText); });
    ExpectNoMemory(read, n);
    if (!read.reached) break;
  }
  EXPECT_EQ(s.Payload(0, NodeField::kText).value(), text);
  for (long n = 1;; ++n) {
    const Answer refused = Failing(n, [&] { return s.vectors(SpaceId(7)); });
    ASSERT_FALSE(refused.status);
    if (!refused.reached) break;
    ExpectNoMemory(refused, n);
  }
  EXPECT_TRUE(s.vectors(SpaceId(0)));
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
    const Answer answer = Failing(n, [&] { return metrics::GraphMetrics(*graph); });
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
