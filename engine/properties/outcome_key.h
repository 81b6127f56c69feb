// The key of an outcome: its content, so that the same outcome is the same node and two that
// differ in anything are two nodes.
//
// Two outcomes of an event are the same when type, time, source, notes, confidence change and
// properties are all equal. The first three stand in the
// name; the rest, where there is any, as a digest. Graphs of earlier versions have outcomes with
// notes under names without one: these keep their names and are found by what they hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "engine/properties/split_properties.h"
#include "engine/snapshot.h"

namespace plexus::engine_internal {

// What distinguishes outcomes. `rest`: confidence_delta and properties, without nulls.
struct OutcomeContent {
  std::string_view event, type, source;
  std::optional<std::int64_t> labeled_at;
  std::string_view notes;
  JsonProperties rest;
  bool plain() const { return notes.empty() && rest.empty(); }
};

// type "/" labeled_at "/" source "/" event, with "/" and "%" of type and source escaped as in
// addresses and "-" for an absent time. To be made an index key of kind outcome.
std::string OutcomeName(const OutcomeContent& outcome);
// The same with "%=" and a digest of notes and rest (a UUID of version 5) behind the source; no
// escaped source holds "%=".
std::string OutcomeNameWithDigest(const OutcomeContent& outcome);

// The parts of such a name, with or without a digest; nullopt of any other text. `type` and
// `source` without escapes.
struct OutcomeNameParts {
  std::string type, source;
  std::string_view event;
};
std::optional<OutcomeNameParts> ParseOutcomeName(std::string_view name);

// The name that `outcome` has, or gets, in `now` (null: an empty graph): OutcomeName when it is
// plain or is there under that name already, unless another one does. Errors: kCorruption
// from the payload store.
Result<std::string> OutcomeNameIn(const Snapshot* now, const OutcomeContent& outcome);

}  // namespace plexus::engine_internal
