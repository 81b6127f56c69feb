// Schema: the named kinds, columns and vector spaces of one graph.
//
// Kinds carry traits that Apply enforces and kernels read; a kind's traits are
// frozen once it is defined, a second definition must agree. A Schema is
// immutable once shared; a change publishes a new one. Built-in kinds
// (vocabulary.h) have the same ids in every graph; user kinds follow.
//
// Complexity: O(1) by id, O(log) by name, DemandsKind O(edge kinds); a new definition moves two
// bytes
//   for each name behind its own. Threads: any number read one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/types.h"

namespace plexus {

inline std::string_view PlaneName(Plane plane) { return plane == Plane::kFact ? "fact" : "index"; }

// A node kind, e.g. memory (fact) or tag (index).
struct NodeKind {
  std::string name;
  Plane plane = Plane::kFact;
  bool operator==(const NodeKind&) const = default;
};

// An edge kind and its traits.
struct EdgeKind {
  std::string name;
  std::string inverse;  // input under this name is stored reversed; "" = none
  Plane plane = Plane::kFact;
  bool symmetric = false;                // one edge, the smaller id is the source
  bool suppresses = false;               // an active edge hides its target (supersedes)
  bool blocking = false;                 // source keeps target from being resolved (blocks)
  bool acyclic = false;                  // audited by verify and topo, not by Apply
  bool self_loops = true;                // Apply rejects self-loops when false
  bool survives_removal = false;         // kept when its target is removed (event members)
  NodeKindId source_kind = kNoNodeKind;  // required of an endpoint, kNoNodeKind = any
  NodeKindId target_kind = kNoNodeKind;
  std::int64_t half_life_ms = 0;  // weight decay over age, 0 = none
  bool operator==(const EdgeKind&) const = default;
};

enum class ColumnType : std::uint8_t { kF64 = 0, kI64 = 1, kString = 2 };  // kString: StringId

// Bits of absent column values (Snapshot::column_bits). NaN and INT64_MIN are refused as input.
inline constexpr std::uint64_t kAbsentF64 = 0x7FF8'0000'0000'0001ull;
inline constexpr std::uint64_t kAbsentI64 = 0x8000'0000'0000'0000ull;
inline constexpr std::uint64_t kAbsentString = ~std::uint64_t{0};
constexpr std::uint64_t AbsentBits(ColumnType type) {
  return type == ColumnType::kF64   ? kAbsentF64
         : type == ColumnType::kI64 ? kAbsentI64
                                    : kAbsentString;
}

struct Column {
  std::string name;
  ColumnType type = ColumnType::kF64;
  bool operator==(const Column&) const = default;
};

enum class Metric : std::uint8_t { kCosine = 0, kInnerProduct = 1, kL2 = 2 };

// A small copy of a space's rows that questions read before the rows (vectors.h).
enum class Prefilter : std::uint8_t {
  kNone = 0,
  kInt8 = 1,  // 8 bits a value, with a proven bound of what that loses: the same answers
};
inline constexpr Prefilter kPrefilters[] = {Prefilter::kNone, Prefilter::kInt8};
std::string_view PrefilterName(Prefilter prefilter);  // "none", "int8"
std::optional<Prefilter> FindPrefilter(std::string_view name);

// What a vector's values are kept as. kF16 (IEEE binary16) takes half of the memory and of the
// disk: values are rounded to the nearest half, ties to even, when a batch is applied, and every
// answer is then the one that an f32 space of the rounded values has. 65520 and more is refused.
enum class VectorElement : std::uint8_t { kF32 = 0, kF16 = 1 };
inline constexpr VectorElement kVectorElements[] = {VectorElement::kF32, VectorElement::kF16};
std::string_view VectorElementName(VectorElement element);  // "f32", "f16"
std::optional<VectorElement> FindVectorElement(std::string_view name);

struct VectorSpace {
  std::string name;
  std::uint32_t dimensions = 0;
  Metric metric = Metric::kCosine;
  Prefilter prefilter = Prefilter::kNone;  // of questions that name none
  VectorElement element = VectorElement::kF32;
  bool operator==(const VectorSpace&) const = default;
};

class Schema {
 public:
  // The built-in kinds and columns of vocabulary.h.
  Schema();

  const std::vector<NodeKind>& node_kinds() const { return node_kinds_; }
  const std::vector<EdgeKind>& edge_kinds() const { return edge_kinds_; }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<VectorSpace>& spaces() const { return spaces_; }

  // REQUIRES a kind of this schema (checked).
  const NodeKind& node_kind(NodeKindId id) const {
    PLEXUS_CHECK(id < node_kinds_.size(), "a node kind is one of the schema's");
    return node_kinds_[id];
  }
  const EdgeKind& edge_kind(EdgeKindId id) const {
    PLEXUS_CHECK(id < edge_kinds_.size(), "an edge kind is one of the schema's");
    return edge_kinds_[id];
  }

  std::optional<NodeKindId> FindNodeKind(std::string_view name) const;
  std::optional<ColumnId> FindColumn(std::string_view name) const;
  // The column that represents a built-in one: itself, or one of the graph's own that had its name
  // before it was built in. nullopt: that one has another type.
  std::optional<ColumnId> ColumnFor(ColumnId builtin) const;
  std::optional<SpaceId> FindSpace(std::string_view name) const;
  // Finds by name or by inverse name; `reversed` says which.
  struct EdgeKindMatch {
    EdgeKindId kind;
    bool reversed;
  };
  std::optional<EdgeKindMatch> FindEdgeKind(std::string_view name) const;
  // Whether some edge kind wants an end to be of that node kind.
  bool DemandsKind(NodeKindId node_kind) const;

  // Computes: the definition's id, a new one unless the name is there with equal traits.
  // Errors: kAlreadyExists: it has other traits. kInvalidArgument: a bad name (empty, over Limits,
  //   not UTF-8, control characters) or trait. kResourceExhausted: too many, or no memory.
  Result<NodeKindId> Define(const NodeKind& kind);
  Result<EdgeKindId> Define(const EdgeKind& kind);
  // A column of the name of one that was built in later, with another type, takes its name; the
  // caller sees to it that no node has a value there.
  Result<ColumnId> Define(const Column& column);
  Result<SpaceId> Define(const VectorSpace& space);
  // As Define, of what a log or a checkpoint says: a column that the graph had before one of its
  // name was built in keeps its id and the name.
  Result<ColumnId> Restore(const Column& column);
  template <class T>
  auto Restore(const T& definition) {  // of all others: as Define
    return Define(definition);
  }

 private:
  Result<ColumnId> Add(const Column& column);

  std::vector<NodeKind> node_kinds_;
  std::vector<EdgeKind> edge_kinds_;
  std::vector<Column> columns_;
  std::vector<VectorSpace> spaces_;
  // By rising name; of edge kinds their inverse names, too.
  std::vector<NodeKindId> node_kind_ids_;
  std::vector<EdgeKindMatch> edge_kind_ids_;
  std::vector<ColumnId> column_ids_;
  std::vector<SpaceId> space_ids_;
};

// Valid UTF-8, 1..Limits::kMaxKeyBytes bytes, no NUL; U+001F only as the one
// separator of an index key when `index` is set. O(bytes). Errors: kInvalidArgument.
Status CheckKey(std::string_view key, bool index);
bool IsValidUtf8(std::string_view bytes);

}  // namespace plexus
