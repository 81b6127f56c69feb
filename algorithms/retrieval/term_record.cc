// The record is a map of properties, so every export and import knows how to carry it.
// Nodes in doubt: all are looked at once, then those that batches touched.
#include "algorithms/retrieval/terms.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/retrieval/internal/document.h"
#include "engine/lineage.h"
#include "engine/properties/properties.h"
#include "engine/snapshot.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval {

namespace {

using internal::KeyMayHaveWords;
using internal::NewestPart;

constexpr std::string_view kRecordName = "plexus.terms";

struct Switch {
  std::string_view name;
  bool TermOptions::* on;
};
constexpr Switch kSwitches[] = {{"fold_accents", &TermOptions::fold_accents},
                                {"split_identifiers", &TermOptions::split_identifiers},
                                {"cjk_bigrams", &TermOptions::cjk_bigrams},
                                {"fold_apostrophes", &TermOptions::fold_apostrophes},
                                {"fold_before_stems", &TermOptions::fold_before_stems},
                                {"keys", &TermOptions::keys},
                                {"all_keys", &TermOptions::all_keys},
                                {"event_queries", &TermOptions::event_queries}};

// Each once.
template <class T>
std::vector<T> Sorted(std::vector<T> list) {
  std::ranges::sort(list);
  const auto rest = std::ranges::unique(list);
  list.erase(rest.begin(), rest.end());
  return list;
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

ArcFilter HasTerm(const Snapshot& snapshot) {
  return ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm);
}

// TextsInDoubt: nodes whose terms may not be those of their text; kept with the state.
//
// In doubt is a fact or an event with a text (or properties, where some are indexed) that is newer
// than what an index covers, or with one of text and terms and not the other. Where all keys are
// indexed, so is a fact without terms whose key may have words. A batch adds what it touched, so a
// question looks at these nodes and not at all of them.
class TextsInDoubt final : public Carried {
 public:
  static constexpr std::string_view kName = "texts in doubt";

  // Ascending: every node that is in doubt where the index covers texts up to `covers`.
  // O(nodes in doubt); where it is not kept, O(nodes).
  static std::vector<NodeId> Of(const Snapshot& snapshot, Sequence covers,
                                const TermOptions& terms) {
    const Indexed indexed(terms);
    // An index whose reach is not known is asked in another way.
    const std::uint32_t variant =
        (covers > 0 ? 1U : 0U) | (indexed.properties ? 2U : 0U) | (indexed.all_keys ? 4U : 0U);
    const ArcFilter has_term = HasTerm(snapshot);
    const auto kept = FindDerived<TextsInDoubt>(snapshot, variant);
    // What an index that reached less far left in doubt holds all that this one does.
    const bool serves = kept && kept->covers_ <= covers;
    std::vector<NodeId> nodes;
    const auto look = [&](NodeId node) {
      if (IsInDoubt(snapshot, has_term, node, covers, indexed)) nodes.push_back(node);
    };
    if (serves)
      for (const NodeId node : kept->nodes_) look(node);
    else
      for (NodeId node = 0; node < snapshot.node_count(); ++node) look(node);
    if (serves && (kept->nodes_.empty() || nodes.size() > kept->nodes_.size() / 2)) return nodes;
    std::shared_ptr<TextsInDoubt> made(new TextsInDoubt(covers, indexed));
    made->nodes_ = nodes;
    ReplaceDerived<TextsInDoubt>(snapshot, std::move(made), variant);
    return nodes;
  }

  // What an index has that is no text.
  struct Indexed {
    explicit Indexed(const TermOptions& terms)
        : properties(!terms.properties.empty()), all_keys(terms.all_keys) {}
    bool properties, all_keys;
  };
  // Of an index that covers nothing that is known (0): texts without terms, terms without a text.
  static bool IsInDoubt(const Snapshot& snapshot, const ArcFilter& has_term, NodeId node,
                        Sequence covers, const Indexed& indexed) {
    if (!snapshot.alive(node)) return false;
    const bool fact = snapshot.is_fact(node);
    if (!fact && snapshot.node_kind(node) != builtin::kEvent) return false;
    const Sequence newest = NewestPart(snapshot, node, indexed.properties);
    if (newest > 0 && covers > 0) return newest > covers;
    const bool has_terms = snapshot.Degree(Direction::kOut, node, has_term) > 0;
    if (newest > 0) return !has_terms;
    if (indexed.all_keys && fact) return !has_terms && KeyMayHaveWords(snapshot.key(node));
    return has_terms;
  }

  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override {
    constexpr std::size_t kMost = 1 << 16;  // They are copied with every batch.
    if (nodes_.size() > kMost) return nullptr;
    std::vector<NodeId> touched = changes.nodes;
    for (const StateChanges::Payload& p : changes.payloads)
      if (p.field == NodeField::kText || (p.field == NodeField::kProperties && indexed_.properties))
        touched.push_back(p.node);
    for (const StateChanges::Edge& e : changes.edges)
      if (e.kind == builtin::kHasTerm) touched.push_back(e.source);
    for (NodeId v = changes.first_new; v < now.node_count(); ++v) touched.push_back(v);
    touched = Sorted(std::move(touched));
    const ArcFilter has_term = HasTerm(now);
    std::shared_ptr<TextsInDoubt> made(new TextsInDoubt(covers_, indexed_));
    std::ranges::set_difference(nodes_, touched, std::back_inserter(made->nodes_));
    const auto middle = static_cast<std::ptrdiff_t>(made->nodes_.size());
    for (const NodeId node : touched)
      if (IsInDoubt(now, has_term, node, covers_, indexed_)) made->nodes_.push_back(node);
    std::ranges::inplace_merge(made->nodes_, made->nodes_.begin() + middle);
    return made;
  }
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override {
    return sizeof(*this) + nodes_.capacity() * sizeof(NodeId);
  }

 private:
  TextsInDoubt(Sequence covers, const Indexed& indexed) : covers_(covers), indexed_(indexed) {}

  Sequence covers_;
  Indexed indexed_;
  std::vector<NodeId> nodes_;  // ascending, in doubt by covers_ when they were added
};

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
  const ArcFilter has_term = HasTerm(snapshot);
  std::vector<NodeId> doubtful;
  NotIndexed unread;
  for (const NodeId node : TextsInDoubt::Of(snapshot, record.covers(), record.terms)) {
    if (!snapshot.is_fact(node) && (!record.terms.event_queries || subset)) continue;
    if (subset && !subset->contains(node)) continue;
    doubtful.push_back(node);
    const bool properties = !record.terms.properties.empty();
    const bool key_alone = snapshot.is_fact(node) && record.terms.all_keys &&
                           NewestPart(snapshot, node, properties) == 0;
    if (key_alone) continue;  // its words may all be stop words
    // Properties may have none of those that are indexed.
    const bool one_alone =
        (NewestPart(snapshot, node, false) > 0 ||
         snapshot.Degree(Direction::kOut, node, has_term) > 0) &&
        TextsInDoubt::IsInDoubt(snapshot, has_term, node, 0, TextsInDoubt::Indexed(record.terms));
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
    if (NewestPart(snapshot, node, !terms.properties.empty()) <= covers) return;
    count += snapshot.alive(node) && snapshot.is_fact(node) && (!subset || subset->contains(node));
  };
  if (covers > 0)
    for (const NodeId node : TextsInDoubt::Of(snapshot, covers, terms)) look(node);
  else
    for (NodeId node = 0; node < snapshot.node_count(); ++node) look(node);
  return count;
}

Sequence NewestText(const Snapshot& snapshot, NodeId node, const TermOptions& terms) {
  return NewestPart(snapshot, node, !terms.properties.empty());
}

}  // namespace plexus::retrieval
