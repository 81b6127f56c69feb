// Checkpoints: a whole compacted graph out to sections and back.
//
// Writing streams the arrays of an immutable Snapshot while writes go on; the
// sections of one checkpoint are ingested in one step, then the manifest, then the
// anchor names it, so a half-written checkpoint is never looked at. Reading is
// parallel by section: one copy from RocksDB's block into the array that the graph
// will use, with the digest and the value checks done while the bytes are hot.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/state.h"
#include "storage/checkpoint/layout.h"
#include "storage/encoding/anchor.h"

namespace plexus::storage_internal {

class Rocks;

// --- writing

// Gets sections in ascending order.
using SectionSink = std::function<Status(std::uint32_t section, ByteSpan value)>;

// Streams `snapshot` (REQUIRES no delta) to `sink` and completes `manifest`, whose
// graph_id, id, log_hash and section_bytes the caller has set.
Status BuildCheckpoint(const Snapshot& snapshot, Manifest& manifest, const SectionSink& sink,
                       Progress* progress);

// Writes and ingests sections and manifest; `scratch` is a directory to work in.
// The anchor is the caller's business. The result is durable on return.
Result<Manifest> WriteCheckpoint(const std::shared_ptr<Rocks>& rocks, const Snapshot& snapshot,
                                 const GraphId& graph_id, std::uint64_t id, std::uint64_t log_hash,
                                 const std::string& scratch, Executor& executor,
                                 Progress* progress);
// Whether the anchor, whose checkpoint and history floor these are, speaks for the checkpoint. One
// that it does not know of yet is left by work that did not end. If it was to be a new floor's it
// is masked for purges that came after it: records cannot be replayed over it as over others.
inline bool InForce(const Manifest& m, std::uint64_t anchored_id, Sequence floor) {
  return m.id <= anchored_id || m.sequence == floor;
}
Status DropCheckpoint(const std::shared_ptr<Rocks>& rocks, std::uint64_t id);

// --- reading

class SectionSource {
 public:
  virtual ~SectionSource() = default;
  // No more bytes than this can come out of it.
  virtual std::uint64_t available_bytes() const = 0;
  // Calls fn for sections first, first + 1, ..., last - 1. Missing: kCorruption.
  // Thread-safe.
  using Visitor = std::function<Status(std::uint32_t section, ByteSpan value)>;
  virtual Status Visit(std::uint32_t first, std::uint32_t last, const Visitor& fn) const = 0;
};

std::unique_ptr<SectionSource> OpenSections(std::shared_ptr<Rocks> rocks, std::uint64_t id);

// All manifests, ascending by id; sections without one are left out.
Result<std::vector<Manifest>> ListCheckpoints(const std::shared_ptr<Rocks>& rocks);

// The state that a manifest and its sections describe. `payloads` becomes the state's
// payload store, from which vectors are read on first use (null: the state has none). Every id,
// offset, weight, kind and row order is checked: whatever the bytes are, the
// result is a state that is safe to use, or an error naming array and index.
Result<GraphState> ReadCheckpoint(const Manifest& manifest, const SectionSource& source,
                                  std::shared_ptr<const PayloadStore> payloads, Executor& executor,
                                  Progress* progress);

// Parts of reading, for the checks (checkpoint/check.cc).
struct ArrayBounds {
  std::uint64_t nodes = 0, arcs = 0, strings = 0;
  std::uint64_t node_kinds = 0;
  std::uint64_t out_weights = 0, in_weights = 0;  // values, where codes tell which an arc has
  Sequence sequence = 0;
  const Schema* schema = nullptr;
};
// Checks values [first, first + count) of an array that stand at `data` (aligned).
Status CheckValues(const ArraySpec& spec, const void* data, std::uint64_t first,
                   std::uint64_t count, const ArrayBounds& bounds, std::string_view where);
// Offsets ascend from 0 to the number of arcs; kinds are known; rows ascend by
// (kind, neighbor, label). REQUIRES values checked.
Status CheckRows(const Csr& csr, const ArrayBounds& bounds, Executor& executor,
                 std::string_view where);

// --- The newest checkpoint of a closed database, read past RocksDB.
//
// Its sorted files are written without compression, one section after the other, and the anchor
// knows the digest of its manifest, which knows those of the sections. So no byte is believed that
// is not proved, and nothing is lost by looking: what is not as expected is no error here, but
// reason to ask RocksDB, which knows what is damaged.

struct ClosedCheckpoint {
  Sequence log_end = 0;  // as the anchor has it
  std::uint64_t log_hash = 0;
  Manifest manifest;
  std::unique_ptr<SectionSource> sections;
};

// The checkpoint that `anchor` (REQUIRES clean) names, out of the sorted files that it lists in
// `path`; null when it is not found whole.
std::unique_ptr<ClosedCheckpoint> FindClosedCheckpoint(const std::string& path,
                                                       const Anchor& anchor,
                                                       const std::shared_ptr<Files>& files);

}  // namespace plexus::storage_internal
