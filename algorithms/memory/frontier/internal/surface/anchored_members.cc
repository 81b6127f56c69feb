// Carriers count what others share with them; the count is a bound, the bound a choice.
#include "algorithms/memory/frontier/internal/surface/anchored_members.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/common/internal/node_map.h"
#include "algorithms/common/internal/object_pool.h"
#include "algorithms/memory/frontier/internal/pair_lens.h"
#include "algorithms/memory/frontier/internal/structural_fit.h"
#include "algorithms/memory/frontier/internal/surface/surface_pairs.h"
#include "algorithms/memory/frontier/internal/surface/surface_pool.h"
#include "algorithms/memory/frontier/internal/surface/surface_score.h"
#include "algorithms/memory/ledger/internal/inside_ledger.h"
#include "algorithms/memory/ledger/internal/trust.h"
#include "algorithms/retrieval/terms.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {
namespace {

constexpr std::uint64_t kMostVisits = 64;        // of lists, for each member of the whole pool
constexpr std::size_t kFirst = 16;               // One of so many carriers is asked before,
constexpr std::ptrdiff_t kFirstMembers = 4'096;  // of so many of whom the pairs are scored.
// Counts: four bits of terms, four of tags; the largest means that or more.
constexpr std::uint8_t kOneTag = 16, kTags = 0xF0, kTerms = 0x0F;
static_assert(kTerms > kMostAnchorTerms);
constexpr double kMostBound = 4;  // more than novelty, trust and adjustment of a pair are
constexpr double kSlack = 1e-5, kSlackShare = 1 + 1e-6;
constexpr auto kTypesBound = static_cast<float>(kBridgeWeight * kTypesDiffer),
               kBoundaryBound = static_cast<float>(kBridgeWeight * kBoundaries / 4);

// Members lie in classes: of their type, then of what they are worth by themselves.
constexpr std::size_t kWorths = 16, kTypes = 4, kClasses = kTypes * kWorths;

// A tag or term of a carrier, and who has it.
struct AnchorToken {
  NodeId node = 0;
  bool tag = false, read = false;
  std::uint64_t length = 0;                          // of its list, about
  std::vector<std::uint32_t> places;                 // of members, by class
  std::array<std::uint32_t, kClasses + 1> begins{};  // of classes in it
};
struct Carrier {
  NodeId node = 0;
  std::vector<std::uint32_t> tokens;  // numbers
  std::uint32_t tags = 0;             // of them
  std::size_t type = 0;               // 0: one that has no classes
  float worth = 0;                    // by itself
};

// Anchor and bridge of a pair with so many in common, at most; boundaries apart.
float SharedBound(std::uint32_t tags, std::uint32_t terms) {
  const double anchor = kTagAnchor * tags + kTermAnchor * std::min(terms, kMostAnchorTerms);
  const double bridge =
      kTagDistance + kTypesDiffer + (terms > 0 ? kTermsShared : 0) + (tags > 0 ? kTagsShared : 0);
  return static_cast<float>((anchor + kBridgeWeight * bridge) * kSlackShare + kSlack);
}

class AnchoredScan {
 public:
  // Keeps the addresses. `stems`: of the index.
  AnchoredScan(const Snapshot& snapshot, const NeverComposedOptions& options,
               const NodeSubset& pool, bool stems, Executor& executor)
      : snapshot_(snapshot),
        stems_(stems),
        pool_(pool),
        executor_(executor),
        filter_(ArcFilter::Kinds(snapshot.schema(), kKinds).ValidAt(options.now_ms)),
        type_of_(snapshot) {}

  void Read(std::span<const NodeId> carriers, const PairTerms& terms) {
    common_internal::NodeMap numbers(snapshot_.node_count());
    for (const NodeId node : carriers) ReadCarrier(node, numbers);
    std::vector<float> worths(snapshot_.node_count());  // of members
    for (const NodeId v : pool_.ToList())               // a trust far above 1 counts as 1
      worths[v] = static_cast<float>(std::min(terms.bound(v), kMostBound));
    AddBoundaries(worths);
    for (Carrier& carrier : carriers_) carrier.worth = worths[carrier.node];
    std::ranges::sort(carriers_, {}, [](const Carrier& c) { return std::tuple(-c.worth, c.node); });
    Arrange(worths);
  }

  std::size_t carriers() const { return carriers_.size(); }

  // The lengths of the lists of all carriers, about.
  std::uint64_t visits() const { return visits_; }

  // By node: above the scores of its pairs with the first so many carriers, of those that reach
  // `least`; else 0.
  std::vector<float> Bounds(std::size_t carriers, float least) {
    std::vector<std::uint32_t> unread;
    for (const Carrier& carrier : std::span(carriers_).first(carriers))
      for (const std::uint32_t token : carrier.tokens)
        if (!std::exchange(tokens_[token].read, true)) unread.push_back(token);
    ParallelForEach(executor_, unread.size(), 16,
                    [&](std::size_t t) { ReadPlaces(tokens_[unread[t]]); });
    const auto threads = static_cast<std::size_t>(executor_.thread_count());
    common_internal::ObjectPool<Worker> workers;
    workers.Reserve(executor_, carriers);
    for (const auto& worker : workers.idle()) {
      worker->counts.resize(nodes_.size() + kBlock);
      worker->bounds.resize(nodes_.size());
    }
    ParallelFor(executor_, carriers, carriers / (4 * threads) + 1,
                [&](std::size_t c, std::size_t end) {
                  const auto worker = workers.Acquire();
                  for (; c < end; ++c)
                    for (std::size_t k = 0; k < kClasses; ++k)
                      CountClass(carriers_[c], k, least, *worker);
                });
    std::vector<float> bounds(snapshot_.node_count());
    for (const auto& worker : workers.idle())
      for (std::size_t at = 0; at < nodes_.size(); ++at)
        bounds[nodes_[at]] = std::max(bounds[nodes_[at]], worker->bounds[at]);
    return bounds;
  }

 private:
  static constexpr EdgeKindId kKinds[] = {builtin::kHasTag, builtin::kHasTerm};
  static constexpr std::size_t kBlock = 64;  // counts that are looked at together
  struct Worker {
    std::vector<std::uint8_t> counts;  // by place; all 0 between classes
    std::vector<float> bounds;         // by place
  };

  void ReadCarrier(NodeId node, common_internal::NodeMap& numbers) {
    const auto rows = snapshot_.base_rows(Direction::kIn);
    const NodeId in_base = snapshot_.base_node_count();
    Carrier carrier;
    carrier.node = node;
    NodeId before = kNoNode;
    snapshot_.ForEachArc(Direction::kOut, node, filter_, [&](const Arc& arc) {
      const NodeId v = arc.neighbor;
      if (v == std::exchange(before, v)) return;  // under another label
      const bool tag = arc.kind == builtin::kHasTag;
      if (!tag && !IsTellingWord(DisplayName(snapshot_.key(v)), stems_)) return;
      std::uint32_t& number = numbers.at(v);
      if (number == common_internal::NodeMap::kAbsent) {
        number = static_cast<std::uint32_t>(tokens_.size());
        tokens_.push_back({v, tag, false, v < in_base ? rows.degree(v) : 0, {}, {}});
      }
      carrier.tokens.push_back(number);
      carrier.tags += tag;
      visits_ += tokens_[number].length;
    });
    carriers_.push_back(std::move(carrier));
  }

  // What a boundary tag may add to pairs of the member that has it.
  void AddBoundaries(std::vector<float>& worths) const {
    constexpr NodeKindId kTagKind[] = {builtin::kTag};
    for (const NodeId tag : NodeSubset::OfKinds(snapshot_, kTagKind).ToList())
      if (IsBoundaryTag(DisplayName(snapshot_.key(tag))))
        snapshot_.ForEachArc(Direction::kIn, tag, filter_, [&](const Arc& arc) {
          if (pool_.contains(arc.neighbor)) worths[arc.neighbor] += kBoundaryBound;
        });
  }

  // Classes and places of members.
  void Arrange(const std::vector<float>& worths) {
    const std::vector<NodeId> members = pool_.ToList();
    std::vector<std::string_view> names;  // types of carriers, of which the first ones have classes
    const auto type_of = [&](NodeId v) -> std::size_t {
      const auto at = std::ranges::find(names, type_of_(v));
      return at == names.end() ? 0 : static_cast<std::size_t>(at - names.begin()) + 1;
    };
    for (Carrier& carrier : carriers_) {
      carrier.type = type_of(carrier.node);
      if (carrier.type > 0 || names.size() == kTypes - 1) continue;
      names.push_back(type_of_(carrier.node));
      carrier.type = names.size();
    }
    float least = worths[members[0]], most = least;
    for (const NodeId v : members) {
      least = std::min(least, worths[v]);
      most = std::max(most, worths[v]);
    }
    const float scale = most > least ? static_cast<float>(kWorths) / (most - least) : 0;
    classes_.assign(snapshot_.node_count(), kNoClass);
    ParallelForEach(executor_, members.size(), 4096, [&](std::size_t i) {
      const auto worth = static_cast<std::size_t>((most - worths[members[i]]) * scale);
      classes_[members[i]] =
          static_cast<std::uint8_t>(type_of(members[i]) * kWorths + std::min(worth, kWorths - 1));
    });
    for (const NodeId v : members) {
      ++begins_[classes_[v] + 1];
      most_[classes_[v]] = std::max(most_[classes_[v]], worths[v]);
    }
    for (std::size_t c = 0; c < kClasses; ++c) begins_[c + 1] += begins_[c];
    std::array<std::uint32_t, kClasses + 1> next = begins_;
    nodes_.resize(members.size());
    worths_.resize(members.size());
    places_.resize(snapshot_.node_count());
    for (const NodeId v : members) {
      const std::uint32_t place = next[classes_[v]]++;
      places_[v] = place;
      nodes_[place] = v;
      worths_[place] = worths[v];
    }
  }

  // Whether each member of the class is of the carrier's type.
  static bool SameType(const Carrier& carrier, std::size_t c) {
    return carrier.type > 0 && carrier.type == c / kWorths;
  }

  void ReadPlaces(AnchorToken& token) const {
    std::vector<NodeId> found;
    found.reserve(token.length);
    NodeId before = kNoNode;
    snapshot_.ForEachArc(Direction::kIn, token.node, filter_, [&](const Arc& arc) {
      const NodeId v = arc.neighbor;
      if (v == std::exchange(before, v) || classes_[v] == kNoClass) return;
      found.push_back(v);
      ++token.begins[classes_[v] + 1];
    });
    for (std::size_t c = 0; c < kClasses; ++c) token.begins[c + 1] += token.begins[c];
    auto next = token.begins;
    token.places.resize(found.size());
    for (const NodeId v : found) token.places[next[classes_[v]]++] = places_[v];
  }

  void CountClass(const Carrier& carrier, std::size_t c, float least, Worker& worker) const {
    const float own = carrier.worth - (SameType(carrier, c) ? kTypesBound : 0);
    if (begins_[c] == begins_[c + 1] ||
        own + most_[c] + SharedBound(carrier.tags, kMostAnchorTerms) < least)
      return;
    for (const std::uint32_t number : carrier.tokens) {
      const AnchorToken& token = tokens_[number];
      const std::uint8_t full = token.tag ? kTags : kTerms, one = full & (kOneTag | 1);
      for (std::uint32_t at = token.begins[c]; at < token.begins[c + 1]; ++at) {
        std::uint8_t& count = worker.counts[token.places[at]];
        count += (count & full) == full ? 0 : one;
      }
    }
    const auto bound_of = [&](std::uint32_t count) {
      const std::uint32_t tags = (count & kTags) == kTags ? carrier.tags : count / kOneTag;
      return own + SharedBound(tags, count % kOneTag);
    };
    std::uint8_t enough = 1;  // terms, or any tag
    while (enough < kOneTag && bound_of(enough) + most_[c] < least) ++enough;
    for (std::size_t at = begins_[c]; at < begins_[c + 1]; at += kBlock) {
      std::uint8_t* const counts = worker.counts.data() + at;
      std::uint8_t most = 0;
      for (std::size_t i = 0; i < kBlock; ++i) most = std::max(most, counts[i]);
      if (most == 0) continue;
      const std::size_t end = std::min<std::size_t>(kBlock, begins_[c + 1] - at);
      for (std::size_t i = 0; most >= enough && i < end; ++i) {
        if (counts[i] < enough || nodes_[at + i] == carrier.node) continue;
        const float bound = bound_of(counts[i]) + worths_[at + i];
        if (bound >= least) worker.bounds[at + i] = std::max(worker.bounds[at + i], bound);
      }
      std::fill_n(counts, end, std::uint8_t{0});
    }
  }

  static constexpr std::uint8_t kNoClass = 255;

  const Snapshot& snapshot_;
  const bool stems_;
  const NodeSubset& pool_;
  Executor& executor_;
  const ArcFilter filter_;
  const NodeTypes type_of_;
  std::vector<AnchorToken> tokens_;
  std::vector<Carrier> carriers_;
  std::vector<NodeId> nodes_;                         // by place
  std::vector<float> worths_;                         // by place
  std::vector<std::uint8_t> classes_;                 // by node
  std::vector<std::uint32_t> places_;                 // by node that has a class
  std::array<std::uint32_t, kClasses + 1> begins_{};  // of classes
  std::array<float, kClasses> most_{};                // of worths, by class
  std::uint64_t visits_ = 0;
};

// The k-th best score of the pairs of `part` behind the cursor; the least of all when they are
// fewer.
Result<float> KthScore(const Snapshot& snapshot, const NeverComposedOptions& options,
                       const std::optional<PageEnd>& end, const NodeSubset& part,
                       Executor& executor) {
  NeverComposedOptions of_part = options;
  of_part.pool = &part;
  PLEXUS_ASSIGN(const SurfacePool pool, MakeSurfacePool(snapshot, of_part, executor));
  const SurfaceExtras none;
  const SurfaceScore score(pool, options, none);
  RankedRows after;
  if (end) after = RowsOf(pool, *end);
  const RankedList list = TopPairs(score, {options.top, end ? &after : nullptr}, executor);
  return static_cast<float>(list.sets.size() == options.top ? list.sets.back().score
                                                            : kLeastPairScore);
}

NodeSubset AtLeast(const std::vector<float>& bounds, float least, const NodeSubset& always) {
  std::vector<std::uint64_t> words((bounds.size() + 63) / 64);
  for (std::size_t v = 0; v < bounds.size(); ++v)
    if (bounds[v] >= least) words[v / 64] |= std::uint64_t{1} << (v % 64);
  return always.Unite(NodeSubset(static_cast<NodeId>(bounds.size()), std::move(words)));
}

}  // namespace

Result<std::optional<AnchoredMembers>> MembersByTags(const Snapshot& snapshot,
                                                     const NeverComposedOptions& options,
                                                     const std::optional<PageEnd>& end,
                                                     Executor& executor) {
  const std::optional<AnchoredMembers> none;
  if (options.tags.empty() || options.match == TagMatch::kBoth || options.arity != 2 ||
      options.level.value_or(SetLevel::kOpen) != SetLevel::kOpen || options.band ||
      WantsFit(options) || options.terms == TermRule::kAscii || !retrieval::HasTerms(snapshot))
    return none;
  PLEXUS_ASSIGN(const NodeSubset pool, PoolNodes(snapshot, options, executor));
  const NodeSubset carriers = pool.Intersect(TagCarriers(snapshot, options.tags, options.now_ms));
  if (carriers.count() > pool.count() / 16 || carriers.count() == 0) return none;
  NodeSubset always = carriers;
  if (end) {
    PLEXUS_ASSIGN(const NodeSubset last, NodeSubset::Of(snapshot, end->members));
    always = carriers.Unite(last.Intersect(pool));
  }
  PLEXUS_ASSIGN(const auto ledger, LedgerInside(snapshot, options.inside, &executor));
  PLEXUS_ASSIGN(float least, KthScore(snapshot, options, end, always, executor));
  PLEXUS_ASSIGN(const retrieval::TermRecord record, retrieval::ReadTermRecord(snapshot));
  AnchoredScan scan(snapshot, options, pool, !record.terms.stemmer.empty(), executor);
  NeverComposedOptions untagged = options;
  untagged.tags.clear();
  untagged.run.executor = &executor;
  scan.Read(carriers.ToList(), PairTerms::Make(snapshot, *ledger, pool, untagged));
  if (scan.visits() > kMostVisits * pool.count()) return none;
  // A few of the carriers tell how much is needed.
  const std::vector<float> first = scan.Bounds(scan.carriers() / kFirst + 1, least);
  std::vector<float> sorted = first;
  const auto last =
      sorted.begin() + std::min<std::ptrdiff_t>(kFirstMembers, std::ssize(sorted) - 1);
  std::ranges::nth_element(sorted, last, std::ranges::greater{});
  NodeSubset part = AtLeast(first, std::max(*last, least), always);
  PLEXUS_ASSIGN(const float better, KthScore(snapshot, options, end, part, executor));
  least = std::max(least, better);
  part = AtLeast(scan.Bounds(scan.carriers(), least), least, always);
  if (part.count() > pool.count() / 4) return none;
  return AnchoredMembers{std::move(part), pool.count()};
}

}  // namespace plexus::memory::internal
