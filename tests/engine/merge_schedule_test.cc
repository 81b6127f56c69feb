// The writer's delta under a compaction: batches that come while runs are pinned, replaced
// by one, folded or let go find every edge that is there, and no other.
#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "engine/compaction/run_compaction.h"
#include "engine/vocabulary.h"
#include "tests/support/dump.h"
#include "tests/support/writer_harness.h"

namespace plexus {
using namespace builtin;
namespace {

using namespace testing;

constexpr NodeId kFewNodes = 120;

// New edges, new weights, symmetric ones, removals; most edges were named before.
WriteBatch Batch(std::mt19937_64& random, std::int64_t time_ms) {
  WriteBatch batch(time_ms);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t at = random() % kFewNodes,
                        to = (at + 1 + random() % (kFewNodes - 1)) % kFewNodes;
    const NodeRef source = batch.Node("n" + std::to_string(at)),
                  target = batch.Node("n" + std::to_string(to));
    const EdgeKindRef kind = random() % 4 == 0 ? kContradicts : kLink;
    if (random() % 6 == 0)
      batch.Unlink(source, kind, target);
    else
      batch.Link(source, kind, target, static_cast<float>(random() % 100));
  }
  return batch;
}

TEST(DeltaSchedule, ACompactionUnderWayChangesNoAnswer) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::mt19937_64 random(seed);
    WriterHarness plain, compacted;
    std::shared_ptr<const FrozenState> pinned;
    for (int b = 0; b < 60; ++b) {
      const WriteBatch batch = Batch(random, 1000 + b);
      const auto expected = plain.Apply(batch);
      const auto got = compacted.Apply(batch);
      ASSERT_TRUE(expected && got);
      ASSERT_EQ(Text(got->edges), Text(expected->edges)) << "seed " << seed << " batch " << b;
      ASSERT_LE(compacted.snapshot().state().runs.size(), engine_internal::kMaxRuns);
      switch (b % 20) {
        case 3: {
          const std::size_t runs = compacted.writer.PinRuns();
          ASSERT_GT(runs, 0u);
          pinned = compacted.writer.Publish();
          compacted.writer.ReplacePinned(MergeRuns(std::span(pinned->runs).first(runs)));
          pinned = compacted.writer.Publish();
          break;
        }
        case 9:  // lost, as when there is no memory
          compacted.writer.UnpinRuns();
          break;
        case 12:
          ASSERT_GT(compacted.writer.PinRuns(), 0u);
          pinned = compacted.writer.Publish();
          break;
        case 17: {
          const std::size_t runs = pinned->runs.size();
          auto base = CompactRuns(*pinned, runs, SerialExecutor());
          ASSERT_TRUE(base);
          compacted.writer.InstallBase(*base, runs);
          break;
        }
        default:
          break;
      }
      if (b % 10 == 9) {
        ASSERT_TRUE(SameText(Dump(compacted.snapshot()), Dump(plain.snapshot())));
      }
    }
  }
}

}  // namespace
}  // namespace plexus
