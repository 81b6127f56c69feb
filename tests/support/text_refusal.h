// Shared by the tests of refusal: a bad record behind many good ones, and what must be
// true when it was met.
//
// The bad record stands behind many blocks and batches of good ones. The error must name
// file, place and reason, and the graph must be as it was: same export, same ids, same
// sequence, no kind, column, space or string more.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "engine/state.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {

inline constexpr int kGoodLines = 300;

// What a graph is, to the last name.
inline std::string Whole(const Graph& graph) {
  const Snapshot s = graph.snapshot();
  std::ostringstream out;
  out << s.sequence() << ' ' << s.node_count() << ' ' << s.state().strings.size() << ' '
      << s.schema().node_kinds().size() << ' ' << s.schema().edge_kinds().size() << ' '
      << s.schema().columns().size() << ' ' << s.schema().spaces().size() << '\n'
      << JsonLines(s);
  for (NodeId v = 0; v < s.node_count(); ++v) out << s.key(v) << '\n';
  return out.str();
}

struct Case {
  std::string what;
  std::string name;  // of the file, which tells the format
  std::string bytes;
  std::uint64_t line;     // where the record begins; 0: the file as a whole
  std::string reason;     // a part of it
  std::string seed = {};  // JSON lines that are in the graph before
};

// `header`, many good lines made by good(i), the bad one, and good ones behind it.
template <class Good>
Case Late(std::string what, std::string name, std::string header, Good&& good, std::string bad,
          std::string reason) {
  Case c{std::move(what), std::move(name), std::move(header), 0, std::move(reason)};
  for (int i = 0; i < kGoodLines; ++i) c.bytes += good(i) + "\n";
  c.line = static_cast<std::uint64_t>(std::count(c.bytes.begin(), c.bytes.end(), '\n')) + 1;
  c.bytes += std::move(bad) + "\n";
  for (int i = kGoodLines; i < kGoodLines + 20; ++i) c.bytes += good(i) + "\n";
  return c;
}
// The same with nothing behind it: the file is cut inside of that record.
template <class Good>
Case Cut(std::string name, std::string header, Good&& good, std::string bad, std::string reason) {
  Case c = Late("truncated", std::move(name), std::move(header), good, bad, std::move(reason));
  c.bytes.resize(c.bytes.find(bad + "\n" + good(kGoodLines)) + bad.size());
  return c;
}

inline formats::ImportOptions SmallCuts(Executor& executor) {
  formats::ImportOptions options;
  options.now_ms = kNow;
  options.executor = &executor;
  options.block_bytes = 512;
  options.batch_ops = 16;
  options.limits.line_bytes = 100'000;
  return options;
}

inline std::unique_ptr<Graph> Seeded(const std::string& seed) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "seed.jsonl",
            R"({"node":"n0","kind":"memory","text":"here before","trust":0.5})"
            "\n"
            R"({"edge":["n0","n1"],"kind":"supports","label":"x"})"
            "\n" +
                seed);
  return graph;
}

inline void ExpectRefused(const Case& c, const Result<formats::ImportReport>& report,
                          const Graph& graph, const std::string& before) {
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_TRUE(report->stopped);
  EXPECT_GE(report->errors, 1u);
  EXPECT_EQ(report->batches, 0u);
  EXPECT_EQ(report->nodes, ChangeCounts());
  EXPECT_EQ(report->edges, ChangeCounts());
  EXPECT_EQ(report->vectors, 0u);
  ASSERT_FALSE(report->kept_errors.empty());
  const formats::ImportError& error = report->kept_errors[0];
  EXPECT_TRUE(error.file.ends_with(c.name)) << error.file;
  EXPECT_EQ(error.line, c.line) << error.ToString();
  EXPECT_NE(error.reason.find(c.reason), std::string::npos) << error.ToString();
  EXPECT_EQ(Whole(graph), before);
}

inline void RunCases(const std::vector<Case>& cases) {
  const auto two = MakeThreadExecutor(2);
  for (const Case& c : cases)
    for (Executor* executor : {&SerialExecutor(), two.get()}) {
      SCOPED_TRACE(c.name + ", " + c.what + ", threads " +
                   std::to_string(executor->thread_count()));
      const auto graph = Seeded(c.seed);
      const std::string before = Whole(*graph);
      ExpectRefused(c, formats::ImportBytes(*graph, c.name, c.bytes, SmallCuts(*executor)), *graph,
                    before);
    }
}

inline std::string N(int i) { return "n" + std::to_string(i); }
inline const std::string kLongKey(1025, 'k');
inline const std::string kLongLine(200'000, 'x');

}  // namespace plexus::formats::internal
