// Edge lists: what counts as a line, what is refused, repeated imports.
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
namespace {

TEST(EdgeList, ReadsSnapAndGapLines) {
  auto graph = Graph::InMemory();
  const ImportReport r = LoadClean(*graph, "g.el",
                                   "# SNAP comment\n% another\n\n"
                                   "a b\nb\tc\t0.5\r\n  c   a 3  \n"
                                   "a-rather-long-key another-long-key 1e-3\nlast line");
  EXPECT_EQ(r.records, 5u);
  EXPECT_EQ(r.nodes, (ChangeCounts{7, 0, 0}));
  EXPECT_EQ(r.edges, (ChangeCounts{5, 0, 0}));
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(Edges(s, "link"), "a>b b>c c>a a-rather-long-key>another-long-key last>line");
  EXPECT_EQ(s.FindEdge(Id(s, "b"), kLink, Id(s, "c"))->weight, 0.5f);
  EXPECT_EQ(s.FindEdge(Id(s, "c"), kLink, Id(s, "a"))->weight, 3.0f);
  EXPECT_EQ(s.FindEdge(Id(s, "a"), kLink, Id(s, "b"))->weight, 1.0f);
  EXPECT_EQ(s.FindEdge(Id(s, "a"), kLink, Id(s, "b"))->created_at, kNow);
  EXPECT_EQ(Id(s, "a"), 0u);  // ids by first appearance
  EXPECT_EQ(Id(s, "line"), 6u);
}

TEST(EdgeList, SecondImportIsSame) {
  auto graph = Graph::InMemory();
  const std::string text = "1 2\n2 3 0.25\n2 1\n1 2\n";
  LoadClean(*graph, "g.el", text);
  const std::string before = JsonLines(graph->snapshot());
  const Sequence sequence = graph->snapshot().sequence();
  ImportOptions later;
  later.now_ms = kNow + 1000;
  const ImportReport r = LoadClean(*graph, "g.el", text, later);
  EXPECT_EQ(r.nodes, (ChangeCounts{0, 0, 3}));
  EXPECT_EQ(r.edges, (ChangeCounts{0, 0, 4}));
  EXPECT_EQ(r.sequence, sequence);
  EXPECT_EQ(JsonLines(graph->snapshot()), before);
  EXPECT_EQ(LoadClean(*graph, "g.el", "2 1 -0\n").edges, (ChangeCounts{0, 1, 0}));
  EXPECT_EQ(LoadClean(*graph, "g.el", "2 1 0\n").edges, (ChangeCounts{0, 0, 1}));
  // A weight given changes, a weight left out keeps.
  EXPECT_EQ(LoadClean(*graph, "g.el", "2 3 0.75\n").edges, (ChangeCounts{0, 1, 0}));
  EXPECT_EQ(LoadClean(*graph, "g.el", "2 3\n").edges, (ChangeCounts{0, 0, 1}));
}

TEST(EdgeList, StopImportsNothing) {
  auto graph = Graph::InMemory();
  const ImportReport r = Load(*graph, "g.el", "a b\nb c\nbad\nd e\n");
  EXPECT_TRUE(r.stopped);
  EXPECT_EQ(r.errors, 1u);
  EXPECT_EQ(r.edges, ChangeCounts());
  EXPECT_EQ(graph->snapshot().sequence(), 0u);
  const ImportReport skipped = Load(*graph, "g.el", "a b\nb c\nbad\nd e\n", Skip());
  EXPECT_FALSE(skipped.stopped);
  EXPECT_EQ(skipped.errors, 1u);
  EXPECT_EQ(skipped.edges, (ChangeCounts{3, 0, 0}));
}

TEST(EdgeList, LongLinesAreDroppedUnheld) {
  ImportOptions options = Skip();
  options.limits.line_bytes = 1000;
  options.block_bytes = 256;
  auto graph = Graph::InMemory();
  const ImportReport r =
      Load(*graph, "g.el", "a b\n" + std::string(100'000, 'x') + "\nc d\n", options);
  EXPECT_EQ(r.errors, 1u);
  ASSERT_EQ(r.kept_errors.size(), 1u);
  EXPECT_EQ(r.kept_errors[0].ToString(), "g.el:2: record over 1000 bytes");
  EXPECT_EQ(Edges(graph->snapshot(), "link"), "a>b c>d");
}

TEST(EdgeList, EmptyInputs) {
  for (const char* text : {"", "\n", "# only\n", "\r\n\r\n", "   "}) {
    auto graph = Graph::InMemory();
    const ImportReport r = LoadClean(*graph, "g.el", text);
    EXPECT_EQ(r.records, 0u);
    EXPECT_EQ(r.sequence, 0u);
  }
}

}  // namespace
}  // namespace plexus::formats::internal
