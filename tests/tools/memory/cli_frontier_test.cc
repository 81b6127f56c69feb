// frontier as a user runs it: its reply, tags, masks, the past.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/stored_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

// a, b share rare and all; a..d have all; a, c, d were in one event; old is superseded by a.
class FrontierCommand : public StoredGraph<FrontierCommand> {
 protected:
  static void SetUpTestSuite() {
    const std::string lines =
        R"({"node":"a","kind":"memory","text":"first","tags":["all","rare"]})"
        "\n"
        R"({"node":"b","kind":"memory","text":"second","tags":["all","rare"]})"
        "\n"
        R"({"node":"c","kind":"memory","tags":["all","lone"]})"
        "\n"
        R"({"node":"d","kind":"memory","tags":["all"]})"
        "\n"
        R"({"node":"old","kind":"memory","tags":["all","rare"]})"
        "\n"
        R"({"edge":["a","old"],"kind":"supersedes"})"
        "\n"
        R"({"edge":["c","b"],"kind":"supports"})"
        "\n"
        R"({"event":"e1","tool":"t","members":[{"id":"a","role":"primary"},{"id":"c",)"
        R"("role":"supporting"},{"id":"d","role":"supporting"}]})"
        "\n";
    Import(lines, {"--now", "1700000000000"});
    Import(R"({"event":"e2","members":[{"id":"a","role":"x"},{"id":"b","role":"x"}]})"
           "\n",
           {"--now", "1700000001000"});
  }
  static Finished Query(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"frontier", "--db", Db()});
    return Plexus(arguments);
  }
  // "a b", "b c" ... of the candidates, best first.
  static std::vector<std::string> Sets(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    const Finished run = Query(std::move(arguments));
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    const object reply = run.Json();
    EXPECT_FALSE(reply.at("truncated").as_bool());
    std::vector<std::string> sets;
    for (const auto& candidate : reply.at("candidates").as_array()) {
      std::string ids;
      for (const auto& id : candidate.as_object().at("ids").as_array())
        ids += (ids.empty() ? "" : " ") + std::string(id.as_string());
      sets.push_back(ids);
    }
    return sets;
  }
};

using Names = std::vector<std::string>;

TEST_F(FrontierCommand, PairsWithWhatTheyShare) {
  EXPECT_EQ(Sets({}), (Names{"b c", "b d"}));  // ab, ac, ad and cd were together
  EXPECT_EQ(Sets({"--mask", "linked"}), (Names{"b d"}));
  EXPECT_EQ(Sets({"--top", "1"}), (Names{"b c"}));
  const object first =
      Query({"--json", "--as-of", "1"}).Json().at("candidates").as_array()[0].as_object();
  EXPECT_EQ(first.at("ids").as_array(), array({"a", "b"}));
  const double rare = 1 / std::log(4.0), all = 1 / std::log(6.0);  // df counts old as well
  EXPECT_NEAR(first.at("score").as_double(), rare + all, 1e-12);
  const array& shared = first.at("shared").as_array();
  ASSERT_EQ(shared.size(), 2u);
  EXPECT_EQ(shared[0].as_object().at("key").as_string(), "tag\x1frare");
  EXPECT_NEAR(shared[0].as_object().at("weight").as_double(), rare, 1e-12);
  EXPECT_EQ(shared[1].as_object().at("key").as_string(),
            "tag\x1f"
            "all");
}

TEST_F(FrontierCommand, ThePastHadFewerEvents) {
  EXPECT_EQ(Sets({"--as-of", "1"}), (Names{"a b", "b c", "b d"}));
  EXPECT_EQ(Sets({"--as-of", "1700000000500"}), (Names{"a b", "b c", "b d"}));
  EXPECT_EQ(Sets({"--as-of", "3"}), Sets({}));
}

TEST_F(FrontierCommand, TriplesTagsAndSuperseded) {
  EXPECT_EQ(Sets({"--arity", "3"}), (Names{"a b c", "a b d", "b c d"}));  // acd is e1
  EXPECT_EQ(Sets({"--tags", "lone"}), (Names{"b c"}));
  EXPECT_EQ(Sets({"--tags", "tag:lone,rare"}), (Names{"b c", "b d"}));
  EXPECT_EQ(Sets({"--tags", "lone,rare", "--match", "both"}), (Names{"b c"}));
  EXPECT_EQ(Sets({"--include-superseded", "--top", "2"}), (Names{"a old", "b old"}));
  EXPECT_EQ(Sets({"--kinds", "mentions"}), Names{});
  EXPECT_EQ(Sets({"--threads", "1"}), Sets({"--threads", "2"}));
}

TEST_F(FrontierCommand, TablesForPeople) {
  const Finished run = Query({"--as-of", "1", "--top", "1", "--names"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("first"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("share tag:rare 0.721, tag:all 0.558"), std::string::npos) << run.out;
}

TEST_F(FrontierCommand, WrongUsage) {
  EXPECT_EQ(Query({"--arity", "4"}).code, 2);
  EXPECT_EQ(Query({"--top", "99999999"}).code, 2);
  EXPECT_EQ(Query({"--mask", "none"}).code, 2);
  EXPECT_EQ(Query({"--kinds", "supports"}).code, 2);
  EXPECT_EQ(Query({"--tags", "nothing"}).code, 3);
  const object reply = Query({"--max-compared", "0", "--json"}).Json();
  EXPECT_TRUE(reply.at("truncated").as_bool());
}

}  // namespace
}  // namespace plexus::testing
