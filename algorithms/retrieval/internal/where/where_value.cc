// Comparing values of a Where expression, exactly; see where_tree.h. Patterns: pieces taken
// greedily from the left, the last one from the right.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "algorithms/retrieval/internal/where/where_tree.h"
#include "algorithms/retrieval/terms.h"

namespace plexus::retrieval::internal {

namespace {

// An integer and a double: neither is rounded to the other's type.
template <class Integer>
std::strong_ordering CompareNumbers(Integer a, double b) {
  constexpr double kEnd = std::numeric_limits<Integer>::is_signed ? 0x1p63 : 0x1p64;
  if (b >= kEnd) return std::strong_ordering::less;
  if (b < static_cast<double>(std::numeric_limits<Integer>::min()))
    return std::strong_ordering::greater;
  const double whole = std::trunc(b);
  if (const auto order = a <=> static_cast<Integer>(whole); order != 0) return order;
  return b > whole   ? std::strong_ordering::less
         : b < whole ? std::strong_ordering::greater
                     : std::strong_ordering::equal;
}

std::strong_ordering CompareNumbers(double a, double b) {
  return a < b   ? std::strong_ordering::less
         : a > b ? std::strong_ordering::greater
                 : std::strong_ordering::equal;
}
std::strong_ordering CompareNumbers(std::int64_t a, std::int64_t b) { return a <=> b; }
std::strong_ordering CompareNumbers(std::uint64_t a, std::uint64_t b) { return a <=> b; }
std::strong_ordering CompareNumbers(std::uint64_t a, std::int64_t b) {
  return b < 0 ? std::strong_ordering::greater : a <=> static_cast<std::uint64_t>(b);
}
std::strong_ordering CompareNumbers(std::int64_t a, std::uint64_t b) {
  return 0 <=> CompareNumbers(b, a);
}
template <class Integer>
std::strong_ordering CompareNumbers(double a, Integer b) {
  return 0 <=> CompareNumbers(b, a);
}

struct Comparison {
  const WhereValue& want;

  using Order = std::optional<std::strong_ordering>;
  Order operator()(std::monostate) const { return std::nullopt; }
  Order operator()(bool have) const {
    const bool* truth = std::get_if<bool>(&want.value);
    return truth ? Order(int{have} <=> int{*truth}) : std::nullopt;
  }
  Order operator()(std::string_view have) const {
    const std::string* text = std::get_if<std::string>(&want.value);
    return text ? Order(have.compare(*text) <=> 0) : std::nullopt;
  }
  template <class Number>
  Order operator()(Number have) const {
    if (const auto* whole = std::get_if<std::int64_t>(&want.value))
      return CompareNumbers(have, *whole);
    if (const auto* large = std::get_if<std::uint64_t>(&want.value))
      return CompareNumbers(have, *large);
    if (const auto* number = std::get_if<double>(&want.value)) return CompareNumbers(have, *number);
    if constexpr (!std::is_same_v<Number, double>)
      if (want.time_ms) return CompareNumbers(have, *want.time_ms);
    return std::nullopt;
  }
};

WhereTruth Truth(bool found, bool all_comparable) {
  return found ? WhereTruth::kTrue : all_comparable ? WhereTruth::kFalse : WhereTruth::kNeither;
}

struct Membership {
  const WhereList& list;
  std::size_t all = list.strings.size() + list.numbers.size() + list.bools;

  WhereTruth operator()(std::monostate) const { return WhereTruth::kNeither; }
  WhereTruth operator()(bool have) const {
    return Truth(have ? list.has_true : list.has_false, list.bools == all);
  }
  WhereTruth operator()(std::string_view have) const {
    return Truth(std::binary_search(list.strings.begin(), list.strings.end(), have, std::less<>()),
                 list.strings.size() == all);
  }
  template <class Number>
  WhereTruth operator()(Number have) const {
    const WhereScalar scalar = have;
    const auto number = std::partition_point(
        list.numbers.begin(), list.numbers.end(),
        [&](const WhereValue& value) { return *CompareWhere(scalar, value) > 0; });
    bool found = number != list.numbers.end() && *CompareWhere(scalar, *number) == 0;
    std::size_t comparable = list.numbers.size();
    if constexpr (!std::is_same_v<Number, double>) {
      comparable += list.times.size();
      const auto time =
          std::partition_point(list.times.begin(), list.times.end(),
                               [&](std::int64_t value) { return CompareNumbers(have, value) > 0; });
      found = found || (time != list.times.end() && CompareNumbers(have, *time) == 0);
    }
    return Truth(found, comparable == all);
  }
};

}  // namespace

std::optional<std::strong_ordering> CompareWhere(const WhereScalar& have, const WhereValue& want) {
  return std::visit(Comparison{want}, have);
}

bool LessNumber(const WhereValue& a, const WhereValue& b) {
  const auto less = [&](const auto& number) {
    if constexpr (std::is_constructible_v<WhereScalar, decltype(number)>)
      return *CompareWhere(WhereScalar(number), b) < 0;
    return false;
  };
  return std::visit(less, a.value);
}

WhereTruth IsIn(const WhereScalar& have, const WhereList& list) {
  return std::visit(Membership{list}, have);
}

bool Holds(WhereComparison comparison, std::strong_ordering order) {
  switch (comparison) {
    case WhereComparison::kEqual:
      return order == 0;
    case WhereComparison::kNotEqual:
      return order != 0;
    case WhereComparison::kLess:
      return order < 0;
    case WhereComparison::kLessOrEqual:
      return order <= 0;
    case WhereComparison::kGreater:
      return order > 0;
    case WhereComparison::kGreaterOrEqual:
      return order >= 0;
  }
  return false;
}

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
