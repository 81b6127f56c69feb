// What RocksDB's codes mean here.
#include "storage/base/rocks_status.h"

#include <string>

#include "storage/base/guarded_file_system.h"

namespace plexus::storage_internal {

Status Check(const rocksdb::Status& status, std::string_view context) {
  if (status.ok()) return {};
  ErrorCode code = ErrorCode::kIo;
  if (status.IsNotFound() || status.IsPathNotFound()) code = ErrorCode::kNotFound;
  if (status.IsCorruption()) code = ErrorCode::kCorruption;
  if (status.IsInvalidArgument()) code = ErrorCode::kCorruption;  // a family is missing
  if (status.IsNotSupported()) code = ErrorCode::kUnsupported;
  const std::string text = status.ToString();
  if (status.IsNoSpace() || text.find(kNoSpaceText) != std::string::npos)
    code = ErrorCode::kResourceExhausted;
  if (status.IsShutdownInProgress() && text.find(kDeadText) != std::string::npos)
    code = ErrorCode::kFailedPrecondition;
  return Fail(code, std::string(context) + ": " + text);
}

}  // namespace plexus::storage_internal
