// Files as other people's programs write them, and our exports as these programs read them.
#include <sstream>
#include <string>

#include "storage/formats/export.h"
#include "storage/formats/format_detection.h"
#include "storage/formats/markdown/note.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

using Names = std::vector<std::string>;

std::string GraphMl(const std::string& keys, const std::string& elements,
                    const std::string& edges = "directed") {
  return "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
         "xmlns:y=\"http://www.yworks.com/xml/graphml\">\n" +
         keys + "\n<graph edgedefault=\"" + edges + "\">\n" + elements + "\n</graph></graphml>\n";
}

template <class Export>
std::string Exported(Export&& write, const Snapshot& snapshot, const ExportOptions& options = {}) {
  std::ostringstream out;
  EXPECT_TRUE(write(snapshot, out, options));
  return std::move(out).str();
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Neo4j counts nodes and relationships apart, so a relationship is no node of its id.
TEST(ForeignRows, NodesAndRelationshipsOfApoc) {
  const std::string nodes[] = {
      R"({"type":"node","id":"0","labels":["User"],"properties":{"name":"Adam"}})",
      R"({"type":"node","id":"1","labels":["User","Admin"],"properties":{"name":"Jim"}})"};
  const std::string edge =
      R"({"id":"0","type":"relationship","label":"KNOWS","properties":{"since":1993},)"
      R"("start":{"id":"0","labels":["User"]},"end":{"id":"1","labels":["User"]}})";
  for (const std::string& text : {nodes[0] + "\n" + nodes[1] + "\n" + edge + "\n",
                                  "[" + nodes[0] + "," + nodes[1] + "," + edge + "]"}) {
    auto graph = Graph::InMemory();
    const ImportReport r = LoadClean(*graph, "apoc.json", text);
    EXPECT_EQ(r.nodes.added, 2u) << text;
    EXPECT_EQ(r.edges.added, 1u);
    EXPECT_EQ(Edges(graph->snapshot(), "KNOWS"), "0>1");
    const std::string lines = JsonLines(graph->snapshot());
    EXPECT_TRUE(Has(lines, R"("kind":"User")")) << lines;
    EXPECT_TRUE(Has(lines, R"("props":{"name":"Adam"})")) << lines;
    EXPECT_TRUE(Has(lines, R"("labels":["User","Admin"])")) << lines;
    EXPECT_TRUE(Has(lines, R"("props":{"since":1993})")) << lines;
  }
}

// pandas' to_json(orient="records", lines=True), and the same rows as a list.
TEST(ForeignRows, PlainNamesInLinesAsInLists) {
  const std::string rows[] = {R"({"source":"a","target":"b","weight":2})",
                              R"({"source":"b","target":"c","weight":1})"};
  for (const char* name : {"p.jsonl", "p.json"})
    for (const std::string& text :
         {rows[0] + "\n" + rows[1] + "\n", "[" + rows[0] + "," + rows[1] + "]"}) {
      auto graph = Graph::InMemory();
      EXPECT_EQ(LoadClean(*graph, name, text).edges.added, 2u) << name << text;
      EXPECT_EQ(Edges(graph->snapshot(), "link"), "a>b b>c");
    }
  auto graph = Graph::InMemory();
  LoadClean(*graph, "k.jsonl", "{\"key\":\"a\",\"text\":\"x\"}\n");
  EXPECT_TRUE(graph->snapshot().Find("a"));
}

TEST(ForeignDocuments, NodesOfGraphologyHaveAKey) {
  auto graph = Graph::InMemory();
  const ImportReport r =
      LoadClean(*graph, "g.json",
                R"({"nodes":[{"key":"a"},{"key":"b"}],"edges":[{"source":"a","target":"b"}]})");
  EXPECT_EQ(r.stubs, 0u);
  EXPECT_EQ(graph->snapshot().node_count(), 2u);
  EXPECT_EQ(Edges(graph->snapshot(), "link"), "a>b");
}

// NetworkX writes a <key> for each type that the values of a name have.
TEST(ForeignGraphMl, OneNameOfTwoTypes) {
  const std::string keys =
      "<key id=\"d0\" for=\"edge\" attr.name=\"weight\" attr.type=\"long\"/>\n"
      "<key id=\"d1\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>";
  const std::string nodes = "<node id=\"a\"/><node id=\"b\"/>\n";
  const std::string text =
      GraphMl(keys, nodes +
                        "<edge source=\"a\" target=\"b\"><data key=\"d0\">1</data></edge>\n"
                        "<edge source=\"b\" target=\"a\"><data key=\"d1\">2.5</data></edge>");
  auto graph = Graph::InMemory();
  EXPECT_EQ(LoadClean(*graph, "m.graphml", text).edges.added, 2u);
  EXPECT_TRUE(Has(JsonLines(graph->snapshot()), "\"weight\":2.5"));
  auto none = Graph::InMemory();
  EXPECT_TRUE(
      Has(FirstError(*none, "m.graphml",
                     GraphMl(keys, nodes + "<edge source=\"a\" target=\"b\"><data key=\"d0\">1"
                                           "</data><data key=\"d1\">2</data></edge>")),
          "stands twice"));
  const std::string defaults =
      "<key id=\"d0\" attr.name=\"x\" attr.type=\"long\"><default>1</default></key>\n"
      "<key id=\"d1\" attr.name=\"x\" attr.type=\"double\"><default>2</default></key>";
  EXPECT_TRUE(
      Has(FirstError(*none, "m.graphml", GraphMl(defaults, nodes)), "each has a <default>"));
}

TEST(ForeignGraphMl, LabelsOfYedAndKeysWithoutAName) {
  const std::string keys =
      "<key for=\"node\" id=\"d6\" yfiles.type=\"nodegraphics\"/>\n"
      "<key for=\"edge\" id=\"d10\" yfiles.type=\"edgegraphics\"/>\n"
      "<key for=\"node\" id=\"colour\"/>";
  const std::string text =
      GraphMl(keys,
              "<node id=\"n0\"><data key=\"d6\"><y:ShapeNode><y:Geometry x=\"1\"/>\n"
              "<y:NodeLabel>Alice<y:LabelModel/></y:NodeLabel><y:NodeLabel>second</y:NodeLabel>"
              "</y:ShapeNode></data><data key=\"colour\">red</data></node>\n<node id=\"n1\"/>\n"
              "<edge source=\"n0\" target=\"n1\"><data key=\"d10\"><y:PolyLineEdge>"
              "<y:EdgeLabel>knows</y:EdgeLabel></y:PolyLineEdge></data></edge>");
  for (const std::size_t block : {std::size_t{64}, std::size_t{1} << 20}) {
    ImportOptions options;
    options.block_bytes = block;
    auto graph = Graph::InMemory();
    EXPECT_TRUE(LoadClean(*graph, "y.graphml", text, options).warnings.empty());
    const std::string lines = JsonLines(graph->snapshot());
    EXPECT_TRUE(Has(lines, R"("colour":"red","label":"Alice")")) << lines;
    EXPECT_TRUE(Has(lines, R"("label":"knows")")) << lines;
    EXPECT_FALSE(Has(lines, "second"));
  }
  auto graph = Graph::InMemory();
  const ImportReport r =
      LoadClean(*graph, "m.graphml",
                GraphMl("<key id=\"x\" attr.name=\"x\"/>",
                        "<node id=\"a\"><data key=\"x\"><b>bold</b></data></node>"));
  EXPECT_TRUE(Warns(r, "\"x\" holds markup"));
}

TEST(ForeignGraphMl, IdsTellParallelEdgesOfOneLabelApart) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "p.graphml",
            GraphMl("<key id=\"l\" for=\"edge\" attr.name=\"label\" attr.type=\"string\"/>",
                    "<node id=\"a\"/><node id=\"b\"/>\n"
                    "<edge id=\"0\" source=\"a\" target=\"b\"><data key=\"l\">calls</data></edge>\n"
                    "<edge id=\"1\" source=\"a\" target=\"b\"><data key=\"l\">calls</data></edge>\n"
                    "<edge id=\"2\" source=\"a\" target=\"b\"><data key=\"l\">uses</data></edge>"));
  const std::string lines = JsonLines(graph->snapshot());
  EXPECT_EQ(graph->snapshot().CountEdges(Plane::kFact), 3u);
  EXPECT_TRUE(Has(lines, R"("label":"calls")")) << lines;
  EXPECT_TRUE(Has(lines, R"("label":"uses")")) << lines;
  EXPECT_TRUE(Has(lines, R"("label":"1")")) << lines;
  EXPECT_TRUE(Has(lines, R"("props":{"label":"calls"})")) << lines;
}

// NetworkX refuses an undirected edge in a directed graph, and gives back what types say.
TEST(Exports, AreUndirectedWhereAllEdgesAreAndTyped) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "u.jsonl",
            R"({"node":"a","props":{"age":3,"height":1.5,"ok":true,"mixed":1,"id_number":"x"}})"
            "\n"
            R"({"node":"b","props":{"age":4,"height":2,"ok":false,"mixed":"two","Type":"person"}})"
            "\n"
            R"({"edge":["a","b"],"kind":"similar"})"
            "\n");
  const Snapshot s = graph->snapshot();
  ExportOptions columns;
  columns.property_columns = true;
  const std::string ml = Exported(ExportGraphMl, s, columns);
  EXPECT_TRUE(Has(ml, "edgedefault=\"undirected\"")) << ml;
  EXPECT_FALSE(Has(ml, "directed=\"false\""));
  for (const char* part :
       {"attr.name=\"age\" attr.type=\"long\"", "attr.name=\"height\" attr.type=\"double\"",
        "attr.name=\"ok\" attr.type=\"boolean\"", "attr.name=\"mixed\" attr.type=\"string\""})
    EXPECT_TRUE(Has(ml, part)) << part << "\n" << ml;
  EXPECT_TRUE(Has(Exported(ExportGexf, s), "defaultedgetype=\"undirected\""));
  auto again = Graph::InMemory();
  LoadClean(*again, "u.graphml", ml);
  EXPECT_TRUE(Has(JsonLines(again->snapshot()), R"("age":3,"height":1.5)"))
      << JsonLines(again->snapshot());
  // A property whose name a table has for itself stays in `props`, in any case.
  columns.csv_table = CsvTable::kNodes;
  const std::string csv = Exported(ExportCsv, s, columns);
  EXPECT_FALSE(Has(csv.substr(0, csv.find('\n')), "Type")) << csv;
  auto table = Graph::InMemory();
  LoadClean(*table, "u.csv", csv);
  EXPECT_TRUE(Has(JsonLines(table->snapshot()), R"("Type":"person")"));
  LoadClean(*graph, "d.jsonl", "{\"edge\":[\"a\",\"b\"],\"kind\":\"supports\"}\n");
  EXPECT_TRUE(Has(Exported(ExportGraphMl, graph->snapshot()), "edgedefault=\"directed\""));
}

// Only the record with the stray quote is refused, wherever the file is cut.
TEST(ForeignTables, AStrayQuoteIsOfItsOwnRecord) {
  for (const char delimiter : {',', '\t', ';'}) {
    const std::string d(1, delimiter);
    std::string text = "id" + d + "text\n1" + d + "5\" pipe\n";
    for (int i = 2; i < 200; ++i) text += std::to_string(i) + d + "x\n";
    text += "200" + d + "\"two\nlines, \"\"quoted\"\"" + d + "\"\n201" + d + "6\" pipe\n202" + d +
            "y\n";
    for (const std::size_t block : {std::size_t{64}, std::size_t{512}, std::size_t{1} << 20}) {
      ImportOptions options;
      options.block_bytes = block;
      options.on_error = OnImportError::kSkip;
      options.format = delimiter == '\t' ? FileFormat::kTsv : FileFormat::kCsv;
      auto graph = Graph::InMemory();
      const auto report = ImportBytes(*graph, "inch.csv", text, options);
      ASSERT_TRUE(report);
      EXPECT_EQ(report->errors, 2u) << delimiter << block;
      EXPECT_EQ(report->nodes.added, 200u) << delimiter << block;
      EXPECT_TRUE(Has(JsonLines(graph->snapshot()),
                      "two\\nlines, \\\"quoted\\\"" + (delimiter == '\t' ? "\\t" : d)));
    }
  }
}

TEST(ForeignTables, TagsThatAreReplacedAreWarnedOf) {
  auto graph = Graph::InMemory();
  EXPECT_TRUE(Warns(LoadClean(*graph, "t.csv", "id,tags\na,x\na,y\nb,p;q\nb,q;p\n"),
                    "the node 'a' stands again with another list of tags"));
  EXPECT_FALSE(Warns(LoadClean(*graph, "o.csv", "id,tags\nb,p;q\nb,q;p\n"), "list of tags"));
}

TEST(ForeignTables, HeadersThatAreDataOrOfNeo4j) {
  auto graph = Graph::InMemory();
  const auto hint = [&](const std::string& text) {
    const auto report = ImportBytes(*graph, "e.csv", text, {});
    return report && !report->kept_errors.empty() ? report->kept_errors[0] : ImportError();
  };
  EXPECT_TRUE(Has(hint("1,2\n2,3\n").reason, "looks like data"));
  EXPECT_EQ(hint("1,2\n2,3\n").columns, "");
  EXPECT_EQ(hint(":START_ID,since:int,:END_ID,:TYPE\n").columns,
            "source=:START_ID,target=:END_ID,kind=:TYPE");
}

TEST(Notes, LinksTagsAndCode) {
  struct Case {
    const char* text;
    Names links, tags;
  };
  const Case cases[] = {
      {"| [[Other\\|o]] |", {"Other"}, {}},
      {"[Intro](#intro) and (#real)", {}, {"real"}},
      {"```\n~~~\n```\n[[Other]] #later", {"Other"}, {"later"}},
      {"```\n```js\n[[no]]\n```\n[[Other]]", {"Other"}, {}},
      {"````\n```\n[[no]] #no\n````\n#yes", {}, {"yes"}},
      {"~~~ js\n[[no]]\n~~~\n[[yes]]", {"yes"}, {}},
      {"[o](<Other note.md>) [t](T.md \"title\") [b](B%20(b).md) [p](P.md#part) [u](a b.md)",
       {"Other note", "T", "B (b)", "P", "a b"},
       {}},
      {"[x](http://x/y.md) [open](Never.md", {}, {}},
  };
  for (const Case& c : cases) {
    const auto note = ReadNote(c.text);
    ASSERT_TRUE(note) << c.text;
    EXPECT_EQ(note->links, c.links) << c.text;
    EXPECT_EQ(note->tags, c.tags) << c.text;
  }
}

TEST(Notes, ValuesOfTheFrontMatter) {
  const auto note = ReadNote(
      "---\nkind: person # a comment\ntags: [a, \"b c\"] # c\ntitle: \"say \\\"x\\\"\"\n"
      "q: 'it''s'\nurl: http://x/#part\nlist:\n  - 'one' # first\n  - two\n---\ntext\n");
  ASSERT_TRUE(note);
  EXPECT_EQ(note->kind, "person");
  EXPECT_EQ(note->tags, (Names{"a", "b c"}));
  const std::vector<std::pair<std::string, std::string>> fields = {{"title", R"("say \"x\"")"},
                                                                   {"q", R"("it's")"},
                                                                   {"url", R"("http://x/#part")"},
                                                                   {"list", R"(["one","two"])"}};
  EXPECT_EQ(note->fields, fields);
  // A rule is no front matter.
  const auto poem = ReadNote("---\n\nA poem\n\n---\nmore\n");
  ASSERT_TRUE(poem);
  EXPECT_EQ(poem->text, "---\n\nA poem\n\n---\nmore");
  EXPECT_FALSE(ReadNote("---\nname: no end\n"));
}

}  // namespace
}  // namespace plexus::formats::internal
