// What graph and snapshot handles are, and what calls of them share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/monitoring/progress.h"
#include "engine/snapshot.h"
#include "tools/c/handles.h"
#include "tools/server/service.h"

namespace plexus::c {

class GraphObject final : public Object {
 public:
  static constexpr const char* kName = "graph";
  std::unique_ptr<tools::server::Service> service;
  tools::server::Caller caller;
  std::atomic<bool> closing = false;
  const std::uint64_t process = ProcessNumber();
};

class SnapshotObject final : public Object {
 public:
  static constexpr const char* kName = "snapshot";
  explicit SnapshotObject(Snapshot taken) : snapshot(std::move(taken)) {}
  const Snapshot snapshot;
  const std::uint64_t process = ProcessNumber();
};

// kFailedPrecondition in a child of fork.
Status CheckProcess(std::uint64_t process);
// As Find, and of this process.
Result<std::shared_ptr<GraphObject>> FindGraph(plexus_graph* handle);
// kFailedPrecondition: behind a wall of scopes.
Status CheckWhole(const GraphObject& graph);

// What the options of a call say, for as long as it lasts.
class CallOptions final : public Progress {
 public:
  static Result<std::unique_ptr<CallOptions>> Read(const plexus_call_options* options);
  bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) override;
  Progress* progress() { return given_.progress || cancel_ ? this : nullptr; }
  const std::atomic<bool>* cancel() const { return cancel_ ? &cancel_->flag : nullptr; }

 private:
  plexus_call_options given_ = {};
  std::shared_ptr<CancelObject> cancel_;
  std::mutex mutex_;
};

// Texts of an array of pointers. kInvalidArgument: one is null.
Result<std::vector<std::string>> TextsOf(const char* const* texts, std::uint64_t count,
                                         const char* name);
// kInvalidArgument: null arrays, or offsets that do not ascend within the bytes.
Status CheckStrings(const plexus_strings& strings, const char* name);
inline std::string_view StringAt(const plexus_strings& strings, std::uint64_t i) {
  return std::string_view(strings.bytes, strings.byte_count)
      .substr(strings.offsets[i], strings.offsets[i + 1] - strings.offsets[i]);
}

}  // namespace plexus::c
