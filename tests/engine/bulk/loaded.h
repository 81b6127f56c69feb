// Loads into graphs whose journal is at hand, with a scratch in memory, and what must be the same.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "engine/bulk/edge_load.h"
#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/write_batch.h"
#include "tests/support/dump.h"
#include "tests/support/fakes.h"

namespace plexus::testing {

// Bytes in memory; the n-th call fails on demand, and what was never written cannot be read.
class MemoryScratch final : public LoadScratch {
 public:
  Status Write(std::uint64_t at, std::span<const std::byte> bytes) override {
    const std::lock_guard lock(mutex_);
    if (++calls_ == fail_at_) return Fail(ErrorCode::kIo, "injected fault of the scratch");
    const std::size_t end = at + bytes.size();
    if (bytes_.size() < end) {
      bytes_.resize(end);
      written_.resize(end);
    }
    if (!bytes.empty()) std::memcpy(bytes_.data() + at, bytes.data(), bytes.size());
    std::fill_n(written_.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(), true);
    return {};
  }
  Status Read(std::uint64_t at, std::span<std::byte> bytes) override {
    const std::lock_guard lock(mutex_);
    if (++calls_ == fail_at_) return Fail(ErrorCode::kIo, "injected fault of the scratch");
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (at + i >= bytes_.size() || !written_[at + i])
        return Fail(ErrorCode::kInternal, "reads what was not written");
    if (!bytes.empty()) std::memcpy(bytes.data(), bytes_.data() + at, bytes.size());
    if (!bytes.empty() && ++reads_ == flip_at_) bytes[bytes.size() / 2] ^= std::byte{4};
    return {};
  }
  void Forget(std::uint64_t at, std::uint64_t bytes) noexcept override {
    const std::lock_guard lock(mutex_);
    for (std::uint64_t i = at; i < at + bytes && i < written_.size(); ++i) written_[i] = false;
  }
  void FailAt(std::size_t call) { fail_at_ = call; }
  // What this read returns has a wrong bit.
  void FlipAt(std::size_t read) { flip_at_ = read; }
  std::size_t reads() const { return reads_; }
  std::size_t calls() const { return calls_; }

 private:
  std::mutex mutex_;
  std::size_t calls_ = 0, fail_at_ = 0, reads_ = 0, flip_at_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<bool> written_;
};

struct Loaded {
  Result<ApplyReport> report = ApplyReport();
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
  std::unique_ptr<Graph> graph;
};

// `base`: applied before.
inline Loaded LoadInto(EdgeLoad load, Executor& executor, Progress* progress = nullptr,
                       std::span<const WriteBatch> base = {}) {
  Loaded loaded;
  GraphOptions options;
  options.executor = &executor;
  loaded.graph = Graph::Open(Snapshot(), loaded.store, options, loaded.store);
  for (const WriteBatch& batch : base) EXPECT_TRUE(loaded.graph->Apply(batch));
  loaded.report = loaded.graph->Load(std::move(load), {}, progress);
  return loaded;
}

template <class T>
bool SameBytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline void ExpectSameRecords(const std::vector<Record>& a, const std::vector<Record>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Record &x = a[i], &y = b[i];
    EXPECT_EQ(std::tie(x.sequence, x.time_ms, x.first_string, x.string_offsets, x.string_bytes,
                       x.first_node, x.node_kinds, x.key_offsets, x.key_bytes),
              std::tie(y.sequence, y.time_ms, y.first_string, y.string_offsets, y.string_bytes,
                       y.first_node, y.node_kinds, y.key_offsets, y.key_bytes));
    EXPECT_EQ(x.node_kind_definitions.size(), y.node_kind_definitions.size());
    EXPECT_EQ(x.edge_kind_definitions.size(), y.edge_kind_definitions.size());
    EXPECT_TRUE(SameBytes(x.edges, y.edges)) << "record " << i;
    ASSERT_EQ(x.edge_extras.size(), y.edge_extras.size());
    for (std::size_t e = 0; e < x.edge_extras.size(); ++e)
      EXPECT_EQ(std::tie(x.edge_extras[e].index, x.edge_extras[e].valid_from,
                         x.edge_extras[e].valid_until),
                std::tie(y.edge_extras[e].index, y.edge_extras[e].valid_from,
                         y.edge_extras[e].valid_until));
  }
}

inline void ExpectSameGraphs(const Graph& a, const Graph& b) {
  ASSERT_TRUE(SameText(Dump(a.snapshot()), Dump(b.snapshot())));
  const GraphState &x = a.snapshot().state(), &y = b.snapshot().state();
  EXPECT_EQ(std::tie(x.sequence, x.edges_by_kind, x.nodes_by_kind),
            std::tie(y.sequence, y.edges_by_kind, y.nodes_by_kind));
  const auto same = [](const auto& left, const auto& right) {
    return std::ranges::equal(left.span(), right.span());
  };
  const Csr &p = *x.base, &q = *y.base;
  EXPECT_TRUE(same(p.out_offsets, q.out_offsets) && same(p.out_neighbors, q.out_neighbors) &&
              p.out_weights == q.out_weights && same(p.out_kinds, q.out_kinds) &&
              same(p.out_kinds_high, q.out_kinds_high));
  EXPECT_TRUE(std::ranges::equal(p.out_created_at.steps(), q.out_created_at.steps()) &&
              std::ranges::equal(p.out_created_at.values(), q.out_created_at.values()));
  EXPECT_TRUE(same(p.in_offsets, q.in_offsets) && same(p.in_neighbors, q.in_neighbors) &&
              p.in_weights == q.in_weights && same(p.in_kinds, q.in_kinds) &&
              same(p.in_kinds_high, q.in_kinds_high) && same(p.in_places, q.in_places));
  EXPECT_EQ(std::tie(p.labels.slots, p.labels.values, p.valid_from.slots, p.valid_until.values),
            std::tie(q.labels.slots, q.labels.values, q.valid_from.slots, q.valid_until.values));
}

// Stops at a report of a phase, the first one or a later one. What is said twice counts once.
class StopAt final : public Progress {
 public:
  StopAt(std::string_view phase, int passed) : phase_(phase), passed_(passed) {}
  bool Report(std::string_view phase, std::uint64_t done, std::uint64_t) override {
    const std::lock_guard lock(mutex_);
    if (phase != phase_) return true;
    if (reports_ > 0 && done == done_) return passed_ >= 0;  // said again, as time went by
    done_ = done;
    ++reports_;
    return passed_-- > 0;
  }
  int reports() const { return reports_; }

 private:
  const std::string_view phase_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
  int passed_, reports_ = 0;
};

}  // namespace plexus::testing
