// What is carried, in a database: over closing and opening, beside states of the past, after
// purges.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/database.h"
#include "tests/algorithms/memory/carried_world.h"
#include "tests/support/store_test_util.h"

namespace plexus::testing {
namespace {

using storage_internal::testing::MustOpen;

TEST(CarriedStored, EqualsFromNothing) {
  constexpr CheckpointOnClose kModes[] = {CheckpointOnClose::kNever,
                                          CheckpointOnClose::kWhenReplayIsSlower,
                                          CheckpointOnClose::kAlways};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const storage_internal::testing::ScratchDirectory dir;
    MemoryWorld world = CarriedWorld(seed, 40);
    auto database = MustOpen(dir.path(), {.create = true, .checkpoint_on_close = kModes[0]});
    std::vector<Snapshot> old;
    for (int step = 0; step < 90; ++step) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
      (void)database->graph().Apply(NextOfCarried(world));  // what contradicts itself is refused
      // Some states are never asked: what they would have carried is made from nothing later.
      if (world.Below(4) != 0) ExpectSame(database->snapshot(), kTimes, SerialExecutor());
      if (step % 9 == 4) old.push_back(database->snapshot());
      if (step % 9 == 8) {
        if (!old.empty()) ExpectSame(old[world.Below(old.size())], kTimes, SerialExecutor());
        const auto past = database->AsOf(1 + world.Below(database->snapshot().sequence()));
        ASSERT_TRUE(past) << past.error().ToString();
        ExpectSame(*past, kTimes, SerialExecutor());
        ExpectSame(database->snapshot(), kTimes, SerialExecutor());
      }
      if (step % 20 == 10) {
        const std::string_view keys[] = {"m3", "m7"};
        (void)database->Purge(keys, 1);  // perhaps there are none
        ExpectSame(database->snapshot(), kTimes, SerialExecutor());
      }
      if (step % 25 == 15) {
        ASSERT_TRUE(database->graph().Compact());
      }
      if (step % 12 == 11) {
        old.clear();
        ASSERT_TRUE(database->Close());
        database =
            MustOpen(dir.path(), {.create = true, .checkpoint_on_close = kModes[world.Below(3)]});
        if (world.Below(2) == 0) ExpectSame(database->snapshot(), kTimes, SerialExecutor());
      }
      if (HasFailure()) return;
    }
    ASSERT_TRUE(database->Close());
  }
}

}  // namespace
}  // namespace plexus::testing
