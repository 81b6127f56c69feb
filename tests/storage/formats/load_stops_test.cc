// A load that ends half way says what is in and what to do next; one that must be done another way
// says so.
#include <new>
#include <string>

#include "engine/bulk/edge_load.h"
#include "tests/storage/formats/load_both_ways.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

// Says stop, or has no memory, at a report of a phase.
class EndAt final : public Progress {
 public:
  EndAt(std::string_view phase, int passed, bool no_memory = false)
      : phase_(phase), passed_(passed), no_memory_(no_memory) {}
  bool Report(std::string_view phase, std::uint64_t, std::uint64_t) override {
    if (phase != phase_ || passed_-- != 0) return true;
    if (no_memory_) throw std::bad_alloc();
    return false;
  }

 private:
  const std::string_view phase_;
  int passed_;
  const bool no_memory_;
};

class LoadStops : public FormatLoad {
 protected:
  void SetUp() override {
    options_.now_ms = kNow;
    options_.batch_ops = 20;
    options_.limits.load_bytes = 1'000;  // several runs, each with records of its own
    std::string text;
    for (int i = 0; i < kLines; ++i)
      text += std::to_string(i) + " " + std::to_string(i + 1) + " 0.5\n";
    file_ = File("f.el", text);
  }

  static constexpr int kLines = 500;
  ImportOptions options_;
  std::string file_;
};

TEST_F(LoadStops, HalfWayItSaysThatSomeIsIn) {
  for (const int passed : {0, 1, 3}) {
    SCOPED_TRACE(passed);
    EndAt stop("writing", passed);
    options_.progress = &stop;
    const auto graph = Graph::InMemory();
    const auto report = ImportFiles(*graph, {file_}, options_);
    ASSERT_FALSE(report);
    ASSERT_EQ(report.error().code, ErrorCode::kCancelled);
    const bool some = graph->snapshot().sequence() > 0;
    EXPECT_EQ(some, passed > 0);
    const std::string& says = report.error().message;
    EXPECT_NE(says.find(some ? "some is in; run the same import again" : "nothing was imported"),
              std::string::npos)
        << says;
    options_.progress = nullptr;
    const auto again = ImportFiles(*graph, {file_}, options_);
    ASSERT_TRUE(again) << again.error().ToString();
    EXPECT_EQ(again->edges.same > 0, some);
    EXPECT_EQ(again->edges.same + again->edges.added, std::uint64_t{kLines});
  }
}

TEST_F(LoadStops, AnErrorHalfWaySaysThatSomeMayBeIn) {
  auto store = std::make_shared<plexus::testing::FakeStore>();
  const auto graph = Graph::Open(Snapshot(), store, {}, store);
  store->FailAt(2);
  const auto report = ImportFiles(*graph, {file_}, options_);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kIo);
  EXPECT_TRUE(graph->read_only());
  EXPECT_FALSE(store->Records().empty());
  EXPECT_NE(report.error().message.find("injected fault"), std::string::npos);
  EXPECT_NE(report.error().message.find("some of it may be in: open the graph again"),
            std::string::npos)
      << report.error().message;
}

// What was read, and could not be loaded at once, is read again: that takes its time.
TEST_F(LoadStops, BatchByBatchInItsPlaceIsSaid) {
  EndAt no_memory("sorting", 0, true);
  options_.progress = &no_memory;
  const auto graph = Graph::InMemory();
  const auto report = ImportFiles(*graph, {file_}, options_);
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_EQ(report->edges.added, std::uint64_t{kLines});
  ASSERT_EQ(report->warnings.size(), 1u);
  EXPECT_NE(report->warnings[0].says.find(
                "cannot be loaded at once (out of memory), so they are written batch by batch"),
            std::string::npos)
      << report->warnings[0].says;
}

}  // namespace
}  // namespace plexus::formats::internal
