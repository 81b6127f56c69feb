// decisions fold: what superseded decisions have, moved to those that replaced them.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/memory/decisions/decisions.h"
#include "algorithms/memory/visibility/visibility.h"
#include "engine/properties/properties.h"
#include "engine/vocabulary.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/memory/decision_scope.h"
#include "tools/operations/memory/kept_rules.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/json_writer.h"
#include "tools/operations/reply/node_list.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

struct MovedEdge {
  NodeId source, target;  // where it goes
  EdgeKindId kind;
  StringId label;
  bool there;  // such an edge is there already, and stays as it is
  bool kept;   // the one that is there is not valid as long: the old edge stays where it is
};
struct Difference {
  std::string name, value, into_value;  // as JSON
};
struct Fold {
  NodeId node, into;
  std::vector<MovedEdge> edges = {};
  std::vector<NodeId> tags = {};
  std::vector<Difference> differs = {};
};

// Values that say when and how a node was used, or were computed, are no news of it.
bool IsOfUse(std::string_view column) {
  constexpr std::string_view kNames[] = {"created_at", "accessed_at",    "access_count",
                                         "valid_from", "valid_until",    "salience",
                                         "scope",      "compaction_tier"};
  return std::ranges::find(kNames, column) != std::end(kNames);
}

Result<std::string> ValueOf(const Snapshot& snapshot, const std::string& name, NodeId node) {
  PLEXUS_ASSIGN(const NodeColumn column, NodeColumn::Named(snapshot, name));
  PLEXUS_ASSIGN(const NodeValue value, column.Of(snapshot, node));
  return JsonText([&](JsonWriter& json) { WriteNodeValue(json, value); });
}

// Whether one edge is valid whenever the other is.
bool Covers(const Edge& one, const Edge& other) {
  return one.valid_from <= other.valid_from &&  // kNoTime is before all
         (one.valid_until == kNoTime ||
          (other.valid_until != kNoTime && other.valid_until <= one.valid_until));
}

class Folder {
 public:
  Folder(const Workspace& workspace, const ArcFilter& moved, WriteBatch& batch)
      : snapshot_(workspace.snapshot()), among_(workspace.scope()), moved_(moved), batch_(batch) {}

  // All that are folded, each into a decision that is not.
  void Take(NodeId node, NodeId into) { into_.emplace(node, into); }

  Result<Fold> Make(NodeId node) {
    Fold fold{node, into_.at(node)};
    PLEXUS_TRY(MoveEdges(fold));
    MoveTags(fold);
    PLEXUS_TRY(Compare(fold));
    return fold;
  }

 private:
  NodeId Head(NodeId node) const {
    const auto at = into_.find(node);
    return at == into_.end() ? node : at->second;
  }

  Status MoveEdges(Fold& fold) {
    Status moved;
    snapshot_.ForEachArc(Direction::kBoth, fold.node, moved_, [&](const Arc& arc) {
      const Edge edge = snapshot_.edge(arc, fold.node);
      if (!taken_.insert({edge.source, edge.target, edge.kind, edge.label}).second) return true;
      const NodeId source = Head(edge.source), target = Head(edge.target);
      if (source == target || !snapshot_.alive(arc.neighbor)) return true;  // nothing to say of two
      if (among_ && !among_->contains(arc.neighbor)) return true;
      const auto ends = snapshot_.schema().edge_kind(edge.kind).symmetric
                            ? std::minmax(source, target)
                            : std::pair<const NodeId&, const NodeId&>(source, target);
      auto& one = made_[{ends.first, ends.second, edge.kind, edge.label}];
      if (!one) one = snapshot_.FindEdge(source, edge.kind, target, edge.label);
      const bool there = one.has_value();
      const bool kept = there && !Covers(*one, edge);
      fold.edges.push_back({source, target, edge.kind, edge.label, there, kept});
      if (there) moved = CompareEdges(fold, edge, *one);
      if (kept) return moved.has_value();
      batch_.Unlink(NodeRef::Id(edge.source), edge.kind, NodeRef::Id(edge.target),
                    snapshot_.string(edge.label));
      if (there) return moved.has_value();
      one = edge;
      moved = Link(edge, source, target);
      return moved.has_value();
    });
    return moved;
  }

  // Both values of what an edge has otherwise than the one that is there.
  Status CompareEdges(Fold& fold, const Edge& edge, const Edge& into) {
    EdgeProperties properties;
    PLEXUS_TRY(properties.Read(snapshot_, edge));
    PLEXUS_TRY(properties.Read(snapshot_, into));
    const auto values = [&](const Edge& of) {
      const auto time = [](std::int64_t at) { return at == kNoTime ? "null" : std::to_string(at); };
      std::ostringstream weight;
      JsonWriter(weight).Value(of.weight);
      const std::string* props = properties.Of(of);
      return std::array<std::string, 4>{std::move(weight).str(), time(of.valid_from),
                                        time(of.valid_until), props ? *props : "null"};
    };
    constexpr const char* kNames[] = {"weight", "valid_from", "valid_until", "props"};
    const auto value = values(edge), into_value = values(into);
    const std::string name = ShownKey(snapshot_, edge.source) + " " +
                             snapshot_.schema().edge_kind(edge.kind).name + " " +
                             ShownKey(snapshot_, edge.target) + " ";
    for (std::size_t i = 0; i < value.size(); ++i)
      if (value[i] != into_value[i])
        fold.differs.push_back({name + kNames[i], value[i], into_value[i]});
    return {};
  }

  Status Link(const Edge& edge, NodeId source, NodeId target) {
    std::string properties;
    if (edge.properties) PLEXUS_SET(properties, snapshot_.Payload(edge.properties));
    batch_.Link({.source = NodeRef::Id(source),
                 .target = NodeRef::Id(target),
                 .kind = edge.kind,
                 .label = snapshot_.string(edge.label),
                 .weight = edge.weight,
                 .created_at = edge.created_at,
                 .created_by = snapshot_.string(edge.created_by),
                 .valid_from = edge.valid_from,
                 .valid_until = edge.valid_until,
                 .properties = properties});
    return {};
  }

  void MoveTags(Fold& fold) {
    snapshot_.ForEachArc(Direction::kOut, fold.node,
                         ArcFilter::Kind(snapshot_.schema(), builtin::kHasTag),
                         [&](const Arc& arc) {
                           // One that both have is not moved, and stays.
                           if (snapshot_.FindEdge(fold.into, builtin::kHasTag, arc.neighbor))
                             return;
                           const NodeRef tag = NodeRef::Id(arc.neighbor);
                           batch_.Unlink(NodeRef::Id(fold.node), builtin::kHasTag, tag);
                           batch_.Link(NodeRef::Id(fold.into), builtin::kHasTag, tag);
                           fold.tags.push_back(arc.neighbor);
                         });
  }

  // Values that the successor has otherwise, or not at all. They stay where they are.
  Status Compare(Fold& fold) {
    std::set<std::string> names;
    for (const Column& column : snapshot_.schema().columns())
      if (!column.name.empty() && !IsOfUse(column.name)) names.insert(column.name);
    PLEXUS_ASSIGN(const std::string bytes,
                  snapshot_.PayloadOrEmpty(fold.node, NodeField::kProperties));
    PLEXUS_ASSIGN(const PropertyMap map, PropertyMap::Read(bytes));
    for (std::size_t i = 0; i < map.root().size(); ++i)
      names.insert("props." + std::string(map.root().name(i)));
    for (const std::string& name : names) {
      PLEXUS_ASSIGN(std::string value, ValueOf(snapshot_, name, fold.node));
      PLEXUS_ASSIGN(std::string into_value, ValueOf(snapshot_, name, fold.into));
      if (value != "null" && value != into_value)
        fold.differs.push_back({name, std::move(value), std::move(into_value)});
    }
    return {};
  }

  using Identity = std::tuple<NodeId, NodeId, EdgeKindId, StringId>;

  const Snapshot& snapshot_;
  const NodeSubset* among_;  // edges to other nodes are not looked at; null: all
  const ArcFilter& moved_;
  WriteBatch& batch_;
  std::unordered_map<NodeId, NodeId> into_;
  std::set<Identity> taken_;
  std::map<Identity, std::optional<Edge>> made_;  // as it is there then
};

// All facts but what says that one replaces or contradicts another: that is of the old one only.
Result<EdgeKinds> MovedKinds(const Schema& schema, const Request& request) {
  if (request.Given("kinds")) return FindEdgeKinds(schema, request.List("kinds"));
  EdgeKinds kinds = std::vector<EdgeKindId>();
  for (EdgeKindId k{}; k < schema.edge_kinds().size(); ++k) {
    const EdgeKind& kind = schema.edge_kind(k);
    if (!kind.name.empty() && kind.plane == Plane::kFact && !kind.suppresses &&
        k != builtin::kContradicts)
      kinds.push_back(k);
  }
  return kinds;
}

Result<Reply> RunDecisionsFold(Workspace& workspace, const Request& request) {
  const Snapshot snapshot = workspace.snapshot();
  NodeSubset decisions;
  PLEXUS_ASSIGN(const memory::DecisionOptions options,
                ReadDecisionOptions(workspace, request, decisions));
  PLEXUS_ASSIGN(std::vector<NodeId> nodes, FindAliveNodes(snapshot, request.List("keys")));
  PLEXUS_TRY(CheckDecisions(snapshot, decisions, nodes));
  const bool all = nodes.empty();
  if (all) nodes = decisions.ToList();
  PLEXUS_ASSIGN(const memory::SupersessionHeads heads,
                memory::HeadsOf(snapshot, workspace.now_ms(), nodes));
  PLEXUS_ASSIGN(const EdgeKinds kinds, MovedKinds(snapshot.schema(), request));
  const ArcFilter moved = ArcFilter::Kinds(snapshot.schema(), kinds);
  WriteBatch batch(workspace.now_ms());
  batch.ExpectSequence(snapshot.sequence());
  Folder folder(workspace, moved, batch);
  TimeLimit limit(options.run.budget);
  std::vector<NodeId> folded;
  for (const NodeId node : nodes) {
    if (limit.Up()) break;
    const NodeId head = heads.HeadOf(node);
    if (head == node && !all)
      return Invalid(Quoted(ShownKey(snapshot, node)),
                     " is not superseded: nothing to fold it into");
    if (head == node || !decisions.contains(head)) continue;
    folder.Take(node, head);
    folded.push_back(node);
  }
  std::vector<Fold> folds;
  for (const NodeId node : folded) {
    if (limit.Up()) break;
    PLEXUS_ASSIGN(Fold fold, folder.Make(node));
    if (!fold.edges.empty() || !fold.tags.empty() || !fold.differs.empty())
      folds.push_back(std::move(fold));
  }
  const bool apply = request.Flag("apply");
  const bool truncated = limit.was_up() || options.run.budget.Interrupted();
  Sequence sequence = snapshot.sequence();
  if (apply && truncated) PLEXUS_TRY(ApplyIf(true, true, workspace, request, batch));
  if (apply && !folds.empty()) {
    PLEXUS_ASSIGN(const PreviewResult written, ApplyOrPreview(workspace, request, batch));
    sequence = written.report.sequence;
  }
  const std::uint64_t top = request.Count("top");
  std::string closing = Truncated(truncated, "not all were looked at") + More(folds.size(), top);
  if (folds.empty()) closing += "no superseded decision has anything to move\n";
  if (!folds.empty() && !apply)
    closing += "nothing was written: " + request.Name("apply") + " moves all of it\n";
  Reply reply(
      [snapshot, sequence, apply, truncated, top, folds = std::move(folds)](ReplyWriter& json) {
        json.Field("sequence", sequence);
        json.Field("applied", apply);
        json.Field("truncated", truncated);
        json.Field("total", folds.size());
        json.Objects("results", First(folds, top), [&](const Fold& fold) {
          json.Node("key", snapshot, fold.node);
          json.Node("into", snapshot, fold.into);
          json.Objects("edges", fold.edges, [&](const MovedEdge& edge) {
            json.Node("source", snapshot, edge.source);
            json.Field("kind", std::string_view(snapshot.schema().edge_kind(edge.kind).name));
            json.Node("target", snapshot, edge.target);
            if (edge.label != 0) json.Field("label", snapshot.string(edge.label));
            json.Field("there", edge.there);
            json.Field("kept", edge.kept);
          });
          json.Nodes("tags", snapshot, fold.tags);
          json.Objects("differs", fold.differs, [&](const Difference& one) {
            json.Field("name", one.name);
            json.Key("value");
            json.Raw(one.value);
            json.Key("into_value");
            json.Raw(one.into_value);
          });
        });
      });
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace

void AddDecisionsFold(Rows& rows) {
  rows.push_back(
      {.name = "decisions_fold",
       .group = "Ask",
       .title = "Fold superseded decisions",
       .summary = "Propose to move edges and tags of superseded decisions to their successors, "
                  "with both values of what differs; an edge that is valid longer than the one "
                  "there is kept",
       .effect = Effect::kWrite,
       .parameters =
           Parameters{Optional(Repeated("keys", "KEY", "these (default: all that are superseded)")
                                   .Named(Means::kKey)
                                   .Positional()),
                      KindsParameter("edges that are moved (default: all facts but supersedes and "
                                     "contradicts)"),
                      Flag("apply", "write it; values stay where they are"), CheckParameter(),
                      TopForPeople()},
       .reply = "sequence:n, applied:b, truncated:b, total:n, results:[{key:k, into:k, "
                "edges:[{source:k, kind:s, target:k, label?:s, there:b, kept:b}], tags:[k], "
                "differs:[{name:s, value:j, into_value:j}]}]",
       .tables = "results: key key = folded, into node, tags; results/edges: source, "
                 "kind, target, there = there already, kept = kept (valid longer); "
                 "results/differs: name = differs, value = was, into_value = is now",
       .examples = {{"plexus decisions fold --db g", "what would move, and what differs"},
                    {"plexus decisions fold --db g d5 --apply --check --json",
                     "fold one, if the graph's rules allow it"}},
       .run = RunDecisionsFold,
       .access = WritesWhenApplied});
}

}  // namespace plexus::tools
