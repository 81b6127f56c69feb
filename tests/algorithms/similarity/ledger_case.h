// A random ledger of memories: what never-composed sets are mined from.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/support/case_graph.h"

namespace plexus::testing {

// Facts with tags, terms and files drawn with a skew, edges between them, events; then
// things taken away and added again.
inline Case RandomLedger(std::uint64_t seed, std::size_t facts, std::size_t tags,
                         std::size_t per_fact) {
  return {
      "ledger " + std::to_string(seed), 3, [=](CaseGraph& g, int step) {
        std::mt19937_64 random(seed * 97 + static_cast<std::uint64_t>(step));
        const std::size_t events = facts / 4 + 1;
        auto skewed = [&](std::size_t n) {
          return static_cast<std::size_t>(static_cast<double>(n) *
                                          std::pow(static_cast<double>(random() % 1000) / 1000, 2));
        };
        auto add = [&](std::size_t edges) {
          for (std::size_t i = 0; i < edges; ++i) {
            const std::size_t v = random() % facts, t = facts + skewed(tags);
            if (!g.alive(v) || !g.alive(t)) continue;
            constexpr EdgeKindId kinds[] = {builtin::kHasTag, builtin::kHasTag, builtin::kHasTerm,
                                            builtin::kMentions};
            const EdgeKindId kind = kinds[t % 4];
            if (random() % 9 == 0)
              g.LinkValid(v, kind, t, 0, static_cast<std::int64_t>(random() % 100));
            else
              g.Link(v, kind, t, 1.0f, random() % 9 ? "" : "twice");
          }
          for (std::size_t i = 0; i < facts; ++i) {
            const std::size_t a = random() % facts, b = random() % facts;
            if (a != b && g.alive(a) && g.alive(b))
              g.Link(a, i % 3 ? builtin::kSupports : builtin::kSimilar, b);
          }
          for (std::size_t e = facts + tags; e < facts + tags + events; ++e)
            for (int m = 0; m < 2; ++m) {
              const std::size_t v = random() % facts;
              if (g.alive(v) && g.alive(e))
                g.Link(e, builtin::kMember, v, 1.0f, random() % 4 ? "a" : "b");
            }
        };
        if (step == 0) {
          g.AddNodes(facts);
          for (std::size_t t = 0; t < tags; ++t) {
            constexpr NodeKindId kinds[] = {builtin::kTag, builtin::kTag, builtin::kTerm,
                                            builtin::kFile};
            g.AddNode(kinds[(facts + t) % 4]);
          }
          g.AddNodes(events, builtin::kEvent);
          add(facts * per_fact);
        } else if (step == 1) {
          std::vector<CaseGraph::Identity> old;
          for (const auto& e : g.edges()) old.push_back(e.first);
          for (const auto& [source, kind, target, label] : old)
            if (random() % 7 == 0) g.Unlink(source, kind, target, label);
          for (std::size_t i = 0; i < 2 + facts / 20; ++i) {
            const std::size_t v = random() % g.size();
            if (g.alive(v)) g.Remove(v);
          }
        } else {
          add(facts);
        }
      }};
}

}  // namespace plexus::testing
