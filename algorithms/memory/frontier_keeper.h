// FrontierKeeper: a never-composed list that a host keeps while its graph grows.
//
// The page equals that of a full run on the same snapshot, always. Of surface pairs the keeper
// holds more than it lists: after a change only pairs with a member that changed are taken out,
// scored again and put back. While enough is left above the last one that it knows, nothing else
// can have come before it. A full run is made when that is not known: the list ran short, too
// much changed, a tag or term of only one text changed, a node came back, the changes are no
// longer known, the ledger has grown into another lens (kByLedger), or the question is of another
// lens or of sets. Counters say how often.
//
//   PLEXUS_ASSIGN(auto keeper, FrontierKeeper::Make(graph.snapshot(), {.top = 100}));
//   graph.Apply(event);
//   PLEXUS_TRY(keeper.Update(graph.snapshot()));
//   keeper.page().sets ...
//
// Not thread-safe; keepers of one graph do not know of each other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "algorithms/memory/never_composed.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus {

struct FrontierKeeperCounters {
  std::uint64_t full = 0;         // Full runs, the first one included.
  std::uint64_t incremental = 0;  // Updates from only the changes.
  std::uint64_t unchanged = 0;    // Updates to the same content.
  std::uint64_t members = 0;      // Members that quick updates looked at.
  std::uint64_t scored = 0;       // Pairs that they scored.
  std::string full_run_reason;    // Of the last full run.
};

class FrontierKeeper {
 public:
  // Computes: the first page of `options`, and what is needed to keep it. The time of the question
  //   stays that of the options, or of this snapshot: another time is another keeper.
  // Complexity: that of NeverComposed. Memory: also that, as long as the keeper lives.
  // Errors: those of NeverComposed. kUnsupported: a pool, as it cannot follow, or a cursor.
  static Result<FrontierKeeper> Make(const Snapshot& snapshot, NeverComposedOptions options);
  FrontierKeeper(FrontierKeeper&&) noexcept;
  FrontierKeeper& operator=(FrontierKeeper&&) noexcept;
  ~FrontierKeeper();

  // Computes: the page of a later snapshot of the same graph (or any other: by a full run).
  // Complexity: O(pool) by a few bits for each member that changed; else that of NeverComposed.
  // Errors: those of NeverComposed; the page is that of the snapshot before then.
  Status Update(const Snapshot& snapshot);

  const NeverComposedPage& page() const;
  const FrontierKeeperCounters& counters() const;

 private:
  struct State;
  explicit FrontierKeeper(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace plexus
