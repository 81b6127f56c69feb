// What a load (engine/bulk/edge_load.h) next to files may take: memory, and a scratch for the rest.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/bulk/load_scratch.h"
#include "storage/formats/import.h"

namespace plexus {

struct LoadMemory {
  std::uint64_t bytes = 0;
  std::shared_ptr<LoadScratch> scratch = {};  // a file without a name, made with its first bytes
};

// `asked`: as ImportLimits::load_bytes. `folder`: as ImportOptions::scratch_folder.
// Computes: the bytes of now, from what is free. Throws std::bad_alloc.
LoadMemory MakeLoadMemory(std::uint64_t asked = ImportLimits::kHalfOfFree,
                          const std::string& folder = "");

}  // namespace plexus
