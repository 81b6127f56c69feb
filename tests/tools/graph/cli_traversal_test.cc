// traverse, path, bfs, components, topological order from the command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/graph/queries_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

TEST_F(QueryCommands, TraverseGivesScoresWithProof) {
  const object reply = Json({"traverse", "--from", "a", "--hops", "3"});
  EXPECT_FALSE(reply.at("truncated").as_bool());
  bool found = false;
  for (const auto& row : reply.at("nodes").as_array()) {
    const object& hit = row.as_object();
    EXPECT_NE(hit.at("key").as_string(), "m1");  // superseded
    if (hit.at("key").as_string() != "d") continue;
    found = true;
    EXPECT_EQ(hit.at("score").to_number<double>(), 0.25);
    EXPECT_EQ(hit.at("hops").as_int64(), 3);
    const array& path = hit.at("path").as_array();
    ASSERT_EQ(path.size(), 3u);
    EXPECT_EQ(path[2].as_object().at("source").as_string(), "c");
    EXPECT_EQ(path[2].as_object().at("kind").as_string(), "likes");
    EXPECT_EQ(path[2].as_object().at("target").as_string(), "d");
    EXPECT_EQ(path[2].as_object().at("weight").to_number<double>(), 1);
  }
  EXPECT_TRUE(found);
  const std::string all = Run({"traverse", "--from", "a", "--include-superseded", "--json"}).out;
  EXPECT_NE(all.find("\"m1\""), std::string::npos);
  EXPECT_EQ(Json({"traverse", "--from", "a", "--hops", "0"}).at("nodes").as_array().size(), 0u);
  EXPECT_EQ(Run({"traverse", "--from", "a", "--hops", "17"}).code, 2);
  EXPECT_NE(Run({"traverse", "--from", "a", "--paths"}).out.find("--likes--> d"),
            std::string::npos);
}

TEST_F(QueryCommands, PathByHopsAndByWeights) {
  const object hops = Json({"path", "--from", "a", "--to", "d"});
  ASSERT_EQ(hops.at("paths").as_array().size(), 1u);
  EXPECT_EQ(hops.at("paths").as_array()[0].as_object().at("hops").as_int64(), 1);
  const object weighted = Json({"path", "--from", "a", "--to", "d", "--weighted", "--count", "5"});
  ASSERT_EQ(weighted.at("paths").as_array().size(), 2u);
  const object& best = weighted.at("paths").as_array()[0].as_object();
  EXPECT_EQ(best.at("hops").as_int64(), 3);
  EXPECT_NEAR(best.at("cost").to_number<double>(), -std::log(0.25), 1e-12);
  EXPECT_EQ(best.at("edges").as_array().size(), 3u);
  EXPECT_EQ(Json({"path", "--from", "d", "--to", "a"}).at("paths").as_array().size(), 0u);
  EXPECT_EQ(Json({"path", "--from", "d", "--to", "a", "--direction", "both"})
                .at("paths")
                .as_array()
                .size(),
            1u);
  EXPECT_EQ(Run({"path", "--from", "a", "--to", "d", "--count", "0"}).code, 2);
  EXPECT_EQ(Json({"path", "--from", "a", "--to", "d", "--cost", "log", "--count", "5"}), weighted);
  EXPECT_EQ(Json({"path", "--from", "a", "--to", "d", "--cost", "hops"}), hops);
  const object length =
      Json({"path", "--from", "a", "--to", "d", "--cost", "length", "--count", "5"});
  ASSERT_EQ(length.at("paths").as_array().size(), 2u);
  EXPECT_EQ(length.at("paths").at(0).at("cost").to_number<double>(), 0.125);
  EXPECT_EQ(length.at("paths").at(1).at("cost").to_number<double>(), 2);
  EXPECT_EQ(Run({"path", "--from", "a", "--to", "d", "--cost", "miles"}).code, 2);
  EXPECT_EQ(Run({"path", "--from", "a", "--to", "d", "--cost", "hops", "--weighted"}).code, 2);
  const Finished two =
      Run({"path", "--from", "a", "--to", "d", "--cost", "length", "--column", "trust"});
  EXPECT_EQ(two.code, 2);
  EXPECT_NE(two.err.find("--cost and --column"), std::string::npos) << two.err;
  EXPECT_NE(
      Run({"path", "--from", "a", "--to", "d", "--cost", "log"}).out.find("product of weights"),
      std::string::npos);
}

TEST_F(QueryCommands, PathToAnIndexNodeSaysWhyThereIsNone) {
  const object none = Json({"path", "--from", "a", "--to", "tag:red"});
  EXPECT_EQ(none.at("paths").as_array().size(), 0u);
  EXPECT_EQ(none.at("why").as_string(),
            "tag:red is an index node and no edge between facts touches it; name kinds that do "
            "with --kinds: has_tag");
  EXPECT_NE(Run({"path", "--from", "tag:red", "--to", "a", "--kinds", "knows"})
                .out.find("no path from tag:red to a: tag:red is an index node and no edge of the "
                          "kinds named touches it"),
            std::string::npos);
  EXPECT_EQ(Json({"path", "--from", "a", "--to", "tag:red", "--kinds", "has_tag"})
                .at("paths")
                .as_array()
                .size(),
            1u);
  EXPECT_FALSE(Json({"path", "--from", "d", "--to", "a"}).contains("why"));
}

TEST_F(QueryCommands, BfsAndComponents) {
  const object bfs = Json({"bfs", "--from", "b"});
  EXPECT_EQ(bfs.at("total").as_int64(), 3);
  EXPECT_EQ(bfs.at("levels").as_array(), array({1, 1, 1}));
  EXPECT_EQ(bfs.at("results").as_array()[2].as_object().at("parent").as_string(), "c");
  const object parts = Json({"components"});
  EXPECT_EQ(parts.at("total").as_int64(), 2);
  EXPECT_EQ(parts.at("largest").as_int64(), 6);
  EXPECT_EQ(Json({"components", "--kinds", "likes"}).at("total").as_int64(), 6);
}

TEST_F(QueryCommands, BfsFromEachByItself) {
  const object reply = Json({"bfs", "--from", "a", "--from", "c", "--each"});
  EXPECT_FALSE(reply.at("truncated").as_bool());
  const array& sources = reply.at("sources").as_array();
  ASSERT_EQ(sources.size(), 2u);
  for (const auto& entry : sources) {
    const object& source = entry.as_object();
    const object alone = Json({"bfs", "--from", std::string(source.at("key").as_string())});
    EXPECT_EQ(source.at("reached"), alone.at("total"));
    EXPECT_EQ(source.at("levels"), alone.at("levels"));
  }
  std::vector<std::string> many = {"bfs", "--each", "--depth", "1"};  // more than fit one search
  for (int i = 0; i < 70; ++i) many.insert(many.end(), {"--from", i % 2 ? "a" : "b"});
  EXPECT_EQ(Json(many).at("sources").as_array().size(), 70u);
  EXPECT_NE(Run({"bfs", "--from", "a", "--each"}).out.find("by depth"), std::string::npos);
}

TEST_F(QueryCommands, StrongComponentsAndTopologicalOrder) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string lines = R"({"edge":["app","lib"],"kind":"depends_on"})"
                            "\n"
                            R"({"edge":["lib","core"],"kind":"depends_on"})"
                            "\n"
                            R"({"edge":["x","y"],"kind":"knows"})"
                            "\n"
                            R"({"edge":["y","x"],"kind":"knows"})"
                            "\n"
                            R"({"edge":["y","z"],"kind":"knows"})"
                            "\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--format", "jsonl", "-"}, {.input = lines}).code, 0);
  const auto json = [&](std::vector<std::string> arguments, int code) {
    arguments.insert(arguments.end(), {"--db", db, "--json"});
    const Finished run = Plexus(arguments);
    EXPECT_EQ(run.code, code) << run.err;
    return run.Json();
  };
  const object strong = json({"components", "--strong", "--kinds", "knows,depends_on"}, 0);
  EXPECT_EQ(strong.at("total").as_int64(), 5);
  EXPECT_EQ(strong.at("largest").as_int64(), 2);
  EXPECT_EQ(strong.at("results").as_array()[0].as_object().at("key").as_string(), "x");
  EXPECT_EQ(json({"components", "--kinds", "knows,depends_on"}, 0).at("total").as_int64(), 2);

  const object order = json({"topo", "--reverse"}, 0);
  EXPECT_TRUE(order.at("acyclic").as_bool());
  const array& nodes = order.at("results").as_array();
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].as_object().at("key").as_string(), "core");
  EXPECT_EQ(nodes[2].as_object().at("key").as_string(), "app");
  EXPECT_EQ(nodes[2].as_object().at("level").as_int64(), 2);
  const object cyclic = json({"topo", "--kinds", "knows"}, 1);
  EXPECT_FALSE(cyclic.at("acyclic").as_bool());
  EXPECT_EQ(cyclic.at("cycles").as_array()[0].as_object().at("nodes").as_array(),
            array({"x", "y"}));
  EXPECT_EQ(cyclic.at("results").as_array().size(), 3u);
  const Finished told = Plexus({"topo", "--db", db, "--kinds", "knows"});
  EXPECT_EQ(told.code, 1);
  EXPECT_NE(told.out.find("cycle: x -> y -> x"), std::string::npos) << told.out;
  EXPECT_EQ(Plexus({"topo", "--db", db, "--kinds", "similar"}).code, 2);
  EXPECT_EQ(Plexus({"topo", "--db", db}).code, 0);
}

TEST_F(QueryCommands, TraverseReachesEventsAndOutcomesWhenTheirKindsAreNamed) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string lines =
      R"({"event":"e1","query":"why","members":[{"id":"m1","role":"primary"},{"id":"m2"},)"
      R"({"id":"old"}]})"
      "\n"
      R"({"outcome":"e1","type":"helpful","labeled_at":5})"
      "\n"
      R"({"edge":["m2","old"],"kind":"supersedes"})"
      "\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--format", "jsonl", "-"}, {.input = lines}).code, 0);
  const auto keys = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"traverse", "--db", db, "--json", "--from", "m1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::string found;
    const object reply = Plexus(arguments).Json();
    for (const auto& node : reply.at("nodes").as_array()) {
      std::string key(node.as_object().at("key").as_string());
      std::replace(key.begin(), key.end(), '\x1f', ':');
      found += key + " ";
    }
    return found;
  };
  EXPECT_EQ(keys({"--kinds", "member,labels", "--direction", "in", "--hops", "2"}),
            "event:e1 outcome:helpful/5//e1 ");
  EXPECT_EQ(keys({"--kinds", "member", "--direction", "both", "--hops", "2"}),
            "event:e1 m2 ");  // old stays hidden
  EXPECT_EQ(keys({"--direction", "both"}), "");
}

}  // namespace
}  // namespace plexus::testing
