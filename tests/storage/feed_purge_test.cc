// Purges on their way to followers, which are told nothing of what was erased in the meantime.
#include <string>
#include <vector>

#include "engine/vocabulary.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
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
  EXPECT_TRUE(durable->Verify()->ok);
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

}  // namespace
}  // namespace plexus::storage_internal::testing
