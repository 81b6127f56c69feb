// Edge lists at memory speed; see edge_list.h.
//
// The idea: tokens are found eight bytes at a time (a byte at or below the space
// ends one), and a short token packed into one word is its own key in a small
// direct-mapped cache, so that an endpoint named again costs no hashing of
// strings here and no look-up when the batch is applied. The usual line takes no
// loop at all, and the cache is prefetched a group of lines ahead. What the fast loop must not
// meet (other control bytes, non-ASCII) is looked for once per block.
#include "storage/text/edge_list.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>

#include "engine/vocabulary.h"
#include "storage/text/token_cache.h"

namespace plexus::text {

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ull;
constexpr std::uint64_t kHighs = kOnes << 7;

// High bit set in (at least) the lowest byte of `w` that is at or below ' '.
std::uint64_t SpaceBytes(std::uint64_t w) { return (w - kOnes * 0x21) & ~w & kHighs; }

const char* TokenEnd(const char* p) {
  for (;;) {
    if (std::uint64_t hit = SpaceBytes(Load8(p))) return p + std::countr_zero(hit) / 8;
    p += 8;
  }
}

// One edge line taken apart; edges are put into the batch in groups, so that the
// cache lines of their tokens arrive together.
struct Row {
  std::string_view tokens[2];
  std::uint64_t words[2];  // tokens of up to 8 bytes, zero-padded
  float weight;
  bool weighted;
};
constexpr std::size_t kGroup = 32;

void LinkRows(std::span<const Row> rows, NameRef kind, TokenCache& cache, Piece& piece,
              TouchedNodes* touched) {
  for (const Row& row : rows) {
    WriteBatch::EdgeInput edge;
    edge.source = cache.Get(row.tokens[0], row.words[0], piece, touched);
    edge.target = cache.Get(row.tokens[1], row.words[1], piece, touched);
    edge.kind = kind;
    if (row.weighted) edge.weight = row.weight + 0.0f;  // -0 becomes 0
    piece.batch.Link(edge);
  }
  piece.fact_edges += rows.size();
}

struct Surprises {
  bool control = false;    // bytes below the space other than tab and line ends
  bool non_ascii = false;
};

Surprises LookFor(std::string_view text) {
  unsigned char high = 0, control = 0;
  for (unsigned char c : text) {
    high |= c;
    control |= static_cast<unsigned char>((c < 0x20) & (c != '\t') & (c != '\n') & (c != '\r'));
  }
  return {control != 0, high >= 0x80};
}

// A decimal number as f32; false when the token is not one.
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
  auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), weight);
  return error == std::errc() && end == token.data() + token.size();
}

std::string CheckToken(std::string_view token, bool non_ascii) {
  if (token.size() > Limits::kMaxKeyBytes)
    return "key over " + std::to_string(Limits::kMaxKeyBytes) + " bytes";
  if (non_ascii && !IsValidUtf8(token)) return "key is not valid UTF-8";
  return {};
}

// The usual line: two tokens of at most 7 bytes, one blank between, "\n" behind.
// Returns the begin of the next line, null when the line is anything else.
const char* ReadUsualLine(const char* p, Row& row) {
  const std::uint64_t word = Load8(p);
  const std::uint64_t hit = SpaceBytes(word);
  const int length = std::countr_zero(hit) / 8;
  if (!hit || length == 0 || *p == '#' || *p == '%' || (p[length] != ' ' && p[length] != '\t'))
    return nullptr;
  const char* const q = p + length + 1;
  const std::uint64_t next_word = Load8(q);
  const std::uint64_t next_hit = SpaceBytes(next_word);
  const int next_length = std::countr_zero(next_hit) / 8;
  if (!next_hit || next_length == 0 || q[next_length] != '\n') return nullptr;
  row.tokens[0] = {p, static_cast<std::size_t>(length)};
  row.tokens[1] = {q, static_cast<std::size_t>(next_length)};
  row.words[0] = word & ((std::uint64_t{1} << (8 * length)) - 1);
  row.words[1] = next_word & ((std::uint64_t{1} << (8 * next_length)) - 1);
  row.weighted = false;
  return q + next_length + 1;
}

enum class LineIs { kEdge, kNothing, kWrong };

// Any line: moves `p` behind it and tells what it was, or what is wrong with it.
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
  else if (row.weighted && (!ParseWeight(tokens[2], row.weight) || !std::isfinite(row.weight) ||
                            row.weight < 0))
    wrong = "weight \"" + std::string(tokens[2].substr(0, 40)) + "\" is not a finite number >= 0";
  for (int i = 0; i < 2 && wrong.empty(); ++i) {
    wrong = CheckToken(tokens[i], surprises.non_ascii);
    row.tokens[i] = tokens[i];
    row.words[i] = wrong.empty() ? Word(tokens[i]) : 0;
  }
  return wrong.empty() ? LineIs::kEdge : LineIs::kWrong;
}

}  // namespace

std::size_t EdgeListParser::Parse(std::string_view text, std::uint64_t first_line,
                                  const ParseContext& context, Piece& piece) const {
  static thread_local TokenCache cache;
  cache.Reset();
  const Surprises surprises = LookFor(text);
  const char* const end = text.data() + text.size();
  const char* p = text.data();
  std::uint64_t line = first_line;
  if (!context.check) piece.batch.ReserveEdges(std::min(context.max_ops, text.size() / 12 + 1));
  const NameRef kind = kind_.empty() || context.check ? NameRef(kLink) : piece.batch.EdgeKindNamed(kind_);
  Row rows[kGroup];
  bool go_on = true;
  while (go_on && p < end && piece.batch.op_count() < context.max_ops) {
    const std::size_t most = std::min(kGroup, context.max_ops - piece.batch.op_count());
    std::size_t count = 0;
    for (; go_on && p < end && count < most; ++line) {
      Row& row = rows[count];
      if (!surprises.non_ascii) {
        if (const char* next = ReadUsualLine(p, row)) {
          p = std::min(next, end);  // the last line may end with the padding
          if (!context.check) {
            cache.Prefetch(row.words[0]);
            cache.Prefetch(row.words[1]);
          }
          ++count;
          ++piece.records;
          continue;
        }
      }
      std::string wrong;
      const LineIs is = ReadLine(p, end, surprises, row, wrong);
      if (is == LineIs::kNothing) continue;
      ++piece.records;
      if (is == LineIs::kEdge)
        ++count;
      else
        go_on = NoteError(context, piece, line, std::move(wrong));
    }
    if (!context.check) LinkRows({rows, count}, kind, cache, piece, context.touched);
  }
  return static_cast<std::size_t>(p - text.data());
}

}  // namespace plexus::text
