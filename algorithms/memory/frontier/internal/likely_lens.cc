// Rows, then pairs or sets, then what a page says of them.
#include "algorithms/memory/frontier/internal/likely_lens.h"

#include <algorithm>

#include "algorithms/common/internal/in_time.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/memory/frontier/internal/likely_rows.h"
#include "algorithms/memory/frontier/internal/likely_score.h"
#include "algorithms/memory/frontier/internal/likely_sets.h"
#include "algorithms/memory/frontier/internal/pair_lens.h"
#include "algorithms/memory/frontier/internal/structural_fit.h"
#include "algorithms/memory/frontier/internal/surface/surface_reply.h"

namespace plexus::memory::internal {

Result<NeverComposedPage> MineLikely(const Snapshot& snapshot, const LedgerIndex& index,
                                     const NodeSubset& pool, const NeverComposedOptions& options,
                                     const std::optional<PageEnd>& after) {
  NeverComposedPage page;
  page.pool = pool.count();
  PLEXUS_ASSIGN(const common_internal::Selection walked,
                SelectWalked(snapshot, options.kinds, options.now_ms, options.inside));
  PLEXUS_ASSIGN(const auto rows, common_internal::InTime(options.run, [&](Executor& stopping) {
                  return MakeLikelyRows(snapshot, index, pool, options, stopping);
                }));
  if (!rows) {
    page.truncated = true;
    page.why_empty = "The budget ended before a set was found.";
    return page;
  }
  const PairTerms terms = PairTerms::Make(snapshot, index, pool, options);
  const bool fits = options.structural_fit || options.structural_fit_weight != 0 ||
                    options.min_structural_fit > -1;
  const LikelyScore score(*rows, terms, index, options, fits ? &walked : nullptr, after);
  Executor& executor = common_internal::Pick(options.run.executor);
  // One more says that there is a next page.
  LikelyList list = options.arity == 2 ? LikelyPairs(score, options.top + 1, executor)
                                       : LikelySets(score, options.top + 1, executor);
  page.truncated = list.truncated;
  page.compared = list.compared;
  page.scored = list.scored;
  const std::uint64_t sets = SetsOf(page.pool, options.arity);
  page.pruned = sets - std::min(sets, list.scored);
  if (list.sets.size() > options.top) {
    page.next = "more";
    list.sets.pop_back();
  }
  for (const PageEnd& set : list.sets) page.sets.push_back(score.Describe(set));
  if (page.sets.empty())
    page.why_empty =
        page.pool < static_cast<std::uint64_t>(options.arity) ? "The pool has too few memories."
        : after                                               ? "There are no more sets."
        : page.truncated ? "The budget ended before a set was found."
                         : "Nothing that shares a partner, tag or term is left that was "
                           "never composed.";
  return page;
}

}  // namespace plexus::memory::internal
