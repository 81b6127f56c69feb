// Never-composed pairs over Zipf tags: 1,000,000 facts with 20 tags each out of 100,000
// (drawn with probability 1 / rank), 200,000 events of 2 to 5 members, half of them
// members that share a tag, so that the mask hides some of the best pairs.
//
// Timed: index, mask and mining of the best 100 pairs, from the snapshot to the reply.
// Verified: every listed pair again from the graph (score, mask, order); on small sizes
// against all pairs; on large ones against all partners of some facts.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "algorithms/similarity/similarity.h"
#include "bench/graphs/random_graph.h"
#include "bench/graphs/zipf.h"
#include "bench/support.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus::bench {
namespace {

constexpr std::size_t kTagsOfAFact = 20;
constexpr NodeId kBruteForce = 4000;  // facts up to which all pairs are compared

struct Ledger {
  std::unique_ptr<Graph> graph;
  Snapshot snapshot;
  NodeId facts = 0;
  std::vector<std::vector<std::uint32_t>> tags;  // by fact: ranks, ascending
  std::vector<std::uint32_t> df;                 // by rank
  std::vector<double> weights;                   // by rank, 0 below a df of 2
  std::vector<std::set<std::uint32_t>> events;   // by fact
};

void AddTags(Ledger& ledger, std::size_t tag_count) {
  const Zipf zipf(tag_count);
  std::mt19937_64 random(1);
  ledger.tags.resize(ledger.facts);
  ledger.df.assign(tag_count, 0);
  constexpr NodeId kStep = 1 << 15;
  for (NodeId first = 0; first < ledger.facts; first += kStep) {
    WriteBatch batch(kBenchTime);
    std::map<std::uint32_t, NodeRef> refs;
    for (NodeId v = first; v < std::min(ledger.facts, first + kStep); ++v) {
      auto& mine = ledger.tags[v];
      while (mine.size() < kTagsOfAFact) {
        const auto rank = static_cast<std::uint32_t>(zipf(random));
        if (std::find(mine.begin(), mine.end(), rank) == mine.end()) mine.push_back(rank);
      }
      std::sort(mine.begin(), mine.end());
      for (std::uint32_t rank : mine) {
        ++ledger.df[rank];
        auto [at, added] = refs.try_emplace(rank);
        if (added) at->second = batch.IndexNode(builtin::kTag, "t" + std::to_string(rank));
        batch.Link(NodeRef::Id(v), builtin::kHasTag, at->second);
      }
    }
    Must(ledger.graph->Apply(batch), "adding tags");
  }
}

void AddEvents(Ledger& ledger, std::size_t count) {
  std::mt19937_64 random(2);
  // Facts by tag, rarest tags only, to draw members that have one in common.
  std::vector<std::vector<NodeId>> rare(ledger.df.size());
  for (NodeId v = 0; v < ledger.facts; ++v)
    for (std::uint32_t rank : ledger.tags[v])
      if (rank >= ledger.df.size() / 2) rare[rank].push_back(v);
  ledger.events.resize(ledger.facts);
  constexpr std::size_t kStep = 1 << 16;
  for (std::size_t first = 0; first < count; first += kStep) {
    WriteBatch batch(kBenchTime);
    for (std::size_t e = first; e < std::min(count, first + kStep); ++e) {
      const NodeRef event = batch.IndexNode(builtin::kEvent, "e" + std::to_string(e));
      const auto& pool = rare[ledger.df.size() / 2 + random() % (ledger.df.size() / 2)];
      const std::size_t members = 2 + random() % 4;
      for (std::size_t m = 0; m < members; ++m) {
        const bool related = e % 2 == 0 && !pool.empty();
        const auto v =
            related ? pool[random() % pool.size()] : static_cast<NodeId>(random() % ledger.facts);
        if (ledger.events[v].insert(static_cast<std::uint32_t>(e)).second)
          batch.Link(event, builtin::kMember, NodeRef::Id(v));
      }
    }
    Must(ledger.graph->Apply(batch), "adding events");
  }
}

const Ledger& TheLedger() {
  static const Ledger ledger = [] {
    Ledger made;
    made.graph = Graph::InMemory();
    made.facts = static_cast<NodeId>(Size("PLEXUS_BENCH_NODES", 1'000'000, 3000));
    AddNodes(*made.graph, made.facts);
    AddTags(made, static_cast<std::size_t>(Size("PLEXUS_BENCH_TAGS", 100'000, 500)));
    AddEvents(made, static_cast<std::size_t>(Size("PLEXUS_BENCH_EVENTS", 200'000, 600)));
    for (std::uint32_t df : made.df)
      made.weights.push_back(df < 2 ? 0.0 : 1.0 / std::log(1.0 + df));
    Must(made.graph->Compact(), "compacting");
    made.snapshot = made.graph->snapshot();
    return made;
  }();
  return ledger;
}

double Score(const Ledger& ledger, NodeId a, NodeId b) {
  const auto &x = ledger.tags[a], &y = ledger.tags[b];
  double score = 0;
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i] == y[j]) score += ledger.weights[x[i]];
    const bool left = x[i] <= y[j], right = y[j] <= x[i];
    i += left;
    j += right;
  }
  return score;
}

bool Together(const Ledger& ledger, NodeId a, NodeId b) {
  return std::any_of(ledger.events[a].begin(), ledger.events[a].end(),
                     [&](std::uint32_t e) { return ledger.events[b].contains(e); });
}

// No pair with one of `step`-th facts may beat the worst listed one and be missing.
void Verify(const Ledger& ledger, const similarity::FrontierResult& result, std::size_t top) {
  Require(!result.truncated, "frontier: ran to its end");
  if (!Require(result.sets.size() == top, "frontier: number of pairs")) return;
  std::set<std::pair<NodeId, NodeId>> listed;
  double before = 1e300;
  for (const similarity::FrontierSet& set : result.sets) {
    const NodeId a = set.members[0], b = set.members[1];
    Require(std::abs(set.score - Score(ledger, a, b)) < 1e-9, "frontier: score of a pair");
    Require(!Together(ledger, a, b), "frontier: a listed pair shares an event");
    Require(set.score <= before, "frontier: order");
    double shares = 0;
    for (const similarity::SharedNeighbor& t : set.shared) shares += t.share;
    Require(std::abs(shares - set.score) < 1e-9, "frontier: shares add up");
    Require(listed.emplace(a, b).second, "frontier: a pair twice");
    before = set.score;
  }
  const bool all = ledger.facts <= kBruteForce;
  const NodeId step = all ? 1 : ledger.facts / 20;
  for (NodeId a = 0; a < ledger.facts; a += step)
    for (NodeId b = all ? a + 1 : 0; b < ledger.facts; ++b)
      if (a != b && !listed.contains(std::minmax(a, b)) && Score(ledger, a, b) > before + 1e-9)
        Require(Together(ledger, a, b), "frontier: a better pair is missing");
}

void FrontierPairs(benchmark::State& state) {
  const Ledger& ledger = TheLedger();
  similarity::FrontierOptions options;
  options.top = 100;
  options.run.executor = &ExecutorOf(static_cast<int>(state.range(0)));
  similarity::FrontierResult result;
  for (auto _ : state) result = Must(similarity::Frontier(ledger.snapshot, options), "frontier");
  const auto wedges = static_cast<double>(result.wedges);
  state.counters["wedges"] = wedges;
  state.counters["compared"] = static_cast<double>(result.compared);
  state.counters["scored"] = static_cast<double>(result.scored);
  state.counters["pruned"] = 1.0 - static_cast<double>(result.scored) / wedges;
  Verify(ledger, result, options.top);
}
BENCHMARK(FrontierPairs)
    ->ArgName("threads")
    ->Arg(2)
    ->Arg(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plexus::bench
