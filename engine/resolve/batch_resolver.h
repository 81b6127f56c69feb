// BatchResolver: a WriteBatch against a state makes a Record. Private to the engine.
//
// Reads only: new keys, strings and kinds get provisional ids that become real
// when the record is applied, so an error at any point leaves nothing behind.
// Definitions and names; what the batch expects; nodes (in the order of
// operations); edges (sorted by identity, each identity decided once); then nodes
// of another kind than before are held to what their edges demand.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/snapshot.h"
#include "engine/write_batch.h"
#include "engine/writer/working_state.h"

namespace plexus {

class BatchResolver {
 public:
  BatchResolver(const StateWriter::Working& working, const WriteBatch& batch, Snapshot now);
  // `time_ms`: of a batch without one; `scope`: of new facts without one.
  Result<Record> Resolve(ApplyReport* report, std::int64_t time_ms, std::string_view scope);
  // After Resolve: nodes that were alive and that the batch removes or purges, also where it states
  // them again further down; ascending.
  std::vector<NodeId> Removed() const;

  // What a batch holds, for who loads it (engine/bulk/link_arrays.h).
  // Nothing but links, with weights, labels and created_at at most; and expectations.
  static bool LinksAlone(const WriteBatch& batch);
  struct LinkOp {
    NodeRef source, target;
    EdgeKindId kind;
    std::string_view kind_name;  // not empty: of a kind that the batch names instead
    float weight;                // NaN: not stated
    std::string_view label;
    std::int64_t created_at;  // kNoTime: not stated
  };
  // fn(LinkOp) in order. REQUIRES LinksAlone(batch).
  template <class Fn>
  static void ForEachLink(const WriteBatch& batch, Fn&& fn);
  // WriteBatch::CheckValues.
  static Status CheckValues(const WriteBatch& batch, const Snapshot& now);
  static std::size_t NamedCount(const WriteBatch& batch) { return batch.nodes_.size(); }
  // REQUIRES index < NamedCount(batch).
  static std::string_view Key(const WriteBatch& batch, std::size_t index) {
    return batch.View(batch.nodes_[index].key);
  }
  static std::uint64_t KeyHash(const WriteBatch& batch, std::size_t index) {
    return batch.nodes_[index].hash;
  }

 private:
  using OpCode = WriteBatch::OpCode;
  static constexpr std::int64_t kNever = -1;

  // What the batch does to one node.
  struct Pending {
    NodeId node = kNoNode;
    NodeKindId kind{};
    bool was_alive = false;  // before the batch
    bool alive = false;
    bool is_new = false;   // first appears in this batch
    bool linked = false;   // new, and an edge has named it already
    bool touched = false;  // named by a node operation
    bool purged = false;
    bool forget = false;                // the key, if it is removed for ever
    bool changed = false;               // kind, column or payload differs
    std::int64_t removed_at = kNever;   // edge operations before the last removal
    std::vector<ColumnId> set_columns;  // set by the batch since then
  };
  struct HashedKey {
    std::string_view text;
    std::uint64_t hash;
    bool operator==(const HashedKey& o) const { return text == o.text; }
  };
  struct HashOfKey {
    using is_avalanching = void;
    std::size_t operator()(const HashedKey& k) const { return k.hash; }
  };
  using KeyMap = boost::unordered_flat_map<HashedKey, std::uint32_t, HashOfKey>;

  // What an operation does to one value of a column.
  struct ColumnOp {
    enum What : std::uint16_t { kSet, kClear, kAdd };
    NodeId node = 0;
    ColumnId column{};
    What what = kSet;
    std::uint64_t bits = 0;
  };
  // An edge operation (or the mark of a removal) in ids.
  struct EdgeTouch {
    NodeId source, target;
    StringId label;
    EdgeKindId kind{};
    std::uint32_t op;  // index into the batch's edges, or kByRemoval
  };
  static constexpr std::uint32_t kByRemoval = 0xFFFFFFFFu;
  static std::uint64_t HashOf(const EdgeTouch& t) {
    return EdgeFilter::Hash(t.source, t.kind, t.target, t.label);
  }
  // The value of an edge while its operations are applied in turn.
  struct EdgeValue {
    float weight = 1.0f;
    std::int64_t created_at = 0;
    StringId created_by = 0;
    std::int64_t valid_from = kNoTime, valid_until = kNoTime;
    PayloadRef properties;
    std::optional<std::string_view> new_properties;
    bool operator==(const EdgeValue&) const = default;
  };

  // names (resolve.cc)
  Status CheckColumnIsFree(const Column& column) const;
  Status Definitions();
  Schema& MutableSchema();
  const Schema& schema() const { return defined_ ? *defined_ : *w_.schema; }
  Result<NodeKindId> NodeKindOf(WriteBatch::Name name) const;
  Result<Schema::EdgeKindMatch> EdgeKindOf(WriteBatch::Name name) const;
  Result<ColumnId> ColumnOf(WriteBatch::Name name, ColumnType type, bool any_type) const;
  Result<SpaceId> SpaceOf(WriteBatch::Name name) const;
  static Status CheckString(std::string_view text);
  Result<StringId> InternString(std::string_view text);
  void WriteDefinitions(Record& record) const;

  // expectations (resolve_expectations.cc)
  Status Expectations() const;
  Status NodeAsExpected(const WriteBatch::Expectation& e) const;
  Status KindAsExpected(const WriteBatch::Expectation& e) const;
  Status PayloadAsExpected(const WriteBatch::Expectation& e) const;
  Status EdgesAsExpected(const WriteBatch::Expectation& e) const;
  Status ColumnAsExpected(const WriteBatch::Expectation& e) const;
  Status EdgeAsExpected(const WriteBatch::Expectation& e) const;
  static std::string ShownNumber(double value);
  // kNoNode: the state, without this batch, does not know its key.
  Result<NodeId> KnownNode(NodeRef ref) const;
  std::string NameOf(NodeRef ref) const;

  // values by themselves (value_checks.cc); "" and null: nothing is wrong. `time_ms`: the graph's
  static std::string WrongColumn(ColumnId column, std::uint64_t bits, std::int64_t time_ms);
  static const char* Unstorable(const WriteBatch::Op& op);
  static std::string WrongEdge(const WriteBatch& batch, const WriteBatch::EdgeOp& op,
                               std::int64_t time_ms);

  // nodes (resolve_nodes.cc)
  Status Nodes();
  Status AddNode(std::size_t local);
  Result<NodeId> NodeOf(NodeRef ref) const;  // kNoNode: unknown and not created
  Pending& PendingOf(NodeId node);
  Pending* FindPending(NodeId node);
  NodeKindId KindOfNode(NodeId node);
  std::string KeyOf(NodeId node) const;
  bool IsForgotten(NodeId node) const {
    return node < now_.node_count() && now_.key_forgotten(node);
  }
  static Status Forgotten(NodeId node);  // the error
  Status RemovedEnd(NodeId node) const;  // the error
  bool Forgets(const Pending& p) const;
  static std::string Shown(std::string_view key);
  Status Operations();
  Status Apply(const WriteBatch::Op& op);
  Status SetKind(Pending& p, NodeKindId kind);
  void Revive(Pending& p, bool stamp);
  void Remove(Pending& p, std::size_t edges_before);
  Status SetColumn(const WriteBatch::Op& op, NodeId node);
  Status SetPayload(const WriteBatch::Op& op, NodeId node);
  Status SetVector(const WriteBatch::Op& op, NodeId node);
  Result<std::uint64_t> ColumnAfter(std::span<const ColumnOp> ops, std::uint64_t before) const;
  Result<std::uint64_t> Sum(const ColumnOp& op, std::uint64_t before) const;
  Status SetScopes(std::string_view scope);
  Status FinishColumns();
  Status CheckColumn(const ColumnChange& change) const;
  Status CheckValidity() const;
  Status FinishPayloads();
  Status FinishVectors();
  void FinishNodes(ApplyReport& report);
  void ReportIds(ApplyReport& report);
  PayloadRef StorePayload(std::string_view bytes);
  Result<bool> SamePayload(PayloadRef ref, std::string_view bytes) const;

  // edges (resolve_edges.cc)
  Status TouchEdges();
  void TouchRemoved();
  Status CheckEdge(const WriteBatch::EdgeOp& op, const EdgeTouch& touch);
  void SortTouches();
  Status DecideEdges(ApplyReport& report);
  // What becomes of one identity: its touches, in the order of operations.
  Status DecideEdge(std::span<const EdgeTouch> touches, ApplyReport& report);
  Status ApplyEdgeOp(const WriteBatch::EdgeOp& op, bool fresh, EdgeValue& value);
  std::int64_t LastRemoval(const EdgeTouch& touch);
  std::int64_t LastPurge(const EdgeTouch& touch);
  void EmitEdge(const EdgeTouch& touch, std::uint16_t flags, const EdgeValue& value);

  // retyped nodes (value_checks.cc)
  Status CheckRetyped();
  bool Removes(const Edge& edge) const;

  const StateWriter::Working& w_;
  const WriteBatch& b_;
  Snapshot now_;
  Record record_;
  std::unique_ptr<Schema> defined_;     // null while nothing new was defined
  std::vector<NodeKindId> node_kinds_;  // batch-local name -> id
  std::vector<Schema::EdgeKindMatch> edge_kinds_;
  std::vector<std::optional<ColumnId>> columns_;
  std::vector<std::optional<SpaceId>> spaces_;
  KeyMap new_keys_, new_strings_;
  std::vector<NodeId> locals_;      // batch-local node -> id or kNoNode
  std::vector<Pending> new_nodes_;  // by id - first new id
  std::vector<Pending> old_nodes_;  // known nodes that the batch touches
  boost::unordered_flat_map<NodeId, std::uint32_t> old_index_;
  bool some_dead_ = false;  // dead nodes exist, or the batch makes some
  std::vector<ColumnOp> column_ops_;
  struct PayloadOp {
    NodeId node;
    std::uint32_t field;
    std::optional<std::string_view> bytes;
  };
  std::vector<PayloadOp> payload_ops_;
  struct VectorOp {
    NodeId node;
    SpaceId space;
    std::optional<std::string_view> bytes;
  };
  std::vector<VectorOp> vector_ops_;
  std::vector<EdgeTouch> touches_;
  std::vector<StringId> label_ids_;
  ApplyReport report_;
};

template <class Fn>
void BatchResolver::ForEachLink(const WriteBatch& batch, Fn&& fn) {
  for (const WriteBatch::EdgeOp& e : batch.edges_) {
    LinkOp link{
        e.source,
        e.target,
        EdgeKindId(e.kind.id),
        e.kind.local ? std::string_view(batch.edge_kind_names_[e.kind.id]) : std::string_view(),
        std::numeric_limits<float>::quiet_NaN(),
        e.label == 0 ? std::string_view() : batch.View(batch.labels_[e.label - 1]),
        kNoTime};
    if (e.has & WriteBatch::kWeight) link.weight = e.weight;
    if (e.has & WriteBatch::kCreatedAt) link.created_at = e.created_at;
    fn(link);
  }
}

}  // namespace plexus
