// The terms of a recalled memory's score, each in [0, 1], and the sentence that explains it.
//
//   text         BM25 of the words, as a share of the most that a text could have
//   similarity   to the vector
//   path         the best product of weights and decays on a path from the keys
//   recency      exponential decay since the last use: accessed_at, else created_at
//   salience     a column, else trust as the ledger reads it: retention, else trust, else 0.5
//   frequency    ln(1 + access_count), full at a count
//   scope        1 for a memory of an asked scope or with an asked tag
//
// Formulas and sources: retrieval/score_terms.h. The terms are those of Codewhale's #536, with
// similarity and path next to them. A term that the question does not ask for, or whose list does
// not have the memory, is 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/retrieval/score_terms.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

// In the order of replies.
enum class RecallTerm : std::uint8_t {
  kText,
  kSimilarity,
  kPath,
  kRecency,
  kSalience,
  kFrequency,
  kInScope,
};
inline constexpr std::size_t kRecallTerms = 7;
// "text" ... "scope".
std::string_view RecallTermName(RecallTerm term);
std::optional<RecallTerm> RecallTermNamed(std::string_view name);

// By RecallTerm; each 0 to kMaxRecallWeight, and one of them above 0.
using RecallWeights = std::array<double, kRecallTerms>;
inline constexpr double kMaxRecallWeight = 1e9;
// Errors: kInvalidArgument: a weight that is no such number, by its name, or none above 0.
Status CheckRecallWeights(const RecallWeights& weights);

struct RecallTermOptions {
  std::int64_t half_life_ms = std::int64_t{30} * 86'400'000;  // Of recency; above 0.
  std::int64_t full_count = 100;  // Uses for which frequency is 1; above 0.
  // Of a number, at its nearer end of [0, 1]; "": "salience" if the graph has such a column of
  // numbers, else trust. A memory without a value has the trust, too.
  std::string salience_column = {};
  std::span<const std::string> scopes = {};
  std::span<const NodeId> tags = {};  // Index nodes.
};

// What the lists of a question know of a memory.
struct RecallEvidence {
  std::optional<double> words = {};  // BM25.
  double text = 0;                   // Its share of the bound.
  std::optional<double> similarity = {}, path = {};
  std::uint32_t words_matched = 0;
  bool phrase_matched = false;
  int hops = 0;  // Of the path, and where it starts.
  NodeId seed = kNoNode;
  bool operator==(const RecallEvidence&) const = default;
};

// What a question asks for.
struct RecallSources {
  bool words = false, vector = false, keys = false;
  std::uint32_t word_count = 0;  // Distinct ones.
  Metric metric = Metric::kCosine;
};

// Computes terms and sentences of one question. Keeps the addresses of its arguments.
class RecallScorer {
 public:
  // Errors: kInvalidArgument: half_life_ms or full_count out of range, or a tag that is no index
  //   node of kind tag. kNotFound: no such column, or not of numbers.
  static Result<RecallScorer> Make(const Snapshot& snapshot, std::int64_t now_ms,
                                   const RecallTermOptions& options, const RecallSources& asked,
                                   const std::optional<RecallWeights>& weights);

  // Those that are asked for or have a weight: recency, salience and frequency always.
  // Complexity: O(tags of the node). Threads: thread-safe.
  std::vector<ScoreTerm> TermsOf(NodeId node, const RecallEvidence& evidence) const;
  // "matches 2 of 2 words; used 3 days ago, 5 times; trust 0.80", without its full stop. A memory
  // without a trust of its own has no such clause.
  std::string Explain(NodeId node, const RecallEvidence& evidence) const;

 private:
  RecallScorer() = default;
  double Value(RecallTerm term, NodeId node, const RecallEvidence& evidence) const;
  double SalienceOf(NodeId node) const;
  // The scope or tag asked for that the node has; "" when it has none.
  std::string_view Preferred(NodeId node) const;

  const Snapshot* snapshot_ = nullptr;
  std::int64_t now_ms_ = 0;
  RecallTermOptions options_;
  RecallSources asked_;
  std::optional<RecallWeights> weights_;
  std::optional<ColumnId> salience_;
};

}  // namespace plexus
