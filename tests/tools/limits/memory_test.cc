// What is read takes at most a stated multiple of its bytes, however it is written. A program of
// its own: it replaces operator new.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/centrality/centrality.h"
#include "algorithms/community/community.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/memory/decisions/decisions.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/paths/paths.h"
#include "algorithms/similarity/similarity.h"
#include "algorithms/traversal/traversal.h"
#include "engine/graph.h"
#include "engine/parallel.h"
#include "engine/properties/properties.h"
#include "engine/vocabulary.h"
#include "storage/formats/import.h"
#include "tests/support/run_plexus.h"
#include "tests/tools/limits/counted_memory.h"
#include "tools/operations/framework/limits.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/memory/guardrail_rules.h"
#include "tools/operations/retrieve/plan_json.h"
#include "tools/server/mcp/protocol.h"

namespace plexus::tools {
using namespace builtin;
namespace {

using testing::CountedMemory;

constexpr std::size_t kBytes = std::size_t{2} << 20;        // about that much is read
constexpr std::uint64_t kBeside = std::uint64_t{24} << 20;  // what each call has, however small

// `line(i)` for i from 0 on, until it is enough.
std::string Repeated(const std::function<std::string(int)>& line, const std::string& between = "") {
  std::string text;
  for (int i = 0; text.size() < kBytes; ++i) text += (i ? between : "") + line(i);
  return text;
}

void ExpectWithin(const std::string& what, std::uint64_t peak, std::size_t bytes,
                  std::uint64_t multiple) {
  EXPECT_LE(peak, multiple * bytes + kBeside)
      << what << ": " << static_cast<double>(peak) / static_cast<double>(bytes) << " times";
}

std::uint64_t PeakOfImport(const std::string& name, const std::string& text, bool& taken) {
  return CountedMemory::PeakOf([&] {
    GraphOptions options;
    options.executor = &SerialExecutor();
    const auto graph = Graph::InMemory(options);
    formats::ImportOptions import;
    import.executor = &SerialExecutor();
    const auto report = formats::ImportBytes(*graph, name, text, import);
    taken = report && !report->stopped;
  });
}

// The shortest records of each format, so that most is made of each byte.
TEST(Memory, Imports) {
  const auto number = [](int i) { return std::to_string(i); };
  const std::pair<std::string, std::string> files[] = {
      {"nodes.jsonl", Repeated([&](int i) { return "{\"node\":\"" + number(i) + "\"}\n"; })},
      {"edges.jsonl", Repeated([&](int i) {
         return "{\"edge\":[\"" + number(i / 9) + "\",\"" + number(i) + "\"],\"kind\":\"a\"}\n";
       })},
      {"props.jsonl", Repeated([&](int i) {
         return "{\"node\":\"" + number(i) + "\",\"props\":{\"a\":[0,1]}}\n";
       })},
      {"edges.csv", "source,kind,target\n" +
                        Repeated([&](int i) { return number(i / 9) + ",a," + number(i) + "\n"; })},
      {"nodes.csv", "id\n" + Repeated([&](int i) { return number(i) + "\n"; })},
      {"edges.el", Repeated([&](int i) { return number(i / 9) + " " + number(i) + "\n"; })},
      {"edges.mtx", "%%MatrixMarket matrix coordinate pattern general\n200000 200000 200000\n" +
                        [&] {
                          std::string lines;
                          for (int i = 1; i <= 200'000; ++i)
                            lines += number(i / 9 + 1) + " " + number(i) + "\n";
                          return lines;
                        }()},
      {"g.graphml",
       "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><graph "
       "edgedefault=\"directed\">" +
           Repeated([&](int i) { return "<node id=\"" + number(i) + "\"/>"; }) +
           "</graph></graphml>"},
      {"mem0.json",
       "{\"results\":[" +
           Repeated([&](int i) { return "{\"id\":\"" + number(i) + "\",\"memory\":\"a\"}"; }, ",") +
           "],\"relations\":[]}"},
      {"list.json",
       "[" +
           Repeated([&](int i) { return "{\"id\":\"" + number(i) + "\",\"memory\":\"a\"}"; }, ",") +
           "]"},
      {"turns.jsonl", Repeated([&](int i) {
         return "{\"id\":\"" + number(i) + "\",\"session_id\":\"s\",\"content\":\"a\"}\n";
       })},
      {"composition_events.jsonl", Repeated([&](int i) {
         return "{\"id\":\"" + number(i) +
                "\",\"tool\":\"t\",\"query\":\"q\",\"query_hash\":\"h\"}\n";
       })},
      {"composition_members.csv", "event_id,memory_id,role\n" + Repeated([&](int i) {
                                    return number(i / 9) + "," + number(i) + ",primary\n";
                                  })},
      {"composition_outcomes.jsonl", Repeated([&](int i) {
         return "{\"id\":\"" + number(i) + "\",\"event_id\":\"e\",\"outcome_type\":\"helpful\"}\n";
       })},
      {"g.node-link.json", "{\"directed\":true,\"nodes\":[" +
                               Repeated([&](int i) { return "{\"id\":" + number(i) + "}"; }, ",") +
                               "],\"edges\":[]}"},
  };
  for (const auto& [name, text] : files) {
    SCOPED_TRACE(name);
    bool taken = false;
    const std::uint64_t peak = PeakOfImport(name, text, taken);
    EXPECT_TRUE(taken);
    ExpectWithin(name, peak, text.size(), kMemoryOfImport);
  }
}

// Notes with little but links and words, in a folder.
TEST(Memory, FoldersOfMarkdown) {
  const testing::TempDir dir;
  std::filesystem::create_directory(dir / "notes");
  std::size_t bytes = 0;
  for (int i = 0; bytes < kBytes; ++i) {
    std::string note = "---\ntags: [a, b]\n---\n";
    for (int link = 0; link < 100; ++link) note += "[[" + std::to_string(link) + "]]";
    bytes += note.size();
    dir.File("notes/" + std::to_string(i) + ".md", note);
  }
  bool taken = false;
  const std::uint64_t peak = CountedMemory::PeakOf([&] {
    GraphOptions options;
    options.executor = &SerialExecutor();
    const auto graph = Graph::InMemory(options);
    formats::ImportOptions import;
    import.executor = &SerialExecutor();
    const auto report = formats::ImportMarkdown(*graph, dir / "notes", "m", import);
    taken = report && !report->stopped;
  });
  EXPECT_TRUE(taken);
  ExpectWithin("notes", peak, bytes, kMemoryOfImport);
}

// A line of MCP, which has 8 MiB at most; the body of HTTP is read as requests are, below.
TEST(Memory, LinesOfMcp) {
  const std::string zeros = Repeated([](int) { return "0"; }, ",");
  for (const std::string& arguments :
       {"{\"key\":[" + zeros + "]}",
        "{" + Repeated([](int i) { return "\"" + std::to_string(i) + "\":0"; }, ",") + "}"}) {
    const std::string line =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get","arguments":)" +
        arguments + "}}";
    const std::uint64_t peak =
        CountedMemory::PeakOf([&] { EXPECT_TRUE(server::Protocol::Read(line)); });
    ExpectWithin("a line", peak, line.size(), kMemoryOfContent);
  }
}

// A scope's copy keeps no text that was replaced, however often that is.
TEST(Memory, TheCopyOfAScope) {
  const auto held_by = [](std::vector<std::string> wall) {
    const auto graph = Graph::InMemory();
    return CountedMemory::PeakOf([&] {
      auto workspace = *Workspace::Over(
          *graph,
          {.access = Access::kWrite, .clock_ms = 1'700'000'000'000, .wall = std::move(wall)});
      for (int i = 0; i < 64; ++i) {
        Request put(*FindOperation("put"));
        EXPECT_TRUE(put.Set("key", "k"));
        EXPECT_TRUE(put.Set("text", std::to_string(i) + std::string(1'000'000, 'x')));
        EXPECT_TRUE(Answer(*workspace, put));
      }
    });
  };
  EXPECT_LE(held_by({"user"}), held_by({}) + kBeside);
}

// A selection over which no array of the base can serve: rows would be made for it.
TEST(Memory, WhatIsOutOfTimeMakesNothing) {
  constexpr int kNodes = 20'000, kArcs = 20 * kNodes;
  GraphOptions in_memory;
  in_memory.executor = &SerialExecutor();
  const auto graph = Graph::InMemory(in_memory);
  WriteBatch batch(1);
  std::vector<NodeRef> nodes;
  for (int i = 0; i < kNodes; ++i)
    nodes.push_back(batch.UpsertNode(std::to_string(i), i % 50 ? kDecision : kMemory));
  for (int i = 0; i < kArcs; ++i) {
    const int from = i % kNodes, to = (from + 1 + i / kNodes * 7) % kNodes;
    batch.Link(nodes[static_cast<std::size_t>(from)], kDependsOn,
               nodes[static_cast<std::size_t>(to)]);
  }
  ASSERT_TRUE(graph->Apply(batch));
  const Snapshot s = graph->snapshot();
  const NodeKindId kinds[] = {kDecision};
  const NodeSubset subset = NodeSubset::OfKinds(s, kinds);
  RunOptions late;
  late.executor = &SerialExecutor();
  late.budget.deadline = std::chrono::steady_clock::time_point();
  const NodeId node = *s.Find("1");
  const auto ask = [&](auto options, auto&& kernel) {
    options.run = late;
    options.filter.subset = &subset;
    const auto result = kernel(options);
    return result && result->truncated;
  };
  const NodeId sources[] = {node};
  const std::vector<NodeWeight> sets[] = {{{node, 1.0}}};
  const std::pair<const char*, std::function<bool()>> kernels[] = {
#define PLEXUS_LATE(Kernel, Options)                                                     \
  {                                                                                      \
#Kernel, [&] { return ask(Options{}, [&](const auto& o) { return Kernel(s, o); }); } \
  }
      PLEXUS_LATE(pagerank::PageRank, pagerank::PageRankOptions),
      PLEXUS_LATE(community::Triangles, community::TrianglesOptions),
      PLEXUS_LATE(community::Clustering, community::ClusteringOptions),
      PLEXUS_LATE(community::LabelPropagation, community::LabelPropagationOptions),
      PLEXUS_LATE(community::KCore, community::KCoreOptions),
      PLEXUS_LATE(similarity::SimilarPairs, similarity::SimilarityOptions),
      PLEXUS_LATE(connectivity::StrongComponents, connectivity::ComponentsOptions),
      PLEXUS_LATE(connectivity::TopologicalOrder, connectivity::TopologicalOrderOptions),
      PLEXUS_LATE(connectivity::SpanningForest, connectivity::SpanningForestOptions),
      PLEXUS_LATE(connectivity::CutPoints, connectivity::CutPointsOptions),
      PLEXUS_LATE(centrality::Betweenness, centrality::BetweennessOptions),
      PLEXUS_LATE(centrality::Closeness, centrality::ClosenessOptions),
      PLEXUS_LATE(centrality::Hits, centrality::HitsOptions),
      PLEXUS_LATE(centrality::Katz, centrality::KatzOptions),
      PLEXUS_LATE(centrality::Eigenvector, centrality::EigenvectorOptions),
#undef PLEXUS_LATE
      {"Distances",
       [&] {
         return ask(paths::DistancesOptions{},
                    [&](const auto& o) { return paths::Distances(s, node, o); });
       }},
      {"Dominators",
       [&] {
         return ask(connectivity::DominatorsOptions{},
                    [&](const auto& o) { return connectivity::Dominators(s, node, o); });
       }},
      {"MultiBfs",
       [&] {
         return ask(traversal::MultiBfsOptions{},
                    [&](const auto& o) { return traversal::MultiBfs(s, sources, o); });
       }},
      {"PageRankBatch",
       [&] {
         pagerank::PageRankOptions options;
         options.precision = pagerank::Precision::kF32;
         options.tolerance = 1e-5;
         return ask(options, [&](const auto& o) { return pagerank::PageRankBatch(s, sets, o); });
       }},
      {"Salience",
       [&] {
         memory::SalienceOptions options;
         options.decisions.run = late;
         options.decisions.subset = &subset;
         const auto result = memory::Salience(s, options);
         return result && result->truncated;
       }},
  };
  for (const auto& [name, kernel] : kernels) {
    bool truncated = false;
    const std::uint64_t peak = CountedMemory::PeakOf([&] { truncated = kernel(); });
    EXPECT_TRUE(truncated) << name;
    EXPECT_LT(peak, std::uint64_t{kArcs} * 4) << name;
  }
  EXPECT_TRUE(memory::RanOut(memory::VisibleNodes(s, 1, {.run = late})));
  const std::string_view scopes[] = {"team"};
  EXPECT_FALSE(NodeSubset::InScopes(s, scopes, false, late.budget));
  EXPECT_TRUE(NodeSubset::InScopes(s, scopes));
}

// A line of a million values is refused or taken, and costs no more for it.
TEST(Memory, OneLineOfValues) {
  const std::string zeros = Repeated([](int) { return "0"; }, ",");
  for (const std::string& line :
       {"{\"node\":\"a\",\"props\":{\"x\":[" + zeros + "]}}\n", "{\"x\":[" + zeros + "]}\n",
        "{\"vector\":\"a\",\"values\":[" + zeros + "]}\n"}) {
    bool taken = false;
    ExpectWithin("a line", PeakOfImport("a.jsonl", line, taken), line.size(), kMemoryOfImport);
  }
}

TEST(Memory, Vectors) {
  const std::string bytes(kBytes, '\0');
  const std::uint64_t peak = CountedMemory::PeakOf([&] {
    GraphOptions options;
    options.executor = &SerialExecutor();
    const auto graph = Graph::InMemory(options);
    formats::VectorImportOptions vectors;
    vectors.format = formats::VectorFormat::kF32;
    vectors.dimensions = 4;
    formats::ImportOptions import;
    import.executor = &SerialExecutor();
    (void)formats::ImportVectors(*graph, {"v.f32", bytes}, vectors, import);
  });
  ExpectWithin("vectors", peak, bytes.size(), kMemoryOfImport);
}

TEST(Memory, Requests) {
  const std::string keys = Repeated([](int) { return "\"\""; }, ",");
  const std::string zeros = Repeated([](int) { return "0"; }, ",");
  for (const std::string& text :
       {"{\"get\":{\"key\":[" + keys + "]}}", "{\"get\":{\"key\":[" + zeros + "]}}",
        "{\"get\":{" + Repeated([](int i) { return "\"" + std::to_string(i) + "\":0"; }, ",") +
            "}}"}) {
    const std::uint64_t peak = CountedMemory::PeakOf([&] { (void)NamedRequestFromJson(text); });
    ExpectWithin("a request", peak, text.size(), kMemoryOfContent);
  }
}

// Rules and plans are JSON that a request carries.
TEST(Memory, RulesAndPlans) {
  const std::string zeros = "[" + Repeated([](int) { return "0"; }, ",") + "]";
  const Schema schema = Graph::InMemory()->snapshot().schema();
  for (const std::string& text : {zeros, "[{\"name\":" + zeros + "}]"}) {
    ExpectWithin("rules",
                 CountedMemory::PeakOf([&] { (void)ParseGuardrailRules(schema, "rules", text); }),
                 text.size(), kMemoryOfContent);
  }
}

// A stored map is read in its place.
TEST(Memory, PropertyMaps) {
  for (const char fill : {'\0', '\1', '\x24', '\xff'}) {
    const std::string bytes(kBytes, fill);
    const std::uint64_t peak = CountedMemory::PeakOf([&] { (void)PropertyMap::Read(bytes); });
    ExpectWithin("a map", peak, bytes.size(), 2);
  }
}

}  // namespace
}  // namespace plexus::tools
