// Forward, a queue and path counts; backward, the queue from its end. A node pulls from
// the arcs that lead one level on, in the order of its row, so sums have one order.
#include "algorithms/internal/brandes.h"

#include <limits>

namespace plexus::internal {

Brandes::Brandes(const CsrView& out)
    : out_(out),
      depth_(out.node_count(), std::numeric_limits<std::uint8_t>::max()),
      paths_(out.node_count(), 0),
      share_(out.node_count()),
      dependency_(out.node_count()) {}

template <class Depth>
bool Brandes::Forward(NodeId source, std::vector<Depth>& depth) {
  constexpr Depth kFree = std::numeric_limits<Depth>::max();
  depth[source] = 0;
  paths_[source] = 1;
  queue_.push_back(source);
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const NodeId u = queue_[i];
    const Depth next = static_cast<Depth>(depth[u] + 1);
    if (next == kFree) return false;
    const double paths = paths_[u];
    for (std::uint32_t a = out_.offsets[u]; a < out_.offsets[u + 1]; ++a) {
      const NodeId v = out_.neighbors[a];
      if (depth[v] == kFree) {
        depth[v] = next;
        queue_.push_back(v);
      }
      if (depth[v] == next) paths_[v] += paths;
    }
  }
  return true;
}

template <class Depth>
void Brandes::Backward(std::vector<Depth>& depth) {
  for (std::size_t i = queue_.size(); i-- > 0;) {
    const NodeId u = queue_[i];
    const Depth next = static_cast<Depth>(depth[u] + 1);
    double sum = 0;
    for (std::uint32_t a = out_.offsets[u]; a < out_.offsets[u + 1]; ++a) {
      const NodeId v = out_.neighbors[a];
      if (depth[v] == next) sum += share_[v];
    }
    dependency_[u] = paths_[u] * sum;
    share_[u] = (1 + dependency_[u]) / paths_[u];
  }
}

void Brandes::Search(NodeId source) {
  auto clear = [&](auto& depth) {
    for (NodeId v : queue_) {
      depth[v] = std::numeric_limits<std::decay_t<decltype(depth[v])>>::max();
      paths_[v] = 0;
    }
  };
  queue_.clear();
  if (Forward(source, depth_)) {
    Backward(depth_);
    clear(depth_);
    return;
  }
  clear(depth_);
  queue_.clear();
  wide_depth_.resize(out_.node_count(), std::numeric_limits<std::uint32_t>::max());
  Forward(source, wide_depth_);
  Backward(wide_depth_);
  clear(wide_depth_);
}

}  // namespace plexus::internal
