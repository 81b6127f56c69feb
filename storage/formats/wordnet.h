// WordNet 3.0's database files as a concept graph.
//
// A synset becomes a node of kind `concept`: key = letter of its file (n, v, a, r)
// and its 8-digit offset, e.g. n00001740, because offsets repeat across files; text =
// its lemmas on the first line ("dog, domestic dog"), its gloss on the second.
// Pointers become edges between synsets (word-level pointers too): an inverse pair
// is one directed edge, a symmetric pair one symmetric edge; a pointer from a
// synset to itself is skipped and counted. The licence text at each file's head is
// passed over. Source: the wndb(5WN) and wninput(5WN) manual pages.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/schema.h"
#include "engine/types.h"

namespace plexus {

// How a pointer symbol of wninput(5WN) is stored.
struct WordNetPointer {
  std::string_view symbol = {};  // "@", "~i", "#m" ...
  std::string_view kind = {};    // name of the edge kind
  bool reversed = false;    // the edge goes from the pointer's target to its source
};

std::span<const WordNetPointer> WordNetPointers();

// The edge kinds that WordNet needs besides the built-in ones, with their traits.
std::span<const EdgeKind> WordNetKinds();

// The lemmas of a synset's text (its first line), and its gloss (the rest).
std::string_view WordNetLemmas(std::string_view text);
std::string_view WordNetGloss(std::string_view text);

// The files read, in this order: data.noun, data.verb, data.adj, data.adv.
std::span<const std::string_view> WordNetFiles();

}  // namespace plexus
