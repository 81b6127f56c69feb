// Payloads in a map.
#include "engine/memory_store.h"

namespace plexus {

Status MemoryStore::Append(std::span<const Record> group, Durability) {
  std::unique_lock lock(mutex_);
  for (const Record& r : group) {
    for (const NodeChange& c : r.node_changes) {  // purges first: the record may write anew
      if (c.what != NodeChange::kPurge) continue;
      for (std::uint64_t bits : written_[c.node]) payloads_.erase(bits);
      written_.erase(c.node);
    }
    for (const Payload& p : r.payloads)
      payloads_[PayloadRef::Make(r.sequence, p.ordinal).bits] = p.bytes;
    for (const PayloadChange& c : r.payload_changes) Note(c.node, c.ref);
    for (const VectorChange& c : r.vectors) Note(c.node, c.ref);
    for (const EdgeExtra& x : r.edge_extras) {
      Note(r.edges[x.index].source, x.properties);
      Note(r.edges[x.index].target, x.properties);
    }
  }
  return {};
}

Status MemoryStore::WaitDurable(Sequence) { return {}; }

Result<std::string> MemoryStore::Get(PayloadRef ref) const {
  std::shared_lock lock(mutex_);
  auto it = payloads_.find(ref.bits);
  if (it == payloads_.end()) return Fail(ErrorCode::kNotFound, "no such payload");
  return it->second;
}

Result<std::string> PendingPayloads::Get(PayloadRef ref) const {
  for (const Record* r : records_)
    if (r->sequence == ref.sequence() && ref.ordinal() < r->payloads.size())
      return r->payloads[ref.ordinal()].bytes;
  if (!rest_) return Fail(ErrorCode::kNotFound, "no such payload");
  return rest_->Get(ref);
}

Status PendingPayloads::GetEach(std::span<const PayloadRef> refs, const EachPayload& fn) const {
  const bool all_in_rest = !refs.empty() && (records_.empty() ||
                                             refs.back().sequence() < records_.front()->sequence);
  return rest_ && all_in_rest ? rest_->GetEach(refs, fn) : PayloadStore::GetEach(refs, fn);
}

}  // namespace plexus
