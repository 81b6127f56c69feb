// Names of what is shared, and two sentences made of them.
#include "algorithms/memory/frontier/internal/surface/surface_reply.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "algorithms/memory/frontier/internal/frontier_cursor.h"
#include "algorithms/memory/frontier/internal/pair_lens.h"
#include "algorithms/memory/frontier/internal/surface/surface_pairs.h"
#include "algorithms/memory/ledger/internal/prior_outcomes.h"

namespace plexus::memory::internal {

namespace {

constexpr std::size_t kShownTerms = 8, kReasonTerms = 4, kQuestionTerms = 3;

std::string Joined(std::span<const std::string> names, std::string_view between = ", ") {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += between;
    text += name;
  }
  return text;
}
std::span<const std::string> First(const std::vector<std::string>& names, std::size_t count) {
  return std::span(names).first(std::min(count, names.size()));
}

std::string AnchorOf(const NeverComposedSet& set) {
  std::vector<std::string> parts;
  if (!set.shared_tags.empty()) parts.push_back("shared tags " + Joined(set.shared_tags));
  if (!set.shared_terms.empty())
    parts.push_back("shared terms " + Joined(First(set.shared_terms, kReasonTerms)));
  if (set.cosine) parts.push_back("near vectors");
  if (parts.empty())
    parts.push_back(!set.partners.empty() ? "the same partners"
                    : set.proof.empty()   ? "nothing said in common"
                                          : "a path of recorded edges");
  return Joined(parts, " and ");
}

std::string ReasonOf(const NeverComposedSet& set, const std::vector<std::string>& types) {
  if (!set.boundary_tags.empty())
    return "Untried bridge across " + Joined(set.boundary_tags) + " with " + AnchorOf(set);
  if (std::any_of(types.begin(), types.end(), [&](const auto& t) { return t != types[0]; }))
    return "Untried " + Joined(types, " -> ") + " composition with " + AnchorOf(set);
  return "Never composed despite " + AnchorOf(set);
}

std::string QuestionOf(const NeverComposedSet& set, const std::vector<std::string>& types) {
  std::string text = "What changes if ";
  for (std::size_t i = 0; i < types.size(); ++i)
    text += (i == 0 ? "a " : i + 1 == types.size() ? " and a " : ", a ") + types[i] + " memory";
  const std::string through = !set.boundary_tags.empty() ? Joined(set.boundary_tags)
                              : !set.shared_tags.empty()
                                  ? Joined(set.shared_tags)
                                  : Joined(First(set.shared_terms, kQuestionTerms));
  return text + " are composed" + (through.empty() ? "?" : " through " + through + "?");
}

}  // namespace

std::uint64_t SetsOf(std::uint64_t members, int arity) {
  long double sets = 1;
  for (int i = 0; i < arity; ++i)
    sets = sets * static_cast<long double>(members - static_cast<std::uint64_t>(i)) / (i + 1);
  return members < static_cast<std::uint64_t>(arity) ? 0
         : sets > 1.8e19L                            ? ~std::uint64_t{0}
                                                     : static_cast<std::uint64_t>(sets + 0.5L);
}

NeverComposedPage PageOf(const SurfaceScore& score, std::uint64_t members, const RankedList& list) {
  const NeverComposedOptions& options = score.options();
  NeverComposedPage page;
  page.pool = members;
  page.truncated = list.truncated;
  page.compared = list.compared;
  page.scored = list.scored;
  const std::uint64_t sets = SetsOf(members, options.arity);
  page.pruned = sets - std::min(sets, list.scored);
  for (const RankedRows& set : list.sets) page.sets.push_back(DescribeSet(score, set.rows));
  if (list.more && !page.sets.empty())
    page.next = WriteCursor(*score.pool().snapshot, options,
                            {page.sets.back().score, page.sets.back().members});
  if (page.sets.empty())
    page.why_empty = members < static_cast<std::uint64_t>(options.arity)
                         ? "The pool has too few memories."
                         : "Nothing that shares a tag or term is left that was never composed.";
  return page;
}

void NameShared(const SurfacePool& pool, std::span<const Row> members, NeverComposedSet& set) {
  std::map<Token, int> carriers;
  std::vector<std::string>& types = set.types;
  types.clear();
  for (const Row r : members) {
    for (const Token t : pool.tags(r)) ++carriers[t];
    for (const Token t : pool.row_terms(r)) ++carriers[t];
    types.emplace_back(pool.type(r));
  }
  std::vector<std::pair<std::uint32_t, std::string>> terms;
  std::map<std::string, std::string> words;  // by stem
  if (pool.stem_words) {
    std::vector<NodeId> nodes;
    for (const Row r : members) nodes.push_back(pool.nodes[r]);
    words = pool.stem_words->Of(*pool.snapshot, nodes);
  }
  for (const auto& [token, count] : carriers) {
    std::string name = pool.Name(token);
    if (const auto word = words.find(name); !IsTag(token) && word != words.end())
      name = word->second;
    if (IsBoundary(token)) set.boundary_tags.push_back(name);
    if (count < 2) continue;
    if (IsTag(token))
      set.shared_tags.push_back(name);
    else
      terms.emplace_back(Specificity(name), name);
  }
  std::sort(set.shared_tags.begin(), set.shared_tags.end());
  std::sort(set.boundary_tags.begin(), set.boundary_tags.end());
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (terms.size() > kShownTerms) terms.resize(kShownTerms);
  for (auto& [specificity, term] : terms) set.shared_terms.push_back(std::move(term));
  set.reason = ReasonOf(set, types);
  set.question = QuestionOf(set, types);
}

NeverComposedSet DescribeSet(const SurfaceScore& score, std::span<const Row> members) {
  const SurfacePool& pool = score.pool();
  const std::vector<PairParts> parts = PartsOf(score, members);
  const SetNumbers n = score.Numbers(members, parts);
  NeverComposedSet set;
  for (const Row r : members) set.members.push_back(pool.nodes[r]);
  set.score = n.score;
  set.terms = {{"anchor", n.anchor, 1},
               {"band", n.band, 1},
               {"bridge", n.bridge, kBridgeWeight},
               {"novelty", n.novelty, kNoveltyWeight},
               {"trust", n.least ? n.min_trust : n.mean_trust, 1},
               {"adjustment", n.adjustment, 1}};
  set.novelty = n.novelty;
  set.bridge = n.bridge;
  set.anchor = n.anchor;
  set.adjustment = n.adjustment;
  set.mean_trust = n.mean_trust;
  set.min_trust = n.min_trust;
  if (members.size() == 2) set.cosine = parts[0].cosine;
  if (score.extras().fit) {
    set.terms.push_back({"structural_fit", n.fit, score.options().structural_fit_weight});
    set.structural_fit = n.fit;
  }
  set.prior_outcomes = OutcomeNames(n.outcomes);
  set.prior_events = PriorEvents(*pool.snapshot, *pool.ledger, set.members);
  set.outcome_signal = OutcomeSignal(n.outcomes);
  set.level = LevelOf(*pool.ledger, set.members);
  NameShared(pool, members, set);
  return set;
}

}  // namespace plexus::memory::internal
