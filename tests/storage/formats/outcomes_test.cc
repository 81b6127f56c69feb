// Outcomes accumulate: two of one event are the same only when everything about them is.
#include "engine/properties/outcome_key.h"
#include "storage/formats/base/properties.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace builtin;
namespace {

const std::string kEventLine = R"({"event":"e","tool":"t","created_at":1700000000000})"
                               "\n";
const std::string kOutcomeHead =
    R"({"outcome":"e","type":"helpful","source":"user","labeled_at":1700000000001)";

TEST(Outcomes, ThoseThatDifferInAnythingAreKept) {
  std::string lines = kEventLine;
  for (const char* rest :
       {"", R"(,"notes":"a")", R"(,"notes":"b")", R"(,"confidence_delta":0.5)",
        R"(,"confidence_delta":0.5,"notes":"a")", R"(,"props":{"k":1})", R"(,"props":{"k":2})"})
    lines += kOutcomeHead + rest + "}\n";
  lines += R"({"outcome":"e","type":"helpful","source":"tool","labeled_at":1700000000001})"
           "\n"
           R"({"outcome":"e","type":"helpful","source":"user","labeled_at":1700000000002})"
           "\n"
           R"({"outcome":"e","type":"dead_end","source":"user","labeled_at":1700000000001})"
           "\n";
  auto graph = Graph::InMemory();
  LoadClean(*graph, "a.jsonl", lines);
  EXPECT_EQ(graph->snapshot().CountNodes(kOutcome), 10u);
  const Sequence before = graph->snapshot().sequence();
  LoadClean(*graph, "a.jsonl", lines);
  EXPECT_EQ(graph->snapshot().sequence(), before);
  const std::string exported = JsonLines(graph->snapshot());
  auto copy = Graph::InMemory();
  LoadClean(*copy, "b.jsonl", exported);
  EXPECT_EQ(JsonLines(copy->snapshot()), exported);
  EXPECT_EQ(copy->snapshot().CountNodes(kOutcome), 10u);
}

// A null, an empty text and what is absent are the same.
TEST(Outcomes, AbsentIsNull) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "a.jsonl",
            kEventLine + kOutcomeHead + "}\n" + kOutcomeHead +
                R"(,"notes":null,"confidence_delta":null,"props":{}})"
                "\n" +
                kOutcomeHead +
                R"(,"notes":""})"
                "\n");
  EXPECT_EQ(graph->snapshot().CountNodes(kOutcome), 1u);
}

// Earlier versions kept notes under the name without a digest.
TEST(Outcomes, AGraphOfAnEarlierVersionKeepsItsNames) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "e.jsonl", kEventLine);
  WriteBatch old(1'700'000'000'005);
  const engine_internal::OutcomeContent content{
      "e", "helpful", "user", 1'700'000'000'001, "a", {{"confidence_delta", "0.5"}}};
  const NodeRef outcome = old.IndexNode(kOutcome, engine_internal::OutcomeName(content));
  old.UpsertNode(outcome);
  old.SetPayload(outcome, NodeField::kText, "a");
  old.SetPayload(
      outcome, NodeField::kProperties,
      *PropertiesFromJson(R"({"type":"helpful","source":"user","confidence_delta":0.5})"));
  old.SetI64(outcome, kCreatedAt, 1'700'000'000'001);
  old.Link({.source = outcome,
            .target = old.IndexNode(kEvent, "e"),
            .kind = kLabels,
            .created_at = 1'700'000'000'001});
  ASSERT_TRUE(graph->Apply(old));
  const Sequence before = graph->snapshot().sequence();
  LoadClean(*graph, "a.jsonl",
            kOutcomeHead + R"(,"notes":"a","confidence_delta":0.5})"
                           "\n");
  EXPECT_EQ(graph->snapshot().sequence(), before);
  LoadClean(*graph, "a.jsonl",
            kOutcomeHead + "}\n" + kOutcomeHead +
                R"(,"notes":"b"})"
                "\n");
  EXPECT_EQ(graph->snapshot().CountNodes(kOutcome), 3u);
  const Sequence after = graph->snapshot().sequence();
  LoadClean(*graph, "a.jsonl",
            kOutcomeHead + "}\n" + kOutcomeHead +
                R"(,"notes":"b"})"
                "\n");
  EXPECT_EQ(graph->snapshot().sequence(), after);
  const std::string exported = JsonLines(graph->snapshot());
  auto copy = Graph::InMemory();
  LoadClean(*copy, "b.jsonl", exported);
  EXPECT_EQ(JsonLines(copy->snapshot()), exported);
}

}  // namespace
}  // namespace plexus::formats::internal
