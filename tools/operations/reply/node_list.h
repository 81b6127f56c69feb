// Nodes in a chosen order with chosen columns: what `list` asks, without the command line.
//
// A column is named as in a Where expression (algorithms/retrieval/scan.h): kind, key, scope,
// text, a column of the graph, a property ("props.NAME", or NAME where no column has it; further
// parts lead into nested maps); "tags" are all of them. "degree", "in_degree", "out_degree" count
// edges, "superseded_by" is the key of what replaced the node; a column of the graph of such a name
// goes before.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// A list or a map that a property holds. It has no order.
struct NodeJson {
  std::string text;
};
// monostate: the node has none.
using NodeValue = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                               std::string, std::vector<std::string>, NodeJson>;

// `is_time`: a whole number is milliseconds since 1970.
void WriteNodeValue(ReplyWriter& json, const NodeValue& value, bool is_time = false);

// What a value can be named by: fields and columns of the graph; properties may have any name.
// In expressions fewer: what is suggested has to be accepted.
std::vector<std::string> NamesOfValues(const Schema& schema);
std::vector<std::string> NamesInExpressions(const Schema& schema);

// What values that are counted depend on.
struct NodeColumnOptions {
  EdgeKinds degree_kinds = {};  // of the edges that degrees count; none given: between facts
  bool backward = false;        // these kinds are named by their inverse names
  std::int64_t now_ms = 0;      // at which a node is superseded
  // Nodes that may be named: no others are counted or named. Null: all. Outlives the column.
  const NodeSubset* among = nullptr;
};

class NodeColumn {
 public:
  // kInvalidArgument: an empty name, or one with an empty part.
  static Result<NodeColumn> Named(const Snapshot& snapshot, const std::string& name,
                                  const NodeColumnOptions& options = {});

  const std::string& name() const { return name_; }
  bool is_time() const { return is_time_; }  // milliseconds since 1970
  bool is_number() const;                    // a column of numbers
  // Errors: kCorruption from the payload store; a payload that was purged is none.
  Result<NodeValue> Of(const Snapshot& snapshot, NodeId node) const;

 private:
  enum class Field : std::uint8_t {
    kKind,
    kKey,
    kTags,
    kScope,
    kText,
    kDegree,
    kSupersededBy,
    kColumn,
    kProperty
  };
  std::string name_;
  Field field_ = Field::kKey;
  ColumnId column_{};
  ColumnType type_ = ColumnType::kF64;
  std::vector<std::string> path_;
  ArcFilter degree_filter_;
  Direction degree_direction_ = Direction::kBoth;
  std::int64_t now_ms_ = 0;
  const NodeSubset* among_ = nullptr;
  bool is_time_ = false;
};

struct NodeListRequest {
  const NodeSubset* subset = nullptr;  // null: all alive facts
  std::string sort;                    // "" or a column's name, with ":desc" behind it or not
  NodeColumnOptions columns;           // of the one to sort by
  std::uint64_t top = 0;               // 0 = all
  Budget budget = {};                  // its deadline and cancel flag
};

struct NodeListReply {
  std::uint64_t total = 0;    // nodes of the subset that are alive
  std::vector<NodeId> nodes;  // the first `top`
  std::string sorted_by;      // the name to sort by, without ":desc"
  bool sorted = false;        // some node has such a value
  bool truncated = false;     // `nodes` are sorted as far as they were looked at
};

// Without `sort` by id. Else by value: bools, numbers, texts, each sort by itself, and what has no
// value last either way; ties by id. O(nodes + values read, + top log top).
Result<NodeListReply> ListNodes(const Snapshot& snapshot, const NodeListRequest& request);

}  // namespace plexus::tools
