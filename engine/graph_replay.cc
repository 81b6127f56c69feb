// Graph: records that another graph has resolved, as they are.
#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "engine/adjacency/run.h"
#include "engine/internal/graph_impl.h"

namespace plexus {

namespace {

// Removes nodes, or purges them; what it says of their edges is all that the source had.
bool Removes(const Record& record) {
  return std::any_of(record.node_changes.begin(), record.node_changes.end(),
                     [](const NodeChange& c) {
                       return c.what == NodeChange::kRemove || c.what == NodeChange::kPurge;
                     });
}

// The edges of the nodes that `record` removes, as tombstones, ascending and distinct.
std::vector<EdgeChange> EdgesOfRemoved(const Record& record, const Snapshot& now) {
  std::vector<EdgeChange> edges;
  for (const NodeChange& c : record.node_changes) {
    if (c.what != NodeChange::kRemove && c.what != NodeChange::kPurge) continue;
    if (c.node >= now.node_count()) continue;
    for (const Direction direction : {Direction::kOut, Direction::kIn})
      now.ForEachArc(direction, c.node, ArcFilter::All(), [&](const Arc& arc) {
        const Edge edge = now.edge(arc, c.node);
        EdgeChange gone;
        gone.source = edge.source;
        gone.target = edge.target;
        gone.label = edge.label;
        gone.kind = edge.kind;
        gone.weight = 0;
        gone.flags = EdgeChange::kTombstone;
        if (now.schema().edge_kind(gone.kind).symmetric && gone.source > gone.target)
          std::swap(gone.source, gone.target);
        edges.push_back(gone);
      });
  }
  std::sort(edges.begin(), edges.end(), IdentityLess);
  const auto same = [](const EdgeChange& a, const EdgeChange& b) {
    return !IdentityLess(a, b) && !IdentityLess(b, a);
  };
  edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());
  return edges;
}

// A feed tells nothing of the tags and terms of nodes that are purged later. So a follower may have
// fewer edges of them than its source had, and others: `record`, of a removal, is made one that
// removes what is here, whatever it was there. Damaged ones stay for StateWriter to refuse.
void FitRemoval(Record& record, const Snapshot& now) {
  if (!std::is_sorted(record.edges.begin(), record.edges.end(), IdentityLess)) return;
  const std::vector<EdgeChange> here = EdgesOfRemoved(record, now);
  std::vector<EdgeChange> edges;
  edges.reserve(record.edges.size());
  std::vector<std::uint32_t> moved(record.edges.size());
  auto next = here.begin();
  for (std::size_t i = 0; i < record.edges.size(); ++i) {
    EdgeChange e = record.edges[i];
    while (next != here.end() && IdentityLess(*next, e)) edges.push_back(*next++);
    if (next != here.end() && !IdentityLess(e, *next)) ++next;  // the record says it itself
    const bool known = e.source < now.node_count() && e.target < now.node_count() &&
                       e.kind < now.schema().edge_kinds().size() &&
                       now.FindEdge(e.source, e.kind, e.target, e.label);
    moved[i] = static_cast<std::uint32_t>(edges.size());
    if (e.tombstone() && !known) continue;
    if (!e.tombstone())
      e.flags = static_cast<std::uint16_t>(known ? e.flags & ~EdgeChange::kIsNew
                                                 : e.flags | EdgeChange::kIsNew);
    edges.push_back(e);
  }
  edges.insert(edges.end(), next, here.end());
  record.edges = std::move(edges);
  for (EdgeExtra& x : record.edge_extras)  // tombstones have none
    if (x.index < moved.size()) x.index = moved[x.index];
}

}  // namespace

// Takes the turn of the writer that leads: what waits in the queue comes after.
Status Graph::Impl::Replay(std::span<const Record> records, const ReplayOptions& options) {
  if (one_process_) PLEXUS_TRY(owner_.Check("the graph"));
  const bool journals = journal_ && !options.journalled;
  if (journals) PLEXUS_TRY(journal_->Accepts());
  const Durability durability =
      options.durability == Durability::kDefault ? options_.durability : options.durability;
  Turn turn(*this);
  std::unique_lock lock(writer_mutex_);
  for (std::size_t done = 0; done < records.size();) {
    if (read_only_) return std::unexpected(ReadOnlyError());
    PLEXUS_TRY(WaitForRoom(lock));
    auto group = records.subspan(done, std::min(records.size() - done, kGroupBatches));
    // Journalled ones are told whole, and are in the journal as they are.
    std::vector<Record> fitted;
    if (!options.journalled && std::any_of(group.begin(), group.end(), Removes)) {
      fitted.assign(group.begin(), group.end());
      group = fitted;
    }
    if (group.front().sequence != writer_.sequence() + 1)
      return Fail(ErrorCode::kFailedPrecondition,
                  "record " + std::to_string(group.front().sequence) +
                      " does not follow sequence " + std::to_string(writer_.sequence()));
    std::size_t applied = 0;
    Status status;
    try {
      while (applied < group.size() && status) {
        if (!fitted.empty() && Removes(fitted[applied]))
          FitRemoval(fitted[applied], Snapshot(writer_.Publish()));
        status = writer_.Apply(group[applied]);  // checked before it changes anything
        applied += status.has_value();
      }
      if (applied > 0 && journals)
        if (Status appended = journal_->AppendReplayed(group.first(applied), durability);
            !appended) {
          read_only_ = true;  // the writer is ahead of the journal
          return appended;
        }
    } catch (const std::exception&) {
      read_only_ = true;
      return std::unexpected(NoMemory());
    }
    if (applied > 0) PLEXUS_TRY(PublishApplied(applied));
    PLEXUS_TRY(status);
    done += applied;
  }
  return {};
}

}  // namespace plexus
