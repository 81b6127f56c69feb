// Graphs that are hard on searches for the next best paths.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/support/case_graph.h"

namespace plexus::testing {

// Few nodes, many edges: parallel ones, loops, ties, weights of 0, both kinds of direction, times.
inline Case Tangle(std::uint64_t seed, bool rough) {
  return {"tangle " + std::to_string(seed), 2, [=](CaseGraph& g, int step) {
            std::mt19937_64 random(seed * 2 + static_cast<std::uint64_t>(step));
            const std::size_t nodes = 5 + seed % 4;
            if (step == 0) g.AddNodes(nodes);
            for (std::size_t i = 0; i < nodes * 3; ++i) {
              const std::size_t a = random() % nodes, b = random() % nodes;
              const auto w = static_cast<float>(random() % 9) / 8;
              const float weight = rough ? std::ldexp(w, static_cast<int>(random() % 120) - 60) : w;
              if (random() % 6 == 0 && a != b)
                g.Link(a, builtin::kRelatesTo, b, weight);
              else if (random() % 4 == 0 && a != b)
                g.LinkValid(a, builtin::kSupports, b, 100, 200);
              else
                g.Link(a, builtin::kLink, b, weight, random() % 3 == 0 ? "second" : "");
            }
            if (step == 0) return;
            std::vector<CaseGraph::Identity> old;
            for (const auto& e : g.edges()) old.push_back(e.first);
            for (const auto& [source, kind, target, label] : old)
              if (random() % 7 == 0) g.Unlink(source, kind, target, label);
            if (seed % 5 == 0) g.Remove(nodes - 1);
          }};
}

// Two tangled parts, some bridges between them, a tail of diamonds with a way back into the
// second part: bounds that lead through the beginning, sets that are empty.
inline Case Parts(std::uint64_t seed) {
  return {"parts " + std::to_string(seed), 2, [=](CaseGraph& g, int step) {
            constexpr std::size_t kPart = 100, kTail = 5;
            std::mt19937_64 random(seed * 2 + static_cast<std::uint64_t>(step));
            const auto weight = [&] { return static_cast<float>(1 + random() % 64) / 64; };
            if (step == 0) g.AddNodes(2 * kPart + 3 * kTail + 1);
            for (std::size_t part = 0; part < 2; ++part)
              for (std::size_t i = 0; i < kPart * 2; ++i)
                g.Link(part * kPart + random() % kPart, builtin::kLink,
                       part * kPart + random() % kPart, weight());
            for (std::size_t i = 0; i < 1 + seed % 3; ++i)
              g.Link(random() % kPart, builtin::kLink, kPart + random() % kPart, weight());
            const std::size_t tail = 2 * kPart;
            if (step == 0) g.Link(kPart, builtin::kLink, tail, 1);
            for (std::size_t i = tail; i + 3 < g.size() && step == 1; i += 3) {
              g.Link(i, builtin::kLink, i + 1, weight());
              g.Link(i + 1, builtin::kLink, i + 3, weight());
              if (random() % 2) g.Link(i, builtin::kLink, i + 2, weight());
              g.Link(i + 2, builtin::kLink, i + 3, weight());
            }
            if (seed % 2) g.Link(kPart + 1, builtin::kLink, tail + 6, weight());
          }};
}

// A corridor with one door into a hall, whose other door is at the corridor's end. Whoever
// leaves the corridor stands in a hall whose nearest way out is the corridor behind him.
inline Case Hall(std::uint64_t seed) {
  return {"hall " + std::to_string(seed), 1, [=](CaseGraph& g, int) {
            constexpr std::size_t kSide = 14, kHall = kSide * kSide, kCorridor = 12;
            std::mt19937_64 random(seed);
            const auto weight = [&] { return static_cast<float>(32 + random() % 32) / 64; };
            g.AddNodes(kHall + kCorridor);
            for (std::size_t v = 0; v < kHall; ++v) {
              if (v % kSide + 1 < kSide) g.Link(v, builtin::kLink, v + 1, weight());
              if (v + kSide < kHall) g.Link(v, builtin::kLink, v + kSide, weight());
            }
            for (std::size_t i = 0; i + 1 < kCorridor; ++i) {
              g.Link(kHall + i, builtin::kLink, kHall + i + 1, weight());
              if (i == 5) g.Link(i, builtin::kLink, kHall + i, weight());
            }
            g.Link(kHall - 1, builtin::kLink, kHall + kCorridor - 1, weight());
          }};
}

}  // namespace plexus::testing
