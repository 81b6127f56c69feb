// The ledger by definition: over plain lists of what is in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::reference {

struct FlatLedger {
  struct Event {
    NodeId node;
    std::optional<std::int64_t> created_at;
  };
  struct Member {
    NodeId event, node;
    std::string role;
  };
  struct Label {
    NodeId outcome, event;
    std::string type;
    std::optional<std::int64_t> at;
  };
  std::vector<Event> events;  // alive
  std::vector<Member> members;
  std::vector<Label> labels;

  // One pass over all edges of the graph; types of outcomes are those in their properties.
  static FlatLedger Of(const Snapshot& snapshot);

  std::vector<NodeId> Newest() const;
  std::vector<NodeId> EventsOf(NodeId member) const;     // ascending
  std::vector<NodeId> NewestOf(NodeId member) const;     // newest first
  std::vector<NodeId> MembersOf(NodeId event) const;     // ascending, distinct
  std::vector<NodeId> LabelsOf(NodeId event) const;      // ascending, distinct
  std::vector<std::string> TypesOf(NodeId event) const;  // sorted, distinct
  std::vector<std::string> TypesAround(NodeId member) const;

  struct Neighbor {
    NodeId node;
    std::uint64_t composed;
    std::optional<std::int64_t> latest;
  };
  std::vector<Neighbor> ComposedWith(NodeId member) const;

 private:
  bool IsEvent(NodeId node) const;
  std::optional<std::int64_t> TimeOf(NodeId event) const;
};

}  // namespace plexus::reference
