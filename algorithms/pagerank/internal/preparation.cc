// Checks, and what is prepared once and kept.
#include "algorithms/pagerank/internal/preparation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/pagerank/internal/pagerank_csr.h"
#include "algorithms/pagerank/pagerank.h"
#include "engine/state.h"

namespace plexus::pagerank::internal {

namespace {

// What was prepared for a state, newest first. Large layouts may be among them: few are kept.
class PreparedRankings final : public Derived {
 public:
  static constexpr std::string_view kName = "PageRank preparations";

  static std::shared_ptr<const PreparedRankings> Of(const Snapshot& snapshot) {
    const DerivedData& kept = snapshot.state().derived.kept;
    if (auto there = kept.Find<PreparedRankings>()) return there;
    return kept.Keep<PreparedRankings>(std::make_shared<const PreparedRankings>());
  }
  // The newest that `fits`, or null.
  template <class Fits>
  std::shared_ptr<const PageRankPrepared> Find(Fits&& fits) const {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i] || !fits(*entries_[i])) continue;
      std::rotate(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(i),
                  entries_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return entries_[0];
    }
    return nullptr;
  }
  void Keep(std::shared_ptr<const PageRankPrepared> made) const {
    const std::lock_guard lock(mutex_);
    std::rotate(entries_.begin(), entries_.end() - 1, entries_.end());
    entries_[0].swap(made);  // what fell out is freed after the lock
  }
  std::uint64_t size_bytes() const override {
    const std::lock_guard lock(mutex_);
    std::uint64_t bytes = 0;
    for (const auto& entry : entries_)
      if (entry) bytes += entry->size_bytes();
    return bytes;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::array<std::shared_ptr<const PageRankPrepared>, 4> entries_;
};

// A run to a tolerance seldom takes fewer iterations, or many more.
int ExpectedIterations(const PageRankOptions& options) {
  constexpr int kToTolerance = 20;
  return options.iterations > 0 ? options.iterations
                                : std::min(kToTolerance, options.max_iterations);
}

// The shortest that reads back as x.
std::string Text(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

// Multiplying by 1 changes no bit, so a graph whose weights are all 1 takes the
// unweighted kernel, which reads half as many bytes.
bool AllOnes(std::span<const float> weights, Executor& executor) {
  return ParallelReduce(
             executor, weights.size(), std::size_t{1} << 16, 1,
             [&](std::size_t begin, std::size_t end) -> int {
               return std::all_of(weights.begin() + static_cast<std::ptrdiff_t>(begin),
                                  weights.begin() + static_cast<std::ptrdiff_t>(end),
                                  [](float w) { return w == 1.0f; });
             },
             [](int a, int b) { return a & b; }) != 0;
}

// Which layout is used depends on the options, never on what is cached.
bool Serves(const PageRankPrepared& p, int iterations) {
  if (p.key.use == PageRankUse::kSixteen) return true;
  return p.LayoutPays(iterations) ? p.layout != nullptr
                                  : !p.layout || !p.packed;  // the in rows are at hand
}

}  // namespace

std::uint64_t PageRankPrepared::size_bytes() const {
  return sizeof(*this) + (packed ? packed->size_bytes() : 0) +
         strengths.capacity() * sizeof(double) + (layout ? layout->size_bytes() : 0) +
         (lanes ? lanes->size_bytes() : 0);
}

Status CheckPageRankOptions(const PageRankOptions& o, PageRankUse use) {
  if (!(o.damping >= 0 && o.damping < 1))
    return Invalid("damping ", Text(o.damping), " is not in [0, 1)");
  if (o.iterations < 0) return Invalid("iterations ", o.iterations, " is below 0");
  if (o.iterations > 0) return {};
  if (o.max_iterations < 1) return Invalid("max_iterations ", o.max_iterations, " is below 1");
  const bool batch = use == PageRankUse::kSixteen;
  const double least =
      batch ? LeastBatchTolerance(o.damping) : LeastTolerance(o.precision, o.damping);
  if (!(o.tolerance >= least)) {
    char up[32];  // never less than what would do
    std::snprintf(up, sizeof up, "%.3g", least * 1.01);
    return Invalid("tolerance ", Text(o.tolerance), " cannot be reached in ",
                   (batch                            ? "a batch"
                    : o.precision == Precision::kF32 ? "f32"
                                                     : "f64"),
                   "; at damping ", Text(o.damping), " it must be at least ", up);
  }
  return {};
}

Result<PageRankReady> PreparePageRank(const Snapshot& snapshot, const PageRankOptions& options,
                                      PageRankUse use, Executor& executor) {
  const int iterations = ExpectedIterations(options);
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.executor = &executor;
  wanted.weights = options.weighted;
  PageRankPrepared::Key key{options.filter.kinds, options.reversed,    options.filter.valid_at,
                            options.weighted,     options.arc_weights, use};
  // Weights that age differ at every time, so they are not cached.
  const bool cached =
      options.use_cache && !options.filter.subset && options.arc_weights.now_ms == kNoTime;
  if (cached)
    if (auto found = PreparedRankings::Of(snapshot)->Find(
            [&](const PageRankPrepared& p) { return p.key == key && Serves(p, iterations); })) {
      const PageRankTiles* layout = found->LayoutPays(iterations) ? found->layout.get() : nullptr;
      if (found->packed) return PageRankReady{*found->packed, std::move(found), layout};
      PLEXUS_ASSIGN(DenseView view, DenseView::Make(snapshot, wanted));  // O(kinds)
      return PageRankReady{std::move(view), std::move(found), layout};
    }
  PLEXUS_ASSIGN(DenseView view, DenseView::Make(snapshot, wanted));
  auto made = std::make_shared<PageRankPrepared>();
  made->key = std::move(key);
  CsrView in = view.in(), out = view.out();
  made->arcs = in.arc_count();
  made->weighted = options.weighted && !AllOnes(in.weights, executor);
  if (!made->weighted) in.weights = out.weights = {};
  try {
    PLEXUS_ASSIGN(made->strengths, OutStrengths(out, executor));
    if (use == PageRankUse::kSixteen) {
      made->lanes = std::make_shared<const BatchLayout>(BatchLayout::Make(in, out, executor));
    } else {
      made->break_even_iterations = PageRankTiles::BreakEvenIterations(in, out);
      if (made->LayoutPays(iterations))
        made->layout =
            std::make_shared<const PageRankTiles>(PageRankTiles::Make(in, out, executor));
    }
  } catch (const std::bad_alloc&) {
    return Exhausted("no memory for the layout of ", made->arcs, " arcs");
  }
  if (view.packed()) {
    view = view.WithoutRows(made->layout || made->lanes ? Direction::kBoth : Direction::kOut);
    made->packed = view;
  }
  if (cached) PreparedRankings::Of(snapshot)->Keep(made);
  const PageRankTiles* layout = made->layout.get();
  return PageRankReady{std::move(view), std::move(made), layout};
}

Status CheckF32Range(std::span<const float> reciprocals) {
  for (const float r : reciprocals)
    if (r != 0 && !(r > 1e-25f && r < 1e25f))
      return Invalid(
          "edge weights sum up to less than 1e-25 or more than 1e25 at a node, which "
          "f32 cannot divide by; use f64");
  return {};
}

Result<std::vector<SeedShare>> SeedShares(const Snapshot& snapshot, const DenseView& view,
                                          std::span<const NodeWeight> seeds,
                                          std::span<const EdgeKindId> kinds) {
  std::vector<SeedShare> shares;
  double total = 0;
  for (const NodeWeight& seed : seeds) {
    const NodeId dense = seed.node < snapshot.node_count() ? view.dense(seed.node) : kNoNode;
    if (dense == kNoNode) return common_internal::NotSelected(snapshot, "seed", seed.node, kinds);
    if (!(seed.weight >= 0) || !std::isfinite(seed.weight))
      return Invalid("weight ", seed.weight, " of seed node ",
                     common_internal::NodeName(snapshot, seed.node),
                     " is not a finite number >= 0");
    shares.push_back({dense, seed.weight});
    total += seed.weight;
  }
  if (!(total > 0) || !std::isfinite(total))
    return Invalid("the seeds' weights do not have a finite sum above 0");
  std::stable_sort(shares.begin(), shares.end(),
                   [](const SeedShare& a, const SeedShare& b) { return a.dense < b.dense; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < shares.size(); ++i) {
    if (shares[i].dense == shares[kept].dense)
      shares[kept].share += shares[i].share;
    else
      shares[++kept] = shares[i];
  }
  shares.resize(kept + 1);
  for (SeedShare& s : shares) s.share /= total;
  return shares;
}

}  // namespace plexus::pagerank::internal
