// The mutable form of a GraphState, private to StateWriter and the resolver.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/internal/edge_filter.h"
#include "engine/writer/state_writer.h"

namespace plexus {

struct StateWriter::Working {
  Sequence sequence = 0;
  std::int64_t time_ms = 0;
  std::shared_ptr<const Schema> schema;
  StringTable keys, strings;
  PagedArray<KindId> node_kinds;
  PagedArray<std::uint8_t> node_flags;
  std::vector<PagedArray<std::uint64_t>> columns;
  std::array<PagedArray<std::uint64_t>, kNodeFieldCount> payload_refs;
  std::vector<VectorTable> spaces;
  std::shared_ptr<const Csr> base;
  std::vector<std::shared_ptr<const Run>> runs;
  std::shared_ptr<DirtyBits> dirty;
  std::vector<std::uint64_t> nodes_by_kind, edges_by_kind;
  std::shared_ptr<const PayloadStore> payload_store;
  // Identities of all arcs in runs, and some of earlier ones: those of the pinned runs lie
  // apart, to be dropped with them. From the first batch to resolve on: replay needs none.
  EdgeFilter filter, pinned_filter;
  bool filter_used = false;
  Executor* executor = nullptr;  // never null once made
  std::size_t pinned_runs = 0;
  // After the last packing: removed nodes, and strings that are not packed.
  std::uint64_t packed_dead = 0, unpacked_strings = 0;
  std::shared_ptr<FrozenState> current;   // made of the above; null after a change
  std::shared_ptr<Lineage> lineage;       // of what was published; null: there was no memory for it
  std::shared_ptr<StateChanges> changes;  // since then; null: too many
  bool rows_moved = false;                // since then: rows of vectors lie elsewhere

  // For reading by the writer; becomes visible to others by StateWriter::Publish.
  const std::shared_ptr<FrozenState>& Current();
  void NoteChanges(const Record& record);
  void BeginChanges();
  // A run made of `edges`.
  void AddRun(std::shared_ptr<const Run> run, std::span<const EdgeChange> edges);
  void MergeRange(std::size_t from, std::size_t to);  // runs [from, to) become one
  void MarkDirty(const Run& run);

  bool MayBeInRuns(std::uint64_t hash) const {
    return filter.MayContain(hash) || (pinned_filter.count() > 0 && pinned_filter.MayContain(hash));
  }
  void PrefetchFilter(std::uint64_t hash) const {
    filter.Prefetch(hash);
    if (pinned_filter.count() > 0) pinned_filter.Prefetch(hash);
  }
  // Of the runs from `first_run` on, with room for `more` arcs.
  EdgeFilter MakeFilter(std::size_t first_run, std::uint64_t more) const;
  void RemakeFilter(std::uint64_t more);
  void GrowDirty();
  std::uint64_t DeadNodes() const;
  void NotePacked();
};

}  // namespace plexus
