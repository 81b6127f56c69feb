// Which entries prove themselves, and where their values stand.
#include "storage/repair/salvage.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "storage/base/plain_files.h"
#include "storage/encoding/flatbuffer_util.h"
#include "storage/encoding/record_codec.h"
#include "storage/log/payload_store.h"
#include "storage/log/rocks_db.h"
#include "storage/log/rocks_journal.h"

namespace plexus::storage_internal {

namespace {

constexpr std::size_t kDamageKept = 1000;
constexpr std::size_t kReadBytes = 1 << 20;

}  // namespace

class Salvage::FoundSections : public SectionSource {
 public:
  FoundSections(const Salvage& salvage, const Manifest& manifest)
      : salvage_(salvage), manifest_(manifest) {
    for (const FoundSection& s : salvage.sections_)
      if (s.id == manifest.id) bytes_ += s.place.size;
  }
  std::uint64_t available_bytes() const override { return bytes_; }
  Status Visit(std::uint32_t first, std::uint32_t last, const Visitor& fn) const override {
    for (std::uint32_t section = first; section < last; ++section) {
      PLEXUS_ASSIGN(const std::string value, salvage_.Section(manifest_, section));
      PLEXUS_TRY(fn(section, AsBytes(value)));
    }
    return {};
  }

 private:
  const Salvage& salvage_;
  const Manifest& manifest_;
  std::uint64_t bytes_ = 0;
};

Salvage::~Salvage() {
  for (const int descriptor : descriptors_) close(descriptor);
}

void Salvage::AddDamage(const std::string& where, std::uint64_t offset, const std::string& what) {
  if (damage_.size() < kDamageKept) damage_.push_back({where, offset, what});
}

// What the disk refuses to give is taken as zeros.
Result<std::string> Salvage::ReadFile(const std::string& path, const std::string& name) {
  PLEXUS_ASSIGN(const int descriptor, OpenPlainFile(path));
  descriptors_.push_back(descriptor);
  const off_t size = lseek(descriptor, 0, SEEK_END);
  if (size < 0) return IoError(path, ": ", std::strerror(errno));
  std::string bytes(static_cast<std::size_t>(size), '\0');
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t want = std::min(kReadBytes, bytes.size() - at);
    const ssize_t got = pread(descriptor, bytes.data() + at, want, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      AddDamage(name, at, std::string("the disk cannot read it: ") + std::strerror(errno));
    if (got == 0) break;  // shrunk meanwhile
    at += got < 0 ? want : static_cast<std::size_t>(got);
  }
  return bytes;
}

Salvage::Place Salvage::PlaceOf(const FoundEntry& entry, std::uint32_t file) {
  const auto size = static_cast<std::uint32_t>(entry.value.size());
  if (file != kOwn) return {file, size, entry.offset};
  own_.emplace_back(entry.value);
  return {kOwn, size, own_.size() - 1};
}

bool Salvage::Keep(const FoundEntry& entry, std::uint32_t file) {
  const rocksdb::Slice key(entry.key);
  if (entry.deleted) {  // ids of checkpoints are not used again
    std::uint64_t id = 0;
    std::uint32_t section = 0;
    if (ParseSectionKey(key, &id, &section) && section == kManifestSection) dropped_.insert(id);
    return true;
  }
  if (key.size() == 8) {
    const Sequence sequence = SequenceOfLogKey(key);
    const auto head = DecodeRecordHead(AsBytes(entry.value), "");
    if (!head || head->sequence != sequence) {
      ++broken_records_;
      broken_last_ = std::max(broken_last_, sequence);
      return false;
    }
    records_.push_back({sequence, head->digest, head->running_hash, PlaceOf(entry, file)});
    return true;
  }
  Sequence sequence = 0;
  std::uint32_t ordinal = 0, section = 0;
  if (ParsePayloadKey(key, &sequence, &ordinal)) {
    const PayloadRef ref = PayloadRef::Make(sequence, ordinal);
    if (!entry.value.empty() && !DecodePayload(ref, entry.value)) return false;
    payloads_.push_back({ref.bits, PlaceOf(entry, file)});
    return true;
  }
  std::uint64_t id = 0;
  const bool mark = entry.key.starts_with(kPurgedPrefix) || entry.key.starts_with(kScrubPrefix) ||
                    entry.key.starts_with(kForgetPrefix) || entry.key.starts_with(kBlankPrefix) ||
                    entry.key == kReplayedKey || entry.key == kOriginKey;
  if (mark || !ParseSectionKey(key, &id, &section)) return mark;  // the log has the purges, too
  if (section == kManifestSection) {
    auto manifest = DecodeManifest(AsBytes(entry.value), "");
    if (!manifest || manifest->id != id) return false;
    const bool known = std::ranges::any_of(
        manifests_, [&](const Manifest& m) { return m.id == id && m.digest == manifest->digest; });
    if (!known) manifests_.push_back(*std::move(manifest));
    return true;
  }
  const AlignedView view(AsBytes(entry.value));
  if (!DecodeSection(view.bytes(), "")) return false;
  sections_.push_back({id, section, PlaceOf(entry, file)});
  return true;
}

Status Salvage::ReadGeneration(const std::string& path, const Files& files, Progress* progress) {
  if (!files.Exists(path)) return NotFound(path, ": does not exist");
  PLEXUS_ASSIGN(const std::vector<std::string> names, files.List(path));
  std::uint64_t done = 0;
  for (const std::string& name : names) {
    if (progress && !progress->Report("reading files", done++, names.size()))
      return Cancelled("repairing was stopped");
    const bool sorted = name.ends_with(".sst");
    if (!sorted && !name.ends_with(".log")) continue;
    auto bytes = ReadFile(path + "/" + name, name);
    if (!bytes) {
      AddDamage(name, 0, bytes.error().message);
      continue;
    }
    const auto file = sorted ? static_cast<std::uint32_t>(descriptors_.size() - 1) : kOwn;
    const auto found = [&](const FoundEntry& entry) { return Keep(entry, file); };
    const auto lost = [&](std::uint64_t offset, const std::string& what) {
      AddDamage(name, offset, what);
    };
    if (sorted)
      WalkSortedFile(*bytes, found, lost);
    else
      WalkWriteAheadLog(*bytes, found, lost);
  }
  std::erase_if(manifests_, [&](const Manifest& m) { return dropped_.contains(m.id); });
  std::ranges::sort(records_, {}, &FoundRecord::sequence);
  std::ranges::sort(payloads_, {}, &FoundPayload::ref);
  std::ranges::sort(sections_, {}, &FoundSection::key);
  std::ranges::sort(manifests_, {}, [](const Manifest& m) { return std::pair(m.sequence, m.id); });
  if (!records_.empty()) last_sequence_ = records_.back().sequence;
  if (!manifests_.empty()) last_sequence_ = std::max(last_sequence_, manifests_.back().sequence);
  // A damaged key may hold anything; only a next record is believed to have been one.
  if (broken_last_ <= last_sequence_ + broken_records_)
    last_sequence_ = std::max(last_sequence_, broken_last_);
  return {};
}

Result<std::string> Salvage::Value(const Place& place) const {
  if (place.file == kOwn) return own_[place.offset];
  std::string bytes(place.size, '\0');
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t got = pread(descriptors_[place.file], bytes.data() + at, bytes.size() - at,
                              static_cast<off_t>(place.offset + at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return IoError("a file cannot be read a second time");
    at += static_cast<std::size_t>(got);
  }
  return bytes;
}

// A payload that was purged anywhere is purged: what an old file may still hold stays hidden.
Result<std::string> Salvage::Payload(PayloadRef ref) const {
  auto it = std::ranges::lower_bound(payloads_, ref.bits, {}, &FoundPayload::ref);
  const FoundPayload* found = nullptr;
  for (; it != payloads_.end() && it->ref == ref.bits; ++it) {
    if (it->place.size == 0) return NotFound("the payload was purged");
    found = &*it;
  }
  if (!found) return Corrupted("the payload is lost");
  PLEXUS_ASSIGN(const std::string value, Value(found->place));
  PLEXUS_ASSIGN(const std::string_view bytes, DecodePayload(ref, value));
  return std::string(bytes);
}

Result<std::string> Salvage::Section(const Manifest& manifest, std::uint32_t section) const {
  const auto key = std::pair(manifest.id, section);
  auto it = std::ranges::lower_bound(sections_, key, {}, &FoundSection::key);
  const std::string where = SectionName(manifest.id, section);
  if (it == sections_.end() || it->key() != key) return Corrupted(where, ": is missing");
  for (; it != sections_.end() && it->key() == key; ++it) {
    PLEXUS_ASSIGN(std::string value, Value(it->place));
    const AlignedView view(AsBytes(value));
    if (Digest(view.bytes()) == manifest.section_digests[section]) return value;
  }
  return Corrupted(where, ": the digest does not match its bytes");
}

Status Salvage::CheckSections(const Manifest& manifest) const {
  for (std::uint32_t s = 0; s < manifest.section_digests.size(); ++s)
    PLEXUS_TRY(Section(manifest, s));
  return {};
}

std::unique_ptr<SectionSource> Salvage::Sections(const Manifest& manifest) const {
  return std::make_unique<FoundSections>(*this, manifest);
}

}  // namespace plexus::storage_internal
