// What the fuzzers of text formats share: import the bytes into an empty graph, in
// small blocks and batches, then hold the result to what must always be true.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "storage/formats/export.h"
#include "storage/formats/import.h"

namespace plexus::formats::internal {

inline std::string ExportAll(const Graph& graph) {
  std::ostringstream out;
  if (!formats::ExportJsonLines(graph.snapshot(), out)) std::abort();
  return out.str();
}

// The format's name decides the parser; errors are skipped, so all of the input is
// seen. Export, import, export must agree, whatever the input was. The stopping import
// must agree with that: no error and the same graph, or an error and no change at all.
inline void ImportAndCheck(formats::FileFormat format, const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  formats::ImportOptions options;
  options.format = format;
  options.on_error = formats::OnImportError::kSkip;
  options.executor = &SerialExecutor();
  options.now_ms = 1000;
  options.block_bytes = 64;
  options.batch_ops = 8;
  options.limits.line_bytes = 4096;
  options.limits.declared_nodes = 64;
  options.limits.spool_bytes = 1 << 20;  // of gzip
  auto graph = Graph::InMemory();
  const auto skipped = formats::ImportBytes(*graph, "fuzz", bytes, options);
  if (!skipped) {  // gzip that cannot be unpacked: nothing is read
    if (!bytes.starts_with("\x1f\x8b") || skipped.error().message.empty()) std::abort();
    if (graph->snapshot().sequence() != 0) std::abort();
    return;
  }
  const std::string first = ExportAll(*graph);
  auto copy = Graph::InMemory();
  formats::ImportOptions again;
  again.format = formats::FileFormat::kJsonLines;
  again.executor = &SerialExecutor();
  again.now_ms = 2000;
  auto report = formats::ImportBytes(*copy, "export", first, again);
  if (!report || report->errors || ExportAll(*copy) != first) std::abort();
  options.on_error = formats::OnImportError::kStop;
  auto whole = Graph::InMemory();
  const auto stopping = formats::ImportBytes(*whole, "fuzz", bytes, options);
  if (!stopping) std::abort();
  // The check foresees every refusal. It may refuse a node that takes another kind after the
  // same files have taken back what held it to the old one (dry_run.h), and nothing else;
  // which record it then names depends on what the node's kind is for.
  if (!stopping->stopped && skipped->errors > 0) std::abort();
  if (stopping->stopped && skipped->errors == 0) {
    const std::string& reason = stopping->kept_errors.at(0).reason;
    if (!reason.contains("cannot become of kind") && !reason.contains("must be of kind"))
      std::abort();
  }
  if (stopping->stopped && whole->snapshot().sequence() != 0) std::abort();
  if (!stopping->stopped && ExportAll(*whole) != first) std::abort();
}

}  // namespace plexus::formats::internal
