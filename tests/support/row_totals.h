// RowTotals: a derived value for tests: the weights of each node's out row, added up.
//
// It also shows how little a carried type takes: Make from nothing, Carry by what changed.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/lineage.h"
#include "engine/snapshot.h"

namespace plexus::testing {

struct RowTotals final : Carried {
  static constexpr std::string_view kName = "row totals of a test";
  std::vector<double> totals;
  int carried = 0;  // times since it was made

  static double Of(const Snapshot& s, NodeId v) {
    double total = 0;
    s.ForEachArc(Direction::kOut, v, ArcFilter::All(),
                 [&](const Arc& arc) { total += arc.weight; });
    return total;
  }
  static std::shared_ptr<const RowTotals> Make(const Snapshot& s) {
    auto made = std::make_shared<RowTotals>();
    for (NodeId v = 0; v < s.node_count(); ++v) made->totals.push_back(Of(s, v));
    return made;
  }
  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override {
    auto made = std::make_shared<RowTotals>();
    made->totals = totals;
    made->totals.resize(now.node_count());
    made->carried = carried + 1;
    for (const StateChanges::Edge& e : changes.edges)
      for (const NodeId v : {e.source, e.target}) made->totals[v] = Of(now, v);
    return made;
  }
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override { return totals.capacity() * sizeof(double); }
};

}  // namespace plexus::testing
