// Random life of a graph against the model: batches (some with expectations), refusals,
// compactions, old snapshots, reopening by replay from the start and from the middle, journals and
// payload stores that fail.
//
// PLEXUS_MODEL_STEPS scales it (default 2500); PLEXUS_MODEL_SEED repeats one
// sequence. A failure prints the seed.
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/graph.h"
#include "engine/writer/state_writer.h"
#include "tests/model/model.h"
#include "tests/model/random_batch.h"
#include "tests/support/dump.h"
#include "tests/support/fakes.h"

namespace plexus::model {
namespace {

using testing::FailHow;
using testing::FakeStore;

std::uint64_t FromEnv(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string Text(const ApplyReport& r) {
  auto counts = [](const ChangeCounts& c) {
    return std::to_string(c.added) + '/' + std::to_string(c.changed) + '/' +
           std::to_string(c.same) + '/' + std::to_string(c.removed) + ' ';
  };
  return "sequence " + std::to_string(r.sequence) + " nodes " + counts(r.nodes) + "edges " +
         counts(r.edges) + "events " + counts(r.events) + "outcomes " + counts(r.outcomes) +
         "index " + counts(r.index) + "vectors " + counts(r.vectors);
}

GraphState FirstState(const std::shared_ptr<FakeStore>& store) {
  GraphState state = EmptyState();
  state.payload_store = store;
  return state;
}

class RandomizedRun {
 public:
  explicit RandomizedRun(std::uint64_t seed) : rng_(seed), store_(std::make_shared<FakeStore>()) {
    options_.maintenance = rng_() % 3 == 0 ? Maintenance::kBackground : Maintenance::kManual;
    if (rng_() % 2 == 0) {  // compacts and stalls all the time
      options_.delta_soft_arcs = rng_() % 20;
      options_.delta_hard_arcs = options_.delta_soft_arcs + rng_() % 40;
    }
    random_.keys = rng_() % 2 ? 8 : 40;
    random_.most_ops = rng_() % 2 ? 4 : 40;
    if (rng_() % 4 == 0) random_.remove = 0.25, random_.purge = 0.1;
    graph_ = Graph::Open(Snapshot(), store_, options_, store_);
    WriteBatch batch(1);
    Batch on_model(model_, 1);
    FirstBatch(batch, on_model);
    Apply(batch, on_model);
  }

  void Step() {
    switch (rng_() % 24) {
      case 0:
        return Refused();
      case 1:
      case 2:
        return Compact();
      case 3:
        return Replay();
      case 4:
        return ReplayFromTheMiddle();
      case 5:
        held_.push_back({graph_->snapshot(), model_});
        return CheckHeld();
      default:
        return RandomBatch();
    }
  }

  void CheckHeld() {
    for (const Held& h : held_) ASSERT_TRUE(Same(h.model, h.snapshot)) << "an old snapshot changed";
    if (held_.size() > 4) held_.erase(held_.begin());
  }

  void End() {
    CheckHeld();
    graph_.reset();
    CheckHeld();  // snapshots outlive the graph
    EXPECT_EQ(store_->violations(), 0);
  }

 private:
  struct Held {
    Snapshot snapshot;
    Model model;
  };

  void RandomBatch() {
    const std::int64_t time = static_cast<std::int64_t>(rng_() % 3) + model_.time_ms - 1;
    WriteBatch batch(time);
    batch.set_links_revive(true);
    Batch on_model(model_, time);
    bool holds = true;
    const auto expect = [&] {
      for (std::uint64_t n = rng_() % 3; n > 0; --n)
        holds &= AddExpectation(rng_, random_, model_, batch);
    };
    if (rng_() % 3 == 0) expect();
    FillRandom(rng_, random_, batch, on_model);
    if (rng_() % 3 == 0) expect();
    if (!holds) return RefusedWhole(batch, ErrorCode::kConflict);
    if (rng_() % 4) return Apply(batch, on_model);
    WriteBatch joined(time);
    joined.set_links_revive(true);
    (void)joined.Node("named only");
    joined.Append(batch);
    Apply(joined, on_model);
  }

  void Apply(const WriteBatch& batch, Batch& on_model) {
    ApplyReport expected;
    const bool purged = on_model.purged_something();
    on_model.Finish(model_, expected);
    auto report = graph_->Apply(batch);
    ASSERT_TRUE(report) << report.error().ToString();
    if (purged) {  // equal bytes written again after a purge: new or same, both are right
      report->vectors = expected.vectors;
      Forget();
    }
    ASSERT_EQ(Text(*report), Text(expected));
    ASSERT_TRUE(Same(model_, graph_->snapshot()));
    for (std::uint32_t i = 0; i < report->ids.size(); ++i) {
      const NodeRef ref = batch.named_node(i);
      const auto known = model_.ids.find(std::string(batch.key(ref)));
      const bool exists = known != model_.ids.end() && model_.nodes[known->second].alive;
      ASSERT_EQ(report->id(ref), exists ? known->second : kNoNode) << batch.key(ref);
    }
  }

  // What was purged is gone from every snapshot ever taken.
  void Forget() {
    for (Held& h : held_)
      for (NodeId v = 0; v < h.model.nodes.size(); ++v)
        for (int f = 0; f < kNodeFieldCount; ++f) {
          PayloadRef ref = h.snapshot.payload_ref(v, static_cast<NodeField>(f));
          if (ref && !store_->Get(ref)) h.model.nodes[v].payloads[f].reset();
        }
  }

  void Refused() {
    WriteBatch batch(model_.time_ms + 5);
    batch.set_links_revive(true);
    Batch on_model(model_, batch.time_ms());
    FillRandom(rng_, random_, batch, on_model);
    AddBadOperation(rng_, batch);
    WriteBatch rest(0);
    Batch ignored(on_model.after(), 0);
    FillRandom(rng_, random_, rest, ignored);
    batch.Append(rest);
    RefusedWhole(batch, std::nullopt);
  }

  void RefusedWhole(const WriteBatch& batch, std::optional<ErrorCode> code) {
    const std::uint64_t calls = store_->calls();
    auto report = graph_->Apply(batch);
    ASSERT_FALSE(report);
    if (code) {
      ASSERT_EQ(report.error().code, *code) << report.error().ToString();
    }
    EXPECT_EQ(store_->calls(), calls);
    ASSERT_FALSE(graph_->read_only());
    ASSERT_TRUE(Same(model_, graph_->snapshot()));
  }

  void Compact() {
    ASSERT_TRUE(graph_->Compact());
    Snapshot s = graph_->snapshot();
    ASSERT_TRUE(Same(model_, s));
    if (rng_() % 2) return;
    auto pure = s.Compacted(SerialExecutor());
    ASSERT_TRUE(pure);
    ASSERT_FALSE(pure->has_delta());
    ASSERT_TRUE(Same(model_, *pure));
  }

  void Replay() {
    StateWriter writer(FirstState(store_));
    for (const Record& record : store_->Records()) ASSERT_TRUE(writer.Apply(record));
    Reopen(writer);
  }

  void ReplayFromTheMiddle() {
    if (held_.empty()) return;
    const Held& h = held_[rng_() % held_.size()];
    StateWriter writer(h.snapshot.state());  // copies: the held snapshot stays
    for (const Record& record : store_->Records()) {
      if (record.sequence <= h.snapshot.sequence()) continue;
      ASSERT_TRUE(writer.Apply(record)) << record.sequence;
    }
    Reopen(writer);
    ASSERT_TRUE(Same(h.model, h.snapshot)) << "replaying disturbed the snapshot it started from";
  }

  void Reopen(StateWriter& writer) {
    auto state = writer.Publish();
    ASSERT_TRUE(Same(model_, Snapshot(state)));
    ASSERT_TRUE(
        testing::SameText(testing::Dump(graph_->snapshot()), testing::Dump(Snapshot(state))));
    graph_ = Graph::Open(Snapshot(state), store_, options_);
    ASSERT_TRUE(Same(model_, graph_->snapshot()));
  }

  std::mt19937_64 rng_;
  RandomOptions random_;
  GraphOptions options_;
  std::shared_ptr<FakeStore> store_;
  std::unique_ptr<Graph> graph_;
  Model model_;
  std::vector<Held> held_;
};

TEST(Model, RandomRunsEqualTheModel) {
  constexpr std::uint64_t kStepsPerLife = 50;
  const std::uint64_t steps = FromEnv("PLEXUS_MODEL_STEPS", 2500);
  const bool one = std::getenv("PLEXUS_MODEL_SEED");
  const std::uint64_t first = FromEnv("PLEXUS_MODEL_SEED", 1);
  const std::uint64_t lives = one ? 1 : (steps + kStepsPerLife - 1) / kStepsPerLife;
  for (std::uint64_t seed = first; seed < first + lives; ++seed) {
    SCOPED_TRACE("repeat with PLEXUS_MODEL_SEED=" + std::to_string(seed));
    RandomizedRun run(seed);
    for (std::uint64_t step = 0; step < kStepsPerLife; ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      run.Step();
      if (::testing::Test::HasFailure()) return;
    }
    run.End();
    if (::testing::Test::HasFailure()) return;
  }
}

// The journal fails at its n-th call: what was published stays, nothing more is
// accepted, and the log replays to what was acknowledged or to one batch more.
TEST(Model, JournalFailsAtEveryCall) {
  for (FailHow how : {FailHow::kNothingWritten, FailHow::kPrefixWritten, FailHow::kAllWritten}) {
    for (std::uint64_t n = 1; n <= 25; ++n) {
      SCOPED_TRACE("call " + std::to_string(n) + ", how " + std::to_string(static_cast<int>(how)));
      std::mt19937_64 rng(n * 7);
      auto store = std::make_shared<FakeStore>();
      store->FailAt(n, how);
      auto graph = Graph::Open(Snapshot(), store, {}, store);
      Model model, attempted;
      bool failed = false;
      for (int step = 0; step < 80 && !failed; ++step) {
        WriteBatch batch(step);
        batch.set_links_revive(true);
        Batch on_model(model, step);
        if (step == 0)
          FirstBatch(batch, on_model);
        else
          FillRandom(rng, {}, batch, on_model);
        attempted = model;
        ApplyReport expected;
        on_model.Finish(attempted, expected);
        auto report = graph->Apply(batch);
        if (report) {
          model = attempted;
        } else {
          ASSERT_EQ(report.error().code, ErrorCode::kIo) << report.error().ToString();
          failed = true;
        }
        ASSERT_TRUE(Same(model, graph->snapshot()));
        ASSERT_EQ(graph->read_only(), failed);
      }
      ASSERT_TRUE(failed);
      for (int again = 0; again < 3; ++again) {
        WriteBatch batch(1000);
        batch.UpsertNode("late");
        auto report = graph->Apply(batch);
        ASSERT_FALSE(report);
        ASSERT_EQ(report.error().code, ErrorCode::kReadOnly);
        (void)graph->Compact();
        ASSERT_TRUE(Same(model, graph->snapshot()));
      }
      EXPECT_EQ(store->violations(), 0) << "a broken journal was appended to";
      graph.reset();
      StateWriter writer(FirstState(store));
      for (const Record& record : store->Records()) ASSERT_TRUE(writer.Apply(record));
      ASSERT_TRUE(
          Same(how == FailHow::kAllWritten ? attempted : model, Snapshot(writer.Publish())));
    }
  }
}

// A payload that cannot be read fails the batch that needs it, and only that one.
TEST(Model, PayloadStoreFailsAtEveryRead) {
  for (std::uint64_t n = 1; n <= 20; ++n) {
    SCOPED_TRACE("read " + std::to_string(n));
    std::mt19937_64 rng(n);
    auto store = std::make_shared<FakeStore>();
    auto graph = Graph::Open(Snapshot(), store, {}, store);
    Model model;
    int refused = 0;
    for (int step = 0; step < 60; ++step) {
      WriteBatch batch(step);
      batch.set_links_revive(true);
      Batch on_model(model, step);
      if (step == 0)
        FirstBatch(batch, on_model);
      else
        FillRandom(rng, {.keys = 4, .most_ops = 20}, batch, on_model);
      store->FailGetAt(n);
      auto report = graph->Apply(batch);
      store->FailGetAt(0);
      ApplyReport expected;
      if (report) {
        on_model.Finish(model, expected);
      } else {
        ASSERT_EQ(report.error().code, ErrorCode::kIo) << report.error().ToString();
        ASSERT_FALSE(graph->read_only());
        ++refused;
      }
      ASSERT_TRUE(Same(model, graph->snapshot()));
    }
    EXPECT_TRUE(refused > 0 || n > 1) << "the fault was never met";
  }
}

}  // namespace
}  // namespace plexus::model
