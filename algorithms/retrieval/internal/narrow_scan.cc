// Each part keeps its best lower bounds; who is below the worst of them is out.
#include "algorithms/retrieval/internal/narrow_scan.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace plexus::retrieval_internal {

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

constexpr std::size_t kStretch = 256;  // rows whose bounds are computed before any is looked at

}  // namespace

std::optional<std::vector<NodeId>> NarrowCandidates(const VectorTable::View& view,
                                                    const NarrowRows& narrow,
                                                    const NarrowQuery& query,
                                                    const Selection& selection, NodeId skip,
                                                    std::size_t top, std::uint32_t rows,
                                                    Executor& executor) {
  const std::size_t grain = std::max<std::size_t>(4096, 16 * top);
  std::vector<Part> parts((rows + grain - 1) / grain);
  ParallelFor(executor, rows, grain, [&](std::size_t begin, std::size_t end) {
    Part& part = parts[begin / grain];
    LowerBounds best(top);
    double upper[kStretch];
    std::size_t b = narrow.BlockOf(static_cast<std::uint32_t>(begin));
    for (std::size_t row = begin; row < end; ++b) {
      const NarrowRows::Block& block = narrow.block(b);
      const std::size_t first = narrow.first_row(b);
      const std::size_t block_end = std::min(end, first + block.bounds.size());
      while (row < block_end) {
        const std::size_t count = std::min(kStretch, block_end - row);
        query.Uppers(block, narrow.stride(), row - first, count, upper);
        for (std::size_t i = 0; i < count; ++i) {
          if (upper[i] < best.least()) continue;
          const NodeId node = view.node_of_row(static_cast<std::uint32_t>(row + i));
          if (node == kNoNode || node == skip || !selection.contains(node)) continue;
          best.Add(query.Lower(block.bounds[row - first + i], upper[i]));
          part.candidates.push_back({node, upper[i]});
        }
        row += count;
      }
    }
    std::erase_if(part.candidates, [&](const Candidate& c) { return c.upper < best.least(); });
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

}  // namespace plexus::retrieval_internal
