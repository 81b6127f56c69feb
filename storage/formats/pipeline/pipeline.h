// Pipeline: reads, parses and applies one file, all three at once.
//
// A few equal workers share the work: a free worker applies the next block in file order if it is
// parsed and no other worker is applying, else reads and parses one more block, else waits. A
// single worker does all of it in turn and never waits. Blocks in flight are bounded, so memory is
// too. Blocks are cut and applied in file order, so results do not depend on the number of workers.
// A check is the same, with ImportCheck in the place of the graph.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/graph.h"
#include "engine/mutex.h"
#include "engine/snapshot.h"
#include "storage/formats/import.h"
#include "storage/formats/pipeline/block_reader.h"
#include "storage/formats/pipeline/dry_run.h"
#include "storage/formats/pipeline/kept_blocks.h"
#include "storage/formats/pipeline/record_parser.h"
#include "storage/formats/pipeline/restated_values.h"

namespace plexus::formats::internal {

// What one import carries from file to file.
struct ImportRun {
  Graph& graph;
  const ImportOptions& options;
  const Snapshot start;  // the graph before the import
  ImportReport report;
  TouchedNodes touched;
  TouchedNodes checked;           // by what a check has kept; touched when it is applied
  std::uint64_t bytes_done = 0;   // of files finished
  std::uint64_t bytes_total = 0;  // of all files, 0 = unknown
  std::uint64_t bytes_seen = 0;   // behind the last block; bytes_checked: where applying began
  std::uint64_t bytes_checked = 0;
  // Fact nodes changed and removed, as the batches report them.
  std::uint64_t nodes_changed = 0, nodes_removed = 0;
  std::uint64_t restated = 0;  // edges that pieces of the collector state with other values
  // Pieces are parsed and their errors noted, nothing is applied.
  bool checking = false;
  ImportCheck check;
  StubCheck stubs;                      // with options.strict
  bool states_nodes = false;            // some file is of a format whose records can state nodes
  PieceCollector* collector = nullptr;  // set: pieces go there, nothing is applied
  std::vector<EntryAt> entries;         // what Piece::entries held while checking
  bool applying = false;                // options.before was called
  ColumnUse columns;                    // of options.columns
  // What is checked goes there; while applying: comes from there, instead of the file.
  KeptBlocks* kept = nullptr;
  std::uint64_t may_keep = 0;  // bytes, of all files: a quarter of what a load may take
  ImportRun(Graph& g, const ImportOptions& o)
      : graph(g),
        options(o),
        start(g.snapshot()),
        touched(g.snapshot()),
        checked(g.snapshot()),
        check(g.snapshot()),
        columns(o.columns.size()) {}

  // Pieces that only link wait while they are applied, and are loaded at once where they are many:
  // bytes that they may take; 0: each is applied.
  std::uint64_t may_wait = 0;

  // Before anything is applied: calls options.before, once.
  Status BeginApplying();
  // From that line on so many edges of before get other values.
  void WarnOfReplaced(const std::string& file, std::uint64_t line, std::uint64_t changed);
  // What the parsers shall know now.
  ParseContext Context();
  // Notes an error of a file itself.
  void AddError(const std::string& file, std::uint64_t line, std::string reason);
  // The same of a file that cannot be read at all, which ends the import: no record is skipped.
  void Refuse(const std::string& file, std::uint64_t line, std::string reason);
};

// One warning a file and doubt keeps what is said first, and counts.
void AddWarning(std::vector<ImportWarning>& all, ImportWarning warning);

// The frame of every import: `import`, then options.after if it was applying, then the
// counts that need the whole run.
Result<ImportReport> RunImport(ImportRun& run, const std::function<Status()>& import);

// Imports what `source` holds. Record errors go to run.report; on kStop,
// run.report.stopped is set and the rest of the file is not read.
Status RunPipeline(ImportRun& run, const std::string& file, BlockSource& source,
                   const RecordParser& parser);

// Applies pieces, one at a time, in order (chunk_applier.cc).
class PieceApplier {
 public:
  PieceApplier(ImportRun& run, const std::string& file, const RecordParser& parser)
      : run_(run), file_(file), parser_(parser) {}

  // Applies one piece, or passes it to run.check or to run.collector, and records its counts and
  // errors. When it is refused, it is halved down to the bad record; when another writer of the
  // graph changed what it was made of, it is made again. An Error is fatal.
  Status Apply(Piece& piece);
  // Applies what waits; to be called behind the last piece.
  Status ApplyWaiting();
  bool waits() const { return !waiting_.empty(); }
  // Lines of the block whose pieces come next, and how many there were before: see Block.
  void set_lines(const std::vector<std::uint64_t>* lines, std::uint64_t before) {
    lines_ = lines;
    lines_before_ = before;
  }
  void AddError(std::uint64_t line, std::string reason);

 private:
  // A piece that only links, until it is loaded with others.
  struct Waiting {
    Piece piece;
    std::uint64_t line = 0;  // in the file
    std::vector<ImportWarning> warnings = {};
  };
  bool Waits(Piece& piece);
  Result<bool> LoadWaiting();
  Status ApplyEach(std::vector<Waiting> waiting);
  Result<ApplyReport> ApplyBatch(Piece& piece);
  Result<ApplyReport> DryRun(const Piece& piece);
  Status BisectRefused(const Piece& piece);
  Piece Parse(std::string_view text, std::uint64_t first_line);
  void RecordCounts(const Piece& piece, std::vector<ImportWarning> warnings, std::uint64_t line,
                    std::uint64_t edges_changed);
  void BookRecords(const Piece& piece);
  void BookApplied(const ApplyReport& applied, std::uint64_t fact_edges, std::uint64_t restated,
                   std::uint64_t events);
  std::vector<ImportWarning> WarningsOf(const Piece& piece) const;
  std::uint64_t InFile(std::uint64_t line) const;
  void WarnOfRestatedNodes(const Piece& piece);

  ImportRun& run_;
  const std::string& file_;
  const RecordParser& parser_;
  const std::vector<std::uint64_t>* lines_ = nullptr;
  std::uint64_t lines_before_ = 0;
  RestatedValues node_values_;          // of pieces so far
  bool not_the_records_fault_ = false;  // options.complete failed
  static constexpr int kMaxConflicts = 100;
  int conflicts_ = 0;  // in a row
  std::vector<Waiting> waiting_;
  Snapshot before_waiting_;  // the graph as the first of them finds it
  std::uint64_t waiting_edges_ = 0, waiting_bytes_ = 0;
};

// A piece that is to be parsed.
Piece NewPiece(const ParseContext& context, std::uint64_t first_line,
               WriteBatch batch = WriteBatch());

// Whether edges may be loaded at once, so many of them that it costs less. Where new facts get a
// scope, or each batch is completed, they go batch by batch.
bool MayLoad(const Graph& graph, const ImportOptions& options);
// From a tenth of the graph on it costs less to sort edges apart and to merge them once.
bool AreMany(std::uint64_t edges, const Snapshot& graph);

// Whether the graph is as it was before the load, and batches may do.
bool LoadRefused(const Graph& graph, const Error& error);
// The error of a load with what the graph may have of it.
Error LoadError(const Graph& graph, Error error);

// Errors that a record can cause, as against those of the disk or the caller.
bool IsRecordError(const Graph& graph, const Error& error);

}  // namespace plexus::formats::internal
