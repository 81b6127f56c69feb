// Arcs of a rare kind out of a node with half a million others are searched for: the pages of the
// array of kinds that a question reads are counted, by taking away the right to read them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/traversal/traversal.h"
#include "engine/graph.h"
#include "engine/parallel.h"
#include "engine/vocabulary.h"

namespace plexus {
using namespace builtin;
using namespace memory;
using namespace traversal;
namespace {

// The pages that lie wholly in `bytes`. One object at a time.
class PagesRead {
 public:
  explicit PagesRead(std::span<const std::uint8_t> bytes) {
    size_ = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    begin_ = (reinterpret_cast<std::uintptr_t>(bytes.data()) + size_ - 1) / size_ * size_;
    end_ = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size()) / size_ * size_;
    count_ = 0;
    struct sigaction action = {};
    action.sa_sigaction = &Give;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before_);
    Protect(begin_, end_ - begin_, PROT_NONE);
  }
  ~PagesRead() {
    Protect(begin_, end_ - begin_, PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &before_, nullptr);
  }
  static std::uint64_t all() { return (end_ - begin_) / size_; }
  static std::uint64_t count() { return count_; }

 private:
  static void Protect(std::uintptr_t at, std::uintptr_t bytes, int rights) {
    if (mprotect(reinterpret_cast<void*>(at), bytes, rights) != 0) abort();
  }
  static void Give(int, siginfo_t* info, void*) {
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (at < begin_ || at >= end_) {
      sigaction(SIGSEGV, &before_, nullptr);  // a real one: it comes again
      return;
    }
    ++count_;
    Protect(at / size_ * size_, size_, PROT_READ | PROT_WRITE);
  }
  static inline std::uintptr_t begin_ = 0, end_ = 0, size_ = 1;
  static inline std::atomic<std::uint64_t> count_ = 0;
  static inline struct sigaction before_ = {};
};

TEST(KindSearch, ReadsFewPagesOfALongRow) {
  constexpr int kOthers = 1 << 19;
  GraphOptions options;
  options.maintenance = Maintenance::kManual;
  options.executor = &SerialExecutor();
  const auto graph = Graph::InMemory(options);
  WriteBatch batch(1'000);
  const NodeRef hub = batch.UpsertNode("hub");
  for (int i = 0; i < kOthers; ++i) {
    const NodeRef other = batch.UpsertNode(std::to_string(i));
    batch.Link(hub, kLink, other);
    if (i % (kOthers / 3) == 7) batch.Link(hub, kSupports, other);
    if (i == 9) batch.Link(hub, kContradicts, other);
  }
  ASSERT_TRUE(graph->Apply(batch));
  ASSERT_TRUE(graph->Compact());
  const Snapshot s = graph->snapshot();
  const NodeWeight start[] = {{0, 1.0}};
  const NodeId source[] = {0};
  GraphFilter rare;
  rare.kinds = {kSupports};
  GraphFilter valid = rare;
  valid.valid_at = 5'000;
  const RunOptions run{.executor = &SerialExecutor()};
  const ArcFilter filter = ArcFilter::Kinds(s.schema(), rare.kinds);
  const auto walk = [&](const ArcFilter& by) {
    std::uint64_t arcs = 0;
    s.ForEachArc(Direction::kOut, 0, by, [&](const Arc&) { ++arcs; });
    return arcs;
  };
  const auto traverse = [&](const GraphFilter& by) {
    return Traverse(s, start, {.hops = 1, .filter = by, .run = run})->hits.size();
  };
  const auto bfs = [&](const GraphFilter& by) {
    return Bfs(s, source, {.max_depth = 1, .filter = by, .run = run})->nodes.size() - 1;
  };
  const struct {
    const char* name;
    std::uint64_t found;
    std::function<std::uint64_t()> ask;
  } questions[] = {
      {"arcs", 3, [&] { return walk(filter); }},
      {"valid arcs", 3, [&] { return walk(filter.ValidAt(5'000)); }},
      {"degree", 3, [&] { return s.Degree(Direction::kOut, 0, filter); }},
      {"edge", 1, [&] { return s.FindEdge(0, kSupports, 8) ? 1 : 0; }},
      {"traverse", 3, [&] { return traverse(rare); }},
      {"valid traverse", 3, [&] { return traverse(valid); }},
      {"bfs", 3, [&] { return bfs(rare); }},
      {"valid bfs", 3, [&] { return bfs(valid); }},
      {"conflicts", 1, [&] { return OpenConflicts(s, {.of = 0, .run = run})->conflicts.size(); }}};
  for (const auto& question : questions) {
    SCOPED_TRACE(question.name);
    (void)question.ask();  // what it keeps with the snapshot is made
    const PagesRead pages(s.base_rows(Direction::kOut).kinds);
    ASSERT_GE(pages.all(), 127u);
    EXPECT_EQ(question.ask(), question.found);
    EXPECT_LE(pages.count(), 24u);  // two searches of half a million
  }
  const PagesRead pages(s.base_rows(Direction::kOut).kinds);
  EXPECT_EQ(walk(ArcFilter::All()), kOthers + 4u);
  EXPECT_EQ(pages.count(), pages.all());
}

}  // namespace
}  // namespace plexus
