// Sections and manifests out of RocksDB.
#include "storage/checkpoint/checkpoint.h"
#include "storage/log/rocks_db.h"

namespace plexus::storage_internal {

namespace {

class RocksSections : public SectionSource {
 public:
  RocksSections(std::shared_ptr<Rocks> rocks, std::uint64_t id)
      : rocks_(std::move(rocks)), id_(id) {}

  std::uint64_t available_bytes() const override {
    return rocks_->FamilyBytes(rocks_->checkpoint());
  }

  Status Visit(std::uint32_t first, std::uint32_t last, const Visitor& fn) const override {
    // An iterator, because its value is in RocksDB's own block: no copy. RocksDB checks the
    // block before it parses a key, as it ends the process by an assertion over a damaged one.
    std::unique_ptr<rocksdb::Iterator> it(
        rocks_->db()->NewIterator(ScanOptions(), rocks_->checkpoint()));
    if (first < last) it->Seek(SectionKey(id_, first));
    for (std::uint32_t section = first; section < last; ++section) {
      const std::string where = SectionName(id_, section);
      // A block of another checkpoint ends the iterator, too: read only this one.
      if (!it->status().ok()) return VisitWhole(section, last, fn);
      std::uint64_t id = 0;
      std::uint32_t found = 0;
      if (!it->Valid() || !ParseSectionKey(it->key(), &id, &found) || id != id_ || found != section)
        return Corrupted(where, ": is missing from ", rocks_->path());
      PLEXUS_TRY(fn(section, SliceBytes(it->value())));
      if (section + 1 < last) it->Next();
    }
    return {};
  }

 private:
  Status VisitWhole(std::uint32_t first, std::uint32_t last, const Visitor& fn) const {
    for (std::uint32_t section = first; section < last; ++section) {
      const std::string where = SectionName(id_, section);
      rocksdb::PinnableSlice value;
      const rocksdb::Status status =
          rocks_->db()->Get(ScanOptions(), rocks_->checkpoint(), SectionKey(id_, section), &value);
      if (status.IsNotFound()) return Corrupted(where, ": is missing from ", rocks_->path());
      PLEXUS_TRY(Check(status, where));
      PLEXUS_TRY(fn(section, SliceBytes(value)));
    }
    return {};
  }

  std::shared_ptr<Rocks> rocks_;
  std::uint64_t id_;
};

}  // namespace

std::unique_ptr<SectionSource> OpenSections(std::shared_ptr<Rocks> rocks, std::uint64_t id) {
  return std::make_unique<RocksSections>(std::move(rocks), id);
}

Result<std::vector<Manifest>> ListCheckpoints(const std::shared_ptr<Rocks>& rocks) {
  std::vector<Manifest> manifests;
  std::unique_ptr<rocksdb::Iterator> it(
      rocks->db()->NewIterator(ScanOptions(), rocks->checkpoint()));
  it->SeekToFirst();
  while (it->Valid()) {
    std::uint64_t id = 0;
    std::uint32_t section = 0;
    if (!ParseSectionKey(it->key(), &id, &section))
      return Corrupted(rocks->path(), ", checkpoint: a key that is none");
    const std::string manifest_key = SectionKey(id, kManifestSection);
    it->Seek(manifest_key);
    if (it->Valid() && it->key() == rocksdb::Slice(manifest_key)) {
      const std::string where = "checkpoint " + std::to_string(id) + ", manifest";
      PLEXUS_ASSIGN(Manifest manifest, DecodeManifest(SliceBytes(it->value()), where));
      if (manifest.id != id) return Corrupted(where, ": says it is checkpoint ", manifest.id);
      manifests.push_back(std::move(manifest));
      it->Next();
    }
  }
  PLEXUS_TRY(Check(it->status(), rocks->path() + ", checkpoint"));
  return manifests;
}

}  // namespace plexus::storage_internal
