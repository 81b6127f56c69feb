// Sections by a walk over the entries of sorted files.
//
// A block is a run of entries (three varints: bytes of the key shared with the entry before,
// bytes that follow, bytes of the value; then those bytes), the offsets of every 16th entry, of
// which the first is 0, their number, and a trailer of five bytes.
#include "storage/checkpoint/checkpoint.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include <rocksdb/env.h>

#include "storage/log/rocks_db.h"

namespace plexus::storage_internal {

namespace {

constexpr std::size_t kInternalBytes = 8;  // sequence and type behind each key
constexpr std::size_t kTrailerBytes = 5;
constexpr std::size_t kEntriesPerRestart = 16;
constexpr std::size_t kHeadBytes = 64;  // of an entry, more than its key and lengths take
constexpr char kValue = 1;

using File = std::shared_ptr<const rocksdb::RandomAccessFile>;

struct Place {
  File file;
  std::uint64_t offset = 0, size = 0;
};

std::shared_ptr<const rocksdb::RandomAccessFile> OpenFile(const Files& files,
                                                          const std::string& path) {
  std::unique_ptr<rocksdb::RandomAccessFile> file;
  if (!files.env()->NewRandomAccessFile(path, &file, rocksdb::EnvOptions()).ok()) return nullptr;
  return file;
}

// The entries of one file, from its first byte on.
class EntryWalk {
 public:
  EntryWalk(File file, std::uint64_t size) : file_(std::move(file)), size_(size) {}

  // False at the end of the data, or where it makes no sense.
  bool Next() {
    if (entries_ > 0) {
      at_ = place_.offset + place_.size;
      if (!Read()) return false;
      if (Byte(0) == 0 && Byte(1) == 0 && !EndBlock()) return false;
    } else if (!Read()) {
      return false;
    }
    return Parse();
  }
  const std::string& key() const { return key_; }  // without sequence and type
  const Place& place() const { return place_; }    // of the value

 private:
  std::uint8_t Byte(std::size_t i) const {
    return i < head_.size() ? static_cast<std::uint8_t>(head_[i]) : 0;
  }
  bool Read() {
    if (at_ >= size_) return false;
    rocksdb::Slice got;
    if (!file_->Read(at_, kHeadBytes, &got, scratch_).ok()) return false;
    head_ = got.ToStringView();
    return true;
  }
  // Over the offsets of a block; to the next one.
  bool EndBlock() {
    const std::size_t restarts = (entries_ + kEntriesPerRestart - 1) / kEntriesPerRestart;
    std::uint32_t said = 0;
    rocksdb::Slice got;
    char bytes[sizeof said];
    if (!file_->Read(at_ + restarts * sizeof said, sizeof said, &got, bytes).ok() ||
        got.size() != sizeof said)
      return false;
    std::memcpy(&said, got.data(), sizeof said);
    if (said != restarts) return false;
    at_ += (restarts + 1) * sizeof said + kTrailerBytes;
    entries_ = 0;
    internal_.clear();
    return Read();
  }
  bool Parse() {
    std::size_t at = 0;
    std::uint64_t lengths[3];
    for (std::uint64_t& length : lengths) {
      length = 0;
      for (int shift = 0;; shift += 7) {
        if (at >= head_.size() || shift >= 64) return false;
        const auto byte = static_cast<std::uint8_t>(head_[at++]);
        length |= std::uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) break;
      }
    }
    const auto [shared, own, value] = lengths;
    if (shared > internal_.size() || own > head_.size() - at || shared + own < kInternalBytes)
      return false;
    internal_.resize(shared);
    internal_.append(head_.substr(at, own));
    const std::uint64_t offset = at_ + at + own;
    if (value > size_ || offset > size_ - value) return false;
    place_ = {file_, offset, value};
    key_ = internal_.substr(0, internal_.size() - kInternalBytes);
    ++entries_;
    return internal_[key_.size()] == kValue;
  }

  const File file_;
  const std::uint64_t size_;
  std::uint64_t at_ = 0;
  std::size_t entries_ = 0;  // of this block, so far
  std::string internal_, key_;
  Place place_;
  char scratch_[kHeadBytes];
  std::string_view head_;
};

class ClosedSections : public SectionSource {
 public:
  ClosedSections(std::uint64_t id, std::vector<Place> places, std::uint64_t available)
      : id_(id), places_(std::move(places)), available_(available) {}

  std::uint64_t available_bytes() const override { return available_; }

  // One buffer for all of them: fresh memory for each takes longer than reading it.
  Status Visit(std::uint32_t first, std::uint32_t last, const Visitor& fn) const override {
    std::uint64_t largest = 0;
    for (std::uint32_t section = first; section < last; ++section)
      largest = std::max(largest, places_[section].size);
    const auto buffer = std::make_unique_for_overwrite<std::uint64_t[]>((largest + 7) / 8);
    for (std::uint32_t section = first; section < last; ++section) {
      const Place& place = places_[section];
      PLEXUS_ASSIGN(const ByteSpan value,
                    ReadPlace(place, buffer.get(), SectionName(id_, section)));
      PLEXUS_TRY(fn(section, value));
    }
    return {};
  }

  static Result<ByteSpan> ReadPlace(const Place& place, void* buffer, const std::string& where) {
    rocksdb::Slice got;
    PLEXUS_TRY(
        Check(place.file->Read(place.offset, place.size, &got, static_cast<char*>(buffer)), where));
    if (got.size() != place.size) return Corrupted(where, ": the file ends before it does");
    return SliceBytes(got);
  }

 private:
  const std::uint64_t id_;
  const std::vector<Place> places_;
  const std::uint64_t available_;
};

std::optional<Manifest> ReadManifest(const Place& place, const Anchor& anchor) {
  std::vector<std::uint64_t> buffer((place.size + 7) / 8);
  const auto bytes = ClosedSections::ReadPlace(place, buffer.data(), "manifest");
  if (!bytes) return std::nullopt;
  auto manifest = DecodeManifest(*bytes, "manifest");
  if (!manifest || manifest->digest != anchor.checkpoint_digest ||
      manifest->id != anchor.checkpoint_id || manifest->graph_id != anchor.graph_id ||
      manifest->sequence != anchor.checkpoint_sequence)
    return std::nullopt;
  return *std::move(manifest);
}

}  // namespace

std::unique_ptr<ClosedCheckpoint> FindClosedCheckpoint(const std::string& path,
                                                       const Anchor& anchor,
                                                       const std::shared_ptr<Files>& files) {
  auto found = std::make_unique<ClosedCheckpoint>();
  std::optional<Place> manifest;
  std::vector<std::vector<Place>> runs;  // sections that follow each other, one run a file
  std::vector<std::uint32_t> firsts;
  std::uint64_t available = 0;
  for (const AnchorFile& listed : anchor.files) {
    if (!listed.name.ends_with(".sst")) continue;
    const File file = OpenFile(*files, path + "/" + listed.name);
    if (!file) return nullptr;
    EntryWalk walk(file, listed.size);
    std::uint64_t id = 0;
    std::uint32_t section = 0, next = 0;
    bool begun = false;
    while (walk.Next() && ParseSectionKey(walk.key(), &id, &section) &&
           id == anchor.checkpoint_id) {
      if (section == kManifestSection) {
        manifest = walk.place();
        break;
      }
      if (!begun) {
        runs.emplace_back();
        firsts.push_back(section);
        available += listed.size;
      } else if (section != next) {
        return nullptr;
      }
      runs.back().push_back(walk.place());
      next = section + 1;
      begun = true;
    }
  }
  if (!manifest) return nullptr;
  auto read = ReadManifest(*manifest, anchor);
  if (!read) return nullptr;
  std::vector<Place> places(read->section_digests.size());
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (firsts[run] > places.size() || runs[run].size() > places.size() - firsts[run])
      return nullptr;
    std::copy(runs[run].begin(), runs[run].end(), places.begin() + firsts[run]);
  }
  for (const Place& place : places)
    if (!place.file || place.size > read->section_bytes + std::uint64_t{1024}) return nullptr;
  found->log_end = anchor.sequence;
  found->log_hash = anchor.log_hash;
  found->manifest = *std::move(read);
  found->sections =
      std::make_unique<ClosedSections>(anchor.checkpoint_id, std::move(places), available);
  return found;
}

}  // namespace plexus::storage_internal
