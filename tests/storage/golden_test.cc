// Files of every released format version still open, verify and say the same.
//
// tests/golden/v1 holds a database written by the first version (storage_child
// golden), what it showed then, and the schemas as they were.
#include <cstdlib>
#include <filesystem>

#include "tests/storage/store_test_util.h"

namespace plexus::storage::testing {
namespace {

std::string Golden(const std::string& name) { return std::string(PLEXUS_GOLDEN) + "/" + name; }

TEST(Golden, VersionOneOpensAndShowsTheSame) {
  const std::string dump = ReadFile(Golden("v1/dump.txt"));
  ASSERT_FALSE(dump.empty());
  std::uint64_t bytes = 0;
  for (const std::string& path : FilesBelow(Golden("v1"))) bytes += ReadFile(path).size();
  EXPECT_LT(bytes, 200'000u);
  ScratchDirectory scratch;
  CopyTree(Golden("v1/db"), scratch.path());
  {
    auto reader = MustOpen(scratch.path(), ReadOnly());
    EXPECT_TRUE(reader->report().was_clean);
    EXPECT_EQ(Dump(reader->snapshot()), dump);
    auto report = reader->Verify();
    PLEXUS_OK(report);
    EXPECT_TRUE(report->ok) << report->problems[0].where << ": " << report->problems[0].what;
    for (Sequence s = 0; s <= reader->snapshot().sequence(); ++s) PLEXUS_OK(reader->AsOf(s));
  }
  // Written to and reopened, it goes on.
  auto db = MustOpen(scratch.path());
  const Sequence last = db->snapshot().sequence();
  ApplyScript(*db, last + 1, last + 3);
  const std::string after = Dump(db->snapshot());
  PLEXUS_OK(db->Close());
  EXPECT_EQ(Dump(MustOpen(scratch.path())->snapshot()), after);
}

TEST(Golden, SchemasConform) {
  for (const char* schema : {"common", "record", "checkpoint", "anchor"}) {
    const std::string command = std::string(PLEXUS_FLATC) + " --conform " + Golden("v1/schema/") +
                                schema + ".fbs " + PLEXUS_SOURCE_DIR + "/storage/" + schema + ".fbs";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
}

}  // namespace
}  // namespace plexus::storage::testing
