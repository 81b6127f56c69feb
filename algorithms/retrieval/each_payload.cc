// Sorting the references, then one walk over the store.
#include "algorithms/retrieval/scan.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/out_of_memory.h"
#include "engine/state.h"

namespace plexus::retrieval {

Status ForEachPayload(const Snapshot& snapshot, std::span<const NodeId> nodes, NodeField field,
                      const EachNodePayload& fn) try {
  std::vector<std::pair<std::uint64_t, NodeId>> wanted;
  for (const NodeId node : nodes)
    if (const PayloadRef ref = snapshot.payload_ref(node, field))
      wanted.emplace_back(ref.bits, node);
  std::ranges::sort(wanted);
  const auto repeated = std::ranges::unique(wanted);
  wanted.erase(repeated.begin(), repeated.end());
  std::vector<PayloadRef> refs;
  refs.reserve(wanted.size());
  for (const auto& [bits, node] : wanted) refs.push_back(PayloadRef{bits});
  const auto take = [&](std::size_t i, Result<std::string_view> bytes) {
    fn(wanted[i].second, std::move(bytes));
  };
  if (const auto& store = snapshot.state().payload_store) return store->GetEach(refs, take);
  for (std::size_t i = 0; i < refs.size(); ++i) take(i, NotFound("there is no payload store"));
  return {};
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::retrieval
