// --dry-run of whatever writes: the report of the real run, and a graph that is as it was.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/program/program_test.h"
#include "tools/operations/framework/registry.h"

namespace plexus::testing {
namespace {

using boost::json::object;

class DryRun : public ProgramTest {
 protected:
  void SetUp() override {
    Import(R"({"node":"a","kind":"memory","text":"the oracle restarts","tags":["ops"]}
{"node":"b","kind":"memory","text":"the queue waits"}
{"edge":["a","b"],"kind":"contradicts"}
)",
           {"--no-terms"});
  }
  // Both replies without what tells them apart.
  void Compare(Words words) {
    Words dry = words;
    dry.emplace_back("--dry-run");
    const std::int64_t before = Sequence();
    object would = Json(dry);
    EXPECT_EQ(Sequence(), before) << words[0];
    EXPECT_EQ(would.at("sequence"), before) << words[0];
    EXPECT_TRUE(would.at("dry_run").as_bool()) << words[0];
    object did = Json(words);
    EXPECT_NE(did.at("sequence"), before) << words[0];
    would.erase("dry_run");
    would.erase("sequence");
    did.erase("sequence");
    EXPECT_EQ(would, did) << words[0];
  }
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
  EXPECT_EQ(would.at("nodes").at("removed"), 1);
  EXPECT_EQ(would.at("edges").at("removed"), 1);
  EXPECT_EQ(Json({"get", "a"}).at("text"), "the oracle restarts");
  Compare({"purge", "a", "--hard"});
  EXPECT_EQ(Run({"purge", "nobody", "--dry-run"}).code, 3);
}

TEST_F(DryRun, NeedsNoRightToWriteAndNoTurn) {
  EXPECT_TRUE(Ends(Run({"embed", "--query", "oracle", "--dry-run"}), 2,
                   "--query cannot go with --dry-run"));
  // Every operation that changes a graph has one; concepts by their own word.
  for (const tools::Operation& row : tools::AllOperations())
    if (row.group == "Change") {
      EXPECT_NE(row.Find("dry_run"), nullptr) << row.name;
    }
}

}  // namespace
}  // namespace plexus::testing
