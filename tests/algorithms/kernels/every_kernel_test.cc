// What every kernel promises, over the registry: the same bits with any executor and on any shape
// of the graph, what is kept equals what is made from nothing, filters select a subgraph, budgets
// cut at the same place and say so, a cancel is heard, an empty graph is no special case, long
// chains and hubs neither overflow the stack nor take forever.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "engine/writer/state_writer.h"
#include "tests/support/cancelling_executor.h"
#include "tests/support/for_each_case.h"
#include "tests/support/kernels/kernel.h"
#include "tests/support/kernels/kernel_graph.h"
#include "tests/support/ordered_executor.h"

namespace plexus::testing {
using namespace builtin;
namespace {

// Of blocks: enough facts that loops have several.
constexpr std::size_t kSmall = 64, kLarge = 3'000;

// check(kernel) for each, its name in the trace.
template <class Check>
void ForEachKernel(Check&& check) {
  for (const Kernel& kernel : Kernels()) {
    SCOPED_TRACE(kernel.name);
    check(kernel);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(EveryKernel, SameBitsWithAnyExecutor) {
  const Snapshot snapshot = MakeKernelGraph(2, kLarge)->snapshot();
  std::vector<NamedExecutor> executors = Executors();
  executors.push_back({"forwards", std::make_unique<OrderedExecutor>(false)});
  executors.push_back({"backwards", std::make_unique<OrderedExecutor>(true)});
  ForEachKernel([&](const Kernel& kernel) {
    // Nothing derived: each makes it.
    const auto fresh = [&] {
      return Snapshot(std::make_shared<const FrozenState>(snapshot.state()));
    };
    const auto want = kernel(fresh(), {.executor = &SerialExecutor()});
    ASSERT_TRUE(want) << want.error().ToString();
    for (const auto& [name, executor] : executors) {
      const auto got = kernel(fresh(), {.executor = executor.get()});
      ASSERT_TRUE(got) << name << ": " << got.error().ToString();
      EXPECT_TRUE(got->bytes == want->bytes) << name;
    }
  });
}

// The catalogue of graphs has hubs, rings and nodes that point nowhere.
TEST(EveryKernel, SameBitsOnEveryCase) {
  const std::vector<NamedExecutor> executors = Executors();
  for (std::size_t which = 0; which < kLargeCases; ++which) {
    SCOPED_TRACE(LargeCases()[which].name);
    ForEachKernel([&](const Kernel& kernel) {
      if (kernel.traits.of_base) return;
      const auto want =
          kernel(Large(which, Shape::kClean).snapshot(), {.executor = &SerialExecutor()});
      std::size_t next = which;
      for (const Shape shape : kShapes) {
        const auto& [name, executor] = executors[next++ % executors.size()];
        const auto got = kernel(Large(which, shape).snapshot(), {.executor = executor.get()});
        ASSERT_EQ(got.has_value(), want.has_value()) << shape << ", " << name;
        if (want) {
          EXPECT_TRUE(got->bytes == want->bytes) << shape << ", " << name;
        }
      }
    });
  }
}

TEST(EveryKernel, SameBitsOnAnyShape) {
  for (const std::size_t facts : {kSmall, kLarge}) {
    const Snapshot delta = MakeKernelGraph(3, facts)->snapshot();
    const Snapshot base = *delta.Compacted(SerialExecutor());
    ForEachKernel([&](const Kernel& kernel) {
      if (kernel.traits.of_base) return;
      const auto want = kernel(delta), got = kernel(base);
      ASSERT_TRUE(want) << want.error().ToString();
      ASSERT_TRUE(got) << got.error().ToString();
      EXPECT_TRUE(got->bytes == want->bytes);
    });
  }
}

// Over a space of f16 values the same as over one that has these values in f32.
TEST(EveryKernel, HalfVectorsAreTheirValues) {
  const auto full = Graph::InMemory(), half = Graph::InMemory();
  KernelWorld(6, 600, VectorElement::kF32).Begin(*full);
  KernelWorld(6, 600, VectorElement::kF16).Begin(*half);
  ForEachKernel([&](const Kernel& kernel) {
    const auto want = kernel(full->snapshot()), got = kernel(half->snapshot());
    ASSERT_TRUE(want) << want.error().ToString();
    ASSERT_TRUE(got) << got.error().ToString();
    EXPECT_TRUE(got->bytes == want->bytes);
  });
}

// A filter selects the graph that is left when the rest is taken away.
TEST(EveryKernel, FiltersSelectASubgraph) {
  for (const std::size_t which : {std::size_t{1}, std::size_t{3}}) {
    SCOPED_TRACE(LargeCases()[which].name);
    const Snapshot s = Large(which, Shape::kDelta).snapshot();
    const std::vector<NodeId> named = {0, 1, 2, 3, 17, 40, 41};
    const NodeSubset subset = SubsetOf(
        s, [&](NodeId v) { return s.alive(v) && (v % 3 != 0 || std::ranges::count(named, v)); });
    const EdgeKindId kinds[] = {kSupports, kCauses, kRelatesTo};
    const auto without = [&](const std::function<void(WriteBatch&)>& take_away) {
      auto graph = Graph::Open(s, nullptr);
      WriteBatch batch(2000);
      take_away(batch);
      EXPECT_TRUE(graph->Apply(batch));
      return graph->snapshot();
    };
    const Snapshot fewer_nodes = without([&](WriteBatch& batch) {
      for (NodeId v = 0; v < s.node_count(); ++v)
        if (s.alive(v) && s.is_fact(v) && !subset.contains(v)) batch.RemoveNode(NodeRef::Id(v));
    });
    const Snapshot fewer_edges = without([&](WriteBatch& batch) {
      s.ForEachEdge(ArcFilter::All(), [&](const Edge& e) {
        if (std::ranges::count(kinds, e.kind) == 0 &&
            s.schema().edge_kind(e.kind).plane == Plane::kFact)
          batch.Unlink(NodeRef::Id(e.source), e.kind, NodeRef::Id(e.target), s.string(e.label));
      });
    });
    ForEachKernel([&](const Kernel& kernel) {
      if (!kernel.traits.filters) return;
      const auto same = [&](const GraphFilter& filter, const Snapshot& other, const char* what) {
        // Kinds, too: a kernel may follow other kinds than all where none is named.
        const auto got = kernel.call(s, {.filter = filter}),
                   want = kernel.call(other, {.filter = {.kinds = filter.kinds}});
        ASSERT_EQ(got.has_value(), want.has_value()) << what;
        if (got) {
          EXPECT_TRUE(got->content == want->content) << what;
        }
      };
      same({.subset = &subset}, fewer_nodes, "a subset");
      same({.kinds = kinds}, fewer_edges, "kinds");
    });
  }
}

TEST(EveryKernel, RefusesKindsThatThereAreNot) {
  const Snapshot s = MakeKernelGraph(7, kSmall)->snapshot();
  const EdgeKindId none[] = {EdgeKindId{60'000}};
  ForEachKernel([&](const Kernel& kernel) {
    if (!kernel.traits.filters) return;
    const auto got = kernel.call(s, {.filter = {.kinds = none}});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::kInvalidArgument) << got.error().ToString();
  });
}

// Nodes and edges end a call at the same place with any executor, and what was cut says so.
TEST(EveryKernel, BudgetsCutAtTheSamePlaceAndSaySo) {
  const Snapshot s = MakeKernelGraph(4, 600)->snapshot();
  const std::vector<NamedExecutor> executors = Executors();
  ForEachKernel([&](const Kernel& kernel) {
    const auto whole = kernel(s);
    ASSERT_TRUE(whole);
    for (const std::uint64_t most : {0u, 1u, 100u, 5'000u})
      for (const bool nodes : {false, true}) {
        std::string first;
        for (const auto& [name, executor] : executors) {
          RunOptions run{.executor = executor.get()};
          (nodes ? run.budget.nodes : run.budget.edges) = most;
          const auto got = kernel(s, run);
          if (!got) {
            EXPECT_EQ(got.error().code, ErrorCode::kResourceExhausted) << got.error().ToString();
            continue;
          }
          EXPECT_TRUE(got->truncated || kernel.traits.pushes || got->content == whole->content)
              << most << ", " << name;
          if (first.empty()) first = got->bytes;
          EXPECT_TRUE(got->bytes == first) << most << ", " << name;
        }
      }
  });
}

// Before it begins, and before any of its blocks.
TEST(EveryKernel, HearsACancel) {
  const Snapshot s = MakeKernelGraph(5, kSmall)->snapshot();
  ForEachKernel([&](const Kernel& kernel) {
    const auto whole = kernel(s);
    ASSERT_TRUE(whole);
    for (int block = 0, blocks = 1; block < blocks; block = block * 2 + 1) {
      const Snapshot fresh(std::make_shared<const FrozenState>(s.state()));
      CancelsBeforeBlock executor(block);
      RunOptions run{.executor = &executor};
      run.budget.cancel = &executor.cancel;
      const auto got = kernel(fresh, run);
      blocks = executor.count;
      if (got) {
        EXPECT_TRUE(got->truncated || got->content == whole->content) << block;
      }
    }
    const std::atomic<bool> cancel = true;
    RunOptions run;
    run.budget.cancel = &cancel;
    const auto got = kernel(Snapshot(std::make_shared<const FrozenState>(s.state())), run);
    if (got) {
      EXPECT_TRUE(got->truncated || got->content == whole->content);
    }
  });
}

// What is asked for by name is not there; what counts answers.
TEST(EveryKernel, AnswersAboutAnEmptyGraph) {
  const auto graph = Graph::InMemory();
  ForEachKernel([&](const Kernel& kernel) {
    if (kernel.traits.of_base) return;  // they require their nodes
    const auto got = kernel(graph->snapshot());
    if (!got) {
      EXPECT_TRUE(got.error().code == ErrorCode::kInvalidArgument ||
                  got.error().code == ErrorCode::kNotFound)
          << got.error().ToString();
      EXPECT_FALSE(got.error().message.empty());
    }
  });
}

// A stack of 1 MiB and 100,000 nodes in a row: a call for each would overflow it.
TEST(EveryKernel, DoesNotRecurseOnALongChain) {
  constexpr NodeId kLength = 100'000;
  auto graph = Graph::InMemory();
  WriteBatch batch(1);
  NodeRef before = batch.UpsertNode("m0");
  for (NodeId v = 1; v < kLength; ++v) {
    const NodeRef node = batch.UpsertNode("m" + std::to_string(v), v % 2 ? kConcept : kDecision);
    for (const EdgeKindId kind : {kSupersedes, kDependsOn, kSupports, kIsA})
      batch.Link(node, kind, before, 0.5f);
    before = node;
  }
  ASSERT_TRUE(graph->Apply(batch));
  ASSERT_TRUE(graph->Compact());
  const Snapshot s = graph->snapshot();
  pthread_attr_t small;
  ASSERT_EQ(pthread_attr_init(&small), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&small, std::size_t{1} << 20), 0);
  struct Call {
    const Kernel& kernel;
    const Snapshot& s;
  };
  ForEachKernel([&](const Kernel& kernel) {
    Call call{kernel, s};
    pthread_t thread;
    ASSERT_EQ(pthread_create(
                  &thread, &small,
                  [](void* argument) -> void* {
                    const Call& asked = *static_cast<Call*>(argument);
                    (void)asked.kernel(asked.s, {.executor = &SerialExecutor()});
                    return nullptr;
                  },
                  &call),
              0);
    pthread_join(thread, nullptr);
  });
}

}  // namespace
}  // namespace plexus::testing
