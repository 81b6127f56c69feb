// Sorting once, then taking out and putting in what changed.
#include "algorithms/common/internal/node_order.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "engine/state.h"

namespace plexus::common_internal {

std::uint64_t NodeOrder::KeyOf(ColumnType type, std::uint64_t bits) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  switch (type) {
    case ColumnType::kI64:
      return bits ^ kSign;
    case ColumnType::kF64:
      if (std::bit_cast<double>(bits) == 0) bits = 0;
      return bits & kSign ? ~bits : bits | kSign;
    case ColumnType::kString:
      break;
  }
  return bits;
}

void NodeOrder::Read(const Snapshot& snapshot) {
  const GraphState& state = snapshot.state();
  flags_ = state.node_flags;
  if (!column_) {
    kinds_ = state.node_kinds;
    return;
  }
  type_ = snapshot.schema().columns()[*column_].type;
  if (*column_ < state.columns.size()) values_ = state.columns[*column_];
}

std::optional<std::uint64_t> NodeOrder::Key(NodeId node) const {
  if (node >= flags_.size() || !(flags_[node] & engine_internal::kAlive)) return std::nullopt;
  if (!column_) return kinds_[node];
  if (node >= values_.size() || values_[node] == AbsentBits(type_)) return std::nullopt;
  return KeyOf(type_, values_[node]);
}

void NodeOrder::Append(const Block& entries) {
  const std::size_t pieces = std::max<std::size_t>(1, entries.size() / kBlock);
  for (std::size_t i = 0, begin = 0; i < pieces && !entries.empty(); ++i) {
    const std::size_t end = entries.size() * (i + 1) / pieces;
    blocks_.push_back(
        std::make_shared<const Block>(entries.begin() + static_cast<std::ptrdiff_t>(begin),
                                      entries.begin() + static_cast<std::ptrdiff_t>(end)));
    begin = end;
  }
}

void NodeOrder::Count() {
  starts_.assign(1, 0);
  for (const auto& block : blocks_) starts_.push_back(starts_.back() + block->size());
}

namespace {

std::uint32_t Variant(std::optional<ColumnId> column) {
  return column ? std::uint32_t{column->value()} + 1 : 0;
}

}  // namespace

std::shared_ptr<const NodeOrder> NodeOrder::Kept(const Snapshot& snapshot,
                                                 std::optional<ColumnId> column) {
  return FindDerived<NodeOrder>(snapshot, Variant(column));
}

std::shared_ptr<const NodeOrder> NodeOrder::Of(const Snapshot& snapshot,
                                               std::optional<ColumnId> column) {
  const std::uint32_t variant = Variant(column);
  if (auto known = Kept(snapshot, column)) return known;
  std::shared_ptr<NodeOrder> made(new NodeOrder(column));
  made->Read(snapshot);
  Block all;
  for (NodeId v = 0; v < snapshot.node_count(); ++v)
    if (const auto key = made->Key(v)) all.push_back({*key, v});
  std::sort(all.begin(), all.end());
  made->Append(all);
  made->Count();
  return KeepDerived<NodeOrder>(snapshot, std::move(made), variant);
}

std::shared_ptr<const NodeOrder> NodeOrder::OfColumn(const Snapshot& snapshot, ColumnId column) {
  return Of(snapshot, column);
}
std::shared_ptr<const NodeOrder> NodeOrder::OfKinds(const Snapshot& snapshot) {
  return Of(snapshot, std::nullopt);
}

std::uint64_t NodeOrder::Rank(Entry entry) const {
  // The first block whose last entry is not less.
  const auto block = std::partition_point(blocks_.begin(), blocks_.end(),
                                          [&](const auto& b) { return b->back() < entry; });
  if (block == blocks_.end()) return size();
  const auto at = std::lower_bound((*block)->begin(), (*block)->end(), entry);
  return starts_[static_cast<std::size_t>(block - blocks_.begin())] +
         static_cast<std::uint64_t>(at - (*block)->begin());
}

NodeOrder::Entry NodeOrder::At(std::uint64_t rank) const {
  const auto block = std::upper_bound(starts_.begin(), starts_.end(), rank) - starts_.begin() - 1;
  return (
      *blocks_[static_cast<std::size_t>(block)])[rank - starts_[static_cast<std::size_t>(block)]];
}

std::shared_ptr<const Carried> NodeOrder::Carry(const Snapshot& now,
                                                const StateChanges& changes) const {
  std::vector<NodeId> touched = changes.nodes;
  if (column_) {
    for (const StateChanges::Column& c : changes.columns)
      if (c.column == *column_) touched.push_back(c.node);
  }
  for (NodeId v = changes.first_new; v < now.node_count(); ++v) touched.push_back(v);
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  std::shared_ptr<NodeOrder> made(new NodeOrder(column_));
  made->Read(now);
  Block gone, come;
  for (const NodeId v : touched) {
    const auto before = Key(v), after = made->Key(v);
    if (before == after) continue;
    if (before) gone.push_back({*before, v});
    if (after) come.push_back({*after, v});
  }
  if (gone.size() + come.size() > size() / 8 + kBlock) return nullptr;
  std::sort(gone.begin(), gone.end());
  std::sort(come.begin(), come.end());

  auto out = gone.begin();
  auto in = come.begin();
  Block rest;  // of the block before, when it has become small
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = *blocks_[b];
    // Up to the next block's first entry; behind the last block there is nothing else.
    const bool last = b + 1 == blocks_.size();
    const auto out_end =
        last ? gone.end() : std::lower_bound(out, gone.end(), blocks_[b + 1]->front());
    const auto in_end =
        last ? come.end() : std::lower_bound(in, come.end(), blocks_[b + 1]->front());
    if (out == out_end && in == in_end && rest.empty()) {
      made->blocks_.push_back(blocks_[b]);
      continue;
    }
    Block kept;
    std::set_difference(block.begin(), block.end(), out, out_end, std::back_inserter(kept));
    std::merge(kept.begin(), kept.end(), in, in_end, std::back_inserter(rest));
    out = out_end;
    in = in_end;
    if (rest.size() < kBlock / 2 && !last) continue;
    made->Append(rest);
    rest.clear();
  }
  if (blocks_.empty()) made->Append(come);
  made->Count();
  return made;
}

std::uint64_t NodeOrder::size_bytes() const {
  return sizeof(*this) + size() * sizeof(Entry) + blocks_.capacity() * sizeof(blocks_[0]) +
         starts_.capacity() * sizeof(std::uint64_t);
}

}  // namespace plexus::common_internal
