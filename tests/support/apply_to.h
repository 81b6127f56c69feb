// Applies each batch to a graph: for functions that hand out the batches they make.
#pragma once

#include "engine/graph.h"

namespace plexus::testing {

inline auto ApplyTo(Graph& graph) {
  return [&graph](const WriteBatch& batch) -> Status {
    PLEXUS_TRY(graph.Apply(batch));
    return {};
  };
}

}  // namespace plexus::testing
