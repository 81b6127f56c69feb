// Never-composed frontier: options checked, a lens asked, its page written.
// Outcomes of memories: one pass over the events that have some.
#include "algorithms/memory/frontier/frontier.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "algorithms/common/internal/in_time.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/memory/frontier/internal/bridge_lens.h"
#include "algorithms/memory/frontier/internal/divergent_lens.h"
#include "algorithms/memory/frontier/internal/frontier_cursor.h"
#include "algorithms/memory/frontier/internal/likely_lens.h"
#include "algorithms/memory/frontier/internal/structural_fit.h"
#include "algorithms/memory/frontier/internal/surface/anchored_members.h"
#include "algorithms/memory/frontier/internal/surface/surface_pairs.h"
#include "algorithms/memory/frontier/internal/surface/surface_reply.h"
#include "algorithms/memory/ledger/internal/inside_ledger.h"
#include "algorithms/memory/ledger/internal/prior_outcomes.h"
#include "algorithms/memory/ledger/ledger.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/out_of_memory.h"
#include "engine/vectors/vector_view.h"

namespace plexus::memory {

namespace {

using internal::PageEnd;
using internal::Row;
using internal::SurfacePool;
using internal::WantsFit;
using internal::WriteCursor;

std::unexpected<Error> NotOf(std::string_view what, std::string_view lens) {
  return Unsupported(what, " is no option of the lens ", lens);
}

Status CheckLikely(const LikelyOptions& o) {
  if (!(o.half_life >= 0 && o.half_life <= 1e12))
    return Invalid("half-life: from 0 to 1e12 events");
  for (const double weight : {o.shared_weight, o.activity_weight, o.trust_weight, o.outcome_weight})
    if (!(weight >= 0 && weight <= 1000)) return Invalid("weights of likely: from 0 to 1000");
  return {};
}

Status CheckOptions(const NeverComposedOptions& o) {
  const bool surface = o.lens == FrontierLens::kSurface, likely = o.lens == FrontierLens::kLikely;
  const std::string_view lens = LensName(o.lens);
  const int most = surface || likely ? 5 : 2;
  if (o.arity < 2 || o.arity > 5) return Invalid("arity ", o.arity, ": 2 to 5");
  if (o.arity > most) return NotOf("arity " + std::to_string(o.arity), lens);
  if (o.top < 1 || o.top > kMaxNeverComposedTop)
    return Invalid("top ", o.top, ": 1 to ", kMaxNeverComposedTop);
  if (!std::isfinite(o.structural_fit_weight) || std::abs(o.structural_fit_weight) > 1000)
    return Invalid("structural fit weight: a number from -1000 to 1000");
  if (!std::isfinite(o.min_structural_fit)) return Invalid("least structural fit: a number");
  if (o.band) {
    if (!surface) return NotOf("a cosine band", lens);
    if (!(o.band->least >= -1 && o.band->least < o.band->below && o.band->below <= 2))
      return Invalid("cosine band: from -1 at least, to a larger number, 2 at most");
    if (o.band->pool_limit < 2) return Invalid("cosine band: a pool limit of 2 at least");
  }
  if (!surface && !likely && o.level) return NotOf("a level", lens);
  if (!likely && o.likely != LikelyOptions{}) return NotOf("a half-life or weight of likely", lens);
  return CheckLikely(o.likely);
}

// Cosines of the pool's first rows, where they are in the band.
class BandCosines {
 public:
  static Result<BandCosines> Make(const SurfacePool& pool, const CosineBand& band) {
    const auto space = pool.snapshot->schema().FindSpace(band.space);
    if (!space) return Invalid("there is no vector space '", band.space, "'");
    PLEXUS_ASSIGN(const VectorView* const vectors, pool.snapshot->vectors(*space));
    return BandCosines(pool, band, vectors);
  }
  std::optional<double> operator()(Row a, Row b) const {
    if (std::max(a, b) >= pool_->band_rows) return {};
    VectorBuffer of_x, of_y;
    const auto x = vectors_->vector(pool_->nodes[std::min(a, b)], of_x),
               y = vectors_->vector(pool_->nodes[std::max(a, b)], of_y);
    if (x.empty() || y.empty() || Zero(x) || Zero(y)) return {};
    const double cosine = retrieval::Cosine(x, y);
    if (cosine < band_->least || cosine >= band_->below) return {};
    return cosine;
  }

 private:
  BandCosines(const SurfacePool& pool, const CosineBand& band, const VectorView* vectors)
      : pool_(&pool), band_(&band), vectors_(vectors) {}
  static bool Zero(std::span<const float> v) {
    return std::all_of(v.begin(), v.end(), [](float x) { return x == 0; });
  }
  const SurfacePool* pool_;
  const CosineBand* band_;
  const VectorView* vectors_;
};

// Profiles of all rows.
Result<std::vector<internal::StructuralProfile>> Profiles(const SurfacePool& pool,
                                                          const NeverComposedOptions& options,
                                                          Executor& executor) {
  PLEXUS_ASSIGN(
      const common_internal::Selection walked,
      internal::SelectWalked(*pool.snapshot, options.kinds, options.now_ms, options.inside));
  std::vector<internal::StructuralProfile> profiles(pool.count());
  ParallelForEach(executor, profiles.size(), 256,
                  [&](std::size_t r) { profiles[r] = internal::ProfileOf(walked, pool.nodes[r]); });
  return profiles;
}

Result<NeverComposedPage> Surface(const Snapshot& snapshot, const NeverComposedOptions& options,
                                  const std::optional<PageEnd>& end) {
  Executor& executor = common_internal::Pick(options.run.executor);
  std::uint64_t members = 0;
  PLEXUS_ASSIGN(
      const auto made,
      common_internal::InTime(options.run, [&](Executor& stopping) -> Result<SurfacePool> {
        NeverComposedOptions of_pool = options;
        PLEXUS_ASSIGN(const auto anchored,
                      internal::MembersByTags(snapshot, options, end, stopping));
        if (anchored) of_pool.pool = &anchored->part;
        PLEXUS_ASSIGN(SurfacePool pool, internal::MakeSurfacePool(snapshot, of_pool, stopping));
        members = anchored ? anchored->whole : pool.count();
        return pool;
      }));
  if (!made) {
    NeverComposedPage late;
    late.truncated = true;
    return late;
  }
  const SurfacePool& pool = *made;
  internal::SurfaceExtras extras;
  if (options.band) PLEXUS_SET(extras.cosine, BandCosines::Make(pool, *options.band));
  std::vector<internal::StructuralProfile> profiles;
  if (WantsFit(options)) {
    PLEXUS_ASSIGN(profiles, Profiles(pool, options, executor));
    extras.fit = [&](Row a, Row b) { return internal::FitOf(profiles[a], profiles[b]); };
  }
  const internal::SurfaceScore score(pool, options, extras);
  internal::RankedRows after;
  internal::ListQuery query{options.top, nullptr};
  if (end) {
    after = RowsOf(pool, *end);
    query.after = &after;
  }
  internal::RankedList list;
  if (options.arity > 2)
    list = TopSets(score, query, executor);
  else if (!options.level || *options.level == SetLevel::kOpen)
    list = TopPairs(score, query, executor);
  NeverComposedPage page = PageOf(score, members, list);
  if (end) page.why_empty.clear();
  page.pool_cut = pool.band_cut;
  return page;
}

// Events, tags, terms, reason and question of what another lens found.
Status NameAll(const Snapshot& snapshot, const LedgerIndex& ledger,
               const NeverComposedOptions& options, std::vector<NeverComposedSet>& sets,
               Executor& executor) {
  std::vector<NodeId> members;
  for (const NeverComposedSet& set : sets)
    members.insert(members.end(), set.members.begin(), set.members.end());
  PLEXUS_ASSIGN(const NodeSubset found, NodeSubset::Of(snapshot, members));
  NeverComposedOptions only;
  only.now_ms = options.now_ms;
  only.terms = options.terms;
  only.pool = &found;
  PLEXUS_ASSIGN(const SurfacePool pool, internal::MakeSurfacePool(snapshot, only, executor));
  for (NeverComposedSet& set : sets) {
    std::vector<Row> rows;
    for (const NodeId v : set.members) rows.push_back(pool.RowOf(v));
    set.prior_events = internal::PriorEvents(snapshot, ledger, set.members);
    NameShared(pool, rows, set);
  }
  return {};
}

Result<NeverComposedPage> Structural(const Snapshot& snapshot, const NeverComposedOptions& options,
                                     const std::optional<PageEnd>& end) {
  Executor& executor = common_internal::Pick(options.run.executor);
  PLEXUS_ASSIGN(const auto ledger, internal::LedgerInside(snapshot, options.inside, &executor));
  PLEXUS_ASSIGN(const NodeSubset pool, internal::PoolNodes(snapshot, options, executor));
  internal::PagePosition after;
  if (end && end->members.size() == 2) after = {end->score, end->members[0], end->members[1]};
  PLEXUS_ASSIGN(NeverComposedPage page,
                options.lens == FrontierLens::kLikely
                    ? internal::MineLikely(snapshot, *ledger, pool, options, end)
                : options.lens == FrontierLens::kBridge
                    ? internal::MineBridge(snapshot, *ledger, pool, options, after)
                    : internal::MineDivergent(snapshot, *ledger, pool, options, after));
  PLEXUS_TRY(NameAll(snapshot, *ledger, options, page.sets, executor));
  if (!page.next.empty() && !page.sets.empty()) {
    const NeverComposedSet& last = page.sets.back();
    page.next = WriteCursor(snapshot, options, {last.score, last.members});
  }
  return page;
}

constexpr std::string_view kLensNames[] = {"auto", "surface", "bridge", "divergent", "likely"};

}  // namespace

std::string_view LensName(FrontierLens lens) { return kLensNames[static_cast<std::size_t>(lens)]; }

std::optional<FrontierLens> LensNamed(std::string_view name) {
  const auto at = std::ranges::find(kLensNames, name);
  if (at == std::end(kLensNames)) return std::nullopt;
  return static_cast<FrontierLens>(at - std::begin(kLensNames));
}

Result<bool> HasLikelyEvents(const Snapshot& snapshot, const NodeSubset* inside,
                             Executor* executor) {
  PLEXUS_ASSIGN(const auto ledger, LedgerIndex::Of(snapshot, executor));
  if (!inside) return ledger->newest().size() >= kLikelyEvents;
  std::size_t events = 0;
  for (const NodeId event : ledger->newest())
    if (internal::IsInside(*ledger, event, *inside) && ++events == kLikelyEvents) return true;
  return false;
}

Result<FrontierLens> LensOf(const Snapshot& snapshot, const NeverComposedOptions& options) {
  if (options.lens != FrontierLens::kByLedger) return options.lens;
  if (options.band) return FrontierLens::kSurface;
  if (options.likely != LikelyOptions{}) return FrontierLens::kLikely;
  PLEXUS_ASSIGN(const bool likely, HasLikelyEvents(snapshot, options.inside, options.run.executor));
  return likely ? FrontierLens::kLikely : FrontierLens::kSurface;
}

Result<NeverComposedPage> NeverComposed(const Snapshot& snapshot,
                                        const NeverComposedOptions& given) try {
  NeverComposedOptions options = given;
  options.now_ms = snapshot.TimeOr(given.now_ms);
  PLEXUS_ASSIGN(options.lens, LensOf(snapshot, given));
  PLEXUS_TRY(CheckOptions(options));
  NodeSubset walkable;
  if (options.inside && options.kinds.given()) {  // they may be kinds of the index plane
    PLEXUS_ASSIGN(walkable,
                  internal::WalkableInside(snapshot, *options.inside, options.run.executor));
    options.inside = &walkable;
  }
  PLEXUS_ASSIGN(const std::optional<PageEnd> end, internal::ReadCursor(snapshot, options));
  if (end && end->members.size() != static_cast<std::size_t>(options.arity))
    return Invalid("cursor: it is of sets of ", end->members.size(), " members");
  PLEXUS_ASSIGN(NeverComposedPage page, options.lens == FrontierLens::kSurface
                                            ? Surface(snapshot, options, end)
                                            : Structural(snapshot, options, end));
  page.lens = options.lens;
  return page;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<NodeWeight>> OutcomeValues(const Snapshot& snapshot, Executor* executor,
                                              const NodeSubset* inside) try {
  PLEXUS_ASSIGN(const auto ledger, LedgerIndex::Of(snapshot, executor));
  std::vector<std::pair<NodeId, OutcomeSet>> members;
  for (const NodeId event : ledger->newest()) {
    const OutcomeSet outcomes = ledger->event_outcomes(event);
    if (outcomes == 0 || (inside && !internal::IsInside(*ledger, event, *inside))) continue;
    for (const NodeId member : ledger->members(event)) members.emplace_back(member, outcomes);
  }
  std::ranges::sort(members);
  constexpr double kLeast = internal::kLeastAdjustment;
  constexpr double kRange = internal::kMostAdjustment - kLeast;
  std::vector<NodeWeight> values;
  for (std::size_t i = 0; i < members.size();) {
    const NodeId member = members[i].first;
    OutcomeSet all = 0;
    for (; i < members.size() && members[i].first == member; ++i)
      all = static_cast<OutcomeSet>(all | members[i].second);
    values.push_back({member, (internal::OutcomeAdjustment(all) - kLeast) / kRange});
  }
  return values;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
