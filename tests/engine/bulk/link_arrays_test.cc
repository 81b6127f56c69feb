// Which batches of links a load takes.
#include "engine/bulk/link_arrays.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus {
using namespace builtin;
namespace {

bool Takes(const Graph& graph, const WriteBatch& batch) {
  return LinkArrays::Takes(graph.snapshot(), Plane::kFact, batch);
}

TEST(LinkArrays, TakesLinksAlone) {
  const auto graph = Graph::InMemory();
  WriteBatch before(1);
  before.Link(before.Node("a"), kLink, before.Node("b"));
  before.RemoveNode(before.UpsertNode("gone"));
  ASSERT_TRUE(graph->Apply(before));
  const auto with = [](auto&& add) {
    WriteBatch batch(2);
    batch.Link(batch.Node("a"), kLink, batch.Node("new"), 0.5f);
    add(batch);
    return batch;
  };
  const auto edge = [](WriteBatch& batch) {
    WriteBatch::EdgeInput in;
    in.source = batch.Node("a");
    in.target = batch.Node("b");
    in.kind = kLink;
    return in;
  };
  EXPECT_TRUE(Takes(*graph, with([](WriteBatch&) {})));
  EXPECT_FALSE(Takes(*graph, WriteBatch(2)));
  EXPECT_TRUE(Takes(*graph, with([&](WriteBatch& b) {
    auto in = edge(b);
    in.label = "red";
    in.created_at = 7;
    b.Link(in);
  })));
  EXPECT_TRUE(Takes(*graph, with([](WriteBatch& b) {
    b.Link(b.Node("c"), b.EdgeKindNamed("caused_by"), NodeRef::Id(0));
  })));
  EXPECT_FALSE(Takes(*graph, with([&](WriteBatch& b) {
    auto in = edge(b);
    in.valid_from = 7;
    b.Link(in);
  })));
  EXPECT_FALSE(Takes(*graph, with([&](WriteBatch& b) {
    auto in = edge(b);
    in.created_by = "me";
    b.Link(in);
  })));
  EXPECT_FALSE(
      Takes(*graph, with([](WriteBatch& b) { b.Unlink(b.Node("a"), kLink, b.Node("b")); })));
  EXPECT_FALSE(Takes(*graph, with([](WriteBatch& b) { b.UpsertNode("c"); })));
  EXPECT_FALSE(Takes(*graph, with([](WriteBatch& b) { b.Node("named only"); })));
  EXPECT_FALSE(
      Takes(*graph, with([](WriteBatch& b) { b.Link(b.Node("a"), kLink, b.Node("gone")); })));
  EXPECT_FALSE(Takes(*graph, with([](WriteBatch& b) {
    b.Link(b.Node("a"), b.EdgeKindNamed("unknown"), b.Node("b"));
  })));
  EXPECT_FALSE(Takes(
      *graph, with([](WriteBatch& b) { b.Link(b.Node("a"), kHasTag, b.IndexNode(kTag, "t")); })));
}

// A batch names 65,535 kinds at most; what is one too many is refused where it is applied.
TEST(LinkArrays, MoreKindsThanABatchNames) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1);
  const NodeRef a = batch.Node("a"), b = batch.Node("b");
  for (int i = 0; i < 65'600; ++i) {
    const EdgeKindRef kind = batch.EdgeKindNamed("k" + std::to_string(i));
    if (i > 65'500) batch.Link(a, kind, b);
  }
  EXPECT_FALSE(Takes(*graph, batch));
}

}  // namespace
}  // namespace plexus
