// Batches of links as arrays of a load; see load.h.
#include "engine/bulk/link_arrays.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "engine/bulk/load.h"
#include "engine/bulk/stored_batch.h"
#include "engine/out_of_memory.h"
#include "engine/resolve/batch_resolver.h"
#include "engine/vocabulary.h"

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

// --- Keys to ids, operations to columns; see link_arrays.h.

namespace {

// What a batch means by a kind: looked up where another one is named than before.
class LinkKinds {
 public:
  explicit LinkKinds(const Schema& schema) : schema_(schema) {}
  // False: the schema has no such kind.
  bool Find(const BatchResolver::LinkOp& link) {
    if (known_ && kind_ == link.kind && name_ == link.kind_name.data()) return true;
    kind_ = link.kind;
    name_ = link.kind_name.data();
    id_ = link.kind.value();
    known_ = id_ < schema_.edge_kinds().size();
    reversed_ = false;
    if (link.kind_name.empty()) return known_;
    const auto match = schema_.FindEdgeKind(link.kind_name);
    known_ = match.has_value();
    if (match) {
      id_ = match->kind.value();
      reversed_ = match->reversed;
    }
    return known_;
  }
  KindId id() const { return id_; }
  bool reversed() const { return reversed_; }

 private:
  const Schema& schema_;
  bool known_ = false, reversed_ = false;
  EdgeKindId kind_{};
  const char* name_ = nullptr;
  KindId id_ = 0;
};

bool NamesRemoved(const Snapshot& start, const WriteBatch& batch) {
  if (start.CountNodes(Plane::kFact) + start.CountNodes(Plane::kIndex) == start.node_count())
    return false;
  for (std::size_t i = 0; i < BatchResolver::NamedCount(batch); ++i) {
    const auto id =
        start.state().keys.Find(BatchResolver::Key(batch, i), BatchResolver::KeyHash(batch, i));
    if (id && !start.alive(*id)) return true;
  }
  return false;
}

}  // namespace

bool LinkArrays::Takes(const Snapshot& start, Plane plane, const WriteBatch& batch) {
  const bool facts = plane == Plane::kFact;
  if (!BatchResolver::LinksAlone(batch) || batch.edge_op_count() == 0) return false;
  const Schema& schema = start.schema();
  const auto there = [&](NodeRef node) {
    if (node.local()) return true;
    return node.index() < start.node_count() && start.alive(node.index());
  };
  const std::size_t named = BatchResolver::NamedCount(batch);
  if (facts)  // a fact's edge may end at an index node
    for (std::size_t i = 0; i < named; ++i)
      if (BatchResolver::Key(batch, i).find(kIndexSeparator) != std::string_view::npos)
        return false;
  std::vector<std::uint8_t> linked(named, 0);
  bool takes = true;
  LinkKinds kinds(schema);
  BatchResolver::ForEachLink(batch, [&](const BatchResolver::LinkOp& link) {
    if (!takes) return;
    takes = kinds.Find(link) && schema.edge_kind(EdgeKindId(kinds.id())).plane == plane;
    takes =
        takes && there(link.source) && there(link.target) &&
        (facts || (!std::isnan(link.weight) && link.label.empty() && link.created_at == kNoTime));
    if (!takes) return;
    if (link.source.local()) linked[link.source.index()] = 1;
    if (link.target.local()) linked[link.target.index()] = 1;
  });
  return takes && std::ranges::count(linked, 0) == 0 && !NamesRemoved(start, batch);
}

LinkArrays::LinkArrays(Snapshot start, Plane plane)
    : start_(std::move(start)), last_kind_(builtin::kNode.value()) {
  load_.keys = StringTable(start_.state().keys);
  load_.strings = StringTable(start_.state().strings);
  load_.plane = plane;
  load_.after = start_.sequence();
}

// A load refuses a key without the kind of an index node.
KindId LinkArrays::KindOfKey(std::string_view key) {
  const std::string_view name = key.substr(0, key.find(kIndexSeparator));
  if (name != last_name_) {
    last_name_ = name;
    last_kind_ = start_.schema().FindNodeKind(name).value_or(builtin::kNode).value();
  }
  return last_kind_;
}

void LinkArrays::Take(const WriteBatch& from) {
  constexpr std::size_t kAhead = 12;  // index lines on their way
  load_.time_ms = from.time_ms();
  const std::size_t edges = from.edge_op_count();
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
    if (is_new && load_.plane == Plane::kIndex) node_kinds_.push_back(KindOfKey(key));
  }
  bool weights = false, kinds = false, labels = false, created = false;
  BatchResolver::ForEachLink(from, [&](const BatchResolver::LinkOp& link) {
    weights |= !std::isnan(link.weight);
    kinds |= link.kind != builtin::kLink || !link.kind_name.empty();
    labels |= !link.label.empty();
    created |= link.created_at != kNoTime;
  });
  LoadBatch batch;
  batch.edges = AlignedArray<NodePair>(edges);
  if (weights) batch.weights = AlignedArray<float>(edges);
  if (kinds) batch.kinds = AlignedArray<KindId>(edges);
  if (labels) batch.labels = AlignedArray<StringId>(edges);
  if (created) batch.created_at = AlignedArray<std::int64_t>(edges);
  std::size_t at = 0;
  LinkKinds kind(start_.schema());
  BatchResolver::ForEachLink(from, [&](const BatchResolver::LinkOp& link) {
    kind.Find(link);
    batch.edges[at] = {IdOf(link.source), IdOf(link.target)};
    if (kind.reversed()) std::swap(batch.edges[at].source, batch.edges[at].target);
    if (weights) batch.weights[at] = link.weight;
    if (kinds) batch.kinds[at] = kind.id();
    if (labels) batch.labels[at] = link.label.empty() ? 0 : load_.strings.Insert(link.label).id;
    if (created) batch.created_at[at] = link.created_at;
    ++at;
  });
  batch.nodes = load_.keys.size();
  load_.batches.push_back(std::move(batch));
}

EdgeLoad LinkArrays::Finish() {
  load_.node_kinds = AlignedArray<KindId>(std::span<const KindId>(node_kinds_));
  return std::move(load_);
}

}  // namespace plexus
