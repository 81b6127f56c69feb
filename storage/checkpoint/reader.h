// CheckpointReader: the work of ReadCheckpoint and ReadCheckpointPart. Internal.
//
// Whole arrays are read in parallel by section (read.cc) and brought into the engine's form
// (read_arcs.cc). Of a part of the arcs the wide arrays are read front to back, a section at a
// time, and only the arcs of the part are kept (read_part.cc).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/adjacency/csr.h"
#include "engine/arrays/string_table.h"
#include "engine/mutex.h"
#include "storage/checkpoint/checkpoint.h"

namespace plexus::storage_internal {

// Which arcs: of `parts` parts of about the same size the one of that number. Both arcs of a
// symmetric edge, both directions of an arc and all parallel ones are in the same.
struct ArcPart {
  std::uint32_t number = 0, parts = 1;
  bool Has(NodeId a, NodeId b) const {
    const std::uint64_t low = a < b ? a : b, high = a < b ? b : a;
    const std::uint64_t mixed = (low * 0x9e3779b97f4a7c15u ^ high) * 0xd6e8feb86659fd93u;
    return ((mixed >> 32) * parts) >> 32 == number;
  }
};

// As ReadCheckpoint, but the state has only the part's arcs, and edges_by_kind counts only them;
// columns, references and vectors are in part 0 only. Memory: nodes and strings, that of the
// part, 12 bytes a node, a bit an arc and direction, and what few arcs have (labels, valid times,
// ...). What is wrong with the order of arcs is found by part 0.
Result<GraphState> ReadCheckpointPart(const Manifest& manifest, const SectionSource& source,
                                      std::shared_ptr<const PayloadStore> payloads,
                                      Executor& executor, Progress* progress, ArcPart part);

// Everything a checkpoint may hold, as raw arrays.
struct CheckpointArrays {
  Csr csr;
  AlignedArray<std::uint16_t> key_lengths, string_lengths, node_kinds;
  AlignedArray<std::uint8_t> key_bytes, string_bytes, node_flags;
  std::vector<AlignedArray<std::uint64_t>> columns, payload_refs, vector_refs;
  std::vector<AlignedArray<NodeId>> vector_nodes;
  AlignedArray<std::uint64_t> time_steps;
  AlignedArray<std::int64_t> times;
  AlignedArray<float> out_weights, in_weights;
  AlignedArray<std::uint8_t> out_weight_codes, in_weight_codes;
  // Up to version 7.
  AlignedArray<std::int64_t> created_at;
  AlignedArray<EdgeSlot> in_slots;
};

class CheckpointReader {
 public:
  CheckpointReader(const Manifest& m, const SectionSource& source,
                   std::shared_ptr<const PayloadStore> payloads, Executor& executor,
                   Progress* progress, ArcPart part)
      : m_(m),
        source_(source),
        payloads_(std::move(payloads)),
        executor_(executor),
        progress_(progress),
        part_(part),
        where_("checkpoint " + std::to_string(m.id)) {}

  Result<GraphState> Read();

 private:
  Status Prepare();
  Status CheckShapes() const;
  Status LoadSections(std::uint32_t first, std::uint32_t last);
  Status LoadSection(std::uint32_t section, ByteSpan raw);
  // Checks one and copies its values to `to`.
  Status TakeSection(std::uint32_t section, ByteSpan raw, std::uint8_t* to);
  std::size_t ArrayOf(std::uint32_t section) const;
  Status LoadAll();
  Status MakeTables();
  Status MakeVectors(GraphState& state);
  Result<StringTable::View> MakeTable(const AlignedArray<std::uint16_t>& lengths,
                                      const AlignedArray<std::uint8_t>& bytes, const char* what,
                                      std::span<const std::uint64_t> pack,
                                      std::span<const std::uint64_t> forgotten);
  std::vector<std::uint64_t> RemovedNodes() const;
  Result<std::vector<std::uint64_t>> ForgottenKeys() const;
  std::unexpected<Error> Bad(const std::string& what) const {
    return Corrupted(where_, ": ", what);
  }
  Result<const ArraySpec*> Expect(ArrayId array, std::uint64_t count) const;

  // read_arcs.cc.
  bool stepped() const { return m_.Find(ArrayId::kOutTimeSteps) != nullptr; }  // from version 8 on
  Status CheckForms() const;
  Status CheckWeights(ArrayId weights, ArrayId codes) const;
  Status MakeColumns();
  Result<WeightColumn> MakeWeights(ArrayId array, std::uint64_t arcs, AlignedArray<float> values,
                                   AlignedArray<std::uint8_t> codes);
  Status CheckSlots();
  Status BadPlace(std::uint64_t i) const;

  // read_part.cc. A bit for each arc of a direction that is of the part.
  using Bits = std::vector<std::uint64_t>;
  enum class Treat : std::uint8_t { kWhole, kPicked, kNot };
  Treat TreatmentOf(ArrayId array) const;
  template <class T>
  class Window;
  Status PickArcs();
  Result<Bits> FindArcs(Direction direction, AlignedArray<std::uint32_t>& offsets);
  template <class T>
  Status Pick(ArrayId array, const Bits& arcs, std::uint64_t count, AlignedArray<T>& to);
  Result<AlignedArray<std::int64_t>> PickTimes(const Bits& arcs, std::uint64_t count);
  Result<WeightColumn> PickWeights(Direction direction, const Bits& arcs, std::uint64_t count);
  void CountEdges(GraphState& state) const;

  const Manifest& m_;
  const SectionSource& source_;
  std::shared_ptr<const PayloadStore> payloads_;
  Executor& executor_;
  Progress* progress_;
  const ArcPart part_;
  const std::string where_;

  std::shared_ptr<Schema> schema_;
  CheckpointArrays arrays_;
  ArrayBounds bounds_;
  std::vector<std::uint8_t*> destinations_;   // by array; null: not read as a whole
  std::vector<std::uint32_t> first_section_;  // by array
  std::uint32_t table_sections_ = 0;  // sections of keys, strings, kinds and flags come first
  StringTable::View keys_, strings_;
  Mutex mutex_;
  Status failure_ PLEXUS_GUARDED_BY(mutex_);
};

}  // namespace plexus::storage_internal
