// plexus-dist on 1, 4 and 9 ranks, all on this machine, against the kernels of the library: the
// same graphs, the same definitions. And what must not become a result: damage, a wrong number of
// ranks, a rank that is killed.
//
// PLEXUS_RMAT_ARCS: how many arcs the random graph has, 1,000,000 when it is not set.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "algorithms/connectivity/connectivity.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/similarity/similarity.h"
#include "algorithms/traversal/traversal.h"
#include "engine/graph.h"
#include "storage/formats/array_file.h"
#include "storage/formats/export.h"
#include "storage/formats/import.h"

namespace plexus {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Zachary's karate club (1977), each friendship once.
constexpr std::pair<int, std::array<int, 16>> kKarate[] = {
    {0, {1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31}},
    {1, {2, 3, 7, 13, 17, 19, 21, 30}},
    {2, {3, 7, 8, 9, 13, 27, 28, 32}},
    {3, {7, 12, 13}},
    {4, {6, 10}},
    {5, {6, 10, 16}},
    {6, {16}},
    {8, {30, 32, 33}},
    {9, {33}},
    {13, {33}},
    {14, {32, 33}},
    {15, {32, 33}},
    {18, {32, 33}},
    {19, {33}},
    {20, {32, 33}},
    {22, {32, 33}},
    {23, {25, 27, 29, 32, 33}},
    {24, {25, 27, 31}},
    {25, {31}},
    {26, {29, 33}},
    {27, {33}},
    {28, {31, 33}},
    {29, {32, 33}},
    {30, {32, 33}},
    {31, {32, 33}},
    {32, {33}}};

std::unique_ptr<Graph> Karate() {
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  EdgeKind friends;
  friends.name = "friends";
  friends.symmetric = true;
  batch.DefineEdgeKind(friends);
  for (int node = 0; node < 34; ++node) batch.UpsertNode(std::to_string(node));
  for (const auto& [node, others] : kKarate)
    for (const int other : others)
      if (other > 0)
        batch.Link(batch.Node(std::to_string(node)), batch.EdgeKindNamed("friends"),
                   batch.Node(std::to_string(other)));
  EXPECT_TRUE(graph->Apply(batch));
  EXPECT_EQ(graph->snapshot().CountEdges(Plane::kFact), 78u);
  return graph;
}

// R-MAT with Graph500's probabilities and weights of 1/8 to 1; then a few nodes are removed.
std::unique_ptr<Graph> RMat() {
  const char* asked = std::getenv("PLEXUS_RMAT_ARCS");
  const std::size_t arcs = asked ? std::stoul(asked) : 1'000'000;
  int scale = 4;
  while ((std::size_t{8} << scale) < arcs) ++scale;
  std::mt19937_64 random(7);
  std::string text;
  for (std::size_t i = 0; i < arcs; ++i) {
    std::uint64_t source = 0, target = 0;
    for (int bit = 0; bit < scale; ++bit) {
      const std::uint64_t draw = random() % 100;
      source = 2 * source + (draw >= 76);
      target = 2 * target + ((draw >= 57 && draw < 76) || draw >= 95);
    }
    text += std::to_string(source) + " " + std::to_string(target) + " " +
            std::to_string(static_cast<double>(1 + random() % 8) / 8) + "\n";
  }
  auto graph = Graph::InMemory();
  formats::ImportOptions options;
  options.format = formats::FileFormat::kEdgeList;
  EXPECT_TRUE(formats::ImportBytes(*graph, "rmat.el", text, options));
  WriteBatch removal(1);
  for (NodeId node = 100; node < 1000; node += 100) removal.RemoveNode(NodeRef::Id(node));
  EXPECT_TRUE(graph->Apply(removal));
  return graph;
}

std::unique_ptr<Graph> WordNet() {
  if (!fs::exists("/usr/share/wordnet/data.noun")) return nullptr;
  auto graph = Graph::InMemory();
  formats::ImportOptions options;
  options.format = formats::FileFormat::kWordNet;
  EXPECT_TRUE(formats::ImportFiles(*graph, {"/usr/share/wordnet"}, options));
  return graph;
}

struct Ended {
  int code = 0;
  std::string out, err;
};

class Distributed : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = ::testing::TempDir() + "plexus_distributed" + std::to_string(getpid());
    fs::create_directories(folder_);
    const auto add = [](const char* name, std::unique_ptr<Graph> graph) {
      if (!graph) return;
      std::ofstream out(Path(std::string(name) + ".parts"), std::ios::binary);
      EXPECT_TRUE(formats::ExportCsrParts(graph->snapshot(), out, 1, graphs_.size()));
      graphs_[name] = std::move(graph);
    };
    add("karate", Karate());
    add("rmat", RMat());
    add("wordnet", WordNet());
  }
  static void TearDownTestSuite() {
    graphs_.clear();
    fs::remove_all(folder_);
  }

  static std::string Path(const std::string& name) { return folder_ + "/" + name; }
  static std::string Parts(const std::string& name) { return Path(name + ".parts"); }
  static Snapshot Of(const std::string& name) { return graphs_.at(name)->snapshot(); }
  static bool Has(const std::string& name) {
    if (!graphs_.contains(name)) std::cerr << "left out: this machine has no " << name << "\n";
    return graphs_.contains(name);
  }
  static std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const char* name : {"karate", "wordnet", "rmat"})
      if (Has(name)) names.push_back(name);
    return names;
  }

  static std::string Command(int ranks, const std::string& arguments) {
    return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 "
           "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 "
           "OMPI_MCA_hwloc_base_binding_policy=none exec " PLEXUS_MPIEXEC " -np " +
           std::to_string(ranks) + " " PLEXUS_DIST " " + arguments + " >" + Path("out") + " 2>" +
           Path("err");
  }
  static std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static Ended Dist(int ranks, const std::string& arguments) {
    const int status = std::system(("(" + Command(ranks, arguments) + ")").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Read(Path("out")), Read(Path("err"))};
  }
  // Runs it and says what it took: a row of bench/notes/scale.md.
  static void Done(int ranks, const std::string& arguments) {
    const Ended ended = Dist(ranks, arguments);
    ASSERT_EQ(ended.code, 0) << arguments << "\n" << ended.err;
    std::cout << ended.out;
  }

  static formats::ArrayFile Open(const std::string& name) {
    auto file = formats::ArrayFile::Open(Path(name));
    EXPECT_TRUE(file) << (file ? "" : file.error().message);
    EXPECT_TRUE(file->CheckAll());
    return *std::move(file);
  }
  static std::vector<double> Scores(const std::string& name, std::uint64_t array = 0) {
    formats::ArrayFile file = Open(name);
    return *file.ReadF64(array, 0, file.header().nodes);
  }
  static std::vector<std::uint32_t> Numbers(const std::string& name) {
    formats::ArrayFile file = Open(name);
    return *file.ReadU32(0, 0, file.header().nodes);
  }
  // The L1 distance; what is not selected has no score in one and 0 in the other.
  static double Distance(const std::vector<double>& given, const std::vector<double>& expected) {
    EXPECT_EQ(given.size(), expected.size());
    double sum = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      sum += std::isnan(given[i]) ? expected[i] : std::abs(given[i] - expected[i]);
    return sum;
  }
  static std::vector<double> Expected(const Snapshot& graph, std::vector<NodeWeight> seeds = {}) {
    pagerank::PageRankOptions options;
    options.tolerance = 1e-12;
    options.seeds = std::move(seeds);
    return pagerank::PageRank(graph, options)->scores;
  }

  static constexpr int kRanks[] = {1, 4, 9};
  static std::string folder_;
  static std::map<std::string, std::unique_ptr<Graph>> graphs_;
};

std::string Distributed::folder_;
std::map<std::string, std::unique_ptr<Graph>> Distributed::graphs_;

TEST_F(Distributed, PageRankIsPlexusOwn) {
  for (const std::string& name : Names()) {
    const std::vector<double> expected = Expected(Of(name));
    for (const int ranks : kRanks) {
      Done(ranks, "pagerank --tolerance 1e-12 --parts " + Parts(name) + " --out " + Path("r"));
      const double distance = Distance(Scores("r"), expected);
      std::cout << name << ", " << ranks << " ranks: L1 " << distance << "\n";
      EXPECT_LE(distance, 1e-9) << name << " " << ranks;
    }
    Done(4, "pagerank --parts " + Parts(name) + " --out " + Path("r"));  // within its own bound
    EXPECT_LE(Distance(Scores("r"), expected), 1e-9) << name;
  }
}

TEST_F(Distributed, SeveralRestartsInOneJob) {
  for (const std::string& name : Names()) {
    for (const int ranks : kRanks) {
      Done(ranks, "personalised --tolerance 1e-12 --restart 3=2,7 --restart 12 --parts " +
                      Parts(name) + " --out " + Path("r"));
      EXPECT_LE(Distance(Scores("r", 0), Expected(Of(name), {{3, 2}, {7, 1}})), 1e-9) << name;
      EXPECT_LE(Distance(Scores("r", 1), Expected(Of(name), {{12, 1}})), 1e-9) << name;
    }
  }
}

TEST_F(Distributed, SixteenRestartsAndNoMore) {
  std::string restarts;
  for (int node = 0; node < 16; ++node) restarts += " --restart " + std::to_string(2 * node);
  const std::string rest = " --tolerance 1e-12 --parts " + Parts("karate") + " --out " + Path("r");
  Done(4, "personalised" + restarts + rest);
  for (NodeId node = 0; node < 16; ++node)
    EXPECT_LE(Distance(Scores("r", node), Expected(Of("karate"), {{2 * node, 1}})), 1e-9) << node;
  fs::remove(Path("r"));
  const Ended ended = Dist(4, "personalised --restart 33" + restarts + rest);
  EXPECT_EQ(ended.code, 2);
  EXPECT_TRUE(ended.err.contains("1 to 16 times")) << ended.err;
  EXPECT_FALSE(fs::exists(Path("r")));
}

TEST_F(Distributed, ComponentsAreEqual) {
  for (const std::string& name : Names()) {
    const auto expected = connectivity::Components(Of(name));
    ASSERT_TRUE(expected);
    for (const int ranks : kRanks) {
      Done(ranks, "components --parts " + Parts(name) + " --out " + Path("r"));
      EXPECT_EQ(Numbers("r"), expected->labels) << name << " " << ranks;
    }
  }
}

TEST_F(Distributed, LevelsAreEqual) {
  const std::pair<const char*, Direction> ways[] = {
      {"out", Direction::kOut}, {"in", Direction::kIn}, {"both", Direction::kBoth}};
  for (const std::string& name : Names()) {
    for (const int ranks : kRanks) {
      for (const auto& [word, way] : ways) {
        const std::uint32_t most = ranks == 4 ? 3 : traversal::kUnreached;
        traversal::BfsOptions options;
        options.direction = way;
        options.max_depth = most;
        const NodeId seeds[] = {3, 12};
        std::vector<std::uint32_t> expected(Of(name).node_count(), formats::kNoValue);
        const auto reached = traversal::Bfs(Of(name), seeds, options);
        ASSERT_TRUE(reached);
        for (const traversal::BfsNode& node : reached->nodes) expected[node.node] = node.depth;
        Done(ranks, "khop --seed 3,12 --direction " + std::string(word) +
                        (most == 3 ? " --hops 3" : "") + " --parts " + Parts(name) + " --out " +
                        Path("r"));
        EXPECT_EQ(Numbers("r"), expected) << name << " " << ranks << " " << word;
      }
    }
  }
}

TEST_F(Distributed, CommonNeighboursOfPairs) {
  for (const std::string& name : Names()) {
    const Snapshot graph = Of(name);
    std::mt19937 random(3);
    std::vector<NodePair> pairs;
    std::ofstream file(Path("pairs"));
    while (pairs.size() < 300) {
      const auto a = static_cast<NodeId>(random() % std::min<NodeId>(graph.node_count(), 3000));
      const auto b = static_cast<NodeId>(random() % std::min<NodeId>(graph.node_count(), 3000));
      if (a == b || !graph.alive(a) || !graph.alive(b)) continue;
      if (!graph.is_fact(a) || !graph.is_fact(b)) continue;
      pairs.push_back({a, b});
      file << a << " " << b << "\n";
    }
    file.close();
    similarity::SimilarityOptions options;
    options.measure = similarity::SimilarityMeasure::kCommon;
    options.direction = Direction::kOut;
    const auto expected = similarity::PairSimilarities(graph, pairs, options);
    ASSERT_TRUE(expected);
    std::vector<double> counts;
    for (const similarity::PairSimilarity& pair : expected->pairs) counts.push_back(pair.score);
    for (const int ranks : kRanks) {
      Done(ranks, "common --max-degree 10000000 --pairs " + Path("pairs") + " --parts " +
                      Parts(name) + " --out " + Path("r"));
      std::ifstream table(Path("r"));
      std::vector<double> given;
      for (double a, b, count; table >> a >> b >> count;) given.push_back(count);
      EXPECT_EQ(given, counts) << name << " " << ranks;
    }
    EXPECT_GT(*std::ranges::max_element(counts), 0);
  }
  // Node 33 has 17 neighbours, node 32 has 12; 14 and 15 share these two alone.
  std::ofstream(Path("pairs")) << "14 15\n0:15 14\n";
  for (const auto& [cap, left] : {std::pair{17, 2}, {16, 1}, {11, 0}}) {
    Done(4, "common --max-degree " + std::to_string(cap) + " --pairs " + Path("pairs") +
                " --parts " + Parts("karate") + " --out " + Path("r"));
    const std::string count = std::to_string(left);
    EXPECT_EQ(Read(Path("r")), "14\t15\t" + count + "\n0:15\t14\t" + count + "\n");
  }
}

TEST_F(Distributed, AUnionOfThreeGraphsIsOneGraph) {
  const std::string three = Parts("karate") + "," + Parts("rmat") + "," + Parts("karate");
  const std::string out = Path("a") + "," + Path("b") + "," + Path("c");
  const double nodes = 68 + static_cast<double>(pagerank::PageRank(Of("rmat"))->nodes.count());
  for (const int ranks : kRanks) {
    Done(ranks, "components --parts " + three + " --out " + out);
    EXPECT_EQ(Numbers("a"), connectivity::Components(Of("karate"))->labels);
    EXPECT_EQ(Numbers("b"), connectivity::Components(Of("rmat"))->labels);
    EXPECT_EQ(Numbers("c"), Numbers("a"));
    Done(ranks, "khop --seed 2:5 --seed 1:12 --parts " + three + " --out " + out);
    EXPECT_EQ(std::ranges::count(Numbers("a"), formats::kNoValue), 34);
    EXPECT_EQ(Numbers("c")[5], 0u);
    EXPECT_EQ(Numbers("b")[12], 0u);
    Done(ranks, "pagerank --tolerance 1e-12 --parts " + three + " --out " + out);
    double sum = 0;
    for (const char* name : {"a", "b", "c"})
      for (const double score : Scores(name)) sum += std::isnan(score) ? 0 : score;
    EXPECT_NEAR(sum, 1, 1e-9);
    // A part's scores are its own scaled: teleport and dangling mass come evenly to all nodes.
    for (const auto& [name, part] : {std::pair{"karate", "c"}, {"rmat", "b"}}) {
      const std::vector<double> joined = Scores(part);
      std::vector<double> alone = Expected(Of(name));
      const double scale = joined[0] / alone[0];
      for (double& score : alone) score *= scale;
      EXPECT_LE(Distance(joined, alone), 1e-9) << part;
      if (name == std::string("karate")) {
        EXPECT_GE(scale, 34 / nodes);
      }
    }
    formats::ArrayFile last = Open("c");
    EXPECT_EQ(last.header().graph_low, 0u);
    EXPECT_EQ(last.header().sequence, Of("karate").sequence());
  }
}

TEST_F(Distributed, WrongUsageIsASentence) {
  const std::string rest = " --parts " + Parts("karate") + " --out " + Path("none");
  const std::pair<int, std::string> wrong[] = {
      {2, "pagerank"}, {3, "components"},     {1, "personalised"},    {1, "khop"},
      {1, "common"},   {1, "khop --seed 34"}, {4, "khop --seed 1:3"}, {1, "triangles"}};
  for (const auto& [ranks, job] : wrong) {
    const Ended ended = Dist(ranks, job + rest);
    EXPECT_NE(ended.code, 0) << job;
    EXPECT_FALSE(ended.err.empty());
    EXPECT_FALSE(fs::exists(Path("none"))) << job;
    if (ranks == 2) {
      EXPECT_EQ(ended.code, 2);
      EXPECT_TRUE(ended.err.contains("their number is 1, 4, 9, 16 ...; there are 2"));
    }
  }
  EXPECT_TRUE(Dist(1, "--help").out.contains("mpirun -np 4 plexus-dist pagerank"));
  const Ended absent = Dist(4, "pagerank --parts " + Path("absent") + " --out " + Path("none"));
  EXPECT_TRUE(absent.err.contains(Path("absent") + ": No such file")) << absent.err;
  const Ended nowhere =
      Dist(4, "pagerank --parts " + Parts("karate") + " --out " + Path("no/folder"));
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_TRUE(nowhere.err.contains(Path("no/folder") + ": No such file")) << nowhere.err;
}

TEST_F(Distributed, DamagedPartsAreRefusedByEveryRank) {
  const std::string whole = Read(Parts("rmat"));
  std::mt19937_64 random(11);
  for (int i = 0; i < 12; ++i) {
    std::string damaged = whole;
    const std::size_t at = random() % damaged.size();
    if (i % 4 == 0)
      damaged.resize(at);
    else
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    std::ofstream(Path("damaged"), std::ios::binary) << damaged;
    const int ranks = kRanks[i % 3];
    const Ended ended =
        Dist(ranks, "pagerank --quiet --parts " + Parts("karate") + "," + Path("damaged") +
                        " --out " + Path("none") + "," + Path("none2"));
    EXPECT_EQ(ended.code, 4) << "byte " << at << ": " << ended.err;
    EXPECT_TRUE(ended.err.contains(Path("damaged") + ": "));
    EXPECT_TRUE(ended.err.contains("all " + std::to_string(ranks) + " ranks stop")) << ended.err;
    EXPECT_FALSE(fs::exists(Path("none")) || fs::exists(Path("none2")));
  }
}

TEST_F(Distributed, AKilledRankEndsTheJobWithoutAResult) {
  fs::create_directories(Path("killed"));
  const std::string command = Command(
      4, "pagerank --iterations 1000000 --parts " + Parts("rmat") + " --out " + Path("killed/r"));
  const pid_t launcher = fork();
  if (launcher == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  const auto deadline = Clock::now() + std::chrono::seconds(120);
  while (!Read(Path("err")).contains("iteration 10,") && Clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_TRUE(Read(Path("err")).contains("iteration 10,")) << Read(Path("err"));
  std::vector<pid_t> ranks;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string status = Read(entry.path() / "status");
    if (status.contains("PPid:\t" + std::to_string(launcher) + "\n") &&
        status.starts_with("Name:\tplexus-dist"))
      ranks.push_back(std::stoi(entry.path().filename()));
  }
  ASSERT_EQ(ranks.size(), 4u);
  const auto killed = Clock::now();
  ASSERT_EQ(kill(ranks[2], SIGKILL), 0);
  const auto alive = [&] {
    return std::ranges::any_of(ranks, [](pid_t rank) {
      const std::string status = Read("/proc/" + std::to_string(rank) + "/status");
      return !status.empty() && !status.contains("State:\tZ");
    });
  };
  int status = 0;
  bool ended = false;
  while (Clock::now() < killed + std::chrono::seconds(10) && !(ended && !alive())) {
    ended = ended || waitpid(launcher, &status, WNOHANG) == launcher;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(ended);
  EXPECT_FALSE(alive());
  std::cout << "all ranks gone after "
            << std::chrono::duration<double>(Clock::now() - killed).count() << " s\n";
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(fs::is_empty(Path("killed")));
  if (!ended) {
    kill(launcher, SIGKILL);
    waitpid(launcher, &status, 0);
  }
}

}  // namespace
}  // namespace plexus
