// Patterns against every walk spelled out as a word and std::regex; their syntax and
// its errors; budgets and going on after them.
// std::regex under the address sanitizer: g++ 12 sees what is not there.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "algorithms/traversal/traversal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <regex>

#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace traversal;
namespace {

PathPattern Parsed(std::string_view text, const Schema& schema) {
  auto pattern = PathPattern::Parse(text, schema);
  if (!pattern) ADD_FAILURE() << text << ": " << pattern.error().ToString();
  return pattern ? *std::move(pattern) : PathPattern();
}

TraverseResult MustMatch(const Snapshot& s, const PathPattern& pattern,
                         std::vector<NodeWeight> starts, const PatternOptions& options = {}) {
  auto result = MatchPattern(s, pattern, starts, options);
  if (!result) ADD_FAILURE() << result.error().ToString();
  return result ? *std::move(result) : TraverseResult{};
}

// The same pattern in our words and as a regular expression over WalkWords' letters.
struct Twin {
  std::string pattern, regex;
};

const std::map<EdgeKindId, char> kLetters = {
    {kLink, 'a'}, {kSupports, 'b'}, {kCauses, 'c'}, {kRelatesTo, 'd'}, {kSimilar, 'e'}};

class TwinMaker {
 public:
  explicit TwinMaker(std::uint64_t seed) : random_(seed) {}

  Twin Choice(int depth, bool turned) {
    Twin made = Sequence(depth, turned);
    for (std::uint64_t more = random_() % 3 == 0; more > 0; --more) {
      const Twin other = Sequence(depth, turned);
      made = {made.pattern + (random_() % 2 ? "|" : " | ") + other.pattern,
              made.regex + "|" + other.regex};
    }
    return made;
  }

 private:
  Twin Sequence(int depth, bool turned) {
    Twin made = Item(depth, turned);
    for (std::uint64_t more = random_() % 3; more > 0; --more) {
      const Twin next = Item(depth, turned);
      made.pattern += (random_() % 2 ? "/" : " ") + next.pattern;
      made.regex = turned ? next.regex + made.regex : made.regex + next.regex;
    }
    return made;
  }

  Twin Item(int depth, bool turned) {
    const bool caret = random_() % 4 == 0, inverse = caret != turned;
    Twin made;
    const std::uint64_t form = random_() % 8;
    if (form == 0 && depth > 0) {
      const Twin inner = Choice(depth - 1, inverse);
      made = {"(" + inner.pattern + ")", "(?:" + inner.regex + ")"};
    } else if (form == 1) {
      made = {".", inverse ? "[ABCde]" : "[abcde]"};
    } else if (form == 2) {
      made = {"caused_by", inverse ? "c" : "C"};
    } else {
      static const std::pair<const char*, char> kKinds[] = {{"link", 'a'},
                                                            {"supports", 'b'},
                                                            {"causes", 'c'},
                                                            {"relates_to", 'd'},
                                                            {"'similar'", 'e'}};
      const auto& [name, letter] = kKinds[random_() % 5];
      made = {name, std::string(1, inverse && letter < 'd' ? static_cast<char>(letter - 'a' + 'A')
                                                           : letter)};
    }
    if (caret) made.pattern = "^" + made.pattern;
    static const char* const kRepeats[] = {"",  "",    "",     "*",     "+",
                                           "?", "{2}", "{1,}", "{0,2}", "{1,3}"};
    const char* repeat = kRepeats[random_() % 10];
    made.pattern += repeat;
    if (*repeat) made.regex = "(?:" + made.regex + ")" + repeat;
    return made;
  }

  std::mt19937_64 random_;
};

struct Want {
  std::uint32_t hops;
  double best;
};

std::map<NodeId, Want> Wanted(const std::map<std::pair<NodeId, std::string>, double>& words,
                              const std::regex& regex) {
  std::map<std::string, bool> known;
  std::map<NodeId, Want> want;
  for (const auto& [at, value] : words) {
    const auto& [node, word] = at;
    auto [known_it, fresh] = known.emplace(word, false);
    if (fresh) known_it->second = std::regex_match(word, regex);
    if (!known_it->second) continue;
    auto [it, first] = want.emplace(node, Want{static_cast<std::uint32_t>(word.size()), value});
    it->second.hops = std::min(it->second.hops, static_cast<std::uint32_t>(word.size()));
    it->second.best = std::max(it->second.best, value);
  }
  return want;
}

// The proof is a walk of stored edges from a start; its word spells the pattern.
void CheckProof(const Snapshot& s, const TraverseHit& hit, const std::regex& regex) {
  NodeId at = hit.seed;
  std::string word;
  double product = 1;
  for (const PathEdge& step : hit.path) {
    const auto edge = s.FindEdge(step.source, step.kind, step.target, step.label);
    ASSERT_TRUE(edge.has_value());
    const char letter = kLetters.at(step.kind);
    ASSERT_TRUE(at == step.source || at == step.target);
    const bool forward = at == step.source;
    // A loop is walked either way; the checker must then try both.
    if (step.source == step.target && letter < 'd') return;
    word += forward || letter >= 'd' ? letter : static_cast<char>(letter - 'a' + 'A');
    at = forward ? step.target : step.source;
    product *= static_cast<double>(edge->weight);
  }
  ASSERT_EQ(at, hit.node);
  ASSERT_EQ(hit.score, product);
  ASSERT_TRUE(std::regex_match(word, regex)) << word;
}

TEST(Pattern, EqualsEveryWalkSpelledOut) {
  constexpr int kHops = 3;
  std::size_t compared = 0;
  ForEachCase(SmallCases(), [&](const CaseGraph& g, Shape) {
    const Snapshot s = g.snapshot();
    if (s.schema().FindEdgeKind("touches") || s.node_count() > 40) return;
    const auto flat = g.Flat();
    for (NodeId from = 0; from < flat.node_count(); from += 7) {
      if (!flat.selected[from]) continue;
      const auto words = reference::WalkWords(flat, from, kHops, kLetters);
      for (std::uint64_t seed = 0; seed < 36; ++seed) {
        const Twin twin = TwinMaker(seed * 31 + from).Choice(2, false);
        auto parsed = PathPattern::Parse(twin.pattern, s.schema());
        if (!parsed) {  // repeats in repeats may need too many steps
          ASSERT_NE(parsed.error().message.find("steps"), std::string::npos)
              << parsed.error().message;
          continue;
        }
        const std::regex regex(twin.regex, std::regex::optimize);
        const auto want = Wanted(words, regex);
        for (PatternOrder order : {PatternOrder::kFewestHops, PatternOrder::kBestProduct}) {
          PatternOptions options;
          options.order = order;
          options.hops = kHops;
          options.top = 0;
          const TraverseResult got = MustMatch(s, *parsed, {{from, 1.0}}, options);
          ASSERT_EQ(got.hits.size(), want.size())
              << twin.pattern << " as " << twin.regex << " from " << from;
          for (const TraverseHit& hit : got.hits) {
            ASSERT_TRUE(want.contains(hit.node)) << twin.pattern;
            if (order == PatternOrder::kFewestHops) {
              ASSERT_EQ(static_cast<std::uint32_t>(hit.hops), want.at(hit.node).hops)
                  << twin.pattern;
            } else {
              ASSERT_NEAR(hit.score, want.at(hit.node).best, 1e-12) << twin.pattern;
            }
            CheckProof(s, hit, regex);
            ++compared;
            if (::testing::Test::HasFatalFailure()) {
              ADD_FAILURE() << twin.pattern << " from " << from << " to " << hit.node;
              return;
            }
          }
        }
      }
    }
  });
  EXPECT_GT(compared, 5000u);
}

TEST(Pattern, InTheOrderPromised) {
  for (std::size_t which = 0; which < kLargeCases; ++which)
    for (PatternOrder order : {PatternOrder::kFewestHops, PatternOrder::kBestProduct}) {
      const Snapshot s = Large(which, Shape::kDelta).snapshot();
      NodeId start = 1;
      while (!s.alive(start)) ++start;
      const PathPattern pattern = Parsed("(link|^causes)+ relates_to?", s.schema());
      PatternOptions options;
      options.order = order;
      options.hops = 5;
      options.top = 0;
      const TraverseResult got = MustMatch(s, pattern, {{start, 1.0}}, options);
      for (std::size_t i = 1; i < got.hits.size(); ++i) {
        const TraverseHit &a = got.hits[i - 1], &b = got.hits[i];
        if (order == PatternOrder::kFewestHops)
          ASSERT_TRUE(a.hops < b.hops || (a.hops == b.hops && a.node < b.node));
        else
          ASSERT_TRUE(a.score > b.score || (a.score == b.score && a.node < b.node));
      }
      options.top = 7;
      const TraverseResult seven = MustMatch(s, pattern, {{start, 1.0}}, options);
      ASSERT_EQ(seven.hits.size(), std::min<std::size_t>(7, got.hits.size()));
      for (std::size_t i = 0; i < seven.hits.size(); ++i)
        ASSERT_EQ(seven.hits[i].path, got.hits[i].path);
    }
}

TEST(Pattern, TimeSubsetsStartsAndIndexKinds) {
  CaseGraph g;
  g.AddNodes(5);
  const std::size_t tag = g.AddNode(kTag);
  g.LinkValid(0, kLink, 1, 100, 200);
  g.Link(1, kLink, 2);
  g.Link(2, kLink, 0);
  g.Link(3, kLink, 4);
  g.Link(0, kHasTag, tag);
  g.Link(4, kHasTag, tag);
  g.Commit();
  const Snapshot s = g.snapshot();
  auto nodes = [&](const char* pattern, PatternOptions options = {}) {
    std::vector<NodeId> list;
    for (const TraverseHit& hit :
         MustMatch(s, Parsed(pattern, s.schema()), {{0, 1.0}}, options).hits)
      list.push_back(hit.node);
    return list;
  };
  using List = std::vector<NodeId>;
  EXPECT_EQ(nodes("link+"), (List{1, 2, 0}));
  EXPECT_EQ(nodes("link*"), (List{0, 1, 2}));
  EXPECT_EQ(nodes("has_tag ^has_tag"), (List{0, 4}));
  EXPECT_EQ(nodes("has_tag"), (List{g.id(tag)}));
  EXPECT_EQ(nodes(".+"), (List{1, 2, 0}));
  PatternOptions at;
  at.valid_at = 250;
  EXPECT_EQ(nodes("link+", at), (List{}));
  EXPECT_EQ(nodes("^link+", at), (List{2, 1}));
  const std::vector<NodeId> some = {1};
  const NodeSubset subset = *NodeSubset::Of(s, some);
  PatternOptions inside;
  inside.subset = &subset;
  EXPECT_EQ(nodes("link+", inside), (List{1}));
}

TEST(Pattern, SyntaxErrorsNameTheirPlace) {
  const Schema schema;
  auto message = [&](std::string_view text) {
    auto parsed = PathPattern::Parse(text, schema);
    return parsed ? "parsed" : parsed.error().message;
  };
  const std::pair<const char*, const char*> cases[] = {
      {"", "byte 1: a kind"},
      {"  ", "byte 3: a kind"},
      {"link |", "byte 7: a kind"},
      {"| link", "byte 1: a kind"},
      {"link //supports", "byte 7:"},
      {"(link", "byte 6: ')' expected for '(' at byte 1"},
      {"link)", "byte 5: unexpected"},
      {"()", "byte 2: a kind"},
      {"lnik", "byte 1: unknown edge kind 'lnik'"},
      {"link **", ""},
      {"*", "byte 1:"},
      {"link{", "byte 6: a number"},
      {"link{2", "byte 7: '}'"},
      {"link{3,2}", "byte 5:"},
      {"link{0}", "byte 5:"},
      {"link{0,0}", "byte 5:"},
      {"link{99}", "byte 6: a repeat is at most 63"},
      {"'link", "byte 1: a quoted"},
      {"'link''", "byte 1: a quoted"},
      {"^^link", "byte 2:"},
      {"^", "byte 2:"},
      {"((link{8}){8}){8}", "more than 63 steps"}};
  for (const auto& [text, part] : cases)
    EXPECT_NE(message(text).find(part), std::string::npos) << text << ": " << message(text);
  EXPECT_NE(message(std::string(2000, '(')).find("longer than"), std::string::npos);
  EXPECT_NE(message(std::string(500, '(')).find("deep"), std::string::npos);
  EXPECT_NE(message("link" + std::string(500, '*')).find("63 repeats"), std::string::npos);
  EXPECT_EQ(message("link{63}"), "parsed");
  EXPECT_EQ(message("'link'/\"supports\"(causes)^caused_by"), "parsed");
}

TEST(Pattern, RefusesWhatMakesNoSense) {
  CaseGraph g;
  g.AddNodes(2);
  g.Link(0, kLink, 1);
  g.Commit();
  g.Remove(1);
  g.Commit();
  const Snapshot s = g.snapshot();
  const PathPattern link = Parsed("link", s.schema());
  auto code = [&](const PathPattern& pattern, NodeWeight start,
                  const PatternOptions& options = {}) {
    auto result = MatchPattern(s, pattern, {&start, 1}, options);
    return result ? ErrorCode::kInternal : result.error().code;
  };
  PatternOptions far;
  far.order = PatternOrder::kBestProduct;
  far.hops = 65;
  EXPECT_EQ(code(link, {0, 1.0}, far), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(link, {9, 1.0}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(link, {0, NAN}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(link, {1, 1.0}), ErrorCode::kNotFound);
  EXPECT_EQ(code(PathPattern(), {0, 1.0}), ErrorCode::kInvalidArgument);
}

TEST(Pattern, ResumedSearchesEqualUnbudgetedOnes) {
  const Snapshot s = Large(0, Shape::kDelta).snapshot();
  const PathPattern pattern = Parsed("(.|^link)+ ^causes?", s.schema());
  for (PatternOrder order : {PatternOrder::kFewestHops, PatternOrder::kBestProduct}) {
    PatternOptions options;
    options.order = order;
    options.hops = 4;
    options.top = 50;
    const TraverseResult whole = MustMatch(s, pattern, {{0, 1.0}}, options);
    EXPECT_TRUE(whole.resume.empty());
    options.run.budget.edges = whole.edges / 5 + 1;
    TraverseResult part = MustMatch(s, pattern, {{0, 1.0}}, options);
    int calls = 1;
    for (; part.truncated && calls < 20; ++calls) {
      ASSERT_FALSE(part.resume.empty());
      options.resume = part.resume;
      part = MustMatch(s, pattern, {{0, 1.0}}, options);
    }
    EXPECT_GE(whole.edges, 100u);
    EXPECT_EQ(calls, 5);
    ASSERT_EQ(part.hits.size(), whole.hits.size());
    for (std::size_t i = 0; i < part.hits.size(); ++i)
      EXPECT_EQ(part.hits[i].path, whole.hits[i].path);
    auto refused =
        MatchPattern(s, Parsed("link+", s.schema()), std::vector<NodeWeight>{{0, 1.0}}, options);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("another question"), std::string::npos);
  }
}

}  // namespace
}  // namespace plexus::testing
