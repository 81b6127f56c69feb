// Choosing the shortest list to read, and reading it. Removing: pages of a scan, tested and
// removed.
#include "algorithms/retrieval/scan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "algorithms/common/internal/node_order.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval {

namespace {

using Entry = common_internal::NodeOrder::Entry;
constexpr std::uint64_t kMaxKey = std::numeric_limits<std::uint64_t>::max();

struct KeyRange {
  std::uint64_t first = 0, last = kMaxKey;  // both inside
  bool empty = false;
};

template <class... Parts>
std::unexpected<Error> InvalidScan(const Parts&... parts) {
  return Invalid("scan: ", parts...);
}

// The key of a bound; none when no node has that string.
Result<std::optional<std::uint64_t>> KeyOf(const Snapshot& snapshot, const Column& column,
                                           const ColumnValue& value) {
  const auto wrong = [&] {
    return InvalidScan("a bound is of another type than column ", column.name);
  };
  switch (column.type) {
    case ColumnType::kF64:
      if (const double* number = std::get_if<double>(&value)) {
        if (!std::isfinite(*number))
          return InvalidScan("a bound of column ", column.name, " is not a finite number");
        return common_internal::NodeOrder::KeyOf(column.type,
                                                 std::bit_cast<std::uint64_t>(*number));
      }
      return wrong();
    case ColumnType::kI64:
      if (const std::int64_t* number = std::get_if<std::int64_t>(&value))
        return common_internal::NodeOrder::KeyOf(column.type,
                                                 std::bit_cast<std::uint64_t>(*number));
      return wrong();
    case ColumnType::kString:
      if (const std::string* text = std::get_if<std::string>(&value)) {
        const auto id = snapshot.FindString(*text);
        return id ? std::optional<std::uint64_t>(*id) : std::nullopt;
      }
      return wrong();
  }
  return wrong();
}

Result<KeyRange> RangeOf(const Snapshot& snapshot, const NodeScan& scan) {
  KeyRange range;
  const bool bounded = scan.from || scan.to || scan.equals;
  if (!scan.column) {
    if (bounded) return InvalidScan("a bound needs a column");
    return range;
  }
  const Column& column = snapshot.schema().columns()[*scan.column];
  if (column.type == ColumnType::kString && (scan.from || scan.to))
    return InvalidScan("column ", column.name,
                       " holds strings: they can be equal, they have no order");
  if (scan.from) {
    PLEXUS_ASSIGN(const auto key, KeyOf(snapshot, column, *scan.from));
    range.first = *key;
  }
  if (scan.to) {
    PLEXUS_ASSIGN(const auto key, KeyOf(snapshot, column, *scan.to));
    if (*key == 0) range.empty = true;
    range.last = *key - (*key > 0);
  }
  if (scan.equals) {
    PLEXUS_ASSIGN(const auto key, KeyOf(snapshot, column, *scan.equals));
    if (!key || *key < range.first || *key > range.last) {
      range.empty = true;
    } else {
      range.first = range.last = *key;
    }
  }
  range.empty = range.empty || range.first > range.last;
  return range;
}

class Scanner {
 public:
  Scanner(const Snapshot& snapshot, const NodeScan& scan, KeyRange range)
      : s_(snapshot), scan_(scan), range_(range) {
    has_tag_ = ArcFilter::Kind(snapshot.schema(), builtin::kHasTag);
    if (scan.after) page_.last = *scan.after;
  }

  // Each way reads its list in the page's order and stops when the page is full, or reads all of
  // it and sorts.
  NodePage Run() && {
    if (range_.empty) return std::move(page_);
    const std::uint64_t all = s_.node_count();
    const std::uint64_t of_kind = scan_.kind ? s_.CountNodes(*scan_.kind) : all;
    const std::uint64_t of_tag = scan_.tag ? s_.Degree(Direction::kIn, *scan_.tag, has_tag_) : all;
    if (scan_.column) {
      const auto order = common_internal::NodeOrder::OfColumn(s_, *scan_.column);
      const std::uint64_t first = order->Rank({range_.first, 0});
      const std::uint64_t last =
          range_.last == kMaxKey ? order->size() : order->Rank({range_.last + 1, 0});
      constexpr std::uint64_t kSorting =
          8;  // a node that is looked up and sorted, in nodes of the order
      const std::uint64_t least = std::min(of_kind, of_tag) * kSorting;
      if (last - first <= least) {
        Walk(*order, first, last, true);
        return std::move(page_);
      }
      if (of_tag <= of_kind) {
        ForEachTagged([&](NodeId v) {
          Collect(v);
          return true;
        });
      } else {
        WalkKind([&](NodeId v) { Collect(v); });
      }
      Sort();
      return std::move(page_);
    }
    if (scan_.tag && of_tag <= of_kind) {
      std::vector<NodeId> tagged;
      ForEachTagged([&](NodeId v) {
        tagged.push_back(v);
        return true;
      });
      ForIds(tagged.size(), [&](std::uint64_t i) { return tagged[i]; });
    } else if (scan_.kind) {
      const auto order = common_internal::NodeOrder::OfKinds(s_);
      Walk(*order, order->Rank({*scan_.kind, 0}), order->Rank({std::uint64_t{*scan_.kind} + 1, 0}),
           false);
    } else {
      ForIds(all, [](std::uint64_t i) { return static_cast<NodeId>(i); });
    }
    return std::move(page_);
  }

 private:
  bool Passes(NodeId v) const {
    if (!s_.alive(v) || (scan_.facts_only && !s_.is_fact(v))) return false;
    if (scan_.kind && s_.node_kind(v) != *scan_.kind) return false;
    return !scan_.tag || s_.FindEdge(v, builtin::kHasTag, *scan_.tag);
  }
  // False when the page is full.
  bool Take(Entry entry) {
    if (!Passes(entry.node)) return true;
    if (scan_.limit > 0 && page_.nodes.size() == scan_.limit) {
      page_.more = true;
      return false;
    }
    page_.nodes.push_back(entry.node);
    page_.last = {entry.key, entry.node};
    return true;
  }
  // Ranks [first, last) of an order, from behind the page before. `keyed`: positions have its keys.
  void Walk(const common_internal::NodeOrder& order, std::uint64_t first, std::uint64_t last,
            bool keyed) {
    if (scan_.after && first < last) {
      const Entry after{keyed ? scan_.after->key : order.At(first).key, scan_.after->node};
      if (scan_.descending) {
        last = std::min(last, order.Rank(after));
      } else {
        first = std::max(first, order.Rank({after.key + (after.node == kNoNode), after.node + 1}));
      }
    }
    order.ForEach(first, last, scan_.descending,
                  [&](Entry e) { return Take({keyed ? e.key : 0, e.node}); });
  }
  // Ids ascending in i.
  template <class IdAt>
  void ForIds(std::uint64_t count, IdAt&& id) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const NodeId v = id(scan_.descending ? count - 1 - i : i);
      if (scan_.after && (scan_.descending ? v >= scan_.after->node : v <= scan_.after->node))
        continue;
      if (!Take({0, v})) return;
    }
  }
  template <class Fn>
  void ForEachTagged(Fn&& fn) const {
    NodeId previous = kNoNode;  // labels make parallel edges
    s_.ForEachArc(Direction::kIn, *scan_.tag, has_tag_, [&](const Arc& arc) {
      if (arc.neighbor == previous) return true;
      previous = arc.neighbor;
      return fn(arc.neighbor);
    });
  }
  template <class Fn>
  void WalkKind(Fn&& fn) const {
    const auto order = common_internal::NodeOrder::OfKinds(s_);
    order->ForEach(order->Rank({*scan_.kind, 0}), order->Rank({std::uint64_t{*scan_.kind} + 1, 0}),
                   false, [&](Entry e) {
                     fn(e.node);
                     return true;
                   });
  }
  void Collect(NodeId v) {
    const ColumnType type = s_.schema().columns()[*scan_.column].type;
    const std::uint64_t bits = s_.column_bits(*scan_.column, v);
    if (bits == AbsentBits(type) || !Passes(v)) return;
    const Entry entry{common_internal::NodeOrder::KeyOf(type, bits), v};
    if (entry.key < range_.first || entry.key > range_.last) return;
    if (scan_.after) {
      const Entry after{scan_.after->key, scan_.after->node};
      if (scan_.descending ? entry >= after : entry <= after) return;
    }
    found_.push_back(entry);
  }
  void Sort() {
    const std::size_t most =
        scan_.limit == 0 || scan_.limit >= found_.size() ? found_.size() : scan_.limit + 1;
    const auto middle = found_.begin() + static_cast<std::ptrdiff_t>(most);
    if (scan_.descending)
      std::partial_sort(found_.begin(), middle, found_.end(), std::greater<>());
    else
      std::partial_sort(found_.begin(), middle, found_.end());
    for (std::size_t i = 0; i < most; ++i)
      if (!Take(found_[i])) return;
  }

  const Snapshot& s_;
  const NodeScan& scan_;
  const KeyRange range_;
  ArcFilter has_tag_;
  std::vector<Entry> found_;
  NodePage page_;
};

}  // namespace

Result<NodePage> ScanNodes(const Snapshot& snapshot, const NodeScan& scan) try {
  const Schema& schema = snapshot.schema();
  if (scan.kind && *scan.kind >= schema.node_kinds().size())
    return InvalidScan("node kind ", *scan.kind, " is unknown");
  if (scan.tag && *scan.tag >= snapshot.node_count())
    return InvalidScan("tag ", *scan.tag, " is no node");
  if (scan.column && *scan.column >= schema.columns().size())
    return InvalidScan("column ", *scan.column, " is unknown");
  PLEXUS_ASSIGN(const KeyRange range, RangeOf(snapshot, scan));
  return Scanner(snapshot, scan, range).Run();
}
PLEXUS_CATCH_NO_MEMORY

Result<RemoveReport> RemoveNodes(Graph& graph, const NodeScan& scan, const RemoveOptions& options,
                                 const NodeTest& test) try {
  constexpr int kTries = 100;
  const std::uint64_t most = std::max<std::uint64_t>(options.batch_nodes, 1);
  RemoveReport report;
  report.sequence = graph.snapshot().sequence();
  NodeScan page_scan = scan;
  page_scan.limit = most;
  std::uint64_t looked_at = 0;
  for (int conflicts = 0;;) {
    if (options.progress && !options.progress->Report("removing", looked_at, 0))
      return Cancelled("removing was stopped");
    const Snapshot snapshot = graph.snapshot();
    PLEXUS_ASSIGN(const NodePage page, ScanNodes(snapshot, page_scan));
    WriteBatch batch(options.now_ms);
    batch.ExpectSequence(snapshot.sequence());
    std::uint64_t removed = 0;
    for (const NodeId node : page.nodes) {
      if (test && !test(snapshot, node)) continue;
      ++removed;
      if (options.purge)
        batch.PurgeNode(NodeRef::Id(node));
      else
        batch.RemoveNode(NodeRef::Id(node));
    }
    if (removed > 0) {
      ApplyOptions apply;
      apply.durability = options.durability;
      const auto applied = graph.Apply(batch, apply);
      if (!applied && applied.error().code == ErrorCode::kConflict && ++conflicts < kTries) {
        page_scan.limit =
            std::max<std::uint64_t>(page_scan.limit / 2, 1);  // sooner made, sooner applied
        continue;
      }
      if (!applied) return std::unexpected(applied.error());
      report.removed += removed;
      report.sequence = applied->sequence;
    }
    conflicts = 0;
    looked_at += page.nodes.size();
    if (!page.more) return report;
    page_scan.after = page.last;
    page_scan.limit = std::min(page_scan.limit * 2, most);
  }
}
PLEXUS_CATCH_NO_MEMORY

Result<RemoveReport> RemoveExpired(Graph& graph, std::span<const TimeToLive> lives,
                                   const RemoveOptions& options) try {
  RemoveReport all;
  const Snapshot before = graph.snapshot();
  all.sequence = before.sequence();
  const auto& clock = graph.options().now_ms;
  const std::int64_t now =
      options.now_ms == kNoTime && clock ? clock() : before.TimeOr(options.now_ms);
  for (const TimeToLive& life : lives) {
    if (life.ttl_ms < 0) return Invalid("a time to live of ", life.ttl_ms, " ms");
    NodeScan scan;
    scan.kind = life.kind;
    scan.column = life.since;
    if (now < std::numeric_limits<std::int64_t>::min() + life.ttl_ms + 1)
      continue;  // nothing is as old
    scan.to = now - life.ttl_ms + 1;
    scan.facts_only = false;
    PLEXUS_ASSIGN(const RemoveReport report, RemoveNodes(graph, scan, options));
    all.removed += report.removed;
    all.sequence = std::max(all.sequence, report.sequence);
  }
  return all;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::retrieval
