// Edge lists into an empty graph go in at once. Whatever the files hold and wherever they
// are cut, it is as if their batches had been applied one by one: the same records, ids,
// sequence numbers, counts, errors and arrays.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "engine/bulk/edge_load.h"
#include "engine/state_writer.h"
#include "storage/encoding/record_codec.h"
#include "tests/support/fakes.h"
#include "tests/support/text_support.h"

namespace plexus::formats_internal {
namespace {

namespace fs = std::filesystem;

class Load : public ::testing::Test {
 protected:
  Load() { fs::create_directories(folder_); }
  ~Load() override { fs::remove_all(folder_); }
  std::string File(const std::string& name, std::string_view bytes) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  const fs::path folder_ = fs::path(::testing::TempDir()) /
                           ("plexus_load_" + std::to_string(::getpid()) +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

struct Imported {
  Result<ImportReport> report = ImportReport();
  std::vector<std::string> records;  // as the log would hold them
  std::uint64_t appends = 0;
  std::unique_ptr<Graph> graph;
};

Imported ImportOneWay(const std::vector<std::string>& files, ImportOptions options, bool at_once) {
  Imported imported;
  auto store = std::make_shared<plexus::testing::FakeStore>();
  GraphState state = EmptyState();
  state.payload_store = store;
  GraphOptions graph_options;
  graph_options.executor = options.executor;
  imported.graph = Graph::Open(std::move(state), store, graph_options);
  if (!at_once) options.limits.load_bytes = 0;
  imported.report = ImportFiles(*imported.graph, files, options);
  for (const Record& record : store->Records())
    imported.records.push_back(storage_internal::EncodeRecord(record, 1)->bytes);
  imported.appends = store->appends();
  return imported;
}

template <class T>
bool Same(const AlignedArray<T>& a, const AlignedArray<T>& b) {
  return std::ranges::equal(a.span(), b.span());
}

void ExpectSameState(const Snapshot& a, const Snapshot& b) {
  EXPECT_EQ(a.sequence(), b.sequence());
  EXPECT_EQ(a.state().time_ms, b.state().time_ms);
  EXPECT_EQ(a.state().nodes_by_kind, b.state().nodes_by_kind);
  EXPECT_EQ(a.state().edges_by_kind, b.state().edges_by_kind);
  ASSERT_EQ(a.node_count(), b.node_count());
  for (NodeId v = 0; v < a.node_count(); ++v) {
    ASSERT_EQ(a.key(v), b.key(v));
    ASSERT_EQ(a.alive(v), b.alive(v));
    ASSERT_EQ(a.node_kind(v), b.node_kind(v));
    ASSERT_EQ(b.Find(a.key(v)), v);
  }
  const Csr &x = a.base(), &y = b.base();
  EXPECT_EQ(x.sequence, y.sequence);
  EXPECT_TRUE(Same(x.out_offsets, y.out_offsets) && Same(x.out_neighbors, y.out_neighbors) &&
              Same(x.out_weights, y.out_weights) && Same(x.out_kinds, y.out_kinds) &&
              Same(x.out_created_at, y.out_created_at));
  EXPECT_TRUE(Same(x.in_offsets, y.in_offsets) && Same(x.in_neighbors, y.in_neighbors) &&
              Same(x.in_weights, y.in_weights) && Same(x.in_kinds, y.in_kinds) &&
              Same(x.in_slots, y.in_slots));
}

// Both ways at 1 and 2 threads; returns the report. `plain`: they are loaded at once.
ImportReport ExpectSameBothWays(const std::vector<std::string>& files, ImportOptions options,
                                bool plain = true) {
  options.now_ms = kNow;
  const auto two = MakeThreadExecutor(2);
  ImportReport last;
  for (Executor* executor : {&SerialExecutor(), two.get()}) {
    options.executor = executor;
    const Imported general = ImportOneWay(files, options, false),
                   loaded = ImportOneWay(files, options, true);
    EXPECT_TRUE(general.report && loaded.report);
    if (!general.report || !loaded.report) return last;
    const ImportReport &g = *general.report, &l = *loaded.report;
    EXPECT_EQ(g.sequence, l.sequence);
    EXPECT_EQ(g.nodes, l.nodes);
    EXPECT_EQ(g.edges, l.edges);
    EXPECT_EQ(g.records, l.records);
    EXPECT_EQ(g.batches, l.batches);
    EXPECT_EQ(g.errors, l.errors);
    EXPECT_EQ(g.stopped, l.stopped);
    if (!g.stopped) {
      EXPECT_EQ(g.bytes, l.bytes);
    }
    EXPECT_EQ(g.kept_errors.size(), l.kept_errors.size());
    for (std::size_t i = 0; i < std::min(g.kept_errors.size(), l.kept_errors.size()); ++i)
      EXPECT_EQ(g.kept_errors[i].ToString(), l.kept_errors[i].ToString());
    EXPECT_EQ(general.records, loaded.records);
    EXPECT_EQ(loaded.graph->stats().batches, loaded.records.size());
    if (general.appends > 1 && plain) {
      EXPECT_LT(loaded.appends, general.appends) << "it was not loaded at once";
    } else if (!plain) {
      EXPECT_EQ(loaded.appends, general.appends) << "what is not plain was loaded at once";
      EXPECT_TRUE(loaded.graph->Compact());
    }
    EXPECT_FALSE(loaded.graph->snapshot().has_delta());
    EXPECT_TRUE(general.graph->Compact());
    ExpectSameState(general.graph->snapshot(), loaded.graph->snapshot());
    // Both go on the same way.
    const std::string_view more = "7 new 3\nnew 1 2\n1 2 0.125\n";
    const ImportReport a = formats_internal::Load(*general.graph, "m.el", more),
                       b = formats_internal::Load(*loaded.graph, "m.el", more);
    EXPECT_EQ(a.nodes, b.nodes);
    EXPECT_EQ(a.edges, b.edges);
    EXPECT_EQ(JsonLines(general.graph->snapshot()), JsonLines(loaded.graph->snapshot()));
    last = l;
  }
  return last;
}

struct Shape {
  int keys = 100;
  bool weights = false, names = false, errors = false;
};

std::string RandomLines(std::mt19937_64& random, int lines, const Shape& shape) {
  std::string text;
  auto key = [&]() -> std::string {
    const auto n = random() % static_cast<unsigned>(shape.keys);
    if (!shape.names) return std::to_string(n);
    switch (random() % 12) {
      case 0:
        return "0" + std::to_string(n);  // not the number
      case 1:
        return std::to_string(10'000'000 + n);  // eight digits
      case 2:
        return std::to_string(4'294'967'290 + n);  // about 2^32
      case 3:
        return "long-key-" + std::to_string(n) + std::string(n % 3 * 300, 'x');
      case 4:
        return "k" + std::to_string(n);
      case 5:
        return "\xc3\xa9" + std::to_string(n);
      case 6:
        return "-" + std::to_string(n);
      default:
        return std::to_string(n);
    }
  };
  for (int i = 0; i < lines; ++i) {
    if (random() % 40 == 0) text += random() % 2 ? "# comment\n" : "\n";
    if (shape.errors && random() % 30 == 0) {
      const char* bad[] = {"alone\n",   "a b c d\n", "a b -1\n",
                           "a b nan\n", "a\x01 b\n", "\xff\xfe b\n"};
      text += bad[random() % 6];
    }
    const std::string source = key();
    text += source + (random() % 2 ? " " : "\t") + (random() % 20 ? key() : source);
    if (shape.weights && random() % 2) {
      const char* weights[] = {"0", "-0", "1", "2", "0.25", "1e-3"};
      text += std::string(" ") + weights[random() % 6];
    }
    text += random() % 50 ? "\n" : "  \r\n";
  }
  if (random() % 2) text.pop_back();  // the last line lacks its end
  return text;
}

TEST_F(Load, EqualsBatchByBatch) {
  std::mt19937_64 random(20);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    Shape shape;
    shape.keys = round % 3 == 0 ? 7 : round % 3 == 1 ? 60 : 3000;
    shape.weights = random() % 2;
    shape.names = random() % 2;
    shape.errors = random() % 2;
    std::vector<std::string> files;
    for (std::uint64_t i = 0; i <= random() % 3; ++i)
      files.push_back(
          File("f" + std::to_string(i) + ".el",
               random() % 5 ? RandomLines(random, static_cast<int>(random() % 800), shape) : ""));
    ImportOptions options;
    options.on_error = shape.errors && random() % 4 ? OnImportError::kSkip : OnImportError::kStop;
    options.block_bytes = random() % 3 == 0 ? 16 : 64 << random() % 9;
    options.batch_ops = 1 + random() % 200;
    options.max_errors_kept = random() % 3 ? 100 : 2;
    ExpectSameBothWays(files, options);
  }
}

std::string RandomTable(std::mt19937_64& random, int lines, int keys, std::string_view what) {
  const std::string_view delimiters[] = {",", ";", "\t", "|"};
  const std::string d(delimiters[random() % 4]);
  const bool weights = random() % 2, kinds = random() % 3 == 0, quotes = random() % 2;
  const bool names = random() % 2, swapped = random() % 4 == 0;
  const std::string ends = swapped ? "target" + d + "source" : "source" + d + "target";
  std::string text = (kinds ? "kind" + d : "") + ends + (weights ? d + "weight" : "") + "\n";
  const auto key = [&] {
    const std::string number = std::to_string(random() % static_cast<unsigned>(keys));
    std::string name = names && random() % 3 ? "knot " + number : number;
    if (random() % 20 == 0) name = "\xc3\xa9" + name;
    if (quotes && random() % 3 == 0) return '"' + name + (random() % 4 ? "" : d) + '"';
    return random() % 10 == 0 && d != "\t" ? "  " + name + ' ' : name;
  };
  const int wrong = what.empty() ? -1 : static_cast<int>(random() % static_cast<unsigned>(lines));
  for (int i = 0; i < lines; ++i) {
    if (random() % 40 == 0) text += '\n';
    if (i == wrong) text += std::string(what) + '\n';
    if (kinds) text += (random() % 2 ? "link" : "") + d;
    text += key() + d + key();
    if (weights) text += d + (random() % 2 ? "0.5" : random() % 2 ? "-0" : "1e-3");
    text += random() % 50 ? "\n" : "\r\n";
  }
  if (random() % 2) text.pop_back();
  return text;
}

TEST_F(Load, TablesOfPlainEdges) {
  std::mt19937_64 random(23);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    std::vector<std::string> files;
    for (std::uint64_t i = 0; i <= random() % 3; ++i)
      files.push_back(
          File("f" + std::to_string(i) + ".csv",
               RandomTable(random, static_cast<int>(1 + random() % 800), round % 2 ? 7 : 300, "")));
    if (random() % 4 == 0) files.push_back(File("g.el", RandomLines(random, 50, {})));
    ImportOptions options;
    options.block_bytes = random() % 3 == 0 ? 128 : 256 << random() % 9;
    options.batch_ops = 1 + random() % 200;
    ExpectSameBothWays(files, options);
  }
}

// What a table holds beside edges and weights, and what is wrong with it, the general way says.
TEST_F(Load, TablesOfMoreThanPlainEdges) {
  std::mt19937_64 random(24);
  for (std::string_view what :
       {"a,b,c,d,e", "alone", "\"a\"\"b\",c", "a\"b,c", "\"a\nb\",c", " , ", "   ",
        "a\x1f"
        "b,c",
        "\xff,b", "a\rb,c", "\"open,c", "a;b|c\td"}) {
    SCOPED_TRACE(what);
    for (int round = 0; round < 4; ++round) {
      ImportOptions options;
      options.on_error = round % 2 ? OnImportError::kSkip : OnImportError::kStop;
      options.block_bytes = 512;
      options.batch_ops = 50;
      ExpectSameBothWays({File("f.csv", RandomTable(random, 200, 40, what))}, options, false);
    }
  }
  for (const char* text :
       {"source,target,kind\na,b,knows\nb,c,link\n", "source,target,weight\na,b,\nb,c,2\na,b,1\n",
        "source,target,label\na,b,x\nb,c,\n", "source,target,weight\na,b,-1\nb,c,1\n",
        "source,target,since\na,b,7\nb,c,8\n", "key,text\na,b\nb,c\n",
        "source,target\n,b\nb,c\n"}) {
    SCOPED_TRACE(text);
    ImportOptions options;
    options.batch_ops = 1;
    ExpectSameBothWays({File("f.csv", text)}, options, false);
  }
}

// Enough for parts, chunks and sorts by digits, with the cuts of the defaults.
TEST_F(Load, EqualsBatchByBatchWhenLarge) {
  std::mt19937_64 random(21);
  for (const bool weights : {false, true}) {
    Shape shape;
    shape.keys = 50'000;
    shape.weights = weights;
    ImportOptions options;
    options.block_bytes = std::size_t{1} << 20;
    options.batch_ops = 30'000;
    const ImportReport report =
        ExpectSameBothWays({File("large.el", RandomLines(random, 400'000, shape))}, options);
    EXPECT_EQ(report.edges.changed > 0, weights);
    EXPECT_GT(report.edges.same, 0u);
  }
}

TEST_F(Load, SmallFiles) {
  ImportOptions one;
  one.batch_ops = 1;
  for (const char* text :
       {"", "\n", "# only\n", "1 1", "1 2\n1 2\n1 2 1\n1 2 5\n1 2\n1 2 5\n1 2 0\n1 2 -0\n",
        "0 00\n", "00 0\n", "99999999 12345678\n", "2147483648 4294967296\n"})
    ExpectSameBothWays({File("f.el", text)}, one);
  ExpectSameBothWays(
      {File("a.el", "1 2\n"), File("empty.el", ""), File("b.el", "2 1 0.5\n1 2 3\n")}, one);
  ExpectSameBothWays({File("bom.el",
                           "\xef\xbb\xbf"
                           "1 2\n")},
                     one);
  ExpectSameBothWays({File("long.el", "1 2\n" + std::string(2000, 'k') + " 3\n")}, one);
}

TEST_F(Load, ADroppedRecord) {
  ImportOptions options;
  options.limits.line_bytes = 100;
  options.block_bytes = 64;
  const std::string file = File("f.el", "1 2\n" + std::string(500, ' ') + "3 4\n5 6\n");
  EXPECT_TRUE(ExpectSameBothWays({file}, options).stopped);
  options.on_error = OnImportError::kSkip;
  EXPECT_EQ(ExpectSameBothWays({file}, options).errors, 1u);
}

// What is too large, or not only edge lists, or not into an empty graph, goes the general way.
TEST_F(Load, GivesUpBeforeAnythingIsApplied) {
  std::mt19937_64 random(22);
  const std::string edges = File("a.el", RandomLines(random, 500, {})),
                    table = File("b.csv", "source,target,label\nx,y,z\n");
  ImportOptions options;
  options.now_ms = kNow;
  options.block_bytes = 256;
  options.batch_ops = 10;
  const Imported general = ImportOneWay({edges}, options, false);
  options.limits.load_bytes = 300 * 80;  // 300 edges
  const Imported over = ImportOneWay({edges}, options, true);
  EXPECT_EQ(over.records, general.records);
  EXPECT_EQ(over.appends, general.appends);
  EXPECT_EQ(over.report->edges, general.report->edges);
  EXPECT_EQ(over.report->records, general.report->records);
  options.limits.load_bytes = ImportLimits().load_bytes;
  EXPECT_EQ(ImportOneWay({edges, table}, options, true).appends,
            ImportOneWay({edges, table}, options, false).appends);
  auto graph = Graph::InMemory();
  LoadClean(*graph, "f.el", "1 2\n");
  EXPECT_EQ(graph->Load(EdgeLoad()).error().code, ErrorCode::kFailedPrecondition);
  const auto empty = Graph::InMemory();
  EXPECT_TRUE(empty->Load(EdgeLoad()));
  EXPECT_EQ(empty->snapshot().sequence(), 0u);
}

class Calls final : public Progress {
 public:
  explicit Calls(std::function<void(std::string_view)> fn) : fn_(std::move(fn)) {}
  bool Report(std::string_view phase, std::uint64_t, std::uint64_t) override {
    fn_(phase);
    return true;
  }

 private:
  const std::function<void(std::string_view)> fn_;
};

TEST_F(Load, WhoWatchesMayAskTheGraph) {
  const std::string file = File("f.el", "1 2\n2 3\n");
  const auto graph = Graph::InMemory();
  int writing = 0;
  Calls progress([&](std::string_view phase) {
    writing += phase == "writing";
    EXPECT_FALSE(graph->read_only());
    EXPECT_EQ(graph->stats().batches, 0u);
    EXPECT_EQ(graph->snapshot().sequence(), 0u);
  });
  ImportOptions options;
  options.progress = &progress;
  ASSERT_TRUE(ImportFiles(*graph, {file}, options));
  EXPECT_EQ(writing, 1);
  EXPECT_EQ(graph->stats().batches, 1u);
  EXPECT_EQ(graph->snapshot().sequence(), 1u);
}

// Between the look at its first bytes and its turn.
TEST_F(Load, AFileThatBecomesAnotherFormatIsToldFrom) {
  std::mt19937_64 random(25);
  const std::string first = File("a.el", RandomLines(random, 300, {})),
                    second = File("b.txt", "1 2\n");
  for (const std::string_view other :
       {"source,target\nx,y\n", "{\"edge\":{}}\n",
        "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"}) {
    File("b.txt", "1 2\n");
    Calls progress([&](std::string_view) { File("b.txt", other); });
    ImportOptions options;
    options.progress = &progress;
    options.block_bytes = 256;
    const auto graph = Graph::InMemory();
    const auto report = ImportFiles(*graph, {first, second}, options);
    ASSERT_FALSE(report) << other;
    EXPECT_EQ(report.error().code, ErrorCode::kIo) << report.error().ToString();
    EXPECT_EQ(graph->snapshot().sequence(), 0u);
  }
}

TEST_F(Load, AFailedJournalLeavesAPrefix) {
  std::mt19937_64 random(23);
  ImportOptions options;
  options.now_ms = kNow;
  options.batch_ops = 10;
  const std::string file = File("f.el", RandomLines(random, 300, {}));
  const Imported good = ImportOneWay({file}, options, true);
  for (const auto how :
       {plexus::testing::FailHow::kNothingWritten, plexus::testing::FailHow::kPrefixWritten,
        plexus::testing::FailHow::kAllWritten}) {
    auto store = std::make_shared<plexus::testing::FakeStore>();
    store->FailAt(1, how);
    GraphState state = EmptyState();
    state.payload_store = store;
    const auto graph = Graph::Open(std::move(state), store);
    EXPECT_FALSE(ImportFiles(*graph, {file}, options));
    EXPECT_TRUE(graph->read_only());
    EXPECT_EQ(graph->snapshot().sequence(), 0u);
    const std::vector<Record> records = store->Records();
    ASSERT_LE(records.size(), good.records.size());
    for (std::size_t i = 0; i < records.size(); ++i)
      EXPECT_EQ(storage_internal::EncodeRecord(records[i], 1)->bytes, good.records[i]);
  }
}

TEST_F(Load, CancelLeavesWholeBatches) {
  std::mt19937_64 random(24);
  Shape shape;
  shape.weights = shape.names = true;
  const std::string file = File("f.el", RandomLines(random, 3000, shape));
  const auto two = MakeThreadExecutor(2);
  for (const auto& [phase, calls] : {std::pair("checking", 3), {"writing", 1}, {"writing", 2}}) {
    StopAt progress(phase, calls);
    ImportOptions options;
    options.now_ms = kNow;
    options.executor = two.get();
    options.progress = &progress;
    options.block_bytes = 1000;
    options.batch_ops = 5;
    int before = 0, after = 0;
    options.before = [&] { return ++before, Status(); };
    options.after = [&] { return ++after, Status(); };
    const Imported stopped = ImportOneWay({file}, options, true);
    ASSERT_FALSE(stopped.report);
    EXPECT_EQ(stopped.report.error().code, ErrorCode::kCancelled);
    EXPECT_EQ(before, phase == std::string_view("writing") ? 1 : 0);
    EXPECT_EQ(after, before);
    const std::size_t stay = calls == 2 ? 256 : 0;
    EXPECT_EQ(stopped.records.size(), stay);
    options.progress = nullptr;
    options.batch_ops = 5;
    const Imported all = ImportOneWay({file}, options, false);
    ASSERT_GT(all.records.size(), stay);
    StateWriter prefix(EmptyState());
    for (std::size_t i = 0; i < stay; ++i) {
      EXPECT_EQ(stopped.records[i], all.records[i]);
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(all.records[i].data());
      ASSERT_TRUE(prefix.Apply(
          storage_internal::DecodeRecord({bytes, all.records[i].size()}, "r")->record));
    }
    const Snapshot compacted = *Snapshot(prefix.Publish()).Compacted(*two);
    ExpectSameState(stopped.graph->snapshot(), compacted);
    // Importing again completes it.
    const auto again = ImportFiles(*stopped.graph, {file}, options);
    ASSERT_TRUE(again);
    EXPECT_EQ(JsonLines(stopped.graph->snapshot()), JsonLines(all.graph->snapshot()));
  }
}

TEST_F(Load, AFileThatChangesIsToldFrom) {
  const std::string path = File("g.el", "1 2\n3 4\n5 6\n");
  class Changer final : public Progress {
   public:
    explicit Changer(std::string path) : path_(std::move(path)) {}
    bool Report(std::string_view, std::uint64_t, std::uint64_t) override {
      std::ofstream(path_, std::ios::app) << "7 8\n";
      return true;
    }

   private:
    std::string path_;
  } changer(path);
  ImportOptions options;
  options.progress = &changer;
  options.block_bytes = 16;
  auto graph = Graph::InMemory();
  const auto report = ImportFiles(*graph, {path}, options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kIo);
  EXPECT_EQ(graph->snapshot().sequence(), 0u);
}

}  // namespace
}  // namespace plexus::formats_internal
