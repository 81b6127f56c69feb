// Ties of the frontier: pairs that score equally by the formula are in the order of their ids, of
// the fast way and of the reference alike. The oracle counts in whole numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "tests/reference/never_composed.h"
#include "tests/support/vault_graph.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

// All terms are whole numbers of these, with at most 8 tags and 5 events.
constexpr std::int64_t kUnit = 1'008'000;

struct Memory {
  std::set<std::string> tags;
  bool decision = false;
  int tenths = 0;  // of trust
  std::int64_t events = 0;
};

struct World {
  LedgerGraph graph;
  std::map<NodeId, Memory> memories;
};

World RandomWorld(std::uint64_t seed) {
  constexpr std::array<std::string_view, 8> kTags = {"a", "b",     "c",      "d",
                                                     "e", "queue", "oracle", "f"};
  constexpr std::array<std::string_view, 5> kTypes = {"helpful", "accepted", "needs_poc",
                                                      "dead_end", "duplicate_risk"};
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  World world;
  std::map<std::string, Memory> memories;
  std::vector<std::string> keys;
  for (int i = 0; i < 24; ++i) {
    const std::string key = "m" + std::to_string(i);
    Memory memory;
    memory.decision = below(3) == 0;
    memory.tenths = static_cast<int>(below(11));
    const NodeRef node = world.graph.Node(key, memory.decision ? kDecision : kMemory, "", {},
                                          static_cast<double>(memory.tenths) / 10);
    for (std::uint64_t t = below(6); t > 0; --t) memory.tags.emplace(kTags[below(kTags.size())]);
    for (const std::string& tag : memory.tags) world.graph.Tag(node, tag);
    memories[key] = memory;
    keys.push_back(key);
  }
  for (int e = 0; e < 16; ++e) {
    const std::string &a = keys[below(24)], &b = keys[below(24)];
    if (a == b || memories[a].events == 5 || memories[b].events == 5) continue;
    const std::string id = "e" + std::to_string(e);
    world.graph.Event(id, e + 1, {{a}, {b}});
    ++memories[a].events;
    ++memories[b].events;
    if (below(2)) world.graph.Outcome(id, kTypes[below(kTypes.size())]);
  }
  world.graph.Commit();
  for (const auto& [key, memory] : memories)
    world.memories[*world.graph.snapshot().Find(key)] = memory;
  return world;
}

// The score in units. Of shared words there are none.
std::int64_t Exact(const World& world, const NeverComposedSet& set) {
  static const std::map<std::string, int> twentieths = {
      {"helpful", 5}, {"accepted", 7}, {"needs_poc", -1}, {"dead_end", -9}, {"duplicate_risk", -7}};
  const Memory &a = world.memories.at(set.members[0]), &b = world.memories.at(set.members[1]);
  std::set<std::string> all = a.tags;
  all.insert(b.tags.begin(), b.tags.end());
  const auto shared = static_cast<std::int64_t>(a.tags.size() + b.tags.size() - all.size()),
             tags = static_cast<std::int64_t>(all.size());
  const auto boundaries = static_cast<std::int64_t>(all.contains("queue") + all.contains("oracle"));
  std::int64_t score = shared * kUnit * 9 / 20;
  score += (tags - shared) * kUnit * 3 / 5 / tags;
  score += (a.decision != b.decision) * kUnit * 2 / 5 + boundaries * kUnit / 8;
  score += (shared > 0) * kUnit / 5;
  score += kUnit * 3 / 4 / (1 + a.events) + kUnit * 3 / 4 / (1 + b.events);
  score += (a.tenths + b.tenths) * kUnit / 20;
  int adjustment = 0;
  for (const std::string& type : set.prior_outcomes) adjustment += twentieths.at(type);
  return score + std::clamp(adjustment, -16, 10) * kUnit / 20;
}

TEST(NeverComposedTies, EqualByTheFormulaIsEqualInBits) {
  std::size_t ties = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const World world = RandomWorld(seed);
    const Snapshot s = world.graph.snapshot();
    NeverComposedOptions options;
    options.now_ms = kVaultNow;
    options.top = 500;
    const auto slow = reference::NeverComposed(s, options);
    for (const std::size_t top : {std::size_t{7}, std::size_t{500}}) {
      options.top = top;
      const auto fast = NeverComposed(s, options);
      ASSERT_TRUE(fast) << fast.error().ToString();
      ASSERT_EQ(fast->sets.size(), std::min(top, slow.size())) << seed;
      for (std::size_t i = 0; i < fast->sets.size(); ++i) {
        ASSERT_EQ(fast->sets[i].members, slow[i].members) << "seed " << seed << " row " << i;
        ASSERT_EQ(fast->sets[i].score, slow[i].score) << "seed " << seed << " row " << i;
      }
    }
    for (std::size_t i = 0; i < slow.size(); ++i) {
      const std::int64_t exact = Exact(world, slow[i]);
      ASSERT_NEAR(slow[i].score, static_cast<double>(exact) / kUnit, 1e-9) << seed;
      ASSERT_GE(exact, kUnit * 8 / 5);
      if (i == 0) continue;
      const std::int64_t before = Exact(world, slow[i - 1]);
      ASSERT_TRUE(before > exact || (before == exact && slow[i - 1].members < slow[i].members))
          << "seed " << seed << " row " << i;
      ASSERT_EQ(before == exact, slow[i - 1].score == slow[i].score) << seed;
      ties += before == exact;
    }
  }
  EXPECT_GT(ties, 100u);
}

// A memory that has every word and tag: the short list is where the long one begins, whichever of
// the join's tokens are enough for it.
TEST(NeverComposedTies, TheBestOfFewAreTheBestOfMany) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t n) { return random() % n; };
    auto graph = Graph::InMemory();
    WriteBatch batch(1);
    for (std::size_t m = 0; m < 600; ++m) {
      const NodeRef node = batch.UpsertNode("m" + std::to_string(m), kMemory);
      if (m > 0) batch.SetF64(node, kRetention, static_cast<double>(below(9)) / 8);
      const auto link = [&](EdgeKindId kind, NodeKindId to, const char* name, std::size_t all,
                            std::size_t most) {
        for (std::size_t i = m == 0 ? all : 1 + below(most); i-- > 0;)
          batch.Link(node, kind,
                     batch.IndexNode(to, name + std::to_string(m == 0 ? i : below(all))));
      };
      link(kHasTag, kTag, "t", 40, 5);
      link(kHasTerm, kTerm, "wording", 300, 8);
    }
    ASSERT_TRUE(graph->Apply(batch));
    NeverComposedOptions options;
    options.lens = FrontierLens::kSurface;
    options.top = 500;
    const auto many = NeverComposed(graph->snapshot(), options);
    ASSERT_TRUE(many) << many.error().ToString();
    for (const std::size_t top : {1, 3, 5, 10, 20, 40, 100}) {
      options.top = top;
      const auto few = NeverComposed(graph->snapshot(), options);
      ASSERT_TRUE(few) << few.error().ToString();
      ASSERT_EQ(few->sets.size(), top);
      for (std::size_t i = 0; i < top; ++i)
        ASSERT_EQ(few->sets[i].members, many->sets[i].members)
            << "seed " << seed << " top " << top << " row " << i;
    }
  }
}

}  // namespace
}  // namespace plexus::testing
