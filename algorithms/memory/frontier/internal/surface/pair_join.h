// PairJoin: every pair of rows that shares a tag or term and may be worth what is needed.
//
// Tokens are taken from the rarest on. A pair is in the list of its first common token; what it
// shares then lies in both rows from there on, so a row is listed only as far as what is left of it
// may be enough (the prefix filter of Chaudhuri, Ganti, Kaushik, "A primitive operator for
// similarity joins in data cleaning", 2006; Bayardo, Ma, Srikant, "Scaling up all pairs similarity
// search", 2007). A long list is cut again by the next common token, and so on; pairs that share
// only the tokens so far are taken in order of what their members are worth. Short lists are
// compared through their signatures.
//
// Where a pair must share several tags however many terms it shares, only tags are tokens.
// Pairs may be offered more than once. Lists are cut into rounds and chunks only by counts, so the
// same pairs are compared at any number of threads.
// Private to algorithms/memory.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/object_pool.h"
#include "algorithms/memory/frontier/internal/surface/surface_pool.h"
#include "algorithms/memory/frontier/internal/surface/surface_score.h"
#include "engine/arrays/aligned_array.h"
#include "engine/parallel.h"

namespace plexus::memory::internal {

// Takes the pairs of one chunk, in one thread.
class PairSink {
 public:
  virtual ~PairSink() = default;
  virtual void Offer(Row a, Row b) = 0;
};

// A pair must be worth the smaller need of its members. kNever: only what another member needs.
inline constexpr float kNever = std::numeric_limits<float>::infinity();
struct JoinNeed {
  float least = 0;                             // of all rows
  const std::vector<float>* by_row = nullptr;  // null: `least` of every row
  float of(Row r) const { return by_row ? (*by_row)[r] : least; }
};

struct JoinRows {
  std::uint32_t sample = 1;  // rows whose number it divides take part
};

class PairJoin {
 public:
  static constexpr std::size_t kRounds = 16;

  // Keeps the addresses. O(tokens).
  PairJoin(const SurfacePool& pool, const WorthBound& bound, const Budget& budget,
           Executor& executor);
  ~PairJoin();

  using Sinks = std::vector<std::unique_ptr<PairSink>>;
  // Round `round` of kRounds, from the first on; together they offer every pair. What a pair needs
  // may rise from one to the next. A chunk's pairs go to a sink of its own; the sinks come back in
  // order.
  Sinks Run(std::size_t round, const JoinNeed& need, const JoinRows& rows,
            const std::function<std::unique_ptr<PairSink>()>& make_sink);

  // The same of all pairs, also those that share nothing. O(rows^2) where nothing is excluded.
  Sinks RunAll(const JoinNeed& need, const JoinRows& rows,
               const std::function<std::unique_ptr<PairSink>()>& make_sink);

  std::uint64_t compared() const { return compared_; }
  bool interrupted() const { return interrupted_; }

 private:
  struct Item {
    Row row;
    std::uint32_t at;  // of a token
  };
  struct Seeds;  // rows of tokens to join by, and the lists of these
  struct Worker;

  const Seeds& SeedsFor(const JoinNeed& need);
  void SetLimits(const Seeds& seeds, const JoinNeed& need, const JoinRows& rows);

  const SurfacePool& pool_;
  const WorthBound& bound_;
  const Budget& budget_;
  Executor& executor_;
  std::unique_ptr<Seeds> tags_, both_;
  // Of all rounds: a pair whose first common token is a term of a later round would be in no list
  // if tags alone began in between.
  const Seeds* seeds_ = nullptr;
  std::vector<std::uint32_t> limits_;  // by row: tokens before are roots
  struct {
    const Seeds* seeds = nullptr;
    std::uint32_t sample = 0;
    float least = 0;
  } limits_of_;  // what they were set for
  common_internal::ObjectPool<Worker> workers_;
  std::uint64_t compared_ = 0;
  bool interrupted_ = false;
};

}  // namespace plexus::memory::internal
