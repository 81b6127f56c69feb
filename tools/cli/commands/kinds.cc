// kinds: the named kinds of nodes and edges, with their traits.
#include <string>

#include "engine/snapshot.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"

namespace plexus::tools {
namespace {

const char* PlaneName(Plane plane) { return plane == Plane::kFact ? "fact" : "index"; }

std::uint64_t At(const std::vector<std::uint64_t>& counts, std::size_t id) {
  return id < counts.size() ? counts[id] : 0;
}

void WriteEdgeKind(JsonWriter& json, const Schema& schema, const EdgeKind& kind,
                   std::uint64_t count) {
  json.BeginObject();
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
  json.EndObject();
}

std::string Traits(const EdgeKind& kind) {
  std::string traits;
  const auto add = [&](bool has, const std::string& name) {
    if (has) traits += (traits.empty() ? "" : ", ") + name;
  };
  add(kind.symmetric, "symmetric");
  add(!kind.inverse.empty(), "inverse " + kind.inverse);
  add(kind.suppresses, "hides its target");
  add(kind.blocking, "blocks its target");
  add(kind.acyclic, "acyclic");
  add(!kind.self_loops, "no self-loops");
  return traits;
}

void WriteKinds(const Snapshot& snapshot) {
  const Schema& schema = snapshot.schema();
  JsonWriter json(Out());
  json.BeginObject();
  json.BeginArray("node_kinds");
  for (std::size_t id = 0; id < schema.node_kinds().size(); ++id) {
    const NodeKind& kind = schema.node_kinds()[id];
    if (kind.name.empty()) continue;
    json.BeginObject();
    json.Field("kind", kind.name);
    json.Field("plane", PlaneName(kind.plane));
    json.Field("count", At(snapshot.state().nodes_by_kind, id));
    json.EndObject();
  }
  json.EndArray();
  json.BeginArray("edge_kinds");
  for (std::size_t id = 0; id < schema.edge_kinds().size(); ++id) {
    const EdgeKind& kind = schema.edge_kinds()[id];
    if (!kind.name.empty())
      WriteEdgeKind(json, schema, kind, At(snapshot.state().edges_by_kind, id));
  }
  json.EndArray();
  json.EndObject();
  Out() << '\n';
}

void PrintKinds(const Snapshot& snapshot) {
  const Schema& schema = snapshot.schema();
  Table nodes, edges;
  const auto right = Table::Align::kRight;
  nodes.Column("node kind").Column("plane").Column("nodes", right);
  for (std::size_t id = 0; id < schema.node_kinds().size(); ++id) {
    const NodeKind& kind = schema.node_kinds()[id];
    if (!kind.name.empty())
      nodes.Row(
          {kind.name, PlaneName(kind.plane), Grouped(At(snapshot.state().nodes_by_kind, id))});
  }
  nodes.Print(Out());
  Out() << '\n';
  edges.Column("edge kind").Column("plane").Column("edges", right).Column("traits");
  for (std::size_t id = 0; id < schema.edge_kinds().size(); ++id) {
    const EdgeKind& kind = schema.edge_kinds()[id];
    if (!kind.name.empty())
      edges.Row({kind.name, PlaneName(kind.plane), Grouped(At(snapshot.state().edges_by_kind, id)),
                 Traits(kind)});
  }
  edges.Print(Out());
}

Result<int> RunKinds(const Globals& globals) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  if (globals.json)
    WriteKinds(session->snapshot());
  else
    PrintKinds(session->snapshot());
  return kDone;
}

}  // namespace

void AddKinds(Cli& cli) {
  cli.Add("Look", "kinds", "List node and edge kinds with their traits", RunKinds)
      .Example("plexus kinds --db g", "all kinds, built in and your own")
      .Example("plexus kinds --db g --json", "the same for a script");
}

}  // namespace plexus::tools
