// Nodes that a batch touched are tested again, the others stay what they were.
#include "algorithms/retrieval/internal/where/where_set.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/vocabulary.h"

namespace plexus::retrieval::internal {

bool WhereSet::CanKeep(const WhereExpression& expression) {
  return expression.tree_->timeless && expression.tree_->root.cost <= WhereCost::kRow;
}

std::uint32_t WhereSet::PlaceOf(const WhereExpression& expression) {
  return static_cast<std::uint32_t>(std::hash<std::string>()(expression.tree_->text) % kPlaces);
}

WhereSet::WhereSet(const WhereExpression& expression, NodeSubset nodes, NodeSubset facts)
    : expression_(expression), nodes_(std::move(nodes)), facts_(std::move(facts)) {}

std::shared_ptr<const WhereSet> WhereSet::Find(const Snapshot& snapshot,
                                               const WhereExpression& expression) {
  auto kept = FindDerived<WhereSet>(snapshot, PlaceOf(expression));
  if (!kept || kept->expression_.tree_->text != expression.tree_->text) return nullptr;
  return kept;
}

std::shared_ptr<const WhereSet> WhereSet::Keep(const Snapshot& snapshot,
                                               const WhereExpression& expression,
                                               NodeSubset nodes) {
  std::vector<std::uint64_t> words(nodes.word_count());
  for (const NodeId v : nodes.ToList())
    if (snapshot.is_fact(v)) words[v / 64] |= std::uint64_t{1} << (v % 64);
  NodeSubset facts(nodes.capacity(), std::move(words));
  std::shared_ptr<const WhereSet> made(
      new WhereSet(expression, std::move(nodes), std::move(facts)));
  ReplaceDerived<WhereSet>(snapshot, made, PlaceOf(expression));
  return made;
}

std::shared_ptr<const Carried> WhereSet::Carry(const Snapshot& now,
                                               const StateChanges& changes) const {
  std::vector<NodeId> touched = changes.nodes;
  for (const StateChanges::Column& c : changes.columns) touched.push_back(c.node);
  for (const StateChanges::Edge& e : changes.edges)
    if (e.kind == builtin::kHasTag) touched.push_back(e.source);
  for (NodeId v = changes.first_new; v < now.node_count(); ++v) touched.push_back(v);
  std::ranges::sort(touched);
  const auto repeated = std::ranges::unique(touched);
  touched.erase(repeated.begin(), repeated.end());
  WhereOptions options;
  options.index_nodes = true;
  options.run.executor = &SerialExecutor();
  const auto found = EvaluateWhereOf(now, expression_.tree_->root, options, touched);
  if (!found) return nullptr;
  std::vector<NodeSubset::Change> members, facts;
  for (const NodeId v : touched) {
    members.push_back({v, std::ranges::binary_search(*found, v)});
    facts.push_back({v, members.back().member && now.is_fact(v)});
  }
  return std::shared_ptr<const WhereSet>(new WhereSet(
      expression_, nodes_.With(now.node_count(), members), facts_.With(now.node_count(), facts)));
}

std::uint64_t WhereSet::size_bytes() const {
  return sizeof(*this) + expression_.tree_->text.capacity() + nodes_.size_bytes() +
         facts_.size_bytes();
}

}  // namespace plexus::retrieval::internal
