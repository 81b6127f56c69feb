// Changes a closed database's files behind its back, as damage or a liar would, and makes its
// anchor fit again.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "storage/base/files.h"
#include "storage/encoding/anchor.h"
#include "storage/log/rocks_db.h"
#include "tests/support/expected.h"

namespace plexus::storage_internal::testing {

inline void ChangeFiles(
    const std::string& directory,
    const std::function<void(const std::shared_ptr<Rocks>& rocks, Anchor& anchor)>& change) {
  auto files = std::make_shared<Files>();
  auto anchor = ReadAnchor(directory, *files);
  PLEXUS_OK(anchor);
  const std::string path = GenerationPath(directory, anchor->generation);
  {
    auto rocks = Rocks::Open(path, Rocks::Mode::kWrite, files);
    PLEXUS_OK(rocks);
    change(*rocks, *anchor);
    PLEXUS_OK((*rocks)->FlushAll());
    PLEXUS_OK((*rocks)->Close());
  }
  anchor->files = *ListGeneration(path, *files);
  PLEXUS_OK(WriteAnchor(directory, *anchor, *files));
}

}  // namespace plexus::storage_internal::testing
