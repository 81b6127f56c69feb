// The index of terms follows the texts: new, changed, cleared, removed.
#include "algorithms/retrieval/terms.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/support/for_each_case.h"

namespace plexus {
using namespace builtin;
using namespace retrieval;
namespace {

void SetText(WriteBatch& batch, std::string_view key, std::string_view text) {
  const NodeRef node = batch.UpsertNode(key, NodeKindRef(kMemory));
  if (text.empty())
    batch.ClearPayload(node, NodeField::kText);
  else
    batch.SetPayload(node, NodeField::kText, text);
}

void Apply(Graph& graph, const WriteBatch& batch) { ASSERT_TRUE(graph.Apply(batch)); }

IndexTermsReport Index(Graph& graph, IndexTermsOptions options = {}) {
  const auto report = IndexTerms(graph.snapshot(), options, [&](const WriteBatch& batch) -> Status {
    EXPECT_FALSE(batch.empty());
    const auto applied = graph.Apply(batch);
    if (!applied) return std::unexpected(applied.error());
    return {};
  });
  EXPECT_TRUE(report);
  return report.value_or(IndexTermsReport());
}

// "term:2 other:1" of a node, by term.
std::string Terms(const Snapshot& s, std::string_view key) {
  const EdgeKindId kind[] = {kHasTerm};
  std::map<std::string, float> terms;
  s.ForEachArc(
      Direction::kOut, *s.Find(key), ArcFilter::Kinds(s.schema(), kind),
      [&](const Arc& arc) { terms[std::string(DisplayName(s.key(arc.neighbor)))] = arc.weight; });
  std::string out;
  for (const auto& [term, weight] : terms)
    out += (out.empty() ? "" : " ") + term + ":" + std::to_string(static_cast<int>(weight));
  return out;
}

TEST(TermIndex, FollowsTheTexts) {
  auto graph = Graph::InMemory();
  WriteBatch first(1);
  SetText(first, "a", "The dog barks; the Dog bites.");
  SetText(first, "b", "A cat.");
  first.UpsertNode("plain");
  Apply(*graph, first);
  EXPECT_EQ(Index(*graph), (IndexTermsReport{2, 2, 4, 0}));
  Snapshot s = graph->snapshot();
  EXPECT_EQ(Terms(s, "a"), "barks:1 bites:1 dog:2");
  EXPECT_EQ(Terms(s, "plain"), "");
  EXPECT_EQ(s.CountNodes(Plane::kFact), 3u);
  EXPECT_EQ(s.CountEdges(Plane::kFact), 0u);  // the index does not pollute the facts

  const Sequence before = s.sequence();
  EXPECT_EQ(Index(*graph), (IndexTermsReport{2, 0, 0, 0}));
  EXPECT_EQ(graph->snapshot().sequence(), before);

  WriteBatch second(2);
  SetText(second, "a", "dog cat");
  SetText(second, "b", "");
  SetText(second, "c", "new");
  Apply(*graph, second);
  EXPECT_EQ(Index(*graph), (IndexTermsReport{2, 3, 3, 3}));
  EXPECT_EQ(Terms(graph->snapshot(), "a"), "cat:1 dog:1");
  EXPECT_EQ(Terms(graph->snapshot(), "b"), "");

  WriteBatch third(3);
  third.RemoveNode(third.Node("a"));
  Apply(*graph, third);
  EXPECT_EQ(Index(*graph), (IndexTermsReport{1, 0, 0, 0}));
}

TEST(TermIndex, SinceAndSubsetLookAtNothingElse) {
  auto graph = Graph::InMemory();
  WriteBatch first(1);
  SetText(first, "a", "one");
  SetText(first, "b", "two");
  Apply(*graph, first);
  const NodeId first_only[] = {*graph->snapshot().Find("b")};
  const NodeSubset first_subset = *NodeSubset::Of(graph->snapshot(), first_only);
  IndexTermsOptions without_a;
  without_a.subset = &first_subset;
  EXPECT_EQ(Index(*graph, without_a), (IndexTermsReport{1, 1, 1, 0}));
  const Snapshot before = graph->snapshot();
  WriteBatch second(2);
  SetText(second, "b", "three");
  SetText(second, "c", "four");
  Apply(*graph, second);
  IndexTermsOptions since;
  since.since = &before;
  EXPECT_EQ(Index(*graph, since), (IndexTermsReport{3, 3, 3, 1}));  // "a" had none yet
  const Snapshot after = graph->snapshot();
  IndexTermsOptions later;
  later.since = &after;
  EXPECT_EQ(Index(*graph, later), IndexTermsReport());
}

TEST(TermIndex, ErrorsAndCancelEndTheWork) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  SetText(batch, "a", "one");
  Apply(*graph, batch);
  const auto refused = IndexTerms(graph->snapshot(), {}, [](const WriteBatch&) -> Status {
    return Fail(ErrorCode::kReadOnly, "no");
  });
  EXPECT_EQ(refused.error().code, ErrorCode::kReadOnly);
  struct Stop : Progress {
    bool Report(std::string_view, std::uint64_t, std::uint64_t) override { return false; }
  } stop;
  IndexTermsOptions options;
  options.progress = &stop;
  EXPECT_EQ(IndexTerms(graph->snapshot(), options, [](const WriteBatch&) { return Status(); })
                .error()
                .code,
            ErrorCode::kCancelled);
  EXPECT_EQ(Index(*Graph::InMemory()), IndexTermsReport());
}

TEST(TermIndex, ABudgetStopsBetweenWaves) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  for (int i = 0; i < 1500; ++i) SetText(batch, "n" + std::to_string(i), "word");
  Apply(*graph, batch);
  std::atomic<bool> stop = true;
  IndexTermsOptions options;
  options.run.budget.cancel = &stop;
  EXPECT_EQ(Index(*graph, options), (IndexTermsReport{.truncated = true}));
  stop = false;
  struct StopAfterOne : Progress {
    explicit StopAfterOne(std::atomic<bool>& flag) : stop(flag) {}
    bool Report(std::string_view, std::uint64_t, std::uint64_t) override { return stop = true; }
    std::atomic<bool>& stop;
  } after(stop);
  options.progress = &after;
  EXPECT_EQ(Index(*graph, options), (IndexTermsReport{1024, 1024, 1024, 0, true}));
  EXPECT_EQ(Index(*graph), (IndexTermsReport{1500, 476, 476, 0, false}));
}

TEST(TermIndex, LongTextsEndAWave) {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  for (int i = 0; i < 100; ++i)
    SetText(batch, "n" + std::to_string(i), "word and another" + std::to_string(i));
  Apply(*graph, batch);
  struct Count : Progress {
    bool Report(std::string_view, std::uint64_t done, std::uint64_t) override {
      EXPECT_GT(done, last);
      last = done;
      ++reports;
      return true;
    }
    std::uint64_t last = 0;
    int reports = 0;
  };
  const auto reports = [&](std::size_t wave_bytes) {
    Count count;
    IndexTermsOptions options;
    options.run.executor = &SerialExecutor();
    options.progress = &count;
    options.wave_bytes = wave_bytes;
    std::uint64_t batches = 0;
    options.batch_ops = 1;
    const auto report = IndexTerms(graph->snapshot(), options, [&](const WriteBatch&) {
      ++batches;
      // A batch is handed out before texts beyond the wave are looked at.
      EXPECT_LE(batches, count.last + std::max<std::size_t>(wave_bytes / 16, 1) + 1);
      return Status();
    });
    EXPECT_TRUE(report);
    EXPECT_EQ(report->texts, 100u);
    EXPECT_EQ(batches, 101u);  // the last one records that all is done
    return count.reports;
  };
  EXPECT_EQ(reports(1), 100);
  EXPECT_EQ(reports(40), 34);  // three texts of 17 or 18 bytes reach it
  EXPECT_EQ(reports(1 << 20), 1);
}

TEST(TermIndex, ThreadsAndBatchesChangeNothing) {
  std::vector<std::string> keys;
  for (const auto& executor : testing::Executors())
    for (const auto& [ops, wave] : {std::pair<std::size_t, std::size_t>{10, 1 << 25},
                                    {1 << 18, 1 << 25},
                                    {1 << 18, 1},
                                    {100, 700}}) {
      auto graph = Graph::InMemory();
      std::mt19937_64 random(3);
      WriteBatch batch(1);
      for (int i = 0; i < 3000; ++i) {
        std::string text;
        for (int word = 0; word < 8; ++word) text += "w" + std::to_string(random() % 500) + " ";
        SetText(batch, "n" + std::to_string(i), text);
      }
      Apply(*graph, batch);
      IndexTermsOptions options;
      options.run.executor = executor.executor.get();
      options.batch_ops = ops;
      options.wave_bytes = wave;
      Index(*graph, options);
      std::vector<std::string> now;
      const Snapshot s = graph->snapshot();
      for (NodeId v = 0; v < s.node_count(); ++v) now.emplace_back(s.key(v));
      if (keys.empty()) keys = now;
      EXPECT_EQ(now, keys) << executor.name;
    }
}

}  // namespace
}  // namespace plexus
