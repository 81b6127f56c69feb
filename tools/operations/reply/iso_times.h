// Times of a reply as ISO 8601, where a request asks for them so.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/operations/reply/forwarding_writer.h"

namespace plexus::tools {

// A member that holds a time: created_at, time_ms ...
bool IsTimeMember(std::string_view name);

// Hands everything on; whole numbers of such members as texts.
class IsoTimes final : public ForwardingWriter {
 public:
  using ForwardingWriter::ForwardingWriter;

  void BeginArray() override {
    is_time_ = false;
    out_.BeginArray();
  }
  void Key(std::string_view name) override {
    is_time_ = IsTimeMember(name);
    out_.Key(name);
  }
  void Integer(std::int64_t number) override;
  using ReplyWriter::BeginArray;

 private:
  bool is_time_ = false;
};

}  // namespace plexus::tools
