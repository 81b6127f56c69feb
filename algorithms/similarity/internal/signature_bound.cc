// Laying out a list's signatures and scanning them.
#include "algorithms/similarity/internal/signature_bound.h"

#include <algorithm>
#include <bit>

#include "algorithms/common/internal/simd_dispatch.h"

namespace plexus::similarity::internal {

namespace {

constexpr std::size_t kAhead = 16;  // rows fetched before they are needed

struct View {
  const std::uint64_t* words[kWords];
  const std::uint32_t* slack;
  const std::uint32_t* units;
};

// Words [kFrom, kWords) count.
template <int kFrom>
[[gnu::always_inline]] inline void ScanWords(const View& v, std::uint32_t x, std::uint32_t first,
                                             std::uint32_t last, std::uint32_t need,
                                             std::vector<std::uint32_t>& out) {
  std::uint64_t mine[kWords] = {};
  for (int k = kFrom; k < kWords; ++k) mine[k] = v.words[k][x];
  const std::uint32_t slack = v.slack[x];
  for (std::uint32_t y = first; y < last; ++y) {
    std::uint32_t bound = std::min(slack, v.slack[y]);
    for (int k = kFrom; k < kWords; ++k)
      bound += static_cast<std::uint32_t>(std::popcount(mine[k] & v.words[k][y])) * v.units[k];
    if (bound >= need) out.push_back(y);
  }
}

[[gnu::always_inline]] inline void ScanFrom(int from, const View& v, std::uint32_t x,
                                            std::uint32_t first, std::uint32_t last,
                                            std::uint32_t need, std::vector<std::uint32_t>& out) {
  switch (from) {
    case 0:
      return ScanWords<0>(v, x, first, last, need, out);
    case 1:
      return ScanWords<1>(v, x, first, last, need, out);
    case 2:
      return ScanWords<2>(v, x, first, last, need, out);
    default:
      return ScanWords<3>(v, x, first, last, need, out);
  }
}

[[gnu::always_inline]] inline std::uint32_t Bound(const InvertedIndex& index, const Signature& a,
                                                  const Signature& b) {
  std::uint32_t bound = std::min(a.slack[0], b.slack[0]);
  for (std::size_t k = 0; k < kWords; ++k)
    bound +=
        static_cast<std::uint32_t>(std::popcount(a.words[k] & b.words[k])) * index.word_units[k];
  return bound;
}

[[gnu::always_inline]] inline void ScanThirdRows(const InvertedIndex& index, std::uint32_t a,
                                                 std::uint32_t b,
                                                 std::span<const std::uint32_t> rows,
                                                 std::uint32_t need,
                                                 std::vector<std::uint32_t>& out) {
  const Signature x = index.signatures[a], y = index.signatures[b];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + kAhead < rows.size()) __builtin_prefetch(&index.signatures[rows[i + kAhead]]);
    const Signature& z = index.signatures[rows[i]];
    if (Bound(index, x, z) + Bound(index, y, z) >= need) out.push_back(rows[i]);
  }
}

using ThirdScanner = void (*)(const InvertedIndex&, std::uint32_t, std::uint32_t,
                              std::span<const std::uint32_t>, std::uint32_t,
                              std::vector<std::uint32_t>&);
using Scanner = void (*)(int, const View&, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::vector<std::uint32_t>&);

void ScanPortable(int from, const View& v, std::uint32_t x, std::uint32_t first, std::uint32_t last,
                  std::uint32_t need, std::vector<std::uint32_t>& out) {
  ScanFrom(from, v, x, first, last, need, out);
}

void ScanThirdsPortable(const InvertedIndex& index, std::uint32_t a, std::uint32_t b,
                        std::span<const std::uint32_t> rows, std::uint32_t need,
                        std::vector<std::uint32_t>& out) {
  ScanThirdRows(index, a, b, rows, need, out);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("popcnt"))) void ScanThirdsPopcount(const InvertedIndex& index,
                                                          std::uint32_t a, std::uint32_t b,
                                                          std::span<const std::uint32_t> rows,
                                                          std::uint32_t need,
                                                          std::vector<std::uint32_t>& out) {
  ScanThirdRows(index, a, b, rows, need, out);
}
__attribute__((target("popcnt"))) void ScanPopcount(int from, const View& v, std::uint32_t x,
                                                    std::uint32_t first, std::uint32_t last,
                                                    std::uint32_t need,
                                                    std::vector<std::uint32_t>& out) {
  ScanFrom(from, v, x, first, last, need, out);
}
// Machines with AVX2 count bits in one instruction.
constexpr common_internal::SimdTable<Scanner> kScan{&ScanPortable, &ScanPopcount};
constexpr common_internal::SimdTable<ThirdScanner> kScanThirds{&ScanThirdsPortable,
                                                               &ScanThirdsPopcount};
#else
constexpr common_internal::SimdTable<Scanner> kScan{&ScanPortable};
constexpr common_internal::SimdTable<ThirdScanner> kScanThirds{&ScanThirdsPortable};
#endif

}  // namespace

void PairBound::Load(const InvertedIndex& index, std::span<const ListItem> items,
                     std::uint32_t term) {
  from_ = index.word_of(term);
  const auto from = static_cast<std::size_t>(from_);
  for (int k = from_; k < kWords; ++k) {
    words_[k].resize(items.size());
    units_[k] = index.word_units[static_cast<std::size_t>(k)];
  }
  // Terms after `term` in its own word weigh at most as much as the next one.
  units_[from_] = term + 1 < index.term_count() ? index.units[term + 1] : 0;
  slack_.resize(items.size());
  auto fetch = [&](std::size_t i) {
    __builtin_prefetch(&index.signatures[items[i].row()]);
    __builtin_prefetch(&index.entries[items[i].entry]);
    __builtin_prefetch(&index.begins[items[i].row() + 1]);
  };
  for (std::size_t i = 0; i < std::min(kAhead, items.size()); ++i) fetch(i);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i + kAhead < items.size()) fetch(i + kAhead);
    const std::uint32_t row = items[i].row();
    const Signature& signature = index.signatures[row];
    // The own word again, from the terms after the common one.
    std::uint64_t own = 0;
    std::uint32_t slack = from + 1 < kWords ? signature.slack[from + 1] : 0;
    for (std::uint32_t e = items[i].entry + 1; e < index.begins[row + 1]; ++e) {
      const std::uint32_t t = index.entries[e].term;
      if (index.word_of(t) != from_) break;
      const std::uint64_t bit = std::uint64_t{1} << (index.cells[t] & 63);
      if (own & bit) slack = AddUnits(slack, index.units[t]);
      own |= bit;
    }
    words_[from_][i] = own;
    slack_[i] = slack;
    for (std::size_t k = from + 1; k < kWords; ++k) words_[k][i] = signature.words[k];
  }
}

void PairBound::Scan(std::uint32_t x, std::uint32_t first, std::uint32_t last, std::uint32_t need,
                     std::vector<std::uint32_t>& out) const {
  View view{};
  for (int k = from_; k < kWords; ++k) view.words[k] = words_[k].data();
  view.slack = slack_.data();
  view.units = units_;
  kScan.Find(SimdLevel::kBest)(from_, view, x, first, last, need, out);
}

void ScanThirds(const InvertedIndex& index, std::uint32_t a, std::uint32_t b,
                std::span<const std::uint32_t> rows, std::uint32_t need,
                std::vector<std::uint32_t>& out) {
  kScanThirds.Find(SimdLevel::kBest)(index, a, b, rows, need, out);
}

}  // namespace plexus::similarity::internal
