// EdgeListParser: `source target [weight]`, one edge a line.
//
// SNAP's plain edge lists and GAP's .el and .wel. Fields are separated by spaces or
// tabs; lines that begin with # or % and empty lines are passed over. Every edge
// is of kind `link`, or of the kind given. Keys are the tokens as they stand.
//
// A line at a time, at memory speed: tokens are found eight bytes at a time (a byte at or below the
// space ends one). The usual line takes no loop at all. What the fast loop cannot handle (other
// control bytes, non-ASCII) is looked for once per block. Internal to storage/formats.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "storage/formats/base/text.h"
#include "storage/formats/pipeline/piece_edges.h"
#include "storage/formats/pipeline/record_parser.h"
#include "storage/formats/pipeline/token_cache.h"

namespace plexus::formats::internal {

// High bit set in (at least) the lowest byte of `w` that is at or below ' '.
inline std::uint64_t SpaceBytes(std::uint64_t w) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ull;
  return (w - kOnes * 0x21) & ~w & (kOnes << 7);
}

// The usual line: two tokens of at most 7 bytes, one blank between, "\n" behind.
// Returns the begin of the next line, null when the line is anything else.
inline const char* ReadUsualLine(const char* p, Row& row) {
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

// Any line: moves `p` behind it and returns its sort, or what is wrong with it.
LineIs ReadLine(const char*& p, const char* end, const Surprises& surprises, Row& row,
                std::string& wrong);

// Reads lines from the head of `text` until `most` edges were read, it ends, or (kStop) a
// line is wrong; what `piece` notes of lines, it notes. Edges come in groups, take(rows),
// so that the cache lines of their tokens arrive together: near(row) is called ahead. 16
// readable bytes, all '\n', follow `text`. Returns the bytes read.
template <class Near, class Take>
std::size_t ReadEdgeLines(std::string_view text, std::uint64_t first_line,
                          const ParseContext& context, Piece& piece, std::size_t most, Near&& near,
                          Take&& take) {
  constexpr std::size_t kGroup = 32;
  const Surprises surprises = LookFor(text);
  const char* const end = text.data() + text.size();
  const char* p = text.data();
  std::uint64_t line = first_line;
  Row rows[kGroup];
  bool go_on = true;
  for (std::size_t read = 0; go_on && p < end && read < most;) {
    const std::size_t group = std::min(kGroup, most - read);
    std::size_t count = 0;
    for (; go_on && p < end && count < group; ++line) {
      Row& row = rows[count];
      if (!surprises.non_ascii) {
        if (const char* next = ReadUsualLine(p, row)) {
          p = std::min(next, end);  // the last line may end with the padding
          near(row);
          ++count;
          ++piece.records;
          continue;
        }
      }
      std::string wrong;
      row.line = line;
      const LineIs is = ReadLine(p, end, surprises, row, wrong);
      if (is == LineIs::kNothing) continue;
      ++piece.records;
      if (is == LineIs::kEdge)
        ++count;
      else
        go_on = NoteError(context, piece, line, std::move(wrong));
    }
    take(std::span<const Row>(rows, count));
    read += count;
  }
  return static_cast<std::size_t>(p - text.data());
}

class EdgeListParser final : public RecordParser {
 public:
  // `kind`: a kind of the fact plane that the graph has; "" is `link`.
  explicit EdgeListParser(std::string kind = {}) : kind_(std::move(kind)) {}
  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;

 private:
  std::string kind_;
};

}  // namespace plexus::formats::internal
