// The tree of a compiled Where expression: what where_parser.cc makes and where.cc evaluates.
//
// `and` and `or` hold any number of parts, cheapest first: what is in RAM, then properties, then
// texts. Leaves are bound to the schema and their values checked against it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/retrieval/scan.h"
#include "engine/lineage.h"
#include "engine/schema.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::retrieval::internal {

// LikePattern: SQL's LIKE without backtracking over more than the last "%".
//
// A pattern is pieces between its "%". The first is bound to the begin of the text, the last to its
// end, and of those between the first place where one fits is as good as any (what is left for the
// others is longest). So a text of n bytes costs
// O(n), and O(n * piece) only for a piece in the middle that has a "_".
class LikePattern {
 public:
  LikePattern() = default;
  // "\" before any character takes it as it is; at the end it means itself. `ignore_case`: the
  // pattern's text and what it is held against are folded (terms.h).
  LikePattern(std::string_view pattern, bool ignore_case);

  bool Matches(std::string_view text) const;

 private:
  struct Symbol {
    char byte = 0;
    bool any = false;  // one character of UTF-8, or one byte that is none
  };
  using Piece = std::vector<Symbol>;

  bool Fits(std::string_view text) const;
  // How many bytes at the front of `text` the piece takes; npos: it does not fit.
  std::size_t Fit(const Piece& piece, std::string_view text) const;

  bool ignore_case_ = false;
  bool open_ = false;                      // a "%" somewhere
  std::vector<Piece> pieces_ = {Piece()};  // between the "%"; some may be empty
};

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

// The shortest list of nodes that holds every node of which a Where expression can be true.
//
// A test bounds a list when an order, a posting list or the key table answers it: the list may hold
// more, never less. `and` takes the shortest of its parts, `or` all of them if each has one.
//
// Ascending, each once; nullopt: each list has more than `most` nodes. `make_orders`: as
// WhereOptions has it. O(list * log list).
std::optional<std::vector<NodeId>> ShortestList(const Snapshot& snapshot, const WhereTest& root,
                                                bool make_orders, std::uint64_t most);

// WhereSet: the nodes of a Where expression, kept with the state and carried by what a batch
// changed.
//
// Only of tests that columns, kinds, keys, scopes and tags decide, so that nothing is fetched to
// carry it and no later column is one of its names, and that name no time before now.
class WhereSet final : public Carried {
 public:
  static constexpr std::string_view kName = "where";

  static bool CanKeep(const WhereExpression& expression);
  // Null: not kept.
  static std::shared_ptr<const WhereSet> Find(const Snapshot& snapshot,
                                              const WhereExpression& expression);
  // `nodes`: of both planes, of which it is true. REQUIRES CanKeep(expression). Takes the place of
  // another expression's set.
  static std::shared_ptr<const WhereSet> Keep(const Snapshot& snapshot,
                                              const WhereExpression& expression, NodeSubset nodes);

  // The alive nodes of which it is true; the facts among them.
  const NodeSubset& nodes() const { return nodes_; }
  const NodeSubset& facts() const { return facts_; }

  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override;
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override;

 private:
  static constexpr std::uint32_t kPlaces = 8;  // so many sets are kept, at most
  static std::uint32_t PlaceOf(const WhereExpression& expression);
  WhereSet(const WhereExpression& expression, NodeSubset nodes, NodeSubset facts);

  const WhereExpression expression_;
  const NodeSubset nodes_, facts_;
};

}  // namespace plexus::retrieval::internal

namespace plexus::retrieval {

struct WhereExpression::Tree {
  internal::WhereTest root;
  std::string text;
  bool timeless = true;  // whatever the time is, it means the same
};

}  // namespace plexus::retrieval
