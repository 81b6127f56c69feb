// Which nodes a question names: the terms of a key, one after the other in the question.
//
// The question is a row of words. A key is split as texts are, but not into the parts of
// identifiers, which a query has at its end. Where the question's text is known, stop words are
// words of both: "what it does" is not in "what does". At the ends of a key they do not count.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/retrieval/internal/document.h"
#include "algorithms/retrieval/internal/plan/plan_run.h"
#include "algorithms/retrieval/terms.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval::internal {

namespace {

constexpr std::size_t kLongestKey = 256;  // bytes; a longer one is no name that is said
constexpr std::size_t kLookEvery = 64;    // keys between two looks at the clock

struct Name {
  NodeId node;
  std::size_t terms;                // without stop words
  std::size_t length;               // in words
  double idf;                       // of all terms
  std::vector<std::size_t> begins;  // places in the question
};

// "Move (1970 film)" -> "Move". Without such an end: empty.
std::string_view BeforeBrackets(std::string_view key) {
  if (!key.ends_with(')')) return {};
  const std::size_t open = key.rfind('(');
  return open == key.npos ? std::string_view() : key.substr(0, open);
}

class NameFinder {
 public:
  static Result<NameFinder> Make(const PlanRun& run) {
    PLEXUS_ASSIGN(TermRecord record, ReadTermRecord(run.snapshot));
    TermOptions options = std::move(record.terms);
    options.split_identifiers = options.cjk_bigrams = false;
    PLEXUS_ASSIGN(TermSplitter terms, TermSplitter::Make(options));
    return NameFinder(run, std::move(options), std::move(terms));
  }

  // What `text` says of the node, if the question says it.
  Result<std::optional<Name>> Find(NodeId node, std::string_view text) {
    if (text.empty() || !KeyMayHaveWords(text)) return std::nullopt;
    PLEXUS_ASSIGN(const std::vector<std::string> terms, terms_of_.Split(text));
    Name name{node, terms.size(), terms.size(), 0, {}};
    for (const std::string& term : terms) {
      const auto known = std::ranges::find(asked_.terms, term, &QueryTerm::term);
      if (known == asked_.terms.end()) return std::nullopt;
      name.idf += known->idf;
    }
    name.begins = PlacesOf(terms, terms_);
    if (name.begins.empty()) return std::nullopt;
    if (said_.empty()) return name;
    if (!words_of_) PLEXUS_TRY(SplitQuestion());
    PLEXUS_ASSIGN(const std::vector<std::string> words, words_of_->Split(text));
    const std::span<const std::string> row = WithoutOuterStops(words, terms);
    name.length = row.size();
    name.begins = PlacesOf(row, words_);
    if (name.begins.empty()) return std::nullopt;
    return name;
  }

 private:
  NameFinder(const PlanRun& run, TermOptions options, TermSplitter terms)
      : asked_(*run.words),
        said_(run.question.text),
        options_(std::move(options)),
        terms_of_(std::move(terms)),
        terms_(run.question.terms) {}

  // Into its words: when the first name is found, as most questions hold none.
  Status SplitQuestion() {
    options_.stop_words.clear();
    options_.default_stop_words = false;
    PLEXUS_ASSIGN(words_of_, TermSplitter::Make(options_));
    PLEXUS_ASSIGN(words_, words_of_->Split(said_));
    return {};
  }

  // Where `row`, which may be empty, begins in `question`.
  static std::vector<std::size_t> PlacesOf(std::span<const std::string> row,
                                           std::span<const std::string> question) {
    std::vector<std::size_t> places;
    if (row.empty()) return places;
    for (auto at = question.begin(); at != question.end(); ++at) {
      at = std::search(at, question.end(), row.begin(), row.end());
      if (at == question.end()) break;
      places.push_back(static_cast<std::size_t>(at - question.begin()));
    }
    return places;
  }
  // From the first term to the last one. The terms are the words in their order, without some.
  static std::span<const std::string> WithoutOuterStops(std::span<const std::string> words,
                                                        std::span<const std::string> terms) {
    std::size_t first = words.size(), end = 0, next = 0;
    for (std::size_t i = 0; i < words.size() && next < terms.size(); ++i) {
      if (words[i] != terms[next]) continue;
      ++next;
      first = std::min(first, i);
      end = i + 1;
    }
    return first < end ? words.subspan(first, end - first) : std::span<const std::string>();
  }

  const Bm25Result& asked_;
  std::string_view said_;  // the question's text; empty: not given
  TermOptions options_;
  TermSplitter terms_of_;                 // leaves out stop words
  std::span<const std::string> terms_;    // of the question
  std::optional<TermSplitter> words_of_;  // does not
  std::vector<std::string> words_;        // of the question
};

// Places of the question that a name took.
struct Span {
  std::size_t begin, end;
  bool operator==(const Span&) const = default;
  bool Apart(const Span& other) const { return end <= other.begin || other.end <= begin; }
};

// Takes the places that no longer name has. Names may share the whole of a place.
bool Take(std::vector<Span>& taken, const Name& name) {
  bool any = false;
  for (const std::size_t begin : name.begins) {
    const Span span{begin, begin + name.length};
    if (!std::ranges::all_of(taken, [&](const Span& t) { return t == span || t.Apart(span); }))
      continue;
    if (std::ranges::find(taken, span) == taken.end()) taken.push_back(span);
    any = true;
  }
  return any;
}

}  // namespace

Result<std::vector<NodeWeight>> NamedNodes(const PlanRun& run, std::span<const NodeId> nodes) {
  std::vector<NodeWeight> list;
  if (nodes.empty()) return list;
  PLEXUS_ASSIGN(NameFinder finder, NameFinder::Make(run));
  std::vector<Name> names;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i % kLookEvery == 0 && run.options.run.budget.Interrupted()) break;
    const std::string_view key = DisplayName(run.snapshot.key(nodes[i]));
    if (key.size() > kLongestKey) continue;
    PLEXUS_ASSIGN(std::optional<Name> name, finder.Find(nodes[i], key));
    if (!name) PLEXUS_SET(name, finder.Find(nodes[i], BeforeBrackets(key)));
    if (name) names.push_back(*std::move(name));
  }
  std::ranges::sort(names, [](const Name& a, const Name& b) {
    if (a.terms != b.terms) return a.terms > b.terms;
    return a.idf != b.idf ? a.idf > b.idf : a.node < b.node;
  });
  double whole = 0;
  for (const QueryTerm& term : run.words->terms)
    if (std::ranges::find(run.question.terms, term.term) != run.question.terms.end())
      whole += term.asked * term.idf;
  const double rarest = Bm25Idf(static_cast<double>(run.words->documents), 1);
  std::vector<Span> taken;
  for (const Name& name : names) {
    if (!Take(taken, name) || whole <= 0) continue;
    const double part = std::sqrt(std::min(1.0, name.idf / whole));
    list.push_back({name.node, name.terms == 1 ? part * name.idf / rarest : part});
  }
  std::ranges::stable_sort(list, std::ranges::greater(), &NodeWeight::weight);
  return list;
}

}  // namespace plexus::retrieval::internal
