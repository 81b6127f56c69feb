// The history of a git repository as a list of commits, oldest first: who changed which files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/error.h"

namespace plexus::bench {

struct Commit {
  std::int64_t time_ms = 0;
  std::string author, subject;
  std::vector<std::uint32_t> files;  // ascending, of History::paths
};

struct History {
  std::vector<std::string> paths;
  std::vector<Commit> commits;
};

// Asks `git log` of the repository at `path`, without merges and renames.
// Errors: kIo: git fails or is not there. kInvalidArgument: no commit.
Result<History> ReadHistory(const std::string& path);

}  // namespace plexus::bench
