// Stored rows first, then rows in aligned chunks; nodes point at their newest row.
#include "engine/vectors/vector_table.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

#include "engine/parallel.h"
#include "engine/vectors/half.h"

namespace plexus {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kSlabBytes = 2 * kHugePage;
constexpr std::size_t kChunkBytes = std::size_t{1} << 18;
constexpr std::size_t kSingleChunks = 16;  // the first chunks of a space; the others come in slabs

std::shared_ptr<std::byte> Bytes(std::size_t count) {
  auto array = std::make_shared<AlignedArray<std::byte>>(count);
  return {array, array->data()};
}

}  // namespace

struct VectorChunks {
  std::vector<std::shared_ptr<std::byte>> chunks;  // single, or inside a slab
  std::uint32_t rows_per_chunk = 0;
  std::size_t row_bytes = 0;
  std::size_t bytes() const { return rows_per_chunk * row_bytes; }  // of a chunk
  std::byte* Row(std::uint32_t row) const {  // counted from the first that is not stored
    return chunks[row / rows_per_chunk].get() + row % rows_per_chunk * row_bytes;
  }
};

VectorTable::VectorTable(RowLayout layout) : layout_(layout) {
  // About 256 KiB a chunk, at least 16 rows.
  const std::size_t row_bytes = std::max<std::size_t>(layout.row_bytes(), 1);
  rows_per_chunk_ =
      std::max<std::uint32_t>(16, static_cast<std::uint32_t>(kChunkBytes / row_bytes));
  chunks_ = std::make_shared<VectorChunks>();
  chunks_->rows_per_chunk = rows_per_chunk_;
  chunks_->row_bytes = layout.row_bytes();
}

VectorTable::VectorTable(VectorView view) : VectorTable(view.layout_) {
  row_count_ = view.row_count_;
  stored_rows_ = view.stored_rows();
  stored_ = std::move(view.stored_);
  live_ = view.live_;
  const std::uint32_t own = row_count_ - stored_rows_;
  if (view.chunks_ && own > 0) {
    const std::size_t last = (own - 1) / rows_per_chunk_;
    const bool exclusive =
        view.chunks_.use_count() == 1 && view.chunks_->chunks[last].use_count() == 1;
    *chunks_ = *view.chunks_;
    chunks_->chunks.resize(last + 1);
    if (!exclusive && own % rows_per_chunk_) {  // never append where another may
      auto tail = Bytes(chunks_->bytes());
      std::memcpy(tail.get(), chunks_->chunks.back().get(),
                  own % rows_per_chunk_ * layout_.row_bytes());
      chunks_->chunks.back() = std::move(tail);
    }
  }
  row_of_ = PagedArray<std::uint32_t>(std::move(view.row_of_), kNoRow);
  node_of_ = PagedArray<NodeId>(std::move(view.node_of_), kNoNode);
  ref_of_ = PagedArray<std::uint64_t>(std::move(view.ref_of_), 0);
}

VectorTable::VectorTable(RowLayout layout, std::span<const NodeId> nodes,
                         std::span<const std::uint64_t> refs)
    : VectorTable(layout) {
  PLEXUS_CHECK(nodes.size() == refs.size(), "a reference for each node");
  row_count_ = stored_rows_ = static_cast<std::uint32_t>(nodes.size());
  live_ = row_count_;
  if (nodes.empty()) return;
  AlignedArray<std::uint32_t> rows(std::size_t{nodes.back()} + 1, kNoRow);
  for (std::uint32_t row = 0; row < row_count_; ++row) rows[nodes[row]] = row;
  row_of_.Append(rows.span());
  node_of_.Append(nodes);
  ref_of_.Append(refs);
}

VectorTable::~VectorTable() = default;
VectorTable::VectorTable(VectorTable&&) noexcept = default;
VectorTable& VectorTable::operator=(VectorTable&&) noexcept = default;

void VectorTable::AddChunk() {
  if (chunks_shared_) chunks_ = std::make_shared<VectorChunks>(*chunks_);
  chunks_shared_ = false;
  const std::size_t bytes = chunks_->bytes();
  if (chunks_->chunks.size() < kSingleChunks || bytes > kSlabBytes / 2)
    return chunks_->chunks.push_back(Bytes(bytes));
  if (slab_free_ < bytes) {
    slab_ = Bytes(kSlabBytes);
    slab_free_ = kSlabBytes;
  }
  chunks_->chunks.emplace_back(slab_, slab_.get() + (kSlabBytes - slab_free_));
  slab_free_ -= bytes;
}

void VectorTable::Set(NodeId node, std::string_view values, PayloadRef ref) {
  PLEXUS_CHECK(values.size() == layout_.vector_bytes(), "a vector has its space's dimensions");
  const std::uint32_t own = row_count_ - stored_rows_;
  if (own / rows_per_chunk_ >= chunks_->chunks.size()) AddChunk();
  std::byte* const row = chunks_->Row(own);
  std::memcpy(row, values.data(), values.size());
  std::memset(row + values.size(), 0, layout_.row_bytes() - values.size());
  Point(node, ref);
}

void VectorTable::SetStored(NodeId node, PayloadRef ref) {
  PLEXUS_CHECK(all_stored(), "stored rows come first");
  ++stored_rows_;
  Point(node, ref);
}

void VectorTable::Point(NodeId node, PayloadRef ref) {
  if (std::uint32_t old = row_of_[node]; old != kNoRow)
    node_of_.Set(old, kNoNode);
  else
    ++live_;
  node_of_.Set(row_count_, node);
  row_of_.Set(node, row_count_);
  ref_of_.Set(row_count_, ref.bits);
  ++row_count_;
}

void VectorTable::Remove(NodeId node) {
  std::uint32_t old = row_of_[node];
  if (old == kNoRow) return;
  node_of_.Set(old, kNoNode);
  row_of_.Set(node, kNoRow);
  --live_;
}

std::uint64_t VectorTable::dead_bytes() const {
  std::uint64_t dead = row_count_ - live_;
  if (stored_ && !stored_->loaded())
    dead = std::min<std::uint64_t>(dead, row_count_ - stored_rows_);
  return dead * layout_.row_bytes();
}

bool VectorTable::WorthCompacting(std::uint64_t least, std::uint64_t divisor) const {
  return dead_bytes() > std::max(least, live_ * layout_.row_bytes() / divisor);
}

bool VectorTable::WorthDropping(std::uint64_t least, std::uint64_t divisor) const {
  const std::uint64_t dead = row_count_ - live_, row_bytes = layout_.row_bytes();
  return dead * row_bytes > std::max(least, live_ * row_bytes / divisor);
}

VectorView VectorTable::Publish() {
  VectorView v;
  v.layout_ = layout_;
  v.row_count_ = row_count_;
  v.live_ = live_;
  if (stored_rows_ != (stored_ ? stored_->rows() : 0))
    stored_ = std::make_shared<StoredVectors>(stored_rows_, layout_);
  v.stored_ = stored_;
  v.chunks_ = chunks_;
  chunks_shared_ = true;
  v.row_of_ = row_of_.Publish();
  v.node_of_ = node_of_.Publish();
  v.ref_of_ = ref_of_.Publish();
  return v;
}

bool VectorView::loaded() const { return !stored_ || stored_->loaded(); }
std::uint32_t VectorView::stored_rows() const { return stored_ ? stored_->rows() : 0; }
bool VectorView::Purged(std::uint32_t row) const { return stored_->purged(row); }

Status VectorView::Load(const PayloadStore* store) const {
  if (!stored_) return {};
  PLEXUS_TRY(stored_->Load(ref_of_, store));
  for (const StoredVectors::Damaged& bad : stored_->damaged())
    if (const NodeId node = node_of_[bad.row]; node != kNoNode)
      return Fail(bad.error.code,
                  "the vector of node " + std::to_string(node) + ": " + bad.error.message);
  return {};
}

Result<bool> VectorView::Equals(NodeId node, std::string_view bytes,
                                const PayloadStore* store) const {
  const std::uint32_t r = row_of_[node];
  if (r == kNoRow || bytes.size() != layout_.vector_bytes()) return false;
  if (r < stored_rows() && !loaded()) {
    if (!store) return FailedPrecondition("the vectors' payloads are not at hand");
    if (!stored_->WorthLoading()) {
      const Result<std::string> got = store->Get(ref(node));
      if (got) return *got == bytes;
      if (got.error().code == ErrorCode::kNotFound) return false;  // purged
      return std::unexpected(got.error());
    }
    PLEXUS_TRY(Load(store));
  }
  return this->bytes(node) == bytes;
}

const std::byte* VectorView::Place(std::uint32_t row) const {
  const std::uint32_t stored = stored_rows();
  return row < stored ? stored_->Row(row) : chunks_->Row(row - stored);
}

std::string_view VectorView::bytes_of_row(std::uint32_t row) const {
  return {reinterpret_cast<const char*>(Place(row)), layout_.vector_bytes()};
}

std::span<const float> VectorView::row(std::uint32_t row, VectorBuffer& buffer) const {
  const std::byte* const values = Place(row);
  if (layout_.element == VectorElement::kF32)
    return {reinterpret_cast<const float*>(values), layout_.dimensions};
  float* const decoded = buffer.Room(layout_.stride());
  DecodeRow(layout_, values, decoded);
  return {decoded, layout_.dimensions};
}

VectorView::Stretch VectorView::rows_from(std::uint32_t first) const {
  const std::uint32_t stored = stored_rows();
  if (first < stored) return {Place(first), stored - first};
  const std::uint32_t in_chunk =
      chunks_->rows_per_chunk - (first - stored) % chunks_->rows_per_chunk;
  return {Place(first), std::min(in_chunk, row_count_ - first)};
}

std::size_t VectorView::block_count() const {
  const std::uint32_t stored = stored_rows(), own = row_count_ - stored;
  const std::size_t chunks =
      own == 0 ? 0 : (own + chunks_->rows_per_chunk - 1) / chunks_->rows_per_chunk;
  return (stored > 0) + chunks;
}

VectorView::Block VectorView::block(std::size_t i) const {
  const std::uint32_t stored = stored_rows();
  if (stored > 0 && i == 0) return {rows_from(0), stored_};
  const std::size_t chunk = i - (stored > 0);
  const auto before = static_cast<std::uint32_t>(chunk) * chunks_->rows_per_chunk;
  return {rows_from(stored + before), chunks_->chunks[chunk]};
}

std::uint32_t VectorView::RowOf(NodeId node) const {
  const std::uint32_t r = row_of_[node];
  return r == kNoRow || (stored_ && stored_->purged(r)) ? kNoRow : r;
}

std::span<const float> VectorView::vector(NodeId node, VectorBuffer& buffer) const {
  const std::uint32_t r = RowOf(node);
  return r == kNoRow ? std::span<const float>() : row(r, buffer);
}

std::string_view VectorView::bytes(NodeId node) const {
  const std::uint32_t r = RowOf(node);
  return r == kNoRow ? std::string_view() : bytes_of_row(r);
}

NodeId VectorView::node_of_row(std::uint32_t row) const {
  return stored_ && stored_->purged(row) ? kNoNode : node_of_[row];
}

PayloadRef VectorView::ref(NodeId node) const {
  const std::uint32_t r = row_of_[node];
  return PayloadRef{r == kNoRow ? 0 : ref_of_[r]};
}

std::uint64_t VectorView::live_count() const {
  if (!stored_ || !stored_->loaded()) return live_;
  std::uint64_t live = live_;
  for (const std::uint32_t row : stored_->purged()) live -= node_of_[row] != kNoNode;
  return live;
}

std::uint64_t VectorView::size_bytes() const {
  std::uint64_t bytes = row_of_.size_bytes() + node_of_.size_bytes() + ref_of_.size_bytes();
  if (stored_ && stored_->loaded()) bytes += stored_->size_bytes();
  return chunks_ ? bytes + chunks_->chunks.size() * chunks_->bytes() : bytes;
}

std::uint64_t VectorView::not_loaded_bytes() const { return loaded() ? 0 : stored_->size_bytes(); }

// --- Loops over values, in both forms.

namespace {

// An exponent of ones: infinite or NaN.
template <class Bits>
bool NoneHasAll(Bits exponent, const void* values, std::size_t count) {
  bool bad = false;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, static_cast<const char*>(values) + i * sizeof bits, sizeof bits);
    bad |= (bits & exponent) == exponent;
  }
  return !bad;
}

}  // namespace

bool AllFinite(const RowLayout& layout, const void* values) {
  return layout.element == VectorElement::kF16
             ? NoneHasAll<std::uint16_t>(0x7C00u, values, layout.dimensions)
             : NoneHasAll<std::uint32_t>(0x7F800000u, values, layout.dimensions);
}

void DecodeRow(const RowLayout& layout, const std::byte* row, float* values) {
  const auto* const halves = reinterpret_cast<const std::uint16_t*>(row);
  for (std::size_t i = 0; i < layout.stride(); ++i) values[i] = FloatFromHalf(halves[i]);
}

std::string RoundedToHalves(std::string_view floats) {
  const std::size_t count = floats.size() / sizeof(float);
  std::string halves(count * sizeof(std::uint16_t), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    float value;
    std::memcpy(&value, floats.data() + i * sizeof value, sizeof value);
    const std::uint16_t half = HalfFromFloat(value);
    std::memcpy(halves.data() + i * sizeof half, &half, sizeof half);
  }
  return halves;
}

// --- Rows sorted by reference, cut into blocks, each read by one pass over the store.

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
    std::ranges::sort(damaged, {}, &Damaged::row);
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
