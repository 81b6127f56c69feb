// The best of a list, sorted: a selection first, so that only the winners are sorted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace plexus::common_internal {

// Sorts `list` by `better`, a strict order without ties, cut to `top` (0 = all).
template <class T, class Better = std::less<>>
void SortTopK(std::vector<T>& list, std::size_t top, Better better = {}) {
  if (top != 0 && top < list.size()) {
    const auto cut = list.begin() + static_cast<std::ptrdiff_t>(top);
    std::nth_element(list.begin(), cut, list.end(), better);
    list.erase(cut, list.end());
  }
  std::sort(list.begin(), list.end(), better);
}

}  // namespace plexus::common_internal
