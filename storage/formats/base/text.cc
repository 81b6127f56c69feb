// JSON where it is an array of strings, else cut at ';'.

#include <algorithm>

#include "engine/properties/json_writer.h"
#include "storage/formats/base/json_tree.h"
#include "storage/formats/base/text.h"

namespace plexus::formats::internal {

std::string JsonString(std::string_view text) {
  std::string json;
  engine_internal::AppendJsonString(json, text);
  return json;
}

std::vector<std::string> ReadTagList(std::string_view text) {
  std::vector<std::string> tags;
  const auto add = [&](std::string_view tag) {
    if (tag = Trim(tag); !tag.empty()) tags.emplace_back(tag);
  };
  if (Trim(text).starts_with('[')) {
    JsonParser json;
    const auto root = json.Parse(Trim(text));
    if (root && (*root)->type == JsonType::kArray &&
        std::ranges::all_of(json.children(**root), &JsonValue::is_string)) {
      for (const JsonValue& tag : json.children(**root))
        if (!tag.text.empty()) tags.emplace_back(tag.text);
      return tags;
    }
  }
  for (; !text.empty(); text.remove_prefix(std::min(text.find(';') + 1, text.size()))) {
    add(text.substr(0, std::min(text.find(';'), text.size())));
    if (text.find(';') == text.npos) break;
  }
  return tags;
}

std::string WriteTagList(const std::vector<std::string_view>& tags) {
  std::string text;
  for (const std::string_view tag : tags) text.append(text.empty() ? "" : ";").append(tag);
  if (std::ranges::equal(ReadTagList(text), tags)) return text;
  text.clear();
  engine_internal::AppendJsonList(
      text, tags, [&](std::string_view tag) { engine_internal::AppendJsonString(text, tag); });
  return text;
}

}  // namespace plexus::formats::internal
