// Fuzzer: any bytes as a log record, applied to a small graph.
//
// Bytes that are a FlatBuffers record get a right digest first, so that the fuzzer
// reaches what lies behind it: offsets, ids, values. What Apply accepts is walked
// through, so that a bad id would be an access out of bounds.
#include <cstdlib>
#include <vector>

#include "engine/snapshot.h"
#include "engine/writer/state_writer.h"
#include "record_generated.h"
#include "storage/encoding/flatbuffer_util.h"
#include "storage/encoding/record_codec.h"

namespace {

using namespace plexus;
using namespace plexus;  // NOLINT
using namespace plexus::storage_internal;

const std::shared_ptr<const FrozenState>& Base() {
  static const std::shared_ptr<const FrozenState> base = [] {
    StateWriter writer(EmptyState());
    WriteBatch batch(1000);
    batch.DefineSpace({"s", 2, Metric::kCosine});
    const NodeRef a = batch.UpsertNode("a"), b = batch.UpsertNode("b");
    batch.Link(a, EdgeKindId{3}, b);
    ApplyReport report;
    auto record = writer.Resolve(batch, &report);
    if (!record || !writer.Apply(*record)) std::abort();
    return writer.Publish();
  }();
  return base;
}

void Walk(const Snapshot& s) {
  std::uint64_t sum = 0;
  for (NodeId v = 0; v < s.node_count(); ++v) {
    sum += s.key(v).size() + s.schema().node_kind(s.node_kind(v)).name.size() + s.scope(v).size();
    s.ForEachArc(Direction::kBoth, v, ArcFilter::All(), [&](const Arc& arc) {
      const Edge e = s.edge(arc, v);
      sum += s.key(arc.neighbor).size() + s.string(e.label).size() + s.string(e.created_by).size();
    });
  }
  [[maybe_unused]] static volatile std::uint64_t sink;
  sink = sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> aligned((size + 7) / 8);
  if (size > 0) std::memcpy(aligned.data(), data, size);
  auto* bytes = reinterpret_cast<std::uint8_t*>(aligned.data());
  if (auto root = CheckedRoot<fb::Record>({bytes, size}, kRecordIdentifier, "record");
      root && (*root)->seal())
    SetSeal(bytes, size, (*root)->seal());
  auto decoded = DecodeRecord({bytes, size}, "record");
  (void)DecodeRecordHead({bytes, size}, "record");
  if (!decoded) return 0;
  StateWriter writer(*Base());
  decoded->record.payloads.clear();
  if (writer.Apply(decoded->record)) Walk(Snapshot(writer.Publish()));
  return 0;
}
