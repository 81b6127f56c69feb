// What other programs write, as the readers see it: the same graph at any cut, and what two
// records of one file that say different things are counted as.
#include <string>

#include "storage/formats/format_detection.h"
#include "tests/support/text_support.h"

namespace plexus::formats_internal {
namespace {

bool Warns(const ImportReport& report, const std::string& part) {
  for (const ImportWarning& warning : report.warnings)
    if (warning.ToString().find(part) != std::string::npos) return true;
  return false;
}

// adjacency_data of an undirected multigraph names each edge twice, from both ends.
TEST(GivenDocuments, AdjacencyOfAnUndirectedMultigraph) {
  const std::string text = R"({"directed": false, "multigraph": true, "graph": [["name", "g"]],
 "nodes": [{"id": 1}, {"id": "b"}, {"size": 3}],
 "adjacency": [[{"w": 1, "id": "b", "key": 0}, {"id": "b", "key": 1}],
               [{"w": 1, "id": 1, "key": 0}, {"id": 1, "key": 1}, {"id": "b", "key": 0}], []]})";
  const ImportReport r = ExpectSameAtAnyCut("a.json", text, {1, 40, 1 << 20});
  EXPECT_EQ(r.edges.added, 3u);
  auto graph = Graph::InMemory();
  EXPECT_TRUE(Warns(LoadClean(*graph, "a.json", text), "the list \"graph\""));
  EXPECT_EQ(graph->snapshot().node_count(), 3u);
  const auto refused = [](const std::string& document) {
    auto none = Graph::InMemory();
    return FirstError(*none, "a.json", document);
  };
  EXPECT_NE(refused(R"({"adjacency":[[]],"nodes":[{"id":1}]})").find("stands before"),
            std::string::npos);
  EXPECT_NE(refused(R"({"nodes":[],"adjacency":[[]]})").find("more lists"), std::string::npos);
  EXPECT_NE(refused(R"({"nodes":[{"id":1}],"adjacency":[[2]]})").find("a neighbour"),
            std::string::npos);
  EXPECT_NE(refused(R"({"nodes":[],"links":[],"relationships":[]})").find("has both"),
            std::string::npos);
}

TEST(GivenDocuments, ParallelEdgesOfGraphMlAtAnyCut) {
  std::string text =
      "<graphml><key id=\"k\" for=\"edge\" attr.name=\"kind\" attr.type=\"string\"/>"
      "<graph edgedefault=\"undirected\">\n";
  for (int i = 0; i < 300; ++i) {  // three parallel ones a pair, one of them of another kind
    const std::string a = "a" + std::to_string(i % 50), b = "b" + std::to_string(i % 50);
    text += "<edge id=\"e" + std::to_string(i) + "\" source=\"" + (i % 4 < 2 ? a : b) +
            "\" target=\"" + (i % 4 < 2 ? b : a) + "\">" +
            (i >= 250 ? "<data key=\"k\">other</data>" : "") + "</edge>\n";
  }
  const ImportReport r =
      ExpectSameAtAnyCut("p.graphml", text + "</graph></graphml>", {1, 3000, 1 << 20});
  EXPECT_EQ(r.edges, (ImportCounts{300, 0, 0}));
}

TEST(GivenDocuments, ArraysAtAnyCut) {
  std::string text = "[";
  for (int i = 0; i < 500; ++i)
    text += (i ? ",\n " : "") + std::string("{\"source\":\"") + std::to_string(i % 7) +
            "\",\n \"target\":\"" + std::to_string(i) + "\"}";
  EXPECT_EQ(ExpectSameAtAnyCut("a.json", text + "]\n", {1, 300, 1 << 20}).edges.added, 500u);
}

// Equal records are `same`, others `changed`, however the kind is named and whichever end is first.
TEST(RepeatedRecords, EdgesAreComparedWithinABatch) {
  const auto load = [](const std::string& lines) {
    auto graph = Graph::InMemory();
    return LoadClean(*graph, "r.jsonl", lines);
  };
  const std::string first = R"({"edge":["a","b"],"kind":"causes","weight":2,"props":{"n":1}})"
                            "\n";
  EXPECT_EQ(load(first + first).edges, (ImportCounts{1, 0, 1}));
  ImportReport r = load(first + R"({"edge":["b","a"],"kind":"caused_by","weight":3})");
  EXPECT_EQ(r.edges, (ImportCounts{1, 1, 0}));
  EXPECT_TRUE(Warns(r, "r.jsonl:1: the edge")) << r.warnings.size();
  r = load(R"({"edge":["a","b"],"kind":"contradicts","weight":2})"
           "\n"
           R"({"edge":["b","a"],"kind":"contradicts","weight":3})");
  EXPECT_EQ(r.edges, (ImportCounts{1, 1, 0}));
  // What only adds to the record before it replaces nothing.
  r = load(R"({"edge":["a","b"]})"
           "\n"
           R"({"edge":["a","b"],"created_by":"x"})");
  EXPECT_EQ(r.edges, (ImportCounts{1, 1, 0}));
  EXPECT_TRUE(r.warnings.empty());
  // Other labels are other edges, and one that is taken back does not count.
  EXPECT_EQ(load(R"({"edge":["a","b"],"weight":2})"
                 "\n"
                 R"({"edge":["a","b"],"label":"l"})")
                .edges,
            (ImportCounts{2, 0, 0}));
  EXPECT_TRUE(load(R"({"edge":["a","b"],"weight":2})"
                   "\n"
                   R"({"unlink":["a","b"]})"
                   "\n"
                   R"({"edge":["a","b"],"weight":3})")
                  .warnings.empty());
}

// A second import counts the same file the same way.
TEST(RepeatedRecords, AgainInAGraphThatHasThem) {
  auto graph = Graph::InMemory();
  const std::string table = "source,target,weight\na,b,1\na,b,2\n";
  EXPECT_EQ(LoadClean(*graph, "t.csv", table).edges, (ImportCounts{1, 1, 0}));
  EXPECT_EQ(LoadClean(*graph, "t.csv", table).edges, (ImportCounts{0, 1, 1}));
}

// The other names of kinds are read and stored the one way there is.
TEST(InverseNames, AreReadInAnyFormat) {
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"a.csv", "source,target,kind\nb,a,caused_by\n"},
           {"a.jsonl", R"({"edge":["b","a"],"kind":"caused_by"})"},
           {"b.jsonl", R"({"source_id":"b","target_id":"a","kind":"caused_by"})"},
           {"a.json", R"({"links":[{"source":"b","target":"a","kind":"caused_by"}]})"}}) {
    auto graph = Graph::InMemory();
    LoadClean(*graph, name, text);
    EXPECT_EQ(Edges(graph->snapshot(), "causes"), "a>b") << name;
  }
}

// A line of a document is no record of a format of lines, wherever its elements stand.
TEST(Detection, LinesOfADocumentDecideNothing) {
  const auto format = [](std::string_view name, std::string_view head) {
    return SniffFormat(name, head).value_or(FileFormat::kAuto);
  };
  EXPECT_EQ(format("d.json", "{\n\"nodes\": [\n{\"id\": 1},\n{\"id\": 2}\n]\n}\n"),
            FileFormat::kNodeLink);
  EXPECT_EQ(format("d", "{\"graph\": {},\n\"nodes\":\n[\n  {\"id\": 1}\n]\n}\n"),
            FileFormat::kNodeLink);
  EXPECT_EQ(format("a.json", "[\n{\"id\": 1},\n{\"id\": 2}\n]\n"), FileFormat::kJsonRows);
  EXPECT_EQ(format("x", "garbage {\n{\"node\":\"a\"}\n"), FileFormat::kAuto);
  EXPECT_EQ(format("x.jsonl", "garbage\n{\"node\":\"a\"}\n"), FileFormat::kJsonLines);
  EXPECT_EQ(format("x.json", "{\"v\":1}\n{\"id\":\"a\"}\n"), FileFormat::kJsonRows);
  EXPECT_EQ(format("t", "from\tto\n1\t2\n"), FileFormat::kAuto);
  EXPECT_EQ(SniffFormat("t", "from\tto\n1\t2\n", {{"source", "from"}, {"target", "to"}}).value(),
            FileFormat::kTsv);
}

}  // namespace
}  // namespace plexus::formats_internal
