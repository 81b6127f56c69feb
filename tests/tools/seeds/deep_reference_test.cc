// A recall that is recorded says what it was: roles, confidence, status; a ledger with metadata;
// what the frontier claims; and words where a plan wants a vector.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/seeds/seed_graph.h"

namespace plexus::testing {
namespace {

using boost::json::object;

class DeepReference : public SeedGraph {
 protected:
  void SetUp() override {
    const std::string lines =
        R"({"node":"k1","kind":"memory","text":"Gateway remembers keys for 24 hours","trust":0.9}
{"node":"k2","kind":"memory","text":"Gateway remembers keys for 48 hours","trust":0.9}
{"node":"k3","kind":"memory","text":"The gateway has a cache of keys","trust":0.5}
{"node":"k4","kind":"memory","text":"Gateway keys were kept in memory once"}
{"node":"k5","kind":"memory","text":"A text about other things, with one gateway in it"}
{"edge":["k1","k2"],"kind":"contradicts"}
{"edge":["k3","k4"],"kind":"supersedes"}
)";
    ASSERT_EQ(Run({"import", "--format", "jsonl", "-"}, {.input = lines}).code, 0);
  }
  static std::string Roles(const object& reply) {
    std::string roles;
    for (const auto& one : reply.at("evidence").as_array())
      roles += std::string(one.at("key").as_string()) + ":" +
               std::string(one.at("role").as_string()) + " ";
    return roles;
  }
};

TEST_F(DeepReference, RolesComeFromTheHits) {
  const object reply = Json({"recall", "gateway keys", "--plan", "lists", "--include-superseded",
                             "--record", "--tool", "deep_reference", "--props",
                             R"({"intent":"debug"})", "--least-evidence", "0.3"});
  EXPECT_EQ(Roles(reply), "k4:superseded k3:primary k1:contradicting k2:contradicting ");
  EXPECT_EQ(reply.at("status"), "contradictions_found");
  const object event =
      Json({"ledger", "get", std::string(reply.at("composition_event_id").as_string())});
  EXPECT_EQ(event.at("event").at("tool"), "deep_reference");
  EXPECT_EQ(event.at("event").at("props").at("intent"), "debug");
  EXPECT_EQ(event.at("event").at("props").at("analyzed"), 5);
  EXPECT_EQ(event.at("event").at("output_preview"), "The gateway has a cache of keys");
  // The value of k3 is 0.5 + 0.2 * 0.5 + 0.3; it is all evidence, with a contradiction.
  EXPECT_NEAR(reply.at("confidence").to_number<double>(), 0.9 + 0.03 - 0.1, 1e-9);
  EXPECT_EQ(event.at("event").at("confidence"), reply.at("confidence"));
}

TEST_F(DeepReference, WeakHitsAreNoEvidence) {
  const object all = Json({"recall", "keys hours", "--record", "--least-evidence", "0"});
  const object best = Json({"recall", "keys hours", "--record", "--least-evidence", "1"});
  EXPECT_GT(all.at("evidence").as_array().size(), best.at("evidence").as_array().size());
  EXPECT_EQ(all.at("hits"), best.at("hits"));
  EXPECT_EQ(Run({"recall", "keys", "--tool", "x"}).code, 2);  // without --record
}

TEST_F(DeepReference, MetadataGoesInAndComesBack) {
  Json({"ledger", "record", "--id", "c1", "--member", "k1", "--props", R"({"intent":"x","n":2})",
        "--members", "-"},
       {.input = R"([{"id":"k3","role":"supporting","props":{"why":"word"}}])"});
  Json({"ledger", "label", "c1", "failed", "--props", R"({"ticket":7})"});
  const object event = Json({"ledger", "get", "c1"});
  EXPECT_EQ(event.at("event").at("props").at("n"), 2);
  EXPECT_EQ(event.at("members").at(1).at("props").at("why"), "word");
  EXPECT_EQ(event.at("outcomes").at(0).at("props").at("ticket"), 7);
  EXPECT_EQ(Json({"ledger", "recent"}).at("events").at(0).at("props").at("n"), 2);
  EXPECT_EQ(Run({"ledger", "record", "--member", "k1", "--props", R"({"tool":"x"})"}).code, 2);
  // The same label with other properties is another one.
  Json({"ledger", "label", "c1", "failed", "--props", R"({"ticket":8})"});
  EXPECT_EQ(Json({"ledger", "get", "c1"}).at("outcomes").as_array().size(), 2u);
  // Plain words have a place in the sums.
  const object pairs = Json({"frontier", "--lens", "surface"});
  for (const auto& pair : pairs.at("candidates").as_array()) {
    if (pair.at("priorOutcomes").as_array().empty()) continue;
    EXPECT_EQ(pair.at("outcomeScoreAdjustment").to_number<double>(), -0.45);
    EXPECT_EQ(pair.at("outcomeSignal"), "prior_closed_door");
    EXPECT_EQ(pair.at("priorEvents").at(0), "c1");
  }
  EXPECT_EQ(pairs.at("evidenceStatus"), "hypothesis");
  const Finished table = Run({"frontier", "--lens", "surface"});
  EXPECT_TRUE(Says(table.out, "worth investigating"));
  const Finished closed = Run({"ledger", "label", "c1", "dead_end"});
  EXPECT_TRUE(Says(closed.err, "closed_by_false_assumption"));
}

TEST_F(DeepReference, WordsBecomeTheVectorOfAPlan) {
  EXPECT_NE(Run({"retrieve", "gateway keys", "--plan", "rerank"}).code, 0);
  Json({"remember", "Secrets are stored in Vault.", "--key", "vault"});
  ASSERT_EQ(Run({"embed"}).code, 0);
  const object reply = Json({"retrieve", "gateway hours", "--plan", "rag", "--graph-boost", "0.3"});
  EXPECT_TRUE(Says(std::string(reply.at("hits").at(0).at("text").as_string()), "hours"));
  for (const auto& hit : reply.at("hits").as_array()) EXPECT_NE(hit.at("key"), "vault");
  EXPECT_EQ(Run({"retrieve", "gateway", "--plan", "rag", "--inscription", "fix"}).code, 3);
  ASSERT_EQ(Run({"link", "k3", "inscribed", "inscription:fix"}).code, 0);
  const object fix = Json({"retrieve", "gateway", "--plan", "rag", "--inscription", "fix"});
  ASSERT_EQ(fix.at("hits").as_array().size(), 1u);
  EXPECT_EQ(fix.at("hits").at(0).at("key"), "k3");
  // Words that no text has are no slip of the question's form.
  EXPECT_TRUE(Ends(Run({"retrieve", "zeppelin", "--plan", "rerank", "--space", "text"}), 3,
                   "has a word of 'zeppelin'"));
  // Nor does the plan take keys that would be asked instead.
  EXPECT_TRUE(Ends(
      Run({"retrieve", "zeppelin", "--plan", "rerank", "--space", "text", "--from", "k3"}), 3));
}

TEST_F(DeepReference, FieldsOfNodesInReplies) {
  const object reply = Json({"recall", "gateway keys", "--node-columns", "trust,tags,degree"});
  EXPECT_EQ(reply.at("hits").at(0).at("node_columns").at("trust").to_number<double>(), 0.5);
  const Finished csv = Plexus(
      {"neighbors", "k1", "--db", dir_ / "g", "--format", "csv", "--node-columns", "trust,text"});
  EXPECT_TRUE(Says(csv.out, ",trust,text\n"));
  EXPECT_TRUE(Says(csv.out, ",0.9,Gateway remembers keys for 48 hours\n"));
}

TEST_F(DeepReference, CypherAndColumnsOfProperties) {
  const char* props = R"({"source":"it's","n":2,"list":[1,2],"deep":{"a":1}})";
  ASSERT_EQ(Run({"put", "k1", "--props", props}).code, 0);
  const std::string cypher = Run({"export", "--format", "cypher", "--around", "k1"}).out;
  EXPECT_TRUE(
      Says(cypher, R"(CREATE (:`Plexus`:`memory` {`key`: 'k1', `text`: 'Gateway remembers)"));
  EXPECT_TRUE(Says(cypher, R"(`deep`: '{"a":1}', `list`: [1, 2], `n`: 2, `source`: 'it\'s'});)"));
  EXPECT_TRUE(Says(cypher,
                   R"(MATCH (a:`Plexus` {key: 'k1'}), (b:`Plexus` {key: 'k2'}) CREATE (a)-[:)"
                   R"(`contradicts` {`weight`: 1)"));
  const std::string csv =
      Run({"export", "--format", "csv", "--table", "nodes", "--property-columns"}).out;
  EXPECT_TRUE(Says(csv, ",deep,list,n,source,props\n"));
  const TempDir other;
  ASSERT_EQ(Plexus({"import", "--db", other / "g", other.File("n.csv", csv)}).code, 0);
  const object back = Plexus({"get", "--db", other / "g", "--json", "k1"}).Json();
  EXPECT_EQ(back.at("props").at("n"), 2);
  EXPECT_EQ(back.at("props").at("source"), "it's");
  const std::string graphml = Run({"export", "--format", "graphml", "--property-columns"}).out;
  EXPECT_TRUE(Says(graphml, "attr.name=\"source\""));
  EXPECT_EQ(Run({"export", "--format", "dot", "--property-columns"}).code, 2);
}

// Rules that the graph keeps are obeyed by what asks for it, as a whole.
TEST_F(DeepReference, ChecksAtTheWrite) {
  const std::string rules =
      R"([{"name":"no-contradict","edge":"contradicts","target":{"active":true},)"
      R"("message":"This contradicts {target}. Supersede it first."}])";
  Json({"import", "--format", "jsonl", "-"},
       {.input = R"({"node":"d1","kind":"decision","text":"Use RocksDB"})"
                 "\n"});
  EXPECT_EQ(Json({"decisions", "rules"}).at("total"), 0);
  EXPECT_EQ(Json({"decisions", "rules", dir_.File("r.json", rules)}).at("total"), 1);
  const auto before = Json({"stats"}).at("sequence");
  const Finished blocked = Run({"link", "k3", "contradicts", "d1", "--check"});
  EXPECT_EQ(blocked.code, 1);
  EXPECT_TRUE(Says(blocked.err, "This contradicts d1. Supersede it first."));
  const std::string lines = R"({"node":"d2","kind":"decision","text":"Use LMDB"}
{"edge":["d2","d1"],"kind":"contradicts"}
)";
  const std::string more = lines + R"({"edge":["d2","d1"],"kind":"supersedes"})" + "\n";
  EXPECT_EQ(Run({"import", "--check", "--format", "jsonl", "-"}, {.input = lines}).code, 1);
  EXPECT_EQ(Run({"remember", "No RocksDB.", "--relate", "contradicts=d1", "--check"}).code, 1);
  EXPECT_EQ(Json({"stats"}).at("sequence"), before);
  EXPECT_EQ(Run({"get", "d2"}).code, 3);
  Json({"import", "--check", "--format", "jsonl", "-"}, {.input = more});
  EXPECT_EQ(Run({"get", "d2"}).code, 0);
  EXPECT_EQ(Json({"recall", "LMDB"}).at("hits").at(0).at("key"), "d2");
  const std::string old = std::to_string(before.to_number<int>());
  EXPECT_EQ(
      Run({"import", "--expect-sequence", old, "--format", "jsonl", "-"}, {.input = lines}).code,
      6);
  Json({"decisions", "rules", "--clear"});
  EXPECT_EQ(Run({"link", "k3", "contradicts", "d1", "--check"}).code, 0);
}

// However many hits there are, an error stays one that can be read.
TEST_F(DeepReference, WhatBlocksIsSaidBriefly) {
  std::string rules;
  for (int i = 0; i < 10; ++i)
    rules += std::string(i ? "," : "[") + R"({"name":"r)" + std::to_string(i) +
             R"(","edge":"contradicts","message":")" + std::string(3'000, 'x') + "\"}";
  Json({"decisions", "rules", dir_.File("r.json", rules + "]")});
  std::string lines;
  for (int i = 0; i < 40; ++i)
    lines += R"({"edge":["k)" + std::to_string(i) + R"(","d"],"kind":"contradicts"})" + "\n";
  const Finished blocked = Run({"import", "--check", "--format", "jsonl", "-"}, {.input = lines});
  EXPECT_EQ(blocked.code, 1);
  EXPECT_LT(blocked.err.size(), 12'000u);
  EXPECT_TRUE(Says(blocked.err, " more; nothing was written")) << blocked.out.substr(0, 12'000);
  // They are of the whole graph: no selection is taken and ignored.
  EXPECT_EQ(Run({"decisions", "rules", "--clear", "--scope", "user"}).code, 2);
  EXPECT_EQ(Run({"decisions", "rules", "--where", "key = 'x'"}).code, 2);
}

TEST_F(DeepReference, ChecksOfWhatComesInPieces) {
  const std::string rules =
      R"([{"name":"no-contradict","edge":"contradicts","message":"Supersede it first."}])";
  Json({"decisions", "rules", dir_.File("r.json", rules)});
  const Finished vectors = Run({"import", "--check", "--format", "f32", "--dimensions", "1",
                                dir_.File("v.f32", std::string(4, '\0'))});
  EXPECT_EQ(vectors.code, 2);
  EXPECT_TRUE(Says(vectors.err, "--check"));
  // What the graph refuses is skipped, and what comes with it stays.
  const std::string some = R"({"node":"s1","kind":"decision","text":"Use LMDB"}
{"edge":["s1","s1"],"kind":"supersedes"}
{"node":"s2","kind":"decision","text":"Use SQLite"}
)";
  const Finished skipped =
      Run({"import", "--check", "--on-error", "skip", "--json", "--format", "jsonl", "-"},
          {.input = some});
  EXPECT_EQ(skipped.code, 0) << skipped.out << skipped.err;
  EXPECT_EQ(skipped.Json().at("errors"), 1) << skipped.out;
  EXPECT_EQ(Run({"get", "s2"}).code, 0);
  // More than one block, the second of which changes a text of the first.
  const auto node = [](const std::string& key, std::string_view word) {
    std::string text;
    while (text.size() < 900'000) text += word;
    return R"({"node":")" + key + R"(","text":")" + text + "\"}\n";
  };
  std::string blocks = node("p1", "leopard ");
  for (const char* key : {"p2", "p3", "p4", "p5", "p6"}) blocks += node(key, "gazelle ");
  blocks += node("p1", "antelope ");
  EXPECT_TRUE(Ends(Run({"import", "--check", "--format", "jsonl", "-"}, {.input = blocks}), 0));
  EXPECT_EQ(Json({"recall", "antelopes"}).at("hits").at(0).at("key"), "p1");
  EXPECT_EQ(Json({"terms", "--dry-run"}).at("changed"), 0);
  blocks += R"({"edge":["p1","p2"],"kind":"contradicts"}
)";
  EXPECT_EQ(Run({"import", "--check", "--format", "jsonl", "-"}, {.input = blocks}).code, 1);
}

TEST_F(DeepReference, ChecksBehindTheWallOfAScope) {
  Json({"import", "--format", "jsonl", "-"},
       {.input = R"({"node":"w1","kind":"decision","scope":"beta"}
{"node":"w2","kind":"decision","scope":"beta"}
{"edge":["w1","w2"],"kind":"vetoes"}
)"});
  const std::string rules =
      R"([{"name":"no-blame","edge":["contradicts","vetoes"],"message":"Not this way."}])";
  Json({"decisions", "rules", dir_.File("r.json", rules)});
  const auto link = [&] {
    return Run({"shell", "--scope", "beta"}, {.input = "link w2 contradicts w1 --check\n"});
  };
  const Finished blocked = link();
  EXPECT_TRUE(Says(blocked.out + blocked.err, "Not this way."));
  Json({"unlink", "w1", "vetoes", "w2"});  // No edge of this kind is in the scope any longer.
  const Finished still = link();
  EXPECT_TRUE(Says(still.out + still.err, "Not this way."));
  Json({"decisions", "rules", "--clear"});
  const Finished free = link();
  EXPECT_FALSE(Says(free.out + free.err, "Not this way."));
  EXPECT_EQ(Json({"neighbors", "w2", "--kinds", "contradicts"}).at("neighbors").as_array().size(),
            1u);
}

TEST_F(DeepReference, SalienceAsAColumnThatRecallWeighs) {
  Json({"import", "--format", "jsonl", "-"},
       {.input = R"({"node":"d1","kind":"decision","text":"Use RocksDB for storage of events"}
{"node":"d2","kind":"decision","text":"Use storage"}
{"node":"d3","kind":"decision","text":"Snapshots"}
{"edge":["d3","d1"],"kind":"depends_on"}
)"});
  EXPECT_EQ(Json({"decisions", "salience"}).at("stale"), 3);
  const object applied = Json({"decisions", "salience", "--apply"});
  EXPECT_EQ(applied.at("stale"), 0);
  const object again = Json({"decisions", "salience", "--apply"});
  EXPECT_EQ(again.at("sequence"), applied.at("sequence"));
  EXPECT_EQ(again.at("nodes").at(0).at("key"), "d1");
  EXPECT_EQ(Json({"get", "d1"}).at("salience"), again.at("nodes").at(0).at("percentile"));
  EXPECT_EQ(Json({"recall", "storage"}).at("hits").at(0).at("key"), "d2");
  EXPECT_EQ(Json({"recall", "storage", "--weight", "salience=1"}).at("hits").at(0).at("key"), "d1");
  Json({"link", "d3", "depends_on", "d2"});
  EXPECT_GT(Json({"decisions", "salience"}).at("stale").to_number<int>(), 0);
  // What an answer leaves out keeps no value of an earlier one.
  Json({"import", "--format", "jsonl", "-"}, {.input = R"({"node":"note","salience":0.9})"
                                                       "\n"});
  Json({"decisions", "salience", "--apply", "--where", "key != 'd3'"});
  EXPECT_FALSE(Json({"get", "d3"}).contains("salience"));
  EXPECT_EQ(Json({"get", "note"}).at("salience").as_double(), 0.9);
}

TEST_F(DeepReference, WhichSideOfAConflictIsNew) {
  const object list = Json({"conflicts", "list"});
  EXPECT_EQ(list.at("conflicts").at(0).at("newer"), "k2");
  EXPECT_EQ(Json({"conflicts", "list", "--since", "2024-01-01"}).at("total"), 0);
  const object edges = Json({"decisions", "suggest", "new", "--proposal", "-"},
                            {.input = R"({"node":"new","kind":"decision","text":"undo d9"}
{"node":"d9","kind":"decision","text":"x"})"
                                      "\n"});
  EXPECT_EQ(edges.at("edges").at(0).at("target"), "d9");
}

}  // namespace
}  // namespace plexus::testing
