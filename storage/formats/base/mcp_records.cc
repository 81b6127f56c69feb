// Labels say what the kind does not.
#include "storage/formats/base/mcp_records.h"

#include <algorithm>
#include <utility>

#include "engine/vocabulary.h"

namespace plexus::formats::internal {

WrittenRelation RelationOfEdge(const Snapshot& snapshot, const Edge& edge) {
  const EdgeKind& kind = snapshot.schema().edge_kind(edge.kind);
  const std::string_view label = snapshot.string(edge.label);
  WrittenRelation written{snapshot.key(edge.source), snapshot.key(edge.target), kind.name};
  if (edge.kind == builtin::kLink) {
    written.name = label;
  } else if (kind.symmetric) {
    if ((written.from > written.to) != (label == kReversedLabel))
      std::swap(written.from, written.to);
  } else if (!kind.inverse.empty() && label == kind.inverse) {
    std::swap(written.from, written.to);
    written.name = label;
  }
  return written;
}

ObservationText JoinObservations(const std::vector<std::string_view>& observations) {
  ObservationText joined;
  for (const std::string_view one : observations) {
    joined.plain = joined.plain && !one.empty() && one.find('\n') == std::string_view::npos;
    if (!joined.text.empty()) joined.text += '\n';
    joined.text += one;
  }
  return joined;
}

std::vector<std::string_view> SplitObservations(std::string_view text) {
  std::vector<std::string_view> observations;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    observations.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return observations;
}

}  // namespace plexus::formats::internal
