// Killed in the middle: every acknowledged batch is there, no half one, no gap.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "storage/encoding/record_codec.h"
#include "tests/support/child_process.h"
#include "tests/support/expected.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

Sequence LastAck(const std::vector<std::string>& lines, Sequence before) {
  Sequence last = before;
  for (const std::string& line : lines)
    if (line.starts_with("ack "))
      last = std::max<Sequence>(last, std::strtoull(line.c_str() + 4, nullptr, 10));
  return last;
}

// kill -9 while a child writes; PLEXUS_KILL_ROUNDS rounds (200 unless told).
TEST(Crash, KillLoop) {
  const std::uint64_t rounds = EnvNumber("PLEXUS_KILL_ROUNDS", 200);
  const std::uint64_t seed = EnvNumber("PLEXUS_SEED", 11);
  std::mt19937_64 random(seed);
  std::uint64_t acknowledged = 0, dropped_tails = 0, early = 0;
  std::unique_ptr<ScratchDirectory> scratch;
  std::unique_ptr<Expected> expected;
  Sequence acked = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    if (round % 20 == 0) {  // a fresh database now and then: creation is killed too
      scratch = std::make_unique<ScratchDirectory>();
      expected = std::make_unique<Expected>(seed);
      acked = 0;
    }
    std::vector<std::string> lines;
    {
      ChildProcess child({"write", scratch->path(), std::to_string(seed)});
      // Mostly while it writes; one time in five already while it opens.
      std::string first;
      if (round % 5 != 4 && child.ReadLine(&first)) lines.push_back(first);
      child.ReadFor(static_cast<int>(1 + random() % 60), &lines);
      child.Kill();
      std::string line;
      while (child.ReadLine(&line)) lines.push_back(line);
      ASSERT_EQ(child.Wait(), 128 + 9) << "seed " << seed << " round " << round;
    }
    const Sequence last = LastAck(lines, acked);
    acknowledged += last - acked;
    acked = last;
    auto db = Database::Open(scratch->path(), Create());
    ASSERT_TRUE(db) << "seed " << seed << " round " << round << ": " << db.error().ToString();
    const Sequence found = (*db)->snapshot().sequence();
    ASSERT_GE(found, acked) << "seed " << seed << " round " << round;
    ASSERT_EQ(DumpDigest((*db)->snapshot()), expected->At(found))
        << "seed " << seed << " round " << round;
    dropped_tails += (*db)->report().tail_dropped;
    early += lines.empty();
    acked = found;
    if (round % 10 == 0) {
      auto report = (*db)->Verify();
      PLEXUS_OK(report);
      ASSERT_TRUE(report->ok) << report->problems[0].where << ": " << report->problems[0].what;
    }
    if (round % 3 == 0) PLEXUS_OK((*db)->Close());  // else: as a crash leaves it
  }
  RecordProperty("acknowledged", std::to_string(acknowledged));
  std::printf(
      "kill loop: %llu rounds, %llu acknowledged batches, 0 lost, %llu torn tails, "
      "%llu killed before the first batch\n",
      static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(acknowledged),
      static_cast<unsigned long long>(dropped_tails), static_cast<unsigned long long>(early));
}

// Every numbered point of a life with bulk steps, checkpoints, trims and closes.
TEST(Crash, EveryPoint) {
  constexpr Sequence kLast = 16;
  Expected expected;
  std::uint64_t points = 0;
  for (std::uint64_t n = 1;; ++n) {
    ScratchDirectory scratch;
    ChildProcess child({"crash", scratch.path(), std::to_string(n), std::to_string(kLast)});
    std::vector<std::string> lines;
    std::string line, point;
    while (child.ReadLine(&line)) {
      if (line.starts_with("point ")) point = line.substr(6);
      lines.push_back(line);
    }
    const int status = child.Wait();
    if (status == 0) break;  // lived to the end
    ASSERT_EQ(status, 9) << "point " << n;
    ++points;
    auto db = Database::Open(scratch.path(), Create());
    ASSERT_TRUE(db) << "point " << n << " " << point << ": " << db.error().ToString();
    const Sequence found = (*db)->snapshot().sequence();
    ASSERT_GE(found, LastAck(lines, 0)) << "point " << n << " " << point;
    ASSERT_EQ(DumpDigest((*db)->snapshot()), expected.At(found)) << "point " << n << " " << point;
    auto report = (*db)->Verify();
    PLEXUS_OK(report);
    ASSERT_TRUE(report->ok) << "point " << n << " " << point << ": " << report->problems[0].where
                            << ": " << report->problems[0].what;
    ApplyScript(**db, found + 1, found + 1);
    PLEXUS_OK((*db)->Close());
  }
  EXPECT_GE(points, 30u);
  std::printf("crash points: %llu, each reopened to a whole prefix\n",
              static_cast<unsigned long long>(points));
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
  void Acknowledged(Sequence sequence) { acknowledged_ = sequence; }
  Database& Stop() {
    thread_.request_stop();
    thread_.join();
    return *db_;
  }

 private:
  void Write(const std::stop_token& stop, std::uint64_t seed) {
    for (std::uint64_t i = 1; !stop.stop_requested();) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (i > acknowledged_ + 30) continue;
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
    std::vector<std::string> lines;
    {
      ChildProcess child(
          {"follow", to, from, std::to_string(random() % 1000), "0", std::to_string(kill_at)});
      std::string line;
      if (kill_at == 0) {
        if (round % 6 != 4 && child.ReadLine(&line)) lines.push_back(line);
        child.ReadFor(static_cast<int>(1 + random() % 40), &lines);
        child.Kill();
      }
      while (child.ReadLine(&line)) {
        lines.push_back(line);
        source.Acknowledged(LastAck(lines, acked));
      }
      ASSERT_EQ(child.Wait(), 128 + 9);
    }
    acked = LastAck(lines, acked);
    source.Acknowledged(acked);
    if (round % 4 != 0) continue;  // else the next child opens what the kill left
    auto db = Database::Open(to, Create());
    PLEXUS_OK(db);
    const Sequence found = (*db)->snapshot().sequence();
    ASSERT_GE(found, acked);
    ASSERT_EQ(DumpDigest((*db)->snapshot()), expected.At(found));
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
  const auto verified = replica->Verify();
  PLEXUS_OK(verified);
  EXPECT_TRUE(verified->ok);
  std::printf("follower: %llu kills, %llu records, none lost, none twice\n",
              static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(last));
}

}  // namespace
}  // namespace plexus::storage_internal::testing
