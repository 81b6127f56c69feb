// The obvious graph: maps and vectors, one value at a time, no sharing, no ids
// but the order of appearance. What the engine must equal after every batch.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/graph.h"
#include "engine/schema.h"
#include "engine/snapshot.h"

namespace plexus::model {

struct Value {
  std::uint64_t bits = 0;  // a number's
  std::string text;        // a string's
  bool operator==(const Value&) const = default;
};

struct Node {
  std::string key, kind;
  bool alive = true, purged = false;
  std::map<std::string, Value> columns;
  std::array<std::optional<std::string>, kNodeFieldCount> payloads;
  std::map<std::string, std::vector<float>> vectors;
  bool operator==(const Node&) const = default;
};

struct EdgeId {
  NodeId source;
  std::string kind;
  NodeId target;
  std::string label;
  auto operator<=>(const EdgeId&) const = default;
};

struct EdgeValue {
  float weight = 1;
  std::int64_t created_at = 0;
  std::string created_by;
  std::int64_t valid_from = kNoTime, valid_until = kNoTime;
  std::string properties;
  bool operator==(const EdgeValue&) const = default;
};

struct Model {
  std::vector<Node> nodes;
  std::map<std::string, NodeId> ids;
  std::map<EdgeId, EdgeValue> edges;
  Schema schema;  // kinds by name; the engine's ids are looked up when comparing
  std::int64_t time_ms = 0;
  Sequence sequence = 0;

  const EdgeKind& edge_kind(const std::string& name) const {
    return schema.edge_kind(schema.FindEdgeKind(name)->kind);
  }
};

// Everything the public Snapshot API tells against the model; the first
// difference is the failure's message.
::testing::AssertionResult Same(const Model& model, const Snapshot& snapshot);

// One batch on the model, operation by operation. `Finish` gives the counts that
// the engine must report and makes the result the new model.
class Batch {
 public:
  Batch(const Model& before, std::int64_t time_ms);

  void Define(const EdgeKind& kind);
  void Upsert(const std::string& key, const std::string& kind);  // "": no kind given
  void Remove(const std::string& key, bool purge);
  void Set(const std::string& key, const std::string& column, const Value& value);
  void AddF64(const std::string& key, const std::string& column, double delta);
  void AddI64(const std::string& key, const std::string& column, std::int64_t delta);
  void Clear(const std::string& key, const std::string& column);
  void SetPayload(const std::string& key, NodeField field, std::optional<std::string> bytes);
  void SetVector(const std::string& key, const std::string& space,
                 std::optional<std::vector<float>> values);

  struct Link {
    std::string source, kind, target, label;
    std::optional<float> weight;
    std::optional<std::int64_t> created_at;
    std::optional<std::string> created_by;
    std::optional<std::int64_t> valid_from, valid_until;
    std::optional<std::string> properties;
  };
  void AddLink(const Link& link);
  void Unlink(const std::string& source, const std::string& kind, const std::string& target,
              const std::string& label);

  const Model& after() const { return after_; }
  bool purged_something() const { return purged_something_; }
  // True when the batch changes anything; `report` gets what Apply must return.
  bool Finish(Model& model, ApplyReport& report);

 private:
  struct Touch {
    bool is_new = false, was_alive = false, touched = false, purge = false;
    bool implicit = false;  // lives only because an edge names it
    bool was_purged = false;
  };
  std::optional<NodeId> Find(const std::string& key) const;
  Touch& Touched(NodeId node);
  NodeId Add(const std::string& key, bool implicit);
  static void Revive(Node& node);  // as a new one
  NodeId Endpoint(const std::string& key, bool revive);
  NodeId Named(const std::string& key);  // by an operation that creates
  EdgeId Identity(const std::string& source, const std::string& kind, const std::string& target,
                  const std::string& label);
  void Use(const std::string& edge_kind);
  ChangeCounts& CountsOf(const EdgeId& id, ApplyReport& report) const;

  const Model& before_;
  Model after_;
  std::map<NodeId, Touch> touches_;
  std::set<EdgeId> edges_;
  std::set<EdgeId> scrubbed_;  // outlived a purge, but not with their properties
  std::set<std::pair<std::string, NodeId>> vectors_;
  std::vector<std::string> unknown_ops_;
  struct UnknownUnlink {
    std::string source, kind, target, label;
  };
  std::vector<UnknownUnlink> unlinks_;
  bool purged_something_ = false, schema_changed_ = false;
};

}  // namespace plexus::model
