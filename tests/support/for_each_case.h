// Running a check over every case, shape and executor.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "engine/parallel.h"
#include "tests/support/case_graph.h"

namespace plexus::testing {

struct NamedExecutor {
  std::string name;
  std::unique_ptr<Executor> executor;
};

// One and two threads over oneTBB, three plain threads.
inline std::vector<NamedExecutor> Executors() {
  std::vector<NamedExecutor> list;
  list.push_back({"tbb 1", MakeTbbExecutor(1)});
  list.push_back({"tbb 2", MakeTbbExecutor(2)});
  list.push_back({"threads 3", MakeThreadExecutor(3)});
  return list;
}

// One after the other: for what is compared with an oracle many times. That no executor changes a
// bit of any kernel is tested by itself (tests/algorithms/kernels/).
inline Executor* NextExecutor() {
  static const std::vector<NamedExecutor> all = Executors();
  static std::size_t next = 0;
  return all[next++ % all.size()].executor.get();
}

// The nodes that keep(node) chooses.
template <class Keep>
NodeSubset SubsetOf(const Snapshot& s, Keep&& keep) {
  std::vector<NodeId> some;
  for (NodeId v = 0; v < s.node_count(); ++v)
    if (keep(v)) some.push_back(v);
  return *NodeSubset::Of(s, some);
}

// check(graph, shape) for every shape of every case, its name in the trace.
template <class Check>
void ForEachCase(const std::vector<Case>& cases, Check&& check) {
  for (const Case& c : cases)
    for (Shape shape : kShapes) {
      std::ostringstream what;
      what << c.name << ", " << shape;
      SCOPED_TRACE(what.str());
      const CaseGraph graph = Build(c, shape);
      check(graph, shape);
      if (::testing::Test::HasFailure()) return;
    }
}

// check(graph, shape) for the large cases.
template <class Check>
void ForEachLarge(Check&& check) {
  for (std::size_t which = 0; which < kLargeCases; ++which)
    for (Shape shape : kShapes) {
      std::ostringstream what;
      what << LargeCases()[which].name << ", " << shape;
      SCOPED_TRACE(what.str());
      check(Large(which, shape), shape);
      if (::testing::Test::HasFailure()) return;
    }
}

// Both, of the large ones each in a shape of its own: answers that do not depend on the shape.
template <class Check>
void ForEachGraph(Check&& check) {
  ForEachCase(SmallCases(), check);
  for (std::size_t which = 0; which < kLargeCases; ++which) {
    SCOPED_TRACE(LargeCases()[which].name);
    const Shape shape = kShapes[(which + 1) % std::size(kShapes)];
    check(Large(which, shape), shape);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace plexus::testing
