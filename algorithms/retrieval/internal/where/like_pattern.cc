// Pieces taken greedily from the left, the last one from the right; see like_pattern.h.
#include "algorithms/retrieval/internal/where/like_pattern.h"

#include <algorithm>
#include <cstring>

#include "algorithms/retrieval/terms.h"

namespace plexus::retrieval::internal {

namespace {

bool Continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes of the character at the front. REQUIRES text not empty.
std::size_t CharacterBytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t most = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  std::size_t bytes = 1;
  while (bytes < most && bytes < text.size() && Continues(text[bytes])) ++bytes;
  return bytes;
}

// Whether the piece has only bytes that can begin where a character does.
template <class Piece>
bool IsLiteral(const Piece& piece) {
  return !Continues(piece.front().byte) &&
         std::ranges::none_of(piece, [](const auto& symbol) { return symbol.any; });
}

template <class Piece>
std::string BytesOf(const Piece& piece) {
  std::string bytes;
  for (const auto& symbol : piece) bytes.push_back(symbol.byte);
  return bytes;
}

}  // namespace

LikePattern::LikePattern(std::string_view pattern, bool ignore_case) : ignore_case_(ignore_case) {
  std::string literal;  // Between wildcards: what is folded may look like one, and is none.
  const auto end_literal = [&] {
    for (const char c : ignore_case ? FoldText(literal) : literal)
      pieces_.back().push_back({c, false});
    literal.clear();
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '%' || c == '_') {
      end_literal();
      if (c == '_') {
        pieces_.back().push_back({c, true});
      } else {
        open_ = true;
        pieces_.emplace_back();
      }
      continue;
    }
    literal.push_back(c == '\\' && i + 1 < pattern.size() ? pattern[++i] : c);
  }
  end_literal();
}

std::size_t LikePattern::Fit(const Piece& piece, std::string_view text) const {
  std::size_t at = 0;
  for (const Symbol& symbol : piece) {
    if (at == text.size()) return std::string_view::npos;
    if (symbol.any) {
      at += CharacterBytes(text.substr(at));
      continue;
    }
    if (text[at] != symbol.byte) return std::string_view::npos;
    ++at;
  }
  return at;
}

bool LikePattern::Matches(std::string_view text) const {
  return ignore_case_ ? Fits(FoldText(text)) : Fits(text);
}

bool LikePattern::Fits(std::string_view text) const {
  const std::size_t first = Fit(pieces_.front(), text);
  if (first == std::string_view::npos) return false;
  if (!open_) return first == text.size();
  text.remove_prefix(first);
  for (std::size_t i = 1; i + 1 < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (piece.empty()) continue;
    if (IsLiteral(piece)) {
      const std::string bytes = BytesOf(piece);
      const void* found = memmem(text.data(), text.size(), bytes.data(), bytes.size());
      if (!found) return false;
      text.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) +
                         bytes.size());
      continue;
    }
    std::size_t taken = std::string_view::npos;
    while (!text.empty() && (taken = Fit(piece, text)) == std::string_view::npos)
      text.remove_prefix(CharacterBytes(text));
    if (taken == std::string_view::npos) return false;
    text.remove_prefix(taken);
  }
  const Piece& last = pieces_.back();
  if (last.empty()) return true;
  if (IsLiteral(last)) return text.ends_with(BytesOf(last));
  // A symbol takes four bytes at most.
  while (text.size() / 4 > last.size()) text.remove_prefix(CharacterBytes(text));
  for (; !text.empty(); text.remove_prefix(CharacterBytes(text)))
    if (Fit(last, text) == text.size()) return true;
  return false;
}

}  // namespace plexus::retrieval::internal
