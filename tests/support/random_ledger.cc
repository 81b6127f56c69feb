// Batches of a random ledger: facts, tags and words, typed edges, events, outcomes; then changes.
#include "tests/support/random_ledger.h"

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <string_view>

#include "engine/properties/properties.h"
#include "engine/vocabulary.h"

namespace plexus::testing {

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

class Maker {
 public:
  Maker(std::uint64_t seed, const RandomLedgerOptions& options)
      : random_(seed * 7919 + 1), half_(seed % 2 == 1), o_(options) {}

  WriteBatch First() {
    WriteBatch batch(kLedgerNow);
    batch.set_links_revive(true);
    batch.DefineColumn({"memory_type", ColumnType::kString});
    batch.DefineSpace({"default", 3, Metric::kCosine, Prefilter::kNone,
                       half_ ? VectorElement::kF16 : VectorElement::kF32});
    for (std::size_t v = 0; v < o_.facts; ++v) AddFact(batch, v);
    for (std::size_t e = 0; e < o_.edges; ++e) AddEdge(batch);
    for (std::size_t e = 0; e < o_.events; ++e) AddEvent(batch, e);
    for (std::size_t e = 0; e < o_.events; ++e)
      if (Below(2) == 0) AddOutcome(batch, Below(o_.events));
    return batch;
  }

  WriteBatch Change() {
    WriteBatch batch(kLedgerNow);
    batch.set_links_revive(true);
    for (int i = 0; i < 6; ++i) One(batch);
    return batch;
  }

 private:
  std::size_t Below(std::size_t n) { return random_() % n; }
  double Unit() { return static_cast<double>(Below(1001)) / 1000; }
  // Small numbers more often.
  std::size_t Skewed(std::size_t n) {
    return static_cast<std::size_t>(static_cast<double>(n) * std::pow(Unit() * 0.999, 2));
  }
  static std::string Fact(std::size_t v) { return "m" + std::to_string(v); }
  static std::string Event(std::size_t e) { return "e" + std::to_string(e); }

  void AddFact(WriteBatch& batch, std::size_t v) {
    const NodeRef node = batch.UpsertNode(Fact(v), kKinds[Below(kKinds.size())]);
    const std::size_t how = Below(8);
    if (how < 3) batch.SetF64(node, kRetention, static_cast<double>(Below(5)) / 4);
    if (how == 3 || how == 0) batch.SetF64(node, kTrust, Unit());
    if (how == 4) batch.SetF64(node, kRetention, Below(2) ? 1.3 : -0.2);
    if (Below(4) == 0)
      batch.SetString(node, batch.ColumnNamed("memory_type"), Below(2) ? "fact" : "memory");
    if (Below(5) == 0) batch.SetString(node, kScope, Below(2) ? "team" : "user");
    // Around a moment of its own, so that no later batch ends what begins after it.
    const std::int64_t moment = kLedgerNow - 2 + static_cast<std::int64_t>(v % 5);
    if (Below(8) == 0) batch.SetI64(node, kValidFrom, moment - Time(2));
    if (Below(8) == 0) batch.SetI64(node, kValidUntil, moment + Time(2));
    if (Below(4)) batch.SetI64(node, kCreatedAt, 1'600'000'000'000 + Time(4) * 2'000'000'000);
    for (std::size_t t = Below(4); t-- > 0;) AddTag(batch, node);
    SetText(batch, node);
    if (Below(3)) {
      const float x = static_cast<float>(Below(5)), y = static_cast<float>(Below(4));
      const std::array<float, 3> values = {x, y, Below(2) ? 1.0f : 0.0f};
      batch.SetVector(node, batch.SpaceNamed("default"), values);
    }
  }
  std::int64_t Time(std::size_t n) { return static_cast<std::int64_t>(Below(n)); }

  void AddTag(WriteBatch& batch, NodeRef node) {
    const NodeRef tag = batch.IndexNode(kTag, kTags[Skewed(kTags.size())]);
    Link(batch, node, kHasTag, tag, Below(6) ? "" : "again", Below(10) == 0);
  }
  void Link(WriteBatch& batch, NodeRef source, EdgeKindId kind, NodeRef target,
            std::string_view label, bool for_a_while) {
    WriteBatch::EdgeInput edge;
    edge.source = source;
    edge.target = target;
    edge.kind = kind;
    edge.label = label;
    edge.created_at = Time(4);
    if (for_a_while) {
      edge.valid_from = kLedgerNow - 2 + Time(3);
      edge.valid_until = kLedgerNow + Time(4);
    }
    batch.Link(edge);
  }

  // The words are terms as an index would have them; the text spells them with other signs.
  void SetText(WriteBatch& batch, NodeRef node) {
    std::string text;
    for (std::size_t w = Below(6); w-- > 0;) {
      const std::string_view word = kWords[Skewed(kWords.size())];
      text.append(word).append(Below(2) ? ", " : " ");
      Link(batch, node, kHasTerm, batch.IndexNode(kTerm, word), "", Below(20) == 0);
    }
    if (!text.empty() && Below(3) == 0 && text[0] >= 'a') text[0] &= '\xDF';  // upper case
    if (!text.empty()) batch.SetPayload(node, NodeField::kText, text);
  }

  void AddEdge(WriteBatch& batch) {
    const std::size_t a = Skewed(o_.facts), b = Below(o_.facts);
    if (a == b) return;
    Link(batch, batch.Node(Fact(a)), kEdges[Below(kEdges.size())], batch.Node(Fact(b)),
         Below(5) ? "" : "twice", Below(6) == 0);
  }

  void AddEvent(WriteBatch& batch, std::size_t e) {
    const NodeRef event = batch.IndexNode(kEvent, Event(e));
    batch.UpsertNode(event);
    if (Below(5)) batch.SetI64(event, kCreatedAt, Time(6));
    for (std::size_t m = Below(5); m-- > 0;) AddMember(batch, event);
  }
  void AddMember(WriteBatch& batch, NodeRef event) {
    WriteBatch::EdgeInput edge;
    edge.source = event;
    edge.target = batch.Node(Fact(Skewed(o_.facts)));
    edge.kind = kMember;
    edge.label = kRoles[Below(kRoles.size())];
    std::string properties;
    if (Below(2)) {
      PropertyMapBuilder made;
      made.Int("rank", Time(3)).Double("score", Unit());
      properties = made.Finish().value();
      edge.properties = properties;
    }
    batch.Link(edge);
  }

  void AddOutcome(WriteBatch& batch, std::size_t e) {
    const auto types = BuiltinOutcomeTypes();
    const std::size_t type = Below(types.size() + 1);
    const std::string name(type < types.size() ? types[type] : "filed_elsewhere");
    const std::string key = name + "/" + std::to_string(++outcomes_) + "/user/" + Event(e);
    const NodeRef outcome = batch.IndexNode(kOutcome, key);
    batch.UpsertNode(outcome);
    batch.SetI64(outcome, kCreatedAt, Time(9));
    PropertyMapBuilder made;
    made.String("type", name).String("source", "user");
    batch.SetPayload(outcome, NodeField::kProperties, made.Finish().value());
    batch.Link(outcome, kLabels, batch.IndexNode(kEvent, Event(e)));
  }

  void One(WriteBatch& batch) {
    const std::size_t v = Below(o_.facts), e = Below(o_.events + 2);
    switch (Below(11)) {
      case 0:
        return batch.RemoveNode(batch.Node(Fact(v)));
      case 1:
        return Below(3) ? AddEdge(batch) : batch.PurgeNode(batch.Node(Fact(v)));
      case 2:
        return AddFact(batch, v);  // anew, or over what is there
      case 3:
        return batch.RemoveNode(batch.IndexNode(kEvent, Event(e)));
      case 4:
        return AddEvent(batch, e);
      case 5:
        return AddTag(batch, batch.UpsertNode(Fact(v)));
      case 6:
        return AddOutcome(batch, e);
      case 7:
        return batch.Unlink(batch.Node(Fact(v)), kHasTag,
                            batch.IndexNode(kTag, kTags[Skewed(kTags.size())]));
      case 8:
        return batch.Unlink(batch.IndexNode(kEvent, Event(e)), kMember, batch.Node(Fact(v)),
                            kRoles[Below(kRoles.size())]);
      case 9:
        return batch.SetF64(batch.UpsertNode(Fact(v)), kRetention, Unit());
      default:
        return AddEdge(batch);
    }
  }

  std::mt19937_64 random_;
  bool half_;  // vectors of an odd seed are f16
  RandomLedgerOptions o_;
  int outcomes_ = 0;
};

}  // namespace

std::vector<WriteBatch> RandomLedger(std::uint64_t seed, const RandomLedgerOptions& options) {
  Maker maker(seed, options);
  std::vector<WriteBatch> batches;
  batches.push_back(maker.First());
  while (batches.size() < static_cast<std::size_t>(options.batches))
    batches.push_back(maker.Change());
  return batches;
}

}  // namespace plexus::testing
