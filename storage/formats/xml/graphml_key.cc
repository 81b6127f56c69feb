// Keys and their defaults; see graphml_key.h.
#include "storage/formats/xml/graphml_key.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "engine/properties/json_writer.h"
#include "storage/formats/base/decimal.h"
#include "storage/formats/base/text.h"

namespace plexus::formats::internal {

using namespace engine_internal;

namespace {

constexpr std::size_t kMaxDefaults = 1 << 16;  // bytes that a document's defaults add to an element
// Bytes that they add to all elements: so many for each byte read, and some more.
constexpr std::uint64_t kRepeatedPerByte = 16;
constexpr std::uint64_t kRepeatedAnyway = std::uint64_t{1} << 20;

}  // namespace

bool AppendValue(std::string& out, GraphMlType type, std::string_view text) {
  if (type == GraphMlType::kString) {
    AppendJsonString(out, text);
    return true;
  }
  text = Trim(text, " \t\r\n");
  if (type == GraphMlType::kBoolean) {
    const std::string lower = Lower(text);  // R and Python write TRUE and True
    if (lower != "true" && lower != "false" && lower != "1" && lower != "0") return false;
    out += lower == "true" || lower == "1" ? "true" : "false";
    return true;
  }
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  if (type == GraphMlType::kInteger) {
    std::int64_t i = 0;
    if (!ReadWhole(text, i)) return false;
    AppendNumber(out, i);
    return true;
  }
  double d = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, d);
  const bool zero = error == std::errc::result_out_of_range && IsSmall(text) &&
                    !IsBelowZero(text);  // it might be a weight
  if ((error != std::errc() && !zero) || end != last || !std::isfinite(d)) return false;
  AppendJsonDouble(out, d);
  return true;
}

bool IsMissing(GraphMlType type, std::string_view text) {
  return (type == GraphMlType::kReal || type == GraphMlType::kInteger) &&
         Lower(Trim(text, " \t\r\n")) == "nan";
}

std::string NotOfType(GraphMlType type) {
  return type == GraphMlType::kBoolean   ? "is not true or false"
         : type == GraphMlType::kInteger ? "is not an integer within 64 bits"
                                         : "is not a finite value of its type";
}

Result<GraphMlKey*> GraphMlKeys::Add(const GraphMlAttributes& attributes, std::size_t most,
                                     const std::vector<ColumnName>& columns, ColumnUse* use) {
  const auto value = [&](std::string_view name) {
    return attributes.Find(name).value_or(std::string_view());
  };
  const std::string id(value("id"));
  if (id.empty()) return Invalid("a <key> without id");
  if (keys_.size() >= most) return Invalid("more than ", most, " keys");
  GraphMlKey made;
  const std::string_view yfiles = value("yfiles.type");
  made.drawn = yfiles == "nodegraphics" || yfiles == "edgegraphics";
  made.name = value("attr.name");
  // The name is optional: igraph's reader takes the id, too.
  if (made.name.empty() && yfiles.empty()) made.name = id;
  constexpr std::array<std::string_view, 5> kOwn = {"key", "id", "source", "target", "directed"};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].in_file != made.name || made.name.empty() ||
        std::ranges::find(kOwn, columns[i].meaning) != kOwn.end())
      continue;
    made.name = columns[i].meaning;
    if (use) use->Mark(i);
  }
  const std::string_view for_ = value("for"), type = value("attr.type");
  made.nodes = for_.empty() || for_ == "all" || for_ == "node";
  made.edges = for_.empty() || for_ == "all" || for_ == "edge";
  static const std::map<std::string_view, GraphMlType> kTypes = {
      {"", GraphMlType::kString},         {"string", GraphMlType::kString},
      {"boolean", GraphMlType::kBoolean}, {"int", GraphMlType::kInteger},
      {"long", GraphMlType::kInteger},    {"float", GraphMlType::kReal},
      {"double", GraphMlType::kReal}};
  if (const auto known = kTypes.find(type); known != kTypes.end())
    made.type = known->second;
  else
    return Invalid("unknown attr.type ", Quoted(type));
  // NetworkX writes a key a type: what an element has goes by the name.
  for (const auto& [other_id, other] : keys_)
    if (!made.name.empty() && other.name == made.name) made.given_in = other.given_in;
  if (!made.given_in) made.given_in = std::make_shared<std::uint64_t>(0);
  auto [at, is_new] = keys_.emplace(id, std::move(made));
  if (!is_new) return Invalid("key ", Quoted(id), " stands twice");
  return &at->second;
}

Status GraphMlKeys::SetDefault(GraphMlKey& key, std::string_view text, std::size_t field_bytes) {
  const std::string quoted = Quoted(key.name);
  if (text.size() > field_bytes)
    return Invalid("<default> of ", quoted, " is over ", field_bytes, " bytes");
  const bool weight = key.edges && key.name == "weight";  // without one an edge would weigh 1
  if (!weight && IsMissing(key.type, text)) return {};
  if (!AppendValue(key.fallback, key.type, text))
    return Invalid("<default> of ", quoted, " ", NotOfType(key.type));
  for (const auto& [id, other] : keys_)
    if (&other != &key && other.name == key.name && !other.fallback.empty() &&
        ((other.nodes && key.nodes) || (other.edges && key.edges)))
      return Invalid("two keys are named ", quoted, ", and each has a <default>");
  default_bytes_ += JsonString(key.name).size() + key.fallback.size();
  if (default_bytes_ > kMaxDefaults)
    return Invalid("with <default> of ", quoted, " the defaults are over ", kMaxDefaults, " bytes");
  return {};
}

GraphMlKey* GraphMlKeys::Find(std::string_view id) {
  const auto at = keys_.find(id);
  return at == keys_.end() ? nullptr : &at->second;
}

const std::vector<const GraphMlKey*>& GraphMlKeys::Defaults() {
  if (!std::exchange(listed_, true))
    for (const auto& [id, key] : keys_)
      if (!key.fallback.empty()) defaults_.push_back(&key);
  return defaults_;
}

bool GraphMlKeys::Repeat(std::size_t bytes, std::uint64_t read) {
  repeated_ += bytes;
  return repeated_ <= kRepeatedAnyway + kRepeatedPerByte * read;
}

std::string GraphMlKeys::RepeatError() {
  return "the defaults of keys make the document over " + std::to_string(kRepeatedPerByte) +
         " times as large as it is";
}

}  // namespace plexus::formats::internal
