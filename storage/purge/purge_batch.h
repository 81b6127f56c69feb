// The batch that purges nodes: what Database::Purge applies, and what a dry run shows of it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"

namespace plexus {

// Purges the nodes and removes the terms that no other node has. kNotFound names a missing key.
Result<WriteBatch> PurgeBatch(const Snapshot& now, std::span<const std::string_view> keys,
                              std::int64_t now_ms);

}  // namespace plexus
