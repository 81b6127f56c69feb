// A journal that keeps payloads over another store; see scratch_graph.h.
#include "tools/operations/scratch_graph.h"

#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "engine/record.h"
#include "engine/state.h"

namespace plexus::tools {
namespace {

class ScratchStore final : public Journal, public PayloadStore {
 public:
  explicit ScratchStore(std::shared_ptr<const PayloadStore> rest) : rest_(std::move(rest)) {}

  Status Append(std::span<const Record> group, Durability) override {
    const std::unique_lock lock(mutex_);
    for (const Record& record : group)
      for (const Payload& payload : record.payloads)
        written_[PayloadRef::Make(record.sequence, payload.ordinal).bits] = payload.bytes;
    return {};
  }
  Status WaitDurable(Sequence) override { return {}; }
  Result<std::string> Get(PayloadRef ref) const override {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = written_.find(ref.bits); found != written_.end()) return found->second;
    }
    if (rest_) return rest_->Get(ref);
    return Fail(ErrorCode::kNotFound, "there is no payload");
  }

 private:
  const std::shared_ptr<const PayloadStore> rest_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::uint64_t, std::string> written_;
};

}  // namespace

std::unique_ptr<Graph> ScratchGraph(const Snapshot& snapshot, const GraphOptions& options) try {
  GraphState state = snapshot.state();
  const auto store = std::make_shared<ScratchStore>(state.payload_store);
  state.payload_store = store;
  return Graph::Open(std::move(state), store, options);
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace plexus::tools
