// peer_compare: are two answers the same answer? Prints what was compared, exits 1 if not.
//
//   peer_compare WORK MINE OTHER
//
// leiden: by the edges in OTHER's folder, every community of MINE hangs together and its
// modularity at least 0.97 of what OTHER has (small graphs have many near optima).
// pagerank, weighted-pagerank, hits, eigenvector, personal: L1 distance at most 1e-6.
// bfs, cuts, dominators, triangles, kcore, descendants, ancestors, pattern: equal numbers.
// components, strong: the same partition. load, open, closeness, forest, flow, clustering,
// betweenness, distances, point, kpaths, jaccard: to 1e-9 relative.
// order: every arc of OTHER's folder that goes from a smaller id to a larger one leads from an
// earlier place to a later one, no place taken twice. traverse, sum, min, noisy-or, pairs, nearest,
// similar: as many entries, the i-th score equal to 1e-6, and the same ids, but that entries within
// 1e-6 of the last score may be others (ties at the cut). recall: at least 99 % of OTHER's ids.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>

#include "bench/peers/structure.h"

namespace {

using namespace plexus::peers;  // NOLINT: a program of one file

int Verdict(bool same, const std::string& what) {
  std::printf("%s\n", what.c_str());
  return same ? 0 : 1;
}

int PageRank(const Answer& mine, const Answer& other) {
  double distance = 0;
  for (std::size_t v = 0; v < mine.size(); ++v) distance += std::abs(mine[v] - other[v]);
  char text[64];
  std::snprintf(text, sizeof text, "L1 %.1e", distance);
  return Verdict(distance <= kTrueError, text);
}

int Partition(const Answer& mine, const Answer& other) {
  std::unordered_map<double, double> to, from;
  for (std::size_t v = 0; v < mine.size(); ++v)
    if (to.try_emplace(mine[v], other[v]).first->second != other[v] ||
        from.try_emplace(other[v], mine[v]).first->second != mine[v])
      return Verdict(false, "node " + std::to_string(v) + " is in another component");
  return Verdict(true, "same partition, " + std::to_string(to.size()) + " components");
}

struct Quality {
  double modularity = 0;
  std::size_t communities = 0, pieces = 0;  // connected parts of communities
};

Quality QualityOf(const Arcs& pairs, const Answer& labels) {
  std::unordered_map<double, double> strengths;
  std::vector<std::uint32_t> root(pairs.nodes);
  std::iota(root.begin(), root.end(), 0u);
  auto find = [&](std::uint32_t v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  double total = 0, inside = 0;
  for (std::uint32_t v = 0; v < pairs.nodes; ++v) strengths[labels[v]] += 0;
  for (std::size_t i = 0; i < pairs.sources.size(); ++i) {
    const std::uint32_t a = pairs.sources[i], b = pairs.targets[i];
    const double weight = static_cast<double>(pairs.weight(i));
    total += 2 * weight;
    strengths[labels[a]] += weight;
    strengths[labels[b]] += weight;
    if (labels[a] != labels[b]) continue;
    inside += 2 * weight;
    root[find(a)] = find(b);
  }
  Quality quality;
  quality.communities = strengths.size();
  for (std::uint32_t v = 0; v < pairs.nodes; ++v) quality.pieces += find(v) == v;
  quality.modularity = inside / total;
  for (const auto& [label, strength] : strengths)
    quality.modularity -= strength / total * (strength / total);
  return quality;
}

int Communities(const Answer& mine, const Answer& other, const std::string& folder) {
  const Arcs pairs = ReadPairs(folder);
  if (mine.size() != pairs.nodes) return Verdict(false, "not a label a node");
  const Quality a = QualityOf(pairs, mine), b = QualityOf(pairs, other);
  char text[160];
  std::snprintf(
      text, sizeof text,
      "modularity %.5f in %zu communities, %zu of their parts unconnected; slow Louvain %.5f",
      a.modularity, a.communities, a.pieces - a.communities, b.modularity);
  return Verdict(a.modularity >= 0.97 * b.modularity && a.pieces == a.communities, text);
}

int Lists(const Answer& mine, const Answer& other, std::size_t ids, bool recall) {
  constexpr double kTie = 1e-6;
  std::size_t i = 0, j = 0, lists = 0, found = 0, wanted = 0;
  double largest = 0;
  for (; i < mine.size() && j < other.size(); ++lists) {
    const auto n = static_cast<std::size_t>(mine[i++]), m = static_cast<std::size_t>(other[j++]);
    const std::string list = "list " + std::to_string(lists);
    if (n != m && !recall)
      return Verdict(false,
                     list + ": " + std::to_string(n) + " and " + std::to_string(m) + " entries");
    const std::size_t width = ids + 1;
    if (i + n * width > mine.size() || j + m * width > other.size())
      return Verdict(false, "an answer is cut off");
    std::map<std::pair<double, double>, double> scores;
    auto key = [&](const Answer& a, std::size_t at) {
      return std::pair(a[at], ids == 2 ? a[at + 1] : 0.0);
    };
    for (std::size_t k = 0; k < n; ++k)
      scores[key(mine, i + k * width)] = mine[i + k * width + ids];
    if (scores.size() != n) return Verdict(false, list + ": an entry twice");
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t at = j + k * width;
      const auto hit = scores.find(key(other, at));
      ++wanted;
      found += hit != scores.end();
      if (recall) continue;
      const double score = other[at + ids], last = other[j + (m - 1) * width + ids];
      const double difference = std::abs(mine[i + k * width + ids] - score);
      largest = std::max(largest, difference);
      if (difference > kTie || (hit == scores.end() && score > last + kTie) ||
          (hit != scores.end() && std::abs(hit->second - score) > kTie))
        return Verdict(false, list + " differs at entry " + std::to_string(k));
    }
    i += n * width;
    j += m * width;
  }
  if (i != mine.size() || j != other.size()) return Verdict(false, "one answer has more lists");
  char text[96];
  const double share =
      static_cast<double>(found) / static_cast<double>(std::max<std::size_t>(1, wanted));
  if (recall)
    std::snprintf(text, sizeof text, "recall %.4f", share);
  else
    std::snprintf(text, sizeof text, "same %zu lists, scores within %.0e", lists, largest);
  return Verdict(!recall || share >= 0.99, text);
}

int Numbers(const Answer& mine, const Answer& other, double tolerance) {
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (!(std::abs(mine[i] - other[i]) <=
          tolerance * std::abs(other[i])))  // nor is what is no number
      return Verdict(false, "number " + std::to_string(i) + ": " + std::to_string(mine[i]) +
                                " and " + std::to_string(other[i]));
  return Verdict(true, "same " + std::to_string(mine.size()) + " numbers");
}

int Order(const Answer& mine, const std::string& folder) {
  const Arcs arcs = WeightedArcs(ReadArcs(folder), MeasureOnce("order"));
  if (mine.size() != arcs.nodes) return Verdict(false, "not a place a node");
  std::vector<bool> taken(arcs.nodes);
  for (double place : mine) {
    if (place == -1) continue;
    if (!(place >= 0 && place < arcs.nodes) || taken[static_cast<std::size_t>(place)])
      return Verdict(false, "a place is taken twice, or there is no such");
    taken[static_cast<std::size_t>(place)] = true;
  }
  for (std::size_t i = 0; i < arcs.sources.size(); ++i) {
    const double a = mine[arcs.sources[i]], b = mine[arcs.targets[i]];
    if (a < 0 || b <= a)
      return Verdict(false, "arc " + std::to_string(arcs.sources[i]) + " to " +
                                std::to_string(arcs.targets[i]) + " is not followed");
  }
  return Verdict(true, "all " + std::to_string(arcs.sources.size()) + " arcs followed");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: peer_compare WORK MINE OTHER\n");
    return 2;
  }
  const std::string work = argv[1];
  const Answer mine = ReadArray<double>(argv[2]), other = ReadArray<double>(argv[3]);
  if (mine.empty() || other.empty()) return Verdict(false, "an answer is empty");
  if (work == "traverse" || work == "similar" || work == "sum" || work == "min" ||
      work == "noisy-or" || work.starts_with("nearest"))
    return Lists(mine, other, 1, false);
  if (work == "recall") return Lists(mine, other, 1, true);
  if (work == "pairs" || work == "similar-pairs") return Lists(mine, other, 2, false);
  if (mine.size() != other.size()) return Verdict(false, "answers differ in length");
  if (work == "leiden")
    return Communities(mine, other, std::filesystem::path(argv[3]).parent_path().string());
  if (work == "order") return Order(mine, std::filesystem::path(argv[3]).parent_path().string());
  const auto is = [&](std::initializer_list<const char*> works) {
    return std::ranges::find(works, work) != works.end();
  };
  if (is({"pagerank", "weighted-pagerank", "hits", "eigenvector", "personal"}))
    return PageRank(mine, other);
  if (is({"components", "strong"})) return Partition(mine, other);
  if (is({"bfs", "cuts", "dominators", "triangles", "kcore", "descendants", "ancestors",
          "pattern"}))
    return Numbers(mine, other, 0);
  if (is({"load", "open", "closeness", "forest", "flow", "clustering", "betweenness",
          "betweenness-16", "distances", "point", "kpaths", "jaccard"}))
    return Numbers(mine, other, 1e-9);
  std::fprintf(stderr, "peer_compare: no work is named %s\n", work.c_str());
  return 2;
}
