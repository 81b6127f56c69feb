// Header, offsets, neighbors, each checked; see gap_serialized.h.
#include "storage/formats/edges/gap_serialized.h"

#include <bit>

namespace plexus::formats::internal {

namespace {

static_assert(std::endian::native == std::endian::little, "the files are little endian");

template <class... Parts>
std::unexpected<Error> Damaged(const Input& input, const Parts&... what) {
  return Corrupted(input.name, ": ", what...);
}

// Reads exactly `count` values, of what is called `where`.
template <class T>
Status ReadInto(ByteSource& source, const Input& input, const char* where, T* to,
                std::uint64_t count) {
  char* bytes = reinterpret_cast<char*>(to);
  for (std::uint64_t left = count * sizeof(T); left > 0;) {
    PLEXUS_ASSIGN(const std::size_t n, source.Read(bytes, left));
    if (n == 0) return Damaged(input, "ends inside the ", where);
    bytes += n;
    left -= n;
  }
  return {};
}

Status ReadOffsets(ByteSource& source, const Input& input, NodeId nodes, std::uint64_t arcs,
                   GapSide& side) {
  side.offsets = AlignedArray<std::int64_t>(std::size_t{nodes} + 1);
  PLEXUS_TRY(ReadInto(source, input, "offsets", side.offsets.data(), side.offsets.size()));
  std::int64_t before = 0;
  for (std::size_t v = 0; v < side.offsets.size(); ++v) {
    if (side.offsets[v] < before || static_cast<std::uint64_t>(side.offsets[v]) > arcs)
      return Damaged(input, "offset ", v, " is out of order");
    before = side.offsets[v];
  }
  if (side.offsets[0] != 0 || static_cast<std::uint64_t>(before) != arcs)
    return Damaged(input, "offsets do not cover the neighbors");
  return {};
}

Status ReadNeighbors(ByteSource& source, const Input& input, NodeId nodes, std::uint64_t arcs,
                     bool weighted, GapSide& side) {
  side.neighbors = AlignedArray<NodeId>(arcs);
  if (weighted) {
    struct Target {
      NodeId node;
      std::int32_t weight;
    };
    side.weights = AlignedArray<std::int32_t>(arcs);
    constexpr std::uint64_t kChunk = 65536;
    AlignedArray<Target> targets(std::min(arcs, kChunk));
    for (std::uint64_t at = 0; at < arcs; at += kChunk) {
      const std::uint64_t count = std::min(kChunk, arcs - at);
      PLEXUS_TRY(ReadInto(source, input, "neighbors", targets.data(), count));
      for (std::uint64_t i = 0; i < count; ++i) {
        side.neighbors[at + i] = targets[i].node;
        side.weights[at + i] = targets[i].weight;
      }
    }
  } else {
    PLEXUS_TRY(ReadInto(source, input, "neighbors", side.neighbors.data(), arcs));
  }
  for (std::uint64_t i = 0; i < arcs; ++i)
    if (side.neighbors[i] >= nodes) return Damaged(input, "neighbor ", i, " is out of range");
  return {};
}

std::uint64_t Mix(std::uint64_t x) {  // splitmix64's finish
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// Whether the arcs in are the arcs out, the other way round; by sums of hashes, too.
bool IsTranspose(const GapGraph& graph) {
  std::uint64_t sums[2] = {};
  for (const bool in : {false, true}) {
    const GapSide& side = in ? graph.in : graph.out;
    for (NodeId u = 0; u < graph.node_count; ++u)
      for (std::int64_t i = side.offsets[u]; i < side.offsets[u + 1]; ++i) {
        const std::uint64_t weight =
            graph.weighted ? static_cast<std::uint32_t>(side.weights[i]) : 0;
        const std::uint64_t source = in ? side.neighbors[i] : u,
                            target = in ? u : side.neighbors[i];
        sums[in] += Mix(Mix(source << 32 | target) + weight);
      }
  }
  return sums[0] == sums[1];
}

// Whether arcs up and arcs down are the same pairs with the same weights: sums of
// hashes, so that no array is needed. Misses an error once in 2^64.
bool IsSymmetric(const GapGraph& graph) {
  std::uint64_t up = 0, down = 0;
  for (NodeId u = 0; u < graph.node_count; ++u) {
    for (std::int64_t i = graph.out.offsets[u]; i < graph.out.offsets[u + 1]; ++i) {
      const NodeId v = graph.out.neighbors[i];
      if (u == v) continue;
      const std::uint64_t weight =
          graph.weighted ? static_cast<std::uint32_t>(graph.out.weights[i]) : 0;
      const std::uint64_t low = std::min(u, v), high = std::max(u, v);
      (u < v ? up : down) += Mix(Mix(low << 32 | high) + weight);
    }
  }
  return up == down;
}

}  // namespace

Result<GapGraph> ReadGapGraph(const Input& input) {
  PLEXUS_ASSIGN(const auto source, input.Open());
  const auto size = input.size();
  if (!size) return Unsupported(input.name, ": is no regular file");
  GapGraph graph;
  std::uint8_t directed = 0;
  std::int64_t counts[2] = {};
  PLEXUS_TRY(ReadInto(*source, input, "header", &directed, 1));
  PLEXUS_TRY(ReadInto(*source, input, "header", counts, 2));
  if (directed > 1 || counts[0] < 0 || counts[1] < 0 ||
      static_cast<std::uint64_t>(counts[0]) > Limits::kMaxArcs ||
      static_cast<std::uint64_t>(counts[1]) > Limits::kMaxNodes)
    return Damaged(input, "the header's counts are out of range");
  const auto arcs = static_cast<std::uint64_t>(counts[0]),
             nodes = static_cast<std::uint64_t>(counts[1]);
  const auto expected = [&](std::uint64_t arc_bytes) {
    return 17 + ((nodes + 1) * 8 + arcs * arc_bytes) * (directed ? 2 : 1);
  };
  if (*size != expected(4) && *size != expected(8))
    return Damaged(input, "has ", *size, " bytes; its header says ", expected(4),
                   ", or with weights ", expected(8));
  graph.directed = directed;
  graph.weighted = *size != expected(4);
  graph.node_count = static_cast<NodeId>(nodes);
  for (GapSide* side : {&graph.out, &graph.in}) {
    if (side == &graph.in && !directed) break;
    PLEXUS_TRY(ReadOffsets(*source, input, graph.node_count, arcs, *side));
    PLEXUS_TRY(ReadNeighbors(*source, input, graph.node_count, arcs, graph.weighted, *side));
  }
  if (!directed && !IsSymmetric(graph))
    return Damaged(input, "says undirected, but an arc lacks its way back");
  if (directed && !IsTranspose(graph))
    return Damaged(input, "its arcs in are not its arcs out the other way round");
  return graph;
}

}  // namespace plexus::formats::internal
