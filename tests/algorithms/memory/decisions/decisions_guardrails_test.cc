// Guardrails on previews: the seed's rule, sides, conditions, what rules may not say.
#include "algorithms/memory/decisions/decisions.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph.h"
#include "engine/properties/properties.h"
#include "tests/algorithms/memory/decision_graph.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

GuardrailRule SeedRule() {
  return {.name = "no-contradict-high-salience",
          .kinds = {kContradicts},
          .target = {.active = true, .salience_above = 0.7},
          .message = "This contradicts {target}. Supersede it first."};
}

class Guardrails : public ::testing::Test {
 protected:
  void SetUp() override { FillDecisions(graph_, true); }

  GuardrailResult Check(const std::function<void(WriteBatch&)>& propose,
                        const std::vector<GuardrailRule>& rules) {
    WriteBatch batch(kDecisionsNow);
    propose(batch);
    const Snapshot before = graph_.snapshot();
    const PreviewResult preview = Preview(before, batch).value();
    GuardrailOptions options;
    options.decisions.now_ms = kDecisionsNow;
    const auto result = CheckGuardrails(before, preview, rules, options);
    EXPECT_TRUE(result) << result.error().ToString();
    EXPECT_EQ(graph_.snapshot().sequence(), before.sequence());
    return result ? *result : GuardrailResult{};
  }
  // d11 with an edge to dN; n0 is d1.
  static NodeRef New(WriteBatch& b) { return b.UpsertNode("d11", kDecision); }

  CaseGraph graph_;
};

TEST_F(Guardrails, D5TheSeedsRule) {
  const auto contradicts = [](NodeId d) {
    return [d](WriteBatch& b) { b.Link(New(b), kContradicts, NodeRef::Id(d)); };
  };
  GuardrailResult r = Check(contradicts(8), {SeedRule()});
  EXPECT_FALSE(r.allowed);
  ASSERT_EQ(r.hits.size(), 1u);
  EXPECT_EQ(r.hits[0].message, "This contradicts n8. Supersede it first.");
  EXPECT_NEAR(*r.hits[0].salience, 0.944444444, 1e-9);
  r = Check(contradicts(0), {SeedRule()});
  EXPECT_FALSE(r.allowed);
  EXPECT_EQ(r.hits[0].target, 0u);
  EXPECT_TRUE(Check(contradicts(2), {SeedRule()}).allowed);
  r = Check(
      [](WriteBatch& b) {
        const NodeRef d11 = New(b);
        b.Link(d11, kContradicts, NodeRef::Id(8));
        b.Link(d11, kSupersedes, NodeRef::Id(8));
      },
      {SeedRule()});
  EXPECT_TRUE(r.allowed);
  // What is stored already is not proposed; a warning blocks nothing.
  EXPECT_TRUE(Check([](WriteBatch& b) { b.Link(NodeRef::Id(0), kContradicts, NodeRef::Id(6)); },
                    {SeedRule()})
                  .hits.empty());
  GuardrailRule warns = SeedRule();
  warns.action = RuleAction::kWarn;
  r = Check(contradicts(8), {warns});
  EXPECT_TRUE(r.allowed);
  EXPECT_EQ(r.hits.size(), 1u);
}

// A gate fails closed: what was not judged is not allowed, whichever rule would have met it.
TEST_F(Guardrails, WhatCannotBeJudgedIsNotAllowed) {
  WriteBatch batch(kDecisionsNow);
  batch.Link(New(batch), kContradicts, NodeRef::Id(8));
  const PreviewResult preview = Preview(graph_.snapshot(), batch).value();
  const std::atomic<bool> cancel = true;
  GuardrailOptions options;
  options.decisions.now_ms = kDecisionsNow;
  options.decisions.run.budget.cancel = &cancel;
  GuardrailRule other = SeedRule();
  other.target = {.tags = {"no such tag"}};
  for (const GuardrailRule& rule : {SeedRule(), other}) {
    const auto result =
        CheckGuardrails(graph_.snapshot(), preview, std::vector<GuardrailRule>{rule}, options);
    ASSERT_TRUE(result) << result.error().ToString();
    EXPECT_TRUE(result->truncated);
    EXPECT_FALSE(result->allowed);
  }
  SalienceResult cut;  // as one that its caller ran out of time for
  cut.truncated = true;
  options.decisions.run = {};
  options.salience = &cut;
  EXPECT_FALSE(CheckGuardrails(graph_.snapshot(), preview, std::vector{SeedRule()}, options)
                   .value()
                   .allowed);
}

// Edges count whenever they are valid, and conditions hold when they do in the end: a time in the
// proposal is no way round a rule.
TEST_F(Guardrails, TimesOfEdgesAreNoWayRound) {
  const auto contradicts = [](std::optional<std::int64_t> from, std::optional<std::int64_t> until) {
    return [=](WriteBatch& b) {
      WriteBatch::EdgeInput edge;
      edge.source = New(b);
      edge.target = NodeRef::Id(8);
      edge.kind = kContradicts;
      edge.valid_from = from;
      edge.valid_until = until;
      b.Link(edge);
    };
  };
  for (const auto& [from, until] :
       std::vector<std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>>{
           {kDecisionsNow + 1, {}}, {4'000'000'000'000, {}}, {{}, 1}, {1, 2}}) {
    const GuardrailResult result = Check(contradicts(from, until), {SeedRule()});
    EXPECT_FALSE(result.allowed);
    EXPECT_EQ(result.hits.size(), 1u);
  }
  const auto superseded_until = [](std::optional<std::int64_t> until) {
    return [=](WriteBatch& b) {
      const NodeRef d11 = New(b);
      b.Link(d11, kContradicts, NodeRef::Id(8));
      WriteBatch::EdgeInput edge;
      edge.source = d11;
      edge.target = NodeRef::Id(8);
      edge.kind = kSupersedes;
      edge.valid_until = until;
      b.Link(edge);
    };
  };
  EXPECT_TRUE(Check(superseded_until({}), {SeedRule()}).allowed);
  EXPECT_FALSE(Check(superseded_until(kDecisionsNow + 1), {SeedRule()}).allowed);
}

// Rules times edges times placeholders: messages and hits are bounded, and counted all the same.
TEST_F(Guardrails, MessagesAndHitsAreBounded) {
  GuardrailRule rule = SeedRule();
  rule.target = {};
  while (rule.message.size() < kMaxGuardrailMessage - 20) rule.message += "{target}{other}";
  const std::string key(1000, 'k');
  WriteBatch batch(kDecisionsNow);
  for (int i = 0; i < 20; ++i)
    batch.Link(batch.UpsertNode(key + std::to_string(i), kDecision), kContradicts,
               NodeRef::Id(static_cast<NodeId>(i % 4)));
  const PreviewResult preview = Preview(graph_.snapshot(), batch).value();
  GuardrailOptions options;
  options.decisions.now_ms = kDecisionsNow;
  options.top = 7;
  const auto result =
      CheckGuardrails(graph_.snapshot(), preview, std::vector<GuardrailRule>{rule}, options);
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_FALSE(result->allowed);
  EXPECT_EQ(result->total, 20u);
  ASSERT_EQ(result->hits.size(), 7u);
  for (const GuardrailHit& hit : result->hits) {
    EXPECT_LE(hit.message.size(), kMaxGuardrailMessage);
    EXPECT_TRUE(hit.message.ends_with("..."));
  }
  rule.message.assign(kMaxGuardrailMessage + 1, 'a');
  EXPECT_EQ(CheckGuardrails(graph_.snapshot(), preview, std::vector<GuardrailRule>{rule}, options)
                .error()
                .code,
            ErrorCode::kInvalidArgument);
}

TEST_F(Guardrails, SidesAndConditions) {
  GuardrailRule rule{.name = "no-new-needs",
                     .kinds = {kDependsOn},
                     .target = {.blocked = true},
                     .message = "{other} would wait for {target} ({rule})"};
  const auto needs = [](WriteBatch& b) { b.Link(New(b), kDependsOn, NodeRef::Id(3)); };
  GuardrailResult r = Check(needs, {rule});
  ASSERT_EQ(r.hits.size(), 1u);
  EXPECT_EQ(r.hits[0].message, "d11 would wait for n3 (no-new-needs)");
  rule.side = TargetSide::kSource;  // d11 would be blocked itself
  r = Check(needs, {rule});
  ASSERT_EQ(r.hits.size(), 1u);
  EXPECT_EQ(r.hits[0].message, "n3 would wait for d11 (no-new-needs)");
  rule.side = TargetSide::kEither;
  EXPECT_EQ(Check(needs, {rule}).hits.size(), 2u);
  rule.target = {.outcomes = {"success"}};
  EXPECT_TRUE(Check(needs, {rule}).allowed);
  // Both ends of a new edge between stored ones.
  GuardrailRule any{.name = "any", .kinds = {kContradicts}, .message = "{target}"};
  r = Check([](WriteBatch& b) { b.Link(NodeRef::Id(2), kContradicts, NodeRef::Id(3)); }, {any});
  EXPECT_EQ(r.hits.size(), 2u);
}

TEST_F(Guardrails, UnlinkedAndRemoved) {
  const GuardrailRule rules[] = {{.name = "keep",
                                  .does = ProposalDoes::kRemoves,
                                  .target = {.salience_above = 0.7, .node_kinds = {kDecision}},
                                  .message = "much stands on {target}"},
                                 {.name = "tie",
                                  .does = ProposalDoes::kUnlinks,
                                  .kinds = {kDependsOn},
                                  .message = "{target}"}};
  GuardrailResult r =
      Check([](WriteBatch& b) { b.RemoveNode(NodeRef::Id(0)); }, {rules[0], rules[1]});
  ASSERT_EQ(r.hits.size(), 3u);  // and its two edges go
  EXPECT_EQ(r.hits[0].message, "much stands on n0");
  r = Check([](WriteBatch& b) { b.Unlink(NodeRef::Id(1), kDependsOn, NodeRef::Id(0)); },
            {rules[0], rules[1]});
  ASSERT_EQ(r.hits.size(), 1u);
  EXPECT_EQ(r.hits[0].rule, 1u);
}

// Kinds that are declared acyclic: d2 and d3 depend on d1, d4 on d2.
TEST_F(Guardrails, ClosesACycle) {
  const GuardrailRule rule{.name = "acyclic",
                           .does = ProposalDoes::kCloses,
                           .kinds = {kDependsOn, kRefines},
                           .message = "{other} leads back to {target}"};
  const auto link = [&](NodeId from, EdgeKindId kind, NodeId to) {
    return Check([&](WriteBatch& b) { b.Link(NodeRef::Id(from), kind, NodeRef::Id(to)); }, {rule});
  };
  const GuardrailResult closed = link(0, kDependsOn, 3);  // over d2
  ASSERT_EQ(closed.hits.size(), 1u);
  EXPECT_FALSE(closed.allowed);
  EXPECT_EQ(closed.hits[0].message, "n0 leads back to n3: n0 depends_on n3");
  EXPECT_FALSE(link(0, kRefines, 4).allowed);  // d5 refines d2: over both kinds
  EXPECT_TRUE(link(3, kDependsOn, 0).allowed);
  EXPECT_TRUE(link(0, kSupports, 3).allowed);  // another kind
  const GuardrailResult both = Check(
      [](WriteBatch& b) {
        b.Link(NodeRef::Id(6), kDependsOn, NodeRef::Id(7));
        b.Link(NodeRef::Id(7), kDependsOn, NodeRef::Id(6));
      },
      {rule});
  EXPECT_EQ(both.hits.size(), 2u);  // of one proposal
  EXPECT_TRUE(Check([](WriteBatch& b) { b.Unlink(NodeRef::Id(1), kDependsOn, NodeRef::Id(0)); },
                    {rule})
                  .allowed);
}

// Edges that are never valid at once close no cycle; those of both directions do.
TEST_F(Guardrails, CyclesOfOneTime) {
  GuardrailRule rule{.name = "acyclic",
                     .does = ProposalDoes::kCloses,
                     .kinds = {kRefines, kCauses},
                     .message = "back"};
  const auto ring = [&](std::int64_t until, std::int64_t from) {
    return Check(
        [&](WriteBatch& b) {
          b.Link({.source = NodeRef::Id(6),
                  .target = NodeRef::Id(7),
                  .kind = kRefines,
                  .valid_until = until});
          b.Link({.source = NodeRef::Id(7),
                  .target = NodeRef::Id(6),
                  .kind = kRefines,
                  .valid_from = from});
        },
        {rule});
  };
  EXPECT_TRUE(ring(100, 100).allowed);
  EXPECT_EQ(ring(101, 100).hits.size(), 2u);
  const auto mixed = [&] {
    return Check(
        [](WriteBatch& b) {
          b.Link(NodeRef::Id(6), kRefines, NodeRef::Id(7));
          b.Link(NodeRef::Id(6), kCauses, NodeRef::Id(7));
        },
        {rule});
  };
  EXPECT_TRUE(mixed().allowed);
  rule.backward = {kCauses};
  const GuardrailResult both = mixed();
  ASSERT_EQ(both.hits.size(), 2u);
  EXPECT_EQ(both.hits[0].message, "back: n6 causes n7");
  rule.each_kind = true;
  EXPECT_TRUE(mixed().allowed);
  rule.kinds = {kRelatesTo};
  const Snapshot before = graph_.snapshot();
  EXPECT_FALSE(CheckGuardrails(before, {.snapshot = before, .report = {}}, {&rule, 1}));
}

// A long chain in one proposal is looked at once, not from each of its edges.
TEST_F(Guardrails, AChainOfManyEdges) {
  const GuardrailRule rule{
      .name = "a", .does = ProposalDoes::kCloses, .kinds = {kRefines}, .message = "back"};
  constexpr int kLong = 60'000;
  const auto chain = [&](bool closed) {
    return Check(
        [&](WriteBatch& b) {
          NodeRef first = b.UpsertNode("c0", kDecision), last = first;
          for (int i = 1; i < kLong; ++i) {
            const NodeRef next = b.UpsertNode("c" + std::to_string(i), kDecision);
            b.Link(last, kRefines, next);
            last = next;
          }
          if (closed) b.Link(last, kRefines, first);
        },
        {rule});
  };
  EXPECT_TRUE(chain(false).allowed);
  EXPECT_EQ(chain(true).total, std::uint64_t{kLong});
}

// What goes and comes back in one proposal is gone, with its text, values and edges.
TEST_F(Guardrails, RemovedAndStatedAgain) {
  const GuardrailRule keep{.name = "keep",
                           .does = ProposalDoes::kRemoves,
                           .target = {.outcomes = {"success"}},
                           .message = "{target} stays"};
  for (const bool purge : {false, true}) {
    const auto again = [&](NodeId node, const char* key) {
      return Check(
          [&](WriteBatch& b) {
            if (purge)
              b.PurgeNode(NodeRef::Id(node));
            else
              b.RemoveNode(NodeRef::Id(node));
            b.SetString(b.UpsertNode(key, kDecision), kDecisionOutcome, "pending");
          },
          {keep});
    };
    const GuardrailResult r = again(0, "n0");
    ASSERT_EQ(r.hits.size(), 1u) << purge;
    EXPECT_FALSE(r.allowed);
    EXPECT_EQ(r.hits[0].message, "n0 stays");
    EXPECT_TRUE(again(6, "n6").hits.empty());  // a failure
    // One that is made and removed, and one that is not there, were never stored.
    EXPECT_TRUE(Check(
                    [&](WriteBatch& b) {
                      b.RemoveNode(New(b));
                      b.RemoveNode(b.Node("nobody"));
                    },
                    {keep})
                    .hits.empty());
  }
}

TEST_F(Guardrails, RulesThatSayNothingOrTooMuch) {
  const auto error = [&](GuardrailRule rule) {
    const Snapshot s = graph_.snapshot();
    const GuardrailRule rules[] = {std::move(rule)};
    const auto result = CheckGuardrails(s, {.snapshot = s, .report = {}}, rules);
    return result ? std::string() : result.error().message;
  };
  GuardrailRule rule = SeedRule();
  EXPECT_EQ(error(rule), "");
  rule.kinds = {EdgeKindId(4000)};
  EXPECT_NE(error(rule).find("no edge kind 4000"), std::string::npos);
  rule = SeedRule();
  rule.target.salience_above = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error(rule).find("salience_above"), std::string::npos);
  rule = SeedRule();
  rule.name.clear();
  EXPECT_NE(error(rule).find("name"), std::string::npos);
  rule = SeedRule();
  rule.kinds.clear();
  EXPECT_NE(error(rule).find("kind"), std::string::npos);
}

// Of a graph and one whose base is another: the rows are compared.
TEST_F(Guardrails, AnotherBaseGivesTheSame) {
  const Snapshot before = graph_.snapshot();
  graph_.AddNode(kDecision);
  graph_.Link(graph_.size() - 1, kContradicts, 8);
  graph_.Commit();
  GuardrailOptions options;
  options.decisions.now_ms = kDecisionsNow;
  const GuardrailRule rules[] = {SeedRule()};
  const auto delta =
      CheckGuardrails(before, {.snapshot = graph_.snapshot(), .report = {}}, rules, options)
          .value();
  graph_.Compact();
  const auto compacted =
      CheckGuardrails(before, {.snapshot = graph_.snapshot(), .report = {}}, rules, options)
          .value();
  ASSERT_EQ(delta.hits.size(), 1u);
  ASSERT_EQ(compacted.hits.size(), 1u);
  EXPECT_EQ(delta.hits[0].message, compacted.hits[0].message);
  EXPECT_FALSE(compacted.allowed);
}

}  // namespace
}  // namespace plexus::testing
