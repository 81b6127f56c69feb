// Batches of a random world of memories: what there is at first, then changes.
#include "tests/support/memory_world.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "algorithms/memory/ledger/ledger.h"
#include "engine/properties/properties.h"

namespace plexus::testing {
using namespace builtin;

namespace {

constexpr std::array<std::string_view, 12> kTags = {
    "queue", "project:a", "oracle", "Oracle",  "misc",  "boundary-net",
    "rust",  "project:b", "pause",  "project", "Scope", "Boundary-disk"};
constexpr std::array<std::string_view, 18> kWords = {
    "payouts",  "settlement", "restarts", "oracle", "node_42", "v2-cache",
    "keeper",   "rotation",   "there",    "tiny",   "about",   "12345678",
    "проверка", "記憶",       "retry",    "bronze", "copper",  "planet"};
constexpr std::array<NodeKindId, 8> kKinds = {kMemory,  kMemory, kMemory,  kDecision,
                                              kConcept, kTurn,   kEpisode, kNode};
constexpr std::array<EdgeKindId, 10> kEdges = {kSupports,   kCauses,  kRelatesTo,   kSupports,
                                               kSupersedes, kRefines, kContradicts, kSimilar,
                                               kDependsOn,  kLink};
constexpr std::array<std::string_view, 5> kRoles = {"primary", "supporting", "contradicting",
                                                    "superseded", "related"};
constexpr std::array<Change, 11> kChanges = {
    Change::kRemoveFact, Change::kEdge,      Change::kFact,     Change::kRemoveEvent,
    Change::kEvent,      Change::kTag,       Change::kOutcome,  Change::kUntag,
    Change::kUnmember,   Change::kRetention, Change::kPurgeFact};

std::string Properties(PropertyMapBuilder& made) { return made.Finish().value(); }

}  // namespace

MemoryWorld::MemoryWorld(std::uint64_t seed, const Size& size)
    : random_(seed * 7919 + 1), o_(size) {
  if (!o_.element) o_.element = seed % 2 == 1 ? VectorElement::kF16 : VectorElement::kF32;
}

std::size_t MemoryWorld::Skewed(std::size_t n) {
  return static_cast<std::size_t>(static_cast<double>(n) * std::pow(Unit() * 0.999, 2));
}

NodeRef MemoryWorld::Event(WriteBatch& batch) {
  return batch.IndexNode(kEvent, "e" + std::to_string(Below(o_.events + 2)));
}
NodeRef MemoryWorld::Outcome(WriteBatch& batch) {
  return batch.IndexNode(kOutcome, "o" + std::to_string(Below(o_.facts)));
}
NodeRef MemoryWorld::Turn(WriteBatch& batch) {
  return batch.UpsertNode("t" + std::to_string(Below(o_.turns)), kTurn);
}
NodeRef MemoryWorld::Group(WriteBatch& batch, NodeKindId kind) {
  return batch.IndexNode(kind, "g" + std::to_string(Below(o_.groups)));
}

std::vector<float> MemoryWorld::Vector() {
  std::vector<float> values(o_.dimensions);
  for (float& x : values) x = static_cast<float>(Below(65)) / 16 - 1.5f;
  return values;
}

// --- what there is at first

WriteBatch MemoryWorld::First() {
  WriteBatch batch(o_.now_ms);
  batch.set_links_revive(true);
  batch.DefineColumn({"memory_type", ColumnType::kString});
  batch.DefineSpace({"default", o_.dimensions, Metric::kCosine, Prefilter::kNone, *o_.element});
  for (std::size_t v = 0; v < o_.facts; ++v) AddFact(batch, v);
  for (std::size_t e = 0; e < o_.edges; ++e) AddEdge(batch);
  for (std::size_t e = 0; e < o_.events; ++e) AddEvent(batch, e);
  for (std::size_t e = 0; e < o_.events; ++e)
    if (Below(2) == 0) AddOutcome(batch, Below(o_.events));
  return batch;
}

void MemoryWorld::AddFact(WriteBatch& batch, std::size_t v) {
  const NodeRef node = batch.UpsertNode("m" + std::to_string(v), kKinds[Below(kKinds.size())]);
  const std::size_t how = Below(8);
  if (how < 3) batch.SetF64(node, kRetention, static_cast<double>(Below(5)) / 4);
  if (how == 3 || how == 0) batch.SetF64(node, kTrust, Unit());
  if (how == 4) batch.SetF64(node, kRetention, Below(2) ? 1.3 : -0.2);
  if (Below(4) == 0)
    batch.SetString(node, batch.ColumnNamed("memory_type"), Below(2) ? "fact" : "memory");
  if (Below(5) == 0) batch.SetString(node, kScope, Below(2) ? "team" : "user");
  // Around a moment of its own, so that no later batch ends what begins after it.
  const std::int64_t moment = o_.now_ms - 2 + static_cast<std::int64_t>(v % 5);
  if (Below(8) == 0) batch.SetI64(node, kValidFrom, moment - Time(2));
  if (Below(8) == 0) batch.SetI64(node, kValidUntil, moment + Time(2));
  if (Below(4)) batch.SetI64(node, kCreatedAt, 1'600'000'000'000 + Time(4) * 2'000'000'000);
  for (std::size_t t = Below(4); t-- > 0;) AddTag(batch, node);
  SetText(batch, node);
  if (Below(3)) batch.SetVector(node, batch.SpaceNamed("default"), Vector());
}

void MemoryWorld::AddTag(WriteBatch& batch, NodeRef node) {
  const NodeRef tag = batch.IndexNode(kTag, kTags[Skewed(kTags.size())]);
  Link(batch, node, kHasTag, tag, Below(6) ? "" : "again", Below(10) == 0);
}

void MemoryWorld::Link(WriteBatch& batch, NodeRef source, EdgeKindId kind, NodeRef target,
                       std::string_view label, bool for_a_while) {
  WriteBatch::EdgeInput edge;
  edge.source = source;
  edge.target = target;
  edge.kind = kind;
  edge.label = label;
  edge.created_at = Time(4);
  if (for_a_while) {
    edge.valid_from = o_.now_ms - 2 + Time(3);
    edge.valid_until = o_.now_ms + Time(4);
  }
  batch.Link(edge);
}

// The words are terms as an index would have them; the text spells them with other signs.
void MemoryWorld::SetText(WriteBatch& batch, NodeRef node) {
  std::string text;
  for (std::size_t w = Below(6); w-- > 0;) {
    const std::string_view word = kWords[Skewed(kWords.size())];
    text.append(word).append(Below(2) ? ", " : " ");
    Link(batch, node, kHasTerm, batch.IndexNode(kTerm, word), "", Below(20) == 0);
  }
  if (!text.empty() && Below(3) == 0 && text[0] >= 'a') text[0] &= '\xDF';  // upper case
  if (!text.empty()) batch.SetPayload(node, NodeField::kText, text);
}

void MemoryWorld::AddEdge(WriteBatch& batch) {
  const std::size_t a = Skewed(o_.facts), b = Below(o_.facts);
  if (a == b) return;
  Link(batch, batch.Node("m" + std::to_string(a)), kEdges[Below(kEdges.size())],
       batch.Node("m" + std::to_string(b)), Below(5) ? "" : "twice", Below(6) == 0);
}

void MemoryWorld::AddEvent(WriteBatch& batch, std::size_t e) {
  const NodeRef event = batch.IndexNode(kEvent, "e" + std::to_string(e));
  batch.UpsertNode(event);
  if (Below(5)) batch.SetI64(event, kCreatedAt, Time(6));
  for (std::size_t m = Below(5); m-- > 0;) AddMember(batch, event);
}

void MemoryWorld::AddMember(WriteBatch& batch, NodeRef event) {
  WriteBatch::EdgeInput edge;
  edge.source = event;
  edge.target = batch.Node("m" + std::to_string(Skewed(o_.facts)));
  edge.kind = kMember;
  edge.label = kRoles[Below(kRoles.size())];
  std::string properties;
  if (Below(2)) {
    PropertyMapBuilder made;
    made.Int("rank", Time(3)).Double("score", Unit());
    properties = Properties(made);
    edge.properties = properties;
  }
  batch.Link(edge);
}

void MemoryWorld::AddOutcome(WriteBatch& batch, std::size_t e) {
  const auto types = BuiltinOutcomeTypes();
  const std::size_t type = Below(types.size() + 1);
  const std::string name(type < types.size() ? types[type] : "filed_elsewhere");
  const std::string event = "e" + std::to_string(e);
  const NodeRef outcome =
      batch.IndexNode(kOutcome, name + "/" + std::to_string(++outcomes_) + "/user/" + event);
  batch.UpsertNode(outcome);
  batch.SetI64(outcome, kCreatedAt, Time(9));
  PropertyMapBuilder made;
  made.String("type", name).String("source", "user");
  batch.SetPayload(outcome, NodeField::kProperties, Properties(made));
  batch.Link(outcome, kLabels, batch.IndexNode(kEvent, event));
}

// --- changes

WriteBatch MemoryWorld::Next(std::span<const Change> sorts, std::size_t changes) {
  WriteBatch batch(o_.now_ms);
  batch.set_links_revive(true);
  for (std::size_t i = 0; i < changes; ++i) One(batch, sorts[Below(sorts.size())]);
  return batch;
}

void MemoryWorld::One(WriteBatch& batch, Change sort) {
  switch (sort) {
    case Change::kFact:
      return AddFact(batch, Below(o_.facts));
    case Change::kKind:
      return (void)batch.UpsertNode(Fact(), Below(4) ? kMemory : kConcept);
    case Change::kEdge:
      return AddEdge(batch);
    case Change::kTag:
      return AddTag(batch, batch.UpsertNode(Fact()));
    case Change::kUntag:
      return batch.Unlink(Memory(batch), kHasTag,
                          batch.IndexNode(kTag, kTags[Skewed(kTags.size())]));
    case Change::kTerm: {
      const NodeRef node = batch.UpsertNode(Fact());
      const NodeRef term = batch.IndexNode(kTerm, kWords[Skewed(kWords.size())]);
      if (Below(4) == 0) return batch.Unlink(node, kHasTerm, term);
      return batch.Link(node, kHasTerm, term, static_cast<float>(Below(5)) * 0.3f);
    }
    case Change::kVector:
      return batch.SetVector(batch.UpsertNode(Fact()), batch.SpaceNamed("default"), Vector());
    case Change::kRetention:
      return batch.SetF64(batch.UpsertNode(Fact()), kRetention, Unit());
    case Change::kValidFrom:
      return batch.SetI64(batch.UpsertNode(Fact()), kValidFrom, o_.now_ms - 50 + Time(100));
    case Change::kValidUntil:
      return batch.SetI64(batch.UpsertNode(Fact()), kValidUntil, o_.now_ms - 30 + Time(100));
    case Change::kClearTime:
      return batch.ClearColumn(batch.UpsertNode(Fact()), Below(2) ? kValidFrom : kValidUntil);
    case Change::kSupersede:
      return Supersede(batch, Fact(), Fact());
    case Change::kUnsupersede:
      return batch.Unlink(Memory(batch), kSupersedes, Memory(batch));
    case Change::kChain: {
      const std::size_t first = Below(o_.facts), length = 2 + Below(4);
      for (std::size_t k = 0; k < length; ++k) {
        const std::size_t next = (k + 1) % (length + Below(2));  // perhaps back to the first
        Supersede(batch, "m" + std::to_string((first + k) % o_.facts),
                  "m" + std::to_string((first + next) % o_.facts));
      }
      return;
    }
    case Change::kRemoveFact:
      return batch.RemoveNode(Memory(batch));
    case Change::kPurgeFact:
      return Below(3) ? AddEdge(batch) : batch.PurgeNode(Memory(batch));
    case Change::kDecision:
      return AddDecision(batch);
    case Change::kConcept:
      return AddConcept(batch);

    case Change::kEvent:
      return AddEvent(batch, Below(o_.events + 2));
    case Change::kBareEvent:  // perhaps one that was removed, or without members
      return (void)batch.UpsertNode(Event(batch));
    case Change::kEventTime:
      if (Below(2)) return batch.ClearColumn(Event(batch), kCreatedAt);
      return batch.SetI64(Event(batch), kCreatedAt, Time(60));
    case Change::kMember:
      return AddMember(batch, Event(batch));
    case Change::kUnmember:
      return batch.Unlink(Event(batch), kMember, Memory(batch), kRoles[Below(kRoles.size())]);
    case Change::kOutcome:
      return AddOutcome(batch, Below(o_.events + 2));
    case Change::kBareOutcome: {
      const auto types = BuiltinOutcomeTypes();
      const std::size_t type = Below(types.size() + 2);
      const NodeRef outcome = Outcome(batch);
      PropertyMapBuilder made;
      made.String("type", type < types.size() ? types[type] : "a/b%");
      batch.SetPayload(outcome, NodeField::kProperties, Properties(made));
      return batch.Link(outcome, kLabels, Event(batch));
    }
    case Change::kUnlabel:
      return batch.Unlink(Outcome(batch), kLabels, Event(batch));
    case Change::kRemoveOutcome:
      return batch.RemoveNode(Outcome(batch));
    case Change::kRemoveEvent:
      return batch.RemoveNode(Event(batch));
    case Change::kPurgeEvent:
      return batch.PurgeNode(Event(batch));

    case Change::kTurnTime:
      return batch.SetI64(Turn(batch), kCreatedAt, 1'000 * Time(12));
    case Change::kClearTurnTime:
      return batch.ClearColumn(Turn(batch), kCreatedAt);
    case Change::kSession:
      return batch.Link(Turn(batch), kInSession, Group(batch, kSession));
    case Change::kLeaveSession:
      return batch.Unlink(Turn(batch), kInSession, Group(batch, kSession));
    case Change::kFile:
      return AddFile(batch);
    case Change::kInscription:
      return batch.Link(Turn(batch), kInscribed, Group(batch, kInscription));
    case Change::kTurnVector:
      return batch.SetVector(Turn(batch), batch.SpaceNamed("default"), Vector());
    case Change::kRemoveTurn:
      return batch.RemoveNode(Turn(batch));
  }
}

void MemoryWorld::Supersede(WriteBatch& batch, const std::string& newer, const std::string& older) {
  WriteBatch::EdgeInput edge;
  edge.source = batch.UpsertNode(newer);
  edge.target = batch.UpsertNode(older);
  if (newer == older) return;
  edge.kind = kSupersedes;
  if (const std::size_t own = Below(6); own < 2) {
    EdgeKind kind;
    kind.name = own == 0 ? "replaces" : "rivals";
    kind.suppresses = true;
    kind.symmetric = own == 1;
    batch.DefineEdgeKind(kind);
    edge.kind = batch.EdgeKindNamed(kind.name);
  }
  edge.created_at = Time(5);
  if (Below(4) == 0) edge.label = Below(2) ? "once" : "again";
  if (Below(3) == 0) edge.valid_from = o_.now_ms - 50 + Time(50);
  if (Below(3) == 0) edge.valid_until = o_.now_ms + Time(60);
  batch.Link(edge);
}

void MemoryWorld::AddDecision(WriteBatch& batch) {
  constexpr EdgeKindId kTo[] = {kDependsOn, kDependsOn, kContradicts, kBlocks};
  const std::size_t v = Below(o_.facts);
  const NodeRef node = batch.UpsertNode("m" + std::to_string(v), kDecision);
  if (Below(2)) batch.SetString(node, kDecisionOutcome, Below(2) ? "success" : "failure");
  if (const std::size_t other = Below(o_.facts); other != v)
    batch.Link(node, kTo[Below(4)], batch.UpsertNode("m" + std::to_string(other), kDecision));
}

void MemoryWorld::AddConcept(WriteBatch& batch) {
  const std::size_t v = Below(o_.facts), other = Below(o_.facts);
  const NodeRef node = batch.UpsertNode("m" + std::to_string(v), kConcept);
  batch.SetF64(node, kArousalLevel, Unit());
  batch.SetI64(node, kAccessedAt, o_.now_ms - Time(500));
  if (v != other)
    batch.Link(node, Below(2) ? kIsA : kPartOf,
               batch.UpsertNode("m" + std::to_string(other), kConcept));
  if (Below(3)) return;
  const NodeRef episode = batch.UpsertNode("episode " + std::to_string(v), kEpisode);
  batch.SetPayload(episode, NodeField::kText, "what happened");
  batch.Link(node, kEvokes, episode);
}

void MemoryWorld::AddFile(WriteBatch& batch) {
  WriteBatch::EdgeInput edge;
  edge.source = Turn(batch);
  edge.kind = kMentions;
  edge.target = Group(batch, kFile);
  const char* const use = Below(2) ? "read" : "write";
  PropertyMapBuilder made;
  made.String("operation", use);
  const std::string properties = Properties(made);
  if (Below(2))
    edge.properties = properties;
  else
    edge.label = use;
  batch.Link(edge);
}

// --- by the ledger's own functions

WriteBatch MemoryWorld::Recorded(const Snapshot& now) {
  memory::NewEvent event;
  event.query = "the " + std::string(kWords[Below(6)]) + " " + std::to_string(Below(1000));
  event.tool = Below(2) ? "recall" : "bounty";
  event.mode = Below(3) ? "deep_reference" : "quick";
  clock_ += Time(3);
  event.created_at = Below(6) ? clock_ : Time(100);
  event.stubs = true;
  std::map<std::pair<std::string, std::string>, bool> known;
  for (std::size_t i = 1 + Below(5); i > 0; --i) {
    memory::NewMember member;
    member.key = Fact();
    member.role = kRoles[Below(kRoles.size())];
    if (Below(2)) member.rank = static_cast<double>(Below(4));
    if (known.emplace(std::pair(member.key, member.role), true).second)
      event.members.push_back(std::move(member));
  }
  auto recorded = memory::RecordEvent(now, event);
  EXPECT_TRUE(recorded) << recorded.error().ToString();
  return recorded ? std::move(recorded->batch) : WriteBatch(1);
}

WriteBatch MemoryWorld::Labeled(const Snapshot& now) {
  std::vector<NodeId> events;
  for (NodeId v = 0; v < now.node_count(); ++v)
    if (now.alive(v) && now.node_kind(v) == kEvent) events.push_back(v);
  if (events.empty()) return WriteBatch(1);
  const auto types = BuiltinOutcomeTypes();
  memory::NewLabel label;
  label.type = types[Below(types.size())];
  label.labeled_at = Time(50);
  if (Below(2)) label.notes = "n" + std::to_string(Below(3));
  if (Below(3) == 0) label.confidence_delta = 0.25;
  auto labeled = memory::LabelEvent(now, events[Below(events.size())], label);
  EXPECT_TRUE(labeled) << labeled.error().ToString();
  return labeled ? std::move(labeled->batch) : WriteBatch(1);
}

std::vector<WriteBatch> RandomLedger(std::uint64_t seed, const RandomLedgerOptions& options) {
  MemoryWorld world(seed, {options.facts, options.events, options.edges});
  std::vector<WriteBatch> batches;
  batches.push_back(world.First());
  while (batches.size() < static_cast<std::size_t>(options.batches))
    batches.push_back(world.Next(kChanges, 6));
  return batches;
}

}  // namespace plexus::testing
