// A plan run, and what is around the best.
#include "algorithms/memory/recall/recall.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/terms.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::memory {

namespace {

// --- The sentence that explains a hit.

std::string Counted(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

// "3 days ago", in the largest unit of which there is one; "just now" below a minute and for times
// ahead.
std::string Ago(std::int64_t then_ms, std::int64_t now_ms) {
  const double minutes = (static_cast<double>(now_ms) - static_cast<double>(then_ms)) / 60'000;
  if (minutes < 1) return "just now";
  constexpr std::pair<double, std::string_view> kUnits[] = {
      {365.25 * 1440, "year"}, {1440, "day"}, {60, "hour"}};
  for (const auto& [length, name] : kUnits)
    if (minutes >= length)
      return Counted(static_cast<std::int64_t>(minutes / length), name) + " ago";
  return Counted(static_cast<std::int64_t>(minutes), "minute") + " ago";
}

std::string TwoDigits(double value) {
  char text[320];  // of the largest double, too
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 2).ptr;
  return std::string(text, end);
}

// "salience 0.80" or "trust 0.80"; "" of a memory without a value of its own.
std::string SalienceClause(const Snapshot& snapshot, NodeId node,
                           const retrieval::NodeValues& salience) {
  const auto at = std::ranges::lower_bound(salience.list, node, {}, &NodeWeight::node);
  if (at != salience.list.end() && at->node == node) return "salience " + TwoDigits(at->weight);
  for (const ColumnId column : salience.columns)
    if (const auto value = snapshot.f64(column, node)) {
      const bool trust = column == builtin::kRetention || column == builtin::kTrust;
      return (trust ? "trust " : "salience ") + TwoDigits(*value);
    }
  return "";
}

// "matches 2 of 2 words; used 3 days ago, 5 times in all; trust 0.80", without its full stop.
std::string WhyOf(const Snapshot& snapshot, const RecallHit& hit, const RecallOptions& options,
                  const retrieval::RetrieveResult& planned) {
  const std::int64_t now_ms = snapshot.TimeOr(options.now_ms);
  std::string text;
  const auto add = [&](const std::string& clause) {
    if (!clause.empty()) text += (text.empty() ? "" : "; ") + clause;
  };
  const retrieval::HitMeasures& measured = hit.measured;
  if (planned.word_count)
    add("matches " + std::to_string(measured.words_matched) + " of " +
        Counted(*planned.word_count, "word") + (measured.phrase_matched ? ", in that order" : ""));
  if (measured.similarity) add("similarity " + TwoDigits(*measured.similarity));
  if (measured.path)
    add(Counted(hit.hops, "hop") + " from " + std::string(DisplayName(snapshot.key(hit.seed))));
  const auto accessed = snapshot.i64(builtin::kAccessedAt, hit.node),
             created = snapshot.i64(builtin::kCreatedAt, hit.node);
  const std::int64_t uses = snapshot.i64(builtin::kAccessCount, hit.node).value_or(0);
  if (accessed)
    add("used " + Ago(*accessed, now_ms) +
        (uses > 0 ? ", " + Counted(uses, "time") + " in all" : ""));
  else if (created)
    add("written " + Ago(*created, now_ms) + ", never used");
  add(SalienceClause(snapshot, hit.node, options.salience));
  if (const std::string_view of = options.preferred.Of(snapshot, hit.node); !of.empty())
    add("of " + std::string(of));
  return text;
}

// The time at which memories and relations have to be valid.
std::int64_t ValidTime(const Snapshot& snapshot, const RecallOptions& options) {
  return options.filter.valid_at != kNoTime ? options.filter.valid_at
                                            : snapshot.TimeOr(options.now_ms);
}

// What a question may show.
struct ShownNodes {
  Visible allowed;      // of the answer
  Visible standing;     // of them, those that nothing superseded
  NodeSubset matching;  // of the allowed ones those that may be hits
};

Result<ShownNodes> ShownBy(const Snapshot& snapshot, const RecallOptions& options) {
  const auto select = [&](bool superseded) {
    return VisibleIn(snapshot, ValidTime(snapshot, options), options.filter.subset,
                     {.include_superseded = superseded, .run = options.run});
  };
  ShownNodes shown;
  PLEXUS_ASSIGN(shown.standing, select(false));
  if (options.include_superseded)
    PLEXUS_SET(shown.allowed, select(true));
  else
    shown.allowed = shown.standing;
  shown.matching =
      options.matching ? shown.allowed.nodes.Intersect(*options.matching) : shown.allowed.nodes;
  return shown;
}

class Answer {
 public:
  Answer(const Snapshot& snapshot, const RecallOptions& options, const ShownNodes& shown)
      : snapshot_(snapshot), options_(options), shown_(shown) {}

  // The first `top` of the ranking, 0: all, without contradicted ones if they are excluded.
  Status Take(std::vector<retrieval::RetrieveHit>& ranked, std::size_t top) {
    constexpr std::uint64_t kEvery = 256;
    std::uint64_t looked = 0;
    for (retrieval::RetrieveHit& one : ranked) {
      if (top != 0 && result.hits.size() == top) break;
      if (++looked % kEvery == 0 && options_.run.budget.Interrupted()) {
        result.truncated = true;
        break;
      }
      PLEXUS_ASSIGN(const ContradictionsOfNode against,
                    ContradictionsOf(snapshot_, one.node, shown_.standing));
      result.conflicts_truncated |= against.truncated;
      result.conflicts.insert(result.conflicts.end(), against.conflicts.begin(),
                              against.conflicts.end());
      if (options_.exclude_contradicted && !against.conflicts.empty()) {
        ++result.excluded;
        continue;
      }
      RecallHit hit{std::move(one)};
      for (const Conflict& c : against.conflicts)
        hit.contradicted_by.push_back(c.a == hit.node ? c.b : c.a);
      std::ranges::sort(hit.contradicted_by, {}, [&](NodeId node) { return snapshot_.key(node); });
      result.hits.push_back(std::move(hit));
    }
    const auto order = [](const Conflict& c) { return std::tuple(c.since, c.a, c.b); };
    std::ranges::sort(result.conflicts, {}, order);
    const auto [first, last] = std::ranges::unique(result.conflicts);
    result.conflicts.erase(first, last);
    return {};
  }

  Status AddRelations() {
    if (options_.related_hops == 0) return {};
    RelatedOptions related;
    related.filter.valid_at = shown_.allowed.now_ms;
    related.hops = options_.related_hops;
    related.top = options_.related_top;
    related.filter.kinds = options_.filter.kinds;
    related.filter.subset = &shown_.allowed.nodes;
    related.scope = shown_.allowed.scope;
    related.max_edges = options_.related_edges;
    related.run.budget = options_.run.budget;
    for (RecallHit& hit : result.hits) {
      PLEXUS_ASSIGN(RelatedResult found, RelatedTo(snapshot_, hit.node, related));
      hit.related = std::move(found.relations);
      hit.related_truncated = found.truncated;
    }
    return {};
  }

  Status AddHeads() {
    if (!options_.include_superseded) return {};
    std::vector<NodeId> nodes;
    for (const RecallHit& hit : result.hits) nodes.push_back(hit.node);
    PLEXUS_ASSIGN(const SupersessionHeads heads, HeadsOf(snapshot_, shown_.standing.now_ms, nodes));
    for (RecallHit& hit : result.hits)
      if (const NodeId head = heads.HeadOf(hit.node); head != hit.node)
        hit.superseded_by = shown_.standing.in_scope(head) ? head : kNoNode;
    return {};
  }

  // Vectors are compared where the question has one, as they are loaded then.
  Status AddDuplicates(const RecallQuery& question) {
    if (options_.near_duplicate > 1) return {};
    std::unordered_map<NodeId, RecallHit*> by_node;
    std::vector<NodeId> nodes;
    for (RecallHit& hit : result.hits) {
      nodes.push_back(hit.node);
      by_node[hit.node] = &hit;
    }
    NearDuplicatesOptions near;
    near.min_jaccard = options_.near_duplicate;
    near.top = 0;
    near.run = options_.run;
    near.run.budget.edges = std::min(near.run.budget.edges, kRecallDuplicateArcs);
    near.run.budget.nodes = std::min(near.run.budget.nodes, kRecallDuplicateVectors);
    if (question.vector.empty())
      near.min_cosine = 2;
    else
      near.space = snapshot_.schema().spaces()[question.space].name;
    PLEXUS_ASSIGN(const NearDuplicatesResult found,
                  NearSuperseded(snapshot_, nodes, shown_.standing, near));
    result.duplicates_truncated = found.truncated;
    for (const NearDuplicate& pair : found.pairs)
      by_node[pair.visible]->near_duplicate_of.push_back(pair);
    return {};
  }

  void Explain() {
    const auto name = [&](NodeId node) { return std::string(DisplayName(snapshot_.key(node))); };
    for (RecallHit& hit : result.hits) {
      hit.why = WhyOf(snapshot_, hit, options_, result.planned);
      if (hit.superseded_by)
        hit.why += *hit.superseded_by == kNoNode ? "; superseded"
                                                 : "; superseded by " + name(*hit.superseded_by);
      if (!hit.contradicted_by.empty()) {
        hit.why += "; contradicted by " + name(hit.contradicted_by.front());
        if (const std::size_t more = hit.contradicted_by.size() - 1; more > 0)
          hit.why += " and " + std::to_string(more) + " more";
      }
      if (!hit.near_duplicate_of.empty()) {
        const NearDuplicate& pair = hit.near_duplicate_of.front();
        hit.why += "; says nearly what " + name(pair.superseded) + " said, which " +
                   (pair.superseded_by == kNoNode ? "was superseded"
                                                  : name(pair.superseded_by) + " superseded");
      }
    }
  }

  RecallResult result;

 private:
  const Snapshot& snapshot_;
  const RecallOptions& options_;
  const ShownNodes& shown_;
};

// The plan of a question that has none.
retrieval::RetrievalPlan DefaultPlan(const Snapshot& snapshot, const RecallQuery& question,
                                     const RecallOptions& options, std::string_view& name) {
  const bool recall = !question.terms.empty() && HasRecallPlan(snapshot, options.top, options.run);
  name = recall ? kRecallPlan : kListsPlan;
  retrieval::RetrievalPlan plan = retrieval::FindPlan(name)->plan;
  plan.top = options.top > retrieval::PlanLimits::kMaxTop ? 0 : options.top;
  return plan;
}

Result<retrieval::RetrieveResult> Planned(const Snapshot& snapshot, retrieval::RetrievalPlan plan,
                                          const RecallQuery& question, const RecallOptions& options,
                                          const NodeSubset& matching) {
  if (options.filter.kinds.given()) plan.expand.kinds = options.filter.kinds;
  retrieval::RetrieveQuery asked{.terms = question.terms,
                                 .phrases = question.phrases,
                                 .vector = question.vector,
                                 .keys = question.keys,
                                 .text = question.text};
  if (!question.vector.empty() || plan.fuse == retrieval::Fusion::kMmr)
    asked.space = question.space;
  retrieval::RetrieveOptions how;
  how.subset = &matching;
  how.now_ms = snapshot.TimeOr(options.now_ms);
  how.valid_at = ValidTime(snapshot, options);
  how.salience = options.salience;
  how.outcome = options.outcome;
  how.preferred = options.preferred;
  how.measure_hits = true;
  // Others take the place of hits that are left out.
  constexpr std::size_t kLeastPool = 100;
  if (options.exclude_contradicted) how.hits = std::max(kLeastPool, 4 * plan.top);
  how.run = options.run;
  return retrieval::Retrieve(snapshot, plan, asked, how);
}

}  // namespace

std::vector<ColumnId> SalienceColumns(const Schema& schema) {
  std::vector<ColumnId> columns = {builtin::kRetention, builtin::kTrust};
  if (const auto column = schema.FindColumn("salience");
      column && schema.columns()[*column].type == ColumnType::kF64)
    columns.insert(columns.begin(), *column);
  return columns;
}

bool HasRecallPlan(const Snapshot& snapshot, std::size_t top, const RunOptions& run) {
  return top >= 1 && top <= kRecallPlanTop &&
         retrieval::CountTexts(snapshot, run) >= kRecallPlanTexts;
}

Result<RecallResult> Recall(const Snapshot& snapshot, const RecallQuery& asked,
                            const RecallOptions& given) try {
  RecallQuery question = asked;
  RecallOptions options = given;
  std::vector<std::string> words;
  if (!asked.text.empty()) {
    PLEXUS_ASSIGN(words, retrieval::QueryTerms(snapshot, asked.text));
    words.insert(words.end(), asked.terms.begin(), asked.terms.end());
    question.terms = words;
  }
  if (options.related_hops < 0 || options.related_hops > kMaxRelatedHops ||
      options.related_top == 0 || options.related_top > kMaxRelated)
    return Invalid("relations are of 0 to ", kMaxRelatedHops, " hops, 1 to ", kMaxRelated,
                   " a memory");
  const Result<ShownNodes> visible = ShownBy(snapshot, options);
  if (!visible && visible.error().code == ErrorCode::kCancelled) {
    RecallResult late;
    late.truncated = true;
    return late;
  }
  PLEXUS_ASSIGN(const ShownNodes shown, visible);
  std::vector<ColumnId> columns;
  if (options.salience.list.empty() && options.salience.columns.empty() &&
      !options.salience.otherwise) {
    columns = SalienceColumns(snapshot.schema());
    options.salience.columns = columns;
    options.salience.otherwise = kUnknownTrust;
  }
  Answer answer(snapshot, options, shown);
  RecallResult& result = answer.result;
  const retrieval::RetrievalPlan plan =
      options.plan ? *options.plan : DefaultPlan(snapshot, question, options, result.plan);
  PLEXUS_ASSIGN(result.planned, Planned(snapshot, plan, question, options, shown.matching));
  result.truncated = result.planned.truncated;
  PLEXUS_TRY(answer.Take(result.planned.hits, plan.top != 0 ? plan.top : options.top));
  PLEXUS_TRY(answer.AddRelations());
  PLEXUS_TRY(answer.AddHeads());
  PLEXUS_TRY(answer.AddDuplicates(question));
  answer.Explain();
  result.planned.hits.clear();
  return std::move(result);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
