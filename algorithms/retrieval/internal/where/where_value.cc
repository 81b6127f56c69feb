// Comparing values of a Where expression, exactly; see where_tree.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/retrieval/internal/where/where_tree.h"

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

}  // namespace plexus::retrieval::internal
