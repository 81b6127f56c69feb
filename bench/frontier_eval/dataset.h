// A history cut in two: what a ledger knows, and what was first changed together later.
//
// Memories are the files of the older part, numbered in order of appearance. Commits of at most
// kMaxFiles files are events; larger ones (moves, licences, formatting) tell nothing. Tags of a
// file are the parts of its path and its name without the ending; terms are the words of the
// subjects under which it was changed. A recorded edge leads from each file of a commit to each
// file of the same author's next commit within a day, when both commits have at most kMaxJoined
// files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/frontier_eval/history.h"
#include "engine/graph.h"

namespace plexus::bench {

inline constexpr std::size_t kMaxFiles = 30, kMaxJoined = 8;

// Which events ended badly: a commit that a later one of the older part reverts; one with a file
// that is changed again within a day.
enum class DeadEnds : std::uint8_t { kNone, kReverted, kChangedAgain };

using FileSet = std::vector<std::uint32_t>;  // ascending

struct Dataset {
  std::vector<std::string> files;
  std::vector<FileSet> events;                        // of the older part
  std::vector<bool> reverted, changed_again;          // by event
  std::vector<std::vector<std::string>> tags, terms;  // by file; ascending
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<FileSet> later;  // commits of the newer part: their known files, two or more
  std::size_t train_commits = 0, test_commits = 0;

  std::size_t size() const { return files.size(); }
};

// The oldest `share` of the commits is the older part.
Dataset Cut(const History& history, double share);

// The older part as a graph in RAM; node i is file i. Dead ends are outcomes of their events.
std::unique_ptr<Graph> MakeLedger(const Dataset& data, DeadEnds dead_ends = DeadEnds::kNone);

// Sets of `arity` files of `pool` that some later commit has, and no event.
std::set<FileSet> FirstTogether(const Dataset& data, const std::vector<bool>& pool, int arity);

}  // namespace plexus::bench
