// pagerank: options, seed sets of a file, tolerances, earlier states; the JSON shapes.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

// a --0.5--> b --0.5--> c --1--> d, a --0.125--> d; e alone; m2 hides m1.
class CliPageRank : public ProgramTest {
 protected:
  void SetUp() override {
    Import(R"({"node":"a","tags":["red"]}
{"node":"e","scope":"other"}
{"edge":["a","b"],"kind":"knows","weight":0.5}
{"edge":["b","c"],"kind":"knows","weight":0.5}
{"edge":["c","d"],"kind":"likes","weight":1}
{"edge":["a","d"],"kind":"knows","weight":0.125}
{"edge":["m2","m1"],"kind":"supersedes","weight":1}
{"edge":["a","m1"],"kind":"knows","weight":1}
)",
           {"--now", "1700000000000"});
  }
  static std::map<std::string, double> Scores(const boost::json::value& nodes) {
    std::map<std::string, double> scores;
    for (const auto& node : nodes.as_array())
      scores[std::string(node.at("key").as_string())] = node.at("score").to_number<double>();
    return scores;
  }
  std::map<std::string, double> Asked(Words more) const {
    more.insert(more.begin(), {"pagerank", "--top", "0"});
    return Scores(Json(more).at("nodes"));
  }
};

TEST_F(CliPageRank, SumsToOneAndObeysTop) {
  const object all = Json({"pagerank", "--top", "0"});
  double sum = 0, last = 2;
  for (const auto& row : all.at("nodes").as_array()) {
    const double score = row.at("score").to_number<double>();
    EXPECT_LE(score, last);
    last = score;
    sum += score;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(all.at("nodes").as_array().size(), 7u);
  EXPECT_EQ(Each(array{all.at("nodes").at(0)}, "scaled percentile"), "1 1");
  EXPECT_EQ(Json({"pagerank", "--top", "2"}).at("nodes").as_array().size(), 2u);
  EXPECT_EQ(Json({"pagerank", "--iterations", "7"}).at("iterations"), 7);
}

// Of pushing, what the kernel promises is in PageRankPush.
TEST_F(CliPageRank, OptionsReachTheKernel) {
  const auto plain = Asked({}), seeded = Asked({"--seed", "c=2", "--seed", "a"});
  EXPECT_GT(seeded.at("b"), 0);
  EXPECT_EQ(seeded.at("e"), 0);  // out of reach of the seeds
  for (const Words& same : {Words{"--kind-weight", "likes=1"},
                            {"--decay"},  // no kind has a half-life
                            {"--max-seconds", "1000"},
                            {"--threads", "1"},
                            {"--threads", "4"}})
    EXPECT_EQ(Asked(same), plain) << same[0];
  for (const Words& other : {Words{"--kind-weight", "likes=0"}, {"--reverse", "likes"}}) {
    EXPECT_NE(Asked(other), plain) << other[0];
    Words pushed = {"pagerank", "--seed", "a", "--push", "1e-6"};
    const std::string before = Run(pushed).out;
    pushed.insert(pushed.end(), other.begin(), other.end());
    EXPECT_NE(Run(pushed).out, before) << other[0];
  }
  const object pushed =
      Json({"pagerank", "--seed", "c=2", "--seed", "a", "--push", "1e-6", "--top", "2"});
  EXPECT_TRUE(pushed.at("converged").as_bool());
  EXPECT_LE(pushed.at("error").as_double(), 1e-6);
  EXPECT_EQ(pushed.at("nodes").as_array().size(), 2u);
}

TEST_F(CliPageRank, WhatIsRefused) {
  ExpectRefused({
      {{"pagerank", "--damping", "1.5"}, 2, "damping"},
      {{"pagerank", "--damping", "1.0000001"}, 2, "damping 1.0000001 is not"},
      {{"pagerank", "--push", "0.1"}, 2, "seed"},
      {{"pagerank", "--seed", "a", "--push", "2"}, 2, ""},
      {{"pagerank", "--seed", "a", "--push", "0.1", "--iterations", "3"}, 2, "--iterations"},
      {{"pagerank", "--kind-weight", "likes"}, 2, "likes"},
      {{"pagerank", "--kind-weight", "likes=-1"}, 2, "likes"},
      {{"pagerank", "--kind-weight", "lkes=2"}, 2, "lkes"},
      {{"pagerank", "--half-life", "30"}, 2, "30"},
      {{"pagerank", "--half-life", "0d"}, 2, "0d"},
      {{"pagerank", "--reverse", "has_tag"}, 2, "has_tag"},
      {{"pagerank", "--unweighted", "--half-life", "3d"}, 2, "--half-life"},
  });
}

TEST_F(CliPageRank, SetsOfAFile) {
  const std::string file = dir_.File("sets.tsv", "a\tc=2\nd\nb\r\n\n\t\n");
  const object reply = Json({"pagerank", "--sets", file, "--top", "0"});
  EXPECT_TRUE(reply.at("converged").as_bool());
  const array& sets = reply.at("sets").as_array();
  const Words same[] = {{"--seed", "a", "--seed", "c=2"}, {"--seed", "d"}, {"--seed", "b"}};
  ASSERT_EQ(sets.size(), 3u);
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(sets[s].at("seeds").as_array().size(), same[s].size() / 2);
    auto got = Scores(sets[s].at("nodes"));
    for (const auto& [key, score] : Asked(same[s])) EXPECT_NEAR(got[key], score, 2e-5) << key;
  }
  EXPECT_TRUE(Says(Run({"pagerank", "--sets", file}).out, "3 sets"));
  EXPECT_TRUE(Says(Run({"pagerank", "--help"}).out, "4096 at most"));
  const auto lines = [&](const char* name, const char* text) {
    return Words{"pagerank", "--sets", dir_.File(name, text)};
  };
  ExpectRefused({
      {lines("bad.tsv", "a\na\tnobody\n"), 3, "bad.tsv:2: "},
      {lines("below.tsv", "a\na=-1\n"), 2, "below.tsv:2: the weight of seed 'a=-1' is below 0"},
      {lines("zero.tsv", "a\na=0\tc=0\n"), 2, "do not have a finite sum above 0"},
      {lines("index.tsv", "a\ntag:red\n"), 2, "seed 'tag:red' is of the index plane"},
      {lines("none.tsv", ""), 2, ""},
      {lines("empty.tsv", "\n\n"), 2, ""},
      {lines("gap.tsv", "a\n\n\nb\n"), 2, "gap.tsv:4: an empty line stands before this one"},
      {{"pagerank", "--sets", file, "--seed", "a"}, 2, "--seed"},
      {{"pagerank", "--sets", "nowhere.tsv"}, 3, "nowhere.tsv"},
      {{"pagerank", "--sets", "/"}, 1, "/: is a directory"},
  });
}

// A tolerance that was not given is never called out of reach, and one that a message names is in
// reach.
TEST_F(CliPageRank, TolerancesInReach) {
  const std::string sets = dir_.File("tolerance.tsv", "a\nb\n");
  for (const char* damping : {"0.85", "0.9999999", "0.87654321"})
    for (Words words :
         {Words{"pagerank"}, {"pagerank", "--precision", "f32"}, {"pagerank", "--sets", sets}}) {
      words.insert(words.end(), {"--damping", damping});
      EXPECT_EQ(Run(words).code, 0) << damping;
      words.insert(words.end(), {"--tolerance", "1e-20"});
      const Finished refused = Run(words);
      EXPECT_TRUE(Ends(refused, 2, std::string("at damping ") + damping + " "));
      const std::size_t at = refused.err.find("at least ");
      ASSERT_NE(at, std::string::npos) << refused.err;
      words.back() = refused.err.substr(
          at + 9, refused.err.find_first_not_of("0123456789.e-", at + 9) - at - 9);
      EXPECT_EQ(Run(words).code, 0) << words.back();
    }
}

// The figures are pinned to their models (pagerank_csr.cc, pagerank.h): 7
// nodes, 6 arcs, of which 6 nodes have some, weights other than 1.
TEST_F(CliPageRank, BytesMoved) {
  const auto bytes = [](int count) { return std::to_string(count); };
  const std::string sets = dir_.File("one.tsv", "a\n");
  const Words push = {"pagerank", "--seed", "a", "--push", "0.9", "--damping", "0.2"};
  ExpectReplies({
      // Rows this few are never laid out.
      {{"pagerank"},
       "",
       "bytes_per_iteration layout_pays_after layout_bytes",
       bytes(7 * 8 * 5 + 8 * 4 + 6 * (4 + 4)) + " 0 0"},
      {{"pagerank", "--unweighted", "--precision", "f32"},
       "",
       "bytes_per_iteration",
       bytes(7 * 4 * 5 + 8 * 4 + 6 * 4)},
      {{"pagerank", "--seed", "a"}, "", "bytes_per_iteration", bytes(7 * 8 * 6 + 8 * 4 + 6 * 8)},
      // b, c, d and m1 are rows that arcs arrive in.
      {{"pagerank", "--sets", sets},
       "",
       "bytes_per_iteration",
       bytes(6 * 8 + 4 * 4 + 6 * (4 + 64 * 3))},
      // a is pushed to its three neighbours, and what they have then is too little to push on.
      {push, "", "edges bytes", "3 " + bytes(3 * 65 + 56)},
  });
  ExpectPrinted({{{"pagerank", "--sets", sets}, " iterations of "}, {push, "3 arcs, 251 B"}});
}

// A refresh from the scores of an earlier state ends where a run from nothing does
// (PageRankRefresh).
TEST_F(CliPageRank, BeginsAtAnEarlierState) {
  ASSERT_EQ(Run({"link", "d", "knows", "b", "--weight", "0.5"}).code, 0);
  const std::string now = std::to_string(Sequence()), before = std::to_string(Sequence() - 1);
  EXPECT_FALSE(Json({"pagerank"}).contains("from"));
  const object then = Json({"pagerank", "--as-of", before});
  const object got = Json({"pagerank", "--top", "0", "--from-as-of", before});
  for (const char* same : {"sequence", "iterations", "error"})
    EXPECT_EQ(got.at("from").at(same), then.at(same)) << same;
  EXPECT_LE(got.at("error").to_number<double>(), 1e-9);
  EXPECT_EQ(got.at("bytes_per_iteration"), 7 * (4 + 4) + 7 * 44);
  const auto want = Asked({});
  for (const auto& [key, score] : Scores(got.at("nodes"))) EXPECT_NEAR(score, want.at(key), 2e-9);
  // From its own scores there is nothing left to do: a sweep that says so.
  EXPECT_LT(Json({"pagerank", "--from-as-of", now}).at("iterations").to_number<int>(), 3);
  EXPECT_TRUE(Says(Run({"pagerank", "--from-as-of", before}).out,
                   "begun at the scores of sequence " + before));
  ASSERT_EQ(Run({"link", "later", "newer", "d"}).code, 0);
  ExpectRefused({
      {{"pagerank", "--from-as-of", now, "--as-of", before}, 2, "later than"},
      {{"pagerank", "--from-as-of", before, "--kinds", "newer"},
       2,
       "at sequence " + before + ": no "},
      {{"pagerank", "--from-as-of", before, "--seed", "later"},
       3,
       "at sequence " + before + ": no "},
  });
}

}  // namespace
}  // namespace plexus::testing
