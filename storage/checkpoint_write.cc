// Snapshot -> sections -> sorted file -> ingestion.
#include <algorithm>
#include <cstring>

#include <rocksdb/convenience.h>
#include <rocksdb/sst_file_writer.h>

#include "checkpoint_generated.h"
#include "storage/checkpoint.h"
#include "storage/flat.h"
#include "storage/rocks.h"

namespace plexus::storage {

namespace {

class Streamer {
 public:
  Streamer(Manifest& manifest, const SectionSink& sink, Progress* progress)
      : manifest_(manifest), sink_(sink), progress_(progress),
        builder_(manifest.section_bytes + 256) {}

  // fill(first_byte, out, bytes) writes that piece of the array; pieces ascend.
  template <class Fill>
  Status Add(ArrayId array, std::uint16_t element, std::uint64_t count, Fill&& fill) {
    if (count == 0) return {};
    const auto number = static_cast<std::uint16_t>(array);
    const ArraySpec spec{number, element, ArrayWidth(number), count};
    manifest_.arrays.push_back(spec);
    const std::uint64_t total = spec.size_bytes();
    for (std::uint64_t first = 0; first < total; first += manifest_.section_bytes) {
      const std::size_t size = std::min<std::uint64_t>(manifest_.section_bytes, total - first);
      builder_.Clear();
      std::uint8_t* out = nullptr;
      const auto bytes = builder_.CreateUninitializedVector<std::uint8_t>(size, &out);
      fill(first, out, size);
      builder_.Finish(fb::CreateSection(builder_, number, element, first, bytes),
                      kSectionIdentifier);
      const ByteSpan value(builder_.GetBufferPointer(), builder_.GetSize());
      const auto section = static_cast<std::uint32_t>(manifest_.section_digests.size());
      manifest_.section_digests.push_back(Digest(value));
      PLEXUS_TRY(sink_(section, value));
      written_ += size;
      if (progress_ && !progress_->Report("checkpoint", written_, 0))
        return Fail(ErrorCode::kCancelled, "the checkpoint was stopped");
    }
    return {};
  }
  template <class T>
  Status AddSpan(ArrayId array, std::span<const T> values, std::uint16_t element = 0) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(values.data());
    return Add(array, element, values.size(),
               [&](std::uint64_t first, std::uint8_t* out, std::size_t size) {
                 std::memcpy(out, from + first, size);
               });
  }
  template <class T>
  Status AddPaged(ArrayId array, const typename PagedArray<T>::View& view,
                  std::uint16_t element = 0) {
    return Add(array, element, view.size(),
               [&](std::uint64_t first, std::uint8_t* out, std::size_t size) {
                 std::uint64_t i = first / sizeof(T);
                 const std::uint64_t end = (first + size) / sizeof(T);
                 while (i < end) {
                   const auto page = view.page(i / PagedArray<T>::kPageSize);
                   const std::uint64_t at = i % PagedArray<T>::kPageSize;
                   const std::uint64_t count = std::min<std::uint64_t>(page.size() - at, end - i);
                   std::memcpy(out, page.data() + at, count * sizeof(T));
                   out += count * sizeof(T);
                   i += count;
                 }
               });
  }
  Status AddStrings(ArrayId lengths, ArrayId bytes, const StringTable::View& table) {
    std::uint64_t total = 0;
    for (std::uint32_t i = 0; i < table.size(); ++i) total += table[i].size();
    PLEXUS_TRY(Add(lengths, 0, table.size(),
                   [&](std::uint64_t first, std::uint8_t* out, std::size_t size) {
                     for (std::uint64_t i = first / 2; i < (first + size) / 2; ++i, out += 2) {
                       const auto length =
                           static_cast<std::uint16_t>(table[static_cast<std::uint32_t>(i)].size());
                       std::memcpy(out, &length, 2);
                     }
                   }));
    std::uint32_t string = 0;
    std::size_t inside = 0;  // bytes of `string` written already
    return Add(bytes, 0, total, [&](std::uint64_t, std::uint8_t* out, std::size_t size) {
      while (size > 0) {
        const std::string_view text = table[string];
        const std::size_t count = std::min(size, text.size() - inside);
        std::memcpy(out, text.data() + inside, count);
        out += count;
        size -= count;
        inside += count;
        if (inside == text.size()) {
          ++string;
          inside = 0;
        }
      }
    });
  }

 private:
  Manifest& manifest_;
  const SectionSink& sink_;
  Progress* progress_;
  flatbuffers::FlatBufferBuilder builder_;
  std::uint64_t written_ = 0;
};

template <class T>
Status AddSlots(Streamer& out, ArrayId slots, ArrayId values, const SlotColumn<T>& column) {
  PLEXUS_TRY(out.AddSpan<EdgeSlot>(slots, column.slots));
  return out.AddSpan<T>(values, column.values);
}

Status AddCsr(Streamer& out, const Csr& csr) {
  PLEXUS_TRY(out.AddSpan(ArrayId::kOutOffsets, csr.out_offsets.span()));
  PLEXUS_TRY(out.AddSpan(ArrayId::kOutNeighbors, csr.out_neighbors.span()));
  PLEXUS_TRY(out.AddSpan(ArrayId::kOutWeights, csr.out_weights.span()));
  PLEXUS_TRY(out.AddSpan(ArrayId::kOutKinds, csr.out_kinds.span()));
  PLEXUS_TRY(out.AddSpan(ArrayId::kOutKindsHigh, csr.out_kinds_high.span()));
  PLEXUS_TRY(out.AddSpan(ArrayId::kOutCreatedAt, csr.out_created_at.span()));
  PLEXUS_TRY(out.AddSpan(ArrayId::kInOffsets, csr.in_offsets.span()));
  PLEXUS_TRY(out.AddSpan(ArrayId::kInNeighbors, csr.in_neighbors.span()));
  PLEXUS_TRY(out.AddSpan(ArrayId::kInWeights, csr.in_weights.span()));
  PLEXUS_TRY(out.AddSpan(ArrayId::kInKinds, csr.in_kinds.span()));
  PLEXUS_TRY(out.AddSpan(ArrayId::kInKindsHigh, csr.in_kinds_high.span()));
  PLEXUS_TRY(out.AddSpan(ArrayId::kInSlots, csr.in_slots.span()));
  PLEXUS_TRY(AddSlots(out, ArrayId::kLabelSlots, ArrayId::kLabels, csr.labels));
  PLEXUS_TRY(AddSlots(out, ArrayId::kCreatedBySlots, ArrayId::kCreatedBy, csr.created_by));
  PLEXUS_TRY(AddSlots(out, ArrayId::kValidFromSlots, ArrayId::kValidFrom, csr.valid_from));
  PLEXUS_TRY(AddSlots(out, ArrayId::kValidUntilSlots, ArrayId::kValidUntil, csr.valid_until));
  return AddSlots(out, ArrayId::kPropertySlots, ArrayId::kProperties, csr.properties);
}

// Vectors are persisted once, as payloads: here only who has one, and where.
Status AddVectors(Streamer& out, const GraphState& state) {
  for (std::size_t s = 0; s < state.spaces.size(); ++s) {
    const VectorTable::View& space = state.spaces[s];
    std::vector<NodeId> nodes;
    std::vector<std::uint64_t> refs;
    for (NodeId v = 0; v < state.keys.size() && nodes.size() < space.live_count(); ++v) {
      if (!space.has(v)) continue;
      nodes.push_back(v);
      refs.push_back(space.ref(v).bits);
    }
    const auto element = static_cast<std::uint16_t>(s);
    PLEXUS_TRY(out.AddSpan<NodeId>(ArrayId::kVectorNodes, nodes, element));
    PLEXUS_TRY(out.AddSpan<std::uint64_t>(ArrayId::kVectorRefs, refs, element));
  }
  return {};
}

}  // namespace

Status BuildCheckpoint(const Snapshot& snapshot, Manifest& m, const SectionSink& sink,
                       Progress* progress) {
  PLEXUS_CHECK(!snapshot.has_delta(), "a checkpoint is written from a compacted snapshot");
  const GraphState& state = snapshot.state();
  m.sequence = state.sequence;
  m.time_ms = state.time_ms;
  m.definitions = UserDefinitions(*state.schema);
  m.node_count = state.keys.size();
  m.string_count = state.strings.size();
  m.nodes_by_kind = state.nodes_by_kind;
  m.edges_by_kind = state.edges_by_kind;
  Streamer out(m, sink, progress);
  PLEXUS_TRY(out.AddStrings(ArrayId::kKeyLengths, ArrayId::kKeyBytes, state.keys));
  PLEXUS_TRY(out.AddStrings(ArrayId::kStringLengths, ArrayId::kStringBytes, state.strings));
  PLEXUS_TRY(out.AddPaged<KindId>(ArrayId::kNodeKinds, state.node_kinds));
  PLEXUS_TRY(out.AddPaged<std::uint8_t>(ArrayId::kNodeFlags, state.node_flags));
  for (std::size_t c = 0; c < state.columns.size(); ++c)
    PLEXUS_TRY(out.AddPaged<std::uint64_t>(ArrayId::kColumn, state.columns[c],
                                           static_cast<std::uint16_t>(c)));
  for (int f = 0; f < kNodeFieldCount; ++f)
    PLEXUS_TRY(out.AddPaged<std::uint64_t>(ArrayId::kPayloadRefs, state.payload_refs[f],
                                           static_cast<std::uint16_t>(f)));
  PLEXUS_TRY(AddCsr(out, *state.base));
  return AddVectors(out, state);
}

Result<Manifest> WriteCheckpoint(const std::shared_ptr<Rocks>& rocks, const Snapshot& snapshot,
                                 const GraphId& graph_id, std::uint64_t id, std::uint64_t log_hash,
                                 const std::string& scratch, Progress* progress) {
  const Files& files = *rocks->files();
  PLEXUS_TRY(files.RemoveTree(scratch));
  PLEXUS_TRY(files.MakeDirectory(scratch));
  Manifest manifest;
  manifest.graph_id = graph_id;
  manifest.id = id;
  manifest.log_hash = log_hash;
  auto ingest = [&](const std::string& path) -> Status {
    rocksdb::IngestExternalFileOptions options;
    options.move_files = true;
    options.write_global_seqno = false;
    options.snapshot_consistency = false;
    return Check(rocks->db()->IngestExternalFile(rocks->checkpoint(), {path}, options),
                 rocks->path());
  };
  const rocksdb::Options options = SortedFileOptions(*rocks, rocks->checkpoint());
  const std::string sections = scratch + "/sections.sst";
  {
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options, rocks->checkpoint());
    PLEXUS_TRY(Check(writer.Open(sections), sections));
    PLEXUS_TRY(BuildCheckpoint(
        snapshot, manifest,
        [&](std::uint32_t section, ByteSpan value) {
          return Check(writer.Put(SectionKey(id, section), AsSlice(value)), sections);
        },
        progress));
    if (!manifest.section_digests.empty()) {
      PLEXUS_TRY(Check(writer.Finish(), sections));
      ReachPoint(files.hooks(), "checkpoint.sections_written");
      PLEXUS_TRY(ingest(sections));
    }
  }
  ReachPoint(files.hooks(), "checkpoint.sections_ingested");
  const std::string path = scratch + "/manifest.sst";
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options, rocks->checkpoint());
  PLEXUS_TRY(Check(writer.Open(path), path));
  PLEXUS_TRY(Check(writer.Put(SectionKey(id, kManifestSection), EncodeManifest(manifest)), path));
  PLEXUS_TRY(Check(writer.Finish(), path));
  PLEXUS_TRY(ingest(path));
  ReachPoint(files.hooks(), "checkpoint.manifest_ingested");
  PLEXUS_TRY(files.RemoveTree(scratch));
  return manifest;
}

Status DropCheckpoint(const std::shared_ptr<Rocks>& rocks, std::uint64_t id) {
  const std::string first = SectionKey(id, 0), last = SectionKey(id, kManifestSection);
  // The manifest goes first, so that a crash in between leaves no manifest whose
  // sections are gone.
  rocksdb::WriteOptions sync;
  sync.sync = true;
  PLEXUS_TRY(Check(rocks->db()->Delete(sync, rocks->checkpoint(), last), rocks->path()));
  const rocksdb::Slice begin(first), end(last);
  PLEXUS_TRY(Check(rocksdb::DeleteFilesInRange(rocks->db(), rocks->checkpoint(), &begin, &end, true),
                   rocks->path()));
  // Normally nothing is left; a file shared with a neighbour keeps its entries.
  return Check(rocks->db()->DeleteRange(rocksdb::WriteOptions(), rocks->checkpoint(), first,
                                        SectionKey(id + 1, 0)),
               rocks->path());
}

}  // namespace plexus::storage
