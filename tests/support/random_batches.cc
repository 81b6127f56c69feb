// One operation after another, each with its own dice.
#include "tests/support/random_batches.h"

#include <array>

#include "engine/vocabulary.h"
#include "tests/support/property_map.h"

namespace plexus::testing {
using namespace builtin;

namespace {

std::string Properties(std::uint64_t n) { return PropertyBytes("n", static_cast<std::int64_t>(n)); }

}  // namespace

NodeRef RandomBatches::Word(WriteBatch& batch, bool term) {
  return batch.IndexNode(term ? kTerm : kTag, Name("w", 4));
}
NodeRef RandomBatches::Event(WriteBatch& batch) {
  const NodeRef event = batch.IndexNode(kEvent, Name("e", 3));
  batch.UpsertNode(event);
  return event;
}
NodeRef RandomBatches::Outcome(WriteBatch& batch) {
  const NodeRef outcome = batch.IndexNode(kOutcome, Name("o", 3));
  batch.UpsertNode(outcome);
  return outcome;
}
// Named only: what is done to it decides whether it is created.
NodeRef RandomBatches::Any(WriteBatch& batch) {
  switch (Below(8)) {
    case 0:
      return Word(batch, true);
    case 1:
      return Word(batch, false);
    case 2:
      return batch.IndexNode(kEvent, Name("e", 3));
    case 3:
      return batch.IndexNode(kOutcome, Name("o", 3));
    default:
      return batch.Node(Name("n", 6));
  }
}

WriteBatch RandomBatches::Next(std::int64_t time_ms) {
  WriteBatch batch(time_ms);
  batch.set_links_revive(true);
  if (!defined_) {
    batch.DefineColumn({"real", ColumnType::kF64});
    batch.DefineColumn({"whole", ColumnType::kI64});
    batch.DefineColumn({"name", ColumnType::kString});
    batch.DefineSpace({"three", 3, Metric::kCosine});
    batch.DefineSpace({"two", 2, Metric::kL2});
    EdgeKind peers;
    peers.name = "peers";
    peers.symmetric = true;
    batch.DefineEdgeKind(peers);
    EdgeKind mentors;
    mentors.name = "mentors";
    mentors.inverse = "mentored_by";
    batch.DefineEdgeKind(mentors);
    defined_ = true;
  }
  for (std::uint64_t n = 1 + Below(6); n > 0; --n) Operation(batch);
  return batch;
}

void RandomBatches::Operation(WriteBatch& batch) {
  switch (Below(20)) {
    case 0:
    case 1:
    case 2:
      return FactEdge(batch, false);
    case 3:
      return FactEdge(batch, true);
    case 4:
    case 5:
    case 6:
      return WordEdge(batch, Fact(batch), false);
    case 7:
    case 8:
      return WordEdge(batch, batch.Node(Name("n", 6)), true);
    case 9:
    case 10:
      return EventEdge(batch, false);
    case 11:
      return EventEdge(batch, true);
    case 12:
      return Column(batch);
    case 13:
    case 14:
      return Payload(batch, Below(4) ? batch.Node(Name("n", 6)) : Any(batch));
    case 15:
    case 16:
      return Vector(batch, batch.Node(Name("n", 6)));
    case 17: {
      constexpr std::array<NodeKindId, 3> kKinds = {kMemory, kConcept, kNode};
      const std::string key = Name("n", 6);
      if (Below(4) == 0)
        batch.UpsertNode(key, batch.NodeKindNamed("robot"));
      else
        batch.UpsertNode(key, NodeKindRef(kKinds[Below(3)]));
      return;
    }
    default:
      if (Below(12) == 0) return batch.ForgetKey(Any(batch));
      return Remove(batch, Any(batch));
  }
}

void RandomBatches::Link(WriteBatch& batch, NodeRef source, EdgeKindRef kind, NodeRef target) {
  constexpr std::array<std::string_view, 3> kLabels = {"", "", "again"};
  WriteBatch::EdgeInput edge;
  edge.source = source;
  edge.target = target;
  edge.kind = kind;
  edge.label = kLabels[Below(3)];
  if (Below(2)) edge.weight = static_cast<float>(1 + Below(2));
  if (Below(3)) edge.created_at = 5;
  if (Below(5) == 0) edge.created_by = Below(3) ? "agent" : "";
  if (Below(6) == 0) edge.valid_from = Below(3) ? 10 : kNoTime;
  if (Below(6) == 0) edge.valid_until = Below(3) ? 10'000 : kNoTime;
  const std::string properties = Below(3) ? Properties(Below(3)) : "";
  if (Below(3) == 0) edge.properties = properties;
  batch.Link(edge);
}

void RandomBatches::FactEdge(WriteBatch& batch, bool unlink) {
  const std::uint64_t which = Below(5);
  const EdgeKindRef kind = which == 0   ? EdgeKindRef(kLink)
                           : which == 1 ? EdgeKindRef(kRelatesTo)
                           : which == 2 ? EdgeKindRef(kCauses)
                           : which == 3 ? batch.EdgeKindNamed("peers")
                                        : batch.EdgeKindNamed(Below(2) ? "mentors" : "mentored_by");
  const std::uint64_t a = Below(6);
  const std::uint64_t b = which == 0 || which > 2 ? Below(6) : (a + 1 + Below(5)) % 6;
  const NodeRef from = batch.Node("n" + std::to_string(a)),
                to = batch.Node("n" + std::to_string(b));
  if (unlink) return batch.Unlink(from, kind, to, Below(3) ? "" : "again");
  Link(batch, from, kind, to);
}

void RandomBatches::WordEdge(WriteBatch& batch, NodeRef node, bool unlink) {
  const bool term = Below(2);
  const EdgeKindId kind = term ? kHasTerm : kHasTag;
  const NodeRef word = Word(batch, term);
  if (unlink) return batch.Unlink(node, kind, word, Below(3) ? "" : "again");
  Link(batch, node, kind, word);
}

void RandomBatches::EventEdge(WriteBatch& batch, bool unlink) {
  const bool member = Below(3);
  if (!member) {
    const NodeRef outcome = unlink ? batch.IndexNode(kOutcome, Name("o", 3)) : Outcome(batch);
    const NodeRef event = batch.IndexNode(kEvent, Name("e", 3));
    if (unlink) return batch.Unlink(outcome, kLabels, event);
    return batch.Link(outcome, kLabels, event);
  }
  const NodeRef event = unlink ? batch.IndexNode(kEvent, Name("e", 3)) : Event(batch);
  const NodeRef fact = batch.Node(Name("n", 6));
  if (unlink) return batch.Unlink(event, kMember, fact, Below(3) ? "" : "again");
  Link(batch, event, kMember, fact);
}

void RandomBatches::Column(WriteBatch& batch) {
  const NodeRef node = batch.Node(Name("n", 6));
  switch (Below(7)) {
    case 0:
      return batch.SetF64(node, batch.ColumnNamed("real"), static_cast<double>(Below(3)) / 2);
    case 1:
      return batch.SetI64(node, batch.ColumnNamed("whole"), static_cast<std::int64_t>(Below(3)));
    case 2:
      return batch.SetString(node, batch.ColumnNamed("name"), Name("name", 3));
    case 3:
      return batch.AddI64(node, kAccessCount, 1);
    case 4:
      return batch.SetString(node, kScope, Name("scope", 2));
    case 5:
      return batch.ClearColumn(node, batch.ColumnNamed("real"));
    default:
      return batch.ClearColumn(node, batch.ColumnNamed("name"));
  }
}

void RandomBatches::Payload(WriteBatch& batch, NodeRef node) {
  switch (Below(5)) {
    case 0:
    case 1:
      return batch.SetPayload(node, NodeField::kText, Name("text ", 3));
    case 2:
      return batch.SetPayload(node, NodeField::kProperties, Properties(Below(3)));
    case 3:
      return batch.ClearPayload(node, NodeField::kText);
    default:
      return batch.ClearPayload(node, NodeField::kProperties);
  }
}

void RandomBatches::Vector(WriteBatch& batch, NodeRef node) {
  const bool three = Below(2);
  const SpaceRef space = batch.SpaceNamed(three ? "three" : "two");
  if (Below(3) == 0) return batch.ClearVector(node, space);
  const std::array<float, 3> values = {static_cast<float>(Below(2)), 1, 2};
  batch.SetVector(node, space, std::span(values).first(three ? 3 : 2));
}

// Half of them come back in the same batch, with some of what they had.
void RandomBatches::Remove(WriteBatch& batch, NodeRef node) {
  if (Below(2))
    batch.RemoveNode(node);
  else
    batch.PurgeNode(node);
  if (Below(6) == 0) batch.ForgetKey(node);
  if (Below(2)) return;
  for (std::uint64_t n = 1 + Below(4); n > 0; --n) {
    const std::uint64_t what = Below(6);
    if (what == 0) Remove(batch, Any(batch));
    if (what == 1) Payload(batch, node);
    if (what == 2) batch.UpsertNode(node);
    if (what > 2) Operation(batch);
  }
}

}  // namespace plexus::testing
