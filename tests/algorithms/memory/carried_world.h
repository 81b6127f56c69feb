// A world that changes in what is carried from state to state, and a look whether that is what is
// made from nothing, bit for bit.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/retrieval/terms.h"
#include "engine/snapshot.h"
#include "engine/state.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"
#include "tests/support/memory_world.h"

namespace plexus::testing {

inline WriteBatch NextOfCarried(MemoryWorld& world) {
  constexpr Change kSorts[] = {
      Change::kRemoveFact, Change::kPurgeFact,   Change::kKind,      Change::kValidFrom,
      Change::kValidUntil, Change::kClearTime,   Change::kUnsupersede, Change::kRetention,
      Change::kSupersede,  Change::kSupersede,   Change::kSupersede, Change::kChain,
      Change::kTerm,       Change::kTerm,        Change::kTerm,      Change::kTerm};
  return world.Next(kSorts, 1 + world.Below(6));
}

inline MemoryWorld CarriedWorld(std::uint64_t seed, std::size_t most) {
  return MemoryWorld(seed, {.facts = most, .now_ms = 50});  // valid times from 0 to 120
}

inline constexpr std::int64_t kTimes[] = {-1, 0, 13, 49, 50, 75, 108, 109, 119, 200};

inline void ExpectSame(const Snapshot& s, std::span<const std::int64_t> times, Executor& executor) {
  for (const bool all : {false, true})
    for (const std::int64_t now : times) {
      const auto kept = memory::VisibleNodes(s, now, {all, true, {.executor = &executor}}).value();
      const auto made = memory::VisibleNodes(s, now, {all, false, {.executor = &executor}}).value();
      ASSERT_EQ(kept->ToList(), made->ToList()) << "at " << now << (all ? ", all" : "");
      ASSERT_EQ(*kept, *made);
      ASSERT_EQ(kept->capacity(), s.node_count());
    }
  std::vector<std::string> terms;
  for (NodeId v = 0; v < s.node_count(); ++v)
    if (s.alive(v) && s.node_kind(v) == builtin::kTerm) terms.emplace_back(DisplayName(s.key(v)));
  const Snapshot bare(std::make_shared<const FrozenState>(s.state()));  // nothing is kept of it
  const retrieval::Bm25Options all{.top = 0, .run = {.executor = &executor}};
  const auto kept = retrieval::Bm25(s, terms, all).value(),
             made = retrieval::Bm25(bare, terms, all).value();
  ASSERT_EQ(kept.documents, made.documents);
  ASSERT_EQ(kept.average_length, made.average_length);
  ASSERT_EQ(kept.hits.size(), made.hits.size());
  for (std::size_t i = 0; i < kept.hits.size(); ++i) {
    ASSERT_EQ(kept.hits[i].node, made.hits[i].node);
    ASSERT_EQ(kept.hits[i].length, made.hits[i].length);
  }
}

}  // namespace plexus::testing
