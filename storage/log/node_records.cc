// Filters of the nodes of records: made, halved, asked.
#include "storage/log/node_records.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

namespace plexus::storage_internal {

namespace {

constexpr std::uint64_t kLookEvery = 16;  // records, some of which are of megabytes
constexpr std::size_t kNodesOfWord = 4;   // where a filter begins; it is halved to what it needs
constexpr std::size_t kMostWordsOfRecord = std::size_t{1} << 24;  // what a Place can name

// Where a node's bits are, and which: six of a word.
struct Place {
  explicit Place(NodeId node) {
    // The finalizer of splitmix64.
    std::uint64_t h = node + 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    word = static_cast<std::size_t>(h >> 40);
    for (int i = 0; i < 6; ++i) bits |= std::uint64_t{1} << (h >> (6 * i) & 63);
  }
  std::size_t word = 0;  // less what the filter's size masks
  std::uint64_t bits = 0;
};

std::uint64_t CountBits(std::span<const std::uint64_t> words) {
  return std::transform_reduce(words.begin(), words.end(), std::uint64_t{0}, std::plus<>(),
                               [](std::uint64_t w) { return std::popcount(w); });
}

}  // namespace

std::uint64_t NodeRecords::bytes() const {
  return records_.capacity() * sizeof(Ends) + (words_.capacity() + filter_.capacity()) * 8;
}

void NodeRecords::Add(const RecordNodes& record) {
  const std::size_t wanted = std::min(record.named.size() / kNodesOfWord, kMostWordsOfRecord);
  std::size_t size = std::bit_ceil(std::max<std::size_t>(wanted, 1));
  filter_.assign(size, 0);
  for (const NodeId v : record.named) {
    if (v - record.first_node < record.new_nodes) continue;
    const Place place(v);
    filter_[place.word & (size - 1)] |= place.bits;
  }
  // At most half of the bits would be set then.
  while (size > 1 && CountBits(std::span(filter_).first(size)) <= 16 * size) {
    size /= 2;
    for (std::size_t i = 0; i < size; ++i) filter_[i] |= filter_[size + i];
  }
  const Ends before = records_.empty() ? Ends{0, first_node_} : records_.back();
  words_.resize(before.words);  // memory may have run out in the last call
  words_.insert(words_.end(), filter_.begin(), filter_.begin() + static_cast<std::ptrdiff_t>(size));
  const NodeId introduced = record.new_nodes
                                ? std::max(before.nodes, record.first_node + record.new_nodes)
                                : before.nodes;
  records_.push_back({static_cast<std::uint32_t>(words_.size()), introduced});
  if (words_.size() > most_words_ + records_.size()) HalveAll();
}

void NodeRecords::HalveAll() {
  std::size_t begin = 0, to = 0;
  for (Ends& ends : records_) {
    const std::size_t size = ends.words - begin, half = std::max<std::size_t>(size / 2, 1);
    for (std::size_t i = 0; i < half; ++i)
      words_[to + i] = words_[begin + i] | words_[begin + size - half + i];
    begin = ends.words;
    to += half;
    ends.words = static_cast<std::uint32_t>(to);
  }
  words_.resize(to);
}

void NodeRecords::DropUpTo(const LogPoint& floor) {
  const auto count = static_cast<std::size_t>(floor.sequence - begin_.sequence);
  if (count == 0) return;
  const Ends dropped = records_[count - 1];
  words_.erase(words_.begin(), words_.begin() + dropped.words);
  records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(count));
  for (Ends& ends : records_) ends.words -= dropped.words;
  first_node_ = dropped.nodes;
  begin_ = floor;
}

bool NodeRecords::KnowsBeginningOf(const std::shared_ptr<Rocks>& rocks,
                                   const LogPoint& floor) const {
  if (floor.sequence < begin_.sequence || floor.sequence > end_.sequence) return false;
  if (rocks_.lock() == rocks) return true;
  const auto there = PointAt(rocks, floor, end_.sequence);
  return there && there->hash == end_.hash;
}

Status NodeRecords::Follow(const std::shared_ptr<Rocks>& rocks, const LogPoint& floor,
                           Progress* progress) {
  if (KnowsBeginningOf(rocks, floor)) {
    DropUpTo(floor);
  } else {
    records_.clear();
    words_.clear();
    first_node_ = 0;
    begin_ = end_ = floor;
  }
  rocks_ = rocks;
  LogCursor cursor(rocks, end_);
  RecordNodes nodes;
  for (std::uint64_t read = 0;; ++read) {
    if (read % kLookEvery == 0 && progress && !progress->Report("history", read, 0))
      return Cancelled("the log was not read to its end");
    PLEXUS_ASSIGN(const bool more, cursor.NextNodes(nodes));
    if (!more) return {};
    Add(nodes);
    end_ = cursor.point();
  }
}

std::vector<Sequence> NodeRecords::Of(NodeId node) const {
  std::vector<Sequence> found;
  const Place place(node);
  Ends before{0, first_node_};
  Sequence sequence = begin_.sequence;
  for (const Ends& ends : records_) {
    ++sequence;
    const std::uint64_t word =
        words_[before.words + (place.word & (ends.words - before.words - 1))];
    if ((word & place.bits) == place.bits || (node >= before.nodes && node < ends.nodes))
      found.push_back(sequence);
    before = ends;
  }
  return found;
}

}  // namespace plexus::storage_internal
