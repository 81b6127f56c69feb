// Ctrl-C: a long import stops between batches, nothing acknowledged is lost, and the
// import can simply be run again.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/tools/run_plexus.h"

namespace plexus::testing {
namespace {

constexpr int kEdges = 800'000;

std::string EdgeList(const TempDir& dir) {
  std::string text;
  text.reserve(std::size_t{kEdges} * 16);
  for (int i = 0; i < kEdges; ++i)
    text += "n" + std::to_string(i % 200'000) + " m" + std::to_string(i) + "\n";
  return dir.File("edges.el", text);
}

// Starts the import and sends `signals` interrupts once the graph's directory is
// there and a while has passed; the exit code.
int Interrupted(const std::string& db, const std::string& file, int signals,
                std::chrono::milliseconds after) {
  Background import({"import", "--db", db, file});
  while (import.Running() && !std::filesystem::exists(db))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(after);
  for (int i = 0; i < signals; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // two, not one merged
    import.Signal(SIGINT);
  }
  return import.Wait();
}

// An interrupt may come before the work begins or after it ended: the wait is
// shortened or lengthened until one has hit it. Fails when none ever does.
void InterruptUntilHit(const TempDir& dir, const std::string& db, const std::string& file, int signals) {
  for (int wait_ms : {500, 300, 150, 750, 1000, 75, 30, 10}) {
    std::filesystem::remove_all(db);
    const int code = Interrupted(db, file, signals, std::chrono::milliseconds(wait_ms));
    if (code == 0) continue;  // was done already
    ASSERT_EQ(code, 130);
    if (Plexus({"stats", "--db", db}).code == 0) return;
  }
  FAIL() << "no interrupt hit the import in " << dir.path();
}

TEST(Interrupt, AnImportStopsCleanlyAndGoesOnWhenRunAgain) {
  const TempDir dir;
  const std::string db = dir / "g", file = EdgeList(dir);
  InterruptUntilHit(dir, db, file, 1);
  const Finished verify = Plexus({"verify", "--db", db, "--json"});
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
  const int kept = Plexus({"stats", "--db", db, "--json"}).Json().at("edges").to_number<int>();
  EXPECT_LT(kept, kEdges);

  const auto again = Plexus({"import", "--db", db, "--json", file}).Json();
  EXPECT_EQ(again.at("edges").as_object().at("same").to_number<int>(), kept);
  EXPECT_EQ(again.at("edges").as_object().at("new").to_number<int>(), kEdges - kept);
  EXPECT_EQ(Plexus({"stats", "--db", db, "--json"}).Json().at("edges").to_number<int>(), kEdges);
}

TEST(Interrupt, ASecondOneEndsAtOnceAndTheGraphStillOpens) {
  const TempDir dir;
  const std::string db = dir / "g", file = EdgeList(dir);
  InterruptUntilHit(dir, db, file, 2);
  EXPECT_EQ(Plexus({"verify", "--db", db}).code, 0);
  EXPECT_EQ(Plexus({"import", "--db", db, file}).code, 0);
  EXPECT_EQ(Plexus({"stats", "--db", db, "--json"}).Json().at("edges").to_number<int>(), kEdges);
}

}  // namespace
}  // namespace plexus::testing
