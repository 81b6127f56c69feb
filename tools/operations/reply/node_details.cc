// The names differ from those that replies use themselves, so that no member comes twice.
#include "tools/operations/reply/node_details.h"

#include "tools/operations/names.h"

namespace plexus::tools {

NodeDetails::NodeDetails(ReplyWriter& out, const std::vector<std::string>& details)
    : ForwardingWriter(out) {
  for (const std::string& what : details) {
    kind_ |= what == "kind";
    line_ |= what == "line";
    text_ |= what == "text";
  }
}

void NodeDetails::Node(const Snapshot& snapshot, NodeId node) {
  out_.Node(snapshot, node);
  if (!is_key_) return;
  is_key_ = false;
  if (kind_) out_.Field("node_kind", snapshot.schema().node_kind(snapshot.node_kind(node)).name);
  if (!snapshot.payload_ref(node, NodeField::kText)) return;
  if (line_) out_.Field("node_line", TextHead(snapshot, node));
  if (!text_) return;
  if (const Result<std::string> text = snapshot.Payload(node, NodeField::kText))
    out_.Field("node_text", *text);
}

}  // namespace plexus::tools
