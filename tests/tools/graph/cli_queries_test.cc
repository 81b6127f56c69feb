// Questions: get, neighbors, find, stats, kinds, traverse, path, bfs,
// components; the shapes of JSON replies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/tools/graph/queries_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

TEST_F(QueryCommands, GetShowsEverythingOfANode) {
  const object node = Json({"get", "a"});
  EXPECT_EQ(node.at("key"), "a");
  EXPECT_EQ(node.at("kind"), "memory");
  EXPECT_EQ(node.at("text"), "apple, fruit\nround");
  EXPECT_EQ(node.at("tags").as_array(), array({"red"}));
  EXPECT_EQ(node.at("trust").as_double(), 0.5);
  EXPECT_EQ(node.at("created_at"), 1700000000000);
  EXPECT_EQ(node.at("props").at("n"), 1);
  EXPECT_EQ(node.at("scope"), "user");
  EXPECT_EQ(node.at("out_degree"), 3);
  EXPECT_EQ(Json({"get", "tag:red"}).at("kind"), "tag");
}

TEST_F(QueryCommands, UnknownKeysAreNotFoundWithASuggestion) {
  const Finished run = Run({"get", "mm1"});
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(Says(run.err, "did you mean 'm1'?"));
  EXPECT_TRUE(Ends(Run({"pagerank", "--kinds", "knws"}), 2, "did you mean 'knows'?"));
}

TEST_F(QueryCommands, StoredTextCannotDriveTheTerminal) {
  const Finished run = Run({"get", "e"});
  EXPECT_FALSE(Says(run.out, "\x1b"));
  EXPECT_TRUE(Says(run.out, "\\x1B[2J"));
  EXPECT_EQ(Json({"get", "e"}).at("text"), "evil \x1b[2Jtext");
}

TEST_F(QueryCommands, CommandNamesAreKeysToo) {
  EXPECT_TRUE(Ends(Run({"get", "stats"}), 3, "'stats'"));
}

TEST_F(QueryCommands, NeighborsHaveDirectionKindAndAttributes) {
  ExpectReplies({
      {{"neighbors", "d", "--direction", "in"},
       "neighbors",
       "key direction weight label created_by",
       "c in 1, a in 0.125 x me"},
      {{"neighbors", "d", "--kinds", "likes"}, "neighbors", "key", "c"},
      {{"neighbors", "tag:red"}, "neighbors", "key", "a"},
      {{"neighbors", "a"}, "neighbors", "key", "m1, b, d"},  // facts only
  });
}

TEST_F(QueryCommands, FindGoesFromWordsToKeys) {
  const object found = Json({"find", "FRUIT"});
  ASSERT_EQ(found.at("results").as_array().size(), 1u);
  EXPECT_EQ(found.at("results").at(0).at("key"), "a");
  EXPECT_EQ(Run({"find", "--keys", "round"}).out, "a\n");
  EXPECT_EQ(Run({"find", "zebra"}).code, 3);
}

TEST_F(QueryCommands, StatsCountsFactsAndIndexApart) {
  const object stats = Json({"stats"});
  EXPECT_EQ(stats.at("nodes"), 7);
  EXPECT_EQ(stats.at("edges"), 6);
  EXPECT_EQ(stats.at("events"), 0);
  EXPECT_EQ(stats.at("kinds").at("knows"), 4);
  EXPECT_EQ(stats.at("index").at("nodes"), 8);  // a tag, terms, a record
  const object& bytes = stats.at("bytes").as_object();
  std::int64_t sum = 0;
  for (const char* part : {"csr", "delta", "nodes", "keys", "strings", "columns", "sparse",
                           "payload_refs", "vectors", "derived"}) {
    ASSERT_TRUE(bytes.contains(part)) << part;
    sum += bytes.at(part).as_int64();
  }
  EXPECT_EQ(bytes.at("total"), sum);
  EXPECT_TRUE(bytes.contains("per_edge"));
  EXPECT_EQ(Run({"stats"}).code, 0);
}

// By the grammar of OpenMetrics 1.0, as far as it concerns counters and gauges: families stand
// together and are declared before their rows, counters end in _total, labels are quoted, EOF is
// the end.
// How rows are written: Metrics in tests/storage/log_test.cc.
TEST_F(QueryCommands, StatsAsOpenMetrics) {
  const Finished run = Run({"stats", "--metrics"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.out.ends_with("\n# EOF\n")) << run.out;
  for (const char* family :
       {"plexus_nodes", "plexus_edges", "plexus_batches", "plexus_memory_bytes",
        "plexus_disk_bytes", "plexus_stall_seconds", "plexus_payload_cache_hits"}) {
    const std::string type = std::string("\n# TYPE ") + family + " ";
    EXPECT_NE(run.out.find(type), std::string::npos) << family;
    EXPECT_EQ(run.out.find(type), run.out.rfind(type)) << family;
  }
  EXPECT_EQ(Run({"stats", "--metrics", "--json"}).code, 2);
  EXPECT_EQ(Run({"stats", "--metrics", "--as-of", "1"}).code, 2);
}

TEST_F(QueryCommands, KindsHaveTraits) {
  bool found = false;
  const object kinds = Json({"kinds"});
  for (const auto& kind : kinds.at("edge_kinds").as_array())
    if (kind.at("kind").as_string() == "contradicts") {
      found = true;
      EXPECT_TRUE(kind.at("symmetric").as_bool());
    }
  EXPECT_TRUE(found);
  EXPECT_TRUE(Says(Run({"kinds"}).out, "supersedes"));
}

class Times : public ProgramTest {};

TEST_F(Times, ValidTimesOfEdges) {
  Import(R"({"edge":["a","b"],"kind":"depends_on","valid_until":2000}
{"edge":["b","c"],"kind":"depends_on","valid_from":1000}
{"edge":["c","a"],"kind":"depends_on","valid_from":2000}
)",
         {"--now", "500"});
  ExpectReplies({
      {{"components", "--strong"}, "", "largest", "3"},  // all edges, whenever they were valid
      {{"components", "--strong", "--valid-at", "1500"}, "", "largest", "1"},
      {{"components", "--strong", "--valid-at", "now"}, "", "largest", "1"},
      {{"components", "--valid-at", "now", "--now", "500"}, "", "total", "2"},
      {{"topo", "--valid-at", "2500"}, "results", "key", "b, c, a"},
      {{"bfs", "--from", "a", "--valid-at", "2000"}, "", "total", "1"},
  });
  EXPECT_EQ(Run({"topo"}).code, 1);
}

// The past answers as it would have answered then.
TEST_F(Times, ThePastIsJudgedByItsOwnClock) {
  Import(R"({"node":"short","valid_until":2000}
{"node":"later","valid_from":3000}
{"edge":["a","short"],"kind":"supports"}
{"edge":["a","later"],"kind":"supports"}
)",
         {"--now", "1000"});
  ASSERT_EQ(Run({"link", "a", "supports", "b", "--now", "9000"}).code, 0);
  ExpectReplies({
      {{"traverse", "a"}, "nodes", "key", "later, b"},
      {{"traverse", "a", "--as-of", "1"}, "nodes", "key", "short"},  // the time of batch 1
      {{"traverse", "a", "--as-of", "2"}, "nodes", "key", "later, b"},
      {{"traverse", "a", "--as-of", "1", "--now", "5000"}, "nodes", "key", "later"},
  });
}

TEST_F(QueryCommands, ScopeSelects) {
  const array other = Json({"pagerank", "--scope", "other", "--quiet"}).at("nodes").as_array();
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(other[0].at("key"), "e");
  EXPECT_EQ(Json({"pagerank", "--scope", "user,other"}).at("nodes").as_array().size(), 7u);
}

class IndexEdges : public ProgramTest {};

TEST_F(IndexEdges, AreCountedAndNamed) {
  const std::string lines =
      R"({"node":"m","kind":"memory","text":"x","tags":["t","u"]}
{"event":"e","members":[{"id":"m","role":"primary"},{"id":"n","role":"related"}]}
{"outcome":"e","type":"helpful","labeled_at":1,"source":"s"}
)";
  ASSERT_TRUE(Ends(Run({"import", "--no-terms", "--format", "jsonl", "-"}, {.input = lines}), 0));
  const object memory = Json({"get", "m"});
  EXPECT_EQ(memory.at("out_degree"), 0);
  EXPECT_EQ(memory.at("index_out_degree"), 2);
  EXPECT_EQ(memory.at("index_in_degree"), 1);
  EXPECT_EQ(memory.at("index_edges").as_array().size(), 2u);
  EXPECT_EQ(memory.at("index_edges").at(0).at("kind"), "has_tag");
  EXPECT_EQ(Json({"get", "tag:t"}).at("index_in_degree"), 1);
  const Finished tag = Run({"get", "tag:t"});
  EXPECT_TRUE(Says(tag.out, "0 out, 1 in: has_tag 1"));

  const object event = Json({"get", "event:e"});
  EXPECT_EQ(event.at("members").as_array().size(), 2u);
  EXPECT_EQ(event.at("members").at(0).at("role"), "primary");
  EXPECT_EQ(event.at("outcomes").as_array().size(), 1u);
  EXPECT_TRUE(Says(Run({"get", "event:e"}).out, "m (primary)"));

  EXPECT_TRUE(
      Ends(Run({"neighbors", "m"}), 0,
           "3 of the index plane (has_tag 2, member 1): --kinds has_tag,member lists them"));
  EXPECT_EQ(Run({"neighbors", "--quiet", "m"}).err, "");
  EXPECT_EQ(Json({"neighbors", "m"}).at("index_edges").as_array().size(), 2u);
  EXPECT_EQ(Json({"neighbors", "tag:t"}).at("neighbors").as_array().size(), 1u);
}

class Patterns : public ProgramTest {};

// A quote in a kind's name is written twice, in patterns as in lists of kinds.
TEST_F(Patterns, QuotesInsideAreWrittenTwice) {
  const std::string kind = R"(say "x" and 'y')";
  ASSERT_EQ(Run({"link", "s", kind, "t"}).code, 0);
  const std::string doubled = std::string(2, '\'');
  for (const std::string& pattern :
       {std::string(R"("say ""x"" and 'y'")"), "'say \"x\" and " + doubled + "y" + doubled + "'"}) {
    const Finished run = Run({"match", pattern, "--from", "s", "--format", "csv"});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(Says(run.out, "\nt"));
  }
}

class Listings : public ProgramTest {};

// A cut list begins with what matters most, and says how many there are.
TEST_F(Listings, NeighborsAreTheStrongestFirst) {
  const char* weights[] = {"0.1", "0.9", "0.5"};
  for (std::size_t i = 0; i < 3; ++i)
    ASSERT_EQ(Run({"link", "a", "knows", "b" + std::to_string(i), "--weight", weights[i]}).code, 0);
  const object two = Json({"neighbors", "a", "--top", "2"});
  EXPECT_EQ(two.at("total"), 3);
  EXPECT_EQ(two.at("neighbors").at(0).at("key"), "b1");
  EXPECT_EQ(two.at("neighbors").at(1).at("key"), "b2");
}

// Who reads a memory is told that it was replaced.
TEST_F(Listings, GetSaysWhatSupersededANode) {
  ASSERT_EQ(Run({"link", "new", "supersedes", "old"}).code, 0);
  EXPECT_EQ(Json({"get", "old"}).at("superseded_by"), "new");
  EXPECT_FALSE(Json({"get", "new"}).contains("superseded_by"));
  EXPECT_TRUE(Says(Run({"get", "old"}).out, "superseded by"));
}

// What is in use is seen without reading past what is not; rows of the index plane are asked for.
TEST_F(Listings, ShowFirstWhatIsThere) {
  ASSERT_EQ(Run({"put", "a", "--kind", "memory", "--text", "tea", "--tags", "x"}).code, 0);
  ASSERT_EQ(Run({"link", "a", "knows", "b"}).code, 0);
  const auto kinds = Json({"kinds"}).at("edge_kinds").as_array();
  EXPECT_GT(kinds[0].at("count").to_number<int>(), 0);
  EXPECT_GT(kinds[1].at("count").to_number<int>(), 0);
  EXPECT_GT(kinds[2].at("count").to_number<int>(), 0);  // has_term
  EXPECT_EQ(kinds[3].at("count"), 0);
  const auto past = Run({"history", "a", "--json"});
  EXPECT_FALSE(Says(past.out, "has_tag"));
  EXPECT_EQ(past.Json().at("hidden"), 2);
  const auto all = Run({"history", "a", "--all", "--json"});
  EXPECT_TRUE(Says(all.out, "has_tag"));
}

// Pages of any size are the whole, also where a batch comes between them.
TEST_F(Listings, HistoryInPages) {
  ASSERT_EQ(Run({"put", "a", "--kind", "memory", "--text", "tea", "--set", "trust=1"}).code, 0);
  for (const char* other : {"b", "c", "d"}) ASSERT_EQ(Run({"link", "a", "knows", other}).code, 0);
  const auto whole = Json({"history", "a"}).at("results").as_array();
  ASSERT_GE(whole.size(), 6u);
  for (const std::size_t limit : {1, 2, 5, 100}) {
    array pages;
    std::string cursor;
    do {
      Words words = {"history", "a", "--limit", std::to_string(limit)};
      if (!cursor.empty()) words.insert(words.end(), {"--cursor", cursor});
      const object page = Json(words);
      EXPECT_LE(page.at("results").as_array().size(), limit);
      for (const auto& entry : page.at("results").as_array())
        if (pages.size() < whole.size()) pages.push_back(entry);
      const auto* next = page.if_contains("next");
      cursor = next ? std::string(next->as_string()) : "";
      if (limit == 5 && next) {
        ASSERT_EQ(Run({"link", "a", "knows", "e" + cursor}).code, 0);
      }
    } while (!cursor.empty() && pages.size() < whole.size());
    EXPECT_EQ(pages, whole) << limit;
  }
  EXPECT_TRUE(Says(Run({"history", "a", "--limit", "2"}).out, "--cursor"));
  for (const char* wrong : {"1", "x.1", "1.", "1.2x", "-1.0"})
    EXPECT_EQ(Run({"history", "a", "--cursor", wrong}).code, 2) << wrong;
  EXPECT_TRUE(Json({"history", "a", "--cursor", "999.7"}).at("results").as_array().empty());
}

}  // namespace
}  // namespace plexus::testing
