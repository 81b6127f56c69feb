// conflicts as a user runs it: MEMORY.md's checks R2 to R4, files of verdicts, what is refused.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"
#include "tests/tools/vault.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

class ConflictsCommand : public ProgramTest {
 protected:
  void SetUp() override {
    Import(kTyped, {"--terms", "--now", "1700000000000"});
    always_ = {"--now", "1700000100000"};
  }
  std::size_t Open(Words more = {}) const {
    return Json(With({"conflicts", "list"}, more)).at("conflicts").as_array().size();
  }
};

TEST_F(ConflictsCommand, R2TheQueueShowsBothSides) {
  const object reply = Json({"conflicts", "list"});
  ASSERT_EQ(reply.at("conflicts").as_array().size(), 1u);
  const object conflict = reply.at("conflicts").at(0).as_object();
  EXPECT_EQ(conflict.at("a"), "k1");
  EXPECT_EQ(conflict.at("b"), "k2");
  EXPECT_EQ(conflict.at("text_a"), "Gateway remembers keys for 24 hours");
  EXPECT_EQ(conflict.at("text_b"), "Gateway remembers keys for 48 hours");
  EXPECT_EQ(conflict.at("since"), 1'700'000'000'000);
  EXPECT_EQ(Json({"conflicts"}), reply);
  ASSERT_EQ(Run({"link", "k3", "supersedes", "k2"}).code, 0);
  EXPECT_EQ(Open(), 0u);
  EXPECT_EQ(Each(Json({"conflicts", "duplicates"}).at("pairs").as_array()), "k1");  // R4
  const object chain = Json({"conflicts", "chain", "k2"});
  EXPECT_EQ(chain.at("head"), "k3");
  EXPECT_EQ(chain.at("replaced_by").at(0).at("created_at"), 1'700'000'100'000);
}

TEST_F(ConflictsCommand, R3KeepBoth) {
  const std::uint64_t before = Sequence();
  EXPECT_EQ(Open(), 1u);
  const object dry = Json({"conflicts", "resolve", "k1", "k2", "--keep-both", "--dry-run"});
  EXPECT_EQ(Sequence(), before);
  EXPECT_EQ(dry.at("ended"), 1);
  Json({"conflicts", "resolve", "k1", "k2", "--keep-both", "--note", "both were measured"});
  EXPECT_EQ(Sequence(), before + 1);
  EXPECT_EQ(Open(), 0u);
  EXPECT_EQ(Open({"--as-of", std::to_string(before)}), 1u);
  const std::string found =
      boost::json::serialize(Json({"search", "gateway keys"}).at("results").as_array());
  EXPECT_TRUE(Says(found, "k1"));
  EXPECT_TRUE(Says(found, "k2"));
  const Finished edges = Run({"export", "--format", "jsonl"});
  EXPECT_TRUE(Says(edges.out, "keep_both"));
  EXPECT_TRUE(Says(edges.out, "\"valid_until\":1700000100000"));
}

TEST_F(ConflictsCommand, R3Supersede) {
  Json({"conflicts", "resolve", "k1", "k2", "--supersede", "k1"});
  EXPECT_EQ(Open(), 0u);
  const object chain = Json({"conflicts", "chain", "k1"});
  EXPECT_EQ(chain.at("head"), "k2");
  EXPECT_EQ(Run({"conflicts", "resolve", "k1", "k2", "--keep-both"}).code, 3);
}

TEST_F(ConflictsCommand, R3Drop) {
  Json({"conflicts", "resolve", "k1", "k2", "--drop", "k2"});
  EXPECT_EQ(Open(), 0u);
  EXPECT_EQ(Run({"get", "k2"}).code, 3);
}

TEST_F(ConflictsCommand, R4Candidates) {
  const std::uint64_t before = Sequence();
  const array list = Json({"conflicts", "candidates", "k3"}).at("candidates").as_array();
  EXPECT_EQ(Each(list), "k1, k2");
  for (const auto& candidate : list) {
    EXPECT_NEAR(candidate.at("score").as_double(), 4.551196133, 1e-9);
    EXPECT_EQ(candidate.at("evidence").at(0).at("kind"), "numbers");
  }
  EXPECT_EQ(Sequence(), before);
  // Of one that is not written yet.
  const std::string file = dir_.File(
      "new.jsonl",
      R"({"node":"k4","kind":"memory","text":"Gateway never remembers keys","tags":["gateway"]}
)");
  const array proposed =
      Json({"conflicts", "candidates", "k4", "--proposal", file}).at("candidates").as_array();
  ASSERT_EQ(Each(proposed), "k1, k2, k3");
  EXPECT_EQ(proposed[0].at("evidence").at(0).at("kind"), "negation");
  EXPECT_EQ(Sequence(), before);
  EXPECT_EQ(Run({"conflicts", "candidates", "k4"}).code, 3);
}

TEST_F(ConflictsCommand, AFileOfVerdictsIsOneChange) {
  ASSERT_EQ(Run({"link", "k2", "contradicts", "k3"}).code, 0);
  const std::uint64_t before = Sequence();
  const std::string good = R"({"a":"k1","b":"k2","verdict":"keep_both","note":"both"})"
                           "\n\n"
                           R"({"a":"k3","b":"k2","verdict":"supersede","goes":"k2"}
)";
  const auto refused = [&](const std::string& lines, const std::string& why, int code = 2) {
    EXPECT_TRUE(
        Ends(Run({"conflicts", "resolve", "--from", "-", "--json"}, {.input = lines}), code, why))
        << lines;
    EXPECT_EQ(Sequence(), before);
  };
  refused(good + "{\"a\":1}\n", "standard input:4: 'a' is no text");
  refused(good + "[]\n", "standard input:4: it is no JSON object");
  refused(good + R"({"a":"k1","b":"k3","verdict":"maybe"})", "'maybe' is no verdict");
  refused(good + R"({"a":"k1","b":"k3","verdict":"drop","goes":"k3"})", "no open conflict", 3);
  refused(good + R"({"a":"k1","b":"k1","verdict":"agrees"})", "contradict itself");
  refused(good + R"({"a":"k1","b":"nobody","verdict":"agrees"})", "nobody", 3);
  const Finished run = Run({"conflicts", "resolve", "--from", "-", "--json"}, {.input = good});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.Json().at("verdicts"), 2);
  EXPECT_EQ(Sequence(), before + 1);
  EXPECT_EQ(Open(), 0u);
}

TEST_F(ConflictsCommand, APurgedSideIsSaid) {
  ASSERT_EQ(Run({"purge", "k2"}).code, 0);
  const std::uint64_t before = Sequence();
  EXPECT_TRUE(Ends(Run({"conflicts", "resolve", "k1", "k2", "--drop", "k2"}), 3, "was purged"));
  EXPECT_EQ(Sequence(), before);
}

TEST_F(ConflictsCommand, TimeThatRanOutIsSaid) {
  EXPECT_FALSE(Json({"conflicts", "list"}).at("truncated").as_bool());
  const object list = Json({"conflicts", "list", "--max-seconds", "0"});
  EXPECT_TRUE(list.at("truncated").as_bool());
  EXPECT_TRUE(list.at("conflicts").as_array().empty());
  ASSERT_EQ(Run({"link", "k3", "supersedes", "k2"}).code, 0);
  const object chain = Json({"conflicts", "chain", "k2", "--max-seconds", "0"});
  EXPECT_TRUE(chain.at("truncated").as_bool());
  EXPECT_EQ(chain.at("head"), "k3");
  EXPECT_FALSE(Json({"conflicts", "chain", "k2", "--max-seconds", "60"}).at("truncated").as_bool());
}

TEST_F(ConflictsCommand, WrongUsage) {
  EXPECT_EQ(Run({"conflicts", "resolve"}).code, 2);
  EXPECT_EQ(Run({"conflicts", "resolve", "k1", "k2"}).code, 2);
  EXPECT_EQ(Run({"conflicts", "resolve", "k1", "k2", "--keep-both", "--drop", "k1"}).code, 2);
  EXPECT_EQ(Run({"conflicts", "resolve", "k1", "k2", "--verdict", "maybe"}).code, 2);
  EXPECT_EQ(Run({"conflicts", "resolve", "k1", "k2", "--keep-both", "--from", "-"}).code, 2);
  EXPECT_EQ(Run({"conflicts", "candidates", "k1", "--top", "0"}).code, 2);
  EXPECT_EQ(Run({"conflicts", "duplicates", "--least", "0"}).code, 2);
  EXPECT_EQ(Run({"conflicts", "list", "nobody"}).code, 3);
  const Finished table = Run({"conflicts", "list"});
  EXPECT_TRUE(Says(table.out, "Gateway remembers keys for 24 hours"));
}

// What people are shown can be typed.
TEST_F(ConflictsCommand, ChoicesAreCommands) {
  const Finished table = Run({"conflicts", "list"});
  ASSERT_EQ(table.code, 0) << table.err;
  const std::string begin = "  plexus conflicts resolve --db " + Db() + " --";
  for (const std::string choice : {"supersede=k1 k1 k2\n", "drop=k2 k1 k2\n", "keep-both k1 k2\n"})
    EXPECT_TRUE(Says(table.out, begin + choice));
  EXPECT_EQ(Run({"conflicts", "resolve", "--supersede=k1", "k1", "k2"}).code, 0);
  const Finished none = Run({"conflicts", "list"});
  EXPECT_FALSE(Says(none.out, "resolve"));
}

}  // namespace
}  // namespace plexus::testing
