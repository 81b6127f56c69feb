// WordNetParser: one line of a data file, first as a node, then as edges.
//
// Two passes over the files: all synsets get their ids in file order before any
// pointer names them, and a pointer to a synset that no file has is an error.
#pragma once

#include <optional>

#include "engine/snapshot.h"
#include "storage/text/record_parser.h"
#include "storage/text/wordnet.h"

namespace plexus::text {

class WordNetParser final : public RecordParser {
 public:
  // `letter`: n, v, a or r, the file's part of speech. With `synsets` (a snapshot that
  // holds every synset) it reads pointers, without it the synsets themselves.
  WordNetParser(char letter, std::optional<Snapshot> synsets)
      : letter_(letter), synsets_(std::move(synsets)) {}

  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;

 private:
  char letter_;
  std::optional<Snapshot> synsets_;
};

}  // namespace plexus::text
