// The example of the README, word for word between the two marks, as a program
// that checks what it prints. A change of the public interface that would break
// users breaks here first.
// README-EXAMPLE-BEGIN
#include <cstdio>

#include "plexus/plexus.h"

// Opens (or makes) a graph directory, writes a batch, ranks what is there.
plexus::Result<double> Remember(const char* directory) {
  plexus::OpenOptions options;
  options.create = true;
  PLEXUS_ASSIGN(auto database, plexus::Database::Open(directory, options));

  plexus::WriteBatch batch(/*time_ms=*/1'700'000'000'000);
  auto engine = batch.UpsertNode("engine", plexus::builtin::kMemory);
  auto storage = batch.UpsertNode("storage", plexus::builtin::kMemory);
  auto tests = batch.UpsertNode("tests", plexus::builtin::kMemory);
  batch.Link(storage, plexus::builtin::kDependsOn, engine, 0.9f);
  batch.Link(tests, plexus::builtin::kDependsOn, storage, 0.5f);
  PLEXUS_ASSIGN(auto report, database->graph().Apply(batch));  // durable when it returns

  plexus::Snapshot snapshot = database->snapshot();  // never changes, never locks
  PLEXUS_ASSIGN(auto rank, plexus::pagerank::PageRank(snapshot));
  for (plexus::NodeId node = 0; node < snapshot.node_count(); ++node)
    std::printf("%-8s %.4f\n", std::string(snapshot.key(node)).c_str(), rank.scores[node]);
  std::printf("sequence %llu\n", static_cast<unsigned long long>(report.sequence));
  PLEXUS_TRY(database->Close());
  return rank.scores[*snapshot.Find("engine")];
}
// README-EXAMPLE-END

// Properties of a node, written and read by the library's own header alone.
plexus::Result<std::int64_t> Hits() {
  const auto graph = plexus::Graph::InMemory();
  plexus::PropertyMapBuilder made;
  made.String("tool", "search").Int("hits", 3).BeginList("scores").Double(0.5).Double(0.25).End();
  PLEXUS_ASSIGN(const std::string bytes, made.Finish());
  plexus::WriteBatch batch;
  batch.SetPayload(batch.UpsertNode("query"), plexus::NodeField::kProperties, bytes);
  PLEXUS_ASSIGN(const auto report, graph->Apply(batch));
  PLEXUS_ASSIGN(const std::string stored,
                graph->snapshot().Payload(report.ids[0], plexus::NodeField::kProperties));
  PLEXUS_ASSIGN(const auto map, plexus::PropertyMap::Read(stored));
  return map.root().Find("hits")->AsInt().value_or(0);
}

// Two edges into an empty graph at once.
plexus::Result<std::uint64_t> Loaded() {
  const std::string_view kinds[] = {"leads_to"};
  const std::uint64_t offsets[] = {0, 1, 2, 3};
  const std::uint32_t sources[] = {0, 1}, targets[] = {1, 2};
  plexus::GraphArrays arrays;
  arrays.key_bytes = "abc";
  arrays.key_offsets = offsets;
  arrays.sources = sources;
  arrays.targets = targets;
  arrays.kinds = kinds;
  const auto graph = plexus::Graph::InMemory();
  PLEXUS_ASSIGN(const auto report, plexus::LoadArrays(*graph, arrays));
  return report.edges.added;
}

int main(int argc, char** argv) {
  auto score = Remember(argc > 1 ? argv[1] : "consumer.db");
  if (!score) {
    std::fprintf(stderr, "%s\n", score.error().ToString().c_str());
    return 1;
  }
  if (Hits().value_or(0) != 3 || Loaded().value_or(0) != 2) return 1;
  return *score > 1.0 / 3 ? 0 : 1;  // what everything depends on ranks above the average
}
