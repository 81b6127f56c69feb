// Peers' frame: files, the program's arguments.
#include "bench/peers/peer.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>

namespace plexus::peers {
namespace {

constexpr std::uint8_t kCategoricalKind = 21;  // the symmetric kind of agent graphs

int Number(const char* text, const char* what) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*text == 0 || *end != 0 || value < 1 || value > 1'000'000)
    Die(std::string(what) + " is not a number: " + text);
  return static_cast<int>(value);
}

}  // namespace

void Die(const std::string& what) {
  std::fprintf(stderr, "peer: %s\n", what.c_str());
  std::exit(1);
}

bool Exists(const std::string& path) { return std::filesystem::exists(path); }

Arcs ReadArcs(const std::string& folder) {
  Arcs arcs;
  arcs.nodes = ReadNumber<std::uint32_t>(folder + "/nodes.u32");
  arcs.sources = ReadArray<std::uint32_t>(folder + "/sources.u32");
  arcs.targets = ReadArray<std::uint32_t>(folder + "/targets.u32");
  if (arcs.sources.size() != arcs.targets.size())
    Die(folder + ": sources and targets differ in number");
  if (!Exists(folder + "/weights.f32")) return arcs;
  arcs.weights = ReadArray<float>(folder + "/weights.f32");
  const auto kinds = ReadArray<std::uint8_t>(folder + "/kinds.u8");
  if (arcs.weights.size() != kinds.size() || kinds.size() != arcs.sources.size())
    Die(folder + ": weights and kinds differ in number");
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] != kCategoricalKind) continue;
    arcs.sources.push_back(arcs.targets[i]);
    arcs.targets.push_back(arcs.sources[i]);
    arcs.weights.push_back(arcs.weights[i]);
  }
  // By source and target; of equal pairs (another kind) the order stays.
  std::vector<std::uint32_t> order(arcs.sources.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(arcs.sources[a], arcs.targets[a]) <
           std::pair(arcs.sources[b], arcs.targets[b]);
  });
  Arcs sorted;
  sorted.nodes = arcs.nodes;
  for (std::uint32_t i : order) {
    sorted.sources.push_back(arcs.sources[i]);
    sorted.targets.push_back(arcs.targets[i]);
    sorted.weights.push_back(arcs.weights[i]);
  }
  return sorted;
}

Arcs ReadPairs(const std::string& folder) {
  const auto sources = ReadArray<std::uint32_t>(folder + "/sources.u32"),
             targets = ReadArray<std::uint32_t>(folder + "/targets.u32");
  Arcs pairs;
  pairs.nodes = ReadNumber<std::uint32_t>(folder + "/nodes.u32");
  if (!Exists(folder + "/weights.f32")) {  // GAP's graphs: every edge is there both ways
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (sources[i] < targets[i]) {
        pairs.sources.push_back(sources[i]);
        pairs.targets.push_back(targets[i]);
      }
    return pairs;
  }
  const auto weights = ReadArray<float>(folder + "/weights.f32");
  std::map<std::pair<std::uint32_t, std::uint32_t>, float> sums;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i] != targets[i]) sums[std::minmax(sources[i], targets[i])] += weights[i];
  for (const auto& [pair, weight] : sums) {
    pairs.sources.push_back(pair.first);
    pairs.targets.push_back(pair.second);
    pairs.weights.push_back(weight);
  }
  return pairs;
}
std::vector<std::uint32_t> Offsets(const Arcs& arcs) {
  std::vector<std::uint32_t> offsets(arcs.nodes + std::size_t{1});
  for (std::uint32_t u : arcs.sources) ++offsets[u + std::size_t{1}];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

Sharing ReadSharing(const std::string& folder) {
  Sharing s;
  s.facts = ReadNumber<std::uint32_t>(folder + "/facts.u32");
  s.tags = ReadNumber<std::uint32_t>(folder + "/tags.u32");
  s.events = ReadNumber<std::uint32_t>(folder + "/events.u32");
  s.fact = ReadArray<std::uint32_t>(folder + "/has_tag_fact.u32");
  s.tag = ReadArray<std::uint32_t>(folder + "/has_tag_tag.u32");
  s.event = ReadArray<std::uint32_t>(folder + "/member_event.u32");
  s.event_fact = ReadArray<std::uint32_t>(folder + "/member_fact.u32");
  std::vector<std::uint32_t> df(s.tags);
  for (std::uint32_t t : s.tag) ++df[t];
  for (std::uint32_t n : df) s.weight.push_back(n < 2 ? 0.0 : 1.0 / std::log(1.0 + n));
  return s;
}

Vectors ReadVectors(const std::string& folder) {
  Vectors v;
  v.dimensions = ReadNumber<std::uint32_t>(folder + "/dimensions.u32");
  v.rows = ReadArray<float>(folder + "/rows.f32");
  v.queries = ReadArray<float>(folder + "/queries.f32");
  v.subset = ReadArray<std::uint32_t>(folder + "/subset.u32");
  if (v.dimensions == 0 || v.rows.size() % v.dimensions || v.queries.size() % v.dimensions)
    Die(folder + ": vectors do not fit their dimensions");
  return v;
}

void AppendBest(std::vector<Entry> entries, std::size_t top, bool pairs, Answer& answer) {
  const std::size_t n = std::min(top, entries.size());
  std::partial_sort(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(n),
                    entries.end());
  answer.push_back(static_cast<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    answer.push_back(entries[i].a);
    if (pairs) answer.push_back(entries[i].b);
    answer.push_back(entries[i].score);
  }
}

Peer::Peer(int argc, char** argv, const std::string& version) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s WORK FOLDER ANSWER|- TRIALS\n", argv[0]);
    std::exit(2);
  }
  work_ = argv[1];
  folder_ = argv[2];
  answer_ = argv[3];
  trials_ = Number(argv[4], "TRIALS");
  if (const char* threads = std::getenv("PEERS_THREADS"))
    threads_ = Number(threads, "PEERS_THREADS");
  std::printf("version: %s\n", version.c_str());
}

bool Peer::RunOneOf(const std::vector<Work>& works) const {
  for (const Work& work : works) {
    if (work.name != work_) continue;
    work.run();
    if (!work.note.empty()) Note(work.note);
    return true;
  }
  return false;
}

int Peer::Finish() const {
  if (done_) return 0;
  std::fprintf(stderr, "peer: this program has no work named %s\n", work_.c_str());
  return 3;
}

}  // namespace plexus::peers
