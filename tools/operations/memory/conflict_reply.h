// Conflicts as replies show them, both sides with their texts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/memory/conflicts/conflicts.h"
#include "engine/vocabulary.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/operation.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {

inline const char* const kConflictsShape =
    "truncated:b, total:n, conflicts:[{a:k, b:k, since:t, edges:n, newer:k, "
    "text_a?:s, text_b?:s}]";

inline const char* EvidenceName(memory::ConflictEvidence::Kind kind) {
  return kind == memory::ConflictEvidence::kNumbers    ? "numbers"
         : kind == memory::ConflictEvidence::kNegation ? "negation"
                                                       : "outcomes";
}

// "numbers: 24 against 48; ...".
inline std::string ShownEvidence(std::span<const memory::ConflictEvidence> list) {
  const auto joined = [](const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text.empty() ? std::string("none") : text;
  };
  std::string shown;
  for (const memory::ConflictEvidence& one : list)
    shown += (shown.empty() ? "" : "; ") + std::string(EvidenceName(one.kind)) + ": " +
             joined(one.a) + " against " + joined(one.b);
  return shown;
}

constexpr const char* kConflictsTable = "conflicts: since, newer, a node, b node";

// The side that came later, by created_at, else by first appearance.
inline NodeId NewerOf(const Snapshot& snapshot, const memory::Conflict& conflict) {
  const auto a = snapshot.i64(builtin::kCreatedAt, conflict.a),
             b = snapshot.i64(builtin::kCreatedAt, conflict.b);
  return a && b && *a > *b ? conflict.a : conflict.b;
}

// How one of them is decided, in commands that a shell takes.
inline std::string Choices(const Workspace& workspace, const Request& request,
                           const memory::Conflict& conflict) {
  if (request.spelling() != Spelling::kFlags || !workspace.has_database()) return {};
  const auto key = [&](NodeId node) { return ShownKey(workspace.snapshot(), node); };
  const NodeId newer = NewerOf(workspace.snapshot(), conflict);
  const NodeId older = newer == conflict.a ? conflict.b : conflict.a;
  const std::string command = "  plexus conflicts resolve --db " + ShellWord(workspace.directory());
  std::string sides = "\n";
  for (const NodeId side : {conflict.b, conflict.a}) sides = " " + ShellWord(key(side)) + sides;
  if (key(conflict.a).starts_with('-') || key(conflict.b).starts_with('-')) sides = " --" + sides;
  return "to decide the first one:\n" + command + " --supersede=" + ShellWord(key(older)) + sides +
         command + " --drop=" + ShellWord(key(newer)) + sides + command + " --keep-both" + sides;
}

inline Reply ConflictsReply(const Workspace& workspace, const Request& request,
                            memory::OpenConflictsResult result) {
  const Snapshot& snapshot = workspace.snapshot();
  const std::uint64_t top = request.Count("top");
  std::string closing = Truncated(result.truncated, "not all memories were looked at");
  closing += More(result.conflicts.size(), top);
  if (!result.conflicts.empty()) closing += Choices(workspace, request, result.conflicts.front());
  Reply reply([snapshot, top, result = std::move(result)](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    json.Field("total", result.conflicts.size());
    json.Objects("conflicts", First(result.conflicts, top), [&](const memory::Conflict& conflict) {
      json.Node("a", snapshot, conflict.a);
      json.Node("b", snapshot, conflict.b);
      json.Time("since", conflict.since);
      json.Field("edges", conflict.edges);
      json.Node("newer", snapshot, NewerOf(snapshot, conflict));
      const std::string a = TextHead(snapshot, conflict.a), b = TextHead(snapshot, conflict.b);
      if (!a.empty()) json.Field("text_a", a);
      if (!b.empty()) json.Field("text_b", b);
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace plexus::tools
