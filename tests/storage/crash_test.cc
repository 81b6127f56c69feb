// Killed in the middle: every acknowledged batch is there, no half one, no gap.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "storage/encoding/record_codec.h"
#include "tests/support/child_process.h"
#include "tests/support/expected.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

// kill -9 while a child writes; PLEXUS_KILL_ROUNDS rounds (60 unless told).
TEST(Crash, KillLoop) {
  const std::uint64_t rounds = EnvNumber("PLEXUS_KILL_ROUNDS", 60);
  const std::uint64_t seed = EnvNumber("PLEXUS_SEED", 11);
  std::mt19937_64 random(seed);
  std::uint64_t acknowledged = 0, dropped_tails = 0, early = 0;
  std::unique_ptr<ScratchDirectory> scratch;
  std::unique_ptr<Expected> expected;
  Sequence acked = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round));
    if (round % 15 == 0) {  // a fresh database now and then: creation is killed too
      scratch = std::make_unique<ScratchDirectory>();
      expected = std::make_unique<Expected>(seed);
      acked = 0;
    }
    ChildProcess child({"write", scratch->path(), std::to_string(seed)});
    // Mostly while it writes; one time in five already while it opens.
    const bool opens = round % 5 == 4;
    if (!opens) child.ReadAcknowledgements(1 + random() % 40);
    child.ReadFor(std::chrono::microseconds(random() % (opens ? 40'000 : 4'000)));
    child.Kill();
    child.ReadAll();
    ASSERT_EQ(child.Wait(), 128 + 9);
    const Sequence last = std::max<Sequence>(acked, child.acknowledged());
    acknowledged += last - acked;
    early += child.acknowledged() == 0;
    auto db = Must(Database::Open(scratch->path(), Create()));
    acked = db->snapshot().sequence();
    ASSERT_GE(acked, last);
    ASSERT_EQ(DumpDigest(db->snapshot()), expected->At(acked));
    dropped_tails += db->report().tail_dropped;
    if (round % 10 == 0) ExpectSound(*db);
    if (round % 3 == 0) PLEXUS_OK(db->Close());  // else: as a crash leaves it
  }
  std::printf(
      "kill loop: %llu rounds, %llu acknowledged batches, 0 lost, %llu torn tails, "
      "%llu killed before the first batch\n",
      static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(acknowledged),
      static_cast<unsigned long long>(dropped_tails), static_cast<unsigned long long>(early));
}

// The named points of a life with bulk steps, checkpoints, trims and closes: a crash at each of
// them, where the life comes to it first and where last.
TEST(Crash, EveryPoint) {
  constexpr Sequence kLast = 16;
  const auto live = [&](const std::string& directory, std::uint64_t crash_at) {
    return ChildProcess({"crash", directory, std::to_string(crash_at), std::to_string(kLast)});
  };
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> points;
  {
    ScratchDirectory scratch;
    ChildProcess child = live(scratch.path(), 0);
    std::uint64_t n = 0;
    for (std::string line; child.ReadLine(&line);)
      if (line.starts_with("point ")) {
        ++n;
        points.try_emplace(line, n, n).first->second.second = n;
      }
    ASSERT_EQ(child.Wait(), 0);
  }
  EXPECT_GE(points.size(), 12u);
  Expected expected;
  for (const auto& [point, places] : points)
    for (const std::uint64_t n : std::set{places.first, places.second}) {
      SCOPED_TRACE(point + ", the life's point " + std::to_string(n));
      ScratchDirectory scratch;
      ChildProcess child = live(scratch.path(), n);
      child.ReadAll();
      ASSERT_EQ(child.Wait(), 9);
      auto db = Must(Database::Open(scratch.path(), Create()));
      const Sequence found = db->snapshot().sequence();
      ASSERT_GE(found, child.acknowledged());
      ASSERT_EQ(DumpDigest(db->snapshot()), expected.At(found));
      ExpectSound(*db);
      ApplyScript(*db, found + 1, found + 1);
      PLEXUS_OK(db->Close());
    }
}

// The records of a log, each with its payloads, as their bytes.
std::vector<std::string> Records(Database& db) {
  std::vector<std::string> records;
  Changes changes;
  do {
    auto got = db.ChangesSince(changes.next);
    EXPECT_TRUE(got.has_value()) << got.error().ToString();
    if (!got) return records;
    changes = *std::move(got);
    for (const Record& record : changes.records) {
      const auto encoded = EncodeRecord(record, 0);
      EXPECT_TRUE(encoded.has_value()) << encoded.error().ToString();
      records.push_back(encoded ? encoded->bytes : std::string());
    }
  } while (changes.has_more);
  return records;
}

// Writes the script, never far ahead of what the follower has acknowledged.
class GrowingSource {
 public:
  GrowingSource(const std::string& directory, std::uint64_t seed)
      : db_(MustOpen(directory, Create())),
        thread_([this, seed](const std::stop_token& stop) { Write(stop, seed); }) {}
  ~GrowingSource() { Stop(); }
  void Acknowledged(Sequence sequence) {
    acknowledged_ = sequence;
    acknowledged_.notify_all();
  }
  Database& Stop() {
    thread_.request_stop();
    Acknowledged(std::numeric_limits<Sequence>::max() / 2);
    if (thread_.joinable()) thread_.join();
    return *db_;
  }

 private:
  void Write(const std::stop_token& stop, std::uint64_t seed) {
    for (std::uint64_t i = 1; !stop.stop_requested();) {
      const Sequence acknowledged = acknowledged_;
      if (i > acknowledged + 30) {
        acknowledged_.wait(acknowledged);
        continue;
      }
      const auto applied = db_->graph().Apply(ScriptBatch(i, seed));
      EXPECT_TRUE(applied.has_value()) << applied.error().ToString();
      if (i % 40 == 0) {
        EXPECT_TRUE(db_->Checkpoint().has_value());
      }
      ++i;
    }
  }
  std::atomic<Sequence> acknowledged_{0};
  std::unique_ptr<Database> db_;
  std::jthread thread_;  // ends first
};

// kill -9 of a durable replica while it replays what its source still writes; every third time at
// a crash point. PLEXUS_FOLLOWER_ROUNDS rounds (25 unless told).
TEST(Crash, KilledFollowerGoesOnWithoutLossOrDouble) {
  const std::uint64_t rounds = EnvNumber("PLEXUS_FOLLOWER_ROUNDS", 25);
  const std::uint64_t seed = EnvNumber("PLEXUS_SEED", 11);
  std::mt19937_64 random(seed);
  ScratchDirectory scratch;
  const std::string from = scratch.path("source"), to = scratch.path("replica");
  GrowingSource source(from, seed);
  Expected expected(seed);
  Sequence acked = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round));
    const std::uint64_t kill_at = round % 3 == 2 ? 1 + random() % 12 : 0;
    ChildProcess child(
        {"follow", to, from, std::to_string(random() % 1000), "0", std::to_string(kill_at)});
    const auto acknowledge = [&] {
      acked = std::max<Sequence>(acked, child.acknowledged());
      source.Acknowledged(acked);
    };
    if (kill_at == 0) {
      // Mostly while it replays; sometimes already while it opens.
      const bool opens = round % 6 == 4;
      std::string line;
      for (std::uint64_t n = opens ? 0 : 1 + random() % 12; n > 0; n -= line.starts_with("ack ")) {
        ASSERT_TRUE(child.ReadLine(&line));
        acknowledge();  // also what it begins with: the source may wait for that
      }
      child.ReadFor(std::chrono::microseconds(random() % (opens ? 40'000 : 4'000)));
      child.Kill();
    }
    for (std::string line; child.ReadLine(&line);) acknowledge();
    ASSERT_EQ(child.Wait(), 128 + 9);
    if (round % 4 != 0) continue;  // else the next child opens what the kill left
    auto db = Must(Database::Open(to, Create()));
    const Sequence found = db->snapshot().sequence();
    ASSERT_GE(found, acked);
    ASSERT_EQ(DumpDigest(db->snapshot()), expected.At(found));
    acked = found;
  }
  Database& whole = source.Stop();
  const Sequence last = whole.snapshot().sequence();
  ASSERT_GE(last, acked);
  {
    ChildProcess child({"follow", to, from, "1", std::to_string(last), "0"});
    std::string line, end;
    while (child.ReadLine(&line)) end = line;
    EXPECT_EQ(end, "done");
    ASSERT_EQ(child.Wait(), 0);
  }
  auto replica = MustOpen(to);
  EXPECT_EQ(replica->snapshot().sequence(), last);
  EXPECT_EQ(Dump(replica->snapshot()), Dump(whole.snapshot()));
  const std::vector<std::string> records = Records(whole);
  EXPECT_EQ(records.size(), last);
  EXPECT_TRUE(Records(*replica) == records);
  ExpectSound(*replica);
  std::printf("follower: %llu kills, %llu records, none lost, none twice\n",
              static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(last));
}

}  // namespace
}  // namespace plexus::storage_internal::testing
