// TestHooks: the seam for fault injection. Internal; only tests fill one in.
//
// Every file that storage writes goes through `file_system`, and the places where
// a crash would hurt most call `at_point` with their name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <rocksdb/file_system.h>

namespace plexus::storage_internal {

struct TestHooks {
  std::shared_ptr<rocksdb::FileSystem> file_system;      // null: the default one
  std::function<void(const char* point)> at_point = {};  // may end the process
  std::uint64_t bulk_file_bytes = 0;  // 0: the default least size of one of several bulk files
};

inline void FailPoint(const TestHooks* hooks, const char* point) {
  if (hooks && hooks->at_point) hooks->at_point(point);
}

}  // namespace plexus::storage_internal
