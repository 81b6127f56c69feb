// Edge lists into batches; see edge_list.h.
//
// A short token packed into one word is its own key in a small
// direct-mapped cache, so that an endpoint named again costs no hashing of
// strings here and no look-up when the batch is applied.
#include "storage/formats/edges/edge_list.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/vocabulary.h"
#include "storage/formats/base/decimal.h"
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

namespace {

const char* TokenEnd(const char* p) {
  for (;;) {
    if (std::uint64_t hit = SpaceBytes(Load8(p))) return p + std::countr_zero(hit) / 8;
    p += 8;
  }
}

// A decimal number >= 0 as f32; false when the token is not one.
bool ParseWeight(std::string_view token, float& weight) {
  if (token.size() <= 7) {  // small integers are exact in f32
    std::uint32_t value = 0;
    bool digits = true;
    for (char c : token) {
      digits &= c >= '0' && c <= '9';
      value = value * 10 + static_cast<unsigned char>(c - '0');
    }
    if (digits) {
      weight = static_cast<float>(value);
      return true;
    }
  }
  const auto read = ReadF32(token);
  weight = read.value_or(0);
  return read && !IsBelowZero(token);
}

std::string CheckToken(std::string_view token, bool non_ascii) {
  if (token.size() > Limits::kMaxKeyBytes)
    return "key over " + std::to_string(Limits::kMaxKeyBytes) + " bytes";
  if (non_ascii && !IsValidUtf8(token)) return "key is not valid UTF-8";
  return {};
}

}  // namespace

LineIs ReadLine(const char*& p, const char* end, const Surprises& surprises, Row& row,
                std::string& wrong) {
  const char* const begin = p;
  const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
  const char* const line_end = newline ? static_cast<const char*>(newline) : end;
  p = newline ? line_end + 1 : end;
  std::string_view tokens[3];
  int count = 0;
  for (const char* q = begin;;) {
    while (q < line_end && (*q == ' ' || *q == '\t' || *q == '\r')) ++q;
    if (q >= line_end) break;
    if (count == 0 && (*q == '#' || *q == '%')) return LineIs::kNothing;
    if (count == 3) {
      count = 4;
      break;
    }
    const char* const token_end = std::min(TokenEnd(q), line_end);
    tokens[count++] = {q, static_cast<std::size_t>(token_end - q)};
    q = token_end == q ? q + 1 : token_end;  // a control byte is refused below
  }
  if (count == 0) return LineIs::kNothing;
  row.weight = 1;
  row.weighted = count == 3;
  if (surprises.control && LookFor({begin, static_cast<std::size_t>(line_end - begin)}).control)
    wrong = "control character";
  else if (count < 2 || count > 3)
    wrong = "expected `source target [weight]`";
  else if (row.weighted && !ParseWeight(tokens[2], row.weight))
    wrong = "weight \"" + std::string(tokens[2].substr(0, 40)) + "\" is not a finite number >= 0";
  for (int i = 0; i < 2 && wrong.empty(); ++i) {
    wrong = CheckToken(tokens[i], surprises.non_ascii);
    row.tokens[i] = tokens[i];
    row.words[i] = wrong.empty() ? Word(tokens[i]) : 0;
  }
  return wrong.empty() ? LineIs::kEdge : LineIs::kWrong;
}

}  // namespace plexus::formats::internal
