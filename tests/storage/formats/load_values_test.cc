// Tables and JSON lines of edges with kinds, weights, labels and times go in at once, and it is as
// if their batches had been applied one by one.
#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <random>

#include "tests/storage/formats/load_both_ways.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

// An edge's kind, weight, label and times as a table or JSON lines state them; "": not.
struct EdgeText {
  std::string source, target, kind, weight, label, created_at, valid_from, valid_until;
};

EdgeText RandomEdge(std::mt19937_64& random, int keys, unsigned has) {
  const auto pick = [&](unsigned bit, std::initializer_list<const char*> from) -> std::string {
    if (!(has >> bit & 1)) return "";
    return std::data(from)[random() % from.size()];
  };
  const auto key = [&] {
    const std::string number = std::to_string(random() % static_cast<unsigned>(keys));
    return random() % 3 ? number : "k\xc3\xa9 " + number;
  };
  EdgeText e;
  e.source = key();
  e.kind = pick(0, {"link", "knows", "causes", "caused_by", "contradicts", "owns a", ""});
  do e.target = key();
  while (e.target == e.source && e.kind.find('c') == 0);
  e.weight = pick(1, {"0", "1", "0.5", "1e-3", "-0", ""});
  e.label = pick(2, {"", "", "red", "blue", "a label of some length", "\xc3\xa9"});
  e.created_at = pick(3, {"", "1700000000000", "2020-01-02", "2020-01-02T03:04:05Z"});
  e.valid_from = pick(4, {"", "2020-01-02", "-5"});
  e.valid_until = pick(5, {"", "2021-01-02", "1800000000000"});
  return e;
}

std::string TableOf(std::mt19937_64& random, int lines, int keys, unsigned has) {
  const std::pair<const char*, std::string EdgeText::*> columns[] = {
      {"kind", &EdgeText::kind},
      {"weight", &EdgeText::weight},
      {"label", &EdgeText::label},
      {"created_at", &EdgeText::created_at},
      {"valid_from", &EdgeText::valid_from},
      {"valid_until", &EdgeText::valid_until}};
  std::string text = "source,target";
  for (unsigned bit = 0; bit < std::size(columns); ++bit)
    if (has >> bit & 1) text += std::string(",") + columns[bit].first;
  text += '\n';
  for (int i = 0; i < lines; ++i) {
    const EdgeText e = RandomEdge(random, keys, has);
    text += e.source + ',' + e.target;
    for (unsigned bit = 0; bit < std::size(columns); ++bit) {
      if (!(has >> bit & 1)) continue;
      const std::string& cell = e.*columns[bit].second;
      text += random() % 5 ? ',' + cell : ",\"" + cell + '"';
    }
    text += random() % 20 ? "\n" : "\r\n";
  }
  return text;
}

std::string JsonOf(std::mt19937_64& random, int lines, int keys, unsigned has) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    EdgeText e = RandomEdge(random, keys, has);
    const std::string comma = random() % 2 ? "," : " , ", colon = random() % 2 ? ":" : ": ";
    std::vector<std::string> members = {"\"edge\"" + colon + "[\"" + e.source + '"' + comma + '"' +
                                        e.target + "\"]"};
    const auto add = [&](const char* name, const std::string& value, bool number) {
      if (value.empty()) return;
      const bool bare = number && value.find('-', 1) == value.npos;
      members.push_back('"' + std::string(name) + '"' + colon + (bare ? value : '"' + value + '"'));
    };
    add("kind", e.kind, false);
    if (!e.weight.empty()) members.push_back("\"weight\"" + colon + e.weight);
    add("label", e.label, false);
    add("created_at", e.created_at, true);
    add("valid_from", e.valid_from, true);
    add("valid_until", e.valid_until, true);
    std::shuffle(members.begin(), members.end(), random);
    text += '{';
    for (std::size_t m = 0; m < members.size(); ++m) text += (m ? comma : "") + members[m];
    text += random() % 30 ? "}\n" : " }\r\n\n";
  }
  return text;
}

TEST_F(FormatLoad, EdgesWithKindsWeightsLabelsAndTimes) {
  std::mt19937_64 random(26);
  for (unsigned round = 0, rounds = LoadRounds(64); round < rounds; ++round) {
    SCOPED_TRACE(round);
    std::vector<std::string> files;
    for (std::uint64_t i = 0; i <= random() % 3; ++i) {
      const int lines = static_cast<int>(2 + random() % 400), keys = round % 2 ? 9 : 300;
      const unsigned has = random() % 3 ? round : static_cast<unsigned>(random());
      const bool json = random() % 2;
      files.push_back(
          File("f" + std::to_string(i) + (json ? ".jsonl" : ".csv"),
               json ? JsonOf(random, lines, keys, has) : TableOf(random, lines, keys, has)));
    }
    if (random() % 4 == 0) files.push_back(File("g.el", RandomLines(random, 50, {})));
    ImportOptions options;
    options.block_bytes = random() % 3 == 0 ? 256 : 1024 << random() % 7;
    options.batch_ops = 1 + random() % 200;
    ExpectSameBothWays(files, options);
  }
}

TEST_F(FormatLoad, JsonLinesOfMoreThanEdges) {
  std::mt19937_64 random(27);
  for (std::string_view what : {"{\"node\":\"a\"}",
                                "{\"edge\":[\"a\",\"b\"],\"weight\":null}",
                                "{\"edge\":[\"a\\u0041\",\"b\"]}",
                                "{\"edge\":[\"a\"]}",
                                "{\"edge\":[\"a\",\"b\"],}",
                                "{\"edge\":[\"a\",\"b\"]} x",
                                "{\"edge\":[\"a\",\"b\"],\"kind\":\"\"}",
                                "{\"edge\":[\"a\",\"b\"],\"edge\":[\"a\",\"b\"]}",
                                "{\"edge\":[\"a\tb\",\"b\"]}",
                                "{\"edge\":[\"a\",\"b\"],\"weight\":01}",
                                "{\"edge\":[\"a\",\"b\"],\"weight\":.5}",
                                "{\"edge\":[\"a\",\"b\"],\"weight\":-1}",
                                "{\"edge\":[\"a\",\"b\"],\"weight\":1e99}",
                                "{\"edge\":[\"a\",\"b\"],\"created_at\":1700000000}",
                                "[1]",
                                "{}",
                                "\xff",
                                "{\"edge\":[\"a\",\"b\"],\"created_at\":\"1700000000000\"}",
                                "{\"edge\":[\"a\",\"b\"],\"props\":{\"x\":1}}",
                                "{\"edge\":[\"\",\"b\"]}",
                                "{\"unlink\":[\"a\",\"b\"]}",
                                "{\"edge\":[\"a\",\"a\"],\"kind\":\"causes\"}"}) {
    SCOPED_TRACE(what);
    for (int round = 0; round < 2; ++round) {
      std::string text = JsonOf(random, 100, 20, 63);
      text += std::string(what) + '\n' + JsonOf(random, 100, 20, 7);
      ImportOptions options;
      options.on_error = round % 2 ? OnImportError::kSkip : OnImportError::kStop;
      options.block_bytes = 512;
      options.batch_ops = 50;
      ExpectSameBothWays({File("f.jsonl", text)}, options, false);
    }
  }
}

// Whoever completes batches, or keeps a position with each, sees all of them.
TEST_F(FormatLoad, BatchesThatAreCompletedGoOneByOne) {
  const std::string file = File("f.jsonl", R"({"edge":["a","b"],"kind":"blocks"})"
                                           "\n"
                                           R"({"edge":["b","a"],"kind":"blocks"})"
                                           "\n");
  for (const bool completes : {true, false}) {
    ImportOptions options;
    options.batch_ops = 1;
    std::vector<std::uint64_t> seen;
    if (completes)
      options.complete = [&](const Snapshot& now, WriteBatch&) -> Status {
        seen.push_back(now.sequence());
        return {};
      };
    else
      options.position = [&](std::uint64_t next_line, WriteBatch&) -> Status {
        seen.push_back(next_line);
        return {};
      };
    const auto graph = Graph::InMemory();
    ASSERT_TRUE(ImportFiles(*graph, {file}, options));
    EXPECT_EQ(seen,
              completes ? std::vector<std::uint64_t>({0, 1}) : std::vector<std::uint64_t>({2, 3}));
  }
}

}  // namespace
}  // namespace plexus::formats::internal
