// A world of memories, as kernels read it.
#include "tests/support/kernels/kernel_graph.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "algorithms/retrieval/terms.h"
#include "engine/compaction/run_compaction.h"
#include "engine/vocabulary.h"
#include "engine/writer/state_writer.h"

namespace plexus::testing {
using namespace builtin;

namespace {

constexpr Change kSorts[] = {Change::kFact,    Change::kEdge,        Change::kEdge,
                             Change::kTag,     Change::kTerm,        Change::kVector,
                             Change::kVector,  Change::kRetention,   Change::kSupersede,
                             Change::kEvent,   Change::kBareOutcome, Change::kDecision,
                             Change::kConcept, Change::kTurnTime,    Change::kSession,
                             Change::kFile,    Change::kTurnVector};

std::string Key(std::size_t i) { return "m" + std::to_string(i); }

// Whatever the seed: decisions that wait for and contradict each other, concepts that evoke
// episodes, memories that supersede and follow each other.
WriteBatch Relations(std::size_t facts) {
  WriteBatch batch(kLedgerNow);
  batch.set_links_revive(true);
  for (std::size_t i = 0; i < facts; ++i) {
    const NodeRef node = batch.Node(Key(i));
    const auto link = [&](EdgeKindId kind, std::size_t back) {
      if (i >= back) batch.Link(node, kind, batch.Node(Key(i - back)));
    };
    link(kSupports, 1 + i % 5);
    link(kTemporal, 1);
    if (i % 3 == 0) {
      batch.UpsertNode(node, kDecision);
      if (i % 2 == 0) batch.SetString(node, kDecisionOutcome, i % 4 == 0 ? "success" : "failure");
      link(kDependsOn, 9);
      if (i % 15 == 0) link(kContradicts, 6);
      if (i % 7 == 0) link(kBlocks, 3);
    } else if (i % 3 == 1) {
      batch.UpsertNode(node, kConcept);
      batch.SetF64(node, kArousalLevel, 0.5);
      batch.SetI64(node, kAccessedAt, kLedgerNow - 500);
      link(i % 2 == 0 ? kIsA : kPartOf, 6);
      if (i % 12 != 1) continue;
      const NodeRef episode = batch.UpsertNode("episode " + std::to_string(i), kEpisode);
      batch.SetPayload(episode, NodeField::kText, "what happened");
      batch.Link(node, kEvokes, episode);
    } else {
      link(i % 2 == 0 ? kContradicts : kSupersedes, 3);
    }
  }
  return batch;
}

void Apply(Graph& graph, WriteBatch batch) {
  const auto terms = retrieval::AddTerms(graph.snapshot(), {}, batch, &SerialExecutor());
  ASSERT_TRUE(terms) << terms.error().ToString();
  const auto applied = graph.Apply(batch);
  ASSERT_TRUE(applied) << applied.error().ToString();
}

}  // namespace

KernelWorld::KernelWorld(std::uint64_t seed, std::size_t facts, VectorElement element)
    : facts_(facts),
      element_(element),
      world_(seed, {.facts = facts,
                    .events = facts / 8,
                    .edges = 2 * facts,
                    .turns = facts / 4,
                    .groups = 4 + facts / 64,
                    .dimensions = kKernelDimensions,
                    .element = element}) {}

void KernelWorld::Begin(Graph& graph) {
  WriteBatch names(kLedgerNow);
  for (std::size_t i = 0; i < facts_; ++i) names.UpsertNode(Key(i));
  names.DefineSpace({"narrow", kKernelDimensions, Metric::kCosine, Prefilter::kInt8, element_});
  Apply(graph, std::move(names));
  Apply(graph, world_.First());
  Change(graph);
  EXPECT_TRUE(graph.Compact());
  Change(graph);
  Apply(graph, Relations(facts_));
  WriteBatch removals(kLedgerNow);
  for (std::size_t i = 48; i < facts_; i += 9) removals.RemoveNode(removals.Node(Key(i)));
  Apply(graph, std::move(removals));
}

void KernelWorld::Change(Graph& graph) {
  WriteBatch batch = world_.Next(kSorts, facts_ / 4);
  for (std::size_t i = 0; i < facts_ / 2; ++i)
    batch.SetVector(batch.Node(world_.Fact()), batch.SpaceNamed("narrow"), world_.Vector());
  // Kernels are asked of the first 48.
  if (facts_ > 48) batch.RemoveNode(batch.Node(Key(48 + world_.Below(facts_ - 48))));
  Apply(graph, std::move(batch));
  Apply(graph, world_.Recorded(graph.snapshot()));
  Apply(graph, world_.Labeled(graph.snapshot()));
}

std::unique_ptr<Graph> MakeKernelGraph(std::uint64_t seed, std::size_t facts,
                                       const GraphOptions& options) {
  auto graph = Graph::InMemory(options);
  KernelWorld(seed, facts).Begin(*graph);
  return graph;
}

Snapshot Bare(const Snapshot& s) {
  GraphState state = s.state();
  const auto base = CompactRuns(state, 0, SerialExecutor());
  EXPECT_TRUE(base);
  state.base = *base;
  return Snapshot(std::make_shared<const FrozenState>(std::move(state)));
}

}  // namespace plexus::testing
