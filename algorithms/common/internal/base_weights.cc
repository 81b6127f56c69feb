// Decoding is one pass; what was made is found by its direction.
#include "algorithms/common/internal/base_weights.h"

#include <string_view>

#include "engine/lineage.h"

namespace plexus::internal {

namespace {

struct FloatWeights final : Derived {
  static constexpr std::string_view kName = "weights of arcs";
  explicit FloatWeights(std::size_t size) : values(size) {}
  std::uint64_t size_bytes() const override { return values.size_bytes(); }
  AlignedArray<float> values;
};

}  // namespace

BaseRowsView WeightedRowsOf(const Csr& base, Direction direction, Executor& executor) {
  constexpr std::size_t kGrain = std::size_t{1} << 18;
  const bool in = direction == Direction::kIn;
  const WeightColumn& column = in ? base.in_weights : base.out_weights;
  BaseRowsView view{base.view(direction).Unweighted(), nullptr};
  if (column.one_value() && column[0] == 1.0f) return view;
  if (column.codes().empty() && !column.one_value()) {
    view.rows.weights = column.values();
    return view;
  }
  std::shared_ptr<const FloatWeights> kept = base.derived.Find<FloatWeights>(in);
  if (!kept) {
    const auto made = std::make_shared<FloatWeights>(column.size());
    ParallelFor(executor, column.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      column.view().Copy(begin, end, made->values.data() + begin);
    });
    kept = base.derived.Keep<FloatWeights>(made, in);
  }
  view.rows.weights = kept->values.span();
  view.weights = std::move(kept);
  return view;
}

}  // namespace plexus::internal
