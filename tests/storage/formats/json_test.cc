// JSON lines: each record, absent and null, lists that replace, what is refused.
#include "storage/formats/base/properties.h"
#include "tests/support/text_support.h"
#include "tests/support/vector_values.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
namespace {

std::string Props(const Snapshot& s, std::string_view key) {
  auto bytes = s.Payload(Id(s, key), NodeField::kProperties);
  if (!bytes) return "";
  return JsonFromProperties(*bytes).value();
}

std::string Text(const Snapshot& s, std::string_view key) {
  return s.Payload(Id(s, key), NodeField::kText).value_or("");
}

TEST(Json, NodeLine) {
  auto graph = Graph::InMemory();
  const ImportReport r =
      LoadClean(*graph, "f.jsonl",
                R"({"node":"m1","kind":"memory","text":"hi \u00e9","tags":["b","a"],"trust":0.8,)"
                R"("access_count":3,)"
                R"("created_at":5,"scope":"team","props":{"z":1,"a":[true,null,{"k":-0.5}]}})"
                "\n");
  EXPECT_EQ(r.nodes, (ChangeCounts{1, 0, 0}));
  const Snapshot s = graph->snapshot();
  const NodeId m = Id(s, "m1");
  EXPECT_EQ(s.node_kind(m), kMemory);
  EXPECT_EQ(Text(s, "m1"), "hi \xc3\xa9");
  EXPECT_EQ(s.f64(kTrust, m), 0.8);
  EXPECT_EQ(s.i64(kAccessCount, m), 3);
  EXPECT_EQ(s.i64(kCreatedAt, m), 5);
  EXPECT_EQ(s.scope(m), "team");
  EXPECT_EQ(Props(s, "m1"), R"({"a":[true,null,{"k":-0.5}],"z":1})");
  EXPECT_EQ(Edges(s, "has_tag"), "m1>b m1>a");
  EXPECT_EQ(s.node_kind(Id(s, Tag("a"))), kTag);
  EXPECT_EQ(s.CountNodes(Plane::kFact), 1u);
}

TEST(Json, AbsentKeepsNullClears) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "f.jsonl",
            R"({"node":"m","kind":"memory","text":"t","tags":["x"],"trust":0.5,"scope":"s",)"
            R"("props":{"p":1}})");
  EXPECT_EQ(LoadClean(*graph, "f.jsonl", R"({"node":"m"})").nodes, (ChangeCounts{0, 0, 1}));
  Snapshot s = graph->snapshot();
  EXPECT_EQ(Text(s, "m"), "t");
  EXPECT_EQ(Edges(s, "has_tag"), "m>x");
  EXPECT_EQ(
      LoadClean(*graph, "f.jsonl",
                R"({"node":"m","text":null,"tags":null,"trust":null,"scope":null,"props":null})")
          .nodes,
      (ChangeCounts{0, 1, 0}));
  s = graph->snapshot();
  EXPECT_EQ(Text(s, "m"), "");
  EXPECT_EQ(Props(s, "m"), "");
  EXPECT_EQ(s.f64(kTrust, Id(s, "m")), std::nullopt);
  EXPECT_EQ(s.scope(Id(s, "m")), kDefaultScope);
  EXPECT_EQ(Edges(s, "has_tag"), "");
}

TEST(Json, TagsReplace) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "f.jsonl", R"({"node":"m","tags":["a","b"]})");
  LoadClean(*graph, "f.jsonl", R"({"node":"m","tags":["b","c"]})");
  EXPECT_EQ(Edges(graph->snapshot(), "has_tag"), "m>b m>c");
  // Twice in one batch, with an edge line between: the last list counts.
  LoadClean(*graph, "f.jsonl",
            R"({"node":"m","tags":["d"]})"
            "\n"
            R"({"edge":["m","e"],"kind":"has_tag"})"
            "\n"
            R"({"node":"m","tags":["b","f"]})");
  EXPECT_EQ(Edges(graph->snapshot(), "has_tag"), "m>b m>f");
  LoadClean(*graph, "f.jsonl",
            R"({"node":"m","tags":["b"]})"
            "\n"
            R"({"edge":["m","g"],"kind":"has_tag"})");
  EXPECT_EQ(Edges(graph->snapshot(), "has_tag"), "m>b m>g");
}

TEST(Json, EdgeLine) {
  auto graph = Graph::InMemory();
  const ImportReport r =
      LoadClean(*graph, "f.jsonl",
                R"({"edge":["a","b"],"kind":"supports","weight":0.7,"label":"l","created_at":9,)"
                R"("created_by":"me","valid_from":1,"valid_until":2,"props":{"x":"y"}})"
                "\n"
                R"({"edge":["b","a"],"kind":"caused_by"})"
                "\n"
                R"({"edge":["b","a"],"kind":"contradicts"})"
                "\n"
                R"({"edge":["a","b"],"kind":"mentors"})"
                "\n"
                R"({"edge":["a","a"]})"
                "\n");
  EXPECT_EQ(r.edges, (ChangeCounts{5, 0, 0}));
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(Edges(s, "causes"), "a>b");
  EXPECT_EQ(Edges(s, "contradicts"), "a>b");
  EXPECT_EQ(Edges(s, "mentors"), "a>b");
  EXPECT_EQ(Edges(s, "link"), "a>a");
  EXPECT_EQ(Edges(s, "supports"), "a>b#l");
  StringId label = 0;
  s.ForEachEdge(ArcFilter::All(), [&](const Edge& e) { label = std::max(label, e.label); });
  const Edge e = *s.FindEdge(Id(s, "a"), kSupports, Id(s, "b"), label);
  EXPECT_EQ(e.weight, 0.7f);
  EXPECT_EQ(e.created_at, 9);
  EXPECT_EQ(s.string(e.created_by), "me");
  EXPECT_EQ(e.valid_from, 1);
  EXPECT_EQ(e.valid_until, 2);
  EXPECT_EQ(JsonFromProperties(s.Payload(e.properties).value()).value(), R"({"x":"y"})");
  EXPECT_EQ(
      LoadClean(*graph, "f.jsonl",
                R"({"edge":["a","b"],"kind":"supports","label":"l","valid_from":null,"props":null,)"
                R"("created_by":null,"weight":null})")
          .edges,
      (ChangeCounts{0, 1, 0}));
  const Snapshot t = graph->snapshot();
  const Edge f = *t.FindEdge(Id(t, "a"), kSupports, Id(t, "b"), label);
  EXPECT_EQ(f.weight, 1.0f);
  EXPECT_EQ(f.valid_from, kNoTime);
  EXPECT_EQ(f.valid_until, 2);
  EXPECT_EQ(f.created_by, 0u);
  EXPECT_FALSE(f.properties);
  LoadClean(*graph, "f.jsonl", R"({"unlink":["a","b"],"kind":"supports","label":"l"})");
  EXPECT_EQ(Edges(graph->snapshot(), "supports"), "");
}

TEST(Json, EventsAndOutcomes) {
  auto graph = Graph::InMemory();
  const std::string text =
      R"({"event":"e1","tool":"deep_reference","mode":"x","query":"why?","created_at":7,)"
      R"("members":[)"
      R"({"id":"m1","role":"primary","rank":0,"trust":0.9,"score":0.8,"preview":"p","tags":["t"]},)"
      R"({"id":"m1","role":"related"},{"id":"m2","role":"supporting","rank":1}],"props":{"k":1}})"
      "\n"
      R"({"outcome":"e1","type":"helpful","notes":"n","source":"user","confidence_delta":0.0,)"
      R"("labeled_at":8})"
      "\n"
      R"({"outcome":"e1","type":"dead_end","labeled_at":9})"
      "\n";
  ImportReport r = LoadClean(*graph, "f.jsonl", text);
  EXPECT_EQ(r.events, (ChangeCounts{1, 0, 0}));
  EXPECT_EQ(r.nodes, (ChangeCounts{2, 0, 0}));
  EXPECT_EQ(r.outcomes, 2u);
  Snapshot s = graph->snapshot();
  EXPECT_EQ(s.CountNodes(Plane::kFact), 2u);
  EXPECT_EQ(s.CountEdges(Plane::kFact), 0u);
  EXPECT_EQ(Edges(s, "member"), "e1>m1#primary e1>m1#related e1>m2#supporting");
  const std::string event = IndexKey("event", "e1");
  EXPECT_EQ(Text(s, event), "why?");
  EXPECT_EQ(Props(s, event), R"({"k":1,"mode":"x","tool":"deep_reference"})");
  EXPECT_EQ(s.i64(kCreatedAt, Id(s, event)), 7);

  const Sequence sequence = s.sequence();
  r = LoadClean(*graph, "f.jsonl", text);
  EXPECT_EQ(r.events, (ChangeCounts{0, 0, 1}));
  EXPECT_EQ(r.sequence, sequence);

  // Absent keeps; null clears; the list of members replaces; "props" replaces props only.
  LoadClean(
      *graph, "f.jsonl",
      R"({"event":"e1","mode":null,"confidence":0.5,"members":[{"id":"m3","role":"primary"}]})");
  s = graph->snapshot();
  EXPECT_EQ(Edges(s, "member"), "e1>m3#primary");
  EXPECT_EQ(Props(s, event), R"({"confidence":0.5,"k":1,"tool":"deep_reference"})");
  LoadClean(*graph, "f.jsonl",
            R"({"event":"e1","props":{"j":2}})"
            "\n"
            R"({"event":"e1","tool":"t2"})");
  EXPECT_EQ(Props(graph->snapshot(), event), R"({"confidence":0.5,"j":2,"tool":"t2"})");
  EXPECT_EQ(Text(graph->snapshot(), event), "why?");
}

TEST(Json, DefinitionsAndVectors) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "f.jsonl",
            R"({"kind":"mentors","plane":"fact","symmetric":false,"inverse":"mentored_by"})"
            "\n"
            R"({"kind":"topic","of":"node","plane":"index"})"
            "\n"
            R"({"kind":"about","plane":"index","target":"topic"})"
            "\n"
            R"({"column":"stakes","type":"f64"})"
            "\n"
            R"({"column":"place","type":"string"})"
            "\n"
            R"({"space":"default","dimensions":3,"metric":"l2"})"
            "\n"
            R"({"node":"a","stakes":2.5,"place":"here"})"
            "\n"
            R"({"edge":["b","a"],"kind":"mentored_by"})"
            "\n"
            R"({"edge":["a","physics"],"kind":"about"})"
            "\n"
            R"({"vector":"a","values":[1,2.5,-3e-2]})"
            "\n");
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(Edges(s, "mentors"), "a>b");
  EXPECT_EQ(Edges(s, "about"), "a>physics");
  EXPECT_EQ(s.CountNodes(Plane::kFact), 2u);
  const ColumnId stakes = *s.schema().FindColumn("stakes");
  EXPECT_EQ(s.f64(stakes, Id(s, "a")), 2.5);
  const VectorView* space = s.space(SpaceId{});
  ASSERT_TRUE(space && space->has(Id(s, "a")));
  EXPECT_EQ(testing::VectorOf(*space, Id(s, "a"))[2], -3e-2f);
  LoadClean(*graph, "f.jsonl", R"({"vector":"a","values":null})");
  EXPECT_FALSE(graph->snapshot().space(SpaceId{})->has(Id(s, "a")));
}

TEST(Json, RemoveAndPurge) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "f.jsonl",
            R"({"edge":["a","b"],"kind":"supports"})"
            "\n"
            R"({"node":"c","text":"secret"})"
            "\n"
            R"({"remove":"a"})"
            "\n"
            R"({"purge":"c"})");
  const Snapshot s = graph->snapshot();
  EXPECT_FALSE(s.alive(Id(s, "a")));
  EXPECT_TRUE(s.purged(Id(s, "c")));
  EXPECT_EQ(s.CountNodes(Plane::kFact), 1u);
  const ImportReport r = LoadClean(*graph, "f.jsonl",
                                   R"({"remove":"a"})"
                                   "\n"
                                   R"({"remove":"never"})");
  EXPECT_EQ(r.removed, 0u);
}

TEST(Json, RefusesWithReasons) {
  struct Case {
    const char *line, *reason;
  };
  for (const Case& c : {
           Case{R"({"node":"a","trsut":1})", "unknown key \"trsut\""},
           Case{R"({"node":"a","trust":"x"})", "\"trust\" must be a number or null, got a string"},
           Case{R"({"node":"a","access_count":1.5})", "must be an integer"},
           Case{R"({"node":"a","props":{"x":1,"x":2}})", "stands twice"},
           Case{R"({"node":""})", "node key is empty"},
           Case{R"({"node":"a\u0000b"})", "NUL"},
           Case{R"({"node":"x\u001fy"})", "U+001F"},
           Case{R"({"node":7})", "must be a node's key"},
           Case{R"({"node":"a","edge":["a","b"]})", "not both"},
           Case{R"({"edge":["a"],"kind":"x"})", "[source, target]"},
           Case{R"({"edge":["a","b"],"kind":"x","weight":-1})", "negative"},
           Case{R"({"edge":["a","a"],"kind":"supports"})", "cannot join 'a' to itself"},
           Case{R"({"edge":["a","b"],"kind":""})", "edge kind's name"},
           Case{R"({"edge":["a","b"],"kind":"x","created_at":null})", "cannot be cleared"},
           Case{R"({"vector":"a","values":[]})", "1 to 4096"},
           Case{R"({"outcome":"e"})", "needs a \"type\""},
           Case{R"({"event":"e","members":[{"role":"x"}]})", "needs an \"id\""},
           Case{R"({"event":"e","members":[{"id":"a"},{"id":"a"}]})", "stands twice"},
           Case{R"({"event":"e","props":{"tool":"x"}})", "attribute of the record itself"},
           Case{R"({"kind":"supports","symmetric":true})", "already defined"},
           Case{R"({"column":"node"})", "records use that key"},
           Case{R"({"column":"trust","type":"i64"})", "already defined"},
           Case{R"({"space":"s","dimensions":0})", "1 to 4096"},
           Case{R"({"hello":1})", "not a record"},
           Case{R"([1,2])", "expected an object"},
           Case{R"({"node":"a"} x)", "JSON:"},
           Case{R"({"node":"a")", "JSON:"},
           Case{R"({'node':'a'})", "JSON:"},
           Case{R"({"node":"a",})", "JSON:"},
           Case{R"({"node":"\ud800"})", "JSON:"},
       }) {
    const std::string error = OneError("f.jsonl", std::string("\n") + c.line + "\n");
    EXPECT_TRUE(error.starts_with("f.jsonl:2: ")) << error;
    EXPECT_NE(error.find(c.reason), std::string::npos) << c.line << "\n  " << error;
  }
}

TEST(Json, BadLineAddsNothing) {
  auto graph = Graph::InMemory();
  Load(*graph, "f.jsonl",
       R"({"event":"e","members":[{"id":"x"},{"id":"y","rank":"bad"}]})"
       "\n"
       R"({"edge":["p","q"],"kind":"newkind","weight":"w"})"
       "\n"
       R"({"node":"ok"})",
       Skip());
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(s.node_count(), 1u);
  EXPECT_FALSE(s.schema().FindEdgeKind("newkind"));
}

TEST(Json, KindNamesAreCheckedWithTheRecord) {
  for (const char* record :
       {R"({"edge":["n1","n2"],"kind":"bad\u0007kind"})", R"({"node":"n1","kind":"bad\u0007kind"})",
        R"({"node":"n1","kind":"bad\u007fkind"})"}) {
    auto graph = Graph::InMemory();
    const ImportReport r =
        Load(*graph, "f.jsonl", "{\"node\":\"n0\"}\n" + std::string(record) + "\n");
    ASSERT_EQ(r.kept_errors.size(), 1u);
    EXPECT_EQ(r.kept_errors[0].line, 2u);
    EXPECT_NE(r.kept_errors[0].reason.find("kind name contains a control character"),
              std::string::npos);
    EXPECT_EQ(graph->snapshot().node_count(), 0u);
  }
}

// What only the graph can refuse is narrowed down to its line.
TEST(Json, RefusalByTheGraphNamesItsLine) {
  std::string text = "key,kind\n";
  for (int i = 0; i < 100; ++i) text += "n" + std::to_string(i) + ",\n";
  text += "n200,bad\akind\n";
  for (int i = 100; i < 200; ++i) text += "n" + std::to_string(i) + ",\n";
  auto graph = Graph::InMemory();
  const ImportReport r = Load(*graph, "f.csv", text, Skip());
  EXPECT_EQ(r.errors, 1u);
  ASSERT_EQ(r.kept_errors.size(), 1u);
  EXPECT_EQ(r.kept_errors[0].line, 102u);
  EXPECT_NE(r.kept_errors[0].reason.find("control character"), std::string::npos);
  EXPECT_EQ(r.nodes, (ChangeCounts{200, 0, 0}));
  auto stopped = Graph::InMemory();
  EXPECT_TRUE(Load(*stopped, "f.csv", text).stopped);
  EXPECT_EQ(stopped->snapshot().sequence(), 0u);
}

TEST(Json, Limits) {
  EXPECT_NE(OneError("f.jsonl", R"({"node":"a","text":")" + std::string((1 << 20) + 1, 'x') + "\"}")
                .find("string over 1048576 bytes"),
            std::string::npos);
  // Of values, as each takes fifty times its two bytes while it is read.
  std::string values = R"({"node":"a","props":{"x":[0)";
  for (int i = 0; i < 1'000'000; ++i) values += ",0";
  EXPECT_NE(OneError("f.jsonl", values + "]}}").find("more than 1000000 values"),
            std::string::npos);
  std::string tags = R"({"node":"a","tags":[)";
  for (int i = 0; i < 65; ++i) tags += (i ? ",\"" : "\"") + std::to_string(i) + "\"";
  EXPECT_NE(OneError("f.jsonl", tags + "]}").find("more than 64 tags"), std::string::npos);
}

TEST(Json, FirstErrorsAreKeptAllAreCounted) {
  ImportOptions options = Skip();
  options.max_errors_kept = 3;
  std::string text;
  for (int i = 0; i < 50; ++i) text += "x\n";
  auto graph = Graph::InMemory();
  const ImportReport r = Load(*graph, "f.jsonl", text, options);
  EXPECT_EQ(r.errors, 50u);
  ASSERT_EQ(r.kept_errors.size(), 3u);
  EXPECT_EQ(r.kept_errors[2].line, 3u);
}

TEST(Properties, CanonicalAndExact) {
  EXPECT_EQ(PropertiesFromJson(R"({"b":"y","a":"x"})").value(),
            PropertiesFromJson(R"({ "a":"x","b":"y" })").value());
  EXPECT_EQ(PropertiesFromJson("{}").value(), "");
  for (
      const char* json :
      {R"({"a":0.1,"b":1e+300,"c":-0.0,"d":3.0,"e":18446744073709551615,"f":-9223372036854775808})",
       R"({"k":[[],{},"",null,false]})", R"({"":"empty key","q":"\"\\\n\u0001\u007f"})"})
    EXPECT_EQ(JsonFromProperties(PropertiesFromJson(json).value()).value(), json);
  EXPECT_FALSE(JsonFromProperties("garbage"));
  EXPECT_FALSE(PropertiesFromJson("[]"));
  EXPECT_FALSE(PropertiesFromJson(R"({"a\u0000":1})"));
  EXPECT_FALSE(PropertiesFromJson(R"({"a":"\u0000"})"));
}

}  // namespace
}  // namespace plexus::formats::internal
