// The graph of MEMORY.md's checks D: ten decisions, and turns beside them.
#pragma once

#include <cstdint>
#include <string>

#include "engine/vocabulary.h"
#include "tests/support/case_graph.h"

namespace plexus::testing {

inline constexpr std::int64_t kDay = 86'400'000;
inline constexpr std::int64_t kDecisionsNow = 1'700'000'000'000;

// d1 is node 0, d10 node 9.
inline void FillDecisions(CaseGraph& g, bool turns) {
  g.AddNodes(10, kDecision);
  const auto link = [&](int a, EdgeKindId kind, int b) {
    g.Link(static_cast<std::size_t>(a - 1), kind, static_cast<std::size_t>(b - 1));
  };
  link(2, kDependsOn, 1);
  link(3, kDependsOn, 1);
  link(4, kDependsOn, 2);
  link(5, kRefines, 2);
  link(6, kSupersedes, 5);
  link(1, kContradicts, 7);
  link(8, kBlocks, 3);
  link(9, kDependsOn, 10);
  link(10, kDependsOn, 9);
  link(1, kCauses, 7);
  const int days[] = {40, 40, 20, 20, 20, 10, 40, 1, 40, 40};
  for (std::size_t d = 0; d < 10; ++d) g.SetI64(d, kCreatedAt, kDecisionsNow - days[d] * kDay);
  g.SetString(0, kDecisionOutcome, "success");
  g.SetString(5, kDecisionOutcome, "success");
  g.SetString(6, kDecisionOutcome, "failure");
  g.SetString(1, kDecisionOutcome, "pending");
  if (turns) g.AddNodes(10, kTurn);
  g.Commit();
}

// A random graph of decisions: chains, cycles, diamonds, hubs, expired and future edges, ends that
// are removed, outcomes.
Case RandomDecisions(std::uint64_t seed);

}  // namespace plexus::testing
