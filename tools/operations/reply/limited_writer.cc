// Bytes are counted as JSON would have them.
#include "tools/operations/reply/limited_writer.h"

#include <algorithm>
#include <chrono>

namespace plexus::tools {
namespace {

constexpr std::uint64_t kNumber = 12;  // a usual number with its comma

std::uint64_t BytesOf(std::string_view text) {
  std::uint64_t bytes = text.size() + 3;
  for (const char c : text) {
    if (c == '"' || c == '\\')
      ++bytes;
    else if (static_cast<unsigned char>(c) < 0x20)
      bytes += 5;
  }
  return bytes;
}

}  // namespace

LimitedWriter::LimitedWriter(ReplyWriter& out, const ReplyLimit& limit) : out_(out), limit_(limit) {
  using Clock = std::chrono::steady_clock;
  if (!limit_.budget.deadline || !limit_.seconds) return;
  const std::chrono::duration<double> more(*limit_.seconds / 8);
  limit_.budget.deadline = std::max(
      *limit_.budget.deadline, Clock::now() + std::chrono::duration_cast<Clock::duration>(more));
}

bool LimitedWriter::Full() {
  if (limit_.bytes != ReplyLimit::kNone &&
      static_cast<double>(bytes_) >= share_ * static_cast<double>(limit_.bytes))
    return true;
  if (bytes_ >= next_look_ && !time_up_) {
    next_look_ = bytes_ + kAtOnce;
    time_up_ = limit_.budget.Interrupted();
  }
  return time_up_;
}

bool LimitedWriter::LeavesOut() {
  if (left_out_ > 0) return true;
  if (arrays_.empty() || !arrays_.back()) return false;
  // An element stays whole, unless it is longer than a reply by itself.
  if (std::ranges::count(arrays_, true) == 1)
    element_ = bytes_;
  else if (bytes_ - element_ < std::min(limit_.bytes, kAtOnce))
    return false;
  if (!Full()) return false;
  return cut_ = true;
}

bool LimitedWriter::Open(bool array) {
  if (LeavesOut()) {
    ++left_out_;
    return false;
  }
  arrays_.push_back(array);
  bytes_ += 3;
  return true;
}

bool LimitedWriter::Close() {
  if (left_out_ > 0) {
    --left_out_;
    return false;
  }
  arrays_.pop_back();
  return true;
}

bool LimitedWriter::Takes(std::uint64_t bytes) {
  if (LeavesOut()) return false;
  bytes_ += bytes;
  return true;
}

void LimitedWriter::BeginObject() {
  if (Open(false)) out_.BeginObject();
}
void LimitedWriter::EndObject() {
  if (Close()) out_.EndObject();
}
void LimitedWriter::BeginArray() {
  if (Open(true)) out_.BeginArray();
}
void LimitedWriter::EndArray() {
  if (Close()) out_.EndArray();
}

void LimitedWriter::Key(std::string_view name) {
  if (left_out_ > 0) return;
  held_ = arrays_.size() == 1 && name == "truncated";
  if (held_) return;
  bytes_ += BytesOf(name);
  out_.Key(name);
}

void LimitedWriter::Value(bool truth) {
  if (held_) {
    truncated_ = truth;
    held_ = false;
  } else if (Takes(kNumber)) {
    out_.Value(truth);
  }
}

void LimitedWriter::Value(std::string_view text) {
  if (Takes(BytesOf(text))) out_.Value(text);
}
void LimitedWriter::Value(double number) {
  if (Takes(kNumber)) out_.Value(number);
}
void LimitedWriter::Value(float number) {
  if (Takes(kNumber)) out_.Value(number);
}
void LimitedWriter::Integer(std::int64_t number) {
  if (Takes(kNumber)) out_.Integer(number);
}
void LimitedWriter::Unsigned(std::uint64_t number) {
  if (Takes(kNumber)) out_.Unsigned(number);
}
void LimitedWriter::Raw(std::string_view json) {
  if (Takes(json.size() + 1)) out_.Raw(json);
}
void LimitedWriter::Node(const Snapshot& snapshot, NodeId node) {
  if (Takes(BytesOf(snapshot.key(node)))) out_.Node(snapshot, node);
}

}  // namespace plexus::tools
