// Journal: where records go before they become visible. The seam between the
// graph in RAM and whatever makes it durable; storage/ implements it over
// RocksDB, tests over memory with injected faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/error.h"
#include "engine/record.h"
#include "engine/types.h"

namespace plexus {

enum class Durability : std::uint8_t {
  kDefault = 0,   // what the graph was opened with
  kSync = 1,      // acknowledged after fsync
  kBuffered = 2,  // reached the kernel: survives kill -9; fsync within 50 ms
  kNone = 3,      // no promise until WaitDurable or close
};

class LoadedEdges;

// Appends are called by one thread at a time, WaitDurable by any.
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
