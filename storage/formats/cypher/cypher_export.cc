// Cypher: the fact plane as CREATE statements, one a line, for Neo4j, Memgraph and their shells.
//
// A node has its kind and Plexus as labels, so that one index serves all look-ups of keys. What
// a property of Cypher cannot be (a map, a list of unlike values) is JSON in a text. An undirected
// edge is written once.
#include <algorithm>
#include <type_traits>

#include "engine/out_of_memory.h"
#include "engine/properties/json_writer.h"
#include "engine/properties/properties.h"
#include "engine/properties/split_properties.h"
#include "storage/formats/base/column_value.h"
#include "storage/formats/base/export_selection.h"
#include "storage/formats/export.h"

namespace plexus::formats {

using namespace internal;
using namespace engine_internal;

namespace {

void AppendName(std::string& out, std::string_view name) {
  out += '`';
  for (const char c : name) out.append(c == '`' ? 2 : 1, c);
  out += '`';
}

// One literal on one line, whatever the text holds.
void AppendText(std::string& out, std::string_view text) {
  out += '\'';
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\')
      out.append(1, '\\').append(1, c);
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (u < 0x20 || u == 0x7f)
      AppendEscape(out, u);
    else
      out += c;
  }
  out += '\'';
}

bool IsNumber(PropertyType type) {
  return type == PropertyType::kInt || type == PropertyType::kUint || type == PropertyType::kDouble;
}

bool IsPlainList(const PropertyView& value) {
  if (value.type() != PropertyType::kList) return false;
  const auto sort = [](PropertyType type) { return IsNumber(type) ? PropertyType::kDouble : type; };
  for (std::size_t i = 0; i < value.size(); ++i) {
    const PropertyType type = sort(value[i].type());
    if (type != sort(value[0].type()) || type == PropertyType::kNull ||
        type == PropertyType::kList || type == PropertyType::kMap)
      return false;
  }
  return true;
}

void AppendValue(std::string& out, const PropertyView& value) {
  if (value.type() == PropertyType::kString) return AppendText(out, *value.AsString());
  if (IsPlainList(value)) {
    out += '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out += ", ";
      AppendValue(out, value[i]);
    }
    out += ']';
    return;
  }
  std::string json;
  AppendJson(json, value);
  if (value.type() == PropertyType::kMap || value.type() == PropertyType::kList)
    AppendText(out, json);
  else
    out += json;
}

// The map behind a node or an edge; members come in the order in which they are added.
class CypherMap {
 public:
  explicit CypherMap(std::string& out) : out_(out) { out_ += " {"; }
  template <class T>
  void Member(std::string_view name, const T& value) {
    Name(name);
    if constexpr (std::is_arithmetic_v<T>)
      AppendNumber(out_, value);
    else
      AppendText(out_, value);
  }
  void Tags(const std::vector<std::string_view>& tags) {
    if (tags.empty()) return;
    Name("tags");
    out_ += '[';
    for (std::size_t i = 0; i < tags.size(); ++i) {
      if (i > 0) out_ += ", ";
      AppendText(out_, tags[i]);
    }
    out_ += ']';
  }
  // Properties; one of a name that is taken is `props.NAME`.
  Status Properties(const Snapshot& s, PayloadRef ref) {
    PLEXUS_ASSIGN(const std::string bytes, s.PayloadOrEmpty(ref));
    PLEXUS_ASSIGN(const PropertyMap map, PropertyMap::Read(bytes));
    const PropertyView root = map.root();
    for (std::size_t i = 0; i < root.size(); ++i) {
      if (root[i].is_null()) continue;
      std::string name(root.name(i));
      if (std::ranges::find(names_, name) != names_.end()) name = "props." + name;
      Name(name);
      AppendValue(out_, root[i]);
    }
    return {};
  }
  void End() { out_ += '}'; }

 private:
  void Name(std::string_view name) {
    if (!names_.empty()) out_ += ", ";
    names_.emplace_back(name);
    AppendName(out_, name);
    out_ += ": ";
  }
  std::string& out_;
  std::vector<std::string> names_;
};

Status WriteNode(const Snapshot& s, NodeId v, const std::vector<ColumnId>& columns,
                 std::string& out) {
  out += "CREATE (:`Plexus`:";
  AppendName(out, s.schema().node_kind(s.node_kind(v)).name);
  CypherMap map(out);
  map.Member("key", s.key(v));
  PLEXUS_ASSIGN(const std::string text, s.PayloadOrEmpty(s.payload_ref(v, NodeField::kText)));
  if (!text.empty()) map.Member("text", text);
  map.Tags(Tags(s, v));
  for (const ColumnId c : columns)
    VisitColumn(s, v, c, [&](auto value) { map.Member(s.schema().columns()[c].name, value); });
  PLEXUS_TRY(map.Properties(s, s.payload_ref(v, NodeField::kProperties)));
  map.End();
  out += ");";
  return {};
}

Status WriteEdge(const Snapshot& s, const Edge& e, std::string& out) {
  out += "MATCH (a:`Plexus` {key: ";
  AppendText(out, s.key(e.source));
  out += "}), (b:`Plexus` {key: ";
  AppendText(out, s.key(e.target));
  out += "}) CREATE (a)-[:";
  AppendName(out, s.schema().edge_kind(e.kind).name);
  CypherMap map(out);
  map.Member("weight", e.weight);
  map.Member("created_at", e.created_at);
  if (e.label) map.Member("label", s.string(e.label));
  if (e.created_by) map.Member("created_by", s.string(e.created_by));
  if (const auto from = Time(e.valid_from)) map.Member("valid_from", *from);
  if (const auto until = Time(e.valid_until)) map.Member("valid_until", *until);
  PLEXUS_TRY(map.Properties(s, e.properties));
  map.End();
  out += "]->(b);";
  return {};
}

}  // namespace

Status ExportCypher(const Snapshot& s, std::ostream& stream, const ExportOptions& options) try {
  ExportSink sink(stream, options.progress, s.node_count());
  std::string& out = sink.text();
  const std::vector<ColumnId> columns = UsedColumns(s);
  const auto write_node = [&](NodeId v) -> Status {
    PLEXUS_TRY(WriteNode(s, v, columns, out));
    return sink.EndRow();
  };
  PLEXUS_TRY(ForEachIncluded(s, options, sink, write_node));
  const auto write_edge = [&](const Edge& e) -> Status {
    PLEXUS_TRY(WriteEdge(s, e, out));
    return sink.EndRow();
  };
  PLEXUS_TRY(ForEachSelected(s, options, sink, write_edge));
  return sink.Finish();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::formats
