// Every row ends soon after its time is up and within its bytes; what it writes then is nothing.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/run_plexus.h"
#include "tests/tools/limits/counted_clock.h"
#include "tests/tools/limits/every_row.h"
#include "tools/operations/framework/limits.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools {
namespace {

using testing::CountedClock;
using testing::EveryRow;
using testing::EverythingLines;
using testing::RowRequest;

using testing::kEveryRowNow;

// Rows that write batch by batch: what is in stays, and the same again goes on.
const std::set<std::string> kByBatches = {"terms", "embed", "build", "import"};

struct Outcome {
  std::optional<Error> error;
  std::string text;  // the reply as JSON, or what it streams
  bool truncated = false;
  std::uint64_t looked = 0;
  bool cut_short() const { return truncated || error; }
};

class LimitsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new testing::TempDir();
    Write("all.jsonl", EverythingLines(80));
    Write("more.jsonl", R"({"node":"m1","text":"more"})"
                        "\n");
    ASSERT_FALSE(Ask({"import", R"({"files":["DIR/all.jsonl"]})"}).error);
    ASSERT_FALSE(Ask({"terms", "{}"}).error);
    ASSERT_FALSE(Ask({"embed", R"({"dimensions":16})"}).error);
    const Outcome copied = Ask({"backup", R"({"to":"DIR/copy"})"});
    ASSERT_FALSE(copied.error) << copied.error->message;
  }
  static void TearDownTestSuite() {
    reader_.reset();
    delete scratch_;
  }

  static std::string Path(const std::string& name) { return scratch_->path() + "/" + name; }
  static void Write(const std::string& name, const std::string& text) {
    std::ofstream(Path(name)) << text;
  }

  static std::string Filled(std::string text) {
    const std::pair<std::string, std::string> names[] = {{"DIR", scratch_->path()},
                                                         {"GRAPH", Path("copy")}};
    for (const auto& [name, value] : names)
      for (std::size_t at; (at = text.find(name)) != std::string::npos;)
        text.replace(at, name.size(), value);
    return text;
  }

  // The directory of a row that opens none itself.
  static std::string Directory(const Operation& row) {
    if (row.name == "restore") return Path("restored");
    return row.name == "repair" ? Path("copy") : Path("g");
  }

  // `looks` at the clock before the time is up. `bytes` = 0: no limit.
  static Outcome Ask(const RowRequest& asked, std::uint64_t looks = CountedClock::kNever,
                     std::uint64_t bytes = 0) {
    Outcome outcome;
    const Operation* row = FindOperation(asked.operation);
    Result<Request> request = RequestFromJson(*row, Filled(asked.json));
    if (!request) {
      ADD_FAILURE() << asked.operation << ": " << request.error().message;
      return outcome;
    }
    EXPECT_TRUE(request->Set("max_seconds", 1.0));
    EXPECT_TRUE(request->Set("max_bytes", bytes));
    const Access access = row->AccessFor(*request);
    const bool reads = access == Access::kRead || access == Access::kPreview;
    if (!reads) reader_.reset();
    for (const char* made : {"backup", "restored", "repaired"})
      std::filesystem::remove_all(Path(made));
    std::unique_ptr<Workspace> own;
    if (!reads || !reader_) {
      WorkspaceOptions options;
      options.directory = Directory(*row);
      options.access = access;
      options.clock_ms = kEveryRowNow;
      options.threads = 1;
      auto opened = Workspace::Open(options);
      if (!opened) {
        ADD_FAILURE() << asked.operation << ": " << opened.error().message;
        return outcome;
      }
      (reads ? reader_ : own) = *std::move(opened);
    }
    Workspace& workspace = reads ? *reader_ : *own;
    CountedClock::ExpireAfter(looks);
    Result<Reply> reply = Answer(workspace, *request);
    if (!reply) {
      outcome.error = reply.error();
    } else {
      std::ostringstream text;
      if (reply->stream && !reply->members) {
        if (const Status written = reply->stream(text); !written) outcome.error = written.error();
      } else {
        JsonWriter json(text);
        WriteReply(*reply, {}, json);
      }
      outcome.text = std::move(text).str();
      outcome.truncated = reply->truncated;
    }
    // Of the moment it is asked in, not of the graph.
    if (const auto process = outcome.text.find(",\"process\":{"); process != std::string::npos)
      outcome.text.erase(process, outcome.text.find('}', process) + 1 - process);
    outcome.looked = CountedClock::looked();
    CountedClock::ExpireAfter(CountedClock::kNever);
    if (own) {
      const Status closed = own->Close();
      EXPECT_TRUE(closed) << asked.operation;
    }
    if (row->name == "backup") reader_.reset();  // it closes what it has copied
    return outcome;
  }

  static Sequence LastSequence() {
    const auto text = Ask({"stats", "{}"}).text;
    return boost::json::parse(text).as_object().at("sequence").to_number<Sequence>();
  }

  static inline testing::TempDir* scratch_ = nullptr;
  static inline std::unique_ptr<Workspace> reader_;
};

TEST_F(LimitsTest, EveryRowIsAsked) {
  std::set<std::string> asked;
  for (const RowRequest& request : EveryRow()) asked.insert(request.operation);
  for (const Operation& row : AllOperations()) EXPECT_TRUE(asked.contains(row.name)) << row.name;
}

TEST_F(LimitsTest, NoneIsEmpty) {
  for (const Operation& row : AllOperations()) {
    const Limits limits = LimitsOf(row);
    for (const std::string& limit : {limits.time, limits.reply, limits.memory, limits.scope})
      EXPECT_FALSE(limit.empty()) << row.name;
  }
}

// A reply that is cut is whole JSON, says so, and is longer than its limit by an element.
TEST_F(LimitsTest, RepliesEnd) {
  constexpr std::uint64_t kBytes = 300, kElement = 4'096;
  for (const RowRequest& request : EveryRow()) {
    SCOPED_TRACE(request.operation + " " + request.json);
    const Operation& row = *FindOperation(request.operation);
    if (row.effect != Effect::kRead || row.group == "Care" || row.name == "schema") continue;
    const Outcome whole = Ask(request);
    if (whole.error || row.name == "export") continue;
    const Outcome cut = Ask(request, CountedClock::kNever, kBytes);
    ASSERT_FALSE(cut.error) << cut.error->message;
    boost::system::error_code failed;
    (void)boost::json::parse(cut.text, failed);
    EXPECT_FALSE(failed) << cut.text;
    if (whole.text.size() > kBytes + kElement) {
      EXPECT_TRUE(cut.truncated);
      EXPECT_LT(cut.text.size(), kBytes + kElement);
      EXPECT_NE(cut.text.find("\"truncated\":true"), std::string::npos) << cut.text;
    }
  }
}

// The clock is looked at all along: wherever the time is up, the end is near.
TEST_F(LimitsTest, EveryRowHearsTheClock) {
  constexpr std::uint64_t kSoon = 64;
  for (const RowRequest& request : EveryRow()) {
    SCOPED_TRACE(request.operation + " " + request.json);
    const Operation& row = *FindOperation(request.operation);
    const bool writes =
        row.effect != Effect::kRead || request.json.find("commit") != std::string::npos;
    const Sequence before = writes && row.group != "Care" ? LastSequence() : 0;
    std::uint64_t all = 2;
    std::string all_of_it;
    if (!writes) {
      const Outcome whole = Ask(request);
      EXPECT_FALSE(whole.error) << whole.error->message;
      all = whole.looked;
      all_of_it = whole.text;
    }
    const bool is_short = !ShortWork(row.name).empty();
    for (const std::uint64_t looks : {std::uint64_t{1}, std::uint64_t{2}, all / 2}) {
      const Outcome late = Ask(request, looks);
      EXPECT_LE(late.looked, looks + kSoon) << "of " << all;
      if (looks == 1) {
        EXPECT_EQ(late.cut_short(), !is_short);
      }
      // It was done by then, or says of a part of it that it was not.
      if (!writes && !late.cut_short() && late.text.find("_truncated\":true") == late.text.npos) {
        EXPECT_EQ(late.text, all_of_it) << looks << " of " << all;
      }
      if (late.error) {
        EXPECT_TRUE(late.error->code == ErrorCode::kResourceExhausted ||
                    late.error->code == ErrorCode::kFailedPrecondition)
            << late.error->message;
      }
      if (writes && row.group != "Care" && late.cut_short() && !kByBatches.contains(row.name)) {
        EXPECT_EQ(LastSequence(), before);
      }
    }
    if (writes) {
      const Outcome whole = Ask(request);
      EXPECT_FALSE(whole.error) << whole.error->message;
    }
  }
}

// Wherever it ends, nothing of it is in.
TEST_F(LimitsTest, ADryRunLeavesNothing) {
  const RowRequest dry = {"import", R"({"files":["DIR/all.jsonl"],"dry_run":true})"};
  const std::uint64_t all = Ask(dry).looked;
  for (std::uint64_t looks = 1; looks < all; ++looks) {
    const Outcome late = Ask(dry, looks);
    if (late.error) {
      EXPECT_NE(late.error->message.find("nothing was imported"), std::string::npos)
          << looks << ": " << late.error->message;
    }
  }
}

}  // namespace
}  // namespace plexus::tools
