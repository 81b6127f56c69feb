// recall as a user runs it: MEMORY.md's checks R1 and R2, weights, keys, the use, what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;
using Words = std::vector<std::string>;

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
// Three days after the import.
constexpr const char* kLater = "1700259200000";

class RecallCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const Finished run = Plexus(
        {"import", "--db", Db(), "--format", "jsonl", "--terms", "-", "--now", "1700000000000"},
        {.input = kTyped});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  std::string Db() const { return dir_ / "g"; }
  Finished Run(Words words, const std::string& input = "") const {
    words.insert(words.end(), {"--db", Db(), "--json"});
    if (std::ranges::find(words, "--now") == words.end())
      words.insert(words.end(), {"--now", kLater});
    return Plexus(words, {.input = input});
  }
  object Ask(Words words, const std::string& input = "") const {
    const Finished run = Run(std::move(words), input);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.Json();
  }
  std::int64_t Sequence() const { return Ask({"stats"}).at("sequence").to_number<std::int64_t>(); }
  void ExpectRefused(const Words& words, int code, const std::string& part) const {
    const std::int64_t before = Sequence();
    const Finished run = Run(words);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
    EXPECT_EQ(Sequence(), before);
  }
  static std::string Keys(const boost::json::value& list, const char* member = "key") {
    std::string keys;
    for (const auto& element : list.as_array())
      keys += (keys.empty() ? "" : " ") + std::string(element.at(member).as_string());
    return keys;
  }
  static std::map<std::string, double> Terms(const boost::json::value& hit) {
    std::map<std::string, double> terms;
    for (const auto& term : hit.at("terms").as_array())
      terms[std::string(term.at("name").as_string())] = term.at("value").to_number<double>();
    return terms;
  }

  TempDir dir_;
};

TEST_F(RecallCommand, R1HitsRelationsAndConflicts) {
  const object reply = Ask({"recall", "gateway keys"});
  const array& hits = reply.at("hits").as_array();
  ASSERT_EQ(Keys(hits), "k1 k2 k3");
  const double scores[] = {0.698314410, 0.698314410, 0.644017825};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(hits[i].at("score").to_number<double>(), scores[i], 1e-9);
  const boost::json::value& related = hits[0].at("related");
  EXPECT_EQ(Keys(related), "k2 o1 o1");
  EXPECT_EQ(Keys(related, "relation"), "contradicts causes supports");
  EXPECT_EQ(Keys(related, "direction"), "both out in");
  EXPECT_EQ(Keys(related, "text"), "k1 contradicts k2 k1 causes o1 o1 supports k1");
  for (const auto& relation : related.as_array()) EXPECT_EQ(relation.at("hop"), 1);
  ASSERT_EQ(reply.at("conflicts").as_array().size(), 1u);
  EXPECT_EQ(reply.at("conflicts").at(0).at("a"), "k1");
  EXPECT_EQ(reply.at("conflicts").at(0).at("b"), "k2");
  EXPECT_EQ(hits[0].at("contradicted_by"), (array{"k2"}));
  EXPECT_EQ(hits[1].at("contradicted_by"), (array{"k1"}));
  EXPECT_FALSE(hits[2].as_object().contains("contradicted_by"));
  EXPECT_EQ(hits[0].at("why"),
            "matches 2 of 2 words; written 3 days ago, never used; contradicted by k2");
  const auto terms = Terms(hits[0]);
  EXPECT_NEAR(terms.at("recency"), 0.9330329915, 1e-9);  // 2 ^ -(3 / 30)
  EXPECT_EQ(terms.at("salience"), 0.5);
  EXPECT_EQ(terms.at("frequency"), 0);
  EXPECT_FALSE(terms.contains("scope"));
  EXPECT_GT(terms.at("text"), Terms(hits[2]).at("text"));
  const object none = Ask({"recall", "gateway keys", "--hops", "0"});
  for (const auto& hit : none.at("hits").as_array())
    EXPECT_TRUE(hit.at("related").as_array().empty());
}

TEST_F(RecallCommand, R2SupersededAreHiddenUnlessAskedFor) {
  ASSERT_EQ(Run({"link", "k3", "supersedes", "k2"}).code, 0);
  const object reply = Ask({"recall", "gateway keys"});
  EXPECT_EQ(Keys(reply.at("hits")), "k1 k3");
  EXPECT_TRUE(reply.at("conflicts").as_array().empty());
  const array& hits = reply.at("hits").as_array();
  EXPECT_EQ(Keys(hits[0].at("related")), "o1 o1");
  EXPECT_EQ(Keys(hits[1].at("related"), "text"), "k3 supersedes k2");
  // k1 says nearly what k2 said.
  EXPECT_EQ(Keys(hits[0].at("near_duplicate_of")), "k2");
  EXPECT_EQ(Keys(hits[0].at("near_duplicate_of"), "superseded_by"), "k3");
  EXPECT_FALSE(hits[1].as_object().contains("near_duplicate_of"));
  EXPECT_NE(std::string(hits[0].at("why").as_string())
                .find("says nearly what k2 said, which k3 superseded"),
            std::string::npos);
  const object all = Ask({"recall", "gateway keys", "--include-superseded"});
  EXPECT_EQ(Keys(all.at("hits")), "k1 k2 k3");
  EXPECT_EQ(all.at("hits").at(1).at("superseded_by"), "k3");
  EXPECT_TRUE(all.at("conflicts").as_array().empty());
  const object unflagged = Ask({"recall", "gateway keys", "--near-duplicate", "1.5"});
  EXPECT_FALSE(unflagged.at("hits").at(0).as_object().contains("near_duplicate_of"));
  // As it was before the link.
  EXPECT_EQ(
      Keys(Ask({"recall", "gateway keys", "--as-of", std::to_string(Sequence() - 1)}).at("hits")),
      "k1 k2 k3");
}

TEST_F(RecallCommand, ContradictedOnesAreLeftOutOnRequest) {
  const object reply = Ask({"recall", "gateway keys", "--exclude-contradicted"});
  EXPECT_EQ(Keys(reply.at("hits")), "k3");
  EXPECT_EQ(reply.at("excluded"), 2);
  EXPECT_EQ(reply.at("conflicts").as_array().size(), 1u);
  ASSERT_EQ(Run({"conflicts", "resolve", "k1", "k2", "--keep-both"}).code, 0);
  EXPECT_EQ(Keys(Ask({"recall", "gateway keys", "--exclude-contradicted"}).at("hits")), "k1 k2 k3");
}

TEST_F(RecallCommand, KeysAreAListToo) {
  const object near = Ask({"recall", "--from", "o1"});
  ASSERT_EQ(Keys(near.at("hits")), "k1 k2");
  EXPECT_NEAR(near.at("hits").at(0).at("score").to_number<double>(), 0.35, 1e-6);  // 0.7 * 0.5
  EXPECT_NEAR(near.at("hits").at(1).at("score").to_number<double>(), 0.14, 1e-6);  // * 0.8 * 0.5
  EXPECT_EQ(std::string(near.at("hits").at(1).at("why").as_string()).substr(0, 14),
            "2 hops from o1");
  EXPECT_EQ(Keys(Ask({"recall", "--from", "o1", "--from-hops", "1", "--decay", "1"}).at("hits")),
            "k1");
  EXPECT_EQ(Keys(Ask({"recall", "--from", "o1", "--kinds", "causes"}).at("hits")), "k1");
  // Ranks of both lists: k1 is first in both.
  const object both = Ask({"recall", "gateway keys", "--from", "o1"});
  EXPECT_EQ(Keys(both.at("hits")), "k1 k2 k3");
  EXPECT_NEAR(both.at("hits").at(0).at("score").to_number<double>(), 2.0 / 61, 1e-12);
  ExpectRefused({"recall", "--from", "nosuch"}, 3, "nosuch");
  ExpectRefused({"recall", "gateway", "--decay", "0.5"}, 2, "--from");
}

TEST_F(RecallCommand, WeightsMakeTheScore) {
  ASSERT_EQ(Run({"put", "k3", "--set", "accessed_at=1700259200000", "--set", "access_count=9",
                 "--tags", "fresh"})
                .code,
            0);
  const object reply = Ask({"recall", "gateway keys", "--weight", "text=0.5,recency=2,scope=1",
                            "--prefer-tags", "fresh"});
  const array& hits = reply.at("hits").as_array();
  ASSERT_EQ(Keys(hits), "k3 k1 k2");
  for (const auto& hit : hits) {
    double score = 0;
    for (const auto& term : hit.at("terms").as_array()) {
      const double value = term.at("value").to_number<double>();
      EXPECT_TRUE(value >= 0 && value <= 1);
      score += value * term.at("weight").to_number<double>();
    }
    EXPECT_DOUBLE_EQ(hit.at("score").to_number<double>(), score);
  }
  const auto terms = Terms(hits[0]);
  EXPECT_EQ(terms.at("recency"), 1);
  EXPECT_EQ(terms.at("scope"), 1);
  EXPECT_NEAR(terms.at("frequency"), 0.498921986, 1e-8);  // ln 10 / ln 101
  EXPECT_EQ(std::string(hits[0].at("why").as_string()),
            "matches 2 of 2 words; used just now, 9 times in all; of fresh");
  const object half =
      Ask({"recall", "gateway keys", "--weight", "recency=1", "--half-life", "3d", "--top", "2"});
  EXPECT_EQ(Keys(half.at("hits")), "k3 k1");
  EXPECT_NEAR(half.at("hits").at(1).at("score").to_number<double>(), 0.5, 1e-12);
}

TEST_F(RecallCommand, BadWeightsAndNamesAreRefused) {
  ExpectRefused({"recall", "gateway", "--weight", "txet=1"}, 2, "did you mean 'text'");
  ExpectRefused({"recall", "gateway", "--weight", "text"}, 2, "is not TERM=W");
  for (const char* bad : {"text=nan", "text=inf", "text=-1", "text=1e10", "text=", "text=x"})
    ExpectRefused({"recall", "gateway", "--weight", bad}, 2, "0 to 1e9");
  ExpectRefused({"recall", "gateway", "--weight", "text=1,text=2"}, 2, "second weight");
  ExpectRefused({"recall", "gateway", "--weight", "text=0"}, 2, "every weight is 0");
  ExpectRefused({"recall", "gateway", "--prefer-tags", "nosuch"}, 3, "nosuch");
  ExpectRefused({"recall", "gateway", "--salience", "nosuch"}, 3, "nosuch");
  ExpectRefused({"recall", "gateway", "--hops", "9"}, 2, "--hops");
  ExpectRefused({"recall", "gateway", "--related", "0"}, 2, "--related");
  ExpectRefused({"recall", "gateway", "--half-life", "0d"}, 2, "0d");
  ExpectRefused({"recall", "gateway", "--reinforce", "2"}, 2, "--reinforce");
  ExpectRefused({"recall"}, 2, "recall what?");
}

TEST_F(RecallCommand, AUseIsWrittenWhenAsked) {
  const std::int64_t before = Sequence();
  ASSERT_EQ(Run({"link", "k2", "relates_to", "k3", "--weight", "0.5"}).code, 0);
  const object plain = Ask({"recall", "gateway keys"});
  EXPECT_EQ(plain.at("use"), (object{{"memories", 3}, {"edges", 1}, {"committed", false}}));
  EXPECT_FALSE(plain.contains("sequence"));
  const object dry = Ask({"recall", "gateway keys", "--commit", "--dry-run"});
  EXPECT_EQ(dry.at("use"), plain.at("use"));
  EXPECT_EQ(Sequence(), before + 1);
  const object kept = Ask({"recall", "gateway keys", "--commit"});
  EXPECT_EQ(kept.at("use"), (object{{"memories", 3}, {"edges", 1}, {"committed", true}}));
  EXPECT_EQ(kept.at("sequence").to_number<std::int64_t>(), before + 2);
  EXPECT_EQ(kept.at("hits"), plain.at("hits"));
  const object again = Ask({"recall", "gateway keys", "--commit", "--record", "--reinforce", "0"});
  EXPECT_EQ(Sequence(), before + 3);  // the event and the use are one batch
  EXPECT_EQ(again.at("compositionWriteStatus"), "persisted");
  EXPECT_EQ(std::string(again.at("hits").at(0).at("why").as_string()),
            "matches 2 of 2 words; used just now, 1 time in all; contradicted by k2");
  const object k1 = Ask({"get", "k1"});
  EXPECT_EQ(k1.at("access_count"), 2);
  EXPECT_EQ(k1.at("accessed_at").to_number<std::int64_t>(), 1700259200000);
  EXPECT_EQ(Ask({"recall", "zeppelin", "--commit"}).at("use").at("committed"), false);
  EXPECT_EQ(Sequence(), before + 3);
  // A batch that cannot be applied: nothing of it is, and the reason is given.
  ASSERT_EQ(Run({"put", "k1", "--set", "access_count=9223372036854775807"}).code, 0);
  ExpectRefused({"recall", "gateway keys", "--commit", "--record"}, 2, "nothing was written");
  ExpectRefused({"recall", "gateway", "--record", "--max-nodes", "1"}, 1, "cut short by its lim");
  ExpectRefused({"recall", "gateway keys", "--commit", "--as-of", "1"}, 2, "as-of");
}

TEST_F(RecallCommand, PeopleSeeWhyAndWhatRelates) {
  const Finished run = Plexus({"recall", "gateway keys", "--db", Db(), "--now", kLater});
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* part : {"matches 2 of 2 words", "--supported_by--> o1", "contradicted by k2"})
    EXPECT_NE(run.out.find(part), std::string::npos) << run.out;
}

// The reply is written before the graph is closed: what it reads from there is in it.
TEST(RecallCommit, KeepsTheTextsOfItsReply) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(
      Plexus({"put", "m1", "--kind", "memory", "--text", "tea is hot\nand green", "--db", db}).code,
      0);
  ASSERT_EQ(Plexus({"terms", "--db", db}).code, 0);
  const Finished run = Plexus({"recall", "tea", "--commit", "--db", db, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.Json().at("hits").at(0).at("text"), "tea is hot\nand green");
}

// "text" is the whole text wherever a reply has it; --max-chars cuts it and says so.
TEST(Texts, AreWholeOrMarked) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(
      Plexus({"put", "m1", "--kind", "memory", "--text", "one\ntwo t\xC3\xA9", "--db", db}).code,
      0);
  ASSERT_EQ(Plexus({"terms", "--db", db}).code, 0);
  for (const auto& [command, list] : {std::pair{"search", "results"}, std::pair{"find", "results"},
                                      std::pair{"recall", "hits"}}) {
    std::vector<std::string> words = {command, "two", "--db", db, "--json"};
    const auto hit = Plexus(words).Json().at(list).at(0).as_object();
    EXPECT_EQ(hit.at("text"), "one\ntwo t\xC3\xA9") << command;
    EXPECT_FALSE(hit.contains("text_cut"));
    words.insert(words.end(), {"--max-chars", "10"});
    const auto cut = Plexus(words).Json().at(list).at(0).as_object();
    EXPECT_EQ(cut.at("text"), "one\ntwo t\xC3\xA9") << command << ": ten characters";
    words.back() = "9";
    const auto shorter = Plexus(words).Json().at(list).at(0).as_object();
    EXPECT_EQ(shorter.at("text"), "one\ntwo t") << command;
    EXPECT_TRUE(shorter.at("text_cut").as_bool()) << command;
  }
  EXPECT_EQ(Plexus({"find", "two", "--db", db, "--json"}).Json().at("results").at(0).at("line"),
            "two t\xC3\xA9");
}

// In a table relations come below their hit, with the other end's text.
TEST_F(RecallCommand, RelationsStandBelowTheirHit) {
  const Finished table = Plexus({"recall", "gateway keys", "--db", Db(), "--top", "1"});
  ASSERT_EQ(table.code, 0) << table.err;
  const std::size_t hit = table.out.find("k1   Gateway");
  const std::size_t first = table.out.find("    --contradicts-- k2  Gateway remembers");
  EXPECT_LT(hit, first) << table.out;
  EXPECT_NE(table.out.find("    --causes--> o1  Incident of third March"), std::string::npos)
      << table.out;
  EXPECT_NE(table.out.find("    --supported_by--> o1  Incident of third March"), std::string::npos)
      << table.out;
}

}  // namespace
}  // namespace plexus::testing
