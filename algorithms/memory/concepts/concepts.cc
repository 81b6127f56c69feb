// What writes concepts: upsert, affect, episode, relate. Each reads a snapshot and fills a batch.
// Then dampening, activation along relations, and search by vector and arousal.
#include "algorithms/memory/concepts/concepts.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <utility>

#include "algorithms/common/internal/interruptible_arcs.h"
#include "algorithms/common/internal/top_k.h"
#include "algorithms/memory/concepts/internal/concept_graph.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::memory {

namespace {

using namespace internal;

// YYYYMMDD in UTC.
Result<std::string> DayOf(std::int64_t now_ms) {
  constexpr std::int64_t kYearZeroMs = -62'167'219'200'000;
  if (now_ms < kYearZeroMs || now_ms > kMaxTimeMs)
    return Invalid("now_ms: ", now_ms, " lies outside of the years 0 to 9999");
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(now_ms)};
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(time)};
  std::string text(8, '0');
  const auto put = [&](std::size_t last, unsigned value) {
    for (; value != 0; value /= 10) text[last--] = static_cast<char>('0' + value % 10);
  };
  put(3, static_cast<unsigned>(static_cast<int>(day.year())));
  put(5, static_cast<unsigned>(day.month()));
  put(7, static_cast<unsigned>(day.day()));
  return text;
}

// The first of base, base-2, base-3 ... that is no node's key, if they were taken in that order:
// doubling, then halving.
std::string FreeKey(const Snapshot& snapshot, const std::string& base) {
  const auto key = [&](std::uint64_t n) { return n == 1 ? base : base + "-" + std::to_string(n); };
  const auto taken = [&](std::uint64_t n) { return snapshot.Find(key(n)).has_value(); };
  if (!taken(1)) return base;
  std::uint64_t last_taken = 1, free = 2;
  while (taken(free)) last_taken = std::exchange(free, free * 2);
  while (free - last_taken > 1) {
    const std::uint64_t middle = last_taken + (free - last_taken) / 2;
    (taken(middle) ? last_taken : free) = middle;
  }
  return key(free);
}

// As much of the name, whole characters, as leaves room for a day before it and a number after it.
std::string_view Head(std::string_view name) {
  constexpr std::size_t kMost = Limits::kMaxKeyBytes - 32;
  if (name.size() <= kMost) return name;
  std::size_t end = kMost;
  while ((static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end);
}

// Names, each once, as given; blank ones are passed over. kInvalidArgument: none is left.
Result<std::vector<std::string>> NamesOf(std::span<const std::string> given) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  for (const std::string& one : given) {
    if (IsBlank(one)) continue;
    PLEXUS_TRY(CheckConceptName("concept", one));
    if (seen.insert(one).second) names.push_back(one);
  }
  if (names.empty()) return Invalid("an episode needs a concept that evokes it");
  return names;
}

// The concept, or for evokes the episode, that a relation leads to.
Result<NamedConcept> RelationTarget(const Snapshot& snapshot, EdgeKindId kind,
                                    std::string_view name, std::int64_t now_ms, WriteBatch& batch) {
  const std::optional<NodeId> node = snapshot.Find(name);
  if (kind == builtin::kEvokes && node && snapshot.alive(*node) &&
      snapshot.node_kind(*node) == builtin::kEpisode)
    return NamedConcept{NodeRef::Id(*node), *node};
  return ConceptIn(snapshot, name, kMentionedArousal, now_ms, batch);
}

std::optional<EdgeKindId> RelationNamed(const Schema& schema, std::string_view name) {
  for (const EdgeKindId kind : kRelations)
    if (schema.edge_kind(kind).name == name) return kind;
  return std::nullopt;
}

constexpr std::size_t kOverFetch = 4;

// What one relation of a source adds to a concept.
struct Share {
  NodeId target;
  double value;
};

}  // namespace

double Arousal(const Snapshot& snapshot, NodeId node, std::int64_t now_ms, std::int64_t tau_ms) {
  return Arousals(now_ms, tau_ms)(snapshot, node);
}

Result<UpsertConceptResult> UpsertConcept(const Snapshot& snapshot, std::string_view name,
                                          std::int64_t now_ms) try {
  PLEXUS_TRY(CheckTime(now_ms));
  PLEXUS_TRY(CheckConceptName("concept", name));
  UpsertConceptResult result;
  result.concept_id = name;
  result.batch.set_time_ms(now_ms);
  PLEXUS_ASSIGN(const NamedConcept named,
                ConceptIn(snapshot, name, kUpsertedArousal, now_ms, result.batch));
  result.created = named.created();
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<UpdateAffectResult> UpdateAffect(const Snapshot& snapshot, std::string_view name,
                                        double valence_delta, std::int64_t now_ms,
                                        std::int64_t tau_ms) try {
  PLEXUS_TRY(CheckTime(now_ms));
  PLEXUS_TRY(CheckFinite("valence delta", valence_delta));
  PLEXUS_TRY(CheckConceptName("concept", name));
  const double delta = std::clamp(valence_delta, -1.0, 1.0), level = std::abs(delta);
  UpdateAffectResult result;
  result.concept_id = name;
  result.batch.set_time_ms(now_ms);
  PLEXUS_ASSIGN(const NamedConcept named, ConceptIn(snapshot, name, level, now_ms, result.batch));
  result.created = named.created();
  const double before = named.created() ? 0.0 : ValenceOf(snapshot, named.node);
  result.valence = std::clamp(before + delta, -1.0, 1.0);
  result.clamped = delta != valence_delta || result.valence != before + delta;
  result.arousal = level;
  result.accessed_at = now_ms;
  if (result.valence != before || named.created()) {
    if (!named.created())
      result.batch.ExpectF64(named.ref, builtin::kValence,
                             snapshot.f64(builtin::kValence, named.node));
    result.batch.SetF64(named.ref, builtin::kValence, result.valence);
  }
  if (!named.created()) {
    const double arousal = Arousals(now_ms, tau_ms)(snapshot, named.node);
    if (level >= arousal) {
      Raise(snapshot, named.node, level, now_ms, result.batch);
    } else {
      result.arousal = arousal;
      const std::int64_t accessed = snapshot.i64(builtin::kAccessedAt, named.node).value_or(0);
      if (accessed > 0) result.accessed_at = accessed;
    }
    if (!result.batch.empty()) {
      result.batch.ExpectNode(named.ref);
      ExpectArousal(snapshot, named.node, result.batch);
    }
  }
  result.changed = !result.batch.empty();
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<AddEpisodeResult> AddEpisode(const Snapshot& snapshot, std::string_view summary,
                                    std::span<const std::string> concepts, double valence,
                                    std::int64_t now_ms, const AddEpisodeOptions& options) try {
  PLEXUS_TRY(CheckTime(now_ms));
  PLEXUS_TRY(CheckFinite("valence", valence));
  PLEXUS_TRY(CheckShare("weight", options.weight));
  PLEXUS_ASSIGN(const std::string day, DayOf(now_ms));
  if (IsBlank(summary)) return Invalid("summary: must not be empty");
  AddEpisodeResult result;
  result.batch.set_time_ms(now_ms);
  PLEXUS_ASSIGN(result.linked_concepts, NamesOf(concepts));
  result.valence = std::clamp(valence, -1.0, 1.0);
  result.clamped = result.valence != valence;
  result.episode_id =
      FreeKey(snapshot, day + "/" + std::string(Head(result.linked_concepts.front())));
  WriteBatch& batch = result.batch;
  const NodeRef episode = batch.ExpectNoNode(result.episode_id);
  batch.UpsertNode(episode, builtin::kEpisode);
  batch.SetPayload(episode, NodeField::kText, summary);
  batch.SetF64(episode, builtin::kValence, result.valence);
  for (const std::string& name : result.linked_concepts) {
    PLEXUS_ASSIGN(const NamedConcept named,
                  ConceptIn(snapshot, name, kMentionedArousal, now_ms, batch));
    if (named.created())
      ++result.created;
    else
      batch.ExpectNode(named.ref);
    batch.Link(named.ref, builtin::kEvokes, episode, static_cast<float>(options.weight));
  }
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<RelateResult> Relate(const Snapshot& snapshot, std::string_view from, std::string_view kind,
                            std::string_view to, std::int64_t now_ms,
                            const RelateOptions& options) try {
  PLEXUS_TRY(CheckTime(now_ms));
  PLEXUS_TRY(CheckShare("first weight", options.first_weight));
  PLEXUS_TRY(CheckShare("rate", options.rate));
  const std::optional<EdgeKindId> relation = RelationNamed(snapshot.schema(), kind);
  if (!relation)
    return Invalid("'", kind,
                   "' is no relation of concepts: is-a, part-of, "
                   "evokes");
  PLEXUS_TRY(CheckConceptName("from", from));
  PLEXUS_TRY(CheckConceptName("to", to));
  if (from == to) return Invalid("'", from, "' cannot be related to itself");
  RelateResult result;
  result.from = from;
  result.kind = kind;
  result.to = to;
  WriteBatch& batch = result.batch;
  batch.set_time_ms(now_ms);
  PLEXUS_ASSIGN(const NamedConcept a, ConceptIn(snapshot, from, kMentionedArousal, now_ms, batch));
  PLEXUS_ASSIGN(const NamedConcept b, RelationTarget(snapshot, *relation, to, now_ms, batch));
  result.concepts = std::uint64_t{a.created()} + std::uint64_t{b.created()};
  std::optional<Edge> known;
  // Also between nodes that become concepts here.
  const auto stored_source = snapshot.FindAlive(from), stored_target = snapshot.FindAlive(to);
  if (stored_source && stored_target)
    known = snapshot.FindEdge(*stored_source, *relation, *stored_target);

  float weight = options.reinforce ? static_cast<float>(options.first_weight) : 1.0f;
  WriteBatch::EdgeInput edge;
  edge.source = a.ref;
  edge.target = b.ref;
  edge.kind = *relation;
  if (known) {
    const bool valid = (known->valid_from == kNoTime || known->valid_from <= now_ms) &&
                       (known->valid_until == kNoTime || now_ms < known->valid_until);
    weight = known->weight;
    if (options.reinforce) {
      const double old = std::min(static_cast<double>(weight), 1.0);
      weight = static_cast<float>(1 - (1 - old) * (1 - options.rate));
    }
    result.weight = static_cast<double>(weight);
    if (valid && weight == known->weight && result.concepts == 0) return result;
    if (!valid) edge.valid_from = edge.valid_until = kNoTime;
  }
  result.created = !known;
  result.changed = true;
  result.weight = static_cast<double>(weight);
  edge.weight = weight;
  if (!a.created()) batch.ExpectNode(a.ref);
  if (!b.created()) batch.ExpectNode(b.ref);
  if (known)
    batch.ExpectWeight(a.ref, *relation, b.ref, known->weight);
  else
    batch.ExpectNoEdge(a.ref, *relation, b.ref);
  batch.Link(edge);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<DampenConceptResult> DampenConcept(const Snapshot& snapshot, std::string_view name,
                                          double ratio, std::int64_t now_ms,
                                          std::int64_t tau_ms) try {
  PLEXUS_TRY(CheckTime(now_ms));
  PLEXUS_TRY(CheckFinite("ratio", ratio));
  PLEXUS_TRY(CheckConceptName("concept", name));
  const NodeId node = FindConcept(snapshot, name);
  if (node == kNoNode) return NotFound("no concept '", name, "'");
  DampenConceptResult result;
  result.concept_id = name;
  result.batch.set_time_ms(now_ms);
  const double share = std::clamp(ratio, 0.0, 1.0);
  result.clamped = share != ratio;
  result.arousal = Arousals(now_ms, tau_ms)(snapshot, node) * (1 - share);
  result.changed = Raise(snapshot, node, result.arousal, now_ms, result.batch);
  if (result.changed) ExpectArousal(snapshot, node, result.batch);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<ActivateRelatedResult> ActivateRelated(const Snapshot& snapshot,
                                              std::span<const std::string> sources,
                                              std::int64_t now_ms,
                                              const ActivateRelatedOptions& options) try {
  PLEXUS_TRY(CheckTime(now_ms));
  PLEXUS_ASSIGN(const DecayTable table, DecayTable::Make(snapshot.schema(), options.decay));
  FoundConcepts found = FindConcepts(snapshot, sources);
  ActivateRelatedResult result;
  result.unknown = std::move(found.unknown);
  result.batch.set_time_ms(now_ms);
  const Arousals arousals(now_ms, options.tau_ms);
  const ArcFilter filter = ArcFilter::Kinds(snapshot.schema(), kRelations).ValidAt(now_ms);
  std::vector<Share> shares;
  std::uint64_t polled = 0;
  const auto poll = [&] {
    if (polled++ % 1024 == 0 && options.run.budget.Interrupted()) result.truncated = true;
    return !result.truncated;
  };
  std::ranges::sort(found.nodes);  // what a budget cuts does not depend on how they were given
  for (const NodeId source : found.nodes) {
    const double arousal = arousals(snapshot, source);
    for (const bool forward : {true, false})
      common_internal::ForEachArcInterruptible(
          snapshot, forward ? Direction::kOut : Direction::kIn, source, filter, poll,
          [&](const Arc& arc) {
            const double factor = table(arc.kind, forward);
            if (factor == 0 || snapshot.node_kind(arc.neighbor) != builtin::kConcept) return true;
            if (options.subset && !options.subset->contains(arc.neighbor)) return true;
            if (!snapshot.key(arc.neighbor).starts_with(options.prefix)) return true;
            if (shares.size() >= options.run.budget.edges) result.truncated = true;
            if (result.truncated) return false;
            const double weight = std::min(1.0, static_cast<double>(arc.weight));
            shares.push_back({arc.neighbor, arousal * weight * factor});
            return true;
          });
  }
  // Smallest first: the sum has one order, whatever the order of ids and sources.
  std::ranges::sort(shares, [](const Share& a, const Share& b) {
    return a.target != b.target ? a.target < b.target : a.value < b.value;
  });
  std::vector<RaisedConcept> risen;
  for (std::size_t i = 0; i < shares.size();) {
    const NodeId target = shares[i].target;
    double sum = 0;
    for (; i < shares.size() && shares[i].target == target; ++i) sum += shares[i].value;
    const double level = std::min(1.0, sum);
    if (level >= arousals(snapshot, target)) risen.push_back({target, level});
  }
  SortRaised(snapshot, risen);
  for (const RaisedConcept& one : risen)
    if (Raise(snapshot, one.node, one.level, now_ms, result.batch)) result.raised.push_back(one);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<SearchConceptsResult> SearchConcepts(const Snapshot& snapshot, std::int64_t now_ms,
                                            const SearchConceptsOptions& options) try {
  PLEXUS_TRY(CheckTime(now_ms));
  PLEXUS_TRY(CheckShare("cosine share", options.cosine_share));
  if (!options.space && !options.query.empty())
    return Invalid("a query vector needs a vector space");
  const Arousals arousals(now_ms, options.tau_ms);
  std::vector<NodeId> concepts;
  for (NodeId v = 0; v < snapshot.node_count(); ++v)
    if (snapshot.node_kind(v) == builtin::kConcept && snapshot.alive(v) &&
        (!options.subset || options.subset->contains(v)))
      concepts.push_back(v);

  SearchConceptsResult result;
  const auto better = [&](const ConceptHit& a, const ConceptHit& b) {
    if (a.score != b.score) return a.score > b.score;
    return snapshot.key(a.node) < snapshot.key(b.node);
  };
  std::vector<std::uint8_t> near(options.space ? snapshot.node_count() : 0, 0);
  if (options.space) {
    PLEXUS_ASSIGN(const NodeSubset subset, NodeSubset::Of(snapshot, concepts));
    retrieval::NearestOptions nearest;
    nearest.top = options.top > NodeId(-1) ? 0 : options.top * kOverFetch;
    nearest.metric = Metric::kCosine;
    nearest.subset = &subset;
    nearest.run = options.run;
    PLEXUS_ASSIGN(const retrieval::NearestResult found,
                  retrieval::Nearest(snapshot, *options.space, options.query, nearest));
    result.truncated = found.truncated;
    for (const retrieval::NearestHit& hit : found.hits) {
      const double arousal = arousals(snapshot, hit.node);
      const double score =
          options.cosine_share * hit.measure + (1 - options.cosine_share) * arousal;
      result.hits.push_back({hit.node, score, hit.measure, arousal});
      near[hit.node] = 1;
    }
    common_internal::SortTopK(result.hits, options.top, better);
  }
  if (options.top != 0 && result.hits.size() >= options.top) return result;
  const double share = options.space ? 1 - options.cosine_share : 1.0;
  std::vector<ConceptHit> rest;
  std::uint64_t polled = 0;
  for (const NodeId node : concepts) {
    if (polled++ % 1024 == 0 && options.run.budget.Interrupted()) {
      result.truncated = true;
      break;
    }
    if (!near.empty() && near[node]) continue;
    const double arousal = arousals(snapshot, node);
    rest.push_back({node, arousal, std::nullopt, arousal});
  }
  common_internal::SortTopK(rest, options.top == 0 ? 0 : options.top - result.hits.size(), better);
  for (ConceptHit& hit : rest) {
    hit.score = share * hit.arousal;
    result.hits.push_back(hit);
  }
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
