// Forward, a queue and path counts; backward, the queue from its end. A node pulls from
// the arcs into the next level, in the order of its row, so sums have one order.
#include "algorithms/centrality/internal/brandes.h"

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace plexus::centrality::internal {

namespace {

// More paths than this are counted in scaled numbers: sums of a few of them still fit f64.
constexpr double kMaxPaths = 1e290;
constexpr double kScale = 0x1p512, kMinScaled = 0x1p256;
// Places in the queue: rows, then their ends, are prefetched so much earlier.
constexpr std::size_t kAhead = 8;

}  // namespace

Brandes::Brandes(const CsrView& out) : out_(out), queue_(out.node_count()) {}

void Brandes::Prepare(Width width) {
  const std::size_t n = out_.node_count();
  if (width == Width::kNarrow && narrow_.depths.empty()) {
    narrow_.depths = AlignedArray<std::uint8_t>(n, std::numeric_limits<std::uint8_t>::max());
    narrow_.numbers = AlignedArray<double>(n);
  } else if (width == Width::kWide && wide_.nodes.empty()) {
    wide_.nodes =
        AlignedArray<WideNodes::Node>(n, {0, 0, std::numeric_limits<std::uint32_t>::max()});
  }
}

inline Brandes::Scaled Brandes::Sum(Scaled a, Scaled b) {
  if (a.power == b.power) [[likely]]
    return {a.part + b.part, a.power};
  if (a.power < b.power) std::swap(a, b);
  if (a.part == 0) return b;
  // Two powers apart it is below a's last bit.
  return {a.power - b.power == 1 ? a.part + b.part * (1 / kScale) : a.part, a.power};
}

inline Brandes::Scaled Brandes::Settled(Scaled x) {
  if (x.part < kMinScaled) [[likely]]
    return x;
  return {x.part * (1 / kScale), x.power + 1};
}

// A dependency: finite, below the number of nodes.
inline double Brandes::Product(Scaled a, Scaled b) {
  const double part = a.part * b.part;
  const std::int32_t power = a.power + b.power;
  return power == 0 ? part : std::ldexp(part, 512 * power);
}

// False: deeper, or more paths, than the types hold.
template <class Nodes>
bool Brandes::Forward(NodeId source, std::uint32_t max_hops, Nodes& nodes) {
  using Depth = typename Nodes::Depth;
  using Number = typename Nodes::Number;
  constexpr Depth kFree = std::numeric_limits<Depth>::max();
  const std::uint32_t* const offsets = out_.offsets.data();
  const NodeId* const neighbors = out_.neighbors.data();
  NodeId* const queue = queue_.data();
  nodes.depth(source) = 0;
  nodes.Set(source, Number{1});
  queue[0] = source;
  reached_ = 1;
  for (std::size_t i = 0; i < reached_; ++i) {
    const NodeId u = queue[i];
    if (nodes.depth(u) == kFree - 1)
      return false;                         // what it does not reach would look like the next level
    if (nodes.depth(u) >= max_hops) break;  // so is all that follows
    if (i + 2 * kAhead < reached_) __builtin_prefetch(offsets + queue[i + 2 * kAhead]);
    if (i + kAhead < reached_) __builtin_prefetch(neighbors + offsets[queue[i + kAhead]]);
    const Depth next = static_cast<Depth>(nodes.depth(u) + 1);
    const Number paths = Settled(nodes.number(u));
    if constexpr (std::is_same_v<Number, double>) {
      if (paths > kMaxPaths) return false;
    } else {
      nodes.Set(u, paths);
    }
    const std::uint32_t end = offsets[u + 1];
    for (std::uint32_t a = offsets[u]; a < end; ++a) {
      const NodeId v = neighbors[a];
      if (nodes.depth(v) == kFree) {
        nodes.depth(v) = next;
        nodes.Set(v, paths);
        queue[reached_++] = v;
      } else if (nodes.depth(v) == next) {
        nodes.Set(v, Sum(nodes.number(v), paths));
      }
    }
  }
  return true;
}

template <class Nodes>
void Brandes::Backward(Nodes& nodes, double* dependencies) {
  using Depth = typename Nodes::Depth;
  using Number = typename Nodes::Number;
  const std::uint32_t* const offsets = out_.offsets.data();
  const NodeId* const neighbors = out_.neighbors.data();
  const NodeId* const queue = queue_.data();
  for (std::size_t i = reached_; i-- > 0;) {
    const NodeId u = queue[i];
    if (i >= 2 * kAhead) __builtin_prefetch(offsets + queue[i - 2 * kAhead]);
    if (i >= kAhead) __builtin_prefetch(neighbors + offsets[queue[i - kAhead]]);
    const Depth next = static_cast<Depth>(nodes.depth(u) + 1);
    Number sum{};
    const std::uint32_t end = offsets[u + 1];
    for (std::uint32_t a = offsets[u]; a < end; ++a)
      if (const NodeId v = neighbors[a]; nodes.depth(v) == next) sum = Sum(sum, nodes.number(v));
    const Number paths = Settled(nodes.number(u));
    dependencies[u] = Product(paths, sum);
    nodes.Set(u, Share(dependencies[u], paths));
  }
  dependencies[queue[0]] = 0;
}

template <class Nodes>
bool Brandes::Run(NodeId source, std::uint32_t max_hops, Nodes& nodes, double* dependencies) {
  const bool whole = Forward(source, max_hops, nodes);
  if (whole) Backward(nodes, dependencies);
  for (std::size_t i = 0; i < reached_; ++i)
    nodes.depth(queue_[i]) = std::numeric_limits<typename Nodes::Depth>::max();
  return whole;
}

bool Brandes::Search(NodeId source, std::uint32_t max_hops, Width width, double* dependencies) {
  return width == Width::kNarrow ? Run(source, max_hops, narrow_, dependencies)
                                 : Run(source, max_hops, wide_, dependencies);
}

}  // namespace plexus::centrality::internal
