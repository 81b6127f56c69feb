// Verification: the pieces of Database::Verify. Internal.
#pragma once

#include <cstdint>
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
  // The offset is the one that the message names, if any. Memory that is short, and a caller that
  // stops, say nothing of the files: they end the verification.
  void Add(const std::string& where, const Error& error) {
    if (error.code == ErrorCode::kResourceExhausted || error.code == ErrorCode::kCancelled) {
      if (ended_) ended_ = std::unexpected(error);
      return;
    }
    const std::size_t at = error.message.find("offset ");
    Add(where,
        at == std::string::npos ? 0 : std::strtoull(error.message.c_str() + at + 7, nullptr, 10),
        error.message);
  }
  const Status& ended() const { return ended_; }

 private:
  VerifyReport& report_;
  Status ended_;
};

// Edges are compared in parts of this many arcs of a checkpoint, one part after the other, 16 at
// most, so that no second graph is in memory. What each part costs, too, is reading the log and the
// nodes. Tests make it small.
inline std::uint64_t arcs_of_part = std::uint64_t{1} << 17;
inline constexpr std::uint32_t kMostParts = 16;

// The in arrays of the base are the transpose of the out arrays; symmetric edges have both arcs;
// counts fit.
void VerifyArcs(const GraphState& state, const std::string& where, ProblemList& problems);
// Keys and strings are what they may be.
void VerifyTexts(const GraphState& state, const std::string& where, ProblemList& problems);
// Every vector's reference, floats and node. Cycles of acyclic kinds become notes.
void VerifyVectors(const GraphState& state, const std::string& where, ProblemList& problems);
void NoteCycles(const Snapshot& snapshot, VerifyReport& report);
// `a` (a checkpoint as loaded) and `b` (the same point by replay, compacted) are the
// same graph, array by array: what is of nodes and the graph, and what is of arcs.
void CompareNodes(const GraphState& a, const GraphState& b, const std::string& where,
                  ProblemList& problems);
void CompareArcs(const GraphState& a, const GraphState& b, const std::string& where,
                 ProblemList& problems);

}  // namespace plexus::storage_internal
