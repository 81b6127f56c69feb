// Fuzz target: properties from anywhere. They are refused as damaged, or every value can be read
// and, written again, reads the same; once written they do not change any more.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/properties/properties.h"

namespace {

using namespace plexus;  // NOLINT: a program of one file

void Require(bool holds) {
  if (!holds) std::abort();
}

// The value under `name`, or as an element.
template <class... Name>
void Copy(PropertyMapBuilder& to, PropertyView from, Name... name) {
  switch (from.type()) {
    case PropertyType::kNull:
      to.Null(name...);
      break;
    case PropertyType::kBool:
      to.Bool(name..., *from.AsBool());
      break;
    case PropertyType::kInt:
      to.Int(name..., *from.AsInt());
      break;
    case PropertyType::kUint:
      to.Uint(name..., *from.AsUint());
      break;
    case PropertyType::kDouble:
      to.Double(name..., *from.AsDouble());
      break;
    case PropertyType::kString:
      to.String(name..., *from.AsString());
      break;
    case PropertyType::kList:
      to.BeginList(name...);
      for (std::size_t i = 0; i < from.size(); ++i) Copy(to, from[i]);
      to.End();
      break;
    case PropertyType::kMap:
      to.BeginMap(name...);
      for (std::size_t i = 0; i < from.size(); ++i) {
        Require(from.Find(from.name(i)).has_value());
        Copy(to, from[i], from.name(i));
      }
      to.End();
      break;
  }
}

// The bytes that say the same; an error where there are more levels or bytes than are written.
Result<std::string> Again(const PropertyMap& map) {
  PropertyMapBuilder made;
  for (std::size_t i = 0; i < map.root().size(); ++i) Copy(made, map.root()[i], map.root().name(i));
  return made.Finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = PropertyMap::Read({reinterpret_cast<const char*>(data), size});
  if (!read) {
    Require(read.error().code == ErrorCode::kCorruption && !read.error().message.empty());
    return 0;
  }
  const auto written = Again(*read);
  if (!written) {
    Require(written.error().code == ErrorCode::kInvalidArgument);
    return 0;
  }
  const auto second = PropertyMap::Read(*written);
  Require(second.has_value());
  Require(second->root().size() == read->root().size());
  const auto same = Again(*second);
  Require(same && *same == *written);
  return 0;
}
