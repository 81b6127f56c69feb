// The jobs on CombBLAS, which no other file includes (Buluc, Gilbert, "The Combinatorial BLAS",
// 2011): matrices in blocks on a square grid of ranks, vectors in pieces.
//
// Row v of a matrix holds the arcs that come into v, so that a product pulls. Nodes with many arcs
// have small ids, as they come first, so nodes stand in matrices and vectors at spread places: else
// one block would hold almost all. Results are brought back to the order of ids. Two functions of
// CombBLAS 1.6.2 are avoided: FullyDistVec(vector, grid), and SpMV of a sparse vector with
// indexisvalue.
#include "tools/distributed/jobs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>

#include <CombBLAS/CombBLAS.h>

namespace plexus::distributed {
namespace {

using Grid = std::shared_ptr<combblas::CommGrid>;
// I: of a node within its block. Products of two matrices are of int64_t.
template <class T, class I = std::int32_t>
using Matrix = combblas::SpParMat<std::int64_t, T, combblas::SpDCCols<I, T>>;
using Counted = Matrix<std::int64_t, std::int64_t>;
template <class T>
using Vector = combblas::FullyDistVec<std::int64_t, T>;

Grid MakeGrid() { return std::make_shared<combblas::CommGrid>(MPI_COMM_WORLD, 0, 0); }

// A permutation of [0, nodes): neighbours in id come far apart (Fibonacci hashing).
class Places {
 public:
  explicit Places(std::uint64_t nodes) : nodes_(nodes) {
    step_ =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(0.618 * static_cast<double>(nodes)));
    while (std::gcd(step_, nodes_) != 1) ++step_;
    // The inverse of step_ modulo nodes_, by Euclid's algorithm.
    std::int64_t r = static_cast<std::int64_t>(nodes_), next = static_cast<std::int64_t>(step_);
    std::int64_t t = 0, next_t = 1;
    while (next != 0) {
      const std::int64_t q = r / next;
      t = std::exchange(next_t, t - q * next_t);
      r = std::exchange(next, r - q * next);
    }
    inverse_ = static_cast<std::uint64_t>(t < 0 ? t + static_cast<std::int64_t>(nodes_) : t);
  }
  std::uint64_t Of(std::uint64_t node) const { return Times(node, step_); }
  // v in the order of ids from the order of places, and the other way.
  template <class T>
  Vector<T> ById(const Vector<T>& v) const {
    return v(Indices(v.getcommgrid(), step_));
  }
  template <class T>
  Vector<T> ByPlace(const Vector<T>& v) const {
    return v(Indices(v.getcommgrid(), inverse_));
  }

 private:
  std::uint64_t Times(std::uint64_t i, std::uint64_t factor) const {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(i) * factor % nodes_);
  }
  Vector<std::int64_t> Indices(const Grid& grid, std::uint64_t factor) const {
    Vector<std::int64_t> indices(grid, static_cast<std::int64_t>(nodes_), 0);
    indices.ApplyInd([&](std::int64_t, std::int64_t i) {
      return static_cast<std::int64_t>(Times(static_cast<std::uint64_t>(i), factor));
    });
    return indices;
  }
  std::uint64_t nodes_, step_ = 1, inverse_ = 1;
};

// Entries of a matrix on their way to the ranks that hold them.
template <class T, class I = std::int32_t>
class Builder {
 public:
  Builder(std::uint64_t rows, std::uint64_t columns)
      : rows_(static_cast<std::int64_t>(rows)),
        columns_(static_cast<std::int64_t>(columns)),
        matrix_(MakeGrid()),
        entries_(static_cast<std::size_t>(RankCount())) {}

  void Add(std::uint64_t row, std::uint64_t column, T value) {
    I local_row = 0, local_column = 0;
    const int owner = matrix_.Owner(rows_, columns_, static_cast<std::int64_t>(row),
                                    static_cast<std::int64_t>(column), local_row, local_column);
    entries_[static_cast<std::size_t>(owner)].emplace_back(local_row, local_column, value);
  }

  // `read` is how adding went at this rank.
  template <class Sum>
  Result<Matrix<T, I>> Build(const Status& read, Sum sum) {
    PLEXUS_TRY(Agree(read));
    std::vector<std::uint64_t> counts;
    for (const auto& to : entries_) counts.push_back(to.size());
    std::uint64_t sent = 0, received = 0;
    for (const std::uint64_t count : counts) sent += count;
    MPI_Reduce_scatter_block(counts.data(), &received, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(RankCount())));
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const auto most = static_cast<std::int64_t>(OfRanks(MPI_MAX, std::max(sent, received)));
    const std::int64_t across = std::max(rows_, columns_);
    if (most >= kMost || across / side + across % side >= kMost)
      return Exhausted("more nodes or arcs than a rank can count in 31 bits: take more ranks");
    matrix_.SparseCommon(entries_, static_cast<I>(sent), rows_, columns_, sum);
    return std::move(matrix_);
  }

 private:
  std::int64_t rows_, columns_;
  Matrix<T, I> matrix_;
  std::vector<std::vector<std::tuple<I, I, T>>> entries_;
};

// Which nodes have an arc, once each. `loops`: from a node to itself, too.
Result<Matrix<bool>> Pattern(Parts& parts, Direction direction, bool loops) {
  Builder<bool> builder(parts.nodes(), parts.nodes());
  const Places places(parts.nodes());
  const Status read =
      parts.ReadShare(Rank(), RankCount(),
                      [&](std::uint64_t source, std::span<const std::uint32_t> targets,
                          std::span<const float>, std::uint64_t offset) {
                        for (const std::uint32_t id : targets) {
                          const std::uint64_t target = offset + id;
                          if (source == target && !loops) continue;
                          if (direction != Direction::kIn)
                            builder.Add(places.Of(target), places.Of(source), true);
                          if (direction != Direction::kOut)
                            builder.Add(places.Of(source), places.Of(target), true);
                        }
                      });
  return builder.Build(read, std::logical_or<bool>());
}

// A rank's elements of a vector.
template <class T>
std::span<const T> Mine(const Vector<T>& vector) {
  return {vector.GetLocArr(), static_cast<std::size_t>(vector.LocArrSize())};
}
template <class T>
std::uint64_t First(const Vector<T>& vector) {
  return static_cast<std::uint64_t>(vector.LengthUntil());
}

// 1 where a node is selected, else 0, by id.
Result<Vector<std::int64_t>> Selected(Parts& parts, const Grid& grid) {
  Vector<std::int64_t> selected(grid, static_cast<std::int64_t>(parts.nodes()), 0);
  const auto bytes = parts.Selected(First(selected), First(selected) + Mine(selected).size());
  PLEXUS_TRY(Agree(bytes ? Status() : std::unexpected(bytes.error())));
  for (std::size_t i = 0; i < bytes->size(); ++i)
    selected.SetLocalElement(static_cast<std::int64_t>(i), (*bytes)[i]);
  return selected;
}

double SumOf(double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

// What all iterations of PageRank share.
struct Walk {
  Places places;
  Matrix<double> matrix;  // column u: the shares of u's rank that its targets get
  Vector<double> scores;  // of the iteration under way, by place as what follows
  Vector<std::int64_t> selected;
  std::vector<std::uint8_t> dangling;  // of this rank's nodes
};

Result<Walk> MakeWalk(Parts& parts) {
  const Places places(parts.nodes());
  Builder<double> builder(parts.nodes(), parts.nodes());
  const Status read = parts.ReadShare(
      Rank(), RankCount(),
      [&](std::uint64_t source, std::span<const std::uint32_t> targets,
          std::span<const float> weights, std::uint64_t offset) {
        double sum = 0;
        for (const float weight : weights) sum += weight;
        for (std::size_t i = 0; i < targets.size(); ++i)
          if (weights[i] > 0)
            builder.Add(places.Of(offset + targets[i]), places.Of(source), weights[i] / sum);
      });
  PLEXUS_ASSIGN(Matrix<double> matrix, builder.Build(read, std::plus<double>()));
  const Grid grid = matrix.getcommgrid();
  PLEXUS_ASSIGN(const Vector<std::int64_t> selected, Selected(parts, grid));
  Walk walk{places,
            std::move(matrix),
            Vector<double>(grid, static_cast<std::int64_t>(parts.nodes()), 0.0),
            places.ByPlace(selected),
            {}};
  Vector<double> given(grid);
  walk.matrix.Reduce(given, combblas::Column, std::plus<double>(), 0.0);
  for (std::size_t i = 0; i < Mine(given).size(); ++i)
    walk.dangling.push_back(Mine(walk.selected)[i] && Mine(given)[i] == 0);
  return walk;
}

// The fixed point from one teleport, in walk.scores; returns iterations and error.
std::pair<int, double> Iterate(Walk& walk, const std::vector<double>& teleport,
                               const RankOptions& options, const Say& say) {
  const double d = options.damping;
  const std::size_t size = teleport.size();
  for (std::size_t i = 0; i < size; ++i)
    walk.scores.SetLocalElement(static_cast<std::int64_t>(i), teleport[i]);
  const int most = options.iterations > 0 ? options.iterations : options.max_iterations;
  double error = 0;
  for (int iteration = 1;; ++iteration) {
    double dangling = 0;
    for (std::size_t i = 0; i < size; ++i)
      if (walk.dangling[i]) dangling += Mine(walk.scores)[i];
    dangling = SumOf(dangling);
    using Sums = combblas::PlusTimesSRing<double, double>;
    const Vector<double> pulled = combblas::SpMV<Sums>(walk.matrix, walk.scores);
    double step = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const double score = ((1 - d) + d * dangling) * teleport[i] + d * Mine(pulled)[i];
      step += std::abs(score - Mine(walk.scores)[i]);
      walk.scores.SetLocalElement(static_cast<std::int64_t>(i), score);
    }
    error = d / (1 - d) * SumOf(step);
    if (iteration % 10 == 0)
      say("iteration " + std::to_string(iteration) + ", error " + std::to_string(error));
    if (iteration == most || (options.iterations == 0 && error <= options.tolerance))
      return {iteration, error};
  }
}

// Labels of the smallest node that is known to be in the same component.
struct SmallestLabel {
  using T_promote = std::int64_t;
  static T_promote id() { return std::numeric_limits<T_promote>::max(); }
  static bool returnedSAID() { return false; }
  static MPI_Op mpi_op() { return MPI_MIN; }
  static T_promote add(const T_promote& a, const T_promote& b) { return std::min(a, b); }
  static T_promote multiply(const bool&, const T_promote& label) { return label; }
  static void axpy(bool, const T_promote& label, T_promote& least) {
    least = std::min(least, label);
  }
};

}  // namespace

Result<RankResult> PageRank(Parts& parts, const std::vector<std::vector<Seed>>& restarts,
                            const RankOptions& options, const Say& say) {
  PLEXUS_ASSIGN(Walk walk, MakeWalk(parts));
  say("matrix built");
  const std::uint64_t first = First(walk.scores);
  const std::size_t size = Mine(walk.scores).size();
  RankResult result;
  for (std::size_t k = 0; k < std::max<std::size_t>(1, restarts.size()); ++k) {
    std::vector<double> teleport(size);
    double sum = 0;
    if (restarts.empty())
      for (std::size_t i = 0; i < size; ++i)
        teleport[i] =
            static_cast<double>(Mine(walk.selected)[i]) / static_cast<double>(parts.selected());
    else
      for (const Seed& seed : restarts[k]) sum += seed.weight;
    if (!restarts.empty())
      for (const Seed& seed : restarts[k])
        if (const std::uint64_t place = walk.places.Of(seed.node);
            place >= first && place - first < size)
          teleport[place - first] += seed.weight / sum;
    const auto [iterations, error] = Iterate(walk, teleport, options, say);
    result.iterations = std::max(result.iterations, iterations);
    result.error = std::max(result.error, error);
    for (std::size_t i = 0; i < size; ++i)
      if (!Mine(walk.selected)[i])
        walk.scores.SetLocalElement(static_cast<std::int64_t>(i),
                                    std::numeric_limits<double>::quiet_NaN());
    const Vector<double> scores = walk.places.ById(walk.scores);
    result.scores.push_back({first, {Mine(scores).begin(), Mine(scores).end()}});
  }
  return result;
}

// Each round takes the least label around, then that of the node which the label names: it
// shortens the way to the smallest node as pointer jumping does.
Result<Local<std::uint32_t>> Components(Parts& parts, const Say& say) {
  PLEXUS_ASSIGN(const Matrix<bool> matrix, Pattern(parts, Direction::kBoth, false));
  say("matrix built");
  const Places places(parts.nodes());
  Vector<std::int64_t> labels(matrix.getcommgrid());
  labels.iota(static_cast<std::int64_t>(parts.nodes()), 0);
  labels = places.ByPlace(labels);
  for (int round = 1;; ++round) {
    Vector<std::int64_t> next = combblas::SpMV<SmallestLabel>(matrix, labels);
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < Mine(next).size(); ++i)
      next.SetLocalElement(static_cast<std::int64_t>(i), std::min(Mine(next)[i], Mine(labels)[i]));
    Vector<std::int64_t> named = next;
    named.Apply([&](std::int64_t node) {
      return static_cast<std::int64_t>(places.Of(static_cast<std::uint64_t>(node)));
    });
    next = next(named);
    for (std::size_t i = 0; i < Mine(next).size(); ++i) changed += Mine(next)[i] != Mine(labels)[i];
    labels = next;
    changed = OfRanks(MPI_SUM, changed);
    say("round " + std::to_string(round) + ", " + std::to_string(changed) + " labels changed");
    if (changed == 0) break;
  }
  labels = places.ById(labels);
  PLEXUS_ASSIGN(const Vector<std::int64_t> selected, Selected(parts, matrix.getcommgrid()));
  Local<std::uint32_t> local{First(labels), {}};
  std::size_t part = 0;
  for (std::size_t i = 0; i < Mine(selected).size(); ++i) {
    while (local.first + i >= parts.offset(part) + parts.header(part).nodes) ++part;
    const std::uint64_t id = static_cast<std::uint64_t>(Mine(labels)[i]) - parts.offset(part);
    local.values.push_back(Mine(selected)[i] ? static_cast<std::uint32_t>(id) : formats::kNoValue);
  }
  return local;
}

Result<Local<std::uint32_t>> KHop(Parts& parts, const std::vector<Seed>& seeds, Direction direction,
                                  std::uint64_t hops, const Say& say) {
  PLEXUS_ASSIGN(const Matrix<bool> matrix, Pattern(parts, direction, false));
  say("matrix built");
  const auto nodes = static_cast<std::int64_t>(parts.nodes());
  Vector<std::int64_t> levels(matrix.getcommgrid(), nodes, -1);
  combblas::FullyDistSpVec<std::int64_t, std::int64_t> level(matrix.getcommgrid(), nodes);
  const Places places(parts.nodes());
  for (const Seed& seed : seeds)
    level.SetElement(static_cast<std::int64_t>(places.Of(seed.node)), 0);
  levels.Set(level);
  for (std::uint64_t hop = 1; hop <= hops; ++hop) {
    level = combblas::SpMV<combblas::SelectMaxSRing<bool, std::int64_t>>(matrix, level, false);
    level = combblas::EWiseMult(level, levels, true, std::int64_t{-1});  // those without a level
    const std::int64_t found = level.getnnz();
    if (found == 0) break;
    level.Apply([&](std::int64_t) { return static_cast<std::int64_t>(hop); });
    levels.Set(level);
    say("hop " + std::to_string(hop) + ", " + std::to_string(found) + " nodes");
  }
  levels = places.ById(levels);
  Local<std::uint32_t> local{First(levels), {}};
  for (const std::int64_t depth : Mine(levels))
    local.values.push_back(depth < 0 ? formats::kNoValue : static_cast<std::uint32_t>(depth));
  return local;
}

// The rows of the pairs' nodes, multiplied by their transpose and masked by the pairs.
Result<std::vector<std::uint64_t>> Common(
    Parts& parts, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& pairs,
    Direction direction, std::uint64_t max_degree, const Say& say) {
  std::vector<std::uint64_t> nodes;
  for (const auto& [a, b] : pairs) nodes.insert(nodes.end(), {a, b});
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  const auto index = [&](std::uint64_t node) -> std::optional<std::uint64_t> {
    const auto found = std::ranges::lower_bound(nodes, node);
    if (found == nodes.end() || *found != node) return std::nullopt;
    return static_cast<std::uint64_t>(found - nodes.begin());
  };
  Vector<std::int64_t> degrees(MakeGrid());
  {
    PLEXUS_ASSIGN(const Matrix<bool> whole, Pattern(parts, direction, false));
    whole.Reduce(degrees, combblas::Row, std::plus<std::int64_t>(), std::int64_t{0},
                 [](bool there) -> std::int64_t { return there; });
  }
  const Places places(parts.nodes());
  Builder<std::int64_t, std::int64_t> builder(nodes.size(), parts.nodes());
  const Status read =
      parts.ReadShare(Rank(), RankCount(),
                      [&](std::uint64_t source, std::span<const std::uint32_t> targets,
                          std::span<const float>, std::uint64_t offset) {
                        const auto from = index(source);
                        for (const std::uint32_t id : targets) {
                          if (offset + id == source) continue;
                          if (from && direction != Direction::kIn)
                            builder.Add(*from, places.Of(offset + id), 1);
                          if (direction == Direction::kOut) continue;
                          if (const auto to = index(offset + id))
                            builder.Add(*to, places.Of(source), 1);
                        }
                      });
  using Largest = combblas::maximum<std::int64_t>;
  PLEXUS_ASSIGN(Counted rows, builder.Build(read, Largest()));
  const auto cap = static_cast<std::int64_t>(
      std::min<std::uint64_t>(max_degree, std::numeric_limits<std::int64_t>::max()));
  rows.PruneColumn(degrees, [&](std::int64_t, std::int64_t degree) { return degree > cap; });
  say("matrix built");
  Vector<std::int64_t> shared(rows.getcommgrid());
  rows.Reduce(shared, combblas::Column, std::plus<std::int64_t>(), std::int64_t{0});
  std::uint64_t products = 0;
  for (const std::int64_t count : Mine(shared))
    products += static_cast<std::uint64_t>(count * count);
  constexpr std::uint64_t kMostProducts = std::uint64_t{1} << 31;
  if ((products = OfRanks(MPI_SUM, products)) > kMostProducts)
    return Exhausted(products, " products of neighbours, the limit is ", kMostProducts,
                     ": name fewer pairs or a lower --max-degree");
  Counted columns = rows;
  columns.Transpose();
  using Counts = combblas::PlusTimesSRing<std::int64_t, std::int64_t>;
  using Block = combblas::SpDCCols<std::int64_t, std::int64_t>;
  Counted product = combblas::Mult_AnXBn_Synch<Counts, std::int64_t, Block>(rows, columns);
  Builder<std::int64_t, std::int64_t> mask_builder(nodes.size(), nodes.size());
  if (Rank() == 0)
    for (const auto& [a, b] : pairs) mask_builder.Add(*index(a), *index(b), 1);
  PLEXUS_ASSIGN(const Counted mask, mask_builder.Build({}, Largest()));
  product.EWiseMult(mask, false);
  // What is left are pairs: row, column, count.
  std::vector<std::uint64_t> mine;
  const auto grid = product.getcommgrid();
  const std::uint64_t row0 = static_cast<std::uint64_t>(grid->GetRankInProcCol()) *
                             (nodes.size() / static_cast<std::uint64_t>(grid->GetGridRows()));
  const std::uint64_t column0 = static_cast<std::uint64_t>(grid->GetRankInProcRow()) *
                                (nodes.size() / static_cast<std::uint64_t>(grid->GetGridCols()));
  Block& block = product.seq();
  for (auto column = block.begcol(); column != block.endcol(); ++column)
    for (auto entry = block.begnz(column); entry != block.endnz(column); ++entry)
      mine.insert(mine.end(), {row0 + static_cast<std::uint64_t>(entry.rowid()),
                               column0 + static_cast<std::uint64_t>(column.colid()),
                               static_cast<std::uint64_t>(entry.value())});
  std::uint64_t before = 0, size = mine.size();
  MPI_Exscan(&size, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  std::vector<std::uint64_t> triples;
  PLEXUS_TRY(Collect<std::uint64_t>({Rank() == 0 ? 0 : before, std::move(mine)}, 0,
                                    std::numeric_limits<std::uint64_t>::max(),
                                    [&](std::span<const std::uint64_t> some) -> Status {
                                      triples.insert(triples.end(), some.begin(), some.end());
                                      return {};
                                    }));
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> counts;
  for (std::size_t i = 0; i < triples.size(); i += 3)
    counts[{triples[i], triples[i + 1]}] = triples[i + 2];
  std::vector<std::uint64_t> result;
  for (const auto& [a, b] : pairs) {
    const auto found = counts.find({*index(a), *index(b)});
    result.push_back(found == counts.end() ? 0 : found->second);
  }
  return result;
}

}  // namespace plexus::distributed
