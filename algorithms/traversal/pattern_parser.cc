// PathPattern::Parse: recursive descent to a tree, the tree to a position automaton.
//
// Repeats are written out as copies, each of which takes at least one of the 63 steps, so
// nothing a pattern says can cost more than that; the text is bounded first, and the depth
// of parentheses with it.
#include <algorithm>
#include <bit>
#include <utility>

#include "algorithms/traversal/traversal.h"
#include "engine/out_of_memory.h"

namespace plexus::traversal {

namespace {

constexpr std::string_view kSpecial = " /|^.()*+?{}\"'";
constexpr std::uint32_t kUnbounded = 0xFFFFFFFFu;

struct Tree {
  enum class Form : std::uint8_t { kStep, kSequence, kChoice, kRepeat } form = Form::kStep;
  std::size_t at = 0;  // byte in the text
  EdgeKindId kind = kNoEdgeKind;
  bool inverse = false;
  std::uint32_t least = 1, most = 1;
  std::vector<Tree> parts;
};

Tree Node(Tree::Form form, std::size_t at) {
  Tree made;
  made.form = form;
  made.at = at;
  return made;
}

// What the automaton of a part offers to its neighbours.
struct Part {
  bool empty = true;
  std::uint64_t first = 0, last = 0;
};

}  // namespace

class PatternParser {
 public:
  PatternParser(std::string_view text, const Schema& schema) : text_(text), schema_(schema) {}

  Result<PathPattern> Run() {
    if (text_.size() > PathPattern::kMaxBytes)
      return Bad(PathPattern::kMaxBytes,
                 "longer than " + std::to_string(PathPattern::kMaxBytes) + " bytes");
    PLEXUS_ASSIGN(Tree tree, Choice(0));
    if (at_ != text_.size()) return Bad(at_, std::string("unexpected '") + text_[at_] + "'");
    PLEXUS_ASSIGN(const Part whole, Build(tree, false));
    made_.first_ = whole.first;
    made_.accept_ = whole.last;
    made_.matches_empty_ = whole.empty;
    made_.text_ = text_;
    return std::move(made_);
  }

 private:
  static std::unexpected<Error> Bad(std::size_t at, const std::string& why) {
    return Invalid("pattern, byte ", at + 1, ": ", why);
  }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void SkipBlanks() {
    while (Peek() == ' ') ++at_;
  }

  Result<Tree> Choice(std::size_t depth) {
    Tree tree = Node(Tree::Form::kChoice, at_);
    do {
      PLEXUS_ASSIGN(Tree part, Sequence(depth));
      tree.parts.push_back(std::move(part));
      SkipBlanks();
    } while (Peek() == '|' && ++at_);
    return tree;
  }

  Result<Tree> Sequence(std::size_t depth) {
    Tree tree = Node(Tree::Form::kSequence, at_);
    for (;;) {
      SkipBlanks();
      PLEXUS_ASSIGN(Tree item, Item(depth));
      tree.parts.push_back(std::move(item));
      SkipBlanks();
      if (Peek() == '/') {
        ++at_;
        continue;
      }
      if (at_ == text_.size() || Peek() == '|' || Peek() == ')') return tree;
    }
  }

  Result<Tree> Item(std::size_t depth) {
    bool inverse = false;
    if (Peek() == '^') {
      inverse = true;
      ++at_;
      SkipBlanks();
    }
    Tree item = Node(Tree::Form::kStep, at_);
    if (at_ == text_.size()) return Bad(at_, "a kind, '.' or '(' expected, the pattern ends");
    if (Peek() == '(') {
      if (depth + 1 > PathPattern::kMaxDepth)
        return Bad(at_,
                   "parentheses more than " + std::to_string(PathPattern::kMaxDepth) + " deep");
      const std::size_t open = at_++;
      PLEXUS_ASSIGN(item, Choice(depth + 1));
      if (Peek() != ')')
        return Bad(at_, "')' expected for '(' at byte " + std::to_string(open + 1));
      ++at_;
    } else if (Peek() == '.') {
      ++at_;
    } else {
      PLEXUS_ASSIGN(const Schema::EdgeKindMatch match, Kind());
      item.kind = match.kind;
      item.inverse = match.reversed;
    }
    item.inverse = item.inverse != inverse;
    return Repeats(std::move(item));
  }

  Result<Schema::EdgeKindMatch> Kind() {
    const std::size_t begin = at_;
    std::string name;
    if (const char quote = Peek(); quote == '"' || quote == '\'') {
      do {  // a quote inside is written twice
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) return Bad(begin, "a quoted name without an end");
        if (text_[at_] == quote && at_ != begin) name += quote;
        name += text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
      } while (at_ < text_.size() && text_[at_] == quote);
    } else {
      at_ = std::min(text_.find_first_of(kSpecial, at_), text_.size());
      name = text_.substr(begin, at_ - begin);
    }
    if (name.empty())
      return Bad(begin, std::string("a kind, '.' or '(' expected, not '") + text_[begin] + "'");
    const auto match = schema_.FindEdgeKind(name);
    if (!match) return Bad(begin, "unknown edge kind '" + std::string(name) + "'");
    return *match;
  }

  Result<Tree> Repeats(Tree item) {
    for (;;) {
      const std::size_t begin = at_;
      std::uint32_t least, most;
      switch (Peek()) {
        case '*':
          least = 0, most = kUnbounded, ++at_;
          break;
        case '+':
          least = 1, most = kUnbounded, ++at_;
          break;
        case '?':
          least = 0, most = 1, ++at_;
          break;
        case '{': {
          ++at_;
          PLEXUS_ASSIGN(least, Number());
          most = least;
          if (Peek() == ',') {
            ++at_;
            most = kUnbounded;
            if (Peek() != '}') {
              PLEXUS_ASSIGN(most, Number());
            }
          }
          if (Peek() != '}') return Bad(at_, "'}' expected");
          ++at_;
          if (most == 0 || most < least)
            return Bad(begin, "a repeat of at least m, at most n has m <= n and n > 0");
          break;
        }
        default:
          return item;
      }
      if (++repeats_ > PathPattern::kMaxSteps) return Bad(begin, "more than 63 repeats");
      Tree outer = Node(Tree::Form::kRepeat, begin);
      outer.least = least;
      outer.most = most;
      outer.parts.push_back(std::move(item));
      item = std::move(outer);
    }
  }

  Result<std::uint32_t> Number() {
    const std::size_t begin = at_;
    std::uint32_t value = 0;
    for (; Peek() >= '0' && Peek() <= '9'; ++at_) {
      value = value * 10 + static_cast<std::uint32_t>(Peek() - '0');
      if (value > PathPattern::kMaxSteps)
        return Bad(begin, "a repeat is at most " + std::to_string(PathPattern::kMaxSteps));
    }
    if (at_ == begin) return Bad(begin, "a number expected");
    return value;
  }

  void Link(std::uint64_t from, std::uint64_t to) {
    for (; from; from &= from - 1)
      made_.steps_[static_cast<std::size_t>(std::countr_zero(from))].next |= to;
  }
  // `b` after `a`.
  Part Join(const Part& a, const Part& b) {
    Link(a.last, b.first);
    return {a.empty && b.empty, a.first | (a.empty ? b.first : 0), b.last | (b.empty ? a.last : 0)};
  }

  Result<Part> Build(const Tree& tree, bool turned) {
    const bool inverse = tree.inverse != turned;
    Part made;
    switch (tree.form) {
      case Tree::Form::kStep: {
        if (made_.steps_.size() >= PathPattern::kMaxSteps)
          return Bad(tree.at, "more than " + std::to_string(PathPattern::kMaxSteps) +
                                  " steps with repeats written out");
        const std::uint64_t bit = std::uint64_t{1} << made_.steps_.size();
        made_.steps_.push_back({tree.kind, inverse, 0});
        return Part{false, bit, bit};
      }
      case Tree::Form::kSequence:
        for (std::size_t i = 0; i < tree.parts.size(); ++i) {
          PLEXUS_ASSIGN(const Part part,
                        Build(tree.parts[inverse ? tree.parts.size() - 1 - i : i], inverse));
          made = Join(made, part);
        }
        return made;
      case Tree::Form::kChoice:
        made.empty = false;
        for (const Tree& choice : tree.parts) {
          PLEXUS_ASSIGN(const Part part, Build(choice, inverse));
          made = {made.empty || part.empty, made.first | part.first, made.last | part.last};
        }
        return made;
      case Tree::Form::kRepeat: {
        const std::uint32_t copies = tree.most == kUnbounded ? std::max(tree.least, 1u) : tree.most;
        for (std::uint32_t i = 0; i < copies; ++i) {
          PLEXUS_ASSIGN(Part part, Build(tree.parts[0], inverse));
          if (tree.most == kUnbounded && i + 1 == copies) Link(part.last, part.first);
          part.empty = part.empty || i >= tree.least;
          made = Join(made, part);
        }
        return made;
      }
    }
    return made;
  }

  std::string_view text_;
  const Schema& schema_;
  std::size_t at_ = 0, repeats_ = 0;
  PathPattern made_;
};

Result<PathPattern> PathPattern::Parse(std::string_view text, const Schema& schema) try {
  return PatternParser(text, schema).Run();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::traversal
