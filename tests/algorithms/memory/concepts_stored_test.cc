// Recall in a database: reopened, and of the past, the answers are those of the definition.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/database.h"
#include "tests/algorithms/memory/concept_world.h"
#include "tests/support/store_test_util.h"

namespace plexus::testing {
using namespace memory;
namespace {

using storage_internal::testing::MustOpen;

TEST(ConceptsStored, ReopenedAndAsOf) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomWorld made = MakeWorld(seed, 30, 120);
    const storage_internal::testing::ScratchDirectory dir;
    auto database = MustOpen(dir.path(), {.create = true});
    WriteWorld(
        made, seed, kStorages[seed % 3],
        [&](const WriteBatch& batch) { ASSERT_TRUE(database->graph().Apply(batch)); },
        [&] { ASSERT_TRUE(database->graph().Compact()); });
    // What each question was answered, at which sequence.
    struct Asked {
      ConceptQuestion question;
      Sequence sequence;
      std::string answer;
    };
    std::vector<Asked> asked;
    ConceptWorld world = made.world;
    std::mt19937_64 random(seed);
    for (int round = 0; round < 8; ++round) {
      if (round % 3 == 2) {
        ASSERT_TRUE(database->Close());
        database = MustOpen(dir.path());
      }
      const Snapshot s = database->snapshot();
      const ConceptQuestion question = DrawQuestion(random, made);
      const auto want = reference::RecallByDefinition(world, question);
      const auto got = RecallConcepts(s, question.seeds, question.now_ms, OptionsOf(question));
      ASSERT_TRUE(got);
      ASSERT_EQ(Shown(s, *got), Shown(want));
      asked.push_back({question, s.sequence(), Shown(want)});
      ASSERT_TRUE(database->graph().Apply(got->batch));
      reference::ApplyRaised(world, want, question.now_ms);
    }
    for (const Asked& one : asked) {
      const auto past = database->AsOf(one.sequence);
      ASSERT_TRUE(past) << past.error().ToString();
      const auto got =
          RecallConcepts(*past, one.question.seeds, one.question.now_ms, OptionsOf(one.question));
      EXPECT_EQ(Shown(*past, *got), one.answer);
    }
    ASSERT_TRUE(database->Close());
  }
}

}  // namespace
}  // namespace plexus::testing
