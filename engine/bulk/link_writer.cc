// Batches of links as arrays of a load; see load.h.
#include "engine/bulk/load.h"

#include <algorithm>
#include <utility>

#include "engine/bulk/link_arrays.h"
#include "engine/bulk/stored_batch.h"
#include "engine/out_of_memory.h"
#include "engine/resolve/batch_resolver.h"

namespace plexus {

bool BatchResolver::LinksAlone(const WriteBatch& batch) {
  return batch.ops_.empty() && batch.node_kinds_.empty() && batch.edge_kinds_.empty() &&
         batch.columns_.empty() && batch.spaces_.empty() &&
         std::ranges::all_of(batch.edges_, [&](const WriteBatch::EdgeOp& e) {
           const bool named = !e.kind.local || e.kind.id < batch.edge_kind_names_.size();
           return named && (e.has & ~(WriteBatch::kWeight | WriteBatch::kCreatedAt)) == 0;
         });
}

// The load as it grows.
class LinkWriter::Kept {
 public:
  explicit Kept(const Snapshot& start) : arrays_(start, Plane::kIndex) {}

  std::size_t batch_count() { return arrays_.batches().size(); }

  // REQUIRES what Keeps asks for.
  Status Take(const WriteBatch& batch, const LinkWriterOptions& options) {
    arrays_.Take(batch);
    std::vector<LoadBatch>& batches = arrays_.batches();
    bytes_ += ColumnBytes(batches.back()) + batch.edge_op_count() * kBytesPerArc;
    if (!options.scratch || bytes_ <= options.memory) return {};
    for (; stored_ < batches.size(); ++stored_)
      PLEXUS_TRY(StoreBatch(batches[stored_], *options.scratch));
    return {};
  }

  EdgeLoad Finish(const LinkWriterOptions& options) {
    EdgeLoad load = arrays_.Finish();
    load.memory = options.memory;
    load.scratch = options.scratch;
    return load;
  }

 private:
  static constexpr std::uint64_t kBytesPerArc = 16;  // of the load, next to its arrays

  LinkArrays arrays_;
  std::uint64_t bytes_ = 0;
  std::size_t stored_ = 0;  // batches
};

LinkWriter::LinkWriter(Graph& graph, const Snapshot& start, LinkWriterOptions options)
    : graph_(graph), options_(std::move(options)), start_(start), at_(start.sequence()) {
  const GraphState& state = start.state();
  std::uint64_t arcs = state.base->arc_count();
  for (const auto& run : state.runs) arcs += run->arc_count();
  constexpr std::uint64_t kMost = 1 << 22;  // batches wait until there are so many links
  many_ = std::max(options_.least, std::min(kMost, (arcs + start.node_count()) / 10));
}

LinkWriter::~LinkWriter() = default;

bool LinkWriter::Keeps(const WriteBatch& batch) const {
  return options_.loads && LinkArrays::Takes(start_, Plane::kIndex, batch);
}

// What others wrote in between, only expectations tell.
void LinkWriter::Follow(Sequence sequence, Sequence most) {
  if (sequence > most) options_.loads = false;
  at_ = sequence;
}

Status LinkWriter::Apply(const WriteBatch& batch) {
  PLEXUS_ASSIGN(const ApplyReport applied, graph_.Apply(batch));
  Follow(applied.sequence, at_ + 1);
  return {};
}

// Nothing was written in between: the expectations of batches are those of the load.
Status LinkWriter::Load() {
  const std::size_t batches = kept_->batch_count();
  if (options_.before) PLEXUS_TRY(options_.before());
  const auto loaded = graph_.Load(kept_->Finish(options_), {}, options_.progress);
  kept_.reset();
  ++loads_;
  Status after;
  if (options_.after) after = options_.after();
  if (loaded) {
    Follow(loaded->sequence, at_ + batches);
    return after;
  }
  const ErrorCode code = loaded.error().code;
  refused_ = !graph_.read_only() &&
             (code == ErrorCode::kFailedPrecondition || code == ErrorCode::kConflict ||
              code == ErrorCode::kInvalidArgument || code == ErrorCode::kResourceExhausted);
  return std::unexpected(loaded.error());
}

Status LinkWriter::Flush() {
  if (kept_) return Load();
  waiting_links_ = 0;
  for (const WriteBatch& batch : std::exchange(waiting_, {})) PLEXUS_TRY(Apply(batch));
  return {};
}

// Kept links from here on find the graph as it is now.
void LinkWriter::Rebase() {
  if (!options_.loads) return;
  start_ = graph_.snapshot();
  options_.loads = start_.sequence() == at_;
}

Status LinkWriter::Keep(const WriteBatch& batch) {
  time_ms_ = batch.time_ms();
  if (kept_) return kept_->Take(batch, options_);
  waiting_.push_back(batch);
  waiting_links_ += batch.edge_op_count();
  if (waiting_links_ < many_) return {};
  kept_ = std::make_unique<Kept>(start_);
  waiting_links_ = 0;
  for (const WriteBatch& waited : std::exchange(waiting_, {}))
    PLEXUS_TRY(kept_->Take(waited, options_));
  return {};
}

Status LinkWriter::Write(const WriteBatch& batch) try {
  const bool full = kept_ && kept_->batch_count() == kMaxLoadBatches;
  const bool holds = kept_ || !waiting_.empty();
  if (full || (holds && batch.time_ms() != time_ms_)) {  // a load is of one time
    PLEXUS_TRY(Flush());
    Rebase();
  }
  if (Keeps(batch)) return Keep(batch);
  PLEXUS_TRY(Flush());
  PLEXUS_TRY(Apply(batch));
  Rebase();
  return {};
}
PLEXUS_CATCH_NO_MEMORY

Status LinkWriter::Finish() try { return Flush(); }
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
