// Costs, their refusals, and the budget.
#include "algorithms/paths/internal/path_query.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace plexus::paths::internal {

namespace {

constexpr double kClosed = -1;
constexpr double kRefused = std::numeric_limits<double>::quiet_NaN();

}  // namespace

bool PathWalk::Interrupted() {
  if (options_.run.budget.Interrupted()) truncated_ = true;
  return truncated_;
}

bool PathWalk::Poll() {
  if ((++polled_ & 4095) == 0) Interrupted();
  return !truncated_;
}

bool PathWalk::Spend(std::size_t reached) {
  if (edges_ >= options_.run.budget.edges || reached >= options_.run.budget.nodes) {
    truncated_ = true;
    return false;
  }
  ++edges_;
  return true;
}

double PathWalk::Cost(float weight, NodeId to) const {
  switch (options_.cost) {
    case PathCost::kHops:
      return 1;
    case PathCost::kWeight:
      return static_cast<double>(weight);
    case PathCost::kLogWeight:
      if (weight == 0) return kClosed;
      return weight > 1 ? kRefused : -std::log(static_cast<double>(weight));
    case PathCost::kColumn: {
      const std::optional<double> value = snapshot().f64(options_.column, to);
      if (!value) return kClosed;
      return *value >= 0 ? *value : kRefused;
    }
  }
  return kClosed;
}

Status PathWalk::Refusal(const Arc& arc, NodeId from, NodeId to) const {
  const std::string into(snapshot().key(to));
  if (options_.cost == PathCost::kColumn)
    return Invalid("node '", into, "' has ", *snapshot().f64(options_.column, to),
                   " in the cost column; costs must be >= 0");
  return Invalid("the edge between '", snapshot().key(from), "' and '", into, "' has weight ",
                 arc.weight, "; -ln(weight) needs weights in [0, 1]");
}

double PathWalk::CostOf(const FoundPath& path) const {
  double cost = 0;
  for (std::size_t i = 0; i < path.edges.size(); ++i)
    cost += Cost(path.edges[i].weight, path.nodes[i + 1]);
  return cost;
}

}  // namespace plexus::paths::internal
