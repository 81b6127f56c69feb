// EdgeWeigher: EdgeWeighting resolved against a snapshot's kinds; weighs one arc at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus::common_internal {

class EdgeWeigher {
 public:
  // kInvalidArgument: a kind that the schema does not have or that is named twice, a factor
  // that is negative or not finite, a negative half-life, or one without a time. Keeps `snapshot`.
  static Result<EdgeWeigher> Make(const Snapshot& snapshot, const EdgeWeighting& weights);
  // Nothing where weights count as they are stored; kInvalidArgument also where they are to be
  // weighed and do not count (`weighted` false).
  static Result<std::optional<EdgeWeigher>> MakeIfAny(const Snapshot& snapshot,
                                                      const EdgeWeighting& weights, bool weighted);

  // w'(e) of the edge that the arc represents.
  float operator()(const Arc& arc) const {
    const Kind& kind = kinds_[arc.kind];
    // Infinity times what is left after a thousand half-lives would be no number.
    double weight =
        std::min(static_cast<double>(arc.weight) * kind.factor, std::numeric_limits<double>::max());
    if (kind.rate != 0) {
      const std::int64_t born = snapshot_->created_at(arc.ref);
      // Apart as f64: the difference of two times may not fit 64 bits.
      if (born < now_)
        weight *= std::exp2((static_cast<double>(now_) - static_cast<double>(born)) * kind.rate);
    }
    return static_cast<float>(
        std::min(weight, static_cast<double>(std::numeric_limits<float>::max())));
  }

 private:
  struct Kind {
    double factor = 1;
    double rate = 0;  // -1 / half-life; 0 = does not age
  };
  const Snapshot* snapshot_ = nullptr;
  std::int64_t now_ = kNoTime;
  std::vector<Kind> kinds_;  // by id
};

}  // namespace plexus::common_internal
