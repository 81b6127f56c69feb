// What removed nodes and unused strings go on taking, by part.
//
// Adds NODES memories (default 2 million), each with a text, two columns, a tag, an edge and, in
// groups of sixteen, a label of its own; removes all but the last KEPT (default 1,000); then
// compacts, and in a directory trims the history, opens again, and forgets the keys. Prints the
// figures of `stats` and the resident set at each step, and the bytes that a removed node still
// takes. Keys count up, or are random (--random-keys). Usage: removed [--random-keys] [NODES
// [KEPT]]. Exit 1 when an answer is wrong.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "engine/monitoring/monitoring.h"
#include "engine/vocabulary.h"
#include "storage/database.h"

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::bench;  // NOLINT

struct Sizes {
  std::uint32_t nodes = 2'000'000, kept = 1'000;
  bool random_keys = false;
};
constexpr std::uint32_t kStep = 10'000, kTags = 500;

std::string Key(const Sizes& sizes, std::uint32_t i) {
  char text[40];
  if (!sizes.random_keys) {
    std::snprintf(text, sizeof text, "memory-%08u", i);
    return text;
  }
  const auto mix = [](std::uint64_t x) {  // splitmix64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
  };
  std::snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, mix(2 * i + 1),
                mix(~std::uint64_t{i}));
  return text;
}

void Add(Graph& graph, const Sizes& sizes) {
  for (std::uint32_t first = 0; first < sizes.nodes; first += kStep) {
    WriteBatch batch(kBenchTime + first);
    NodeRef before;
    for (std::uint32_t i = first; i < std::min(first + kStep, sizes.nodes); ++i) {
      const NodeRef node = batch.UpsertNode(Key(sizes, i), builtin::kMemory);
      batch.SetPayload(node, NodeField::kText, "what was said at moment " + std::to_string(i));
      batch.SetF64(node, builtin::kRetention, 0.5);
      batch.SetI64(node, builtin::kAccessedAt, kBenchTime + i);
      batch.Link(node, builtin::kHasTag,
                 batch.IndexNode(builtin::kTag, "t" + std::to_string(i % kTags)));
      if (i > first) {
        const std::string label = "conversation " + std::to_string(i / 16);
        WriteBatch::EdgeInput edge;
        edge.source = node;
        edge.target = before;
        edge.kind = builtin::kTemporal;
        edge.label = label;
        batch.Link(edge);
      }
      before = node;
    }
    Must(graph.Apply(batch), "adding");
  }
}

void Remove(Graph& graph, const Sizes& sizes) {
  const std::uint32_t end = sizes.nodes - sizes.kept;
  for (std::uint32_t first = 0; first < end; first += kStep) {
    WriteBatch batch(kBenchTime + sizes.nodes);
    for (std::uint32_t i = first; i < std::min(first + kStep, end); ++i)
      batch.RemoveNode(batch.Node(Key(sizes, i)));
    Must(graph.Apply(batch), "removing");
  }
}

void Tell(const char* when, const Snapshot& s) {
  const metrics::GraphBytes b = metrics::MeasureBytes(s);
  const metrics::ProcessBytes process = metrics::MeasureProcess();
  const auto mb = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  std::printf(
      "  %-9s keys %6.1f strings %5.1f columns %5.1f payload refs %5.1f nodes %5.1f csr %6.1f "
      "sparse %5.1f "
      "delta %6.1f | stats total %6.1f resident %6.1f MB (freed, kept %.1f)\n",
      when, mb(b.keys), mb(b.strings), mb(b.columns), mb(b.payload_refs), mb(b.nodes), mb(b.csr),
      mb(b.sparse), mb(b.delta), mb(b.total), mb(process.resident), mb(process.allocator_free));
  std::fflush(stdout);
}

// Every removed key is still known by its id, or forgotten, and none is alive.
bool Check(const Snapshot& s, const Sizes& sizes, bool forgotten = false) {
  bool right = true;
  for (std::uint32_t i = 0; i < sizes.nodes; i += std::max(1u, sizes.nodes / 1013)) {
    const auto id = s.Find(Key(sizes, i));
    if (forgotten && i < sizes.nodes - sizes.kept) {
      right = right && !id;
      continue;
    }
    right = right && id && s.alive(*id) == (i >= sizes.nodes - sizes.kept) &&
            s.key(*id) == Key(sizes, i);
  }
  return Require(right && !s.Find("nobody"),
                 forgotten ? "removed keys are forgotten" : "removed keys keep their ids");
}

void PerNode(const Snapshot& s, const Sizes& sizes) {
  std::printf("  left: %.1f bytes a removed node (stats total)\n",
              static_cast<double>(metrics::MeasureBytes(s).total) / (sizes.nodes - sizes.kept));
}

bool InRam(const Sizes& sizes) {
  std::printf("in RAM, %u nodes, %u kept\n", sizes.nodes, sizes.kept);
  const auto graph = Graph::InMemory({});
  Add(*graph, sizes);
  Tell("added", graph->snapshot());
  Remove(*graph, sizes);
  Tell("removed", graph->snapshot());
  Must(graph->Compact(), "compacting");
  Tell("compacted", graph->snapshot());
  PerNode(graph->snapshot(), sizes);
  return Check(graph->snapshot(), sizes);
}

bool Write(const std::string& directory, const Sizes& sizes) {
  OpenOptions options;
  options.create = true;
  options.graph.durability = Durability::kBuffered;
  auto database = Must(Database::Open(directory, options), "making the database");
  std::printf("in a directory, %u nodes, %u kept\n", sizes.nodes, sizes.kept);
  Add(database->graph(), sizes);
  Tell("added", database->snapshot());
  Remove(database->graph(), sizes);
  Tell("removed", database->snapshot());
  Must(database->graph().Compact(), "compacting");
  Tell("compacted", database->snapshot());
  Must(database->Trim(database->snapshot().sequence()), "trimming");
  Tell("trimmed", database->snapshot());
  const bool right = Check(database->snapshot(), sizes);
  Must(database->Close(), "closing");
  return right;
}

bool Read(const std::string& directory, const Sizes& sizes) {
  auto database = Must(Database::Open(directory, {}), "opening");
  Tell("reopened", database->snapshot());
  PerNode(database->snapshot(), sizes);
  const bool right = Check(database->snapshot(), sizes);
  Must(database->Close(), "closing");
  return right;
}

// A trim that forgets keys as well, and what is left of that when opened again.
bool Forget(const std::string& directory, const Sizes& sizes) {
  auto database = Must(Database::Open(directory, {}), "opening");
  WriteBatch batch(kBenchTime + sizes.nodes + 1);
  batch.UpsertNode("one more");
  Must(database->graph().Apply(batch), "adding");
  Must(database->Trim(database->snapshot().sequence(), nullptr, true), "trimming");
  Must(database->graph().Compact(), "compacting");
  Tell("forgotten", database->snapshot());
  const bool right = Check(database->snapshot(), sizes, true);
  Must(database->Close(), "closing");
  database = Must(Database::Open(directory, {}), "opening");
  Tell("reopened", database->snapshot());
  PerNode(database->snapshot(), sizes);
  return Check(database->snapshot(), sizes, true) && right;
}

}  // namespace

int main(int argc, char** argv) {
  Sizes sizes;
  if (Small()) sizes = {20'000, 100};
  const char* step = nullptr;  // in a child
  const char* directory = "";
  int at = 1;
  if (argc > 3 && std::strcmp(argv[1], "--step") == 0) {
    step = argv[2];
    directory = argv[3];
    at = 4;
  }
  if (argc > at && std::strcmp(argv[at], "--random-keys") == 0) {
    sizes.random_keys = true;
    ++at;
  }
  if (argc > at) sizes.nodes = static_cast<std::uint32_t>(std::strtoul(argv[at++], nullptr, 10));
  if (argc > at) sizes.kept = static_cast<std::uint32_t>(std::strtoul(argv[at++], nullptr, 10));
  if (argc > at || sizes.nodes < 100 || sizes.kept >= sizes.nodes) {
    std::fprintf(stderr, "usage: removed [--random-keys] [NODES [KEPT]]\n");
    return 2;
  }
  if (step && std::strcmp(step, "ram") == 0) return InRam(sizes) ? 0 : 1;
  if (step && std::strcmp(step, "write") == 0) return Write(directory, sizes) ? 0 : 1;
  if (step && std::strcmp(step, "read") == 0) return Read(directory, sizes) ? 0 : 1;
  if (step && std::strcmp(step, "forget") == 0) return Forget(directory, sizes) ? 0 : 1;
  TempFolder folder("removed");
  bool right = true;
  for (const char* each : {"ram", "write", "read", "forget"}) {
    const std::string command = "'" + std::string(argv[0]) + "' --step " + each + " '" +
                                (folder / "db") + "' " +
                                (sizes.random_keys ? "--random-keys " : "") +
                                std::to_string(sizes.nodes) + " " + std::to_string(sizes.kept);
    right = std::system(command.c_str()) == 0 && right;
  }
  return right ? 0 : 1;
}
