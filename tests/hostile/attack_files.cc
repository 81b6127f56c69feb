// Files of every import format, changed: bytes flipped, pieces cut out, doubled, swapped with those
// of another format, and words that readers trip over.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/graph.h"
#include "storage/formats/import.h"
#include "tests/hostile/attack.h"
#include "tests/hostile/two_scopes.h"

namespace plexus::hostile {
namespace {

struct Sample {
  formats::FileFormat format;
  std::string name, text;
};

std::vector<Sample> Samples() {
  return {
      {formats::FileFormat::kCsv, "a.csv",
       "source,target,kind,weight\na,b,knows,0.5\n\"c\"\"d\",e,,1\n"},
      {formats::FileFormat::kTsv, "a.tsv", "id\ttext\ttags\na\tone two\tx;y\n"},
      {formats::FileFormat::kJsonLines, "a.jsonl", testing::ScopeLines(true)},
      {formats::FileFormat::kEdgeList, "a.el", "# c\n1 2 0.5\n2 3\n"},
      {formats::FileFormat::kMatrixMarket, "a.mtx",
       "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 1\n"},
      {formats::FileFormat::kGapSerialized, "a.sg",
       std::string("\0\2\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 33)},
      {formats::FileFormat::kGraphMl, "a.graphml",
       "<?xml version=\"1.0\"?><graphml><key id=\"w\" for=\"edge\" attr.name=\"weight\" "
       "attr.type=\"double\"/><graph edgedefault=\"directed\"><node id=\"a\"/><node id=\"b\"/>"
       "<edge source=\"a\" target=\"b\"><data key=\"w\">0.5</data></edge></graph></graphml>"},
      {formats::FileFormat::kNodeLink, "a.json",
       R"({"directed":true,"nodes":[{"id":"a","text":"t"},{"id":"b"}],)"
       R"("links":[{"source":"a","target":"b","weight":0.5}]})"},
      {formats::FileFormat::kMcpMemory, "m.json",
       R"({"type":"entity","name":"a","entityType":"person","observations":["o"]})"
       "\n"
       R"({"type":"relation","from":"a","to":"a","relationType":"knows"})"
       "\n"},
      {formats::FileFormat::kNodeLink, "mem0.json",
       R"({"count":1,"results":[{"id":"a","memory":"tea","metadata":{"k":1},"categories":["f"]}],)"
       R"("relations":[{"source":"a","relationship":"likes","target":"tea"}],"next":null})"},
      {formats::FileFormat::kAuto, "list.json",
       R"([{"id":"a","memory":"tea"},{"id":"b","memory":"x"}])"},
      {formats::FileFormat::kJsonRows, "turns.jsonl",
       R"({"id":"t1","session_id":"s1","content":"c","embedding":[0.1,0.2],"inscription":"fix",)"
       R"("metadata":{"files":[{"path":"src/a.rs","operation":"write"}]}})"
       "\n"},
      {formats::FileFormat::kJsonRows, "ledger.jsonl",
       R"({"id":"c1","tool":"deep_reference","query":"q","query_hash":"h","metadata":{}})"
       "\n"
       R"({"event_id":"c1","memory_id":"m1","role":"primary","rank":0,"trust":0.8,"metadata":{}})"
       "\n"
       R"({"id":"o1","event_id":"c1","outcome_type":"helpful","metadata":{"type":"odd"}})"
       "\n"},
      {formats::FileFormat::kCsv, "composition_members.csv",
       "event_id,memory_id,role,rank,trust,score,preview,metadata\nc1,m1,primary,0,0.5,1,p,{}\n"},
      {formats::FileFormat::kJsonRows, "r.jsonl",
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

// A folder of notes, twice: others in it the second time, and links out of it.
void AttackNotes(Round& round) {
  const std::string folder = round.directory + "/notes";
  const std::vector<std::string> names = {"a.md", "b.md", "in/c.md", "in/#t.md", ".hidden.md"};
  const std::vector<std::string> notes = {
      "---\nkind: person\ntags: [x, y]\ncreated: 2024-01-01\n- a\n---\n# A\n[[b|words]] #tag\n",
      "[c](in/c.md) [[a#part]] `[[no]]` [up](../../canary/notes.md)\n", "---\ntype: event\n---\n"};
  const auto graph = Graph::InMemory();
  for (int i = 0; i < 6; ++i) {
    std::error_code ignored;
    std::filesystem::create_directories(folder + "/in", ignored);
    const std::string path = folder + "/" + round.Pick(names);
    switch (round.Below(5)) {
      case 0:
        std::filesystem::remove(path, ignored);
        break;
      case 1:
        std::filesystem::remove(path, ignored);
        std::filesystem::create_symlink(std::filesystem::absolute(round.canary() + "/notes.txt"),
                                        path, ignored);
        break;
      default: {
        const std::string text = Changed(round, round.Pick(notes), round.Pick(notes));
        Doing("notes: " + text);
        if (!std::filesystem::is_symlink(path)) std::ofstream(path, std::ios::binary) << text;
      }
    }
    formats::ImportOptions options;
    options.now_ms = testing::kScopesNow;
    options.on_error =
        round.Below(2) ? formats::OnImportError::kSkip : formats::OnImportError::kStop;
    const auto report = formats::ImportMarkdown(*graph, folder, "m", options);
    if (!report && report.error().message.empty()) Wrong("an error without a reason");
  }
  const Snapshot made = graph->snapshot();
  for (NodeId v = 0; v < made.node_count(); ++v)
    if (const auto text = made.Payload(v, NodeField::kText);
        text && text->find(kCanarySecret) != std::string::npos)
      Wrong("a note holds the canary's secret");
}

}  // namespace

void AttackFiles(Round& round) {
  AttackNotes(round);
  const std::vector<Sample> samples = Samples();
  for (int i = 0; i < 60; ++i) {
    const Sample& sample = round.Pick(samples);
    const std::string text = Changed(round, sample.text, round.Pick(samples).text);
    const auto graph = Graph::InMemory();
    formats::ImportOptions options;
    options.now_ms = testing::kScopesNow;
    options.format = round.Below(3) ? sample.format : formats::FileFormat::kAuto;
    options.on_error =
        round.Below(2) ? formats::OnImportError::kSkip : formats::OnImportError::kStop;
    if (round.Below(3) == 0)
      options.kind_names = {{"knows", "likes"}, {"is-a", round.Pick(Tokens())}};
    if (round.Below(3) == 0) options.reversed_kinds = {"knows", round.Pick(Tokens())};
    Doing("import " + sample.name + ": " + text);
    const auto report = formats::ImportBytes(*graph, sample.name, text, options);
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
    (void)formats::ImportVectors(*graph, {name, bytes}, {}, {});
    (void)formats::ReadVector({name, bytes});
  }
}

}  // namespace plexus::hostile
