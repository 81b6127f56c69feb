// One bit for each string, and the number of those that are set.
#include "storage/purge/unused_strings.h"

#include "engine/adjacency/csr.h"
#include "engine/adjacency/run.h"

namespace plexus::storage_internal {

UnusedStrings::UnusedStrings(const Snapshot& now, const ForgottenNodes& gone)
    : schema_(now.schema()),
      gone_(gone),
      unused_(now.state().strings.size(), true),
      left_(unused_.size()) {
  Keep(StringId{0});
  ForEachForgottenString(now.state().strings, [&](StringId id) { Keep(id); });
  Keep(now.state());
}

void UnusedStrings::Keep(StringId id) {
  if (id >= unused_.size() || !unused_[id]) return;
  unused_[id] = false;
  --left_;
}

void UnusedStrings::Keep(const Record& r) {
  for (const ColumnChange& c : r.columns)
    if (!c.cleared && c.column < schema_.columns().size() &&
        schema_.columns()[c.column].type == ColumnType::kString && !gone_.contains(c.node))
      Keep(static_cast<StringId>(c.bits));
  const auto stays = [&](const EdgeChange& e) {
    return !gone_.contains(e.source) && !gone_.contains(e.target);
  };
  for (const EdgeChange& e : r.edges)
    if (e.label != 0 && stays(e)) Keep(e.label);
  for (const EdgeExtra& x : r.edge_extras)
    if (stays(r.edges[x.index])) Keep(x.created_by);
}

void UnusedStrings::Keep(const GraphState& state) {
  for (std::size_t c = 0; c < state.columns.size(); ++c) {
    if (schema_.columns()[c].type != ColumnType::kString) continue;
    const auto& column = state.columns[c];
    for (NodeId v = 0; v < column.size(); ++v)
      if (const std::uint64_t bits = column[v]; bits < unused_.size() && !gone_.contains(v))
        Keep(static_cast<StringId>(bits));
  }
  const Csr& base = *state.base;
  for (const SlotColumn<StringId>* const column : {&base.labels, &base.created_by}) {
    NodeId row = 0;
    for (std::size_t i = 0; i < column->slots.size(); ++i) {
      const EdgeSlot slot = column->slots[i];
      while (base.out_offsets[row + 1] <= slot) ++row;
      if (!gone_.contains(row) && !gone_.contains(base.out_neighbors[slot]))
        Keep(column->values[i]);
    }
  }
  for (const auto& run : state.runs) {
    const auto& out = run->out;
    auto extra = run->extras.begin();
    for (std::size_t i = 0; i < out.rows.size(); ++i)
      for (std::uint32_t at = out.offsets[i]; at < out.offsets[i + 1]; ++at) {
        const bool stays = !gone_.contains(out.rows[i]) && !gone_.contains(out.arcs[at].neighbor);
        if (stays) Keep(out.arcs[at].label);
        if (extra == run->extras.end() || extra->index != at) continue;
        if (stays) Keep(extra->created_by);
        ++extra;
      }
  }
}

}  // namespace plexus::storage_internal
