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

}  // namespace plexus::engine_internal
