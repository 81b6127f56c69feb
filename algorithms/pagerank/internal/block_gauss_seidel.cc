// A turn runs in parallel over blocks of rows; parts follow each other.
#include "algorithms/pagerank/internal/block_gauss_seidel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "algorithms/pagerank/internal/simd4.h"

namespace plexus::pagerank::internal {

namespace {

constexpr std::size_t kMaxParts = 16;
// What is kept is f32: rounded by so much of itself.
constexpr double kKeptRounding = 0x1p-24;
// Changes sent as Real are rounded by so much, and where they are too small for f32 by a tiny
// number times the strength.
template <class Real>
constexpr double kEpsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
constexpr double kTinyReal = 1e-25;

}  // namespace

// Short chains of additions, side by side: node v adds to lane v % 4.
template <class Real>
struct BlockGaussSeidel<Real>::Lanes {
  static constexpr std::size_t kCount = 4;
  using Wide = FourDoubles;
  using Bits = FourMasks;
  using Narrow [[gnu::vector_size(4 * sizeof(Real))]] = Real;
  using Floats [[gnu::vector_size(16)]] = float;

  Wide scores{}, dangling{}, absolute{}, changes{}, kept{};

  // x where the mask's bits are set, else 0.
  static void Mask(Wide& x, const Bits& mask) {
    x = reinterpret_cast<Wide>(reinterpret_cast<Bits>(x) & mask);
  }
  static void DropSign(Wide& x) { Mask(x, Bits{} + std::numeric_limits<std::int64_t>::max()); }
  void AddScore(const Wide& score, const Bits& dangles) {
    Wide size = score, stays = score;
    DropSign(size);
    Mask(stays, dangles);
    scores += score;
    absolute += size;
    dangling += stays;
  }
  void AddChange(const Wide& quantized, const Wide& keeps) {
    Wide sent = quantized, keeping = keeps;
    DropSign(sent);
    DropSign(keeping);
    changes += sent + keeping;
    kept += keeping;
  }
  Totals Total() const {
    const auto sum = [](const Wide& lanes) {
      return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    };
    return {sum(scores), sum(dangling), sum(absolute), sum(changes), sum(kept), 0.0};
  }
  // fn(first, count) for four nodes at a time of one block, `count` a constant but for the last.
  template <class Fn>
  static void ForEach(std::size_t begin, std::size_t end, Fn&& fn) {
    std::size_t v = begin;
    for (; v + kCount <= end; v += kCount) fn(v, std::integral_constant<std::size_t, kCount>());
    if (v < end) fn(v, end - v);
  }
};

namespace {

// Some numbers, at most as many as the vector has.
template <class Vector, class T>
void Load(Vector& to, const T* from, std::size_t count) {
  std::memcpy(&to, from, count * sizeof(T));
}
template <class Vector, class T>
void Store(T* to, const Vector& from, std::size_t count) {
  std::memcpy(to, &from, count * sizeof(T));
}

}  // namespace

template <class Real>
BlockGaussSeidel<Real>::BlockGaussSeidel(const Problem& problem, Executor& executor)
    : p_(problem),
      executor_(executor),
      n_(problem.scores.size()),
      sent_(n_),
      kept_(n_),
      moved_(n_),
      blocks_(problem.sums.block_count()) {
  const std::size_t count = std::clamp<std::size_t>((n_ + p_.arcs) / p_.part_work, 1, kMaxParts);
  const std::size_t size = (n_ + count - 1) / count;  // nodes a part, but for what blocks add
  for (std::size_t b = 0; b < p_.sums.block_count(); ++b) {
    const std::size_t row = p_.sums.first_row(b);
    if (parts_.empty() || row >= parts_.back().begin + size)
      parts_.push_back({b, b, static_cast<NodeId>(row), 0, {}});
    parts_.back().last = b + 1;
    parts_.back().end = static_cast<NodeId>(p_.sums.first_row(b + 1));
  }
  std::size_t most = 0;
  for (const Part& part : parts_) most = std::max<std::size_t>(most, part.end - part.begin);
  next_ = AlignedArray<Real>(most);
  p_.sums.Reserve(executor_, p_.sums.block_count());
  pool_.Reserve(executor_, blocks_.size());
  const std::size_t max_rows = p_.sums.max_rows();
  for (const auto& scratch : pool_.idle()) {
    scratch->sums = AlignedArray<double>(max_rows);
    scratch->values = AlignedArray<Real>(max_rows);
  }
}

template <class Real>
auto BlockGaussSeidel<Real>::All() const -> Totals {
  Totals all;
  for (const Part& part : parts_) all.Add(part.totals);
  return all;
}

// Of the first `count` blocks at work.
template <class Real>
auto BlockGaussSeidel<Real>::Fold(std::size_t count) const -> Totals {
  Totals all;
  for (std::size_t b = 0; b < count; ++b) all.Add(blocks_[b]);
  return all;
}

// Values of a block's rows, to where rows look for them.
template <class Real>
void BlockGaussSeidel<Real>::Place(std::size_t block, const Real* values) {
  const std::size_t row = p_.sums.first_row(block), count = p_.sums.first_row(block + 1) - row;
  Real* const sent = sent_.data();
  if (const std::uint32_t* const positions = p_.sums.positions(block))
    for (std::size_t i = 0; i < count; ++i) sent[positions[i]] = values[i];
  else
    std::memcpy(sent + row, values, count * sizeof(Real));
}

// Contributions and totals of the scores as they are.
template <class Real>
void BlockGaussSeidel<Real>::Contribute() {
  using Wide = typename Lanes::Wide;
  for (Part& part : parts_) {
    ParallelFor(executor_, part.last - part.first, 1, [&](std::size_t block, std::size_t) {
      const auto scratch = pool_.Acquire();
      Lanes lanes;
      const std::size_t row = p_.sums.first_row(part.first + block);
      Lanes::ForEach(row, p_.sums.first_row(part.first + block + 1),
                     [&, scores = p_.scores.data(), values = scratch->values.data()](std::size_t v,
                                                                                     auto count) {
                       Wide score{}, r{};
                       Load(score, scores + v, count);
                       Load(r, p_.reciprocal.data() + v, count);
                       Store(values + (v - row),
                             __builtin_convertvector(score * r, typename Lanes::Narrow), count);
                       typename Lanes::Bits dangles;
                       ZeroMask(r, dangles);
                       lanes.AddScore(score, dangles);
                     });
      Place(part.first + block, scratch->values.data());
      blocks_[block] = lanes.Total();
    });
    part.totals = Fold(part.last - part.first);
  }
}

// Puts the changes of the full sweep where rows look for them.
template <class Real>
void BlockGaussSeidel<Real>::SendChanges() {
  ParallelFor(executor_, p_.sums.block_count(), 1,
              [&](std::size_t b, std::size_t) { Place(b, moved_.data() + p_.sums.first_row(b)); });
}

template <class Real>
void BlockGaussSeidel<Real>::BeginSweep(double enough) {
  const Totals all = All();
  if (!began_ ||
      (lost_ > 0.25 * (1.0 - p_.damping) * enough * all.scores && all.changes <= 16 * lost_)) {
    sweep_ = Sweep::kFull;
    lost_ = 0;
    Contribute();
  } else if (sweep_ == Sweep::kFull) {
    sweep_ = Sweep::kFirstChanges;
    SendChanges();
  } else {
    sweep_ = Sweep::kChanges;
  }
  began_ = true;
}

// Rows [begin, end) by their sums, the teleport's part included: changes, or scores in a sweep
// again. What they send goes to next_, from `next` on.
template <class Real>
template <typename BlockGaussSeidel<Real>::Sweep kSweep>
auto BlockGaussSeidel<Real>::FinishRows(std::size_t begin, std::size_t end, const double* sums,
                                        std::size_t next) -> Totals {
  using Wide = typename Lanes::Wide;
  using Narrow = typename Lanes::Narrow;
  using Floats = typename Lanes::Floats;
  Lanes lanes;
  double* const scores = p_.scores.data();
  const double* const reciprocal = p_.reciprocal.data();
  float* const kept = kept_.data();
  [[maybe_unused]] Real* const moved = moved_.data();
  Real* const to = next_.data() + next - begin;
  Lanes::ForEach(begin, end, [&](std::size_t v, auto count) {
    Wide was{}, r{}, sum{};
    Load(was, scores + v, count);
    Load(r, reciprocal + v, count);
    Load(sum, sums + (v - begin), count);
    typename Lanes::Bits dangles;
    ZeroMask(r, dangles);
    [[maybe_unused]] Wide divisor = Wide{} + 1.0;
    Lanes::Mask(divisor, dangles);
    divisor += r;
    Wide keeps{}, score = sum, pending;  // pending: what is to be sent
    if constexpr (kSweep == Sweep::kFull) {
      pending = score - was;
      Lanes::Mask(pending, ~dangles);
      const Narrow sent = __builtin_convertvector(was * r, Narrow),
                   now = __builtin_convertvector(score * r, Narrow);
      Store(to + v, now, count);
      Store(moved + v, now - sent, count);
      keeps = score - __builtin_convertvector(now, Wide) / divisor;
      Lanes::Mask(keeps, ~dangles);
      const Floats keeping = __builtin_convertvector(keeps, Floats);
      Store(kept + v, keeping, count);
    } else {
      score += was;
      pending = sum;
      if constexpr (kSweep == Sweep::kFirstChanges) {
        Floats keeping{};
        Load(keeping, kept + v, count);
        pending += __builtin_convertvector(keeping, Wide);
      }
      Lanes::Mask(pending, ~dangles);
      const Narrow sending = __builtin_convertvector(pending * r, Narrow);
      Store(to + v, sending, count);
    }
    Store(scores + v, score, count);
    lanes.AddScore(score, dangles);
    lanes.AddChange(pending, keeps);
  });
  return lanes.Total();
}

// The rows of a part, by what others have sent. `home`: what the teleport gets, or gets more.
template <class Real>
template <typename BlockGaussSeidel<Real>::Sweep kSweep>
auto BlockGaussSeidel<Real>::SumRows(const Part& part, double home) -> Totals {
  const double d = p_.damping, each = p_.seeds.empty() ? home / static_cast<double>(n_) : 0.0;
  const std::size_t count = part.last - part.first;
  ParallelFor(executor_, count, 1, [&](std::size_t block, std::size_t) {
    const auto scratch = pool_.Acquire();
    double* const sums = scratch->sums.data();
    const std::size_t begin = p_.sums.first_row(part.first + block),
                      end = p_.sums.first_row(part.first + block + 1);
    p_.sums.Pull(part.first + block, sent_.data(), sums);
    for (std::size_t i = 0; i < end - begin; ++i) sums[i] = each + d * sums[i];
    if (!p_.seeds.empty()) {
      auto seed = std::lower_bound(p_.seeds.begin(), p_.seeds.end(), begin,
                                   [](const SeedShare& s, std::size_t v) { return s.dense < v; });
      for (; seed != p_.seeds.end() && seed->dense < end; ++seed)
        sums[seed->dense - begin] += home * seed->share;
    }
    blocks_[block] = FinishRows<kSweep>(begin, end, sums, begin - part.begin);
  });
  return Fold(count);
}

template <class Real>
void BlockGaussSeidel<Real>::UpdateBlock(std::size_t number) {
  Part& part = parts_[number];
  const Totals before = part.totals;
  const double home = Home(All());
  if (sweep_ == Sweep::kFull)
    part.totals = SumRows<Sweep::kFull>(part, home);
  else if (sweep_ == Sweep::kFirstChanges)
    part.totals = SumRows<Sweep::kFirstChanges>(part, home - before.home);
  else
    part.totals = SumRows<Sweep::kChanges>(part, home - before.home);
  Totals& now = part.totals;
  now.home = home;
  if (p_.sums.positions(part.first)) {
    ParallelFor(executor_, part.last - part.first, 1, [&](std::size_t b, std::size_t) {
      Place(part.first + b, &next_[p_.sums.first_row(part.first + b) - part.begin]);
    });
  } else {  // by one thread: as long as it takes to start another
    for (std::size_t b = part.first; b < part.last; ++b)
      Place(b, &next_[p_.sums.first_row(b) - part.begin]);
  }
  // Rounding: of scores, old and new, of what is kept or sent as Real, and where changes are
  // summed.
  const double nodes = static_cast<double>(part.end - part.begin);
  // And the contributions sent before were rounded.
  if (sweep_ == Sweep::kFull)
    now.changes += kEpsilon<Real> * std::max(now.absolute, before.absolute) + kTinyReal * nodes;
  lost_ += 0x1p-51 * (now.absolute + before.absolute) + kKeptRounding * now.kept +
           (p_.sums.Rounding() + 0x1p-50 + kEpsilon<Real>)*now.changes + kTinyReal * nodes;
}

template <class Real>
double BlockGaussSeidel<Real>::Error() const {
  // What one more sweep would change is what the parts' last changes send to those parts that
  // have not had their turn since, and what is kept to all; and what the teleport has got since a
  // part's last turn.
  const Totals all = All();
  if (!(all.scores > 0)) return std::numeric_limits<double>::infinity();
  const double home = Home(all);
  double most = 0;
  for (const Part& part : parts_) most = std::max(most, std::abs(home - part.totals.home));
  const double rounding = (p_.sums.Rounding() + 0x1p-50) * all.absolute + lost_;
  return (p_.damping * all.changes + most + rounding) / (all.scores * (1.0 - p_.damping));
}

template class BlockGaussSeidel<float>;
template class BlockGaussSeidel<double>;

}  // namespace plexus::pagerank::internal
