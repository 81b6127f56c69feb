// Times of a reply as ISO 8601, where a request asks for them so.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// A member that holds a time: created_at, time_ms ...
bool IsTimeMember(std::string_view name);

// Hands everything on; whole numbers of such members as texts.
class IsoTimes final : public ReplyWriter {
 public:
  explicit IsoTimes(ReplyWriter& out) : out_(out) {}

  void BeginObject() override { out_.BeginObject(); }
  void EndObject() override { out_.EndObject(); }
  void BeginArray() override {
    is_time_ = false;
    out_.BeginArray();
  }
  void EndArray() override { out_.EndArray(); }
  void Key(std::string_view name) override {
    is_time_ = IsTimeMember(name);
    out_.Key(name);
  }
  void Value(std::string_view text) override { out_.Value(text); }
  void Value(double number) override { out_.Value(number); }
  void Value(float number) override { out_.Value(number); }
  void Value(bool truth) override { out_.Value(truth); }
  void Integer(std::int64_t number) override;
  void Unsigned(std::uint64_t number) override { out_.Unsigned(number); }
  void Raw(std::string_view json) override { out_.Raw(json); }
  void Node(const Snapshot& snapshot, NodeId node) override { out_.Node(snapshot, node); }
  bool LeavesOut() override { return out_.LeavesOut(); }
  bool cut() const override { return out_.cut(); }
  using ReplyWriter::BeginArray;
  using ReplyWriter::BeginObject;
  using ReplyWriter::Node;
  using ReplyWriter::Value;

 private:
  ReplyWriter& out_;
  bool is_time_ = false;
};

}  // namespace plexus::tools
