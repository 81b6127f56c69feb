// Keys to ids, operations to columns; see link_arrays.h.
#include "engine/bulk/link_arrays.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "engine/resolve/batch_resolver.h"
#include "engine/vocabulary.h"

namespace plexus {

namespace {

// What a batch means by a kind: looked up where another one is named than before.
class LinkKinds {
 public:
  explicit LinkKinds(const Schema& schema) : schema_(schema) {}
  // False: the schema has no such kind.
  bool Find(const BatchResolver::LinkOp& link) {
    if (known_ && kind_ == link.kind && name_ == link.kind_name.data()) return true;
    kind_ = link.kind;
    name_ = link.kind_name.data();
    id_ = link.kind.value();
    known_ = id_ < schema_.edge_kinds().size();
    reversed_ = false;
    if (link.kind_name.empty()) return known_;
    const auto match = schema_.FindEdgeKind(link.kind_name);
    known_ = match.has_value();
    if (match) {
      id_ = match->kind.value();
      reversed_ = match->reversed;
    }
    return known_;
  }
  KindId id() const { return id_; }
  bool reversed() const { return reversed_; }

 private:
  const Schema& schema_;
  bool known_ = false, reversed_ = false;
  EdgeKindId kind_{};
  const char* name_ = nullptr;
  KindId id_ = 0;
};

bool NamesRemoved(const Snapshot& start, const WriteBatch& batch) {
  if (start.CountNodes(Plane::kFact) + start.CountNodes(Plane::kIndex) == start.node_count())
    return false;
  for (std::size_t i = 0; i < BatchResolver::NamedCount(batch); ++i) {
    const auto id =
        start.state().keys.Find(BatchResolver::Key(batch, i), BatchResolver::KeyHash(batch, i));
    if (id && !start.alive(*id)) return true;
  }
  return false;
}

}  // namespace

bool LinkArrays::Takes(const Snapshot& start, Plane plane, const WriteBatch& batch) {
  const bool facts = plane == Plane::kFact;
  if (!BatchResolver::LinksAlone(batch) || batch.edge_op_count() == 0) return false;
  const Schema& schema = start.schema();
  const auto there = [&](NodeRef node) {
    if (node.local()) return true;
    return node.index() < start.node_count() && start.alive(node.index());
  };
  const std::size_t named = BatchResolver::NamedCount(batch);
  if (facts)  // a fact's edge may end at an index node
    for (std::size_t i = 0; i < named; ++i)
      if (BatchResolver::Key(batch, i).find(kIndexSeparator) != std::string_view::npos)
        return false;
  std::vector<std::uint8_t> linked(named, 0);
  bool takes = true;
  LinkKinds kinds(schema);
  BatchResolver::ForEachLink(batch, [&](const BatchResolver::LinkOp& link) {
    if (!takes) return;
    takes = kinds.Find(link) && schema.edge_kind(EdgeKindId(kinds.id())).plane == plane;
    takes =
        takes && there(link.source) && there(link.target) &&
        (facts || (!std::isnan(link.weight) && link.label.empty() && link.created_at == kNoTime));
    if (!takes) return;
    if (link.source.local()) linked[link.source.index()] = 1;
    if (link.target.local()) linked[link.target.index()] = 1;
  });
  return takes && std::ranges::count(linked, 0) == 0 && !NamesRemoved(start, batch);
}

LinkArrays::LinkArrays(Snapshot start, Plane plane)
    : start_(std::move(start)), last_kind_(builtin::kNode.value()) {
  load_.keys = StringTable(start_.state().keys);
  load_.strings = StringTable(start_.state().strings);
  load_.plane = plane;
  load_.after = start_.sequence();
}

// A load refuses a key without the kind of an index node.
KindId LinkArrays::KindOfKey(std::string_view key) {
  const std::string_view name = key.substr(0, key.find(kIndexSeparator));
  if (name != last_name_) {
    last_name_ = name;
    last_kind_ = start_.schema().FindNodeKind(name).value_or(builtin::kNode).value();
  }
  return last_kind_;
}

void LinkArrays::Take(const WriteBatch& from) {
  constexpr std::size_t kAhead = 12;  // index lines on their way
  load_.time_ms = from.time_ms();
  const std::size_t edges = from.edge_op_count();
  const std::size_t named = BatchResolver::NamedCount(from);
  const auto prefetch = [&](std::size_t i) {
    if (i < named) load_.keys.Prefetch(BatchResolver::KeyHash(from, i));
  };
  ids_.assign(named, kNoNode);
  for (std::size_t i = 0; i < kAhead; ++i) prefetch(i);
  for (std::size_t i = 0; i < named; ++i) {
    prefetch(i + kAhead);
    const std::string_view key = BatchResolver::Key(from, i);
    const auto [id, is_new] = load_.keys.Insert(key, BatchResolver::KeyHash(from, i));
    ids_[i] = id;
    if (is_new && load_.plane == Plane::kIndex) node_kinds_.push_back(KindOfKey(key));
  }
  bool weights = false, kinds = false, labels = false, created = false;
  BatchResolver::ForEachLink(from, [&](const BatchResolver::LinkOp& link) {
    weights |= !std::isnan(link.weight);
    kinds |= link.kind != builtin::kLink || !link.kind_name.empty();
    labels |= !link.label.empty();
    created |= link.created_at != kNoTime;
  });
  LoadBatch batch;
  batch.edges = AlignedArray<NodePair>(edges);
  if (weights) batch.weights = AlignedArray<float>(edges);
  if (kinds) batch.kinds = AlignedArray<KindId>(edges);
  if (labels) batch.labels = AlignedArray<StringId>(edges);
  if (created) batch.created_at = AlignedArray<std::int64_t>(edges);
  std::size_t at = 0;
  LinkKinds kind(start_.schema());
  BatchResolver::ForEachLink(from, [&](const BatchResolver::LinkOp& link) {
    kind.Find(link);
    batch.edges[at] = {IdOf(link.source), IdOf(link.target)};
    if (kind.reversed()) std::swap(batch.edges[at].source, batch.edges[at].target);
    if (weights) batch.weights[at] = link.weight;
    if (kinds) batch.kinds[at] = kind.id();
    if (labels) batch.labels[at] = link.label.empty() ? 0 : load_.strings.Insert(link.label).id;
    if (created) batch.created_at[at] = link.created_at;
    ++at;
  });
  batch.nodes = load_.keys.size();
  load_.batches.push_back(std::move(batch));
}

EdgeLoad LinkArrays::Finish() {
  load_.node_kinds = AlignedArray<KindId>(std::span<const KindId>(node_kinds_));
  return std::move(load_);
}

}  // namespace plexus
