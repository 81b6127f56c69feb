// peer_graphblas: SuiteSparse:GraphBLAS, as Debian builds it. LAGraph is not packaged, so
// its loops are written out here.
//
// PageRank: LAGraph's, with f64 and dangling mass kept: contributions x / degree, pulled by
// plus_second over the transpose stored by row. Pairs: facts x tags times its transpose in blocks
// of rows, masked by the complement of "already together", of which the part above the diagonal is
// kept.
#include <cmath>
#include <complex>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

// The header includes C++'s complex numbers and forgets that its functions are C's.
extern "C" {
#include <GraphBLAS.h>
}

#include "bench/peers/peer.h"

namespace {

using namespace plexus::peers;  // NOLINT: a program of one file

void Ok(GrB_Info info, const char* what) {
  if (info != GrB_SUCCESS && info != GrB_NO_VALUE)
    Die(std::string("GraphBLAS: ") + what + ": " + std::to_string(info));
}
#define OK(call) Ok(call, #call)

struct Matrix {
  GrB_Matrix m = nullptr;
  Matrix() = default;
  Matrix(Matrix&& other) noexcept : m(std::exchange(other.m, nullptr)) {}
  ~Matrix() { GrB_Matrix_free(&m); }
};
struct Vector {
  GrB_Vector v = nullptr;
  Vector(GrB_Type type, GrB_Index n) { OK(GrB_Vector_new(&v, type, n)); }
  Vector(const Vector&) = delete;
  ~Vector() { GrB_Vector_free(&v); }
};

std::vector<GrB_Index> Wide(const std::vector<std::uint32_t>& values) {
  return std::vector<GrB_Index>(values.begin(), values.end());
}

// nodes x nodes by row; row v holds the sources of v.
Matrix Transpose(const Arcs& arcs) {
  Matrix a;
  const auto rows = Wide(arcs.targets), columns = Wide(arcs.sources);
  GrB_Scalar one = nullptr;
  OK(GrB_Matrix_new(&a.m, GrB_BOOL, arcs.nodes, arcs.nodes));
  OK(GrB_Scalar_new(&one, GrB_BOOL));
  OK(GrB_Scalar_setElement_BOOL(one, true));
  OK(GxB_Matrix_build_Scalar(a.m, rows.data(), columns.data(), one, rows.size()));
  OK(GrB_Scalar_free(&one));
  OK(GrB_Matrix_wait(a.m, GrB_MATERIALIZE));
  return a;
}

Answer Dense(GrB_Vector v, std::size_t n) {
  std::vector<GrB_Index> at(n);
  std::vector<double> values(n), all(n);
  GrB_Index count = n;
  OK(GrB_Vector_extractTuples_FP64(at.data(), values.data(), &count, v));
  for (GrB_Index i = 0; i < count; ++i) all[at[i]] = values[i];
  return all;
}

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
        return Dense(x.v, n);
      },
      [](const Answer& answer) { return answer; });
  peer.Note("LAGraph's loop, f64, " + std::to_string(iterations) + " iterations, stops as ours");
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
  }
  if (work == "pagerank") {
    const Arcs arcs = ReadArcs(peer.folder());
    PageRank(peer, arcs, peer.Load([&] { return Transpose(arcs); }));
  }
  GrB_finalize();
  return peer.Finish();
}
