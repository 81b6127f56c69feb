// A disk that says no at its n-th write, sync or rename.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "tests/support/files/watched_files.h"

namespace plexus::storage_internal::testing {

struct Faults {
  std::atomic<std::uint64_t> operations{0};
  std::uint64_t fail_at = 0;  // 1-based; 0 = never
  bool stay = false;          // all later ones fail too
  bool no_space = false;
  rocksdb::IOStatus Step() {
    const std::uint64_t n = ++operations;
    if (fail_at == 0 || n < fail_at || (n > fail_at && !stay)) return rocksdb::IOStatus::OK();
    return no_space ? rocksdb::IOStatus::NoSpace("injected")
                    : rocksdb::IOStatus::IOError("injected");
  }
  std::shared_ptr<rocksdb::FileSystem> Files() {
    return std::make_shared<WatchedFiles>([this](const FileEvent& event) {
      return event.writes() ? Step() : rocksdb::IOStatus::OK();
    });
  }
};

}  // namespace plexus::storage_internal::testing
