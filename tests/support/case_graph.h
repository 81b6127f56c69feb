// CaseGraph: a graph under test beside a plain record of what was written to it.
//
// Every mutation goes into the next batch and into the record; oracles read the
// record alone. A Case fills a CaseGraph in steps, and `Build` runs the steps into
// one of several shapes (clean, delta, compacted ...) that must all answer alike.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/reference/flat_graph.h"

namespace plexus::testing {

class CaseGraph {
 public:
  CaseGraph();

  // Handles are dense numbers, and equal to the NodeIds when nodes are only added here.
  std::size_t AddNode(NodeKindId kind = builtin::kMemory);
  std::size_t AddNodes(std::size_t count, NodeKindId kind = builtin::kMemory);  // the first
  void Link(std::size_t source, EdgeKindId kind, std::size_t target, float weight = 1.0f,
            std::string label = "", std::int64_t created_at = 0);
  void LinkValid(std::size_t source, EdgeKindId kind, std::size_t target, std::int64_t from,
                 std::int64_t until, std::int64_t created_at = 0);
  void Unlink(std::size_t source, EdgeKindId kind, std::size_t target, std::string label = "");
  void Remove(std::size_t node);
  void SetI64(std::size_t node, ColumnId column, std::int64_t value);
  void SetF64(std::size_t node, ColumnId column, double value);
  void SetScope(std::size_t node, std::string scope);
  void SetString(std::size_t node, ColumnId column, std::string value);
  // The space gets the first vector's length; `metric` counts at its first use.
  void SetVector(std::size_t node, const std::string& space, const std::vector<float>& values,
                 Metric metric = Metric::kCosine);
  // Kinds beyond the built-in ones.
  EdgeKindId DefineKind(EdgeKind kind);

  // Applies the batch; fails the test on an error.
  void Commit();
  // Batches are applied to this graph, too. Null: to none. It must live as long as they are made.
  void MirrorTo(Graph* other) { mirror_ = other; }
  void Compact();

  Snapshot snapshot() const { return graph_->snapshot(); }
  std::size_t size() const { return nodes_.size(); }
  NodeId id(std::size_t node) const { return nodes_[node].id; }
  bool alive(std::size_t node) const { return nodes_[node].alive; }

  struct EdgeRecord {
    float weight = 1;
    std::int64_t created_at = 0, valid_from = kNoTime, valid_until = kNoTime;
  };
  using Identity = std::tuple<std::size_t, EdgeKindId, std::size_t, std::string>;
  const std::map<Identity, EdgeRecord>& edges() const { return edges_; }

  // What an oracle sees under these options (the same words as the kernels').
  reference::FlatGraph Flat(const EdgeKinds& kinds = {},
                            const NodeSubset* subset = nullptr,
                            std::int64_t valid_at = kNoTime) const;

 private:
  struct NodeRecord {
    std::string key;
    NodeKindId kind;
    bool alive;
    NodeId id;
    std::vector<Identity> touched;  // edges ever written at this node
  };
  NodeRef Ref(std::size_t node);
  Identity MakeIdentity(std::size_t source, EdgeKindId kind, std::size_t target, std::string label);
  bool IsIndexKind(EdgeKindId kind) const;

  std::unique_ptr<Graph> graph_;
  Graph* mirror_ = nullptr;
  std::unique_ptr<WriteBatch> batch_;
  std::vector<NodeRecord> nodes_;
  std::map<Identity, EdgeRecord> edges_;
  std::vector<EdgeKind> kinds_;  // by id
};

enum class Shape { kClean, kDelta, kRuns, kCompacted };
inline constexpr Shape kShapes[] = {Shape::kClean, Shape::kDelta, Shape::kRuns, Shape::kCompacted};
std::ostream& operator<<(std::ostream& out, Shape shape);

struct Case {
  std::string name;
  int steps = 1;
  std::function<void(CaseGraph&, int step)> fill;
};

// One graph a case and shape: clean (all steps, compacted), delta (first step
// compacted, the others on top), runs (nothing compacted), compacted (delta, then
// compacted).
CaseGraph Build(const Case& c, Shape shape);

// The catalogue: what enumerating oracles can follow, and what makes kernels take
// their parallel and dense roads.
std::vector<Case> SmallCases();
std::vector<Case> LargeCases();
inline constexpr std::size_t kLargeCases = 4;
// LargeCases()[which] built in a shape, once for all tests of the process.
const CaseGraph& Large(std::size_t which, Shape shape);

}  // namespace plexus::testing
