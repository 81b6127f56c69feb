// Files into a graph both ways, at once and batch by batch, and what must be the same of it.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/writer/state_writer.h"
#include "storage/encoding/record_codec.h"
#include "tests/support/dump.h"
#include "tests/support/fakes.h"
#include "tests/support/store_test_util.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {

// Rounds of a test on random files; a sanitizer is content with fewer.
inline int LoadRounds(std::uint64_t otherwise) {
  return static_cast<int>(storage_internal::testing::EnvNumber("PLEXUS_LOAD_ROUNDS", otherwise));
}

class FormatLoad : public ::testing::Test {
 protected:
  FormatLoad() { std::filesystem::create_directories(folder_); }
  ~FormatLoad() override { std::filesystem::remove_all(folder_); }
  std::string File(const std::string& name, std::string_view bytes) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      ("plexus_load_" + std::to_string(::getpid()) +
       ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

struct Imported {
  Result<formats::ImportReport> report = formats::ImportReport();
  std::vector<std::string> records;  // as the log would hold them
  std::uint64_t appends = 0;
  std::unique_ptr<Graph> graph;
};

// `base`: JSON lines that are in the graph before, batch by batch.
inline Imported ImportOneWay(const std::vector<std::string>& files, formats::ImportOptions options,
                             bool at_once, std::string_view base = {}) {
  Imported imported;
  auto store = std::make_shared<plexus::testing::FakeStore>();
  GraphOptions graph_options;
  graph_options.executor = options.executor;
  imported.graph = Graph::Open(Snapshot(), store, graph_options, store);
  if (!base.empty()) {
    formats::ImportOptions before;
    before.limits.load_bytes = 0;
    before.now_ms = kNow - 1;
    EXPECT_TRUE(formats::ImportBytes(*imported.graph, "base.jsonl", base, before));
  }
  if (!at_once) options.limits.load_bytes = 0;
  imported.report = formats::ImportFiles(*imported.graph, files, options);
  for (const Record& record : store->Records())
    imported.records.push_back(storage_internal::EncodeRecord(record, 1)->bytes);
  imported.appends = store->appends();
  return imported;
}

inline std::vector<std::string> Warnings(const formats::ImportReport& report) {
  std::vector<std::string> all;
  for (const formats::ImportWarning& w : report.warnings)
    all.push_back(w.file + ':' + std::to_string(w.line) + ' ' + w.field + ' ' +
                  std::to_string(w.value) + " x" + std::to_string(w.count) + ' ' + w.says);
  std::ranges::sort(all);  // a load knows last what batches replace
  return all;
}

template <class T>
bool Same(const AlignedArray<T>& a, const AlignedArray<T>& b) {
  return std::ranges::equal(a.span(), b.span());
}

inline void ExpectSameState(const Snapshot& a, const Snapshot& b) {
  EXPECT_EQ(a.sequence(), b.sequence());
  EXPECT_EQ(a.state().time_ms, b.state().time_ms);
  EXPECT_EQ(a.state().nodes_by_kind, b.state().nodes_by_kind);
  EXPECT_EQ(a.state().edges_by_kind, b.state().edges_by_kind);
  ASSERT_EQ(a.node_count(), b.node_count());
  for (NodeId v = 0; v < a.node_count(); ++v) {
    ASSERT_EQ(a.key(v), b.key(v));
    ASSERT_EQ(a.alive(v), b.alive(v));
    ASSERT_EQ(a.node_kind(v), b.node_kind(v));
    ASSERT_EQ(b.Find(a.key(v)), v);
  }
  const Csr &x = a.base(), &y = b.base();
  EXPECT_EQ(x.sequence, y.sequence);
  EXPECT_TRUE(Same(x.out_offsets, y.out_offsets) && Same(x.out_neighbors, y.out_neighbors) &&
              x.out_weights == y.out_weights && Same(x.out_kinds, y.out_kinds));
  EXPECT_TRUE(std::ranges::equal(x.out_created_at.steps(), y.out_created_at.steps()) &&
              std::ranges::equal(x.out_created_at.values(), y.out_created_at.values()));
  EXPECT_TRUE(Same(x.in_offsets, y.in_offsets) && Same(x.in_neighbors, y.in_neighbors) &&
              x.in_weights == y.in_weights && Same(x.in_kinds, y.in_kinds) &&
              Same(x.in_places, y.in_places));
  if (x.arc_count() < 10'000) {
    EXPECT_TRUE(plexus::testing::SameText(plexus::testing::Dump(a), plexus::testing::Dump(b)));
  }
}

inline void ExpectSameReport(const formats::ImportReport& g, const formats::ImportReport& l) {
  EXPECT_EQ(g.sequence, l.sequence);
  EXPECT_EQ(g.nodes, l.nodes);
  EXPECT_EQ(g.edges, l.edges);
  EXPECT_EQ(g.records, l.records);
  EXPECT_EQ(g.batches, l.batches);
  EXPECT_EQ(g.errors, l.errors);
  EXPECT_EQ(g.stopped, l.stopped);
  EXPECT_EQ(Warnings(g), Warnings(l));
  if (!g.stopped) {
    EXPECT_EQ(g.bytes, l.bytes);
  }
  EXPECT_EQ(g.kept_errors.size(), l.kept_errors.size());
  for (std::size_t i = 0; i < std::min(g.kept_errors.size(), l.kept_errors.size()); ++i)
    EXPECT_EQ(g.kept_errors[i].ToString(), l.kept_errors[i].ToString());
}

// Both ways at 1 to 3 threads, all in memory and all but a kilobyte in a scratch file; returns the
// report. `plain`: they are loaded at once; else some of them may be.
inline formats::ImportReport ExpectSameBothWays(const std::vector<std::string>& files,
                                                formats::ImportOptions options, bool plain = true,
                                                std::string_view base = {}) {
  options.now_ms = kNow;
  const auto two = MakeThreadExecutor(2), three = MakeThreadExecutor(3);
  const Imported general = ImportOneWay(files, options, false, base);
  EXPECT_TRUE(general.report);
  if (!general.report) return {};
  const formats::ImportReport& g = *general.report;
  EXPECT_TRUE(general.graph->Compact());
  const Snapshot before = general.graph->snapshot();
  const std::string_view more = "7 new 3\nnew 1 2\n1 2 0.125\n";
  std::optional<formats::ImportReport> more_report;
  formats::ImportReport last;
  for (const auto& [executor, bytes] :
       {std::pair<Executor*, std::uint64_t>(&SerialExecutor(), formats::ImportLimits::kHalfOfFree),
        {two.get(), formats::ImportLimits::kHalfOfFree},
        {&SerialExecutor(), 1'000},
        {three.get(), 1'000}}) {
    SCOPED_TRACE(bytes);
    options.executor = executor;
    options.limits.load_bytes = bytes;
    const Imported loaded = ImportOneWay(files, options, true, base);
    EXPECT_TRUE(loaded.report);
    if (!loaded.report) return last;
    ExpectSameReport(g, *loaded.report);
    EXPECT_EQ(general.records, loaded.records);
    EXPECT_EQ(loaded.graph->stats().batches, loaded.records.size());
    if (general.appends > 1 && plain && bytes != 1'000) {
      EXPECT_LT(loaded.appends, general.appends) << "it was not loaded at once";
    } else if (!plain) {
      EXPECT_LE(loaded.appends, general.appends);  // pieces that only link are loaded together
      EXPECT_TRUE(loaded.graph->Compact());
    }
    EXPECT_FALSE(loaded.graph->snapshot().has_delta());
    ExpectSameState(before, loaded.graph->snapshot());
    // Both go on the same way.
    const formats::ImportReport b = formats::internal::Load(*loaded.graph, "m.el", more);
    if (!more_report) more_report = formats::internal::Load(*general.graph, "m.el", more);
    EXPECT_EQ(more_report->nodes, b.nodes);
    EXPECT_EQ(more_report->edges, b.edges);
    EXPECT_EQ(JsonLines(general.graph->snapshot()), JsonLines(loaded.graph->snapshot()));
    last = *loaded.report;
  }
  return last;
}

struct Shape {
  int keys = 100;
  bool weights = false, names = false, errors = false;
};

inline std::string RandomLines(std::mt19937_64& random, int lines, const Shape& shape) {
  std::string text;
  auto key = [&]() -> std::string {
    const auto n = random() % static_cast<unsigned>(shape.keys);
    if (!shape.names) return std::to_string(n);
    switch (random() % 12) {
      case 0:
        return "0" + std::to_string(n);  // not the number
      case 1:
        return std::to_string(10'000'000 + n);  // eight digits
      case 2:
        return std::to_string(4'294'967'290 + n);  // about 2^32
      case 3:
        return "long-key-" + std::to_string(n) + std::string(n % 3 * 300, 'x');
      case 4:
        return "k" + std::to_string(n);
      case 5:
        return "\xc3\xa9" + std::to_string(n);
      case 6:
        return "-" + std::to_string(n);
      default:
        return std::to_string(n);
    }
  };
  for (int i = 0; i < lines; ++i) {
    if (random() % 40 == 0) text += random() % 2 ? "# comment\n" : "\n";
    if (shape.errors && random() % 30 == 0) {
      const char* bad[] = {"alone\n",   "a b c d\n", "a b -1\n",
                           "a b nan\n", "a\x01 b\n", "\xff\xfe b\n"};
      text += bad[random() % 6];
    }
    const std::string source = key();
    text += source + (random() % 2 ? " " : "\t") + (random() % 20 ? key() : source);
    if (shape.weights && random() % 2) {
      const char* weights[] = {"0", "-0", "1", "2", "0.25", "1e-3"};
      text += std::string(" ") + weights[random() % 6];
    }
    text += random() % 50 ? "\n" : "  \r\n";
  }
  if (random() % 2) text.pop_back();  // the last line lacks its end
  return text;
}

}  // namespace plexus::formats::internal
