// Ctrl-C: a long import stops between batches, nothing acknowledged is lost, and the
// import can simply be run again. The interrupts come at named points, not after a time.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

constexpr int kEdges = 500'000;

// Several blocks of a table that is applied batch by batch, as edges with authors are not loaded.
std::string Table(const TempDir& dir) {
  std::string text = "source,target,created_by\n";
  text.reserve(std::size_t{kEdges} * 22);
  for (int i = 0; i < kEdges; ++i)
    text += "source" + std::to_string(i % 50'000) + ",target" + std::to_string(i) + ",me\n";
  return dir.File("edges.csv", text);
}

// Runs with SIGINT at `point`, see tools/cli/signals.h.
Finished InterruptedAt(const char* point, const Words& arguments) {
  setenv("PLEXUS_TEST_INTERRUPT", point, 1);
  const Finished run = PlexusProcess(arguments);
  unsetenv("PLEXUS_TEST_INTERRUPT");
  return run;
}

int Edges(const std::string& db) {
  return Plexus({"stats", "--db", db, "--json"}).Json().at("edges").to_number<int>();
}

TEST(Interrupt, AnImportStopsCleanlyAndGoesOnWhenRunAgain) {
  const TempDir dir;
  const std::string db = dir / "g", file = Table(dir);
  EXPECT_TRUE(Ends(InterruptedAt("importing:1", {"import", "--db", db, file}), 130,
                   " % is in; run the same import again"));
  EXPECT_TRUE(Ends(Plexus({"verify", "--db", db, "--json"}), 0));
  const int kept = Edges(db);
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, kEdges);

  const auto again = Plexus({"import", "--db", db, "--json", file}).Json();
  EXPECT_EQ(again.at("edges").at("same"), kept);
  EXPECT_EQ(again.at("edges").at("new"), kEdges - kept);
  EXPECT_EQ(Edges(db), kEdges);
}

TEST(Interrupt, ASecondOneEndsAtOnceAndTheGraphStillOpens) {
  const TempDir dir;
  const std::string db = dir / "g", file = Table(dir);
  EXPECT_EQ(InterruptedAt("importing:1:2", {"import", "--db", db, file}).code, 130);
  EXPECT_EQ(Plexus({"verify", "--db", db}).code, 0);
  EXPECT_EQ(Plexus({"import", "--db", db, file}).code, 0);
  EXPECT_EQ(Edges(db), kEdges);
}

TEST(Interrupt, AFirstImportThatChangedNothingLeavesNoGraph) {
  const TempDir dir;
  const std::string db = dir / "g", file = Table(dir);
  EXPECT_EQ(InterruptedAt("checking:1", {"import", "--db", db, file}).code, 130);
  EXPECT_FALSE(std::filesystem::exists(db));
}

// Plain edges, which are loaded at once: at each phase, asked to stop and ended at once.
TEST(Interrupt, ALoadLeavesTheGraphAsItWasOrGoesOn) {
  constexpr int kPlain = 60'000;
  for (const std::string name : {"edges.el", "edges.csv"})
    for (const char* point : {"checking:1", "writing:1"})
      for (const char* signals : {"", ":2"}) {
        SCOPED_TRACE(name + " " + point + signals);
        const TempDir dir;
        const char mark = name == "edges.el" ? ' ' : ',';
        std::string text = mark == ' ' ? "" : "source,target\n";
        for (int i = 0; i < kPlain; ++i)
          text += std::to_string(i % 900) + mark + std::to_string(i) + "\n";
        const std::string db = dir / "g", file = dir.File(name, text);
        const std::string at = point + std::string(signals);
        EXPECT_EQ(InterruptedAt(at.c_str(), {"import", "--db", db, file}).code, 130);
        if (std::filesystem::exists(db)) {
          EXPECT_EQ(Plexus({"verify", "--db", db}).code, 0);
          const int kept = Edges(db);
          EXPECT_TRUE(kept == 0 || kept == kPlain) << kept;
        }
        EXPECT_EQ(Plexus({"import", "--db", db, file}).code, 0);
        EXPECT_EQ(Edges(db), kPlain);
      }
}

// A pipe that nobody opens for writing: whoever waits for it can be asked to stop.
TEST(Interrupt, AnImportThatWaitsForAPipeStops) {
  const TempDir dir;
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(Ends(InterruptedAt("waiting:1", {"import", "--db", dir / "g", dir / "pipe"}), 130));
  EXPECT_FALSE(std::filesystem::exists(dir / "g"));
}

}  // namespace
}  // namespace plexus::testing
