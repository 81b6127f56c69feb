// Files as other programs leave them, through the program: what they hold is read or named, a
// damaged line decides nothing, and a slip of the command is told from a fault of a file.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

// Imports text as a file of that name, with more arguments.
Finished Import(const TempDir& dir, const std::string& name, const std::string& text,
                const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"import", "--db", dir / "g", "--json", dir.File(name, text)};
  all.insert(all.end(), more.begin(), more.end());
  return Plexus(all);
}

std::string Export(const TempDir& dir, const std::string& format = "csv") {
  return Plexus({"export", "--db", dir / "g", "--format", format}).out;
}

std::string Warnings(const Finished& run) {
  std::string all;
  const boost::json::object reply = run.Json();
  for (const auto& warning : reply.at("warnings").as_array())
    all += std::string(warning.as_string()) + "\n";
  return all;
}

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int Edges(const Finished& run, const char* what) {
  return run.Json().at("edges").as_object().at(what).to_number<int>();
}
int Nodes(const Finished& run, const char* what) {
  return run.Json().at("nodes").as_object().at(what).to_number<int>();
}

const std::string kAda =
    R"({"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]})";
const std::string kBo =
    R"({"type":"entity","name":"Bo","entityType":"person","observations":["runs"]})";

// adjacency_data of NetworkX holds its edges as lists of neighbours, which were dropped.
TEST(GivenFiles, EdgesOfAdjacencyDataAreRead) {
  const TempDir dir;
  const Finished run =
      Import(dir, "adjacency.json",
             R"({"directed": true, "multigraph": false, "graph": [], "nodes": [{"id": "a"}, )"
             R"({"id": "b"}], "adjacency": [[{"weight": 2, "id": "b"}], []]})");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(Edges(run, "new"), 1);
  EXPECT_TRUE(Holds(Export(dir), "a,b,link,2,")) << Export(dir);
}

// Graph documents call their edges "relationships".
TEST(GivenFiles, RelationshipsAreEdges) {
  const TempDir dir;
  const Finished run =
      Import(dir, "relationships.json",
             R"({"nodes": [{"id": "a", "type": "Person"}, {"id": "b", "type": "Person"}], )"
             R"("relationships": [{"source": {"id": "a", "type": "Person"}, "target": "b", )"
             R"("type": "KNOWS"}]})");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(Edges(run, "new"), 1);
  EXPECT_TRUE(Holds(Export(dir), "a,b,KNOWS,1,")) << Export(dir);
}

// A list that is not read is named.
TEST(GivenFiles, OtherListsOfADocumentAreNamed) {
  const TempDir dir;
  const Finished run =
      Import(dir, "hyper.json", R"({"nodes":[{"id":"a"}],"hyperedges":[["a","b"]],"empty":[]})");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(Holds(Warnings(run), "hyperedges")) << Warnings(run);
  EXPECT_FALSE(Holds(Warnings(run), "empty")) << Warnings(run);
}

// Ids tell parallel edges of GraphML apart; the second one took the first one's place.
TEST(GivenFiles, ParallelEdgesOfGraphMlStayApart) {
  const TempDir dir;
  const Finished run = Import(dir, "parallel.graphml", R"(<graphml>
  <key id="r" for="edge" attr.name="relation" attr.type="string"/>
  <graph edgedefault="directed"><node id="a"/><node id="b"/>
    <edge id="e0" source="a" target="b"><data key="r">likes</data></edge>
    <edge id="e1" source="a" target="b"><data key="r">hates</data></edge>
  </graph></graphml>)");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(Edges(run, "new"), 2);
  EXPECT_TRUE(Holds(Export(dir), "likes") && Holds(Export(dir), "hates")) << Export(dir);
}

// A record that replaces one of the same file is `changed`, with a line; an equal one is `same`.
TEST(GivenFiles, ARecordThatReplacesAnotherIsChanged) {
  const TempDir dir;
  const Finished run =
      Import(dir, "parallel.csv", "source,target,weight,when\na,b,1,mon\na,b,2,tue\na,b,2,tue\n");
  EXPECT_EQ(Edges(run, "new"), 1);
  EXPECT_EQ(Edges(run, "changed"), 1);
  EXPECT_EQ(Edges(run, "same"), 1);
  EXPECT_TRUE(Holds(Warnings(run), "parallel.csv:2: ")) << Warnings(run);
  EXPECT_TRUE(Holds(Warnings(run), "line 3")) << Warnings(run);
  const Finished nodes = Import(dir, "nodes.csv", "key,text\nx,one\ny,\nx,two\n");
  EXPECT_TRUE(Holds(Warnings(nodes), "nodes.csv:2: the node 'x'")) << Warnings(nodes);
  const Finished lines = Import(dir, "two.jsonl",
                                "{\"edge\":[\"p\",\"q\"],\"weight\":1}\n"
                                "{\"edge\":[\"p\",\"q\"],\"weight\":3}\n");
  EXPECT_EQ(Edges(lines, "changed"), 1);
}

// The memory server writes several entities of one name and keeps them all. Equal ones are `same`.
TEST(GivenFiles, RepeatedEntitiesAndRelationsAreWarnedOf) {
  const TempDir dir;
  const std::string d3 = R"({"type":"entity","name":"D3","entityType":"library","observations":[")";
  const std::string relation =
      R"({"type":"relation","from":"D3","to":"Ada","relationType":"knows"})";
  const Finished run =
      Import(dir, "repeated.json",
             d3 + "draws graphs\"]}\n" + d3 + "has modules\"]}\n" + relation + "\n" +
                 relation.substr(0, relation.size() - 1) + ",\"since\":2}\n");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(Holds(Warnings(run), "repeated.json:1: the node 'D3'")) << Warnings(run);
  EXPECT_TRUE(Holds(Warnings(run), "repeated.json:3: the edge 'D3' knows 'Ada'")) << Warnings(run);
  const TempDir again;
  const Finished equal =
      Import(again, "equal.json", kAda + "\n" + kAda + "\n" + relation + "\n" + relation + "\n");
  EXPECT_EQ(Warnings(equal), "");
  EXPECT_EQ(Edges(equal, "same"), 1);
  EXPECT_EQ(Edges(equal, "changed"), 0);
}

// 2^65 + 1 was rounded to another number.
TEST(GivenFiles, LongIntegersOfPropertiesStayAsTheyAre) {
  const TempDir dir;
  const Finished run = Import(dir, "integer.jsonl",
                              "{\"node\":\"a\",\"props\":{\"big\":36893488147419103233,\"u\":"
                              "18446744073709551615,\"n\":-9223372036854775809,\"d\":[1e20]}}\n");
  EXPECT_EQ(run.code, 0) << run.err;
  const std::string out = Export(dir, "jsonl");
  EXPECT_TRUE(Holds(out, R"("big":"36893488147419103233")")) << out;
  EXPECT_TRUE(Holds(out, R"("n":"-9223372036854775809")")) << out;
  EXPECT_TRUE(Holds(out, R"("u":18446744073709551615)")) << out;
}

// U+0000 came in through its escape.
TEST(GivenFiles, NulIsRefusedHoweverItIsWritten) {
  for (const char* line :
       {R"({"node":"a","text":"x\u0000y"})", R"({"node":"a","props":{"p":"\u0000"}})",
        R"({"node":"a","props":{"p\u0000":1}})",
        R"({"event":"e","members":[{"id":"a","preview":"\u0000"}]})"}) {
    const TempDir dir;
    const Finished run = Import(dir, "nul.jsonl", line);
    EXPECT_EQ(run.code, 1) << line;
    EXPECT_TRUE(Holds(run.err, "U+0000")) << run.err;
  }
}

// The first line was damaged, a mark or a comment, and decided what the file is.
TEST(GivenFiles, ADamagedFirstLineDecidesNothing) {
  const std::string relation = R"({"type":"relation","from":"Bo","to":"Cy","relationType":"knows"})"
                               "\n";
  const std::string cy =
      R"({"type":"entity","name":"Cy","entityType":"person","observations":["sings"]})"
      "\n";
  const std::string text = kAda + kBo + "\n" + cy + relation;
  {
    const TempDir dir;
    const Finished run = Import(dir, "memory.json", text);
    EXPECT_EQ(run.code, 1);
    EXPECT_TRUE(Holds(run.err, "memory.json:1: JSON: something follows the value at byte 82"))
        << run.err;
  }
  for (const std::string& first :
       {kAda + kBo, std::string("// memory"), std::string(R"({"type":"entity","name":"Ad)"),
        std::string("[broken"), std::string("not json")}) {
    const TempDir dir;
    const Finished run =
        Import(dir, "memory.json", first + "\n" + cy + relation, {"--on-error", "skip"});
    EXPECT_EQ(run.code, 0) << first << run.err;
    EXPECT_EQ(run.Json().at("errors").to_number<int>(), 1) << first;
    EXPECT_EQ(Nodes(run, "new"), 2) << first;
    EXPECT_EQ(Edges(run, "new"), 1) << first;
  }
}

// mcp-knowledge-graph marks its files by a line of a type of its own.
TEST(GivenFiles, LinesOfOtherTypesInAMemoryFileArePassedOver) {
  const TempDir dir;
  const Finished run = Import(
      dir, "marker.jsonl",
      "{\"type\": \"_aim\", \"source\": \"mcp-knowledge-graph\"}\n" + kAda + "\n" + kBo + "\n");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(Nodes(run, "new"), 2);
  EXPECT_EQ(run.Json().at("passed_over").to_number<int>(), 1);
  EXPECT_TRUE(Holds(Warnings(run), "marker.jsonl:1: ")) << Warnings(run);
}

// Any text of two words a line was taken for an edge list.
TEST(GivenFiles, ATextIsNoEdgeList) {
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"create.cypher", "CREATE (a)-[:X]->(b);\n"},
      {"todo.md", "- apples\n- pears\n"},
      {"three.txt", "buy milk 3\nbuy eggs 12\n"},
      {"mod.py", "import os\nimport sys\n"},
      {"conf.ini", "timeout = 30\nretries = 3\n"},
      {"q.sql", "SELECT 1\n"},
      {"note.txt", "The id is 5\n"},
      {"notes.json", "hello there\n"}};
  for (const auto& [name, text] : texts) {
    const TempDir dir;
    const Finished run = Import(dir, name, text);
    EXPECT_EQ(run.code, 1) << name;
    EXPECT_TRUE(Holds(run.err, "cannot tell its format")) << run.err;
    EXPECT_TRUE(Holds(run.err, "no edge list") && Holds(run.err, "no table")) << run.err;
  }
  const TempDir dir;
  EXPECT_EQ(Edges(Import(dir, "numbers.txt", "# of SNAP\n1 2\n2\t3 0.5\n"), "new"), 2);
  EXPECT_EQ(Edges(Import(dir, "words.txt", "ann bob\n", {"--format", "edgelist"}), "new"), 1);
}

// An array of records is read as lines of them are.
TEST(GivenFiles, AJsonArrayIsRead) {
  const TempDir dir;
  Finished run = Import(dir, "array.json", "[{\"id\":\"a\"},\n{\"id\":\"b\",\"text\":\"x\"}]");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(Nodes(run, "new"), 2);
  run =
      Import(dir, "edges.json", R"([ {"source":"a","target":"b"}, {"source":"b","target":"c"} ])");
  EXPECT_EQ(Edges(run, "new"), 2) << run.err;
  run = Import(dir, "records.json", R"([{"node":"r"},{"edge":["r","a"]}])");
  EXPECT_EQ(Edges(run, "new"), 1) << run.err;
  run = Import(dir, "memory.json", "[" + kAda + "," + kBo + "]");
  EXPECT_EQ(Nodes(run, "new"), 2) << run.err;
  const std::string before = Export(dir, "jsonl");
  for (const char* bad : {"[1,2]", R"([{"id":"x"},])", R"([{"id":"x"})", R"([{"id":"x"}] 1)",
                          R"([{"nodes":[]}])", R"([{"id":"x"},3])"}) {
    run = Import(dir, "bad.json", bad);
    EXPECT_EQ(run.code, 1) << bad << run.err;
    EXPECT_EQ(Export(dir, "jsonl"), before) << bad;
  }
}

// A header that cannot be read was a record to skip: both files were left out, with exit code 0.
TEST(GivenFiles, AHeaderIsNeverSkipped) {
  const TempDir dir;
  const std::string good = dir.File("good.csv", "key\na\n");
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"people.csv", "person_id,name\n1,Ann\n"},
                                                        {"m.mtx", "%%MatrixMarket tensor\n"},
                                                        {"g.sg", "no graph"},
                                                        {"x.graphml", "<xml/>"},
                                                        {"d.json", "{\"vertices\":[]}"}}) {
    const Finished run = Plexus(
        {"import", "--db", dir / "g", "--json", "--on-error", "skip", good, dir.File(name, text)});
    EXPECT_EQ(run.code, 1) << name << run.err;
  }
  const Finished run = Plexus({"import", "--db", dir / "new", "--json", "--on-error", "skip", good,
                               dir.File("people.csv", "person_id,name\n1,Ann\n")});
  EXPECT_TRUE(Holds(run.err, R"("person_id", "name"; for example --columns key=person_id)"))
      << run.err;
  EXPECT_EQ(run.Json().at("nodes").as_object().at("new").to_number<int>(), 0) << "good.csv, too";
}

// Names in --columns that one of the files has; that none has; that no format here can use.
TEST(GivenFiles, ColumnsAreOfAllFilesTogether) {
  const TempDir dir;
  const std::string people = dir.File("people.csv", "person_id,name\n1,Ann\n2,Bo\n");
  const std::string relations = dir.File("relations.csv", "from,to\n1,2\n");
  const std::string rows = dir.File("rows.jsonl", "{\"id\":\"3\",\"note\":\"x\"}\n");
  const std::string columns = "key=person_id,source=from,target=to";
  for (const std::string on_error : {"stop", "skip"}) {
    const TempDir out;
    const auto import = [&](const std::string& names, const std::vector<std::string>& files) {
      std::vector<std::string> all = {"import",     "--db",   out / "g",   "--json",
                                      "--on-error", on_error, "--columns", names};
      all.insert(all.end(), files.begin(), files.end());
      return Plexus(all);
    };
    Finished run = import(columns, {people, relations});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(Edges(run, "new"), 1);
    EXPECT_EQ(Nodes(run, "new"), 2);
    EXPECT_EQ(import(columns + ",text=note", {people, relations, rows}).code, 0);
    EXPECT_EQ(import(columns + ",text=nonsense", {people, relations, rows}).code, 2);
    for (const auto& files : std::vector<std::vector<std::string>>{
             {people, relations},
             {rows},
             {dir.File("a.jsonl", "{\"node\":\"a\"}\n")},
             {dir.File("a.el", "a b\n")},
             {dir.File("memory.jsonl", kAda + "\n")},
             {dir.File("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")},
             {dir.File("n.json", "{\"nodes\":[{\"id\":\"n\"}]}")}}) {
      run = import("text=nonsense", files);
      EXPECT_EQ(run.code, 2) << files[0] << run.out << run.err;
      EXPECT_TRUE(Holds(run.err, "nonsense")) << run.err;
    }
  }
}

// GraphML and node-link JSON have names of their own for texts and kinds.
// Rows without a name of ours are rows when --columns says what their names mean.
TEST(GivenFiles, ColumnsTellThatLinesAreRows) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string people =
      dir.File("people.jsonl", "{\"person\":\"a\",\"name\":\"Ada\"}\n{\"person\":\"b\"}\n");
  const std::string knows = dir.File("knows.json", R"([{"who":"a","whom":"b"}])");
  const Finished nodes =
      Plexus({"import", people, "--columns", "key=person,text=name", "--db", db, "--json"});
  ASSERT_EQ(nodes.code, 0) << nodes.err;
  EXPECT_EQ(nodes.Json().at("nodes").at("new").to_number<int>(), 2);
  EXPECT_EQ(Plexus({"get", "a", "--db", db, "--json"}).Json().at("text").as_string(), "Ada");
  const Finished edges =
      Plexus({"import", knows, "--columns", "source=who,target=whom", "--db", db, "--json"});
  ASSERT_EQ(edges.code, 0) << edges.err;
  EXPECT_EQ(edges.Json().at("edges").at("new").to_number<int>(), 1);
}

// An array that ends too early is skipped like a document: what stands before the end is in.
TEST(GivenFiles, ATruncatedArrayIsSkippedAsADocumentIs) {
  const TempDir dir;
  const std::string db = dir / "g", tail = R"([{"id":"a"},{"id":"b"},{"id":)";
  for (const auto& [name, text] :
       {std::pair("array.json", tail), {"document.json", R"({"nodes":)" + tail}}) {
    const std::string file = dir.File(name, text);
    EXPECT_EQ(Plexus({"import", file, "--db", db}).code, 1) << name;
    const Finished skipped = Plexus({"import", file, "--on-error", "skip", "--db", db});
    EXPECT_EQ(skipped.code, 0) << name;
    EXPECT_NE(skipped.err.find("the file ends inside a value (skipped)"), std::string::npos)
        << skipped.err;
  }
  EXPECT_EQ(
      Plexus({"import", dir.File("none.json", "[nothing"), "--on-error", "skip", "--db", db}).code,
      1);
}

TEST(GivenFiles, ColumnsOfDocumentsAreRenamed) {
  const std::string graphml = R"(<graphml>
  <key id="d0" for="node" attr.name="entity_type" attr.type="string"/>
  <key id="d1" for="node" attr.name="description" attr.type="string"/>
  <graph edgedefault="undirected"><node id="ADA"><data key="d0">PERSON</data>
  <data key="d1">Ada wrote the first program</data></node></graph></graphml>)";
  const std::string json = R"({"nodes":[{"id":"ADA","entity_type":"PERSON",)"
                           R"("description":"Ada wrote the first program"}]})";
  for (const auto& [name, text] : {std::pair{"a.graphml", graphml}, {"a.json", json}}) {
    const TempDir dir;
    EXPECT_EQ(Import(dir, name, text, {"--columns", "text=nonsense"}).code, 2) << name;
    const Finished run =
        Import(dir, name, text, {"--columns", "text=description,kind=entity_type"});
    EXPECT_EQ(run.code, 0) << run.err;
    const auto node = Plexus({"get", "--db", dir / "g", "--json", "ADA"}).Json();
    EXPECT_EQ(node.at("kind").as_string(), "PERSON") << name;
    EXPECT_EQ(node.at("text").as_string(), "Ada wrote the first program") << name;
  }
}

TEST(GivenFiles, ASpaceGoesWithVectors) {
  const TempDir dir;
  EXPECT_EQ(Import(dir, "a.jsonl", "{\"node\":\"a\"}", {"--space", "s"}).code, 2);
}

// Gephi's column Type says whether an edge has a direction.
TEST(GivenFiles, GephisTypeIsADirection) {
  const TempDir dir;
  const Finished run = Import(dir, "gephi_edges.csv",
                              "Source,Target,Type,Id,Label,timeset,Weight\n"
                              "a,b,Undirected,0,,,1.0\nb,c,Undirected,1,,,1.0\n");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(Holds(Export(dir), "a,b,linked,1,")) << Export(dir);
  EXPECT_EQ(Plexus({"bfs", "--db", dir / "g", "--json", "--from", "c"})
                .Json()
                .at("total")
                .to_number<int>(),
            3);
  Import(dir, "directed.csv", "Source,Target,Type\np,q,Directed\n");
  EXPECT_TRUE(Holds(Export(dir), "p,q,link,1,")) << Export(dir);
  Import(dir, "upper.csv", "Source,Target,Type\nx,y,DIRECTED\n");
  EXPECT_TRUE(Holds(Export(dir), "x,y,DIRECTED,1,")) << "as a graph of films has it";
  Import(dir, "films.csv", "source,target,type\nann,film,Acted\nbob,film,Directed\n");
  EXPECT_TRUE(Holds(Export(dir), "bob,film,Directed,1,")) << Export(dir);
}

TEST(GivenFiles, SpreadsheetsNameTheDelimiterInALineOfItsOwn) {
  const TempDir dir;
  EXPECT_EQ(Edges(Import(dir, "excel.csv", "sep=;\r\nsource;target\r\na;b\r\n"), "new"), 1);
}

// Keys kept the blanks that everything else loses. Quotes keep them.
TEST(GivenFiles, KeysLoseBlanksAroundThem) {
  const TempDir dir;
  Import(dir, "blanks.csv", "source, target, weight\nann, bob, 2\nann,\" cy \",1\n");
  EXPECT_EQ(Plexus({"get", "--db", dir / "g", "bob"}).code, 0);
  EXPECT_EQ(Plexus({"get", "--db", dir / "g", " cy "}).code, 0);
  const TempDir again;
  Import(again, "again.csv", Export(dir));
  EXPECT_EQ(Export(again), Export(dir));
}

TEST(GivenFiles, LinesThatEndWithAReturnAlone) {
  const TempDir dir;
  EXPECT_EQ(Edges(Import(dir, "cr_only.csv", "source,target\ra,b\rc,d\r"), "new"), 2);
  EXPECT_EQ(Edges(Import(dir, "cr.el", "p q\rq r\r"), "new"), 2);
  EXPECT_EQ(
      Edges(Import(dir, "m.mtx", "%%MatrixMarket matrix coordinate pattern general\r2 2 1\r1 2\r"),
            "new"),
      1);
}

TEST(GivenFiles, AByteOrderMarkBeforeAnyFormat) {
  const std::string mark = "\xef\xbb\xbf";
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"},
           {"b.csv", "source,target\n1,2\n"},
           {"c.el", "1 2\n"},
           {"d.jsonl", "{\"edge\":[\"1\",\"2\"]}\n"},
           {"e.json", R"({"nodes":[],"links":[{"source":1,"target":2}]})"},
           {"f.json", R"([{"source":"1","target":"2"}])"},
           {"g.graphml", R"(<graphml><graph edgedefault="directed"><edge source="1" target="2"/>)"
                         "</graph></graphml>"}}) {
    const TempDir dir;
    EXPECT_EQ(Edges(Import(dir, name, mark + text), "new"), 1) << name;
  }
}

// The place named is the comma's.
TEST(GivenFiles, ACommaBeforeTheEnd) {
  const TempDir dir;
  Finished run = Import(dir, "c.json", R"({"nodes":[{"id":"a"},{"id":"b"},],"links":[]})");
  EXPECT_EQ(run.code, 1);
  EXPECT_TRUE(Holds(run.err, "comma at byte 32")) << run.err;
  run = Import(dir, "d.json", R"({"nodes":[{"id":"a"}],})");
  EXPECT_TRUE(Holds(run.err, "comma at byte 22")) << run.err;
}

// R, igraph and Python spell booleans TRUE and True.
TEST(GivenFiles, BooleansOfGraphMlInAnyCase) {
  const TempDir dir;
  const std::string head =
      R"(<graphml><key id="b" for="node" attr.name="active" attr.type="boolean"><default>TRUE)"
      R"(</default></key><graph edgedefault="directed"><node id="p1"><data key="b">)";
  const Finished run =
      Import(dir, "true.graphml", head + R"(False</data></node><node id="o1"/></graph></graphml>)");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(Holds(Export(dir, "jsonl"), R"("props":{"active":true})")) << Export(dir, "jsonl");
  EXPECT_TRUE(Holds(Export(dir, "jsonl"), R"("props":{"active":false})"));
  const Finished bad = Import(dir, "bad.graphml", head + "yes</data></node></graph></graphml>");
  EXPECT_TRUE(Holds(bad.err, "is not true or false")) << bad.err;
}

// igraph and pandas write NaN for a value that is missing: the property alone is left out.
TEST(GivenFiles, NanInGraphMlIsAMissingValue) {
  const TempDir dir;
  const std::string head =
      R"(<graphml><key id="x" for="all" attr.name="age" attr.type="double"/>)"
      R"(<key id="w" for="edge" attr.name="weight" attr.type="double"/>)"
      R"(<graph edgedefault="directed"><node id="a"><data key="x">NaN</data></node><node id="b">)"
      R"(<data key="x">41</data></node><edge source="a" target="b">)";
  const Finished run = Import(dir, "missing.graphml", head + "</edge></graph></graphml>");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(Edges(run, "new"), 1);
  EXPECT_TRUE(Holds(Warnings(run), "NaN")) << Warnings(run);
  EXPECT_TRUE(Holds(Export(dir, "jsonl"), R"("age":41.0)")) << Export(dir, "jsonl");
  EXPECT_EQ(
      Import(dir, "w.graphml", head + R"(<data key="w">NaN</data></edge></graph></graphml>)").code,
      1)
      << "a weight is no property";
}

// NetworkX 3.6 and later looks for "edges".
TEST(GivenFiles, NodeLinkGoesOutAsNewNetworkxReadsIt) {
  const TempDir dir;
  Import(dir, "a.csv", "source,target\na,b\n");
  EXPECT_TRUE(Holds(Export(dir, "node-link"), R"("edges":[)")) << Export(dir, "node-link");
}

}  // namespace
}  // namespace plexus::testing
