// One batch for the use, one event for the evidence.
#include "algorithms/memory/recall/recall.h"

#include <algorithm>
#include <vector>

#include "engine/out_of_memory.h"
#include "engine/schema.h"
#include "engine/vocabulary.h"

namespace plexus::memory {
namespace {

// Fact kinds that say that two memories belong together.
std::vector<EdgeKindId> ReinforcedKinds(const Schema& schema) {
  std::vector<EdgeKindId> kinds;
  const auto& all = schema.edge_kinds();
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].plane == Plane::kFact && !all[k].name.empty() && !all[k].suppresses &&
        EdgeKindId(k) != builtin::kContradicts)
      kinds.push_back(EdgeKindId(k));
  return kinds;
}

// Edges from `node` to another of the memories, which are in ascending order.
void Reinforce(const Snapshot& snapshot, NodeId node, std::span<const NodeId> memories,
               const ArcFilter& filter, const ReinforcementOptions& options,
               ReinforcementResult& use) {
  constexpr std::uint64_t kEvery = 1024;
  std::uint64_t read = 0;
  snapshot.ForEachArc(Direction::kOut, node, filter, [&](const Arc& arc) {
    if (read++ == options.max_edges) {
      use.truncated = true;
      return false;
    }
    if (read % kEvery == 0 && options.run.budget.Interrupted()) {
      use.stopped = true;
      return false;
    }
    if (arc.neighbor == node || !std::ranges::binary_search(memories, arc.neighbor) ||
        !snapshot.PassesTime(arc.ref, snapshot.TimeOr(options.now_ms)))
      return true;
    const Edge edge = snapshot.edge(arc, node);
    if (edge.source != node || !(edge.weight >= 0 && edge.weight < 1)) return true;
    const auto weight =
        static_cast<float>(1 - (1 - static_cast<double>(edge.weight)) * (1 - options.reinforce));
    if (weight == edge.weight) return true;
    const std::string_view label = snapshot.string(edge.label);
    use.batch.ExpectEdge(NodeRef::Id(node), edge.kind, NodeRef::Id(edge.target), label);
    WriteBatch::EdgeInput input{};
    input.source = NodeRef::Id(node);
    input.target = NodeRef::Id(edge.target);
    input.kind = edge.kind;
    input.label = label;
    input.weight = weight;
    use.batch.Link(input);
    ++use.edges;
    return true;
  });
}

}  // namespace

Result<ReinforcementResult> ProposeReinforcement(const Snapshot& snapshot,
                                                 std::span<const NodeId> memories,
                                                 const ReinforcementOptions& options) try {
  if (!(options.reinforce >= 0 && options.reinforce <= 1))
    return Invalid("reinforcement is a number from 0 to 1");
  std::vector<NodeId> used(memories.begin(), memories.end());
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  ReinforcementResult use;
  use.batch.set_time_ms(options.now_ms);
  const ArcFilter filter = ArcFilter::Kinds(snapshot.schema(), ReinforcedKinds(snapshot.schema()));
  constexpr std::uint64_t kEvery = 256;
  for (const NodeId node : used) {
    use.stopped |= use.memories % kEvery == 0 && options.run.budget.Interrupted();
    if (use.stopped) break;
    if (node >= snapshot.node_count()) return Invalid("no node ", node);
    if (!snapshot.alive(node) || !snapshot.is_fact(node))
      return Invalid("'", DisplayName(snapshot.key(node)),
                     "' was removed or is an index node, so it cannot be used");
    const NodeRef ref = NodeRef::Id(node);
    use.batch.ExpectNode(ref);
    use.batch.AddI64(ref, builtin::kAccessCount, 1);
    const auto last = snapshot.i64(builtin::kAccessedAt, node);
    if (!last || *last < snapshot.TimeOr(options.now_ms))
      use.batch.SetI64(ref, builtin::kAccessedAt, snapshot.TimeOr(options.now_ms));
    ++use.memories;
    if (options.reinforce > 0) Reinforce(snapshot, node, used, filter, options, use);
  }
  return use;
}
PLEXUS_CATCH_NO_MEMORY

std::string PreviewOf(std::string_view text) {
  constexpr std::size_t kBytes = 160;
  std::string preview(text.substr(0, kBytes));
  if (text.size() > kBytes) {
    std::size_t end = kBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    preview.resize(end);
    preview += "...";
  }
  for (char& c : preview)
    if (c == '\n' || c == '\r') c = ' ';
  return preview;
}

}  // namespace plexus::memory
