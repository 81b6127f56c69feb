// Fuzz target: path patterns and resume tokens from anywhere. Up to the first line break
// the input is a pattern, the rest a token. A pattern that parses keeps its promises and is
// searched for under a budget; a token is refused, or the search goes on from it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "algorithms/traversal/traversal.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace {

using namespace plexus;  // NOLINT: a program of one file

// A ring with chords of several kinds, one of them symmetric.
const Snapshot& TheGraph() {
  static const Snapshot made = [] {
    auto graph = Graph::InMemory();
    WriteBatch batch(1000);
    auto node = [&](int i) { return batch.Node("n" + std::to_string(i % 12)); };
    constexpr EdgeKindId kKinds[] = {builtin::kLink, builtin::kSupports, builtin::kCauses,
                                     builtin::kRelatesTo};
    for (int i = 0; i < 24; ++i) batch.Link(node(i), kKinds[i % 4], node(i * 5 + 1), 0.5f);
    if (!graph->Apply(batch)) std::abort();
    return graph->snapshot();
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const Snapshot& graph = TheGraph();
  const auto pattern = traversal::PathPattern::Parse(text.substr(0, line), graph.schema());
  if (!pattern) {
    if (pattern.error().code != ErrorCode::kInvalidArgument || pattern.error().message.empty())
      std::abort();
    return 0;
  }
  const std::size_t steps = pattern->steps().size();
  if (steps == 0 || steps > traversal::PathPattern::kMaxSteps) std::abort();
  const std::uint64_t all = (std::uint64_t{1} << steps) - 1;
  std::uint64_t named = pattern->first() | pattern->accept();
  for (const traversal::PathPattern::Step& step : pattern->steps()) named |= step.next;
  if (named & ~all || pattern->first() == 0 || pattern->accept() == 0) std::abort();
  const NodeWeight start{0, 1.0};
  traversal::PatternOptions options;
  options.run.budget.edges = 200;
  options.order =
      size % 2 ? traversal::PatternOrder::kFewestHops : traversal::PatternOrder::kBestProduct;
  const auto first = traversal::MatchPattern(graph, *pattern, {&start, 1}, options);
  if (!first || first->truncated == first->resume.empty()) std::abort();
  if (first->truncated) {
    options.resume = first->resume;
    const auto second = traversal::MatchPattern(graph, *pattern, {&start, 1}, options);
    if (!second || second->edges < first->edges) std::abort();
  }
  if (line < text.size()) {
    options.resume = text.substr(line + 1);
    const auto third = traversal::MatchPattern(graph, *pattern, {&start, 1}, options);
    if (!third && third.error().code != ErrorCode::kInvalidArgument) std::abort();
  }
  return 0;
}
