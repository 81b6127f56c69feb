// Pairs of numbers and names from lines, ids for them; see edge_loader.h.
#include "storage/formats/edges/edge_loader.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "storage/formats/edges/edge_lines.h"
#include "storage/formats/pipeline/piece_edges.h"

namespace plexus::formats_internal {

namespace {

// What Graph::Load takes at its peak, an edge with a weight.
constexpr std::uint64_t kBytesPerEdge = 80;
constexpr std::uint32_t kFewNumbers = 1 << 16;

}  // namespace

std::size_t EdgeLoadParser::Parse(std::string_view text, std::uint64_t first_line,
                                  const ParseContext& context, Piece& piece) const {
  PieceEdgesWriter edges(piece, std::min(context.max_ops, text.size() / 4 + 1),  // "1 2\n"
                         numbers_);
  const std::size_t used = ReadEdgeLines(
      text, first_line, context, piece, context.max_ops, [](const Row&) {},
      [&](std::span<const Row> rows) {
        for (const Row& row : rows) edges.Add(row);
      });
  edges.Finish();
  return used;
}

EdgeCollector::EdgeCollector(const ImportOptions& options, std::uint64_t text_bytes) {
  const auto pages = static_cast<std::uint64_t>(std::max(0l, ::sysconf(_SC_PHYS_PAGES)));
  const auto page = static_cast<std::uint64_t>(std::max(0l, ::sysconf(_SC_PAGESIZE)));
  most_bytes_ = std::min(options.limits.load_bytes, pages * page / 2);
  numbers_ = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(text_bytes / 8, kFewNumbers, PieceEdges::kNamed - 1));
  load_.time_ms = options.now_ms;
}

NodeId EdgeCollector::IdOfNumber(std::uint32_t number) {
  NodeId& id = of_number_[number];
  if (id != kNoNode) return id;
  char text[16];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return id = load_.keys.Insert({text, static_cast<std::size_t>(end - text)}).id;
}

Status EdgeCollector::Take(Piece& piece) {
  PieceEdges& edges = *piece.edges;
  if (!edges.plain) return Fail(ErrorCode::kResourceExhausted, "more than plain edges");
  AlignedArray<NodePair>& pairs = edges.batch.edges;
  if (pairs.empty()) return {};
  edges_ += pairs.size();
  const std::uint64_t bytes =
      edges_ * kBytesPerEdge + load_.keys.size_bytes() + of_number_.size() * sizeof(NodeId);
  if (edges_ > Limits::kMaxArcs || bytes > most_bytes_ || load_.batches.size() == kMaxLoadBatches) {
    return Fail(ErrorCode::kResourceExhausted, "too many edges to load at once");
  }
  if (edges.largest >= of_number_.size())
    of_number_.resize(
        std::min<std::size_t>(numbers_, std::bit_ceil(edges.largest + std::size_t{1})), kNoNode);
  constexpr std::size_t kAhead = 12;  // index lines on their way
  const auto& names = edges.names;
  of_name_.assign(names.size(), kNoNode);
  for (std::size_t i = 0; i < std::min(kAhead, names.size()); ++i)
    load_.keys.Prefetch(names[i].hash);
  auto id = [&](std::uint32_t code) {
    if (!(code & PieceEdges::kNamed)) return IdOfNumber(code);
    const std::uint32_t name = code & ~PieceEdges::kNamed;
    if (of_name_[name] == kNoNode) {
      if (name + kAhead < names.size()) load_.keys.Prefetch(names[name + kAhead].hash);
      of_name_[name] = load_.keys.Insert(names[name].text, names[name].hash).id;
    }
    return of_name_[name];
  };
  for (NodePair& pair : pairs) {
    const NodeId source = id(pair.source);  // it may be named first here
    pair = {source, id(pair.target)};
  }
  edges.batch.nodes = load_.keys.size();
  load_.batches.push_back(std::move(edges.batch));
  return {};
}

}  // namespace plexus::formats_internal
