// Care: compact, checkpoint, verify, trim, backup, restore; locks, rights, damage.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "storage/database.h"
#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

namespace fs = std::filesystem;

class MaintenanceCommands : public ProgramTest {
 protected:
  void SetUp() override {
    always_ = {"--quiet"};
    for (const auto& [from, to] : {std::pair{"a", "b"}, {"b", "c"}, {"c", "d"}})
      ASSERT_EQ(Run({"link", from, "knows", to}).code, 0);
  }
  // Every file with its bytes.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(Db())) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      files[entry.path().string()] = std::string((std::istreambuf_iterator<char>(in)), {});
    }
    return files;
  }
};

TEST_F(MaintenanceCommands, CompactAndCheckpointKeepEverything) {
  const std::string before = Run({"export"}).out;
  EXPECT_EQ(Json({"checkpoint"}).at("sequence"), 3);
  EXPECT_EQ(Json({"compact"}).at("sequence"), 3);
  EXPECT_EQ(Run({"export"}).out, before);
  EXPECT_EQ(Run({"verify"}).code, 0);
}

TEST_F(MaintenanceCommands, ReadingWritesNothing) {
  const auto before = Files();
  for (const char* command : {"stats", "kinds", "pagerank", "components", "export", "verify"})
    EXPECT_EQ(Run({command}).code, 0) << command;
  EXPECT_EQ(Run({"get", "a", "--as-of", "1"}).code, 0);
  EXPECT_EQ(Files(), before);
}

TEST_F(MaintenanceCommands, ReadingNeedsNoRightToWrite) {
  fs::permissions(dir_.path(), fs::perms(0755));
  for (const auto& entry : fs::recursive_directory_iterator(Db()))
    fs::permissions(entry.path(), entry.is_directory() ? fs::perms(0555) : fs::perms(0444));
  fs::permissions(Db(), fs::perms(0555));
  RunOptions options;
  options.as_nobody = geteuid() == 0;
  const Finished read = Run({"stats", "--json"}, options);
  EXPECT_EQ(read.code, 0) << read.err;
  EXPECT_EQ(read.Json().at("edges"), 3);
  const Finished write = Run({"link", "x", "knows", "y"}, options);
  EXPECT_EQ(write.code, 1) << write.err;
  EXPECT_TRUE(write.err.starts_with("plexus: error: ")) << write.err;
  for (const auto& entry : fs::recursive_directory_iterator(Db()))
    if (entry.is_directory()) fs::permissions(entry.path(), fs::perms(0755));
  fs::permissions(Db(), fs::perms(0755));
  EXPECT_EQ(Json({"stats"}).at("edges"), 3);
}

TEST_F(MaintenanceCommands, AWriterLocksOutWritersButNotReaders) {
  auto database = Database::Open(Db(), {});
  ASSERT_TRUE(database) << database.error().message;
  EXPECT_TRUE(Ends(PlexusProcess({"link", "x", "knows", "y", "--wait", "0.05", "--db", Db()}), 5,
                   std::to_string(getpid())));  // the holder
  WriteBatch batch(1);
  batch.Link(batch.Node("d"), batch.EdgeKindNamed("knows"), batch.Node("e"));
  ASSERT_TRUE((*database)->graph().Apply(batch));
  const Finished read = PlexusProcess({"stats", "--json", "--db", Db()});
  EXPECT_EQ(read.code, 0) << read.err;
  EXPECT_EQ(read.Json().at("edges"), 4);
  ASSERT_TRUE((*database)->Close());
  EXPECT_EQ(Run({"link", "x", "knows", "y"}).code, 0);
}

TEST_F(MaintenanceCommands, VerifyReportsWhatItChecked) {
  const auto reply = Json({"verify"});
  EXPECT_TRUE(reply.at("ok").as_bool());
  EXPECT_EQ(reply.at("checked").at("records"), 3);
  EXPECT_TRUE(reply.at("problems").as_array().empty());
}

TEST_F(MaintenanceCommands, DamageIsWorkedRoundOrRefusedAndRepaired) {
  const std::string before = Run({"export"}).out;
  ASSERT_EQ(Run({"checkpoint"}).code, 0);
  int warned = 0, refused = 0;
  for (const auto& [path, bytes] : Files()) {
    if (bytes.empty() || !(path.ends_with(".sst") || path.ends_with(".log"))) continue;
    std::string hurt = bytes;
    hurt[hurt.size() / 3] = static_cast<char>(hurt[hurt.size() / 3] ^ 1);
    std::ofstream(path, std::ios::binary) << hurt;
    const Finished got = Run({"get", "a", "--json"});
    if (got.code == 0) {
      EXPECT_TRUE(Says(got.err, "warning: checkpoint"));
      EXPECT_EQ(got.Json().at("warnings").as_array().size(), 1u);
      EXPECT_EQ(Run({"export"}).out, before);
      ++warned;
    } else {
      EXPECT_TRUE(Ends(got, 4, "plexus repair --db"));
      ++refused;
    }
    EXPECT_EQ(Run({"get", "a", "--strict"}).code, 4);
    const Finished verify = Run({"verify", "--json"});
    EXPECT_EQ(verify.code, 4) << path;
    EXPECT_FALSE(verify.Json().at("ok").as_bool());
    EXPECT_FALSE(verify.Json().at("problems").as_array().empty());
    const std::string made = dir_ / ("made" + std::to_string(warned + refused));
    const Finished repaired = Run({"repair", "--to", made, "--json"});
    EXPECT_TRUE(Ends(repaired, repaired.Json().at("complete").as_bool() ? 0 : 4));
    EXPECT_EQ(Plexus({"verify", "--db", made, "--quiet"}).code, 0);
    if (repaired.code == 0) {
      EXPECT_EQ(Plexus({"export", "--db", made, "--quiet"}).out, before);
    }
    std::ofstream(path, std::ios::binary) << bytes;
  }
  EXPECT_GT(warned, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(Run({"verify"}).code, 0);
  EXPECT_EQ(Run({"repair", "--to", dir_ / "made1"}).code, 1) << "it exists";
}

TEST_F(MaintenanceCommands, TrimMovesTheFloorAndNamesIt) {
  EXPECT_EQ(Run({"stats", "--as-of", "1"}).code, 0);
  const auto reply = Json({"trim", "--before", "2"});
  EXPECT_EQ(reply.at("history_floor"), 2);
  EXPECT_EQ(Run({"stats", "--as-of", "2"}).code, 0);
  EXPECT_TRUE(Ends(Run({"stats", "--as-of", "1"}), 3, "2"));
  EXPECT_EQ(Json({"stats"}).at("edges"), 3);
  EXPECT_EQ(Run({"trim", "--before", "99"}).code, 3);
}

TEST_F(MaintenanceCommands, BackupAndRestoreGiveTheSameGraph) {
  const std::string backup = dir_ / "backup", copy = dir_ / "copy";
  EXPECT_EQ(Json({"backup", "--to", backup}).at("sequence"), 3);
  EXPECT_NE(Run({"backup", "--to", backup}).code, 0);  // never written over
  ASSERT_EQ(Run({"link", "later", "knows", "a"}).code, 0);
  const Finished restored = Plexus({"restore", "--db", copy, "--from", backup, "--json"});
  EXPECT_EQ(restored.code, 0) << restored.err;
  EXPECT_EQ(restored.Json().at("sequence"), 3);
  EXPECT_EQ(Plexus({"export", "--db", copy}).out, Run({"export", "--as-of", "3"}).out);
  EXPECT_NE(Plexus({"restore", "--db", copy, "--from", backup}).code, 0);
  EXPECT_EQ(Plexus({"restore", "--db", dir_ / "other", "--from", dir_ / "none"}).code, 3);
  EXPECT_EQ(Plexus({"link", "--db", copy, "--quiet", "x", "knows", "y"}).code, 0);
}

class MissingAnchor : public ProgramTest {};

// A database whose anchor is gone is damaged for every command: a nightly check looks for 4.
TEST_F(MissingAnchor, IsDamageForEveryCommand) {
  ASSERT_EQ(Run({"put", "a"}).code, 0);
  std::filesystem::remove(db_ + "/anchor");
  for (const Words& words : std::vector<Words>{
           {"stats"}, {"verify"}, {"backup", "--to", dir_ / "b"}, {"put", "b"}, {"kinds"}}) {
    Words all = words;

    const Finished run = Run(all);
    EXPECT_EQ(run.code, 4) << words[0] << " " << run.err;
    EXPECT_TRUE(Says(run.out + run.err, "is missing beside an existing database")) << words[0];
  }
  EXPECT_EQ(Plexus({"stats", "--db", dir_.path()}).code, 3);
}

}  // namespace
}  // namespace plexus::testing
