// Documents: what each needs before and besides its records; see import_parts.h.
#include "storage/formats/import_parts.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "storage/formats/edges/edge_list.h"
#include "storage/formats/edges/matrix_market.h"
#include "storage/formats/json/node_link.h"
#include "storage/formats/pipeline/input.h"
#include "storage/formats/pipeline/record_parser.h"
#include "storage/formats/xml/graphml.h"

namespace plexus::formats::internal {

namespace {

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
      return Cancelled("import cancelled");
  }
  return {};
}

// Reads the header and moves the reader behind it.
Result<std::unique_ptr<BlockReader>> OpenMatrix(ImportRun& run, const Input& input,
                                                MatrixHeader& header) {
  const ImportLimits& limits = run.options.limits;
  PLEXUS_ASSIGN(auto bytes, OpenText(input));
  auto reader =
      std::make_unique<BlockReader>(std::move(bytes), run.options.block_bytes, limits.line_bytes);
  header = {};
  PLEXUS_TRY(ReadMatrixHeader(*reader, limits.line_bytes, header));
  return reader;
}

// Room for the entries to be checked, so that growing never copies them. The count was
// held against the bytes of the file (ImportMatrix); a GiB is taken on its word at most.
void ReserveEntries(ImportRun& run, const MatrixHeader& header) {
  constexpr std::uint64_t kMaxReserved = (std::uint64_t{1} << 30) / sizeof(EntryAt);
  run.entries.reserve(std::min(header.entries, kMaxReserved));
}

// Without anything being applied or reported: which lines are second entries.
Result<MatrixMarketParser::Seconds> FindSeconds(ImportRun& run, const Input& input,
                                                BlockReader& reader, const MatrixHeader& header) {
  const ImportReport before = run.report;
  ReserveEntries(run, header);
  const bool checking = std::exchange(run.checking, true);
  const Status read = RunPipeline(run, input.name, reader, MatrixMarketParser(header));
  run.checking = checking;
  run.report = before;
  PLEXUS_TRY(read);
  return SecondEntries(run.entries);
}

Status ReadMatrix(ImportRun& run, const Input& input, BlockReader& reader,
                  const MatrixHeader& header) {
  MatrixMarketParser::Seconds seconds;
  if (run.options.on_error == OnImportError::kSkip) {
    MatrixHeader again;
    PLEXUS_ASSIGN(const auto first, OpenMatrix(run, input, again));
    PLEXUS_ASSIGN(seconds, FindSeconds(run, input, *first, again));
    run.entries = {};
  }
  if (header.symmetry == MatrixHeader::Symmetry::kSymmetric)
    PLEXUS_TRY(DefineKinds(run, input, {{LinkedKind()}}));
  if (run.report.stopped) return {};
  if (!run.checking) PLEXUS_TRY(DeclareNodes(run, 1, header.nodes));
  if (run.checking) ReserveEntries(run, header);
  const std::uint64_t records = run.report.records, errors = run.report.errors;
  PLEXUS_TRY(RunPipeline(run, input.name, reader, MatrixMarketParser(header, std::move(seconds))));
  const std::uint64_t entries = run.report.records - records;
  if (entries != header.entries &&
      (run.options.on_error == OnImportError::kSkip || run.report.errors == errors))
    run.AddError(input.name, header.line,
                 "the size line says " + std::to_string(header.entries) +
                     " entries, the file holds " + std::to_string(entries));
  if (!run.checking) return {};
  if (const auto twice = SecondEntries(run.entries); !twice.empty() && run.report.errors == errors)
    run.AddError(input.name, twice[0].first, SecondEntry(twice[0].second));
  run.entries = {};
  return {};
}

Status ImportMatrix(ImportRun& run, const Input& input, std::uint64_t size) {
  MatrixHeader header;
  const auto refuse = [&](std::string reason) {
    run.Refuse(input.name, header.line, std::move(reason));
    return Status();
  };
  const auto reader = OpenMatrix(run, input, header);
  if (!reader) {
    if (reader.error().code == ErrorCode::kIo || reader.error().code == ErrorCode::kNotFound)
      return std::unexpected(reader.error());
    return refuse(reader.error().message);
  }
  const std::uint64_t body = size - std::min(size, header.bytes);
  if (header.entries > (body + 1) / 4)  // "1 1\n"
    return refuse("the size line says " + std::to_string(header.entries) + " entries, but only " +
                  std::to_string(body) + " bytes follow");
  if (header.nodes > size + run.options.limits.declared_nodes)
    return refuse("the size line says " + std::to_string(header.nodes) + " rows for " +
                  std::to_string(header.entries) +
                  " entries; that many nodes without edges are refused");
  return ReadMatrix(run, input, **reader, header);
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
    while (static_cast<std::size_t>(at - begin) + kLongest <= block_bytes_ &&
           row_ < graph_.node_count) {
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

// Reads and checks all of it, unless it was.
Status ReadGap(ImportRun& run, const Input& input, Checked& checked) {
  if (checked.gap) return {};
  Result<GapGraph> graph = ReadGapGraph(input);
  if (!graph) {
    if (graph.error().code != ErrorCode::kCorruption) return std::unexpected(graph.error());
    run.Refuse(input.name, 0, graph.error().message.substr(input.name.size() + 2));
    return {};
  }
  for (std::uint64_t i = 0; i < graph->out.weights.size(); ++i)
    if (graph->out.weights[i] < 0) {
      run.Refuse(input.name, 0, "weight " + std::to_string(i) + " is negative");
      return {};
    }
  checked.gap = std::make_unique<GapGraph>(*std::move(graph));
  return {};
}

Status ImportGap(ImportRun& run, const Input& input, Checked& checked) {
  PLEXUS_TRY(ReadGap(run, input, checked));
  if (!checked.gap) return {};
  const GapGraph& graph = *checked.gap;
  if (!graph.directed) PLEXUS_TRY(DefineKinds(run, input, {{LinkedKind()}}));
  if (run.checking) {
    run.report.records += graph.arc_count();
    return {};
  }
  PLEXUS_TRY(DeclareNodes(run, 0, graph.node_count));
  GapLines lines(graph, run.options.block_bytes);
  return RunPipeline(run, input.name, lines,
                     EdgeListParser(graph.directed ? "" : std::string(kLinkedKind)));
}

Status ImportGraphMl(ImportRun& run, const Input& input) {
  PLEXUS_ASSIGN(auto bytes, input.Open());
  GraphMlReader reader(std::move(bytes), run.options, &run.columns, run.Context().schema);
  return RunPipeline(run, input.name, reader, ElementParser({.renamed = true}));
}

Status ImportNodeLink(ImportRun& run, const Input& input, Checked& checked) {
  const auto open = [&]() -> Result<std::unique_ptr<NodeLinkReader>> {
    PLEXUS_ASSIGN(auto bytes, input.Open());
    return std::make_unique<NodeLinkReader>(std::move(bytes), run.options.block_bytes,
                                            run.options.limits.line_bytes,
                                            NodeLinkReader::What::kDocument, checked.defaults);
  };
  if (!checked.defaults) {
    // What the document says about all edges may stand behind them: look first, at all of it only
    // where it is not said before them.
    PLEXUS_ASSIGN(const auto scout, open());
    for (bool more = true; more;) {
      PLEXUS_ASSIGN(const auto block, scout->Next());
      more = block.has_value() && !scout->knows_defaults();
    }
    checked.defaults = scout->defaults();
  }
  PLEXUS_ASSIGN(const auto reader, open());
  return RunPipeline(run, input.name, *reader, ElementParser(*checked.defaults));
}

}  // namespace

bool IsDocument(FileFormat format) {
  return format == FileFormat::kMatrixMarket || format == FileFormat::kGapSerialized ||
         format == FileFormat::kGraphMl || format == FileFormat::kNodeLink;
}

Status DefineKinds(ImportRun& run, const Input& input, std::span<const EdgeKind> kinds) {
  WriteBatch batch(run.options.now_ms);
  for (const EdgeKind& kind : kinds) {
    batch.DefineEdgeKind(kind);
    if (!run.checking) continue;
    const Status defined = run.check.Define(kind);
    if (!defined && defined.error().code == ErrorCode::kIo) return defined;
    if (!defined) run.AddError(input.name, 0, defined.error().message);
  }
  if (!run.checking) PLEXUS_TRY(run.graph.Apply(batch, run.options.apply));
  return {};
}

Status ImportDocument(ImportRun& run, const Input& input, FileFormat format, Checked& checked) {
  const auto size = input.size();
  if (!size) return Unsupported(input.name, ": is no regular file");
  Status status;
  switch (format) {
    case FileFormat::kMatrixMarket:
      status = ImportMatrix(run, input, *size);
      break;
    case FileFormat::kGapSerialized:
      status = ImportGap(run, input, checked);
      break;
    case FileFormat::kGraphMl:
      status = ImportGraphMl(run, input);
      break;
    case FileFormat::kNodeLink:
      status = ImportNodeLink(run, input, checked);
      break;
    default:
      return Fail(ErrorCode::kInternal, "not a document");
  }
  run.report.bytes += *size;
  run.bytes_done += *size;
  return status;
}

}  // namespace plexus::formats::internal
