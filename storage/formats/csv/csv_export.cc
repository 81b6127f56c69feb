// CSV and DOT: the fact plane for spreadsheets and Graphviz.
#include <type_traits>

#include "engine/out_of_memory.h"
#include "engine/properties/json_writer.h"
#include "storage/formats/base/column_value.h"
#include "storage/formats/base/export_selection.h"
#include "storage/formats/base/text.h"
#include "storage/formats/csv/csv.h"
#include "storage/formats/export.h"

namespace plexus::formats {

using namespace internal;
using namespace engine_internal;

namespace {

// A cell of text: guarded, control characters spelled out, quoted when it must be.
void AppendCell(std::string& out, std::string_view cell) {
  std::string safe;
  if (NeedsFormulaGuard(cell)) safe += '\'';
  for (char c : cell) {
    const auto u = static_cast<unsigned char>(c);
    if ((u < 0x20 && c != '\n' && c != '\r' && c != '\t') || u == 0x7f) {
      AppendEscape(safe, u);
    } else {
      safe += c;
    }
  }
  const bool spaces = !safe.empty() && (safe.front() == ' ' || safe.back() == ' ');
  if (!spaces && safe.find_first_of("\",;|\t\r\n") == std::string::npos) {
    out += safe;
    return;
  }
  out += '"';
  for (char c : safe) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

template <class T>
void AppendNumberCell(std::string& out, std::optional<T> value) {
  out += ',';
  if (value) AppendNumber(out, *value);
}

// The columns of properties, and `props`.
void AppendHeader(std::string& out, const PropertyColumns& own) {
  for (const std::string& name : own.names) {
    out += ',';
    AppendCell(out, name);
  }
  out += ",props";
}

Status AppendProperties(std::string& out, const Snapshot& s, PayloadRef ref,
                        const PropertyColumns& own) {
  if (own.names.empty()) {
    out += ',';
    PLEXUS_ASSIGN(const std::string properties, PropertiesJson(s, ref));
    AppendCell(out, properties);
    return {};
  }
  PLEXUS_ASSIGN(const SpreadProperties spread, Spread(s, ref, own));
  for (const std::string& cell : spread.cells) {
    out += ',';
    AppendCell(out, cell);
  }
  out += ',';
  AppendCell(out, spread.rest);
  return {};
}

Status CsvEdges(const Snapshot& s, const ExportOptions& options, ExportSink& sink) {
  std::string& out = sink.text();
  PLEXUS_ASSIGN(
      const PropertyColumns own,
      PropertyColumns::OfEdges(s, options, sink,
                               {{"source", "target", "kind", "type", "weight", "label",
                                 "created_at", "created_by", "valid_from", "valid_until", "props"},
                                true}));
  out += "source,target,kind,weight,label,created_at,created_by,valid_from,valid_until";
  AppendHeader(out, own);
  PLEXUS_TRY(sink.EndRow());
  return ForEachSelected(s, options, sink, [&](const Edge& e) -> Status {
    AppendCell(out, s.key(e.source));
    out += ',';
    AppendCell(out, s.key(e.target));
    out += ',';
    AppendCell(out, s.schema().edge_kind(e.kind).name);
    out += ',';
    AppendNumber(out, e.weight);
    out += ',';
    AppendCell(out, s.string(e.label));
    AppendNumberCell(out, std::optional(e.created_at));
    out += ',';
    AppendCell(out, s.string(e.created_by));
    AppendNumberCell(out, Time(e.valid_from));
    AppendNumberCell(out, Time(e.valid_until));
    PLEXUS_TRY(AppendProperties(out, s, e.properties, own));
    return sink.EndRow();
  });
}

Status CsvNodes(const Snapshot& s, const ExportOptions& options, ExportSink& sink) {
  std::string& out = sink.text();
  const std::vector<ColumnId> columns = UsedColumns(s);
  std::vector<std::string> taken = {"key", "id", "kind", "type", "text", "tags", "props"};
  for (const Column& column : s.schema().columns()) taken.push_back(Lower(column.name));
  PLEXUS_ASSIGN(const PropertyColumns own, PropertyColumns::OfNodes(s, options, {taken, true}));
  out += "key,kind,text,tags";
  for (ColumnId c : columns) {
    out += ',';
    AppendCell(out, s.schema().columns()[c].name);
  }
  AppendHeader(out, own);
  PLEXUS_TRY(sink.EndRow());
  return ForEachIncluded(s, options, sink, [&](NodeId v) -> Status {
    AppendCell(out, s.key(v));
    out += ',';
    AppendCell(out, s.schema().node_kind(s.node_kind(v)).name);
    out += ',';
    PLEXUS_ASSIGN(const std::string text, s.PayloadOrEmpty(s.payload_ref(v, NodeField::kText)));
    AppendCell(out, text);
    out += ',';
    AppendCell(out, WriteTagList(Tags(s, v)));
    for (ColumnId c : columns) {
      out += ',';
      VisitColumn(s, v, c, [&](auto value) {
        if constexpr (std::is_arithmetic_v<decltype(value)>)
          AppendNumber(out, value);
        else
          AppendCell(out, value);
      });
    }
    PLEXUS_TRY(AppendProperties(out, s, s.payload_ref(v, NodeField::kProperties), own));
    return sink.EndRow();
  });
}

// A DOT string: quotes and backslashes escaped, control characters as blanks.
void AppendDotString(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out.append(1, '\\').append(1, c);
    else if (c == '\n')
      out += "\\n";
    else
      out += u < 0x20 || u == 0x7f ? ' ' : c;
  }
  out += '"';
}

}  // namespace

Status ExportCsv(const Snapshot& snapshot, std::ostream& out, const ExportOptions& options) try {
  ExportSink sink(out, options.progress, snapshot.node_count());
  PLEXUS_TRY(options.csv_table == CsvTable::kEdges ? CsvEdges(snapshot, options, sink)
                                                   : CsvNodes(snapshot, options, sink));
  return sink.Finish();
}
PLEXUS_CATCH_NO_MEMORY

Status ExportDot(const Snapshot& s, std::ostream& stream, const ExportOptions& options) try {
  ExportSink sink(stream, options.progress, s.node_count());
  std::string& out = sink.text();
  out += "digraph plexus {";
  PLEXUS_TRY(sink.EndRow());
  for (NodeId v = 0; v < s.node_count(); ++v) {
    if (!Included(s, options, v)) continue;
    out += "  ";
    AppendDotString(out, s.key(v));
    out += " [label=";
    AppendDotString(out, options.dot_label ? options.dot_label(v) : std::string(s.key(v)));
    out += "];";
    PLEXUS_TRY(sink.EndRow());
  }
  PLEXUS_TRY(ForEachSelected(s, options, sink, [&](const Edge& e) -> Status {
    const EdgeKind& kind = s.schema().edge_kind(e.kind);
    out += "  ";
    AppendDotString(out, s.key(e.source));
    out += " -> ";
    AppendDotString(out, s.key(e.target));
    out += " [label=";
    std::string label = kind.name;
    if (e.label) label.append(" ").append(s.string(e.label));
    if (e.weight != 1) AppendNumber(label += ' ', e.weight);
    AppendDotString(out, label);
    if (kind.symmetric) out += ", dir=none";
    out += "];";
    return sink.EndRow();
  }));
  out += '}';
  PLEXUS_TRY(sink.EndRow());
  return sink.Finish();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::formats
