// The never-composed frontier in a database: reopened, and as of every earlier record.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "storage/database.h"
#include "tests/reference/never_composed.h"
#include "tests/support/memory_world.h"
#include "tests/support/same_sets.h"
#include "tests/support/store_test_util.h"

namespace plexus::testing {
using namespace memory;
namespace {

using storage_internal::testing::MustOpen;

std::vector<NeverComposedOptions> Questions() {
  std::vector<NeverComposedOptions> questions;
  for (const FrontierLens lens : {FrontierLens::kSurface, FrontierLens::kBridge,
                                  FrontierLens::kDivergent, FrontierLens::kLikely}) {
    NeverComposedOptions options;
    options.lens = lens;
    options.now_ms = kLedgerNow;
    options.top = kMaxNeverComposedTop;
    questions.push_back(options);
  }
  NeverComposedOptions sets = questions.front();
  sets.arity = 3;
  questions.push_back(sets);
  sets.lens = FrontierLens::kLikely;
  questions.push_back(sets);
  NeverComposedOptions ascii = questions.front();
  ascii.terms = TermRule::kAscii;
  ascii.trust = TrustRule::kWeakest;
  questions.push_back(ascii);
  return questions;
}

// Every question equals its definition, read from that snapshot alone.
void ExpectFrontier(const Snapshot& snapshot) {
  for (const NeverComposedOptions& options : Questions()) {
    SCOPED_TRACE("sequence " + std::to_string(snapshot.sequence()) + ", lens " +
                 std::to_string(static_cast<int>(options.lens)) + ", arity " +
                 std::to_string(options.arity));
    const auto page = NeverComposed(snapshot, options);
    ASSERT_TRUE(page) << page.error().ToString();
    const std::vector<NeverComposedSet> want = reference::NeverComposed(snapshot, options);
    ASSERT_LT(want.size(), kMaxNeverComposedTop);
    ExpectPlaces(page->sets, want, 0, options.top, SetLists::kCompare);
  }
}

TEST(NeverComposedStored, EqualsItsDefinitionReopenedAndAtEveryTime) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const storage_internal::testing::ScratchDirectory dir;
    {
      auto database = MustOpen(dir.path(), {.create = true});
      for (const WriteBatch& batch : RandomLedger(seed, {.facts = 12, .batches = 4}))
        ASSERT_TRUE(database->graph().Apply(batch));
      if (seed % 2 == 0) {
        ASSERT_TRUE(database->Checkpoint());
      }
      ASSERT_TRUE(database->Close());
    }
    auto database = MustOpen(dir.path());
    const Sequence last = database->snapshot().sequence();
    ExpectFrontier(database->snapshot());
    for (Sequence at = 1; at < last; ++at) {
      const auto past = database->AsOf(at);
      ASSERT_TRUE(past) << past.error().ToString();
      ExpectFrontier(*past);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace plexus::testing
