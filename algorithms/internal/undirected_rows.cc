// A counting sort by rounded degree; and who shares whose row.
#include "algorithms/internal/undirected_rows.h"

#include <array>
#include <bit>

namespace plexus::internal {

std::vector<NodeId> HubsFirst(const std::vector<std::uint64_t>& degrees) {
  double sum = 0, squares = 0;
  for (std::uint64_t d : degrees) {
    sum += static_cast<double>(d);
    squares += static_cast<double>(d) * static_cast<double>(d);
  }
  const auto n = static_cast<double>(degrees.size());
  if (!(squares * n > 2 * sum * sum)) return {};
  // Octave and the next two bits, the busiest first.
  constexpr std::size_t kKeys = 4 * 65;
  auto key = [](std::uint64_t d) -> std::size_t {
    if (d == 0) return kKeys - 1;
    const int octave = static_cast<int>(std::bit_width(d)) - 1;
    const std::uint64_t quarter = octave >= 2 ? d >> (octave - 2) & 3 : d << (2 - octave) & 3;
    return kKeys - 2 - (4 * static_cast<std::size_t>(octave) + quarter);
  };
  std::array<NodeId, kKeys + 1> first{};
  for (std::uint64_t d : degrees) ++first[key(d) + 1];
  for (std::size_t k = 0; k < kKeys; ++k) first[k + 1] += first[k];
  std::vector<NodeId> order(degrees.size());
  for (NodeId v = 0; v < degrees.size(); ++v) order[first[key(degrees[v])]++] = v;
  return order;
}

Places PlaceRows(NodeId all, std::vector<NodeId> selected, const std::vector<std::uint64_t>& degrees,
                 const std::vector<NodeId>& only) {
  Places places;
  places.rows.assign(all, kNoNode);
  // Of two that have only each other the smaller keeps its row.
  auto folded = [&](NodeId v) {
    const NodeId u = only[v];
    return u != kNoNode && (only[u] == kNoNode || (only[u] == v && u < v));
  };
  std::size_t kept = 0;
  places.degrees.reserve(selected.size());
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const NodeId v = selected[i];
    if (!only.empty() && (degrees[i] == 0 || folded(v))) {
      places.rows[v] = Places::kAlone;
      continue;
    }
    selected[kept++] = v;
    places.degrees.push_back(degrees[i]);
  }
  selected.resize(kept);
  places.nodes = std::move(selected);
  if (const std::vector<NodeId> order = HubsFirst(places.degrees); !order.empty()) {
    std::vector<NodeId> nodes(kept);
    std::vector<std::uint64_t> sorted(kept);
    for (std::size_t i = 0; i < kept; ++i) {
      nodes[i] = places.nodes[order[i]];
      sorted[i] = places.degrees[order[i]];
    }
    places.nodes.swap(nodes);
    places.degrees.swap(sorted);
  }
  for (NodeId row = 0; row < kept; ++row) places.rows[places.nodes[row]] = row;
  for (NodeId v = 0; v < only.size(); ++v)
    if (places.rows[v] == Places::kAlone && only[v] != kNoNode) places.rows[v] = places.rows[only[v]];
  return places;
}

}  // namespace plexus::internal
