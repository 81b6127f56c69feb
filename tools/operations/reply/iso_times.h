// Times of a reply as ISO 8601, where a request asks for them so.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/times.h"
#include "tools/operations/reply/forwarding_writer.h"

namespace plexus::tools {

// Hands everything on, times as texts. What a time is says the operation: properties have any name.
class IsoTimes final : public ForwardingWriter {
 public:
  using ForwardingWriter::ForwardingWriter;

  void Time(std::int64_t time_ms) override { out_.Value(std::string_view(IsoTime(time_ms))); }
  using ReplyWriter::Time;
};

}  // namespace plexus::tools
