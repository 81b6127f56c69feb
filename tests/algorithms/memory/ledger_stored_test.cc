// The ledger in a database: over closing and opening, beside states of the past, after purges.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/database.h"
#include "tests/algorithms/memory/ledger_world.h"
#include "tests/support/store_test_util.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

using storage_internal::testing::MustOpen;

TEST(LedgerStored, EqualsItsDefinitionAtEveryTime) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const storage_internal::testing::ScratchDirectory dir;
    MemoryWorld world = LedgerWorld(seed, 12);
    auto database = MustOpen(dir.path(), {.create = true});
    for (int step = 0; step < 60; ++step) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
      (void)database->graph().Apply(NextOfLedger(world, database->snapshot()));
      if (world.Below(3) != 0) ExpectLedger(database->snapshot(), SerialExecutor());
      if (step % 7 == 6) {
        const auto past = database->AsOf(1 + world.Below(database->snapshot().sequence()));
        ASSERT_TRUE(past) << past.error().ToString();
        ExpectLedger(*past, SerialExecutor());
      }
      if (step % 20 == 10) {
        const std::string_view keys[] = {"m3", "m7"};
        (void)database->Purge(keys, 1);  // perhaps there are none
        ExpectLedger(database->snapshot(), SerialExecutor());
      }
      if (step % 15 == 14) {
        ASSERT_TRUE(database->Close());
        database = MustOpen(dir.path(), {.create = true});
        ExpectLedger(database->snapshot(), SerialExecutor());
      }
      if (HasFailure()) return;
    }
    ASSERT_TRUE(database->Close());
  }
}

// The event keeps the member; nobody reads what it said, at no time.
TEST(LedgerStored, APurgeScrubsTheMemberAtEveryTime) {
  const storage_internal::testing::ScratchDirectory dir;
  auto database = MustOpen(dir.path(), {.create = true});
  WriteBatch batch(1);
  for (const char* key : {"a", "b"}) batch.UpsertNode(key, NodeKindRef(kMemory));
  batch.Link(batch.Node("a"), kHasTag, batch.IndexNode(kTag, "secret"));
  ASSERT_TRUE(database->graph().Apply(batch));
  NewEvent event;
  event.id = "c1";
  event.query = "q";
  event.created_at = 5;
  event.members = {{.key = "a", .role = "primary", .trust = 0.5, .preview = "words"}, {.key = "b"}};
  ASSERT_TRUE(database->graph().Apply(RecordEvent(database->snapshot(), event).value().batch));
  const Sequence recorded = database->snapshot().sequence();
  const std::string_view keys[] = {"a"};
  ASSERT_TRUE(database->Purge(keys, 9));
  for (const bool then : {false, true}) {
    const Snapshot s = then ? database->AsOf(recorded).value() : database->snapshot();
    const NodeId node = FindEvent(s, "c1").value();
    const EventDetails details = GetEvent(s, node).value();
    ASSERT_EQ(details.members.size(), 2u);
    for (const LedgerMember& member : details.members) {
      if (s.key(member.node) != "a") continue;
      EXPECT_EQ(member.role, "primary");
      EXPECT_EQ(member.preview, "");
      EXPECT_TRUE(member.tags.empty());
      EXPECT_FALSE(member.trust);
    }
    EXPECT_EQ(LedgerIndex::Of(s).value()->members(node).size(), 2u);
    EventListOptions tagged;
    tagged.filter.tags = {"secret"};
    EXPECT_TRUE(RecentEvents(s, tagged).value().events.empty());
  }
  ASSERT_TRUE(database->Close());
}

}  // namespace
}  // namespace plexus::testing
