// An import beside another writer of the graph: what it made of the graph and was overtaken with is
// made again, so neither's tags and properties are lost, and nobody sees the conflict.
#include <gtest/gtest.h>

#include <string>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "storage/formats/import.h"
#include "tests/support/dump.h"

namespace plexus::testing {
using namespace builtin;
using namespace formats;
namespace {

constexpr std::int64_t kNow = 1'700'000'000'000;

ImportOptions Lines() {
  ImportOptions options;
  options.format = FileFormat::kJsonLines;
  options.now_ms = kNow;
  return options;
}

TEST(Overtaken, AnImportIsMadeAgain) {
  const std::string first = R"({"node":"a","tags":["x","y"],"props":{"p":1}})",
                    second = R"({"node":"a","tags":["z"],"props":{"q":2}})";
  const auto other = [](Graph& graph) {
    WriteBatch batch(kNow);
    batch.Link(batch.Node("a"), kHasTag, batch.IndexNode(kTag, "late"));
    ASSERT_TRUE(graph.Apply(batch));
    ASSERT_TRUE(ImportBytes(graph, "other", R"({"node":"a","props":{"r":3}})", Lines()));
  };
  const auto expected = Graph::InMemory(), graph = Graph::InMemory();
  for (Graph* g : {expected.get(), graph.get()})
    ASSERT_TRUE(ImportBytes(*g, "first", first, Lines()));
  other(*expected);
  ASSERT_TRUE(ImportBytes(*expected, "second", second, Lines()));
  ImportOptions options = Lines();
  int calls = 0;
  options.complete = [&](const Snapshot&, WriteBatch&) -> Status {
    if (calls++ == 0) other(*graph);  // after the batch was made of the graph, before it is applied
    return {};
  };
  const auto report = ImportBytes(*graph, "second", second, options);
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(report->records, 1u);
  EXPECT_EQ(report->batches, 1u);
  EXPECT_EQ(report->errors, 0u);
  EXPECT_TRUE(SameText(Dump(expected->snapshot()), Dump(graph->snapshot())));
}

}  // namespace
}  // namespace plexus::testing
