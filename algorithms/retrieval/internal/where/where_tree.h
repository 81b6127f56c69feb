// The tree of a compiled Where expression: what where_parser.cc makes and where.cc evaluates.
//
// `and` and `or` hold any number of parts, cheapest first: what is in RAM, then properties, then
// texts. Leaves are bound to the schema and their values checked against it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "algorithms/retrieval/internal/where/like_pattern.h"
#include "algorithms/retrieval/scan.h"
#include "engine/schema.h"
#include "engine/types.h"

namespace plexus::retrieval::internal {

// A value as an expression spells it. `time_ms`: of a string that is an ISO 8601 time.
struct WhereValue {
  // std::uint64_t: of a number that is too large for the type before.
  std::variant<bool, std::int64_t, std::uint64_t, double, std::string> value;
  std::optional<std::int64_t> time_ms;
};

// A value that a node has; monostate: missing. Strings are views into what holds them.
using WhereScalar =
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string_view>;

// How `have` lies to `want`; nullopt when they cannot be compared. Numbers are compared exactly,
// whatever their types.
std::optional<std::strong_ordering> CompareWhere(const WhereScalar& have, const WhereValue& want);
// Of two numbers.
bool LessNumber(const WhereValue& a, const WhereValue& b);

// The values of `in`, each sort in its order.
struct WhereList {
  std::vector<std::string> strings;
  std::vector<std::int64_t> times;  // of strings that are ISO 8601 times
  std::vector<WhereValue> numbers;
  bool has_true = false, has_false = false;
  std::size_t bools = 0;
};

enum class WhereTruth : std::uint8_t { kFalse, kNeither, kTrue };
WhereTruth IsIn(const WhereScalar& have, const WhereList& list);

enum class WhereForm : std::uint8_t { kAnd, kOr, kNot, kCompare, kIn, kLike, kExists };
enum class WhereField : std::uint8_t { kKind, kKey, kTag, kScope, kText, kColumn, kProperty };
enum class WhereComparison : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual
};
bool Holds(WhereComparison comparison, std::strong_ordering order);

// What a test has to fetch, and so when it is made.
enum class WhereCost : std::uint8_t { kMemory, kRow, kProperties, kText };

struct WhereTest {
  WhereForm form = WhereForm::kAnd;
  WhereCost cost = WhereCost::kMemory;  // the most of its parts
  std::vector<WhereTest> parts;         // of kAnd, kOr, kNot

  // Of the other forms.
  WhereField field = WhereField::kKey;
  ColumnId column{};
  ColumnType type = ColumnType::kF64;
  // Of a property; with kColumn: of the one that counts where a node has no value.
  std::vector<std::string> path;
  bool bare = false;  // a property's name without "props."
  WhereComparison comparison = WhereComparison::kEqual;
  WhereValue value;  // of kCompare
  WhereList list;    // of kIn
  LikePattern pattern;
};

// The nodes of `list`, of which EvaluateWhere would select these; both ascending. O(list).
Result<std::vector<NodeId>> EvaluateWhereOf(const Snapshot& snapshot, const WhereTest& root,
                                            const WhereOptions& options,
                                            const std::vector<NodeId>& list);

}  // namespace plexus::retrieval::internal

namespace plexus::retrieval {

struct WhereExpression::Tree {
  internal::WhereTest root;
  std::string text;
  bool timeless = true;  // whatever the time is, it means the same
};

}  // namespace plexus::retrieval
