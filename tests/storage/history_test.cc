// History by the records that name a node, against every record of the log decoded: while batches,
// checkpoints, trims, purges, hard purges, imports and openings come between the questions.
#include <cstring>
#include <random>

#include "engine/monitoring/monitoring.h"
#include "engine/vocabulary.h"
#include "storage/encoding/anchor.h"
#include "storage/log/log_reader.h"
#include "storage/log/rocks_journal.h"
#include "storage/node_history.h"
#include "storage/replica.h"
#include "storage/state_loader.h"
#include "tests/support/random_batches.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

using plexus::testing::RandomBatches;

std::string Shown(const std::vector<HistoryEntry>& entries) {
  std::ostringstream out;
  for (const HistoryEntry& e : entries)
    out << e.sequence << ' ' << HistoryWhatName(e.what) << ' ' << e.time_ms << ' ' << e.node_kind
        << ' ' << e.edge_kind << ' ' << e.column << ' ' << e.bits << ' '
        << static_cast<int>(e.field) << ' ' << e.space << ' ' << e.ref.bits << ' '
        << static_cast<int>(e.direction) << ' ' << e.other << ' ' << e.label << ' ' << e.weight
        << ' ' << e.erased << '\n';
  return out.str();
}

// Of all nodes, the slow way: from the files, without anything that is kept.
std::vector<std::string> Reference(const std::string& directory, NodeId nodes) {
  const auto files = std::make_shared<Files>();
  const Anchor anchor = Must(ReadAnchor(directory, *files));
  const auto rocks = Must(
      Rocks::Open(GenerationPath(directory, anchor.generation), Rocks::Mode::kReadOnly, files));
  const auto purged = Must(ReadPurges(rocks, kPurgedPrefix, ~Sequence{0}));
  const LogPoint floor = anchor.floor_sequence == 0
                             ? LogPoint{0, FirstHash(anchor.graph_id)}
                             : LogPoint{anchor.floor_sequence, anchor.floor_hash};
  std::vector<std::string> all;
  for (NodeId v = 0; v < nodes; ++v) {
    LogCursor cursor(rocks, floor);
    NodeHistory history(v, purged);
    while (Must(cursor.Next())) history.Add(cursor.record().record);
    all.push_back(Shown(history.Take()));
  }
  return all;
}

void ExpectSameHistories(Database& db) {
  const NodeId nodes = db.snapshot().node_count();
  std::vector<std::string> told;
  for (NodeId v = 0; v < nodes; ++v) told.push_back(Shown(Must(db.History(v))));
  EXPECT_EQ(told, Reference(db.directory(), nodes));
}

OpenOptions Quiet() {
  OpenOptions options = Create();
  options.graph.maintenance = Maintenance::kManual;
  return options;
}

class Script {
 public:
  explicit Script(std::uint64_t seed) : random_(seed), batches_(seed) {}

  void Run() {
    db_ = MustOpen(scratch_.path(), Quiet());
    view_ = MustOpen(scratch_.path(), ReadOnly());
    for (int step = 1; step <= 40 && !::testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      Do(static_cast<int>(Below(24)), step);
      if (Below(3) == 0) ExpectSameHistories(*db_);
      if (Below(4) == 0) {
        PLEXUS_OK(view_->Refresh());
        ExpectSameHistories(*view_);
      }
    }
  }

 private:
  std::uint64_t Below(std::uint64_t n) { return random_() % n; }
  void Write(int step) { PLEXUS_OK(db_->graph().Apply(batches_.Next(step * 1000))); }
  void Do(int what, int step) {
    const Snapshot now = db_->snapshot();
    const Sequence last = now.sequence();
    const NodeId node = now.node_count() == 0 ? 0 : static_cast<NodeId>(Below(now.node_count()));
    switch (now.node_count() == 0 ? 99 : what) {
      case 0:
        PLEXUS_OK(db_->HardPurge({{node}}));
        return;
      case 1:
      case 2: {
        if (now.key_forgotten(node)) return;
        const std::string key(now.key(node));
        const std::string_view keys[] = {key};
        PLEXUS_OK(db_->Purge(keys, step * 1000));
        return;
      }
      case 3:
      case 4:
        PLEXUS_OK(db_->Trim(last - std::min(last, Below(6))));
        return;
      case 5:
        PLEXUS_OK(db_->Checkpoint());
        return;
      case 6:
        PLEXUS_OK(db_->BeginBulk());
        Write(step);
        Write(step);
        PLEXUS_OK(db_->EndBulk());
        return;
      case 7:
        PLEXUS_OK(db_->Close());
        db_ = MustOpen(scratch_.path(), Quiet());
        return;
      default:
        Write(step);
    }
  }

  std::mt19937_64 random_;
  RandomBatches batches_;
  ScratchDirectory scratch_;
  std::unique_ptr<Database> db_, view_;
};

TEST(History, IsThatOfEveryRecordDecoded) {
  for (std::uint64_t seed = 1; seed <= EnvNumber("PLEXUS_HISTORY_SEEDS", 12); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Script(seed).Run();
    if (HasFailure()) return;
  }
}

// Counted, not timed: a look is for sixteen records.
TEST(History, ReadsTheRecordsThatNameTheNode) {
  ScratchDirectory scratch;
  const auto db = MustOpen(scratch.path(), Quiet());
  const auto apply = [&](int from, int to) {
    for (int i = from; i <= to; ++i) {
      WriteBatch batch(i * 1000);
      const NodeRef hub = batch.UpsertNode("hub", NameRef(kMemory));
      const NodeRef one = batch.UpsertNode("n" + std::to_string(i), NameRef(kMemory));
      if (i % 10 == 0) batch.Link(hub, kSupports, one);
      PLEXUS_OK(db->graph().Apply(batch));
    }
  };
  const auto looks = [&](const char* key, std::size_t entries) {
    CountedReports counting;
    EXPECT_EQ(Must(db->History(*db->snapshot().Find(key), &counting)).size(), entries) << key;
    return counting.count;
  };
  apply(1, 640);
  EXPECT_EQ(looks("n5", 2), 41 + 1);  // all, and where they end; then the one
  EXPECT_LE(looks("n5", 2), 3);       // with some that only seem to name it
  EXPECT_LE(looks("hub", 66), 7);
  apply(641, 650);
  EXPECT_LE(looks("n645", 2), 3);
  EXPECT_LE(looks("hub", 67), 7);
  CountedReports stops;
  stops.most = 1;
  EXPECT_TRUE(FailsWith(db->History(0, &stops), ErrorCode::kCancelled));
  ExpectSameHistories(*db);
}

}  // namespace
}  // namespace plexus::storage_internal::testing
