// Recall, concepts, conflicts, decisions and supersession at their n-th allocation: an error, no
// end of the program, and the next call gives what it always gives. Batches that they propose are
// shown as what they would make of the graph, so that a preview fails in the same way. A program of
// its own: it replaces operator new.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "algorithms/memory/concept_activation.h"
#include "algorithms/memory/concepts.h"
#include "algorithms/memory/conflicts.h"
#include "algorithms/memory/decisions.h"
#include "algorithms/memory/recall.h"
#include "algorithms/memory/recall/recall_use.h"
#include "engine/preview.h"
#include "tests/algorithms/no_memory_kernels.h"

namespace plexus {
namespace {

constexpr std::int64_t kNow = 5000;

// A third of the facts are decisions, a third concepts, some of which evoke episodes.
struct Minds : Fixture {
  explicit Minds(NodeId nodes) : Fixture(nodes) {
    const auto key = [](NodeId i) { return "fact " + std::to_string(i); };
    WriteBatch batch(3000);
    const EdgeKindId relations[] = {kIsA, kPartOf, kEvokes};
    for (NodeId i = 0; i < nodes; ++i) {
      const NodeRef node = batch.Node(key(i));
      if (i % 3 == 0) {
        batch.UpsertNode(node, kDecision);
        if (i % 2 == 0) batch.SetString(node, kDecisionOutcome, i % 4 == 0 ? "success" : "failure");
        if (i >= 9) batch.Link(node, kDependsOn, batch.Node(key(i - 9)));
        if (i % 15 == 0 && i >= 6) batch.Link(node, kContradicts, batch.Node(key(i - 6)));
        if (i % 21 == 0 && i + 3 < nodes) batch.Link(node, kBlocks, batch.Node(key(i + 3)));
      } else if (i % 3 == 1) {
        batch.UpsertNode(node, kConcept);
        batch.SetF64(node, kArousalLevel, 0.5);
        batch.SetI64(node, kAccessedAt, 2000);
        if (i >= 7) batch.Link(node, relations[i % 3], batch.Node(key(i - 6)));
        if (i % 12 == 1) {
          const NodeRef episode = batch.UpsertNode("episode " + std::to_string(i), kEpisode);
          batch.SetPayload(episode, NodeField::kText, "what happened");
          batch.Link(node, kEvokes, episode);
        }
      } else if (i >= 6) {
        batch.Link(node, i % 2 == 0 ? kContradicts : kSupersedes, batch.Node(key(i - 3)));
      }
    }
    EXPECT_TRUE(graph->Apply(batch));
    state = graph->snapshot().state();
  }
};
Minds& SmallMinds() {
  static Minds* const small = new Minds(48);
  return *small;
}
Minds& LargeMinds() {
  static Minds* const large = new Minds(6'000);
  return *large;
}
template <class Ask, class Tell>
void MindsFail(const char* name, const Ask& ask, const Tell& tell) {
  FailsOn(SmallMinds(), LargeMinds(), name, ask, tell);
}

DecisionOptions At(Executor& executor) { return {.now_ms = kNow, .run = {.executor = &executor}}; }
// What a batch would make of the graph.
Result<std::uint64_t> Made(const Snapshot& s, const WriteBatch& batch, Executor& executor) {
  PLEXUS_ASSIGN(const PreviewResult preview, Preview(s, batch, {.executor = &executor}));
  const ApplyReport& r = preview.report;
  return r.nodes.added + 1000 * r.nodes.changed + 1'000'000 * r.edges.added +
         1'000'000'000 * (r.edges.changed + r.nodes.removed);
}
const auto kNumber = [](std::uint64_t made) { return std::to_string(made); };

template <class Element>
std::string Raw(const std::vector<Element>& list) {
  static_assert(std::has_unique_object_representations_v<Element>);
  return std::string(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(Element));
}

TEST(NoMemoryMinds, Supersession) {
  const auto heads = [](const SupersessionHeads& h) { return Raw(h.nodes) + Raw(h.heads); };
  MindsFail("AllHeads", ASK { return AllHeads(s, kNow); }, heads);
  MindsFail(
      "HeadsOf",
      ASK {
        const NodeId nodes[] = {5, 11, 17};
        return HeadsOf(s, kNow, nodes);
      },
      heads);
  MindsFail(
      "WalkSupersession", ASK { return WalkSupersession(s, 11, kNow); },
      [](const SupersessionWalk& walk) {
        std::string text = std::to_string(walk.head);
        for (const auto* steps : {&walk.newer, &walk.older})
          for (const SupersessionStep& step : *steps)
            text += " " + std::to_string(step.newer) + ">" + std::to_string(step.older);
        return text;
      });
}

TEST(NoMemoryMinds, Conflicts) {
  const auto pairs = [](const OpenConflictsResult& r) {
    std::string text;
    for (const Conflict& c : r.conflicts)
      text += std::to_string(c.a) + " " + std::to_string(c.b) + ", ";
    return text;
  };
  MindsFail(
      "OpenConflicts",
      ASK { return OpenConflicts(s, {.now_ms = kNow, .run = {.executor = &executor}}); }, pairs);
  MindsFail(
      "DecisionContradictions", ASK { return DecisionContradictions(s, At(executor)); }, pairs);
  MindsFail(
      "ConflictCandidates",
      ASK {
        ConflictCandidatesOptions options{.now_ms = kNow, .space = "v"};
        options.run.executor = &executor;
        return ConflictCandidates(s, 8, options);
      },
      [](const ConflictCandidatesResult& r) {
        std::string text;
        for (const ConflictCandidate& c : r.candidates)
          text += std::to_string(c.node) + " " + std::to_string(c.evidence.size()) + ", ";
        return text;
      });
  MindsFail(
      "NearDuplicates",
      ASK {
        NearDuplicatesOptions options{.now_ms = kNow, .of = 5, .least = 0.1, .space = "v"};
        options.run.executor = &executor;
        return NearDuplicates(s, options);
      },
      [](const NearDuplicatesResult& r) {
        std::string text;
        for (const NearDuplicate& p : r.pairs) text += std::to_string(p.visible) + " ";
        return text;
      });
  MindsFail(
      "Resolve",
      ASK->Result<std::uint64_t> {
        const Verdict verdicts[] = {{1, 4, VerdictKind::kAgrees, kNoNode, "said"},
                                    {2, 3, VerdictKind::kContradicts, kNoNode, ""}};
        PLEXUS_ASSIGN(const Resolution r, Resolve(s, verdicts, {.now_ms = kNow}));
        return Made(s, r.batch, executor);
      },
      kNumber);
}

TEST(NoMemoryMinds, Decisions) {
  MindsFail(
      "StatusOf",
      ASK {
        const NodeId nodes[] = {0, 3, 6, 9};
        return StatusOf(s, nodes, kNow);
      },
      [](const std::vector<DecisionStatus>& list) {
        std::string text;
        for (const DecisionStatus& d : list)
          text += std::string(d.outcome) + (d.active ? " active, " : ", ");
        return text;
      });
  MindsFail(
      "Salience", ASK { return Salience(s, {.decisions = At(executor)}); },
      [](const SalienceResult& r) { return Bytes(r.scores, r.percentiles, r.cycles); });
  MindsFail(
      "CompactionTiers",
      ASK->Result<std::uint64_t> {
        PLEXUS_ASSIGN(const CompactionResult r,
                      CompactionTiers(s, {.salience = {.decisions = At(executor)}}));
        return Made(s, r.batch, executor);
      },
      kNumber);
  MindsFail(
      "BlockedChains", ASK { return BlockedChains(s, {.decisions = At(executor)}); },
      [](const BlockedChainsResult& r) {
        std::string text = Bytes(r.root_lists, r.cycles);
        for (const BlockedDecision& b : r.blocked)
          text += std::to_string(b.node) + " " + std::to_string(b.root) + ", ";
        return text;
      });
  const auto steps = [](const std::vector<ChainStep>& list) {
    std::string text;
    for (const ChainStep& step : list) text += std::to_string(step.next) + " ";
    return text;
  };
  MindsFail("BlockersOf", ASK { return BlockersOf(s, 9, At(executor)); }, steps);
  MindsFail(
      "QualityOf",
      ASK {
        const NodeId nodes[] = {0, 3, 6, 9};
        return QualityOf(s, nodes, kNow);
      },
      [](const std::vector<EdgeQuality>& list) {
        std::string text;
        for (const EdgeQuality& q : list) text += std::to_string(q.edges) + " ";
        return text;
      });
  MindsFail(
      "SuggestEdges",
      ASK->Result<std::uint64_t> {
        SuggestOptions options{.decisions = At(executor), .least_shared = 0.1};
        PLEXUS_ASSIGN(const SuggestResult r, SuggestEdges(s, 9, options));
        return Made(s, r.batch, executor);
      },
      kNumber);
  MindsFail(
      "WorkQueue",
      ASK { return WorkQueue(s, {.decisions = At(executor), .period_ms = 100, .frontier = 2}); },
      [](const WorkQueueResult& r) {
        std::string text = std::to_string(r.total);
        for (const WorkItem& i : r.items) text += i.reason + std::to_string(i.node) + ", ";
        return text;
      });
}

TEST(NoMemoryMinds, Guardrails) {
  const std::vector<GuardrailRule> rules = {
      {.name = "a",
       .kinds = {kContradicts, kDependsOn},
       .target = {.active = true, .blocked = false, .salience_above = 0.1},
       .message = "{target} {other}"},
      {.name = "b", .does = ProposalDoes::kRemoves, .message = "{target}"}};
  WriteBatch batch(kNow);
  const NodeRef made = batch.UpsertNode("new", kDecision);
  batch.Link(made, kContradicts, NodeRef::Id(3));
  batch.Link(made, kDependsOn, NodeRef::Id(9));
  batch.RemoveNode(NodeRef::Id(12));
  MindsFail(
      "CheckGuardrails",
      [&](const Snapshot& s, Executor& executor) -> Result<GuardrailResult> {
        PLEXUS_ASSIGN(const PreviewResult preview, Preview(s, batch, {.executor = &executor}));
        return CheckGuardrails(s, preview, rules, {.decisions = At(executor)});
      },
      [](const GuardrailResult& r) {
        std::string text = r.allowed ? "allowed " : "";
        for (const GuardrailHit& hit : r.hits) text += hit.message + ", ";
        return text;
      });
}

TEST(NoMemoryMinds, Concepts) {
  const std::vector<std::string> seeds = {"fact 1", "fact 13", "nobody"};
  MindsFail(
      "RecallConcepts",
      [&](const Snapshot& s, Executor& executor) -> Result<RecallConceptsResult> {
        RecallConceptsOptions options;
        options.hops = 4;
        options.run.executor = &executor;
        PLEXUS_ASSIGN(RecallConceptsResult r, RecallConcepts(s, seeds, kNow, options));
        PLEXUS_TRY(Made(s, r.batch, executor));
        return r;
      },
      [](const RecallConceptsResult& r) {
        std::string text;
        for (const Proposition& p : r.propositions) text += p.text + ", ";
        return text;
      });
  MindsFail(
      "ActivateRelated",
      [&](const Snapshot& s, Executor& executor) -> Result<std::uint64_t> {
        PLEXUS_ASSIGN(const ActivateRelatedResult r, ActivateRelated(s, seeds, kNow));
        return Made(s, r.batch, executor);
      },
      kNumber);
  MindsFail(
      "SearchConcepts",
      ASK {
        SearchConceptsOptions options;
        static const std::vector<float> query(8, 0.5f);
        options.space = kSpace;
        options.query = query;
        options.run.executor = &executor;
        return SearchConcepts(s, kNow, options);
      },
      [](const SearchConceptsResult& r) {
        std::string text;
        for (const ConceptHit& hit : r.hits) text += std::to_string(hit.node) + " ";
        return text;
      });
  const auto writes = [](const char* name, auto propose) {
    MindsFail(
        name,
        [&](const Snapshot& s, Executor& executor) -> Result<std::uint64_t> {
          PLEXUS_ASSIGN(const auto r, propose(s));
          return Made(s, r.batch, executor);
        },
        kNumber);
  };
  const std::vector<std::string> evoking = {"fact 1", "a new one"};
  writes("UpsertConcept", [](const Snapshot& s) { return UpsertConcept(s, "apple", kNow); });
  writes("UpdateAffect", [](const Snapshot& s) { return UpdateAffect(s, "fact 1", 0.9, kNow); });
  writes("AddEpisode",
         [&](const Snapshot& s) { return AddEpisode(s, "it rained", evoking, 0.5, kNow); });
  writes("Relate",
         [](const Snapshot& s) { return Relate(s, "fact 1", "is-a", "a new one", kNow); });
  writes("DampenConcept", [](const Snapshot& s) { return DampenConcept(s, "fact 1", 0.5, kNow); });
}

// Words, a vector and keys at once, by fusion and by weights, with all that a hit says.
TEST(NoMemoryMinds, Recall) {
  static const std::vector<std::string> words = {"graph", "delta"};
  static const std::vector<float> vector(8, 0.5f);
  static const std::vector<NodeWeight> keys = {{40, 1.0}, {17, 0.5}};
  const auto options_for = [](Executor& executor) {
    RecallOptions options;
    options.now_ms = kNow;
    options.related_hops = 2;
    options.near_duplicate = 0.1;
    options.run.executor = &executor;
    return options;
  };
  const RecallQuestion question = {.terms = words, .vector = vector, .space = kSpace, .keys = keys};
  const auto hits = [](const RecallResult& r) {
    std::string text = std::to_string(r.excluded) + " " + std::to_string(r.conflicts.size());
    for (const RecallHit& hit : r.hits) {
      text += Bytes(hit.node, hit.score, hit.contradicted_by) + hit.why;
      for (const Relation& relation : hit.related) text += relation.text + ", ";
      for (const NearDuplicate& pair : hit.near_duplicate_of) text += Bytes(pair.visible);
    }
    return text;
  };
  for (const bool weighted : {false, true})
    MindsFail(
        weighted ? "Recall with weights" : "Recall",
        [&](const Snapshot& s, Executor& executor) {
          RecallOptions options = options_for(executor);
          options.exclude_contradicted = weighted;
          if (weighted) options.weights = {0.4, 0.2, 0.1, 0.1, 0.1, 0.1, 0};
          return Recall(s, question, options);
        },
        hits);
  MindsFail(
      "Recall and its use",
      [&](const Snapshot& s, Executor& executor) -> Result<std::uint64_t> {
        PLEXUS_ASSIGN(const RecallResult r, Recall(s, question, options_for(executor)));
        std::vector<NodeId> nodes;
        for (const RecallHit& hit : r.hits) nodes.push_back(hit.node);
        PLEXUS_ASSIGN(const RecallUse use, UseOf(s, nodes, {.now_ms = kNow}));
        PLEXUS_ASSIGN(const NewEvent event, EventOfRecall(s, r.hits, "graph delta", kNow));
        PLEXUS_ASSIGN(const RecordedEvent recorded, RecordEvent(s, event));
        PLEXUS_ASSIGN(const std::uint64_t used, Made(s, use.batch, executor));
        PLEXUS_ASSIGN(const std::uint64_t made, Made(s, recorded.batch, executor));
        return used + made;
      },
      kNumber);
}

}  // namespace
}  // namespace plexus
