// An event as `get` shows it: members by rank, role and key with their attributes, outcomes newest
// first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/snapshot.h"
#include "storage/formats/base/properties.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// The attributes are JSON by name: rank, trust, score, preview, tags of a member; type, source,
// confidence_delta of an outcome.
struct EventMember {
  NodeId node = kNoNode;
  StringId role = 0;
  double rank = 0;  // 0 where none is given
  engine_internal::JsonProperties attributes;
};

struct EventOutcome {
  NodeId node = kNoNode;
  std::optional<std::int64_t> labeled_at;
  std::string notes;
  engine_internal::JsonProperties attributes;
};

struct EventView {
  std::vector<EventMember> members;
  std::vector<EventOutcome> outcomes;
};

// O(edges of the event, sorted). Errors: the payload store's; what was purged is left out.
Result<EventView> ViewEvent(const Snapshot& snapshot, NodeId event);
// "members" and "outcomes".
void WriteEvent(ReplyWriter& json, const Snapshot& snapshot, const EventView& view);

}  // namespace plexus::tools
