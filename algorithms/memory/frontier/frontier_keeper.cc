// What changed since the page was made, and the pairs that this can move.
#include "algorithms/memory/frontier/frontier.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>
#include <vector>

#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/simd_dispatch.h"
#include "algorithms/memory/frontier/internal/surface/kept_pool.h"
#include "algorithms/memory/frontier/internal/surface/surface_pairs.h"
#include "algorithms/memory/frontier/internal/surface/surface_reply.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/retrieval/terms.h"
#include "engine/lineage.h"
#include "engine/out_of_memory.h"
#include "engine/state.h"
#include "engine/vocabulary.h"

namespace plexus::memory {

namespace {

using internal::MemberRow;
using internal::Row;
using internal::ScoredPair;
using internal::SurfacePool;
using internal::WorthBound;

constexpr std::size_t kMostMembers = 256;  // that change in a quick update
constexpr std::size_t kMostChanges = 65'536;

// The changes since a keeper looked, carried from state to state.
class FrontierChanges final : public Carried {
 public:
  static constexpr std::string_view kName = "frontier_changes";

  FrontierChanges(const std::shared_ptr<const int>& keeper, StateChanges changes)
      : keeper_(keeper), changes_(std::move(changes)) {}
  std::shared_ptr<const Carried> Carry(const Snapshot&, const StateChanges& later) const override {
    if (keeper_.expired() || changes_.size() + later.size() > kMostChanges) return nullptr;
    StateChanges all = changes_;
    all.Add(later);
    return std::make_shared<FrontierChanges>(keeper_.lock(), std::move(all));
  }
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override { return changes_.size_bytes(); }
  bool of(const std::shared_ptr<const int>& keeper) const { return keeper_.lock() == keeper; }
  const StateChanges& changes() const { return changes_; }

 private:
  std::weak_ptr<const int> keeper_;
  StateChanges changes_;
};

// What a quick update works on.
struct Kept {
  internal::KeptPool pool;
  internal::SurfaceExtras extras;
  internal::SurfaceScore score;
  WorthBound bound;
  std::shared_ptr<const NodeSubset> seen;
  std::shared_ptr<const LedgerIndex> ledger;
  bool term_index = false;
  // All pairs that rank before `last` or are it; without `last` all there are.
  std::vector<ScoredPair> known;
  std::optional<ScoredPair> last;

  Kept(SurfacePool&& made, const NeverComposedOptions& options)
      : pool(std::move(made), options), score(pool.pool(), options, extras), bound(score) {}
};

// --- one row against all others, through their signatures: what a change of one member asks

[[gnu::always_inline]] inline void MatchRows(const SurfacePool& pool, const WorthBound& bound,
                                             Row row, float need, Row first, Row last,
                                             std::vector<Row>& out) {
  const MemberRow& x = pool.rows[row];
  const auto slack = [](const MemberRow& r) -> std::uint32_t {
    return r.tag_slack == 65535 ? 1u << 30 : r.tag_slack;
  };
  for (Row r = first; r < last; ++r) {
    const MemberRow& y = pool.rows[r];
    const auto common = [&](std::size_t word) {
      return static_cast<std::uint32_t>(std::popcount(x.signature[word] & y.signature[word]));
    };
    const std::uint32_t tags = common(0) + common(1) + common(2) + std::min(slack(x), slack(y));
    const std::uint32_t terms = common(3) + std::min<std::uint32_t>(x.term_slack, y.term_slack);
    if (bound.row(row) + bound.row(r) + bound.tags(tags) + bound.terms(terms) >= need && r != row)
      out.push_back(r);
  }
}
void MatchScalar(const SurfacePool& pool, const WorthBound& bound, Row row, float need, Row first,
                 Row last, std::vector<Row>& out) {
  MatchRows(pool, bound, row, need, first, last, out);
}
using Matcher = void (*)(const SurfacePool&, const WorthBound&, Row, float, Row, Row,
                         std::vector<Row>&);
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("popcnt"))) void MatchPopcount(const SurfacePool& pool,
                                                     const WorthBound& bound, Row row, float need,
                                                     Row first, Row last, std::vector<Row>& out) {
  MatchRows(pool, bound, row, need, first, last, out);
}
// Machines with AVX2 count bits in one instruction.
constexpr common_internal::SimdTable<Matcher> kMatch{&MatchScalar, &MatchPopcount};
#else
constexpr common_internal::SimdTable<Matcher> kMatch{&MatchScalar};
#endif

// The rows whose pair with `row` may be worth `need`, ascending; `row` is none. O(rows).
std::vector<Row> PartnersOf(const SurfacePool& pool, const WorthBound& bound, Row row, float need,
                            Executor& executor) {
  constexpr Row kRows = 1 << 15;  // of a block
  std::vector<std::vector<Row>> parts((pool.count() + kRows - 1) / kRows);
  RunBlocks(executor, parts.size(), [&](std::size_t p) {
    const Row first = static_cast<Row>(p) * kRows, last = std::min(pool.count(), first + kRows);
    kMatch.Find(SimdLevel::kBest)(pool, bound, row, need, first, last, parts[p]);
  });
  std::vector<Row> rows;
  for (const std::vector<Row>& part : parts) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace

struct FrontierKeeper::State {
  NeverComposedOptions options;  // their lens is never kByLedger
  bool by_ledger = false;        // as asked
  Snapshot snapshot;
  NeverComposedPage page;
  FrontierKeeperCounters counters;
  std::shared_ptr<const int> token = std::make_shared<int>(0);
  std::unique_ptr<Kept> kept;  // null: every update is a full run
  bool current = false;        // `page` and `kept` are of `snapshot`

  Executor& executor() const { return common_internal::Pick(options.run.executor); }
  std::uint32_t variant() const {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(token.get()) >> 4);
  }
  bool ForPairs() const {
    return options.lens == FrontierLens::kSurface && options.arity == 2 && !options.band &&
           !options.structural_fit && options.structural_fit_weight == 0 &&
           options.min_structural_fit <= -1 && !options.level &&
           (options.tags.empty() || options.match == TagMatch::kAny);
  }
  void Watch() {
    StateChanges none;
    none.first_new = snapshot.node_count();
    ReplaceDerived<FrontierChanges>(
        snapshot, std::make_shared<const FrontierChanges>(token, std::move(none)), variant());
  }

  Result<FrontierLens> Lens(const Snapshot& now) const {
    NeverComposedOptions asked = options;
    if (by_ledger) asked.lens = FrontierLens::kByLedger;
    return LensOf(now, asked);
  }
  Status Full(const Snapshot& now, std::string why);
  Result<bool> Quick(const Snapshot& now, const StateChanges& changes, std::string& why);
  Result<std::vector<NodeId>> Changed(const Snapshot& now, const StateChanges& changes,
                                      const LedgerIndex& ledger, const NodeSubset& seen,
                                      std::string& why) const;
  void MakePage(std::uint64_t compared = 0, std::uint64_t scored = 0);
};

Status FrontierKeeper::State::Full(const Snapshot& now, std::string why) {
  kept.reset();
  current = false;
  NeverComposedPage made;
  PLEXUS_ASSIGN(options.lens, Lens(now));
  if (!ForPairs() || options.top < 1 || options.top > kMaxNeverComposedTop) {
    PLEXUS_ASSIGN(made, NeverComposed(now, options));  // or why not
  } else {
    snapshot = now;
    PLEXUS_ASSIGN(SurfacePool pool, internal::MakeSurfacePool(snapshot, options, executor()));
    auto next = std::make_unique<Kept>(std::move(pool), options);
    PLEXUS_ASSIGN(next->seen, VisibleNodes(now, options.now_ms,
                                           {.include_superseded = options.include_superseded,
                                            .run = {.executor = &executor()}}));
    PLEXUS_ASSIGN(next->ledger, LedgerIndex::Of(now, &executor()));
    next->term_index = retrieval::HasTerms(now);
    const std::size_t reserve = 2 * options.top + 64;
    const internal::RankedList list = TopPairs(next->score, {reserve, nullptr}, executor());
    for (const auto& set : list.sets) next->known.push_back({set.score, set.rows[0], set.rows[1]});
    if (list.more && !next->known.empty()) next->last = next->known.back();
    if (!list.truncated) kept = std::move(next);
    if (kept) {
      MakePage(list.compared, list.scored);
      made = std::move(page);
    } else {
      PLEXUS_ASSIGN(made, NeverComposed(now, options));
    }
  }
  snapshot = now;
  page = std::move(made);
  ++counters.full;
  counters.full_run_reason = std::move(why);
  current = true;
  Watch();
  return {};
}

void FrontierKeeper::State::MakePage(std::uint64_t compared, std::uint64_t scored) {
  internal::RankedList list;
  list.compared = compared;
  list.scored = scored;
  for (const ScoredPair& pair : kept->known) {
    if (list.sets.size() == options.top) break;
    list.sets.push_back({pair.score, {pair.a, pair.b}});
  }
  list.more = list.sets.size() == options.top;
  page = PageOf(kept->score, kept->pool.members(), list);
}

// Members that changed, or may have; ascending.
Result<std::vector<NodeId>> FrontierKeeper::State::Changed(const Snapshot& now,
                                                           const StateChanges& changes,
                                                           const LedgerIndex& ledger,
                                                           const NodeSubset& seen,
                                                           std::string& why) const {
  std::set<NodeId> changed;
  const auto fact = [&](NodeId v) {
    if (now.is_fact(v)) changed.insert(v);
  };
  const auto event = [&](NodeId e) {
    if (e < snapshot.node_count())
      for (const NodeId v : kept->ledger->members(e)) fact(v);
    for (const NodeId v : ledger.members(e)) fact(v);
  };
  for (const NodeId v : changes.nodes) {
    const NodeKindId kind = now.node_kind(v);
    if (now.is_fact(v))
      changed.insert(v);
    else if (kind == builtin::kEvent)
      event(v);
    else if (kind == builtin::kOutcome || kind == builtin::kTag || kind == builtin::kTerm)
      why = "a tag, term or outcome was removed or came back";
  }
  for (NodeId v = changes.first_new; v < now.node_count(); ++v) fact(v);
  for (const StateChanges::Column& column : changes.columns) fact(column.node);
  for (const StateChanges::Payload& payload : changes.payloads) {
    if (payload.field == NodeField::kText && kept->pool.pool().terms.of_texts &&
        now.is_fact(payload.node) && payload.node < changes.first_new)
      why = "a text changed";
    if (payload.field == NodeField::kProperties &&
        now.node_kind(payload.node) == builtin::kOutcome && payload.node < changes.first_new)
      why = "an outcome changed";
  }
  for (const StateChanges::Edge& edge : changes.edges) {
    if (edge.kind == builtin::kHasTag || edge.kind == builtin::kHasTerm) fact(edge.source);
    if (edge.kind == builtin::kMember) {
      fact(edge.target);
      event(edge.source);
    }
    if (edge.kind == builtin::kLabels) event(edge.target);
  }
  for (std::size_t w = 0; w < seen.word_count(); ++w) {
    const std::uint64_t before = w < kept->seen->word_count() ? kept->seen->word(w) : 0;
    for (std::uint64_t bits = before ^ seen.word(w); bits != 0; bits &= bits - 1)
      changed.insert(static_cast<NodeId>(w * 64 + static_cast<unsigned>(__builtin_ctzll(bits))));
    if (changed.size() > kMostMembers) break;
  }
  if (changed.size() > kMostMembers) why = "too many memories changed";
  return std::vector<NodeId>(changed.begin(), changed.end());
}

// False, with a reason: a full run must tell.
Result<bool> FrontierKeeper::State::Quick(const Snapshot& now, const StateChanges& changes,
                                          std::string& why) {
  if (retrieval::HasTerms(now) != kept->term_index) {
    why = "an index of terms is new";
    return false;
  }
  PLEXUS_ASSIGN(const auto ledger, LedgerIndex::Of(now, &executor()));
  PLEXUS_ASSIGN(const auto seen, VisibleNodes(now, options.now_ms,
                                              {.include_superseded = options.include_superseded,
                                               .run = {.executor = &executor()}}));
  PLEXUS_ASSIGN(const std::vector<NodeId> changed, Changed(now, changes, *ledger, *seen, why));
  if (!why.empty()) return false;
  current = false;
  snapshot = now;
  kept->pool.Move(snapshot, ledger);
  kept->ledger = ledger;
  kept->seen = seen;
  std::vector<Row> rows;
  for (const NodeId v : changed) {
    const NodeKindId kind = now.node_kind(v);
    const bool inside = seen->contains(v) && kind != builtin::kTurn && kind != builtin::kEpisode;
    Row row = 0;
    if (!kept->pool.Follow(v, inside, row, why)) return false;
    if (row >= kept->pool.pool().count()) continue;
    kept->score.UpdatePotential(row);
    kept->bound.Update(row);
    rows.push_back(row);
  }
  std::vector<std::uint8_t> moved(kept->pool.pool().count(), 0);
  for (const Row row : rows) moved[row] = 1;
  std::erase_if(kept->known, [&](const ScoredPair& p) { return moved[p.a] || moved[p.b]; });

  const internal::PairBar bar{&kept->score, 0, {}, {}};
  const float need =
      static_cast<float>(kept->last ? kept->last->score : internal::kLeastPairScore) - 1e-5f;
  for (const Row row : rows)
    for (const Row other : PartnersOf(kept->pool.pool(), kept->bound, row, need, executor())) {
      if (moved[other] && other < row) continue;  // once
      const auto pair = bar.Try(row, other, counters.scored);
      if (pair && (!kept->last || !Better(*kept->last, *pair))) kept->known.push_back(*pair);
    }
  std::sort(kept->known.begin(), kept->known.end(), internal::Better);
  counters.members += rows.size();
  const std::size_t reserve = 2 * options.top + 64;
  if (kept->known.size() < options.top && kept->last) {
    why = "too few pairs are left of those known";
    return false;
  }
  if (kept->known.size() > 2 * reserve) {
    kept->known.resize(reserve);
    kept->last = kept->known.back();
  }
  MakePage();
  current = true;
  return true;
}

FrontierKeeper::FrontierKeeper(std::unique_ptr<State> state) : state_(std::move(state)) {}
FrontierKeeper::FrontierKeeper(FrontierKeeper&&) noexcept = default;
FrontierKeeper& FrontierKeeper::operator=(FrontierKeeper&&) noexcept = default;
FrontierKeeper::~FrontierKeeper() = default;

Result<FrontierKeeper> FrontierKeeper::Make(const Snapshot& snapshot,
                                            NeverComposedOptions options) try {
  if (options.pool != nullptr || options.inside != nullptr)
    return Unsupported("a keeper follows no pool: leave it out");
  if (!options.cursor.empty())
    return Unsupported("a keeper keeps the first page: leave the cursor out");
  auto state = std::make_unique<State>();
  options.now_ms = snapshot.TimeOr(options.now_ms);
  state->by_ledger = options.lens == FrontierLens::kByLedger;
  state->options = std::move(options);
  PLEXUS_TRY(state->Full(snapshot, "the first run"));
  return FrontierKeeper(std::move(state));
}
PLEXUS_CATCH_NO_MEMORY

Status FrontierKeeper::Update(const Snapshot& snapshot) try {
  State& s = *state_;
  if (s.current && snapshot.shared_state() == s.snapshot.shared_state()) {
    ++s.counters.unchanged;
    return {};
  }
  const auto since = FindDerived<FrontierChanges>(snapshot, s.variant());
  if (!since || !since->of(s.token)) return s.Full(snapshot, "the changes are not known");
  if (!s.kept) return s.Full(snapshot, "the question is not one of surface pairs");
  if (!s.current) return s.Full(snapshot, "the update before failed");
  PLEXUS_ASSIGN(const FrontierLens lens, s.Lens(snapshot));
  if (lens != s.options.lens) return s.Full(snapshot, "the ledger asks for another lens");
  std::string why;
  const Result<bool> quick = s.Quick(snapshot, since->changes(), why);
  if (!quick) {
    s.kept.reset();
    return std::unexpected(quick.error());
  }
  if (!*quick) return s.Full(snapshot, std::move(why));
  if (since->changes().empty(snapshot.node_count()))
    ++s.counters.unchanged;
  else
    ++s.counters.incremental;
  s.Watch();
  return {};
}
PLEXUS_CATCH_NO_MEMORY

const NeverComposedPage& FrontierKeeper::page() const { return state_->page; }
const FrontierKeeperCounters& FrontierKeeper::counters() const { return state_->counters; }

}  // namespace plexus::memory
