// Properties out of FlexBuffers.
//
// A reader makes a table of all values at once, after FlexBuffers' own verifier has looked at
// the structure: later reads touch no foreign bytes. Buffers may share a value
// between places, so a small one can spell a tree of any size: there may be no more values than
// bytes, which holds for all that builders write (each value has a byte of its own).
#include <flatbuffers/flexbuffers.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "engine/out_of_memory.h"
#include "engine/properties/properties.h"
#include "engine/schema.h"
#include "engine/types.h"

namespace plexus {

namespace fb = flexbuffers;

class PropertyReader {
 public:
  explicit PropertyReader(PropertyMap& map, std::size_t size)
      : map_(map), data_(reinterpret_cast<const std::uint8_t*>(map.words_.data())), size_(size) {}

  Status Read() {
    fb::Verifier verifier(data_, size_, &reused_);
    if (size_ < 3 || !verifier.VerifyBuffer()) return Damaged("not a FlexBuffers value");
    const fb::Reference root = fb::GetRoot(data_, size_);
    if (!root.IsMap()) return Damaged("not a map");
    PLEXUS_TRY(Add(root));
    for (std::uint32_t at = 0; at < from_.size(); ++at) PLEXUS_TRY(Children(at));
    return {};
  }

 private:
  using Value = PropertyMap::Value;

  static std::unexpected<Error> Damaged(const char* what) {
    return Corrupted("properties: ", what);
  }
  std::uint32_t Offset(const char* at) const {
    return static_cast<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(at) - data_);
  }

  // A key's text. FlexBuffers' verifier (2.0.8) does not look for its NUL: it stops at
  // the first byte that is not one.
  Status Key(const fb::Reference& from, std::string_view& text) const {
    const char* const begin = from.AsKey();
    const auto* const end = static_cast<const char*>(std::memchr(begin, 0, size_ - Offset(begin)));
    if (end == nullptr) return Damaged("a name has no end");
    text = {begin, static_cast<std::size_t>(end - begin)};
    return {};
  }

  // A value; its children later, so that they stand together.
  Status Add(const fb::Reference& from, std::string_view name = {}) {
    if (from_.size() >= size_) return Damaged("more values than bytes");
    Value value;
    if (!name.empty()) {
      value.name = Offset(name.data());
      value.name_size = static_cast<std::uint32_t>(name.size());
    }
    if (from.IsNull()) {
      value.type = PropertyType::kNull;
    } else if (from.IsBool()) {
      value.type = PropertyType::kBool;
      value.bits = from.AsBool();
    } else if (from.IsInt()) {
      value.type = PropertyType::kInt;
      value.bits = static_cast<std::uint64_t>(from.AsInt64());
    } else if (from.IsUInt()) {
      value.bits = from.AsUInt64();
      value.type = value.bits >> 63 ? PropertyType::kUint : PropertyType::kInt;
    } else if (from.IsFloat()) {
      value.type = PropertyType::kDouble;
      if (!std::isfinite(from.AsDouble())) return Damaged("a number is not finite");
      value.bits = std::bit_cast<std::uint64_t>(from.AsDouble());
    } else if (from.IsString() || from.IsKey()) {
      value.type = PropertyType::kString;
      std::string_view text;
      if (from.IsString())
        text = {from.AsString().c_str(), from.AsString().length()};
      else
        PLEXUS_TRY(Key(from, text));
      if (!IsValidUtf8(text)) return Damaged("a string is not valid UTF-8");
      value.first = Offset(text.data());
      value.count = static_cast<std::uint32_t>(text.size());
    } else if (from.IsMap()) {
      value.type = PropertyType::kMap;
    } else if (from.IsAnyVector()) {
      value.type = PropertyType::kList;
    } else {
      return Damaged("a value of a kind that properties do not have");
    }
    map_.values_.push_back(value);
    from_.push_back(from);
    return {};
  }

  Status Children(std::uint32_t at) {
    const fb::Reference from = from_[at];
    const PropertyType type = map_.values_[at].type;
    if (type != PropertyType::kMap && type != PropertyType::kList) return {};
    map_.values_[at].first = static_cast<std::uint32_t>(map_.values_.size());
    if (type == PropertyType::kMap)
      PLEXUS_TRY(Members(from.AsMap()));
    else if (from.IsTypedVector())
      PLEXUS_TRY(Elements(from.AsTypedVector()));
    else if (from.IsFixedTypedVector())
      PLEXUS_TRY(Elements(from.AsFixedTypedVector()));
    else
      PLEXUS_TRY(Elements(from.AsVector()));
    map_.values_[at].count =
        static_cast<std::uint32_t>(map_.values_.size()) - map_.values_[at].first;
    return {};
  }

  template <class Vector>
  Status Elements(const Vector& list) {
    for (std::size_t i = 0; i < list.size(); ++i) PLEXUS_TRY(Add(list[i]));
    return {};
  }

  Status Members(const fb::Map& map) {
    const fb::TypedVector keys = map.Keys();
    const fb::Vector values = map.Values();
    if (keys.size() != values.size())
      return Damaged("a map of another number of names than values");
    std::string_view last;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const fb::Reference key = keys[i];
      if (!key.IsKey()) return Damaged("a name is not text");
      std::string_view name;
      PLEXUS_TRY(Key(key, name));
      if (!IsValidUtf8(name)) return Damaged("a name is not valid UTF-8");
      if (i > 0 && name <= last) return Damaged("names are not sorted, or one is there twice");
      last = name;
      PLEXUS_TRY(Add(values[i], name));
    }
    return {};
  }

  PropertyMap& map_;
  const std::uint8_t* data_;
  const std::size_t size_;
  std::vector<fb::Reference> from_;  // of map_.values_
  std::vector<std::uint8_t> reused_;
};

Result<PropertyMap> PropertyMap::Read(std::string_view bytes) try {
  PropertyMap map;
  if (bytes.empty()) {
    map.values_.emplace_back().type = PropertyType::kMap;
    return map;
  }
  if (bytes.size() > Limits::kMaxPayloadBytes)
    return Corrupted("properties: over ", Limits::kMaxPayloadBytes, " bytes");
  map.words_.resize((bytes.size() + 7) / 8);
  std::memcpy(map.words_.data(), bytes.data(), bytes.size());
  PLEXUS_TRY(PropertyReader(map, bytes.size()).Read());
  return map;
}
PLEXUS_CATCH_NO_MEMORY

namespace {
bool IsContainer(PropertyType type) {
  return type == PropertyType::kList || type == PropertyType::kMap;
}
}  // namespace

PropertyType PropertyView::type() const { return map_->value(at_).type; }

std::optional<bool> PropertyView::AsBool() const {
  if (type() != PropertyType::kBool) return std::nullopt;
  return map_->value(at_).bits != 0;
}

std::optional<std::int64_t> PropertyView::AsInt() const {
  if (type() != PropertyType::kInt) return std::nullopt;
  return static_cast<std::int64_t>(map_->value(at_).bits);
}

std::optional<std::uint64_t> PropertyView::AsUint() const {
  const std::uint64_t bits = map_->value(at_).bits;
  if (type() == PropertyType::kUint || (type() == PropertyType::kInt && bits >> 63 == 0))
    return bits;
  return std::nullopt;
}

std::optional<double> PropertyView::AsDouble() const {
  const std::uint64_t bits = map_->value(at_).bits;
  switch (type()) {
    case PropertyType::kInt:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    case PropertyType::kUint:
      return static_cast<double>(bits);
    case PropertyType::kDouble:
      return std::bit_cast<double>(bits);
    default:
      return std::nullopt;
  }
}

std::optional<std::string_view> PropertyView::AsString() const {
  if (type() != PropertyType::kString) return std::nullopt;
  const auto& value = map_->value(at_);
  return std::string_view(reinterpret_cast<const char*>(map_->words_.data()) + value.first,
                          value.count);
}

std::size_t PropertyView::size() const { return IsContainer(type()) ? map_->value(at_).count : 0; }

PropertyView PropertyView::operator[](std::size_t i) const {
  PLEXUS_CHECK(i < size(), "an element of the list or map");
  return PropertyView(map_, map_->value(at_).first + static_cast<std::uint32_t>(i));
}

std::string_view PropertyView::name(std::size_t i) const {
  const auto& child = map_->value((*this)[i].at_);
  return {reinterpret_cast<const char*>(map_->words_.data()) + child.name, child.name_size};
}

std::optional<PropertyView> PropertyView::Find(std::string_view wanted) const {
  if (type() != PropertyType::kMap) return std::nullopt;
  std::size_t begin = 0, end = size();
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (name(middle) < wanted)
      begin = middle + 1;
    else
      end = middle;
  }
  if (begin == size() || name(begin) != wanted) return std::nullopt;
  return (*this)[begin];
}

}  // namespace plexus
