// What a selective export writes: which nodes, which edges, what refers to them, and properties as
// columns of their own. Shared by the formats that show the fact plane to other programs. Internal
// to storage/formats.
#pragma once

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "engine/snapshot.h"
#include "engine/state.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/properties.h"
#include "storage/formats/export.h"

namespace plexus::formats::internal {

// Buffered lines to a stream, with progress and one place for errors. Not thread-safe.
class ExportSink {
 public:
  ExportSink(std::ostream& out, Progress* progress, std::uint64_t total)
      : out_(out), progress_(progress), total_(total) {}

  // What is to be written; rows are appended here.
  std::string& text() { return text_; }

  // After each row: hands full buffers to the stream.
  Status EndRow() {
    text_ += '\n';
    return EndBytes();
  }
  // The same of a row that has no end of its own.
  Status EndBytes() { return text_.size() >= kBufferBytes ? Flush() : Status(); }
  // After each node: progress now and then.
  Status EndNode() {
    if (progress_ && done_++ % 4096 == 0 && !progress_->Report("exporting", done_, total_))
      return Cancelled("export cancelled");
    return {};
  }
  Status Flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
    return Check();
  }
  Status Finish() {
    PLEXUS_TRY(Flush());
    out_.flush();
    return Check();
  }

 private:
  static constexpr std::size_t kBufferBytes = 1 << 16;
  Status Check() const {
    if (out_) return {};
    return IoError("export: the output stream failed");
  }

  std::ostream& out_;
  Progress* progress_;
  std::uint64_t total_, done_ = 0;
  std::string text_;
};

inline bool Included(const Snapshot& s, const ExportOptions& options, NodeId node) {
  return s.alive(node) && s.is_fact(node) && (!options.include || options.include(node));
}

// A control character, as JSON spells it.
inline void AppendEscape(std::string& out, unsigned char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  out.append("\\u00").append(1, kHex[c >> 4]).append(1, kHex[c & 15]);
}

// A property map as JSON, "" when it is empty.
inline Result<std::string> PropertiesJson(const Snapshot& s, PayloadRef ref) {
  PLEXUS_ASSIGN(const std::string bytes, s.PayloadOrEmpty(ref));
  PLEXUS_ASSIGN(std::string json, JsonFromProperties(bytes));
  return json.size() == 2 ? std::string() : json;  // "{}"
}

inline std::optional<std::int64_t> Time(std::int64_t ms) {
  return ms == kNoTime ? std::nullopt : std::optional(ms);
}

// Columns that any node uses.
inline std::vector<ColumnId> UsedColumns(const Snapshot& s) {
  std::vector<ColumnId> columns;
  for (std::size_t c = 0; c < s.schema().columns().size(); ++c)
    if (!s.schema().columns()[c].name.empty() && c < s.state().columns.size() &&
        s.state().columns[c].size() > 0)
      columns.push_back(static_cast<ColumnId>(c));
  return columns;
}

inline std::vector<std::string_view> Tags(const Snapshot& s, NodeId node) {
  std::vector<std::string_view> tags;
  s.ForEachArc(Direction::kOut, node, ArcFilter::Kind(s.schema(), builtin::kHasTag),
               [&](const Arc& arc) { tags.push_back(DisplayName(s.key(arc.neighbor))); });
  std::sort(tags.begin(), tags.end());
  return tags;
}

// fn(node) -> Status for every included node.
template <class Fn>
Status ForEachIncluded(const Snapshot& s, const ExportOptions& options, ExportSink& sink, Fn&& fn) {
  for (NodeId v = 0; v < s.node_count(); ++v) {
    PLEXUS_TRY(sink.EndNode());
    if (Included(s, options, v)) PLEXUS_TRY(fn(v));
  }
  return {};
}

// Whether the selected edges, of which there are some, are all of symmetric kinds.
inline bool AllSymmetric(const Snapshot& s, const ExportOptions& options) {
  const ArcFilter filter = ArcFilter::Kinds(s.schema(), options.kinds);
  bool any = false, all = true;
  for (NodeId v = 0; v < s.node_count() && all; ++v) {
    if (!Included(s, options, v)) continue;
    s.ForEachArc(Direction::kOut, v, filter, [&](const Arc& arc) {
      if (!Included(s, options, arc.neighbor)) return true;
      any = true;
      return all = s.schema().edge_kind(arc.kind).symmetric;
    });
  }
  return any && all;
}

// fn(edge) -> Status for every selected edge, by source.
template <class Fn>
Status ForEachSelected(const Snapshot& s, const ExportOptions& options, ExportSink& sink, Fn&& fn) {
  const ArcFilter filter = ArcFilter::Kinds(s.schema(), options.kinds);
  for (NodeId v = 0; v < s.node_count(); ++v) {
    PLEXUS_TRY(sink.EndNode());
    if (!Included(s, options, v)) continue;
    Status status;
    s.ForEachArc(Direction::kOut, v, filter, [&](const Arc& arc) {
      if (arc.neighbor < v && s.schema().edge_kind(arc.kind).symmetric) return true;
      if (Included(s, options, arc.neighbor)) status = fn(s.edge(arc, v));
      return status.has_value();
    });
    if (!status) return status;
  }
  return {};
}

// Names that no property's column may have.
struct TakenNames {
  std::vector<std::string> names;
  bool in_any_case = false;  // Then `names` are in lower case.

  bool Has(std::string_view name) const;
};

// The properties of what is exported, by name. Of a name that is taken none is a column.
struct PropertyColumns {
  std::vector<std::string> names;
  // Of all its values: boolean, long, double, else string.
  std::vector<std::string_view> types;

  static Result<PropertyColumns> OfNodes(const Snapshot& s, const ExportOptions& options,
                                         const TakenNames& taken);
  static Result<PropertyColumns> OfEdges(const Snapshot& s, const ExportOptions& options,
                                         ExportSink& sink, const TakenNames& taken);
};

struct SpreadProperties {
  std::vector<std::string> cells;  // As the columns; "": none. Texts as they are, the rest as JSON.
  std::string rest;                // What is no column, as JSON; "": nothing.
};
Result<SpreadProperties> Spread(const Snapshot& s, PayloadRef ref, const PropertyColumns& columns);

}  // namespace plexus::formats::internal
