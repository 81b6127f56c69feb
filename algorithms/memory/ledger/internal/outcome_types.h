// Types of outcomes: as bits of an OutcomeSet, and as an outcome's key says them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "algorithms/memory/ledger/ledger.h"

namespace plexus::memory::internal {

// The set of only this type.
OutcomeSet OutcomeBit(std::string_view type);

// The type out of the key of an outcome of `event`, if it is one that was made of an outcome's
// content: type "/" labeled_at "/" source "/" event.
std::optional<std::string> TypeInKey(std::string_view outcome_key, std::string_view event_key);

}  // namespace plexus::memory::internal
