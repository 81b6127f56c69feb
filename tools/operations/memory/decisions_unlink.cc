// decisions unlink: the edges from one decision to another, of one kind or of all, with their
// number.
#include <string>
#include <utility>
#include <vector>

#include "tools/operations/change.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

struct TakenEdge {
  NodeId source, target;
  EdgeKindId kind;
  StringId label;
};

// A symmetric edge leads both ways.
Result<std::vector<TakenEdge>> EdgesBetween(const Snapshot& snapshot, const Request& request) {
  PLEXUS_ASSIGN(const NodeId source, FindAliveNode(snapshot, request.Text("source")));
  PLEXUS_ASSIGN(const NodeId target, FindAliveNode(snapshot, request.Text("target")));
  PLEXUS_ASSIGN(const auto kinds, FindEdgeKinds(snapshot.schema(), request.List("kinds")));
  std::vector<TakenEdge> taken;
  snapshot.ForEachArc(Direction::kOut, source, ArcFilter::Kinds(snapshot.schema(), kinds),
                      [&](const Arc& arc) {
                        if (arc.neighbor != target) return;
                        const Edge edge = snapshot.edge(arc, source);
                        taken.push_back({edge.source, edge.target, edge.kind, edge.label});
                      });
  return taken;
}

Result<Reply> RunUnlink(Workspace& workspace, const Request& request) {
  const Snapshot snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(std::vector<TakenEdge> taken, EdgesBetween(snapshot, request));
  WriteBatch batch = MakeBatch(workspace, request);
  for (const TakenEdge& edge : taken)
    batch.Unlink(NodeRef::Id(edge.source), edge.kind, NodeRef::Id(edge.target),
                 snapshot.string(edge.label));
  PLEXUS_ASSIGN(const PreviewResult changed, ApplyOrPreview(workspace, request, batch));
  const bool dry = request.Flag("dry_run");
  std::string headline = Grouped(taken.size()) + (taken.size() == 1 ? " edge" : " edges") +
                         (dry ? " would be" : "") + " taken back\n";
  Reply reply([snapshot, dry, taken = std::move(taken),
               sequence = changed.report.sequence](ReplyWriter& json) {
    json.Field("removed", taken.size());
    json.Objects("edges", taken, [&](const TakenEdge& edge) {
      json.Node("source", snapshot, edge.source);
      json.Field("kind", std::string_view(snapshot.schema().edge_kind(edge.kind).name));
      json.Node("target", snapshot, edge.target);
      if (edge.label != 0) json.Field("label", snapshot.string(edge.label));
    });
    json.Field("sequence", sequence);
    if (dry) json.Field("dry_run", true);
  });
  reply.headline = std::move(headline);
  return reply;
}

}  // namespace

void AddDecisionsUnlink(Rows& rows) {
  rows.push_back(
      {.name = "decisions_unlink",
       .group = "Change",
       .title = "Remove edges between two decisions",
       .summary = "Remove the edges from one decision to another, and count them",
       .effect = Effect::kWrite,
       .parameters = {Text("source", "A", "the source's key").Named(Means::kKey).Positional(),
                      Text("target", "B", "the target's key").Named(Means::kKey).Positional(),
                      List("kinds", "A,B", "only these edge kinds (default: all facts)")
                          .Named(Means::kEdgeKind),
                      ExpectSequenceParameter(), DryRunParameter()},
       .reply = "removed:n, edges:[{source:k, kind:s, target:k, label?:s}], sequence:n, dry_run?:b",
       .tables = "edges: source node, kind, target node",
       .examples = {{"plexus decisions unlink --db g d3 d2",
                     "no edge leads from d3 to d2 any more"},
                    {"plexus decisions unlink --db g d3 d2 --kinds depends_on --json",
                     "d3 does not depend on d2; other edges stay"}},
       .run = RunUnlink,
       .access = ChangesGraph});
}

}  // namespace plexus::tools
