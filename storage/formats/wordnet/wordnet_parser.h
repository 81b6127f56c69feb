// WordNet 3.0's database files as a concept graph.
//
// A synset becomes a node of kind `concept`: key = letter of its file (n, v, a, r)
// and its 8-digit offset, e.g. n00001740, because offsets repeat across files; text =
// its lemmas on the first line ("dog, domestic dog"), its gloss on the second.
// Pointers become edges between synsets (word-level pointers too): an inverse pair
// is one directed edge, a symmetric pair one symmetric edge; a pointer from a
// synset to itself is skipped and counted. The licence text at each file's head is
// passed over. Source: the wndb(5WN) and wninput(5WN) manual pages.
//
// Two passes over the files: all synsets get their ids in file order before any
// pointer names them, and a pointer to a synset that no file has is an error.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "engine/schema.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

// The edge kinds that WordNet needs beside the built-in ones, with their traits.
std::span<const EdgeKind> WordNetKinds();

// The files read, in this order: data.noun, data.verb, data.adj, data.adv.
std::span<const std::string_view> WordNetFiles();

// One line of a data file, first as a node, then as edges.
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

}  // namespace plexus::formats::internal
