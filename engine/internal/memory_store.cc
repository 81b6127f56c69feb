// Payloads in a map, and the records that wrote them.
#include "engine/internal/memory_store.h"

#include <algorithm>

namespace plexus {

namespace {
constexpr std::uint64_t kEpochBytes = std::uint64_t{1} << 20, kEpochPart = 8;
constexpr std::uint64_t kEntryBytes = 96;  // of a payload, beside its bytes

// Tables keep their buckets when entries go.
template <class Map>
void Shrink(Map& map) {
  constexpr std::size_t kMinBuckets = 4096, kPart = 8;
  if (map.bucket_count() > kMinBuckets && map.size() < map.bucket_count() / kPart) map.rehash(0);
}
}  // namespace

void MemoryStore::Erase(std::uint64_t bits) {
  const auto it = payloads_.find(bits);
  if (it == payloads_.end()) return;
  bytes_ -= it->second.size() + kEntryBytes;
  payloads_.erase(it);
}

// Older snapshots may still read what is replaced.
void MemoryStore::SetField(NodeId node, std::uint32_t field, PayloadRef ref) {
  OfNode& of = written_[node];
  if (const std::uint64_t old = of.now[field]; old != 0) {
    if (const auto it = payloads_.find(old); it != payloads_.end())
      replaced_bytes_ += it->second.size() + kEntryBytes;
    epochs_.back().replaced.push_back({node, old});
  }
  of.now[field] = ref.bits;
  // A removed node, as a rule. What it had is known by the epochs.
  if (std::ranges::all_of(of.now, [](std::uint64_t bits) { return bits == 0; }) &&
      of.of_edges.empty())
    written_.erase(node);
}

// O(nodes + what is replaced and kept).
void MemoryStore::Purge(const std::unordered_set<NodeId>& nodes) {
  for (const NodeId node : nodes) {
    const auto of = written_.find(node);
    if (of == written_.end()) continue;
    for (const std::uint64_t bits : of->second.now) Erase(bits);
    for (const std::uint64_t bits : of->second.of_edges) Erase(bits);
    written_.erase(of);
  }
  for (const Epoch& epoch : epochs_)
    for (const Replaced& r : epoch.replaced)
      if (nodes.contains(r.node)) Erase(r.bits);
}

Status MemoryStore::Append(std::span<const Record> group, Durability) {
  std::unique_lock lock(mutex_);
  for (const Record& r : group) {
    std::unordered_set<NodeId> purged;
    for (const NodeChange& c : r.node_changes)
      if (c.what == NodeChange::kPurge) purged.insert(c.node);
    if (!purged.empty()) Purge(purged);  // first: the record may write anew
    std::vector<bool> kept(r.payloads.size(), true);
    for (const VectorChange& c : r.vectors)
      if (c.ref && c.ref.sequence() == r.sequence && c.ref.ordinal() < kept.size())
        kept[c.ref.ordinal()] = false;
    for (const Payload& p : r.payloads) {
      if (!kept[p.ordinal]) continue;
      payloads_[PayloadRef::Make(r.sequence, p.ordinal).bits] = p.bytes;
      bytes_ += p.bytes.size() + kEntryBytes;
    }
    for (const PayloadChange& c : r.payload_changes) SetField(c.node, c.field, c.ref);
    for (const EdgeExtra& x : r.edge_extras) {
      if (!x.properties) continue;
      written_[r.edges[x.index].source].of_edges.push_back(x.properties.bits);
      written_[r.edges[x.index].target].of_edges.push_back(x.properties.bits);
    }
  }
  DropReplaced();
  due_.store(replaced_bytes_ > std::max(kEpochBytes, bytes_ / kEpochPart),
             std::memory_order_relaxed);
  return {};
}

Status MemoryStore::WaitDurable(Sequence) { return {}; }

Result<std::string> MemoryStore::Get(PayloadRef ref) const {
  std::shared_lock lock(mutex_);
  auto it = payloads_.find(ref.bits);
  if (it == payloads_.end()) return Fail(ErrorCode::kNotFound, "no such payload");
  return it->second;
}

// Epochs end in order: a state of an earlier one may read what a later one replaced.
void MemoryStore::DropReplaced() {
  while (epochs_.size() > 1 && epochs_.front().token.expired()) {
    for (const Replaced& r : epochs_.front().replaced) Erase(r.bits);
    epochs_.pop_front();
  }
  Shrink(payloads_);
  Shrink(written_);
}

std::shared_ptr<const PayloadStore> MemoryStore::NextEpoch() {
  const auto token = std::make_shared<const Token>(shared_from_this());
  std::unique_lock lock(mutex_);
  epochs_.push_back({token, {}});
  replaced_bytes_ = 0;
  due_.store(false, std::memory_order_relaxed);
  DropReplaced();
  return {token, this};
}

std::uint64_t MemoryStore::size_bytes() const {
  std::shared_lock lock(mutex_);
  return bytes_;
}

std::uint64_t MemoryStore::node_count() const {
  std::shared_lock lock(mutex_);
  return written_.size();
}

Result<std::string> PendingPayloads::Get(PayloadRef ref) const {
  for (const Record* r : records_)
    if (r->sequence == ref.sequence() && ref.ordinal() < r->payloads.size())
      return r->payloads[ref.ordinal()].bytes;
  if (!rest_) return Fail(ErrorCode::kNotFound, "no such payload");
  return rest_->Get(ref);
}

Status PendingPayloads::GetEach(std::span<const PayloadRef> refs, const EachPayload& fn) const {
  const bool all_in_rest =
      !refs.empty() && (records_.empty() || refs.back().sequence() < records_.front()->sequence);
  return rest_ && all_in_rest ? rest_->GetEach(refs, fn) : PayloadStore::GetEach(refs, fn);
}

}  // namespace plexus
