// TileSpmv: the matrix-vector product of one block of PageRankTiles.
#pragma once

#include "algorithms/pagerank/internal/tile_layout.h"

namespace plexus::pagerank::internal {

// sums[i] = sum over the arcs u -> block.begin + i of values[position of u], times their weights
// if the tiles have any. Up to eight terms are added as Real, float or double, in a tree; what
// comes of that as f64, in one order. `sums`: block.end - block.begin of them.
template <class Real, class Value>
void TileSpmv(const PageRankTiles& tiles, const PageRankTiles::Block& block, const Value* values,
              double* sums);

}  // namespace plexus::pagerank::internal
