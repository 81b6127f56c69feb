// What an arc makes of a label, and how two relaxations of one node are merged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "algorithms/traversal/internal/layered_search.h"

namespace plexus::traversal::internal {

// Huge weights saturate here instead of reaching infinity (and 0 * inf).
inline constexpr double kMaxValue = std::numeric_limits<double>::max();

// Better by value (max: larger, min: smaller).
template <Aggregate A>
bool IsBetter(double a, double b) {
  return A == Aggregate::kMin ? a < b : a > b;
}
// Under max and min a later label must beat the node's earlier ones.
template <Aggregate A>
inline constexpr bool kDominates = A == Aggregate::kMax || A == Aggregate::kMin;

// A walk, or bundle of walks, extended by one arc.
struct Relaxation {
  double value;
  double best;
  std::uint32_t parent;  // label it extends
  NodeId parent_node;
};

template <Aggregate A>
Relaxation Extend(const Label& from, std::uint32_t index, double value, double weight,
                  double decay) {
  Relaxation relaxation;
  relaxation.value = value;
  relaxation.best = kDominates<A> ? value : std::min(from.best * decay * weight, kMaxValue);
  if (A == Aggregate::kNoisyOr) relaxation.value = std::min(1.0, relaxation.value);
  relaxation.parent = index;
  relaxation.parent_node = from.node;
  return relaxation;
}

inline void WriteLabel(Label& label, const Relaxation& relaxation, NodeId node, const Arc& arc,
                       bool pulled, int hop) {
  label.value = relaxation.value;
  label.best = relaxation.best;
  label.node = node;
  label.parent = relaxation.parent;
  label.position = arc.ref.position;
  label.run = static_cast<std::uint8_t>(arc.ref.run);
  label.hop = static_cast<std::uint8_t>(hop);
  label.direction = arc.ref.direction;
  label.pulled = pulled;
}

// The relaxation is merged into a label of its own layer. Ties of the proof go to the parent with
// the smaller node; of one parent, to the arc that comes first in the parent's row
// (`before`: this one does). True when the proof is now this arc.
template <Aggregate A>
bool MergeLabel(Label& label, Relaxation relaxation, NodeId label_parent, const Arc& arc,
                bool pulled, bool before = false) {
  const bool wins_tie = relaxation.parent_node < label_parent || before;
  const bool replaces =
      kDominates<A> ? IsBetter<A>(relaxation.value, label.value) ||
                          (relaxation.value == label.value && wins_tie)
                    : relaxation.best > label.best || (relaxation.best == label.best && wins_tie);
  if (A == Aggregate::kSum) relaxation.value = std::min(label.value + relaxation.value, kMaxValue);
  if (A == Aggregate::kNoisyOr)
    relaxation.value = label.value + relaxation.value * (1.0 - label.value);
  if (replaces)
    WriteLabel(label, relaxation, label.node, arc, pulled, label.hop);
  else if (!kDominates<A>)
    label.value = relaxation.value;
  return replaces;
}

// Of two arcs to one parent walked both ways, seen from the node `at` that is pulled to: which
// comes first in the parent's rows, where a push finds it? Its out row has the arcs that end here,
// symmetric kinds and loops, by kind and label; its in row, the rest.
inline bool PushedBefore(const Schema& schema, NodeId at, const Arc& a, const Arc& b) {
  if (a.neighbor == at) return a.kind < b.kind;
  const bool a_out = a.ref.direction == Direction::kIn || schema.edge_kind(a.kind).symmetric;
  const bool b_out = b.ref.direction == Direction::kIn || schema.edge_kind(b.kind).symmetric;
  return a_out != b_out ? a_out : a.kind < b.kind;
}

}  // namespace plexus::traversal::internal
