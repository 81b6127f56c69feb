// Rows of ranked nodes with one or more scores.
#pragma once

#include <initializer_list>
#include <vector>

#include "tools/operations/kernel_options.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

struct ScoredColumn {
  const char* name;
  const std::vector<double>* values;  // by NodeId
};

// "total":n,"results":[{"key":...,"NAME":x, ...}, ...].
inline void WriteScored(ReplyWriter& json, const Snapshot& snapshot, const Ranked& ranked,
                        std::initializer_list<ScoredColumn> columns) {
  json.Field("total", ranked.total);
  json.Objects("results", ranked.nodes, [&](const ScoredNode& node) {
    json.Node("key", snapshot, node.node);
    for (const ScoredColumn& column : columns) json.Field(column.name, (*column.values)[node.node]);
  });
}

}  // namespace plexus::tools
