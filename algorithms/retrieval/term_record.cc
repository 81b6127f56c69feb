// The record is a map of properties, so every export and import knows how to carry it.
#include "algorithms/retrieval/terms.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/retrieval/internal/document.h"
#include "algorithms/retrieval/internal/texts_in_doubt.h"
#include "engine/properties/properties.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval {

namespace {

constexpr std::string_view kRecordName = "plexus.terms";

struct Switch {
  std::string_view name;
  bool TermOptions::*on;
};
constexpr Switch kSwitches[] = {{"fold_accents", &TermOptions::fold_accents},
                                {"split_identifiers", &TermOptions::split_identifiers},
                                {"cjk_bigrams", &TermOptions::cjk_bigrams},
                                {"fold_apostrophes", &TermOptions::fold_apostrophes},
                                {"fold_before_stems", &TermOptions::fold_before_stems},
                                {"keys", &TermOptions::keys},
                                {"all_keys", &TermOptions::all_keys},
                                {"event_queries", &TermOptions::event_queries}};

std::vector<std::string> Sorted(std::vector<std::string> words) {
  std::ranges::sort(words);
  const auto rest = std::ranges::unique(words);
  words.erase(rest.begin(), rest.end());
  return words;
}

template <class T>
bool Take(std::optional<T> value, T& to) {
  if (value) to = *value;
  return value.has_value();
}

bool TakeStrings(const PropertyView& list, std::vector<std::string>& to) {
  if (list.type() != PropertyType::kList) return false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto word = list[i].AsString();
    if (!word) return false;
    to.emplace_back(*word);
  }
  return true;
}

bool ReadMembers(const PropertyView& map, TermRecord& record) {
  TermOptions& terms = record.terms;
  const auto defaults = map.Find("default_stop_words"), words = map.Find("stop_words");
  if (!defaults || !Take(defaults->AsBool(), terms.default_stop_words)) return false;
  if (!words || !TakeStrings(*words, terms.stop_words)) return false;
  if (const auto names = map.Find("properties"); names && !TakeStrings(*names, terms.properties))
    return false;
  for (const Switch& s : kSwitches)
    if (const auto on = map.Find(s.name); on && !Take(on->AsBool(), terms.*s.on)) return false;
  if (const auto most = map.Find("max_term_bytes")) {
    const auto bytes = most->AsUint();
    if (!bytes) return false;
    terms.max_term_bytes = static_cast<std::size_t>(*bytes);
  }
  if (const auto stemmer = map.Find("stemmer")) {
    const auto name = stemmer->AsString();
    if (!name) return false;
    terms.stemmer = *name;
  }
  if (const auto partial = map.Find("partial"); partial && !Take(partial->AsBool(), record.partial))
    return false;
  if (const auto runs = map.Find("runs")) record.runs = runs->AsInt().value_or(0);
  return true;
}

}  // namespace

Result<TermRecord> ReadTermRecord(const Snapshot& snapshot) {
  TermRecord record;
  const auto node = snapshot.Find(IndexKey("inscription", kRecordName));
  if (node && snapshot.alive(*node))
    record.stored = snapshot.payload_ref(*node, NodeField::kProperties);
  if (!record.stored) {
    if (!HasTerms(snapshot)) record.terms = TermOptions::Recommended();
    return record;
  }
  PLEXUS_ASSIGN(const std::string bytes, snapshot.Payload(record.stored));
  const Result<PropertyMap> map = PropertyMap::Read(bytes);
  if (!map && map.error().code != ErrorCode::kCorruption) return std::unexpected(map.error());
  if (!map || !ReadMembers(map->root(), record))
    return Corrupted(
        "the record of the index of terms (inscription:plexus.terms) cannot be read; "
        "remove it and index all texts anew (IndexTerms, `plexus terms`)");
  return record;
}

Status WriteTermRecord(WriteBatch& batch, const TermRecord& before, const TermOptions& terms,
                       bool partial) {
  PropertyMapBuilder map;
  map.Int("runs", before.runs + 1);  // so that the same options are written again
  map.Bool("default_stop_words", terms.default_stop_words).BeginList("stop_words");
  for (const std::string& word : Sorted(terms.stop_words)) map.String(word);
  map.End();
  if (!terms.properties.empty()) {
    map.BeginList("properties");
    for (const std::string& name : Sorted(terms.properties)) map.String(name);
    map.End();
  }
  for (const Switch& s : kSwitches)
    if (terms.*s.on) map.Bool(s.name, true);
  if (terms.max_term_bytes != TermOptions().max_term_bytes)
    map.Uint("max_term_bytes", terms.max_term_bytes);
  if (!terms.stemmer.empty()) map.String("stemmer", terms.stemmer);
  if (partial) map.Bool("partial", true);
  PLEXUS_ASSIGN(const std::string bytes, map.Finish());
  const NodeRef node = TermRecordNode(batch);
  batch.UpsertNode(node);
  batch.SetPayload(node, NodeField::kProperties, bytes);
  batch.ExpectPayload(node, NodeField::kProperties, before.stored);
  return {};
}

NodeRef TermRecordNode(WriteBatch& batch) {
  return batch.IndexNode(builtin::kInscription, kRecordName);
}

bool SameOptions(const TermOptions& a, const TermOptions& b) {
  TermOptions left = a, right = b;
  left.stop_words = Sorted(a.stop_words);
  right.stop_words = Sorted(b.stop_words);
  left.properties = Sorted(a.properties);
  right.properties = Sorted(b.properties);
  return left == right;
}

Status CheckOptions(const TermRecord& record, const TermOptions& terms) {
  if (!record.stored || SameOptions(record.terms, terms)) return {};
  const TermOptions& kept = record.terms;
  std::string other = "stop_words";
  if (kept.default_stop_words != terms.default_stop_words) other = "default_stop_words";
  if (kept.max_term_bytes != terms.max_term_bytes) other = "max_term_bytes";
  if (kept.stemmer != terms.stemmer) other = "stemmer";
  if (Sorted(kept.properties) != Sorted(terms.properties)) other = "list of properties";
  for (const Switch& s : kSwitches)
    if (kept.*s.on != terms.*s.on) other = s.name;
  return FailedPrecondition(
      "the graph's index of terms was made with another ", other,
      ": leave the options out to use its own, or index all texts anew (IndexTerms, "
      "`plexus terms`)");
}

Result<NotIndexed> CountNotIndexed(const Snapshot& snapshot, const TermRecord& record,
                                   const NodeSubset* subset) {
  constexpr std::size_t kReadAtMost = 4'096;
  const ArcFilter has_term = ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm);
  std::vector<NodeId> doubtful;
  NotIndexed unread;
  for (const NodeId node : internal::TextsInDoubt::Of(snapshot, record.covers(), record.terms)) {
    if (!snapshot.is_fact(node) && (!record.terms.event_queries || subset)) continue;
    if (subset && !subset->contains(node)) continue;
    doubtful.push_back(node);
    const bool properties = !record.terms.properties.empty();
    const bool key_alone = snapshot.is_fact(node) && record.terms.all_keys &&
                           internal::NewestPart(snapshot, node, properties) == 0;
    if (key_alone) continue;  // its words may all be stop words
    // Properties may have none of those that are indexed.
    const bool one_alone =
        (internal::NewestPart(snapshot, node, false) > 0 ||
         snapshot.Degree(Direction::kOut, node, has_term) > 0) &&
        internal::TextsInDoubt::IsInDoubt(snapshot, has_term, node, 0, record.terms);
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

std::uint64_t CountNewerTexts(const Snapshot& snapshot, Sequence covers, const NodeSubset* subset,
                              const TermOptions& terms) {
  std::uint64_t count = 0;
  const auto look = [&](NodeId node) {
    if (internal::NewestPart(snapshot, node, !terms.properties.empty()) <= covers) return;
    count += snapshot.alive(node) && snapshot.is_fact(node) && (!subset || subset->contains(node));
  };
  if (covers > 0)
    for (const NodeId node : internal::TextsInDoubt::Of(snapshot, covers, terms)) look(node);
  else
    for (NodeId node = 0; node < snapshot.node_count(); ++node) look(node);
  return count;
}

Sequence NewestText(const Snapshot& snapshot, NodeId node, const TermOptions& terms) {
  return internal::NewestPart(snapshot, node, !terms.properties.empty());
}

}  // namespace plexus::retrieval
