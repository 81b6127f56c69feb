// Followers of a source that does everything, compared with it: a graph in RAM that lags, a durable
// replica that is opened again and again, a replica of that one, and a view that refreshes.
//
// Few keys, so that every batch meets what others left. PLEXUS_FEED_SEEDS=n looks at n seeds,
// PLEXUS_FEED_FIRST=s begins with seed s.
#include <filesystem>
#include <optional>
#include <random>

#include "engine/state.h"
#include "engine/vocabulary.h"
#include "tests/support/dump.h"
#include "tests/support/random_batches.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

using plexus::testing::RandomBatches;
using plexus::testing::SameText;

std::string Everything(const Snapshot& s) { return plexus::testing::Dump(s); }

// A dump without texts and properties: nobody keeps those for a graph that begins with a view.
std::string WithoutPayloads(const std::string& dump) {
  std::string left;
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  payload ")) continue;
    left += line.substr(0, line.find(" props ")) + '\n';
  }
  return left;
}

class Fuzz {
 public:
  explicit Fuzz(std::uint64_t seed) : random_(seed), batches_(seed) {}

  void Run(std::int64_t steps) {
    source_ = MustOpen(scratch_.path("source"), Options());
    view_ = MustOpen(scratch_.path("source"), ReadOnly());
    for (step_ = 1; step_ <= steps && !Failed(); ++step_) {
      SCOPED_TRACE("step " + std::to_string(step_));
      Write();
      if (!Failed() && Below(3) == 0) Maintain();
      if (!Failed() && Below(3) == 0) Follow();
    }
    if (Failed()) return;
    SCOPED_TRACE("at the end");
    for (int kind = 0; kind < 5 && !Failed(); ++kind) Follow(kind);
    if (!Failed()) Past();
    Sound(*source_, "source");
    if (durable_) Sound(*durable_, "durable replica");
    if (second_) Sound(*second_, "replica of the replica");
    Sound(*view_, "view");
  }

 private:
  static bool Failed() { return ::testing::Test::HasFailure(); }
  std::uint64_t Below(std::uint64_t n) { return random_() % n; }
  OpenOptions Options() {
    OpenOptions options = Create();
    options.checkpoint_on_close = Below(3) ? CheckpointOnClose::kNever : CheckpointOnClose::kAlways;
    options.graph.maintenance = Maintenance::kManual;
    return options;
  }
  void Ok(const Status& status, const char* what) {
    if (!status) ADD_FAILURE() << what << ": " << status.error().ToString();
  }
  void Same(const Snapshot& follower, const char* who) {
    EXPECT_TRUE(SameText(Everything(follower), Everything(source_->snapshot()))) << who;
  }
  void Sound(Database& db, const char* who) {
    SCOPED_TRACE(who);
    ExpectSound(db);
  }

  // --- the source

  void Write() {
    switch (Below(40)) {
      case 0:
      case 1:
      case 2:
        return PurgeSome();
      case 3:
        if (Below(2)) return HardPurgeOne();
        [[fallthrough]];
      case 4:
        return InBulk();
      default:
        return ApplyOne();
    }
  }
  void ApplyOne() {
    const auto applied = source_->graph().Apply(batches_.Next(Now()));
    ASSERT_TRUE(applied.has_value()) << applied.error().ToString();
  }
  std::int64_t Now() const { return step_ / 3 * 1000; }  // some at the same time
  void InBulk() {
    Ok(source_->BeginBulk(), "bulk");
    in_bulk_ = true;
    for (std::uint64_t n = Below(5); n > 0 && !Failed(); --n) {
      ApplyOne();
      if (!Failed() && Below(4) == 0) Follow();
    }
    in_bulk_ = false;
    if (!Failed()) Ok(source_->EndBulk(), "end of bulk");
  }
  std::optional<NodeId> AnyNode() {
    const Snapshot now = source_->snapshot();
    if (now.node_count() == 0) return std::nullopt;
    return static_cast<NodeId>(Below(now.node_count()));
  }
  void PurgeSome() {
    std::vector<std::string> keys;
    for (std::uint64_t n = 1 + Below(2); n > 0; --n)
      if (const auto node = AnyNode(); node && !source_->snapshot().key_forgotten(*node))
        keys.emplace_back(source_->snapshot().key(*node));
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    const auto purged = source_->Purge(views, Now());
    ASSERT_TRUE(purged.has_value()) << purged.error().ToString();
  }
  void HardPurgeOne() {
    if (const auto node = AnyNode()) Ok(source_->HardPurge({{*node}}), "hard purge");
  }
  void Maintain() {
    switch (Below(6)) {
      case 0:
        return Ok(source_->Checkpoint(), "checkpoint");
      case 1:
        return Ok(source_->Scrub(), "scrub");
      case 2:
        return Ok(source_->graph().Compact(), "compaction");
      case 3: {
        const Sequence last = source_->snapshot().sequence();
        if (Below(2) == 0)
          Ok(source_->Trim(last - std::min(last, Below(8)), nullptr, Below(2)), "trim");
        return;
      }
      case 4:
        return Sound(*source_, "source");
      default:
        return Reopen(source_, "source");
    }
  }
  void Reopen(std::unique_ptr<Database>& db, const char* who) {
    const std::string directory = db->directory();
    Ok(db->Scrub(), "scrub");  // may forget words: what closing does is compared
    const std::string before = Everything(db->snapshot());
    Ok(db->Close(), "close");
    db.reset();
    db = MustOpen(directory, Options());
    EXPECT_TRUE(SameText(before, Everything(db->snapshot()))) << who << " opened again";
  }

  // --- the followers

  void Follow() { Follow(static_cast<int>(Below(5))); }
  void Follow(int kind) {
    switch (kind) {
      case 0:
        return PullAll(graph_, graph_generation_, 1 + Below(6));
      case 1:
        return PullDurable();
      case 2:
        return PullSecond();
      case 3:
        return RefreshView();
      default:
        return PullFromView();
    }
  }
  // Some records at a time, some of the time not all. False: it has to begin again.
  bool Pull(Database& from, Graph& to, std::uint64_t& generation) {
    const std::uint64_t most = 1 + Below(6);
    std::uint64_t pulls = Below(4) ? ~std::uint64_t{0} : 1 + Below(3);
    for (bool more = true; more && pulls > 0; --pulls) {
      const auto changes = from.ChangesSince(to.snapshot().sequence(), {.max_records = most});
      if (!changes) {
        EXPECT_EQ(changes.error().code, ErrorCode::kFailedPrecondition)
            << changes.error().ToString();
        return false;
      }
      if (changes->generation != generation) return false;
      Ok(to.Replay(changes->records), "replay");
      if (Failed()) return true;
      more = changes->has_more;
    }
    return true;
  }
  std::uint64_t GenerationOf(Database& db) {
    const auto none = db.ChangesSince(db.snapshot().sequence());
    EXPECT_TRUE(none.has_value()) << none.error().ToString();
    return none ? none->generation : 0;
  }
  bool Level(Database& from, const Snapshot& to) {
    return from.snapshot().sequence() == to.sequence();
  }
  void PullAll(std::unique_ptr<Graph>& to, std::uint64_t& generation, std::uint64_t) {
    if (to && !Pull(*source_, *to, generation)) to.reset();
    if (!to) {
      to = Graph::InMemory();
      generation = GenerationOf(*source_);
      if (!Pull(*source_, *to, generation)) return to.reset();  // trimmed
    }
    if (!Failed() && Level(*source_, to->snapshot())) Same(to->snapshot(), "graph in RAM");
  }
  void PullDurable() {
    if (durable_ && !Pull(*source_, durable_->graph(), durable_generation_)) durable_.reset();
    if (!durable_) {
      if (in_bulk_) return;  // no words are forgotten then, and a copy would forget them by itself
      second_.reset();
      std::filesystem::remove_all(scratch_.path("durable"));
      durable_generation_ = GenerationOf(*source_);
      if (source_->stats().history_floor > 0 || Below(3) == 0) {
        Ok(source_->Scrub(), "scrub");
        durable_generation_ = GenerationOf(*source_);
        Ok(source_->Backup(scratch_.path("durable")), "backup");
        if (Failed()) return;
      }
      durable_ = MustOpen(scratch_.path("durable"), Options());
      durable_begun_at_ = durable_->snapshot().sequence();  // no replica yet
      if (!Pull(*source_, durable_->graph(), durable_generation_)) return;
    }
    if (Failed()) return;
    if (Level(*source_, durable_->snapshot())) {
      Same(durable_->snapshot(), "durable replica");
      if (!Failed() && Below(2)) Past();
    }
    if (Failed()) return;
    switch (Below(6)) {
      case 0:
        return Ok(durable_->Checkpoint(), "checkpoint of the replica");
      case 1:
        return Sound(*durable_, "durable replica");
      case 2:
        if (const Sequence last = durable_->snapshot().sequence(); Below(4) == 0)
          Ok(durable_->Trim(last - std::min(last, Below(8)), nullptr, last > durable_begun_at_),
             "trim of the replica");
        return;
      case 3:
      case 4:
        return Reopen(durable_, "durable replica");
      default:
        return Ok(durable_->graph().Compact(), "compaction of the replica");
    }
  }
  void PullSecond() {
    if (!durable_) return;
    if (second_ && !Pull(*durable_, second_->graph(), second_generation_)) second_.reset();
    if (!second_) {
      std::filesystem::remove_all(scratch_.path("second"));
      if (durable_->stats().history_floor > 0) {
        Ok(durable_->Backup(scratch_.path("second")), "backup of the replica");
        if (Failed()) return;
      }
      second_ = MustOpen(scratch_.path("second"), Options());
      second_generation_ = GenerationOf(*durable_);
      if (!Pull(*durable_, second_->graph(), second_generation_)) return second_.reset();
    }
    if (Failed()) return;
    if (Level(*durable_, second_->snapshot())) {
      EXPECT_TRUE(SameText(Everything(second_->snapshot()), Everything(durable_->snapshot())))
          << "replica of the replica";
    }
    if (!Failed() && Below(3) == 0) Reopen(second_, "replica of the replica");
  }
  void RefreshView() {
    Ok(view_->Refresh(), "refresh");
    if (Failed() || !Level(*source_, view_->snapshot())) return;  // in bulk
    Same(view_->snapshot(), "view");
    if (!Failed() && Below(4) == 0) Sound(*view_, "view");
  }
  // A graph that begins with a view, at some moment.
  void PullFromView() {
    if (viewed_ && !Pull(*source_, *viewed_, viewed_generation_)) viewed_.reset();
    if (!viewed_) {
      begun_ = MustOpen(scratch_.path("source"), ReadOnly());
      viewed_generation_ = GenerationOf(*begun_);
      viewed_ = Graph::Open(begun_->snapshot(), nullptr);
      if (!Pull(*source_, *viewed_, viewed_generation_)) return viewed_.reset();
    }
    if (!Failed() && Level(*source_, viewed_->snapshot())) {
      EXPECT_TRUE(SameText(WithoutPayloads(Everything(viewed_->snapshot())),
                           WithoutPayloads(Everything(source_->snapshot()))))
          << "graph that began with a view";
    }
  }
  // What happened to a node after a record; how much was erased differs with what was told.
  std::string Story(Database& db, NodeId node, Sequence after) {
    const auto history = db.History(node);
    if (!history) return history.error().ToString();
    std::ostringstream out;
    for (const HistoryEntry& e : *history)
      if (e.sequence > after)
        out << e.sequence << ' ' << HistoryWhatName(e.what) << ' ' << e.time_ms << ' '
            << e.node_kind << ' ' << e.edge_kind << ' ' << e.column << ' ' << e.bits << ' '
            << static_cast<int>(e.field) << ' ' << e.space << ' ' << e.ref.bits << ' '
            << static_cast<int>(e.direction) << ' ' << e.other << ' ' << e.label << ' ' << e.weight
            << '\n';
    return out.str();
  }
  // The same past and the same history, where both have it.
  void Past() {
    if (!durable_ || !Level(*source_, durable_->snapshot())) return;
    const Sequence last = source_->snapshot().sequence();
    const Sequence first =
        std::max(source_->stats().history_floor, durable_->stats().history_floor);
    for (int i = 0; i < 3 && !Failed(); ++i) {
      const Sequence at = first + Below(last - first + 1);
      const auto ours = source_->AsOf(at), theirs = durable_->AsOf(at);
      ASSERT_TRUE(ours.has_value() && theirs.has_value()) << at;
      EXPECT_TRUE(SameText(Everything(*theirs), Everything(*ours))) << "record " << at;
    }
    if (const auto node = AnyNode(); node && !Failed()) {
      EXPECT_TRUE(SameText(Story(*durable_, *node, first), Story(*source_, *node, first)))
          << "history of node " << *node;
    }
  }

  std::mt19937_64 random_;
  RandomBatches batches_;
  ScratchDirectory scratch_;
  std::int64_t step_ = 0;
  bool in_bulk_ = false;
  std::unique_ptr<Database> source_, view_, durable_, second_, begun_;
  std::unique_ptr<Graph> graph_, viewed_;
  Sequence durable_begun_at_ = 0;
  std::uint64_t graph_generation_ = 0, durable_generation_ = 0, second_generation_ = 0,
                viewed_generation_ = 0;
};

TEST(Feed, FollowersAreTheSameAsTheirSource) {
  const std::uint64_t first = EnvNumber("PLEXUS_FEED_FIRST", 1);
  const std::uint64_t seeds = EnvNumber("PLEXUS_FEED_SEEDS", 5);
  for (std::uint64_t seed = first; seed < first + seeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("PLEXUS_FEED_SEEDS=1 PLEXUS_FEED_FIRST=" + std::to_string(seed));
    Fuzz(seed).Run(static_cast<std::int64_t>(EnvNumber("PLEXUS_FEED_STEPS", 120)));
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
