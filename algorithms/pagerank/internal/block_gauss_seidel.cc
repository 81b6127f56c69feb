// A turn runs in parallel over blocks of rows; parts follow each other.
#include "algorithms/pagerank/internal/block_gauss_seidel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "algorithms/pagerank/internal/simd4.h"

namespace plexus::pagerank_internal {

namespace {

constexpr std::size_t kMaxParts = 16;
// What is kept is f32: rounded by so much of itself, and by kTiny where it is too small for that.
constexpr double kKeptRounding = 0x1p-24, kTiny = 1e-44;
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
  using Narrow = typename Codes::Reals;
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
      coded_(n_ >= problem.coded_nodes && !problem.sums.positions(0)),
      wide_(!coded_),
      sent_(n_),
      codes_(coded_ ? n_ : 0),
      kept_(n_),
      moved_(coded_ ? n_ : 0),
      moved_reals_(coded_ ? 0 : n_),
      blocks_(std::max(problem.sums.block_count(), problem.rows.block_count())) {
  const std::size_t count = std::clamp<std::size_t>((n_ + p_.arcs) / p_.part_work, 1, kMaxParts);
  const std::size_t size = (n_ + count - 1) / count;  // nodes a part, but for what blocks add
  for (std::size_t b = 0; b < p_.sums.block_count(); ++b) {
    const std::size_t row = p_.sums.first_row(b);
    if (parts_.empty() || (row >= parts_.back().begin + size && row % CsrSpmv::kBlock == 0))
      parts_.push_back({b, b, static_cast<NodeId>(row), 0, {}});
    parts_.back().last = b + 1;
    parts_.back().end = static_cast<NodeId>(p_.sums.first_row(b + 1));
  }
  std::size_t most = 0;
  for (const Part& part : parts_) most = std::max<std::size_t>(most, part.end - part.begin);
  next_ = AlignedArray<Real>(most);
  next_codes_ = AlignedArray<std::uint8_t>(most);
  p_.sums.Reserve(executor_, p_.sums.block_count());
  p_.rows.Reserve(executor_, p_.rows.block_count());
  pool_.Reserve(executor_, blocks_.size());
  const std::size_t max_rows = std::max(p_.sums.max_rows(), p_.rows.max_rows());
  for (const auto& scratch : pool_.idle()) {
    scratch->sums = AlignedArray<double>(max_rows);
    scratch->values = AlignedArray<Real>(max_rows);
  }
}

template <class Real>
auto BlockGaussSeidel<Real>::All() const -> Totals {
  Totals all;
  for (const Part& part : parts_) {
    all.scores += part.totals.scores;
    all.dangling += part.totals.dangling;
    all.absolute += part.totals.absolute;
    all.changes += part.totals.changes;
    all.kept += part.totals.kept;
  }
  return all;
}

// Of the first `count` blocks at work.
template <class Real>
auto BlockGaussSeidel<Real>::Fold(std::size_t count) const -> Totals {
  Totals all;
  for (std::size_t b = 0; b < count; ++b) {
    all.scores += blocks_[b].scores;
    all.dangling += blocks_[b].dangling;
    all.absolute += blocks_[b].absolute;
    all.changes += blocks_[b].changes;
    all.kept += blocks_[b].kept;
  }
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

// Value(v), by which a sweep of Real changes begins, to where rows look for it.
template <class Real>
template <class Value>
void BlockGaussSeidel<Real>::SendReals(Value&& value) {
  sweep_ = Sweep::kFirstReal;
  wide_ = true;
  ParallelFor(executor_, p_.sums.block_count(), 1, [&](std::size_t b, std::size_t) {
    const auto scratch = pool_.Acquire();
    const std::size_t row = p_.sums.first_row(b), count = p_.sums.first_row(b + 1) - row;
    for (std::size_t i = 0; i < count; ++i) scratch->values[i] = value(row + i);
    Place(b, scratch->values.data());
  });
}

// After a sweep anew: what rows before a node's have not been told yet, as codes.
template <class Real>
void BlockGaussSeidel<Real>::SendCodes(double enough) {
  constexpr std::size_t kGrain = std::size_t{1} << 14;
  const int most = ParallelReduce(
      executor_, n_, kGrain, 0,
      [moved = moved_.data()](std::size_t begin, std::size_t end) {
        std::int16_t high = 0, low = 0;
        for (std::size_t v = begin; v < end; ++v) {
          high = std::max(high, moved[v]);
          low = std::min(low, moved[v]);
        }
        return std::max<int>(high, -low);
      },
      [](int a, int b) { return std::max(a, b); });
  const int base = std::max(0, most - static_cast<int>(Codes::kTop));
  // Those too small for the largest beside them will not be passed on.
  const double beyond = ParallelReduce(
      executor_, n_, kGrain, 0.0,
      [this, base, moved = moved_.data(), codes = codes_.data()](std::size_t begin,
                                                                 std::size_t end) {
        int small = 0;
        for (std::size_t v = begin; v < end; ++v) {
          const int sign = moved[v] >> 15, key = (moved[v] ^ sign) - sign,
                    code = std::max(key - base, 0);
          codes[v] = static_cast<std::uint8_t>(code | (sign & 128));
          small += (code == 0) & (key != 0);
        }
        double part = 0;
        for (std::size_t v = begin; small > 0 && v < end; ++v)
          if (moved[v] != 0 && (codes[v] & 127) == 0)
            part += static_cast<double>(Codes::Value(std::abs(static_cast<int>(moved[v])))) /
                    p_.reciprocal[v];
        return part;
      },
      [](double a, double b) { return a + b; });
  if (wide_ || beyond > 0.02 * (1.0 - p_.damping) * enough * All().scores)
    return SendReals([&](std::size_t v) {
      const Real value = Codes::Value(std::abs(static_cast<int>(moved_[v])));
      return moved_[v] < 0 ? -value : value;
    });
  lost_ += beyond;
  sweep_ = Sweep::kCoded;
  base_ = base;
  table_ = Codes::Table(base_);
}

// Lets the largest code be the largest that there is, so that smaller changes have one, too. The
// base falls by whole octaves.
template <class Real>
void BlockGaussSeidel<Real>::RescaleCodes() {
  constexpr std::size_t kGrain = std::size_t{1} << 16;
  const int most = ParallelReduce(
      executor_, n_, kGrain, 0,
      [codes = codes_.data()](std::size_t begin, std::size_t end) {
        std::uint8_t part = 0;
        for (std::size_t v = begin; v < end; ++v) {
          const std::uint8_t code = codes[v] & 127;
          part = std::max(part, code);
        }
        return static_cast<int>(part);
      },
      [](int a, int b) { return std::max(a, b); });
  const int raise = std::min(static_cast<int>(Codes::kTop) - most, static_cast<int>(base_)) & ~3;
  if (raise == 0) return;
  base_ -= raise;
  table_ = Codes::Table(base_);
  ParallelFor(executor_, n_, kGrain,
              [more = static_cast<std::uint8_t>(raise), codes = codes_.data()](std::size_t begin,
                                                                               std::size_t end) {
                using Bytes [[gnu::vector_size(16)]] = std::uint8_t;
                for (std::size_t v = begin; v < end; v += sizeof(Bytes)) {
                  const std::size_t count = std::min(sizeof(Bytes), end - v);
                  Bytes some{};
                  Load(some, codes + v, count);
                  some += reinterpret_cast<Bytes>((some & 127) != 0) & more;
                  Store(codes + v, some, count);
                }
              });
}

template <class Real>
void BlockGaussSeidel<Real>::BeginSweep(double enough) {
  const Totals all = All();
  if (!began_ ||
      (lost_ > 0.25 * (1.0 - p_.damping) * enough * all.scores && all.changes <= 16 * lost_)) {
    sweep_ = coded_ ? Sweep::kAnew : Sweep::kAnewReal;
    lost_ = 0;
    Contribute();
  } else if (sweep_ == Sweep::kAnew) {
    SendCodes(enough);
  } else if (sweep_ == Sweep::kAnewReal) {
    SendReals([&](std::size_t v) { return moved_reals_[v]; });
  } else if (sweep_ == Sweep::kCoded) {
    // What codes leave out is a twenty-fifth, where they reach from the largest to most others.
    // Where changes cancel little rounding could make up for what a sweep takes from them.
    if (all.kept > 0.25 * all.changes || all.changes > 0.5 * pending_)
      SendReals([&](std::size_t v) { return static_cast<Real>(table_[codes_[v]]); });
    else
      RescaleCodes();
  } else {
    sweep_ = Sweep::kReal;
  }
  began_ = true;
  pending_ = all.changes;
}

// Rows [begin, end) by their sums, what the teleport gives included: changes, or scores in a sweep
// anew. What they send goes to next_ or next_codes_, from `next` on.
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
  std::int16_t* const moved = moved_.data();
  [[maybe_unused]] Real* const moved_reals = moved_reals_.data();
  Real* const to = next_.data() + next - begin;
  std::uint8_t* const codes = next_codes_.data() + next - begin;
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
    Wide keeps{};
    Wide score = sum, pending;  // what others have yet to be told of
    [[maybe_unused]] Narrow accumulated{}, quantized{};
    if constexpr (kSweep == Sweep::kAnew || kSweep == Sweep::kAnewReal) {
      accumulated = __builtin_convertvector(was * r, Narrow);
      if constexpr (kSweep == Sweep::kAnewReal)
        pending = score - was;
      else
        pending = score - __builtin_convertvector(accumulated, Wide) / divisor;
    } else {
      score += was;
      pending = sum;
      if constexpr (kSweep != Sweep::kReal) {
        Floats keeping{};
        Load(keeping, kept + v, count);
        pending += __builtin_convertvector(keeping, Wide);
      }
    }
    Lanes::Mask(pending, ~dangles);
    const Narrow sending = __builtin_convertvector(pending * r, Narrow);
    if constexpr (kSweep == Sweep::kAnew) {
      // Contributions of Real, old and new, must differ by what a code says.
      typename Codes::Keys keys;
      Codes::Difference(accumulated, sending, keys, quantized);
      const Narrow now = accumulated + quantized;
      Store(to + v, now, count);
      for (std::size_t i = 0; i < count; ++i) moved[v + i] = static_cast<std::int16_t>(keys[i]);
    } else if constexpr (kSweep == Sweep::kCoded) {
      std::array<std::uint8_t, 4> code;
      Codes::Encode(sending, base_, code.data(), quantized);
      Store(codes + v, code, count);
    } else if constexpr (kSweep == Sweep::kAnewReal) {
      const Narrow now = __builtin_convertvector(score * r, Narrow);
      Store(to + v, now, count);
      Store(moved_reals + v, now - accumulated, count);
      keeps = score - __builtin_convertvector(now, Wide) / divisor;
      Lanes::Mask(keeps, ~dangles);
    } else {
      Store(to + v, sending, count);
    }
    Wide sent = pending;
    if constexpr (kSweep == Sweep::kAnew || kSweep == Sweep::kCoded) {
      sent = __builtin_convertvector(quantized, Wide) / divisor;
      keeps = pending - sent;
    }
    if constexpr (kSweep == Sweep::kAnew || kSweep == Sweep::kAnewReal || kSweep == Sweep::kCoded) {
      const Floats keeping = __builtin_convertvector(keeps, Floats);
      Store(kept + v, keeping, count);
    }
    Store(scores + v, score, count);
    lanes.AddScore(score, dangles);
    lanes.AddChange(sent, keeps);
  });
  return lanes.Total();
}

// The rows of a part, by what others have sent. `home`: what the teleport gets, or gets more.
template <class Real>
template <typename BlockGaussSeidel<Real>::Sweep kSweep>
auto BlockGaussSeidel<Real>::SumRows(const Part& part, double home) -> Totals {
  const double d = p_.damping, each = p_.seeds.empty() ? home / static_cast<double>(n_) : 0.0;
  constexpr bool kCoded = kSweep == Sweep::kCoded;
  const std::size_t first = kCoded ? part.begin / CsrSpmv::kBlock : part.first;
  const std::size_t count = kCoded ? (part.end - part.begin + CsrSpmv::kBlock - 1) / CsrSpmv::kBlock
                                   : part.last - part.first;
  ParallelFor(executor_, count, 1, [&](std::size_t block, std::size_t) {
    const auto scratch = pool_.Acquire();
    double* const sums = scratch->sums.data();
    std::size_t begin, end;
    if constexpr (kCoded) {
      begin = p_.rows.first_row(first + block), end = p_.rows.first_row(first + block + 1);
      p_.rows.Pull(first + block, CsrSpmv::Coded{codes_.data(), table_.data()}, sums);
    } else {
      begin = p_.sums.first_row(first + block), end = p_.sums.first_row(first + block + 1);
      p_.sums.Pull(first + block, sent_.data(), sums);
    }
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
  if (sweep_ == Sweep::kAnew)
    part.totals = SumRows<Sweep::kAnew>(part, home);
  else if (sweep_ == Sweep::kAnewReal)
    part.totals = SumRows<Sweep::kAnewReal>(part, home);
  else if (sweep_ == Sweep::kCoded)
    part.totals = SumRows<Sweep::kCoded>(part, home - before.home);
  else if (sweep_ == Sweep::kFirstReal)
    part.totals = SumRows<Sweep::kFirstReal>(part, home - before.home);
  else
    part.totals = SumRows<Sweep::kReal>(part, home - before.home);
  Totals& now = part.totals;
  now.home = home;
  if (sweep_ == Sweep::kCoded) {
    std::memcpy(&codes_[part.begin], next_codes_.data(), part.end - part.begin);
  } else if (p_.sums.positions(part.first)) {
    ParallelFor(executor_, part.last - part.first, 1, [&](std::size_t b, std::size_t) {
      Place(part.first + b, &next_[p_.sums.first_row(part.first + b) - part.begin]);
    });
  } else {  // by one thread: as long as it takes to start another
    for (std::size_t b = part.first; b < part.last; ++b)
      Place(b, &next_[p_.sums.first_row(b) - part.begin]);
  }
  // Rounding: of scores, old and new, of what is kept or sent as Real, and where changes are
  // summed.
  const bool real = sweep_ != Sweep::kAnew && sweep_ != Sweep::kCoded;
  const double nodes = static_cast<double>(part.end - part.begin);
  // And the contributions told before were rounded.
  if (sweep_ == Sweep::kAnewReal)
    now.changes += kEpsilon<Real> * std::max(now.absolute, before.absolute) + kTinyReal * nodes;
  lost_ +=
      0x1p-51 * (now.absolute + before.absolute) + kKeptRounding * now.kept +
      (std::max(p_.sums.Rounding(), p_.rows.Rounding()) + 0x1p-50 + (real ? kEpsilon<Real> : 0.0)) *
          now.changes +
      (real ? kTinyReal : kTiny) * nodes;
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
  const double rounding =
      (std::max(p_.sums.Rounding(), p_.rows.Rounding()) + 0x1p-50) * all.absolute + lost_;
  return (p_.damping * all.changes + most + rounding) / (all.scores * (1.0 - p_.damping));
}

template class BlockGaussSeidel<float>;
template class BlockGaussSeidel<double>;

}  // namespace plexus::pagerank_internal
