// The reference of the frontier gives the published numbers: a right ruler for the lenses.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/reference/never_composed.h"
#include "tests/support/vault_graph.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

using Strings = std::vector<std::string>;

struct Row {
  std::string keys;
  double score;
  bool operator==(const Row&) const = default;
};

std::vector<NeverComposedSet> Mine(const LedgerGraph& g, NeverComposedOptions options = {}) {
  options.now_ms = kVaultNow;
  return reference::NeverComposed(g.snapshot(), options);
}

void ExpectRows(const LedgerGraph& g, const std::vector<NeverComposedSet>& got,
                const std::vector<Row>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(g.Keys(got[i].members), want[i].keys) << i;
    EXPECT_NEAR(got[i].score, want[i].score, 1e-9) << want[i].keys;
  }
}

TEST(NeverComposedReference, SurfaceOfTheVault) {
  const LedgerGraph g = Vault();
  const auto got = Mine(g);
  ExpectRows(g, got, {{"m1 m2", 3.805}, {"m3 m5", 3.075}, {"m4 m5", 2.6625}, {"m2 m3", 2.5}});
  const NeverComposedSet& first = got[0];
  EXPECT_NEAR(first.bridge, 0.94, 1e-9);
  EXPECT_NEAR(first.novelty, 0.416666666667, 1e-9);
  EXPECT_NEAR(first.mean_trust, 0.7, 1e-9);
  EXPECT_NEAR(first.min_trust, 0.6, 1e-9);
  EXPECT_NEAR(first.adjustment, -0.6, 1e-9);
  EXPECT_EQ(first.shared_tags, Strings({"project:vestige"}));
  EXPECT_EQ(first.shared_terms, Strings({"restarts", "payouts", "oracle"}));
  EXPECT_EQ(first.boundary_tags, Strings({"oracle", "pause", "queue", "settlement"}));
  EXPECT_EQ(first.outcome_signal, "mixed_prior_outcomes");
  EXPECT_EQ(first.prior_outcomes, Strings({"dead_end", "duplicate_risk", "helpful", "needs_poc"}));
  EXPECT_EQ(got[1].shared_terms, Strings({"rounds"}));
  EXPECT_EQ(got[1].boundary_tags, Strings({"accounting"}));
  EXPECT_NEAR(got[1].novelty, 0.666666666667, 1e-9);
  EXPECT_EQ(got[2].shared_terms, Strings({"rotation", "keeper"}));
  EXPECT_EQ(got[2].outcome_signal, "prior_closed_door");
  EXPECT_NEAR(got[3].adjustment, -0.55, 1e-9);

  ExpectRows(g, Mine(g, {.terms = TermRule::kAscii}),
             {{"m1 m2", 3.805}, {"m3 m5", 3.075}, {"m4 m5", 2.6625}, {"m2 m3", 2.5}});
  ExpectRows(g, Mine(g, {.tags = {"project"}}),
             {{"m1 m2", 3.805}, {"m3 m5", 3.075}, {"m2 m3", 2.5}});
  ExpectRows(g, Mine(g, {.tags = {"project"}, .match = TagMatch::kBoth}),
             {{"m1 m2", 3.805}, {"m2 m3", 2.5}});
}

TEST(NeverComposedReference, SupersededOnesByTheTimeTestAlone) {
  const LedgerGraph g = Vault();
  ExpectRows(g, Mine(g, {.include_superseded = true}),
             {{"m1 m6", 4.3},
              {"m1 m2", 3.805},
              {"m2 m6", 3.475},
              {"m3 m5", 3.075},
              {"m4 m5", 2.6625},
              {"m2 m3", 2.5}});
}

TEST(NeverComposedReference, AnEventTakesItsPairAway) {
  LedgerGraph g = Vault();
  g.Event("c5", kVaultNow, {{"m1"}, {"m2"}});
  g.Commit();
  ExpectRows(g, Mine(g), {{"m3 m5", 3.075}, {"m4 m5", 2.6625}, {"m2 m3", 2.375}});
}

TEST(NeverComposedReference, TriplesOfTheVault) {
  const LedgerGraph g = Vault();
  const auto got = Mine(g, {.arity = 3});
  ExpectRows(g, got,
             {{"m1 m3 m5", 2.8333333333333},
              {"m1 m2 m3", 2.81},
              {"m2 m3 m5", 2.4666666666667},
              {"m2 m4 m5", 1.9916666666667},
              {"m1 m2 m4", 1.8516666666667},
              {"m3 m4 m5", 1.775},
              {"m1 m4 m5", 1.675},
              {"m2 m3 m4", 1.4083333333333},
              {"m1 m3 m4", 1.2416666666667}});
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i].level, i == 8   ? SetLevel::kClosedWedge
                            : i == 2 ? SetLevel::kOpen
                                     : SetLevel::kPartial);
  ExpectRows(g, Mine(g, {.arity = 3, .level = SetLevel::kClosedWedge}),
             {{"m1 m3 m4", 1.2416666666667}});
}

TEST(NeverComposedReference, TheWorkedExample) {
  LedgerGraph g;
  g.Node("a", kMemory, "ledger rounding one", {"queue", "pause", "x"}, 0.8);
  g.Node("b", kDecision, "ledger rounding two", {"queue", "x", "oracle"}, 0.6);
  g.Node("c", kMemory, "zzz", {});
  g.Event("e", 1, {{"b"}, {"c"}});
  g.Outcome("e", "helpful");
  g.Commit();
  const auto got = Mine(g);
  ExpectRows(g, got, {{"a b", 5.05}});
  EXPECT_NEAR(got[0].bridge, 0.7875, 1e-9);
  EXPECT_NEAR(got[0].novelty, 0.75, 1e-9);
  EXPECT_NEAR(got[0].mean_trust, 0.7, 1e-9);
  EXPECT_EQ(got[0].outcome_signal, "prior_success");
}

TEST(NeverComposedReference, AnEarlierEventOfThree) {
  LedgerGraph g = Vault();
  g.Event("c0", 1'700'000'005'000, {{"m4"}, {"m1"}, {"m4", "primary"}});
  g.Commit();
  ExpectRows(g, Mine(g), {{"m1 m2", 3.7425}, {"m3 m5", 3.075}, {"m4 m5", 2.625}, {"m2 m3", 2.5}});
}

TEST(NeverComposedReference, TermsToTheLetter) {
  LedgerGraph g;
  g.Node(
      "p1", kMemory,
      "Retry-loop v2-cache node_42 window orchid planet silver copper bronze; there was the gate",
      {"Oracle", "boundary-net"}, 0.5);
  g.Node("p2", kMemory,
         "bronze copper silver planet orchid window gate there node_42 v2-cache retry-loop",
         {"oracle", "Boundary-Net", "time"}, 0.7);
  for (const char* key : {"f", "h"}) g.Node(key, kMemory, "", {});
  for (const char* key : {"w1", "w2"}) g.Node(key, kMemory, "", {"a"}, 0.44);
  for (const char* key : {"w3", "w4"}) g.Node(key, kMemory, "", {"b"}, 0.46);
  for (const char* w : {"w1", "w2", "w3", "w4"})
    for (const char* other : {"f", "h"}) g.Event(std::string(w) + other, 1, {{w}, {other}});
  g.Event("s1", 1, {{"p1"}, {"f"}});
  for (const char* type : {"accepted", "helpful", "submitted"}) g.Outcome("s1", type);
  g.Commit();
  const auto got = Mine(g, {.terms = TermRule::kAscii});
  ExpectRows(g, got, {{"p1 p2", 4.875}, {"w3 w4", 1.61}});
  const NeverComposedSet& first = got[0];
  EXPECT_NEAR(first.bridge, 0.7, 1e-9);
  EXPECT_NEAR(first.novelty, 0.75, 1e-9);
  EXPECT_NEAR(first.mean_trust, 0.6, 1e-9);
  EXPECT_NEAR(first.adjustment, 0.5, 1e-9);
  EXPECT_NEAR(first.anchor, 1.25, 1e-9);
  EXPECT_TRUE(first.shared_tags.empty());
  EXPECT_EQ(first.shared_terms, Strings({"node_42", "retry-loop", "v2-cache", "bronze", "copper",
                                         "orchid", "planet", "silver"}));
  EXPECT_EQ(first.boundary_tags,
            Strings({"Boundary-Net", "Oracle", "boundary-net", "oracle", "time"}));
  EXPECT_EQ(first.outcome_signal, "prior_success");
  EXPECT_EQ(got[1].outcome_signal, "clean");
}

TEST(NeverComposedReference, BridgeByHand) {
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
  const auto got = Mine(g, {.lens = FrontierLens::kBridge});
  // Without a-b, which is composed, and a-e, which is four hops away.
  ExpectRows(g, got,
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

TEST(NeverComposedReference, DivergentByHand) {
  LedgerGraph g;
  for (const char* key : {"a", "b", "c", "d", "e", "z"}) g.Node(key, kMemory, "", {});
  g.Link("a", kSupports, "b");
  g.Link("b", kSupports, "c");
  g.Link("d", kCauses, "e");
  g.Event("e1", 1, {{"b"}, {"d"}});
  g.Commit();
  const auto got = Mine(g, {.lens = FrontierLens::kDivergent});
  // a and c have the same neighbours; b and d are composed. z has no neighbour: nothing is
  // measured.
  ASSERT_EQ(got.size(), 10u);
  ExpectRows(g, {got.begin(), got.begin() + 5},
             {{"a d", 7}, {"a e", 7}, {"b e", 7}, {"c d", 7}, {"c e", 7}});
  ExpectRows(g, {got.begin() + 5, got.end()},
             {{"a z", 0}, {"b z", 0}, {"c z", 0}, {"d z", 0}, {"e z", 0}});
  EXPECT_EQ(got[5].hops, 7u);
}

}  // namespace
}  // namespace plexus::testing
