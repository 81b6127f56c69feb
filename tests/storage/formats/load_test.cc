// Edge lists into an empty graph go in at once. Whatever the files hold and wherever they
// are cut, it is as if their batches had been applied one by one: the same records, ids,
// sequence numbers, counts, errors and arrays.
#include <functional>

#include "engine/bulk/edge_load.h"
#include "tests/storage/formats/load_both_ways.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

TEST_F(FormatLoad, EqualsBatchByBatch) {
  std::mt19937_64 random(20);
  for (int round = 0; round < LoadRounds(60); ++round) {
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

TEST_F(FormatLoad, TablesOfPlainEdges) {
  std::mt19937_64 random(23);
  for (int round = 0; round < LoadRounds(60); ++round) {
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
TEST_F(FormatLoad, TablesOfMoreThanPlainEdges) {
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
       {"source,target,kind\na,b,has_tag\nb,c,link\n", "source,target,kind\na,a,causes\nb,c,link\n",
        "source,target,weight\na,b,-1\nb,c,1\n", "source,target,weight\na,b, \nb,c,1\n",
        "source,target,created_by\na,b,me\nb,c,\n",
        "source,target,created_at\na,b,1700000000\nb,c,\n",
        "source,target,valid_from,valid_until\na,b,2020-01-02,2020-01-01\nb,c,,\n",
        "source,target,valid_from,valid_until\na,b,2020-01-02,\na,b,,2020-01-01\nb,c,,\n",
        "source,target,since\na,b,7\nb,c,8\n", "key,text\na,b\nb,c\n",
        "source,target\n,b\nb,c\n"}) {
    SCOPED_TRACE(text);
    ImportOptions options;
    options.batch_ops = 1;
    ExpectSameBothWays({File("f.csv", text)}, options, false);
  }
}

// Nodes with texts and tags, edges with kinds, labels, weights and times, some of them removed.
// Of `keys` that the files name, too; `plain`: without what a load cannot say.
std::string RandomBase(std::mt19937_64& random, int keys, bool plain) {
  std::string text = "{\"kind\":\"knows\",\"plane\":\"fact\"}\n";
  const auto key = [&] { return std::to_string(random() % static_cast<unsigned>(keys)); };
  for (int i = 0; i < 20 + keys; ++i) {
    if (random() % 3 == 0)
      text += R"({"node":")" + key() + R"(","text":"some text","tags":["t)" + key() +
              R"("],"trust":0.5})" + "\n";
    const std::string ends = R"("edge":[")" + key() + R"(",")" + key() + R"("])";
    text += "{" + ends + (random() % 2 ? R"(,"kind":"knows")" : R"(,"kind":"link")") +
            (random() % 2 ? R"(,"weight":0.5)" : "") +
            (random() % 9 == 0 ? R"(,"label":"past")" : "") +
            (random() % 9 == 0 ? R"(,"valid_from":7)" : "") +
            (!plain && random() % 4 == 0 ? R"(,"created_by":"me")" : "") + "}\n";
    if (random() % 8 == 0)
      text += "{\"un" + std::string("link") + ends.substr(5) + ",\"kind\":\"link\"}\n";
    if (!plain && random() % 20 == 0) text += "{\"remove\":\"" + key() + "\"}\n";
  }
  return text;
}

// Into a graph that is not empty, too.
TEST_F(FormatLoad, BesideWhatIsThere) {
  std::mt19937_64 random(25);
  for (int round = 0; round < LoadRounds(60); ++round) {
    SCOPED_TRACE(round);
    const int keys = round % 2 ? 12 : 300;
    const bool plain = round % 4 != 3;
    const int lines = 400 + static_cast<int>(random() % 400);
    std::vector<std::string> files;
    Shape shape;
    shape.keys = keys;
    shape.weights = random() % 2;
    shape.names = random() % 2;
    if (round % 3 == 0) {
      files.push_back(File("f.el", RandomLines(random, lines, shape)));
    } else if (round % 3 == 1) {
      files.push_back(File("f.csv", RandomTable(random, lines, keys, "")));
    } else {
      std::string text;
      for (int i = 0; i < lines; ++i)
        text += R"({"edge":[")" + std::to_string(random() % static_cast<unsigned>(keys)) +
                R"(",")" + std::to_string(random() % 400) + R"("])" +
                (random() % 2 ? R"(,"kind":"knows")" : R"(,"kind":"sees")") +
                (random() % 3 ? "" : R"(,"weight":0.25)") +
                (random() % 3 ? "" : R"(,"label":"past")") +
                (random() % 3 ? "" : R"(,"created_at":1234567890123)") + "}\n";
      files.push_back(File("f.jsonl", text));
    }
    const std::string base = RandomBase(random, keys, plain);
    ImportOptions options;
    options.block_bytes = random() % 3 == 0 ? 512 : 1024 << random() % 5;
    options.batch_ops = 10 + random() % 200;
    if (plain) {
      ExpectSameBothWays(files, options, true, base);
    } else {  // whichever way it goes
      options.now_ms = kNow;
      const Imported one = ImportOneWay(files, options, true, base),
                     other = ImportOneWay(files, options, false, base);
      ASSERT_TRUE(one.report && other.report);
      ExpectSameReport(*other.report, *one.report);
      EXPECT_EQ(one.records, other.records);
      EXPECT_EQ(JsonLines(one.graph->snapshot()), JsonLines(other.graph->snapshot()));
    }
  }
}

// Few edges for a large graph are no load.
TEST_F(FormatLoad, ATenthOfTheGraphIsLoaded) {
  std::string base;
  for (int i = 0; i < 3000; ++i) base += R"({"edge":["a)" + std::to_string(i) + R"(","b"]})" + "\n";
  for (const int lines : {100, 599, 700}) {
    SCOPED_TRACE(lines);
    std::string text;
    for (int i = 0; i < lines; ++i) text += "a" + std::to_string(i) + " c\n";
    ImportOptions options;
    options.batch_ops = 20;
    ExpectSameBothWays({File("f.el", text)}, options, lines == 700, base);
  }
}

// Enough for parts, chunks and sorts by digits, with the cuts of the defaults.
TEST_F(FormatLoad, EqualsBatchByBatchWhenLarge) {
  std::mt19937_64 random(21);
  const auto lines =
      static_cast<int>(storage_internal::testing::EnvNumber("PLEXUS_LOAD_LINES", 400'000));
  for (const bool weights : {false, true}) {
    Shape shape;
    shape.keys = lines / 8;
    shape.weights = weights;
    ImportOptions options;
    options.block_bytes = std::size_t{1} << 20;
    options.batch_ops = 30'000;
    const ImportReport report =
        ExpectSameBothWays({File("large.el", RandomLines(random, lines, shape))}, options);
    EXPECT_EQ(report.edges.changed > 0, weights);
    EXPECT_GT(report.edges.same, 0u);
  }
}

TEST_F(FormatLoad, SmallFiles) {
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

TEST_F(FormatLoad, ADroppedRecord) {
  ImportOptions options;
  options.limits.line_bytes = 100;
  options.block_bytes = 64;
  const std::string file = File("f.el", "1 2\n" + std::string(500, ' ') + "3 4\n5 6\n");
  EXPECT_TRUE(ExpectSameBothWays({file}, options).stopped);
  options.on_error = OnImportError::kSkip;
  EXPECT_EQ(ExpectSameBothWays({file}, options).errors, 1u);
}

// What is not only edges goes the general way, where pieces that only link are loaded together.
TEST_F(FormatLoad, GivesUpBeforeAnythingIsApplied) {
  std::mt19937_64 random(22);
  const std::string edges = File("a.el", RandomLines(random, 500, {})),
                    table = File("b.csv", "source,target,color\nx,y,z\n");
  ImportOptions options;
  options.now_ms = kNow;
  options.block_bytes = 256;
  options.batch_ops = 10;
  const Imported loaded = ImportOneWay({edges, table}, options, true);
  const Imported general = ImportOneWay({edges, table}, options, false);
  EXPECT_EQ(loaded.appends, 2u);
  EXPECT_EQ(general.appends, 59u);
  EXPECT_EQ(loaded.records, general.records);
  auto graph = Graph::InMemory();
  LoadClean(*graph, "f.el", "1 2\n");
  EXPECT_EQ(graph->Load(EdgeLoad()).error().code, ErrorCode::kFailedPrecondition);  // other keys
  const auto empty = Graph::InMemory();
  EXPECT_TRUE(empty->Load(EdgeLoad()));
  EXPECT_EQ(empty->snapshot().sequence(), 0u);
}

// A scratch file that cannot be made, or be written, ends an import that needs it; nothing was
// applied, and with more memory it goes in.
TEST_F(FormatLoad, AScratchFileThatCannotBeWritten) {
  std::mt19937_64 random(23);
  const std::string edges = File("a.el", RandomLines(random, 500, {}));
  ImportOptions options;
  options.now_ms = kNow;
  options.scratch_folder = (folder_ / "missing").string();
  options.limits.load_bytes = 1'000;
  const Imported refused = ImportOneWay({edges}, options, true);
  ASSERT_FALSE(refused.report);
  EXPECT_EQ(refused.report.error().code, ErrorCode::kIo);
  EXPECT_NE(refused.report.error().message.find("missing"), std::string::npos);
  EXPECT_EQ(refused.appends, 0u);
  EXPECT_FALSE(refused.graph->read_only());
  options.limits.load_bytes = ImportLimits::kHalfOfFree;
  EXPECT_TRUE(ImportFiles(*refused.graph, {edges}, options));
  EXPECT_TRUE(std::ranges::equal(std::filesystem::directory_iterator(folder_),
                                 std::vector<std::filesystem::path>{edges}));
}

TEST_F(FormatLoad, TooManyBatchesAreNotCalledALackOfMemory) {
  std::string text;
  for (std::size_t i = 0; i <= kMaxLoadBatches; ++i) text += "1 2\n";
  ImportOptions options;
  options.batch_ops = 1;
  const Imported over = ImportOneWay({File("f.el", text)}, options, true);
  ASSERT_TRUE(over.report);
  ASSERT_EQ(over.report->warnings.size(), 1u);
  const std::string& says = over.report->warnings[0].says;
  EXPECT_NE(says.find("16384 batches"), std::string::npos) << says;
  EXPECT_EQ(says.find("memory"), std::string::npos) << says;
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

TEST_F(FormatLoad, WhoWatchesMayAskTheGraph) {
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
TEST_F(FormatLoad, AFileThatBecomesAnotherFormatIsToldFrom) {
  std::mt19937_64 random(25);
  const std::string first = File("a.el", RandomLines(random, 300, {})),
                    second = File("b.txt", "1 2\n");
  for (const std::string_view other :
       {"source,target\nx,y\n",
        "{\"type\":\"entity\",\"name\":\"a\",\"entityType\":\"t\",\"observations\":[]}\n",
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

TEST_F(FormatLoad, AFailedJournalLeavesAPrefix) {
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
    const auto graph = Graph::Open(Snapshot(), store, {}, store);
    EXPECT_FALSE(ImportFiles(*graph, {file}, options));
    EXPECT_TRUE(graph->read_only());
    EXPECT_EQ(graph->snapshot().sequence(), 0u);
    const std::vector<Record> records = store->Records();
    ASSERT_LE(records.size(), good.records.size());
    for (std::size_t i = 0; i < records.size(); ++i)
      EXPECT_EQ(storage_internal::EncodeRecord(records[i], 1)->bytes, good.records[i]);
  }
}

TEST_F(FormatLoad, CancelLeavesWholeBatches) {
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

// Another writer is faster, so the load falls back; then it is stopped.
TEST_F(FormatLoad, HowMuchIsInAfterALoadThatFellBack) {
  std::mt19937_64 random(28);
  const std::string file = File("f.el", RandomLines(random, 40'000, {}));
  std::string messages[2];
  for (const bool at_once : {false, true}) {
    const auto graph = Graph::InMemory();
    StopAt progress("importing", 20);
    ImportOptions options;
    options.executor = &SerialExecutor();
    options.progress = &progress;
    options.block_bytes = 4096;
    options.limits.load_bytes = at_once ? 1'000 : 0;  // no second piece can wait
    options.before = [&]() -> Status {
      WriteBatch other;
      other.UpsertNode("other");
      return graph->Apply(other) ? Status() : Fail(ErrorCode::kIo, "no");
    };
    const auto report = ImportFiles(*graph, {file}, options);
    ASSERT_FALSE(report);
    messages[at_once] = report.error().message;
  }
  EXPECT_NE(messages[0].find(" % is in"), std::string::npos) << messages[0];
  EXPECT_EQ(messages[0].find("99 %"), std::string::npos);
  EXPECT_EQ(messages[0], messages[1]);
}

TEST_F(FormatLoad, AFileThatChangesIsToldFrom) {
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
}  // namespace plexus::formats::internal
