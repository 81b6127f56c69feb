// Works about walks from single starts over an agent graph, with its kinds.
//
// Every program that has some of them defines WalkWorks() for itself and calls it from main.
// Per start, answers are lists as peer.h has them, the start left out:
//   descendants, ancestors   who is at most kReachHops away along, or against, the arcs:
//                            count, then (id, hops) ... nearest first, ties by id
//   pattern                  who a walk "referential+ temporal" of at most kPatternHops leads
//                            to: count, then (id, fewest hops) ... as above
//   sum, min, noisy-or       the aggregates of algorithms/traversal/traversal.h over walks of at
//                            most kHops: count, then the kTraverseTop largest (id, score) ...
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "bench/peers/peer.h"

namespace plexus::peers {

// False when the work is another one.
bool WalkWorks(Peer& peer);

inline constexpr int kReachHops = 6, kPatternHops = 8;
inline constexpr std::uint8_t kManyKind = 13,
                              kLastKind = 12;  // referential, temporal: engine/vocabulary.h

inline constexpr std::array kWalkWorks = {"descendants", "ancestors", "pattern",
                                          "sum",         "min",       "noisy-or"};
inline bool IsWalkWork(const std::string& work) {
  return std::ranges::find(kWalkWorks, work) != kWalkWorks.end();
}

// The arcs of one kind; of a kind that is not symmetric.
inline Arcs ArcsOfKind(const std::string& folder, std::uint8_t kind) {
  Arcs arcs;
  arcs.nodes = ReadNumber<std::uint32_t>(folder + "/nodes.u32");
  const auto sources = ReadArray<std::uint32_t>(folder + "/sources.u32"),
             targets = ReadArray<std::uint32_t>(folder + "/targets.u32");
  const auto kinds = ReadArray<std::uint8_t>(folder + "/kinds.u8");
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == kind) {
      arcs.sources.push_back(sources[i]);
      arcs.targets.push_back(targets[i]);
    }
  return arcs;
}

// Lists of reaching: nearest first, ties by id.
inline void AppendNearest(std::vector<std::pair<int, std::uint32_t>> reached, Answer& answer) {
  std::sort(reached.begin(), reached.end());
  answer.push_back(static_cast<double>(reached.size()));
  for (const auto& [hops, node] : reached)
    answer.insert(answer.end(), {static_cast<double>(node), static_cast<double>(hops)});
}

}  // namespace plexus::peers
