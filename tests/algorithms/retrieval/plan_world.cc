// Three batches: nodes and edges, changes, removals.
#include "tests/algorithms/retrieval/plan_world.h"

#include <algorithm>

namespace plexus::testing {
using namespace builtin;
using namespace pagerank;
using namespace retrieval;

namespace {

constexpr NodeKindId kKinds[] = {kMemory, kConcept, kDecision};
constexpr EdgeKindId kEdges[] = {kSupports, kCauses, kLink, kSimilar, kRelatesTo};
constexpr float kWeights[] = {0.25f, 0.5f, 1.0f, 2.0f};

bool Chance(std::mt19937_64& random, unsigned of) { return random() % of == 0; }

}  // namespace

PlanGraph::PlanGraph(std::uint64_t seed, Shape shape, Graph* mirror) : metric_(kMetrics[seed % 3]) {
  graph_.MirrorTo(mirror);
  std::mt19937_64 random(seed);
  facts_ = random() % 36 + 1;
  const bool two_steps = shape == Shape::kDelta || shape == Shape::kCompacted;
  for (std::size_t v = 0; v < facts_; ++v) {
    const NodeKindId kind = kKinds[random() % 3];
    graph_.AddNode(kind);
    reference::PlanNode& node = nodes_.emplace_back();
    node.kind = kind;
    node.created_at = 1000;  // the time of the batch
  }
  const auto index = [&](NodeKindId kind, std::size_t count, std::vector<std::size_t>& nodes,
                         std::vector<std::string>& names) {
    for (std::size_t i = 0; i < count; ++i) {
      nodes.push_back(graph_.AddNode(kind));
      names.push_back("n" + std::to_string(nodes.back()));
      nodes_.emplace_back().fact = false;
    }
  };
  index(kTag, 3, tag_nodes_, tags_);
  index(kInscription, 2, inscription_nodes_, inscriptions_);
  index(kTerm, 7, term_nodes_, terms_);
  graph_.SetVector(0, kSpace, nodes_[0].vector = SmallVector(random, 3), metric_);
  graph_.Commit();
  for (std::size_t v = 0; v < facts_; ++v) Describe(v, random);
  Connect(random);
  graph_.Commit();
  if (two_steps) graph_.Compact();
  for (std::size_t v = 0; v < facts_; ++v)
    if (Chance(random, 5)) Describe(v, random);
  Connect(random);
  graph_.Commit();
  for (std::size_t v = 1; v < facts_; ++v)
    if (Chance(random, 9)) graph_.Remove(v);
  graph_.Commit();
  if (shape == Shape::kClean || shape == Shape::kCompacted) graph_.Compact();
}

void PlanGraph::Describe(std::size_t v, std::mt19937_64& random) {
  reference::PlanNode& node = nodes_[v];
  if (!Chance(random, 4))
    graph_.SetVector(v, kSpace, node.vector = SmallVector(random, 3), metric_);
  if (!Chance(random, 4))
    graph_.SetI64(v, kCreatedAt, *(node.created_at = random() % 2 * 400'000'000 + random() % 9));
  if (Chance(random, 3))
    graph_.SetI64(v, kAccessedAt, *(node.accessed_at = kPlanNow - 86'400'000 * (random() % 5)));
  if (Chance(random, 3)) graph_.SetI64(v, kAccessCount, *(node.access_count = random() % 5));
  if (Chance(random, 5))
    graph_.SetI64(v, kValidUntil, *(node.valid_until = kPlanNow + (Chance(random, 2) ? 5 : -5)));
  if (Chance(random, 6)) graph_.SetI64(v, kValidFrom, *(node.valid_from = kPlanNow - 7));
  if (Chance(random, 2))
    graph_.SetF64(v, kTrust, *(node.trust = static_cast<double>(random() % 5) / 4));
  if (Chance(random, 3)) graph_.SetScope(v, node.scope = "other");
  for (std::size_t t = 0; t < tags_.size(); ++t)
    if (Chance(random, 4)) {
      graph_.Link(v, kHasTag, tag_nodes_[t]);
      node.tags.insert(tags_[t]);
    }
  for (std::size_t i = 0; i < inscriptions_.size(); ++i)
    if (Chance(random, 3)) {
      graph_.Link(v, kInscribed, inscription_nodes_[i]);
      node.inscriptions.insert(inscriptions_[i]);
    }
  if (Chance(random, 4)) return;
  for (std::size_t t = 0; t < terms_.size(); ++t)
    if (Chance(random, 3)) {
      const auto times = static_cast<float>(1 + random() % 3);
      graph_.Link(v, kHasTerm, term_nodes_[t], times);
      node.terms[terms_[t]] = static_cast<double>(times);
    }
}

void PlanGraph::Connect(std::mt19937_64& random) {
  const std::size_t edges = random() % (2 * facts_);
  for (std::size_t e = 0; e < edges; ++e) {
    std::size_t a = random() % facts_;
    const std::size_t b = Chance(random, 8) ? a : random() % facts_;
    if (Chance(random, 3)) a = 0;  // a hub
    const EdgeKindId drawn = kEdges[random() % 5];
    const EdgeKindId kind = a == b ? kLink : drawn;  // few kinds allow loops
    // Labels keep them apart: a link without times keeps those that the edge had.
    if (Chance(random, 6))
      graph_.LinkValid(a, kind, b, kPlanNow - 10, kPlanNow + (Chance(random, 2) ? 5 : -5));
    else
      graph_.Link(a, kind, b, kWeights[random() % 4], Chance(random, 4) ? "again" : "once");
  }
  if (facts_ < 4 || Chance(random, 2)) return;
  const std::size_t newer = random() % facts_;
  graph_.Link(newer, kSupersedes, (newer + 1 + random() % (facts_ - 1)) % facts_);
}

reference::PlanWorld PlanGraph::World(const Snapshot& s, const RetrievalPlan& plan,
                                      const NodeSubset* allowed, std::int64_t valid_at) const {
  reference::PlanWorld world;
  world.metric = metric_;
  world.nodes = nodes_;
  for (std::size_t v = 0; v < nodes_.size(); ++v) {
    reference::PlanNode& node = world.nodes[v];
    node.alive = graph_.alive(v);
    if (!node.alive) node.vector.clear();
    node.allowed =
        node.alive && node.fact && (!allowed || allowed->contains(static_cast<NodeId>(v)));
  }
  world.graph = graph_.Flat(plan.expand.kinds, nullptr, valid_at);
  world.where = [](const reference::PlanNode& node) { return node.trust && *node.trust > 0.5; };
  world.pagerank = [=, kinds = plan.expand.kinds](const std::vector<NodeWeight>& starts) {
    PageRankPushOptions options;
    options.top = 0;
    options.filter = {kinds, valid_at, allowed};
    std::vector<NodeWeight> shares;
    const auto ranked = PageRankPush(s, starts, options);
    if (!ranked) return shares;
    for (const ScoredNode& node : ranked->top) shares.push_back({node.node, node.score});
    return shares;
  };
  return world;
}

RetrievalPlan DrawPlan(const PlanGraph& graph, std::mt19937_64& random) {
  RetrievalPlan plan;
  bool ranked = false;
  for (std::uint64_t i = 0, n = 1 + random() % 3; i < n; ++i) {
    PlanSeeds seeds{.by = static_cast<SeedBy>(random() % kSeedBys), .top = 1 + random() % 6};
    if (Chance(random, 3)) seeds.starts = 1 + random() % 3;
    if (Chance(random, 4)) seeds.per_hit = 1 + random() % 3;
    if (Chance(random, 2)) seeds.least = random() % 4;
    seeds.keep = !Chance(random, 4);
    ranked |= seeds.by == SeedBy::kPageRank;
    plan.seeds.push_back(seeds);
  }
  plan.expand.hops = static_cast<int>(random() % 4);
  plan.expand.direction = static_cast<Direction>(random() % 3);
  plan.expand.decay = Chance(random, 2) ? 0.5 : 1;
  if (Chance(random, 3)) plan.expand.kinds = {kSupports, kSimilar};
  if (Chance(random, 3)) plan.expand.top = 1 + random() % 5;
  if (Chance(random, 3)) plan.expand.arcs = 1 + random() % 6;
  if (Chance(random, 2)) plan.expand.from = static_cast<ExpandFrom>(random() % kExpandFroms);
  if (Chance(random, 3)) plan.expand.per_hit = 1 + random() % 3;
  if (Chance(random, 4)) plan.filter.node_kinds = {kMemory, kDecision};
  if (Chance(random, 5)) plan.filter.tags = {graph.tags()[0], graph.tags()[1], "it's none"};
  if (Chance(random, 6)) plan.filter.inscription = graph.inscriptions()[0];
  if (Chance(random, 9)) plan.filter.inscription = "nobody's";
  if (Chance(random, 6)) plan.filter.scopes = {"other"};
  if (Chance(random, 6)) plan.filter.since = 4;
  if (Chance(random, 6)) plan.filter.until = 400'000'003;
  if (Chance(random, 5)) plan.filter.valid_at = kPlanNow + 7 * static_cast<int>(random() % 3) - 7;
  if (Chance(random, 6)) plan.filter.where = "trust > 0.5 or trust > 0.75";
  for (std::size_t t = 0; t < kPlanTerms; ++t)
    if (Chance(random, 2)) plan.score.weights[t] = static_cast<double>(1 + random() % 8) / 10;
  plan.score.weights[random() % 4] = 0.4;
  if (!ranked) plan.score[PlanTerm::kPageRank] = 0;
  for (bool& shown : plan.score.shown) shown = Chance(random, 6);
  if (!ranked) plan.score.shown[static_cast<std::size_t>(PlanTerm::kPageRank)] = false;
  if (Chance(random, 4)) plan.score.required[random() % 4] = true;
  plan.score.half_life_ms = 2 * 86'400'000;
  plan.score.full_count = 3;
  plan.fuse = static_cast<Fusion>(random() % kFusions);
  if (plan.fuse == Fusion::kLists) {
    for (std::size_t t = 3; t < kPlanTerms; ++t) plan.score.weights[t] = 0;
    plan.score.weights[random() % 3] = 1;
  }
  plan.lambda = static_cast<double>(random() % 5) / 4;
  plan.top = Chance(random, 9) && plan.fuse != Fusion::kMmr ? 0 : 1 + random() % 8;
  return plan;
}

PlanQuestion DrawQuestion(const PlanGraph& graph, std::mt19937_64& random) {
  PlanQuestion question;
  if (!Chance(random, 4)) {
    question.space = graph.space();
    question.vector = SmallVector(random, 3);
  } else if (Chance(random, 2)) {
    question.space = graph.space();
  }
  for (std::uint64_t i = 0, n = random() % 4; i < n; ++i)
    question.terms.push_back(Chance(random, 8) ? "unknown"
                                               : graph.terms()[random() % graph.terms().size()]);
  for (std::uint64_t i = 0, n = random() % 3; i < n; ++i)
    if (const std::size_t node = random() % graph.facts(); graph.alive(node))
      question.keys.push_back(
          {static_cast<NodeId>(node), 1.0 / static_cast<double>(1 << random() % 3)});
  return question;
}

std::vector<NodeWeight> DrawValues(const PlanGraph& graph, std::mt19937_64& random) {
  std::vector<NodeWeight> values;
  for (std::size_t v = 0; v < graph.facts(); ++v)
    if (Chance(random, 2))
      values.push_back({static_cast<NodeId>(v), static_cast<double>(random() % 6) / 4});
  return values;
}

}  // namespace plexus::testing
