// A graph's folder may come from a stranger: whatever links and pipes stand at its names, nothing
// outside of it is read as the graph, written or removed, and nobody waits for a pipe.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "storage/base/plain_files.h"
#include "storage/encoding/anchor.h"
#include "storage/repair.h"
#include "tests/support/expected.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

namespace fs = std::filesystem;

// Somebody else's files.
class Canary {
 public:
  explicit Canary(const std::string& path) : path_(path) {
    fs::create_directories(path + "/below");
    WriteFile(path + "/file", "mine");
    WriteFile(path + "/below/file", "mine, too");
    before_ = Tree();
  }
  void ExpectIntact(const std::string& what) const { EXPECT_EQ(Tree(), before_) << what; }
  const std::string& path() const { return path_; }

 private:
  std::map<std::string, std::string> Tree() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(path_))
      found[entry.path()] = entry.is_regular_file() ? ReadFile(entry.path()) : "";
    return found;
  }
  std::string path_;
  std::map<std::string, std::string> before_;
};

void Plant(const std::string& kind, const std::string& at, const Canary& canary) {
  fs::remove_all(at);
  if (kind == "to a folder") fs::create_symlink(canary.path(), at);
  if (kind == "to a file") fs::create_symlink(canary.path() + "/file", at);
  if (kind == "to nothing") fs::create_symlink(canary.path() + "/new", at);
  if (kind == "hard") fs::create_hard_link(canary.path() + "/file", at);
  if (kind == "pipe") {
    ASSERT_EQ(mkfifo(at.c_str(), 0600), 0);
  }
}

constexpr const char* kKinds[] = {"to a folder", "to a file", "to nothing", "hard", "pipe"};

// All that opens, reads, writes or closes.
void UseAll(const std::string& directory) {
  if (auto db = Database::Open(directory, ReadOnly())) (void)(*db)->Verify();
  (void)Database::Restore(directory, directory + "-restored");
  (void)Repair(directory, directory + "-repaired");
  for (int i = 0; i < 2; ++i)
    if (auto db = Database::Open(directory, Create())) {
      for (const std::uint64_t batch : {11, 12}) (void)(*db)->graph().Apply(ScriptBatch(batch));
      (void)(*db)->Checkpoint();
      (void)(*db)->Trim(5);
      const NodeId nodes[] = {1};
      (void)(*db)->HardPurge(nodes);
      (void)(*db)->Close();
    }
  fs::remove_all(directory + "-restored");
  fs::remove_all(directory + "-repaired");
}

// Guards against every link at every name at once: a removal that follows links, a file that is
// made where a link leads, an opening that waits for a pipe.
TEST(PlainFiles, LinksOfEveryKindAtEveryName) {
  ScratchDirectory scratch;
  const Canary canary(scratch.path("canary"));
  {
    auto db = MustOpen(scratch.path("good"), Create());
    ApplyScript(*db, 1, 10);
    PLEXUS_OK(db->Close());
  }
  std::vector<std::string> names = {"anchor",           "anchor.tmp",    "lock",
                                    "generation-1",     "generation-2",  "generation-7",
                                    "generation-other", "bulk.tmp",      "checkpoint.tmp",
                                    "export.tmp",       "export.tmp.tmp"};
  for (const auto& entry : fs::directory_iterator(scratch.path("good") + "/generation-1"))
    names.push_back("generation-1/" + entry.path().filename().string());
  for (const char* name : {"000099.sst", "000099.log", "LOCK", "LOG", "CURRENT.dbtmp", "IDENTITY",
                           "MANIFEST-000099", "000099.dbtmp"})
    names.push_back(std::string("generation-1/") + name);
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t k = 0; k < std::size(kKinds); ++k) {
      // Half or a third of the pairs: each takes a while.
      const bool below = names[i].find('/') != std::string::npos;
      if ((i + k) % (below ? 3 : 2) != 0) continue;
      const std::string directory = scratch.path("g"), kind = kKinds[k];
      fs::copy(scratch.path("good"), directory, fs::copy_options::recursive);
      Plant(kind, directory + "/" + names[i], canary);
      UseAll(directory);
      canary.ExpectIntact(kind + " at " + names[i]);
      fs::remove_all(directory);
    }
}

// A folder with nothing but a link in it: no graph is made over it.
TEST(PlainFiles, AFolderThatOnlyHoldsALink) {
  ScratchDirectory scratch;
  const Canary canary(scratch.path("canary"));
  for (const std::string kind : kKinds) {
    const std::string directory = scratch.path("g");
    fs::create_directory(directory);
    Plant(kind, directory + "/generation-1", canary);
    UseAll(directory);
    canary.ExpectIntact(kind);
    fs::remove_all(directory);
  }
}

TEST(PlainFiles, RefusedByName) {
  ScratchDirectory scratch;
  const Canary canary(scratch.path("canary"));
  {
    auto db = MustOpen(scratch.path("good"), Create());
    ApplyScript(*db, 1, 3);
    PLEXUS_OK(db->Close());
  }
  for (const std::string name : {"anchor", "generation-1/CURRENT", "generation-1/IDENTITY"})
    for (const std::string kind : {"to a file", "pipe"}) {
      const std::string directory = scratch.path("g");
      fs::copy(scratch.path("good"), directory, fs::copy_options::recursive);
      Plant(kind, directory + "/" + name, canary);
      for (const OpenOptions& options : {ReadOnly(), Create()}) {
        EXPECT_TRUE(FailsWith(Database::Open(directory, options), ErrorCode::kFailedPrecondition,
                              directory + "/" + name))
            << name << kind;
      }
      fs::remove_all(directory);
    }
}

// Only names that are made here are removed: a folder that only looks like one stays.
TEST(PlainFiles, StraysOfOthersStay) {
  ScratchDirectory scratch;
  const std::string directory = scratch.path("g");
  { PLEXUS_OK(MustOpen(directory, Create())->Close()); }
  for (const char* name : {"generation-x", "generation-2b", "generation-", "generation-02"}) {
    fs::create_directory(directory + "/" + name);
    WriteFile(directory + "/" + name + "/file", "mine");
  }
  fs::create_directories(directory + "/generation-7/below");
  auto opened = Database::Open(directory, Create());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("generation-7/below"), std::string::npos);
  fs::remove(directory + "/generation-7/below");
  { PLEXUS_OK(MustOpen(directory, Create())->Close()); }
  EXPECT_FALSE(fs::exists(directory + "/generation-7"));
  for (const char* name : {"generation-x", "generation-2b", "generation-", "generation-02"})
    EXPECT_TRUE(fs::exists(directory + "/" + name + "/file")) << name;
}

TEST(PlainFiles, NothingIsCopiedIntoAGraph) {
  ScratchDirectory scratch;
  auto db = MustOpen(scratch.path("g"), Create());
  fs::create_symlink(scratch.path("g"), scratch.path("link"));
  for (const std::string to : {"g/inner", "g/generation-1/inner", "link/inner", "g/a/b/c"}) {
    EXPECT_TRUE(FailsWith(db->Backup(scratch.path(to)), ErrorCode::kInvalidArgument)) << to;
    EXPECT_FALSE(Repair(scratch.path("g"), scratch.path(to))) << to;
    EXPECT_FALSE(Database::Restore(scratch.path("g"), scratch.path(to))) << to;
  }
  for (const char* made : {"g/inner", "g/generation-1", "link/a/b"}) {
    EXPECT_TRUE(
        FailsWith(Database::Open(scratch.path(made), Create()), ErrorCode::kInvalidArgument))
        << made;
  }
  EXPECT_FALSE(fs::exists(scratch.path("g/inner")));
  EXPECT_EQ(Database::FolderAround(scratch.path("link/x")), fs::canonical(scratch.path("g")));
  EXPECT_EQ(Database::FolderAround(scratch.path("x")), "");
}

TEST(PlainFiles, NamesOfGenerations) {
  EXPECT_EQ(GenerationOf("generation-1"), 1u);
  EXPECT_EQ(GenerationOf("generation-18446744073709551615"), 18446744073709551615u);
  for (const char* name : {"generation-", "generation-0", "generation-01", "generation-1x",
                           "generation-18446744073709551616", "generation", "generation--1", ""})
    EXPECT_EQ(GenerationOf(name), 0u) << name;
}

}  // namespace
}  // namespace plexus::storage_internal::testing
