// Beside what puts other files in the place of those that are open (purge, scrub, hard purge,
// refresh): readers go on with their snapshots and payloads, writers wait, nothing is lost.
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "engine/vocabulary.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

// Threads that call their functions again and again until the object goes.
class Beside {
 public:
  void Do(std::function<void()> call) {
    threads_.emplace_back([this, call = std::move(call)] {
      while (!stop_) {
        call();
        ++calls_;
        std::this_thread::yield();
      }
    });
  }
  // Until each of them, on average, has called so often.
  void WaitForCalls(std::uint64_t each) const {
    const std::uint64_t until = calls_ + each * threads_.size();
    while (calls_ < until) std::this_thread::yield();
  }
  ~Beside() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> calls_{0};
  std::vector<std::thread> threads_;
};

constexpr char kText[] = "a text that stays";

// A node that stays, and one with a text and a word of its own, which is to go.
void Fill(Database& db, int round) {
  const std::string number = std::to_string(round);
  WriteBatch batch(1000 + round);
  batch.SetPayload(batch.UpsertNode("stays", NameRef(kMemory)), NodeField::kText, kText);
  const NodeRef gone = batch.UpsertNode("gone" + number, NameRef(kMemory));
  batch.SetPayload(gone, NodeField::kText, "secret " + number);
  batch.Link(gone, kHasTerm, batch.IndexNode(kTerm, "word" + number));
  batch.Link(gone, kSupports, batch.Node("stays"));
  PLEXUS_OK(db.graph().Apply(batch));
}

// What every reader may rely on: a whole snapshot, and the payloads of what was not purged.
void Read(Database& db) {
  const Snapshot now = db.snapshot();
  const auto stays = now.Find("stays");
  ASSERT_TRUE(stays);
  const auto text = now.Payload(*stays, NodeField::kText);
  ASSERT_TRUE(text) << text.error().ToString();
  EXPECT_EQ(*text, kText);
  std::uint64_t arcs = 0;
  now.ForEachEdge(ArcFilter::All(), [&](const Edge&) { ++arcs; });
  EXPECT_EQ(arcs, now.CountEdges(Plane::kFact) + now.CountEdges(Plane::kIndex));
  EXPECT_GE(db.graph().snapshot().sequence(), now.sequence());
}

void ReadHistory(Database& db) {
  const Sequence last = db.snapshot().sequence();
  const auto past = db.AsOf(last > 2 ? last - 2 : last);
  EXPECT_TRUE(past) << past.error().ToString();
  const auto entries = db.History(*db.snapshot().Find("stays"));
  EXPECT_TRUE(entries) << entries.error().ToString();
  const auto changes = db.ChangesSince(db.stats().history_floor);
  if (!changes) {  // the floor moved on in between
    EXPECT_EQ(changes.error().code, ErrorCode::kFailedPrecondition) << changes.error().ToString();
  }
  EXPECT_FALSE(db.report().tail_dropped);
}

TEST(Renewal, ReadersAndWritersGoOnBesidePurges) {
  constexpr int kRounds = 6;
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  for (int i = 0; i < 2 * kRounds; ++i) Fill(*db, i);
  Graph* const graph = &db->graph();
  std::atomic<std::int64_t> added{0};
  {
    Beside beside;
    beside.Do([&] { Read(*db); });
    beside.Do([&] { ReadHistory(*db); });
    beside.Do([&] {
      WriteBatch batch(5000);
      batch.AddI64(batch.UpsertNode("counter"), kAccessCount, 1);
      const auto applied = graph->Apply(batch, {.durability = Durability::kBuffered});
      ASSERT_TRUE(applied) << applied.error().ToString();
      ++added;
    });
    for (int round = 0; round < kRounds; ++round) {
      const std::string soft = "gone" + std::to_string(round);
      PLEXUS_OK(db->Purge({{soft}}, 6000));
      const NodeId hard[] = {*db->snapshot().Find("gone" + std::to_string(kRounds + round))};
      PLEXUS_OK(db->HardPurge(hard));
      beside.WaitForCalls(20);
    }
  }
  EXPECT_EQ(&db->graph(), graph);
  ExpectSound(*db);
  PLEXUS_OK(db->Close());
  db = MustOpen(scratch.path());
  const Snapshot now = db->snapshot();
  EXPECT_EQ(now.i64(kAccessCount, *now.Find("counter")), added.load());
  std::vector<std::string> secrets;
  for (int i = 0; i < 2 * kRounds; ++i) secrets.push_back("secret " + std::to_string(i));
  EXPECT_EQ(Found(scratch.path(), secrets), std::vector<std::string>{});
}

TEST(Renewal, ReadersGoOnBesideARefresh) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  for (int i = 0; i < 12; ++i) Fill(*db, i);
  auto view = MustOpen(scratch.path(), ReadOnly());
  Graph* const graph = &view->graph();
  {
    Beside beside;
    beside.Do([&] { Read(*view); });
    beside.Do([&] { ReadHistory(*view); });
    for (int round = 0; round < 12; ++round) {
      if (round % 3 == 0) {
        const NodeId gone[] = {*db->snapshot().Find("gone" + std::to_string(round))};
        PLEXUS_OK(db->HardPurge(gone));
      } else if (round % 3 == 1) {
        PLEXUS_OK(db->Checkpoint());
      } else {
        PLEXUS_OK(db->Trim(db->snapshot().sequence() - 3));
      }
      Fill(*db, 100 + round);
      PLEXUS_OK(view->Refresh());
      EXPECT_EQ(Dump(view->snapshot()), Dump(db->snapshot())) << "round " << round;
      beside.WaitForCalls(5);
    }
    ExpectSound(*view);
  }
  EXPECT_EQ(&view->graph(), graph);
}

// Also where the view was opened anew since, and the node is purged by now.
TEST(Renewal, SnapshotsOfAViewKeepTheirPayloads) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  Fill(*db, 1);
  auto view = MustOpen(scratch.path(), ReadOnly());
  const Snapshot before = view->snapshot();
  const NodeId gone[] = {*before.Find("gone1")};
  PLEXUS_OK(db->HardPurge(gone));
  PLEXUS_OK(view->Refresh());
  EXPECT_FALSE(view->snapshot().alive(gone[0]));
  EXPECT_EQ(*before.Payload(gone[0], NodeField::kText), "secret 1");
  EXPECT_EQ(*before.Payload(*before.Find("stays"), NodeField::kText), kText);
}

// It is refused, or it comes first: then the key makes another node.
TEST(Renewal, AHardPurgeBesideWhoMakesTheNodeAgain) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path(), Create());
  Fill(*db, 1);
  const NodeId gone = *db->snapshot().Find("gone1");
  std::atomic<bool> stop{false};
  std::thread reviver([&] {
    while (!stop) {
      WriteBatch batch(9000);
      batch.UpsertNode("gone1", NameRef(kMemory));
      ASSERT_TRUE(db->graph().Apply(batch));
    }
  });
  for (int i = 0; i < 5; ++i) {
    const NodeId nodes[] = {gone};
    const Status purged = db->HardPurge(nodes);
    if (purged) break;
    EXPECT_EQ(purged.error().code, ErrorCode::kConflict) << purged.error().ToString();
  }
  stop = true;
  reviver.join();
  ExpectSound(*db);
  PLEXUS_OK(db->Close());
  ExpectSound(*MustOpen(scratch.path()));
}

}  // namespace
}  // namespace plexus::storage_internal::testing
