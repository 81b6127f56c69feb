// Every document format and WordNet's directory times every hostile class; see text_refusal.h and
// refusal_test.cc.
#include <unistd.h>

#include <filesystem>
#include <fstream>

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
      late("invalid UTF-8", "\xff 2 1", "is not in 1 to 400"),
      late("twice", "30 7 1", "a second entry in row and column of line 32"),
      cut,
      {"second banner", "m.mtx", banner + banner, 3, "before its size line"},
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
  RunCases({
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
      late("over f32", begin + "><data key=\"w\">1e60</data></edge>", "number within f32"),
      late("absurd key", "<node id=\"" + kLongKey + "\"/>", "1025 bytes"),
      late("element over the limit", begin + "><data key=\"k\">" + kLongLine + "</data></edge>",
           ""),
      late("another kind of the same name",
           begin + " directed=\"false\"><data key=\"k\">rel</data></edge>",
           "kind \"rel\" is directed"),
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
      late("no target", R"({"source":"a"})", "no \"target\""),
      late("absurd key", R"({"source":")" + kLongKey + R"(","target":"b"})", "1025 bytes"),
      late("another kind of the same name",
           R"({"source":"a","target":"b","kind":"rel","directed":false})",
           "kind \"rel\" is directed"),
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
      late("absurd name",
           R"({"type":"entity","name":")" + kLongKey + R"(","entityType":"p","observations":[]})",
           "1025 bytes"),
      late("absurd kind",
           R"({"type":"entity","name":"a","entityType":")" + kLongKey + R"(","observations":[]})",
           "over 1024 bytes"),
      late("duplicate keys", R"({"type":"entity","type":"relation"})", "twice"),
      late("line over the limit", R"({"type":"entity","name":")" + kLongLine + "\"}",
           "record over 100000 bytes"),
      late("no relation's end", R"({"type":"relation","from":"a","relationType":"r"})", "to"),
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

}  // namespace
}  // namespace plexus::formats::internal
