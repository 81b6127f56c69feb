// Lines {"edge":["a","b"],"kind":"knows",...} as edges; see json_edges.h.
#include "storage/formats/json/json_edges.h"

#include <algorithm>
#include <cstring>

#include "engine/schema.h"
#include "storage/formats/base/ascii.h"
#include "storage/formats/base/decimal.h"
#include "storage/formats/pipeline/piece_edges.h"
#include "storage/formats/pipeline/token_cache.h"

namespace plexus::formats_internal {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The text of one line, taken from the front.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : at_(line.data()), end_(at_ + line.size()) {}

  bool done() {
    SkipBlanks();
    return at_ == end_;
  }
  bool Take(char c) {
    SkipBlanks();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  // A string without an escape. Control bytes but tabs were looked for before.
  bool TakeText(std::string_view& text) {
    if (!Take('"')) return false;
    const auto* quote = static_cast<const char*>(std::memchr(at_, '"', Left()));
    if (!quote) return false;
    text = {at_, static_cast<std::size_t>(quote - at_)};
    at_ = quote + 1;
    return true;
  }
  // Digits as JSON allows them; `whole`: no fraction, no exponent.
  bool TakeNumber(std::string_view& digits, bool whole) {
    SkipBlanks();
    const char* const begin = at_;
    if (at_ != end_ && *at_ == '-') ++at_;
    const char* const first = at_;
    if (!TakeDigits() || (*first == '0' && at_ - first > 1)) return false;
    if (!whole && at_ != end_ && *at_ == '.') {
      ++at_;
      if (!TakeDigits()) return false;
    }
    if (!whole && at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!TakeDigits()) return false;
    }
    digits = {begin, static_cast<std::size_t>(at_ - begin)};
    return true;
  }
  bool TakeTime(std::int64_t& time) {
    std::string_view text;
    SkipBlanks();
    const bool quoted = at_ != end_ && *at_ == '"';
    if (quoted ? !TakeText(text) || text.find('-', 1) == text.npos : !TakeNumber(text, true))
      return false;  // digits in quotes are no time
    const auto plain = PlainTime(text);
    time = plain.value_or(0);
    return plain.has_value();
  }

 private:
  std::size_t Left() const { return static_cast<std::size_t>(end_ - at_); }
  void SkipBlanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  bool TakeDigits() {
    const char* const begin = at_;
    while (at_ != end_ && IsDigit(*at_)) ++at_;
    return at_ != begin;
  }

  const char* at_;
  const char* end_;
};

bool TakeEnds(LineReader& line, Row& row) {
  if (!line.Take('[')) return false;
  for (int end = 0; end < 2; ++end) {
    std::string_view& token = row.tokens[end];
    if (end == 1 && !line.Take(',')) return false;
    if (!line.TakeText(token) || token.empty() || token.size() > Limits::kMaxKeyBytes) return false;
    row.words[end] = Word(token);
  }
  return line.Take(']');
}

bool TakeWeight(LineReader& line, Row& row) {
  std::string_view digits;
  if (!line.TakeNumber(digits, false) || digits.size() > 40) return false;
  const auto weight = ReadF32(digits);
  if (!weight || IsBelowZero(digits)) return false;
  row.weight = *weight;
  row.weighted = true;
  return true;
}

// False: another record, or one that needs the general way.
bool ReadRecord(std::string_view text, Row& row, RowValues& values) {
  LineReader line(text);
  if (!line.Take('{')) return false;
  unsigned seen = 0;
  do {
    std::string_view key;
    if (!line.TakeText(key) || !line.Take(':')) return false;
    unsigned member = 0;
    bool good = false;
    if (key == "edge") {
      member = 1;
      good = TakeEnds(line, row);
    } else if (key == "kind") {
      member = 2;
      good = line.TakeText(values.kind) && !values.kind.empty();
    } else if (key == "weight") {
      member = 4;
      good = TakeWeight(line, row);
    } else if (key == "label") {
      member = 8;
      good = line.TakeText(values.label);
    } else if (key == "created_at") {
      member = 16;
      good = line.TakeTime(values.created_at);
    } else if (key == "valid_from") {
      member = 32;
      good = line.TakeTime(values.valid_from);
    } else if (key == "valid_until") {
      member = 64;
      good = line.TakeTime(values.valid_until);
    }
    if (!good || seen & member) return false;
    seen |= member;
  } while (line.Take(','));
  return seen & 1 && line.Take('}') && line.done();
}

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// A tab inside of a string is an error, and else rare.
bool TabInText(std::string_view line) {
  bool inside = false;
  for (const char c : line) {
    inside ^= c == '"';
    if (inside && c == '\t') return true;
  }
  return false;
}

}  // namespace

std::size_t JsonEdgeParser::Parse(std::string_view text, std::uint64_t first_line,
                                  const ParseContext& context, Piece& piece) const {
  const bool values = Has(text, "\"weight\"") || Has(text, "\"created_at\"") ||
                      Has(text, "\"valid_from\"") || Has(text, "\"valid_until\"");
  constexpr std::size_t kLeast = 18;  // {"edge":["a","b"]}
  PieceEdgesWriter edges(piece, std::min(context.max_ops, text.size() / kLeast + 1), numbers_,
                         context.schema.get(), values);
  const Surprises surprises = LookFor(text);
  bool plain =
      !surprises.control && (!surprises.non_ascii || IsValidUtf8(text)) && !Has(text, "\\");
  const bool tabs = Has(text, "\t");
  std::size_t at = 0, count = 0;
  for (std::uint64_t number = first_line; plain && at < text.size() && count < context.max_ops;
       ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = std::min(end + 1, text.size());
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    Row row = {};
    RowValues stated;
    row.line = number;
    plain = line.size() < line_bytes_ && !(tabs && TabInText(line)) &&
            ReadRecord(line, row, stated) && edges.Add(row, stated);
    if (!plain) break;
    ++piece.records;
    ++count;
  }
  edges.Finish();
  piece.edges->plain = plain;
  return plain ? at : text.size();
}

bool BeginsWithJsonEdge(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == head.npos) return false;
  const std::size_t end = head.find('\n', begin);
  if (end == head.npos) return false;
  Row row = {};
  RowValues values;
  // 8 bytes at a key can be read
  return head.size() - end >= 8 && ReadRecord(head.substr(begin, end - begin), row, values);
}

}  // namespace plexus::formats_internal
