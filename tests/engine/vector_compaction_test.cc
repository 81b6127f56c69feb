// VectorCompaction: the same vectors in fewer rows, also while the table goes on; and a
// graph that embeds its nodes again and again.
#include "engine/compaction/vector_compaction.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/graph.h"
#include "tests/support/vector_values.h"

namespace plexus {
namespace {

using testing::FiveFrom;
using testing::kFive;

// The vector and the payload of each node that has one.
using VectorModel = std::map<NodeId, std::pair<float, PayloadRef>>;

void ExpectSame(const VectorView& view, const VectorModel& model, NodeId nodes) {
  const VectorElement element = view.layout().element;
  EXPECT_EQ(view.live_count(), model.size());
  for (NodeId n = 0; n < nodes; ++n) {
    const auto it = model.find(n);
    ASSERT_EQ(view.has(n), it != model.end()) << n;
    if (it == model.end()) continue;
    ASSERT_EQ(view.ref(n), it->second.second) << n;
    ASSERT_EQ(testing::VectorOf(view, n), testing::Rounded(FiveFrom(it->second.first), element))
        << n;
  }
}

TEST(VectorCompaction, EqualsAModelWhileTheTableGoesOn) {
  std::mt19937 random(7);
  for (const NodeId nodes : {1u, 40u, 3000u}) {
    const VectorElement element = nodes == 40 ? VectorElement::kF16 : VectorElement::kF32;
    VectorTable table(RowLayout{kFive, element});
    VectorModel model;
    Sequence sequence = 0;
    const auto change = [&](int times) {
      for (int i = 0; i < times; ++i) {
        const auto node = static_cast<NodeId>(random() % nodes);
        if (random() % 4 == 0) {
          table.Remove(node);
          model.erase(node);
        } else {
          const auto first = static_cast<float>(random() % 1000);
          const PayloadRef ref = PayloadRef::Make(++sequence, 0);
          table.Set(node, testing::PayloadOf(FiveFrom(first), element), ref);
          model[node] = {first, ref};
        }
      }
    };
    for (int round = 0; round < 20; ++round) {
      change(static_cast<int>(nodes));
      const auto before = table.Publish();
      const VectorModel old = model;
      auto compaction = VectorCompaction::Make(before);
      ASSERT_TRUE(compaction);
      for (int turn = 0; turn < 3; ++turn) {
        change(static_cast<int>(random() % nodes));
        compaction->CatchUp(table.Publish());
      }
      ASSERT_EQ(compaction->CatchUp(table.Publish()), 0u);
      table = std::move(*compaction).Take();
      const auto after = table.Publish();
      ExpectSame(after, model, nodes);
      ExpectSame(before, old, nodes);  // a reader's view is as it was
      // What caught up replaced may be dead again; nothing else is.
      ASSERT_LE(after.row_count(), old.size() + 3 * nodes);
    }
    auto last = VectorCompaction::Make(table.Publish());
    ASSERT_TRUE(last);
    const auto compact = std::move(*last).Take().Publish();
    EXPECT_EQ(compact.row_count(), model.size());
    ExpectSame(compact, model, nodes);
    NodeId previous = 0;  // in the order of nodes
    for (std::uint32_t row = 0; row < compact.row_count(); ++row) {
      if (row > 0) {
        ASSERT_GT(compact.node_of_row(row), previous);
      }
      previous = compact.node_of_row(row);
    }
  }
}

// Payloads of stored vectors, some of them purged or damaged.
class PartialStore final : public PayloadStore {
 public:
  std::map<std::uint64_t, Result<std::string>> payloads;
  Result<std::string> Get(PayloadRef ref) const override {
    const auto it = payloads.find(ref.bits);
    if (it == payloads.end()) return Fail(ErrorCode::kNotFound, "no such payload");
    return it->second;
  }
};

VectorTable Stored(PartialStore& store, NodeId count, VectorModel& model, VectorElement element) {
  std::vector<NodeId> nodes;
  std::vector<std::uint64_t> refs;
  for (NodeId n = 0; n < count; ++n) {
    const auto values = FiveFrom(static_cast<float>(n));
    nodes.push_back(n);
    refs.push_back(PayloadRef::Make(1, n).bits);
    store.payloads.insert({refs.back(), testing::PayloadOf(values, element)});
    model[n] = {static_cast<float>(n), PayloadRef{refs.back()}};
  }
  return VectorTable(RowLayout{kFive, element}, nodes, refs);
}

TEST(VectorCompaction, StoredRowsStayStoredAndLoadedOnesAreCopied) {
  for (int i = 0; i < 4; ++i) {
    const bool loaded = i % 2 == 1;
    const VectorElement element = kVectorElements[i / 2];
    PartialStore store;
    VectorModel model;
    VectorTable table = Stored(store, 100, model, element);
    for (NodeId n = 0; n < 100; n += 3) {
      table.Set(n, testing::PayloadOf(FiveFrom(1000), element), PayloadRef::Make(2, n));
      model[n] = {1000, PayloadRef::Make(2, n)};
    }
    for (NodeId n = 0; n < 100; n += 5) {
      table.Remove(n);
      model.erase(n);
    }
    if (loaded) {
      ASSERT_TRUE(table.Publish().Load(&store));
    }
    auto compaction = VectorCompaction::Make(table.Publish());
    ASSERT_TRUE(compaction);
    const auto view = std::move(*compaction).Take().Publish();
    EXPECT_EQ(view.loaded(), loaded);
    EXPECT_EQ(view.row_count(), model.size());
    ASSERT_TRUE(view.Load(&store));
    ExpectSame(view, model, 100);
  }
}

TEST(VectorCompaction, RowsThatCannotBeReadAreNotLost) {
  for (const bool damaged : {false, true}) {
    PartialStore store;
    VectorModel model;
    VectorTable table = Stored(store, 20, model, VectorElement::kF16);
    const std::uint64_t bad = PayloadRef::Make(1, 7).bits;
    if (damaged)
      store.payloads.at(bad) = std::unexpected(Error{ErrorCode::kCorruption, "damaged"});
    else
      store.payloads.erase(bad);
    const auto view = table.Publish();
    const Status load = view.Load(&store);
    EXPECT_EQ(load.has_value(), !damaged);
    // As loaded, it would lose the node's vector or the report about it.
    const auto compaction = VectorCompaction::Make(table.Publish());
    if (!damaged) {
      EXPECT_FALSE(compaction);
    } else if (compaction) {
      VectorTable made = std::move(*VectorCompaction::Make(table.Publish())).Take();
      const auto copy = made.Publish();
      EXPECT_FALSE(copy.loaded());
      EXPECT_FALSE(copy.Load(&store));  // told as before
    }
  }
}

std::string NodeKey(int i) { return "n" + std::to_string(i); }

void Embed(Graph& graph, int nodes, int round) {
  WriteBatch batch(round + 1);
  batch.DefineSpace({"text", 64, Metric::kCosine});
  const SpaceRef space = batch.SpaceNamed("text");
  for (int i = 0; i < nodes; ++i)
    batch.SetVector(batch.Node(NodeKey(i)), space,
                    std::vector<float>(64, static_cast<float>(round * nodes + i)));
  ASSERT_TRUE(graph.Apply(batch));
}

void ExpectRound(const Snapshot& snapshot, int nodes, int round) {
  const auto got = snapshot.vectors(SpaceId{});
  ASSERT_TRUE(got);
  const VectorView* view = *got;
  ASSERT_EQ(view->live_count(), static_cast<std::uint64_t>(nodes));
  for (int i = 0; i < nodes; ++i) {
    const auto values = testing::VectorOf(*view, *snapshot.Find(NodeKey(i)));
    ASSERT_EQ(values.size(), 64u);
    ASSERT_EQ(values[0], static_cast<float>(round * nodes + i));
  }
}

// 20,000 vectors of 256 bytes are 5 MB; forty times of it are not kept.
TEST(VectorCompaction, AGraphEmbedsAgainAndAgain) {
  constexpr int kNodes = 20'000, kRounds = 40;
  for (const Maintenance maintenance : {Maintenance::kManual, Maintenance::kBackground}) {
    GraphOptions options;
    options.maintenance = maintenance;
    auto graph = Graph::InMemory(options);
    std::vector<Snapshot> kept;
    for (int round = 0; round < kRounds; ++round) {
      Embed(*graph, kNodes, round);
      if (round == 3 || round == 20) kept.push_back(graph->snapshot());
    }
    ExpectRound(kept[0], kNodes, 3);
    ExpectRound(kept[1], kNodes, 20);
    ExpectRound(graph->snapshot(), kNodes, kRounds - 1);
    EXPECT_GT(graph->stats().vector_compactions, 0u);
    const Snapshot before = graph->snapshot();
    ASSERT_TRUE(graph->Compact());
    ExpectRound(graph->snapshot(), kNodes, kRounds - 1);
    ExpectRound(before, kNodes, kRounds - 1);
    const Snapshot after = graph->snapshot();
    EXPECT_EQ(after.space(SpaceId{})->row_count(), static_cast<std::uint32_t>(kNodes));
  }
}

TEST(VectorCompaction, ReadersBesideItSeeWholeStates) {
  constexpr int kNodes = 4'000, kRounds = 60;
  GraphOptions options;
  options.maintenance = Maintenance::kBackground;
  auto graph = Graph::InMemory(options);
  Embed(*graph, kNodes, 0);
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; ++r)
    readers.emplace_back([&] {
      while (!stop) {
        const Snapshot s = graph->snapshot();
        const VectorView* view = s.vectors(SpaceId{}).value();
        const float first = testing::VectorOf(*view, *s.Find(NodeKey(0)))[0];
        for (int i = 1; i < kNodes; i += 7)
          ASSERT_EQ(testing::VectorOf(*view, *s.Find(NodeKey(i)))[0],
                    first + static_cast<float>(i));
      }
    });
  for (int round = 1; round < kRounds; ++round) Embed(*graph, kNodes, round);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(graph->Compact());
  stop = true;
  for (auto& t : readers) t.join();
  ExpectRound(graph->snapshot(), kNodes, kRounds - 1);
}

}  // namespace
}  // namespace plexus
