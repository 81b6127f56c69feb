// Pieces of replies that several commands share: nodes, edges, counts, as JSON.
//
// Absent attributes are left out. Keys of index nodes are written as they are
// stored (with U+001F), so that they can be fed back.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/common/edge_step.h"
#include "algorithms/traversal/bfs.h"
#include "algorithms/traversal/traverse.h"
#include "engine/graph.h"
#include "engine/snapshot.h"
#include "tools/cli/cli.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"

namespace plexus::tools {

// {"new":n,"changed":n,"same":n} and "removed" when there are any.
void WriteCounts(JsonWriter& json, std::string_view name, const ChangeCounts& counts);
// What an ApplyReport says, as one object.
void WriteApplyReport(JsonWriter& json, const ApplyReport& report);

// "kind", "weight", "label", "created_at" ... of an edge, into an open object.
void WriteEdgeAttributes(JsonWriter& json, const Snapshot& snapshot, const Edge& edge);
// [{"source":"a","kind":"k","target":"b","weight":x}, ...]
void WritePath(JsonWriter& json, std::string_view name, const Snapshot& snapshot,
               const std::vector<PathEdge>& path);
// "a --kind 0.7--> b <--kind 1-- c", walked from `start`, with short names.
std::string ShownPath(const Snapshot& snapshot, NodeId start, const std::vector<PathEdge>& path);

// How tables show a node: its key and the head of its text, or with --names the
// text alone (the key where there is none). `width` limits the text.
void AddNodeColumns(Table& table, const Globals& globals, std::size_t width);
void AddNodeCells(std::vector<std::string>& row, const Globals& globals, const Snapshot& snapshot,
                  NodeId node);

// What a traversal or a pattern found: the reply, with "resume" when
// it was truncated; and for people, with two lines a hit when `paths` are shown.
void WriteHits(const Snapshot& snapshot, const TraverseResult& result);
void PrintHits(const Globals& globals, const Snapshot& snapshot, const TraverseResult& result,
               bool paths);

// A table of what a breadth-first search reached; `name` heads the column of depths.
void PrintByDepth(const Globals& globals, const Snapshot& snapshot, std::string_view name,
                  std::span<const BfsNode> nodes);

// The node's columns as members of an open object, "scope" included.
void WriteColumns(JsonWriter& json, const Snapshot& snapshot, NodeId node);
// The same for people: name, value.
std::vector<std::pair<std::string, std::string>> ShownColumns(const Snapshot& snapshot,
                                                              NodeId node);
// One column's value for people; times in milliseconds become dates.
std::string ShownColumnValue(const Snapshot& snapshot, ColumnId column, std::uint64_t bits);

}  // namespace plexus::tools
