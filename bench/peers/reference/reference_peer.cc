// peer_reference: every work the slow and obvious way, one thread unless said.
//
// What all other answers are compared with. Its own time counts in two rows only: pairs and
// similar-pairs, where it is the accumulator over lists without pruning, on all threads.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "bench/peers/centrality.h"
#include "bench/peers/connectivity.h"
#include "bench/peers/peer.h"
#include "bench/peers/reference/louvain.h"
#include "bench/peers/reference/power_iteration.h"
#include "bench/peers/structure.h"
#include "bench/peers/traversal.h"

namespace {

using namespace plexus::peers;  // NOLINT: a program of one file

Answer Bfs(const Arcs& arcs, const std::vector<std::uint32_t>& offsets,
           const std::vector<std::uint32_t>& starts) {
  Answer answer;
  for (std::uint32_t start : starts) {
    Answer depth(arcs.nodes, -1);
    std::vector<std::uint32_t> queue = {start};
    depth[start] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (std::uint32_t a = offsets[queue[i]]; a < offsets[queue[i] + 1]; ++a)
        if (const std::uint32_t v = arcs.targets[a]; depth[v] < 0) {
          depth[v] = depth[queue[i]] + 1;
          queue.push_back(v);
        }
    answer.insert(answer.end(), depth.begin(), depth.end());
  }
  return answer;
}

// Labels sink to the smallest of the component.
Answer Components(const Arcs& arcs) {
  std::vector<std::uint32_t> label(arcs.nodes);
  std::iota(label.begin(), label.end(), 0u);
  auto root = [&](std::uint32_t v) {
    while (label[v] != v) v = label[v] = label[label[v]];
    return v;
  };
  for (std::size_t i = 0; i < arcs.sources.size(); ++i) {
    const std::uint32_t a = root(arcs.sources[i]), b = root(arcs.targets[i]);
    label[std::max(a, b)] = std::min(a, b);
  }
  Answer answer(arcs.nodes);
  for (std::uint32_t v = 0; v < arcs.nodes; ++v) answer[v] = root(v);
  return answer;
}

Answer Closeness(const Arcs& arcs, const std::vector<std::uint32_t>& offsets,
                 const std::vector<std::uint32_t>& starts) {
  const Answer depths = Bfs(arcs, offsets, starts);
  Answer answer;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    double reached = 0, sum = 0, harmonic = 0;
    for (std::uint32_t v = 0; v < arcs.nodes; ++v) {
      const double depth = depths[i * arcs.nodes + v];
      if (depth <= 0) continue;
      ++reached;
      sum += depth;
      harmonic += 1 / depth;
    }
    answer.insert(answer.end(), {sum > 0 ? reached / sum : 0, harmonic});
  }
  return answer;
}

void SumToOne(double* first, double* last) {
  const double sum = std::accumulate(first, last, 0.0);
  for (; first != last; ++first) *first /= sum;
}

// Power iteration until a step changes less than 1e-13.
Answer Hits(const Arcs& arcs) {
  const std::uint32_t n = arcs.nodes;
  Answer scores(std::size_t{2} * n, 1.0 / n);
  double *hubs = scores.data(), *authorities = hubs + n;
  for (double step = 1; step > 1e-13;) {
    const Answer before = scores;
    std::fill(authorities, authorities + n, 0.0);
    for (std::size_t i = 0; i < arcs.sources.size(); ++i)
      authorities[arcs.targets[i]] += hubs[arcs.sources[i]];
    SumToOne(authorities, authorities + n);
    std::fill(hubs, hubs + n, 0.0);
    for (std::size_t i = 0; i < arcs.sources.size(); ++i)
      hubs[arcs.sources[i]] += authorities[arcs.targets[i]];
    SumToOne(hubs, hubs + n);
    step = 0;
    for (std::size_t v = 0; v < scores.size(); ++v) step += std::abs(scores[v] - before[v]);
  }
  return scores;
}

// Adamic-Adar of one node with all others; the arcs are there both ways.
void Similar(const Arcs& arcs, const std::vector<std::uint32_t>& offsets, std::uint32_t start,
             Answer& answer) {
  std::vector<double> sum(arcs.nodes);
  for (std::uint32_t i = offsets[start]; i < offsets[start + 1]; ++i) {
    const std::uint32_t w = arcs.targets[i];
    for (std::uint32_t j = offsets[w]; j < offsets[w + 1]; ++j)
      if (arcs.targets[j] != start)
        sum[arcs.targets[j]] += 1 / std::log(offsets[w + 1] - offsets[w]);
  }
  std::vector<Entry> entries;
  for (std::uint32_t v = 0; v < arcs.nodes; ++v)
    if (sum[v] > 0) entries.push_back({sum[v], v});
  AppendBest(std::move(entries), kSimilarTop, false, answer);
}

// The best pairs so far.
class BestPairs {
 public:
  void Add(const Entry& entry) {
    if (entry.score == 0 || (best_.size() == kPairsTop && !(entry < best_.front()))) return;
    if (best_.size() == kPairsTop) {
      std::pop_heap(best_.begin(), best_.end());
      best_.pop_back();
    }
    best_.push_back(entry);
    std::push_heap(best_.begin(), best_.end());
  }
  const std::vector<Entry>& all() const { return best_; }

 private:
  std::vector<Entry> best_;
};

// What run(first, step, best) finds for first = 0 to step - 1, a thread each.
template <class Run>
Answer BestOfThreads(int threads, Run&& run) {
  std::vector<BestPairs> parts(static_cast<std::size_t>(threads));
  std::vector<std::thread> pool;
  for (std::uint32_t t = 0; t < parts.size(); ++t)
    pool.emplace_back([&, t] { run(t, static_cast<std::uint32_t>(parts.size()), parts[t]); });
  for (std::thread& thread : pool) thread.join();
  std::vector<Entry> all;
  for (const BestPairs& part : parts) all.insert(all.end(), part.all().begin(), part.all().end());
  Answer answer;
  AppendBest(std::move(all), kPairsTop, true, answer);
  return answer;
}

// Every node's sums, the best pairs kept.
Answer SimilarPairs(const Arcs& arcs, const std::vector<std::uint32_t>& offsets, int threads) {
  return BestOfThreads(threads, [&](std::uint32_t first, std::uint32_t step, BestPairs& best) {
    std::vector<double> sum(arcs.nodes);
    std::vector<std::uint32_t> touched;
    for (std::uint32_t a = first; a < arcs.nodes; a += step) {
      touched.clear();
      for (std::uint32_t i = offsets[a]; i < offsets[a + 1]; ++i) {
        const std::uint32_t w = arcs.targets[i];
        if (offsets[w + 1] - offsets[w] < 2) continue;
        const double share = 1 / std::log(offsets[w + 1] - offsets[w]);
        for (std::uint32_t j = offsets[w]; j < offsets[w + 1]; ++j) {
          const std::uint32_t b = arcs.targets[j];
          if (b <= a) continue;
          if (sum[b] == 0) touched.push_back(b);
          sum[b] += share;
        }
      }
      for (const std::uint32_t b : touched) best.Add({std::exchange(sum[b], 0.0), a, b});
    }
  });
}

// Dense hop layers over all arcs.
void Traverse(const Arcs& arcs, std::uint32_t start, Answer& answer) {
  std::vector<double> layer(arcs.nodes), next, best(arcs.nodes);
  layer[start] = 1;
  for (int hop = 0; hop < kHops; ++hop) {
    next.assign(arcs.nodes, 0);
    for (std::size_t i = 0; i < arcs.sources.size(); ++i)
      next[arcs.targets[i]] = std::max(
          next[arcs.targets[i]], layer[arcs.sources[i]] * static_cast<double>(arcs.weights[i]));
    for (std::uint32_t v = 0; v < arcs.nodes; ++v) best[v] = std::max(best[v], next[v]);
    layer.swap(next);
  }
  std::vector<Entry> entries;
  for (std::uint32_t v = 0; v < arcs.nodes; ++v)
    if (best[v] > 0 && v != start) entries.push_back({best[v], v});
  AppendBest(std::move(entries), kTraverseTop, false, answer);
}

// Rows a = first, first + step, ...: scores of all b > a in a dense accumulator.
void PairsOf(const Sharing& s, const std::vector<std::vector<std::uint32_t>>& tags,
             const std::vector<std::vector<std::uint32_t>>& holders,
             const std::vector<std::vector<std::uint32_t>>& together, std::uint32_t first,
             std::uint32_t step, BestPairs& best) {
  std::vector<double> sum(s.facts);
  std::vector<std::uint32_t> touched;
  for (std::uint32_t a = first; a < s.facts; a += step) {
    touched.clear();
    for (std::uint32_t t : tags[a]) {
      if (s.weight[t] == 0) continue;
      const auto& list = holders[t];
      for (auto b = std::upper_bound(list.begin(), list.end(), a); b != list.end(); ++b) {
        if (sum[*b] == 0) touched.push_back(*b);
        sum[*b] += s.weight[t];
      }
    }
    for (std::uint32_t b : together[a]) sum[b] = 0;  // masked
    for (std::uint32_t b : touched) best.Add({std::exchange(sum[b], 0.0), a, b});
  }
}

Answer Pairs(const Sharing& s, int threads) {
  std::vector<std::vector<std::uint32_t>> tags(s.facts), holders(s.tags), members(s.events),
      together(s.facts);
  for (std::size_t i = 0; i < s.fact.size(); ++i) {
    tags[s.fact[i]].push_back(s.tag[i]);
    holders[s.tag[i]].push_back(s.fact[i]);
  }
  for (std::size_t i = 0; i < s.event.size(); ++i) members[s.event[i]].push_back(s.event_fact[i]);
  for (const auto& facts : members)
    for (std::uint32_t a : facts)
      for (std::uint32_t b : facts)
        if (a < b) together[a].push_back(b);
  return BestOfThreads(threads, [&](std::uint32_t first, std::uint32_t step, BestPairs& best) {
    PairsOf(s, tags, holders, together, first, step, best);
  });
}

double Cosine(const float* a, const float* b, std::uint32_t n) {
  double dot = 0, aa = 0, bb = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    dot += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return aa == 0 || bb == 0 ? 0 : dot / std::sqrt(aa * bb);
}

void Nearest(const Vectors& v, std::size_t query, bool inside, Answer& answer) {
  std::vector<Entry> entries;
  const std::size_t count = inside ? v.subset.size() : v.count();
  for (std::size_t k = 0; k < count; ++k) {
    const auto i = inside ? v.subset[k] : static_cast<std::uint32_t>(k);
    entries.push_back({Cosine(v.query(query), v.row(i), v.dimensions), i});
  }
  AppendBest(std::move(entries), kNearestTop, false, answer);
}

// Nodes, arcs, and for load the number of walks of two arcs, for open the sum of weights.
Answer Counts(const Arcs& arcs, bool walks) {
  std::vector<double> in(arcs.nodes), out(arcs.nodes);
  double sum = 0;
  for (std::size_t i = 0; i < arcs.sources.size(); ++i) {
    ++out[arcs.sources[i]];
    ++in[arcs.targets[i]];
    if (!walks) sum += static_cast<double>(arcs.weight(i));
  }
  if (walks) sum = std::inner_product(in.begin(), in.end(), out.begin(), 0.0);
  return {static_cast<double>(arcs.nodes), static_cast<double>(arcs.sources.size()), sum};
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv, "reference");
  const std::string& work = peer.work();
  if (work == "pairs") {
    const Sharing sharing = peer.Load([&] { return ReadSharing(peer.folder()); });
    peer.Trials([&] { return Pairs(sharing, peer.threads()); });
  } else if (work == "nearest" || work == "nearest-inside") {
    const Vectors vectors = peer.Load([&] { return ReadVectors(peer.folder()); });
    peer.Queries(vectors.query_count(), [&](std::size_t q, Answer& answer) {
      Nearest(vectors, q, work == "nearest-inside", answer);
    });
  } else if (work == "leiden") {
    const Arcs pairs = peer.Load([&] { return ReadPairs(peer.folder()); });
    peer.Trials([&] { return Louvain(pairs); });
  } else if (!WalkWorks(peer)) {
    const Arcs arcs = peer.Load([&] { return ReadArcs(peer.folder()); });
    if (Connections(peer, arcs) || Measures(peer, arcs) || Scores(peer, arcs)) return peer.Finish();
    if (work == "pagerank") peer.Trials([&] { return PowerIteration(arcs, false); });
    if (work == "components") peer.Trials([&] { return Components(arcs); });
    if (work == "load" || work == "open") peer.Trials([&] { return Counts(arcs, work == "load"); });
    if (work == "hits") peer.Trials([&] { return Hits(arcs); });
    if (work == "similar-pairs")
      peer.Trials([&] { return SimilarPairs(arcs, Offsets(arcs), peer.threads()); });
    if (work == "bfs" || work == "closeness" || work == "similar" || work == "traverse") {
      const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
      const auto offsets = Offsets(arcs);
      if (work == "bfs")
        peer.Trials([&] { return Bfs(arcs, offsets, starts); });
      else if (work == "closeness")
        peer.Trials([&] { return Closeness(arcs, offsets, starts); });
      else if (work == "similar")
        peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
          Similar(arcs, offsets, starts[i], answer);
        });
      else
        peer.Queries(starts.size(),
                     [&](std::size_t i, Answer& answer) { Traverse(arcs, starts[i], answer); });
    }
  }
  return peer.Finish();
}
