// The commands of the ledger: lists, one event, recording, labelling, bounty lanes; and recall.
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

class Composition : public ProgramTest {
 protected:
  void SetUp() override { Import(kVault, {"--terms", "--now", "1700000050000"}); }
  std::string Export() const { return Run({"export", "--format", "jsonl"}).out; }
};

TEST_F(Composition, RecentEventsAreNewestFirst) {
  for (const auto& [options, shown] :
       {std::pair{Words{"--limit", "2"}, "c4, c3"},
        {Words{"--limit", "0"}, "c4"},
        {Words{"--limit", "1000"}, "c4, c3, c2, c1"},
        {Words{"--tool", "bounty"}, "c2"},
        {Words{"--outcome", "helpful"}, "c1"},
        {Words{"--tags", "queue"}, "c3, c1"},
        {Words{"--since", "1700000020000", "--until", "1700000040000"}, "c3, c2"}}) {
    const Words words = With({"ledger", "recent"}, options);
    EXPECT_EQ(Each(Json(words).at("events"), "event_id"), shown) << options[0];
  }
}

TEST_F(Composition, PagesGoOnInTheStateTheyBeganIn) {
  const object first = Json({"ledger", "recent", "--limit", "3"});
  const std::string next(first.at("next").as_string());
  Json({"ledger", "record", "--member", "m1", "--now", "1700000060000"});
  const object second = Json({"ledger", "recent", "--limit", "3", "--cursor", next});
  EXPECT_EQ(Each(second.at("events"), "event_id"), "c1");
  EXPECT_FALSE(second.contains("next"));
  ExpectRefused({
      {{"ledger", "memory", "m1", "--cursor", next}, 2, "another question"},
      {{"ledger", "recent", "--cursor", "nonsense"}, 2, "not a cursor"},
  });
}

TEST_F(Composition, ACursorOfATrimmedSequenceIsAnError) {
  const std::string next(Json({"ledger", "recent", "--limit", "1"}).at("next").as_string());
  for (const char* now : {"1700000060000", "1700000070000"})
    Json({"ledger", "record", "--member", "m1", "--now", now});
  ASSERT_EQ(Run({"trim", "--before", std::to_string(Sequence())}).code, 0);
  EXPECT_NE(Run({"ledger", "recent", "--limit", "1", "--cursor", next}).code, 0);
}

TEST_F(Composition, OneEventWithMembersAndOutcomes) {
  const object c1 = Json({"ledger", "get", "c1"});
  EXPECT_EQ(Each(c1.at("members"), "key"), "m1, m3, m1");
  EXPECT_EQ(Each(c1.at("members"), "role"), "primary, supporting, related");
  EXPECT_EQ(c1.at("members").at(0).at("trust"), 0.8);
  EXPECT_EQ(c1.at("members").at(0).at("score"), 0.9);
  EXPECT_EQ(Each(c1.at("outcomes"), "type"), "duplicate_risk, helpful");
  EXPECT_EQ(Each(Json({"ledger", "get", "c4"}).at("members"), "key"), "m3, m4");
  EXPECT_EQ(Json({"ledger", "get", "event:c1"}), c1);
  ExpectRefused({{{"ledger", "get", "nosuch"}, 3, "nosuch"}});
}

TEST_F(Composition, AMemorysEventsAndNeighbors) {
  ExpectReplies({
      {{"ledger", "memory", "m4"}, "events", "event_id", "c4, c3, c2"},
      {{"ledger", "neighbors", "m4"},
       "neighbors",
       "key composedCount latestEventAt",
       "m3 1 1700000040000, m1 1 1700000030000, m2 1 1700000020000"},
  });
  ExpectRefused({{{"ledger", "memory", "nosuch"}, 3, "nosuch"}});
}

TEST_F(Composition, LabelsAccumulate) {
  const Words label = {"ledger", "label", "c2", "helpful", "--now", "1700000060000", "--notes"};
  const auto noted = [&](const char* notes) {
    Words words = label;
    words.emplace_back(notes);
    return Json(words);
  };
  EXPECT_EQ(noted("a").at("outcome").at("notes"), "a");
  noted("b");
  const auto before = Sequence();
  noted("b");
  EXPECT_EQ(Sequence(), before);
  const object c2 = Json({"ledger", "get", "c2"});
  EXPECT_EQ(Each(c2.at("outcomes"), "type"), "helpful, helpful, dead_end");
  EXPECT_EQ(c2.at("outcomes").at(0).at("notes"), "b");
  EXPECT_EQ(c2.at("outcomes").at(1).at("notes"), "a");
  ExpectRefused({
      {{"ledger", "label", "c2", "banana"}, 2, "closed_by_false_assumption"},
      {{"ledger", "label", "nosuch", "helpful"}, 3, "nosuch"},
      {{"ledger", "label", "c2", "helpful", "--confidence-delta", "nan"}, 2, "number"},
  });
  // An export says what an import of the same line would.
  EXPECT_TRUE(Says(Export(), R"({"outcome":"c2","source":"user","type":"helpful","notes":"a",)"
                             R"("labeled_at":1700000060000})"));
}

TEST_F(Composition, ADryRunChangesNothing) {
  const auto before = Sequence();
  const object label =
      Json({"ledger", "label", "c2", "helpful", "--dry-run", "--now", "1700000060000"});
  EXPECT_EQ(label.at("dry_run"), true);
  EXPECT_EQ(label.at("outcomes").at("new"), 1);
  EXPECT_EQ(label.at("outcome").at("type"), "helpful");
  const object record =
      Json({"ledger", "record", "--member", "m1", "--dry-run", "--now", "1700000060000"});
  EXPECT_EQ(record.at("compositionWriteStatus"), "not_written");
  EXPECT_EQ(record.at("events").at("new"), 1);
  EXPECT_EQ(Sequence(), before);
}

// Where queries are indexed, too: the terms come along.
TEST_F(Composition, ADryRunCountsWhatTheWriteCounts) {
  Json({"terms", "--events", "index", "--now", "1700000055000"});
  const Words record = {"ledger",  "record",           "--member", "m1",
                        "--query", "unheard melodies", "--now",    "1700000060000"};
  Words dry = record;
  dry.push_back("--dry-run");
  const object asked = Json(dry), made = Json(record);
  for (const char* counts : {"events", "nodes", "edges", "index"}) {
    ASSERT_EQ(asked.contains(counts), made.contains(counts)) << counts;
    if (made.contains(counts)) {
      EXPECT_EQ(asked.at(counts), made.at(counts)) << counts;
    }
  }
}

TEST_F(Composition, AnEmptyRecordExpectsItsSequenceToo) {
  const Words empty = {"ledger", "record", "--query", "q", "--expect-sequence"};
  Words right = empty, wrong = empty;
  right.push_back(std::to_string(Sequence()));
  wrong.push_back(std::to_string(Sequence() + 7));
  EXPECT_EQ(Run(right).code, 0);
  EXPECT_EQ(Run(wrong).code, 6);
}

TEST_F(Composition, RecordedEventsAreAsImportedOnes) {
  const object reply = Json({"ledger", "record", "--tool", "t", "--query", "why twice", "--member",
                             "m1:primary", "--member", "m5", "--now", "1700000060000"});
  EXPECT_EQ(reply.at("query_hash"), "fnv1a64:e635d37d8fe075c5");
  EXPECT_EQ(reply.at("compositionWriteStatus"), "persisted");
  const std::string id(reply.at("event_id").as_string());
  const object got = Json({"ledger", "get", id});
  EXPECT_EQ(Each(got.at("members"), "key"), "m1, m5");
  EXPECT_EQ(Each(got.at("members"), "role"), "primary, supporting");
  EXPECT_EQ(Each(got.at("members"), "tags"), R"(["project:vestige","queue","settlement"], [])");
  // What is exported and imported is the same event again.
  const std::string once = Export();
  const std::string copy = dir_ / "copy";
  ASSERT_EQ(Plexus({"import", "--db", copy, "--quiet", dir_.File("once.jsonl", once)}).code, 0);
  EXPECT_EQ(Plexus({"export", "--db", copy, "--format", "jsonl"}).out, once);
  EXPECT_TRUE(Says(once, "{\"event\":\"" + id + "\""));
  const auto before = Sequence();
  ASSERT_EQ(Run({"import", "--quiet", dir_ / "once.jsonl"}).code, 0);
  EXPECT_EQ(Sequence(), before);
}

// What an import would not take back, and what JSON says twice.
TEST_F(Composition, MembersThatAreTooLargeOrDoubtful) {
  const std::string preview(30'000, 'x');
  std::string large = "[";
  for (int i = 0; i < 600; ++i)
    large += (i ? "," : "") + std::string(R"({"id":"o)") + std::to_string(i) + R"(","preview":")" +
             preview + "\"}";
  ExpectRefused({
      {{"ledger", "record", "--stubs", "--members", dir_.File("large.json", large + "]")},
       2,
       "as a line of JSON"},
      {{"ledger", "record", "--members",
        dir_.File("twice.json", R"([{"id":"m1","role":"primary","role":"related"}])")},
       2,
       "twice"},
      {{"ledger", "record", "--stubs", "--member",
        "outcome\x1f"
        "bad"},
       2,
       "a stub is a fact"},
      {{"put", "zz", "--kind", "outcome"}, 2, "an outcome is of an event"},
  });
}

TEST_F(Composition, MembersComeFromAFileToo) {
  const std::string file = dir_.File(
      "members.json", R"([{"id":"m1","role":"primary","rank":0,"trust":0.5,"preview":"x"},)"
                      R"({"id":"m3","rank":1,"tags":["then"]}])");
  const object reply = Json({"ledger", "record", "--id", "d1", "--members", file});
  EXPECT_EQ(reply.at("event_id"), "d1");
  const object got = Json({"ledger", "get", "d1"});
  EXPECT_EQ(Each(got.at("members"), "key"), "m1, m3");
  EXPECT_EQ(got.at("members").at(0).at("trust"), 0.5);
  EXPECT_EQ(got.at("members").at(0).at("preview"), "x");
  EXPECT_EQ(got.at("members").at(1).at("tags").at(0), "then");
  for (const char* bad : {"{", R"([{"role":"primary"}])", R"([{"id":"m1","rank":"x"}])",
                          R"([{"id":"m1","what":1}])", R"([3])"})
    ExpectRefused({{{"ledger", "record", "--members", dir_.File("bad.json", bad)}, 2, "bad.json"}});
}

TEST_F(Composition, MalformedEventsChangeNothing) {
  const object empty = Json({"ledger", "record", "--tool", "t"});
  EXPECT_EQ(empty.at("compositionWriteStatus"), "skipped_empty");
  EXPECT_FALSE(empty.contains("event_id"));
  ExpectRefused({
      {{"ledger", "record", "--member", "nosuch"}, 3, "nosuch"},
      {{"ledger", "record", "--member", "m1:boss"},
       2,
       "primary, supporting, contradicting, superseded, related"},
      {{"ledger", "record", "--member", "m1", "--member", "m1"}, 2, "twice"},
      {{"ledger", "record", "--id", "c1", "--member", "m1"}, 2, "already"},
      {{"ledger", "record", "--member", "m1", "--confidence", "inf"}, 2, "number"},
  });
  std::string many = "[";
  for (int i = 0; i < 100'000; ++i)
    many += (i ? ",{\"id\":\"s" : "{\"id\":\"s") + std::to_string(i) + "\"}";
  ExpectRefused({{{"ledger", "record", "--stubs", "--members", dir_.File("many.json", many + "]")},
                  2,
                  "65536"}});
  const object stubs = Json({"ledger", "record", "--member", "nosuch", "--stubs"});
  EXPECT_EQ(stubs.at("stubs"), 1);
  EXPECT_EQ(stubs.at("compositionWriteStatus"), "persisted");
  EXPECT_EQ(Run({"get", "nosuch"}).code, 0);
}

TEST_F(Composition, ACommandOfTwoWordsIsFoundAndExplained) {
  EXPECT_EQ(Run({"ledger-recent", "--limit", "1"}).code, 0);
  EXPECT_EQ(Run({"ledger", "--json", "recent"}).code, 0);
  const Finished help = Plexus({"ledger", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_TRUE(Says(help.out, "ledger neighbors"));
  const Finished one = Plexus({"ledger", "label", "--help"});
  EXPECT_EQ(one.code, 0);
  EXPECT_TRUE(Says(one.out, "plexus ledger label"));
  EXPECT_TRUE(
      Ends(Plexus({"ledger", "lable", "c1", "helpful"}), 2, "did you mean 'ledger label'?"));
  EXPECT_EQ(Plexus({"ledger"}).code, 2);
  const Finished shell = Run({"shell", "--json"}, {.input = "ledger recent --limit 1\n"});
  EXPECT_EQ(shell.code, 0);
  EXPECT_TRUE(Says(shell.out, "\"c4\""));
}

TEST_F(Composition, BountyHasEveryLane) {
  const object reply = Json({"bounty", "--now", "1700000100000"});
  const auto events = [&](const char* lane) {
    std::string ids;
    for (const auto& item : reply.at(lane).as_array())
      ids += std::string(item.at("event").at("event_id").as_string()) + " ";
    return ids;
  };
  EXPECT_EQ(events("alreadyComposedLanes"), "c4 c3 c2 c1 ");
  EXPECT_EQ(events("closedDoors"), "c2 ");
  EXPECT_EQ(events("duplicateRiskLanes"), "c1 ");
  EXPECT_EQ(events("needsPocLanes"), "c3 ");
  EXPECT_EQ(Each(reply.at("neverComposedLanes"), "ids"),
            R"(["m1","m2"], ["m3","m5"], ["m4","m5"], ["m2","m3"])");
  EXPECT_EQ(Each(reply.at("topWeirdCombinations"), "ids"),
            R"(["m1","m2"], ["m3","m5"], ["m4","m5"])");
  EXPECT_NEAR(reply.at("neverComposedLanes").at(0).at("score").to_number<double>(), 3.805, 1e-9);
  EXPECT_EQ(reply.at("guardrails").as_array().size(), 3u);
  const auto& first = reply.at("duplicateRiskLanes").at(0);
  EXPECT_EQ(Each(first.at("members"), "key"), "m1, m3, m1");
  EXPECT_EQ(Each(first.at("outcomes"), "type"), "duplicate_risk, helpful");
  const object tagged = Json({"bounty", "--tags", "upgrade", "--now", "1700000100000"});
  EXPECT_EQ(Each(tagged.at("neverComposedLanes"), "ids"), R"(["m4","m5"])");
  EXPECT_EQ(tagged.at("alreadyComposedLanes").as_array().size(), 3u);
}

TEST_F(Composition, RecallRecordsItsEvidence) {
  const auto before = Sequence();
  const object plain = Json({"recall", "settlement queue", "--now", "1700000060000"});
  EXPECT_FALSE(plain.contains("compositionWriteStatus"));
  EXPECT_EQ(Sequence(), before);
  const object search = Json({"search", "settlement queue", "--top", "10"});
  EXPECT_EQ(Each(plain.at("hits"), "key"), Each(search.at("results"), "key"));
  EXPECT_EQ(Each(plain.at("hits"), "score"), Each(search.at("results"), "score"));
  const object dry = Json({"recall", "settlement queue", "--record", "--dry-run"});
  EXPECT_EQ(dry.at("compositionWriteStatus"), "not_written");
  EXPECT_EQ(Sequence(), before);
  const object kept = Json({"recall", "settlement queue", "--record", "--least-evidence", "0",
                            "--now", "1700000060000"});
  EXPECT_EQ(kept.at("compositionWriteStatus"), "persisted");
  EXPECT_EQ(kept.at("hits"), plain.at("hits"));
  const object event =
      Json({"ledger", "get", std::string(kept.at("composition_event_id").as_string())});
  EXPECT_EQ(event.at("event").at("tool"), "recall");
  EXPECT_EQ(event.at("event").at("query"), "settlement queue");
  EXPECT_EQ(Each(event.at("members"), "key"), Each(plain.at("hits"), "key"));
  EXPECT_EQ(event.at("members").at(0).at("role"), "primary");
  EXPECT_EQ(event.at("members").at(0).at("trust"), 0.8);
  const auto after = Sequence();
  const object nothing = Json({"recall", "zeppelin", "--record"});
  EXPECT_EQ(nothing.at("compositionWriteStatus"), "skipped_empty");
  EXPECT_EQ(Sequence(), after);
  ExpectRefused({{{"recall"}, 2, "recall what?"}});
}

}  // namespace
}  // namespace plexus::testing
