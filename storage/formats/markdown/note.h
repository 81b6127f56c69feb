// One note of Markdown taken apart: front matter, tags, links. Internal to storage/formats.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.h"

namespace plexus::formats::internal {

struct MarkdownNote {
  std::string kind, kind_field;        // "": none is said; and the field that says it
  std::string created, created_field;  // "": none; as it is written
  std::vector<std::string> tags;       // each once, in order
  std::vector<std::string> links;      // targets without alias, part and %XX; each once
  std::vector<std::pair<std::string, std::string>> fields;  // of the front matter, values as JSON
  std::string text;                    // below the front matter
};

// The front matter is lines `name: value` between two lines `---`: texts, quoted or not, numbers,
// true and false, [a, b] and lists of lines `- a`. What is deeper stays text.
// kInvalidArgument names the line: it is not valid UTF-8, no end of the front matter, a line that
// is none, a name that comes twice.
Result<MarkdownNote> ReadNote(std::string_view file);

}  // namespace plexus::formats::internal
