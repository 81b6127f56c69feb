// The first minute: remember, correct, and questions in words of one's own.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/tools/seeds/seed_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

class FirstMinute : public SeedGraph {
 protected:
  std::string First(const std::string& words) const {
    const object reply = Ask({"recall", words});
    const array& hits = reply.at("hits").as_array();
    return hits.empty() ? "" : std::string(hits[0].at("key").as_string());
  }
};

TEST_F(FirstMinute, ATextIsEnough) {
  const object made = Ask({"remember", "Deploys run every night from the Caf\u00e9 branch.",
                           "--tags", "deploy,ops", "--source", "handbook", "--time", "2023-11-01"});
  EXPECT_EQ(made.at("key").as_string(), "deploys-run-every-night-from-the-cafe-branch");
  EXPECT_EQ(made.at("known").as_bool(), false);
  EXPECT_EQ(made.at("nodes").at("new").to_number<int>(), 1);
  const std::string key(made.at("key").as_string());
  for (const char* words : {"deploy", "nightly deploys", "cafe", "branches"})
    EXPECT_EQ(First(words), key) << words;
  const object node = Ask({"get", key});
  EXPECT_EQ(node.at("kind").as_string(), "memory");
  EXPECT_EQ(node.at("props").at("source").as_string(), "handbook");
  EXPECT_EQ(node.at("created_at").to_number<std::int64_t>(), 1'698'796'800'000);
  // The same again is known, and nothing moves.
  const object again = Ask({"remember", "Deploys run every night from the Caf\u00e9 branch."});
  EXPECT_EQ(again.at("known").as_bool(), true);
  EXPECT_EQ(again.at("sequence"), made.at("sequence"));
  // Other words that begin alike have a key of their own.
  const object other = Ask({"remember", "Deploys run every night from the caf\u00e9 branch!"});
  EXPECT_EQ(other.at("key").as_string(), key + "-2");
  EXPECT_EQ(Keys(other, "near_duplicates"), Texts{key});
}

TEST_F(FirstMinute, ItSaysWhatItMayContradictAndRepeat) {
  Ask({"remember", "The gateway remembers keys for 24 hours.", "--key", "m1", "--tags", "gateway"});
  const object second =
      Ask({"remember", "The gateway remembers keys for 48 hours, as m1 says.", "--key", "m2",
           "--tags", "gateway"});
  ASSERT_EQ(Keys(second, "may_contradict"), Texts{"m1"});
  EXPECT_EQ(second.at("may_contradict").at(0).at("why").as_string(), "numbers: 48 against 24");
  const object third = Ask({"remember", "Payouts follow m1 since the audit.", "--key", "m3"});
  ASSERT_EQ(Keys(third, "suggested", "target"), Texts{"m1"});
  EXPECT_EQ(third.at("suggested").at(0).at("kind").as_string(), "relates_to");
  EXPECT_TRUE(Keys(third, "may_contradict").empty());
}

TEST_F(FirstMinute, ACorrectionSupersedes) {
  Ask({"remember", "Payouts run on Mondays.", "--key", "m1", "--tags", "payout"});
  const object reply =
      Ask({"correct", "m1", "Payouts run on Fridays.", "--reason", "new contract"});
  EXPECT_EQ(reply.at("supersedes").as_string(), "m1");
  const std::string key(reply.at("key").as_string());
  EXPECT_EQ(First("payout"), key);
  EXPECT_EQ(Ask({"get", key}).at("tags").as_array(), array({"payout"}));
  const Finished twice = Run({"correct", "m1", "Payouts run on Sundays."});
  EXPECT_EQ(twice.code, 1);
  EXPECT_NE(twice.out.find("superseded by '" + key + "'"), std::string::npos) << twice.out;
  const object old = Ask({"recall", "mondays", "--include-superseded"});
  EXPECT_EQ(old.at("hits").at(0).at("superseded_by").as_string(), key);
}

TEST_F(FirstMinute, WhatIsKnownStaysAsItIs) {
  Ask({"put", "d1", "--kind", "decision", "--text", "Use RocksDB.", "--props",
       R"({"stakes":"high","source":"call"})"});
  const object again = Ask({"remember", "Use RocksDB.", "--key", "d1", "--tags", "storage",
                            "--source", "handbook"});
  EXPECT_EQ(again.at("known").as_bool(), true);
  const object node = Ask({"get", "d1"});
  EXPECT_EQ(node.at("kind").as_string(), "decision");
  EXPECT_EQ(node.at("props").at("stakes").as_string(), "high");
  EXPECT_EQ(node.at("props").at("source").as_string(), "handbook");
  Ask({"remember", "Use RocksDB.", "--key", "d1", "--kind", "note"});
  EXPECT_EQ(Ask({"get", "d1"}).at("kind").as_string(), "note");
}

TEST_F(FirstMinute, AFactThatTurnsBack) {
  const std::string monday = "Payouts run on Mondays.", friday = "Payouts run on Fridays.";
  const object first = Ask({"remember", monday});
  const object second = Ask({"correct", "payouts-run-on-mondays", friday});
  const Finished given = Run({"remember", monday, "--key", "payouts-run-on-mondays"});
  EXPECT_NE(given.code, 0);
  EXPECT_NE(given.out.find("--key"), std::string::npos) << given.out;
  const object third = Ask({"correct", "payouts-run-on-fridays", monday});
  EXPECT_EQ(third.at("key").as_string(), "payouts-run-on-mondays-2");
  EXPECT_EQ(First("payouts"), "payouts-run-on-mondays-2");
  EXPECT_EQ(Ask({"remember", monday}).at("known").as_bool(), true);
  const Finished said = Run({"correct", "payouts-run-on-mondays-2", monday});
  EXPECT_NE(said.out.find("--key"), std::string::npos) << said.out;
  // Of another time: the same again is known as well.
  const std::vector<std::string> past = {"remember",     "Payouts paused.", "--valid-from",
                                         "2023-01-01",   "--valid-until",   "2023-02-01"};
  EXPECT_EQ(Ask(past).at("known").as_bool(), false);
  EXPECT_EQ(Ask(past).at("known").as_bool(), true);
  EXPECT_EQ(Ask({"remember", "Payouts paused."}).at("known").as_bool(), false);
}

TEST_F(FirstMinute, EqualBeginningsHaveADigest) {
  const std::string begin = "The quarterly report on payouts of all merchants in ";
  std::vector<std::string> keys;
  for (const char* city : {"Bonn", "Cork", "Oslo", "Rome"})
    keys.emplace_back(Ask({"remember", begin + city}).at("key").as_string());
  EXPECT_EQ(keys[1], keys[0] + "-2");
  EXPECT_EQ(keys[2].size(), keys[0].size() + 9);
  EXPECT_NE(keys[2], keys[3]);
  EXPECT_EQ(Ask({"remember", begin + "Rome"}).at("key").as_string(), keys[3]);
  EXPECT_EQ(Ask({"remember", begin + "Rome"}).at("known").as_bool(), true);
}

TEST_F(FirstMinute, ASlipIsFoundBeforeTheWrite) {
  Ask({"remember", "Alpha."});
  const auto before = Ask({"stats"}).at("sequence");
  EXPECT_EQ(Run({"remember", "Beta.", "--node-columns", "a..b"}).code, 2);
  EXPECT_EQ(Ask({"stats"}).at("sequence"), before);
}

TEST_F(FirstMinute, AFirstTextWithoutWords) {
  Ask({"remember", "?!"});
  Ask({"remember", "Deploys run every night."});
  EXPECT_EQ(First("deploys"), "deploys-run-every-night");
  EXPECT_EQ(Ask({"terms", "--dry-run"}).at("changed").to_number<int>(), 0);
}

TEST_F(FirstMinute, MoreSuggestionsThanAreListed) {
  Ask({"remember", "Stripe pays out.", "--key", "m1"});
  Ask({"remember", "Adyen collects.", "--key", "m2"});
  const object reply = Ask({"remember", "Since the audit m1 and m2 differ.", "--top", "1"});
  EXPECT_EQ(reply.at("suggested").as_array().size(), 1u);
  EXPECT_EQ(reply.at("truncated").as_bool(), true);
}

TEST_F(FirstMinute, RelationsAndTimes) {
  Ask({"remember", "Stripe pays out.", "--key", "m1"});
  Ask({"remember", "Measured: Stripe pays daily.", "--key", "m2", "--relate", "supports=m1",
       "--relate", "caused_by=m1", "--valid-from", "2023-01-01", "--valid-until", "2023-02-01"});
  const object around = Ask({"neighbors", "m1", "--direction", "both"});
  EXPECT_EQ(Keys(around, "neighbors", "kind"), (Texts{"causes", "supports"}));
  EXPECT_EQ(First("measured"), "");  // no more valid
  EXPECT_EQ(Run({"remember", "x y", "--relate", "supports=nosuch"}).code, 3);
  EXPECT_EQ(Run({"remember", "x y", "--relate", "supports"}).code, 2);
  EXPECT_EQ(Run({"remember", "x y", "--valid-from", "2023-02-01", "--valid-until", "2023-01-01"})
                .code,
            2);
  const Finished taken = Run({"remember", "another text", "--key", "m1"});
  EXPECT_NE(taken.code, 0);
  EXPECT_NE(taken.out.find("correct"), std::string::npos);
  const auto before = Ask({"stats"}).at("sequence");
  const object dry = Ask({"remember", "Adyen pays out.", "--dry-run"});
  EXPECT_EQ(dry.at("key").as_string(), "adyen-pays-out");
  EXPECT_EQ(Ask({"stats"}).at("sequence"), before);
}

TEST_F(FirstMinute, VectorsOfEmbedComeWithTheText) {
  Ask({"remember", "Payouts run on Mondays.", "--key", "m1"});
  Ask({"remember", "The broker is RabbitMQ.", "--key", "m2"});
  ASSERT_EQ(Run({"embed"}).code, 0);
  const object made = Ask({"remember", "Payouts run on Fridays.", "--key", "m3"});
  EXPECT_EQ(made.at("vectors").to_number<int>(), 1);
  const object like = Ask({"rerank", "--like", "m3", "--space", "text", "--k", "2"});
  EXPECT_EQ(like.at("results").at(0).at("key").as_string(), "m1");
}

// Twenty-five questions over thirty facts, in words that the facts do not always have.
struct Asked {
  int first = 0, third = 0, questions = 0;
};
Asked Measure(const std::string& db) {
  std::ifstream in(PLEXUS_FIRST_MINUTE);
  Asked asked;
  for (std::string line; std::getline(in, line);) {
    const object record = boost::json::parse(line).as_object();
    if (!record.contains("question")) continue;
    const Finished run = Plexus({"recall", "--db", db, "--json",
                                 std::string(record.at("question").as_string())});
    ++asked.questions;
    if (run.code != 0) continue;
    const object reply = run.Json();
    const array& hits = reply.at("hits").as_array();
    for (std::size_t i = 0; i < hits.size() && i < 3; ++i)
      if (hits[i].at("key") == record.at("evidence").at(0)) {
        asked.first += i == 0;
        ++asked.third;
      }
  }
  return asked;
}

TEST_F(FirstMinute, TheRightFactComesFirst) {
  std::ifstream in(PLEXUS_FIRST_MINUTE);
  std::string lines;
  for (std::string line; std::getline(in, line);) {
    const object record = boost::json::parse(line).as_object();
    if (const auto* key = record.if_contains("passage"))
      lines += R"({"node":")" + std::string(key->as_string()) + R"(","kind":"memory","text":")" +
               std::string(record.at("text").as_string()) + "\"}\n";
  }
  Ask({"import", "--format", "jsonl", "-"}, lines);
  const Asked now = Measure(Db());
  ASSERT_EQ(now.questions, 25);
  ASSERT_EQ(Run({"terms", "--stem", "none", "--keys", "none"}).code, 0);
  const Asked words = Measure(Db());
  RecordProperty("first", now.first);
  RecordProperty("first_without_stems", words.first);
  EXPECT_GE(now.first, 23);
  EXPECT_GE(now.third, 24);
  EXPECT_GT(now.first, words.first + 3);
}

// The first text of a scope is found, too, where the graph has an index.
TEST_F(FirstMinute, ASessionOfAScope) {
  Ask({"remember", "Alpha owns the ledger."});
  const Finished shell =
      Plexus({"shell", "--db", Db(), "--scope", "beta"},
             {.input = "remember \"Beta owns the brokers.\"\nrecall broker\nrecall ledger\n"});
  EXPECT_EQ(shell.code, 0) << shell.err;
  EXPECT_NE(shell.out.find("  Beta owns the brokers."), std::string::npos) << shell.out;
  EXPECT_EQ(shell.out.find("alpha"), std::string::npos);
  EXPECT_EQ(First("brokers").rfind("beta-owns-the-brokers-", 0), 0u);
  // What another scope remembers is no matter, and not to be seen.
  const Finished same = Plexus({"shell", "--db", Db(), "--scope", "beta"},
                               {.input = "remember \"Alpha owns the ledger.\"\n"
                                         "remember \"Alpha owns the ledger.\"\n"});
  EXPECT_EQ(same.code, 0) << same.err << same.out;
  EXPECT_NE(same.out.find("remembered as alpha-owns-the-ledger-"), std::string::npos) << same.out;
  EXPECT_NE(same.out.find("known as alpha-owns-the-ledger-"), std::string::npos) << same.out;
}

// An export's own terms come at its end, however small it is packed.
TEST_F(FirstMinute, APackedExportKeepsItsIndex) {
  std::string lines, text;
  while (text.size() < 900'000) text += "leopards running ";
  for (const char* key : {"a", "b", "c", "d", "e", "f"})
    lines += R"({"node":")" + std::string(key) + R"(","text":")" + text + "\"}\n";
  Ask({"import", "--no-terms", "--format", "jsonl", "-"}, lines);
  Ask({"terms", "--stem", "none"});
  const std::string file = dir_ / "e.jsonl";
  ASSERT_EQ(Run({"export", "--format", "jsonl", "--output", file}).code, 0);
  ASSERT_EQ(std::system(("gzip " + file).c_str()), 0);
  const std::string copy = dir_ / "copy";
  ASSERT_EQ(Plexus({"import", "--db", copy, file + ".gz"}).code, 0);
  const object dry = Plexus({"terms", "--db", copy, "--dry-run", "--json"}).Json();
  EXPECT_EQ(dry.at("changed").to_number<int>(), 0);
}

TEST_F(FirstMinute, AnImportIndexesItsTexts) {
  const std::string line = "{\"node\":\"payment-gateway\",\"text\":\"It forwards cards.\"}\n";
  const object reply = Ask({"import", "--format", "jsonl", "-"}, line);
  EXPECT_EQ(reply.at("terms").at("texts").to_number<int>(), 1);
  EXPECT_EQ(First("gateways"), "payment-gateway");
  const TempDir other;
  const Finished plain = Plexus({"import", "--db", other / "g", "--no-terms", "--json", "--format",
                                 "jsonl", "-"},
                                {.input = line});
  EXPECT_FALSE(plain.Json().contains("terms"));
  EXPECT_EQ(Plexus({"recall", "--db", other / "g", "gateways"}).code, 1);
  // A graph with texts and no index gets none by the way.
  const Finished more = Plexus({"import", "--db", other / "g", "--json", "--format", "jsonl", "-"},
                               {.input = "{\"node\":\"b\",\"text\":\"more\"}\n"});
  EXPECT_FALSE(more.Json().contains("terms"));
}

}  // namespace
}  // namespace plexus::testing
