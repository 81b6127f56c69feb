// Verify: everything on disk, checked against everything else.
//
// Files by RocksDB's block checksums; records by digest, chain and order; payloads
// by the digests in the records; checkpoints by their own digests, by their inner
// order, and against the graph that the log makes when it is replayed.
#include "storage/verify/verify.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/out_of_memory.h"
#include "engine/writer/state_writer.h"
#include "storage/checkpoint/reader.h"
#include "storage/database_impl.h"
#include "storage/purge/purge_mask.h"

namespace plexus {

using namespace storage_internal;

namespace {

constexpr std::uint64_t kFewArcs = 4096;

class Verifier {
 public:
  // REQUIRES `maintenance` held.
  Verifier(Database::Impl& db, std::shared_ptr<Rocks> rocks, const VerifyOptions& options,
           VerifyReport& report)
      : db_(db),
        rocks_(std::move(rocks)),
        store_(db.store),
        options_(options),
        report_(report),
        problems_(report) {
    ++db_.verifications;
  }
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;
  ~Verifier() { --db_.verifications; }

  // REQUIRES `maintenance` held.
  Status Begin(const Snapshot& live);
  // REQUIRES `erase_mutex` held, shared, since before `maintenance` was let go.
  Status Run(const Snapshot& live);

 private:
  Status CheckAnchor();
  void CheckFiles();
  Status CheckLog();
  void CheckPayloads(const DecodedRecord& decoded, rocksdb::Iterator& it);
  Status CheckCheckpoints();
  Status CheckPart(const std::vector<Manifest>& checkpoints, ArcPart part);
  bool Checks(const Manifest& m) const { return m.sequence >= floor_.sequence; }
  Status Go(const char* phase, std::uint64_t done, std::uint64_t total) const {
    if (options_.progress && !options_.progress->Report(phase, done, total))
      return Cancelled("verification was stopped");
    return {};
  }

  Database::Impl& db_;
  const std::shared_ptr<Rocks> rocks_;  // a view may be refreshed meanwhile
  const std::shared_ptr<RocksPayloadStore> store_;
  const VerifyOptions& options_;
  VerifyReport& report_;
  ProblemList problems_;
  bool log_is_whole_ = true;
  Sequence last_ = 0;            // what is written later is not looked at
  std::uint64_t last_hash_ = 0;  // 0 = not known
  LogPoint floor_;
  std::uint64_t last_checkpoint_ = 0;
  std::set<std::uint64_t> unreadable_;  // checkpoints that an earlier part found to be no good
  std::map<std::uint64_t, std::vector<std::uint64_t>> edges_;  // of all parts, by checkpoint, kind
  std::vector<DamagedCheckpoint> damaged_;  // a writing open has replaced those that it found
};

Status Verifier::CheckAnchor() {
  if (db_.options.read_only) return {};  // opening has compared all with the anchor of its moment
  auto anchor = ReadAnchor(db_.directory, *db_.files);
  if (!anchor) {
    problems_.Add("anchor", anchor.error());
    return {};
  }
  db_.maintenance.AssertHeld();
  if (!(*anchor == db_.anchor)) problems_.Add("anchor", 0, "is not what was written last");
  if (anchor->sequence > last_) problems_.Add("anchor", 0, "promises more records than there are");
  return {};
}

void Verifier::CheckFiles() {
  const Status status = Check(rocks_->db()->VerifyChecksum(ScanOptions()), "files");
  if (!status) problems_.Add(rocks_->path(), status.error());
  std::vector<rocksdb::LiveFileMetaData> files;
  rocks_->db()->GetLiveFilesMetaData(&files);
  for (const auto& file : files) report_.bytes += file.size;
}

// The payloads of one record: each there with the digest the record names, or
// purged; none that it does not know. `it` is at the first of them.
void Verifier::CheckPayloads(const DecodedRecord& decoded, rocksdb::Iterator& it) {
  const Sequence sequence = decoded.head.sequence;
  std::uint32_t expected = 0;
  auto where = [&](std::uint32_t ordinal) {
    return "payload (" + std::to_string(sequence) + ", " + std::to_string(ordinal) + ")";
  };
  for (; it.Valid(); it.Next()) {
    Sequence found = 0;
    std::uint32_t ordinal = 0;
    if (!ParsePayloadKey(it.key(), &found, &ordinal)) {
      problems_.Add(rocks_->path() + ", payload", 0, "a key that is none");
      continue;
    }
    if (found > sequence) break;  // of a later record
    ++report_.payloads;
    if (found < sequence || ordinal >= decoded.payloads.size()) {
      problems_.Add("payload (" + std::to_string(found) + ", " + std::to_string(ordinal) + ")", 0,
                    "belongs to no record");
      continue;
    }
    for (; expected < ordinal; ++expected) problems_.Add(where(expected), 0, "is missing");
    expected = ordinal + 1;
    const PayloadRef ref = PayloadRef::Make(sequence, ordinal);
    const auto bytes = DecodePayload(ref, it.value().ToStringView());
    if (!bytes) {
      if (bytes.error().code != ErrorCode::kNotFound) problems_.Add(where(ordinal), bytes.error());
      continue;  // purged
    }
    const PayloadDigest& want = decoded.payloads[ordinal];
    if (bytes->size() != want.size || DigestPayload(ref, *bytes) != want.digest)
      problems_.Add(where(ordinal), 0, "is not what the record's digest says");
  }
  for (; expected < decoded.payloads.size(); ++expected)
    problems_.Add(where(expected), 0, "is missing");
}

Status Verifier::CheckLog() {
  LogCursor cursor(rocks_, floor_);
  std::unique_ptr<rocksdb::Iterator> payloads(
      rocks_->db()->NewIterator(ScanOptions(), rocks_->payload()));
  // Payloads at or below the floor are kept only while something refers to them.
  payloads->Seek(PayloadKey(floor_.sequence + 1, 0));
  while (cursor.point().sequence < last_) {
    auto more = cursor.Next();
    if (!more) {
      problems_.Add("log record " + std::to_string(cursor.point().sequence + 1), more.error());
      log_is_whole_ = false;
      return {};
    }
    if (!*more) break;
    ++report_.records;
    CheckPayloads(cursor.record(), *payloads);
    if (report_.records % 256 == 0) PLEXUS_TRY(Go("log", report_.records, 0));
  }
  if (Status status = Check(payloads->status(), "payload"); !status)
    problems_.Add(rocks_->path(), status.error());
  if (cursor.point().sequence < last_)
    problems_.Add("log record " + std::to_string(cursor.point().sequence + 1), 0, "is missing");
  else if (cursor.point().hash != last_hash_ && last_hash_ != 0)
    problems_.Add("log record " + std::to_string(last_), 0,
                  "its running hash is not the journal's");
  return {};
}

Status Verifier::CheckCheckpoints() {
  auto listed = ListSoundCheckpoints(rocks_, damaged_);
  if (!listed) {
    problems_.Add("checkpoints", listed.error());
    return {};
  }
  for (const DamagedCheckpoint& d : damaged_)
    problems_.Add("checkpoint " + std::to_string(d.id), 0, d.what);
  std::erase_if(*listed, [&](const Manifest& m) {
    return m.sequence > last_ || !InForce(m, last_checkpoint_, floor_.sequence);
  });
  std::ranges::sort(*listed, {}, &Manifest::sequence);
  std::uint64_t arcs = 0;
  for (const Manifest& m : *listed) {
    ++report_.checkpoints;
    report_.sections += m.section_digests.size();
    if (const ArraySpec* spec = m.Find(ArrayId::kOutNeighbors)) arcs = std::max(arcs, spec->count);
  }
  const auto parts =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(arcs / arcs_of_part + 1, kMostParts));
  for (std::uint32_t number = 0; number < parts; ++number) {
    PLEXUS_TRY(Go("checkpoints", number, parts));
    PLEXUS_TRY(CheckPart(*listed, {.number = number, .parts = parts}));
  }
  for (const Manifest& m : *listed) {
    if (!Checks(m) || unreadable_.contains(m.id) || edges_[m.id] == m.edges_by_kind) continue;
    problems_.Add("checkpoint " + std::to_string(m.id) + ", edges_by_kind", 0,
                  "are not the numbers of its edges");
  }
  return {};
}

// The part's edges only. The others' identities are looked at with their own part.
void KeepPart(Record& record, const ArcPart& part) {
  if (part.parts == 1) return;
  std::size_t to = 0, extra = 0, extra_to = 0;
  for (std::size_t i = 0; i < record.edges.size(); ++i) {
    for (; extra < record.edge_extras.size() && record.edge_extras[extra].index < i; ++extra) {
    }
    if (!part.Has(record.edges[i].source, record.edges[i].target)) continue;
    if (extra < record.edge_extras.size() && record.edge_extras[extra].index == i) {
      record.edge_extras[extra_to] = record.edge_extras[extra];
      record.edge_extras[extra_to++].index = static_cast<std::uint32_t>(to);
    }
    record.edges[to++] = record.edges[i];
  }
  record.edges.resize(to);
  record.edge_extras.resize(extra_to);
  if (part.number == 0) return;
  record.columns.clear();
  record.payload_changes.clear();
  record.vectors.clear();
}

// Loads a part of every checkpoint and, going along the log once, compares each with what the log
// makes of it there. Nodes, columns, references and vectors are compared with the first part.
Status Verifier::CheckPart(const std::vector<Manifest>& checkpoints, ArcPart part) {
  const bool first = part.number == 0;
  bool replaying = options_.against_replay && log_is_whole_;
  GraphState start = EmptyState();
  start.payload_store = store_;
  auto writer = std::make_unique<StateWriter>(std::move(start), &db_.executor());
  LogCursor cursor(rocks_, floor_);
  if (floor_.sequence > 0) writer.reset();  // begins with the floor's checkpoint, which is masked
  std::map<NodeId, Sequence> purged;
  if (floor_.sequence > 0) PLEXUS_SET(purged, ReadPurges(rocks_, kPurgedPrefix, last_));
  PurgeMask mask(purged, floor_.sequence);
  // The writer continues with its state compacted.
  std::uint64_t arcs = 0;
  const auto fold = [&]() -> Result<Snapshot> {
    PLEXUS_ASSIGN(Snapshot folded,
                  Snapshot(std::exchange(writer, nullptr)->Publish()).Compacted(db_.executor()));
    writer = std::make_unique<StateWriter>(folded.state(), &db_.executor());
    arcs = folded.base().arc_count();
    return folded;
  };
  const auto replay_to = [&](Sequence sequence) -> Status {
    while (cursor.point().sequence < sequence) {
      const auto more = cursor.Next();
      if (!more || !*more) return {};  // CheckLog has reported it
      Record& record = cursor.record().record;
      record.payloads.clear();
      mask.MoveTo(record.sequence - 1);
      mask.Apply(record);
      KeepPart(record, part);
      if (const Status status = writer->Apply(record); !status) {
        problems_.Add("log record " + std::to_string(record.sequence), status.error());
        replaying = log_is_whole_ = false;
        return {};
      }
      PLEXUS_TRY(Go("replay", cursor.point().sequence, last_));
      // Its runs, of which an arc takes twice the memory, stay a part of the whole.
      if (writer->delta_arcs() > std::max(kFewArcs, arcs / 2)) PLEXUS_TRY(fold());
    }
    return {};
  };
  // What the log makes up to there, without runs, so that they are freed before a checkpoint is
  // loaded, too. Nothing: the log does not lead there.
  const auto replayed_at = [&](Sequence sequence) -> Result<std::optional<Snapshot>> {
    PLEXUS_TRY(replay_to(sequence));
    if (!replaying || cursor.point().sequence != sequence) return std::nullopt;
    PLEXUS_ASSIGN(Snapshot folded, fold());
    return folded;
  };
  for (const Manifest& m : checkpoints) {
    const std::string where = "checkpoint " + std::to_string(m.id);
    if (!Checks(m)) continue;
    std::optional<Snapshot> replayed;
    if (replaying && writer) PLEXUS_SET(replayed, replayed_at(m.sequence));
    if (unreadable_.contains(m.id)) continue;
    const auto source = OpenSections(rocks_, m.id);
    auto loaded = ReadCheckpointPart(m, *source, store_, db_.executor(), options_.progress, part);
    if (!loaded) {
      problems_.Add(where, loaded.error());
      PLEXUS_TRY(problems_.ended());
      unreadable_.insert(m.id);
      continue;
    }
    VerifyArcs(*loaded, where, problems_);
    auto& edges = edges_[m.id];
    edges.resize(loaded->edges_by_kind.size());
    for (std::size_t k = 0; k < edges.size(); ++k) edges[k] += loaded->edges_by_kind[k];
    if (first) VerifyTexts(*loaded, where, problems_);
    // A trim drops the vectors of nodes that are purged above it, from the masked floor on.
    mask.MoveTo(m.sequence);
    PLEXUS_ASSIGN(*loaded, mask.Apply(std::move(*loaded), db_.executor()));
    if (first) VerifyVectors(*loaded, where, problems_);
    if (!replaying) continue;
    if (!writer) {
      if (m.sequence != floor_.sequence) continue;
      writer = std::make_unique<StateWriter>(*loaded, &db_.executor());
      PLEXUS_ASSIGN(replayed, replayed_at(m.sequence));
    }
    if (!replaying) continue;
    if (replayed) CompareArcs(*loaded, replayed->state(), where, problems_);
    if (!first) continue;
    if (!replayed) {
      problems_.Add(where, 0,
                    "says record " + std::to_string(m.sequence) + ", which the log does not have");
      continue;
    }
    if (cursor.point().hash != m.log_hash)
      problems_.Add(where, 0,
                    "its running hash is not the log's at record " + std::to_string(m.sequence));
    CompareNodes(*loaded, replayed->state(), where, problems_);
  }
  // The tail behind the last checkpoint: its values must fit the graph as well.
  if (replaying && writer) PLEXUS_TRY(replay_to(last_));
  return {};
}

Status Verifier::Begin(const Snapshot& live) {
  db_.maintenance.AssertHeld();
  last_ = live.sequence();
  if (db_.journal) {
    const RocksJournal::Position at = db_.journal->position();
    last_ = at.sequence;
    last_hash_ = at.hash;
  } else if (db_.point.sequence == last_) {
    last_hash_ = db_.point.hash;
  }
  floor_ = db_.floor();
  last_checkpoint_ = db_.anchor.checkpoint_id;
  if (db_.options.read_only) damaged_ = db_.report.damaged_checkpoints;
  return CheckAnchor();
}

Status Verifier::Run(const Snapshot& live) {
  CheckFiles();
  PLEXUS_TRY(Go("log", 0, 0));
  PLEXUS_TRY(CheckLog());
  PLEXUS_TRY(problems_.ended());
  PLEXUS_TRY(CheckCheckpoints());
  VerifyArcs(live.state(), "the graph in memory", problems_);
  VerifyTexts(live.state(), "the graph in memory", problems_);
  VerifyVectors(live.state(), "the graph in memory", problems_);
  NoteCycles(live, report_);
  report_.nodes = live.CountNodes(Plane::kFact) + live.CountNodes(Plane::kIndex);
  report_.edges = live.CountEdges(Plane::kFact) + live.CountEdges(Plane::kIndex);
  for (const auto& space : live.state().spaces) report_.vectors += space.live_count();
  MutexLock guard(db_.purge_mutex);
  if (!db_.to_scrub.empty())
    report_.notes.push_back(std::to_string(db_.to_scrub.size()) +
                            " purged nodes wait for scrubbing");
  return problems_.ended();
}

}  // namespace

Result<VerifyReport> Database::Verify(const VerifyOptions& options) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  MutexLock guard(d.maintenance);
  const ReaderLock kept(d.erase_mutex);
  PLEXUS_TRY(d.Usable());
  if (d.journal) PLEXUS_TRY(d.journal->FlushBulk());
  PLEXUS_ASSIGN(const Impl::Reading reading, d.WholeLog());
  VerifyReport report;
  const Snapshot live = snapshot();
  Verifier verifier(d, reading.rocks, options, report);
  PLEXUS_TRY(verifier.Begin(live));
  guard.Unlock();
  PLEXUS_TRY(verifier.Run(live));
  return report;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
