// The few old sets are indexed by their first elements, the others look there one after the other.
#include "algorithms/memory/conflicts/internal/near_words.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "algorithms/common/internal/node_map.h"
#include "engine/vocabulary.h"

namespace plexus::memory_internal {
namespace {

using Key = WordSets::Key;
using internal::NodeMap;

constexpr EdgeKindId kWordKinds[] = {kHasTag, kHasTerm};
constexpr double kNoneIsLost = 0.999;  // for rounding

class WordJoin {
 public:
  WordJoin(const Snapshot& snapshot, const NodeSubset& others, double least, const Budget& budget)
      : snapshot_(snapshot),
        others_(others),
        least_(least),
        budget_(budget),
        sets_(snapshot),
        lists_(snapshot.node_count()) {}

  WordPairs Run(std::span<const NodeId> old) {
    for (const NodeId node : old)
      if (!Index(node)) break;
    seen_.assign(old.size(), kNoNode);
    if (!result_.truncated) Probe();
    std::ranges::sort(result_.pairs, {},
                      [](const WordPair& p) { return std::tuple(p.old, p.other); });
    return std::move(result_);
  }

 private:
  struct Entry {
    std::uint32_t old, place;
  };

  bool Spend(std::uint64_t edges) {
    result_.edges += edges;
    if (result_.edges > budget_.edges || (reads_++ % 1024 == 0 && budget_.Interrupted()))
      result_.truncated = true;
    return !result_.truncated;
  }

  bool Index(NodeId node) {
    sets_.Read(node, own_);
    if (!Spend(own_.size())) return false;
    const auto index = static_cast<std::uint32_t>(ends_.size());
    const std::size_t prefix = own_.empty() ? 0 : WordSets::Prefix(own_.size(), least_);
    for (std::size_t i = 0; i < prefix; ++i) {
      std::uint32_t& list = lists_.at(WordSets::NodeOf(own_[i]));
      if (list == NodeMap::kAbsent) {
        list = static_cast<std::uint32_t>(entries_.size());
        entries_.emplace_back();
        firsts_.push_back(own_[i]);
      }
      entries_[list].push_back({index, static_cast<std::uint32_t>(i)});
    }
    keys_.insert(keys_.end(), own_.begin(), own_.end());
    ends_.push_back(keys_.size());
    return true;
  }
  std::span<const Key> SetOf(std::uint32_t old) const {
    const std::size_t begin = old == 0 ? 0 : ends_[old - 1];
    return std::span(keys_).subspan(begin, ends_[old] - begin);
  }

  void Probe() {
    std::uint64_t carriers = 0;
    for (const Key first : firsts_) carriers += WordSets::RarityOf(first);
    if (carriers >= snapshot_.node_count() / 4) {
      for (NodeId v = 0; v < snapshot_.node_count(); ++v)
        if (others_.contains(v) && !ProbeOne(v)) return;
      return;
    }
    std::vector<NodeId> found;
    for (const Key first : firsts_) {
      const std::size_t before = found.size();
      snapshot_.ForEachArc(Direction::kIn, WordSets::NodeOf(first), sets_.filter(),
                           [&](const Arc& arc) { found.push_back(arc.neighbor); });
      if (!Spend(found.size() - before)) return;
    }
    std::ranges::sort(found);
    const auto rest = std::ranges::unique(found);
    found.erase(rest.begin(), rest.end());
    for (const NodeId v : found)
      if (others_.contains(v) && !ProbeOne(v)) return;
  }

  bool ProbeOne(NodeId v) {
    sets_.Read(v, own_);
    if (!Spend(own_.size())) return false;
    const std::size_t prefix = own_.empty() ? 0 : WordSets::Prefix(own_.size(), least_);
    for (std::size_t i = 0; i < prefix; ++i) {
      const std::uint32_t list = lists_.get(WordSets::NodeOf(own_[i]));
      if (list == NodeMap::kAbsent) continue;
      if (!Spend(entries_[list].size())) return false;
      for (const Entry& entry : entries_[list]) Meet(v, i, entry);
    }
    return true;
  }

  // The first common element decides: all that are common and rarer would have been met before.
  void Meet(NodeId v, std::size_t place, const Entry& entry) {
    if (seen_[entry.old] == v) return;
    seen_[entry.old] = v;
    const std::span<const Key> theirs = SetOf(entry.old);
    const std::size_t most = std::min(own_.size() - place, theirs.size() - entry.place);
    const double needed =
        least_ / (1 + least_) * static_cast<double>(own_.size() + theirs.size()) * kNoneIsLost;
    if (static_cast<double>(most) < needed) return;
    const SharedWords words = CompareWords(theirs, own_);
    if (words.jaccard >= least_) result_.pairs.push_back({entry.old, v, words});
  }

  const Snapshot& snapshot_;
  const NodeSubset& others_;
  const double least_;
  const Budget& budget_;
  const WordSets sets_;
  NodeMap lists_;  // element -> list of entries_
  std::vector<std::vector<Entry>> entries_;
  std::vector<Key> firsts_;  // the element of each list
  std::vector<Key> keys_;    // of all old sets
  std::vector<std::size_t> ends_;
  std::vector<NodeId> seen_;  // by old: the other that met it last
  std::vector<Key> own_;
  WordPairs result_;
  std::uint64_t reads_ = 0;
};

}  // namespace

WordSets::WordSets(const Snapshot& snapshot)
    : snapshot_(snapshot),
      rows_(snapshot.base().view(Direction::kIn)),
      filter_(ArcFilter::Kinds(snapshot.schema(), kWordKinds)) {}

void WordSets::Read(NodeId node, std::vector<Key>& keys) const {
  keys.clear();
  const NodeId in_base = snapshot_.base().node_count;
  snapshot_.ForEachArc(Direction::kOut, node, filter_, [&](const Arc& arc) {
    const std::uint64_t arcs = arc.neighbor < in_base ? rows_.degree(arc.neighbor) : 0;
    keys.push_back(std::min<std::uint64_t>(arcs, 0xFFFFFFFFu) << 32 | arc.neighbor);
  });
  std::ranges::sort(keys);
  const auto rest = std::ranges::unique(keys);
  keys.erase(rest.begin(), rest.end());
}

std::size_t WordSets::Prefix(std::size_t size, double least) {
  const double needed = std::floor(least * static_cast<double>(size) * kNoneIsLost);
  return size - std::max<std::size_t>(1, static_cast<std::size_t>(needed)) + 1;
}

SharedWords CompareWords(std::span<const Key> a, std::span<const Key> b) {
  std::uint64_t both = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    both += a[i] == b[j];
    const bool first = a[i] <= b[j], second = b[j] <= a[i];
    i += first;
    j += second;
  }
  return {static_cast<double>(both) / static_cast<double>(a.size() + b.size() - both), both};
}

WordPairs JoinByWords(const Snapshot& snapshot, std::span<const NodeId> old,
                      const NodeSubset& others, double least, const Budget& budget) {
  return WordJoin(snapshot, others, least, budget).Run(old);
}

}  // namespace plexus::memory_internal
