// Every format times every hostile class: NaN, infinity, wrong dimensions, truncated
// files, absurd sizes, duplicate headers and kinds, invalid UTF-8, lines over the limit.
//
// Each bad record stands late, behind many blocks and batches of good ones. The error must
// name file, place and reason, and the graph must be as it was: same export, same ids,
// same sequence, no kind, column, space or string more. Lines of 100 MB are in
// text_all_or_nothing_test.cc.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "storage/text/import_vectors.h"
#include "tests/storage/text_files.h"
#include "tests/storage/text_support.h"

namespace plexus::text {
namespace {

namespace fs = std::filesystem;

constexpr int kGoodLines = 300;

// What a graph is, to the last name.
std::string Whole(const Graph& graph) {
  const Snapshot s = graph.snapshot();
  std::ostringstream out;
  out << s.sequence() << ' ' << s.node_count() << ' ' << s.state().strings.size() << ' '
      << s.schema().node_kinds().size() << ' ' << s.schema().edge_kinds().size() << ' '
      << s.schema().columns().size() << ' ' << s.schema().spaces().size() << '\n'
      << JsonLines(s);
  for (NodeId v = 0; v < s.node_count(); ++v) out << s.key(v) << '\n';
  return out.str();
}

struct Case {
  std::string what;
  std::string name;     // of the file, which tells the format
  std::string bytes;
  std::uint64_t line;   // where the record begins; 0: the file as a whole
  std::string reason;   // a part of it
  std::string seed = {};  // JSON lines that are in the graph before
};

// `header`, many good lines made by good(i), the bad one, and good ones behind it.
template <class Good>
Case Late(std::string what, std::string name, std::string header, Good&& good, std::string bad,
          std::string reason) {
  Case c{std::move(what), std::move(name), std::move(header), 0, std::move(reason)};
  for (int i = 0; i < kGoodLines; ++i) c.bytes += good(i) + "\n";
  c.line = static_cast<std::uint64_t>(std::count(c.bytes.begin(), c.bytes.end(), '\n')) + 1;
  c.bytes += std::move(bad) + "\n";
  for (int i = kGoodLines; i < kGoodLines + 20; ++i) c.bytes += good(i) + "\n";
  return c;
}
// The same with nothing behind it: the file is cut inside of that record.
template <class Good>
Case Cut(std::string name, std::string header, Good&& good, std::string bad, std::string reason) {
  Case c = Late("truncated", std::move(name), std::move(header), good, bad, std::move(reason));
  c.bytes.resize(c.bytes.find(bad + "\n" + good(kGoodLines)) + bad.size());
  return c;
}

ImportOptions SmallCuts(Executor& executor) {
  ImportOptions options;
  options.now_ms = kNow;
  options.executor = &executor;
  options.block_bytes = 512;
  options.batch_ops = 16;
  options.limits.line_bytes = 100'000;
  return options;
}

std::unique_ptr<Graph> Seeded(const std::string& seed) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "seed.jsonl", R"({"node":"n0","kind":"memory","text":"here before","trust":0.5})"
                                  "\n"
                                  R"({"edge":["n0","n1"],"kind":"supports","label":"x"})"
                                  "\n" + seed);
  return graph;
}

void ExpectRefused(const Case& c, const Result<ImportReport>& report, const Graph& graph,
                   const std::string& before) {
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_TRUE(report->stopped);
  EXPECT_GE(report->errors, 1u);
  EXPECT_EQ(report->batches, 0u);
  EXPECT_EQ(report->nodes, ImportCounts());
  EXPECT_EQ(report->edges, ImportCounts());
  EXPECT_EQ(report->vectors, 0u);
  ASSERT_FALSE(report->kept_errors.empty());
  const ImportError& error = report->kept_errors[0];
  EXPECT_TRUE(error.file.ends_with(c.name)) << error.file;
  EXPECT_EQ(error.line, c.line) << error.ToString();
  EXPECT_NE(error.reason.find(c.reason), std::string::npos) << error.ToString();
  EXPECT_EQ(Whole(graph), before);
}

void RunCases(const std::vector<Case>& cases) {
  const auto two = MakeThreadExecutor(2);
  for (const Case& c : cases)
    for (Executor* executor : {&SerialExecutor(), two.get()}) {
      SCOPED_TRACE(c.name + ", " + c.what + ", threads " + std::to_string(executor->thread_count()));
      const auto graph = Seeded(c.seed);
      const std::string before = Whole(*graph);
      ExpectRefused(c, ImportBytes(*graph, c.name, c.bytes, SmallCuts(*executor)), *graph, before);
    }
}

std::string N(int i) { return "n" + std::to_string(i); }
const std::string kLongKey(1025, 'k');
const std::string kLongLine(200'000, 'x');

TEST(Refusal, Csv) {
  const std::string edges = "source,target,kind,weight\n", nodes = "key,kind,trust,text\n";
  const auto edge = [](int i) { return N(i) + "," + N(i + 1) + ",knows,0.5"; };
  const auto node = [](int i) { return N(i) + ",person,0.5,\"words, more\""; };
  RunCases({
      Late("nan", "e.csv", edges, edge, "a,b,knows,nan", "not a finite number"),
      Late("infinity", "e.csv", edges, edge, "a,b,knows,inf", "not a finite number"),
      Late("infinity by overflow", "e.csv", edges, edge, "a,b,knows,1e99", "not a finite number"),
      Late("nan in a column", "n.csv", nodes, node, "a,person,NaN,x", "not a finite number"),
      Late("wrong dimensions", "e.csv", edges, edge, "a,b,knows,1,2", "expected 4 cells"),
      Cut("e.csv", edges, edge, "a,b", "expected 4 cells"),
      Cut("n.csv", nodes, node, "a,person,1,\"wor", "never closed"),
      Late("absurd key", "e.csv", edges, edge, kLongKey + ",b,knows,1", "1025 bytes"),
      Late("absurd cell", "n.csv", nodes, node, "a,person,1," + kLongLine, "record over 100000 bytes"),
      Late("invalid UTF-8", "e.csv", edges, edge, "a,\xff\xfe,knows,1", "not valid UTF-8"),
      Late("NUL", "e.csv", edges, edge, std::string("a,b\0c,knows,1", 13), "NUL"),
      Late("line over the limit", "e.csv", edges, edge, kLongLine, "record over 100000 bytes"),
      Late("a bad kind", "n.csv", nodes, node, "a,bad\akind,1,x", "control character"),
      Late("a bad kind of edge", "e.csv", edges, edge, "a,b,bad\akind,1", "control character"),
      {"duplicate header", "e.csv", "source,target,weight,Weight\na,b,1,2\n", 1, "stands twice"},
      {"duplicate meaning", "n.csv", "key,id\na,b\n", 1, "mean the same"},
      {"absurd header", "e.csv", "source,target" + std::string(2000, ',') + "\na,b\n", 1, "more than 1024 cells"},
      {"endless header", "e.csv", "source,target," + kLongLine + kLongLine, 1, ""},
  });
}

TEST(Refusal, Tsv) {
  const std::string header = "source\ttarget\tweight\tcreated_at\n";
  const auto edge = [](int i) { return N(i) + "\t" + N(i + 1) + "\t0.5\t" + std::to_string(i); };
  RunCases({
      Late("nan", "e.tsv", header, edge, "a\tb\tnan\t1", "not a finite number"),
      Late("infinity", "e.tsv", header, edge, "a\tb\t-inf\t1", "not a finite number"),
      Late("absurd time", "e.tsv", header, edge, "a\tb\t1\t99999999999999999999", "not an integer"),
      Cut("e.tsv", header, edge, "a\tb\t1", "expected 4 cells"),
      Late("invalid UTF-8", "e.tsv", header, edge, "a\t\xc0\xaf\t1\t1", "not valid UTF-8"),
      Late("line over the limit", "e.tsv", header, edge, kLongLine, "record over 100000 bytes"),
      {"duplicate header", "e.tsv", "source\ttarget\tx\tx\na\tb\t1\t2\n", 1, "stands twice"},
  });
}

TEST(Refusal, JsonLinesRecords) {
  const auto good = [](int i) {
    if (i % 3 == 0) return R"({"node":")" + N(i) + R"(","kind":"person","tags":["a"],"trust":0.5})";
    if (i % 3 == 1) return R"({"edge":[")" + N(i) + "\",\"" + N(i + 1) + R"("],"kind":"knows","weight":0.5})";
    return R"({"vector":")" + N(i) + R"(","space":"s","values":[1,2,3]})";
  };
  const auto late = [&](std::string what, std::string bad, std::string reason, std::string name = "f.jsonl") {
    return Late(std::move(what), std::move(name), "", good, std::move(bad), std::move(reason));
  };
  RunCases({
      late("nan", R"({"edge":["a","b"],"weight":NaN})", ""),
      late("infinity", R"({"edge":["a","b"],"weight":1e999})", ""),
      late("over f32", R"({"edge":["a","b"],"weight":1e60})", "number within f32"),
      late("infinity in a column", R"({"node":"a","trust":1e999})", ""),
      late("infinity in a vector", R"({"vector":"a","space":"s","values":[1,2,1e39]})", "finite numbers within f32"),
      late("wrong dimensions", R"({"vector":"a","space":"s","values":[1,2]})", "has 3 dimensions"),
      late("absurd dimensions", R"({"space":"t","dimensions":1000000000})", "integer from 1 to 4096"),
      late("absurd key", R"({"node":")" + kLongKey + "\"}", "1025 bytes"),
      late("absurd depth", R"({"node":"a","props":{"x":)" + std::string(40, '[') + std::string(40, ']') + "}}", "too deep"),
      late("invalid UTF-8", "{\"node\":\"\xff\"}", "UTF-8"),
      late("duplicate keys", R"({"node":"a","trust":1,"trust":2})", "twice"),
      late("line over the limit", "{\"node\":\"" + kLongLine + "\"}", "record over 100000 bytes"),
      late("unknown column", R"({"node":"a","stakes":1})", "unknown key"),
      Cut("f.jsonl", "", good, R"({"node":"a","tex)", ""),
  });
}

// The same name with other traits, hundreds of lines and many batches later.
TEST(Refusal, JsonLinesDefinitions) {
  const auto good = [](int i) { return R"({"edge":[")" + N(i) + "\",\"" + N(i + 1) + R"("],"kind":"knows"})"; };
  const auto late = [&](std::string first, std::string bad, std::string reason, std::string seed = "") {
    Case c = Late(first, "f.jsonl", first.empty() ? "" : first + "\n", good, std::move(bad), std::move(reason));
    c.seed = std::move(seed);
    return c;
  };
  const std::string mentors = R"({"kind":"person","of":"node"})" "\n" R"({"kind":"mentors","source":"person"})";
  RunCases({
      late(R"({"kind":"m","symmetric":true})", R"({"kind":"m","symmetric":false})", "already defined with other traits"),
      late("", R"({"kind":"knows","plane":"index"})", "already defined with other traits"),
      late(R"({"kind":"m","inverse":"im"})", R"({"kind":"im"})", "inverse name"),
      late(R"({"kind":"robot","of":"node"})", R"({"kind":"robot","of":"node","plane":"index"})", "already defined"),
      late(R"({"node":"r","kind":"robot"})", R"({"kind":"robot","of":"node","plane":"index"})", "already defined"),
      late(R"({"column":"stakes"})", R"({"column":"stakes","type":"i64"})", "already defined"),
      late(R"({"column":"stakes","type":"i64"})", R"({"node":"a","stakes":0.5})", "must be an integer"),
      late(R"({"space":"s","dimensions":3})", R"({"space":"s","dimensions":4})", "already defined"),
      late(R"({"vector":"a","space":"s","values":[1,2]})", R"({"vector":"b","space":"s","values":[1]})", "has 2 dimensions"),
      late("", R"({"kind":"supports","symmetric":true})", "already defined"),
      late("", R"({"space":"s","dimensions":4})", "already defined", R"({"space":"s","dimensions":3})" "\n"),
      late(R"({"kind":"m","self_loops":false})", R"({"edge":["a","a"],"kind":"m"})", "to itself"),
      late(R"({"kind":"m","self_loops":false})", "{\"edge\":[\"tag\\u001fx\",\"tag\\u001fx\"],\"kind\":\"m\"}", "to itself"),
      late(R"({"kind":"m","target":"tag","self_loops":false})", "{\"edge\":[\"tag\\u001fx\",\"x\"],\"kind\":\"m\"}", "to itself"),
      late(mentors, R"({"edge":["n7","n8"],"kind":"mentors"})", "its source must be of kind 'person', not 'node'"),
      late(mentors, R"({"edge":["nobody","n8"],"kind":"mentors"})", "not 'node'"),
      late(mentors + "\n" R"({"node":"r","kind":"robot"})", R"({"edge":["r","n8"],"kind":"mentors"})", "not 'robot'"),
      late("", R"({"edge":["n0","n8"],"kind":"mentors"})", "not 'memory'", mentors + "\n"),
  });
}

// An index key must not slip through as a fact of the wanted kind, nor be refused wrongly.
TEST(Refusal, WantedKindsOfGoodFilesPass) {
  std::string text = R"({"kind":"person","of":"node"})" "\n" R"({"kind":"mentors","source":"person","inverse":"mentored_by"})" "\n";
  for (int i = 0; i < 200; ++i) {
    text += R"({"node":")" + N(i) + R"(","kind":"person"})" "\n";
    text += R"({"edge":[")" + N(i) + R"(","x"],"kind":"mentors"})" "\n";
    text += R"({"edge":["y",")" + N(i / 2) + R"("],"kind":"mentored_by"})" "\n";
  }
  auto graph = Graph::InMemory();
  const ImportReport r = LoadClean(*graph, "f.jsonl", text, SmallCuts(SerialExecutor()));
  EXPECT_EQ(r.edges.added, 300u);  // of y, two say the same
  const Case c{"index node", "f.jsonl", text + "{\"edge\":[\"tag\\u001fx\",\"x\"],\"kind\":\"mentors\"}\n", 603, "not 'tag'"};
  RunCases({c});
}

TEST(Refusal, EdgeList) {
  const auto edge = [](int i) { return N(i) + " " + N(i + 1) + " 0.5"; };
  const auto late = [&](std::string what, std::string bad, std::string reason) {
    return Late(std::move(what), "g.el", "# a comment\n", edge, std::move(bad), std::move(reason));
  };
  RunCases({
      late("nan", "a b nan", "not a finite number"),
      late("infinity", "a b inf", "not a finite number"),
      late("infinity by overflow", "a b 1e60", "not a finite number"),
      late("negative", "a b -1", "not a finite number >= 0"),
      late("wrong dimensions", "a b 1 2", "expected `source target [weight]`"),
      late("absurd key", "a " + kLongKey, "key over 1024 bytes"),
      late("invalid UTF-8", "a \xed\xa0\x80", "not valid UTF-8"),
      late("control", std::string("a b\0c", 5), "control character"),
      late("line over the limit", kLongLine, "record over 100000 bytes"),
      Cut("g.el", "", edge, "abc", "expected `source target [weight]`"),
  });
}

TEST(Refusal, MatrixMarket) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const std::string header = banner + "400 400 321\n";
  const auto entry = [](int i) { return std::to_string(i + 1) + " 7 0.5"; };
  const auto late = [&](std::string what, std::string bad, std::string reason) {
    return Late(std::move(what), "m.mtx", header, entry, std::move(bad), std::move(reason));
  };
  Case cut = Late("truncated", "m.mtx", header, entry, "1 2 3", "says 321 entries, the file holds 300");
  cut.bytes.resize(cut.bytes.find("1 2 3\n301"));
  cut.bytes += std::string(400, '%') + "\n";  // long enough for what the size line says
  cut.line = 2;
  const std::string conflict = R"({"kind":"linked","symmetric":false})" "\n";
  RunCases({
      late("nan", "1 2 nan", "not a finite number"),
      late("infinity", "1 2 inf", "not a finite number"),
      late("over f32", "1 2 1e39", "not a finite number within f32"),
      late("wrong dimensions", "401 2 1", "is not in 1 to 400"),
      late("invalid UTF-8", "\xff 2 1", "is not in 1 to 400"),
      late("twice", "30 7 1", "a second entry in row and column of line 32"),
      late("line over the limit", "1 2 " + kLongLine, "record over 100000 bytes"),
      cut,
      {"rectangular", "m.mtx", banner + "3 4 1\n1 1 1\n", 2, ""},
      {"absurd entries", "m.mtx", banner + "3 3 4000000000\n1 1 1\n", 2, "bytes follow"},
      {"absurd rows", "m.mtx", banner + "4000000000 4000000000 1\n1 1 1\n", 2, "rows"},
      {"second banner", "m.mtx", banner + banner, 3, "before its size line"},
      {"two size lines", "m.mtx", banner + "3 3 1\n3 3 1\n1 1 1\n", 2, "entries"},
      {"a kind that differs", "m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1\n", 0,
       "already defined with other traits", conflict},
  });
}

TEST(Refusal, GapSerialized) {
  Rows rows(400);
  for (std::uint32_t i = 0; i < 400; ++i) rows[i] = {{(i + 1) % 400, 3}};
  Rows undirected(400);
  for (std::uint32_t i = 0; i < 400; i += 2) {
    undirected[i] = {{i + 1, 3}};
    undirected[i + 1] = {{i, 3}};
  }
  const std::string good = Serialized(rows, true, false);
  const auto with = [&](std::size_t at, std::int64_t value) {
    std::string bytes = good;
    bytes.replace(at, sizeof value, std::string_view(reinterpret_cast<const char*>(&value), sizeof value));
    return bytes;
  };
  Rows negative = rows;
  negative[399][0].second = -1;
  Rows out_of_range = rows;
  out_of_range[399][0].first = 400;
  RunCases({
      {"truncated", "g.sg", good.substr(0, good.size() - 2), 0, ""},
      {"truncated in the header", "g.sg", good.substr(0, 9), 0, ""},
      {"absurd nodes", "g.sg", with(9, std::int64_t{1} << 60), 0, ""},
      {"absurd arcs", "g.sg", with(1, std::int64_t{1} << 60), 0, ""},
      {"negative count", "g.sg", with(9, -1), 0, ""},
      {"negative weight", "g.wsg", Serialized(negative, true, true), 0, "negative"},
      {"not the transpose", "g.sg", good.substr(0, good.size() - 4) + std::string("\x05\0\0\0", 4), 0, "the other way round"},
      {"a kind that differs", "g.sg", Serialized(undirected, false, false), 0, "already defined",
       R"({"kind":"linked","symmetric":false})" "\n"},
  });
}

TEST(Refusal, GraphMl) {
  const std::string head =
      "<graphml>\n<key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
      "<key id=\"k\" for=\"edge\" attr.name=\"kind\"/>\n<graph edgedefault=\"directed\">\n";
  const auto edge = [](int i) {
    return "<edge source=\"" + N(i) + "\" target=\"" + N(i + 1) + "\"><data key=\"w\">0.5</data><data key=\"k\">rel</data></edge>";
  };
  const auto late = [&](std::string what, std::string bad, std::string reason) {
    return Late(std::move(what), "g.graphml", head, edge, std::move(bad), std::move(reason));
  };
  const std::string begin = "<edge source=\"a\" target=\"b\"";
  RunCases({
      late("nan", begin + "><data key=\"w\">NaN</data></edge>", "not a finite value"),
      late("infinity", begin + "><data key=\"w\">1e999</data></edge>", "not a finite value"),
      late("over f32", begin + "><data key=\"w\">1e60</data></edge>", "number within f32"),
      late("no target", "<edge source=\"a\"/>", "no \"target\""),
      late("absurd key", "<node id=\"" + kLongKey + "\"/>", "1025 bytes"),
      late("invalid UTF-8", "<node id=\"\xff\"/>", "XML"),
      late("twice", begin + "><data key=\"w\">1</data><data key=\"w\">2</data></edge>", "stands twice"),
      late("element over the limit", begin + "><data key=\"k\">" + kLongLine + "</data></edge>", ""),
      late("another kind of the same name", begin + " directed=\"false\"><data key=\"k\">rel</data></edge>",
           "kind \"rel\" is directed"),
      late("document type", "<!DOCTYPE x>", "XML"),
      Cut("g.graphml", head, edge, "<edge source=\"a\" targ", "XML"),
      {"duplicate keys", "g.graphml",
       "<graphml><key id=\"a\" attr.name=\"x\"/>\n<key id=\"b\" attr.name=\"x\"/><graph edgedefault=\"directed\"/></graphml>", 2,
       "two keys are named"},
      {"duplicate ids", "g.graphml",
       "<graphml><key id=\"a\" attr.name=\"x\"/>\n<key id=\"a\" attr.name=\"y\"/><graph edgedefault=\"directed\"/></graphml>", 2,
       "stands twice"},
  });
}

TEST(Refusal, NodeLink) {
  const std::string head = "{\"directed\":true,\"multigraph\":false,\"nodes\":[],\"links\":[\n";
  const auto edge = [](int i) {
    return R"({"source":")" + N(i) + R"(","target":")" + N(i + 1) + R"(","kind":"rel","weight":0.5},)";
  };
  const auto late = [&](std::string what, std::string bad, std::string reason) {
    Case c = Late(std::move(what), "g.json", head, edge, std::move(bad) + ",", std::move(reason));
    c.bytes.resize(c.bytes.rfind(','));
    c.bytes += "]}\n";
    return c;
  };
  RunCases({
      late("nan", R"({"source":"a","target":"b","weight":NaN})", ""),
      late("infinity", R"({"source":"a","target":"b","weight":1e999})", ""),
      late("over f32", R"({"source":"a","target":"b","weight":1e60})", "number within f32"),
      late("no target", R"({"source":"a"})", "no \"target\""),
      late("absurd key", R"({"source":")" + kLongKey + R"(","target":"b"})", "1025 bytes"),
      late("invalid UTF-8", "{\"source\":\"\xff\",\"target\":\"b\"}", "UTF-8"),
      late("duplicate keys", R"({"source":"a","target":"b","x":1,"x":2})", "twice"),
      late("element over the limit", R"({"source":"a","target":"b","x":")" + kLongLine + "\"}", "over 100000 bytes"),
      late("another kind of the same name", R"({"source":"a","target":"b","kind":"rel","directed":false})",
           "kind \"rel\" is directed"),
      Cut("g.json", head, edge, R"({"source":"a","tar)", ""),
  });
}

TEST(Refusal, McpMemory) {
  const auto entity = [](int i) {
    return R"({"type":"entity","name":")" + N(i) + R"(","entityType":"person","observations":["o"]})";
  };
  const auto late = [&](std::string what, std::string bad, std::string reason) {
    return Late(std::move(what), "memory.json", "", entity, std::move(bad), std::move(reason));
  };
  RunCases({
      late("nan", R"({"type":"entity","name":"a","entityType":"p","observations":[],"x":NaN})", ""),
      late("infinity", R"({"type":"entity","name":"a","entityType":"p","observations":[],"x":1e999})", ""),
      late("absurd name", R"({"type":"entity","name":")" + kLongKey + R"(","entityType":"p","observations":[]})", "1025 bytes"),
      late("absurd kind", R"({"type":"entity","name":"a","entityType":")" + kLongKey + R"(","observations":[]})", "over 1024 bytes"),
      late("invalid UTF-8", "{\"type\":\"entity\",\"name\":\"\xff\",\"entityType\":\"p\",\"observations\":[]}", "UTF-8"),
      late("duplicate keys", R"({"type":"entity","type":"relation"})", "twice"),
      late("line over the limit", R"({"type":"entity","name":")" + kLongLine + "\"}", "record over 100000 bytes"),
      late("no relation's end", R"({"type":"relation","from":"a","relationType":"r"})", "to"),
      Cut("memory.json", "", entity, R"({"type":"entity","na)", ""),
  });
}

// WordNet comes as a directory.
TEST(Refusal, WordNet) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("plexus_refusal_" + std::to_string(::getpid()));
  const auto synset = [](int i, const std::string& pointers = "000") {
    std::string offset = std::to_string(i);
    offset.insert(0, 8 - offset.size(), '0');
    return offset + " 03 n 01 word 0 " + pointers + " | a gloss\n";
  };
  struct Bad {
    const char* what;
    std::string line, reason, seed;
  };
  for (const Bad& bad : {Bad{"truncated", "00009999 03 n 01 wo", "no gloss", ""},
                         Bad{"absurd words", "00009999 03 n ff word 0 000 | x\n", "fewer words", ""},
                         Bad{"absurd pointers", "00009999 03 n 01 word 0 999 | x\n", "pointer", ""},
                         Bad{"invalid UTF-8", "00009999 03 n 01 w\xff 0 000 | x\n", "UTF-8", ""},
                         Bad{"unknown synset", synset(9999, "001 @ 00008888 n 0000"), "unknown synset", ""},
                         Bad{"line over the limit", kLongLine + "\n", "record over 100000 bytes", ""},
                         Bad{"a kind that differs", "", "already defined", R"({"kind":"derivation"})" "\n"}}) {
    SCOPED_TRACE(bad.what);
    fs::create_directories(folder);
    std::string nouns;
    for (int i = 1; i <= kGoodLines; ++i) nouns += synset(i, i > 1 ? "001 @ 00000001 n 0000" : "000");
    std::ofstream(folder / "data.noun", std::ios::binary) << nouns + bad.line;
    for (const char* other : {"data.verb", "data.adj", "data.adv"}) std::ofstream(folder / other) << "";
    const auto graph = Seeded(bad.seed);
    const std::string before = Whole(*graph);
    const bool of_file = !bad.line.empty();
    const Case c{bad.what, of_file ? "data.noun" : folder.filename().string(), "",
                 of_file ? std::uint64_t{kGoodLines + 1} : 0, bad.reason};
    ExpectRefused(c, Import(*graph, {folder.string()}, SmallCuts(SerialExecutor())), *graph, before);
    fs::remove_all(folder);
  }
}

TEST(Refusal, Vectors) {
  const std::size_t rows = 300;
  std::vector<float> values(rows * 3, 0.5f);
  std::vector<std::vector<float>> lists(rows, {1, 2, 3});
  std::string keys;
  for (std::size_t i = 0; i < rows; ++i) keys += "key" + std::to_string(i) + "\n";
  const auto with = [&](float bad) {
    std::vector<float> all = values;
    all[rows * 3 - 5] = bad;
    return Bytes(all);
  };
  const std::string shape = "(300, 3)", good = Bytes(values);
  std::vector<std::vector<float>> ragged = lists;
  ragged[rows - 3] = {1, 2};
  ragged[rows - 2] = {1, 2, 3, 4};
  const std::string nan = with(std::numeric_limits<float>::quiet_NaN()), inf = with(INFINITY);
  const std::string fvecs = Fvecs(lists);
  struct Bad {
    const char* what;
    std::string name, bytes;
    std::uint64_t line;
    std::string reason, keys;
    std::uint64_t dimensions = 0;
  };
  for (const Bad& bad : {
           Bad{"nan", "v.npy", Npy("<f4", shape, nan), 0, "not a number", ""},
           Bad{"infinity", "v.npy", Npy("<f4", shape, inf), 0, "infinite", ""},
           Bad{"infinity", "v.f32", inf, 0, "infinite", "", 3},
           Bad{"truncated", "v.npy", Npy("<f4", shape, good.substr(0, good.size() - 1)), 0, "truncated", ""},
           Bad{"truncated header", "v.npy", Npy("<f4", shape, good).substr(0, 40), 0, "", ""},
           Bad{"truncated", "v.fvecs", fvecs.substr(0, fvecs.size() - 3), 0, "truncated", ""},
           Bad{"truncated", "v.f32", good.substr(0, good.size() - 4), 0, "truncated", "", 3},
           Bad{"absurd rows", "v.npy", Npy("<f4", "(1000000000000, 3)", good), 0, "claims 1000000000000 rows", ""},
           Bad{"absurd values", "v.npy", Npy("<f4", "(3, 1000000000000)", good), 0, "", ""},
           Bad{"absurd count", "v.fvecs", std::string("\xff\xff\xff\x7f", 4) + good, 0, "claims 2147483647 values", ""},
           Bad{"wrong dimensions half way", "v.fvecs", Fvecs(ragged), 0, "row 297 claims 2 values", ""},
           Bad{"wrong dimensions", "v.npy", Npy("<f4", shape, good), 0, "expected 4", "", 4},
           Bad{"duplicate header", "v.npy", NpyOf("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (300, 3), }", good), 0, "", ""},
           Bad{"too few keys", "v.npy", Npy("<f4", shape, good), 0, "299 keys for 300", keys.substr(0, keys.find("key299"))},
           Bad{"a key twice", "v.npy", Npy("<f4", shape, good), 300, "same key as line 1", keys.substr(0, keys.find("key299")) + "key0\n"},
           Bad{"invalid UTF-8", "v.npy", Npy("<f4", shape, good), 300, "UTF-8", keys.substr(0, keys.find("key299")) + "\xff\n"},
           Bad{"absurd key", "v.npy", Npy("<f4", shape, good), 300, "1025 bytes", keys.substr(0, keys.find("key299")) + kLongKey + "\n"},
       }) {
    SCOPED_TRACE(bad.name + ", " + bad.what);
    const auto graph = Seeded("");
    const std::string before = Whole(*graph);
    VectorImportOptions vectors;
    vectors.dimensions = bad.dimensions;
    if (!bad.keys.empty()) vectors.keys = VectorInput{"keys.txt", bad.keys};
    const Case c{bad.what, bad.keys.empty() ? bad.name : "keys.txt", "", bad.line, bad.reason};
    ExpectRefused(c, ImportVectors(*graph, {bad.name, bad.bytes}, vectors, SmallCuts(SerialExecutor())), *graph, before);
  }
}

}  // namespace
}  // namespace plexus::text
