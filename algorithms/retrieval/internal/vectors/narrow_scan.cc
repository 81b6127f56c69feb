// Each part keeps its best lower bounds; who is below the worst of them is out. Parts tell each
// other how far they are: that leaves less to look at and changes nothing of what is found, as what
// is below the worst of some rows' bounds is below that of all rows, too.
#include "algorithms/retrieval/internal/vectors/narrow_scan.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <limits>

namespace plexus::retrieval::internal {

namespace {

// The `top` largest lower bounds so far. No upper bound below their least can win.
class LowerBounds {
 public:
  explicit LowerBounds(std::size_t top) : top_(top) {}
  double least() const { return least_; }
  void Add(double bound) {
    if (best_.size() == top_) {
      if (bound <= best_.front()) return;
      std::ranges::pop_heap(best_, std::greater<>());
      best_.back() = bound;
    } else {
      best_.push_back(bound);
    }
    std::ranges::push_heap(best_, std::greater<>());
    if (best_.size() == top_) least_ = best_.front();
  }
  const std::vector<double>& all() const { return best_; }

 private:
  std::size_t top_;
  double least_ = -std::numeric_limits<double>::infinity();
  std::vector<double> best_;
};

struct Candidate {
  NodeId node;
  double upper;
};
struct Part {
  std::vector<Candidate> candidates;
  std::vector<double> lower;
};

constexpr std::size_t kStretch = 16;  // groups whose bounds are computed before any is looked at

// The largest of what was raised to.
void Raise(std::atomic<double>& least, double to) {
  double now = least.load(std::memory_order_relaxed);
  while (now < to && !least.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
  }
}

}  // namespace

std::optional<std::vector<NodeId>> NarrowCandidates(const VectorView& view,
                                                    const NarrowRows& narrow,
                                                    const NarrowQuery& query,
                                                    const common_internal::Selection& selection,
                                                    NodeId skip, std::size_t top,
                                                    std::uint32_t rows, Executor& executor) {
  const std::size_t grain = std::max<std::size_t>(4096, 16 * top);
  std::vector<Part> parts((rows + grain - 1) / grain);
  std::atomic<double> shared = -std::numeric_limits<double>::infinity();
  ParallelFor(executor, rows, grain, [&](std::size_t begin, std::size_t end) {
    Part& part = parts[begin / grain];
    LowerBounds best(top);
    const auto least = [&] {
      return std::max(best.least(), shared.load(std::memory_order_relaxed));
    };
    double upper[kStretch * kNarrowGroup];
    std::uint16_t reach[kStretch];
    // Row first + i * 16 + r is row r of group i of the block that begins with `first`.
    const auto look = [&](const NarrowBlock& block, std::size_t first, std::size_t group,
                          std::size_t count) {
      query.Uppers(block, group, count, least(), upper, reach);
      for (std::size_t g = 0; g < count; ++g)
        for (unsigned bits = reach[g]; bits != 0; bits &= bits - 1) {
          const auto r = static_cast<std::size_t>(std::countr_zero(bits));
          const std::size_t in_block = (group + g) * kNarrowGroup + r, row = first + in_block;
          const double high = upper[g * kNarrowGroup + r];
          if (row < begin || row >= end || in_block >= block.rows || high < best.least()) continue;
          const NodeId node = view.node_of_row(static_cast<std::uint32_t>(row));
          if (node == kNoNode || node == skip || !selection.contains(node)) continue;
          best.Add(query.Lower(block.bound(in_block), high));
          part.candidates.push_back({node, high});
        }
      Raise(shared, best.least());
    };
    for (std::size_t b = narrow.BlockOf(static_cast<std::uint32_t>(begin)), row = begin; row < end;
         ++b) {
      const NarrowBlock& block = narrow.block(b);
      const std::size_t first = narrow.first_row(b);
      const std::size_t stop = std::min(end, first + block.rows);
      const std::size_t groups = (stop - first + kNarrowGroup - 1) / kNarrowGroup;
      for (std::size_t group = (row - first) / kNarrowGroup; group < groups; group += kStretch)
        look(block, first, group, std::min(kStretch, groups - group));
      row = stop;
    }
    std::erase_if(part.candidates, [&](const Candidate& c) { return c.upper < least(); });
    part.lower = best.all();
  });
  LowerBounds best(top);
  std::size_t left = 0;
  for (const Part& part : parts)
    for (const double bound : part.lower) best.Add(bound);
  std::vector<NodeId> nodes;
  for (const Part& part : parts)
    for (const Candidate& c : part.candidates)
      if (c.upper >= best.least()) {
        if (++left > std::max<std::size_t>(rows / 4, top)) return std::nullopt;
        nodes.push_back(c.node);
      }
  return nodes;
}

}  // namespace plexus::retrieval::internal
