// The cut of a history into a ledger and what comes later, and the rankings over it.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "algorithms/memory/ledger/ledger.h"
#include "bench/frontier_eval/dataset.h"
#include "bench/frontier_eval/rankings.h"
#include "bench/frontier_eval/report.h"
#include "engine/vocabulary.h"

namespace plexus::bench {
using namespace builtin;
namespace {

using Strings = std::vector<std::string>;

// Four older commits and two newer ones.
History Sample() {
  History history;
  history.paths = {"db/log.cc", "db/log.h", "util/queue.cc", "README", "new.cc"};
  const auto commit = [&](std::int64_t second, const char* subject,
                          std::vector<std::uint32_t> files) {
    history.commits.push_back({second * 1000, "author", subject, std::move(files)});
  };
  commit(0, "Writer flushes", {0, 1});
  commit(10, "Queue of WRITERS, flushes", {2});
  commit(20, "Words about it", {3});
  commit(200'000, "Log again", {0});
  commit(200'010, "Everything", {0, 2, 3, 4});
  commit(200'020, "Header", {0, 1});
  return history;
}

TEST(FrontierEval, TheOlderPartIsALedger) {
  const Dataset data = Cut(Sample(), 0.67);
  EXPECT_EQ(data.files, Strings({"db/log.cc", "db/log.h", "util/queue.cc", "README"}));
  EXPECT_EQ(data.train_commits, 4u);
  EXPECT_EQ(data.events, (std::vector<FileSet>{{0, 1}, {2}, {3}, {0}}));
  EXPECT_EQ(data.tags[0], Strings({"db", "log"}));
  EXPECT_EQ(data.tags[2], Strings({"queue", "util"}));
  EXPECT_EQ(data.tags[3], Strings({"README"}));
  EXPECT_EQ(data.terms[1], Strings({"flushes", "writer"}));
  // Of commits within a day of each other.
  EXPECT_EQ(data.edges,
            (std::set<std::pair<std::uint32_t, std::uint32_t>>{{0, 2}, {1, 2}, {2, 3}}));
  EXPECT_EQ(data.later, (std::vector<FileSet>{{0, 2, 3}, {0, 1}}));

  const std::vector<bool> all(4, true);
  EXPECT_EQ(FirstTogether(data, all, 2), (std::set<FileSet>{{0, 2}, {0, 3}, {2, 3}}));
  EXPECT_EQ(FirstTogether(data, all, 3), (std::set<FileSet>{{0, 2, 3}}));
  EXPECT_EQ(FirstTogether(data, {true, true, true, false}, 2), (std::set<FileSet>{{0, 2}}));

  const auto graph = MakeLedger(data);
  const Snapshot snapshot = graph->snapshot();
  for (NodeId file = 0; file < 4; ++file) EXPECT_EQ(snapshot.key(file), data.files[file]);
  EXPECT_TRUE(snapshot.FindEdge(0, kTemporal, 2));
}

TEST(FrontierEval, DeadEndsAreOutcomes) {
  History history;
  history.paths = {"a", "b", "c"};
  const auto commit = [&](std::int64_t second, const char* subject,
                          std::vector<std::uint32_t> files) {
    history.commits.push_back({second * 1000, "author", subject, std::move(files)});
  };
  commit(0, "Fast path", {0, 1});
  commit(10, "Other", {1, 2});
  commit(200'000, "Revert \"Fast path\"", {0, 1});
  commit(200'010, "Revert \"what nobody knows\"", {2});
  const Dataset data = Cut(history, 1.0);
  EXPECT_EQ(data.reverted, (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(data.changed_again, (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(memory::LedgerIndex::Of(MakeLedger(data)->snapshot()).value()->member_outcomes(0), 0u);
  const auto graph = MakeLedger(data, DeadEnds::kReverted);
  const auto ledger = memory::LedgerIndex::Of(graph->snapshot()).value();
  EXPECT_NE(ledger->member_outcomes(0), 0u);
  EXPECT_EQ(ledger->member_outcomes(0) & memory::kOtherOutcome, 0u);
  EXPECT_EQ(ledger->member_outcomes(2), 0u);
}

TEST(FrontierEval, IntervalsHoldWhatWasCounted) {
  // The first of both lists is a hit; the second list ends early.
  std::vector<Ranking> rankings = {{"long", {}}, {"short", {{1, {0, 1, 0}}}}};
  for (std::uint32_t file = 1; file < 40; ++file) rankings[0].sets.push_back({1, {0, file, 0}});
  const Evaluation measured = Measure(rankings, {{0, 1}, {0, 2}}, 40, 2);
  EXPECT_EQ(measured.rankings[0].hits, (std::array<std::size_t, 2>{2, 2}));
  EXPECT_EQ(measured.rankings[0].listed, (std::array<std::size_t, 2>{39, 39}));
  EXPECT_EQ(measured.rankings[1].hits[0], 1u);
  EXPECT_EQ(measured.rankings[0].behind[0].low, 0);
  EXPECT_EQ(measured.rankings[0].behind[0].high, 0);
  EXPECT_LE(measured.rankings[0].sure[0].low, 2);
  EXPECT_GE(measured.rankings[0].sure[0].high, 2);
  EXPECT_LT(measured.rankings[0].sure[0].high, 12);
}

TEST(FrontierEval, RankingsLookAtEverySet) {
  const Dataset data = Cut(Sample(), 0.67);
  std::size_t candidates = 0;
  const auto pairs = RankAll(data, {0, 1, 2, 3}, 2, 10, candidates);
  EXPECT_EQ(candidates, 5u);  // of 6 pairs, one is composed
  ASSERT_EQ(pairs.size(), 10u);
  for (const Ranking& ranking : pairs)
    if (ranking.name == "surface") {
      // "flushes" alone is shared: by both of db/ with util/queue.cc. queue is a boundary tag.
      ASSERT_EQ(ranking.sets.size(), 2u);
      EXPECT_EQ(ranking.sets[0].files, (std::array<std::uint32_t, 3>{1, 2, 0}));
      const double bridge = 0.30 + 0.25 / 4 + 0.15;
      EXPECT_NEAR(ranking.sets[0].score, 0.25 + 2 * bridge + 1.5 * 0.5 + 0.5, 1e-12);
    }
  const auto triples = RankAll(data, {0, 1, 2, 3}, 3, 10, candidates);
  EXPECT_EQ(candidates, 4u);
  for (const Ranking& ranking : triples)
    if (ranking.name == "surface") {
      EXPECT_EQ(ranking.sets.size(), 1u);
    }
}

}  // namespace
}  // namespace plexus::bench
