// forest, cuts, dominators, flow from the command line, and what path gained: budgets,
// valid times.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "tests/support/stored_graph.h"

namespace plexus::testing {
namespace {

using boost::json::object;
using boost::json::serialize;

// s leads to t over a and b; a square a b c d hangs together, e and f hang on by one edge
// each; g and h stand apart, joined twice.
class ConnectivityCommands : public StoredGraph<ConnectivityCommands> {
 protected:
  static void SetUpTestSuite() {
    const std::string lines =
        R"({"edge":["s","a"],"kind":"link","weight":3})"
        "\n"
        R"({"edge":["s","b"],"kind":"link","weight":2})"
        "\n"
        R"({"edge":["a","b"],"kind":"link","weight":1})"
        "\n"
        R"({"edge":["a","t"],"kind":"link","weight":1.5})"
        "\n"
        R"({"edge":["b","t"],"kind":"link","weight":4})"
        "\n"
        R"({"edge":["t","e"],"kind":"causes","weight":7})"
        "\n"
        R"({"edge":["e","f"],"kind":"causes","weight":0.5,"valid_from":100,"valid_until":200})"
        "\n"
        R"({"edge":["g","h"],"kind":"link","weight":5})"
        "\n"
        R"({"edge":["h","g"],"kind":"causes","weight":6})"
        "\n";
    Import(lines);
    ASSERT_EQ(Plexus({"unlink", "--db", Db(), "e", "causes", "f"}).code, 0);
    ASSERT_EQ(Plexus({"link", "--db", Db(), "e", "causes", "f", "--weight", "0.5"}).code, 0);
  }
  static std::string Keys(const object& reply, const char* name = "results") {
    std::string keys;
    for (const auto& row : reply.at(name).as_array())
      keys += (keys.empty() ? "" : " ") + std::string(row.as_object().at("key").as_string());
    return keys;
  }
  static std::string Edges(const object& reply, const char* name = "results") {
    std::string edges;
    for (const auto& row : reply.at(name).as_array()) {
      const object& e = row.as_object();
      edges += (edges.empty() ? "" : " ") + std::string(e.at("source").as_string()) +
               std::string(e.at("target").as_string());
    }
    return edges;
  }
};

TEST_F(ConnectivityCommands, Forest) {
  const object least = Json({"forest"});
  EXPECT_EQ(Edges(least), "ef ab at sb gh te");
  EXPECT_EQ(least.at("weight").to_number<double>(), 0.5 + 1 + 1.5 + 2 + 5 + 7);
  EXPECT_EQ(least.at("trees").as_int64(), 2);
  EXPECT_EQ(least.at("nodes").as_int64(), 8);
  EXPECT_EQ(least.at("total").as_int64(), 6);
  EXPECT_FALSE(least.at("truncated").as_bool());
  EXPECT_EQ(Edges(Json({"forest", "--maximum", "--top", "3"})), "te hg bt");
  EXPECT_EQ(Json({"forest", "--unweighted"}).at("weight").to_number<double>(), 6);
  EXPECT_EQ(Edges(Json({"forest", "--kinds", "causes"})), "ef hg te");
  EXPECT_TRUE(Json({"forest", "--max-seconds", "0"}).at("truncated").as_bool());
  EXPECT_EQ(Edges(Json({"forest", "--as-of", "2", "--kinds", "causes"})), "hg te");
  EXPECT_NE(Run({"forest"}).out.find("6 edges of weight 17 join 8 nodes into 2 trees"),
            std::string::npos);
  EXPECT_EQ(Run({"forest", "--kinds", "roads"}).code, 2);
  EXPECT_EQ(Run({"forest", "--max-seconds", "-1"}).code, 2);
}

TEST_F(ConnectivityCommands, Cuts) {
  const object cuts = Json({"cuts"});
  EXPECT_EQ(Keys(cuts, "nodes"), "t e");
  EXPECT_EQ(Edges(cuts, "edges"), "te ef");
  EXPECT_EQ(cuts.at("articulation_points").as_int64(), 2);
  EXPECT_EQ(cuts.at("bridges").as_int64(), 2);
  EXPECT_EQ(cuts.at("blocks").as_int64(), 4);
  EXPECT_EQ(cuts.at("largest_block").as_int64(), 4);
  EXPECT_FALSE(cuts.contains("components"));
  EXPECT_EQ(serialize(Json({"cuts", "--blocks"}).at("components")),
            R"([["s","a","b","t"],["t","e"],["e","f"],["g","h"]])");
  EXPECT_EQ(Edges(Json({"cuts", "--kinds", "causes"}), "edges"),
            "te ef hg");  // alone, h -> g is one
  EXPECT_EQ(Edges(Json({"cuts", "--as-of", "1", "--valid-at", "150"}), "edges"), "te ef");
  EXPECT_EQ(Edges(Json({"cuts", "--as-of", "1", "--valid-at", "200"}), "edges"), "te");
  const Finished told = Run({"cuts", "--blocks"});
  EXPECT_NE(told.out.find("2 articulation points and 2 bridges among 8 nodes"), std::string::npos)
      << told.out;
  EXPECT_NE(told.out.find("block of 4: s a b t"), std::string::npos) << told.out;
}

TEST_F(ConnectivityCommands, Dominators) {
  const object from = Json({"dominators", "s"});
  // All that is reached, whoever cuts off most first, each with its immediate dominator.
  EXPECT_EQ(Keys(from), "s t e a b f");
  EXPECT_EQ(from.at("total").as_int64(), 6);
  EXPECT_EQ(Keys(Json({"dominators", "s", "--top", "0"})), "s t e a b f");
  EXPECT_EQ(serialize(from.at("results").as_array()[5]),
            R"({"key":"f","dominator":"e","dominated":0})");
  EXPECT_EQ(from.at("reached").as_int64(), 6);
  EXPECT_EQ(serialize(from.at("results").as_array()[1]),
            R"({"key":"t","dominator":"s","dominated":2})");
  EXPECT_EQ(Keys(Json({"dominators", "s", "--to", "f"})), "s t e f");
  EXPECT_EQ(Keys(Json({"dominators", "s", "--to", "b"})), "s b");
  EXPECT_EQ(Keys(Json({"dominators", "s", "--to", "g"})), "");
  EXPECT_EQ(Keys(Json({"dominators", "f", "--direction", "in", "--top", "2"})), "f e");
  EXPECT_TRUE(Json({"dominators", "s", "--max-seconds", "0"}).at("truncated").as_bool());
  EXPECT_TRUE(Json({"cuts", "--max-seconds", "0"}).at("truncated").as_bool());
  EXPECT_FALSE(Json({"dominators", "s"}).at("truncated").as_bool());
  EXPECT_EQ(Keys(Json({"dominators", "s", "--as-of", "2", "--top", "2"})), "s t");
  EXPECT_EQ(Run({"dominators", "nobody"}).code, 3);
  EXPECT_EQ(Run({"dominators", "s", "--to", "nobody"}).code, 3);
  EXPECT_EQ(Run({"dominators", "s", "--direction", "both"}).code, 2);
  EXPECT_NE(Run({"dominators", "s"}).out.find("6 nodes reached"), std::string::npos);
}

TEST_F(ConnectivityCommands, Flow) {
  const object flow = Json({"flow", "--from", "s", "--to", "t"});
  EXPECT_EQ(flow.at("flow").to_number<double>(), 4.5);
  EXPECT_EQ(flow.at("error").to_number<double>(), 0);
  EXPECT_EQ(Edges(flow, "cut"), "sb ab at");
  EXPECT_EQ(flow.at("nodes").as_int64(), 4);
  EXPECT_EQ(flow.at("source_side").as_int64(), 2);
  EXPECT_EQ(Json({"flow", "--from", "s", "--to", "t", "--capacity", "unit"})
                .at("flow")
                .to_number<double>(),
            2);
  EXPECT_EQ(Json({"flow", "--from", "t", "--to", "s"}).at("flow").to_number<double>(), 0);
  EXPECT_EQ(Json({"flow", "--from", "t", "--to", "s", "--direction", "both"})
                .at("flow")
                .to_number<double>(),
            4.5);
  EXPECT_EQ(Edges(Json({"flow", "--from", "s", "--to", "f"}), "cut"), "ef");
  EXPECT_TRUE(
      Json({"flow", "--from", "s", "--to", "f", "--max-seconds", "0"}).at("truncated").as_bool());
  EXPECT_EQ(
      Json({"flow", "--from", "s", "--to", "f", "--as-of", "2"}).at("flow").to_number<double>(), 0);
  EXPECT_EQ(Run({"flow", "--from", "s", "--to", "s"}).code, 2);
  EXPECT_EQ(Run({"flow", "--from", "s", "--to", "nobody"}).code, 3);
  EXPECT_NE(Run({"flow", "--from", "s", "--to", "t"})
                .out.find("flow 4.5, cut by 3 edges; 4 nodes lie between"),
            std::string::npos);
}

TEST_F(ConnectivityCommands, PathHasBudgetsAndValidTimes) {
  const object all = Json({"path", "--from", "s", "--to", "t", "--count", "9"});
  EXPECT_EQ(all.at("paths").as_array().size(), 3u);
  EXPECT_FALSE(all.at("truncated").as_bool());
  EXPECT_TRUE(Json({"path", "--from", "s", "--to", "t", "--count", "9", "--max-edges", "6"})
                  .at("truncated")
                  .as_bool());
  EXPECT_TRUE(Json({"path", "--from", "s", "--to", "t", "--count", "9", "--max-seconds", "0"})
                  .at("truncated")
                  .as_bool());
  const std::vector<std::string> old = {"path", "--from",  "s", "--to",
                                        "f",    "--as-of", "1", "--valid-at"};
  const auto paths = [&](const char* at) {
    std::vector<std::string> arguments = old;
    arguments.emplace_back(at);
    return Json(std::move(arguments)).at("paths").as_array().size();
  };
  EXPECT_EQ(paths("150"), 1u);
  EXPECT_EQ(paths("99"), 0u);
}

TEST_F(ConnectivityCommands, IterationsAreAMaximum) {
  for (const char* command : {"katz", "eigenvector", "hits"}) {
    SCOPED_TRACE(command);
    std::vector<std::string> two = {command, "--iterations", "2", "--tolerance", "1e-12"};
    if (two[0] == "katz") two.insert(two.end(), {"--alpha", "0.1"});
    const object reply = Json(two);
    EXPECT_EQ(reply.at("iterations").as_int64(), 2);
    EXPECT_TRUE(reply.at("truncated").as_bool());
    EXPECT_FALSE(reply.at("converged").as_bool());
    EXPECT_NE(Run(two).out.find("not converged when the budget or --iterations"), std::string::npos)
        << Run(two).out;
    two[2] = "100000";
    EXPECT_FALSE(Json(two).at("truncated").as_bool());
    two[2] = "0";
    EXPECT_EQ(Run(two).code, 2);
  }
}

// A loop is one edge of its node, whichever way one looks.
TEST(Loops, AreListedAndWalkedOnce) {
  const TempDir dir;
  const std::string lines = R"({"edge":["x","x"],"kind":"link"})"
                            "\n"
                            R"({"edge":["x","y"],"kind":"link"})"
                            "\n";
  ASSERT_EQ(Plexus({"import", "--db", dir / "g", "--format", "jsonl", "-"}, {.input = lines}).code,
            0);
  const auto ask = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--db", dir / "g", "--json"});
    return Plexus(words).Json();
  };
  EXPECT_EQ(ask({"neighbors", "x"}).at("neighbors").as_array().size(), 2u);
  EXPECT_EQ(ask({"neighbors", "x", "--direction", "in"}).at("neighbors").as_array().size(), 1u);
  const object sums =
      ask({"traverse", "--from", "y", "--hops", "2", "--direction", "both", "--aggregate", "sum"});
  EXPECT_EQ(sums.at("nodes").as_array()[0].as_object().at("score").to_number<double>(), 2);
  const object katz = ask({"katz", "--direction", "both", "--alpha", "0.1"});
  EXPECT_NEAR(katz.at("results").as_array()[0].as_object().at("score").to_number<double>(),
              1.1 / 0.89, 1e-9);
}

}  // namespace
}  // namespace plexus::testing
