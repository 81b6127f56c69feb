// Graph: one live graph. Writers queue, readers take snapshots and never wait.
//
// Apply resolves a batch against the newest state, appends the record to the
// Journal and publishes the next state, all of it or nothing. Waiting writers are
// grouped: one of them (the leader) journals the whole group with one fsync. The
// next state is complete before the journal is asked, so publishing is a pointer
// swap that cannot fail. After a journal error the graph is read-only until it is
// reopened: it never retries and reports success.
//
// Compaction folds the delta's runs into a new base, in the background or when
// asked; the writer continues meanwhile. A graph in RAM is a Graph without a journal.
//
// All members are thread-safe. After fork the parent owns a graph that has a journal or is
// maintained in the background: in the child Apply, Load, Replay, WaitDurable and Compact are
// kFailedPrecondition, stats() is empty, read_only() is true and the destructor leaves everything
// as it is (the memory is not given back). Snapshots may be read there, with an executor made in
// the child; snapshot() returns what was published before the fork.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"

namespace plexus {

class Journal;  // engine/record.h, as the next two
class PayloadStore;
struct Record;
struct EdgeLoad;  // private: engine/bulk/edge_load.h

enum class Maintenance {
  kManual,      // by the calling thread: Apply at the hard limit, Compact
  kBackground,  // by a thread of the graph, which starts when there is something to do first
};

struct GraphOptions {
  Maintenance maintenance = Maintenance::kBackground;  // of graphs in RAM and of databases
  Durability durability = Durability::kSync;
  // Compaction starts in the background above max(soft, base arcs / 8) delta arcs.
  std::uint64_t delta_soft_arcs = 1 << 20;
  // Above max(hard, base arcs / 2) delta arcs Apply waits for a compaction
  // (kManual: compacts itself). Waits are counted in GraphStats.
  std::uint64_t delta_hard_arcs = 1 << 23;
  Executor* executor = nullptr;  // null: DefaultExecutor() (engine/parallel.h)
  // The host's clock, milliseconds since 1970; the library never reads one. Where it is given, a
  // batch without a time takes it, and one whose time lies more than max_ahead_ms after it is
  // refused. Called by Apply and Load.
  std::function<std::int64_t()> now_ms = {};
  std::int64_t max_ahead_ms = 86'400'000;
  // The scope of facts that a batch brings in, or back, without one; empty: they have none
  // (kDefaultScope).
  std::string scope = {};
  // After opening, a compaction, a load, a trim or a checkpoint, and by the maintenance thread
  // when writers pause for a second, memory that was freed and that glibc's allocator keeps is
  // given back to the system (malloc_trim). A host that manages its memory says false.
  bool return_freed_memory = true;
  // Receives maintenance events and errors of the graph and its database.
  // engine/monitoring/monitoring.h lists them, and what the callback must not do.
  LogCallback on_log = {};
  // Called by the maintenance thread after each background compaction. Must not throw (what it
  // throws is dropped).
  std::function<void(const Snapshot&)> on_compacted = {};
};

struct ApplyOptions {
  Durability durability = Durability::kDefault;
};

struct ReplayOptions {
  Durability durability = Durability::kDefault;
  bool skip_journal = false;  // the journal already contains these records
};

struct ChangeCounts {
  std::uint64_t added = 0;  // "new" in replies
  std::uint64_t changed = 0;
  std::uint64_t same = 0;  // named by the batch, nothing to change
  std::uint64_t removed = 0;
  bool operator==(const ChangeCounts&) const = default;
};

struct ApplyReport {
  Sequence sequence = 0;     // of the batch; the current one when nothing changed
  std::int64_t time_ms = 0;  // what the batch was given: its own time, or the graph's when later
  bool time_moved = false;   // the batch's own time lies before time_ms
  ChangeCounts nodes;        // fact plane
  ChangeCounts edges;        // fact plane
  ChangeCounts events;       // nodes of kind event
  ChangeCounts outcomes;     // nodes of kind outcome
  ChangeCounts index;        // other index nodes, and all index edges
  ChangeCounts vectors;
  // Of each node that the batch named by key, by NodeRef::index(): its id, new or known; kNoNode
  // when it does not exist after the batch. Empty after Load.
  std::vector<NodeId> ids;
  // The same by the reference; kNoNode for one that is not of the batch that was applied. One made
  // by NodeRef::Id makes that id.
  NodeId id(NodeRef ref) const {
    if (!ref.local()) return ref.index();
    const bool known =
        refs_.Owns(ref.stamp(), engine_internal::BatchRefs::kNodes, ref.index(), ids.size());
    return known && ref.index() < ids.size() ? ids[ref.index()] : kNoNode;
  }

 private:
  friend class BatchResolver;
  engine_internal::BatchRefs refs_;  // of that batch
};

struct GraphStats {
  std::uint64_t batches = 0;  // applied since open
  std::uint64_t groups = 0;   // journal appends
  std::uint64_t compactions = 0;
  std::uint64_t vector_compactions = 0;  // of one space each
  std::uint64_t packings = 0;            // of what removed nodes and unused strings leave
  // Of the three above, in the background, that failed. The next batch, or a pause of the writers,
  // tries again.
  std::uint64_t compaction_failures = 0;
  std::uint64_t stalls = 0;  // Apply waited for the delta
  std::uint64_t stall_ns = 0;
};

// Threads: all members but the destructor are thread-safe.
// Errors: of all that writes kFailedPrecondition in a child of fork; kResourceExhausted without
//   memory: nothing was changed, unless the journal was asked before: then the batch may be durable
//   and the graph is read-only until it is opened again.
class Graph {
 public:
  // Computes: an empty graph in RAM; null when there is no memory for it. Complexity: O(1).
  static std::unique_ptr<Graph> InMemory(const GraphOptions& options = {});
  // One that begins with `start`: what changes would do, without doing them. It shares the arrays
  // of `start` and reads its payloads; the graph of `start` is not touched and learns nothing, and
  // a purge here leaves its bytes. Complexity: O(nodes / 64 + delta).
  static std::unique_ptr<Graph> InMemory(const GraphOptions& options, const Snapshot& start);
  // Begins with `start` (a checkpoint plus its replayed tail); appends go to `journal`, null: no
  // durability. Payloads are read from `payloads`, null: from where those of `start` are. Null
  // without memory. Complexity: O(nodes / 64 + delta).
  static std::unique_ptr<Graph> Open(const Snapshot& start, std::shared_ptr<Journal> journal,
                                     const GraphOptions& options = {},
                                     std::shared_ptr<const PayloadStore> payloads = nullptr);
  ~Graph();  // waits for maintenance; REQUIRES no call under way

  // Computes: what was published last. Complexity: O(1); it waits for no writer.
  Snapshot snapshot() const;

  // Computes: the state after the batch, journals it and publishes it, all or nothing. Returns when
  //   it is as durable as asked; waiting batches share one sync.
  // Complexity: O(operations * log), for each array that changes its list of pages, and of the
  //   delta's merges O(log) an edge over time. Waits above delta_hard_arcs (kManual: O(arcs)).
  // Memory: the batch's changes, until a compaction takes them into the base.
  // Errors: kInvalidArgument names the offending operation and value, or a time above kMaxTimeMs
  // or too far ahead of now_ms (nothing was changed); kConflict names an expectation of the batch
  // that does not hold (nothing was changed; an invalid batch may be refused for that first);
  // kReadOnly after an earlier journal failure; the journal's own error.
  Result<ApplyReport> Apply(const WriteBatch& batch, const ApplyOptions& options = {});

  // Private: what LoadArrays, LinkWriter (engine/bulk/load.h) and imports are made of.
  // Applies all batches of `load` at once: the same graph and log as one by one; the report sums
  // up. They become visible together; other writers wait, and `progress` must not write. Errors:
  // kInvalidArgument for its time, as Apply, and for what edge_load.h does not allow (names batch,
  // edge and value; nothing was changed); kFailedPrecondition for keys that do not begin with the
  // graph's, and when a batch was applied or the state renewed meanwhile; kResourceExhausted above
  // the limits or without memory (nothing was changed, but for a prefix in the journal if the graph
  // is read-only afterwards); kReadOnly and the journal's own error as Apply; kCancelled when
  // `progress` says stop: whole batches may stay then.
  Result<ApplyReport> Load(EdgeLoad load, const ApplyOptions& options = {},
                           Progress* progress = nullptr);

  // Applies records that another graph has resolved, as they are: the same sequences, ids and
  // answers. For replicas and followers (storage/database.h, ChangesSince). Records come with their
  // payloads, unless they are journalled. A record that removes nodes removes the tags, terms,
  // payloads and vectors that they have here, which the feed may have reported differently;
  // Record::words_dropped names nodes that lose only their tags and terms. They
  // become visible in groups; after an error those before it stay. kFailedPrecondition: the next
  // record is not the one after sequence(); kCorruption: it does not fit this graph; else as Apply.
  Status Replay(std::span<const Record> records, const ReplayOptions& options = {});

  // What takes the place of the graph's state, and its journal; null: the journal stays.
  struct Renewal {
    Snapshot snapshot;
    std::shared_ptr<Journal> journal;
  };
  // For the owner of the journal. Takes the writers' turn and calls `make`: what it returns is the
  // graph's from then on, nothing: all stays as it is. Writers wait meanwhile. Readers do not, and
  // their snapshots stay as they are, with the payload store of their state. `make` must not write
  // to this graph. Errors: those of `make`, which change nothing; kResourceExhausted after it: the
  // graph is read-only from then on.
  Status Renew(const std::function<Result<std::optional<Renewal>>()>& make);

  // Every batch up to `sequence` survives power loss when this returns. Complexity: at most one
  // sync. Errors: the journal's own. Without a journal it returns at once.
  Status WaitDurable(Sequence sequence);

  // Folds the current delta into a new base, drops the rows of replaced vectors, and packs what
  // removed nodes and unused strings leave behind (bench/notes/removed.md). Writers continue.
  // Complexity: O(nodes + arcs + delta * log), parallel. Memory: a second base, and the live
  // rows of a space. Errors:
  // kResourceExhausted: no memory, or more arcs than a base holds; the graph is as it was.
  Status Compact();

  // True after a journal failure. O(1), as the rest; waits for the batch that is being applied.
  bool read_only() const;
  GraphStats stats() const;
  // kFailedPrecondition in a child of fork, of a graph that the parent owns. Takes no lock.
  Status CheckProcess() const;
  const GraphOptions& options() const;

 private:
  class Impl;
  explicit Graph(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// --- Preview: the graph that a batch would make, and what it would change, without making it.
//
// A guardrail, a dry run or "what would this recall change" is an ordinary question asked of the
// preview. It is a snapshot like any other, of a sequence that the graph may never reach: nothing
// is journaled, the graph learns nothing, and what the batch writes (texts, properties, vectors)
// lies in RAM with the preview. A preview of a preview shows two batches one after the other.

struct PreviewOptions {
  // The host's clock and the bound on what lies ahead of it, as GraphOptions have them; absent: no
  // time is refused for lying ahead.
  std::optional<std::int64_t> now_ms = {};
  std::int64_t max_ahead_ms = 86'400'000;
  std::string scope = {};        // GraphOptions::scope
  Executor* executor = nullptr;  // for large runs; null: the calling thread
};

struct PreviewResult {
  Snapshot snapshot;   // the one asked of when nothing would change
  ApplyReport report;  // as Graph::Apply would give it
  // Nodes that are alive in the snapshot asked of and that the batch removes or purges, also where
  // it states them again further down; ascending ids.
  std::vector<NodeId> removed = {};
  StateChanges changes = {};  // From the snapshot asked of; in order.
};

// Computes: the state that Graph::Apply(batch) would publish if `snapshot` were the newest state,
//   with the same checks and the same report. Kept values (engine/lineage.h) are carried over.
// Complexity: O(change) to resolve and apply; also it copies the lists of pages, one bit a
//   node, and the index of keys when the batch brings new ones, as the first batch after opening
//   does, and reads the runs of the delta once. No row of edges and no page of values is copied
//   that the batch does not touch.
// Errors: those of Graph::Apply: kInvalidArgument, kConflict (an expectation does not hold),
//   kAlreadyExists, kResourceExhausted; the payload store's own.
// Threads: pure; any number at once, of one snapshot, too. The preview holds the snapshot's payload
//   store, as the snapshot does.
Result<PreviewResult> Preview(const Snapshot& snapshot, const WriteBatch& batch,
                              const PreviewOptions& options = {});

}  // namespace plexus
