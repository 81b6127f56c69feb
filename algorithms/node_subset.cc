// NodeSubset: making, meeting and listing sets of nodes.
#include "algorithms/node_subset.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "engine/vocabulary.h"

namespace plexus {

namespace {

template <class Test>
NodeSubset Where(NodeId count, Test&& test) {
  std::vector<std::uint64_t> words((std::size_t{count} + 63) / 64);
  for (NodeId v = 0; v < count; ++v)
    if (test(v)) words[v / 64] |= std::uint64_t{1} << (v % 64);
  return NodeSubset(count, std::move(words));
}

}  // namespace

NodeSubset::NodeSubset(NodeId capacity, std::vector<std::uint64_t> words)
    : capacity_(capacity), words_(std::move(words)) {
  PLEXUS_CHECK(words_.size() == (std::size_t{capacity} + 63) / 64, "one bit per node");
  if (capacity % 64) words_.back() &= (std::uint64_t{1} << (capacity % 64)) - 1;
  for (std::uint64_t w : words_) count_ += std::popcount(w);
}

NodeSubset NodeSubset::Facts(const Snapshot& snapshot) {
  return Where(snapshot.node_count(),
               [&](NodeId v) { return snapshot.alive(v) && snapshot.is_fact(v); });
}

NodeSubset NodeSubset::Alive(const Snapshot& snapshot) {
  return Where(snapshot.node_count(), [&](NodeId v) { return snapshot.alive(v); });
}

NodeSubset NodeSubset::InScopes(const Snapshot& snapshot,
                                std::span<const std::string_view> scopes) {
  // A scope's name is looked at once per interned string, not once per node.
  std::vector<std::int8_t> known;  // by StringId: -1 not looked at, 0 no, 1 yes
  auto named = [&](std::string_view name) {
    return std::find(scopes.begin(), scopes.end(), name) != scopes.end();
  };
  const bool absent_counts = named(kDefaultScope);
  return Where(snapshot.node_count(), [&](NodeId v) {
    if (!snapshot.alive(v) || !snapshot.is_fact(v)) return false;
    const auto id = snapshot.string_column(kScope, v);
    if (!id) return absent_counts;
    if (*id >= known.size()) known.resize(*id + std::size_t{1}, -1);
    if (known[*id] < 0) known[*id] = named(snapshot.string(*id));
    return known[*id] == 1;
  });
}

Result<NodeSubset> NodeSubset::Of(const Snapshot& snapshot, std::span<const NodeId> nodes) {
  const NodeId count = snapshot.node_count();
  std::vector<std::uint64_t> words((std::size_t{count} + 63) / 64);
  for (NodeId v : nodes) {
    if (v >= count)
      return Fail(ErrorCode::kInvalidArgument, "node id " + std::to_string(v) +
                                                   " is not below the graph's " +
                                                   std::to_string(count) + " nodes");
    words[v / 64] |= std::uint64_t{1} << (v % 64);
  }
  return NodeSubset(count, std::move(words));
}

NodeSubset NodeSubset::Intersect(const NodeSubset& other) const {
  const NodeId capacity = std::min(capacity_, other.capacity_);
  std::vector<std::uint64_t> words((std::size_t{capacity} + 63) / 64);
  for (std::size_t w = 0; w < words.size(); ++w) words[w] = words_[w] & other.words_[w];
  return NodeSubset(capacity, std::move(words));
}

NodeSubset NodeSubset::Unite(const NodeSubset& other) const {
  std::vector<std::uint64_t> words = words_;
  for (std::size_t w = 0; w < std::min(words.size(), other.words_.size()); ++w) words[w] |= other.words_[w];
  return NodeSubset(capacity_, std::move(words));
}

std::vector<NodeId> NodeSubset::ToList() const {
  std::vector<NodeId> list;
  list.reserve(count_);
  for (std::size_t w = 0; w < words_.size(); ++w)
    for (std::uint64_t bits = words_[w]; bits; bits &= bits - 1)
      list.push_back(static_cast<NodeId>(w * 64 + std::countr_zero(bits)));
  return list;
}

bool NodeSubset::operator==(const NodeSubset& other) const {
  const std::size_t common = std::min(words_.size(), other.words_.size());
  return count_ == other.count_ &&
         std::equal(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(common),
                    other.words_.begin());
}

}  // namespace plexus
