// Front coding by id, look-up by hash.
#include "engine/arrays/cold_strings.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "engine/error.h"

namespace plexus {

namespace {

constexpr std::uint32_t kNibble = 15;  // or more: the rest follows
constexpr std::uint32_t kBucket = 4;   // ids, on average

void PutRest(std::string& out, std::size_t n) {
  if (n < kNibble) return;
  for (n -= kNibble; n >= 128; n >>= 7) out.push_back(static_cast<char>(n | 128));
  out.push_back(static_cast<char>(n));
}

// One text as the difference from the one before.
struct Step {
  std::uint32_t drop;   // bytes of its end
  std::uint32_t count;  // bytes that come instead, at `bytes`
  const std::uint8_t* bytes;
};

Step ReadStep(const std::uint8_t*& at) {
  const std::uint8_t head = *at++;
  const auto rest = [&at](std::uint32_t n) {
    for (int shift = 0; n >= kNibble; shift += 7) {
      const std::uint8_t byte = *at++;
      n += std::uint32_t{byte & 127u} << shift;
      if (byte < 128) break;
    }
    return n;
  };
  Step step;
  step.drop = rest(head >> 4);
  step.count = rest(head & kNibble);
  step.bytes = at;
  at += step.count;
  return step;
}

std::size_t CommonPrefix(std::string_view a, std::string_view b) {
  const auto [end, other] = std::mismatch(
      a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
  return static_cast<std::size_t>(end - a.begin());
}

template <class T>
AlignedArray<T> Exactly(const std::vector<T>& values) {
  return AlignedArray<T>(std::span<const T>(values));
}

}  // namespace

struct ColdStrings::Kept {
  std::array<std::uint32_t, kBlockIds + 1> ends;
  std::unique_ptr<char[]> bytes;
};

ColdStrings::~ColdStrings() {
  for (auto& kept : kept_) delete kept.load(std::memory_order_relaxed);
}

void ColdStrings::Builder::Add(std::uint32_t id, std::string_view text, std::uint64_t hash) {
  const std::size_t block = id / kBlockIds;
  while (ids_.size() <= block) {
    ids_.push_back(0);
    first_.push_back(bytes_.size());
    before_.clear();
  }
  ids_[block] |= std::uint64_t{1} << id % kBlockIds;
  const std::size_t shared = CommonPrefix(before_, text);
  const std::size_t drop = before_.size() - shared, count = text.size() - shared;
  bytes_.push_back(static_cast<char>(std::min<std::size_t>(drop, kNibble) << 4 |
                                     std::min<std::size_t>(count, kNibble)));
  PutRest(bytes_, drop);
  PutRest(bytes_, count);
  bytes_.append(text.substr(shared));
  before_.assign(text);
  id_.push_back(id);
  hash_.push_back(hash);
}

std::shared_ptr<const ColdStrings> ColdStrings::Builder::Finish(bool* twice) && {
  *twice = false;
  if (id_.empty()) return nullptr;
  std::shared_ptr<ColdStrings> made(new ColdStrings());
  made->ids_ = Exactly(ids_);
  made->first_ = Exactly(first_);
  made->bytes_ = AlignedArray<std::uint8_t>(bytes_.size());
  std::memcpy(made->bytes_.data(), bytes_.data(), bytes_.size());
  bytes_ = std::string();
  made->kept_ = std::vector<std::atomic<Kept*>>(ids_.size());
  const std::uint64_t buckets = std::bit_ceil(std::max<std::uint64_t>(id_.size() / kBucket, 2));
  made->bucket_shift_ = 64 - std::countr_zero(buckets);
  const auto bucket = [&](std::size_t i) { return hash_[i] >> made->bucket_shift_; };
  // Counted, summed up, placed: ids ascend within a bucket.
  std::vector<std::uint32_t> starts(buckets + 1, 0);
  for (std::size_t i = 0; i < id_.size(); ++i) ++starts[bucket(i) + 1];
  for (std::uint64_t b = 0; b < buckets; ++b) starts[b + 1] += starts[b];
  made->starts_ = Exactly(starts);
  made->id_ = AlignedArray<std::uint32_t>(id_.size());
  made->tag_ = AlignedArray<std::uint8_t>(id_.size());
  AlignedArray<std::uint64_t> hashes(id_.size());  // by place
  for (std::size_t i = 0; i < id_.size(); ++i) {
    const std::uint32_t place = starts[bucket(i)]++;
    made->id_[place] = id_[i];
    made->tag_[place] = static_cast<std::uint8_t>(hash_[i]);
    hashes[place] = hash_[i];
  }
  Unpacked unpacked;
  for (std::uint64_t b = 0; b < buckets; ++b)
    for (std::uint32_t i = made->starts_[b]; i < made->starts_[b + 1]; ++i)
      for (std::uint32_t j = made->starts_[b]; j < i; ++j)
        if (hashes[i] == hashes[j] && made->Equals(made->id_[j], made->Get(made->id_[i], unpacked)))
          *twice = true;
  if (*twice) return nullptr;
  return made;
}

std::uint32_t ColdStrings::Rank(std::uint32_t id) const {
  const std::uint64_t below = ids_[id / kBlockIds] & ((std::uint64_t{1} << id % kBlockIds) - 1);
  return static_cast<std::uint32_t>(std::popcount(below));
}

void ColdStrings::Unpack(std::size_t block, Unpacked& into) const {
  into.block = ~std::size_t{0};
  into.bytes.clear();
  const std::uint8_t* at = bytes_.data() + first_[block];
  const auto count = static_cast<std::uint32_t>(std::popcount(ids_[block]));
  into.ends[0] = 0;
  std::uint32_t before = 0;  // where the text before begins
  for (std::uint32_t i = 0; i < count; ++i) {
    const Step step = ReadStep(at);
    const std::uint32_t begin = into.ends[i];
    const std::uint32_t kept = begin - before - step.drop;
    into.bytes.resize(begin + kept + step.count);
    char* text = into.bytes.data() + begin;
    std::memcpy(text, into.bytes.data() + before, kept);
    std::memcpy(text + kept, step.bytes, step.count);
    before = begin;
    into.ends[i + 1] = static_cast<std::uint32_t>(into.bytes.size());
  }
  into.block = block;
}

std::string_view ColdStrings::Get(std::uint32_t id, Unpacked& unpacked) const {
  if (unpacked.block != id / kBlockIds) Unpack(id / kBlockIds, unpacked);
  const std::uint32_t rank = Rank(id);
  return std::string_view(unpacked.bytes)
      .substr(unpacked.ends[rank], unpacked.ends[rank + 1] - unpacked.ends[rank]);
}

std::string_view ColdStrings::Get(std::uint32_t id) const {
  const std::size_t block = id / kBlockIds;
  Kept* kept = kept_[block].load(std::memory_order_acquire);
  if (!kept) {
    Unpacked unpacked;
    Unpack(block, unpacked);
    auto made = std::make_unique<Kept>();
    made->ends = unpacked.ends;
    made->bytes = std::make_unique_for_overwrite<char[]>(unpacked.bytes.size() + 1);
    std::memcpy(made->bytes.get(), unpacked.bytes.data(), unpacked.bytes.size());
    if (kept_[block].compare_exchange_strong(kept, made.get(), std::memory_order_acq_rel)) {
      kept = made.release();
      kept_bytes_.fetch_add(sizeof(Kept) + unpacked.bytes.size(), std::memory_order_relaxed);
    }
  }
  const std::uint32_t rank = Rank(id);
  return {kept->bytes.get() + kept->ends[rank], kept->ends[rank + 1] - kept->ends[rank]};
}

// Walks the block without unpacking it: what the texts so far share with `text` is enough.
bool ColdStrings::Equals(std::uint32_t id, std::string_view text) const {
  const std::uint8_t* at = bytes_.data() + first_[id / kBlockIds];
  std::size_t size = 0, same = 0;  // of the text that was read last: its bytes, and those in common
  for (std::uint32_t i = 0, rank = Rank(id); i <= rank; ++i) {
    const Step step = ReadStep(at);
    const std::size_t kept = size - step.drop;
    if (kept <= same)
      same = kept + CommonPrefix({reinterpret_cast<const char*>(step.bytes), step.count},
                                 text.substr(kept));
    size = kept + step.count;
  }
  return size == text.size() && same == size;
}

std::optional<std::uint32_t> ColdStrings::Find(std::string_view text, std::uint64_t hash) const {
  const std::uint64_t bucket = hash >> bucket_shift_;
  for (std::uint32_t i = starts_[bucket]; i < starts_[bucket + 1]; ++i)
    if (tag_[i] == static_cast<std::uint8_t>(hash) && Equals(id_[i], text)) return id_[i];
  return std::nullopt;
}

std::uint64_t ColdStrings::size_bytes() const {
  return ids_.size_bytes() + first_.size_bytes() + bytes_.size_bytes() + starts_.size_bytes() +
         id_.size_bytes() + tag_.size_bytes() + kept_.size() * sizeof(kept_[0]) +
         kept_bytes_.load(std::memory_order_relaxed);
}

}  // namespace plexus
