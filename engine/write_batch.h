// WriteBatch: changes to be applied together, in the user's terms.
//
// Nodes are named by key (or id), kinds, columns and spaces by name (or built-in
// id). Operations take effect in order. An absent attribute keeps the stored
// value; `Clear...` removes it; a new node or edge takes the batch's time as
// created_at. Nothing is checked against the graph until Graph::Apply, which
// applies all of it or nothing. Expectations make it conditional: they must hold
// of the graph as it is before the batch. References that a batch makes are its own
// (batch_refs.h): with another's, one kept over Clear() or one never set, Apply fails and says
// which operation.
//
// Complexity: O(1) an operation and O(bytes) of what it copies; names O(log), a new one moves two
//   bytes for each name behind its own. Memory: the operations.
// Errors: none here, Apply has them; std::bad_alloc is thrown.
// Threads: not thread-safe; fill several in parallel and join them with `Append`.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/batch_refs.h"
#include "engine/error.h"
#include "engine/record.h"
#include "engine/schema.h"
#include "engine/types.h"

namespace plexus {

class Snapshot;

class WriteBatch {
 public:
  // Without a time: Apply's, GraphOptions::now_ms where that is given, else the graph's last.
  explicit WriteBatch(std::int64_t time_ms = kNoTime) : time_ms_(time_ms) {}

  // --- definitions. Names used without one get default traits (fact plane,
  // directed, self-loops allowed); columns and spaces must be defined.
  void DefineNodeKind(NodeKind kind) { node_kinds_.push_back(std::move(kind)); }
  void DefineEdgeKind(EdgeKind kind) { edge_kinds_.push_back(std::move(kind)); }
  void DefineColumn(Column column) { columns_.push_back(std::move(column)); }
  void DefineSpace(VectorSpace space) { spaces_.push_back(std::move(space)); }

  // --- names used in this batch; one name has one reference.
  NodeKindRef NodeKindNamed(std::string_view name);
  EdgeKindRef EdgeKindNamed(std::string_view name);
  ColumnRef ColumnNamed(std::string_view name);
  SpaceRef SpaceNamed(std::string_view name);

  // --- nodes
  // Names a node as an endpoint; it is created with kind kNode when new.
  NodeRef Node(std::string_view key);
  // Names a node and states that it exists: creates or revives it, and sets its kind when one is
  // given. A revived fact is as a new one: of kind kNode unless one is given.
  NodeRef UpsertNode(std::string_view key, std::optional<NodeKindRef> kind = std::nullopt);
  void UpsertNode(NodeRef node, std::optional<NodeKindRef> kind = std::nullopt);
  // An index node, e.g. IndexNode(builtin::kTag, "rust").
  NodeRef IndexNode(NodeKindId kind, std::string_view name);
  void RemoveNode(NodeRef node);
  void PurgeNode(NodeRef node);
  // Forgets the key of a removed node that has no edge: the id stays and is never used again, the
  // key is the empty one, its memory goes at the next compaction, and a node of the same key is a
  // new one with another id. Nothing happens to other nodes, as they are after the whole batch. For
  // keys that are never reused: reusing a forgotten key takes a new id each time.
  void ForgetKey(NodeRef node);

  void SetF64(NodeRef node, ColumnRef column, double value);
  void SetI64(NodeRef node, ColumnRef column, std::int64_t value);
  void SetString(NodeRef node, ColumnRef column, std::string_view value);
  void ClearColumn(NodeRef node, ColumnRef column);
  // Adds to the value that the operations before this one leave; absent counts as 0. Creates or
  // revives the node as SetF64 does. The sum is what is stored and logged, so additions of many
  // writers add up. A sum that is not finite, or out of range, fails the whole batch.
  void AddF64(NodeRef node, ColumnRef column, double delta);
  void AddI64(NodeRef node, ColumnRef column, std::int64_t delta);
  void SetPayload(NodeRef node, NodeField field, std::string_view bytes);
  void ClearPayload(NodeRef node, NodeField field);
  void SetVector(NodeRef node, SpaceRef space, std::span<const float> values);
  void ClearVector(NodeRef node, SpaceRef space);

  // --- edges. Link does not bring back an end that was removed or purged: Apply refuses it and
  // names the node, unless an operation before it, such as UpsertNode, revives it, or
  // set_links_revive(true) was said of the batch. Index nodes, as tags and terms, come back by
  // being linked. A kind that survives removal may lead to a removed node, which stays removed.
  struct EdgeInput {
    NodeRef source = {}, target = {};                 // must be set
    EdgeKindRef kind = {};                            // must be set
    std::string_view label = {};                      // "" unless parallel edges are meant
    std::optional<float> weight = {};                 // absent: keep, or 1 when new
    std::optional<std::int64_t> created_at = {};      // absent: keep, or the batch's time
    std::optional<std::string_view> created_by = {};  // "" clears
    std::optional<std::int64_t> valid_from = {};      // kNoTime clears
    std::optional<std::int64_t> valid_until = {};     // kNoTime clears
    std::optional<std::string_view> properties = {};  // FlexBuffers map; "" clears
  };
  void Link(const EdgeInput& edge);
  void Link(NodeRef source, EdgeKindRef kind, NodeRef target,
            std::optional<float> weight = std::nullopt);
  void Unlink(NodeRef source, EdgeKindRef kind, NodeRef target, std::string_view label = {});

  // --- expectations, of the graph as it is before the first operation of this batch. Apply checks
  // all of them where it orders writers: no other batch comes between. If one does not hold, the
  // batch fails whole with kConflict, which names the first such expectation, the node's key and
  // both values. They are no part of what is logged, and create no node. A node that was removed
  // or purged does not exist and has no values. Cost: one look-up each.
  void ExpectSequence(Sequence sequence);  // nothing was applied since: Snapshot::sequence()
  void ExpectNode(NodeRef node);
  NodeRef ExpectNode(std::string_view key);
  void ExpectNoNode(NodeRef node);
  NodeRef ExpectNoNode(std::string_view key);
  void ExpectKind(NodeRef node, NodeKindId kind);  // it exists, and is of that kind
  // The column's value, nullopt: none. Numbers are compared as numbers, so -0.0 is 0.0.
  void ExpectF64(NodeRef node, ColumnRef column, std::optional<double> value);
  void ExpectI64(NodeRef node, ColumnRef column, std::optional<std::int64_t> value);
  void ExpectString(NodeRef node, ColumnRef column, std::optional<std::string_view> value);
  void ExpectEdge(NodeRef source, EdgeKindRef kind, NodeRef target, std::string_view label = {});
  void ExpectNoEdge(NodeRef source, EdgeKindRef kind, NodeRef target, std::string_view label = {});
  // The edge is there and has this weight.
  void ExpectWeight(NodeRef source, EdgeKindRef kind, NodeRef target, float weight,
                    std::string_view label = {});
  // The text or the properties, by Snapshot::payload_ref; none: there are none.
  void ExpectPayload(NodeRef node, NodeField field, PayloadRef ref);
  // The edges of that kind from `source`, and all they have but created_at, are those that `node`
  // has in `snapshot`; kNoNode: there are none. O(those edges), here and in Apply.
  void ExpectEdges(NodeRef source, EdgeKindId kind, const Snapshot& snapshot, NodeId node);
  // The batch expects nothing any more.
  void ClearExpectations() { expectations_.clear(); }

  // --- reading back the batch, for indexes derived from texts (algorithms/retrieval/terms.h)
  enum class TextChange : std::uint8_t { kSet, kClear, kRemoveNode };  // the last: purged, too
  // fn(node, change, text, edge operations before) of every operation that sets or clears a node's
  // text or removes it with its text, in order. The text is valid until the batch changes.
  template <class Fn>
  void ForEachTextChange(Fn&& fn) const;
  // fn(source, kind, target, weight, label) of edge operations from number `first` on, in order;
  // weight: NaN when it stays as it is, absent when the edge is unlinked.
  template <class Fn>
  void ForEachEdge(std::size_t first, Fn&& fn) const;
  std::size_t edge_op_count() const { return edges_.size(); }
  // The node that the batch named as its index-th, from 0; see ApplyReport::ids. REQUIRES it did.
  NodeRef named_node(std::uint32_t index) const { return NodeRef(refs_.some(), index); }
  // REQUIRES node.local(), of this batch (checked).
  std::string_view key(NodeRef node) const {
    PLEXUS_CHECK(node.local() && Owns(node), "a NodeRef belongs to its batch");
    return View(nodes_[node.index()].key);
  }
  // REQUIRES kind.local(), of this batch (checked).
  std::string_view edge_kind_name(EdgeKindRef kind) const {
    PLEXUS_CHECK(kind.local() && Owns(kind) && kind.index() < edge_kind_names_.size(),
                 "an EdgeKindRef belongs to its batch");
    return edge_kind_names_[kind.index()];
  }

  // --- the whole
  std::int64_t time_ms() const { return time_ms_; }  // kNoTime: none was given
  void set_time_ms(std::int64_t time_ms) { time_ms_ = time_ms; }
  // Whether links bring back removed ends, empty, as a file of edges that is imported means it.
  void set_links_revive(bool revive) { links_revive_ = revive; }
  std::size_t op_count() const { return ops_.size() + edges_.size() + expectations_.size(); }
  bool empty() const;
  // kInvalidArgument when an operation was given a reference of another batch, one made before
  // Clear(), or one that was never set; names the first such operation by its number, from 1. Apply
  // asks it before all else.
  Status CheckRefs() const;
  // kInvalidArgument when a number or time is one that Apply refuses whatever the graph holds, as a
  // trust outside of 0 to 1. Each operation counts by itself, also where a later one replaces it.
  // What `now`, the graph, stores already is taken. O(operations). REQUIRES ids are the graph's.
  Status CheckValues(const Snapshot& now) const;
  // Keeps the memory, the time and links_revive for the next batch; references made so far end.
  void Clear();
  void ReserveEdges(std::size_t edges) { edges_.reserve(edges); }
  // Appends `other`'s operations after this batch's own, and its expectations, which hold of the
  // graph before the first of them all. A reference of `other` is none of this batch.
  // REQUIRES &other != this.
  void Append(const WriteBatch& other);

 private:
  friend class BatchResolver;
  // A kind, column or space, as operations hold it.
  struct Name {
    std::uint16_t id;     // or the number of the name
    std::uint16_t local;  // 1: named in this batch
  };
  struct Bytes {
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
  };
  struct LocalNode {
    Bytes key;
    std::uint64_t hash = 0;  // StringTable::Hash, computed where the batch is filled
  };
  enum class OpCode : std::uint8_t {
    kUpsert,
    kRemove,
    kPurge,
    kSetF64,
    kSetI64,
    kSetString,
    kClearColumn,
    kSetPayload,
    kClearPayload,
    kSetVector,
    kClearVector,
    kAddF64,
    kAddI64,
    kForget
  };
  struct Op {
    OpCode code;
    std::uint8_t field = 0;  // NodeField
    bool has_name = false;   // kUpsert: a kind was given
    Name name = {};          // kind, column or space
    NodeRef node;
    std::uint64_t value = 0;  // bits of a number
    Bytes bytes;
    std::size_t edges_before = 0;  // edge operations that precede this one
  };
  enum EdgeHas : std::uint8_t {
    kWeight = 1,
    kCreatedAt = 2,
    kCreatedBy = 4,
    kValidFrom = 8,
    kValidUntil = 16,
    kProperties = 32,
    kRemoved = 64,
    kHasRare = 128
  };
  struct EdgeOp {
    NodeRef source, target;
    Name kind = {};
    std::uint8_t has = 0;
    float weight = 1.0f;
    std::uint32_t label = 0;  // 1 + index into labels_, 0 = ""
    std::uint32_t rare = 0;   // index into rare_ when kHasRare
    std::int64_t created_at = 0;
  };
  struct Rare {
    Bytes created_by, properties;
    std::int64_t valid_from = kNoTime, valid_until = kNoTime;
  };
  enum class Expected : std::uint8_t {
    kSequence,
    kAlive,
    kNotAlive,
    kKind,
    kF64,
    kI64,
    kString,
    kPayload,
    kLinked,  // and all of edges from here on
    kNotLinked,
    kWeight,
    kEdges
  };
  struct Expectation {
    Expected what;
    bool absent = false;      // no value in the column
    Name name = {};           // column or edge kind
    NodeField field = {};     // of a payload
    NodeRef node, target;     // target: of an edge from `node`
    std::uint64_t value = 0;  // a sequence, bits of a number or reference, a kind, a digest
    Bytes bytes;              // a string value, or an edge's label
  };

  // The stamp of a reference about to be made.
  std::uint32_t Stamp() {
    if (refs_.own() == 0) [[unlikely]]
      BeginRefs();
    return refs_.own();
  }
  void BeginRefs();
  bool Owns(NodeRef node) const {
    return !node.local() || refs_.Owns(node.stamp(), engine_internal::BatchRefs::kNodes,
                                       node.index(), nodes_.size());
  }
  template <class Id>
  bool Owns(NameRef<Id> name) const;
  // What an operation keeps of a reference; notes one that is not this batch's.
  NodeRef Own(NodeRef node) {
    if (!Owns(node)) [[unlikely]]
      NoteForeign("a NodeRef", node.stamp());
    return node;
  }
  template <class Id>
  Name Own(NameRef<Id> name);
  void NoteForeign(const char* what, std::uint32_t stamp) {
    refs_.NoteForeign({op_count() + 1, what, stamp == engine_internal::kUnsetStamp});
  }
  Bytes Store(std::string_view bytes);
  std::string_view View(Bytes b) const { return std::string_view(arena_).substr(b.offset, b.size); }
  std::uint32_t StoreLabel(std::string_view label);
  Op& Push(OpCode code, NodeRef node, Name name = {});
  Expectation& Expect(Expected what, NodeRef node, Name name = {});

  std::int64_t time_ms_;
  bool links_revive_ = false;
  std::vector<NodeKind> node_kinds_;
  std::vector<EdgeKind> edge_kinds_;
  std::vector<Column> columns_;
  std::vector<VectorSpace> spaces_;
  engine_internal::BatchNames node_kind_names_, edge_kind_names_, column_names_, space_names_;
  std::string arena_;
  std::vector<LocalNode> nodes_;
  std::vector<Bytes> labels_;
  std::vector<Op> ops_;
  std::vector<EdgeOp> edges_;
  std::vector<Rare> rare_;
  std::vector<Expectation> expectations_;
  engine_internal::BatchRefs refs_;
};

template <class Fn>
void WriteBatch::ForEachTextChange(Fn&& fn) const {
  for (const Op& op : ops_) {
    const bool text = op.field == static_cast<std::uint8_t>(NodeField::kText);
    switch (op.code) {
      case OpCode::kSetPayload:
        if (text) fn(op.node, TextChange::kSet, View(op.bytes), op.edges_before);
        break;
      case OpCode::kClearPayload:
        if (text) fn(op.node, TextChange::kClear, std::string_view(), op.edges_before);
        break;
      case OpCode::kRemove:
      case OpCode::kPurge:
        fn(op.node, TextChange::kRemoveNode, std::string_view(), op.edges_before);
        break;
      default:
        break;
    }
  }
}

template <class Fn>
void WriteBatch::ForEachEdge(std::size_t first, Fn&& fn) const {
  for (std::size_t i = first; i < edges_.size(); ++i) {
    const EdgeOp& e = edges_[i];
    std::optional<float> weight;
    if (!(e.has & kRemoved))
      weight = e.has & kWeight ? e.weight : std::numeric_limits<float>::quiet_NaN();
    const EdgeKindRef kind =
        e.kind.local ? EdgeKindRef(refs_.some(), e.kind.id) : EdgeKindId(e.kind.id);
    fn(e.source, kind, e.target, weight,
       e.label == 0 ? std::string_view() : View(labels_[e.label - 1]));
  }
}

}  // namespace plexus
