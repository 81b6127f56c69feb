// When edges are loaded, and what its errors mean; see load_rules.h.
#include "storage/formats/pipeline/load_rules.h"

#include "engine/state.h"
#include "engine/types.h"
#include "engine/vocabulary.h"

namespace plexus::formats::internal {

bool MayLoad(const Graph& graph, const ImportOptions& options) {
  const std::string& scope = graph.options().scope;
  return (scope.empty() || scope == builtin::kDefaultScope) && options.limits.load_bytes > 0 &&
         (!options.complete || options.completes_texts_alone) && !options.position &&
         options.batch_ops <= Limits::kMaxBatchOps;
}

bool AreMany(std::uint64_t edges, const Snapshot& graph) {
  const GraphState& state = graph.state();
  std::uint64_t arcs = state.base->arc_count();
  for (const auto& run : state.runs) arcs += run->arc_count();
  return edges >= (arcs + graph.node_count()) / 10;
}

bool LoadRefused(const Graph& graph, const Error& error) {
  return !graph.read_only() &&
         (error.code == ErrorCode::kFailedPrecondition ||  // another writer came in between
          error.code == ErrorCode::kConflict ||
          error.code == ErrorCode::kInvalidArgument ||  // the general way says what
          error.code == ErrorCode::kResourceExhausted);
}

Error LoadError(const Graph& graph, Error error) {
  if (graph.read_only() && error.code != ErrorCode::kReadOnly)
    error.message +=
        "; some of it may be in: open the graph again and run the same import again to complete it";
  return error;
}

bool IsRecordError(const Graph& graph, const Error& error) {
  if (graph.read_only()) return false;
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kNotFound:
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kFailedPrecondition:
    case ErrorCode::kUnsupported:
      return true;
    default:
      return false;
  }
}

}  // namespace plexus::formats::internal
