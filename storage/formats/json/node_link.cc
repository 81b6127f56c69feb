// Where elements begin and end; see node_link.h.
#include "storage/formats/json/node_link.h"

#include <algorithm>
#include <array>
#include <utility>

#include "storage/formats/base/text.h"

namespace plexus::formats::internal {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;
constexpr std::size_t kMaxMembers = 1024;

// The lists of edges; the first that holds any is read. Of the first two a document has one.
constexpr std::array<std::string_view, 4> kEdgeLists = {"links", "edges", "relationships",
                                                        "adjacency"};

std::size_t Rank(std::string_view edge_list) {
  return static_cast<std::size_t>(std::ranges::find(kEdgeLists, edge_list) - kEdgeLists.begin());
}

bool IsEdgeList(std::string_view key) {
  return std::ranges::find(kEdgeLists, key) != kEdgeLists.end();
}

constexpr std::array<bool, 256> Stops(std::string_view characters) {
  std::array<bool, 256> stops = {};
  for (const char c : characters) stops[static_cast<unsigned char>(c)] = true;
  return stops;
}
// What has a meaning inside of a string, and in a list or an object outside of one. Line ends are
// counted, so they stop, too.
constexpr auto kInString = Stops("\"\\\n"), kBetween = Stops("\"{}[]\n");

bool IsBlank(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

NodeLinkReader::NodeLinkReader(std::unique_ptr<ByteSource> source, std::size_t block_bytes,
                               std::size_t record_limit, What what,
                               std::optional<ElementDefaults> known)
    : source_(std::move(source)),
      block_bytes_(std::max<std::size_t>(block_bytes, 64)),
      record_limit_(record_limit),
      what_(what),
      known_(known),
      keeps_ids_(known && known->edges == "adjacency"),
      buffer_(std::make_unique_for_overwrite<char[]>(kChunk)) {}

int NodeLinkReader::ReadMore() {
  if (!failed_) return -1;
  const auto n = source_->Read(buffer_.get(), kChunk);
  if (!n) failed_ = std::unexpected(n.error());
  at_ = 0;
  size_ = n.value_or(0);
  bytes_read_ += size_;
  return size_ == 0 ? -1 : static_cast<unsigned char>(buffer_[0]);
}

int NodeLinkReader::Get() {
  const int c = Peek();
  if (c < 0) return c;
  ++at_;
  if (c == '\n') ++line_;
  return c;
}

std::string_view NodeLinkReader::TakeRun(const std::array<bool, 256>& stops) {
  if (Peek() < 0) return {};
  const std::size_t begin = at_;
  while (at_ < size_ && !stops[static_cast<unsigned char>(buffer_[at_])]) ++at_;
  return {buffer_.get() + begin, at_ - begin};
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
  state_ = State::kDone;
  if (what_ == What::kArray)
    array_error_ = {line_, std::string(reason), elements_ > 0};
  else
    lines_.Say(elements_ == 0 ? 'Z' : 'X', line_, reason);
}

void NodeLinkReader::TakeComma(State next) {
  Get();
  comma_ = bytes_read_ - (size_ - at_);
  state_ = next;
}

// At the beginning of a list, or behind a comma in it: whether it ends here. It may not behind a
// comma.
bool NodeLinkReader::ListEnds() {
  const bool first = std::exchange(first_, false);
  if (SkipBlanks() != ']') return false;
  if (first)
    Get();
  else
    Fail("JSON: nothing stands behind the comma at byte " + std::to_string(comma_));
  return true;
}

// The string that begins here, quotes included, as it is spelled. What JSON does not
// allow in it is left for the parser to refuse, but never a line end.
bool NodeLinkReader::CutString(std::string& out) {
  const auto take = [&] {
    const int c = Get();
    if (c >= 0 && out.size() <= record_limit_ + 2) out += c == '\n' ? '\x01' : static_cast<char>(c);
    return c;
  };
  take();
  for (;;) {
    const std::string_view run = TakeRun(kInString);
    if (out.size() <= record_limit_ + 2) out += run;
    const int c = take();
    if (c < 0) return false;
    if (c == '"') return true;
    if (c == '\\' && take() < 0) return false;
  }
}

// The bytes of the list or object that begins here, if all of it is at hand and may be taken as it
// is: no line ends, which are counted, and no escapes. 0: it must be cut piece by piece.
std::size_t NodeLinkReader::BytesOfValue() const {
  const char* const begin = buffer_.get() + at_;
  const char* const end = buffer_.get() + size_;
  std::size_t depth = 0;
  for (const char* p = begin; p != end;) {
    const char c = *p++;
    if (!kBetween[static_cast<unsigned char>(c)]) continue;
    if (c == '\n') return 0;
    if (c == '"') {
      while (p != end && !kInString[static_cast<unsigned char>(*p)]) ++p;
      if (p == end || *p++ != '"') return 0;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (--depth == 0) {
      return static_cast<std::size_t>(p - begin);
    }
  }
  return 0;
}

// One value, without the line ends between its parts. False: the document ended.
bool NodeLinkReader::CutValue(std::string_view close, TooLong too_long) {
  const std::uint64_t begin_line = line_;
  std::string value;
  const int first = SkipBlanks();
  if (first == '{' || first == '[')
    if (const std::size_t bytes = BytesOfValue(); bytes > 0 && bytes <= record_limit_) {
      lines_.text().append(buffer_.get() + at_, bytes).append(close);
      at_ += bytes;
      lines_.EndLine(begin_line);
      return true;
    }
  bool whole = false;
  if (first == '"') {
    whole = CutString(value);
  } else if (first == '{' || first == '[') {
    for (std::size_t depth = 0; !whole;) {
      const std::string_view run = TakeRun(kBetween);
      if (value.size() <= record_limit_) value += run;
      const int c = Peek();
      if (c < 0) break;
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
    if (too_long == TooLong::kError)
      lines_.AddError(begin_line, "element over " + std::to_string(record_limit_) + " bytes");
    return true;
  }
  text += value;
  text += close;
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

bool NodeLinkReader::knows_defaults() const {
  const std::string_view edges = defaults_.edges;
  return (edges == "links" || edges == "edges") && seen_.contains("directed") &&
         seen_.contains("multigraph");
}

// A member of the document: its name, then one of the lists or any value.
void NodeLinkReader::Member() {
  if (SkipBlanks() != '"')
    return Fail(Peek() < 0 ? "the file ends inside the object" : "expected a member's name");
  std::string key;
  if (!CutString(key)) return Fail("the file ends inside a member's name");
  if (key.size() > 1024) return Fail("a member's name is over 1024 bytes");
  key = key.substr(1, key.size() - 2);
  if (what_ == What::kArray) return AnswerMember(key);
  if (!seen_.insert(key).second) return Fail("\"" + key + "\" stands twice");
  if (seen_.size() > kMaxMembers)
    return Fail("more than " + std::to_string(kMaxMembers) + " members");
  if (!Expect(':', "':'")) return;
  if (ReadsList(key)) {
    if (!Expect('[', "a list of elements")) return;
    has_lists_ = true;
    sort_ = key == "nodes" ? 'N' : keeps_ids_ && key == "adjacency" ? 'J' : 'E';
    list_ = key == "nodes" ? std::string_view() : kEdgeLists[Rank(key)];
    if (sort_ == 'J' && !seen_.contains("nodes"))
      return Fail("\"adjacency\" stands before \"nodes\", whose order it follows");
    first_ = true;
    state_ = State::kElement;
    return;
  }
  if (state_ == State::kDone) return;
  if (key != "directed" && key != "multigraph") return Unread(key);
  lines_.text() += "V ";
  const std::size_t begin = lines_.text().size();
  if (!CutValue()) return;
  state_ = State::kAfterMember;
  Flag(key, begin);
}

// Of an answer: a list of rows, or what says nothing of them, such as the number of pages.
void NodeLinkReader::AnswerMember(const std::string& key) {
  if (!Expect(':', "':'")) return;
  const int first = SkipBlanks();
  if (first == '[' && IsRowsOfAnswer(key)) {
    Get();
    first_ = true;
    state_ = State::kElement;
    return;
  }
  if (first == '[' || first == '{')
    return Fail("the member \"" + key.substr(0, 80) + "\" beside the rows is not read");
  std::string value;
  if (first == '"' && !CutString(value)) return Fail("the file ends inside a value");
  if (first != '"')
    for (int c = first; c >= 0 && !IsBlank(c) && c != ',' && c != '}'; c = Peek()) Get();
  state_ = State::kAfterMember;
}

bool NodeLinkReader::IsRowsOfAnswer(std::string_view key) {
  return key == "results" || key == "memories" || key == "relations";
}

// Whether the value of the member that begins here is a list of nodes or edges.
bool NodeLinkReader::ReadsList(std::string_view key) {
  if (key == "nodes") return true;
  if (key == "links" || key == "edges") {
    const std::string_view other = key == "links" ? "edges" : "links";
    if (!seen_.contains(other)) return true;
    Fail("has both \"" + std::string(other) + "\" and \"" + std::string(key) + "\"");
    return false;
  }
  return IsEdgeList(key) && SkipBlanks() == '[' &&
         (!known_ || known_->edges.empty() || known_->edges == key);
}

// A member that is not read: its value is checked to be JSON, if it is no longer than an element.
// Of a list or an object that holds something a warning says so.
void NodeLinkReader::Unread(std::string_view key) {
  const std::string& text = lines_.text();
  const int open = SkipBlanks();
  lines_.text() += "V ";
  const std::size_t begin = text.size();
  if (!CutValue({}, TooLong::kNothing)) return;
  state_ = State::kAfterMember;
  if ((open != '[' && open != '{') || (key == "graph" && open == '{')) return;
  if (begin < text.size()) {
    const std::size_t inside = text.find_first_not_of(" \t\r\n", begin + 1);
    if (text[inside] == ']' || text[inside] == '}') return;
  }
  const std::string says = std::string("the ") + (open == '[' ? "list" : "object") + " \"" +
                           std::string(key.substr(0, 80)) + "\" of the document is not read; ";
  lines_.Say('W', line_,
             says + (IsEdgeList(key) && open == '[' && known_
                         ? "its edges are those of \"" + std::string(known_->edges) + "\""
                         : "nodes are read from \"nodes\", edges from \"links\", \"edges\", "
                           "\"relationships\" or \"adjacency\""));
}

// The id of the node that was cut at `begin`, as JSON.
void NodeLinkReader::KeepId(std::size_t begin) {
  std::string& id = ids_.emplace_back("null");  // of a node that is refused
  std::string_view text = lines_.text();
  text.remove_suffix(1);
  const auto root = json_.Parse(text.substr(std::min(begin, text.size())));
  if (!root || (*root)->type != JsonType::kObject) return;
  const JsonValue* const own = json_.Find(**root, "id");
  if (!own)
    id = std::to_string(nodes_ - 1);
  else if (own->is_number())
    id = own->text;
  else if (own->is_string())
    id = JsonString(own->text);
}

void NodeLinkReader::Element() {
  if (ListEnds()) {
    if (state_ != State::kDone) state_ = AfterList();
    return;
  }
  ++elements_;
  if (!list_.empty() && (defaults_.edges.empty() || Rank(list_) < Rank(defaults_.edges)))
    defaults_.edges = list_;
  if (sort_ == 'J') {
    if (!Expect('[', "a list of neighbours")) return;
    if (keeps_ids_ && row_ >= ids_.size())
      return Fail("\"adjacency\" has more lists than there are nodes");
    first_ = true;
    state_ = State::kNeighbour;
    return;
  }
  if (what_ == What::kDocument) {
    lines_.text() += sort_;
    if (sort_ == 'N') lines_.text() += std::to_string(nodes_++);
    lines_.text() += ' ';
  }
  const std::size_t begin = lines_.text().size();
  if (!CutValue()) return;
  if (sort_ == 'N' && keeps_ids_) KeepId(begin);
  state_ = State::kAfterElement;
}

void NodeLinkReader::Neighbour() {
  if (ListEnds()) {
    if (state_ == State::kDone) return;
    ++row_;
    state_ = State::kAfterElement;
    return;
  }
  lines_.text() += "J [" + (keeps_ids_ ? ids_[row_] : std::string("0")) + ",";
  if (CutValue("]")) state_ = State::kAfterNeighbour;
}

void NodeLinkReader::Step() {
  switch (state_) {
    case State::kStart:
      if (Peek() == 0xEF) {  // a byte order mark
        Get();
        if (Get() != 0xBB || Get() != 0xBF) return Fail("not valid UTF-8");
      }
      if (SkipBlanks() < 0) return Fail("the file is empty");
      if (what_ == What::kArray) {
        wrapped_ = Peek() == '{';
        if (wrapped_) Get();
        if (wrapped_ || Expect('[', "an array"))
          state_ = wrapped_ ? State::kMember : State::kElement;
        return;
      }
      if (Expect('{', "an object with \"nodes\"")) state_ = State::kMember;
      return;
    case State::kMember:
      if (std::exchange(first_, false) && SkipBlanks() == '}') {
        state_ = State::kAfterMember;
        return;
      }
      if (SkipBlanks() == '}')
        return Fail("JSON: nothing stands behind the comma at byte " + std::to_string(comma_));
      return Member();
    case State::kAfterMember:
      if (SkipBlanks() == ',') return TakeComma(State::kMember);
      if (!Expect('}', "',' or '}'")) return;
      if (wrapped_) {
        state_ = State::kTail;
        return;
      }
      if (!has_lists_) {
        std::string all;
        for (const std::string& key : seen_) all += (all.empty() ? "\"" : ", \"") + key + "\"";
        return Fail("has neither \"nodes\" nor \"links\" nor \"edges\"; it has " +
                    (all.empty() ? "nothing" : all.substr(0, 200)));
      }
      state_ = State::kTail;
      return;
    case State::kElement:
      return Element();
    case State::kAfterElement:
      if (SkipBlanks() == ',') return TakeComma(State::kElement);
      if (Expect(']', "',' or ']'")) state_ = AfterList();
      return;
    case State::kNeighbour:
      return Neighbour();
    case State::kAfterNeighbour:
      if (SkipBlanks() == ',') return TakeComma(State::kNeighbour);
      if (!Expect(']', "',' or ']'")) return;
      ++row_;
      state_ = State::kAfterElement;
      return;
    case State::kTail:
      if (SkipBlanks() >= 0)
        return Fail(what_ == What::kArray ? "something follows the array"
                                          : "something follows the object");
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

}  // namespace plexus::formats::internal
