// Purges on their way to followers, which are told nothing of what was erased in the meantime, but
// that it ended.
#include <map>
#include <random>
#include <string>
#include <vector>

#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

// Replicas that saw what was purged later, and one that begins after it.
TEST(Changes, PurgesAreTheSameForAll) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  auto early = Graph::InMemory(), late = Graph::InMemory();
  ApplyScript(*writer, 1, 20);
  Pull(*writer, *early, 7);
  std::vector<std::string> keys;
  const Snapshot before = writer->snapshot();
  for (NodeId n = 0; n < before.node_count() && keys.size() < 5; n += 3)
    if (before.alive(n) && before.is_fact(n)) keys.emplace_back(before.key(n));
  ASSERT_EQ(keys.size(), 5u);
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  PLEXUS_OK(writer->graph().Apply([&] {
    WriteBatch batch(21'000);
    for (const std::string& key : keys) batch.PurgeNode(batch.Node(key));
    return batch;
  }()));
  PLEXUS_OK(writer->Checkpoint());
  ApplyScript(*writer, 22, 30);
  Pull(*writer, *early, 7);
  Pull(*writer, *late, 7);
  EXPECT_EQ(Dump(early->snapshot()), Dump(writer->snapshot()));
  EXPECT_EQ(Dump(late->snapshot()), Dump(writer->snapshot()));
}

// A node whose words change just before its purge: one follower had the old words, and is told
// neither of the change nor, by the purge, of words that the source has no longer.
TEST(Changes, APurgeTakesWhatTheFollowerStillHas) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path("source"), Create());
  OpenOptions never = Create();
  never.checkpoint_on_close = CheckpointOnClose::kNever;
  auto durable = MustOpen(scratch.path("replica"), never);
  auto replica = Graph::InMemory();
  WriteBatch first(1000);
  for (const char* key : {"a", "b"})
    for (const char* word : {"old", "kept"})
      first.Link(first.UpsertNode(key), kHasTerm, first.IndexNode(kTerm, word));
  PLEXUS_OK(writer->graph().Apply(first));
  Pull(*writer, *replica, 1);
  Pull(*writer, durable->graph(), 1);
  WriteBatch second(2000);
  second.Unlink(second.Node("a"), kHasTerm, second.IndexNode(kTerm, "old"));
  second.Link(second.Node("a"), kHasTerm, second.IndexNode(kTerm, "new"));
  PLEXUS_OK(writer->graph().Apply(second));
  WriteBatch purge(3000);
  purge.PurgeNode(purge.Node("a"));
  PLEXUS_OK(writer->graph().Apply(purge));
  Pull(*writer, *replica, 1);
  Pull(*writer, durable->graph(), 1);
  EXPECT_EQ(writer->snapshot().CountEdges(Plane::kIndex), 2u);
  EXPECT_EQ(replica->snapshot().CountEdges(Plane::kIndex), 2u);
  EXPECT_EQ(Dump(replica->snapshot()), Dump(writer->snapshot()));
  PLEXUS_OK(durable->Close());
  durable = MustOpen(scratch.path("replica"), never);
  EXPECT_EQ(Dump(durable->snapshot()), Dump(writer->snapshot())) << "opened again";
  ExpectSound(*durable);
}

// Events keep members that are removed or purged, and a follower does as well.
TEST(Changes, MembersOutliveTheirRemoval) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path(), Create());
  auto replica = Graph::InMemory();
  const auto step = [&](auto&& fill) {
    WriteBatch batch(1000);
    fill(batch);
    PLEXUS_OK(writer->graph().Apply(batch));
    Pull(*writer, *replica, 1);
    EXPECT_EQ(Dump(replica->snapshot()), Dump(writer->snapshot()));
  };
  step([](WriteBatch& batch) {
    const NodeRef event = batch.IndexNode(kEvent, "e");
    for (const char* key : {"a", "b", "c"}) batch.Link(event, kMember, batch.UpsertNode(key));
  });
  step([](WriteBatch& batch) { batch.RemoveNode(batch.Node("a")); });
  step([](WriteBatch& batch) { batch.PurgeNode(batch.Node("b")); });
  EXPECT_EQ(writer->snapshot().CountEdges(Plane::kIndex), 3u);
}

// Edges that a purge's batch states again as they were.
TEST(Changes, WhatThePurgesBatchStatesAgainStays) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path("source"), Create());
  auto early = Graph::InMemory(), late = Graph::InMemory();
  const auto state = [](WriteBatch& batch) {
    const NodeRef a = batch.UpsertNode("a");
    batch.Link(a, kHasTag, batch.IndexNode(kTag, "t"));
    batch.Link(a, kCauses, batch.UpsertNode("b"));
  };
  WriteBatch first(1000);
  state(first);
  PLEXUS_OK(writer->graph().Apply(first));
  Pull(*writer, *early, 1);
  WriteBatch second(1000);
  second.PurgeNode(second.Node("a"));
  state(second);
  PLEXUS_OK(writer->graph().Apply(second));
  Pull(*writer, *early, 1);
  Pull(*writer, *late, 1);
  EXPECT_EQ(writer->snapshot().CountEdges(Plane::kFact), 1u);
  EXPECT_EQ(writer->snapshot().CountEdges(Plane::kIndex), 1u);
  EXPECT_EQ(Dump(early->snapshot()), Dump(writer->snapshot()));
  EXPECT_EQ(Dump(late->snapshot()), Dump(writer->snapshot()));
}

// Text, properties and vector that a follower had, and whose end it is not told of.
TEST(Changes, APurgeClearsWhatTheFollowerStillHas) {
  ScratchDirectory scratch;
  auto writer = MustOpen(scratch.path("source"), Create());
  auto durable = MustOpen(scratch.path("replica"), Create());
  auto replica = Graph::InMemory();
  WriteBatch first(1000);
  first.DefineSpace({"default", 2, Metric::kCosine});
  const NodeRef a = first.UpsertNode("a");
  first.SetPayload(a, NodeField::kText, "old");
  first.SetPayload(a, NodeField::kProperties, PropertyMap("old"));
  const float values[] = {1, 2};
  first.SetVector(a, first.SpaceNamed("default"), values);
  PLEXUS_OK(writer->graph().Apply(first));
  Pull(*writer, *replica, 1);
  Pull(*writer, durable->graph(), 1);
  WriteBatch second(2000);
  const NodeRef same = second.Node("a");
  second.ClearPayload(same, NodeField::kText);
  second.ClearPayload(same, NodeField::kProperties);
  second.ClearVector(same, second.SpaceNamed("default"));
  PLEXUS_OK(writer->graph().Apply(second));
  for (const bool again : {false, true}) {
    WriteBatch batch(3000);
    if (again)
      batch.UpsertNode("a");
    else
      batch.PurgeNode(batch.Node("a"));
    PLEXUS_OK(writer->graph().Apply(batch));
    Pull(*writer, *replica, 1);
    Pull(*writer, durable->graph(), 1);
    EXPECT_EQ(Dump(replica->snapshot()), Dump(writer->snapshot()));
    EXPECT_EQ(Dump(durable->snapshot()), Dump(writer->snapshot()));
  }
  PLEXUS_OK(durable->Close());
  durable = MustOpen(scratch.path("replica"));
  EXPECT_EQ(Dump(durable->snapshot()), Dump(writer->snapshot())) << "opened again";
}

// What nodes have that a purge takes away: by node and part; what is not there is left out.
using Contents = std::map<std::pair<NodeId, std::string>, std::string>;

Contents ContentsOf(const Snapshot& s) {
  Contents all;
  for (NodeId v = 0; v < s.node_count(); ++v) {
    for (const NodeField field : {NodeField::kText, NodeField::kProperties})
      if (const auto got = s.Payload(v, field))
        all[{v, field == NodeField::kText ? "text" : "properties"}] = *got;
    if (const auto space = s.schema().FindSpace("s"))
      if (const auto table = s.vectors(*space); table && (*table)->has(v))
        all[{v, "vector"}] = std::string((*table)->bytes(v));
    const EdgeKindId words[] = {kHasTag, kHasTerm};
    s.ForEachArc(Direction::kOut, v, ArcFilter::Kinds(s.schema(), words), [&](const Arc& arc) {
      all[{v, std::string(s.key(arc.neighbor))}] = std::to_string(arc.weight);
    });
  }
  return all;
}

// A replica that was told a text, vector or word before the purge of its node must not go on
// showing it after the source has replaced it: at each sequence it shows what the source showed
// then, or nothing where the node is purged later. One that begins after the purges is AsOf.
TEST(Changes, AReplicaShowsNothingThatWasReplaced) {
  constexpr std::uint64_t kKeys = 8, kSteps = 40;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    ScratchDirectory scratch;
    auto source = MustOpen(scratch.path("source"), Create());
    auto durable = MustOpen(scratch.path("replica"), Create());
    std::vector<std::unique_ptr<Graph>> replicas;  // each stops somewhere until all is purged
    std::map<NodeId, Sequence> purged;             // the last time
    std::vector<Contents> live(1);                 // by sequence
    for (std::uint64_t step = 1; step <= kSteps; ++step) {
      WriteBatch batch(static_cast<std::int64_t>(step));
      if (step == 1) batch.DefineSpace({"s", 2, Metric::kCosine});
      const std::string key = "k" + std::to_string(below(kKeys));
      const NodeRef node = batch.UpsertNode(key);
      const std::string text = "v" + std::to_string(step);
      switch (below(step > kSteps / 2 ? 9 : 8)) {
        case 0:
          batch.ClearPayload(node, NodeField::kText);
          batch.ClearVector(node, batch.SpaceNamed("s"));
          break;
        case 1:
        case 2:
          batch.SetPayload(node, NodeField::kText, text);
          break;
        case 3: {
          const float values[] = {static_cast<float>(step), 1};
          batch.SetVector(node, batch.SpaceNamed("s"), values);
          batch.SetPayload(node, NodeField::kProperties, PropertyMap(text));
          break;
        }
        case 4:
        case 5:
          batch.Link(node, kHasTag, batch.IndexNode(kTag, "t" + std::to_string(below(3))));
          batch.Link(node, kHasTerm, batch.IndexNode(kTerm, "w" + std::to_string(below(3))),
                     static_cast<float>(1 + below(3)));
          break;
        case 6:
          batch.Unlink(node, kHasTag, batch.IndexNode(kTag, "t" + std::to_string(below(3))));
          batch.Unlink(node, kHasTerm, batch.IndexNode(kTerm, "w" + std::to_string(below(3))));
          break;
        case 7:
          batch.Link(node, kLink, batch.UpsertNode("k" + std::to_string(below(kKeys))));
          break;
        default:
          batch.PurgeNode(node);
          break;
      }
      PLEXUS_OK(source->graph().Apply(batch));
      const Snapshot now = source->snapshot();
      if (now.sequence() == live.size()) live.push_back(ContentsOf(now));
      if (now.purged(*now.Find(key))) purged[*now.Find(key)] = now.sequence();
      if (step % 5 == 0) {
        replicas.push_back(Graph::InMemory());
        Pull(*source, *replicas.back(), 4);
      }
      if (step == 10) Pull(*source, durable->graph(), 4);
    }
    for (std::uint64_t k = 0; k < kKeys; k += 2) {  // every second of them is purged in the end
      const std::string key = "k" + std::to_string(k);
      const auto node = source->snapshot().Find(key);
      if (!node || source->snapshot().purged(*node)) continue;
      WriteBatch batch(1000);
      batch.PurgeNode(NodeRef::Id(*node));
      PLEXUS_OK(source->graph().Apply(batch));
      live.push_back(ContentsOf(source->snapshot()));
      purged[*node] = source->snapshot().sequence();
    }
    ASSERT_EQ(live.size(), source->snapshot().sequence() + 1);
    const auto follow = [&](Graph& replica, bool is_as_of) {
      while (replica.snapshot().sequence() < source->snapshot().sequence()) {
        Pull(*source, replica, 1, false);
        const Snapshot there = replica.snapshot();
        const Sequence at = there.sequence();
        SCOPED_TRACE("sequence " + std::to_string(at));
        const auto past = Must(source->AsOf(at));
        if (is_as_of) {
          ASSERT_EQ(Dump(there), Dump(past));
        }
        const Contents has = ContentsOf(there);
        for (const auto& [what, value] : has) {  // nothing else than the source had
          const auto then = live[at].find(what);
          ASSERT_TRUE(then != live[at].end() && then->second == value)
              << there.key(what.first) << " shows " << what.second << " " << value;
        }
        for (const auto& [what, value] : live[at]) {  // all of it, where it was not purged later
          const auto purge = purged.find(what.first);
          if (purge != purged.end() && purge->second > at) continue;
          ASSERT_TRUE(has.contains(what)) << there.key(what.first) << " lacks " << what.second;
        }
      }
      EXPECT_EQ(Dump(replica.snapshot()), Dump(source->snapshot()));
    };
    const auto late = Graph::InMemory();
    follow(*late, true);
    for (const auto& replica : replicas) follow(*replica, false);
    follow(durable->graph(), false);
    if (HasFailure()) return;
    ExpectSound(*durable);
    PLEXUS_OK(durable->Close());
    durable = MustOpen(scratch.path("replica"));
    EXPECT_EQ(Dump(durable->snapshot()), Dump(source->snapshot())) << "opened again";
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
