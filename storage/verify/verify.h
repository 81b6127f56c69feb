// Verification: the pieces of Database::Verify. Internal.
#pragma once

#include <cstdlib>
#include <string>

#include "engine/snapshot.h"
#include "engine/state.h"
#include "storage/database.h"

namespace plexus::storage_internal {

// Collects problems, the first 1,000 of them.
class ProblemList {
 public:
  explicit ProblemList(VerifyReport& report) : report_(report) {}
  void Add(std::string where, std::uint64_t offset, std::string what) {
    report_.ok = false;
    if (report_.problems.size() < 1000)
      report_.problems.push_back({std::move(where), offset, std::move(what)});
  }
  // The offset is the one that the message names, if any.
  void Add(const std::string& where, const Error& error) {
    const std::size_t at = error.message.find("offset ");
    Add(where,
        at == std::string::npos ? 0 : std::strtoull(error.message.c_str() + at + 7, nullptr, 10),
        error.message);
  }

 private:
  VerifyReport& report_;
};

// The in arrays are the transpose of the out arrays; symmetric edges have both
// arcs; counts, keys and columns fit.
void VerifyGraph(const GraphState& state, const std::string& where, ProblemList& problems);
// Every vector's reference, floats and node. Cycles of acyclic kinds become notes.
void VerifyVectors(const GraphState& state, const std::string& where, ProblemList& problems);
void NoteCycles(const Snapshot& snapshot, VerifyReport& report);
// `a` (a checkpoint as loaded) and `b` (the same point by replay, compacted) are the
// same graph, array by array.
void CompareStates(const GraphState& a, const GraphState& b, const std::string& where,
                   ProblemList& problems);

}  // namespace plexus::storage_internal
