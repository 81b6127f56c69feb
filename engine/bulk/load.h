// Many edges loaded at once: from arrays (LoadArrays), or from batches that only link (LinkWriter).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/write_batch.h"

namespace plexus {

// --- GraphArrays: a graph as flat arrays in the host's memory, loaded at once.
//
//   const std::string_view kinds[] = {"knows", "caused_by"};
//   GraphArrays arrays;
//   arrays.key_bytes = "annbobcat";
//   arrays.key_offsets = offsets;  // 0, 3, 6, 9
//   arrays.sources = sources;      // positions of keys
//   arrays.targets = targets;
//   arrays.kinds = kinds;
//   arrays.kind_of = kind_of;      // positions in kinds
//   auto report = LoadArrays(database->graph(), arrays);
//
// Nothing is kept of the arrays. engine/bulk/README.md compares the ways to load.

struct GraphArrays {
  // Key i is key_bytes[key_offsets[i], key_offsets[i + 1]), and its node gets the id i, with or
  // without an edge. No offsets: ends are numbers, a node's key is its number in decimal, and ids
  // are given in the order in which edges name numbers.
  std::string_view key_bytes = {};
  std::span<const std::uint64_t> key_offsets = {};
  std::span<const std::uint32_t> sources = {}, targets = {};  // positions of keys, or numbers

  // Parallel to sources, or empty.
  std::span<const float> weights = {};          // NaN: not stated
  std::span<const std::uint16_t> kind_of = {};  // positions in kinds; empty: all of kinds[0]
  std::span<const std::int64_t> created_at = {}, valid_from = {}, valid_until = {};  // kNoTime: not
  // Names of edge kinds; those of a new kind define it (fact plane, directed). Empty: link.
  std::span<const std::string_view> kinds = {};

  // Of nodes, where there are keys: parallel to them, positions in node_kinds; empty: kind node.
  std::span<const std::uint16_t> node_kind_of = {};
  std::span<const std::string_view> node_kinds = {};

  std::int64_t time_ms = kNoTime;  // as of a WriteBatch
};

// Computes: the arrays into an empty graph, in RAM or of a database, in batches of a million edges.
// Complexity: O(nodes + edges * log), parallel. Memory: the graph, and the arrays once more.
// Errors: kInvalidArgument: an array of another length, a position that is none, a key that is
//   there twice, and what Graph::Load checks; kFailedPrecondition: the graph is not empty;
//   kResourceExhausted: no memory; kCancelled: whole batches may stay. Else nothing was changed.
// Threads: as Graph::Load.
Result<ApplyReport> LoadArrays(Graph& graph, const GraphArrays& arrays,
                               const ApplyOptions& options = {}, Progress* progress = nullptr);

// --- LoadScratch: room outside of memory for what a load's budget does not hold.
//
// Implemented over a file by storage/, over memory by tests. Thread-safe.

class LoadScratch {
 public:
  virtual ~LoadScratch() = default;
  // Room for so many bytes: where it begins. It costs nothing before something is written.
  std::uint64_t Reserve(std::uint64_t bytes) {
    return end_.fetch_add(bytes, std::memory_order_relaxed);
  }
  // Within what is reserved. An error, kIo say, ends the load.
  virtual Status Write(std::uint64_t at, std::span<const std::byte> bytes) = 0;
  // What was written there.
  virtual Status Read(std::uint64_t at, std::span<std::byte> bytes) = 0;
  // It is not read again.
  virtual void Forget(std::uint64_t at, std::uint64_t bytes) noexcept {
    (void)at;
    (void)bytes;
  }

 private:
  std::atomic<std::uint64_t> end_ = 0;
};

// --- LinkWriter: batches one by one, loaded at once where they only link and are many.
//
// An index that is made of all texts is a hundred batches and more that add nothing but edges to
// index nodes. Applied, each becomes a run, and runs are compacted into an ever larger base. Here
// they become arrays, and one Graph::Load comes to the same, to the bit: ids, records, history,
// answers. A batch that says more (other operations, unlinked edges, ends that were removed) is
// applied in its turn. Few links are applied as they are.

struct LinkWriterOptions {
  bool loads = true;  // false: every batch is applied
  // Loaded are so many links and more, from a tenth of the graph on.
  std::uint64_t least = 1 << 18;
  // Called before and after a load, as Database::BeginBulk and EndBulk are; may be empty.
  std::function<Status()> before = {}, after = {};
  Progress* progress = nullptr;  // of loads
  // As of an EdgeLoad.
  std::uint64_t memory = ~std::uint64_t{0};
  std::shared_ptr<LoadScratch> scratch = {};
};

// Not thread-safe. Other writers may come in between: what was made for the graph without them is
// kConflict, as the expectations of its batches say.
class LinkWriter {
 public:
  // For batches that are made for the graph as it is in `start`, in this order.
  LinkWriter(Graph& graph, const Snapshot& start, LinkWriterOptions options);
  ~LinkWriter();
  LinkWriter(const LinkWriter&) = delete;
  LinkWriter& operator=(const LinkWriter&) = delete;

  // Applies the batch, or keeps it. Errors: those of Graph::Apply and Graph::Load, of a batch that
  // was kept too: then what was kept is not in the graph, or whole batches of it are.
  Status Write(const WriteBatch& batch);
  // Brings what was kept into the graph. Errors: as Write.
  Status Finish();
  // What was kept cannot be loaded; applied it may go in. The graph is without it.
  bool refused() const { return refused_; }
  std::uint64_t loads() const { return loads_; }

 private:
  class Kept;
  bool Keeps(const WriteBatch& batch) const;
  Status Keep(const WriteBatch& batch);
  void Rebase();
  void Follow(Sequence sequence, Sequence most);
  Status Apply(const WriteBatch& batch);
  Status Load();
  Status Flush();

  Graph& graph_;
  LinkWriterOptions options_;
  Snapshot start_;                   // the graph as kept links find it
  Sequence at_;                      // the graph's, as long as no other writer comes in between
  std::uint64_t many_;               // from so many links on they are loaded
  std::vector<WriteBatch> waiting_;  // while they are few
  std::uint64_t waiting_links_ = 0;
  std::int64_t time_ms_ = kNoTime;  // of what is kept
  std::unique_ptr<Kept> kept_;
  bool refused_ = false;
  std::uint64_t loads_ = 0;
};

}  // namespace plexus
