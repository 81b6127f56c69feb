// Questions: get, neighbors, find, stats, kinds, traverse, path, bfs,
// components; the shapes of JSON replies.
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

TEST_F(QueryCommands, GetShowsEverythingOfANode) {
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

TEST_F(QueryCommands, UnknownKeysAreNotFoundWithASuggestion) {
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

TEST_F(QueryCommands, StoredTextCannotDriveTheTerminal) {
  const Finished run = Run({"get", "e"});
  EXPECT_EQ(run.out.find('\x1b'), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("\\x1B[2J"), std::string::npos) << run.out;
  EXPECT_EQ(Json({"get", "e"}).at("text").as_string(), "evil \x1b[2Jtext");
}

TEST_F(QueryCommands, CommandNamesAreKeysToo) {
  const Finished run = Run({"get", "stats"});
  EXPECT_EQ(run.code, 3);
  EXPECT_NE(run.err.find("'stats'"), std::string::npos) << run.err;
}

TEST_F(QueryCommands, NeighborsHaveDirectionKindAndAttributes) {
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

TEST_F(QueryCommands, FindGoesFromWordsToKeys) {
  const object found = Json({"find", "FRUIT"});
  ASSERT_EQ(found.at("results").as_array().size(), 1u);
  EXPECT_EQ(found.at("results").as_array()[0].as_object().at("key").as_string(), "a");
  EXPECT_EQ(Run({"find", "--keys", "round"}).out, "a\n");
  EXPECT_EQ(Run({"find", "zebra"}).code, 3);
}

TEST_F(QueryCommands, StatsCountsFactsAndIndexApart) {
  const object stats = Json({"stats"});
  EXPECT_EQ(stats.at("nodes").as_int64(), 7);
  EXPECT_EQ(stats.at("edges").as_int64(), 6);
  EXPECT_EQ(stats.at("events").as_int64(), 0);
  EXPECT_EQ(stats.at("kinds").as_object().at("knows").as_int64(), 4);
  EXPECT_EQ(stats.at("index").as_object().at("nodes").as_int64(), 8);  // a tag, terms, a record
  const object& bytes = stats.at("bytes").as_object();
  std::int64_t sum = 0;
  for (const char* part : {"csr", "delta", "nodes", "keys", "strings", "columns", "sparse",
                           "payload_refs", "vectors", "derived"}) {
    ASSERT_TRUE(bytes.contains(part)) << part;
    sum += bytes.at(part).as_int64();
  }
  EXPECT_EQ(bytes.at("total").as_int64(), sum);
  EXPECT_TRUE(bytes.contains("per_edge"));
  EXPECT_EQ(Run({"stats"}).code, 0);
}

// By the grammar of OpenMetrics 1.0, as far as it concerns counters and gauges: families stand
// together and are declared before their rows, counters end in _total, labels are quoted, EOF is
// the end.
TEST_F(QueryCommands, StatsAsOpenMetrics) {
  const Finished run = Run({"stats", "--metrics"});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string label = R"re([a-z_]+="(?:[^"\\\n]|\\[\\"n])*")re";
  const std::regex help("# HELP ([a-z][a-z0-9_]*) .+"),
      type("# TYPE ([a-z][a-z0-9_]*) (counter|gauge)"),
      row("([a-z][a-z0-9_]*)([{]" + label + "(?:," + label +
          ")*[}])? (-?[0-9]+(?:[.][0-9]+)?(?:e[-+]?[0-9]+)?)");
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
  for (const char* name : {"plexus_batches", "plexus_memory_bytes", "plexus_disk_bytes",
                           "plexus_stall_seconds", "plexus_payload_cache_hits"})
    EXPECT_TRUE(families.contains(name)) << name;
  EXPECT_EQ(Run({"stats", "--metrics", "--json"}).code, 2);
  EXPECT_EQ(Run({"stats", "--metrics", "--as-of", "1"}).code, 2);
}

TEST_F(QueryCommands, KindsHaveTraits) {
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

TEST_F(QueryCommands, ValidTimesOfEdges) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string lines = R"({"edge":["a","b"],"kind":"depends_on","valid_until":2000})"
                            "\n"
                            R"({"edge":["b","c"],"kind":"depends_on","valid_from":1000})"
                            "\n"
                            R"({"edge":["c","a"],"kind":"depends_on","valid_from":2000})"
                            "\n";
  ASSERT_EQ(
      Plexus({"import", "--db", db, "--now", "500", "--format", "jsonl", "-"}, {.input = lines})
          .code,
      0);
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
  EXPECT_EQ(json({"components", "--valid-at", "now", "--now", "500"}).at("total").as_int64(), 2);
  EXPECT_FALSE(json({"topo"}, 1).at("acyclic").as_bool());
  EXPECT_EQ(json({"topo", "--valid-at", "2500"})
                .at("results")
                .as_array()[0]
                .as_object()
                .at("key")
                .as_string(),
            "b");
  EXPECT_EQ(json({"bfs", "--from", "a"}).at("total").as_int64(), 3);
  EXPECT_EQ(json({"bfs", "--from", "a", "--valid-at", "2000"}).at("total").as_int64(), 1);
  EXPECT_EQ(Plexus({"topo", "--db", db, "--valid-at", "soon"}).code, 2);
}

// The past answers as it would have answered then.
TEST_F(QueryCommands, ThePastIsJudgedByItsOwnClock) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string first = R"({"node":"short","valid_until":2000})"
                            "\n"
                            R"({"node":"later","valid_from":3000})"
                            "\n"
                            R"({"edge":["a","short"],"kind":"supports"})"
                            "\n"
                            R"({"edge":["a","later"],"kind":"supports"})"
                            "\n";
  ASSERT_EQ(
      Plexus({"import", "--db", db, "--now", "1000", "--format", "jsonl", "-"}, {.input = first})
          .code,
      0);
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
  EXPECT_EQ(reached({"--as-of", "1"}), "short ");  // the time of batch 1
  EXPECT_EQ(reached({"--as-of", "2"}), "later b ");
  EXPECT_EQ(reached({"--as-of", "1", "--now", "5000"}), "later ");  // unless it is said otherwise
}

TEST_F(QueryCommands, ScopeSelects) {
  const array other = Json({"pagerank", "--scope", "other", "--quiet"}).at("nodes").as_array();
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
  const Finished imported =
      Plexus({"import", "--db", db, "--no-terms", "--format", "jsonl", "-"}, {.input = lines});
  ASSERT_EQ(imported.code, 0) << imported.err << imported.out;
  const object memory = Plexus({"get", "--db", db, "--json", "m"}).Json();
  EXPECT_EQ(memory.at("out_degree").as_int64(), 0);
  EXPECT_EQ(memory.at("index_out_degree").as_int64(), 2);
  EXPECT_EQ(memory.at("index_in_degree").as_int64(), 1);
  EXPECT_EQ(memory.at("index_edges").as_array().size(), 2u);
  EXPECT_EQ(memory.at("index_edges").as_array()[0].as_object().at("kind").as_string(), "has_tag");
  EXPECT_EQ(Plexus({"get", "--db", db, "--json", "tag:t"}).Json().at("index_in_degree").as_int64(),
            1);
  const Finished tag = Plexus({"get", "--db", db, "tag:t"});
  EXPECT_NE(tag.out.find("0 out, 1 in: has_tag 1"), std::string::npos) << tag.out;

  const object event = Plexus({"get", "--db", db, "--json", "event:e"}).Json();
  EXPECT_EQ(event.at("members").as_array().size(), 2u);
  EXPECT_EQ(event.at("members").as_array()[0].as_object().at("role").as_string(), "primary");
  EXPECT_EQ(event.at("outcomes").as_array().size(), 1u);
  EXPECT_NE(Plexus({"get", "--db", db, "event:e"}).out.find("m (primary)"), std::string::npos);

  const Finished none = Plexus({"neighbors", "--db", db, "m"});
  EXPECT_EQ(none.code, 0);
  EXPECT_NE(none.err.find(
                "3 of the index plane (has_tag 2, member 1): --kinds has_tag,member lists them"),
            std::string::npos)
      << none.err;
  EXPECT_EQ(Plexus({"neighbors", "--db", db, "--quiet", "m"}).err, "");
  EXPECT_EQ(
      Plexus({"neighbors", "--db", db, "--json", "m"}).Json().at("index_edges").as_array().size(),
      2u);
  EXPECT_EQ(
      Plexus({"neighbors", "--db", db, "--json", "tag:t"}).Json().at("neighbors").as_array().size(),
      1u);
}

// A quote in a kind's name is written twice, in patterns as in lists of kinds.
TEST(Patterns, QuotesInsideAreWrittenTwice) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string kind = R"(say "x" and 'y')";
  ASSERT_EQ(Plexus({"link", "s", kind, "t", "--db", db}).code, 0);
  const std::string doubled = std::string(2, '\'');
  for (const std::string& pattern :
       {std::string(R"("say ""x"" and 'y'")"), "'say \"x\" and " + doubled + "y" + doubled + "'"}) {
    const Finished run = Plexus({"match", pattern, "--from", "s", "--db", db, "--format", "csv"});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.out.find("\nt"), std::string::npos) << run.out;
  }
}

// A cut list begins with what matters most, and says how many there are.
TEST(Listings, NeighborsAreTheStrongestFirst) {
  const TempDir dir;
  const std::string db = dir / "g";
  const char* weights[] = {"0.1", "0.9", "0.5"};
  for (std::size_t i = 0; i < 3; ++i)
    ASSERT_EQ(
        Plexus({"link", "a", "knows", "b" + std::to_string(i), "--weight", weights[i], "--db", db})
            .code,
        0);
  const object two = Plexus({"neighbors", "a", "--top", "2", "--db", db, "--json"}).Json();
  EXPECT_EQ(two.at("total").to_number<int>(), 3);
  EXPECT_EQ(two.at("neighbors").at(0).at("key"), "b1");
  EXPECT_EQ(two.at("neighbors").at(1).at("key"), "b2");
}

// Who reads a memory is told that it was replaced.
TEST(Listings, GetSaysWhatSupersededANode) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"link", "new", "supersedes", "old", "--db", db}).code, 0);
  EXPECT_EQ(Plexus({"get", "old", "--db", db, "--json"}).Json().at("superseded_by"), "new");
  EXPECT_FALSE(Plexus({"get", "new", "--db", db, "--json"}).Json().contains("superseded_by"));
  EXPECT_NE(Plexus({"get", "old", "--db", db}).out.find("superseded by"), std::string::npos);
}

// What is in use is seen without reading past what is not; rows of the index plane are asked for.
TEST(Listings, ShowFirstWhatIsThere) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(
      Plexus({"put", "a", "--kind", "memory", "--text", "tea", "--tags", "x", "--db", db}).code, 0);
  ASSERT_EQ(Plexus({"link", "a", "knows", "b", "--db", db}).code, 0);
  const auto kinds = Plexus({"kinds", "--db", db, "--json"}).Json().at("edge_kinds").as_array();
  EXPECT_GT(kinds[0].at("count").to_number<int>(), 0);
  EXPECT_GT(kinds[1].at("count").to_number<int>(), 0);
  EXPECT_GT(kinds[2].at("count").to_number<int>(), 0);  // has_term
  EXPECT_EQ(kinds[3].at("count").to_number<int>(), 0);
  const auto past = Plexus({"history", "a", "--db", db, "--json"});
  EXPECT_EQ(past.out.find("has_tag"), std::string::npos) << past.out;
  EXPECT_EQ(past.Json().at("hidden").to_number<int>(), 2);
  const auto all = Plexus({"history", "a", "--all", "--db", db, "--json"});
  EXPECT_NE(all.out.find("has_tag"), std::string::npos) << all.out;
}

}  // namespace
}  // namespace plexus::testing
