// GAP's serialized graphs: directed, undirected, weighted; every damage refused.
#include <cstring>

#include "storage/formats/edges/gap_serialized.h"
#include "tests/support/text_files.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
namespace {

const Rows kDirected = {{{1, 3}, {3, 9}}, {{2, 4}}, {}, {{0, 7}}, {}};
const Rows kUndirected = {{{1, 3}, {2, 5}}, {{0, 3}}, {{0, 5}}, {}};

TEST(GapSerialized, DirectedUndirectedWeighted) {
  auto directed = Graph::InMemory();
  const ImportReport r = LoadClean(*directed, "g.sg", Serialized(kDirected, true, false));
  EXPECT_EQ(r.nodes, (ChangeCounts{5, 0, 0}));
  EXPECT_EQ(r.edges, (ChangeCounts{4, 0, 0}));
  EXPECT_EQ(Edges(directed->snapshot(), "link"), "0>1 0>3 1>2 3>0");
  EXPECT_EQ(directed->snapshot().FindEdge(1, kLink, 2)->weight, 1.0f);

  auto weighted = Graph::InMemory();
  LoadClean(*weighted, "g.wsg", Serialized(kDirected, true, true));
  EXPECT_EQ(Edges(weighted->snapshot(), "link"), "0>1 0>3 1>2 3>0");
  EXPECT_EQ(weighted->snapshot().FindEdge(0, kLink, 3)->weight, 9.0f);

  auto undirected = Graph::InMemory();
  const std::string bytes = Serialized(kUndirected, false, true);
  LoadClean(*undirected, "g.wsg", bytes);
  EXPECT_EQ(Edges(undirected->snapshot(), "linked"), "0>1 0>2");
  EXPECT_EQ(undirected->snapshot().CountNodes(Plane::kFact), 4u);
  const Sequence before = undirected->snapshot().sequence();
  const ImportReport again = LoadClean(*undirected, "g.wsg", bytes);
  EXPECT_EQ(again.nodes, (ChangeCounts{0, 0, 4}));
  EXPECT_EQ(again.edges, (ChangeCounts{0, 0, 2}));
  EXPECT_EQ(again.sequence, before);
}

std::string RefusedGap(const std::string& bytes) {
  return RefusedAs(FileFormat::kGapSerialized, bytes);
}

TEST(GapSerialized, DamageIsRefusedAndNothingChanges) {
  const std::string good = Serialized(kUndirected, false, true);
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(RefusedGap(good.substr(0, size)), "") << size;
  EXPECT_EQ(RefusedGap(good.substr(0, 10)), "g: ends inside the header");
  EXPECT_EQ(RefusedGap(good + "x"), "g: has 90 bytes; its header says 73, or with weights 89");
  const auto with = [&](std::size_t at, auto value) {
    std::string bytes = good;
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return RefusedGap(bytes);
  };
  EXPECT_EQ(with(0, std::uint8_t{2}), "g: the header's counts are out of range");
  EXPECT_EQ(with(1, std::int64_t{-1}), "g: the header's counts are out of range");
  EXPECT_EQ(with(9, std::int64_t{1} << 62), "g: the header's counts are out of range");
  EXPECT_EQ(with(9, std::int64_t{-1}), "g: the header's counts are out of range");
  EXPECT_EQ(with(1, std::int64_t{0xFFFFFFF0}),
            "g: has 89 bytes; its header says 17179869177, or with weights 34359738297");
  EXPECT_EQ(with(17 + 8, std::int64_t{5}), "g: offset 1 is out of order");
  EXPECT_EQ(with(17 + 16, std::int64_t{1}), "g: offset 2 is out of order");
  EXPECT_EQ(with(17, std::int64_t{1}), "g: offsets do not cover the neighbors");
  EXPECT_EQ(with(57, std::uint32_t{4}), "g: neighbor 0 is out of range");
  EXPECT_EQ(with(57, std::uint32_t{3}), "g: says undirected, but an arc lacks its way back");
  EXPECT_EQ(with(61, std::int32_t{4}),
            "g: says undirected, but an arc lacks its way back");  // the weight
  Rows negative = kUndirected;
  negative[0][0].second = negative[1][0].second = -3;
  EXPECT_EQ(RefusedGap(Serialized(negative, false, true)), "g: weight 0 is negative");
}

TEST(GapSerialized, ThreadsAndCutsChangeNothing) {
  Rows rows(500);
  for (std::uint32_t u = 0; u < rows.size(); ++u)
    for (std::uint32_t k = 1; k <= 7; ++k)
      rows[u].push_back({(u * 37 + k * k * 11) % 500, static_cast<std::int32_t>(k)});
  const std::string bytes = Serialized(rows, true, true);
  ExpectSameAtAnyCut("g.wsg", bytes, {64, 3000, 1 << 22});
}

}  // namespace
}  // namespace plexus::formats::internal
