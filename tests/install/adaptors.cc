// The opt-in adaptors as a user of the installed package includes them: strong
// components by Boost.Graph and a matrix by Eigen, over one small graph.
#include <boost/graph/strong_components.hpp>
#include <cstdio>
#include <vector>

#include "plexus/algorithms/boost_graph.h"
#include "plexus/algorithms/eigen.h"
#include "plexus/engine/graph.h"
#include "plexus/engine/vocabulary.h"

int main() {
  auto graph = plexus::Graph::InMemory();
  plexus::WriteBatch batch(1);
  const auto a = batch.Node("a"), b = batch.Node("b"), c = batch.Node("c");
  batch.Link(a, plexus::builtin::kLink, b, 0.5f);
  batch.Link(b, plexus::builtin::kLink, a, 0.5f);
  batch.Link(b, plexus::builtin::kLink, c, 0.25f);
  if (!graph->Apply(batch)) return 1;
  const auto view = plexus::DenseView::Make(graph->snapshot());
  if (!view) return 1;
  const plexus::BoostGraph adapted(*view);
  std::vector<int> component(num_vertices(adapted));
  const int count = boost::strong_components(adapted, plexus::VertexMap(component));
  const auto matrix = plexus::AdjacencyMatrix(*view);
  if (!matrix) return 1;
  std::printf("%d strong components, weights sum to %g\n", count, matrix->sum());
  return count == 2 && matrix->sum() == 1.25 ? 0 : 1;
}
