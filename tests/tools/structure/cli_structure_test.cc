// Questions about structure: the replies of each command, its tables, options, bounds and refusals.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "tests/tools/structure/structure_graph.h"

namespace plexus::testing {
namespace {

using boost::json::object;

TEST_F(StructureCommands, RepliesOfWalks) {
  ExpectReplies({
      {{"descendants", "a"}, "results", "key distance", "b 1, c 1, d 2, e 3"},
      {{"descendants", "a"}, "results", "via", "a, a, c, d"},
      {{"descendants", "a"}, "", "total truncated", "4 false"},
      {{"descendants", "a", "--max-nodes", "2"}, "", "total truncated", "2 true"},
      {{"descendants", "a", "--valid-at", "now"}, "results", "key distance", "b 1, c 1, d 2"},
      {{"ancestors", "d", "--depth", "2"}, "results", "key distance", "c 1, a 2, b 2"},
      {{"match", "knows+ likes", "--from", "a"}, "nodes", "key hops", "a 2, e 3"},
      {{"match", "knows+", "--from", "a", "--best", "--hops", "2"},
       "nodes",
       "key score",
       "c 7, d 3.5, b 2"},
      {{"match", ".+", "--from", "d", "--valid-at", "now"}, "nodes", "key hops", ""},
      {{"distances", "--from", "a"}, "results", "key distance", "a 0, b 1, c 1, d 2, e 3"},
      {{"distances", "--from", "a", "--cost", "length", "--within", "5"},
       "results",
       "key distance",
       "a 0, b 2, c 5"},
      {{"distances", "--from", "e", "--direction", "in", "--top", "2"},
       "results",
       "key distance",
       "e 0, d 1"},
      {{"bfs", "--from", "a", "--max-nodes", "0"}, "", "total truncated", "0 true"},
      {{"bfs", "--each", "--from", "a", "--max-nodes", "0"}, "sources", "key reached", "a 0"},
  });
}

TEST_F(StructureCommands, RepliesOfGroups) {
  ExpectReplies({
      {{"triangles"}, "", "triangles edges wedges transitivity truncated", "1 5 6 0.5 false"},
      {{"triangles"}, "results", "key triangles neighbors", "a 1 2, b 1 2, c 1 3"},
      // a's neighbours have one arc of two between them, c's a and b have two of six.
      {{"triangles", "--directed"}, "results", "key clustering", "a 0.5, b 0.5, c 0.333333"},
      {{"triangles", "--total"}, "", "triangles results", "1"},
      {{"triangles", "--max-edges", "0"}, "", "triangles truncated", "0 true"},
      {{"kcore"}, "", "degeneracy truncated", "2 false"},
      {{"kcore"}, "results", "key core", "a 2, b 2, c 2, d 1, e 1"},
      {{"kcore"}, "cores", "core nodes", "1 2, 2 3"},
      {{"kcore", "--least", "2", "--top", "0"}, "results", "key core", "a 2, b 2, c 2"},
      {{"communities"}, "", "method total truncated", "leiden 2 false"},
      {{"communities"}, "results", "community size members", R"(0 3 ["a","b","c"], 1 2 ["d","e"])"},
      {{"communities", "--resolution", "1000", "--members", "1", "--top", "2"},
       "results",
       "community size members",
       R"(0 1 ["a"], 1 1 ["b"])"},
      {{"communities", "--as-of", "1", "--seed", "9", "--unweighted"}, "", "total", "2"},
      {{"communities", "--method", "labels", "--iterations", "0"},
       "",
       "method total iterations",
       "labels 5 0"},
      {{"components"}, "results", "members", ""},
      {{"components", "--kinds", "knows", "--members", "2", "--top", "1"},
       "results",
       "members",
       R"(["a","b"])"},
      {{"components", "--strong", "--members", "0"},
       "results",
       "members",
       R"(["a","b"], ["c"], ["d"], ["e"])"},
      {{"components", "--max-seconds", "1e12"}, "", "truncated", "false"},
      {{"topo", "--kinds", "knows"}, "", "truncated", "false"},
  });
  const std::string table = Run({"components", "--kinds", "knows", "--members", "3"}).out;
  for (const char* key : {"  a", "  b", "  c", "  e"}) EXPECT_TRUE(Says(table, key));
  EXPECT_FALSE(Says(table, "  d"));
}

TEST_F(StructureCommands, RepliesOfCentralities) {
  ExpectReplies({
      {{"betweenness"}, "", "exact bound", "true 0"},
      {{"betweenness"}, "results", "key score share", "c 4 0.666667, d 3 0.5"},
      {{"betweenness", "--directed"}, "results", "key score", "c 4, d 3"},
      {{"betweenness", "--max-hops", "2"}, "results", "key score", "c 2, d 1"},
      {{"betweenness", "--samples", "2", "--seed", "3"}, "", "exact sources", "false 2"},
      {{"betweenness", "--valid-at", "now"}, "results", "key score", "c 2"},
      {{"closeness", "--top", "2"}, "results", "key closeness harmonic", "c 0.8 3.5, d 0.666667 3"},
      {{"closeness", "--harmonic", "--direction", "in", "--top", "2"},
       "results",
       "key harmonic",
       "e 2.166667, c 2"},
      {{"closeness", "--of", "e", "--of", "d", "--of", "e", "--direction", "out", "--top", "1"},
       "results",
       "key closeness",
       "d 0.25"},
      {{"closeness", "--of", "d", "--direction", "out", "--unscaled"},
       "results",
       "key closeness",
       "d 1"},
      {{"closeness", "--of", "a", "--max-hops", "1"}, "results", "key reached", "a 2"},
      {{"closeness", "--of", "d", "--valid-at", "now"}, "results", "key reached", "d 3"},
      // Two of five prove nothing; out of time nothing is measured.
      {{"closeness", "--samples", "2", "--seed", "3"}, "", "exact sources bound", "false 2 1"},
      {{"closeness", "--of", "e", "--max-seconds", "0"},
       "",
       "exact bound truncated results",
       "false 1 true []"},
      {{"katz", "--alpha", "0.1", "--unweighted"},
       "results",
       "key score",
       "c 1.222222, d 1.122222, e 1.112222, a 1.111111, b 1.111111"},
      {{"katz", "--max-seconds", "0", "--top", "1"}, "", "truncated alpha", "true 0"},
      {{"katz", "--max-seconds", "0", "--top", "1"}, "results", "key score", "a 1"},
      // d -> e and b -> a are all there is: nothing leads round.
      {{"eigenvector", "--kinds", "likes"},
       "",
       "acyclic converged truncated eigenvalue results",
       "true true false 0 []"},
      {{"eigenvector"}, "", "acyclic", "false"},
      {{"hits", "--kinds", "likes", "--unweighted"}, "results", "key authority", "a 0.5, e 0.5"},
      {{"hits", "--hubs", "--kinds", "likes", "--unweighted", "--top", "1"},
       "results",
       "key hub",
       "b 0.5"},
      {{"hits", "--kinds", "likes", "--valid-at", "now", "--unweighted"},
       "results",
       "key authority",
       "a 1"},
      {{"similar", "--of", "a"}, "results", "key score", "b 0.333333, d 0.333333, c 0.25"},
      {{"similar", "--of", "a", "--measure", "common", "--top", "1"},
       "",
       "candidates neighbors",
       "3 2"},
      {{"similar", "--of", "b", "--direction", "in"}, "results", "key score", "c 0.5"},
      {{"similar", "--of", "c", "--valid-at", "now"}, "results", "key score", "a 0.25, b 0.25"},
      {{"similar", "--of", "a", "--least", "2"}, "results", "key", ""},
      {{"similar", "--of", "a", "--with", "d", "--with", "e", "--measure", "resource"},
       "pairs",
       "a b score shared neighbors_a neighbors_b",
       "a d 0.333333 1 2 2, a e 0 0 2 1"},
      {{"similar", "--measure", "common", "--top", "1"}, "pairs", "a b", "a b"},
  });
  for (const char* command : {"katz", "eigenvector", "triangles", "kcore"})
    EXPECT_EQ(Run({command, "--valid-at", "now"}).code, 0) << command;
  const object found = Json({"katz"});
  EXPECT_LE(found.at("alpha").to_number<double>() * found.at("radius").to_number<double>(), 0.51);
}

TEST_F(StructureCommands, TablesForPeople) {
  ExpectPrinted({
      {{"ancestors", "d"}, "3 ancestors"},
      {{"match", "knows+ likes", "--from", "a", "--paths"}, "--likes 0.5--> e"},
      {{"bfs", "--from", "a", "--max-nodes", "2"}, "go on with --resume "},
      {{"triangles"}, "1 triangles among 5 nodes"},
      {{"communities"}, "2 communities, the largest has 3 nodes, 0 are single nodes; modularity "},
      {{"closeness"}, "exact, 5 nodes"},
      {{"closeness", "--of", "e", "--max-seconds", "0"},
       "the later nodes of --of were not measured"},
      {{"katz"}, "spectral radius at most"},
      {{"eigenvector", "--kinds", "likes"}, "form a cycle"},
      {{"similar", "--of", "a"}, "3 nodes share some of 2 neighbours"},
  });
  EXPECT_FALSE(Says(Run({"closeness", "--of", "e", "--max-seconds", "0"}).out, "exact"));
  EXPECT_EQ(Run({"components", "--max-seconds", "0"}).out,
            "truncated: the budget ran out; no component is known\n");
}

TEST_F(StructureCommands, WhatIsRefused) {
  ExpectRefused({
      {{"match", "knows (likes", "--from", "a"}, 2, "byte 13: ')' expected"},
      {{"distances", "--from", "a", "--cost", "log"}, 2, ""},  // weights above 1
      {{"distances", "--from", "a", "--cost", "miles"}, 2, "miles"},
      {{"communities", "--resolution", "-1"}, 2, ""},
      {{"communities", "--method", "labels", "--seed", "1"}, 2, "--seed"},
      {{"communities", "--method", "louvain"}, 2, "louvain"},
      {{"closeness", "--of", "a", "--scope", "other"},
       2,
       "node 'a' is outside the subset or scope"},
      {{"katz", "--alpha", "1.5", "--unweighted"}, 2, "spectral radius is at least"},
      {{"katz", "--alpha", "0"}, 2, ""},
      {{"katz", "--max-seconds", "-1"}, 2, "--max-seconds"},
      {{"hits", "--tolerance", "0"}, 2, ""},
      {{"similar", "--of", "a", "--with", "d", "--least", "2"}, 2, "--least"},
      {{"similar", "--of", "a", "--with", "d", "--top", "2"}, 2, "--top"},
      {{"similar", "--with", "a"}, 2, ""},
      {{"similar", "--of", "a", "--with", "a"}, 2, ""},
      {{"similar", "--measure", "cosine"}, 2, "cosine"},
      {{"pagerank", "--max-nodes", "3"}, 2, "--max-nodes needs --push"},
      {{"pagerank", "--seed", "a=-1"}, 2, "of seed node 'a' is not"},
      {{"pagerank", "--seed", "tag:t"}, 2, "node 'tag:t' is of the index plane"},
      {{"pagerank", "--seed", "tag:t", "--push", "1e-3"}, 2, "node 'tag:t' is of the index plane"},
      {{"closeness", "--of", "tag:t"}, 2, "node 'tag:t' is of the index plane"},
  });
}

// What a kernel counts can be bounded: less than all is truncated, as much as there is is not.
TEST_F(StructureCommands, NodesAndEdgesCanBeBounded) {
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
}

// The whole is what its parts end in; a token is of its own question.
TEST_F(StructureCommands, TruncatedRepliesAreGoneOnWith) {
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto token = [](const object& reply) {
    return std::string(reply.at("resume").as_string());
  };
  for (const auto& [question, least] : {std::pair{Words{"match", ".+", "--from", "a"}, "2"},
                                        {Words{"traverse", "--from", "a", "--hops", "4"}, "2"},
                                        {Words{"bfs", "--from", "a"}, "2"},
                                        {Words{"descendants", "a"}, "2"}}) {
    const Words asked = with(question, {"--max-edges", least});
    const object whole = Json(question);
    EXPECT_FALSE(whole.contains("resume"));
    object part = Json(asked);
    EXPECT_TRUE(part.at("truncated").as_bool());
    for (int calls = 1; part.at("truncated").as_bool() && calls < 9; ++calls)
      part = Json(with(asked, {"--resume", token(part)}));
    EXPECT_EQ(part, whole) << question[0];
    EXPECT_EQ(Run(with(asked, {"--resume", "1.ffff"})).code, 2);
  }
  const std::string near = token(Json({"bfs", "--from", "a", "--max-nodes", "2"}));
  EXPECT_EQ(Json({"bfs", "--from", "a", "--resume", near}), Json({"bfs", "--from", "a"}));
  EXPECT_EQ(Run({"bfs", "--from", "b", "--resume", near}).code, 2);
}

// Every kernel takes a budget; spent from the start it says so, in tables too. With time it says
// nothing but its answer.
TEST_F(StructureCommands, BudgetsOfAllCommands) {
  for (const Words& command : {Words{"ancestors", "d"},
                               {"descendants", "a"},
                               {"distances", "--from", "a"},
                               {"bfs", "--from", "a"},
                               {"traverse", "--from", "a"},
                               {"match", "knows+", "--from", "a"},
                               {"path", "--from", "a", "--to", "e", "--count", "9"},
                               {"pagerank"},
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
                               {"similar", "--of", "a"}}) {
    SCOPED_TRACE(command[0]);
    const Words spent = With(command, {"--max-seconds", "0"});
    EXPECT_TRUE(Json(spent).at("truncated").as_bool());
    const Finished told = Run(spent);
    EXPECT_EQ(told.code, 0);
    EXPECT_TRUE(Says(told.out, "truncated") || Says(told.out, "not all") ||
                Says(told.out, "had converged"))
        << told.out;
    EXPECT_EQ(Run(command).err, "");
  }
}

TEST_F(StructureCommands, IterationsAreAMaximum) {
  for (const char* command : {"katz", "eigenvector", "hits"}) {
    SCOPED_TRACE(command);
    Words two = {command, "--iterations", "2", "--tolerance", "1e-12"};
    if (two[0] == "katz") two.insert(two.end(), {"--alpha", "0.1", "--unweighted"});
    ExpectReplies({{two, "", "iterations truncated converged", "2 true false"}});
    ExpectPrinted({{two, "not converged when the budget or --iterations"}});
    two[2] = "0";
    EXPECT_EQ(Run(two).code, 2);
  }
}

// An index node as an end is no error where the answer is only empty, but a note says why.
TEST_F(StructureCommands, IndexNodesAsEnds) {
  for (const Words& command : {Words{"traverse", "--from", "tag:t"},
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
    Words asked = command;
    const Finished run = Run(asked);
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.err,
              "plexus: 'tag:t' is of the index plane, and none of the edge kinds followed touches "
              "it; name one that does, such as has_tag\n");
    asked.push_back("--quiet");
    EXPECT_EQ(Run(asked).err, "");
  }
  ExpectReplies(
      {{{"distances", "--from", "tag:t", "--quiet"}, "results", "key distance", "tag:t 0"},
       {{"flow", "--from", "a", "--to", "tag:t", "--quiet"}, "", "flow", "0"}});
  EXPECT_EQ(Run({"ancestors", "tag:t", "--kinds", "has_tag"}).err, "");
  EXPECT_EQ(Run({"match", "^has_tag", "--from", "tag:t"}).err, "");
}

TEST_F(StructureCommands, WhatStandardErrorSays) {
  EXPECT_EQ(Run({"components", "--scope", "usr"}).err,
            "plexus: no node has the scope 'usr'; did you mean 'user'?\n");
  EXPECT_EQ(Run({"components", "--scope", "usr", "--quiet"}).err, "");
  EXPECT_EQ(Run({"components", "--scope", "user"}).err, "");
  EXPECT_EQ(Run({"components", "--threads", "1000"}).err, "");  // nor a warning of oneTBB's
  EXPECT_TRUE(Ends(Run({"similar", "--of", "a", "--least", "0"}), 2, "--least is 1 or more"));
}

}  // namespace
}  // namespace plexus::testing
