// Files of every released format version still open, verify and say the same.
//
// tests/golden/vN holds a database written by version N (storage_child golden), what it
// showed then, and the schemas as they were.
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "record_generated.h"
#include "storage/database_impl.h"
#include "storage/encoding/flatbuffer_util.h"
#include "storage/encoding/record_codec.h"
#include "storage/verify/verify.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

std::string Golden(const std::string& name) { return std::string(PLEXUS_GOLDEN) + "/" + name; }

void ExpectWhole(Database& db) {
  ExpectSound(db);
  const std::uint64_t before = std::exchange(arcs_of_part, 1);
  ExpectSound(db);  // in parts
  arcs_of_part = before;
  for (Sequence s = 0; s <= db.snapshot().sequence(); ++s) PLEXUS_OK(db.AsOf(s));
}

// `as`: the version whose dump it has; of 1 and 2, and of 6 to 9, the script is the same.
void OpensAndShowsTheSame(const std::string& version, const std::string& as) {
  const std::string dump = ReadFile(Golden(as + "/dump.txt"));
  ASSERT_FALSE(dump.empty());
  std::uint64_t bytes = 0;
  for (const std::string& path : FilesBelow(Golden(version))) bytes += ReadFile(path).size();
  EXPECT_LT(bytes, 200'000u);
  ScratchDirectory scratch;
  CopyTree(Golden(version + "/db"), scratch.path());
  {
    auto reader = MustOpen(scratch.path(), ReadOnly());
    EXPECT_TRUE(reader->report().was_clean);
    EXPECT_EQ(Dump(reader->snapshot()), dump);
    ExpectWhole(*reader);
  }
  // Written to and reopened, it goes on, with records of both versions in its log.
  OpenOptions with_tail;
  with_tail.checkpoint_on_close = CheckpointOnClose::kNever;
  auto db = MustOpen(scratch.path(), with_tail);
  const Sequence last = db->snapshot().sequence();
  ApplyScript(*db, last + 1, last + 3);
  std::string after = Dump(db->snapshot());
  PLEXUS_OK(db->Close());
  db = MustOpen(scratch.path(), with_tail);
  EXPECT_GE(db->report().replayed_records, 3u);
  EXPECT_EQ(Dump(db->snapshot()), after);
  ExpectWhole(*db);
  // And rewritten.
  const auto node = db->snapshot().Find("m5");
  ASSERT_TRUE(node);
  PLEXUS_OK(db->HardPurge(std::span(&*node, 1)));
  ExpectWhole(*db);
  after = Dump(db->snapshot());
  PLEXUS_OK(db->Close());
  EXPECT_EQ(Dump(MustOpen(scratch.path())->snapshot()), after);
}

TEST(Golden, OpenAndShowTheSame) {
  for (const auto& [version, as] :
       {std::pair("v1", "v1"), std::pair("v2", "v1"), std::pair("v6", "v6"), std::pair("v8", "v6"),
        std::pair("v9", "v6")}) {
    SCOPED_TRACE(version);
    OpensAndShowsTheSame(version, as);
  }
}

// The bytes of a record are promised, not only that they are read: this program writes the records
// of `version` from 2 on as they are. `seen`: versions of them.
void AreWrittenTheSame(const std::string& version, std::set<int>& seen) {
  ScratchDirectory scratch;
  CopyTree(Golden(version + "/db"), scratch.path());
  const auto files = std::make_shared<Files>();
  const auto anchor = Must(ReadAnchor(scratch.path(), *files));
  auto rocks = Must(Rocks::Open(GenerationPath(scratch.path(), anchor.generation),
                                Rocks::Mode::kReadOnly, files));
  std::unique_ptr<rocksdb::Iterator> it(rocks->db()->NewIterator(ScanOptions(), rocks->log()));
  std::uint64_t previous_hash = 0;
  int compared = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    auto decoded = Must(DecodeRecord(SliceBytes(it->value()), "record"));
    // Version 4 had a pre-filter that is read as none.
    for (VectorSpace& space : decoded.record.space_definitions)
      if (space.name.ends_with("bits")) space.prefilter = static_cast<Prefilter>(2);
    if (previous_hash != 0) {
      auto encoded = Must(EncodeRecord(decoded.record, decoded.payloads, previous_hash));
      EXPECT_TRUE(encoded.bytes == it->value().ToStringView())
          << "record " << decoded.head.sequence;
      ++compared;
      const AlignedView view(SliceBytes(it->value()));
      seen.insert(fb::GetRecord(view.bytes().data())->format_version());
    }
    previous_hash = decoded.head.running_hash;
  }
  EXPECT_GE(compared, 10);
}

TEST(Golden, RecordsAreWrittenTheSame) {
  std::set<int> two, six;
  AreWrittenTheSame("v2", two);
  EXPECT_TRUE(two.contains(2));
  AreWrittenTheSame("v6", six);
  for (const int version : {2, 3, 4, 5, 6}) EXPECT_TRUE(six.contains(version)) << version;
}

// A version's folder holds the schemas that it changed, and what they include.
TEST(Golden, SchemasConform) {
  int compared = 0;
  for (const std::string& path : FilesBelow(PLEXUS_GOLDEN)) {
    if (!path.ends_with(".fbs")) continue;
    const std::string command = std::string(PLEXUS_FLATC) + " --conform " + path + " " +
                                PLEXUS_SOURCE_DIR + "/storage/encoding" +
                                path.substr(path.rfind('/'));
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    ++compared;
  }
  EXPECT_GE(compared, 11);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
