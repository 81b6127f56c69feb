// GraphMlKeys: the names, types and defaults that <key> elements give to data.
//
// Every element without its own value repeats a default, so few bytes could demand many. What the
// defaults of a document have together is limited, and so is what they add to all of its elements,
// by what was read of it. Internal to storage/formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "storage/formats/import.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

enum class GraphMlType { kBoolean, kInteger, kReal, kString };

// The attributes of an XML element, a few: names and values by turns, then null, as expat has them.
class GraphMlAttributes {
 public:
  explicit GraphMlAttributes(const char* const* pairs) : pairs_(pairs) {}
  std::optional<std::string_view> Find(std::string_view name) const {
    for (const char* const* pair = pairs_; *pair; pair += 2)
      if (name == pair[0]) return pair[1];
    return std::nullopt;
  }

 private:
  const char* const* pairs_;
};

// A <key>: the name and type of some data.
struct GraphMlKey {
  std::string name;  // "" = not for us
  GraphMlType type = GraphMlType::kString;
  bool nodes = false, edges = false;
  bool drawn = false;  // yEd's drawing of an element, of which the label is read
  bool has_default = false;
  std::string fallback;        // JSON of <default>, "" = none
  // The number, from 1, of the last element with data of that name.
  std::shared_ptr<std::uint64_t> given_in;
};

// The value as JSON appended; false when the text is none of the type's.
bool AppendValue(std::string& out, GraphMlType type, std::string_view text);
// NaN, which igraph and pandas write for a number that is missing.
bool IsMissing(GraphMlType type, std::string_view text);
// "is not true or false": of text that is none of the type's.
std::string NotOfType(GraphMlType type);

class GraphMlKeys {
 public:
  // A <key>. Errors name what is wrong with it.
  // Names that `columns` has are given their meanings and marked in `use`, unless GraphML has
  // attributes for these.
  Result<GraphMlKey*> Add(const GraphMlAttributes& attributes, std::size_t most,
                          const std::vector<ColumnName>& columns, ColumnUse* use);
  // Its <default>, whose text was read.
  Status SetDefault(GraphMlKey& key, std::string_view text, std::size_t field_bytes);
  // nullptr: no such key.
  GraphMlKey* Find(std::string_view id);
  // Keys with a default, by id. REQUIRES that none is added later.
  const std::vector<const GraphMlKey*>& Defaults();
  // Notes that an element was given so many bytes; false when that is too much for `read` bytes of
  // document.
  bool Repeat(std::size_t bytes, std::uint64_t read);
  static std::string RepeatError();

 private:
  std::map<std::string, GraphMlKey, std::less<>> keys_;
  std::vector<const GraphMlKey*> defaults_;
  bool listed_ = false;
  std::size_t default_bytes_ = 0;  // of all of them, names and all
  std::uint64_t repeated_ = 0;     // bytes that they added to elements
};

}  // namespace plexus::formats::internal
