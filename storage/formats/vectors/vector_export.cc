// Vectors of one space: keys, one a line, an empty line, then rows of little endian f32.
#include <bit>

#include "engine/out_of_memory.h"
#include "storage/formats/base/export_selection.h"

namespace plexus::formats {

using namespace internal;

static_assert(std::endian::native == std::endian::little, "rows are copied as they stand");

Status ExportVectors(const Snapshot& snapshot, std::ostream& out, SpaceId space,
                     const ExportOptions& options) try {
  PLEXUS_ASSIGN(const VectorView* const vectors, snapshot.vectors(space));
  ExportSink sink(out, options.progress, 2 * snapshot.node_count());
  // Calls `row` for each node that has one.
  const auto each = [&](const auto& row) -> Status {
    for (NodeId v = 0; vectors && v < snapshot.node_count(); ++v) {
      PLEXUS_TRY(sink.EndNode());
      if (Included(snapshot, options, v) && vectors->has(v)) PLEXUS_TRY(row(v));
    }
    return {};
  };
  PLEXUS_TRY(each([&](NodeId node) -> Status {
    const std::string_view key = snapshot.key(node);
    if (key.find('\n') != std::string_view::npos || key.ends_with('\r'))
      return Unsupported("f32: a key with a line end in it, \"", key, "\"; take jsonl");
    sink.text() += key;
    return sink.EndRow();
  }));
  PLEXUS_TRY(sink.EndRow());
  VectorBuffer buffer;
  PLEXUS_TRY(each([&](NodeId node) -> Status {
    const auto values = vectors->vector(node, buffer);
    sink.text().append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return sink.EndBytes();
  }));
  return sink.Finish();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::formats
