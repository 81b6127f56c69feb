// Tiles of a base, kept, and the rows that a delta touches next to them.
#include "algorithms/pagerank/internal/base_tile_spmv.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>
#include <utility>

#include "algorithms/common/internal/base_weights.h"
#include "algorithms/pagerank/internal/tile_layout.h"

namespace plexus::pagerank::internal {

namespace {

struct CachedTiles final : Derived {
  static constexpr std::string_view kName = "PageRank tiles";
  struct One {
    bool known = false;
    std::shared_ptr<const PageRankTiles> tiles;  // null: they do not suit
  };
  mutable std::mutex mutex;  // nothing is made under it
  mutable std::array<One, 2> by_weighted;

  One Get(bool weighted) const {
    const std::lock_guard lock(mutex);
    return by_weighted[weighted];
  }
  // What another thread made meanwhile stays.
  std::shared_ptr<const PageRankTiles> Put(bool weighted,
                                           std::shared_ptr<const PageRankTiles> made) const {
    const std::lock_guard lock(mutex);
    One& one = by_weighted[weighted];
    if (!one.known) one = {true, std::move(made)};
    return one.tiles;
  }
  std::uint64_t size_bytes() const override {
    const std::lock_guard lock(mutex);
    std::uint64_t bytes = by_weighted[0].tiles ? by_weighted[0].tiles->size_bytes() : 0;
    if (by_weighted[1].tiles && by_weighted[1].tiles != by_weighted[0].tiles)
      bytes += by_weighted[1].tiles->size_bytes();
    return bytes;
  }
};

}  // namespace

std::shared_ptr<const PageRankTiles> TilesOfBase(const std::shared_ptr<const Csr>& base,
                                                 bool weighted, Executor& executor) {
  std::shared_ptr<const CachedTiles> kept = base->derived.Find<CachedTiles>();
  if (!kept) kept = base->derived.Keep<CachedTiles>(std::make_shared<const CachedTiles>());
  if (const CachedTiles::One one = kept->Get(weighted); one.known) return one.tiles;
  const CsrView out = base->out().Unweighted();
  if (PageRankTiles::BreakEvenIterations(base->in().Unweighted(), out) == 0)
    return kept->Put(weighted, nullptr);
  std::shared_ptr<const void> weights;
  const CsrView in =
      common_internal::BaseRowsOf(*base, Direction::kIn, weighted, executor, weights);
  // Without weights both are the same.
  if (const CachedTiles::One other = kept->Get(!weighted);
      in.weights.empty() && other.tiles && !other.tiles->weights())
    return kept->Put(weighted, other.tiles);
  return kept->Put(weighted, std::make_shared<const PageRankTiles>(
                                 PageRankTiles::Make(in, out, executor, PageRankTiles::kEvenRows)));
}

std::unique_ptr<BaseTileSpmv> BaseTileSpmv::Make(std::shared_ptr<const PageRankTiles> tiles,
                                                 const LiveCsr& rows, bool weighted,
                                                 std::uint64_t max_arcs, Executor& executor) {
  const std::vector<NodeId> touched = rows.Touched(Direction::kIn);
  std::unique_ptr<BaseTileSpmv> made(new BaseTileSpmv);
  made->delta_rows_.resize(touched.size());
  ParallelForEach(executor, touched.size(), 64, [&](std::size_t i) {
    made->delta_rows_[i] = {touched[i], rows.Degree(Direction::kIn, touched[i])};
  });
  std::uint64_t arcs = 0, longest = 0;
  for (DeltaRow& delta_row : made->delta_rows_) {
    longest = std::max(longest, delta_row.end);
    delta_row.end = arcs += delta_row.end;
  }
  if (arcs > max_arcs) return nullptr;
  const std::uint32_t known = tiles->node_count();
  const std::uint32_t* const positions = tiles->positions();
  made->terms_ = AlignedArray<Term>(arcs);
  ParallelFor(executor, touched.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Term* to = made->terms_.data() + (i == 0 ? 0 : made->delta_rows_[i - 1].end);
      rows.ForEachArc(Direction::kIn, touched[i], [&](NodeId u, double weight) {
        *to++ = {positions && u < known ? positions[u] : u,
                 weighted ? static_cast<float>(weight) : 1.0f};
      });
    }
  });
  for (const PageRankTiles::Block& block : tiles->blocks()) {
    made->first_rows_.push_back(block.begin);
    made->max_rows_ = std::max<std::size_t>(made->max_rows_, block.end - block.begin);
  }
  constexpr NodeId kNewRows = 4096;
  for (NodeId v = known; v < rows.node_count; v += std::min(kNewRows, rows.node_count - v))
    made->first_rows_.push_back(v);
  made->first_rows_.push_back(rows.node_count);
  if (rows.node_count > known) made->max_rows_ = std::max<std::size_t>(made->max_rows_, kNewRows);
  const double segments =
      static_cast<double>(tiles->blocks().empty() ? 0 : tiles->blocks().front().tiles.size());
  made->rounding_ =
      0x1p-53 *
      std::max(PageRankTiles::kPiece +
                   tiles->longest_row() / static_cast<double>(PageRankTiles::kPiece) + segments,
               static_cast<double>(kChunk) + static_cast<double>(longest) / kChunk + 2);
  made->tiles_ = std::move(tiles);
  return made;
}

template <class Value>
void BaseTileSpmv::PullBlock(std::size_t block, const Value* values, double* sums) const {
  const NodeId begin = first_rows_[block], end = first_rows_[block + 1];
  if (block < tiles_->blocks().size())
    TileSpmv<double>(*tiles_, tiles_->blocks()[block], values, sums);
  else
    std::fill_n(sums, end - begin, 0.0);
  auto delta_row = std::lower_bound(delta_rows_.begin(), delta_rows_.end(), begin,
                                    [](const DeltaRow& a, NodeId row) { return a.row < row; });
  std::uint64_t at = delta_row == delta_rows_.begin() ? 0 : (delta_row - 1)->end;
  for (; delta_row != delta_rows_.end() && delta_row->row < end; ++delta_row) {
    double sum = 0;
    while (at < delta_row->end) {
      double chunk = 0;
      for (const std::uint64_t stop = std::min<std::uint64_t>(at + kChunk, delta_row->end);
           at < stop; ++at)
        chunk += static_cast<double>(values[terms_[at].position]) *
                 static_cast<double>(terms_[at].weight);
      sum += chunk;
    }
    sums[delta_row->row - begin] = sum;
  }
}

}  // namespace plexus::pagerank::internal
