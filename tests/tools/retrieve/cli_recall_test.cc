// recall as a user runs it: MEMORY.md's checks R1 and R2, weights, keys, the use, what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"
#include "tests/tools/vault.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

class RecallCommand : public ProgramTest {
 protected:
  void SetUp() override {
    Import(kTyped, {"--terms", "--now", "1700000000000"});
    always_ = {"--now", "1700259200000"};  // three days after
  }
  static std::map<std::string, double> Terms(const boost::json::value& hit) {
    std::map<std::string, double> terms;
    for (const auto& term : hit.at("terms").as_array())
      terms[std::string(term.at("name").as_string())] = term.at("value").to_number<double>();
    return terms;
  }
};

// Of words without an option, from 100 texts on, the plan `recall`: it has R1's words and order,
// and beside them what an edge leads to from the best. What only lists have is answered by them.
TEST_F(RecallCommand, WordsAreAnsweredByThePlanRecall) {
  EXPECT_FALSE(Json({"recall", "gateway keys"}).contains("plan"));
  std::string more;
  for (int i = 4; i < 100; ++i)  // k1, k2, k3 and o1 make it 100
    more += R"({"node":"other)" + std::to_string(i) +
            R"(","kind":"memory","text":"nothing of it"})" + "\n";
  Import(more, {"--terms", "--now", "1700000000000"});
  const object reply = Json({"recall", "gateway keys"});
  EXPECT_EQ(reply.at("plan"), "recall");
  EXPECT_EQ(reply.at("hits"), Json({"recall", "gateway keys", "--plan", "recall"}).at("hits"));
  const array& hits = reply.at("hits").as_array();
  ASSERT_EQ(hits.size(), 4u);
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < hits.size(); ++i)
    place[std::string(hits[i].at("key").as_string())] = i;
  EXPECT_LT(place.at("k1"), place.at("k3"));
  EXPECT_LT(place.at("k2"), place.at("k3"));
  EXPECT_GT(hits[place.at("k1")].at("words").to_number<double>(), 0);
  EXPECT_EQ(hits[place.at("o1")].at("seed"), "k1");
  EXPECT_FALSE(hits[place.at("o1")].as_object().contains("words"));
  for (const Words& words :
       {Words{"--plan", "lists"}, {"--weight", "text=1"}, {"--top", "5000"}, {"--top", "0"}}) {
    const object lists = Json(With({"recall", "gateway keys"}, words));
    EXPECT_EQ(Each(lists.at("hits")), "k1, k2, k3");
    EXPECT_FALSE(lists.contains("plan"));
  }
  EXPECT_FALSE(Json({"recall", "--from", "o1"}).contains("plan"));
}

TEST_F(RecallCommand, R1HitsRelationsAndConflicts) {
  const object reply = Json({"recall", "gateway keys"});
  const array& hits = reply.at("hits").as_array();
  ASSERT_EQ(Each(hits), "k1, k2, k3");
  const double scores[] = {0.698314410, 0.698314410, 0.644017825};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(hits[i].at("score").to_number<double>(), scores[i], 1e-9);
  const boost::json::value& related = hits[0].at("related");
  EXPECT_EQ(Each(related), "k2, o1, o1");
  EXPECT_EQ(Each(related, "relation"), "contradicts, causes, supports");
  EXPECT_EQ(Each(related, "direction"), "both, out, in");
  EXPECT_EQ(Each(related, "text"), "k1 contradicts k2, k1 causes o1, o1 supports k1");
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
  EXPECT_GT(terms.at("words"), Terms(hits[2]).at("words"));
  const object none = Json({"recall", "gateway keys", "--hops", "0"});
  for (const auto& hit : none.at("hits").as_array())
    EXPECT_TRUE(hit.at("related").as_array().empty());
}

TEST_F(RecallCommand, R2SupersededAreHiddenUnlessAskedFor) {
  ASSERT_EQ(Run({"link", "k3", "supersedes", "k2"}).code, 0);
  const object reply = Json({"recall", "gateway keys"});
  EXPECT_EQ(Each(reply.at("hits")), "k1, k3");
  EXPECT_TRUE(reply.at("conflicts").as_array().empty());
  const array& hits = reply.at("hits").as_array();
  EXPECT_EQ(Each(hits[0].at("related")), "o1, o1");
  EXPECT_EQ(Each(hits[1].at("related"), "text"), "k3 supersedes k2");
  // k1 says nearly what k2 said.
  EXPECT_EQ(Each(hits[0].at("near_duplicate_of")), "k2");
  EXPECT_EQ(Each(hits[0].at("near_duplicate_of"), "superseded_by"), "k3");
  EXPECT_FALSE(hits[1].as_object().contains("near_duplicate_of"));
  EXPECT_TRUE(Says(std::string(hits[0].at("why").as_string()),
                   "says nearly what k2 said, which k3 superseded"));
  const object all = Json({"recall", "gateway keys", "--include-superseded"});
  EXPECT_EQ(Each(all.at("hits")), "k1, k2, k3");
  EXPECT_EQ(all.at("hits").at(1).at("superseded_by"), "k3");
  EXPECT_TRUE(all.at("conflicts").as_array().empty());
  const object unflagged = Json({"recall", "gateway keys", "--near-duplicate", "1.5"});
  EXPECT_FALSE(unflagged.at("hits").at(0).as_object().contains("near_duplicate_of"));
  // As it was before the link.
  EXPECT_EQ(
      Each(Json({"recall", "gateway keys", "--as-of", std::to_string(Sequence() - 1)}).at("hits")),
      "k1, k2, k3");
}

TEST_F(RecallCommand, ContradictedOnesAreLeftOutOnRequest) {
  const object reply = Json({"recall", "gateway keys", "--exclude-contradicted"});
  EXPECT_EQ(Each(reply.at("hits")), "k3");
  EXPECT_EQ(reply.at("excluded"), 2);
  EXPECT_EQ(reply.at("conflicts").as_array().size(), 1u);
  ASSERT_EQ(Run({"conflicts", "resolve", "k1", "k2", "--keep-both"}).code, 0);
  EXPECT_EQ(Each(Json({"recall", "gateway keys", "--exclude-contradicted"}).at("hits")),
            "k1, k2, k3");
}

TEST_F(RecallCommand, KeysAndWeightsAreOptions) {
  // What they mean is promised by RecallReference.RankingTermsAndMarksAreTheDefinitions.
  ExpectReplies({
      {{"recall", "--from", "o1"}, "hits", "key score", "k1 0.35, k2 0.14"},
      {{"recall", "--from", "o1", "--from-hops", "1", "--decay", "1"}, "hits", "key", "k1"},
      {{"recall", "--from", "o1", "--kinds", "causes"}, "hits", "key", "k1"},
      {{"recall", "gateway keys", "--from", "o1"}, "hits", "key", "k1, k2, k3"},
  });
  ASSERT_EQ(Run({"put", "k3", "--set", "accessed_at=1700259200000", "--set", "access_count=9",
                 "--tags", "fresh"})
                .code,
            0);
  ExpectReplies({
      {{"recall", "gateway keys", "--weight", "text=0.5,recency=2,scope=1", "--prefer-tags",
        "fresh", "--top", "1"},
       "hits",
       "key why",
       "k3 matches 2 of 2 words; used just now, 9 times in all; of fresh"},
      {{"recall", "gateway keys", "--weight", "recency=1", "--half-life", "3d", "--top", "2"},
       "hits",
       "key score",
       "k3 1, k1 0.5"},
  });
  ExpectRefused({{{"recall", "--from", "nosuch"}, 3, "nosuch"},
                 {{"recall", "gateway", "--decay", "0.5"}, 2, "--from"}});
}

TEST_F(RecallCommand, BadWeightsAndNamesAreRefused) {
  ExpectRefused({
      {{"recall", "gateway", "--weight", "wrods=1"}, 2, "did you mean 'words'"},
      {{"recall", "gateway", "--weight", "text"}, 2, "is not TERM=W"},
  });
  for (const char* bad : {"text=nan", "text=inf", "text=-1", "text=1e10", "text=", "text=x"})
    ExpectRefused({{{"recall", "gateway", "--weight", bad}, 2, "0 to 1e9"}});
  ExpectRefused({
      {{"recall", "gateway", "--weight", "text=1,words=2"}, 2, "second weight"},
      {{"recall", "gateway", "--weight", "text=0"}, 2, "every weight is 0"},
      {{"recall", "gateway", "--prefer-tags", "nosuch"}, 3, "nosuch"},
      {{"recall", "gateway", "--salience", "nosuch"}, 3, "nosuch"},
      {{"recall", "gateway", "--hops", "9"}, 2, "--hops"},
      {{"recall", "gateway", "--related", "0"}, 2, "--related"},
      {{"recall", "gateway", "--half-life", "0d"}, 2, "0d"},
      {{"recall", "gateway", "--reinforce", "2"}, 2, "--reinforce"},
      {{"recall"}, 2, "recall what?"},
  });
}

TEST_F(RecallCommand, AUseIsWrittenWhenAsked) {
  const std::int64_t before = Sequence();
  ASSERT_EQ(Run({"link", "k2", "relates_to", "k3", "--weight", "0.5"}).code, 0);
  const object plain = Json({"recall", "gateway keys"});
  EXPECT_EQ(plain.at("use"), (object{{"memories", 3}, {"edges", 1}, {"committed", false}}));
  EXPECT_FALSE(plain.contains("sequence"));
  const object dry = Json({"recall", "gateway keys", "--commit", "--dry-run"});
  EXPECT_EQ(dry.at("use"), plain.at("use"));
  EXPECT_EQ(Sequence(), before + 1);
  const object kept = Json({"recall", "gateway keys", "--commit"});
  EXPECT_EQ(kept.at("use"), (object{{"memories", 3}, {"edges", 1}, {"committed", true}}));
  EXPECT_EQ(kept.at("sequence").to_number<std::int64_t>(), before + 2);
  EXPECT_EQ(kept.at("hits"), plain.at("hits"));
  const object again = Json({"recall", "gateway keys", "--commit", "--record", "--reinforce", "0"});
  EXPECT_EQ(Sequence(), before + 3);  // the event and the use are one batch
  EXPECT_EQ(again.at("compositionWriteStatus"), "persisted");
  EXPECT_EQ(std::string(again.at("hits").at(0).at("why").as_string()),
            "matches 2 of 2 words; used just now, 1 time in all; contradicted by k2");
  const object k1 = Json({"get", "k1"});
  EXPECT_EQ(k1.at("access_count"), 2);
  EXPECT_EQ(k1.at("accessed_at"), 1700259200000);
  EXPECT_EQ(Json({"recall", "zeppelin", "--commit"}).at("use").at("committed"), false);
  EXPECT_EQ(Sequence(), before + 3);
  // A batch that cannot be applied: nothing of it is, and the reason is given.
  ASSERT_EQ(Run({"put", "k1", "--set", "access_count=9223372036854775807"}).code, 0);
  ExpectRefused({
      {{"recall", "gateway keys", "--commit", "--record"}, 2, "nothing was written"},
      {{"recall", "gateway", "--record", "--max-nodes", "1"}, 1, "cut short by its lim"},
      {{"recall", "gateway keys", "--commit", "--as-of", "1"}, 2, "as-of"},
  });
}

TEST_F(RecallCommand, PeopleSeeWhyAndWhatRelates) {
  const Finished run = Run({"recall", "gateway keys"});
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* part : {"matches 2 of 2 words", "--supported_by--> o1", "contradicted by k2"})
    EXPECT_TRUE(Says(run.out, part));
}

class RecallCommit : public ProgramTest {};

// The reply is written before the graph is closed: what it reads from there is in it.
TEST_F(RecallCommit, KeepsTheTextsOfItsReply) {
  ASSERT_EQ(Run({"put", "m1", "--kind", "memory", "--text", "tea is hot\nand green"}).code, 0);
  ASSERT_EQ(Run({"terms"}).code, 0);
  const Finished run = Run({"recall", "tea", "--commit", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.Json().at("hits").at(0).at("text"), "tea is hot\nand green");
}

class Texts : public ProgramTest {};

// "text" is the whole text wherever a reply has it; --max-chars cuts it and says so.
TEST_F(Texts, AreWholeOrMarked) {
  ASSERT_EQ(Run({"put", "m1", "--kind", "memory", "--text", "one\ntwo t\xC3\xA9"}).code, 0);
  ASSERT_EQ(Run({"terms"}).code, 0);
  for (const auto& [command, list] : {std::pair{"search", "results"}, std::pair{"find", "results"},
                                      std::pair{"recall", "hits"}}) {
    Words words = {command, "two", "--db", db_, "--json"};
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
  EXPECT_EQ(Json({"find", "two"}).at("results").at(0).at("line"), "two t\xC3\xA9");
}

// In a table relations come below their hit, with the other end's text.
TEST_F(RecallCommand, RelationsStandBelowTheirHit) {
  const Finished table = Run({"recall", "gateway keys", "--top", "1"});
  ASSERT_EQ(table.code, 0) << table.err;
  const std::size_t hit = table.out.find("k1   Gateway");
  const std::size_t first = table.out.find("    --contradicts-- k2  Gateway remembers");
  EXPECT_LT(hit, first) << table.out;
  EXPECT_TRUE(Says(table.out, "    --causes--> o1  Incident of third March"));
  EXPECT_TRUE(Says(table.out, "    --supported_by--> o1  Incident of third March"));
}

}  // namespace
}  // namespace plexus::testing
