// Batches of links as arrays of a load; see load.h.
#include "engine/bulk/load.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/bulk/stored_batch.h"
#include "engine/out_of_memory.h"
#include "engine/resolve/batch_resolver.h"
#include "engine/vocabulary.h"

namespace plexus {

bool BatchResolver::LinksAlone(const WriteBatch& batch) {
  return batch.ops_.empty() && batch.node_kinds_.empty() && batch.edge_kinds_.empty() &&
         batch.columns_.empty() && batch.spaces_.empty() && batch.labels_.empty() &&
         std::ranges::all_of(batch.edges_, [](const WriteBatch::EdgeOp& e) {
           return (e.has & ~WriteBatch::kWeight) == 0;
         });
}

// The load as it grows.
class LinkWriter::Kept {
 public:
  explicit Kept(const Snapshot& start) : start_(start) {
    load_.keys = StringTable(start.state().keys);
    load_.strings = StringTable(start.state().strings);
    load_.plane = Plane::kIndex;
    load_.after = start.sequence();
  }

  std::size_t batch_count() const { return load_.batches.size(); }

  // REQUIRES what Keeps asks for.
  Status Take(const WriteBatch& from, const LinkWriterOptions& options) {
    load_.time_ms = from.time_ms();
    LoadBatch batch;
    const std::size_t edges = from.edge_op_count();
    batch.edges = AlignedArray<NodePair>(edges);
    batch.kinds = AlignedArray<KindId>(edges);
    batch.weights = AlignedArray<float>(edges);
    const std::size_t named = BatchResolver::NamedCount(from);
    const auto prefetch = [&](std::size_t i) {
      if (i < named) load_.keys.Prefetch(BatchResolver::KeyHash(from, i));
    };
    ids_.assign(named, kNoNode);
    for (std::size_t i = 0; i < kAhead; ++i) prefetch(i);
    for (std::size_t i = 0; i < named; ++i) {
      prefetch(i + kAhead);
      const std::string_view key = BatchResolver::Key(from, i);
      const auto [id, is_new] = load_.keys.Insert(key, BatchResolver::KeyHash(from, i));
      ids_[i] = id;
      if (is_new) kinds_.push_back(KindOf(key));
    }
    std::size_t at = 0;
    from.ForEachEdge(0, [&](NodeRef source, EdgeKindRef kind, NodeRef target,
                            std::optional<float> weight, std::string_view) {
      batch.edges[at] = {IdOf(source), IdOf(target)};
      batch.kinds[at] = kind.id().value();
      batch.weights[at++] = *weight;
    });
    batch.nodes = load_.keys.size();
    bytes_ += ColumnBytes(batch) + edges * kBytesPerArc;
    load_.batches.push_back(std::move(batch));
    if (!options.scratch || bytes_ <= options.memory) return {};
    for (; stored_ < load_.batches.size(); ++stored_)
      PLEXUS_TRY(StoreBatch(load_.batches[stored_], *options.scratch));
    return {};
  }

  EdgeLoad Finish(const LinkWriterOptions& options) {
    load_.node_kinds = AlignedArray<KindId>(std::span<const KindId>(kinds_));
    load_.memory = options.memory;
    load_.scratch = options.scratch;
    return std::move(load_);
  }

 private:
  static constexpr std::size_t kAhead = 12;          // index lines on their way
  static constexpr std::uint64_t kBytesPerArc = 16;  // of the load, next to its arrays

  NodeId IdOf(NodeRef ref) const { return ref.local() ? ids_[ref.index()] : ref.index(); }
  // The load refuses a key without the kind of an index node.
  KindId KindOf(std::string_view key) const {
    const std::string_view name = key.substr(0, key.find(kIndexSeparator));
    if (name != last_name_) {
      last_name_ = name;
      last_kind_ = start_.schema().FindNodeKind(name).value_or(kNode).value();
    }
    return last_kind_;
  }

  const Snapshot start_;
  EdgeLoad load_;
  std::vector<KindId> kinds_;  // of new nodes
  std::vector<NodeId> ids_;    // of the batch at hand
  std::uint64_t bytes_ = 0;
  std::size_t stored_ = 0;  // batches
  mutable std::string last_name_;
  mutable KindId last_kind_ = kNode.value();
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

// Edges of the index plane, each with a weight; what comes back by being linked does not.
bool LinkWriter::Keeps(const WriteBatch& batch) const {
  if (!options_.loads || !BatchResolver::LinksAlone(batch) || batch.edge_op_count() == 0)
    return false;
  const Schema& schema = start_.schema();
  const auto there = [&](NodeRef node) {
    if (node.local()) return true;
    return node.index() < start_.node_count() && start_.alive(node.index());
  };
  const std::size_t named = BatchResolver::NamedCount(batch);
  std::vector<std::uint8_t> linked(named, 0);
  bool keeps = true;
  batch.ForEachEdge(0, [&](NodeRef source, EdgeKindRef kind, NodeRef target,
                           std::optional<float> weight, std::string_view) {
    keeps = keeps && weight && !kind.local() && kind.id() < schema.edge_kinds().size() &&
            schema.edge_kind(kind.id()).plane == Plane::kIndex && there(source) && there(target);
    if (!keeps) return;
    if (source.local()) linked[source.index()] = 1;
    if (target.local()) linked[target.index()] = 1;
  });
  if (!keeps || std::ranges::count(linked, 0) > 0) return false;
  std::uint64_t alive = 0;
  for (const std::uint64_t of_kind : start_.state().nodes_by_kind) alive += of_kind;
  if (alive == start_.node_count()) return true;
  for (std::size_t i = 0; i < named; ++i) {
    const auto id =
        start_.state().keys.Find(BatchResolver::Key(batch, i), BatchResolver::KeyHash(batch, i));
    if (id && !start_.alive(*id)) return false;
  }
  return true;
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
