// WordNetParser: one line of a data file, first as a node, then as edges.
//
// Two passes over the files: all synsets get their ids in file order before any
// pointer names them, and a pointer to a synset that no file has is an error.
#pragma once

#include <functional>
#include <string>

#include "storage/formats/pipeline/record_parser.h"
#include "storage/formats/wordnet.h"

namespace plexus::formats_internal {

class WordNetParser final : public RecordParser {
 public:
  using IsSynset = std::function<bool(const std::string& key)>;
  // `letter`: n, v, a or r, the file's part of speech. With `is_synset` (which knows every
  // synset) it reads pointers, without it the synsets themselves.
  WordNetParser(char letter, IsSynset is_synset)
      : letter_(letter), is_synset_(std::move(is_synset)) {}

  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;

 private:
  char letter_;
  IsSynset is_synset_;
};

}  // namespace plexus::formats_internal
