// Every set, one lens after the other; each term as CONTRACTS and MEMORY have it.
#include "tests/reference/never_composed.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "tests/reference/ledger_reading.h"
#include "tests/reference/likely_ties.h"

namespace plexus::reference {

namespace {

using Names = std::set<std::string>;

constexpr std::array<std::string_view, 11> kBoundaries = {
    "time",   "chain",   "role",  "oracle",     "queue", "settlement",
    "keeper", "upgrade", "pause", "accounting", "scope"};

const std::map<std::string, double> kAdjustments = {
    {"accepted", 0.35},        {"helpful", 0.25},
    {"user_promoted", 0.20},   {"submitted", 0.15},
    {"needs_poc", -0.05},      {"user_demoted", -0.20},
    {"duplicate_risk", -0.35}, {"closed_by_duplicate", -0.40},
    {"dead_end", -0.45},       {"rejected", -0.45},
    {"bad_severity", -0.45},   {"closed_by_scope", -0.45},
    {"closed_by_user", -0.45}, {"closed_by_false_assumption", -0.45},
    {"expired_lane", -0.45},   {"success", 0.25},
    {"unhelpful", -0.20},      {"failed", -0.45},
    {"wrong", -0.45}};
const Names kSuccess = {"accepted", "helpful", "submitted", "user_promoted", "success"};
const Names kDuplicate = {"duplicate_risk", "closed_by_duplicate"};
const Names kClosed = {"dead_end",        "rejected",       "bad_severity",
                       "user_demoted",    "closed_by_user", "closed_by_false_assumption",
                       "closed_by_scope", "expired_lane",   "failed",
                       "wrong",           "unhelpful"};

Names Common(const Names& a, const Names& b) {
  Names both;
  for (const std::string& x : a)
    if (b.contains(x)) both.insert(x);
  return both;
}

bool IsBoundary(std::string tag) {
  for (char& c : tag)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return tag.starts_with("boundary-") ||
         std::find(kBoundaries.begin(), kBoundaries.end(), tag) != kBoundaries.end();
}

std::string_view Signal(const Names& outcomes) {
  const bool closed = !Common(outcomes, kClosed).empty();
  const bool duplicate = !Common(outcomes, kDuplicate).empty();
  const bool success = !Common(outcomes, kSuccess).empty();
  if (outcomes.empty()) return "clean";
  if ((closed || duplicate) && success) return "mixed_prior_outcomes";
  if (closed) return "prior_closed_door";
  if (duplicate) return "prior_duplicate_risk";
  if (success) return "prior_success";
  if (outcomes.contains("needs_poc")) return "prior_needs_poc";
  return "prior_outcome";
}

struct Pair {
  Names tags, terms, boundaries;
  double anchor = 0, band = 0, bridge = 0, fit = 0;
  std::optional<double> cosine;  // in the band
  bool composed = false, tied = false;
};

class Miner {
 public:
  Miner(const Snapshot& snapshot, const memory::NeverComposedOptions& options)
      : s_(snapshot), o_(options), r_(ReadLedger(snapshot, options)) {
    for (const auto& [v, facts] : r_.pool) pool_.push_back(v);
    for (std::size_t i = 0; i < pool_.size(); ++i)
      for (std::size_t j = i + 1; j < pool_.size(); ++j)
        pairs_[{pool_[i], pool_[j]}] = MakePair(i, j);
  }

  std::vector<memory::NeverComposedSet> Mine() {
    const auto size = static_cast<std::size_t>(o_.arity);
    if (o_.lens <= memory::FrontierLens::kSurface)
      ForEachSet({}, size, [&](auto& m) { Surface(m); });
    if (o_.lens == memory::FrontierLens::kBridge) ForEachSet({}, 2, [&](auto& m) { Bridge(m); });
    if (o_.lens == memory::FrontierLens::kDivergent) {
      ForEachSet({}, 2, [&](auto& m) { Divergent(m); });
      Juxtapose();
    }
    if (o_.lens == memory::FrontierLens::kLikely) {
      likely_ = ReadLikely(s_, o_);
      ForEachSet({}, size, [&](auto& m) { Likely(m); });
    }
    std::sort(found_.begin(), found_.end(), [](const auto& x, const auto& y) {
      return x.score != y.score ? x.score > y.score : x.members < y.members;
    });
    return std::move(found_);
  }

 private:
  const MemoryFacts& Facts(NodeId v) const { return r_.pool.at(v); }

  Pair MakePair(std::size_t i, std::size_t j) const {
    const MemoryFacts &a = Facts(pool_[i]), &b = Facts(pool_[j]);
    Pair p;
    p.tags = Common(a.tags, b.tags);
    for (const auto& [term, specificity] : a.terms)
      if (b.terms.contains(term)) p.terms.insert(term);
    Names all = a.tags;
    all.insert(b.tags.begin(), b.tags.end());
    for (const std::string& tag : all)
      if (IsBoundary(tag)) p.boundaries.insert(tag);
    p.cosine = Band(i, j);
    if (p.cosine) p.band = 1 + 2 * (*p.cosine - o_.band->least);
    const double shared = static_cast<double>(p.tags.size());
    const double distance = all.empty() ? 0 : 1 - shared / static_cast<double>(all.size());
    const double boundaries = std::min(static_cast<double>(p.boundaries.size()) / 4, 1.0);
    p.bridge = std::clamp(0.30 * distance + 0.20 * (a.type != b.type) + 0.25 * boundaries +
                              0.15 * !p.terms.empty() + 0.10 * !p.tags.empty(),
                          0.0, 1.0);
    p.anchor = 0.45 * shared + 0.25 * std::min(static_cast<double>(p.terms.size()), 5.0);
    p.fit = Fit(pool_[i], pool_[j]);
    for (const NodeId event : a.events) p.composed |= b.events.contains(event);
    p.tied = !p.tags.empty() || !p.terms.empty() || p.cosine;
    return p;
  }

  std::optional<double> Band(std::size_t i, std::size_t j) const {
    const auto &a = Facts(pool_[i]).vector, &b = Facts(pool_[j]).vector;
    if (!o_.band || j >= o_.band->pool_limit || a.empty() || b.empty()) return {};
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      ab += double{a[k]} * double{b[k]};
      aa += double{a[k]} * double{a[k]};
      bb += double{b[k]} * double{b[k]};
    }
    if (aa == 0 || bb == 0) return {};
    const double cosine = ab / std::sqrt(aa * bb);
    if (cosine < o_.band->least || cosine >= o_.band->below) return {};
    return cosine;
  }

  double Fit(NodeId a, NodeId b) const {
    double ab = 0, aa = 0, bb = 0;
    for (const auto& [slot, count] : r_.profiles.at(a)) {
      aa += count * count;
      if (const auto other = r_.profiles.at(b).find(slot); other != r_.profiles.at(b).end())
        ab += count * other->second;
    }
    for (const auto& [slot, count] : r_.profiles.at(b)) bb += count * count;
    return aa == 0 || bb == 0 ? 0 : ab / std::sqrt(aa * bb);
  }

  template <class Fn>
  void ForEachSet(const std::vector<NodeId>& begun, std::size_t size, Fn&& fn) {
    if (begun.size() == size) return fn(begun);
    for (const NodeId v : pool_)
      if (begun.empty() || v > begun.back()) {
        std::vector<NodeId> longer = begun;
        longer.push_back(v);
        ForEachSet(longer, size, fn);
      }
  }

  template <class Fn>
  void ForEachPair(const std::vector<NodeId>& members, Fn&& fn) const {
    for (std::size_t i = 0; i < members.size(); ++i)
      for (std::size_t j = i + 1; j < members.size(); ++j)
        fn(members[i], members[j], pairs_.at({members[i], members[j]}));
  }

  bool Wanted(const std::vector<NodeId>& members) const {
    if (o_.tags.empty()) return true;
    std::size_t carriers = 0;
    for (const NodeId v : members) {
      bool carries = false;
      for (const std::string& tag : Facts(v).tags)
        for (const std::string& wanted : o_.tags)
          carries |= tag == wanted || tag.starts_with(wanted + ":");
      carriers += carries;
    }
    return o_.match == memory::TagMatch::kBoth ? carriers == members.size() : carriers > 0;
  }

  // What all lenses say of a set; false: it is none that may be listed.
  bool Describe(const std::vector<NodeId>& members, memory::NeverComposedSet& set) const {
    for (const auto& event : r_.events)
      if (std::all_of(members.begin(), members.end(), [&](NodeId v) { return event.contains(v); }))
        return false;
    if (!Wanted(members)) return false;
    set.members = members;
    Names tags, boundaries, outcomes;
    std::map<std::string, double> terms;
    double composed = 0, pairs = 0, fit = 0;
    ForEachPair(members, [&](NodeId a, NodeId, const Pair& p) {
      tags.insert(p.tags.begin(), p.tags.end());
      boundaries.insert(p.boundaries.begin(), p.boundaries.end());
      for (const std::string& term : p.terms) terms[term] = Facts(a).terms.at(term);
      composed += p.composed;
      pairs += 1;
      fit += p.fit;
    });
    set.structural_fit = fit / pairs;
    if (*set.structural_fit < o_.min_structural_fit) return false;
    set.level = composed == 0       ? memory::SetLevel::kOpen
                : composed == pairs ? memory::SetLevel::kClosedWedge
                                    : memory::SetLevel::kPartial;
    if (o_.level && set.level != *o_.level) return false;
    double trust = 0;
    set.min_trust = 1e300;
    for (const NodeId v : members) {
      set.novelty += 1 / (1 + static_cast<double>(Facts(v).events.size()));
      trust += Facts(v).trust;
      set.min_trust = std::min(set.min_trust, Facts(v).trust);
      outcomes.insert(Facts(v).outcomes.begin(), Facts(v).outcomes.end());
    }
    const double count = static_cast<double>(members.size());
    set.novelty /= count;
    set.mean_trust = std::clamp(trust / count, 0.0, 1.0);
    set.min_trust = std::clamp(set.min_trust, 0.0, 1.0);
    for (const std::string& type : outcomes)
      if (kAdjustments.contains(type)) set.adjustment += kAdjustments.at(type);
    set.adjustment = std::clamp(set.adjustment, -0.8, 0.5);
    set.shared_tags.assign(tags.begin(), tags.end());
    set.boundary_tags.assign(boundaries.begin(), boundaries.end());
    set.prior_outcomes.assign(outcomes.begin(), outcomes.end());
    set.outcome_signal = Signal(outcomes);
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [term, specificity] : terms) order.emplace_back(-specificity, term);
    std::sort(order.begin(), order.end());
    if (order.size() > 8) order.resize(8);
    for (const auto& [specificity, term] : order) set.shared_terms.push_back(term);
    return true;
  }

  void Score(memory::NeverComposedSet& set, double band) {
    const bool least = o_.trust == memory::TrustRule::kWeakest || set.members.size() > 2;
    set.terms = {{"anchor", set.anchor, 1},
                 {"band", band, 1},
                 {"bridge", set.bridge, 2},
                 {"novelty", set.novelty, 1.5},
                 {"trust", least ? set.min_trust : set.mean_trust, 1},
                 {"adjustment", set.adjustment, 1},
                 {"structural_fit", *set.structural_fit, o_.structural_fit_weight}};
    Add(set);
  }
  void Add(memory::NeverComposedSet& set) {
    set.score = 0;
    for (const retrieval::ScoreTerm& term : set.terms) set.score += term.value * term.weight;
    set.score = std::floor(set.score * 1e10 + 0.6180339887498949) / 1e10;  // ties are equal bits
    found_.push_back(set);
  }

  void Surface(const std::vector<NodeId>& members) {
    std::set<NodeId> tied;
    double pairs = 0, band = 0;
    memory::NeverComposedSet set;
    ForEachPair(members, [&](NodeId a, NodeId b, const Pair& p) {
      if (p.tied || (members.size() > 2 && p.composed)) {
        tied.insert(a);
        tied.insert(b);
      }
      if (p.cosine && members.size() == 2) set.cosine = p.cosine;
      pairs += 1;
      set.anchor += p.anchor;
      band += p.band;
      set.bridge += p.bridge;
    });
    if (tied.size() < members.size() || !Describe(members, set)) return;
    set.anchor /= pairs;
    set.bridge /= pairs;
    Score(set, band / pairs);
    if (members.size() == 2 && set.score < 1.6) found_.pop_back();
  }

  void Likely(const std::vector<NodeId>& members) {
    double ties = 0, pairs = 0, act = 1e300;
    for (std::size_t i = 0; i < members.size(); ++i) {
      act = std::min(act, likely_.act(members[i]));
      for (std::size_t j = i + 1; j < members.size(); ++j, ++pairs)
        ties += std::log(likely_.tie(members[i], members[j]));
    }
    memory::NeverComposedSet set;
    if (std::isinf(ties) || !Describe(members, set)) return;
    const bool least = o_.trust == memory::TrustRule::kWeakest || members.size() > 2;
    set.anchor = std::exp(ties / pairs);
    set.terms = {{"tie", ties / pairs, 1},
                 {"activity", std::log(0.1 + act), o_.likely.activity_weight},
                 {"trust", least ? set.min_trust : set.mean_trust, o_.likely.trust_weight},
                 {"adjustment", set.adjustment, o_.likely.outcome_weight},
                 {"structural_fit", *set.structural_fit, o_.structural_fit_weight}};
    Add(set);
  }

  // Hops from `from` over `arcs`, at most so many.
  static std::map<NodeId, std::uint32_t> Hops(const std::map<NodeId, std::set<NodeId>>& arcs,
                                              NodeId from, std::uint32_t most) {
    std::map<NodeId, std::uint32_t> hops = {{from, 0}};
    for (std::uint32_t h = 0; h < most; ++h)
      for (const auto& [v, there] : std::map<NodeId, std::uint32_t>(hops)) {
        if (there != h || !arcs.contains(v)) continue;
        for (const NodeId u : arcs.at(v)) hops.emplace(u, h + 1);
      }
    return hops;
  }

  void Bridge(const std::vector<NodeId>& members) {
    const auto to_end = Hops(r_.walked, members[1], 3);
    const auto found = to_end.find(members[0]);
    memory::NeverComposedSet set;
    if (found == to_end.end() || !Describe(members, set)) return;
    set.hops = found->second;
    set.bridge = 1.0 / set.hops;
    set.anchor = 1.5 + set.bridge;
    set.proof = {members[0]};
    while (set.proof.back() != members[1]) {
      for (const NodeId next : r_.walked.at(set.proof.back()))
        if (to_end.contains(next) && to_end.at(next) + 1 == to_end.at(set.proof.back())) {
          set.proof.push_back(next);
          break;
        }
    }
    Score(set, 0);
  }

  const std::set<NodeId>& Typed(NodeId v) const {
    static const std::set<NodeId> none;
    const auto at = r_.walked.find(v);
    return at == r_.walked.end() ? none : at->second;
  }
  std::uint32_t PathMin(NodeId a, NodeId b) const {
    const auto hops = Hops(r_.fact_neighbors, a, 6);
    const auto at = hops.find(b);
    return at == hops.end() ? 7 : at->second;
  }
  // Fit is a term of every lens.
  void AddDivergent(memory::NeverComposedSet& set, std::string_view name) {
    set.terms = {{name, set.divergence, static_cast<double>(set.hops)},
                 {"structural_fit", *set.structural_fit, o_.structural_fit_weight}};
    Add(set);
  }

  void Divergent(const std::vector<NodeId>& members) {
    const auto &a = Typed(members[0]), &b = Typed(members[1]);
    memory::NeverComposedSet set;
    if (a.empty() || b.empty() || r_.recorded.contains({members[0], members[1]}) ||
        !Describe(members, set))
      return;
    double common = 0;
    for (const NodeId v : a) common += b.contains(v);
    set.divergence = 1 - common / std::sqrt(static_cast<double>(a.size() * b.size()));
    if (set.divergence < 1e-12) return;
    set.hops = PathMin(members[0], members[1]);
    AddDivergent(set, "divergence");
  }

  // The order of the sampler: within a bucket never-composed first, then trust, then id; buckets by
  // their first member, taken from in turn.
  std::vector<NodeId> Spread() const {
    std::vector<NodeId> order = pool_;
    std::sort(order.begin(), order.end(), [&](NodeId x, NodeId y) {
      const MemoryFacts &a = Facts(x), &b = Facts(y);
      return std::tuple(!a.events.empty(), -a.trust, x) <
             std::tuple(!b.events.empty(), -b.trust, y);
    });
    using Bucket = std::tuple<std::string, std::string, int>;
    std::vector<std::pair<Bucket, std::vector<NodeId>>> buckets;
    for (const NodeId v : order) {
      int month = -1'000'000;
      if (Facts(v).created_at != kNoTime) {
        const std::chrono::sys_time<std::chrono::milliseconds> at{
            std::chrono::milliseconds(Facts(v).created_at)};
        const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(at)};
        month = static_cast<int>(day.year()) * 12 + static_cast<int>(unsigned{day.month()});
      }
      const Bucket key{Facts(v).scope, Facts(v).type, month};
      auto at = std::find_if(buckets.begin(), buckets.end(),
                             [&](const auto& bucket) { return bucket.first == key; });
      if (at == buckets.end()) at = buckets.insert(at, {key, {}});
      at->second.push_back(v);
    }
    std::vector<NodeId> spread;
    for (std::size_t turn = 0; spread.size() < order.size(); ++turn)
      for (const auto& bucket : buckets)
        if (turn < bucket.second.size()) spread.push_back(bucket.second[turn]);
    return spread;
  }

  // Matchings i, i ^ round: every pair once. Positions are counted, then evaluations; of what was
  // evaluated the farthest `top` pairs stay, ties in the order of the sampler.
  void Juxtapose() {
    std::vector<memory::NeverComposedSet> lane = Sampled();
    std::stable_sort(lane.begin(), lane.end(),
                     [](const auto& x, const auto& y) { return x.hops > y.hops; });
    if (lane.size() > o_.top) lane.resize(o_.top);
    for (memory::NeverComposedSet& set : lane) AddDivergent(set, "juxtaposition");
  }
  std::vector<memory::NeverComposedSet> Sampled() const {
    std::vector<memory::NeverComposedSet> sampled;
    const std::vector<NodeId> spread = Spread();
    std::size_t positions = std::max<std::size_t>(64 * o_.top, 4096);
    const std::size_t evaluations = std::max<std::size_t>(16 * o_.top, 256);
    for (std::size_t round = 1; round < 2 * spread.size(); ++round)
      for (std::size_t i = 0; i < spread.size(); ++i) {
        const std::size_t j = i ^ round;
        if (j <= i || j >= spread.size()) continue;
        if (positions == 0 || sampled.size() == evaluations) return sampled;
        --positions;
        const std::vector<NodeId> members = {std::min(spread[i], spread[j]),
                                             std::max(spread[i], spread[j])};
        memory::NeverComposedSet set;
        if ((!Typed(members[0]).empty() && !Typed(members[1]).empty()) ||
            r_.recorded.contains({members[0], members[1]}) || !Describe(members, set))
          continue;
        set.hops = PathMin(members[0], members[1]);
        sampled.push_back(set);
      }
    return sampled;
  }

  const Snapshot& s_;
  const memory::NeverComposedOptions& o_;
  const LedgerReading r_;
  LikelyTies likely_;
  std::vector<NodeId> pool_;
  std::map<std::pair<NodeId, NodeId>, Pair> pairs_;
  std::vector<memory::NeverComposedSet> found_;
};

}  // namespace

std::vector<memory::NeverComposedSet> NeverComposed(const Snapshot& snapshot,
                                                    const memory::NeverComposedOptions& options) {
  return Miner(snapshot, options).Mine();
}

}  // namespace plexus::reference
