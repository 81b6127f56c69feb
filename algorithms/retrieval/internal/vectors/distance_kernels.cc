// The dispatched text: Highway compiles the middle of this file once per instruction
// level, with that level's types and compiler flags; the end chooses among the copies
// at run time. Each stretch of a row is summed in four vectors of f32, so that the
// adds overlap, and folded into f64.
#include "algorithms/retrieval/internal/vectors/distance_kernels.h"

#include "algorithms/common/internal/simd_dispatch.h"
#include "algorithms/retrieval/internal/vectors/row_reader.h"
#include "engine/vectors/half.h"

// Between the baseline and AVX2 nothing is gained that anyone would notice, and
// AVX3_DL has no instruction that f32 would use.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/retrieval/internal/vectors/distance_kernels.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // compiles what follows once per level
#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace plexus::retrieval::internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

constexpr std::size_t kLanes = HWY_MAX_BYTES / sizeof(float);
constexpr std::size_t kStep = 4 * kLanes;
constexpr std::size_t kStretch = 8 * kStep;
// How far ahead a scan prefetches its lines: the hardware's own reading ahead stops
// at every page of 4 KiB. 3 KiB measured best of none, 3 and 8, and of 8 and 16 into the second
// level only.
constexpr std::size_t kAhead = 768;
constexpr std::size_t kLineFloats = 64 / sizeof(float);

// What a stretch adds up, in four vectors. A sum is a struct so that one loop over a
// row can keep several of them.
struct Sum {
  Vec a, b, c, d;
};

HWY_INLINE Sum ZeroSum() {
  const Vec zero = hn::Zero(Tag());
  return {zero, zero, zero, zero};
}
HWY_INLINE double Total(const Sum& s) {
  const Vec all = hn::Add(hn::Add(s.a, s.b), hn::Add(s.c, s.d));
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(Tag(), all)));
}

// The three questions; constructors are spelled out, as implicit ones would be compiled
// for the baseline. Step gets the query's and the row's lanes, and one of the four
// vectors of its sums.
struct Dot {
  Sum dot;
  HWY_INLINE Dot() : dot(ZeroSum()) {}
  template <int kPart>
  HWY_INLINE void Step(Vec q, Vec x) {
    Vec& to = kPart == 0 ? dot.a : kPart == 1 ? dot.b : kPart == 2 ? dot.c : dot.d;
    to = hn::MulAdd(q, x, to);
  }
  HWY_INLINE void Fold(double* out) const { out[0] += Total(dot); }
};
struct DotNorm {
  Sum dot, norm;
  HWY_INLINE DotNorm() : dot(ZeroSum()), norm(ZeroSum()) {}
  template <int kPart>
  HWY_INLINE void Step(Vec q, Vec x) {
    Vec& to = kPart == 0 ? dot.a : kPart == 1 ? dot.b : kPart == 2 ? dot.c : dot.d;
    Vec& to_norm = kPart == 0 ? norm.a : kPart == 1 ? norm.b : kPart == 2 ? norm.c : norm.d;
    to = hn::MulAdd(q, x, to);
    to_norm = hn::MulAdd(x, x, to_norm);
  }
  HWY_INLINE void Fold(double* out) const {
    out[0] += Total(dot);
    out[1] += Total(norm);
  }
};
struct Distance {
  Sum squares;
  HWY_INLINE Distance() : squares(ZeroSum()) {}
  template <int kPart>
  HWY_INLINE void Step(Vec q, Vec x) {
    Vec& to = kPart == 0 ? squares.a : kPart == 1 ? squares.b : kPart == 2 ? squares.c : squares.d;
    const Vec difference = hn::Sub(q, x);
    to = hn::MulAdd(difference, difference, to);
  }
  HWY_INLINE void Fold(double* out) const { out[0] += Total(squares); }
};

template <bool kScan>
HWY_INLINE void Ahead(const float* x, std::size_t floats) {
  if (kScan)
    for (std::size_t i = 0; i < floats; i += kLineFloats) hwy::Prefetch(x + kAhead + i);
}

// One row: stretches, each of whole steps; in the last one up to three whole vectors
// and a masked one more.
template <class Question, bool kScan>
HWY_INLINE void Row(const float* HWY_RESTRICT q, const float* HWY_RESTRICT x, std::size_t n,
                    double* out) {
  const Tag tag;
  std::size_t i = 0;
  do {
    Question sums;
    const std::size_t end = n - i < kStretch ? n : i + kStretch;
    for (; i + kStep <= end; i += kStep) {
      Ahead<kScan>(x + i, kStep);
      sums.template Step<0>(hn::LoadU(tag, q + i), hn::LoadU(tag, x + i));
      sums.template Step<1>(hn::LoadU(tag, q + i + kLanes), hn::LoadU(tag, x + i + kLanes));
      sums.template Step<2>(hn::LoadU(tag, q + i + 2 * kLanes), hn::LoadU(tag, x + i + 2 * kLanes));
      sums.template Step<3>(hn::LoadU(tag, q + i + 3 * kLanes), hn::LoadU(tag, x + i + 3 * kLanes));
    }
    if (i + kLanes <= end) {
      Ahead<kScan>(x + i, kLanes);
      sums.template Step<0>(hn::LoadU(tag, q + i), hn::LoadU(tag, x + i));
      i += kLanes;
    }
    if (i + kLanes <= end) {
      Ahead<kScan>(x + i, kLanes);
      sums.template Step<1>(hn::LoadU(tag, q + i), hn::LoadU(tag, x + i));
      i += kLanes;
    }
    if (i + kLanes <= end) {
      Ahead<kScan>(x + i, kLanes);
      sums.template Step<2>(hn::LoadU(tag, q + i), hn::LoadU(tag, x + i));
      i += kLanes;
    }
    if (i < end) {
      const auto head = hn::FirstN(tag, end - i);
      sums.template Step<3>(hn::MaskedLoad(head, tag, q + i), hn::MaskedLoad(head, tag, x + i));
      i = end;
    }
    sums.Fold(out);
  } while (i < n);
}

// put(i, sums of row i): `kSums` of them.
template <class Question, std::size_t kSums, class Put>
HWY_INLINE void EachRow(const float* query, std::size_t n, Rows rows, Put put) {
  for (std::size_t r = 0; r < rows.count; ++r) {
    double out[kSums] = {};
    if (rows.count > 1)
      Row<Question, true>(query, rows.first + r * rows.stride, n, out);
    else
      Row<Question, false>(query, rows.first, n, out);
    put(r, out);
  }
}

void DotRows(const float* query, std::size_t n, Rows rows, double* dots) {
  EachRow<Dot, 1>(query, n, rows,
                  [=](std::size_t r, const double* sums) HWY_ATTR { dots[r] = sums[0]; });
}

void DotNormRows(const float* query, std::size_t n, Rows rows, double* dots, double* norms) {
  EachRow<DotNorm, 2>(query, n, rows, [=](std::size_t r, const double* sums) HWY_ATTR {
    dots[r] = sums[0];
    norms[r] = sums[1];
  });
}

void DistanceRows(const float* query, std::size_t n, Rows rows, double* squares) {
  EachRow<Distance, 1>(query, n, rows,
                       [=](std::size_t r, const double* sums) HWY_ATTR { squares[r] = sums[0]; });
}

// --- tiles: `First` of the first query, `Other` of the others

// Of the 32 registers of AVX-512 a tile of four takes 20 for its sums, of the 16 of AVX2 one of two
// takes 12.
constexpr std::size_t kTile = HWY_TARGET == HWY_AVX3 ? 4 : 2;
static_assert(kTile <= kMostQueriesInTile);

template <class First, class Other>
struct TileSums {
  First first;
  Other others[kTile - 1];

  HWY_INLINE TileSums() {}
  template <int kPart, class Load>
  HWY_INLINE void Step(const float* const* q, std::size_t at, Vec x, Load load) {
    first.template Step<kPart>(load(q[0] + at), x);
    for (std::size_t k = 1; k < kTile; ++k) others[k - 1].template Step<kPart>(load(q[k] + at), x);
  }
  HWY_INLINE void Fold(double* of_first, double* of_others) const {
    first.Fold(of_first);
    for (std::size_t k = 1; k < kTile; ++k) others[k - 1].Fold(of_others + k - 1);
  }
};

// As Row, whose order of sums it keeps.
template <class First, class Other>
HWY_INLINE void RowTile(const float* const* q, const float* HWY_RESTRICT x, std::size_t n,
                        double* of_first, double* of_others) {
  const Tag tag;
  const auto load = [=](const float* from) HWY_ATTR { return hn::LoadU(tag, from); };
  std::size_t i = 0;
  do {
    TileSums<First, Other> sums;
    const std::size_t end = n - i < kStretch ? n : i + kStretch;
    for (; i + kStep <= end; i += kStep) {
      Ahead<true>(x + i, kStep);
      sums.template Step<0>(q, i, load(x + i), load);
      sums.template Step<1>(q, i + kLanes, load(x + i + kLanes), load);
      sums.template Step<2>(q, i + 2 * kLanes, load(x + i + 2 * kLanes), load);
      sums.template Step<3>(q, i + 3 * kLanes, load(x + i + 3 * kLanes), load);
    }
    if (i + kLanes <= end) {
      Ahead<true>(x + i, kLanes);
      sums.template Step<0>(q, i, load(x + i), load);
      i += kLanes;
    }
    if (i + kLanes <= end) {
      Ahead<true>(x + i, kLanes);
      sums.template Step<1>(q, i, load(x + i), load);
      i += kLanes;
    }
    if (i + kLanes <= end) {
      Ahead<true>(x + i, kLanes);
      sums.template Step<2>(q, i, load(x + i), load);
      i += kLanes;
    }
    if (i < end) {
      const auto head = hn::FirstN(tag, end - i);
      const auto load_head = [=](const float* from)
                                 HWY_ATTR { return hn::MaskedLoad(head, tag, from); };
      sums.template Step<3>(q, i, load_head(x + i), load_head);
      i = end;
    }
    sums.Fold(of_first, of_others);
  } while (i < n);
}

void DotTile(const float* const* queries, std::size_t n, Rows rows, double* const* dots) {
  for (std::size_t r = 0; r < rows.count; ++r) {
    double first = 0, others[kTile - 1] = {};
    RowTile<Dot, Dot>(queries, rows.first + r * rows.stride, n, &first, others);
    dots[0][r] = first;
    for (std::size_t k = 1; k < kTile; ++k) dots[k][r] = others[k - 1];
  }
}

void DotNormTile(const float* const* queries, std::size_t n, Rows rows, double* const* dots,
                 double* norms) {
  for (std::size_t r = 0; r < rows.count; ++r) {
    double first[2] = {}, others[kTile - 1] = {};
    RowTile<DotNorm, Dot>(queries, rows.first + r * rows.stride, n, first, others);
    dots[0][r] = first[0];
    norms[r] = first[1];
    for (std::size_t k = 1; k < kTile; ++k) dots[k][r] = others[k - 1];
  }
}

void DistanceTile(const float* const* queries, std::size_t n, Rows rows, double* const* squares) {
  for (std::size_t r = 0; r < rows.count; ++r) {
    double first = 0, others[kTile - 1] = {};
    RowTile<Distance, Distance>(queries, rows.first + r * rows.stride, n, &first, others);
    squares[0][r] = first;
    for (std::size_t k = 1; k < kTile; ++k) squares[k][r] = others[k - 1];
  }
}

// --- rows of halves

void Decode(const std::byte* rows, std::size_t row_bytes, std::size_t count, std::size_t stride,
            float* HWY_RESTRICT values) {
  const hn::ScalableTag<float> tag;
  const hn::Rebind<hwy::float16_t, decltype(tag)> halves;
  for (std::size_t r = 0; r < count; ++r) {
    const std::byte* const row = rows + r * row_bytes;
    const auto* const from = reinterpret_cast<const hwy::float16_t*>(row);
    for (std::size_t i = 0; i < stride; i += kLanes) {
      if (count > 1 && i % (2 * kLineFloats) == 0)
        hwy::Prefetch(row + 2 * i + kAhead * sizeof(float));
      hn::StoreU(hn::PromoteTo(tag, hn::LoadU(halves, from + i)), tag, values + i);
    }
    values += stride;
  }
}

const RowKernels kKernels = {DotRows, DotNormRows, DistanceRows, kTile,
                             DotTile, DotNormTile, DistanceTile};

}  // namespace plexus::retrieval::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace plexus::retrieval::internal {
namespace {

// Four running sums, as the wide levels have.
template <class Term>
double SumOf(std::size_t n, Term&& term) {
  double sum[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sum[k] += term(i + k);
  for (; i < n; ++i) sum[i % 4] += term(i);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double ScalarDot(const float* a, const float* b, std::size_t n) {
  return SumOf(
      n, [&](std::size_t i) { return static_cast<double>(a[i]) * static_cast<double>(b[i]); });
}

const RowKernels kScalar = {
    [](const float* query, std::size_t n, Rows rows, double* dots) {
      for (std::size_t r = 0; r < rows.count; ++r)
        dots[r] = ScalarDot(query, rows.first + r * rows.stride, n);
    },
    [](const float* query, std::size_t n, Rows rows, double* dots, double* norms) {
      for (std::size_t r = 0; r < rows.count; ++r) {
        const float* row = rows.first + r * rows.stride;
        dots[r] = ScalarDot(query, row, n);
        norms[r] = ScalarDot(row, row, n);
      }
    },
    [](const float* query, std::size_t n, Rows rows, double* squares) {
      for (std::size_t r = 0; r < rows.count; ++r) {
        const float* row = rows.first + r * rows.stride;
        squares[r] = SumOf(n, [&](std::size_t i) {
          const double difference = static_cast<double>(query[i]) - static_cast<double>(row[i]);
          return difference * difference;
        });
      }
    },
    1,
    [](const float* const* queries, std::size_t n, Rows rows, double* const* dots) {
      ScalarRowKernels().dot(queries[0], n, rows, dots[0]);
    },
    [](const float* const* queries, std::size_t n, Rows rows, double* const* dots, double* norms) {
      ScalarRowKernels().dot_norm(queries[0], n, rows, dots[0], norms);
    },
    [](const float* const* queries, std::size_t n, Rows rows, double* const* squares) {
      ScalarRowKernels().distance(queries[0], n, rows, squares[0]);
    }};

void DecodeScalar(const std::byte* rows, std::size_t row_bytes, std::size_t count,
                  std::size_t stride, float* values) {
  for (std::size_t r = 0; r < count; ++r) {
    const auto* const from = reinterpret_cast<const std::uint16_t*>(rows + r * row_bytes);
    for (std::size_t i = 0; i < stride; ++i) *values++ = FloatFromHalf(from[i]);
  }
}

constexpr common_internal::SimdTable<HalfDecode> kDecodes{
    .scalar = &DecodeScalar,
#if (HWY_TARGETS) & HWY_AVX2
    .avx2 = &N_AVX2::Decode,
#endif
#if (HWY_TARGETS) & HWY_AVX3
    .avx512 = &N_AVX3::Decode,
#endif
};

}  // namespace

const RowKernels& ScalarRowKernels() { return kScalar; }

const RowKernels* FindRowKernels(SimdLevel level) {
  static constexpr common_internal::SimdTable<const RowKernels*> kKernels{
      .scalar = &kScalar,
#if (HWY_TARGETS) & HWY_AVX2
      .avx2 = &N_AVX2::kKernels,
#endif
#if (HWY_TARGETS) & HWY_AVX3
      .avx512 = &N_AVX3::kKernels,
#endif
  };
  return kKernels.Find(level);
}

const RowKernels& PickRowKernels(SimdLevel level) {
  const RowKernels* const found = FindRowKernels(level);
  return found ? *found : *FindRowKernels(SimdLevel::kBest);
}

HalfDecode FindHalfDecode(SimdLevel level) { return kDecodes.Find(level); }
HalfDecode PickHalfDecode(SimdLevel level) { return kDecodes.FindOrBest(level); }

}  // namespace plexus::retrieval::internal
#endif
