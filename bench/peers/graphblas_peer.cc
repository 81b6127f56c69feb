// peer_graphblas: SuiteSparse:GraphBLAS, as Debian builds it. LAGraph is not packaged, so
// its loops are written out here.
//
// PageRank: LAGraph's, with f64 and dangling mass kept: contributions x / degree, pulled by
// plus_second over the transpose stored by row. BFS: levels, push (vxm) or pull (mxv by the
// frontier's size). Components: FastSV (Zhang, Azad, Buluc, 2020) with its scatter by hand,
// as LAGraph does it. Pairs: facts x tags times its transpose in blocks of rows, masked by
// the complement of "already together", of which the part above the diagonal is kept.
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "bench/peers/graphblas_frame.h"
#include "bench/peers/structure.h"

namespace {

using namespace plexus::peers;  // NOLINT: a program of one file

void PageRank(Peer& peer, const Arcs& arcs, const Matrix& in) {
  const std::size_t n = arcs.nodes;
  const auto offsets = Offsets(arcs);
  // Degrees are cached with LAGraph's graphs: not in the time.
  Vector scale(GrB_FP64, n), sinks(GrB_FP64, n);
  for (std::size_t v = 0; v < n; ++v) {
    const std::uint32_t degree = offsets[v + 1] - offsets[v];
    if (degree)
      OK(GrB_Vector_setElement_FP64(scale.v, kDamping / degree, v));
    else
      OK(GrB_Vector_setElement_FP64(sinks.v, 1, v));
  }
  OK(GrB_Vector_wait(scale.v, GrB_MATERIALIZE));
  OK(GrB_Vector_wait(sinks.v, GrB_MATERIALIZE));
  int iterations = 0;
  peer.Trials(
      [&] {
        Vector x(GrB_FP64, n), next(GrB_FP64, n), share(GrB_FP64, n);
        OK(GrB_Vector_assign_FP64(x.v, nullptr, nullptr, 1.0 / static_cast<double>(n), GrB_ALL, n,
                                  nullptr));
        iterations = 0;
        for (double step = 1; step * kDamping / (1 - kDamping) > kTrueError; ++iterations) {
          double dangling = 0;
          OK(GrB_Vector_eWiseMult_BinaryOp(share.v, nullptr, nullptr, GrB_TIMES_FP64, x.v, sinks.v,
                                           nullptr));
          OK(GrB_Vector_reduce_FP64(&dangling, nullptr, GrB_PLUS_MONOID_FP64, share.v, nullptr));
          OK(GrB_Vector_eWiseMult_BinaryOp(share.v, nullptr, nullptr, GrB_TIMES_FP64, x.v, scale.v,
                                           nullptr));
          OK(GrB_Vector_assign_FP64(next.v, nullptr, nullptr,
                                    (1 - kDamping + kDamping * dangling) / static_cast<double>(n),
                                    GrB_ALL, n, nullptr));
          OK(GrB_mxv(next.v, nullptr, GrB_PLUS_FP64, GxB_PLUS_SECOND_FP64, in.m, share.v, nullptr));
          // x becomes the step, then the vectors trade places.
          OK(GrB_Vector_assign(x.v, nullptr, GrB_MINUS_FP64, next.v, GrB_ALL, n, nullptr));
          OK(GrB_Vector_apply(x.v, nullptr, nullptr, GrB_ABS_FP64, x.v, nullptr));
          OK(GrB_Vector_reduce_FP64(&step, nullptr, GrB_PLUS_MONOID_FP64, x.v, nullptr));
          std::swap(x.v, next.v);
        }
        return Dense(x.v, n, 0);
      },
      [](const Answer& answer) { return answer; });
  peer.Note("LAGraph's loop, f64, " + std::to_string(iterations) + " iterations, stops as ours");
}

Answer Bfs(const Matrix& out, const Matrix& in, std::uint32_t start, std::size_t n) {
  Vector depth(GrB_FP64, n), frontier(GrB_BOOL, n);
  OK(GrB_Vector_setElement_BOOL(frontier.v, true, start));
  for (double level = 0;; ++level) {
    OK(GrB_Vector_assign_FP64(depth.v, frontier.v, nullptr, level, GrB_ALL, n, GrB_DESC_S));
    GrB_Index size = 0;
    OK(GrB_Vector_nvals(&size, frontier.v));
    if (size > n / 50)
      OK(GrB_mxv(frontier.v, depth.v, nullptr, GxB_ANY_PAIR_BOOL, in.m, frontier.v, GrB_DESC_RSC));
    else
      OK(GrB_vxm(frontier.v, depth.v, nullptr, GxB_ANY_PAIR_BOOL, frontier.v, out.m, GrB_DESC_RSC));
    OK(GrB_Vector_nvals(&size, frontier.v));
    if (size == 0) break;
  }
  return Dense(depth.v, n, -1);
}

// f = parent, gp = grandparent, both dense; a symmetric matrix.
Answer Components(const Matrix& a, std::size_t n) {
  std::vector<GrB_Index> at(n), index(n);
  std::iota(at.begin(), at.end(), GrB_Index{0});
  std::vector<std::uint32_t> f(n), gp(n), least(n);
  std::iota(f.begin(), f.end(), 0u);
  gp = f;
  Vector grand(GrB_UINT32, n), lowest(GrB_UINT32, n);
  for (bool changed = true; changed;) {
    OK(GrB_Vector_clear(grand.v));
    OK(GrB_Vector_build_UINT32(grand.v, at.data(), gp.data(), n, GrB_MIN_UINT32));
    OK(GrB_Vector_assign(lowest.v, nullptr, nullptr, grand.v, GrB_ALL, n, nullptr));
    OK(GrB_mxv(lowest.v, nullptr, GrB_MIN_UINT32, GrB_MIN_SECOND_SEMIRING_UINT32, a.m, grand.v,
               nullptr));
    GrB_Index count = n;
    OK(GrB_Vector_extractTuples_UINT32(index.data(), least.data(), &count, lowest.v));
    for (std::size_t v = 0; v < n; ++v)
      f[f[v]] = std::min(f[f[v]], least[v]);  // stochastic hooking
    for (std::size_t v = 0; v < n; ++v)
      f[v] = std::min({f[v], least[v], gp[v]});  // aggressive; shortcut
    changed = false;
    for (std::size_t v = 0; v < n; ++v) {
      const std::uint32_t parent = f[f[v]];
      changed |= parent != gp[v];
      gp[v] = parent;
    }
  }
  return Answer(gp.begin(), gp.end());
}

// Rows [first, last) of T * W * T', not those together already; pairs a < b kept.
Answer Pairs(const Sharing& s) {
  Matrix tags, weighted, together;
  OK(GrB_Matrix_new(&tags.m, GrB_BOOL, s.facts, s.tags));
  OK(GrB_Matrix_new(&weighted.m, GrB_FP64, s.facts, s.tags));
  OK(GrB_Matrix_new(&together.m, GrB_BOOL, s.facts, s.facts));
  {
    std::vector<GrB_Index> fact, tag;
    std::vector<double> weight;
    for (std::size_t i = 0; i < s.fact.size(); ++i) {
      if (s.weight[s.tag[i]] == 0) continue;
      fact.push_back(s.fact[i]);
      tag.push_back(s.tag[i]);
      weight.push_back(s.weight[s.tag[i]]);
    }
    GrB_Scalar one = nullptr;
    OK(GrB_Scalar_new(&one, GrB_BOOL));
    OK(GrB_Scalar_setElement_BOOL(one, true));
    OK(GxB_Matrix_build_Scalar(tags.m, fact.data(), tag.data(), one, fact.size()));
    OK(GrB_Matrix_build_FP64(weighted.m, fact.data(), tag.data(), weight.data(), fact.size(),
                             GrB_PLUS_FP64));
    // Facts of one event, and every fact with itself.
    Matrix events;
    const auto event = Wide(s.event), member = Wide(s.event_fact);
    OK(GrB_Matrix_new(&events.m, GrB_BOOL, s.facts, s.events));
    OK(GxB_Matrix_build_Scalar(events.m, member.data(), event.data(), one, event.size()));
    OK(GrB_mxm(together.m, nullptr, nullptr, GxB_ANY_PAIR_BOOL, events.m, events.m, GrB_DESC_T1));
    OK(GrB_Scalar_free(&one));
  }
  std::vector<Entry> best;
  std::vector<GrB_Index> row, column;
  std::vector<double> score;
  const GrB_Index block = 512;
  for (GrB_Index first = 0; first < s.facts; first += block) {
    const GrB_Index height = std::min<GrB_Index>(block, s.facts - first);
    const GrB_Index range[] = {first, first + height - 1};
    Matrix part, mask, product, upper;
    OK(GrB_Matrix_new(&part.m, GrB_FP64, height, s.tags));
    OK(GrB_Matrix_new(&mask.m, GrB_BOOL, height, s.facts));
    OK(GrB_Matrix_new(&product.m, GrB_FP64, height, s.facts));
    OK(GrB_Matrix_new(&upper.m, GrB_FP64, height, s.facts));
    OK(GrB_Matrix_extract(part.m, nullptr, nullptr, weighted.m, range, GxB_RANGE, GrB_ALL, s.tags,
                          nullptr));
    OK(GrB_Matrix_extract(mask.m, nullptr, nullptr, together.m, range, GxB_RANGE, GrB_ALL, s.facts,
                          nullptr));
    OK(GrB_mxm(product.m, mask.m, nullptr, GxB_PLUS_FIRST_FP64, part.m, tags.m, GrB_DESC_SCT1));
    OK(GrB_Matrix_select_INT64(upper.m, nullptr, nullptr, GrB_TRIU, product.m,
                               static_cast<std::int64_t>(first) + 1, nullptr));
    if (best.size() >= kPairsTop) {
      std::nth_element(best.begin(), best.begin() + kPairsTop - 1, best.end());
      best.resize(kPairsTop);
      OK(GrB_Matrix_select_FP64(upper.m, nullptr, nullptr, GrB_VALUEGE_FP64, upper.m,
                                best.back().score, nullptr));
    }
    GrB_Index count = 0;
    OK(GrB_Matrix_nvals(&count, upper.m));
    row.resize(count);
    column.resize(count);
    score.resize(count);
    OK(GrB_Matrix_extractTuples_FP64(row.data(), column.data(), score.data(), &count, upper.m));
    for (GrB_Index i = 0; i < count; ++i)
      best.push_back({score[i], static_cast<std::uint32_t>(first + row[i]),
                      static_cast<std::uint32_t>(column[i])});
  }
  Answer answer;
  AppendBest(std::move(best), kPairsTop, true, answer);
  return answer;
}

Answer Walks(const Matrix& a, std::size_t n) {
  Vector ones(GrB_FP64, n), out(GrB_FP64, n), in(GrB_FP64, n);
  double walks = 0;
  GrB_Index arcs = 0;
  OK(GrB_Vector_assign_FP64(ones.v, nullptr, nullptr, 1, GrB_ALL, n, nullptr));
  OK(GrB_mxv(out.v, nullptr, nullptr, GxB_PLUS_SECOND_FP64, a.m, ones.v, nullptr));
  OK(GrB_vxm(in.v, nullptr, nullptr, GxB_PLUS_FIRST_FP64, ones.v, a.m, nullptr));
  OK(GrB_Vector_eWiseMult_BinaryOp(out.v, nullptr, nullptr, GrB_TIMES_FP64, out.v, in.v, nullptr));
  OK(GrB_Vector_reduce_FP64(&walks, nullptr, GrB_PLUS_MONOID_FP64, out.v, nullptr));
  OK(GrB_Matrix_nvals(&arcs, a.m));
  return {static_cast<double>(n), static_cast<double>(arcs), walks};
}

}  // namespace

int main(int argc, char** argv) {
  OK(GrB_init(GrB_NONBLOCKING));
  Peer peer(argc, argv,
            "SuiteSparse:GraphBLAS " + std::to_string(GxB_IMPLEMENTATION_MAJOR) + "." +
                std::to_string(GxB_IMPLEMENTATION_MINOR) + "." +
                std::to_string(GxB_IMPLEMENTATION_SUB) + ", Debian's build");
  OK(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, peer.threads()));
  const std::string& work = peer.work();
  if (work == "pairs") {
    const Sharing sharing = ReadSharing(peer.folder());
    peer.Trials([&] { return Pairs(sharing); });
    peer.Note("complement-masked product in blocks of 512 rows, matrices built inside the time");
  } else {
    const Arcs arcs = ReadArcs(peer.folder());
    Measures(peer, arcs);
    if (work == "load") {
      peer.Trials([&] { return Build(arcs, false); },
                  [&](const Matrix& a) { return Walks(a, arcs.nodes); });
      peer.Note("one matrix by row, out direction only");
    }
    if (work == "pagerank") PageRank(peer, arcs, peer.Load([&] { return Build(arcs, true); }));
    if (work == "components") {
      const Matrix a = peer.Load([&] { return Build(arcs, false); });
      peer.Trials([&] { return Components(a, arcs.nodes); });
      peer.Note("FastSV");
    }
    if (work == "bfs") {
      const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
      const Matrix out = peer.Load([&] { return Build(arcs, false); }), in = Build(arcs, true);
      peer.Trials([&] {
        Answer answer;
        for (std::uint32_t start : starts) {
          const Answer depth = Bfs(out, in, start, arcs.nodes);
          answer.insert(answer.end(), depth.begin(), depth.end());
        }
        return answer;
      });
      peer.Note("levels, push or pull");
    }
  }
  GrB_finalize();
  return peer.Finish();
}
