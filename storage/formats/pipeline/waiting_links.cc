// Pieces that only link, loaded at once; see PieceApplier.
#include <algorithm>
#include <utility>

#include "engine/bulk/link_arrays.h"
#include "storage/formats/pipeline/load_rules.h"
#include "storage/formats/pipeline/pipeline.h"
#include "storage/formats/pipeline/scratch_file.h"

namespace plexus::formats_internal {

// Takes the batch of a piece that can wait.
bool PieceApplier::Waits(Piece& piece) {
  constexpr std::uint64_t kOperation = 96;  // with its nodes
  if (run_.checking || run_.may_wait == 0 || !piece.lists.empty() || !piece.patches.empty())
    return false;
  if (waiting_.empty()) before_waiting_ = run_.graph.snapshot();
  if (waiting_.size() == kMaxLoadBatches ||
      !LinkArrays::Takes(before_waiting_, Plane::kFact, piece.batch))
    return false;
  waiting_edges_ += piece.batch.edge_op_count();
  waiting_bytes_ += kOperation * piece.batch.op_count() + piece.text.size();
  waiting_.push_back(
      {std::move(piece.batch), InFile(piece.first_line), piece.fact_edges, piece.restated});
  return true;
}

void PieceApplier::BookLinks(const Waiting& links, const ApplyReport& applied) {
  ++run_.report.batches;
  BookApplied(applied, links.fact_edges, links.restated, 0);
  WarnOfReplaced(links.line, applied.edges.changed);
}

// False: nothing has happened, each must be applied.
Result<bool> PieceApplier::LoadWaiting() {
  if (waiting_.size() < 2 || !AreMany(waiting_edges_, before_waiting_)) return false;
  LinkArrays arrays(before_waiting_, Plane::kFact);
  for (const Waiting& links : waiting_) arrays.Take(links.batch);
  EdgeLoad load = arrays.Finish();
  const std::string folder = ScratchFolder(run_.options);
  LoadMemory memory = MakeLoadMemory(run_.options.limits.load_bytes, folder);
  load.memory = memory.bytes;
  load.scratch = std::move(memory.scratch);
  std::vector<std::uint64_t> changed;
  load.changed_of = &changed;
  const auto loaded = run_.graph.Load(std::move(load), run_.options.apply, run_.options.progress);
  if (!loaded) {
    if (loaded.error().code == ErrorCode::kCancelled)
      run_.report.batches += run_.graph.snapshot().sequence() - before_waiting_.sequence();
    if (LoadRefused(run_.graph, loaded.error())) return false;
    return std::unexpected(LoadError(run_.graph, folder, loaded.error()));
  }
  run_.report.batches += waiting_.size();
  std::uint64_t edges = 0, restated = 0;
  for (std::size_t b = 0; b < waiting_.size(); ++b) {
    edges += waiting_[b].fact_edges;
    restated += waiting_[b].restated;
    WarnOfReplaced(waiting_[b].line, changed[b]);
  }
  BookApplied(*loaded, edges, restated, 0);
  return true;
}

Status PieceApplier::ApplyWaiting() {
  if (waiting_.empty()) return {};
  PLEXUS_ASSIGN(const bool loaded, LoadWaiting());
  const std::vector<Waiting> waiting = std::exchange(waiting_, {});
  waiting_edges_ = waiting_bytes_ = 0;
  before_waiting_ = Snapshot();
  for (std::size_t i = 0; i < waiting.size() && !loaded && !run_.report.stopped; ++i) {
    const auto applied = run_.graph.Apply(waiting[i].batch, run_.options.apply);
    if (!applied && !IsRecordError(run_.graph, applied.error()))
      return std::unexpected(applied.error());
    if (applied)
      BookLinks(waiting[i], *applied);
    else  // not foreseen by the check
      run_.AddError(file_, waiting[i].line, applied.error().message);
  }
  return {};
}

}  // namespace plexus::formats_internal
