// PieceEdgesWriter: edges of a piece on their way to EdgeCollector, whatever text they come from.
//
// A key that is a decimal number as a program writes it is its own code; any other is looked up
// in a table of strings, once a piece. Internal to storage/formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/arrays/aligned_array.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats_internal {

// One edge line taken apart.
struct Row {
  std::string_view tokens[2];
  std::uint64_t words[2];  // tokens of up to 8 bytes, zero-padded
  float weight;
  bool weighted;
  std::uint64_t line;  // of a weighted one
};

// Of the ends of the edge, in this order or in any.
std::uint64_t EdgeHash(const Row& row, bool any_order);

// Counts an edge that a line of the piece before states with another weight, and warns of it.
void NoteRestated(const Row& row, std::uint64_t before, std::string_view kind, Piece& piece);

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
