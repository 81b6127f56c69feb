// The origins' own tables, made by hand after their schemas: in, asked, out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/seeds/seed_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;
using Texts = std::vector<std::string>;

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
  const object in = Ask({"import", dir_.File("memory_turns.jsonl", kTurns)});
  EXPECT_EQ(in.at("vectors").to_number<int>(), 2);
  EXPECT_EQ(in.at("records").to_number<int>(), 3);
  EXPECT_EQ(Keys(Ask({"session", "t1"}), "turns"), (Texts{"t1", "t2"}));
  EXPECT_EQ(Keys(Ask({"rerank", "--like", "t1", "--k", "1"}), "results"), Texts{"t2"});
  const object built = Ask({"build", "temporal", "referential", "categorical", "causal"});
  const array& recipes = built.at("recipes").as_array();
  EXPECT_EQ(recipes[0].at("new").to_number<int>(), 1);
  EXPECT_EQ(recipes[1].at("new").to_number<int>(), 1);
  const object edge = Ask({"neighbors", "t2", "--kinds", "referential", "--direction", "out"});
  EXPECT_EQ(Keys(edge, "neighbors"), Texts{"t1"});
  EXPECT_EQ(edge.at("neighbors").at(0).at("label").as_string(), "src/a.rs");
  EXPECT_NE(std::string(recipes[3].at("why").as_string()).find("correction_of"),
            std::string::npos);
  EXPECT_EQ(Ask({"get", "t1"}).at("props").at("metadata").at("model").as_string(), "x");
  // The same rows again change nothing.
  const object again = Ask({"import", dir_ / "memory_turns.jsonl"});
  EXPECT_EQ(again.at("nodes").at("changed").to_number<int>(), 0);
  EXPECT_EQ(again.at("nodes").at("new").to_number<int>(), 0);
}

TEST_F(OriginRows, TurnsHaveColumnsAndARowMayBeNoTurn) {
  Ask({"import",
       dir_.File("t.jsonl",
                 R"({"id":"t1","session_id":"s1","content":"a","scope":"anna","retention":0.5,)"
                 R"("validFrom":"2023-11-01T00:00:00Z","valid_until":1800000000000,"lang":"en"}
{"id":"m1","session_id":"s1","content":"b","kind":"memory","scope":"anna"}
{"id":"t2","session_id":"s1","content":"c","type":"turn"}
)")});
  const object turn = Ask({"get", "t1"});
  EXPECT_EQ(turn.at("kind").as_string(), "turn");
  EXPECT_EQ(turn.at("scope").as_string(), "anna");
  EXPECT_EQ(turn.at("retention").to_number<double>(), 0.5);
  EXPECT_EQ(turn.at("valid_from").to_number<std::int64_t>(), 1'698'796'800'000);
  EXPECT_EQ(turn.at("valid_until").to_number<std::int64_t>(), 1'800'000'000'000);
  EXPECT_EQ(turn.at("props").as_object(), (object{{"lang", "en"}}));
  const object memory = Ask({"get", "m1"});
  EXPECT_EQ(memory.at("kind").as_string(), "memory");
  EXPECT_EQ(memory.at("scope").as_string(), "anna");
  EXPECT_EQ(Keys(Ask({"session", "t1"}), "turns"), (Texts{"t1", "t2"}));
  Ask({"import", dir_.File("t.csv", "id,session_id,content,retention,valid_until,kind\n"
                                    "t3,s1,d,0.25,1800000000000,\nm3,s1,e,0.75,,memory\n")});
  EXPECT_EQ(Ask({"get", "t3"}).at("retention").to_number<double>(), 0.25);
  EXPECT_EQ(Ask({"get", "t3"}).at("valid_until").to_number<std::int64_t>(), 1'800'000'000'000);
  EXPECT_EQ(Ask({"get", "m3"}).at("retention").to_number<double>(), 0.75);
  EXPECT_EQ(Ask({"get", "m3"}).at("kind").as_string(), "memory");
}

TEST_F(OriginRows, MetadataWithTheNamesOfARecord) {
  Ask({"import",
       dir_.File("e.jsonl",
                 R"({"id":"c1","tool":"find","query":"why","query_hash":"h","ticket":1,)"
                 R"("metadata":{"source":"web","mode":"fast","ticket":2,"intent":"debug"}}
{"event_id":"c1","memory_id":"m1","role":"primary","rank":0,"metadata":{"rank":7,"why":"word"}}
{"id":"o1","event_id":"c1","outcome_type":"helpful","metadata":{"type":"odd","source":"x"}}
)")});
  const object reply = Ask({"ledger", "get", "c1"});
  const object props = reply.at("event").at("props").as_object();
  EXPECT_EQ(props.at("intent").as_string(), "debug");
  EXPECT_EQ(props.at("ticket").to_number<int>(), 1);
  EXPECT_EQ(props.at("metadata").as_object(),
            (object{{"mode", "fast"}, {"source", "web"}, {"ticket", 2}}));
  const object member = reply.at("members").at(0).as_object();
  EXPECT_EQ(member.at("rank").to_number<int>(), 0);
  EXPECT_EQ(member.at("props").at("why").as_string(), "word");
  EXPECT_EQ(member.at("props").at("metadata").at("rank").to_number<int>(), 7);
  EXPECT_EQ(reply.at("outcomes").at(0).at("props").at("metadata").at("type").as_string(), "odd");
}

TEST_F(OriginRows, TurnsAsATable) {
  const std::string table =
      "id,session_id,created_at,content,embedding,metadata\n"
      "t1,s1,2023-11-14T22:13:20Z,\"Write, then read\",\"[1,0]\","
      "\"{\"\"files\"\":[{\"\"path\"\":\"\"src/a.rs\"\",\"\"operation\"\":\"\"write\"\"}]}\"\n"
      "t2,s1,1700000060000,Again,\"[0,1]\",{}\n";
  const object in =
      Ask({"import", "--build", "temporal,similar", dir_.File("memory_turns.csv", table)});
  EXPECT_EQ(in.at("built").at("new").to_number<int>(), 1);
  EXPECT_EQ(Ask({"build", "temporal"}).at("same").to_number<int>(), 1);
  EXPECT_EQ(Run({"import", "--build", "nosuch", dir_ / "memory_turns.csv"}).code, 2);
  EXPECT_EQ(Ask({"get", "t1"}).at("text").as_string(), "Write, then read");
}

TEST_F(OriginRows, BuildSaysWhyItFoundNothing) {
  Ask({"import", "--format", "jsonl", "-"}, "{\"node\":\"t1\",\"kind\":\"turn\"}\n");
  const object built = Ask({"build", "temporal", "referential"});
  EXPECT_EQ(built.at("recipes").at(0).at("why").as_string(),
            "no turn is in a session (edge in_session)");
  EXPECT_EQ(built.at("recipes").at(1).at("why").as_string(), "no turn has an edge mentions");
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
  Ask({"import", dir_.File("knowledge_nodes.jsonl", memories),
       dir_.File("composition_events.jsonl", events),
       dir_.File("composition_members.csv", members),
       dir_.File("composition_outcomes.jsonl", outcomes)});
  const object event = Ask({"ledger", "get", "c1"});
  EXPECT_EQ(event.at("event").at("props").at("intent").as_string(), "debug");
  EXPECT_EQ(event.at("event").at("confidence").to_number<double>(), 0.7);
  ASSERT_EQ(Keys(event, "members"), (Texts{"m1", "m2"}));
  EXPECT_EQ(event.at("members").at(0).at("trust").to_number<double>(), 0.8);
  EXPECT_EQ(event.at("members").at(0).at("props").at("why").as_string(), "word");
  EXPECT_EQ(event.at("members").at(0).at("tags").as_array(), array({"oracle"}));
  EXPECT_EQ(event.at("outcomes").at(0).at("type").as_string(), "helpful");
  EXPECT_EQ(event.at("outcomes").at(0).at("props").at("ticket").to_number<int>(), 7);
  EXPECT_EQ(event.at("outcomes").at(0).at("props").at("id").as_string(), "o1");
  EXPECT_EQ(Ask({"get", "m1"}).at("tags").as_array(), array({"project:vestige", "oracle"}));
  EXPECT_EQ(Keys(Ask({"ledger", "neighbors", "m1"}), "neighbors"), Texts{"m2"});
  // Out and in again: nothing is lost.
  const Finished out = Plexus({"export", "--db", dir_ / "g", "--format", "jsonl"});
  const TempDir other;
  ASSERT_EQ(Plexus({"import", "--db", other / "g", "--now", "1700000100000", "--format", "jsonl",
                    "-"},
                   {.input = out.out})
                .code,
            0);
  EXPECT_EQ(Plexus({"export", "--db", other / "g", "--format", "jsonl"}).out, out.out);
}

TEST_F(OriginRows, ABadTurnLeavesNothing) {
  const std::string lines = R"({"id":"t1","session_id":"s1","content":"a","embedding":[1,0]}
{"id":"t2","session_id":"s1","content":"b","embedding":[1,0,0]}
)";
  const Finished run = Run({"import", "--on-error", "skip", dir_.File("turns.jsonl", lines)});
  EXPECT_EQ(run.Json().at("errors").to_number<int>(), 1);
  EXPECT_EQ(Run({"get", "t2"}).code, 3);
  EXPECT_EQ(Keys(Ask({"session", "t1"}), "turns"), Texts{"t1"});
}

// S4: related_to as ids, in both spellings.
TEST_F(OriginRows, RelatedIdsAreEdges) {
  Ask({"import", dir_.File("d.jsonl",
                           R"({"id":"d1","decision":"Use RocksDB","related_to":[]}
{"id":"d2","decision":"Use FlatBuffers","related_to":["d1"]}
{"id":"d3","decision":"Use oneTBB","related_to":"[\"d1\",{\"id\":\"d2\",\"distance\":0.25}]"}
)")});
  EXPECT_EQ(Keys(Ask({"neighbors", "d1", "--kinds", "relates_to"}), "neighbors"),
            (Texts{"d2", "d3"}));
  const object edge = Ask({"neighbors", "d2", "--kinds", "relates_to"});
  EXPECT_EQ(edge.at("neighbors").at(1).at("weight").to_number<double>(), 0.75);
}

// S3: labels of Memgraph.
TEST_F(OriginRows, KindsByAnotherName) {
  Ask({"import", "--kind-map", "IS_A=is-a,EVOKES=evokes,Concept=concept",
       dir_.File("c.jsonl", R"({"id":"apple","type":"Concept"}
{"id":"fruit","type":"Concept"}
{"source_id":"apple","target_id":"fruit","edge_type":"IS_A"}
)")});
  const object reply = Ask({"concept", "recall", "apple", "--dry-run"});
  EXPECT_EQ(reply.at("propositions").at(0).at("text").as_string(), "apple is-a fruit");
  EXPECT_EQ(Run({"import", "--kind-map", "IS_A", dir_ / "c.jsonl"}).code, 2);
}

// Mem0's answers: memories and relations.
TEST_F(OriginRows, Mem0) {
  const std::string answer =
      R"({"count":2,"results":[{"id":"a1","memory":"Likes tea","hash":"h","metadata":{"k":1},)"
      R"("created_at":"2024-05-01T10:00:00-07:00","user_id":"ana","categories":["food"]},)"
      R"({"id":"a2","memory":"Lives in Lima","metadata":null,"user_id":"ana"}],)"
      R"("relations":[{"source":"ana","relationship":"likes","target":"tea"}],"next":null})";
  const object in = Ask({"import", dir_.File("mem0.json", answer)});
  EXPECT_EQ(in.at("records").to_number<int>(), 3);
  EXPECT_EQ(Ask({"recall", "tea"}).at("hits").at(0).at("key").as_string(), "a1");
  EXPECT_EQ(Ask({"get", "a1"}).at("tags").as_array(), array({"food"}));
  EXPECT_EQ(Ask({"get", "a1"}).at("props").at("user_id").as_string(), "ana");
  EXPECT_EQ(Keys(Ask({"neighbors", "ana"}), "neighbors", "kind"), Texts{"likes"});
  const TempDir other;
  EXPECT_EQ(Plexus({"import", "--db", other / "g", "--json",
                    other.File("list.json", R"([{"id":"a1","memory":"Likes tea"}])")})
                .Json()
                .at("nodes")
                .at("new")
                .to_number<int>(),
            1);
  EXPECT_EQ(Plexus({"import", "--db", other / "g", "--json",
                    other.File("odd.json",
                               R"({"results":[{"id":"a9","memory":"x"}],"other":[1]})")})
                .code,
            1);
  EXPECT_EQ(Plexus({"get", "--db", other / "g", "a9"}).code, 3);
}

}  // namespace
}  // namespace plexus::testing
