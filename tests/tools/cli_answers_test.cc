// What answers hide, mark and add up: index nodes in the past, what was superseded, degrees, the
// line that matches, parts of the disk; and subjects that stand without their flag.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

using boost::json::object;

class Answers : public ProgramTest {
 protected:
  void SetUp() override {
    Import(
        R"({"node":"a","kind":"decision","text":"Shipping.\nThe oracle restarts at night.\nDone."}
{"node":"b","kind":"decision","text":"the queue waits"}
{"node":"c","kind":"decision","text":"the fee"}
{"edge":["a","b"],"kind":"depends_on"}
{"edge":["c","b"],"kind":"depends_on"}
{"edge":["c","a"],"kind":"supersedes"}
)");
    ASSERT_EQ(Run({"terms"}).code, 0);
  }
};

TEST_F(Answers, DiffHidesIndexNodes) {
  const object facts = Json({"diff", "0"}), all = Json({"diff", "0", "--all"});
  EXPECT_EQ(facts.at("total"), 6);
  EXPECT_EQ(facts.at("nodes").at("added"), 3);
  EXPECT_EQ(all.at("hidden"), 0);
  EXPECT_EQ(all.at("total"),
            facts.at("total").to_number<int>() + facts.at("hidden").to_number<int>());
  EXPECT_FALSE(Says(Run({"diff", "1"}).out, "term:"));
  EXPECT_TRUE(Says(Run({"diff", "1"}).err, "--all shows them"));
  EXPECT_TRUE(Says(Run({"diff", "1", "--all"}).out, "term:"));
}

TEST_F(Answers, ListMarksWhatIsSuperseded) {
  EXPECT_FALSE(Says(Run({"list", "--where", "key != 'a'"}).out, "superseded_by"));
  EXPECT_TRUE(Says(Run({"list"}).out, "superseded_by"));
  const object reply = Json({"list", "--where", "key in ('a', 'b')"});
  EXPECT_EQ(reply.at("results").at(0).at("superseded_by"), "c");
  EXPECT_TRUE(reply.at("results").at(1).at("superseded_by").is_null());
  EXPECT_EQ(Json({"get", "a"}).at("superseded_by"), "c");
}

TEST_F(Answers, ListSortsByDegree) {
  const auto keys = [&](Words more) { return Run(With({"list", "--keys"}, more)).out; };
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
  const std::vector<std::pair<Words, const char*>> questions = {
      {{"search", "oracle", "--include-superseded"}, "results"},
      {{"recall", "oracle", "--include-superseded"}, "hits"},
      {{"retrieve", "oracle", "--include-superseded"}, "hits"}};
  for (const auto& [words, list] : questions) {
    const object hit = Json(words).at(list).at(0).as_object();
    EXPECT_EQ(hit.at("line"), "The oracle restarts at night.") << words[0];
    EXPECT_EQ(hit.at("text"), "Shipping.\nThe oracle restarts at night.\nDone.");
  }
  const object one = Json({"search", "queue"}).at("results").at(0).as_object();
  EXPECT_FALSE(one.contains("line"));
  const object cut = Json({"search", "oracle", "--include-superseded", "--max-chars", "8"})
                         .at("results")
                         .at(0)
                         .as_object();
  EXPECT_EQ(cut.at("text"), "Shipping");
  EXPECT_TRUE(cut.at("text_cut").as_bool());
  EXPECT_EQ(cut.at("line"), "The oracle restarts at night.");
}

TEST_F(Answers, NothingFoundSaysWhatToTypeNext) {
  EXPECT_TRUE(Ends(Run({"search", "zeppelins"}), 3,
                   "no text has a word of 'zeppelins'; `plexus find --db " + db_ +
                       " zeppelins` looks in keys and for parts of words"));
  ASSERT_EQ(Run({"terms", "--stem", "english"}).code, 0);
  EXPECT_EQ(Run({"search", "oracles", "--include-superseded"}).code, 0);
  EXPECT_FALSE(Says(Run({"search", "zebra"}).err, "--stem"));
  // What is suggested is accepted.
  const Finished field = Run({"list", "--where", "tgas = 'x'"});
  EXPECT_TRUE(Says(field.err, "did you mean 'tag'?"));
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
  const std::vector<std::pair<Words, Words>> same = {
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
  EXPECT_TRUE(Ends(Run({"path", "a"}), 2, "--to is required"));
}

TEST_F(Answers, BlockedOfOneDecision) {
  EXPECT_EQ(Json({"decisions", "blocked"}).at("total"), 1);
  const object one = Json({"decisions", "blocked", "c"});
  EXPECT_EQ(one.at("total"), 1);
  EXPECT_EQ(one.at("blocked").at(0).at("root"), "b");
  EXPECT_EQ(one.at("roots").as_array().size(), 1U);
  const object none = Json({"decisions", "blocked", "b"});
  EXPECT_EQ(none.at("total"), 0);
  EXPECT_TRUE(none.at("roots").as_array().empty());
  EXPECT_EQ(Run({"decisions", "blocked", "nobody"}).code, 3);
}

}  // namespace
}  // namespace plexus::testing
