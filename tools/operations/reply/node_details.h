// What a request asks to see with each key: the node's kind, the first line of its text, all of
// it, and columns by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/operations/reply/forwarding_writer.h"
#include "tools/operations/reply/node_list.h"

namespace plexus::tools {

struct NodeDetailOptions {
  std::vector<std::string> details = {};  // of kind, line, text
  std::vector<std::string> columns = {};  // as NodeColumn names them
  NodeColumnOptions of_columns = {};
  std::shared_ptr<const NodeSubset> among = {};  // keeps of_columns.among
};

// Hands everything on, and adds "node_kind", "node_line", "node_text" and "node_columns", an object
// of those columns that the node has, behind a member "key" that is a node. What cannot be read, or
// is not there, is left out.
class NodeDetails final : public ForwardingWriter {
 public:
  NodeDetails(ReplyWriter& out, NodeDetailOptions options);

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
  void WriteColumns(const Snapshot& snapshot, NodeId node);

  const NodeDetailOptions options_;
  bool kind_ = false, line_ = false, text_ = false;
  bool is_key_ = false;
  std::optional<std::vector<NodeColumn>> columns_;  // found at the first node
};

}  // namespace plexus::tools
