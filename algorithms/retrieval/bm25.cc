// Postings merged by node, scored, the best kept; see terms.h.
//
// In-rows come in order of node id, so the postings of all terms are merged like sorted
// runs: no accumulator as large as the graph, and a node's shares are added in the order
// of the query, whatever else is going on.
#include "algorithms/retrieval/terms.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include <boost/unordered/unordered_flat_map.hpp>

#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stoppable_executor.h"
#include "algorithms/retrieval/internal/term_lengths.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval {

namespace {

constexpr std::uint64_t kLookEvery = 4096;  // nodes between two looks at the clock

struct Posting {
  NodeId node;
  float frequency;
};

bool IsDocument(const Snapshot& snapshot, bool events, NodeId node) {
  return events ? snapshot.node_kind(node) == builtin::kEvent : snapshot.is_fact(node);
}

std::vector<Posting> Postings(const Snapshot& snapshot, const ArcFilter& filter, bool events,
                              std::string_view term) {
  std::vector<Posting> postings;
  const auto node = snapshot.Find(IndexKey(snapshot.schema().node_kind(builtin::kTerm).name, term));
  if (!node || !snapshot.alive(*node)) return postings;
  snapshot.ForEachArc(Direction::kIn, *node, filter, [&](const Arc& arc) {
    if (!IsDocument(snapshot, events, arc.neighbor)) return;
    if (!postings.empty() && postings.back().node == arc.neighbor)  // parallel edges
      postings.back().frequency += arc.weight;
    else
      postings.push_back({arc.neighbor, arc.weight});
  });
  return postings;
}

bool Better(const Bm25Hit& a, const Bm25Hit& b) {
  return a.score != b.score ? a.score > b.score : a.node < b.node;
}

// The `top` best of what is offered; 0 = all.
class Best {
 public:
  explicit Best(std::size_t top) : top_(top) {}
  void Offer(Bm25Hit match) {
    if (top_ == 0 || matches_.size() < top_) {
      matches_.push_back(std::move(match));
      if (matches_.size() == top_) std::make_heap(matches_.begin(), matches_.end(), Better);
    } else if (Better(match, matches_.front())) {
      std::pop_heap(matches_.begin(), matches_.end(), Better);
      matches_.back() = std::move(match);
      std::push_heap(matches_.begin(), matches_.end(), Better);
    }
  }
  std::vector<Bm25Hit> Take() {
    std::sort(matches_.begin(), matches_.end(), Better);
    return std::move(matches_);
  }

 private:
  std::size_t top_;
  std::vector<Bm25Hit> matches_;  // a heap with the worst in front, once full
};

Status Check(std::span<const std::string> terms, const Bm25Options& options) {
  const auto bad = [](const char* what) { return Invalid(what); };
  if (!(options.k1 >= 0) || !std::isfinite(options.k1))
    return bad("bm25: k1 must be a finite number >= 0");
  if (!(options.b >= 0 && options.b <= 1)) return bad("bm25: b must be 0 to 1");
  if (terms.size() + options.phrases.size() > kMaxQueryTerms)
    return bad("bm25: a query has at most 1024 terms");
  return {};
}

struct Formula {
  const Bm25Options& options;
  double average;
  double Norm(double length) const {
    return options.k1 * (1 - options.b + options.b * length / average);
  }
  double Share(const QueryTerm& query, double tf, double norm) const {
    return tf > 0 ? query.asked * query.idf * tf * (options.k1 + 1) / (tf + norm) : 0;
  }
};

// What is left of a result whose terms are not all known.
Bm25Result Nothing(Bm25Result result) {
  result.terms.clear();
  result.truncated = true;
  return result;
}

}  // namespace

double Bm25Idf(double documents, double df) {
  return std::log(1 + (documents - df + 0.5) / (df + 0.5));
}

std::uint64_t CountTexts(const Snapshot& snapshot, const RunOptions& run) {
  common_internal::StoppableExecutor executor(common_internal::Pick(run.executor), run.budget);
  const auto lengths = internal::TermLengths::Of(snapshot, executor);
  return executor.stopped() ? 0 : lengths->documents();
}

Result<Bm25Result> Bm25(const Snapshot& snapshot, std::span<const std::string> terms,
                        const Bm25Options& options) try {
  PLEXUS_TRY(Check(terms, options));
  common_internal::StoppableExecutor executor(common_internal::Pick(options.run.executor),
                                              options.run.budget);
  const auto known = internal::TermLengths::Of(snapshot, executor, options.events);
  const internal::TermLengths& lengths = *known;
  Bm25Result result;
  if (executor.stopped()) return Nothing({});
  result.documents = lengths.documents();
  result.average_length = lengths.average();

  const ArcFilter filter = ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm);
  const auto weigh = [&](QueryTerm& query) {
    const double n = static_cast<double>(lengths.documents()), df = static_cast<double>(query.df);
    if (query.df > 0) query.idf = Bm25Idf(n, df);
  };
  std::map<std::string_view, std::size_t> index;
  std::vector<std::vector<Posting>> postings;
  for (const std::string& term : terms) {
    const auto [at, is_new] = index.try_emplace(term, result.terms.size());
    if (!is_new) {
      ++result.terms[at->second].asked;
      continue;
    }
    if (options.run.budget.Interrupted()) return Nothing(std::move(result));
    postings.push_back(Postings(snapshot, filter, options.events, term));
    QueryTerm& query = result.terms.emplace_back();
    query.term = term;
    query.df = postings.back().size();
    weigh(query);
  }

  for (const Bm25Phrase& phrase : options.phrases) {
    std::vector<Posting> holding;
    for (const NodeId node : phrase.nodes->ToList())
      if (node < snapshot.node_count() && snapshot.alive(node) &&
          IsDocument(snapshot, options.events, node))
        holding.push_back({node, 1});
    if (holding.empty()) continue;
    result.terms.push_back({phrase.name, 1, holding.size(), 0});
    weigh(result.terms.back());
    postings.push_back(std::move(holding));
  }

  struct Head {
    NodeId node;
    std::size_t term, at;
    bool operator>(const Head& o) const { return node != o.node ? node > o.node : term > o.term; }
  };
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  for (std::size_t t = 0; t < postings.size(); ++t)
    if (!postings[t].empty()) heads.push({postings[t][0].node, t, 0});
  const Formula formula{options, lengths.average()};
  Best best(options.top);
  std::uint64_t edges_left = options.run.budget.edges;
  for (std::uint64_t seen = 0; !heads.empty(); ++seen) {
    if (seen >= options.run.budget.nodes || edges_left == 0 ||
        (seen % kLookEvery == 0 && options.run.budget.Interrupted())) {
      result.truncated = true;
      break;
    }
    Bm25Hit match;
    match.node = heads.top().node;
    const bool wanted = !options.subset || options.subset->contains(match.node);
    match.length = lengths[match.node];
    const double norm = formula.Norm(match.length);
    while (!heads.empty() && heads.top().node == match.node) {
      const Head head = heads.top();
      heads.pop();
      edges_left -= edges_left > 0;
      if (wanted) {
        const double tf = postings[head.term][head.at].frequency;
        const double share = formula.Share(result.terms[head.term], tf, norm);
        match.shares.push_back({head.term, static_cast<float>(tf), share});
        match.score += share;
      }
      if (head.at + 1 < postings[head.term].size())
        heads.push({postings[head.term][head.at + 1].node, head.term, head.at + 1});
    }
    if (!wanted) continue;
    ++result.found;
    best.Offer(std::move(match));
  }
  result.hits = best.Take();
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<Bm25Hit>> Bm25Of(const Snapshot& snapshot, const Bm25Result& asked,
                                    std::span<const NodeId> nodes, const Bm25Options& options) try {
  PLEXUS_TRY(Check({}, options));
  std::vector<Bm25Hit> matches;
  if (asked.terms.empty()) return matches;
  common_internal::StoppableExecutor executor(common_internal::Pick(options.run.executor),
                                              options.run.budget);
  const auto lengths = internal::TermLengths::Of(snapshot, executor, options.events);
  if (executor.stopped()) return matches;
  // The place of each term by its node, and of each phrase by what holds it.
  boost::unordered_flat_map<NodeId, std::size_t> places;
  std::vector<const NodeSubset*> holding(asked.terms.size());
  for (std::size_t t = 0; t < asked.terms.size(); ++t) {
    const auto phrase = std::ranges::find(options.phrases, asked.terms[t].term, &Bm25Phrase::name);
    if (phrase != options.phrases.end())
      holding[t] = phrase->nodes;
    else if (const auto node = snapshot.Find(
                 IndexKey(snapshot.schema().node_kind(builtin::kTerm).name, asked.terms[t].term)))
      places.emplace(*node, t);
  }
  const ArcFilter filter = ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm);
  const Formula formula{options, asked.average_length};
  std::vector<float> frequency(asked.terms.size());
  std::vector<bool> has(asked.terms.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i % kLookEvery == 0 && options.run.budget.Interrupted()) break;
    const NodeId node = nodes[i];
    if (!snapshot.alive(node) || !IsDocument(snapshot, options.events, node)) continue;
    std::ranges::fill(frequency, 0.0F);
    has.assign(has.size(), false);
    snapshot.ForEachArc(Direction::kOut, node, filter, [&](const Arc& arc) {
      const auto at = places.find(arc.neighbor);
      if (at == places.end()) return;
      frequency[at->second] += arc.weight;
      has[at->second] = true;
    });
    Bm25Hit match{.node = node, .length = (*lengths)[node]};
    const double norm = formula.Norm(match.length);
    for (std::size_t t = 0; t < has.size(); ++t) {
      if (holding[t] && holding[t]->contains(node)) {
        has[t] = true;
        frequency[t] = 1;
      }
      if (!has[t]) continue;
      match.shares.push_back({t, frequency[t], formula.Share(asked.terms[t], frequency[t], norm)});
      match.score += match.shares.back().score;
    }
    if (!match.shares.empty()) matches.push_back(std::move(match));
  }
  return matches;
}
PLEXUS_CATCH_NO_MEMORY

Result<Bm25Result> Bm25(const Snapshot& snapshot, std::string_view text,
                        const Bm25Options& options) try {
  PLEXUS_ASSIGN(const std::vector<std::string> terms, QueryTerms(snapshot, text));
  if (terms.empty())
    return Invalid("'", text,
                   "' has no word to search for: words as common as 'the' and 'of' are not in "
                   "the index, and neither is punctuation");
  return Bm25(snapshot, terms, options);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::retrieval
