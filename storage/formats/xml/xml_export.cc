// GraphML and GEXF: the fact plane for drawing programs.
//
// Both name their attributes first and then give values by name. XML 1.0 has no
// place for most control characters, not even escaped: those go out as \u001b, one way.
// NetworkX reads no graph of edges of both sorts: where all edges are undirected, so is the graph.
#include <type_traits>
#include <vector>

#include "engine/out_of_memory.h"
#include "engine/properties/json_writer.h"
#include "storage/formats/base/column_value.h"
#include "storage/formats/base/export_selection.h"
#include "storage/formats/base/text.h"

namespace plexus::formats {

using namespace internal;
using namespace engine_internal;

namespace {

void AppendXml(std::string& out, std::string_view text) {
  constexpr std::string_view kSpecial = "&<>\"\t\n\r";
  constexpr std::string_view kWritten[] = {"&amp;", "&lt;",  "&gt;", "&quot;",
                                           "&#9;",  "&#10;", "&#13;"};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto u = static_cast<unsigned char>(c);
    if (const std::size_t at = kSpecial.find(c); at != kSpecial.npos) {
      out += kWritten[at];
    } else if (u < 0x20) {
      AppendEscape(out, u);
    } else if (text.substr(i).starts_with("\xef\xbf\xbe") ||
               text.substr(i).starts_with("\xef\xbf\xbf")) {
      out += text[i + 2] == '\xbe' ? "\\ufffe" : "\\uffff";
      i += 2;
    } else {
      out += c;
    }
  }
}

void AppendAttribute(std::string& out, std::string_view name, std::string_view value) {
  out.append(" ").append(name).append("=\"");
  AppendXml(out, value);
  out += '"';
}

std::string_view TypeName(ColumnType type) {
  return type == ColumnType::kF64 ? "double" : type == ColumnType::kI64 ? "long" : "string";
}

struct Declared {
  std::string_view id, name, type;
};
constexpr Declared kNodeData[] = {{"n_kind", "kind", "string"},
                                  {"n_text", "text", "string"},
                                  {"n_tags", "tags", "string"},
                                  {"n_props", "props", "string"}};
constexpr Declared kEdgeData[] = {{"e_kind", "kind", "string"},
                                  {"e_weight", "weight", "double"},
                                  {"e_label", "label", "string"},
                                  {"e_created_at", "created_at", "long"},
                                  {"e_created_by", "created_by", "string"},
                                  {"e_valid_from", "valid_from", "long"},
                                  {"e_valid_until", "valid_until", "long"},
                                  {"e_props", "props", "string"}};

// Calls value(id, text) for everything a node or an edge has, by the ids above; columns
// are c0, c1 ... by their number.
// Properties are p0, p1 ... of nodes, q0, q1 ... of edges where they are columns.
struct XmlColumns {
  std::vector<ColumnId> columns;
  PropertyColumns of_nodes, of_edges;

  static Result<XmlColumns> Of(const Snapshot& s, const ExportOptions& options, ExportSink& sink) {
    XmlColumns made;
    made.columns = UsedColumns(s);
    std::vector<std::string> nodes = {"kind", "text", "tags", "props"}, edges = {"props"};
    for (const Column& column : s.schema().columns()) nodes.push_back(column.name);
    for (const Declared& d : kEdgeData) edges.emplace_back(d.name);
    PLEXUS_ASSIGN(made.of_nodes, PropertyColumns::OfNodes(s, options, {nodes}));
    PLEXUS_ASSIGN(made.of_edges, PropertyColumns::OfEdges(s, options, sink, {edges}));
    return made;
  }
  // declare(id, name, type)
  template <class Declare>
  void DeclareNodes(const Snapshot& s, Declare&& declare) const {
    for (const Declared& d : kNodeData) declare(d.id, d.name, d.type);
    for (ColumnId c : columns)
      declare("c" + std::to_string(c), s.schema().columns()[c].name,
              TypeName(s.schema().columns()[c].type));
    for (std::size_t i = 0; i < of_nodes.names.size(); ++i)
      declare("p" + std::to_string(i), of_nodes.names[i], of_nodes.types[i]);
  }
  template <class Declare>
  void DeclareEdges(Declare&& declare) const {
    for (const Declared& d : kEdgeData) declare(d.id, d.name, d.type);
    for (std::size_t i = 0; i < of_edges.names.size(); ++i)
      declare("q" + std::to_string(i), of_edges.names[i], of_edges.types[i]);
  }
};

template <class Value>
Status PropertyValues(const Snapshot& s, PayloadRef ref, const PropertyColumns& own, char letter,
                      const char* rest, Value&& value) {
  if (own.names.empty()) {
    PLEXUS_ASSIGN(const std::string properties, PropertiesJson(s, ref));
    if (!properties.empty()) value(rest, properties);
    return {};
  }
  PLEXUS_ASSIGN(const SpreadProperties spread, Spread(s, ref, own));
  for (std::size_t i = 0; i < spread.cells.size(); ++i)
    if (!spread.cells[i].empty()) value(letter + std::to_string(i), spread.cells[i]);
  if (!spread.rest.empty()) value(rest, spread.rest);
  return {};
}

template <class Value>
Status NodeValues(const Snapshot& s, const XmlColumns& xml, NodeId v, Value&& value) {
  if (s.node_kind(v) != builtin::kNode) value("n_kind", s.schema().node_kind(s.node_kind(v)).name);
  PLEXUS_ASSIGN(const std::string text, s.PayloadOrEmpty(s.payload_ref(v, NodeField::kText)));
  if (!text.empty()) value("n_text", text);
  if (const std::string tags = WriteTagList(Tags(s, v)); !tags.empty()) value("n_tags", tags);
  for (ColumnId c : xml.columns) {
    std::string spelled;
    VisitColumn(s, v, c, [&](auto x) {
      if constexpr (std::is_arithmetic_v<decltype(x)>)
        AppendNumber(spelled, x);
      else
        spelled = x;
    });
    if (!spelled.empty()) value("c" + std::to_string(c), spelled);
  }
  return PropertyValues(s, s.payload_ref(v, NodeField::kProperties), xml.of_nodes, 'p', "n_props",
                        value);
}

template <class Value>
Status EdgeValues(const Snapshot& s, const XmlColumns& xml, const Edge& e, Value&& value) {
  const auto number = [&](std::string_view id, auto x) {
    std::string spelled;
    AppendNumber(spelled, x);
    value(id, spelled);
  };
  value("e_kind", s.schema().edge_kind(e.kind).name);
  number("e_weight", e.weight);
  if (e.label) value("e_label", s.string(e.label));
  number("e_created_at", e.created_at);
  if (e.created_by) value("e_created_by", s.string(e.created_by));
  if (e.valid_from != kNoTime) number("e_valid_from", e.valid_from);
  if (e.valid_until != kNoTime) number("e_valid_until", e.valid_until);
  return PropertyValues(s, e.properties, xml.of_edges, 'q', "e_props", value);
}

}  // namespace

Status ExportGraphMl(const Snapshot& s, std::ostream& stream, const ExportOptions& options) try {
  ExportSink sink(stream, options.progress, s.node_count());
  std::string& out = sink.text();
  PLEXUS_ASSIGN(const XmlColumns columns, XmlColumns::Of(s, options, sink));
  const auto key = [&](std::string_view id, std::string_view of, std::string_view name,
                       std::string_view type) {
    out += "  <key";
    AppendAttribute(out, "id", id);
    AppendAttribute(out, "for", of);
    AppendAttribute(out, "attr.name", name);
    AppendAttribute(out, "attr.type", type);
    out += "/>\n";
  };
  out +=
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml "
      "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  columns.DeclareNodes(
      s, [&](std::string_view id, std::string_view name, std::string_view type) {
        key(id, "node", name, type);
      });
  columns.DeclareEdges([&](std::string_view id, std::string_view name, std::string_view type) {
    key(id, "edge", name, type);
  });
  const bool undirected = AllSymmetric(s, options);
  out += undirected ? "  <graph id=\"plexus\" edgedefault=\"undirected\">"
                    : "  <graph id=\"plexus\" edgedefault=\"directed\">";
  PLEXUS_TRY(sink.EndRow());
  const auto data = [&](std::string_view id, std::string_view value) {
    out += "<data";
    AppendAttribute(out, "key", id);
    out += '>';
    AppendXml(out, value);
    out += "</data>";
  };
  const auto write = [&](NodeId v) -> Status {
    out += "    <node";
    AppendAttribute(out, "id", s.key(v));
    out += '>';
    PLEXUS_TRY(NodeValues(s, columns, v, data));
    out += "</node>";
    return sink.EndRow();
  };
  PLEXUS_TRY(ForEachIncluded(s, options, sink, write));
  const Status edges = ForEachSelected(s, options, sink, [&](const Edge& e) -> Status {
    out += "    <edge";
    AppendAttribute(out, "source", s.key(e.source));
    AppendAttribute(out, "target", s.key(e.target));
    if (!undirected && s.schema().edge_kind(e.kind).symmetric) out += " directed=\"false\"";
    out += '>';
    PLEXUS_TRY(EdgeValues(s, columns, e, data));
    out += "</edge>";
    return sink.EndRow();
  });
  PLEXUS_TRY(edges);
  out += "  </graph>\n</graphml>";
  PLEXUS_TRY(sink.EndRow());
  return sink.Finish();
}
PLEXUS_CATCH_NO_MEMORY

Status ExportGexf(const Snapshot& s, std::ostream& stream, const ExportOptions& options) try {
  ExportSink sink(stream, options.progress, s.node_count());
  std::string& out = sink.text();
  PLEXUS_ASSIGN(const XmlColumns columns, XmlColumns::Of(s, options, sink));
  const auto attribute = [&](std::string_view id, std::string_view name, std::string_view type) {
    out += "      <attribute";
    AppendAttribute(out, "id", id);
    AppendAttribute(out, "title", name);
    AppendAttribute(out, "type", type);
    out += "/>\n";
  };
  out +=
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://gexf.net/1.3\" "
      "version=\"1.3\">\n"
      "  <graph mode=\"static\" defaultedgetype=\"";
  out += AllSymmetric(s, options) ? "undirected" : "directed";
  out += "\">\n    <attributes class=\"node\">\n";
  columns.DeclareNodes(s, attribute);
  out += "    </attributes>\n    <attributes class=\"edge\">\n";
  columns.DeclareEdges([&](std::string_view id, std::string_view name, std::string_view type) {
    if (name != "weight") attribute(id, name, type);  // edges have one of their own
  });
  out += "    </attributes>\n    <nodes>";
  PLEXUS_TRY(sink.EndRow());
  const auto value = [&](std::string_view id, std::string_view text) {
    if (id == "e_weight") return;
    out += "<attvalue";
    AppendAttribute(out, "for", id);
    AppendAttribute(out, "value", text);
    out += "/>";
  };
  const auto write = [&](NodeId v) -> Status {
    out += "      <node";
    AppendAttribute(out, "id", s.key(v));
    AppendAttribute(out, "label", options.dot_label ? options.dot_label(v) : std::string(s.key(v)));
    out += "><attvalues>";
    PLEXUS_TRY(NodeValues(s, columns, v, value));
    out += "</attvalues></node>";
    return sink.EndRow();
  };
  PLEXUS_TRY(ForEachIncluded(s, options, sink, write));
  out += "    </nodes>\n    <edges>";
  PLEXUS_TRY(sink.EndRow());
  std::uint64_t number = 0;
  const Status edges = ForEachSelected(s, options, sink, [&](const Edge& e) -> Status {
    const EdgeKind& kind = s.schema().edge_kind(e.kind);
    out += "      <edge";
    AppendAttribute(out, "id", std::to_string(number++));
    AppendAttribute(out, "source", s.key(e.source));
    AppendAttribute(out, "target", s.key(e.target));
    AppendAttribute(out, "type", kind.symmetric ? "undirected" : "directed");
    AppendAttribute(out, "kind", kind.name);
    std::string weight;
    AppendNumber(weight, e.weight);
    AppendAttribute(out, "weight", weight);
    out += "><attvalues>";
    PLEXUS_TRY(EdgeValues(s, columns, e, value));
    out += "</attvalues></edge>";
    return sink.EndRow();
  });
  PLEXUS_TRY(edges);
  out += "    </edges>\n  </graph>\n</gexf>";
  PLEXUS_TRY(sink.EndRow());
  return sink.Finish();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::formats
