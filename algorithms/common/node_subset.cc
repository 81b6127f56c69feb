// NodeSubset: making, meeting and listing sets of nodes; and which scopes nodes have, by the kept
// order of scopes or by looking at every node.
#include "algorithms/common/common.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "algorithms/common/internal/node_order.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus {

using common_internal::NodeOrder;

namespace {

constexpr NodeId kLookEvery = 1 << 14;

std::unexpected<Error> Late() {
  return Cancelled("which nodes are in the scopes was not found in time");
}

template <class List, class T>
bool Has(const List& list, const T& value) {
  return std::ranges::find(list, value) != list.end();
}

struct Words {
  explicit Words(NodeId count) : bits((std::size_t{count} + 63) / 64) {}
  void Set(NodeId v) { bits[v / 64] |= std::uint64_t{1} << (v % 64); }
  void Clear(NodeId v) { bits[v / 64] &= ~(std::uint64_t{1} << (v % 64)); }
  std::vector<std::uint64_t> bits;
};

template <class Test>
NodeSubset Where(NodeId count, Test&& test) {
  Words words(count);
  for (NodeId v = 0; v < count; ++v)
    if (test(v)) words.Set(v);
  return NodeSubset(count, std::move(words.bits));
}

// Nodes of one key of an order.
template <class Fn>
void ForEachOf(const NodeOrder& order, std::uint64_t key, Fn&& fn) {
  order.ForEach(order.Rank({key, 0}), order.Rank({key + 1, 0}), false, [&](NodeOrder::Entry entry) {
    fn(entry.node);
    return true;
  });
}

}  // namespace

NodeSubset::NodeSubset(NodeId capacity, std::vector<std::uint64_t> words) : capacity_(capacity) {
  PLEXUS_CHECK(words.size() == (std::size_t{capacity} + 63) / 64, "one bit per node");
  if (capacity % 64) words.back() &= (std::uint64_t{1} << (capacity % 64)) - 1;
  for (std::uint64_t w : words) count_ += static_cast<std::uint64_t>(std::popcount(w));
  const auto all = std::make_shared<const std::vector<std::uint64_t>>(std::move(words));
  for (std::size_t w = 0; w < all->size(); w += kPageWords) {
    pages_.push_back(all->data() + w);
    owners_.push_back(all);
  }
}

NodeSubset NodeSubset::With(NodeId capacity, std::span<const Change> changed) const {
  NodeSubset made = *this;
  const std::size_t pages = (std::size_t{capacity} + kPageNodes - 1) / kPageNodes;
  made.capacity_ = capacity;
  made.pages_.resize(pages, nullptr);
  made.owners_.resize(pages);
  std::vector<std::uint64_t*> own(pages, nullptr);  // the pages that only this set owns
  auto writable = [&](std::size_t page) {
    if (own[page]) return own[page];
    auto words = std::make_shared<std::array<std::uint64_t, kPageWords>>();
    const std::size_t first = page * kPageWords;
    if (pages_.size() > page)
      std::copy_n(pages_[page], std::min(kPageWords, word_count() - first), words->data());
    own[page] = words->data();
    made.pages_[page] = own[page];
    made.owners_[page] = std::move(words);
    return own[page];
  };
  if (capacity > capacity_)  // their words may end with the old capacity
    for (std::size_t page = capacity_ / kPageNodes; page < pages; ++page) writable(page);
  for (const Change& change : changed) {
    const std::size_t page = change.node / kPageNodes;
    const std::size_t at = change.node % kPageNodes / 64;
    const std::uint64_t bit = std::uint64_t{1} << (change.node % 64);
    if (static_cast<bool>(made.pages_[page][at] & bit) == change.member) continue;
    writable(page)[at] ^= bit;
    made.count_ += change.member ? 1 : ~std::uint64_t{0};
  }
  return made;
}

std::uint64_t NodeSubset::size_bytes() const {
  return word_count() * 8 + pages_.capacity() * sizeof(pages_[0]) +
         owners_.capacity() * sizeof(owners_[0]);
}

NodeSubset NodeSubset::Facts(const Snapshot& snapshot) {
  return Where(snapshot.node_count(),
               [&](NodeId v) { return snapshot.alive(v) && snapshot.is_fact(v); });
}

NodeSubset NodeSubset::Alive(const Snapshot& snapshot) {
  return Where(snapshot.node_count(), [&](NodeId v) { return snapshot.alive(v); });
}

NodeSubset NodeSubset::OfKinds(const Snapshot& snapshot, std::span<const NodeKindId> kinds,
                               bool keep_orders) {
  const auto order =
      keep_orders ? NodeOrder::OfKinds(snapshot) : NodeOrder::Kept(snapshot, std::nullopt);
  if (!order)
    return Where(snapshot.node_count(),
                 [&](NodeId v) { return snapshot.alive(v) && Has(kinds, snapshot.node_kind(v)); });
  Words words(snapshot.node_count());
  for (const NodeKindId kind : kinds)
    ForEachOf(*order, kind.value(), [&](NodeId v) { words.Set(v); });
  return NodeSubset(snapshot.node_count(), std::move(words.bits));
}

namespace {

// A scope's name is looked at once per interned string, not once per node.
Result<NodeSubset> ScanScopes(const Snapshot& snapshot, std::span<const std::string_view> scopes,
                              bool absent_counts, const Budget& budget) {
  std::vector<std::int8_t> known;  // by StringId: -1 not looked at, 0 no, 1 yes
  bool late = false;
  NodeSubset found = Where(snapshot.node_count(), [&](NodeId v) {
    if (v % kLookEvery == 0 && v > 0 && !late) late = budget.Interrupted();
    if (late || !snapshot.alive(v) || !snapshot.is_fact(v)) return false;
    const auto id = snapshot.string_column(builtin::kScope, v);
    if (!id) return absent_counts;
    if (*id >= known.size()) known.resize(*id + std::size_t{1}, -1);
    if (known[*id] < 0) known[*id] = Has(scopes, snapshot.string(*id));
    return known[*id] == 1;
  });
  if (late) return Late();
  return found;
}

}  // namespace

Result<NodeSubset> NodeSubset::InScopes(const Snapshot& snapshot,
                                        std::span<const std::string_view> scopes, bool keep_orders,
                                        const Budget& budget) {
  const bool absent_counts = Has(scopes, std::string_view(builtin::kDefaultScope));
  const auto order = keep_orders ? NodeOrder::OfColumn(snapshot, builtin::kScope)
                                 : NodeOrder::Kept(snapshot, builtin::kScope);
  if (!order) return ScanScopes(snapshot, scopes, absent_counts, budget);
  Words words(snapshot.node_count());
  if (absent_counts) {
    std::vector<NodeKindId> facts;
    const auto& kinds = snapshot.schema().node_kinds();
    for (std::size_t k = 0; k < kinds.size(); ++k)
      if (kinds[k].plane == Plane::kFact) facts.push_back(NodeKindId(static_cast<KindId>(k)));
    words.bits = OfKinds(snapshot, facts, keep_orders).ToWords();
    if (snapshot.node_count() > kLookEvery && budget.Interrupted()) return Late();
    order->ForEach(0, order->size(), false, [&](NodeOrder::Entry entry) {
      words.Clear(entry.node);
      return true;
    });
  }
  for (const std::string_view scope : scopes)
    if (const auto id = snapshot.FindString(scope))
      ForEachOf(*order, *id, [&](NodeId v) {
        if (snapshot.is_fact(v)) words.Set(v);
      });
  return NodeSubset(snapshot.node_count(), std::move(words.bits));
}

Result<NodeSubset> NodeSubset::Of(const Snapshot& snapshot, std::span<const NodeId> nodes) try {
  const NodeId count = snapshot.node_count();
  Words words(count);
  for (NodeId v : nodes) {
    if (v >= count) return Invalid("node id ", v, " is not below the graph's ", count, " nodes");
    words.Set(v);
  }
  return NodeSubset(count, std::move(words.bits));
}
PLEXUS_CATCH_NO_MEMORY

NodeSubset NodeSubset::Intersect(const NodeSubset& other) const {
  const NodeId capacity = std::min(capacity_, other.capacity_);
  std::vector<std::uint64_t> words((std::size_t{capacity} + 63) / 64);
  for (std::size_t w = 0; w < words.size(); ++w) words[w] = word(w) & other.word(w);
  return NodeSubset(capacity, std::move(words));
}

NodeSubset NodeSubset::Except(const NodeSubset& other) const {
  std::vector<std::uint64_t> words = ToWords();
  for (std::size_t w = 0; w < std::min(words.size(), other.word_count()); ++w)
    words[w] &= ~other.word(w);
  return NodeSubset(capacity_, std::move(words));
}

std::vector<std::uint64_t> NodeSubset::ToWords() const {
  std::vector<std::uint64_t> words(word_count());
  for (std::size_t w = 0; w < words.size(); ++w) words[w] = word(w);
  return words;
}

NodeSubset NodeSubset::Unite(const NodeSubset& other) const {
  std::vector<std::uint64_t> words(word_count());
  for (std::size_t w = 0; w < words.size(); ++w)
    words[w] = word(w) | (w < other.word_count() ? other.word(w) : 0);
  return NodeSubset(capacity_, std::move(words));
}

std::vector<NodeId> NodeSubset::ToList() const {
  std::vector<NodeId> list;
  list.reserve(count_);
  for (std::size_t w = 0; w < word_count(); ++w)
    for (std::uint64_t bits = word(w); bits; bits &= bits - 1)
      list.push_back(static_cast<NodeId>(w * 64 + std::countr_zero(bits)));
  return list;
}

bool NodeSubset::operator==(const NodeSubset& other) const {
  if (count_ != other.count_) return false;
  const std::size_t common = std::min(word_count(), other.word_count());
  for (std::size_t first = 0; first < common; first += kPageWords) {
    const std::uint64_t *mine = pages_[first / kPageWords], *its = other.pages_[first / kPageWords];
    if (mine != its && !std::equal(mine, mine + std::min(kPageWords, common - first), its))
      return false;
  }
  return true;
}

Result<std::vector<StringId>> ScopesInUse(const Snapshot& snapshot, const Budget& budget) {
  constexpr std::uint64_t kPollInterval = 1 << 12;  // between two looks at the clock
  const auto late = [] { return Cancelled("which scopes there are was not found in time"); };
  std::vector<StringId> scopes;
  if (const auto order = NodeOrder::Kept(snapshot, builtin::kScope)) {
    for (std::uint64_t rank = 0; rank < order->size();) {
      if (scopes.size() % kPollInterval == 0 && budget.Interrupted()) return late();
      const std::uint64_t scope = order->At(rank).key;
      scopes.push_back(static_cast<StringId>(scope));
      rank = order->Rank({scope + 1, 0});
    }
    return scopes;
  }
  std::vector<bool> met;  // by StringId
  for (NodeId v = 0; v < snapshot.node_count(); ++v) {
    if (v % kPollInterval == 0 && budget.Interrupted()) return late();
    if (!snapshot.alive(v)) continue;
    const auto scope = snapshot.string_column(builtin::kScope, v);
    if (!scope) continue;
    if (*scope >= met.size()) met.resize(*scope + std::size_t{1});
    if (!met[*scope]) scopes.push_back(*scope);
    met[*scope] = true;
  }
  std::ranges::sort(scopes);
  return scopes;
}

Result<std::vector<std::string_view>> UnusedScopes(const Snapshot& snapshot,
                                                   std::span<const std::string_view> scopes,
                                                   const Budget& budget) {
  std::vector<std::string_view> unused;
  const auto order = NodeOrder::Kept(snapshot, builtin::kScope);
  std::vector<StringId> used;
  if (!order) PLEXUS_SET(used, ScopesInUse(snapshot, budget));
  for (const std::string_view scope : scopes) {
    if (scope == builtin::kDefaultScope) continue;
    const auto id = snapshot.FindString(scope);
    const bool is_used = id && (order ? order->Rank({*id, 0}) < order->Rank({*id + 1ull, 0})
                                      : std::ranges::binary_search(used, *id));
    if (!is_used) unused.push_back(scope);
  }
  return unused;
}

}  // namespace plexus
