// Parts: files of `plexus export --format csr-parts` as one graph, the union of theirs.
//
// Node i of a part is node offset + i of the union, so a union may have more nodes than an id of
// one graph can count. A rank reads, and so checks, the rows of its share of the arcs; it holds
// nothing of them itself.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "storage/formats/array_file.h"

namespace plexus::distributed {

struct Seed {
  std::uint64_t node = 0;  // of the union
  double weight = 1;
};

class Parts {
 public:
  // Errors: ArrayFile's; kInvalidArgument: another kind of array file.
  static Result<Parts> Open(const std::vector<std::string>& paths);

  std::size_t size() const { return files_.size(); }
  const formats::ArrayHeader& header(std::size_t part) const { return files_[part].header(); }
  std::uint64_t offset(std::size_t part) const { return offsets_[part]; }
  std::uint64_t nodes() const { return offsets_.back(); }
  std::uint64_t arcs() const { return arcs_.back(); }
  std::uint64_t selected() const { return selected_; }

  // Calls row(source, targets, weights, offset) for each row of the rank's share: its targets are
  // ids of its part, nodes offset + target of the union.
  using Row = std::function<void(std::uint64_t source, std::span<const std::uint32_t> targets,
                                 std::span<const float> weights, std::uint64_t offset)>;
  Status ReadShare(int rank, int ranks, const Row& row);
  // A byte for each node [first, last) of the union: 1 where it is selected.
  Result<std::vector<std::uint8_t>> Selected(std::uint64_t first, std::uint64_t last);

  // "[PART:]ID[=WEIGHT]", PART from 0 on. kInvalidArgument: it cannot be read, or is not selected.
  Result<Seed> ParseSeed(std::string_view text);

 private:
  Result<std::uint64_t> Cut(std::size_t part, int rank, int ranks);

  std::vector<formats::ArrayFile> files_;
  std::vector<std::uint64_t> offsets_ = {0}, arcs_ = {0};  // before each part, and of all
  std::uint64_t selected_ = 0;
};

}  // namespace plexus::distributed
