// Stored rows first, then rows in aligned chunks; nodes point at their newest row.
#include "engine/vectors/vector_table.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "engine/error.h"

namespace plexus {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kSlabBytes = 2 * kHugePage;
constexpr std::size_t kSingleChunks = 16;  // the first chunks of a space; the others come in slabs

std::shared_ptr<float> Floats(std::size_t count) {
  auto array = std::make_shared<AlignedArray<float>>(count);
  return {array, array->data()};
}

}  // namespace

struct VectorTable::Chunks {
  std::vector<std::shared_ptr<float>> chunks;  // single, or inside a slab
  std::uint32_t rows_per_chunk = 0;
  std::uint32_t stride = 0;
  std::size_t floats() const { return std::size_t{rows_per_chunk} * stride; }  // of a chunk
  float* Row(std::uint32_t row) const {  // counted from the first that is not stored
    return chunks[row / rows_per_chunk].get() + std::size_t{row % rows_per_chunk} * stride;
  }
};

VectorTable::VectorTable(std::uint32_t dimensions)
    : dimensions_(dimensions), stride_((dimensions + 15) / 16 * 16) {
  // About 256 KiB a chunk, at least 16 rows.
  rows_per_chunk_ = std::max<std::uint32_t>(16, (std::uint32_t{1} << 16) / std::max(stride_, 1u));
  chunks_ = std::make_shared<Chunks>();
  chunks_->rows_per_chunk = rows_per_chunk_;
  chunks_->stride = stride_;
}

VectorTable::VectorTable(View view) : VectorTable(view.dimensions_) {
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
      auto tail = Floats(chunks_->floats());
      std::memcpy(tail.get(), chunks_->chunks.back().get(),
                  std::size_t{own % rows_per_chunk_} * stride_ * sizeof(float));
      chunks_->chunks.back() = std::move(tail);
    }
  }
  row_of_ = PagedArray<std::uint32_t>(std::move(view.row_of_), kNoRow);
  node_of_ = PagedArray<NodeId>(std::move(view.node_of_), kNoNode);
  ref_of_ = PagedArray<std::uint64_t>(std::move(view.ref_of_), 0);
}

VectorTable::VectorTable(std::uint32_t dimensions, std::span<const NodeId> nodes,
                         std::span<const std::uint64_t> refs)
    : VectorTable(dimensions) {
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
  if (chunks_shared_) chunks_ = std::make_shared<Chunks>(*chunks_);
  chunks_shared_ = false;
  const std::size_t floats = chunks_->floats();
  if (chunks_->chunks.size() < kSingleChunks || floats > kSlabBytes / sizeof(float) / 2)
    return chunks_->chunks.push_back(Floats(floats));
  if (slab_free_ < floats) {
    slab_ = Floats(kSlabBytes / sizeof(float));
    slab_free_ = kSlabBytes / sizeof(float);
  }
  chunks_->chunks.emplace_back(slab_, slab_.get() + (kSlabBytes / sizeof(float) - slab_free_));
  slab_free_ -= floats;
}

void VectorTable::Set(NodeId node, std::span<const float> values, PayloadRef ref) {
  PLEXUS_CHECK(values.size() == dimensions_, "a vector has its space's dimensions");
  const std::uint32_t own = row_count_ - stored_rows_;
  if (own / rows_per_chunk_ >= chunks_->chunks.size()) AddChunk();
  float* row = chunks_->Row(own);
  std::memcpy(row, values.data(), values.size_bytes());
  std::fill(row + dimensions_, row + stride_, 0.0f);
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
  return dead * stride_ * sizeof(float);
}

bool VectorTable::WorthCompacting(std::uint64_t least, std::uint64_t divisor) const {
  return dead_bytes() > std::max(least, live_ * stride_ * sizeof(float) / divisor);
}

bool VectorTable::WorthDropping(std::uint64_t least, std::uint64_t divisor) const {
  const std::uint64_t dead = row_count_ - live_, row_bytes = stride_ * sizeof(float);
  return dead * row_bytes > std::max(least, live_ * row_bytes / divisor);
}

VectorTable::View VectorTable::Publish() {
  View v;
  v.dimensions_ = dimensions_;
  v.stride_ = stride_;
  v.row_count_ = row_count_;
  v.live_ = live_;
  if (stored_rows_ != (stored_ ? stored_->rows() : 0))
    stored_ = std::make_shared<StoredVectors>(stored_rows_, dimensions_, stride_);
  v.stored_ = stored_;
  v.chunks_ = chunks_;
  chunks_shared_ = true;
  v.row_of_ = row_of_.Publish();
  v.node_of_ = node_of_.Publish();
  v.ref_of_ = ref_of_.Publish();
  return v;
}

Status VectorTable::View::Load(const PayloadStore* store) const {
  if (!stored_) return {};
  PLEXUS_TRY(stored_->Load(ref_of_, store));
  for (const StoredVectors::Damaged& bad : stored_->damaged())
    if (const NodeId node = node_of_[bad.row]; node != kNoNode)
      return Fail(bad.error.code,
                  "the vector of node " + std::to_string(node) + ": " + bad.error.message);
  return {};
}

Result<bool> VectorTable::View::Equals(NodeId node, std::string_view bytes,
                                       const PayloadStore* store) const {
  const std::uint32_t r = row_of_[node];
  if (r == kNoRow || bytes.size() != dimensions_ * sizeof(float)) return false;
  if (r < stored_rows() && !loaded()) {
    if (!store)
      return Fail(ErrorCode::kFailedPrecondition, "the vectors' payloads are not at hand");
    if (!stored_->WorthLoading()) {
      const Result<std::string> got = store->Get(ref(node));
      if (got) return *got == bytes;
      if (got.error().code == ErrorCode::kNotFound) return false;  // purged
      return std::unexpected(got.error());
    }
    PLEXUS_TRY(Load(store));
  }
  const std::span<const float> have = vector(node);
  return !have.empty() && std::memcmp(have.data(), bytes.data(), bytes.size()) == 0;
}

std::span<const float> VectorTable::View::row(std::uint32_t row) const {
  return {row < stored_rows() ? stored_->Row(row) : chunks_->Row(row - stored_rows()), dimensions_};
}

std::span<const float> VectorTable::View::rows_from(std::uint32_t first) const {
  const std::uint32_t stored = stored_rows();
  if (first < stored) return {stored_->Row(first), std::size_t{stored - first} * stride_};
  const std::uint32_t in_chunk =
      chunks_->rows_per_chunk - (first - stored) % chunks_->rows_per_chunk;
  const std::uint32_t rows = std::min(in_chunk, row_count_ - first);
  return {chunks_->Row(first - stored), std::size_t{rows} * stride_};
}

std::size_t VectorTable::View::block_count() const {
  const std::uint32_t stored = stored_rows(), own = row_count_ - stored;
  const std::size_t chunks =
      own == 0 ? 0 : (own + chunks_->rows_per_chunk - 1) / chunks_->rows_per_chunk;
  return (stored > 0) + chunks;
}

std::uint32_t VectorTable::View::BlockBegin(std::size_t i) const {
  const std::uint32_t stored = stored_rows();
  const std::size_t chunk = i - (stored > 0);
  return stored > 0 && i == 0
             ? 0
             : stored + static_cast<std::uint32_t>(chunk) * chunks_->rows_per_chunk;
}

VectorTable::Block VectorTable::View::block(std::size_t i) const {
  const std::uint32_t stored = stored_rows();
  if (stored > 0 && i == 0) return {block_rows(0), stored_};
  return {block_rows(i), chunks_->chunks[i - (stored > 0)]};
}

std::span<const float> VectorTable::View::vector(NodeId node) const {
  const std::uint32_t r = row_of_[node];
  if (r == kNoRow || (stored_ && stored_->purged(r))) return {};
  return row(r);
}

NodeId VectorTable::View::node_of_row(std::uint32_t row) const {
  return stored_ && stored_->purged(row) ? kNoNode : node_of_[row];
}

PayloadRef VectorTable::View::ref(NodeId node) const {
  const std::uint32_t r = row_of_[node];
  return PayloadRef{r == kNoRow ? 0 : ref_of_[r]};
}

std::uint64_t VectorTable::View::live_count() const {
  if (!stored_ || !stored_->loaded()) return live_;
  std::uint64_t live = live_;
  for (const std::uint32_t row : stored_->purged()) live -= node_of_[row] != kNoNode;
  return live;
}

std::uint64_t VectorTable::View::size_bytes() const {
  std::uint64_t bytes = row_of_.size_bytes() + node_of_.size_bytes() + ref_of_.size_bytes();
  if (stored_ && stored_->loaded()) bytes += stored_->size_bytes();
  return chunks_ ? bytes + chunks_->chunks.size() * chunks_->floats() * sizeof(float) : bytes;
}

std::uint64_t VectorTable::View::not_loaded_bytes() const {
  return loaded() ? 0 : stored_->size_bytes();
}

}  // namespace plexus
