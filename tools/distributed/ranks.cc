// Agreement of the ranks; see ranks.h.
#include "tools/distributed/ranks.h"

#include <string>

namespace plexus::distributed {

int Rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int RankCount() {
  int count = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

Status Agree(const Status& mine) {
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

std::uint64_t SumOfRanks(std::uint64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

std::uint64_t MaxOfRanks(std::uint64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

}  // namespace plexus::distributed
