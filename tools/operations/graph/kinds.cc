// kinds: the named kinds of nodes and edges, with their traits.
#include <vector>

#include "engine/snapshot.h"
#include "engine/vectors/vector_view.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {
namespace {

void WriteEdgeKind(ReplyWriter& json, const Schema& schema, const EdgeKind& kind,
                   std::uint64_t count) {
  json.Field("kind", kind.name);
  json.Field("plane", PlaneName(kind.plane));
  json.Field("count", count);
  json.Field("symmetric", kind.symmetric);
  if (!kind.inverse.empty()) json.Field("inverse", kind.inverse);
  if (kind.suppresses) json.Field("suppresses", true);
  if (kind.blocking) json.Field("blocking", true);
  if (kind.acyclic) json.Field("acyclic", true);
  if (!kind.self_loops) json.Field("self_loops", false);
  if (kind.source_kind != kNoNodeKind)
    json.Field("source_kind", schema.node_kind(kind.source_kind).name);
  if (kind.target_kind != kNoNodeKind)
    json.Field("target_kind", schema.node_kind(kind.target_kind).name);
  if (kind.half_life_ms > 0) json.Field("half_life_ms", kind.half_life_ms);
}

// Kinds in use are before the others, each by its number.
template <class Id, class Used>
std::vector<Id> UsedFirst(std::size_t kinds, Used&& used) {
  std::vector<Id> ids;
  for (const bool first : {true, false})
    for (Id kind{}; kind < kinds; ++kind)
      if (used(kind) == first) ids.push_back(kind);
  return ids;
}

void WriteKinds(ReplyWriter& json, const Snapshot& snapshot) {
  const Schema& schema = snapshot.schema();
  json.BeginArray("node_kinds");
  for (const NodeKindId id :
       UsedFirst<NodeKindId>(schema.node_kinds().size(),
                             [&](NodeKindId kind) { return snapshot.CountNodes(kind) > 0; })) {
    const NodeKind& kind = schema.node_kind(id);
    if (kind.name.empty()) continue;
    json.BeginObject();
    json.Field("kind", kind.name);
    json.Field("plane", PlaneName(kind.plane));
    json.Field("count", snapshot.CountNodes(id));
    json.EndObject();
  }
  json.EndArray();
  json.BeginArray("edge_kinds");
  for (const EdgeKindId id :
       UsedFirst<EdgeKindId>(schema.edge_kinds().size(),
                             [&](EdgeKindId kind) { return snapshot.CountEdges(kind) > 0; })) {
    const EdgeKind& kind = schema.edge_kind(id);
    if (kind.name.empty()) continue;
    json.BeginObject();
    WriteEdgeKind(json, schema, kind, snapshot.CountEdges(id));
    json.EndObject();
  }
  json.EndArray();
  json.BeginArray("spaces");
  for (SpaceId id{}; id < schema.spaces().size(); ++id) {
    const VectorSpace& space = schema.spaces()[id];
    const VectorView* const vectors = snapshot.space(id);
    json.BeginObject();
    json.Field("space", space.name);
    json.Field("dimensions", space.dimensions);
    json.Field("metric", MetricName(space.metric));
    json.Field("prefilter", PrefilterName(space.prefilter));
    json.Field("element", VectorElementName(space.element));
    json.Field("vectors", vectors ? vectors->live_count() : 0);
    json.EndObject();
  }
  json.EndArray();
}

Result<Reply> RunKinds(Workspace& workspace, const Request&) {
  return Reply(
      [snapshot = workspace.snapshot()](ReplyWriter& json) { WriteKinds(json, snapshot); });
}

}  // namespace

void AddKinds(Rows& rows) {
  rows.push_back(
      {.name = "kinds",
       .group = "Look",
       .title = "Kinds",
       .summary = "List node and edge kinds with their traits, and vector spaces",
       .parameters = {},
       .reply = "node_kinds:[{kind:s, plane:s, count:n}], "
                "edge_kinds:[{kind:s, plane:s, count:n, symmetric:b, inverse?:s, suppresses?:b, "
                "blocking?:b, acyclic?:b, self_loops?:b, source_kind?:s, target_kind?:s, "
                "half_life_ms?:i}], "
                "spaces:[{space:s, dimensions:n, metric:s, prefilter:s, element:s, vectors:n}]",
       .tables = "edge_kinds: kind = edge kind, plane, count = edges, inverse, "
                 "symmetric, suppresses = hides its target, "
                 "blocking = blocks its target, acyclic; node_kinds: kind = node kind, "
                 "plane, count = nodes; spaces: space = vector space, dimensions, "
                 "metric, prefilter = pre-filter, element, vectors",
       .examples = {{"plexus kinds --db g", "all kinds, built in and your own"},
                    {"plexus kinds --db g --json", "the same for a script"}},
       .run = RunKinds});
}

}  // namespace plexus::tools
