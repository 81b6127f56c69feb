// Spelling of property maps; see split_properties.h.
#include "engine/properties/split_properties.h"

#include "engine/properties/json_writer.h"

namespace plexus::engine_internal {

void AppendJson(std::string& out, PropertyView value) {
  switch (value.type()) {
    case PropertyType::kNull:
      out += "null";
      break;
    case PropertyType::kBool:
      out += *value.AsBool() ? "true" : "false";
      break;
    case PropertyType::kInt:
      AppendNumber(out, *value.AsInt());
      break;
    case PropertyType::kUint:
      AppendNumber(out, *value.AsUint());
      break;
    case PropertyType::kDouble:
      AppendJsonDouble(out, *value.AsDouble());
      break;
    case PropertyType::kString:
      AppendJsonString(out, *value.AsString());
      break;
    case PropertyType::kList:
      out += '[';
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (i) out += ',';
        AppendJson(out, value[i]);
      }
      out += ']';
      break;
    case PropertyType::kMap:
      out += '{';
      for (std::size_t i = 0; i < value.size(); ++i) {
        AppendJsonKey(out, value.name(i));
        AppendJson(out, value[i]);
      }
      out += '}';
      break;
  }
}

Result<JsonProperties> SplitProperties(std::string_view properties) {
  PLEXUS_ASSIGN(const PropertyMap map, PropertyMap::Read(properties));
  const PropertyView root = map.root();
  JsonProperties out;
  for (std::size_t i = 0; i < root.size(); ++i) AppendJson(out[std::string(root.name(i))], root[i]);
  return out;
}

// --- json_writer.h

void AppendJsonString(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef", kLetters[] = "\"\\nrt";
  static constexpr std::string_view kShort = "\"\\\n\r\t";  // have a letter
  out += '"';
  std::size_t plain = 0;  // begin of what can be copied as it is
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    out += '\\';
    if (const std::size_t at = kShort.find(text[i]); at != std::string_view::npos) {
      out += kLetters[at];
    } else {
      out += "u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    }
  }
  out.append(text, plain);
  out += '"';
}

void AppendJsonDouble(std::string& out, double value) {
  const std::size_t begin = out.size();
  AppendNumber(out, value);
  if (out.find_first_of(".e", begin) == std::string::npos) out += ".0";
}

// A rank is a whole number or, of other people's files, a fraction.
std::string RankAlone(std::string_view properties) {
  const Result<PropertyMap> map = PropertyMap::Read(std::string(properties));
  const auto rank = map ? map->root().Find("rank") : std::nullopt;
  if (!rank) return {};
  PropertyMapBuilder kept;
  if (const auto whole = rank->AsInt())
    kept.Int("rank", *whole);
  else if (const auto number = rank->AsDouble())
    kept.Double("rank", *number);
  return kept.Finish().value_or("");
}

}  // namespace plexus::engine_internal
