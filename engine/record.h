// Records: what a batch came to, and the journal and the payload store that they go to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/schema.h"
#include "engine/types.h"

namespace plexus {

// --- Record: one resolved batch, the unit of the log and of replay.
//
// A WriteBatch speaks keys, names and partial updates; resolving it against the
// current graph makes a Record with ids and full values, sorted and
// deduplicated. Applying a record needs no look-ups, so replay is fast and a
// pure function: the same records give the same graph, bit for bit.
//
// All members are flat arrays of trivial structs, so that the codec in storage/
// writes them as FlatBuffers struct vectors. The struct layouts are part of the
// file format.

// One edge, identified by (source, kind, target, label), with its full new value.
// Sorted by that identity inside a record, each identity once. Symmetric kinds
// have source <= target.
struct EdgeChange {
  enum Flags : std::uint16_t {
    kTombstone = 1,  // unlinked; weight and created_at are zero
    kIsNew = 2,      // no such edge was alive before this record
    kHasExtra = 4,   // an EdgeExtra with this index exists
  };
  NodeId source = 0;
  NodeId target = 0;
  StringId label = 0;
  float weight = 1.0f;
  std::int64_t created_at = 0;
  EdgeKindId kind{};
  std::uint16_t flags = 0;
  std::uint32_t reserved = 0;

  bool tombstone() const { return flags & kTombstone; }
  bool is_new() const { return flags & kIsNew; }
};
static_assert(sizeof(EdgeChange) == 32);

// The rare attributes of the edge at `index` in Record::edges. Absent times are
// kNoTime. Sorted by index.
struct EdgeExtra {
  std::uint32_t index = 0;
  StringId created_by = 0;
  std::int64_t valid_from = kNoTime;
  std::int64_t valid_until = kNoTime;
  PayloadRef properties;
};
static_assert(sizeof(EdgeExtra) == 32);

// New kind or life of an existing node (nodes introduced by the record are alive
// and have their kind in `node_kinds`).
struct NodeChange {
  enum What : std::uint16_t {
    kSetKind = 0,  // value = NodeKindId
    kRemove = 1,   // dead; its edges are tombstones in `edges`
    kPurge = 2,    // dead and scrubbed; payload references and vectors dropped
    kRevive = 3,   // alive again under the same id
    kForget = 4,   // dead for ever: its key is forgotten, and may come again under another id
  };
  NodeId node = 0;
  std::uint16_t what = 0;
  std::uint16_t value = 0;
};
static_assert(sizeof(NodeChange) == 8);

// One column value. `bits` is the f64, the i64 or the StringId; cleared = absent.
struct ColumnChange {
  NodeId node = 0;
  ColumnId column{};
  std::uint16_t cleared = 0;
  std::uint64_t bits = 0;
};
static_assert(sizeof(ColumnChange) == 16);

// New payload reference of a node; no reference = cleared.
struct PayloadChange {
  NodeId node = 0;
  std::uint32_t field = 0;  // NodeField
  PayloadRef ref;
};
static_assert(sizeof(PayloadChange) == 16);

// A vector's new value; its floats are a payload of the record (little endian
// f32). No reference = removed.
struct VectorChange {
  NodeId node = 0;
  std::uint32_t space = 0;  // SpaceId
  PayloadRef ref;
};
static_assert(sizeof(VectorChange) == 16);

// Bytes stored under (sequence, ordinal). The log keeps digest and size only.
struct Payload {
  std::uint32_t ordinal = 0;
  std::string bytes;
};

struct Record {
  Sequence sequence = 0;
  std::int64_t time_ms = 0;

  // Definitions, in id order, first id given; empty when nothing was defined.
  NodeKindId first_node_kind{};
  std::vector<NodeKind> node_kind_definitions;
  EdgeKindId first_edge_kind{};
  std::vector<EdgeKind> edge_kind_definitions;
  ColumnId first_column{};
  std::vector<Column> column_definitions;
  SpaceId first_space{};
  std::vector<VectorSpace> space_definitions;

  // Interned strings: ids first_string, first_string + 1, ...
  StringId first_string = 0;
  std::vector<std::uint64_t> string_offsets;  // count + 1, or empty
  std::string string_bytes;

  // Nodes introduced: ids first_node, first_node + 1, ...
  NodeId first_node = 0;
  std::vector<KindId> node_kinds;
  std::vector<std::uint64_t> key_offsets;  // count + 1, or empty
  std::string key_bytes;

  std::vector<NodeChange> node_changes;  // in order
  std::vector<EdgeChange> edges;
  std::vector<EdgeExtra> edge_extras;
  std::vector<ColumnChange> columns;  // sorted by (column, node), each pair once
  std::vector<PayloadChange> payload_changes;
  std::vector<VectorChange> vectors;
  std::vector<Payload> payloads;  // by ordinal, 0, 1, 2 ...

  // Only in a feed, never in a log: nodes whose tags or terms this record changed in the source,
  // and that it does not tell, as they were purged meanwhile. Graph::Replay takes all of them away.
  std::vector<NodeId> words_dropped;
};

// --- PayloadStore: text, properties and vectors, kept outside the graph's arrays.
//
// A payload is an opaque byte string addressed by (sequence, ordinal) of the
// batch that wrote it; the graph keeps the 8-byte reference only and fetches on
// demand. References are immutable; purging erases the
// bytes behind one for every reader, at every point in time.

// Threads: reads are thread-safe. Bytes are written by Journal::Append, together with the
// record that names them.
class PayloadStore {
 public:
  virtual ~PayloadStore() = default;
  // kNotFound when the reference was purged or never written; kCorruption when
  // the bytes do not match their digest.
  virtual Result<std::string> Get(PayloadRef ref) const = 0;

  // Calls fn(i, the bytes of refs[i] or the error of Get) for every i, in order; the bytes
  // are valid during the call. Made for many: a store that keeps payloads in order reads
  // them so. REQUIRES refs ascending. An error of its own (the store is closed, I/O): not
  // all were called.
  using EachPayload = std::function<void(std::size_t, Result<std::string_view>)>;
  virtual Status GetEach(std::span<const PayloadRef> refs, const EachPayload& fn) const {
    for (std::size_t i = 0; i < refs.size(); ++i) {
      const Result<std::string> got = Get(refs[i]);
      if (got)
        fn(i, std::string_view(*got));
      else
        fn(i, std::unexpected(got.error()));
    }
    return {};
  }
};

// --- Journal: where records go before they become visible. The seam between the
// graph in RAM and whatever makes it durable; storage/ implements it over
// RocksDB, tests over memory with injected faults.

class LoadedEdges;

// Threads: appends are called by one thread at a time, WaitDurable by any. Errors: what a member
// returns is what Graph::Apply returns; kIo, kReadOnly as a rule.
class Journal {
 public:
  virtual ~Journal() = default;
  // An error where nothing will ever be appended; writers are refused with it.
  virtual Status Accepts() const { return {}; }
  // Makes a group of records (consecutive sequences) and their payloads durable
  // as asked, all or a prefix of whole records. After an error the journal must
  // not be appended to again.
  virtual Status Append(std::span<const Record> group, Durability durability) = 0;
  // Append in two halves: BeginAppend may return before the records are as durable as asked,
  // EndAppend returns when they are. Between them the thread may do other work.
  virtual Status BeginAppend(std::span<const Record> group, Durability durability) {
    return Append(group, durability);
  }
  virtual Status EndAppend() { return {}; }
  // The same as Append for records that another graph has resolved (Graph::Replay): the journal is
  // its replica's, which may drop nothing that its source still knows.
  virtual Status AppendReplayed(std::span<const Record> group, Durability durability) {
    return Append(group, durability);
  }
  // The same as Append for what batches of a load put into the log, from sequence `first` on.
  // Unless overridden it makes their records.
  virtual Status AppendLoad(const LoadedEdges& loaded, std::span<const std::size_t> batches,
                            Sequence first, Durability durability);
  // Returns when every record up to `sequence` survives power loss.
  virtual Status WaitDurable(Sequence sequence) = 0;
};

}  // namespace plexus
