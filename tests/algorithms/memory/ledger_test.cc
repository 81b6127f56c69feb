// Lists of the ledger against their definition, and what may be written to it.
#include "algorithms/memory/ledger/ledger.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "algorithms/memory/ledger/internal/ledger_read.h"
#include "engine/graph.h"
#include "tests/algorithms/memory/ledger_world.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
namespace {

std::vector<NodeId> Ids(const EventPage& page) {
  std::vector<NodeId> ids;
  for (const LedgerEvent& event : page.events) ids.push_back(event.node);
  return ids;
}

// All pages of a list, `limit` a page.
template <class Ask>
std::vector<NodeId> AllPages(std::size_t limit, Ask&& ask) {
  std::vector<NodeId> all;
  EventListOptions options;
  options.limit = limit;
  for (int pages = 0; pages < 1000; ++pages) {
    const Result<EventPage> page = ask(options);
    EXPECT_TRUE(page) << page.error().ToString();
    if (!page) return all;
    EXPECT_LE(page->events.size(), limit);
    for (const NodeId id : Ids(*page)) all.push_back(id);
    if (page->next.empty()) return all;
    options.cursor = page->next;
  }
  ADD_FAILURE() << "the pages do not end";
  return all;
}

TEST(Ledger, ListsEqualTheirDefinition) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MemoryWorld world = LedgerWorld(seed, 6 + seed % 20);
    const auto graph = Graph::InMemory();
    const std::size_t steps = 5 + world.Below(60);
    for (std::size_t step = 0; step < steps; ++step)
      (void)graph->Apply(NextOfLedger(world, graph->snapshot()));
    const Snapshot s = graph->snapshot();
    const auto flat = reference::FlatLedger::Of(s);
    const std::size_t limit = 1 + world.Below(7);
    ASSERT_EQ(AllPages(limit, [&](const auto& o) { return RecentEvents(s, o); }), flat.Newest());
    for (NodeId v = 0; v < s.node_count(); ++v) {
      SCOPED_TRACE(s.key(v));
      ASSERT_EQ(AllPages(limit, [&](const auto& o) { return EventsOf(s, v, o); }),
                flat.NewestOf(v));
      std::vector<ComposedNeighbor> neighbors;
      std::string cursor;
      do {
        const ComposedPage page = ComposedWith(s, v, limit, cursor).value();
        neighbors.insert(neighbors.end(), page.neighbors.begin(), page.neighbors.end());
        cursor = page.next;
      } while (!cursor.empty());
      const auto expected = flat.ComposedWith(v);
      ASSERT_EQ(neighbors.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(neighbors[i],
                  (ComposedNeighbor{expected[i].node, expected[i].composed, expected[i].latest}));
    }
  }
}

// What each event is, read one by one.
TEST(Ledger, FiltersEqualReadingEveryEvent) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MemoryWorld world = LedgerWorld(seed + 500, 12);
    const auto graph = Graph::InMemory();
    for (int step = 0; step < 60; ++step) {
      (void)graph->Apply(NextOfLedger(world, graph->snapshot()));
      if (step % 20 == 7) {  // what is carried is asked for
        EventListOptions ask;
        ask.filter.tool = "recall";
        ASSERT_TRUE(RecentEvents(graph->snapshot(), ask));
      }
    }
    const Snapshot s = graph->snapshot();
    const auto flat = reference::FlatLedger::Of(s);
    for (int question = 0; question < 20; ++question) {
      EventFilter filter;
      if (world.Below(2)) filter.tool = world.Below(2) ? "recall" : "nothing";
      if (world.Below(3) == 0) filter.mode = world.Below(2) ? "quick" : "deep_reference";
      if (world.Below(3) == 0) filter.outcome = BuiltinOutcomeTypes()[world.Below(15)];
      if (world.Below(6) == 0) filter.outcome = "a/b%";
      if (world.Below(3) == 0) filter.since = static_cast<std::int64_t>(world.Below(80));
      if (world.Below(3) == 0) filter.until = static_cast<std::int64_t>(20 + world.Below(80));
      std::vector<NodeId> expected;
      for (const NodeId event : flat.Newest()) {
        const LedgerEvent e = GetEvent(s, event).value().event;
        const auto types = flat.TypesOf(event);
        if (!filter.tool.empty() && e.tool != filter.tool) continue;
        if (!filter.mode.empty() && e.mode != filter.mode) continue;
        if (!filter.outcome.empty() && std::ranges::find(types, filter.outcome) == types.end())
          continue;
        if (filter.since && !(e.created_at && *e.created_at >= *filter.since)) continue;
        if (filter.until && !(e.created_at && *e.created_at < *filter.until)) continue;
        expected.push_back(event);
      }
      ASSERT_EQ(AllPages(3,
                         [&](EventListOptions o) {
                           o.filter = filter;
                           return RecentEvents(s, o);
                         }),
                expected);
    }
  }
}

class WithV : public ::testing::Test {
 protected:
  WithV() : graph_(Graph::InMemory()) {
    WriteBatch batch(1);
    for (const char* key : {"m1", "m2", "m3"}) batch.UpsertNode(key, NodeKindRef(kMemory));
    batch.Link(batch.Node("m1"), kHasTag, batch.IndexNode(kTag, "project:vestige"));
    batch.Link(batch.Node("m1"), kHasTag, batch.IndexNode(kTag, "queue"));
    EXPECT_TRUE(graph_->Apply(batch));
  }
  Snapshot now() const { return graph_->snapshot(); }
  static NewEvent Event(std::vector<NewMember> members, std::int64_t at = 100) {
    NewEvent event;
    event.tool = "t";
    event.query = "why twice";
    event.created_at = at;
    event.members = std::move(members);
    return event;
  }
  std::string Commit(const NewEvent& event) {
    RecordedEvent recorded = RecordEvent(now(), event).value();
    EXPECT_TRUE(graph_->Apply(recorded.batch));
    return recorded.id;
  }
  void ExpectRefused(const NewEvent& event, ErrorCode code, std::string_view part) {
    const auto refused = RecordEvent(now(), event);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, code);
    EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
  }
  NodeId Id(std::string_view key) const { return now().Find(key).value(); }

  std::unique_ptr<Graph> graph_;
};

TEST_F(WithV, ARecordedEventReadsBack) {
  NewEvent event = Event(
      {{.key = "m3"},
       {.key = "m1", .role = "primary", .rank = 0.0, .trust = 0.8, .score = 0.9, .preview = "p"}});
  event.confidence = 0.5;
  event.status = "resolved";
  const RecordedEvent recorded = RecordEvent(now(), event).value();
  EXPECT_EQ(recorded.query_hash, "fnv1a64:e635d37d8fe075c5");
  EXPECT_FALSE(recorded.empty);
  ASSERT_TRUE(graph_->Apply(recorded.batch));
  const EventDetails details = GetEvent(now(), FindEvent(now(), recorded.id).value()).value();
  EXPECT_EQ(details.event.tool, "t");
  EXPECT_EQ(details.event.query, "why twice");
  EXPECT_EQ(details.event.query_hash, recorded.query_hash);
  EXPECT_EQ(details.event.confidence, 0.5);
  EXPECT_EQ(details.event.created_at, 100);
  ASSERT_EQ(details.members.size(), 2u);
  EXPECT_EQ(details.members[0].node, Id("m1"));
  EXPECT_EQ(details.members[0].trust, 0.8);
  EXPECT_EQ(details.members[0].score, 0.9);
  EXPECT_EQ(details.members[0].preview, "p");
  EXPECT_EQ(details.members[0].tags, (std::vector<std::string>{"project:vestige", "queue"}));
  EXPECT_EQ(details.members[1].role, "supporting");
  // Once more is the same event.
  const Sequence before = now().sequence();
  EXPECT_EQ(Commit(event), recorded.id);
  EXPECT_EQ(now().sequence(), before);
  // Another time is another event.
  event.created_at = 101;
  EXPECT_NE(Commit(event), recorded.id);
}

TEST_F(WithV, WithoutMembersThereIsNothingToRecord) {
  const RecordedEvent recorded = RecordEvent(now(), Event({})).value();
  EXPECT_TRUE(recorded.empty);
  EXPECT_TRUE(recorded.batch.empty());
}

TEST_F(WithV, MalformedEventsAreRefused) {
  ExpectRefused(Event({{.key = "m9"}}), ErrorCode::kNotFound, "m9");
  ExpectRefused(Event({{.key = "m1", .role = "boss"}}), ErrorCode::kInvalidArgument,
                "primary, supporting, contradicting, superseded, related");
  ExpectRefused(Event({{.key = "m1"}, {.key = "m2"}, {.key = "m1"}}), ErrorCode::kInvalidArgument,
                "twice");
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    ExpectRefused(Event({{.key = "m1", .rank = bad}}), ErrorCode::kInvalidArgument, "finite");
    ExpectRefused(Event({{.key = "m1", .trust = bad}}), ErrorCode::kInvalidArgument, "finite");
    ExpectRefused(Event({{.key = "m1", .score = bad}}), ErrorCode::kInvalidArgument, "finite");
    NewEvent event = Event({{.key = "m1"}});
    event.confidence = bad;
    ExpectRefused(event, ErrorCode::kInvalidArgument, "finite");
  }
  NewEvent bad_text = Event({{.key = "m1"}});
  bad_text.query = "\xff";
  ExpectRefused(bad_text, ErrorCode::kInvalidArgument, "UTF-8");
  std::vector<NewMember> many;
  for (int i = 0; i < 100'000; ++i) many.push_back({.key = "s" + std::to_string(i)});
  NewEvent large = Event(std::move(many));
  large.stubs = true;
  ExpectRefused(large, ErrorCode::kInvalidArgument, "65536");
  NewEvent named = Event({{.key = "m1"}});
  named.id = "c1";
  Commit(named);
  ExpectRefused(named, ErrorCode::kInvalidArgument, "already");
  // One node in two roles is as it should be.
  EXPECT_TRUE(RecordEvent(now(), Event({{.key = "m1"}, {.key = "m1", .role = "primary"}})));
}

TEST_F(WithV, StubsAreMade) {
  NewEvent event = Event({{.key = "new"}, {.key = "new", .role = "primary"}, {.key = "m1"}});
  event.stubs = true;
  EXPECT_EQ(RecordEvent(now(), event).value().stubs, 1u);
  Commit(event);
  EXPECT_TRUE(now().alive(Id("new")));
}

TEST_F(WithV, LabelsAccumulate) {
  NewEvent event = Event({{.key = "m1"}});
  event.id = "c1";
  Commit(event);
  const NodeId node = FindEvent(now(), "c1").value();
  const auto label = [&](NewLabel given) {
    const LabeledEvent labeled = LabelEvent(now(), node, given).value();
    EXPECT_TRUE(graph_->Apply(labeled.batch));
    return labeled.known;
  };
  EXPECT_FALSE(label({.type = "helpful", .notes = "a", .labeled_at = 7}));
  EXPECT_FALSE(label({.type = "helpful", .notes = "b", .labeled_at = 7}));
  const Sequence before = now().sequence();
  EXPECT_TRUE(label({.type = "helpful", .notes = "a", .labeled_at = 7}));
  EXPECT_EQ(now().sequence(), before);
  EXPECT_FALSE(label({.type = "dead_end", .labeled_at = 6, .confidence_delta = -0.5}));
  const auto outcomes = GetEvent(now(), node).value().outcomes;
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_EQ(outcomes[0].notes, "b");  // the later one first where times are equal
  EXPECT_EQ(outcomes[1].notes, "a");
  EXPECT_EQ(outcomes[2].type, "dead_end");
  EXPECT_EQ(outcomes[2].confidence_delta, -0.5);

  const auto wrong = LabelEvent(now(), node, {.type = "banana"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidArgument);
  for (const std::string_view type : BuiltinOutcomeTypes())
    EXPECT_NE(wrong.error().message.find(type), std::string::npos);
  EXPECT_EQ(LabelEvent(now(), Id("m1"), {.type = "helpful"}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(
      LabelEvent(now(), node,
                 {.type = "helpful", .confidence_delta = std::numeric_limits<double>::quiet_NaN()})
          .error()
          .code,
      ErrorCode::kInvalidArgument);
}

TEST_F(WithV, TagsOfThenAndNowAreMet) {
  NewEvent event = Event({{.key = "m1"}, {.key = "m2"}});
  event.id = "c1";
  Commit(event);
  const auto found = [&](const char* tag) {
    EventListOptions options;
    options.filter.tags = {tag};
    return RecentEvents(now(), options).value().events.size();
  };
  EXPECT_EQ(found("project"), 1u);
  EXPECT_EQ(found("project:vestige"), 1u);
  EXPECT_EQ(found("proj"), 0u);
  EXPECT_EQ(found("late"), 0u);
  WriteBatch batch(5);
  batch.Link(batch.Node("m2"), kHasTag, batch.IndexNode(kTag, "late"));
  batch.RemoveNode(batch.Node("m1"));  // its snapshot stays
  ASSERT_TRUE(graph_->Apply(batch));
  EXPECT_EQ(found("late"), 1u);
  EXPECT_EQ(found("queue"), 1u);
}

TEST_F(WithV, CursorsAreOfOneStateAndOneQuestion) {
  for (int i = 0; i < 3; ++i) Commit(Event({{.key = "m1"}}, 100 + i));
  EventListOptions options;
  options.limit = 1;
  const Snapshot s = now();
  const std::string next = RecentEvents(s, options).value().next;
  EXPECT_EQ(LedgerCursorSequence(next).value(), s.sequence());
  options.cursor = next;
  EXPECT_TRUE(RecentEvents(s, options));
  EXPECT_EQ(EventsOf(s, Id("m1"), options).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ComposedWith(s, Id("m1"), 1, next).error().code, ErrorCode::kInvalidArgument);
  EventListOptions other = options;
  other.filter.tool = "t";
  EXPECT_EQ(RecentEvents(s, other).error().code, ErrorCode::kInvalidArgument);
  for (const std::string& bad :
       {std::string("x"), std::string("1.2"), next + "0", std::string("9") + next}) {
    other = options;
    other.cursor = bad;
    EXPECT_EQ(RecentEvents(s, other).error().code, ErrorCode::kInvalidArgument) << bad;
  }
  Commit(Event({{.key = "m1"}}, 200));
  EXPECT_EQ(RecentEvents(now(), options).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(RecentEvents(s, options));
}

TEST_F(WithV, LimitsAreClamped) {
  for (int i = 0; i < 120; ++i) Commit(Event({{.key = "m1"}}, i));
  EventListOptions options;
  EXPECT_EQ(RecentEvents(now(), options).value().events.size(), 10u);
  options.limit = 0;
  EXPECT_EQ(RecentEvents(now(), options).value().events.size(), 1u);
  options.limit = 1000;
  EXPECT_EQ(RecentEvents(now(), options).value().events.size(), 100u);
}

TEST_F(WithV, BountyLanesAreByOutcome) {
  const auto recorded = [&](const char* id, std::int64_t at, std::vector<std::string> types) {
    NewEvent event = Event({{.key = at % 2 ? "m1" : "m2"}}, at);
    event.id = id;
    Commit(event);
    const NodeId node = FindEvent(now(), id).value();
    for (const std::string& type : types)
      EXPECT_TRUE(graph_->Apply(LabelEvent(now(), node, {.type = type}).value().batch));
    return node;
  };
  const NodeId a = recorded("a", 1, {"closed_by_duplicate"}), b = recorded("b", 2, {"needs_poc"}),
               c = recorded("c", 3, {"user_demoted"}), d = recorded("d", 4, {"dead_end"});
  const BountyLaneLists lanes = BountyLanes(now()).value();
  using L = std::vector<NodeId>;
  EXPECT_EQ(lanes.composed, (L{d, c, b, a}));
  EXPECT_EQ(lanes.closed_doors, (L{d, a}));
  EXPECT_EQ(lanes.duplicate_risk, (L{a}));
  EXPECT_EQ(lanes.needs_poc, (L{b}));
  EXPECT_EQ(lanes.scanned, 4u);
  EXPECT_EQ(BountyLanes(now(), {.tags = {"queue"}}).value().composed, (L{c, a}));
  EXPECT_EQ(BountyLanes(now(), {.limit = 1}).value().closed_doors, (L{d}));
  // An event is shown whole or not at all: m1 alone is inside, and b and d are of m2.
  const NodeId m1 = now().Find("m1").value();
  const NodeSubset inside = NodeSubset::Of(now(), std::vector<NodeId>{m1}).value();
  EXPECT_EQ(BountyLanes(now(), {.subset = &inside}).value().closed_doors, (L{a}));
}

// However much was tried since, a dead end is one.
TEST_F(WithV, BountyForgetsNoDeadEnd) {
  NewEvent first = Event({{.key = "m1"}}, 1);
  first.id = "first";
  Commit(first);
  const NodeId node = FindEvent(now(), "first").value();
  ASSERT_TRUE(graph_->Apply(LabelEvent(now(), node, {.type = "dead_end"}).value().batch));
  for (int i = 2; i < 1103; ++i) Commit(Event({{.key = "m2"}}, i));
  EXPECT_EQ(BountyLanes(now()).value().closed_doors, std::vector<NodeId>{node});
}

}  // namespace
}  // namespace plexus::testing
