// The agent-memory ledger that ships with the demo (tools/demo/ledger): imports cleanly
// with these counts, answers what the demo asks, goes out and in without a loss.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::testing {
namespace {

using boost::json::object;

std::int64_t Number(const boost::json::value& value) { return value.to_number<std::int64_t>(); }

class Ledger : public ProgramTest {
 protected:
  void SetUp() override {
    for (const char* week : {"1", "2", "3"}) imports_.push_back(ImportWeek(week));
  }
  object ImportWeek(const std::string& week) const {
    const std::string day = week == "1" ? "09" : week == "2" ? "16" : "23";
    return Json({"import", "--terms", "--now", "2026-03-" + day,
                 std::string(PLEXUS_LEDGER) + "/week" + week + ".jsonl"});
  }
  std::string Export() const { return Run({"export", "--format", "jsonl"}).out; }
  // The same graph in another folder, where the test goes on.
  void Copy() {
    const std::string file = dir_.File("all.jsonl", Export());
    db_ = dir_ / "copy";
    ASSERT_TRUE(Ends(Run({"import", "--quiet", file}), 0));
  }
  std::vector<object> imports_;
};

TEST_F(Ledger, ImportsCleanlyWithTheseCounts) {
  struct Week {
    int nodes, edges, events, outcomes;
  };
  const Week weeks[] = {{54, 44, 5, 3}, {39, 55, 8, 8}, {25, 46, 5, 6}};
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i + 1);
    EXPECT_EQ(Number(imports_[i].at("nodes").at("new")), weeks[i].nodes);
    EXPECT_EQ(Number(imports_[i].at("edges").at("new")), weeks[i].edges);
    EXPECT_EQ(Number(imports_[i].at("events").at("new")), weeks[i].events);
    EXPECT_EQ(Number(imports_[i].at("outcomes")), weeks[i].outcomes);
    EXPECT_EQ(Number(imports_[i].at("errors")), 0);
  }
  const object stats = Json({"stats"});
  EXPECT_EQ(Number(stats.at("nodes")), 117);  // 118 less one that was purged
  EXPECT_EQ(Number(stats.at("edges")), 145);
  EXPECT_EQ(Number(stats.at("events")), 18);
  const auto kinds = stats.at("kinds").as_object();
  const auto index = stats.at("index").at("kinds").as_object();
  for (const auto& [kind, count] :
       std::initializer_list<std::pair<const char*, int>>{{"supersedes", 6},
                                                          {"contradicts", 5},
                                                          {"supports", 21},
                                                          {"causes", 7},
                                                          {"depends_on", 5},
                                                          {"temporal", 46},
                                                          {"referential", 5},
                                                          {"causal", 4},
                                                          {"trajectory", 10},
                                                          {"evokes", 11}})
    EXPECT_EQ(Number(kinds.at(kind)), count) << kind;
  for (const auto& [kind, count] :
       std::initializer_list<std::pair<const char*, int>>{{"member", 47},
                                                          {"labels", 17},
                                                          {"in_session", 56},
                                                          {"mentions", 97},
                                                          {"has_tag", 121},
                                                          {"inscribed", 7}})
    EXPECT_EQ(Number(index.at(kind)), count) << kind;
  EXPECT_EQ(Plexus({"verify", "--db", Db()}).code, 0);
}

TEST_F(Ledger, ASecondImportChangesNothing) {
  db_ = dir_ / "once";
  ImportWeek("1");
  const std::string before = Export();
  ExpectReplies({{{"stats"}, "", "events", "5"}});
  const object again = ImportWeek("1");
  for (const char* what : {"nodes", "edges", "events"}) {
    EXPECT_EQ(again.at(what).at("new"), 0) << what;
    EXPECT_EQ(again.at(what).at("changed"), 0) << what;
  }
  EXPECT_EQ(Export(), before);
}

TEST_F(Ledger, RoundTripsWithoutALoss) {
  const std::string once = Export();
  const object stats = Json({"stats"});
  Copy();
  EXPECT_EQ(Export(), once);
  for (const char* what : {"nodes", "edges", "events", "kinds"})
    EXPECT_EQ(Json({"stats"}).at(what), stats.at(what)) << what;
}

TEST_F(Ledger, SupersededFactsShowWhenTheyWereTrue) {
  const auto best = [&](Words more) {
    more.insert(more.begin(),
                {"search", "settlement worker retries", "--kinds", "memory", "--top", "1"});
    return Each(Json(more).at("results"));
  };
  EXPECT_EQ(best({"--now", "2026-03-23"}), "retry-jitter");
  EXPECT_EQ(best({"--as-of", "2026-03-10"}), "retry-thrice");
  EXPECT_EQ(best({"--as-of", "2026-03-17"}), "retry-five");
  ExpectReplies({
      {{"traverse", "retry-jitter", "--kinds", "supersedes", "--now", "2026-03-23"},
       "nodes",
       "key",
       ""},
      {{"traverse", "retry-jitter", "--kinds", "supersedes", "--include-superseded"},
       "nodes",
       "key",
       "retry-thrice, retry-five"},
  });
}

TEST_F(Ledger, WhatWasUsedTogetherAndWhatCameOfIt) {
  const object reply = Json({"traverse", "half-refund", "--kinds", "member,labels", "--direction",
                             "in", "--hops", "2", "--now", "2026-03-23"});
  // The first outcome has notes, so its name has a digest of them.
  EXPECT_EQ(Each(reply.at("nodes")),
            "event:c17, "
            "outcome:accepted/1773928800000/user%=6e8c14fd-4728-5c00-908a-8c76cb38993f/c17, "
            "outcome:helpful/1773997200000/tool/c17");
  EXPECT_EQ(reply.at("nodes").at(1).at("path").as_array().size(), 2u);
  EXPECT_EQ(Json({"neighbors", "event:c17"}).at("neighbors").as_array().size(), 6u);
}

TEST_F(Ledger, APairThatIsTriedIsNoCandidateAnyMore) {
  Copy();
  const auto frontier = [&] {
    Words all;
    const object reply = Json(
        {"frontier", "--mask", "linked", "--kinds", "has_tag,mentions", "--now", "2026-03-23"});
    for (const auto& candidate : reply.at("candidates").as_array())
      all.push_back(boost::json::serialize(candidate.at("ids")));
    return all;
  };
  const auto before = frontier();
  ASSERT_GE(before.size(), 2u);
  EXPECT_EQ(before[0], R"(["books-close","refused-rows-late"])");
  Import(R"({"event":"c19","members":[{"id":"books-close","role":"primary"},)"
         R"({"id":"refused-rows-late","role":"related"}]}
)");
  // It is gone; what came behind it is still there.
  const auto after = frontier();
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(std::ranges::count(after, before[i]), i == 0 ? 0 : 1) << before[i];
}

// One scope is told nothing of another: no member, query, note or key of it. Every operation that
// takes --scope is held to it below.
constexpr const char* kTwoScopes =
    R"({"node":"a1","scope":"ann","kind":"memory","text":"ann likes tea","tags":["tea"]}
{"node":"a2","scope":"ann","kind":"memory","text":"ann likes tea much","tags":["tea"]}
{"node":"a3","scope":"ann","kind":"decision","text":"ann buys tea"}
{"node":"bsecret1","scope":"bob","kind":"memory","text":"bsecret tea","tags":["tea"]}
{"node":"bsecret2","scope":"bob","kind":"decision","text":"bsecret buys"}
{"edge":["bsecret1","a1"],"kind":"supersedes"}
{"edge":["bsecret1","a2"],"kind":"contradicts"}
{"edge":["bsecret2","a3"],"kind":"supports"}
{"event":"e1","tool":"recall","query":"bsecret query","members":[{"id":"a1","role":"primary"},)"
    R"({"id":"bsecret1","role":"supporting","preview":"bsecret hides tea"}]}
{"outcome":"e1","type":"dead_end","notes":"bsecret said no"}
{"event":"e2","tool":"recall","query":"ann asks","members":[{"id":"a1","role":"primary"},)"
    R"({"id":"a2","role":"supporting"}]}
)";

class Scopes : public ProgramTest {};

TEST_F(Scopes, NoReplyOfOneScopeNamesAnother) {
  Import(kTwoScopes, {"--terms"});
  // What an operation needs beside the graph; the others are asked with nothing.
  const std::map<std::string, Words> arguments = {
      {"bfs", {"--from", "a1"}},
      {"traverse", {"--from", "a1"}},
      {"distances", {"--from", "a1"}},
      {"neighborhood", {"--from", "a1"}},
      {"path", {"--from", "a1", "--to", "a2"}},
      {"neighbors", {"a1"}},
      {"find", {"tea"}},
      {"search", {"tea"}},
      {"recall", {"tea"}},
      {"retrieve", {"tea"}},
      {"match", {". .", "--from", "a1"}},
      {"similar", {"a1"}},
      {"conflicts_list", {}},
      {"conflicts_chain", {"a1"}},
      {"conflicts_candidates", {"a2"}},
      {"conflicts_duplicates", {"--least", "0.1"}},
      {"decisions_why", {"a3"}},
  };
  std::size_t answered = 0;
  for (const tools::Operation& operation : tools::AllOperations()) {
    if (!tools::SelectsNodes(operation) || operation.effect != tools::Effect::kRead) continue;
    if (operation.name == "export") continue;
    Words words = {tools::CommandName(operation.name)};
    if (const std::size_t blank = words[0].find(' '); blank != std::string::npos)
      words = {words[0].substr(0, blank), words[0].substr(blank + 1)};
    if (const auto given = arguments.find(operation.name); given != arguments.end())
      words.insert(words.end(), given->second.begin(), given->second.end());
    words.insert(words.end(), {"--scope", "ann"});
    for (const char* format : {"json", "table"}) {
      const Words asked = With(words, {"--format", format});
      const Finished run = Run(asked);
      answered += run.code == 0;
      EXPECT_FALSE(Says(run.out, "bsecret")) << operation.name;
      EXPECT_FALSE(Says(run.err, "bsecret")) << operation.name;
    }
  }
  EXPECT_GT(answered, 30u);
}

// What replaced a decision in another scope has no name here, and is folded into by nobody.
TEST_F(Scopes, AHeadOfAnotherScopeHasNoName) {
  Import(R"({"node":"a1","scope":"ann","kind":"decision","text":"old"}
{"node":"bsecret","scope":"bob","kind":"decision","text":"new"}
{"edge":["bsecret","a1"],"kind":"supersedes"}
)");
  const auto first = [&](Words words, const char* list) {
    return Json(words).at(list).at(0).as_object();
  };
  const auto status = first({"decisions", "status", "a1", "--scope", "ann"}, "results");
  EXPECT_EQ(status.at("state"), "superseded");
  EXPECT_FALSE(status.contains("superseded_by"));
  EXPECT_EQ(status.at("edges"), 0);
  const auto tier = first({"decisions", "compaction", "--scope", "ann"}, "nodes");
  EXPECT_NE(tier.at("tier"), "fold");
  EXPECT_FALSE(tier.contains("into"));
  // Without a scope nothing is hidden.
  const auto whole = first({"decisions", "status", "a1"}, "results");
  EXPECT_EQ(whole.at("superseded_by"), "bsecret");
  EXPECT_EQ(whole.at("edges"), 1);
  const auto folded = first({"decisions", "compaction"}, "nodes");
  EXPECT_EQ(folded.at("tier"), "fold");
  EXPECT_EQ(folded.at("into"), "bsecret");
}

// No lens walks through a node of another scope, nor through an event that has one.
TEST_F(Scopes, NoLensWalksThroughAnother) {
  Import(R"({"node":"a1","scope":"ann","kind":"memory","text":"one","tags":["queue"]}
{"node":"a2","scope":"ann","kind":"memory","text":"two","tags":["queue"]}
{"node":"a3","scope":"ann","kind":"memory","text":"three"}
{"node":"a4","scope":"ann","kind":"memory","text":"four"}
{"node":"bsecret","scope":"bob","kind":"memory","text":"hidden"}
{"edge":["a1","bsecret"],"kind":"supports"}
{"edge":["a2","bsecret"],"kind":"supports"}
{"edge":["a3","a4"],"kind":"supports"}
{"event":"bsecret-event","members":[{"id":"a1","role":"primary"},{"id":"bsecret","role":"x"}]}
)");
  const auto pairs = [&](const char* lens, const Words& more) {
    const auto reply = Json(With({"frontier", "--lens", lens, "--top", "0"}, more));
    EXPECT_FALSE(Says(serialize(reply), "bsecret") && more.size() > 1) << serialize(reply);
    return Each(reply.at("candidates"), "ids");
  };
  EXPECT_EQ(pairs("bridge", {"--scope", "ann"}), R"(["a3","a4"])");
  EXPECT_EQ(pairs("bridge", {"--scope", "ann", "--kinds", "has_tag"}), R"(["a1","a2"])");
  EXPECT_EQ(pairs("bridge", {"--scope", "ann", "--kinds", "supports,member"}), R"(["a3","a4"])");
  EXPECT_EQ(pairs("bridge", {"--where", "scope = 'ann'"}), R"(["a3","a4"])");
  EXPECT_TRUE(Says(pairs("bridge", {}), R"(["a1","a2"])"));
  // What has no edge inside of the scope has no position there.
  const auto divergent = Json({"frontier", "--lens", "divergent", "--scope", "ann"});
  for (const auto& set : divergent.at("candidates").as_array())
    EXPECT_FALSE(set.as_object().contains("divergence")) << serialize(set);
}

// An event with a member of another scope ties, warns of and composes nothing.
TEST_F(Scopes, EventsOfAnotherScopeDoNotCount) {
  const char* const kMemories =
      R"({"node":"a1","scope":"ann","kind":"memory","text":"ledger one","tags":["queue"]}
{"node":"a2","scope":"ann","kind":"decision","text":"ledger two","tags":["queue"]}
{"node":"a3","scope":"ann","kind":"memory","text":"ledger three","tags":["queue"]}
{"node":"bsecret","scope":"bob","kind":"memory","text":"hidden"}
)";
  Import(kMemories);
  const Words surface = {"frontier", "--lens", "surface", "--scope", "ann"};
  const Words bounty = {"bounty", "--scope", "ann"};
  const Words likely = {"frontier", "--lens", "likely", "--scope", "ann"};
  const Words rare = {"frontier", "--lens", "rare", "--scope", "ann"};
  const auto before = Json(surface).at("candidates");
  const auto lanes = Json(bounty);
  const auto tied = Json(likely).at("candidates");
  const auto shared = Json(rare).at("candidates");
  Import(R"({"event":"bsecret-event","query":"secret","members":[{"id":"a1","role":"primary"},)"
         R"({"id":"a2","role":"x"},{"id":"bsecret","role":"primary"}]}
{"outcome":"bsecret-event","type":"dead_end"}
)");
  EXPECT_EQ(serialize(Json(surface).at("candidates")), serialize(before));
  EXPECT_EQ(serialize(Json(likely).at("candidates")), serialize(tied));
  EXPECT_EQ(serialize(Json(rare).at("candidates")), serialize(shared));
  EXPECT_EQ(serialize(Json(bounty)), serialize(lanes));
  const Words walks = {"frontier", "--lens", "bridge", "--kinds", "member", "--scope", "ann"};
  EXPECT_EQ(Each(Json(walks).at("candidates"), "ids"), "");
  const auto whole = Json({"frontier", "--lens", "surface"});
  EXPECT_TRUE(Says(serialize(whole), R"("priorEvents":["bsecret-event"])"));
  // One that lies inside is shown.
  Import(R"({"event":"own","members":[{"id":"a1","role":"primary"},{"id":"a3","role":"x"}]}
{"outcome":"own","type":"dead_end"}
)");
  const std::string own = serialize(Json(surface));
  EXPECT_TRUE(Says(own, R"("priorEvents":["own"])"));
  EXPECT_FALSE(Says(own, R"(["a1","a3"])"));
  EXPECT_FALSE(Says(own, "bsecret"));
}

// All lanes are shown to people, too.
TEST_F(Scopes, BountyShowsAllLanesToPeople) {
  Import(kTwoScopes);
  const std::string table = Run({"bounty"}).out;
  for (const char* seen : {"closed door", "tried", "bsecret query", "ann asks"})
    EXPECT_TRUE(Says(table, seen)) << seen;
}

TEST(LedgerOfOthers, UnknownTypesOfOutcomesAreNamed) {
  const TempDir dir;
  const std::string db = dir / "g",
                    file = dir.File("e.jsonl", R"({"event":"e1","members":[{"id":"a"}]}
{"outcome":"e1","type":"celebrated","source":"user","labeled_at":1700000000000}
{"outcome":"e1","type":"helpful","source":"user","labeled_at":1700000000000}
)");
  ASSERT_EQ(Plexus({"import", "--db", db, file}).code, 0);
  const object recent = Plexus({"ledger", "recent", "--db", db, "--json"}).Json();
  EXPECT_EQ(boost::json::serialize(recent.at("events").at(0).at("outcomes")),
            R"(["helpful","celebrated"])");
}

}  // namespace
}  // namespace plexus::testing
