// Questions to a snapshot, each answered a second time by a search through the whole model.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "algorithms/retrieval/terms.h"
#include "algorithms/retrieval/vectors.h"
#include "algorithms/traversal/traversal.h"
#include "bench/soak/board.h"
#include "bench/soak/check.h"

namespace plexus::bench::soak {

namespace {

bool Near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

double CosineOf(const std::vector<float>& a, const std::vector<float>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

}  // namespace

bool Checker::Ask(const Snapshot& snapshot, const Allowed& allowed) {
  if (model_.memories().empty()) return true;
  ++TheBoard().questions;
  switch (random_() % 8) {
    case 0:
    case 1:
      return Nearest(snapshot, allowed);
    case 2:
    case 3:
      return Bm25(snapshot, allowed);
    case 4:
    case 5:
      return Walk(snapshot);
    default:
      return Memories(snapshot, allowed, 50);
  }
}

bool Checker::Nearest(const Snapshot& snapshot, const Allowed& allowed) {
  constexpr std::size_t kTop = 5;
  const auto space = snapshot.schema().FindSpace(kSpace);
  if (!space) return Bad(snapshot, "there is no space");
  std::vector<float> query(model_.scenario().dimensions);
  for (float& q : query) q = static_cast<float>(random_() % 2001) / 1000.0f - 1.0f;
  const auto found = Time(
      Timed::kNearest, [&] { return retrieval::Nearest(snapshot, *space, query, {.top = kTop}); });
  if (!found) return Bad(snapshot, "nearest: " + found.error().ToString());
  // A pre-filter changes no bit of the answer.
  const auto ask = [&](Prefilter by) {
    return retrieval::Nearest(snapshot, *space, query, {.top = kTop, .prefilter = by});
  };
  const auto same = [&] {
    const auto quick = ask(Prefilter::kInt8), plain = ask(Prefilter::kNone);
    return quick && plain && quick->hits == plain->hits;
  };
  // Vectors of victims may go between the two.
  if (!same() && !(allowed.victims && allowed.victims() && same()))
    return Bad(snapshot, "nearest by a pre-filter is not that of a plain scan");
  std::vector<double> best;
  std::map<NodeId, double> measures;
  for (const auto& [n, m] : model_.memories()) {
    const double measure = CosineOf(query, model_.Vector(n, m));
    if (const auto node = snapshot.Find(model_.Key(n))) measures[*node] = measure;
    best.push_back(measure);
  }
  std::sort(best.rbegin(), best.rend());
  const std::size_t expected = std::min(kTop, best.size());
  // Vectors of victims may have gone meanwhile: then others move up.
  const bool may_miss = allowed.victims && allowed.victims();
  if (found->hits.size() != expected && !may_miss)
    return Bad(snapshot, "nearest gives " + std::to_string(found->hits.size()));
  for (std::size_t i = 0; i < found->hits.size(); ++i) {
    const auto it = measures.find(found->hits[i].node);
    if (it == measures.end()) return Bad(snapshot, "nearest gives a node that is none of ours");
    if (std::abs(it->second - found->hits[i].measure) > 1e-5)
      return Bad(snapshot,
                 "nearest gives another cosine for " + std::string(snapshot.key(it->first)));
    if (!may_miss && std::abs(best[i] - found->hits[i].measure) > 1e-5)
      return Bad(snapshot, "nearest is not the nearest: " + std::to_string(found->hits[i].measure) +
                               ", there is " + std::to_string(best[i]));
  }
  return true;
}

bool Checker::Bm25(const Snapshot& snapshot, const Allowed& allowed) {
  const auto rank = [&] {
    const double u = static_cast<double>(random_() % 1'000'000) / 1e6;
    return static_cast<std::uint64_t>(u * u * static_cast<double>(Model::kVocabulary));
  };
  std::vector<std::string> terms = {model_.Word(rank()), model_.Word(rank())};
  if (terms[0] == terms[1]) terms.pop_back();
  retrieval::Bm25Options options;
  options.top = 10;
  const auto found = Time(Timed::kBm25, [&] { return retrieval::Bm25(snapshot, terms, options); });
  if (!found) return Bad(snapshot, "bm25: " + found.error().ToString());
  struct Document {
    std::vector<double> frequency;
    double length = 0;
  };
  std::map<Number, Document> documents;  // that have a term
  std::vector<double> df(terms.size());
  double length = 0;
  for (const auto& [n, m] : model_.memories()) {
    const std::vector<std::string> words = model_.Words(n, m.text_version);
    length += static_cast<double>(words.size());
    Document document{{}, static_cast<double>(words.size())};
    bool any = false;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const auto times = std::count(words.begin(), words.end(), terms[t]);
      document.frequency.push_back(static_cast<double>(times));
      df[t] += times > 0;
      any = any || times > 0;
    }
    if (any) documents.emplace(n, std::move(document));
  }
  const double count = static_cast<double>(model_.memories().size()), average = length / count;
  if (found->documents != model_.memories().size() || !Near(found->average_length, average) ||
      found->found != documents.size())
    return Bad(snapshot, "bm25 counts " + std::to_string(found->documents) + " texts, " +
                             std::to_string(found->found) + " found, instead of " +
                             std::to_string(model_.memories().size()) + ", " +
                             std::to_string(documents.size()));
  std::vector<double> best;
  std::map<NodeId, double> scores;
  for (const auto& [n, document] : documents) {
    double score = 0;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const double tf = document.frequency[t],
                   idf = std::log(1 + (count - df[t] + 0.5) / (df[t] + 0.5));
      score += idf * tf * (options.k1 + 1) /
               (tf + options.k1 * (1 - options.b + options.b * document.length / average));
    }
    best.push_back(score);
    if (const auto node = snapshot.Find(model_.Key(n))) scores[*node] = score;
  }
  std::sort(best.rbegin(), best.rend());
  if (found->hits.size() != std::min(options.top, best.size()))
    return Bad(snapshot, "bm25: how many");
  for (std::size_t i = 0; i < found->hits.size(); ++i) {
    const auto it = scores.find(found->hits[i].node);
    if (it == scores.end() || !Near(it->second, found->hits[i].score) ||
        !Near(best[i], found->hits[i].score))
      return Bad(snapshot, "bm25 for " + terms[0] + " ...: score " +
                               std::to_string(found->hits[i].score) + ", there is " +
                               std::to_string(best[i]));
  }
  (void)allowed;
  return true;
}

// Best products over at most `hops` arcs, layer by layer, and the paths as proof.
bool Checker::Walk(const Snapshot& snapshot) {
  const Number seed = model_.Draw(random_());
  const auto start = snapshot.Find(model_.Key(seed));
  if (!start) return Bad(snapshot, model_.Key(seed) + " is not there");
  traversal::TraverseOptions options;
  options.hops = 1 + static_cast<int>(random_() % 4);
  options.direction = std::array{Direction::kOut, Direction::kIn, Direction::kBoth}[random_() % 3];
  options.decay = 0.75;
  options.top = 0;
  const NodeWeight seeds[] = {{*start, 1.0}};
  const auto found =
      Time(Timed::kTraverse, [&] { return traversal::Traverse(snapshot, seeds, options); });
  if (!found) return Bad(snapshot, "traverse: " + found.error().ToString());
  // fn(neighbour, weight) of every arc of a memory in that direction.
  const auto each = [&](Number n, auto&& fn) {
    const Memory& m = *model_.Find(n);
    const bool out = options.direction != Direction::kIn, in = options.direction != Direction::kOut;
    for (int slot = 0; slot < kSlots; ++slot) {
      const ModelEdge& edge = m.edges[static_cast<std::size_t>(slot)];
      if (edge.present && (out || Model::Symmetric(n, slot))) fn(edge.target, edge.weight);
    }
    for (const auto& [source, slot] : m.in)
      if (in || Model::Symmetric(source, slot))
        fn(source, model_.Find(source)->edges[static_cast<std::size_t>(slot)].weight);
  };
  std::map<Number, double> layer = {{seed, 1.0}}, best;
  for (int hop = 0; hop < options.hops; ++hop) {
    std::map<Number, double> next;
    for (const auto& [n, value] : layer)
      each(n, [&](Number to, float weight) {
        double& score = next[to];
        score = std::max(score, value * double{weight} * options.decay);
      });
    for (const auto& [n, value] : next) best[n] = std::max(best[n], value);
    layer = std::move(next);
  }
  best.erase(seed);
  if (found->hits.size() != best.size())
    return Bad(snapshot, "a walk from " + model_.Key(seed) + " finds " +
                             std::to_string(found->hits.size()) + " instead of " +
                             std::to_string(best.size()));
  std::map<NodeId, double> scores;
  for (const auto& [n, value] : best)
    if (const auto node = snapshot.Find(model_.Key(n))) scores[*node] = value;
  for (const traversal::TraverseHit& hit : found->hits) {
    const auto it = scores.find(hit.node);
    double product = 1;
    for (const PathEdge& edge : hit.path) product *= double{edge.weight} * options.decay;
    if (it == scores.end() || !Near(it->second, hit.score) || !Near(product, hit.score) ||
        hit.path.size() != static_cast<std::size_t>(hit.hops) || hit.hops > options.hops)
      return Bad(snapshot, "a walk from " + model_.Key(seed) + " to " +
                               std::string(snapshot.key(hit.node)) + ": score " +
                               std::to_string(hit.score) + ", path " + std::to_string(product));
  }
  return true;
}

}  // namespace plexus::bench::soak
