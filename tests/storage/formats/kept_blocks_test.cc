// What the check of a file parses is kept for its import, or parsed again: the same either way.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "storage/formats/export.h"
#include "tests/support/dump.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

namespace fs = std::filesystem;

// Nodes, edges, tags, events and removals; kinds are defined, by records and by use, on the way.
std::string Records(std::uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  std::string text;
  const auto node = [&] { return "\"n" + std::to_string(random() % 90) + "\""; };
  for (int i = 0; i < count; ++i) {
    const std::string kind = "k" + std::to_string(random() % (2 + i / 40));
    switch (random() % 6) {
      case 0:
        text += R"({"node":)" + node() + R"(,"kind":"m)" + kind + R"(","text":"some )" + kind +
                R"( words","tags":["t)" + std::to_string(random() % 9) + R"("],"props":{"extra":)" +
                std::to_string(random() % 4) + "}}";
        break;
      case 1:
        text += R"({"event":"e)" + std::to_string(random() % 9) +
                R"(","created_at":6,"members":[)" + R"({"id":)" + node() +
                R"(,"role":"primary"}]})";
        break;
      case 2:
        text += random() % 3 ? R"({"unlink":[)" + node() + "," + node() + R"(],"kind":"k1"})"
                             : R"({"remove":)" + node() + "}";
        break;
      case 3:
        text += R"({"kind":"d)" + std::to_string(i) + R"(","symmetric":true})";
        break;
      default:
        text += R"({"edge":[)" + node() + "," + node() + R"(],"kind":")" + kind +
                R"(","weight":0.)" + std::to_string(random() % 10) + "}";
    }
    text += '\n';
  }
  return text;
}

// The same content as another format has it.
std::string As(Status (*export_as)(const Snapshot&, std::ostream&, const ExportOptions&),
               const std::string& records) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "a.jsonl", records);
  std::ostringstream out;
  EXPECT_TRUE(export_as(graph->snapshot(), out, {}));
  return out.str();
}

std::string Counts(const ImportReport& report) {
  std::ostringstream out;
  for (const ChangeCounts* one : {&report.nodes, &report.edges, &report.events})
    out << one->added << ' ' << one->changed << ' ' << one->same << ", ";
  out << report.records << ' ' << report.bytes << ' ' << report.batches << ' ' << report.stubs
      << ' ' << report.removed << ' ' << report.errors;
  for (const std::string& kind : report.new_edge_kinds) out << ' ' << kind;
  for (const ImportWarning& warning : report.warnings) out << '\n' << warning.ToString();
  for (const ImportError& error : report.kept_errors) out << '\n' << error.ToString();
  return out.str();
}

class KeptBlocks : public ::testing::Test {
 protected:
  KeptBlocks() { fs::create_directories(folder_); }
  ~KeptBlocks() override { fs::remove_all(folder_); }

  std::string File(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  // Into a graph that has something already.
  static std::string Import(const std::vector<std::string>& files, std::uint64_t load_bytes,
                            std::size_t block_bytes, Executor& executor) {
    auto graph = Graph::InMemory();
    LoadClean(*graph, "before.jsonl", Records(99, 60));
    ImportOptions options;
    options.now_ms = kNow;
    options.executor = &executor;
    options.block_bytes = block_bytes;
    options.batch_ops = 13;
    options.limits.load_bytes = load_bytes;
    const auto report = ImportFiles(*graph, files, options);
    EXPECT_TRUE(report) << (report ? "" : report.error().ToString());
    return testing::Dump(graph->snapshot()) + (report ? Counts(*report) : "");
  }
  void ExpectTheSame(const std::vector<std::string>& files) const {
    const auto two = MakeThreadExecutor(2);
    for (const std::size_t block : {200, 3000, 1 << 20}) {
      const std::string again = Import(files, 0, block, SerialExecutor());
      for (Executor* executor : {&SerialExecutor(), two.get()})
        for (const std::uint64_t bytes : {std::uint64_t{60'000}, ImportLimits::kHalfOfFree})
          EXPECT_EQ(Import(files, bytes, block, *executor), again) << files[0] << ' ' << block;
    }
  }
  const fs::path folder_ =
      fs::path(::testing::TempDir()) / ("plexus_kept_" + std::to_string(::getpid()));
};

TEST_F(KeptBlocks, OfEachFormat) {
  const std::string records = Records(1, 400);
  ExpectTheSame({File("a.jsonl", records)});
  ExpectTheSame({File("a.graphml", As(ExportGraphMl, records))});
  ExpectTheSame({File("a.json", As(ExportNodeLink, records))});
  ExpectTheSame({File("a.csv", As(ExportCsv, records))});
  ExpectTheSame({File("memory.json", As(ExportMcpMemory, records))});
}

TEST_F(KeptBlocks, OfSeveralFilesTheFirstOnesOnly) {
  std::vector<std::string> files;
  for (int i = 0; i < 5; ++i)
    files.push_back(File("f" + std::to_string(i) + ".jsonl", Records(10 + i, 200)));
  files.push_back(File("g.graphml", As(ExportGraphMl, Records(7, 300))));
  ExpectTheSame(files);
}

// A kind with other traits in the second file: the line is named, nothing is imported.
TEST_F(KeptBlocks, OfFilesThatAreRefused) {
  const std::string good = File("a.jsonl", Records(1, 100));
  const std::string bad = File("b.jsonl", Records(2, 50) + R"({"kind":"k0","symmetric":true})"
                                                           "\n");
  ExpectTheSame({good, bad});
}

// An array that ends early: what is wrong behind its last row is said.
TEST_F(KeptBlocks, OfAnArrayThatIsCutWhereErrorsAreSkipped) {
  const std::string rows = R"([{"from":"a","target":"b"},{"from":"b","target":"c"},{"from":"c")";
  auto graph = Graph::InMemory();
  ImportOptions options = Skip();
  options.columns = {{"source", "from"}};
  const auto report = ImportFiles(*graph, {File("rows.json", rows)}, options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->errors, 1u);
  EXPECT_EQ(report->edges.added, 2u);
}

}  // namespace
}  // namespace plexus::formats::internal
