// The few old sets are indexed by their first elements, the others look there, on all threads. What
// two can have in common is bounded by where they meet and by a bit for each element (the bitmap
// filter: Sandes, Teodoro, Melo, "Bitmap filter: speeding up exact set similarity joins with
// bitwise operations", 2020).
// Vectors: the exact scan, then those that are too far are dropped.
#include "algorithms/memory/conflicts/internal/near_words.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/common/internal/node_map.h"
#include "algorithms/common/internal/object_pool.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/simd_dispatch.h"
#include "engine/parallel.h"
#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

namespace {

using Key = WordSets::Key;
using common_internal::NodeMap;

constexpr EdgeKindId kWordKinds[] = {builtin::kHasTag, builtin::kHasTerm};
constexpr double kNoneIsLost = 0.999;  // for rounding

// A bit for each element, of 64: with fewer in common than these allow two sets are not compared.
std::uint64_t SignatureOf(std::span<const Key> set) {
  std::uint64_t signature = 0;
  for (const Key key : set)
    signature |= std::uint64_t{1} << (WordSets::NodeOf(key) * 0x9E3779B97F4A7C15u >> 58);
  return signature;
}

// Of an old set with this first element.
struct Entry {
  std::uint64_t signature;
  std::uint32_t old, size, rest;  // rest: elements from this one on
};
// The set that meets them.
struct Probed {
  std::uint64_t signature = 0;
  std::size_t size = 0, rest = 0;
  double share = 0;  // of both sizes, that must be in common
};

// Appends the old sets that may have enough in common.
[[gnu::always_inline]] inline void ScanEntries(std::span<const Entry> entries, const Probed& own,
                                               std::vector<std::uint32_t>& out) {
  for (const Entry& entry : entries) {
    const auto alone = static_cast<std::size_t>(std::popcount(own.signature & ~entry.signature)),
               theirs = static_cast<std::size_t>(std::popcount(entry.signature & ~own.signature));
    const std::size_t most = std::min(
        {own.rest, std::size_t{entry.rest}, own.size - alone, std::size_t{entry.size} - theirs});
    if (static_cast<double>(most) >= own.share * static_cast<double>(own.size + entry.size))
      out.push_back(entry.old);
  }
}
using Scanner = void (*)(std::span<const Entry>, const Probed&, std::vector<std::uint32_t>&);
void ScanScalar(std::span<const Entry> entries, const Probed& own,
                std::vector<std::uint32_t>& out) {
  ScanEntries(entries, own, out);
}
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("popcnt"))) void ScanPopcount(std::span<const Entry> entries,
                                                    const Probed& own,
                                                    std::vector<std::uint32_t>& out) {
  ScanEntries(entries, own, out);
}
// Machines with AVX2 count bits in one instruction.
constexpr common_internal::SimdTable<Scanner> kScan{&ScanScalar, &ScanPopcount};
#else
constexpr common_internal::SimdTable<Scanner> kScan{&ScanScalar};
#endif

class WordJoin {
 public:
  WordJoin(const Snapshot& snapshot, const NodeSubset& others, double least, const RunOptions& run)
      : snapshot_(snapshot),
        others_(others),
        least_(least),
        budget_(run.budget),
        executor_(common_internal::Pick(run.executor)),
        sets_(snapshot),
        lists_(snapshot.node_count()) {}

  WordPairs Run(std::span<const NodeId> old) {
    std::vector<Key> keys;
    for (std::size_t i = 0; i < old.size() && !result_.truncated; ++i) Index(old[i], keys);
    if (!result_.truncated) Probe(Probes());
    std::ranges::sort(result_.pairs, {},
                      [](const WordPair& p) { return std::tuple(p.old, p.other); });
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kChunk = 1024;  // nodes that one thread asks for

  // Of a thread.
  struct Worker {
    std::vector<Key> keys;
    std::vector<NodeId> seen;  // by old: the other that met it last
    std::vector<std::uint32_t> passed;
  };

  bool Interrupted(std::uint64_t reads) const { return reads % 256 == 0 && budget_.Interrupted(); }

  void Index(NodeId node, std::vector<Key>& keys) {
    sets_.Read(node, keys);
    const auto old = static_cast<std::uint32_t>(ends_.size());
    result_.edges += keys.size();
    if (result_.edges > budget_.edges || Interrupted(old)) result_.truncated = true;
    if (result_.truncated) return;
    const std::uint64_t signature = SignatureOf(keys);
    const auto size = static_cast<std::uint32_t>(keys.size());
    const std::size_t prefix = keys.empty() ? 0 : WordSets::Prefix(keys.size(), least_);
    for (std::uint32_t i = 0; i < prefix; ++i) {
      std::uint32_t& list = lists_.at(WordSets::NodeOf(keys[i]));
      if (list == NodeMap::kAbsent) {
        list = static_cast<std::uint32_t>(entries_.size());
        entries_.emplace_back();
        firsts_.push_back(keys[i]);
      }
      entries_[list].push_back({signature, old, size, size - i});
    }
    keys_.insert(keys_.end(), keys.begin(), keys.end());
    ends_.push_back(keys_.size());
  }
  std::span<const Key> SetOf(std::uint32_t old) const {
    const std::size_t begin = old == 0 ? 0 : ends_[old - 1];
    return std::span(keys_).subspan(begin, ends_[old] - begin);
  }

  // Who may have a first element of an old set; ascending. None when the budget ends here.
  std::vector<NodeId> Probes() {
    std::uint64_t carriers = 0;
    for (const Key first : firsts_) carriers += WordSets::RarityOf(first);
    if (carriers >= snapshot_.node_count() / 4) return others_.ToList();
    std::vector<NodeId> found;
    for (const Key first : firsts_) {
      snapshot_.ForEachArc(Direction::kIn, WordSets::NodeOf(first), sets_.filter(),
                           [&](const Arc& arc) {
                             ++result_.edges;
                             if (others_.contains(arc.neighbor)) found.push_back(arc.neighbor);
                           });
      if (result_.edges > budget_.edges || budget_.Interrupted()) result_.truncated = true;
      if (result_.truncated) return {};
    }
    std::ranges::sort(found);
    const auto rest = std::ranges::unique(found);
    found.erase(rest.begin(), rest.end());
    return found;
  }

  // Chunks of some threads at once, taken in order; one that the budget ends in is read again, so
  // that the answer is that of one thread.
  void Probe(std::span<const NodeId> probes) {
    const auto at_once = 4 * static_cast<std::size_t>(executor_.thread_count());
    const auto chunk_at = [&](std::size_t first) {
      return probes.subspan(first, std::min(kChunk, probes.size() - first));
    };
    for (std::size_t first = 0; first < probes.size(); first += at_once * kChunk) {
      std::vector<WordPairs> found(
          std::min(at_once, (probes.size() - first + kChunk - 1) / kChunk));
      const std::uint64_t left = budget_.edges - result_.edges;
      RunBlocks(executor_, found.size(),
                [&](std::size_t c) { found[c] = ProbeChunk(chunk_at(first + c * kChunk), left); });
      for (std::size_t c = 0; c < found.size() && !result_.truncated; ++c) {
        if (const std::uint64_t now = budget_.edges - result_.edges; found[c].edges > now) {
          workers_.idle().clear();  // they have seen these nodes
          found[c] = ProbeChunk(chunk_at(first + c * kChunk), now);
        }
        result_.edges += found[c].edges;
        result_.truncated = found[c].truncated;
        result_.pairs.insert(result_.pairs.end(), found[c].pairs.begin(), found[c].pairs.end());
      }
      if (result_.truncated) return;
    }
  }

  WordPairs ProbeChunk(std::span<const NodeId> probes, std::uint64_t most_edges) {
    const auto worker = workers_.Acquire();
    worker->seen.resize(ends_.size(), kNoNode);
    WordPairs found;
    std::uint64_t reads = 0;
    const auto spend = [&](std::uint64_t edges) {
      found.edges += edges;
      if (found.edges > most_edges || Interrupted(reads++)) found.truncated = true;
      return !found.truncated;
    };
    for (const NodeId v : probes) {
      sets_.Read(v, worker->keys);
      const std::span<const Key> own = worker->keys;
      if (!spend(own.size())) return found;
      Probed probed{SignatureOf(own), own.size(), own.size(), least_ / (1 + least_) * kNoneIsLost};
      const std::size_t prefix = own.empty() ? 0 : WordSets::Prefix(own.size(), least_);
      for (std::size_t i = 0; i < prefix; ++i, --probed.rest) {
        const std::uint32_t list = lists_.get(WordSets::NodeOf(own[i]));
        if (list == NodeMap::kAbsent) continue;
        if (!spend(entries_[list].size())) return found;
        worker->passed.clear();
        kScan.Find(SimdLevel::kBest)(entries_[list], probed, worker->passed);
        for (const std::uint32_t old : worker->passed) {
          if (std::exchange(worker->seen[old], v) == v) continue;
          const SharedWords words = CompareWords(SetOf(old), own);
          if (words.jaccard >= least_) found.pairs.push_back({old, v, words});
        }
      }
    }
    return found;
  }

  const Snapshot& snapshot_;
  const NodeSubset& others_;
  const double least_;
  const Budget& budget_;
  Executor& executor_;
  const WordSets sets_;
  NodeMap lists_;  // element -> list of entries_
  std::vector<std::vector<Entry>> entries_;
  std::vector<Key> firsts_;  // the element of each list
  std::vector<Key> keys_;    // of all old sets
  std::vector<std::size_t> ends_;
  common_internal::ObjectPool<Worker> workers_;
  WordPairs result_;
};

}  // namespace

WordSets::WordSets(const Snapshot& snapshot)
    : snapshot_(snapshot),
      rows_(snapshot.base_rows(Direction::kIn)),
      filter_(ArcFilter::Kinds(snapshot.schema(), kWordKinds)) {}

void WordSets::Read(NodeId node, std::vector<Key>& keys) const {
  keys.clear();
  const NodeId in_base = snapshot_.base_node_count();
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
                      const NodeSubset& others, double least, const RunOptions& run) {
  return WordJoin(snapshot, others, least, run).Run(old);
}

Result<retrieval::NearestResult> NearVectors(const Snapshot& snapshot, NodeId node,
                                             std::string_view space, double least,
                                             const NodeSubset& allowed, std::size_t top,
                                             const RunOptions& run) {
  retrieval::NearestResult none;
  const auto id = snapshot.schema().FindSpace(space);
  if (!id || !(least <= 1)) return none;
  PLEXUS_ASSIGN(const VectorView* vectors, snapshot.vectors(*id));
  if (!vectors->has(node)) return none;
  retrieval::NearestOptions options;
  options.metric = Metric::kCosine;
  options.subset = &allowed;
  options.skip = node;
  options.top = top;
  options.run = run;
  VectorBuffer values;
  PLEXUS_ASSIGN(retrieval::NearestResult result,
                retrieval::Nearest(snapshot, *id, vectors->vector(node, values), options));
  std::erase_if(result.hits, [&](const retrieval::NearestHit& hit) { return hit.measure < least; });
  return result;
}

}  // namespace plexus::memory::internal
