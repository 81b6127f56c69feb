// ancestors, descendants, distances, triangles, kcore, betweenness, communities, closeness,
// katz, eigenvector, hits, similar from the command line.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "tests/support/stored_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

// A triangle a b c, a tail c -> d -> e, parallel and turned edges, a tag on all of it.
class Structure : public StoredGraph<Structure> {
 protected:
  static void SetUpTestSuite() {
    const std::string lines =
        R"({"node":"a","tags":["t"]})" "\n"
        R"({"edge":["a","b"],"kind":"knows","weight":2})" "\n"
        R"({"edge":["b","a"],"kind":"likes"})" "\n"
        R"({"edge":["b","c"],"kind":"knows","weight":3})" "\n"
        R"({"edge":["a","c"],"kind":"knows","weight":7})" "\n"
        R"({"edge":["c","d"],"kind":"knows","weight":0.5})" "\n"
        R"({"edge":["d","e"],"kind":"likes","weight":0.5,"valid_from":100,"valid_until":200})" "\n";
    Import(lines);
  }
  // [{"key":..., NAME: number}, ...] as "key number, ...".
  static std::string Shown(const object& reply, const char* name) {
    std::string shown;
    for (const auto& row : reply.at("nodes").as_array()) {
      std::string number = std::to_string(row.as_object().at(name).to_number<double>());
      number.erase(number.find_last_not_of('0') + 1);
      if (number.ends_with('.')) number.pop_back();
      shown += (shown.empty() ? "" : ", ") + std::string(row.as_object().at("key").as_string()) + " " + number;
    }
    return shown;
  }
};

TEST_F(Structure, AncestorsAndDescendants) {
  const object down = Json({"descendants", "a"});
  EXPECT_EQ(Shown(down, "distance"), "b 1, c 1, d 2, e 3");
  EXPECT_EQ(down.at("count").as_int64(), 4);
  EXPECT_FALSE(down.at("truncated").as_bool());
  EXPECT_EQ(down.at("nodes").as_array()[2].as_object().at("via").as_string(), "c");
  EXPECT_EQ(Shown(Json({"ancestors", "d", "--depth", "2"}), "distance"), "c 1, a 2, b 2");
  EXPECT_EQ(Shown(Json({"descendants", "a", "--kinds", "likes"}), "distance"), "");
  EXPECT_EQ(Shown(Json({"descendants", "a", "--valid-at", "150"}), "distance"), "b 1, c 1, d 2, e 3");
  EXPECT_EQ(Shown(Json({"descendants", "a", "--valid-at", "250"}), "distance"), "b 1, c 1, d 2");
  const object cut = Json({"descendants", "a", "--max-nodes", "2"});
  EXPECT_TRUE(cut.at("truncated").as_bool());
  EXPECT_EQ(cut.at("count").as_int64(), 2);
  EXPECT_EQ(Run({"ancestors", "nobody"}).code, 3);
  EXPECT_NE(Run({"ancestors", "d"}).out.find("3 ancestors"), std::string::npos);
}

TEST_F(Structure, Match) {
  auto found = [&](std::vector<std::string> arguments) { return Shown(Json(std::move(arguments)), "hops"); };
  EXPECT_EQ(found({"match", "knows+", "--from", "a"}), "b 1, c 1, d 2");
  EXPECT_EQ(found({"match", "knows+ likes", "--from", "a"}), "a 2, e 3");
  EXPECT_EQ(found({"match", "^likes/knows?", "--from", "a"}), "b 1, c 2");
  EXPECT_EQ(found({"match", "knows{2}|likes", "--from", "b", "--hops", "1"}), "a 1");
  EXPECT_EQ(found({"match", ".{2,3}", "--from", "c", "--valid-at", "250"}), "");
  EXPECT_EQ(Shown(Json({"match", "knows+", "--from", "a", "--best", "--hops", "2"}), "score"), "c 7, d 3.5, b 2");
  EXPECT_NE(Run({"match", "knows+ likes", "--from", "a", "--paths"}).out.find("--likes 0.5--> e"), std::string::npos);
  const Finished wrong = Run({"match", "knows (likes", "--from", "a"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("byte 13: ')' expected"), std::string::npos) << wrong.err;
  EXPECT_EQ(Run({"match", "knows", "--from", "nobody"}).code, 3);
}

// What a kernel counts can be bounded: less than all is truncated, as much as there is is not.
TEST_F(Structure, NodesAndEdgesCanBeBounded) {
  using Words = std::vector<std::string>;
  const auto cut = [&](Words words, const char* option, const char* most) {
    words.insert(words.end(), {option, most});
    return Json(words).at("truncated").as_bool();
  };
  for (const Words& words : {Words{"katz"}, {"eigenvector"}, {"hits"}, {"ancestors", "d"}, {"descendants", "a"}, {"kcore"},
                             {"traverse", "--from", "a"}, {"match", ".+", "--from", "a"}, {"path", "--from", "a", "--to", "e"},
                             {"pagerank", "--seed", "a", "--push", "0.001"}}) {
    EXPECT_TRUE(cut(words, "--max-edges", "1")) << words[0];
    EXPECT_FALSE(cut(words, "--max-edges", "100000")) << words[0];
    if (words[0] == "katz" || words[0] == "eigenvector" || words[0] == "hits") continue;  // all nodes, always
    EXPECT_TRUE(cut(words, "--max-nodes", "1")) << words[0];
    EXPECT_FALSE(cut(words, "--max-nodes", "100000")) << words[0];
  }
  const Finished all = Run({"pagerank", "--max-nodes", "3"});
  EXPECT_EQ(all.code, 2);
  EXPECT_NE(all.err.find("--max-nodes needs --push"), std::string::npos) << all.err;
}

TEST_F(Structure, TruncatedRepliesAreGoneOnWith) {
  for (const std::vector<std::string>& question : {std::vector<std::string>{"match", ".+", "--from", "a"},
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
  EXPECT_EQ(near.at("reached").as_int64(), 2);
  const object all = Json({"bfs", "--from", "a", "--resume", std::string(near.at("resume").as_string())});
  EXPECT_EQ(all, Json({"bfs", "--from", "a"}));
  EXPECT_FALSE(all.contains("resume"));
  EXPECT_NE(Run({"bfs", "--from", "a", "--max-nodes", "2"}).out.find("go on with --resume "), std::string::npos);
  EXPECT_EQ(Run({"bfs", "--from", "b", "--resume", std::string(near.at("resume").as_string())}).code, 2);
  EXPECT_EQ(Json({"bfs", "--from", "a", "--max-nodes", "0"}).at("reached").as_int64(), 0);
  const object lanes = Json({"bfs", "--each", "--from", "a", "--max-nodes", "0"});
  EXPECT_EQ(lanes.at("sources").as_array()[0].as_object().at("reached").as_int64(), 0);
  EXPECT_TRUE(lanes.at("truncated").as_bool());
  const object cut = Json({"descendants", "a", "--max-nodes", "2"});
  const object rest = Json({"descendants", "a", "--max-nodes", "2", "--resume", std::string(cut.at("resume").as_string())});
  EXPECT_EQ(Shown(rest, "distance"), "b 1, c 1, d 2, e 3");
  EXPECT_EQ(Run({"descendants", "b", "--resume", std::string(cut.at("resume").as_string())}).code, 2);
}

TEST_F(Structure, Distances) {
  EXPECT_EQ(Shown(Json({"distances", "--from", "a"}), "distance"), "a 0, b 1, c 1, d 2, e 3");
  EXPECT_EQ(Shown(Json({"distances", "--from", "a", "--cost", "length"}), "distance"), "a 0, b 2, c 5, d 5.5, e 6");
  EXPECT_EQ(Shown(Json({"distances", "--from", "a", "--cost", "length", "--within", "5"}), "distance"), "a 0, b 2, c 5");
  EXPECT_EQ(Shown(Json({"distances", "--from", "e", "--direction", "in", "--top", "2"}), "distance"), "e 0, d 1");
  EXPECT_EQ(Run({"distances", "--from", "a", "--cost", "log"}).code, 2);  // weights above 1
  EXPECT_EQ(Run({"distances", "--from", "a", "--cost", "miles"}).code, 2);
  EXPECT_EQ(Run({"distances", "--from", "nobody"}).code, 3);
}

TEST_F(Structure, Triangles) {
  const object reply = Json({"triangles"});
  EXPECT_EQ(reply.at("triangles").as_int64(), 1);
  EXPECT_EQ(reply.at("edges").as_int64(), 5);
  EXPECT_EQ(reply.at("wedges").as_int64(), 6);
  EXPECT_EQ(reply.at("transitivity").to_number<double>(), 0.5);
  EXPECT_EQ(Shown(reply, "triangles"), "a 1, b 1, c 1");
  EXPECT_EQ(Shown(reply, "neighbors"), "a 2, b 2, c 3");
  EXPECT_EQ(reply.at("nodes").as_array()[2].as_object().at("clustering").to_number<double>(), 1.0 / 3);
  // a's neighbours have one arc of two between them, c's a and b have two of six.
  const object directed = Json({"triangles", "--directed"});
  EXPECT_EQ(directed.at("nodes").as_array()[0].as_object().at("clustering").to_number<double>(), 0.5);
  EXPECT_EQ(directed.at("nodes").as_array()[2].as_object().at("clustering").to_number<double>(), 2.0 / 6);
  EXPECT_FALSE(Json({"triangles", "--total"}).contains("nodes"));
  EXPECT_FALSE(reply.at("truncated").as_bool());
  const object cut = Json({"triangles", "--max-edges", "0"});
  EXPECT_TRUE(cut.at("truncated").as_bool());
  EXPECT_EQ(cut.at("triangles").as_int64(), 0);
  EXPECT_EQ(Json({"triangles", "--kinds", "likes"}).at("triangles").as_int64(), 0);
  EXPECT_NE(Run({"triangles"}).out.find("1 triangles among 5 nodes"), std::string::npos);
}

TEST_F(Structure, KCore) {
  const object reply = Json({"kcore"});
  EXPECT_EQ(reply.at("degeneracy").as_int64(), 2);
  EXPECT_EQ(Shown(reply, "core"), "a 2, b 2, c 2, d 1, e 1");
  EXPECT_EQ(boost::json::serialize(reply.at("cores")), R"([{"core":1,"nodes":2},{"core":2,"nodes":3}])");
  EXPECT_FALSE(reply.at("truncated").as_bool());
  EXPECT_TRUE(Json({"kcore", "--max-edges", "0"}).at("truncated").as_bool());
  EXPECT_EQ(Shown(Json({"kcore", "--least", "2", "--top", "0"}), "core"), "a 2, b 2, c 2");
  EXPECT_EQ(Shown(Json({"kcore", "--kinds", "likes"}), "core"), "a 1, b 1, d 1, e 1, c 0");
}

TEST_F(Structure, Betweenness) {
  const object reply = Json({"betweenness"});
  EXPECT_TRUE(reply.at("exact").as_bool());
  EXPECT_EQ(reply.at("bound").to_number<double>(), 0);
  EXPECT_EQ(Shown(reply, "score"), "c 4, d 3");
  EXPECT_EQ(reply.at("nodes").as_array()[0].as_object().at("share").to_number<double>(), 4.0 / 6);
  EXPECT_EQ(Shown(Json({"betweenness", "--directed"}), "score"), "c 4, d 3");
  EXPECT_EQ(Shown(Json({"betweenness", "--max-hops", "2"}), "score"), "c 2, d 1");
  const object sampled = Json({"betweenness", "--samples", "2", "--seed", "3"});
  EXPECT_FALSE(sampled.at("exact").as_bool());
  EXPECT_EQ(sampled.at("sources").as_int64(), 2);
  EXPECT_GT(sampled.at("bound").to_number<double>(), 0);
}

TEST_F(Structure, Communities) {
  const object reply = Json({"communities"});
  EXPECT_FALSE(reply.at("truncated").as_bool());
  EXPECT_EQ(reply.at("method").as_string(), "leiden");
  // Weights: a-b 3, b-c 3, a-c 7, c-d 0.5, d-e 0.5; the triangle, and its tail.
  EXPECT_EQ(boost::json::serialize(reply.at("communities")),
            R"([{"community":0,"size":3,"members":["a","b","c"]},{"community":1,"size":2,"members":["d","e"]}])");
  EXPECT_NEAR(reply.at("modularity").to_number<double>(), 27.0 / 28 - (26.5 * 26.5 + 1.5 * 1.5) / (28 * 28.0), 1e-12);
  EXPECT_GE(reply.at("iterations").as_int64(), 1);
  const object fine = Json({"communities", "--resolution", "1000", "--members", "1", "--top", "2"});
  EXPECT_EQ(fine.at("count").as_int64(), 5);
  EXPECT_EQ(boost::json::serialize(fine.at("communities")),
            R"([{"community":0,"size":1,"members":["a"]},{"community":1,"size":1,"members":["b"]}])");
  EXPECT_EQ(Json({"communities", "--valid-at", "250"}).at("count").as_int64(), 2);  // c-d, and e alone
  EXPECT_EQ(Json({"communities", "--kinds", "likes"}).at("count").as_int64(), 3);
  EXPECT_EQ(Json({"communities", "--as-of", "1", "--seed", "9", "--unweighted"}).at("count").as_int64(), 2);
  EXPECT_TRUE(Json({"communities", "--max-edges", "0"}).at("truncated").as_bool());
  EXPECT_TRUE(Json({"communities", "--max-seconds", "0"}).at("truncated").as_bool());
  const object labels = Json({"communities", "--method", "labels", "--iterations", "1"});
  EXPECT_EQ(labels.at("method").as_string(), "labels");
  // a: b twice; b: a twice; c: a, the smallest; d: c; e: d.
  EXPECT_EQ(boost::json::serialize(labels.at("communities")),
            R"([{"community":1,"size":2,"members":["b","c"]},{"community":0,"size":1,"members":["a"]},{"community":2,"size":1,"members":["d"]},{"community":3,"size":1,"members":["e"]}])");
  const object none = Json({"communities", "--method", "labels", "--iterations", "0"});
  EXPECT_EQ(none.at("count").as_int64(), 5);
  EXPECT_EQ(none.at("iterations").as_int64(), 0);
  EXPECT_NE(Run({"communities"}).out.find("2 communities, the largest has 3 nodes, 0 are single nodes; modularity "), std::string::npos);
  EXPECT_EQ(Run({"communities", "--resolution", "-1"}).code, 2);
  EXPECT_EQ(Run({"communities", "--method", "labels", "--seed", "1"}).code, 2);
  EXPECT_EQ(Run({"communities", "--method", "louvain"}).code, 2);
}

TEST_F(Structure, Closeness) {
  const object reply = Json({"closeness", "--top", "2"});
  EXPECT_TRUE(reply.at("exact").as_bool());
  EXPECT_EQ(Shown(reply, "closeness"), "c 0.8, d 0.666667");
  EXPECT_EQ(Shown(reply, "harmonic"), "c 3.5, d 3");
  EXPECT_EQ(Shown(Json({"closeness", "--harmonic", "--direction", "in", "--top", "2"}), "harmonic"), "e 2.166667, c 2");
  EXPECT_EQ(Shown(Json({"closeness", "--of", "e", "--direction", "out"}), "closeness"), "e 0");
  EXPECT_EQ(Shown(Json({"closeness", "--of", "e", "--of", "d", "--of", "e", "--direction", "out", "--top", "1"}), "closeness"), "d 0.25");
  const Finished elsewhere = Run({"closeness", "--of", "a", "--scope", "other"});
  EXPECT_EQ(elsewhere.code, 2);
  EXPECT_NE(elsewhere.err.find("node 'a' is outside the subset or scope"), std::string::npos) << elsewhere.err;
  EXPECT_EQ(Shown(Json({"closeness", "--of", "d", "--direction", "out"}), "closeness"), "d 0.25");
  EXPECT_EQ(Shown(Json({"closeness", "--of", "d", "--direction", "out", "--unscaled"}), "closeness"), "d 1");
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
TEST_F(Structure, ValidNow) {
  EXPECT_EQ(Shown(Json({"closeness", "--of", "d", "--valid-at", "now"}), "reached"), "d 3");
  EXPECT_EQ(Shown(Json({"descendants", "a", "--valid-at", "now"}), "distance"), "b 1, c 1, d 2");
  EXPECT_EQ(Shown(Json({"match", ".+", "--from", "d", "--valid-at", "now"}), "hops"), "");
  EXPECT_EQ(Shown(Json({"hits", "--kinds", "likes", "--valid-at", "now", "--unweighted"}), "authority"), "a 1");
  EXPECT_EQ(Shown(Json({"similar", "--of", "c", "--valid-at", "now"}), "score"), "a 0.25, b 0.25");
  EXPECT_EQ(Shown(Json({"betweenness", "--valid-at", "now"}), "score"), "c 2");
  for (const char* command : {"katz", "eigenvector", "triangles", "kcore", "distances"}) {
    std::vector<std::string> question = {command, "--valid-at", "now"};
    if (question[0] == "distances") question.insert(question.end(), {"--from", "a"});
    EXPECT_EQ(Run(question).code, 0) << command;
  }
  EXPECT_EQ(Run({"katz", "--valid-at", "soon"}).code, 2);
}

TEST_F(Structure, Katz) {
  // a <-> b is the one cycle: 1 + 0.1 * the other's.
  const object reply = Json({"katz", "--alpha", "0.1", "--unweighted"});
  EXPECT_TRUE(reply.at("converged").as_bool());
  EXPECT_EQ(Shown(reply, "score"), "c 1.222222, d 1.122222, e 1.112222, a 1.111111, b 1.111111");
  EXPECT_EQ(Run({"katz", "--alpha", "1.5", "--unweighted"}).code, 2);
  EXPECT_NE(Run({"katz", "--alpha", "1.5", "--unweighted"}).err.find("spectral radius is at least"), std::string::npos);
  EXPECT_EQ(Run({"katz", "--alpha", "0"}).code, 2);
  const object found = Json({"katz"});
  EXPECT_LE(found.at("alpha").to_number<double>() * found.at("radius").to_number<double>(), 0.51);
  EXPECT_NE(Run({"katz"}).out.find("spectral radius at most"), std::string::npos);
  const object late = Json({"katz", "--max-seconds", "0", "--top", "1"});
  EXPECT_TRUE(late.at("truncated").as_bool());
  EXPECT_EQ(late.at("alpha").to_number<double>(), 0);
  EXPECT_EQ(Shown(late, "score"), "a 1");
}

TEST_F(Structure, EigenvectorAndHits) {
  const object reply = Json({"eigenvector", "--kinds", "knows", "--direction", "both", "--unweighted", "--top", "1"});
  EXPECT_TRUE(reply.at("converged").as_bool());
  EXPECT_NEAR(reply.at("eigenvalue").to_number<double>(), 2.170086, 1e-6);  // a triangle with a tail of one
  EXPECT_TRUE(Shown(reply, "score").starts_with("c 0.61"));
  const object hits = Json({"hits", "--kinds", "likes", "--unweighted"});
  EXPECT_TRUE(hits.at("converged").as_bool());
  EXPECT_EQ(Shown(hits, "authority"), "a 0.5, e 0.5");
  EXPECT_EQ(Shown(Json({"hits", "--hubs", "--kinds", "likes", "--unweighted", "--top", "1"}), "hub"), "b 0.5");
  EXPECT_EQ(Run({"hits", "--tolerance", "0"}).code, 2);
  // d -> e and b -> a are all there is: nothing leads round.
  const object none = Json({"eigenvector", "--kinds", "likes"});
  EXPECT_TRUE(none.at("acyclic").as_bool() && none.at("converged").as_bool());
  EXPECT_FALSE(none.at("truncated").as_bool());
  EXPECT_EQ(none.at("eigenvalue").to_number<double>(), 0);
  EXPECT_EQ(Shown(none, "score"), "");
  EXPECT_NE(Run({"eigenvector", "--kinds", "likes"}).out.find("lead round in a circle"), std::string::npos);
  EXPECT_FALSE(Json({"eigenvector"}).at("acyclic").as_bool());
}

TEST_F(Structure, Similar) {
  EXPECT_EQ(Shown(Json({"similar", "--of", "a"}), "score"), "b 0.333333, d 0.333333, c 0.25");
  const object reply = Json({"similar", "--of", "a", "--measure", "common", "--top", "1"});
  EXPECT_EQ(reply.at("candidates").as_int64(), 3);
  EXPECT_EQ(reply.at("neighbors").as_int64(), 2);
  EXPECT_EQ(Shown(reply, "shared"), "b 1");
  EXPECT_EQ(Shown(Json({"similar", "--of", "a", "--least", "2"}), "score"), "");
  EXPECT_EQ(Shown(Json({"similar", "--of", "b", "--direction", "out"}), "score"), "a 0.333333");
  EXPECT_EQ(Shown(Json({"similar", "--of", "b", "--direction", "in"}), "score"), "c 0.5");
  EXPECT_TRUE(Json({"similar", "--of", "a", "--max-edges", "3"}).at("truncated").as_bool());
  const object pair = Json({"similar", "--of", "a", "--with", "d", "--with", "e", "--measure", "resource"});
  EXPECT_EQ(boost::json::serialize(pair.at("pairs").as_array()[0]),
            R"({"a":"a","b":"d","score":3.333333333333333E-1,"shared":1,"neighbors_a":2,"neighbors_b":2})");
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
  EXPECT_NE(Run({"similar", "--of", "a"}).out.find("3 nodes share some of 2 neighbours"), std::string::npos);
}

// Every kernel takes a budget; spent from the start it says so, in tables too.
TEST_F(Structure, BudgetsOfAllCommands) {
  const std::vector<std::vector<std::string>> commands = {
      {"ancestors", "d"}, {"descendants", "a"}, {"distances", "--from", "a"}, {"bfs", "--from", "a"},
      {"traverse", "--from", "a"}, {"match", "knows+", "--from", "a"}, {"components"}, {"components", "--strong"},
      {"topo", "--kinds", "knows"}, {"communities"}, {"triangles"}, {"kcore"}, {"betweenness"}, {"closeness"}, {"katz"},
      {"eigenvector"}, {"hits"}, {"forest"}, {"cuts"}, {"dominators", "a"}, {"flow", "--from", "a", "--to", "d"},
      {"similar"}, {"similar", "--of", "a"}};
  for (std::vector<std::string> command : commands) {
    SCOPED_TRACE(command[0]);
    command.insert(command.end(), {"--max-seconds", "0"});
    EXPECT_TRUE(Json(command).at("truncated").as_bool());
    const Finished told = Run(command);
    EXPECT_EQ(told.code, 0);
    EXPECT_TRUE(told.out.find("truncated") != std::string::npos || told.out.find("not all") != std::string::npos) << told.out;
  }
  EXPECT_FALSE(Json({"topo", "--kinds", "knows"}).at("truncated").as_bool());
  EXPECT_FALSE(Json({"components", "--max-seconds", "1e12"}).at("truncated").as_bool());
  EXPECT_EQ(Run({"katz", "--max-seconds", "-1"}).code, 2);
  EXPECT_EQ(Json({"bfs", "--from", "a", "--max-nodes", "2"}).at("reached").as_int64(), 2);
  EXPECT_TRUE(Json({"bfs", "--from", "a", "--max-edges", "1"}).at("truncated").as_bool());
  EXPECT_EQ(Run({"components", "--max-seconds", "0"}).out, "truncated: the budget ran out; no component is known\n");
}

TEST_F(Structure, MembersOfComponents) {
  const auto members = [&](std::vector<std::string> command) {
    std::string shown;
    const object reply = Json(command);
    for (const auto& part : reply.at("components").as_array()) {
      for (const auto& key : part.as_object().at("members").as_array()) shown += std::string(key.as_string());
      shown += ' ';
    }
    return shown;
  };
  EXPECT_EQ(members({"components", "--members", "0"}), "abcde ");
  EXPECT_EQ(members({"components", "--kinds", "knows", "--members", "0"}), "abcd e ");
  EXPECT_EQ(members({"components", "--kinds", "knows", "--members", "2", "--top", "1"}), "ab ");
  EXPECT_EQ(members({"components", "--strong", "--members", "0"}), "ab c d e ");
  EXPECT_EQ(members({"components", "--kinds", "has_tag", "--members", "1"}), "a b c d e ");
  EXPECT_FALSE(Json({"components"}).at("components").as_array()[0].as_object().contains("members"));
  const std::string table = Run({"components", "--kinds", "knows", "--members", "3"}).out;
  for (const char* key : {"  a", "  b", "  c", "  e"}) EXPECT_NE(table.find(key), std::string::npos) << table;
  EXPECT_EQ(table.find("  d"), std::string::npos) << table;
}

// An index node as an end is no error where the answer is only empty, but a note says why.
TEST_F(Structure, IndexNodesAsEnds) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"traverse", "--from", "tag:t"}, {"match", "knows+", "--from", "tag:t"}, {"bfs", "--from", "tag:t"},
           {"ancestors", "tag:t"}, {"descendants", "tag:t"}, {"similar", "--of", "tag:t"}, {"dominators", "a", "--to", "tag:t"},
           {"dominators", "tag:t"}, {"distances", "--from", "tag:t"}, {"bfs", "--each", "--from", "a", "--from", "tag:t"},
           {"flow", "--from", "a", "--to", "tag:t"}, {"flow", "--from", "tag:t", "--to", "a"}}) {
    SCOPED_TRACE(command[0]);
    std::vector<std::string> asked = command;
    const Finished run = Run(asked);
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.err, "plexus: 'tag:t' is of the index plane, and none of the edge kinds followed touches it; "
                       "name one that does, such as has_tag\n");
    asked.push_back("--quiet");
    EXPECT_EQ(Run(asked).err, "");
  }
  EXPECT_EQ(Shown(Json({"distances", "--from", "tag:t", "--quiet"}), "distance"), std::string("tag\x1f") + "t 0");
  EXPECT_EQ(Json({"flow", "--from", "a", "--to", "tag:t", "--quiet"}).at("flow").to_number<double>(), 0);
  EXPECT_EQ(Run({"ancestors", "tag:t", "--kinds", "has_tag"}).err, "");
  EXPECT_EQ(Run({"match", "^has_tag", "--from", "tag:t"}).err, "");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"pagerank", "--seed", "tag:t"}, {"pagerank", "--seed", "tag:t", "--push", "1e-3"}, {"closeness", "--of", "tag:t"}}) {
    SCOPED_TRACE(command[0]);
    const Finished run = Run(command);
    EXPECT_EQ(run.code, 2);
    EXPECT_NE(run.err.find("node 'tag:t' is of the index plane"), std::string::npos) << run.err;
  }
  const Finished weight = Run({"pagerank", "--seed", "a=-1"});
  EXPECT_NE(weight.err.find("of seed node 'a' is not"), std::string::npos) << weight.err;
}

TEST_F(Structure, UnknownScopesAreNoted) {
  EXPECT_EQ(Run({"components", "--scope", "usr"}).err, "plexus: no node has the scope 'usr'; did you mean 'user'?\n");
  EXPECT_EQ(Run({"components", "--scope", "usr", "--quiet"}).err, "");
  EXPECT_EQ(Run({"components", "--scope", "user"}).err, "");
}

TEST_F(Structure, NothingOnStderrAndClearRefusals) {
  EXPECT_EQ(Run({"components", "--threads", "1000"}).err, "");  // nor a warning of oneTBB's
  const Finished least = Run({"similar", "--of", "a", "--least", "0"});
  EXPECT_EQ(least.code, 2);
  EXPECT_NE(least.err.find("--least is 1 or more"), std::string::npos) << least.err;
}

}  // namespace
}  // namespace plexus::testing
