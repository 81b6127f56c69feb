// The graphs that all kernels are asked of: a world of memories with everything in it, its changes,
// and the same state without what was derived of it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/graph.h"
#include "engine/snapshot.h"
#include "tests/support/memory_world.h"

namespace plexus::testing {

inline constexpr std::int64_t kKernelNow = kLedgerNow + 10;
inline constexpr std::uint32_t kKernelDimensions = 8;

// Some facts of every kernel graph.
inline const std::vector<NodeId> kFew = {1, 3, 5, 6, 8, 11, 14, 20, 21, 30, 33, 40};

class KernelWorld {
 public:
  KernelWorld(std::uint64_t seed, std::size_t facts, VectorElement element = VectorElement::kF32);

  // In an empty graph. Facts are nodes 0 to facts - 1, at least 48; spaces "default" and, with int8
  // codes, "narrow". The last of it is a delta.
  void Begin(Graph& graph);
  // Of each sort some changes, half of the vectors, an event and its label.
  void Change(Graph& graph);

 private:
  std::size_t facts_;
  VectorElement element_;
  MemoryWorld world_;
};

std::unique_ptr<Graph> MakeKernelGraph(std::uint64_t seed, std::size_t facts,
                                       const GraphOptions& options = {});

// The same state, with nothing derived of it or of its base.
Snapshot Bare(const Snapshot& s);

}  // namespace plexus::testing
