// Strong components of what the edges lead to; then, where edges begin or end, at each beginning.
#include "algorithms/memory/decisions/internal/closed_cycles.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include "algorithms/connectivity/connectivity.h"

namespace plexus::memory::internal {
namespace {

struct Step {
  std::uint32_t source, target;  // local numbers
  std::int64_t from, until;      // kNoTime: always
  bool ValidAt(std::int64_t time) const {
    return from <= time && (until == kNoTime || time < until);
  }
  bool IsEver() const { return until == kNoTime || from < until; }
  bool IsAlways() const { return from == kNoTime && until == kNoTime; }
};

std::vector<std::uint32_t> ComponentsOf(std::size_t nodes, std::vector<Step>& steps) {
  std::ranges::sort(steps, {}, &Step::source);
  std::vector<std::uint32_t> offsets(nodes + 1), targets;
  for (const Step& step : steps) {
    ++offsets[step.source + std::size_t{1}];
    targets.push_back(step.target);
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  return connectivity::StrongComponents(offsets, targets);
}

// One strong component: its steps, and those that are asked about, by number of the edge.
struct Component {
  std::vector<Step> steps;
  std::vector<std::pair<std::size_t, Step>> asked;
};

// A cycle is valid at some time if it is when the last of its edges begins.
void LookAtTimes(const Component& in, std::vector<bool>& closes,
                 const std::function<bool()>& stop) {
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  const auto local = [&](Step step) {
    const auto number = [&](std::uint32_t v) {
      return numbers.try_emplace(v, static_cast<std::uint32_t>(numbers.size())).first->second;
    };
    step.source = number(step.source);
    step.target = number(step.target);
    return step;
  };
  std::vector<Step> steps;
  std::vector<std::int64_t> times;
  for (const Step& step : in.steps) {
    steps.push_back(local(step));
    times.push_back(step.from);
  }
  std::ranges::sort(times);
  const auto doubles = std::ranges::unique(times);
  times.erase(doubles.begin(), doubles.end());
  std::vector<std::pair<std::size_t, Step>> open = in.asked;  // not found on a cycle so far
  for (const std::int64_t time : times) {
    if (open.empty() || stop()) return;
    if (std::ranges::none_of(open, [&](const auto& one) { return one.second.ValidAt(time); }))
      continue;
    std::vector<Step> valid;
    std::ranges::copy_if(steps, std::back_inserter(valid),
                         [&](const Step& step) { return step.ValidAt(time); });
    const std::vector<std::uint32_t> component = ComponentsOf(numbers.size(), valid);
    std::erase_if(open, [&](const auto& one) {
      const auto& [edge, step] = one;
      const bool found = step.ValidAt(time) && component[numbers.at(step.source)] ==
                                                   component[numbers.at(step.target)];
      if (found) closes[edge] = true;
      return found;
    });
  }
}

}  // namespace

std::vector<bool> OnCycles(const Snapshot& snapshot, std::span<const Edge> edges,
                           std::span<const EdgeKindId> kinds, std::span<const EdgeKindId> backward,
                           const std::function<bool()>& stop) {
  const auto turned = [&](EdgeKindId kind) {
    return std::ranges::find(backward, kind) != backward.end();
  };
  EdgeKinds out = std::vector<EdgeKindId>(), in = std::vector<EdgeKindId>();
  for (const EdgeKindId kind : kinds) (turned(kind) ? in : out).push_back(kind);
  std::unordered_map<NodeId, std::uint32_t> numbers;
  std::vector<NodeId> nodes;
  const auto number = [&](NodeId node) {
    const auto [at, added] = numbers.try_emplace(node, static_cast<std::uint32_t>(nodes.size()));
    if (added) nodes.push_back(node);
    return at->second;
  };
  const auto step_of = [&](const Edge& edge) {
    const bool back = turned(edge.kind);
    return Step{number(back ? edge.target : edge.source), number(back ? edge.source : edge.target),
                edge.valid_from, edge.valid_until};
  };
  std::vector<Step> asked, steps;
  for (const Edge& edge : edges) asked.push_back(step_of(edge));
  std::vector<bool> closes(edges.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (stop()) return closes;
    const NodeId node = nodes[i];
    const auto follow = [&](Direction direction, const EdgeKinds& those) {
      if (those.empty()) return;
      snapshot.ForEachArc(direction, node, ArcFilter::Kinds(snapshot.schema(), those),
                          [&](const Arc& arc) {
                            const Step step = step_of(snapshot.edge(arc, node));
                            if (step.IsEver()) steps.push_back(step);
                          });
    };
    follow(Direction::kOut, out);
    follow(Direction::kIn, in);
  }
  const std::vector<std::uint32_t> component = ComponentsOf(nodes.size(), steps);
  std::map<std::uint32_t, Component> limited;  // some edge is not always valid
  for (const Step& step : steps)
    if (!step.IsAlways() && component[step.source] == component[step.target])
      limited[component[step.source]];
  for (const Step& step : steps)
    if (component[step.source] == component[step.target])
      if (const auto at = limited.find(component[step.source]); at != limited.end())
        at->second.steps.push_back(step);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (component[asked[i].source] != component[asked[i].target]) continue;
    if (const auto at = limited.find(component[asked[i].source]); at != limited.end())
      at->second.asked.emplace_back(i, asked[i]);
    else
      closes[i] = true;
  }
  for (const auto& [which, one] : limited)
    if (!one.asked.empty()) LookAtTimes(one, closes, stop);
  return closes;
}

}  // namespace plexus::memory::internal
