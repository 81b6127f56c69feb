// The never-composed frontier: the published numbers, and the reference on random ledgers: every
// option, pairs and sets, threads, delta and compacted, pages.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "engine/graph.h"
#include "engine/parallel.h"
#include "tests/reference/never_composed.h"
#include "tests/support/memory_world.h"
#include "tests/support/same_sets.h"
#include "tests/support/vault_graph.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
using namespace retrieval;
namespace {

using Strings = std::vector<std::string>;

struct Listed {
  std::string keys;
  double score;
};

// The numbers are the reference's, too: a right ruler for the lenses.
NeverComposedPage AskVault(const LedgerGraph& g, NeverComposedOptions options = {}) {
  options.now_ms = kVaultNow;
  NeverComposedPage page = Ask(g.snapshot(), options);
  ExpectPlaces(page.sets, reference::NeverComposed(g.snapshot(), options), 0, options.top,
               SetLists::kCompare);
  return page;
}

void ExpectListed(const LedgerGraph& g, const std::vector<NeverComposedSet>& sets,
                  const std::vector<Listed>& want) {
  ASSERT_EQ(sets.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(g.Keys(sets[i].members), want[i].keys) << i;
    EXPECT_NEAR(sets[i].score, want[i].score, 1e-9) << want[i].keys;
  }
}

TEST(NeverComposed, SurfaceOfTheVault) {
  const LedgerGraph g = Vault();
  const std::vector<Listed> all = {
      {"m1 m2", 3.805}, {"m3 m5", 3.075}, {"m4 m5", 2.6625}, {"m2 m3", 2.5}};
  const NeverComposedPage page = AskVault(g);
  ExpectListed(g, page.sets, all);
  EXPECT_EQ(page.pool, 5u);
  EXPECT_FALSE(page.truncated);
  EXPECT_EQ(page.next, "");
  const NeverComposedSet& first = page.sets[0];
  EXPECT_NEAR(first.bridge, 0.94, 1e-9);
  EXPECT_NEAR(first.novelty, 0.416666666667, 1e-9);
  EXPECT_NEAR(first.mean_trust, 0.7, 1e-9);
  EXPECT_NEAR(first.min_trust, 0.6, 1e-9);
  EXPECT_NEAR(first.adjustment, -0.6, 1e-9);
  EXPECT_EQ(first.shared_tags, Strings({"project:vestige"}));
  EXPECT_EQ(first.shared_terms, Strings({"restarts", "payouts", "oracle"}));
  EXPECT_EQ(first.boundary_tags, Strings({"oracle", "pause", "queue", "settlement"}));
  EXPECT_EQ(first.prior_outcomes, Strings({"dead_end", "duplicate_risk", "helpful", "needs_poc"}));
  EXPECT_EQ(first.outcome_signal, "mixed_prior_outcomes");
  EXPECT_EQ(first.types, Strings({"memory", "decision"}));
  EXPECT_EQ(first.question,
            "What changes if a memory memory and a decision memory are composed through oracle, "
            "pause, queue, settlement?");
  EXPECT_TRUE(first.reason.starts_with("Untried bridge across ")) << first.reason;
  double sum = 0;
  for (const ScoreTerm& term : first.terms) sum += term.value * term.weight;
  EXPECT_NEAR(sum, first.score, 1e-12);
  EXPECT_EQ(page.sets[1].shared_terms, Strings({"rounds"}));
  EXPECT_EQ(page.sets[1].boundary_tags, Strings({"accounting"}));
  EXPECT_NEAR(page.sets[1].novelty, 0.666666666667, 1e-9);
  EXPECT_EQ(page.sets[2].shared_terms, Strings({"rotation", "keeper"}));
  EXPECT_EQ(page.sets[2].outcome_signal, "prior_closed_door");
  EXPECT_NEAR(page.sets[3].adjustment, -0.55, 1e-9);

  ExpectListed(g, AskVault(g, {.terms = TermRule::kAscii}).sets, all);
  ExpectListed(g, AskVault(g, {.tags = {"project"}}).sets,
               {{"m1 m2", 3.805}, {"m3 m5", 3.075}, {"m2 m3", 2.5}});
  ExpectListed(g, AskVault(g, {.tags = {"project"}, .match = TagMatch::kBoth}).sets,
               {{"m1 m2", 3.805}, {"m2 m3", 2.5}});
  ExpectListed(g, AskVault(g, {.include_superseded = true}).sets,
               {{"m1 m6", 4.3},
                {"m1 m2", 3.805},
                {"m2 m6", 3.475},
                {"m3 m5", 3.075},
                {"m4 m5", 2.6625},
                {"m2 m3", 2.5}});
}

TEST(NeverComposed, TriplesOfTheVault) {
  const LedgerGraph g = Vault();
  const NeverComposedPage page = AskVault(g, {.arity = 3});
  ExpectListed(g, page.sets,
               {{"m1 m3 m5", 2.8333333333333335},
                {"m1 m2 m3", 2.81},
                {"m2 m3 m5", 2.466666666666667},
                {"m2 m4 m5", 1.9916666666666667},
                {"m1 m2 m4", 1.8516666666666666},
                {"m3 m4 m5", 1.775},
                {"m1 m4 m5", 1.675},
                {"m2 m3 m4", 1.4083333333333334},
                {"m1 m3 m4", 1.2416666666666667}});
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_EQ(page.sets[i].level, i == 8   ? SetLevel::kClosedWedge
                                  : i == 2 ? SetLevel::kOpen
                                           : SetLevel::kPartial);
  ExpectListed(g, AskVault(g, {.arity = 3, .level = SetLevel::kClosedWedge}).sets,
               {{"m1 m3 m4", 1.2416666666666667}});
}

TEST(NeverComposed, AnEventTakesItsPairOut) {
  LedgerGraph g = Vault();
  const Snapshot before = g.snapshot();
  g.Event("c5", 1'700'000'050'000, {{"m1"}, {"m2"}});
  g.Commit();
  ExpectListed(g, AskVault(g).sets, {{"m3 m5", 3.075}, {"m4 m5", 2.6625}, {"m2 m3", 2.375}});
  NeverComposedOptions options;
  options.now_ms = kVaultNow;
  EXPECT_EQ(Ask(before, options).sets.size(), 4u);  // as it was
}

TEST(NeverComposed, SuccessAndClampedOutcomes) {
  LedgerGraph g;
  g.Node("a", kMemory, "ledger rounding one", {"queue", "pause", "x"}, 0.8);
  g.Node("b", kDecision, "ledger rounding two", {"queue", "x", "oracle"}, 0.6);
  g.Node("c", kMemory, "zzz", {});
  g.Event("e", 1, {{"b"}, {"c"}});
  g.Outcome("e", "helpful");
  g.Commit();
  const NeverComposedPage page = AskVault(g);
  ExpectListed(g, page.sets, {{"a b", 5.05}});
  EXPECT_NEAR(page.sets[0].bridge, 0.7875, 1e-9);
  EXPECT_NEAR(page.sets[0].novelty, 0.75, 1e-9);
  EXPECT_NEAR(page.sets[0].mean_trust, 0.7, 1e-9);
  EXPECT_EQ(page.sets[0].outcome_signal, "prior_success");
}

TEST(NeverComposed, WordsAndBoundariesToTheLetter) {
  LedgerGraph g;
  g.Node("p1", kMemory,
         "Retry-loop v2-cache node_42 window orchid planet silver copper bronze; there was the "
         "gate",
         {"Oracle", "boundary-net"}, 0.5);
  g.Node("p2", kMemory,
         "bronze copper silver planet orchid window gate there node_42 v2-cache retry-loop",
         {"oracle", "Boundary-Net", "time"}, 0.7);
  g.Node("f", kMemory, "", {});
  g.Node("h", kMemory, "", {});
  g.Node("w1", kMemory, "", {"a"}, 0.44);
  g.Node("w2", kMemory, "", {"a"}, 0.44);
  g.Node("w3", kMemory, "", {"b"}, 0.46);
  g.Node("w4", kMemory, "", {"b"}, 0.46);
  for (const std::string w : {"w1", "w2", "w3", "w4"})
    for (const std::string other : {"f", "h"}) g.Event(w + other, 1, {{w}, {other}});
  g.Event("s1", 1, {{"p1"}, {"f"}});
  for (const char* type : {"accepted", "helpful", "submitted"}) g.Outcome("s1", type);
  g.Commit();
  const NeverComposedPage page = AskVault(g, {.terms = TermRule::kAscii});
  ExpectListed(g, page.sets, {{"p1 p2", 4.875}, {"w3 w4", 1.61}});
  const NeverComposedSet& first = page.sets[0];
  EXPECT_NEAR(first.bridge, 0.7, 1e-9);
  EXPECT_NEAR(first.novelty, 0.75, 1e-9);
  EXPECT_NEAR(first.mean_trust, 0.6, 1e-9);
  EXPECT_NEAR(first.adjustment, 0.5, 1e-9);
  EXPECT_NEAR(first.anchor, 1.25, 1e-9);
  EXPECT_EQ(first.shared_tags, Strings());
  EXPECT_EQ(first.shared_terms, Strings({"node_42", "retry-loop", "v2-cache", "bronze", "copper",
                                         "orchid", "planet", "silver"}));
  EXPECT_EQ(first.boundary_tags,
            Strings({"Boundary-Net", "Oracle", "boundary-net", "oracle", "time"}));
  EXPECT_EQ(first.outcome_signal, "prior_success");
  EXPECT_EQ(page.sets[1].outcome_signal, "clean");
}

TEST(NeverComposed, EventsOfTheSameTwoAndWithoutATime) {
  LedgerGraph g = Vault();
  g.Event("c0", 1'700'000'005'000, {{"m4"}, {"m1"}, {"m4", "primary"}});
  g.Commit();
  ExpectListed(g, AskVault(g).sets,
               {{"m1 m2", 3.7425}, {"m3 m5", 3.075}, {"m4 m5", 2.625}, {"m2 m3", 2.5}});
}

TEST(NeverComposed, BridgeByHand) {
  LedgerGraph g;
  for (const char* key : {"a", "b", "c", "d", "e", "x"}) g.Node(key, kMemory, "", {}, 0.5);
  g.Link("a", kSupports, "b");
  g.Link("c", kCauses, "b");
  g.Link("c", kRelatesTo, "d");
  g.Link("d", kSupports, "e");
  g.Link("a", kSupersedes, "x");  // no way for the lens
  g.Link("c", kContradicts, "e");
  g.Event("e1", 1, {{"a"}, {"b"}});
  g.Commit();
  const auto got = AskVault(g, {.lens = FrontierLens::kBridge}).sets;
  // Without a-b, which is composed, and a-e, which is four hops away.
  ExpectListed(g, got,
               {{"c d", 6.5},
                {"d e", 6.5},
                {"b c", 6.125},
                {"c e", 5},
                {"a c", 4.625},
                {"b d", 4.625},
                {"a d", 4.125},
                {"b e", 4.125}});
  EXPECT_EQ(g.Keys(got[6].proof), "a b c d");
  EXPECT_EQ(got[6].hops, 3u);
}

TEST(NeverComposed, DivergentByHand) {
  LedgerGraph g;
  for (const char* key : {"a", "b", "c", "d", "e", "z"}) g.Node(key, kMemory, "", {});
  g.Link("a", kSupports, "b");
  g.Link("b", kSupports, "c");
  g.Link("d", kCauses, "e");
  g.Event("e1", 1, {{"b"}, {"d"}});
  g.Commit();
  const auto got = AskVault(g, {.lens = FrontierLens::kDivergent}).sets;
  // a and c have the same neighbours; b and d are composed. z has no neighbour: nothing is
  // measured.
  ASSERT_EQ(got.size(), 10u);
  ExpectListed(g, {got.begin(), got.begin() + 5},
               {{"a d", 7}, {"a e", 7}, {"b e", 7}, {"c d", 7}, {"c e", 7}});
  ExpectListed(g, {got.begin() + 5, got.end()},
               {{"a z", 0}, {"b z", 0}, {"c z", 0}, {"d z", 0}, {"e z", 0}});
  EXPECT_EQ(got[5].hops, 7u);
}

// Without an index of terms the texts' own words are.
TEST(NeverComposed, TextsWithoutAnIndex) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  for (const char* key : {"a", "b"}) {
    const NodeRef node = batch.UpsertNode(key, kMemory);
    batch.SetPayload(node, NodeField::kText, "Settlement of 12345678, 記憶 there");
  }
  ASSERT_TRUE(graph->Apply(batch));
  const NeverComposedPage page = Ask(graph->snapshot(), {});
  ASSERT_EQ(page.sets.size(), 1u);
  EXPECT_EQ(page.sets[0].shared_terms, Strings({"settlement", "記憶"}));
}

TEST(NeverComposed, WrongOptions) {
  const LedgerGraph g = Vault();
  const auto code = [&](NeverComposedOptions options) {
    const auto page = NeverComposed(g.snapshot(), options);
    EXPECT_FALSE(page);
    return page ? ErrorCode::kInternal : page.error().code;
  };
  EXPECT_EQ(code({.arity = 6}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.top = 0}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.lens = FrontierLens::kBridge, .arity = 3}), ErrorCode::kUnsupported);
  EXPECT_EQ(code({.band = CosineBand{}}), ErrorCode::kInvalidArgument);  // no such space
  EXPECT_EQ(code({.structural_fit_weight = NAN}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.cursor = "nonsense"}), ErrorCode::kInvalidArgument);
  const NeverComposedPage page = AskVault(g, {.top = 1});
  ASSERT_NE(page.next, "");
  NeverComposedOptions next{.top = 1, .now_ms = kVaultNow, .cursor = page.next};
  EXPECT_TRUE(NeverComposed(g.snapshot(), next));
  next.tags = {"queue"};
  EXPECT_EQ(code(next), ErrorCode::kInvalidArgument);  // another question
  next.tags = {};
  next.now_ms += 1;
  EXPECT_EQ(code(next), ErrorCode::kInvalidArgument);  // another time
  LedgerGraph later = Vault();
  later.Event("c9", 1, {{"m1"}});
  later.Commit();
  next.now_ms = kVaultNow;
  EXPECT_FALSE(NeverComposed(later.snapshot(), next));
  // A score that is no number: 7ff8... are the bits of one.
  std::string edited = page.next;
  std::size_t score = 0;
  for (int dot = 0; dot < 4; ++dot) score = edited.find('.', score) + 1;
  edited.replace(score, edited.find('.', score) - score, "7ff8000000000000");
  next.cursor = edited;
  EXPECT_EQ(code(next), ErrorCode::kInvalidArgument);
  EXPECT_EQ(TimeOfCursor(page.next), kVaultNow);
  EXPECT_EQ(TimeOfCursor("1.2.x"), std::nullopt);
}

// --- random ledgers

NeverComposedOptions RandomOptions(std::mt19937_64& random) {
  NeverComposedOptions options;
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  options.now_ms = kLedgerNow;
  const int arities[] = {2, 2, 2, 3, 3, 4, 5};
  options.arity = arities[below(7)];
  options.include_superseded = below(4) == 0;
  if (below(3) == 0) options.tags = {"project", "queue"};
  if (below(2) == 0) options.match = TagMatch::kBoth;
  if (below(3) == 0) options.terms = TermRule::kAscii;
  if (below(3) == 0) options.trust = TrustRule::kWeakest;
  if (below(4) == 0) options.band = CosineBand{"default", 0.45, 0.85, below(2) ? 50'000u : 6u};
  if (below(5) == 0) options.level = static_cast<SetLevel>(below(3));
  if (below(4) == 0) {
    options.structural_fit = true;
    options.structural_fit_weight = below(3) - 1;
    if (below(2)) options.min_structural_fit = 0.3;
    if (below(3) == 0) options.kinds = {kSupports, kLink};
  }
  return options;
}

// The list in pages of `top`.
std::vector<NeverComposedSet> Paged(const Snapshot& snapshot, NeverComposedOptions options) {
  std::vector<NeverComposedSet> sets;
  for (int pages = 0; pages < 10'000; ++pages) {
    NeverComposedPage page = Ask(snapshot, options);
    for (NeverComposedSet& set : page.sets) sets.push_back(std::move(set));
    if (page.next.empty()) break;
    options.cursor = page.next;
  }
  return sets;
}

TEST(NeverComposed, EqualsTheReferenceOnRandomLedgers) {
  const auto two = MakeTbbExecutor(2);
  int listed = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    std::mt19937_64 random(seed);
    GraphOptions graph_options;
    graph_options.maintenance = Maintenance::kManual;
    auto graph = Graph::InMemory(graph_options);
    RandomLedgerOptions shape;
    shape.facts = seed % 3 == 0 ? 24 : 12;
    for (const WriteBatch& batch : RandomLedger(seed, shape)) {
      const auto applied = graph->Apply(batch);
      ASSERT_TRUE(applied) << applied.error().ToString();
      if (random() % 3 == 0) {
        ASSERT_TRUE(graph->Compact());
      }
    }
    const Snapshot snapshot = graph->snapshot();
    for (int question = 0; question < 3; ++question) {
      NeverComposedOptions options = RandomOptions(random);
      if (shape.facts > 12) options.arity = std::min(options.arity, 4);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", question " + std::to_string(question) +
                   ", arity " + std::to_string(options.arity));
      options.run.executor = random() % 2 ? &SerialExecutor() : two.get();
      options.top = kMaxNeverComposedTop;
      const auto want = reference::NeverComposed(snapshot, options);
      if (want.size() > kMaxNeverComposedTop) continue;
      const auto sets = Ask(snapshot, options).sets;
      ExpectPlaces(sets, want, 0, options.top, SetLists::kCompare);
      for (const NeverComposedSet& set : sets) {
        ExpectPriorEvents(snapshot, set);
        EXPECT_FALSE(set.reason.empty() || set.question.empty());
      }
      listed += static_cast<int>(want.size());
      options.top = 1 + random() % 7;
      ExpectPlaces(Ask(snapshot, options).sets, want, 0, options.top, SetLists::kCompare);
      options.top = std::max<std::size_t>(options.top, want.size() / 6);
      ExpectPlaces(Paged(snapshot, options), want, 0, want.size(), SetLists::kCompare);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(listed, 4'000);
}

// Few carry the wanted tags: only what can be among their best pairs is made a pool of.
TEST(NeverComposed, OfTagsThatFewCarry) {
  const auto two = MakeTbbExecutor(2);
  int narrower = 0, listed = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random(seed);
    GraphOptions graph_options;
    graph_options.maintenance = Maintenance::kManual;
    auto graph = Graph::InMemory(graph_options);
    const RandomLedgerOptions shape{.facts = 120, .events = 30, .edges = 60};
    for (const WriteBatch& batch : RandomLedger(seed, shape)) ASSERT_TRUE(graph->Apply(batch));
    if (seed % 2) {
      ASSERT_TRUE(graph->Compact());
    }
    WriteBatch tagged(kLedgerNow);
    for (std::uint64_t i = 0; i <= seed % 4; ++i)
      tagged.Link(tagged.UpsertNode("m" + std::to_string(random() % shape.facts), kMemory), kHasTag,
                  tagged.IndexNode(kTag, "seldom"));
    ASSERT_TRUE(graph->Apply(tagged));
    if (seed % 4 == 1) {
      ASSERT_TRUE(graph->Compact());
    }
    const Snapshot snapshot = graph->snapshot();
    SCOPED_TRACE("seed " + std::to_string(seed));
    NeverComposedOptions options{.lens = FrontierLens::kSurface, .now_ms = kLedgerNow};
    options.tags = {"seldom"};
    options.include_superseded = seed % 3 == 0;
    if (seed % 5 == 0) options.trust = TrustRule::kWeakest;
    options.run.executor = seed % 2 ? &SerialExecutor() : two.get();
    options.top = kMaxNeverComposedTop;
    const auto want = reference::NeverComposed(snapshot, options);
    listed += static_cast<int>(want.size());
    for (const std::size_t top : {std::size_t{1}, std::size_t{5}, kMaxNeverComposedTop}) {
      options.top = top;
      const NeverComposedPage page = Ask(snapshot, options);
      ExpectPlaces(page.sets, want, 0, top, SetLists::kCompare);
      NeverComposedOptions of_all = options;  // Fit is never made of a part.
      of_all.min_structural_fit = -0.5;
      const NeverComposedPage all = Ask(snapshot, of_all);
      EXPECT_EQ(page.pool, all.pool);
      narrower += page.scored < all.scored;
    }
    options.top = 7;
    ExpectPlaces(Paged(snapshot, options), want, 0, want.size(), SetLists::kCompare);
    if (HasFailure()) return;
  }
  EXPECT_GT(listed, 2'000);
  EXPECT_GT(narrower, 20);
}

}  // namespace
}  // namespace plexus::testing
