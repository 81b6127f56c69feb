// Properties to FlexBuffers: the values as they were added, then in order of their names.
#include "engine/properties/properties.h"

#include <flatbuffers/flexbuffers.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/out_of_memory.h"
#include "engine/schema.h"
#include "engine/types.h"

namespace plexus {

namespace fb = flexbuffers;

// --- writing

PropertyMapBuilder::PropertyMapBuilder() { Clear(); }

void PropertyMapBuilder::Clear() try {
  first_error_ = {};
  bytes_ = 0;
  values_.clear();
  open_.clear();
  values_.emplace_back().type = PropertyType::kMap;
  open_.push_back(0);
} catch (const std::bad_alloc&) {
  first_error_ = OutOfMemory();
}

void PropertyMapBuilder::Refuse(ErrorCode code, const char* why, std::string_view name) {
  if (!first_error_) return;
  try {
    std::string message = "property";
    if (!name.empty()) message += " '" + std::string(name.substr(0, 64)) + "'";
    first_error_ = Fail(code, message + " " + why);
  } catch (const std::bad_alloc&) {
    first_error_ = OutOfMemory();
  }
}

void PropertyMapBuilder::Add(const std::string_view* name, PropertyType type, std::uint64_t bits,
                             std::string_view text) try {
  if (!first_error_) return;
  const auto refuse = [&](const char* why) {
    Refuse(ErrorCode::kInvalidArgument, why, name ? *name : std::string_view());
  };
  const bool in_map = values_[open_.back()].type == PropertyType::kMap;
  if (in_map != (name != nullptr))
    return refuse(in_map ? "of a map has no name" : "of a list has a name");
  if (name) {
    if (name->size() > Limits::kMaxStringBytes) return refuse("has a name over 1024 bytes");
    if (name->find('\0') != std::string_view::npos) return refuse("has a name that holds U+0000");
    if (!IsValidUtf8(*name)) return refuse("has a name that is not valid UTF-8");
  }
  if (type == PropertyType::kString && !IsValidUtf8(text))
    return refuse("is text that is not valid UTF-8");
  if (type == PropertyType::kDouble && !std::isfinite(std::bit_cast<double>(bits)))
    return refuse("is not finite");
  const bool opens = type == PropertyType::kList || type == PropertyType::kMap;
  if (opens && open_.size() >= PropertyLimits::kMaxDepth)
    return refuse("is nested too deep: 32 levels are the limit");
  bytes_ += 1 + text.size() + (name ? name->size() : 0);  // as few as they may take
  if (bytes_ > 2 * Limits::kMaxPayloadBytes)
    return refuse("makes the map too large: 1048576 bytes are the limit");

  Value value;
  value.type = type;
  value.bits = bits;
  if (name) value.name = *name;
  value.text = text;
  const auto at = static_cast<std::uint32_t>(values_.size());
  values_.push_back(std::move(value));
  values_[open_.back()].children.push_back(at);
  if (opens) open_.push_back(at);
} catch (const std::bad_alloc&) {
  first_error_ = OutOfMemory();
}

PropertyMapBuilder& PropertyMapBuilder::End() {
  if (first_error_ && open_.size() < 2)
    Refuse(ErrorCode::kInvalidArgument, "map is ended that was not begun", {});
  if (first_error_) open_.pop_back();
  return *this;
}

// Each of a map and of a list.
#define PLEXUS_PROPERTY(Name, Parameters, NamedParameters, type, bits, text) \
  PropertyMapBuilder& PropertyMapBuilder::Name NamedParameters {             \
    Add(&name, type, bits, text);                                            \
    return *this;                                                            \
  }                                                                          \
  PropertyMapBuilder& PropertyMapBuilder::Name Parameters {                  \
    Add(nullptr, type, bits, text);                                          \
    return *this;                                                            \
  }

namespace {
PropertyType UintType(std::uint64_t value) {
  return value >> 63 ? PropertyType::kUint : PropertyType::kInt;
}
}  // namespace

PLEXUS_PROPERTY(Null, (), (std::string_view name), PropertyType::kNull, 0, {})
PLEXUS_PROPERTY(Bool, (bool value), (std::string_view name, bool value), PropertyType::kBool, value,
                {})
PLEXUS_PROPERTY(Int, (std::int64_t value), (std::string_view name, std::int64_t value),
                PropertyType::kInt, static_cast<std::uint64_t>(value), {})
PLEXUS_PROPERTY(Uint, (std::uint64_t value), (std::string_view name, std::uint64_t value),
                UintType(value), value, {})
PLEXUS_PROPERTY(Double, (double value), (std::string_view name, double value),
                PropertyType::kDouble, std::bit_cast<std::uint64_t>(value), {})
PLEXUS_PROPERTY(String, (std::string_view value), (std::string_view name, std::string_view value),
                PropertyType::kString, 0, value)
PLEXUS_PROPERTY(BeginList, (), (std::string_view name), PropertyType::kList, 0, {})
PLEXUS_PROPERTY(BeginMap, (), (std::string_view name), PropertyType::kMap, 0, {})
#undef PLEXUS_PROPERTY

class PropertyWriter {
 public:
  explicit PropertyWriter(const PropertyMapBuilder& from) : from_(from) {}

  Result<std::string> Write() {
    PLEXUS_TRY(Build(from_.values_[0]));
    builder_.Finish();
    const std::vector<std::uint8_t>& bytes = builder_.GetBuffer();
    if (bytes.size() > Limits::kMaxPayloadBytes)
      return Invalid("properties over ", Limits::kMaxPayloadBytes, " bytes");
    return std::string(bytes.begin(), bytes.end());
  }

 private:
  using Value = PropertyMapBuilder::Value;

  Status Build(const Value& value) {
    switch (value.type) {
      case PropertyType::kNull:
        builder_.Null();
        break;
      case PropertyType::kBool:
        builder_.Bool(value.bits != 0);
        break;
      case PropertyType::kInt:
        builder_.Int(static_cast<std::int64_t>(value.bits));
        break;
      case PropertyType::kUint:
        builder_.UInt(value.bits);
        break;
      case PropertyType::kDouble:
        builder_.Double(std::bit_cast<double>(value.bits));
        break;
      case PropertyType::kString:
        builder_.String(value.text);
        break;
      case PropertyType::kList: {
        const std::size_t start = builder_.StartVector();
        for (const std::uint32_t child : value.children) PLEXUS_TRY(Build(from_.values_[child]));
        builder_.EndVector(start, false, false);
        break;
      }
      case PropertyType::kMap:
        return BuildMap(value);
    }
    return {};
  }

  Status BuildMap(const Value& map) {
    std::vector<const Value*> members;
    for (const std::uint32_t child : map.children) members.push_back(&from_.values_[child]);
    std::sort(members.begin(), members.end(),
              [](const Value* a, const Value* b) { return a->name < b->name; });
    const std::size_t start = builder_.StartMap();
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0 && members[i]->name == members[i - 1]->name)
        return Invalid("property '", members[i]->name, "' is there twice");
      builder_.Key(members[i]->name);  // copies its NUL, too
      PLEXUS_TRY(Build(*members[i]));
    }
    builder_.EndMap(start);
    return {};
  }

  const PropertyMapBuilder& from_;
  fb::Builder builder_{256, fb::BUILDER_FLAG_SHARE_KEYS};
};

Result<std::string> PropertyMapBuilder::Finish() const try {
  PLEXUS_TRY(first_error_);
  if (open_.size() > 1) return Invalid("a list or map of the properties was not ended");
  if (values_[0].children.empty()) return std::string();
  return PropertyWriter(*this).Write();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
