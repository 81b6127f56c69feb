// What answers hide, mark and add up: index nodes in the past, what was superseded, degrees, the
// line that matches, parts of the disk; and subjects that stand without their flag.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

using boost::json::object;

class Answers : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string lines =
        R"({"node":"a","kind":"decision","text":"Shipping.\nThe oracle restarts at night.\nDone."}
{"node":"b","kind":"decision","text":"the queue waits"}
{"node":"c","kind":"decision","text":"the fee"}
{"edge":["a","b"],"kind":"depends_on"}
{"edge":["c","b"],"kind":"depends_on"}
{"edge":["c","a"],"kind":"supersedes"}
)";
    ASSERT_EQ(Run({"import", "-", "--format", "jsonl"}, {.input = lines}).code, 0);
    ASSERT_EQ(Run({"terms"}).code, 0);
  }
  Finished Run(std::vector<std::string> words, const RunOptions& options = {}) const {
    words.insert(words.end(), {"--db", db_});
    return Plexus(words, options);
  }
  object Json(std::vector<std::string> words) const {
    words.emplace_back("--json");
    const Finished run = Run(std::move(words));
    EXPECT_EQ(run.code, 0) << run.err;
    return run.Json();
  }

  TempDir dir_;
  const std::string db_ = dir_ / "g";
};

TEST_F(Answers, DiffHidesIndexNodes) {
  const object facts = Json({"diff", "0"}), all = Json({"diff", "0", "--all"});
  EXPECT_EQ(facts.at("total").to_number<int>(), 6);
  EXPECT_EQ(facts.at("nodes").at("added").to_number<int>(), 3);
  EXPECT_EQ(all.at("hidden").to_number<int>(), 0);
  EXPECT_EQ(all.at("total").to_number<int>(),
            facts.at("total").to_number<int>() + facts.at("hidden").to_number<int>());
  EXPECT_EQ(Run({"diff", "1"}).out.find("term:"), std::string::npos);
  EXPECT_NE(Run({"diff", "1"}).err.find("--all shows them"), std::string::npos);
  EXPECT_NE(Run({"diff", "1", "--all"}).out.find("term:"), std::string::npos);
}

TEST_F(Answers, ListMarksWhatIsSuperseded) {
  EXPECT_EQ(Run({"list", "--where", "key != 'a'"}).out.find("superseded_by"), std::string::npos);
  EXPECT_NE(Run({"list"}).out.find("superseded_by"), std::string::npos);
  const object reply = Json({"list", "--where", "key in ('a', 'b')"});
  EXPECT_EQ(reply.at("results").at(0).at("superseded_by").as_string(), "c");
  EXPECT_TRUE(reply.at("results").at(1).at("superseded_by").is_null());
  EXPECT_EQ(Json({"get", "a"}).at("superseded_by").as_string(), "c");
}

TEST_F(Answers, ListSortsByDegree) {
  const auto keys = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"list", "--keys"});
    return Run(more).out;
  };
  EXPECT_EQ(keys({"--sort", "degree:desc"}), "a\nb\nc\n");
  EXPECT_EQ(keys({"--sort", "in_degree:desc"}), "b\na\nc\n");
  EXPECT_EQ(keys({"--sort", "out_degree:desc"}), "c\na\nb\n");
  EXPECT_EQ(keys({"--sort", "degree", "--kinds", "supersedes"}), "b\na\nc\n");
  const object reply = Json({"list", "--columns", "key,degree,in_degree", "--kinds", "depends_on",
                             "--sort", "in_degree:desc", "--top", "1"});
  EXPECT_EQ(boost::json::serialize(reply.at("results")),
            R"([{"key":"b","degree":2,"in_degree":2}])");
  EXPECT_EQ(Run({"list", "--kinds", "knwos"}).code, 2);
  // Of a scope the edges to nodes of others are not counted.
  ASSERT_EQ(Run({"put", "b", "--set", "scope=other"}).code, 0);
  EXPECT_EQ(boost::json::serialize(
                Json({"list", "--columns", "key,degree", "--scope", "user"}).at("results")),
            R"([{"key":"a","degree":1},{"key":"c","degree":1}])");
}

TEST_F(Answers, HitsShowTheLineThatMatches) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> questions = {
      {{"search", "oracle", "--include-superseded"}, "results"},
      {{"recall", "oracle", "--include-superseded"}, "hits"},
      {{"retrieve", "oracle", "--include-superseded"}, "hits"}};
  for (const auto& [words, list] : questions) {
    const object hit = Json(words).at(list).at(0).as_object();
    EXPECT_EQ(hit.at("line").as_string(), "The oracle restarts at night.") << words[0];
    EXPECT_EQ(hit.at("text").as_string(), "Shipping.\nThe oracle restarts at night.\nDone.");
  }
  const object one = Json({"search", "queue"}).at("results").at(0).as_object();
  EXPECT_FALSE(one.contains("line"));
  const object cut = Json({"search", "oracle", "--include-superseded", "--max-chars", "8"})
                         .at("results")
                         .at(0)
                         .as_object();
  EXPECT_EQ(cut.at("text").as_string(), "Shipping");
  EXPECT_TRUE(cut.at("text_cut").as_bool());
  EXPECT_EQ(cut.at("line").as_string(), "The oracle restarts at night.");
}

TEST_F(Answers, NothingFoundSaysWhatToTypeNext) {
  const Finished none = Run({"search", "zeppelins"});
  EXPECT_EQ(none.code, 3);
  EXPECT_NE(none.err.find("no text has a word of 'zeppelins'; `plexus find --db " + db_ +
                          " zeppelins` looks in keys and for parts of words"),
            std::string::npos)
      << none.err;
  ASSERT_EQ(Run({"terms", "--stem", "english"}).code, 0);
  EXPECT_EQ(Run({"search", "oracles", "--include-superseded"}).code, 0);
  EXPECT_EQ(Run({"search", "zebra"}).err.find("--stem"), std::string::npos);
  // What is suggested is accepted.
  const Finished field = Run({"list", "--where", "tgas = 'x'"});
  EXPECT_NE(field.err.find("did you mean 'tag'?"), std::string::npos) << field.err;
  EXPECT_EQ(Run({"list", "--where", "tag = 'x'"}).code, 0);
}

TEST_F(Answers, PartsOfTheDiskAddUp) {
  const object stored = Json({"stats"}).at("storage").as_object();
  const auto bytes = [&](const char* name) { return stored.at(name).to_number<std::int64_t>(); };
  EXPECT_EQ(bytes("log_bytes") + bytes("payload_bytes") + bytes("checkpoint_bytes") +
                bytes("other_bytes"),
            bytes("disk_bytes"));
}

TEST_F(Answers, SubjectsStandWithoutTheirFlag) {
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> same = {
      {{"path", "a", "b"}, {"path", "--from", "a", "--to", "b"}},
      {{"flow", "a", "b"}, {"flow", "--from", "a", "--to", "b"}},
      {{"neighborhood", "a"}, {"neighborhood", "--from", "a"}},
      {{"bfs", "a", "c"}, {"bfs", "--from", "a", "--from", "c"}},
      {{"distances", "a"}, {"distances", "--from", "a"}},
      {{"traverse", "b", "c"}, {"traverse", "--from", "b", "--from", "c"}}};
  for (const auto& [bare, flagged] : same) EXPECT_EQ(Json(bare), Json(flagged)) << bare[0];
  EXPECT_EQ(Json({"ledger", "record", "a", "b:primary", "--dry-run"}).at("query_hash"),
            Json({"ledger", "record", "--member", "a", "--member", "b:primary", "--dry-run"})
                .at("query_hash"));
  const Finished missing = Run({"path", "a"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("--to is required"), std::string::npos) << missing.err;
}

TEST_F(Answers, BlockedOfOneDecision) {
  EXPECT_EQ(Json({"decisions", "blocked"}).at("total").to_number<int>(), 1);
  const object one = Json({"decisions", "blocked", "c"});
  EXPECT_EQ(one.at("total").to_number<int>(), 1);
  EXPECT_EQ(one.at("blocked").at(0).at("root").as_string(), "b");
  EXPECT_EQ(one.at("roots").as_array().size(), 1U);
  const object none = Json({"decisions", "blocked", "b"});
  EXPECT_EQ(none.at("total").to_number<int>(), 0);
  EXPECT_TRUE(none.at("roots").as_array().empty());
  EXPECT_EQ(Run({"decisions", "blocked", "nobody"}).code, 3);
}

}  // namespace
}  // namespace plexus::testing
