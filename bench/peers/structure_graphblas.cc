// What of structure.h is customary in linear algebra, as LAGraph writes it. Triangles:
// C<L> = L * U' with plus_pair, nodes sorted by degree where degrees are skewed
// (Sandia_LUT); sorting, L and U are in the time. Clustering: C<A> = A * A', row sums.
// Distances: Bellman-Ford, min_plus, from the nodes that became nearer in the last step.
// Betweenness: Brandes from all sources at once, a row each (LAGr_Betweenness).
#include <algorithm>
#include <numeric>

#include "bench/peers/graphblas_frame.h"
#include "bench/peers/structure.h"

namespace plexus::peers {
namespace {

Matrix New(GrB_Type type, GrB_Index rows, GrB_Index columns) {
  Matrix made;
  OK(GrB_Matrix_new(&made.m, type, rows, columns));
  return made;
}

double Triangles(const Matrix& a, const std::vector<std::uint32_t>& offsets) {
  const GrB_Index n = offsets.size() - 1;
  std::vector<GrB_Index> order(n);
  std::iota(order.begin(), order.end(), GrB_Index{0});
  const auto degree = [&](GrB_Index v) { return offsets[v + 1] - offsets[v]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](GrB_Index x, GrB_Index y) { return degree(x) < degree(y); });
  Matrix lower = New(GrB_BOOL, n, n), upper = New(GrB_BOOL, n, n), common = New(GrB_INT64, n, n),
         sorted = New(GrB_BOOL, n, n);
  const double mean = static_cast<double>(offsets[n]) / static_cast<double>(n),
               median = degree(order[n / 2]);
  const bool skewed = mean > 4 * median;  // LAGraph's rule
  if (skewed)
    OK(GrB_Matrix_extract(sorted.m, nullptr, nullptr, a.m, order.data(), n, order.data(), n,
                          nullptr));
  const GrB_Matrix from = skewed ? sorted.m : a.m;
  OK(GrB_Matrix_select_INT64(lower.m, nullptr, nullptr, GrB_TRIL, from, -1, nullptr));
  OK(GrB_Matrix_select_INT64(upper.m, nullptr, nullptr, GrB_TRIU, from, 1, nullptr));
  OK(GrB_mxm(common.m, lower.m, nullptr, GxB_PLUS_PAIR_INT64, lower.m, upper.m, GrB_DESC_ST1));
  std::int64_t count = 0;
  OK(GrB_Matrix_reduce_INT64(&count, nullptr, GrB_PLUS_MONOID_INT64, common.m, nullptr));
  return static_cast<double>(count);
}

Answer Clustering(const Matrix& a, const std::vector<std::uint32_t>& offsets) {
  const std::size_t n = offsets.size() - 1;
  Matrix common = New(GrB_INT64, n, n);
  Vector sums(GrB_INT64, n);
  OK(GrB_mxm(common.m, a.m, nullptr, GxB_PLUS_PAIR_INT64, a.m, a.m, GrB_DESC_ST1));
  OK(GrB_Matrix_reduce_Monoid(sums.v, nullptr, nullptr, GrB_PLUS_MONOID_INT64, common.m, nullptr));
  Answer answer = Dense(sums.v, n, 0);
  for (std::size_t v = 0; v < n; ++v)
    if (const double d = offsets[v + 1] - offsets[v]; d >= 2) answer[v] /= d * (d - 1);
  return answer;
}

Matrix BuildLengths(const Arcs& arcs) {
  Matrix a = New(GrB_FP64, arcs.nodes, arcs.nodes);
  const auto rows = Wide(arcs.sources), columns = Wide(arcs.targets);
  const std::vector<double> lengths(arcs.weights.begin(), arcs.weights.end());
  OK(GrB_Matrix_build_FP64(a.m, rows.data(), columns.data(), lengths.data(), rows.size(),
                           GrB_MIN_FP64));
  OK(GrB_Matrix_wait(a.m, GrB_MATERIALIZE));
  return a;
}

Answer Distances(const Matrix& a, std::uint32_t start, std::size_t n) {
  Vector lengths(GrB_FP64, n), nearer(GrB_FP64, n), offered(GrB_FP64, n), better(GrB_BOOL, n);
  OK(GrB_Vector_assign_FP64(lengths.v, nullptr, nullptr, std::numeric_limits<double>::infinity(),
                            GrB_ALL, n, nullptr));
  OK(GrB_Vector_setElement_FP64(lengths.v, 0, start));
  OK(GrB_Vector_setElement_FP64(nearer.v, 0, start));
  for (GrB_Index changed = 1; changed > 0;) {
    OK(GrB_vxm(offered.v, nullptr, nullptr, GrB_MIN_PLUS_SEMIRING_FP64, nearer.v, a.m, nullptr));
    OK(GrB_Vector_eWiseMult_BinaryOp(better.v, nullptr, nullptr, GrB_LT_FP64, offered.v, lengths.v,
                                     nullptr));
    OK(GrB_Vector_assign(nearer.v, better.v, nullptr, offered.v, GrB_ALL, n, GrB_DESC_R));
    OK(GrB_Vector_assign(lengths.v, better.v, nullptr, offered.v, GrB_ALL, n, nullptr));
    OK(GrB_Vector_nvals(&changed, nearer.v));
  }
  return Dense(lengths.v, n, -1);
}

Answer Betweenness(const Matrix& a, const std::vector<std::uint32_t>& sources, std::size_t n) {
  const GrB_Index rows = sources.size();
  const auto from = Wide(sources);
  Matrix paths = New(GrB_FP64, rows, n), frontier = New(GrB_FP64, rows, n),
         update = New(GrB_FP64, rows, n), share = New(GrB_FP64, rows, n);
  std::vector<Matrix> levels;
  for (GrB_Index i = 0; i < rows; ++i) OK(GrB_Matrix_setElement_FP64(paths.m, 1, i, from[i]));
  OK(GrB_Matrix_extract(frontier.m, paths.m, nullptr, a.m, from.data(), rows, GrB_ALL, n,
                        GrB_DESC_RC));
  for (GrB_Index size = 1;;) {
    OK(GrB_Matrix_nvals(&size, frontier.m));
    if (size == 0) break;
    levels.push_back(New(GrB_BOOL, rows, n));
    OK(GrB_Matrix_apply(levels.back().m, nullptr, nullptr, GxB_ONE_BOOL, frontier.m, nullptr));
    OK(GrB_Matrix_assign(paths.m, nullptr, GrB_PLUS_FP64, frontier.m, GrB_ALL, rows, GrB_ALL, n,
                         nullptr));
    OK(GrB_mxm(frontier.m, paths.m, nullptr, GxB_PLUS_FIRST_FP64, frontier.m, a.m, GrB_DESC_RSC));
  }
  OK(GrB_Matrix_assign_FP64(update.m, nullptr, nullptr, 1, GrB_ALL, rows, GrB_ALL, n, nullptr));
  for (std::size_t i = levels.size(); i-- > 1;) {
    OK(GrB_Matrix_eWiseMult_BinaryOp(share.m, levels[i].m, nullptr, GrB_DIV_FP64, update.m, paths.m,
                                     GrB_DESC_RS));
    OK(GrB_mxm(share.m, levels[i - 1].m, nullptr, GxB_PLUS_FIRST_FP64, share.m, a.m, GrB_DESC_RS));
    OK(GrB_Matrix_eWiseMult_BinaryOp(update.m, nullptr, GrB_PLUS_FP64, GrB_TIMES_FP64, share.m,
                                     paths.m, nullptr));
  }
  Vector sums(GrB_FP64, n);
  OK(GrB_Vector_assign_FP64(sums.v, nullptr, nullptr, -static_cast<double>(rows), GrB_ALL, n,
                            nullptr));
  OK(GrB_Matrix_reduce_Monoid(sums.v, nullptr, GrB_PLUS_FP64, GrB_PLUS_MONOID_FP64, update.m,
                              GrB_DESC_T0));
  return Dense(sums.v, n, 0);
}

}  // namespace

bool Measures(Peer& peer, const Arcs& all) {
  const std::string& work = peer.work();
  const Arcs arcs = MeasureArcs(all, false);
  const auto offsets = Offsets(arcs);  // degrees are cached with LAGraph's graphs: not in the time
  if (work == "distances") {
    const Matrix a = peer.Load([&] { return BuildLengths(arcs); });
    peer.Trials([&] {
      Answer answer;
      for (std::uint32_t start : FirstStarts(peer))
        for (double length : Distances(a, start, arcs.nodes)) answer.push_back(Length(length));
      return answer;
    });
    peer.Note("Bellman-Ford, min_plus from what became nearer");
    return true;
  }
  if (work != "triangles" && work != "clustering" && work != "betweenness-16") return false;
  const Matrix a = peer.Load([&] { return Build(arcs, false); });
  if (work == "triangles") {
    peer.Trials([&] { return Answer{Triangles(a, offsets)}; });
    peer.Note("C<L> = L * U', plus_pair, sorted by degree where skewed, L and U made in the time");
  }
  if (work == "clustering") {
    peer.Trials([&] { return Clustering(a, offsets); });
    peer.Note("C<A> = A * A', plus_pair");
  }
  if (work == "betweenness-16") {
    const auto sources = DistinctStarts(peer);
    peer.Trials([&] { return Betweenness(a, sources, arcs.nodes); });
    peer.Note("LAGraph's loop, all sources in one matrix, f64");
  }
  return true;
}

}  // namespace plexus::peers
