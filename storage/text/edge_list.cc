// Edge lists at memory speed; see edge_list.h.
//
// The idea: tokens are found eight bytes at a time (a byte at or below the space
// ends one), and a short token packed into one word is its own key in a small
// direct-mapped cache, so that an endpoint named again costs no hashing of
// strings here and no look-up when the batch is applied. What the fast loop must not
// meet (other control bytes, non-ASCII) is looked for once per block.
#include "storage/text/edge_list.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "engine/vocabulary.h"

namespace plexus::text {

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ull;
constexpr std::uint64_t kHighs = kOnes << 7;

std::uint64_t Load8(const char* p) {
  std::uint64_t w;
  std::memcpy(&w, p, 8);
  return w;
}

// High bit set in (at least) the lowest byte of `w` that is at or below ' '.
std::uint64_t SpaceBytes(std::uint64_t w) { return (w - kOnes * 0x21) & ~w & kHighs; }

const char* TokenEnd(const char* p) {
  for (;;) {
    if (std::uint64_t hit = SpaceBytes(Load8(p))) return p + std::countr_zero(hit) / 8;
    p += 8;
  }
}

// Node references of one piece by token.
class TokenCache {
 public:
  TokenCache() : slots_(std::size_t{1} << kBits) {}
  void Reset() {
    if (++generation_ == 0) {
      slots_.assign(slots_.size(), Slot{});
      generation_ = 1;
    }
  }
  NodeRef Get(std::string_view token, Piece& piece, TouchedNodes* touched) {
    if (token.size() > 8) return Name(token, piece, touched);
    std::uint64_t word = Load8(token.data());
    if (token.size() < 8) word &= (std::uint64_t{1} << (8 * token.size())) - 1;
    Slot& slot = slots_[(word * 0x9E3779B97F4A7C15ull) >> (64 - kBits)];
    if (slot.word != word || slot.generation != generation_)
      slot = {word, generation_, Name(token, piece, touched).index()};
    return NodeRef{NodeRef::kLocal | slot.local};
  }

 private:
  static constexpr int kBits = 17;
  struct Slot {
    std::uint64_t word = 0;
    std::uint32_t generation = 0, local = 0;
  };
  static NodeRef Name(std::string_view token, Piece& piece, TouchedNodes* touched) {
    if (touched) touched->Mark(token);
    return piece.batch.Node(token);
  }
  std::vector<Slot> slots_;
  std::uint32_t generation_ = 0;
};

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

bool HasControl(std::string_view line) { return LookFor(line).control; }

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

struct Line {
  std::string_view tokens[4];
  int count = 0;
};

}  // namespace

std::size_t EdgeListParser::Parse(std::string_view text, std::uint64_t first_line,
                                  const ParseContext& context, Piece& piece) const {
  static thread_local TokenCache cache;
  cache.Reset();
  const Surprises surprises = LookFor(text);
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* p = begin;
  std::uint64_t line_number = first_line;
  piece.batch.ReserveEdges(std::min(context.max_ops, text.size() / 8 + 1));

  for (; p < end && piece.batch.op_count() < context.max_ops; ++line_number) {
    const char* const line_begin = p;
    Line line;
    // Tokens until the line's end. A carriage return is a space like any other.
    for (;;) {
      while (*p == ' ' || *p == '\t' || *p == '\r') ++p;
      if (*p == '\n' || p >= end) break;
      if (line.count == 0 && (*p == '#' || *p == '%')) {
        const void* at = std::memchr(p, '\n', end - p);
        p = at ? static_cast<const char*>(at) : end;
        break;
      }
      if (line.count == 3) {
        line.count = 4;
        const void* at = std::memchr(p, '\n', end - p);
        p = at ? static_cast<const char*>(at) : end;
        break;
      }
      const char* token_end = TokenEnd(p);
      if (token_end > end) token_end = end;
      if (token_end == p) {  // a control byte: refused below
        const void* at = std::memchr(p, '\n', end - p);
        p = at ? static_cast<const char*>(at) : end;
        line.count = 4;
        break;
      }
      line.tokens[line.count++] = {p, static_cast<std::size_t>(token_end - p)};
      p = token_end;
    }
    const char* const line_end = p;
    if (p < end) ++p;
    if (line.count == 0) continue;
    ++piece.records;

    std::string wrong;
    float weight = 1;
    if (surprises.control && HasControl({line_begin, static_cast<std::size_t>(line_end - line_begin)}))
      wrong = "control character";
    else if (line.count < 2 || line.count > 3)
      wrong = "expected `source target [weight]`";
    else if (line.count == 3 &&
             (!ParseWeight(line.tokens[2], weight) || !std::isfinite(weight) || weight < 0))
      wrong = "weight \"" + std::string(line.tokens[2].substr(0, 40)) +
              "\" is not a finite number >= 0";
    else if (line.tokens[0].size() > Limits::kMaxKeyBytes || surprises.non_ascii ||
             line.tokens[1].size() > Limits::kMaxKeyBytes) {
      wrong = CheckToken(line.tokens[0], surprises.non_ascii);
      if (wrong.empty()) wrong = CheckToken(line.tokens[1], surprises.non_ascii);
    }
    if (!wrong.empty()) {
      if (NoteError(context, piece, line_number, std::move(wrong))) continue;
      break;
    }
    WriteBatch::EdgeInput edge;
    edge.source = cache.Get(line.tokens[0], piece, context.touched);
    edge.target = cache.Get(line.tokens[1], piece, context.touched);
    edge.kind = kLink;
    if (line.count == 3) edge.weight = weight;
    piece.batch.Link(edge);
    ++piece.fact_edges;
  }
  return p - begin;
}

}  // namespace plexus::text
