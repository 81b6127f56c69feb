// RocksDB's statuses as ours, and its slices as spans of bytes and back. Internal.
#pragma once

#include <string_view>

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include "engine/error.h"
#include "storage/base/digest.h"

namespace plexus::storage_internal {

// What the status of a call says when RocksDB must not be called (log/guarded_db.h).
inline constexpr char kDeadText[] =
    "RocksDB ran out of memory and cannot be used any longer; close the database and open it again";

// OK, or the status as an Error that starts with `context`.
Status Check(const rocksdb::Status& status, std::string_view context);

inline ByteSpan SliceBytes(const rocksdb::Slice& slice) {
  return {reinterpret_cast<const std::uint8_t*>(slice.data()), slice.size()};
}
inline rocksdb::Slice AsSlice(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace plexus::storage_internal
