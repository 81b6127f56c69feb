// KeptBlocks: what the check of a file has parsed, so that nothing is parsed again to apply it.
//
// All of a file, or nothing when it takes more memory than it may. Not thread-safe: one worker at a
// time checks and applies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "storage/formats/pipeline/block_reader.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

struct ParsedBlock {
  Block block;
  std::vector<Piece> pieces;
  std::uint64_t bytes_read = 0;  // of the file, when the block was complete
};

class KeptBlocks {
 public:
  static constexpr std::uint64_t kOperationBytes = 96;  // about, with its nodes

  // Borrows `left`, the bytes that all files together may still take.
  KeptBlocks(std::uint64_t most_bytes, std::uint64_t& left) : most_(most_bytes), left_(&left) {}

  // Takes a block that was checked, but for what only a check wants to know.
  void Keep(ParsedBlock&& parsed) {
    std::uint64_t bytes = parsed.block.text.size() + 8 * parsed.block.lines.size();
    for (Piece& piece : parsed.pieces) {
      piece.notes = {};
      bytes += MemoryOf(piece);
    }
    whole_ = whole_ && bytes <= std::min(*left_, most_ - bytes_);
    if (whole_) {
      bytes_ += bytes;
      *left_ -= bytes;
      blocks_.push_back(std::move(parsed));
    } else {
      *left_ += std::exchange(bytes_, 0);
      blocks_.clear();
    }
  }
  // False: the file has to be parsed again.
  bool whole() const { return whole_; }
  std::vector<ParsedBlock> Take() { return std::move(blocks_); }

 private:
  // About: what grows with the records. The keys of a batch are no longer than its text.
  static std::uint64_t MemoryOf(const Piece& piece) {
    constexpr std::uint64_t kNode = 64;  // of a hash table
    std::uint64_t bytes = sizeof(Piece) + piece.text.size() +
                          kOperationBytes * piece.batch.op_count() +
                          kNode * piece.node_values.size();
    constexpr std::uint64_t kKind = 192;  // with its place in the tables of names
    if (const Schema* schema = piece.schema_after.get())
      bytes += kKind * (schema->node_kinds().size() + schema->edge_kinds().size() +
                        schema->columns().size() + schema->spaces().size());
    for (const ListReplacement& list : piece.lists)
      bytes += sizeof list + list.node.size() + list.items.size() * sizeof(ListReplacement::Item);
    for (const PropertyPatch& patch : piece.patches)
      bytes += sizeof patch + patch.node.size() + patch.patch.size();
    return bytes;
  }

  std::uint64_t most_;
  std::uint64_t* left_;
  std::uint64_t bytes_ = 0;  // of what is here
  bool whole_ = true;
  std::vector<ParsedBlock> blocks_;
};

}  // namespace plexus::formats::internal
