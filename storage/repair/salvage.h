// Salvage: what the bytes of a generation's files hold, whatever RocksDB says about them.
//
// Reads sorted files and write-ahead logs by their own layout, from the first byte to the last
// and over damaged places, and keeps what proves itself: records and payloads by the digest that
// they carry, manifests by theirs, sections by the digest in a manifest. Neither CURRENT nor
// MANIFEST nor a file's index is read, and nothing is written. Internal, for repair.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/monitoring/monitoring.h"
#include "engine/record.h"
#include "engine/snapshot.h"
#include "engine/state.h"
#include "storage/base/files.h"
#include "storage/checkpoint/checkpoint.h"
#include "storage/database.h"
#include "storage/encoding/anchor.h"
#include "storage/log/log_reader.h"
#include "storage/repair.h"

namespace plexus::storage_internal {

// One key and value of a file. `offset` is where the value is.
struct FoundEntry {
  std::string_view key, value;
  std::uint64_t offset = 0;
  bool deleted = false;
};
// True when the value proves itself.
using FoundSink = std::function<bool(const FoundEntry&)>;
// A place that could not be read.
using LostSink = std::function<void(std::uint64_t offset, const std::string& what)>;

// The entries of a sorted file's data blocks (salvage_files.cc).
void WalkSortedFile(std::string_view bytes, const FoundSink& found, const LostSink& lost);
// The entries of a write-ahead log; values do not stand in one piece there, `offset` is that of
// the write they are part of (salvage_files.cc).
void WalkWriteAheadLog(std::string_view bytes, const FoundSink& found, const LostSink& lost);

class Salvage {
 public:
  struct Place {
    std::uint32_t file = 0;  // kOwn: `offset` is an index of own_
    std::uint32_t size = 0;
    std::uint64_t offset = 0;
  };
  struct FoundRecord {
    Sequence sequence = 0;
    std::uint64_t digest = 0, running_hash = 0;
    Place place;
  };

  Salvage() = default;
  ~Salvage();
  Salvage(const Salvage&) = delete;
  Salvage& operator=(const Salvage&) = delete;

  // kNotFound without the directory, kCancelled. Damage is no error: it is in damage().
  Status ReadGeneration(const std::string& path, const Files& files, Progress* progress);

  // By sequence; a sequence may be there more than once.
  const std::vector<FoundRecord>& records() const { return records_; }
  const std::vector<Manifest>& manifests() const { return manifests_; }  // by sequence
  const std::vector<VerifyProblem>& damage() const { return damage_; }
  // No record that was there has a larger sequence, as far as the bytes show.
  Sequence last_sequence() const { return last_sequence_; }
  Result<std::string> Value(const Place& place) const;
  // kNotFound when purged, kCorruption when it is lost. Thread-safe.
  Result<std::string> Payload(PayloadRef ref) const;
  // A checkpoint's sections; they outlive neither this nor `manifest`.
  std::unique_ptr<SectionSource> Sections(const Manifest& manifest) const;
  // Every section is there with its digest.
  Status CheckSections(const Manifest& manifest) const;
  void AddDamage(const std::string& where, std::uint64_t offset, const std::string& what);

 private:
  class FoundSections;
  static constexpr std::uint32_t kOwn = ~std::uint32_t{0};
  struct FoundPayload {
    std::uint64_t ref = 0;
    Place place;
  };
  struct FoundSection {
    std::uint64_t id = 0;
    std::uint32_t section = 0;
    Place place;
    std::pair<std::uint64_t, std::uint32_t> key() const { return {id, section}; }
  };
  bool Keep(const FoundEntry& entry, std::uint32_t file);
  Place PlaceOf(const FoundEntry& entry, std::uint32_t file);
  Result<std::string> ReadFile(const std::string& path, const std::string& name);
  Result<std::string> Section(const Manifest& manifest, std::uint32_t section) const;

  std::vector<int> descriptors_;  // by file
  std::vector<std::string> own_;
  std::vector<FoundRecord> records_;
  std::vector<FoundPayload> payloads_;
  std::vector<FoundSection> sections_;
  std::vector<Manifest> manifests_;
  std::vector<VerifyProblem> damage_;
  std::set<std::uint64_t> dropped_;  // checkpoints
  std::uint64_t broken_records_ = 0;
  Sequence broken_last_ = 0, last_sequence_ = 0;
};

// Where a new database may begin and how far the log carries it.
struct RepairPlan {
  GraphId graph_id;
  bool new_chain = false;           // the graph's id is lost: running hashes are made again
  std::optional<Manifest> base;     // the checkpoint it begins with; none: the empty graph
  std::optional<GraphState> state;  // of the base, its lost vectors left out
  LogPoint start, end;
  std::vector<const Salvage::FoundRecord*> records;  // start.sequence + 1 ... end.sequence
};

// `anchor` is null when it is lost. Adds damaged checkpoints and lost records to `report`.
// kCorruption when nothing can be saved.
Result<RepairPlan> MakeRepairPlan(const Salvage& salvage, const Anchor* anchor,
                                  const RepairOptions& options, RepairReport& report);

// Which of the payloads that cannot be read the present state still had.
class LostContents {
 public:
  using IsLost = std::function<bool(PayloadRef)>;

  // What a checkpoint refers to. Vectors are looked up in its sections, as the state has none
  // that is lost.
  Status AddState(const GraphState& state, const Manifest& manifest, const Salvage& salvage,
                  const IsLost& lost);
  // The next record.
  void Add(const Record& record, const IsLost& lost);
  // Fills in what the state of `now` lacks.
  void FillReport(const Snapshot& now, RepairReport& report) const;

 private:
  enum Sort { kField, kVector, kEdge };
  // Sort, node, then: field; space; or kind, target, label.
  using Slot = std::tuple<int, NodeId, std::uint32_t, NodeId, StringId>;
  void Set(const Slot& slot, bool lost);
  void Forget(NodeId node);

  std::map<Slot, bool> slots_;  // present ones that are lost
  std::uint64_t old_ = 0;
};

}  // namespace plexus::storage_internal
