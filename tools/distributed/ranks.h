// What all ranks do together: agree on errors, and bring arrays to rank 0 piece by piece.
//
// Every function is collective: each rank calls it, in the same order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <mpi.h>

#include "engine/error.h"

namespace plexus::distributed {

inline int Rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline int RankCount() {
  int count = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

// Ok where every rank is; else, at every rank, the error of the lowest rank that has one.
inline Status Agree(const Status& mine) {
  int first = mine ? RankCount() : Rank();
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == RankCount()) return {};
  Error error;
  if (Rank() == first) error = mine.error();
  int head[2] = {static_cast<int>(error.code), static_cast<int>(error.message.size())};
  MPI_Bcast(head, 2, MPI_INT, first, MPI_COMM_WORLD);
  error.code = static_cast<ErrorCode>(head[0]);
  error.message.resize(static_cast<std::size_t>(head[1]));
  MPI_Bcast(error.message.data(), head[1], MPI_CHAR, first, MPI_COMM_WORLD);
  return std::unexpected(std::move(error));
}

// MPI_SUM or MPI_MAX of the ranks' numbers.
inline std::uint64_t OfRanks(MPI_Op what, std::uint64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, what, MPI_COMM_WORLD);
  return mine;
}

// A rank's elements [first, first + values.size()) of an array; ranks follow one another.
template <class T>
struct Local {
  std::uint64_t first = 0;
  std::vector<T> values;
};

// Hands the elements [first, last) of the array to `take`, in order, at rank 0. The others'
// come a piece at a time, and go on coming after `take` has failed.
template <class T>
Status Collect(const Local<T>& local, std::uint64_t first, std::uint64_t last,
               const std::function<Status(std::span<const T>)>& take) {
  constexpr std::uint64_t kPiece = 1 << 18;
  std::uint64_t mine[2] = {local.first, local.first + local.values.size()};
  std::vector<std::uint64_t> ranges(2 * static_cast<std::size_t>(RankCount()));
  MPI_Allgather(mine, 2, MPI_UINT64_T, ranges.data(), 2, MPI_UINT64_T, MPI_COMM_WORLD);
  Status status;
  std::vector<T> piece;
  for (int from = 0; from < RankCount(); ++from) {
    const std::uint64_t begin = std::max(first, ranges[2 * static_cast<std::size_t>(from)]);
    const std::uint64_t end = std::min(last, ranges[2 * static_cast<std::size_t>(from) + 1]);
    for (std::uint64_t at = begin; at < end; at += kPiece) {
      const std::uint64_t count = std::min(kPiece, end - at);
      const int bytes = static_cast<int>(count * sizeof(T));
      std::span<const T> given;
      if (Rank() == from) given = std::span(local.values).subspan(at - local.first, count);
      if (from != 0 && Rank() == from)
        MPI_Send(given.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      if (from != 0 && Rank() == 0) {
        piece.resize(count);
        MPI_Recv(piece.data(), bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        given = piece;
      }
      if (Rank() == 0 && status) status = take(given);
    }
  }
  return status;
}

}  // namespace plexus::distributed
