// The surface frontier over a million memories: 1,000,000 memories with 20 tags out of 100,000 and
// 10 terms out of 100,000 each (drawn with probability 1 / rank), of three kinds, with a retention,
// and 200,000 events of 2 to 5 of them, some with an outcome.
//
//   never_composed [pairs] [triples] [keeper]      all without an argument
//   PLEXUS_BENCH_NODES, _TAGS, _TERMS, _EVENTS, _TOP, _THREADS; PLEXUS_BENCH_PLAIN=1: one kind and
//   no retention
//
// Prints the time from the snapshot to the page, how many sets were compared, scored and pruned,
// and the peak of memory beside the graph's. Verified: listed pairs again from what was generated,
// and against all partners of some memories; the keeper against a full run.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "bench/graphs/random_graph.h"
#include "bench/graphs/zipf.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "engine/graph.h"
#include "engine/properties/properties.h"
#include "engine/vocabulary.h"

namespace plexus::bench {
namespace {

constexpr std::size_t kTagsEach = 20, kTermsEach = 10;

struct Memory {
  std::vector<std::uint32_t> tags, terms;
  double trust = 0.5;
  int kind = 0;
  std::set<std::uint32_t> events;
  bool helpful = false;
};

struct World {
  std::unique_ptr<Graph> graph = Graph::InMemory();
  std::vector<Memory> memories;
};

constexpr NodeKindId kKinds[] = {builtin::kMemory, builtin::kDecision, builtin::kConcept};

void AddMemories(World& world, std::size_t count, bool plain) {
  const Zipf tags(static_cast<std::size_t>(Size("PLEXUS_BENCH_TAGS", 100'000, 300))),
      terms(static_cast<std::size_t>(Size("PLEXUS_BENCH_TERMS", 100'000, 300)));
  std::mt19937_64 random(1);
  constexpr std::size_t kStep = 1 << 14;
  for (std::size_t first = 0; first < count; first += kStep) {
    WriteBatch batch(kBenchTime);
    std::map<std::uint32_t, NodeRef> tag_refs, term_refs;
    for (std::size_t v = first; v < std::min(count, first + kStep); ++v) {
      Memory memory;
      memory.tags = tags.Draw(kTagsEach, random);
      memory.terms = terms.Draw(kTermsEach, random);
      memory.kind = plain ? 0 : static_cast<int>(random() % 10 / 5 * (1 + random() % 2));
      const NodeRef node = batch.UpsertNode("n" + std::to_string(v), kKinds[memory.kind]);
      if (!plain) {
        memory.trust = static_cast<double>(random() % 1001) / 1000;
        batch.SetF64(node, builtin::kRetention, memory.trust);
      }
      for (const std::uint32_t tag : memory.tags) {
        auto [at, added] = tag_refs.try_emplace(tag);
        if (added) at->second = batch.IndexNode(builtin::kTag, "t" + std::to_string(tag));
        batch.Link(node, builtin::kHasTag, at->second);
      }
      for (const std::uint32_t term : memory.terms) {
        auto [at, added] = term_refs.try_emplace(term);
        if (added) at->second = batch.IndexNode(builtin::kTerm, "word" + std::to_string(term));
        batch.Link(node, builtin::kHasTerm, at->second);
      }
      world.memories.push_back(std::move(memory));
    }
    Must(world.graph->Apply(batch), "adding memories");
  }
}

void AddEvent(World& world, WriteBatch& batch, std::uint32_t number, std::mt19937_64& random) {
  const NodeRef event = batch.IndexNode(builtin::kEvent, "e" + std::to_string(number));
  const bool helpful = random() % 16 == 0;
  for (std::size_t m = 2 + random() % 4; m-- > 0;) {
    const std::size_t v = random() % world.memories.size();
    world.memories[v].helpful |= helpful;
    if (world.memories[v].events.insert(number).second)
      batch.Link(event, builtin::kMember, batch.Node("n" + std::to_string(v)));
  }
  if (!helpful) return;
  const NodeRef outcome =
      batch.IndexNode(builtin::kOutcome, "helpful/0/user/e" + std::to_string(number));
  PropertyMapBuilder properties;
  properties.String("type", "helpful");
  batch.SetPayload(outcome, NodeField::kProperties, Must(properties.Finish(), "properties"));
  batch.Link(outcome, builtin::kLabels, event);
}

void AddEvents(World& world, std::size_t count) {
  std::mt19937_64 random(2);
  constexpr std::size_t kStep = 1 << 15;
  for (std::size_t first = 0; first < count; first += kStep) {
    WriteBatch batch(kBenchTime);
    for (std::size_t e = first; e < std::min(count, first + kStep); ++e)
      AddEvent(world, batch, static_cast<std::uint32_t>(e), random);
    Must(world.graph->Apply(batch), "adding events");
  }
}

std::size_t Common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::size_t common = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const bool left = a[i] <= b[j], right = b[j] <= a[i];
    common += left && right;
    i += left;
    j += right;
  }
  return common;
}

double Score(const Memory& a, const Memory& b) {
  const auto tags = static_cast<double>(Common(a.tags, b.tags)),
             terms = static_cast<double>(Common(a.terms, b.terms));
  const double distance = 1 - tags / (2.0 * kTagsEach - tags);
  const double bridge =
      0.3 * distance + 0.2 * (a.kind != b.kind) + 0.15 * (terms > 0) + 0.1 * (tags > 0);
  const double novelty = (1 / (1.0 + static_cast<double>(a.events.size())) +
                          1 / (1.0 + static_cast<double>(b.events.size()))) /
                         2;
  return 0.45 * tags + 0.25 * std::min(terms, 5.0) + 2 * bridge + 1.5 * novelty +
         (a.trust + b.trust) / 2 + (a.helpful || b.helpful ? 0.25 : 0);
}

bool Together(const Memory& a, const Memory& b) {
  return std::any_of(a.events.begin(), a.events.end(),
                     [&](std::uint32_t e) { return b.events.contains(e); });
}

std::size_t NumberOf(const Snapshot& snapshot, NodeId node) {
  return static_cast<std::size_t>(std::atoll(std::string(snapshot.key(node)).c_str() + 1));
}

// No pair with one of some memories may beat the worst listed one and be missing.
void Verify(const World& world, const Snapshot& snapshot, const memory::NeverComposedPage& page,
            std::size_t top) {
  Require(!page.truncated, "never composed: ran to its end");
  if (!Require(page.sets.size() == top, "never composed: number of pairs")) return;
  std::set<std::pair<std::size_t, std::size_t>> listed;
  for (const memory::NeverComposedSet& set : page.sets) {
    const std::size_t a = NumberOf(snapshot, set.members[0]),
                      b = NumberOf(snapshot, set.members[1]);
    listed.insert({std::min(a, b), std::max(a, b)});
    Require(std::abs(set.score - Score(world.memories[a], world.memories[b])) < 1e-9,
            "never composed: score of a pair");
    Require(!Together(world.memories[a], world.memories[b]), "never composed: a composed pair");
  }
  const double worst = page.sets.back().score;
  const std::size_t count = world.memories.size(), step = std::max<std::size_t>(1, count / 20);
  std::set<std::size_t> some;
  for (std::size_t a = 0; a < count; a += step) some.insert(a);
  for (const auto& [a, b] : listed)
    if (some.size() < 40) some.insert(a);
  for (const std::size_t a : some)
    for (std::size_t b = 0; b < count; ++b)
      if (a != b && Score(world.memories[a], world.memories[b]) > worst + 1e-9 &&
          !listed.contains(std::minmax(a, b)))
        Require(Together(world.memories[a], world.memories[b]), "never composed: one is missing");
}

void Ask(const World& world, int arity, std::size_t top, Executor& executor, const char* name) {
  const Snapshot snapshot = world.graph->snapshot();
  memory::NeverComposedOptions options;
  options.lens = memory::FrontierLens::kSurface;
  options.arity = arity;
  options.top = top;
  options.now_ms = kBenchTime;
  options.run.executor = &executor;
  const double graph = Megabytes("VmRSS:");
  ForgetPeak();
  memory::NeverComposedPage page;
  const double cpu = ProcessSeconds();
  const double seconds =
      Seconds([&] { page = Must(memory::NeverComposed(snapshot, options), name); });
  std::printf(
      "%-8s %8.2f s (cpu %.2f s)   compared %llu  scored %llu  pruned %llu (%.9f)   memory %.0f "
      "MB, peak %.0f "
      "MB "
      "(%.2f)   best %.4f  last %.4f\n",
      name, seconds, ProcessSeconds() - cpu, static_cast<unsigned long long>(page.compared),
      static_cast<unsigned long long>(page.scored), static_cast<unsigned long long>(page.pruned),
      static_cast<double>(page.pruned) /
          (static_cast<double>(page.pruned) + static_cast<double>(page.scored)),
      graph, Megabytes("VmHWM:"), Megabytes("VmHWM:") / graph,
      page.sets.empty() ? 0 : page.sets.front().score,
      page.sets.empty() ? 0 : page.sets.back().score);
  std::fflush(stdout);
  if (arity == 2) Verify(world, snapshot, page, top);
}

void Keep(World& world, std::size_t top, Executor& executor) {
  memory::NeverComposedOptions options;
  options.lens = memory::FrontierLens::kSurface;
  options.top = top;
  options.now_ms = kBenchTime;
  options.run.executor = &executor;
  std::optional<memory::FrontierKeeper> keeper;
  const double full = Seconds([&] {
    keeper = Must(memory::FrontierKeeper::Make(world.graph->snapshot(), options), "keeper");
  });
  std::mt19937_64 random(3);
  std::vector<double> updates;
  for (std::uint32_t e = 0; e < 20; ++e) {
    WriteBatch batch(kBenchTime);
    AddEvent(world, batch, 100'000'000 + e, random);
    Must(world.graph->Apply(batch), "adding an event");
    const Snapshot snapshot = world.graph->snapshot();
    updates.push_back(Seconds([&] { Must(keeper->Update(snapshot), "update"); }));
  }
  const memory::NeverComposedPage again =
      Must(memory::NeverComposed(world.graph->snapshot(), options), "full run");
  bool same = again.sets.size() == keeper->page().sets.size();
  for (std::size_t i = 0; same && i < again.sets.size(); ++i)
    same = again.sets[i].members == keeper->page().sets[i].members &&
           again.sets[i].score == keeper->page().sets[i].score;
  Require(same, "keeper: the page of a full run");
  const double median = Median(updates);
  std::printf(
      "keeper   full %.2f s   update after one event: median %.2f ms, most %.2f ms (%.0f "
      "times)   quick %llu, full %llu\n",
      full, median * 1e3, std::ranges::max(updates) * 1e3, full / median,
      static_cast<unsigned long long>(keeper->counters().incremental),
      static_cast<unsigned long long>(keeper->counters().full));
}

}  // namespace
}  // namespace plexus::bench

int main(int argc, char** argv) {
  using namespace plexus;
  using namespace plexus::bench;
  const std::set<std::string> asked(argv + 1, argv + argc);
  const auto wants = [&](const char* name) { return asked.empty() || asked.contains(name); };
  World world;
  AddMemories(world, static_cast<std::size_t>(Size("PLEXUS_BENCH_NODES", 1'000'000, 6000)),
              Size("PLEXUS_BENCH_PLAIN", 0, 0) != 0);
  AddEvents(world, static_cast<std::size_t>(Size("PLEXUS_BENCH_EVENTS", 200'000, 1200)));
  Must(world.graph->Compact(), "compacting");
  const auto top = static_cast<std::size_t>(Size("PLEXUS_BENCH_TOP", 100, 20));
  Executor& executor = ExecutorOf(static_cast<int>(Size("PLEXUS_BENCH_THREADS", 2, 2)));
  if (wants("pairs")) Ask(world, 2, top, executor, "pairs");
  if (wants("triples")) Ask(world, 3, top, executor, "triples");
  if (wants("keeper")) Keep(world, top, executor);
  return FailedChecks() == 0 ? 0 : 1;
}
