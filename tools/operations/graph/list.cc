// list: nodes, or edges, that an expression selects, in a chosen order, with chosen columns.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/retrieval/scan.h"
#include "engine/times.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/graph/edge_table.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/node_list.h"
#include "tools/operations/reply/text_table.h"

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
  std::optional<EdgeTable> edges;  // `nodes` are its nodes

  // The node of the graph whose key a value of this row is; kNoNode: the value is no key.
  NodeId Named(const NodeColumn& column, std::size_t row) const {
    if (!edges) return column.name() == "key" ? nodes.nodes[row] : kNoNode;
    const EdgeTable::Ends& ends = edges->ends[nodes.nodes[row]];
    if (column.name() == "source") return ends.source;
    return column.name() == "target" ? ends.target : kNoNode;
  }
};

bool IsEmpty(const Listed& listed, std::size_t column) {
  return std::ranges::all_of(listed.rows,
                             [&](const auto& row) { return row[column].index() == 0; });
}

// `chosen`: the columns were asked for, so all are shown, those without a value too.
std::string Page(const Snapshot& snapshot, const Listed& listed, bool keys, bool chosen) {
  std::string page;
  if (keys) {
    for (const NodeId node : listed.nodes.nodes) page += ShownKey(snapshot, node) + '\n';
    return page;
  }
  TextTable table;
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < listed.columns.size(); ++c) {
    const NodeColumn& column = listed.columns[c];
    if (!chosen && (listed.edges || column.name() == "superseded_by") && IsEmpty(listed, c))
      continue;
    shown.push_back(c);
    table.Column(column.name(),
                 column.is_number() ? TextTable::Align::kRight : TextTable::Align::kLeft,
                 column.name() == "text" ? 70 : 0);
  }
  for (std::size_t i = 0; i < listed.rows.size(); ++i) {
    std::vector<std::string> cells;
    for (const std::size_t c : shown) {
      const NodeId named = listed.Named(listed.columns[c], i);
      cells.push_back(named != kNoNode ? ShownKey(snapshot, named)
                                       : Shown(listed.columns[c], listed.rows[i][c]));
    }
    table.Row(cells);
  }
  page = table.Text();
  if (listed.rows.size() < listed.nodes.total)
    page += "... of " + Grouped(listed.nodes.total) + '\n';
  return page;
}

void NoteNoSuchName(Workspace& workspace, const Schema& schema, const std::string& name) {
  workspace.notes().push_back(
      {"none of these has " + Quoted(name) + DidYouMean(name, NamesOfValues(schema))});
}

// Columns that none of the rows has: mostly misspelt.
void NoteEmptyColumns(Workspace& workspace, const Schema& schema, const Listed& listed) {
  for (std::size_t c = 0; c < listed.columns.size() && !listed.rows.empty(); ++c)
    if (IsEmpty(listed, c)) NoteNoSuchName(workspace, schema, listed.columns[c].name());
}

// Of `of` what the expression selects.
Result<NodeSubset> Selected(const Workspace& workspace, const Request& request,
                            const Snapshot& snapshot, const NodeSubset& of) {
  if (!request.Given("where")) return of;
  retrieval::WhereOptions options;
  options.subset = &of;
  options.now_ms = workspace.now_ms();
  options.run.executor = &workspace.executor();
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
  PLEXUS_ASSIGN(retrieval::WhereResult found,
                retrieval::EvaluateWhere(snapshot, request.Text("where"), options));
  return std::move(found.nodes);
}

const std::vector<std::string>& ColumnsOf(const Request& request) {
  static const std::vector<std::string> of_edges = {"source", "kind",       "target",    "label",
                                                    "weight", "created_at", "created_by"};
  return request.Flag("edges") && !request.Given("columns") ? of_edges : request.List("columns");
}

const std::vector<std::string>& NamesOfEdges() {
  static const std::vector<std::string> names = {"source",     "kind",       "target",
                                                 "label",      "weight",     "created_at",
                                                 "created_by", "valid_from", "valid_until"};
  return names;
}

// What nodes have and edges do not is refused, or it would be that of the table.
Status CheckNameOfEdges(const Request& request, const char* parameter, std::string_view name) {
  constexpr std::string_view kOfNodes[] = {
      "key", "tag", "tags", "scope", "text", "degree", "in_degree", "out_degree", "superseded_by"};
  if (std::ranges::find(kOfNodes, name) == std::end(kOfNodes)) return {};
  std::string known;
  for (const std::string& one : NamesOfEdges()) known += one + ", ";
  return Invalid(request.Name(parameter), ": edges have no ", Quoted(name), "; they have ", known,
                 "props.NAME");
}

// The names of an expression: its words outside of quotes. A text in quotes is that of the name
// before it.
Status CheckWhereOfEdges(const Request& request, const Schema& schema) {
  const std::string& text = request.Text("where");
  const auto of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  constexpr std::string_view kSigns[] = {"in", "not", "like", "ilike"};
  std::string_view name;
  bool pattern = false;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '"') {  // a name with blanks, of a property
      end = std::min(text.find('"', end), text.size() - 1) + 1;
      name = {};
    } else if (text[at] == '\'') {
      end = std::min(text.find('\'', end), text.size() - 1) + 1;
      const std::string_view quoted = std::string_view(text).substr(at + 1, end - at - 2);
      const auto kind = schema.FindEdgeKind(quoted);
      if (!kind && name == "kind" && !pattern)  // the table has kinds of nodes, too
        return Invalid(request.Name("where"), ": ",
                       FindEdgeKind(schema, std::string(quoted)).error().message);
      if (kind && kind->reversed && name == "kind")
        return Invalid(request.Name("where"), ": ", Quoted(quoted), " is the inverse of ",
                       schema.edge_kind(kind->kind).name, ", which is stored: write kind = '",
                       schema.edge_kind(kind->kind).name, "'; its source is the other's target");
    } else if (of_name(text[at])) {
      while (end < text.size() && of_name(text[end])) ++end;
      const std::string_view word = std::string_view(text).substr(at, end - at);
      PLEXUS_TRY(CheckNameOfEdges(request, "where", word));
      std::string lower(word);
      for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (std::ranges::find(kSigns, lower) == std::end(kSigns)) name = word;
      pattern = lower.ends_with("like");
    }
    at = end;
  }
  return {};
}

Status CheckEdgesRequest(const Request& request, const Schema& schema) {
  for (const std::string& name : ColumnsOf(request))
    PLEXUS_TRY(CheckNameOfEdges(request, "columns", name));
  const std::string& sort = request.Text("sort");
  PLEXUS_TRY(CheckNameOfEdges(request, "sort", std::string_view(sort).substr(0, sort.find(':'))));
  return request.Given("where") ? CheckWhereOfEdges(request, schema) : Status();
}

// As Workspace does of nodes.
void NoteUnknownNames(Workspace& workspace, const Request& request, const Snapshot& rows) {
  const auto expression =
      retrieval::WhereExpression::Compile(request.Text("where"), rows.schema(), workspace.now_ms());
  if (!expression) return;
  for (const std::string& name : expression->BareProperties()) {
    const std::string near = DidYouMean(name, NamesOfEdges());
    if (near.empty() && rows.node_count() > 0) continue;
    workspace.notes().push_back({request.Name("where") + ": " + Quoted(name) +
                                 " is no column of edges and taken for a property" + near});
  }
}

Result<Reply> RunList(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(NotTogether(request, "index", "scope"));
  PLEXUS_TRY(NotTogether(request, "keys", "columns"));
  for (const char* of_nodes : {"index", "keys", "details", "node_columns"})
    PLEXUS_TRY(NotTogether(request, "edges", of_nodes));
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const EdgeKinds kinds, FindEdgeKinds(workspace.schema(), request.List("kinds")));
  Listed listed;
  NodeListRequest wanted;
  wanted.subset = workspace.scope();
  PLEXUS_ASSIGN(wanted.budget, MakeBudget(request));
  if (request.Flag("edges")) {
    PLEXUS_TRY(CheckEdgesRequest(request, snapshot.schema()));
    SelectEdges select;
    if (request.Given("where"))
      select = [&](const Snapshot& table) {
        return Selected(workspace, request, table, NodeSubset::Alive(table));
      };
    PLEXUS_ASSIGN(listed.edges,
                  TableOfEdges(snapshot, ArcFilter::Kinds(snapshot.schema(), kinds),
                               workspace.scope(), select, wanted.budget, workspace.executor()));
    if (select) NoteUnknownNames(workspace, request, listed.edges->snapshot);
  }
  const Snapshot& rows = listed.edges ? listed.edges->snapshot : snapshot;
  std::optional<NodeSubset> both_planes;
  if (listed.edges) both_planes = NodeSubset::Alive(rows);  // they are selected
  if (request.Flag("index") && !request.Given("node_kinds"))
    PLEXUS_SET(both_planes, Selected(workspace, request, rows, NodeSubset::Alive(rows)));
  if (both_planes) wanted.subset = &*both_planes;
  wanted.sort = request.Text("sort");
  wanted.top = request.Count("top");
  wanted.columns.now_ms = workspace.now_ms();
  std::optional<NodeSubset> in_scopes;
  if (request.Given("scope") && !listed.edges) {
    const std::vector<std::string>& scopes = request.List("scope");
    const std::vector<std::string_view> names(scopes.begin(), scopes.end());
    PLEXUS_ASSIGN(in_scopes,
                  NodeSubset::InScopes(snapshot, names, workspace.keeps_orders(), wanted.budget));
    wanted.columns.among = &*in_scopes;
  }
  if (!listed.edges) wanted.columns.degree_kinds = kinds;
  PLEXUS_ASSIGN(wanted.columns.backward, IsBackward(workspace.schema(), request.List("kinds")));
  for (const std::string& name : ColumnsOf(request)) {
    PLEXUS_ASSIGN(NodeColumn column, NodeColumn::Named(rows, name, wanted.columns));
    for (const NodeColumn& other : listed.columns)
      if (other.name() == column.name())
        return Invalid(request.Name("columns"), ": names ", Quoted(column.name()), " twice");
    for (const std::string& detail : request.List("details"))
      if (column.name() == "node_" + detail)
        return Invalid(request.Name("columns"), " and ", request.Name("details"), " both name ",
                       Quoted(column.name()), "; ask for it once");
    listed.columns.push_back(std::move(column));
  }
  PLEXUS_ASSIGN(listed.nodes, ListNodes(rows, wanted));
  if (!wanted.sort.empty() && listed.nodes.total > 0 && !listed.nodes.sorted)
    NoteNoSuchName(workspace, rows.schema(), listed.nodes.sorted_by);
  TimeLimit limit(wanted.budget);
  ReplyRoom room(request);
  for (const NodeId node : listed.nodes.nodes) {
    if (limit.Up() || room.Full()) break;
    std::vector<NodeValue>& row = listed.rows.emplace_back();
    for (const NodeColumn& column : listed.columns) {
      PLEXUS_ASSIGN(NodeValue value, column.Of(rows, node));
      if (const auto* text = std::get_if<std::string>(&value)) room.Take(text->size());
      if (const auto* json = std::get_if<NodeJson>(&value)) room.Take(json->text.size());
      row.push_back(std::move(value));
    }
  }
  listed.nodes.nodes.resize(listed.rows.size());
  const bool chosen = request.Given("columns");
  if (chosen) NoteEmptyColumns(workspace, rows.schema(), listed);
  const bool truncated = listed.nodes.truncated || limit.was_up() || room.Full() ||
                         (listed.edges && listed.edges->truncated);
  const auto shared = std::make_shared<const Listed>(std::move(listed));
  Reply reply([snapshot, shared](ReplyWriter& json) {
    json.Field("total", shared->nodes.total);
    json.Objects("results", shared->rows, [&](const std::vector<NodeValue>& row) {
      for (std::size_t c = 0; c < row.size(); ++c) {
        const NodeColumn& column = shared->columns[c];
        json.Key(column.name());
        const NodeId named =
            shared->Named(column, static_cast<std::size_t>(&row - shared->rows.data()));
        if (named != kNoNode)  // so that --details follow it
          json.Node(snapshot, named);
        else
          WriteNodeValue(json, row[c], column.is_time());
      }
    });
  });
  reply.truncated = truncated;
  reply.own_table = [snapshot, shared, keys = request.Flag("keys"), chosen] {
    return Page(snapshot, *shared, keys, chosen);
  };
  return reply;
}

}  // namespace

void AddList(Rows& rows) {
  rows.push_back(
      {.name = "list",
       .group = "Look",
       .title = "Nodes or edges by an expression",
       .summary =
           "List the nodes that an expression selects, or edges, sorted, with chosen columns",
       .parameters =
           Parameters{
               List("columns", "A,B",
                    "what to show: key, kind, tags, scope, text, columns, properties "
                    "(props.NAME), degree, in_degree, out_degree, superseded_by")
                   .Default(std::vector<std::string>{"key", "kind", "text", "superseded_by"}),
               Text("sort", "NAME",
                    "by this value, smallest first; NAME:desc largest first; nodes without one "
                    "last (default: in order of arrival). degree:desc: the nodes with most edges"),
               Flag("edges",
                    "list edges: --where, --sort and --columns name source, kind, target, label, "
                    "weight, created_at, created_by, valid_from, valid_until and props.NAME"),
               KindsParameter("edges of these kinds count as degree, or are listed (default: all "
                              "facts)"),
               Top(20, "at most K nodes; 0 = all"),
               Flag("index", "tags, events and other index nodes, too"),
               Flag("keys", "show keys only, one a line")},
       .reply = "total:n, results:[{*:j}]",
       .tables = "results:",
       .examples =
           {{"plexus list --db g --where \"kind = 'memory' and created_at >= '2026-01-01'\" "
             "--sort trust:desc",
             "names are kind, key, tag, scope, text, columns and properties; tests = != < <= > >=, "
             "in ('a', 'b'), like 'a%', ilike, exists NAME; and, or, not, ( ). Text is written in "
             "single quotes, times in ISO 8601. Questions (pagerank, search ...) take --where, "
             "too"},
            {"plexus list --db g --sort in_degree:desc --kinds cites --columns key,in_degree",
             "the nodes that are cited most"},
            {"plexus list --db g --where \"not exists props.source\" --columns "
             "key,created_at,props.author --format csv",
             "nodes without a source, as a table for another program"},
            {"plexus list --db g --edges --kinds supports,causes --where \"weight > 0.8 and "
             "created_at >= '2026-01-01'\" --sort weight:desc",
             "the strongest new edges of two kinds"}},
       .run = RunList});
}

}  // namespace plexus::tools
