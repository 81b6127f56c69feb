// Postings merged by node, scored, the best kept; see terms.h.
//
// In-rows come in order of node id, so the postings of all terms are merged like sorted
// runs: no accumulator as large as the graph, and a node's shares are added in the order
// of the query, whatever else is going on.
#include "algorithms/retrieval/terms.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stoppable_executor.h"
#include "algorithms/retrieval/internal/best_list.h"
#include "engine/arrays/paged_array.h"
#include "engine/arrays/views.h"
#include "engine/lineage.h"
#include "engine/out_of_memory.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
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

// As lengths_ has it.
float LengthOf(const Snapshot& snapshot, const ArcFilter& filter, bool of_events, NodeId node) {
  if (!IsDocument(snapshot, of_events, node) || !snapshot.alive(node)) return 0.0f;
  double length = 0;
  bool any = false;
  snapshot.ForEachArc(Direction::kOut, node, filter, [&](const Arc& arc) {
    length += arc.weight;
    any = true;
  });
  return any && length == 0 ? -0.0f : static_cast<float>(length);
}

bool AnyTerms(float length) { return length > 0 || std::signbit(length); }

std::size_t Pieces(std::size_t count, std::size_t of) { return (count + of - 1) / of; }

// values[at] and those after it, up to `most`.
template <class Array>
double SumOf(const Array& values, std::size_t at, std::size_t most) {
  double sum = 0;
  for (const std::size_t end = std::min(values.size(), at + most); at < end; ++at)
    sum += static_cast<double>(values[at]);
  return sum;
}

// TermLengths: how long each fact's text is, in terms, and how long texts are on average; the
// same of events' texts, apart.
//
// What BM25 needs of all of them before the first score. Counted once over all has_term arcs, then
// carried from state to state by the facts that a batch changed (engine/lineage.h).
//
// The average must come out with the same bits either way, so lengths are added up in one fixed
// order: by block of kBlock nodes, by group of kGroup blocks, then over the groups. A change adds
// up its blocks and groups again.
class TermLengths final : public Carried {
 public:
  static constexpr std::string_view kName = "term lengths";

  // Computes: the lengths of the snapshot's facts, or events. They are kept with its state and
  //   carried to later ones, unless the executor stopped and left work undone.
  // Complexity: O(1) when they are kept, else O(nodes + has_term arcs).
  // Errors: none; throws std::bad_alloc.
  // Threads: parallel. The same bits at any thread count.
  static std::shared_ptr<const TermLengths> Of(const Snapshot& snapshot,
                                               common_internal::StoppableExecutor& executor,
                                               bool of_events = false);

  std::uint64_t documents() const { return documents_; }  // Alive facts (events) with a term.
  double average() const { return average_; }             // Their mean length. 0 without documents.
  float operator[](NodeId node) const { return lengths_[node] + 0.0f; }  // 0: no terms.

  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override;
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override;

 private:
  static constexpr std::size_t kBlock = 1024;  // nodes
  static constexpr std::size_t kGroup = 1024;  // blocks

  // Counts them, and keeps nothing.
  static std::shared_ptr<const TermLengths> Make(const Snapshot& snapshot, Executor& executor,
                                                 bool of_events);
  void Total(double sum);

  PagedView<float> lengths_;    // -0: terms that weigh nothing; +0: no terms
  PagedView<double> blocks_;    // sums of lengths
  std::vector<double> groups_;  // sums of blocks
  bool of_events_ = false;      // else of facts
  std::uint64_t documents_ = 0;
  double average_ = 0;
};

void TermLengths::Total(double sum) {
  average_ = documents_ ? sum / static_cast<double>(documents_) : 0;
}

std::shared_ptr<const TermLengths> TermLengths::Of(const Snapshot& snapshot,
                                                   common_internal::StoppableExecutor& executor,
                                                   bool of_events) {
  if (auto known = FindDerived<TermLengths>(snapshot, of_events)) return known;
  auto made = Make(snapshot, executor, of_events);
  return executor.stopped() ? made : KeepDerived<TermLengths>(snapshot, std::move(made), of_events);
}

std::shared_ptr<const TermLengths> TermLengths::Make(const Snapshot& snapshot, Executor& executor,
                                                     bool of_events) {
  constexpr std::size_t kGrain = 4 * kBlock;
  const std::size_t n = snapshot.node_count();
  const ArcFilter filter = ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm);
  std::vector<float> lengths(n, 0.0f);
  std::vector<double> blocks(Pieces(n, kBlock), 0.0);
  auto made = std::make_shared<TermLengths>();
  made->of_events_ = of_events;
  made->documents_ = ParallelReduce<std::uint64_t>(
      executor, n, kGrain, 0,
      [&](std::size_t begin, std::size_t end) {
        std::uint64_t documents = 0;
        for (std::size_t v = begin; v < end; ++v) {
          lengths[v] = LengthOf(snapshot, filter, of_events, static_cast<NodeId>(v));
          documents += AnyTerms(lengths[v]);
        }
        for (std::size_t v = begin; v < end; v += kBlock)
          blocks[v / kBlock] = SumOf(lengths, v, kBlock);
        return documents;
      },
      std::plus<>());
  for (std::size_t b = 0; b < blocks.size(); b += kGroup)
    made->groups_.push_back(SumOf(blocks, b, kGroup));
  PagedArray<float> all_lengths;
  all_lengths.Append(lengths);
  PagedArray<double> all_blocks;
  all_blocks.Append(blocks);
  made->lengths_ = all_lengths.Publish();
  made->blocks_ = all_blocks.Publish();
  made->Total(SumOf(made->groups_, 0, made->groups_.size()));
  return made;
}

std::shared_ptr<const Carried> TermLengths::Carry(const Snapshot& now,
                                                  const StateChanges& changes) const {
  std::vector<NodeId> touched = changes.nodes;
  for (NodeId v = changes.first_new; v < now.node_count(); ++v) touched.push_back(v);
  for (const StateChanges::Edge& e : changes.edges)
    if (e.kind == builtin::kHasTerm) touched.push_back(e.source);
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());

  const ArcFilter filter = ArcFilter::Kind(now.schema(), builtin::kHasTerm);
  PagedArray<float> lengths(lengths_, 0.0f);
  auto made = std::make_shared<TermLengths>();
  made->of_events_ = of_events_;
  made->documents_ = documents_;
  std::vector<std::size_t> blocks;  // with another sum
  for (const NodeId v : touched) {
    const float before = lengths[v], after = LengthOf(now, filter, of_events_, v);
    made->documents_ +=
        static_cast<std::uint64_t>(AnyTerms(after)) - static_cast<std::uint64_t>(AnyTerms(before));
    if (v < lengths.size() && before == after && std::signbit(before) == std::signbit(after))
      continue;
    lengths.Set(v, after);
    if (blocks.empty() || blocks.back() != v / kBlock) blocks.push_back(v / kBlock);
  }
  PagedArray<double> sums(blocks_, 0.0);
  made->groups_ = groups_;
  made->groups_.resize(Pieces(Pieces(lengths.size(), kBlock), kGroup), 0.0);
  for (const std::size_t b : blocks) sums.Set(b, SumOf(lengths, b * kBlock, kBlock));
  std::size_t summed = made->groups_.size();
  for (const std::size_t b : blocks)
    if (b / kGroup != summed) {
      summed = b / kGroup;
      made->groups_[summed] = SumOf(sums, summed * kGroup, kGroup);
    }
  made->lengths_ = lengths.Publish();
  made->blocks_ = sums.Publish();
  made->Total(SumOf(made->groups_, 0, made->groups_.size()));
  return made;
}

std::uint64_t TermLengths::size_bytes() const {
  return sizeof(*this) + lengths_.size_bytes() + blocks_.size_bytes() +
         groups_.capacity() * sizeof(double);
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
  const auto lengths = TermLengths::Of(snapshot, executor);
  return executor.stopped() ? 0 : lengths->documents();
}

Result<Bm25Result> Bm25(const Snapshot& snapshot, std::span<const std::string> terms,
                        const Bm25Options& options) try {
  PLEXUS_TRY(Check(terms, options));
  common_internal::StoppableExecutor executor(common_internal::Pick(options.run.executor),
                                              options.run.budget);
  const auto known = TermLengths::Of(snapshot, executor, options.events);
  const TermLengths& lengths = *known;
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
  internal::BestList<Bm25Hit, decltype(&Better)> best(options.top, &Better);
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
    best.Add(std::move(match));
  }
  result.hits = best.Take();
  std::ranges::sort(result.hits, Better);
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
  const auto lengths = TermLengths::Of(snapshot, executor, options.events);
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
