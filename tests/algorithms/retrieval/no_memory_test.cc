// Retrieval, likeness, lists of never-composed sets and what removes nodes, at their n-th
// allocation; as no_memory_kernels_test.cc. A program of its own: it replaces operator new.
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/memory/never_composed.h"
#include "algorithms/memory/turns.h"
#include "algorithms/memory/visibility.h"
#include "algorithms/retrieval/bm25.h"
#include "algorithms/retrieval/nearest_neighbors.h"
#include "algorithms/retrieval/phrase.h"
#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/remove_nodes.h"
#include "algorithms/retrieval/rerank.h"
#include "algorithms/retrieval/scan_nodes.h"
#include "algorithms/retrieval/term_index.h"
#include "algorithms/retrieval/text_vectors.h"
#include "algorithms/retrieval/tokenizer.h"
#include "algorithms/retrieval/vector_index.h"
#include "algorithms/retrieval/vector_join.h"
#include "algorithms/retrieval/where.h"
#include "algorithms/similarity/frontier.h"
#include "algorithms/similarity/similarity.h"
#include "algorithms/traversal/traverse.h"
#include "engine/graph.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"
#include "tests/algorithms/no_memory_kernels.h"
#include "tests/support/failing_memory.h"

namespace plexus {
namespace {

// With a filter, which is a stage of its own.
RetrievalPlan Filtered(std::string_view name) {
  RetrievalPlan plan = FindPlan(name)->plan;
  plan.filter.where = "kind = 'node' or kind = 'memory'";
  return plan;
}

Result<RetrieveResult> RunPlan(const RetrievalPlan& plan, const Snapshot& s,
                               const std::vector<float>& query, Executor& executor) {
  const NodeWeight key{1, 1};
  return Retrieve(s, plan, {.vector = query, .space = kSpace, .keys = {&key, 1}},
                  With<RetrieveOptions>(executor));
}

std::string HitBytes(const RetrieveResult& result) {
  std::vector<double> scores;
  for (const RetrieveHit& hit : result.hits)
    scores.insert(scores.end(), {hit.score, static_cast<double>(hit.node)});
  return Bytes(scores);
}

TEST(NoMemoryRetrieval, Likeness) {
  static const std::vector<float> query(8, 0.5f);
  static const std::vector<NodePair> pairs = {{1, 2}, {40, 41}};
  static const RetrievalPlan dual = Filtered("dual"), multi_hop = Filtered("multi-hop");
  Fails(
      "Nearest", ASK { return Nearest(s, kSpace, query, With<NearestOptions>(executor)); },
      [](const auto& r) { return Bytes(r.nodes); });
  static const std::vector<float> other_query = {0.1f, 0.9f, 0.2f, 0.8f, 0.3f, 0.7f, 0.4f, 0.6f};
  static const std::span<const float> queries[] = {query, other_query, query};
  Fails(
      "NearestMany",
      ASK { return NearestMany(s, kSpace, queries, With<NearestOptions>(executor)); },
      [](const auto& all) {
        std::string bytes;
        for (const NearestResult& r : all) bytes += Bytes(r.nodes);
        return bytes;
      });
  for (const std::size_t top : {std::size_t{0}, std::size_t{3}})
    Fails(
        "JoinVectors",
        [&](const Snapshot& s, Executor& executor) -> Result<double> {
          auto options = With<VectorJoinOptions>(executor);
          options.top = top;
          options.above = 0.8;
          double sum = 0;
          PLEXUS_TRY(JoinVectors(s, kSpace, options,
                                 [&sum](std::span<const VectorJoinPair> some) -> Result<bool> {
                                   for (const VectorJoinPair& p : some) sum += p.cosine * p.a + p.b;
                                   return true;
                                 }));
          return sum;
        },
        [](double sum) { return Bytes(sum); });
  Fails(
      "MeasureRecall",
      ASK->Result<IndexRecall> {
        PLEXUS_ASSIGN(const auto index,
                      VectorIndex::Make(s, kSpace, {.links = 4, .build_width = 8}));
        PLEXUS_TRY(index->Update(s));
        return index->MeasureRecall(
            s, {.top = 3, .width = 5, .sample = 4, .run = {.executor = &executor}});
      },
      [](const IndexRecall& r) { return Bytes(r.recall, r.least, r.queries); });
  static const std::vector<NodeId> named = {3, 8, 40, 41, 3};
  Fails(
      "RerankCandidates",
      ASK { return RerankCandidates(s, kSpace, query, named, With<RerankOptions>(executor)); },
      [](const auto& r) { return Bytes(r.hits); });
  Fails(
      "VectorIndex",
      ASK {
        auto index = VectorIndex::Make(s, kSpace, {.links = 4, .build_width = 8});
        if (!index) return Result<IndexNearestResult>(std::unexpected(index.error()));
        if (auto update = (*index)->Update(s); !update)
          return Result<IndexNearestResult>(std::unexpected(update.error()));
        return (*index)->Nearest(s, query, {.top = 5, .width = 5, .run = {.executor = &executor}});
      },
      [](const auto& r) { return Bytes(r.nodes); });
  Fails(
      "Rerank", ASK { return Rerank(s, kSpace, query, With<RerankOptions>(executor)); },
      [](const auto& r) { return Bytes(r.hits); });
  Fails("Retrieve, dual", ASK { return RunPlan(dual, s, query, executor); }, HitBytes);
  Fails("Retrieve, multi-hop", ASK { return RunPlan(multi_hop, s, query, executor); }, HitBytes);
  Fails(
      "PairSimilarities",
      ASK { return PairSimilarities(s, pairs, With<SimilarityOptions>(executor)); },
      [](const auto& r) { return Bytes(r.pairs); });
  Fails(
      "SimilarNodes", ASK { return SimilarNodes(s, 40, With<SimilarityOptions>(executor)); },
      [](const auto& r) { return Bytes(r.nodes); });
  Fails(
      "SimilarPairs", ASK { return SimilarPairs(s, With<SimilarityOptions>(executor)); },
      [](const auto& r) { return Bytes(r.pairs); });
  for (const int arity : {2, 3})
    Fails(
        "Frontier",
        [&](const Snapshot& s, Executor& executor) {
          auto options = With<FrontierOptions>(executor);
          options.arity = arity;
          options.top = 10;
          return Frontier(s, options);
        },
        [](const auto& r) { return Bytes(r.sets); });
  static const std::vector<NodeId> few = {1, 3, 5, 6, 8, 11, 14, 20, 21, 30, 33, 40};
  for (const FrontierLens lens : {FrontierLens::kBridge, FrontierLens::kDivergent})
    Fails(
        "NeverComposed",
        [&](const Snapshot& s, Executor& executor) -> Result<NeverComposedPage> {
          PLEXUS_ASSIGN(const NodeSubset pool, NodeSubset::Of(s, few));
          NeverComposedOptions options{.lens = lens, .top = 5, .now_ms = 1500, .pool = &pool};
          options.structural_fit = true;
          options.run.executor = &executor;
          return NeverComposed(s, options);
        },
        [](const auto& r) { return Bytes(r.sets); });
  for (const char* recipe : {"similar", "temporal", "referential", "co-retrieval"})
    Fails(
        "BuildEdges",
        [&](const Snapshot& s, Executor& executor) -> Result<BuildReport> {
          PLEXUS_ASSIGN(const NodeSubset facts, NodeSubset::Of(s, few));
          BuildOptions options{.space = kSpace, .turns = &facts};
          options.run.executor = &executor;
          return BuildEdges(s, *FindRecipe(recipe), options, {});
        },
        [](const auto& r) { return std::to_string(r.added + r.dropped); });
}

TEST(NoMemoryRetrieval, WordsAndLists) {
  static const std::vector<std::string> terms = {"graph", "delta"};
  const auto take = [](const WriteBatch&) { return Status(); };
  Fails(
      "Bm25", ASK { return Bm25(s, terms, With<Bm25Options>(executor)); },
      [](const auto& r) { return Bytes(r.matches); });
  static const std::vector<std::string> phrases = {"graph engine", "memory"};
  Fails(
      "NodesWithPhrases",
      ASK { return NodesWithPhrases(s, phrases, With<PhraseOptions>(executor)); },
      [](const auto& r) { return Bytes(r.nodes, r.texts); });
  for (const char* text :
       {"kind = 'memory' and text like '%graph%' or exists props.topic_of_the_conversation",
        "tag in ('tag 1', 'tag 2') and created_at >= 0", "key ilike 'FACT 1%' or not scope = 'a'"})
    Fails(
        "EvaluateWhere",
        [&](const Snapshot& s, Executor& executor) {
          auto options = With<WhereOptions>(executor);
          options.make_orders = true;
          return EvaluateWhere(s, text, options);
        },
        [](const auto& r) { return Bytes(r.nodes); });
  static const TermOptions cut = [] {
    TermOptions options = TermOptions::Recommended();
    options.stemmer = "english";
    options.stop_words = {"a word that is no term at all"};
    return options;
  }();
  static constexpr std::string_view kText = "Graphs of memories, get_user_by_id, and more graphs";
  Fails(
      "TermSplitter",
      ASK->Result<std::size_t> {
        PLEXUS_ASSIGN(TermSplitter splitter, TermSplitter::Make(cut));
        PLEXUS_ASSIGN(const auto found, splitter.Split(kText));
        PLEXUS_ASSIGN(const auto counts, splitter.Count(kText));
        PLEXUS_ASSIGN(const auto words, splitter.Words(kText));
        PLEXUS_ASSIGN(const auto of_phrase, splitter.PhraseTerms(kText));
        return found.size() + 100 * counts.size() + 10'000 * (words.size() + of_phrase.size());
      },
      [](std::size_t sizes) { return Bytes(sizes); });
  Fails(
      "IndexTerms",
      [&](const Snapshot& s, Executor& e) {
        return IndexTerms(s, With<IndexTermsOptions>(e), take);
      },
      [](const auto& r) { return Bytes(r.texts, r.linked); });
  static const WriteBatch texts = [] {
    WriteBatch batch(3000);
    batch.SetPayload(batch.UpsertNode("a new fact"), NodeField::kText,
                     "graph of memory, delta of graph");
    return batch;
  }();
  Fails(
      "AddTerms",
      ASK {
        return OrNoMemory([&] {
          WriteBatch batch = texts;
          return AddTerms(s, {}, batch, &executor);
        });
      },
      [](const auto& r) { return Bytes(r.texts, r.linked); });
  Fails(
      "MakeTextVectors",
      [&](const Snapshot& s, Executor& e) {
        return MakeTextVectors(s, With<TextVectorOptions>(e), take);
      },
      [](const auto& r) { return Bytes(r.documents, r.added); });
  static const std::vector<TermCount> counts = {{"graph", 1}, {"delta", 2}};
  Fails(
      "TextVector", ASK { return TextVector(s, counts, With<TextVectorOptions>(executor)); },
      [](const auto& r) { return Bytes(r.values); });
  Fails(
      "VisibleNodes", ASK { return VisibleNodes(s, 1500, {.executor = &executor}); },
      [](const auto& r) { return Bytes(*r); });
  Fails(
      "ScanNodes",
      ASK {
        NodeScan scan;
        scan.column = kCreatedAt;
        return ScanNodes(s, scan);
      },
      [](const auto& r) { return Bytes(r.nodes); });
}

// Of a graph that is changed: what was removed is gone, and nothing else.
TEST(NoMemoryRetrieval, RemoveNodes) {
  std::int64_t n = 1;
  for (bool reached = true; reached; n = testing::NextAllocation(n, 40, 1.25)) {
    GraphOptions plain;
    plain.executor = &SerialExecutor();
    const auto graph = Graph::InMemory(plain);
    WriteBatch batch(1000);
    for (int i = 0; i < 30; ++i)
      batch.UpsertNode("fact " + std::to_string(i), NameRef(i % 2 ? kMemory : kNode));
    ASSERT_TRUE(graph->Apply(batch));
    NodeScan scan;
    scan.kind = kMemory;
    RemoveOptions options;
    options.now_ms = 2000;
    options.batch_nodes = 4;
    const auto removed = [&] {
      FailingMemory failing(n, Failure::kOnce);
      auto report = RemoveNodes(*graph, scan, options);
      reached = failing.failed();
      return report;
    }();
    std::uint64_t of_kind = 0, others = 0;
    const Snapshot s = graph->snapshot();
    for (NodeId v = 0; v < s.node_count(); ++v)
      if (s.alive(v)) ++(s.node_kind(v) == kMemory ? of_kind : others);
    EXPECT_EQ(others, 15u) << n;
    if (removed)
      EXPECT_EQ(of_kind, 0u) << n;
    else
      EXPECT_EQ(removed.error().code, ErrorCode::kResourceExhausted) << n;
    const TimeToLive lives[] = {{.kind = kNode, .ttl_ms = 10}};
    const auto expired = [&] {
      FailingMemory failing(n, Failure::kOnce);
      auto report = RemoveExpired(*graph, lives, options);
      reached |= failing.failed();
      return report;
    }();
    if (!expired) {
      EXPECT_TRUE(expired.error().code == ErrorCode::kResourceExhausted ||
                  expired.error().code == ErrorCode::kReadOnly)
          << n;
    }
  }
  EXPECT_GT(n, 40);
}

}  // namespace
}  // namespace plexus
