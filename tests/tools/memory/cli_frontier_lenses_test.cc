// frontier by the lenses beyond rare, as a user runs it: the published lists, sets, pages, the
// past.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_plexus.h"
#include "tests/tools/vault.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;
using Words = std::vector<std::string>;

struct Listed {
  std::string ids;
  double score;
};

class FrontierLenses : public ::testing::Test {
 protected:
  FrontierLenses() : db_(dir_ / "g") {}
  void Import(const std::string& lines, Words options = {"--terms"}) {
    Words words = {"import",
                   "--db",
                   db_,
                   "--quiet",
                   "--now",
                   "1700000050000",
                   dir_.File("in" + std::to_string(++files_) + ".jsonl", lines)};
    words.insert(words.end(), options.begin(), options.end());
    const Finished run = Plexus(words);
    ASSERT_EQ(run.code, 0) << run.err;
  }
  Finished Run(Words words) const {
    words.insert(words.begin(), {"frontier", "--db", db_, "--now", "1700000100000", "--json"});
    return Plexus(words);
  }
  object Ask(Words words) const {
    words.insert(words.begin(), {"--lens", "surface"});
    const Finished run = Run(std::move(words));
    EXPECT_EQ(run.code, 0) << run.err;
    return run.Json();
  }
  void Expect(const Words& words, const std::vector<Listed>& want) const {
    const object reply = Ask(words);
    const array& candidates = reply.at("candidates").as_array();
    ASSERT_EQ(candidates.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      std::string ids;
      for (const auto& id : candidates[i].at("ids").as_array())
        ids += (ids.empty() ? "" : " ") + std::string(id.as_string());
      EXPECT_EQ(ids, want[i].ids);
      EXPECT_NEAR(candidates[i].at("score").to_number<double>(), want[i].score, 1e-9);
    }
  }

  TempDir dir_;
  std::string db_;
  int files_ = 0;
};

TEST_F(FrontierLenses, SurfacePairsWithEveryKey) {
  Import(kVault);
  Expect({}, {{"m1 m2", 3.805}, {"m3 m5", 3.075}, {"m4 m5", 2.6625}, {"m2 m3", 2.5}});
  Expect({"--terms", "ascii"},
         {{"m1 m2", 3.805}, {"m3 m5", 3.075}, {"m4 m5", 2.6625}, {"m2 m3", 2.5}});
  Expect({"--tags", "project"}, {{"m1 m2", 3.805}, {"m3 m5", 3.075}, {"m2 m3", 2.5}});
  Expect({"--tags", "project", "--match", "both"}, {{"m1 m2", 3.805}, {"m2 m3", 2.5}});
  Expect({"--include-superseded"}, {{"m1 m6", 4.3},
                                    {"m1 m2", 3.805},
                                    {"m2 m6", 3.475},
                                    {"m3 m5", 3.075},
                                    {"m4 m5", 2.6625},
                                    {"m2 m3", 2.5}});
  const object first = Ask({}).at("candidates").as_array()[0].as_object();
  EXPECT_NEAR(first.at("bridgeScore").as_double(), 0.94, 1e-9);
  EXPECT_NEAR(first.at("noveltyScore").as_double(), 0.416666667, 1e-9);
  EXPECT_NEAR(first.at("trustScore").as_double(), 0.7, 1e-9);
  EXPECT_NEAR(first.at("outcomeScoreAdjustment").as_double(), -0.6, 1e-9);
  EXPECT_EQ(first.at("sharedTags").as_array(), array({"project:vestige"}));
  EXPECT_EQ(first.at("sharedTerms").as_array(), array({"restarts", "payouts", "oracle"}));
  EXPECT_EQ(first.at("boundaryTags").as_array(), array({"oracle", "pause", "queue", "settlement"}));
  EXPECT_EQ(first.at("outcomeSignal").as_string(), "mixed_prior_outcomes");
  EXPECT_EQ(first.at("firstNodeType").as_string(), "memory");
  EXPECT_EQ(first.at("secondNodeType").as_string(), "decision");
  EXPECT_EQ(first.at("secondPreview").as_string(),
            "Pause payouts until the oracle restarts cleanly.");
  EXPECT_EQ(first.at("compositionQuestion").as_string(),
            "What changes if a memory memory and a decision memory are composed through oracle, "
            "pause, queue, settlement?");
  EXPECT_TRUE(first.at("reason").as_string().starts_with("Untried bridge across"));
}

TEST_F(FrontierLenses, ANewEventAndThePast) {
  Import(kVault);
  Import(R"({"event":"c5","created_at":1700000050001,"members":[{"id":"m1"},{"id":"m2"}]})"
         "\n",
         {});
  Expect({}, {{"m3 m5", 3.075}, {"m4 m5", 2.6625}, {"m2 m3", 2.375}});
  Expect({"--as-of", "1"}, {{"m1 m2", 3.805}, {"m3 m5", 3.075}, {"m4 m5", 2.6625}, {"m2 m3", 2.5}});
}

TEST_F(FrontierLenses, Triples) {
  Import(kVault);
  Expect({"--arity", "3", "--top", "2"}, {{"m1 m3 m5", 2.833333333333}, {"m1 m2 m3", 2.81}});
  Expect({"--arity", "3", "--level", "closed_wedge"}, {{"m1 m3 m4", 1.241666666667}});
  const object reply = Ask({"--arity", "3", "--top", "100"});
  EXPECT_EQ(reply.at("candidates").as_array().size(), 9u);
  EXPECT_EQ(reply.at("candidates").as_array()[2].at("level").as_string(), "open");
}

TEST_F(FrontierLenses, PagesGoOnUntilTheGraphChanges) {
  Import(kVault);
  const object first = Ask({"--top", "2"});
  const std::string next(first.at("next").as_string());
  Expect({"--top", "2", "--cursor", next}, {{"m4 m5", 2.6625}, {"m2 m3", 2.5}});
  // Without --now it goes on at the time of the first page.
  const Finished later = Plexus(
      {"frontier", "--db", db_, "--lens", "surface", "--top", "2", "--cursor", next, "--json"});
  EXPECT_EQ(later.code, 0) << later.err;
  EXPECT_EQ(later.Json().at("candidates").as_array().size(), 2u);
  EXPECT_EQ(Run({"--lens", "surface", "--top", "2", "--tags", "queue", "--cursor", next}).code, 2);
  Import(R"({"node":"m9","kind":"memory"})"
         "\n",
         {});
  const Finished stale = Run({"--lens", "surface", "--top", "2", "--cursor", next});
  EXPECT_EQ(stale.code, 2);
  EXPECT_NE(stale.err.find("sequence"), std::string::npos) << stale.err;
}

TEST_F(FrontierLenses, SuccessAndNodeTypes) {
  Import(R"({"node":"a","kind":"memory","text":"ledger rounding one","tags":)"
         R"(["queue","pause","x"],"retention":0.8})"
         "\n"
         R"({"node":"b","kind":"decision","text":"ledger rounding two","tags":)"
         R"(["queue","x","oracle"],"retention":0.6})"
         "\n"
         R"({"node":"c","kind":"memory","text":"zzz"})"
         "\n"
         R"({"event":"e","members":[{"id":"b"},{"id":"c"}]})"
         "\n"
         R"({"outcome":"e","type":"helpful"})"
         "\n");
  Expect({}, {{"a b", 5.05}});
  EXPECT_EQ(Ask({}).at("candidates").as_array()[0].at("outcomeSignal").as_string(),
            "prior_success");
}

TEST_F(FrontierLenses, OptionsOfAnotherLensAreRefused) {
  Import(kVault);
  EXPECT_EQ(Run({"--cursor", "x"}).code, 2);
  EXPECT_EQ(Run({"--level", "open"}).code, 2);
  EXPECT_EQ(Run({"--arity", "4"}).code, 2);
  EXPECT_EQ(Run({"--lens", "surface", "--mask", "linked"}).code, 2);
  EXPECT_EQ(Run({"--lens", "surface", "--cursor", "x"}).code, 2);
  EXPECT_EQ(Run({"--lens", "surface", "--band", "nospace"}).code, 2);
  EXPECT_EQ(Run({"--lens", "bridge", "--arity", "3"}).code, 2);
  EXPECT_EQ(Run({"--lens", "bridge"}).code, 0);
  EXPECT_EQ(Run({"--lens", "divergent"}).code, 0);
}

}  // namespace
}  // namespace plexus::testing
