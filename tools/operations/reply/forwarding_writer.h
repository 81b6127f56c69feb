// A writer in front of another one, for those that change a part of a reply.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// Hands everything on.
class ForwardingWriter : public ReplyWriter {
 public:
  explicit ForwardingWriter(ReplyWriter& out) : out_(out) {}

  void BeginObject() override { out_.BeginObject(); }
  void EndObject() override { out_.EndObject(); }
  void BeginArray() override { out_.BeginArray(); }
  void EndArray() override { out_.EndArray(); }
  void Key(std::string_view name) override { out_.Key(name); }
  void Value(std::string_view text) override { out_.Value(text); }
  void Value(double number) override { out_.Value(number); }
  void Value(float number) override { out_.Value(number); }
  void Value(bool truth) override { out_.Value(truth); }
  void Integer(std::int64_t number) override { out_.Integer(number); }
  void Unsigned(std::uint64_t number) override { out_.Unsigned(number); }
  void Time(std::int64_t time_ms) override { out_.Time(time_ms); }
  void Raw(std::string_view json) override { out_.Raw(json); }
  void Node(const Snapshot& snapshot, NodeId node) override { out_.Node(snapshot, node); }
  bool LeavesOut() override { return out_.LeavesOut(); }
  void Share(double of_reply) override { out_.Share(of_reply); }
  bool cut() const override { return out_.cut(); }
  using ReplyWriter::BeginArray;
  using ReplyWriter::BeginObject;
  using ReplyWriter::Node;
  using ReplyWriter::Time;
  using ReplyWriter::Value;

 protected:
  ReplyWriter& out_;
};

}  // namespace plexus::tools
