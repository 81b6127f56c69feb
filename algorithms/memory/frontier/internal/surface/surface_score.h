// The score of the surface lens: exact numbers of a pair or set, and bounds above them.
//
//   score = anchor + band + 2 bridge + 1.5 novelty + trust + adjustment + weight x structural fit
// where anchor, band and bridge are means over the pairs of a set. Everything but these three is at
// most a sum over the members: `potential`. So no set of m members scores more than the mean over
// its pairs of worth(x, y) = anchor + band + 2 bridge + potential(x) + potential(y), and a pair's
// worth is bounded by what its signatures have in common.
// Private to algorithms/memory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/frontier/internal/surface/surface_pool.h"

namespace plexus::memory::internal {

inline constexpr double kLeastPairScore = 1.6;
inline constexpr double kBridgeWeight = 2, kNoveltyWeight = 1.5;
inline constexpr double kTagAnchor = 0.45, kTermAnchor = 0.25;
// Of the bridge: how far the tags are apart, types that differ, boundary tags (4 and more count
// whole), terms and tags that are shared.
inline constexpr double kTagDistance = 0.30, kTypesDiffer = 0.20, kBoundaries = 0.25,
                        kTermsShared = 0.15, kTagsShared = 0.10;
inline constexpr std::uint32_t kMostAnchorTerms = 5;

struct PairParts {
  SharedCounts shared;
  std::optional<double> cosine;  // in the band
  double anchor = 0, band = 0, bridge = 0;
  bool tied() const { return shared.tied() || cosine.has_value(); }
};

struct SetNumbers {
  double score = 0;
  double anchor = 0, band = 0, bridge = 0, novelty = 0, adjustment = 0, fit = 0;
  double mean_trust = 0, min_trust = 0;
  OutcomeSet outcomes = 0;
  bool least = false;  // the least trust counts
};

// What the score reads besides the pool. The functions are thread-safe; empty: none exists.
struct SurfaceExtras {
  std::function<std::optional<double>(Row, Row)> cosine;  // in the band
  std::function<double(Row, Row)> fit;
};

class SurfaceScore {
 public:
  // Keeps the addresses.
  SurfaceScore(const SurfacePool& pool, const NeverComposedOptions& options,
               const SurfaceExtras& extras);

  const SurfacePool& pool() const { return pool_; }
  const NeverComposedOptions& options() const { return options_; }
  const SurfaceExtras& extras() const { return extras_; }

  PairParts Parts(Row a, Row b) const;
  // `pairs` of the members (i, j), i < j, in that order.
  SetNumbers Numbers(std::span<const Row> members, std::span<const PairParts> pairs) const;

  // --- bounds
  double potential(Row r) const { return potentials_[r]; }
  double Worth(Row a, Row b, const PairParts& parts) const {
    return parts.anchor + parts.band + kBridgeWeight * parts.bridge + potentials_[a] +
           potentials_[b] + fit_most_;
  }
  // What a set scores, from the sum of the worths of its pairs; to the slack of that sum. With
  // structural fit, at most.
  double FromWorths(std::span<const Row> members, double worths) const;
  void UpdatePotential(Row r);  // the row has changed, or is new

 private:
  const SurfacePool& pool_;
  const NeverComposedOptions& options_;
  const SurfaceExtras& extras_;
  double fit_most_ = 0;
  std::vector<double> potentials_;

  friend class WorthBound;
};

// Bounds of worth from numbers of common tags and terms. In f32, rounded up.
class WorthBound {
 public:
  explicit WorthBound(const SurfaceScore& score);

  // Of the row, with its share of what boundary tags add.
  float row(Row r) const { return rows_[r]; }
  // Added to the sum of two rows.
  float tags(std::uint32_t common) const {
    return tags_[common < tags_.size() ? common : tags_.size() - 1];
  }
  float terms(std::uint32_t common) const {
    return terms_[common < kMostAnchorTerms ? common : kMostAnchorTerms];
  }
  // The least number of common tags that is worth so much; above every row's number when none does.
  std::uint32_t TagsFor(float worth) const;
  float most() const { return most_; }  // of all rows
  float Most() const { return 2 * most_ + tags_.back() + terms_.back(); }
  float Untied() const { return 2 * most_ + tags_[0] + terms_[0]; }
  void Update(Row r);

 private:
  const SurfaceScore& score_;
  std::vector<float> rows_;
  std::vector<float> tags_;
  std::array<float, kMostAnchorTerms + 1> terms_{};
  float most_ = 0;
};

}  // namespace plexus::memory::internal
