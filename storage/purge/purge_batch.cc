// Nodes by their keys, and the terms that go with them.
#include "storage/database.h"

#include <set>
#include <string>

#include "engine/out_of_memory.h"
#include "storage/purge/orphan_terms.h"

namespace plexus {

using namespace storage_internal;

Result<WriteBatch> PurgeBatch(const Snapshot& now, std::span<const std::string_view> keys,
                              std::int64_t now_ms) try {
  WriteBatch batch(now_ms);
  std::set<NodeId> nodes;
  for (const std::string_view key : keys) {
    const auto node = now.Find(key);
    if (!node) return NotFound("there is no node '", key, "'");
    nodes.insert(*node);
    batch.PurgeNode(NodeRef::Id(*node));
  }
  for (const NodeId term : OrphanTerms(now, nodes)) batch.RemoveNode(NodeRef::Id(term));
  return batch;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
