// log, diff: what happened to the graph, batch by batch, and between two of its states.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/operations/framework/registry.h"
#include "tools/operations/graph/hidden_note.h"
#include "tools/operations/graph/state_comparison.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

// What a batch did, counted.
struct BatchCounts {
  Sequence sequence = 0;
  std::int64_t time_ms = 0;
  std::uint64_t nodes_new = 0, nodes_removed = 0, edges_new = 0, edges_changed = 0,
                edges_removed = 0, columns = 0, contents = 0, vectors = 0;
};

BatchCounts CountRecord(const Record& record) {
  BatchCounts counts;
  counts.sequence = record.sequence;
  counts.time_ms = record.time_ms;
  counts.nodes_new = record.node_kinds.size();
  for (const NodeChange& change : record.node_changes) {
    counts.nodes_new += change.what == NodeChange::kRevive;
    counts.nodes_removed += change.what == NodeChange::kRemove || change.what == NodeChange::kPurge;
  }
  for (const EdgeChange& edge : record.edges)
    ++(edge.tombstone() ? counts.edges_removed
       : edge.is_new()  ? counts.edges_new
                        : counts.edges_changed);
  counts.columns = record.columns.size();
  counts.contents = record.payload_changes.size();
  counts.vectors = record.vectors.size();
  return counts;
}

Result<Reply> RunLog(Workspace& workspace, const Request& request) {
  const Sequence last = workspace.snapshot().sequence();
  const Sequence floor = workspace.database().stats().history_floor;
  const std::uint64_t top = request.Count("top");
  Sequence since = 0;
  if (request.Given("since")) {
    PLEXUS_ASSIGN(since, workspace.SequenceAt(request.Text("since")));
    if (since > last)
      return NotFound(request.Name("since"), ": sequence ", since, " lies in the future, the last ",
                      "record is ", last);
    if (since < floor)
      workspace.notes().push_back({"what was before sequence " + std::to_string(floor) +
                                   ", the history floor, is trimmed and not listed"});
  }
  since = std::max(since, floor);
  const std::uint64_t total = last - since;  // each sequence number is one batch
  if (top > 0 && total > top) since = last - top;
  std::vector<BatchCounts> batches;
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
  for (bool more = true; more && since < last && !budget.Interrupted();) {
    PLEXUS_ASSIGN(const Changes changes, workspace.database().ChangesSince(since));
    for (const Record& record : changes.records)
      if (record.sequence <= last) batches.push_back(CountRecord(record));
    more = changes.has_more && changes.next > since;
    since = changes.next;
  }
  const bool stopped = since < last;
  std::ranges::reverse(batches);
  const bool truncated = stopped || (top > 0 && total > top);
  Reply reply([last, floor, truncated, total, batches = std::move(batches)](ReplyWriter& json) {
    json.Field("sequence", last);
    json.Field("history_floor", floor);
    json.Field("truncated", truncated);
    json.Field("total", total);
    json.Objects("results", batches, [&](const BatchCounts& batch) {
      json.Field("sequence", batch.sequence);
      json.Time("time_ms", batch.time_ms);
      json.Field("nodes_new", batch.nodes_new);
      json.Field("nodes_removed", batch.nodes_removed);
      json.Field("edges_new", batch.edges_new);
      json.Field("edges_changed", batch.edges_changed);
      json.Field("edges_removed", batch.edges_removed);
      json.Field("columns", batch.columns);
      json.Field("contents", batch.contents);
      json.Field("vectors", batch.vectors);
    });
  });
  if (stopped)
    reply.closing = Truncated(true, "the newest ones are not among these");
  else if (truncated)
    reply.closing = "... and earlier ones; " + request.Name("top", "0") + " shows all\n";
  return reply;
}

// A node or an edge that two states differ in.
struct Difference {
  const char* what;
  NodeId node = kNoNode;
  std::vector<std::string> fields = {};  // of a changed node
  std::optional<Edge> edge = {};
  std::optional<float> weight_before = {};
};

struct Counts {
  std::uint64_t added = 0, removed = 0, changed = 0;
  std::uint64_t all() const { return added + removed + changed; }
};

class Differ {
 public:
  // `facts`: differences of the index plane are only counted.
  Differ(const Snapshot& before, const Snapshot& after, std::uint64_t top, bool facts,
         const Budget& budget)
      : before_(before), after_(after), top_(top), facts_(facts), limit_(budget) {}

  // Compares the nodes of `among`, where it is given; the states must not differ elsewhere. False
  // when the time was up before all was compared.
  bool Run(const std::optional<std::vector<NodeId>>& among) {
    const auto each = [&](const auto& compare) {
      const std::size_t count = among ? among->size() : after_.node_count();
      for (std::size_t i = 0; i < count && !limit_.Up(); ++i)
        compare(among ? (*among)[i] : static_cast<NodeId>(i));
    };
    each([&](NodeId v) { AddNode(v); });
    each([&](NodeId v) { AddEdges(v); });
    return !limit_.was_up();
  }

  Counts nodes, edges;
  std::uint64_t hidden = 0;
  std::vector<Difference> list;

 private:
  void Add(Difference difference, Counts& counts, std::uint64_t Counts::* which) {
    const Schema& schema = after_.schema();
    const Plane plane = difference.edge ? schema.edge_kind(difference.edge->kind).plane
                                        : schema.node_kind(after_.node_kind(difference.node)).plane;
    if (facts_ && plane == Plane::kIndex) {
      ++hidden;
      return;
    }
    ++(counts.*which);
    if (top_ == 0 || list.size() < top_) list.push_back(std::move(difference));
  }

  void AddNode(NodeId v) {
    const NodeComparison found = CompareNode(before_, after_, v);
    if (!found.was && found.is) return Add({"node_added", v}, nodes, &Counts::added);
    if (found.was && !found.is) return Add({"node_removed", v}, nodes, &Counts::removed);
    std::vector<std::string> fields;
    if (found.kind) fields.emplace_back("kind");
    for (const ColumnId column : found.columns)
      fields.push_back(after_.schema().columns()[column].name);
    for (const NodeField field : found.payloads)
      fields.emplace_back(field == NodeField::kText ? "text" : "props");
    if (fields.empty()) return;
    Add({"node_changed", v, std::move(fields)}, nodes, &Counts::changed);
  }

  void AddEdges(NodeId v) {
    CompareEdges(before_, after_, v, [&](const EdgeComparison& found) {
      if (!found.now)
        Add({.what = "edge_removed", .edge = found.then}, edges, &Counts::removed);
      else if (!found.then)
        Add({.what = "edge_added", .edge = found.now}, edges, &Counts::added);
      else
        Add({.what = "edge_changed", .edge = found.now, .weight_before = found.then->weight}, edges,
            &Counts::changed);
    });
  }

  const Snapshot &before_, &after_;
  const std::uint64_t top_;
  const bool facts_;
  TimeLimit limit_;
};

void WriteDifference(ReplyWriter& json, const Snapshot& after, const Difference& difference) {
  json.Field("what", difference.what);
  if (difference.node != kNoNode) {
    json.Node("key", after, difference.node);
    json.Field("kind", after.schema().node_kind(after.node_kind(difference.node)).name);
  }
  if (!difference.fields.empty()) json.Values("fields", difference.fields);
  if (!difference.edge) return;
  json.Node("source", after, difference.edge->source);
  json.Field("kind", after.schema().edge_kind(difference.edge->kind).name);
  json.Node("target", after, difference.edge->target);
  if (difference.edge->label) json.Field("label", after.string(difference.edge->label));
  json.Field("weight", difference.edge->weight);
  if (difference.weight_before) json.Field("weight_before", *difference.weight_before);
}

void WriteChanged(ReplyWriter& json, std::string_view name, const Counts& counts) {
  json.BeginObject(name);
  json.Field("added", counts.added);
  json.Field("removed", counts.removed);
  json.Field("changed", counts.changed);
  json.EndObject();
}

std::string Shown(const Counts& counts, const char* noun) {
  return Grouped(counts.added) + " " + noun + " added, " + Grouped(counts.removed) + " removed, " +
         Grouped(counts.changed) + " changed";
}

Result<Reply> RunDiff(Workspace& workspace, const Request& request) {
  if (request.Given("as_of"))
    return Invalid(request.Name("as_of"), " cannot go with ", request.Name("from"), " and ",
                   request.Name("to"), ", which name both states");
  if (!workspace.has_database())
    return FailedPrecondition("a graph that is only in RAM has no history");
  PLEXUS_ASSIGN(const Sequence from, workspace.SequenceAt(request.Text("from")));
  Sequence to = workspace.snapshot().sequence();
  if (request.Given("to")) PLEXUS_SET(to, workspace.SequenceAt(request.Text("to")));
  PLEXUS_ASSIGN(const Snapshot before, workspace.database().AsOf(from, workspace.timed_progress()));
  if (from > to)
    return Invalid("sequence ", from, " comes after sequence ", to, "; name the earlier one first");
  PLEXUS_ASSIGN(const Snapshot after, workspace.database().AsOf(to, workspace.timed_progress()));
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
  // Walking all nodes costs about as much as an eighth of them by number.
  auto among = workspace.database().NodesChanged(from, to, after.node_count() / 8,
                                                 workspace.timed_progress());
  if (!among && among.error().code == ErrorCode::kCancelled && TimeIsUp(request))
    among = std::nullopt;  // so is that of the comparison
  PLEXUS_TRY(among);
  Differ differ(before, after, request.Count("top"), !request.Flag("all"), budget);
  const bool whole = differ.Run(*among);
  const Counts nodes = differ.nodes, edges = differ.edges;
  const bool truncated = !whole || differ.list.size() < nodes.all() + edges.all();
  const std::uint64_t hidden = differ.hidden;
  if (hidden > 0) workspace.notes().push_back(HiddenNote(request, hidden, "differences"));
  Reply reply([after, from, to, nodes, edges, hidden, truncated,
               list = std::move(differ.list)](ReplyWriter& json) {
    json.Field("from", from);
    json.Field("to", to);
    WriteChanged(json, "nodes", nodes);
    WriteChanged(json, "edges", edges);
    json.Field("truncated", truncated);
    json.Field("total", nodes.all() + edges.all());
    json.Field("hidden", hidden);
    json.Objects("results", list,
                 [&](const Difference& difference) { WriteDifference(json, after, difference); });
  });
  reply.headline = "from sequence " + std::to_string(from) + " to " + std::to_string(to) + ": " +
                   Shown(nodes, "nodes") + "; " + Shown(edges, "edges") + "\n";
  if (!whole)
    reply.closing = Truncated(true, "what was compared by then");
  else if (truncated)
    reply.closing = "... and more; " + request.Name("top", "0") + " shows all\n";
  return reply;
}

}  // namespace

void AddLog(Rows& rows) {
  rows.push_back(
      {.name = "log",
       .group = "Look",
       .title = "Batches",
       .summary = "List the batches that made the graph, newest first, with what they changed",
       .parameters = {Text("since", "SEQ|TIME", "only those after it").Named(Means::kMoment),
                      Top(20, "the newest K; 0 = all")},
       .reply =
           "sequence:n, history_floor:n, truncated:b, total:n, results:[{sequence:n, time_ms:t, "
           "nodes_new:n, nodes_removed:n, edges_new:n, edges_changed:n, edges_removed:n, "
           "columns:n, contents:n, vectors:n}]",
       .tables = "results: sequence plain, time_ms = time, nodes_new, "
                 "nodes_removed = removed, edges_new, edges_changed = changed, "
                 "edges_removed = removed, contents = texts, vectors",
       .examples = {{"plexus log --db g", "the last twenty batches"},
                    {"plexus log --db g --since 2026-11-01 --top 0 --json",
                     "everything since November, for a script"}},
       .run = RunLog,
       .reach = Reach::kDirectory});
  rows.push_back(
      {.name = "diff",
       .group = "Look",
       .title = "Between two states",
       .summary = "Compare two states of the graph: nodes and edges added, removed and changed",
       .parameters = {Text("from", "FROM", "the earlier state: a sequence number or a time")
                          .Named(Means::kMoment)
                          .Positional(),
                      Optional(Text("to", "TO", "the later one (default: the present)")
                                   .Named(Means::kMoment)
                                   .Positional()),
                      Flag("all", "tags, terms, events and other index nodes and their edges, too"),
                      Top(100, "list the first K; 0 = all")},
       .reply = "from:n, to:n, nodes:{added:n, removed:n, changed:n}, "
                "edges:{added:n, removed:n, changed:n}, truncated:b, total:n, hidden:n, "
                "results:[{what:s, key?:k, kind?:s, fields?:[s], source?:k, target?:k, label?:s, "
                "weight?:x, weight_before?:x}]",
       .tables = "results: what, key, fields, source = from, kind, target = to, "
                 "weight_before, weight",
       .examples = {{"plexus diff --db g 12 17", "what batches 13 to 17 changed"},
                    {"plexus diff --db g 2026-11-01 --format csv",
                     "what changed since November, for a spreadsheet"}},
       .run = RunDiff,
       .reach = Reach::kDirectory});
}

}  // namespace plexus::tools
