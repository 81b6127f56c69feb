// traverse, path, bfs, components, topological order from the command line.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/tools/graph/queries_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

TEST_F(QueryCommands, TraverseGivesScoresWithProof) {
  const object reply = Json({"traverse", "--from", "a", "--hops", "3"});
  EXPECT_FALSE(reply.at("truncated").as_bool());
  ASSERT_EQ(Each(reply.at("nodes"), "key score hops"), "b 0.5 1, c 0.25 2, d 0.25 3");
  EXPECT_EQ(Each(reply.at("nodes").at(2).at("path"), "source kind target weight"),
            "a knows b 0.5, b knows c 0.5, c likes d 1");
  ExpectReplies(
      {{{"traverse", "--from", "a", "--hops", "0"}, "nodes", "key", ""},
       {{"traverse", "--from", "a", "--include-superseded", "--top", "1"}, "nodes", "key", "m1"}});
  EXPECT_TRUE(Says(Run({"traverse", "--from", "a", "--paths"}).out, "--likes--> d"));
  EXPECT_EQ(Run({"traverse", "--from", "a", "--hops", "17"}).code, 2);
}

TEST_F(QueryCommands, PathByHopsAndByWeights) {
  const auto path = [](const Words& more) {
    const Words words = With({"path", "--from", "a", "--to", "d"}, more);
    return words;
  };
  const object weighted = Json(path({"--weighted", "--count", "5"}));
  EXPECT_EQ(Each(weighted.at("paths"), "hops"), "3, 1");
  EXPECT_NEAR(weighted.at("paths").at(0).at("cost").to_number<double>(), -std::log(0.25), 1e-12);
  EXPECT_EQ(weighted.at("paths").at(0).at("edges").as_array().size(), 3u);
  EXPECT_EQ(Json(path({"--cost", "log", "--count", "5"})), weighted);
  EXPECT_EQ(Json(path({"--cost", "hops"})), Json(path({})));
  ExpectReplies({
      {path({}), "paths", "hops", "1"},
      {path({"--cost", "length", "--count", "5"}), "paths", "cost", "0.125, 2"},
      {{"path", "--from", "d", "--to", "a"}, "paths", "hops", ""},
      {{"path", "--from", "d", "--to", "a", "--direction", "both"}, "paths", "hops", "1"},
  });
  ExpectRefused({
      {path({"--count", "0"}), 2, "--count"},
      {path({"--cost", "miles"}), 2, "miles"},
      {path({"--cost", "hops", "--weighted"}), 2, ""},
      {path({"--cost", "length", "--column", "trust"}), 2, "--cost and --column"},
  });
  EXPECT_TRUE(Says(Run(path({"--cost", "log"})).out, "product of weights"));
}

TEST_F(QueryCommands, PathToAnIndexNodeSaysWhyThereIsNone) {
  ExpectReplies({
      {{"path", "--from", "a", "--to", "tag:red"},
       "",
       "paths why",
       "[] tag:red is an index node and no edge between facts touches it; name kinds that do with "
       "--kinds: has_tag"},
      {{"path", "--from", "a", "--to", "tag:red", "--kinds", "has_tag"}, "paths", "hops", "1"},
      {{"path", "--from", "d", "--to", "a"}, "", "why", ""},
  });
  EXPECT_TRUE(Says(Run({"path", "--from", "tag:red", "--to", "a", "--kinds", "knows"}).out,
                   "no path from tag:red to a: tag:red is an index node and no edge of the kinds "
                   "named touches it"));
}

TEST_F(QueryCommands, BfsAndComponents) {
  ExpectReplies({
      {{"bfs", "--from", "b"}, "", "total levels", "3 [1,1,1]"},
      {{"bfs", "--from", "b"}, "results", "key parent", "b, c b, d c"},
      {{"components"}, "", "total largest", "2 6"},
      {{"components", "--kinds", "likes"}, "", "total", "6"},
      {{"bfs", "--from", "a", "--from", "c", "--each"}, "", "truncated", "false"},
      {{"bfs", "--from", "a", "--from", "c", "--each"},
       "sources",
       "key reached levels",
       "a 5 [1,3,1], c 2 [1,1]"},
  });
  Words many = {"bfs", "--each", "--depth", "1"};  // more than fit one search
  for (int i = 0; i < 70; ++i) many.insert(many.end(), {"--from", i % 2 ? "a" : "b"});
  EXPECT_EQ(Json(many).at("sources").as_array().size(), 70u);
  EXPECT_TRUE(Says(Run({"bfs", "--from", "a", "--each"}).out, "by depth"));
}

class Ordered : public ProgramTest {};

TEST_F(Ordered, StrongComponentsAndTopologicalOrder) {
  Import(R"({"edge":["app","lib"],"kind":"depends_on"}
{"edge":["lib","core"],"kind":"depends_on"}
{"edge":["x","y"],"kind":"knows"}
{"edge":["y","x"],"kind":"knows"}
{"edge":["y","z"],"kind":"knows"}
)");
  ExpectReplies({
      {{"components", "--strong", "--kinds", "knows,depends_on"}, "", "total largest", "5 2"},
      {{"components", "--kinds", "knows,depends_on"}, "", "total", "2"},
      {{"topo", "--reverse"}, "", "acyclic", "true"},
      {{"topo", "--reverse"}, "results", "key level", "core 0, lib 1, app 2"},
  });
  const Finished cyclic = Run({"topo", "--kinds", "knows", "--json"});
  EXPECT_EQ(cyclic.code, 1);
  EXPECT_EQ(Each(array{cyclic.Json()}, "acyclic cycles"),
            R"(false [{"size":2,"nodes":["x","y"]}])");
  EXPECT_TRUE(Says(Run({"topo", "--kinds", "knows"}).out, "cycle: x -> y -> x"));
  EXPECT_EQ(Run({"topo", "--kinds", "similar"}).code, 2);
}

TEST_F(Ordered, TraverseReachesEventsAndOutcomesWhenTheirKindsAreNamed) {
  Import(R"({"event":"e1","query":"why","members":[{"id":"m1","role":"primary"},{"id":"m2"},)"
         R"({"id":"old"}]}
{"outcome":"e1","type":"helpful","labeled_at":5}
{"edge":["m2","old"],"kind":"supersedes"}
)");
  ExpectReplies({
      {{"traverse", "m1", "--kinds", "member,labels", "--direction", "in", "--hops", "2"},
       "nodes",
       "key",
       "event:e1, outcome:helpful/5//e1"},
      {{"traverse", "m1", "--kinds", "member", "--direction", "both", "--hops", "2"},
       "nodes",
       "key",
       "event:e1, m2"},  // old stays hidden
      {{"traverse", "m1", "--direction", "both"}, "nodes", "key", ""},
  });
}

}  // namespace
}  // namespace plexus::testing
