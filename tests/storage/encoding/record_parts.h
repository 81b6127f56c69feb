// What is read of a record for one node, against the whole record: the slow way is to decode all of
// it and to drop what is of others.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "storage/encoding/record_codec.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {

inline std::set<NodeId> NodesOf(const Record& record) {
  std::set<NodeId> nodes;
  for (std::size_t i = 0; i < record.node_kinds.size(); ++i)
    nodes.insert(record.first_node + static_cast<NodeId>(i));
  for (const NodeChange& c : record.node_changes) nodes.insert(c.node);
  for (const EdgeChange& c : record.edges) nodes.insert({c.source, c.target});
  for (const ColumnChange& c : record.columns) nodes.insert(c.node);
  for (const PayloadChange& c : record.payload_changes) nodes.insert(c.node);
  for (const VectorChange& c : record.vectors) nodes.insert(c.node);
  return nodes;
}

template <class T>
bool SameValues(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
bool SameOf(NodeId node, std::vector<T> all, const std::vector<T>& part) {
  std::erase_if(all, [&](const T& change) { return change.node != node; });
  return SameValues(all, part);
}

inline void ExpectRecordOf(NodeId node, const std::string& bytes, const Record& whole) {
  SCOPED_TRACE(node);
  const auto decoded = DecodeRecordOf(node, AsBytes(bytes), "record");
  ASSERT_TRUE(decoded) << decoded.error().ToString();
  const Record& part = decoded->record;
  EXPECT_EQ(decoded->head.digest, DecodeRecordHead(AsBytes(bytes), "record")->digest);
  EXPECT_EQ(part.sequence, whole.sequence);
  EXPECT_EQ(part.time_ms, whole.time_ms);
  const bool introduced =
      node >= whole.first_node && node - whole.first_node < whole.node_kinds.size();
  ASSERT_EQ(part.node_kinds.size(), introduced ? 1u : 0u);
  if (introduced) {
    EXPECT_EQ(part.first_node, node);
    EXPECT_EQ(part.node_kinds[0], whole.node_kinds[node - whole.first_node]);
  }
  EXPECT_TRUE(SameOf(node, whole.node_changes, part.node_changes));
  EXPECT_TRUE(SameOf(node, whole.columns, part.columns));
  EXPECT_TRUE(SameOf(node, whole.payload_changes, part.payload_changes));
  EXPECT_TRUE(SameOf(node, whole.vectors, part.vectors));
  std::vector<EdgeChange> edges;
  std::vector<EdgeExtra> extras;
  for (std::size_t i = 0; i < whole.edges.size(); ++i) {
    if (whole.edges[i].source != node && whole.edges[i].target != node) continue;
    for (EdgeExtra extra : whole.edge_extras) {
      if (extra.index != i) continue;
      extra.index = static_cast<std::uint32_t>(edges.size());
      extras.push_back(extra);
    }
    edges.push_back(whole.edges[i]);
  }
  EXPECT_TRUE(SameValues(part.edges, edges));
  EXPECT_TRUE(SameValues(part.edge_extras, extras));
}

// Of all its nodes, or some 60 where they are more, and of one that it does not name.
inline void ExpectRecordParts(const std::string& bytes) {
  const auto whole = DecodeRecord(AsBytes(bytes), "record");
  ASSERT_TRUE(whole) << whole.error().ToString();
  const std::set<NodeId> nodes = NodesOf(whole->record);
  RecordNodes named;
  named.named = {4711};  // memory that is used again
  ASSERT_TRUE(DecodeRecordNodes(AsBytes(bytes), "record", named));
  EXPECT_EQ(named.head.sequence, whole->record.sequence);
  EXPECT_EQ(named.head.running_hash, whole->head.running_hash);
  std::set<NodeId> read(named.named.begin(), named.named.end());
  for (std::uint32_t i = 0; i < named.new_nodes; ++i) read.insert(named.first_node + i);
  EXPECT_EQ(read, nodes);
  const std::size_t step = 1 + nodes.size() / 60;
  std::size_t at = 0;
  for (const NodeId node : nodes)
    if (at++ % step == 0 || at == nodes.size()) ExpectRecordOf(node, bytes, whole->record);
  NodeId other = 0;
  while (nodes.contains(other)) ++other;
  ExpectRecordOf(other, bytes, whole->record);
}

}  // namespace plexus::storage_internal::testing
