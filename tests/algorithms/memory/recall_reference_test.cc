// Recall on random graphs in every shape, against slow references: relations, terms, ranking,
// conflicts, near-duplicates; and the same bits on one thread and on two.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "algorithms/memory/recall/recall.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/vectors.h"
#include "algorithms/traversal/traversal.h"
#include "tests/algorithms/memory/recall_world.h"
#include "tests/reference/conflicts.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
using namespace retrieval;
using namespace traversal;
namespace {

using reference::RelatedRow;

std::vector<RelatedRow> Rows(const Snapshot& s, const std::vector<Relation>& relations) {
  std::vector<RelatedRow> rows;
  for (const Relation& r : relations) {
    const int direction = r.direction == Direction::kOut  ? 0
                          : r.direction == Direction::kIn ? 1
                                                          : 2;
    rows.emplace_back(r.hop, s.key(r.node), s.schema().edge_kind(r.kind).name, s.key(r.from),
                      direction, s.string(r.label), r.text);
  }
  return rows;
}

template <class Check>
void ForEachRecallCase(Check&& check) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RecallRecord record;
    ForEachCase({RecallCase(seed, record)}, [&](const CaseGraph& g, Shape) {
      for (NodeId v = 0; v < kRecallFacts; ++v)
        record.memories[v].created_at = g.snapshot().i64(kCreatedAt, v);
      for (const std::int64_t now : {std::int64_t{0}, 15 * kRecallHour, 30 * kRecallHour})
        check(g, record, now, seed);
    });
  }
}

TEST(RecallReference, RelationsAreAllEdgesWithinTheHops) {
  ForEachRecallCase([](const CaseGraph& g, const RecallRecord&, std::int64_t now, std::uint64_t) {
    const Snapshot s = g.snapshot();
    const auto visible = VisibleNodes(s, now).value();
    const auto world = WorldOf(g, now, Standing(g, now));
    for (NodeId v = 0; v < kRecallFacts; ++v) {
      if (!world.stands[v]) continue;
      for (int hops = 0; hops <= 3; ++hops) {
        RelatedOptions options;
        options.filter.valid_at = now;
        options.hops = hops;
        options.top = kMaxRelated;
        options.filter.subset = visible.get();
        const auto wanted = reference::RelatedByDefinition(world, v, hops);
        const RelatedResult all = RelatedTo(s, v, options).value();
        ASSERT_EQ(Rows(s, all.relations), wanted) << v << " " << hops;
        EXPECT_FALSE(all.truncated);
        // A bound cuts the end of the list, and says so when there is more.
        for (const std::size_t top : {1, 3, 7}) {
          options.top = top;
          const RelatedResult some = RelatedTo(s, v, options).value();
          EXPECT_EQ(Rows(s, some.relations),
                    std::vector(wanted.begin(),
                                wanted.begin() +
                                    static_cast<std::ptrdiff_t>(std::min(top, wanted.size()))));
          EXPECT_EQ(some.truncated, wanted.size() > top);
        }
        options.top = kMaxRelated;
        options.max_edges = 4;
        const RelatedResult cut = RelatedTo(s, v, options).value();
        EXPECT_LE(cut.edges, 4u);
        for (const RelatedRow& row : Rows(s, cut.relations))
          EXPECT_TRUE(std::ranges::binary_search(wanted, row));
        if (cut.relations.size() < wanted.size()) {
          EXPECT_TRUE(cut.truncated);
        }
      }
    }
  });
}

// What Recall is asked with, drawn by a number.
struct DrawnQuestion {
  std::vector<std::string> terms;
  std::vector<float> vector;
  std::vector<NodeWeight> keys;
  std::vector<std::string> scopes = {"project"};
  std::vector<NodeId> tags = {static_cast<NodeId>(kRecallFacts)};
  RecallQuery question;
  RetrievalPlan plan = FindPlan(kListsPlan)->plan;
  RecallOptions options;

  DrawnQuestion(const CaseGraph& g, std::int64_t now, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::uint64_t parts = 1 + random() % 7;
    if (parts & 1)
      terms = {RecallWord(random() % kRecallWords), RecallWord(random() % kRecallWords)};
    if (parts & 2) vector = {static_cast<float>(random() % 5) - 2, 1};
    if (parts & 4)
      for (NodeId v = 0; v < kRecallFacts && keys.size() < 2; ++v)
        if (g.alive(v) && random() % 4 == 0) keys.push_back({v, 1});
    if (keys.empty() && parts == 4) vector = {1, 1};
    question.terms = terms;
    question.vector = vector;
    question.space = g.snapshot().schema().FindSpace("default").value();
    question.keys = keys;
    options.now_ms = now;
    plan.top = random() % 3 == 0 ? 0 : 1 + random() % 6;
    options.top = plan.top;
    options.plan = &plan;
    options.include_superseded = random() % 2;
    options.exclude_contradicted = random() % 3 == 0;
    options.related_hops = static_cast<int>(random() % 3);
    plan.score.half_life_ms = 10 * kRecallHour;
    options.preferred = {scopes, tags};
    if (random() % 2) {
      plan.fuse = Fusion::kSum;
      for (const PlanTerm term :
           {PlanTerm::kWords, PlanTerm::kSimilarity, PlanTerm::kPath, PlanTerm::kRecency,
            PlanTerm::kSalience, PlanTerm::kFrequency, PlanTerm::kScope})
        plan.score[term] = static_cast<double>(random() % 4);
      plan.score[PlanTerm::kRecency] += 1;
    }
  }
};

using Terms = std::map<std::string, double>;
// By node: what is known of every candidate.
std::map<NodeId, Terms> TermsOfAll(const CaseGraph& g, const RecallRecord& record,
                                   const DrawnQuestion& asked, const NodeSubset& allowed,
                                   std::vector<std::vector<NodeId>>& lists,
                                   std::map<NodeId, double>& own_score) {
  const Snapshot s = g.snapshot();
  std::map<NodeId, Terms> found;
  const std::size_t length = asked.plan.top == 0 ? 0 : 100;
  if (!asked.terms.empty()) {
    const Bm25Result r = Bm25(s, asked.terms, {.top = length, .subset = &allowed}).value();
    double most = 0;
    for (const QueryTerm& term : r.terms) most += term.asked * term.idf * 2.2;
    lists.emplace_back();
    for (const Bm25Hit& m : r.hits) {
      found[m.node]["words"] = m.score / most;
      own_score[m.node] = m.score;
      lists.back().push_back(m.node);
    }
  }
  if (!asked.vector.empty()) {
    const NearestResult r =
        Nearest(s, asked.question.space, asked.vector, {.top = length, .subset = &allowed}).value();
    lists.emplace_back();
    for (const NearestHit& hit : r.hits) {
      found[hit.node]["similarity"] = hit.similarity;
      own_score[hit.node] = hit.similarity;
      lists.back().push_back(hit.node);
    }
  }
  if (!asked.keys.empty()) {
    TraverseOptions options;
    options.hops = 2;
    options.decay = 0.5;
    options.direction = Direction::kBoth;
    options.top = length;
    options.filter.valid_at = asked.options.now_ms;
    options.filter.subset = &allowed;
    const TraverseResult r = Traverse(s, asked.keys, options).value();
    lists.emplace_back();
    for (const TraverseHit& hit : r.hits) {
      found[hit.node]["path"] = std::min(1.0, hit.score);
      own_score[hit.node] = hit.score;
      lists.back().push_back(hit.node);
    }
  }
  for (auto& [node, terms] : found) {
    reference::RecallMemory memory = record.memories[node];
    memory.preferred =
        record.scopes[node] == "project" || g.edges().contains({node, kHasTag, kRecallFacts, ""});
    terms.merge(
        reference::RecallTermsByDefinition(memory, asked.options.now_ms, 10 * kRecallHour, 100));
  }
  return found;
}

TEST(RecallReference, RankingTermsAndMarksAreTheDefinitions) {
  const auto one = MakeTbbExecutor(1), two = MakeTbbExecutor(2);
  ForEachRecallCase(
      [&](const CaseGraph& g, const RecallRecord& record, std::int64_t now, std::uint64_t seed) {
        const Snapshot s = g.snapshot();
        const std::vector<bool> stands = Standing(g, now);
        const auto heads = reference::Heads(g.size(), g.Flat({kSupersedes}, nullptr, now).arcs);
        const auto open = reference::OpenPairs(stands, g.Flat({kContradicts}, nullptr, now).arcs);
        const auto near = NearDuplicates(s, {.now_ms = now, .min_cosine = 2, .top = 0}).value();
        const auto near_with_vectors = NearDuplicates(s, {.now_ms = now, .top = 0}).value();
        for (std::uint64_t draw = 0; draw < 12; ++draw) {
          DrawnQuestion asked(g, now, seed * 1000 + draw);
          SCOPED_TRACE(draw);
          const RecallOptions& options = asked.options;
          const auto allowed =
              VisibleNodes(s, now, {.include_superseded = options.include_superseded}).value();
          std::vector<std::vector<NodeId>> lists;
          std::map<NodeId, double> own_score;
          const auto terms = TermsOfAll(g, record, asked, *allowed, lists, own_score);
          // The whole ranking.
          std::vector<std::pair<double, NodeId>> ranked;
          const bool weighted = asked.plan.fuse == Fusion::kSum;
          if (weighted) {
            for (const auto& [node, values] : terms) {
              double score = 0;
              for (std::size_t i = 0; i < kPlanTerms; ++i) {
                const auto at = values.find(std::string(PlanTermName(PlanTerm(i))));
                if (at != values.end()) score += at->second * asked.plan.score.weights[i];
              }
              ranked.emplace_back(-score, node);
            }
          } else if (lists.size() == 1) {
            for (const NodeId node : lists[0]) ranked.emplace_back(-own_score[node], node);
          } else {
            for (const FusedNode& fused : FuseRanks(lists))
              ranked.emplace_back(-fused.score, fused.node);
          }
          const auto contradicted = [&](NodeId node) {
            std::set<std::string> others;
            for (const auto& [a, b] : open)
              if (a == node || b == node) others.emplace(s.key(a == node ? b : a));
            return others;
          };
          std::ranges::sort(ranked);
          if (options.exclude_contradicted)
            std::erase_if(ranked, [&](const auto& r) { return !contradicted(r.second).empty(); });
          if (const std::size_t top = asked.plan.top; top != 0 && ranked.size() > top)
            ranked.resize(top);

          const auto result = Recall(s, asked.question, options);
          ASSERT_TRUE(result) << result.error().ToString();
          ASSERT_EQ(result->hits.size(), ranked.size());
          std::set<std::pair<NodeId, NodeId>> pairs;
          for (std::size_t i = 0; i < ranked.size(); ++i) {
            const RecallHit& hit = result->hits[i];
            EXPECT_NEAR(hit.score, -ranked[i].first, 1e-9);
            const Terms& wanted = terms.at(hit.node);
            double score = 0;
            for (const ScoreTerm& term : hit.terms) {
              const auto at = wanted.find(std::string(term.name));
              EXPECT_NEAR(term.value, at == wanted.end() ? 0 : at->second, 1e-9) << term.name;
              EXPECT_TRUE(term.value >= -1 && term.value <= 1) << term.name;
              score += term.value * term.weight;
            }
            if (weighted) {
              EXPECT_EQ(hit.score, score);
            }
            EXPECT_FALSE(hit.why.empty());
            EXPECT_EQ(hit.superseded_by,
                      heads[hit.node] == hit.node ? std::nullopt : std::optional(heads[hit.node]));
            std::set<std::string> others;
            for (const NodeId node : hit.contradicted_by) others.emplace(s.key(node));
            EXPECT_EQ(others, contradicted(hit.node));
            for (const NodeId node : hit.contradicted_by)
              pairs.emplace(std::min(node, hit.node), std::max(node, hit.node));
            std::map<NodeId, double> repeats, wanted_repeats;
            for (const NearDuplicate& p : hit.near_duplicate_of) repeats[p.superseded] = p.jaccard;
            for (const NearDuplicate& p : (asked.vector.empty() ? near : near_with_vectors).pairs)
              if (p.visible == hit.node) wanted_repeats[p.superseded] = p.jaccard;
            // A pair that vectors alone make has no Jaccard in one of both ways to find it.
            for (auto* list : {&repeats, &wanted_repeats})
              for (auto& [old, jaccard] : *list) jaccard = jaccard >= 0.5 ? jaccard : 0;
            EXPECT_EQ(repeats, wanted_repeats);
          }
          std::set<std::pair<NodeId, NodeId>> listed;
          for (const Conflict& c : result->conflicts) listed.emplace(c.a, c.b);
          EXPECT_TRUE(std::ranges::includes(listed, pairs));
          if (!options.exclude_contradicted) {
            EXPECT_EQ(listed, pairs);
          }
          EXPECT_TRUE(std::ranges::includes(open, listed));
          // The same bits on any number of threads.
          for (Executor* executor : {one.get(), two.get()}) {
            RecallOptions more = options;
            more.run.executor = executor;
            const auto again = Recall(s, asked.question, more).value();
            ASSERT_EQ(again.hits.size(), result->hits.size());
            for (std::size_t i = 0; i < again.hits.size(); ++i) {
              EXPECT_EQ(again.hits[i].node, result->hits[i].node);
              EXPECT_EQ(again.hits[i].score, result->hits[i].score);
              EXPECT_EQ(again.hits[i].terms, result->hits[i].terms);
              EXPECT_EQ(again.hits[i].related, result->hits[i].related);
              EXPECT_EQ(again.hits[i].why, result->hits[i].why);
            }
            EXPECT_EQ(again.conflicts, result->conflicts);
          }
        }
      });
}

TEST(RecallReference, NearSupersededIsNearDuplicatesFromTheOtherSide) {
  ForEachRecallCase([](const CaseGraph& g, const RecallRecord&, std::int64_t now, std::uint64_t) {
    const Snapshot s = g.snapshot();
    std::vector<NodeId> all;
    for (NodeId v = 0; v < s.node_count(); ++v) all.push_back(v);
    const Visible visible = VisibleIn(s, now, nullptr).value();
    for (const double least : {0.2, 0.5, 1.0})
      for (const double cosine : {0.9, 2.0}) {
        NearDuplicatesOptions options;
        options.now_ms = now;
        options.min_jaccard = least;
        options.min_cosine = cosine;
        options.top = 0;
        const auto from_old = NearDuplicates(s, options).value();
        const auto from_visible = NearSuperseded(s, all, visible, options).value();
        ASSERT_EQ(from_old.pairs.size(), from_visible.pairs.size());
        for (std::size_t i = 0; i < from_old.pairs.size(); ++i) {
          const NearDuplicate &a = from_old.pairs[i], &b = from_visible.pairs[i];
          EXPECT_EQ(a.superseded, b.superseded);
          EXPECT_EQ(a.visible, b.visible);
          EXPECT_EQ(a.superseded_by, b.superseded_by);
          EXPECT_EQ(a.jaccard, b.jaccard);
          EXPECT_EQ(a.shared, b.shared);
          EXPECT_EQ(a.cosine.has_value(), b.cosine.has_value());
          if (a.cosine && b.cosine) {
            EXPECT_NEAR(*a.cosine, *b.cosine, 1e-9);
          }
        }
        options.run.budget.edges = 3;
        const auto cut = NearSuperseded(s, all, visible, options).value();
        if (cosine > 1) {
          EXPECT_LE(cut.pairs.size(), from_visible.pairs.size());
        }
        if (cut.pairs.size() < from_visible.pairs.size()) {
          EXPECT_TRUE(cut.truncated);
        }
      }
  });
}

}  // namespace
}  // namespace plexus::testing
