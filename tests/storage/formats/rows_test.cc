// Rows of other systems' tables: names of fields, directions, ends that nothing states.
#include <string>
#include <vector>

#include "storage/formats/base/properties.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
namespace {

const std::string kDecisions =
    R"({"id":"d1","decision":"Use RocksDB","category":"storage","stakes":"high","confidence":0.8,)"
    R"("outcome":"success","date":"2026-02-05","tags":["db","log"],"pattern":null,"project":"p"})"
    "\n"
    R"({"id":"d2","summary":"Batch writes","category":"storage","stakes":"low","outcome":null,)"
    R"("related_to":[{"id":"d1","summary":"Use RocksDB","distance":0.25}]})"
    "\n";
const std::string kEdges =
    R"({"source_id":"d2","target_id":"d1","edge_type":"depends_on","weight":0.5,"created_at":)"
    R"("2026-02-05T12:00:00.123456+00:00","created_by":"agent","context":"needs it"})"
    "\n"
    R"({"sourceId":"d3","targetId":"d1","edgeType":"echoes","createdAt":null,"createdBy":null})"
    "\n";

std::string Properties(const Snapshot& s, const char* node) {
  return JsonFromProperties(*s.Payload(Id(s, node), NodeField::kProperties)).value();
}
Edge Only(const Snapshot& s, const char* source, std::string_view kind, const char* target) {
  const auto match = s.schema().FindEdgeKind(kind);
  EXPECT_TRUE(match) << kind;
  const auto edge = match ? s.FindEdge(Id(s, source), match->kind, Id(s, target)) : std::nullopt;
  EXPECT_TRUE(edge) << source << " " << kind << " " << target;
  return edge.value_or(Edge());
}

TEST(Rows, DecisionsAndEdgesOfCstp) {
  auto graph = Graph::InMemory();
  const ImportReport decisions = LoadClean(*graph, "decisions.jsonl", kDecisions);
  EXPECT_EQ(decisions.nodes.added, 2u);
  EXPECT_EQ(decisions.stubs, 0u);
  const ImportReport edges = LoadClean(*graph, "graph_edges.jsonl", kEdges);
  EXPECT_EQ(edges.edges, (ChangeCounts{2, 0, 0}));
  EXPECT_EQ(edges.stubs, 1u);  // d3
  EXPECT_EQ(edges.new_edge_kinds, std::vector<std::string>{"echoes"});
  const Snapshot s = graph->snapshot();
  const NodeId d1 = Id(s, "d1");
  EXPECT_EQ(s.node_kind(d1), kDecision);
  EXPECT_EQ(*s.Payload(d1, NodeField::kText), "Use RocksDB");
  EXPECT_EQ(s.i64(kCreatedAt, d1), 1770249600000);
  EXPECT_EQ(s.f64(kConfidence, d1), 0.8);
  EXPECT_EQ(s.string(*s.string_column(kDecisionOutcome, d1)), "success");
  EXPECT_EQ(s.string(*s.string_column(kCategory, d1)), "storage");
  EXPECT_EQ(s.string(*s.string_column(kStakes, d1)), "high");
  EXPECT_EQ(s.Degree(Direction::kOut, d1, ArcFilter::All()), 3u);  // two tags, relates_to
  EXPECT_EQ(Properties(s, "d1"), R"({"project":"p"})");
  EXPECT_FALSE(s.string_column(kDecisionOutcome, Id(s, "d2")));
  EXPECT_EQ(*s.Payload(Id(s, "d2"), NodeField::kText), "Batch writes");
  EXPECT_EQ(Only(s, "d1", "relates_to", "d2").weight, 0.75f);
  const Edge needs = Only(s, "d2", "depends_on", "d1");
  EXPECT_EQ(needs.weight, 0.5f);
  EXPECT_EQ(needs.created_at, 1770292800123);
  EXPECT_EQ(s.string(needs.created_by), "agent");
  EXPECT_EQ(JsonFromProperties(*s.Payload(needs.properties)).value(), R"({"context":"needs it"})");
  EXPECT_EQ(Only(s, "d3", "echoes", "d1").created_at, kNow);
}

TEST(Rows, ASecondImportChangesNothing) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "d.jsonl", kDecisions);
  LoadClean(*graph, "e.jsonl", kEdges);
  const Sequence before = graph->snapshot().sequence();
  const std::string out = JsonLines(graph->snapshot());
  ImportOptions later;
  later.now_ms = kNow + 1000;
  EXPECT_EQ(LoadClean(*graph, "d.jsonl", kDecisions, later).nodes, (ChangeCounts{0, 0, 2}));
  const ImportReport again = LoadClean(*graph, "e.jsonl", kEdges, later);
  EXPECT_EQ(again.edges, (ChangeCounts{0, 0, 2}));
  EXPECT_EQ(again.stubs, 0u);  // d3 is there by now
  EXPECT_TRUE(again.new_edge_kinds.empty());
  EXPECT_EQ(graph->snapshot().sequence(), before);
  EXPECT_EQ(JsonLines(graph->snapshot()), out);
  auto copy = Graph::InMemory();
  LoadClean(*copy, "out.jsonl", out);
  EXPECT_EQ(JsonLines(copy->snapshot()), out);
}

TEST(Rows, ConnectionsAndMemoriesOfVestige) {
  auto graph = Graph::InMemory();
  LoadClean(
      *graph, "rows.ndjson",
      R"({"id":"m1","content":"text","nodeType":"fact","retentionStrength":0.5,"createdAt":)"
      R"("2026-02-05T00:00:00Z","tags":["a"],"source":"chat","stability":3})"
      "\n"
      R"({"source_id":"m1","target_id":"m2","strength":0.5,"link_type":"closed_by","created_at":)"
      R"("2026-02-05T00:00:00+01:00","activation_count":3,"edge_meta":"{}",)"
      R"("created_by_run":"r","text":5})"
      "\n");
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(s.node_kind(Id(s, "m1")), kMemory);
  EXPECT_EQ(s.string(*s.string_column(kMemoryType, Id(s, "m1"))), "fact");
  EXPECT_EQ(s.f64(kRetention, Id(s, "m1")), 0.5);
  EXPECT_EQ(s.f64(kStability, Id(s, "m1")), 3.0);
  EXPECT_EQ(Properties(s, "m1"), R"({"source":"chat"})");
  const Edge edge = Only(s, "m1", "closed_by", "m2");
  EXPECT_EQ(edge.weight, 0.5f);
  EXPECT_EQ(edge.created_at, 1770246000000);
  EXPECT_EQ(s.string(edge.created_by), "r");
  EXPECT_EQ(JsonFromProperties(*s.Payload(edge.properties)).value(),
            R"({"activation_count":3,"edge_meta":"{}","text":5})");
}

const std::string kTyped =
    R"({"from_id":"a","to_id":"b","kind":"supersedes","created_at":1700000000000})"
    "\n"
    R"({"from_id":"a","to_id":"b","kind":"causes","created_at":"2026-02-05T00:00:00Z"})"
    "\n"
    R"({"from_id":"a","to_id":"c","kind":"supports"})"
    "\n"
    R"({"from_id":"a","to_id":"d","kind":"promoted_from"})"
    "\n"
    R"({"from_id":"a","to_id":"d","kind":"contradicts"})"
    "\n";

TEST(Rows, DirectionsAreAsWrittenUnlessTurned) {
  auto graph = Graph::InMemory();
  const ImportReport as_written = LoadClean(*graph, "memory_edges.jsonl", kTyped);
  EXPECT_EQ(as_written.reversed_edges, 0u);
  EXPECT_EQ(as_written.ambiguous, 3u);
  Only(graph->snapshot(), "a", "supersedes", "b");
  Only(graph->snapshot(), "a", "causes", "b");

  ImportOptions turn;
  turn.reversed_kinds = {"supersedes", "supports", "promoted_from"};
  for (const bool csv : {false, true}) {
    std::string rows = kTyped;
    if (csv)
      rows =
          "from_id,to_id,kind,created_at\na,b,supersedes,1700000000000\na,b,causes,\n"
          "a,c,supports,\na,d,promoted_from,\na,d,contradicts,\n";
    auto turned = Graph::InMemory();
    const ImportReport r = LoadClean(*turned, csv ? "memory_edges.csv" : "e.jsonl", rows, turn);
    EXPECT_EQ(r.reversed_edges, 3u);
    EXPECT_EQ(r.ambiguous, 0u);
    const Snapshot s = turned->snapshot();
    Only(s, "b", "supersedes", "a");
    Only(s, "c", "supports", "a");
    Only(s, "d", "promoted_from", "a");
    Only(s, "a", "causes", "b");
    Only(s, "a", "contradicts", "d");
    EXPECT_FALSE(s.FindEdge(Id(s, "a"), kSupersedes, Id(s, "b")));
  }
}

// Any format with kinds, and what is unlinked, too.
TEST(Rows, JsonLinesCanBeTurned) {
  auto graph = Graph::InMemory();
  ImportOptions turn;
  turn.reversed_kinds = {"supersedes"};
  LoadClean(*graph, "a.jsonl", R"({"edge":["old","new"],"kind":"supersedes"})", turn);
  Only(graph->snapshot(), "new", "supersedes", "old");
  LoadClean(*graph, "b.jsonl", R"({"unlink":["old","new"],"kind":"supersedes"})", turn);
  const Snapshot s = graph->snapshot();
  EXPECT_FALSE(s.FindEdge(Id(s, "new"), kSupersedes, Id(s, "old")));
}

TEST(Rows, TheFileMayCallThingsOtherwise) {
  ImportOptions options;
  options.format = FileFormat::kJsonRows;
  options.columns = {{"source", "von"}, {"target", "nach"}, {"key", "name"}, {"text", "was"}};
  auto graph = Graph::InMemory();
  LoadClean(*graph, "x",
            R"({"von":"a","nach":"b","weight":2,"kind":"r"})"
            "\n"
            R"({"name":"a","was":"text"})"
            "\n",
            options);
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(Only(s, "a", "r", "b").weight, 2.0f);
  EXPECT_EQ(*s.Payload(Id(s, "a"), NodeField::kText), "text");
  EXPECT_EQ(OneError("x", R"({"von":"a","source":"c","nach":"b"})", options),
            "x:1: \"von\" and \"source\" mean the same here");
}

TEST(Rows, WhatAreRecordsOfJsonLinesStayThose) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "a.jsonl",
            "{\"kind\":\"mentors\",\"plane\":\"fact\"}\n"
            "{\"node\":\"id\",\"props\":{\"id\":1}}\n");
  EXPECT_TRUE(graph->snapshot().Find("id"));
  EXPECT_NE(OneError("a.jsonl", "{\"outcome\":\"c1\"}\n").find("an outcome needs"),
            std::string::npos);
}

// An end that is stated later, or by another file, is no stub.
TEST(Rows, StrictRefusesWhatNothingStates) {
  ImportOptions strict;
  strict.strict = true;
  auto graph = Graph::InMemory();
  const ImportReport refused = Load(*graph, "e.jsonl", kEdges + kDecisions, strict);
  EXPECT_TRUE(refused.stopped);
  EXPECT_EQ(refused.errors, 1u);
  ASSERT_EQ(refused.kept_errors.size(), 1u);
  EXPECT_EQ(refused.kept_errors[0].ToString(),
            "e.jsonl:2: 'd3': named here, but no record states it and the graph has none");
  EXPECT_EQ(graph->snapshot().sequence(), 0u);
  const std::string third = "{\"id\":\"d3\",\"decision\":\"x\"}\n";
  for (const std::size_t block : {std::size_t{64}, std::size_t{1} << 20}) {
    auto good = Graph::InMemory();
    strict.block_bytes = block;
    strict.batch_ops = 1;
    EXPECT_EQ(LoadClean(*good, "e.jsonl", kEdges + kDecisions + third, strict).stubs, 0u);
    EXPECT_FALSE(Load(*good, "e.jsonl", kEdges, strict).stopped);  // the graph has them
  }
  for (const char* line :
       {R"({"event":"c","members":[{"id":"nobody"}]})", R"({"vector":"nobody","values":[1]})",
        R"({"edge":["nobody","nobody"],"kind":"link"})"}) {
    auto other = Graph::InMemory();
    EXPECT_EQ(Load(*other, "x.jsonl", line, strict).errors, 1u) << line;
    EXPECT_EQ(other->snapshot().sequence(), 0u);
  }
  strict.on_error = OnImportError::kSkip;
  EXPECT_FALSE(ImportBytes(*graph, "e.jsonl", kEdges, strict));
  strict.on_error = OnImportError::kStop;
  EXPECT_FALSE(ImportBytes(*graph, "e.el", "1 2\n", strict));
}

TEST(Rows, RefusedByLineWithoutChange) {
  const auto refused = [](const std::string& line) {
    auto graph = Graph::InMemory();
    ImportOptions options;
    options.limits.field_bytes = 1000;
    const ImportReport r = Load(*graph, "e.jsonl", kEdges + line + "\n", options);
    EXPECT_TRUE(r.stopped) << line;
    EXPECT_EQ(graph->snapshot().sequence(), 0u);
    return r.kept_errors.empty() ? "" : r.kept_errors[0].ToString();
  };
  const std::string ends = R"({"source_id":"a","target_id":"b",)";
  EXPECT_EQ(refused(R"({"source_id":null,"target_id":"b"})"), "e.jsonl:3: \"source_id\" is null");
  EXPECT_EQ(refused(R"({"id":null,"decision":"x"})"), "e.jsonl:3: \"id\" is null");
  EXPECT_EQ(refused(R"({"source_id":["a"],"target_id":"b"})"),
            "e.jsonl:3: \"source\" must be a string or an integer, got an array (\"source\" is "
            "\"source_id\" in the row)");
  EXPECT_EQ(refused(ends + R"("from_id":"c"})"),
            "e.jsonl:3: \"from_id\" and \"source_id\" mean the same");
  EXPECT_EQ(refused(ends + R"("edge_type":["x"]})"),
            "e.jsonl:3: \"kind\" must be a string, got an array (\"kind\" is \"edge_type\" in the "
            "row)");
  EXPECT_EQ(refused(R"({"id":"d","decision":["x"]})"),
            "e.jsonl:3: \"text\" must be a string, got an array (\"text\" is \"decision\" in the "
            "row)");
  EXPECT_EQ(refused(ends + R"("strength":-1})"), "e.jsonl:3: weight -1 is negative");
  EXPECT_NE(refused(ends + R"("weight":NaN})").find("e.jsonl:3: JSON"), std::string::npos);
  EXPECT_NE(refused(ends + R"("weight":1e999})").find("e.jsonl:3:"), std::string::npos);
  EXPECT_NE(refused(ends + R"("weight":1,"weight":2})").find("e.jsonl:3:"), std::string::npos);
  EXPECT_NE(refused(ends + "\"weight\":1").find("e.jsonl:3: JSON: incomplete"), std::string::npos);
  EXPECT_NE(refused(ends + "\"context\":\"" + std::string(2000, 'x') + "\"}").find("e.jsonl:3:"),
            std::string::npos);
  EXPECT_NE(refused(ends + R"("created_at":"yesterday"})").find("must be a time"),
            std::string::npos);
  EXPECT_NE(
      refused(R"({"source_id":"a","target_id":"a","edge_type":"supersedes"})").find("to itself"),
      std::string::npos);
  EXPECT_NE(refused(R"({"id":"d","decision":"x","related_to":[{"distance":1}]})")
                .find("\"related_to\": an item needs an \"id\""),
            std::string::npos);
  EXPECT_NE(refused(R"({"weight":1})").find("expected two ends"), std::string::npos);
  EXPECT_EQ(refused("[]"), "e.jsonl:3: expected an object, got an array");
  std::string wide = "{\"id\":\"d\"";
  for (int i = 0; i < 2000; ++i) wide += ",\"f" + std::to_string(i) + "\":1";
  EXPECT_EQ(refused(wide + "}"), "e.jsonl:3: more than 1024 fields");
}

// In batches of their own, so that the node is there when its record comes.
TEST(Rows, AStubIsWhatNothingIsKnownOf) {
  ImportOptions one;
  one.batch_ops = 1;
  auto graph = Graph::InMemory();
  const ImportReport r =
      LoadClean(*graph, "a.jsonl",
                "{\"edge\":[\"a\",\"b\"],\"kind\":\"link\"}\n"
                "{\"edge\":[\"a\",\"c\"],\"kind\":\"link\"}\n"
                "{\"edge\":[\"a\",\"d\"],\"kind\":\"link\"}\n"
                "{\"node\":\"a\",\"text\":\"x\"}\n{\"node\":\"b\",\"kind\":\"memory\"}\n",
                one);
  EXPECT_EQ(r.stubs, 2u);  // c and d
  EXPECT_EQ(LoadClean(*Graph::InMemory(), "a.el", "1 2\n").stubs, 0u);
}

TEST(Rows, UnknownRolesAndOutcomeTypesAreCounted) {
  const std::string lines =
      R"({"event":"e","members":[{"id":"a","role":"primary"},{"id":"b","role":"witness"},)"
      R"({"id":"c"},{"id":"d","role":""}]})"
      "\n"
      R"({"outcome":"e","type":"helpful"})"
      "\n"
      R"({"outcome":"e","type":"banana"})"
      "\n";
  auto graph = Graph::InMemory();
  EXPECT_EQ(LoadClean(*graph, "l.jsonl", lines).unknown, 3u);  // witness, "" and banana
  EXPECT_EQ(LoadClean(*graph, "l.jsonl", lines).unknown, 3u);
  ImportOptions strict;
  strict.strict = true;
  const auto refused = [&](const std::string& line) {
    auto fresh = Graph::InMemory();
    const ImportReport r = Load(*fresh, "l.jsonl", line, strict);
    EXPECT_TRUE(r.stopped);
    EXPECT_EQ(fresh->snapshot().node_count(), 0u);
    return r.kept_errors.empty() ? std::string() : r.kept_errors[0].ToString();
  };
  const std::string a = "{\"node\":\"a\"}\n";
  EXPECT_EQ(refused(a + R"({"event":"e","members":[{"id":"a","role":"witness"}]})" + "\n"),
            "l.jsonl:2: 'witness' is no role; there are primary, supporting, contradicting, "
            "superseded, related");
  const std::string said = refused(a + R"({"outcome":"e","type":"banana"})" + "\n");
  EXPECT_TRUE(said.starts_with("l.jsonl:2: 'banana' is no outcome type; there are accepted, "))
      << said;
}

TEST(Rows, SkippedLinesAreCountedWithTheirReasons) {
  auto graph = Graph::InMemory();
  const ImportReport r =
      Load(*graph, "e.jsonl", kEdges + "{\"source_id\":1}\n{\"source_id\":\n", Skip());
  EXPECT_EQ(r.errors, 2u);
  EXPECT_EQ(r.edges.added, 2u);
  ASSERT_EQ(r.kept_errors.size(), 2u);
  EXPECT_EQ(r.kept_errors[1].line, 4u);
}

TEST(Rows, TheSameAtAnyCut) {
  std::string rows;
  for (int i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i), m = std::to_string(i * 7 % 300);
    rows += R"({"id":")" + n + R"(","decision":"text )" + n + "\"}\n";
    rows += R"({"source_id":")" + n + R"(","target_id":")" + m + R"(x","edge_type":"k)" +
            std::to_string(i % 5) + "\"}\n";
  }
  EXPECT_EQ(ExpectSameAtAnyCut("r.jsonl", rows, {100, 4096, 1 << 20}).stubs, 300u);
}

}  // namespace
}  // namespace plexus::formats::internal
