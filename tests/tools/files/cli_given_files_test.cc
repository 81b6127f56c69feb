// Files as other programs leave them, through the program: what they hold is read or named, a
// damaged line decides nothing, and a slip of the command is told from a fault of a file. One input
// of each kind is in cases_test.cc; these are others.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

const std::string kAda =
    R"({"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]})";
const std::string kBo =
    R"({"type":"entity","name":"Bo","entityType":"person","observations":["runs"]})";
const std::string kKnows = R"({"type":"relation","from":"Bo","to":"Ada","relationType":"knows"})";

// A file, what is added to the words, and what comes of it: in the reply as JSON, in messages, or
// in the graph as it is exported then.
struct Given {
  std::string name, text;
  Words more = {};
  int code = 0;
  Words holds = {};
};

class GivenFiles : public ProgramTest {
 protected:
  void ExpectRead(const std::vector<Given>& files) {
    for (const Given& given : files) {
      SCOPED_TRACE(given.name + ": " + given.text.substr(0, 200));
      db_ = dir_ / ("g" + std::to_string(++graphs_));
      const Finished run = ImportFile(given);
      EXPECT_TRUE(Ends(run, given.code));
      const std::string all = run.out + run.err +
                              (given.code ? ""
                                          : Run({"export", "--format", "jsonl"}).out +
                                                Run({"export", "--format", "csv"}).out);
      for (const std::string& part : given.holds) EXPECT_TRUE(Says(all, part));
    }
  }
  Finished ImportFile(const Given& given) const {
    Words words = {"import", "--json", dir_.File(given.name, given.text)};
    words.insert(words.end(), given.more.begin(), given.more.end());
    return Run(words);
  }
  int graphs_ = 0;
};

std::string Edges(int count) { return "\"edges\":{\"new\":" + std::to_string(count) + ","; }
std::string Nodes(int count) { return "\"nodes\":{\"new\":" + std::to_string(count) + ","; }

TEST_F(GivenFiles, WhatIsNotReadOrReplacedIsNamed) {
  ExpectRead({
      {"hyper.json",
       R"({"nodes":[{"id":"a"}],"hyperedges":[["a","b"]],"empty":[]})",
       {},
       0,
       {"hyperedges"}},
      {"parallel.csv",
       "source,target,weight,when\na,b,1,mon\na,b,2,tue\na,b,2,tue\n",
       {},
       0,
       {R"("edges":{"new":1,"changed":1,"same":1)", "parallel.csv:2: ", "line 3"}},
      {"nodes.csv", "key,text\nx,one\ny,\nx,two\n", {}, 0, {"nodes.csv:2: the node 'x'"}},
      {"two.jsonl",
       "{\"edge\":[\"p\",\"q\"],\"weight\":1}\n{\"edge\":[\"p\",\"q\"],\"weight\":3}\n",
       {},
       0,
       {"\"changed\":1"}},
      {"repeated.json",
       kKnows + "\n" + kKnows.substr(0, kKnows.size() - 1) + ",\"since\":2}\n",
       {},
       0,
       {"repeated.json:1: the edge 'Bo' knows 'Ada'"}},
      {"equal.json",
       kAda + "\n" + kAda + "\n" + kKnows + "\n" + kKnows + "\n",
       {},
       0,
       {R"("edges":{"new":1,"changed":0,"same":1)", R"("warnings":[])"}},
      {"marker.jsonl",
       "{\"type\": \"_aim\"}\n" + kAda + "\n" + kBo + "\n",
       {},
       0,
       {Nodes(2), R"("passed_over":1)", "marker.jsonl:1: "}},
      {"integer.jsonl",
       R"({"node":"a","props":{"u":18446744073709551615,"n":-9223372036854775809,"d":[1e20]}})",
       {},
       0,
       {R"("n":"-9223372036854775809")", R"("u":18446744073709551615)"}},
  });
}

TEST_F(GivenFiles, NulIsRefusedHoweverItIsWritten) {
  ExpectRead({
      {"nul.jsonl", R"({"node":"a","text":"x\u0000y"})", {}, 1, {"U+0000"}},
      {"nul.jsonl", R"({"node":"a","props":{"p":"\u0000"}})", {}, 1, {"U+0000"}},
      {"nul.jsonl", R"({"node":"a","props":{"p\u0000":1}})", {}, 1, {"U+0000"}},
      {"nul.jsonl",
       R"({"event":"e","members":[{"id":"a","preview":"\u0000"}]})",
       {},
       1,
       {"U+0000"}},
  });
}

// The first line was damaged, a mark or a comment, and decided what the file is.
TEST_F(GivenFiles, ADamagedFirstLineDecidesNothing) {
  const std::string rest = "\n" + kBo + "\n" + kKnows + "\n";
  std::vector<Given> files;
  for (const std::string& first :
       {kAda + kBo, std::string("// memory"), std::string("not json"),
        std::string(R"({"type":"entity","name":"Ad)"), std::string("[broken")})
    files.push_back({"memory.json",
                     first + rest,
                     {"--on-error", "skip"},
                     0,
                     {R"("errors":1)", Nodes(2), Edges(1)}});
  ExpectRead(files);
}

// Any text of two words a line was taken for an edge list.
TEST_F(GivenFiles, ATextIsNoEdgeList) {
  const Words neither = {"cannot tell its format", "no edge list", "no table"};
  ExpectRead({
      {"three.txt", "buy milk 3\nbuy eggs 12\n", {}, 1, neither},
      {"conf.ini", "timeout = 30\nretries = 3\n", {}, 1, neither},
      {"note.txt", "The id is 5\n", {}, 1, neither},
      {"notes.json", "hello there\n", {}, 1, neither},
      {"numbers.txt", "# of SNAP\n1 2\n2\t3 0.5\n", {}, 0, {Edges(2)}},
      {"words.txt", "ann bob\n", {"--format", "edgelist"}, 0, {Edges(1)}},
  });
}

// An array of records is read as lines of them are; a comma before the end is named by its place.
TEST_F(GivenFiles, AJsonArrayIsRead) {
  ExpectRead({
      {"array.json", "[{\"id\":\"a\"},\n{\"id\":\"b\",\"text\":\"x\"}]", {}, 0, {Nodes(2)}},
      {"edges.json",
       R"([ {"source":"a","target":"b"}, {"source":"b","target":"c"} ])",
       {},
       0,
       {Edges(2)}},
      {"records.json", R"([{"node":"r"},{"edge":["r","a"]}])", {}, 0, {Edges(1)}},
      {"memory.json", "[" + kAda + "," + kBo + "]", {}, 0, {Nodes(2)}},
      {"d.json", R"({"nodes":[{"id":"a"}],})", {}, 1, {"comma at byte 22"}},
  });
  for (const char* bad : {"[1,2]", R"([{"id":"x"},])", R"([{"id":"x"})", R"([{"id":"x"}] 1)",
                          R"([{"nodes":[]}])", R"([{"id":"x"},3])"})
    EXPECT_TRUE(Ends(ImportFile({"bad.json", bad}), 1)) << bad;
}

// An array that ends too early is skipped like a document: what stands before the end is in.
TEST_F(GivenFiles, ATruncatedArrayIsSkippedAsADocumentIs) {
  const std::string tail = R"([{"id":"a"},{"id":"b"},{"id":)";
  const Words skip = {"--on-error", "skip"};
  ExpectRead({
      {"array.json", tail, {}, 1, {}},
      {"array.json", tail, skip, 0, {"the file ends inside a value (skipped)"}},
      {"document.json", R"({"nodes":)" + tail, {}, 1, {}},
      {"document.json", R"({"nodes":)" + tail, skip, 0, {"the file ends inside a value (skipped)"}},
      {"none.json", "[nothing", skip, 1, {}},
  });
}

// A header that cannot be read is no record to skip: both files were left out, with exit code 0.
TEST_F(GivenFiles, AHeaderIsNeverSkipped) {
  const std::string good = dir_.File("good.csv", "key\na\n");
  ExpectRead({
      {"people.csv",
       "person_id,name\n1,Ann\n",
       {"--on-error", "skip", good},
       1,
       {R"(\"person_id\", \"name\"; for example --columns key=person_id)", Nodes(0)}},
      {"m.mtx", "%%MatrixMarket tensor\n", {"--on-error", "skip", good}, 1, {}},
      {"g.sg", "no graph", {"--on-error", "skip", good}, 1, {}},
      {"x.graphml", "<xml/>", {"--on-error", "skip", good}, 1, {}},
      {"d.json", "{\"vertices\":[]}", {"--on-error", "skip", good}, 1, {}},
  });
}

// Names in --columns that one of the files has; that none has.
TEST_F(GivenFiles, ColumnsAreOfAllFilesTogether) {
  const std::string relations = dir_.File("relations.csv", "from,to\n1,2\n");
  const std::string rows = dir_.File("rows.jsonl", "{\"id\":\"3\",\"note\":\"x\"}\n");
  const std::string people = "person_id,name\n1,Ann\n2,Bo\n";
  const std::string columns = "key=person_id,source=from,target=to";
  for (const std::string on_error : {"stop", "skip"}) {
    const auto with = [&](const std::string& names, Words more) {
      more.insert(more.end(), {"--on-error", on_error, "--columns", names});
      return more;
    };
    ExpectRead({
        {"people.csv", people, with(columns, {relations}), 0, {Edges(1), Nodes(2)}},
        {"people.csv", people, with(columns + ",text=note", {relations, rows}), 0, {}},
        {"people.csv",
         people,
         with(columns + ",text=nonsense", {relations, rows}),
         2,
         {"nonsense"}},
        {"people.csv", people, with("text=nonsense", {relations}), 2, {"nonsense"}},
        {"only.jsonl", "{\"id\":\"3\"}\n", with("text=nonsense", {}), 2, {"nonsense"}},
        {"n.json", "{\"nodes\":[{\"id\":\"n\"}]}", with("text=nonsense", {}), 2, {"nonsense"}},
    });
  }
  // Rows without a name of ours are rows when --columns says what their names mean.
  ExpectRead({
      {"p.jsonl",
       "{\"person\":\"a\",\"name\":\"Ada\"}\n{\"person\":\"b\"}\n",
       {"--columns", "key=person,text=name"},
       0,
       {Nodes(2), R"("text":"Ada")"}},
      {"knows.json",
       R"([{"who":"a","whom":"b"}])",
       {"--columns", "source=who,target=whom"},
       0,
       {Edges(1)}},
      {"a.json",
       R"({"nodes":[{"id":"A","entity_type":"PERSON","description":"wrote"}]})",
       {"--columns", "text=description,kind=entity_type"},
       0,
       {R"("kind":"PERSON")", R"("text":"wrote")"}},
  });
}

TEST_F(GivenFiles, TablesOfOtherPrograms) {
  ExpectRead({
      // Gephi's column Type says whether an edge has a direction; a graph of films has others.
      {"directed.csv", "Source,Target,Type\np,q,Directed\n", {}, 0, {"p,q,link,1,"}},
      {"upper.csv", "Source,Target,Type\nx,y,DIRECTED\n", {}, 0, {"x,y,DIRECTED,1,"}},
      {"films.csv",
       "source,target,type\nann,film,Acted\nbob,film,Directed\n",
       {},
       0,
       {"bob,film,Directed,1,"}},
      {"gephi.csv",
       "Source,Target,Type,Id,Label,timeset,Weight\na,b,Undirected,0,,,1.0\n",
       {},
       0,
       {"a,b,linked,1,"}},
      {"excel.csv", "sep=;\r\nsource;target\r\na;b\r\n", {}, 0, {Edges(1)}},
      {"cr.el", "p q\rq r\r", {}, 0, {Edges(2)}},
      {"cr.mtx",
       "%%MatrixMarket matrix coordinate pattern general\r2 2 1\r1 2\r",
       {},
       0,
       {Edges(1)}},
      // Keys lose the blanks around them, quotes keep them.
      {"blanks.csv",
       "source, target, weight\nann, bob, 2\nann,\" cy \",1\n",
       {},
       0,
       {R"(["ann","bob"])", R"(["ann"," cy "])"}},
      {"a.jsonl", "{\"node\":\"a\"}", {"--space", "s"}, 2, {}},
  });
}

TEST_F(GivenFiles, AByteOrderMarkBeforeAnyFormat) {
  const std::string mark = "\xef\xbb\xbf";
  ExpectRead({
      {"b.csv", mark + "source,target\n1,2\n", {}, 0, {Edges(1)}},
      {"c.el", mark + "1 2\n", {}, 0, {Edges(1)}},
      {"d.jsonl", mark + "{\"edge\":[\"1\",\"2\"]}\n", {}, 0, {Edges(1)}},
      {"e.json", mark + R"({"nodes":[],"links":[{"source":1,"target":2}]})", {}, 0, {Edges(1)}},
      {"f.json", mark + R"([{"source":"1","target":"2"}])", {}, 0, {Edges(1)}},
      {"g.graphml",
       mark + R"(<graphml><graph edgedefault="directed"><edge source="1" target="2"/></graph>)"
              "</graphml>",
       {},
       0,
       {Edges(1)}},
  });
}

// R, igraph and Python spell booleans TRUE and True, and write NaN for a value that is missing.
TEST_F(GivenFiles, ValuesOfGraphMl) {
  const std::string active =
      R"(<graphml><key id="b" for="node" attr.name="active" attr.type="boolean"/>)"
      R"(<graph edgedefault="directed"><node id="p1"><data key="b">)";
  const std::string weight =
      R"(<graphml><key id="w" for="edge" attr.name="weight" attr.type="double"/>)"
      R"(<graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="a" target="b">)"
      R"(<data key="w">NaN</data></edge></graph></graphml>)";
  ExpectRead({
      {"bad.graphml",
       active + "yes</data></node></graph></graphml>",
       {},
       1,
       {"is not true or false"}},
      {"weight.graphml", weight, {}, 1, {}},  // a weight is no property
  });
}

// NetworkX 3.6 and later looks for "edges".
TEST_F(GivenFiles, NodeLinkGoesOutAsNewNetworkxReadsIt) {
  ASSERT_TRUE(Ends(ImportFile({"a.csv", "source,target\na,b\n"}), 0));
  EXPECT_TRUE(Says(Run({"export", "--format", "node-link"}).out, R"("edges":[)"));
}

}  // namespace
}  // namespace plexus::testing
