// What the nodes and edges of the ledger hold: an event's attributes, its members, its outcomes.
//
// Attributes of another type than the ledger's are passed over, as are payloads that were purged.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/memory/ledger/ledger.h"
#include "engine/error.h"
#include "engine/properties/properties.h"
#include "engine/snapshot.h"

namespace plexus::memory::internal {

// The map behind `ref`; empty without one, or when it was purged. Errors: the store's.
Result<PropertyMap> StoredProperties(const Snapshot& snapshot, PayloadRef ref);
Result<PropertyMap> PropertiesOf(const Snapshot& snapshot, NodeId node);
std::string TextOf(const PropertyView& map, std::string_view name);
std::vector<std::string> TextsOf(const PropertyView& map, std::string_view name);

// Attributes of events and outcomes, and of members: not names of free properties.
std::span<const std::string_view> RecordAttributes();
std::span<const std::string_view> MemberAttributes();
// The other members of a map, as JSON; "": none.
std::string FreeProperties(const PropertyView& map, std::span<const std::string_view> attributes);

Result<LedgerEvent> ReadEvent(const Snapshot& snapshot, const LedgerIndex& index, NodeId node);
// By rank, role, key.
Result<std::vector<LedgerMember>> ReadMembers(const Snapshot& snapshot, NodeId event);
// Newest first.
Result<std::vector<LedgerOutcome>> ReadOutcomes(const Snapshot& snapshot, const LedgerIndex& index,
                                                NodeId event);

// Wanted tags, and who has one.
class TagFilter {
 public:
  explicit TagFilter(std::span<const std::string> wanted) : wanted_(wanted) {}

  bool none() const { return wanted_.empty(); }
  // Equal to a wanted one, or beginning with one and ":".
  bool Matches(std::string_view tag) const;
  // The node has such a tag.
  bool Carries(const Snapshot& snapshot, NodeId node) const;
  // The event has: itself, a member now, or a member's snapshot.
  Result<bool> Passes(const Snapshot& snapshot, const LedgerIndex& index, NodeId event) const;

 private:
  std::span<const std::string> wanted_;
};

// The names of the tags that a node has now, in order of their bytes.
std::vector<std::string> TagsNow(const Snapshot& snapshot, NodeId node);

}  // namespace plexus::memory::internal
