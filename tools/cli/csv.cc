// CSV from a reply held whole.
#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "tools/cli/tables.h"
#include "tools/operations/framework/layout.h"
#include "tools/operations/framework/shape.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools {
namespace {

// A value as JSON, from a tree.
void WriteTree(const TreeNode& node, const Snapshot& snapshot, ReplyWriter& json) {
  std::visit(
      [&](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          json.Raw("null");
        } else if constexpr (std::is_same_v<T, TreeNode::Array>) {
          json.BeginArray();
          for (const TreeNode& element : held) WriteTree(element, snapshot, json);
          json.EndArray();
        } else if constexpr (std::is_same_v<T, TreeNode::Object>) {
          json.BeginObject();
          for (const auto& [name, member] : held) {
            json.Key(name);
            WriteTree(member, snapshot, json);
          }
          json.EndObject();
        } else if constexpr (std::is_same_v<T, TreeNode::Node>) {
          json.Node(snapshot, held.id);
        } else if constexpr (std::is_same_v<T, TreeNode::Json>) {
          json.Raw(held.text);
        } else if constexpr (std::is_same_v<T, std::string>) {
          json.Value(std::string_view(held));
        } else {
          json.Value(held);
        }
      },
      node.value);
}

// Names of the members that rows have by the reply's shape; the outer ones first.
std::vector<std::string> CsvNames(const Shape& reply, const std::string& list) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& path, const std::string& except) {
    for (const ShapeMember& member : FindMember(reply, path)->element().members)
      if (member.name != except) names.push_back(member.name);
  };
  if (const std::size_t slash = list.find('/'); slash != list.npos)
    add(list.substr(0, slash), list.substr(slash + 1));
  add(list, "");
  return names;
}

std::string CsvText(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string CsvCell(const TreeNode* cell, const Snapshot& snapshot) {
  if (!cell) return "";
  std::string text;
  if (const auto* words = std::get_if<std::string>(&cell->value)) {
    text = *words;
  } else if (const NodeId* node = cell->node()) {
    text = snapshot.key(*node);
  } else if (const auto* json = std::get_if<TreeNode::Json>(&cell->value);
             !std::holds_alternative<std::monostate>(cell->value) &&
             !(json && json->text == "null")) {
    text = JsonText([&](JsonWriter& writer) { WriteTree(*cell, snapshot, writer); });
  }
  return CsvText(text);
}

void PrintCsv(const Request& request, const TreeWriter& reply, std::ostream& out) {
  std::vector<ReplyRow> rows;
  std::string list;
  for (const Layout& layout : LayoutsOf(request.operation())) {
    if (!reply.root().Find(layout.list.substr(0, layout.list.find('/')))) continue;
    list = layout.list;
    rows = RowsOf(reply.root(), list);
    break;
  }
  std::vector<std::string> names;
  if (list.empty()) {
    rows.push_back({nullptr, &reply.root(), true, 1});
    for (const auto& [name, member] : *reply.root().object()) names.push_back(name);
  } else {
    names = CsvNames(ParseShape(request.operation().reply), list);
    if (names.empty() && !rows.empty()) {  // the shape leaves them to the request
      for (const ReplyRow& row : rows)
        for (const auto& [name, member] : *row.inner->object())
          if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    } else if (names.empty() && request.Has("columns")) {
      names = request.List("columns");
    }
  }
  if (request.Given("details"))
    for (const std::string& what : request.List("details"))
      if (std::ranges::find(names, "node_" + what) == names.end()) names.push_back("node_" + what);
  std::erase(names, "node_columns");  // each value has a column of its own
  const std::size_t own = names.size();
  for (const std::string& column : request.List("node_columns")) names.push_back(column);
  for (std::size_t i = 0; i < names.size(); ++i) out << (i ? "," : "") << CsvText(names[i]);
  out << '\n';
  for (const ReplyRow& row : rows) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const TreeNode* of = i < own ? row.inner : row.inner->Find("node_columns");
      const TreeNode* cell = of ? of->Find(names[i]) : nullptr;
      if (i < own && !cell && row.outer) cell = row.outer->Find(names[i]);
      out << (i ? "," : "") << CsvCell(cell, reply.snapshot());
    }
    out << '\n';
  }
}

}  // namespace plexus::tools
