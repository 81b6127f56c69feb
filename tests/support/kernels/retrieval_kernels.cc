// Rows of retrieval: vectors, words, plans, lists.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/scan.h"
#include "algorithms/retrieval/terms.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"
#include "tests/support/kernels/kernel.h"
#include "tests/support/kernels/kernel_graph.h"

namespace plexus::testing {
using namespace builtin;

namespace {

const std::vector<float> kQuery(kKernelDimensions, 0.5f);
const std::vector<float> kOther = {0.1f, 0.9f, 0.2f, 0.8f, 0.3f, 0.7f, 0.4f, 0.6f};
const std::vector<NodeId> kNamed = {3, 8, 40, 41, 3};
const std::vector<std::string> kTerms = {"payouts", "restarts"};
const std::vector<retrieval::TermCount> kCounts = {{"payouts", 1}, {"restarts", 2}};

// Graphs without the space are asked for one that is not there.
SpaceId Space(const Snapshot& s, std::string_view name = "default") {
  return s.schema().FindSpace(name).value_or(SpaceId{0});
}

Status Take(const WriteBatch&) { return {}; }

struct Joined {
  std::vector<retrieval::VectorJoinPair> pairs;
  retrieval::VectorJoinResult report;
  bool truncated = false;
};

void AddVectors(KernelRows& rows) {
  const auto nodes = [](const auto& result) { return result.hits; };
  for (const Prefilter prefilter : kPrefilters)
    rows.Add(
        "Nearest by " + std::string(PrefilterName(prefilter)),
        ASK {
          return retrieval::Nearest(s, Space(s, "narrow"), kQuery,
                                    {.run = run, .prefilter = prefilter});
        },
        nodes);
  rows.Add(
      "NearestMany",
      ASK {
        const std::span<const float> queries[] = {kQuery, kOther, kQuery};
        return retrieval::NearestMany(s, Space(s), queries, {.run = run});
      },
      [](const std::vector<retrieval::NearestResult>& all) {
        std::vector<std::vector<retrieval::NearestHit>> hits;
        for (const retrieval::NearestResult& result : all) hits.push_back(result.hits);
        return hits;
      });
  for (const std::size_t top : {std::size_t{0}, std::size_t{3}})
    rows.Add(
        "JoinVectors " + std::to_string(top), ASK->Result<Joined> {
          Joined joined;
          const auto take =
              [&joined](std::span<const retrieval::VectorJoinPair> some) -> Result<bool> {
            return OrNoMemory([&]() -> Result<bool> {
              joined.pairs.insert(joined.pairs.end(), some.begin(), some.end());
              return true;
            });
          };
          PLEXUS_ASSIGN(
              joined.report,
              retrieval::JoinVectors(s, Space(s), {.top = top, .above = 0.8, .run = run}, take));
          joined.truncated = joined.report.truncated;
          return joined;
        });
  rows.Add(
      "MeasureRecall", ASK->Result<retrieval::IndexRecall> {
        PLEXUS_ASSIGN(const auto index,
                      retrieval::VectorIndex::Make(s, Space(s), {.links = 4, .build_width = 8}));
        PLEXUS_TRY(index->Update(s));
        return index->MeasureRecall(
            s, {.top = 3, .width = 5, .sample = 4, .run = {.executor = run.executor}});
      });
  rows.Add(
      "VectorIndex",
      ASK->Result<retrieval::IndexNearestResult> {
        PLEXUS_ASSIGN(const auto index,
                      retrieval::VectorIndex::Make(s, Space(s), {.links = 4, .build_width = 8}));
        PLEXUS_TRY(index->Update(s));
        return index->Nearest(s, kQuery, {.top = 5, .width = 5, .run = run});
      },
      nodes);
  rows.Add(
      "Rerank", FILTERED {
        return retrieval::Rerank(s, Space(s, "narrow"), kQuery, {.filter = filter, .run = run});
      });
  rows.Add(
      "RerankCandidates", FILTERED {
        return retrieval::RerankCandidates(s, Space(s), kQuery, kNamed,
                                           {.filter = filter, .run = run});
      });
  for (const retrieval::NamedPlan& named : retrieval::NamedPlans())
    rows.Add(
        "Retrieve, " + std::string(named.name),
        ASK->Result<retrieval::RetrieveResult> {
          static const NodeWeight key{1, 1};
          PLEXUS_ASSIGN(const retrieval::RetrievalPlan plan, OrNoMemory([&] {
                          retrieval::RetrievalPlan filtered = named.plan;
                          filtered.filter.where = "kind = 'node' or kind = 'memory'";
                          return Result<retrieval::RetrievalPlan>(std::move(filtered));
                        }));
          return retrieval::Retrieve(
              s, plan, {.terms = kTerms, .vector = kQuery, .space = Space(s), .keys = {&key, 1}},
              {.run = run});
        },
        [](const retrieval::RetrieveResult& result) { return result.hits; },
        {.pushes = named.name == "recall"});
}

void AddWords(KernelRows& rows) {
  for (const bool events : {false, true})
    rows.Add(
        events ? "Bm25 of events" : "Bm25",
        ASK { return retrieval::Bm25(s, kTerms, {.events = events, .run = run}); });
  static const std::vector<std::string> phrases = {"payouts, settlement", "restarts"};
  rows.Add(
      "NodesWithPhrases", ASK { return retrieval::NodesWithPhrases(s, phrases, {.run = run}); });
  static const retrieval::TermOptions cut = [] {
    retrieval::TermOptions options = retrieval::TermOptions::Recommended();
    options.stemmer = "english";
    options.stop_words = {"a word that is no term at all"};
    return options;
  }();
  static constexpr std::string_view kText = "Graphs of memories, get_user_by_id, and more graphs";
  rows.Add(
      "TermSplitter", ASK->Result<std::size_t> {
        PLEXUS_ASSIGN(retrieval::TermSplitter splitter, retrieval::TermSplitter::Make(cut));
        PLEXUS_ASSIGN(const auto found, splitter.Split(kText));
        PLEXUS_ASSIGN(const auto counts, splitter.Count(kText));
        PLEXUS_ASSIGN(const auto words, splitter.Words(kText));
        PLEXUS_ASSIGN(const auto of_phrase, splitter.PhraseTerms(kText));
        return found.size() + 100 * counts.size() + 10'000 * (words.size() + of_phrase.size());
      });
  rows.Add("IndexTerms", ASK { return retrieval::IndexTerms(s, {.run = run}, Take); });
  static const WriteBatch texts = [] {
    WriteBatch batch(kKernelNow);
    batch.SetPayload(batch.UpsertNode("a new fact"), NodeField::kText, "payouts of the settlement");
    return batch;
  }();
  rows.Add(
      "AddTerms", ASK {
        return OrNoMemory([&] {
          WriteBatch batch = texts;
          return retrieval::AddTerms(s, {}, batch, run.executor);
        });
      });
  rows.Add("MakeTextVectors", ASK { return retrieval::MakeTextVectors(s, {.run = run}, Take); });
  rows.Add("TextVector", ASK { return retrieval::TextVector(s, kCounts, {.run = run}); });
}

void AddLists(KernelRows& rows) {
  for (const char* text :
       {"kind = 'memory' and text like '%payouts%' or exists props.topic_of_the_conversation",
        "tag in ('queue', 'oracle') and created_at >= 0", "key ilike 'M1%' or not scope = 'team'",
        "trust > 0.5"})
    rows.Add(
        "EvaluateWhere " + std::string(text),
        ASK { return retrieval::EvaluateWhere(s, text, {.make_orders = true, .run = run}); },
        [](const retrieval::WhereResult& result) { return result.nodes; });
  for (const ColumnId column : {kTrust, kCreatedAt})
    rows.Add(
        "ScanNodes", ASK {
          retrieval::NodeScan scan;
          scan.column = column;
          return retrieval::ScanNodes(s, scan);
        });
  rows.Add(
      "ScanNodes of a kind", ASK {
        retrieval::NodeScan scan;
        scan.kind = kDecision;
        return retrieval::ScanNodes(s, scan);
      });
}

}  // namespace

void AddRetrievalKernels(KernelRows& rows) {
  AddVectors(rows);
  AddWords(rows);
  AddLists(rows);
}

}  // namespace plexus::testing
