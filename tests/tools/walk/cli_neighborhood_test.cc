// neighborhood: nodes and edges within some hops, with hop, direction and decay.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

class Neighborhood : public ProgramTest {
 protected:
  void SetUp() override {
    // a -> b -> c, d -> b, c -- e (symmetric).
    Import(R"({"kind":"near","plane":"fact","symmetric":true}
{"edge":["a","b"],"kind":"knows"}
{"edge":["b","c"],"kind":"knows"}
{"edge":["d","b"],"kind":"knows"}
{"edge":["c","e"],"kind":"near"}
)");
  }
  boost::json::object Ask(Words words) const {
    words.insert(words.begin(), "neighborhood");
    return Json(words);
  }
};

TEST_F(Neighborhood, HopsAndDecayByDirection) {
  const auto reply = Ask({"--from", "a", "--hops", "2", "--forward", "0.5", "--backward", "0.1"});
  EXPECT_EQ(Each(reply.at("nodes"), "key hop decay direction"),
            "a 0 1 seed, b 1 0.5 forward, c 2 0.25 forward, d 2 0.05 backward");
  // An edge without a direction is never walked backward, from whichever end.
  for (const char* way : {"both", "in", "out"})
    for (const auto& [from, to] : {std::pair("c", "e"), std::pair("e", "c")})
      EXPECT_EQ(Each(Ask({from, "--kinds", "near", "--direction", way, "--forward", "0.5",
                          "--backward", "0.9"})
                         .at("nodes"),
                     "key hop decay direction"),
                std::string(from) + " 0 1 seed, " + to + " 1 0.5 forward")
          << way;
  EXPECT_EQ(reply.at("edges").as_array().size(), 3u);
  EXPECT_FALSE(reply.at("truncated").as_bool());
}

TEST_F(Neighborhood, EdgesAreThoseBetweenTheNodesEachOnce) {
  ExpectReplies({
      {{"neighborhood", "c", "--hops", "1"}, "nodes", "key", "c, b, e"},
      {{"neighborhood", "c", "--hops", "1"}, "edges", "source target", "b c, c e"},
      {{"neighborhood", "b", "--hops", "3", "--direction", "out"}, "nodes", "key", "b, c, e"},
      {{"neighborhood", "b", "--kinds", "near"}, "nodes", "key", "b"},
  });
}

TEST_F(Neighborhood, LimitsAreKept) {
  ExpectReplies(
      {{{"neighborhood", "a", "--hops", "3", "--max-nodes", "2"}, "", "truncated", "true"}});
  EXPECT_EQ(Ask({"a", "--hops", "3", "--max-nodes", "2"}).at("nodes").as_array().size(), 2u);
  ExpectRefused({{{"neighborhood", "a", "--hops", "17"}, 2, "--hops"}, {{"neighborhood"}, 2, ""}});
  ExpectPrinted({{{"neighborhood", "a"}, "4 nodes"}});
}

// What bytes leave room for is a graph: nodes, and each edge between them that has room, too.
TEST_F(Neighborhood, AReplyCutByItsBytesHasNodesAndTheirEdges) {
  std::string lines;
  for (int i = 1; i < 400; ++i)
    for (const int other : {i / 2, i / 3})
      lines += R"({"edge":["n)" + std::to_string(i) + R"(","n)" + std::to_string(other) +
               R"("],"kind":"knows"})" + "\n";
  Import(lines);
  const auto reply = Ask({"n0", "--hops", "16", "--max-bytes", "6000"});
  EXPECT_TRUE(reply.at("truncated").as_bool());
  std::set<std::string> keys;
  for (const auto& node : reply.at("nodes").as_array())
    keys.insert(std::string(node.at("key").as_string()));
  EXPECT_LT(keys.size(), 100u);
  const auto& edges = reply.at("edges").as_array();
  EXPECT_GE(edges.size(), keys.size() / 2);
  for (const auto& edge : edges)
    for (const char* end : {"source", "target"})
      EXPECT_TRUE(keys.contains(std::string(edge.at(end).as_string())));
}

}  // namespace
}  // namespace plexus::testing
