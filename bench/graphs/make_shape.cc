// make_shape: writes a generated graph, or WordNet, as a file of the GAP suite.
//
//   make_shape web|grid SCALE FILE...      make_shape agent FILE...
//   make_shape wordnet DIRECTORY FILE...
//
// Files end in .sg, .wsg (weights: ArcWeight), .el or .wel; what ends in "-sym.sg", ... has
// every edge in both directions, for kernels on undirected graphs. Self-loops and
// doubles are left out.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "algorithms/common/common.h"
#include "bench/graphs/pairs.h"
#include "bench/graphs/shapes.h"
#include "bench/support.h"
#include "engine/graph.h"
#include "storage/formats/import.h"

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::bench;  // NOLINT

// Facts in the order of the database's files: words near in meaning have near ids.
PairList WordNetPairs(const std::string& directory) {
  auto graph = Graph::InMemory();
  formats::ImportOptions options;
  options.now_ms = 1'700'000'000'000;
  const formats::ImportReport report =
      Must(formats::ImportFiles(*graph, {directory}, options), directory);
  if (report.errors > 0)
    Die(directory + ": " + std::to_string(report.errors) + " records cannot be read");
  const DenseView view = Must(DenseView::Make(graph->snapshot()), "rows");
  const CsrView rows = view.out();
  PairList list;
  list.node_count = rows.node_count();
  list.pairs = AlignedArray<NodePair>(rows.arc_count());
  for (NodeId v = 0; v < rows.node_count(); ++v)
    for (std::uint32_t a = rows.offsets[v]; a < rows.offsets[v + 1]; ++a)
      list.pairs[a] = {v, rows.neighbors[a]};
  return list;
}

void Write(const PairList& list, const std::string& path) {
  const std::string stem = path.substr(0, path.rfind('.'));
  const bool weighted = path.ends_with(".wsg") || path.ends_with(".wel");
  TopologyOptions options;
  options.symmetrize = stem.ends_with("-sym");
  const Topology graph = Must(BuildTopology(list.node_count, list.span(), options), path);
  std::printf("%s: %u nodes, %llu arcs\n", path.c_str(), graph.node_count,
              static_cast<unsigned long long>(graph.arc_count()));
  if (path.ends_with(".sg") || path.ends_with(".wsg")) {
    Must(WriteSerialized(graph, path, weighted ? &ArcWeight : nullptr), path);
    return;
  }
  if (!path.ends_with(".el") && !path.ends_with(".wel"))
    Die(path + ": expected .sg, .wsg, .el or .wel");
  std::vector<NodePair> pairs;
  const CsrView rows = graph.out();
  for (NodeId v = 0; v < rows.node_count(); ++v)
    for (std::uint32_t a = rows.offsets[v]; a < rows.offsets[v + 1]; ++a)
      pairs.push_back({v, rows.neighbors[a]});
  Must(WritePairs(pairs, path, weighted ? &ArcWeight : nullptr), path);
}

int Usage() {
  std::fprintf(
      stderr,
      "usage: make_shape web|grid SCALE FILE...\n       make_shape agent FILE...\n"
      "       make_shape wordnet DIRECTORY FILE...\n"
      "FILE: .sg .wsg .el .wel; NAME-sym.sg is made symmetric. SCALE: 4 to 24, grid even.\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string shape = argc > 1 ? argv[1] : "";
  const int first_file = shape == "agent" ? 2 : 3;
  if (argc <= first_file) return Usage();
  int scale = 0;
  if (shape == "web" || shape == "grid") {
    const char* end = argv[2] + std::strlen(argv[2]);
    const auto [at, error] = std::from_chars(argv[2], end, scale);
    if (error != std::errc() || at != end || scale < 4 || scale > 24 ||
        (shape == "grid" && scale % 2))
      return Usage();
  } else if (shape != "agent" && shape != "wordnet") {
    return Usage();
  }
  const PairList list = shape == "web"     ? WebPairs(scale)
                        : shape == "grid"  ? GridPairs(scale)
                        : shape == "agent" ? AgentPairs()
                                           : WordNetPairs(argv[2]);
  for (int i = first_file; i < argc; ++i) Write(list, argv[i]);
  return 0;
}
