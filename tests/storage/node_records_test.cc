// NodeRecords: no record that names a node is left out, few others are told, memory is bounded.
#include <algorithm>
#include <random>

#include "engine/vocabulary.h"
#include "storage/encoding/anchor.h"
#include "storage/log/node_records.h"
#include "storage/replica.h"
#include "tests/storage/encoding/record_parts.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

struct Log {
  std::shared_ptr<Rocks> rocks;
  LogPoint floor;
  std::vector<std::set<NodeId>> named;  // of record 1, 2, ...
};

Log ReadLog(const std::string& directory) {
  const auto files = std::make_shared<Files>();
  const Anchor anchor = Must(ReadAnchor(directory, *files));
  Log log;
  log.rocks = Must(
      Rocks::Open(GenerationPath(directory, anchor.generation), Rocks::Mode::kReadOnly, files));
  log.floor = {0, FirstHash(anchor.graph_id)};
  LogCursor cursor(log.rocks, log.floor);
  while (Must(cursor.Next())) log.named.push_back(NodesOf(cursor.record().record));
  return log;
}

class NodeRecordsOfALog : public ::testing::Test {
 protected:
  // Records of 1 to 2,000 edges among 20,000 nodes.
  void SetUp() override {
    const auto db = MustOpen(scratch_.path(), Create());
    std::mt19937_64 random(3);
    for (int i = 1; i <= 120; ++i) {
      WriteBatch batch(i * 1000);
      const std::uint64_t edges = i % 3 ? 1 + random() % 8 : 2'000;
      const auto node = [&] { return batch.UpsertNode(std::to_string(random() % 20'000)); };
      for (std::uint64_t e = 0; e < edges; ++e) {
        const NodeRef source = node();
        batch.Link(source, kLink, node());
      }
      ASSERT_TRUE(db->graph().Apply(batch));
    }
    ASSERT_TRUE(db->Close());
  }

  // The share of pairs of a node and a record that does not name it, but is told.
  static double FalseShare(const NodeRecords& records, const Log& log) {
    std::size_t wrong = 0, right = 0;
    for (NodeId v = 0; v < 20'000; v += 7) {
      const std::vector<Sequence> told = records.Of(v);
      EXPECT_TRUE(std::ranges::is_sorted(told));
      for (Sequence s = 1; s <= log.named.size(); ++s) {
        const bool is_told = std::ranges::binary_search(told, s);
        if (log.named[s - 1].contains(v)) {
          EXPECT_TRUE(is_told) << "node " << v << ", record " << s;
        } else {
          ++(is_told ? wrong : right);
        }
      }
    }
    return static_cast<double>(wrong) / static_cast<double>(wrong + right);
  }

  ScratchDirectory scratch_;
};

TEST_F(NodeRecordsOfALog, NamesAllAndFewOthers) {
  const Log log = ReadLog(scratch_.path());
  ASSERT_EQ(log.named.size(), 120u);
  NodeRecords records;
  PLEXUS_OK(records.Follow(log.rocks, log.floor, nullptr));
  EXPECT_EQ(records.end().sequence, 120u);
  EXPECT_LT(FalseShare(records, log), 0.04);
  std::size_t pairs = 0;
  for (const std::set<NodeId>& named : log.named) pairs += named.size();
  EXPECT_LT(records.bytes(), 4 * pairs + 32 * log.named.size() + 65'536);  // and Add's own
}

TEST_F(NodeRecordsOfALog, AreBounded) {
  const Log log = ReadLog(scratch_.path());
  constexpr std::uint64_t kMost = 65'536;
  NodeRecords wide, narrow(kMost);
  PLEXUS_OK(wide.Follow(log.rocks, log.floor, nullptr));
  PLEXUS_OK(narrow.Follow(log.rocks, log.floor, nullptr));
  EXPECT_LT(narrow.bytes(), wide.bytes());
  const double share = FalseShare(narrow, log);  // which holds that all are named
  EXPECT_GT(share, FalseShare(wide, log));
  EXPECT_LT(share, 0.5);
}

TEST_F(NodeRecordsOfALog, BeginAtTheFloorAndWithAnotherLog) {
  const Log log = ReadLog(scratch_.path());
  NodeRecords records;
  PLEXUS_OK(records.Follow(log.rocks, log.floor, nullptr));
  const auto all = records.Of(5);
  const LogPoint point = Must(PointAt(log.rocks, log.floor, 60));
  PLEXUS_OK(records.Follow(log.rocks, point, nullptr));
  auto later = all;
  std::erase_if(later, [](Sequence s) { return s <= 60; });
  EXPECT_EQ(records.Of(5), later);
  // Floors do not go back: what is below is read again.
  PLEXUS_OK(records.Follow(log.rocks, log.floor, nullptr));
  EXPECT_EQ(records.Of(5), all);
  // As long as this one, and another: nothing of this is told of it.
  ScratchDirectory other;
  {
    const auto db = MustOpen(other.path(), Create());
    for (int i = 1; i <= 130; ++i) {
      WriteBatch batch(i * 1000);
      (void)batch.UpsertNode("n" + std::to_string(i));
      ASSERT_TRUE(db->graph().Apply(batch));
    }
    ASSERT_TRUE(db->Close());
  }
  const Log second = ReadLog(other.path());
  PLEXUS_OK(records.Follow(second.rocks, second.floor, nullptr));
  EXPECT_EQ(records.end().sequence, 130u);
  EXPECT_EQ(records.Of(5), std::vector<Sequence>{6});
  EXPECT_TRUE(records.Of(999).empty());
}

}  // namespace
}  // namespace plexus::storage_internal::testing
