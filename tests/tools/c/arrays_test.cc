// Arrays in and out of a graph: the same graph and the same numbers as the other ways have, and
// wrong arrays refused by name.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "algorithms/pagerank/pagerank.h"
#include "storage/database.h"
#include "storage/formats/import.h"
#include "tests/support/run_plexus.h"
#include "tests/tools/c/strings.h"
#include "tools/c/plexus.h"

namespace plexus::testing {
namespace {

template <class T>
T Sized() {
  T empty = {};
  empty.size = sizeof empty;
  return empty;
}

template <class T>
std::span<const T> Array(plexus_result* result, const char* name) {
  plexus_array array = {};
  EXPECT_EQ(plexus_result_array(result, name, &array), PLEXUS_OK) << plexus_message();
  return {static_cast<const T*>(array.data), static_cast<std::size_t>(array.rows * array.columns)};
}

class CArrays : public ::testing::Test {
 protected:
  CArrays() { graph_ = Open("g"); }
  ~CArrays() override {
    (void)plexus_snapshot_free(snapshot_);
    (void)plexus_close(graph_);
  }
  plexus_graph* Open(const char* name) {
    auto options = Sized<plexus_open_options>();
    options.create = 1;
    plexus_graph* graph = nullptr;
    EXPECT_EQ(plexus_open((dir_ / name).c_str(), &options, &graph), PLEXUS_OK) << plexus_message();
    return graph;
  }
  plexus_snapshot* Taken() {
    (void)plexus_snapshot_free(snapshot_);
    EXPECT_EQ(plexus_snapshot_of(graph_, &snapshot_), PLEXUS_OK) << plexus_message();
    return snapshot_;
  }
  TempDir dir_;
  plexus_graph* graph_ = nullptr;
  plexus_snapshot* snapshot_ = nullptr;
};

struct RandomEdges {
  std::vector<std::uint32_t> sources, targets;
  std::vector<float> weights;
  RandomEdges(std::size_t count, std::uint32_t nodes) {
    std::mt19937 random(7);
    for (std::size_t i = 0; i < count; ++i) {
      sources.push_back(random() % nodes);
      targets.push_back(random() % nodes);
      weights.push_back(static_cast<float>(random() % 8 + 1) / 8);
    }
  }
  plexus_edges view() const {
    auto edges = Sized<plexus_edges>();
    edges.count = sources.size();
    edges.sources = sources.data();
    edges.targets = targets.data();
    edges.weights = weights.data();
    return edges;
  }
};

// An edge list that is imported, loaded at once, and written in batches are one graph.
TEST_F(CArrays, EdgesAreThoseOfAFile) {
  const RandomEdges random(5000, 700);
  std::string text;
  for (std::size_t i = 0; i < random.sources.size(); ++i)
    text += std::to_string(random.sources[i]) + " " + std::to_string(random.targets[i]) + " " +
            std::to_string(random.weights[i]) + "\n";
  const auto file = Graph::InMemory();
  formats::ImportOptions options;
  options.format = formats::FileFormat::kEdgeList;
  ASSERT_TRUE(formats::ImportBytes(*file, "edges", text, options));

  plexus_edges edges = random.view();
  auto counts = Sized<plexus_counts>();
  ASSERT_EQ(plexus_put_edges(graph_, &edges, nullptr, &counts), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(counts.nodes_added, file->snapshot().node_count());
  EXPECT_EQ(counts.added, file->snapshot().CountEdges(Plane::kFact));
  auto again = Sized<plexus_counts>();
  ASSERT_EQ(plexus_put_edges(graph_, &edges, nullptr, &again), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(again.added, 0u);
  EXPECT_EQ(again.nodes_added, 0u);

  const auto expected = pagerank::PageRank(file->snapshot());
  ASSERT_TRUE(expected);
  plexus_result* rank = nullptr;
  ASSERT_EQ(plexus_pagerank(Taken(), nullptr, &rank), PLEXUS_OK) << plexus_message();
  const auto scores = Array<double>(rank, "scores");
  ASSERT_EQ(scores.size(), expected->scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(scores[i], expected->scores[i]);
  EXPECT_EQ(plexus_result_free(rank), PLEXUS_OK);
}

TEST_F(CArrays, KeysKindsAndIds) {
  const Strings keys({"a", "b", "c", "a"}), kinds({"supports", "likes"});
  const std::uint32_t sources[] = {0, 1, 3}, targets[] = {1, 2, 2};
  const std::uint16_t kind_of[] = {0, 1, 1};
  const std::int64_t created[] = {1'700'000'000'000, 1'700'000'001'000, 1'700'000'002'000};
  auto edges = Sized<plexus_edges>();
  edges.count = 3;
  edges.sources = sources;
  edges.targets = targets;
  edges.ends = PLEXUS_ENDS_KEYS;
  edges.keys = keys.view();
  edges.kinds = kinds.view();
  edges.kind_of = kind_of;
  edges.created_at = created;
  auto counts = Sized<plexus_counts>();
  ASSERT_EQ(plexus_put_edges(graph_, &edges, nullptr, &counts), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(counts.nodes_added, 3u);
  EXPECT_EQ(counts.added, 3u);

  std::uint32_t ids[3];
  const Strings wanted({"c", "none", "a"});
  const plexus_strings view = wanted.view();
  ASSERT_EQ(plexus_find(Taken(), &view, ids), PLEXUS_OK);
  EXPECT_EQ(ids[1], PLEXUS_NO_NODE);
  plexus_result* texts = nullptr;
  ASSERT_EQ(plexus_keys(snapshot_, ids, 1, &texts), PLEXUS_OK);
  EXPECT_EQ(Array<std::uint8_t>(texts, "bytes")[0], 'c');
  plexus_result_free(texts);
  EXPECT_EQ(plexus_keys(snapshot_, ids, 2, &texts), PLEXUS_INVALID_ARGUMENT);

  // By id, of the kind "likes" only.
  auto by_id = Sized<plexus_edges>();
  by_id.count = 1;
  by_id.sources = &ids[0];
  by_id.targets = &ids[2];
  by_id.ends = PLEXUS_ENDS_IDS;
  by_id.kind = "likes";
  ASSERT_EQ(plexus_put_edges(graph_, &by_id, nullptr, nullptr), PLEXUS_OK) << plexus_message();
  const char* likes[] = {"likes"};
  auto options = Sized<plexus_csr_options>();
  options.kinds = likes;
  options.kind_count = 1;
  plexus_result* csr = nullptr;
  ASSERT_EQ(plexus_csr(Taken(), &options, &csr), PLEXUS_OK) << plexus_message();
  const auto offsets = Array<std::uint32_t>(csr, "offsets");
  const auto nodes = Array<std::uint32_t>(csr, "nodes");
  ASSERT_EQ(offsets.size(), nodes.size() + 1);
  EXPECT_EQ(offsets.back(), 3u);
  EXPECT_EQ(Array<float>(csr, "weights").size(), 3u);
  const auto cell = offsets[ids[0]];
  EXPECT_EQ(nodes[Array<std::uint32_t>(csr, "targets")[cell]], ids[2]);
  plexus_result_free(csr);
}

TEST_F(CArrays, WrongArraysAreRefusedByName) {
  const std::uint32_t ends[] = {0, 5};
  const float weights[] = {1, std::numeric_limits<float>::quiet_NaN()};
  const Strings keys({"a", "b"});
  const auto refused = [&](plexus_edges edges, const std::string& why) {
    EXPECT_EQ(plexus_put_edges(graph_, &edges, nullptr, nullptr), PLEXUS_INVALID_ARGUMENT) << why;
    EXPECT_NE(std::string(plexus_message()).find(why), std::string::npos) << plexus_message();
    std::uint64_t sequence = 1;
    EXPECT_EQ(plexus_sequence(graph_, &sequence), PLEXUS_OK);
    EXPECT_EQ(sequence, 0u);
  };
  auto edges = Sized<plexus_edges>();
  edges.count = 2;
  refused(edges, "sources is null");
  edges.sources = ends;
  refused(edges, "targets is null");
  edges.targets = ends;
  edges.ends = 9;
  refused(edges, "ends");
  edges.ends = PLEXUS_ENDS_KEYS;
  edges.keys = keys.view();
  refused(edges, "edge 1: 5 is no position in keys");
  for (const std::int32_t other : {PLEXUS_ENDS_IDS, PLEXUS_ENDS_NUMBERS}) {
    edges.ends = other;
    refused(edges, "the ends are no positions in keys");
  }
  edges.keys = {};
  edges.kinds = keys.view();
  refused(edges, "kinds needs kind_of");
  edges.kinds = {};
  edges.ends = PLEXUS_ENDS_IDS;
  refused(edges, "edge 0: the graph has no node of id 0");
  edges.ends = PLEXUS_ENDS_NUMBERS;
  edges.weights = weights;
  refused(edges, "edge 1: weight");
  edges.weights = nullptr;
  edges.keys = keys.view();
  edges.keys.byte_count = 1;
  refused(edges, "keys.offsets end behind byte_count");
  const std::uint64_t falling[] = {0, 2, 1};
  edges.keys = {keys.bytes.data(), 2, falling, 2};
  refused(edges, "keys.offsets[2]");
  const Strings empty({"a", ""});
  edges.keys = empty.view();
  refused(edges, "keys[1]");
  edges.keys = {};
  const std::uint16_t kind_of[] = {0, 0};
  edges.kind_of = kind_of;
  refused(edges, "edge 0: kind_of 0");
}

TEST_F(CArrays, VectorsInAndOut) {
  const Strings keys({"m1", "m2"});
  const float values[] = {1, 0, 0.5f, 0.25f, 0.5f, 0.75f};
  auto vectors = Sized<plexus_vectors>();
  vectors.count = 2;
  vectors.dimensions = 3;
  vectors.values = values;
  vectors.keys = keys.view();
  vectors.space = "meaning";
  auto counts = Sized<plexus_counts>();
  ASSERT_EQ(plexus_put_vectors(graph_, &vectors, nullptr, &counts), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(counts.added, 2u);
  plexus_result* space = nullptr;
  ASSERT_EQ(plexus_space(Taken(), "meaning", &space), PLEXUS_OK) << plexus_message();
  // The arrays outlive graph and snapshot.
  ASSERT_EQ(plexus_close(graph_), PLEXUS_OK);
  ASSERT_EQ(plexus_snapshot_free(snapshot_), PLEXUS_OK);
  plexus_array array = {};
  ASSERT_EQ(plexus_result_array(space, "values", &array), PLEXUS_OK);
  EXPECT_EQ(array.rows, 2u);
  EXPECT_EQ(array.columns, 3u);
  EXPECT_EQ(array.type, PLEXUS_F32);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(static_cast<const float*>(array.data)[i], values[i]);
  EXPECT_EQ(plexus_result_array(space, "scores", &array), PLEXUS_NOT_FOUND);
  EXPECT_STREQ(plexus_message(), "the result has no array 'scores'; it has nodes, values");
  EXPECT_EQ(plexus_result_free(space), PLEXUS_OK);

  graph_ = Open("g");
  vectors.keys.count = 1;
  EXPECT_EQ(plexus_put_vectors(graph_, &vectors, nullptr, nullptr), PLEXUS_INVALID_ARGUMENT);
  EXPECT_STREQ(plexus_message(), "keys are 1, vectors 2");
  vectors.keys = keys.view();
  vectors.dimensions = 0;
  EXPECT_EQ(plexus_put_vectors(graph_, &vectors, nullptr, nullptr), PLEXUS_INVALID_ARGUMENT);
  vectors.dimensions = 2;  // the space has 3
  EXPECT_EQ(plexus_put_vectors(graph_, &vectors, nullptr, nullptr), PLEXUS_INVALID_ARGUMENT);
  EXPECT_EQ(plexus_space(Taken(), "none", &space), PLEXUS_NOT_FOUND);
}

// Arrays are copied when the call begins: what a progress function changes in them has no effect.
TEST_F(CArrays, ArraysAreCopiedWhenTheCallBegins) {
  constexpr std::size_t kEdges = 300'000;  // two batches
  std::vector<std::uint32_t> sources(kEdges, 0), targets(kEdges, 1);
  std::vector<std::uint16_t> kind_of(kEdges, 0);
  Strings keys({"a", "b"}), kinds({"likes"});
  auto edges = Sized<plexus_edges>();
  edges.count = kEdges;
  edges.sources = sources.data(), edges.targets = targets.data();
  edges.ends = PLEXUS_ENDS_KEYS;
  edges.keys = keys.view();
  edges.kinds = kinds.view();
  edges.kind_of = kind_of.data();
  edges.count = 1;  // an empty graph would be loaded at once
  ASSERT_EQ(plexus_put_edges(graph_, &edges, nullptr, nullptr), PLEXUS_OK) << plexus_message();
  edges.count = kEdges;
  std::function<void()> change;
  auto options = Sized<plexus_call_options>();
  options.progress_context = &change;
  options.progress = [](void* context, const char*, std::uint64_t done, std::uint64_t) {
    if (done > 0) (*static_cast<std::function<void()>*>(context))();
    return 0;
  };
  const auto taken = [&] {
    EXPECT_EQ(plexus_put_edges(graph_, &edges, &options, nullptr), PLEXUS_OK) << plexus_message();
  };
  change = [&] { kind_of.back() = 60'000; };
  taken();
  EXPECT_EQ(kind_of.back(), 60'000);
  kind_of.back() = 0;
  change = [&] { sources.back() = 4'000'000'000; };
  taken();
  sources.back() = 0;
  edges.ends = PLEXUS_ENDS_NUMBERS;
  edges.keys = {};
  change = [&] { targets.back() = 7; };
  taken();
  EXPECT_EQ(targets.back(), 7u);
  targets.back() = 1;
  edges.keys = keys.view();
  edges.ends = PLEXUS_ENDS_KEYS;
  change = [&] {
    keys.offsets = {1'000'000'000'000, 0, 2'000'000'000'000};
    kinds.offsets = {1'000'000'000'000, 0};
    keys.bytes = "xy";
  };
  EXPECT_EQ(plexus_put_edges(graph_, &edges, &options, nullptr), PLEXUS_OK) << plexus_message();
  auto info = Sized<plexus_snapshot_info>();
  ASSERT_EQ(plexus_snapshot_about(Taken(), &info), PLEXUS_OK);
  EXPECT_EQ(info.nodes, 2u + 2u);  // a and b, and the numbers 0 and 1
}

// The same while another thread writes, into an empty graph, which is loaded at once.
TEST_F(CArrays, ArraysThatAThreadChangesAreAnErrorOrLoaded) {
  std::vector<std::uint32_t> sources(200'000, 0), targets(200'000, 1);
  const Strings keys({"a", "b"});
  auto edges = Sized<plexus_edges>();
  edges.count = sources.size();
  edges.sources = sources.data(), edges.targets = targets.data();
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    auto* last = static_cast<volatile std::uint32_t*>(&sources.back());
    while (!stop)
      for (std::uint32_t value : {4'000'000'000u, 1u}) *last = value;
  });
  for (int round = 0; round < 30; ++round) {
    plexus_graph* graph = Open(("t" + std::to_string(round)).c_str());
    edges.ends = round % 2 == 0 ? PLEXUS_ENDS_NUMBERS : PLEXUS_ENDS_KEYS;
    edges.keys = round % 2 == 0 ? plexus_strings{} : keys.view();
    const plexus_code code = plexus_put_edges(graph, &edges, nullptr, nullptr);
    EXPECT_TRUE(code == PLEXUS_OK || code == PLEXUS_INVALID_ARGUMENT) << plexus_message();
    EXPECT_EQ(plexus_close(graph), PLEXUS_OK);
  }
  stop = true;
  writer.join();
}

TEST_F(CArrays, ZerosOfARankAreValues) {
  const std::uint32_t sources[] = {0, 2}, targets[] = {1, 1};
  auto edges = Sized<plexus_edges>();
  edges.count = 2;
  edges.sources = sources, edges.targets = targets;
  ASSERT_EQ(plexus_put_edges(graph_, &edges, nullptr, nullptr), PLEXUS_OK) << plexus_message();
  Taken();
  auto options = Sized<plexus_pagerank_options>();
  const auto scores = [&] {
    plexus_result* rank = nullptr;
    EXPECT_EQ(plexus_pagerank(snapshot_, &options, &rank), PLEXUS_OK) << plexus_message();
    const auto view = Array<double>(rank, "scores");
    std::vector<double> copy(view.begin(), view.end());
    plexus_result_free(rank);
    return copy;
  };
  const auto refused = [&](const char* why) {
    plexus_result* rank = nullptr;
    EXPECT_EQ(plexus_pagerank(snapshot_, &options, &rank), PLEXUS_INVALID_ARGUMENT);
    EXPECT_NE(std::string(plexus_message()).find(why), std::string::npos) << plexus_message();
  };
  options.tolerance = -1;
  EXPECT_EQ(scores(), std::vector<double>(3, 1.0 / 3));  // damping 0: nothing but the teleport
  options.damping = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> whole = scores();
  EXPECT_GT(whole[1], 0.5);
  options.damping = -1;
  EXPECT_EQ(scores(), whole);
  options.size = sizeof options.size;  // an older caller: the defaults
  EXPECT_EQ(scores(), whole);
  options.size = sizeof options;
  options.tolerance = 0;
  refused("tolerance");
  options.tolerance = -1;
  options.seeds = sources;
  refused("seeds is empty");
  options.seeds = nullptr;
  const double weight = 1;
  options.seed_weights = &weight;
  refused("seed_weights without seeds");
}

// A large load is written as files, and is there when the graph is opened again.
TEST_F(CArrays, ManyEdgesAreLoadedAtOnce) {
  const RandomEdges random((1 << 20) + 17, 50'000);
  const plexus_edges edges = random.view();
  auto counts = Sized<plexus_counts>();
  ASSERT_EQ(plexus_put_edges(graph_, &edges, nullptr, &counts), PLEXUS_OK) << plexus_message();
  std::set<std::pair<std::uint32_t, std::uint32_t>> distinct;
  for (std::size_t i = 0; i < random.sources.size(); ++i)
    distinct.emplace(random.sources[i], random.targets[i]);
  EXPECT_EQ(counts.added, distinct.size());
  ASSERT_EQ(plexus_close(graph_), PLEXUS_OK);
  graph_ = Open("g");
  auto info = Sized<plexus_snapshot_info>();
  ASSERT_EQ(plexus_snapshot_about(Taken(), &info), PLEXUS_OK);
  EXPECT_EQ(info.edges, counts.added);
  EXPECT_EQ(info.sequence, counts.sequence);
  plexus_result* csr = nullptr;
  ASSERT_EQ(plexus_csr(snapshot_, nullptr, &csr), PLEXUS_OK);
  EXPECT_EQ(Array<std::uint32_t>(csr, "targets").size(), counts.added);
  plexus_result_free(csr);
}

}  // namespace
}  // namespace plexus::testing
