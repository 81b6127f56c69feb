// BaseTileSpmv: row sums of a live graph over tiles of its base.
//
// A delta touches few rows. Tiles of the base stay as they are while edges are appended: the rows
// that the delta touches are listed with them and summed arc by arc, whatever the tiles hold for
// them. So what many refreshes of PageRank sweep over is made once, until the next compaction.
//
// Bits depend on the base, the live rows and the values: not on threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/pagerank/internal/csr_spmv.h"
#include "algorithms/pagerank/internal/tile_layout.h"
#include "engine/adjacency/csr.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::pagerank::internal {

// Tiles of all arcs of a base, kept as long as it lives, weighted and not apart. Null: tiles do not
// suit its shape. The first call makes them, O(arcs); two at once both do, since waiting under a
// lock for a parallel loop could wait for oneself. Thread-safe. May throw std::bad_alloc.
std::shared_ptr<const PageRankTiles> TilesOfBase(const std::shared_ptr<const Csr>& base,
                                                 bool weighted, Executor& executor);

class BaseTileSpmv final : public Spmv {
 public:
  // Of `rows`, whose `in` is what the tiles were made of. Empty: the rows that the delta touches
  // have more than `most_arcs`. O(delta), and their arcs. Keeps a reference to `rows`.
  static std::unique_ptr<BaseTileSpmv> Make(std::shared_ptr<const PageRankTiles> tiles,
                                            const LiveCsr& rows, bool weighted,
                                            std::uint64_t max_arcs, Executor& executor);

  std::size_t block_count() const override { return first_rows_.size() - 1; }
  std::size_t first_row(std::size_t block) const override { return first_rows_[block]; }
  std::size_t max_rows() const override { return max_rows_; }
  const std::uint32_t* positions(std::size_t block) const override {
    return tiles_->positions() && block < tiles_->blocks().size()
               ? tiles_->positions() + first_rows_[block]
               : nullptr;
  }
  void Reserve(const Executor&, std::size_t) override {}
  // A row in a tile: a tree of eight, one addition for every sixteen arcs, one for every tile. A
  // row apart: one for every arc of a chunk, one for every chunk.
  double Rounding() const override { return rounding_; }
  void Pull(std::size_t block, const float* values, double* sums) override {
    PullBlock(block, values, sums);
  }
  void Pull(std::size_t block, const double* values, double* sums) override {
    PullBlock(block, values, sums);
  }

 private:
  static constexpr std::size_t kChunk = 1024;  // arcs
  struct Term {
    std::uint32_t position;
    float weight;
  };
  struct DeltaRow {  // a row summed arc by arc
    NodeId row;
    std::uint64_t end;  // of its terms; they begin where those of the row before end
  };

  BaseTileSpmv() = default;
  template <class Value>
  void PullBlock(std::size_t block, const Value* values, double* sums) const;

  std::shared_ptr<const PageRankTiles> tiles_;
  std::vector<NodeId>
      first_rows_;  // of blocks: those of the tiles, then of nodes that the base has not
  std::size_t max_rows_ = 0;
  std::vector<DeltaRow> delta_rows_;  // by rising row
  AlignedArray<Term> terms_;
  double rounding_ = 0;
};

}  // namespace plexus::pagerank::internal
