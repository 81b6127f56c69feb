// Schema: definitions agree or are refused, names and limits, inverse names; keys.
#include "engine/schema.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/vocabulary.h"
#include "tests/support/fails_with.h"

namespace plexus {
using namespace builtin;
namespace {

using testing::FailsWith;

const std::string kBadNames[] = {"",
                                 std::string(Limits::kMaxStringBytes + 1, 'a'),
                                 "a\nb",
                                 "tab\t",
                                 std::string("a\0b", 3),
                                 "\x7f",
                                 "a\x1f"
                                 "b",
                                 "\xff",
                                 "\xc3"};

TEST(Schema, DefinesOnceAndAgreesAfterwards) {
  Schema s;
  auto robot = s.Define(NodeKind{"robot", Plane::kFact});
  ASSERT_TRUE(robot);
  EXPECT_EQ(*robot, kFirstUserNodeKind);
  EXPECT_EQ(s.Define(NodeKind{"robot", Plane::kFact}), *robot);
  EXPECT_TRUE(
      FailsWith(s.Define(NodeKind{"robot", Plane::kIndex}), ErrorCode::kAlreadyExists, "robot"));
  EXPECT_EQ(s.node_kind(*robot).plane, Plane::kFact);
}

TEST(Schema, EveryEdgeTraitCounts) {
  Schema s;
  EdgeKind k{.name = "mentors", .inverse = "mentored_by"};
  auto id = s.Define(k);
  ASSERT_TRUE(id);
  EXPECT_EQ(*id, kFirstUserEdgeKind);
  EXPECT_EQ(s.Define(k), *id);
  auto refused = [&](auto change) {
    EdgeKind other = k;
    change(other);
    auto r = s.Define(other);
    return !r && r.error().code == ErrorCode::kAlreadyExists;
  };
  EXPECT_TRUE(refused([](EdgeKind& e) { e.inverse = ""; }));
  EXPECT_TRUE(refused([](EdgeKind& e) { e.inverse = "other"; }));
  EXPECT_TRUE(refused([](EdgeKind& e) { e.plane = Plane::kIndex; }));
  EXPECT_TRUE(refused([](EdgeKind& e) { e.symmetric = true; }));
  EXPECT_TRUE(refused([](EdgeKind& e) { e.suppresses = true; }));
  EXPECT_TRUE(refused([](EdgeKind& e) { e.blocking = true; }));
  EXPECT_TRUE(refused([](EdgeKind& e) { e.acyclic = true; }));
  EXPECT_TRUE(refused([](EdgeKind& e) { e.self_loops = false; }));
  EXPECT_TRUE(refused([](EdgeKind& e) { e.survives_removal = true; }));
  EXPECT_TRUE(refused([](EdgeKind& e) { e.source_kind = kMemory; }));
  EXPECT_TRUE(refused([](EdgeKind& e) { e.target_kind = kMemory; }));
  EXPECT_TRUE(refused([](EdgeKind& e) { e.half_life_ms = 5; }));
  EXPECT_EQ(s.edge_kinds().size(), kFirstUserEdgeKind.value() + 1u);
}

TEST(Schema, InverseNames) {
  Schema s;
  auto mentors = *s.Define(EdgeKind{.name = "mentors", .inverse = "mentored_by"});
  auto direct = s.FindEdgeKind("mentors"), inverse = s.FindEdgeKind("mentored_by");
  ASSERT_TRUE(direct && inverse);
  EXPECT_EQ(direct->kind, mentors);
  EXPECT_FALSE(direct->reversed);
  EXPECT_EQ(inverse->kind, mentors);
  EXPECT_TRUE(inverse->reversed);
  // A name can be used once only, as a name or as an inverse.
  EXPECT_EQ(s.Define(EdgeKind{.name = "mentored_by", .inverse = ""}).error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(s.Define(EdgeKind{.name = "a", .inverse = "mentors"}).error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(s.Define(EdgeKind{.name = "b", .inverse = "mentored_by"}).error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_FALSE(s.Define(EdgeKind{.name = "c", .inverse = "c"}));
  EXPECT_FALSE(s.Define(EdgeKind{.name = "d", .inverse = "undo", .symmetric = true}));
  EXPECT_FALSE(s.FindEdgeKind("a"));
}

// Graphs have kinds of such names that were made before the names were inverse ones.
TEST(Schema, AKindOfItsOwnTakesALaterInverseName) {
  for (const std::string name : {"supported_by", "promoted_to", "depended_on_by", "refined_by"}) {
    Schema s;
    const EdgeKindId built_in = s.FindEdgeKind(name)->kind;
    EXPECT_EQ(s.edge_kind(built_in).inverse, name);
    const EdgeKindId own = *s.Define(EdgeKind{.name = name, .inverse = ""});
    EXPECT_EQ(s.FindEdgeKind(name)->kind, own);
    EXPECT_FALSE(s.FindEdgeKind(name)->reversed);
    EXPECT_EQ(s.edge_kind(built_in).inverse, "");
    EXPECT_EQ(*s.Define(EdgeKind{.name = name, .inverse = ""}), own);
    Schema other;
    const EdgeKindId backed = *other.Define(EdgeKind{.name = "backs", .inverse = name});
    EXPECT_EQ(other.FindEdgeKind(name)->kind, backed);
    EXPECT_TRUE(other.FindEdgeKind(name)->reversed);
    EXPECT_FALSE(other.Define(EdgeKind{.name = name, .inverse = ""}));
  }
  Schema s;
  EXPECT_EQ(s.Define(EdgeKind{.name = "caused_by", .inverse = ""}).error().message,
            "'caused_by' is the inverse name of edge kind 'causes'");
}

TEST(Schema, BadNamesAreRefusedEverywhere) {
  for (const std::string& name : kBadNames) {
    Schema s;
    SCOPED_TRACE(::testing::PrintToString(name));
    auto invalid = [](const auto& r) {
      return !r && r.error().code == ErrorCode::kInvalidArgument;
    };
    EXPECT_TRUE(invalid(s.Define(NodeKind{.name = name})));
    EXPECT_TRUE(invalid(s.Define(EdgeKind{.name = name, .inverse = ""})));
    if (!name.empty()) {
      EXPECT_TRUE(invalid(s.Define(EdgeKind{.name = "x", .inverse = name})));
    }
    EXPECT_TRUE(invalid(s.Define(Column{.name = name})));
    EXPECT_TRUE(invalid(s.Define(VectorSpace{.name = name, .dimensions = 3})));
    EXPECT_EQ(s.node_kinds().size(), kFirstUserNodeKind);
    EXPECT_EQ(s.edge_kinds().size(), kFirstUserEdgeKind);
  }
  Schema s;
  EXPECT_TRUE(s.Define(NodeKind{.name = std::string(Limits::kMaxStringBytes, 'a')}));
  EXPECT_TRUE(s.Define(NodeKind{.name = "knoten ä 漢"}));
  EXPECT_FALSE(s.FindNodeKind("")) << "reserved ids have no name to be found by";
  EXPECT_FALSE(s.FindEdgeKind(""));
  EXPECT_FALSE(s.FindColumn(""));
}

TEST(Schema, EndpointKindsMustExist) {
  Schema s;
  EXPECT_FALSE(s.Define(EdgeKind{.name = "x", .inverse = "", .source_kind = NodeKindId{5000}}));
  EXPECT_FALSE(s.Define(EdgeKind{.name = "x", .inverse = "", .target_kind = NodeKindId{5000}}));
  EXPECT_FALSE(s.Define(EdgeKind{.name = "x", .inverse = "", .half_life_ms = -1}));
  EXPECT_TRUE(s.Define(EdgeKind{.name = "x", .inverse = "", .source_kind = kMemory}));
}

TEST(Schema, ColumnsAndSpaces) {
  Schema s;
  auto stakes = s.Define(Column{"stakes", ColumnType::kF64});
  ASSERT_TRUE(stakes);
  EXPECT_EQ(*stakes, kFirstUserColumn);
  EXPECT_EQ(s.FindColumn("stakes"), *stakes);
  EXPECT_EQ(s.Define(Column{"stakes", ColumnType::kI64}).error().code, ErrorCode::kAlreadyExists);
  auto space = s.Define(VectorSpace{"default", 384, Metric::kCosine});
  ASSERT_TRUE(space);
  EXPECT_EQ(s.FindSpace("default"), *space);
  EXPECT_EQ(s.Define(VectorSpace{"default", 385, Metric::kCosine}).error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(s.Define(VectorSpace{"default", 384, Metric::kL2}).error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(s.Define(VectorSpace{"zero", 0}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(s.Define(VectorSpace{"huge", Limits::kMaxDimensions + 1}).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_TRUE(s.Define(VectorSpace{"most", Limits::kMaxDimensions}));
}

TEST(Schema, LimitsAreErrors) {
  Schema s;
  while (s.columns().size() < Limits::kMaxColumns)
    ASSERT_TRUE(s.Define(Column{"c" + std::to_string(s.columns().size())}));
  EXPECT_EQ(s.Define(Column{"one more"}).error().code, ErrorCode::kResourceExhausted);
  EXPECT_TRUE(s.Define(Column{"trust", ColumnType::kF64})) << "an old name is still fine";
  while (s.spaces().size() < Limits::kMaxSpaces)
    ASSERT_TRUE(s.Define(VectorSpace{"s" + std::to_string(s.spaces().size()), 2}));
  EXPECT_EQ(s.Define(VectorSpace{"one more", 2}).error().code, ErrorCode::kResourceExhausted);
  while (s.node_kinds().size() < Limits::kMaxKinds)
    ASSERT_TRUE(s.Define(NodeKind{"n" + std::to_string(s.node_kinds().size())}));
  EXPECT_EQ(s.Define(NodeKind{"one more"}).error().code, ErrorCode::kResourceExhausted);
  while (s.edge_kinds().size() < Limits::kMaxKinds)
    ASSERT_TRUE(
        s.Define(EdgeKind{.name = "e" + std::to_string(s.edge_kinds().size()), .inverse = ""}));
  EXPECT_EQ(s.Define(EdgeKind{.name = "one more", .inverse = ""}).error().code,
            ErrorCode::kResourceExhausted);
  EXPECT_EQ(s.FindEdgeKind("e65534")->kind, 65534) << "the last id is not kNoEdgeKind";
}

TEST(CheckKey, WhatAKeyMayBe) {
  for (std::string good :
       {std::string("a"), std::string(1024, 'k'), std::string("ключ"),
        std::string("\xf0\x9f\x98\x80"), std::string("a b\tc\n"), std::string("\xef\xbf\xbf")})
    EXPECT_TRUE(CheckKey(good, false)) << good;
  const std::string bad[] = {"",
                             std::string(1025, 'k'),
                             std::string("a\0", 2),
                             "a\x1f"
                             "b",
                             "\x80",
                             "\xc0\x80",
                             "\xc3",
                             "\xed\xa0\x80",
                             "\xf4\x90\x80\x80",
                             "\xf5\x80\x80\x80",
                             "\xe0\x80\x80",
                             "\xf0\x80\x80\x80",
                             "ab\xff"};
  for (const std::string& key : bad) {
    auto r = CheckKey(key, false);
    ASSERT_TRUE(FailsWith(r, ErrorCode::kInvalidArgument)) << ::testing::PrintToString(key);
    EXPECT_FALSE(r.error().message.empty());
  }
  EXPECT_TRUE(CheckKey("tag\x1frust", true));
  for (const std::string key : {"rust", "tag\x1f", "\x1frust",
                                "tag\x1f"
                                "a\x1f"
                                "b"})
    EXPECT_FALSE(CheckKey(key, true)) << ::testing::PrintToString(key);
}

TEST(Schema, NamesInAnyOrderAreFound) {
  std::mt19937 random(7);
  std::vector<int> numbers(500);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::shuffle(numbers.begin(), numbers.end(), random);
  Schema s;
  std::map<std::string, EdgeKindId> kinds, inverses;
  for (const int n : numbers) {
    const std::string name = "k" + std::to_string(n), inverse = "of " + name;
    kinds[name] = *s.Define(EdgeKind{.name = name, .inverse = n % 3 == 0 ? inverse : ""});
    if (n % 3 == 0) inverses[inverse] = kinds[name];
    ASSERT_TRUE(s.Define(Column{"c" + std::to_string(n), ColumnType::kI64}));
  }
  const Schema copy = s;
  for (const auto& [name, kind] : kinds) {
    EXPECT_EQ(copy.FindEdgeKind(name)->kind, kind) << name;
    EXPECT_FALSE(copy.FindEdgeKind(name)->reversed) << name;
  }
  for (const auto& [name, kind] : inverses) {
    EXPECT_EQ(copy.FindEdgeKind(name)->kind, kind) << name;
    EXPECT_TRUE(copy.FindEdgeKind(name)->reversed) << name;
  }
  for (const int n : numbers) {
    const auto column = copy.FindColumn("c" + std::to_string(n));
    ASSERT_TRUE(column) << n;
    EXPECT_EQ(copy.columns()[*column].name, "c" + std::to_string(n));
  }
  for (const char* missing : {"k", "k5000", "of k1", "c", ""})
    EXPECT_FALSE(copy.FindEdgeKind(missing)) << missing;
}

// The decoder written from the definition: code points by ranges.
bool SlowUtf8(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    auto byte = [&](std::size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0u; };
    unsigned c = byte(i);
    int n = c < 0x80 ? 1 : (c >> 5) == 6 ? 2 : (c >> 4) == 14 ? 3 : (c >> 3) == 30 ? 4 : 0;
    if (n == 0 || i + n > s.size()) return false;
    std::uint32_t point = n == 1 ? c : c & (0x7fu >> n);
    for (int k = 1; k < n; ++k) {
      if ((byte(i + k) >> 6) != 2) return false;
      point = (point << 6) | (byte(i + k) & 0x3f);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < kLeast[n] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return false;
    i += n;
  }
  return true;
}

TEST(Utf8, EqualsTheDefinitionOnEveryShortString) {
  const unsigned char interesting[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                       0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee,
                                       0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff};
  for (unsigned char a : interesting)
    for (unsigned char b : interesting)
      for (unsigned char c : interesting)
        for (unsigned char d : interesting)
          for (std::size_t size = 0; size <= 4; ++size) {
            const char bytes[] = {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c),
                                  static_cast<char>(d)};
            // Also behind eight ASCII bytes, past the fast path.
            std::string s(bytes, size), padded = "12345678" + s + "87654321";
            ASSERT_EQ(IsValidUtf8(s), SlowUtf8(s));
            ASSERT_EQ(IsValidUtf8(padded), SlowUtf8(padded));
          }
}

}  // namespace
}  // namespace plexus
