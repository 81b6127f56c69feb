// StateWriter: the single-threaded heart of Apply and of replay.
//
// Holds the newest state in mutable form. `Resolve` turns a WriteBatch into a
// Record against it, `Apply` folds a record in, `Publish` makes an immutable state.
// Replaying a log is Apply in a loop; nothing else may change a graph.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/graph.h"
#include "engine/record.h"
#include "engine/state.h"
#include "engine/write_batch.h"
#include "engine/writer/state_packing.h"

namespace plexus {

class StateWriter {
 public:
  // Large runs are made and merged on `executor`; null: on the calling thread.
  explicit StateWriter(GraphState state, Executor* executor = nullptr);
  ~StateWriter();
  StateWriter(StateWriter&&) noexcept;
  StateWriter& operator=(StateWriter&&) noexcept;

  // The record that `batch` amounts to now, with sequence = current + 1, and what
  // it changes. A batch that changes nothing makes a record with `sequence` 0,
  // which must not be applied or journalled. Errors leave the writer as it was.
  // `payloads` replaces the state's store, for payloads not yet in the journal.
  // `removed` becomes the nodes that were alive and that the batch removes or purges, also
  // where it states them again; ascending. `time_ms`: of a batch without one. `scope`: of new facts
  // without one.
  Result<Record> Resolve(const WriteBatch& batch, ApplyReport* report,
                         std::shared_ptr<const PayloadStore> payloads = nullptr,
                         std::vector<NodeId>* removed = nullptr, std::int64_t time_ms = kNoTime,
                         std::string_view scope = {});

  // Folds in the next record. kCorruption when its sequence, ids or values do not
  // fit the state (every id in range, weights finite, order strict): a record
  // read from disk may be trusted only after this. The state may be half changed
  // after an error: drop the writer.
  Status Apply(const Record& record);

  // The state after the last record applied. Derived data of the states published before is carried
  // to it (lineage.h). O(changes); call once per group.
  std::shared_ptr<const FrozenState> Publish();

  // Replaces the base by `base`, which folds in the first `folded_runs` runs.
  void InstallBase(std::shared_ptr<const Csr> base, std::size_t folded_runs);
  // Marks all present runs as being compacted, so that Apply does not merge them until InstallBase
  // or UnpinRuns. Returns how many there are.
  std::size_t PinRuns();
  // Puts `merged` in the place of all pinned runs (it equals them); it is pinned.
  void ReplacePinned(std::shared_ptr<const Run> merged);
  void UnpinRuns();

  // The first space, from `from` on and without a bit in `except`, that is worth compacting
  // (VectorTable::WorthCompacting); the number of spaces when none exists.
  SpaceId SpaceToCompact(SpaceId from, std::uint64_t except, std::uint64_t least,
                         std::uint64_t divisor) const;
  SpaceId space_count() const;
  // Puts `table` in the place of a space's, which it equals but for the order of rows.
  void InstallVectors(SpaceId space, VectorTable table);
  // After replay: no row of a replaced vector is left to be read or kept. O(vectors).
  void DropDeadVectors();
  // Whether nodes were removed, or strings came, that make it worth a StatePacking (by those counts
  // only).
  bool WorthPacking(const PackLimits& limits) const;
  // Puts the tables and pages of `packing`, made of an earlier state of this writer, in the place
  // of those that they equal. O(pages) and what came since its last CatchUp.
  void InstallPacked(StatePacking packing);
  // Both at once, of the current state, without other writers.
  void Pack(const PackLimits& limits);
  // Where payloads of the states to come are read.
  void SetPayloadStore(std::shared_ptr<const PayloadStore> store);

  Sequence sequence() const;
  std::uint64_t delta_arcs() const;

  struct Working;  // engine/writer/working_state.h, private to the engine

 private:
  std::unique_ptr<Working> working_;
};

}  // namespace plexus
