// Questions: get, neighbors, find, stats, kinds, traverse, path, bfs,
// components; the JSON shapes of DESIGN section 9.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/stored_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

// a --0.5--> b --0.5--> c --1--> d, a --0.1--> d; e alone; one tag; m2 hides m1.
class Ask : public StoredGraph<Ask> {
 protected:
  static void SetUpTestSuite() {
    const std::string lines =
        R"({"node":"a","kind":"memory","text":"apple, fruit\nround","tags":["red"],"trust":0.5,"props":{"n":1}})"
        "\n"
        R"({"node":"e","scope":"other","text":"evil \u001b[2Jtext"})"
        "\n"
        R"({"edge":["a","b"],"kind":"knows","weight":0.5})"
        "\n"
        R"({"edge":["b","c"],"kind":"knows","weight":0.5})"
        "\n"
        R"({"edge":["c","d"],"kind":"likes","weight":1})"
        "\n"
        R"({"edge":["a","d"],"kind":"knows","weight":0.125,"label":"x","created_by":"me"})"
        "\n"
        R"({"edge":["m2","m1"],"kind":"supersedes"})"
        "\n"
        R"({"edge":["a","m1"],"kind":"knows"})"
        "\n";
    Import(lines, {"--now", "1700000000000"});
  }
};

TEST_F(Ask, GetShowsEverythingOfANode) {
  const object node = Json({"get", "a"});
  EXPECT_EQ(node.at("key").as_string(), "a");
  EXPECT_EQ(node.at("kind").as_string(), "memory");
  EXPECT_EQ(node.at("text").as_string(), "apple, fruit\nround");
  EXPECT_EQ(node.at("tags").as_array(), array({"red"}));
  EXPECT_EQ(node.at("trust").as_double(), 0.5);
  EXPECT_EQ(node.at("created_at").as_int64(), 1700000000000);
  EXPECT_EQ(node.at("props").as_object().at("n").as_int64(), 1);
  EXPECT_EQ(node.at("scope").as_string(), "user");
  EXPECT_EQ(node.at("out_degree").as_int64(), 3);
  EXPECT_EQ(Json({"get", "tag:red"}).at("kind").as_string(), "tag");
}

TEST_F(Ask, UnknownKeysAreNotFoundWithASuggestion) {
  const Finished run = Run({"get", "mm1"});
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("did you mean 'm1'?"), std::string::npos) << run.err;
  EXPECT_EQ(Run({"neighbors", "nobody"}).code, 3);
  EXPECT_EQ(Run({"path", "--from", "a", "--to", "nobody"}).code, 3);
  EXPECT_EQ(Run({"pagerank", "--seed", "nobody"}).code, 3);
  EXPECT_EQ(Run({"traverse", "--from", "nobody"}).code, 3);
  const Finished kind = Run({"pagerank", "--kinds", "knws"});
  EXPECT_EQ(kind.code, 2);
  EXPECT_NE(kind.err.find("did you mean 'knows'?"), std::string::npos) << kind.err;
}

TEST_F(Ask, StoredTextCannotDriveTheTerminal) {
  const Finished run = Run({"get", "e"});
  EXPECT_EQ(run.out.find('\x1b'), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("\\x1B[2J"), std::string::npos) << run.out;
  EXPECT_EQ(Json({"get", "e"}).at("text").as_string(), "evil \x1b[2Jtext");
}

TEST_F(Ask, CommandNamesAreKeysToo) {
  const Finished run = Run({"get", "stats"});
  EXPECT_EQ(run.code, 3);
  EXPECT_NE(run.err.find("'stats'"), std::string::npos) << run.err;
}

TEST_F(Ask, NeighborsHaveDirectionKindAndAttributes) {
  const array in = Json({"neighbors", "d", "--direction", "in"}).at("neighbors").as_array();
  ASSERT_EQ(in.size(), 2u);
  bool labelled = false;
  for (const auto& row : in) {
    EXPECT_EQ(row.as_object().at("direction").as_string(), "in");
    if (row.as_object().at("key").as_string() != "a") continue;
    labelled = true;
    EXPECT_EQ(row.as_object().at("label").as_string(), "x");
    EXPECT_EQ(row.as_object().at("created_by").as_string(), "me");
    EXPECT_EQ(row.as_object().at("weight").as_double(), 0.125);
  }
  EXPECT_TRUE(labelled);
  EXPECT_EQ(Json({"neighbors", "d", "--kinds", "likes"}).at("neighbors").as_array().size(), 1u);
  EXPECT_EQ(Json({"neighbors", "tag:red"}).at("neighbors").as_array().size(), 1u);
  EXPECT_EQ(Json({"neighbors", "a"}).at("neighbors").as_array().size(), 3u);  // facts only
}

TEST_F(Ask, FindGoesFromWordsToKeys) {
  const object found = Json({"find", "FRUIT"});
  ASSERT_EQ(found.at("nodes").as_array().size(), 1u);
  EXPECT_EQ(found.at("nodes").as_array()[0].as_object().at("key").as_string(), "a");
  EXPECT_EQ(Run({"find", "--keys", "round"}).out, "a\n");
  EXPECT_EQ(Run({"find", "zebra"}).code, 3);
}

TEST_F(Ask, StatsCountsFactsAndIndexApart) {
  const object stats = Json({"stats"});
  EXPECT_EQ(stats.at("nodes").as_int64(), 7);
  EXPECT_EQ(stats.at("edges").as_int64(), 6);
  EXPECT_EQ(stats.at("events").as_int64(), 0);
  EXPECT_EQ(stats.at("kinds").as_object().at("knows").as_int64(), 4);
  EXPECT_EQ(stats.at("index").as_object().at("nodes").as_int64(), 1);
  const object& bytes = stats.at("bytes").as_object();
  std::int64_t sum = 0;
  for (const char* part : {"csr", "delta", "nodes", "keys", "strings", "columns", "sparse", "payload_refs", "vectors", "derived"}) {
    ASSERT_TRUE(bytes.contains(part)) << part;
    sum += bytes.at(part).as_int64();
  }
  EXPECT_EQ(bytes.at("total").as_int64(), sum);
  EXPECT_TRUE(bytes.contains("per_edge"));
  EXPECT_EQ(Run({"stats"}).code, 0);
}

// By the grammar of OpenMetrics 1.0, as far as it concerns counters and gauges: families stand
// together and are declared before their rows, counters end in _total, labels are quoted, EOF is the end.
TEST_F(Ask, StatsAsOpenMetrics) {
  const Finished run = Run({"stats", "--metrics"});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string label = R"re([a-z_]+="(?:[^"\\\n]|\\[\\"n])*")re";
  const std::regex help("# HELP ([a-z][a-z0-9_]*) .+"), type("# TYPE ([a-z][a-z0-9_]*) (counter|gauge)"),
      row("([a-z][a-z0-9_]*)([{]" + label + "(?:," + label + ")*[}])? (-?[0-9]+(?:[.][0-9]+)?(?:e[-+]?[0-9]+)?)");
  std::istringstream text(run.out);
  std::set<std::string> families, rows;
  std::string helped, family, kind, line;
  bool ended = false;
  std::map<std::string, double> sums;
  while (std::getline(text, line)) {
    ASSERT_FALSE(ended) << line;
    std::smatch m;
    if (line == "# EOF") {
      ended = true;
    } else if (std::regex_match(line, m, help)) {
      helped = m[1];
      EXPECT_TRUE(families.insert(helped).second) << line;
    } else if (std::regex_match(line, m, type)) {
      family = m[1], kind = m[2];
      EXPECT_EQ(family, helped);
    } else {
      ASSERT_TRUE(std::regex_match(line, m, row)) << line;
      EXPECT_EQ(m[1].str(), kind == "counter" ? family + "_total" : family);
      EXPECT_TRUE(rows.insert(m[1].str() + m[2].str()).second) << line;
      const bool fact = m[2].str().find("plane=\"fact\"") != std::string::npos;
      if (fact) sums[m[1]] += std::stod(m[3]);
    }
  }
  EXPECT_TRUE(ended);
  EXPECT_EQ(run.out.back(), '\n');
  EXPECT_EQ(sums["plexus_nodes"], 7);
  EXPECT_EQ(sums["plexus_edges"], 6);
  for (const char* name : {"plexus_batches", "plexus_memory_bytes", "plexus_disk_bytes", "plexus_stall_seconds", "plexus_payload_cache_hits"})
    EXPECT_TRUE(families.contains(name)) << name;
  EXPECT_EQ(Run({"stats", "--metrics", "--json"}).code, 2);
  EXPECT_EQ(Run({"stats", "--metrics", "--as-of", "1"}).code, 2);
}

TEST_F(Ask, KindsHaveTraits) {
  bool found = false;
  const object kinds = Json({"kinds"});
  for (const auto& kind : kinds.at("edge_kinds").as_array())
    if (kind.as_object().at("kind").as_string() == "contradicts") {
      found = true;
      EXPECT_TRUE(kind.as_object().at("symmetric").as_bool());
    }
  EXPECT_TRUE(found);
  EXPECT_NE(Run({"kinds"}).out.find("supersedes"), std::string::npos);
}

TEST_F(Ask, TraverseGivesScoresWithProof) {
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
  EXPECT_NE(Run({"traverse", "--from", "a", "--paths"}).out.find("--likes--> d"), std::string::npos);
}

TEST_F(Ask, PathByHopsAndByWeights) {
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
  EXPECT_EQ(Json({"path", "--from", "d", "--to", "a", "--direction", "both"}).at("paths").as_array().size(), 1u);
  EXPECT_EQ(Run({"path", "--from", "a", "--to", "d", "--count", "0"}).code, 2);
  EXPECT_EQ(Json({"path", "--from", "a", "--to", "d", "--cost", "log", "--count", "5"}), weighted);
  EXPECT_EQ(Json({"path", "--from", "a", "--to", "d", "--cost", "hops"}), hops);
  const object length = Json({"path", "--from", "a", "--to", "d", "--cost", "length", "--count", "5"});
  ASSERT_EQ(length.at("paths").as_array().size(), 2u);
  EXPECT_EQ(length.at("paths").at(0).at("cost").to_number<double>(), 0.125);
  EXPECT_EQ(length.at("paths").at(1).at("cost").to_number<double>(), 2);
  EXPECT_EQ(Run({"path", "--from", "a", "--to", "d", "--cost", "miles"}).code, 2);
  EXPECT_EQ(Run({"path", "--from", "a", "--to", "d", "--cost", "hops", "--weighted"}).code, 2);
  const Finished two = Run({"path", "--from", "a", "--to", "d", "--cost", "length", "--column", "trust"});
  EXPECT_EQ(two.code, 2);
  EXPECT_NE(two.err.find("--cost and --column"), std::string::npos) << two.err;
  EXPECT_NE(Run({"path", "--from", "a", "--to", "d", "--cost", "log"}).out.find("product of weights"), std::string::npos);
}

TEST_F(Ask, PathToAnIndexNodeSaysWhyThereIsNone) {
  const object none = Json({"path", "--from", "a", "--to", "tag:red"});
  EXPECT_EQ(none.at("paths").as_array().size(), 0u);
  EXPECT_EQ(none.at("why").as_string(),
            "tag:red is an index node and no edge between facts touches it; name kinds that do with --kinds: has_tag");
  EXPECT_NE(Run({"path", "--from", "tag:red", "--to", "a", "--kinds", "knows"}).out.find(
                "no path from tag:red to a: tag:red is an index node and no edge of the kinds named touches it"),
            std::string::npos);
  EXPECT_EQ(Json({"path", "--from", "a", "--to", "tag:red", "--kinds", "has_tag"}).at("paths").as_array().size(), 1u);
  EXPECT_FALSE(Json({"path", "--from", "d", "--to", "a"}).contains("why"));
}

TEST_F(Ask, BfsAndComponents) {
  const object bfs = Json({"bfs", "--from", "b"});
  EXPECT_EQ(bfs.at("reached").as_int64(), 3);
  EXPECT_EQ(bfs.at("levels").as_array(), array({1, 1, 1}));
  EXPECT_EQ(bfs.at("nodes").as_array()[2].as_object().at("parent").as_string(), "c");
  const object parts = Json({"components"});
  EXPECT_EQ(parts.at("count").as_int64(), 2);
  EXPECT_EQ(parts.at("largest").as_int64(), 6);
  EXPECT_EQ(Json({"components", "--kinds", "likes"}).at("count").as_int64(), 6);
}

TEST_F(Ask, BfsFromEachByItself) {
  const object reply = Json({"bfs", "--from", "a", "--from", "c", "--each"});
  EXPECT_FALSE(reply.at("truncated").as_bool());
  const array& sources = reply.at("sources").as_array();
  ASSERT_EQ(sources.size(), 2u);
  for (const auto& entry : sources) {
    const object& source = entry.as_object();
    const object alone = Json({"bfs", "--from", std::string(source.at("key").as_string())});
    EXPECT_EQ(source.at("reached"), alone.at("reached"));
    EXPECT_EQ(source.at("levels"), alone.at("levels"));
  }
  std::vector<std::string> many = {"bfs", "--each", "--depth", "1"};  // more than fit one search
  for (int i = 0; i < 70; ++i) many.insert(many.end(), {"--from", i % 2 ? "a" : "b"});
  EXPECT_EQ(Json(many).at("sources").as_array().size(), 70u);
  EXPECT_NE(Run({"bfs", "--from", "a", "--each"}).out.find("by depth"), std::string::npos);
}

TEST_F(Ask, StrongComponentsAndTopologicalOrder) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string lines =
      R"({"edge":["app","lib"],"kind":"depends_on"})" "\n"
      R"({"edge":["lib","core"],"kind":"depends_on"})" "\n"
      R"({"edge":["x","y"],"kind":"knows"})" "\n"
      R"({"edge":["y","x"],"kind":"knows"})" "\n"
      R"({"edge":["y","z"],"kind":"knows"})" "\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--format", "jsonl", "-"}, {.input = lines}).code, 0);
  const auto json = [&](std::vector<std::string> arguments, int code) {
    arguments.insert(arguments.end(), {"--db", db, "--json"});
    const Finished run = Plexus(arguments);
    EXPECT_EQ(run.code, code) << run.err;
    return run.Json();
  };
  const object strong = json({"components", "--strong", "--kinds", "knows,depends_on"}, 0);
  EXPECT_EQ(strong.at("count").as_int64(), 5);
  EXPECT_EQ(strong.at("largest").as_int64(), 2);
  EXPECT_EQ(strong.at("components").as_array()[0].as_object().at("key").as_string(), "x");
  EXPECT_EQ(json({"components", "--kinds", "knows,depends_on"}, 0).at("count").as_int64(), 2);

  const object order = json({"topo", "--reverse"}, 0);
  EXPECT_TRUE(order.at("acyclic").as_bool());
  const array& nodes = order.at("nodes").as_array();
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].as_object().at("key").as_string(), "core");
  EXPECT_EQ(nodes[2].as_object().at("key").as_string(), "app");
  EXPECT_EQ(nodes[2].as_object().at("level").as_int64(), 2);
  const object cyclic = json({"topo", "--kinds", "knows"}, 1);
  EXPECT_FALSE(cyclic.at("acyclic").as_bool());
  EXPECT_EQ(cyclic.at("cycles").as_array()[0].as_object().at("nodes").as_array(), array({"x", "y"}));
  EXPECT_EQ(cyclic.at("nodes").as_array().size(), 3u);
  const Finished told = Plexus({"topo", "--db", db, "--kinds", "knows"});
  EXPECT_EQ(told.code, 1);
  EXPECT_NE(told.out.find("cycle: x -> y -> x"), std::string::npos) << told.out;
  EXPECT_EQ(Plexus({"topo", "--db", db, "--kinds", "similar"}).code, 2);
  EXPECT_EQ(Plexus({"topo", "--db", db}).code, 0);
}

TEST_F(Ask, ValidTimesOfEdges) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string lines =
      R"({"edge":["a","b"],"kind":"depends_on","valid_until":2000})" "\n"
      R"({"edge":["b","c"],"kind":"depends_on","valid_from":1000})" "\n"
      R"({"edge":["c","a"],"kind":"depends_on","valid_from":2000})" "\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--now", "500", "--format", "jsonl", "-"}, {.input = lines}).code, 0);
  const auto json = [&](std::vector<std::string> arguments, int code = 0) {
    arguments.insert(arguments.end(), {"--db", db, "--json"});
    const Finished run = Plexus(arguments);
    EXPECT_EQ(run.code, code) << run.err;
    return run.Json();
  };
  const auto strong = [&](std::vector<std::string> when) {
    when.insert(when.begin(), {"components", "--strong"});
    return json(when).at("largest").as_int64();
  };
  EXPECT_EQ(strong({}), 3);  // all edges, whenever they were valid
  EXPECT_EQ(strong({"--valid-at", "1500"}), 1);
  EXPECT_EQ(strong({"--valid-at", "now"}), 1);
  EXPECT_EQ(json({"components", "--valid-at", "now", "--now", "500"}).at("count").as_int64(), 2);
  EXPECT_FALSE(json({"topo"}, 1).at("acyclic").as_bool());
  EXPECT_EQ(json({"topo", "--valid-at", "2500"}).at("nodes").as_array()[0].as_object().at("key").as_string(), "b");
  EXPECT_EQ(json({"bfs", "--from", "a"}).at("reached").as_int64(), 3);
  EXPECT_EQ(json({"bfs", "--from", "a", "--valid-at", "2000"}).at("reached").as_int64(), 1);
  EXPECT_EQ(Plexus({"topo", "--db", db, "--valid-at", "soon"}).code, 2);
}

TEST_F(Ask, TraverseReachesEventsAndOutcomesWhenTheirKindsAreNamed) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string lines =
      R"({"event":"e1","query":"why","members":[{"id":"m1","role":"primary"},{"id":"m2"},{"id":"old"}]})" "\n"
      R"({"outcome":"e1","type":"helpful","labeled_at":5})" "\n"
      R"({"edge":["m2","old"],"kind":"supersedes"})" "\n";
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
  EXPECT_EQ(keys({"--kinds", "member", "--direction", "both", "--hops", "2"}), "event:e1 m2 ");  // old stays hidden
  EXPECT_EQ(keys({"--direction", "both"}), "");
}

// CONTRACTS decision 6: the past answers as it would have answered then.
TEST_F(Ask, ThePastIsJudgedByItsOwnClock) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string first =
      R"({"node":"short","valid_until":2000})" "\n"
      R"({"node":"later","valid_from":3000})" "\n"
      R"({"edge":["a","short"],"kind":"supports"})" "\n"
      R"({"edge":["a","later"],"kind":"supports"})" "\n";
  ASSERT_EQ(Plexus({"import", "--db", db, "--now", "1000", "--format", "jsonl", "-"}, {.input = first}).code, 0);
  ASSERT_EQ(Plexus({"link", "--db", db, "a", "supports", "b", "--now", "9000"}).code, 0);
  const auto reached = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"traverse", "--db", db, "--json", "--from", "a"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::string found;
    const object reply = Plexus(arguments).Json();
    for (const auto& node : reply.at("nodes").as_array())
      found += std::string(node.as_object().at("key").as_string()) + " ";
    return found;
  };
  EXPECT_EQ(reached({}), "later b ");
  EXPECT_EQ(reached({"--as-of", "1"}), "short ");         // the time of batch 1
  EXPECT_EQ(reached({"--as-of", "2"}), "later b ");
  EXPECT_EQ(reached({"--as-of", "1", "--now", "5000"}), "later ");  // unless it is said otherwise
}

TEST_F(Ask, ScopeSelects) {
  const array other = Json({"pagerank", "--scope", "other"}).at("nodes").as_array();
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(other[0].as_object().at("key").as_string(), "e");
  EXPECT_EQ(Json({"pagerank", "--scope", "user,other"}).at("nodes").as_array().size(), 7u);
}

TEST(IndexEdges, AreCountedAndNamed) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string lines =
      R"({"node":"m","kind":"memory","text":"x","tags":["t","u"]})"
      "\n"
      R"({"event":"e","members":[{"id":"m","role":"primary"},{"id":"n","role":"related"}]})"
      "\n"
      R"({"outcome":"e","type":"helpful","labeled_at":1,"source":"s"})"
      "\n";
  const Finished imported = Plexus({"import", "--db", db, "--format", "jsonl", "-"}, {.input = lines});
  ASSERT_EQ(imported.code, 0) << imported.err << imported.out;
  const object memory = Plexus({"get", "--db", db, "--json", "m"}).Json();
  EXPECT_EQ(memory.at("out_degree").as_int64(), 0);
  EXPECT_EQ(memory.at("index_out_degree").as_int64(), 2);
  EXPECT_EQ(memory.at("index_in_degree").as_int64(), 1);
  EXPECT_EQ(memory.at("index_edges").as_array().size(), 2u);
  EXPECT_EQ(memory.at("index_edges").as_array()[0].as_object().at("kind").as_string(), "has_tag");
  EXPECT_EQ(Plexus({"get", "--db", db, "--json", "tag:t"}).Json().at("index_in_degree").as_int64(), 1);
  const Finished tag = Plexus({"get", "--db", db, "tag:t"});
  EXPECT_NE(tag.out.find("0 out, 1 in: has_tag 1"), std::string::npos) << tag.out;

  const object event = Plexus({"get", "--db", db, "--json", "event:e"}).Json();
  EXPECT_EQ(event.at("members").as_array().size(), 2u);
  EXPECT_EQ(event.at("members").as_array()[0].as_object().at("role").as_string(), "primary");
  EXPECT_EQ(event.at("outcomes").as_array().size(), 1u);
  EXPECT_NE(Plexus({"get", "--db", db, "event:e"}).out.find("m (primary)"), std::string::npos);

  const Finished none = Plexus({"neighbors", "--db", db, "m"});
  EXPECT_EQ(none.code, 0);
  EXPECT_NE(none.err.find("3 of the index plane (has_tag 2, member 1): --kinds has_tag,member lists them"), std::string::npos)
      << none.err;
  EXPECT_EQ(Plexus({"neighbors", "--db", db, "--quiet", "m"}).err, "");
  EXPECT_EQ(Plexus({"neighbors", "--db", db, "--json", "m"}).Json().at("index_edges").as_array().size(), 2u);
  EXPECT_EQ(Plexus({"neighbors", "--db", db, "--json", "tag:t"}).Json().at("neighbors").as_array().size(), 1u);
}

}  // namespace
}  // namespace plexus::testing
