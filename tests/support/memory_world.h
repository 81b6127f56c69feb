// A random world of memories, in batches: facts with all that kernels of memory read, typed edges,
// decisions, concepts, turns in sessions, a ledger of events and outcomes.
//
// Small on purpose, so that references may look at every set; skewed, so that much is shared; with
// ties, gaps and oddities: tags under several labels, boundary and prefixed tags, values out of
// range, removed and purged members, edges and nodes that are valid for a while, outcomes of
// unknown types. The same seed gives the same batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/snapshot.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"

namespace plexus::testing {

inline constexpr std::int64_t kLedgerNow = 1000;  // Valid times lie around it.

// What one change does. Its nodes and values are drawn.
enum class Change : std::uint8_t {
  // Facts "m0", "m1" ...
  kFact,  // Made, or written over what is there.
  kKind,
  kEdge,
  kTag,
  kUntag,
  kTerm,    // Linked to a term, or unlinked.
  kVector,  // In every space.
  kRetention,
  kValidFrom,
  kValidUntil,
  kClearTime,
  kSupersede,  // By kSupersedes, or by a kind of its own that suppresses.
  kUnsupersede,
  kChain,  // Some of these edges in a row, perhaps closed to a cycle.
  kRemoveFact,
  kPurgeFact,
  kDecision,  // With an outcome, edges to others that it depends on, contradicts or blocks.
  kConcept,   // With arousal and edges of concepts; some evoke an episode.
  // Events "e0" ... and outcomes "o0" ..., written without RecordEvent.
  kEvent,
  kBareEvent,
  kEventTime,
  kMember,
  kUnmember,
  kOutcome,
  kBareOutcome,  // Its key does not hold its type.
  kUnlabel,
  kRemoveOutcome,
  kRemoveEvent,
  kPurgeEvent,
  // Turns "t0" ...
  kTurnTime,
  kClearTurnTime,
  kSession,
  kLeaveSession,
  kFile,
  kInscription,
  kTurnVector,
  kRemoveTurn,
};

class MemoryWorld {
 public:
  struct Size {
    std::size_t facts = 16, events = 7;
    std::size_t edges = 20;  // Typed ones between facts, of First().
    std::size_t turns = 8, groups = 4;
    std::int64_t now_ms = kLedgerNow;
    std::uint32_t dimensions = 3;               // Of the space "default".
    std::optional<VectorElement> element = {};  // Its values; absent: f16 for an odd seed.
  };
  explicit MemoryWorld(std::uint64_t seed) : MemoryWorld(seed, Size()) {}
  MemoryWorld(std::uint64_t seed, const Size& size);

  std::size_t Below(std::size_t n) { return random_() % n; }
  std::string Fact() { return "m" + std::to_string(Below(o_.facts)); }
  std::vector<float> Vector();  // Of values that are f16 exactly.

  // Columns and spaces, the facts, edges, events and outcomes.
  WriteBatch First();
  // A sort that is named twice is drawn twice as often.
  WriteBatch Next(std::span<const Change> sorts, std::size_t changes);
  void One(WriteBatch& batch, Change sort);

  // By RecordEvent and LabelEvent; empty: `now` has no event to label.
  WriteBatch Recorded(const Snapshot& now);
  WriteBatch Labeled(const Snapshot& now);

 private:
  double Unit() { return static_cast<double>(Below(1001)) / 1000; }
  std::int64_t Time(std::size_t n) { return static_cast<std::int64_t>(Below(n)); }
  std::size_t Skewed(std::size_t n);  // Small numbers more often.
  NodeRef Memory(WriteBatch& batch) { return batch.Node(Fact()); }
  NodeRef Event(WriteBatch& batch);
  NodeRef Outcome(WriteBatch& batch);
  NodeRef Turn(WriteBatch& batch);
  NodeRef Group(WriteBatch& batch, NodeKindId kind);

  void AddFact(WriteBatch& batch, std::size_t v);
  void AddTag(WriteBatch& batch, NodeRef node);
  void Link(WriteBatch& batch, NodeRef source, EdgeKindId kind, NodeRef target,
            std::string_view label, bool for_a_while);
  void SetText(WriteBatch& batch, NodeRef node);
  void AddEdge(WriteBatch& batch);
  void AddEvent(WriteBatch& batch, std::size_t e);
  void AddMember(WriteBatch& batch, NodeRef event);
  void AddOutcome(WriteBatch& batch, std::size_t e);
  void Supersede(WriteBatch& batch, const std::string& newer, const std::string& older);
  void AddDecision(WriteBatch& batch);
  void AddConcept(WriteBatch& batch);
  void AddFile(WriteBatch& batch);

  std::mt19937_64 random_;
  Size o_;
  int outcomes_ = 0;
  std::int64_t clock_ = 50;  // Of Recorded().
};

struct RandomLedgerOptions {
  std::size_t facts = 16, events = 7, edges = 20;
  int batches = 3;  // The first makes it, the others change it.
};
// Batches that apply in order to an empty graph.
std::vector<WriteBatch> RandomLedger(std::uint64_t seed, const RandomLedgerOptions& options = {});

}  // namespace plexus::testing
