// The vocabulary's numbers are in every file ever written: this list may grow at
// its ends and must never change otherwise.
#include "engine/vocabulary.h"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "engine/record.h"

namespace plexus {
using namespace builtin;
namespace {

TEST(Vocabulary, NodeKindNumbers) {
  const std::map<KindId, std::pair<std::string, Plane>> pinned = {
      {0, {"node", Plane::kFact}},          {1, {"memory", Plane::kFact}},
      {2, {"concept", Plane::kFact}},       {3, {"decision", Plane::kFact}},
      {4, {"turn", Plane::kFact}},          {5, {"episode", Plane::kFact}},
      {6, {"tag", Plane::kIndex}},          {7, {"term", Plane::kIndex}},
      {8, {"file", Plane::kIndex}},         {9, {"session", Plane::kIndex}},
      {10, {"inscription", Plane::kIndex}}, {11, {"event", Plane::kIndex}},
      {12, {"outcome", Plane::kIndex}}};
  auto kinds = BuiltinNodeKinds();
  ASSERT_EQ(kinds.size(), 32u);
  EXPECT_EQ(kFirstUserNodeKind, 32);
  Schema schema;
  for (const auto& [id, kind] : pinned) {
    EXPECT_EQ(kinds[id].name, kind.first);
    EXPECT_EQ(kinds[id].plane, kind.second) << kind.first;
    EXPECT_EQ(schema.FindNodeKind(kind.first), id);
  }
}

TEST(Vocabulary, EdgeKindNumbers) {
  const std::map<KindId, std::string> pinned = {
      {0, "link"},          {1, "supersedes"},   {2, "causes"},      {3, "supports"},
      {4, "promoted_from"}, {5, "depends_on"},   {6, "refines"},     {7, "blocks"},
      {8, "derived_from"},  {9, "is-a"},         {10, "part-of"},    {11, "evokes"},
      {12, "temporal"},     {13, "referential"}, {14, "causal"},     {15, "trajectory"},
      {16, "contradicts"},  {17, "relates_to"},  {18, "duplicates"}, {19, "similar"},
      {20, "antonym"},      {21, "categorical"}, {32, "has_tag"},    {33, "has_term"},
      {34, "mentions"},     {35, "in_session"},  {36, "member"},     {37, "labels"},
      {38, "inscribed"}};
  auto kinds = BuiltinEdgeKinds();
  ASSERT_EQ(kinds.size(), 64u);
  EXPECT_EQ(kFirstUserEdgeKind, 64);
  Schema schema;
  for (const auto& [id, name] : pinned) {
    EXPECT_EQ(kinds[id].name, name);
    auto found = schema.FindEdgeKind(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->kind, id);
    EXPECT_FALSE(found->reversed);
    EXPECT_EQ(kinds[id].symmetric, id >= 16 && id <= 21) << name;
    EXPECT_EQ(kinds[id].plane, id >= 32 ? Plane::kIndex : Plane::kFact) << name;
  }
  for (KindId id = 39; id < 64; ++id) EXPECT_TRUE(kinds[id].name.empty()) << id;
  for (KindId id = 22; id < 32; ++id) EXPECT_TRUE(kinds[id].name.empty()) << id;
}

TEST(Vocabulary, EdgeTraits) {
  auto kinds = BuiltinEdgeKinds();
  Schema schema;
  EXPECT_TRUE(kinds[kSupersedes].suppresses);
  EXPECT_TRUE(kinds[kBlocks].blocking);
  EXPECT_TRUE(kinds[kMember].survives_removal);
  EXPECT_EQ(kinds[kMember].source_kind, kEvent);
  EXPECT_EQ(kinds[kLabels].source_kind, kOutcome);
  EXPECT_EQ(kinds[kLabels].target_kind, kEvent);
  EXPECT_EQ(kinds[kHasTag].target_kind, kTag);
  EXPECT_TRUE(kinds[kLink].self_loops);
  EXPECT_FALSE(kinds[kSupports].self_loops);
  for (EdgeKindId id{}; id < kinds.size(); ++id) {
    EXPECT_EQ(kinds[id].suppresses, id == kSupersedes) << id;
    if (kinds[id].symmetric) {
      EXPECT_EQ(kinds[id].source_kind, kinds[id].target_kind) << id;
      EXPECT_TRUE(kinds[id].inverse.empty()) << id;
    }
  }
  auto caused_by = schema.FindEdgeKind("caused_by");
  ASSERT_TRUE(caused_by);
  EXPECT_EQ(caused_by->kind, kCauses);
  EXPECT_TRUE(caused_by->reversed);
}

TEST(Vocabulary, ColumnNumbers) {
  const std::map<KindId, std::pair<std::string, ColumnType>> pinned = {
      {0, {"trust", ColumnType::kF64}},           {1, {"retention", ColumnType::kF64}},
      {2, {"valence", ColumnType::kF64}},         {3, {"arousal_level", ColumnType::kF64}},
      {4, {"accessed_at", ColumnType::kI64}},     {5, {"access_count", ColumnType::kI64}},
      {6, {"created_at", ColumnType::kI64}},      {7, {"valid_from", ColumnType::kI64}},
      {8, {"valid_until", ColumnType::kI64}},     {9, {"scope", ColumnType::kString}},
      {10, {"category", ColumnType::kString}},    {11, {"stakes", ColumnType::kString}},
      {12, {"confidence", ColumnType::kF64}},     {13, {"outcome", ColumnType::kString}},
      {14, {"memory_type", ColumnType::kString}}, {15, {"stability", ColumnType::kF64}}};
  auto columns = BuiltinColumns();
  ASSERT_EQ(columns.size(), 32u);
  EXPECT_EQ(kFirstUserColumn, 32);
  Schema schema;
  for (const auto& [id, column] : pinned) {
    EXPECT_EQ(columns[id].name, column.first);
    EXPECT_EQ(columns[id].type, column.second) << column.first;
    EXPECT_EQ(schema.FindColumn(column.first), id);
  }
}

// Enum values that reach the disk.
TEST(Vocabulary, EnumNumbers) {
  EXPECT_EQ(static_cast<int>(Plane::kFact), 0);
  EXPECT_EQ(static_cast<int>(Plane::kIndex), 1);
  EXPECT_EQ(static_cast<int>(ColumnType::kF64), 0);
  EXPECT_EQ(static_cast<int>(ColumnType::kI64), 1);
  EXPECT_EQ(static_cast<int>(ColumnType::kString), 2);
  EXPECT_EQ(static_cast<int>(Metric::kCosine), 0);
  EXPECT_EQ(static_cast<int>(Metric::kInnerProduct), 1);
  EXPECT_EQ(static_cast<int>(Metric::kL2), 2);
  EXPECT_EQ(static_cast<int>(NodeField::kText), 0);
  EXPECT_EQ(static_cast<int>(NodeField::kProperties), 1);
  EXPECT_EQ(EdgeChange::kTombstone, 1);
  EXPECT_EQ(EdgeChange::kIsNew, 2);
  EXPECT_EQ(EdgeChange::kHasExtra, 4);
  EXPECT_EQ(NodeChange::kSetKind, 0);
  EXPECT_EQ(NodeChange::kRemove, 1);
  EXPECT_EQ(NodeChange::kPurge, 2);
  EXPECT_EQ(NodeChange::kRevive, 3);
  EXPECT_EQ(NodeChange::kForget, 4);
  PayloadRef ref = PayloadRef::Make(5, 7);
  EXPECT_EQ(ref.bits, (5u << 24) | 7u);
  EXPECT_EQ(ref.sequence(), 5u);
  EXPECT_EQ(ref.ordinal(), 7u);
}

TEST(Vocabulary, IndexKeys) {
  EXPECT_EQ(IndexKey("tag", "rust"), "tag\x1frust");
  EXPECT_EQ(DisplayName("tag\x1frust"), "rust");
  EXPECT_EQ(DisplayName("plain"), "plain");
  EXPECT_EQ(DisplayName(""), "");
  EXPECT_TRUE(CheckKey(IndexKey("term", "a b"), true));
  EXPECT_FALSE(CheckKey(IndexKey("term", "a b"), false));
}

TEST(Vocabulary, RolesAndOutcomesAreDistinct) {
  std::set<std::string_view> roles(BuiltinRoles().begin(), BuiltinRoles().end());
  EXPECT_EQ(roles.size(), BuiltinRoles().size());
  EXPECT_TRUE(roles.contains("primary"));
  std::set<std::string_view> types(BuiltinOutcomeTypes().begin(), BuiltinOutcomeTypes().end());
  EXPECT_EQ(types.size(), BuiltinOutcomeTypes().size());
  EXPECT_TRUE(types.contains("helpful"));
}

}  // namespace
}  // namespace plexus
