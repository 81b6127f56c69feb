// MemoryStore: journal and payload store of a graph that lives in RAM only.
//
// Keeps the payload bytes that some state can read; forgets the records. Bytes of vectors
// are not kept: they are in the graph's VectorTable. A replaced payload, of a node or of an
// edge, is dropped when no state that was published before is left. A purge erases at once
// all bytes that were written for the node or for edges at it, so that older snapshots lose
// them too. Thread-safe.
//
// States hold the store by an epoch's token. Once enough bytes were replaced, the next state
// begins a new epoch; what was replaced in an epoch goes with the last state of it and of
// those before.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/mutex.h"
#include "engine/record.h"

namespace plexus {

class MemoryStore final : public Journal,
                          public PayloadStore,
                          public std::enable_shared_from_this<MemoryStore> {
 public:
  // `rest`, which may be null, has the payloads of records up to `begun`; a purge leaves them.
  explicit MemoryStore(std::shared_ptr<const PayloadStore> rest = nullptr, Sequence begun = 0)
      : rest_(std::move(rest)), begun_(begun) {}

  Status Append(std::span<const Record> group, Durability durability) override;
  Status WaitDurable(Sequence sequence) override;
  Result<std::string> Get(PayloadRef ref) const override;

  // Whether the state that is published next should begin an epoch.
  bool EpochDue() const { return due_.load(std::memory_order_relaxed); }
  // The store, as states from now on hold it. REQUIRES one writer, and that no state published
  // later refers to what is replaced now.
  std::shared_ptr<const PayloadStore> NextEpoch();

  std::uint64_t size_bytes() const;  // of the payloads kept
  std::uint64_t node_count() const;  // that have payloads
  std::uint64_t edge_count() const;

 private:
  struct Token {  // of an epoch; states share it
    std::shared_ptr<MemoryStore> store;
  };
  struct Replaced {
    NodeId node;  // of an edge one entry for each end
    std::uint64_t bits;
  };
  struct Epoch {
    std::weak_ptr<const Token> token;
    std::vector<Replaced> replaced;
  };
  using Fields = std::array<std::uint64_t, kNodeFieldCount>;  // PayloadRef bits
  struct EdgeIdentity {
    NodeId source, target;
    StringId label;
    EdgeKindId kind;
    bool operator==(const EdgeIdentity&) const = default;
  };
  struct EdgeIdentityHash {
    std::size_t operator()(const EdgeIdentity& edge) const;
  };

  void SetField(NodeId node, std::uint32_t field, PayloadRef ref) PLEXUS_REQUIRES(mutex_);
  void SetEdges(const Record& record, const std::unordered_set<NodeId>& purged)
      PLEXUS_REQUIRES(mutex_);
  void Replace(NodeId node, std::uint64_t bits) PLEXUS_REQUIRES(mutex_);
  void Erase(std::uint64_t bits) PLEXUS_REQUIRES(mutex_);
  void Purge(const std::unordered_set<NodeId>& nodes) PLEXUS_REQUIRES(mutex_);
  void DropReplaced() PLEXUS_REQUIRES(mutex_);

  const std::shared_ptr<const PayloadStore> rest_;
  const Sequence begun_;
  mutable SharedMutex mutex_;
  // By PayloadRef bits.
  std::unordered_map<std::uint64_t, std::string> payloads_ PLEXUS_GUARDED_BY(mutex_);
  std::unordered_map<NodeId, Fields> written_ PLEXUS_GUARDED_BY(mutex_);
  std::unordered_map<EdgeIdentity, std::uint64_t, EdgeIdentityHash> properties_
      PLEXUS_GUARDED_BY(mutex_);
  // Oldest first; the last is the present one.
  std::deque<Epoch> epochs_ PLEXUS_GUARDED_BY(mutex_);
  std::uint64_t bytes_ PLEXUS_GUARDED_BY(mutex_) = 0;           // kept
  std::uint64_t replaced_bytes_ PLEXUS_GUARDED_BY(mutex_) = 0;  // of them in the present epoch
  std::atomic<bool> due_{false};
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
