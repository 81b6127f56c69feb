// Passes over the text: numbers keep their digits.
#include "tools/server/tool_reply.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

namespace plexus::tools::server {
namespace {

// What the names say of a path; nullopt: nothing.
std::optional<std::string_view> NameOf(std::string_view path, std::string_view names) {
  while (!names.empty()) {
    const std::string_view one = TakeItem(names, ';');
    const std::size_t equals = std::min(one.find('='), one.size());
    if (one.substr(0, equals) == path) return one.substr(std::min(equals + 1, one.size()));
  }
  return std::nullopt;
}

class Renamer {
 public:
  Renamer(std::string_view json, std::string_view names) : json_(json), names_(names) {}

  Result<std::string> Run() {
    if (!Value("") || at_ != json_.size()) return Fail(ErrorCode::kInternal, "a reply is no JSON");
    return std::move(out_);
  }

 private:
  bool Is(char c) const { return at_ < json_.size() && json_[at_] == c; }

  // The text in quotes that begins here.
  std::optional<std::string_view> Text() {
    if (!Is('"')) return std::nullopt;
    std::size_t end = at_ + 1;
    while (end < json_.size() && json_[end] != '"') end += json_[end] == '\\' ? 2 : 1;
    if (end >= json_.size()) return std::nullopt;
    return json_.substr(std::exchange(at_, end + 1), end + 1 - at_);
  }

  bool Value(const std::string& path) {
    if (Is('{')) return Object(path);
    if (Is('[')) return Array(path);
    if (Is('"')) {
      const auto text = Text();
      if (text) out_ += *text;
      return text.has_value();
    }
    const std::size_t end = std::min(json_.find_first_of(",]}", at_), json_.size());
    out_.append(json_, at_, end - at_);
    return std::exchange(at_, end) != end;
  }

  bool Array(const std::string& path) {
    out_ += json_[at_++];
    while (!Is(']')) {
      if (!Value(path)) return false;
      if (!Is(',')) continue;
      out_ += json_[at_++];
    }
    out_ += json_[at_++];
    return true;
  }

  bool Object(const std::string& path) {
    out_ += json_[at_++];
    for (bool first = true; !Is('}');) {
      const auto quoted = Text();
      if (!quoted || !Is(':')) return false;
      ++at_;
      const std::string_view name = quoted->substr(1, quoted->size() - 2);
      const std::string own = path.empty() ? std::string(name) : path + "." + std::string(name);
      const auto given = NameOf(own, names_);
      const std::size_t before = out_.size();
      if (!first) out_ += ',';
      if (given && given->find('|') != std::string_view::npos) {
        if (!Split(*given)) return false;
      } else if (given == "*") {
        if (!Spread()) return false;
        if (out_.back() == ',') out_.resize(before);  // there was none
      } else {
        out_ += '"';
        out_ += given ? *given : name;
        out_ += "\":";
        if (!Value(own)) return false;
        if (given && given->empty()) out_.resize(before);
      }
      first = first && out_.size() == before;
      if (Is(','))
        ++at_;
      else if (!Is('}'))
        return false;
    }
    out_ += json_[at_++];
    return true;
  }

  // ["a","b"] as "A":"a","B":"b".
  bool Split(std::string_view names) {
    if (!Is('[')) return false;
    while (!names.empty()) {
      ++at_;  // '[' or ','
      out_.append(1, '"').append(TakeItem(names, '|')).append("\":");
      if (!Value("")) return false;
      if (!names.empty()) out_ += ',';
      if (!Is(names.empty() ? ']' : ',')) return false;
    }
    ++at_;
    return true;
  }

  // [{"name":"a","value":1,..},..] as "a":1,...
  bool Spread() {
    if (!Is('[')) return false;
    const std::size_t begin = out_.size();
    for (++at_; !Is(']');) {
      if (!Is('{')) return false;
      ++at_;
      const auto name = Text() == "\"name\"" && Is(':') ? (++at_, Text()) : std::nullopt;
      if (!name || !Is(',') || (++at_, Text()) != "\"value\"" || !Is(':')) return false;
      if (out_.size() > begin) out_ += ',';
      out_.append(*name).append(1, ':');
      ++at_;
      if (!Value("")) return false;
      const std::size_t end = out_.size();
      while (Is(',')) {  // what else it says is left out
        ++at_;
        if (!Text() || !Is(':')) return false;
        ++at_;
        if (!Value("")) return false;
      }
      out_.resize(end);
      if (!Is('}')) return false;
      ++at_;
      if (Is(',')) ++at_;
    }
    ++at_;
    return true;
  }

  const std::string_view json_, names_;
  std::size_t at_ = 0;
  std::string out_;
};

// The place behind the value that begins at `at`.
std::size_t EndOfValue(std::string_view json, std::size_t at) {
  std::size_t depth = 0;
  for (; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      for (++at; at < json.size() && json[at] != '"'; ++at) at += json[at] == '\\';
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return at;
      if (--depth == 0) return at + 1;
    } else if (c == ',' && depth == 0) {
      return at;
    }
  }
  return std::min(at, json.size());
}

// Where the value of a member of the object itself begins.
std::optional<std::size_t> FindMember(std::string_view json, std::string_view name) {
  for (std::size_t at = 1; at < json.size() && json[at] == '"';) {
    const std::size_t colon = json.find("\":", at);
    if (colon == std::string_view::npos) return std::nullopt;
    if (json.substr(at + 1, colon - at - 1) == name) return colon + 2;
    at = EndOfValue(json, colon + 2) + 1;
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> RenamedReply(std::string_view json, std::string_view names) {
  if (names.empty()) return std::string(json);
  return Renamer(json, names).Run();
}

std::string_view RenamedMember(std::string_view name, std::string_view names) {
  const auto given = NameOf(name, names);
  return given ? *given : name;
}

std::string_view TakeItem(std::string_view& list, char separator) {
  const std::size_t end = std::min(list.find(separator), list.size());
  std::string_view item = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  while (item.starts_with(' ')) item.remove_prefix(1);
  while (item.ends_with(' ')) item.remove_suffix(1);
  return item;
}

Result<std::uint64_t> PlaceOfCursor(std::string_view cursor) {
  std::uint64_t place = 0;
  const char* end = cursor.data() + cursor.size();
  if (cursor.starts_with('p')) {
    const auto [read, failed] = std::from_chars(cursor.data() + 1, end, place);
    if (failed == std::errc() && read == end && place <= 100'000) return place;
  }
  return Invalid("cursor is not one of this tool's");
}

Result<std::string> PageOfReply(std::string_view json, std::string_view list, std::uint64_t from,
                                std::uint64_t most, std::uint64_t chars, bool* first_is_long) {
  const auto begin = FindMember(json, list);
  if (!begin || json[*begin] != '[' || !json.ends_with('}'))
    return Fail(ErrorCode::kInternal, "the reply has no list " + std::string(list));
  std::string page(json.substr(0, *begin + 1));
  std::size_t at = *begin + 1;
  std::uint64_t number = 0, shown = 0, bytes = 0;
  bool more = false;
  for (; json[at] != ']'; ++number) {
    const std::size_t end = EndOfValue(json, at);
    if (end >= json.size() || end == at || (json[end] != ',' && json[end] != ']'))
      return Fail(ErrorCode::kInternal, "the reply's list is no JSON");
    bytes += number >= from ? end - at : 0;
    if (number >= from && !more) {
      more = shown == most || (shown > 0 && bytes > chars);
      if (!more) {
        if (first_is_long && shown == 0) *first_is_long = end - at > chars;
        if (shown++ > 0) page += ',';
        page += json.substr(at, end - at);
      }
    }
    at = end + (json[end] == ',');
  }
  page += json.substr(at, json.size() - at - 1);
  if (more) page += ",\"next_cursor\":\"p" + std::to_string(from + shown) + "\"";
  return page + "}";
}

}  // namespace plexus::tools::server
