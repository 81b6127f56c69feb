// Spmv: sparse matrix-vector product, y = A'x, one block of in-rows at a time, over the csr
// (CsrSpmv) or over a tiled layout (BaseTileSpmv).
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/parallel.h"
#include "engine/types.h"

namespace plexus::pagerank::internal {

class Spmv {
 public:
  virtual ~Spmv() = default;
  // Blocks follow each other without gaps.
  virtual std::size_t block_count() const = 0;
  // First row of a block; of block_count(): how many rows there are.
  virtual std::size_t first_row(std::size_t block) const = 0;
  virtual std::size_t max_rows() const = 0;  // of a block
  // Where Pull looks for the value of a node, node by node from the block's first row on;
  // null: at its number.
  virtual const std::uint32_t* positions(std::size_t block) const = 0;
  // Before a parallel loop over blocks, of which `at_once` may be at work at a time: what Pull
  // needs is taken from what was reserved.
  virtual void Reserve(const Executor& executor, std::size_t at_once) = 0;
  // At most so much are all sums together off, as a share of the sum of all absolute terms.
  virtual double Rounding() const = 0;
  // sums[i] = sum over the arcs u -> row i of the block of the value of u times the arc's weight.
  // Callable from several threads at once.
  virtual void Pull(std::size_t block, const float* values, double* sums) = 0;
  virtual void Pull(std::size_t block, const double* values, double* sums) = 0;
};

}  // namespace plexus::pagerank::internal
