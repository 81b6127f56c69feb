// Tools and modes of events: all of them once, then those that changed.
#include "algorithms/memory/ledger/internal/event_attributes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/memory/internal/fnv.h"
#include "algorithms/memory/ledger/internal/ledger_read.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

Result<std::shared_ptr<const EventAttributes>> EventAttributes::Of(const Snapshot& snapshot,
                                                                   const LedgerIndex& index) {
  if (auto known = FindDerived<EventAttributes>(snapshot)) return known;
  auto made = std::make_shared<EventAttributes>();
  PagedArray<Row> rows;
  std::vector<NodeId> events(index.newest().begin(), index.newest().end());
  std::sort(events.begin(), events.end());
  for (const NodeId event : events) PLEXUS_TRY(Read(snapshot, event, rows));
  made->rows_ = rows.Publish();
  return KeepDerived<EventAttributes>(snapshot, std::move(made));
}

std::uint64_t EventAttributes::HashOf(std::string_view name) { return Fnv1a64(name); }

Status EventAttributes::Read(const Snapshot& snapshot, NodeId event, PagedArray<Row>& rows) {
  PLEXUS_ASSIGN(const PropertyMap map,
                StoredProperties(snapshot, snapshot.payload_ref(event, NodeField::kProperties)));
  rows.Set(event, {HashOf(TextOf(map.root(), "tool")), HashOf(TextOf(map.root(), "mode"))});
  return {};
}

std::shared_ptr<const Carried> EventAttributes::Carry(const Snapshot& now,
                                                      const StateChanges& changes) const {
  auto made = std::make_shared<EventAttributes>();
  PagedArray<Row> rows(rows_, {});
  const auto read = [&](NodeId node) {
    return now.node_kind(node) != builtin::kEvent || !now.alive(node) ||
           Read(now, node, rows).has_value();
  };
  for (const NodeId node : changes.nodes)
    if (!read(node)) return nullptr;
  for (const StateChanges::Payload& p : changes.payloads)
    if (!read(p.node)) return nullptr;
  for (NodeId node = changes.first_new; node < now.node_count(); ++node)
    if (!read(node)) return nullptr;
  made->rows_ = rows.Publish();
  return made;
}

std::uint64_t EventAttributes::size_bytes() const { return sizeof(*this) + rows_.size_bytes(); }

}  // namespace plexus::memory::internal
