// Each source adds its items; then one sort.
#include "algorithms/memory/decisions/decisions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "algorithms/common/internal/top_k.h"
#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/visibility/visibility.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::memory {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::array<std::string_view, kWorkKinds> kWorkNames = {
    "conflict", "blocked_root", "overdue", "stale", "frontier", "low_cluster"};

std::string Key(const Snapshot& snapshot, NodeId node) {
  return "'" + std::string(DisplayName(snapshot.key(node))) + "'";
}

// later - earlier in ms as a number, which two times of any size have; at least 0.
double Elapsed(std::int64_t earlier, std::int64_t later) {
  return std::max(0.0, static_cast<double>(later) - static_cast<double>(earlier));
}

std::string Days(double ms) {
  const auto days = static_cast<std::int64_t>(std::min(ms / static_cast<double>(kDayMs), 1e15));
  return std::to_string(days) + (days == 1 ? " day" : " days");
}

// An item before its reason is written, which only those on the list need.
struct Found {
  double score = 0, value = 0, weight = 0;
  NodeId node = kNoNode, other = kNoNode;
  WorkKind kind = WorkKind::kConflict;
  bool due = false;      // overdue by its column
  double amount = 0;     // ms, decisions held up, or of a cluster
  std::size_t pair = 0;  // kFrontier: of `pairs_`
};

bool Before(const Found& a, const Found& b) {
  if (a.score != b.score) return a.score > b.score;
  return std::tie(a.kind, a.node, a.other) < std::tie(b.kind, b.node, b.other);
}

class Queue {
 public:
  Queue(const Snapshot& snapshot, const WorkQueueOptions& options, const SalienceResult& salience)
      : snapshot_(snapshot), options_(options), salience_(salience) {}

  Status Run() {
    if (Wants(WorkKind::kConflict)) PLEXUS_TRY(AddConflicts());
    if (Wants(WorkKind::kBlockedRoot)) PLEXUS_TRY(AddBlocked());
    const std::vector<NodeId> nodes = salience_.nodes.ToList();
    PLEXUS_ASSIGN(const auto states,
                  StatusOf(snapshot_, nodes, snapshot_.TimeOr(options_.decisions.now_ms)));
    const auto due = DueColumn();
    for (const DecisionStatus& state : states) {
      if (!state.active) continue;
      if (Wants(WorkKind::kOverdue)) AddOverdue(state, due);
      if (Wants(WorkKind::kStale)) AddStale(state.node);
    }
    if (Wants(WorkKind::kLowCluster)) AddClusters(states);
    return Wants(WorkKind::kFrontier) ? AddFrontier() : Status();
  }

  WorkQueueResult Take() {
    WorkQueueResult result;
    result.truncated = salience_.truncated || truncated_;
    if (options_.each > 0) {
      std::ranges::sort(found_, Before);
      std::array<std::size_t, kWorkKinds> of{};
      std::erase_if(found_, [&](const Found& f) {
        return ++of[static_cast<std::size_t>(f.kind)] > options_.each;
      });
    }
    result.total = found_.size();
    common_internal::SortTopK(found_, options_.top, Before);
    for (const Found& f : found_)
      result.items.push_back({f.kind, f.node, f.other, f.score, f.value, f.weight, ReasonOf(f)});
    return result;
  }

 private:
  bool Wants(WorkKind kind) const {
    const std::vector<WorkKind>& kinds = options_.kinds;
    return kinds.empty() || std::ranges::find(kinds, kind) != kinds.end();
  }

  Status AddConflicts() {
    PLEXUS_ASSIGN(const auto conflicts, DecisionContradictions(snapshot_, options_.decisions));
    truncated_ = conflicts.truncated;
    for (const Conflict& c : conflicts.conflicts)
      Add({.node = c.a, .other = c.b, .kind = WorkKind::kConflict},
          (1 + std::max(salience_.percentiles[c.a], salience_.percentiles[c.b])) / 2,
          options_.conflict_weight);
    return {};
  }

  Status AddBlocked() {
    PLEXUS_ASSIGN(const auto blocked, BlockedChains(snapshot_, {.decisions = options_.decisions}));
    for (const BlockingRoot& root : blocked.roots) {
      const auto held = static_cast<double>(root.blocked_count);
      Add({.node = root.node, .kind = WorkKind::kBlockedRoot, .amount = held}, held / (held + 1),
          options_.blocked_weight);
    }
    return {};
  }

  // Components over the edges between active decisions, each by its smallest key.
  void AddClusters(const std::vector<DecisionStatus>& states) {
    std::unordered_map<NodeId, NodeId> parent;
    for (const DecisionStatus& state : states)
      if (state.active) parent.emplace(state.node, state.node);
    const auto root = [&](NodeId v) {
      while (parent[v] != v) v = parent[v] = parent[parent[v]];
      return v;
    };
    for (const DecisionStatus& state : states) {
      if (!state.active) continue;
      snapshot_.ForEachArc(Direction::kOut, state.node, Relations(), [&](const Arc& arc) {
        if (!parent.contains(arc.neighbor)) return;
        const NodeId a = root(state.node), b = root(arc.neighbor);
        parent[std::max(a, b)] = std::min(a, b);
      });
    }
    struct Cluster {
      NodeId first = kNoNode;
      std::size_t size = 0;
      double most = 0;
    };
    std::map<NodeId, Cluster> clusters;
    for (const DecisionStatus& state : states) {
      if (!state.active) continue;
      Cluster& cluster = clusters[root(state.node)];
      if (cluster.size++ == 0 || snapshot_.key(state.node) < snapshot_.key(cluster.first))
        cluster.first = state.node;
      cluster.most = std::max(cluster.most, salience_.percentiles[state.node]);
    }
    for (const auto& [root_of, cluster] : clusters) {
      if (cluster.size < 2 || cluster.most > options_.low_percentile) continue;
      const auto size = static_cast<double>(cluster.size);
      Add({.node = cluster.first, .kind = WorkKind::kLowCluster, .amount = size},
          (1 - cluster.most) * size / (size + 2), options_.cluster_weight);
    }
  }

  ArcFilter Relations() const {
    return ArcFilter::Kinds(snapshot_.schema(), {})
        .ValidAt(snapshot_.TimeOr(options_.decisions.now_ms));
  }

  bool Linked(NodeId a, NodeId b) const {
    bool linked = false;
    snapshot_.ForEachArc(Direction::kBoth, a, Relations(), [&](const Arc& arc) {
      linked = arc.neighbor == b;
      return !linked;
    });
    return linked;
  }

  void Add(Found found, double value, double weight) {
    found.score = value * weight;
    found.value = value;
    found.weight = weight;
    found_.push_back(found);
  }

  std::string ReasonOf(const Found& f) const {
    switch (f.kind) {
      case WorkKind::kConflict:
        return Key(snapshot_, f.node) + " and " + Key(snapshot_, f.other) +
               " contradict each other";
      case WorkKind::kBlockedRoot: {
        const auto holds = static_cast<std::uint64_t>(f.amount);
        return "holds up " + std::to_string(holds) + (holds == 1 ? " decision" : " decisions");
      }
      case WorkKind::kOverdue:
        return (f.due ? "due since " : "without an outcome for ") + Days(f.amount);
      case WorkKind::kStale:
        return "much stands on it, and it was not touched for " + Days(f.amount);
      case WorkKind::kFrontier:
        return pairs_[f.pair].reason;
      case WorkKind::kLowCluster:
        return std::to_string(static_cast<std::uint64_t>(f.amount)) +
               " decisions hang together, and few others need them";
    }
    return {};
  }

  std::optional<ColumnId> DueColumn() const {
    const auto column = snapshot_.schema().FindColumn(options_.due_column);
    if (!column || snapshot_.schema().columns()[*column].type != ColumnType::kI64)
      return std::nullopt;
    return column;
  }

  void AddOverdue(const DecisionStatus& state, std::optional<ColumnId> column) {
    if (state.recorded) return;
    const std::int64_t now = snapshot_.TimeOr(options_.decisions.now_ms);
    const auto period = static_cast<double>(options_.period_ms);
    double late = -1, amount = 0;
    std::optional<std::int64_t> due;
    if (column) due = snapshot_.i64(*column, state.node);
    const auto created = snapshot_.i64(builtin::kCreatedAt, state.node);
    if (due) {
      if (*due <= now) late = Elapsed(*due, now);
      amount = late;
    } else if (created) {
      amount = Elapsed(*created, now);
      late = amount - period;
    }
    if (late < 0) return;
    Add({.node = state.node, .kind = WorkKind::kOverdue, .due = due.has_value(), .amount = amount},
        (1 + late / (late + period)) / 2, options_.overdue_weight);
  }

  void AddStale(NodeId node) {
    const double percentile = salience_.percentiles[node];
    if (percentile < options_.stale_percentile) return;
    const auto created = snapshot_.i64(builtin::kCreatedAt, node);
    const auto accessed = snapshot_.i64(builtin::kAccessedAt, node);
    if (!created && !accessed) return;
    const double age = Elapsed(std::max(created.value_or(INT64_MIN), accessed.value_or(INT64_MIN)),
                               snapshot_.TimeOr(options_.decisions.now_ms));
    const auto period = static_cast<double>(options_.period_ms);
    if (age < period) return;
    Add({.node = node, .kind = WorkKind::kStale, .amount = age}, percentile * age / (age + period),
        options_.stale_weight);
  }

  // Only visible decisions are in the pool.
  Status AddFrontier() {
    if (options_.frontier == 0) return {};
    const DecisionOptions& decisions = options_.decisions;
    const auto found =
        VisibleIn(snapshot_, decisions.now_ms, &salience_.nodes, {.run = decisions.run});
    if (RanOut(found)) {
      truncated_ = true;
      return {};
    }
    PLEXUS_ASSIGN(const Visible visible, found);
    if (visible.nodes.count() < 2) return {};
    NeverComposedOptions options;
    options.now_ms = visible.now_ms;
    options.pool = &visible.nodes;
    options.inside = decisions.inside;
    options.run = decisions.run;
    // Pairs that an edge links are passed over: more are asked for until enough are left.
    for (options.top = options_.frontier;; options.top *= 2) {
      options.top = std::min(options.top, kMaxNeverComposedTop);
      PLEXUS_ASSIGN(NeverComposedPage page, NeverComposed(snapshot_, options));
      const bool all = page.sets.size() < options.top || options.top == kMaxNeverComposedTop;
      std::erase_if(page.sets, [&](const NeverComposedSet& set) {
        return Linked(set.members[0], set.members[1]);
      });
      if (!all && !page.truncated && page.sets.size() < options_.frontier) continue;
      truncated_ = truncated_ || page.truncated;
      lens_ = page.lens;
      page.sets.resize(std::min(page.sets.size(), options_.frontier));
      pairs_ = std::move(page.sets);
      break;
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      Add({.node = pairs_[i].members[0],
           .other = pairs_[i].members[1],
           .kind = WorkKind::kFrontier,
           .pair = i},
          ValueOfPair(pairs_[i].score), options_.frontier_weight);
    return {};
  }

  double ValueOfPair(double score) const {
    return lens_ == FrontierLens::kLikely ? 1 / (1 + std::exp(-score)) : score / (score + 2);
  }

  const Snapshot& snapshot_;
  const WorkQueueOptions& options_;
  const SalienceResult& salience_;
  std::vector<Found> found_;
  std::vector<NeverComposedSet> pairs_;
  FrontierLens lens_ = FrontierLens::kSurface;  // Of pairs_.
  bool truncated_ = false;
};

}  // namespace

std::string_view WorkName(WorkKind kind) { return kWorkNames[static_cast<std::size_t>(kind)]; }

Result<WorkQueueResult> WorkQueue(const Snapshot& snapshot, const WorkQueueOptions& options) try {
  for (const double share :
       {options.conflict_weight, options.blocked_weight, options.overdue_weight,
        options.stale_weight, options.stale_percentile, options.frontier_weight,
        options.cluster_weight, options.low_percentile})
    if (!(share >= 0 && share <= 1)) return Invalid("weights and percentiles are 0 to 1");
  if (options.period_ms <= 0) return Invalid("period_ms is above 0");
  PLEXUS_ASSIGN(const SalienceResult salience,
                Salience(snapshot, {.decisions = options.decisions}));
  Queue queue(snapshot, options, salience);
  PLEXUS_TRY(queue.Run());
  return queue.Take();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
