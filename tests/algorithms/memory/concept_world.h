// Random concept graphs, as a world of names and as batches, and answers that can be compared.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/memory/concepts/concepts.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/reference/concepts.h"

namespace plexus::testing {

using reference::ConceptQuestion;
using reference::ConceptWorld;

inline constexpr std::int64_t kT = 1'700'000'000'000;
inline constexpr std::int64_t kHour = 3'600'000;

inline constexpr EdgeKindId kKindOf[] = {builtin::kIsA, builtin::kPartOf, builtin::kEvokes,
                                         builtin::kCauses};

// Names that make texts meet: "a evokes b" evokes "c", and "a" evokes "b evokes c".
inline std::string NameOf(std::size_t i) {
  static const char* const kSpecial[] = {"a", "b", "c", "a evokes b", "b evokes c", "b is-a c"};
  return i < 6 ? kSpecial[i] : "n" + std::to_string(i);
}

struct RandomWorld {
  ConceptWorld world;
  std::vector<std::string> names;
  // Removed (false) or purged (true) after all was written.
  std::map<std::string, bool> taken_away;
};

// Chains, cycles, diamonds, a hub and whatever else comes: `shape` bends the draw of ends.
inline RandomWorld MakeWorld(std::uint64_t seed, std::size_t count, std::size_t edges) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  RandomWorld made;
  for (std::size_t i = 0; i < count; ++i) {
    ConceptWorld::Node node;
    const std::size_t kind = below(10);
    node.kind = i < 6 || kind < 7 ? ConceptWorld::kConcept
                : kind < 9        ? ConceptWorld::kEpisode
                                  : ConceptWorld::kOther;
    if (below(8) != 0) node.level = static_cast<double>(below(9)) / 8;
    if (below(4) != 0) node.valence = (static_cast<double>(below(9)) - 4) / 4;
    if (below(6) != 0)
      node.accessed_at = below(8) == 0 ? 0 : kT + static_cast<std::int64_t>(below(12)) * kHour;
    if (node.kind == ConceptWorld::kEpisode && below(5) != 0)
      node.text = below(3) == 0 ? "b evokes c" : "episode " + std::to_string(below(2));
    made.names.push_back(NameOf(i));
    made.world.nodes[made.names.back()] = node;
  }
  std::map<std::tuple<std::string, int, std::string, std::string>, bool> known;
  const std::size_t shape = below(4);
  for (std::size_t e = 0; e < edges; ++e) {
    std::size_t from = below(count), to = below(count);
    if (shape == 0 && below(2) == 0) to = (from + 1) % count;     // chains that close to a cycle
    if (shape == 1 && below(2) == 0) (below(2) ? from : to) = 0;  // a hub
    if (shape == 2) from = from / 3 * 3, to = std::min(count - 1, from + 1 + below(5));  // diamonds
    if (from == to) continue;
    ConceptWorld::Edge edge;
    edge.from = made.names[from], edge.to = made.names[to];
    edge.kind =
        below(8) == 0 ? ConceptWorld::kAnother : static_cast<ConceptWorld::Relation>(below(3));
    if (made.world.nodes[edge.to].kind == ConceptWorld::kEpisode && below(3) != 0)
      edge.kind = ConceptWorld::kEvokes;
    edge.weight = static_cast<float>(below(10)) / 8.0f;
    if (below(6) == 0) edge.label = "again";
    if (below(5) == 0) edge.valid_from = kT + static_cast<std::int64_t>(below(10)) * kHour;
    if (below(5) == 0) edge.valid_until = kT + static_cast<std::int64_t>(1 + below(10)) * kHour;
    if (edge.valid_from != kNoTime && edge.valid_until != kNoTime &&
        edge.valid_until <= edge.valid_from)
      continue;
    if (!known.emplace(std::tuple(edge.from, edge.kind, edge.to, edge.label), true).second)
      continue;
    made.world.edges.push_back(edge);
  }
  for (const std::string& name : made.names)
    if (below(12) == 0) {
      made.taken_away[name] = below(2) == 0;
      made.world.nodes[name].alive = false;
    }
  return made;
}

enum class Storage { kClean, kDelta, kRuns };
inline constexpr Storage kStorages[] = {Storage::kClean, Storage::kDelta, Storage::kRuns};

// apply(batch) and compact() as the storage says; nodes and edges in an order drawn from `order`.
template <class Apply, class Compact>
void WriteWorld(const RandomWorld& made, std::uint64_t order, Storage storage, Apply&& apply,
                Compact&& compact) {
  std::mt19937_64 random(order);
  std::vector<std::string> names = made.names;
  std::vector<ConceptWorld::Edge> edges = made.world.edges;
  for (std::size_t i = names.size(); i > 1; --i) std::swap(names[i - 1], names[random() % i]);
  for (std::size_t i = edges.size(); i > 1; --i) std::swap(edges[i - 1], edges[random() % i]);
  WriteBatch nodes(kT);
  for (const std::string& name : names) {
    const ConceptWorld::Node& node = made.world.nodes.at(name);
    const NodeRef ref =
        nodes.UpsertNode(name, node.kind == ConceptWorld::kConcept   ? builtin::kConcept
                               : node.kind == ConceptWorld::kEpisode ? builtin::kEpisode
                                                                     : builtin::kMemory);
    if (node.level) nodes.SetF64(ref, builtin::kArousalLevel, *node.level);
    if (node.valence) nodes.SetF64(ref, builtin::kValence, *node.valence);
    if (node.accessed_at) nodes.SetI64(ref, builtin::kAccessedAt, *node.accessed_at);
    if (!node.text.empty()) nodes.SetPayload(ref, NodeField::kText, node.text);
  }
  apply(nodes);
  const std::size_t parts = storage == Storage::kRuns ? 4 : 2;
  for (std::size_t part = 0; part < parts; ++part) {
    WriteBatch batch(kT);
    for (std::size_t i = edges.size() * part / parts; i < edges.size() * (part + 1) / parts; ++i) {
      WriteBatch::EdgeInput input;
      input.source = batch.Node(edges[i].from);
      input.target = batch.Node(edges[i].to);
      input.kind = kKindOf[edges[i].kind];
      input.label = edges[i].label;
      input.weight = edges[i].weight;
      if (edges[i].valid_from != kNoTime) input.valid_from = edges[i].valid_from;
      if (edges[i].valid_until != kNoTime) input.valid_until = edges[i].valid_until;
      batch.Link(input);
    }
    if (!batch.empty()) apply(batch);
    if (storage == Storage::kDelta && part == 0) compact();
  }
  WriteBatch last(kT);
  for (const auto& [name, purged] : made.taken_away)
    purged ? last.PurgeNode(last.Node(name)) : last.RemoveNode(last.Node(name));
  if (!last.empty()) apply(last);
  if (storage == Storage::kClean) compact();
}

inline std::unique_ptr<Graph> InMemory(const RandomWorld& made, std::uint64_t order,
                                       Storage storage) {
  auto graph = Graph::InMemory();
  WriteWorld(
      made, order, storage,
      [&](const WriteBatch& batch) {
        const auto report = graph->Apply(batch);
        EXPECT_TRUE(report) << report.error().ToString();
      },
      [&] { EXPECT_TRUE(graph->Compact()); });
  return graph;
}

inline memory::RecallConceptsOptions OptionsOf(const ConceptQuestion& question) {
  memory::RecallConceptsOptions options;
  options.hops = question.hops;
  options.tau_ms = question.tau_ms;
  options.hop_decay = question.hop_decay;
  options.weighted = question.weighted;
  for (std::size_t kind = 0; kind < 3; ++kind) {
    options.decay.push_back({kKindOf[kind], Direction::kOut, question.along[kind]});
    options.decay.push_back({kKindOf[kind], Direction::kIn, question.against[kind]});
  }
  return options;
}

// Drawn from few values, so that scores meet.
inline ConceptQuestion DrawQuestion(std::mt19937_64& random, const RandomWorld& made) {
  ConceptQuestion question;
  for (std::size_t n = random() % 4; n-- > 0;)
    question.seeds.push_back(made.names[random() % made.names.size()]);
  if (random() % 4 == 0) question.seeds.push_back("nobody");
  question.hops = static_cast<int>(random() % 5);
  question.now_ms = kT + static_cast<std::int64_t>(random() % 14) * kHour;
  if (random() % 3 == 0) question.tau_ms = 6 * kHour;
  if (random() % 4 == 0) question.hop_decay = 0.7;
  question.weighted = random() % 2 == 0;
  if (random() % 3 == 0)
    for (std::size_t kind = 0; kind < 3; ++kind) {
      question.along[kind] = static_cast<double>(random() % 3) / 2;
      question.against[kind] = static_cast<double>(random() % 3) / 2;
    }
  return question;
}

// Every text, number and order of an answer, without ids.
inline std::string Shown(const Snapshot& snapshot, const memory::RecallConceptsResult& result) {
  std::string text;
  const auto number = [](double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, " %.17g", value);
    return std::string(digits);
  };
  for (const memory::Proposition& p : result.propositions)
    text += p.text + number(p.score) + number(p.valence) + " " + std::to_string(p.hop) +
            (p.forward ? " forward\n" : " backward\n");
  for (const memory::RaisedConcept& one : result.raised)
    text += "raised " + std::string(snapshot.key(one.node)) + number(one.level) + "\n";
  for (const std::string& name : result.unknown) text += "unknown " + name + "\n";
  return text + (result.truncated ? "truncated\n" : "");
}
inline std::string Shown(const reference::ConceptAnswer& answer) {
  memory::RecallConceptsResult result;
  std::string text;
  for (const auto& p : answer.propositions)
    result.propositions.push_back({p.text, p.score, p.valence, 0, 0, {}, p.hop, p.forward});
  std::vector<std::pair<double, std::string>> raised;
  for (const auto& [name, level] : answer.raised) raised.emplace_back(-level, name);
  std::ranges::sort(raised);
  text = Shown(Snapshot(), result);
  for (const auto& [level, name] : raised) {
    char digits[40];
    std::snprintf(digits, sizeof digits, " %.17g", -level);
    text += "raised " + name + digits + "\n";
  }
  for (const std::string& name : answer.unknown) text += "unknown " + name + "\n";
  return text;
}

}  // namespace plexus::testing
