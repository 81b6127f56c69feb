// Edges of one piece; see batch_builder.h.
#include <algorithm>
#include <bit>
#include <utility>

#include "storage/formats/base/field_names.h"
#include "storage/formats/base/text.h"
#include "storage/formats/pipeline/batch_builder.h"
#include "storage/formats/pipeline/dry_run.h"
#include "storage/formats/pipeline/piece_edges.h"

namespace plexus::formats::internal {

Result<BatchBuilder::EdgeEnds> BatchBuilder::Ends(std::string_view source, std::string_view target,
                                                  std::string_view kind_name) {
  EdgeEnds ends;
  ends.turned = std::ranges::find(context_.options->reversed_kinds, kind_name) !=
                context_.options->reversed_kinds.end();
  if (ends.turned) std::swap(source, target);
  kind_name = KindCalled(kind_name);
  ends.kind_name = std::string(kind_name);
  bool self_loops = true;
  if (auto match = schema().FindEdgeKind(kind_name)) {
    const EdgeKind& kind = schema().edge_kind(match->kind);
    ends.stored = match->kind;
    ends.reversed = match->reversed;
    ends.index_plane = kind.plane == Plane::kIndex;
    ends.source_kind = match->reversed ? kind.target_kind : kind.source_kind;
    ends.target_kind = match->reversed ? kind.source_kind : kind.target_kind;
    self_loops = kind.self_loops;
  } else if (kind_name.empty() || kind_name.size() > Limits::kMaxStringBytes) {
    return Invalid("an edge kind's name has 1 to ", Limits::kMaxStringBytes, " bytes");
  } else {
    PLEXUS_TRY(CheckNew<EdgeKind>(kind_name));
  }
  PLEXUS_ASSIGN(ends.source, Name(source, ends.source_kind));
  PLEXUS_ASSIGN(ends.target, Name(target, ends.target_kind));
  if (!self_loops && ends.source.key == ends.target.key)
    return Invalid("an edge of kind ", InQuotes(kind_name), " cannot join ", InQuotes(source),
                   " to itself");
  return ends;
}

// What the graph would do at the first edge of that kind.
Status BatchBuilder::DefineByUse(const EdgeEnds& ends) {
  if (ends.stored != kNoEdgeKind || schema().FindEdgeKind(ends.kind_name)) return {};
  EdgeKind defined;
  defined.name = ends.kind_name;
  return Define(defined);
}

// Which kind a fact has is known to the graph and to the file as a whole only.
void BatchBuilder::NoteWanted(const EdgeEnds& ends) {
  if (!context_.check || ends.stored == kNoEdgeKind) return;
  const auto note = [&](const NodeName& node, NodeKindId wanted, std::string_view which) {
    if (wanted == kNoNodeKind || schema().node_kind(wanted).plane == Plane::kIndex) return;
    piece_.notes.wants_kinds = true;
    if (!context_.check->watches_kinds()) return;
    piece_.notes.wanted.push_back({node.key, schema().node_kind(wanted).name,
                                   "edge " + InQuotes(ends.source.key) + " " + ends.kind_name +
                                       " " + InQuotes(ends.target.key) + ": its " +
                                       std::string(which)});
  };
  note(ends.source, ends.source_kind, "source");
  note(ends.target, ends.target_kind, "target");
}

EdgeKindRef BatchBuilder::KindRef(EdgeKindId stored, bool reversed, std::string_view name) {
  return stored < builtin::kFirstUserEdgeKind && !reversed ? EdgeKindRef(stored)
                                                           : batch().EdgeKindNamed(name);
}

Status BatchBuilder::Link(const EdgeEnds& ends, WriteBatch::EdgeInput edge,
                          std::optional<std::string_view> said) {
  PLEXUS_TRY(CheckValidTimes(edge.valid_from, edge.valid_until));
  PLEXUS_TRY(DefineByUse(ends));
  NoteWanted(ends);
  NoteEnd(ends.source);
  NoteEnd(ends.target);
  piece_.turned += ends.turned;
  piece_.ambiguous += ambiguous_ends_ && !ends.turned && IsAmbiguousKind(ends.kind_name);
  if (context_.applies() && !ends.index_plane) {
    EdgeKindId kind = ends.stored;  // kNoEdgeKind when this record defines it
    if (kind == kNoEdgeKind) kind = schema().FindEdgeKind(ends.kind_name)->kind;
    NoteEdgeValues({ends.source.key, ends.target.key, ends.kind_name, kind, ends.reversed,
                    schema().edge_kind(kind).symmetric},
                   edge, said);
  }
  edge.source = Ref(ends.source);
  edge.target = Ref(ends.target);
  edge.kind = KindRef(ends.stored, ends.reversed, ends.kind_name);
  batch().Link(edge);
  if (!ends.index_plane) ++piece_.fact_edges;
  if (ends.stored == builtin::kHasTag || ends.stored == builtin::kMember)
    linked_[{ends.source.key, ends.stored}].push_back({ends.target.key, std::string(edge.label)});
  return {};
}

Status BatchBuilder::Unlink(const EdgeEnds& ends, std::string_view label) {
  PLEXUS_TRY(DefineByUse(ends));
  const NodeRef source = Ref(ends.source);
  const NodeRef target = Ref(ends.target);
  ForgetSaid();  // what comes is no repetition
  batch().Unlink(source, KindRef(ends.stored, ends.reversed, ends.kind_name), target, label);
  return {};
}

// What a kind's name means for edges that need no look at their ends; null: it may need one.
const BatchBuilder::PlainKind* BatchBuilder::PlainKindOf(std::string_view name) {
  if (const auto at = plain_kinds_.find(name); at != plain_kinds_.end()) return &at->second;
  const auto match = schema().FindEdgeKind(name);
  if (!match) return nullptr;  // its first edge defines it
  const EdgeKind& known = schema().edge_kind(match->kind);
  if (known.plane != Plane::kFact || known.source_kind != kNoNodeKind ||
      known.target_kind != kNoNodeKind)
    return nullptr;
  const PlainKind kind{KindRef(match->kind, match->reversed, name), match->kind, match->reversed,
                       known.symmetric, known.self_loops};
  return &plain_kinds_.emplace(name, kind).first->second;
}

bool BatchBuilder::LinkPlain(const Row& row, const RowValues& values) {
  const PlainKind* const kind = PlainKindOf(values.kind);
  if (!kind || (values.undirected && !kind->symmetric) ||
      (!kind->self_loops && row.tokens[0] == row.tokens[1]) || !values.plain())
    return false;
  const auto stated = [](std::int64_t time) {
    return time == kNoTime ? std::nullopt : std::optional(time);
  };
  WriteBatch::EdgeInput edge;
  edge.label = values.label;
  if (row.weighted) edge.weight = row.weight + 0.0f;  // -0 becomes 0
  edge.created_at = stated(values.created_at);
  edge.valid_from = stated(values.valid_from);
  edge.valid_until = stated(values.valid_until);
  if (context_.applies())
    NoteEdgeValues(
        {row.tokens[0], row.tokens[1], values.kind, kind->stored, kind->reversed, kind->symmetric},
        edge, std::nullopt);
  const auto ref = [&](std::string_view key) {
    if (context_.touched) context_.touched->Mark(key);
    return batch().Node(key);
  };
  edge.source = ref(row.tokens[0]);
  edge.target = ref(row.tokens[1]);
  edge.kind = kind->ref;
  batch().Link(edge);
  ++piece_.fact_edges;
  return true;
}

namespace {

template <class T>
std::uint32_t Digest(const std::optional<T>& value) {
  if (!value) return 0;
  std::uint64_t bits = 0;
  if constexpr (std::is_same_v<T, std::string_view>)
    bits = MixHash(1, *value);
  else if constexpr (std::is_same_v<T, float>)
    bits = std::bit_cast<std::uint32_t>(*value);
  else
    bits = static_cast<std::uint64_t>(*value);
  return static_cast<std::uint32_t>((bits + 1) * kHashPrime >> 32) | 1;
}

}  // namespace

// Records of one piece become one batch, of which the graph sees only the last values.
void BatchBuilder::NoteEdgeValues(const StatedEdge& named, const WriteBatch::EdgeInput& edge,
                                  std::optional<std::string_view> properties) {
  std::string_view first = named.source, second = named.target;
  if (named.reversed || (named.symmetric && first > second)) std::swap(first, second);
  std::uint64_t name = MixHash(MixHash(named.kind.value() + 2, first), second);
  if (!edge.label.empty()) name = MixHash(name, edge.label);
  const StatedAttributes::Earlier earlier =
      said_.Note(name,
                 {Digest(edge.weight), Digest(edge.created_at), Digest(edge.created_by),
                  Digest(edge.valid_from), Digest(edge.valid_until), Digest(properties)},
                 line_);
  piece_.restated += earlier.differs;
  if (earlier.replaces)
    WarnOfRestatedEdge(
        piece_, earlier.line, line_,
        InQuotes(named.source) + " " + std::string(named.kind_name) + " " + InQuotes(named.target));
}

}  // namespace plexus::formats::internal
