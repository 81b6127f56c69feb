// peer_prepare: writes one input for all peers, from fixed seeds.
//
//   peer_prepare kronecker|uniform SCALE FOLDER   GAP's graphs, made symmetric, 16 starts
//   peer_prepare kronecker64 SCALE FOLDER         the same, 64 starts
//   peer_prepare directed SCALE FOLDER            GAP's Kronecker graph with its directions
//   peer_prepare serialized FILE.sg FOLDER        a graph that make_shape wrote, 16 starts
//   peer_prepare agent TURNS FOLDER               agent_graph.h, 1,000 stratified starts
//   peer_prepare agent20 TURNS FOLDER             the same with every 50th of the starts
//   peer_prepare tags FACTS FOLDER                20 Zipf tags a fact out of FACTS / 10,
//                                                 FACTS / 5 events of 2 to 5 members
//   peer_prepare vectors FILE.fvecs|ROWS FOLDER   vectors of a file, or ROWS random ones;
//                                                 64 queries, a subset of 1 %
// Arrays and their names: peer.h.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bench/graphs/agent_graph.h"
#include "bench/graphs/pairs.h"
#include "bench/peers/peer.h"
#include "bench/support.h"

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::peers;  // NOLINT
using Numbers = std::vector<std::uint32_t>;

std::string folder;
void Write(const char* name, const Numbers& values) { WriteArray(folder + "/" + name, values); }
void Write(const char* name, const std::vector<float>& values) {
  WriteArray(folder + "/" + name, values);
}
void WriteOne(const char* name, std::uint32_t value) { Write(name, Numbers{value}); }

std::uint32_t Number(const std::string& text) {
  char* end = nullptr;
  const unsigned long value = std::strtoul(text.c_str(), &end, 10);
  if (text.empty() || *end || value == 0 || value > 100'000'000)
    peers::Die("not a number in range: " + text);
  return static_cast<std::uint32_t>(value);
}

void WriteTopology(const Topology& graph, std::size_t start_count) {
  Numbers sources, starts;
  sources.reserve(graph.arc_count());
  for (NodeId v = 0; v < graph.node_count; ++v)
    sources.insert(sources.end(), graph.out().degree(v), v);
  if (sources.empty()) peers::Die("a graph without arcs");
  std::mt19937_64 random(1);
  while (starts.size() < start_count) {
    const auto v = static_cast<NodeId>(random() % graph.node_count);
    if (graph.out().degree(v) > 0) starts.push_back(v);
  }
  WriteOne("nodes.u32", graph.node_count);
  Write("sources.u32", sources);
  WriteArray(folder + "/targets.u32", std::span<const NodeId>(graph.out().neighbors));
  Write("starts.u32", starts);
}

void Gap(bool uniform, bool directed, std::size_t start_count, int scale) {
  if (scale > 22) peers::Die("scale above 22");
  const bench::PairList list = uniform ? bench::UniformPairs(scale, 16, DefaultExecutor())
                                       : bench::KroneckerPairs(scale, 16, DefaultExecutor());
  TopologyOptions options;
  options.symmetrize = !directed;
  WriteTopology(bench::Must(BuildTopology(list.node_count, list.span(), options), "building"),
                start_count);
}

void Agent(std::uint32_t turns, bool all_starts) {
  bench::AgentGraphOptions options;
  options.turns = turns;
  const bench::AgentGraph graph = bench::MakeAgentGraph(options);
  Numbers sources, targets;
  std::vector<float> weights;
  std::vector<std::uint8_t> kinds;
  for (const bench::AgentEdge& edge : graph.edges) {
    sources.push_back(edge.source);
    targets.push_back(edge.target);
    weights.push_back(edge.weight);
    kinds.push_back(static_cast<std::uint8_t>(edge.kind.value()));
  }
  WriteOne("nodes.u32", graph.turns);
  Write("sources.u32", sources);
  Write("targets.u32", targets);
  Write("weights.f32", weights);
  WriteArray(folder + "/kinds.u8", kinds);
  Numbers starts = bench::StratifiedStarts(graph);
  if (!all_starts) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < starts.size(); i += 50) starts[kept++] = starts[i];
    starts.resize(kept);
  }
  Write("starts.u32", starts);
}

void Tags(std::uint32_t facts) {
  const std::uint32_t tags = std::max(40u, facts / 10), events = facts / 5;
  std::vector<double> cumulative(tags);
  double sum = 0;
  for (std::uint32_t r = 0; r < tags; ++r) cumulative[r] = sum += 1.0 / (r + 1);
  std::mt19937_64 random(1);
  Numbers fact, tag, event, member;
  std::vector<Numbers> holders(tags);
  for (std::uint32_t v = 0; v < facts; ++v) {
    std::set<std::uint32_t> mine;
    while (mine.size() < 20) {
      const double at = static_cast<double>(random() >> 11) * 0x1p-53 * sum;
      mine.insert(static_cast<std::uint32_t>(
          std::upper_bound(cumulative.begin(), cumulative.end() - 1, at) - cumulative.begin()));
    }
    for (std::uint32_t t : mine) {
      fact.push_back(v);
      tag.push_back(t);
      holders[t].push_back(v);
    }
  }
  // Every second event joins facts that share a rare tag: the mask hides good pairs.
  for (std::uint32_t e = 0; e < events; ++e) {
    const Numbers& pool = holders[tags / 2 + random() % (tags - tags / 2)];
    std::set<std::uint32_t> members;
    const std::size_t count = 2 + random() % 4;
    for (std::size_t m = 0; m < count; ++m)
      members.insert(e % 2 == 0 && !pool.empty() ? pool[random() % pool.size()]
                                                 : static_cast<std::uint32_t>(random() % facts));
    for (std::uint32_t v : members) {
      event.push_back(e);
      member.push_back(v);
    }
  }
  WriteOne("facts.u32", facts);
  WriteOne("tags.u32", tags);
  WriteOne("events.u32", events);
  Write("has_tag_fact.u32", fact);
  Write("has_tag_tag.u32", tag);
  Write("member_event.u32", event);
  Write("member_fact.u32", member);
}

void VectorRows(const std::string& from) {
  std::uint32_t dimensions = 100;
  std::vector<float> rows, queries;
  std::mt19937_64 random(1);
  if (from.ends_with(".fvecs")) {
    const auto words = ReadArray<std::uint32_t>(from);
    if (words.empty() || words[0] == 0 || words.size() % (words[0] + std::size_t{1}))
      peers::Die(from + ": no .fvecs file");
    dimensions = words[0];
    const auto values = ReadArray<float>(from);
    for (std::size_t at = 0; at < words.size(); at += dimensions + std::size_t{1}) {
      if (words[at] != dimensions) peers::Die(from + ": rows of different lengths");
      rows.insert(rows.end(), values.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                  values.begin() + static_cast<std::ptrdiff_t>(at) + 1 + dimensions);
    }
  } else {
    // Sums of uniform draws: close to normal, the same everywhere.
    for (std::size_t i = std::size_t{Number(from)} * dimensions; i-- > 0;) {
      double x = -2;
      for (int k = 0; k < 4; ++k) x += static_cast<double>(random() >> 11) * 0x1p-53;
      rows.push_back(static_cast<float>(x));
    }
  }
  const std::size_t count = rows.size() / dimensions;
  // Queries: rows with a little noise, so that the nearest one is no exact copy.
  for (std::size_t q = 0; q < 64; ++q) {
    const float* row = rows.data() + (q * 7919 + 13) % count * dimensions;
    for (std::uint32_t i = 0; i < dimensions; ++i)
      queries.push_back(row[i] * (0.9f + 0.2f * static_cast<float>(random() >> 40) * 0x1p-24f));
  }
  Numbers subset;
  for (std::uint32_t i = 0; i < count; ++i)
    if (random() % 100 == 0) subset.push_back(i);
  if (subset.empty()) subset.push_back(0);
  WriteOne("dimensions.u32", dimensions);
  Write("rows.f32", rows);
  Write("queries.f32", queries);
  Write("subset.u32", subset);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 4 ? argv[1] : "", size = argc == 4 ? argv[2] : "";
  if (argc == 4) std::filesystem::create_directories(folder = argv[3]);
  if (kind == "kronecker" || kind == "kronecker64" || kind == "uniform" || kind == "directed")
    Gap(kind == "uniform", kind == "directed", kind == "kronecker64" ? 64 : 16,
        static_cast<int>(Number(size)));
  else if (kind == "serialized")
    WriteTopology(bench::Must(bench::ReadSerialized(size), size), 16);
  else if (kind == "agent" || kind == "agent20")
    Agent(Number(size), kind == "agent");
  else if (kind == "tags")
    Tags(Number(size));
  else if (kind == "vectors")
    VectorRows(size);
  else {
    std::fprintf(stderr,
                 "usage: peer_prepare "
                 "kronecker|kronecker64|uniform|directed|serialized|agent|agent20|tags|vectors "
                 "SIZE FOLDER\n");
    return 2;
  }
}
