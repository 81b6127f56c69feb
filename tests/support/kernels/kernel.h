// The registry of kernels: a row a kernel, with its name, how to call it and the bytes of its
// answer. What every kernel promises is tested over all rows (tests/algorithms/kernels/): a new
// kernel is one row here, and a test of its own of what it alone promises.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "tests/support/kernels/answer_bytes.h"

namespace plexus::testing {

struct KernelAnswer {
  std::string bytes;
  std::string content;  // Without the counts of what was read, which a filter or a budget changes.
  bool truncated = false;  // As the answer says; false where it says nothing.
};

template <class T>
bool IsTruncated(const T& result) {
  if constexpr (requires { bool{result.duplicates_truncated}; })
    if (result.duplicates_truncated || result.conflicts_truncated) return true;
  if constexpr (requires { bool{result.truncated}; }) return result.truncated;
  if constexpr (requires { bool{result[0].truncated}; })
    return std::ranges::any_of(result, [](const auto& one) { return one.truncated; });
  return false;
}

struct KernelCall {
  GraphFilter filter = {};
  RunOptions run = {};
  // Called when the kernel has returned, before its answer is read. Null: nothing is.
  const std::function<void()>* returned = nullptr;
};

// What holds for a kernel beyond what holds for all.
struct KernelTraits {
  bool filters = false;  // It takes a GraphFilter.
  bool of_base = false;  // It reads the base's rows: a delta is not seen.
  bool writes = false;   // It proposes a batch.
  // Under a budget of nodes PageRank is pushed to the end, whatever that costs: within its error
  // the same.
  bool pushes = false;
};

struct Kernel {
  std::string name;
  KernelTraits traits;
  std::function<Result<KernelAnswer>(const Snapshot&, const KernelCall&)> call;

  Result<KernelAnswer> operator()(const Snapshot& s, const RunOptions& run = {}) const {
    return call(s, {.run = run});
  }
};

// All rows. They are asked of MakeKernelGraph (kernel_graph.h) and of graphs that have its spaces.
const std::vector<Kernel>& Kernels();

class KernelRows {
 public:
  // ask(snapshot, run) or ask(snapshot, filter, run) -> a Result; tell(its value): the part of it
  // that is promised.
  template <class Ask, class Tell = std::identity>
  void Add(std::string name, Ask ask, Tell tell = {}, KernelTraits traits = {}) {
    constexpr bool kFilters =
        std::invocable<Ask, const Snapshot&, const GraphFilter&, const RunOptions&>;
    traits.filters = kFilters;
    rows_.push_back(
        {std::move(name), traits,
         [ask, tell](const Snapshot& s, const KernelCall& call) -> Result<KernelAnswer> {
           auto result = [&] {
             if constexpr (kFilters)
               return ask(s, call.filter, call.run);
             else
               return ask(s, call.run);
           }();
           if (call.returned) (*call.returned)();
           if (!result) return std::unexpected(result.error());
           KernelAnswer answer;
           AddBytes(answer.bytes, tell(*result));
           AddContent(answer.content, tell(*result));
           answer.truncated = IsTruncated(*result);
           return answer;
         }});
  }
  template <class Ask>
  void AddOfBase(std::string name, Ask ask) {
    Add(std::move(name), ask, std::identity(), {.of_base = true});
  }

  std::vector<Kernel> Take() { return std::move(rows_); }

 private:
  std::vector<Kernel> rows_;
};

// The rows of each family; Kernels() is all of them.
void AddGraphKernels(KernelRows& rows);
void AddRetrievalKernels(KernelRows& rows);
void AddMemoryKernels(KernelRows& rows);
void AddLedgerKernels(KernelRows& rows);

// ASK { return Bfs(s, sources, {.run = run}); } and, of kernels that take one, FILTERED.
#define ASK [=]([[maybe_unused]] const Snapshot& s, [[maybe_unused]] const RunOptions& run)
#define FILTERED                                                                      \
  [=]([[maybe_unused]] const Snapshot& s, [[maybe_unused]] const GraphFilter& filter, \
      [[maybe_unused]] const RunOptions& run)

}  // namespace plexus::testing
