// The origins' own tables, made by hand after their schemas: in, asked, out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/seeds/seed_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

class OriginRows : public SeedGraph {};

// S5: memory_turns as Postgres prints rows; then the edges that the pipelines build.
constexpr const char* kTurns =
    R"({"id":"t1","session_id":"s1","created_at":"2023-11-14T22:13:20Z","content":"Write it",)"
    R"("embedding":"[1,0]","inscription":"fix","metadata":)"
    R"({"files":[{"path":"src/a.rs","operation":"write"}],"model":"x"}}
{"id":"t2","session_id":"s1","created_at":"2023-11-14T22:14:20Z","content":"Read it again",)"
    R"("embedding":[0.6,0.8],"metadata":)"
    R"("{\"files\":[{\"file_path\":\"src/a.rs\",\"operation\":\"read\"}]}"}
{"id":"t3","session_id":"s2","created_at":"2023-11-15T00:00:00Z","content":"Elsewhere",)"
    R"("embedding":null,"inscription":"fix","metadata":{"files":["src/b.rs"]}}
)";

TEST_F(OriginRows, TurnsComeWithSessionsFilesAndVectors) {
  const object in = Json({"import", dir_.File("memory_turns.jsonl", kTurns)});
  EXPECT_EQ(in.at("vectors"), 2);
  EXPECT_EQ(in.at("records"), 3);
  EXPECT_EQ(Keys(Json({"session", "t1"}), "turns"), (Words{"t1", "t2"}));
  EXPECT_EQ(Keys(Json({"rerank", "--like", "t1", "--k", "1"}), "results"), Words{"t2"});
  const object built = Json({"build", "temporal", "referential", "categorical", "causal"});
  const array& recipes = built.at("recipes").as_array();
  EXPECT_EQ(recipes[0].at("new"), 1);
  EXPECT_EQ(recipes[1].at("new"), 1);
  const object edge = Json({"neighbors", "t2", "--kinds", "referential", "--direction", "out"});
  EXPECT_EQ(Keys(edge, "neighbors"), Words{"t1"});
  EXPECT_EQ(edge.at("neighbors").at(0).at("label"), "src/a.rs");
  EXPECT_TRUE(Says(std::string(recipes[3].at("why").as_string()), "correction_of"));
  EXPECT_EQ(Json({"get", "t1"}).at("props").at("metadata").at("model"), "x");
  // The same rows again change nothing.
  const object again = Json({"import", dir_ / "memory_turns.jsonl"});
  EXPECT_EQ(again.at("nodes").at("changed"), 0);
  EXPECT_EQ(again.at("nodes").at("new"), 0);
}

TEST_F(OriginRows, TurnsHaveColumnsAndARowMayBeNoTurn) {
  Json({"import",
        dir_.File("t.jsonl",
                  R"({"id":"t1","session_id":"s1","content":"a","scope":"anna","retention":0.5,)"
                  R"("validFrom":"2023-11-01T00:00:00Z","valid_until":1800000000000,"lang":"en"}
{"id":"m1","session_id":"s1","content":"b","kind":"memory","scope":"anna"}
{"id":"t2","session_id":"s1","content":"c","type":"turn"}
)")});
  const object turn = Json({"get", "t1"});
  EXPECT_EQ(turn.at("kind"), "turn");
  EXPECT_EQ(turn.at("scope"), "anna");
  EXPECT_EQ(turn.at("retention").to_number<double>(), 0.5);
  EXPECT_EQ(turn.at("valid_from"), 1'698'796'800'000);
  EXPECT_EQ(turn.at("valid_until"), 1'800'000'000'000);
  EXPECT_EQ(turn.at("props").as_object(), (object{{"lang", "en"}}));
  const object memory = Json({"get", "m1"});
  EXPECT_EQ(memory.at("kind"), "memory");
  EXPECT_EQ(memory.at("scope"), "anna");
  EXPECT_EQ(Keys(Json({"session", "t1"}), "turns"), (Words{"t1", "t2"}));
  Json({"import", dir_.File("t.csv",
                            "id,session_id,content,retention,valid_until,kind\n"
                            "t3,s1,d,0.25,1800000000000,\nm3,s1,e,0.75,,memory\n")});
  EXPECT_EQ(Json({"get", "t3"}).at("retention").to_number<double>(), 0.25);
  EXPECT_EQ(Json({"get", "t3"}).at("valid_until"), 1'800'000'000'000);
  EXPECT_EQ(Json({"get", "m3"}).at("retention").to_number<double>(), 0.75);
  EXPECT_EQ(Json({"get", "m3"}).at("kind"), "memory");
}

TEST_F(OriginRows, MetadataWithTheNamesOfARecord) {
  Json(
      {"import", dir_.File("e.jsonl",
                           R"({"id":"c1","tool":"find","query":"why","query_hash":"h","ticket":1,)"
                           R"("metadata":{"source":"web","mode":"fast","ticket":2,"intent":"debug"}}
{"event_id":"c1","memory_id":"m1","role":"primary","rank":0,"metadata":{"rank":7,"why":"word"}}
{"id":"o1","event_id":"c1","outcome_type":"helpful","metadata":{"type":"odd","source":"x"}}
)")});
  const object reply = Json({"ledger", "get", "c1"});
  const object props = reply.at("event").at("props").as_object();
  EXPECT_EQ(props.at("intent"), "debug");
  EXPECT_EQ(props.at("ticket"), 1);
  EXPECT_EQ(props.at("metadata").as_object(),
            (object{{"mode", "fast"}, {"source", "web"}, {"ticket", 2}}));
  const object member = reply.at("members").at(0).as_object();
  EXPECT_EQ(member.at("rank"), 0);
  EXPECT_EQ(member.at("props").at("why"), "word");
  EXPECT_EQ(member.at("props").at("metadata").at("rank"), 7);
  EXPECT_EQ(reply.at("outcomes").at(0).at("props").at("metadata").at("type"), "odd");
}

TEST_F(OriginRows, TurnsAsATable) {
  const std::string table =
      "id,session_id,created_at,content,embedding,metadata\n"
      "t1,s1,2023-11-14T22:13:20Z,\"Write, then read\",\"[1,0]\","
      "\"{\"\"files\"\":[{\"\"path\"\":\"\"src/a.rs\"\",\"\"operation\"\":\"\"write\"\"}]}\"\n"
      "t2,s1,1700000060000,Again,\"[0,1]\",{}\n";
  const object in =
      Json({"import", "--build", "temporal,similar", dir_.File("memory_turns.csv", table)});
  EXPECT_EQ(in.at("built").at("new"), 1);
  EXPECT_EQ(Json({"build", "temporal"}).at("same"), 1);
  EXPECT_EQ(Run({"import", "--build", "nosuch", dir_ / "memory_turns.csv"}).code, 2);
  EXPECT_EQ(Json({"get", "t1"}).at("text"), "Write, then read");
}

TEST_F(OriginRows, BuildSaysWhyItFoundNothing) {
  Json({"import", "--format", "jsonl", "-"}, {.input = "{\"node\":\"t1\",\"kind\":\"turn\"}\n"});
  const object built = Json({"build", "temporal", "referential"});
  EXPECT_EQ(built.at("recipes").at(0).at("why"), "no turn is in a session (edge in_session)");
  EXPECT_EQ(built.at("recipes").at(1).at("why"), "no turn has an edge mentions");
}

// S1: the three tables of a ledger, as SQLite prints them.
TEST_F(OriginRows, TheThreeTablesOfALedger) {
  const std::string memories =
      R"({"id":"m1","content":"The queue replays payouts.","node_type":"fact",)"
      R"("tags":"[\"project:vestige\",\"oracle\"]","retention_strength":0.8}
{"id":"m2","content":"Pause payouts.","tags":["oracle"]}
)";
  const std::string events =
      R"({"id":"c1","created_at":"2023-11-14T22:13:30Z","tool":"deep_reference",)"
      R"("mode":"deep_reference","query":"why twice","query_hash":"fnv1a64:e635d37d8fe075c5",)"
      R"("confidence":0.7,"status":"resolved","output_preview":"because",)"
      R"("metadata":"{\"intent\":\"debug\",\"analyzed\":12}"}
)";
  const std::string members =
      "event_id,memory_id,role,rank,trust,score,preview,metadata\n"
      "c1,m1,primary,0,0.8,0.9,The queue,"
      "\"{\"\"tags\"\":[\"\"oracle\"\"],\"\"why\"\":\"\"word\"\"}\"\n"
      "c1,m2,supporting,1,0.5,,,{}\n";
  const std::string outcomes =
      R"({"id":"o1","event_id":"c1","outcome_type":"helpful","labeled_at":"2023-11-14T22:20:00Z",)"
      R"("label_source":"user","confidence_delta":0.1,"notes":"found","metadata":{"ticket":7}}
)";
  Json({"import", dir_.File("knowledge_nodes.jsonl", memories),
        dir_.File("composition_events.jsonl", events),
        dir_.File("composition_members.csv", members),
        dir_.File("composition_outcomes.jsonl", outcomes)});
  const object event = Json({"ledger", "get", "c1"});
  EXPECT_EQ(event.at("event").at("props").at("intent"), "debug");
  EXPECT_EQ(event.at("event").at("confidence").to_number<double>(), 0.7);
  ASSERT_EQ(Keys(event, "members"), (Words{"m1", "m2"}));
  EXPECT_EQ(event.at("members").at(0).at("trust").to_number<double>(), 0.8);
  EXPECT_EQ(event.at("members").at(0).at("props").at("why"), "word");
  EXPECT_EQ(event.at("members").at(0).at("tags").as_array(), array({"oracle"}));
  EXPECT_EQ(event.at("outcomes").at(0).at("type"), "helpful");
  EXPECT_EQ(event.at("outcomes").at(0).at("props").at("ticket"), 7);
  EXPECT_EQ(event.at("outcomes").at(0).at("props").at("id"), "o1");
  EXPECT_EQ(Json({"get", "m1"}).at("tags").as_array(), array({"project:vestige", "oracle"}));
  EXPECT_EQ(Keys(Json({"ledger", "neighbors", "m1"}), "neighbors"), Words{"m2"});
  // Out and in again: nothing is lost.
  const Finished out = Run({"export", "--format", "jsonl"});
  const TempDir other;
  ASSERT_EQ(
      Plexus({"import", "--db", other / "g", "--now", "1700000100000", "--format", "jsonl", "-"},
             {.input = out.out})
          .code,
      0);
  EXPECT_EQ(Plexus({"export", "--db", other / "g", "--format", "jsonl"}).out, out.out);
}

TEST_F(OriginRows, ABadTurnLeavesNothing) {
  const std::string lines = R"({"id":"t1","session_id":"s1","content":"a","embedding":[1,0]}
{"id":"t2","session_id":"s1","content":"b","embedding":[1,0,0]}
)";
  const Finished run =
      Run({"import", "--json", "--on-error", "skip", dir_.File("turns.jsonl", lines)});
  EXPECT_EQ(run.Json().at("errors"), 1);
  EXPECT_EQ(Run({"get", "t2"}).code, 3);
  EXPECT_EQ(Keys(Json({"session", "t1"}), "turns"), Words{"t1"});
}

// S4: related_to as ids, in both spellings.
TEST_F(OriginRows, RelatedIdsAreEdges) {
  Json({"import", dir_.File("d.jsonl",
                            R"({"id":"d1","decision":"Use RocksDB","related_to":[]}
{"id":"d2","decision":"Use FlatBuffers","related_to":["d1"]}
{"id":"d3","decision":"Use oneTBB","related_to":"[\"d1\",{\"id\":\"d2\",\"distance\":0.25}]"}
)")});
  EXPECT_EQ(Keys(Json({"neighbors", "d1", "--kinds", "relates_to"}), "neighbors"),
            (Words{"d2", "d3"}));
  const object edge = Json({"neighbors", "d2", "--kinds", "relates_to"});
  EXPECT_EQ(edge.at("neighbors").at(1).at("weight").to_number<double>(), 0.75);
}

// S3: labels of Memgraph.
TEST_F(OriginRows, KindsByAnotherName) {
  Json({"import", "--kind-map", "IS_A=is-a,EVOKES=evokes,Concept=concept",
        dir_.File("c.jsonl", R"({"id":"apple","type":"Concept"}
{"id":"fruit","type":"Concept"}
{"source_id":"apple","target_id":"fruit","edge_type":"IS_A"}
)")});
  const object reply = Json({"concept", "recall", "apple", "--dry-run"});
  EXPECT_EQ(reply.at("propositions").at(0).at("text"), "apple is-a fruit");
  EXPECT_EQ(Run({"import", "--kind-map", "IS_A", dir_ / "c.jsonl"}).code, 2);
}

// Mem0's answers: memories and relations.
TEST_F(OriginRows, Mem0) {
  const std::string answer =
      R"({"count":2,"results":[{"id":"a1","memory":"Likes tea","hash":"h","metadata":{"k":1},)"
      R"("created_at":"2024-05-01T10:00:00-07:00","user_id":"ana","categories":["food"]},)"
      R"({"id":"a2","memory":"Lives in Lima","metadata":null,"user_id":"ana"}],)"
      R"("relations":[{"source":"ana","relationship":"likes","target":"tea"}],"next":null})";
  const object in = Json({"import", dir_.File("mem0.json", answer)});
  EXPECT_EQ(in.at("records"), 3);
  EXPECT_EQ(Json({"recall", "tea"}).at("hits").at(0).at("key"), "a1");
  EXPECT_EQ(Json({"get", "a1"}).at("tags").as_array(), array({"food"}));
  EXPECT_EQ(Json({"get", "a1"}).at("props").at("user_id"), "ana");
  EXPECT_EQ(Keys(Json({"neighbors", "ana"}), "neighbors", "kind"), Words{"likes"});
  const TempDir other;
  EXPECT_EQ(Plexus({"import", "--db", other / "g", "--json",
                    other.File("list.json", R"([{"id":"a1","memory":"Likes tea"}])")})
                .Json()
                .at("nodes")
                .at("new"),
            1);
  EXPECT_EQ(
      Plexus({"import", "--db", other / "g", "--json",
              other.File("odd.json", R"({"results":[{"id":"a9","memory":"x"}],"other":[1]})")})
          .code,
      1);
  EXPECT_EQ(Plexus({"get", "--db", other / "g", "a9"}).code, 3);
}

}  // namespace
}  // namespace plexus::testing
