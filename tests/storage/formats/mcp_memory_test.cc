// The MCP memory server's file: entities, observations, relations.
#include <random>
#include <sstream>
#include <vector>

#include "engine/properties/json_writer.h"
#include "storage/formats/base/properties.h"
#include "storage/formats/export.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
namespace {

std::string Memory(const Snapshot& snapshot) {
  std::ostringstream out;
  EXPECT_TRUE(ExportMcpMemory(snapshot, out));
  return out.str();
}

const std::string kFile =
    R"({"type":"entity","name":"Ada","entityType":"person","observations":["wrote notes","likes )"
    R"(tea"]})"
    "\n"
    R"({"type":"entity","name":"main.rs","entityType":"file","observations":[]})"
    "\n"
    R"({"type":"entity","name":"Odd","entityType":"","observations":["two\nlines",""]})"
    "\n\n"
    R"({"type":"relation","from":"Ada","to":"Odd","relationType":"knows"})"
    "\n"
    R"({"type":"relation","from":"Ada","to":"main.rs","relationType":"mentions"})"
    "\n"
    R"({"type":"relation","from":"Ada","to":"Unseen","relationType":"knows","since":2})"
    "\n";

TEST(McpMemory, NothingIsLost) {
  auto graph = Graph::InMemory();
  const ImportReport r = LoadClean(*graph, "memory.jsonl", kFile);
  EXPECT_EQ(r.nodes, (ChangeCounts{4, 0, 0}));
  EXPECT_EQ(r.edges, (ChangeCounts{3, 0, 0}));
  const std::string at = "\"created_at\":1700000000000";
  const std::string expected =
      "{\"kind\":\"person\",\"of\":\"node\",\"plane\":\"fact\"}\n"
      "{\"kind\":\"knows\",\"plane\":\"fact\",\"symmetric\":false}\n"
      "{\"node\":\"Ada\",\"kind\":\"person\",\"text\":\"wrote notes\\nlikes "
      "tea\",\"props\":{\"file_line\":1}," +
      at +
      "}\n"
      "{\"node\":\"main.rs\",\"kind\":\"node\",\"props\":{\"entityType\":\"file\",\"file_line\":2}"
      "," +
      at +
      "}\n"
      "{\"node\":\"Odd\",\"kind\":\"node\",\"text\":\"two\\nlines\\n\",\"props\":{\"entityType\":"
      "\"\",\"file_line\":3,\"observations\":[\"two\\nlines\",\"\"]}," +
      at +
      "}\n"
      "{\"node\":\"Unseen\",\"kind\":\"node\",\"created_at\":null}\n"
      "{\"edge\":[\"Ada\",\"main.rs\"],\"kind\":\"link\",\"weight\":1,\"label\":\"mentions\"," +
      at +
      ",\"props\":{\"file_line\":6}}\n"
      "{\"edge\":[\"Ada\",\"Odd\"],\"kind\":\"knows\",\"weight\":1," +
      at +
      ",\"props\":{\"file_line\":5}}\n"
      "{\"edge\":[\"Ada\",\"Unseen\"],\"kind\":\"knows\",\"weight\":1," +
      at + ",\"props\":{\"file_line\":7,\"since\":2}}\n";
  EXPECT_EQ(JsonLines(graph->snapshot()), expected);
  const Sequence before = graph->snapshot().sequence();
  const ImportReport again = LoadClean(*graph, "memory.json", kFile);  // by content, too
  EXPECT_EQ(again.nodes, (ChangeCounts{0, 0, 4}));
  EXPECT_EQ(again.edges, (ChangeCounts{0, 0, 3}));
  EXPECT_EQ(again.sequence, before);
  // A list that needs no property any more loses it.
  LoadClean(*graph, "memory.jsonl",
            R"({"type":"entity","name":"Odd","entityType":"person","observations":["one"]})"
            "\n");
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(*s.Payload(Id(s, "Odd"), NodeField::kText), "one");
  EXPECT_EQ(JsonFromProperties(*s.Payload(Id(s, "Odd"), NodeField::kProperties)).value(),
            R"({"file_line":1})");
}

// The short way to the properties of most records gives the bytes of the long one.
TEST(McpMemory, PropertiesAreCanonicalWhicheverWayTheyAreMade) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "memory.jsonl", kFile);
  const Snapshot s = graph->snapshot();
  const auto canonical = [](const char* json) { return *PropertiesFromJson(json); };
  EXPECT_EQ(*s.Payload(Id(s, "Ada"), NodeField::kProperties), canonical(R"({"file_line":1})"));
  EXPECT_EQ(*s.Payload(Id(s, "main.rs"), NodeField::kProperties),
            canonical(R"({"entityType":"file","file_line":2})"));
  const EdgeKindId knows = s.schema().FindEdgeKind("knows")->kind;
  const auto of_edge = [&](const char* target) {
    return *s.Payload(s.FindEdge(Id(s, "Ada"), knows, Id(s, target))->properties);
  };
  EXPECT_EQ(of_edge("Odd"), canonical(R"({"file_line":5})"));
  EXPECT_EQ(of_edge("Unseen"), canonical(R"({"file_line":7,"since":2})"));
}

// Equal lines are `same`; one that says something else is warned of.
TEST(McpMemory, EqualLinesAreTheSame) {
  const std::string entity = R"({"type":"entity","name":"A","entityType":"t","observations":["o"]})"
                             "\n";
  const std::string relation = R"({"type":"relation","from":"A","to":"B","relationType":"knows"})"
                               "\n";
  auto graph = Graph::InMemory();
  const ImportReport r = LoadClean(*graph, "m.jsonl", entity + entity + relation + relation);
  EXPECT_TRUE(r.warnings.empty());
  EXPECT_EQ(r.edges, (ChangeCounts{1, 0, 1}));
  EXPECT_EQ(r.nodes.changed, 0u);
  for (const std::string& other :
       {entity + R"({"type":"entity","name":"A","entityType":"t","observations":["p"]})",
        entity + R"({"type":"entity","name":"A","entityType":"u","observations":["o"]})",
        entity + R"({"type":"entity","name":"A","entityType":"t","observations":["o"],"x":1})",
        relation + R"({"type":"relation","from":"A","to":"B","relationType":"knows","x":1})"}) {
    auto again = Graph::InMemory();
    EXPECT_EQ(LoadClean(*again, "m.jsonl", other).warnings.size(), 1u) << other;
  }
}

TEST(McpMemory, ManyTypesAndTypesThatAreNoKinds) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    const std::string n = std::to_string(i);
    text += R"({"type":"entity","name":"n)" + n + R"(","entityType":")" +
            (i % 2 ? "t" : "\\u0007") + n +
            R"(","observations":[]})"
            "\n";
  }
  auto graph = Graph::InMemory();
  EXPECT_EQ(LoadClean(*graph, "memory.jsonl", text).nodes.added, 5000u);
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(s.schema().node_kind(s.node_kind(Id(s, "n4999"))).name, "t4999");
  EXPECT_EQ(s.node_kind(Id(s, "n4998")), kNode);
  EXPECT_EQ(JsonFromProperties(*s.Payload(Id(s, "n4998"), NodeField::kProperties)).value(),
            R"({"entityType":"\u00074998","file_line":4999})");
}

TEST(McpMemory, ARelationThatIsNoKindIsALabel) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "m.jsonl",
            R"({"type":"relation","from":"a","to":"b","relationType":"\u0007"})"
            "\n");
  EXPECT_EQ(Memory(graph->snapshot()),
            R"({"type":"relation","from":"a","to":"b","relationType":"\u0007"})"
            "\n");
}

TEST(McpMemory, FirstLineLongerThanWhatIsSniffed) {
  const std::string line =
      R"({"type": "entity","name":"Ada","entityType":"person","observations":[")" +
      std::string(100'000, 'x') + "\"]}\n";
  for (const char* name : {"memory.json", "memory.jsonl", "memory"}) {
    auto graph = Graph::InMemory();
    EXPECT_EQ(LoadClean(*graph, name, line + kFile).nodes.added, 4u) << name;
  }
}

TEST(McpMemory, RefusedByLineWithoutChange) {
  const auto refused = [](const std::string& line) {
    auto graph = Graph::InMemory();
    ImportOptions options;
    options.format = FileFormat::kMcpMemory;
    const ImportReport r = Load(*graph, "m.jsonl", kFile + line + "\n", options);
    EXPECT_TRUE(r.stopped) << line;
    EXPECT_EQ(graph->snapshot().sequence(), 0u);
    return r.kept_errors.empty() ? "" : r.kept_errors[0].ToString();
  };
  EXPECT_EQ(refused(R"({"name":"x"})"), "m.jsonl:8: no \"type\"");
  EXPECT_EQ(refused(R"({"type":"entity","name":"x","entityType":"t"})"),
            "m.jsonl:8: no \"observations\"");
  EXPECT_EQ(refused(R"({"type":"entity","name":"x","entityType":"t","observations":[1]})"),
            "m.jsonl:8: an observation must be a string, got an integer");
  EXPECT_EQ(refused(R"({"type":"entity","name":7,"entityType":"t","observations":[]})"),
            "m.jsonl:8: \"name\" must be a string, got 7");
  EXPECT_EQ(refused(R"({"type":"relation","from":"a","to":"b"})"),
            "m.jsonl:8: no \"relationType\"");
  EXPECT_EQ(refused(R"({"type":"relation","from":"a","to":"tag\u001fb","relationType":"r"})"),
            "m.jsonl:8: an entity's name must not hold U+001F");
  EXPECT_EQ(refused("{\"type\":\"entity\",\"na"), "m.jsonl:8: JSON: incomplete JSON at byte 21");
  EXPECT_EQ(refused("[]"), "m.jsonl:8: expected an object, got an array");
  EXPECT_EQ(refused("{\"type\":\"entity\",\"name\":\"\xff\"}").substr(0, 10), "m.jsonl:8:");
}

// What the server wrote comes back as it wrote it: names, directions, order.
TEST(McpMemory, RelationsComeBackAsWritten) {
  std::string file =
      R"({"type":"entity","name":"B","entityType":"person","observations":["z","a"]})"
      "\n"
      R"({"type":"entity","name":"A","entityType":"tag","observations":[]})"
      "\n";
  for (const char* name : {"relates_to", "caused_by", "causes", "contradicts", "supersedes",
                           "has_tag", "member", "link", "", "knows"})
    for (const char* ends :
         {R"("from":"B","to":"A")", R"("from":"A","to":"B")", R"("from":"A","to":"A")"})
      file +=
          std::string(R"({"type":"relation",)") + ends + R"(,"relationType":")" + name + "\"}\n";
  auto graph = Graph::InMemory();
  EXPECT_EQ(LoadClean(*graph, "m.jsonl", file).edges.added, 30u);
  EXPECT_EQ(Memory(graph->snapshot()), file);
  const Sequence before = graph->snapshot().sequence();
  LoadClean(*graph, "m.jsonl", file);
  EXPECT_EQ(graph->snapshot().sequence(), before);
  // The kinds that Plexus knows are meant as such.
  const Snapshot s = graph->snapshot();
  EXPECT_TRUE(s.FindEdge(Id(s, "A"), kCauses, Id(s, "B"), *s.FindString("caused_by")));
  EXPECT_TRUE(s.FindEdge(Id(s, "A"), kCauses, Id(s, "B")));
}

TEST(McpMemory, RandomFilesComeBackAsTheServerLoadsThem) {
  const std::vector<std::string> names = {"a",    "b",     "\u00e9t\u00e9", "x y",
                                          "link", "tag:t", "reversed",      "0"};
  const std::vector<std::string> kinds = {"relates_to", "caused_by",  "causes", "blocked_by",
                                          "is-a",       "in_session", "",       "link",
                                          "reversed",   "likes",      "LIKES"};
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](const std::vector<std::string>& from) {
      return from[random() % from.size()];
    };
    std::vector<std::string> entities, relations;
    for (const std::string& name : names) {
      if (random() % 3 == 0) continue;
      std::string line = R"({"type":"entity","name":")" + name + R"(","entityType":")" +
                         pick({"node", "person", "", "tag"}) + R"(","observations":[)";
      for (unsigned i = random() % 4; i > 0; --i)
        line += "\"" + pick({"o", "", "two\\nlines", "z"}) + (i > 1 ? "\"," : "\"");
      entities.push_back(line + "]}");
    }
    for (unsigned i = random() % 20; i > 0; --i) {
      const std::string line = R"({"type":"relation","from":")" + pick(names) + R"(","to":")" +
                               pick(names) + R"(","relationType":")" + pick(kinds) + "\"}";
      if (std::find(relations.begin(), relations.end(), line) == relations.end())
        relations.push_back(line);
    }
    std::shuffle(entities.begin(), entities.end(), random);
    std::string file;
    for (const auto* list : {&entities, &relations})
      for (const std::string& line : *list) file += line + "\n";
    auto graph = Graph::InMemory();
    ImportOptions options;
    options.format = FileFormat::kMcpMemory;
    LoadClean(*graph, "m.jsonl", file, options);
    ASSERT_EQ(Memory(graph->snapshot()), file) << "seed " << seed;
    auto copy = Graph::InMemory();
    LoadClean(*copy, "m.jsonl", file, options);
    ASSERT_EQ(Memory(copy->snapshot()), file) << "seed " << seed;
  }
}

}  // namespace
}  // namespace plexus::formats::internal
