// Seed sets from a file, their rankings to a table or JSON.
#include "tools/cli/commands/pagerank_batch.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/score_ranking.h"
#include "algorithms/pagerank/pagerank_batch.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/lines_file.h"
#include "tools/cli/output.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/names.h"
#include "tools/operations/reply.h"

namespace plexus::tools {
namespace {

struct SeedSet {
  std::string shown;  // the line, tabs as blanks
  std::vector<NodeWeight> seeds;
};

// What PageRankBatch asks of seeds, here where the line is known.
Status CheckSeeds(const Snapshot& snapshot, const PageRankOptions& options,
                  const std::vector<NodeWeight>& seeds, const std::vector<std::string>& keys) {
  const bool index = std::ranges::any_of(options.filter.kinds, [&](EdgeKindId kind) {
    return snapshot.schema().edge_kind(kind).plane == Plane::kIndex;
  });
  double total = 0;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    if (!index && !snapshot.is_fact(seeds[i].node))
      return Fail(
          ErrorCode::kInvalidArgument,
          "seed '" + keys[i] +
              "' is of the index plane, and none of the edge kinds followed is: name one that is");
    if (options.filter.subset && !options.filter.subset->contains(seeds[i].node))
      return Fail(ErrorCode::kInvalidArgument,
                  "seed '" + keys[i] + "' is outside the scope that is looked at");
    if (!(seeds[i].weight >= 0))
      return Fail(ErrorCode::kInvalidArgument, "the weight of seed '" + keys[i] + "' is below 0");
    total += seeds[i].weight;
  }
  if (!(total > 0) || !std::isfinite(total))
    return Fail(ErrorCode::kInvalidArgument, "the seeds' weights do not have a finite sum above 0");
  return {};
}

Result<std::vector<SeedSet>> ReadSets(const Snapshot& snapshot, const PageRankOptions& options,
                                      const std::string& file) {
  PLEXUS_ASSIGN(const std::string text, ReadText(file));
  std::vector<SeedSet> sets;
  bool ended = false;
  PLEXUS_TRY(ForEachLine(file, text, [&](std::string_view line) -> Status {
    SeedSet set;
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
    if (ended)
      return Fail(ErrorCode::kInvalidArgument,
                  "an empty line stands before this one; a set has a seed or more");
    PLEXUS_ASSIGN(set.seeds, FindSeeds<NodeWeight>(snapshot, keys));
    if (Status fit = CheckSeeds(snapshot, options, set.seeds, keys); !fit) return fit;
    for (const std::string& key : keys) set.shown += (set.shown.empty() ? "" : " ") + key;
    sets.push_back(std::move(set));
    return {};
  }));
  if (sets.empty())
    return Fail(ErrorCode::kInvalidArgument,
                "no seed sets in '" + file + "'; one is expected a line");
  return sets;
}

// The best of one set, out of the scores of all; what its seeds do not reach is not listed.
Result<std::vector<ScoredNode>> Best(const PageRankBatchResult& result, std::size_t set,
                                     NodeId node_count, std::uint64_t top) {
  std::vector<double> scores(node_count);
  std::vector<std::uint64_t> reached((std::size_t{node_count} + 63) / 64);
  for (NodeId v = 0; v < node_count; ++v) {
    scores[v] = static_cast<double>(result.score(v, set));
    reached[v / 64] |= std::uint64_t{scores[v] > 0} << (v % 64);
  }
  return TopScores(scores, NodeSubset(node_count, std::move(reached)), top);
}

}  // namespace

Result<int> RunSets(const Globals& globals, const Session& session, const PageRankOptions& options,
                    const std::string& file, std::uint64_t top) {
  const Snapshot& snapshot = session.snapshot();
  PLEXUS_ASSIGN(const std::vector<SeedSet> sets, ReadSets(snapshot, options, file));
  std::vector<std::vector<NodeWeight>> seeds;
  for (const SeedSet& set : sets) seeds.push_back(set.seeds);
  PLEXUS_ASSIGN(const PageRankBatchResult result, PageRankBatch(snapshot, seeds, options));
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("sequence", snapshot.sequence());
    json.Field("iterations", result.iterations);
    json.Field("converged", result.converged);
    json.Field("truncated", result.truncated);
    json.Field("edges", result.edges);
    json.Field("bytes_per_iteration", result.bytes_per_iteration);
    json.BeginArray("sets");
    for (std::size_t s = 0; s < sets.size(); ++s) {
      json.BeginObject();
      json.BeginArray("seeds");
      for (const NodeWeight& seed : sets[s].seeds) json.Value(snapshot.key(seed.node));
      json.EndArray();
      json.Field("error", result.errors[s]);
      json.BeginArray("nodes");
      PLEXUS_ASSIGN(const std::vector<ScoredNode> best,
                    Best(result, s, snapshot.node_count(), top));
      for (const ScoredNode& node : best) {
        json.BeginObject();
        json.Field("key", snapshot.key(node.node));
        json.Field("score", node.score);
        json.EndObject();
      }
      json.EndArray();
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  Table table;
  const auto right = Table::Align::kRight;
  table.Column("seeds").Column("rank", right).Column("score", right);
  AddNodeColumns(table, globals, 60);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    std::size_t rank = 0;
    PLEXUS_ASSIGN(const std::vector<ScoredNode> best, Best(result, s, snapshot.node_count(), top));
    for (const ScoredNode& node : best) {
      std::vector<std::string> row = {rank == 0 ? sets[s].shown : "", std::to_string(rank + 1),
                                      Number(node.score, 4)};
      ++rank;
      AddNodeCells(row, globals, snapshot, node.node);
      table.Row(row);
    }
  }
  table.Print(Out());
  Out() << Grouped(sets.size()) << " sets, " << Grouped(result.edges) << " arcs, "
        << result.iterations << " iterations of " << Bytes(result.bytes_per_iteration)
        << (result.truncated ? ", stopped before all had converged" : "") << '\n';
  return kDone;
}

}  // namespace plexus::tools
