// Checkpoints that cannot be read: finding the others, naming the file, dropping them.
//
// A damaged block must not hide its neighbours, so nothing here walks over blocks: the
// ids come from the bounds of the sorted files, which RocksDB's MANIFEST holds, and each manifest
// is read by its key. Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/checkpoint/checkpoint.h"
#include "storage/database.h"
#include "storage/encoding/anchor.h"

namespace plexus::storage_internal {

// As ListCheckpoints, but a manifest that cannot be read goes to `damaged`.
Result<std::vector<Manifest>> ListSoundCheckpoints(const std::shared_ptr<Rocks>& rocks,
                                                   std::vector<DamagedCheckpoint>& damaged);

// `id` as an entry of a report. A file, section or manifest in the message names the file; without
// one it stays empty.
DamagedCheckpoint DescribeDamage(const std::shared_ptr<Rocks>& rocks, std::uint64_t id,
                                 Sequence sequence, const std::string& what);

// Adds what `more` has of other checkpoints.
void MergeDamage(std::vector<DamagedCheckpoint>& damaged,
                 const std::vector<DamagedCheckpoint>& more);

// Of files whose bytes are not those of the clean close: those that hold only checkpoints, as
// entries of a report; kCorruption with the file's own message for any other.
Result<std::vector<DamagedCheckpoint>> DamageOfFiles(const std::shared_ptr<Rocks>& rocks,
                                                     const std::vector<ChangedFile>& changed);

}  // namespace plexus::storage_internal
