// Pages of the feed as bytes: a head of fixed size, the records as the log has them with their
// payloads, and a digest of it all.
#include <cstring>

#include "engine/out_of_memory.h"
#include "storage/base/digest.h"
#include "storage/encoding/record_codec.h"
#include "storage/replica.h"

namespace plexus::replica {

using namespace storage_internal;

namespace {

constexpr std::uint64_t kPageMagic = 0x31454741'50584c50;  // "PLXPAGE1"
constexpr std::size_t kPageHead = 8 * 8;

// Reads numbers and bytes; once it has read past the end it is `broken`.
class PageReader {
 public:
  explicit PageReader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t Number(std::size_t bytes) { return ReadLittleEndian(Take(bytes)); }
  std::string_view Take(std::uint64_t bytes) {
    if (bytes > rest_.size()) {
      broken_ = true;
      return {};
    }
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  bool broken() const { return broken_; }
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  bool broken_ = false;
};

std::unexpected<Error> BrokenPage(const std::string& what) {
  return Corrupted("a page of the feed: ", what);
}

}  // namespace

Result<std::string> EncodeChanges(const Changes& changes) try {
  std::string page;
  for (const std::uint64_t value :
       {kPageMagic, changes.generation, changes.since_hash, changes.next, changes.next_hash,
        changes.last, std::uint64_t{changes.has_more}, std::uint64_t{changes.records.size()}})
    AppendLittleEndian(page, value, 8);
  for (const Record& record : changes.records) {
    PLEXUS_ASSIGN(const EncodedRecord encoded, EncodeRecord(record, 0));
    AppendLittleEndian(page, encoded.bytes.size(), 4);
    page += encoded.bytes;
    for (const Payload& payload : record.payloads) {
      AppendLittleEndian(page, payload.bytes.size(), 4);
      page += payload.bytes;
    }
    AppendLittleEndian(page, record.words_dropped.size(), 4);
    for (const NodeId node : record.words_dropped) AppendLittleEndian(page, node, 4);
  }
  AppendLittleEndian(page, Digest(AsBytes(page)), 8);
  return page;
}
PLEXUS_CATCH_NO_MEMORY

Result<Changes> DecodeChanges(std::string_view bytes) try {
  if (bytes.size() < kPageHead + 8) return BrokenPage("it is cut");
  const std::string_view body = bytes.substr(0, bytes.size() - 8);
  if (PageReader(bytes.substr(body.size())).Number(8) != Digest(AsBytes(body)))
    return BrokenPage("its digest is wrong");
  PageReader page(body);
  if (page.Number(8) != kPageMagic) return BrokenPage("it is none of this format");
  Changes changes;
  changes.generation = page.Number(8);
  changes.since_hash = page.Number(8);
  changes.next = page.Number(8);
  changes.next_hash = page.Number(8);
  changes.last = page.Number(8);
  changes.has_more = page.Number(8) != 0;
  const std::uint64_t count = page.Number(8);
  for (std::uint64_t i = 0; i < count && !page.broken(); ++i) {
    const std::string_view value = page.Take(page.Number(4));
    if (page.broken()) break;
    PLEXUS_ASSIGN(DecodedRecord decoded,
                  DecodeRecord(AsBytes(value), "record " + std::to_string(i) + " of a page"));
    Record& record = decoded.record;
    for (std::size_t p = 0; p < record.payloads.size() && !page.broken(); ++p)
      record.payloads[p].bytes = page.Take(page.Number(4));
    const std::uint64_t dropped = page.Number(4);
    if (page.broken() || dropped > page.left() / 4) return BrokenPage("a record is cut");
    for (std::uint64_t d = 0; d < dropped; ++d)
      record.words_dropped.push_back(static_cast<NodeId>(page.Number(4)));
    changes.records.push_back(std::move(record));
  }
  if (page.broken() || page.left() > 0) return BrokenPage("its length is wrong");
  if (changes.records.size() != count ||
      (count > 0 && changes.records.back().sequence != changes.next))
    return BrokenPage("its end is not that of its records");
  return changes;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::replica
