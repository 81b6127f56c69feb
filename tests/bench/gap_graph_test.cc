// The generators and files of bench/ are the GAP suite's: same numbers, same bytes.
//
// The fingerprints were taken from the suite's own converter (commit b5e3e19,
// `converter -g SCALE [-k DEGREE] -b FILE`, g++ 12, Linux): if ours differ, the side by
// side runs compare different graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "algorithms/centrality/centrality.h"
#include "algorithms/centrality/internal/betweenness_csr.h"
#include "algorithms/community/community.h"
#include "algorithms/community/internal/community_csr.h"
#include "algorithms/paths/internal/distances_csr.h"
#include "algorithms/paths/paths.h"
#include "algorithms/traversal/internal/bfs_csr.h"
#include "bench/gap/kernels.h"
#include "bench/graphs/pairs.h"

namespace plexus::bench {
namespace {

std::uint64_t Fingerprint(const Topology& graph) {
  std::uint64_t hash = 14695981039346656037ull;
  auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 1099511628211ull; };
  for (std::uint32_t offset : graph.out_offsets) mix(offset);
  for (NodeId neighbor : graph.out_neighbors) mix(neighbor);
  return hash;
}

Topology Symmetric(const PairList& list) {
  TopologyOptions options;
  options.symmetrize = true;
  return BuildTopology(list.node_count, list.span(), options).value();
}

TEST(GapGraph, GeneratorsGiveTheSuitesGraphs) {
  for (Executor* executor : {&SerialExecutor(), &DefaultExecutor()}) {
    EXPECT_EQ(Fingerprint(Symmetric(KroneckerPairs(10, 16, *executor))), 0xfc9fcf7615f79a61u);
    EXPECT_EQ(Fingerprint(Symmetric(KroneckerPairs(5, 4, *executor))), 0x5bea152b2075bf6fu);
    EXPECT_EQ(Fingerprint(Symmetric(UniformPairs(10, 16, *executor))), 0xeb17c7331f62e7b5u);
  }
}

// `converter -g 10 -w -b FILE`: what the suite's sssp runs on.
TEST(GapGraph, WeightsAreTheSuites) {
  const auto fingerprint = [](const AlignedArray<float>& weights) {
    std::uint64_t hash = 14695981039346656037ull;
    for (const float w : weights) hash = (hash ^ static_cast<std::uint64_t>(w)) * 1099511628211ull;
    return hash;
  };
  for (Executor* executor : {&SerialExecutor(), &DefaultExecutor()}) {
    const PairList kronecker = KroneckerPairs(10, 16, *executor),
                   uniform = UniformPairs(10, 16, *executor);
    EXPECT_EQ(fingerprint(GeneratedWeights(kronecker, Symmetric(kronecker), *executor)),
              0x1dd9ccf052c75919u);
    EXPECT_EQ(fingerprint(GeneratedWeights(uniform, Symmetric(uniform), *executor)),
              0xd19d5dcb871b3efbu);
  }
}

TEST(GapGraph, SourcesAreTheSuites) {
  const Topology graph = Symmetric(KroneckerPairs(10, 16, SerialExecutor()));
  SourcePicker picker(graph);
  EXPECT_EQ(picker.Next(), 351u);  // `bfs -g 10 -n 3 -l` prints these
  EXPECT_EQ(picker.Next(), 895u);
  EXPECT_EQ(picker.Next(), 656u);
}

class GapFile : public testing::Test {
 protected:
  std::string Path(const std::string& name) {
    return (std::filesystem::path(testing::TempDir()) / ("plexus_gap_" + name)).string();
  }
  std::string Bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  }
  void Write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
};

TEST_F(GapFile, SerializedGraphsRoundTrip) {
  const PairList list = KroneckerPairs(6, 4, SerialExecutor());
  for (const bool symmetric : {true, false}) {
    TopologyOptions options;
    options.symmetrize = symmetric;
    const Topology graph = BuildTopology(list.node_count, list.span(), options).value();
    const std::string path = Path("round.sg");
    ASSERT_TRUE(WriteSerialized(graph, path));
    const auto read = ReadSerialized(path);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->symmetric, symmetric);
    EXPECT_EQ(Fingerprint(*read), Fingerprint(graph));
    EXPECT_EQ(read->in_neighbors.size(), graph.in_neighbors.size());
  }
}

TEST_F(GapFile, EdgeListsRoundTripAndNameTheBadLine) {
  const PairList list = UniformPairs(6, 4, SerialExecutor());
  const std::string path = Path("round.el");
  ASSERT_TRUE(WritePairs(list.span(), path));
  const auto read = ReadPairs(path);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->pairs.size(), list.pairs.size());
  EXPECT_EQ(Fingerprint(Symmetric(*read)), Fingerprint(Symmetric(list)));

  Write(path, "# comment\n0 1\n\n2 x\n");
  const auto bad = ReadPairs(path);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find(path + ":4:"), std::string::npos) << bad.error().message;
  EXPECT_EQ(ReadPairs(Path("absent.el")).error().code, ErrorCode::kNotFound);
}

// Every truncation and every header byte set to 255: an error or a graph, never more.
TEST_F(GapFile, DamagedSerializedGraphsAreRefused) {
  const std::string path = Path("damaged.sg");
  ASSERT_TRUE(WriteSerialized(Symmetric(KroneckerPairs(3, 2, SerialExecutor())), path));
  const std::string whole = Bytes(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Write(path, whole.substr(0, size));
    EXPECT_FALSE(ReadSerialized(path)) << "cut at " << size;
  }
  for (std::size_t i = 0; i < 17; ++i) {
    std::string bytes = whole;
    bytes[i] = '\xff';
    Write(path, bytes);
    EXPECT_FALSE(ReadSerialized(path)) << "byte " << i;
  }
  std::string bytes = whole;
  bytes[bytes.size() - 1] = '\x7f';  // a neighbor out of range
  Write(path, bytes);
  EXPECT_FALSE(ReadSerialized(path));
}

TEST(GapKernels, ChecksFailOnWrongResults) {
  const PairList list = KroneckerPairs(6, 4, SerialExecutor());
  const Topology graph = Symmetric(list);
  std::vector<float> scores = GapPageRank(graph, PreparePageRank(graph, true), 20, 0);
  EXPECT_EQ(CheckPageRank(graph, scores, 20, 0), "");
  scores[0] += 0.01f;
  EXPECT_NE(CheckPageRank(graph, scores, 20, 0), "");

  SourcePicker picker(graph);
  const NodeId source = picker.Next();
  traversal::BfsCsrResult bfs = traversal::BfsCsr(graph.out(), graph.in(), source).value();
  EXPECT_EQ(CheckBfs(graph, source, bfs), "");
  bfs.parents[source] = kNoNode;
  EXPECT_NE(CheckBfs(graph, source, bfs), "");

  const std::uint64_t triangles = community::TrianglesCsr(graph.out()).value();
  EXPECT_EQ(CheckTriangles(graph, triangles), "");
  EXPECT_NE(CheckTriangles(graph, triangles + 1), "");

  std::vector<double> between =
      centrality::BetweennessCsr(graph.out(), graph.in(), {&source, 1}).value();
  EXPECT_EQ(CheckBetweenness(graph, {&source, 1}, between), "");
  *std::ranges::max_element(between) *= 1.001;
  EXPECT_NE(CheckBetweenness(graph, {&source, 1}, between), "");

  AlignedArray<float> weights(graph.arc_count());
  for (std::size_t a = 0; a < weights.size(); ++a) weights[a] = static_cast<float>(1 + a % 255);
  CsrView out = graph.out();
  out.weights = weights.span();
  AlignedArray<float> distances = paths::DistancesCsr(out, source).value();
  EXPECT_EQ(CheckDistances(out, source, distances.span()), "");
  distances[source] = 1;
  EXPECT_NE(CheckDistances(out, source, distances.span()), "");

  EXPECT_EQ(CheckBuild(list.span(), true, graph), "");
  EXPECT_NE(CheckBuild(list.span().subspan(40), true, graph), "");
}

}  // namespace
}  // namespace plexus::bench
