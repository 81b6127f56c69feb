// When edges are loaded, what its errors mean, and pieces that only link, loaded at once; see
// PieceApplier.
#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/bulk/link_arrays.h"
#include "engine/state.h"
#include "engine/types.h"
#include "engine/vocabulary.h"
#include "storage/formats/pipeline/kept_blocks.h"
#include "storage/formats/pipeline/pipeline.h"

namespace plexus::formats::internal {

// Takes the piece if it can wait. None waits where all that may wait would not be loaded.
bool PieceApplier::Waits(Piece& piece) {
  if (run_.checking || run_.may_wait == 0 || !piece.lists.empty() || !piece.patches.empty() ||
      piece.error_count > 0 || piece.stopped || piece.unreadable || piece.batch.empty())
    return false;
  const Snapshot now = waiting_.empty() ? run_.graph.snapshot() : before_waiting_;
  if (waiting_.size() == kMaxLoadBatches ||
      !AreMany(run_.may_wait / KeptBlocks::kOperationBytes, now) ||
      !LinkArrays::Takes(now, Plane::kFact, piece.batch))
    return false;
  if (waiting_.empty()) before_waiting_ = now;
  waiting_edges_ += piece.batch.edge_op_count();
  waiting_bytes_ += KeptBlocks::kOperationBytes * piece.batch.op_count() + piece.text.size();
  std::vector<ImportWarning> warnings = WarningsOf(piece);
  const std::uint64_t line = InFile(piece.first_line);
  waiting_.push_back({std::move(piece), line, std::move(warnings)});
  return true;
}

// False: nothing has happened, each must be applied.
Result<bool> PieceApplier::LoadWaiting() {
  if (waiting_.size() < 2 || !AreMany(waiting_edges_, before_waiting_)) return false;
  LinkArrays arrays(before_waiting_, Plane::kFact);
  for (const Waiting& links : waiting_) arrays.Take(links.piece.batch);
  // What waits is a quarter of the memory that a load may take; the load takes less than the rest.
  EdgeLoad load = arrays.Finish();
  std::vector<std::uint64_t> changed;
  load.changed_of = &changed;
  const auto loaded = run_.graph.Load(std::move(load), run_.options.apply, run_.options.progress);
  if (!loaded) {
    if (loaded.error().code == ErrorCode::kCancelled)
      run_.report.batches += run_.graph.snapshot().sequence() - before_waiting_.sequence();
    if (!LoadRefused(run_.graph, loaded.error()))
      return std::unexpected(LoadError(run_.graph, loaded.error()));
    run_.may_wait = 0;  // the next one would be refused, too
    return false;
  }
  run_.report.batches += waiting_.size();
  std::uint64_t edges = 0, restated = 0;
  for (std::size_t b = 0; b < waiting_.size(); ++b) {
    Waiting& links = waiting_[b];
    edges += links.piece.fact_edges;
    restated += links.piece.restated;
    RecordCounts(links.piece, std::move(links.warnings), links.line, changed[b]);
  }
  BookApplied(*loaded, edges, restated, 0);
  return true;
}

Status PieceApplier::ApplyEach(std::vector<Waiting> waiting) {
  Progress* const progress = run_.options.progress;
  for (Waiting& links : waiting) {
    if (progress && waiting.size() > 1 &&
        !progress->Report("importing", run_.bytes_seen, run_.bytes_total))
      return Cancelled("import cancelled");
    ++run_.report.batches;
    const auto applied = run_.graph.Apply(links.piece.batch, run_.options.apply);
    if (!applied) {
      if (!IsRecordError(run_.graph, applied.error())) return std::unexpected(applied.error());
      run_.AddError(file_, links.line, applied.error().message);  // not foreseen by the check
      return {};
    }
    BookApplied(*applied, links.piece.fact_edges, links.piece.restated, 0);
    RecordCounts(links.piece, std::move(links.warnings), links.line, applied->edges.changed);
    links.piece.batch = WriteBatch();
  }
  return {};
}

Status PieceApplier::ApplyWaiting() {
  if (waiting_.empty()) return {};
  PLEXUS_ASSIGN(const bool loaded, LoadWaiting());
  std::vector<Waiting> waiting = std::exchange(waiting_, {});
  waiting_edges_ = waiting_bytes_ = 0;
  before_waiting_ = Snapshot();
  return loaded ? Status() : ApplyEach(std::move(waiting));
}

bool MayLoad(const Graph& graph, const ImportOptions& options) {
  const std::string& scope = graph.options().scope;
  return (scope.empty() || scope == builtin::kDefaultScope) && options.limits.load_bytes > 0 &&
         (!options.complete || options.completes_texts_alone) && !options.position &&
         options.batch_ops <= Limits::kMaxBatchOps;
}

bool AreMany(std::uint64_t edges, const Snapshot& graph) {
  const GraphState& state = graph.state();
  std::uint64_t arcs = state.base->arc_count();
  for (const auto& run : state.runs) arcs += run->arc_count();
  return edges >= (arcs + graph.node_count()) / 10;
}

bool LoadRefused(const Graph& graph, const Error& error) {
  return !graph.read_only() &&
         (error.code == ErrorCode::kFailedPrecondition ||  // another writer came in between
          error.code == ErrorCode::kConflict ||
          error.code == ErrorCode::kInvalidArgument ||  // the general way says what
          error.code == ErrorCode::kResourceExhausted);
}

Error LoadError(const Graph& graph, Error error) {
  if (graph.read_only() && error.code != ErrorCode::kReadOnly)
    error.message +=
        "; some of it may be in: open the graph again and run the same import again to complete it";
  return error;
}

bool IsRecordError(const Graph& graph, const Error& error) {
  static constexpr ErrorCode kOfRecords[] = {
      ErrorCode::kInvalidArgument,   ErrorCode::kAlreadyExists,      ErrorCode::kNotFound,
      ErrorCode::kResourceExhausted, ErrorCode::kFailedPrecondition, ErrorCode::kUnsupported};
  return !graph.read_only() && std::ranges::find(kOfRecords, error.code) != std::end(kOfRecords);
}

}  // namespace plexus::formats::internal
