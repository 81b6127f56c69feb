// Following a file that grows and a pipe: the same graph as importing it whole, however the bytes
// come and however often it stops; a file that is not the same any more is refused.
#include "storage/formats/follow.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <vector>

#include "storage/formats/follow/follow_source.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

// Does the next step each time the work reports, then stops it.
class Steps final : public Progress {
 public:
  explicit Steps(std::vector<std::function<void()>> steps) : steps_(std::move(steps)) {}
  bool Report(std::string_view phase, std::uint64_t, std::uint64_t) override {
    EXPECT_EQ(phase, "following");
    if (next_ == steps_.size()) return false;
    steps_[next_++]();
    return true;
  }

 private:
  std::vector<std::function<void()>> steps_;
  std::size_t next_ = 0;
};

class FollowTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::path(::testing::TempDir()) /
           ("follow" + std::to_string(getpid()) + "_" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(dir_);
    graph_ = Graph::InMemory();
    follow_.position = "p";
    follow_.batch_seconds = 0;
    follow_.poll_interval_ms = 0;  // each step is a look
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::string Path(const std::string& name = "f.jsonl") const { return dir_ / name; }
  void Write(std::string_view bytes, const std::string& name = "f.jsonl", bool append = true) {
    std::ofstream out(Path(name), append ? std::ios::app | std::ios::binary : std::ios::binary);
    out << bytes;
  }
  ImportOptions Options(Progress* progress) const {
    ImportOptions options;
    options.now_ms = kNow;
    options.progress = progress;
    return options;
  }
  // Until the steps are done.
  Result<FollowReport> Run(std::vector<std::function<void()>> steps = {[] {}, [] {}},
                           const std::string& name = "f.jsonl") {
    Steps progress(std::move(steps));
    return FollowFile(*graph_, Path(name), Options(&progress), follow_);
  }
  FollowReport MustRun(std::vector<std::function<void()>> steps = {[] {}, [] {}},
                       const std::string& name = "f.jsonl") {
    auto report = Run(std::move(steps), name);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *std::move(report) : FollowReport();
  }
  Result<FollowReport> Pipe(std::string_view bytes) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    auto report = FollowStream(*graph_, "standard input", ends[0], Options(nullptr), follow_);
    ::close(ends[0]);
    return report;
  }
  // What the graph holds, its positions aside.
  std::string Held() const { return Held(graph_->snapshot()); }
  static std::string Held(const Snapshot& snapshot) {
    std::istringstream lines(JsonLines(snapshot));
    std::string held;
    for (std::string line; std::getline(lines, line);)
      if (line.find("plexus.follow.") == std::string::npos) held += line + "\n";
    return held;
  }
  void Refused(const Result<FollowReport>& report, const std::string& says, ErrorCode code) {
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, code);
    EXPECT_NE(report.error().message.find(says), std::string::npos) << report.error().message;
  }

  std::filesystem::path dir_;
  std::unique_ptr<Graph> graph_;
  FollowOptions follow_;
};

std::string Lines(int first, int last) {
  std::string lines;
  for (int i = first; i < last; ++i)
    lines += R"({"node":"n)" + std::to_string(i % 7) + R"(","access_count":)" + std::to_string(i) +
             "}\n";
  return lines;
}

// In pieces cut anywhere, stopped and begun again now and then; every record one batch.
TEST_F(FollowTest, AnyPiecesAndStopsGiveTheGraphOfOneImport) {
  std::string table = "key,text,access_count\n", edges = "# comment\n", tabs = "key\ttext\n";
  for (int i = 0; i < 40; ++i) {
    table +=
        "c" + std::to_string(i) + ",\"two\nlines, \"\"quoted\"\"\"," + std::to_string(i) + "\n";
    edges += "a" + std::to_string(i % 5) + " b" + std::to_string(i) + " 0.5\n";
    tabs += "t" + std::to_string(i) + "\ttext " + std::to_string(i) + "\n";
  }
  const std::pair<std::string, std::string> files[] = {{"f.jsonl", Lines(0, 60)},
                                                       {"f.csv", table},
                                                       {"f.tsv", tabs},
                                                       {"f.el", edges},
                                                       {"bom.csv", "\xef\xbb\xbf" + table}};
  for (const auto& [name, text] : files)
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      SCOPED_TRACE(name + ", seed " + std::to_string(seed));
      std::mt19937_64 random(seed);
      graph_ = Graph::InMemory();
      follow_.batch_records = seed % 2 ? 1 : 7;
      Write("", name, false);
      FollowReport last;
      for (std::size_t at = 0; at < text.size();) {
        std::vector<std::function<void()>> steps;
        for (std::uint64_t n = random() % 5; n-- > 0 && at < text.size();) {
          const std::size_t size = std::min<std::size_t>(1 + random() % 300, text.size() - at);
          steps.push_back(
              [=, this, piece = text.substr(at, size), file = name] { Write(piece, file); });
          at += size;
        }
        steps.insert(steps.end(), 2, [] {});
        last = MustRun(steps, name);
      }
      last = MustRun(std::vector<std::function<void()>>(80, [] {}), name);
      EXPECT_EQ(last.offset, text.size());
      EXPECT_EQ(last.waiting, 0u);
      const auto whole = Graph::InMemory();
      LoadClean(*whole, name, text);
      EXPECT_EQ(Held(), Held(whole->snapshot()));
      // Each record once: its batch has a sequence of its own.
      if (name == "f.jsonl" && follow_.batch_records == 1) {
        EXPECT_EQ(graph_->snapshot().sequence(), 60u);
      }
      if (HasFailure()) return;
    }
}

TEST_F(FollowTest, BatchesAreToldOfInOrder) {
  Write(Lines(0, 25));
  follow_.batch_records = 10;
  std::vector<FollowBatch> batches;
  follow_.on_batch = [&](const FollowBatch& batch) { batches.push_back(batch); };
  const FollowReport report = MustRun({[] {}, [] {}, [] {}, [] {}});
  ASSERT_EQ(batches.size(), 3u);
  EXPECT_EQ(batches[0].records, 10u);
  EXPECT_EQ(batches[2].records, 5u);
  EXPECT_EQ(batches[2].lines, 25u);
  EXPECT_EQ(batches[2].offset, Lines(0, 25).size());
  EXPECT_EQ(batches[2].sequence, graph_->snapshot().sequence());
  EXPECT_EQ(report.import.records, 25u);
  EXPECT_TRUE(report.interrupted);
}

TEST_F(FollowTest, ALineWithoutItsEndWaits) {
  Write(Lines(0, 2) + R"({"node":"late")");
  FollowReport report = MustRun();
  EXPECT_EQ(report.lines, 2u);
  EXPECT_EQ(report.waiting, 14u);
  EXPECT_FALSE(graph_->snapshot().Find("late"));
  report = MustRun({[&] { Write("}"); }, [&] { Write("\n"); }, [] {}});
  EXPECT_EQ(report.lines, 3u);
  EXPECT_TRUE(graph_->snapshot().Find("late"));
}

TEST_F(FollowTest, SilenceEndsIt) {
  Write(Lines(0, 3));
  follow_.idle_seconds = 0;
  follow_.batch_seconds = 3600;
  const auto report = FollowFile(*graph_, Path(), Options(nullptr), follow_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->lines, 3u);
  EXPECT_FALSE(report->interrupted);
}

TEST_F(FollowTest, ATruncatedFileIsAnError) {
  Write(Lines(0, 5));
  Refused(Run({[] {}, [] {}, [&] { Write(Lines(0, 1), "f.jsonl", false); }, [] {}, [] {}}),
          "truncated", ErrorCode::kFailedPrecondition);
  const Sequence sequence = graph_->snapshot().sequence();
  Refused(Run(), "truncated", ErrorCode::kFailedPrecondition);  // and begun again
  Write(Lines(5, 40));  // longer than it was, with other bytes
  Refused(Run(), "rotated or rewritten", ErrorCode::kFailedPrecondition);
  EXPECT_EQ(graph_->snapshot().sequence(), sequence);
  follow_.position = "another";
  EXPECT_EQ(MustRun().lines, 36u);
}

TEST_F(FollowTest, ARotatedFileIsAnErrorAfterItsLastByte) {
  Write(Lines(0, 5));
  Refused(Run({[] {}, [] {},
               [&] {
                 Write(Lines(5, 9));
                 std::filesystem::rename(Path(), Path("f.1"));
                 Write(Lines(9, 10));
               },
               [] {}, [] {}, [] {}}),
          "rotated", ErrorCode::kFailedPrecondition);
  const auto position = ReadFollowPosition(graph_->snapshot(), "p");
  ASSERT_TRUE(position && *position);
  EXPECT_EQ((*position)->lines, 9u);
}

TEST_F(FollowTest, APipeGoesToItsEnd) {
  follow_.position = "";
  auto report = Pipe(Lines(0, 20) + R"({"node":"last"})");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->lines, 21u);
  EXPECT_FALSE(report->interrupted);
  EXPECT_TRUE(graph_->snapshot().Find("last"));
  EXPECT_EQ(Held(), JsonLines(graph_->snapshot()));  // it keeps no position
  EXPECT_TRUE(Pipe(""));
}

TEST_F(FollowTest, ANamedPipeIsPassedOverAsFarAsItIsDone) {
  follow_.batch_records = 3;
  ASSERT_TRUE(Pipe(Lines(0, 10)));
  const Sequence sequence = graph_->snapshot().sequence();
  auto again = Pipe(Lines(0, 10));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->import.records, 0u);
  EXPECT_EQ(graph_->snapshot().sequence(), sequence);
  again = Pipe(Lines(0, 12));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->import.records, 2u);
  EXPECT_EQ(again->resumed_at, Lines(0, 10).size());
  Refused(Pipe(Lines(0, 5)), "truncated", ErrorCode::kFailedPrecondition);
  Refused(Pipe(Lines(1, 30)), "rewritten", ErrorCode::kFailedPrecondition);
}

TEST_F(FollowTest, ABadRecordStopsOrIsSkippedWithTheLineOfTheFile) {
  for (const bool skip : {false, true})
    for (const std::string name : {"f.jsonl", "f.csv"}) {
      SCOPED_TRACE(name + (skip ? " skip" : " stop"));
      graph_ = Graph::InMemory();
      follow_.batch_records = 2;
      const bool table = name == "f.csv";
      Write(table ? "key,access_count\na,1\nb,2\nc,x\nd,4\n"
                  : Lines(0, 3) + "{\"node\":7}\n" + Lines(3, 4),
            name, false);
      Steps progress(std::vector<std::function<void()>>(6, [] {}));
      ImportOptions options = Options(&progress);
      if (skip) options.on_error = OnImportError::kSkip;
      const auto report = FollowFile(*graph_, Path(name), options, follow_);
      ASSERT_TRUE(report) << report.error().message;
      EXPECT_EQ(report->import.stopped, !skip);
      ASSERT_EQ(report->import.kept_errors.size(), 1u);
      EXPECT_EQ(report->import.kept_errors[0].line, 4u);
      EXPECT_EQ(report->lines, skip ? 5u : 2u);
    }
}

TEST_F(FollowTest, WhatCannotBeFollowedIsRefused) {
  Write("<graphml></graphml>\n", "g.graphml");
  Refused(Run({[] {}, [] {}}, "g.graphml"), "cannot be followed", ErrorCode::kUnsupported);
  Write("\x1f\x8b\n", "f.jsonl.gz");
  Refused(Run({[] {}, [] {}}, "f.jsonl.gz"), "packed", ErrorCode::kUnsupported);
  Refused(Run({}, "nosuch"), "nosuch", ErrorCode::kNotFound);
  Refused(Run({}, "."), "directory", ErrorCode::kUnsupported);
  Write(Lines(0, 1));
  const auto refused = [&](auto&& change) {
    FollowOptions options;
    change(options);
    Refused(FollowFile(*graph_, Path(), Options(nullptr), options), "",
            ErrorCode::kInvalidArgument);
  };
  refused([](FollowOptions& o) { o.batch_records = 0; });
  refused([](FollowOptions& o) { o.batch_seconds = -1; });
  refused([](FollowOptions& o) { o.idle_seconds = -1; });
  refused([](FollowOptions& o) { o.poll_interval_ms = -1; });
  refused([](FollowOptions& o) { o.position = std::string(300, 'x'); });
  EXPECT_EQ(graph_->snapshot().sequence(), 0u);
}

// What an import tells of its batches is added up, each warning by what it is about.
TEST_F(FollowTest, CountsAreThoseOfAllBatches) {
  follow_.batch_records = 1;
  Write(R"({"edge":["a","b"],"kind":"supersedes"})"
        "\n"
        R"({"edge":["c","d"],"kind":"knows","valid_from":1700000000})"
        "\n"
        R"({"node":"e","valid_from":"2026-01-02","valid_until":"2026-01-02"})"
        "\n"
        R"({"event":"f","members":[{"id":"e","role":"witness"}]})"
        "\n"
        R"({"outcome":"f","type":"banana"})"
        "\n");
  Steps progress({[] {}, [] {}, [] {}, [] {}, [] {}});
  ImportOptions options = Options(&progress);
  options.reversed_kinds = {"supersedes"};
  const auto report = FollowFile(*graph_, Path(), options, follow_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->import.records, 5u);
  EXPECT_EQ(report->import.stubs, 4u);
  EXPECT_EQ(report->import.unknown, 2u);
  EXPECT_EQ(report->import.reversed_edges, 1u);
  EXPECT_EQ(report->import.new_edge_kinds, std::vector<std::string>{"knows"});
  EXPECT_EQ(report->import.warnings.size(), 2u);
}

}  // namespace
}  // namespace plexus::formats::internal
