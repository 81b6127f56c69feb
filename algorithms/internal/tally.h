// Tally: sums by label over one row, in a dense array that is swept by what was touched.
//
// A label's sum is zero until something positive is added, so the list of labels needs
// no flags and no branch. One thread at a time.
#pragma once

#include <cstddef>

#include "engine/aligned_array.h"
#include "engine/types.h"

namespace plexus::internal {

class Tally {
 public:
  // Labels are below `labels`. Keeps a larger array as it is. REQUIRES an empty tally.
  void Resize(NodeId labels) {
    if (sums_.size() >= labels) return;
    sums_ = AlignedArray<double>(labels, 0.0);
    touched_ = AlignedArray<NodeId>(std::size_t{labels} + 1);
  }

  // A row being summed. Lives in registers: writing through the Tally itself would store
  // and load the count at every arc.
  class Row {
   public:
    explicit Row(Tally& tally) : sums_(tally.sums_.data()), touched_(tally.touched_.data()) {}
    // REQUIRES weight > 0.
    void Add(NodeId label, double weight) {
      const double sum = sums_[label];
      touched_[count_] = label;
      count_ += !(sum > 0);
      sums_[label] = sum + weight;
    }
    NodeId count() const { return count_; }  // labels touched
    double sum(NodeId label) const { return sums_[label]; }
    // fn(label, sum) in the order of first touch; then the tally is empty. To be called
    // once for every Row.
    template <class Fn>
    void Drain(Fn&& fn) {
      for (NodeId i = 0; i < count_; ++i) {
        const NodeId label = touched_[i];
        const double sum = sums_[label];
        sums_[label] = 0;
        fn(label, sum);
      }
      count_ = 0;
    }

   private:
    double* sums_;
    NodeId* touched_;
    NodeId count_ = 0;
  };

 private:
  AlignedArray<double> sums_;
  AlignedArray<NodeId> touched_;
};

}  // namespace plexus::internal
