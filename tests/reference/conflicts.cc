// By definition; never for production.
#include "tests/reference/conflicts.h"

#include <algorithm>
#include <cmath>

namespace plexus::reference {

std::set<std::pair<NodeId, NodeId>> OpenPairs(const std::vector<bool>& visible,
                                              const std::vector<FlatArc>& contradicts) {
  std::set<std::pair<NodeId, NodeId>> pairs;
  for (const FlatArc& a : contradicts)
    if (a.from != a.to && visible[a.from] && visible[a.to])
      pairs.emplace(std::min(a.from, a.to), std::max(a.from, a.to));
  return pairs;
}

double AdamicAdar(const std::vector<std::set<NodeId>>& carriers, NodeId a, NodeId b) {
  double sum = 0;
  for (const std::set<NodeId>& of : carriers)
    if (of.contains(a) && of.contains(b)) sum += 1 / std::log(static_cast<double>(of.size()));
  return sum;
}

double Jaccard(const std::vector<std::set<NodeId>>& carriers, NodeId a, NodeId b) {
  int both = 0, either = 0;
  for (const std::set<NodeId>& of : carriers) {
    both += of.contains(a) && of.contains(b);
    either += of.contains(a) || of.contains(b);
  }
  return either == 0 ? 0 : static_cast<double>(both) / either;
}

}  // namespace plexus::reference
