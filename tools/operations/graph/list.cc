// list: nodes that an expression selects, in a chosen order, with chosen columns.
#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/retrieval/where.h"
#include "engine/times.h"
#include "tools/operations/arguments.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/names.h"
#include "tools/operations/registry.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/node_list.h"
#include "tools/operations/reply/text_table.h"
#include "tools/operations/workspace.h"

namespace plexus::tools {
namespace {

std::string Shown(const NodeColumn& column, const NodeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return column.name() == "text" ? text->substr(0, text->find('\n')) : *text;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    return column.is_time() ? IsoTime(*whole) : std::to_string(*whole);
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return Number(*number, 9);
  if (const auto* json = std::get_if<NodeJson>(&value)) return json->text;
  std::string joined;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value))
    for (const std::string& text : *texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

// The rows of the reply: the columns' values of each node.
struct Listed {
  NodeListReply nodes;
  std::vector<NodeColumn> columns;
  std::vector<std::vector<NodeValue>> rows;
};

bool IsEmpty(const Listed& listed, std::size_t column) {
  return std::ranges::all_of(listed.rows,
                             [&](const auto& row) { return row[column].index() == 0; });
}

// `chosen`: the columns were asked for, so all are shown, those without a value too.
std::string Page(const Snapshot& snapshot, const Listed& listed, bool keys, bool chosen) {
  std::ostringstream page;
  if (keys) {
    for (const NodeId node : listed.nodes.nodes) page << ShownKey(snapshot, node) << '\n';
    return std::move(page).str();
  }
  TextTable table;
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < listed.columns.size(); ++c) {
    const NodeColumn& column = listed.columns[c];
    if (!chosen && column.name() == "superseded_by" && IsEmpty(listed, c)) continue;
    shown.push_back(c);
    table.Column(column.name(),
                 column.is_number() ? TextTable::Align::kRight : TextTable::Align::kLeft,
                 column.name() == "text" ? 70 : 0);
  }
  for (std::size_t i = 0; i < listed.rows.size(); ++i) {
    std::vector<std::string> cells;
    for (const std::size_t c : shown)
      cells.push_back(listed.columns[c].name() == "key"
                          ? ShownKey(snapshot, listed.nodes.nodes[i])
                          : Shown(listed.columns[c], listed.rows[i][c]));
    table.Row(cells);
  }
  table.Print(page);
  if (listed.rows.size() < listed.nodes.total)
    page << "... of " << Grouped(listed.nodes.total) << '\n';
  return std::move(page).str();
}

void NoteNoSuchName(Workspace& workspace, const std::string& name) {
  workspace.notes().push_back(
      {"none of these has " + Quoted(name) + DidYouMean(name, NamesOfValues(workspace.schema()))});
}

// Columns that none of the rows has: mostly misspelt.
void NoteEmptyColumns(Workspace& workspace, const Listed& listed) {
  for (std::size_t c = 0; c < listed.columns.size() && !listed.rows.empty(); ++c)
    if (IsEmpty(listed, c)) NoteNoSuchName(workspace, listed.columns[c].name());
}

Result<Reply> Run(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(NotTogether(request, "index", "scope"));
  PLEXUS_TRY(NotTogether(request, "keys", "columns"));
  const Snapshot& snapshot = workspace.snapshot();
  NodeListRequest wanted;
  wanted.subset = workspace.scope();
  std::optional<NodeSubset> both_planes;
  if (request.Flag("index") && !request.Given("node_kinds")) {
    both_planes = NodeSubset::Alive(snapshot);
    if (request.Given("where")) {
      WhereOptions options;
      options.subset = &*both_planes;
      options.now_ms = workspace.now_ms();
      options.run.executor = &workspace.executor();
      PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
      PLEXUS_ASSIGN(WhereResult found, EvaluateWhere(snapshot, request.Text("where"), options));
      both_planes = std::move(found.nodes);
    }
    wanted.subset = &*both_planes;
  }
  wanted.sort = request.Text("sort");
  wanted.top = request.Count("top");
  PLEXUS_ASSIGN(wanted.budget, MakeBudget(request));
  wanted.columns.now_ms = workspace.now_ms();
  std::optional<NodeSubset> in_scopes;
  if (request.Given("scope")) {
    const std::vector<std::string>& scopes = request.List("scope");
    const std::vector<std::string_view> names(scopes.begin(), scopes.end());
    PLEXUS_ASSIGN(in_scopes,
                  NodeSubset::InScopes(snapshot, names, workspace.keeps_orders(), wanted.budget));
    wanted.columns.among = &*in_scopes;
  }
  PLEXUS_ASSIGN(wanted.columns.degree_kinds,
                FindEdgeKinds(workspace.schema(), request.List("kinds")));
  PLEXUS_ASSIGN(wanted.columns.backward, IsBackward(workspace.schema(), request.List("kinds")));
  Listed listed;
  for (const std::string& name : request.List("columns")) {
    PLEXUS_ASSIGN(NodeColumn column, NodeColumn::Named(snapshot, name, wanted.columns));
    for (const NodeColumn& other : listed.columns)
      if (other.name() == column.name())
        return Fail(ErrorCode::kInvalidArgument,
                    request.Name("columns") + ": names " + Quoted(column.name()) + " twice");
    for (const std::string& detail : request.List("details"))
      if (column.name() == "node_" + detail)
        return Fail(ErrorCode::kInvalidArgument, request.Name("columns") + " and " +
                                                     request.Name("details") + " both name " +
                                                     Quoted(column.name()) + "; ask for it once");
    listed.columns.push_back(std::move(column));
  }
  PLEXUS_ASSIGN(listed.nodes, ListNodes(snapshot, wanted));
  if (!wanted.sort.empty() && listed.nodes.total > 0 && !listed.nodes.sorted)
    NoteNoSuchName(workspace, listed.nodes.sorted_by);
  TimeLimit limit(wanted.budget);
  ReplyRoom room(request);
  for (const NodeId node : listed.nodes.nodes) {
    if (limit.Up() || room.Full()) break;
    std::vector<NodeValue>& row = listed.rows.emplace_back();
    for (const NodeColumn& column : listed.columns) {
      PLEXUS_ASSIGN(NodeValue value, column.Of(snapshot, node));
      if (const auto* text = std::get_if<std::string>(&value)) room.Take(text->size());
      if (const auto* json = std::get_if<NodeJson>(&value)) room.Take(json->text.size());
      row.push_back(std::move(value));
    }
  }
  listed.nodes.nodes.resize(listed.rows.size());
  const bool chosen = request.Given("columns");
  if (chosen) NoteEmptyColumns(workspace, listed);
  const bool truncated = listed.nodes.truncated || limit.was_up() || room.Full();
  std::string page = Page(snapshot, listed, request.Flag("keys"), chosen);
  Reply reply([snapshot, listed = std::move(listed)](ReplyWriter& json) {
    json.Field("total", listed.nodes.total);
    json.Objects("results", listed.rows, [&](const std::vector<NodeValue>& row) {
      for (std::size_t c = 0; c < row.size(); ++c) {
        json.Key(listed.columns[c].name());
        if (listed.columns[c].name() == "key")  // a node, so that --details follow it
          json.Node(snapshot,
                    listed.nodes.nodes[static_cast<std::size_t>(&row - listed.rows.data())]);
        else if (const auto* whole = std::get_if<std::int64_t>(&row[c]);
                 whole && listed.columns[c].is_time())
          json.Time(*whole);
        else
          WriteNodeValue(json, row[c]);
      }
    });
  });
  reply.truncated = truncated;
  reply.quiet = page.empty();
  reply.page = std::move(page);
  return reply;
}

}  // namespace

void AddList(Rows& rows) {
  rows.push_back(
      {.name = "list",
       .group = "Look",
       .title = "Nodes by an expression",
       .summary = "Nodes that an expression selects, sorted, with columns of choice",
       .parameters =
           Parameters{
               List("columns", "A,B",
                    "what to show: key, kind, tags, scope, text, columns, properties "
                    "(props.NAME), degree, in_degree, out_degree, superseded_by")
                   .Default(std::vector<std::string>{"key", "kind", "text", "superseded_by"}),
               Text("sort", "NAME",
                    "by this value, smallest first; NAME:desc largest first; nodes without one "
                    "last (default: in order of arrival). degree:desc: what is tied most"),
               KindsParameter("edges of these kinds count as degree (default: all facts)"),
               Top(20, "at most K nodes; 0 = all"),
               Flag("index", "tags, events and other index nodes, too"),
               Flag("keys", "show keys only, one a line")},
       .reply = "total:n, results:[{*:j}]",
       .tables = {{"results", {}}},
       .examples =
           {{"plexus list --db g --where \"kind = 'memory' and created_at >= '2026-01-01'\" "
             "--sort trust:desc",
             "names are kind, key, tag, scope, text, columns and properties; tests = != < <= > >=, "
             "in ('a', 'b'), like 'a%', ilike, exists NAME; and, or, not, ( ). Text stands in "
             "single "
             "quotes, times in ISO 8601. Questions (pagerank, search ...) take --where, too"},
            {"plexus list --db g --sort in_degree:desc --kinds cites --columns key,in_degree",
             "what is cited most"},
            {"plexus list --db g --where \"not exists props.source\" --columns "
             "key,created_at,props.author --format csv",
             "what has no source, as a table for another program"}},
       .run = Run});
}

}  // namespace plexus::tools
