// What a request asks to see beside each key: the node's kind, the first line of its text, all of
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// Hands everything on, and adds "node_kind", "node_line" and "node_text" behind a member "key" that
// is a node. `details` names kind, line, text. A text that cannot be read, or is not there, is left
// out.
class NodeDetails final : public ReplyWriter {
 public:
  NodeDetails(ReplyWriter& out, const std::vector<std::string>& details);

  void BeginObject() override { out_.BeginObject(); }
  void EndObject() override { out_.EndObject(); }
  void BeginArray() override {
    is_key_ = false;
    out_.BeginArray();
  }
  void EndArray() override { out_.EndArray(); }
  void Key(std::string_view name) override {
    is_key_ = name == "key";
    out_.Key(name);
  }
  void Value(std::string_view text) override { out_.Value(text); }
  void Value(double number) override { out_.Value(number); }
  void Value(float number) override { out_.Value(number); }
  void Value(bool truth) override { out_.Value(truth); }
  void Integer(std::int64_t number) override { out_.Integer(number); }
  void Unsigned(std::uint64_t number) override { out_.Unsigned(number); }
  void Raw(std::string_view json) override { out_.Raw(json); }
  void Node(const Snapshot& snapshot, NodeId node) override;
  bool LeavesOut() override { return out_.LeavesOut(); }
  bool cut() const override { return out_.cut(); }
  using ReplyWriter::BeginArray;
  using ReplyWriter::BeginObject;
  using ReplyWriter::Node;
  using ReplyWriter::Value;

 private:
  ReplyWriter& out_;
  bool kind_ = false, line_ = false, text_ = false;
  bool is_key_ = false;
};

}  // namespace plexus::tools
