// Conflicts as replies show them, both sides with their texts.
#pragma once

#include <string>
#include <vector>

#include "algorithms/memory/conflicts.h"
#include "tools/operations/names.h"
#include "tools/operations/operation.h"
#include "tools/operations/reply_parts.h"

namespace plexus::tools {

inline const char* const kConflictsShape =
    "total:n, conflicts:[{a:k, b:k, since:i, edges:n, text_a?:s, text_b?:s}]";

inline Layout ConflictsTable() {
  return {"conflicts",
          {{"since", "since", As::kTime}, {"a", "one", As::kNode}, {"b", "other", As::kNode}}};
}

inline Reply ConflictsReply(const Snapshot& snapshot, std::vector<Conflict> conflicts,
                            std::uint64_t top) {
  std::string closing = More(conflicts.size(), top);
  Reply reply([snapshot, top, conflicts = std::move(conflicts)](ReplyWriter& json) {
    json.Field("total", conflicts.size());
    json.Objects("conflicts", First(conflicts, top), [&](const Conflict& conflict) {
      json.Node("a", snapshot, conflict.a);
      json.Node("b", snapshot, conflict.b);
      json.Field("since", conflict.since);
      json.Field("edges", conflict.edges);
      const std::string a = TextHead(snapshot, conflict.a), b = TextHead(snapshot, conflict.b);
      if (!a.empty()) json.Field("text_a", a);
      if (!b.empty()) json.Field("text_b", b);
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace plexus::tools
