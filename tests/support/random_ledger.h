// A random ledger: memories with all that the never-composed frontier reads, and events of them.
//
// Small on purpose, so that references may look at every set; skewed, so that much is shared; with
// ties, gaps and oddities: tags under several labels, boundary and prefixed tags, values out of
// range, removed and purged members, edges and nodes that are valid for a while, outcomes of
// unknown types. The same seed gives the same batches, and they apply in order to an empty graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/write_batch.h"

namespace plexus::testing {

inline constexpr std::int64_t kLedgerNow = 1000;  // Valid times lie around it.

struct RandomLedgerOptions {
  std::size_t facts = 16;
  std::size_t events = 7;
  std::size_t edges = 20;  // Typed ones between facts.
  int batches = 3;         // The first makes it, the others change it.
};

std::vector<WriteBatch> RandomLedger(std::uint64_t seed, const RandomLedgerOptions& options = {});

}  // namespace plexus::testing
