// A turn runs in parallel over blocks of rows; parts follow each other.
#include "algorithms/internal/part_sweeps.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "algorithms/internal/four_lanes.h"

namespace plexus::internal {

namespace {

constexpr std::size_t kMostParts = 16;

// Rounding to Real is off by at most so much of the number, and by kTiny where it is too small
// for f32: times the strength, below 1e-25 a node.
template <class Real>
constexpr double kEpsilon = static_cast<double>(std::numeric_limits<Real>::epsilon()) / 2;
constexpr double kTiny = 1e-25;

}  // namespace

// Short chains of additions, side by side: node v adds to lane v % 4.
template <class Real>
struct PartSweeps<Real>::Lanes {
  static constexpr std::size_t kCount = 4;
  using Wide = FourDoubles;
  using Bits = FourMasks;
  using Narrow [[gnu::vector_size(kCount * sizeof(Real))]] = Real;
  Wide scores{}, dangling{}, absolute{}, changes{};

  void Add(const Wide& score, const Wide& reciprocal, const Wide& change) {
    constexpr std::int64_t kNoSign = std::numeric_limits<std::int64_t>::max();
    scores += score;
    absolute += reinterpret_cast<Wide>(reinterpret_cast<Bits>(score) & kNoSign);
    Bits dangles;
    ZeroMask(reciprocal, dangles);
    dangling += reinterpret_cast<Wide>(reinterpret_cast<Bits>(score) & dangles);
    changes += reinterpret_cast<Wide>(reinterpret_cast<Bits>(change) & kNoSign & ~dangles);
  }
  Totals Total() const {
    const auto sum = [](const Wide& lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); };
    return {sum(scores), sum(dangling), sum(absolute), sum(changes), 0.0};
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

}  // namespace

template <class Real>
PartSweeps<Real>::PartSweeps(const Problem& problem, Executor& executor)
    : p_(problem), executor_(executor), n_(problem.scores.size()), sent_(n_), moved_(n_), blocks_(problem.sums.block_count()) {
  const std::size_t count = std::clamp<std::size_t>((n_ + p_.arcs) / p_.part_work, 1, kMostParts);
  const std::size_t size = (n_ + count - 1) / count;  // nodes a part, but for what blocks add
  for (std::size_t b = 0, begin = 0; b < blocks_.size(); ++b) {
    if (parts_.empty() || p_.sums.first_row(b) >= begin + size) {
      begin = p_.sums.first_row(b);
      parts_.push_back({b, b, {}});
    }
    parts_.back().last = b + 1;
  }
  std::size_t most = 0;
  for (const Part& part : parts_) most = std::max(most, p_.sums.first_row(part.last) - p_.sums.first_row(part.first));
  next_ = AlignedArray<Real>(most);
  p_.sums.Reserve(executor_, blocks_.size());
  pool_.Reserve(executor_, blocks_.size());
  for (const auto& scratch : pool_.idle()) scratch->sums = AlignedArray<double>(p_.sums.most_rows());
}

template <class Real>
auto PartSweeps<Real>::All() const -> Totals {
  Totals all;
  for (const Part& part : parts_) {
    all.scores += part.totals.scores;
    all.dangling += part.totals.dangling;
    all.absolute += part.totals.absolute;
    all.changes += part.totals.changes;
  }
  return all;
}

template <class Real>
auto PartSweeps<Real>::Fold(std::size_t first, std::size_t last) const -> Totals {
  Totals all;
  for (std::size_t b = first; b < last; ++b) {
    all.scores += blocks_[b].scores;
    all.dangling += blocks_[b].dangling;
    all.absolute += blocks_[b].absolute;
    all.changes += blocks_[b].changes;
  }
  return all;
}

// Contributions and totals of the scores as they are.
template <class Real>
void PartSweeps<Real>::Contribute() {
  using Wide = typename Lanes::Wide;
  using Narrow = typename Lanes::Narrow;
  ParallelFor(executor_, blocks_.size(), 1, [&](std::size_t b, std::size_t) {
    Lanes lanes;
    Lanes::ForEach(p_.sums.first_row(b), p_.sums.first_row(b + 1), [&, scores = p_.scores.data(), moved = moved_.data()](std::size_t v, auto count) {
      Wide score{}, r{};
      Load(score, scores + v, count);
      Load(r, p_.reciprocal.data() + v, count);
      const Narrow contribution = __builtin_convertvector(score * r, Narrow);
      std::memcpy(moved + v, &contribution, count * sizeof(Real));
      lanes.Add(score, r, Wide{});
    });
    blocks_[b] = lanes.Total();
  });
  PlaceMoved();
  for (Part& part : parts_) part.totals = Fold(part.first, part.last);
}

// Values of a block's rows, to where rows look for them.
template <class Real>
void PartSweeps<Real>::Place(std::size_t block, const Real* values) {
  const std::size_t row = p_.sums.first_row(block), count = p_.sums.first_row(block + 1) - row;
  Real* const sent = sent_.data();
  if (const std::uint32_t* const positions = p_.sums.positions(block))
    for (std::size_t i = 0; i < count; ++i) sent[positions[i]] = values[i];
  else
    std::memcpy(sent + row, values, count * sizeof(Real));
}

template <class Real>
void PartSweeps<Real>::PlaceMoved() {
  const std::size_t grain = std::max<std::size_t>(1, (std::size_t{1} << 14) / p_.sums.most_rows());
  ParallelFor(executor_, blocks_.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) Place(b, &moved_[p_.sums.first_row(b)]);
  });
}

template <class Real>
void PartSweeps<Real>::BeginSweep(double enough) {
  if (began_) {
    if (sweep_ == Sweep::kAnew) PlaceMoved();
    sweep_ = sweep_ == Sweep::kAnew ? Sweep::kFirst : Sweep::kLater;
    const Totals all = All();
    if (lost_ > 0.25 * (1.0 - p_.damping) * enough * all.scores && all.changes <= 16 * lost_) sweep_ = Sweep::kAnew;
  }
  if (sweep_ == Sweep::kAnew) {
    Contribute();
    lost_ = 0;
  }
  began_ = true;
}

// The rows of a part, by what is in sent_; theirs goes to next_, totals to blocks_. `home`:
// what the teleport gets, or gets more.
template <class Real>
template <typename PartSweeps<Real>::Sweep kSweep>
void PartSweeps<Real>::SumRows(const Part& part, double home) {
  const double d = p_.damping, each = p_.seeds.empty() ? home / static_cast<double>(n_) : 0.0;
  using Wide = typename Lanes::Wide;
  using Narrow = typename Lanes::Narrow;
  ParallelFor(executor_, part.last - part.first, 1, [&](std::size_t block, std::size_t) {
    block += part.first;
    const std::size_t begin = p_.sums.first_row(block), end = p_.sums.first_row(block + 1);
    std::unique_ptr<Scratch> scratch = pool_.Take();
    double* const sums = scratch->sums.data();
    p_.sums.Pull(block, sent_.data(), sums);
    for (std::size_t i = 0; i < end - begin; ++i) sums[i] = each + d * sums[i];
    if (!p_.seeds.empty()) {
      auto seed = std::lower_bound(p_.seeds.begin(), p_.seeds.end(), begin,
                                   [](const SeedShare& s, std::size_t v) { return s.dense < v; });
      for (; seed != p_.seeds.end() && seed->dense < end; ++seed) sums[seed->dense - begin] += home * seed->share;
    }
    Lanes lanes;
    Real *const next = next_.data() + (begin - p_.sums.first_row(part.first)), *const moved = moved_.data();
    double* const scores = p_.scores.data();
    const double* const reciprocal = p_.reciprocal.data();
    Lanes::ForEach(begin, end, [&](std::size_t v, auto count) {
      Wide was{}, r{}, sum{};
      Load(was, scores + v, count);
      Load(r, reciprocal + v, count);
      Load(sum, &sums[v - begin], count);
      Wide score = sum, change = sum - was, sending = sum * r;
      const Narrow before = __builtin_convertvector(was * r, Narrow);  // what was sent of it
      if constexpr (kSweep != Sweep::kAnew) {
        score = was + sum;
        change = sum;
        if constexpr (kSweep == Sweep::kFirst) sending += was * r - __builtin_convertvector(before, Wide);
      }
      const Narrow to = __builtin_convertvector(sending, Narrow);
      if constexpr (kSweep == Sweep::kAnew) {
        const Narrow more = to - before;
        std::memcpy(moved + v, &more, count * sizeof(Real));
      }
      std::memcpy(next + (v - begin), &to, count * sizeof(Real));
      std::memcpy(scores + v, &score, count * sizeof(double));
      lanes.Add(score, r, change);
    });
    pool_.Give(std::move(scratch));
    blocks_[block] = lanes.Total();
  });
}

template <class Real>
void PartSweeps<Real>::Turn(std::size_t number) {
  Part& part = parts_[number];
  Totals& now = part.totals;
  const double home = Home(All()), absolute = now.absolute;
  if (sweep_ == Sweep::kAnew)
    SumRows<Sweep::kAnew>(part, home);
  else if (sweep_ == Sweep::kFirst)
    SumRows<Sweep::kFirst>(part, home - now.home);
  else
    SumRows<Sweep::kLater>(part, home - now.home);
  const std::size_t begin = p_.sums.first_row(part.first);
  if (p_.sums.positions(part.first)) {
    ParallelFor(executor_, part.last - part.first, 1, [&](std::size_t b, std::size_t) {
      Place(part.first + b, &next_[p_.sums.first_row(part.first + b) - begin]);
    });
  } else {  // by one thread: as long as it takes to start another
    for (std::size_t b = part.first; b < part.last; ++b) Place(b, &next_[p_.sums.first_row(b) - begin]);
  }
  now = Fold(part.first, part.last);
  now.home = home;
  const double nodes = static_cast<double>(p_.sums.first_row(part.last) - begin);
  // What rounding keeps back anew is sent along at the next turn.
  if (sweep_ != Sweep::kLater) now.changes += kEpsilon<Real> * std::max(now.absolute, absolute) + kTiny * nodes;
  lost_ += (2 * kEpsilon<Real> + p_.sums.Rounding()) * now.changes + 0x1p-51 * now.absolute + kTiny * nodes;
}

template <class Real>
double PartSweeps<Real>::Error() const {
  // What one more sweep would change is what the parts' last changes send to those parts that
  // have not had their turn since; and what the teleport has got since a part's last turn.
  const Totals all = All();
  if (!(all.scores > 0)) return std::numeric_limits<double>::infinity();
  const double home = Home(all);
  double most = 0;
  for (const Part& part : parts_) most = std::max(most, std::abs(home - part.totals.home));
  const double rounding = (p_.sums.Rounding() + 0x1p-50) * all.absolute + lost_;
  return (p_.damping * all.changes + most + rounding) / (all.scores * (1.0 - p_.damping));
}

template class PartSweeps<float>;
template class PartSweeps<double>;

}  // namespace plexus::internal
