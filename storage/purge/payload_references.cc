// One pass over everything that can hold a reference.
#include "storage/purge/payload_references.h"

#include <algorithm>

namespace plexus::storage_internal {

std::vector<std::uint64_t> ReferencedBy(const GraphState& state) {
  std::vector<std::uint64_t> refs;
  for (const auto& view : state.payload_refs)
    for (std::size_t i = 0; i < view.size(); ++i)
      if (view[i] != 0) refs.push_back(view[i]);
  for (const VectorView& space : state.spaces)
    for (NodeId v = 0; v < state.keys.size(); ++v)
      if (const PayloadRef ref = space.ref(v)) refs.push_back(ref.bits);
  for (std::uint64_t bits : state.base->properties.values)
    if (bits != 0) refs.push_back(bits);
  std::sort(refs.begin(), refs.end());
  return refs;
}

}  // namespace plexus::storage_internal
