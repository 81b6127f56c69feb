// Definitions of kinds, columns and spaces, and the checks at the door.
#include "engine/schema.h"

#include <algorithm>
#include <cstring>

#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus {

namespace {

Status CheckName(std::string_view what, std::string_view name) {
  if (name.empty()) return Invalid(what, " name is empty");
  if (name.size() > Limits::kMaxStringBytes)
    return Invalid(what, " name has ", name.size(), " bytes, the limit is ",
                   Limits::kMaxStringBytes);
  if (!IsValidUtf8(name)) return Invalid(what, " name is not valid UTF-8");
  for (unsigned char c : name)
    if (c < 0x20 || c == 0x7f) return Invalid(what, " name contains a control character");
  return {};
}

template <class T>
std::unexpected<Error> Conflict(std::string_view what, const T& t) {
  return Fail(ErrorCode::kAlreadyExists, std::string(what) + " '" + t.name +
                                             "' is already defined with other traits; a "
                                             "definition cannot change");
}

// An inverse name that its kind got later. A graph may have had a kind of that name before, or
// define one: the name is then that kind's, and the built-in kind has no inverse.
bool GivesWay(const Schema::EdgeKindMatch& match) {
  return match.reversed &&
         (match.kind == builtin::kSupports || match.kind == builtin::kPromotedFrom ||
          match.kind == builtin::kDependsOn || match.kind == builtin::kRefines);
}

// What names the entries of a table that is by rising name.
template <class T>
auto NamesOf(const std::vector<T>& definitions) {
  return [&definitions](auto id) -> std::string_view { return definitions[id].name; };
}
auto NamesOf(const std::vector<EdgeKind>& kinds) {
  return [&kinds](const Schema::EdgeKindMatch& match) -> std::string_view {
    return match.reversed ? kinds[match.kind].inverse : kinds[match.kind].name;
  };
}

template <class Entry, class T>
std::optional<Entry> Find(const std::vector<Entry>& table, const std::vector<T>& definitions,
                          std::string_view name) {
  const auto place = std::ranges::lower_bound(table, name, {}, NamesOf(definitions));
  return place != table.end() && NamesOf(definitions)(*place) == name ? std::optional(*place)
                                                                      : std::nullopt;
}

// In place of the entry of that name, if there is one.
template <class Entry, class T>
void Assign(std::vector<Entry>& table, const std::vector<T>& definitions, std::string_view name,
            Entry entry) {
  const auto place = std::ranges::lower_bound(table, name, {}, NamesOf(definitions));
  if (place != table.end() && NamesOf(definitions)(*place) == name)
    *place = entry;
  else
    table.insert(place, entry);
}

// A new definition under its name.
template <class Id, class T>
Id Put(std::vector<T>& definitions, std::vector<Id>& table, const T& definition) {
  const Id id(definitions.size());
  definitions.push_back(definition);
  Assign(table, definitions, definition.name, id);
  return id;
}

}  // namespace

Schema::Schema() {
  auto nodes = BuiltinNodeKinds();
  auto edges = BuiltinEdgeKinds();
  auto columns = BuiltinColumns();
  node_kinds_.assign(nodes.begin(), nodes.end());
  edge_kinds_.assign(edges.begin(), edges.end());
  columns_.assign(columns.begin(), columns.end());
  for (NodeKindId i{}; i < node_kinds_.size(); ++i)
    if (!node_kinds_[i].name.empty()) Assign(node_kind_ids_, node_kinds_, node_kinds_[i].name, i);
  for (EdgeKindId i{}; i < edge_kinds_.size(); ++i) {
    if (edge_kinds_[i].name.empty()) continue;
    Assign(edge_kind_ids_, edge_kinds_, edge_kinds_[i].name, EdgeKindMatch{i, false});
    if (!edge_kinds_[i].inverse.empty())
      Assign(edge_kind_ids_, edge_kinds_, edge_kinds_[i].inverse, EdgeKindMatch{i, true});
  }
  for (ColumnId i{}; i < columns_.size(); ++i)
    if (!columns_[i].name.empty()) Assign(column_ids_, columns_, columns_[i].name, i);
}

std::optional<NodeKindId> Schema::FindNodeKind(std::string_view name) const {
  return Find(node_kind_ids_, node_kinds_, name);
}
std::optional<ColumnId> Schema::FindColumn(std::string_view name) const {
  return Find(column_ids_, columns_, name);
}
std::optional<ColumnId> Schema::ColumnFor(ColumnId builtin) const {
  const Column& wanted = BuiltinColumns()[builtin];
  const auto found = FindColumn(wanted.name);
  return found && columns_[*found].type == wanted.type ? found : std::nullopt;
}
std::optional<SpaceId> Schema::FindSpace(std::string_view name) const {
  return Find(space_ids_, spaces_, name);
}
std::optional<Schema::EdgeKindMatch> Schema::FindEdgeKind(std::string_view name) const {
  return Find(edge_kind_ids_, edge_kinds_, name);
}

bool Schema::DemandsKind(NodeKindId node_kind) const {
  return std::any_of(edge_kinds_.begin(), edge_kinds_.end(), [&](const EdgeKind& kind) {
    return kind.source_kind == node_kind || kind.target_kind == node_kind;
  });
}

Result<NodeKindId> Schema::Define(const NodeKind& kind) try {
  if (auto old = FindNodeKind(kind.name)) {
    if (node_kinds_[*old] == kind) return *old;
    return Conflict("node kind", kind);
  }
  PLEXUS_TRY(CheckName("node kind", kind.name));
  if (node_kinds_.size() >= Limits::kMaxKinds) return Exhausted("more than 65535 node kinds");
  return Put(node_kinds_, node_kind_ids_, kind);
}
PLEXUS_CATCH_NO_MEMORY

Result<EdgeKindId> Schema::Define(const EdgeKind& kind) try {
  if (const auto old = FindEdgeKind(kind.name); old && !GivesWay(*old)) {
    if (old->reversed)
      return Fail(ErrorCode::kAlreadyExists, "'" + kind.name +
                                                 "' is the inverse name of edge kind '" +
                                                 edge_kinds_[old->kind].name + "'");
    if (edge_kinds_[old->kind] == kind) return old->kind;
    return Conflict("edge kind", kind);
  }
  PLEXUS_TRY(CheckName("edge kind", kind.name));
  if (!kind.inverse.empty()) {
    PLEXUS_TRY(CheckName("inverse of edge kind", kind.inverse));
    if (kind.symmetric)
      return Invalid("symmetric edge kind '", kind.name, "' cannot have an inverse name");
    const auto old = FindEdgeKind(kind.inverse);
    if (kind.inverse == kind.name || (old && !GivesWay(*old)))
      return Fail(ErrorCode::kAlreadyExists, "inverse name '" + kind.inverse + "' of edge kind '" +
                                                 kind.name + "' is already an edge kind");
  }
  for (NodeKindId endpoint : {kind.source_kind, kind.target_kind})
    if (endpoint != kNoNodeKind && endpoint >= node_kinds_.size())
      return Invalid("edge kind '", kind.name, "' requires node kind ", endpoint,
                     ", which is not defined");
  if (kind.symmetric && kind.source_kind != kind.target_kind)
    return Invalid("symmetric edge kind '", kind.name,
                   "' must require the same node kind at both ends");
  if (kind.half_life_ms < 0) return Invalid("edge kind '", kind.name, "' has a negative half-life");
  if (edge_kinds_.size() >= Limits::kMaxKinds) return Exhausted("more than 65535 edge kinds");
  const EdgeKindId id(edge_kinds_.size());
  edge_kinds_.push_back(kind);
  const auto name_it = [&](const std::string& name, bool reversed) {
    const auto old = FindEdgeKind(name);
    Assign(edge_kind_ids_, edge_kinds_, name, EdgeKindMatch{id, reversed});
    if (old) edge_kinds_[old->kind].inverse.clear();
  };
  name_it(kind.name, false);
  if (!kind.inverse.empty()) name_it(kind.inverse, true);
  return id;
}
PLEXUS_CATCH_NO_MEMORY

Result<ColumnId> Schema::Add(const Column& column) {
  PLEXUS_TRY(CheckName("column", column.name));
  if (columns_.size() >= Limits::kMaxColumns) return Exhausted("more than 1024 columns");
  const auto old = FindColumn(column.name);
  const ColumnId id = Put(columns_, column_ids_, column);
  if (old) columns_[*old].name.clear();
  return id;
}

Result<ColumnId> Schema::Define(const Column& column) try {
  if (auto old = FindColumn(column.name)) {
    if (columns_[*old] == column) return *old;
    if (!IsLaterColumn(*old)) return Conflict("column", column);
  }
  return Add(column);
}
PLEXUS_CATCH_NO_MEMORY

Result<ColumnId> Schema::Restore(const Column& column) try {
  const auto old = FindColumn(column.name);
  return old && IsLaterColumn(*old) ? Add(column) : Define(column);
}
PLEXUS_CATCH_NO_MEMORY

std::string_view PrefilterName(Prefilter prefilter) {
  return prefilter == Prefilter::kInt8 ? "int8" : "none";
}
std::optional<Prefilter> FindPrefilter(std::string_view name) {
  for (const Prefilter prefilter : kPrefilters)
    if (name == PrefilterName(prefilter)) return prefilter;
  return std::nullopt;
}

std::string_view VectorElementName(VectorElement element) {
  return element == VectorElement::kF16 ? "f16" : "f32";
}
std::optional<VectorElement> FindVectorElement(std::string_view name) {
  for (const VectorElement element : kVectorElements)
    if (name == VectorElementName(element)) return element;
  return std::nullopt;
}

Result<SpaceId> Schema::Define(const VectorSpace& space) try {
  if (auto old = FindSpace(space.name)) {
    if (spaces_[*old] == space) return *old;
    return Conflict("vector space", space);
  }
  PLEXUS_TRY(CheckName("vector space", space.name));
  if (space.dimensions == 0 || space.dimensions > Limits::kMaxDimensions)
    return Invalid("vector space '", space.name, "' has ", space.dimensions,
                   " dimensions, expected 1 to ", Limits::kMaxDimensions);
  if (spaces_.size() >= Limits::kMaxSpaces) return Exhausted("more than 64 vector spaces");
  return Put(spaces_, space_ids_, space);
}
PLEXUS_CATCH_NO_MEMORY

bool IsValidUtf8(std::string_view s) {
  const auto* p = reinterpret_cast<const unsigned char*>(s.data());
  const auto* end = p + s.size();
  while (p < end) {
    if (end - p >= 8) {  // eight ASCII bytes at a time
      std::uint64_t word;
      std::memcpy(&word, p, 8);
      if (!(word & 0x8080808080808080ull)) {
        p += 8;
        continue;
      }
    }
    unsigned char c = *p;
    if (c < 0x80) {
      ++p;
      continue;
    }
    int extra = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
    if (c < 0xC2 || c > 0xF4 || end - p <= extra) return false;
    for (int i = 1; i <= extra; ++i)
      if ((p[i] & 0xC0) != 0x80) return false;
    if (c == 0xE0 && p[1] < 0xA0) return false;  // overlong
    if (c == 0xED && p[1] > 0x9F) return false;  // surrogate
    if (c == 0xF0 && p[1] < 0x90) return false;  // overlong
    if (c == 0xF4 && p[1] > 0x8F) return false;  // above U+10FFFF
    p += extra + 1;
  }
  return true;
}

Status CheckKey(std::string_view key, bool index) try {
  auto bad = [&](const std::string& why) { return Invalid("node key ", why); };
  if (key.empty()) return bad("is empty");
  if (key.size() > Limits::kMaxKeyBytes)
    return bad("has " + std::to_string(key.size()) + " bytes, the limit is " +
               std::to_string(Limits::kMaxKeyBytes));
  if (std::memchr(key.data(), 0, key.size())) return bad("contains a NUL byte");
  if (!IsValidUtf8(key)) return bad("is not valid UTF-8");
  std::size_t separator = key.find(kIndexSeparator);
  if (!index && separator != std::string_view::npos)
    return bad("contains U+001F, which is reserved for index nodes");
  if (index &&
      (separator == std::string_view::npos || separator == 0 || separator + 1 == key.size() ||
       key.find(kIndexSeparator, separator + 1) != std::string_view::npos))
    return bad("of an index node must be its kind, U+001F, its name");
  return {};
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
