// Forward, a queue and path counts; backward, the queue from its end. A node pulls from
// the arcs that lead one level on, in the order of its row, so sums have one order.
#include "algorithms/internal/brandes.h"

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace plexus::internal {

namespace {

// More paths than this are counted in wide numbers: sums of few such still fit f64.
constexpr double kMostPaths = 1e290;

}  // namespace

Brandes::Brandes(const CsrView& out)
    : out_(out),
      depth_(out.node_count(), std::numeric_limits<std::uint8_t>::max()),
      counts_{std::vector<double>(out.node_count()), std::vector<double>(out.node_count())},
      dependency_(out.node_count()) {
  queue_.reserve(out.node_count());
}

void Brandes::Prepare(Width width) {
  if (width == Width::kNarrow) return;
  wide_depth_.resize(out_.node_count(), std::numeric_limits<std::uint32_t>::max());
  if (width == Width::kDeep) return;
  wide_counts_.paths.resize(out_.node_count());
  wide_counts_.share.resize(out_.node_count());
}

Brandes::Wide Brandes::Normal(double x, std::int64_t power) {
  if (x == 0) return {};
  int shift = 0;
  x = std::frexp(x, &shift);
  return {x, power + shift};
}

Brandes::Wide Brandes::Sum(Wide a, Wide b) {
  if (a.part == 0) return b;
  if (b.part == 0) return a;
  if (a.power < b.power) std::swap(a, b);
  const std::int64_t apart = a.power - b.power;
  return apart > 64 ? a : Normal(a.part + std::ldexp(b.part, -static_cast<int>(apart)), a.power);
}

// A dependency: finite, below the number of nodes.
double Brandes::Product(Wide a, Wide b) {
  return a.part == 0 || b.part == 0 ? 0.0
                                    : std::ldexp(a.part * b.part, static_cast<int>(a.power + b.power));
}

// False: deeper, or more paths, than the types hold.
template <class Depth, class Number>
bool Brandes::Forward(NodeId source, std::uint32_t max_hops, std::vector<Depth>& depth, Counts<Number>& counts) {
  constexpr Depth kFree = std::numeric_limits<Depth>::max();
  depth[source] = 0;
  if constexpr (std::is_same_v<Number, double>)
    counts.paths[source] = 1;
  else
    counts.paths[source] = Normal(1, 0);
  queue_.push_back(source);
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const NodeId u = queue_[i];
    if (depth[u] >= max_hops) break;  // so is all that follows
    const Depth next = static_cast<Depth>(depth[u] + 1);
    if (next == kFree) return false;
    const Number paths = counts.paths[u];
    if constexpr (std::is_same_v<Number, double>)
      if (paths > kMostPaths) return false;
    for (std::uint32_t a = out_.offsets[u]; a < out_.offsets[u + 1]; ++a) {
      const NodeId v = out_.neighbors[a];
      if (depth[v] == kFree) {
        depth[v] = next;
        queue_.push_back(v);
      }
      if (depth[v] == next) counts.paths[v] = Sum(counts.paths[v], paths);
    }
  }
  return true;
}

template <class Depth, class Number>
void Brandes::Backward(std::vector<Depth>& depth, Counts<Number>& counts) {
  for (std::size_t i = queue_.size(); i-- > 0;) {
    const NodeId u = queue_[i];
    const Depth next = static_cast<Depth>(depth[u] + 1);
    Number sum{};
    for (std::uint32_t a = out_.offsets[u]; a < out_.offsets[u + 1]; ++a) {
      const NodeId v = out_.neighbors[a];
      if (depth[v] == next) sum = Sum(sum, counts.share[v]);
    }
    dependency_[u] = Product(counts.paths[u], sum);
    counts.share[u] = Share(dependency_[u], counts.paths[u]);
  }
}

template <class Depth, class Number>
bool Brandes::Try(NodeId source, std::uint32_t max_hops, std::vector<Depth>& depth, Counts<Number>& counts) {
  queue_.clear();
  const bool whole = Forward(source, max_hops, depth, counts);
  if (whole) Backward(depth, counts);
  for (NodeId v : queue_) {
    depth[v] = std::numeric_limits<Depth>::max();
    counts.paths[v] = Number{};
  }
  return whole;
}

bool Brandes::Search(NodeId source, std::uint32_t max_hops, Width width) {
  const bool whole = width == Width::kNarrow ? Try(source, max_hops, depth_, counts_)
                     : width == Width::kDeep ? Try(source, max_hops, wide_depth_, counts_)
                                             : Try(source, max_hops, wide_depth_, wide_counts_);
  if (!whole) queue_.clear();
  return whole;
}

}  // namespace plexus::internal
