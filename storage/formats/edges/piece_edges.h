// PieceEdgesWriter: edges of a piece on their way to EdgeCollector, whatever text they come from.
//
// A key that is a decimal number as a program writes it stands for itself; any other is looked up
// in a table of strings, once a piece. Internal to storage/formats.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/arrays/aligned_array.h"
#include "storage/formats/edges/edge_lines.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats_internal {

class PieceEdgesWriter {
 public:
  // For at most `room` edges; numbers below `numbers` are keys by themselves. One writer at a time
  // on a thread.
  PieceEdgesWriter(Piece& piece, std::size_t room, std::uint32_t numbers);
  // The tokens stay where they are until the piece was taken. 8 bytes at each can be read.
  void Add(const Row& row);
  void Finish();

 private:
  struct Scratch;

  Piece& piece_;
  std::size_t room_, count_ = 0;
  std::uint32_t numbers_;
  AlignedArray<NodePair> pairs_;
  AlignedArray<float> weights_;  // empty until a row has one
  Scratch* scratch_;             // of the thread
};

}  // namespace plexus::formats_internal
