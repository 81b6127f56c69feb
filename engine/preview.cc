// A writer that continues from a copy of the state, and payloads that lie over the state's own.
#include "engine/graph.h"

#include <memory>
#include <utility>

#include "engine/internal/memory_store.h"
#include "engine/out_of_memory.h"
#include "engine/times.h"
#include "engine/writer/state_writer.h"

namespace plexus {

namespace {

// What was computed of the snapshot's state is offered to a state that equals it.
void OfferKept(const Snapshot& from, const GraphState& to) {
  if (!to.derived.lineage) return;
  for (auto& [key, value] : from.state().derived.kept.Values())
    if (auto carried = std::dynamic_pointer_cast<const Carried>(value))
      to.derived.lineage->Offer(key, to.derived.place, std::move(carried));
}

}  // namespace

Result<PreviewResult> Preview(const Snapshot& snapshot, const WriteBatch& batch,
                              const PreviewOptions& options) try {
  PLEXUS_TRY(CheckBatchTime(batch.time_ms(), options.now_ms, options.max_ahead_ms));
  StateWriter writer(snapshot.state(), options.executor);
  PreviewResult result;
  PLEXUS_ASSIGN(Record record, writer.Resolve(batch, &result.report, nullptr, &result.removed,
                                              options.now_ms.value_or(kNoTime), options.scope));
  result.changes.first_new = snapshot.node_count();
  if (record.sequence == 0) {
    result.snapshot = snapshot;
    return result;
  }
  OfferKept(snapshot, *writer.Publish());
  result.changes.Add(record);
  result.changes.Sort();
  PLEXUS_TRY(writer.Apply(record));
  if (!record.payloads.empty()) {
    struct Written {
      Record record;  // only its payloads
      PendingPayloads payloads;
    };
    const auto written =
        std::make_shared<Written>(Record(), PendingPayloads(snapshot.state().payload_store));
    written->record.sequence = record.sequence;
    written->record.payloads = std::move(record.payloads);
    written->payloads.Add(written->record);
    writer.SetPayloadStore({written, &written->payloads});
  }
  result.snapshot = Snapshot(writer.Publish());
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
