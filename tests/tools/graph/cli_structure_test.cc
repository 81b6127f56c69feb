// Questions about structure from the command line: ancestors, descendants, match, distances,
// triangles, kcore, communities, members of components; bounds and refusals of all of them.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "tests/tools/graph/structure_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

TEST_F(StructureCommands, AncestorsAndDescendants) {
  const object down = Json({"descendants", "a"});
  EXPECT_EQ(Shown(down, "distance"), "b 1, c 1, d 2, e 3");
  EXPECT_EQ(down.at("total").as_int64(), 4);
  EXPECT_FALSE(down.at("truncated").as_bool());
  EXPECT_EQ(down.at("results").as_array()[2].as_object().at("via").as_string(), "c");
  EXPECT_EQ(Shown(Json({"ancestors", "d", "--depth", "2"}), "distance"), "c 1, a 2, b 2");
  EXPECT_EQ(Shown(Json({"descendants", "a", "--kinds", "likes"}), "distance"), "");
  EXPECT_EQ(Shown(Json({"descendants", "a", "--valid-at", "150"}), "distance"),
            "b 1, c 1, d 2, e 3");
  EXPECT_EQ(Shown(Json({"descendants", "a", "--valid-at", "250"}), "distance"), "b 1, c 1, d 2");
  const object cut = Json({"descendants", "a", "--max-nodes", "2"});
  EXPECT_TRUE(cut.at("truncated").as_bool());
  EXPECT_EQ(cut.at("total").as_int64(), 2);
  EXPECT_EQ(Run({"ancestors", "nobody"}).code, 3);
  EXPECT_NE(Run({"ancestors", "d"}).out.find("3 ancestors"), std::string::npos);
}

TEST_F(StructureCommands, Match) {
  auto found = [&](std::vector<std::string> arguments) {
    return Shown(Json(std::move(arguments)), "hops", "nodes");
  };
  EXPECT_EQ(found({"match", "knows+", "--from", "a"}), "b 1, c 1, d 2");
  EXPECT_EQ(found({"match", "knows+ likes", "--from", "a"}), "a 2, e 3");
  EXPECT_EQ(found({"match", "^likes/knows?", "--from", "a"}), "b 1, c 2");
  EXPECT_EQ(found({"match", "knows{2}|likes", "--from", "b", "--hops", "1"}), "a 1");
  EXPECT_EQ(found({"match", ".{2,3}", "--from", "c", "--valid-at", "250"}), "");
  EXPECT_EQ(
      Shown(Json({"match", "knows+", "--from", "a", "--best", "--hops", "2"}), "score", "nodes"),
      "c 7, d 3.5, b 2");
  EXPECT_NE(Run({"match", "knows+ likes", "--from", "a", "--paths"}).out.find("--likes 0.5--> e"),
            std::string::npos);
  const Finished wrong = Run({"match", "knows (likes", "--from", "a"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("byte 13: ')' expected"), std::string::npos) << wrong.err;
  EXPECT_EQ(Run({"match", "knows", "--from", "nobody"}).code, 3);
}

// What a kernel counts can be bounded: less than all is truncated, as much as there is is not.
TEST_F(StructureCommands, NodesAndEdgesCanBeBounded) {
  using Words = std::vector<std::string>;
  const auto cut = [&](Words words, const char* option, const char* most) {
    words.insert(words.end(), {option, most});
    return Json(words).at("truncated").as_bool();
  };
  for (const Words& words : {Words{"katz"},
                             {"eigenvector"},
                             {"hits"},
                             {"ancestors", "d"},
                             {"descendants", "a"},
                             {"kcore"},
                             {"traverse", "--from", "a"},
                             {"match", ".+", "--from", "a"},
                             {"path", "--from", "a", "--to", "e"},
                             {"pagerank", "--seed", "a", "--push", "0.001"}}) {
    EXPECT_TRUE(cut(words, "--max-edges", "1")) << words[0];
    EXPECT_FALSE(cut(words, "--max-edges", "100000")) << words[0];
    if (words[0] == "katz" || words[0] == "eigenvector" || words[0] == "hits")
      continue;  // all nodes, always
    EXPECT_TRUE(cut(words, "--max-nodes", "1")) << words[0];
    EXPECT_FALSE(cut(words, "--max-nodes", "100000")) << words[0];
  }
  const Finished all = Run({"pagerank", "--max-nodes", "3"});
  EXPECT_EQ(all.code, 2);
  EXPECT_NE(all.err.find("--max-nodes needs --push"), std::string::npos) << all.err;
}

TEST_F(StructureCommands, TruncatedRepliesAreGoneOnWith) {
  for (const std::vector<std::string>& question :
       {std::vector<std::string>{"match", ".+", "--from", "a"},
        {"traverse", "--from", "a", "--hops", "4"}}) {
    const object whole = Json(question);
    EXPECT_FALSE(whole.contains("resume"));
    std::vector<std::string> asked = question;
    asked.insert(asked.end(), {"--max-edges", "2"});
    object part = Json(asked);
    EXPECT_TRUE(part.at("truncated").as_bool());
    int calls = 1;
    for (; part.at("truncated").as_bool() && calls < 9; ++calls) {
      std::vector<std::string> on = asked;
      on.insert(on.end(), {"--resume", std::string(part.at("resume").as_string())});
      part = Json(on);
    }
    EXPECT_GE(calls, 3);
    EXPECT_EQ(part, whole);
    asked.insert(asked.end(), {"--resume", "1.ffff"});
    EXPECT_EQ(Run(asked).code, 2);
  }
  const object near = Json({"bfs", "--from", "a", "--max-nodes", "2"});
  EXPECT_EQ(near.at("total").as_int64(), 2);
  const object all =
      Json({"bfs", "--from", "a", "--resume", std::string(near.at("resume").as_string())});
  EXPECT_EQ(all, Json({"bfs", "--from", "a"}));
  EXPECT_FALSE(all.contains("resume"));
  EXPECT_NE(Run({"bfs", "--from", "a", "--max-nodes", "2"}).out.find("go on with --resume "),
            std::string::npos);
  EXPECT_EQ(
      Run({"bfs", "--from", "b", "--resume", std::string(near.at("resume").as_string())}).code, 2);
  EXPECT_EQ(Json({"bfs", "--from", "a", "--max-nodes", "0"}).at("total").as_int64(), 0);
  const object lanes = Json({"bfs", "--each", "--from", "a", "--max-nodes", "0"});
  EXPECT_EQ(lanes.at("sources").as_array()[0].as_object().at("reached").as_int64(), 0);
  EXPECT_TRUE(lanes.at("truncated").as_bool());
  const object cut = Json({"descendants", "a", "--max-nodes", "2"});
  const object rest = Json({"descendants", "a", "--max-nodes", "2", "--resume",
                            std::string(cut.at("resume").as_string())});
  EXPECT_EQ(Shown(rest, "distance"), "b 1, c 1, d 2, e 3");
  EXPECT_EQ(Run({"descendants", "b", "--resume", std::string(cut.at("resume").as_string())}).code,
            2);
}

TEST_F(StructureCommands, Distances) {
  EXPECT_EQ(Shown(Json({"distances", "--from", "a"}), "distance"), "a 0, b 1, c 1, d 2, e 3");
  EXPECT_EQ(Shown(Json({"distances", "--from", "a", "--cost", "length"}), "distance"),
            "a 0, b 2, c 5, d 5.5, e 6");
  EXPECT_EQ(
      Shown(Json({"distances", "--from", "a", "--cost", "length", "--within", "5"}), "distance"),
      "a 0, b 2, c 5");
  EXPECT_EQ(
      Shown(Json({"distances", "--from", "e", "--direction", "in", "--top", "2"}), "distance"),
      "e 0, d 1");
  EXPECT_EQ(Run({"distances", "--from", "a", "--cost", "log"}).code, 2);  // weights above 1
  EXPECT_EQ(Run({"distances", "--from", "a", "--cost", "miles"}).code, 2);
  EXPECT_EQ(Run({"distances", "--from", "nobody"}).code, 3);
}

TEST_F(StructureCommands, Triangles) {
  const object reply = Json({"triangles"});
  EXPECT_EQ(reply.at("triangles").as_int64(), 1);
  EXPECT_EQ(reply.at("edges").as_int64(), 5);
  EXPECT_EQ(reply.at("wedges").as_int64(), 6);
  EXPECT_EQ(reply.at("transitivity").to_number<double>(), 0.5);
  EXPECT_EQ(Shown(reply, "triangles"), "a 1, b 1, c 1");
  EXPECT_EQ(Shown(reply, "neighbors"), "a 2, b 2, c 3");
  EXPECT_EQ(reply.at("results").as_array()[2].as_object().at("clustering").to_number<double>(),
            1.0 / 3);
  // a's neighbours have one arc of two between them, c's a and b have two of six.
  const object directed = Json({"triangles", "--directed"});
  EXPECT_EQ(directed.at("results").as_array()[0].as_object().at("clustering").to_number<double>(),
            0.5);
  EXPECT_EQ(directed.at("results").as_array()[2].as_object().at("clustering").to_number<double>(),
            2.0 / 6);
  EXPECT_FALSE(Json({"triangles", "--total"}).contains("results"));
  EXPECT_FALSE(reply.at("truncated").as_bool());
  const object cut = Json({"triangles", "--max-edges", "0"});
  EXPECT_TRUE(cut.at("truncated").as_bool());
  EXPECT_EQ(cut.at("triangles").as_int64(), 0);
  EXPECT_EQ(Json({"triangles", "--kinds", "likes"}).at("triangles").as_int64(), 0);
  EXPECT_NE(Run({"triangles"}).out.find("1 triangles among 5 nodes"), std::string::npos);
}

TEST_F(StructureCommands, KCore) {
  const object reply = Json({"kcore"});
  EXPECT_EQ(reply.at("degeneracy").as_int64(), 2);
  EXPECT_EQ(Shown(reply, "core"), "a 2, b 2, c 2, d 1, e 1");
  EXPECT_EQ(boost::json::serialize(reply.at("cores")),
            R"([{"core":1,"nodes":2},{"core":2,"nodes":3}])");
  EXPECT_FALSE(reply.at("truncated").as_bool());
  EXPECT_TRUE(Json({"kcore", "--max-edges", "0"}).at("truncated").as_bool());
  EXPECT_EQ(Shown(Json({"kcore", "--least", "2", "--top", "0"}), "core"), "a 2, b 2, c 2");
  EXPECT_EQ(Shown(Json({"kcore", "--kinds", "likes"}), "core"), "a 1, b 1, d 1, e 1, c 0");
}

TEST_F(StructureCommands, Communities) {
  const object reply = Json({"communities"});
  EXPECT_FALSE(reply.at("truncated").as_bool());
  EXPECT_EQ(reply.at("method").as_string(), "leiden");
  // Weights: a-b 3, b-c 3, a-c 7, c-d 0.5, d-e 0.5; the triangle, and its tail.
  EXPECT_EQ(boost::json::serialize(reply.at("results")),
            R"([{"community":0,"size":3,"members":["a","b","c"]},{"community":1,"size":2,)"
            R"("members":["d","e"]}])");
  EXPECT_NEAR(reply.at("modularity").to_number<double>(),
              27.0 / 28 - (26.5 * 26.5 + 1.5 * 1.5) / (28 * 28.0), 1e-12);
  EXPECT_GE(reply.at("iterations").as_int64(), 1);
  const object fine = Json({"communities", "--resolution", "1000", "--members", "1", "--top", "2"});
  EXPECT_EQ(fine.at("total").as_int64(), 5);
  EXPECT_EQ(
      boost::json::serialize(fine.at("results")),
      R"([{"community":0,"size":1,"members":["a"]},{"community":1,"size":1,"members":["b"]}])");
  EXPECT_EQ(Json({"communities", "--valid-at", "250"}).at("total").as_int64(),
            2);  // c-d, and e alone
  EXPECT_EQ(Json({"communities", "--kinds", "likes"}).at("total").as_int64(), 3);
  EXPECT_EQ(
      Json({"communities", "--as-of", "1", "--seed", "9", "--unweighted"}).at("total").as_int64(),
      2);
  EXPECT_TRUE(Json({"communities", "--max-edges", "0"}).at("truncated").as_bool());
  EXPECT_TRUE(Json({"communities", "--max-seconds", "0"}).at("truncated").as_bool());
  const object labels = Json({"communities", "--method", "labels", "--iterations", "1"});
  EXPECT_EQ(labels.at("method").as_string(), "labels");
  // a: b twice; b: a twice; c: a, the smallest; d: c; e: d.
  EXPECT_EQ(
      boost::json::serialize(labels.at("results")),
      R"([{"community":1,"size":2,"members":["b","c"]},{"community":0,"size":1,"members":["a"]},)"
      R"({"community":2,"size":1,"members":["d"]},{"community":3,"size":1,"members":["e"]}])");
  const object none = Json({"communities", "--method", "labels", "--iterations", "0"});
  EXPECT_EQ(none.at("total").as_int64(), 5);
  EXPECT_EQ(none.at("iterations").as_int64(), 0);
  EXPECT_NE(
      Run({"communities"})
          .out.find("2 communities, the largest has 3 nodes, 0 are single nodes; modularity "),
      std::string::npos);
  EXPECT_EQ(Run({"communities", "--resolution", "-1"}).code, 2);
  EXPECT_EQ(Run({"communities", "--method", "labels", "--seed", "1"}).code, 2);
  EXPECT_EQ(Run({"communities", "--method", "louvain"}).code, 2);
}

// Every kernel takes a budget; spent from the start it says so, in tables too.
TEST_F(StructureCommands, BudgetsOfAllCommands) {
  const std::vector<std::vector<std::string>> commands = {{"ancestors", "d"},
                                                          {"descendants", "a"},
                                                          {"distances", "--from", "a"},
                                                          {"bfs", "--from", "a"},
                                                          {"traverse", "--from", "a"},
                                                          {"match", "knows+", "--from", "a"},
                                                          {"components"},
                                                          {"components", "--strong"},
                                                          {"topo", "--kinds", "knows"},
                                                          {"communities"},
                                                          {"triangles"},
                                                          {"kcore"},
                                                          {"betweenness"},
                                                          {"closeness"},
                                                          {"katz"},
                                                          {"eigenvector"},
                                                          {"hits"},
                                                          {"forest"},
                                                          {"cuts"},
                                                          {"dominators", "a"},
                                                          {"flow", "--from", "a", "--to", "d"},
                                                          {"similar"},
                                                          {"similar", "--of", "a"}};
  for (std::vector<std::string> command : commands) {
    SCOPED_TRACE(command[0]);
    command.insert(command.end(), {"--max-seconds", "0"});
    EXPECT_TRUE(Json(command).at("truncated").as_bool());
    const Finished told = Run(command);
    EXPECT_EQ(told.code, 0);
    EXPECT_TRUE(told.out.find("truncated") != std::string::npos ||
                told.out.find("not all") != std::string::npos)
        << told.out;
  }
  EXPECT_FALSE(Json({"topo", "--kinds", "knows"}).at("truncated").as_bool());
  EXPECT_FALSE(Json({"components", "--max-seconds", "1e12"}).at("truncated").as_bool());
  EXPECT_EQ(Run({"katz", "--max-seconds", "-1"}).code, 2);
  EXPECT_EQ(Json({"bfs", "--from", "a", "--max-nodes", "2"}).at("total").as_int64(), 2);
  EXPECT_TRUE(Json({"bfs", "--from", "a", "--max-edges", "1"}).at("truncated").as_bool());
  EXPECT_EQ(Run({"components", "--max-seconds", "0"}).out,
            "truncated: the budget ran out; no component is known\n");
}

TEST_F(StructureCommands, MembersOfComponents) {
  const auto members = [&](std::vector<std::string> command) {
    std::string shown;
    const object reply = Json(command);
    for (const auto& part : reply.at("results").as_array()) {
      for (const auto& key : part.as_object().at("members").as_array())
        shown += std::string(key.as_string());
      shown += ' ';
    }
    return shown;
  };
  EXPECT_EQ(members({"components", "--members", "0"}), "abcde ");
  EXPECT_EQ(members({"components", "--kinds", "knows", "--members", "0"}), "abcd e ");
  EXPECT_EQ(members({"components", "--kinds", "knows", "--members", "2", "--top", "1"}), "ab ");
  EXPECT_EQ(members({"components", "--strong", "--members", "0"}), "ab c d e ");
  EXPECT_EQ(members({"components", "--kinds", "has_tag", "--members", "1"}), "a b c d e ");
  EXPECT_FALSE(Json({"components"}).at("results").as_array()[0].as_object().contains("members"));
  const std::string table = Run({"components", "--kinds", "knows", "--members", "3"}).out;
  for (const char* key : {"  a", "  b", "  c", "  e"})
    EXPECT_NE(table.find(key), std::string::npos) << table;
  EXPECT_EQ(table.find("  d"), std::string::npos) << table;
}

// An index node as an end is no error where the answer is only empty, but a note says why.
TEST_F(StructureCommands, IndexNodesAsEnds) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"traverse", "--from", "tag:t"},
                                             {"match", "knows+", "--from", "tag:t"},
                                             {"bfs", "--from", "tag:t"},
                                             {"ancestors", "tag:t"},
                                             {"descendants", "tag:t"},
                                             {"similar", "--of", "tag:t"},
                                             {"dominators", "a", "--to", "tag:t"},
                                             {"dominators", "tag:t"},
                                             {"distances", "--from", "tag:t"},
                                             {"bfs", "--each", "--from", "a", "--from", "tag:t"},
                                             {"flow", "--from", "a", "--to", "tag:t"},
                                             {"flow", "--from", "tag:t", "--to", "a"}}) {
    SCOPED_TRACE(command[0]);
    std::vector<std::string> asked = command;
    const Finished run = Run(asked);
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(
        run.err,
        "plexus: 'tag:t' is of the index plane, and none of the edge kinds followed touches it; "
        "name one that does, such as has_tag\n");
    asked.push_back("--quiet");
    EXPECT_EQ(Run(asked).err, "");
  }
  EXPECT_EQ(Shown(Json({"distances", "--from", "tag:t", "--quiet"}), "distance"),
            std::string("tag\x1f") + "t 0");
  EXPECT_EQ(
      Json({"flow", "--from", "a", "--to", "tag:t", "--quiet"}).at("flow").to_number<double>(), 0);
  EXPECT_EQ(Run({"ancestors", "tag:t", "--kinds", "has_tag"}).err, "");
  EXPECT_EQ(Run({"match", "^has_tag", "--from", "tag:t"}).err, "");
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"pagerank", "--seed", "tag:t"},
                                             {"pagerank", "--seed", "tag:t", "--push", "1e-3"},
                                             {"closeness", "--of", "tag:t"}}) {
    SCOPED_TRACE(command[0]);
    const Finished run = Run(command);
    EXPECT_EQ(run.code, 2);
    EXPECT_NE(run.err.find("node 'tag:t' is of the index plane"), std::string::npos) << run.err;
  }
  const Finished weight = Run({"pagerank", "--seed", "a=-1"});
  EXPECT_NE(weight.err.find("of seed node 'a' is not"), std::string::npos) << weight.err;
}

TEST_F(StructureCommands, UnknownScopesAreNoted) {
  EXPECT_EQ(Run({"components", "--scope", "usr"}).err,
            "plexus: no node has the scope 'usr'; did you mean 'user'?\n");
  EXPECT_EQ(Run({"components", "--scope", "usr", "--quiet"}).err, "");
  EXPECT_EQ(Run({"components", "--scope", "user"}).err, "");
}

TEST_F(StructureCommands, NothingOnStderrAndClearRefusals) {
  EXPECT_EQ(Run({"components", "--threads", "1000"}).err, "");  // nor a warning of oneTBB's
  const Finished least = Run({"similar", "--of", "a", "--least", "0"});
  EXPECT_EQ(least.code, 2);
  EXPECT_NE(least.err.find("--least is 1 or more"), std::string::npos) << least.err;
}

}  // namespace
}  // namespace plexus::testing
