// What GraphBLAS needs in every file: checked calls, owned matrices and vectors, a matrix
// from arcs, a vector as an array.
#pragma once

#include <complex>
#include <string>
#include <utility>
#include <vector>

// The header includes C++'s complex numbers and forgets that its functions are C's.
extern "C" {
#include <GraphBLAS.h>
}

#include "bench/peers/peer.h"

namespace plexus::peers {

inline void Ok(GrB_Info info, const char* what) {
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

inline std::vector<GrB_Index> Wide(const std::vector<std::uint32_t>& values) {
  return std::vector<GrB_Index>(values.begin(), values.end());
}

// nodes x nodes by row; transposed: row v holds the sources of v.
inline Matrix Build(const Arcs& arcs, bool transposed) {
  Matrix a;
  const auto rows = Wide(transposed ? arcs.targets : arcs.sources),
             columns = Wide(transposed ? arcs.sources : arcs.targets);
  GrB_Scalar one = nullptr;
  OK(GrB_Matrix_new(&a.m, GrB_BOOL, arcs.nodes, arcs.nodes));
  OK(GrB_Scalar_new(&one, GrB_BOOL));
  OK(GrB_Scalar_setElement_BOOL(one, true));
  OK(GxB_Matrix_build_Scalar(a.m, rows.data(), columns.data(), one, rows.size()));
  OK(GrB_Scalar_free(&one));
  OK(GrB_Matrix_wait(a.m, GrB_MATERIALIZE));
  return a;
}

inline Answer Dense(GrB_Vector v, std::size_t n, double absent) {
  std::vector<GrB_Index> at(n);
  std::vector<double> values(n), all(n, absent);
  GrB_Index count = n;
  OK(GrB_Vector_extractTuples_FP64(at.data(), values.data(), &count, v));
  for (GrB_Index i = 0; i < count; ++i) all[at[i]] = values[i];
  return all;
}

}  // namespace plexus::peers
