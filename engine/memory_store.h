// MemoryStore: journal and payload store of a graph that lives in RAM only.
//
// Keeps the payload bytes of every record; forgets the records themselves. A purge
// erases all bytes that were ever written for the node or for edges at it, so that
// older snapshots lose them too. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/journal.h"
#include "engine/payload.h"

namespace plexus {

class MemoryStore final : public Journal, public PayloadStore {
 public:
  Status Append(std::span<const Record> group, Durability durability) override;
  Status WaitDurable(Sequence sequence) override;
  Result<std::string> Get(PayloadRef ref) const override;

 private:
  void Note(NodeId node, PayloadRef ref) {
    if (ref) written_[node].push_back(ref.bits);
  }

  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, std::string> payloads_;  // by PayloadRef bits
  std::map<NodeId, std::vector<std::uint64_t>> written_;  // what a purge erases
};

// Payloads of records that are not journalled yet, over a store that has the rest.
class PendingPayloads final : public PayloadStore {
 public:
  explicit PendingPayloads(std::shared_ptr<const PayloadStore> rest) : rest_(std::move(rest)) {}
  // REQUIRES the records to outlive this and to stay where they are.
  void Add(const Record& record) { records_.push_back(&record); }
  Result<std::string> Get(PayloadRef ref) const override;
  Status GetEach(std::span<const PayloadRef> refs, const EachPayload& fn) const override;

 private:
  std::shared_ptr<const PayloadStore> rest_;
  std::vector<const Record*> records_;
};

}  // namespace plexus
