// Nearest vectors, BM25 and recall, against brute force in doubles.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "algorithms/memory/recall/recall.h"
#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/terms.h"
#include "algorithms/retrieval/vectors.h"
#include "tests/reference/conflicts.h"
#include "tests/reference/oracles.h"
#include "tests/service/check.h"

namespace plexus::service_test {
using namespace builtin;

namespace {

std::string Listed(const Snapshot& snapshot, const std::vector<retrieval::NearestHit>& hits) {
  std::string text;
  for (const retrieval::NearestHit& h : hits)
    text += " " + std::string(snapshot.key(h.node)) + " " + std::to_string(h.measure);
  return text;
}

}  // namespace

std::string Checker::Nearest(Chance& chance) const {
  // Vectors of nodes that a purge takes may go at any moment.
  if (allowed_.victims != Victims::kExact && victims_) return "";
  const int which = static_cast<int>(chance.Below(kSpaces));
  const auto space = snapshot_.schema().FindSpace(kSpaceNames[which]);
  if (!space) return "there is no space";
  const std::vector<float> query = DrawVector(chance, which);
  retrieval::NearestOptions options;
  options.top = std::array<std::size_t, 4>{1, 3, 10, 0}[chance.Below(4)];
  options.prefilter = Prefilter::kNone;
  const auto scan = retrieval::Nearest(snapshot_, *space, query, options);
  if (!scan) return allowed_.unreadable ? "" : "nearest: " + scan.error().ToString();
  ++TheBoard().nearest;
  std::vector<std::vector<float>> vectors(snapshot_.node_count());
  for (const auto& [key, id] : ids_)
    vectors[id] = world_.nodes.at(key).vectors[static_cast<std::size_t>(which)];
  const auto likeness = which == 0 ? reference::Likeness::kDistance : reference::Likeness::kCosine;
  const auto expected = reference::Nearest(Flat(), vectors, likeness, query);
  const auto right = [&](const std::vector<retrieval::NearestHit>& hits) -> std::string {
    std::set<NodeId> twice;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (vectors[hits[i].node].empty()) return KeyOf(hits[i].node) + " has no vector";
      if (!twice.insert(hits[i].node).second) return KeyOf(hits[i].node) + " is there twice";
      if (std::abs(reference::Measure(likeness, query, vectors[hits[i].node]) - hits[i].measure) >
          1e-5)
        return KeyOf(hits[i].node) + " has another measure";
      if (i > 0 && vectors[hits[i].node] == vectors[hits[i - 1].node] &&
          hits[i].node < hits[i - 1].node)
        return "a tie goes to the larger id";
    }
    return "";
  };
  const std::string where = std::string("nearest in ") + kSpaceNames[which] + ", top " +
                            std::to_string(options.top) + ": ";
  const std::size_t most = options.top ? std::min(options.top, expected.size()) : expected.size();
  if (scan->hits.size() != most)
    return where + std::to_string(scan->hits.size()) + " instead of " + std::to_string(most);
  if (const std::string wrong = right(scan->hits); !wrong.empty()) return where + wrong;
  for (std::size_t i = 0; i < most; ++i)
    if (std::abs(scan->hits[i].similarity - expected[i].similarity) > 1e-5)
      return where + "the scan gives" + Listed(snapshot_, scan->hits) + "; nearer is " +
             KeyOf(expected[i].node);
  if (!allowed_.prefilters) return "";
  options.prefilter = Prefilter::kInt8;
  const auto found = retrieval::Nearest(snapshot_, *space, query, options);
  if (!found) return where + found.error().ToString();
  ++TheBoard().prefiltered;
  if (found->hits != scan->hits)
    return where + "int8:" + Listed(snapshot_, found->hits) +
           "; the scan:" + Listed(snapshot_, scan->hits);
  return "";
}

std::string Checker::Bm25(Chance& chance) const {
  if (allowed_.victims != Victims::kExact && victims_) return "";
  std::vector<std::string> terms = {Word(chance.Below(kWords)), Word(chance.Below(kWords) / 4)};
  if (terms[0] == terms[1]) terms.pop_back();
  retrieval::Bm25Options options;
  options.top = 10;
  const auto found = retrieval::Bm25(snapshot_, terms, options);
  if (!found) return "bm25: " + found.error().ToString();
  std::vector<std::map<std::string, double>> texts(snapshot_.node_count());
  for (const auto& [key, id] : ids_) texts[id] = world_.nodes.at(key).terms;
  const auto scores = reference::Bm25(texts, terms, options.k1, options.b);
  std::vector<double> best;
  for (const auto& score : scores)
    if (score) best.push_back(*score);
  std::sort(best.rbegin(), best.rend());
  const std::string where = "bm25 of " + terms.front() + " " + terms.back() + ": ";
  if (found->found != best.size() || found->hits.size() != std::min(options.top, best.size()))
    return where + std::to_string(found->found) + " found instead of " +
           std::to_string(best.size());
  for (std::size_t i = 0; i < found->hits.size(); ++i) {
    const retrieval::Bm25Hit& match = found->hits[i];
    if (!scores[match.node] || !Near(*scores[match.node], match.score) ||
        !Near(best[i], match.score))
      return where + KeyOf(match.node) + " has score " + std::to_string(match.score) +
             ", best is " + std::to_string(best[i]);
  }
  return "";
}

// Two lists that are checked by themselves, fused by definition; what is hidden and contradicted is
// the world's.
std::string Checker::Recall(Chance& chance) const {
  if (allowed_.victims != Victims::kExact && victims_) return "";
  const std::int64_t now = DrawTime(chance);
  const std::vector<std::string> terms = {Word(chance.Below(kWords) / 4)};
  const std::vector<float> query = DrawVector(chance, 0);
  const auto space = snapshot_.schema().FindSpace(kSpaceNames[0]);
  if (!space) return "there is no space";
  memory::RecallQuery question;
  question.terms = terms;
  question.vector = query;
  question.space = *space;
  memory::RecallOptions options;
  options.now_ms = now;
  options.near_duplicate = 2;
  options.plan = &retrieval::FindPlan(memory::kListsPlan)->plan;
  const auto found = memory::Recall(snapshot_, question, options);
  if (!found) return allowed_.unreadable ? "" : "recall: " + found.error().ToString();
  const std::vector<bool> visible = Visible(now);
  std::vector<NodeId> stands;
  for (NodeId v = 0; v < visible.size(); ++v)
    if (visible[v]) stands.push_back(v);
  const auto subset = NodeSubset::Of(snapshot_, stands);
  if (!subset) return subset.error().ToString();
  std::vector<std::vector<NodeId>> lists(2);
  retrieval::Bm25Options by_words;
  by_words.top = 100;
  by_words.subset = &*subset;
  retrieval::NearestOptions by_vector;
  by_vector.top = 100;
  by_vector.subset = &*subset;
  const auto words = retrieval::Bm25(snapshot_, terms, by_words);
  const auto near = retrieval::Nearest(snapshot_, *space, query, by_vector);
  if (!words || !near) return allowed_.unreadable ? "" : "recall's lists are errors";
  for (const retrieval::Bm25Hit& m : words->hits) lists[0].push_back(m.node);
  for (const retrieval::NearestHit& h : near->hits) lists[1].push_back(h.node);
  const auto fused = retrieval::FuseRanks(lists);
  if (found->hits.size() != std::min(options.top, fused.size()))
    return "recall: " + std::to_string(found->hits.size()) + " hits";
  std::vector<reference::FlatArc> against;
  for (const reference::FlatArc& arc : Flat(now).arcs)
    if (arc.kind == kContradicts) against.push_back(arc);
  const auto open = reference::OpenPairs(visible, against);
  for (std::size_t i = 0; i < found->hits.size(); ++i) {
    const memory::RecallHit& hit = found->hits[i];
    if (!visible[hit.node]) return "recall shows " + KeyOf(hit.node) + ", which is hidden";
    if (hit.node != fused[i].node || !Near(hit.score, fused[i].score))
      return "recall: " + KeyOf(hit.node) + " at place " + std::to_string(i) + " instead of " +
             KeyOf(fused[i].node);
    std::set<NodeId> expected, seen(hit.contradicted_by.begin(), hit.contradicted_by.end());
    for (const auto& [a, b] : open)
      if (a == hit.node || b == hit.node) expected.insert(a == hit.node ? b : a);
    if (seen != expected) return "recall: what contradicts " + KeyOf(hit.node);
  }
  return "";
}

}  // namespace plexus::service_test
