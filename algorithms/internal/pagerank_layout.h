// PageRankLayout: the private copy of a graph's arcs that its shape asks for, if any.
//
// Tiles where few nodes hold most arcs, segments where an even graph's contributions outgrow
// the caches, tiles on a smaller even graph that is worth many iterations; a graph that is
// small or local is pulled over as it is. Chosen by shape and by how many iterations are to
// come, never by a timer: the same call gives the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "algorithms/internal/pagerank_tiles.h"
#include "algorithms/internal/segmented_rows.h"

namespace plexus::internal {

struct PageRankLayout {
  // One of them.
  std::optional<PageRankTiles> tiles;
  std::optional<SegmentedRows> segments;

  enum class Shape : std::uint8_t { kPull, kTiles, kSegments };
  struct Choice {
    Shape shape = Shape::kPull;
    int enough = 0;  // iterations that repay making it
    bool Pays(int iterations) const { return shape != Shape::kPull && iterations >= enough; }
  };
  // O(1).
  static Choice Choose(const CsrView& in, const CsrView& out) {
    const auto tiles = PageRankTiles::PayAfter(in, out);
    if (tiles != PageRankTiles::kEnoughIfSkewed && SegmentedRows::Pay(in)) return {Shape::kSegments, SegmentedRows::kEnough};
    return tiles ? Choice{Shape::kTiles, *tiles} : Choice{};
  }
  // REQUIRES Choose did not say kPull. May throw std::bad_alloc.
  static std::shared_ptr<const PageRankLayout> Make(const CsrView& in, const CsrView& out, Executor& executor) {
    auto made = std::make_shared<PageRankLayout>();
    if (Choose(in, out).shape == Shape::kSegments)
      made->segments = SegmentedRows::Make(in, executor);
    else
      made->tiles = PageRankTiles::Make(in, out, executor);
    return made;
  }

  std::uint32_t node_count() const { return tiles ? tiles->node_count() : segments->node_count(); }
  std::uint64_t arc_count() const { return tiles ? tiles->arc_count() : segments->arc_count(); }
  bool weighted() const { return tiles ? tiles->weights() != nullptr : segments->weighted(); }
  std::uint64_t size_bytes() const { return tiles ? tiles->size_bytes() : segments->size_bytes(); }
};

}  // namespace plexus::internal
