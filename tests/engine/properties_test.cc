// Properties: what is written is read, wrong uses are refused by name, foreign bytes are safe.
#include "engine/properties/properties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/support/fails_with.h"
#include "tests/support/property_map.h"

namespace plexus {
using namespace builtin;
namespace {

using testing::FailsWith;

std::string Everything() {
  PropertyMapBuilder made;
  made.String("text", std::string_view("caf\xC3\xA9\0!", 7))
      .Null("nothing")
      .Bool("yes", true)
      .Bool("no", false);
  made.Int("least", std::numeric_limits<std::int64_t>::min())
      .Uint("most", ~std::uint64_t{0})
      .Uint("small", 7);
  made.Double("pi", 3.25).Double("zero", -0.0);
  made.BeginList("list")
      .Int(1)
      .String("two")
      .Null()
      .BeginMap()
      .Bool("in", true)
      .End()
      .BeginList()
      .End()
      .End();
  made.BeginMap("map").Int("b", 2).Int("a", 1).BeginMap("empty").End().End();
  const auto bytes = made.Finish();
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes.value_or("");
}

TEST(Properties, WhatIsWrittenIsRead) {
  const std::string bytes = Everything();
  const auto map = PropertyMap::Read(bytes);
  ASSERT_TRUE(map) << map.error().message;
  const PropertyView root = map->root();
  ASSERT_EQ(root.type(), PropertyType::kMap);
  EXPECT_EQ(root.size(), 11u);
  for (std::size_t i = 1; i < root.size(); ++i) EXPECT_LT(root.name(i - 1), root.name(i));
  EXPECT_EQ(root.Find("text")->AsString(), std::string_view("caf\xC3\xA9\0!", 7));
  EXPECT_TRUE(root.Find("nothing")->is_null());
  EXPECT_EQ(root.Find("yes")->AsBool(), true);
  EXPECT_EQ(root.Find("no")->AsBool(), false);
  EXPECT_EQ(root.Find("least")->AsInt(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(root.Find("least")->AsUint(), std::nullopt);
  EXPECT_EQ(root.Find("most")->AsUint(), ~std::uint64_t{0});
  EXPECT_EQ(root.Find("most")->AsInt(), std::nullopt);
  EXPECT_EQ(root.Find("small")->type(), PropertyType::kInt);
  EXPECT_EQ(root.Find("small")->AsDouble(), 7.0);
  EXPECT_EQ(root.Find("pi")->AsDouble(), 3.25);
  EXPECT_EQ(root.Find("pi")->AsInt(), std::nullopt);
  EXPECT_TRUE(std::signbit(*root.Find("zero")->AsDouble()));
  const PropertyView list = *root.Find("list");
  ASSERT_EQ(list.size(), 5u);
  EXPECT_EQ(list[0].AsInt(), 1);
  EXPECT_EQ(list[1].AsString(), "two");
  EXPECT_TRUE(list[2].is_null());
  EXPECT_EQ(list[3].Find("in")->AsBool(), true);
  EXPECT_EQ(list[4].type(), PropertyType::kList);
  EXPECT_EQ(list[4].size(), 0u);
  EXPECT_EQ(root.Find("map")->name(0), "a");
  EXPECT_EQ(root.Find("map")->Find("empty")->type(), PropertyType::kMap);
  EXPECT_EQ(root.Find("absent"), std::nullopt);
  EXPECT_EQ(list.Find("two"), std::nullopt);
}

TEST(Properties, OrderOfAddingDoesNotMatter) {
  PropertyMapBuilder ab, ba;
  ab.Int("a", 1).String("b", "x");
  ba.String("b", "x").Int("a", 1);
  EXPECT_EQ(*ab.Finish(), *ba.Finish());
  PropertyMapBuilder one;
  one.Int("weight", 5);
  EXPECT_EQ(*one.Finish(), testing::PropertyBytes("weight", 5));
  one.Clear();
  EXPECT_EQ(*one.Finish(), "");
  EXPECT_EQ(PropertyMap::Read("")->root().size(), 0u);
}

TEST(Properties, WrongUsesAreRefusedByName) {
  const auto refused = [](auto&& fill) {
    PropertyMapBuilder made;
    fill(made);
    const auto bytes = made.Finish();
    EXPECT_FALSE(bytes);
    if (bytes) return std::string();
    EXPECT_EQ(bytes.error().code, ErrorCode::kInvalidArgument);
    return bytes.error().message;
  };
  using B = PropertyMapBuilder;
  EXPECT_EQ(refused([](B& b) { b.Int("a", 1).Int("b", 2).Int("a", 3); }),
            "property 'a' is there twice");
  EXPECT_EQ(refused([](B& b) { b.Double("x", NAN).Int("later", 1); }),
            "property 'x' is not finite");
  EXPECT_EQ(refused([](B& b) { b.Double("x", -INFINITY); }), "property 'x' is not finite");
  EXPECT_EQ(refused([](B& b) { b.Int(1); }), "property of a map has no name");
  EXPECT_EQ(refused([](B& b) { b.BeginList("l").Int("x", 1).End(); }),
            "property 'x' of a list has a name");
  EXPECT_EQ(refused([](B& b) { b.String("s", "\xFF"); }),
            "property 's' is text that is not valid UTF-8");
  EXPECT_EQ(refused([](B& b) { b.Int("\xFF", 1); }),
            "property '\xFF' has a name that is not valid UTF-8");
  EXPECT_NE(refused([](B& b) { b.Int(std::string_view("a\0b", 3), 1); }).find("U+0000"),
            std::string::npos);
  EXPECT_NE(refused([](B& b) { b.Int(std::string(1025, 'n'), 1); }).find("1024"),
            std::string::npos);
  EXPECT_NE(refused([](B& b) { b.End(); }).find("not begun"), std::string::npos);
  EXPECT_NE(refused([](B& b) { b.BeginMap("m"); }).find("not ended"), std::string::npos);
  EXPECT_NE(refused([](B& b) { b.String("s", std::string(1 << 20, 'x')); }).find("1048576"),
            std::string::npos);
  EXPECT_NE(refused([](B& b) {
              for (int i = 0; i < 100; ++i)
                b.String("s" + std::to_string(i), std::string(1 << 20, 'x'));
            }).find("1048576"),
            std::string::npos);
}

TEST(Properties, Depth) {
  for (const std::size_t depth : {PropertyLimits::kMaxDepth, PropertyLimits::kMaxDepth + 1}) {
    PropertyMapBuilder made;
    made.BeginList("l");
    for (std::size_t i = 2; i < depth; ++i) made.BeginList();
    for (std::size_t i = 1; i < depth; ++i) made.End();
    EXPECT_EQ(made.Finish().has_value(), depth == PropertyLimits::kMaxDepth);
  }
}

// Every bit turned, every end cut: an error or some values, all of which can be read.
std::size_t Walk(PropertyView view) {
  std::size_t found = view.AsString().value_or("").size();
  for (std::size_t i = 0; i < view.size(); ++i) found += Walk(view[i]) + view.name(i).size();
  return found;
}

TEST(Properties, ForeignBytesAreSafe) {
  const std::string bytes = Everything();
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string turned = bytes;
    turned[bit / 8] = static_cast<char>(turned[bit / 8] ^ (1 << bit % 8));
    const auto map = PropertyMap::Read(turned);
    if (map) {
      Walk(map->root());
      continue;
    }
    ++refused;
    EXPECT_EQ(map.error().code, ErrorCode::kCorruption);
  }
  EXPECT_GT(refused, bytes.size());
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const auto map = PropertyMap::Read(std::string_view(bytes).substr(0, size));
    if (map) Walk(map->root());
  }
  // A list, not a map; a blob in a map.
  flexbuffers::Builder list, blob;
  list.Vector([&] { list.Int(1); });
  list.Finish();
  blob.Map([&] { blob.Blob("b", reinterpret_cast<const std::uint8_t*>("x"), 1); });
  blob.Finish();
  for (const auto* made : {&list, &blob}) {
    const auto& buffer = const_cast<flexbuffers::Builder*>(made)->GetBuffer();
    EXPECT_TRUE(FailsWith(PropertyMap::Read(std::string(buffer.begin(), buffer.end())),
                          ErrorCode::kCorruption));
  }
}

// Lists that hold the same list over and over: 2^40 values in some hundred bytes.
TEST(Properties, SharedValuesDoNotMultiply) {
  flexbuffers::Builder builder;
  const std::size_t start = builder.StartMap();
  builder.Key("x");
  const std::size_t inner = builder.StartVector();
  builder.Int(1);
  builder.EndVector(inner, false, false);
  flexbuffers::Builder::Value last = builder.LastValue();
  builder.Key("y");
  for (int i = 0; i < 20; ++i) {
    const std::size_t list = builder.StartVector();
    for (int k = 0; k < 4; ++k) builder.ReuseValue(last);
    builder.EndVector(list, false, false);
    last = builder.LastValue();
    if (i < 19) {
      builder.Key("k" + std::to_string(i + 10));
    }
  }
  builder.EndMap(start);
  builder.Finish();
  const auto& buffer = builder.GetBuffer();
  EXPECT_TRUE(FailsWith(PropertyMap::Read(std::string(buffer.begin(), buffer.end())),
                        ErrorCode::kCorruption));
}

TEST(Properties, OfNodesAndEdgesInRam) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1000);
  const std::string bytes = Everything();
  const NodeRef a = batch.UpsertNode("a", NameRef(kMemory)), b = batch.UpsertNode("b");
  batch.SetPayload(a, NodeField::kProperties, bytes);
  WriteBatch::EdgeInput edge{};
  edge.source = a, edge.target = b, edge.kind = kSupports;
  edge.properties = bytes;
  batch.Link(edge);
  ASSERT_TRUE(graph->Apply(batch));
  const Snapshot s = graph->snapshot();
  const auto stored = s.Payload(*s.Find("a"), NodeField::kProperties);
  ASSERT_TRUE(stored);
  EXPECT_EQ(*stored, bytes);
  EXPECT_EQ(PropertyMap::Read(*stored)->root().Find("pi")->AsDouble(), 3.25);
  bool found = false;
  s.ForEachArc(Direction::kOut, *s.Find("a"), ArcFilter::All(), [&](const Arc& arc) {
    const auto of_edge = s.Payload(s.edge(arc, *s.Find("a")).properties);
    found = of_edge && *of_edge == bytes;
  });
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace plexus
