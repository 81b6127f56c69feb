// Pre-filters in a database: reopened, with a delta, of the past, after removals and new vectors
// the answers are those of the same vectors in memory.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "algorithms/retrieval/vectors.h"
#include "storage/database.h"
#include "tests/algorithms/retrieval/hostile_vectors.h"
#include "tests/support/store_test_util.h"

namespace plexus::testing {
using namespace retrieval;
namespace {

using storage_internal::testing::MustOpen;

constexpr std::uint32_t kDimensions = 30;

// The nearest by key: rows, and so ties of estimates, may differ between storages.
std::vector<std::pair<std::string, double>> Answer(const Snapshot& s,
                                                   const std::vector<float>& query,
                                                   Prefilter prefilter) {
  const auto got = Nearest(s, SpaceId{}, query, {.top = 5, .prefilter = prefilter});
  EXPECT_TRUE(got.has_value()) << got.error().ToString();
  std::vector<std::pair<std::string, double>> answer;
  for (const NearestHit& hit : got->hits) answer.emplace_back(s.key(hit.node), hit.measure);
  return answer;
}

TEST(PrefilterStored, ReopenedWithADeltaAndOfThePast) {
  for (const bool checkpoint : {true, false}) {
    std::mt19937_64 random(checkpoint);
    const storage_internal::testing::ScratchDirectory dir;
    OpenOptions options;
    options.create = true;
    options.checkpoint_on_close =
        checkpoint ? CheckpointOnClose::kAlways : CheckpointOnClose::kNever;
    auto database = MustOpen(dir.path(), options);
    const auto memory = Graph::InMemory();
    const auto apply = [&](const WriteBatch& batch) {
      ASSERT_TRUE(database->graph().Apply(batch));
      ASSERT_TRUE(memory->Apply(batch));
    };
    struct Asked {
      Sequence sequence;
      std::vector<float> query;
      std::map<Prefilter, std::vector<std::pair<std::string, double>>> answers;
    };
    std::vector<Asked> asked;
    std::size_t count = 0;
    for (int round = 0; round < 6; ++round) {
      WriteBatch batch(kNow + round);
      if (round == 0) batch.DefineSpace({"s", kDimensions, Metric::kCosine, Prefilter::kInt8});
      for (const std::size_t end = count + (round == 0 ? 3000 : 50); count < end; ++count)
        batch.SetVector(batch.Node("n" + std::to_string(count)), batch.SpaceNamed("s"),
                        Normal(random, kDimensions));
      for (int i = 0; i < 20 && round > 0; ++i) {  // removed, or embedded again
        const std::string key = "n" + std::to_string(random() % count);
        if (i % 4 == 0)
          batch.RemoveNode(batch.Node(key));
        else
          batch.SetVector(batch.Node(key), batch.SpaceNamed("s"), Normal(random, kDimensions));
      }
      apply(batch);
      if (round % 2 == 1) {
        ASSERT_TRUE(database->Close());
        database = MustOpen(dir.path(), options);
      }
      const Snapshot s = database->snapshot();
      EXPECT_EQ(s.schema().spaces()[SpaceId{}].prefilter, Prefilter::kInt8);
      Asked one{s.sequence(), Normal(random, kDimensions), {}};
      for (const Prefilter prefilter : kPrefilters) {
        one.answers[prefilter] = Answer(memory->snapshot(), one.query, prefilter);
        EXPECT_EQ(Answer(s, one.query, prefilter), one.answers[prefilter]);
      }
      EXPECT_EQ(one.answers[Prefilter::kInt8], one.answers[Prefilter::kNone]);
      asked.push_back(std::move(one));
    }
    for (const Asked& one : asked) {
      const auto past = database->AsOf(one.sequence);
      ASSERT_TRUE(past) << past.error().ToString();
      for (const auto& [prefilter, answer] : one.answers)
        EXPECT_EQ(Answer(*past, one.query, prefilter), answer) << one.sequence;
    }
    ASSERT_TRUE(database->Close());
  }
}

}  // namespace
}  // namespace plexus::testing
