// Decoding is one pass; what was made is found by its direction.
#include "algorithms/common/internal/base_weights.h"

#include <string_view>


namespace plexus::common_internal {

namespace {

struct FloatWeights final : Derived {
  static constexpr std::string_view kName = "weights of arcs";
  explicit FloatWeights(std::size_t size) : values(size) {}
  std::uint64_t size_bytes() const override { return values.size_bytes(); }
  AlignedArray<float> values;
};

}  // namespace

CsrView BaseRowsOf(const Csr& base, Direction direction, bool weighted, Executor& executor,
                   std::shared_ptr<const void>& weights) {
  constexpr std::size_t kGrain = std::size_t{1} << 18;
  const bool in = direction == Direction::kIn;
  const WeightColumn& column = in ? base.in_weights : base.out_weights;
  CsrView rows = base.view(direction).Unweighted();
  if (!weighted || (column.one_value() && column[0] == 1.0f)) return rows;
  if (column.codes().empty() && !column.one_value()) {
    rows.weights = column.values();
    return rows;
  }
  std::shared_ptr<const FloatWeights> kept = base.derived.Find<FloatWeights>(in);
  if (!kept) {
    const auto made = std::make_shared<FloatWeights>(column.size());
    ParallelFor(executor, column.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      column.view().Copy(begin, end, made->values.data() + begin);
    });
    kept = base.derived.Keep<FloatWeights>(made, in);
  }
  rows.weights = kept->values.span();
  weights = std::move(kept);
  return rows;
}

}  // namespace plexus::common_internal
