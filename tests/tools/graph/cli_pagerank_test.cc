// pagerank: rankings, weights by kind and age, seed sets of a file; the JSON shapes.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/support/stored_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

// a --0.5--> b --0.5--> c --1--> d, a --0.1--> d; e alone; m2 hides m1.
class CliPageRank : public StoredGraph<CliPageRank> {
 protected:
  static void SetUpTestSuite() {
    std::string lines =
        "{\"node\":\"a\",\"tags\":[\"red\"]}\n{\"node\":\"e\",\"scope\":\"other\"}\n";
    const auto edge = [&](const char* from, const char* to, const char* kind, const char* weight) {
      lines += std::string("{\"edge\":[\"") + from + "\",\"" + to + "\"],\"kind\":\"" + kind +
               "\",\"weight\":" + weight + "}\n";
    };
    edge("a", "b", "knows", "0.5");
    edge("b", "c", "knows", "0.5");
    edge("c", "d", "likes", "1");
    edge("a", "d", "knows", "0.125");
    edge("m2", "m1", "supersedes", "1");
    edge("a", "m1", "knows", "1");
    Import(lines, {"--now", "1700000000000"});
  }
};

TEST_F(CliPageRank, PageRankSumsToOneAndObeysTop) {
  const object all = Json({"pagerank", "--top", "0"});
  double sum = 0, last = 2;
  for (const auto& row : all.at("nodes").as_array()) {
    const double score = row.as_object().at("score").to_number<double>();
    EXPECT_LE(score, last);
    last = score;
    sum += score;
  }
  EXPECT_EQ(all.at("nodes").as_array().size(), 7u);
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(all.at("nodes").as_array()[0].as_object().at("scaled").to_number<double>(), 1);
  EXPECT_EQ(all.at("nodes").as_array()[0].as_object().at("percentile").to_number<double>(), 1);
  EXPECT_EQ(Json({"pagerank", "--top", "2"}).at("nodes").as_array().size(), 2u);
  EXPECT_EQ(Json({"pagerank", "--iterations", "7"}).at("iterations").as_int64(), 7);
  EXPECT_EQ(Run({"pagerank", "--damping", "1.5"}).code, 2);
  EXPECT_EQ(Run({"pagerank", "--iterations", "3", "--tolerance", "0.1"}).code, 2);

  const object pushed =
      Json({"pagerank", "--seed", "c=2", "--seed", "a", "--push", "1e-6", "--top", "2"});
  EXPECT_TRUE(pushed.at("converged").as_bool());
  EXPECT_LE(pushed.at("error").as_double(), 1e-6);
  ASSERT_EQ(pushed.at("nodes").as_array().size(), 2u);
  EXPECT_EQ(Run({"pagerank", "--push", "0.1"}).code, 2);  // no seed
  EXPECT_EQ(Run({"pagerank", "--seed", "a", "--push", "2"}).code, 2);
  EXPECT_EQ(Run({"pagerank", "--seed", "a", "--push", "0.1", "--iterations", "3"}).code, 2);

  const auto seeded =
      Json({"pagerank", "--seed", "c=2", "--seed", "a", "--top", "0"}).at("nodes").as_array();
  EXPECT_EQ(pushed.at("nodes").as_array()[0].at("key"), seeded[0].at("key"));
  double b = -1, e = -1;
  for (const auto& row : seeded) {
    const auto& key = row.as_object().at("key").as_string();
    if (key == "b") b = row.as_object().at("score").to_number<double>();
    if (key == "e") e = row.as_object().at("score").to_number<double>();
  }
  EXPECT_GT(b, 0);
  EXPECT_EQ(e, 0);  // out of reach of the seeds
}

TEST_F(CliPageRank, PageRankWeighsKindsAndAges) {
  const auto scores = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"pagerank", "--top", "0"});
    std::map<std::string, double> found;
    const object reply = Json(more);
    EXPECT_FALSE(reply.at("truncated").as_bool());
    EXPECT_EQ(reply.at("layout_bytes").as_int64(), 0);
    for (const auto& row : reply.at("nodes").as_array())
      found[std::string(row.as_object().at("key").as_string())] =
          row.as_object().at("score").to_number<double>();
    return found;
  };
  const auto plain = scores({});
  EXPECT_NE(scores({"--kind-weight", "likes=0"}), plain);
  EXPECT_EQ(scores({"--kind-weight", "likes=1"}), plain);
  EXPECT_NE(scores({"--reverse", "likes"}), plain);
  EXPECT_EQ(scores({"--decay"}), plain);  // no kind has a half-life
  EXPECT_EQ(scores({"--max-seconds", "1000"}), plain);
  const auto pushed = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"pagerank", "--seed", "a", "--push", "1e-6"});
    return Run(more).out;
  };
  EXPECT_NE(pushed({"--kind-weight", "likes=0"}), pushed({}));
  EXPECT_NE(pushed({"--reverse", "likes"}), pushed({}));
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--kind-weight", "likes"},
                                             {"--kind-weight", "likes=-1"},
                                             {"--kind-weight", "lkes=2"},
                                             {"--half-life", "30"},
                                             {"--half-life", "0d"},
                                             {"--reverse", "has_tag"},
                                             {"--unweighted", "--half-life", "3d"},
                                             {"--valid-at", "never"}}) {
    std::vector<std::string> words = {"pagerank"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(Run(words).code, 2) << wrong[0] << ' ' << wrong.back();
  }
  const object stopped = Json({"pagerank", "--max-seconds", "0"});
  EXPECT_TRUE(stopped.at("truncated").as_bool());
}

TEST_F(CliPageRank, PageRankOfManySets) {
  const std::string file = dir_->File("sets.tsv", "a\tc=2\nd\nb\r\n\n\t\n");
  const object reply = Json({"pagerank", "--sets", file, "--top", "0"});
  EXPECT_TRUE(reply.at("converged").as_bool());
  const array& sets = reply.at("sets").as_array();
  ASSERT_EQ(sets.size(), 3u);
  const std::vector<std::vector<std::string>> same = {
      {"--seed", "a", "--seed", "c=2"}, {"--seed", "d"}, {"--seed", "b"}};
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(sets[s].as_object().at("seeds").as_array().size(), same[s].size() / 2);
    std::vector<std::string> words = {"pagerank", "--top", "0"};
    words.insert(words.end(), same[s].begin(), same[s].end());
    std::map<std::string, double> want, got;
    const object alone = Json(words);
    for (const auto& row : alone.at("nodes").as_array())
      want[std::string(row.as_object().at("key").as_string())] =
          row.as_object().at("score").to_number<double>();
    for (const auto& row : sets[s].as_object().at("nodes").as_array())
      got[std::string(row.as_object().at("key").as_string())] =
          row.as_object().at("score").to_number<double>();
    for (const auto& [key, score] : want) EXPECT_NEAR(got[key], score, 2e-5) << s << ' ' << key;
    EXPECT_LE(got.size(), want.size());
  }
  EXPECT_NE(Run({"pagerank", "--sets", file}).out.find("3 sets"), std::string::npos);
  const Finished unknown = Run({"pagerank", "--sets", dir_->File("bad.tsv", "a\na\tnobody\n")});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_NE(unknown.err.find("bad.tsv:2: "), std::string::npos) << unknown.err;
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"a=-1", "the weight of seed 'a=-1' is below 0"},
      {"a=0\tc=0", "do not have a finite sum above 0"},
      {"tag:red", "seed 'tag:red' is of the index plane"}};
  for (const auto& [line, why] : wrong) {
    const Finished refused =
        Run({"pagerank", "--sets", dir_->File("wrong.tsv", "a\n" + line + "\n")});
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("wrong.tsv:2: "), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find(why), std::string::npos) << refused.err;
  }
  EXPECT_EQ(Run({"pagerank", "--sets", dir_->File("none.tsv", "")}).code, 2);
  EXPECT_EQ(Run({"pagerank", "--sets", dir_->File("none.tsv", "\n\n")}).code, 2);
  const Finished gap = Run({"pagerank", "--sets", dir_->File("gap.tsv", "a\n\n\nb\n")});
  EXPECT_EQ(gap.code, 2);
  EXPECT_NE(gap.err.find("gap.tsv:4: an empty line stands before this one"), std::string::npos)
      << gap.err;
  EXPECT_NE(Run({"pagerank", "--help"}).out.find("4096 at most"), std::string::npos);
  EXPECT_EQ(Run({"pagerank", "--sets", file, "--seed", "a"}).code, 2);
  EXPECT_EQ(Run({"pagerank", "--sets", "nowhere.tsv"}).code, 3);
  EXPECT_NE(Run({"pagerank", "--sets", "/"}).err.find("/: is a directory"), std::string::npos);
}

// Nobody is told that a tolerance which he did not give is out of reach, and one that a message
// names is in reach.
TEST_F(CliPageRank, TolerancesInReach) {
  const std::string sets = dir_->File("tolerance.tsv", "a\nb\n");
  const std::vector<std::vector<std::string>> questions = {
      {"pagerank"}, {"pagerank", "--precision", "f32"}, {"pagerank", "--sets", sets}};
  for (const char* damping : {"0.85", "0.99", "0.9999999", "0.87654321"})
    for (std::vector<std::string> words : questions) {
      words.insert(words.end(), {"--damping", damping});
      EXPECT_EQ(Run(words).code, 0) << words.back();
      words.insert(words.end(), {"--tolerance", "1e-20"});
      const Finished refused = Run(words);
      EXPECT_EQ(refused.code, 2);
      const std::size_t at = refused.err.find("at least ");
      ASSERT_NE(at, std::string::npos) << refused.err;
      EXPECT_NE(refused.err.find(std::string("at damping ") + damping + " "), std::string::npos)
          << refused.err;
      words.back() = refused.err.substr(
          at + 9, refused.err.find_first_not_of("0123456789.e-", at + 9) - at - 9);
      EXPECT_EQ(Run(words).code, 0) << words.back();
    }
  EXPECT_NE(Run({"pagerank", "--damping", "1.0000001"}).err.find("damping 1.0000001 is not"),
            std::string::npos);
}

// The figures are pinned to their models (pagerank_csr.cc, pagerank_batch.h, pagerank_push.h): 7
// nodes, 6 arcs, of which 6 nodes have some, weights other than 1.
TEST_F(CliPageRank, BytesMoved) {
  const object one = Json({"pagerank"});
  EXPECT_EQ(one.at("bytes_per_iteration").as_int64(), 7 * 8 * 5 + 8 * 4 + 6 * (4 + 4));
  EXPECT_EQ(
      Json({"pagerank", "--unweighted", "--precision", "f32"}).at("bytes_per_iteration").as_int64(),
      7 * 4 * 5 + 8 * 4 + 6 * 4);
  EXPECT_EQ(Json({"pagerank", "--seed", "a"}).at("bytes_per_iteration").as_int64(),
            7 * 8 * 6 + 8 * 4 + 6 * 8);
  EXPECT_EQ(one.at("layout_pays_after").as_int64(), 0);  // rows this few are never laid out
  EXPECT_EQ(one.at("layout_bytes").as_int64(), 0);
  // b, c, d and m1 are rows that arcs arrive in.
  const object sets = Json({"pagerank", "--sets", dir_->File("one.tsv", "a\n")});
  EXPECT_EQ(sets.at("bytes_per_iteration").as_int64(), 6 * 8 + 4 * 4 + 6 * (4 + 64 * 3));
  EXPECT_NE(Run({"pagerank", "--sets", dir_->File("one.tsv", "a\n")}).out.find(" iterations of "),
            std::string::npos);
  // a is pushed to its three neighbours, and what they have then is too little to push on.
  const object pushed = Json({"pagerank", "--seed", "a", "--push", "0.9", "--damping", "0.2"});
  EXPECT_EQ(pushed.at("edges").as_int64(), 3);
  EXPECT_EQ(pushed.at("bytes").as_int64(), 3 * 65 + 56);
  EXPECT_NE(Run({"pagerank", "--seed", "a", "--push", "0.9", "--damping", "0.2"})
                .out.find("3 arcs, 251 B"),
            std::string::npos);
}

// A refresh from the scores of an earlier state ends where a run from nothing does.
TEST_F(CliPageRank, BeginsAtAnEarlierState) {
  const Finished linked = Run({"link", "d", "knows", "b", "--weight", "0.5"});
  ASSERT_EQ(linked.code, 0) << linked.err;
  const object fresh = Json({"pagerank", "--top", "0"});
  const std::string now = std::to_string(fresh.at("sequence").as_int64());
  const std::string before = std::to_string(fresh.at("sequence").as_int64() - 1);
  const object then = Json({"pagerank", "--top", "0", "--as-of", before});
  const object got = Json({"pagerank", "--top", "0", "--from-as-of", before});
  EXPECT_FALSE(fresh.contains("from"));
  const object& from = got.at("from").as_object();
  EXPECT_EQ(from.at("sequence"), then.at("sequence"));
  EXPECT_EQ(from.at("iterations"), then.at("iterations"));
  EXPECT_EQ(from.at("error"), then.at("error"));
  EXPECT_TRUE(got.at("converged").as_bool());
  EXPECT_LE(got.at("error").to_number<double>(), 1e-9);
  EXPECT_EQ(got.at("bytes_per_iteration").as_int64(), 7 * (4 + 4) + 7 * 44);
  const auto scores = [](const object& reply) {
    std::map<std::string, double> found;
    for (const auto& row : reply.at("nodes").as_array())
      found[std::string(row.as_object().at("key").as_string())] =
          row.as_object().at("score").to_number<double>();
    return found;
  };
  const auto want = scores(fresh), old = scores(then);
  EXPECT_GT(std::abs(want.at("b") - old.at("b")), 1e-3);  // there was something to refresh
  for (const auto& [key, score] : scores(got)) EXPECT_NEAR(score, want.at(key), 2e-9) << key;
  // From its own scores there is nothing left to do: a sweep that says so.
  EXPECT_LT(Json({"pagerank", "--from-as-of", now}).at("iterations").as_int64(), 3);
  EXPECT_NE(Run({"pagerank", "--from-as-of", before})
                .out.find("begun at the scores of sequence " + before),
            std::string::npos);
  const Finished later = Run({"pagerank", "--from-as-of", now, "--as-of", before});
  EXPECT_EQ(later.code, 2);
  EXPECT_NE(later.err.find("later than"), std::string::npos) << later.err;
  ASSERT_EQ(Run({"link", "later", "newer", "d"}).code, 0);
  for (const auto& [option, value] : {std::pair{"--kinds", "newer"}, {"--seed", "later"}}) {
    const Finished unknown = Run({"pagerank", "--from-as-of", before, option, value});
    EXPECT_GE(unknown.code, 2);
    EXPECT_NE(unknown.err.find("at sequence " + before + ": no "), std::string::npos)
        << unknown.err;
  }
  ASSERT_EQ(Run({"remove", "later"}).code, 0);
  ASSERT_EQ(Run({"unlink", "d", "knows", "b"}).code, 0);
}

TEST_F(CliPageRank, SameBitsWithAnyNumberOfThreads) {
  const Finished one = Run({"pagerank", "--json", "--top", "0", "--threads", "1"});
  EXPECT_EQ(one.out, Run({"pagerank", "--json", "--top", "0", "--threads", "4"}).out);
}
}  // namespace
}  // namespace plexus::testing
