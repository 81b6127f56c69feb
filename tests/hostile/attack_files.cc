// Files of every import format, changed: bytes flipped, pieces cut out, doubled, swapped with those
// of another format, and words that readers trip over.
#include <cstring>
#include <string>
#include <vector>

#include "engine/graph.h"
#include "storage/formats/import.h"
#include "storage/formats/import_vectors.h"
#include "tests/hostile/attack.h"
#include "tests/hostile/two_scopes.h"

namespace plexus::hostile {
namespace {

struct Sample {
  FileFormat format;
  std::string name, text;
};

std::vector<Sample> Samples() {
  return {
      {FileFormat::kCsv, "a.csv", "source,target,kind,weight\na,b,knows,0.5\n\"c\"\"d\",e,,1\n"},
      {FileFormat::kTsv, "a.tsv", "id\ttext\ttags\na\tone two\tx;y\n"},
      {FileFormat::kJsonLines, "a.jsonl", testing::ScopeLines(true)},
      {FileFormat::kEdgeList, "a.el", "# c\n1 2 0.5\n2 3\n"},
      {FileFormat::kMatrixMarket, "a.mtx",
       "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 1\n"},
      {FileFormat::kGapSerialized, "a.sg",
       std::string("\0\2\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 33)},
      {FileFormat::kGraphMl, "a.graphml",
       "<?xml version=\"1.0\"?><graphml><key id=\"w\" for=\"edge\" attr.name=\"weight\" "
       "attr.type=\"double\"/><graph edgedefault=\"directed\"><node id=\"a\"/><node id=\"b\"/>"
       "<edge source=\"a\" target=\"b\"><data key=\"w\">0.5</data></edge></graph></graphml>"},
      {FileFormat::kNodeLink, "a.json",
       R"({"directed":true,"nodes":[{"id":"a","text":"t"},{"id":"b"}],)"
       R"("links":[{"source":"a","target":"b","weight":0.5}]})"},
      {FileFormat::kMcpMemory, "m.json",
       R"({"type":"entity","name":"a","entityType":"person","observations":["o"]})"
       "\n"
       R"({"type":"relation","from":"a","to":"a","relationType":"knows"})"
       "\n"},
      {FileFormat::kJsonRows, "r.jsonl",
       R"({"id":"a","text":"t","metadata":{"x":[1,2]}})"
       "\n"
       R"({"source_id":"a","target_id":"b","type":"knows"})"
       "\n"},
  };
}

const std::vector<std::string>& Tokens() {
  static const std::vector<std::string> tokens = {"\"",
                                                  "\\",
                                                  "\n",
                                                  "\r",
                                                  ",",
                                                  "{",
                                                  "}",
                                                  "[[[[[[[[",
                                                  "null",
                                                  "1e999",
                                                  "-0",
                                                  "\xff",
                                                  "\xe2\x80",
                                                  "\\ud800",
                                                  "&lt;",
                                                  "<!DOCTYPE a>",
                                                  "&a;",
                                                  "]]>",
                                                  "\x1f",
                                                  "tag\x1f",
                                                  "NaN",
                                                  "18446744073709551616",
                                                  "{\"node\":",
                                                  "{\"edge\":[",
                                                  "{\"event\":",
                                                  "{\"purge\":",
                                                  "{\"remove\":\"m0\"}\n",
                                                  std::string(1, '\0'),
                                                  std::string(3'000, '9'),
                                                  std::string(70'000, 'k')};
  return tokens;
}

std::string Changed(Round& round, std::string text, const std::string& other) {
  for (std::size_t i = 1 + round.Below(6); i > 0 && !text.empty(); --i) {
    const std::size_t at = round.Below(text.size()), size = round.Below(40);
    switch (round.Below(7)) {
      case 0:
        text[at] = static_cast<char>(round.Below(256));
        break;
      case 1:
        text.erase(at, size);
        break;
      case 2:
        text.insert(at, round.Pick(Tokens()));
        break;
      case 3:
        text.insert(at, text.substr(round.Below(text.size()), size));
        break;
      case 4:
        if (!other.empty()) text.insert(at, other.substr(round.Below(other.size()), size));
        break;
      case 5:
        text.resize(at);
        break;
      default:
        for (std::size_t times = round.Below(200); times > 0; --times) text.insert(at, "[");
    }
  }
  return text;
}

}  // namespace

void AttackFiles(Round& round) {
  const std::vector<Sample> samples = Samples();
  for (int i = 0; i < 60; ++i) {
    const Sample& sample = round.Pick(samples);
    const std::string text = Changed(round, sample.text, round.Pick(samples).text);
    const auto graph = Graph::InMemory();
    ImportOptions options;
    options.now_ms = testing::kScopesNow;
    options.format = round.Below(3) ? sample.format : FileFormat::kAuto;
    options.on_error = round.Below(2) ? OnImportError::kSkip : OnImportError::kStop;
    Doing("import " + sample.name + ": " + text);
    const auto report = ImportBytes(*graph, sample.name, text, options);
    if (!report && report.error().message.empty()) Wrong("an error without a reason");
    if (report && report->stopped && graph->snapshot().node_count() > 0)
      Wrong("a refused file left something");
  }
  for (int i = 0; i < 40; ++i) {
    std::string bytes("\x93NUMPY\1\0\x46\0", 10);
    bytes += "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    bytes.resize(80, ' ');
    bytes.append(24, '\x3f');
    bytes = Changed(round, bytes, "(999999999999, 4096)");
    Doing("vectors: " + bytes);
    const auto graph = Graph::InMemory();
    const std::string name = round.Below(2) ? "v.npy" : "v.fvecs";
    (void)ImportVectors(*graph, {name, bytes}, {}, {});
    (void)ReadVector({name, bytes});
  }
}

}  // namespace plexus::hostile
