// What takes part in an answer and what of it is listed: --node-kinds and --where, --show-kinds and
// --show-where.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"
#include "tools/operations/framework/registry.h"

namespace plexus::testing {
namespace {

using Arguments = Words;

// Sources that only memories cite, and a memory that cites none.
class Shown : public ProgramTest {
 protected:
  void SetUp() override {
    Import(R"({"node":"s1","kind":"source","trust":0.9}
{"node":"s2","kind":"source","trust":0.2}
{"node":"m1","kind":"memory"}
{"node":"m2","kind":"memory"}
{"node":"m3","kind":"memory"}
{"node":"m4","kind":"memory"}
{"edge":["m1","s1"],"kind":"cites"}
{"edge":["m2","s1"],"kind":"cites"}
{"edge":["m3","s2"],"kind":"cites"}
{"edge":["m1","m2"],"kind":"cites"}
)");
  }
  static const boost::json::array& Rows(const boost::json::object& reply) {
    return reply.at(reply.contains("results") ? "results" : "nodes").as_array();
  }
  // The keys of the reply's list, and its total.
  std::string Listed(Words words) const {
    const boost::json::object reply = Json(std::move(words));
    return Each(Rows(reply)) +
           (reply.contains("total") ? " of " + boost::json::serialize(reply.at("total")) : "");
  }
};

TEST_F(Shown, ListsSomeOfARankingOfAll) {
  EXPECT_EQ(Listed({"pagerank", "--show-kinds", "source"}), "s1, s2 of 2");
  EXPECT_EQ(Listed({"pagerank", "--show-where", "trust < 0.5"}), "s2 of 1");
  EXPECT_EQ(Listed({"pagerank", "--show-kinds", "source", "--show-where", "trust > 0.5"}),
            "s1 of 1");
  EXPECT_EQ(Listed({"pagerank", "--seed", "m1", "--push", "1e-6", "--show-kinds", "source"}), "s1");
  // The scores are those of the whole ranking.
  const auto all = Json({"pagerank"}), some = Json({"pagerank", "--show-kinds", "source"});
  EXPECT_EQ(all.at("nodes").at(0), some.at("nodes").at(0));
  EXPECT_EQ(all.at("edges"), some.at("edges"));
  const std::string sets = dir_.File("sets", "m1\n");
  EXPECT_EQ(Json({"pagerank", "--sets", sets, "--show-kinds", "source"})
                .at("sets")
                .at(0)
                .at("nodes")
                .as_array()
                .size(),
            1U);
}

TEST_F(Shown, IsTheSameInEveryOperationThatListsNodes) {
  const Arguments commands[] = {{"katz"},
                                {"eigenvector", "--direction", "both"},
                                {"hits"},
                                {"betweenness", "--directed"},
                                {"closeness", "--of", "s1", "--of", "m1"},
                                {"triangles"},
                                {"kcore"},
                                {"components"},
                                {"communities"},
                                {"cuts"},
                                {"dominators", "m1"},
                                {"topo", "--kinds", "cites"},
                                {"similar", "--of", "m1"},
                                {"distances", "--from", "m1"},
                                {"bfs", "--from", "m1"},
                                {"ancestors", "s1"},
                                {"descendants", "m1"}};
  for (Arguments command : commands) {
    const std::string name = command[0];
    command.insert(command.end(), {"--show-kinds", "source"});
    const boost::json::object reply = Json(command);
    for (const auto& row : reply.at(reply.contains("results") ? "results" : "nodes").as_array()) {
      if (row.as_object().contains("key")) {
        EXPECT_EQ(row.at("key").as_string()[0], 's') << name;
      }
      if (const auto* members = row.as_object().if_contains("members")) {
        for (const auto& member : members->as_array())
          EXPECT_EQ(member.as_string()[0], 's') << name;
        EXPECT_GT(row.at("size").to_number<std::size_t>(), members->as_array().size()) << name;
      }
    }
  }
  // Every question that ranks nodes, or tells how they hang together, takes both.
  for (const tools::Operation& operation : tools::AllOperations())
    EXPECT_EQ(operation.Find("show_kinds") == nullptr, operation.Find("show_where") == nullptr)
        << operation.name;
}

TEST_F(Shown, TakingPartIsAnotherThing) {
  EXPECT_EQ(Listed({"components", "--node-kinds", "memory"}), "m1, m3, m4 of 3");
  EXPECT_EQ(Listed({"components", "--show-kinds", "memory"}), "m1, m3, m4 of 3");
  EXPECT_EQ(Json({"components", "--node-kinds", "memory"}).at("largest"), 2);
  EXPECT_EQ(Json({"components", "--show-kinds", "memory"}).at("largest"), 3);
  EXPECT_EQ(Run({"get", "m1", "--show-kinds", "memory"}).code, 2);
  EXPECT_EQ(Run({"bfs", "--from", "m1", "--each", "--show-kinds", "memory"}).code, 2);
  EXPECT_EQ(Run({"pagerank", "--show-kinds", "sorce"}).code, 2);
  EXPECT_TRUE(Says(Run({"pagerank", "--show-where", "trsut > 0"}).err, "--show-where: 'trsut'"));
}

TEST_F(Shown, AGraphWithoutEdgesIsNoted) {
  const auto note = [&](Arguments arguments) { return Run(std::move(arguments)).err; };
  EXPECT_EQ(note({"pagerank", "--node-kinds", "source"}),
            "plexus: no edge joins two of the nodes that --node-kinds selects; to ask the whole "
            "graph and list such nodes: --show-kinds\n");
  EXPECT_EQ(note({"communities", "--where", "trust > 0"}),
            "plexus: no edge joins two of the nodes that --where selects; to ask the whole "
            "graph and list such nodes: --show-where\n");
  EXPECT_EQ(note({"katz", "--kinds", "supersedes"}),
            "plexus: no edge of these kinds is in the graph\n");
  const std::string by_kind = "plexus: no edge joins two of the nodes that --node-kinds selects";
  EXPECT_EQ(note({"forest", "--node-kinds", "source"}), by_kind + "\n");
  EXPECT_EQ(note({"path", "s1", "s2", "--node-kinds", "source"}), by_kind + "\n");
  EXPECT_EQ(note({"flow", "s1", "s2", "--node-kinds", "source"}), by_kind + "\n");
  EXPECT_EQ(note({"traverse", "s1", "--node-kinds", "source"}), by_kind + "\n");
  EXPECT_EQ(note({"neighborhood", "s1", "--node-kinds", "source"}), by_kind + "\n");
  EXPECT_EQ(note({"match", "cites", "s1", "--node-kinds", "source"}), by_kind + "\n");
  EXPECT_EQ(note({"match", "cites", "m1", "--node-kinds", "source"}), "");  // named: takes part
  EXPECT_EQ(note({"traverse", "m1", "--node-kinds", "source"}), "");
  EXPECT_EQ(note({"pagerank", "--where", "trust > 0.5"}),  // one node
            "plexus: no edge joins two of the nodes that --where selects; to ask the whole "
            "graph and list such nodes: --show-where\n");
  EXPECT_EQ(note({"pagerank", "--node-kinds", "memory"}), "");
  EXPECT_EQ(note({"pagerank", "--show-kinds", "source"}), "");
}

}  // namespace
}  // namespace plexus::testing
