// Erasing payload bytes: overwritten with the value that means "purged", then compacted, so that no
// file holds them any more. Internal.
#pragma once

#include <memory>
#include <vector>

#include "engine/record.h"
#include "storage/log/rocks_db.h"

namespace plexus::storage_internal {

// Durable on return; the old bytes may still be in files. `refs` ascend.
Status OverwritePayloads(const std::shared_ptr<Rocks>& rocks, const std::vector<PayloadRef>& refs);
// Rewrites the sorted files that hold any of the keys. REQUIRES memtables that were flushed.
Status CompactAround(const std::shared_ptr<Rocks>& rocks, const std::vector<PayloadRef>& refs);

}  // namespace plexus::storage_internal
