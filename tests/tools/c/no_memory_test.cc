// Memory that ends while arrays are written.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/failing_memory.h"
#include "tests/support/run_plexus.h"
#include "tools/c/plexus.h"

namespace plexus::testing {
namespace {

// Later writes are durable again, and the next ones of many edges are not refused.
TEST(CNoMemory, BulkModeIsEnded) {
  const TempDir dir;
  plexus_open_options open = {};
  open.size = sizeof open;
  open.create = 1;
  plexus_graph* graph = nullptr;
  ASSERT_EQ(plexus_open((dir / "g").c_str(), &open, &graph), PLEXUS_OK) << plexus_message();
  const std::vector<std::uint32_t> sources(1 << 20, 0), targets(1 << 20, 1);
  plexus_edges edges = {};
  edges.size = sizeof edges;
  edges.sources = sources.data();
  edges.targets = targets.data();
  edges.count = 1;  // an empty graph would be loaded at once
  ASSERT_EQ(plexus_put_edges(graph, &edges, nullptr, nullptr), PLEXUS_OK) << plexus_message();
  edges.count = sources.size();

  std::optional<FailingMemory> failing;
  plexus_call_options options = {};
  options.size = sizeof options;
  options.progress_context = &failing;
  options.progress = [](void* context, const char*, std::uint64_t done, std::uint64_t) {
    if (done > 0)
      static_cast<std::optional<FailingMemory>*>(context)->emplace(1, Failure::kOnce, nullptr,
                                                                   Threads::kThis);
    return 0;
  };
  EXPECT_EQ(plexus_put_edges(graph, &edges, &options, nullptr), PLEXUS_RESOURCE_EXHAUSTED);
  EXPECT_STREQ(plexus_message(), "out of memory");
  EXPECT_TRUE(failing && failing->failed());
  failing.reset();
  EXPECT_EQ(plexus_put_edges(graph, &edges, nullptr, nullptr), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(plexus_close(graph), PLEXUS_OK);
}

}  // namespace
}  // namespace plexus::testing
