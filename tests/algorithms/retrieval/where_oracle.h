// Where, slow and obvious: random expressions as trees of their own, spelled for the parser and
// evaluated here on every node, with no code shared with the library under test.
//
// Numbers are compared as long doubles (64 bits of mantissa hold every value of the test graphs),
// LIKE by plain recursion.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/properties/properties.h"
#include "engine/snapshot.h"
#include "engine/times.h"
#include "engine/vocabulary.h"

namespace plexus::testing {

// What a node has, or what an expression says.
using OracleValue = std::variant<std::monostate, bool, long double, std::string>;

struct OracleTest {
  std::string op;  // and or not = != < <= > >= in like ilike exists
  std::vector<OracleTest> parts;
  std::string name;
  std::vector<OracleValue> values;
};

enum class Three { kFalse, kNeither, kTrue };

inline bool SlowLike(std::string_view text, std::string_view pattern, bool ignore_case) {
  const auto lower = [&](char c) {
    return ignore_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  };
  if (pattern.empty()) return text.empty();
  std::size_t bytes = 1;  // of the first character
  while (bytes < text.size() && (text[bytes] & 0xC0) == 0x80) ++bytes;
  if (pattern[0] == '%')
    return SlowLike(text, pattern.substr(1), ignore_case) ||
           (!text.empty() && SlowLike(text.substr(bytes), pattern, ignore_case));
  if (text.empty()) return false;
  if (pattern[0] == '_') return SlowLike(text.substr(bytes), pattern.substr(1), ignore_case);
  if (pattern[0] == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
  return lower(text[0]) == lower(pattern[0]) &&
         SlowLike(text.substr(1), pattern.substr(1), ignore_case);
}

// All that one node answers to a name; several for tags.
inline std::vector<OracleValue> ValuesOf(const Snapshot& s, NodeId v, const std::string& name) {
  std::string key(s.key(v));
  std::ranges::replace(key, '\x1f', ':');
  if (name == "kind") return {s.schema().node_kind(s.node_kind(v)).name};
  if (name == "key") return {key};
  if (name == "scope") return {std::string(s.scope(v))};
  if (name == "text") {
    const auto text = s.Payload(v, NodeField::kText);
    return {text ? OracleValue(*text) : OracleValue()};
  }
  if (name == "tag") {
    std::vector<OracleValue> tags;
    s.ForEachArc(Direction::kOut, v, ArcFilter::All(), [&](const Arc& arc) {
      if (arc.kind == builtin::kHasTag)
        tags.emplace_back(std::string(DisplayName(s.key(arc.neighbor))));
    });
    return tags;
  }
  if (const auto column = s.schema().FindColumn(name)) {
    OracleValue value;
    switch (s.schema().columns()[*column].type) {
      case ColumnType::kF64:
        if (const auto x = s.f64(*column, v)) value = static_cast<long double>(*x);
        break;
      case ColumnType::kI64:
        if (const auto x = s.i64(*column, v)) value = static_cast<long double>(*x);
        break;
      case ColumnType::kString:
        if (const auto x = s.string_column(*column, v)) value = std::string(s.string(*x));
        break;
    }
    return {value};
  }
  const auto bytes = s.Payload(v, NodeField::kProperties);
  if (!bytes) return {OracleValue()};
  const PropertyMap map = *PropertyMap::Read(*bytes);
  std::optional<PropertyView> at = map.root();
  std::string path = name.starts_with("props.") ? name.substr(6) : name;
  while (at && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    at = at->type() == PropertyType::kMap ? at->Find(path.substr(0, dot)) : std::nullopt;
    path.erase(0, dot + 1);
  }
  if (!at || at->is_null()) return {OracleValue()};
  if (const auto x = at->AsString()) return {std::string(*x)};
  if (const auto x = at->AsBool()) return {*x};
  if (const auto x = at->AsInt()) return {static_cast<long double>(*x)};
  if (const auto x = at->AsUint()) return {static_cast<long double>(*x)};
  if (const auto x = at->AsDouble()) return {*x};
  return {OracleValue(std::string("\1list"))};  // exists, and equals nothing
}

// `whole`: the number is no double, so a string that is a time stands for one, too.
inline Three Compared(const std::string& op, const OracleValue& have, OracleValue want,
                      bool whole) {
  if (std::holds_alternative<std::monostate>(have)) return Three::kNeither;
  if (const auto* text = std::get_if<std::string>(&have); text && *text == "\1list")
    return Three::kNeither;
  if (const auto* text = std::get_if<std::string>(&want))
    if (const auto time = ParseIsoTime(*text); time && whole)
      if (std::holds_alternative<long double>(have)) want = static_cast<long double>(*time);
  if (have.index() != want.index()) return Three::kNeither;
  const bool holds = op == "="    ? have == want
                     : op == "!=" ? have != want
                     : op == "<"  ? have < want
                     : op == "<=" ? have <= want
                     : op == ">"  ? have > want
                                  : have >= want;
  return holds ? Three::kTrue : Three::kFalse;
}

inline Three Or(const std::vector<Three>& parts) {
  Three all = Three::kFalse;
  for (const Three part : parts) all = std::max(all, part);
  return all;
}
inline Three Not(Three t) {
  return t == Three::kTrue ? Three::kFalse : t == Three::kFalse ? Three::kTrue : t;
}

inline Three SlowTruth(const Snapshot& s, NodeId v, const OracleTest& test) {
  std::vector<Three> parts;
  for (const OracleTest& part : test.parts) parts.push_back(SlowTruth(s, v, part));
  if (test.op == "or") return Or(parts);
  if (test.op == "not") return Not(parts[0]);
  if (test.op == "and") {
    Three all = Three::kTrue;
    for (const Three part : parts) all = std::min(all, part);
    return all;
  }
  const std::vector<OracleValue> values = ValuesOf(s, v, test.name);
  const auto missing = [](const OracleValue& x) {
    return std::holds_alternative<std::monostate>(x);
  };
  if (test.op == "exists")
    return !values.empty() && !missing(values[0]) ? Three::kTrue : Three::kFalse;
  bool whole = test.name != "trust";
  if (test.name.find("num") != std::string::npos && !values.empty())
    if (const auto* x = std::get_if<long double>(&values[0]))
      whole = *x == std::floor(*x) && *x < 1e200L;  // as Fill stores them
  const auto one = [&](const OracleValue& have) {
    if (test.op == "like" || test.op == "ilike") {
      const auto* text = std::get_if<std::string>(&have);
      if (!text || *text == "\1list") return Three::kNeither;
      return SlowLike(*text, std::get<std::string>(test.values[0]), test.op == "ilike")
                 ? Three::kTrue
                 : Three::kFalse;
    }
    std::vector<Three> each;
    for (const OracleValue& want : test.values)
      each.push_back(Compared(test.op == "in" ? "=" : test.op, have, want, whole));
    return Or(each);
  };
  if (test.name != "tag") return one(values[0]);
  if (test.op == "!=") {
    for (const OracleValue& tag : values)
      if (one(tag) == Three::kFalse) return Three::kFalse;
    return Three::kTrue;
  }
  std::vector<Three> each;
  for (const OracleValue& tag : values) each.push_back(one(tag));
  return Or(each);
}

inline std::string Spelled(const OracleValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    std::string out = "'";
    for (const char c : *text) out += c == '\'' ? "''" : std::string(1, c);
    return out + "'";
  }
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "TRUE" : "false";
  char digits[64];
  std::snprintf(digits, sizeof digits, "%.21Lg", std::get<long double>(value));
  return digits;
}

inline std::string Spelled(const OracleTest& test) {
  if (test.op == "not") return "not (" + Spelled(test.parts[0]) + ")";
  if (test.op == "exists") return "exists " + test.name;
  if (!test.parts.empty()) {
    std::string out;
    for (const OracleTest& part : test.parts)
      out += (out.empty() ? "(" : ") " + test.op + " (") + Spelled(part);
    return out + ")";
  }
  if (test.op != "in") return test.name + " " + test.op + " " + Spelled(test.values[0]);
  std::string out = test.name + " in (";
  for (std::size_t i = 0; i < test.values.size(); ++i)
    out += (i ? ", " : "") + Spelled(test.values[i]);
  return out + ")";
}

}  // namespace plexus::testing
