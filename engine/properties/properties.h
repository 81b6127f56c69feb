// Properties: the map behind NodeField::kProperties and the properties of an edge, written and read
// without a third-party library.
//
//   plexus::PropertyMapBuilder made;
//   made.String("tool", "search").Int("hits", 3);
//   made.BeginList("scores").Double(0.5).Double(0.25).End();
//   PLEXUS_ASSIGN(const std::string bytes, made.Finish());
//   batch.SetPayload(node, plexus::NodeField::kProperties, bytes);
//
//   PLEXUS_ASSIGN(const std::string stored,
//                 snapshot.Payload(node, plexus::NodeField::kProperties));
//   PLEXUS_ASSIGN(const plexus::PropertyMap map, plexus::PropertyMap::Read(stored));
//   if (const auto hits = map.root().Find("hits")) use(hits->AsInt());
//
// The bytes are a FlexBuffers map in one canonical form: members sorted by the bytes of their names
// at every level, an empty map no bytes at all. Equal maps give equal bytes, and the same as the
// JSON importer writes for the same values (storage/formats/import.h).
//
// Complexity: O(bytes) a member written, O(1) one read, unless said. Memory: a builder's and a
// map's values. Threads: builders and maps are values: one thread changes one, any number read one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"

namespace plexus {

enum class PropertyType : std::uint8_t { kNull, kBool, kInt, kUint, kDouble, kString, kList, kMap };

struct PropertyLimits {
  static constexpr std::size_t kMaxDepth = 32;  // the map itself is the first level
  // Names: Limits::kMaxStringBytes. The whole: Limits::kMaxPayloadBytes.
};

// The first error is kept and returned by Finish: a name that is there already in its map,
// empty bytes aside any UTF-8 without U+0000 up to Limits::kMaxStringBytes; a string that is not
// UTF-8; a number that is not finite; a name in a list, or none in a map; End without Begin; more
// than PropertyLimits allow; no memory (kResourceExhausted). All others are kInvalidArgument.
class PropertyMapBuilder {
 public:
  PropertyMapBuilder();

  // Members of the innermost map that was begun and not ended.
  PropertyMapBuilder& Null(std::string_view name);
  PropertyMapBuilder& Bool(std::string_view name, bool value);
  PropertyMapBuilder& Int(std::string_view name, std::int64_t value);
  PropertyMapBuilder& Uint(std::string_view name, std::uint64_t value);  // an int where it fits one
  PropertyMapBuilder& Double(std::string_view name, double value);
  PropertyMapBuilder& String(std::string_view name, std::string_view value);
  PropertyMapBuilder& BeginList(std::string_view name);
  PropertyMapBuilder& BeginMap(std::string_view name);
  // Elements of the innermost list.
  PropertyMapBuilder& Null();
  PropertyMapBuilder& Bool(bool value);
  PropertyMapBuilder& Int(std::int64_t value);
  PropertyMapBuilder& Uint(std::uint64_t value);
  PropertyMapBuilder& Double(double value);
  PropertyMapBuilder& String(std::string_view value);
  PropertyMapBuilder& BeginList();
  PropertyMapBuilder& BeginMap();
  // Ends the innermost list or map; the outermost one ends by Finish.
  PropertyMapBuilder& End();

  // Computes: the bytes; "" for an empty map. The builder is as before, so more may be added.
  // Complexity: O(values * log + bytes). Errors: the first one kept; kResourceExhausted.
  Result<std::string> Finish() const;
  void Clear();

 private:
  friend class PropertyWriter;
  struct Value {
    PropertyType type = PropertyType::kNull;
    std::uint64_t bits = 0;  // of a number or a bool
    std::string name = {}, text = {};
    std::vector<std::uint32_t> children = {};  // of a list or map, in order of their adding
  };
  void Add(const std::string_view* name, PropertyType type, std::uint64_t bits,
           std::string_view text);
  void Refuse(ErrorCode code, const char* why, std::string_view name);

  std::vector<Value> values_;        // the first is the map itself
  std::vector<std::uint32_t> open_;  // of lists and maps, the innermost last
  std::size_t bytes_ = 0;            // of names and strings
  Status first_error_;
};

class PropertyMap;

// One value of a PropertyMap, valid as long as that one is. Copying is cheap.
class PropertyView {
 public:
  PropertyType type() const;
  bool is_null() const { return type() == PropertyType::kNull; }

  // nullopt: the value is of another type, or of another range.
  std::optional<bool> AsBool() const;
  std::optional<std::int64_t> AsInt() const;
  std::optional<std::uint64_t> AsUint() const;
  std::optional<double> AsDouble() const;  // of an integer: the nearest
  std::optional<std::string_view> AsString() const;

  // Of a list or map its elements or members; 0 of other values.
  std::size_t size() const;
  // Members are sorted by name. REQUIRES i < size().
  PropertyView operator[](std::size_t i) const;
  // REQUIRES i < size(), of a map; "" of a list.
  std::string_view name(std::size_t i) const;
  // The member of that name, of a map. O(log size).
  std::optional<PropertyView> Find(std::string_view name) const;

 private:
  friend class PropertyMap;
  PropertyView(const PropertyMap* map, std::uint32_t at) : map_(map), at_(at) {}
  const PropertyMap* map_;
  std::uint32_t at_;
};

// A map read from bytes. Views point into it: it can be moved, but then they are taken again.
class PropertyMap {
 public:
  // Bytes from anywhere; "" is the empty map. Complexity: O(bytes).
  // Errors: kResourceExhausted. kCorruption: they are no FlexBuffers map, or hold what a property
  // cannot be (a blob, a number that is not finite, text that is not UTF-8, names that are not
  // sorted or double, more levels than FlexBuffers' own 64).
  static Result<PropertyMap> Read(std::string_view bytes);

  PropertyView root() const { return PropertyView(this, 0); }

 private:
  friend class PropertyView;
  friend class PropertyReader;
  struct Value {
    PropertyType type = PropertyType::kNull;
    std::uint32_t name = 0, name_size = 0;  // in bytes_
    std::uint32_t first = 0, count = 0;     // of a list or map: children; of a string: in bytes_
    std::uint64_t bits = 0;
  };
  const Value& value(std::uint32_t at) const { return values_[at]; }

  std::vector<std::uint64_t> words_;  // the bytes, aligned
  std::vector<Value> values_;         // the first is the map itself; children stand together
};

}  // namespace plexus
