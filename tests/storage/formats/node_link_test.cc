// Node-link JSON: both dialects, attributes, what is refused and where.
#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "storage/formats/json/node_link.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace formats;
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
  EXPECT_EQ(r.nodes, (ChangeCounts{2, 0, 0}));
  EXPECT_EQ(r.edges, (ChangeCounts{1, 0, 0}));
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
  EXPECT_EQ(again.nodes, (ChangeCounts{0, 0, 2}));
  EXPECT_EQ(again.edges, (ChangeCounts{0, 0, 1}));
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

std::string RefusedNodeLink(const std::string& text, ImportOptions options = {}) {
  return RefusedAs(FileFormat::kNodeLink, text, options);
}

TEST(NodeLink, RefusedWithLineAndNoChange) {
  const std::string nodes = "{\"nodes\":[{\"id\":\"a\"},\n{\"id\":\"b\"}],\n\"links\":[";
  const auto edge = [&](const std::string& attributes) {
    return nodes + "{\"source\":\"a\",\"target\":\"b\"},\n{\"source\":\"a\",\"target\":\"b\"," +
           attributes + "}]}";
  };
  EXPECT_EQ(RefusedNodeLink(edge("\"weight\":-1")), "g:4: weight -1 is negative");
  EXPECT_EQ(RefusedNodeLink(edge("\"weight\":NaN")),
            "g:4: JSON: syntax error at byte 37 of the element");
  EXPECT_EQ(RefusedNodeLink(edge("\"weight\":1e400")),
            "g:4: JSON: number 1e400 is out of range at byte 42 of the element");
  EXPECT_EQ(RefusedNodeLink(edge("\"weight\":1e39")),
            "g:4: \"weight\" must be a number within f32, got 1e39");
  EXPECT_EQ(RefusedNodeLink(edge("\"weight\":\"1\"")),
            "g:4: \"weight\" must be a number within f32, got a string");
  EXPECT_EQ(RefusedNodeLink(edge("\"x\":1,\"x\":2")),
            "g:4: JSON: key \"x\" stands twice at byte 39 of the element");
  EXPECT_EQ(RefusedNodeLink(edge("\"x\":\"\xff\"")),
            "g:4: JSON: not valid UTF-8 at byte 33 of the element");
  EXPECT_EQ(RefusedNodeLink(edge("\"source\":1")),
            "g:4: JSON: key \"source\" stands twice at byte 38 of the element");
  EXPECT_EQ(RefusedNodeLink(edge("\"kind\":\"causes\",\"directed\":false")),
            "g:4: the edge is undirected, but kind \"causes\" is directed");
  EXPECT_EQ(RefusedNodeLink("{\"nodes\":[{\"id\":1.5}]}"),
            "g:1: \"id\" must be a string or an integer, got 1.5");
  EXPECT_EQ(RefusedNodeLink("{\"nodes\":[{\"id\":\"\"}]}").substr(0, 4), "g:1:");
  EXPECT_EQ(RefusedNodeLink("{\"nodes\":[7]}"), "g:1: expected an object, got an integer");
  EXPECT_EQ(RefusedNodeLink("{\"nodes\":[{}],\n\"nodes\":[]}"), "g:2: \"nodes\" stands twice");
  EXPECT_EQ(RefusedNodeLink("{\"links\":[],\"edges\":[]}"),
            "g:1: has both \"links\" and \"edges\"");
  EXPECT_EQ(RefusedNodeLink("{\"graph\":{}}"),
            "g:1: has neither \"nodes\" nor \"links\" nor \"edges\"; it has \"graph\"");
  EXPECT_EQ(RefusedNodeLink("{\"directed\":1,\"nodes\":[]}"),
            "g:1: \"directed\" must be true or false");
  EXPECT_EQ(RefusedNodeLink("{\"nodes\":[]}\n x"), "g:2: something follows the object");
  EXPECT_EQ(RefusedNodeLink("{\"nodes\":{}}"), "g:1: expected a list of elements");
  EXPECT_EQ(RefusedNodeLink(""), "g:1: the file is empty");
  EXPECT_EQ(RefusedNodeLink("[]"), "g:1: expected an object with \"nodes\"");
  for (std::size_t size = 1; size + 1 < nodes.size(); ++size)  // every cut
    EXPECT_NE(RefusedNodeLink(nodes.substr(0, size)).find("the file ends"), std::string::npos)
        << size;
  std::string deep(100'000, '[');
  EXPECT_EQ(RefusedNodeLink("{\"nodes\":[{\"id\":\"a\",\"x\":" + deep),
            "g:1: the file ends inside a value");
  EXPECT_NE(
      RefusedNodeLink("{\"nodes\":[{\"id\":\"a\",\"x\":" + deep + std::string(100'000, ']') + "}]}")
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
  EXPECT_EQ(RefusedNodeLink(nodes + R"({"id":"a","kind":"bad\u0007kind"}]})", options),
            "g:501: node kind name contains a control character");
  EXPECT_EQ(RefusedNodeLink(nodes + "{\"id\":\"a\"}],\n" +
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
  EXPECT_EQ(RefusedNodeLink(text + ",{\"id\":\"" + std::string(1'000'000, 'x') + "\"}]}", options),
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

// Gives at most `most` bytes a time, so 1 makes the reader go byte by byte.
class Drops final : public ByteSource {
 public:
  Drops(std::string_view bytes, std::size_t most) : bytes_(bytes), most_(most) {}
  Result<std::size_t> Read(char* to, std::size_t size) override {
    const std::size_t n = std::min({size, most_, bytes_.size()});
    std::memcpy(to, bytes_.data(), n);
    bytes_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view bytes_;
  const std::size_t most_;
};

struct CutLines {
  std::string text;
  std::vector<std::uint64_t> lines;
  std::uint64_t error_line = 0;
  std::string error;
  bool operator==(const CutLines&) const = default;
};

CutLines Cut(std::string_view text, std::size_t most, std::size_t limit,
             NodeLinkReader::What what) {
  CutLines cut;
  NodeLinkReader reader(std::make_unique<Drops>(text, most), 128, limit, what);
  for (;;) {
    const auto block = reader.Next();
    EXPECT_TRUE(block);
    if (!block || !*block) break;
    cut.text += (*block)->text;
    cut.lines.insert(cut.lines.end(), (*block)->lines.begin(), (*block)->lines.end());
  }
  if (const auto& broken = reader.array_error()) {
    cut.error_line = broken->line;
    cut.error = broken->reason;
  }
  return cut;
}

// Values of every shape, some of them broken.
std::string RandomValue(std::mt19937_64& random, int depth) {
  constexpr const char* kParts[] = {"a",  "\\\"", "\\\\",    "\n", "\\\n", "{",    "]",
                                    "\t", "é",    "\\u0041", ",",  ":",    "\x7F", "long text "};
  std::string value;
  switch (random() % (depth > 3 ? 2 : 5)) {
    case 0:
      return std::to_string(random() % 1000);
    case 1:
      value = "\"";
      for (std::size_t n = random() % 12; n > 0; --n) value += kParts[random() % std::size(kParts)];
      return value + (random() % 100 ? "\"" : "");
    case 2:
      for (std::size_t n = random() % 4; n > 0; --n)
        value += (value.empty() ? "" : ",\n ") + RandomValue(random, depth + 1);
      return "[" + value + (random() % 100 ? "]" : "}");
    default:
      for (std::size_t n = 1 + random() % 4; n > 0; --n)
        value += (value.empty() ? "\"" : ",\r\n\"") + std::string("k\\\"") + std::to_string(n) +
                 "\": " + RandomValue(random, depth + 1);
      return "{" + value + (random() % 100 ? "}" : "]");
  }
}

TEST(NodeLink, ByteByByteIsTheSame) {
  std::size_t cut_lines = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 random(seed);
    std::string list;
    for (std::size_t n = random() % 8; n > 0; --n)
      list += RandomValue(random, 0) + (n > 1 ? ",\n" : "");
    const bool document = random() % 2;
    std::string text = document ? "{\"directed\":true,\n\"nodes\":[" + list +
                                      "],\"other\":" + RandomValue(random, 1) + ",\"links\":[" +
                                      list + "]}"
                                : "[" + list + "]";
    if (random() % 3 == 0) text.resize(random() % (text.size() + 1));
    const auto what = document ? NodeLinkReader::What::kDocument : NodeLinkReader::What::kArray;
    const std::size_t limit = random() % 2 ? 20 + random() % 40 : 1 << 20;
    const CutLines slow = Cut(text, 1, limit, what);
    cut_lines += slow.lines.size();
    for (const std::size_t most : {std::size_t{2}, std::size_t{7}, std::size_t{1} << 20})
      ASSERT_EQ(Cut(text, most, limit, what), slow) << "seed " << seed << "\n" << text;
  }
  EXPECT_GT(cut_lines, 5000u);
}

}  // namespace
}  // namespace plexus::formats::internal
