// Small ledgers written by hand, in the words of JSON lines: the inputs of the published checks.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "engine/graph.h"
#include "engine/properties/properties.h"
#include "engine/vocabulary.h"

namespace plexus::testing {

class LedgerGraph {
 public:
  struct Member {
    std::string_view key, role = "supporting";
  };

  NodeRef Node(std::string_view key, NodeKindId kind, std::string_view text,
               std::initializer_list<std::string_view> tags, std::optional<double> retention = {}) {
    const NodeRef node = batch_.UpsertNode(key, kind);
    if (!text.empty()) batch_.SetPayload(node, NodeField::kText, text);
    for (const std::string_view tag : tags)
      batch_.Link(node, builtin::kHasTag, batch_.IndexNode(builtin::kTag, tag));
    if (retention) batch_.SetF64(node, builtin::kRetention, *retention);
    return node;
  }
  void Tag(NodeRef node, std::string_view tag) {
    batch_.Link(node, builtin::kHasTag, batch_.IndexNode(builtin::kTag, tag));
  }
  void ValidUntil(std::string_view key, std::int64_t until) {
    batch_.SetI64(batch_.Node(key), builtin::kValidUntil, until);
  }
  void Link(std::string_view source, EdgeKindId kind, std::string_view target) {
    batch_.Link(batch_.Node(source), kind, batch_.Node(target));
  }
  void Event(std::string_view id, std::int64_t created_at, std::initializer_list<Member> members) {
    const NodeRef event = batch_.IndexNode(builtin::kEvent, id);
    batch_.UpsertNode(event);
    batch_.SetI64(event, builtin::kCreatedAt, created_at);
    for (const Member& member : members) {
      WriteBatch::EdgeInput edge;
      edge.source = event;
      edge.target = batch_.Node(member.key);
      edge.kind = builtin::kMember;
      edge.label = member.role;
      batch_.Link(edge);
    }
  }
  void Outcome(std::string_view event, std::string_view type) {
    const std::string name = std::string(type) + "/" + std::string(event);
    const NodeRef outcome = batch_.IndexNode(builtin::kOutcome, name);
    batch_.UpsertNode(outcome);
    PropertyMapBuilder made;
    made.String("type", type).String("source", "user");
    batch_.SetPayload(outcome, NodeField::kProperties, made.Finish().value());
    batch_.Link(outcome, builtin::kLabels, batch_.IndexNode(builtin::kEvent, event));
  }
  // Applies what was said since the last call, with the terms of the texts.
  void Commit() {
    retrieval::TermOptions words = retrieval::TermOptions::Recommended();
    words.stemmer.clear();  // as the oracles read them
    const auto terms = retrieval::AddTerms(graph_->snapshot(), words, batch_);
    EXPECT_TRUE(terms) << terms.error().ToString();
    const auto applied = graph_->Apply(batch_);
    EXPECT_TRUE(applied) << applied.error().ToString();
    batch_ = WriteBatch(1);
  }

  Snapshot snapshot() const { return graph_->snapshot(); }
  // "m1 m2"
  std::string Keys(const std::vector<NodeId>& members) const {
    std::string keys;
    for (const NodeId v : members) keys.append(keys.empty() ? "" : " ").append(snapshot().key(v));
    return keys;
  }

 private:
  std::unique_ptr<Graph> graph_ = Graph::InMemory();
  WriteBatch batch_{1};
};

inline constexpr std::int64_t kVaultNow = 1'700'000'100'000;

// Memories m1 to m7, of which m6 is superseded and m7 expired; events c1 to c4 with outcomes.
inline LedgerGraph Vault() {
  constexpr std::int64_t kT = 1'700'000'000'000;
  LedgerGraph g;
  g.Node("m1", builtin::kMemory, "The settlement queue replays payouts when the oracle restarts.",
         {"project:vestige", "settlement", "queue"}, 0.8);
  g.Node("m2", builtin::kDecision, "Pause payouts until the oracle restarts cleanly.",
         {"project:vestige", "pause", "oracle"}, 0.6);
  g.Node("m3", builtin::kMemory, "Accounting rounds settlement fees down.",
         {"project:vestige", "accounting"}, 0.5);
  g.Node("m4", builtin::kMemory, "Keeper rotation needs an upgrade window.", {"upgrade"}, 0.1);
  g.Node("m5", builtin::kConcept, "Rounds of keeper rotation.", {}, 0.5);
  g.Node("m6", builtin::kMemory, "The queue never replays payouts.", {"settlement", "queue"}, 0.9);
  g.Node("m7", builtin::kMemory, "Settlement fees were rounded upwards.",
         {"accounting", "settlement"}, 0.9);
  g.ValidUntil("m7", kT + 100);
  g.Link("m1", builtin::kSupersedes, "m6");
  g.Event("c1", kT + 10'000, {{"m1", "primary"}, {"m3"}, {"m1", "related"}});
  g.Event("c2", kT + 20'000, {{"m2", "primary"}, {"m4"}});
  g.Event("c3", kT + 30'000, {{"m1", "primary"}, {"m4", "contradicting"}});
  g.Event("c4", kT + 40'000, {{"m4"}, {"m3", "primary"}});
  g.Outcome("c1", "helpful");
  g.Outcome("c1", "duplicate_risk");
  g.Outcome("c2", "dead_end");
  g.Outcome("c3", "needs_poc");
  g.Commit();
  return g;
}

}  // namespace plexus::testing
