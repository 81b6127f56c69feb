// The catalogue of graphs every kernel is run on.
#include <algorithm>
#include <random>

#include "tests/support/case_graph.h"

namespace plexus::testing {
using namespace builtin;

namespace {

constexpr EdgeKindId kFactKinds[] = {kLink, kSupports, kCauses, kRelatesTo, kSimilar};

float Weight(std::mt19937_64& random) {
  return static_cast<float>(1 + random() % 64) / 64.0f;  // (0, 1]
}

void RandomEdges(CaseGraph& g, std::mt19937_64& random, std::size_t first, std::size_t nodes,
                 std::size_t edges, bool index_noise) {
  for (std::size_t i = 0; i < edges; ++i) {
    const std::size_t a = first + random() % nodes, b = first + random() % nodes;
    const EdgeKindId kind = kFactKinds[random() % 5];
    if (!g.alive(a) || !g.alive(b) || (a == b && kind != kLink)) continue;
    const std::string label = random() % 8 == 0 ? "l" + std::to_string(random() % 3) : "";
    g.Link(a, kind, b, Weight(random), label);
  }
  if (!index_noise) return;
  for (std::size_t i = 0; i < nodes / 4 + 1; ++i) {
    const std::size_t tag = g.AddNode(kTag);
    for (int k = 0; k < 4; ++k) {
      const std::size_t a = first + random() % nodes;
      if (g.alive(a)) g.Link(a, kHasTag, tag, Weight(random));
    }
  }
}

// Base, then updates, unlinks and removals, then more nodes and edges.
Case Random(std::string name, std::uint64_t seed, std::size_t nodes, std::size_t edges,
            bool index_noise) {
  return {std::move(name), 3, [=](CaseGraph& g, int step) {
            std::mt19937_64 random(seed + static_cast<std::uint64_t>(step));
            if (step == 0) {
              g.AddNodes(nodes);
              RandomEdges(g, random, 0, nodes, edges, index_noise);
            } else if (step == 1) {
              std::vector<CaseGraph::Identity> old;
              for (const auto& e : g.edges()) old.push_back(e.first);
              for (const auto& [source, kind, target, label] : old) {
                if (random() % 10 == 0)
                  g.Unlink(source, kind, target, label);
                else if (random() % 10 == 0)
                  g.Link(source, kind, target, Weight(random), label);
              }
              for (std::size_t i = 0; i < nodes / 20 + 1; ++i) {
                const std::size_t v = random() % nodes;
                if (g.alive(v)) g.Remove(v);
              }
            } else {
              const std::size_t first = g.AddNodes(nodes / 10 + 1);
              RandomEdges(g, random, 0, first, edges / 10, index_noise);
              for (std::size_t v = first; v < g.size(); ++v)
                if (g.alive(v - first) && random() % 2) g.Link(v, kLink, v - first, Weight(random));
            }
          }};
}

// All alive, all facts: once compacted, kernels run on the base arrays as they are.
// A ring whose node 0 also points at many leaves that point nowhere.
Case Whole(std::size_t ring, std::size_t leaves) {
  return {"ring, fan and chords", 2, [=](CaseGraph& g, int step) {
            std::mt19937_64 random(77);
            if (step == 0) {
              g.AddNodes(ring + leaves);
              for (std::size_t v = 0; v < ring; ++v)
                g.Link(v, kLink, (v + 1) % ring, Weight(random));
              for (std::size_t v = 0; v < leaves; ++v) g.Link(0, kLink, ring + v, Weight(random));
              for (std::size_t v = ring; v < ring + leaves; v += 9)
                g.Link(v, kRelatesTo, v + 1, Weight(random));
            } else {
              for (std::size_t i = 0; i < ring; ++i) {
                const std::size_t a = random() % ring, b = random() % ring;
                if (a != b) g.Link(a, i % 3 ? kCauses : kSimilar, b, Weight(random));
              }
            }
          }};
}

Case Star(std::size_t leaves) {
  return {"star", 2, [=](CaseGraph& g, int step) {
            if (step == 0) {
              g.AddNodes(leaves + 1);
              for (std::size_t v = 1; v <= leaves; ++v) g.Link(v, kLink, 0, 0.5f);
            } else {
              for (std::size_t v = 1; v <= leaves; v += 7) g.Link(0, kLink, v, 0.25f);
            }
          }};
}

}  // namespace

std::vector<Case> SmallCases() {
  std::vector<Case> cases;
  cases.push_back({"empty", 0, nullptr});
  cases.push_back({"one node", 1, [](CaseGraph& g, int) { g.AddNode(); }});
  cases.push_back({"self-loop", 1, [](CaseGraph& g, int) {
                     g.AddNodes(2);
                     g.Link(0, kLink, 0, 0.5f);
                     g.Link(0, kLink, 1, 0.5f);
                   }});
  cases.push_back({"parallel edges", 2, [](CaseGraph& g, int step) {
                     if (step == 0) {
                       g.AddNodes(3);
                       g.Link(0, kLink, 1, 0.25f, "a");
                       g.Link(0, kLink, 1, 0.5f, "b");
                       g.Link(0, kSupports, 1, 0.75f);
                       g.Link(1, kRelatesTo, 2, 0.5f);
                       g.Link(2, kSupports, 0, 1.0f);
                     } else {
                       g.Link(0, kLink, 1, 0.125f, "c");
                       g.Unlink(0, kLink, 1, "a");
                       g.Link(1, kLink, 0, 0.5f);
                     }
                   }});
  cases.push_back({"no edges", 1, [](CaseGraph& g, int) { g.AddNodes(5); }});
  cases.push_back({"only index edges", 1, [](CaseGraph& g, int) {
                     g.AddNodes(3);
                     const std::size_t tag = g.AddNode(kTag);
                     for (std::size_t v = 0; v < 3; ++v) g.Link(v, kHasTag, tag, 0.5f);
                   }});
  cases.push_back({"chain", 2, [](CaseGraph& g, int step) {
                     if (step == 0) g.AddNodes(12);
                     for (std::size_t v = step == 0 ? 0 : 6; v < (step == 0 ? 6u : 11u); ++v)
                       g.Link(v, kLink, v + 1, 0.75f);
                   }});
  cases.push_back({"cycle", 1, [](CaseGraph& g, int) {
                     g.AddNodes(5);
                     for (std::size_t v = 0; v < 5; ++v) g.Link(v, kSupports, (v + 1) % 5, 0.5f);
                   }});
  cases.push_back({"disconnected", 2, [](CaseGraph& g, int step) {
                     if (step == 0) {
                       g.AddNodes(9);
                       g.Link(8, kLink, 0, 0.5f);
                       g.Link(1, kLink, 2, 0.5f);
                       g.Link(3, kSimilar, 2, 0.5f);
                     } else {
                       g.Link(5, kLink, 6, 0.5f);
                       g.Remove(4);
                     }
                   }});
  cases.push_back({"symmetric with a loop", 1, [](CaseGraph& g, int) {
                     EdgeKind touches;
                     touches.name = "touches";
                     touches.symmetric = true;
                     const EdgeKindId kind = g.DefineKind(touches);
                     g.AddNodes(4);
                     g.Link(0, kind, 0, 0.5f);
                     g.Link(2, kind, 1, 0.5f);
                     g.Link(1, kind, 3, 0.25f);
                     g.Link(0, kLink, 1, 1.0f);
                   }});
  cases.push_back({"zero weights", 1, [](CaseGraph& g, int) {
                     g.AddNodes(4);
                     g.Link(0, kLink, 1, 0.0f);
                     g.Link(1, kLink, 2, 0.5f);
                     g.Link(0, kLink, 3, 0.5f);
                   }});
  // A better but longer prefix: one label per node would lose it.
  cases.push_back({"longer is better", 1, [](CaseGraph& g, int) {
                     g.AddNodes(5);
                     g.Link(0, kLink, 2, 0.25f);
                     g.Link(0, kLink, 1, 1.0f);
                     g.Link(1, kLink, 2, 1.0f);
                     g.Link(2, kLink, 3, 0.5f);
                     g.Link(3, kLink, 4, 0.5f);
                   }});
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    cases.push_back(Random("random " + std::to_string(seed), seed, 24, 50, seed % 2 == 0));
  cases.push_back(Star(40));
  return cases;
}

std::vector<Case> LargeCases() {
  std::vector<Case> cases;
  cases.push_back(Random("random 6000", 11, 6000, 40000, false));
  cases.push_back(Random("random 6000 with tags", 12, 6000, 40000, true));
  Case star = Star(20000);
  star.name = "star 20000";
  cases.push_back(std::move(star));
  cases.push_back(Whole(5000, 3001));
  return cases;
}

}  // namespace plexus::testing
