// A later value of the same place makes a lost one a matter of the past.
#include "storage/repair/salvage.h"

#include "storage/encoding/flatbuffer_util.h"

namespace plexus::storage_internal {

namespace {

// A whole array of a checkpoint, as bytes.
Result<std::string> ReadArray(const Manifest& manifest, const Salvage& salvage,
                              const ArraySpec& wanted) {
  std::uint32_t section = 0;
  std::string bytes;
  for (const ArraySpec& spec : manifest.arrays) {
    const auto count = static_cast<std::uint32_t>(manifest.section_count(spec));
    if (spec == wanted)
      PLEXUS_TRY(salvage.Sections(manifest)->Visit(
          section, section + count, [&](std::uint32_t, ByteSpan value) -> Status {
            const AlignedView view(value);
            PLEXUS_ASSIGN(const SectionView found, DecodeSection(view.bytes(), "section"));
            bytes.append(AsText(found.bytes));
            return {};
          }));
    section += count;
  }
  return bytes;
}

template <class T>
T At(const std::string& bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof value);
  return value;
}

}  // namespace

void LostContents::Set(const Slot& slot, bool lost) {
  old_ += slots_.erase(slot);
  if (lost) slots_[slot] = true;
}

void LostContents::Forget(NodeId node) {
  std::erase_if(slots_, [&](const auto& entry) {
    const bool gone = std::get<1>(entry.first) == node ||
                      (std::get<0>(entry.first) == kEdge && std::get<3>(entry.first) == node);
    old_ += gone;
    return gone;
  });
}

Status LostContents::AddState(const GraphState& state, const Manifest& manifest,
                              const Salvage& salvage, const IsLost& lost) {
  for (std::uint32_t field = 0; field < kNodeFieldCount; ++field)
    for (NodeId v = 0; v < state.payload_refs[field].size(); ++v)
      if (const PayloadRef ref{state.payload_refs[field][v]}; ref && lost(ref))
        Set({kField, v, field, 0, 0}, true);
  const EdgeList list = ListEdges(*state.base, *state.schema);
  for (const EdgeExtra& x : list.extras) {
    const EdgeChange& e = list.edges[x.index];
    if (x.properties && lost(x.properties))
      Set({kEdge, e.source, e.kind.value(), e.target, e.label}, true);
  }
  for (const ArraySpec& spec : manifest.arrays) {
    if (spec.array != static_cast<std::uint16_t>(ArrayId::kVectorNodes)) continue;
    const ArraySpec* refs_spec = manifest.Find(ArrayId::kVectorRefs, spec.element);
    if (!refs_spec) continue;
    PLEXUS_ASSIGN(const std::string nodes, ReadArray(manifest, salvage, spec));
    PLEXUS_ASSIGN(const std::string refs, ReadArray(manifest, salvage, *refs_spec));
    for (std::size_t i = 0; i < spec.count && (i + 1) * 8 <= refs.size(); ++i)
      if (lost(PayloadRef{At<std::uint64_t>(refs, i)}))
        Set({kVector, At<NodeId>(nodes, i), spec.element, 0, 0}, true);
  }
  return {};
}

void LostContents::Add(const Record& r, const IsLost& lost) {
  for (const NodeChange& c : r.node_changes)
    if (c.what == NodeChange::kPurge && !slots_.empty()) Forget(c.node);
  for (const PayloadChange& c : r.payload_changes)
    Set({kField, c.node, c.field, 0, 0}, c.ref && lost(c.ref));
  for (const VectorChange& c : r.vectors)
    Set({kVector, c.node, c.space, 0, 0}, c.ref && lost(c.ref));
  std::size_t x = 0;
  for (std::size_t i = 0; i < r.edges.size(); ++i) {
    const EdgeChange& e = r.edges[i];
    const bool extra = x < r.edge_extras.size() && r.edge_extras[x].index == i;
    const PayloadRef ref = extra ? r.edge_extras[x++].properties : PayloadRef{};
    if (ref || !slots_.empty())
      Set({kEdge, e.source, e.kind.value(), e.target, e.label}, ref && lost(ref));
  }
}

void LostContents::FillReport(const Snapshot& now, RepairReport& report) const {
  report.lost_old_contents = old_;
  for (const auto& [slot, _] : slots_) {
    const auto& [sort, node, what, target, label] = slot;
    if (node >= now.node_count() || !now.alive(node)) {
      ++report.lost_old_contents;
      continue;
    }
    LostContent content{std::string(now.key(node)), "text"};
    if (sort == kField && static_cast<NodeField>(what) == NodeField::kProperties)
      content.what = "properties";
    if (sort == kVector) content.what = "vector " + now.schema().spaces()[what].name;
    if (sort == kEdge) {
      content.what = "properties of its edge " +
                     now.schema().edge_kind(static_cast<EdgeKindId>(what)).name + " " +
                     std::string(now.key(target));
      if (label != 0) content.what += " with label " + std::string(now.string(label));
    }
    report.lost_contents.push_back(std::move(content));
  }
  if (!report.lost_contents.empty()) report.complete = false;
}

}  // namespace plexus::storage_internal
