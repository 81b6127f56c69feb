// Shared by the tests of the text formats: short ways to import, export, look.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "engine/vocabulary.h"
#include "storage/formats/export.h"
#include "storage/formats/import.h"

namespace plexus::formats::internal {

inline constexpr std::int64_t kNow = 1'700'000'000'000;

inline formats::ImportOptions Skip() {
  formats::ImportOptions options;
  options.on_error = formats::OnImportError::kSkip;
  return options;
}

inline formats::ImportReport Load(Graph& graph, std::string_view name, std::string_view bytes,
                                  formats::ImportOptions options = {}) {
  if (options.now_ms == kNoTime) options.now_ms = kNow;
  auto report = formats::ImportBytes(graph, name, bytes, options);
  EXPECT_TRUE(report) << (report ? "" : report.error().ToString());
  return report ? *report : formats::ImportReport();
}

// Imports what must be free of errors.
inline formats::ImportReport LoadClean(Graph& graph, std::string_view name, std::string_view bytes,
                                       formats::ImportOptions options = {}) {
  formats::ImportReport report = Load(graph, name, bytes, options);
  EXPECT_EQ(report.errors, 0u);
  for (const formats::ImportError& e : report.kept_errors) ADD_FAILURE() << e.ToString();
  return report;
}

// The text of the only error that `bytes` give.
inline std::string OneError(std::string_view name, std::string_view bytes,
                            formats::ImportOptions options = Skip()) {
  auto graph = Graph::InMemory();
  const formats::ImportReport report = Load(*graph, name, bytes, options);
  EXPECT_EQ(report.errors, 1u) << bytes.substr(0, 200);
  return report.kept_errors.empty() ? "" : report.kept_errors[0].ToString();
}

// The first error that an import into `graph` gives, "" without one.
inline std::string FirstError(Graph& graph, std::string_view name, std::string_view bytes,
                              formats::ImportOptions options = {}) {
  const formats::ImportReport report = Load(graph, name, bytes, options);
  return report.kept_errors.empty() ? "" : report.kept_errors[0].ToString();
}

// The first error of a document that stops the import, which leaves an empty graph as it was.
inline std::string RefusedAs(formats::FileFormat format, std::string_view text,
                             formats::ImportOptions options = {}) {
  auto graph = Graph::InMemory();
  options.format = format;
  const formats::ImportReport report = Load(*graph, "g", text, options);
  EXPECT_TRUE(report.stopped) << text.substr(0, 300);
  EXPECT_EQ(graph->snapshot().sequence(), 0u);
  return report.kept_errors.empty() ? "" : report.kept_errors[0].ToString();
}

inline bool Warns(const formats::ImportReport& report, std::string_view part) {
  for (const formats::ImportWarning& warning : report.warnings)
    if (warning.ToString().find(part) != std::string::npos) return true;
  return false;
}

inline std::string JsonLines(const Snapshot& snapshot) {
  std::ostringstream out;
  Status ok = formats::ExportJsonLines(snapshot, out);
  EXPECT_TRUE(ok) << (ok ? "" : ok.error().ToString());
  return out.str();
}

// Imports `bytes` at 1 and 2 threads, cut at each of `blocks`: the same graph, without
// errors. Returns the last report.
inline formats::ImportReport ExpectSameAtAnyCut(std::string_view name, std::string_view bytes,
                                                std::initializer_list<std::size_t> blocks) {
  const auto two = MakeThreadExecutor(2);
  formats::ImportReport report;
  std::string first;
  for (Executor* executor : {&SerialExecutor(), two.get()})
    for (const std::size_t block : blocks) {
      auto graph = Graph::InMemory();
      formats::ImportOptions options;
      options.executor = executor;
      options.block_bytes = block;
      options.batch_ops = 97;
      report = LoadClean(*graph, name, bytes, options);
      const std::string out = JsonLines(graph->snapshot());
      if (first.empty()) first = out;
      EXPECT_EQ(out, first);
    }
  return report;
}

inline NodeId Id(const Snapshot& s, std::string_view key) {
  auto id = s.Find(key);
  EXPECT_TRUE(id) << key;
  return id.value_or(0);
}

inline std::string Tag(std::string_view name) { return IndexKey("tag", name); }

// "a>b", by keys, of one kind; "-" for none.
inline std::string Edges(const Snapshot& s, std::string_view kind) {
  const auto match = s.schema().FindEdgeKind(kind);
  if (!match) return "-";
  const EdgeKindId kinds[] = {match->kind};
  std::string out;
  s.ForEachEdge(ArcFilter::Kinds(s.schema(), kinds), [&](const Edge& e) {
    if (!out.empty()) out += ' ';
    out.append(DisplayName(s.key(e.source))).append(">").append(DisplayName(s.key(e.target)));
    if (e.label) out.append("#").append(s.string(e.label));
  });
  return out;
}

// Says stop at the n-th report of a phase.
class StopAt final : public Progress {
 public:
  StopAt(std::string phase, int calls) : phase_(std::move(phase)), left_(calls) {}
  bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    EXPECT_LE(done, total);
    return phase != phase_ || --left_ > 0;
  }

 private:
  const std::string phase_;
  int left_;
};

}  // namespace plexus::formats::internal
