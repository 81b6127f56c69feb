// Plain loops over all nodes; sums in the order that the definition says.
#include "tests/algorithms/retrieval/plan_oracle.h"

#include <algorithm>
#include <cmath>

#include "tests/reference/oracles.h"

namespace plexus::reference {
using namespace retrieval;

namespace {

struct Seed {
  double own = 0, start = 0;
  std::uint32_t found_by = 0;
  bool keep = false;
};
using Seeds = std::map<NodeId, Seed>;
using Values = std::map<NodeId, double>;

bool Passes(const PlanWorld& world, const PlanFilter& filter, const PlanNode& node) {
  if (!node.alive || !node.fact || !node.allowed) return false;
  const auto any = [](const std::vector<std::string>& wanted, const auto& has) {
    return wanted.empty() || std::ranges::any_of(wanted, has);
  };
  if (!filter.node_kinds.empty() &&
      std::ranges::find(filter.node_kinds, node.kind) == filter.node_kinds.end())
    return false;
  if (!any(filter.tags, [&](const std::string& t) { return node.tags.contains(t); })) return false;
  if (!any(filter.scopes, [&](const std::string& s) { return node.scope == s; })) return false;
  if (!filter.inscription.empty() && !node.inscriptions.contains(filter.inscription)) return false;
  if (filter.since != 0 && (!node.created_at || *node.created_at < filter.since)) return false;
  if (filter.until != 0 && (!node.created_at || *node.created_at >= filter.until)) return false;
  if (filter.valid_at != kNoTime) {
    if (node.valid_from && *node.valid_from > filter.valid_at) return false;
    if (node.valid_until && *node.valid_until <= filter.valid_at) return false;
  }
  return filter.where.empty() || world.where(node);
}

std::vector<bool> Findable(const PlanWorld& world, const PlanFilter& filter) {
  std::vector<bool> findable;
  for (const PlanNode& node : world.nodes) findable.push_back(Passes(world, filter, node));
  return findable;
}

// Best first, ties by id, cut.
std::vector<NodeWeight> Best(const Values& values, std::size_t top) {
  std::vector<NodeWeight> list;
  for (const auto& [node, value] : values) list.push_back({node, value});
  std::ranges::stable_sort(list, std::greater<>(), &NodeWeight::weight);
  if (top > 0 && list.size() > top) list.resize(top);
  return list;
}

// As likeness before it becomes a term; larger is nearer.
Values Likenesses(const PlanWorld& world, const std::vector<float>& query) {
  Values values;
  for (NodeId v = 0; v < world.nodes.size(); ++v) {
    if (world.nodes[v].vector.empty()) continue;
    const Likeness likeness = world.metric == Metric::kCosine ? Likeness::kCosine
                              : world.metric == Metric::kL2   ? Likeness::kDistance
                                                              : Likeness::kInnerProduct;
    const double measure = Measure(likeness, query, world.nodes[v].vector);
    values[v] = likeness == Likeness::kDistance ? 1 / (1 + measure) : measure;
  }
  return values;
}

// BM25, and that / its bound, of every node that has a term; in the order of the kernel's sums.
Values WordTerms(const PlanWorld& world, std::span<const std::string> query, Values& scores) {
  double documents = 0, total = 0;
  for (const PlanNode& node : world.nodes) {
    if (!node.alive || !node.fact || node.terms.empty()) continue;
    ++documents;
    for (const auto& [term, count] : node.terms) total += count;
  }
  std::vector<std::pair<std::string, double>> asked;
  for (const std::string& term : query) {
    const auto at = std::ranges::find(asked, term, &std::pair<std::string, double>::first);
    if (at == asked.end())
      asked.push_back({term, 1});
    else
      ++at->second;
  }
  const double k1 = 1.2, b = 0.75, average = total / documents;
  double bound = 0;
  for (const auto& [term, times] : asked) {
    double df = 0;
    for (const PlanNode& node : world.nodes)
      df += node.alive && node.fact && node.terms.contains(term);
    const double idf = df == 0 ? 0 : std::log(1 + (documents - df + 0.5) / (df + 0.5));
    bound += times * idf * (k1 + 1);
    for (NodeId v = 0; v < world.nodes.size(); ++v) {
      const PlanNode& node = world.nodes[v];
      if (!node.alive || !node.fact || !node.terms.contains(term)) continue;
      double length = 0;
      for (const auto& [t, count] : node.terms) length += count;
      const double tf = node.terms.at(term), norm = k1 * (1 - b + b * length / average);
      scores[v] += times * idf * tf * (k1 + 1) / (tf + norm);
    }
  }
  Values terms;
  for (const auto& [node, score] : scores) terms[node] = TextTerm(score, bound);
  return terms;
}

Values Only(const Values& values, const std::vector<bool>& nodes) {
  Values kept;
  for (const auto& [node, value] : values)
    if (nodes[node]) kept[node] = value;
  return kept;
}

void AddSeeds(Seeds& seeds, const std::vector<NodeWeight>& list, std::size_t number,
              const PlanSeeds& entry, std::size_t top, bool walks) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    Seed& seed = seeds[list[i].node];
    double start = list[i].weight;
    if (entry.by != SeedBy::kKeys && entry.starts < list.size() && top > 0 && list.size() >= top)
      start -= list.back().weight;
    if (entry.by == SeedBy::kKeys || i < entry.starts) {
      seed.own = std::max(seed.own, list[i].weight);
      if (walks || entry.by == SeedBy::kKeys) seed.start = std::max(seed.start, start);
    }
    seed.found_by |= 1u << number;
    seed.keep |= entry.keep;
  }
}

// Bellman-Ford by layers. A seed may lie outside of what is allowed; walks pass it all the same.
Values Walks(const PlanWorld& world, const PlanExpand& expand, int hops, const Seeds& seeds) {
  Values best, layer;
  const std::vector<FlatArc> arcs = Walkable(world.graph, expand.direction);
  const auto is_hub = [&](NodeId node) {
    const auto count = std::ranges::count(arcs, node, &FlatArc::from);
    return hops > 0 && expand.arcs > 0 && static_cast<std::uint64_t>(count) > expand.arcs;
  };
  for (const auto& [node, seed] : seeds)
    if (seed.start > 0 && !is_hub(node)) layer[node] = seed.start;
  best = layer;
  const Values starts = layer;
  for (int h = 0; h < hops; ++h) {
    Values next;
    for (const FlatArc& arc : arcs) {
      if (!layer.contains(arc.from)) continue;
      if (!world.nodes[arc.to].allowed && !starts.contains(arc.to)) continue;
      const double value = layer[arc.from] * static_cast<double>(arc.weight) * expand.decay;
      next[arc.to] = std::max(next[arc.to], value);
    }
    for (const auto& [node, value] : next) best[node] = std::max(best[node], value);
    layer = std::move(next);
  }
  if (expand.from == ExpandFrom::kKeys) {
    for (const auto& [node, start] : starts) best.erase(node);
    return best;
  }
  for (const auto& [node, seed] : seeds)
    if (seed.own > 0) best[node] = std::max(best[node], seed.own);
  return best;
}

struct Candidate {
  std::uint32_t found_by = 0;
  std::array<std::optional<double>, kPlanTerms> values = {};
};
using Candidates = std::map<NodeId, Candidate>;

void Put(Candidates& candidates, PlanTerm term, const Values& values) {
  for (auto& [node, c] : candidates)
    if (const auto at = values.find(node); at != values.end())
      c.values[static_cast<std::size_t>(term)] = at->second;
}

Values Degrees(const PlanWorld& world, const Candidates& candidates) {
  Values degrees;
  for (const auto& [node, c] : candidates) degrees[node] = 0;
  for (const FlatArc& a : world.graph.arcs) {
    if (a.mirrored || a.from == a.to || !degrees.contains(a.from) || !degrees.contains(a.to))
      continue;
    degrees[a.from] += static_cast<double>(a.weight);
    degrees[a.to] += static_cast<double>(a.weight);
  }
  double largest = 0;
  for (const auto& [node, degree] : degrees) largest = std::max(largest, degree);
  for (auto& [node, degree] : degrees) degree = largest > 0 ? degree / largest : 0;
  return degrees;
}

// `own`: of one list each hit has that.
void RankTerms(std::vector<PlanHit>& hits, const std::vector<double>& weights, bool own) {
  for (std::size_t t = 0; t < weights.size(); ++t) {
    for (PlanHit& hit : hits) {
      std::uint32_t before = 0;
      for (const PlanHit& other : hits)
        before += other.listed[t] > hit.listed[t] ||
                  (other.listed[t] == hit.listed[t] && other.node < hit.node);
      hit.ranks.push_back(hit.listed[t] && weights[t] != 0 ? before + 1 : 0);
    }
  }
  if (own && std::ranges::count_if(weights, [](double w) { return w != 0; }) == 1) {
    for (PlanHit& hit : hits) {
      hit.score = 0;
      for (std::size_t t = 0; t < weights.size(); ++t)
        if (weights[t] != 0) hit.score = hit.listed[t].value_or(0);
    }
    return;
  }
  for (PlanHit& hit : hits) {
    hit.score = 0;
    for (std::size_t t = 0; t < weights.size(); ++t)
      if (hit.ranks[t] > 0) hit.score += weights[t] / (60.0 + hit.ranks[t]);
  }
}

bool Better(const PlanHit& a, const PlanHit& b) {
  return a.score != b.score ? a.score > b.score : a.node < b.node;
}

// Takes one after the other; each time all that is left is scored anew.
std::vector<PlanHit> Diverse(const PlanWorld& world, const RetrievalPlan& plan,
                             std::vector<PlanHit> left, double weights, bool vectors,
                             std::size_t top) {
  std::vector<PlanHit> taken;
  while (!left.empty() && taken.size() < top) {
    for (PlanHit& hit : left) {
      double nearest = 0;
      for (const PlanHit& other : taken)
        if (const auto &a = world.nodes[other.node].vector, &b = world.nodes[hit.node].vector;
            vectors && !a.empty() && !b.empty())
          nearest = std::max(nearest, Measure(Likeness::kCosine, a, b));
      hit.score = plan.lambda * (hit.relevance / weights) - (1 - plan.lambda) * nearest;
    }
    const auto best = std::ranges::min_element(left, Better);
    taken.push_back(*best);
    left.erase(best);
  }
  return taken;
}

}  // namespace

PlanAnswer RunPlan(const PlanWorld& world, const RetrievalPlan& plan, const RetrieveQuery& question,
                   const RetrieveOptions& options) {
  const std::vector<bool> findable = Findable(world, plan.filter);
  const std::vector<float> query(question.vector.begin(), question.vector.end());
  Values words, bm25, likeness, similarity, pagerank;
  if (!question.terms.empty()) words = WordTerms(world, question.terms, bm25);
  if (!query.empty()) likeness = Likenesses(world, query);
  for (const auto& [node, value] : likeness)
    similarity[node] =
        world.metric == Metric::kCosine ? value : SimilarityTerm(value, world.metric);

  const bool lists = plan.fuse == Fusion::kLists, from_keys = plan.expand.from == ExpandFrom::kKeys;
  const auto asked = [&](PlanTerm term) {
    return term == PlanTerm::kSimilarity ? !query.empty()
           : term == PlanTerm::kWords    ? !question.terms.empty()
           : term == PlanTerm::kPath     ? !from_keys || !question.keys.empty()
           : term == PlanTerm::kScope    ? options.preferred.given()
                                         : true;
  };
  const auto weight_of = [&](std::size_t t) {
    return lists && !asked(PlanTerm(t)) ? 0 : plan.score.weights[t];
  };
  const auto shows = [&](std::size_t t) {
    return weight_of(t) != 0 || (plan.score.shown[t] && asked(PlanTerm(t)));
  };
  int fused = 0;
  for (std::size_t t = 0; t < kPlanTerms; ++t) fused += weight_of(t) != 0;
  const bool one = lists && fused == 1 && std::ranges::count(plan.score.required, true) == 0;
  const auto only = [&](PlanTerm term) { return one && weight_of(std::size_t(term)) != 0; };
  // How many times a plan's top, or all.
  const auto times = [&](std::size_t per_hit, std::size_t least, bool all_of_it) {
    if (plan.top == 0) return plan.top;
    if (all_of_it) return std::max(plan.top, options.hits);
    return std::max(per_hit * plan.top, least);
  };

  Seeds seeds;
  std::map<SeedBy, std::set<NodeId>> found;
  for (std::size_t i = 0; i < plan.seeds.size(); ++i) {
    const PlanSeeds& entry = plan.seeds[i];
    const bool whole = entry.keep && ((entry.by == SeedBy::kWords && only(PlanTerm::kWords)) ||
                                      (entry.by == SeedBy::kVector && only(PlanTerm::kSimilarity)));
    const std::size_t top =
        entry.per_hit > 0 ? times(entry.per_hit, entry.least, whole) : entry.top;
    std::vector<NodeWeight> list;
    switch (entry.by) {
      case SeedBy::kVector:
        list = Best(Only(likeness, findable), top);
        for (NodeWeight& found : list) found.weight = std::max(similarity[found.node], 0.0);
        break;
      case SeedBy::kWords:
        list = Best(Only(words, findable), top);
        break;
      case SeedBy::kNames:  // No key of these worlds has a word.
        break;
      case SeedBy::kKeys:
        list.assign(question.keys.begin(), question.keys.end());
        break;
      case SeedBy::kPageRank: {
        std::vector<NodeWeight> starts;
        for (const auto& [node, seed] : seeds)
          if (seed.own > 0 && world.nodes[node].allowed) starts.push_back({node, seed.own});
        if (seeds.empty())
          for (const NodeWeight& key : question.keys)
            if (world.nodes[key.node].allowed) starts.push_back(key);
        Values shares;
        if (!starts.empty())
          for (const NodeWeight& share : world.pagerank(starts))
            if (share.weight > 0) shares[share.node] = share.weight;
        list = Best(Only(shares, findable), top);
        const double largest = list.empty() ? 1 : list.front().weight;
        pagerank.clear();
        for (NodeWeight& share : list) pagerank[share.node] = share.weight = share.weight / largest;
        break;
      }
    }
    AddSeeds(seeds, list, i, entry, top, !from_keys);
    for (const NodeWeight& one : list) found[entry.by].insert(one.node);
  }

  std::vector<double> weights;
  double sum = 0;
  for (std::size_t t = 0; t < kPlanTerms; ++t) {
    if (shows(t)) weights.push_back(plan.score.weights[t]);
    sum += plan.score.weights[t];
  }
  PlanAnswer answer;
  const auto rank = [&](int hops, std::size_t top) {
    const PlanExpand& expand = plan.expand;
    const std::size_t most =
        expand.per_hit > 0 ? times(expand.per_hit, expand.top, only(PlanTerm::kPath)) : expand.top;
    Values walks = Walks(world, expand, hops, seeds);
    if (from_keys) {
      const std::vector<NodeWeight> best = Best(Only(walks, findable), most);
      walks.clear();
      for (const NodeWeight& node : best) walks[node.node] = node.weight;
    }
    Candidates candidates;
    for (const auto& [node, seed] : seeds)
      if (seed.keep && findable[node]) candidates[node].found_by = seed.found_by;
    Values reached;
    for (const auto& [node, value] : Only(walks, findable))
      if (!seeds.contains(node)) reached[node] = value;
    for (const NodeWeight& node : Best(reached, most)) candidates[node.node];
    answer.without_vector = 0;
    if (!query.empty())
      for (const auto& [node, c] : candidates) answer.without_vector += !likeness.contains(node);
    const auto in_lists = [&](const Values& values, PlanTerm term, SeedBy by) {
      Values kept;
      for (const auto& [node, value] : values)
        if (!lists || weight_of(std::size_t(term)) == 0 || found[by].contains(node))
          kept[node] = value;
      return kept;
    };
    Put(candidates, PlanTerm::kSimilarity,
        in_lists(similarity, PlanTerm::kSimilarity, SeedBy::kVector));
    Put(candidates, PlanTerm::kWords, in_lists(words, PlanTerm::kWords, SeedBy::kWords));
    Values paths, ages, recencies, frequencies, preferred;
    for (const auto& [node, value] : walks) paths[node] = UnitTerm(value);
    Put(candidates, PlanTerm::kPath, paths);
    Put(candidates, PlanTerm::kGraph, Degrees(world, candidates));
    Put(candidates, PlanTerm::kPageRank, pagerank);
    for (const auto& [node, c] : candidates) {
      const PlanNode& about = world.nodes[node];
      const auto recency = [&](const std::optional<std::int64_t>& then) {
        return RecencyTerm(then, options.now_ms, plan.score.half_life_ms);
      };
      if (about.created_at) ages[node] = recency(about.created_at);
      if (const auto last = about.accessed_at ? about.accessed_at : about.created_at)
        recencies[node] = recency(last);
      if (about.access_count)
        frequencies[node] = FrequencyTerm(*about.access_count, plan.score.full_count);
      if (about.preferred && options.preferred.given()) preferred[node] = 1;
    }
    Put(candidates, PlanTerm::kAge, ages);
    Put(candidates, PlanTerm::kRecency, recencies);
    Put(candidates, PlanTerm::kFrequency, frequencies);
    Put(candidates, PlanTerm::kScope, preferred);
    // The list, else the trust, which stands for columns, else what the caller says.
    const auto given = [&](const NodeValues& from) {
      Values values;
      for (const auto& [node, c] : candidates) {
        const auto& trust = world.nodes[node].trust;
        if (from.otherwise) values[node] = *from.otherwise;
        if (trust && !from.columns.empty()) values[node] = *trust;
        for (const NodeWeight& v : from.list)
          if (v.node == node) values[node] = v.weight;
        if (values.contains(node)) values[node] = UnitTerm(values[node]);
      }
      return values;
    };
    const Values salience = given(options.salience), outcome = given(options.outcome);
    Put(candidates, PlanTerm::kSalience, salience);
    Put(candidates, PlanTerm::kOutcomes, outcome);

    answer.hits.clear();
    answer.left_out = 0;
    for (const auto& [node, c] : candidates) {
      bool lacks = false;
      PlanHit hit{node, 0, 0, {}, {}, c.found_by};
      if (bm25.contains(node)) hit.bm25 = bm25[node];
      if (likeness.contains(node)) hit.likeness = likeness[node];
      for (std::size_t t = 0; t < kPlanTerms; ++t) {
        lacks |= plan.score.required[t] && !c.values[t];
        if (!shows(t)) continue;
        hit.values.push_back(c.values[t].value_or(0));
        hit.relevance += hit.values.back() * plan.score.weights[t];
        hit.listed.push_back(!lists && c.values[t] > 0 ? c.values[t] : std::nullopt);
        if (!lists || !c.values[t]) continue;
        if (PlanTerm(t) == PlanTerm::kWords) hit.listed.back() = bm25[node];
        if (PlanTerm(t) == PlanTerm::kSimilarity) hit.listed.back() = likeness[node];
        if (PlanTerm(t) == PlanTerm::kPath) hit.listed.back() = walks.at(node);
      }
      answer.left_out += lacks;
      hit.score = hit.relevance;
      if (!lacks) answer.hits.push_back(hit);
    }
    if (plan.fuse == Fusion::kRrf || lists) RankTerms(answer.hits, weights, lists);
    if (lists)
      std::erase_if(answer.hits, [](const PlanHit& hit) {
        return std::ranges::count(hit.ranks, 0u) == std::ssize(hit.ranks);
      });
    answer.candidates = answer.hits.size();
    if (plan.fuse == Fusion::kMmr)
      answer.hits = Diverse(world, plan, answer.hits, sum, question.space.has_value(), top);
    else
      std::ranges::sort(answer.hits, Better);
    if (plan.top > 0 && answer.hits.size() > top) answer.hits.resize(top);
  };
  if (plan.expand.from == ExpandFrom::kHits && plan.expand.hops > 0) {
    rank(0, plan.top);
    seeds.clear();
    for (const PlanHit& hit : answer.hits)
      seeds[hit.node] = {UnitTerm(hit.relevance / sum), UnitTerm(hit.relevance / sum), hit.found_by,
                         true};
  }
  rank(plan.expand.hops, std::max(plan.top, options.hits));
  return answer;
}

}  // namespace plexus::reference
