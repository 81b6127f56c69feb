// HnswGraph: a graph of near neighbours over copies of vectors, by hnswlib.
//
// The wall around that library: its header is included in one .cc. Distances are computed by our
// kernels, at the level of the machine (its own are chosen when it is compiled, and a program for
// all machines would have the scalar ones): 1 - cosine of unit vectors, 1 - product, or the squared
// distance. f32; what is not finite counts as the largest.
//
// Deterministic: levels come from the seed and one thread adds, so the same rows in the same order
// give the same graph at one instruction level. Search is const and thread-safe; Add excludes it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/schema.h"

namespace plexus::retrieval::internal {

struct HnswOptions {
  std::uint32_t dimensions = 0;
  Metric metric = Metric::kCosine;
  std::uint32_t links = 16;         // a node has at most so many, twice as many on the lowest level
  std::uint32_t build_width = 200;  // candidates kept while a row is added
  std::uint64_t seed = 1;
  SimdLevel level = SimdLevel::kBest;
};

class HnswGraph {
 public:
  explicit HnswGraph(const HnswOptions& options);  // throws std::bad_alloc
  ~HnswGraph();
  HnswGraph(const HnswGraph&) = delete;
  HnswGraph& operator=(const HnswGraph&) = delete;

  // Room for so many vectors, and for a quarter more than there are where it grows. Throws
  // std::bad_alloc, and nothing changed. Excludes Search, as Add does.
  void Reserve(std::size_t count);
  // A vector under a name of its own. After an error the graph REQUIRES to be thrown away.
  // kResourceExhausted: no memory.
  Status Add(const float* values, std::uint32_t name);
  // Names of about the `width` nearest, nearest first; fewer where there are fewer. Throws
  // std::bad_alloc.
  Result<std::vector<std::uint32_t>> Search(const float* query, std::size_t width) const;

  std::size_t size() const;
  std::uint64_t size_bytes() const;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace plexus::retrieval::internal
