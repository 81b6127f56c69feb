// A retrieval plan by definition (algorithms/retrieval/plan.h): every node is looked at, everything
// is sorted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algorithms/retrieval/plan.h"
#include "tests/reference/flat_graph.h"

namespace plexus::reference {

struct PlanNode {
  bool alive = false, fact = true, allowed = false;
  NodeKindId kind{};
  std::set<std::string> tags, inscriptions;
  std::string scope = "user";
  std::optional<std::int64_t> created_at, accessed_at, valid_from, valid_until;
  std::optional<std::int64_t> access_count;
  bool preferred = false;
  std::optional<double> trust;
  std::vector<float> vector;            // Empty: none.
  std::map<std::string, double> terms;  // With their frequencies. Empty: no text.
};

struct PlanWorld {
  std::vector<PlanNode> nodes;  // By NodeId.
  FlatGraph graph;  // Of the kinds and the time that the question is about; alive nodes.
  Metric metric = Metric::kCosine;
  // PageRank from seeds, every touched node.
  std::function<std::vector<NodeWeight>(const std::vector<NodeWeight>&)> pagerank;
  // Whether a node passes filter.where.
  std::function<bool(const PlanNode&)> where;
};

struct PlanHit {
  NodeId node;
  double score, relevance;
  std::vector<double> values;        // Of the terms with a weight, or shown.
  std::vector<std::uint32_t> ranks;  // Of rrf and lists.
  std::uint32_t found_by;
  std::vector<std::optional<double>> listed = {};  // By value: in the term's list, by that.
  std::optional<double> bm25 = {}, likeness = {};
};

struct PlanAnswer {
  std::vector<PlanHit> hits;
  std::uint64_t candidates = 0, without_vector = 0, left_out = 0;
};

PlanAnswer RunPlan(const PlanWorld& world, const retrieval::RetrievalPlan& plan,
                   const retrieval::RetrieveQuery& question,
                   const retrieval::RetrieveOptions& options);

}  // namespace plexus::reference
