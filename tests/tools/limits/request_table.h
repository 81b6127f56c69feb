// One table of requests, good and bad, that every door answers with the same bytes.
#pragma once

#include <string>
#include <vector>

namespace plexus::testing {

struct Asked {
  std::string operation, json;
};

// Every row that takes no file of this machine, with a time and a limit, and what is refused.
std::vector<Asked> RequestTable();
// What their graph, of EverythingLines(), is imported and asked at.
inline constexpr const char* kTableTime = "1790000000000";
// How long the stages of a plan took is no part of the answer.
std::string WithoutTimes(std::string text);

}  // namespace plexus::testing
