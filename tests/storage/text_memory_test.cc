// The MCP memory server's file: entities, observations, relations.
#include "storage/text/properties.h"
#include "tests/storage/text_support.h"

namespace plexus::text {
namespace {

const std::string kFile =
    R"({"type":"entity","name":"Ada","entityType":"person","observations":["wrote notes","likes tea"]})" "\n"
    R"({"type":"entity","name":"main.rs","entityType":"file","observations":[]})" "\n"
    R"({"type":"entity","name":"Odd","entityType":"","observations":["two\nlines",""]})" "\n\n"
    R"({"type":"relation","from":"Ada","to":"Odd","relationType":"knows"})" "\n"
    R"({"type":"relation","from":"Ada","to":"main.rs","relationType":"mentions"})" "\n"
    R"({"type":"relation","from":"Ada","to":"Unseen","relationType":"knows","since":2})" "\n";

TEST(McpMemory, NothingIsLost) {
  auto graph = Graph::InMemory();
  const ImportReport r = LoadClean(*graph, "memory.jsonl", kFile);
  EXPECT_EQ(r.nodes, (ImportCounts{4, 0, 0}));
  EXPECT_EQ(r.edges, (ImportCounts{3, 0, 0}));
  const std::string at = "\"created_at\":1700000000000";
  const std::string expected =
      "{\"kind\":\"person\",\"of\":\"node\",\"plane\":\"fact\"}\n"
      "{\"kind\":\"knows\",\"plane\":\"fact\",\"symmetric\":false}\n"
      "{\"node\":\"Ada\",\"kind\":\"person\",\"text\":\"wrote notes\\nlikes tea\"," + at + "}\n"
      "{\"node\":\"main.rs\",\"kind\":\"node\",\"props\":{\"entityType\":\"file\"}," + at + "}\n"
      "{\"node\":\"Odd\",\"kind\":\"node\",\"text\":\"two\\nlines\\n\",\"props\":{\"entityType\":\"\",\"observations\":[\"two\\nlines\",\"\"]}," + at + "}\n"
      "{\"node\":\"Unseen\",\"kind\":\"node\",\"created_at\":null}\n"
      "{\"edge\":[\"Ada\",\"main.rs\"],\"kind\":\"link\",\"weight\":1,\"label\":\"mentions\"," + at + "}\n"
      "{\"edge\":[\"Ada\",\"Odd\"],\"kind\":\"knows\",\"weight\":1," + at + "}\n"
      "{\"edge\":[\"Ada\",\"Unseen\"],\"kind\":\"knows\",\"weight\":1," + at + ",\"props\":{\"since\":2}}\n";
  EXPECT_EQ(JsonLines(graph->snapshot()), expected);
  const Sequence before = graph->snapshot().sequence();
  const ImportReport again = LoadClean(*graph, "memory.json", kFile);  // by content, too
  EXPECT_EQ(again.nodes, (ImportCounts{0, 0, 4}));
  EXPECT_EQ(again.edges, (ImportCounts{0, 0, 3}));
  EXPECT_EQ(again.sequence, before);
  // A list that needs no property any more loses it.
  LoadClean(*graph, "memory.jsonl", R"({"type":"entity","name":"Odd","entityType":"person","observations":["one"]})" "\n");
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(*s.Payload(Id(s, "Odd"), NodeField::kText), "one");
  EXPECT_FALSE(s.payload_ref(Id(s, "Odd"), NodeField::kProperties));
}

TEST(McpMemory, ManyTypesAndTypesThatAreNoKinds) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    const std::string n = std::to_string(i);
    text += R"({"type":"entity","name":"n)" + n + R"(","entityType":")" + (i % 2 ? "t" : "\\u0007") + n + R"(","observations":[]})" "\n";
  }
  auto graph = Graph::InMemory();
  EXPECT_EQ(LoadClean(*graph, "memory.jsonl", text).nodes.added, 5000u);
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(s.schema().node_kind(s.node_kind(Id(s, "n4999"))).name, "t4999");
  EXPECT_EQ(s.node_kind(Id(s, "n4998")), kNode);
  EXPECT_EQ(JsonFromProperties(*s.Payload(Id(s, "n4998"), NodeField::kProperties)).value(),
            R"({"entityType":"\u00074998"})");
}

TEST(McpMemory, ARelationThatIsNoKindIsRefusedInTheCheck) {
  auto graph = Graph::InMemory();
  const ImportReport r = Load(*graph, "m.jsonl", kFile + R"({"type":"relation","from":"a","to":"b","relationType":"\u0007"})" "\n");
  ASSERT_EQ(r.kept_errors.size(), 1u);
  EXPECT_EQ(r.kept_errors[0].ToString(), "m.jsonl:8: edge kind name contains a control character");
  EXPECT_EQ(graph->snapshot().sequence(), 0u);
}

TEST(McpMemory, FirstLineLongerThanWhatIsSniffed) {
  const std::string line = R"({"type": "entity","name":"Ada","entityType":"person","observations":[")" + std::string(100'000, 'x') + "\"]}\n";
  for (const char* name : {"memory.json", "memory.jsonl", "memory"}) {
    auto graph = Graph::InMemory();
    EXPECT_EQ(LoadClean(*graph, name, line + kFile).nodes.added, 4u) << name;
  }
}

TEST(McpMemory, RefusedByLineWithoutChange) {
  const auto refused = [](const std::string& line) {
    auto graph = Graph::InMemory();
    ImportOptions options;
    options.format = Format::kMcpMemory;
    const ImportReport r = Load(*graph, "m.jsonl", kFile + line + "\n", options);
    EXPECT_TRUE(r.stopped) << line;
    EXPECT_EQ(graph->snapshot().sequence(), 0u);
    return r.kept_errors.empty() ? "" : r.kept_errors[0].ToString();
  };
  EXPECT_EQ(refused(R"({"type":"event"})"), "m.jsonl:8: \"type\" must be entity or relation, got \"event\"");
  EXPECT_EQ(refused(R"({"name":"x"})"), "m.jsonl:8: no \"type\"");
  EXPECT_EQ(refused(R"({"type":"entity","name":"x","entityType":"t"})"), "m.jsonl:8: no \"observations\"");
  EXPECT_EQ(refused(R"({"type":"entity","name":"x","entityType":"t","observations":[1]})"),
            "m.jsonl:8: an observation must be a string, got an integer");
  EXPECT_EQ(refused(R"({"type":"entity","name":7,"entityType":"t","observations":[]})"),
            "m.jsonl:8: \"name\" must be a string, got 7");
  EXPECT_EQ(refused(R"({"type":"relation","from":"a","to":"b"})"), "m.jsonl:8: no \"relationType\"");
  EXPECT_EQ(refused(R"({"type":"relation","from":"a","to":"tag\u001fb","relationType":"r"})"),
            "m.jsonl:8: an entity's name must not hold U+001F");
  EXPECT_EQ(refused("{\"type\":\"entity\",\"na"), "m.jsonl:8: JSON: incomplete JSON at byte 21");
  EXPECT_EQ(refused("[]"), "m.jsonl:8: expected an object, got an array");
  EXPECT_EQ(refused("{\"type\":\"entity\",\"name\":\"\xff\"}").substr(0, 10), "m.jsonl:8:");
}

}  // namespace
}  // namespace plexus::text
