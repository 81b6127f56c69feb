// Banner, size line and entries; see matrix_market.h.
#include "storage/formats/edges/matrix_market.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/vocabulary.h"
#include "storage/formats/base/decimal.h"
#include "storage/formats/base/text.h"
#include "storage/formats/pipeline/block_reader.h"
#include "storage/formats/pipeline/record_parser.h"
#include "storage/formats/pipeline/token_cache.h"

namespace plexus::formats::internal {

namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// The next token of `line`, taken off; "" at its end.
std::string_view Next(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && IsBlank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !IsBlank(line[end])) ++end;
  const std::string_view token = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return token;
}

Status ReadBanner(std::string_view line, MatrixHeader& header) {
  if (Next(line) != "%%MatrixMarket")
    return Invalid("expected \"%%MatrixMarket matrix coordinate ...\"");
  const std::string object = Lower(Next(line)), format = Lower(Next(line)),
                    field = Lower(Next(line)), symmetry = Lower(Next(line));
  if (object != "matrix") return Invalid("object ", Quoted(object, 40), ": expected matrix");
  if (format == "array")
    return Unsupported("a dense array is no adjacency matrix: expected coordinate");
  if (format != "coordinate")
    return Invalid("format ", Quoted(format, 40), ": expected coordinate");
  if (field == "complex") return Unsupported("complex entries are no weights");
  if (field == "real" || field == "double")
    header.field = MatrixHeader::Field::kReal;
  else if (field == "integer")
    header.field = MatrixHeader::Field::kInteger;
  else if (field == "pattern")
    header.field = MatrixHeader::Field::kPattern;
  else
    return Invalid("field ", Quoted(field, 40), ": expected real, integer or pattern");
  if (symmetry == "general")
    header.symmetry = MatrixHeader::Symmetry::kGeneral;
  else if (symmetry == "symmetric")
    header.symmetry = MatrixHeader::Symmetry::kSymmetric;
  else if (symmetry == "skew-symmetric" && header.field != MatrixHeader::Field::kPattern)
    header.symmetry = MatrixHeader::Symmetry::kSkew;
  else
    return Invalid("symmetry ", Quoted(symmetry, 40), " of a ", field,
                   " matrix: expected general, symmetric or skew-symmetric");
  if (!Next(line).empty()) return Invalid("something follows the banner");
  return {};
}

// "%%GraphBLAS type uint8_t": what LAGraph writes about the values.
Status ReadComment(std::string_view line, MatrixHeader& header) {
  if (Next(line) != "%%GraphBLAS" || Next(line) != "type") return {};
  const std::string_view type = Next(line);
  struct Type {
    std::string_view name;
    double lowest, highest;
  };
  constexpr double kMaxDouble = std::numeric_limits<double>::max();
  static constexpr std::array<Type, 11> kTypes = {{{"bool", 0, 1},
                                                   {"int8_t", -128, 127},
                                                   {"int16_t", -32768, 32767},
                                                   {"int32_t", -2147483648.0, 2147483647.0},
                                                   {"int64_t", -kMaxDouble, kMaxDouble},
                                                   {"uint8_t", 0, 255},
                                                   {"uint16_t", 0, 65535},
                                                   {"uint32_t", 0, 4294967295.0},
                                                   {"uint64_t", 0, kMaxDouble},
                                                   {"float", -kMaxDouble, kMaxDouble},
                                                   {"double", -kMaxDouble, kMaxDouble}}};
  for (const Type& t : kTypes) {
    if (t.name != type || !Next(line).empty()) continue;
    header.type = t.name;
    header.lowest = t.lowest;
    header.highest = t.highest;
    return {};
  }
  return Invalid("GraphBLAS type ", Quoted(type, 40), " is not one of numbers");
}

Status ReadSize(std::string_view line, MatrixHeader& header) {
  std::uint64_t rows = 0, columns = 0;
  const std::string_view first = Next(line), second = Next(line), third = Next(line);
  if (!ReadWhole(first, rows) || !ReadWhole(second, columns) || !ReadWhole(third, header.entries) ||
      !Next(line).empty())
    return Invalid("expected a size line of three numbers: rows columns entries");
  if (rows != columns)
    return Invalid("the matrix has ", rows, " rows and ", columns,
                   " columns; an adjacency matrix is square");
  if (rows > Limits::kMaxNodes)
    return Invalid(rows, " rows; a graph holds at most ", Limits::kMaxNodes, " nodes");
  if (header.symmetry == MatrixHeader::Symmetry::kSkew && header.lowest == 0 &&
      !header.type.empty())
    return Invalid("a skew-symmetric matrix cannot be of type ", header.type);
  header.nodes = rows;
  return {};
}

struct Entry {
  std::uint64_t row = 0, column = 0;
  float weight = 1;
};

Result<float> ReadValue(std::string_view token, const MatrixHeader& header) {
  const std::string_view digits =
      token.starts_with('+') && !token.starts_with("+-") ? token.substr(1) : token;
  std::int64_t whole = 0;
  std::uint64_t large = 0;
  if (header.field == MatrixHeader::Field::kInteger && !ReadWhole(digits, whole) &&
      !ReadWhole(digits, large))
    return Invalid("value ", Quoted(token, 40), " is not an integer");
  const auto weight = ReadF32(digits);
  if (!weight) return Invalid("value ", Quoted(token, 40), " is not a finite number within f32");
  double value = 0;  // which it stays when it is too small
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (!header.type.empty() && (value < header.lowest || value > header.highest))
    return Invalid("value ", Quoted(token, 40), " is outside of type ", header.type);
  if (IsBelowZero(digits) && header.symmetry != MatrixHeader::Symmetry::kSkew)
    return Invalid("value ", Quoted(token, 40), " is negative; weights are not");
  return IsBelowZero(digits) ? *weight : *weight + 0.0f;  // -0 becomes 0
}

Result<Entry> ReadEntry(std::string_view line, const MatrixHeader& header) {
  Entry entry;
  const std::string_view row = Next(line), column = Next(line), value = Next(line);
  const bool pattern = header.field == MatrixHeader::Field::kPattern;
  if (column.empty() || value.empty() != pattern || !Next(line).empty())
    return Invalid(pattern ? "expected `row column`" : "expected `row column value`");
  const auto in_range = [&](std::string_view token, std::uint64_t& to) {
    return ReadWhole(token, to) && to >= 1 && to <= header.nodes;
  };
  if (!in_range(row, entry.row))
    return Invalid("row ", Quoted(row, 40), " is not in 1 to ", header.nodes);
  if (!in_range(column, entry.column))
    return Invalid("column ", Quoted(column, 40), " is not in 1 to ", header.nodes);
  if (!pattern) PLEXUS_SET(entry.weight, ReadValue(value, header));
  if (header.symmetry == MatrixHeader::Symmetry::kSkew && entry.row == entry.column)
    return Invalid("a skew-symmetric matrix has no diagonal");
  return entry;
}

NodeRef Number(std::uint64_t number, TokenCache& cache, Piece& piece, TouchedNodes* touched) {
  char digits[32] = {};  // zero-padded, so its first 8 bytes are its word
  const char* end = std::to_chars(digits, digits + 20, number).ptr;
  return cache.Get({digits, static_cast<std::size_t>(end - digits)}, Load8(digits), piece, touched);
}

void Link(Entry entry, const MatrixHeader& header, EdgeKindRef kind, TokenCache& cache,
          Piece& piece, TouchedNodes* touched) {
  if (std::signbit(entry.weight)) {
    std::swap(entry.row, entry.column);
    entry.weight = -entry.weight;
  }
  WriteBatch::EdgeInput edge;
  edge.source = Number(entry.row, cache, piece, touched);
  edge.target = Number(entry.column, cache, piece, touched);
  edge.kind = kind;
  if (header.field != MatrixHeader::Field::kPattern) edge.weight = entry.weight;
  piece.batch.Link(edge);
  ++piece.fact_edges;
}

}  // namespace

Status ReadMatrixHeader(BlockReader& reader, std::size_t line_limit, MatrixHeader& header) {
  constexpr std::size_t kChunk = 65536;
  bool banner = false;
  for (std::size_t want = kChunk;;) {
    PLEXUS_ASSIGN(const std::string_view head, reader.Peek(want));
    const bool last = head.size() < want;
    std::size_t used = 0;
    while (used < head.size()) {
      const std::size_t end = head.find('\n', used);
      if (end == std::string_view::npos && !last) break;
      const std::string_view line =
          head.substr(used, end == std::string_view::npos ? end : end - used);
      used = std::min(used + line.size() + 1, head.size());
      std::string_view rest = line;
      if (!banner) {
        PLEXUS_TRY(ReadBanner(line, header));
        banner = true;
      } else if (line.starts_with('%')) {
        PLEXUS_TRY(ReadComment(line, header));
      } else if (!Next(rest).empty()) {
        PLEXUS_TRY(ReadSize(line, header));
        header.bytes += used;
        reader.Drop(used);
        return {};
      }
      ++header.line;
    }
    if (last) return Invalid(banner ? "the file ends before its size line" : "the file is empty");
    if (used == 0 && want > line_limit) return Invalid("line over ", line_limit, " bytes");
    want = used ? kChunk : want * 2;
    header.bytes += used;
    reader.Drop(used);
  }
}

std::size_t MatrixMarketParser::Parse(std::string_view text, std::uint64_t first_line,
                                      const ParseContext& context, Piece& piece) const {
  static thread_local TokenCache cache;
  cache.Reset();
  const bool symmetric = header_.symmetry == MatrixHeader::Symmetry::kSymmetric;
  const EdgeKindRef kind =
      symmetric ? piece.batch.EdgeKindNamed(kLinkedKind) : EdgeKindRef(builtin::kLink);
  return TakeLines(text, first_line, context, piece,
                   [&](std::string_view line, std::uint64_t number) {
                     std::string_view rest = line;
                     if (line.starts_with('%') || Next(rest).empty()) return true;
                     ++piece.records;
                     Result<Entry> entry = ReadEntry(line, header_);
                     if (!entry)
                       return NoteError(context, piece, number, std::move(entry.error().message));
                     if (context.check) {
                       std::uint64_t row = entry->row, column = entry->column;
                       if (header_.symmetry != MatrixHeader::Symmetry::kGeneral && row < column)
                         std::swap(row, column);
                       piece.entries.push_back({row << 32 | column, number});
                     } else {
                       if (const auto at = std::lower_bound(seconds_.begin(), seconds_.end(),
                                                            std::pair(number, std::uint64_t{0}));
                           at != seconds_.end() && at->first == number)
                         return NoteError(context, piece, number, SecondEntry(at->second));
                       Link(*entry, header_, kind, cache, piece, context.touched);
                     }
                     return true;
                   });
}

MatrixMarketParser::Seconds SecondEntries(std::vector<EntryAt>& entries) {
  std::sort(entries.begin(), entries.end());
  MatrixMarketParser::Seconds seconds;
  for (std::size_t i = 1, first = 0; i < entries.size(); ++i) {
    if (entries[i].place != entries[first].place)
      first = i;
    else
      seconds.emplace_back(entries[i].line, entries[first].line);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

std::string SecondEntry(std::uint64_t first_line) {
  return "a second entry in row and column of line " + std::to_string(first_line);
}

}  // namespace plexus::formats::internal
