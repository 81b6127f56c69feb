// neighborhood: nodes and edges within some hops, with hop, direction and decay.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

class Neighborhood : public ::testing::Test {
 protected:
  void SetUp() override {
    // a -> b -> c, d -> b, c -- e (symmetric), c -> c.
    const std::string lines = R"({"kind":"near","plane":"fact","symmetric":true})"
                              "\n"
                              R"({"edge":["a","b"],"kind":"knows"})"
                              "\n"
                              R"({"edge":["b","c"],"kind":"knows"})"
                              "\n"
                              R"({"edge":["d","b"],"kind":"knows"})"
                              "\n"
                              R"({"edge":["c","e"],"kind":"near"})"
                              "\n";
    ASSERT_EQ(Plexus({"import", "--db", db_, "--format", "jsonl", "-"}, {.input = lines}).code, 0);
  }

  boost::json::object Ask(std::vector<std::string> words) {
    words.insert(words.begin(), {"neighborhood", "--db", db_, "--json"});
    const Finished run = Plexus(words);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.Json();
  }

  // key -> "hop decay direction"
  static std::map<std::string, std::string> Nodes(const boost::json::object& reply) {
    std::map<std::string, std::string> nodes;
    for (const auto& node : reply.at("nodes").as_array())
      nodes[std::string(node.at("key").as_string())] =
          std::to_string(node.at("hop").to_number<int>()) + " " +
          std::to_string(static_cast<int>(node.at("decay").to_number<double>() * 1000 + 0.5)) +
          " " + std::string(node.at("direction").as_string());
    return nodes;
  }

  const TempDir dir_;
  const std::string db_ = dir_ / "g";
};

TEST_F(Neighborhood, HopsAndDecayByDirection) {
  const auto reply = Ask({"--from", "a", "--hops", "2", "--forward", "0.5", "--backward", "0.1"});
  const std::map<std::string, std::string> expected = {
      {"a", "0 1000 seed"}, {"b", "1 500 forward"}, {"c", "2 250 forward"}, {"d", "2 50 backward"}};
  EXPECT_EQ(Nodes(reply), expected);
  EXPECT_EQ(reply.at("edges").as_array().size(), 3u);
  EXPECT_FALSE(reply.at("truncated").as_bool());
}

TEST_F(Neighborhood, EdgesAreThoseBetweenTheNodesEachOnce) {
  const auto reply = Ask({"--from", "c", "--hops", "1"});
  EXPECT_EQ(Nodes(reply).size(), 3u);  // b, c, e
  ASSERT_EQ(reply.at("edges").as_array().size(), 2u);
  const auto out = Ask({"--from", "b", "--hops", "3", "--direction", "out"});
  EXPECT_EQ(Nodes(out).size(), 3u);  // b, c, e
  EXPECT_EQ(Ask({"--from", "b", "--kinds", "near"}).at("nodes").as_array().size(), 1u);
}

TEST_F(Neighborhood, LimitsAreKept) {
  const auto reply = Ask({"--from", "a", "--hops", "3", "--max-nodes", "2"});
  EXPECT_TRUE(reply.at("truncated").as_bool());
  EXPECT_EQ(reply.at("nodes").as_array().size(), 2u);
  EXPECT_EQ(Plexus({"neighborhood", "--db", db_, "--from", "a", "--hops", "17"}).code, 2);
  EXPECT_EQ(Plexus({"neighborhood", "--db", db_}).code, 2);
  EXPECT_NE(Plexus({"neighborhood", "--db", db_, "--from", "a"}).out.find("4 nodes"),
            std::string::npos);
}

}  // namespace
}  // namespace plexus::testing
