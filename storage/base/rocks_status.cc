// What RocksDB's codes mean here.
#include "storage/base/rocks_status.h"

#include <string>

#include "storage/base/guarded_file_system.h"

namespace plexus::storage_internal {
namespace {

// What a status says, without its name and what is in `context` already: of a file that cannot
// be made "Not a directory", where RocksDB says "IO error: While mkdir if missing: PATH: Not a
// directory".
std::string Reason(const rocksdb::Status& status, std::string_view context) {
  const char* state = status.getState();
  const std::string text = state ? state : "";
  if (text.empty() && status.IsNotFound()) return "is not there, or is no directory";
  const std::size_t at = text.find(std::string(context) + ": ");
  if (status.IsIOError() && at != std::string::npos) return text.substr(at + context.size() + 2);
  return status.IsIOError() && !text.empty() ? text : status.ToString();
}

}  // namespace

Status Check(const rocksdb::Status& status, std::string_view context) {
  if (status.ok()) return {};
  ErrorCode code = ErrorCode::kIo;
  if (status.IsNotFound() || status.IsPathNotFound()) code = ErrorCode::kNotFound;
  if (status.IsCorruption()) code = ErrorCode::kCorruption;
  if (status.IsInvalidArgument()) code = ErrorCode::kCorruption;  // a family is missing
  if (status.IsNotSupported()) code = ErrorCode::kUnsupported;
  const std::string text = status.ToString();
  if (status.IsMemoryLimit() || status.IsNoSpace() || text.find(kNoSpaceText) != std::string::npos)
    code = ErrorCode::kResourceExhausted;
  if (status.IsShutdownInProgress() && text.find(kDeadText) != std::string::npos)
    code = ErrorCode::kFailedPrecondition;
  return Fail(code, std::string(context) + ": " + Reason(status, context));
}

}  // namespace plexus::storage_internal
