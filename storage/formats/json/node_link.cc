// Where elements begin and end; see node_link.h.
#include "storage/formats/json/node_link.h"

#include <algorithm>

namespace plexus::formats_internal {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;
constexpr std::size_t kMaxMembers = 1024;

bool IsBlank(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

NodeLinkReader::NodeLinkReader(std::unique_ptr<ByteSource> source, std::size_t block_bytes,
                               std::size_t record_limit)
    : source_(std::move(source)),
      block_bytes_(std::max<std::size_t>(block_bytes, 64)),
      record_limit_(record_limit),
      buffer_(std::make_unique_for_overwrite<char[]>(kChunk)) {}

int NodeLinkReader::Peek() {
  if (at_ == size_) {
    if (!failed_) return -1;
    const auto n = source_->Read(buffer_.get(), kChunk);
    if (!n) failed_ = std::unexpected(n.error());
    at_ = 0;
    size_ = n.value_or(0);
    bytes_read_ += size_;
    if (size_ == 0) return -1;
  }
  return static_cast<unsigned char>(buffer_[at_]);
}

int NodeLinkReader::Get() {
  const int c = Peek();
  if (c < 0) return c;
  ++at_;
  if (c == '\n') ++line_;
  return c;
}

int NodeLinkReader::SkipBlanks() {
  while (IsBlank(Peek())) Get();
  return Peek();
}

bool NodeLinkReader::Expect(char c, std::string_view what) {
  if (SkipBlanks() == c) {
    Get();
    return true;
  }
  Fail(Peek() < 0 ? "the file ends where " + std::string(what) + " was expected"
                  : "expected " + std::string(what));
  return false;
}

void NodeLinkReader::Fail(std::string_view reason) {
  lines_.AddError(line_, reason);
  state_ = State::kDone;
}

// The string that begins here, quotes included, as it is spelled. What JSON does not
// allow in it is left for the parser to refuse, but never a line end.
bool NodeLinkReader::CutString(std::string& out) {
  out += static_cast<char>(Get());
  for (bool escaped = false;;) {
    const int c = Get();
    if (c < 0) return false;
    if (out.size() <= record_limit_ + 2) out += c == '\n' ? '\x01' : static_cast<char>(c);
    if (escaped)
      escaped = false;
    else if (c == '\\')
      escaped = true;
    else if (c == '"')
      return true;
  }
}

// One value, without the line ends between its parts. False: the document ended.
bool NodeLinkReader::CutValue() {
  const std::uint64_t begin_line = line_;
  std::string value;
  const int first = SkipBlanks();
  bool whole = false;
  if (first == '"') {
    whole = CutString(value);
  } else if (first == '{' || first == '[') {
    for (std::size_t depth = 0; !whole && Peek() >= 0;) {
      const int c = Peek();
      if (c == '"') {
        if (!CutString(value)) break;
        continue;
      }
      Get();
      if (value.size() <= record_limit_) value += c == '\n' ? ' ' : static_cast<char>(c);
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') whole = --depth == 0;
    }
  } else {
    for (int c = first; c >= 0 && !IsBlank(c) && c != ',' && c != ']' && c != '}'; c = Peek()) {
      Get();
      if (value.size() <= record_limit_) value += static_cast<char>(c);
    }
    whole = Peek() >= 0;
  }
  std::string& text = lines_.text();
  if (!whole) {
    text.resize(text.rfind('\n') + 1);
    Fail("the file ends inside a value");
    return false;
  }
  if (value.size() > record_limit_) {
    text.resize(text.rfind('\n') + 1);
    lines_.AddError(begin_line, "element over " + std::to_string(record_limit_) + " bytes");
    return true;
  }
  text += value;
  lines_.EndLine(begin_line);
  return true;
}

// "directed" and "multigraph": the value that was cut at `begin`.
void NodeLinkReader::Flag(std::string_view key, std::size_t begin) {
  std::string_view value = std::string_view(lines_.text()).substr(begin);
  value = value.substr(0, value.find('\n'));
  if (value != "true" && value != "false")
    return Fail("\"" + std::string(key) + "\" must be true or false");
  (key == "directed" ? defaults_.directed : defaults_.multigraph) = value == "true";
}

// A member of the document: its name, then one of the lists or any value.
void NodeLinkReader::Member() {
  if (SkipBlanks() != '"')
    return Fail(Peek() < 0 ? "the file ends inside the object" : "expected a member's name");
  std::string key;
  if (!CutString(key)) return Fail("the file ends inside a member's name");
  if (key.size() > 1024) return Fail("a member's name is over 1024 bytes");
  key = key.substr(1, key.size() - 2);
  if (!seen_.insert(key).second) return Fail("\"" + key + "\" stands twice");
  if (seen_.size() > kMaxMembers)
    return Fail("more than " + std::to_string(kMaxMembers) + " members");
  if (!Expect(':', "':'")) return;
  if (key == "nodes" || key == "links" || key == "edges") {
    if (seen_.contains("links") && seen_.contains("edges"))
      return Fail("has both \"links\" and \"edges\"");
    if (!Expect('[', "a list of elements")) return;
    sort_ = key == "nodes" ? 'N' : 'E';
    first_ = true;
    state_ = State::kElement;
    return;
  }
  lines_.text() += "V ";
  const std::size_t begin = lines_.text().size();
  if (!CutValue()) return;
  state_ = State::kAfterMember;
  if (key == "directed" || key == "multigraph") Flag(key, begin);
}

void NodeLinkReader::Step() {
  switch (state_) {
    case State::kStart:
      if (Peek() == 0xEF) {  // a byte order mark
        Get();
        if (Get() != 0xBB || Get() != 0xBF) return Fail("not valid UTF-8");
      }
      if (SkipBlanks() < 0) return Fail("the file is empty");
      if (Expect('{', "an object with \"nodes\"")) state_ = State::kMember;
      return;
    case State::kMember:
      if (std::exchange(first_, false) && SkipBlanks() == '}') {
        state_ = State::kAfterMember;
        return;
      }
      return Member();
    case State::kAfterMember:
      if (SkipBlanks() == ',') {
        Get();
        state_ = State::kMember;
      } else if (Expect('}', "',' or '}'")) {
        if (!seen_.contains("nodes") && !seen_.contains("links") && !seen_.contains("edges"))
          return Fail("has neither \"nodes\" nor \"links\" nor \"edges\"");
        state_ = State::kTail;
      }
      return;
    case State::kElement:
      if (std::exchange(first_, false) && SkipBlanks() == ']') {
        Get();
        state_ = State::kAfterMember;
        return;
      }
      SkipBlanks();
      lines_.text() += sort_;
      if (sort_ == 'N') lines_.text() += std::to_string(nodes_++);
      lines_.text() += ' ';
      if (CutValue()) state_ = State::kAfterElement;
      return;
    case State::kAfterElement:
      if (SkipBlanks() == ',') {
        Get();
        state_ = State::kElement;
      } else if (Expect(']', "',' or ']'")) {
        state_ = State::kAfterMember;
      }
      return;
    case State::kTail:
      if (SkipBlanks() >= 0) return Fail("something follows the object");
      state_ = State::kDone;
      return;
    case State::kDone:
      return;
  }
}

Result<std::optional<Block>> NodeLinkReader::Next() {
  while (state_ != State::kDone && lines_.size() < block_bytes_) {
    Step();
    if (!failed_) return std::unexpected(failed_.error());
  }
  return lines_.Take();
}

}  // namespace plexus::formats_internal
