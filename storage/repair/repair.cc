// From a damaged directory to a new one: look, plan, write, open, verify.
#include "storage/repair.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <rocksdb/write_batch.h>

#include "engine/out_of_memory.h"
#include "storage/base/lock_file.h"
#include "storage/database_impl.h"
#include "storage/encoding/record_codec.h"
#include "storage/log/payload_store.h"
#include "storage/log/rocks_journal.h"
#include "storage/purge/payload_references.h"
#include "storage/purge/purge_mask.h"
#include "storage/repair/salvage.h"

namespace plexus {

using namespace storage_internal;

namespace {

constexpr std::size_t kBatchBytes = 4 << 20;

Status Stopped() { return Cancelled("repairing was stopped; nothing was made"); }

// Fills the new database's RocksDB.
class Rebuilder {
 public:
  Rebuilder(const Salvage& salvage, RepairPlan& plan, const RepairOptions& options,
            std::shared_ptr<Rocks> to, std::string scratch)
      : salvage_(salvage),
        plan_(plan),
        options_(options),
        to_(std::move(to)),
        scratch_(std::move(scratch)) {
    unlogged_.disableWAL = true;  // flushed and synced as a whole at the end
  }

  Status Run() {
    PLEXUS_TRY(FindPurges());
    PLEXUS_TRY(AddBase());
    PLEXUS_TRY(AddRecords());
    PLEXUS_TRY(AddPurges());
    return to_->FlushAll();
  }
  LogPoint end() const { return end_; }
  std::uint64_t base_digest() const { return base_digest_; }
  const LostContents& lost() const { return contents_; }

 private:
  Status FindPurges() {
    std::string bytes;
    std::uint64_t done = 0;
    for (const Salvage::FoundRecord* found : plan_.records) {
      PLEXUS_ASSIGN(const DecodedRecord decoded, Decode(*found, &bytes));
      for (const NodeChange& c : decoded.record.node_changes)
        if (c.what == NodeChange::kPurge) purges_[c.node] = decoded.record.sequence;
      if (++done % 256 == 0 && options_.progress &&
          !options_.progress->Report("reading log", done, plan_.records.size()))
        return Stopped();
    }
    return {};
  }

  // The history floor: the base's checkpoint, masked as a trim would, and the payloads it needs.
  Status AddBase() {
    end_ = plan_.start;
    if (!plan_.base) return {};
    Executor& executor = options_.executor ? *options_.executor : DefaultExecutor();
    const PurgeMask mask(purges_, plan_.base->sequence);
    PLEXUS_ASSIGN(GraphState state, mask.Apply(*std::move(plan_.state), executor));
    plan_.state.reset();
    PLEXUS_TRY(contents_.AddState(state, *plan_.base, salvage_, [&](PayloadRef ref) {
      const auto found = salvage_.Payload(ref);
      return !found && found.error().code == ErrorCode::kCorruption;
    }));
    for (const std::uint64_t bits : ReferencedBy(state)) {
      const PayloadRef ref{bits};
      PLEXUS_ASSIGN(const std::string value, PayloadValue(ref, nullptr));
      batch_.Put(to_->payload(), PayloadKey(ref.sequence(), ref.ordinal()), value)
          .PermitUncheckedError();
      PLEXUS_TRY(Write(false));
    }
    PLEXUS_ASSIGN(const Manifest manifest,
                  WriteCheckpoint(
                      to_, Snapshot(std::make_shared<const FrozenState>(std::move(state))),
                      plan_.graph_id, 1, plan_.start.hash, scratch_, executor, options_.progress));
    base_digest_ = manifest.digest;
    return {};
  }

  Status AddRecords() {
    std::string bytes;
    std::uint64_t chain = FirstHash(plan_.graph_id);  // of a new one
    for (const Salvage::FoundRecord* found : plan_.records) {
      PLEXUS_ASSIGN(const DecodedRecord decoded, Decode(*found, &bytes));
      end_ = {found->sequence, found->running_hash};
      for (std::uint32_t i = 0; i < decoded.payloads.size(); ++i) {
        PLEXUS_ASSIGN(const std::string value,
                      PayloadValue(PayloadRef::Make(found->sequence, i), &decoded.payloads[i]));
        batch_.Put(to_->payload(), PayloadKey(found->sequence, i), value).PermitUncheckedError();
      }
      contents_.Add(decoded.record, [&](PayloadRef ref) { return lost_.contains(ref.bits); });
      if (plan_.new_chain) {
        PLEXUS_ASSIGN(EncodedRecord encoded, EncodeRecord(decoded.record, decoded.payloads, chain));
        bytes = std::move(encoded.bytes);
        chain = end_.hash = encoded.running_hash;
      }
      batch_.Put(to_->log(), LogKey(found->sequence), bytes).PermitUncheckedError();
      PLEXUS_TRY(Write(false));
      if (found->sequence % 256 == 0 && options_.progress &&
          !options_.progress->Report("writing", found->sequence, plan_.end.sequence))
        return Stopped();
    }
    return {};
  }

  // Opening for writing then erases what files of before a purge still held.
  Status AddPurges() {
    for (const auto& [node, sequence] : purges_) {
      for (const char* prefix : {kPurgedPrefix, kScrubPrefix})
        batch_.Put(to_->meta(), NodeMetaKey(prefix, node), MetaValue(sequence))
            .PermitUncheckedError();
    }
    return Write(true);
  }

  Result<DecodedRecord> Decode(const Salvage::FoundRecord& found, std::string* bytes) const {
    PLEXUS_ASSIGN(*bytes, salvage_.Value(found.place));
    return DecodeRecord(AsBytes(*bytes), "log record " + std::to_string(found.sequence));
  }
  // What is lost becomes the empty value, as if it had been purged.
  Result<std::string> PayloadValue(PayloadRef ref, const PayloadDigest* want) {
    auto bytes = salvage_.Payload(ref);
    if (bytes &&
        (!want || (bytes->size() == want->size && DigestPayload(ref, *bytes) == want->digest)))
      return EncodePayload(ref, *bytes);
    if (!bytes && bytes.error().code == ErrorCode::kIo) return std::unexpected(bytes.error());
    if (bytes || bytes.error().code != ErrorCode::kNotFound) lost_.insert(ref.bits);
    return std::string();
  }

  Status Write(bool always) {
    if (!always && batch_.GetDataSize() < kBatchBytes) return {};
    PLEXUS_TRY(Check(to_->db()->Write(unlogged_, &batch_), to_->path()));
    batch_.Clear();
    return {};
  }

  const Salvage& salvage_;
  RepairPlan& plan_;
  const RepairOptions& options_;
  std::shared_ptr<Rocks> to_;
  const std::string scratch_;
  rocksdb::WriteOptions unlogged_;
  rocksdb::WriteBatch batch_;
  std::map<NodeId, Sequence> purges_;  // given by the records
  std::set<std::uint64_t> lost_;
  LostContents contents_;
  LogPoint end_;
  std::uint64_t base_digest_ = 0;
};

// What a closed database's list of files says against what is there.
void ReportFiles(const std::string& path, const Anchor& anchor, const Files& files,
                 Salvage& salvage) {
  const auto listed = ListGeneration(path, files);
  if (!listed || !anchor.clean) return;
  std::map<std::string, AnchorFile> there;
  for (const AnchorFile& f : *listed) there[f.name] = f;
  for (const AnchorFile& f : anchor.files) {
    const auto found = there.find(f.name);
    if (found == there.end())
      salvage.AddDamage(f.name, 0, "is missing");
    else if (found->second.size != f.size)
      salvage.AddDamage(f.name, std::min(f.size, found->second.size),
                        "has " + std::to_string(found->second.size) + " bytes, " +
                            std::to_string(f.size) + " were there when it was closed");
    else if (found->second.digest != f.digest)
      salvage.AddDamage(f.name, f.whole || f.size < kTailBytes ? 0 : f.size - kTailBytes,
                        "the bytes changed after the database was closed");
  }
}

class Repairer {
 public:
  Repairer(const std::string& from, const std::string& to, const RepairOptions& options)
      : from_(from), to_(to), options_(options), files_(std::make_shared<Files>()) {}

  Result<RepairReport> Run() {
    PLEXUS_TRY(MustBeNew(to_, *files_));
    const bool existed = files_->Exists(to_);
    PLEXUS_TRY(FindSource());
    Status status = OrNoMemory([&] { return Build(); });
    if (status) status = OrNoMemory([&] { return Finish(); });
    PLEXUS_TRY(OrNothing(to_, existed, std::move(status)));
    return std::move(report_);
  }

 private:
  // The anchor's generation. Without an anchor: the newest, or an older one that has more (a hard
  // purge that a crash ended leaves a newer one that is not complete).
  Status FindSource() {
    if (!files_->Exists(from_)) return NotFound(from_, ": does not exist");
    if (LockFile::IsHeld(from_))
      return Fail(ErrorCode::kLocked, from_ + ": is open for writing; close it first");
    auto anchor = ReadAnchor(from_, *files_);
    if (anchor && anchor->generation == 0) return NotFound(from_, ": was never completely created");
    if (!anchor && anchor.error().code == ErrorCode::kUnsupported)
      return std::unexpected(anchor.error());
    if (anchor) {
      anchor_ = *anchor;
      const std::string path = GenerationPath(from_, anchor_->generation);
      const Status read = salvage_.ReadGeneration(path, *files_, options_.progress);
      if (!read && read.error().code != ErrorCode::kNotFound) return read;
      if (!read) salvage_.AddDamage(path, 0, "is missing");
      ReportFiles(path, *anchor_, *files_, salvage_);
      return {};
    }
    PLEXUS_ASSIGN(const std::vector<std::string> names, files_->List(from_));
    std::vector<std::uint64_t> generations;
    for (const std::string& name : names)
      if (const std::uint64_t generation = GenerationOf(name)) generations.push_back(generation);
    if (generations.empty()) return std::unexpected(anchor.error());
    std::sort(generations.rbegin(), generations.rend());
    std::optional<std::uint64_t> best;
    Sequence most = 0;
    for (const std::uint64_t generation : generations) {
      Salvage look;
      PLEXUS_TRY(
          look.ReadGeneration(GenerationPath(from_, generation), *files_, options_.progress));
      if (!best || look.last_sequence() > most) {
        best = generation;
        most = look.last_sequence();
      }
    }
    PLEXUS_TRY(salvage_.ReadGeneration(GenerationPath(from_, *best), *files_, options_.progress));
    salvage_.AddDamage(kAnchorName, 0, anchor.error().message);
    return {};
  }

  Status Build() {
    PLEXUS_ASSIGN(RepairPlan plan,
                  MakeRepairPlan(salvage_, anchor_ ? &*anchor_ : nullptr, options_, report_));
    if (!files_->Exists(to_)) PLEXUS_TRY(files_->MakeDirectory(to_));
    Anchor anchor;  // of generation 0 until all is there: "was never completely created"
    anchor.graph_id = plan.graph_id;
    anchor.generation = 0;
    PLEXUS_TRY(WriteAnchor(to_, anchor, *files_));
    {
      PLEXUS_ASSIGN(const std::shared_ptr<Rocks> made,
                    Rocks::Open(GenerationPath(to_, 1), Rocks::Mode::kCreate, files_));
      Rebuilder rebuilder(salvage_, plan, options_, made, to_ + "/checkpoint.tmp");
      PLEXUS_TRY(rebuilder.Run());
      PLEXUS_TRY(made->Close());
      anchor.generation = 1;
      anchor.sequence = rebuilder.end().sequence;
      anchor.log_hash =
          rebuilder.end().sequence == 0 ? FirstHash(plan.graph_id) : rebuilder.end().hash;
      if (plan.base) {
        anchor.floor_sequence = plan.start.sequence;
        anchor.floor_hash = plan.start.hash;
        anchor.checkpoint_id = 1;
        anchor.checkpoint_sequence = plan.start.sequence;
        anchor.checkpoint_digest = rebuilder.base_digest();
      }
      lost_ = rebuilder.lost();
    }
    return WriteAnchor(to_, anchor, *files_);
  }

  Status Finish() {
    OpenOptions options;
    options.strict = true;
    options.graph.executor = options_.executor;
    PLEXUS_ASSIGN(const std::unique_ptr<Database> made, Database::Open(to_, options));
    PLEXUS_TRY(made->Checkpoint(options_.progress));
    VerifyOptions check;
    check.progress = options_.progress;
    PLEXUS_ASSIGN(const VerifyReport verified, made->Verify(check));
    if (!verified.ok)
      return Fail(ErrorCode::kInternal, to_ + ": the new database has problems, the first: " +
                                            verified.problems.front().where + ": " +
                                            verified.problems.front().what);
    const Snapshot now = made->snapshot();
    lost_.FillReport(now, report_);
    report_.sequence = now.sequence();
    report_.history_floor = made->stats().history_floor;
    report_.nodes = verified.nodes;
    report_.edges = verified.edges;
    report_.damage = salvage_.damage();
    return made->Close();
  }

  const std::string from_, to_;
  const RepairOptions options_;
  std::shared_ptr<Files> files_;
  std::optional<Anchor> anchor_;
  Salvage salvage_;
  LostContents lost_;
  RepairReport report_;
};

}  // namespace

Result<RepairReport> Repair(const std::string& from, const std::string& to,
                            const RepairOptions& options) try {
  return Repairer(from, to, options).Run();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
