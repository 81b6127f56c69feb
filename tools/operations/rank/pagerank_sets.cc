// Seed sets from a text, a set a line, and their rankings.
#include "tools/operations/rank/pagerank_sets.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/pagerank/pagerank.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/lines.h"

namespace plexus::tools {
namespace {

using Seeds = std::vector<NodeWeight>;

// What PageRankBatch asks of seeds, here where the line is known.
Status CheckSeeds(const Snapshot& snapshot, pagerank::PageRankOptions& options, const Seeds& seeds,
                  const std::vector<std::string>& keys) {
  const bool index = std::ranges::any_of(options.filter.kinds, [&](EdgeKindId kind) {
    return snapshot.schema().edge_kind(kind).plane == Plane::kIndex;
  });
  double total = 0;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    if (!index && !snapshot.is_fact(seeds[i].node))
      return Invalid(
          "seed ", Quoted(keys[i]),
          " is of the index plane, and none of the edge kinds followed is: name one that is");
    if (options.filter.subset && !options.filter.subset->contains(seeds[i].node))
      return Invalid("seed ", Quoted(keys[i]), " is outside the scope that is looked at");
    if (!(seeds[i].weight >= 0))
      return Invalid("the weight of seed ", Quoted(keys[i]), " is below 0");
    total += seeds[i].weight;
  }
  if (!(total > 0) || !std::isfinite(total))
    return Invalid("the seeds' weights do not have a finite sum above 0");
  return {};
}

Result<std::vector<Seeds>> ReadSets(const Snapshot& snapshot, pagerank::PageRankOptions& options,
                                    const std::string& source, const std::string& text) {
  std::vector<Seeds> sets;
  bool ended = false;
  PLEXUS_TRY(ForEachLine(source, text, [&](std::string_view line) -> Status {
    std::vector<std::string> keys;
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t end = std::min(line.find('\t', at), line.size());
      if (end > at) keys.emplace_back(line.substr(at, end - at));
      at = end + 1;
    }
    if (keys.empty()) {
      ended = true;
      return {};
    }
    if (ended) return Invalid("an empty line stands before this one; a set has a seed or more");
    PLEXUS_ASSIGN(Seeds seeds, FindSeeds(snapshot, keys));
    if (Status fit = CheckSeeds(snapshot, options, seeds, keys); !fit) return fit;
    sets.push_back(std::move(seeds));
    return {};
  }));
  if (sets.empty()) return Invalid("no seed sets in '", source, "'; one is expected a line");
  return sets;
}

// The best of one set; nodes without a score are left out.
Result<std::vector<ScoredNode>> BestOf(const Workspace& workspace,
                                       const pagerank::PageRankBatchResult& result, std::size_t set,
                                       std::uint64_t top) {
  const NodeId node_count = workspace.snapshot().node_count();
  std::vector<double> scores(node_count);
  for (NodeId v = 0; v < node_count; ++v) scores[v] = static_cast<double>(result.score(v, set));
  PLEXUS_ASSIGN(Ranked best, Best(workspace, scores, top));
  return std::move(best.nodes);
}

}  // namespace

Result<Reply> RankSets(const Workspace& workspace, const Request& request,
                       pagerank::PageRankOptions& options) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(std::vector<Seeds> sets,
                ReadSets(snapshot, options, request.Source("sets"), request.Text("sets")));
  PLEXUS_ASSIGN(const pagerank::PageRankBatchResult result,
                pagerank::PageRankBatch(snapshot, sets, options));
  std::vector<std::vector<ScoredNode>> best(sets.size());
  for (std::size_t s = 0; s < sets.size(); ++s)
    PLEXUS_SET(best[s], BestOf(workspace, result, s, request.Count("top")));
  struct Counts {
    int iterations;
    bool converged, truncated;
    std::uint64_t edges, bytes_per_iteration;
    std::vector<double> errors;
  };
  Counts counts{static_cast<int>(result.iterations),
                result.converged,
                result.truncated,
                result.edges,
                result.stats.bytes_per_iteration,
                {result.errors.begin(), result.errors.end()}};
  std::string closing = Grouped(sets.size()) + " sets, " + Grouped(result.edges) + " arcs, " +
                        std::to_string(counts.iterations) + " iterations of " +
                        Bytes(counts.bytes_per_iteration) +
                        (counts.truncated ? ", stopped before all had converged" : "") + "\n";
  Reply reply([snapshot, counts = std::move(counts), sets = std::move(sets),
               best = std::move(best)](ReplyWriter& json) {
    json.Field("sequence", snapshot.sequence());
    json.Field("iterations", counts.iterations);
    json.Field("converged", counts.converged);
    json.Field("truncated", counts.truncated);
    json.Field("edges", counts.edges);
    json.Field("bytes_per_iteration", counts.bytes_per_iteration);
    json.BeginArray("sets");
    for (std::size_t s = 0; s < sets.size(); ++s) {
      json.BeginObject();
      json.BeginArray("seeds");
      for (const NodeWeight& seed : sets[s]) json.Node(snapshot, seed.node);
      json.EndArray();
      json.Field("error", counts.errors[s]);
      json.Objects("nodes", best[s], [&](const ScoredNode& node) {
        json.Node("key", snapshot, node.node);
        json.Field("score", node.score);
      });
      json.EndObject();
    }
    json.EndArray();
  });
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace plexus::tools
