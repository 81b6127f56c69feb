// What the builders of edges between turns cost: temporal, referential, causal, categorical and
// trajectory over an agent's turns with vectors of 384 dimensions.
//
// Sessions, times and files are those of graphs/agent_graph.h; a tenth of the turns have one of 64
// inscriptions; vectors lie around 2,000 topics. 5,000 corrections and 121 rewards are given as
// lines. Each builder runs twice: from nothing, and again over the same graph. Prints wall and
// processor seconds and the counts. Then questions of a vector, reranked by these edges: exactly,
// by the pre-filter, and inside 1 % of the turns; and the bytes of what is not vectors. Exit 1 when
// the second run writes, a weight is wrong, or the pre-filter changes an answer. Usage: turn_edges
// [TURNS [ram|durable]], default 332,000 ram.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/memory/turns/turns.h"
#include "algorithms/retrieval/vectors.h"
#include "bench/graphs/agent_graph.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "engine/monitoring/monitoring.h"
#include "engine/vectors/vector_view.h"
#include "storage/database.h"

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::bench;  // NOLINT

constexpr std::size_t kDimensions = 384, kTopics = 2000;
constexpr std::int64_t kNow = 1'800'000'000'000;

float Uniform(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return static_cast<float>(state >> 40) / static_cast<float>(1 << 23) - 1;
}

std::string Name(const char* what, std::uint64_t i) { return what + std::to_string(i); }

void Fill(Graph& graph, const AgentGraph& agent) {
  std::uint64_t state = 88'172'645'463'325'252ull;
  std::vector<float> topics(kTopics * kDimensions);
  for (float& x : topics) x = Uniform(state);
  std::mt19937_64 random(7);
  std::vector<float> values(kDimensions);
  std::size_t mention = 0;
  for (NodeId first = 0; first < agent.turns; first += 4096) {
    WriteBatch batch(kNow);
    batch.DefineSpace({"default", kDimensions, Metric::kCosine});
    const SpaceRef space = batch.SpaceNamed("default");
    for (NodeId v = first; v < std::min(first + 4096, agent.turns); ++v) {
      const NodeRef turn = batch.UpsertNode(Name("t", v), builtin::kTurn);
      batch.SetI64(turn, builtin::kCreatedAt, agent.created_at[v]);
      batch.Link(turn, builtin::kInSession,
                 batch.IndexNode(builtin::kSession, Name("s", agent.session[v])));
      for (; mention < agent.mentions.size() && agent.mentions[mention].turn == v; ++mention) {
        WriteBatch::EdgeInput edge;
        edge.source = turn;
        edge.kind = builtin::kMentions;
        edge.target = batch.IndexNode(builtin::kFile, Name("f", agent.mentions[mention].file));
        edge.label = random() % 3 == 0 ? "write" : "read";
        batch.Link(edge);
      }
      if (random() % 10 == 0)
        batch.Link(turn, builtin::kInscribed,
                   batch.IndexNode(builtin::kInscription, Name("i", random() % 64)));
      const float* topic = topics.data() + random() % kTopics * kDimensions;
      for (std::size_t d = 0; d < kDimensions; ++d) values[d] = topic[d] + Uniform(state);
      batch.SetVector(turn, space, values);
    }
    Must(graph.Apply(batch), "filling");
  }
  Must(graph.Compact(), "compacting");
}

std::vector<memory::TurnTrajectory> Lines(const AgentGraph& agent) {
  std::mt19937_64 random(9);
  const std::uint64_t share = agent.turns / 66 + 1;  // 5,000 of 332,000
  std::vector<memory::TurnTrajectory> lines;
  for (std::uint64_t i = 0; i < share; ++i) {
    memory::TurnTrajectory line;
    line.of = Name("s", random() % agent.sessions);
    line.correction_of = Name("s", random() % agent.sessions);
    if (i < 121) line.reward = static_cast<double>(random() % 1000) / 1000;
    line.skill = "debug";
    lines.push_back(line);
  }
  return lines;
}

// Some of the edges, computed again.
bool Check(const Snapshot& snapshot, const memory::EdgeRecipe& recipe) {
  const VectorView* space = Must(snapshot.vectors(SpaceId{}), "vectors");
  const EdgeKindId kinds[] = {recipe.kind};
  bool right = true;
  std::uint64_t at = 0;
  VectorBuffer a, b;
  snapshot.ForEachEdge(ArcFilter::Kinds(snapshot.schema(), kinds), [&](const Edge& edge) {
    if (at++ % 101 != 0) return;
    double expected = edge.weight;
    if (recipe.weight == memory::PairWeight::kCosine)
      expected = retrieval::Cosine(space->vector(edge.source, a), space->vector(edge.target, b));
    if (recipe.weight == memory::PairWeight::kGap)
      expected = 1 / (1 + static_cast<double>(*snapshot.i64(builtin::kCreatedAt, edge.target) -
                                              *snapshot.i64(builtin::kCreatedAt, edge.source)) /
                              3'600'000);
    right = right && std::abs(expected - static_cast<double>(edge.weight)) < 1e-6;
  });
  return Require(right, std::string(recipe.name) + ": weights are those of the definition");
}

struct Cost {
  double wall = 0, processor = 0;
};

Cost Run(Graph& graph, const memory::EdgeRecipe& recipe, const memory::BuildOptions& options,
         bool again) {
  const auto start = Clock::now();
  const double processor = ProcessSeconds();
  const memory::BuildReport report =
      Must(memory::BuildEdges(graph.snapshot(), recipe, options,
                              [&](const WriteBatch& batch) -> Status {
                                PLEXUS_TRY(graph.Apply(batch));
                                return {};
                              }),
           "building");
  const Cost cost{SecondsSince(start), ProcessSeconds() - processor};
  std::printf(
      "  %-12s %7.2f s wall %7.2f s processor: new %llu same %llu dropped %llu skipped %llu "
      "capped %llu\n",
      std::string(recipe.name).c_str(), cost.wall, cost.processor,
      static_cast<unsigned long long>(report.added), static_cast<unsigned long long>(report.same),
      static_cast<unsigned long long>(report.dropped),
      static_cast<unsigned long long>(report.skipped),
      static_cast<unsigned long long>(report.capped));
  if (again)
    Require(report.added + report.changed + report.removed + report.batches == 0,
            std::string(recipe.name) + ": again writes nothing");
  return cost;
}

void RunAll(Graph& graph, const AgentGraph& agent) {
  const std::vector<memory::TurnTrajectory> lines = Lines(agent);
  memory::BuildOptions options;
  options.trajectories = lines;
  options.now_ms = kNow;
  for (const bool again : {false, true}) {
    std::printf("%s\n", again ? "again" : "from nothing");
    Cost sum;
    for (const char* name : {"temporal", "referential", "causal", "categorical", "trajectory"}) {
      const Cost cost = Run(graph, *memory::FindRecipe(name), options, again);
      sum.wall += cost.wall;
      sum.processor += cost.processor;
      if (!again) Check(graph.snapshot(), *memory::FindRecipe(name));
    }
    std::printf("  %-12s %7.2f s wall %7.2f s processor\n", "together", sum.wall, sum.processor);
  }
}

void PrintBytes(const char* when, const Snapshot& snapshot) {
  const metrics::GraphBytes bytes = metrics::MeasureBytes(snapshot);
  std::printf(
      "bytes %s: edges %.1f MB, nodes %.1f MB, keys %.1f MB; together %.1f, with keys %.1f\n", when,
      static_cast<double>(bytes.csr) / 1e6, static_cast<double>(bytes.nodes) / 1e6,
      static_cast<double>(bytes.keys) / 1e6, static_cast<double>(bytes.csr + bytes.nodes) / 1e6,
      static_cast<double>(bytes.csr + bytes.nodes + bytes.keys) / 1e6);
}

// The five kinds of edges alone, as many as the plan of such a table counts: every pair of
// neighbours in a session, 50,000 referential, 5,000 causal, 20,000 categorical, 121 trajectory.
void PrintGraphPart(const AgentGraph& agent) {
  const auto graph = Graph::InMemory();
  WriteBatch nodes(kNow), edges(kNow);
  for (NodeId v = 0; v < agent.turns; ++v) nodes.UpsertNode(Name("t", v), builtin::kTurn);
  Must(graph->Apply(nodes), "turns");
  std::vector<NodeId> last(agent.sessions, kNoNode);
  for (NodeId v = 0; v < agent.turns; ++v) {
    NodeId& before = last[agent.session[v]];
    if (before != kNoNode)
      edges.Link(NodeRef::Id(before), builtin::kTemporal, NodeRef::Id(v), 0.5F);
    before = v;
  }
  std::mt19937_64 random(13);
  constexpr std::pair<EdgeKindId, int> kOthers[] = {{builtin::kReferential, 50'000},
                                                    {builtin::kCausal, 5'000},
                                                    {builtin::kCategorical, 20'000},
                                                    {builtin::kTrajectory, 121}};
  for (const auto& [kind, count] : kOthers)
    for (int i = 0; i < count; ++i) {
      const auto a = static_cast<NodeId>(random() % agent.turns);
      const auto b = static_cast<NodeId>(random() % agent.turns);
      if (a != b) edges.Link(NodeRef::Id(a), kind, NodeRef::Id(b), 0.5F);
    }
  Must(graph->Apply(edges), "edges");
  Must(graph->Compact(), "compacting");
  std::printf("%llu edges; ",
              static_cast<unsigned long long>(graph->snapshot().CountEdges(Plane::kFact)));
  PrintBytes("of the graph part alone", graph->snapshot());
}

void PrintTimes(const char* name, const QuestionTimes& times) {
  std::printf("  %-28s wall p50 %.2f p99 %.2f ms, processor p50 %.2f p99 %.2f ms\n", name,
              1e3 * Median(times.clock), 1e3 * Quantile(times.clock, 0.99),
              1e3 * Median(times.processor), 1e3 * Quantile(times.processor, 0.99));
}

void AskQuestions(const Snapshot& snapshot, const AgentGraph& agent) {
  constexpr std::size_t kQuestions = 300;
  Executor& executor = ExecutorOf(2);
  std::vector<NodeId> part;
  for (NodeId v = 0; v < agent.turns; ++v)
    if (v * 2654435761u % 100 == 0)
      if (const auto turn = snapshot.Find(Name("t", v))) part.push_back(*turn);
  std::ranges::sort(part);
  const NodeSubset subset = Must(NodeSubset::Of(snapshot, part), "subset");
  retrieval::RerankOptions rerank;
  rerank.run.executor = &executor;
  retrieval::NearestOptions narrow;
  narrow.top = rerank.k;
  narrow.prefilter = Prefilter::kInt8;
  narrow.run.executor = &executor;
  retrieval::RerankOptions inside = rerank;
  inside.filter.subset = &subset;
  const VectorView* space = Must(snapshot.vectors(SpaceId{}), "vectors");
  const auto by_prefilter = [&](std::span<const float> query) {
    std::vector<NodeId> nodes;
    for (const retrieval::NearestHit& hit :
         Must(retrieval::Nearest(snapshot, SpaceId{}, query, narrow), "nearest").hits)
      nodes.push_back(hit.node);
    return Must(retrieval::RerankCandidates(snapshot, SpaceId{}, query, nodes, rerank), "rerank");
  };
  std::mt19937_64 random(11);
  std::vector<float> query(kDimensions);
  std::uint64_t state = 5;
  QuestionTimes exact{CLOCK_PROCESS_CPUTIME_ID}, filtered = exact, few = exact;
  VectorBuffer buffer;
  for (std::size_t q = 0; q <= kQuestions; ++q) {
    const NodeId turn = snapshot.Find(Name("t", random() % agent.turns)).value();
    const std::span<const float> like = space->vector(turn, buffer);
    for (std::size_t d = 0; d < kDimensions; ++d) query[d] = like[d] + Uniform(state) / 4;
    if (q == 0) {  // makes the narrow copy
      by_prefilter(query);
      continue;
    }
    const retrieval::RerankResult want = exact.Time(
        [&] { return Must(retrieval::Rerank(snapshot, SpaceId{}, query, rerank), "rerank"); });
    const retrieval::RerankResult got = filtered.Time([&] { return by_prefilter(query); });
    Require(got.hits == want.hits, "the pre-filter changes no answer");
    few.Time([&] { return Must(retrieval::Rerank(snapshot, SpaceId{}, query, inside), "rerank"); });
  }
  std::printf("30 nearest, reranked; %zu questions, 2 threads\n", kQuestions);
  PrintTimes("exact f32", exact);
  PrintTimes("by int8, proven", filtered);
  PrintTimes("inside 1 % of the turns", few);
}

}  // namespace

int main(int argc, char** argv) {
  AgentGraphOptions shape;
  if (argc > 1) shape.turns = static_cast<NodeId>(std::atoll(argv[1]));
  const bool durable = argc > 2 && std::string(argv[2]) == "durable";
  const AgentGraph agent = MakeAgentGraph(shape);
  std::printf("%u turns, %u sessions, %zu mentions of %u files, %zu dimensions, %s\n", agent.turns,
              agent.sessions, agent.mentions.size(), agent.files, kDimensions,
              durable ? "durable" : "in RAM");
  if (!durable) {
    const std::unique_ptr<Graph> graph = Graph::InMemory();
    Fill(*graph, agent);
    PrintBytes("before", graph->snapshot());
    RunAll(*graph, agent);
    Must(graph->Compact(), "compacting");
    PrintBytes("after", graph->snapshot());
    PrintGraphPart(agent);
    AskQuestions(graph->snapshot(), agent);
  } else {
    const TempFolder folder("turn_edges");
    OpenOptions options;
    options.create = true;
    const auto database = Must(Database::Open(folder / "g", options), "opening");
    Fill(database->graph(), agent);
    RunAll(database->graph(), agent);
    Must(database->Close(), "closing");
  }
  return FailedChecks() == 0 ? 0 : 1;
}
