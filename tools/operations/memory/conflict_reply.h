// Conflicts as replies show them, both sides with their texts.
#pragma once

#include <string>
#include <vector>

#include "algorithms/memory/conflicts.h"
#include "tools/operations/names.h"
#include "tools/operations/operation.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {

inline const char* const kConflictsShape =
    "truncated:b, total:n, conflicts:[{a:k, b:k, since:t, edges:n, text_a?:s, text_b?:s}]";

inline Layout ConflictsTable() {
  return {"conflicts",
          {{"since", "since", As::kTime}, {"a", "one", As::kNode}, {"b", "other", As::kNode}}};
}

inline Reply ConflictsReply(const Snapshot& snapshot, OpenConflictsResult result,
                            std::uint64_t top) {
  std::string closing = Truncated(result.truncated, "not all memories were looked at");
  closing += More(result.conflicts.size(), top);
  Reply reply([snapshot, top, result = std::move(result)](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    json.Field("total", result.conflicts.size());
    json.Objects("conflicts", First(result.conflicts, top), [&](const Conflict& conflict) {
      json.Node("a", snapshot, conflict.a);
      json.Node("b", snapshot, conflict.b);
      json.Time("since", conflict.since);
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
