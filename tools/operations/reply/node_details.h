// What a request asks to see beside each key: the node's kind, the first line of its text, all of
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/operations/reply/forwarding_writer.h"

namespace plexus::tools {

// Hands everything on, and adds "node_kind", "node_line" and "node_text" behind a member "key" that
// is a node. `details` names kind, line, text. A text that cannot be read, or is not there, is left
// out.
class NodeDetails final : public ForwardingWriter {
 public:
  NodeDetails(ReplyWriter& out, const std::vector<std::string>& details);

  void BeginArray() override {
    is_key_ = false;
    out_.BeginArray();
  }
  void Key(std::string_view name) override {
    is_key_ = name == "key";
    out_.Key(name);
  }
  void Node(const Snapshot& snapshot, NodeId node) override;
  using ReplyWriter::BeginArray;
  using ReplyWriter::Node;

 private:
  bool kind_ = false, line_ = false, text_ = false;
  bool is_key_ = false;
};

}  // namespace plexus::tools
