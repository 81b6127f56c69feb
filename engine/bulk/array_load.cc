// Flat arrays to an EdgeLoad: lengths and positions are checked, kinds get their ids.
#include "engine/bulk/load.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/bulk/edge_load.h"
#include "engine/out_of_memory.h"
#include "engine/parallel.h"
#include "engine/schema.h"
#include "engine/vocabulary.h"

namespace plexus {

namespace {

constexpr std::size_t kBatchEdges = std::size_t{1} << 20;

// Numbers as keys, which get ids as they are named.
class Numbers {
 public:
  explicit Numbers(std::uint32_t most, std::size_t edges) {
    if (most < 8 * edges + 65536) dense_.resize(std::size_t{most} + 1, kNoNode);
  }
  NodeId IdOf(std::uint32_t number) {
    NodeId& id =
        dense_.empty() ? sparse_.try_emplace(number, kNoNode).first->second : dense_[number];
    if (id == kNoNode) {
      id = count_++;
      char text[10];
      bytes_.append(text, std::to_chars(text, text + sizeof text, number).ptr);
      offsets_.push_back(bytes_.size());
    }
    return id;
  }
  NodeId count() const { return count_; }
  void MoveTo(StringTable& keys) const { (void)keys.AppendAll(offsets_, bytes_); }

 private:
  std::vector<NodeId> dense_;
  std::unordered_map<std::uint32_t, NodeId> sparse_;
  NodeId count_ = 0;
  std::string bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
};

// Whether all positions are below `count`.
template <class T>
Status CheckBelow(std::span<const T> positions, std::size_t count, const char* name,
                  const char* what, Executor& executor) {
  const std::size_t at =
      FirstWrong(positions.size(), executor, [&](std::size_t i) { return positions[i] >= count; });
  if (at == positions.size()) return {};
  return Invalid(name, "[", at, "] is ", positions[at], ", but there are ", count, " ", what);
}

class Converter {
 public:
  Converter(const GraphArrays& arrays, Executor& executor) : from_(arrays), executor_(executor) {}
  Result<EdgeLoad> Convert() {
    PLEXUS_TRY(CheckSizes());
    PLEXUS_TRY(CheckPositions());
    PLEXUS_TRY(TakeKinds());
    PLEXUS_TRY(TakeKeys());
    load_.time_ms = from_.time_ms;
    const std::size_t edges = from_.sources.size();
    load_.batches.resize(
        std::max<std::size_t>((edges + kBatchEdges - 1) / kBatchEdges, keys() > 0));
    const auto take = [&](std::size_t b) { TakeEdges(load_.batches[b], b * kBatchEdges); };
    RunBlocks(executor_, load_.batches.size(), take);
    if (!keyed()) {
      NameNumbers();
    } else {
      NodeId nodes = 0;
      for (LoadBatch& batch : load_.batches) batch.nodes = nodes = std::max(nodes, batch.nodes);
      if (!load_.batches.empty()) load_.batches.back().nodes = static_cast<NodeId>(keys());
    }
    TurnReversed();
    if (load_.batches.empty()) {  // nothing to define kinds with
      load_.edge_kind_definitions.clear();
      load_.node_kind_definitions.clear();
    }
    return std::move(load_);
  }

 private:
  Status CheckSizes() const {
    const std::size_t edges = from_.sources.size();
    for (const auto& [size, name] :
         {std::pair(from_.targets.size(), "targets"), std::pair(from_.weights.size(), "weights"),
          std::pair(from_.kind_of.size(), "kind_of"),
          std::pair(from_.created_at.size(), "created_at"),
          std::pair(from_.valid_from.size(), "valid_from"),
          std::pair(from_.valid_until.size(), "valid_until")})
      if (size != edges && (size != 0 || std::string_view(name) == "targets"))
        return Invalid(name, " has ", size, " values, sources ", edges);
    if (!from_.node_kind_of.empty() && from_.node_kind_of.size() != keys())
      return Invalid("node_kind_of has ", from_.node_kind_of.size(), " values, but there are ",
                     keys(), " keys");
    if (edges > kBatchEdges * kMaxLoadBatches || keys() > Limits::kMaxNodes)
      return Exhausted("too many edges or keys to load at once");
    const auto& offsets = from_.key_offsets;
    if (keyed() && (offsets.front() != 0 || offsets.back() != from_.key_bytes.size() ||
                    !std::ranges::is_sorted(offsets)))
      return Invalid("key_offsets do not ascend from 0 to the size of key_bytes");
    return {};
  }

  Status CheckPositions() const {
    if (keyed()) {
      PLEXUS_TRY(CheckBelow(from_.sources, keys(), "sources", "keys", executor_));
      PLEXUS_TRY(CheckBelow(from_.targets, keys(), "targets", "keys", executor_));
    }
    PLEXUS_TRY(CheckBelow(from_.kind_of, from_.kinds.size(), "kind_of", "kinds", executor_));
    return CheckBelow(from_.node_kind_of, from_.node_kinds.size(), "node_kind_of", "node kinds",
                      executor_);
  }

  Status TakeKeys() {
    if (!keyed()) return {};
    const auto key = [&](std::size_t i) {
      const std::uint64_t begin = from_.key_offsets[i];
      return from_.key_bytes.substr(begin, from_.key_offsets[i + 1] - begin);
    };
    for (std::size_t i = 0; i < keys(); ++i) {  // a table takes no longer ones
      if (key(i).size() <= Limits::kMaxKeyBytes) continue;
      const Status why = CheckKey(key(i), false);
      return Fail(why.error().code, "key " + std::to_string(i) + ": " + why.error().message);
    }
    if (load_.keys.AppendAll(from_.key_offsets, from_.key_bytes)) return {};
    StringTable table;
    for (std::size_t i = 0; i < keys(); ++i) {
      const auto inserted = table.Insert(key(i));
      if (!inserted.is_new) return Invalid("keys ", inserted.id, " and ", i, " are the same");
    }
    return Invalid("two keys are the same");
  }

  Status TakeKinds() {
    Schema schema;
    for (const std::string_view name : from_.kinds) {
      auto match = schema.FindEdgeKind(name);
      if (!match) {
        EdgeKind kind;
        kind.name = name;
        PLEXUS_ASSIGN(const EdgeKindId id, schema.Define(kind));
        load_.edge_kind_definitions.push_back(std::move(kind));
        match = Schema::EdgeKindMatch{id, false};
      }
      kinds_.push_back(*match);
      link_alone_ &= match->kind == builtin::kLink;
      any_reversed_ |= match->reversed;
    }
    std::vector<KindId> of_nodes;
    for (const std::string_view name : from_.node_kinds) {
      auto id = schema.FindNodeKind(name);
      if (!id) {
        NodeKind kind;
        kind.name = name;
        PLEXUS_ASSIGN(id, schema.Define(kind));
        load_.node_kind_definitions.push_back(std::move(kind));
      }
      of_nodes.push_back(id->value());
    }
    load_.node_kinds = AlignedArray<KindId>(from_.node_kind_of.size());
    for (std::size_t v = 0; v < from_.node_kind_of.size(); ++v)
      load_.node_kinds[v] = of_nodes[from_.node_kind_of[v]];
    return {};
  }

  // All but the ids of numbers.
  void TakeEdges(LoadBatch& batch, std::size_t first) const {
    const std::size_t size = std::min(kBatchEdges, from_.sources.size() - first);
    batch.edges = AlignedArray<NodePair>(size);
    for (std::size_t i = 0; i < size; ++i)
      batch.edges[i] = {from_.sources[first + i], from_.targets[first + i]};
    const auto copy = [&]<class T>(std::span<const T> all, AlignedArray<T>& to) {
      if (!all.empty()) to = AlignedArray<T>(all.subspan(first, size));
    };
    copy(from_.weights, batch.weights);
    copy(from_.created_at, batch.created_at);
    copy(from_.valid_from, batch.valid_from);
    copy(from_.valid_until, batch.valid_until);
    if (!link_alone_) {
      batch.kinds = AlignedArray<KindId>(size);
      for (std::size_t i = 0; i < size; ++i) batch.kinds[i] = KindOf(first + i).kind.value();
    }
    if (!keyed()) return;
    for (const NodePair& e : batch.edges)
      batch.nodes = std::max({batch.nodes, e.source + 1, e.target + 1});
  }

  void NameNumbers() {
    const auto most = [&](std::span<const std::uint32_t> all) {
      return all.empty() ? 0 : *std::ranges::max_element(all);
    };
    Numbers numbers(std::max(most(from_.sources), most(from_.targets)), from_.sources.size());
    for (LoadBatch& batch : load_.batches) {
      for (NodePair& e : batch.edges) {
        const NodeId source = numbers.IdOf(e.source);  // it may be named first here
        e = {source, numbers.IdOf(e.target)};
      }
      batch.nodes = numbers.count();
    }
    numbers.MoveTo(load_.keys);
  }

  void TurnReversed() {
    if (!any_reversed_) return;
    ParallelFor(executor_, load_.batches.size(), 1, [&](std::size_t b, std::size_t) {
      AlignedArray<NodePair>& edges = load_.batches[b].edges;
      for (std::size_t i = 0; i < edges.size(); ++i)
        if (KindOf(b * kBatchEdges + i).reversed) std::swap(edges[i].source, edges[i].target);
    });
  }

  const Schema::EdgeKindMatch& KindOf(std::size_t edge) const {
    return kinds_[from_.kind_of.empty() ? 0 : from_.kind_of[edge]];
  }
  bool keyed() const { return !from_.key_offsets.empty(); }
  std::size_t keys() const { return keyed() ? from_.key_offsets.size() - 1 : 0; }

  const GraphArrays& from_;
  Executor& executor_;
  std::vector<Schema::EdgeKindMatch> kinds_;
  bool link_alone_ = true, any_reversed_ = false;
  EdgeLoad load_;
};

}  // namespace

Result<ApplyReport> LoadArrays(Graph& graph, const GraphArrays& arrays, const ApplyOptions& options,
                               Progress* progress) try {
  Executor* executor = graph.options().executor;
  PLEXUS_ASSIGN(EdgeLoad load,
                Converter(arrays, executor ? *executor : DefaultExecutor()).Convert());
  if (graph.snapshot().sequence() != 0)
    return FailedPrecondition("only an empty graph can be loaded from arrays");
  return graph.Load(std::move(load), options, progress);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
