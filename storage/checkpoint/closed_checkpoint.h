// The newest checkpoint of a closed database, read past RocksDB.
//
// Its sorted files are written without compression, one section after the other, and the anchor
// knows the digest of its manifest, which knows those of the sections. So no byte is believed that
// is not proved, and nothing is lost by looking: what is not as expected is no error here, but
// reason to ask RocksDB, which knows what is damaged.
#pragma once

#include <memory>
#include <string>

#include "storage/checkpoint/checkpoint.h"
#include "storage/encoding/anchor.h"

namespace plexus::storage_internal {

struct ClosedCheckpoint {
  Sequence log_end = 0;  // as the anchor has it
  std::uint64_t log_hash = 0;
  Manifest manifest;
  std::unique_ptr<SectionSource> sections;
};

// The checkpoint that `anchor` (REQUIRES clean) names, out of the sorted files that it lists in
// `path`; null when it is not found whole.
std::unique_ptr<ClosedCheckpoint> FindClosedCheckpoint(const std::string& path,
                                                       const Anchor& anchor,
                                                       const std::shared_ptr<Files>& files);

}  // namespace plexus::storage_internal
