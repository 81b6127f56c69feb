// One row against all others, through their signatures.
#include "algorithms/memory/frontier/internal/row_partners.h"

#include <algorithm>
#include <bit>

#include "algorithms/common/internal/simd_dispatch.h"

namespace plexus::memory::internal {

namespace {

[[gnu::always_inline]] inline void MatchRows(const SurfacePool& pool, const WorthBound& bound,
                                             Row row, float need, Row first, Row last,
                                             std::vector<Row>& out) {
  const MemberRow& x = pool.rows[row];
  const auto slack = [](const MemberRow& r) -> std::uint32_t {
    return r.tag_slack == 65535 ? 1u << 30 : r.tag_slack;
  };
  for (Row r = first; r < last; ++r) {
    const MemberRow& y = pool.rows[r];
    const auto common = [&](std::size_t word) {
      return static_cast<std::uint32_t>(std::popcount(x.signature[word] & y.signature[word]));
    };
    const std::uint32_t tags = common(0) + common(1) + common(2) + std::min(slack(x), slack(y));
    const std::uint32_t terms = common(3) + std::min<std::uint32_t>(x.term_slack, y.term_slack);
    if (bound.row(row) + bound.row(r) + bound.tags(tags) + bound.terms(terms) >= need && r != row)
      out.push_back(r);
  }
}
void MatchScalar(const SurfacePool& pool, const WorthBound& bound, Row row, float need, Row first,
                 Row last, std::vector<Row>& out) {
  MatchRows(pool, bound, row, need, first, last, out);
}
using Matcher = void (*)(const SurfacePool&, const WorthBound&, Row, float, Row, Row,
                         std::vector<Row>&);
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("popcnt"))) void MatchPopcount(const SurfacePool& pool,
                                                     const WorthBound& bound, Row row, float need,
                                                     Row first, Row last, std::vector<Row>& out) {
  MatchRows(pool, bound, row, need, first, last, out);
}
// Machines with AVX2 count bits in one instruction.
constexpr common_internal::SimdTable<Matcher> kMatch{&MatchScalar, &MatchPopcount};
#else
constexpr common_internal::SimdTable<Matcher> kMatch{&MatchScalar};
#endif

}  // namespace

std::vector<Row> PartnersOf(const SurfacePool& pool, const WorthBound& bound, Row row, float need,
                            Executor& executor) {
  constexpr Row kRows = 1 << 15;  // of a block
  std::vector<std::vector<Row>> parts((pool.count() + kRows - 1) / kRows);
  RunBlocks(executor, parts.size(), [&](std::size_t p) {
    const Row first = static_cast<Row>(p) * kRows, last = std::min(pool.count(), first + kRows);
    kMatch.Find(SimdLevel::kBest)(pool, bound, row, need, first, last, parts[p]);
  });
  std::vector<Row> rows;
  for (const std::vector<Row>& part : parts) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace plexus::memory::internal
