// Payloads in a map, and the records that wrote them.
#include "engine/internal/memory_store.h"

#include <algorithm>

#include "engine/internal/edge_filter.h"

namespace plexus {

namespace {
constexpr std::uint64_t kEpochBytes = std::uint64_t{1} << 20, kEpochPart = 8;
constexpr std::uint64_t kEntryBytes = 96;  // of a payload, besides its bytes

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

std::size_t MemoryStore::EdgeIdentityHash::operator()(const EdgeIdentity& edge) const {
  return EdgeFilter::Hash(edge.source, edge.kind, edge.target, edge.label);
}

// Older snapshots may still read what is replaced.
void MemoryStore::Replace(NodeId node, std::uint64_t bits) {
  epochs_.back().replaced.push_back({node, bits});
  if (const auto it = payloads_.find(bits); it != payloads_.end())
    replaced_bytes_ += it->second.size() + kEntryBytes;
}

void MemoryStore::SetField(NodeId node, std::uint32_t field, PayloadRef ref) {
  Fields& now = written_[node];
  if (now[field] != 0) Replace(node, now[field]);
  now[field] = ref.bits;
  // A removed node, as a rule. What it had is known by the epochs.
  if (std::ranges::all_of(now, [](std::uint64_t bits) { return bits == 0; })) written_.erase(node);
}

// A record has each edge that changes with its whole new value, those of removed and purged nodes
// among them.
void MemoryStore::SetEdges(const Record& record, const std::unordered_set<NodeId>& purged) {
  auto extra = record.edge_extras.begin();
  for (std::uint32_t i = 0; i < record.edges.size(); ++i) {
    std::uint64_t bits = 0;
    if (extra != record.edge_extras.end() && extra->index == i) bits = (extra++)->properties.bits;
    const EdgeChange& e = record.edges[i];
    if (bits == 0 && (properties_.empty() || e.is_new())) continue;
    const EdgeIdentity edge{e.source, e.target, e.label, e.kind};
    if (const auto it = properties_.find(edge); it != properties_.end() && it->second != bits) {
      if (purged.contains(e.source) || purged.contains(e.target)) {
        Erase(it->second);
      } else {
        Replace(e.source, it->second);
        if (e.target != e.source) epochs_.back().replaced.push_back({e.target, it->second});
      }
      if (bits == 0) properties_.erase(it);
    }
    if (bits != 0) properties_[edge] = bits;
  }
}

// O(nodes + what is replaced and kept).
void MemoryStore::Purge(const std::unordered_set<NodeId>& nodes) {
  for (const NodeId node : nodes) {
    const auto fields = written_.find(node);
    if (fields == written_.end()) continue;
    for (const std::uint64_t bits : fields->second) Erase(bits);
    written_.erase(fields);
  }
  for (const Epoch& epoch : epochs_)
    for (const Replaced& r : epoch.replaced)
      if (nodes.contains(r.node)) Erase(r.bits);
}

Status MemoryStore::Append(std::span<const Record> group, Durability) {
  MutexLock lock(mutex_);
  for (const Record& r : group) {
    std::unordered_set<NodeId> purged;
    for (const NodeChange& c : r.node_changes)
      if (c.what == NodeChange::kPurge) purged.insert(c.node);
    if (!purged.empty()) Purge(purged);  // first: the record may write again
    std::vector<bool> kept(r.payloads.size());
    const auto keep = [&](PayloadRef ref) {
      if (ref && ref.sequence() == r.sequence && ref.ordinal() < kept.size())
        kept[ref.ordinal()] = true;
    };
    for (const PayloadChange& c : r.payload_changes) keep(c.ref);
    for (const EdgeExtra& x : r.edge_extras) keep(x.properties);
    for (const Payload& p : r.payloads) {
      if (!kept[p.ordinal]) continue;
      payloads_[PayloadRef::Make(r.sequence, p.ordinal).bits] = p.bytes;
      bytes_ += p.bytes.size() + kEntryBytes;
    }
    for (const PayloadChange& c : r.payload_changes) SetField(c.node, c.field, c.ref);
    SetEdges(r, purged);
  }
  DropReplaced();
  due_.store(replaced_bytes_ > std::max(kEpochBytes, bytes_ / kEpochPart),
             std::memory_order_relaxed);
  return {};
}

Status MemoryStore::WaitDurable(Sequence) { return {}; }

Result<std::string> MemoryStore::Get(PayloadRef ref) const {
  if (rest_ && ref.sequence() <= begun_) return rest_->Get(ref);
  ReaderLock lock(mutex_);
  auto it = payloads_.find(ref.bits);
  if (it == payloads_.end()) return NotFound("no such payload");
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
  Shrink(properties_);
}

std::shared_ptr<const PayloadStore> MemoryStore::NextEpoch() {
  const auto token = std::make_shared<const Token>(shared_from_this());
  MutexLock lock(mutex_);
  epochs_.push_back({token, {}});
  replaced_bytes_ = 0;
  due_.store(false, std::memory_order_relaxed);
  DropReplaced();
  return {token, this};
}

std::uint64_t MemoryStore::size_bytes() const {
  ReaderLock lock(mutex_);
  return bytes_;
}

std::uint64_t MemoryStore::node_count() const {
  ReaderLock lock(mutex_);
  return written_.size();
}

std::uint64_t MemoryStore::edge_count() const {
  ReaderLock lock(mutex_);
  return properties_.size();
}

Result<std::string> PendingPayloads::Get(PayloadRef ref) const {
  for (const Record* r : records_)
    if (r->sequence == ref.sequence() && ref.ordinal() < r->payloads.size())
      return r->payloads[ref.ordinal()].bytes;
  if (!rest_) return NotFound("no such payload");
  return rest_->Get(ref);
}

Status PendingPayloads::GetEach(std::span<const PayloadRef> refs, const EachPayload& fn) const {
  const bool all_in_rest =
      !refs.empty() && (records_.empty() || refs.back().sequence() < records_.front()->sequence);
  return rest_ && all_in_rest ? rest_->GetEach(refs, fn) : PayloadStore::GetEach(refs, fn);
}

}  // namespace plexus
