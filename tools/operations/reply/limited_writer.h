// LimitedWriter: a reply that ends.
//
// Hands everything on until so many bytes are written, or the time is up; from then on no list gets
// another element. What is open is closed, so that a reply that was cut is whole JSON. It is longer
// than its limit by at most the element under way. "truncated" of the reply itself is held back:
// who writes the end knows whether it is true.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// How long a reply may become.
struct ReplyLimit {
  static constexpr std::uint64_t kNone = 0;

  std::uint64_t bytes = kNone;  // of JSON
  // Writing may take an eighth of the request's time more, so that what was found in time is shown.
  std::optional<double> seconds = {};
  Budget budget = {};  // of the request: its deadline and cancel flag
};

class LimitedWriter final : public ReplyWriter {
 public:
  // The clock is not looked at before that much is written.
  static constexpr std::uint64_t kAtOnce = 65'536;

  LimitedWriter(ReplyWriter& out, const ReplyLimit& limit);

  void BeginObject() override;
  void EndObject() override;
  void BeginArray() override;
  void EndArray() override;
  void Key(std::string_view name) override;
  void Value(std::string_view text) override;
  void Value(double number) override;
  void Value(float number) override;
  void Value(bool truth) override;
  void Integer(std::int64_t number) override;
  void Unsigned(std::uint64_t number) override;
  void Raw(std::string_view json) override;
  void Node(const Snapshot& snapshot, NodeId node) override;
  using ReplyWriter::BeginArray;
  using ReplyWriter::BeginObject;
  using ReplyWriter::Node;
  using ReplyWriter::Value;

  bool LeavesOut() override;
  void Share(double of_reply) override { share_ = of_reply; }
  bool cut() const override { return cut_; }
  // What the reply said of itself.
  std::optional<bool> truncated() const { return truncated_; }

 private:
  bool Open(bool array);
  bool Close();
  bool Takes(std::uint64_t bytes);
  bool Full();

  ReplyWriter& out_;
  ReplyLimit limit_;
  std::vector<bool> arrays_;    // what is open: a list or an object
  std::uint64_t left_out_ = 0;  // open in an element that is left out
  std::uint64_t bytes_ = 0, next_look_ = kAtOnce;
  std::uint64_t element_ = 0;  // where the element of the outermost list begins
  double share_ = 1;           // of the bytes, for the lists until another one is said
  bool time_up_ = false, cut_ = false, held_ = false;
  std::optional<bool> truncated_;
};

}  // namespace plexus::tools
