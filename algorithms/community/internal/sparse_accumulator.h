// SparseAccumulator: sums by label over one row, in a dense array that is swept by what was
// touched.
//
// A label's sum is zero until something positive is added, so the list of labels needs
// no flags and no branch. Weighted rows sum in f64, 12 bytes a label with the list; rows
// whose weights are all 1 are counted, 8 bytes a label. One thread at a time.
// Rows of a few arcs are summed in a list instead (SmallAccumulator): comparing them with each
// other costs less than one line of the array from beyond the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/arrays/aligned_array.h"
#include "engine/types.h"

namespace plexus::community::internal {

class SparseAccumulator {
 public:
  // Room for labels below `labels` in rows of that kind, and only of that. Keeps a larger
  // array as it is. REQUIRES an empty accumulator.
  template <bool kUnit>
  void Resize(NodeId labels) {
    if constexpr (kUnit)
      Grow(counts_, labels);
    else
      Grow(sums_, labels);
    if (touched_.size() <= labels) {
      touched_ = AlignedArray<NodeId>();
      touched_ = AlignedArray<NodeId>(std::size_t{labels} + 1);
    }
  }
  std::size_t bytes() const {
    return sums_.size() * sizeof(double) + counts_.size() * sizeof(std::uint32_t) +
           touched_.size() * sizeof(NodeId);
  }

  // A row being summed or counted. Lives in registers: writing through the SparseAccumulator itself
  // would store and load the count at every arc. REQUIRES room made for this kind.
  template <bool kUnit>
  class Row {
   public:
    using Sum = std::conditional_t<kUnit, std::uint32_t, double>;
    explicit Row(SparseAccumulator& accumulator) : touched_(accumulator.touched_.data()) {
      if constexpr (kUnit)
        sums_ = accumulator.counts_.data();
      else
        sums_ = accumulator.sums_.data();
    }
    // REQUIRES weight > 0; 1 when kUnit, and fewer than 2^32 of a label.
    void Add(NodeId label, Sum weight) {
      const Sum sum = sums_[label];
      touched_[count_] = label;
      count_ += !(sum > 0);
      sums_[label] = sum + weight;
    }
    NodeId count() const { return count_; }  // labels touched
    double sum(NodeId label) const { return static_cast<double>(sums_[label]); }
    // fn(label, sum) in the order of first touch; then the accumulator is empty. To be called once
    // for every Row.
    template <class Fn>
    void ForEachAndClear(Fn&& fn) {
      for (NodeId i = 0; i < count_; ++i) {
        const NodeId label = touched_[i];
        const Sum sum = sums_[label];
        sums_[label] = 0;
        fn(label, static_cast<double>(sum));
      }
      count_ = 0;
    }

   private:
    Sum* sums_ = nullptr;
    NodeId* touched_;
    NodeId count_ = 0;
  };

 private:
  template <class T>
  static void Grow(AlignedArray<T>& array, NodeId labels) {
    if (array.size() >= labels) return;
    array = AlignedArray<T>();  // free before taking again
    array = AlignedArray<T>(labels, T{});
  }

  AlignedArray<double> sums_;
  AlignedArray<std::uint32_t> counts_;
  AlignedArray<NodeId> touched_;
};

// A row of at most kMaxArcs arcs; else as SparseAccumulator::Row.
template <bool kUnit>
class SmallAccumulator {
 public:
  static constexpr std::uint64_t kMaxArcs = 8;
  using Sum = SparseAccumulator::Row<kUnit>::Sum;
  void Add(NodeId label, Sum weight) {
    for (NodeId i = 0; i < count_; ++i)
      if (labels_[i] == label) {
        sums_[i] += weight;
        return;
      }
    labels_[count_] = label;
    sums_[count_++] = weight;
  }
  NodeId count() const { return count_; }
  double sum(NodeId label) const {
    for (NodeId i = 0; i < count_; ++i)
      if (labels_[i] == label) return static_cast<double>(sums_[i]);
    return 0;
  }
  template <class Fn>
  void ForEachAndClear(Fn&& fn) const {
    for (NodeId i = 0; i < count_; ++i) fn(labels_[i], static_cast<double>(sums_[i]));
  }

 private:
  NodeId count_ = 0;
  NodeId labels_[kMaxArcs];
  Sum sums_[kMaxArcs];
};

// fn(row) with an empty row for at most `arcs` calls of Add.
template <bool kUnit, class Fn>
decltype(auto) WithRow(SparseAccumulator& accumulator, std::uint64_t arcs, Fn&& fn) {
  if (arcs <= SmallAccumulator<kUnit>::kMaxArcs) {
    SmallAccumulator<kUnit> row;
    return fn(row);
  }
  SparseAccumulator::Row<kUnit> row(accumulator);
  return fn(row);
}

}  // namespace plexus::community::internal
