// Matrix Market: what an entry means, what is refused and by which line.
#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
namespace {

const std::string kGeneral = "%%MatrixMarket matrix coordinate real general\n";

// The error of a file that must leave the graph as it was.
std::string RefusedMatrix(const std::string& text, std::string_view name = "m.mtx") {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "g.el", "a b\n");
  const Sequence before = graph->snapshot().sequence();
  const ImportReport r = Load(*graph, name, text);
  EXPECT_TRUE(r.stopped);
  EXPECT_EQ(r.errors, 1u);
  EXPECT_EQ(r.nodes.added, 0u);
  EXPECT_EQ(graph->snapshot().sequence(), before) << text;
  return r.kept_errors.empty() ? "" : r.kept_errors[0].ToString();
}

TEST(MatrixMarket, GeneralEntriesAreWeightedLinks) {
  auto graph = Graph::InMemory();
  const ImportReport r = LoadClean(*graph, "m.mtx",
                                   kGeneral +
                                       "%%GraphBLAS type double\n% comment\n\n 4 4 3 \n"
                                       "3 1 .5\r\n1 2 1e-3\n\n% between\n3 3 +2");
  EXPECT_EQ(r.records, 3u);
  EXPECT_EQ(r.nodes, (ChangeCounts{4, 0, 0}));
  EXPECT_EQ(r.edges, (ChangeCounts{3, 0, 0}));
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(Edges(s, "link"), "1>2 3>1 3>3");
  EXPECT_EQ(s.FindEdge(Id(s, "3"), kLink, Id(s, "1"))->weight, 0.5f);
  EXPECT_EQ(s.FindEdge(Id(s, "3"), kLink, Id(s, "3"))->weight, 2.0f);
  for (int i = 1; i <= 4; ++i) EXPECT_EQ(Id(s, std::to_string(i)), static_cast<NodeId>(i - 1));
  EXPECT_TRUE(s.alive(Id(s, "4")));  // a row without entries is a node all the same
}

TEST(MatrixMarket, SymmetricSkewPatternInteger) {
  auto symmetric = Graph::InMemory();
  LoadClean(*symmetric, "m.mtx",
            "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 5\n3 3 1\n2 3 4\n");
  const Snapshot s = symmetric->snapshot();
  EXPECT_EQ(Edges(s, "linked"), "1>2 2>3 3>3");
  EXPECT_TRUE(s.schema().edge_kind(s.schema().FindEdgeKind("linked")->kind).symmetric);
  EXPECT_EQ(s.CountEdges(Plane::kFact), 3u);
  auto skew = Graph::InMemory();
  LoadClean(*skew, "m.mtx",
            "%%MatrixMarket MATRIX Coordinate Real Skew-Symmetric\n3 3 2\n2 1 -0.25\n3 1 7\n");
  EXPECT_EQ(Edges(skew->snapshot(), "link"), "1>2 3>1");  // along the positive direction
  EXPECT_EQ(skew->snapshot().FindEdge(0, kLink, 1)->weight, 0.25f);
  auto pattern = Graph::InMemory();
  LoadClean(*pattern, "m.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n");
  EXPECT_EQ(Edges(pattern->snapshot(), "link"), "2>1");
  EXPECT_EQ(pattern->snapshot().FindEdge(1, kLink, 0)->weight, 1.0f);
}

TEST(MatrixMarket, WholeRangeOfIntegers) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "m.mtx",
            "%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type uint64_t\n2 2 1\n"
            "1 2 18446744073709551615\n");
  EXPECT_EQ(graph->snapshot().FindEdge(0, kLink, 1)->weight, 18446744073709551616.0f);
}

TEST(MatrixMarket, SecondImportIsSame) {
  auto graph = Graph::InMemory();
  const std::string text =
      "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 5\n3 2 .5\n";
  LoadClean(*graph, "m.mtx", text);
  const std::string before = JsonLines(graph->snapshot());
  const Sequence sequence = graph->snapshot().sequence();
  ImportOptions later;
  later.now_ms = kNow + 1000;
  const ImportReport r = LoadClean(*graph, "m.mtx", text, later);
  EXPECT_EQ(r.nodes, (ChangeCounts{0, 0, 3}));
  EXPECT_EQ(r.edges, (ChangeCounts{0, 0, 2}));
  EXPECT_EQ(graph->snapshot().sequence(), sequence);
  EXPECT_EQ(JsonLines(graph->snapshot()), before);
}

// After the mangled files of LAGraph's test data: each with another wound.
TEST(MatrixMarket, MangledFilesAreRefusedByLine) {
  const struct {
    std::string text, error;
  } cases[] = {
      {"%%MatrixMarket mangled coordinate pattern symmetric\n1 1 1\n1 1 1\n",
       "1: object \"mangled\": expected matrix"},
      {"%%MatrixMarket matrix mangled pattern symmetric\n1 1 1\n1 1 1\n",
       "1: format \"mangled\": expected coordinate"},
      {"%%MatrixMarket matrix coordinate mangled symmetric\n1 1 1\n1 1 1\n",
       "1: field \"mangled\": expected real, integer or pattern"},
      {"%%MatrixMarket matrix coordinate real mangled\n1 1 1\n1 1 1\n",
       "1: symmetry \"mangled\" of a real matrix: expected general, symmetric or skew-symmetric"},
      {"%%MatrixMarket matrix coordinate pattern hermitian\n2 2 1\n2 2\n",
       "1: symmetry \"hermitian\" of a pattern matrix: expected general, symmetric or "
       "skew-symmetric"},
      {"%%MatrixMarket matrix array real general\n3 3\n1\n",
       "1: a dense array is no adjacency matrix: expected coordinate"},
      {"%%MatrixMarket matrix coordinate complex general\n3 3 1\n1 1 1 1\n",
       "1: complex entries are no weights"},
      {kGeneral + "%%GraphBLAS type gunk\n3 3 1\n1 1 1\n",
       "2: GraphBLAS type \"gunk\" is not one of numbers"},
      {kGeneral + "3\n1 1\n", "2: expected a size line of three numbers: rows columns entries"},
      {kGeneral + "3 -3 1\n1 1 1\n",
       "2: expected a size line of three numbers: rows columns entries"},
      {kGeneral + "3 4 1\n1 1 1\n",
       "2: the matrix has 3 rows and 4 columns; an adjacency matrix is square"},
      {kGeneral + "% c\n3 3 3\n1 1 3.0\n2 2 3.4\n",
       "3: the size line says 3 entries, the file holds 2"},
      {kGeneral + "3 3 1\n1 1 3.0\n2 2 3.4\n", "2: the size line says 1 entries, the file holds 2"},
      {kGeneral + "3 3 2\n1 1 1\n1 zero pi\n", "4: column \"zero\" is not in 1 to 3"},
      {kGeneral + "3 3 1\n1 1\n", "3: expected `row column value`"},
      {kGeneral + "3 3 1\n1\n", "2: the size line says 1 entries, but only 2 bytes follow"},
      {kGeneral + "3 3 2\n1 1 1\n3 9999 3.4\n", "4: column \"9999\" is not in 1 to 3"},
      {kGeneral + "3 3 1\n0 1 1\n", "3: row \"0\" is not in 1 to 3"},
      {kGeneral + "3 3 3\n1 1 3.0\n2 2 3.4\n2 2 7.1\n",
       "5: a second entry in row and column of line 4"},
      {"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1\n1 2 1\n",
       "4: a second entry in row and column of line 3"},
      {"%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type bool\n2 2 1\n1 2 2\n",
       "4: value \"2\" is outside of type bool"},
      {"%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type int8_t\n2 2 1\n1 2 "
       "128\n",
       "4: value \"128\" is outside of type int8_t"},
      {"%%MatrixMarket matrix coordinate integer skew-symmetric\n%%GraphBLAS type uint8_t\n2 2 "
       "1\n1 2 8\n",
       "3: a skew-symmetric matrix cannot be of type uint8_t"},
      {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1.5\n",
       "3: value \"1.5\" is not an integer"},
      {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 1\n",
       "3: expected `row column`"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n",
       "3: a skew-symmetric matrix has no diagonal"},
      {kGeneral + "2 2 1\n1 2 +-5\n", "3: value \"+-5\" is not a finite number within f32"},
      {"%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 +-5\n",
       "3: value \"+-5\" is not an integer"},
      {kGeneral + "2 2 1\n1 2 -1\n", "3: value \"-1\" is negative; weights are not"},
      {"%%MatrixMarket matrix coordinate real general more\n2 2 1\n1 2 1\n",
       "1: something follows the banner"},
      {"1 2 3\n", "1: expected \"%%MatrixMarket matrix coordinate ...\""},
      {"", "1: the file is empty"},
      {kGeneral + "% only comments\n", "3: the file ends before its size line"},
  };
  for (const auto& c : cases) EXPECT_EQ(RefusedMatrix(c.text), "m.mtx:" + c.error) << c.text;
  for (const char* value : {"nan", "inf", "-inf", "1e400", "1e39", "x", "1x", "0x1", "1e99999"})
    EXPECT_EQ(RefusedMatrix(kGeneral + "2 2 1\n1 2 " + value + "\n"),
              std::string("m.mtx:3: value \"") + value + "\" is not a finite number within f32");
}

TEST(MatrixMarket, AbsurdSizesAreRefused) {
  EXPECT_EQ(RefusedMatrix(kGeneral + "5 5 9999999999\n1 1 1\n"),
            "m.mtx:2: the size line says 9999999999 entries, but only 6 bytes follow");
  EXPECT_EQ(RefusedMatrix(kGeneral + "3000000000 3000000000 1\n1 1 1\n"),
            "m.mtx:2: the size line says 3000000000 rows for 1 entries; that many nodes without "
            "edges are refused");
  EXPECT_EQ(RefusedMatrix(kGeneral + "5000000000 5000000000 1\n1 1 1\n"),
            "m.mtx:2: 5000000000 rows; a graph holds at most 4294967280 nodes");
  EXPECT_EQ(RefusedMatrix(kGeneral + "99999999999999999999 1 1\n1 1 1\n"),
            "m.mtx:2: expected a size line of three numbers: rows columns entries");
}

TEST(MatrixMarket, TinyValuesAreZeroAndLongLinesRefused) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "m.mtx", kGeneral + "2 2 2\n1 2 1e-300\n2 1 -0\n");
  EXPECT_EQ(graph->snapshot().FindEdge(0, kLink, 1)->weight, 0.0f);
  EXPECT_FALSE(std::signbit(graph->snapshot().FindEdge(1, kLink, 0)->weight));
  ImportOptions options;
  options.limits.line_bytes = 1000;
  options.block_bytes = 256;
  auto other = Graph::InMemory();
  const ImportReport body =
      Load(*other, "m.mtx", kGeneral + "2 2 1\n1 2 " + std::string(100'000, '0') + "\n", options);
  ASSERT_EQ(body.errors, 1u);
  EXPECT_EQ(body.kept_errors[0].ToString(), "m.mtx:3: record over 1000 bytes");
  const ImportReport head =
      Load(*other, "m.mtx", kGeneral + "%" + std::string(1'000'000, 'c') + "\n2 2 0\n", options);
  ASSERT_EQ(head.errors, 1u);
  EXPECT_EQ(head.kept_errors[0].ToString(), "m.mtx:2: line over 1000 bytes");
  EXPECT_EQ(other->snapshot().sequence(), 0u);
}

TEST(MatrixMarket, SkipTakesTheGoodEntries) {
  auto graph = Graph::InMemory();
  const ImportReport r = Load(*graph, "m.mtx", kGeneral + "3 3 3\n1 2 1\n1 9 1\n2 3 1\n", Skip());
  EXPECT_EQ(r.errors, 1u);
  EXPECT_EQ(r.kept_errors[0].ToString(), "m.mtx:4: column \"9\" is not in 1 to 3");
  EXPECT_EQ(Edges(graph->snapshot(), "link"), "1>2 2>3");
  auto truncated = Graph::InMemory();
  const ImportReport t = Load(*truncated, "m.mtx", kGeneral + "3 3 2\n1 2 1\n\n\n\n", Skip());
  EXPECT_EQ(t.errors, 1u);
}

TEST(MatrixMarket, ThreadsAndCutsChangeNothing) {
  std::mt19937_64 random(4);
  std::string body;
  std::set<std::pair<int, int>> places;
  while (places.size() < 5000) places.insert({random() % 700 + 1, random() % 700 + 1});
  for (const auto& [row, column] : places)
    body += std::to_string(row) + " " + std::to_string(column) + " 0." +
            std::to_string(random() % 1000) + "\n";
  const std::string text = kGeneral + "700 700 5000\n" + body;
  EXPECT_EQ(ExpectSameAtAnyCut("m.mtx", text, {100, 5000, 1 << 22}).edges.added, 5000u);
}

}  // namespace
}  // namespace plexus::formats::internal
