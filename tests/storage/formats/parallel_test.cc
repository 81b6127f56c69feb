// The number of threads, the size of a block and of a batch change nothing that a
// reader can see: same ids, same text, same counts.
#include <random>

#include "tests/support/fails_with.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

using testing::FailsWith;

std::string RandomEdgeList(std::uint64_t seed, int lines) {
  std::mt19937_64 random(seed);
  std::string text;
  for (int i = 0; i < lines; ++i) {
    auto key = [&] {
      const auto n = random() % 3000;
      return (n % 7 ? "" : "a-key-over-eight-bytes-") + std::to_string(n);
    };
    text += key() + (random() % 2 ? " " : "\t") + key();
    if (random() % 3 == 0) text += " 0." + std::to_string(random() % 1000);
    text += random() % 50 ? "\n" : "\r\n# comment\n\n";
  }
  return text;
}

std::string RandomCsv(std::uint64_t seed, int rows) {
  std::mt19937_64 random(seed);
  std::string text = "source,target,kind,note\n";
  for (int i = 0; i < rows; ++i) {
    text += "n" + std::to_string(random() % 500) + ",m" + std::to_string(random() % 500) + ",k" +
            std::to_string(random() % 5) + ",";
    switch (random() % 4) {
      case 0:
        text += "\"line one\nline \"\"two\"\", and\r\nthree\"";
        break;
      case 1:
        text += "plain";
        break;
      case 2:
        text += "\"\"";
        break;
      default:
        break;
    }
    text += random() % 9 ? "\n" : "\r\n";
  }
  return text;
}

std::string RandomJson(std::uint64_t seed, int lines) {
  std::mt19937_64 random(seed);
  std::string text = R"({"column":"stakes","type":"f64"})"
                     "\n"
                     R"({"kind":"topic","of":"node","plane":"index"})"
                     "\n";
  auto node = [&] { return "\"n" + std::to_string(random() % 300) + "\""; };
  for (int i = 0; i < lines; ++i) {
    switch (random() % 8) {
      case 0:
      case 1:
        text += R"({"node":)" + node() + R"(,"kind":"memory","created_at":5,"stakes":)" +
                std::to_string(random() % 100) + R"(,"tags":["t)" + std::to_string(random() % 9) +
                R"(","u)" + std::to_string(random() % 9) + "\"]}";
        break;
      case 2:
        text += R"({"unlink":[)" + node() + "," + node() + R"(],"kind":"k1"})";
        break;
      case 3:
        text += R"({"event":"e)" + std::to_string(random() % 40) + R"(","created_at":6,"mode":"m)" +
                std::to_string(random() % 3) + R"(","members":[{"id":)" + node() +
                R"(,"role":"primary"}]})";
        break;
      case 4:
        text += R"({"outcome":"e)" + std::to_string(random() % 40) +
                R"(","type":"helpful","labeled_at":)" + std::to_string(random() % 20) + "}";
        break;
      case 5:
        text += random() % 4 ? R"({"edge":[)" + node() + ",\"topic\\u001fx\"],\"kind\":\"about\"}"
                             : R"({"remove":)" + node() + "}";
        break;
      default:
        text += R"({"edge":["a)" + std::to_string(random() % 300) + "\"," + node() +
                R"(],"kind":"k)" + std::to_string(random() % 3) + R"(","weight":0.)" +
                std::to_string(random() % 10) + "}";
    }
    text += '\n';
  }
  return text;
}

struct Seen {
  std::string keys, text;
  ImportReport report;
};

Seen See(std::string_view name, const std::string& text, Executor& executor,
         std::size_t block_bytes, std::size_t batch_ops) {
  auto graph = Graph::InMemory();
  ImportOptions options;
  options.executor = &executor;
  options.block_bytes = block_bytes;
  options.batch_ops = batch_ops;
  Seen seen;
  seen.report = LoadClean(*graph, name, text, options);
  const Snapshot s = graph->snapshot();
  for (NodeId v = 0; v < s.node_count(); ++v) seen.keys.append(s.key(v)).append("\n");
  seen.text = JsonLines(s);
  return seen;
}

void ExpectSame(std::string_view name, const std::string& text) {
  const auto two = MakeThreadExecutor(2);
  const auto four = MakeThreadExecutor(4);
  for (std::size_t block : {std::size_t{1} << 14, std::size_t{1} << 22}) {
    const Seen serial = See(name, text, SerialExecutor(), block, 1000);
    for (Executor* executor : {two.get(), four.get(), &DefaultExecutor()}) {
      const Seen parallel = See(name, text, *executor, block, 1000);
      EXPECT_EQ(parallel.keys, serial.keys);
      EXPECT_EQ(parallel.text, serial.text);
      EXPECT_EQ(parallel.report.nodes, serial.report.nodes);
      EXPECT_EQ(parallel.report.edges, serial.report.edges);
      EXPECT_EQ(parallel.report.events, serial.report.events);
      EXPECT_EQ(parallel.report.batches, serial.report.batches);
    }
  }
}

TEST(Parallel, EdgeList) { ExpectSame("g.el", RandomEdgeList(1, 20000)); }
TEST(Parallel, Csv) { ExpectSame("e.csv", RandomCsv(2, 8000)); }
TEST(Parallel, JsonLines) { ExpectSame("f.jsonl", RandomJson(3, 8000)); }

// Cuts may fall anywhere: tiny blocks and batches give the graph that one batch gives.
// (Node lines have their time here: a node that an earlier batch made by mentioning
// it has none, and a later line does not make it new.)
TEST(Parallel, AnyCutGivesTheSameGraph) {
  const auto two = MakeThreadExecutor(2);
  for (std::uint64_t seed = 10; seed < 14; ++seed) {
    const struct {
      const char* name;
      std::string text;
    } files[] = {{"g.el", RandomEdgeList(seed, 500)},
                 {"e.csv", RandomCsv(seed, 300)},
                 {"f.jsonl", RandomJson(seed, 600)}};
    for (const auto& file : files) {
      const Seen whole = See(file.name, file.text, SerialExecutor(), std::size_t{1} << 22, 1 << 20);
      for (std::size_t block : {16, 61, 300, 5000}) {
        const Seen cut = See(file.name, file.text, *two, block, 7);
        EXPECT_EQ(cut.text, whole.text) << file.name << " seed " << seed << " block " << block;
        EXPECT_EQ(cut.report.records, whole.report.records);
      }
    }
  }
}

// Errors come in file order with their lines, however the file was cut.
TEST(Parallel, ErrorLinesDoNotDependOnCuts) {
  std::string text;
  for (int i = 1; i <= 2000; ++i) text += i % 97 ? "a b\n" : "bad\n";
  const auto two = MakeThreadExecutor(2);
  for (std::size_t block : {16, 100, 1 << 20}) {
    auto graph = Graph::InMemory();
    ImportOptions options = Skip();
    options.executor = two.get();
    options.block_bytes = block;
    const ImportReport r = Load(*graph, "g.el", text, options);
    EXPECT_EQ(r.errors, 20u);
    ASSERT_EQ(r.kept_errors.size(), 20u);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(r.kept_errors[i].line, 97u * (i + 1));
    auto stopped = Graph::InMemory();
    options.on_error = OnImportError::kStop;
    const ImportReport s = Load(*stopped, "g.el", text, options);
    EXPECT_EQ(s.errors, 1u);
    EXPECT_EQ(s.records, 97u);
  }
}

TEST(Parallel, CancelLeavesWholeBatches) {
  const auto two = MakeThreadExecutor(2);
  for (const bool checking : {true, false}) {
    auto graph = Graph::InMemory();
    StopAt progress(checking ? "checking" : "importing", 3);
    int before = 0, after = 0;
    ImportOptions options;
    options.executor = two.get();
    options.progress = &progress;
    options.block_bytes = 1000;
    options.limits.load_bytes = 0;  // load_test.cc has the other way
    options.before = [&] {
      ++before;
      return Status();
    };
    options.after = [&] {
      ++after;
      return Status();
    };
    EXPECT_TRUE(FailsWith(ImportBytes(*graph, "g.el", RandomEdgeList(5, 2000), options),
                          ErrorCode::kCancelled));
    EXPECT_EQ(before, checking ? 0 : 1);
    EXPECT_EQ(after, before);
    EXPECT_EQ(graph->snapshot().sequence(), checking ? 0u : 3u);
  }
}

}  // namespace
}  // namespace plexus::formats::internal
