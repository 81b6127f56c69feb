// Foreseeing what the graph would refuse; see dry_run.h.
#include "storage/formats/pipeline/dry_run.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "engine/vocabulary.h"

namespace plexus::formats::internal {

namespace {

// Whether an edge kind wants a fact of some kind at an end.
bool DemandsFacts(const Schema& schema) {
  const auto fact = [&](NodeKindId kind) {
    return kind != kNoNodeKind && schema.node_kind(kind).plane == Plane::kFact;
  };
  return std::any_of(
      schema.edge_kinds().begin(), schema.edge_kinds().end(),
      [&](const EdgeKind& kind) { return fact(kind.source_kind) || fact(kind.target_kind); });
}

}  // namespace

void ImportCheck::Begin(Snapshot now) {
  now_ = std::move(now);
  SetSchema(now_.tables().schema);
  watches_kinds_ = kinds_wanted_ = kinds_stated_ = second_pass_ = false;
  kinds_.clear();
}

Status ImportCheck::Define(const EdgeKind& kind) {
  auto next = std::make_shared<Schema>(*schema());
  PLEXUS_TRY(next->Define(kind));
  SetSchema(std::move(next));
  return {};
}

Status ImportCheck::Take(const Piece& piece) {
  kinds_wanted_ |= piece.notes.wants_kinds;
  kinds_stated_ |= piece.notes.states_kinds;
  if (watches_kinds_) {
    piece_kinds_.clear();
    for (const auto& [node, kind] : piece.notes.kinds) piece_kinds_[node] = kind;
    PLEXUS_TRY(CheckWanted(piece));
    PLEXUS_TRY(CheckRetyped(piece));
    // The piece is good: from here on it counts.
    if (ReleasesKind(piece))
      for (const std::string& node : piece.notes.removed)
        kinds_[node] = {.kind = KindOf(node), .freed = true};
    for (const PieceNotes::WantedKind& wanted : piece.notes.wanted) {
      kinds_[wanted.node].kind = wanted.kind;
      kinds_[wanted.node].held = true;
    }
  }
  for (const auto& [node, kind] : piece.notes.kinds) kinds_[node].kind = kind;
  if (piece.schema_after) SetSchema(piece.schema_after);
  return {};
}

bool ImportCheck::NeedsSecondPass() {
  if (second_pass_) return false;
  kinds_wanted_ |= kinds_stated_ && DemandsFacts(*schema());
  if (!kinds_wanted_) return false;
  second_pass_ = watches_kinds_ = true;
  SetSchema(now_.tables().schema);
  kinds_.clear();
  return true;
}

// All node operations of a batch come before its edges.
Status ImportCheck::CheckWanted(const Piece& piece) {
  for (const PieceNotes::WantedKind& wanted : piece.notes.wanted) {
    const std::string kind = KindOf(wanted.node);
    if (kind != wanted.kind)
      return Invalid(wanted.edge, " must be of kind '", wanted.kind, "', not '", kind, "'");
  }
  return {};
}

std::string ImportCheck::KindOf(const std::string& node) const {
  if (const auto separator = node.find(kIndexSeparator); separator != std::string::npos)
    return node.substr(0, separator);
  if (const auto at = piece_kinds_.find(node); at != piece_kinds_.end()) return at->second;
  if (const auto at = kinds_.find(node); at != kinds_.end()) return at->second.kind;
  return KindInGraph(node);
}

const std::string& ImportCheck::KindInGraph(const std::string& node) const {
  const auto id = now_.Find(node);
  return now_.schema().node_kind(id ? now_.node_kind(*id) : builtin::kNode).name;
}

Status ImportCheck::CheckRetyped(const Piece& piece) const {
  const bool frees = ReleasesKind(piece);
  const std::unordered_set<std::string_view> removed(piece.notes.removed.begin(),
                                                     piece.notes.removed.end());
  std::unordered_set<std::string_view> judged;  // a row is read once a piece
  for (const auto& [node, stated] : piece.notes.kinds) {
    if (!judged.insert(node).second) continue;
    const std::string& kind =
        piece_kinds_.at(node);  // the last one stated is what the batch makes of it
    const auto at = kinds_.find(node);
    const bool seen = at != kinds_.end();
    const std::string& before = seen ? at->second.kind : KindInGraph(node);
    if (kind == before || (frees && removed.contains(node))) continue;
    if (!(seen && at->second.held) && ((seen && at->second.freed) || !HeldByGraph(node, before)))
      continue;
    return Invalid("node '", DisplayName(node), "' cannot become of kind '", kind,
                   "': an edge wants it to be of kind '", before, "'");
  }
  return {};
}

// Whether an edge of the graph, as it was before the files, wants the node to be of that kind.
bool ImportCheck::HeldByGraph(const std::string& node, const std::string& kind) const {
  const auto id = now_.Find(node);
  if (!id) return false;
  const Schema& schema = now_.schema();
  const NodeKindId held_to = now_.node_kind(*id);
  if (schema.node_kind(held_to).name != kind || !schema.DemandsKind(held_to)) return false;
  bool held = false;
  for (const Direction direction : {Direction::kOut, Direction::kIn})
    now_.ForEachArc(direction, *id, ArcFilter::All(), [&](const Arc& arc) {
      const EdgeKind& traits = schema.edge_kind(arc.kind);
      held |= (direction == Direction::kOut ? traits.source_kind : traits.target_kind) == held_to;
      return !held;
    });
  return held;
}

// Whether removing a node leaves no edge that wants it to be of some kind.
bool ImportCheck::ReleasesKind(const Piece& piece) const {
  const auto schema = piece.schema_after ? piece.schema_after : this->schema();
  return std::none_of(schema->edge_kinds().begin(), schema->edge_kinds().end(),
                      [](const EdgeKind& kind) {
                        return kind.survives_removal && kind.target_kind != kNoNodeKind;
                      });
}

void StubCheck::Take(const std::string& file, const std::vector<std::uint64_t>* lines,
                     const Piece& piece, const Snapshot& graph) {
  if (files_.empty() || files_.back() != file) files_.push_back(file);
  for (const std::string& node : piece.notes.stated) {
    stated_.insert(node);
    missing_.erase(node);
  }
  for (const PieceNotes::End& end : piece.notes.ends) {
    if (stated_.contains(end.node)) continue;
    if (const auto node = graph.Find(end.node); node && graph.alive(*node)) continue;
    const bool mapped = lines && !lines->empty();
    missing_.try_emplace(end.node,
                         Place{files_.size() - 1, mapped ? (*lines)[end.line - 1] : end.line});
  }
}

std::vector<ImportError> StubCheck::Missing() const {
  std::vector<std::pair<Place, const std::string*>> all;
  all.reserve(missing_.size());
  for (const auto& [node, place] : missing_) all.emplace_back(place, &node);
  std::ranges::sort(all, [](const auto& a, const auto& b) {
    return std::tie(a.first.file, a.first.line, *a.second) <
           std::tie(b.first.file, b.first.line, *b.second);
  });
  std::vector<ImportError> errors;
  for (std::size_t i = 0; i < all.size();) {
    const Place place = all[i].first;
    std::string nodes;
    for (; i < all.size() &&
           std::tie(all[i].first.file, all[i].first.line) == std::tie(place.file, place.line);
         ++i)
      if (nodes.size() < 200)
        nodes += (nodes.empty() ? "'" : ", '") + all[i].second->substr(0, 80) + "'";
    errors.push_back({files_[place.file], place.line,
                      nodes + ": named here, but no record states it and the graph has none"});
  }
  return errors;
}

std::uint64_t CountStubs(const Snapshot& before, const Snapshot& after) {
  std::uint64_t stubs = 0;
  for (NodeId node{before.node_count()}; node < after.node_count(); ++node)
    stubs += after.alive(node) && after.is_fact(node) && after.node_kind(node) == builtin::kNode &&
             !after.i64(builtin::kCreatedAt, node) && !after.payload_ref(node, NodeField::kText) &&
             !after.payload_ref(node, NodeField::kProperties);
  return stubs;
}

}  // namespace plexus::formats::internal
