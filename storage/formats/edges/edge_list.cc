// Edge lists into batches; see edge_list.h.
//
// A short token packed into one word is its own key in a small
// direct-mapped cache, so that an endpoint named again costs no hashing of
// strings here and no look-up when the batch is applied.
#include "storage/formats/edges/edge_list.h"

#include <algorithm>
#include <bit>

#include "engine/vocabulary.h"
#include "storage/formats/edges/edge_lines.h"
#include "storage/formats/pipeline/restated_values.h"
#include "storage/formats/pipeline/token_cache.h"

namespace plexus::formats::internal {

namespace {

struct ListKind {
  EdgeKindRef ref;
  std::string_view name;
  bool symmetric = false;
};

void LinkRows(std::span<const Row> rows, const ListKind& kind, TokenCache& cache,
              RestatedValues& weights, Piece& piece, TouchedNodes* touched) {
  for (const Row& row : rows) {
    WriteBatch::EdgeInput edge;
    edge.source = cache.Get(row.tokens[0], row.words[0], piece, touched);
    edge.target = cache.Get(row.tokens[1], row.words[1], piece, touched);
    edge.kind = kind.ref;
    if (row.weighted) edge.weight = row.weight + 0.0f;  // -0 becomes 0
    piece.batch.Link(edge);
    if (!row.weighted) continue;
    if (const std::uint64_t before = weights.Note(
            EdgeHash(row, kind.symmetric), std::bit_cast<std::uint32_t>(*edge.weight), row.line))
      NoteRestated(row, before, kind.name, piece);
  }
  piece.fact_edges += rows.size();
}

}  // namespace

std::size_t EdgeListParser::Parse(std::string_view text, std::uint64_t first_line,
                                  const ParseContext& context, Piece& piece) const {
  static thread_local TokenCache cache;
  cache.Reset();
  if (!context.check) piece.batch.ReserveEdges(std::min(context.max_ops, text.size() / 12 + 1));
  static thread_local RestatedValues weights;
  weights.Reset();
  ListKind kind{builtin::kLink, "link"};
  if (!kind_.empty() && !context.check) {
    const auto known = context.schema->FindEdgeKind(kind_);
    kind = {piece.batch.EdgeKindNamed(kind_), kind_,
            known && context.schema->edge_kind(known->kind).symmetric};
  }
  const std::size_t have = piece.batch.op_count();
  return ReadEdgeLines(
      text, first_line, context, piece,
      context.check ? SIZE_MAX : context.max_ops - std::min(have, context.max_ops),
      [&](const Row& row) {
        if (context.check) return;
        cache.Prefetch(row.words[0]);
        cache.Prefetch(row.words[1]);
      },
      [&](std::span<const Row> rows) {
        if (!context.check) LinkRows(rows, kind, cache, weights, piece, context.touched);
      });
}

}  // namespace plexus::formats::internal
