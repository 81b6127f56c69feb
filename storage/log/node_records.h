// NodeRecords: which records of the log may say something of a node.
//
// For each record a small Bloom filter of the nodes that it changes or links; those that it
// introduces are a range of ids. So a node's records are found without reading the others: it names
// all of them, and about one in fifty of the rest. It is in memory only: the first question reads
// the log once, later ones what was appended since. It belongs to a beginning of a log, which that
// log's running hash proves: of another log, which has another hash there (after a hard purge or a
// crash), all is read.
//
// Filters of one word a node's bits (Putze, Sanders, Singler 2007, "Cache-, hash- and
// space-efficient Bloom filters"), as wide as half of the bits are set at most. One is halved by
// joining its halves, so all are when they take more than kMostBytes: then they tell less, and no
// memory is lost. 8 bytes a record besides. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "engine/types.h"
#include "storage/encoding/record_codec.h"
#include "storage/log/log_reader.h"

namespace plexus::storage_internal {

class NodeRecords {
 public:
  // Beyond a word for each record.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
  explicit NodeRecords(std::uint64_t most_bytes = kMostBytes) : most_words_(most_bytes / 8) {}

  // Reads the records of `rocks` behind those that it knows, to the log's end. kCancelled: they
  // were not all read; what was is kept. Else the errors of a LogCursor.
  Status Follow(const std::shared_ptr<Rocks>& rocks, const LogPoint& floor, Progress* progress);
  // Ascending. O(records), some nanoseconds each.
  std::vector<Sequence> Of(NodeId node) const;
  LogPoint end() const { return end_; }
  std::uint64_t bytes() const;

 private:
  struct Ends {  // where the record's part ends; it begins where the one before ends
    std::uint32_t words = 0;
    NodeId nodes = 0;  // of those introduced
  };
  bool KnowsBeginningOf(const std::shared_ptr<Rocks>& rocks, const LogPoint& floor) const;
  void Add(const RecordNodes& record);
  void DropUpTo(const LogPoint& floor);
  void HalveAll();

  std::uint64_t most_words_;
  std::weak_ptr<Rocks> rocks_;  // that it followed last
  LogPoint begin_, end_;        // the records behind `begin_`, up to `end_`
  NodeId first_node_ = 0;       // that they may introduce
  std::vector<Ends> records_;
  std::vector<std::uint64_t> words_;   // of each record a power of two
  std::vector<std::uint64_t> filter_;  // memory of Add
};

}  // namespace plexus::storage_internal
