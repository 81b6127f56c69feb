// Packed files: the same graph as unpacked, several members, damage, limits; foreign column names.
#include <zlib.h>

#include <string>

#include "storage/formats/pipeline/input.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
namespace {

// One gzip member.
std::string Packed(std::string_view bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(bytes.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Table(int rows) {
  std::string table = "source,target,weight\n";
  for (int i = 0; i < rows; ++i)
    table += "n" + std::to_string(i) + ",n" + std::to_string(i * 7 % rows) + ",0.5\n";
  return table;
}

std::string ErrorOf(std::string_view bytes, ImportOptions options = {}) {
  auto graph = Graph::InMemory();
  options.now_ms = kNow;
  const auto report = ImportBytes(*graph, "e.csv.gz", bytes, options);
  EXPECT_FALSE(report);
  EXPECT_EQ(graph->snapshot().sequence(), 0u);
  return report ? "" : report.error().message;
}

TEST(Gzip, IsReadAsWhatItHolds) {
  const std::string table = Table(5000);
  auto plain = Graph::InMemory(), packed = Graph::InMemory(), members = Graph::InMemory();
  const ImportReport first = LoadClean(*plain, "e.csv", table);
  const ImportReport second = LoadClean(*packed, "e.csv.gz", Packed(table));
  EXPECT_EQ(second.edges, first.edges);
  EXPECT_EQ(second.bytes, table.size());
  EXPECT_EQ(JsonLines(packed->snapshot()), JsonLines(plain->snapshot()));
  const std::string two = Packed(table.substr(0, 1000)) + Packed("") + Packed(table.substr(1000));
  LoadClean(*members, "e.csv.gz", two);
  EXPECT_EQ(JsonLines(members->snapshot()), JsonLines(plain->snapshot()));
  EXPECT_EQ(LoadClean(*packed, "e.csv.gz", Packed(table)).edges.added, 0u);  // again: the same
}

TEST(Gzip, FormatsAreToldAsIfItWereUnpacked) {
  auto graph = Graph::InMemory();
  EXPECT_EQ(LoadClean(*graph, "a.el.gz", Packed("a b 0.5\n")).edges.added, 1u);
  EXPECT_EQ(LoadClean(*graph, "pipe", Packed("{\"edge\":[\"x\",\"y\"]}\n")).edges.added, 1u);
}

TEST(Gzip, DamageIsRefusedAndChangesNothing) {
  const std::string packed = Packed(Table(500));
  EXPECT_EQ(ErrorOf(packed.substr(0, packed.size() - 9)), "e.csv.gz: gzip data ends in the middle");
  std::string flipped = packed;
  flipped[flipped.size() / 2] ^= 0x10;
  EXPECT_NE(ErrorOf(flipped).find("e.csv.gz: gzip data is damaged"), std::string::npos);
  std::string checksum = packed;
  checksum[checksum.size() - 6] ^= 1;
  EXPECT_NE(ErrorOf(checksum).find("damaged"), std::string::npos);
  EXPECT_NE(ErrorOf(packed + "rest").find("damaged"), std::string::npos);
  EXPECT_EQ(ErrorOf("\x1f\x8b"), "e.csv.gz: gzip data ends in the middle");
  EXPECT_NE(ErrorOf(Packed(packed)).find("gzip inside of gzip"), std::string::npos);
}

TEST(Gzip, WhatItHoldsIsBounded) {
  ImportOptions options;
  options.limits.spool_bytes = 100'000;
  const std::string error = ErrorOf(Packed(std::string(10'000'000, '#')), options);
  EXPECT_NE(error.find("over 100000 bytes"), std::string::npos) << error;
}

TEST(Columns, MeanWhatTheCallerSays) {
  ImportOptions options;
  options.columns = {{"source", "from"}, {"target", "to node"}, {"weight", "km"}, {"road", "name"}};
  auto graph = Graph::InMemory();
  LoadClean(*graph, "roads.csv", "name,from,to node,km\nA1,x,y,2.5\n", options);
  const Snapshot s = graph->snapshot();
  const auto edge = s.FindEdge(Id(s, "x"), kLink, Id(s, "y"));
  ASSERT_TRUE(edge);
  EXPECT_EQ(edge->weight, 2.5f);
  EXPECT_NE(JsonLines(s).find(R"("props":{"road":"A1"})"), std::string::npos) << JsonLines(s);

  options.on_error = OnImportError::kSkip;
  const ImportReport none = Load(*graph, "roads.csv", "from,to,km\nx,y,1\n", options);
  EXPECT_TRUE(none.stopped);
  EXPECT_EQ(none.unused_columns, (std::vector<std::string>{"to node", "name"}));
  EXPECT_EQ(graph->snapshot().sequence(), s.sequence());
  options.columns = {{"source", "from"}};
  EXPECT_NE(OneError("roads.csv", "from,source,target\na,b,c\n", options).find("stands twice"),
            std::string::npos);
  options.columns = {{"key", "name"}};
  auto nodes = Graph::InMemory();
  LoadClean(*nodes, "places.csv", "name,text\nparis,a city\n", options);
  EXPECT_TRUE(nodes->snapshot().Find("paris"));
}

}  // namespace
}  // namespace plexus::formats::internal
