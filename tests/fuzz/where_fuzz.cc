// Fuzz target: Where expressions from anywhere. What compiles selects the same nodes with and
// without sorted orders, and its negation none of them; what does not names a place.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "algorithms/retrieval/scan.h"
#include "engine/graph.h"
#include "engine/properties/properties.h"
#include "engine/vocabulary.h"

namespace {

using namespace plexus;  // NOLINT: a program of one file

// A few nodes with everything that an expression can ask for.
const Snapshot& TheGraph() {
  static const Snapshot made = [] {
    auto graph = Graph::InMemory();
    WriteBatch batch(1000);
    batch.DefineColumn({"state", ColumnType::kString});
    for (int i = 0; i < 12; ++i) {
      const NodeRef node =
          batch.UpsertNode("n" + std::to_string(i), i % 2 ? builtin::kMemory : builtin::kConcept);
      if (i % 3) batch.SetPayload(node, NodeField::kText, i % 2 ? "a snow leopard" : "caf\xC3\xA9");
      if (i % 4) batch.SetF64(node, builtin::kTrust, (i % 5) / 4.0);
      if (i % 5) batch.SetI64(node, builtin::kCreatedAt, 1'769'817'600'000 + i);
      if (i % 2) batch.SetString(node, batch.ColumnNamed("state"), "s" + std::to_string(i % 3));
      PropertyMapBuilder map;
      map.Int("x", i).String("s", "y").Bool("b", i % 2 == 0);
      map.BeginMap("m").Double("d", 0.5 * i).End();
      if (i % 3 != 1) batch.SetPayload(node, NodeField::kProperties, *map.Finish());
      if (i % 2)
        batch.Link(node, builtin::kHasTag,
                   batch.IndexNode(builtin::kTag, "t" + std::to_string(i % 3)));
    }
    if (!graph->Apply(batch)) std::abort();
    return graph->snapshot();
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Snapshot& graph = TheGraph();
  retrieval::WhereOptions options;
  options.index_nodes = size % 2 == 0;
  options.run.executor = &SerialExecutor();
  const auto first = retrieval::EvaluateWhere(graph, text, options);
  if (!first) {
    if (first.error().code != ErrorCode::kInvalidArgument ||
        !first.error().message.starts_with("where"))
      std::abort();
    return 0;
  }
  options.make_orders = true;
  const auto second = retrieval::EvaluateWhere(graph, text, options);
  if (!second || !(second->nodes == first->nodes)) std::abort();
  const auto negated = retrieval::EvaluateWhere(graph, "not (" + std::string(text) + ")", options);
  if (negated) {  // else the limits do not leave room for it
    for (const NodeId node : negated->nodes.ToList())
      if (first->nodes.contains(node)) std::abort();
  }
  return 0;
}
