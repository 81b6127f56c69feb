// Arcs as igraph holds them.
#pragma once

#include <igraph/igraph.h>

#include "bench/peers/peer.h"

namespace plexus::peers {

// Initialises both, which the caller destroys. Weights stand in the order of the arcs.
inline void LoadGraph(const Arcs& arcs, bool directed, igraph_t& graph, igraph_vector_t& weights) {
  igraph_vector_int_t edges;
  igraph_vector_int_init(&edges, static_cast<igraph_integer_t>(2 * arcs.sources.size()));
  igraph_vector_init(&weights, static_cast<igraph_integer_t>(arcs.sources.size()));
  for (std::size_t i = 0; i < arcs.sources.size(); ++i) {
    VECTOR(edges)[2 * i] = arcs.sources[i];
    VECTOR(edges)[2 * i + 1] = arcs.targets[i];
    VECTOR(weights)[i] = static_cast<double>(arcs.weights[i]);
  }
  igraph_create(&graph, &edges, arcs.nodes, directed);
  igraph_vector_int_destroy(&edges);
}

}  // namespace plexus::peers
