// Agent graph: sessions first, then each kind of edge from the same random stream.
#include "bench/graphs/agent_graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <unordered_set>

#include "bench/support.h"
#include "engine/vocabulary.h"

namespace plexus::bench {
namespace {

constexpr std::int64_t kStart = 1'700'000'000'000;
constexpr double kGapSeconds = 600;
constexpr std::uint32_t kMaxMentions = 4000;
constexpr std::uint32_t kInscriptions = 64;

class Generator {
 public:
  explicit Generator(const AgentGraphOptions& options) : random_(options.seed) {
    if (options.turns < 100) Die("an agent graph has at least 100 turns");
    graph_.turns = options.turns;
    graph_.files = std::max<std::uint32_t>(10, options.turns / 16);
  }

  AgentGraph Make() {
    Sessions();
    Mentions();
    Referential(Share(50'000));
    Causal(Share(5'000));
    Categorical(Share(20'000));
    Trajectory(std::max<std::size_t>(2, Share(121)));
    std::sort(graph_.edges.begin(), graph_.edges.end(), [](const AgentEdge& a, const AgentEdge& b) {
      return std::tie(a.kind, a.source, a.target) < std::tie(b.kind, b.source, b.target);
    });
    return std::move(graph_);
  }

 private:
  std::size_t Share(std::size_t of_332k) const { return of_332k * graph_.turns / 332'000; }
  double Uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }  // [0, 1)
  std::uint64_t Below(std::uint64_t n) { return random_() % n; }
  float WeightAbove(double low) { return static_cast<float>(1.0 - Uniform() * (1.0 - low)); }

  // False when the identity is there already, or is a loop.
  bool Add(NodeId source, EdgeKindId kind, NodeId target, float weight) {
    if (source == target) return false;
    const std::uint64_t pair = std::uint64_t{source} << 32 | target;
    if (!seen_[kind].insert(pair).second) return false;
    graph_.edges.push_back({source, target, kind, weight});
    return true;
  }

  // Lengths are geometric with mean 5; a session begins some minutes after the last one.
  void Sessions() {
    graph_.session.resize(graph_.turns);
    graph_.created_at.resize(graph_.turns);
    std::int64_t clock = kStart;
    for (NodeId v = 0; v < graph_.turns; ++v) {
      const bool first = v == 0 || Uniform() < 0.2;
      if (first) begins_.push_back(v);
      graph_.session[v] = static_cast<std::uint32_t>(begins_.size() - 1);
      const double gap = -kGapSeconds * std::log(1.0 - Uniform());
      clock += static_cast<std::int64_t>(gap * 1000);
      graph_.created_at[v] = clock;
      if (!first) Add(v - 1, builtin::kTemporal, v, static_cast<float>(1.0 / (1.0 + gap / 3600)));
    }
    graph_.sessions = static_cast<std::uint32_t>(begins_.size());
    begins_.push_back(graph_.turns);
  }

  void Mentions() {
    std::vector<double> cumulative(graph_.files);
    double sum = 0;
    for (std::uint32_t r = 0; r < graph_.files; ++r) cumulative[r] = sum += 1.0 / (r + 1);
    by_file_.resize(graph_.files);
    for (NodeId v = 0; v < graph_.turns; ++v) {
      if (Uniform() >= 0.3) continue;
      const double pareto = std::pow(1.0 - Uniform(), -1.0 / 1.1);
      const auto count = static_cast<std::uint32_t>(
          std::min<double>(pareto, std::min(kMaxMentions, graph_.files / 2)));
      std::vector<std::uint32_t> files;
      for (std::uint32_t i = 0; i < count; ++i)
        files.push_back(static_cast<std::uint32_t>(
            std::upper_bound(cumulative.begin(), cumulative.end() - 1, Uniform() * sum) -
            cumulative.begin()));
      std::sort(files.begin(), files.end());
      files.erase(std::unique(files.begin(), files.end()), files.end());
      for (std::uint32_t file : files) {
        graph_.mentions.push_back({v, file});
        by_file_[file].push_back(v);
      }
    }
  }

  // A mention picks the file, so hot files and eager turns come often.
  void Referential(std::size_t count) {
    for (std::size_t made = 0, tries = 0; made < count && tries < 100 * count; ++tries) {
      const auto& turns = by_file_[graph_.mentions[Below(graph_.mentions.size())].file];
      const NodeId a = turns[Below(turns.size())], b = turns[Below(turns.size())];
      if (graph_.session[a] == graph_.session[b]) continue;
      made += Add(std::max(a, b), builtin::kReferential, std::min(a, b), WeightAbove(0.3));
    }
  }

  void Causal(std::size_t count) {
    for (std::size_t made = 0, tries = 0; made < count && tries < 100 * count; ++tries) {
      const auto correction = static_cast<NodeId>(1 + Below(graph_.turns - 1));
      const NodeId begin = begins_[graph_.session[correction]];
      const bool inside = begin < correction && Uniform() < 0.9;
      const NodeId original = inside ? static_cast<NodeId>(begin + Below(correction - begin))
                                     : static_cast<NodeId>(Below(correction));
      made += Add(correction, builtin::kCausal, original, Uniform() < 0.5 ? 0.5f : WeightAbove(0));
    }
  }

  void Categorical(std::size_t count) {
    std::vector<std::vector<NodeId>> inscribed(kInscriptions);
    for (NodeId v = 0; v < graph_.turns; ++v)
      if (Uniform() < 0.1) inscribed[Below(kInscriptions)].push_back(v);
    for (std::size_t made = 0, tries = 0; made < count && tries < 100 * count; ++tries) {
      const auto& turns = inscribed[Below(kInscriptions)];
      if (turns.size() < 2) continue;
      const NodeId a = turns[Below(turns.size())], b = turns[Below(turns.size())];
      made += Add(std::min(a, b), builtin::kCategorical, std::max(a, b), WeightAbove(0.3));
    }
  }

  void Trajectory(std::size_t count) {
    for (std::size_t made = 0, tries = 0; made < count && tries < 100 * count; ++tries) {
      const std::uint64_t s = Below(graph_.sessions);
      if (begins_[s + 1] - begins_[s] < 3) continue;
      made += Add(begins_[s], builtin::kTrajectory, begins_[s + 1] - 1, WeightAbove(0));
    }
  }

  std::mt19937_64 random_;
  AgentGraph graph_;
  std::vector<NodeId> begins_;  // by session, and the end
  std::vector<std::vector<NodeId>> by_file_;
  std::array<std::unordered_set<std::uint64_t>, 32> seen_;  // by kind
};

}  // namespace

AgentGraph MakeAgentGraph(const AgentGraphOptions& options) { return Generator(options).Make(); }

std::vector<NodeId> StratifiedStarts(const AgentGraph& graph, std::size_t count) {
  constexpr std::array<std::uint32_t, 10> kSteps = {1, 2, 3, 4, 6, 8, 16, 64, 256, 1024};
  std::vector<std::uint32_t> degree(graph.turns);
  for (const AgentEdge& edge : graph.edges) {
    ++degree[edge.source];
    if (edge.kind == builtin::kCategorical) ++degree[edge.target];
  }
  std::array<std::vector<NodeId>, kSteps.size()> strata;
  for (NodeId v = 0; v < graph.turns; ++v)
    if (degree[v] > 0)
      strata[static_cast<std::size_t>(std::upper_bound(kSteps.begin(), kSteps.end(), degree[v]) -
                                      kSteps.begin()) -
             1]
          .push_back(v);
  std::vector<NodeId> starts;
  std::size_t left = static_cast<std::size_t>(
      std::count_if(strata.begin(), strata.end(), [](const auto& s) { return !s.empty(); }));
  // Small strata come last in kSteps: they give all they have, the others share the rest.
  for (std::size_t k = strata.size(); k-- > 0;) {
    const auto& turns = strata[k];
    if (turns.empty()) continue;
    const std::size_t take = std::min(turns.size(), (count - starts.size()) / left--);
    for (std::size_t i = 0; i < take; ++i) starts.push_back(turns[i * turns.size() / take]);
  }
  std::sort(starts.begin(), starts.end());
  return starts;
}

}  // namespace plexus::bench
