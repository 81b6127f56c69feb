// Pieces of replies that several operations share: edges, counts, columns.
//
// Absent attributes are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/traversal/traversal.h"
#include "engine/error.h"
#include "engine/graph.h"
#include "engine/snapshot.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// {"new":n,"changed":n,"same":n} and "removed" when there are any.
void WriteCounts(ReplyWriter& json, std::string_view name, const ChangeCounts& counts);

// Properties of edges as JSON, read before a reply is written: what cannot be read is an error
// then.
class EdgeProperties {
 public:
  // Errors: the payload store's, kCorruption; properties that were purged are none.
  Status Read(const Snapshot& snapshot, const Edge& edge);
  // Of the stored edges of a path.
  Status Read(const Snapshot& snapshot, std::span<const PathEdge> path);
  // Null where there are none, or they were not read.
  const std::string* Of(const Edge& edge) const;

 private:
  std::unordered_map<std::uint64_t, std::string> json_;  // by PayloadRef bits
};

// "kind", "weight", "label", "created_at", "created_by", "valid_from", "valid_until", "props" of an
// edge, as members; absent ones are left out.
void WriteEdgeAttributes(ReplyWriter& json, const Snapshot& snapshot, const Edge& edge,
                         const EdgeProperties& properties);
// "source", "kind", "target", then the other attributes, as members.
void WriteEdge(ReplyWriter& json, const Snapshot& snapshot, const Edge& edge,
               const EdgeProperties& properties);
// A list of such, of the stored edges; of each the weight that the path says.
void WritePath(ReplyWriter& json, std::string_view name, const Snapshot& snapshot,
               std::span<const PathEdge> path, const EdgeProperties& properties);
// What a traversal or a pattern found, with "resume" when it was truncated.
void WriteHits(ReplyWriter& json, const Snapshot& snapshot, const traversal::TraverseResult& result,
               const EdgeProperties& properties);

// The line that says that a list was cut short, and what it shows then; "" when it was not.
std::string Truncated(bool truncated, std::string_view what);
// The first `top` of a list; 0 = all.
template <class T>
std::span<const T> First(const std::vector<T>& list, std::uint64_t top) {
  return std::span(list).first(top == 0 || top > list.size() ? list.size()
                                                             : static_cast<std::size_t>(top));
}
// "... 12 more", below a table that shows the first `top` of so many; "" when it shows all.
std::string More(std::size_t count, std::uint64_t top);

// Whether a column holds times: one that Plexus made, or one of the graph's own that is named so
// (reviewed_at) and holds whole numbers.
bool HoldsTimes(const Schema& schema, ColumnId column);
// A column's value as a member.
void WriteColumnValue(ReplyWriter& json, std::string_view name, const Snapshot& snapshot,
                      ColumnId column, std::uint64_t bits);
// The node's columns as members, "scope" included; those of a name that is taken inside of a member
// "columns".
void WriteColumns(ReplyWriter& json, const Snapshot& snapshot, NodeId node,
                  std::span<const std::string> taken);
// The same for people: name, value.
std::vector<std::pair<std::string, std::string>> ShownColumns(const Snapshot& snapshot,
                                                              NodeId node);
// One column's value for people; times in milliseconds become dates.
std::string ShownColumnValue(const Snapshot& snapshot, ColumnId column, std::uint64_t bits);

}  // namespace plexus::tools
