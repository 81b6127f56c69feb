// Recall: a breadth-first search over relations, level by level, in the space it touches.
//
// The search collects one row a step: score, ends, hop. Texts are made afterwards, for the rows
// that can be in the reply: a relation that was met from both ends first becomes one row, and with
// `top` rows below the best are left out before their texts are read. Memory is kept per thread
// between small searches.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "algorithms/common/internal/interruptible_arcs.h"
#include "algorithms/common/internal/node_map.h"
#include "algorithms/memory/concepts/concepts.h"
#include "algorithms/memory/concepts/internal/concept_graph.h"
#include "algorithms/retrieval/scan.h"
#include "algorithms/traversal/traversal.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::memory {

namespace {

using namespace internal;

constexpr std::uint32_t kPollEvery = 1024;  // arcs between two polls of the deadline

// A concept that was met: a seed, or the end of a step.
struct Met {
  NodeId node;
  double arousal;
  double rise;  // the largest decay of a step to it; below 0: none
};

// A relation as it was walked.
struct Step {
  double score;
  NodeId from, to;
  EdgeKindId kind;
  std::int16_t hop;
  bool forward;

  NodeId led_to() const { return forward ? to : from; }
};
// What makes one of two walks of a relation count.
bool CountsMore(const Step& a, const Step& b) {
  if (a.score != b.score) return a.score > b.score;
  if (a.hop != b.hop) return a.hop < b.hop;
  return a.forward && !b.forward;
}

struct Scratch {
  common_internal::NodeMap places;  // concepts to their place in `met`
  std::vector<Met> met;
  std::vector<Step> steps;
};
constexpr std::size_t kKeptBytes = 1 << 20;
thread_local std::unique_ptr<Scratch> kept_scratch;

class ConceptSearch {
 public:
  ConceptSearch(const Snapshot& snapshot, std::int64_t now_ms, const RecallConceptsOptions& options,
                const DecayTable& table)
      : snapshot_(snapshot),
        now_(now_ms),
        options_(options),
        table_(table),
        arousals_(now_ms, options.tau_ms),
        filter_(ArcFilter::Kinds(snapshot.schema(), kRelations).ValidAt(now_ms)),
        scratch_(kept_scratch ? std::move(kept_scratch) : std::make_unique<Scratch>()),
        met_(scratch_->met),
        steps_(scratch_->steps) {
    scratch_->places.Reset(snapshot.node_count());
    met_.clear();
    steps_.clear();
  }
  // Keeps the memory for the next search of this thread, but for large lists.
  ~ConceptSearch() {
    if (met_.capacity() * sizeof(Met) + steps_.capacity() * sizeof(Step) > kKeptBytes)
      scratch_->met = {}, scratch_->steps = {};
    if (scratch_->places.size_bytes() <= kKeptBytes) kept_scratch = std::move(scratch_);
  }
  ConceptSearch(const ConceptSearch&) = delete;
  ConceptSearch& operator=(const ConceptSearch&) = delete;

  void Run(std::span<const NodeId> seeds) {
    for (const NodeId seed : seeds)
      if (!Place(seed)) return;
    double decay = 1;
    for (int hop = 1; hop <= options_.hops; ++hop, decay *= options_.hop_decay) {
      const std::size_t end = met_.size();
      if (begin_ == end) return;
      std::sort(met_.begin() + static_cast<std::ptrdiff_t>(begin_), met_.end(),
                [](const Met& a, const Met& b) { return a.node < b.node; });
      for (std::size_t i = begin_; i < end; ++i)
        scratch_->places.at(met_[i].node) = static_cast<std::uint32_t>(i);
      for (; begin_ < end; ++begin_)
        if (!Expand(begin_, hop, decay)) return;
    }
  }

  Result<RecallConceptsResult> Finish() {
    RecallConceptsResult result;
    result.truncated = truncated_;
    result.concepts = met_.size();
    result.edges = edges_;
    result.batch.set_time_ms(now_);
    PLEXUS_TRY(Rank(result.propositions));
    RaiseAll(result);
    return result;
  }

 private:
  // The concept's place in met_, or nothing when the budget is spent.
  std::optional<std::uint32_t> Place(NodeId node) {
    std::uint32_t& place = scratch_->places.at(node);
    if (place != common_internal::NodeMap::kAbsent) return place;
    if (met_.size() >= options_.run.budget.nodes) {
      truncated_ = true;
      return std::nullopt;
    }
    place = static_cast<std::uint32_t>(met_.size());
    met_.push_back({node, arousals_(snapshot_, node), -1});
    return place;
  }

  bool Expand(std::size_t at, int hop, double hop_decay) {
    const NodeId node = met_[at].node;
    for (const bool forward : {true, false}) {
      const bool done = common_internal::ForEachArcInterruptible(
          snapshot_, forward ? Direction::kOut : Direction::kIn, node, filter_,
          [&] { return Poll(); },
          [&](const Arc& arc) { return Walk(at, arc, forward, hop, hop_decay); });
      if (!done) return false;
    }
    return true;
  }

  bool Poll() {
    if (polled_++ % kPollEvery != 0 || !options_.run.budget.Interrupted()) return true;
    truncated_ = true;
    return false;
  }

  bool Walk(std::size_t at, const Arc& arc, bool forward, int hop, double hop_decay) {
    const double factor = table_(arc.kind, forward);
    if (factor == 0) return true;
    const NodeKindId kind = snapshot_.node_kind(arc.neighbor);
    const bool episode = kind == builtin::kEpisode && forward && arc.kind == builtin::kEvokes;
    if (kind != builtin::kConcept && !episode) return true;
    if (options_.subset && !options_.subset->contains(arc.neighbor)) return true;
    if (edges_ >= options_.run.budget.edges) {
      truncated_ = true;
      return false;
    }
    ++edges_;
    double decay = hop_decay * factor;
    if (options_.weighted) decay *= std::min(1.0, static_cast<double>(arc.weight));
    std::size_t warm = at;  // whose arousal counts
    if (!episode) {
      const std::optional<std::uint32_t> place = Place(arc.neighbor);
      if (!place) return false;
      warm = *place;
      met_[warm].rise = std::max(met_[warm].rise, decay);
    }
    Step step{met_[warm].arousal * decay,     met_[at].node, arc.neighbor, arc.kind,
              static_cast<std::int16_t>(hop), forward};
    if (options_.six_decimals) step.score = std::round(step.score * 1e6) / 1e6;
    if (!forward) std::swap(step.from, step.to);
    steps_.push_back(step);
    return true;
  }

  // One step a relation: the one that counts.
  void JoinSteps() {
    std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
      const auto ends = [](const Step& s) { return std::tuple(s.from, s.to, s.kind); };
      return ends(a) != ends(b) ? ends(a) < ends(b) : CountsMore(a, b);
    });
    const auto same = [](const Step& a, const Step& b) {
      return a.from == b.from && a.to == b.to && a.kind == b.kind;
    };
    steps_.erase(std::unique(steps_.begin(), steps_.end(), same), steps_.end());
  }

  // Steps to propositions. With `top`, of those alone that score at least what the `wanted` best
  // do; if texts coincide and too few are left, of twice as many.
  Status Rank(std::vector<Proposition>& propositions) {
    JoinSteps();
    std::size_t wanted = options_.top == 0 ? steps_.size() : options_.top;
    for (std::size_t spelled = 0;; wanted *= 2) {
      std::size_t end = steps_.size();
      if (wanted < steps_.size()) {
        const auto cut = steps_.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
        std::nth_element(steps_.begin(), cut, steps_.end(),
                         [](const Step& a, const Step& b) { return a.score > b.score; });
        const double least = cut->score;
        end = static_cast<std::size_t>(
            std::partition(steps_.begin(), steps_.end(),
                           [&](const Step& s) { return s.score >= least; }) -
            steps_.begin());
      }
      if (end > spelled) PLEXUS_TRY(Spell(std::span(steps_).first(end), propositions));
      spelled = end;
      if (end == steps_.size() || propositions.size() >= options_.top) break;
    }
    if (options_.top != 0 && options_.top < propositions.size()) propositions.resize(options_.top);
    return {};
  }

  // The propositions of these steps: sorted, a text once.
  Status Spell(std::span<const Step> steps, std::vector<Proposition>& propositions) {
    PLEXUS_ASSIGN(const Summaries summaries, ReadSummaries(steps));
    propositions.clear();
    propositions.reserve(steps.size());
    for (const Step& step : steps) {
      const std::string_view kind = snapshot_.schema().edge_kind(step.kind).name;
      const std::string_view from = snapshot_.key(step.from);
      const auto summary = summaries.find(step.to);
      const std::string_view to =
          summary == summaries.end() ? snapshot_.key(step.to) : std::string_view(summary->second);
      Proposition p;
      p.text.reserve(from.size() + kind.size() + to.size() + 2);
      p.text.append(from).append(1, ' ').append(kind).append(1, ' ').append(to);
      p.score = step.score;
      p.valence = ValenceOf(snapshot_, step.led_to());
      p.from = step.from, p.to = step.to, p.kind = step.kind;
      p.hop = step.hop, p.forward = step.forward;
      propositions.push_back(std::move(p));
    }
    std::sort(propositions.begin(), propositions.end(),
              [&](const Proposition& a, const Proposition& b) { return Before(a, b); });
    std::unordered_set<std::string_view> seen;
    seen.reserve(propositions.size());
    std::vector<Proposition> once;
    once.reserve(propositions.size());
    for (Proposition& p : propositions) {
      if (seen.contains(p.text)) continue;
      once.push_back(std::move(p));  // never grows, so that texts stay where they are
      seen.insert(once.back().text);
    }
    propositions = std::move(once);
    return {};
  }
  // Not by id: a reply does not depend on the order in which nodes were made.
  bool Before(const Proposition& a, const Proposition& b) const {
    if (a.score != b.score) return a.score > b.score;
    if (const int order = a.text.compare(b.text); order != 0) return order < 0;
    if (a.hop != b.hop) return a.hop < b.hop;
    if (a.forward != b.forward) return a.forward;
    if (a.valence != b.valence) return a.valence > b.valence;
    const auto ends = [&](const Proposition& p) {
      return std::tuple(snapshot_.key(p.from), snapshot_.key(p.to));
    };
    return ends(a) < ends(b);
  }

  // Texts of the episodes that the steps lead to, read in the order of their payloads. An episode
  // without a text goes by its key.
  using Summaries = std::unordered_map<NodeId, std::string>;
  Result<Summaries> ReadSummaries(std::span<const Step> steps) const {
    std::vector<NodeId> wanted;
    for (const Step& step : steps)
      if (step.kind == builtin::kEvokes && snapshot_.node_kind(step.to) == builtin::kEpisode)
        wanted.push_back(step.to);
    Summaries summaries;
    Status status;
    const auto take = [&](NodeId node, Result<std::string_view> text) {
      if (text)
        summaries.emplace(node, *text);
      else if (text.error().code != ErrorCode::kNotFound && status)
        status = std::unexpected(text.error());
    };
    PLEXUS_TRY(retrieval::ForEachPayload(snapshot_, wanted, NodeField::kText, take));
    PLEXUS_TRY(std::move(status));
    return summaries;
  }

  void RaiseAll(RecallConceptsResult& result) const {
    std::vector<RaisedConcept> risen;
    for (const Met& met : met_) {
      if (met.rise < 0 || met.rise < met.arousal || KeepsItsArousal(met.node)) continue;
      risen.push_back({met.node, met.rise});
    }
    SortRaised(snapshot_, risen);  // before writing: so is the record
    for (const RaisedConcept& one : risen)
      if (Raise(snapshot_, one.node, one.level, now_, result.batch)) result.raised.push_back(one);
  }
  bool KeepsItsArousal(NodeId node) const {
    return std::ranges::any_of(options_.not_raised, [&](const std::string& prefix) {
      return snapshot_.key(node).starts_with(prefix);
    });
  }

  const Snapshot& snapshot_;
  const std::int64_t now_;
  const RecallConceptsOptions& options_;
  const DecayTable& table_;
  const Arousals arousals_;
  const ArcFilter filter_;
  std::unique_ptr<Scratch> scratch_;
  std::vector<Met>& met_;
  std::vector<Step>& steps_;
  std::size_t begin_ = 0;  // of the level that is expanded
  std::uint64_t edges_ = 0, polled_ = 0;
  bool truncated_ = false;
};

}  // namespace

Result<RecallConceptsResult> RecallConcepts(const Snapshot& snapshot,
                                            std::span<const std::string> seeds, std::int64_t now_ms,
                                            const RecallConceptsOptions& options) try {
  PLEXUS_TRY(CheckTime(now_ms));
  PLEXUS_TRY(CheckShare("hop decay", options.hop_decay));
  if (options.hops < 0 || options.hops > traversal::kMaxHops)
    return Invalid("hops must lie in 0..", traversal::kMaxHops);
  PLEXUS_ASSIGN(const DecayTable table, DecayTable::Make(snapshot.schema(), options.decay));
  FoundConcepts found = FindConcepts(snapshot, seeds);
  ConceptSearch search(snapshot, now_ms, options, table);
  if (options.hops > 0) search.Run(found.nodes);
  PLEXUS_ASSIGN(RecallConceptsResult result, search.Finish());
  result.unknown = std::move(found.unknown);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
