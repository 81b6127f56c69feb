// What a load may hold. One pass over it, in parallel; what is wrong is looked for again, to name
// it.
#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "engine/bulk/edge_load.h"
#include "engine/bulk/stored_batch.h"
#include "engine/schema.h"
#include "engine/times.h"
#include "engine/vocabulary.h"

namespace plexus {

namespace {

constexpr float kMostWeight = std::numeric_limits<float>::max();

std::string At(const std::string& batch, std::size_t edge) {
  return batch + ", edge " + std::to_string(edge) + ": ";
}

// What an edge kind demands of the edges of a load.
enum Demand : std::uint8_t { kRefused = 1, kNoLoops = 2, kEnds = 4 };

class EdgeChecker {
 public:
  EdgeChecker(const EdgeLoad& load, const GraphState& start, const Schema& schema,
              Executor& executor)
      : load_(load), start_(start), schema_(schema), executor_(executor) {
    for (const std::uint64_t alive : start.nodes_by_kind) known_alive_ += alive;
    for (const EdgeKind& kind : schema.edge_kinds()) {
      const bool refused = kind.name.empty() || kind.plane != load.plane;
      const bool ends = kind.source_kind != kNoNodeKind || kind.target_kind != kNoNodeKind;
      demands_.push_back(static_cast<std::uint8_t>(
          (refused ? kRefused : 0) | (kind.self_loops ? 0 : kNoLoops) | (ends ? kEnds : 0)));
    }
  }

  Status Check(const LoadBatch& batch, const std::string& name) const {
    PLEXUS_TRY(CheckSizes(batch, name));
    const auto& [edges, weights, nodes] = std::tie(batch.edges, batch.weights, batch.nodes);
    std::size_t at = FirstWrong(edges.size(), executor_, [&](std::size_t i) {
      return (edges[i].source >= nodes) | (edges[i].target >= nodes);
    });
    if (at < edges.size()) {
      const bool source = edges[at].source >= nodes;
      return Invalid(At(name, at), (source ? "source " : "target "),
                     source ? edges[at].source : edges[at].target, " is no id below the ", nodes,
                     " nodes of the batches up to it");
    }
    if (known_alive_ < start_.keys.size()) {
      at = FirstWrong(edges.size(), executor_, [&](std::size_t i) {
        return Removed(edges[i].source) || Removed(edges[i].target);
      });
      if (at < edges.size()) {
        const NodeId v = Removed(edges[at].source) ? edges[at].source : edges[at].target;
        return Invalid(At(name, at), "node ", v, " is removed");
      }
    }
    at = FirstWrong(weights.size(), executor_,
                    [&](std::size_t i) { return (weights[i] < 0) | (weights[i] > kMostWeight); });
    if (at < weights.size())
      return Invalid(At(name, at), "weight ", weights[at],
                     " must be finite and >= 0, or NaN for none");
    PLEXUS_TRY(CheckKinds(batch, name));
    return CheckTimes(batch, name);
  }

 private:
  Status CheckSizes(const LoadBatch& batch, const std::string& name) const {
    const std::size_t edges = batch.edges.size();
    for (const auto& [size, what] :
         {std::pair(batch.weights.size(), "weights"), std::pair(batch.kinds.size(), "kinds"),
          std::pair(batch.labels.size(), "labels"),
          std::pair(batch.created_at.size(), "times in created_at"),
          std::pair(batch.valid_from.size(), "times in valid_from"),
          std::pair(batch.valid_until.size(), "times in valid_until")})
      if (size != 0 && size != edges)
        return Invalid(name, " has ", size, " ", what, ", but ", edges, " edges");
    return {};
  }

  Status CheckKinds(const LoadBatch& batch, const std::string& name) const {
    if (load_.plane == Plane::kIndex && batch.kinds.empty() && !batch.edges.empty())
      return Invalid(name, " of the index plane has no kinds");
    const auto& [edges, kinds] = std::tie(batch.edges, batch.kinds);
    const std::size_t at = FirstWrong(kinds.size(), executor_, [&](std::size_t i) {
      if (kinds[i] >= demands_.size()) return true;
      const std::uint8_t demands = demands_[kinds[i]];
      if ((demands & kNoLoops) && edges[i].source == edges[i].target) return true;
      return (demands & kRefused) ||
             ((demands & kEnds) && !EndsFit(schema_.edge_kind(EdgeKindId(kinds[i])), edges[i]));
    });
    if (at == kinds.size()) return {};
    return Invalid(At(name, at), WhyNot(batch, at));
  }

  Status CheckTimes(const LoadBatch& batch, const std::string& name) const {
    for (const auto& [times, what] :
         {std::pair(&batch.created_at, "created_at "), std::pair(&batch.valid_from, "valid_from "),
          std::pair(&batch.valid_until, "valid_until ")}) {
      const std::size_t at = FirstWrong(times->size(), executor_, [&](std::size_t i) {
        return (*times)[i] != kNoTime && !IsStoredTime((*times)[i]);
      });
      if (at < times->size()) return Invalid(At(name, at), what, OutOfTime((*times)[at]));
    }
    const std::size_t at = FirstWrong(batch.labels.size(), executor_, [&](std::size_t i) {
      return batch.labels[i] >= load_.strings.size();
    });
    if (at < batch.labels.size())
      return Invalid(At(name, at), "label ", batch.labels[at], " is no id of the ",
                     load_.strings.size(), " strings");
    return {};
  }

  bool EndsFit(const EdgeKind& kind, NodePair ends) const {
    return (kind.source_kind == kNoNodeKind || KindOfNode(ends.source) == kind.source_kind) &&
           (kind.target_kind == kNoNodeKind || KindOfNode(ends.target) == kind.target_kind);
  }
  // Why an edge cannot be of its kind; "": it can.
  std::string WhyNot(const LoadBatch& batch, std::size_t edge) const {
    const NodePair ends = batch.edges[edge];
    const KindId id = batch.kinds[edge];
    if (id >= schema_.edge_kinds().size() || schema_.edge_kind(EdgeKindId(id)).name.empty())
      return "unknown edge kind " + std::to_string(id);
    const EdgeKind& kind = schema_.edge_kind(EdgeKindId(id));
    const std::string of = "an edge of kind '" + kind.name + "' ";
    if (kind.plane != load_.plane)
      return of + (kind.plane == Plane::kIndex ? "is of the index plane" : "is of the fact plane");
    if (!kind.self_loops && ends.source == ends.target) return of + "cannot be a self-loop";
    for (const auto& [node, wanted, which] : {std::tuple(ends.source, kind.source_kind, "source"),
                                              std::tuple(ends.target, kind.target_kind, "target")})
      if (wanted != kNoNodeKind && KindOfNode(node) != wanted)
        return of + "wants its " + which + " to be of kind '" + schema_.node_kind(wanted).name +
               "', not '" + schema_.node_kind(KindOfNode(node)).name + "'";
    return "";
  }

  NodeKindId KindOfNode(NodeId v) const {
    const NodeId known = start_.keys.size();
    if (v < known) return NodeKindId(start_.node_kinds[v]);
    return load_.node_kinds.empty() ? builtin::kNode : NodeKindId(load_.node_kinds[v - known]);
  }
  bool Removed(NodeId v) const {
    return v < start_.keys.size() && (start_.node_flags[v] & engine_internal::kAlive) == 0;
  }

  const EdgeLoad& load_;
  const GraphState& start_;
  std::uint64_t known_alive_ = 0;  // of its nodes
  const Schema& schema_;
  Executor& executor_;
  std::vector<std::uint8_t> demands_;  // by kind
};

// `first`: the first new node.
Status CheckNodeKinds(const EdgeLoad& load, NodeId first, const Schema& schema,
                      Executor& executor) {
  const AlignedArray<KindId>& kinds = load.node_kinds;
  const bool index = load.plane == Plane::kIndex;
  if (kinds.empty() && !(index && load.keys.size() > first)) return {};
  if (kinds.size() != load.keys.size() - first)
    return Invalid("there are ", kinds.size(), " node kinds, but ", load.keys.size() - first,
                   " keys");
  const auto wrong = [&](std::size_t v) {
    if (kinds[v] >= schema.node_kinds().size()) return true;
    const NodeKind& kind = schema.node_kind(NodeKindId(kinds[v]));
    if (kind.name.empty() || kind.plane != load.plane) return true;
    if (!index) return false;
    const std::string_view key = load.keys[static_cast<NodeId>(first + v)];
    return key.substr(0, key.find(kIndexSeparator)) != kind.name;
  };
  const std::size_t at = FirstWrong(kinds.size(), executor, wrong);
  if (at == kinds.size()) return {};
  return Invalid("node ", first + at, ": node kind ", kinds[at],
                 (index ? " is not that of its key" : " is unknown or of the index plane"));
}

// `all` begin with `known`. Packed ones, which are long and slow to read, are read only where they
// were packed again since, as a hard purge does.
bool BeginWith(const StringTable::View& all, const StringTable::View& known, Executor& executor) {
  if (all.size() < known.size()) return false;
  const auto packed = [&](std::uint32_t id) { return known.packed(id) || all.packed(id); };
  const std::size_t wrong = FirstWrong(known.size(), executor, [&](std::size_t i) {
    const auto id = static_cast<std::uint32_t>(i);
    return !packed(id) && all[id] != known[id];
  });
  if (wrong != known.size() || all.SharesPacked(known)) return wrong == known.size();
  StringTable::Cursor one(all), other(known);
  for (std::uint32_t id = 0; id < known.size(); ++id)
    if (packed(id) && !all.forgotten(id) && !known.forgotten(id) && one[id] != other[id])
      return false;
  return true;
}

// New ones, from `first` on.
Status CheckStrings(const StringTable& strings, StringId first) {
  for (StringId i = first; i < strings.size(); ++i) {
    const std::string_view text = strings[i];
    if (text.empty() != (i == 0) || text.size() > Limits::kMaxStringBytes || !IsValidUtf8(text) ||
        text.find('\0') != std::string_view::npos)
      return Invalid("string ", i,
                     (i == 0 ? " is not the empty one"
                             : " is no label: at most " + std::to_string(Limits::kMaxStringBytes) +
                                   " bytes of UTF-8 without NUL"));
  }
  return {};
}

template <class T>
std::size_t Above(const AlignedArray<T>& values, std::size_t begin, std::size_t end,
                  std::size_t floor) {
  for (std::size_t i = begin; i < end; ++i)
    floor = std::max<std::size_t>(floor, std::size_t{values[i]} + 1);
  return floor;
}

}  // namespace

Status LoadedEdges::Check(const EdgeLoad& load, const GraphState& start, const Schema& schema,
                          Executor& executor) {
  const auto& batches = load.batches;
  if (batches.size() > kMaxLoadBatches)
    return Invalid("a load of ", batches.size(), " batches; the limit is ", kMaxLoadBatches);
  const StringTable::View& keys = keys_;
  if (!BeginWith(keys, start.keys, executor) || !BeginWith(strings_, start.strings, executor))
    return FailedPrecondition("the keys and strings of a load must begin with those of the graph");
  const auto key = [&](std::size_t i) { return keys[static_cast<NodeId>(first_node_ + i)]; };
  const std::size_t added = keys.size() - first_node_;
  const bool index = load.plane == Plane::kIndex;
  const std::size_t bad = FirstWrong(
      added, executor, [&](std::size_t i) { return !CheckKey(key(i), index).has_value(); });
  if (bad < added) {
    const Status why = CheckKey(key(bad), index);
    return Fail(why.error().code, "key ", first_node_ + bad, ": ", why.error().message);
  }
  PLEXUS_TRY(CheckNodeKinds(load, first_node_, schema, executor));
  PLEXUS_TRY(CheckStrings(load.strings, start.strings.size()));
  const EdgeChecker checker(load, start, schema, executor);
  NodeId before = first_node_;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const std::string name = "batch " + std::to_string(b);
    const NodeId nodes = batches[b].nodes;
    if (nodes < before || nodes > keys.size())
      return Invalid(name, " has `nodes` ", nodes, ", which must be from ", before,
                     ", of the batch before, to ", keys.size(), ", the number of keys");
    if (batches[b].stored.edges > 0) {
      if (!load.scratch) return Invalid(name, " is stored, but there is no scratch");
      PLEXUS_ASSIGN(const LoadBatch read, ReadStored(batches[b], *load.scratch));
      PLEXUS_TRY(checker.Check(read, name));
      const StoredBatch& stored = batches[b].stored;
      for (const KindId kind : stored.kinds)
        if (kind >= schema.edge_kinds().size())
          return Invalid(name, " is stored with the unknown edge kind ", kind);
      if (stored.strings > load.strings.size())
        return Invalid(name, " is stored with more labels than the ", load.strings.size(),
                       " strings");
    } else {
      PLEXUS_TRY(checker.Check(batches[b], name));
    }
    before = nodes;
  }
  if (before != keys.size())
    return Invalid("the batches name ", before, " nodes, but there are ", keys.size(), " keys");
  if (batches.empty() &&
      (!load.node_kind_definitions.empty() || !load.edge_kind_definitions.empty() ||
       strings_.size() > start.strings.size()))
    return Invalid("kinds and strings, but no batch");
  NoteKnown(load, schema, executor);
  return {};
}

// A batch defines what it is the first to use, the last one all that is left.
void LoadedEdges::NoteKnown(const EdgeLoad& load, const Schema& schema, Executor& executor) {
  const auto& batches = load.batches;
  after_.assign(batches.size(), start_);
  const auto look = [&](std::size_t b) {
    const LoadBatch& batch = batches[b];
    Known& known = after_[b];
    const std::size_t edges = batch.edges.size();
    const StoredBatch& stored = batch.stored;
    if (!stored.kinds.empty())
      known.edge_kinds = std::max<std::size_t>(known.edge_kinds, stored.kinds.back() + 1u);
    known.strings = std::max(known.strings, stored.strings);
    known.edge_kinds = Above(batch.kinds, 0, batch.kinds.empty() ? 0 : edges, known.edge_kinds);
    known.strings = static_cast<StringId>(
        Above(batch.labels, 0, batch.labels.empty() ? 0 : edges, known.strings));
    const NodeId first = b == 0 ? first_node_ : batches[b - 1].nodes;
    if (!load.node_kinds.empty())
      known.node_kinds =
          Above(load.node_kinds, first - first_node_, batch.nodes - first_node_, known.node_kinds);
  };
  RunBlocks(executor, batches.size(), look);
  for (std::size_t b = 1; b < batches.size(); ++b) {
    after_[b].strings = std::max(after_[b].strings, after_[b - 1].strings);
    after_[b].node_kinds = std::max(after_[b].node_kinds, after_[b - 1].node_kinds);
    after_[b].edge_kinds = std::max(after_[b].edge_kinds, after_[b - 1].edge_kinds);
  }
  if (!after_.empty())
    after_.back() = {strings_.size(), schema.node_kinds().size(), schema.edge_kinds().size()};
}

}  // namespace plexus
