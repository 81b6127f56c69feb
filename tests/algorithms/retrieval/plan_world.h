// Random graphs for plans, beside a record of what was written: texts, vectors, tags, times,
// superseded and removed nodes, and plans and questions about them.
//
// Weights of edges are powers of two and vectors small whole numbers, so that the oracle's products
// and sums have the kernel's bits.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/pagerank/pagerank.h"
#include "tests/algorithms/retrieval/plan_oracle.h"
#include "tests/algorithms/retrieval/vector_cases.h"

namespace plexus::testing {

inline constexpr std::int64_t kPlanNow = 1'000'000'000;

class PlanGraph {
 public:
  // Its batches are applied to `mirror`, too, if there is one.
  PlanGraph(std::uint64_t seed, Shape shape, Graph* mirror = nullptr);

  Snapshot snapshot() const { return graph_.snapshot(); }
  SpaceId space() const { return *snapshot().schema().FindSpace(kSpace); }
  // What the oracle sees of it, with PageRank in `s`. `allowed` and the plan are those of the
  // question.
  reference::PlanWorld World(const Snapshot& s, const retrieval::RetrievalPlan& plan,
                             const NodeSubset* allowed, std::int64_t valid_at) const;
  std::size_t facts() const { return facts_; }
  const std::vector<std::string>& terms() const { return terms_; }
  const std::vector<std::string>& tags() const { return tags_; }
  NodeId tag_node(std::size_t tag) const { return static_cast<NodeId>(tag_nodes_[tag]); }
  const std::vector<std::string>& inscriptions() const { return inscriptions_; }
  bool alive(std::size_t node) const { return graph_.alive(node); }

 private:
  void Describe(std::size_t node, std::mt19937_64& random);
  void Connect(std::mt19937_64& random);

  CaseGraph graph_;
  Metric metric_;
  std::size_t facts_ = 0;
  std::vector<std::size_t> tag_nodes_, term_nodes_, inscription_nodes_;
  std::vector<std::string> tags_, terms_, inscriptions_;
  std::vector<reference::PlanNode> nodes_;  // By handle, which is the id.
};

// A question, and what its spans look at.
struct PlanQuestion {
  std::vector<std::string> terms;
  std::vector<float> vector;
  std::vector<NodeWeight> keys;
  std::optional<SpaceId> space;
  retrieval::RetrieveQuery Get() const { return {terms, {}, vector, space, keys}; }
};

retrieval::RetrievalPlan DrawPlan(const PlanGraph& graph, std::mt19937_64& random);
PlanQuestion DrawQuestion(const PlanGraph& graph, std::mt19937_64& random);
std::vector<NodeWeight> DrawValues(const PlanGraph& graph, std::mt19937_64& random);

}  // namespace plexus::testing
