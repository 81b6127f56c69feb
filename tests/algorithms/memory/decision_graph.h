// The graph of MEMORY.md's checks D: ten decisions, and turns beside them.
#pragma once

#include <cstdint>
#include <string>

#include "algorithms/memory/decisions/decisions.h"
#include "engine/vocabulary.h"
#include "tests/support/case_graph.h"

namespace plexus::testing {

inline constexpr std::int64_t kDay = 86'400'000;
inline constexpr std::int64_t kDecisionsNow = 1'700'000'000'000;

inline memory::DecisionOptions At(std::int64_t now) { return {.now_ms = now}; }

// d1 is node 0, d10 node 9.
inline void FillDecisions(CaseGraph& g, bool turns) {
  g.AddNodes(10, builtin::kDecision);
  const auto link = [&](int a, EdgeKindId kind, int b) {
    g.Link(static_cast<std::size_t>(a - 1), kind, static_cast<std::size_t>(b - 1));
  };
  link(2, builtin::kDependsOn, 1);
  link(3, builtin::kDependsOn, 1);
  link(4, builtin::kDependsOn, 2);
  link(5, builtin::kRefines, 2);
  link(6, builtin::kSupersedes, 5);
  link(1, builtin::kContradicts, 7);
  link(8, builtin::kBlocks, 3);
  link(9, builtin::kDependsOn, 10);
  link(10, builtin::kDependsOn, 9);
  link(1, builtin::kCauses, 7);
  const int days[] = {40, 40, 20, 20, 20, 10, 40, 1, 40, 40};
  for (std::size_t d = 0; d < 10; ++d)
    g.SetI64(d, builtin::kCreatedAt, kDecisionsNow - days[d] * kDay);
  g.SetString(0, builtin::kDecisionOutcome, "success");
  g.SetString(5, builtin::kDecisionOutcome, "success");
  g.SetString(6, builtin::kDecisionOutcome, "failure");
  g.SetString(1, builtin::kDecisionOutcome, "pending");
  if (turns) g.AddNodes(10, builtin::kTurn);
  g.Commit();
}

// A random graph of decisions: chains, cycles, diamonds, hubs, expired and future edges, ends that
// are removed, outcomes.
Case RandomDecisions(std::uint64_t seed);

}  // namespace plexus::testing
