// Where expressions against a filter that reads every node; lists that are read, errors, limits.
#include "algorithms/retrieval/scan.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "algorithms/retrieval/internal/where/where_tree.h"
#include "engine/graph.h"
#include "engine/times.h"
#include "tests/algorithms/retrieval/where_oracle.h"
#include "tests/support/for_each_case.h"

namespace plexus {
using namespace builtin;
using namespace retrieval;
namespace {

using testing::OracleTest;
using testing::OracleValue;
using testing::Three;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t Below(std::size_t n) { return engine_() % n; }
  bool Chance(std::size_t n) { return Below(n) == 0; }
  template <class T>
  const T& Of(const std::vector<T>& from) {
    return from[Below(from.size())];
  }

 private:
  std::mt19937_64 engine_;
};

const std::vector<std::string> kWords = {"rust", "Rust", "caf\xC3\xA9", "a_b",          "100%",
                                         "",     "o'ne", "2026-01-31",  "snow leopard", "n3"};
const std::int64_t kTime = 1'769'817'600'000;  // 2026-01-31
const std::vector<std::int64_t> kWholes = {0, 1, -3, 7, kTime, 9'007'199'254'740'993};
const std::vector<std::uint64_t> kLarge = {1u, 0x8000'0000'0000'0000u, 0xFFFF'FFFF'FFFF'FFF0u,
                                           0xFFFF'FFFF'FFFF'FFF1u};
const std::vector<double> kReals = {0.0, 0.5, -1.25, 3.0, 1e300};

std::string Properties(Random& random) {
  PropertyMapBuilder map;
  if (!random.Chance(3)) map.String("word", random.Of(kWords));
  switch (random.Below(6)) {
    case 0:
      map.Int("num", random.Of(kWholes));
      break;
    case 1:
      map.Double("num", random.Of(kReals) + 0.125);
      break;
    case 2:
      map.Uint("num", random.Of(kLarge));
      break;
    case 3:
      map.String("num", "7");
      break;
    case 4:
      map.Null("num");
      break;
    default:
      break;
  }
  if (random.Chance(3)) map.Bool("flag", random.Chance(2));
  if (random.Chance(3)) map.BeginList("list").Int(1).End();
  if (random.Chance(2)) map.BeginMap("deep").String("word", random.Of(kWords)).End();
  return *map.Finish();
}

void Fill(Graph& graph, Random& random, std::size_t batches) {
  for (std::size_t b = 0; b < batches; ++b) {
    WriteBatch batch(static_cast<std::int64_t>(1000 + b));
    batch.DefineNodeKind({"robot", Plane::kFact});
    batch.DefineColumn({"state", ColumnType::kString});
    for (std::size_t i = 0; i < 40; ++i) {
      const std::string key = random.Chance(8) ? "tag:n" : "n";
      const NodeRef node = batch.UpsertNode(
          key + std::to_string(random.Below(60)),
          random.Chance(2) ? batch.NodeKindNamed("robot") : batch.NodeKindNamed("memory"));
      if (random.Chance(2)) batch.SetPayload(node, NodeField::kText, random.Of(kWords));
      if (const std::string map = Properties(random); !map.empty())
        batch.SetPayload(node, NodeField::kProperties, map);
      // Of the numbers that questions ask for, those that the column takes.
      const double trust = random.Of(kReals);
      if (trust >= 0 && trust <= 1) batch.SetF64(node, kTrust, trust);
      const std::int64_t at = random.Of(kWholes);
      if (random.Chance(3) && at >= -kMaxTimeMs && at <= kMaxTimeMs)
        batch.SetI64(node, kCreatedAt, at);
      if (random.Chance(3)) batch.SetString(node, kScope, random.Of(kWords));
      if (random.Chance(3)) batch.SetString(node, batch.ColumnNamed("state"), random.Of(kWords));
      if (random.Chance(2))
        batch.Link(node, kHasTag, batch.IndexNode(kTag, "t" + std::to_string(random.Below(3))));
      if (random.Chance(12)) batch.RemoveNode(node);
    }
    const auto applied = graph.Apply(batch);
    ASSERT_TRUE(applied) << applied.error().message;
  }
}

OracleValue RandomNumber(Random& random) {
  if (random.Chance(2)) return static_cast<long double>(random.Of(kWholes));
  if (random.Chance(3)) return static_cast<long double>(random.Of(kLarge));
  return static_cast<long double>(random.Of(kReals) + (random.Chance(2) ? 0.125 : 0));
}

OracleTest RandomLeaf(Random& random) {
  static const std::vector<std::string> names = {
      "kind", "key", "tag",        "scope", "text",      "trust",     "created_at", "state",
      "word", "num", "props.flag", "list",  "deep.word", "deep.none", "props.num"};
  static const std::vector<std::string> orders = {"=", "!=", "<", "<=", ">", ">="};
  OracleTest test;
  test.name = random.Of(names);
  if (random.Chance(6)) {
    test.op = "exists";
    return test;
  }
  const bool numeric = test.name == "trust" || test.name == "created_at";
  if (!numeric && random.Chance(3)) {
    static const std::vector<std::string> patterns = {"%",     "r%",     "%e%", "_ust", "caf_",
                                                      "%\\_%", "%\\%",   "n_",  "%n%",  "t_",
                                                      "%s%o%", "1__\\%", ""};
    test.op = random.Chance(2) ? "like" : "ilike";
    test.values = {random.Of(patterns)};
    return test;
  }
  const auto value = [&]() -> OracleValue {
    if (test.name == "kind") return std::string(random.Chance(2) ? "robot" : "tag");
    if (test.name == "key")
      return (random.Chance(2) ? "n" : "tag:n") + std::to_string(random.Below(60));
    if (test.name == "tag") return "t" + std::to_string(random.Below(4));
    if (test.name == "trust") return RandomNumber(random);
    if (test.name == "created_at")
      return random.Chance(3) ? OracleValue(std::string("2026-01-31")) : RandomNumber(random);
    if (test.name == "scope" || test.name == "text" || test.name == "state")
      return random.Chance(4) ? std::string("user") : random.Of(kWords);
    if (random.Chance(5)) return random.Chance(2);
    return random.Chance(2) ? RandomNumber(random) : OracleValue(random.Of(kWords));
  };
  test.op = random.Chance(3) ? "in" : random.Of(orders);
  if (test.name == "tag" && test.op != "in") test.op = random.Chance(2) ? "=" : "!=";
  for (std::size_t i = 0, n = test.op == "in" ? 1 + random.Below(4) : 1; i < n; ++i)
    test.values.push_back(value());
  return test;
}

OracleTest RandomTest(Random& random, int depth) {
  if (depth == 0 || random.Chance(3)) return RandomLeaf(random);
  OracleTest test;
  test.op = random.Chance(4) ? "not" : random.Chance(2) ? "and" : "or";
  for (std::size_t i = 0, n = test.op == "not" ? 1 : 2 + random.Below(2); i < n; ++i)
    test.parts.push_back(RandomTest(random, depth - 1));
  return test;
}

std::vector<NodeId> Slow(const Snapshot& s, const OracleTest& test, bool index_nodes) {
  std::vector<NodeId> nodes;
  for (NodeId v = 0; v < s.node_count(); ++v)
    if (s.alive(v) && (index_nodes || s.is_fact(v)) && SlowTruth(s, v, test) == Three::kTrue)
      nodes.push_back(v);
  return nodes;
}

TEST(Where, EqualsReadingEveryNode) {
  std::uint64_t selected = 0, narrowed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const auto graph = Graph::InMemory();
    Fill(*graph, random, 1 + random.Below(6));
    const auto executors = testing::Executors();
    for (int round = 0; round < 60; ++round) {
      if (round % 20 == 19) Fill(*graph, random, 1);
      const Snapshot s = graph->snapshot();
      const OracleTest test = RandomTest(random, 3);
      const std::string text = Spelled(test);
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
      WhereOptions options;
      options.index_nodes = random.Chance(3);
      options.make_orders = random.Chance(2);
      options.run.executor = executors[random.Below(executors.size())].executor.get();
      const auto result = EvaluateWhere(s, text, options);
      ASSERT_TRUE(result) << result.error().message;
      ASSERT_EQ(result->nodes.ToList(), Slow(s, test, options.index_nodes));
      selected += result->nodes.count() > 0;
      narrowed += result->looked_at < s.node_count();
    }
  }
  EXPECT_GT(selected, 800u);
  EXPECT_GT(narrowed, 200u);
}

// Four nodes, one with everything.
class Small : public ::testing::Test {
 protected:
  void SetUp() override {
    WriteBatch batch(1000);
    const NodeRef a = batch.UpsertNode("a", kMemory);
    batch.SetPayload(a, NodeField::kText, "The snow leopard\nis a cat");
    PropertyMapBuilder map;
    map.Int("hits", 3).String("source", "zoo").Double("share", 0.5);
    batch.SetPayload(a, NodeField::kProperties, *map.Finish());
    batch.SetF64(a, kTrust, 0.9);
    batch.SetI64(a, kCreatedAt, kTime);
    batch.SetString(a, kScope, "team");
    batch.Link(a, kHasTag, batch.IndexNode(kTag, "rust"));
    batch.UpsertNode("b", kConcept);
    batch.SetPayload(batch.Node("b"), NodeField::kText, "A dog");
    batch.UpsertNode("c", kMemory);
    batch.SetF64(batch.Node("c"), kTrust, 0.1);
    batch.UpsertNode("d", kMemory);
    ASSERT_TRUE(graph_->Apply(batch));
  }
  // Keys without blanks between them, "ERROR" and the message.
  std::string Where(std::string_view text, WhereOptions options = {}) {
    const Snapshot s = graph_->snapshot();
    const auto result = EvaluateWhere(s, text, options);
    if (!result) return "ERROR " + result.error().message;
    std::string keys;
    for (const NodeId v : result->nodes.ToList()) keys += DisplayName(s.key(v));
    last_ = *result;
    return keys;
  }
  std::unique_ptr<Graph> graph_ = Graph::InMemory();
  WhereResult last_;
};

TEST_F(Small, FieldsColumnsAndProperties) {
  EXPECT_EQ(Where("kind = 'memory'"), "acd");
  EXPECT_EQ(Where("KIND = 'memory'"), "");  // a property: words of the language alone have no case
  EXPECT_EQ(Where("key IN ('a', 'd', 'z')"), "ad");
  EXPECT_EQ(Where("tag = 'rust' OR key = 'b'"), "ab");
  EXPECT_EQ(Where("scope = 'user'"), "bcd");
  EXPECT_EQ(Where("text like '%leopard%'"), "a");
  EXPECT_EQ(Where("text ilike 'the%CAT'"), "a");
  EXPECT_EQ(Where("trust > 0.1"), "a");
  EXPECT_EQ(Where("trust >= 1e-1 and trust == 0.1"), "c");
  EXPECT_EQ(Where("created_at >= '2026-01-31'"), "a");
  EXPECT_EQ(Where("created_at > '2026-01-31T00:00:00Z'"), "");
  EXPECT_EQ(Where("created_at > '2026-01-31T00:30+01:00'"), "a");
  EXPECT_EQ(Where("hits = 3.0 and props.source <> 'farm' and \"share\" < 1"), "a");
  EXPECT_EQ(Where("exists(trust) and not exists text"), "c");
}

TEST_F(Small, IlikeFoldsLettersOfAllScripts) {
  WriteBatch b;
  for (const std::string key : {"\u00c4rger", "\u041c\u043e\u0441\u043a\u0432\u0430", "\u00e9cole",
                                "e\u0301tude", "stra\u00dfe", "50\uff05", "O\u2019Brien"})
    b.UpsertNode(key, kNode);
  ASSERT_TRUE(graph_->Apply(std::move(b)));
  EXPECT_EQ(Where("key ilike '\u00e4RGER'"), "\u00c4rger");
  EXPECT_EQ(Where("key ilike '\u041c\u041e\u0421%'"), "\u041c\u043e\u0441\u043a\u0432\u0430");
  EXPECT_EQ(Where("key ilike '\u00c9_ole'"), "\u00e9cole");
  EXPECT_EQ(Where("key ilike '\u00c9tu%'"), "e\u0301tude");
  EXPECT_EQ(Where("key ilike '%SS%'"), "stra\u00dfe");
  EXPECT_EQ(Where("key ilike '%\uff05'"), "50\uff05");  // folds to a percent sign, and is none
  EXPECT_EQ(Where("key ilike '5\uff05'"), "");
  EXPECT_EQ(Where("key ilike 'o''brien'"), "O\u2019Brien");
  EXPECT_EQ(Where("key like '\u00e4%'"), "");
}

TEST_F(Small, TimesBeforeNow) {
  WhereOptions options;
  options.now_ms = *ParseIsoTime("2026-02-03T12:00:00Z");
  const std::string day = Where("created_at >= '2026-01-31'");
  EXPECT_EQ(Where("created_at >= '5d'", options), day);
  EXPECT_EQ(Where("created_at >= '2026-01'", options), day);
  EXPECT_EQ(Where("created_at >= '1h'", options), "");
  EXPECT_EQ(Where("created_at < 'today' and created_at >= '2026-01-31'", options), day);
  EXPECT_TRUE(Where("created_at > '5d'").starts_with("ERROR"));
  EXPECT_EQ(Where("text = '5d'", options), "");
}

TEST_F(Small, WhatIsMissingIsNeitherTrueNorFalse) {
  EXPECT_EQ(Where("trust != 0.9"), "c");
  EXPECT_EQ(Where("not trust = 0.9"), "c");
  EXPECT_EQ(Where("not (trust = 0.9 or key = 'c')"), "");
  EXPECT_EQ(Where("trust = 0.9 or key = 'd'"), "ad");
  EXPECT_EQ(Where("not (trust = 0.9 and key = 'a')"), "bcd");
  EXPECT_EQ(Where("hits = '3'"), "");      // of another type
  EXPECT_EQ(Where("not hits = '3'"), "");  // so it is missing
  EXPECT_EQ(Where("hits in (3, 'x')"), "a");
  EXPECT_EQ(Where("hits not in (4, 'x')"), "");  // not hits = 4 and not hits = 'x'
  EXPECT_EQ(Where("hits not in (4, 5)"), "a");
  EXPECT_EQ(Where("tag != 'rust'"), "bcd");  // tags are none, one or several: never missing
  EXPECT_EQ(Where("not tag like 'ru%'"), "bcd");
}

TEST_F(Small, IndexNodesAndSubsets) {
  EXPECT_EQ(Where("kind = 'tag'"), "");
  EXPECT_EQ(Where("kind = 'tag'", {.index_nodes = true}), "rust");
  EXPECT_EQ(Where("key = 'tag:rust'", {.index_nodes = true}), "rust");
  const NodeId some[] = {graph_->snapshot().Find("c").value()};
  const auto subset = NodeSubset::Of(graph_->snapshot(), some);
  EXPECT_EQ(Where("kind = 'memory'", {.subset = &*subset}), "c");
}

TEST_F(Small, ReadsWhatIsLeftAlone) {
  EXPECT_EQ(Where("text like '%cat%' and hits = 3 and trust > 0.5"), "a");
  EXPECT_EQ(last_.texts, 1u);
  EXPECT_EQ(last_.properties, 2u);  // first for hits alone, then beside the text
  EXPECT_EQ(Where("text like '%dog%' or kind = 'memory'"), "abcd");
  EXPECT_EQ(last_.texts, 1u);
  EXPECT_EQ(Where("tag = 'rust' and text like '%'"), "a");
  EXPECT_EQ(last_.looked_at, 1u);
  EXPECT_EQ(Where("key = 'a' or tag = 'rust'"), "a");
  EXPECT_EQ(last_.looked_at, 1u);
  EXPECT_EQ(Where("trust > 0.5"), "a");
  EXPECT_EQ(last_.looked_at, 5u);  // no order is kept
  EXPECT_EQ(Where("trust > 0.5", {.make_orders = true}), "a");
  EXPECT_EQ(last_.looked_at, 1u);
  EXPECT_EQ(Where("trust > 0.5"), "a");
  EXPECT_EQ(last_.looked_at, 1u);  // now one is
}

TEST_F(Small, ABadExpressionNamesThePlace) {
  EXPECT_EQ(Where("kind = 'memory' and trust >"),
            "ERROR where, byte 28: a value expected ('text', a number, true or false), not the end"
            "\n  kind = 'memory' and trust >\n                             ^");
  const auto place = [&](std::string_view text) {
    const std::string error = Where(text);
    return error.substr(0, error.find('\n'));
  };
  EXPECT_EQ(place(""),
            "ERROR where, byte 1: a name expected (kind, key, tag, scope, text, a column or a "
            "property), not the end");
  EXPECT_EQ(place("kind = memory"),
            "ERROR where, byte 8: a value expected: text stands in single quotes, 'memory'");
  EXPECT_EQ(place("kind = 'memry'"), "ERROR where, byte 8: no node kind 'memry'");
  EXPECT_EQ(place("kind in ('memory', 'x')"), "ERROR where, byte 20: no node kind 'x'");
  EXPECT_EQ(place("trust = 'high'"),
            "ERROR where, byte 9: column trust holds numbers, and this is none");
  EXPECT_EQ(place("created_at > 'monday'"),
            "ERROR where, byte 14: column created_at holds whole numbers, and this is none, nor a "
            "time: 2026-11, 2026-11-21, 2026-11-21T22:05:00Z in single quotes");
  EXPECT_EQ(place("tag < 'a'"), "ERROR where, byte 5: tags have no order: =, !=, in, like, ilike");
  EXPECT_EQ(place("trust like '1%'"),
            "ERROR where, byte 7: column trust holds numbers, which have no pattern");
  EXPECT_EQ(place("key = 'a' key = 'b'"),
            "ERROR where, byte 11: 'and', 'or' or the end expected, not 'key'");
  EXPECT_EQ(place("(key = 'a'"),
            "ERROR where, byte 11: ')' expected for '(' at byte 1, not the end");
  EXPECT_EQ(place("key = 'a"), "ERROR where, byte 7: a ' without an end");
  EXPECT_EQ(place("key = 3"), "ERROR where, byte 7: text expected: '3' in single quotes");
  EXPECT_EQ(place("trust = 1e999"), "ERROR where, byte 9: '1e999' is no number that fits");
  EXPECT_EQ(place("trust = 12x"), "ERROR where, byte 9: '12x...' is no number");
  EXPECT_EQ(place("key ; 'a'"), "ERROR where, byte 5: ';' means nothing here");
  EXPECT_EQ(place("tags = 'a'"),
            "ERROR where, byte 1: the field is called tag (a property of that name: props.tags)");
  EXPECT_EQ(place("key not = 'a'"),
            "ERROR where, byte 9: 'in', 'like' or 'ilike' expected, not '='");
  EXPECT_EQ(place("\xFF"), "ERROR where: the expression is not UTF-8");
  // A long line is cut around the place, which may stand behind characters of several bytes.
  const std::string error = Where("word = '" + std::string(100, 'x') + "\xC3\xA9' and");
  const std::size_t line = error.find("\n  ...") + 3, caret = error.rfind('^');
  EXPECT_EQ(caret - error.rfind('\n') - 3, 63u) << error;
  EXPECT_EQ(error.substr(line, 3), "...");
}

TEST_F(Small, Limits) {
  const auto repeat = [](std::string_view part, std::size_t n, std::string_view between) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i) all.append(i ? between : "").append(part);
    return all;
  };
  const std::string test = "key = 'a'";
  const auto fails = [&](const std::string& text, std::string_view why) {
    const std::string error = Where(text);
    EXPECT_NE(error.find(why), std::string::npos) << error;
  };
  EXPECT_EQ(Where(repeat("(", 64, "") + test + repeat(")", 64, "")), "a");
  fails(repeat("(", 65, "") + test + repeat(")", 65, ""), "more than 64 deep");
  fails(repeat("not", 65, " ") + " " + test, "more than 64 deep");
  EXPECT_EQ(Where(repeat(test, 1024, " or ")), "a");
  fails(repeat(test, 1025, " or "), "more than 1024 tests");
  EXPECT_EQ(Where("key in (" + repeat("'a'", 8192, ",") + ")"), "a");
  fails("key in (" + repeat("'a'", 8193, ",") + ")", "more than 8192 values");
  EXPECT_EQ(Where("text like '" + std::string(256, '%') + "'"), "ab");
  fails("text like '" + std::string(257, '%') + "'", "at most 256 bytes");
  fails(std::string(65'537, ' '), "at most 65536 bytes");
}

TEST_F(Small, ABudgetThatRanOutIsAnError) {
  const std::atomic<bool> cancel = true;
  WhereOptions options;
  options.run.budget.cancel = &cancel;
  const auto result = EvaluateWhere(graph_->snapshot(), "text like '%'", options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
}

TEST(Like, ManyPercentSignsCostNoMoreThanTheirProduct) {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "%a";
  pattern += "%b";
  const retrieval::internal::LikePattern like(pattern, false);
  EXPECT_FALSE(like.Matches(std::string(100'000, 'a')));
  EXPECT_TRUE(like.Matches(std::string(100'000, 'a') + "b"));
}

TEST(Like, EqualsPlainRecursion) {
  Random random(7);
  const std::vector<std::string> pieces = {"a", "b", "B", "\xC3\xA9", "%", "_"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text, pattern;
    for (std::size_t i = random.Below(7); i > 0; --i) text += pieces[random.Below(4)];
    for (std::size_t i = random.Below(6); i > 0; --i) {
      const std::string& piece = random.Of(pieces);
      pattern += random.Chance(8) && piece.size() == 1 ? "\\" + piece : piece;
    }
    const bool ignore_case = random.Chance(2);
    ASSERT_EQ(retrieval::internal::LikePattern(pattern, ignore_case).Matches(text),
              testing::SlowLike(text, pattern, ignore_case))
        << text << " like " << pattern;
  }
}

}  // namespace
}  // namespace plexus
