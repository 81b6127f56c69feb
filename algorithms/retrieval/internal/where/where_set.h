// WhereSet: the nodes of a Where expression, kept with the state and carried by what a batch
// changed.
//
// Only of tests that columns, kinds, keys, scopes and tags decide, so that nothing is fetched to
// carry it and no later column is one of its names, and that name no time before now.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "algorithms/common/common.h"
#include "algorithms/retrieval/internal/where/where_tree.h"
#include "engine/lineage.h"
#include "engine/snapshot.h"

namespace plexus::retrieval::internal {

class WhereSet final : public Carried {
 public:
  static constexpr std::string_view kName = "where";

  static bool CanKeep(const WhereExpression& expression);
  // Null: not kept.
  static std::shared_ptr<const WhereSet> Find(const Snapshot& snapshot,
                                              const WhereExpression& expression);
  // `nodes`: of both planes, of which it is true. REQUIRES CanKeep(expression). Takes the place of
  // another expression's set.
  static std::shared_ptr<const WhereSet> Keep(const Snapshot& snapshot,
                                              const WhereExpression& expression, NodeSubset nodes);

  // The alive nodes of which it is true; the facts among them.
  const NodeSubset& nodes() const { return nodes_; }
  const NodeSubset& facts() const { return facts_; }

  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override;
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override;

 private:
  static constexpr std::uint32_t kPlaces = 8;  // so many sets are kept, at most
  static std::uint32_t PlaceOf(const WhereExpression& expression);
  WhereSet(const WhereExpression& expression, NodeSubset nodes, NodeSubset facts);

  const WhereExpression expression_;
  const NodeSubset nodes_, facts_;
};

}  // namespace plexus::retrieval::internal
