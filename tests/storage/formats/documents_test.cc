// Documents out and in again: node-link, GraphML, Matrix Market; GEXF is only written.
#include <random>

#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

using Exporter = Status (*)(const Snapshot&, std::ostream&, const ExportOptions&);

std::string Text(Exporter exporter, const Snapshot& snapshot, const ExportOptions& options = {}) {
  std::ostringstream out;
  const Status ok = exporter(snapshot, out, options);
  EXPECT_TRUE(ok) << (ok ? "" : ok.error().ToString());
  return out.str();
}

const std::string kGraph =
    R"({"kind":"friends","plane":"fact","symmetric":true})"
    "\n"
    R"({"column":"stakes","type":"f64"})"
    "\n"
    R"({"column":"team","type":"string"})"
    "\n"
    R"({"node":"m1","kind":"memory","text":"line <one>\n\"two\" & \u0007 \uffff \r\t é",)"
    R"("tags":["a b","c&d"],"trust":0.5,"stakes":2,"team":"x"})"
    "\n"
    R"({"node":"a<b>\"'&","props":{"n":3.0,"i":4,"id":"mine","deep":{"x":[1,null,"y"]},"s":" "}})"
    "\n"
    R"({"edge":["m1","lonely"],"kind":"friends","weight":0.1})"
    "\n"
    R"({"edge":["m1","m1"],"kind":"friends"})"
    "\n"
    R"({"edge":["m1","a<b>\"'&"],"kind":"knows","label":"l","weight":2,"created_by":"me",)"
    R"("valid_from":1,"valid_until":2,"props":{"source":"web","w":1}})"
    "\n"
    R"({"edge":["m1","a<b>\"'&"],"kind":"knows","weight":0.25})"
    "\n"
    R"({"edge":["lonely","m1"],"kind":"supports","created_at":7})"
    "\n"
    R"({"event":"e1","members":[{"id":"m1"}]})"
    "\n"
    R"({"remove":"gone"})"
    "\n";

// The fact plane of a graph as JSON lines: what a document can carry.
std::string Facts(const Snapshot& s) {
  std::istringstream lines(JsonLines(s));
  std::string out;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("{\"node\"") || line.starts_with("{\"edge\"") ||
        line.find("\"symmetric\":true") != std::string::npos)
      out += line + "\n";
  return out;
}

TEST(Documents, NodeLinkCarriesTheFacts) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "g.jsonl", kGraph);
  for (const char* key : {"links", "edges"}) {
    ExportOptions options;
    options.edges_key = key;
    const std::string text = Text(ExportNodeLink, graph->snapshot(), options);
    EXPECT_NE(text.find("{\"directed\":true,\"multigraph\":true,"), std::string::npos);
    auto copy = Graph::InMemory();
    LoadClean(*copy, "c.jsonl",
              R"({"column":"stakes","type":"f64"})"
              "\n"
              R"({"column":"team","type":"string"})"
              "\n");
    ImportOptions later;
    later.now_ms = kNow + 5;
    LoadClean(*copy, "g.json", text, later);
    EXPECT_EQ(Facts(copy->snapshot()), Facts(graph->snapshot()));
    EXPECT_EQ(Text(ExportNodeLink, copy->snapshot(), options), text);
  }
}

TEST(Documents, GraphMlCarriesTheFacts) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "g.jsonl", kGraph);
  const std::string text = Text(ExportGraphMl, graph->snapshot());
  auto copy = Graph::InMemory();
  LoadClean(*copy, "c.jsonl",
            R"({"column":"stakes","type":"f64"})"
            "\n"
            R"({"column":"team","type":"string"})"
            "\n");
  LoadClean(*copy, "g.graphml", text);
  std::string expected = Facts(graph->snapshot());
  // One way: what XML 1.0 has no place for. A node without a time gets the batch's.
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"\\u0007", "\\\\u0007"},
                                 {"\xef\xbf\xbf", "\\\\uffff"},
                                 {"\"created_at\":null", "\"created_at\":1700000000000"}})
    for (std::size_t at;
         (at = expected.find(from)) != std::string::npos && expected.compare(at - 1, 1, "\\") != 0;)
      expected.replace(at, from.size(), to);
  EXPECT_EQ(Facts(copy->snapshot()), expected);
  auto third = Graph::InMemory();
  LoadClean(*third, "c.jsonl",
            R"({"column":"stakes","type":"f64"})"
            "\n"
            R"({"column":"team","type":"string"})"
            "\n");
  const std::string second = Text(ExportGraphMl, copy->snapshot());
  LoadClean(*third, "g.graphml", second);
  EXPECT_EQ(Text(ExportGraphMl, third->snapshot()), second);
}

TEST(Documents, MatrixAddsUpParallelEdgesAndNamesItsRows) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "g.jsonl", kGraph);
  EXPECT_EQ(Text(ExportMatrixMarket, graph->snapshot()),
            "%%MatrixMarket matrix coordinate real general\n% 1 \"m1\"\n% 2 \"a<b>\\\"'&\"\n% 3 "
            "\"lonely\"\n"
            "3 3 4\n1 1 1\n1 2 2.25\n1 3 0.1\n3 1 1.1000000014901161\n");
}

TEST(Documents, MatrixRoundTrips) {
  const std::string head = "%%MatrixMarket matrix coordinate ";
  for (const std::string& text :
       {head + "real general\n3 3 3\n1 2 0.5\n2 1 7\n3 3 1e-08\n",
        head + "pattern general\n4 4 2\n1 2\n4 1\n",
        head + "real symmetric\n3 3 2\n2 1 5\n3 3 0.25\n", head + "pattern symmetric\n2 2 1\n2 1\n",
        head + "pattern general\n0 0 0\n"}) {
    auto graph = Graph::InMemory();
    LoadClean(*graph, "m.mtx", text);
    EXPECT_EQ(Text(ExportMatrixMarket, graph->snapshot()), text);
  }
}

TEST(Documents, UndirectedAndSelected) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "g.jsonl", kGraph);
  const Snapshot s = graph->snapshot();
  ExportOptions options;
  options.kinds = {s.schema().FindEdgeKind("friends")->kind};
  options.include = [&](NodeId v) { return s.key(v) != "a<b>\"'&"; };
  const std::string text = Text(ExportNodeLink, s, options);
  EXPECT_NE(text.find("{\"directed\":false,\"multigraph\":false,\"graph\":{},\"nodes\":["),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("knows"), std::string::npos);
  auto copy = Graph::InMemory();
  EXPECT_EQ(LoadClean(*copy, "g.json", text).nodes.added, 2u);
  EXPECT_TRUE(copy->snapshot()
                  .schema()
                  .edge_kind(copy->snapshot().schema().FindEdgeKind("friends")->kind)
                  .symmetric);
  EXPECT_EQ(Text(ExportMatrixMarket, s, options).substr(0, 49),
            "%%MatrixMarket matrix coordinate real symmetric\n%");
  const std::string empty = Text(ExportNodeLink, Graph::InMemory()->snapshot());
  EXPECT_EQ(empty,
            "{\"directed\":true,\"multigraph\":false,\"graph\":{},\"nodes\":[],\"edges\":[]}\n");
  auto none = Graph::InMemory();
  EXPECT_EQ(LoadClean(*none, "e.json", empty).records, 0u);
}

TEST(Documents, GexfForGephi) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "g.jsonl",
            R"({"node":"a&b","kind":"memory","tags":["t"]})"
            "\n"
            R"({"edge":["a&b","c"],"kind":"similar","weight":0.5,"created_at":1})"
            "\n");
  EXPECT_EQ(
      Text(ExportGexf, graph->snapshot()),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://gexf.net/1.3\" "
      "version=\"1.3\">\n"
      "  <graph mode=\"static\" defaultedgetype=\"undirected\">\n    <attributes class=\"node\">\n"
      "      <attribute id=\"n_kind\" title=\"kind\" type=\"string\"/>\n"
      "      <attribute id=\"n_text\" title=\"text\" type=\"string\"/>\n"
      "      <attribute id=\"n_tags\" title=\"tags\" type=\"string\"/>\n"
      "      <attribute id=\"n_props\" title=\"props\" type=\"string\"/>\n"
      "      <attribute id=\"c6\" title=\"created_at\" type=\"long\"/>\n"
      "    </attributes>\n    <attributes class=\"edge\">\n"
      "      <attribute id=\"e_kind\" title=\"kind\" type=\"string\"/>\n"
      "      <attribute id=\"e_label\" title=\"label\" type=\"string\"/>\n"
      "      <attribute id=\"e_created_at\" title=\"created_at\" type=\"long\"/>\n"
      "      <attribute id=\"e_created_by\" title=\"created_by\" type=\"string\"/>\n"
      "      <attribute id=\"e_valid_from\" title=\"valid_from\" type=\"long\"/>\n"
      "      <attribute id=\"e_valid_until\" title=\"valid_until\" type=\"long\"/>\n"
      "      <attribute id=\"e_props\" title=\"props\" type=\"string\"/>\n"
      "    </attributes>\n    <nodes>\n"
      "      <node id=\"a&amp;b\" label=\"a&amp;b\"><attvalues><attvalue for=\"n_kind\" "
      "value=\"memory\"/>"
      "<attvalue for=\"n_tags\" value=\"t\"/><attvalue for=\"c6\" "
      "value=\"1700000000000\"/></attvalues></node>\n"
      "      <node id=\"c\" label=\"c\"><attvalues></attvalues></node>\n    </nodes>\n    <edges>\n"
      "      <edge id=\"0\" source=\"a&amp;b\" target=\"c\" type=\"undirected\" kind=\"similar\" "
      "weight=\"0.5\"><attvalues>"
      "<attvalue for=\"e_kind\" value=\"similar\"/><attvalue for=\"e_created_at\" "
      "value=\"1\"/></attvalues></edge>\n"
      "    </edges>\n  </graph>\n</gexf>\n");
}

// Random graphs: node-link and GraphML carry every edge; the matrix every sum.
TEST(Documents, RandomGraphsRoundTrip) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::string lines;
    const int edges = static_cast<int>(random() % 200);
    for (int i = 0; i < edges; ++i) {
      const char* kinds[] = {"similar", "causes", "link"};
      lines += R"({"edge":["n)" + std::to_string(random() % 20) + R"(","n)" +
               std::to_string(20 + random() % 20) + R"("],"kind":")" + kinds[random() % 3] +
               R"(","weight":0.)" + std::to_string(random() % 100) +
               (random() % 3 ? "" : R"(,"label":"l)" + std::to_string(random() % 2) + "\"") + "}\n";
    }
    auto graph = Graph::InMemory();
    LoadClean(*graph, "g.jsonl", lines);
    const std::string facts = Facts(graph->snapshot());
    auto from_json = Graph::InMemory();
    LoadClean(*from_json, "g.json", Text(ExportNodeLink, graph->snapshot()));
    EXPECT_EQ(Facts(from_json->snapshot()), facts) << "seed " << seed;
    auto from_xml = Graph::InMemory();
    LoadClean(*from_xml, "g.graphml", Text(ExportGraphMl, graph->snapshot()));
    EXPECT_EQ(Text(ExportMatrixMarket, from_xml->snapshot()),
              Text(ExportMatrixMarket, graph->snapshot()))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace plexus::formats::internal
