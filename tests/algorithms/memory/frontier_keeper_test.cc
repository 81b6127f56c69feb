// FrontierKeeper: after every random step its page is that of a full run.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "engine/graph.h"
#include "engine/parallel.h"
#include "engine/properties/properties.h"
#include "engine/vocabulary.h"
#include "tests/support/memory_world.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

void ExpectFullRun(const FrontierKeeper& keeper, const Snapshot& snapshot,
                   const NeverComposedOptions& options) {
  const auto want = NeverComposed(snapshot, options);
  ASSERT_TRUE(want) << want.error().ToString();
  const NeverComposedPage& got = keeper.page();
  ASSERT_EQ(got.sets.size(), want->sets.size());
  for (std::size_t i = 0; i < got.sets.size(); ++i) {
    EXPECT_EQ(got.sets[i].members, want->sets[i].members) << i;
    EXPECT_EQ(got.sets[i].score, want->sets[i].score) << i;
    EXPECT_EQ(got.sets[i].shared_tags, want->sets[i].shared_tags);
    EXPECT_EQ(got.sets[i].shared_terms, want->sets[i].shared_terms);
    EXPECT_EQ(got.sets[i].prior_outcomes, want->sets[i].prior_outcomes);
    EXPECT_EQ(got.sets[i].prior_events, want->sets[i].prior_events);
    EXPECT_EQ(got.sets[i].reason, want->sets[i].reason);
  }
  EXPECT_EQ(got.lens, want->lens);
  EXPECT_EQ(got.next, want->next);
  EXPECT_EQ(got.pool, want->pool);
  EXPECT_EQ(got.why_empty, want->why_empty);
}

// One step of a life: events mostly, labels, new memories, tags, supersession, removal.
class Life {
 public:
  explicit Life(std::uint64_t seed) : random_(seed) {}

  WriteBatch Begin() {
    WriteBatch batch(1);
    for (int v = 0; v < 40; ++v) AddMemory(batch);
    return batch;
  }
  WriteBatch Step() {
    WriteBatch batch(1);
    switch (Below(12)) {
      case 0:
        AddMemory(batch);
        break;
      case 1:
        batch.Link(Any(batch), kHasTag, Tag(batch));
        break;
      case 2:
        batch.Link(Any(batch), kSupersedes, Any(batch));
        break;
      case 3:
        batch.SetF64(Any(batch), kRetention, static_cast<double>(Below(5)) / 4);
        break;
      case 4:
        Label(batch);
        break;
      case 5:
        if (Below(3) == 0)
          batch.RemoveNode(Any(batch));
        else
          batch.Link(Any(batch), kHasTerm, Term(batch));
        break;
      case 6:
        if (Below(4) == 0 && events_ > 0) {
          batch.RemoveNode(batch.IndexNode(kEvent, "e" + std::to_string(Below(events_))));
        } else {
          batch.Link(Any(batch), kSupports, Any(batch));
        }
        break;
      default:
        AddEvent(batch);
    }
    return batch;
  }
  std::size_t Below(std::size_t n) { return random_() % n; }

 private:
  NodeRef Any(WriteBatch& batch) { return batch.Node("m" + std::to_string(Below(memories_))); }
  NodeRef Tag(WriteBatch& batch) {
    constexpr const char* kTags[] = {"queue", "a", "b", "c", "oracle", "d", "e", "f", "g"};
    return Below(12) == 0 ? batch.IndexNode(kTag, "new" + std::to_string(random_() % 1000))
                          : batch.IndexNode(kTag, kTags[Below(9)]);
  }
  NodeRef Term(WriteBatch& batch) {
    return batch.IndexNode(kTerm, "wording" + std::to_string(Below(12)));
  }
  void AddMemory(WriteBatch& batch) {
    const NodeRef node =
        batch.UpsertNode("m" + std::to_string(memories_++), Below(3) == 0 ? kDecision : kMemory);
    for (std::size_t t = Below(5); t-- > 0;) batch.Link(node, kHasTag, Tag(batch));
    for (std::size_t t = Below(4); t-- > 0;) batch.Link(node, kHasTerm, Term(batch));
    if (Below(2)) batch.SetF64(node, kRetention, static_cast<double>(Below(9)) / 8);
  }
  void AddEvent(WriteBatch& batch) {
    const NodeRef event = batch.IndexNode(kEvent, "e" + std::to_string(events_++));
    batch.UpsertNode(event);
    for (std::size_t m = 1 + Below(4); m-- > 0;) batch.Link(event, kMember, Any(batch));
  }
  void Label(WriteBatch& batch) {
    if (events_ == 0) return;
    const char* const type = Below(2) ? "helpful" : "dead_end";
    const std::string event = "e" + std::to_string(Below(events_));
    const NodeRef outcome = batch.IndexNode(
        kOutcome, std::string(type) + "/" + std::to_string(labels_++) + "/user/" + event);
    PropertyMapBuilder made;
    made.String("type", type).String("source", "user");
    batch.SetPayload(outcome, NodeField::kProperties, made.Finish().value());
    batch.Link(outcome, kLabels, batch.IndexNode(kEvent, event));
  }

  std::mt19937_64 random_;
  std::size_t memories_ = 0, events_ = 0, labels_ = 0;
};

TEST(FrontierKeeper, EqualsAFullRunAfterEveryStep) {
  const auto two = MakeTbbExecutor(2);
  std::uint64_t quick = 0, full = 0, became_likely = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Life life(seed);
    auto graph = Graph::InMemory();
    ASSERT_TRUE(graph->Apply(life.Begin()));
    NeverComposedOptions options;
    // By the ledger: surface until there are 50 events, then likely, by full runs.
    const bool by_ledger = seed % 4 == 1;
    if (!by_ledger) options.lens = FrontierLens::kSurface;
    options.top = 3 + seed % 5;
    options.run.executor = seed % 2 ? &SerialExecutor() : two.get();
    if (seed % 4 == 0) options.tags = {"queue", "a"};
    if (seed % 5 == 0) options.trust = TrustRule::kWeakest;
    if (seed % 7 == 0) options.arity = 3;  // by full runs
    auto keeper = FrontierKeeper::Make(graph->snapshot(), options);
    ASSERT_TRUE(keeper) << keeper.error().ToString();
    for (int step = 0; step < 120; ++step) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
      for (std::size_t n = 1 + life.Below(2); n-- > 0;)
        (void)graph->Apply(life.Step());  // what contradicts itself is refused
      const Snapshot snapshot = graph->snapshot();
      const Status updated = keeper->Update(snapshot);
      ASSERT_TRUE(updated) << updated.error().ToString();
      ExpectFullRun(*keeper, snapshot, options);
      if (HasFailure()) {
        FAIL() << "quick " << keeper->counters().incremental << ", full " << keeper->counters().full
               << ": " << keeper->counters().full_run_reason;
      }
    }
    if (by_ledger) {
      became_likely += keeper->page().lens == FrontierLens::kLikely;
    } else if (options.arity == 2) {
      quick += keeper->counters().incremental;
      full += keeper->counters().full;
    }
  }
  EXPECT_GT(quick, 4 * full);
  EXPECT_EQ(became_likely, 5u);
}

TEST(FrontierKeeper, AnotherGraphIsAFullRun) {
  Life one(1), other(2);
  auto a = Graph::InMemory(), b = Graph::InMemory();
  ASSERT_TRUE(a->Apply(one.Begin()));
  ASSERT_TRUE(b->Apply(other.Begin()));
  const NeverComposedOptions options;
  auto keeper = FrontierKeeper::Make(a->snapshot(), options);
  ASSERT_TRUE(keeper);
  ASSERT_TRUE(keeper->Update(b->snapshot()));
  ExpectFullRun(*keeper, b->snapshot(), options);
  EXPECT_EQ(keeper->counters().full, 2u);
  ASSERT_TRUE(keeper->Update(b->snapshot()));
  EXPECT_EQ(keeper->counters().unchanged, 1u);
}

TEST(FrontierKeeper, RefusesWhatItCannotFollow) {
  auto graph = Graph::InMemory();
  const NodeSubset pool;
  EXPECT_FALSE(FrontierKeeper::Make(graph->snapshot(), {.pool = &pool}));
  EXPECT_FALSE(FrontierKeeper::Make(graph->snapshot(), {.cursor = "1"}));
  EXPECT_FALSE(FrontierKeeper::Make(graph->snapshot(), {.top = 0}));
}

}  // namespace
}  // namespace plexus::testing
