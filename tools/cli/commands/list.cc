// list: nodes that an expression selects, in a chosen order, with chosen columns.
#include <optional>
#include <string>
#include <vector>

#include "algorithms/retrieval/where.h"
#include "engine/times.h"
#include "tools/cli/arguments.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/names.h"
#include "tools/operations/node_list.h"

namespace plexus::tools {
namespace {

struct ListArguments {
  std::vector<std::string> columns;
  std::string sort;
  std::optional<std::uint64_t> top;
  bool index_nodes = false, keys = false;
};

void WriteValue(JsonWriter& json, const NodeValue& value) {
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          json.Value(nullptr);
        } else if constexpr (std::is_same_v<Held, std::vector<std::string>>) {
          json.BeginArray();
          for (const std::string& text : held) json.Value(text);
          json.EndArray();
        } else {
          json.Value(held);
        }
      },
      value);
}

std::string Shown(const NodeColumn& column, const NodeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return column.name() == "text" ? text->substr(0, text->find('\n')) : *text;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    return column.is_time() ? IsoTime(*whole) : std::to_string(*whole);
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return Number(*number, 9);
  std::string joined;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value))
    for (const std::string& text : *texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

Status WriteList(const Snapshot& snapshot, const NodeListReply& reply,
                 const std::vector<NodeColumn>& columns) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("total", reply.total);
  json.BeginArray("nodes");
  for (const NodeId node : reply.nodes) {
    json.BeginObject();
    for (const NodeColumn& column : columns) {
      PLEXUS_ASSIGN(const NodeValue value, column.Of(snapshot, node));
      json.Key(column.name());
      WriteValue(json, value);
    }
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  Out() << '\n';
  return {};
}

Status PrintList(const Globals& globals, const Snapshot& snapshot, const NodeListReply& reply,
                 const std::vector<NodeColumn>& columns) {
  Table table;
  std::vector<bool> met(columns.size());
  for (const NodeColumn& column : columns)
    table.Column(column.name(), column.is_number() ? Table::Align::kRight : Table::Align::kLeft,
                 column.name() == "text" ? 70 : 0);
  for (const NodeId node : reply.nodes) {
    std::vector<std::string> row;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      PLEXUS_ASSIGN(const NodeValue value, columns[i].Of(snapshot, node));
      if (value.index() != 0) met[i] = true;
      row.push_back(columns[i].name() == "key" ? ShownKey(snapshot, node)
                                               : Shown(columns[i], value));
    }
    table.Row(row);
  }
  table.Print(Out());
  if (reply.nodes.size() < reply.total) Out() << "... of " << Grouped(reply.total) << '\n';
  for (std::size_t i = 0; i < columns.size() && !globals.quiet && !reply.nodes.empty(); ++i)
    if (!met[i]) PrintNote("none of these has '" + columns[i].name() + "'");
  return {};
}

Result<int> RunList(const Globals& globals, const ListArguments& given) {
  PLEXUS_TRY(NotTogether(given.index_nodes, "--index", !globals.scopes.empty(), "--scope"));
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  NodeListRequest request;
  request.subset = session->scope();
  std::optional<NodeSubset> both_planes;
  if (given.index_nodes) {
    both_planes = NodeSubset::Alive(snapshot);
    if (!globals.where.empty()) {
      WhereOptions options;
      options.subset = &*both_planes;
      options.executor = &session->executor();
      PLEXUS_ASSIGN(WhereResult found, EvaluateWhere(snapshot, globals.where, options));
      both_planes = std::move(found.nodes);
    }
    request.subset = &*both_planes;
  }
  request.sort = given.sort;
  request.top = given.top.value_or(20);
  std::vector<std::string> names = given.columns;
  if (names.empty()) names = {"key", "kind", "text"};
  std::vector<NodeColumn> columns;
  for (const std::string& name : names) {
    PLEXUS_ASSIGN(NodeColumn column, NodeColumn::Named(snapshot, name));
    columns.push_back(std::move(column));
  }
  PLEXUS_ASSIGN(const NodeListReply reply, ListNodes(snapshot, request));
  session->EndProgress();
  if (globals.json) {
    PLEXUS_TRY(WriteList(snapshot, reply, columns));
  } else if (given.keys) {
    for (const NodeId node : reply.nodes) Out() << ShownKey(snapshot, node) << '\n';
  } else {
    PLEXUS_TRY(PrintList(globals, snapshot, reply, columns));
  }
  return kDone;
}

}  // namespace

void AddList(Cli& cli) {
  static ListArguments given;
  cli.Add("Look", "list", "Nodes that an expression selects, sorted, with columns of choice",
          [](const Globals& globals) { return RunList(globals, given); })
      .List("--columns", "A,B", given.columns,
            "what to show: key, kind, tags, scope, text, columns, properties (props.NAME)\n"
            "(default key,kind,text)")
      .Option("--sort", "NAME", given.sort,
              "by this value, smallest first; NAME:desc largest first; nodes without one last\n"
              "(default: in order of arrival)")
      .Option("--top", "K", given.top, "at most K nodes; 0 = all (default 20)")
      .Flag("--index", given.index_nodes, "tags, events and other index nodes, too")
      .Flag("--keys", given.keys, "print keys only, one a line")
      .Example(
          "plexus list --db g --where \"kind = 'memory' and created_at >= '2026-01-01'\" "
          "--sort trust:desc",
          "--where: names (kind, key, tag, scope, text, columns, properties) with\n"
          "      = != < <= > >=, in ('a', 'b'), like 'a%', ilike, exists NAME, and, or, not, ( );\n"
          "      text in single quotes, times in ISO 8601. Questions (pagerank, search ...) take "
          "it, "
          "too")
      .Example(
          "plexus list --db g --where \"not exists props.source\" --columns "
          "key,created_at,props.author --json",
          "what has no source, as JSON");
}

}  // namespace plexus::tools
