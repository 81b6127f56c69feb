// Writers wait for one another, readers and backups for nobody.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "storage/database.h"
#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

TEST(Wait, TwelveLinksAtOnceAllSucceed) {
  TempDir dir;
  const std::string db = dir / "g";
  std::vector<std::unique_ptr<Background>> links;
  for (int i = 0; i < 12; ++i)
    links.push_back(std::make_unique<Background>(
        Words{"link", "a" + std::to_string(i), "knows", "b", "--db", db, "--wait", "120"}));
  for (const auto& link : links) EXPECT_EQ(link->Wait(), 0);
  const Finished stats = Plexus({"stats", "--db", db, "--json"});
  EXPECT_EQ(stats.Json().at("edges"), 12);
  EXPECT_EQ(stats.Json().at("sequence"), 12);
}

TEST(Wait, ZeroDoesNotWaitAndTheHolderIsNamed) {
  TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"link", "a", "knows", "b", "--db", db}).code, 0);
  auto holder = Database::Open(db, {});
  ASSERT_TRUE(holder) << holder.error().message;
  for (const char* seconds : {"0", "0.1"}) {
    EXPECT_TRUE(Ends(PlexusProcess({"link", "a", "knows", "c", "--db", db, "--wait", seconds}), 5,
                     "process " + std::to_string(getpid())));
  }
  for (const char* wrong : {"-1", "x", "nan", "2000000", ""})
    EXPECT_EQ(
        PlexusProcess({"link", "a", "knows", "c", "--db", db, std::string("--wait=") + wrong}).code,
        2)
        << wrong;
  // One that waits takes its turn when the holder is done, and Ctrl-C ends it before.
  Background stopped({"link", "a", "knows", "c", "--db", db, "--wait", "600"});
  Background patient({"link", "a", "knows", "d", "--db", db, "--wait", "600"});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_TRUE(stopped.Running());
  stopped.Signal(SIGINT);
  EXPECT_EQ(stopped.Wait(), 128 + 2);
  EXPECT_TRUE(patient.Running());
  ASSERT_TRUE((*holder)->Close());
  EXPECT_EQ(patient.Wait(), 0);
  EXPECT_EQ(Plexus({"stats", "--db", db, "--json"}).Json().at("edges"), 2);
}

TEST(Wait, ABackupNeedsNoTurn) {
  TempDir dir;
  const std::string db = dir / "g", copy = dir / "copy";
  ASSERT_EQ(Plexus({"link", "a", "knows", "b", "--db", db}).code, 0);
  auto holder = Database::Open(db, {});
  ASSERT_TRUE(holder) << holder.error().message;
  WriteBatch batch(1);
  batch.Link(batch.Node("b"), batch.EdgeKindNamed("knows"), batch.Node("c"));
  ASSERT_TRUE((*holder)->graph().Apply(batch));
  const Finished made =
      PlexusProcess({"backup", "--db", db, "--to", copy, "--json", "--wait", "0"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.Json().at("sequence"), 2);
  ASSERT_TRUE((*holder)->Close());
  EXPECT_EQ(Plexus({"stats", "--db", copy, "--json"}).Json().at("edges"), 2);
  EXPECT_EQ(Plexus({"restore", "--db", dir / "again", "--from", copy}).code, 0);
  // A copy that cannot be made leaves no folder.
  EXPECT_NE(Plexus({"backup", "--db", db, "--to", dir / "no" + std::string("/such/folder")}).code,
            0);
  EXPECT_EQ(Plexus({"backup", "--db", dir / "none", "--to", dir / "empty"}).code, 3);
  EXPECT_FALSE(std::filesystem::exists(dir / "empty"));
}

}  // namespace
}  // namespace plexus::testing
