// Rows of vectors in aligned chunks; nodes point at their newest row.
#include "engine/vector_table.h"

#include <algorithm>
#include <cstring>

#include "engine/error.h"

namespace plexus {

struct VectorTable::Chunks {
  std::vector<std::shared_ptr<AlignedArray<float>>> chunks;
  std::uint32_t rows_per_chunk = 0;
  std::uint32_t stride = 0;
  float* Row(std::uint32_t row) const {
    return chunks[row / rows_per_chunk]->data() +
           std::size_t{row % rows_per_chunk} * stride;
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
  live_ = view.live_;
  if (view.chunks_ && row_count_ > 0) {
    const std::size_t last = (row_count_ - 1) / rows_per_chunk_;
    const bool exclusive =
        view.chunks_.use_count() == 1 && view.chunks_->chunks[last].use_count() == 1;
    *chunks_ = *view.chunks_;
    chunks_->chunks.resize(last + 1);
    if (!exclusive && row_count_ % rows_per_chunk_) {  // never append where another may
      auto tail = std::make_shared<AlignedArray<float>>(chunks_->chunks.back()->size());
      std::memcpy(tail->data(), chunks_->chunks.back()->data(),
                  std::size_t{row_count_ % rows_per_chunk_} * stride_ * sizeof(float));
      chunks_->chunks.back() = std::move(tail);
    }
  }
  row_of_ = PagedArray<std::uint32_t>(std::move(view.row_of_), kNoRow);
  node_of_ = PagedArray<NodeId>(std::move(view.node_of_), kNoNode);
  ref_of_ = PagedArray<std::uint64_t>(std::move(view.ref_of_), 0);
}

VectorTable::~VectorTable() = default;
VectorTable::VectorTable(VectorTable&&) noexcept = default;
VectorTable& VectorTable::operator=(VectorTable&&) noexcept = default;

void VectorTable::Set(NodeId node, std::span<const float> values, PayloadRef ref) {
  PLEXUS_CHECK(values.size() == dimensions_, "a vector has its space's dimensions");
  if (row_count_ / rows_per_chunk_ >= chunks_->chunks.size()) {
    if (chunks_shared_) chunks_ = std::make_shared<Chunks>(*chunks_);
    chunks_shared_ = false;
    chunks_->chunks.push_back(
        std::make_shared<AlignedArray<float>>(std::size_t{rows_per_chunk_} * stride_));
  }
  float* row = chunks_->Row(row_count_);
  std::memcpy(row, values.data(), values.size_bytes());
  std::fill(row + dimensions_, row + stride_, 0.0f);
  if (std::uint32_t old = row_of_[node]; old != kNoRow)
    node_of_.Set(old, kNoNode);
  else
    ++live_;
  node_of_.Set(row_count_, node);
  row_of_.Set(node, row_count_);
  ref_of_.Set(node, ref.bits);
  ++row_count_;
}

void VectorTable::Remove(NodeId node) {
  std::uint32_t old = row_of_[node];
  if (old == kNoRow) return;
  node_of_.Set(old, kNoNode);
  row_of_.Set(node, kNoRow);
  ref_of_.Set(node, 0);
  --live_;
}

VectorTable::View VectorTable::Publish() {
  View v;
  v.dimensions_ = dimensions_;
  v.stride_ = stride_;
  v.row_count_ = row_count_;
  v.live_ = live_;
  v.chunks_ = chunks_;
  chunks_shared_ = true;
  v.row_of_ = row_of_.Publish();
  v.node_of_ = node_of_.Publish();
  v.ref_of_ = ref_of_.Publish();
  return v;
}

std::span<const float> VectorTable::View::row(std::uint32_t row) const {
  return {chunks_->Row(row), dimensions_};
}

std::span<const float> VectorTable::View::rows_from(std::uint32_t first) const {
  const std::uint32_t in_chunk = chunks_->rows_per_chunk - first % chunks_->rows_per_chunk;
  const std::uint32_t rows = std::min(in_chunk, row_count_ - first);
  return {chunks_->Row(first), std::size_t{rows} * stride_};
}

std::span<const float> VectorTable::View::vector(NodeId node) const {
  std::uint32_t r = row_of_[node];
  return r == kNoRow ? std::span<const float>() : row(r);
}

NodeId VectorTable::View::node_of_row(std::uint32_t row) const { return node_of_[row]; }
PayloadRef VectorTable::View::ref(NodeId node) const { return PayloadRef{ref_of_[node]}; }

std::uint64_t VectorTable::View::size_bytes() const {
  std::uint64_t bytes = row_of_.size_bytes() + node_of_.size_bytes() + ref_of_.size_bytes();
  if (chunks_)
    for (const auto& c : chunks_->chunks) bytes += c->size_bytes();
  return bytes;
}

}  // namespace plexus
