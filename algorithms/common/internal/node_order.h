// NodeOrder: alive nodes sorted by a column's values, or by kind; kept with the state.
//
// A sorted sequence in blocks of some thousand entries. A state that follows shares the blocks
// that a batch did not touch (engine/lineage.h), so the order of a live graph is always at hand.
// ScanNodes (retrieval/scan.h) is the way to query it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/arrays/paged_array.h"
#include "engine/lineage.h"
#include "engine/snapshot.h"

namespace plexus::common_internal {

class NodeOrder final : public Carried {
 public:
  static constexpr std::string_view kName = "node order";

  // `key` is less where the value is: numbers in their order, strings by StringId, kinds by
  // NodeKindId.
  struct Entry {
    std::uint64_t key = 0;
    NodeId node = 0;
    auto operator<=>(const Entry&) const = default;
  };

  // Nodes with a value. Kept or carried, else O(nodes log nodes). REQUIRES a column of the schema.
  static std::shared_ptr<const NodeOrder> OfColumn(const Snapshot& snapshot, ColumnId column);
  static std::shared_ptr<const NodeOrder> OfKinds(const Snapshot& snapshot);
  // The order of the column, or of kinds (none), if it is kept or can be carried; else null.
  static std::shared_ptr<const NodeOrder> Kept(const Snapshot& snapshot,
                                               std::optional<ColumnId> column);
  // What `OfColumn` sorts by; -0.0 is 0.0.
  static std::uint64_t KeyOf(ColumnType type, std::uint64_t bits);

  std::uint64_t size() const { return starts_.back(); }
  // Entries before `entry`. O(log).
  std::uint64_t Rank(Entry entry) const;
  // The entry of that rank. O(log). REQUIRES rank < size().
  Entry At(std::uint64_t rank) const;
  // Entries of ranks [first, last), upwards or downwards; fn(Entry) returns whether to go on.
  template <class Fn>
  void ForEach(std::uint64_t first, std::uint64_t last, bool descending, Fn&& fn) const;

  // O(changes log nodes + blocks). Null above an eighth of the entries.
  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override;
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override;

 private:
  static constexpr std::size_t kBlock = 1024;  // entries, up to twice as many
  using Block = std::vector<Entry>;

  explicit NodeOrder(std::optional<ColumnId> column) : column_(column) {}
  static std::shared_ptr<const NodeOrder> Of(const Snapshot& snapshot,
                                             std::optional<ColumnId> column);
  void Read(const Snapshot& snapshot);
  // The key of a node in the state that was read; none when it is not in the order.
  std::optional<std::uint64_t> Key(NodeId node) const;
  void Append(const Block& entries);  // in blocks, behind the others
  void Count();

  std::optional<ColumnId> column_;  // none: kinds
  ColumnType type_ = ColumnType::kI64;
  // Of the state, shared with it.
  PagedView<std::uint8_t> flags_;
  PagedView<std::uint64_t> values_;
  PagedView<KindId> kinds_;
  std::vector<std::shared_ptr<const Block>> blocks_;  // none empty
  std::vector<std::uint64_t> starts_{0};              // entries before each block, and all of them
};

template <class Fn>
void NodeOrder::ForEach(std::uint64_t first, std::uint64_t last, bool descending, Fn&& fn) const {
  if (first >= last) return;
  const std::uint64_t begin = descending ? last - 1 : first;
  std::size_t block = 0;
  {
    std::size_t most = blocks_.size();
    while (most - block > 1) {
      const std::size_t middle = (block + most) / 2;
      (starts_[middle] <= begin ? block : most) = middle;
    }
  }
  for (std::uint64_t left = last - first, at = begin - starts_[block]; left > 0; --left) {
    if (!fn((*blocks_[block])[at])) return;
    if (descending) {
      if (at == 0 && left > 1) at = blocks_[--block]->size();
      --at;
    } else if (++at == blocks_[block]->size()) {
      ++block;
      at = 0;
    }
  }
}

}  // namespace plexus::common_internal
