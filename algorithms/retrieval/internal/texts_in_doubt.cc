// Looking at all nodes once, then at those that batches touched.
#include "algorithms/retrieval/internal/texts_in_doubt.h"

#include <algorithm>
#include <iterator>

#include "algorithms/retrieval/internal/document.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval::internal {

namespace {

ArcFilter HasTerm(const Snapshot& snapshot) {
  return ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm);
}

}  // namespace

bool TextsInDoubt::IsInDoubt(const Snapshot& snapshot, const ArcFilter& has_term, NodeId node,
                             Sequence covers, Indexed indexed) {
  if (!snapshot.alive(node)) return false;
  const bool fact = snapshot.is_fact(node);
  if (!fact && snapshot.node_kind(node) != builtin::kEvent) return false;
  const Sequence newest = NewestPart(snapshot, node, indexed.properties);
  if (newest > 0 && covers > 0) return newest > covers;
  const bool has_terms = snapshot.Degree(Direction::kOut, node, has_term) > 0;
  if (newest > 0) return !has_terms;
  if (indexed.all_keys && fact) return !has_terms && KeyMayHaveWords(snapshot.key(node));
  return has_terms;
}

std::vector<NodeId> TextsInDoubt::Of(const Snapshot& snapshot, Sequence covers,
                                     const TermOptions& terms) {
  const Indexed indexed = Indexed::Of(terms);
  const std::uint32_t variant = Variant(covers, indexed);
  const ArcFilter has_term = HasTerm(snapshot);
  const auto kept = FindDerived<TextsInDoubt>(snapshot, variant);
  // What an index that reached less far left in doubt holds all that this one does.
  const bool serves = kept && kept->covers_ <= covers;
  std::vector<NodeId> nodes;
  const auto look = [&](NodeId node) {
    if (IsInDoubt(snapshot, has_term, node, covers, indexed)) nodes.push_back(node);
  };
  if (serves)
    for (const NodeId node : kept->nodes_) look(node);
  else
    for (NodeId node = 0; node < snapshot.node_count(); ++node) look(node);
  if (serves && nodes.size() > kept->nodes_.size() / 2) return nodes;
  if (serves && kept->nodes_.empty()) return nodes;
  std::shared_ptr<TextsInDoubt> made(new TextsInDoubt(covers, indexed));
  made->nodes_ = nodes;
  ReplaceDerived<TextsInDoubt>(snapshot, std::move(made), variant);
  return nodes;
}

std::shared_ptr<const Carried> TextsInDoubt::Carry(const Snapshot& now,
                                                   const StateChanges& changes) const {
  constexpr std::size_t kMost = 1 << 16;  // They are copied with every batch.
  if (nodes_.size() > kMost) return nullptr;
  std::vector<NodeId> touched = changes.nodes;
  for (const StateChanges::Payload& p : changes.payloads)
    if (p.field == NodeField::kText || (p.field == NodeField::kProperties && indexed_.properties))
      touched.push_back(p.node);
  for (const StateChanges::Edge& e : changes.edges)
    if (e.kind == builtin::kHasTerm) touched.push_back(e.source);
  for (NodeId v = changes.first_new; v < now.node_count(); ++v) touched.push_back(v);
  std::ranges::sort(touched);
  const auto repeated = std::ranges::unique(touched);
  touched.erase(repeated.begin(), repeated.end());
  const ArcFilter has_term = HasTerm(now);
  std::shared_ptr<TextsInDoubt> made(new TextsInDoubt(covers_, indexed_));
  std::ranges::set_difference(nodes_, touched, std::back_inserter(made->nodes_));
  const auto middle = static_cast<std::ptrdiff_t>(made->nodes_.size());
  for (const NodeId node : touched)
    if (IsInDoubt(now, has_term, node, covers_, indexed_)) made->nodes_.push_back(node);
  std::ranges::inplace_merge(made->nodes_, made->nodes_.begin() + middle);
  return made;
}

std::uint64_t TextsInDoubt::size_bytes() const {
  return sizeof(*this) + nodes_.capacity() * sizeof(NodeId);
}

}  // namespace plexus::retrieval::internal
