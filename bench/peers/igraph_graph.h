// Arcs as igraph holds them, and what its functions fill.
#pragma once

#include <igraph/igraph.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/peers/peer.h"

namespace plexus::peers {

struct IgraphArcs {
  igraph_t graph;
  igraph_vector_t weights;  // in the order of the arcs; empty unless `weighted`

  IgraphArcs(const Arcs& arcs, bool directed, bool weighted) {
    igraph_vector_int_t edges;
    igraph_vector_int_init(&edges, static_cast<igraph_integer_t>(2 * arcs.sources.size()));
    igraph_vector_init(&weights, 0);
    for (std::size_t i = 0; i < arcs.sources.size(); ++i) {
      VECTOR(edges)[2 * i] = arcs.sources[i];
      VECTOR(edges)[2 * i + 1] = arcs.targets[i];
      if (weighted) igraph_vector_push_back(&weights, static_cast<double>(arcs.weight(i)));
    }
    igraph_create(&graph, &edges, arcs.nodes, directed);
    igraph_vector_int_destroy(&edges);
  }
  IgraphArcs(const IgraphArcs&) = delete;
  ~IgraphArcs() {
    igraph_vector_destroy(&weights);
    igraph_destroy(&graph);
  }
};

struct IgraphIds {
  igraph_vector_int_t ids;
  explicit IgraphIds(const std::vector<std::uint32_t>& from) {
    igraph_vector_int_init(&ids, static_cast<igraph_integer_t>(from.size()));
    for (std::size_t i = 0; i < from.size(); ++i) VECTOR(ids)[i] = from[i];
  }
  IgraphIds(const IgraphIds&) = delete;
  ~IgraphIds() { igraph_vector_int_destroy(&ids); }
  igraph_vs_t nodes() const { return igraph_vss_vector(&ids); }
};

inline void MustIgraph(igraph_error_t error) {
  if (error) Die(std::string("igraph: ") + igraph_strerror(error));
}
// What fill(vector) puts into a new vector.
template <class Fill>
Answer Filled(Fill&& fill) {
  igraph_vector_t values;
  igraph_vector_init(&values, 0);
  MustIgraph(fill(&values));
  Answer answer(VECTOR(values), VECTOR(values) + igraph_vector_size(&values));
  igraph_vector_destroy(&values);
  return answer;
}
template <class Fill>
std::vector<igraph_integer_t> FilledInt(Fill&& fill) {
  igraph_vector_int_t values;
  igraph_vector_int_init(&values, 0);
  MustIgraph(fill(&values));
  std::vector<igraph_integer_t> all(VECTOR(values),
                                    VECTOR(values) + igraph_vector_int_size(&values));
  igraph_vector_int_destroy(&values);
  return all;
}
inline Answer AsAnswer(const std::vector<igraph_integer_t>& values) {
  return Answer(values.begin(), values.end());
}
// row(scores, i) for each row of the matrix that fill(matrix) fills.
template <class Fill, class Row>
void EachRow(Fill&& fill, Row&& row) {
  igraph_matrix_t values;
  igraph_matrix_init(&values, 0, 0);
  MustIgraph(fill(&values));
  for (igraph_integer_t i = 0; i < igraph_matrix_nrow(&values); ++i) {
    Answer scores;
    for (igraph_integer_t v = 0; v < igraph_matrix_ncol(&values); ++v)
      scores.push_back(MATRIX(values, i, v));
    row(scores, static_cast<std::size_t>(i));
  }
  igraph_matrix_destroy(&values);
}

}  // namespace plexus::peers
