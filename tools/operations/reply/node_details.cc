// The names differ from those that replies use themselves, so that no member comes twice.
#include "tools/operations/reply/node_details.h"

#include <utility>

#include "tools/operations/names.h"

namespace plexus::tools {

NodeDetails::NodeDetails(ReplyWriter& out, NodeDetailOptions options)
    : ForwardingWriter(out), options_(std::move(options)) {
  for (const std::string& what : options_.details) {
    kind_ |= what == "kind";
    line_ |= what == "line";
    text_ |= what == "text";
  }
}

void NodeDetails::WriteColumns(const Snapshot& snapshot, NodeId node) {
  if (options_.columns.empty()) return;
  if (!columns_) {
    columns_.emplace();
    for (const std::string& name : options_.columns)
      if (auto column = NodeColumn::Named(snapshot, name, options_.of_columns))
        columns_->push_back(*std::move(column));
  }
  out_.Key("node_columns");
  out_.BeginObject();
  for (const NodeColumn& column : *columns_) {
    const Result<NodeValue> value = column.Of(snapshot, node);
    if (!value || std::holds_alternative<std::monostate>(*value)) continue;
    out_.Key(column.name());
    WriteNodeValue(out_, *value, column.is_time());
  }
  out_.EndObject();
}

void NodeDetails::Node(const Snapshot& snapshot, NodeId node) {
  out_.Node(snapshot, node);
  if (!is_key_) return;
  is_key_ = false;
  if (kind_) out_.Field("node_kind", snapshot.schema().node_kind(snapshot.node_kind(node)).name);
  WriteColumns(snapshot, node);
  if (!snapshot.payload_ref(node, NodeField::kText)) return;
  if (line_) out_.Field("node_line", TextHead(snapshot, node));
  if (!text_) return;
  if (const Result<std::string> text = snapshot.Payload(node, NodeField::kText))
    out_.Field("node_text", *text);
}

}  // namespace plexus::tools
