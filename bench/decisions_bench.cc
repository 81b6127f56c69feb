// Questions of 1,000,000 decisions with 3,000,000 edges, and 64 turns beside each thousand of them.
//
// Edges lead from a decision to an older one, half of them to one of the 1,000 before it:
// depends_on (half), refines, causes from the older one, supports, relates_to, contradicts (one in
// 64); one decision in 50,000 waits in a cycle. Two of three have an outcome. The newest tenth,
// none of which has one, is a chain: each depends on the one before.
//
// Figures are processor time of the calling thread, as other work may share the machine. Verified:
// scores against their equation, hops of the chain, the guardrail's verdicts, the order of the
// queue, salience against PageRank.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "algorithms/memory/decisions/decisions.h"
#include "algorithms/pagerank/pagerank.h"
#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus::bench {
namespace {

constexpr std::int64_t kDay = 86'400'000;
constexpr std::int64_t kNow = kBenchTime + 400 * kDay;
constexpr NodeId kStep = 1 << 15;

struct Ledger {
  std::unique_ptr<Graph> graph = Graph::InMemory();
  NodeId decisions = 0, chain = 0;  // the chain: the last of the decisions
  Snapshot snapshot;
  NodeId first_of_chain() const { return decisions - chain; }
};

void AddDecisions(Ledger& ledger) {
  const char* const outcomes[] = {"success", "failure", "partial"};
  for (NodeId first = 0; first < ledger.decisions; first += kStep) {
    WriteBatch batch(kBenchTime);
    for (NodeId v = first; v < std::min(ledger.decisions, first + kStep); ++v) {
      const NodeRef node = batch.UpsertNode("decision " + std::to_string(v), builtin::kDecision);
      batch.SetI64(node, builtin::kCreatedAt, kBenchTime + 365 * kDay * v / ledger.decisions);
      if (v < ledger.first_of_chain() && v % 3 != 0)
        batch.SetString(node, builtin::kDecisionOutcome, outcomes[v / 3 % 3]);
    }
    Must(ledger.graph->Apply(batch), "adding decisions");
  }
  for (NodeId first = 0; first < ledger.decisions; first += kStep) {  // ids of decisions stand
    WriteBatch batch(kBenchTime);
    for (NodeId v = first; v < std::min(ledger.decisions, first + kStep); ++v) {
      batch.Link(NodeRef::Id(v), builtin::kHasTag,
                 batch.IndexNode(builtin::kTag, "topic " + std::to_string(v / 16)));
      batch.Link(
          NodeRef::Id(v), builtin::kHasTag,
          batch.IndexNode(builtin::kTag, "area " + std::to_string(v % (ledger.decisions / 8 + 1))));
    }
    Must(ledger.graph->Apply(batch), "adding tags");
  }
}

void AddEdges(Ledger& ledger) {
  std::mt19937_64 random(5);
  const std::uint64_t edges = std::uint64_t{3} * ledger.decisions;
  std::uint64_t done = 0;
  while (done < edges) {
    WriteBatch batch(kBenchTime);
    for (int i = 0; i < (1 << 18) && done < edges; ++done, ++i) {
      const auto source = static_cast<NodeId>(1 + random() % (ledger.decisions - 1));
      const NodeId reach = random() % 2 == 0 ? std::min<NodeId>(source, 1000) : source;
      auto target = static_cast<NodeId>(source - 1 - random() % reach);
      NodeRef from = NodeRef::Id(source), to = NodeRef::Id(target);
      if (source % 50'000 == 0) std::swap(from, to);  // an older one waits for it, too
      const auto weight = static_cast<float>(1 + random() % 4) / 4;
      switch (random() % 64) {
        case 0:
          batch.Link(from, builtin::kContradicts, to, weight);
          break;
        case 1 ... 31:
          batch.Link(from, builtin::kDependsOn, to, weight);
          break;
        case 32 ... 41:
          batch.Link(from, builtin::kRefines, to, weight);
          break;
        case 42 ... 47:
          batch.Link(to, builtin::kCauses, from, weight);
          break;
        case 48 ... 55:
          batch.Link(to, builtin::kSupports, from, weight);
          break;
        default:
          batch.Link(from, builtin::kRelatesTo, to, weight);
      }
    }
    Must(ledger.graph->Apply(batch), "adding edges");
  }
  WriteBatch batch(kBenchTime);
  for (NodeId v = ledger.first_of_chain() + 1; v < ledger.decisions; ++v)
    batch.Link(NodeRef::Id(v), builtin::kDependsOn, NodeRef::Id(v - 1), 1);
  for (NodeId v = 0; v < ledger.decisions / 16; ++v)
    batch.UpsertNode("turn " + std::to_string(v), builtin::kTurn);
  Must(ledger.graph->Apply(batch), "adding a chain");
}

Ledger& TheLedger() {
  static Ledger* const made = [] {
    auto* const ledger = new Ledger;
    ledger->decisions = static_cast<NodeId>(Size("PLEXUS_BENCH_DECISIONS", 1'000'000, 20'000));
    ledger->chain = ledger->decisions / 10;
    AddDecisions(*ledger);
    AddEdges(*ledger);
    Must(ledger->graph->Compact(), "compacting");
    ledger->snapshot = ledger->graph->snapshot();
    return ledger;
  }();
  return *made;
}
memory::DecisionOptions Now() { return {.now_ms = kNow, .run = {.executor = &ExecutorOf(1)}}; }

// The least and the median processor time of fn().
template <class Fn>
void Time(benchmark::State& state, const Fn& fn) {
  std::vector<double> each;
  for (auto _ : state) {
    const double before = ThreadSeconds();
    fn();
    each.push_back(ThreadSeconds() - before);
  }
  state.counters["cpu_least"] = std::ranges::min(each);
  state.counters["cpu_median"] = Median(each);
}

// Every score is what its equation says, to a tolerance of the sum of what is wrong.
void CheckSalience(const Snapshot& s, const memory::SalienceResult& result, double tolerance) {
  const double d = 0.85;
  const EdgeKindId kinds[] = {builtin::kDependsOn, builtin::kRefines, builtin::kCauses,
                              builtin::kSupports};
  const ArcFilter filter = ArcFilter::Kinds(s.schema(), kinds).ValidAt(kNow);
  const auto decision = [&](NodeId v) { return s.node_kind(v) == builtin::kDecision; };
  std::vector<double> strength(s.node_count()), want(s.node_count());
  const auto each = [&](auto&& fn) {
    s.ScanArcs(Direction::kOut, 0, s.node_count(), filter, [&](NodeId row, const Arc& arc) {
      if (!decision(row) || !decision(arc.neighbor)) return;
      const bool back = arc.kind == builtin::kCauses || arc.kind == builtin::kSupports;
      fn(back ? arc.neighbor : row, back ? row : arc.neighbor, static_cast<double>(arc.weight));
    });
  };
  each([&](NodeId from, NodeId, double weight) { strength[from] += weight; });
  double dangling = 0, sum = 0, wrong = 0;
  for (NodeId v = 0; v < s.node_count(); ++v) {
    sum += result.scores[v];
    if (decision(v) && strength[v] == 0) dangling += result.scores[v];
  }
  each([&](NodeId from, NodeId to, double weight) {
    want[to] += d * result.scores[from] * weight / strength[from];
  });
  const auto count = static_cast<double>(result.nodes.count());
  for (NodeId v = 0; v < s.node_count(); ++v)
    if (decision(v)) wrong += std::abs(want[v] + (1 - d + d * dangling) / count - result.scores[v]);
  Require(std::abs(sum - 1) < 1e-9, "salience: the sum of scores");
  Require(wrong < tolerance, "salience: the equation");
}

void DecisionsSalience(benchmark::State& state) {
  const Ledger& ledger = TheLedger();
  memory::SalienceResult result;
  Time(state,
       [&] { result = Must(memory::Salience(ledger.snapshot, {.decisions = Now()}), "salience"); });
  state.counters["cycles"] = static_cast<double>(result.cycles.size());
  CheckSalience(ledger.snapshot, result, 1e-10);
}
BENCHMARK(DecisionsSalience)->Unit(benchmark::kMillisecond);

// A new decision with three edges.
Snapshot AfterAnAppend(const Ledger& ledger) {
  WriteBatch batch(kBenchTime);
  const NodeRef added = batch.UpsertNode("a new decision", builtin::kDecision);
  for (const NodeId target : {NodeId{7}, ledger.decisions / 2, ledger.decisions - 1})
    batch.Link(added, builtin::kDependsOn, NodeRef::Id(target));
  return Must(Preview(ledger.snapshot, batch), "a preview").snapshot;
}

void DecisionsSalienceAfterAnAppend(benchmark::State& state) {
  const Snapshot after = AfterAnAppend(TheLedger());
  memory::SalienceResult result;
  Time(state, [&] { result = Must(memory::Salience(after, {.decisions = Now()}), "salience"); });
  CheckSalience(after, result, 1e-10);
}
BENCHMARK(DecisionsSalienceAfterAnAppend)->Unit(benchmark::kMillisecond);

// The same scores by iteration, from nothing and from those before the append, without percentiles
// and cycles.
void DecisionsPageRank(benchmark::State& state) {
  const Ledger& ledger = TheLedger();
  const Snapshot after = AfterAnAppend(ledger);
  const NodeSubset decisions = Must(memory::Decisions(after), "decisions");
  pagerank::PageRankOptions options;
  options.tolerance = 1e-12;
  options.filter.kinds = {builtin::kDependsOn, builtin::kRefines, builtin::kCauses,
                          builtin::kSupports};
  options.filter.valid_at = kNow;
  options.filter.subset = &decisions;
  options.reversed = {builtin::kCauses, builtin::kSupports};
  options.run.executor = &ExecutorOf(1);
  const memory::SalienceResult before =
      Must(memory::Salience(ledger.snapshot, {.decisions = Now()}), "salience");
  pagerank::PageRankResult result;
  Time(state, [&] {
    result = Must(state.range(0) == 0
                      ? pagerank::PageRank(after, options)
                      : pagerank::RefreshPageRank(after, {.scores = before.scores}, options),
                  "PageRank");
  });
  state.counters["iterations"] = result.iterations;
  const memory::SalienceResult want =
      Must(memory::Salience(after, {.decisions = Now()}), "salience");
  double apart = 0;
  for (NodeId v = 0; v < after.node_count(); ++v)
    apart += std::abs(result.scores[v] - want.scores[v]);
  Require(apart < 1e-10, "PageRank and salience");
}
BENCHMARK(DecisionsPageRank)->ArgName("refresh")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void DecisionsBlocked(benchmark::State& state) {
  const Ledger& ledger = TheLedger();
  memory::BlockedChainsResult result;
  Time(state, [&] {
    result = Must(memory::BlockedChains(ledger.snapshot, {.decisions = Now()}), "blocked");
  });
  state.counters["blocked"] = static_cast<double>(result.blocked.size());
  Require(result.Find(ledger.decisions - 1) != nullptr, "blocked: the end of the chain");
}
BENCHMARK(DecisionsBlocked)->Unit(benchmark::kMillisecond);

// The chain alone, and its steps.
void DecisionsBlockedChain(benchmark::State& state) {
  const Ledger& ledger = TheLedger();
  const auto graph = Graph::InMemory();
  WriteBatch batch(kBenchTime);
  for (NodeId v = 0; v < ledger.chain; ++v)
    batch.UpsertNode("d" + std::to_string(v), builtin::kDecision);
  Must(graph->Apply(batch), "adding nodes");
  WriteBatch links(kBenchTime);
  for (NodeId v = 1; v < ledger.chain; ++v)
    links.Link(NodeRef::Id(v), builtin::kDependsOn, NodeRef::Id(v - 1));
  Must(graph->Apply(links), "adding links");
  Must(graph->Compact(), "compacting");
  const Snapshot s = graph->snapshot();
  memory::BlockedChainsResult result;
  std::vector<memory::ChainStep> steps;
  Time(state, [&] {
    result = Must(memory::BlockedChains(s, {.decisions = Now()}), "blocked");
    steps = Must(memory::ChainOf(s, result, ledger.chain - 1, kNow, ledger.chain), "a chain");
  });
  Require(result.blocked.size() == ledger.chain - 1, "chain: number of blocked decisions");
  Require(result.blocked.back().root == 0 && result.blocked.back().hops == ledger.chain - 1,
          "chain: its root");
  Require(steps.size() == ledger.chain - 1, "chain: its steps");
}
BENCHMARK(DecisionsBlockedChain)->Unit(benchmark::kMillisecond);

// Whether a new decision may contradict an old one: seed 4's rule, one that looks at what is
// removed, and one that asks for what is active. Salience is that of the stored graph, which a
// host has.
void DecisionsGuardrail(benchmark::State& state) {
  const Ledger& ledger = TheLedger();
  const memory::SalienceResult salience =
      Must(memory::Salience(ledger.snapshot, {.decisions = Now()}), "salience");
  const std::vector<NodeId> nodes = salience.nodes.ToList();
  const NodeId salient =
      *std::ranges::max_element(nodes, {}, [&](NodeId v) { return salience.percentiles[v]; });
  const std::vector<memory::GuardrailRule> rules = {
      {.name = "salient",
       .kinds = {builtin::kContradicts},
       .target = {.active = true, .salience_above = 0.7},
       .message = "This contradicts {target}."},
      {.name = "removed",
       .does = memory::ProposalDoes::kRemoves,
       .target = {.salience_above = 0.7},
       .message = "{target} is removed."},
      {.name = "unlinked",
       .does = memory::ProposalDoes::kUnlinks,
       .kinds = {builtin::kDependsOn},
       .target = {.active = true},
       .action = memory::RuleAction::kWarn,
       .message = "{target} holds {other} no more."}};
  WriteBatch batch(kBenchTime);
  const NodeRef added = batch.UpsertNode("a new decision", builtin::kDecision);
  batch.Link(added, builtin::kContradicts, NodeRef::Id(salient));
  memory::GuardrailResult result;
  double preview_cpu = 0;
  memory::GuardrailOptions options{.decisions = Now(), .salience = &salience};
  Time(state, [&] {
    const double before = ThreadSeconds();
    const PreviewResult preview = Must(Preview(ledger.snapshot, batch), "a preview");
    preview_cpu = ThreadSeconds() - before;
    result = Must(memory::CheckGuardrails(ledger.snapshot, preview, rules, options), "a check");
  });
  state.counters["cpu_preview"] = preview_cpu;
  Require(!result.allowed && result.hits.size() == 1 && result.hits[0].target == salient,
          "guardrail: the verdict");
}
BENCHMARK(DecisionsGuardrail)->Unit(benchmark::kMillisecond);

void DecisionsQueue(benchmark::State& state) {
  const Ledger& ledger = TheLedger();
  memory::WorkQueueOptions options{.decisions = Now()};
  options.frontier = static_cast<std::size_t>(state.range(0));
  memory::WorkQueueResult result;
  Time(state, [&] { result = Must(memory::WorkQueue(ledger.snapshot, options), "the queue"); });
  state.counters["items"] = static_cast<double>(result.total);
  Require(result.items.size() == options.top, "queue: its length");
  for (std::size_t i = 1; i < result.items.size(); ++i)
    Require(result.items[i - 1].score >= result.items[i].score, "queue: its order");
}
BENCHMARK(DecisionsQueue)->ArgName("frontier")->Arg(0)->Arg(5)->Unit(benchmark::kMillisecond);

void DecisionsCompaction(benchmark::State& state) {
  const Ledger& ledger = TheLedger();
  memory::CompactionResult result;
  Time(state, [&] {
    result =
        Must(memory::CompactionTiers(ledger.snapshot, {.salience = {.decisions = Now()}}), "tiers");
  });
  Require(result.entries.size() == ledger.decisions, "compaction: number of decisions");
}
BENCHMARK(DecisionsCompaction)->Unit(benchmark::kMillisecond);

void DecisionsContradictions(benchmark::State& state) {
  const Ledger& ledger = TheLedger();
  memory::OpenConflictsResult result;
  Time(state,
       [&] { result = Must(memory::DecisionContradictions(ledger.snapshot, Now()), "conflicts"); });
  state.counters["conflicts"] = static_cast<double>(result.conflicts.size());
  Require(!result.conflicts.empty(), "contradictions: there are some");
}
BENCHMARK(DecisionsContradictions)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plexus::bench
