// The first state, and what is filled in when one is done.
#include "engine/state.h"

#include <utility>

#include "engine/error.h"

namespace plexus {

FrozenState::FrozenState(GraphState state) : GraphState(std::move(state)) {
  PLEXUS_CHECK(schema && base && dirty, "a state that is done has all its parts");
  node_count = keys.size();
  base_rows = {base->out(), base->in()};
  runs_rows.clear();
  runs_rows.reserve(runs.size());
  for (const auto& run : runs) runs_rows.push_back({&run->out, &run->in});
  dirty_words = dirty->words();
  dirty_capacity = dirty->capacity();
}

GraphState EmptyState() {
  GraphState s;
  s.schema = std::make_shared<Schema>();
  auto base = std::make_shared<Csr>();
  base->out_offsets = AlignedArray<std::uint32_t>(1, 0);
  base->in_offsets = AlignedArray<std::uint32_t>(1, 0);
  s.base = std::move(base);
  s.dirty = std::make_shared<DirtyBits>(0);
  StringTable strings;
  strings.Insert("");
  s.strings = strings.Publish();
  s.nodes_by_kind.resize(s.schema->node_kinds().size(), 0);
  s.edges_by_kind.resize(s.schema->edge_kinds().size(), 0);
  return s;
}

}  // namespace plexus
