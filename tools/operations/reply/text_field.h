// "text" in a reply: the whole text of a node, or as many characters of it as were asked for;
// "line": of a hit, the line that matches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/snapshot.h"
#include "tools/operations/framework/operation.h"
#include "tools/operations/framework/request.h"

namespace plexus::tools {

inline Parameter MaxCharsParameter() {
  return Count("max_chars", "N",
               "cut each text behind N characters, and say text_cut (default: whole)");
}

// "" where none exists, or it cannot be read.
inline std::string WholeText(const Snapshot& snapshot, NodeId node) {
  if (!snapshot.payload_ref(node, NodeField::kText)) return {};
  return snapshot.Payload(node, NodeField::kText).value_or("");
}

inline void WriteText(ReplyWriter& json, std::string_view text,
                      std::optional<std::uint64_t> max_chars) {
  std::size_t end = 0;
  for (std::uint64_t left = max_chars.value_or(text.size()); end < text.size() && left > 0; --left)
    do ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
  json.Field("text", text.substr(0, end));
  if (end < text.size()) json.Field("text_cut", true);
}

// Of a text of several lines the first one that `matches`, if any does.
template <class Matches>
void WriteLine(ReplyWriter& json, std::string_view text, const Matches& matches) {
  if (text.find('\n') == std::string_view::npos) return;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (matches(line)) return json.Field("line", line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
}

}  // namespace plexus::tools
