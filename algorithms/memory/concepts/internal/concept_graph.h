// What all functions on concepts share: names, the arousal that is stored, decay by relation, and
// writing concepts into a batch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/memory/concepts/concepts.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"

namespace plexus::memory::internal {

// Nothing but Unicode's white space.
bool IsBlank(std::string_view text);
// kInvalidArgument: blank, or no node key; `what` begins the message.
Status CheckConceptName(std::string_view what, std::string_view name);
Status CheckTime(std::int64_t now_ms);
Status CheckFinite(std::string_view what, double value);
Status CheckShare(std::string_view what, double value);  // in [0, 1]

// The alive concept of that key, or kNoNode.
NodeId FindConcept(const Snapshot& snapshot, std::string_view name);
// Alive concepts of these names, each once, as given; blank names are passed over.
struct FoundConcepts {
  std::vector<NodeId> nodes;
  std::vector<std::string> unknown;
};
FoundConcepts FindConcepts(const Snapshot& snapshot, std::span<const std::string> names);

// exp(-max(0, now - accessed_at) / tau) for many concepts at one time.
class Arousals {
 public:
  Arousals(std::int64_t now_ms, std::int64_t tau_ms)
      : now_(now_ms), tau_(static_cast<double>(tau_ms > 0 ? tau_ms : 1)) {}
  double operator()(const Snapshot& snapshot, NodeId node) const;

 private:
  std::int64_t now_;
  double tau_;
};
double ValenceOf(const Snapshot& snapshot, NodeId node);

inline constexpr std::array<EdgeKindId, 3> kRelations = {builtin::kIsA, builtin::kPartOf,
                                                         builtin::kEvokes};

// factor(kind, direction), resolved.
class DecayTable {
 public:
  // kInvalidArgument: a kind that is none of the three, a factor outside [0, 1].
  static Result<DecayTable> Make(const Schema& schema, std::span<const RelationDecay> rows);
  double operator()(EdgeKindId kind, bool forward) const {
    return factors_[(kind.value() - builtin::kIsA.value()) * 2 + (forward ? 1 : 0)];
  }

 private:
  std::array<double, 6> factors_ = {0.5, 1, 0.5, 1, 0.5, 1};  // against, along
};
static_assert(builtin::kPartOf.value() == builtin::kIsA.value() + 1 &&
              builtin::kEvokes.value() == builtin::kIsA.value() + 2);

// Raises `node` to `level` at now_ms, in the batch, unless its values are these already. True when
// it wrote.
bool Raise(const Snapshot& snapshot, NodeId node, double level, std::int64_t now_ms,
           WriteBatch& batch);
// The batch expects the stored arousal as it was read.
void ExpectArousal(const Snapshot& snapshot, NodeId node, WriteBatch& batch);
// By level, then name.
void SortRaised(const Snapshot& snapshot, std::vector<RaisedConcept>& raised);

// The concept `name` (trimmed, checked) as a batch refers to it, made with `level` where there is
// none. kInvalidArgument: a node of that name is of another kind.
struct NamedConcept {
  NodeRef ref;
  NodeId node = kNoNode;  // kNoNode: made by the batch
  bool created() const { return node == kNoNode; }
};
Result<NamedConcept> ConceptIn(const Snapshot& snapshot, std::string_view name, double level,
                               std::int64_t now_ms, WriteBatch& batch);

}  // namespace plexus::memory::internal
