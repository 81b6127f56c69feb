// The list is found by its brackets.
#include "tools/server/reply_page.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

namespace plexus::tools::server {
namespace {

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
