// Every document format, WordNet's directory and vector files times every hostile class;
// see text_refusal.h and refusal_test.cc.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "storage/formats/import.h"
#include "tests/support/text_files.h"
#include "tests/support/text_refusal.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

namespace fs = std::filesystem;

TEST(Refusal, MatrixMarket) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const std::string header = banner + "400 400 321\n";
  const auto entry = [](int i) { return std::to_string(i + 1) + " 7 0.5"; };
  const auto late = [&](std::string what, std::string bad, std::string reason) {
    return Late(std::move(what), "m.mtx", header, entry, std::move(bad), std::move(reason));
  };
  Case cut =
      Late("truncated", "m.mtx", header, entry, "1 2 3", "says 321 entries, the file holds 300");
  cut.bytes.resize(cut.bytes.find("1 2 3\n301"));
  cut.bytes += std::string(400, '%') + "\n";  // long enough for what the size line says
  cut.line = 2;
  const std::string conflict = R"({"kind":"linked","symmetric":false})"
                               "\n";
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
      {"a kind that differs", "m.mtx",
       "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1\n", 0,
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
    bytes.replace(at, sizeof value,
                  std::string_view(reinterpret_cast<const char*>(&value), sizeof value));
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
      {"not the transpose", "g.sg", good.substr(0, good.size() - 4) + std::string("\x05\0\0\0", 4),
       0, "the other way round"},
      {"a kind that differs", "g.sg", Serialized(undirected, false, false), 0, "already defined",
       R"({"kind":"linked","symmetric":false})"
       "\n"},
  });
}

TEST(Refusal, GraphMl) {
  const std::string head =
      "<graphml>\n<key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
      "<key id=\"k\" for=\"edge\" attr.name=\"kind\"/>\n<graph edgedefault=\"directed\">\n";
  const auto edge = [](int i) {
    return "<edge source=\"" + N(i) + "\" target=\"" + N(i + 1) +
           "\"><data key=\"w\">0.5</data><data key=\"k\">rel</data></edge>";
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
      late("twice", begin + "><data key=\"w\">1</data><data key=\"w\">2</data></edge>",
           "stands twice"),
      late("element over the limit", begin + "><data key=\"k\">" + kLongLine + "</data></edge>",
           ""),
      late("another kind of the same name",
           begin + " directed=\"false\"><data key=\"k\">rel</data></edge>",
           "kind \"rel\" is directed"),
      late("document type", "<!DOCTYPE x>", "XML"),
      Cut("g.graphml", head, edge, "<edge source=\"a\" targ", "XML"),
      {"duplicate keys", "g.graphml",
       "<graphml><key id=\"a\" attr.name=\"x\"/>\n<key id=\"b\" attr.name=\"x\"/><graph "
       "edgedefault=\"directed\"/></graphml>",
       2, "two keys are named"},
      {"duplicate ids", "g.graphml",
       "<graphml><key id=\"a\" attr.name=\"x\"/>\n<key id=\"a\" attr.name=\"y\"/><graph "
       "edgedefault=\"directed\"/></graphml>",
       2, "stands twice"},
  });
}

TEST(Refusal, NodeLink) {
  const std::string head = "{\"directed\":true,\"multigraph\":false,\"nodes\":[],\"links\":[\n";
  const auto edge = [](int i) {
    return R"({"source":")" + N(i) + R"(","target":")" + N(i + 1) +
           R"(","kind":"rel","weight":0.5},)";
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
      late("element over the limit", R"({"source":"a","target":"b","x":")" + kLongLine + "\"}",
           "over 100000 bytes"),
      late("another kind of the same name",
           R"({"source":"a","target":"b","kind":"rel","directed":false})",
           "kind \"rel\" is directed"),
      Cut("g.json", head, edge, R"({"source":"a","tar)", ""),
  });
}

TEST(Refusal, McpMemory) {
  const auto entity = [](int i) {
    return R"({"type":"entity","name":")" + N(i) +
           R"(","entityType":"person","observations":["o"]})";
  };
  const auto late = [&](std::string what, std::string bad, std::string reason) {
    return Late(std::move(what), "memory.json", "", entity, std::move(bad), std::move(reason));
  };
  RunCases({
      late("nan", R"({"type":"entity","name":"a","entityType":"p","observations":[],"x":NaN})", ""),
      late("infinity",
           R"({"type":"entity","name":"a","entityType":"p","observations":[],"x":1e999})", ""),
      late("absurd name",
           R"({"type":"entity","name":")" + kLongKey + R"(","entityType":"p","observations":[]})",
           "1025 bytes"),
      late("absurd kind",
           R"({"type":"entity","name":"a","entityType":")" + kLongKey + R"(","observations":[]})",
           "over 1024 bytes"),
      late("invalid UTF-8",
           "{\"type\":\"entity\",\"name\":\"\xff\",\"entityType\":\"p\",\"observations\":[]}",
           "UTF-8"),
      late("duplicate keys", R"({"type":"entity","type":"relation"})", "twice"),
      late("line over the limit", R"({"type":"entity","name":")" + kLongLine + "\"}",
           "record over 100000 bytes"),
      late("no relation's end", R"({"type":"relation","from":"a","relationType":"r"})", "to"),
      Cut("memory.json", "", entity, R"({"type":"entity","na)", ""),
  });
}

// WordNet comes as a directory.
TEST(Refusal, WordNet) {
  const fs::path folder =
      fs::path(::testing::TempDir()) / ("plexus_refusal_" + std::to_string(::getpid()));
  const auto synset = [](int i, const std::string& pointers = "000") {
    std::string offset = std::to_string(i);
    offset.insert(0, 8 - offset.size(), '0');
    return offset + " 03 n 01 word 0 " + pointers + " | a gloss\n";
  };
  struct Bad {
    const char* what;
    std::string line, reason, seed;
  };
  for (const Bad& bad :
       {Bad{"truncated", "00009999 03 n 01 wo", "no gloss", ""},
        Bad{"absurd words", "00009999 03 n ff word 0 000 | x\n", "fewer words", ""},
        Bad{"absurd pointers", "00009999 03 n 01 word 0 999 | x\n", "pointer", ""},
        Bad{"invalid UTF-8", "00009999 03 n 01 w\xff 0 000 | x\n", "UTF-8", ""},
        Bad{"unknown synset", synset(9999, "001 @ 00008888 n 0000"), "unknown synset", ""},
        Bad{"line over the limit", kLongLine + "\n", "record over 100000 bytes", ""},
        Bad{"a kind that differs", "", "already defined",
            R"({"kind":"derivation"})"
            "\n"}}) {
    SCOPED_TRACE(bad.what);
    fs::create_directories(folder);
    std::string nouns;
    for (int i = 1; i <= kGoodLines; ++i)
      nouns += synset(i, i > 1 ? "001 @ 00000001 n 0000" : "000");
    std::ofstream(folder / "data.noun", std::ios::binary) << nouns + bad.line;
    for (const char* other : {"data.verb", "data.adj", "data.adv"})
      std::ofstream(folder / other) << "";
    const auto graph = Seeded(bad.seed);
    const std::string before = Whole(*graph);
    const bool of_file = !bad.line.empty();
    const Case c{bad.what, of_file ? "data.noun" : folder.filename().string(), "",
                 of_file ? std::uint64_t{kGoodLines + 1} : 0, bad.reason};
    ExpectRefused(c, ImportFiles(*graph, {folder.string()}, SmallCuts(SerialExecutor())), *graph,
                  before);
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
           Bad{"truncated", "v.npy", Npy("<f4", shape, good.substr(0, good.size() - 1)), 0,
               "truncated", ""},
           Bad{"truncated header", "v.npy", Npy("<f4", shape, good).substr(0, 40), 0, "", ""},
           Bad{"truncated", "v.fvecs", fvecs.substr(0, fvecs.size() - 3), 0, "truncated", ""},
           Bad{"truncated", "v.f32", good.substr(0, good.size() - 4), 0, "truncated", "", 3},
           Bad{"absurd rows", "v.npy", Npy("<f4", "(1000000000000, 3)", good), 0,
               "claims 1000000000000 rows", ""},
           Bad{"absurd values", "v.npy", Npy("<f4", "(3, 1000000000000)", good), 0, "", ""},
           Bad{"absurd count", "v.fvecs", std::string("\xff\xff\xff\x7f", 4) + good, 0,
               "claims 2147483647 values", ""},
           Bad{"wrong dimensions half way", "v.fvecs", Fvecs(ragged), 0, "row 297 claims 2 values",
               ""},
           Bad{"wrong dimensions", "v.npy", Npy("<f4", shape, good), 0, "expected 4", "", 4},
           Bad{"duplicate header", "v.npy",
               NpyOf(
                   "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (300, 3), }",
                   good),
               0, "", ""},
           Bad{"too few keys", "v.npy", Npy("<f4", shape, good), 0, "299 keys for 300",
               keys.substr(0, keys.find("key299"))},
           Bad{"a key twice", "v.npy", Npy("<f4", shape, good), 300, "same key as line 1",
               keys.substr(0, keys.find("key299")) + "key0\n"},
           Bad{"invalid UTF-8", "v.npy", Npy("<f4", shape, good), 300, "UTF-8",
               keys.substr(0, keys.find("key299")) + "\xff\n"},
           Bad{"absurd key", "v.npy", Npy("<f4", shape, good), 300, "1025 bytes",
               keys.substr(0, keys.find("key299")) + kLongKey + "\n"},
       }) {
    SCOPED_TRACE(bad.name + ", " + bad.what);
    const auto graph = Seeded("");
    const std::string before = Whole(*graph);
    VectorImportOptions vectors;
    vectors.dimensions = bad.dimensions;
    if (!bad.keys.empty()) vectors.keys = VectorInput{"keys.txt", bad.keys};
    const Case c{bad.what, bad.keys.empty() ? bad.name : "keys.txt", "", bad.line, bad.reason};
    ExpectRefused(
        c, ImportVectors(*graph, {bad.name, bad.bytes}, vectors, SmallCuts(SerialExecutor())),
        *graph, before);
  }
}

}  // namespace
}  // namespace plexus::formats::internal
