// Graph: records that another graph has resolved, as they are.
#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "engine/adjacency/run.h"
#include "engine/adjacency/tombstones.h"
#include "engine/bulk/edge_load.h"
#include "engine/internal/graph_impl.h"
#include "engine/out_of_memory.h"
#include "engine/record.h"

namespace plexus {

namespace {

bool Removes(const NodeChange& c) {
  return c.what == NodeChange::kRemove || c.what == NodeChange::kPurge;
}
bool RemovesAny(const Record& record) {
  return !record.words_dropped.empty() ||
         std::ranges::any_of(record.node_changes, [](const NodeChange& c) { return Removes(c); });
}

void FitEdges(Record& record, const Snapshot& now) {
  if (!std::is_sorted(record.edges.begin(), record.edges.end(), IdentityLess)) return;
  std::vector<NodeId> removed = std::exchange(record.words_dropped, {});
  for (const NodeChange& c : record.node_changes)
    if (Removes(c)) removed.push_back(c.node);
  const std::vector<EdgeChange> here =
      TombstonesOf(now, removed, ArcFilter::Kinds(now.schema(), kWordEdges));
  std::vector<EdgeChange> edges;
  edges.reserve(record.edges.size() + here.size());
  std::vector<std::uint32_t> moved(record.edges.size());
  auto next = here.begin();
  for (std::size_t i = 0; i < record.edges.size(); ++i) {
    EdgeChange e = record.edges[i];
    while (next != here.end() && IdentityLess(*next, e)) edges.push_back(*next++);
    if (next != here.end() && !IdentityLess(e, *next)) ++next;  // the record says it itself
    moved[i] = static_cast<std::uint32_t>(edges.size());
    if (TellsWords(e.kind)) {
      const bool known = e.source < now.node_count() && e.target < now.node_count() &&
                         now.FindEdge(e.source, e.kind, e.target, e.label);
      if (e.tombstone() && !known) continue;
      if (!e.tombstone())
        e.flags = static_cast<std::uint16_t>(known ? e.flags & ~EdgeChange::kIsNew
                                                   : e.flags | EdgeChange::kIsNew);
    }
    edges.push_back(e);
  }
  edges.insert(edges.end(), next, here.end());
  record.edges = std::move(edges);
  for (EdgeExtra& x : record.edge_extras)  // tombstones have none
    if (x.index < moved.size()) x.index = moved[x.index];
}

// What the record sets again stays.
void FitContents(Record& record, const Snapshot& now) {
  const auto key = [](NodeId node, std::uint32_t which) {
    return std::uint64_t{node} << 32 | which;
  };
  std::vector<std::uint64_t> payloads, vectors;  // that it speaks of itself
  for (const PayloadChange& c : record.payload_changes) payloads.push_back(key(c.node, c.field));
  for (const VectorChange& c : record.vectors) vectors.push_back(key(c.node, c.space));
  std::ranges::sort(payloads);
  std::ranges::sort(vectors);
  for (const NodeChange& c : record.node_changes) {
    if (!Removes(c) || c.node >= now.node_count()) continue;
    for (std::uint32_t field = 0; field < kNodeFieldCount; ++field)
      if (now.payload_ref(c.node, static_cast<NodeField>(field)) &&
          !std::ranges::binary_search(payloads, key(c.node, field)))
        record.payload_changes.push_back({c.node, field, {}});
    for (std::uint32_t space = 0; space < now.schema().spaces().size(); ++space) {
      const VectorView* const table = now.space(SpaceId(space));
      if (table && table->has(c.node) && !std::ranges::binary_search(vectors, key(c.node, space)))
        record.vectors.push_back({c.node, space, {}});
    }
  }
}

// A feed tells no tags, terms, payloads and vectors of nodes that are purged later, but that they
// ended. So a follower may have fewer of them than its source had: `record`, of a removal or such
// an end, is made one that removes what is here. All else is told, and stays as it is. Damaged
// records stay for StateWriter to refuse.
void FitRemoval(Record& record, const Snapshot& now) {
  FitEdges(record, now);
  FitContents(record, now);
}

}  // namespace

// Takes the turn of the writer that leads: what waits in the queue comes after.
Status Graph::Impl::Replay(std::span<const Record> records, const ReplayOptions& options) {
  if (one_process_) PLEXUS_TRY(owner_.Check("the graph"));
  const Durability durability =
      options.durability == Durability::kDefault ? options_.durability : options.durability;
  Turn turn(*this);
  const bool journals = journal_ && !options.skip_journal;
  if (journals) PLEXUS_TRY(Accepts());
  const MutexLock lock(writer_mutex_);
  for (std::size_t done = 0; done < records.size();) {
    if (read_only_) return std::unexpected(ReadOnlyError());
    PLEXUS_TRY(WaitForRoom());
    auto group = records.subspan(done, std::min(records.size() - done, kGroupBatches));
    // Journalled ones are whole, and are in the journal as they are.
    std::vector<Record> fitted;
    if (!options.skip_journal && std::any_of(group.begin(), group.end(), RemovesAny)) {
      fitted.assign(group.begin(), group.end());
      group = fitted;
    }
    if (group.front().sequence != writer_.sequence() + 1)
      return FailedPrecondition("record ", group.front().sequence, " does not follow sequence ",
                                writer_.sequence());
    std::size_t applied = 0;
    Status status;
    try {
      while (applied < group.size() && status) {
        if (!fitted.empty() && RemovesAny(fitted[applied]))
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
      return OutOfMemory();
    }
    if (applied > 0) PLEXUS_TRY(PublishApplied(applied));
    PLEXUS_TRY(status);
    done += applied;
  }
  return {};
}

// A load as records, for journals that know nothing better.
Status Journal::AppendLoad(const LoadedEdges& loaded, std::span<const std::size_t> batches,
                           Sequence first, Durability durability) {
  std::vector<Record> records(batches.size());
  for (std::size_t i = 0; i < batches.size(); ++i) {
    loaded.FillRecord(batches[i], records[i]);
    records[i].sequence = first + i;
  }
  return Append(records, durability);
}

}  // namespace plexus
