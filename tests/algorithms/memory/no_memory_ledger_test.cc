// The ledger, what is kept of it, sessions, relations and kept frontiers at their n-th allocation;
// as no_memory_test.cc. A program of its own: it replaces operator new.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/memory/conflicts.h"
#include "algorithms/memory/decisions.h"
#include "algorithms/memory/frontier_keeper.h"
#include "algorithms/memory/ledger.h"
#include "algorithms/memory/outcome_values.h"
#include "algorithms/memory/recall/recall_relations.h"
#include "algorithms/memory/recall/recall_terms.h"
#include "algorithms/memory/supersession.h"
#include "algorithms/memory/turns.h"
#include "engine/preview.h"
#include "tests/algorithms/no_memory_kernels.h"

namespace plexus {
namespace {

constexpr std::int64_t kNow = 5000;

std::string Key(NodeId i) { return "fact " + std::to_string(i); }

// Facts that contradict, replace and follow one another, decisions that wait, sessions of turns,
// and events with what came of them.
struct Uses : Fixture {
  explicit Uses(NodeId nodes) : Fixture(nodes) {
    WriteBatch batch(3000);
    for (NodeId i = 0; i < nodes; ++i) {
      const NodeRef node = batch.Node(Key(i));
      if (i >= 6 && i % 3 == 2)
        batch.Link(node, i % 2 == 0 ? kContradicts : kSupersedes, batch.Node(Key(i - 3)));
      if (i >= 3 && i % 3 == 0) {
        batch.UpsertNode(node, kDecision);
        batch.Link(node, kDependsOn, batch.Node(Key(i - 3)));
      }
      if (i > 0) batch.Link(batch.Node(Key(i - 1)), kTemporal, node);
      const NodeRef turn = batch.UpsertNode("turn " + std::to_string(i), kTurn);
      batch.SetI64(turn, kCreatedAt, i);
      batch.Link(turn, kInSession, batch.IndexNode(kSession, "session " + std::to_string(i / 12)));
    }
    EXPECT_TRUE(graph->Apply(batch));
    for (NodeId i = 8; i < nodes; i += 8 + nodes / 100) Record(i);
    state = graph->snapshot().state();
  }

 private:
  void Record(NodeId i) {
    NewEvent event;
    event.id = "event " + std::to_string(i);
    event.tool = i % 16 == 0 ? "recall" : "plan";
    event.query = "what was said about the frontier of the graph";
    event.created_at = 3000 + i % 1000;
    for (NodeId k = 0; k < 3; ++k)
      event.members.push_back({.key = Key(i - k * 3), .rank = 1.0 * k});
    const auto recorded = RecordEvent(graph->snapshot(), event);
    ASSERT_TRUE(recorded) << recorded.error().message;
    ASSERT_TRUE(graph->Apply(recorded->batch));
    if (i % 3 != 0) return;
    const auto node = FindEvent(graph->snapshot(), event.id);
    ASSERT_TRUE(node);
    NewLabel label;
    label.type = i % 2 == 0 ? "dead_end" : "needs_poc";
    label.notes = "it led nowhere, and this is why";
    label.labeled_at = 4000;
    const auto labeled = LabelEvent(graph->snapshot(), *node, label);
    ASSERT_TRUE(labeled) << labeled.error().message;
    ASSERT_TRUE(graph->Apply(labeled->batch));
  }
};

template <class Ask, class Tell>
void UsesFail(const char* name, const Ask& ask, const Tell& tell) {
  static Uses* const small = new Uses(48);
  static Uses* const large = new Uses(6'000);
  FailsOn(*small, *large, name, ask, tell);
}

NodeId FirstOf(const Snapshot& s, NodeKindId kind) {
  NodeId v = 0;
  while (v + 1 < s.node_count() && s.node_kind(v) != kind) ++v;
  return v;
}

std::string EventsTold(const EventPage& page) {
  std::string text = page.next;
  for (const LedgerEvent& event : page.events) text += event.id + event.tool + event.query + ", ";
  return text;
}

TEST(NoMemoryLedger, Lists) {
  static EventListOptions filtered = {
      .filter = {.tool = "recall", .mode = "", .tags = {"tag 1", "tag 2", "tag 3", "tag 4"}},
      .limit = 3};
  UsesFail("RecentEvents", ASK { return RecentEvents(s, {.limit = 2}); }, EventsTold);
  UsesFail(
      "RecentEvents under a filter",
      ASK {
        filtered.run.executor = &executor;
        return RecentEvents(s, filtered);
      },
      EventsTold);
  UsesFail("EventsOf", ASK { return EventsOf(s, 8); }, EventsTold);
  static const std::string id = "event 8", nobody = "an event of which nobody has ever heard";
  UsesFail(
      "FindEvent",
      ASK->Result<NodeId> {
        const auto missing = FindEvent(s, nobody);
        if (missing || missing.error().code != ErrorCode::kNotFound)
          return missing ? Fail(ErrorCode::kInternal, "found") : std::unexpected(missing.error());
        return FindEvent(s, id);
      },
      [](NodeId node) { return Bytes(node); });
  UsesFail(
      "GetEvent", ASK { return GetEvent(s, FirstOf(s, kEvent)); },
      [](const EventDetails& d) {
        std::string text = d.event.id + d.event.query;
        for (const LedgerMember& m : d.members) text += Bytes(m.node, m.rank) + m.role;
        for (const LedgerOutcome& o : d.outcomes) text += o.type + o.notes;
        return text;
      });
  UsesFail(
      "ComposedWith", ASK { return ComposedWith(s, 8, 1); },
      [](const ComposedPage& page) {
        std::string text = page.next + std::to_string(page.total);
        for (const ComposedNeighbor& n : page.neighbors) text += Bytes(n.node, n.composed);
        return text;
      });
  static const std::string cursor = "12345678.12345678.a cursor that is long enough";
  static const std::string no_cursor = "what is written here is no cursor";
  UsesFail(
      "LedgerCursorSequence",
      ASK->Result<Sequence> {
        const auto refused = LedgerCursorSequence(no_cursor);
        if (refused || refused.error().code != ErrorCode::kInvalidArgument) return refused;
        return LedgerCursorSequence(cursor);
      },
      [](Sequence sequence) { return Bytes(sequence); });
  UsesFail(
      "BountyLanes", ASK { return BountyLanes(s); },
      [](const BountyLaneLists& lanes) {
        return Bytes(lanes.composed, lanes.closed_doors, lanes.duplicate_risk, lanes.needs_poc);
      });
}

TEST(NoMemoryLedger, Index) {
  UsesFail(
      "LedgerIndex", ASK { return LedgerIndex::Of(s, &executor); },
      [](const auto& index) {
        const auto newest = index->newest();
        return Bytes(std::vector<NodeId>(newest.begin(), newest.end()), index->member_outcomes(8));
      });
  UsesFail(
      "OutcomeValues", ASK { return OutcomeValues(s, &executor); },
      [](const std::vector<NodeWeight>& values) {
        std::string text;
        for (const NodeWeight& value : values) text += Bytes(value.node, value.weight);
        return text;
      });
}

TEST(NoMemoryLedger, Writing) {
  const auto made = [](const Snapshot& s, const WriteBatch& batch,
                       Executor& executor) -> Result<std::uint64_t> {
    PLEXUS_ASSIGN(const PreviewResult preview, Preview(s, batch, {.executor = &executor}));
    return preview.report.events.added + 10 * preview.report.outcomes.added +
           100 * preview.report.index.added;
  };
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  NewEvent event;
  event.tool = "recall";
  event.query = "a question that fits no string inside";
  event.created_at = kNow;
  event.members = {{.key = Key(3), .rank = 1.0, .preview = "what it says"}, {.key = Key(8)}};
  UsesFail(
      "RecordEvent",
      [&](const Snapshot& s, Executor& executor) -> Result<std::uint64_t> {
        PLEXUS_ASSIGN(const RecordedEvent recorded, RecordEvent(s, event));
        return made(s, recorded.batch, executor);
      },
      number);
  NewLabel label;
  label.type = "dead_end";
  label.notes = "some notes that fit no string inside";
  label.labeled_at = kNow;
  label.confidence_delta = 0.25;
  UsesFail(
      "LabelEvent",
      [&](const Snapshot& s, Executor& executor) -> Result<std::uint64_t> {
        PLEXUS_ASSIGN(const LabeledEvent labeled, LabelEvent(s, FirstOf(s, kEvent), label));
        return made(s, labeled.batch, executor);
      },
      number);
}

TEST(NoMemoryLedger, Neighbours) {
  const auto turns = [](const SessionResult& r) {
    std::string text = Bytes(r.session, r.more_before, r.more_after);
    for (const SessionTurn& turn : r.turns) text += Bytes(turn.node, turn.position);
    return text;
  };
  UsesFail("Session", ASK { return Session(s, FirstOf(s, kTurn), 2, 4); }, turns);
  UsesFail("Session by a walk", ASK { return Session(s, 8, 4, 4); }, turns);
  UsesFail(
      "SupersededBy",
      ASK->Result<NodeId> {
        PLEXUS_ASSIGN(const std::optional<NodeId> by, SupersededBy(s, 8, kNow));
        return by.value_or(kNoNode);
      },
      [](NodeId node) { return Bytes(node); });
  UsesFail(
      "RelatedTo",
      ASK {
        RelatedOptions options;
        options.now_ms = kNow;
        options.hops = 2;
        return RelatedTo(s, 8, options);
      },
      [](const RelatedResult& r) {
        std::string text;
        for (const Relation& relation : r.relations) text += relation.text + ", ";
        return text;
      });
  static const std::vector<NodeId> some = {5, 8, 11, 14, 17, 20};
  UsesFail(
      "ContradictionsOf",
      ASK->Result<ContradictionsOfNode> {
        PLEXUS_ASSIGN(const NodeSubset standing, NodeSubset::Of(s, some));
        return ContradictionsOf(s, 8, kNow, standing);
      },
      [](const ContradictionsOfNode& r) {
        std::string text;
        for (const Conflict& c : r.conflicts) text += Bytes(c.a, c.b);
        return text;
      });
  UsesFail(
      "NearSuperseded",
      ASK {
        NearDuplicatesOptions options{.now_ms = kNow, .least = 0.1, .space = "v"};
        options.run.executor = &executor;
        return NearSuperseded(s, some, options);
      },
      [](const NearDuplicatesResult& r) {
        std::string text;
        for (const NearDuplicate& p : r.pairs) text += Bytes(p.superseded, p.visible);
        return text;
      });
  UsesFail(
      "ChainOf",
      ASK->Result<std::vector<ChainStep>> {
        const DecisionOptions at = {.now_ms = kNow, .run = {.executor = &executor}};
        PLEXUS_ASSIGN(const BlockedChainsResult blocked, BlockedChains(s, {.decisions = at}));
        return ChainOf(s, blocked, 15, kNow, 10);
      },
      [](const std::vector<ChainStep>& steps) {
        std::string text;
        for (const ChainStep& step : steps) text += Bytes(step.node, step.next);
        return text;
      });
  static const RecallTermOptions missing = {.salience_column = "a column that is not there"};
  UsesFail(
      "RecallScorer",
      ASK->Result<bool> {
        const auto refused = RecallScorer::Make(s, kNow, missing, {}, {});
        if (refused || refused.error().code != ErrorCode::kNotFound)
          return refused ? Result<bool>(false) : std::unexpected(refused.error());
        PLEXUS_TRY(RecallScorer::Make(s, kNow, {}, {}, {}));
        return true;
      },
      [](bool made) { return std::to_string(made); });
}

TEST(NoMemoryLedger, FrontierKeeper) {
  WriteBatch batch(kNow);
  batch.Link(batch.Node(Key(8)), kHasTag, batch.IndexNode(kTag, "tag 1"));
  UsesFail(
      "FrontierKeeper",
      [&](const Snapshot& s, Executor& executor) -> Result<std::string> {
        NeverComposedOptions options{.top = 5, .now_ms = kNow};
        options.run.executor = &executor;
        PLEXUS_ASSIGN(FrontierKeeper keeper, FrontierKeeper::Make(s, options));
        PLEXUS_ASSIGN(const PreviewResult next, Preview(s, batch, {.executor = &executor}));
        PLEXUS_TRY(keeper.Update(next.snapshot));
        return OrNoMemory([&]() -> Result<std::string> { return Bytes(keeper.page().sets); });
      },
      [](const std::string& sets) { return sets; });
}

}  // namespace
}  // namespace plexus
