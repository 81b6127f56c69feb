// CSV and DOT: escaping, selection, and CSV back in again; sniffing; files.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

std::string Csv(const Snapshot& s, const ExportOptions& options = {}) {
  std::ostringstream out;
  EXPECT_TRUE(ExportCsv(s, out, options));
  return out.str();
}

const char kFacts[] =
    R"({"node":"=cmd","kind":"memory","text":"two\nlines, \"quoted\"","tags":["a","b"],)"
    R"("trust":0.5,"created_at":1})"
    "\n"
    R"({"node":"b\u001b[31m","created_at":1,"props":{"k":[1]}})"
    "\n"
    R"({"edge":["=cmd","b\u001b[31m"],"kind":"supports","weight":0.5,"label":"-x",)"
    R"("created_at":2,"props":{"p":1}})"
    "\n"
    R"({"edge":["c","=cmd"],"kind":"contradicts","created_at":3})"
    "\n";

TEST(Export, CsvEdges) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "f.jsonl", kFacts);
  EXPECT_EQ(Csv(graph->snapshot()),
            "source,target,kind,weight,label,created_at,created_by,valid_from,valid_until,props\n"
            "'=cmd,b\\u001b[31m,supports,0.5,'-x,2,,,,\"{\"\"p\"\":1}\"\n"
            "'=cmd,c,contradicts,1,,3,,,,\n");
}

TEST(Export, CsvGoesBackIn) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "f.jsonl",
            R"({"node":"=cmd","kind":"memory","text":"two\nlines, \"q\"","tags":["a"],"trust":0.5,)"
            R"("props":{"k":1}})"
            "\n"
            R"({"node":"'=x"})"
            "\n"
            R"({"node":"-1"})"
            "\n"
            R"({"node":" spaces "})"
            "\n"
            R"({"edge":["=cmd","'=x"],"kind":"supports","weight":0.25,"props":{"s":"-5","n":-5}})"
            "\n"
            R"({"edge":["-1"," spaces "],"kind":"k","valid_until":9})"
            "\n");
  ExportOptions nodes;
  nodes.csv_table = CsvTable::kNodes;
  auto copy = Graph::InMemory();
  LoadClean(*copy, "nodes.csv", Csv(graph->snapshot(), nodes));
  LoadClean(*copy, "edges.csv", Csv(graph->snapshot()));
  EXPECT_EQ(Csv(copy->snapshot()), Csv(graph->snapshot()));
  EXPECT_EQ(Csv(copy->snapshot(), nodes), Csv(graph->snapshot(), nodes));
}

TEST(Export, TagsGoBackIn) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "f.jsonl",
            R"({"node":"a","tags":["x;y"," sp"]})"
            "\n"
            R"({"node":"b","tags":["p","q\"r"]})"
            "\n"
            R"({"node":"c","tags":["[\"z\"]"]})"
            "\n"
            R"({"node":"d","tags":["=1",";"]})"
            "\n");
  ExportOptions nodes;
  nodes.csv_table = CsvTable::kNodes;
  const std::string csv = Csv(graph->snapshot(), nodes);
  EXPECT_NE(csv.find("\na,node,,\"[\"\" sp\"\",\"\"x;y\"\"]\","), csv.npos) << csv;
  EXPECT_NE(csv.find("\nb,node,,\"p;q\"\"r\","), csv.npos) << csv;
  std::ostringstream xml;
  ASSERT_TRUE(ExportGraphMl(graph->snapshot(), xml));
  for (const std::string& text : {csv, xml.str()}) {
    auto copy = Graph::InMemory();
    LoadClean(*copy, text == csv ? "nodes.csv" : "nodes.graphml", text);
    EXPECT_EQ(Csv(copy->snapshot(), nodes), csv);
  }
}

TEST(Export, ColumnsOfPropertiesGoBackIn) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "f.jsonl",
            R"({"node":"a","props":{"=f":1,"'=f":2,"-g":"x","'h":3}})"
            "\n"
            R"({"node":"b"})"
            "\n"
            R"({"edge":["a","b"],"kind":"link","props":{"@e":1}})"
            "\n");
  ExportOptions nodes, edges;
  nodes.csv_table = CsvTable::kNodes;
  nodes.property_columns = edges.property_columns = true;
  const std::string csv = Csv(graph->snapshot(), nodes);
  EXPECT_NE(csv.find(",''=f,"), csv.npos) << csv;
  auto copy = Graph::InMemory();
  LoadClean(*copy, "nodes.csv", csv);
  LoadClean(*copy, "edges.csv", Csv(graph->snapshot(), edges));
  nodes.property_columns = false;
  EXPECT_EQ(Csv(copy->snapshot(), nodes), Csv(graph->snapshot(), nodes));
  EXPECT_EQ(Csv(copy->snapshot()), Csv(graph->snapshot()));
}

TEST(Export, DotEscapesAndSelects) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "f.jsonl",
            R"({"edge":["a\"b","c\\d"],"kind":"supports","weight":0.5})"
            "\n"
            R"({"edge":["c\\d","e\u0007"],"kind":"similar"})"
            "\n"
            R"({"edge":["x","y"],"kind":"k"})");
  const Snapshot s = graph->snapshot();
  ExportOptions options;
  options.include = [&](NodeId v) { return s.key(v) != "x" && s.key(v) != "y"; };
  std::ostringstream out;
  ASSERT_TRUE(ExportDot(s, out, options));
  EXPECT_EQ(out.str(),
            "digraph plexus {\n"
            "  \"a\\\"b\" [label=\"a\\\"b\"];\n"
            "  \"c\\\\d\" [label=\"c\\\\d\"];\n"
            "  \"e \" [label=\"e \"];\n"
            "  \"a\\\"b\" -> \"c\\\\d\" [label=\"supports 0.5\"];\n"
            "  \"c\\\\d\" -> \"e \" [label=\"similar\", dir=none];\n"
            "}\n");
}

TEST(Export, FailingStreamIsAnError) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "f.jsonl", kFacts);
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_FALSE(ExportJsonLines(graph->snapshot(), out));
}

TEST(Files, SniffingAndErrors) {
  const auto directory = std::filesystem::path(::testing::TempDir()) /
                         ("plexus_text_files_" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  auto write = [&](const char* name, std::string_view text) {
    std::ofstream(directory / name, std::ios::binary) << text;
    return (directory / name).string();
  };
  auto graph = Graph::InMemory();
  auto edges = [&](const std::string& path) {
    auto r = ImportFiles(*graph, {path});
    EXPECT_TRUE(r) << (r ? "" : r.error().ToString());
    return r ? r->edges.added + r->edges.same : 0;
  };
  EXPECT_EQ(edges(write("one", "# c\n1 2\n")), 1u);
  EXPECT_EQ(edges(write("two.txt", "source;target\n1;2\n")), 1u);
  EXPECT_EQ(edges(write("three.dat", "\xef\xbb\xbf{\"edge\":[\"1\",\"2\"]}\n")), 1u);
  EXPECT_EQ(edges(write("four.NDJSON", "{\"edge\":[\"1\",\"2\"]}")), 1u);
  EXPECT_EQ(edges(write("lines.json", "\n{\"edge\":[\"1\",\"2\"]}\n{\"node\":\"3\"}\n")), 1u);
  EXPECT_EQ(edges(write("kind.json", "{\"kind\":\"sees\"}\n{\"edge\":[\"1\",\"2\"]}\n")), 1u);
  EXPECT_EQ(edges(write(
                "document.json",
                "{\"kind\":\"x\",\"nodes\":[],\"links\":[{\"source\":\"1\",\"target\":\"2\"}]}\n")),
            1u);
  auto error = [&](const std::string& path) {
    auto r = ImportFiles(*graph, {path});
    EXPECT_FALSE(r);
    return r ? "" : r.error().message;
  };
  EXPECT_NE(error(write("gz", "\x1f\x8b\x08")).find("gzip"), std::string::npos);
  EXPECT_NE(error(write("u16.csv", "\xff\xfes")).find("UTF-16"), std::string::npos);
  EXPECT_NE(error(write("what", "a,b,c\n")).find("cannot tell its format"), std::string::npos);
  EXPECT_NE(error((directory / "none.csv").string()).find("none.csv: cannot open"),
            std::string::npos);
  // Two files are one import: a second naming of a node is still one node.
  auto both =
      ImportFiles(*graph, {write("five.el", "p q\n"), write("six.el", "q r\nbad\n")}, Skip());
  ASSERT_TRUE(both);
  EXPECT_EQ(both->nodes, (ChangeCounts{3, 0, 0}));
  ASSERT_EQ(both->kept_errors.size(), 1u);
  EXPECT_TRUE(
      both->kept_errors[0].ToString().ends_with("six.el:2: expected `source target [weight]`"));
  std::filesystem::remove_all(directory);
}

TEST(Formats, Names) {
  for (FileFormat f : {FileFormat::kAuto, FileFormat::kCsv, FileFormat::kTsv,
                       FileFormat::kJsonLines, FileFormat::kEdgeList, FileFormat::kWordNet})
    EXPECT_EQ(ParseFileFormat(FileFormatName(f)).value(), f);
  EXPECT_FALSE(ParseFileFormat("xml"));
}

}  // namespace
}  // namespace plexus::formats::internal
