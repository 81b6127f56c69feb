// StubCheck: ends of edges that nothing states, found while files are checked.
//
// An edge's end, an event's member or a vector's node may be a name that the graph does not have
// and that no record of the files states: a stub. Imports make stubs and count them, unless
// ImportOptions::strict says that they are errors. Memory: the keys that the files state, and
// those that are missing. Take is called by one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "storage/formats/import.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

class StubCheck {
 public:
  // What a piece of `file` states and names. `lines`: as Block::lines, may be null.
  void Take(const std::string& file, const std::vector<std::uint64_t>* lines, const Piece& piece,
            const Snapshot& graph);
  // The records that name a missing node first, in the order of the files.
  std::vector<ImportError> Missing() const;

 private:
  struct Place {
    std::size_t file = 0;  // in files_
    std::uint64_t line = 0;
  };
  std::vector<std::string> files_;
  std::unordered_set<std::string> stated_;
  std::unordered_map<std::string, Place> missing_;
};

// How many nodes the graph has that `before` had not and of which nothing but their edges is
// known. O(new nodes).
std::uint64_t CountStubs(const Snapshot& before, const Snapshot& after);

}  // namespace plexus::formats::internal
