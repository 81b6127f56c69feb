// --dry-run of whatever writes: the report of the real run, and a graph that is as it was.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/run_plexus.h"
#include "tools/operations/registry.h"

namespace plexus::testing {
namespace {

using boost::json::object;

class DryRun : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string lines =
        R"({"node":"a","kind":"memory","text":"the oracle restarts","tags":["ops"]}
{"node":"b","kind":"memory","text":"the queue waits"}
{"edge":["a","b"],"kind":"contradicts"}
)";
    ASSERT_EQ(Plexus({"import", "-", "--no-terms", "--format", "jsonl", "--db", db_},
                     {.input = lines})
                  .code,
              0);
  }
  object Json(std::vector<std::string> words) const {
    words.insert(words.end(), {"--db", db_, "--json"});
    const Finished run = Plexus(words);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.Json();
  }
  // Both replies without what tells them apart.
  void Compare(std::vector<std::string> words) {
    std::vector<std::string> dry = words;
    dry.emplace_back("--dry-run");
    const auto before = Json({"stats"}).at("sequence");
    object would = Json(dry), did;
    EXPECT_EQ(Json({"stats"}).at("sequence"), before) << words[0];
    EXPECT_EQ(would.at("sequence"), before) << words[0];
    EXPECT_TRUE(would.at("dry_run").as_bool()) << words[0];
    did = Json(words);
    EXPECT_NE(did.at("sequence"), before) << words[0];
    would.erase("dry_run");
    would.erase("sequence");
    did.erase("sequence");
    EXPECT_EQ(would, did) << words[0];
  }

  TempDir dir_;
  const std::string db_ = dir_ / "g";
};

TEST_F(DryRun, SaysWhatTheRealRunDoes) {
  Compare({"terms"});
  Compare({"embed", "--dimensions", "4"});
  Compare({"conflicts", "resolve", "a", "b", "--supersede", "b"});
  Compare({"purge", "a"});
}

TEST_F(DryRun, AHardPurgeIsShownAsWell) {
  Json({"terms"});
  const object would = Json({"purge", "a", "--hard", "--dry-run"});
  EXPECT_EQ(would.at("nodes").at("removed").to_number<int>(), 1);
  EXPECT_EQ(would.at("edges").at("removed").to_number<int>(), 1);
  EXPECT_EQ(Json({"get", "a"}).at("text").as_string(), "the oracle restarts");
  Compare({"purge", "a", "--hard"});
  EXPECT_EQ(Plexus({"purge", "nobody", "--dry-run", "--db", db_}).code, 3);
}

TEST_F(DryRun, NeedsNoRightToWriteAndNoTurn) {
  const Finished query = Plexus({"embed", "--query", "oracle", "--dry-run", "--db", db_});
  EXPECT_EQ(query.code, 2);
  EXPECT_NE(query.err.find("--query cannot go with --dry-run"), std::string::npos) << query.err;
  // Every operation that changes a graph has one; concepts by their own word.
  for (const tools::Operation& row : tools::AllOperations())
    if (row.group == "Change") {
      EXPECT_NE(row.Find("dry_run"), nullptr) << row.name;
    }
}

}  // namespace
}  // namespace plexus::testing
