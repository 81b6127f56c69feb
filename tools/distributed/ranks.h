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

int Rank();
int RankCount();

// Ok where every rank is; else, at every rank, the error of the lowest rank that has one.
Status Agree(const Status& mine);

std::uint64_t SumOfRanks(std::uint64_t mine);
std::uint64_t MaxOfRanks(std::uint64_t mine);

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
