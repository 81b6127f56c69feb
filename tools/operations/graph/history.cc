// history: what the log says about one node, oldest first.
//
// A page ends anywhere: its cursor is the sequence of the next entry, a dot, and how many of that
// sequence come before it. What was appended since comes behind, so it stays right.
#include <algorithm>
#include <charconv>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/graph/hidden_note.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/reply/text_table.h"

namespace plexus::tools {
namespace {

using What = HistoryEntry::What;

bool IsEdge(What what) {
  return what == What::kLinked || what == What::kUpdated || what == What::kUnlinked;
}

void WriteEntry(ReplyWriter& json, const Snapshot& snapshot, const HistoryEntry& entry) {
  const Schema& schema = snapshot.schema();
  json.Field("sequence", entry.sequence);
  json.Time("time_ms", entry.time_ms);
  json.Field("what", HistoryWhatName(entry.what));
  if (entry.what == What::kCreated || entry.what == What::kKindSet)
    json.Field("kind", schema.node_kind(entry.node_kind).name);
  if (entry.what == What::kColumnSet || entry.what == What::kColumnCleared)
    json.Field("column", schema.columns()[entry.column].name);
  if (entry.what == What::kColumnSet)
    WriteColumnValue(json, "value", snapshot, entry.column, entry.bits);
  if (entry.what == What::kPayloadSet || entry.what == What::kPayloadCleared)
    json.Field("field", entry.field == NodeField::kText ? "text" : "props");
  if (entry.what == What::kVectorSet || entry.what == What::kVectorRemoved)
    json.Field("space", schema.spaces()[entry.space].name);
  if (entry.what == What::kPurged) json.Field("erased", entry.erased);
  if (IsEdge(entry.what)) {
    json.Field("kind", schema.edge_kind(entry.edge_kind).name);
    WriteDirection(json, schema, entry.edge_kind, entry.direction);
    json.Node("other", snapshot, entry.other);
    if (entry.label) json.Field("label", snapshot.string(entry.label));
    if (entry.what != What::kUnlinked) json.Field("weight", entry.weight);
  }
}

std::string Details(const Snapshot& snapshot, const HistoryEntry& entry) {
  const Schema& schema = snapshot.schema();
  if (IsEdge(entry.what)) {
    const EdgeKind& kind = schema.edge_kind(entry.edge_kind);
    const bool out = entry.direction == Direction::kOut;
    const std::string& name = out || kind.inverse.empty() ? kind.name : kind.inverse;
    std::string text = out || !kind.inverse.empty() ? "--" + name + "--> " : "<--" + name + "-- ";
    text += ShownKey(snapshot, entry.other);
    const std::string head = TextHead(snapshot, entry.other);
    if (!head.empty()) text += " (" + head + ")";
    if (entry.label) text += " label " + std::string(snapshot.string(entry.label));
    if (entry.what != What::kUnlinked) text += " weight " + Number(entry.weight);
    return text;
  }
  switch (entry.what) {
    case What::kCreated:
    case What::kKindSet:
      return "kind " + schema.node_kind(entry.node_kind).name;
    case What::kColumnSet:
      return schema.columns()[entry.column].name + " = " +
             ShownColumnValue(snapshot, entry.column, entry.bits);
    case What::kPurged:
      return entry.erased ? Grouped(entry.erased) + " entries before it are left out" : "";
    case What::kColumnCleared:
      return schema.columns()[entry.column].name;
    case What::kPayloadSet: {
      const std::string field = entry.field == NodeField::kText ? "text" : "props";
      if (field != "text") return field;
      const Result<std::string> text = snapshot.Payload(entry.ref);
      return text ? field + " = " + *text : field + " (no longer there)";
    }
    case What::kPayloadCleared:
      return entry.field == NodeField::kText ? "text" : "props";
    case What::kVectorSet:
    case What::kVectorRemoved:
      return "space " + schema.spaces()[entry.space].name;
    default:
      return "";
  }
}

std::string Page(const Snapshot& snapshot, std::span<const HistoryEntry> entries,
                 const std::string& next, TimeLimit limit) {
  TextTable table;
  table.Column("sequence", TextTable::Align::kRight).Column("time").Column("what");
  table.Column("details", TextTable::Align::kLeft, 90);
  for (const HistoryEntry& entry : entries) {
    if (limit.Up()) break;
    table.Row({std::to_string(entry.sequence), IsoTime(entry.time_ms),
               std::string(HistoryWhatName(entry.what)), Details(snapshot, entry)});
  }
  return table.Text() + Truncated(limit.was_up(), "the entries until then") + next;
}

std::size_t FirstOf(const std::vector<HistoryEntry>& entries, Sequence sequence) {
  const auto first = std::ranges::lower_bound(entries, sequence, {}, &HistoryEntry::sequence);
  return static_cast<std::size_t>(first - entries.begin());
}

std::string CursorAt(const std::vector<HistoryEntry>& entries, std::size_t at) {
  const Sequence sequence = entries[at].sequence;
  return std::to_string(sequence) + "." + std::to_string(at - FirstOf(entries, sequence));
}

// Where the page begins.
Result<std::size_t> BeginOf(const std::vector<HistoryEntry>& entries, const Request& request) {
  const std::string& cursor = request.Text("cursor");
  if (cursor.empty()) return std::size_t{0};
  const char* const end = cursor.data() + cursor.size();
  Sequence sequence = 0;
  std::uint64_t skipped = 0;
  const auto dot = std::from_chars(cursor.data(), end, sequence);
  const bool read = dot.ec == std::errc() && dot.ptr != end && *dot.ptr == '.';
  const auto rest = read ? std::from_chars(dot.ptr + 1, end, skipped) : dot;
  if (!read || rest.ec != std::errc() || rest.ptr != end)
    return Invalid(request.Name("cursor"), ": ", Quoted(cursor), " is no cursor");
  const std::size_t first = FirstOf(entries, sequence);
  return first + static_cast<std::size_t>(std::min<std::uint64_t>(skipped, entries.size() - first));
}

Result<Reply> RunHistory(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const NodeId node, FindNode(snapshot, request.Text("key")));
  Result<std::vector<HistoryEntry>> read =
      workspace.database().History(node, workspace.timed_progress());
  const bool late = !read && read.error().code == ErrorCode::kCancelled && TimeIsUp(request);
  if (late) read = std::vector<HistoryEntry>();
  PLEXUS_ASSIGN(std::vector<HistoryEntry> entries, std::move(read));
  std::erase_if(entries, [&](const HistoryEntry& e) { return e.sequence > snapshot.sequence(); });
  // As everywhere else a fact is shown among facts.
  std::size_t hidden = 0;
  if (!request.Flag("all") && snapshot.is_fact(node))
    hidden = std::erase_if(entries, [&](const HistoryEntry& e) {
      return IsEdge(e.what) && snapshot.schema().edge_kind(e.edge_kind).plane == Plane::kIndex;
    });
  if (hidden > 0) workspace.notes().push_back(HiddenNote(request, hidden, "entries"));
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
  PLEXUS_ASSIGN(const std::size_t begin, BeginOf(entries, request));
  const std::uint64_t limit = request.Count("limit");
  const std::size_t left = entries.size() - begin;
  const std::size_t count =
      limit == 0 ? left : static_cast<std::size_t>(std::min<std::uint64_t>(limit, left));
  const std::string next = count < left ? CursorAt(entries, begin + count) : "";
  const auto shared = std::make_shared<const std::vector<HistoryEntry>>(std::move(entries));
  const auto shown = std::span(*shared).subspan(begin, count);
  Reply reply([snapshot, node, hidden, shared, shown, next](ReplyWriter& json) {
    json.Node("key", snapshot, node);
    json.Field("alive", snapshot.alive(node));
    json.Field("total", shared->size());
    json.Field("hidden", hidden);
    json.Objects("results", shown,
                 [&](const HistoryEntry& entry) { WriteEntry(json, snapshot, entry); });
    // Behind a page that was cut it would pass over what was left out: a limit shows it.
    if (!next.empty() && !json.cut()) json.Field("next", next);
  });
  reply.truncated = late;
  const std::string more =
      next.empty() ? "" : "... and more: " + request.Name("cursor", next) + "\n";
  reply.own_table = [snapshot, shared, shown, more, time = TimeLimit(budget)] {
    return Page(snapshot, shown, more, time);
  };
  return reply;
}

}  // namespace

void AddHistory(Rows& rows) {
  rows.push_back(
      {.name = "history",
       .group = "Look",
       .title = "A node's past",
       .summary = "List everything that happened to a node",
       .parameters = {Text("key", "KEY", "the node's key; a removed node's too")
                          .Named(Means::kKey)
                          .Positional(),
                      Flag("all", "edges to index nodes, such as tags and terms, too"),
                      Count("limit", "N", "at most N entries; 0 = all").Default(std::uint64_t{0}),
                      Text("cursor", "CURSOR", "continue behind the page with this 'next'")},
       .reply = "key:k, alive:b, total:n, hidden:n, results:[{sequence:n, time_ms:t, what:s, "
                "kind?:s, column?:s, "
                "value?:j, field?:s, space?:s, erased?:n, direction?:s, other?:k, label?:s, "
                "weight?:x, inverse?:s}], next?:s",
       .tables = "results:",
       .examples = {{"plexus history --db g alice",
                     "when alice was made, changed, linked and unlinked"},
                    {"plexus history --db g alice --as-of 2026-11-01 --json",
                     "only what was known then"}},
       .run = RunHistory,
       .reach = Reach::kDirectory});
}

}  // namespace plexus::tools
