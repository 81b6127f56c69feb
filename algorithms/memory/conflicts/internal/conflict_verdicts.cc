// Resolve: every verdict is checked against the snapshot and against the others before anything is
// put into the batch.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/memory/internal/edge_components.h"
#include "algorithms/memory/internal/property_patch.h"
#include "algorithms/memory/visibility/visibility.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::memory {
namespace {

std::string Quoted(const Snapshot& snapshot, NodeId node) {
  return "'" + std::string(DisplayName(snapshot.key(node))) + "'";
}

bool Resolves(VerdictKind kind) { return kind >= VerdictKind::kSupersede; }
bool Chooses(VerdictKind kind) {
  return kind == VerdictKind::kSupersede || kind == VerdictKind::kDrop;
}

class Resolver {
 public:
  Resolver(const Snapshot& snapshot, const NodeSubset& visible, const ResolveOptions& options)
      : snapshot_(snapshot), visible_(visible), options_(options) {
    result_.batch.set_time_ms(options.now_ms);
  }

  Result<ResolveResult> Run(std::span<const Verdict> verdicts) {
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (Status checked = Check(verdicts[i]); !checked) return At(i, checked.error());
      if (verdicts[i].kind == VerdictKind::kDrop) dropped_.emplace(verdicts[i].removed, i);
    }
    const auto writes = [&](const Verdict& v) { return WritesEdge(v); };
    if (!options_.created_by.empty() && !verdicts.empty() && std::ranges::none_of(verdicts, writes))
      return At(0, Nowhere(verdicts[0], "who says so").error());
    for (std::size_t i = 0; i < verdicts.size(); ++i)
      for (const NodeId side : {verdicts[i].a, verdicts[i].b})
        if (const auto at = dropped_.find(side);
            at != dropped_.end() &&
            !(verdicts[i].kind == VerdictKind::kDrop && verdicts[i].removed == side))
          return At(
              i, {ErrorCode::kInvalidArgument, Quoted(snapshot_, side) + " is dropped by verdict " +
                                                   std::to_string(at->second + 1)});
    PLEXUS_TRY(CheckCycle(verdicts));
    for (std::size_t i = 0; i < verdicts.size(); ++i)
      if (Status written = Write(verdicts[i]); !written) return At(i, written.error());
    return std::move(result_);
  }

 private:
  static std::unexpected<Error> At(std::size_t index, const Error& error) {
    return Fail(error.code, "verdict " + std::to_string(index + 1) + ": " + error.message);
  }

  Status CheckSide(NodeId node) const {
    if (node >= snapshot_.node_count()) return Invalid("no node ", node);
    if (snapshot_.purged(node)) return NotFound(Quoted(snapshot_, node), " was purged");
    if (!snapshot_.alive(node)) return NotFound(Quoted(snapshot_, node), " was removed");
    if (!snapshot_.is_fact(node)) return Invalid(Quoted(snapshot_, node), " is an index node");
    return {};
  }

  Status Check(const Verdict& v) {
    PLEXUS_TRY(CheckSide(v.a));
    PLEXUS_TRY(CheckSide(v.b));
    if (v.a == v.b)
      return Invalid(Quoted(snapshot_, v.a),
                     " and itself are no pair: a memory cannot contradict itself");
    if (!pairs_.insert((std::uint64_t{std::min(v.a, v.b)} << 32) | std::max(v.a, v.b)).second)
      return Invalid(Pair(v), " are judged twice");
    if (Chooses(v.kind) && v.removed != v.a && v.removed != v.b)
      return Invalid(VerdictName(v.kind), " names neither of ", Pair(v));
    if (!v.note.empty() && !WritesEdge(v)) return Nowhere(v, "a note");
    if (!Resolves(v.kind)) return {};
    if (Open(v).empty()) return NotFound("no open conflict between ", Pair(v), Hidden(v));
    return {};
  }

  bool WritesEdge(const Verdict& v) const {
    if (v.kind == VerdictKind::kDrop) return false;
    if (v.kind == VerdictKind::kContradicts) return Open(v).empty();
    return v.kind != VerdictKind::kUnrelated || !Open(v).empty();
  }
  Status Nowhere(const Verdict& v, const char* what) const {
    return Invalid(VerdictName(v.kind), " of ", Pair(v),
                   " writes no edge: there is nothing that could hold ", what);
  }

  std::string Pair(const Verdict& v) const {
    return Quoted(snapshot_, v.a) + " and " + Quoted(snapshot_, v.b);
  }
  std::string Hidden(const Verdict& v) const {
    for (const NodeId side : {v.a, v.b})
      if (!visible_.contains(side))
        return ": " + Quoted(snapshot_, side) + " is superseded or out of its valid time";
    return "";
  }

  // The edges of the conflict; none where a side is hidden.
  std::vector<Edge> Open(const Verdict& v) const {
    std::vector<Edge> edges;
    if (!visible_.contains(v.a) || !visible_.contains(v.b)) return edges;
    const ArcFilter filter = ArcFilter::Kind(snapshot_.schema(), builtin::kContradicts)
                                 .ValidAt(snapshot_.TimeOr(options_.now_ms));
    snapshot_.ForEachArc(Direction::kOut, v.a, filter, [&](const Arc& arc) {
      if (arc.neighbor == v.b) edges.push_back(snapshot_.edge(arc, v.a));
    });
    return edges;
  }

  Status CheckCycle(std::span<const Verdict> verdicts) const {
    std::vector<std::pair<NodeId, NodeId>> arcs;
    for (const Verdict& v : verdicts)
      if (v.kind == VerdictKind::kSupersede)
        arcs.emplace_back(v.removed == v.a ? v.b : v.a, v.removed);
    std::ranges::sort(arcs);
    const internal::EdgeComponents graph = internal::ComponentsOf(arcs);
    for (const auto& [newer, older] : arcs)
      if (graph.of(newer) == graph.of(older))
        return Invalid("the verdicts supersede in a cycle through ", Quoted(snapshot_, newer),
                       " and ", Quoted(snapshot_, older));
    return {};
  }

  // A note that an ended edge does not hold is kept with the edge that is made. A conflict that is
  // open again has no resolution.
  Status Link(NodeId source, EdgeKindId kind, NodeId target, const std::string& note) {
    WriteBatch::EdgeInput edge;
    std::string properties;
    if (!note.empty() || kind == builtin::kContradicts) {
      const auto stored = snapshot_.FindEdge(source, kind, target, StringId{0});
      std::string bytes;
      if (stored && stored->properties) PLEXUS_SET(bytes, snapshot_.Payload(stored->properties));
      internal::PropertyPatch patch;
      if (!note.empty()) patch.strings.emplace_back("note", note);
      if (kind == builtin::kContradicts)
        patch.removed = {"resolution", "resolved_by", "resolved_at"};
      PLEXUS_ASSIGN(properties, internal::Patched(bytes, patch));
      edge.properties = properties;
    }
    edge.source = NodeRef::Id(source);
    edge.target = NodeRef::Id(target);
    edge.kind = kind;
    edge.valid_from = edge.valid_until = kNoTime;  // one that had ended holds again
    if (!options_.created_by.empty()) edge.created_by = options_.created_by;
    result_.batch.Link(edge);
    ++result_.linked;
    return {};
  }

  Status End(const Verdict& v) {
    internal::PropertyPatch patch;
    patch.strings.emplace_back("resolution", VerdictName(v.kind));
    if (!v.note.empty()) patch.strings.emplace_back("note", v.note);
    if (!options_.created_by.empty())
      patch.strings.emplace_back("resolved_by", options_.created_by);
    patch.ints.emplace_back("resolved_at", snapshot_.TimeOr(options_.now_ms));
    for (const Edge& edge : Open(v)) {
      std::string bytes;
      if (edge.properties) PLEXUS_SET(bytes, snapshot_.Payload(edge.properties));
      PLEXUS_ASSIGN(const std::string properties, internal::Patched(bytes, patch));
      WriteBatch::EdgeInput input;
      input.source = NodeRef::Id(edge.source);
      input.target = NodeRef::Id(edge.target);
      input.kind = edge.kind;
      input.label = snapshot_.string(edge.label);
      input.valid_until = snapshot_.TimeOr(options_.now_ms);
      input.properties = properties;
      result_.batch.Link(input);
      ++result_.ended;
    }
    return {};
  }

  Status Write(const Verdict& v) {
    for (const NodeId side : {v.a, v.b}) result_.batch.ExpectNode(NodeRef::Id(side));
    // As they are: a conflict that another writer ended, or began, is judged again.
    result_.batch.ExpectEdges(NodeRef::Id(v.a), builtin::kContradicts, snapshot_, v.a);
    switch (v.kind) {
      case VerdictKind::kAgrees:
        PLEXUS_TRY(Link(v.a, builtin::kSupports, v.b, Open(v).empty() ? v.note : ""));
        return End(v);
      case VerdictKind::kContradicts:
        return Open(v).empty() ? Link(v.a, builtin::kContradicts, v.b, v.note) : Status();
      case VerdictKind::kRefines:
        PLEXUS_TRY(Link(v.a, builtin::kRefines, v.b, Open(v).empty() ? v.note : ""));
        return End(v);
      case VerdictKind::kUnrelated:
      case VerdictKind::kKeepBoth:
        return End(v);
      case VerdictKind::kSupersede:
        return Link(v.removed == v.a ? v.b : v.a, builtin::kSupersedes, v.removed, v.note);
      case VerdictKind::kDrop:
        if (removed_.insert(v.removed).second) {
          result_.batch.RemoveNode(NodeRef::Id(v.removed));
          ++result_.removed;
        }
        return {};
    }
    return {};
  }

  const Snapshot& snapshot_;
  const NodeSubset& visible_;
  const ResolveOptions& options_;
  std::unordered_set<std::uint64_t> pairs_;
  std::unordered_map<NodeId, std::size_t> dropped_;  // the first verdict that drops it
  std::unordered_set<NodeId> removed_;
  ResolveResult result_;
};

}  // namespace

Result<ResolveResult> Resolve(const Snapshot& snapshot, std::span<const Verdict> verdicts,
                              const ResolveOptions& options) try {
  PLEXUS_ASSIGN(const auto visible, VisibleNodes(snapshot, snapshot.TimeOr(options.now_ms)));
  return Resolver(snapshot, *visible, options).Run(verdicts);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
