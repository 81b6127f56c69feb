// The bounds of sorted files give the checkpoints that there may be.
#include "storage/verify/checkpoint_damage.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "storage/log/rocks_db.h"

namespace plexus {

using namespace storage_internal;

namespace {

struct CheckpointFile {
  std::string name;  // "000012.sst"
  std::uint64_t first_id = 0, last_id = 0;
  std::string smallest, largest;
};

std::vector<CheckpointFile> FilesOfCheckpoints(const Rocks& rocks) {
  std::vector<rocksdb::LiveFileMetaData> live;
  rocks.db()->GetLiveFilesMetaData(&live);
  std::vector<CheckpointFile> files;
  for (const auto& meta : live) {
    if (meta.column_family_name != rocks.checkpoint()->GetName()) continue;
    CheckpointFile file;
    file.name = meta.name.substr(meta.name.find_first_not_of('/'));
    file.smallest = meta.smallestkey;
    file.largest = meta.largestkey;
    std::uint32_t section = 0;
    if (ParseSectionKey(file.smallest, &file.first_id, &section) &&
        ParseSectionKey(file.largest, &file.last_id, &section))
      files.push_back(std::move(file));
  }
  return files;
}

Result<Manifest> ReadManifest(const std::shared_ptr<Rocks>& rocks, std::uint64_t id) {
  const std::string where = "checkpoint " + std::to_string(id) + ", manifest";
  rocksdb::PinnableSlice value;
  PLEXUS_TRY(Check(rocks->db()->Get(ScanOptions(), rocks->checkpoint(),
                                    SectionKey(id, kManifestSection), &value),
                   where));
  PLEXUS_ASSIGN(Manifest manifest, DecodeManifest(SliceBytes(value), where));
  if (manifest.id != id) return Corrupted(where, ": says it is checkpoint ", manifest.id);
  return manifest;
}

// The file that a message is about: the one it names, or where its section or the manifest lies.
// A message about an array may be of any section, which stand in other files than the manifest.
std::string FileOf(const Rocks& rocks, std::uint64_t id, const std::string& what) {
  const std::vector<CheckpointFile> files = FilesOfCheckpoints(rocks);
  for (const CheckpointFile& file : files)
    if (what.find(file.name) != std::string::npos) return file.name;
  std::uint32_t section = kManifestSection;
  if (const auto at = what.find(", section "); at != std::string::npos)
    section = static_cast<std::uint32_t>(std::strtoul(what.c_str() + at + 10, nullptr, 10));
  else if (what.find(", manifest") == std::string::npos)
    return "";
  const std::string key = SectionKey(id, section);
  std::string found;
  for (const CheckpointFile& file : files) {
    if (key < file.smallest || file.largest < key) continue;
    // Deleting a checkpoint leaves a file whose bound is the next one's first key.
    const bool touches = key == file.largest && file.first_id < id;
    if (!touches || found.empty()) found = file.name;
  }
  return found;
}

}  // namespace

Result<std::vector<Manifest>> storage_internal::ListSoundCheckpoints(
    const std::shared_ptr<Rocks>& rocks, std::vector<DamagedCheckpoint>& damaged) {
  auto listed = ListCheckpoints(rocks);
  if (listed || listed.error().code != ErrorCode::kCorruption) return listed;
  std::set<std::uint64_t> ids;
  for (const CheckpointFile& file : FilesOfCheckpoints(*rocks))
    for (std::uint64_t id = file.first_id; id <= file.last_id; ++id) ids.insert(id);
  std::vector<Manifest> sound;
  for (const std::uint64_t id : ids) {
    auto manifest = ReadManifest(rocks, id);
    if (manifest)
      sound.push_back(*std::move(manifest));
    else if (manifest.error().code == ErrorCode::kCorruption)
      MergeDamage(damaged, {DescribeDamage(rocks, id, 0, manifest.error().message)});
    else if (manifest.error().code != ErrorCode::kNotFound)
      return std::unexpected(manifest.error());
  }
  return sound;
}

DamagedCheckpoint storage_internal::DescribeDamage(const std::shared_ptr<Rocks>& rocks,
                                                   std::uint64_t id, Sequence sequence,
                                                   const std::string& what) {
  return {.id = id, .sequence = sequence, .file = FileOf(*rocks, id, what), .what = what};
}

void storage_internal::MergeDamage(std::vector<DamagedCheckpoint>& damaged,
                                   const std::vector<DamagedCheckpoint>& more) {
  for (const DamagedCheckpoint& entry : more) {
    const auto known = std::ranges::find(damaged, entry.id, &DamagedCheckpoint::id);
    if (known == damaged.end()) {
      damaged.push_back(entry);
    } else {
      if (known->sequence == 0) known->sequence = entry.sequence;
      if (known->file.empty()) known->file = entry.file;
    }
  }
}

Result<std::vector<DamagedCheckpoint>> storage_internal::DamageOfFiles(
    const std::shared_ptr<Rocks>& rocks, const std::vector<ChangedFile>& changed) {
  std::vector<DamagedCheckpoint> damaged;
  const std::vector<CheckpointFile> files = FilesOfCheckpoints(*rocks);
  for (const ChangedFile& change : changed) {
    const auto file = std::ranges::find(files, change.name, &CheckpointFile::name);
    if (file == files.end()) return Corrupted(change.message);
    for (std::uint64_t id = file->first_id; id <= file->last_id; ++id) {
      rocksdb::PinnableSlice value;  // dropped ones are of no interest
      if (rocks->db()
              ->Get(ScanOptions(), rocks->checkpoint(), SectionKey(id, kManifestSection), &value)
              .IsNotFound())
        continue;
      MergeDamage(damaged, {{.id = id, .file = file->name, .what = change.message}});
    }
  }
  return damaged;
}

std::string DamageMessage(const DamagedCheckpoint& damaged) {
  std::string text = "checkpoint " + std::to_string(damaged.id);
  if (damaged.sequence != 0) text += " of record " + std::to_string(damaged.sequence);
  text += " is damaged";
  if (!damaged.file.empty()) text += " (" + damaged.file + ")";
  text += ": " + damaged.what + "; read instead: ";
  if (damaged.read_instead != 0)
    text += "the checkpoint of record " + std::to_string(damaged.read_instead) + " and ";
  return text + std::to_string(damaged.replayed) + " records of the log; nothing is lost";
}

}  // namespace plexus
