// Stored rows: known at once, read once, whoever asks; purged, damaged and missing ones.
#include "engine/vectors/vector_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <thread>

#include "tests/support/fails_with.h"
#include "tests/support/vector_values.h"

namespace plexus {
namespace {

using testing::FailsWith;
using testing::FiveFrom;
using testing::kFive;
using testing::VectorOf;

std::string Bytes(const std::vector<float>& values) { return testing::PayloadOf(values); }

class CountedStore : public PayloadStore {
 public:
  std::map<std::uint64_t, Result<std::string>> payloads;
  mutable std::atomic<int> single{0};
  bool closed = false;

  Result<std::string> Get(PayloadRef ref) const override {
    ++single;
    const auto it = payloads.find(ref.bits);
    if (it == payloads.end()) return Fail(ErrorCode::kCorruption, "missing");
    return it->second;
  }
  Status GetEach(std::span<const PayloadRef> refs, const EachPayload& fn) const override {
    if (closed) return Fail(ErrorCode::kFailedPrecondition, "closed");
    EXPECT_TRUE(std::is_sorted(refs.begin(), refs.end(),
                               [](PayloadRef a, PayloadRef b) { return a.bits < b.bits; }));
    return PayloadStore::GetEach(refs, fn);
  }
};

// Nodes 0, 2, 4, ... of `count`, their payloads in the opposite order.
VectorTable Table(CountedStore& store, NodeId count) {
  std::vector<NodeId> nodes;
  std::vector<std::uint64_t> refs;
  for (NodeId i = 0; i < count; ++i) {
    nodes.push_back(2 * i);
    refs.push_back(PayloadRef::Make(1, count - i).bits);
    store.payloads.insert({refs.back(), Bytes(FiveFrom(static_cast<float>(i)))});
  }
  return VectorTable(RowLayout{kFive}, nodes, refs);
}

TEST(StoredVectors, KnownAtOnceReadOnceByFourThreads) {
  CountedStore store;
  VectorTable table = Table(store, 1000);
  const auto view = table.Publish();
  EXPECT_FALSE(view.loaded());
  EXPECT_EQ(view.live_count(), 1000u);
  EXPECT_TRUE(view.has(4));
  EXPECT_FALSE(view.has(5));
  EXPECT_EQ(view.ref(4), PayloadRef::Make(1, 998));
  EXPECT_EQ(view.not_loaded_bytes(), 1000u * 16 * sizeof(float));
  const std::uint64_t small = view.size_bytes();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      ASSERT_TRUE(view.Load(&store));
      for (NodeId i = 0; i < 1000; ++i)
        ASSERT_EQ(VectorOf(view, 2 * i), FiveFrom(static_cast<float>(i)));
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(store.single, 1000) << "each once";
  EXPECT_TRUE(view.loaded());
  EXPECT_EQ(view.not_loaded_bytes(), 0u);
  EXPECT_EQ(view.size_bytes(), small + 1000u * 16 * sizeof(float));
  EXPECT_EQ(view.rows_from(10).count, 990u);
  const auto* const row = reinterpret_cast<const float*>(view.rows_from(7).first);
  for (std::uint32_t k = kFive; k < view.stride(); ++k) EXPECT_EQ(row[k], 0.0f);
}

// Setting, replacing and removing read nothing; views of before and after are each right.
TEST(StoredVectors, ChangesNeedNoValues) {
  CountedStore store;
  VectorTable table = Table(store, 100);
  const auto before = table.Publish();
  VectorTable next(before);
  next.Set(2, Bytes(FiveFrom(1000)), PayloadRef::Make(2, 0));    // replaced
  next.Set(501, Bytes(FiveFrom(2000)), PayloadRef::Make(2, 1));  // new
  next.Remove(4);
  const auto after = next.Publish();
  EXPECT_EQ(store.single, 0);
  EXPECT_EQ(after.live_count(), 100u);
  EXPECT_EQ(after.ref(2), PayloadRef::Make(2, 0));
  EXPECT_FALSE(after.ref(4));
  ASSERT_TRUE(after.Load(&store));
  EXPECT_TRUE(before.loaded()) << "shared";
  EXPECT_EQ(store.single, 100);
  EXPECT_EQ(VectorOf(before, 2), FiveFrom(1));
  EXPECT_EQ(VectorOf(before, 4), FiveFrom(2));
  EXPECT_EQ(VectorOf(after, 2), FiveFrom(1000));
  EXPECT_EQ(VectorOf(after, 501), FiveFrom(2000));
  EXPECT_TRUE(VectorOf(after, 4).empty());
  EXPECT_EQ(VectorOf(after, 198), FiveFrom(99));
  std::uint32_t row = 0, live = 0;
  for (; row < after.row_count();) {
    const auto rows = after.rows_from(row);
    for (std::size_t i = 0; i < rows.count; ++i, ++row) {
      const NodeId node = after.node_of_row(row);
      if (node == kNoNode) continue;
      ++live;
      ASSERT_EQ(rows.first + i * after.layout().row_bytes(),
                reinterpret_cast<const std::byte*>(after.bytes(node).data()));
    }
  }
  EXPECT_EQ(live, 100u);
}

// Replay adds stored rows, also after a view was taken.
TEST(StoredVectors, GrowByReplay) {
  CountedStore store;
  VectorTable table = Table(store, 10);
  const auto base = table.Publish();
  VectorTable next(base);
  for (NodeId n : {3u, 0u}) {
    const PayloadRef ref = PayloadRef::Make(2, n);
    store.payloads.insert({ref.bits, Bytes(FiveFrom(500 + static_cast<float>(n)))});
    ASSERT_TRUE(next.all_stored());
    next.SetStored(n, ref);
  }
  const auto grown = next.Publish();
  next.Set(7, Bytes(FiveFrom(7)), PayloadRef::Make(3, 0));
  EXPECT_FALSE(next.all_stored());
  const auto last = next.Publish();
  ASSERT_TRUE(last.Load(&store));
  EXPECT_TRUE(grown.loaded());
  EXPECT_FALSE(base.loaded());
  ASSERT_TRUE(base.Load(&store));
  EXPECT_EQ(VectorOf(base, 0), FiveFrom(0));
  EXPECT_EQ(VectorOf(grown, 0), FiveFrom(500));
  EXPECT_EQ(VectorOf(last, 3), FiveFrom(503));
  EXPECT_EQ(VectorOf(last, 7), FiveFrom(7));
  EXPECT_FALSE(grown.has(7));
}

TEST(StoredVectors, PurgedOnesAreAbsentOnceLoaded) {
  CountedStore store;
  VectorTable table = Table(store, 20);
  const auto view = table.Publish();
  store.payloads.at(view.ref(6).bits) = Fail(ErrorCode::kNotFound, "purged");
  EXPECT_TRUE(view.has(6));
  ASSERT_TRUE(view.Load(&store));
  EXPECT_FALSE(view.has(6));
  EXPECT_TRUE(VectorOf(view, 6).empty());
  EXPECT_EQ(view.node_of_row(3), kNoNode);
  EXPECT_EQ(view.live_count(), 19u);
  EXPECT_TRUE(view.ref(6)) << "what the files refer to";
}

// Damage is named to whoever has the row, and is nobody's business else.
TEST(StoredVectors, DamageIsNamedWhereItLives) {
  const std::string whole = Bytes(FiveFrom(1));
  std::string not_finite = whole;
  const float bad = INFINITY;
  std::memcpy(not_finite.data() + 8, &bad, sizeof bad);
  const std::pair<Result<std::string>, const char*> cases[] = {
      {Fail(ErrorCode::kCorruption, "payload (1, 17), offset 8: flipped"), "offset 8: flipped"},
      {whole + "1234", "of 24 bytes, not 20"},
      {std::string(), "of 0 bytes"},
      {not_finite, "not finite"}};
  for (const auto& [stored, text] : cases) {
    CountedStore store;
    VectorTable table = Table(store, 20);
    const auto view = table.Publish();
    store.payloads.at(view.ref(6).bits) = stored;
    VectorTable other(view);
    other.Remove(6);
    const auto without = other.Publish();
    ASSERT_TRUE(without.Load(&store));
    for (int again = 0; again < 2; ++again) {
      EXPECT_TRUE(FailsWith(view.Load(&store), ErrorCode::kCorruption, {"node 6", text}));
    }
  }
}

// Halves are read, refused and compared as their bytes are.
TEST(StoredVectors, OfHalves) {
  CountedStore store;
  std::vector<NodeId> nodes;
  std::vector<std::uint64_t> refs;
  const auto bytes = [](NodeId n) {
    return testing::PayloadOf(FiveFrom(static_cast<float>(n)), VectorElement::kF16);
  };
  for (NodeId n = 0; n < 400; ++n) {
    nodes.push_back(n);
    refs.push_back(PayloadRef::Make(1, n).bits);
    store.payloads.insert({refs.back(), bytes(n)});
  }
  const RowLayout layout{kFive, VectorElement::kF16};
  const auto view = VectorTable(layout, nodes, refs).Publish();
  EXPECT_EQ(view.not_loaded_bytes(), 400u * 64);
  EXPECT_TRUE(*view.Equals(4, bytes(4), &store));
  EXPECT_FALSE(*view.Equals(4, bytes(5), &store));
  EXPECT_FALSE(*view.Equals(4, Bytes(FiveFrom(4)), &store)) << "f32";
  EXPECT_FALSE(view.loaded());
  ASSERT_TRUE(view.Load(&store));
  for (NodeId n = 0; n < 400; ++n) {
    ASSERT_EQ(view.bytes(n), bytes(n));
    ASSERT_EQ(VectorOf(view, n),
              testing::Rounded(FiveFrom(static_cast<float>(n)), VectorElement::kF16));
  }
  EXPECT_TRUE(*view.Equals(4, bytes(4), &store));
  std::string infinite = bytes(6);
  infinite[3] = 0x7C;
  infinite[2] = 0;
  for (const auto& [stored, text] :
       {std::pair(infinite, "not finite"), std::pair(Bytes(FiveFrom(6)), "of 20 bytes, not 10")}) {
    store.payloads.at(refs[6]) = stored;
    const auto damaged = VectorTable(layout, nodes, refs).Publish();
    const Status status = damaged.Load(&store);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find(text), std::string::npos) << status.error().message;
  }
}

TEST(StoredVectors, AClosedStoreMayBeReadAgain) {
  CountedStore store;
  VectorTable table = Table(store, 20);
  const auto view = table.Publish();
  store.closed = true;
  EXPECT_EQ(view.Load(&store).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(view.Load(nullptr).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_FALSE(view.loaded());
  store.closed = false;
  ASSERT_TRUE(view.Load(&store));
  EXPECT_EQ(VectorOf(view, 2), FiveFrom(1));
}

// A few comparisons read single vectors, many read them all, once.
TEST(StoredVectors, ComparisonsReadWhatIsCheaper) {
  CountedStore store;
  VectorTable table = Table(store, 320);
  const auto view = table.Publish();
  for (NodeId i = 0; i < 20; ++i) {
    EXPECT_TRUE(*view.Equals(2 * i, Bytes(FiveFrom(static_cast<float>(i))), &store));
    EXPECT_FALSE(view.loaded());
  }
  EXPECT_EQ(store.single, 20);
  EXPECT_FALSE(*view.Equals(2, Bytes(FiveFrom(7)), &store));
  EXPECT_TRUE(view.loaded());
  EXPECT_EQ(store.single, 340);
  EXPECT_FALSE(*view.Equals(3, Bytes(FiveFrom(7)), &store)) << "has none";
  EXPECT_TRUE(*view.Equals(638, Bytes(FiveFrom(319)), &store));
  EXPECT_EQ(store.single, 340);
}

}  // namespace
}  // namespace plexus
