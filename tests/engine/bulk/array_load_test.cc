// Flat arrays: the graph of the same links in batches, and errors that name the array.
#include "engine/bulk/load.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/parallel.h"
#include "engine/vocabulary.h"
#include "tests/support/dump.h"

namespace plexus::testing {
using namespace builtin;
namespace {

struct Arrays {
  std::string bytes;
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> sources, targets;
  std::vector<float> weights;
  std::vector<std::uint16_t> kind_of, node_kind_of;
  std::vector<std::int64_t> created_at, valid_from;
  std::vector<std::string_view> kinds, node_kinds;

  GraphArrays View() const {
    GraphArrays view;
    view.key_bytes = bytes;
    view.key_offsets = offsets;
    view.sources = sources;
    view.targets = targets;
    view.weights = weights;
    view.kinds = kinds;
    view.kind_of = kind_of;
    view.created_at = created_at;
    view.valid_from = valid_from;
    view.node_kinds = node_kinds;
    view.node_kind_of = node_kind_of;
    view.time_ms = 7000;
    return view;
  }
};

Arrays Random(std::mt19937_64& random, bool keyed, unsigned has) {
  Arrays a;
  const std::uint32_t nodes = 1 + static_cast<std::uint32_t>(random() % 60);
  if (has & 1) a.kinds = {"knows", "caused_by", "contradicts", "link"};
  if (keyed) {
    a.offsets = {0};
    for (std::uint32_t v = 0; v < nodes; ++v) {
      a.bytes += "key " + std::to_string(v * 7);
      a.offsets.push_back(a.bytes.size());
    }
    if (has & 2) {
      a.node_kinds = {"memory", "person"};
      for (std::uint32_t v = 0; v < nodes; ++v)
        a.node_kind_of.push_back(static_cast<std::uint16_t>(random() % 2));
    }
  }
  for (std::uint64_t i = 0; i < random() % 400; ++i) {
    const auto end = [&] {
      const auto node = static_cast<std::uint32_t>(random() % nodes);
      return keyed || !(has & 32) ? node : node * 70'000'000u;  // far apart
    };
    a.sources.push_back(end());
    a.targets.push_back(end());
    const bool loop = a.sources.back() == a.targets.back();
    if (has & 1) a.kind_of.push_back(static_cast<std::uint16_t>(loop ? 0 : random() % 4));
    if (has & 4) a.weights.push_back(random() % 3 ? 0.5f : std::nanf(""));
    if (has & 8) a.created_at.push_back(random() % 2 ? kNoTime : 5);
    if (has & 16) a.valid_from.push_back(random() % 2 ? kNoTime : 6);
  }
  return a;
}

TEST(ArrayLoad, IsTheGraphOfItsLinks) {
  std::mt19937_64 random(3);
  const auto two = MakeThreadExecutor(2);
  for (unsigned round = 0; round < 128; ++round) {
    SCOPED_TRACE(round);
    const bool keyed = round % 2;
    const Arrays a = Random(random, keyed, round / 2);
    GraphOptions options;
    options.executor = two.get();
    const auto loaded = Graph::InMemory(options), applied = Graph::InMemory(options);
    WriteBatch batch(7000);
    std::vector<NodeRef> refs;
    for (std::size_t v = 0; v + 1 < a.offsets.size(); ++v) {
      const auto key =
          std::string_view(a.bytes).substr(a.offsets[v], a.offsets[v + 1] - a.offsets[v]);
      refs.push_back(
          a.node_kind_of.empty()
              ? batch.UpsertNode(key)
              : batch.UpsertNode(key, batch.NodeKindNamed(a.node_kinds[a.node_kind_of[v]])));
      batch.ClearColumn(refs.back(), kCreatedAt);
    }
    for (const std::string_view name : a.kinds) (void)batch.EdgeKindNamed(name);
    for (std::size_t i = 0; i < a.sources.size(); ++i) {
      WriteBatch::EdgeInput edge;
      const auto node = [&](std::uint32_t at) {
        return keyed ? refs[at] : batch.Node(std::to_string(at));
      };
      edge.source = node(a.sources[i]);
      edge.target = node(a.targets[i]);
      edge.kind = kLink;
      if (!a.kinds.empty()) edge.kind = batch.EdgeKindNamed(a.kinds[a.kind_of[i]]);
      if (!a.weights.empty() && !std::isnan(a.weights[i])) edge.weight = a.weights[i];
      if (!a.created_at.empty() && a.created_at[i] != kNoTime) edge.created_at = a.created_at[i];
      if (!a.valid_from.empty() && a.valid_from[i] != kNoTime) edge.valid_from = a.valid_from[i];
      batch.Link(edge);
    }
    const auto report = LoadArrays(*loaded, a.View());
    ASSERT_TRUE(report) << report.error().ToString();
    if (a.sources.empty() && !keyed) continue;  // the batch would define kinds
    ASSERT_TRUE(applied->Apply(batch));
    ASSERT_TRUE(applied->Compact());
    ASSERT_TRUE(SameText(Dump(applied->snapshot()), Dump(loaded->snapshot())));
  }
}

TEST(ArrayLoad, ErrorsNameTheArray) {
  Arrays good;
  good.bytes = "annbobcat";
  good.offsets = {0, 3, 6, 9};
  good.sources = {0, 1};
  good.targets = {1, 2};
  good.kinds = {"knows"};
  const auto expect = [&](const char* what, auto change) {
    Arrays bad = good;
    change(bad);
    const auto graph = Graph::InMemory();
    const auto report = LoadArrays(*graph, bad.View());
    ASSERT_FALSE(report) << what;
    EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(report.error().message.find(what), std::string::npos) << report.error().message;
    EXPECT_EQ(graph->snapshot().sequence(), 0u);
  };
  expect("targets has 1 values, sources 2", [](Arrays& a) { a.targets.pop_back(); });
  expect("weights has 1 values", [](Arrays& a) { a.weights = {1}; });
  expect("sources[1] is 3, but there are 3 keys", [](Arrays& a) { a.sources[1] = 3; });
  expect("targets[0] is 9, but there are 3 keys", [](Arrays& a) { a.targets[0] = 9; });
  expect("kind_of[1] is 1, but there are 1 kinds", [](Arrays& a) { a.kind_of = {0, 1}; });
  expect("node_kind_of has 1 values", [](Arrays& a) { a.node_kind_of = {0}; });
  expect("key_offsets do not ascend", [](Arrays& a) { a.offsets[1] = 7; });
  expect("key_offsets do not ascend", [](Arrays& a) { a.offsets[3] = 8; });
  expect("keys 0 and 2 are the same", [](Arrays& a) { a.bytes = "annbobann"; });
  expect("key 1: node key is empty", [](Arrays& a) { a.offsets[1] = 6; });
  expect("weight -1", [](Arrays& a) { a.weights = {1, -1}; });
  expect("edge kind name is empty", [](Arrays& a) { a.kinds = {""}; });
  const auto graph = Graph::InMemory();
  ASSERT_TRUE(LoadArrays(*graph, good.View()));
  EXPECT_EQ(LoadArrays(*graph, good.View()).error().code, ErrorCode::kFailedPrecondition);
}

TEST(ArrayLoad, AKeyThatIsTooLongIsNamed) {
  for (const std::size_t size : {1025u, 65'535u, 65'536u, 70'000u}) {
    SCOPED_TRACE(size);
    Arrays arrays;
    arrays.bytes = "a" + std::string(size, 'k');
    arrays.offsets = {0, 1, 1 + size};
    arrays.sources = {0};
    arrays.targets = {1};
    const auto graph = Graph::InMemory();
    const auto report = LoadArrays(*graph, arrays.View());
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(report.error().message,
              "key 1: node key has " + std::to_string(size) + " bytes, the limit is 1024");
  }
}

// A load gives no scope, so a graph whose new facts have one takes batches.
TEST(ArrayLoad, NoLoadWhereFactsGetAScope) {
  GraphOptions options;
  options.scope = "team";
  const auto graph = Graph::InMemory(options);
  Arrays arrays;
  arrays.sources = {1};
  arrays.targets = {2};
  const auto report = LoadArrays(*graph, arrays.View());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kFailedPrecondition);
}

}  // namespace
}  // namespace plexus::testing
