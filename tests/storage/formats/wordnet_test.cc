// WordNet 3.0: all of it, when Debian's wordnet-base is there, and a small one.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/support/fails_with.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
namespace {

using testing::FailsWith;

namespace fs = std::filesystem;

TEST(WordNet, WholeDatabase) {
  const std::string directory = "/usr/share/wordnet";
  if (!fs::exists(directory + "/data.noun")) GTEST_SKIP() << "wordnet-base is not installed";
  auto graph = Graph::InMemory();
  ImportOptions options;
  options.now_ms = kNow;
  auto imported = ImportFiles(*graph, {directory}, options);
  ASSERT_TRUE(imported) << imported.error().ToString();
  EXPECT_EQ(imported->errors, 0u);
  EXPECT_EQ(imported->nodes, (ChangeCounts{117'659, 0, 0}));
  EXPECT_EQ(imported->pointers, 377'592u);
  EXPECT_EQ(imported->self_loops_skipped, 19u);
  EXPECT_EQ(imported->edges, (ChangeCounts{186'325, 0, 377'592 - 19 - 186'325}));

  // 82,115 nouns + 13,767 verbs + 18,156 adjectives + 3,621 adverbs. The pointers: 89,089
  // hypernyms and as many hyponyms make one is-a each, and so for every inverse pair;
  // of 74,717 derivations (19 of them loops) 63,639 differ as ordered pairs...
  const std::map<std::string, std::uint64_t> expected = {
      {"is-a", 89'089},       {"instance-of", 8'577}, {"part-of", 9'097},     {"member-of", 12'293},
      {"substance-of", 797},  {"in-topic", 6'653},    {"in-region", 1'357},   {"in-usage", 1'287},
      {"antonym", 3'802},     {"similar", 10'693},    {"derivation", 31'839}, {"attribute", 639},
      {"also-see", 1'971},    {"verb-group", 875},    {"entails", 408},       {"causes", 220},
      {"pertains-to", 6'667}, {"participle-of", 61}};
  const Snapshot s = graph->snapshot();
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t total = 0;
  for (EdgeKindId kind{}; kind < s.schema().edge_kinds().size(); ++kind) {
    const std::uint64_t n = s.CountEdges(kind);
    if (n > 0) counts[s.schema().edge_kind(kind).name] = n;
    total += n;
  }
  EXPECT_EQ(counts, expected);
  EXPECT_EQ(total, 186'325u);
  std::map<char, int> letters;
  for (NodeId v = 0; v < s.node_count(); ++v) ++letters[s.key(v)[0]];
  EXPECT_EQ(letters,
            (std::map<char, int>{{'n', 82'115}, {'v', 13'767}, {'a', 18'156}, {'r', 3'621}}));

  EXPECT_EQ(s.key(0), "n00001740");
  const NodeId dog = Id(s, "n02084071");
  const std::string text = s.Payload(dog, NodeField::kText).value();
  EXPECT_TRUE(text.starts_with("dog, domestic dog, Canis familiaris\na member of the genus Canis"));
  EXPECT_TRUE(s.FindEdge(dog, kIsA, Id(s, "n02083346")));  // canine

  const Sequence sequence = s.sequence();
  imported = ImportFiles(*graph, {directory}, options);
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->nodes, (ChangeCounts{0, 0, 117'659}));
  EXPECT_EQ(imported->edges, (ChangeCounts{0, 0, 377'573}));
  EXPECT_EQ(imported->sequence, sequence);
}

class SmallWordNet : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ =
        fs::path(::testing::TempDir()) / ("plexus_small_wordnet_" + std::to_string(::getpid()));
    fs::create_directories(directory_);
    for (const char* name : {"data.noun", "data.verb", "data.adj", "data.adv"})
      Write(name, "  1 licence\n");
  }
  void TearDown() override { fs::remove_all(directory_); }
  void Write(const char* name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
  }
  Result<ImportReport> Run(Graph& graph, OnImportError on_error) {
    ImportOptions options;
    options.on_error = on_error;
    return ImportFiles(graph, {directory_.string()}, options);
  }
  fs::path directory_;
};

TEST_F(SmallWordNet, KeysLettersAndErrors) {
  Write("data.noun",
        "  1 licence\n"
        "00000001 03 n 02 some_thing 0 it 0 001 ~ 00000002 n 0000 | a gloss  \n"
        "00000002 03 n 01 part 0 002 @ 00000001 n 0000 = 00000007 a 0000 | another\n");
  Write("data.adj",
        "00000007 00 s 01 odd(p) 0 002 = 00000002 n 0000 + 00000007 s 0101 | strange\n");
  auto graph = Graph::InMemory();
  auto report = Run(*graph, OnImportError::kStop);
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_EQ(report->errors, 0u);
  EXPECT_EQ(report->self_loops_skipped, 1u);
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(Edges(s, "is-a"), "n00000002>n00000001");
  EXPECT_EQ(Edges(s, "attribute"), "n00000002>a00000007");
  EXPECT_EQ(s.Payload(Id(s, "a00000007"), NodeField::kText).value(), "odd\nstrange");
  EXPECT_EQ(s.Payload(Id(s, "n00000001"), NodeField::kText).value(), "some thing, it\na gloss");

  Write("data.verb", "  1\n00000003 29 v 01 go 0 001 * 00000009 v 0000 00 | move\nnot a line\n");
  auto again = Run(*graph, OnImportError::kSkip);
  ASSERT_TRUE(again);
  ASSERT_EQ(again->kept_errors.size(), 2u);
  EXPECT_NE(again->kept_errors[0].ToString().find("data.verb:3: no gloss"), std::string::npos);
  EXPECT_NE(
      again->kept_errors[1].ToString().find("data.verb:2: pointer to an unknown synset v00000009"),
      std::string::npos);
}

TEST_F(SmallWordNet, MissingFileIsNamed) {
  fs::remove(directory_ / "data.adv");
  auto graph = Graph::InMemory();
  EXPECT_TRUE(FailsWith(Run(*graph, OnImportError::kStop), ErrorCode::kNotFound, "data.adv"));
}

}  // namespace
}  // namespace plexus::formats::internal
