// Two passes over a document; see import_documents.h.
#include "storage/text/import_documents.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>
#include <memory>

#include "storage/text/edge_list.h"
#include "storage/text/gap_serialized.h"
#include "storage/text/graphml.h"
#include "storage/text/json_element.h"
#include "storage/text/matrix_market.h"
#include "storage/text/mcp_memory.h"
#include "storage/text/node_link.h"

namespace plexus::text {

namespace {

using MakeSource = std::function<Result<std::unique_ptr<BlockSource>>()>;

// `verify` runs after the checking pass and may note errors.
Status RunPasses(ImportRun& run, const Input& input, const RecordParser& parser, const MakeSource& make,
                 const std::function<void()>& verify = [] {}) {
  if (run.options.on_error == OnError::kStop) {
    const std::uint64_t records = run.report.records;
    PLEXUS_ASSIGN(const auto source, make());
    run.checking = true;
    const Status checked = RunPipeline(run, input.name, *source, parser);
    run.checking = false;
    PLEXUS_TRY(checked);
    if (!run.report.stopped) verify();
    if (run.report.stopped) return {};
    run.report.records = records;
  }
  PLEXUS_ASSIGN(const auto source, make());
  return RunPipeline(run, input.name, *source, parser);
}

Status DefineKind(ImportRun& run, const EdgeKind& kind) {
  WriteBatch batch(run.options.now_ms);
  batch.DefineEdgeKind(kind);
  const auto applied = run.graph.Apply(batch, run.options.apply);
  if (!applied) return std::unexpected(applied.error());
  return {};
}

// Nodes with the numbers from `first` on as keys, whether edges name them or not, so
// that ids follow the numbers.
Status DeclareNodes(ImportRun& run, std::uint64_t first, std::uint64_t count) {
  WriteBatch batch(run.options.now_ms);
  const std::size_t most = std::max<std::size_t>(run.options.batch_ops, 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    char digits[24];
    const char* end = std::to_chars(digits, digits + sizeof digits, first + i).ptr;
    const std::string_view key(digits, static_cast<std::size_t>(end - digits));
    run.touched.Mark(key);
    batch.UpsertNode(key);
    if (batch.op_count() < most && i + 1 < count) continue;
    const auto applied = run.graph.Apply(batch, run.options.apply);
    if (!applied) return std::unexpected(applied.error());
    run.report.nodes.added += applied->nodes.added;
    ++run.report.batches;
    batch.Clear();
    Progress* progress = run.options.progress;
    if (progress && !progress->Report("importing", run.bytes_done, run.bytes_total))
      return Fail(ErrorCode::kCancelled, "import cancelled");
  }
  return {};
}

Status ImportMatrix(ImportRun& run, const Input& input, std::uint64_t size) {
  const ImportLimits& limits = run.options.limits;
  MatrixHeader header;
  const auto open = [&]() -> Result<std::unique_ptr<BlockReader>> {
    PLEXUS_ASSIGN(auto bytes, input.Open());
    auto reader = std::make_unique<BlockReader>(std::move(bytes), run.options.block_bytes, limits.line_bytes);
    header = {};
    PLEXUS_TRY(ReadMatrixHeader(*reader, limits.line_bytes, header));
    return reader;
  };
  const auto refuse = [&](std::string reason) {
    AddFileError(run, input, header.line, std::move(reason));
    return Status();
  };
  if (const auto opened = open(); !opened) {
    if (opened.error().code == ErrorCode::kIo || opened.error().code == ErrorCode::kNotFound)
      return std::unexpected(opened.error());
    return refuse(opened.error().message);
  }
  const std::uint64_t body = size - std::min(size, header.bytes);
  if (header.entries > (body + 1) / 4)  // "1 1\n"
    return refuse("the size line says " + std::to_string(header.entries) + " entries, but only " +
                  std::to_string(body) + " bytes follow");
  if (header.nodes > size + limits.declared_nodes)
    return refuse("the size line says " + std::to_string(header.nodes) + " rows for " +
                  std::to_string(header.entries) + " entries; that many nodes without edges are refused");

  const std::uint64_t records = run.report.records, errors = run.report.errors;
  const auto count_entries = [&](std::uint64_t before) {
    if (run.report.records - before != header.entries && run.report.errors == errors)
      refuse("the size line says " + std::to_string(header.entries) + " entries, the file holds " +
             std::to_string(run.report.records - before)).value();
  };
  const auto verify = [&] {
    count_entries(records);
    std::sort(run.entries.begin(), run.entries.end());
    const auto twice = std::adjacent_find(run.entries.begin(), run.entries.end(),
                                          [](const EntryAt& a, const EntryAt& b) { return a.place == b.place; });
    if (twice != run.entries.end() && run.report.errors == errors)
      AddFileError(run, input, (twice + 1)->line,
                   "a second entry in row and column of line " + std::to_string(twice->line));
    run.entries = {};
  };
  bool is_check = run.options.on_error == OnError::kStop;  // the first pass changes nothing
  const auto make = [&]() -> Result<std::unique_ptr<BlockSource>> {
    if (!std::exchange(is_check, false)) {
      if (header.symmetry == MatrixHeader::Symmetry::kSymmetric) PLEXUS_TRY(DefineKind(run, LinkedKind()));
      PLEXUS_TRY(DeclareNodes(run, 1, header.nodes));
    }
    return open();
  };
  const MatrixHeader fixed = header;
  PLEXUS_TRY(RunPasses(run, input, MatrixMarketParser(fixed), make, verify));
  if (run.options.on_error == OnError::kSkip) count_entries(records);
  return {};
}

// A serialized graph's arcs as lines of an edge list. An undirected edge once.
class GapLines final : public BlockSource {
 public:
  GapLines(const GapGraph& graph, std::size_t block_bytes)
      : graph_(graph), block_bytes_(std::max<std::size_t>(block_bytes, 64)) {}

  Result<std::optional<Block>> Next() override {
    constexpr std::size_t kLongest = 40;
    Block block;
    block.buffer = std::make_unique_for_overwrite<char[]>(block_bytes_ + BlockReader::kPadding);
    char* const begin = block.buffer.get();
    char* at = begin;
    while (static_cast<std::size_t>(at - begin) + kLongest <= block_bytes_ && row_ < graph_.node_count) {
      if (arc_ == graph_.out.offsets[row_ + 1]) {
        ++row_;
        continue;
      }
      const std::int64_t arc = arc_++;
      const NodeId target = graph_.out.neighbors[arc];
      if (!graph_.directed && target < row_) continue;
      at = std::to_chars(at, at + 12, row_).ptr;
      *at++ = ' ';
      at = std::to_chars(at, at + 12, target).ptr;
      if (graph_.weighted) {
        *at++ = ' ';
        at = std::to_chars(at, at + 12, graph_.out.weights[arc]).ptr;
      }
      *at++ = '\n';
      block.lines.push_back(0);  // the file has no lines
    }
    if (at == begin) return std::nullopt;
    std::memset(at, '\n', BlockReader::kPadding);
    block.text = {begin, static_cast<std::size_t>(at - begin)};
    return block;
  }
  std::uint64_t bytes_read() const override { return static_cast<std::uint64_t>(arc_) * 4; }

 private:
  const GapGraph& graph_;
  std::size_t block_bytes_;
  NodeId row_ = 0;
  std::int64_t arc_ = 0;
};

Status ImportGap(ImportRun& run, const Input& input) {
  Result<GapGraph> graph = ReadGapGraph(input);
  if (!graph) {
    if (graph.error().code != ErrorCode::kCorruption) return std::unexpected(graph.error());
    AddFileError(run, input, 0, graph.error().message.substr(input.name.size() + 2));
    return {};
  }
  for (std::uint64_t i = 0; i < graph->out.weights.size(); ++i)
    if (graph->out.weights[i] < 0) {
      AddFileError(run, input, 0, "weight " + std::to_string(i) + " is negative");
      return {};
    }
  if (!graph->directed) PLEXUS_TRY(DefineKind(run, LinkedKind()));
  PLEXUS_TRY(DeclareNodes(run, 0, graph->node_count));
  GapLines lines(*graph, run.options.block_bytes);
  return RunPipeline(run, input.name, lines, EdgeListParser(graph->directed ? "" : std::string(kLinkedKind)));
}

Status ImportMemory(ImportRun& run, const Input& input) {
  return RunPasses(run, input, McpMemoryParser(), [&]() -> Result<std::unique_ptr<BlockSource>> {
    PLEXUS_ASSIGN(auto bytes, input.Open());
    auto reader = std::make_unique<BlockReader>(std::move(bytes), run.options.block_bytes, run.options.limits.line_bytes);
    PLEXUS_ASSIGN(const std::string_view head, reader->Peek(3));
    if (head == "\xef\xbb\xbf") reader->Drop(3);
    return reader;
  });
}

Status ImportGraphMl(ImportRun& run, const Input& input) {
  return RunPasses(run, input, ElementParser({}), [&]() -> Result<std::unique_ptr<BlockSource>> {
    PLEXUS_ASSIGN(auto bytes, input.Open());
    return std::make_unique<GraphMlReader>(std::move(bytes), run.options.block_bytes, run.options.limits);
  });
}

Status ImportNodeLink(ImportRun& run, const Input& input) {
  const auto open = [&]() -> Result<std::unique_ptr<NodeLinkReader>> {
    PLEXUS_ASSIGN(auto bytes, input.Open());
    return std::make_unique<NodeLinkReader>(std::move(bytes), run.options.block_bytes, run.options.limits.line_bytes);
  };
  // What the document says about all edges may stand behind them: look first.
  PLEXUS_ASSIGN(const auto scout, open());
  for (bool more = true; more;) {
    PLEXUS_ASSIGN(const auto block, scout->Next());
    more = block.has_value();
  }
  return RunPasses(run, input, ElementParser(scout->defaults()),
                   [&]() -> Result<std::unique_ptr<BlockSource>> { return open(); });
}

}  // namespace

bool IsDocument(Format format) {
  switch (format) {
    case Format::kMatrixMarket:
    case Format::kGapSerialized:
    case Format::kGraphMl:
    case Format::kNodeLink:
    case Format::kMcpMemory: return true;
    default: return false;
  }
}

void AddFileError(ImportRun& run, const Input& input, std::uint64_t line, std::string reason) {
  ++run.report.errors;
  if (run.report.kept_errors.size() < run.options.max_errors_kept)
    run.report.kept_errors.push_back({input.name, line, std::move(reason)});
  run.report.stopped |= run.options.on_error == OnError::kStop;
}

Status ImportDocument(ImportRun& run, const Input& input, Format format) {
  const auto size = input.size();
  if (!size)
    return Fail(ErrorCode::kUnsupported, input.name + ": " + std::string(FormatName(format)) +
                                             " is read twice, so it cannot be a pipe; give - for standard input");
  Status status;
  switch (format) {
    case Format::kMatrixMarket: status = ImportMatrix(run, input, *size); break;
    case Format::kGapSerialized: status = ImportGap(run, input); break;
    case Format::kGraphMl: status = ImportGraphMl(run, input); break;
    case Format::kNodeLink: status = ImportNodeLink(run, input); break;
    case Format::kMcpMemory: status = ImportMemory(run, input); break;
    default: return Fail(ErrorCode::kInternal, "not a document");
  }
  run.report.bytes += *size;
  run.bytes_done += *size;
  return status;
}

}  // namespace plexus::text
