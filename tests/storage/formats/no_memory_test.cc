// Every import and export at its n-th allocation: an error, no end of the program, and the same
// once more is what it always is. A program of its own: it replaces operator new.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "storage/formats/export.h"
#include "storage/formats/follow.h"
#include "storage/formats/import.h"
#include "tests/support/no_memory_calls.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal {
using namespace formats;
namespace {

using plexus::testing::ExpectNoMemory;
using plexus::testing::Failing;
using plexus::testing::Outcome;
using plexus::testing::Sample;
using testing::ScratchDirectory;

// Into graphs in RAM: records before the failure may stay, so the whole is imported once more.
TEST(NoMemoryFormats, ImportAndExport) {
  GraphOptions plain;
  plain.executor = &SerialExecutor();
  const auto graph_of_all = Graph::InMemory(plain);
  for (std::uint64_t i = 1; i <= 16; ++i) ASSERT_TRUE(graph_of_all->Apply(testing::ScriptBatch(i)));
  const Snapshot s = graph_of_all->snapshot();
  using Exporter = Status (*)(const Snapshot&, std::ostream&, const ExportOptions&);
  const std::pair<const char*, Exporter> exporters[] = {{"x.jsonl", ExportJsonLines},
                                                        {"x.csv", ExportCsv},
                                                        {"x.dot", ExportDot},
                                                        {"x.mtx", ExportMatrixMarket},
                                                        {"x.graphml", ExportGraphMl},
                                                        {"x.node-link.json", ExportNodeLink},
                                                        {"x.mcp.json", ExportMcpMemory},
                                                        {"x.gexf", ExportGexf}};
  for (const auto& [name, exporter] : exporters) {
    SCOPED_TRACE(name);
    std::ostringstream whole;
    ASSERT_TRUE(exporter(s, whole, {}));
    Sample(10, 1.5, [&](std::int64_t n) {
      std::ostringstream out;
      const Outcome outcome = Failing(n, [&] { return exporter(s, out, {}); });
      if (outcome.status) {
        EXPECT_EQ(out.str() == whole.str(), true) << n;
      } else {  // the stream's own memory: it says that it is bad
        EXPECT_TRUE(outcome.status.error().code == ErrorCode::kResourceExhausted ||
                    outcome.status.error().code == ErrorCode::kIo)
            << n << ": " << outcome.status.error().message;
      }
      return outcome.reached;
    });
    const std::string bytes = whole.str();
    if (!ImportBytes(*Graph::InMemory(plain), name, bytes)) continue;  // written only
    Sample(6, 1.6, [&](std::int64_t n) {
      const auto graph = Graph::InMemory(plain);
      const Outcome outcome = Failing(n, [&] { return ImportBytes(*graph, name, bytes); });
      ExpectNoMemory("Import", n, outcome);
      const auto again = ImportBytes(*graph, name, bytes);
      EXPECT_TRUE(again || again.error().code == ErrorCode::kReadOnly)
          << n << (again ? "" : again.error().message);
      return outcome.reached;
    });
  }
}

// Whole batches before the failure stay, and the same once more completes it.
TEST(NoMemoryFormats, VectorsAndFollowedFiles) {
  const ScratchDirectory scratch;
  GraphOptions plain;
  plain.executor = &SerialExecutor();
  std::string rows, lines;
  for (int i = 0; i < 40; ++i) {
    const std::int32_t dimensions = 4;
    rows.append(reinterpret_cast<const char*>(&dimensions), sizeof dimensions);
    for (int k = 0; k < dimensions; ++k) {
      const float value = static_cast<float>(i + k) / 16;
      rows.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    lines += R"({"node":"a followed node )" + std::to_string(i % 7) + R"(","access_count":)" +
             std::to_string(i) + "}\n";
  }
  const std::string path = scratch.path("followed.jsonl");
  testing::WriteFile(path, lines);
  const std::string text = "0.5, 1.5, 2.5, 3.5";
  FollowOptions follow;
  follow.position = "the name of a position";
  follow.batch_records = 16;
  follow.batch_seconds = 0;
  follow.idle_seconds = 0;
  follow.poll_interval_ms = 0;
  ImportOptions import;
  import.executor = &SerialExecutor();
  const std::pair<const char*, std::function<Status(Graph&)>> calls[] = {
      {"ImportVectors",
       [&](Graph& graph) -> Status {
         PLEXUS_TRY(ImportVectors(graph, {"v.fvecs", rows}, {}, import));
         return {};
       }},
      {"ReadVector",
       [&](Graph&) -> Status {
         PLEXUS_TRY(ReadVector({"a query", text}));
         return {};
       }},
      {"FollowFile", [&](Graph& graph) -> Status {
         PLEXUS_TRY(FollowFile(graph, path, import, follow));
         return {};
       }}};
  for (const auto& [what, call] : calls) {
    const auto whole = Graph::InMemory(plain);
    ASSERT_TRUE(call(*whole)) << what;
    const auto shown = [](const Graph& graph) {
      std::ostringstream out;
      EXPECT_TRUE(ExportCsv(graph.snapshot(), out, {}));
      return out.str();
    };
    Sample(20, 1.4, [&, what = what, &call = call](std::int64_t n) {
      const auto graph = Graph::InMemory(plain);
      const Outcome outcome = Failing(n, [&] { return call(*graph); });
      ExpectNoMemory(what, n, outcome);
      const Status again = call(*graph);
      EXPECT_TRUE(again || again.error().code == ErrorCode::kReadOnly)
          << what << " " << n << (again ? "" : again.error().message);
      if (again) {
        EXPECT_EQ(shown(*graph) == shown(*whole), true) << what << " " << n;
      }
      return outcome.reached;
    });
  }
}

}  // namespace
}  // namespace plexus::storage_internal
