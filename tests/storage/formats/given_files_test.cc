// What other programs write, as the readers see it: the same graph at any cut, and what two
// records of one file that say different things are counted as.
#include <string>

#include "storage/formats/format_detection.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

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
}

// An attribute `source` of an edge was taken for its end.
TEST(GivenDocuments, AdjacencyWithAttributesNamedAsEnds) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "a.json",
            R"({"directed":false,"nodes":[{"id":"a"},{"id":"b"}],"adjacency":[)"
            R"([{"id":"b","source":"wiki","target":7}],[{"source":"wiki","target":7,"id":"a"}]]})");
  EXPECT_EQ(Edges(graph->snapshot(), "linked"), "a>b");
  EXPECT_EQ(graph->snapshot().node_count(), 2u);
  EXPECT_NE(JsonLines(graph->snapshot()).find(R"("props":{"source":"wiki","target":7})"),
            std::string::npos)
      << JsonLines(graph->snapshot());
}

// The first list that holds edges is read, wherever it stands; the others are warned of.
TEST(GivenDocuments, MembersNamedAsListsOfEdges) {
  const std::string nodes = R"("nodes":[{"id":"a"},{"id":"b"}])";
  const std::string list = R"([{"source":"a","target":"b"}])";
  for (const std::string other :
       {R"("relationships":"none")", R"("relationships":{"n":[1]})", R"("relationships":[])",
        R"("relationships":[{"source":"x","target":"y"}, 3])", R"("adjacency":null)",
        R"("adjacency":[])", R"("adjacency":[[{"id":"b"}],[],[]])", R"("adjacency":{"a":["b"]})",
        R"("adjacency":[],"relationships":[1])"})
    for (const char* links : {"links", "edges"}) {
      const std::string edges = "\"" + std::string(links) + "\":" + list;
      for (const std::string& text : {"{" + nodes + "," + edges + "," + other + "}",
                                      "{" + other + "," + edges + "," + nodes + "}"}) {
        auto graph = Graph::InMemory();
        const ImportReport r = LoadClean(*graph, "g.json", text);
        EXPECT_EQ(r.edges, (ChangeCounts{1, 0, 0})) << text;
        EXPECT_EQ(Edges(graph->snapshot(), "link"), "a>b") << text;
        const bool holds = other.find('1') != std::string::npos ||
                           other.find("\"b\"") != std::string::npos ||
                           other.find("\"x\"") != std::string::npos;
        EXPECT_EQ(Warns(r, "of the document is not read"), holds) << text;
      }
    }
  auto graph = Graph::InMemory();
  const ImportReport r =
      LoadClean(*graph, "g.json", "{" + nodes + R"(,"links":[],"relationships":)" + list + "}");
  EXPECT_EQ(r.edges.added, 1u);
  EXPECT_TRUE(r.warnings.empty());
  ExpectSameAtAnyCut("g.json", "{" + nodes + R"(,"adjacency":[[1],2],"links":)" + list + "}",
                     {1, 40, 1 << 20});
  auto none = Graph::InMemory();
  ImportOptions options;
  options.format = FileFormat::kNodeLink;
  EXPECT_NE(FirstError(*none, "g.json", R"({"relationships":"x"})", options).find("has neither"),
            std::string::npos);
}

// What nobody reads has no limits, but it is JSON.
TEST(GivenDocuments, MembersThatAreNotRead) {
  const auto with = [](const std::string& value) {
    return R"({"nodes":[{"id":"a"}],"links":[],"layout":)" + value + "}";
  };
  std::string numbers = "[0";
  for (int i = 0; i < 1'100'000; ++i) numbers += ",1";
  ImportOptions small;
  small.limits.line_bytes = 100;
  small.limits.field_bytes = 50;
  for (const auto& [value, options] : std::vector<std::pair<std::string, ImportOptions>>{
           {numbers + "]", {}},
           {R"("a\u0000b")", {}},
           {R"({"a":1,"a":[1e999,"\ud800"]})", {}},
           {R"(["\ud800x"])", {}},
           {std::string(300, '[') + std::string(300, ']'), {}},
           {"\"" + std::string(90, 'x') + "\"", small},
           {"[\"" + std::string(5000, 'x') + "\"]", small}}) {
    auto graph = Graph::InMemory();
    const ImportReport r = LoadClean(*graph, "g.json", with(value), options);
    EXPECT_EQ(r.nodes.added, 1u);
    EXPECT_EQ(Warns(r, "\"layout\" of the document is not read"), value[0] != '"');
  }
  for (const char* value : {"[1 2]", "{\"a\"}", "nul", "[\"\xff\"]", "1 2"}) {
    auto graph = Graph::InMemory();
    EXPECT_NE(FirstError(*graph, "g.json", with(value)), "") << value;
  }
}

// A column Type with other kinds beside Directed holds kinds, wherever the table is cut.
TEST(GivenTables, ATypeIsADirectionWhenAllAre) {
  const auto kinds = [](const std::string& table) {
    auto graph = Graph::InMemory();
    LoadClean(*graph, "t.csv", table);
    const Snapshot s = graph->snapshot();
    std::string all;
    for (const char* kind : {"link", "linked", "Directed", "DIRECTED", "directed", "Acted"})
      if (s.schema().FindEdgeKind(kind))
        if (const std::string edges = Edges(s, kind); !edges.empty())
          all += std::string(kind) + ":" + edges + " ";
    return all;
  };
  EXPECT_EQ(kinds("source,target,type\na,f,Acted\nb,f,Directed\n"), "Directed:b>f Acted:a>f ");
  EXPECT_EQ(kinds("source,target,type,label\nb,f,Directed,\na,f,Acted,\n"),
            "Directed:b>f Acted:a>f ");
  EXPECT_EQ(kinds("Source,Target,Type\na,b,directed\nc,d,UNDIRECTED"), "link:a>b linked:c>d ");
  EXPECT_EQ(kinds("Source,Target,Type\na,b,\nc,d,Directed"), "link:a>b c>d ");
  EXPECT_EQ(kinds("Source,Target,Type\na,b,DIRECTED\n"), "DIRECTED:a>b ");
  std::string late = "Source,Target,Type,Id\n";
  for (int i = 0; i < 20'000; ++i) late += "a,b" + std::to_string(i) + ",,\n";
  EXPECT_EQ(kinds(late + "p,q,Undirected,1\n").find("linked:p>q") != std::string::npos, true);
}

// The places in an array go on from block to block.
TEST(GivenDocuments, AMemoryInAnArrayKeepsItsOrder) {
  std::string lines, array = "[";
  for (int i = 0; i < 40; ++i) {
    const std::string line = R"({"type":"entity","name":"n)" + std::to_string(i * 7 % 40) +
                             R"(","entityType":"t","observations":[]})";
    lines += line + "\n";
    array += (i ? "," : "") + line;
  }
  ImportOptions options;
  options.block_bytes = 100;
  options.format = FileFormat::kMcpMemory;
  auto graph = Graph::InMemory();
  LoadClean(*graph, "m.json", array + "]", options);
  std::ostringstream out;
  EXPECT_TRUE(ExportMcpMemory(graph->snapshot(), out));
  EXPECT_EQ(out.str(), lines);
}

// Lines that are far apart are in different batches: the later one wins, and a warning says so.
TEST(GivenLines, WhatReplacesAnEdgeOfAnEarlierBatchIsWarnedOf) {
  ImportOptions options;
  options.block_bytes = 100;
  options.limits.load_bytes = 0;  // by batches
  std::string lines;
  for (int i = 0; i < 40; ++i) lines += std::to_string(i) + " " + std::to_string(i + 1) + " 0.5\n";
  const auto load = [&](const std::string& more) {
    auto graph = Graph::InMemory();
    return LoadClean(*graph, "e.wel", lines + more, options);
  };
  EXPECT_TRUE(load("0 1 0.5\n").warnings.empty());
  const ImportReport report = load("0 1 0.25\n1 2 0.75\n");
  EXPECT_EQ(report.edges, (ChangeCounts{40, 2, 0}));
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_GT(report.warnings[0].line, 30u);
  EXPECT_TRUE(Warns(report, "an edge of an earlier line stands again with other values"));
  EXPECT_TRUE(Warns(report, "(2 such)"));
  // What was in the graph before is changed without a word: that is what an import is for.
  auto graph = Graph::InMemory();
  LoadClean(*graph, "e.wel", lines, options);
  EXPECT_TRUE(LoadClean(*graph, "e.wel", "0 1 0.25\n", options).warnings.empty());
}

// Lines of one batch are compared with each other, in a graph with edges and in an empty one, which
// is loaded at once.
TEST(GivenLines, WhatReplacesAnEdgeOfTheSameBatchIsCounted) {
  for (const bool at_once : {true, false}) {
    SCOPED_TRACE(at_once);
    ImportOptions options;
    if (!at_once) options.limits.load_bytes = 0;
    const auto load = [&](const std::string& lines) {
      auto graph = Graph::InMemory();
      return LoadClean(*graph, "e.wel", lines, options);
    };
    ImportReport r = load("a b 2\nc d 1\na b 3\nc d 1\na b\n");
    EXPECT_EQ(r.edges, (ChangeCounts{2, 1, 2}));
    ASSERT_EQ(r.warnings.size(), 1u);
    EXPECT_EQ(r.warnings[0].line, 1u);
    EXPECT_EQ(r.warnings[0].value, 3);
    EXPECT_TRUE(Warns(r, "the edge 'a' link 'b' stands again with other values"));
    EXPECT_EQ(load("1 2 5\n2 1 6\n1 2 5.0\n").edges, (ChangeCounts{2, 0, 1}));
    r = load("some_long_name another_long_name 2\nsome_long_name another_long_name 3\n");
    EXPECT_EQ(r.edges, (ChangeCounts{1, 1, 0}));
  }
}

// Of batches that are loaded at once, too.
TEST(GivenLines, WhatReplacesAnEdgeOfAnEarlierBatchIsWarnedOfWhenLoadedAtOnce) {
  ImportOptions options;
  options.block_bytes = 100;
  std::string lines;
  for (int i = 0; i < 40; ++i) lines += std::to_string(i) + " " + std::to_string(i + 1) + " 0.5\n";
  auto graph = Graph::InMemory();
  const ImportReport report = LoadClean(*graph, "e.wel", lines + "0 1 0.25\n1 2 0.75\n", options);
  EXPECT_EQ(report.edges, (ChangeCounts{40, 2, 0}));
  EXPECT_TRUE(Warns(report, "an edge of an earlier line stands again with other values"));
}

TEST(GivenLines, WhatReplacesANodeOfAnEarlierBatchIsWarnedOf) {
  ImportOptions options;
  options.block_bytes = 100;
  std::string lines;
  for (int i = 0; i < 40; ++i)
    lines +=
        R"({"node":"n)" + std::to_string(i) + R"(","text":"text )" + std::to_string(i) + "\"}\n";
  const auto load = [&](const std::string& more) {
    auto graph = Graph::InMemory();
    return LoadClean(*graph, "n.jsonl", lines + more, options);
  };
  EXPECT_TRUE(load(R"({"node":"n3","text":"text 3"})").warnings.empty());
  EXPECT_TRUE(load(R"({"node":"n3","kind":"memory"})").warnings.empty());  // adds to it
  EXPECT_TRUE(load(R"({"remove":"n3"})"
                   "\n"
                   R"({"node":"n3","text":"other"})")
                  .warnings.empty());
  const ImportReport report = load(R"({"node":"n3","text":"other"})"
                                   "\n"
                                   R"({"node":"n4","text":"other"})");
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0].line, 4u);
  EXPECT_EQ(report.warnings[0].value, 41);
  EXPECT_TRUE(
      Warns(report, "stands again with other values, which replace these: line 41 (2 such)"));
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
  EXPECT_EQ(r.edges, (ChangeCounts{300, 0, 0}));
}

// Which edge it is depends on how the kind is read, not on how it is spelled.
TEST(GivenDocuments, ParallelEdgesOfGraphMlByOtherNames) {
  const auto load = [](const std::string& edges) {
    auto graph = Graph::InMemory();
    return LoadClean(*graph, "p.graphml",
                     "<graphml><key id=\"k\" for=\"edge\" attr.name=\"kind\" attr.type=\"string\"/>"
                     "<key id=\"t\" for=\"edge\" attr.name=\"type\" attr.type=\"string\"/>"
                     "<graph edgedefault=\"directed\">\n" +
                         edges + "</graph></graphml>")
        .edges;
  };
  const auto edge = [](const std::string& id, const std::string& ends, const std::string& data) {
    return "<edge id=\"" + id + "\" source=\"" + ends.substr(0, 1) + "\" target=\"" +
           ends.substr(1) + "\">" + data + "</edge>\n";
  };
  const auto kind = [](const std::string& name) { return "<data key=\"k\">" + name + "</data>"; };
  const std::string ab = edge("e0", "ab", kind("causes"));
  EXPECT_EQ(load(ab + edge("e1", "ba", kind("caused_by"))), (ChangeCounts{2, 0, 0}));
  EXPECT_EQ(load(ab + edge("e1", "ab", "<data key=\"t\">causes</data>")), (ChangeCounts{2, 0, 0}));
  EXPECT_EQ(load(edge("e0", "ab", kind("contradicts")) + edge("e1", "ba", kind("contradicts"))),
            (ChangeCounts{2, 0, 0}));
  EXPECT_EQ(load(edge("e0", "ab", "") + edge("e1", "ab", kind("link"))), (ChangeCounts{2, 0, 0}));
  EXPECT_EQ(load(ab + edge("e0", "ba", kind("causes"))), (ChangeCounts{2, 0, 0}));
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
  EXPECT_EQ(load(first + first).edges, (ChangeCounts{1, 0, 1}));
  ImportReport r = load(first + R"({"edge":["b","a"],"kind":"caused_by","weight":3})");
  EXPECT_EQ(r.edges, (ChangeCounts{1, 1, 0}));
  EXPECT_TRUE(Warns(r, "r.jsonl:1: the edge")) << r.warnings.size();
  r = load(R"({"edge":["a","b"],"kind":"contradicts","weight":2})"
           "\n"
           R"({"edge":["b","a"],"kind":"contradicts","weight":3})");
  EXPECT_EQ(r.edges, (ChangeCounts{1, 1, 0}));
  // What only adds to the record before it replaces nothing.
  r = load(R"({"edge":["a","b"]})"
           "\n"
           R"({"edge":["a","b"],"created_by":"x"})");
  EXPECT_EQ(r.edges, (ChangeCounts{1, 1, 0}));
  EXPECT_TRUE(r.warnings.empty());
  // Other labels are other edges, and one that is taken back does not count.
  EXPECT_EQ(load(R"({"edge":["a","b"],"weight":2})"
                 "\n"
                 R"({"edge":["a","b"],"label":"l"})")
                .edges,
            (ChangeCounts{2, 0, 0}));
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
  EXPECT_EQ(LoadClean(*graph, "t.csv", table).edges, (ChangeCounts{1, 1, 0}));
  EXPECT_EQ(LoadClean(*graph, "t.csv", table).edges, (ChangeCounts{0, 1, 1}));
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
}  // namespace plexus::formats::internal
