// Which keys and strings are unused, and the writer's part of putting the packed ones in place.
#include "engine/writer/state_packing.h"

#include <algorithm>

#include "engine/writer/working_state.h"

namespace plexus {

namespace {

// A bit for each id.
class Bits {
 public:
  explicit Bits(std::uint32_t count) : words_((std::size_t{count} + 63) / 64, 0) {}
  void Set(std::uint32_t id) { words_[id / 64] |= std::uint64_t{1} << id % 64; }
  bool test(std::uint32_t id) const { return words_[id / 64] >> id % 64 & 1; }
  std::span<const std::uint64_t> words() const { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

Bits UsedStrings(const GraphState& state) {
  Bits used(state.strings.size());
  used.Set(0);
  for (const StringId id : state.base->labels.values) used.Set(id);
  for (const StringId id : state.base->created_by.values) used.Set(id);
  for (const auto& run : state.runs) {
    for (const engine_internal::DeltaArc& arc : run->out.arcs) used.Set(arc.label);
    for (const EdgeExtra& extra : run->extras) used.Set(extra.created_by);
  }
  for (std::size_t c = 0; c < state.columns.size(); ++c) {
    if (state.schema->columns()[c].type != ColumnType::kString) continue;
    const auto& column = state.columns[c];
    for (std::size_t page = 0; page < column.page_count(); ++page)
      for (const std::uint64_t bits : column.page(page))
        if (bits < state.strings.size()) used.Set(static_cast<StringId>(bits));
  }
  return used;
}

// The strings that `used` says nothing of, packed, if that is worth it.
template <class Used>
std::optional<StringTable> Pack(const StringTable::View& strings, const PackLimits& limits,
                                const Used& used) {
  Bits pack(strings.size());
  std::uint64_t more = 0, in_use = 0;
  for (std::uint32_t id = 0; id < strings.size(); ++id) {
    if (used(id)) {
      ++in_use;
      continue;
    }
    pack.Set(id);
    more += !strings.packed(id);
  }
  if (!limits.Worth(more, in_use)) return std::nullopt;
  return StringTable::Packed(strings, pack.words());
}

}  // namespace

StatePacking StatePacking::Make(const GraphState& state, const PackLimits& limits) {
  StatePacking made;
  made.keys_ = Pack(state.keys, limits,
                    [&](NodeId v) { return (state.node_flags[v] & engine_internal::kAlive) != 0; });
  if (state.strings.size() > limits.least) {
    const Bits used = UsedStrings(state);
    made.strings_ = Pack(state.strings, limits, [&](StringId id) { return used.test(id); });
  }
  made.kinds_.emplace_back(state.node_kinds);
  made.flags_.emplace_back(state.node_flags);
  for (const auto& column : state.columns) made.columns_.emplace_back(column);
  for (const auto& refs : state.payload_refs) made.payload_refs_.emplace_back(refs);
  return made;
}

std::uint64_t StatePacking::CatchUp(const GraphState& now) {
  std::uint64_t more = 0;
  const auto add = [&more](std::optional<StringTable>& table, const StringTable::View& all) {
    if (!table) return;
    if (all.forgotten_count() > table->forgotten_count()) {  // since it was made
      std::vector<std::uint32_t> ids;
      for (std::uint32_t id = 0; id < table->size(); ++id)
        if (all.forgotten(id) && !table->forgotten(id)) ids.push_back(id);
      if (!ids.empty()) table->Forget(ids);
    }
    for (; table->size() < all.size(); ++more) {
      const std::uint32_t id = table->size();
      if (all.forgotten(id))
        table->InsertForgotten();
      else
        table->Insert(all[id]);
    }
  };
  add(keys_, now.keys);
  add(strings_, now.strings);
  return more;
}

std::uint64_t StateWriter::Working::DeadNodes() const {
  std::uint64_t alive = 0;
  for (const std::uint64_t count : nodes_by_kind) alive += count;
  return keys.size() - alive;
}

void StateWriter::Working::NotePacked() {
  packed_dead = DeadNodes();
  unpacked_strings = strings.size() - strings.packed_count();
}

// Strings in use are not counted: they are looked at when twice as many are there as were used.
bool StateWriter::WorthPacking(const PackLimits& limits) const {
  const Working& w = *working_;
  const std::uint64_t dead = w.DeadNodes(), strings = w.strings.size() - w.strings.packed_count();
  const std::uint64_t more = dead - std::min(dead, w.packed_dead) + w.keys.forgotten_bytes_left();
  return limits.Worth(more, w.keys.size() - dead) ||
         PackLimits{limits.least, 1}.Worth(strings - std::min(strings, w.unpacked_strings),
                                           w.unpacked_strings);
}

void StateWriter::InstallPacked(StatePacking packing) {
  Working& w = *working_;
  packing.CatchUp(*w.Current());
  w.current = nullptr;
  if (packing.keys_) w.keys = *std::move(packing.keys_);
  if (packing.strings_) w.strings = *std::move(packing.strings_);
  packing.kinds_[0].Install(w.node_kinds);
  packing.flags_[0].Install(w.node_flags);
  for (std::size_t c = 0; c < packing.columns_.size(); ++c)
    packing.columns_[c].Install(w.columns[c]);
  for (std::size_t f = 0; f < w.payload_refs.size(); ++f)
    packing.payload_refs_[f].Install(w.payload_refs[f]);
  w.NotePacked();
}

void StateWriter::Pack(const PackLimits& limits) {
  InstallPacked(StatePacking::Make(*working_->Current(), limits));
}

}  // namespace plexus
