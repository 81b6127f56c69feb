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
#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

namespace fs = std::filesystem;

class MaintenanceCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Run({"link", "a", "knows", "b"}).code, 0);
    ASSERT_EQ(Run({"link", "b", "knows", "c"}).code, 0);
    ASSERT_EQ(Run({"link", "c", "knows", "d"}).code, 0);
  }
  std::string Db() const { return dir_ / "g"; }
  Finished Run(std::vector<std::string> arguments, const RunOptions& options = {}) {
    arguments.insert(arguments.end(), {"--db", Db(), "--quiet"});
    return Plexus(arguments, options);
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
  TempDir dir_;
};

TEST_F(MaintenanceCommands, CompactAndCheckpointKeepEverything) {
  const std::string before = Run({"export"}).out;
  EXPECT_EQ(Run({"checkpoint", "--json"}).Json().at("sequence").to_number<int>(), 3);
  EXPECT_EQ(Run({"compact", "--json"}).Json().at("sequence").to_number<int>(), 3);
  EXPECT_EQ(Run({"export"}).out, before);
  EXPECT_EQ(Run({"verify"}).code, 0);
}

TEST_F(MaintenanceCommands, DamageIsWorkedRoundOrRepaired) {
  const std::string before = Run({"export"}).out;
  ASSERT_EQ(Run({"checkpoint"}).code, 0);
  std::uint64_t warned = 0, refused = 0;
  int number = 0;
  for (const auto& [path, bytes] : Files()) {
    if (bytes.empty() || !(path.ends_with(".sst") || path.ends_with(".log"))) continue;
    std::string hurt = bytes;
    hurt[hurt.size() / 3] = static_cast<char>(hurt[hurt.size() / 3] ^ 1);
    std::ofstream(path, std::ios::binary) << hurt;
    const Finished got = Run({"get", "a", "--json"});
    if (got.code == 0) {
      EXPECT_NE(got.err.find("warning: checkpoint"), std::string::npos) << got.err;
      EXPECT_EQ(got.Json().at("warnings").as_array().size(), 1u);
      EXPECT_EQ(Run({"export"}).out, before);
      ++warned;
    } else {
      EXPECT_EQ(got.code, 4) << got.err;
      EXPECT_NE(got.err.find("plexus repair --db"), std::string::npos) << got.err;
      ++refused;
    }
    EXPECT_EQ(Run({"get", "a", "--strict"}).code, 4);
    EXPECT_EQ(Run({"verify"}).code, 4);
    const std::string made = dir_ / ("made" + std::to_string(++number));
    const Finished repaired = Run({"repair", "--to", made, "--json"});
    EXPECT_EQ(repaired.code, repaired.Json().at("complete").as_bool() ? 0 : 4) << repaired.err;
    EXPECT_EQ(Plexus({"verify", "--db", made, "--quiet"}).code, 0);
    if (repaired.code == 0) {
      EXPECT_EQ(Plexus({"export", "--db", made, "--quiet"}).out, before);
    }
    std::ofstream(path, std::ios::binary) << bytes;
  }
  EXPECT_GT(warned, 0u);
  EXPECT_GT(refused, 0u);
  EXPECT_EQ(Run({"repair", "--to", dir_ / "made1"}).code, 1) << "it exists";
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
  EXPECT_EQ(read.Json().at("edges").to_number<int>(), 3);
  const Finished write = Run({"link", "x", "knows", "y"}, options);
  EXPECT_EQ(write.code, 1) << write.err;
  EXPECT_TRUE(write.err.starts_with("plexus: error: ")) << write.err;
  for (const auto& entry : fs::recursive_directory_iterator(Db()))
    if (entry.is_directory()) fs::permissions(entry.path(), fs::perms(0755));
  fs::permissions(Db(), fs::perms(0755));
  EXPECT_EQ(Run({"stats", "--json"}).Json().at("edges").to_number<int>(), 3);
}

TEST_F(MaintenanceCommands, AWriterLocksOutWritersButNotReaders) {
  auto database = Database::Open(Db(), {});
  ASSERT_TRUE(database) << database.error().message;
  const Finished write = Run({"link", "x", "knows", "y", "--wait", "0.05"});
  EXPECT_EQ(write.code, 5) << write.err;
  EXPECT_NE(write.err.find(std::to_string(getpid())), std::string::npos)
      << write.err;  // the holder
  WriteBatch batch(1);
  batch.Link(batch.Node("d"), batch.EdgeKindNamed("knows"), batch.Node("e"));
  ASSERT_TRUE((*database)->graph().Apply(batch));
  const Finished read = Run({"stats", "--json"});
  EXPECT_EQ(read.code, 0) << read.err;
  EXPECT_EQ(read.Json().at("edges").to_number<int>(), 4);
  ASSERT_TRUE((*database)->Close());
  EXPECT_EQ(Run({"link", "x", "knows", "y"}).code, 0);
}

TEST_F(MaintenanceCommands, VerifyReportsWhatItChecked) {
  const auto reply = Run({"verify", "--json"}).Json();
  EXPECT_TRUE(reply.at("ok").as_bool());
  EXPECT_EQ(reply.at("checked").as_object().at("records").to_number<int>(), 3);
  EXPECT_TRUE(reply.at("problems").as_array().empty());
}

TEST_F(MaintenanceCommands, DamageExitsWith4AndIsNotServed) {
  // One flipped bit in every table file and log, each refused or harmless.
  int damaged = 0;
  EXPECT_EQ(Run({"checkpoint"}).code, 0);
  const std::string healthy = Run({"export"}).out;
  for (const auto& [path, bytes] : Files()) {
    if ((!path.ends_with(".sst") && !path.ends_with(".log")) || bytes.empty()) continue;
    std::string broken = bytes;
    broken[broken.size() / 3] = static_cast<char>(broken[broken.size() / 3] ^ 0x10);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << broken;
    const Finished verify = Run({"verify", "--json"});
    EXPECT_TRUE(verify.code == 0 || verify.code == 4) << path << ": " << verify.code << verify.err;
    if (verify.code == 4) {
      ++damaged;
      EXPECT_FALSE(verify.Json().at("ok").as_bool());
      EXPECT_FALSE(verify.Json().at("problems").as_array().empty());
    }
    const Finished read = Run({"export"});
    EXPECT_TRUE(read.code == 4 || (read.code == 0 && read.out == healthy))
        << path << ": " << read.code;
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  EXPECT_GT(damaged, 0);
  EXPECT_EQ(Run({"verify"}).code, 0);
}

TEST_F(MaintenanceCommands, TrimMovesTheFloorAndNamesIt) {
  EXPECT_EQ(Run({"stats", "--as-of", "1"}).code, 0);
  const auto reply = Run({"trim", "--before", "2", "--json"}).Json();
  EXPECT_EQ(reply.at("history_floor").to_number<int>(), 2);
  EXPECT_EQ(Run({"stats", "--as-of", "2"}).code, 0);
  const Finished below = Run({"stats", "--as-of", "1"});
  EXPECT_EQ(below.code, 3);
  EXPECT_NE(below.err.find('2'), std::string::npos) << below.err;
  EXPECT_EQ(Run({"stats", "--json"}).Json().at("edges").to_number<int>(), 3);
  EXPECT_EQ(Run({"trim", "--before", "99"}).code, 3);
}

TEST_F(MaintenanceCommands, BackupAndRestoreGiveTheSameGraph) {
  const std::string backup = dir_ / "backup", copy = dir_ / "copy";
  EXPECT_EQ(Run({"backup", "--to", backup, "--json"}).Json().at("sequence").to_number<int>(), 3);
  EXPECT_NE(Run({"backup", "--to", backup}).code, 0);  // never written over
  ASSERT_EQ(Run({"link", "later", "knows", "a"}).code, 0);
  const Finished restored = Plexus({"restore", "--db", copy, "--from", backup, "--json"});
  EXPECT_EQ(restored.code, 0) << restored.err;
  EXPECT_EQ(restored.Json().at("sequence").to_number<int>(), 3);
  EXPECT_EQ(Plexus({"export", "--db", copy}).out,
            Plexus({"export", "--db", Db(), "--as-of", "3"}).out);
  EXPECT_NE(Plexus({"restore", "--db", copy, "--from", backup}).code, 0);
  EXPECT_EQ(Plexus({"restore", "--db", dir_ / "other", "--from", dir_ / "none"}).code, 3);
  EXPECT_EQ(Plexus({"link", "--db", copy, "--quiet", "x", "knows", "y"}).code, 0);
}

// A database whose anchor is gone is damaged for every command: a nightly check looks for 4.
TEST(MissingAnchor, IsDamageForEveryCommand) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"put", "a", "--db", db}).code, 0);
  std::filesystem::remove(db + "/anchor");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"stats"}, {"verify"}, {"backup", "--to", dir / "b"}, {"put", "b"}, {"kinds"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--db", db});
    const Finished run = Plexus(all);
    EXPECT_EQ(run.code, 4) << words[0] << " " << run.err;
    EXPECT_NE((run.out + run.err).find("is missing beside an existing database"), std::string::npos)
        << words[0] << run.out << run.err;
  }
  EXPECT_EQ(Plexus({"stats", "--db", dir.path()}).code, 3);
}

}  // namespace
}  // namespace plexus::testing
