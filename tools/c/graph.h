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
#include "engine/monitoring/monitoring.h"
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

// Lives while this thread runs a callback of a graph; calls of the graph are refused meanwhile, as
// its locks are held. Callbacks of several graphs may lie within each other.
class InCallback {
 public:
  explicit InCallback(const GraphObject* graph);
  ~InCallback();
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;

 private:
  friend Status CheckCallback(const GraphObject& graph);
  const GraphObject* graph_;
  const InCallback* outer_;
};
// kFailedPrecondition: this thread runs a callback of the graph.
Status CheckCallback(const GraphObject& graph);

// kFailedPrecondition in a child of fork: it has no threads, such as those of kernels.
Status CheckProcess(std::uint64_t process);
// As Find, of this process, and not in a callback of the graph.
Result<std::shared_ptr<GraphObject>> FindGraph(plexus_graph* handle);
// `done`, or kFailedPrecondition where the graph was closed before the call had its turn.
Status InTime(const GraphObject& graph, Status done);
// kFailedPrecondition: behind a wall of scopes.
Status CheckWhole(const GraphObject& graph);
// kReadOnly: opened so.
Status CheckWritable(const GraphObject& graph);

// What the options of a call say, for as long as it lasts.
class CallOptions final : public Progress {
 public:
  // `graph` null: the call is of a directory.
  static Result<std::unique_ptr<CallOptions>> Read(const plexus_call_options* options,
                                                   const GraphObject* graph);
  bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) override;
  Progress* progress() { return given_.progress || cancel_ ? this : nullptr; }
  const std::atomic<bool>* cancel() const { return cancel_ ? &cancel_->flag : nullptr; }

 private:
  plexus_call_options given_ = {};
  const GraphObject* graph_ = nullptr;
  std::shared_ptr<CancelObject> cancel_;
  std::mutex mutex_;
};

// What writes arrays, in the turn of a request that writes.
struct Putting {
  tools::server::Service& service;
  tools::server::Caller caller;
  CallOptions& call;
  plexus_counts done = {};
};
// The frame around that: `put` looks at the arrays and writes them.
template <class Put>
plexus_code PutArrays(plexus_graph* handle, const plexus_call_options* options,
                      plexus_counts* counts, Put&& put) {
  return Guarded([&]() -> Status {
    PLEXUS_ASSIGN(const auto graph, FindGraph(handle));
    PLEXUS_TRY(CheckWhole(*graph));
    PLEXUS_TRY(CheckWritable(*graph));
    PLEXUS_TRY(ReadStruct(counts, "counts"));
    PLEXUS_ASSIGN(const auto call, CallOptions::Read(options, graph.get()));
    Putting putting{*graph->service, graph->caller, *call};
    putting.caller.cancel = call->cancel();
    PLEXUS_TRY(InTime(*graph, put(putting)));
    return counts ? WriteStruct(putting.done, counts, "counts") : Status();
  });
}

// Texts of an array of pointers. kInvalidArgument: one is null.
Result<std::vector<std::string>> TextsOf(const char* const* texts, std::uint64_t count,
                                         const char* name);

// Reads the caller's memory once: another thread may write to it, and what was checked must be
// what is used.
template <class T>
T ReadOnce(const T* from) {
  return *static_cast<const volatile T*>(from);
}

// A caller's list of texts, copied: another thread may write to the caller's memory.
class Strings {
 public:
  // kInvalidArgument: null arrays, or offsets that do not ascend within the bytes.
  static Result<Strings> Copy(const plexus_strings& given, const char* name);
  std::uint64_t size() const { return offsets_.size() - 1; }
  std::string_view operator[](std::uint64_t i) const {
    return std::string_view(bytes_).substr(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }

 private:
  std::string bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
};

}  // namespace plexus::c
