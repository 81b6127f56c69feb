// Array files: rows out by id, results in by id, and every kind of damage refused by place.
#include "storage/formats/array_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph.h"
#include "storage/formats/export.h"
#include "storage/formats/import.h"

namespace plexus {
using namespace formats;
namespace {

class Arrays : public ::testing::Test {
 protected:
  // Nodes 0 to 5: 0 -> 1 twice, 0 -> 2, 2 - 3 either way, 4 was removed, 5 alone.
  void SetUp() override {
    WriteBatch batch(1000);
    EdgeKind both;
    both.name = "beside";
    both.symmetric = true;
    batch.DefineEdgeKind(both);
    for (const char* key : {"a", "b", "c", "d", "e", "f"}) batch.UpsertNode(key);
    const auto knows = batch.EdgeKindNamed("knows"), likes = batch.EdgeKindNamed("likes");
    batch.Link(batch.Node("a"), knows, batch.Node("b"), 0.5f);
    batch.Link(batch.Node("a"), likes, batch.Node("b"), 2.0f);
    batch.Link(batch.Node("a"), knows, batch.Node("c"));
    batch.Link(batch.Node("d"), batch.EdgeKindNamed("beside"), batch.Node("c"), 0.25f);
    batch.Link(batch.Node("e"), knows, batch.Node("a"));
    ASSERT_TRUE(graph_->Apply(batch));
    WriteBatch removal(1000);
    removal.RemoveNode(removal.Node("e"));
    ASSERT_TRUE(graph_->Apply(removal));
  }

  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string File(const std::string& name, std::string_view bytes) const {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
    return folder_ + "/" + name;
  }

  std::string Parts(const ExportOptions& options = {}) const {
    std::ostringstream out;
    EXPECT_TRUE(ExportCsrParts(graph_->snapshot(), out, 7, 8, options));
    return out.str();
  }
  // A result by node, of this graph as it is.
  ArrayHeader Header(ArrayKind kind, std::uint64_t count = 1) const {
    const Snapshot now = graph_->snapshot();
    return {kind, 7, 8, now.sequence(), now.node_count(), count, 5, "job"};
  }
  template <class T>
  static std::string Result(const ArrayHeader& header, const std::vector<T>& values) {
    std::ostringstream out;
    ArrayWriter writer(out, header);
    EXPECT_TRUE(writer.Put(values.data(), values.size() * sizeof(T)));
    EXPECT_TRUE(writer.EndSection());
    EXPECT_TRUE(writer.Finish());
    return out.str();
  }
  std::string Import(const std::string& bytes, const std::string& column = "") {
    const std::string file = File("result", bytes);
    const auto report = ImportArrays(*graph_, {file}, {7, 8, column});
    return report ? "" : report.error().message;
  }

  const std::unique_ptr<Graph> graph_ = Graph::InMemory();

 private:
  const std::string folder_ = ::testing::TempDir() + "arrays" + std::to_string(getpid());
};

TEST_F(Arrays, RowsAreThoseThatKernelsSee) {
  const std::string bytes = Parts();
  auto file = ArrayFile::Of("parts", bytes);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->header(), (ArrayHeader{ArrayKind::kCsrParts, 7, 8, 2, 6, 5, 5, ""}));
  ASSERT_TRUE(file->CheckAll());
  const auto rows = file->ReadRows(0, 6);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->offsets, (std::vector<std::uint64_t>{0, 3, 3, 4, 5, 5, 5}));
  EXPECT_EQ(rows->targets, (std::vector<std::uint32_t>{1, 2, 1, 3, 2}));
  EXPECT_EQ(rows->weights, (std::vector<float>{0.5f, 1, 2, 0.25f, 0.25f}));
  EXPECT_EQ(file->ReadSelected(0, 6), (std::vector<std::uint8_t>{1, 1, 1, 1, 0, 1}));
  EXPECT_EQ(file->Offset(3), 4u);
  const auto some = file->ReadRows(2, 4);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->targets, (std::vector<std::uint32_t>{3, 2}));
}

TEST_F(Arrays, KindsAndNodesSelect) {
  ExportOptions options;
  const EdgeKindId knows = graph_->snapshot().schema().FindEdgeKind("knows")->kind;
  options.kinds = {knows};
  options.include = [](NodeId node) { return node != 2; };
  const std::string bytes = Parts(options);
  auto file = ArrayFile::Of("parts", bytes);
  ASSERT_TRUE(file);
  const auto rows = file->ReadRows(0, 6);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->targets, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(file->header().selected, 4u);
}

TEST_F(Arrays, AnEmptyGraphHasAFileToo) {
  std::ostringstream out;
  ASSERT_TRUE(ExportCsrParts(Graph::InMemory()->snapshot(), out, 1, 2));
  const std::string bytes = out.str();
  auto file = ArrayFile::Of("empty", bytes);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->CheckAll());
}

TEST_F(Arrays, EveryFlippedBitAndEveryCutIsRefused) {
  const std::string bytes = Parts();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    auto file = ArrayFile::Of("parts", damaged);
    const Status checked = file ? file->CheckAll() : std::unexpected(file.error());
    ASSERT_FALSE(checked) << "byte " << at;
    EXPECT_TRUE(checked.error().message.starts_with("parts: ")) << checked.error().message;
    EXPECT_FALSE(ArrayFile::Of("parts", std::string_view(bytes).substr(0, at))) << at;
  }
  EXPECT_FALSE(ArrayFile::Of("parts", bytes + "x"));
}

TEST_F(Arrays, DigestsThatFitDoNotHideValuesThatDoNot) {
  const ArrayHeader header{ArrayKind::kCsrParts, 7, 8, 1, 3, 2, 2, ""};
  const auto check = [&](std::uint64_t selected, const std::vector<std::uint64_t>& offsets,
                         const std::vector<std::uint32_t>& targets,
                         const std::vector<float>& weights) -> std::string {
    std::ostringstream out;
    ArrayWriter writer(out, header);
    EXPECT_TRUE(writer.Put(&selected, 8));
    EXPECT_TRUE(writer.Put(offsets.data(), 8 * offsets.size()));
    EXPECT_TRUE(writer.Put(targets.data(), 8) && writer.Put(weights.data(), 8));
    EXPECT_TRUE(writer.Finish());
    const std::string bytes = out.str();
    auto file = ArrayFile::Of("f", bytes);
    const Status checked = file ? file->CheckAll() : std::unexpected(file.error());
    return checked ? "" : checked.error().message;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(check(0b011, {0, 1, 2, 2}, {1, 0}, {1, 1}), "");
  EXPECT_EQ(check(0b111, {0, 1, 2, 2}, {1, 0}, {1, 1}),
            "f: selected, element 0 at byte 96: 3 nodes, the header says 2");
  EXPECT_TRUE(check(0b011, {0, 1, 1, 2}, {1, 0}, {1, 1}).contains("not selected"));
  EXPECT_TRUE(check(0b011, {1, 1, 2, 2}, {1, 0}, {1, 1}).contains("is not 0"));
  EXPECT_TRUE(check(0b011, {0, 2, 1, 2}, {1, 0}, {1, 1}).contains("at byte 120: does not ascend"));
  EXPECT_TRUE(check(0b011, {0, 3, 3, 3}, {1, 0}, {1, 1}).contains("does not ascend"));
  EXPECT_TRUE(check(0b011, {0, 1, 1, 1}, {1, 0}, {1, 1}).contains("is not the number of arcs"));
  EXPECT_TRUE(check(0b011, {0, 1, 2, 2}, {1, 2}, {1, 1}).contains("2 is no selected node"));
  EXPECT_TRUE(check(0b011, {0, 1, 2, 2}, {1, 9}, {1, 1}).contains("at byte 140: 9 is no selected"));
  EXPECT_TRUE(check(0b011, {0, 1, 2, 2}, {1, 0}, {1, nan}).contains("weights, element 1"));
  EXPECT_TRUE(check(0b011, {0, 1, 2, 2}, {1, 0}, {-1, 1}).contains("weights, element 0"));
}

TEST_F(Arrays, ASectionOfManyBlocksIsReadInAnyParts) {
  std::mt19937 random(1);
  const ArrayHeader header{ArrayKind::kU32, 7, 8, 1, 700'000, 2, 0, "job"};
  std::vector<std::uint32_t> values(1'400'000);
  for (auto& value : values) value = random();
  const std::string bytes = Result(header, values);
  auto file = ArrayFile::Of("f", bytes);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->CheckAll());
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t first = random() % 700'000, last = first + random() % (700'000 - first);
    const auto some = file->ReadU32(1, first, last);
    ASSERT_TRUE(some);
    ASSERT_TRUE(std::equal(some->begin(), some->end(), values.begin() + 700'000 + first));
  }
  std::string damaged = bytes;
  damaged[96 + (2 << 20)] ^= 4;  // its third block, which only some reads need
  file = ArrayFile::Of("f", damaged);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->ReadU32(0, 0, 1000));
  const auto last = file->ReadU32(1, 0, 1000);
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, ErrorCode::kCorruption);
  EXPECT_TRUE(last.error().message.contains("from byte 2097248")) << last.error().message;
}

TEST_F(Arrays, AResultBecomesAColumn) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto scores = Result<double>(Header(ArrayKind::kF64), {1, 2, none, 4, 5, 0.5});
  const auto labels = Result<std::uint32_t>(Header(ArrayKind::kU32), {0, 0, 0, 0, kNoValue, 5});
  EXPECT_TRUE(IsArrayFile(File("a", scores)));
  EXPECT_FALSE(IsArrayFile(File("b", "PLXARRA")));
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  ASSERT_EQ(write(pipe_ends[1], scores.data(), scores.size()), static_cast<ssize_t>(scores.size()));
  close(pipe_ends[1]);
  EXPECT_FALSE(IsArrayFile("/dev/fd/" + std::to_string(pipe_ends[0])));
  char first = 0;
  EXPECT_EQ(read(pipe_ends[0], &first, 1), 1);
  EXPECT_EQ(first, 'P');
  close(pipe_ends[0]);
  const auto report = ImportArrays(*graph_, {File("a", scores)}, {7, 8, "rank"});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->nodes.changed, 4u);
  const Snapshot now = graph_->snapshot();
  const ColumnId rank = *now.schema().FindColumn("rank");
  EXPECT_EQ(now.f64(rank, 1), 2);
  EXPECT_EQ(now.f64(rank, 2), std::nullopt);
  EXPECT_FALSE(now.alive(4));
  EXPECT_EQ(now.f64(rank, 5), 0.5);
  // The graph has gone on: what was computed before is of no use.
  EXPECT_TRUE(Import(labels).contains("at sequence 2, the graph is at 3"));
  EXPECT_EQ(Import(Result<std::uint32_t>(Header(ArrayKind::kU32), {0, 0, 0, 0, kNoValue, 5})), "");
  const Snapshot after = graph_->snapshot();
  EXPECT_EQ(after.i64(*after.schema().FindColumn("job"), 5), 5);
}

TEST_F(Arrays, SeveralFilesAndArraysAreOfOneSequence) {
  const auto two = Result<double>(Header(ArrayKind::kF64, 2), {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2});
  ArrayHeader header = Header(ArrayKind::kU32);
  header.job = "labels";
  const auto labels = Result<std::uint32_t>(header, {9, 8, 7, 6, 5, 4});
  ASSERT_TRUE(ImportArrays(*graph_, {File("a", two), File("b", labels)}, {7, 8}));
  const Snapshot now = graph_->snapshot();
  EXPECT_EQ(now.f64(*now.schema().FindColumn("job_2"), 0), 7);
  EXPECT_EQ(now.i64(*now.schema().FindColumn("labels"), 0), 9);
}

TEST_F(Arrays, StrangersAndDamageChangeNothing) {
  const Sequence before = graph_->snapshot().sequence();
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  ArrayHeader header = Header(ArrayKind::kF64);
  EXPECT_TRUE(Import(Parts()).contains("holds the rows of a graph"));
  EXPECT_TRUE(Import(Result(header, values), "trust").contains("is built in"));
  header.graph_low = 9;
  EXPECT_TRUE(Import(Result(header, values)).contains("of another graph"));
  header = Header(ArrayKind::kF64);
  header.sequence = 1;
  EXPECT_TRUE(Import(Result(header, values)).contains("at sequence 1, the graph is at 2"));
  header = Header(ArrayKind::kF64);
  header.nodes = 5;
  EXPECT_TRUE(Import(Result<double>(header, {1, 2, 3, 4, 5})).contains("has 5 ids, the graph 6"));
  header = Header(ArrayKind::kF64);
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(Import(Result<double>(header, {1, 2, 3, 4, infinite, 6})).contains("at byte 128"));
  std::string damaged = Result(header, values);
  damaged[100] ^= 1;
  EXPECT_TRUE(Import(damaged).contains("digest"));
  EXPECT_EQ(graph_->snapshot().sequence(), before);
}

}  // namespace
}  // namespace plexus
