// What the fuzzers of text formats share: import the bytes into an empty graph, in
// small blocks and batches, then hold the result to what must always be true.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "storage/text/export.h"
#include "storage/text/import.h"

namespace plexus::text {

inline std::string ExportAll(const Graph& graph) {
  std::ostringstream out;
  if (!ExportJsonLines(graph.snapshot(), out)) std::abort();
  return out.str();
}

// The format's name decides the parser; errors are skipped, so all of the input is
// seen. Export, import, export must agree, whatever the input was.
inline void ImportAndCheck(Format format, const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ImportOptions options;
  options.format = format;
  options.on_error = OnError::kSkip;
  options.executor = &SerialExecutor();
  options.now_ms = 1000;
  options.block_bytes = 64;
  options.batch_ops = 8;
  options.limits.line_bytes = 4096;
  auto graph = Graph::InMemory();
  if (!ImportBytes(*graph, "fuzz", bytes, options)) std::abort();
  const std::string first = ExportAll(*graph);
  auto copy = Graph::InMemory();
  ImportOptions again;
  again.format = Format::kJsonLines;
  again.executor = &SerialExecutor();
  again.now_ms = 2000;
  auto report = ImportBytes(*copy, "export", first, again);
  if (!report || report->errors || ExportAll(*copy) != first) std::abort();
}

}  // namespace plexus::text
