// PageRank by power iteration on an Eigen sparse matrix.
#include <Eigen/Sparse>

#include "tests/reference/oracles.h"

namespace plexus::reference {

std::vector<double> PageRank(const FlatGraph& graph, double damping, bool weighted,
                             const std::vector<double>& teleport, int iterations) {
  const auto n = static_cast<Eigen::Index>(graph.node_count());
  Eigen::VectorXd strength = Eigen::VectorXd::Zero(n);
  std::vector<Eigen::Triplet<double>> triplets;
  for (const FlatArc& a : graph.arcs) {
    const double w = weighted ? static_cast<double>(a.weight) : 1.0;
    strength[a.from] += w;
    triplets.emplace_back(a.to, a.from, w);
  }
  Eigen::SparseMatrix<double> matrix(n, n);
  matrix.setFromTriplets(triplets.begin(), triplets.end());  // parallel arcs add up

  Eigen::VectorXd home = Eigen::VectorXd::Zero(n), alive = Eigen::VectorXd::Zero(n);
  for (Eigen::Index v = 0; v < n; ++v) {
    alive[v] = graph.selected[static_cast<std::size_t>(v)] ? 1.0 : 0.0;
    home[v] = teleport.empty() ? alive[v] : teleport[static_cast<std::size_t>(v)];
  }
  if (alive.sum() == 0) return std::vector<double>(graph.node_count(), 0.0);
  home /= home.sum();
  Eigen::VectorXd x = home;
  const int most = iterations > 0 ? iterations : 400;  // 0.85^400 < 1e-28
  for (int i = 0; i < most; ++i) {
    Eigen::VectorXd share = Eigen::VectorXd::Zero(n);
    double dangling = 0;
    for (Eigen::Index v = 0; v < n; ++v) {
      if (strength[v] > 0)
        share[v] = x[v] / strength[v];
      else
        dangling += alive[v] * x[v];
    }
    const Eigen::VectorXd next =
        (1.0 - damping + damping * dangling) * home + damping * (matrix * share);
    x = next;
  }
  return {x.data(), x.data() + n};
}

}  // namespace plexus::reference
