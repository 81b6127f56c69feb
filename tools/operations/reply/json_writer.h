// A streaming writer of JSON: what is printed is never held whole in memory.
//
// Commas and nesting are kept right by the writer. Doubles are written in the shortest form that
// reads back as the same bits; NaN and infinity become null. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

class JsonWriter final : public ReplyWriter {
 public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}

  void BeginObject() override { Open('{'); }
  void EndObject() override { Close('}'); }
  void BeginArray() override { Open('['); }
  void EndArray() override { Close(']'); }
  void Key(std::string_view name) override;
  void Value(std::string_view text) override;
  void Value(double number) override;
  void Value(float number) override;
  void Value(bool truth) override { Raw(truth ? "true" : "false"); }
  void Integer(std::int64_t number) override;
  void Unsigned(std::uint64_t number) override;
  void Raw(std::string_view json) override;
  void Node(const Snapshot& snapshot, NodeId node) override { Value(snapshot.key(node)); }
  using ReplyWriter::BeginArray;
  using ReplyWriter::BeginObject;
  using ReplyWriter::Node;
  using ReplyWriter::Value;

 private:
  void Open(char bracket);
  void Close(char bracket);
  template <class Real>
  void Shortest(Real number);
  void Separate();

  std::ostream& out_;
  bool comma_ = false;
};

// What `write` writes, as text; of JsonObject its members.
std::string JsonText(const std::function<void(JsonWriter&)>& write);
std::string JsonObject(const std::function<void(JsonWriter&)>& write);

}  // namespace plexus::tools
