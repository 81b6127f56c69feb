// JSON lines into a graph in RAM, with the index of their words.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "algorithms/retrieval/terms.h"
#include "engine/graph.h"
#include "storage/formats/import.h"

namespace plexus::testing {

inline void ImportWithTerms(Graph& graph, const std::string& lines, std::int64_t now) {
  formats::ImportOptions options;
  options.format = formats::FileFormat::kJsonLines;
  options.now_ms = now;
  options.complete = [](const Snapshot& snapshot, WriteBatch& batch) -> Status {
    const auto added = retrieval::AddTerms(snapshot, {}, batch);
    if (!added) return std::unexpected(added.error());
    return {};
  };
  const auto report = formats::ImportBytes(graph, "lines", lines, options);
  ASSERT_TRUE(report) << report.error().ToString();
  ASSERT_FALSE(report->stopped) << report->kept_errors.front().ToString();
}

}  // namespace plexus::testing
