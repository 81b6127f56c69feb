// WhereExpression::Compile: recursive descent from words to a tree bound to the schema.
//
// The text is bounded first, and with it tests and values; parentheses and "not" are counted, so
// neither parsing nor evaluating recurses further than WhereLimits::kMaxDepth.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "algorithms/retrieval/internal/where/where_tree.h"
#include "engine/out_of_memory.h"
#include "engine/times.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval {

namespace {

using internal::WhereComparison;
using internal::WhereCost;
using internal::WhereField;
using internal::WhereForm;
using internal::WhereTest;
using internal::WhereValue;

enum class Sign : std::uint8_t { kEnd, kWord, kQuoted, kString, kNumber, kSymbol };

struct Token {
  Sign sign = Sign::kEnd;
  std::size_t at = 0;  // byte
  std::string text;    // quotes taken off
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// An unquoted word of the language, in any case.
bool IsWord(const Token& token, std::string_view word) {
  return token.sign == Sign::kWord && std::ranges::equal(token.text, word, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
         });
}

bool IsReserved(const Token& token) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"and", "or", "not", "in", "like", "ilike", "exists",
                                              "true", "false"},
      [&](std::string_view word) { return IsWord(token, word); });
}

std::string Shown(const Token& token) {
  return token.sign == Sign::kEnd ? "the end" : "'" + token.text + "'";
}

// The expression around a byte, on one line, and a caret below that byte.
std::string Caret(std::string_view text, std::size_t at) {
  constexpr std::size_t kBefore = 60, kAfter = 20;  // characters
  const auto continues = [&](std::size_t i) { return (text[i] & 0xC0) == 0x80; };
  at = std::min(at, text.size());
  while (at > 0 && at < text.size() && continues(at)) --at;
  std::size_t begin = at, column = 0;
  while (begin > 0 && column < kBefore)
    if (!continues(--begin)) ++column;
  std::size_t end = at;
  for (std::size_t shown = 0; end < text.size(); ++end)
    if (!continues(end) && shown++ == kAfter) break;
  std::string line(text.substr(begin, end - begin));
  for (char& c : line)
    if (IsBlank(c)) c = ' ';
  const std::string_view more = begin > 0 ? "..." : "";
  return "\n  " + std::string(more) + line + (end < text.size() ? "..." : "") + "\n  " +
         std::string(more.size() + column, ' ') + "^";
}

class WhereParser {
 public:
  WhereParser(std::string_view text, const Schema& schema, std::int64_t now_ms)
      : text_(text), schema_(schema), now_ms_(now_ms) {}

  bool timeless() const { return timeless_; }  // of what was run

  Result<WhereTest> Run() {
    if (text_.size() > WhereLimits::kMaxBytes)
      return Invalid("where: an expression has at most ", WhereLimits::kMaxBytes, " bytes");
    if (!IsValidUtf8(text_)) return Invalid("where: the expression is not UTF-8");
    PLEXUS_TRY(Next());
    PLEXUS_ASSIGN(WhereTest root, Expression(0));
    if (token_.sign != Sign::kEnd)
      return Bad(token_.at, "'and', 'or' or the end expected, not " + Shown(token_));
    return root;
  }

 private:
  std::unexpected<Error> Bad(std::size_t at, const std::string& why) const {
    return Invalid("where, byte ", at + 1, ": ", why, Caret(text_, at));
  }

  // --- tokens

  Status Next() {
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
    token_ = {};
    token_.at = at_;
    if (at_ == text_.size()) return {};
    const char c = text_[at_];
    if (c == '\'' || c == '"') return Quoted(c);
    if (IsDigit(c) || ((c == '-' || c == '+') && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1])))
      return Number();
    std::size_t end = at_ + 1;
    if (IsLetter(c)) {
      while (end < text_.size() && (IsLetter(text_[end]) || IsDigit(text_[end]))) ++end;
      token_.sign = Sign::kWord;
    } else {
      constexpr std::string_view kSigns = "=<>!(),.";
      if (kSigns.find(c) == std::string_view::npos) {
        std::size_t bytes = 1;
        while (at_ + bytes < text_.size() && (text_[at_ + bytes] & 0xC0) == 0x80) ++bytes;
        return Bad(at_, "'" + std::string(text_.substr(at_, bytes)) + "' means nothing here");
      }
      token_.sign = Sign::kSymbol;
      constexpr std::string_view kTwo[] = {"<=", ">=", "!=", "<>", "=="};
      for (const std::string_view two : kTwo)
        if (text_.substr(at_, 2) == two) end = at_ + 2;
    }
    token_.text = text_.substr(at_, end - at_);
    at_ = end;
    return {};
  }

  Status Quoted(char quote) {
    const std::size_t begin = at_++;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote) {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != quote) break;
        ++at_;
      }
      token_.text += text_[at_];
    }
    if (at_ == text_.size()) return Bad(begin, std::string("a ") + quote + " without an end");
    ++at_;
    token_.sign = quote == '"' ? Sign::kQuoted : Sign::kString;
    return {};
  }

  Status Number() {
    const std::size_t begin = at_++;
    const auto digits = [&] {
      while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    };
    digits();
    if (at_ + 1 < text_.size() && text_[at_] == '.' && IsDigit(text_[at_ + 1])) {
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
      digits();
    }
    token_.sign = Sign::kNumber;
    token_.text = text_.substr(begin, at_ - begin);
    if (at_ < text_.size() && IsLetter(text_[at_]))
      return Bad(begin, "'" + token_.text + text_[at_] + "...' is no number");
    return {};
  }

  bool IsSymbol(std::string_view symbol) const {
    return token_.sign == Sign::kSymbol && token_.text == symbol;
  }

  // --- the grammar

  static WhereTest Joined(WhereForm form, std::vector<WhereTest> parts) {
    if (parts.size() == 1) return std::move(parts[0]);
    WhereTest made;
    made.form = form;
    std::ranges::stable_sort(parts, {}, &WhereTest::cost);
    made.cost = parts.back().cost;
    made.parts = std::move(parts);
    return made;
  }

  Result<WhereTest> Expression(std::size_t depth) {
    std::vector<WhereTest> parts;
    for (;;) {
      PLEXUS_ASSIGN(WhereTest part, Conjunction(depth));
      parts.push_back(std::move(part));
      if (!IsWord(token_, "or")) return Joined(WhereForm::kOr, std::move(parts));
      PLEXUS_TRY(Next());
    }
  }

  Result<WhereTest> Conjunction(std::size_t depth) {
    std::vector<WhereTest> parts;
    for (;;) {
      PLEXUS_ASSIGN(WhereTest part, Test(depth));
      parts.push_back(std::move(part));
      if (!IsWord(token_, "and")) return Joined(WhereForm::kAnd, std::move(parts));
      PLEXUS_TRY(Next());
    }
  }

  static WhereTest Not(WhereTest test) {
    WhereTest made;
    made.form = WhereForm::kNot;
    made.cost = test.cost;
    made.parts.push_back(std::move(test));
    return made;
  }

  Result<WhereTest> Test(std::size_t depth) {
    const bool nests = IsWord(token_, "not") || IsSymbol("(");
    if (nests && depth + 1 > WhereLimits::kMaxDepth)
      return Bad(token_.at, "parentheses and 'not' more than " +
                                std::to_string(WhereLimits::kMaxDepth) + " deep");
    if (IsWord(token_, "not")) {
      PLEXUS_TRY(Next());
      PLEXUS_ASSIGN(WhereTest test, Test(depth + 1));
      return Not(std::move(test));
    }
    if (IsSymbol("(")) {
      const std::size_t open = token_.at;
      PLEXUS_TRY(Next());
      PLEXUS_ASSIGN(WhereTest test, Expression(depth + 1));
      if (!IsSymbol(")"))
        return Bad(token_.at, "')' expected for '(' at byte " + std::to_string(open + 1) +
                                  ", not " + Shown(token_));
      PLEXUS_TRY(Next());
      return test;
    }
    if (++tests_ > WhereLimits::kMaxTests)
      return Bad(token_.at, "more than " + std::to_string(WhereLimits::kMaxTests) + " tests");
    if (IsWord(token_, "exists")) {
      PLEXUS_TRY(Next());
      const bool parenthesis = IsSymbol("(");
      if (parenthesis) PLEXUS_TRY(Next());
      PLEXUS_ASSIGN(WhereTest test, Name());
      test.form = WhereForm::kExists;
      if (parenthesis) {
        if (!IsSymbol(")")) return Bad(token_.at, "')' expected, not " + Shown(token_));
        PLEXUS_TRY(Next());
      }
      return test;
    }
    PLEXUS_ASSIGN(WhereTest test, Name());
    return Tested(std::move(test));
  }

  // What follows a name.
  Result<WhereTest> Tested(WhereTest test) {
    const bool negated = IsWord(token_, "not");
    if (negated) PLEXUS_TRY(Next());
    if (IsWord(token_, "in")) {
      PLEXUS_TRY(List(test));
      return negated ? Not(std::move(test)) : std::move(test);
    }
    if (IsWord(token_, "like") || IsWord(token_, "ilike")) {
      PLEXUS_TRY(Like(test, IsWord(token_, "ilike")));
      return negated ? Not(std::move(test)) : std::move(test);
    }
    if (negated) return Bad(token_.at, "'in', 'like' or 'ilike' expected, not " + Shown(token_));
    constexpr std::pair<std::string_view, WhereComparison> kComparisons[] = {
        {"=", WhereComparison::kEqual},     {"==", WhereComparison::kEqual},
        {"!=", WhereComparison::kNotEqual}, {"<>", WhereComparison::kNotEqual},
        {"<", WhereComparison::kLess},      {"<=", WhereComparison::kLessOrEqual},
        {">", WhereComparison::kGreater},   {">=", WhereComparison::kGreaterOrEqual}};
    for (const auto& [symbol, comparison] : kComparisons) {
      if (!IsSymbol(symbol)) continue;
      if (test.field == WhereField::kTag && comparison != WhereComparison::kEqual &&
          comparison != WhereComparison::kNotEqual)
        return Bad(token_.at, "tags have no order: =, !=, in, like, ilike");
      PLEXUS_TRY(Next());
      test.form = WhereForm::kCompare;
      test.comparison = comparison;
      PLEXUS_ASSIGN(test.value, Value(test));
      return test;
    }
    return Bad(token_.at, "=, !=, <, <=, >, >=, in, like or ilike expected, not " + Shown(token_));
  }

  // A leaf without its form.
  Result<WhereTest> Name() {
    const Token first = token_;
    if ((first.sign != Sign::kWord && first.sign != Sign::kQuoted) || IsReserved(first))
      return Bad(first.at,
                 "a name expected (kind, key, tag, scope, text, a column or a property"
                 "), not " +
                     Shown(first));
    std::vector<std::string> path;
    for (;;) {
      if (token_.sign != Sign::kWord && token_.sign != Sign::kQuoted)
        return Bad(token_.at, "a name expected after '.', not " + Shown(token_));
      path.push_back(token_.text);
      PLEXUS_TRY(Next());
      if (!IsSymbol(".")) break;
      PLEXUS_TRY(Next());
    }
    return Leaf(first, std::move(path));
  }

  Result<WhereTest> Leaf(const Token& first, std::vector<std::string> path) const {
    WhereTest test;
    const auto of = [&](WhereField field, WhereCost cost) {
      test.field = field;
      test.cost = cost;
      return test;
    };
    if (first.sign == Sign::kWord && path.size() == 1) {
      if (path[0] == "kind") return of(WhereField::kKind, WhereCost::kMemory);
      if (path[0] == "key") return of(WhereField::kKey, WhereCost::kMemory);
      if (path[0] == "tag") return of(WhereField::kTag, WhereCost::kRow);
      if (path[0] == "scope") return of(WhereField::kScope, WhereCost::kMemory);
      if (path[0] == "text") return of(WhereField::kText, WhereCost::kText);
      if (path[0] == "tags" && !schema_.FindColumn("tags"))
        return Bad(first.at, "the field is called tag (a property of that name: props.tags)");
      if (path[0] == "props") return Bad(first.at, "which property? props.NAME");
    }
    const auto column = path.size() == 1 ? schema_.FindColumn(path[0]) : std::nullopt;
    if (column) {
      test.column = *column;
      test.type = schema_.columns()[*column].type;
      // Graphs of before have it as a property: that is meant of nodes without a value.
      if (IsLaterColumn(*column)) test.path = std::move(path);
      return of(WhereField::kColumn,
                test.path.empty() ? WhereCost::kMemory : WhereCost::kProperties);
    }
    test.bare = path.size() == 1;
    if (first.sign == Sign::kWord && path[0] == "props") path.erase(path.begin());
    test.path = std::move(path);
    return of(WhereField::kProperty, WhereCost::kProperties);
  }

  // --- values

  Result<WhereValue> Value(const WhereTest& test) {
    const Token token = token_;
    WhereValue made;
    if (token.sign == Sign::kString) {
      made.value = token.text;
      made.time_ms = ParseAskedTime(token.text, now_ms_);
      timeless_ = timeless_ && made.time_ms == ParseAskedTime(token.text, kNoTime);
    } else if (token.sign == Sign::kNumber) {
      PLEXUS_TRY(ReadNumber(token, made));
    } else if (IsWord(token, "true") || IsWord(token, "false")) {
      made.value = IsWord(token, "true");
    } else if (token.sign == Sign::kQuoted || (token.sign == Sign::kWord && !IsReserved(token))) {
      return Bad(token.at, "a value expected: text stands in single quotes, '" + token.text + "'");
    } else {
      return Bad(token.at,
                 "a value expected ('text', a number, true or false), not " + Shown(token));
    }
    PLEXUS_TRY(Check(test, token, made));
    PLEXUS_TRY(Next());
    return made;
  }

  Status ReadNumber(const Token& token, WhereValue& made) const {
    const char* begin = token.text.data() + (token.text[0] == '+');
    const char* end = token.text.data() + token.text.size();
    const auto reads = [&](auto number) {
      const auto read = std::from_chars(begin, end, number);
      if (read.ec != std::errc() || read.ptr != end) return false;
      made.value = number;
      return true;
    };
    if (reads(std::int64_t{}) || reads(std::uint64_t{})) return {};
    if (reads(double{}) && std::isfinite(std::get<double>(made.value))) return {};
    return Bad(token.at, "'" + token.text + "' is no number that fits");
  }

  // That the name can have such a value.
  Status Check(const WhereTest& test, const Token& token, const WhereValue& value) const {
    const bool is_string = std::holds_alternative<std::string>(value.value);
    const bool is_bool = std::holds_alternative<bool>(value.value);
    switch (test.field) {
      case WhereField::kProperty:
        return {};
      case WhereField::kColumn: {
        const std::string name = "column " + schema_.columns()[test.column].name;
        if (test.type == ColumnType::kString && !is_string)
          return Bad(token.at, name + " holds text: '" + token.text + "' in single quotes");
        if (test.type == ColumnType::kF64 && (is_string || is_bool))
          return Bad(token.at, name + " holds numbers, and this is none");
        if (test.type == ColumnType::kI64 && (is_bool || (is_string && !value.time_ms)))
          return Bad(token.at, name + " holds whole numbers, and this is none, nor a time: " +
                                   std::string(AskedTimes(now_ms_)) + " in single quotes");
        return {};
      }
      default:
        break;
    }
    if (!is_string) return Bad(token.at, "text expected: '" + token.text + "' in single quotes");
    if (test.field == WhereField::kKind && test.form != WhereForm::kLike &&
        !schema_.FindNodeKind(token.text))
      return Bad(token.at, "no node kind '" + token.text + "'");
    return {};
  }

  Status List(WhereTest& test) {
    test.form = WhereForm::kIn;
    PLEXUS_TRY(Next());
    if (!IsSymbol("(")) return Bad(token_.at, "'(' expected after 'in', not " + Shown(token_));
    do {
      PLEXUS_TRY(Next());
      if (++values_ > WhereLimits::kMaxValues)
        return Bad(token_.at,
                   "more than " + std::to_string(WhereLimits::kMaxValues) + " values in lists");
      PLEXUS_ASSIGN(WhereValue value, Value(test));
      if (auto* string = std::get_if<std::string>(&value.value)) {
        test.list.strings.push_back(std::move(*string));
        if (value.time_ms) test.list.times.push_back(*value.time_ms);
      } else if (const bool* truth = std::get_if<bool>(&value.value)) {
        ++test.list.bools;
        (*truth ? test.list.has_true : test.list.has_false) = true;
      } else {
        test.list.numbers.push_back(std::move(value));
      }
    } while (IsSymbol(","));
    if (!IsSymbol(")")) return Bad(token_.at, "',' or ')' expected, not " + Shown(token_));
    std::ranges::sort(test.list.strings);
    std::ranges::sort(test.list.times);
    std::ranges::sort(test.list.numbers, internal::LessNumber);
    return Next();
  }

  Status Like(WhereTest& test, bool ignore_case) {
    test.form = WhereForm::kLike;
    const bool numbers = test.field == WhereField::kColumn && test.type != ColumnType::kString;
    if (numbers)
      return Bad(token_.at, "column " + schema_.columns()[test.column].name +
                                " holds numbers, which have no pattern");
    PLEXUS_TRY(Next());
    if (token_.sign != Sign::kString)
      return Bad(token_.at, "a pattern in single quotes expected, not " + Shown(token_));
    if (token_.text.size() > WhereLimits::kMaxPatternBytes)
      return Bad(token_.at, "a pattern has at most " +
                                std::to_string(WhereLimits::kMaxPatternBytes) + " bytes");
    test.pattern = internal::LikePattern(token_.text, ignore_case);
    return Next();
  }

  std::string_view text_;
  const Schema& schema_;
  const std::int64_t now_ms_;
  bool timeless_ = true;
  std::size_t at_ = 0, tests_ = 0, values_ = 0;
  Token token_;
};

}  // namespace

WhereExpression::WhereExpression(std::shared_ptr<const Tree> tree) : tree_(std::move(tree)) {}

std::vector<std::string> WhereExpression::BareProperties() const {
  std::vector<std::string> names;
  std::vector<const WhereTest*> left = {&tree_->root};
  while (!left.empty()) {
    const WhereTest& test = *left.back();
    left.pop_back();
    if (test.field == internal::WhereField::kProperty && test.bare &&
        std::ranges::find(names, test.path[0]) == names.end())
      names.push_back(test.path[0]);
    for (auto part = test.parts.rbegin(); part != test.parts.rend(); ++part) left.push_back(&*part);
  }
  return names;
}

Result<WhereExpression> WhereExpression::Compile(std::string_view text, const Schema& schema,
                                                 std::int64_t now_ms) try {
  auto tree = std::make_shared<Tree>();
  WhereParser parser(text, schema, now_ms);
  PLEXUS_ASSIGN(tree->root, parser.Run());
  tree->text = text;
  tree->timeless = parser.timeless();
  return WhereExpression(std::move(tree));
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::retrieval
