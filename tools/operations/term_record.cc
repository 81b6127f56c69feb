// The record is a map of properties, so every export and import knows how to carry it.
#include "tools/operations/term_record.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/retrieval/term_index.h"
#include "engine/vocabulary.h"

namespace plexus::tools {
namespace {

constexpr std::string_view kRecordName = "terms";

struct Switch {
  std::string_view name;
  bool TermOptions::* on;
};
constexpr Switch kSwitches[] = {{"fold_accents", &TermOptions::fold_accents},
                                {"split_identifiers", &TermOptions::split_identifiers},
                                {"cjk_bigrams", &TermOptions::cjk_bigrams},
                                {"fold_apostrophes", &TermOptions::fold_apostrophes},
                                {"event_queries", &TermOptions::event_queries}};

std::vector<std::string> SortedWords(const TermOptions& options) {
  std::vector<std::string> words = options.stop_words;
  std::ranges::sort(words);
  const auto rest = std::ranges::unique(words);
  words.erase(rest.begin(), rest.end());
  return words;
}

Error Damaged() {
  return {ErrorCode::kCorruption,
          "the record of the index of terms (inscription:plexus.terms) cannot be read; "
          "remove it and run `plexus terms`"};
}

}  // namespace

Result<TermRecord> ReadTermRecord(const Snapshot& snapshot) {
  TermRecord record;
  PLEXUS_ASSIGN(record.stored, ReadRecord(snapshot, kRecordName));
  if (!record.stored) {
    if (!HasTerms(snapshot)) record.terms = TermOptions::Recommended();
    return record;
  }
  const boost::json::object& map = record.stored->properties;
  const auto* defaults = map.if_contains("default_stop_words");
  const auto* words = map.if_contains("stop_words");
  if (!defaults || !defaults->is_bool() || !words || !words->is_array())
    return std::unexpected(Damaged());
  record.terms.default_stop_words = defaults->get_bool();
  for (const boost::json::value& word : words->get_array()) {
    if (!word.is_string()) return std::unexpected(Damaged());
    record.terms.stop_words.emplace_back(word.get_string());
  }
  for (const Switch& s : kSwitches)
    if (const auto* on = map.if_contains(s.name)) {
      if (!on->is_bool()) return std::unexpected(Damaged());
      record.terms.*s.on = on->get_bool();
    }
  if (const auto* stemmer = map.if_contains("stemmer")) {
    if (!stemmer->is_string()) return std::unexpected(Damaged());
    record.terms.stemmer = stemmer->get_string();
  }
  return record;
}

Result<NotIndexed> CountNotIndexed(const Snapshot& snapshot, const TermRecord& record,
                                   const NodeSubset* subset) {
  constexpr std::size_t kReadAtMost = 4'096;
  const EdgeKindId kind[] = {kHasTerm};
  const ArcFilter has_term = ArcFilter::Kinds(snapshot.schema(), kind);
  std::vector<NodeId> doubtful;
  NotIndexed unread;
  for (NodeId node = 0; node < snapshot.node_count(); ++node) {
    const bool indexed = snapshot.is_fact(node) || (record.terms.event_queries && !subset &&
                                                    snapshot.node_kind(node) == kEvent);
    if (!snapshot.alive(node) || !indexed || (subset && !subset->contains(node))) continue;
    const PayloadRef text = snapshot.payload_ref(node, NodeField::kText);
    if (text && record.covers() > 0 && text.sequence() <= record.covers()) continue;
    const bool one_alone =
        static_cast<bool>(text) == (snapshot.Degree(Direction::kOut, node, has_term) == 0);
    if (!one_alone && (!text || record.covers() == 0)) continue;
    doubtful.push_back(node);
    ++(one_alone ? unread.facts : unread.not_compared);
  }
  if (doubtful.empty() || doubtful.size() > kReadAtMost) return unread;
  PLEXUS_ASSIGN(const NodeSubset read, NodeSubset::Of(snapshot, doubtful));
  IndexTermsOptions options;
  options.terms = record.terms;
  options.subset = &read;
  PLEXUS_ASSIGN(const IndexTermsReport report,
                IndexTerms(snapshot, options, [](const WriteBatch&) { return Status(); }));
  return NotIndexed{.facts = report.changed};
}

bool SameOptions(const TermOptions& a, const TermOptions& b) {
  TermOptions left = a, right = b;
  left.stop_words = SortedWords(a);
  right.stop_words = SortedWords(b);
  return left == right;
}

Status WriteTermRecord(WriteBatch& batch, const TermRecord& before, const TermOptions& terms) {
  boost::json::object map;
  map["default_stop_words"] = terms.default_stop_words;
  boost::json::array& words = map["stop_words"].emplace_array();
  for (const std::string& word : SortedWords(terms)) words.emplace_back(word);
  for (const Switch& s : kSwitches)
    if (terms.*s.on) map[s.name] = true;
  if (!terms.stemmer.empty()) map["stemmer"] = terms.stemmer;
  return WriteRecord(batch, kRecordName, std::move(map), before.stored);
}

}  // namespace plexus::tools
