// One value a term, one clause a fact.
#include "algorithms/memory/recall/recall.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "algorithms/memory/ledger/internal/trust.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::memory {
namespace {

constexpr std::array<std::string_view, kRecallTerms> kNames = {
    "text", "similarity", "path", "recency", "salience", "frequency", "scope"};

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
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 2).ptr;
  return std::string(text, end);
}

std::optional<std::int64_t> LastUse(const Snapshot& snapshot, NodeId node) {
  if (const auto accessed = snapshot.i64(builtin::kAccessedAt, node)) return accessed;
  return snapshot.i64(builtin::kCreatedAt, node);
}

}  // namespace

std::string_view RecallTermName(RecallTerm term) { return kNames[static_cast<std::size_t>(term)]; }

std::optional<RecallTerm> RecallTermNamed(std::string_view name) {
  const auto at = std::ranges::find(kNames, name);
  if (at == kNames.end()) return std::nullopt;
  return static_cast<RecallTerm>(at - kNames.begin());
}

Status CheckRecallWeights(const RecallWeights& weights) try {
  double sum = 0;
  for (std::size_t i = 0; i < kRecallTerms; ++i) {
    if (!(weights[i] >= 0 && weights[i] <= kMaxRecallWeight))
      return Invalid("the weight of ", kNames[i], " is a number from 0 to 1e9");
    sum += weights[i];
  }
  if (sum > 0) return {};
  return Invalid("every weight is 0: no term makes up the score");
}
PLEXUS_CATCH_NO_MEMORY

Result<RecallScorer> RecallScorer::Make(const Snapshot& snapshot, std::int64_t now_ms,
                                        const RecallTermOptions& options,
                                        const RecallSources& asked,
                                        const std::optional<RecallWeights>& weights) try {
  if (options.half_life_ms <= 0) return Invalid("the half-life of recency is above 0");
  if (options.full_count <= 0) return Invalid("the count of full frequency is above 0");
  if (weights) PLEXUS_TRY(CheckRecallWeights(*weights));
  for (const NodeId tag : options.tags)
    if (tag >= snapshot.node_count() || snapshot.node_kind(tag) != builtin::kTag)
      return Invalid("node ", tag, " is no tag");
  RecallScorer scorer;
  scorer.snapshot_ = &snapshot;
  scorer.now_ms_ = now_ms;
  scorer.options_ = options;
  scorer.asked_ = asked;
  scorer.weights_ = weights;
  const bool named = !options.salience_column.empty();
  const std::string name = named ? options.salience_column : "salience";
  const auto column = snapshot.schema().FindColumn(name);
  if (column && snapshot.schema().columns()[*column].type == ColumnType::kF64)
    scorer.salience_ = column;
  else if (named)
    return NotFound("no column of numbers '", name, "' to read salience from");
  return scorer;
}
PLEXUS_CATCH_NO_MEMORY

double RecallScorer::SalienceOf(NodeId node) const {
  if (salience_)
    if (const auto value = snapshot_->f64(*salience_, node)) return *value;
  return internal::TrustOf(*snapshot_, node);
}

std::string_view RecallScorer::Preferred(NodeId node) const {
  if (!options_.scopes.empty()) {
    const auto at = std::ranges::find(options_.scopes, snapshot_->scope(node));
    if (at != options_.scopes.end()) return *at;
  }
  std::string_view found;
  if (options_.tags.empty()) return found;
  snapshot_->ForEachArc(Direction::kOut, node,
                        ArcFilter::Kind(snapshot_->schema(), builtin::kHasTag),
                        [&](const Arc& arc) {
                          if (std::ranges::find(options_.tags, arc.neighbor) == options_.tags.end())
                            return true;
                          found = DisplayName(snapshot_->key(arc.neighbor));
                          return false;
                        });
  return found;
}

double RecallScorer::Value(RecallTerm term, NodeId node, const RecallEvidence& evidence) const {
  switch (term) {
    case RecallTerm::kText:
      return retrieval::UnitTerm(evidence.text);
    case RecallTerm::kSimilarity:
      return evidence.similarity ? retrieval::SimilarityTerm(*evidence.similarity, asked_.metric)
                                 : 0;
    case RecallTerm::kPath:
      return retrieval::UnitTerm(evidence.path.value_or(0));
    case RecallTerm::kRecency:
      return retrieval::RecencyTerm(LastUse(*snapshot_, node), now_ms_, options_.half_life_ms);
    case RecallTerm::kSalience:
      return retrieval::UnitTerm(SalienceOf(node));
    case RecallTerm::kFrequency:
      return retrieval::FrequencyTerm(snapshot_->i64(builtin::kAccessCount, node).value_or(0),
                                      options_.full_count);
    case RecallTerm::kInScope:
      return Preferred(node).empty() ? 0 : 1;
  }
  return 0;
}

std::vector<retrieval::ScoreTerm> RecallScorer::TermsOf(NodeId node,
                                                        const RecallEvidence& evidence) const {
  const bool prefers = !options_.scopes.empty() || !options_.tags.empty();
  const bool asked[kRecallTerms] = {asked_.words, asked_.vector, asked_.keys, true,
                                    true,         true,          prefers};
  std::vector<retrieval::ScoreTerm> terms;
  for (std::size_t i = 0; i < kRecallTerms; ++i) {
    const double weight = weights_ ? (*weights_)[i] : 0;
    if (!asked[i] && weight == 0) continue;
    terms.push_back({kNames[i], Value(static_cast<RecallTerm>(i), node, evidence), weight});
  }
  return terms;
}

std::string RecallScorer::Explain(NodeId node, const RecallEvidence& evidence) const {
  std::string text;
  const auto add = [&](const std::string& clause) { text += (text.empty() ? "" : "; ") + clause; };
  if (asked_.words) {
    std::string clause = "matches " + std::to_string(evidence.words_matched) + " of " +
                         Counted(asked_.word_count, "word");
    if (evidence.phrase_matched) clause += ", in that order";
    add(clause);
  }
  if (evidence.similarity) add("similarity " + TwoDigits(*evidence.similarity));
  if (evidence.path)
    add(Counted(evidence.hops, "hop") + " from " +
        std::string(DisplayName(snapshot_->key(evidence.seed))));
  const auto accessed = snapshot_->i64(builtin::kAccessedAt, node),
             created = snapshot_->i64(builtin::kCreatedAt, node);
  const std::int64_t uses = snapshot_->i64(builtin::kAccessCount, node).value_or(0);
  if (accessed)
    add("used " + Ago(*accessed, now_ms_) +
        (uses > 0 ? ", " + Counted(uses, "time") + " in all" : ""));
  else if (created)
    add("written " + Ago(*created, now_ms_) + ", never used");
  if (salience_ && snapshot_->f64(*salience_, node))
    add("salience " + TwoDigits(SalienceOf(node)));
  else if (snapshot_->f64(builtin::kRetention, node) || snapshot_->f64(builtin::kTrust, node))
    add("trust " + TwoDigits(SalienceOf(node)));
  if (const std::string_view asked = Preferred(node); !asked.empty())
    add("of " + std::string(asked));
  return text;
}

}  // namespace plexus::memory
