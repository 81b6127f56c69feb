// neighborhood: nodes and edges within a few hops, with what is left of a seed's weight there.
//
// A breadth-first search by levels. A node's decay is the best product over its shortest ways: each
// step multiplies by `forward` along an edge and by `backward` against it. Along an edge is as its
// kind is named: caused_by leads from the effect to the cause.
#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "algorithms/community/community.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

struct Reached {
  NodeId node;
  std::uint64_t hop;
  double decay;
  bool forward;  // the last step went along its edge
};

struct Around {
  std::vector<Reached> nodes;  // by hop, then by id
  std::vector<Edge> edges;     // between them; by source, kind, target
  bool truncated = false;
  std::vector<community::CommunityLayoutResult::Place> places;  // by NodeId; empty: not asked for
};

struct Search {
  const Workspace& workspace;
  ArcFilter filter;
  Direction direction;
  std::vector<EdgeKindId> turned;  // kinds that are named by their inverse names
  double forward, backward;
  Budget budget;
  std::uint64_t most_nodes;

  bool Allowed(NodeId node) const {
    return !workspace.scope() || workspace.scope()->contains(node);
  }

  // The arcs of a node that are followed; take(arc, along) may return false to stop.
  template <class Take>
  void ForEachStep(NodeId node, Take&& take) const {
    const Snapshot& snapshot = workspace.snapshot();
    const auto& traits = snapshot.schema().edge_kinds();
    bool on = true;
    for (const Direction way : {Direction::kOut, Direction::kIn}) {
      if (direction != Direction::kBoth && direction != way) continue;
      snapshot.ForEachArc(way, node, filter, [&](const Arc& arc) {
        const bool is_turned = std::ranges::find(turned, arc.kind) != turned.end();
        const bool along = traits[arc.kind].symmetric || (way == Direction::kOut) != is_turned;
        on = on && take(arc, along);
        return on;
      });
    }
  }

  Around Run(const std::vector<NodeId>& seeds, std::uint64_t hops) const {
    Around around;
    std::unordered_map<NodeId, std::size_t> places;
    const auto add = [&](NodeId node, std::uint64_t hop, double decay, bool along) {
      const auto [at, added] = places.try_emplace(node, around.nodes.size());
      if (added) {
        around.nodes.push_back({node, hop, decay, along});
        return;
      }
      Reached& known = around.nodes[at->second];
      if (known.hop != hop || decay < known.decay) return;
      known.forward = decay > known.decay ? along : known.forward || along;
      known.decay = decay;
    };
    for (const NodeId seed : seeds) add(seed, 0, 1, true);
    std::uint64_t followed = 0;
    std::size_t begin = 0;
    for (std::uint64_t hop = 0; hop < hops && !around.truncated; ++hop) {
      const std::size_t end = around.nodes.size();
      for (std::size_t i = begin; i < end && !around.truncated; ++i) {
        const Reached from = around.nodes[i];
        ForEachStep(from.node, [&](const Arc& arc, bool along) {
          if (!Allowed(arc.neighbor)) return true;
          const bool known = places.contains(arc.neighbor);
          if (followed >= budget.edges || (followed++ % 1024 == 0 && budget.Interrupted()) ||
              (!known && around.nodes.size() >= most_nodes))
            around.truncated = true;
          else
            add(arc.neighbor, hop + 1, from.decay * (along ? forward : backward), along);
          return !around.truncated;
        });
      }
      begin = end;
    }
    std::ranges::sort(around.nodes, [](const Reached& a, const Reached& b) {
      return a.hop != b.hop ? a.hop < b.hop : a.node < b.node;
    });
    AddEdges(places, around);
    return around;
  }

  // Edges that join two of the nodes, each once.
  void AddEdges(const std::unordered_map<NodeId, std::size_t>& places, Around& around) const {
    const Snapshot& snapshot = workspace.snapshot();
    std::vector<NodeId> nodes;
    for (const Reached& reached : around.nodes) nodes.push_back(reached.node);
    std::ranges::sort(nodes);
    for (const NodeId node : nodes)
      snapshot.ForEachArc(Direction::kOut, node, filter, [&](const Arc& arc) {
        if (!places.contains(arc.neighbor)) return true;
        const Edge edge = snapshot.edge(arc, node);
        if (edge.source == node) around.edges.push_back(edge);
        return true;
      });
  }
};

// Where a drawing has the nodes; nowhere, when the time was up before all had a place.
Status Place(const Workspace& workspace, const Request& request, const EdgeKinds& kinds,
             std::int64_t valid_at, const Budget& budget, Around& around) {
  std::vector<NodeId> nodes;
  for (const Reached& reached : around.nodes) nodes.push_back(reached.node);
  PLEXUS_ASSIGN(const NodeSubset subset, NodeSubset::Of(workspace.snapshot(), nodes));
  community::CommunityLayoutOptions options;
  options.seed = request.Count("seed");
  options.filter = {.kinds = kinds, .valid_at = valid_at, .subset = &subset};
  options.run = {.budget = budget, .executor = &workspace.executor()};
  options.run.budget.edges = Budget::kUnlimited;
  PLEXUS_ASSIGN(community::CommunityLayoutResult layout,
                community::CommunityLayout(workspace.snapshot(), options));
  around.truncated |= layout.truncated;
  around.places = std::move(layout.places);
  around.places.resize(workspace.snapshot().node_count());
  return {};
}

// Whole units: a tenth of the distance between two nodes.
void WritePlace(ReplyWriter& json, const community::CommunityLayoutResult::Place& place) {
  if (std::isnan(place.x)) return;
  json.Field("x", static_cast<double>(std::lround(place.x)));
  json.Field("y", static_cast<double>(std::lround(place.y)));
}

Result<Reply> RunNeighborhood(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const std::vector<NodeId> seeds, FindAliveNodes(snapshot, request.List("from")));
  PLEXUS_ASSIGN(const auto kinds, FindEdgeKinds(workspace.schema(), request.List("kinds")));
  PLEXUS_ASSIGN(const std::int64_t valid_at, workspace.ValidAt(request.Text("valid_at")));
  PLEXUS_ASSIGN(const Direction direction, AskedDirection(workspace, request));
  PLEXUS_ASSIGN(std::vector<EdgeKindId> turned,
                TurnedKinds(workspace.schema(), request.List("kinds")));
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
  ArcFilter filter = ArcFilter::Kinds(snapshot.schema(), kinds);
  if (valid_at != kNoTime) filter = filter.ValidAt(valid_at);
  const Search search{workspace,
                      filter,
                      direction,
                      std::move(turned),
                      request.Number("forward"),
                      request.Number("backward"),
                      budget,
                      request.Count("max_nodes")};
  Around around = search.Run(seeds, request.Count("hops"));
  if (request.Flag("places"))
    PLEXUS_TRY(Place(workspace, request, kinds, valid_at, budget, around));
  NoteIndexNodes(workspace.notes(), snapshot, seeds, kinds);
  std::string headline =
      Grouped(around.nodes.size()) + " nodes and " + Grouped(around.edges.size()) + " edges\n";
  const bool truncated = around.truncated;
  EdgeProperties properties;
  for (const Edge& edge : around.edges) PLEXUS_TRY(properties.Read(snapshot, edge));
  Reply reply([snapshot, around = std::move(around),
               properties = std::move(properties)](ReplyWriter& json) {
    json.Field("truncated", around.truncated);
    // A short reply is a whole graph: its edges are those between the nodes that it shows.
    const double nodes = 2 * static_cast<double>(around.nodes.size()) + 1;  // as long as two edges
    std::unordered_set<NodeId> shown;
    json.Share(nodes / (nodes + static_cast<double>(around.edges.size())));
    json.Objects("nodes", around.nodes, [&](const Reached& reached) {
      shown.insert(reached.node);
      json.Node("key", snapshot, reached.node);
      json.Field("kind", snapshot.schema().node_kind(snapshot.node_kind(reached.node)).name);
      json.Field("hop", reached.hop);
      json.Field("decay", reached.decay);
      json.Field("direction", reached.hop == 0 ? "seed" : reached.forward ? "forward" : "backward");
      if (!around.places.empty()) WritePlace(json, around.places[reached.node]);
    });
    json.Share(1);
    std::vector<Edge> between;
    for (const Edge& edge : around.edges)
      if (shown.contains(edge.source) && shown.contains(edge.target)) between.push_back(edge);
    json.Objects("edges", between,
                 [&](const Edge& edge) { WriteEdge(json, snapshot, edge, properties); });
  });
  reply.headline = std::move(headline);
  reply.closing = Truncated(truncated, "the nearest are here, more lie around them");
  return reply;
}

}  // namespace

void AddNeighborhood(Rows& rows) {
  rows.push_back(
      {.name = "neighborhood",
       .group = "Ask",
       .title = "Nodes and edges around seeds",
       .summary = "Show the nodes and edges within a few hops, with hop, direction and decay",
       .parameters =
           Parameters{
               Repeated("from", "KEY", "start here; repeatable").Named(Means::kKey).OrPositional(),
               Count("hops", "H", "at most H edges away, 0 to 16")
                   .Between(0, traversal::kMaxHops)
                   .Default(std::uint64_t{2}),
               DirectionParameter({"both", "out", "in"}, "which edges are followed"),
               Number("forward", "F",
                      "factor of the decay for a step along an edge, as its kind is named")
                   .Between(0, 1)
                   .Default(0.7),
               Number("backward", "F", "factor for a step against an edge")
                   .Between(0, 1)
                   .Default(0.4)} +
           EdgeParameters() +
           Parameters{Flag("places", "say where a drawing has each node, communities together"),
                      Count("seed", "S", "with places: the seed of the communities")
                          .Default(std::uint64_t{0}),
                      Count("max_nodes", "N", "stop at N nodes and say truncated")
                          .Between(1, 1'000'000)
                          .Default(std::uint64_t{1000}),
                      MaxEdges()},
       .reply = "truncated:b, nodes:[{key:k, kind:s, hop:n, decay:x, direction:s, x?:x, y?:x}], "
                "edges:[E]",
       .tables = "nodes: hop, decay.4, direction, key; edges: " + std::string(kEdgeColumns),
       .examples = {{"plexus neighborhood --db g --from alice --hops 2",
                     "the nodes and edges around alice"},
                    {"plexus neighborhood --db g --from m1 --from m2 --kinds supports,causes "
                     "--forward 0.9 --backward 0.5 --json",
                     "the graph around two memories, for a prompt"}},
       .run = RunNeighborhood});
}

}  // namespace plexus::tools
