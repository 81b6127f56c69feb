// Tables of a reply, for people and as CSV, in the words of a row:
//
//   nodes: #, score.4, scaled.3 percent = of best, key; edges: source, kind, target
//
// A table is a list of the reply's shape and its columns. "sets/nodes" is a list in a list; members
// of the outer object are shown in the first row of each. A column is a member of the list's
// elements, "a/b" a member of an object in it, "a|b" b where there is one, # the row's number.
// Behind it: ".4" significant digits (default 6), how it is shown where its type does not say so
// (a name of As without its k), "?flag" shown only when that flag of the request is given, and "=
// heading" (default: the name).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/operations/framework/operation.h"

namespace plexus::tools {

// How a column shows what the reply holds.
enum class As : std::uint8_t {
  kPlain,    // x, s, j, i: numbers with `digits` significant digits, texts as they are
  kGrouped,  // n: 1,234,567
  kPercent,  // a share, as per cent
  kTime,     // t: milliseconds since 1970, as a date
  kTrait,    // b: the heading where it is true
  kList,     // [T]: a list in one cell
  kNode,     // a key, with the text of its node: k of the name "key"
  kKey,      // k of other names: only a key
  kNodes,    // a list of keys, a line each
  kRank,     // the row's number
  kArrow,    // out, in or both
  kPath,     // edges, from node to node, on a line below
  kSteps,    // edges, a node and an edge a line, below
  kShares,   // keys with weights, on a line below
  kRelated,  // related nodes, an edge and a node a line, below
};

struct TableColumn {
  std::string field = {};
  std::string heading = {};
  As as = As::kPlain;
  int digits = 6;
  std::string flag = {};
};

struct Layout {
  std::string list;
  std::vector<TableColumn> columns;
};

// The first one is also the CSV; none: a table of the reply's own members. A text that is no layout
// of the row's shape is a programmer's error.
std::vector<Layout> LayoutsOf(const Operation& row);

}  // namespace plexus::tools
