// An index beside a database: over closing and opening, states of the past, purges, compactions.
// Whatever lies where in memory, an answer has the hits and measures of its own snapshot.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/retrieval/vectors.h"
#include "storage/database.h"
#include "tests/support/store_test_util.h"

namespace plexus::testing {
using namespace retrieval;
namespace {

using storage_internal::testing::MustOpen;

class Draws {
 public:
  std::vector<float> Vector() {
    std::vector<float> v(8);
    for (float& x : v) x = normal_(random_);
    return v;
  }
  std::uint64_t Below(std::uint64_t n) { return random_() % n; }

 private:
  std::mt19937_64 random_{1};
  std::normal_distribution<float> normal_;
};

// Of the ten nearest it finds nine, on average; all it finds is there, with its measure.
void ExpectFound(const VectorIndex& index, const Snapshot& s, Draws& draws) {
  std::size_t hits = 0, wanted = 0;
  for (int q = 0; q < 5; ++q) {
    const std::vector<float> query = draws.Vector();
    const auto exact = Nearest(s, SpaceId{}, query, {.top = 0});
    const auto got = index.Nearest(s, query, {.width = 40});
    ASSERT_TRUE(exact) << exact.error().ToString();
    ASSERT_TRUE(got) << got.error().ToString();
    const std::size_t count = std::min<std::size_t>(10, exact->hits.size());
    ASSERT_EQ(got->hits.size(), count);
    for (const NearestHit& hit : got->hits) {
      ASSERT_NE(std::ranges::find(exact->hits, hit), exact->hits.end());
      hits += hit.similarity >= exact->hits[count - 1].similarity;
    }
    wanted += count;
  }
  EXPECT_GE(10 * hits, 9 * wanted);
}

TEST(VectorIndexStored, AnswersForEveryStateOfADatabase) {
  const storage_internal::testing::ScratchDirectory dir;
  Draws draws;
  auto database = MustOpen(dir.path(), {.create = true});
  std::unique_ptr<VectorIndex> index;
  std::size_t nodes = 0;
  for (int step = 0; step < 40; ++step) {
    SCOPED_TRACE(step);
    WriteBatch batch(1 + step);
    if (step == 0) batch.DefineSpace({"s", 8, Metric::kL2});
    for (std::size_t i = 0; i < (step == 0 ? 1500 : 30); ++i)
      batch.SetVector(batch.Node("n" + std::to_string(nodes++)), batch.SpaceNamed("s"),
                      draws.Vector());
    for (int i = 0; i < 20; ++i)
      batch.SetVector(batch.Node("n" + std::to_string(draws.Below(nodes))), batch.SpaceNamed("s"),
                      draws.Vector());
    ASSERT_TRUE(database->graph().Apply(batch));
    if (!index)
      index = *VectorIndex::Make(database->snapshot(), SpaceId{}, {.links = 8, .build_width = 40});
    if (step % 3 == 0) {
      const auto update = index->Update(database->snapshot());
      ASSERT_TRUE(update) << update.error().ToString();
    }
    ExpectFound(*index, database->snapshot(), draws);
    if (step % 5 == 4) {
      const auto past = database->AsOf(1 + draws.Below(database->snapshot().sequence()));
      ASSERT_TRUE(past) << past.error().ToString();
      ExpectFound(*index, *past, draws);
    }
    if (step % 10 == 6) {
      const std::string key = "n" + std::to_string(draws.Below(nodes));
      const std::string_view keys[] = {key};
      ASSERT_TRUE(database->Purge(keys, 1));
      ExpectFound(*index, database->snapshot(), draws);
    }
    if (step % 12 == 9) {
      ASSERT_TRUE(database->graph().Compact());
      ExpectFound(*index, database->snapshot(), draws);
    }
    if (step % 8 == 7) {
      ASSERT_TRUE(database->Close());
      database = MustOpen(dir.path(), {.create = true});
      ExpectFound(*index, database->snapshot(), draws);
    }
    if (HasFailure()) return;
  }
  ASSERT_TRUE(database->Close());
}

}  // namespace
}  // namespace plexus::testing
