// One list of kinds has one direction, as a rule of guardrails has.
#include "tools/operations/kind_direction.h"

#include <algorithm>

#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {

Result<bool> IsBackward(const Schema& schema, std::span<const std::string> names) {
  const std::string *forward = nullptr, *backward = nullptr;
  for (const std::string& name : names) {
    PLEXUS_ASSIGN(const Schema::EdgeKindMatch match, FindEdgeKind(schema, name));
    if (schema.edge_kind(match.kind).symmetric) continue;
    (match.reversed ? backward : forward) = &name;
  }
  if (forward && backward)
    return Invalid(Quoted(*backward), " and ", Quoted(*forward),
                   " are followed in opposite directions; ask once for each");
  return backward != nullptr;
}

Result<Direction> AsStored(const Schema& schema, std::span<const std::string> names,
                           Direction asked) {
  if (asked == Direction::kBoth) return asked;
  PLEXUS_ASSIGN(const bool backward, IsBackward(schema, names));
  return backward ? Opposite(asked) : asked;
}

Result<std::vector<EdgeKindId>> TurnedKinds(const Schema& schema,
                                            std::span<const std::string> names) {
  std::vector<EdgeKindId> turned, as_stored;
  for (const std::string& name : names) {
    PLEXUS_ASSIGN(const Schema::EdgeKindMatch match, FindEdgeKind(schema, name));
    (match.reversed ? turned : as_stored).push_back(match.kind);
  }
  std::erase_if(turned, [&](EdgeKindId kind) {
    return std::ranges::find(as_stored, kind) != as_stored.end();
  });
  return turned;
}

void WriteDirection(ReplyWriter& json, const Schema& schema, EdgeKindId kind, Direction seen) {
  json.Field("direction", seen == Direction::kOut ? "out" : seen == Direction::kIn ? "in" : "both");
  const std::string& inverse = schema.edge_kind(kind).inverse;
  if (seen == Direction::kIn && !inverse.empty()) json.Field("inverse", inverse);
}

}  // namespace plexus::tools
