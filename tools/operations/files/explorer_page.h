// The explorer as one page of HTML: script and style inside, and a place for data.
//
// It is made by tools/web when the program is built with PLEXUS_WEB.
#pragma once

#include <string>
#include <string_view>

namespace plexus::tools {

// Empty: the program was built without it.
std::string_view ExplorerPage();
// Occurs once in the page, where a file has its data.
inline constexpr std::string_view kExplorerData = "\"PLEXUS-DATA\"";
// The page with `data`, which is JSON and has no '<'.
inline std::string ExplorerPageWith(std::string_view data) {
  std::string page(ExplorerPage());
  if (const std::size_t place = page.find(kExplorerData); place != std::string::npos)
    page.replace(place, kExplorerData.size(), data);
  return page;
}
// The error for an empty page.
inline constexpr std::string_view kNoExplorer =
    "this program was built without the explorer: configure with -DPLEXUS_WEB=ON, which needs "
    "node and npm";

}  // namespace plexus::tools
