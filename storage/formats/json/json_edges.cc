// {"edge":["a","b"],"kind":"knows",...} and {"source":"a","target":"b",...}; see json_edges.h.
#include "storage/formats/json/json_edges.h"

#include <algorithm>
#include <cstring>

#include "engine/schema.h"
#include "storage/formats/base/decimal.h"
#include "storage/formats/pipeline/piece_edges.h"
#include "storage/formats/pipeline/record_parser.h"
#include "storage/formats/pipeline/token_cache.h"

namespace plexus::formats::internal {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Equal to a name of a known length, which takes no call.
template <std::size_t N>
bool Is(std::string_view key, const char (&name)[N]) {
  return key.size() == N - 1 && std::memcmp(key.data(), name, N - 1) == 0;
}

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
  // A string; escapes and control bytes are looked for behind it all.
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
      constexpr std::ptrdiff_t kMostExponent = 9;  // digits
      const char* const exponent = at_;
      if (!TakeDigits() || at_ - exponent > kMostExponent) return false;
    }
    digits = {begin, static_cast<std::size_t>(at_ - begin)};
    return true;
  }
  bool TakeBool(bool& value) {
    SkipBlanks();
    const std::string_view rest(at_, Left());
    value = rest.starts_with("true");
    if (!value && !rest.starts_with("false")) return false;
    at_ += value ? 4 : 5;
    return true;
  }
  // Whether a string comes next.
  bool AtText() {
    SkipBlanks();
    return at_ != end_ && *at_ == '"';
  }
  bool TakeTime(std::int64_t& time) {
    std::string_view text;
    const bool quoted = AtText();
    if (quoted ? !TakeText(text) || text.find('-', 1) == text.npos : !TakeNumber(text, true))
      return false;  // digits in quotes are no time
    const auto plain = PlainTime(text);
    time = plain.value_or(0);
    return plain.has_value();
  }

 private:
  std::size_t Left() const { return static_cast<std::size_t>(end_ - at_); }
  void SkipBlanks() {
    while (at_ != end_ && *at_ == ' ') ++at_;
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

// One that an i64 holds, as it is spelled.
bool TakeInteger(LineReader& line, std::string_view& digits) {
  constexpr std::size_t kMostDigits = 18;
  return line.TakeNumber(digits, true) && digits.size() <= kMostDigits && digits != "-0";
}

// An element's key: a string or an integer.
bool TakeId(LineReader& line, Row& row, int end) {
  std::string_view& token = row.tokens[end];
  if (line.AtText() ? !line.TakeText(token) : !TakeInteger(line, token) || token[0] == '-')
    return false;
  if (token.empty() || token.size() > Limits::kMaxKeyBytes) return false;
  row.words[end] = Word(token);
  return true;
}

// Members of a record, as bits.
struct PlainMember {
  enum : unsigned {
    kNone = 0,  // unknown, or it needs the general way
    kEdge = 1,
    kKind = 2,
    kWeight = 4,
    kLabel = 8,
    kCreatedAt = 16,
    kFrom = 32,
    kUntil = 64,
    kSource = 128,
    kTarget = 256,
    kDirected = 512,
    kKey = 1024
  };
};

unsigned If(bool taken, unsigned member) { return taken ? member : 0; }

unsigned TakeAttribute(std::string_view key, LineReader& line, Row& row, RowValues& values) {
  if (Is(key, "weight")) return If(TakeWeight(line, row), PlainMember::kWeight);
  if (Is(key, "label")) return If(line.TakeText(values.label), PlainMember::kLabel);
  if (Is(key, "created_at")) return If(line.TakeTime(values.created_at), PlainMember::kCreatedAt);
  if (Is(key, "valid_from")) return If(line.TakeTime(values.valid_from), PlainMember::kFrom);
  if (Is(key, "valid_until")) return If(line.TakeTime(values.valid_until), PlainMember::kUntil);
  return PlainMember::kNone;
}

// The members of the object that is `text`; 0: it needs the general way. take(key, line) takes a
// value.
template <class TakeMember>
unsigned ReadMembers(std::string_view text, TakeMember&& take) {
  LineReader line(text);
  if (!line.Take('{')) return 0;
  unsigned seen = 0;
  do {
    std::string_view key;
    if (!line.TakeText(key) || !line.Take(':')) return 0;
    const unsigned member = take(key, line);
    if (member == PlainMember::kNone || seen & member) return 0;
    seen |= member;
  } while (line.Take(','));
  if (!line.Take('}') || !line.done()) return 0;
  // What its strings may not hold.
  unsigned char high = 0, plain = 1;
  for (const unsigned char c : text) {
    high |= c;
    plain &= static_cast<unsigned char>((c >= 0x20) & (c != '\\'));
  }
  return plain && (high < 0x80 || IsValidUtf8(text)) ? seen : 0;
}

}  // namespace

bool ReadPlainEdge(std::string_view text, Row& row, RowValues& values) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  return ReadMembers(text,
                     [&](std::string_view key, LineReader& line) -> unsigned {
                       if (Is(key, "edge")) return If(TakeEnds(line, row), PlainMember::kEdge);
                       if (Is(key, "kind"))
                         return If(line.TakeText(values.kind) && !values.kind.empty(),
                                   PlainMember::kKind);
                       return TakeAttribute(key, line, row, values);
                     }) &
         PlainMember::kEdge;
}

bool ReadPlainElement(std::string_view text, const ElementDefaults& defaults, Row& row,
                      RowValues& values) {
  bool directed = defaults.directed;
  std::string_view parallel;
  values.kind = {};
  const unsigned seen = ReadMembers(text, [&](std::string_view key, LineReader& line) -> unsigned {
    if (Is(key, "source")) return If(TakeId(line, row, 0), PlainMember::kSource);
    if (Is(key, "target")) return If(TakeId(line, row, 1), PlainMember::kTarget);
    if (Is(key, "kind") || Is(key, "type"))
      return If(line.TakeText(values.kind), PlainMember::kKind);
    if (Is(key, "directed")) return If(line.TakeBool(directed), PlainMember::kDirected);
    if (Is(key, "key") && defaults.multigraph)
      return If(line.AtText() ? line.TakeText(parallel) : TakeInteger(line, parallel),
                PlainMember::kKey);
    return TakeAttribute(key, line, row, values);
  });
  if (!(seen & PlainMember::kSource) || !(seen & PlainMember::kTarget)) return false;
  if (seen & PlainMember::kKey && !(seen & PlainMember::kLabel) && parallel != "0")
    values.label = parallel;
  values.undirected = !directed;
  if (values.kind.empty()) values.kind = directed ? "link" : kLinkedKind;
  return true;
}

namespace {

// Whether a line may state a weight or a time. A look for the first two bytes of their names costs
// least.
bool StatesValues(std::string_view text) {
  unsigned char any = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    any |=
        static_cast<unsigned char>((text[i - 1] == '"') & ((c == 'w') | (c == 'c') | (c == 'v')));
  }
  const auto has = [&](std::string_view name) {
    return memmem(text.data(), text.size(), name.data(), name.size()) != nullptr;
  };
  return any && (has("\"weight\"") || has("\"created_at\"") || has("\"valid_from\"") ||
                 has("\"valid_until\""));
}

}  // namespace

std::size_t JsonEdgeParser::Parse(std::string_view text, std::uint64_t first_line,
                                  const ParseContext& context, Piece& piece) const {
  constexpr std::size_t kLeast = 18;  // {"edge":["a","b"]}
  PieceEdgesWriter edges(piece, std::min(context.max_ops, text.size() / kLeast + 1), numbers_,
                         context.schema.get(), StatesValues(text));
  bool plain = true;
  std::size_t at = 0, count = 0;
  for (std::uint64_t number = first_line; at < text.size() && count < context.max_ops; ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = std::min(end + 1, text.size());
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    Row row = {};
    RowValues stated;
    row.line = number;
    plain = line.size() < line_bytes_ && ReadPlainEdge(line, row, stated) && edges.Add(row, stated);
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
  return head.size() - end >= 8 && ReadPlainEdge(head.substr(begin, end - begin), row, values);
}

}  // namespace plexus::formats::internal
