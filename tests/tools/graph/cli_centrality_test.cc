// betweenness, closeness, katz, eigenvector, hits, similar from the command line.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "tests/tools/graph/structure_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

TEST_F(StructureCommands, Betweenness) {
  const object reply = Json({"betweenness"});
  EXPECT_TRUE(reply.at("exact").as_bool());
  EXPECT_EQ(reply.at("bound").to_number<double>(), 0);
  EXPECT_EQ(Shown(reply, "score"), "c 4, d 3");
  EXPECT_EQ(reply.at("results").as_array()[0].as_object().at("share").to_number<double>(), 4.0 / 6);
  EXPECT_EQ(Shown(Json({"betweenness", "--directed"}), "score"), "c 4, d 3");
  EXPECT_EQ(Shown(Json({"betweenness", "--max-hops", "2"}), "score"), "c 2, d 1");
  const object sampled = Json({"betweenness", "--samples", "2", "--seed", "3"});
  EXPECT_FALSE(sampled.at("exact").as_bool());
  EXPECT_EQ(sampled.at("sources").as_int64(), 2);
  EXPECT_GT(sampled.at("bound").to_number<double>(), 0);
}

TEST_F(StructureCommands, Closeness) {
  const object reply = Json({"closeness", "--top", "2"});
  EXPECT_TRUE(reply.at("exact").as_bool());
  EXPECT_EQ(Shown(reply, "closeness"), "c 0.8, d 0.666667");
  EXPECT_EQ(Shown(reply, "harmonic"), "c 3.5, d 3");
  EXPECT_EQ(Shown(Json({"closeness", "--harmonic", "--direction", "in", "--top", "2"}), "harmonic"),
            "e 2.166667, c 2");
  EXPECT_EQ(Shown(Json({"closeness", "--of", "e", "--direction", "out"}), "closeness"), "e 0");
  EXPECT_EQ(Shown(Json({"closeness", "--of", "e", "--of", "d", "--of", "e", "--direction", "out",
                        "--top", "1"}),
                  "closeness"),
            "d 0.25");
  const Finished elsewhere = Run({"closeness", "--of", "a", "--scope", "other"});
  EXPECT_EQ(elsewhere.code, 2);
  EXPECT_NE(elsewhere.err.find("node 'a' is outside the subset or scope"), std::string::npos)
      << elsewhere.err;
  EXPECT_EQ(Shown(Json({"closeness", "--of", "d", "--direction", "out"}), "closeness"), "d 0.25");
  EXPECT_EQ(
      Shown(Json({"closeness", "--of", "d", "--direction", "out", "--unscaled"}), "closeness"),
      "d 1");
  EXPECT_EQ(Shown(Json({"closeness", "--of", "a", "--max-hops", "1"}), "reached"), "a 2");
  EXPECT_EQ(Shown(Json({"closeness", "--of", "d", "--valid-at", "300"}), "reached"), "d 3");
  const object sampled = Json({"closeness", "--samples", "2", "--seed", "3"});
  EXPECT_FALSE(sampled.at("exact").as_bool());
  EXPECT_EQ(sampled.at("sources").as_int64(), 2);
  EXPECT_EQ(sampled.at("bound").to_number<double>(), 1);  // two of five prove nothing
  EXPECT_EQ(Run({"closeness", "--of", "nobody"}).code, 3);
  // Out of time: who was not measured is not listed, and nothing is exact.
  const object late = Json({"closeness", "--of", "e", "--max-seconds", "0"});
  EXPECT_TRUE(late.at("truncated").as_bool());
  EXPECT_FALSE(late.at("exact").as_bool());
  EXPECT_EQ(late.at("bound").to_number<double>(), 1);
  EXPECT_EQ(Shown(late, "closeness"), "");
  const std::string said = Run({"closeness", "--of", "e", "--max-seconds", "0"}).out;
  EXPECT_EQ(said.find("exact"), std::string::npos) << said;
  EXPECT_NE(said.find("the later nodes of --of were not measured"), std::string::npos) << said;
  EXPECT_NE(Run({"closeness"}).out.find("exact, 5 nodes"), std::string::npos);
}

// d -> e was valid long ago: "now" is taken as a time, and that edge is not there.
TEST_F(StructureCommands, ValidNow) {
  EXPECT_EQ(Shown(Json({"closeness", "--of", "d", "--valid-at", "now"}), "reached"), "d 3");
  EXPECT_EQ(Shown(Json({"descendants", "a", "--valid-at", "now"}), "distance"), "b 1, c 1, d 2");
  EXPECT_EQ(Shown(Json({"match", ".+", "--from", "d", "--valid-at", "now"}), "hops", "nodes"), "");
  EXPECT_EQ(
      Shown(Json({"hits", "--kinds", "likes", "--valid-at", "now", "--unweighted"}), "authority"),
      "a 1");
  EXPECT_EQ(Shown(Json({"similar", "--of", "c", "--valid-at", "now"}), "score"), "a 0.25, b 0.25");
  EXPECT_EQ(Shown(Json({"betweenness", "--valid-at", "now"}), "score"), "c 2");
  for (const char* command : {"katz", "eigenvector", "triangles", "kcore", "distances"}) {
    std::vector<std::string> question = {command, "--valid-at", "now"};
    if (question[0] == "distances") question.insert(question.end(), {"--from", "a"});
    EXPECT_EQ(Run(question).code, 0) << command;
  }
  EXPECT_EQ(Run({"katz", "--valid-at", "soon"}).code, 2);
}

TEST_F(StructureCommands, Katz) {
  // a <-> b is the one cycle: 1 + 0.1 * the other's.
  const object reply = Json({"katz", "--alpha", "0.1", "--unweighted"});
  EXPECT_TRUE(reply.at("converged").as_bool());
  EXPECT_EQ(Shown(reply, "score"), "c 1.222222, d 1.122222, e 1.112222, a 1.111111, b 1.111111");
  EXPECT_EQ(Run({"katz", "--alpha", "1.5", "--unweighted"}).code, 2);
  EXPECT_NE(Run({"katz", "--alpha", "1.5", "--unweighted"}).err.find("spectral radius is at least"),
            std::string::npos);
  EXPECT_EQ(Run({"katz", "--alpha", "0"}).code, 2);
  const object found = Json({"katz"});
  EXPECT_LE(found.at("alpha").to_number<double>() * found.at("radius").to_number<double>(), 0.51);
  EXPECT_NE(Run({"katz"}).out.find("spectral radius at most"), std::string::npos);
  const object late = Json({"katz", "--max-seconds", "0", "--top", "1"});
  EXPECT_TRUE(late.at("truncated").as_bool());
  EXPECT_EQ(late.at("alpha").to_number<double>(), 0);
  EXPECT_EQ(Shown(late, "score"), "a 1");
}

TEST_F(StructureCommands, EigenvectorAndHits) {
  const object reply = Json(
      {"eigenvector", "--kinds", "knows", "--direction", "both", "--unweighted", "--top", "1"});
  EXPECT_TRUE(reply.at("converged").as_bool());
  EXPECT_NEAR(reply.at("eigenvalue").to_number<double>(), 2.170086,
              1e-6);  // a triangle with a tail of one
  EXPECT_TRUE(Shown(reply, "score").starts_with("c 0.61"));
  const object hits = Json({"hits", "--kinds", "likes", "--unweighted"});
  EXPECT_TRUE(hits.at("converged").as_bool());
  EXPECT_EQ(Shown(hits, "authority"), "a 0.5, e 0.5");
  EXPECT_EQ(
      Shown(Json({"hits", "--hubs", "--kinds", "likes", "--unweighted", "--top", "1"}), "hub"),
      "b 0.5");
  EXPECT_EQ(Run({"hits", "--tolerance", "0"}).code, 2);
  // d -> e and b -> a are all there is: nothing leads round.
  const object none = Json({"eigenvector", "--kinds", "likes"});
  EXPECT_TRUE(none.at("acyclic").as_bool() && none.at("converged").as_bool());
  EXPECT_FALSE(none.at("truncated").as_bool());
  EXPECT_EQ(none.at("eigenvalue").to_number<double>(), 0);
  EXPECT_EQ(Shown(none, "score"), "");
  EXPECT_NE(Run({"eigenvector", "--kinds", "likes"}).out.find("form a cycle"), std::string::npos);
  EXPECT_FALSE(Json({"eigenvector"}).at("acyclic").as_bool());
}

TEST_F(StructureCommands, Similar) {
  EXPECT_EQ(Shown(Json({"similar", "--of", "a"}), "score"), "b 0.333333, d 0.333333, c 0.25");
  const object reply = Json({"similar", "--of", "a", "--measure", "common", "--top", "1"});
  EXPECT_EQ(reply.at("candidates").as_int64(), 3);
  EXPECT_EQ(reply.at("neighbors").as_int64(), 2);
  EXPECT_EQ(Shown(reply, "shared"), "b 1");
  EXPECT_EQ(Shown(Json({"similar", "--of", "a", "--least", "2"}), "score"), "");
  EXPECT_EQ(Shown(Json({"similar", "--of", "b", "--direction", "out"}), "score"), "a 0.333333");
  EXPECT_EQ(Shown(Json({"similar", "--of", "b", "--direction", "in"}), "score"), "c 0.5");
  EXPECT_TRUE(Json({"similar", "--of", "a", "--max-edges", "3"}).at("truncated").as_bool());
  const object pair =
      Json({"similar", "--of", "a", "--with", "d", "--with", "e", "--measure", "resource"});
  EXPECT_EQ(boost::json::serialize(pair.at("pairs").as_array()[0]),
            R"({"a":"a","b":"d","score":3.333333333333333E-1,"shared":1,"neighbors_a":2,)"
            R"("neighbors_b":2})");
  EXPECT_EQ(pair.at("pairs").as_array()[1].as_object().at("shared").as_int64(), 0);
  for (const char* option : {"--least", "--top"}) {
    const Finished both = Run({"similar", "--of", "a", "--with", "d", option, "2"});
    EXPECT_EQ(both.code, 2) << option;
    EXPECT_NE(both.err.find(option), std::string::npos) << both.err;
  }
  const object best = Json({"similar", "--measure", "common", "--top", "2"});
  const auto& rows = best.at("pairs").as_array();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].as_object().at("a").as_string(), "a");
  EXPECT_EQ(rows[0].as_object().at("b").as_string(), "b");
  EXPECT_EQ(Run({"similar", "--with", "a"}).code, 2);
  EXPECT_EQ(Run({"similar", "--of", "a", "--with", "a"}).code, 2);
  EXPECT_EQ(Run({"similar", "--of", "nobody"}).code, 3);
  EXPECT_EQ(Run({"similar", "--measure", "cosine"}).code, 2);
  EXPECT_NE(Run({"similar", "--of", "a"}).out.find("3 nodes share some of 2 neighbours"),
            std::string::npos);
}

// Edges are counted as a search looks at them: 64 searches of closeness go together.
TEST(CentralityLimits, SearchesEndWithTheEdges) {
  const TempDir dir;
  std::string ring;
  for (int i = 0; i < 200; ++i)
    ring += std::to_string(i) + " " + std::to_string((i + 1) % 200) + "\n";
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"import", "--db", db, dir.File("ring.el", ring)}).code, 0);
  const auto sources = [&](const std::string& command, const std::string& edges) {
    const Finished run = Plexus({command, "--db", db, "--max-edges", edges, "--json"});
    EXPECT_EQ(run.code, 0) << run.err;
    const boost::json::object reply = run.Json();
    const auto count = reply.at("sources").to_number<int>();
    EXPECT_EQ(reply.at("truncated").as_bool(), count < 200) << command << " " << edges;
    EXPECT_EQ(reply.at("exact").as_bool(), count == 200) << command << " " << edges;
    return count;
  };
  EXPECT_EQ(sources("closeness", "399"), 0);
  EXPECT_EQ(sources("closeness", "400"), 64);
  EXPECT_EQ(sources("closeness", "1599"), 192);
  EXPECT_EQ(sources("closeness", "1600"), 200);
  EXPECT_EQ(sources("betweenness", "4000"), 10);
  EXPECT_EQ(sources("betweenness", "80000"), 200);
  const auto of =
      Plexus({"closeness", "--db", db, "--of", "3", "--max-edges", "1", "--json"}).Json();
  EXPECT_TRUE(of.at("truncated").as_bool());
}

}  // namespace
}  // namespace plexus::testing
