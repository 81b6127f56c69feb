// A file that has an error changes nothing, and what is between files: several files at
// once, pipes, files that change while they are read, lines of 100 MB, maps that grow.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "storage/formats/import.h"
#include "tests/support/fails_with.h"
#include "tests/support/text_files.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

using testing::FailsWith;

namespace fs = std::filesystem;

class AllOrNothing : public ::testing::Test {
 protected:
  AllOrNothing() { fs::create_directories(folder_); }
  ~AllOrNothing() override { fs::remove_all(folder_); }
  std::string File(const std::string& name, std::string_view bytes) const {
    const std::string path = (folder_ / name).string();
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static ImportOptions Small() {
    ImportOptions options;
    options.now_ms = kNow;
    options.block_bytes = 256;
    options.batch_ops = 8;
    return options;
  }
  const fs::path folder_ = fs::path(::testing::TempDir()) /
                           ("plexus_import_" + std::to_string(::getpid()) +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

std::string GoodEdges(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += "n" + std::to_string(i) + " n" + std::to_string(i + 1) + "\n";
  return text;
}

TEST_F(AllOrNothing, SeveralFilesAreOne) {
  const std::string good = File("a.el", GoodEdges(100)), bad = File("b.el", GoodEdges(100) + "x\n");
  auto graph = Graph::InMemory();
  const auto refused = ImportFiles(*graph, {good, bad}, Small());
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->stopped);
  EXPECT_EQ(refused->kept_errors.at(0).file, bad);
  EXPECT_EQ(graph->snapshot().sequence(), 0u);
  File("b.el", GoodEdges(100) + "x y\n");
  const auto taken = ImportFiles(*graph, {good, bad}, Small());
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->nodes, (ChangeCounts{103, 0, 0}));
  EXPECT_EQ(taken->edges, (ChangeCounts{101, 0, 100}));
  EXPECT_EQ(taken->records, 201u);
  EXPECT_EQ(taken->bytes, fs::file_size(good) + fs::file_size(bad));
  const auto again = ImportFiles(*graph, {good, bad}, Small());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->nodes, (ChangeCounts{0, 0, 103}));
  EXPECT_EQ(again->edges, (ChangeCounts{0, 0, 201}));
  EXPECT_EQ(again->sequence, taken->sequence);
}

// What the first file defines, the second may use, before anything is applied.
TEST_F(AllOrNothing, LaterFilesSeeEarlierDefinitions) {
  const std::string definitions = File("a.jsonl", R"({"column":"stakes"})"
                                                  "\n"
                                                  R"({"kind":"m","symmetric":true})"
                                                  "\n"),
                    uses = File("b.jsonl", R"({"node":"a","stakes":1.5})"
                                           "\n"
                                           R"({"edge":["b","a"],"kind":"m"})"
                                           "\n"),
                    conflict = File("c.jsonl", R"({"kind":"m","symmetric":false})"
                                               "\n");
  auto graph = Graph::InMemory();
  const auto refused = ImportFiles(*graph, {definitions, uses, conflict}, Small());
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->kept_errors.at(0).file, conflict);
  EXPECT_EQ(graph->snapshot().sequence(), 0u);
  const auto taken = ImportFiles(*graph, {definitions, uses}, Small());
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->errors, 0u);
  EXPECT_EQ(Edges(graph->snapshot(), "m"), "a>b");
}

// Patches of one map, each small enough, together too large: refused while they are applied.
TEST_F(AllOrNothing, GrowingMaps) {
  const std::string value(100'000, 'v');
  std::string text;
  for (int i = 0; i < 12; ++i)
    text += R"({"event":"e","tool":"t)" + std::to_string(i) +
            R"(","query":"q"})"
            "\n"
            R"({"outcome":"e","type":"x","labeled_at":1,"notes":"n"})"
            "\n";
  std::string modes = text;
  for (const char* attribute : {"tool", "mode", "status", "output_preview", "query_hash"})
    for (int i = 0; i < 4; ++i)
      modes += R"({"event":"e",")" + std::string(attribute) + R"(":")" + value + "\"}\n";
  auto graph = Graph::InMemory();
  EXPECT_EQ(LoadClean(*graph, "f.jsonl", modes, Small()).errors, 0u);  // each replaces its own

  const std::string large(300'000, 'v');
  std::string grows = modes;
  std::uint64_t line = static_cast<std::uint64_t>(std::count(modes.begin(), modes.end(), '\n'));
  for (const char* attribute : {"tool", "mode", "status", "output_preview"})
    grows += R"({"event":"e",")" + std::string(attribute) + R"(":")" + large + "\"}\n";
  for (bool there : {false, true}) {  // with what is stored already, or all in the file
    auto other = Graph::InMemory();
    if (there) LoadClean(*other, "f.jsonl", modes, Small());
    const std::string bytes = there ? grows.substr(modes.size()) : grows;
    const ImportReport r = Load(*other, "f.jsonl", bytes, Small());
    EXPECT_TRUE(r.stopped);
    ASSERT_EQ(r.kept_errors.size(), 1u);
    EXPECT_NE(r.kept_errors[0].reason.find("properties over"), std::string::npos)
        << r.kept_errors[0].reason;
    EXPECT_EQ(r.kept_errors[0].line, there ? 3u : line + 3);
    EXPECT_NE(r.kept_errors[0].reason.find("not foreseen by the check of the file"),
              std::string::npos)
        << r.kept_errors[0].reason;
  }
  // A removal in between makes room.
  std::string room = grows;
  room.insert(room.rfind("{\"event\""), "{\"remove\":\"event\\u001fe\"}\n");
  auto removed = Graph::InMemory();
  LoadClean(*removed, "f.jsonl", room, Small());
}

// One file sets a fact's map as a whole, the next one's entity patches it past the limit. The first
// file stays.
TEST_F(AllOrNothing, MapsThatTwoFilesMake) {
  const auto node =
      File("a.jsonl", R"({"node":"a","props":{"x":")" + std::string(900'000, 'v') + "\"}}\n");
  const auto entity =
      File("b.json", R"({"type":"entity","name":"a","entityType":"t","observations":[],"y":")" +
                         std::string(300'000, 'v') + "\"}\n");
  auto graph = Graph::InMemory();
  const Sequence before = graph->snapshot().sequence();
  const auto report = ImportFiles(*graph, {node, entity}, ImportOptions());
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_TRUE(report->stopped);
  EXPECT_EQ(graph->snapshot().sequence(), before + 1);
  EXPECT_EQ(graph->snapshot().node_count(), 1u);
}

// A gloss that no payload may hold is found by the check, not by the graph.
TEST_F(AllOrNothing, AGlossThatIsTooLong) {
  const std::string folder = File("wordnet/data.noun", "");
  File("wordnet/data.noun",
       "00000001 03 n 01 word 0 000 | a gloss\n00009999 03 n 01 long 0 000 | " +
           std::string(1'100'000, 'x') + "\n");
  for (const char* other : {"data.verb", "data.adj", "data.adv"})
    File(std::string("wordnet/") + other, "");
  auto graph = Graph::InMemory();
  const auto report = ImportFiles(*graph, {folder.substr(0, folder.rfind('/'))}, ImportOptions());
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_TRUE(report->stopped);
  ASSERT_EQ(report->kept_errors.size(), 1u);
  EXPECT_NE(report->kept_errors[0].reason.find("words and gloss over"), std::string::npos);
  EXPECT_EQ(graph->snapshot().node_count(), 0u);
}

// An event that is removed behind its patch stays removed.
TEST_F(AllOrNothing, RemovalAfterAPatchInOnePiece) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "f.jsonl",
            R"({"event":"e","tool":"a","mode":"m"})"
            "\n");
  LoadClean(*graph, "f.jsonl",
            "{\"event\":\"e\",\"tool\":\"b\"}\n{\"remove\":\"event\\u001fe\"}\n");
  const NodeId e = Id(graph->snapshot(),
                      "event\x1f"
                      "e");
  EXPECT_FALSE(graph->snapshot().alive(e));
  LoadClean(*graph, "f.jsonl",
            R"({"event":"e","tool":"a","mode":"m"})"
            "\n");
  LoadClean(*graph, "f.jsonl",
            "{\"event\":\"e\",\"tool\":\"b\"}\n{\"remove\":\"event\\u001fe\"}\n{\"event\":\"e\","
            "\"tool\":\"c\"}\n");
  EXPECT_TRUE(graph->snapshot().alive(e));
  EXPECT_EQ(JsonLines(graph->snapshot()).find("\"mode\""), std::string::npos);
}

// Calls once, at the first report of the importing phase.
class AtImporting final : public Progress {
 public:
  explicit AtImporting(std::function<void()> call) : call_(std::move(call)) {}
  bool Report(std::string_view phase, std::uint64_t, std::uint64_t) override {
    if (phase == "importing" && call_) std::exchange(call_, nullptr)();
    return true;
  }

 private:
  std::function<void()> call_;
};

TEST_F(AllOrNothing, AFileThatChangesIsDetected) {
  const std::string good = GoodEdges(1000), path = File("g.el", good);
  const auto change = [&] { File("g.el", good + "more edges\n"); };
  for (const bool while_importing : {false, true}) {
    File("g.el", good);
    auto graph = Graph::InMemory();
    AtImporting changer(change);
    ImportOptions options = Small();
    options.executor = &SerialExecutor();
    options.limits.load_bytes = 0;  // load_test.cc has the other way
    if (while_importing)
      options.progress = &changer;
    else
      options.before = [&] { return change(), Status(); };
    EXPECT_TRUE(FailsWith(ImportFiles(*graph, {path}, options), ErrorCode::kIo,
                          while_importing
                              ? "has changed while it was imported; 1000 records of it were read"
                              : "has changed since it was checked; nothing of it was applied"));
    EXPECT_EQ(graph->snapshot().sequence() > 0, while_importing);
  }
}

TEST_F(AllOrNothing, AVectorFileThatChangesIsDetected) {
  const std::string shape = "(300000, 2)";  // more than is read ahead
  std::vector<float> values(600'000, 0.5f);
  const std::string good = Npy("<f4", shape, Bytes(values));
  values.back() = NAN;
  const auto change = [&] { File("v.npy", Npy("<f4", shape, Bytes(values))); };
  for (const bool while_importing : {false, true}) {
    const std::string path = File("v.npy", good);
    auto graph = Graph::InMemory();
    AtImporting changer(change);
    ImportOptions options = Small();
    if (while_importing)
      options.progress = &changer;
    else
      options.before = [&] { return change(), Status(); };
    EXPECT_TRUE(FailsWith(ImportVectors(*graph, {path}, {}, options), ErrorCode::kIo,
                          while_importing
                              ? "has changed while it was imported; 0 of its 300000 vectors"
                              : "has changed since it was checked; nothing of it was applied"));
    EXPECT_EQ(graph->snapshot().sequence(), 0u);
  }
}

TEST_F(AllOrNothing, PipesAreKeptAndCheckedFirst) {
  for (bool good : {true, false}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const std::string text = GoodEdges(20'000) + (good ? "" : "x\n");
    std::jthread writer([&] {
      for (std::size_t at = 0; at < text.size();) {
        const ssize_t n = ::write(ends[1], text.data() + at, text.size() - at);
        if (n <= 0) break;
        at += static_cast<std::size_t>(n);
      }
      ::close(ends[1]);
    });
    auto graph = Graph::InMemory();
    ImportOptions options = Small();
    options.batch_ops = 1000;
    options.block_bytes = 4096;
    options.format = FileFormat::kEdgeList;
    const auto report = ImportStream(*graph, "a pipe", ends[0], options);
    ::close(ends[0]);
    ASSERT_TRUE(report) << report.error().ToString();
    EXPECT_EQ(report->stopped, !good);
    EXPECT_EQ(graph->snapshot().node_count(), good ? 20'001u : 0u);
    if (!good) {
      EXPECT_EQ(report->kept_errors.at(0).ToString(),
                "a pipe:20001: expected `source target [weight]`");
    }
  }
}

TEST_F(AllOrNothing, PipesHaveALimit) {
  auto graph = Graph::InMemory();
  ImportOptions options = Small();
  options.format = FileFormat::kEdgeList;
  options.limits.spool_bytes = 5'000'000;
  EXPECT_TRUE(FailsWith(ImportFiles(*graph, {"/dev/zero"}, options), ErrorCode::kResourceExhausted,
                        "/dev/zero: over 5000000 bytes"));
}

// An open file is read where it lies, from where it is at.
TEST_F(AllOrNothing, OpenFilesNeedNoCopy) {
  ::setenv("TMPDIR", "/nowhere/at/all", 1);
  std::string text = "none of it\n" + GoodEdges(1000);
  while (text.size() <= std::size_t{9} << 20) text += "# " + std::string(1000, 'x') + "\n";
  std::FILE* file = std::tmpfile();
  ASSERT_TRUE(file);
  ASSERT_EQ(std::fwrite(text.data(), 1, text.size(), file), text.size());
  ASSERT_EQ(std::fflush(file), 0);
  const int fd = ::fileno(file);
  ImportOptions options = Small();
  options.format = FileFormat::kEdgeList;
  const auto from = static_cast<off_t>(text.find('\n') + 1);
  for (const std::uint64_t most : {std::uint64_t{1} << 20, std::uint64_t{1} << 30}) {
    options.limits.spool_bytes = most;
    ASSERT_EQ(::lseek(fd, from, SEEK_SET), from);
    auto graph = Graph::InMemory();
    const auto read = ImportStream(*graph, "a file", fd, options);
    EXPECT_EQ(read.has_value(), most > text.size());
    EXPECT_EQ(graph->snapshot().node_count(), read ? 1001u : 0u);
    if (read) {
      EXPECT_EQ(::lseek(fd, 0, SEEK_CUR), static_cast<off_t>(text.size()));
    } else {
      EXPECT_EQ(read.error().code, ErrorCode::kResourceExhausted);
    }
  }
  std::fclose(file);
  ::unsetenv("TMPDIR");
}

// A pipe that fits in memory needs no temporary file; one that does not says what is missing.
TEST_F(AllOrNothing, SmallPipesNeedNoTemporaryFolder) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  ::setenv("TMPDIR", "/nowhere/at/all", 1);
  ImportOptions options = Small();
  options.format = FileFormat::kEdgeList;
  auto graph = Graph::InMemory();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string text = GoodEdges(1000);
  EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  const auto small = ImportStream(*graph, "a pipe", ends[0], options);
  ::close(ends[0]);
  ASSERT_TRUE(small) << small.error().ToString();
  EXPECT_EQ(graph->snapshot().node_count(), 1001u);
  const auto large = ImportFiles(*graph, {"/dev/zero"}, options);
  ASSERT_FALSE(large);
  EXPECT_NE(large.error().message.find("/nowhere/at/all"), std::string::npos)
      << large.error().message;
  if (before)
    ::setenv("TMPDIR", kept.c_str(), 1);
  else
    ::unsetenv("TMPDIR");
}

// Bytes of memory that the process holds, and at most held since `reset`.
std::uint64_t MemoryOf(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field)) return std::stoull(line.substr(field.size() + 1)) * 1024;
  return 0;
}

// The line is refused without being held: the memory of the process grows by less than
// what the line has, whatever the format.
TEST_F(AllOrNothing, LinesOf100MegabytesAreRefusedUnheld) {
  constexpr std::size_t kLine = std::size_t{100} << 20;
  struct Case {
    const char *name, *before, *after;
    std::uint64_t line;
  };
  const Case cases[] = {
      {"g.el", "a b\n", "\n", 2},
      {"e.csv", "source,target\na,b\n", "\n", 3},
      {"e.csv", "source,target\na,b\n\"", "\"\n", 3},
      {"e.csv", "", "\n", 1},
      {"e.tsv", "source\ttarget\na\tb\n", "\n", 3},
      {"f.jsonl", "{\"node\":\"a\"}\n{\"node\":\"", "\"}\n", 2},
      {"memory.json",
       "{\"type\":\"entity\",\"name\":\"a\",\"entityType\":\"p\",\"observations\":[]}\n{\"type\":"
       "\"",
       "\"}\n", 2},
      {"m.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1\n", "\n", 4},
      {"m.mtx", "%%MatrixMarket matrix coordinate pattern general\n%", "\n3 3 1\n1 1\n", 2},
      {"g.graphml", "<graphml><graph edgedefault=\"directed\">\n<node id=\"",
       "\"/></graph></graphml>\n", 2},
      {"g.graphml", "<graphml><graph edgedefault=\"directed\">\n<!--", "--></graph></graphml>\n",
       2},
      {"g.graphml",
       "<graphml><key id=\"k\" attr.name=\"k\"/><graph edgedefault=\"directed\">\n<node "
       "id=\"a\"><data key=\"k\">",
       "</data></node></graph></graphml>\n", 2},
      {"g.json", "{\"nodes\":[{\"id\":\"a\"},\n{\"id\":\"", "\"}],\"links\":[]}\n", 2},
  };
  std::string text;
  text.reserve(kLine + 1000);
  bool measured = true;
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.name) + " " + c.before);
    text.assign(c.before);
    text.append(kLine, 'x');
    text.append(c.after);
    auto graph = Graph::InMemory();
    ImportOptions options;
    options.now_ms = kNow;
    measured &= static_cast<bool>(std::ofstream("/proc/self/clear_refs") << "5" << std::flush);
    const std::uint64_t before = MemoryOf("VmRSS:");
    const ImportReport r = Load(*graph, c.name, text, options);
    const std::uint64_t most = MemoryOf("VmHWM:");
    EXPECT_TRUE(r.stopped);
    ASSERT_FALSE(r.kept_errors.empty());
    EXPECT_EQ(r.kept_errors[0].line, c.line) << r.kept_errors[0].ToString();
    EXPECT_NE(r.kept_errors[0].reason.find("over "), std::string::npos)
        << r.kept_errors[0].ToString();
    EXPECT_EQ(graph->snapshot().sequence(), 0u);
    if (measured) {
      EXPECT_LT(most - std::min(before, most), kLine) << "grew by " << (most - before);
    }
  }
  if (!measured)
    GTEST_SKIP() << "refused as they should be, but how much memory that took is unknown: "
                    "/proc/self/clear_refs cannot be written";
}

// A default of a key is repeated by every element that has none: bounded by what was read.
TEST_F(AllOrNothing, GraphMlDefaultsDoNotMultiply) {
  const auto document = [](std::size_t default_bytes, int nodes) {
    std::string text = "<graphml><key id=\"k\" attr.name=\"k\"><default>" +
                       std::string(default_bytes, 'd') +
                       "</default></key><graph edgedefault=\"directed\">\n";
    for (int i = 0; i < nodes; ++i) text += "<node id=\"" + std::to_string(i) + "\"/>\n";
    return text + "</graph></graphml>\n";
  };
  auto graph = Graph::InMemory();
  const ImportReport r = Load(*graph, "g.graphml", document(60'000, 2000));
  EXPECT_TRUE(r.stopped);
  ASSERT_EQ(r.kept_errors.size(), 1u);
  EXPECT_NE(r.kept_errors[0].reason.find("16 times as large"), std::string::npos)
      << r.kept_errors[0].ToString();
  EXPECT_EQ(graph->snapshot().sequence(), 0u);
  LoadClean(*graph, "g.graphml", document(20, 2000));
}

TEST_F(AllOrNothing, SecondEntriesOfAMatrixAreCountedWhenSkipping) {
  const std::string text =
      "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n2 1 0.5\n3 1 0.25\n1 2 0.75\n3 3 "
      "1\n2 1 0.125\n";
  auto graph = Graph::InMemory();
  const ImportReport r = Load(*graph, "m.mtx", text, Skip());
  EXPECT_EQ(r.errors, 2u);
  ASSERT_EQ(r.kept_errors.size(), 2u);
  EXPECT_EQ(r.kept_errors[0].ToString(), "m.mtx:5: a second entry in row and column of line 3");
  EXPECT_EQ(r.kept_errors[1].ToString(), "m.mtx:7: a second entry in row and column of line 3");
  EXPECT_EQ(r.edges, (ChangeCounts{3, 0, 0}));
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(s.FindEdge(Id(s, "1"), s.schema().FindEdgeKind("linked")->kind, Id(s, "2"))->weight,
            0.5f);
  EXPECT_EQ(Load(*graph, "m.mtx", text, Skip()).edges, (ChangeCounts{0, 0, 3}));
}

}  // namespace
}  // namespace plexus::formats::internal
