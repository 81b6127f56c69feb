// What a parameter means decides what it gets; the names of contents decide theirs.
#include "tests/hostile/random_request.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <map>

#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request.h"

namespace plexus::testing {

using tools::Means;
using tools::Operation;
using tools::Parameter;
using tools::Type;

std::string InQuotes(const std::string& text) {
  return boost::json::serialize(boost::json::value(boost::json::string(text)));
}

std::string RandomRequests::Where() {
  const std::vector<std::string> tests = {"trust > 0.3",
                                          "text like '%gateway%'",
                                          "kind = 'decision' or retention >= 0.5",
                                          "not (scope = 'user')",
                                          "tag = 'shared'",
                                          "colour = 'red' and created_at > '2020-01-01'",
                                          "key like 'm%'"};
  return Pick(tests);
}

std::string RandomRequests::Content(const std::string& name) {
  const std::string a = Pick(words_.keys), b = Pick(words_.keys);
  const std::string edge = R"({"edge":[)" + InQuotes(a) + "," + InQuotes(b) + R"(],"kind":)" +
                           InQuotes(Pick(words_.edge_kinds)) + "}";
  if (name == "vector") return Below(2) ? "[1, 0.5, 0]" : "0.25 1 0";
  if (name == "plan") {
    const std::vector<std::string> plans = {
        "recall", R"({"sources":[{"words":{}}]})",
        R"({"sources":[{"words":{"weight":2}},{"vector":{}}],"top":5})"};
    return Pick(plans);
  }
  if (name == "rules")
    return R"([{"name":"r","edge":["contradicts","depends_on"],"side":"either",)"
           R"("target":{"salience_above":0.1},"message":"{target} {other}"}])";
  if (name == "proposal") return edge + "\n" + R"({"remove":)" + InQuotes(b) + "}";
  if (name == "members") return R"([{"id":)" + InQuotes(a) + R"(,"role":"supporting"}])";
  if (name == "from")
    return R"({"a":)" + InQuotes(a) + R"(,"b":)" + InQuotes(b) + R"(,"verdict":"duplicate"})";
  return a + "\n" + b;  // keys or words, one a line
}

// One text, or an element of a list.
std::string RandomRequests::Element(const Parameter& parameter) {
  if (!parameter.choices.empty()) return Pick(parameter.choices);
  if (parameter.name == "scope") return Pick(words_.scopes);
  if (parameter.name == "where") return Where();
  if (parameter.name == "event") return Pick(words_.events);
  if (parameter.name == "pattern")
    return Pick(words_.edge_kinds) + Pick(std::vector<std::string>{"+", "*", "{1,2}", "|"}) + " .";
  if (parameter.name == "props") return R"({"colour":"red","n":[1,2]})";
  switch (parameter.means) {
    case Means::kKey:
      return Below(8) ? Pick(words_.keys) : "tag:shared";
    case Means::kWeightedKey:
      return Pick(words_.keys) + (Below(2) ? "=0.5" : "");
    case Means::kEdgeKind:
      return Pick(words_.edge_kinds);
    case Means::kNodeKind:
      return Pick(words_.node_kinds);
    case Means::kTime:
      return Below(2) ? "2023-12-01" : "1700000000000";
    case Means::kMoment:
      return std::to_string(Below(4));
    case Means::kFile:
    case Means::kPath:
      return words_.paths.empty() ? "-" : Pick(words_.paths);
    case Means::kContent:
      return Content(parameter.name);
    case Means::kOperation:
      return Pick(tools::AllOperations()).name;
    case Means::kNumeral:
      return std::to_string(Below(10));
    case Means::kText:
      break;
  }
  return Below(4) ? Pick(words_.texts) : std::to_string(Below(10));
}

std::string RandomRequests::Value(const Parameter& parameter) {
  switch (parameter.type) {
    case Type::kFlag:
      return Below(2) ? "true" : "false";
    case Type::kCount:
    case Type::kNumber: {
      const double least = parameter.least.value_or(0);
      const double most = std::min(parameter.most.value_or(12), least + 12);
      if (parameter.type == Type::kCount)
        return std::to_string(static_cast<std::uint64_t>(least) +
                              Below(static_cast<std::size_t>(most - least) + 1));
      return std::to_string(least + (most - least) * static_cast<double>(Below(9)) / 8);
    }
    case Type::kText:
      return InQuotes(Element(parameter));
    case Type::kList: {
      std::string list;
      for (std::size_t i = 1 + Below(3); i > 0; --i)
        list += (list.empty() ? "" : ",") + InQuotes(Element(parameter));
      return "[" + list + "]";
    }
  }
  return "null";
}

std::string RandomRequests::Wrong(const Parameter& parameter) {
  const auto repeated = [&](const std::string& text, std::size_t times) {
    std::string all;
    while (times-- > 0) all += text;
    return all;
  };
  switch (Below(16)) {
    case 0:
      return "-1";
    case 1:
      return "18446744073709551615";
    case 2:
      return "1e308";
    case 3:
      return InQuotes(std::string(std::size_t{1} << Below(18), 'x'));
    case 4:
      return InQuotes(repeated("( ", 1 + Below(5'000)));
    case 5:
      return InQuotes(repeated("[", 1 + Below(5'000)));
    case 6:
      return repeated("[", 1 + Below(100)) + repeated("]", 1 + Below(100));
    case 7:
      return InQuotes(std::string("\x1b[31m\n  ^\0\x7f", 11) + "\xc2\x9b\xe2\x80\xae");
    case 8:
      return "\"\xff\xfe\"";
    case 9:
      return R"("\ud800")";
    case 10:
      return InQuotes(repeated("not ", 1 + Below(2'000)) + "trust > 1");
    case 11:
      return InQuotes(repeated(Pick(words_.texts) + " \"" + Pick(words_.texts) + "\" ", 40));
    case 12: {
      std::string list;
      for (std::size_t i = 1 + Below(3'000); i > 0; --i)
        list += (list.empty() ? "\"" : ",\"") + Pick(words_.keys) + "\"";
      return "[" + list + "]";
    }
    case 13:
      return "{}";
    case 14:
      return InQuotes("../../../etc/passwd");
    default:
      return Value(parameter);
  }
}

std::string RandomRequests::Members(const Operation& row, bool hostile) {
  std::string members;
  const std::size_t often = Below(4);  // of ten; many that are optional do not go together
  const auto add = [&](const std::string& name, const std::string& value) {
    members += (members.empty() ? "" : ",") + InQuotes(name) + ":" + value;
  };
  for (const Parameter& parameter : row.parameters) {
    if (parameter.name == "max_seconds") continue;  // what time allows is not the same twice
    const bool path = parameter.means == Means::kFile || parameter.means == Means::kPath;
    if (path && words_.paths.empty() && !parameter.required) continue;
    if (!parameter.required && Below(10) >= often) continue;
    add(parameter.name, hostile && Below(4) == 0 ? Wrong(parameter) : Value(parameter));
  }
  for (const Parameter& parameter : tools::CommonParameters())
    if (parameter.name != "now" && Below(12) == 0)
      add(parameter.name, hostile && Below(4) == 0 ? Wrong(parameter) : Value(parameter));
  if (hostile && Below(12) == 0) add(Pick(words_.texts), "1");
  if (hostile && Below(12) == 0 && !row.parameters.empty())
    add(Pick(row.parameters).name, Value(Pick(row.parameters)));
  return members;
}

std::string RandomRequests::Friendly(const Operation& row) {
  return "{" + Members(row, false) + "}";
}

std::string RandomRequests::Hostile(const Operation& row) {
  std::string text = "{" + Members(row, true) + "}";
  if (Below(16) == 0) text.resize(Below(text.size()));
  if (Below(16) == 0 && !text.empty()) text[Below(text.size())] = static_cast<char>(Below(256));
  return text;
}

}  // namespace plexus::testing
