// Live rows in a new table, then what changed since.
#include "engine/compaction/vector_compaction.h"

#include <vector>

namespace plexus {

// What is stored and not loaded stays so: the new table has its live rows first.
std::optional<VectorCompaction> VectorCompaction::Make(const VectorView& from) {
  const auto& rows = from.row_of_;
  const bool loaded = from.loaded();
  if (loaded && from.stored_ && !from.stored_->damaged().empty()) return std::nullopt;
  const std::uint32_t stored_rows = loaded ? 0 : from.stored_rows();
  std::vector<NodeId> stored;
  std::vector<std::uint64_t> refs;
  for (std::size_t node = 0; stored_rows > 0 && node < rows.size(); ++node)
    if (rows[node] < stored_rows) {
      stored.push_back(static_cast<NodeId>(node));
      refs.push_back(from.ref_of_[rows[node]]);
    }
  VectorTable table(from.layout_, stored, refs);
  for (std::size_t page = 0; page < rows.page_count(); ++page) {
    auto node = static_cast<NodeId>(page * PagedArray<std::uint32_t>::kPageSize);
    for (const std::uint32_t row : rows.page(page)) {
      if (row != kNoRow && row >= stored_rows) {
        if (loaded && from.stored_ && from.stored_->purged(row)) return std::nullopt;
        table.Set(node, from.bytes_of_row(row), PayloadRef{from.ref_of_[row]});
      }
      ++node;
    }
  }
  return VectorCompaction(std::move(table), from);
}

// Views of one table share the pages that did not change.
std::uint64_t VectorCompaction::CatchUp(const VectorView& now) {
  constexpr std::size_t kPage = PagedArray<std::uint32_t>::kPageSize;
  std::uint64_t copied = 0;
  for (std::size_t page = 0; page < now.row_of_.page_count(); ++page) {
    const std::span<const std::uint32_t> before = from_.row_of_.page(page),
                                         after = now.row_of_.page(page);
    if (before.data() == after.data() && before.size() == after.size()) continue;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const auto node = static_cast<NodeId>(page * kPage + i);
      if ((i < before.size() ? before[i] : kNoRow) == after[i]) continue;
      if (after[i] == kNoRow) {
        table_.Remove(node);
      } else {  // rows are appended with their values
        table_.Set(node, now.bytes_of_row(after[i]), PayloadRef{now.ref_of_[after[i]]});
        ++copied;
      }
    }
  }
  from_ = now;
  return copied;
}

}  // namespace plexus
