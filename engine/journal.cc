// A load as records, for journals that know nothing better.
#include "engine/record.h"

#include <vector>

#include "engine/bulk/edge_load.h"

namespace plexus {

Status Journal::AppendLoad(const LoadedEdges& loaded, std::span<const std::size_t> batches,
                           Sequence first, Durability durability) {
  std::vector<Record> records(batches.size());
  for (std::size_t i = 0; i < batches.size(); ++i) {
    loaded.FillRecord(batches[i], records[i]);
    records[i].sequence = first + i;
  }
  return Append(records, durability);
}

}  // namespace plexus
