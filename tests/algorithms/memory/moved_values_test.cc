// Values that are kept with a state, when things move and no content changes.
//
// All questions are asked, so that everything that is kept is warm; then something is compacted,
// packed, trimmed, opened or replayed; then all are asked again. Every answer, also of the snapshot
// from before, must be that of a state without derived data, bit for bit. This guards what the int8
// and bit copies of vectors got wrong: they were taken over as they were though rows had moved, and
// gave wrong neighbours as proven.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/retrieval/vectors.h"
#include "storage/database.h"
#include "tests/support/kernels/kernel.h"
#include "tests/support/kernels/kernel_graph.h"
#include "tests/support/store_test_util.h"

namespace plexus::testing {
using namespace memory;
using namespace pagerank;
using namespace retrieval;
namespace {

using storage_internal::testing::ScratchDirectory;

constexpr std::size_t kFacts = 100;

// What its host keeps beside the graph, and brings up to date.
class HostValues {
 public:
  void Ask(const Snapshot& s) {
    NeverComposedOptions options;
    if (!keeper_) {
      auto made = FrontierKeeper::Make(s, options);
      ASSERT_TRUE(made) << made.error().ToString();
      keeper_ = std::make_unique<FrontierKeeper>(*std::move(made));
      index_ = *VectorIndex::Make(s, *s.schema().FindSpace("default"));
    }
    ASSERT_TRUE(keeper_->Update(s));
    const auto page = NeverComposed(Bare(s), options);
    ASSERT_TRUE(page);
    ASSERT_EQ(keeper_->page().sets.size(), page->sets.size());
    for (std::size_t i = 0; i < page->sets.size(); ++i) {
      EXPECT_EQ(keeper_->page().sets[i].members, page->sets[i].members);
      EXPECT_EQ(keeper_->page().sets[i].score, page->sets[i].score);
    }
    const auto ranked = ranking_.Refresh(s);
    ASSERT_TRUE(ranked);
    const auto anew = PageRank(Bare(s));
    ASSERT_TRUE(anew);
    for (NodeId v = 0; v < s.node_count(); ++v)
      EXPECT_NEAR((*ranked)->scores[v], anew->scores[v], 1e-8);
    const std::vector<float> query(kKernelDimensions, 0.25f);
    ASSERT_TRUE(index_->Update(s));
    const auto near = index_->Nearest(s, query, {.top = 5});
    ASSERT_TRUE(near);
    const auto all = Nearest(Bare(s), *s.schema().FindSpace("default"), query,
                             {.top = 0, .prefilter = Prefilter::kNone});
    ASSERT_TRUE(all);
    ASSERT_FALSE(near->hits.empty());
    for (const NearestHit& hit : near->hits)
      EXPECT_NE(std::ranges::find(all->hits, hit), all->hits.end()) << s.key(hit.node);
    EXPECT_EQ(near->hits.front(), all->hits.front());
  }

 private:
  std::unique_ptr<FrontierKeeper> keeper_;
  std::unique_ptr<VectorIndex> index_;
  PageRankRefresher ranking_{PageRankOptions()};
};

void Ask(const Snapshot& s, const std::string& when) {
  const Snapshot bare = Bare(s);
  for (const Kernel& kernel : Kernels()) {
    if (kernel.traits.of_base) continue;
    const auto kept = kernel(s), made = kernel(bare);
    ASSERT_EQ(kept.has_value(), made.has_value()) << kernel.name << ", " << when;
    if (!kept) continue;
    EXPECT_TRUE(kept->bytes == made->bytes) << kernel.name << ", " << when;
  }
}

TEST(MovedValues, InRam) {
  KernelWorld world(1, kFacts);
  GraphOptions options;
  options.maintenance = Maintenance::kManual;
  const auto graph = Graph::InMemory(options);
  world.Begin(*graph);
  HostValues host;
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Ask(graph->snapshot(), "before a change");
    world.Change(*graph);
    const Snapshot before = graph->snapshot();
    Ask(before, "before the move");
    host.Ask(before);
    ASSERT_TRUE(graph->Compact());
    Ask(graph->snapshot(), "after the move");
    Ask(before, "of the snapshot before the move");
    host.Ask(graph->snapshot());
    if (HasFailure()) return;
  }
  EXPECT_GE(graph->stats().vector_compactions, 4u);
  EXPECT_GE(graph->stats().compactions, 4u);
  EXPECT_GE(graph->stats().packings, 1u);
}

// A reader who makes a value of the state from before the move, after it: the state that follows
// must not take it over as it is.
TEST(MovedValues, MadeLateOfAnOlderState) {
  KernelWorld world(2, kFacts);
  const auto graph = Graph::InMemory();
  world.Begin(*graph);
  for (int round = 0; round < 3; ++round) {
    world.Change(*graph);
    const Snapshot before = graph->snapshot();
    ASSERT_TRUE(graph->Compact());
    const Snapshot after = graph->snapshot();
    Ask(before, "first asked after the move");
    Ask(after, "then the state after it");
    Ask(before, "and again");
    world.Change(*graph);
    Ask(graph->snapshot(), "carried on");
    if (HasFailure()) return;
  }
}

TEST(MovedValues, InADirectory) {
  const ScratchDirectory scratch;
  KernelWorld world(3, kFacts);
  OpenOptions options;
  options.create = true;
  options.graph.maintenance = Maintenance::kManual;
  auto database = Database::Open(scratch.path(), options);
  ASSERT_TRUE(database) << database.error().ToString();
  world.Begin((*database)->graph());
  OpenOptions reading;
  reading.read_only = true;
  auto view = Database::Open(scratch.path(), reading);
  ASSERT_TRUE(view) << view.error().ToString();
  const auto replica = Graph::InMemory();
  const std::pair<const char*, std::function<Status()>> moves[] = {
      {"compaction", [&] { return (*database)->graph().Compact(); }},
      {"checkpoint",
       [&]() -> Status {
         PLEXUS_TRY((*database)->Checkpoint());
         return {};
       }},
      {"trim",
       [&]() -> Status {
         PLEXUS_TRY((*database)->Trim((*database)->snapshot().sequence() - 1));
         return {};
       }},
      {"purge",
       [&]() -> Status {
         const std::string_view keys[] = {"episode 13", "episode 25"};
         PLEXUS_TRY((*database)->Purge(keys, kKernelNow));
         return {};
       }},
      {"opening anew",
       [&]() -> Status {
         PLEXUS_TRY((*database)->Close());
         database = Database::Open(scratch.path(), options);
         if (!database) return std::unexpected(database.error());
         return {};
       }},
  };
  for (int round = 0; round < 2; ++round)
    for (const auto& [name, move] : moves) {
      SCOPED_TRACE(name);
      const auto follow = [&] {
        storage_internal::testing::Pull(**database, *replica, 3);
        ASSERT_TRUE((*view)->Refresh());
      };
      world.Change((*database)->graph());
      if (round == 0) follow();
      Ask((*database)->snapshot(), "before the move");
      const Status moved = move();
      ASSERT_TRUE(moved) << moved.error().ToString();
      Ask((*database)->snapshot(), "after the move");
      if (round == 0) {
        follow();
        Ask((*view)->snapshot(), "a view");
        Ask(replica->snapshot(), "a replica");
        ASSERT_TRUE(replica->Compact());
        Ask(replica->snapshot(), "a replica, compacted");
      }
      world.Change((*database)->graph());
      Ask((*database)->snapshot(), "carried on");
      if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace plexus::testing
