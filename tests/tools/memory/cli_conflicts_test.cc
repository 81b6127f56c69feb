// conflicts as a user runs it: MEMORY.md's checks R2 to R4, files of verdicts, what is refused.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

constexpr const char* kTyped =
    R"({"node":"k1","kind":"memory","text":"Gateway remembers keys for 24 hours","tags":["gateway"]}
{"node":"k2","kind":"memory","text":"Gateway remembers keys for 48 hours","tags":["gateway"]}
)"
    R"({"node":"k3","kind":"memory","text":"Measured: gateway remembers keys for 36 hours",)"
    R"("tags":["gateway"]}
{"node":"o1","kind":"memory","text":"Incident of third March","tags":["incident"]}
{"edge":["k1","k2"],"kind":"contradicts","weight":0.8}
{"edge":["o1","k1"],"kind":"supports","weight":0.7}
{"edge":["k1","o1"],"kind":"causes","weight":0.5}
)";

class ConflictsCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const Finished run = Plexus(
        {"import", "--db", Db(), "--format", "jsonl", "--terms", "-", "--now", "1700000000000"},
        {.input = kTyped});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  std::string Db() const { return dir_ / "g"; }
  Finished Run(std::vector<std::string> arguments, const std::string& input = "") const {
    arguments.insert(arguments.end(), {"--db", Db(), "--now", "1700000100000", "--json"});
    return Plexus(arguments, {.input = input});
  }
  object Ask(std::vector<std::string> arguments) const {
    const Finished run = Run(std::move(arguments));
    EXPECT_EQ(run.code, 0) << run.err;
    return run.Json();
  }
  std::size_t Open(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"conflicts", "list"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Ask(arguments).at("conflicts").as_array().size();
  }
  std::uint64_t Sequence() const {
    return Ask({"stats"}).at("sequence").to_number<std::uint64_t>();
  }
  static std::string Keys(const array& list, const char* member = "key") {
    std::string keys;
    for (const auto& element : list)
      keys += (keys.empty() ? "" : " ") + std::string(element.as_object().at(member).as_string());
    return keys;
  }

  TempDir dir_;
};

TEST_F(ConflictsCommand, R2TheQueueShowsBothSides) {
  const object reply = Ask({"conflicts", "list"});
  ASSERT_EQ(reply.at("conflicts").as_array().size(), 1u);
  const object conflict = reply.at("conflicts").as_array()[0].as_object();
  EXPECT_EQ(conflict.at("a").as_string(), "k1");
  EXPECT_EQ(conflict.at("b").as_string(), "k2");
  EXPECT_EQ(conflict.at("text_a").as_string(), "Gateway remembers keys for 24 hours");
  EXPECT_EQ(conflict.at("text_b").as_string(), "Gateway remembers keys for 48 hours");
  EXPECT_EQ(conflict.at("since").to_number<std::int64_t>(), 1'700'000'000'000);
  EXPECT_EQ(Ask({"conflicts"}), reply);
  ASSERT_EQ(Run({"link", "k3", "supersedes", "k2"}).code, 0);
  EXPECT_EQ(Open(), 0u);
  EXPECT_EQ(Keys(Ask({"conflicts", "duplicates"}).at("pairs").as_array()), "k1");  // R4
  const object chain = Ask({"conflicts", "chain", "k2"});
  EXPECT_EQ(chain.at("head").as_string(), "k3");
  EXPECT_EQ(chain.at("replaced_by").as_array()[0].as_object().at("created_at").as_int64(),
            1'700'000'100'000);
}

TEST_F(ConflictsCommand, R3KeepBoth) {
  const std::uint64_t before = Sequence();
  EXPECT_EQ(Open(), 1u);
  const object dry = Ask({"conflicts", "resolve", "k1", "k2", "--keep-both", "--dry-run"});
  EXPECT_EQ(Sequence(), before);
  EXPECT_EQ(dry.at("ended").to_number<int>(), 1);
  Ask({"conflicts", "resolve", "k1", "k2", "--keep-both", "--note", "both were measured"});
  EXPECT_EQ(Sequence(), before + 1);
  EXPECT_EQ(Open(), 0u);
  EXPECT_EQ(Open({"--as-of", std::to_string(before)}), 1u);
  const std::string found =
      boost::json::serialize(Ask({"search", "gateway keys"}).at("results").as_array());
  EXPECT_NE(found.find("k1"), std::string::npos);
  EXPECT_NE(found.find("k2"), std::string::npos);
  const Finished edges = Plexus({"export", "--db", Db(), "--format", "jsonl"});
  EXPECT_NE(edges.out.find("keep_both"), std::string::npos) << edges.out;
  EXPECT_NE(edges.out.find("\"valid_until\":1700000100000"), std::string::npos);
}

TEST_F(ConflictsCommand, R3Supersede) {
  Ask({"conflicts", "resolve", "k1", "k2", "--supersede", "k1"});
  EXPECT_EQ(Open(), 0u);
  const object chain = Ask({"conflicts", "chain", "k1"});
  EXPECT_EQ(chain.at("head").as_string(), "k2");
  EXPECT_EQ(Run({"conflicts", "resolve", "k1", "k2", "--keep-both"}).code, 3);
}

TEST_F(ConflictsCommand, R3Drop) {
  Ask({"conflicts", "resolve", "k1", "k2", "--drop", "k2"});
  EXPECT_EQ(Open(), 0u);
  EXPECT_EQ(Run({"get", "k2"}).code, 3);
}

TEST_F(ConflictsCommand, R4Candidates) {
  const std::uint64_t before = Sequence();
  const array list = Ask({"conflicts", "candidates", "k3"}).at("candidates").as_array();
  EXPECT_EQ(Keys(list), "k1 k2");
  for (const auto& candidate : list) {
    EXPECT_NEAR(candidate.as_object().at("score").as_double(), 4.551196133, 1e-9);
    EXPECT_EQ(candidate.as_object().at("evidence").as_array()[0].as_object().at("kind").as_string(),
              "numbers");
  }
  EXPECT_EQ(Sequence(), before);
  // Of one that is not written yet.
  const std::string file = dir_.File(
      "new.jsonl",
      R"({"node":"k4","kind":"memory","text":"Gateway never remembers keys","tags":["gateway"]})"
      "\n");
  const array proposed =
      Ask({"conflicts", "candidates", "k4", "--proposal", file}).at("candidates").as_array();
  ASSERT_EQ(Keys(proposed), "k1 k2 k3");
  EXPECT_EQ(proposed[0].as_object().at("evidence").as_array()[0].as_object().at("kind").as_string(),
            "negation");
  EXPECT_EQ(Sequence(), before);
  EXPECT_EQ(Run({"conflicts", "candidates", "k4"}).code, 3);
}

TEST_F(ConflictsCommand, AFileOfVerdictsIsOneChange) {
  ASSERT_EQ(Run({"link", "k2", "contradicts", "k3"}).code, 0);
  const std::uint64_t before = Sequence();
  const std::string good = R"({"a":"k1","b":"k2","verdict":"keep_both","note":"both"})"
                           "\n\n"
                           R"({"a":"k3","b":"k2","verdict":"supersede","goes":"k2"})"
                           "\n";
  const auto refused = [&](const std::string& lines, const std::string& why, int code = 2) {
    const Finished run = Run({"conflicts", "resolve", "--from", "-"}, lines);
    EXPECT_EQ(run.code, code) << lines;
    EXPECT_NE(run.err.find(why), std::string::npos) << run.err;
    EXPECT_EQ(Sequence(), before);
  };
  refused(good + "{\"a\":1}\n", "standard input:4: 'a' is no text");
  refused(good + "[]\n", "standard input:4: it is no JSON object");
  refused(good + R"({"a":"k1","b":"k3","verdict":"maybe"})", "'maybe' is no verdict");
  refused(good + R"({"a":"k1","b":"k3","verdict":"drop","goes":"k3"})", "no open conflict", 3);
  refused(good + R"({"a":"k1","b":"k1","verdict":"agrees"})", "contradict itself");
  refused(good + R"({"a":"k1","b":"nobody","verdict":"agrees"})", "nobody", 3);
  const Finished run = Run({"conflicts", "resolve", "--from", "-"}, good);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.Json().at("verdicts").to_number<int>(), 2);
  EXPECT_EQ(Sequence(), before + 1);
  EXPECT_EQ(Open(), 0u);
}

TEST_F(ConflictsCommand, APurgedSideIsSaid) {
  ASSERT_EQ(Run({"purge", "k2"}).code, 0);
  const std::uint64_t before = Sequence();
  const Finished run = Run({"conflicts", "resolve", "k1", "k2", "--drop", "k2"});
  EXPECT_EQ(run.code, 3);
  EXPECT_NE(run.err.find("was purged"), std::string::npos) << run.err;
  EXPECT_EQ(Sequence(), before);
}

TEST_F(ConflictsCommand, TimeThatRanOutIsSaid) {
  EXPECT_FALSE(Ask({"conflicts", "list"}).at("truncated").as_bool());
  const object list = Ask({"conflicts", "list", "--max-seconds", "0"});
  EXPECT_TRUE(list.at("truncated").as_bool());
  EXPECT_TRUE(list.at("conflicts").as_array().empty());
  ASSERT_EQ(Run({"link", "k3", "supersedes", "k2"}).code, 0);
  const object chain = Ask({"conflicts", "chain", "k2", "--max-seconds", "0"});
  EXPECT_TRUE(chain.at("truncated").as_bool());
  EXPECT_EQ(chain.at("head").as_string(), "k3");
  EXPECT_FALSE(Ask({"conflicts", "chain", "k2", "--max-seconds", "60"}).at("truncated").as_bool());
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
  const Finished table = Plexus({"conflicts", "list", "--db", Db()});
  EXPECT_NE(table.out.find("Gateway remembers keys for 24 hours"), std::string::npos) << table.out;
}

// What people are shown can be typed.
TEST_F(ConflictsCommand, ChoicesAreCommands) {
  const Finished table = Plexus({"conflicts", "list", "--db", Db(), "--now", "1700000100000"});
  ASSERT_EQ(table.code, 0) << table.err;
  const std::string begin = "  plexus conflicts resolve --db " + Db() + " --";
  for (const std::string choice : {"supersede=k1 k1 k2\n", "drop=k2 k1 k2\n", "keep-both k1 k2\n"})
    EXPECT_NE(table.out.find(begin + choice), std::string::npos) << table.out;
  EXPECT_EQ(Run({"conflicts", "resolve", "--supersede=k1", "k1", "k2"}).code, 0);
  const Finished none = Plexus({"conflicts", "list", "--db", Db(), "--now", "1700000100000"});
  EXPECT_EQ(none.out.find("resolve"), std::string::npos) << none.out;
}

}  // namespace
}  // namespace plexus::testing
