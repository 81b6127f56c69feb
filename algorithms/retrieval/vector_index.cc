// Rows are named by their number in the table. Numbers mean the same as long as rows lie where they
// did: the index keeps the view of its last update alive, so an address is never used again, and a
// snapshot whose row lies elsewhere has another table. The rows of two views that are the same are
// the first ones, since tables only append.
#include "algorithms/retrieval/vectors.h"

#include <algorithm>
#include <random>
#include <shared_mutex>
#include <string>
#include <utility>

#include "algorithms/common/internal/top_k.h"
#include "algorithms/retrieval/internal/vectors/candidate_search.h"
#include "algorithms/retrieval/internal/vectors/hnsw_graph.h"
#include "engine/out_of_memory.h"

namespace plexus::retrieval {

using namespace internal;

// One graph, from its first row on.
struct VectorIndex::Built {
  explicit Built(const HnswOptions& options) : graph(options) {}

  // Questions share, an update excludes them; who waits to exclude is not overtaken.
  std::shared_lock<std::shared_mutex> Share() const {
    const std::lock_guard queue(turnstile);
    return std::shared_lock(lock);
  }
  // The first so many rows of `view` are rows of this graph. REQUIRES a lock.
  std::uint32_t CommonRows(const VectorView& of) const {
    const auto same = [&](std::uint32_t row) {
      return view.rows_from(row).first == of.rows_from(row).first;
    };
    std::uint32_t end = std::min(rows, of.row_count());
    if (end == 0 || same(end - 1)) return end;
    std::uint32_t begin = 0;
    while (begin < end) {
      const std::uint32_t middle = begin + (end - begin) / 2;
      if (same(middle))
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  }

  mutable std::mutex turnstile;
  mutable std::shared_mutex lock;
  HnswGraph graph;
  VectorView view;         // of the last update
  std::uint32_t rows = 0;  // the first of `view`: in the graph, or dead since `from`
  Sequence from{};         // snapshots from here on see no row that was left out
  Sequence newest{};       // of the last update
};

namespace {

Error OutOfRange(std::string_view option, std::uint64_t least, std::uint64_t most,
                 std::uint64_t given) {
  return {ErrorCode::kInvalidArgument, std::string(option) + " must be " + std::to_string(least) +
                                           " to " + std::to_string(most) + ", not " +
                                           std::to_string(given)};
}

std::uint32_t DeadRows(const VectorView& view, std::uint32_t rows) {
  std::uint32_t dead = 0;
  for (std::uint32_t row = 0; row < rows; ++row) dead += view.node_of_row(row) == kNoNode;
  return dead;
}

constexpr std::size_t kMostWidth = 1'000'000, kMostSample = 100'000;
constexpr std::uint32_t kRowsAtOnce = 16;  // added while questions wait

}  // namespace

VectorIndex::VectorIndex(SpaceId space, Metric metric, const VectorIndexOptions& options)
    : space_(space), metric_(metric), options_(options) {}
VectorIndex::~VectorIndex() = default;

Result<std::unique_ptr<VectorIndex>> VectorIndex::Make(const Snapshot& snapshot, SpaceId space,
                                                       const VectorIndexOptions& options) try {
  if (!snapshot.space(space)) return Invalid("there is no such vector space");
  if (options.links < 2 || options.links > 128)
    return std::unexpected(OutOfRange("links", 2, 128, options.links));
  if (options.build_width < options.links || options.build_width > 10'000)
    return std::unexpected(OutOfRange("build_width", options.links, 10'000, options.build_width));
  const Metric metric = options.metric.value_or(snapshot.schema().spaces()[space].metric);
  return std::unique_ptr<VectorIndex>(new VectorIndex(space, metric, options));
}
PLEXUS_CATCH_NO_MEMORY

std::shared_ptr<VectorIndex::Built> VectorIndex::built() const {
  const std::lock_guard lock(built_mutex_);
  return built_;
}

std::uint64_t VectorIndex::rows() const {
  const auto now = built();
  if (!now) return 0;
  const auto shared = now->Share();
  return now->graph.size();
}

std::uint64_t VectorIndex::size_bytes() const {
  const auto now = built();
  if (!now) return sizeof(*this);
  const auto shared = now->Share();
  return sizeof(*this) + sizeof(Built) + now->graph.size_bytes();
}

Result<IndexUpdate> VectorIndex::Update(const Snapshot& snapshot, const RunOptions& run) try {
  const std::lock_guard one_at_a_time(updating_);
  PLEXUS_ASSIGN(const VectorView* view, snapshot.vectors(space_));
  const auto keep = [&](std::shared_ptr<Built> made) {
    const std::lock_guard lock(built_mutex_);
    built_ = std::move(made);
  };
  IndexUpdate done;
  // Only this function changes what is built, so it reads without the lock.
  std::shared_ptr<Built> now = built();
  if (now && snapshot.sequence() < now->newest) return done;
  const auto worn = [&] {
    const std::uint32_t dead = DeadRows(*view, now->rows);
    const std::uint64_t in_graph = now->graph.size();
    const std::uint64_t left_out = now->rows - in_graph;  // were dead before
    return dead > left_out && 4 * (dead - left_out) > in_graph;
  };
  if (!now || now->CommonRows(*view) < now->rows || worn()) {
    done.rebuilt = now != nullptr;
    now = std::make_shared<Built>(HnswOptions{.dimensions = view->dimensions(),
                                              .metric = metric_,
                                              .links = options_.links,
                                              .build_width = options_.build_width,
                                              .seed = options_.seed,
                                              .level = options_.level});
    now->view = *view;
    keep(now);
  }
  bool first = true;
  VectorBuffer buffer;
  while (true) {
    const std::lock_guard queue(now->turnstile);
    const std::lock_guard excluded(now->lock);
    if (std::exchange(first, false)) {
      now->view = *view;
      now->newest = snapshot.sequence();
      now->graph.Reserve(now->graph.size() + std::min<std::uint64_t>(view->row_count() - now->rows,
                                                                     view->live_count()));
    }
    if (now->rows == view->row_count()) break;
    done.truncated = done.added >= run.budget.nodes || run.budget.Interrupted();
    if (done.truncated) break;
    const std::uint64_t most = std::min<std::uint64_t>(kRowsAtOnce, run.budget.nodes - done.added);
    for (std::uint64_t added = 0; added < most && now->rows < view->row_count(); ++now->rows) {
      if (view->node_of_row(now->rows) == kNoNode) {
        now->from = snapshot.sequence();
        continue;
      }
      if (Status status = now->graph.Add(view->row(now->rows, buffer).data(), now->rows); !status) {
        keep(nullptr);
        return std::unexpected(status.error());
      }
      ++added;
      ++done.added;
    }
  }
  done.pending = view->row_count() - now->rows;
  return done;
}
PLEXUS_CATCH_NO_MEMORY

Result<IndexNearestResult> VectorIndex::Nearest(const Snapshot& snapshot,
                                                std::span<const float> query,
                                                const IndexNearestOptions& options) const try {
  if (options.width < 1 || options.width > kMostWidth)
    return std::unexpected(OutOfRange("width", 1, kMostWidth, options.width));
  PLEXUS_ASSIGN(const SpaceQuery prepared,
                SpaceQuery::Make(snapshot, space_, query, metric_, options_.level));
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, GraphFilter{.subset = options.subset}));
  const VectorView& view = prepared.view();
  IndexNearestResult result;
  std::vector<NodeId> nodes;
  const auto take = [&](std::uint32_t row) {
    const NodeId node = view.node_of_row(row);
    if (node != kNoNode && node != options.skip && selection.contains(node) && view.has(node))
      nodes.push_back(node);
  };
  // The candidates of the graph; 0 rows: it is of no use here.
  const auto search = [&]() -> Result<std::uint32_t> {
    const std::uint32_t all = view.row_count();
    if (options.top == 0 || (options.subset && options.subset->count() < all / 4)) return 0;
    const std::shared_ptr<Built> now = built();
    if (!now) return 0;
    const auto shared = now->Share();
    if (snapshot.sequence() < now->from) return 0;
    const std::uint32_t common = now->CommonRows(view);
    for (std::size_t width = std::max(options.width, options.top); width <= common / 8;
         width *= 4) {
      nodes.clear();
      PLEXUS_ASSIGN(const std::vector<std::uint32_t> rows, now->graph.Search(query.data(), width));
      for (const std::uint32_t row : rows)
        if (row < common) take(row);
      result.width = width;
      if (nodes.size() >= options.top || options.run.budget.Interrupted()) return common;
    }
    return 0;
  };
  PLEXUS_ASSIGN(const std::uint32_t common, search());
  NearestRanks found;
  if (common == 0) {
    result.width = 0;
    PLEXUS_ASSIGN(found, RankNearest(snapshot, prepared,
                                     {.top = options.top,
                                      .metric = metric_,
                                      .subset = options.subset,
                                      .skip = options.skip,
                                      .level = options_.level,
                                      .run = options.run}));
  } else {
    const std::size_t candidates = nodes.size();
    for (std::uint32_t row = common; row < view.row_count(); ++row) take(row);
    result.scanned = nodes.size() - candidates;
    common_internal::StoppableExecutor executor(common_internal::Pick(options.run.executor),
                                                options.run.budget);
    found = RankNodesWithin(prepared, std::move(nodes), options.run.budget, executor);
    common_internal::SortTopK(found.ranked, options.top);
  }
  result.measured = found.measured;
  result.truncated = found.truncated;
  result.hits.reserve(found.ranked.size());
  for (const RankedNode& ranked : found.ranked) result.hits.push_back(prepared.ToSimilar(ranked));
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<IndexRecall> VectorIndex::MeasureRecall(const Snapshot& snapshot,
                                               const IndexRecallOptions& options) const try {
  if (options.top == 0) return Invalid("top must be at least 1");
  if (options.sample < 1 || options.sample > kMostSample)
    return std::unexpected(OutOfRange("sample", 1, kMostSample, options.sample));
  PLEXUS_ASSIGN(const VectorView* view, snapshot.vectors(space_));
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, GraphFilter{}));
  std::vector<NodeId> nodes;
  for (std::uint32_t row = 0; row < view->row_count(); ++row)
    if (const NodeId node = view->node_of_row(row);
        node != kNoNode && selection.contains(node) && view->has(node))
      nodes.push_back(node);
  std::sort(nodes.begin(), nodes.end());
  std::mt19937_64 random(options.seed);
  IndexRecall measured;
  measured.queries = std::min(options.sample, nodes.size());
  measured.least = 1;
  std::size_t wanted = 0, hits = 0;
  VectorBuffer buffer;
  for (std::size_t i = 0; i < measured.queries; ++i) {
    std::swap(nodes[i], nodes[i + random() % (nodes.size() - i)]);
    if (options.run.budget.Interrupted()) return Cancelled("stopped");
    const std::span<const float> query = view->vector(nodes[i], buffer);
    PLEXUS_ASSIGN(const NearestResult exact, retrieval::Nearest(snapshot, space_, query,
                                                                {.top = options.top,
                                                                 .metric = metric_,
                                                                 .skip = nodes[i],
                                                                 .level = options_.level,
                                                                 .run = options.run}));
    if (exact.hits.empty()) continue;
    PLEXUS_ASSIGN(
        const IndexNearestResult got,
        Nearest(
            snapshot, query,
            {.top = options.top, .width = options.width, .skip = nodes[i], .run = options.run}));
    const double worst = exact.hits.back().similarity;
    const auto good = static_cast<std::size_t>(std::ranges::count_if(
        got.hits, [&](const NearestHit& hit) { return hit.similarity >= worst; }));
    wanted += exact.hits.size();
    hits += good;
    measured.least = std::min(measured.least,
                              static_cast<double>(good) / static_cast<double>(exact.hits.size()));
  }
  measured.recall = wanted == 0 ? 1 : static_cast<double>(hits) / static_cast<double>(wanted);
  return measured;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::retrieval
