// KeptWriter: one opening serves many lines, and no other process waits in vain.
#include "tools/cli/shell/kept_writer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "storage/database.h"
#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using tools::Access;
using tools::KeptWriter;
using tools::Workspace;

class KeptWriterTest : public ::testing::Test {
 protected:
  // Opens the graph, and counts.
  KeptWriter::Open Opener() {
    return [this]() -> Result<std::unique_ptr<Workspace>> {
      ++opened_;
      tools::WorkspaceOptions options;
      options.directory = db_;
      options.access = Access::kCreate;
      options.one_request = false;
      options.lock_wait_ms = 60'000;
      return Workspace::Open(options);
    };
  }
  // The sequence after one more batch.
  Sequence Write(KeptWriter& writer, std::int64_t time_ms) {
    auto use = writer.Ready(Opener());
    EXPECT_TRUE(use) << use.error().message;
    WriteBatch batch(time_ms);
    (void)batch.UpsertNode("n" + std::to_string(time_ms));
    return (*use)->graph().Apply(batch).value().sequence;
  }
  // As another process does: an opening of its own, which waits.
  Sequence WriteElsewhere(std::int64_t wait_ms) const {
    OpenOptions options;
    options.lock_wait_ms = wait_ms;
    auto other = Database::Open(db_, options);
    if (!other) return 0;
    WriteBatch batch(9);
    (void)batch.UpsertNode("elsewhere");
    const Sequence sequence = (*other)->graph().Apply(batch).value().sequence;
    EXPECT_TRUE((*other)->Close());
    return sequence;
  }

  TempDir dir_;
  std::string db_ = dir_ / "g";
  int opened_ = 0;
};

TEST_F(KeptWriterTest, OneOpeningServesManyLines) {
  KeptWriter writer({.idle = hours(1), .yields = hours(1), .in_row = hours(1)});
  EXPECT_FALSE(writer.IfOpen());
  for (int i = 1; i <= 20; ++i) {
    EXPECT_EQ(Write(writer, i), static_cast<Sequence>(i));
    EXPECT_TRUE(writer.IfOpen());
  }
  EXPECT_EQ(opened_, 1);
  EXPECT_EQ(WriteElsewhere(50), 0u) << "it is open";
  EXPECT_TRUE(writer.Close());
  EXPECT_FALSE(writer.IfOpen());
  EXPECT_EQ(WriteElsewhere(0), 21u);
  EXPECT_EQ(Write(writer, 22), 22u);
  EXPECT_EQ(opened_, 2);
}

TEST_F(KeptWriterTest, WhoWaitsGetsWhatNobodyUses) {
  KeptWriter writer({.idle = hours(1), .yields = milliseconds(0), .in_row = hours(1)});
  Write(writer, 1);
  EXPECT_EQ(WriteElsewhere(60'000), 2u);
  EXPECT_FALSE(writer.IfOpen());
  EXPECT_TRUE(writer.Close());
}

TEST_F(KeptWriterTest, WhoWaitsGetsItAfterManyLinesInARow) {
  KeptWriter writer({.idle = hours(1), .yields = hours(1), .in_row = milliseconds(0)});
  Write(writer, 1);
  Sequence elsewhere = 0;
  std::thread other([&] { elsewhere = WriteElsewhere(60'000); });
  for (std::int64_t time = 10; opened_ == 1; ++time) Write(writer, time);
  other.join();
  EXPECT_GT(elsewhere, 1u);
  EXPECT_EQ(opened_, 2);
}

TEST_F(KeptWriterTest, WithoutAUseItIsClosed) {
  KeptWriter writer({.idle = milliseconds(0), .yields = hours(1), .in_row = hours(1)});
  Write(writer, 1);
  while (writer.IfOpen()) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(WriteElsewhere(0), 2u);
}

// A long question is no pause; but who waits need not wait for its end.
TEST_F(KeptWriterTest, ALineThatAsksKeepsIt) {
  KeptWriter writer({.idle = milliseconds(0), .yields = milliseconds(0), .in_row = hours(1)});
  const KeptWriter::Line asks(writer);
  Write(writer, 1);
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_TRUE(writer.IfOpen());
  EXPECT_EQ(WriteElsewhere(60'000), 2u);
  EXPECT_FALSE(writer.IfOpen());
}

TEST_F(KeptWriterTest, NothingIsClosedInUse) {
  KeptWriter writer({.idle = milliseconds(0), .yields = milliseconds(0), .in_row = hours(1)});
  Sequence elsewhere = 0;
  std::thread other;
  {
    auto use = writer.Ready(Opener());
    ASSERT_TRUE(use);
    other = std::thread([&] { elsewhere = WriteElsewhere(60'000); });
    while (!(*use)->Wanted()) std::this_thread::sleep_for(milliseconds(1));
    WriteBatch batch(1);
    (void)batch.UpsertNode("here");
    EXPECT_EQ((*use)->graph().Apply(batch).value().sequence, 1u);
  }
  other.join();
  EXPECT_EQ(elsewhere, 2u);
}

TEST_F(KeptWriterTest, AFailedCloseIsSaid) {
  KeptWriter writer({.idle = hours(1), .yields = hours(1), .in_row = hours(1)});
  Write(writer, 1);
  std::filesystem::rename(db_, dir_ / "elsewhere");
  const Status closed = writer.Close();
  ASSERT_FALSE(closed);
  EXPECT_TRUE(writer.Close());
}

// The error of a close by the thread is heard by the next who asks, once.
TEST_F(KeptWriterTest, AFailedCloseByTheThreadIsSaid) {
  for (const bool by_writing : {true, false}) {
    KeptWriter writer({.idle = milliseconds(0), .yields = hours(1), .in_row = hours(1)});
    const std::string moved = dir_ / (by_writing ? "first" : "second");
    {
      auto use = writer.Ready(Opener());
      ASSERT_TRUE(use);
      WriteBatch batch(1);
      (void)batch.UpsertNode("n");
      ASSERT_TRUE((*use)->graph().Apply(batch));
      std::filesystem::rename(db_, moved);
    }
    while (writer.IfOpen()) std::this_thread::sleep_for(milliseconds(1));
    if (by_writing) {
      EXPECT_FALSE(writer.Ready(Opener()));
    } else {
      EXPECT_FALSE(writer.TakeFailure());
    }
    EXPECT_TRUE(writer.TakeFailure());
    EXPECT_TRUE(writer.Close());
  }
}

TEST_F(KeptWriterTest, WhatDoesNotOpenIsNotKept) {
  KeptWriter writer;
  const auto refuse = []() -> Result<std::unique_ptr<Workspace>> {
    return Fail(ErrorCode::kLocked, "another writes");
  };
  const auto refused = writer.Ready(refuse);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLocked);
  const auto none = writer.Ready([]() -> Result<std::unique_ptr<Workspace>> { return nullptr; });
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

}  // namespace
}  // namespace plexus::testing
