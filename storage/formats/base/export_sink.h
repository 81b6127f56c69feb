// ExportSink: buffered lines to a stream, with progress and one place for errors.
// Not thread-safe. Internal to storage/formats.
#pragma once

#include <ostream>
#include <string>

#include "engine/error.h"
#include "engine/monitoring/monitoring.h"

namespace plexus::formats::internal {

class ExportSink {
 public:
  ExportSink(std::ostream& out, Progress* progress, std::uint64_t total)
      : out_(out), progress_(progress), total_(total) {}

  // What is to be written; rows are appended here.
  std::string& text() { return text_; }

  // After each row: hands full buffers to the stream.
  Status EndRow() {
    text_ += '\n';
    return EndBytes();
  }
  // The same of a row that has no end of its own.
  Status EndBytes() { return text_.size() >= kBufferBytes ? Flush() : Status(); }
  // After each node: progress now and then.
  Status EndNode() {
    if (progress_ && done_++ % 4096 == 0 && !progress_->Report("exporting", done_, total_))
      return Cancelled("export cancelled");
    return {};
  }
  Status Flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
    return Check();
  }
  Status Finish() {
    PLEXUS_TRY(Flush());
    out_.flush();
    return Check();
  }

 private:
  static constexpr std::size_t kBufferBytes = 1 << 16;
  Status Check() const {
    if (out_) return {};
    return IoError("export: the output stream failed");
  }

  std::ostream& out_;
  Progress* progress_;
  std::uint64_t total_, done_ = 0;
  std::string text_;
};

}  // namespace plexus::formats::internal
