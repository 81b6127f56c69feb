// A row of what proposes a batch: its answer, and what the batch would make of the graph.
#pragma once

#include <string>
#include <utility>

#include "engine/graph.h"
#include "tests/support/kernels/kernel.h"

namespace plexus::testing {

template <class Answer>
struct Proposed {
  Answer answer;
  ChangeCounts nodes, edges, events, outcomes, index;
  bool truncated = false;
};

// ask(snapshot, run) -> a Result of something that has a batch.
template <class Ask>
void AddProposal(KernelRows& rows, std::string name, Ask ask) {
  rows.Add(
      std::move(name),
      [ask](const Snapshot& s,
            const RunOptions& run) -> Result<Proposed<typename decltype(ask(s, run))::value_type>> {
        PLEXUS_ASSIGN(auto answer, ask(s, run));
        PLEXUS_ASSIGN(const PreviewResult preview,
                      Preview(s, answer.batch, {.executor = run.executor}));
        const ApplyReport& made = preview.report;
        bool truncated = false;
        if constexpr (requires { bool{answer.truncated}; }) truncated = answer.truncated;
        if constexpr (requires { bool{answer.stopped}; }) truncated |= answer.stopped;
        return Proposed<decltype(answer)>{std::move(answer), made.nodes, made.edges, made.events,
                                          made.outcomes,     made.index, truncated};
      },
      std::identity(), {.writes = true});
}

}  // namespace plexus::testing
