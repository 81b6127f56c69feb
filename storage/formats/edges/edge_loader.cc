// Pairs of numbers and names from lines, ids for them; see edge_loader.h.
#include "storage/formats/edges/edge_loader.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>
#include <utility>

#include "engine/bulk/stored_batch.h"
#include "engine/vocabulary.h"
#include "storage/formats/edges/edge_list.h"
#include "storage/formats/import.h"
#include "storage/formats/pipeline/piece_edges.h"
#include "storage/formats/pipeline/scratch_file.h"

namespace plexus::formats::internal {

namespace {

// What Graph::Load takes on top of the graph and the arrays, an arc: bare, with a weight or kind,
// with labels or times.
constexpr std::uint64_t kBytesPerArc[] = {8, 16, 48};
constexpr std::uint32_t kFewNumbers = 1 << 16;

}  // namespace

std::size_t EdgeLoadParser::Parse(std::string_view text, std::uint64_t first_line,
                                  const ParseContext& context, Piece& piece) const {
  PieceEdgesWriter edges(piece, std::min(context.max_ops, text.size() / 4 + 1),  // "1 2\n"
                         numbers_);
  const std::size_t used = ReadEdgeLines(
      text, first_line, context, piece, context.max_ops, [](const Row&) {},
      [&](std::span<const Row> rows) {
        for (const Row& row : rows) edges.Add(row);
      });
  edges.Finish();
  return used;
}

EdgeCollector::EdgeCollector(const ImportOptions& options, std::uint64_t text_bytes,
                             const Snapshot& before)
    : touched_(before), schema_(before.schema()) {
  load_.keys = StringTable(before.state().keys);
  load_.strings = StringTable(before.state().strings);
  folder_ = options.scratch_folder.empty() ? TemporaryFolder() : options.scratch_folder;
  LoadMemory memory = MakeLoadMemory(options.limits.load_bytes, folder_);
  load_.memory = memory.bytes;
  load_.scratch = std::move(memory.scratch);
  numbers_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      std::min(text_bytes / 8, load_.memory / 16), kFewNumbers, PieceEdges::kNamed - 1));
  load_.time_ms = options.now_ms;
}

NodeId EdgeCollector::Insert(std::string_view key, std::uint64_t hash) {
  const auto [id, is_new] = load_.keys.Insert(key, hash);
  if (!is_new) touched_.Mark(id);
  return id;
}

NodeId EdgeCollector::IdOfNumber(std::uint32_t number) {
  NodeId& id = of_number_[number];
  if (id != kNoNode) return id;
  char text[16];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  const std::string_view key(text, static_cast<std::size_t>(end - text));
  return id = Insert(key, StringTable::Hash(key));
}

NodeId EdgeCollector::IdOfName(const PieceEdges::Name& name) {
  if (name.text.size() > ShortKeys::kMostBytes) return Insert(name.text, name.hash);
  NodeId& id = short_keys_.Find(name.text, name.hash);
  if (id == kNoNode) id = Insert(name.text, name.hash);
  return id;
}

void EdgeCollector::Prefetch(const PieceEdges::Name& name) const {
  if (name.text.size() > ShortKeys::kMostBytes)
    load_.keys.Prefetch(name.hash);
  else
    short_keys_.Prefetch(name.hash);
}

Status EdgeCollector::TakeKinds(PieceEdges& edges) {
  if (edges.reversed)
    for (std::size_t i = 0; i < edges.batch.kinds.size(); ++i) {
      KindId& kind = edges.batch.kinds[i];
      if (!(kind & PieceEdges::kReversed)) continue;
      kind &= static_cast<KindId>(~PieceEdges::kReversed);
      std::swap(edges.batch.edges[i].source, edges.batch.edges[i].target);
    }
  if (edges.kinds.empty()) return {};
  constexpr KindId kFirst = builtin::kFirstUserEdgeKind.value();
  std::vector<KindId> ids;
  for (const std::string_view name : edges.kinds) {
    auto match = schema_.FindEdgeKind(name);
    if (!match) {
      EdgeKind kind;
      kind.name = name;
      const auto id = schema_.Define(kind);
      if (!id) return Exhausted("more than plain edges");
      load_.edge_kind_definitions.push_back(std::move(kind));
      match = Schema::EdgeKindMatch{*id, false};
    }
    const EdgeKind& known = schema_.edge_kind(match->kind);
    if (match->reversed || known.plane != Plane::kFact || known.symmetric || !known.self_loops ||
        known.source_kind != kNoNodeKind || known.target_kind != kNoNodeKind)
      return Exhausted("more than plain edges");
    ids.push_back(match->kind.value());
  }
  for (KindId& kind : edges.batch.kinds)
    if (kind >= kFirst) kind = ids[kind - kFirst];
  return {};
}

void EdgeCollector::TakeLabels(PieceEdges& edges) {
  if (edges.labels.empty()) return;
  std::vector<StringId> ids;
  for (const PieceEdges::Name& label : edges.labels)
    ids.push_back(load_.strings.Insert(label.text, label.hash).id);
  for (StringId& label : edges.batch.labels)
    if (label != 0) label = ids[label - 1];
}

// With what was taken before.
Status EdgeCollector::CheckLimits(const LoadBatch& batch) {
  edges_ += batch.edges.size();
  arcs_ += batch.edges.size();
  for (const KindId code : batch.kinds) {
    const KindId kind = code & static_cast<KindId>(~PieceEdges::kReversed);
    // New kinds lead one way.
    arcs_ +=
        kind < builtin::kFirstUserEdgeKind.value() && schema_.edge_kind(EdgeKindId(kind)).symmetric;
  }
  if (!batch.weights.empty() || !batch.kinds.empty()) values_ = std::max(values_, 1);
  if (!batch.labels.empty() || !batch.created_at.empty() || !batch.valid_from.empty() ||
      !batch.valid_until.empty())
    values_ = 2;
  bytes_ += ColumnBytes(batch);
  static_assert(kMaxLoadBatches == 16384);
  if (arcs_ > Limits::kMaxArcs)
    too_large_ = "edges than a graph holds";
  else if (load_.batches.size() == kMaxLoadBatches)
    too_large_ =
        "than 16384 batches, as many as can be loaded at once (ImportOptions::batch_ops, "
        "block_bytes)";
  if (too_large_.empty()) return {};
  return Exhausted("too many edges to load at once");
}

Status EdgeCollector::StoreWhatPasses() {
  if (!stores_ && bytes_ + arcs_ * kBytesPerArc[values_] <= load_.memory) return {};
  if (stores_) return StoreBatch(load_.batches.back(), *load_.scratch);
  stores_ = true;
  for (LoadBatch& batch : load_.batches) PLEXUS_TRY(StoreBatch(batch, *load_.scratch));
  return {};
}

Status EdgeCollector::Take(Piece& piece) {
  PieceEdges& edges = *piece.edges;
  if (!edges.plain) return Exhausted("more than plain edges");
  AlignedArray<NodePair>& pairs = edges.batch.edges;
  if (pairs.empty()) return {};
  PLEXUS_TRY(CheckLimits(edges.batch));
  if (edges.largest >= of_number_.size())
    of_number_.resize(
        std::min<std::size_t>(numbers_, std::bit_ceil(edges.largest + std::size_t{1})), kNoNode);
  constexpr std::size_t kAhead = 12;  // index lines on their way
  const auto& names = edges.names;
  of_name_.assign(names.size(), kNoNode);
  short_keys_.Reserve(load_.keys.size() + names.size() / 2);
  for (std::size_t i = 0; i < std::min(kAhead, names.size()); ++i) Prefetch(names[i]);
  auto id = [&](std::uint32_t code) {
    if (!(code & PieceEdges::kNamed)) return IdOfNumber(code);
    const std::uint32_t name = code & ~PieceEdges::kNamed;
    if (of_name_[name] == kNoNode) {
      if (name + kAhead < names.size()) Prefetch(names[name + kAhead]);
      of_name_[name] = IdOfName(names[name]);
    }
    return of_name_[name];
  };
  for (NodePair& pair : pairs) {
    const NodeId source = id(pair.source);  // it may be named first here
    pair = {source, id(pair.target)};
  }
  PLEXUS_TRY(TakeKinds(edges));
  TakeLabels(edges);
  edges.batch.nodes = load_.keys.size();
  load_.batches.push_back(std::move(edges.batch));
  origins_.push_back({file_, piece.first_line});
  return StoreWhatPasses();
}

EdgeLoad EdgeCollector::Finish() {
  short_keys_ = {};
  of_number_ = {};
  of_name_ = {};
  return std::move(load_);
}

std::string EdgeCollector::WhyInBatches(const Result<ApplyReport>& loaded) const {
  if (!too_large_.empty()) return "have more " + std::string(too_large_);
  if (!loaded && loaded.error().code == ErrorCode::kResourceExhausted)
    return "cannot be loaded at once (" + loaded.error().message + ")";
  return "";
}

}  // namespace plexus::formats::internal
