// Rows sorted by reference, cut into blocks, each read by one pass over the store.
#include "engine/vectors/vector_table.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "engine/parallel.h"

namespace plexus {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

}  // namespace

struct StoredVectors::Block {
  std::span<const PayloadRef> refs;     // ascending
  std::span<const std::uint32_t> rows;  // of the refs
  std::vector<std::uint32_t> purged;
  std::vector<Damaged> damaged;
  Status status;
};

bool StoredVectors::IsPurged(std::uint32_t row) const {
  return std::binary_search(purged_.begin(), purged_.end(), row);
}

void StoredVectors::Fill(const PayloadStore& store, Block& block, std::byte* values) const {
  const std::size_t bytes = layout_.vector_bytes(), row_bytes = layout_.row_bytes();
  auto take = [&](std::size_t i, Result<std::string_view> found) {
    const std::uint32_t row = block.rows[i];
    std::byte* const to = values + row * row_bytes;
    auto damaged = [&](const std::string& what) {
      const PayloadRef ref = block.refs[i];
      return Error{ErrorCode::kCorruption, "payload (" + std::to_string(ref.sequence()) + ", " +
                                               std::to_string(ref.ordinal()) + "): " + what};
    };
    if (found && found->size() == bytes) {
      std::memcpy(to, found->data(), bytes);
      std::memset(to + bytes, 0, row_bytes - bytes);
      if (AllFinite(layout_, to)) return;
      block.damaged.push_back({row, damaged("a vector with a value that is not finite")});
    } else if (found) {
      block.damaged.push_back({row, damaged("a vector of " + std::to_string(found->size()) +
                                            " bytes, not " + std::to_string(bytes))});
    } else if (found.error().code == ErrorCode::kNotFound) {
      block.purged.push_back(row);
    } else {
      block.damaged.push_back({row, std::move(found.error())});
    }
    std::memset(to, 0, row_bytes);
  };
  try {
    block.status = store.GetEach(block.refs, take);
  } catch (const std::bad_alloc&) {
    block.status = Exhausted("not enough memory to read vectors");
  }
}

Status StoredVectors::Load(const Refs& refs_of_rows, const PayloadStore* store) {
  if (loaded() || rows_ == 0) return {};
  MutexLock lock(mutex_);
  if (loaded()) return {};
  if (!store) return FailedPrecondition("the vectors' payloads are not at hand");
  try {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order(rows_);
    for (std::uint32_t row = 0; row < rows_; ++row) order[row] = {refs_of_rows[row], row};
    if (!std::is_sorted(order.begin(), order.end())) std::sort(order.begin(), order.end());
    std::vector<PayloadRef> refs(rows_);
    std::vector<std::uint32_t> rows(rows_);
    for (std::uint32_t i = 0; i < rows_; ++i) {
      refs[i].bits = order[i].first;
      rows[i] = order[i].second;
    }
    order = {};
    AlignedArray<std::byte> values(size_bytes());
    const std::size_t grain = std::max<std::size_t>(64, kBlockBytes / layout_.row_bytes());
    std::vector<Block> blocks((rows_ + grain - 1) / grain);
    auto task = [&](std::size_t b) {
      const std::size_t begin = b * grain, count = std::min<std::size_t>(grain, rows_ - begin);
      blocks[b].refs = std::span<const PayloadRef>(refs).subspan(begin, count);
      blocks[b].rows = std::span<const std::uint32_t>(rows).subspan(begin, count);
      Fill(*store, blocks[b], values.data());
    };
    // Under a lock: never waits for a thread that has not begun.
    RunWithHelpers(DefaultExecutor(), blocks.size(), BlockTask(task), [] { return true; });
    std::vector<std::uint32_t> purged;
    std::vector<Damaged> damaged;
    for (Block& block : blocks) {
      PLEXUS_TRY(block.status);
      purged.insert(purged.end(), block.purged.begin(), block.purged.end());
      std::move(block.damaged.begin(), block.damaged.end(), std::back_inserter(damaged));
    }
    std::sort(purged.begin(), purged.end());
    std::sort(damaged.begin(), damaged.end(),
              [](const auto& a, const auto& b) { return a.row < b.row; });
    array_ = std::move(values);
    purged_ = std::move(purged);
    damaged_ = std::move(damaged);
  } catch (const std::bad_alloc&) {
    return Exhausted("not enough memory for vectors of ", size_bytes(), " bytes");
  }
  values_.store(array_.data(), std::memory_order_release);
  return {};
}

}  // namespace plexus
