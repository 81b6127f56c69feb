// A turn runs in parallel over blocks of rows; parts follow each other.
#include "algorithms/internal/part_sweeps.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace plexus::internal {

namespace {

constexpr std::size_t kMostParts = 16;

std::size_t PartSize(std::size_t nodes, std::uint64_t arcs, std::uint64_t work, std::size_t grain) {
  const std::size_t count = std::clamp<std::size_t>((nodes + arcs) / work, 1, kMostParts);
  return ((nodes + count - 1) / count + grain - 1) / grain * grain;
}

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
  using Wide [[gnu::vector_size(kCount * sizeof(double))]] = double;
  using Bits [[gnu::vector_size(kCount * sizeof(double))]] = std::int64_t;
  using Narrow [[gnu::vector_size(kCount * sizeof(Real))]] = Real;
  Wide scores{}, dangling{}, absolute{}, changes{};

  void Add(const Wide& score, const Wide& reciprocal, const Wide& change) {
    constexpr std::int64_t kNoSign = std::numeric_limits<std::int64_t>::max();
    scores += score;
    absolute += reinterpret_cast<Wide>(reinterpret_cast<Bits>(score) & kNoSign);
    // No branch: which nodes dangle is anyone's guess.
    const Bits dangles = reciprocal == 0.0;
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
    : p_(problem), executor_(executor), n_(problem.scores.size()), size_(PartSize(n_, problem.arcs, problem.part_work, kGrain)),
      sent_(n_), next_(n_), moved_(n_), blocks_((n_ + kGrain - 1) / kGrain), parts_((n_ + size_ - 1) / size_) {
  p_.sums.Reserve(executor_, blocks_.size());
}

template <class Real>
auto PartSweeps<Real>::All() const -> Totals {
  Totals all;
  for (const Totals& part : parts_) {
    all.scores += part.scores;
    all.dangling += part.dangling;
    all.absolute += part.absolute;
    all.changes += part.changes;
  }
  return all;
}

template <class Real>
auto PartSweeps<Real>::Fold(std::size_t begin, std::size_t end) const -> Totals {
  Totals all;
  for (std::size_t b = begin / kGrain; b * kGrain < end; ++b) {
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
  ParallelFor(executor_, n_, kGrain, [&](std::size_t begin, std::size_t end) {
    Lanes lanes;
    Lanes::ForEach(begin, end, [&, scores = p_.scores.data(), sent = sent_.data()](std::size_t v, auto count) {
      Wide score{}, r{};
      Load(score, scores + v, count);
      Load(r, p_.reciprocal.data() + v, count);
      const Narrow contribution = __builtin_convertvector(score * r, Narrow);
      std::memcpy(sent + v, &contribution, count * sizeof(Real));
      lanes.Add(score, r, Wide{});
    });
    blocks_[begin / kGrain] = lanes.Total();
  });
  for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k] = Fold(k * size_, std::min((k + 1) * size_, n_));
}

template <class Real>
void PartSweeps<Real>::BeginSweep(double enough) {
  if (began_) {
    if (sweep_ == Sweep::kAnew) std::swap(sent_, moved_);
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

// Rows [first, last), by what is in sent_; theirs goes to next_, totals to blocks_. `home`:
// what the teleport gets, or gets more.
template <class Real>
template <typename PartSweeps<Real>::Sweep kSweep>
void PartSweeps<Real>::SumRows(std::size_t first, std::size_t last, double home) {
  const double d = p_.damping, each = p_.seeds.empty() ? home / static_cast<double>(n_) : 0.0;
  using Wide = typename Lanes::Wide;
  using Narrow = typename Lanes::Narrow;
  ParallelFor(executor_, last - first, kGrain, [&](std::size_t begin, std::size_t end) {
    begin += first, end += first;
    std::array<double, kGrain> sums;
    p_.sums.Pull(begin, end, sent_.data(), sums.data());
    for (std::size_t i = 0; i < end - begin; ++i) sums[i] = each + d * sums[i];
    if (!p_.seeds.empty()) {
      auto seed = std::lower_bound(p_.seeds.begin(), p_.seeds.end(), begin,
                                   [](const SeedShare& s, std::size_t v) { return s.dense < v; });
      for (; seed != p_.seeds.end() && seed->dense < end; ++seed) sums[seed->dense - begin] += home * seed->share;
    }
    Lanes lanes;
    Real *const sent = sent_.data(), *const next = next_.data(), *const moved = moved_.data();
    double* const scores = p_.scores.data();
    const double* const reciprocal = p_.reciprocal.data();
    Lanes::ForEach(begin, end, [&](std::size_t v, auto count) {
      Wide was{}, r{}, sum{};
      Load(was, scores + v, count);
      Load(r, reciprocal + v, count);
      Load(sum, &sums[v - begin], count);
      Wide score = sum, change = sum - was, sending = sum * r;
      if constexpr (kSweep != Sweep::kAnew) {
        score = was + sum;
        change = sum;
        if constexpr (kSweep == Sweep::kFirst)
          sending += was * r - __builtin_convertvector(__builtin_convertvector(was * r, Narrow), Wide);
      }
      const Narrow to = __builtin_convertvector(sending, Narrow);
      if constexpr (kSweep == Sweep::kAnew) {
        Narrow before{};
        Load(before, sent + v, count);
        const Narrow more = to - before;
        std::memcpy(moved + v, &more, count * sizeof(Real));
      }
      std::memcpy(next + v, &to, count * sizeof(Real));
      std::memcpy(scores + v, &score, count * sizeof(double));
      lanes.Add(score, r, change);
    });
    blocks_[begin / kGrain] = lanes.Total();
  });
}

template <class Real>
void PartSweeps<Real>::Turn(std::size_t part) {
  const std::size_t begin = part * size_, end = std::min(begin + size_, n_);
  const double home = Home(All()), absolute = parts_[part].absolute;
  if (sweep_ == Sweep::kAnew)
    SumRows<Sweep::kAnew>(begin, end, home);
  else if (sweep_ == Sweep::kFirst)
    SumRows<Sweep::kFirst>(begin, end, home - parts_[part].home);
  else
    SumRows<Sweep::kLater>(begin, end, home - parts_[part].home);
  ParallelFor(executor_, end - begin, 16 * kGrain, [&](std::size_t from, std::size_t to) {
    std::memcpy(&sent_[begin + from], &next_[begin + from], (to - from) * sizeof(Real));
  });
  Totals& now = parts_[part];
  now = Fold(begin, end);
  now.home = home;
  const double nodes = static_cast<double>(end - begin);
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
  for (const Totals& part : parts_) most = std::max(most, std::abs(home - part.home));
  const double rounding = (p_.sums.Rounding() + 0x1p-50) * all.absolute + lost_;
  return (p_.damping * all.changes + most + rounding) / (all.scores * (1.0 - p_.damping));
}

template class PartSweeps<float>;
template class PartSweeps<double>;

}  // namespace plexus::internal
