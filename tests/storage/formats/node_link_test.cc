// Node-link JSON: both dialects, attributes, what is refused and where.
#include <random>

#include "tests/support/text_support.h"

namespace plexus::formats_internal {
namespace {

constexpr const char* kNetworkX =
    R"({"directed": false, "multigraph": false, "graph": {"name": "g"},
 "nodes": [{"id": 1, "type": "person", "age": 41, "trust": 0.5},
           {"id": "b", "text": "second",
            "tags": ["x", "y"]}],
 "links": [{"source": 1, "target": "b", "weight": 0.25, "since": [1, {"y": 2}]}]})";

TEST(NodeLink, NetworkXUndirected) {
  auto graph = Graph::InMemory();
  const ImportReport r = LoadClean(*graph, "g.json", kNetworkX);
  EXPECT_EQ(r.records, 3u);
  EXPECT_EQ(r.nodes, (ImportCounts{2, 0, 0}));
  EXPECT_EQ(r.edges, (ImportCounts{1, 0, 0}));
  EXPECT_EQ(
      JsonLines(graph->snapshot()),
      "{\"kind\":\"person\",\"of\":\"node\",\"plane\":\"fact\"}\n"
      "{\"kind\":\"linked\",\"plane\":\"fact\",\"symmetric\":true}\n"
      "{\"node\":\"1\",\"kind\":\"person\",\"props\":{\"age\":41},\"trust\":0.5,\"created_at\":"
      "1700000000000}\n"
      "{\"node\":\"b\",\"kind\":\"node\",\"text\":\"second\",\"tags\":[\"x\",\"y\"],\"created_at\":"
      "1700000000000}\n"
      "{\"edge\":[\"1\",\"b\"],\"kind\":\"linked\",\"weight\":0.25,\"created_at\":1700000000000,"
      "\"props\":{\"since\":[1,{\"y\":2}]}}\n");
  const Sequence before = graph->snapshot().sequence();
  const ImportReport again = LoadClean(*graph, "g.json", kNetworkX);
  EXPECT_EQ(again.nodes, (ImportCounts{0, 0, 2}));
  EXPECT_EQ(again.edges, (ImportCounts{0, 0, 1}));
  EXPECT_EQ(again.sequence, before);
}

TEST(NodeLink, EdgesDialectDirectedMultigraphFlagsBehind) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "g.json",
            R"({"nodes":[{"id":"a"},{"id":"b"}],"edges":[{"source":"a","target":"b","key":0},
               {"source":"a","target":"b","key":1,"kind":"knows"},{"source":"b","target":"a",)"
            R"("key":"k"},
               {"source":"a","target":"b","kind":"similar","key":7,"label":""}],)"
            R"("multigraph":true,"directed":true})");
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(Edges(s, "link"), "a>b b>a#k");
  EXPECT_EQ(Edges(s, "knows"), "a>b#1");
  EXPECT_EQ(Edges(s, "similar"), "a>b");  // a label given overrides the key
}

TEST(NodeLink, D3ListsAlone) {
  auto by_id = Graph::InMemory();
  LoadClean(*by_id, "miserables.json",
            R"({"nodes":[{"id":"Myriel","group":1},{"id":"Anne"}],)"
            R"("links":[{"source":"Anne","target":"Myriel","value":3}]})");
  EXPECT_EQ(Edges(by_id->snapshot(), "link"), "Anne>Myriel");
  auto by_number = Graph::InMemory();
  LoadClean(*by_number, "old.json",
            R"({"nodes":[{"name":"Myriel"},{"name":"Anne"}],"links":[{"source":1,"target":0}]})");
  EXPECT_EQ(Edges(by_number->snapshot(), "link"), "1>0");
  EXPECT_EQ(Id(by_number->snapshot(), "0"), 0u);
}

std::string Refused(const std::string& text, ImportOptions options = {}) {
  auto graph = Graph::InMemory();
  options.format = FileFormat::kNodeLink;
  const ImportReport r = Load(*graph, "g", text, options);
  EXPECT_TRUE(r.stopped) << text.substr(0, 300);
  EXPECT_EQ(graph->snapshot().sequence(), 0u);
  return r.kept_errors.empty() ? "" : r.kept_errors[0].ToString();
}

TEST(NodeLink, RefusedWithLineAndNoChange) {
  const std::string nodes = "{\"nodes\":[{\"id\":\"a\"},\n{\"id\":\"b\"}],\n\"links\":[";
  const auto edge = [&](const std::string& attributes) {
    return nodes + "{\"source\":\"a\",\"target\":\"b\"},\n{\"source\":\"a\",\"target\":\"b\"," +
           attributes + "}]}";
  };
  EXPECT_EQ(Refused(edge("\"weight\":-1")), "g:4: weight -1 is negative");
  EXPECT_EQ(Refused(edge("\"weight\":NaN")), "g:4: JSON: syntax error at byte 37 of the element");
  EXPECT_EQ(Refused(edge("\"weight\":1e400")),
            "g:4: JSON: number 1e400 is out of range at byte 42 of the element");
  EXPECT_EQ(Refused(edge("\"weight\":1e39")),
            "g:4: \"weight\" must be a number within f32, got 1e39");
  EXPECT_EQ(Refused(edge("\"weight\":\"1\"")),
            "g:4: \"weight\" must be a number within f32, got a string");
  EXPECT_EQ(Refused(edge("\"x\":1,\"x\":2")),
            "g:4: JSON: key \"x\" stands twice at byte 39 of the element");
  EXPECT_EQ(Refused(edge("\"x\":\"\xff\"")),
            "g:4: JSON: not valid UTF-8 at byte 33 of the element");
  EXPECT_EQ(Refused(edge("\"source\":1")),
            "g:4: JSON: key \"source\" stands twice at byte 38 of the element");
  EXPECT_EQ(Refused(edge("\"kind\":\"causes\",\"directed\":false")),
            "g:4: the edge is undirected, but kind \"causes\" is directed");
  EXPECT_EQ(Refused("{\"nodes\":[{\"id\":1.5}]}"),
            "g:1: \"id\" must be a string or an integer, got 1.5");
  EXPECT_EQ(Refused("{\"nodes\":[{\"id\":\"\"}]}").substr(0, 4), "g:1:");
  EXPECT_EQ(Refused("{\"nodes\":[7]}"), "g:1: expected an object, got an integer");
  EXPECT_EQ(Refused("{\"nodes\":[{}],\n\"nodes\":[]}"), "g:2: \"nodes\" stands twice");
  EXPECT_EQ(Refused("{\"links\":[],\"edges\":[]}"), "g:1: has both \"links\" and \"edges\"");
  EXPECT_EQ(Refused("{\"graph\":{}}"),
            "g:1: has neither \"nodes\" nor \"links\" nor \"edges\"; it has \"graph\"");
  EXPECT_EQ(Refused("{\"directed\":1,\"nodes\":[]}"), "g:1: \"directed\" must be true or false");
  EXPECT_EQ(Refused("{\"nodes\":[]}\n x"), "g:2: something follows the object");
  EXPECT_EQ(Refused("{\"nodes\":{}}"), "g:1: expected a list of elements");
  EXPECT_EQ(Refused(""), "g:1: the file is empty");
  EXPECT_EQ(Refused("[]"), "g:1: expected an object with \"nodes\"");
  for (std::size_t size = 1; size + 1 < nodes.size(); ++size)  // every cut
    EXPECT_NE(Refused(nodes.substr(0, size)).find("the file ends"), std::string::npos) << size;
  std::string deep(100'000, '[');
  EXPECT_EQ(Refused("{\"nodes\":[{\"id\":\"a\",\"x\":" + deep),
            "g:1: the file ends inside a value");
  EXPECT_NE(Refused("{\"nodes\":[{\"id\":\"a\",\"x\":" + deep + std::string(100'000, ']') + "}]}")
                .find("too deep"),
            std::string::npos);
}

// A name that no kind can have is found by the checking pass, far behind good elements.
TEST(NodeLink, BadKindNamesChangeNothing) {
  std::string nodes = "{\"nodes\":[";
  for (int i = 0; i < 500; ++i) nodes += "{\"id\":" + std::to_string(i) + "},\n";
  ImportOptions options;
  options.batch_ops = 10;
  options.block_bytes = 100;
  EXPECT_EQ(Refused(nodes + R"({"id":"a","kind":"bad\u0007kind"}]})", options),
            "g:501: node kind name contains a control character");
  EXPECT_EQ(Refused(nodes + "{\"id\":\"a\"}],\n" +
                        R"("links":[{"source":"a","target":"a","kind":"bad\u001bkind"}]})",
                    options),
            "g:502: edge kind name contains a control character");
}

TEST(NodeLink, AnEdgeLeftOutDefinesNoKind) {
  auto graph = Graph::InMemory();
  const ImportReport r = Load(
      *graph, "g.json", R"({"nodes":[{"id":"a"}],"links":[{"source":"a","target":"","kind":"knows"},
    {"source":"a","target":"a","kind":"sees"}]})",
      Skip());
  EXPECT_EQ(r.errors, 1u);
  EXPECT_FALSE(graph->snapshot().schema().FindEdgeKind("knows"));
  EXPECT_TRUE(graph->snapshot().schema().FindEdgeKind("sees"));
}

TEST(NodeLink, OneLongLineIsFineOneLongElementIsNot) {
  std::string text = "{\"nodes\":[";
  for (int i = 0; i < 5000; ++i) text += (i ? ",{\"id\":" : "{\"id\":") + std::to_string(i) + "}";
  ImportOptions options;
  options.limits.line_bytes = 200;
  options.block_bytes = 100;
  auto graph = Graph::InMemory();
  EXPECT_EQ(LoadClean(*graph, "g.json", text + "]}", options).nodes.added, 5000u);
  EXPECT_EQ(Refused(text + ",{\"id\":\"" + std::string(1'000'000, 'x') + "\"}]}", options),
            "g:1: element over 200 bytes");
  auto skipping = Graph::InMemory();
  options.on_error = OnImportError::kSkip;
  const ImportReport r =
      Load(*skipping, "g.json",
           text + ",{\"id\":\"" + std::string(1000, 'x') + "\"},{\"id\":\"z\"}]}", options);
  EXPECT_EQ(r.errors, 1u);
  EXPECT_EQ(r.nodes.added, 5001u);
}

TEST(NodeLink, ThreadsAndCutsChangeNothing) {
  std::mt19937_64 random(7);
  std::string text = "{\"nodes\":[{\"id\":\"n0\"}],\n\"links\":[";
  for (int i = 0; i < 3000; ++i) {
    text += i ? "," : "";
    text += "{\"source\":\"n" + std::to_string(random() % 200) + "\",\"target\":\"n" +
            std::to_string(random() % 200) + "\",\"kind\":\"k" + std::to_string(random() % 3) +
            "\",\"weight\":0." + std::to_string(random() % 10) + "}";
    if (random() % 2) text += "\n";
  }
  text += "]}";
  ExpectSameAtAnyCut("g.json", text, {64, 3000, 1 << 22});
}

}  // namespace
}  // namespace plexus::formats_internal
