// Conflicts: the queue, verdicts in one batch, candidates, near-duplicates; against what a look at
// every pair finds.
#include "algorithms/memory/conflicts/conflicts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/memory/conflicts/internal/text_evidence.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/retrieval/terms.h"
#include "engine/graph.h"
#include "engine/properties/properties.h"
#include "tests/reference/conflicts.h"
#include "tests/reference/decisions.h"
#include "tests/support/apply_to.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
using namespace retrieval;
namespace {

using Pairs = std::set<std::pair<NodeId, NodeId>>;

Pairs PairsOf(const Snapshot& s, std::int64_t now) {
  Pairs pairs;
  const auto conflicts = OpenConflicts(s, {.now_ms = now}).value().conflicts;
  for (const Conflict& c : conflicts) pairs.emplace(c.a, c.b);
  return pairs;
}

// MEMORY.md's input K.
class Typed : public ::testing::Test {
 protected:
  void SetUp() override {
    graph_ = Graph::InMemory();
    WriteBatch b(1000);
    const auto memory = [&](const char* key, const char* text, const char* tag) {
      const NodeRef node = b.UpsertNode(key, kMemory);
      b.SetPayload(node, NodeField::kText, text);
      b.Link(node, kHasTag, b.IndexNode(kTag, tag));
      return node;
    };
    const NodeRef k1 = memory("k1", "Gateway remembers keys for 24 hours", "gateway");
    const NodeRef k2 = memory("k2", "Gateway remembers keys for 48 hours", "gateway");
    memory("k3", "Measured: gateway remembers keys for 36 hours", "gateway");
    const NodeRef o1 = memory("o1", "Incident of third March", "incident");
    b.Link(k1, kContradicts, k2, 0.8f);
    b.Link(o1, kSupports, k1, 0.7f);
    b.Link(k1, kCauses, o1, 0.5f);
    Apply(b);
    IndexTermsOptions terms;
    terms.terms = TermOptions::Recommended();
    ASSERT_TRUE(IndexTerms(graph_->snapshot(), terms, ApplyTo(*graph_)));
  }
  void Apply(const WriteBatch& b) {
    const auto applied = graph_->Apply(b);
    ASSERT_TRUE(applied) << applied.error().ToString();
  }
  void Link(const char* a, EdgeKindId kind, const char* b) {
    WriteBatch batch(2000);
    batch.Link(batch.Node(a), kind, batch.Node(b));
    Apply(batch);
  }
  NodeId Id(const char* key) const { return *graph_->snapshot().Find(key); }
  Verdict Judge(const char* a, const char* b, VerdictKind kind, const char* goes = nullptr) const {
    return {Id(a), Id(b), kind, goes ? Id(goes) : kNoNode, ""};
  }
  std::string ErrorOf(const std::vector<Verdict>& verdicts) const {
    const auto r = Resolve(graph_->snapshot(), verdicts, {.now_ms = 3000});
    return r ? "" : std::string(ErrorCodeName(r.error().code)) + ": " + r.error().message;
  }
  std::unique_ptr<Graph> graph_;
};

TEST_F(Typed, R2TheQueue) {
  const auto open = OpenConflicts(graph_->snapshot(), {.now_ms = 3000}).value().conflicts;
  EXPECT_EQ(open, (std::vector<Conflict>{{Id("k1"), Id("k2"), 1000, 1}}));
  EXPECT_EQ(OpenConflicts(graph_->snapshot(), {.now_ms = 3000, .of = Id("k2")}).value().conflicts,
            open);
  EXPECT_TRUE(OpenConflicts(graph_->snapshot(), {.now_ms = 3000, .of = Id("o1")})
                  .value()
                  .conflicts.empty());
  Link("k3", kSupersedes, "k2");
  EXPECT_TRUE(PairsOf(graph_->snapshot(), 3000).empty());
  EXPECT_EQ(*SupersededBy(graph_->snapshot(), Id("k2"), 3000).value(), Id("k3"));
}

TEST_F(Typed, R3KeepBoth) {
  const Snapshot before = graph_->snapshot();
  Verdict verdict = Judge("k1", "k2", VerdictKind::kKeepBoth);
  verdict.note = "both were measured";
  const Verdict verdicts[] = {verdict};
  const ResolveResult r = Resolve(before, verdicts, {.now_ms = 3000}).value();
  EXPECT_EQ(PairsOf(graph_->snapshot(), 3000).size(), 1u);  // nothing happens by itself
  Apply(r.batch);
  const Snapshot s = graph_->snapshot();
  EXPECT_EQ(s.sequence(), before.sequence() + 1);
  EXPECT_TRUE(PairsOf(s, 3000).empty());
  EXPECT_EQ(PairsOf(before, 3000).size(), 1u);
  EXPECT_TRUE(VisibleNodes(s, 3000).value()->contains(Id("k1")));
  EXPECT_TRUE(VisibleNodes(s, 3000).value()->contains(Id("k2")));
  const auto edge = s.FindEdge(Id("k1"), kContradicts, Id("k2"));
  ASSERT_TRUE(edge);
  EXPECT_EQ(edge->valid_until, 3000);
  EXPECT_FLOAT_EQ(edge->weight, 0.8f);
  const PropertyMap map = PropertyMap::Read(s.Payload(edge->properties).value()).value();
  EXPECT_EQ(map.root().Find("resolution")->AsString(), "keep_both");
  EXPECT_EQ(map.root().Find("note")->AsString(), "both were measured");
  EXPECT_EQ(map.root().Find("resolved_at")->AsInt(), 3000);
  // Judged again to contradict: the conflict is open again.
  const Verdict again[] = {Judge("k1", "k2", VerdictKind::kContradicts)};
  Apply(Resolve(s, again, {.now_ms = 4000}).value().batch);
  const Snapshot opened = graph_->snapshot();
  EXPECT_EQ(PairsOf(opened, 4000).size(), 1u);
  const auto held = opened.FindEdge(Id("k1"), kContradicts, Id("k2"));
  const PropertyMap kept = PropertyMap::Read(opened.Payload(held->properties).value()).value();
  EXPECT_FALSE(kept.root().Find("resolution"));
  EXPECT_FALSE(kept.root().Find("resolved_at"));
  EXPECT_EQ(kept.root().Find("note")->AsString(), "both were measured");
}

TEST_F(Typed, R3SupersedeAndDrop) {
  const Snapshot before = graph_->snapshot();
  const Verdict supersede[] = {Judge("k1", "k2", VerdictKind::kSupersede, "k1")};
  const Verdict drop[] = {Judge("k1", "k2", VerdictKind::kDrop, "k2")};
  const ResolveResult dropped = Resolve(before, drop, {.now_ms = 3000}).value();
  Apply(Resolve(before, supersede, {.now_ms = 3000}).value().batch);
  const Snapshot s = graph_->snapshot();
  EXPECT_TRUE(s.FindEdge(Id("k2"), kSupersedes, Id("k1")));
  EXPECT_TRUE(PairsOf(s, 3000).empty());
  EXPECT_NE(ErrorOf({drop[0]}).find("not_found: verdict 1: no open conflict between 'k1' and 'k2'"),
            std::string::npos);
  WriteBatch back(3500);
  back.Unlink(back.Node("k2"), kSupersedes, back.Node("k1"));
  Apply(back);
  Apply(dropped.batch);
  EXPECT_FALSE(graph_->snapshot().alive(Id("k2")));
}

TEST_F(Typed, ABatchOfAnOlderStateIsRefused) {
  const Verdict keep[] = {Judge("k1", "k2", VerdictKind::kKeepBoth)};
  const ResolveResult r = Resolve(graph_->snapshot(), keep, {.now_ms = 3000}).value();
  WriteBatch faster(2500);
  faster.RemoveNode(faster.Node("k2"));
  Apply(faster);
  const auto applied = graph_->Apply(r.batch);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, ErrorCode::kConflict);
}

TEST_F(Typed, VerdictsThatCannotBe) {
  EXPECT_NE(ErrorOf({Judge("k1", "k1", VerdictKind::kContradicts)}).find("contradict itself"),
            std::string::npos);
  EXPECT_NE(ErrorOf({Judge("k1", "k2", VerdictKind::kSupersede, "o1")}).find("names neither"),
            std::string::npos);
  EXPECT_NE(ErrorOf({Judge("k1", "o1", VerdictKind::kKeepBoth)}).find("no open conflict"),
            std::string::npos);
  EXPECT_NE(ErrorOf({Judge("k1", "k2", VerdictKind::kKeepBoth),
                     Judge("k2", "k1", VerdictKind::kDrop, "k1")})
                .find("verdict 2: 'k2' and 'k1' are judged twice"),
            std::string::npos);
  EXPECT_NE(ErrorOf({Judge("k1", "k2", VerdictKind::kDrop, "k2"),
                     Judge("k2", "o1", VerdictKind::kAgrees)})
                .find("verdict 2: 'k2' is dropped by verdict 1"),
            std::string::npos);
  const Verdict tag[] = {{Id("k1"), *graph_->snapshot().Find(IndexKey("tag", "gateway")),
                          VerdictKind::kAgrees, kNoNode, ""}};
  EXPECT_NE(ErrorOf({tag[0]}).find("index node"), std::string::npos);
  const Verdict gone = Judge("k1", "k2", VerdictKind::kDrop, "k2");
  WriteBatch purge(2000);
  purge.PurgeNode(purge.Node("k2"));
  Apply(purge);
  EXPECT_EQ(ErrorOf({gone}), "not_found: verdict 1: 'k2' was purged");
}

TEST_F(Typed, VerdictsInACycleAreRefused) {
  Link("k2", kContradicts, "k3");
  Link("k3", kContradicts, "k1");
  EXPECT_NE(ErrorOf({Judge("k1", "k2", VerdictKind::kSupersede, "k1"),
                     Judge("k2", "k3", VerdictKind::kSupersede, "k2"),
                     Judge("k3", "k1", VerdictKind::kSupersede, "k3")})
                .find("in a cycle"),
            std::string::npos);
  EXPECT_EQ(ErrorOf({Judge("k1", "k2", VerdictKind::kSupersede, "k1"),
                     Judge("k2", "k3", VerdictKind::kSupersede, "k2"),
                     Judge("k3", "k1", VerdictKind::kSupersede, "k1")}),
            "");
}

TEST_F(Typed, JudgementsOfAnyPair) {
  const std::vector<Verdict> verdicts = {
      Judge("k3", "k1", VerdictKind::kRefines), Judge("k3", "o1", VerdictKind::kUnrelated),
      Judge("k3", "k2", VerdictKind::kContradicts), Judge("k2", "k1", VerdictKind::kAgrees)};
  const ResolveResult r =
      Resolve(graph_->snapshot(), verdicts, {.now_ms = 3000, .created_by = "me"}).value();
  EXPECT_EQ(r.linked, 3u);
  EXPECT_EQ(r.ended, 1u);
  Apply(r.batch);
  const Snapshot s = graph_->snapshot();
  EXPECT_EQ(PairsOf(s, 3000), (Pairs{{Id("k2"), Id("k3")}}));
  const auto refines = s.FindEdge(Id("k3"), kRefines, Id("k1"));
  ASSERT_TRUE(refines);
  EXPECT_EQ(s.string(refines->created_by), "me");
  EXPECT_TRUE(s.FindEdge(Id("k2"), kSupports, Id("k1")));
}

TEST_F(Typed, R4Candidates) {
  const Snapshot s = graph_->snapshot();
  const auto r = ConflictCandidates(s, Id("k3"), {.now_ms = 3000}).value();
  ASSERT_EQ(r.candidates.size(), 2u);
  EXPECT_EQ(r.candidates[0].node, Id("k1"));
  EXPECT_EQ(r.candidates[1].node, Id("k2"));
  for (const ConflictCandidate& c : r.candidates) {
    EXPECT_NEAR(c.overlap, 4.551196133, 1e-9);
    EXPECT_EQ(c.shared_tags.size(), 1u);
    ASSERT_EQ(c.evidence.size(), 1u);
    EXPECT_EQ(c.evidence[0].kind, ConflictEvidence::kNumbers);
    EXPECT_EQ(c.evidence[0].a, (std::vector<std::string>{"36"}));
  }
  EXPECT_EQ(graph_->snapshot().sequence(), s.sequence());
  // What was judged is left out, unless it is asked for.
  EXPECT_EQ(ConflictCandidates(s, Id("k1"), {.now_ms = 3000}).value().candidates.size(), 1u);
  EXPECT_EQ(ConflictCandidates(s, Id("k1"), {.now_ms = 3000, .include_judged = true})
                .value()
                .candidates.size(),
            2u);
  EXPECT_EQ(ConflictCandidates(s, 999, {}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ConflictCandidates(s, Id("k3"), {.top = 0}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ConflictCandidates(s, *s.Find(IndexKey("tag", "gateway")), {}).error().code,
            ErrorCode::kInvalidArgument);
}

TEST_F(Typed, R4NearDuplicates) {
  EXPECT_TRUE(NearDuplicates(graph_->snapshot(), {.now_ms = 3000}).value().pairs.empty());
  Link("k3", kSupersedes, "k2");
  const auto r = NearDuplicates(graph_->snapshot(), {.now_ms = 3000}).value();
  ASSERT_EQ(r.pairs.size(), 1u);
  EXPECT_EQ(r.pairs[0].visible, Id("k1"));
  EXPECT_EQ(r.pairs[0].superseded, Id("k2"));
  EXPECT_EQ(r.pairs[0].superseded_by, Id("k3"));
  EXPECT_FALSE(NearDuplicates(graph_->snapshot(), {.min_jaccard = 0}));
  EXPECT_FALSE(NearDuplicates(graph_->snapshot(), {.min_jaccard = 2}));
}

// A tag that all have is not followed: what is read is counted by the budget.
TEST(Conflicts, NearDuplicatesReadRareWordsOnly) {
  CaseGraph g;
  constexpr std::size_t kMemories = 3000;
  g.AddNodes(kMemories);
  g.AddNodes(8, kTag);
  for (std::size_t i = 0; i < kMemories; ++i) g.Link(i, kHasTag, kMemories);
  for (std::size_t tag = 1; tag < 8; ++tag)
    for (const std::size_t i : {std::size_t{5}, std::size_t{9}})
      g.Link(i, kHasTag, kMemories + tag);
  g.Link(7, kSupersedes, 5);
  g.Commit();
  g.Compact();  // what is rare is judged by the base
  NearDuplicatesOptions options;
  options.of = 5;
  options.run.budget.edges = 200;
  const auto near = NearDuplicates(g.snapshot(), options).value();
  EXPECT_FALSE(near.truncated);
  ASSERT_EQ(near.pairs.size(), 1u);
  EXPECT_EQ(near.pairs[0].visible, 9u);
  EXPECT_EQ(near.pairs[0].shared, 8u);
  options.run.budget.edges = 5;
  EXPECT_TRUE(NearDuplicates(g.snapshot(), options).value().truncated);
}

TEST(Conflicts, VectorsAndOutcomesMakeCandidates) {
  CaseGraph g;
  g.AddNodes(4, kDecision);
  g.SetVector(0, "default", {1, 0});
  g.SetVector(1, "default", {0.9f, 0.1f});
  g.SetVector(2, "default", {0, 1});
  g.SetString(0, kDecisionOutcome, "success");
  g.SetString(1, kDecisionOutcome, "failure");
  g.Commit();
  const auto r = ConflictCandidates(g.snapshot(), 0, {}).value();
  ASSERT_EQ(r.candidates.size(), 1u);
  EXPECT_EQ(r.candidates[0].node, 1u);
  EXPECT_GT(*r.candidates[0].cosine, 0.99);
  ASSERT_EQ(r.candidates[0].evidence.size(), 1u);
  EXPECT_EQ(r.candidates[0].evidence[0].kind, ConflictEvidence::kOutcomes);
  EXPECT_TRUE(r.without_terms);
  EXPECT_TRUE(ConflictCandidates(g.snapshot(), 0, {.min_cosine = 1.5}).value().candidates.empty());
  g.Link(3, kSupersedes, 0);
  g.Commit();
  const auto near = NearDuplicates(g.snapshot(), {}).value();
  ASSERT_EQ(near.pairs.size(), 1u);
  EXPECT_EQ(near.pairs[0].visible, 1u);
}

TEST(Conflicts, WhatTextsState) {
  using memory::internal::NegationsIn;
  using memory::internal::NumbersIn;
  using Words = std::vector<std::string>;
  EXPECT_EQ(NumbersIn("24 hours, 1,000 keys, 3.5 and 24; v2 2nd 10,5"),
            (Words{"10,5", "1000", "24", "3.5"}));
  EXPECT_EQ(NumbersIn(""), Words{});
  EXPECT_EQ(NumbersIn("7"), (Words{"7"}));
  EXPECT_EQ(NegationsIn("It NEVER does, and can't; nothing not known"),
            (Words{"can't", "never", "not"}));
}

bool Replaced(const Snapshot& s, NodeId newer, NodeId older, std::int64_t now) {
  const auto steps = WalkSupersession(s, older, now).value().newer;
  return std::ranges::find(steps, newer, &SupersessionStep::newer) != steps.end();
}

// b and c both replace a, c last: b says nearly what a said because it took its place.
TEST_F(Typed, WhatReplacedAMemoryIsNoDuplicateOfIt) {
  Link("k1", kSupersedes, "k2");
  Link("k3", kSupersedes, "k2");
  const Snapshot s = graph_->snapshot();
  EXPECT_TRUE(NearDuplicates(s, {.now_ms = 3000}).value().pairs.empty());
  const NodeId all[] = {Id("k1"), Id("k2"), Id("k3")};
  EXPECT_TRUE(NearSuperseded(s, all, VisibleIn(s, 3000, nullptr).value()).value().pairs.empty());
}

// A scope that holds a memory and what repeats it, and not what replaced it, is not told its key.
TEST_F(Typed, AReplacementOutsideOfTheSubsetIsNotNamed) {
  Link("k3", kSupersedes, "k2");
  const Snapshot s = graph_->snapshot();
  const NodeId two[] = {Id("k1"), Id("k2")};
  const NodeSubset inside = NodeSubset::Of(s, two).value();
  for (const auto& pairs :
       {NearDuplicates(s, {.now_ms = 3000, .subset = &inside}).value().pairs,
        NearSuperseded(s, two, VisibleIn(s, 3000, &inside).value()).value().pairs}) {
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_EQ(pairs[0].superseded_by, kNoNode);
  }
}

// What somebody gives as the reason is stored, or refused: never taken and thrown away.
TEST_F(Typed, NotesAndNamesAreStoredOrRefused) {
  const Snapshot s = graph_->snapshot();
  const auto resolve = [&](VerdictKind kind, const char* a, const char* b, const char* note,
                           const char* by) {
    return Resolve(s, std::vector<Verdict>{{Id(a), Id(b), kind, Id(a), note}},
                   {.now_ms = 3000, .created_by = by});
  };
  const auto made = resolve(VerdictKind::kSupersede, "k1", "k2", "measured", "ann").value();
  const Snapshot after = Preview(s, made.batch).value().snapshot;
  const auto edge = after.FindEdge(Id("k2"), kSupersedes, Id("k1"), StringId{0});
  ASSERT_TRUE(edge && edge->properties);
  EXPECT_NE(after.Payload(edge->properties).value().find("measured"), std::string::npos);
  const auto kept = resolve(VerdictKind::kKeepBoth, "k1", "k2", "both", "ann").value();
  const Snapshot then = Preview(s, kept.batch).value().snapshot;
  const auto ended = then.FindEdge(Id("k1"), kContradicts, Id("k2"), StringId{0});
  ASSERT_TRUE(ended && ended->properties);
  const std::string stored = then.Payload(ended->properties).value();
  EXPECT_NE(stored.find("both"), std::string::npos);
  EXPECT_NE(stored.find("ann"), std::string::npos);
  for (const auto& [note, by] : {std::pair{"gone", ""}, std::pair{"", "ann"}}) {
    EXPECT_EQ(resolve(VerdictKind::kDrop, "k1", "k2", note, by).error().code,
              ErrorCode::kInvalidArgument);
    EXPECT_EQ(resolve(VerdictKind::kContradicts, "k1", "k2", note, by).error().code,
              ErrorCode::kInvalidArgument);
    EXPECT_EQ(resolve(VerdictKind::kUnrelated, "k1", "k3", note, by).error().code,
              ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(resolve(VerdictKind::kDrop, "k1", "k2", "", ""));
}

// Tags shared by many, supersession, times, removals: every shape against every pair.
TEST(Conflicts, EqualTheirReferences) {
  constexpr std::size_t kFacts = 16, kTags = 6;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Case c{"conflicts", 3, [seed](CaseGraph& g, int step) {
                   std::mt19937_64 random(seed * 77 + static_cast<std::uint64_t>(step));
                   if (step == 0) {
                     g.AddNodes(kFacts);
                     g.AddNodes(kTags, kTag);
                   }
                   for (int i = 0; i < 12; ++i) {
                     const std::size_t a = random() % kFacts, b = random() % kFacts;
                     if (!g.alive(a)) continue;
                     g.Link(a, kHasTag, kFacts + random() % kTags);
                     if (a == b || !g.alive(b)) continue;
                     const auto made = static_cast<std::int64_t>(random() % 4);
                     if (random() % 3 == 0)
                       g.LinkValid(a, kContradicts, b, static_cast<std::int64_t>(random() % 6),
                                   static_cast<std::int64_t>(6 + random() % 6), made);
                     else if (random() % 2 == 0)
                       g.Link(a, kContradicts, b, 1, "", made);
                     else if (random() % 3 == 0)
                       g.Link(a, kSupersedes, b, 1, "", made);
                   }
                   if (step == 2) g.Remove(random() % kFacts);
                   g.Commit();
                 }};
    ForEachCase({c}, [](const CaseGraph& g, Shape) {
      const Snapshot s = g.snapshot();
      std::vector<std::set<NodeId>> carriers(kTags);
      for (const auto& a : g.Flat({kHasTag}).arcs) carriers[a.to - kFacts].insert(a.from);
      for (const std::int64_t now : {0, 4, 8, 20}) {
        SCOPED_TRACE(now);
        const auto heads = reference::Heads(g.size(), g.Flat({kSupersedes}, nullptr, now).arcs);
        std::vector<bool> visible(g.size());
        for (NodeId v = 0; v < kFacts; ++v) visible[v] = g.alive(v) && heads[v] == v;
        EXPECT_EQ(PairsOf(s, now),
                  reference::OpenPairs(visible, g.Flat({kContradicts}, nullptr, now).arcs));
        for (NodeId v = 0; v < kFacts; ++v) {
          if (!g.alive(v)) continue;
          const auto r = ConflictCandidates(s, v, {.now_ms = now, .include_judged = true}).value();
          std::set<NodeId> found;
          for (const ConflictCandidate& candidate : r.candidates) {
            found.insert(candidate.node);
            EXPECT_NEAR(candidate.overlap, reference::AdamicAdar(carriers, v, candidate.node),
                        1e-12);
          }
          std::set<NodeId> expected;
          for (NodeId w = 0; w < kFacts; ++w)
            if (w != v && visible[w] && reference::AdamicAdar(carriers, v, w) > 0)
              expected.insert(w);
          EXPECT_EQ(found, expected);
        }
        for (const double least : {0.2, 0.4, 0.5, 0.75, 1.0}) {
          Pairs near, of_each, expected;
          NearDuplicatesOptions options{.now_ms = now, .min_jaccard = least, .top = 0};
          const auto all = NearDuplicates(s, options).value();
          for (const NearDuplicate& p : all.pairs) {
            near.emplace(p.superseded, p.visible);
            EXPECT_EQ(p.jaccard, reference::Jaccard(carriers, p.superseded, p.visible));
          }
          for (options.of = 0; options.of < kFacts; ++options.of) {
            const auto one = NearDuplicates(s, options).value();
            for (const NearDuplicate& p : one.pairs) of_each.emplace(p.superseded, p.visible);
          }
          for (NodeId v = 0; v < kFacts; ++v)
            for (NodeId w = 0; w < kFacts; ++w)
              if (g.alive(v) && heads[v] != v && visible[w] && !Replaced(s, w, v, now) &&
                  reference::Jaccard(carriers, v, w) >= least)
                expected.emplace(v, w);
          EXPECT_EQ(near, expected) << least;
          EXPECT_EQ(of_each, expected) << least;
        }
      }
    });
  }
}

// Random verdicts over all open conflicts at once: afterwards none of the resolved is open.
TEST(Conflicts, AThousandVerdictsAreOneBatch) {
  CaseGraph g;
  constexpr std::size_t kPairs = 1000;
  g.AddNodes(2 * kPairs);
  for (std::size_t i = 0; i < kPairs; ++i) g.Link(2 * i, kContradicts, 2 * i + 1);
  g.Commit();
  std::vector<Verdict> verdicts;
  std::mt19937_64 random(3);
  for (NodeId i = 0; i < kPairs; ++i) {
    const NodeId a = 2 * i, b = 2 * i + 1, goes = random() % 2 ? a : b;
    const VerdictKind kinds[] = {VerdictKind::kSupersede, VerdictKind::kKeepBoth,
                                 VerdictKind::kDrop};
    verdicts.push_back({a, b, kinds[random() % 3], goes, ""});
  }
  const ResolveResult r = Resolve(g.snapshot(), verdicts, {.now_ms = 2000}).value();
  EXPECT_EQ(r.linked + r.ended + r.removed, kPairs);
  EXPECT_EQ(PairsOf(g.snapshot(), 2000).size(), kPairs);
  EXPECT_TRUE(PairsOf(Preview(g.snapshot(), r.batch).value().snapshot, 2000).empty());
}

}  // namespace
}  // namespace plexus::testing
