// Snapshot -> sections -> sorted files, several at once -> ingestion.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

#include <rocksdb/sst_file_writer.h>

#include "checkpoint_generated.h"
#include "engine/out_of_memory.h"
#include "engine/state.h"
#include "storage/checkpoint/checkpoint.h"
#include "storage/encoding/flatbuffer_util.h"
#include "storage/log/rocks_db.h"

namespace plexus::storage_internal {

namespace {

constexpr std::uint32_t kFileSections = 64;  // of one sorted file; files are written at once

// The arrays of a checkpoint in order, cut into sections that can be made in any order.
class SectionPlan {
 public:
  explicit SectionPlan(Manifest& manifest) : manifest_(manifest) {}

  // fill(first_byte, out, bytes) writes that piece of the array; called by any thread. What
  // it reads must outlive the plan.
  using Fill = std::function<void(std::uint64_t, std::uint8_t*, std::size_t)>;
  void Add(ArrayId array, std::uint16_t element, std::uint64_t count, Fill fill) {
    if (count == 0) return;
    const auto number = static_cast<std::uint16_t>(array);
    manifest_.arrays.push_back({number, element, ArrayWidth(number), count});
    arrays_.push_back({std::move(fill), size()});
    manifest_.section_digests.resize(size() + manifest_.section_count(manifest_.arrays.back()));
  }
  std::uint32_t size() const {
    return static_cast<std::uint32_t>(manifest_.section_digests.size());
  }

  // Gives sections [first, last) to `sink`, in order, and notes their digests.
  Status Make(std::uint32_t first, std::uint32_t last, const SectionSink& sink,
              Progress* progress) {
    flatbuffers::FlatBufferBuilder builder(manifest_.section_bytes + 256);
    for (std::uint32_t section = first; section < last; ++section) {
      const auto array = std::ranges::upper_bound(arrays_, section, {}, &Array::first) - 1;
      const ArraySpec& spec = manifest_.arrays[static_cast<std::size_t>(array - arrays_.begin())];
      const std::uint64_t begin = std::uint64_t{section - array->first} * manifest_.section_bytes;
      const std::size_t size =
          std::min<std::uint64_t>(manifest_.section_bytes, spec.size_bytes() - begin);
      builder.Clear();
      std::uint8_t* out = nullptr;
      const auto bytes = builder.CreateUninitializedVector<std::uint8_t>(size, &out);
      array->fill(begin, out, size);
      builder.Finish(fb::CreateSection(builder, spec.array, spec.element, begin, bytes),
                     kSectionIdentifier);
      const ByteSpan value(builder.GetBufferPointer(), builder.GetSize());
      manifest_.section_digests[section] = Digest(value);
      PLEXUS_TRY(sink(section, value));
      if (progress && !progress->Report("checkpoint", written_ += size, manifest_.total_bytes()))
        return Cancelled("the checkpoint was stopped");
    }
    return {};
  }

  template <class T>
  void AddSpan(ArrayId array, std::span<const T> values, std::uint16_t element = 0) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(values.data());
    Add(array, element, values.size(),
        [from](std::uint64_t first, std::uint8_t* out, std::size_t size) {
          std::memcpy(out, from + first, size);
        });
  }
  template <class T>
  void AddOwn(ArrayId array, std::vector<T> values, std::uint16_t element) {
    const std::size_t count = values.size();
    Add(array, element, count,
        [own = std::move(values)](std::uint64_t first, std::uint8_t* out, std::size_t size) {
          std::memcpy(out, reinterpret_cast<const std::uint8_t*>(own.data()) + first, size);
        });
  }
  template <class T>
  void AddPaged(ArrayId array, const PagedView<T>& view, std::uint16_t element = 0) {
    Add(array, element, view.size(),
        [view](std::uint64_t first, std::uint8_t* out, std::size_t size) {
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
  void AddStrings(ArrayId lengths, ArrayId bytes, const StringTable::View& table) {
    struct Place {
      std::uint32_t string;
      std::size_t inside;
    };
    std::vector<Place> places;  // where sections of `bytes` begin
    std::uint64_t total = 0;
    StringTable::Cursor all(table);
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      const std::uint64_t end = total + all[i].size();
      for (std::uint64_t at; (at = places.size() * std::uint64_t{manifest_.section_bytes}) < end;)
        places.push_back({i, static_cast<std::size_t>(at - total)});
      total = end;
    }
    Add(lengths, 0, table.size(),
        [table](std::uint64_t first, std::uint8_t* out, std::size_t size) {
          StringTable::Cursor texts(table);
          for (std::uint64_t i = first / 2; i < (first + size) / 2; ++i, out += 2) {
            const auto length =
                static_cast<std::uint16_t>(texts[static_cast<std::uint32_t>(i)].size());
            std::memcpy(out, &length, 2);
          }
        });
    Add(bytes, 0, total,
        [table, places = std::move(places), section = manifest_.section_bytes](
            std::uint64_t first, std::uint8_t* out, std::size_t size) {
          StringTable::Cursor texts(table);
          for (auto [string, inside] = places[first / section]; size > 0; ++string, inside = 0) {
            const std::string_view text = texts[string].substr(inside);
            const std::size_t count = std::min(size, text.size());
            std::memcpy(out, text.data(), count);
            out += count;
            size -= count;
          }
        });
  }

 private:
  struct Array {
    Fill fill;
    std::uint32_t first;  // section
  };
  Manifest& manifest_;
  std::vector<Array> arrays_;
  std::atomic<std::uint64_t> written_ = 0;
};

template <class T>
void AddSlots(SectionPlan& out, ArrayId slots, ArrayId values, const SlotColumn<T>& column) {
  out.AddSpan<EdgeSlot>(slots, column.slots);
  out.AddSpan<T>(values, column.values);
}

void AddCsr(SectionPlan& out, const Csr& csr) {
  out.AddSpan(ArrayId::kOutOffsets, csr.out_offsets.span());
  out.AddSpan(ArrayId::kOutNeighbors, csr.out_neighbors.span());
  out.AddSpan(ArrayId::kOutWeights, csr.out_weights.values());
  out.AddSpan(ArrayId::kOutWeightCodes, csr.out_weights.codes());
  out.AddSpan(ArrayId::kOutKinds, csr.out_kinds.span());
  out.AddSpan(ArrayId::kOutKindsHigh, csr.out_kinds_high.span());
  out.AddSpan(ArrayId::kOutTimeSteps, csr.out_created_at.steps());
  out.AddSpan(ArrayId::kOutTimes, csr.out_created_at.values());
  out.AddSpan(ArrayId::kInOffsets, csr.in_offsets.span());
  out.AddSpan(ArrayId::kInNeighbors, csr.in_neighbors.span());
  out.AddSpan(ArrayId::kInWeights, csr.in_weights.values());
  out.AddSpan(ArrayId::kInWeightCodes, csr.in_weights.codes());
  out.AddSpan(ArrayId::kInKinds, csr.in_kinds.span());
  out.AddSpan(ArrayId::kInKindsHigh, csr.in_kinds_high.span());
  out.AddSpan(ArrayId::kInPlaces, csr.in_places.span());
  AddSlots(out, ArrayId::kLabelSlots, ArrayId::kLabels, csr.labels);
  AddSlots(out, ArrayId::kCreatedBySlots, ArrayId::kCreatedBy, csr.created_by);
  AddSlots(out, ArrayId::kValidFromSlots, ArrayId::kValidFrom, csr.valid_from);
  AddSlots(out, ArrayId::kValidUntilSlots, ArrayId::kValidUntil, csr.valid_until);
  AddSlots(out, ArrayId::kPropertySlots, ArrayId::kProperties, csr.properties);
}

// Vectors are persisted once, as payloads: here only which nodes have one, and where.
void AddVectors(SectionPlan& out, const GraphState& state) {
  for (std::size_t s = 0; s < state.spaces.size(); ++s) {
    const VectorView& space = state.spaces[s];
    std::vector<NodeId> nodes;
    std::vector<std::uint64_t> refs;
    for (NodeId v = 0; v < state.keys.size(); ++v) {
      const PayloadRef ref = space.ref(v);
      if (!ref) continue;
      nodes.push_back(v);
      refs.push_back(ref.bits);
    }
    const auto element = static_cast<std::uint16_t>(s);
    out.AddOwn(ArrayId::kVectorNodes, std::move(nodes), element);
    out.AddOwn(ArrayId::kVectorRefs, std::move(refs), element);
  }
}

// What `snapshot` is made of; it must outlive the plan.
void PlanCheckpoint(const Snapshot& snapshot, Manifest& m, SectionPlan& out) {
  PLEXUS_CHECK(!snapshot.has_delta(), "a checkpoint is written from a compacted snapshot");
  const GraphState& state = snapshot.state();
  m.sequence = state.sequence;
  m.time_ms = state.time_ms;
  m.definitions = UserDefinitions(*state.schema);
  m.node_count = state.keys.size();
  m.forgotten_keys = state.keys.forgotten_count() > 0;
  m.string_count = state.strings.size();
  m.nodes_by_kind = state.nodes_by_kind;
  m.edges_by_kind = state.edges_by_kind;
  out.AddStrings(ArrayId::kKeyLengths, ArrayId::kKeyBytes, state.keys);
  out.AddStrings(ArrayId::kStringLengths, ArrayId::kStringBytes, state.strings);
  out.AddPaged<KindId>(ArrayId::kNodeKinds, state.node_kinds);
  out.AddPaged<std::uint8_t>(ArrayId::kNodeFlags, state.node_flags);
  for (std::size_t c = 0; c < state.columns.size(); ++c)
    out.AddPaged<std::uint64_t>(ArrayId::kColumn, state.columns[c], static_cast<std::uint16_t>(c));
  for (int f = 0; f < kNodeFieldCount; ++f)
    out.AddPaged<std::uint64_t>(ArrayId::kPayloadRefs, state.payload_refs[f],
                                static_cast<std::uint16_t>(f));
  AddCsr(out, *state.base);
  AddVectors(out, state);
}

}  // namespace

Status BuildCheckpoint(const Snapshot& snapshot, Manifest& m, const SectionSink& sink,
                       Progress* progress) {
  SectionPlan plan(m);
  PlanCheckpoint(snapshot, m, plan);
  return plan.Make(0, plan.size(), sink, progress);
}

Result<Manifest> WriteCheckpoint(const std::shared_ptr<Rocks>& rocks, const Snapshot& snapshot,
                                 const GraphId& graph_id, std::uint64_t id, std::uint64_t log_hash,
                                 const std::string& scratch, Executor& executor,
                                 Progress* progress) {
  const Files& files = *rocks->files();
  PLEXUS_TRY(files.RemoveFolder(scratch));
  PLEXUS_TRY(files.MakeDirectory(scratch));
  Manifest manifest;
  manifest.graph_id = graph_id;
  manifest.id = id;
  manifest.log_hash = log_hash;
  auto ingest = [&](const std::vector<std::string>& paths) -> Status {
    rocksdb::IngestExternalFileOptions options;
    options.move_files = true;
    options.write_global_seqno = false;
    options.snapshot_consistency = false;
    return Check(rocks->db()->IngestExternalFile(rocks->checkpoint(), paths, options),
                 rocks->path());
  };
  SectionPlan plan(manifest);
  PlanCheckpoint(snapshot, manifest, plan);
  const std::size_t parts = (plan.size() + kFileSections - 1) / kFileSections;
  std::vector<std::string> paths;
  for (std::size_t part = 0; part < parts; ++part)
    paths.push_back(scratch + "/sections" + std::to_string(part) + ".sst");
  std::vector<Status> written(parts);
  ParallelFor(executor, plan.size(), kFileSections, [&](std::size_t first, std::size_t last) {
    const std::size_t part = first / kFileSections;
    written[part] = OrNoMemory([&]() -> Status {
      SortedFileWriter writer(*rocks, rocks->checkpoint());
      PLEXUS_TRY(writer.Open(paths[part]));
      const auto put = [&](std::uint32_t section, ByteSpan value) {
        return writer.Put(SectionKey(id, section), AsSlice(value));
      };
      PLEXUS_TRY(plan.Make(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last), put,
                           progress));
      return writer.Finish();
    });
  });
  for (const Status& status : written) PLEXUS_TRY(status);
  if (parts > 0) {
    FailPoint(files.hooks(), "checkpoint.sections_written");
    PLEXUS_TRY(ingest(paths));
  }
  FailPoint(files.hooks(), "checkpoint.sections_ingested");
  const std::string path = scratch + "/manifest.sst";
  SortedFileWriter writer(*rocks, rocks->checkpoint());
  PLEXUS_TRY(writer.Open(path));
  PLEXUS_TRY(writer.Put(SectionKey(id, kManifestSection), EncodeManifest(manifest)));
  PLEXUS_TRY(writer.Finish());
  PLEXUS_TRY(ingest({path}));
  FailPoint(files.hooks(), "checkpoint.manifest_ingested");
  PLEXUS_TRY(files.RemoveFolder(scratch));
  return manifest;
}

Status DropCheckpoint(const std::shared_ptr<Rocks>& rocks, std::uint64_t id) {
  const std::string first = SectionKey(id, 0), last = SectionKey(id, kManifestSection);
  // The manifest goes first, so that a crash in between leaves no manifest whose
  // sections are gone.
  PLEXUS_TRY(Check(rocks->db()->Delete(WriteSynced(), rocks->checkpoint(), last), rocks->path()));
  PLEXUS_TRY(rocks->DeleteFilesIn(rocks->checkpoint(), first, last, true));
  // Normally nothing is left; a file shared with a neighbour keeps its entries.
  return Check(rocks->db()->DeleteRange(rocksdb::WriteOptions(), rocks->checkpoint(), first,
                                        SectionKey(id + 1, 0)),
               rocks->path());
}

}  // namespace plexus::storage_internal
