// Questions of memory without `now_ms` are asked at the snapshot's time: what had ended by then
// stays ended. Each is asked without a time, with the snapshot's, and with one of long before,
// which must make a difference here.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/memory/decisions/decisions.h"
#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/recall/recall.h"
#include "algorithms/retrieval/terms.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus {
using namespace builtin;
using namespace memory;
using namespace retrieval;
namespace {

constexpr std::int64_t kEnd = 3'000, kNow = 5'000, kEarly = 1;

// Conflicts between a and b, and between the decisions x and y, that were resolved; d was
// superseded by c for a while.
Snapshot ResolvedWorld() {
  const auto graph = Graph::InMemory();
  WriteBatch batch(kNow);
  for (const char* key : {"a", "b", "c", "d"}) {
    const NodeRef node = batch.UpsertNode(key, kMemory);
    batch.SetPayload(node, NodeField::kText, std::string("red apple pie ") + key);
    batch.SetI64(node, kCreatedAt, 1);
    batch.Link(node, kHasTag, batch.IndexNode(kTag, "t"));
  }
  for (const char* key : {"x", "y"}) {
    const NodeRef node = batch.UpsertNode(key, kDecision);
    batch.SetI64(node, kCreatedAt, 1);
    batch.SetString(node, kDecisionOutcome, *key == 'x' ? "success" : "failure");
  }
  const auto ended = [&](const char* source, EdgeKindId kind, const char* target) {
    WriteBatch::EdgeInput edge{
        .source = batch.Node(source), .target = batch.Node(target), .kind = kind};
    edge.valid_until = kEnd;
    batch.Link(edge);
  };
  ended("a", kContradicts, "b");
  ended("x", kContradicts, "y");
  ended("x", kDependsOn, "y");
  ended("c", kSupersedes, "d");
  EXPECT_TRUE(AddTerms(graph->snapshot(), batch));
  EXPECT_TRUE(graph->Apply(batch));
  return graph->snapshot();
}

std::string Shown(const Result<OpenConflictsResult>& open) {
  std::string shown;
  for (const Conflict& c : open.value().conflicts) shown += std::to_string(c.a) + " ";
  return shown;
}
std::string Shown(const Result<NearDuplicatesResult>& near) {
  std::string shown;
  for (const NearDuplicate& pair : near.value().pairs) shown += std::to_string(pair.visible) + " ";
  return shown;
}

TEST(DefaultTime, IsTheSnapshots) {
  const Snapshot s = ResolvedWorld();
  const NodeId a = *s.Find("a"), b = *s.Find("b"), c = *s.Find("c"), d = *s.Find("d");
  const struct {
    const char* name;
    std::function<std::string(std::int64_t)> ask;
  } questions[] = {
      {"OpenConflicts", [&](std::int64_t at) { return Shown(OpenConflicts(s, {.now_ms = at})); }},
      {"Resolve",
       [&](std::int64_t at) {
         const Verdict verdict[] = {{a, b, VerdictKind::kKeepBoth}};
         const auto made = Resolve(s, verdict, {.now_ms = at});
         return made ? std::to_string(made->ended) : made.error().message;
       }},
      {"ConflictCandidates",
       [&](std::int64_t at) {
         return std::to_string(ConflictCandidates(s, a, {.now_ms = at})->candidates.size());
       }},
      {"NearDuplicates", [&](std::int64_t at) { return Shown(NearDuplicates(s, {.now_ms = at})); }},
      {"NearSuperseded",
       [&](std::int64_t at) {
         const NodeId nodes[] = {a, b};
         return Shown(NearSuperseded(s, nodes, VisibleIn(s, at, nullptr).value()));
       }},
      {"Recall",
       [&](std::int64_t at) {
         std::string shown;
         const auto found = Recall(s, {.text = "apple"}, {.now_ms = at});
         for (const RecallHit& hit : found.value().hits)
           shown += std::to_string(hit.node) + (hit.contradicted_by.empty() ? " " : "! ");
         return shown;
       }},
      {"RelatedTo",
       [&](std::int64_t at) {
         return std::to_string(RelatedTo(s, c, {.filter = {.valid_at = at}})->relations.size());
       }},
      {"ProposeReinforcement",
       [&](std::int64_t at) {
         const NodeId used[] = {d};
         const auto after = Preview(s, ProposeReinforcement(s, used, {.now_ms = at})->batch);
         return std::to_string(after.value().snapshot.i64(kAccessedAt, d).value());
       }},
      {"DecisionContradictions",
       [&](std::int64_t at) { return Shown(DecisionContradictions(s, {.now_ms = at})); }},
      {"Salience",
       [&](std::int64_t at) {
         std::string shown;
         const auto salience = Salience(s, {.decisions = {.now_ms = at}});
         for (const double score : salience.value().scores) shown += std::to_string(score) + " ";
         return shown;
       }},
      {"NeverComposed", [&](std::int64_t at) {
         NeverComposedOptions options;
         options.now_ms = at;
         std::string shown;
         const auto page = NeverComposed(s, options);
         for (const NeverComposedSet& set : page.value().sets)
           for (const NodeId v : set.members) shown += std::to_string(v) + " ";
         return shown;
       }}};
  for (const auto& question : questions) {
    SCOPED_TRACE(question.name);
    EXPECT_EQ(question.ask(kNoTime), question.ask(s.time_ms()));
    EXPECT_NE(question.ask(kNoTime), question.ask(kEarly));
  }
  EXPECT_EQ(Shown(OpenConflicts(s)), "");
  EXPECT_NE(Shown(OpenConflicts(s, {.now_ms = kEarly})), "");
}

}  // namespace
}  // namespace plexus
